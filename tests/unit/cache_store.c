// Files on disk: damage, permissions, failures, layers, leftovers.
#include "cache_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>

#include "cache/format.h"

static int count_files(const char *folder) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", test_dir, folder);
  DIR *items = opendir(path);
  int count = 0;
  for (struct dirent *item; items && (item = readdir(items));) {
    count += item->d_name[0] != '.';
  }
  if (items) {
    closedir(items);
  }
  return count;
}

static void put(const char *path, const char *data, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  cr_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

// Stores one entry; returns its bytes.
static char *make_entry(char *path, size_t *size) {
  char *data;
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = path}) == KILN_NOT_FOUND && path[0]);
  kiln_cache_close(cache);
  cr_assert(kiln_file_read(path, &data, size) == 0);
  return data;
}

static void expect_rebuilt(const char *path, const char *what, size_t where) {
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND, "%s at %zu was not noticed", what, where);
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.quarantined == 1 && counters.stores == 1, "%s at %zu: %lu quarantined, %lu stored", what, where,
            (unsigned long)counters.quarantined, (unsigned long)counters.stores);
  cr_assert(test_log_lines > 0 && strstr(test_log_text[(test_log_lines - 1) & 3], "damaged"));
  kiln_cache_close(cache);
  cr_assert(access(path, F_OK) == 0);
}

Test(damage, every_byte, .init = test_setup, .fini = test_teardown) {
  char path[4096];
  size_t size, cases = 0;
  char *data = make_entry(path, &size);
  for (size_t i = 0; i < size; i++) {
    for (int bit = 0; bit < 8; bit += 7) {
      data[i] ^= (char)(1 << bit);
      put(path, data, size);
      data[i] ^= (char)(1 << bit);
      expect_rebuilt(path, "a flipped bit", i);
      cases++;
    }
  }
  cr_assert(size > 200 && cases == 2 * size, "%zu cases", cases);
  cr_assert(count_files("quarantine") <= 32, "%d files set aside", count_files("quarantine"));
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_DISK);
  kiln_cache_close(cache);
  free(data);
}

Test(damage, every_length, .init = test_setup, .fini = test_teardown) {
  char path[4096];
  size_t size;
  char *data = make_entry(path, &size);
  for (size_t length = 0; length < size; length++) {
    put(path, data, length);
    expect_rebuilt(path, "a missing end", length);
  }
  char *longer = calloc(1, size + 100);
  memcpy(longer, data, size);
  for (size_t length = size + 1; length < size + 100; length++) {
    put(path, longer, length);
    expect_rebuilt(path, "bytes behind the end", length);
  }
  free(longer);
  free(data);
}

// Files with a right checksum and wrong contents.
Test(damage, decoder, .init = test_setup, .fini = test_teardown) {
  char path[4096];
  size_t size, refused = 0, cases = 0;
  char *data = make_entry(path, &size);
  unsigned seed = 12345;
  for (int i = 0; i < 200000; i++) {
    char *copy = malloc(size); // exactly as large, so that a sanitizer sees a read past it
    memcpy(copy, data, size);
    seed = seed * 1103515245 + 12345;
    size_t tail = 64 + 4 * 24; // footer and directory
    size_t at = size - tail + seed / 65536 % (tail - 24);
    copy[at] = (char)(seed >> 8);
    copy[size - 64 + seed / 4096 % 36] ^= (char)(i % 3 == 0 ? seed >> 20 : 0);
    struct kiln_hash128 checksum = kiln_hash128(copy, size - 24);
    memcpy(copy + size - 24, checksum.bytes, 16);
    struct kiln_file_view view;
    refused += kiln_file_decode(copy, size, KILN_FILE_ENTRY, &view) != NULL;
    cases++;
    free(copy);
  }
  cr_assert(cases == 200000 && refused > 50000, "%zu of %zu refused", refused, cases);
  free(data);
}

Test(damage, entry_under_a_wrong_name, .init = test_setup, .fini = test_teardown) {
  char a[4096], b[4096], *data;
  size_t size;
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = a}) == KILN_NOT_FOUND);
  cr_assert(test_ask(cache, (struct test_ask){"b", .path = b}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  cr_assert(kiln_file_read(a, &data, &size) == 0);
  put(b, data, size);
  free(data);
  cache = test_open(); // as if the hashes were the same: the record tells
  cr_assert(test_ask(cache, (struct test_ask){"b"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"b"}) == KILN_FOUND_DISK);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_DISK);
  kiln_cache_close(cache);
}

// ---- trust ----------------------------------------------------------------------------------------------------------

Test(trust, writable_by_others, .init = test_setup, .fini = test_teardown) {
  char path[4096];
  size_t size;
  free(make_entry(path, &size));
  cr_assert(chmod(path, 0602) == 0);
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  cr_assert(test_log_lines == 1 && strstr(test_log_text[0], "other users can write"), "%s", test_log_text[0]);
  kiln_cache_close(cache);
  struct stat info;
  cr_assert(stat(path, &info) == 0 && (info.st_mode & 0777) == 0600, "it was replaced");

  char sub[4096];
  strcpy(sub, path);
  *strrchr(sub, '/') = '\0';
  cr_assert(chmod(sub, 0777) == 0);
  cache = test_open();
  char where[4096];
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = where}) == KILN_NOT_FOUND && where[0] == '\0');
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  cr_assert(chmod(sub, 0700) == 0 && chmod(test_dir, 0702) == 0);
  atomic_store(&test_log_lines, 0);
  cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = where}) == KILN_NOT_FOUND && where[0] == '\0');
  cr_assert(test_log_lines == 1, "%d lines", test_log_lines);
  kiln_cache_close(cache);
}

