#include "jit/spirv/text.h"

void kiln_spv_put_bytes(struct kiln_spv_text *text, const char *bytes, size_t size) {
  if (!size) // bytes may be NULL then
    return;
  if (text->capacity - text->size < size) {
    size_t capacity = text->capacity + text->capacity / 2 + size + 64;
    text->data = (char *)kiln_arena_grow(text->arena, text->data, text->capacity, capacity, 1);
    text->capacity = capacity;
  }
  memcpy(text->data + text->size, bytes, size);
  text->size += size;
}

void kiln_spv_put(struct kiln_spv_text *text, const char *string) { kiln_spv_put_bytes(text, string, strlen(string)); }

void kiln_spv_put_char(struct kiln_spv_text *text, char c) { kiln_spv_put_bytes(text, &c, 1); }

void kiln_spv_put_number(struct kiln_spv_text *text, uint32_t number) {
  char digits[10];
  unsigned at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  kiln_spv_put_bytes(text, digits + at, sizeof digits - at);
}
