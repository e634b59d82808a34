// 128-bit XXH3 over anything, in one go or in pieces.
#ifndef KILN_BASE_HASH_H
#define KILN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct kiln_hash128 {
  uint8_t bytes[16]; // canonical (big-endian) form
};
struct kiln_hash128 kiln_hash128(const void *data, size_t size);
uint64_t kiln_hash64(const void *data, size_t size);
// 32 lower-case digits and a NUL.
void kiln_hash128_hex(struct kiln_hash128 hash, char out[33]);

#endif
