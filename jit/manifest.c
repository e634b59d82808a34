// Reading of manifests. docs/warm-up.md specifies the text: lines "key: value", text in lines that begin with "|", one
// record from a line "program" to a line "end". A record without its end was left by a writer that died.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/lang/pp/pp.h"
#include "jit/record.h"
#include "jit/spirv/spirv.h"

#define MANIFEST_VERSION 1

enum { MAX_FILES = 1 << 16 };

struct reader {
  const char *name;
  uint32_t line;
  struct kiln_recorded_list *list;
  struct kiln_recorded now; // the record that is being read
  bool inside;
  struct kiln_strbuf text, options, file, tuning; // tuning: directives
  enum { TEXT_NONE, TEXT_SOURCE, TEXT_INCLUDE, TEXT_HEADER } text_of;
  bool has_source;
  bool ended;    // the record has its end
  char *mistake; // what is wrong in the record, if it has an end
};

// ---- records -------------------------------------------------------------------------------------------------------

static void free_files(struct kiln_recorded_file *files, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    free(files[i].path);
    free(files[i].text);
  }
  free(files);
}

static void free_recorded(struct kiln_recorded *r) {
  free(r->name);
  free(r->options);
  free(r->backend);
  free(r->arch);
  free(r->source);
  free_files(r->includes, r->include_count);
  free_files(r->headers, r->header_count);
  memset(r, 0, sizeof *r);
}

void kiln_recorded_list_free(struct kiln_recorded_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    free_recorded(&list->items[i]);
  free(list->items);
  free(list->slots);
  memset(list, 0, sizeof *list);
}

enum kiln_status kiln_recorded_desc(const struct kiln_recorded *r, struct kiln_program_desc *out) {
  struct kiln_header *headers = calloc(r->header_count + 1u, sizeof *headers);
  if (!headers)
    return kiln_error_memory();
  for (uint32_t i = 0; i < r->header_count; i++)
    headers[i] = (struct kiln_header){r->headers[i].path, r->headers[i].text, r->headers[i].size};
  *out = (struct kiln_program_desc){.source = r->source,
                                    .size = r->size,
                                    .name = r->name,
                                    .kind = r->kind,
                                    .options = r->options,
                                    .headers = headers,
                                    .header_count = r->header_count};
  return KILN_OK;
}

static bool same_files(const struct kiln_recorded_file *a, const struct kiln_recorded_file *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(a[i].path, b[i].path) != 0 || a[i].size != b[i].size || memcmp(a[i].text, b[i].text, a[i].size) != 0)
      return false;
  }
  return true;
}

static bool same(const struct kiln_recorded *a, const struct kiln_recorded *b) {
  return a->size == b->size && a->kind == b->kind && a->open == b->open && memcmp(a->source, b->source, a->size) == 0 &&
         strcmp(a->name, b->name) == 0 && strcmp(a->options, b->options) == 0 && strcmp(a->backend, b->backend) == 0 &&
         strcmp(a->arch, b->arch) == 0 && a->include_count == b->include_count && a->header_count == b->header_count &&
         same_files(a->includes, b->includes, a->include_count) && same_files(a->headers, b->headers, a->header_count);
}

