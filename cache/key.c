// Key records: fields with lengths, one after the other.
//   field = name size (u32) name data size (u64) data, numbers little-endian
#include "cache/cache.h"

#include <endian.h>
#include <string.h>

#include "cache/manifest.h"

void kiln_key_free(struct kiln_key *key) { kiln_strbuf_free(&key->record); }

void kiln_key_add(struct kiln_key *key, const char *name, const void *data, size_t size) {
  size_t name_size = strlen(name);
  uint32_t name_le = htole32((uint32_t)name_size);
  uint64_t size_le = htole64((uint64_t)size);
  kiln_strbuf_append(&key->record, &name_le, sizeof name_le);
  kiln_strbuf_append(&key->record, name, name_size);
  kiln_strbuf_append(&key->record, &size_le, sizeof size_le);
  kiln_strbuf_append(&key->record, data, size);
}

void kiln_key_add_text(struct kiln_key *key, const char *name, const char *text) {
  kiln_key_add(key, name, text, strlen(text));
}

void kiln_key_add_u64(struct kiln_key *key, const char *name, uint64_t value) {
  value = htole64(value);
  kiln_key_add(key, name, &value, sizeof value);
}

bool kiln_key_next(struct kiln_str record, size_t *cursor, struct kiln_key_field *out) {
  size_t at = *cursor, left = record.size - at;
  uint32_t name_size;
  uint64_t size;
  if (at >= record.size || left < sizeof name_size)
    return false;
  memcpy(&name_size, record.data + at, sizeof name_size);
  name_size = le32toh(name_size);
  at += sizeof name_size, left -= sizeof name_size;
  if (left < name_size || left - name_size < sizeof size)
    return false;
  out->name = (struct kiln_str){record.data + at, name_size};
  at += name_size, left -= name_size;
  memcpy(&size, record.data + at, sizeof size);
  size = le64toh(size);
  at += sizeof size, left -= sizeof size;
  if (left < size)
    return false;
  out->data = (struct kiln_str){record.data + at, size};
  *cursor = at + size;
  return true;
}

static bool is_field(struct kiln_str name, const char *text) { return kiln_str_eq(name, kiln_str(text)); }

bool kiln_record_split(struct kiln_str record, struct kiln_record_parts *out) {
  struct kiln_key_field field;
  size_t cursor = 0;
  *out = (struct kiln_record_parts){0};
  while (kiln_key_next(record, &cursor, &field)) {
    if (out->head.size != 0)
      continue; // what follows are includes
    if (is_field(field.name, "backend")) {
      out->backend = field.data;
    } else if (is_field(field.name, "arch")) {
      out->arch = field.data;
    } else if (is_field(field.name, "features")) {
      out->features = field.data;
    } else if (is_field(field.name, "toolchain") && field.data.size == sizeof out->toolchain.bytes) {
      memcpy(out->toolchain.bytes, field.data.data, field.data.size);
      out->head = (struct kiln_str){record.data, cursor};
      out->includes = (struct kiln_str){record.data + cursor, record.size - cursor};
    }
  }
  return cursor == record.size && out->head.size != 0;
}

void kiln_record_label(const struct kiln_record_parts *parts, struct kiln_strbuf *out) {
  struct kiln_str words[] = {parts->backend, parts->arch, parts->features};
  for (int i = 0; i < 3; i++) {
    if (i != 0 && words[i].size != 0)
      kiln_strbuf_putc(out, ' ');
    for (size_t k = 0; k < words[i].size; k++) { // it is one line of text
      unsigned char c = (unsigned char)words[i].data[k];
      kiln_strbuf_putc(out, c < ' ' || c == 127 ? '_' : (char)c);
    }
  }
}
