// XXH3 from the system's xxHash, compiled in: the loader then has one library less to find on a warm start.
#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static struct kiln_hash128 canonical(XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  struct kiln_hash128 result;
  memcpy(result.bytes, bytes.digest, sizeof result.bytes);
  return result;
}

struct kiln_hash128 kiln_hash128(const void *data, size_t size) {
  return canonical(XXH3_128bits(size ? data : "", size));
}

uint64_t kiln_hash64(const void *data, size_t size) { return XXH3_64bits(size ? data : "", size); }

void kiln_hash128_hex(struct kiln_hash128 hash, char out[33]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 16; i++) {
    out[2 * i] = digits[hash.bytes[i] >> 4];
    out[2 * i + 1] = digits[hash.bytes[i] & 15];
  }
  out[32] = '\0';
}
