// Makes a failing program smaller. Every candidate must fail in the same way, and interp must find nothing wrong with
// it (unless that is the failure), so that a candidate with undefined behaviour does not pass.
#include "tests/gen/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SECONDS = 120 };

struct reduction {
  const struct gen_setup *setup;
  struct gen_program *program;
  enum gen_outcome outcome;
  char message[48]; // what the message of an error begins with
  time_t end;
};

static char *copied(const char *text, size_t size) {
  char *copy = malloc(size + 1);
  if (!copy)
    exit(3);
  memcpy(copy, text, size);
  copy[size] = 0;
  return copy;
}

// An error without its place and quoted names.
static void kind_of(const char *message, char *out, size_t size) {
  const char *error = strstr(message, "error: ");
  snprintf(out, size, "%.40s", error ? error : message);
  out[strcspn(out, "'0123456789\n")] = 0;
}

// Takes the text if it fails in the same way.
static bool try_source(struct reduction *r, char *source) {
  char *before = r->program->source, message[256], kind[sizeof r->message];
  r->program->source = source;
  enum gen_outcome outcome = gen_judge(r->setup, r->program, message, sizeof message);
  kind_of(message, kind, sizeof kind);
  bool differs = r->outcome == GEN_CPU_DIFFERS || r->outcome == GEN_OPENCL_DIFFERS ||
                 r->outcome == GEN_PRINTED_DIFFERS || r->outcome == GEN_ROUND_DIFFERS || r->outcome == GEN_CRASH;
  bool same = outcome == r->outcome && (differs || strcmp(kind, r->message) == 0);
  r->program->source = same ? source : before;
  free(same ? before : source);
  return same;
}

static bool over(const struct reduction *r) { return time(NULL) > r->end; }

// Source without the bytes [from, to), with text in their place.
static bool try_replace(struct reduction *r, size_t from, size_t to, const char *text) {
  const char *source = r->program->source;
  size_t size = strlen(source), more = strlen(text);
  char *next = copied(source, size + more);
  memcpy(next, source, from);
  memcpy(next + from, text, more);
  memcpy(next + from + more, source + to, size - to + 1);
  return try_source(r, next);
}

static size_t line_start(const char *text, uint32_t line) {
  const char *p = text;
  for (; line && *p; p++)
    line -= *p == '\n';
  return (size_t)(p - text);
}

static uint32_t line_count(const char *text) {
  uint32_t count = 0;
  for (; *text; text++)
    count += *text == '\n';
  return count;
}

static bool balanced(const char *from, const char *to) {
  int depth = 0;
  for (; from < to && depth >= 0; from++)
    depth += (*from == '{') - (*from == '}');
  return depth == 0;
}

// A lone barrier stays: what is on both sides of it could race.
static bool lone_barrier(const char *from, const char *to) {
  int count = 0;
  for (; (from = strstr(from, "barrier(")) && from < to; from++)
    count++;
  return count == 1;
}

static bool remove_lines(struct reduction *r) {
  bool any = false;
  for (uint32_t size = line_count(r->program->source) / 2 + 1; size > 0; size /= 2)
    for (uint32_t line = line_count(r->program->source); line-- > 0 && !over(r);) {
      const char *source = r->program->source;
      size_t from = line_start(source, line), to = line_start(source, line + size);
      if (from < to && balanced(source + from, source + to) && !lone_barrier(source + from, source + to))
        any |= try_replace(r, from, to, "");
    }
  return any;
}