static bool add_recorded(struct kiln_recorded_list *list, struct kiln_recorded *r) {
  r->digest = kiln_hash64(r->source, r->size) ^ kiln_hash64(r->options, strlen(r->options)) * 3 ^
              kiln_hash64(r->arch, strlen(r->arch)) * 5;
  uint32_t slots = list->slot_count;
  for (uint64_t at = r->digest; slots; at++) {
    uint32_t slot = list->slots[at & (slots - 1)];
    if (slot == 0)
      break;
    if (list->items[slot - 1].digest == r->digest && same(&list->items[slot - 1], r)) {
      free_recorded(r);
      return true;
    }
  }
  if (list->count == list->capacity) {
    uint32_t capacity = list->capacity ? list->capacity * 2 : 64;
    struct kiln_recorded *items = realloc(list->items, capacity * sizeof *items);
    if (!items)
      return false;
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = *r;
  memset(r, 0, sizeof *r);
  if (list->count >= slots / 2) {
    uint32_t count = slots ? slots * 2 : 256;
    uint32_t *table = calloc(count, sizeof *table);
    if (!table)
      return false;
    free(list->slots);
    list->slots = table;
    list->slot_count = count;
    list->placed = 0;
  }
  for (; list->placed < list->count; list->placed++) {
    uint64_t at = list->items[list->placed].digest;
    while (list->slots[at & (list->slot_count - 1)])
      at++;
    list->slots[at & (list->slot_count - 1)] = list->placed + 1;
  }
  return true;
}

// ---- parts of a record ---------------------------------------------------------------------------------------------

static enum kiln_status wrong(const struct reader *r, const char *what) {
  return kiln_error(KILN_ERR_INVALID, "%s:%u: %s", r->name, (unsigned)r->line, what);
}

static enum kiln_status set_text(char **to, const char *text, size_t size) {
  free(*to);
  *to = strndup(text, size);
  return *to ? KILN_OK : kiln_error_memory();
}

// Ends the text that is being read, if any.
static enum kiln_status end_text(struct reader *r) {
  size_t size = r->text.size;
  char *text = NULL;
  if (r->text_of == TEXT_NONE)
    return KILN_OK;
  kiln_strbuf_putc(&r->text, 0);
  text = kiln_strbuf_take(&r->text);
  if (!text)
    return kiln_error_memory();
  if (r->text_of == TEXT_SOURCE) {
    free(r->now.source);
    r->now.source = text;
    r->now.size = size;
  } else {
    bool include = r->text_of == TEXT_INCLUDE;
    struct kiln_recorded_file *file =
        include ? &r->now.includes[r->now.include_count - 1] : &r->now.headers[r->now.header_count - 1];
    free(file->text);
    file->text = text;
    file->size = size;
  }
  r->text_of = TEXT_NONE;
  return KILN_OK;
}

static enum kiln_status begin_file(struct reader *r, bool include, const char *path, size_t size) {
  struct kiln_recorded_file **files = include ? &r->now.includes : &r->now.headers;
  uint32_t *count = include ? &r->now.include_count : &r->now.header_count;
  if (*count == MAX_FILES)
    return wrong(r, "too many files");
  if ((*count & (*count - 1)) == 0) { // full at powers of two
    struct kiln_recorded_file *grown = realloc(*files, (*count ? *count * 2 : 1) * sizeof *grown);
    if (!grown)
      return kiln_error_memory();
    *files = grown;
  }
  char *name = strndup(path, size);
  char *text = calloc(1, 1);
  if (!name || !text) {
    free(name);
    free(text);
    return kiln_error_memory();
  }
  (*files)[(*count)++] = (struct kiln_recorded_file){name, text, 0};
  r->text_of = include ? TEXT_INCLUDE : TEXT_HEADER;
  return KILN_OK;
}

// A file that a record names instead of holding its text; relative to the manifest.
static enum kiln_status read_source_file(struct reader *r) {
  struct kiln_strbuf path = {0};
  const char *slash = strrchr(r->name, '/');
  if (r->file.data[0] != '/' && slash)
    kiln_strbuf_printf(&path, "%.*s/", (int)(slash - r->name), r->name);
  kiln_strbuf_puts(&path, r->file.data);
  if (path.failed)
    return kiln_error_memory();
  int error = kiln_file_read(path.data, &r->now.source, &r->now.size);
  enum kiln_status status = KILN_OK;
  if (error)
    status = kiln_error(error == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_IO, "%s:%u: cannot read '%s': %s", r->name,
                        (unsigned)r->line, path.data, strerrordesc_np(error));
  size_t size = strlen(path.data);
  if (status == KILN_OK && size > 4 && strcmp(path.data + size - 4, ".kir") == 0)
    r->now.kind = KILN_SOURCE_IR_TEXT;
  else if (status == KILN_OK && kiln_is_spirv(r->now.source, r->now.size))
    r->now.kind = KILN_SOURCE_SPIRV;
  if (status == KILN_OK && !r->now.name)
    status = set_text(&r->now.name, path.data, path.size);
  kiln_strbuf_free(&path);
  r->now.open = true;
  return status;
}

static int digit_of(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// A source in SPIR-V stands in a record in hexadecimal. It becomes its bytes, in place.
static enum kiln_status read_bytes(struct reader *r) {
  size_t count = 0;
  int high = -1;
  for (size_t i = 0; i < r->now.size; i++) {
    int digit = digit_of(r->now.source[i]);
    if (digit < 0 && r->now.source[i] != '\n')
      return wrong(r, "a source of the kind spirv has hexadecimal digits alone");
    if (digit < 0)
      continue;
    if (high < 0) {
      high = digit;
      continue;
    }
    r->now.source[count++] = (char)(high << 4 | digit);
    high = -1;
  }
  if (high >= 0 || !count)
    return wrong(r, count ? "the source ends in the middle of a byte" : "the source has no bytes");
  r->now.source[count] = 0;
  r->now.size = count;
  return KILN_OK;
}

// Puts the directives of 'tune' before the source, whose lines keep their numbers.
static enum kiln_status put_tuning(struct reader *r) {
  if (r->now.kind != KILN_SOURCE_OPENCL_C)
    return wrong(r, "'tune' is for sources of the kind opencl-c");
  kiln_strbuf_puts(&r->tuning, "#line 1\n");
  kiln_strbuf_append(&r->tuning, r->now.source, r->now.size);
  size_t size = r->tuning.size;
  char *source = kiln_strbuf_take(&r->tuning);
  if (!source)
    return kiln_error_memory();
  free(r->now.source);
  r->now.source = source;
  r->now.size = size;
  return KILN_OK;
}

static void forget(struct reader *r) {
  free_recorded(&r->now);
  kiln_strbuf_free(&r->text);
  kiln_strbuf_free(&r->options);
  kiln_strbuf_free(&r->file);
  kiln_strbuf_free(&r->tuning);
  free(r->mistake);
  r->mistake = NULL;
  r->inside = r->has_source = r->ended = false;
  r->text_of = TEXT_NONE;
}

static enum kiln_status end_record(struct reader *r) {
  r->ended = true;
  if (r->mistake)
    return kiln_error(KILN_ERR_INVALID, "%s", r->mistake);
  enum kiln_status status = end_text(r);
  if (status == KILN_OK && r->file.data && r->has_source)
    return wrong(r, "a program has either 'source' or 'file'");
  if (status == KILN_OK && r->file.data)
    status = read_source_file(r);
  if (status != KILN_OK)
    return status;
  if (!r->now.source)
    return wrong(r, "the program has no 'source' and no 'file'");
  if (r->has_source && r->now.kind == KILN_SOURCE_SPIRV)
    status = read_bytes(r);
  if (status == KILN_OK && r->tuning.size)
    status = put_tuning(r);
  if (status == KILN_OK && !r->now.name)
    status = set_text(&r->now.name, "<source>", 8);
  if (status == KILN_OK)
    status = set_text(&r->now.options, r->options.data ? r->options.data : "", r->options.size);
  if (status == KILN_OK && !r->now.backend)
    status = set_text(&r->now.backend, "", 0);
  if (status == KILN_OK && !r->now.arch)
    status = set_text(&r->now.arch, "", 0);
  if (status == KILN_OK && !add_recorded(r->list, &r->now))
    status = kiln_error_memory();
  if (status == KILN_OK)
    forget(r);
  return status;
}

// ---- lines ---------------------------------------------------------------------------------------------------------

static enum kiln_status read_target(struct reader *r, struct kiln_str value) {
  const char *blank = memchr(value.data, ' ', value.size);
  size_t size = blank ? (size_t)(blank - value.data) : value.size;
  enum kiln_status status = set_text(&r->now.backend, value.data, size);
  while (size < value.size && value.data[size] == ' ')
    size++;
  return status == KILN_OK ? set_text(&r->now.arch, value.data + size, value.size - size) : status;
}

const char *const kiln_record_kinds[] = {[KILN_SOURCE_OPENCL_C] = "opencl-c",
                                         [KILN_SOURCE_IR_TEXT] = "ir",
                                         [KILN_SOURCE_MODULE] = NULL, // is recorded as text
                                         [KILN_SOURCE_SPIRV] = "spirv"};

static enum kiln_status read_kind(struct reader *r, struct kiln_str value) {
  for (size_t i = 0; i < sizeof kiln_record_kinds / sizeof *kiln_record_kinds; i++) {
    if (!kiln_record_kinds[i] || !kiln_str_eq(value, kiln_str(kiln_record_kinds[i])))
      continue;
    r->now.kind = (enum kiln_source_kind)i;
    return KILN_OK;
  }
  return wrong(r, "'kind' must be opencl-c, ir or spirv");
}

// "RM = 4, 1, 2" is a parameter, "restriction(RM > 1)" a directive.
static enum kiln_status read_tuning(struct reader *r, struct kiln_str value) {
  static const char word[] = "abcdefghijklmnopqrstuvwxyz_";
  size_t size = 0;
  while (size < value.size && strchr(word, value.data[size]) && value.data[size])
    size++;
  bool is_directive = size < value.size && value.data[size] == '(';
  if (memchr(value.data, '\\', value.size) || memchr(value.data, 0, value.size))
    return wrong(r, "'tune' is one line of text without backslashes");
  if (is_directive && !kiln_pp_is_tuning((struct kiln_str){value.data, size}))
    return kiln_error(KILN_ERR_INVALID, "%s:%u: '%.*s' is no directive of '#pragma kernel'", r->name, (unsigned)r->line,
                      (int)(size < 40 ? size : 40), value.data);
  kiln_strbuf_printf(&r->tuning, is_directive ? "#pragma kernel %.*s\n" : "#pragma kernel tune(%.*s)\n",
                     (int)value.size, value.data);
  return r->tuning.failed ? kiln_error_memory() : KILN_OK;
}

static enum kiln_status read_pair(struct reader *r, struct kiln_str key, struct kiln_str value) {
  enum kiln_status status = end_text(r);
  if (status != KILN_OK)
    return status;
  if (kiln_str_eq(key, kiln_str("name")))
    return set_text(&r->now.name, value.data, value.size);
  if (kiln_str_eq(key, kiln_str("kind")))
    return read_kind(r, value);
  if (kiln_str_eq(key, kiln_str("target")))
    return read_target(r, value);
  if (kiln_str_eq(key, kiln_str("include")) || kiln_str_eq(key, kiln_str("header")))
    return begin_file(r, key.data[0] == 'i', value.data, value.size);
  if (kiln_str_eq(key, kiln_str("tune")))
    return read_tuning(r, value);
  if (kiln_str_eq(key, kiln_str("options"))) {
    if (r->options.size)
      kiln_strbuf_putc(&r->options, '\n');
    kiln_strbuf_append(&r->options, value.data, value.size);
    return r->options.failed ? kiln_error_memory() : KILN_OK;
  }
  if (kiln_str_eq(key, kiln_str("file"))) {
    kiln_strbuf_clear(&r->file);
    kiln_strbuf_append(&r->file, value.data, value.size);
    return r->file.failed || !r->file.data ? kiln_error_memory() : value.size ? KILN_OK : wrong(r, "'file' is empty");
  }
  if (kiln_str_eq(key, kiln_str("source"))) {
    r->text_of = TEXT_SOURCE;
    r->has_source = true;
    return KILN_OK;
  }
  return kiln_error(
      KILN_ERR_INVALID,
      "%s:%u: '%.*s' is unknown; a program has name, kind, target, options, tune, header, include, source "
      "or file",
      r->name, (unsigned)r->line, (int)(key.size < 40 ? key.size : 40), key.data);
}

static bool is_word(struct kiln_str line, const char *word) {
  size_t size = strlen(word);
  return line.size >= size && memcmp(line.data, word, size) == 0 && (line.size == size || line.data[size] == ' ');
}

static enum kiln_status read_version(struct reader *r, struct kiln_str line) {
  char number[16] = "";
  size_t size = line.size - strlen("kiln-manifest");
  if (size > 1 && size - 1 < sizeof number)
    memcpy(number, line.data + line.size - (size - 1), size - 1);
  if (atoi(number) == MANIFEST_VERSION)
    return KILN_OK;
  return kiln_error(KILN_ERR_INVALID, "%s:%u: manifest version '%s'; this Kiln reads version %d", r->name,
                    (unsigned)r->line, number, MANIFEST_VERSION);
}

static enum kiln_status read_line(struct reader *r, struct kiln_str line) {
  bool text = line.size && (line.data[0] == '|' || line.data[0] == '>');
  if (text) {
    if (r->mistake)
      return KILN_OK;
    if (r->text_of == TEXT_NONE)
      return r->inside ? wrong(r, "text that belongs to no source, include or header") : KILN_OK;
    kiln_strbuf_append(&r->text, line.data + 1, line.size - 1);
    if (line.data[0] == '|')
      kiln_strbuf_putc(&r->text, '\n');
    return r->text.failed ? kiln_error_memory() : KILN_OK;
  }
  while (line.size && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
    line.size--;
  if (line.size == 0 || line.data[0] == '#')
    return KILN_OK;
  if (is_word(line, "kiln-manifest") || is_word(line, "program")) {
    r->list->damaged += r->inside;
    forget(r);
    r->inside = line.data[0] == 'p';
    return r->inside ? KILN_OK : read_version(r, line);
  }
  if (!r->inside)
    return KILN_OK; // what is left of a record whose beginning is lost
  if (is_word(line, "end"))
    return end_record(r);
  if (r->mistake)
    return KILN_OK;
  const char *colon = memchr(line.data, ':', line.size);
  if (!colon)
    return wrong(r, "expected 'key: value', text after '|', or 'end'");
  struct kiln_str value = {colon + 1, (size_t)(line.data + line.size - colon - 1)};
  while (value.size && *value.data == ' ') {
    value.data++;
    value.size--;
  }
  return read_pair(r, (struct kiln_str){line.data, (size_t)(colon - line.data)}, value);
}

static bool is_manifest(const char *text, size_t size) {
  static const char head[] = "kiln-manifest ";
  size_t first = 0;
  while (first < size && strchr(" \t\r\n", text[first]) && text[first])
    first++;
  return first == size || (size - first > sizeof head - 1 && memcmp(text + first, head, sizeof head - 1) == 0);
}

enum kiln_status kiln_manifest_read(const char *name, const char *text, size_t size, struct kiln_recorded_list *list) {
  struct reader r = {.name = name, .list = list};
  enum kiln_status status = KILN_OK;
  if (!is_manifest(text, size))
    return kiln_error(KILN_ERR_INVALID, "%s:1: it is no manifest: its first line is not 'kiln-manifest %d'", name,
                      MANIFEST_VERSION);
  for (const char *at = text, *end = text + size; at < end && status == KILN_OK;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t line = newline ? (size_t)(newline - at) : (size_t)(end - at);
    r.line++;
    status = read_line(&r, (struct kiln_str){at, line});
    // A record that a killed writer left may stop within any line: only a record with an end can be wrong.
    if (status == KILN_ERR_INVALID && r.inside && !r.ended) {
      r.mistake = strdup(kiln_last_error());
      status = r.mistake ? KILN_OK : kiln_error_memory();
    }
    at += line + (newline != NULL);
  }
  list->damaged += status == KILN_OK && r.inside;
  forget(&r);
  return status;
}

// ---- include files -------------------------------------------------------------------------------------------------

// Takes the next part of a path, without "." and doubled slashes. False at the end.
static bool next_part(const char **path, struct kiln_str *part) {
  do {
    *path += strspn(*path, "/");
    *part = (struct kiln_str){*path, strcspn(*path, "/")};
    *path += part->size;
  } while (part->size == 1 && part->data[0] == '.');
  return part->size != 0;
}

static bool same_path(const char *a, const char *b) {
  if ((*a == '/') != (*b == '/'))
    return false;
  for (;;) {
    struct kiln_str x, y;
    bool more_a = next_part(&a, &x), more_b = next_part(&b, &y);
    if (!more_a || !more_b)
      return more_a == more_b;
    if (!kiln_str_eq(x, y))
      return false;
  }
}

int kiln_recorded_read(void *user, const char *path, const char **text, size_t *size) {
  const struct kiln_recorded *r = user;
  for (uint32_t i = 0; i < r->include_count; i++) {
    if (same_path(r->includes[i].path, path)) {
      *text = r->includes[i].text;
      *size = r->includes[i].size;
      return 0;
    }
  }
  return ENOENT;
}
