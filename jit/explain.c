// Why a program is not found: its key record beside that of the entry which is most like it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/admin.h"
#include "cache/internal.h"
#include "jit/program.h"
#include "jit/report.h"
#include "jit/watch.h"

struct explain {
  const struct kiln_cache_request *request;
  struct kiln_str wanted, found;           // records
  struct kiln_str wanted_made, found_made; // what makes, and made, code of them; data NULL: it is not known
  kiln_cache_field_fn *fn;
  void *user;
  struct kiln_strbuf a, b; // descriptions
};

static bool is(struct kiln_str name, const char *text) { return kiln_str_eq(name, kiln_str(text)); }

static void give(struct explain *e, const char *name, bool same) {
  struct kiln_cache_field field = {name, same, e->a.data ? e->a.data : "", e->b.data ? e->b.data : ""};
  e->fn(e->user, &field);
  kiln_strbuf_clear(&e->a);
  kiln_strbuf_clear(&e->b);
}

static bool find_field(struct kiln_str record, struct kiln_str name, struct kiln_str *out) {
  struct kiln_key_field field;
  for (size_t cursor = 0; kiln_key_next(record, &cursor, &field);) {
    if (kiln_str_eq(field.name, name)) {
      *out = field.data;
      return true;
    }
  }
  return false;
}

static void put_hex(struct kiln_strbuf *out, struct kiln_str data) {
  for (size_t i = 0; i < data.size && i < 16; i++)
    kiln_strbuf_printf(out, "%02x", (unsigned char)data.data[i]);
}

// One line of text: control characters as \xNN, at most 200 bytes.
static void put_line(struct kiln_strbuf *out, struct kiln_str text) {
  for (size_t i = 0; i < text.size && i < 200; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '\n')
      kiln_strbuf_puts(out, "; ");
    else if (c < ' ' || c == 127)
      kiln_strbuf_printf(out, "\\x%02x", c);
    else
      kiln_strbuf_putc(out, (char)c);
  }
  if (text.size > 200)
    kiln_strbuf_puts(out, "…");
}

// The line in which two texts differ first.
static struct kiln_str line_at(struct kiln_str text, size_t at) {
  size_t begin = at < text.size ? at : text.size, end = begin;
  while (begin > 0 && text.data[begin - 1] != '\n')
    begin--;
  while (end < text.size && text.data[end] != '\n')
    end++;
  return (struct kiln_str){text.data + begin, end - begin};
}

static void put_source(struct kiln_strbuf *out, struct kiln_str text, size_t differ, size_t line) {
  char hex[33];
  kiln_hash128_hex(kiln_hash128(text.data, text.size), hex);
  kiln_strbuf_printf(out, "%zu bytes, %s", text.size, hex);
  if (differ != SIZE_MAX) {
    kiln_strbuf_printf(out, ", line %zu: ", line);
    put_line(out, line_at(text, differ));
  }
}

static void give_source(struct explain *e, struct kiln_str a, struct kiln_str b, bool there) {
  size_t at = 0, line = 1;
  bool same = there && kiln_str_eq(a, b);
  while (there && !same && at < a.size && at < b.size && a.data[at] == b.data[at])
    line += a.data[at++] == '\n';
  put_source(&e->a, a, same || !there ? SIZE_MAX : at, line);
  if (there)
    put_source(&e->b, b, same ? SIZE_MAX : at, line);
  give(e, "source", same);
}

// The lines of a that b has not.
static void put_other_lines(struct kiln_strbuf *out, struct kiln_str a, struct kiln_str b) {
  for (size_t at = 0; at < a.size;) {
    struct kiln_str line = line_at(a, at);
    bool there = false;
    for (size_t other = 0; other < b.size && !there;) {
      struct kiln_str candidate = line_at(b, other);
      there = kiln_str_eq(line, candidate);
      other += candidate.size + 1;
    }
    if (!there && line.size) {
      kiln_strbuf_puts(out, out->size ? "; " : "");
      put_line(out, line);
    }
    at += line.size + 1;
  }
}

static void put_number(struct kiln_strbuf *out, struct kiln_str data) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;)
    value = value << 8 | (i < data.size ? (unsigned char)data.data[i] : 0);
  kiln_strbuf_printf(out, "%" PRIu64, value);
}

// What the compiler is, in short.
static void put_made(struct kiln_strbuf *out, struct kiln_str made) {
  struct kiln_str version = kiln_made_value(made, "kiln"), compiler = kiln_made_value(made, "compiler");
  struct kiln_str build = kiln_made_value(made, "build");
  kiln_strbuf_puts(out, "Kiln ");
  put_line(out, version);
  kiln_strbuf_printf(out, ", build %.*s", build.size < 16 ? (int)build.size : 16, build.data);
  if (compiler.size)
    kiln_strbuf_puts(out, "; ");
  put_line(out, compiler);
}

