// Bundles: as layers, in memory, imported, and damaged.
#include "cache_test.h"

#include <fcntl.h>

#include "cache/admin.h"
#include "cache/bundle.h"

enum { SOURCES = 6 };

static void include_probe(struct kiln_probe *probe, const char *text) {
  *probe =
      (struct kiln_probe){.path = "h.h", .memory = true, .found = true, .digest = kiln_hash128(text, strlen(text))};
}

static const char *header_text;
static bool header(void *user, const char *name, struct kiln_hash128 *digest) {
  (void)user;
  if (strcmp(name, "h.h") != 0 || !header_text)
    return false;
  *digest = kiln_hash128(header_text, strlen(header_text));
  return true;
}

// Source i; every other one includes a header.
static struct test_ask ask_for(int i, char source[32], struct kiln_probe *probe) {
  snprintf(source, 32, "source %d", i);
  struct test_ask ask = {source};
  if (i % 2) {
    include_probe(probe, "one");
    header_text = "one";
    ask.probes = probe;
    ask.probe_count = 1;
    ask.header = header;
  }
  return ask;
}

static void fill(struct kiln_cache *cache) {
  for (int i = 0; i < SOURCES; i++) {
    char source[32];
    struct kiln_probe probe;
    cr_assert_eq(test_ask(cache, ask_for(i, source, &probe)), KILN_NOT_FOUND, "source %d", i);
  }
}

static void add_entry(void *user, struct kiln_cache_entry *entry) {
  cr_assert(kiln_bundle_add(user, kiln_cache_entry_image(entry)) == NULL);
}

static char *make_bundle(size_t *size) {
  struct kiln_cache *cache = test_open();
  struct kiln_bundle_builder builder = {.fd = -1};
  char *data;
  fill(cache);
  cr_assert(kiln_cache_visit_memory(cache, add_entry, &builder));
  cr_assert(kiln_cache_visit_memory(cache, add_entry, &builder)); // what is there is not added again
  cr_assert_eq(kiln_bundle_finish(&builder, &data, size), 0);
  cr_assert_eq(builder.entries, SOURCES);
  kiln_bundle_builder_free(&builder);
  kiln_cache_close(cache);
  return data;
}

static struct kiln_cache *open_other(const char *layers, enum kiln_cache_mode mode) {
  static char dir[256];
  strcpy(dir, test_path("other"));
  struct kiln_cache *cache =
      kiln_cache_open(&(struct kiln_cache_config){.dir = dir, .layers = layers, .mode = mode, .log = test_log});
  cr_assert(cache);
  return cache;
}

static void expect_all(struct kiln_cache *cache, const struct kiln_hash128 *toolchain, bool none, const char *what) {
  for (int i = 0; i < SOURCES; i++) {
    char source[32];
    struct kiln_probe probe;
    struct test_ask ask = ask_for(i, source, &probe);
    ask.toolchain = toolchain;
    ask.no_toolchain = none;
    cr_assert_eq(test_ask(cache, ask), KILN_FOUND_LAYER, "%s: source %d", what, i);
    cr_assert_eq(test_ask(cache, ask), KILN_FOUND_MEMORY, "%s: source %d", what, i);
  }
}

Test(bundle, in_memory, .init = test_setup, .fini = test_teardown) {
  size_t size;
  char *data = make_bundle(&size);
  static const struct kiln_hash128 newer = {{9}};
  const struct kiln_hash128 *toolchains[] = {NULL, &newer, NULL};
  for (int i = 0; i < 3; i++) {
    struct kiln_cache *cache = open_other(NULL, KILN_CACHE_MODE_REQUIRE);
    char source[32];
    struct kiln_probe probe;
    cr_assert_eq(test_ask(cache, ask_for(0, source, &probe)), KILN_NOT_ALLOWED);
    cr_assert(kiln_cache_attach(cache, data, size) == NULL);
    expect_all(cache, toolchains[i], i == 2, "attached");
    header_text = "two"; // another header: not what is in the bundle
    struct test_ask ask = ask_for(7, source, &probe);
    header_text = "two";
    cr_assert_eq(test_ask(cache, ask), KILN_NOT_ALLOWED);
    kiln_cache_close(cache);
  }
  free(data);
}

