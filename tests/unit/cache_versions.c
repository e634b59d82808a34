// Entries say which Kiln made them, and those of older ones are removed: from folders and from bundles.
#include "cache_test.h"

#include <kiln/kiln.h>

// Stores an entry of this source that says "kiln VERSION"; NULL: that says nothing, as the first ones.
static void store(struct kiln_cache *cache, const char *source, const char *version) {
  struct kiln_key key = {0};
  struct kiln_cache_entry *entry = NULL;
  struct kiln_cache_flight *flight = NULL;
  char made[64];
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_text(&key, "source", source);
  struct kiln_cache_request request = {.key = &key, .toolchain = &test_toolchain};
  cr_assert_eq(kiln_cache_find(cache, &request, &entry, &flight), KILN_NOT_FOUND);
  struct kiln_cache_product product = {.artifact = test_str(source)};
  product.sections[KILN_SECTION_REFLECTION] = test_str("reflection");
  snprintf(made, sizeof made, "build 1\nkiln %s\ncompiler LLVM 19\n", version ? version : "");
  if (version)
    product.sections[KILN_SECTION_MADE] = test_str(made);
  cr_assert(kiln_cache_publish(flight, &product, &entry));
  kiln_cache_entry_release(entry);
  kiln_key_free(&key);
}

static void fill(void) {
  static const char *const versions[] = {"0.9.0", "0.10.0", "0.10.1-rc2", "1", "2.0.0.1", "x.y", ""};
  struct kiln_cache *cache = kiln_cache_open(&(struct kiln_cache_config){.dir = test_dir, .log = test_log});
  cr_assert(cache);
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    store(cache, versions[i], versions[i]);
  store(cache, "none", NULL);
  kiln_cache_close(cache);
}

struct seen {
  char versions[256];
  unsigned count, compilers;
};
static bool see(void *user, const struct kiln_cache_item *item) {
  struct seen *seen = user;
  seen->count++;
  seen->compilers += strcmp(item->compiler, "LLVM 19") == 0;
  strcat(strcat(seen->versions, item->version), ";");
  return true;
}

static struct seen list(const char *place) {
  struct seen seen = {.count = 0};
  cr_assert_eq(kiln_cache_list(place, NULL, 0, see, &seen), KILN_OK, "%s", kiln_last_error());
  return seen;
}

static uint64_t prune(const char *place, const char *version) {
  uint64_t removed = 0, bytes = 0;
  cr_assert_eq(kiln_cache_prune_versions(place, version, &removed, &bytes), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(bytes != 0, removed != 0);
  return removed;
}

static void check(const char *place) {
  struct seen seen = list(place);
  cr_assert(seen.count == 8 && seen.compilers == 7 && strstr(seen.versions, "0.10.1-rc2;"), "%s", seen.versions);
  cr_assert_eq(prune(place, "0.1"), 3); // what does not say a version is older than any
  cr_assert_eq(prune(place, "0.9"), 0);
  cr_assert_eq(prune(place, "0.10"), 1); // by number: 0.9 is older
  seen = list(place);
  cr_assert(seen.count == 4 && !strstr(seen.versions, "0.9.0"), "%s", seen.versions);
  cr_assert_eq(prune(place, "0.10.1"), 1);
  cr_assert_eq(prune(place, "1.0.0"), 1);
  cr_assert_eq(prune(place, "2.0.0.1"), 1);
  cr_assert_eq(prune(place, "2.0.1"), 1);
  cr_assert_eq(list(place).count, 0);
}

Test(versions, older_entries_are_removed, .init = test_setup, .fini = test_teardown) {
  fill();
  check(test_dir);
}

Test(versions, older_entries_leave_a_bundle, .init = test_setup, .fini = test_teardown) {
  char bundle[4200];
  uint64_t exported = 0;
  fill();
  snprintf(bundle, sizeof bundle, "%s.bundle", test_dir);
  cr_assert_eq(kiln_cache_export(test_dir, NULL, NULL, bundle, &exported), KILN_OK);
  cr_assert_eq(exported, 8);
  check(bundle);
  unlink(bundle);
}

Test(versions, what_is_no_version_is_an_error, .init = test_setup, .fini = test_teardown) {
  static const char *const wrong[] = {"", "x", ".1", "-1", NULL};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_assert_eq(kiln_cache_prune_versions(test_dir, wrong[i], NULL, NULL), KILN_ERR_INVALID);
}
