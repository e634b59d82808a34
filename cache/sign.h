// Signatures of entries. An entry is code: a process that takes one from a place that others can write to must know who
// made it. A signature is a section of the entry's file (cache/FORMAT.md), so it travels with it: on remotes, in
// bundles, in layers. Making and checking them is done by a module with libsodium, loaded when the first is needed.
#ifndef KILN_CACHE_SIGN_H
#define KILN_CACHE_SIGN_H

#include <sys/stat.h>

#include "base/str.h"

#define KILN_SIGN_ABI 1
#define KILN_SIGN_FILE "kiln-sign.so"
#define KILN_SIGN_SYMBOL "kiln_sign_module"

enum { KILN_SIGN_ID = 8, KILN_SIGN_SIZE = 64, KILN_SIGN_SECRET = 64, KILN_SIGN_PUBLIC = 32 };
enum kiln_sign_kind { KILN_SIGN_SHARED = 1, KILN_SIGN_ED25519 = 2 };

struct kiln_sign_key {
  enum kiln_sign_kind kind;
  bool has_secret;              // can sign
  unsigned char secret[64];     // shared: the first 32 bytes; Ed25519: seed and public key
  unsigned char public_key[32]; // Ed25519
  unsigned char id[KILN_SIGN_ID];
};
struct kiln_sign_module {
  uint32_t abi, struct_size;
  const char *version;
  // Makes a new key.
  bool (*make)(enum kiln_sign_kind kind, struct kiln_sign_key *out);
  // Fills in what follows from secret (Ed25519: its first half) or public key.
  bool (*complete)(struct kiln_sign_key *key);
  // Of the parts, one after the other.
  bool (*sign)(const struct kiln_sign_key *key, const struct kiln_str *parts, int count,
               unsigned char out[KILN_SIGN_SIZE]);
  bool (*verify)(const struct kiln_sign_key *key, const struct kiln_str *parts, int count,
                 const unsigned char signature[KILN_SIGN_SIZE]);
};

// The keys of one file. They are read when they are first needed.
struct kiln_signer;
struct kiln_signer *kiln_signer_new(const char *path); // NULL when memory is exhausted
void kiln_signer_free(struct kiln_signer *signer);     // NULL does nothing
// Why nothing can be signed or checked; NULL: it can.
const char *kiln_signer_problem(struct kiln_signer *signer);
bool kiln_signer_can_sign(struct kiln_signer *signer);
// What an entry's section for a signature holds before it is signed.
struct kiln_str kiln_signer_room(void);
// Signs an entry's file in place, if it has room for a signature.
bool kiln_signer_sign(struct kiln_signer *signer, char *image, size_t size);
// Checks that of an entry's file, which has been decoded. NULL, or what is wrong.
const char *kiln_signer_check(struct kiln_signer *signer, const char *image, size_t size);
// The same file with a signature: malloc'ed, the caller's. False: it cannot be signed.
bool kiln_signer_seal(struct kiln_signer *signer, struct kiln_str image, char **out, size_t *out_size);

// Reads a file that holds a secret: *info is of the file that was read, whatever has its name now. 0 or an errno value.
int kiln_secret_read(const char *path, char **out, size_t *out_size, struct stat *info);

// Writes a new key to a file, and its public half to FILE.pub. NULL, or what went wrong.
const char *kiln_signer_make(const char *path, bool shared);

#endif
