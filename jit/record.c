// Writing of manifests: one record per request, appended under a lock unless the file has it already.
#include "jit/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write.h"
#include "cache/manifest.h"

#define MANIFEST_HEAD "kiln-manifest 1\n"

struct kiln_record {
  char *path;
  pthread_mutex_t lock;
  char (*seen)[33]; // ids of the records in the file
  uint32_t count, capacity;
  uint32_t *slots; // by id
  uint32_t slot_count;
  off_t read; // how much of the file has been looked at
  bool complained;
};

enum kiln_status kiln_record_open(struct kiln_context *ctx) {
  const char *path = ctx->env.values[KILN_ENV_RECORD];
  if (!path)
    return KILN_OK;
  struct kiln_record *record = calloc(1, sizeof *record);
  char folder[4096];
  struct kiln_strbuf whole = {0};
  if (path[0] != '/' && getcwd(folder, sizeof folder)) // the host may change its folder later
    kiln_strbuf_printf(&whole, "%s/", folder);
  kiln_strbuf_puts(&whole, path);
  char *copy = kiln_strbuf_take(&whole);
  if (!record || !copy) {
    free(record);
    free(copy);
    return kiln_error_memory();
  }
  record->path = copy;
  pthread_mutex_init(&record->lock, NULL);
  ctx->record = record;
  return KILN_OK;
}

void kiln_record_close(struct kiln_context *ctx) {
  struct kiln_record *record = ctx->record;
  if (!record)
    return;
  pthread_mutex_destroy(&record->lock);
  free(record->seen);
  free(record->slots);
  free(record->path);
  free(record);
  ctx->record = NULL;
}

// ---- what the file has ---------------------------------------------------------------------------------------------

// The slot of an id, or the free one where it belongs.
static uint32_t *slot_of(const struct kiln_record *r, const char *id) {
  uint64_t at = kiln_hash64(id, 32);
  for (;; at++) {
    uint32_t *slot = &r->slots[at & (r->slot_count - 1)];
    if (*slot == 0 || memcmp(r->seen[*slot - 1], id, 32) == 0)
      return slot;
  }
}

static bool has_seen(const struct kiln_record *r, const char *id) { return r->slot_count && *slot_of(r, id) != 0; }

static bool remember(struct kiln_record *r, const char *id) {
  if (has_seen(r, id))
    return true;
  if (r->count == r->capacity) {
    uint32_t capacity = r->capacity ? r->capacity * 2 : 64;
    char(*seen)[33] = realloc(r->seen, capacity * sizeof *seen);
    if (!seen)
      return false;
    r->seen = seen;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (!slots)
      return false;
    free(r->slots);
    r->slots = slots;
    r->slot_count = capacity * 2;
    r->capacity = capacity;
    for (uint32_t i = 0; i < r->count; i++)
      *slot_of(r, r->seen[i]) = i + 1;
  }
  memcpy(r->seen[r->count], id, 32);
  r->seen[r->count][32] = 0;
  *slot_of(r, id) = ++r->count;
  return true;
}

// Notes the ids of what was added to the file since it was looked at last.
static void read_ids(struct kiln_record *r, int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || info.st_size <= r->read)
    return;
  size_t size = (size_t)(info.st_size - r->read);
  char *text = malloc(size + 1);
  ssize_t got = text ? pread(fd, text, size, r->read) : -1;
  if (got > 0) {
    text[got] = 0;
    r->read += got;
    static const char key[] = "program ";
    for (const char *line = text, *end; line; line = end ? end + 1 : NULL) {
      end = strchr(line, '\n');
      if (strncmp(line, key, sizeof key - 1) == 0 && strspn(line + sizeof key - 1, "0123456789abcdef") == 32)
        (void)remember(r, line + sizeof key - 1);
    }
  }
  free(text);
}

// ---- writing -------------------------------------------------------------------------------------------------------