Test(trust, other_owner, .init = test_setup, .fini = test_teardown) {
  if (geteuid() != 0) {
    cr_skip_test("needs root to give files away");
  }
  char path[4096], where[4096];
  size_t size;
  free(make_entry(path, &size));
  cr_assert(chown(path, 12345, 12345) == 0);
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = where}) == KILN_NOT_FOUND && where[0]);
  kiln_cache_close(cache);
  cr_assert(chown(test_dir, 12345, 12345) == 0);
  enum kiln_cache_mode modes[] = {KILN_CACHE_MODE_RW, KILN_CACHE_MODE_RO};
  for (int i = 0; i < 2; i++) {
    cache = test_open_mode(modes[i]);
    cr_assert(test_ask(cache, (struct test_ask){"a", .path = where}) == KILN_NOT_FOUND && !where[0], "mode %d", i);
    kiln_cache_close(cache);
  }
}

Test(trust, links_are_not_followed, .init = test_setup, .fini = test_teardown) {
  char path[4096], moved[4096];
  size_t size;
  free(make_entry(path, &size));
  strcpy(moved, test_path("moved"));
  cr_assert(rename(path, moved) == 0 && symlink(moved, path) == 0);
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  struct stat info;
  cr_assert(lstat(path, &info) == 0 && S_ISREG(info.st_mode));
}

// ---- failures -------------------------------------------------------------------------------------------------------

static void expect_memory_only(const char *what) {
  atomic_store(&test_log_lines, 0);
  struct kiln_cache *cache = test_open();
  char path[4096];
  for (int i = 0; i < 3; i++) {
    char source[8] = {(char)('x' + i), 0};
    cr_assert(test_ask(cache, (struct test_ask){source, .path = path}) == KILN_NOT_FOUND, "%s", what);
    cr_assert(path[0] == '\0', "%s: %s", what, path);
    cr_assert(test_ask(cache, (struct test_ask){source}) == KILN_FOUND_MEMORY, "%s", what);
  }
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.store_failures == 3 && counters.stores == 0, "%s", what);
  cr_assert(test_log_lines == 1, "%s: %d lines: %s", what, test_log_lines, test_log_text[0]);
  kiln_cache_close(cache);
}

Test(failures, folder_cannot_be_made, .init = test_setup, .fini = test_teardown) {
  put(test_path("file"), "", 0);
  snprintf(test_dir, sizeof test_dir, "%s/file/cache", test_root);
  expect_memory_only("a file in the way");
  snprintf(test_dir, sizeof test_dir, "%s/file", test_root);
  expect_memory_only("a file in its place");
  strcpy(test_dir, "/proc/kiln/cache");
  expect_memory_only("a folder that takes none");
  strcpy(test_dir, "/dev/null/x");
  expect_memory_only("below a device");
}