Test(bundle, as_a_layer, .init = test_setup, .fini = test_teardown) {
  size_t size;
  char *data = make_bundle(&size), path[256];
  strcpy(path, test_path("some.bundle"));
  cr_assert_eq(kiln_file_write(path, data, size), 0);
  cr_assert_eq(chmod(path, 0644), 0);
  struct kiln_cache *cache = open_other(path, KILN_CACHE_MODE_REQUIRE);
  expect_all(cache, NULL, false, "file");
  kiln_cache_close(cache);
  cr_assert_eq(test_log_lines, 0, "%s", test_log_text[0]);
  cr_assert_eq(chmod(path, 0666), 0); // others could change it
  cache = open_other(path, KILN_CACHE_MODE_REQUIRE);
  char source[32];
  struct kiln_probe probe;
  cr_assert_eq(test_ask(cache, ask_for(0, source, &probe)), KILN_NOT_ALLOWED);
  cr_assert_eq(test_log_lines, 1, "%d lines", test_log_lines);
  kiln_cache_close(cache);
  free(data);
}

Test(bundle, of_other_targets_is_not_tried, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  fill(cache);
  kiln_cache_close(cache);
  char list[400], text[128], hex[33];
  kiln_hash128_hex(test_toolchain, hex);
  snprintf(list, sizeof list, "%s/toolchains", test_dir);
  snprintf(text, sizeof text, "%s cpu other\n", hex);
  cr_assert_eq(kiln_file_write(list, text, strlen(text)), 0);
  cache = open_other(test_dir, KILN_CACHE_MODE_REQUIRE);
  struct kiln_key key = {0};
  struct kiln_cache_entry *entry = NULL;
  struct kiln_cache_flight *flight = NULL;
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_text(&key, "source", "source 0");
  struct kiln_cache_request request = {.key = &key};
  cr_assert_eq(kiln_cache_find(cache, &request, &entry, &flight), KILN_NOT_ALLOWED);
  kiln_cache_close(cache);
  snprintf(text, sizeof text, "%s cpu other\n%s test\n", hex, hex);
  cr_assert_eq(kiln_file_write(list, text, strlen(text)), 0);
  cache = open_other(test_dir, KILN_CACHE_MODE_REQUIRE);
  cr_assert_eq(kiln_cache_find(cache, &request, &entry, &flight), KILN_FOUND_LAYER);
  kiln_cache_entry_release(entry);
  kiln_key_free(&key);
  kiln_cache_close(cache);
}

Test(bundle, imported_into_a_folder, .init = test_setup, .fini = test_teardown) {
  size_t size;
  char *data = make_bundle(&size), dir[256];
  struct kiln_bundle *bundle;
  struct kiln_place place;
  struct kiln_import_result result;
  const char *problem;
  strcpy(dir, test_path("other"));
  cr_assert(kiln_bundle_open_memory(data, size, false, &bundle) == NULL);
  for (int turn = 0; turn < 2; turn++) {
    cr_assert_eq(kiln_place_open(dir, NULL, false, &place, &problem), 0);
    cr_assert_eq(kiln_place_import(&place, bundle, &result), 0);
    cr_assert(result.added == (turn ? 0 : SOURCES) && result.present == (turn ? SOURCES : 0) && result.refused == 0);
    kiln_place_close(&place);
  }
  kiln_bundle_close(bundle);
  static const struct kiln_hash128 newer = {{9}};
  struct kiln_cache *cache = open_other(NULL, KILN_CACHE_MODE_REQUIRE);
  expect_all(cache, &newer, false, "imported");
  kiln_cache_close(cache);
  struct kiln_place_size measured;
  cr_assert_eq(kiln_place_open(dir, NULL, false, &place, &problem), 0);
  kiln_place_measure(&place, &measured);
  cr_assert(measured.entries == SOURCES && measured.imported == SOURCES && measured.manifests == SOURCES / 2);
  cr_assert_eq(kiln_place_clear(&place), SOURCES);
  kiln_place_close(&place);
  free(data);
}

// ---- damage --------------------------------------------------------------------------------------------------------

// A damaged bundle answers rightly or not at all.
static int answers(const char *data, size_t size) {
  int hits = 0;
  struct kiln_cache *cache = kiln_cache_open(&(struct kiln_cache_config){.mode = KILN_CACHE_MODE_RO});
  if (kiln_cache_attach(cache, data, size) == NULL) {
    for (int i = 0; i < SOURCES; i++) {
      char source[32];
      struct kiln_probe probe;
      struct test_ask ask = ask_for(i, source, &probe);
      ask.fail = true; // nothing is compiled; test_ask checks what is found
      hits += test_ask(cache, ask) == KILN_FOUND_LAYER;
    }
  }
  kiln_cache_close(cache);
  return hits;
}