// Appends body as a record with this id; 0 or an errno value.
static int append(struct kiln_record *r, const char *id, const struct kiln_strbuf *body) {
  // Without the lock (a file system that has none) a request may be there twice, that is all.
  int fd = kiln_file_open_locked(r->path, O_RDWR | O_APPEND);
  if (fd < 0)
    return errno;
  read_ids(r, fd);
  int error = 0;
  if (!has_seen(r, id)) {
    struct kiln_strbuf text = {0};
    if (r->read == 0)
      kiln_strbuf_puts(&text, MANIFEST_HEAD);
    // The empty line ends what a writer that was killed may have left.
    kiln_strbuf_printf(&text, "\nprogram %s\n", id);
    kiln_strbuf_append(&text, body->data, body->size);
    kiln_strbuf_puts(&text, "end\n");
    error = text.failed ? ENOMEM : kiln_write_all(fd, text.data, text.size); // one write: writers do not mix
    kiln_strbuf_free(&text);
  }
  close(fd);
  if (!error && !remember(r, id))
    error = ENOMEM;
  return error;
}

// "|" before each line; ">" before a last one that no newline ends.
static void put_text(struct kiln_strbuf *out, const char *text, size_t size) {
  while (size) {
    const char *newline = memchr(text, '\n', size);
    size_t line = newline ? (size_t)(newline - text) : size;
    kiln_strbuf_putc(out, newline ? '|' : '>');
    kiln_strbuf_append(out, text, line);
    kiln_strbuf_putc(out, '\n');
    line += newline != NULL;
    text += line;
    size -= line;
  }
}

// Bytes in hexadecimal, 32 on a line.
static void put_bytes(struct kiln_strbuf *out, const char *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    if (i % 32 == 0)
      kiln_strbuf_puts(out, i ? "\n|" : "|");
    kiln_strbuf_putc(out, digits[(unsigned char)bytes[i] >> 4]);
    kiln_strbuf_putc(out, digits[(unsigned char)bytes[i] & 15]);
  }
  kiln_strbuf_putc(out, '\n');
}

// A value that may have several lines: one "key: line" each.
static void put_value(struct kiln_strbuf *out, const char *key, const char *value) {
  do {
    size_t size = strcspn(value, "\n");
    kiln_strbuf_printf(out, "%s: %.*s\n", key, (int)size, value);
    value += size + (value[size] == '\n');
  } while (*value);
}

// The path of an include as the front end opened it.
static void include_path(const struct kiln_store_request *request, const struct kiln_probe_state *probe,
                         struct kiln_strbuf *out) {
  const char *root = probe->root ? request->roots[probe->root - 1] : "";
  size_t size = strlen(root);
  if (size && strcmp(root, ".") != 0)
    kiln_strbuf_printf(out, "%s%s", root, root[size - 1] == '/' ? "" : "/");
  kiln_strbuf_append(out, probe->path.data, probe->path.size);
}

// Appends the include files that the entry was made from. False when one is no longer what it was.
static bool put_includes(const struct kiln_store_request *request, struct kiln_str fields, struct kiln_strbuf *out) {
  struct kiln_key_field field;
  bool same = true;
  for (size_t cursor = 0; same && kiln_key_next(fields, &cursor, &field);) {
    struct kiln_probe_state probe;
    if (!kiln_str_eq(field.name, kiln_str("include")) || !kiln_probe_look(&request->request, field.data, &probe) ||
        probe.memory || !probe.was_found)
      continue;
    struct kiln_strbuf path = {0};
    include_path(request, &probe, &path);
    const struct kiln_recorded *recorded = request->source->recorded;
    char *own = NULL;
    const char *text = NULL;
    size_t size;
    int error = path.failed ? ENOMEM
                : recorded  ? kiln_recorded_read((void *)(uintptr_t)recorded, path.data, &text, &size)
                            : kiln_file_read(path.data, &own, &size);
    text = own ? own : text;
    same = error == 0;
    if (same) {
      struct kiln_hash128 digest = kiln_hash128(text, size);
      same = memcmp(&digest, &probe.was, sizeof digest) == 0;
      put_value(out, "include", path.data);
      put_text(out, text, size);
    }
    free(own);
    kiln_strbuf_free(&path);
  }
  return same;
}

