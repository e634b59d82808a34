#include "backends/llvm/core/frames.h"

#include <stdlib.h>
#include <string.h>

#define MARK " kiln frame "
#define MAX_DEPTH 10000 // of calls; deeper ones count as unbounded

struct kiln_ll_stack_frame {
  struct kiln_str name, callees;
  struct kiln_ll_stack stack; // its own; with its callees' once summed
  enum { FRAME_OWN, FRAME_OPEN, FRAME_SUMMED } state;
};

// ---- text

// Removes the first line from text and returns it without its line break.
static struct kiln_str next_line(struct kiln_str *text) {
  const char *end = memchr(text->data, '\n', text->size);
  struct kiln_str line = {text->data, end ? (size_t)(end - text->data) : text->size};
  size_t used = line.size + (end != NULL);
  *text = (struct kiln_str){text->data + used, text->size - used};
  return line;
}

// Removes the first word from a line and returns it; empty at the end of the line.
static struct kiln_str next_word(struct kiln_str *line) {
  while (line->size && *line->data == ' ')
    *line = (struct kiln_str){line->data + 1, line->size - 1};
  const char *end = memchr(line->data, ' ', line->size);
  struct kiln_str word = {line->data, end ? (size_t)(end - line->data) : line->size};
  *line = (struct kiln_str){line->data + word.size, line->size - word.size};
  return word;
}

void kiln_ll_frames_print(const struct kiln_strbuf *frames, const char *comment, struct kiln_strbuf *out) {
  for (struct kiln_str rest = {frames->data, frames->size}; rest.size;) {
    struct kiln_str line = next_line(&rest);
    kiln_strbuf_printf(out, "%s" MARK "%.*s\n", comment, (int)line.size, line.data);
  }
  out->failed |= frames->failed;
}

void kiln_ll_frames_find(struct kiln_str text, const char *comment, struct kiln_strbuf *frames) {
  size_t begin = strlen(comment), mark = strlen(MARK);
  while (text.size) {
    struct kiln_str line = next_line(&text);
    if (line.size < begin + mark || memcmp(line.data, comment, begin) || memcmp(line.data + begin, MARK, mark))
      continue;
    kiln_strbuf_append(frames, line.data + begin + mark, line.size - begin - mark);
    kiln_strbuf_putc(frames, '\n');
  }
}

// ---- the table

static int by_name(const void *a, const void *b) {
  const struct kiln_str *x = &((const struct kiln_ll_stack_frame *)a)->name,
                        *y = &((const struct kiln_ll_stack_frame *)b)->name;
  int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
  return order ? order : (x->size > y->size) - (x->size < y->size);
}

// Saturates.
static uint64_t number(struct kiln_str word) {
  uint64_t value = 0;
  for (size_t i = 0; i < word.size; i++)
    if (__builtin_mul_overflow(value, 10, &value) || word.data[i] < '0' || word.data[i] > '9' ||
        __builtin_add_overflow(value, (uint64_t)(word.data[i] - '0'), &value))
      return UINT64_MAX;
  return value;
}

bool kiln_ll_frames_read(struct kiln_ll_frames *out, const struct kiln_ll_part *parts, uint32_t count) {
  size_t lines = 0;
  for (uint32_t p = 0; p < count; p++) {
    for (size_t i = 0; i < parts[p].frames.size; i++)
      lines += parts[p].frames.data[i] == '\n';
    if (parts[p].frames.failed)
      return false;
  }
  *out = (struct kiln_ll_frames){.all = calloc(lines + 1, sizeof *out->all)};
  if (!out->all)
    return false;
  for (uint32_t p = 0; p < count; p++)
    for (struct kiln_str rest = {parts[p].frames.data, parts[p].frames.size}; rest.size;) {
      struct kiln_str line = next_line(&rest);
      struct kiln_ll_stack_frame *frame = &out->all[out->count++];
      frame->name = next_word(&line);
      frame->stack.bytes = number(next_word(&line));
      frame->stack.held = number(next_word(&line));
      frame->callees = line;
    }
  qsort(out->all, out->count, sizeof *out->all, by_name);
  return true;
}

void kiln_ll_frames_free(struct kiln_ll_frames *frames) {
  free(frames->all);
  *frames = (struct kiln_ll_frames){0};
}

static struct kiln_ll_stack_frame *find(const struct kiln_ll_frames *frames, struct kiln_str name) {
  struct kiln_ll_stack_frame key = {.name = name};
  return frames->count ? bsearch(&key, frames->all, frames->count, sizeof key, by_name) : NULL;
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static struct kiln_ll_stack sum(struct kiln_ll_frames *frames, struct kiln_ll_stack_frame *frame, unsigned depth) {
  if (frame->state == FRAME_OPEN || depth > MAX_DEPTH)
    return (struct kiln_ll_stack){UINT64_MAX, UINT64_MAX};
  if (frame->state == FRAME_SUMMED)
    return frame->stack;
  frame->state = FRAME_OPEN;
  struct kiln_ll_stack most = {0, 0};
  for (struct kiln_str rest = frame->callees, name; (name = next_word(&rest)).size;) {
    struct kiln_ll_stack_frame *callee = find(frames, name);
    struct kiln_ll_stack below = callee ? sum(frames, callee, depth + 1) : (struct kiln_ll_stack){0, 0};
    most.bytes = larger(most.bytes, below.bytes);
    most.held = larger(most.held, below.held);
  }
  frame->stack.bytes = add(frame->stack.bytes, most.bytes);
  frame->stack.held = add(frame->stack.held, most.held);
  frame->state = FRAME_SUMMED;
  return frame->stack;
}

bool kiln_ll_frames_sum(struct kiln_ll_frames *frames, const char *function, struct kiln_ll_stack *out) {
  struct kiln_ll_stack_frame *frame = find(frames, kiln_str(function));
  if (frame)
    *out = sum(frames, frame, 0);
  return frame != NULL;
}
