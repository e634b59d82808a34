// Keys and signatures: reads the file with the keys, finds the place of a signature in an entry.
#include "cache/sign.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/trust.h"
#include "cache/format.h"
#include "cache/modules.h"

enum { MAX_KEYS = 16, CHECKED_TAIL = 24 };

struct signature { // the section
  uint32_t kind, zero;
  unsigned char id[KILN_SIGN_ID], bytes[KILN_SIGN_SIZE];
};
_Static_assert(sizeof(struct signature) == 80, "file format");

static const struct {
  const char *name;
  enum kiln_sign_kind kind;
  bool secret;
} words[] = {{"shared", KILN_SIGN_SHARED, true},
             {"ed25519-secret", KILN_SIGN_ED25519, true},
             {"ed25519-public", KILN_SIGN_ED25519, false}};

struct kiln_signer {
  char *path;
  pthread_mutex_t mutex; // over all below until ready
  bool ready;
  const struct kiln_sign_module *module;
  struct kiln_sign_key keys[MAX_KEYS];
  uint32_t count;
  char problem[300]; // "": none
};

struct kiln_signer *kiln_signer_new(const char *path) {
  struct kiln_signer *signer = calloc(1, sizeof *signer);
  char *copy = strdup(path);
  if (!signer || !copy) {
    free(signer);
    free(copy);
    return NULL;
  }
  signer->path = copy;
  pthread_mutex_init(&signer->mutex, NULL);
  return signer;
}

void kiln_signer_free(struct kiln_signer *signer) {
  if (signer) {
    pthread_mutex_destroy(&signer->mutex);
    explicit_bzero(signer->keys, sizeof signer->keys);
    free(signer->path);
    free(signer);
  }
}

// ---- the file -------------------------------------------------------------------------------------------------------

int kiln_secret_read(const char *path, char **out, size_t *out_size, struct stat *info) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return errno;
  int error = fstat(fd, info) != 0 ? errno : kiln_file_read_fd(fd, out, out_size);
  close(fd);
  return error;
}

