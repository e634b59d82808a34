// Writes and reads the container of entries, manifests and tuning records. Everything is checked against the checksum
// first, and then all the same: a file that a fault or a stranger made must never be more than a miss.
#include "cache/format.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'K', 'I', 'L', 'N', 'c', 'a', 'c', '\n'};

struct footer { // little-endian, at the end of the file
  uint64_t file_size, artifact_size, directory;
  uint32_t section_count, kind, version, zero;
  uint8_t checksum[16]; // of all that is before it
  char magic[8];
};
struct row { // of the directory
  uint32_t tag, zero;
  uint64_t offset, size;
};
enum { ALIGN = 16, CHECKED_TAIL = 24 /* bytes after what the checksum covers */ };

// Indexed by section; never reuse a tag.
static const char tags[KILN_FILE_SECTIONS][4] = {
    [KILN_SECTION_KEY] = {'k', 'e', 'y', ' '},    [KILN_SECTION_REFLECTION] = {'r', 'e', 'f', 'l'},
    [KILN_SECTION_META] = {'m', 'e', 't', 'a'},   [KILN_SECTION_RESOURCES] = {'r', 's', 'r', 'c'},
    [KILN_SECTION_IR] = {'k', 'i', 'r', ' '},     [KILN_SECTION_WARNINGS] = {'w', 'a', 'r', 'n'},
    [KILN_SECTION_DEVICE] = {'d', 'e', 'v', 'c'}, [KILN_SECTION_MADE] = {'m', 'a', 'd', 'e'},
    [KILN_FILE_SETS] = {'s', 'e', 't', 's'},      [KILN_FILE_SIGNATURE] = {'s', 'i', 'g', 'n'},
    [KILN_FILE_TUNED] = {'t', 'u', 'n', 'e'},
};

_Static_assert(sizeof(struct footer) == 64 && sizeof(struct row) == 24, "file format");

static uint64_t align_up(uint64_t offset) { return (offset + ALIGN - 1) & ~(uint64_t)(ALIGN - 1); }

bool kiln_file_encode(const struct kiln_file_view *view, char **out, size_t *out_size) {
  struct row rows[KILN_FILE_SECTIONS];
  uint32_t count = 0;
  uint64_t end = view->artifact.size;
  for (int i = 0; i < KILN_FILE_SECTIONS; i++) {
    if (view->sections[i].data) {
      uint64_t offset = align_up(end), size = view->sections[i].size;
      rows[count] = (struct row){.offset = htole64(offset), .size = htole64(size)};
      memcpy(&rows[count++].tag, tags[i], 4);
      end = offset + size;
    }
  }
  uint64_t directory = align_up(end);
  uint64_t size = directory + count * sizeof *rows + sizeof(struct footer);
  char *data = malloc(size);
  if (!data)
    return false;
  uint64_t at = view->artifact.size;
  if (at != 0)
    memcpy(data, view->artifact.data, at);
  for (int i = 0; i < KILN_FILE_SECTIONS; i++) {
    if (view->sections[i].data) {
      uint64_t offset = align_up(at);
      memset(data + at, 0, offset - at);
      memcpy(data + offset, view->sections[i].data, view->sections[i].size);
      at = offset + view->sections[i].size;
    }
  }
  memset(data + at, 0, directory - at);
  memcpy(data + directory, rows, count * sizeof *rows);
  struct footer footer = {
      .file_size = htole64(size),
      .artifact_size = htole64((uint64_t)view->artifact.size),
      .directory = htole64(directory),
      .section_count = htole32(count),
      .kind = htole32((uint32_t)view->kind),
      .version = htole32(KILN_CACHE_FORMAT),
  };
  memcpy(footer.magic, magic, sizeof magic);
  memcpy(data + size - sizeof footer, &footer, sizeof footer);
  kiln_file_set_checksum(data, size);
  *out = data;
  *out_size = size;
  return true;
}

void kiln_file_set_checksum(char *data, size_t size) {
  struct kiln_hash128 checksum = kiln_hash128(data, size - CHECKED_TAIL);
  memcpy(data + size - CHECKED_TAIL, checksum.bytes, sizeof checksum.bytes);
}