// Toolchains are compared by a hash; what made an entry is beside it in words.
static void give_toolchain(struct explain *e, struct kiln_str a, struct kiln_str b, bool there) {
  bool same = there && kiln_str_eq(a, b);
  if (!a.size)
    kiln_strbuf_puts(&e->a, "no compiler is installed");
  if (same || !there || !a.size || !e->wanted_made.data || !e->found_made.data) {
    if (a.size && e->wanted_made.data)
      put_made(&e->a, e->wanted_made);
    else
      put_hex(&e->a, a);
    if (there && e->found_made.data)
      put_made(&e->b, e->found_made);
    else if (there)
      kiln_strbuf_puts(&e->b, "not known: the entry does not say what made it");
  } else if (kiln_str_eq(e->wanted_made, e->found_made)) {
    put_made(&e->a, e->wanted_made);
    kiln_strbuf_puts(&e->b, "the same, for another target or with other options");
  } else {
    put_other_lines(&e->a, e->wanted_made, e->found_made);
    put_other_lines(&e->b, e->found_made, e->wanted_made);
  }
  give(e, "toolchain", same);
}

static void give_field(struct explain *e, struct kiln_str name, struct kiln_str a) {
  static const char *const numbers[] = {"warp size", "source kind", "format"};
  struct kiln_str b = {0};
  bool there = find_field(e->found, name, &b);
  if (is(name, "source")) {
    give_source(e, a, b, there);
    return;
  }
  if (is(name, "toolchain")) {
    give_toolchain(e, a, b, there);
    return;
  }
  bool same = there && kiln_str_eq(a, b), number = false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    number |= is(name, numbers[i]);
  if (is(name, "options") && there && !same) {
    put_other_lines(&e->a, a, b);
    put_other_lines(&e->b, b, a);
  } else {
    void (*put)(struct kiln_strbuf *, struct kiln_str) = number ? put_number : put_line;
    put(&e->a, a);
    if (there)
      put(&e->b, b);
  }
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)name.size, name.data);
  give(e, text, same);
}

static void put_state(struct kiln_strbuf *out, bool found, struct kiln_hash128 digest) {
  char hex[33];
  kiln_hash128_hex(digest, hex);
  if (found)
    kiln_strbuf_puts(out, hex);
  else
    kiln_strbuf_puts(out, "not there");
}

static void give_include(struct explain *e, struct kiln_str data) {
  struct kiln_probe_state probe;
  struct kiln_strbuf name = {0};
  if (!kiln_probe_look(e->request, data, &probe))
    return;
  if (probe.memory && probe.path.size && probe.path.data[0] == '\x01') {
    kiln_strbuf_puts(&name, "name of the source");
  } else {
    kiln_strbuf_puts(&name, probe.memory ? "header " : "include ");
    if (probe.root && strcmp(e->request->roots[probe.root - 1], ".") != 0)
      kiln_strbuf_printf(&name, "%s/", e->request->roots[probe.root - 1]);
    put_line(&name, probe.path);
  }
  put_state(&e->a, probe.is_found, probe.is);
  put_state(&e->b, probe.was_found, probe.was);
  bool same =
      probe.is_found == probe.was_found && (!probe.is_found || memcmp(&probe.is, &probe.was, sizeof probe.is) == 0);
  give(e, name.failed || !name.data ? "include" : name.data, same);
  kiln_strbuf_free(&name);
}

// Fields of what is wanted, then those that the other has in addition: its includes as they are now.
static void compare(struct explain *e) {
  struct kiln_key_field field;
  struct kiln_str other;
  for (size_t cursor = 0; kiln_key_next(e->wanted, &cursor, &field);)
    give_field(e, field.name, field.data);
  for (size_t cursor = 0; kiln_key_next(e->found, &cursor, &field);) {
    if (is(field.name, "include")) {
      give_include(e, field.data);
    } else if (is(field.name, "roots")) {
      struct kiln_hash128 roots = kiln_roots_digest(e->request);
      put_hex(&e->a, (struct kiln_str){(const char *)roots.bytes, sizeof roots.bytes});
      put_hex(&e->b, field.data);
      give(e, "include folders",
           field.data.size == sizeof roots.bytes && memcmp(field.data.data, roots.bytes, sizeof roots.bytes) == 0);
    } else if (is(field.name, "toolchain") && !find_field(e->wanted, field.name, &other)) {
      give_toolchain(e, (struct kiln_str){"", 0}, field.data, true);
    } else if (!find_field(e->wanted, field.name, &other)) {
      char text[64];
      snprintf(text, sizeof text, "%.*s", (int)field.name.size, field.name.data);
      put_line(&e->b, field.data);
      give(e, text, false);
    }
  }
}

// The entry of a target whose code this one runs, too: what find_compatible of program.c would take.
static struct kiln_cache_entry *look_for_compatible(struct kiln_context *ctx, const struct kiln_lookup *lookup,
                                                    char arch[64], const char **place) {
  struct kiln_target target;
  struct kiln_cache_entry *entry = NULL;
  const struct kiln_base_backend *backend = ctx->backend;
  for (uint32_t i = 0; !entry && backend->compatible_target && backend->compatible_target(&ctx->target, i, &target);
       i++) {
    struct kiln_report report = {0};
    struct kiln_store_request request;
    struct kiln_cache_trace trace = {.place = NULL};
    struct kiln_cache_flight *flight = NULL;
    enum kiln_status status =
        kiln_store_request_init(ctx, &target, &lookup->program->source, &lookup->options, &report, &request);
    kiln_report_free(&report);
    if (status != KILN_OK)
      return NULL;
    request.request.trace = &trace;
    (void)kiln_cache_find(ctx->cache, &request.request, &entry, &flight);
    kiln_cache_abandon(flight);
    free(trace.details);
    kiln_store_request_free(&request);
    snprintf(arch, 64, "%.63s", target.arch);
    *place = trace.place;
  }
  return entry;
}