// The arch string that gives the context's target again; "" when there is none.
static void arch_string(struct kiln_context *ctx, struct kiln_strbuf *out) {
  const struct kiln_target *target = &ctx->target;
  char all[sizeof target->arch + sizeof target->features], plain[sizeof all];
  snprintf(all, sizeof all, "%s%s", target->arch, target->features);
  size_t n = 0;
  for (const char *p = all; *p; p++) {
    if (*p != ',')
      plain[n++] = *p;
  }
  plain[n] = 0;
  const char *const candidates[] = {target->arch, plain, all};
  for (int i = 0; i < 3; i++) {
    struct kiln_target again;
    struct kiln_report report = {0};
    memset(&again, 0, sizeof again);
    bool same = ctx->backend->make_target(candidates[i], &again, &report) == KILN_OK &&
                strcmp(again.arch, target->arch) == 0 && strcmp(again.features, target->features) == 0;
    kiln_report_free(&report);
    if (same) {
      kiln_strbuf_puts(out, candidates[i]);
      return;
    }
  }
}

static bool make_body(struct kiln_context *ctx, const struct kiln_store_request *request, const char *options,
                      const struct kiln_cache_entry *entry, struct kiln_strbuf *out) {
  const struct kiln_source *source = request->source;
  struct kiln_record_parts parts;
  struct kiln_strbuf arch = {0};
  put_value(out, "name", source->name);
  kiln_strbuf_printf(out, "kind: %s\n", kiln_record_kinds[source->kind]);
  arch_string(ctx, &arch);
  kiln_strbuf_printf(out, "target: %s%s%s\n", ctx->target.backend, arch.size ? " " : "", arch.size ? arch.data : "");
  kiln_strbuf_free(&arch);
  if (*options)
    put_value(out, "options", options);
  for (uint32_t i = 0; i < source->header_count; i++) {
    put_value(out, "header", source->headers[i].name);
    put_text(out, source->headers[i].text, source->headers[i].size);
  }
  bool whole = true;
  struct kiln_str record = entry->sections[KILN_SECTION_KEY];
  if (kiln_record_split(record, &parts))
    whole = put_includes(request, parts.includes, out);
  kiln_strbuf_puts(out, "source:\n");
  if (source->kind == KILN_SOURCE_SPIRV)
    put_bytes(out, source->text, source->size);
  else
    put_text(out, source->text, source->size);
  return whole && !out->failed;
}

enum kiln_status kiln_record_write(struct kiln_context *ctx, const struct kiln_store_request *request,
                                   const char *options, const struct kiln_cache_entry *entry, struct kiln_strbuf *out) {
  kiln_strbuf_puts(out, MANIFEST_HEAD "\nprogram\n");
  bool whole = make_body(ctx, request, options, entry, out);
  kiln_strbuf_puts(out, "end\n");
  if (out->failed)
    return kiln_error_memory();
  return whole ? KILN_OK
               : kiln_error(KILN_ERR_INVALID, "an include file of '%s' has changed since it was compiled",
                            request->source->name);
}

void kiln_record_add(struct kiln_context *ctx, const struct kiln_store_request *request, const char *options,
                     const struct kiln_cache_entry *entry) {
  struct kiln_record *r = ctx->record;
  struct kiln_strbuf body = {0};
  int error = 0;
  if (make_body(ctx, request, options, entry, &body)) {
    char id[33];
    kiln_hash128_hex(kiln_hash128(body.data, body.size), id);
    pthread_mutex_lock(&r->lock);
    if (!has_seen(r, id))
      error = append(r, id, &body);
    bool tell = error && !r->complained;
    r->complained |= tell;
    pthread_mutex_unlock(&r->lock);
    if (tell)
      kiln_context_log(ctx, KILN_LOG_WARNING, "COMPILE_RECORD '%s' cannot be written: %s", r->path,
                       error == EPERM   ? "it is no file of this user with one name"
                       : error == ELOOP ? "it is a symbolic link"
                                        : strerrordesc_np(error));
  } else {
    kiln_context_log(ctx, KILN_LOG_WARNING, "'%s' is not recorded: an include file has changed since it was compiled",
                     request->source->name);
  }
  kiln_strbuf_free(&body);
}
