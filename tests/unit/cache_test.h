// What the tests of the cache share: a folder of their own, and a compile that is only pretended.
#ifndef KILN_TESTS_UNIT_CACHE_TEST_H
#define KILN_TESTS_UNIT_CACHE_TEST_H

#include <criterion/criterion.h>
#include <errno.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/cache.h"

static char test_root[64];          // holds everything
static char test_dir[128];          // the cache
static atomic_int test_log_lines;   // since setup
static char test_log_text[4][1024]; // the last ones

static inline void test_log(void *user, bool warning, const char *message) {
  (void)user, (void)warning;
  int line = atomic_fetch_add(&test_log_lines, 1);
  snprintf(test_log_text[line & 3], sizeof test_log_text[0], "%s", message);
}

static inline void test_setup(void) {
  strcpy(test_root, "/tmp/kiln-cache-XXXXXX");
  cr_assert(mkdtemp(test_root) != NULL);
  snprintf(test_dir, sizeof test_dir, "%s/cache", test_root);
}

static inline int test_remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info, (void)type, (void)where;
  return remove(path);
}
static inline void test_teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "chmod -R u+rwx '%s' 2>/dev/null", test_root);
  (void)!system(command);
  nftw(test_root, test_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *test_path(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", test_root, name);
  return path;
}

static inline struct kiln_cache *test_open_mode(enum kiln_cache_mode mode) {
  struct kiln_cache_config config = {.dir = test_dir, .mode = mode, .log = test_log};
  struct kiln_cache *cache = kiln_cache_open(&config);
  cr_assert(cache != NULL);
  return cache;
}
static inline struct kiln_cache *test_open(void) { return test_open_mode(KILN_CACHE_MODE_RW); }

static const struct kiln_hash128 test_toolchain = {{1, 2, 3}};

static inline struct kiln_str test_str(const char *text) { return (struct kiln_str){text, strlen(text)}; }

// Looks a source up, "compiles" it on a miss (the artifact is "code of SOURCE") with the given probes, and checks the
// answer. Returns how it was found.
struct test_ask {
  const char *source;
  const struct kiln_hash128 *toolchain; // NULL: test_toolchain
  bool no_toolchain;
  const struct kiln_probe *probes;
  uint32_t probe_count;
  const char *const *roots;
  uint32_t root_count;
  kiln_header_fn *header;
  unsigned compile_us;  // how long the compile takes
  atomic_int *compiles; // counts compiles
  bool fail;            // the compile fails
  const char *version;  // of the compiler: part of the artifact
  char *path;           // 4096 bytes: receives the path or ""
  char *key;            // 33 bytes
};

static inline enum kiln_cache_found test_ask(struct kiln_cache *cache, struct test_ask ask) {
  struct kiln_key key = {0};
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_text(&key, "source", ask.source);
  struct kiln_cache_request request = {.key = &key,
                                       .toolchain = ask.no_toolchain ? NULL
                                                    : ask.toolchain  ? ask.toolchain
                                                                     : &test_toolchain,
                                       .roots = ask.roots,
                                       .root_count = ask.root_count,
                                       .header = ask.header};
  struct kiln_cache_entry *entry = NULL;
  struct kiln_cache_flight *flight = NULL;
  enum kiln_cache_found found = kiln_cache_find(cache, &request, &entry, &flight);
  char code[512];
  snprintf(code, sizeof code, "code of %s%s", ask.source, ask.version ? ask.version : "");
  if (found == KILN_NOT_FOUND) {
    cr_assert(flight != NULL && entry == NULL);
    if (ask.compile_us) {
      usleep(ask.compile_us);
    }
    if (ask.compiles) {
      atomic_fetch_add(ask.compiles, 1);
    }
    if (ask.fail) {
      kiln_cache_abandon(flight);
      kiln_key_free(&key);
      return found;
    }
    struct kiln_cache_product product = {
        .artifact = test_str(code), .probes = ask.probes, .probe_count = ask.probe_count};
    product.sections[KILN_SECTION_REFLECTION] = test_str("reflection");
    product.sections[KILN_SECTION_META] = test_str("");
    cr_assert(kiln_cache_publish(flight, &product, &entry));
  }
  if (entry) {
    cr_assert(kiln_str_eq(entry->artifact, test_str(code)), "artifact '%.*s' instead of '%s'",
              (int)entry->artifact.size, entry->artifact.data, code);
    cr_assert(kiln_str_eq(entry->sections[KILN_SECTION_REFLECTION], test_str("reflection")));
    cr_assert(entry->sections[KILN_SECTION_META].data && entry->sections[KILN_SECTION_META].size == 0);
    cr_assert(!entry->sections[KILN_SECTION_IR].data);
    if (ask.path) {
      snprintf(ask.path, 4096, "%s", entry->path ? entry->path : "");
    }
    if (ask.key) {
      memcpy(ask.key, entry->key, 33);
    }
    kiln_cache_entry_release(entry);
  } else {
    cr_assert(found == KILN_NOT_ALLOWED, "found %d without an entry", found);
  }
  kiln_key_free(&key);
  return found;
}

#endif
