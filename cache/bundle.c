// Bundles. Members are whole cache files, each with its own checksum; index and footer have another. So opening a
// bundle reads its end alone, and a look-up one member.
#include "cache/bundle.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write.h"
#include "cache/format.h"
#include "cache/manifest.h"
#include "cache/tune.h"

enum { BUNDLE_VERSION = 1, ALIGN = 16, CHECKED_TAIL = 24 };
static const char head_magic[8] = {'K', 'I', 'L', 'N', 'b', 'n', 'd', '\n'};
static const char tail_magic[8] = {'K', 'I', 'L', 'N', 'e', 'n', 'd', '\n'};
static const uint64_t max_rows = 1u << 26, max_text = 1u << 24, max_member = 1u << 30;

struct kiln_bundle_row { // little-endian
  uint8_t key[16];
  uint32_t suffix, zero;
  uint64_t offset, size;
};
struct bundle_head {
  char magic[8];
  uint32_t version, zero;
};
struct bundle_footer {
  uint64_t file_size, index, count, text, text_size;
  uint32_t version, zero;
  uint8_t checksum[16]; // of index, text and all of the footer before it
  char magic[8];
};
_Static_assert(sizeof(struct kiln_bundle_row) == 40 && sizeof(struct bundle_head) == 16 &&
                   sizeof(struct bundle_footer) == 72,
               "bundle format");

struct kiln_bundle_include { // one set of includes
  struct kiln_hash128 head;  // key of the manifest that it belongs to
  uint32_t order;
  char *record, *fields; // of the manifest; of the set
  size_t record_size, fields_size;
};

// ---- writing --------------------------------------------------------------------------------------------------------

static void put(struct kiln_bundle_builder *b, const void *data, size_t size) {
  if (b->fd < 0) {
    kiln_strbuf_append(&b->out, data, size);
    b->offset += size;
    b->error = b->out.failed ? ENOMEM : b->error;
    return;
  }
  if (b->error == 0)
    b->error = kiln_write_all(b->fd, data, size);
  b->offset += size;
}

static void pad(struct kiln_bundle_builder *b) {
  static const char zeros[ALIGN];
  put(b, zeros, (size_t)(-b->offset & (ALIGN - 1)));
}

static void begin(struct kiln_bundle_builder *b) {
  if (b->offset == 0) {
    struct bundle_head head = {.version = htole32(BUNDLE_VERSION)};
    memcpy(head.magic, head_magic, sizeof head.magic);
    put(b, &head, sizeof head);
  }
}

static uint32_t slot_of(const struct kiln_bundle_builder *b, const uint8_t key[16], uint32_t suffix) {
  uint32_t at;
  memcpy(&at, key, sizeof at);
  for (;; at++) {
    uint32_t row = b->slots[at & (b->slot_count - 1)];
    if (row == 0 || (memcmp(b->rows[row - 1].key, key, 16) == 0 && le32toh(b->rows[row - 1].suffix) == suffix))
      return at & (b->slot_count - 1);
  }
}

static bool room_for_row(struct kiln_bundle_builder *b) {
  if (b->count == b->capacity) {
    uint32_t capacity = b->capacity ? b->capacity * 2 : 64;
    struct kiln_bundle_row *rows = realloc(b->rows, capacity * sizeof *rows);
    if (!rows)
      return false;
    b->rows = rows;
    b->capacity = capacity;
  }
  if (b->count >= b->slot_count / 2) {
    uint32_t count = b->slot_count ? b->slot_count * 2 : 128;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
      return false;
    free(b->slots);
    b->slots = slots;
    b->slot_count = count;
    for (uint32_t i = 0; i < b->count; i++)
      slots[slot_of(b, b->rows[i].key, le32toh(b->rows[i].suffix))] = i + 1;
  }
  return true;
}

// Adds a file unless one of its name is there. *fresh: it was not.
static bool add_member(struct kiln_bundle_builder *b, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                       struct kiln_str image, bool *fresh) {
  *fresh = false;
  if (!room_for_row(b)) {
    b->error = ENOMEM;
    return false;
  }
  uint32_t slot = slot_of(b, key.bytes, suffix);
  if (b->slots[slot])
    return true;
  begin(b);
  pad(b);
  struct kiln_bundle_row row = {
      .suffix = htole32(suffix), .offset = htole64(b->offset), .size = htole64((uint64_t)image.size)};
  memcpy(row.key, key.bytes, sizeof row.key);
  put(b, image.data, image.size);
  b->rows[b->count++] = row;
  b->slots[slot] = b->count;
  *fresh = true;
  return b->error == 0;
}

