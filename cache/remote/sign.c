// The module kiln-sign.so: signatures with libsodium. A shared secret: keyed BLAKE2b. A key pair: Ed25519 of the
// BLAKE2b hash.
#include "cache/sign.h"

#include <sodium.h>

_Static_assert(crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_SECRETKEYBYTES == 64 && crypto_sign_BYTES == 64 &&
                   crypto_sign_SEEDBYTES == 32,
               "sizes in cache/sign.h");
enum { HASH = 32 };

static void hash(const struct kiln_str *parts, int count, const unsigned char *key, unsigned char out[HASH]) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, key, key ? 32 : 0, HASH);
  for (int i = 0; i < count; i++)
    crypto_generichash_update(&state, (const unsigned char *)parts[i].data, parts[i].size);
  crypto_generichash_final(&state, out, HASH);
}

static bool complete(struct kiln_sign_key *key) {
  static const struct kiln_str name = {"kiln key id 1\n", 14};
  unsigned char digest[HASH];
  if (key->kind == KILN_SIGN_SHARED) { // the id tells nothing of the secret
    hash(&name, 1, key->secret, digest);
  } else {
    if (key->has_secret) {
      unsigned char seed[32];
      memcpy(seed, key->secret, sizeof seed);
      crypto_sign_seed_keypair(key->public_key, key->secret, seed);
      sodium_memzero(seed, sizeof seed);
    }
    struct kiln_str parts[] = {name, {(const char *)key->public_key, sizeof key->public_key}};
    hash(parts, 2, NULL, digest);
  }
  memcpy(key->id, digest, sizeof key->id);
  return true;
}

static bool make(enum kiln_sign_kind kind, struct kiln_sign_key *out) {
  *out = (struct kiln_sign_key){.kind = kind, .has_secret = true};
  randombytes_buf(out->secret, 32);
  return complete(out);
}

static bool sign(const struct kiln_sign_key *key, const struct kiln_str *parts, int count,
                 unsigned char out[KILN_SIGN_SIZE]) {
  unsigned char digest[HASH];
  memset(out, 0, KILN_SIGN_SIZE);
  if (key->kind == KILN_SIGN_SHARED) {
    hash(parts, count, key->secret, out);
    return true;
  }
  hash(parts, count, NULL, digest);
  return crypto_sign_detached(out, NULL, digest, sizeof digest, key->secret) == 0;
}

static bool verify(const struct kiln_sign_key *key, const struct kiln_str *parts, int count,
                   const unsigned char signature[KILN_SIGN_SIZE]) {
  unsigned char digest[HASH];
  if (key->kind == KILN_SIGN_SHARED) {
    hash(parts, count, key->secret, digest);
    return sodium_memcmp(digest, signature, HASH) == 0 && sodium_is_zero(signature + HASH, KILN_SIGN_SIZE - HASH);
  }
  hash(parts, count, NULL, digest);
  return crypto_sign_verify_detached(signature, digest, sizeof digest, key->public_key) == 0;
}

__attribute__((visibility("default"))) const struct kiln_sign_module *kiln_sign_module(void);
const struct kiln_sign_module *kiln_sign_module(void) {
  static const struct kiln_sign_module module = {KILN_SIGN_ABI, sizeof module, KILN_BUILD_VERSION, make, complete,
                                                 sign,          verify};
  return sodium_init() < 0 ? NULL : &module;
}