static const char *decode_directory(const char *data, uint64_t directory, uint32_t count, uint64_t artifact_size,
                                    struct kiln_file_view *view) {
  for (uint32_t i = 0; i < count; i++) {
    struct row row;
    memcpy(&row, data + directory + i * sizeof row, sizeof row);
    uint64_t offset = le64toh(row.offset), size = le64toh(row.size);
    if (offset % ALIGN != 0 || offset < artifact_size || offset > directory || size > directory - offset)
      return "a section is out of bounds";
    for (int j = 0; j < KILN_FILE_SECTIONS; j++) { // one that is not known here is passed over
      if (memcmp(&row.tag, tags[j], 4) == 0) {
        if (view->sections[j].data)
          return "a section is there twice";
        view->sections[j] = (struct kiln_str){data + offset, size};
      }
    }
  }
  return view->sections[KILN_SECTION_KEY].data ? NULL : "the key record is missing";
}

const char *kiln_file_decode(const char *data, size_t size, enum kiln_file_kind kind, struct kiln_file_view *view) {
  struct footer footer;
  if (size < sizeof footer)
    return "it is too short";
  memcpy(&footer, data + size - sizeof footer, sizeof footer);
  if (memcmp(footer.magic, magic, sizeof magic) != 0)
    return "it does not end like a cache file";
  if (le64toh(footer.file_size) != size)
    return "its size is not what it says";
  if (le32toh(footer.version) != KILN_CACHE_FORMAT)
    return "it has another format version";
  struct kiln_hash128 checksum = kiln_hash128(data, size - CHECKED_TAIL);
  if (memcmp(footer.checksum, checksum.bytes, sizeof checksum.bytes) != 0)
    return "its checksum is wrong";
  uint32_t found = le32toh(footer.kind);
  if (kind == KILN_FILE_ANY ? found < KILN_FILE_ENTRY || found > KILN_FILE_TUNING : found != (uint32_t)kind)
    return "it is of another kind";
  uint64_t artifact_size = le64toh(footer.artifact_size), directory = le64toh(footer.directory);
  uint64_t count = le32toh(footer.section_count), end = size - sizeof footer;
  if (directory % ALIGN != 0 || directory > end || count * sizeof(struct row) != end - directory ||
      artifact_size > directory)
    return "its parts do not fit";
  *view = (struct kiln_file_view){.kind = (enum kiln_file_kind)found, .artifact = {data, artifact_size}};
  return decode_directory(data, directory, (uint32_t)count, artifact_size, view);
}

const char *kiln_file_peek(kiln_file_part_fn *read, void *user, uint64_t size, enum kiln_file_kind kind,
                           struct kiln_file_view *view, char **storage) {
  struct footer footer;
  *storage = NULL;
  if (size < sizeof footer || !read(user, size - sizeof footer, &footer, sizeof footer))
    return "it is too short";
  uint64_t artifact_size = le64toh(footer.artifact_size), directory = le64toh(footer.directory);
  uint64_t count = le32toh(footer.section_count), end = size - sizeof footer;
  if (memcmp(footer.magic, magic, sizeof magic) != 0 || le64toh(footer.file_size) != size ||
      le32toh(footer.version) != KILN_CACHE_FORMAT || le32toh(footer.kind) != (uint32_t)kind)
    return "it does not end like such a file";
  if (directory % ALIGN != 0 || directory > end || count * sizeof(struct row) != end - directory ||
      artifact_size > directory)
    return "its parts do not fit";
  // After the artifact, as far as alignment is concerned as if the file began there.
  uint64_t skip = artifact_size & ~(uint64_t)(ALIGN - 1);
  *storage = malloc(end - skip + 1);
  if (!*storage || !read(user, skip, *storage, end - skip))
    return "it cannot be read";
  *view = (struct kiln_file_view){.kind = kind};
  for (uint64_t i = 0; i < count; i++) { // offsets that are too small to be after the artifact become huge
    char *row = *storage + (directory - skip) + i * sizeof(struct row) + offsetof(struct row, offset);
    uint64_t offset;
    memcpy(&offset, row, sizeof offset);
    offset = htole64(le64toh(offset) - skip);
    memcpy(row, &offset, sizeof offset);
  }
  const char *defect = decode_directory(*storage, directory - skip, (uint32_t)count, artifact_size - skip, view);
  view->artifact = (struct kiln_str){NULL, artifact_size};
  return defect;
}
