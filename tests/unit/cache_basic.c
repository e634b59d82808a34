// Finding, keeping, modes, keys, includes.
#include "cache_test.h"

#include "cache/format.h"
#include "cache/manifest.h"

Test(cache, miss_then_memory_then_disk, .init = test_setup, .fini = test_teardown) {
  char path[4096], key[33];
  struct kiln_cache *cache = test_open();
  cr_assert(access(test_dir, F_OK) != 0, "opening makes no folder");
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = path, .key = key}) == KILN_NOT_FOUND);
  cr_assert(strncmp(path, test_dir, strlen(test_dir)) == 0 && strlen(key) == 32, "%s %s", path, key);
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = path}) == KILN_FOUND_MEMORY);
  char *data;
  size_t size;
  cr_assert(kiln_file_read(path, &data, &size) == 0 && memcmp(data, "code of a", 9) == 0);
  free(data);
  struct stat info;
  cr_assert(stat(path, &info) == 0 && (info.st_mode & 0777) == 0600);
  cr_assert(stat(test_dir, &info) == 0 && (info.st_mode & 0777) == 0700);
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.memory_hits == 1 && counters.misses == 1 && counters.stores == 1 && counters.disk_hits == 0);
  kiln_cache_close(cache);

  cache = test_open();
  char again[4096];
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = again}) == KILN_FOUND_DISK);
  cr_assert_str_eq(again, path);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  cr_assert(test_ask(cache, (struct test_ask){"b"}) == KILN_NOT_FOUND);
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.memory_hits == 1 && counters.misses == 1 && counters.disk_hits == 1);
  kiln_cache_close(cache);
  cr_assert(test_log_lines == 0, "%s", test_log_text[0]);
}