Test(bundle, every_byte_and_length, .init = test_setup, .fini = test_teardown) {
  size_t size, cases = 0, whole = 0;
  char *data = make_bundle(&size);
  cr_assert_eq(answers(data, size), SOURCES);
  for (size_t i = 0; i < size; i++, cases++) {
    data[i] ^= 0x40;
    whole += answers(data, size) == SOURCES;
    data[i] ^= 0x40;
  }
  for (size_t length = 0; length < size; length++, cases++) {
    char *copy = malloc(length + 1); // exactly as large, so that a sanitizer sees a read past it
    memcpy(copy, data, length);
    cr_assert_eq(answers(copy, length), 0, "length %zu", length);
    free(copy);
  }
  cr_assert(cases == 2 * size && whole < size / 4, "%zu of %zu flips do not matter (padding)", whole, size);
  free(data);
}

// Rows are compared by numbers that may be any; a bundle with such rows is refused, or they are passed over.
Test(bundle, suffixes_of_any_number, .init = test_setup, .fini = test_teardown) {
  enum { FOOTER = 72, ROW = 40, SUFFIX = 16 };
  static const uint32_t suffixes[] = {2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
  size_t size;
  char *data = make_bundle(&size), *footer = data + size - FOOTER;
  uint64_t part[5]; // of the file, rows, their number, text, its size
  memcpy(part, footer, sizeof part);
  char *rows = data + part[1];
  cr_assert_eq(part[2] * ROW, part[3] - part[1]);
  memcpy(rows + ROW, rows, SUFFIX); // two rows of one key
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    for (int last = 0; last < 2; last++) {
      uint32_t other = 1;
      memcpy(rows + (last ? ROW : 0) + SUFFIX, &suffixes[i], sizeof other);
      memcpy(rows + (last ? 0 : ROW) + SUFFIX, &other, sizeof other);
      struct kiln_hash128 parts[3] = {kiln_hash128(rows, part[2] * ROW), kiln_hash128(data + part[3], part[4]),
                                      kiln_hash128(footer, FOOTER - 24)};
      struct kiln_hash128 sum = kiln_hash128(parts, sizeof parts);
      memcpy(footer + FOOTER - 24, &sum, sizeof sum);
      struct kiln_bundle *bundle = NULL;
      const char *problem = kiln_bundle_open_memory(data, size, false, &bundle);
      cr_expect(last ? !problem : problem && strstr(problem, "order"), "suffix %x, %d: %s", suffixes[i], last,
                problem ? problem : "opened");
      kiln_bundle_close(bundle);
    }
  }
  free(data);
}

Test(bundle, random_mutations, .init = test_setup, .fini = test_teardown) {
  size_t size;
  char *data = make_bundle(&size);
  unsigned seed = 4711;
  int cases = 0;
  for (int i = 0; i < 3000; i++, cases++) {
    char *copy = malloc(size);
    memcpy(copy, data, size);
    for (int k = 0; k < 1 + i % 4; k++) {
      seed = seed * 1103515245 + 12345;
      copy[(seed >> 4) % size] = (char)(seed >> 24);
    }
    answers(copy, size);
    free(copy);
  }
  cr_assert_eq(cases, 3000);
  free(data);
}

Test(bundle, damaged_members_are_left_out, .init = test_setup, .fini = test_teardown) {
  size_t size;
  char *data = make_bundle(&size), dir[256];
  struct kiln_bundle *bundle;
  struct kiln_place place;
  struct kiln_import_result result;
  const char *problem;
  data[16 + 40] ^= 1; // within the first member
  strcpy(dir, test_path("other"));
  cr_assert(kiln_bundle_open_memory(data, size, true, &bundle) == NULL);
  cr_assert_eq(kiln_place_open(dir, NULL, false, &place, &problem), 0);
  cr_assert_eq(kiln_place_import(&place, bundle, &result), 0);
  cr_assert(result.refused == 1 && result.added == SOURCES - 1 && strstr(result.defect, "checksum"), "%s",
            result.defect);
  kiln_place_close(&place);
  kiln_bundle_close(bundle);
  free(data);
}