static bool add_include(struct kiln_bundle_builder *b, struct kiln_str record, struct kiln_str fields) {
  if (b->include_count == b->include_capacity) {
    uint32_t capacity = b->include_capacity ? b->include_capacity * 2 : 32;
    struct kiln_bundle_include *includes = realloc(b->includes, capacity * sizeof *includes);
    if (!includes)
      return false;
    b->includes = includes;
    b->include_capacity = capacity;
  }
  struct kiln_bundle_include *include = &b->includes[b->include_count];
  *include = (struct kiln_bundle_include){.head = kiln_hash128(record.data, record.size),
                                          .order = b->include_count,
                                          .record = malloc(record.size),
                                          .fields = malloc(fields.size),
                                          .record_size = record.size,
                                          .fields_size = fields.size};
  b->include_count++;
  if (!include->record || !include->fields)
    return false;
  memcpy(include->record, record.data, record.size);
  memcpy(include->fields, fields.data, fields.size);
  return true;
}

static void add_toolchain(struct kiln_bundle_builder *b, const struct kiln_record_parts *parts) {
  char hex[33];
  struct kiln_strbuf line = {0};
  kiln_hash128_hex(parts->toolchain, hex);
  kiln_strbuf_printf(&line, "%s ", hex);
  kiln_record_label(parts, &line);
  kiln_strbuf_putc(&line, '\n');
  if (!line.failed && !(b->toolchains.data && strstr(b->toolchains.data, line.data)))
    kiln_strbuf_puts(&b->toolchains, line.data);
  kiln_strbuf_free(&line);
}

static const char *add_tuning(struct kiln_bundle_builder *b, const struct kiln_file_view *view, struct kiln_str image) {
  struct kiln_tune_key key;
  struct kiln_str text;
  bool fresh;
  const char *defect = kiln_tune_read(view, &key, &text);
  if (!defect && add_member(b, kiln_tune_file(&key).key, KILN_SUFFIX_TUNING, image, &fresh))
    b->tunings += fresh;
  return defect;
}

const char *kiln_bundle_add(struct kiln_bundle_builder *b, struct kiln_str image) {
  struct kiln_file_view view;
  struct kiln_record_parts parts;
  const char *defect = kiln_file_decode(image.data, image.size, KILN_FILE_ANY, &view);
  if (defect)
    return defect;
  if (view.kind == KILN_FILE_TUNING)
    return add_tuning(b, &view, image);
  if (view.kind != KILN_FILE_ENTRY)
    return "it is of another kind";
  struct kiln_str record = view.sections[KILN_SECTION_KEY];
  if (!kiln_record_split(record, &parts))
    return "its key record is malformed";
  bool fresh;
  if (add_member(b, kiln_hash128(record.data, record.size), KILN_SUFFIX_ENTRY, image, &fresh) && fresh) {
    b->entries++;
    add_toolchain(b, &parts);
    if (parts.includes.size != 0 && !add_include(b, parts.head, parts.includes))
      b->error = ENOMEM;
  }
  return NULL;
}