Test(failures, permissions, .init = test_setup, .fini = test_teardown) {
  if (geteuid() == 0 && seteuid(12345) == 0) { // root may write everywhere
    snprintf(test_dir, sizeof test_dir, "%s/cache", test_root);
    expect_memory_only("unwritable parent");
    cr_assert(seteuid(0) == 0 && mkdir(test_dir, 0555) == 0 && chown(test_dir, 12345, 0) == 0);
    cr_assert(chown(test_root, 12345, 0) == 0 && seteuid(12345) == 0);
  } else {
    cr_assert(chmod(test_root, 0555) == 0);
    expect_memory_only("unwritable parent");
    cr_assert(chmod(test_root, 0755) == 0 && mkdir(test_dir, 0555) == 0);
  }
  expect_memory_only("read-only folder");
  cr_assert(chmod(test_dir, 0) == 0);
  expect_memory_only("forbidden folder");
  cr_assert(chmod(test_dir, 0700) == 0);
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  cr_assert(chmod(test_dir, 0500) == 0); // what is there is still found
  cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_DISK);
  cr_assert(test_ask(cache, (struct test_ask){"b"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  cr_assert(chmod(test_dir, 0700) == 0);
  if (getuid() == 0) {
    cr_assert(seteuid(0) == 0);
  }
}

Test(failures, folder_deleted_while_open, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  char path[4096];
  for (int i = 0; i < 3; i++) {
    char source[8] = {(char)('a' + i), 0};
    cr_assert(test_ask(cache, (struct test_ask){source, .path = path}) == KILN_NOT_FOUND && path[0], "turn %d", i);
    cr_assert(access(path, F_OK) == 0, "turn %d", i);
    nftw(test_dir, test_remove_one, 16, FTW_DEPTH | FTW_PHYS);
  }
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  cr_assert(test_log_lines == 0, "%s", test_log_text[0]);
}

Test(failures, disk_full, .init = test_setup, .fini = test_teardown) {
  char command[300];
  cr_assert(mkdir(test_dir, 0700) == 0);
  snprintf(command, sizeof command, "mount -t tmpfs -o size=64k,mode=700 none '%s' 2>/dev/null", test_dir);
  if (geteuid() != 0 || system(command) != 0) {
    cr_skip_test("needs to mount a small file system");
  }
  struct kiln_cache *cache = test_open();
  char source[32], path[4096];
  int stored = 0;
  for (int i = 0; i < 100; i++) {
    snprintf(source, sizeof source, "k%d", i);
    cr_assert(test_ask(cache, (struct test_ask){source, .path = path}) == KILN_NOT_FOUND);
    stored += path[0] != 0;
    cr_assert(test_ask(cache, (struct test_ask){source}) == KILN_FOUND_MEMORY);
  }
  kiln_cache_close(cache);
  snprintf(command, sizeof command, "umount '%s'", test_dir);
  cr_assert(system(command) == 0);
  cr_assert(stored > 0 && stored < 100 && test_log_lines == 1, "%d stored, %d lines", stored, test_log_lines);
}

Test(failures, absurd_paths, .init = test_setup, .fini = test_teardown) {
  char *path = malloc(10000);
  memset(path, 'x', 9999);
  path[0] = '/';
  path[9999] = '\0';
  struct kiln_cache_config config = {.dir = path, .layers = path, .log = test_log};
  struct kiln_cache *cache = kiln_cache_open(&config);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  config = (struct kiln_cache_config){.layers = ":::" KILN_BUILD_DIR "/no-such-folder::relative:", .log = test_log};
  cache = kiln_cache_open(&config);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  free(path);
}

// ---- layers ---------------------------------------------------------------------------------------------------------

Test(layers, read_only_folders, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  char layer[256], list[600], path[4096];
  strcpy(layer, test_path("layer"));
  cr_assert(rename(test_dir, layer) == 0);
  snprintf(list, sizeof list, "/none:%s", layer);
  struct kiln_cache_config config = {.dir = test_dir, .layers = list, .log = test_log};
  cache = kiln_cache_open(&config);
  cr_assert(test_ask(cache, (struct test_ask){"a", .path = path}) == KILN_FOUND_LAYER);
  cr_assert(strncmp(path, layer, strlen(layer)) == 0 && access(test_dir, F_OK) != 0);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_FOUND_MEMORY);
  struct kiln_hash128 newer = {{9}}; // another compiler is installed now: the layer tells with which it was made
  cr_assert(test_ask(cache, (struct test_ask){"a", .toolchain = &newer}) == KILN_FOUND_LAYER);
  kiln_cache_close(cache);
  char text[200], hex[33], name[300];
  kiln_hash128_hex(test_toolchain, hex);
  snprintf(name, sizeof name, "%s/toolchains", layer);
  cr_assert(unlink(name) == 0);
  cache = kiln_cache_open(&config);
  cr_assert(test_ask(cache, (struct test_ask){"a", .toolchain = &newer}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  snprintf(text, sizeof text, "# made by 0.1\n00\n%s test\n\n", hex);
  cr_assert(kiln_file_write(name, text, strlen(text)) == 0);
  config.mode = KILN_CACHE_MODE_REQUIRE;
  cache = kiln_cache_open(&config);
  struct kiln_hash128 newest = {{10}};
  cr_assert(test_ask(cache, (struct test_ask){"a", .toolchain = &newest}) == KILN_FOUND_LAYER);
  cr_assert(test_ask(cache, (struct test_ask){"a", .no_toolchain = true}) == KILN_FOUND_LAYER);
  cr_assert(test_ask(cache, (struct test_ask){"a", .no_toolchain = true}) == KILN_FOUND_MEMORY);
  cr_assert(test_ask(cache, (struct test_ask){"b", .no_toolchain = true}) == KILN_NOT_ALLOWED);
  kiln_cache_close(cache);
  cr_assert(test_log_lines == 0, "%s", test_log_text[0]);
  cr_assert(chmod(layer, 0777) == 0);
  cache = kiln_cache_open(&config);
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_ALLOWED && test_log_lines == 1);
  kiln_cache_close(cache);
}

// ---- leftovers ------------------------------------------------------------------------------------------------------

Test(leftovers, of_killed_writers_are_swept, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"a"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  char path[300];
  for (int i = 0; i < 10; i++) {
    snprintf(path, sizeof path, "%s/tmp/left%d", test_dir, i);
    put(path, "half", 4);
    struct timespec old[2] = {{time(NULL) - 100000, 0}, {time(NULL) - 100000, 0}};
    if (i >= 3) {
      cr_assert(utimensat(AT_FDCWD, path, old, 0) == 0);
    }
  }
  cache = test_open();
  cr_assert(test_ask(cache, (struct test_ask){"b"}) == KILN_NOT_FOUND);
  kiln_cache_close(cache);
  cr_assert(count_files("tmp") == 3, "%d files: those of writers at work stay", count_files("tmp"));
}
