// Text that grows in an arena, so that a jump out of the reader leaves nothing behind.
#ifndef KILN_JIT_SPIRV_TEXT_H
#define KILN_JIT_SPIRV_TEXT_H

#include "base/arena.h"

struct kiln_spv_text { // zero but for arena: empty
  struct kiln_arena *arena;
  char *data;
  size_t size, capacity;
};

void kiln_spv_put_bytes(struct kiln_spv_text *text, const char *bytes, size_t size);
void kiln_spv_put(struct kiln_spv_text *text, const char *string);
void kiln_spv_put_char(struct kiln_spv_text *text, char c);
void kiln_spv_put_number(struct kiln_spv_text *text, uint32_t number);

#endif