static bool read_hex(const char *text, size_t size, unsigned char *out, size_t out_size) {
  if (size != out_size * 2 || strspn(text, "0123456789abcdefABCDEF") < size)
    return false;
  for (size_t i = 0; i < out_size; i++) {
    char digits[3] = {text[i * 2], text[i * 2 + 1], 0};
    out[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return true;
}

// "kiln-key KIND HEX": 32 bytes each.
static bool read_key(const struct kiln_sign_module *module, const char *line, size_t size, struct kiln_sign_key *out) {
  char kind[32], hex[80], text[160];
  *out = (struct kiln_sign_key){0};
  if (size >= sizeof text)
    return false;
  memcpy(text, line, size);
  text[size] = '\0';
  bool ok = false;
  if (sscanf(text, "kiln-key %31s %79s", kind, hex) == 2) {
    for (size_t i = 0; i < sizeof words / sizeof *words && !ok; i++) {
      out->kind = words[i].kind;
      out->has_secret = words[i].secret;
      ok = strcmp(kind, words[i].name) == 0 &&
           read_hex(hex, strlen(hex), words[i].secret ? out->secret : out->public_key, 32) && module->complete(out);
    }
  }
  explicit_bzero(text, sizeof text);
  explicit_bzero(hex, sizeof hex);
  return ok;
}

static void set_problem(struct kiln_signer *signer, const char *reason) {
  snprintf(signer->problem, sizeof signer->problem, "COMPILE_CACHE_KEY: '%.120s' cannot be used: %s", signer->path,
           reason);
}

static void read_keys(struct kiln_signer *signer, const char *text) {
  while (*text) {
    size_t size = strcspn(text, "\n");
    bool blank = strspn(text, " \t\r") >= size || *text == '#';
    if (!blank && signer->count == MAX_KEYS)
      set_problem(signer, "it has more than 16 keys");
    else if (!blank && !read_key(signer->module, text, size, &signer->keys[signer->count++]))
      set_problem(signer, "a line is none of 'kiln-key shared|ed25519-secret|ed25519-public' and 64 digits");
    text += size + (text[size] == '\n');
  }
  if (signer->count == 0)
    set_problem(signer, "it has no key");
}

static void prepare(struct kiln_signer *signer) {
  char reason[256];
  signer->module =
      kiln_module_load(KILN_SIGN_FILE, KILN_SIGN_SYMBOL, KILN_SIGN_ABI, sizeof *signer->module, reason, sizeof reason);
  if (!signer->module) {
    snprintf(signer->problem, sizeof signer->problem, "nothing can be signed or checked: %s", reason);
    return;
  }
  struct stat info;
  char *text;
  size_t size;
  int error = kiln_secret_read(signer->path, &text, &size, &info);
  if (error != 0) {
    set_problem(signer, strerrordesc_np(error));
    return;
  }
  read_keys(signer, text);
  bool secret = false;
  for (uint32_t i = 0; i < signer->count; i++)
    secret |= signer->keys[i].has_secret;
  const char *defect = kiln_distrust(&(struct kiln_trust){.user_count = 0}, &info);
  if (!defect && secret && info.st_mode & S_IRWXO)
    defect = "it holds a secret and everybody can read it";
  if (defect)
    set_problem(signer, defect);
  explicit_bzero(text, size);
  free(text);
}

const char *kiln_signer_problem(struct kiln_signer *signer) {
  pthread_mutex_lock(&signer->mutex);
  if (!signer->ready) {
    prepare(signer);
    signer->ready = true;
  }
  pthread_mutex_unlock(&signer->mutex);
  return *signer->problem ? signer->problem : NULL;
}

// ---- signatures -----------------------------------------------------------------------------------------------------

// What a signature is of: the whole file but for the signature and the checksum.
static int parts_of(const char *image, size_t size, size_t at, struct kiln_str parts[3]) {
  parts[0] = kiln_str("kiln entry 1\n");
  parts[1] = (struct kiln_str){image, at};
  parts[2] = (struct kiln_str){image + at + KILN_SIGN_SIZE, size - CHECKED_TAIL - at - KILN_SIGN_SIZE};
  return 3;
}

// Where the section lies. False: there is none.
static bool find_section(const char *image, size_t size, size_t *at, const char **defect) {
  struct kiln_file_view view;
  *defect = kiln_file_decode(image, size, KILN_FILE_ANY, &view);
  if (*defect || view.sections[KILN_FILE_SIGNATURE].size != sizeof(struct signature))
    return false;
  *at = (size_t)(view.sections[KILN_FILE_SIGNATURE].data - image);
  return true;
}

static const struct kiln_sign_key *signing_key(const struct kiln_signer *signer) {
  for (uint32_t i = 0; i < signer->count; i++)
    if (signer->keys[i].has_secret)
      return &signer->keys[i];
  return NULL;
}

bool kiln_signer_can_sign(struct kiln_signer *signer) { return !kiln_signer_problem(signer) && signing_key(signer); }

bool kiln_signer_sign(struct kiln_signer *signer, char *image, size_t size) {
  const char *defect;
  size_t at;
  if (!kiln_signer_can_sign(signer) || !find_section(image, size, &at, &defect))
    return false;
  const struct kiln_sign_key *key = signing_key(signer);
  struct signature signature = {.kind = htole32(key->kind)};
  memcpy(signature.id, key->id, sizeof signature.id);
  memcpy(image + at, &signature, sizeof signature);
  struct kiln_str parts[3];
  int count = parts_of(image, size, at + offsetof(struct signature, bytes), parts);
  if (!signer->module->sign(key, parts, count, signature.bytes))
    return false;
  memcpy(image + at, &signature, sizeof signature);
  kiln_file_set_checksum(image, size);
  return true;
}

const char *kiln_signer_check(struct kiln_signer *signer, const char *image, size_t size) {
  const char *defect = kiln_signer_problem(signer);
  struct signature signature;
  size_t at;
  if (defect)
    return defect;
  if (!find_section(image, size, &at, &defect))
    return defect ? defect : "it is not signed";
  memcpy(&signature, image + at, sizeof signature);
  struct kiln_str parts[3];
  int count = parts_of(image, size, at + offsetof(struct signature, bytes), parts);
  bool known = false;
  for (uint32_t i = 0; i < signer->count; i++) {
    const struct kiln_sign_key *key = &signer->keys[i];
    if (le32toh(signature.kind) == (uint32_t)key->kind && memcmp(signature.id, key->id, sizeof key->id) == 0) {
      known = true;
      if (signer->module->verify(key, parts, count, signature.bytes))
        return NULL;
    }
  }
  return known ? "its signature is wrong" : "it is signed with a key that is not in COMPILE_CACHE_KEY";
}

struct kiln_str kiln_signer_room(void) {
  static const char zeros[sizeof(struct signature)];
  return (struct kiln_str){zeros, sizeof zeros};
}

bool kiln_signer_seal(struct kiln_signer *signer, struct kiln_str image, char **out, size_t *out_size) {
  struct kiln_file_view view;
  if (kiln_file_decode(image.data, image.size, KILN_FILE_ANY, &view))
    return false;
  view.sections[KILN_FILE_SIGNATURE] = kiln_signer_room();
  if (!kiln_file_encode(&view, out, out_size))
    return false;
  if (!kiln_signer_sign(signer, *out, *out_size)) {
    free(*out);
    *out = NULL;
    return false;
  }
  return true;
}

// ---- new keys -------------------------------------------------------------------------------------------------------

static int write_key(const char *path, const char *kind, const unsigned char *bytes, bool secret) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_printf(&text, "kiln-key %s ", kind);
  for (int i = 0; i < 32; i++)
    kiln_strbuf_printf(&text, "%02x", bytes[i]);
  kiln_strbuf_putc(&text, '\n');
  int error = text.failed ? ENOMEM : kiln_file_write_private(path, text.data, text.size);
  if (error == 0 && !secret && chmod(path, 0644) != 0)
    error = errno;
  if (!text.failed)
    explicit_bzero(text.data, text.size);
  kiln_strbuf_free(&text);
  return error;
}

const char *kiln_signer_make(const char *path, bool shared) {
  static _Thread_local char problem[300];
  char public_path[4096];
  struct kiln_sign_key key;
  const struct kiln_sign_module *module =
      kiln_module_load(KILN_SIGN_FILE, KILN_SIGN_SYMBOL, KILN_SIGN_ABI, sizeof *module, problem, sizeof problem);
  if (!module)
    return problem;
  if (snprintf(public_path, sizeof public_path, "%s.pub", path) >= (int)sizeof public_path)
    return "the path is too long";
  if (access(path, F_OK) == 0)
    return "it exists: a key that is lost cannot be had again";
  if (!module->make(shared ? KILN_SIGN_SHARED : KILN_SIGN_ED25519, &key))
    return "no random numbers can be had";
  int error = write_key(path, shared ? "shared" : "ed25519-secret", key.secret, true);
  if (error == 0 && !shared)
    error = write_key(public_path, "ed25519-public", key.public_key, false);
  explicit_bzero(&key, sizeof key);
  return error ? strerrordesc_np(error) : NULL;
}