// A whole block with its head, or its braces and head alone.
static bool remove_blocks(struct reduction *r) {
  bool any = false;
  for (uint32_t line = 1; line < line_count(r->program->source) && !over(r); line++) {
    const char *source = r->program->source;
    size_t from = line_start(source, line), body = line_start(source, line + 1), end = body;
    if (body < from + 2 || source[body - 2] != '{')
      continue;
    int depth = 1;
    while (source[end] && depth) {
      depth += (source[end] == '{') - (source[end] == '}');
      end++;
    }
    size_t last = end - 1;
    while (last > body && source[last - 1] != '\n')
      last--;
    end += strcspn(source + end, "\n") + 1;
    if (end > strlen(source))
      continue;
    if (try_replace(r, from, end, "")) {
      any = true;
      line--;
      continue;
    }
    char *inside = copied(source + body, last - body);
    any |= try_replace(r, from, end, inside);
    free(inside);
  }
  return any;
}

static size_t closing(const char *text, size_t open) {
  int depth = 0;
  for (size_t i = open; text[i] && text[i] != '\n'; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0)
      return i;
  }
  return 0;
}

// Whether the place is inside an index of memory that work-items write: another index could be a race.
static bool in_written_index(const char *source, size_t at) {
  int depth = 0;
  for (size_t i = at; i > 0 && source[i - 1] != '\n'; i--) {
    depth += (source[i - 1] == ']') - (source[i - 1] == '[');
    if (depth >= 0)
      continue;
    size_t name = i - 1;
    while (name > 0 && (source[name - 1] == '_' || (source[name - 1] >= '0' && source[name - 1] <= 'z')))
      name--;
    return source[name] == 'o' || source[name] == 'l' || source[name] == 'g';
  }
  return false;
}

// Lines that say which work-item this is.
static bool is_identity(const char *source, size_t at) {
  static const char *const names[] = {"const size_t gz", "const uint gid", "const int gi", "const uint lid"};
  size_t from = at;
  while (from > 0 && source[from - 1] != '\n')
    from--;
  from += strspn(source + from, " ");
  for (int i = 0; i < 4; i++)
    if (strncmp(source + from, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

// A parenthesis becomes a number, or one of the parentheses inside.
static bool shrink_expressions(struct reduction *r) {
  bool any = false;
  for (size_t i = 0; r->program->source[i] && !over(r); i++) {
    const char *source = r->program->source;
    size_t end;
    if (source[i] != '(' || !(end = closing(source, i)) || end < i + 3 || in_written_index(source, i) ||
        is_identity(source, i))
      continue;
    if (try_replace(r, i, end + 1, "(1)") || try_replace(r, i, end + 1, "(gid)")) {
      any = true;
      continue;
    }
    for (size_t k = i + 1; k < end; k++) {
      size_t inner = source[k] == '(' ? closing(source, k) : 0;
      if (!inner || inner < k + 2)
        continue;
      char *text = copied(source + k, inner + 1 - k);
      bool done = try_replace(r, i, end + 1, text);
      free(text);
      if (done) {
        any = true, i--;
        break;
      }
    }
  }
  return any;
}

static bool shrink_sizes(struct reduction *r) {
  bool any = false;
  for (int d = 0; d < 3; d++)
    for (int half = 0; half < 6 && !over(r); half++) {
      struct gen_program before = *r->program;
      uint64_t local = before.local[d] / 2;
      r->program->global[d] = before.global[d] > before.local[d] ? before.local[d] : local;
      r->program->local[d] = before.global[d] > before.local[d] ? before.local[d] : local;
      if (!r->program->global[d] || !try_source(r, copied(before.source, strlen(before.source)))) {
        memcpy(r->program->global, before.global, sizeof before.global);
        memcpy(r->program->local, before.local, sizeof before.local);
        break;
      }
      any = true;
    }
  return any;
}

void gen_reduce(const struct gen_setup *setup, struct gen_program *program, enum gen_outcome outcome,
                const char *message) {
  struct reduction r = {.setup = setup, .program = program, .outcome = outcome, .end = time(NULL) + MAX_SECONDS};
  kind_of(message, r.message, sizeof r.message);
  bool again = true;
  while (again && !over(&r)) {
    again = remove_lines(&r);
    again |= remove_blocks(&r);
    again |= shrink_expressions(&r);
    again |= shrink_sizes(&r);
  }
}