Test(cache, two_contexts, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *one = test_open(), *two = test_open();
  cr_assert(test_ask(one, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  cr_assert(test_ask(two, (struct test_ask){"a"}) == KILN_FOUND_DISK);
  cr_assert(test_ask(two, (struct test_ask){"b"}) == KILN_NOT_FOUND);
  kiln_cache_close(two);
  cr_assert(test_ask(one, (struct test_ask){"b"}) == KILN_FOUND_DISK);
  kiln_cache_close(one);
}

Test(cache, modes, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *off = test_open_mode(KILN_CACHE_MODE_OFF), *ro = test_open_mode(KILN_CACHE_MODE_RO),
                    *require = test_open_mode(KILN_CACHE_MODE_REQUIRE);
  char path[4096], key[33];
  for (int i = 0; i < 2; i++) {
    cr_assert(test_ask(off, (struct test_ask){"a", .path = path, .key = key}) == KILN_NOT_FOUND);
    cr_assert(path[0] == '\0' && key[0] == '\0');
  }
  cr_assert(test_ask(ro, (struct test_ask){"a", .path = path}) == KILN_NOT_FOUND && path[0] == '\0');
  cr_assert(test_ask(ro, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  cr_assert(test_ask(require, (struct test_ask){"a"}) == KILN_NOT_ALLOWED);
  cr_assert(access(test_dir, F_OK) != 0, "nothing is written");
  struct kiln_cache *rw = test_open();
  cr_assert(test_ask(rw, (struct test_ask){"a"}) == KILN_NOT_FOUND &&
            test_ask(rw, (struct test_ask){"b"}) == KILN_NOT_FOUND);
  cr_assert(test_ask(off, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  cr_assert(test_ask(ro, (struct test_ask){"b"}) == KILN_FOUND_DISK);
  cr_assert(test_ask(require, (struct test_ask){"a"}) == KILN_FOUND_DISK);
  kiln_cache_close(off), kiln_cache_close(ro), kiln_cache_close(require), kiln_cache_close(rw);
  struct kiln_cache_config memory = {.mode = KILN_CACHE_MODE_RW};
  struct kiln_cache *cache = kiln_cache_open(&memory); // no folder at all
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND &&
            test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  cr_assert(test_log_lines == 0, "%s", test_log_text[0]);
  enum kiln_cache_mode mode;
  cr_assert(kiln_cache_parse_mode("require", &mode) && mode == KILN_CACHE_MODE_REQUIRE);
  cr_assert(kiln_cache_parse_mode("off", &mode) && mode == KILN_CACHE_MODE_OFF);
  cr_assert(!kiln_cache_parse_mode("", &mode) && !kiln_cache_parse_mode("RW", &mode));
}

// Every field, and where one ends and the next begins, is part of the record.
Test(key, perturbation) {
  struct kiln_str fields[] = {test_str("backend"), test_str("cpu"), test_str("source"), test_str("abc")};
  static struct kiln_key keys[64];
  int count = 0;
  for (int variant = 0; variant < 9; variant++) {
    struct kiln_key *key = &keys[count++];
    switch (variant) {
    case 0:
      kiln_key_add_text(key, "a", "bc"), kiln_key_add_text(key, "d", "");
      break;
    case 1:
      kiln_key_add_text(key, "ab", "c"), kiln_key_add_text(key, "d", "");
      break;
    case 2:
      kiln_key_add_text(key, "a", "b"), kiln_key_add_text(key, "cd", "");
      break;
    case 3:
      kiln_key_add_text(key, "d", ""), kiln_key_add_text(key, "a", "bc");
      break;
    case 4:
      kiln_key_add_text(key, "a", "bc");
      break;
    case 5:
      kiln_key_add_text(key, "a", "bd"), kiln_key_add_text(key, "d", "");
      break;
    case 6:
      kiln_key_add(key, "a", "bc\0", 3), kiln_key_add_text(key, "d", "");
      break;
    case 7:
      kiln_key_add_u64(key, "a", 1);
      break;
    case 8:
      kiln_key_add_u64(key, "a", 2);
      break;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      cr_assert(!kiln_str_eq((struct kiln_str){keys[i].record.data, keys[i].record.size},
                             (struct kiln_str){keys[j].record.data, keys[j].record.size}),
                "variants %d and %d are the same", i, j);
    }
  }
  struct kiln_key key = {0};
  for (int i = 0; i < 4; i += 2) {
    kiln_key_add(&key, fields[i].data, fields[i + 1].data, fields[i + 1].size);
  }
  struct kiln_str record = {key.record.data, key.record.size};
  struct kiln_key_field field;
  size_t cursor = 0;
  for (int i = 0; i < 4; i += 2) {
    cr_assert(kiln_key_next(record, &cursor, &field), "field %d", i);
    cr_assert(kiln_str_eq(field.name, fields[i]) && kiln_str_eq(field.data, fields[i + 1]), "field %d", i);
  }
  cr_assert(!kiln_key_next(record, &cursor, &field) && cursor == record.size);
  for (size_t size = 0; size < record.size; size++) { // malformed records end early and do no harm
    char *copy = malloc(size + 1);
    memcpy(copy, record.data, size);
    cursor = 0;
    while (kiln_key_next((struct kiln_str){copy, size}, &cursor, &field)) {
    }
    cr_assert(cursor <= size, "size %zu", size);
    free(copy);
  }
  kiln_key_free(&key);
  for (int i = 0; i < count; i++) {
    kiln_key_free(&keys[i]);
  }
}

Test(cache, toolchain_is_part_of_the_key, .init = test_setup, .fini = test_teardown) {
  struct kiln_hash128 other = test_toolchain;
  other.bytes[15] ^= 1;
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  cr_assert(test_ask(cache, (struct test_ask){"a", .toolchain = &other}) == KILN_NOT_FOUND);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  cr_assert(test_ask(cache, (struct test_ask){"a", .toolchain = &other}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  cache = test_open_mode(KILN_CACHE_MODE_REQUIRE);
  cr_assert(test_ask(cache, (struct test_ask){"a", .no_toolchain = true}) == KILN_NOT_ALLOWED);
  kiln_cache_close(cache);
  cache = test_open();
  char path[4096]; // what nobody knows the toolchain of is not kept
  for (int i = 0; i < 2; i++) {
    cr_assert(test_ask(cache, (struct test_ask){"n", .no_toolchain = true, .path = path}) == KILN_NOT_FOUND);
    cr_assert(path[0] == '\0');
  }
  kiln_cache_close(cache);
}

// ---- includes -------------------------------------------------------------------------------------------------------

static struct kiln_probe probe_file(const char *path, uint32_t root, const char *text) {
  struct kiln_probe probe = {.path = path, .root = root, .found = text != NULL};
  if (text) {
    probe.digest = kiln_hash128(text, strlen(text));
  }
  return probe;
}
static void write_text(const char *name, const char *text) {
  cr_assert(kiln_file_write(test_path(name), text, strlen(text)) == 0, "%s", name);
}

static void check_includes(bool from_memory) {
  char a[256], b[256];
  strcpy(a, test_path("a.h"));
  strcpy(b, test_path("b.h"));
  write_text("b.h", "one");
  struct kiln_probe first[] = {probe_file(a, 0, NULL), probe_file(b, 0, "one")};
  struct kiln_probe second[] = {probe_file(a, 0, NULL), probe_file(b, 0, "two")};
  struct kiln_probe third[] = {probe_file(a, 0, "new")};
  struct test_ask ask[] = {{"k", .probes = first, .probe_count = 2, .version = "1"},
                           {"k", .probes = second, .probe_count = 2, .version = "2"},
                           {"k", .probes = third, .probe_count = 1, .version = "3"}};
  enum kiln_cache_found hit = from_memory ? KILN_FOUND_MEMORY : KILN_FOUND_DISK;
  struct kiln_cache *cache = test_open();
#define ASK(i, expected)                                                                                               \
  do {                                                                                                                 \
    enum kiln_cache_found found = test_ask(cache, ask[i]);                                                             \
    cr_assert(found == (expected), "compile %d: %d instead of %d", i, found, expected);                                \
    if (!from_memory) {                                                                                                \
      kiln_cache_close(cache);                                                                                         \
      cache = test_open();                                                                                             \
    }                                                                                                                  \
  } while (0)
  ASK(0, KILN_NOT_FOUND);
  ASK(0, hit);
  write_text("b.h", "two"); // changed
  ASK(1, KILN_NOT_FOUND);
  ASK(1, hit);
  write_text("b.h", "one"); // and back: both are kept
  ASK(0, hit);
  write_text("a.h", "new"); // what was looked for in vain is there now
  ASK(2, KILN_NOT_FOUND);
  ASK(2, hit);
  cr_assert(unlink(a) == 0);
  ASK(0, hit);
  cr_assert(unlink(b) == 0); // gone
  struct kiln_probe fourth[] = {probe_file(a, 0, NULL), probe_file(b, 0, NULL)};
  ask[0] = (struct test_ask){"k", .probes = fourth, .probe_count = 2, .version = "4"};
  ASK(0, KILN_NOT_FOUND);
  ASK(0, hit);
  kiln_cache_close(cache);
  cr_assert(test_log_lines == 0, "%s", test_log_text[0]);
}

Test(includes, memory, .init = test_setup, .fini = test_teardown) { check_includes(true); }
Test(includes, disk, .init = test_setup, .fini = test_teardown) { check_includes(false); }

Test(includes, roots, .init = test_setup, .fini = test_teardown) {
  char one[256], two[256], three[256], whole[300];
  const char *names[] = {"one", "two", "three"};
  char *folders[] = {one, two, three};
  for (int i = 0; i < 3; i++) {
    strcpy(folders[i], test_path(names[i]));
    cr_assert(mkdir(folders[i], 0700) == 0);
  }
  write_text("one/x.h", "x");
  write_text("two/x.h", "x");
  write_text("three/x.h", "different");
  const char *root_one[] = {one}, *root_two[] = {two}, *root_three[] = {three};
  struct kiln_probe below = probe_file("x.h", 1, "x");
  struct test_ask ask = {"k", .probes = &below, .probe_count = 1, .roots = root_one, .root_count = 1};
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND);
  ask.roots = root_two; // elsewhere, but the same
  cr_assert(test_ask(cache, ask) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  cache = test_open();
  cr_assert(test_ask(cache, ask) == KILN_FOUND_DISK);
  ask.roots = root_three;
  below = probe_file("x.h", 1, "different");
  ask.version = "3";
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND);

  // Whole paths only hold under the same roots.
  snprintf(whole, sizeof whole, "%s/x.h", one);
  struct kiln_probe full = probe_file(whole, 0, "x");
  ask = (struct test_ask){"w", .probes = &full, .probe_count = 1, .roots = root_one, .root_count = 1};
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND);
  cr_assert(test_ask(cache, ask) == KILN_FOUND_MEMORY);
  ask.roots = root_two;
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
}

static const char *header_text;
static bool header(void *user, const char *name, struct kiln_hash128 *digest) {
  (void)user;
  if (strcmp(name, "mem.h") != 0 || !header_text) {
    return false;
  }
  *digest = kiln_hash128(header_text, strlen(header_text));
  return true;
}

Test(includes, headers_from_memory, .init = test_setup, .fini = test_teardown) {
  struct kiln_probe probe = probe_file("mem.h", 0, "one");
  probe.memory = true;
  struct test_ask ask = {"k", .probes = &probe, .probe_count = 1, .header = header};
  struct kiln_cache *cache = test_open();
  header_text = "one";
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND && test_ask(cache, ask) == KILN_FOUND_MEMORY);
  header_text = "two";
  probe.digest = kiln_hash128("two", 3);
  ask.version = "2";
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND && test_ask(cache, ask) == KILN_FOUND_MEMORY);
  header_text = NULL;
  probe.found = false;
  ask.version = "3";
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND && test_ask(cache, ask) == KILN_FOUND_MEMORY);
  header_text = "one";
  ask.version = NULL;
  cr_assert(test_ask(cache, ask) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
}

Test(includes, contradictions_are_not_kept, .init = test_setup, .fini = test_teardown) {
  struct kiln_probe probes[] = {probe_file("/x.h", 0, "1"), probe_file("/x.h", 0, "2")};
  struct test_ask ask = {"k", .probes = probes, .probe_count = 2};
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND && test_ask(cache, ask) == KILN_NOT_FOUND);
  probes[1] = probe_file("x.h", 7, "1"); // no such root
  cr_assert(test_ask(cache, ask) == KILN_NOT_FOUND && test_ask(cache, ask) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
}

Test(includes, many_sets_are_bounded, .init = test_setup, .fini = test_teardown) {
  char path[256], text[16];
  strcpy(path, test_path("n.h"));
  struct kiln_cache *cache = test_open();
  int total = KILN_MAX_SETS + 8;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < total; i++) {
      int n = turn == 0 ? i : total - 1 - i;
      snprintf(text, sizeof text, "text %d", n);
      write_text("n.h", text);
      struct kiln_probe probe = probe_file(path, 0, text);
      struct test_ask ask = {"k", .probes = &probe, .probe_count = 1, .version = text};
      enum kiln_cache_found found = test_ask(cache, ask);
      bool kept = turn == 1 && i < KILN_MAX_SETS;
      cr_assert((found != KILN_NOT_FOUND) == kept, "turn %d, set %d: %d", turn, n, found);
    }
    kiln_cache_close(cache);
    cache = test_open();
  }
  kiln_cache_close(cache);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

Test(memory, bounded, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache_config config = {.memory_bytes = 100000};
  struct kiln_cache *cache = kiln_cache_open(&config);
  char source[32];
  for (int i = 0; i < 2000; i++) {
    snprintf(source, sizeof source, "k%d", i);
    cr_assert(test_ask(cache, (struct test_ask){source}) == KILN_NOT_FOUND);
    cr_assert(test_ask(cache, (struct test_ask){"k0"}) == KILN_FOUND_MEMORY, "what is used stays (%d)", i);
  }
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.dropped > 1000, "%lu dropped", (unsigned long)counters.dropped);
  cr_assert(test_ask(cache, (struct test_ask){"k5"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
}

Test(memory, entries_outlive_the_cache, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  struct kiln_key key = {0};
  kiln_key_add_text(&key, "source", "x");
  struct kiln_cache_request request = {.key = &key, .toolchain = &test_toolchain};
  struct kiln_cache_entry *entry, *same;
  struct kiln_cache_flight *flight;
  cr_assert(kiln_cache_find(cache, &request, &entry, &flight) == KILN_NOT_FOUND);
  struct kiln_cache_product product = {.artifact = test_str("bytes")};
  cr_assert(kiln_cache_publish(flight, &product, &entry));
  cr_assert(kiln_cache_find(cache, &request, &same, &flight) == KILN_FOUND_MEMORY && same == entry);
  cr_assert((uintptr_t)entry->artifact.data % 16 == 0);
  kiln_cache_close(cache);
  cr_assert(kiln_str_eq(entry->artifact, test_str("bytes")));
  kiln_cache_entry_release(same);
  kiln_cache_entry_release(entry);
  kiln_cache_entry_release(NULL);
  kiln_key_free(&key);
}

// Sets are kept in order, each once; those of another request's file are not.
Test(includes, manifests_are_merged) {
  static const char *const names[] = {"a", "b", "c"};
  struct kiln_strbuf sets[2] = {0};
  for (int i = 0; i < 4; i++) { // a b, b c
    kiln_sets_put(&sets[i / 2], kiln_str(names[i - i / 2]));
  }
  char *old, *merged;
  size_t old_size, size;
  struct kiln_str none = {0}, newer = {sets[0].data, sets[0].size}, older = {sets[1].data, sets[1].size};
  cr_assert(kiln_manifest_encode(kiln_str("head"), older, none, &old, &old_size));
  for (int same = 0; same < 2; same++) {
    struct kiln_file_view view;
    struct kiln_str fields;
    cr_assert(kiln_manifest_encode(kiln_str(same ? "head" : "other"), newer, (struct kiln_str){old, old_size}, &merged,
                                   &size));
    cr_assert_null(kiln_file_decode(merged, size, KILN_FILE_MANIFEST, &view));
    int count = 0;
    for (size_t cursor = 0; kiln_sets_next(view.sections[KILN_FILE_SETS], &cursor, &fields); count++) {
      cr_assert(kiln_str_eq(fields, kiln_str(names[count])), "set %d", count);
    }
    cr_assert_eq(count, same ? 3 : 2);
    free(merged);
  }
  free(old);
  kiln_strbuf_free(&sets[0]);
  kiln_strbuf_free(&sets[1]);
}