// Whether the library would compile what is not found, rather than take code of a lower level.
static bool would_compile(const struct kiln_context *ctx, const struct kiln_lookup *lookup) {
  return lookup->request.request.toolchain && ctx->cache->mode != KILN_CACHE_MODE_REQUIRE;
}

// A miss: the code of a lower level that is taken then, or would be.
static void explain_compatible(struct kiln_context *ctx, struct kiln_lookup *lookup, struct kiln_strbuf *reason,
                               struct kiln_cache_explanation *out) {
  char arch[64];
  const char *place = NULL;
  struct kiln_cache_entry *entry = look_for_compatible(ctx, lookup, arch, &place);
  if (!entry)
    return;
  out->hit = !would_compile(ctx, lookup);
  if (out->hit)
    kiln_strbuf_clear(reason);
  kiln_strbuf_printf(reason,
                     out->hit ? "code of %s, which this %s runs, too"
                              : "; code of %s is there, which this %s "
                                "runs where nothing can be compiled",
                     arch, ctx->target.arch);
  lookup->entry = entry;
  lookup->trace.place = place;
}

// Records and what made them, of the request and of the entry beside it.
static void choose_sides(struct kiln_context *ctx, struct kiln_lookup *lookup, struct explain *e,
                         struct kiln_nearest *nearest, struct kiln_cache_explanation *out) {
  struct kiln_report report = {0};
  (void)kiln_store_toolchain_holds(ctx, &lookup->options, &report, &lookup->request);
  kiln_report_free(&report);
  if (!lookup->request.made.failed)
    e->wanted_made = (struct kiln_str){lookup->request.made.data, lookup->request.made.size};
  if (lookup->entry) {
    e->found = lookup->entry->sections[KILN_SECTION_KEY];
    e->found_made = lookup->entry->sections[KILN_SECTION_MADE];
    snprintf(out->nearest, sizeof out->nearest, "%s", lookup->entry->key);
    snprintf(out->place, sizeof out->place, "%s", lookup->trace.place ? lookup->trace.place : "memory");
    return;
  }
  kiln_cache_nearest(ctx->cache, e->wanted, nearest);
  e->found = (struct kiln_str){nearest->record, nearest->size};
  e->found_made = nearest->made;
  if (nearest->record) {
    kiln_hash128_hex(nearest->key, out->nearest);
    snprintf(out->place, sizeof out->place, "%s", nearest->place);
  }
}

static void give_reason(struct kiln_context *ctx, struct kiln_lookup *lookup, struct kiln_cache_explanation *out) {
  struct kiln_strbuf reason = {0};
  if (!lookup->entry) {
    kiln_miss_put(&reason, &lookup->trace);
    explain_compatible(ctx, lookup, &reason, out);
  }
  const char *text = reason.data && !reason.failed ? reason.data : "";
  snprintf(out->reason, sizeof out->reason, "%s", text);
  if (*text)
    kiln_error(KILN_ERR_NOT_CACHED, "%s", text);
  kiln_strbuf_free(&reason);
}

enum kiln_status kiln_cache_explain(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                    kiln_cache_field_fn *fn, void *user, struct kiln_cache_explanation *out) {
  if (!ctx || !desc || !fn || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_explain: %s is NULL",
                      !ctx    ? "ctx"
                      : !desc ? "desc"
                      : !fn   ? "fn"
                              : "out");
  struct kiln_lookup lookup;
  enum kiln_status status = kiln_program_look_up(ctx, desc, &lookup);
  if (status != KILN_OK)
    return status;
  memset(out, 0, sizeof *out);
  struct kiln_strbuf record = {0};
  struct kiln_nearest nearest = {0};
  kiln_strbuf_append(&record, lookup.request.key.record.data, lookup.request.key.record.size);
  kiln_record_complete(&record, lookup.request.request.toolchain);
  struct explain e = {.request = &lookup.request.request, .fn = fn, .user = user};
  e.wanted = (struct kiln_str){record.data, record.size};
  out->hit = lookup.entry != NULL;
  snprintf(out->key, sizeof out->key, "%s", lookup.trace.key);
  if (record.failed) {
    status = kiln_error_memory();
  } else {
    give_reason(ctx, &lookup, out);
    choose_sides(ctx, &lookup, &e, &nearest, out);
    compare(&e);
  }
  kiln_strbuf_free(&e.a);
  kiln_strbuf_free(&e.b);
  kiln_strbuf_free(&record);
  kiln_nearest_free(&nearest);
  kiln_lookup_free(&lookup);
  return status;
}