static int by_head(const void *a, const void *b) {
  const struct kiln_bundle_include *x = a, *y = b;
  int order = memcmp(&x->head, &y->head, sizeof x->head);
  return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static bool same_head(const struct kiln_bundle_include *a, const struct kiln_bundle_include *b) {
  return memcmp(&a->head, &b->head, sizeof a->head) == 0;
}

// Writes one manifest of the sets [first, end), which have one head.
static void add_manifest(struct kiln_bundle_builder *b, uint32_t first, uint32_t end) {
  struct kiln_strbuf sets = {0};
  for (uint32_t i = first; i < end; i++)
    kiln_sets_put(&sets, (struct kiln_str){b->includes[i].fields, b->includes[i].fields_size});
  struct kiln_str head = {b->includes[first].record, b->includes[first].record_size};
  char *data;
  size_t size;
  bool fresh;
  if (sets.failed ||
      !kiln_manifest_encode(head, (struct kiln_str){sets.data, sets.size}, (struct kiln_str){0}, &data, &size)) {
    b->error = ENOMEM;
  } else {
    add_member(b, b->includes[first].head, KILN_SUFFIX_MANIFEST, (struct kiln_str){data, size}, &fresh);
    free(data);
  }
  kiln_strbuf_free(&sets);
}

static int by_key(const void *a, const void *b) {
  const struct kiln_bundle_row *x = a, *y = b;
  int order = memcmp(x->key, y->key, sizeof x->key);
  uint32_t of_x = le32toh(x->suffix), of_y = le32toh(y->suffix); // of a bundle that is read: any numbers
  return order ? order : (of_x > of_y) - (of_x < of_y);
}

// Of index, text and the footer before its checksum.
static struct kiln_hash128 tail_checksum(const void *rows, uint64_t count, const char *text, uint64_t text_size,
                                         const struct bundle_footer *footer) {
  struct kiln_hash128 parts[3] = {kiln_hash128(rows, count * sizeof(struct kiln_bundle_row)),
                                  kiln_hash128(text, text_size), kiln_hash128(footer, sizeof *footer - CHECKED_TAIL)};
  return kiln_hash128(parts, sizeof parts);
}

int kiln_bundle_finish(struct kiln_bundle_builder *b, char **out, size_t *size) {
  if (b->include_count != 0)
    qsort(b->includes, b->include_count, sizeof *b->includes, by_head);
  for (uint32_t first = 0, end; first < b->include_count && b->error == 0; first = end) {
    for (end = first + 1; end < b->include_count && same_head(&b->includes[first], &b->includes[end]);)
      end++;
    add_manifest(b, first, end);
  }
  begin(b);
  pad(b);
  if (b->count != 0)
    qsort(b->rows, b->count, sizeof *b->rows, by_key);
  struct bundle_footer footer = {.index = htole64(b->offset),
                                 .count = htole64((uint64_t)b->count),
                                 .text_size = htole64((uint64_t)b->toolchains.size),
                                 .version = htole32(BUNDLE_VERSION)};
  put(b, b->rows, b->count * sizeof *b->rows);
  footer.text = htole64(b->offset);
  put(b, b->toolchains.data, b->toolchains.size);
  footer.file_size = htole64(b->offset + sizeof footer);
  memcpy(footer.magic, tail_magic, sizeof footer.magic);
  struct kiln_hash128 checksum = tail_checksum(b->rows, b->count, b->toolchains.data, b->toolchains.size, &footer);
  memcpy(footer.checksum, checksum.bytes, sizeof footer.checksum);
  put(b, &footer, sizeof footer);
  b->error = b->toolchains.failed ? ENOMEM : b->error;
  if (b->error == 0 && b->fd < 0) {
    *size = b->out.size;
    *out = kiln_strbuf_take(&b->out);
  }
  return b->error;
}

void kiln_bundle_builder_free(struct kiln_bundle_builder *b) {
  for (uint32_t i = 0; i < b->include_count; i++) {
    free(b->includes[i].record);
    free(b->includes[i].fields);
  }
  free(b->includes);
  free(b->rows);
  free(b->slots);
  kiln_strbuf_free(&b->out);
  kiln_strbuf_free(&b->toolchains);
  *b = (struct kiln_bundle_builder){.fd = -1};
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool get(const struct kiln_bundle *b, uint64_t offset, void *out, size_t size) {
  if (offset > b->size || size > b->size - offset)
    return false;
  if (b->fd < 0) {
    if (size != 0)
      memcpy(out, b->data + offset, size);
    return true;
  }
  for (char *to = out; size != 0;) {
    ssize_t got = pread(b->fd, to, size, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

static const char *check_rows(const struct kiln_bundle *b, uint64_t index) {
  for (uint32_t i = 0; i < b->count; i++) {
    const struct kiln_bundle_row *row = &b->rows[i];
    uint64_t offset = le64toh(row->offset), size = le64toh(row->size);
    if (offset > index || size > index - offset || size > max_member)
      return "its index is out of bounds";
    if (i != 0 && by_key(row - 1, row) >= 0)
      return "its index is not in order";
  }
  return NULL;
}

const char kiln_bundle_no_memory[] = "memory is exhausted";

static const char *read_index(struct kiln_bundle *b) {
  struct bundle_head head;
  struct bundle_footer footer;
  if (b->size < sizeof head + sizeof footer || !get(b, 0, &head, sizeof head) ||
      memcmp(head.magic, head_magic, sizeof head.magic) != 0)
    return "it is not a bundle";
  if (le32toh(head.version) != BUNDLE_VERSION)
    return "it is a bundle of another version";
  if (!get(b, b->size - sizeof footer, &footer, sizeof footer))
    return "it cannot be read";
  if (memcmp(footer.magic, tail_magic, sizeof footer.magic) != 0 || le64toh(footer.file_size) != b->size)
    return "its end is missing";
  uint64_t index = le64toh(footer.index), count = le64toh(footer.count), text = le64toh(footer.text),
           text_size = le64toh(footer.text_size), end = b->size - sizeof footer;
  if (le32toh(footer.version) != BUNDLE_VERSION || count > max_rows || text_size > max_text || index > end ||
      count * sizeof *b->rows > end - index || text != index + count * sizeof *b->rows || text_size != end - text)
    return "its parts do not fit";
  b->count = (uint32_t)count;
  b->rows = malloc(count * sizeof *b->rows + 1);
  b->toolchains = malloc(text_size + 1);
  if (!b->rows || !b->toolchains)
    return kiln_bundle_no_memory;
  if (!get(b, index, b->rows, count * sizeof *b->rows) || !get(b, text, b->toolchains, text_size))
    return "it cannot be read";
  b->toolchains[text_size] = '\0';
  struct kiln_hash128 checksum = tail_checksum(b->rows, count, b->toolchains, text_size, &footer);
  if (memcmp(checksum.bytes, footer.checksum, sizeof footer.checksum) != 0)
    return "the checksum of its index is wrong";
  return check_rows(b, index);
}

static const char *open_bundle(struct kiln_bundle start, struct kiln_bundle **out) {
  struct kiln_bundle *b = malloc(sizeof *b);
  if (!b) {
    free(start.owned);
    return kiln_bundle_no_memory;
  }
  *b = start;
  const char *defect = read_index(b);
  if (defect) {
    b->fd = -1; // stays the caller's
    kiln_bundle_close(b);
    return defect;
  }
  *out = b;
  return NULL;
}

const char *kiln_bundle_open_file(int fd, uint64_t size, struct kiln_bundle **out) {
  return open_bundle((struct kiln_bundle){.fd = fd, .size = size}, out);
}

const char *kiln_bundle_open_memory(const void *data, size_t size, bool copy, struct kiln_bundle **out) {
  char *owned = copy ? malloc(size + 1) : NULL;
  if (copy && !owned)
    return kiln_bundle_no_memory;
  if (copy) {
    memcpy(owned, data, size);
    data = owned;
  }
  return open_bundle((struct kiln_bundle){.fd = -1, .data = data, .owned = owned, .size = size}, out);
}

void kiln_bundle_close(struct kiln_bundle *b) {
  if (!b)
    return;
  if (b->fd >= 0)
    close(b->fd);
  free(b->owned);
  free(b->rows);
  free(b->toolchains);
  free(b);
}

static const struct kiln_bundle_row *find_row(const struct kiln_bundle *b, struct kiln_file_id id) {
  struct kiln_bundle_row wanted = {.suffix = htole32(id.suffix)};
  memcpy(wanted.key, id.key.bytes, sizeof wanted.key);
  return b->count ? bsearch(&wanted, b->rows, b->count, sizeof *b->rows, by_key) : NULL;
}

bool kiln_bundle_read(struct kiln_bundle *b, struct kiln_file_id id, char **out, size_t *size) {
  const struct kiln_bundle_row *row = find_row(b, id);
  errno = ENOENT;
  if (!row)
    return false;
  *size = le64toh(row->size);
  *out = malloc(*size + 1);
  if (*out && !get(b, le64toh(row->offset), *out, *size)) {
    free(*out);
    *out = NULL;
    errno = EIO;
  }
  return *out != NULL;
}

bool kiln_bundle_read_part(struct kiln_bundle *b, struct kiln_file_id id, uint64_t offset, void *out, size_t size) {
  const struct kiln_bundle_row *row = find_row(b, id);
  return row && offset <= le64toh(row->size) && size <= le64toh(row->size) - offset &&
         get(b, le64toh(row->offset) + offset, out, size);
}

void kiln_bundle_walk(struct kiln_bundle *b, kiln_walk_fn *fn, void *user) {
  struct stat info;
  int64_t used = b->fd >= 0 && fstat(b->fd, &info) == 0 ? kiln_time_ns(info.st_mtim) : 0;
  for (uint32_t i = 0; i < b->count; i++) {
    struct kiln_stored file = {.size = le64toh(b->rows[i].size), .used = used};
    uint32_t suffix = le32toh(b->rows[i].suffix);
    memcpy(file.id.key.bytes, b->rows[i].key, sizeof file.id.key.bytes);
    file.id.suffix = (enum kiln_store_suffix)suffix;
    if (suffix < KILN_SUFFIXES && !fn(user, &file)) // a kind that is not known here is passed over
      return;
  }
}
