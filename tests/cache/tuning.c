// Tuning records in the cache, one case per verb:
//   tuning basics              stored, read back, replaced, removed; found by the beginning of a key
//   tuning damage              each byte changed, each length: never taken, set aside
//   tuning owner               a folder or file of another user, or one that others can write to, is not used
//   tuning modes               ro, require, off; no folder; a disk that cannot be written
//   tuning layers              folders and bundles as layers, bundles in memory
//   tuning travels             export, import: the record with more points stays; bundles without records are as before
//   tuning signed              records from elsewhere are signed, or not used
//   tuning evict               eviction spares records up to a quarter of the limit
//   tuning lock                threads and processes wait for one another; kill -9 frees the lock
//   tuning kill WRITERS        writers that are killed at random points leave whole records
//   tuning remote URL KEY      through a server: what one machine stores another one finds
//   tuning transfer URL KEY    kiln cache push and pull
// The exit status is 1 when something does not hold, 77 when the case cannot be had here.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/admin.h"
#include "cache/bundle.h"
#include "cache/remote.h"
#include "cache/sign.h"
#include "cache/transfer.h"
#include "cache/tune.h"
#include "tests/support/expect.h"

static char root[64], dir[96], other[96];
static char last_log[512];

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk) {
  (void)info, (void)flag, (void)walk;
  return remove(path);
}
static void clean_up(void) { nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static void take_log(void *user, bool warning, const char *message) {
  (void)user, (void)warning;
  snprintf(last_log, sizeof last_log, "%s", message);
}

static struct kiln_cache *open_with(struct kiln_cache_config config) {
  config.log = take_log;
  config.no_sync = true;
  struct kiln_cache *cache = kiln_cache_open(&config);
  EXPECT(cache, "memory");
  return cache;
}
static struct kiln_cache *open_in(const char *folder) { return open_with((struct kiln_cache_config){.dir = folder}); }

// Key i: the kernel is i / 100, what else must be the same i / 10, the size class i.
static struct kiln_tune_key key_of(unsigned i) {
  struct kiln_tune_key key = {{(uint8_t)(i / 100), 1, 2, 3, (uint8_t)(i / 10)}};
  key.bytes[16] = (uint8_t)i;
  key.bytes[31] = 7;
  return key;
}

static char *text_of(unsigned i, unsigned points, char out[200]) {
  snprintf(out, 200, "kernel: k%u\nbackend: cpu\narch: a%u\nclass: N=%u\nbest: A=%u\nbest_us: 1.500\npoints: %u\n\nA\n",
           i / 100, i % 2, i, i, points);
  return out;
}

static bool store(struct kiln_cache *cache, unsigned i, unsigned points) {
  char text[200];
  struct kiln_tune_key key = key_of(i);
  text_of(i, points, text);
  return kiln_tune_store(cache, &key, text, strlen(text));
}

// How many points the record that is found has; 0: none is found.
static unsigned load(struct kiln_cache *cache, unsigned i) {
  struct kiln_tune_key key = key_of(i);
  char *text, want[200];
  size_t size;
  if (!kiln_tune_load(cache, &key, true, &text, &size))
    return 0;
  struct kiln_str points = kiln_tune_line((struct kiln_str){text, size}, "points");
  unsigned count = (unsigned)strtoul(points.data, NULL, 10);
  EXPECT(strlen(text) == size && strcmp(text, text_of(i, count, want)) == 0, "key %u: '%s'", i, text);
  free(text);
  return count;
}

static void path_of(const char *folder, unsigned i, char out[200]) {
  struct kiln_tune_key key = key_of(i);
  char hex[33];
  kiln_hash128_hex(kiln_tune_file(&key).key, hex);
  snprintf(out, 200, "%s/%.2s/%s.tune", folder, hex, hex + 2);
}

struct seen {
  unsigned count, sum, stop_after;
};
static bool see(void *user, const struct kiln_tune_key *key, const char *data, size_t size) {
  struct seen *seen = user;
  EXPECT(size > 8 && memcmp(data, "kernel: ", 8) == 0, "what was visited is no record");
  seen->sum += key->bytes[16];
  return ++seen->count != seen->stop_after;
}
static struct seen visit(struct kiln_cache *cache, unsigned i, size_t prefix, unsigned stop_after) {
  struct seen seen = {.stop_after = stop_after};
  struct kiln_tune_key key = key_of(i);
  kiln_tune_visit(cache, key.bytes, prefix, see, &seen);
  return seen;
}

// ---- one folder -----------------------------------------------------------------------------------------------------

static int basics(char **argv) {
  (void)argv;
  struct kiln_cache *cache = open_in(dir);
  EXPECT(load(cache, 1) == 0, "an empty cache has a record");
  EXPECT(visit(cache, 1, 4, 0).count == 0, "an empty cache has a record");
  for (unsigned i = 1; i <= 30; i++)
    EXPECT(store(cache, i, i), "key %u was not written: %s", i, last_log);
  EXPECT(store(cache, 100, 5), "%s", last_log);
  EXPECT(store(cache, 7, 2), "fewer points of one's own replace more: %s", last_log);
  kiln_cache_close(cache);
  cache = open_in(dir);
  for (unsigned i = 1; i <= 30; i++)
    EXPECT(load(cache, i) == (i == 7 ? 2 : i), "key %u has %u points", i, load(cache, i));
  EXPECT(load(cache, 31) == 0 && load(cache, 101) == 0, "a key that was not stored");
  // By the kernel, by all but the class, by all.
  struct seen seen = visit(cache, 15, 4, 0);
  EXPECT(seen.count == 30 && seen.sum == 30 * 31 / 2, "%u of the kernel", seen.count);
  seen = visit(cache, 15, 16, 0);
  EXPECT(seen.count == 10 && seen.sum == 10 * 10 + 45, "%u of all classes", seen.count);
  EXPECT(visit(cache, 15, 32, 0).count == 1 && visit(cache, 100, 4, 0).count == 1, "one record");
  EXPECT(visit(cache, 15, 4, 3).count == 3, "a visit is not stopped");
  char large[KILN_TUNE_MAX_TEXT + 1];
  memset(large, 'a', sizeof large);
  struct kiln_tune_key key = key_of(7);
  EXPECT(!kiln_tune_store(cache, &key, large, sizeof large), "a text that is too large was stored");
  EXPECT(load(cache, 7) == 2, "the record before it is gone");
  EXPECT(kiln_tune_remove(cache, &key) && load(cache, 7) == 0, "it was not removed");
  EXPECT(!kiln_tune_remove(cache, &key), "it was removed twice");
  kiln_cache_close(cache);
  return 0;
}

static void put(const char *path, const char *data, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  EXPECT(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0, "%s", path);
}

static int damage(char **argv) {
  (void)argv;
  struct kiln_cache *cache = open_in(dir);
  char path[200], *data;
  size_t size;
  EXPECT(store(cache, 1, 9), "%s", last_log);
  path_of(dir, 1, path);
  EXPECT(kiln_file_read(path, &data, &size) == 0, "%s", path);
  for (size_t i = 0; i < 2 * size; i++) { // a changed byte, then a missing end
    data[i < size ? i : 0] ^= i < size ? 1 : 0;
    put(path, data, i < size ? size : i - size);
    data[i < size ? i : 0] ^= i < size ? 1 : 0;
    EXPECT(load(cache, 1) == 0, "damage %zu was not noticed", i);
    EXPECT(access(path, F_OK) != 0, "damage %zu was not set aside", i);
    EXPECT(strstr(last_log, "is damaged"), "%s", last_log);
  }
  put(path, data, size);
  EXPECT(load(cache, 1) == 9, "the whole file is not read");
  // An entry's file, or another record's, under this name.
  char text[200], renamed[200];
  struct kiln_tune_key key = key_of(2);
  EXPECT(kiln_tune_store(cache, &key, text_of(2, 3, text), strlen(text)), "%s", last_log);
  path_of(dir, 2, renamed);
  EXPECT(rename(renamed, path) == 0, "rename");
  EXPECT(load(cache, 1) == 0 && load(cache, 2) == 0, "a record was found under another one's name");
  struct kiln_file_view view;
  EXPECT(!kiln_file_decode(data, size, KILN_FILE_TUNING, &view), "decode");
  view.kind = KILN_FILE_ENTRY;
  char *entry;
  size_t entry_size;
  EXPECT(kiln_file_encode(&view, &entry, &entry_size), "memory");
  put(path, entry, entry_size);
  EXPECT(load(cache, 1) == 0 && strstr(last_log, "another kind"), "an entry was taken for a record: %s", last_log);
  free(entry);
  free(data);
  struct kiln_place place;
  const char *problem;
  struct kiln_place_size measured;
  EXPECT(kiln_place_open(dir, NULL, true, &place, &problem) == 0, "%s", problem);
  kiln_place_measure(&place, &measured);
  EXPECT(measured.quarantined == 32, "%d files were set aside", (int)measured.quarantined);
  kiln_place_close(&place);
  kiln_cache_close(cache);
  return 0;
}

static int owner(char **argv) {
  (void)argv;
  struct kiln_cache *cache = open_in(dir);
  char path[200];
  EXPECT(store(cache, 1, 9), "%s", last_log);
  path_of(dir, 1, path);
  EXPECT(chmod(path, 0666) == 0 && load(cache, 1) == 0, "a file that everybody can write to is read");
  EXPECT(chmod(path, 0600) == 0 && load(cache, 1) == 9, "it is not read again");
  EXPECT(chmod(dir, 0777) == 0 && load(cache, 1) == 0 && visit(cache, 1, 4, 0).count == 0,
         "a folder that everybody can write to is read");
  EXPECT(!store(cache, 1, 10), "a folder that everybody can write to is written");
  EXPECT(chmod(dir, 0700) == 0, "chmod");
  kiln_cache_close(cache);
  cache = open_in(dir);
  EXPECT(load(cache, 1) == 9, "it is not read again");
  if (geteuid() == 0) {
    EXPECT(chown(path, 12345, 12345) == 0 && load(cache, 1) == 0, "a file of another user is read");
    EXPECT(chown(path, 0, 0) == 0 && chown(dir, 12345, 12345) == 0 && load(cache, 1) == 0,
           "a folder of another user is read");
    EXPECT(chown(dir, 0, 0) == 0 && load(cache, 1) == 9, "it is not read again");
  }
  kiln_cache_close(cache);
  return geteuid() == 0 ? 0 : 77;
}

static int modes(char **argv) {
  (void)argv;
  struct kiln_cache *cache = open_in(dir);
  EXPECT(store(cache, 1, 9), "%s", last_log);
  kiln_cache_close(cache);
  static const enum kiln_cache_mode readers[] = {KILN_CACHE_MODE_RO, KILN_CACHE_MODE_REQUIRE};
  for (int i = 0; i < 2; i++) {
    cache = open_with((struct kiln_cache_config){.dir = dir, .mode = readers[i]});
    struct kiln_tune_key key = key_of(1);
    EXPECT(load(cache, 1) == 9 && !store(cache, 2, 3) && load(cache, 2) == 3, "mode %d", readers[i]);
    EXPECT(visit(cache, 1, 4, 0).count == 2, "mode %d: what memory alone has is not visited", readers[i]);
    (void)kiln_tune_remove(cache, &key);
    kiln_cache_close(cache);
  }
  cache = open_in(dir);
  EXPECT(load(cache, 1) == 9 && load(cache, 2) == 0, "a reader has changed the folder");
  kiln_cache_close(cache);
  cache = open_with((struct kiln_cache_config){.dir = dir, .mode = KILN_CACHE_MODE_OFF});
  EXPECT(load(cache, 1) == 0 && !store(cache, 3, 3) && load(cache, 3) == 0, "it is not off");
  kiln_cache_close(cache);
  cache = open_in(NULL);
  EXPECT(!store(cache, 1, 4) && load(cache, 1) == 4, "without a folder, memory keeps nothing");
  kiln_cache_close(cache);
  // What cannot be written is kept in memory; /dev/full stands for a disk, and a file for a folder.
  snprintf(other, sizeof other, "%s/file", root);
  put(other, "", 0);
  cache = open_in(other);
  EXPECT(!store(cache, 1, 4) && strstr(last_log, "cannot be written"), "%s", last_log);
  EXPECT(load(cache, 1) == 4, "memory keeps nothing");
  kiln_cache_close(cache);
  return 0;
}

// ---- other places ---------------------------------------------------------------------------------------------------

static void export_to(const char *folder, const char *path) {
  struct kiln_place place;
  const char *problem;
  struct kiln_bundle_builder builder = {.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644)};
  EXPECT(kiln_place_open(folder, NULL, true, &place, &problem) == 0, "%s", problem);
  EXPECT(kiln_place_export(&place, NULL, NULL, &builder) == 0 && kiln_bundle_finish(&builder, NULL, NULL) == 0, "%s",
         path);
  close(builder.fd);
  kiln_bundle_builder_free(&builder);
  kiln_place_close(&place);
}

static struct kiln_import_result import_from(const char *folder, const char *path, const char *key_file) {
  struct kiln_place place;
  struct kiln_bundle *bundle;
  struct kiln_import_result result;
  const char *problem;
  struct stat info;
  int fd = open(path, O_RDONLY);
  EXPECT(fd >= 0 && fstat(fd, &info) == 0, "%s", path);
  problem = kiln_bundle_open_file(fd, (uint64_t)info.st_size, &bundle);
  EXPECT(!problem, "%s", problem);
  EXPECT(kiln_place_open(folder, NULL, false, &place, &problem) == 0, "%s", problem);
  if (key_file)
    place.signer = kiln_signer_new(key_file);
  EXPECT(kiln_place_import(&place, bundle, &result) == 0, "import");
  kiln_place_close(&place);
  kiln_bundle_close(bundle);
  return result;
}

static void add_to(void *user, struct kiln_cache_entry *entry) {
  EXPECT(!kiln_bundle_add(user, kiln_cache_entry_image(entry)), "a record of memory is no good");
}

static int layers(char **argv) {
  (void)argv;
  char bundle[96], both[400], *data;
  size_t size;
  snprintf(bundle, sizeof bundle, "%s/b.bundle", root);
  snprintf(other, sizeof other, "%s/other", root);
  struct kiln_cache *cache = open_in(dir);
  EXPECT(store(cache, 1, 9) && store(cache, 2, 9), "%s", last_log);
  struct kiln_bundle_builder builder = {.fd = -1};
  EXPECT(kiln_tune_visit_memory(cache, add_to, &builder), "memory");
  EXPECT(kiln_bundle_finish(&builder, &data, &size) == 0 && builder.tunings == 2 && builder.entries == 0, "memory");
  kiln_bundle_builder_free(&builder);
  kiln_cache_close(cache);
  cache = open_in(other);
  EXPECT(store(cache, 2, 5) && store(cache, 3, 5), "%s", last_log);
  kiln_cache_close(cache);
  export_to(dir, bundle);
  snprintf(both, sizeof both, "%s:%s", other, bundle);
  cache = open_with((struct kiln_cache_config){.dir = NULL, .layers = both, .mode = KILN_CACHE_MODE_REQUIRE});
  EXPECT(load(cache, 1) == 9 && load(cache, 2) == 5 && load(cache, 3) == 5, "the first layer wins");
  struct seen seen = visit(cache, 1, 4, 0);
  EXPECT(seen.count == 3 && seen.sum == 6, "%u records in the layers", seen.count);
  kiln_cache_close(cache);
  cache = open_in(NULL);
  EXPECT(!kiln_cache_attach(cache, data, size) && load(cache, 1) == 9, "a bundle in memory");
  kiln_cache_close(cache);
  free(data);
  EXPECT(chmod(other, 0777) == 0, "chmod");
  cache = open_with((struct kiln_cache_config){.layers = both});
  EXPECT(load(cache, 3) == 0 && load(cache, 2) == 9, "a layer that everybody can write to is used");
  kiln_cache_close(cache);
  return 0;
}

static bool count_item(void *user, const struct kiln_item *item) {
  (void)item;
  ++*(unsigned *)user;
  return true;
}

static int travels(char **argv) {
  (void)argv;
  char few[96], many[96], empty[96];
  snprintf(few, sizeof few, "%s/few", root);
  snprintf(many, sizeof many, "%s/many", root);
  snprintf(empty, sizeof empty, "%s/empty", root);
  snprintf(other, sizeof other, "%s/other", root);
  struct kiln_cache *cache = open_in(dir);
  EXPECT(store(cache, 1, 5) && store(cache, 2, 5), "%s", last_log);
  export_to(dir, few);
  EXPECT(store(cache, 1, 50), "%s", last_log);
  export_to(dir, many);
  kiln_cache_close(cache);
  struct kiln_import_result result = import_from(other, few, NULL);
  EXPECT(result.added == 2 && result.refused == 0, "%d added", (int)result.added);
  result = import_from(other, few, NULL);
  EXPECT(result.added == 0 && result.present == 2, "%d present", (int)result.present);
  result = import_from(other, many, NULL);
  EXPECT(result.added == 1 && result.present == 1, "more points are not taken: %d", (int)result.added);
  result = import_from(other, few, NULL);
  EXPECT(result.added == 0 && result.present == 2, "fewer points are taken: %d", (int)result.added);
  cache = open_in(other);
  EXPECT(load(cache, 1) == 50 && load(cache, 2) == 5, "%u and %u points", load(cache, 1), load(cache, 2));
  EXPECT(store(cache, 1, 3) && load(cache, 1) == 3, "what was measured here counts more than what was imported");
  kiln_cache_close(cache);
  // Records are files of the place like others.
  struct kiln_place place;
  struct kiln_place_size size;
  const char *problem;
  unsigned found = 0, found_all = 0;
  EXPECT(kiln_place_open(other, NULL, false, &place, &problem) == 0, "%s", problem);
  kiln_place_measure(&place, &size);
  EXPECT(size.tunings == 3 && size.tuning_bytes > 600 && size.entries == 0, "%d records", (int)size.tunings);
  kiln_place_visit(&place, KILN_VISIT_TUNINGS, true, count_item, &found);
  kiln_place_visit(&place, KILN_VISIT_ENTRIES, true, count_item, &found_all);
  EXPECT(found == 3 && found_all == 0, "%u records, %u entries", found, found_all);
  EXPECT(kiln_place_clear(&place) == 3, "records are not cleared");
  kiln_place_measure(&place, &size);
  EXPECT(size.tunings == 0, "records are not cleared");
  kiln_place_close(&place);
  // A bundle without records has not changed: these bytes are what version 1 has been from the start.
  cache = open_in(empty);
  kiln_cache_close(cache);
  EXPECT(mkdir(empty, 0700) == 0, "mkdir");
  export_to(empty, few);
  char *data;
  size_t bytes;
  EXPECT(kiln_file_read(few, &data, &bytes) == 0 && bytes == 88 && memcmp(data, "KILNbnd\n\1", 9) == 0,
         "%zu bytes in an empty bundle", bytes);
  free(data);
  return 0;
}

static void make_key(const char *path, char fill) {
  char text[96] = "kiln-key shared ";
  memset(text + 16, fill, 64);
  strcpy(text + 80, "\n");
  put(path, text, strlen(text));
}

static int signed_records(char **argv) {
  (void)argv;
  char key[96], wrong[96], plain[96], sealed[96];
  snprintf(key, sizeof key, "%s/key", root);
  snprintf(wrong, sizeof wrong, "%s/wrong", root);
  snprintf(plain, sizeof plain, "%s/plain", root);
  snprintf(sealed, sizeof sealed, "%s/sealed", root);
  snprintf(other, sizeof other, "%s/other", root);
  make_key(key, '1');
  make_key(wrong, '2');
  struct kiln_signer *signer = kiln_signer_new(key);
  bool can = signer && kiln_signer_can_sign(signer);
  kiln_signer_free(signer);
  if (!can)
    return puts("kiln-sign.so is not built"), 77;
  struct kiln_cache *cache = open_in(dir);
  EXPECT(store(cache, 1, 9), "%s", last_log);
  kiln_cache_close(cache);
  cache = open_with((struct kiln_cache_config){.dir = other, .key_file = key});
  EXPECT(store(cache, 1, 9), "%s", last_log);
  kiln_cache_close(cache);
  export_to(dir, plain);
  export_to(other, sealed);
  static const struct {
    bool sealed, right, found;
    const char *says;
  } cases[] = {
      {true, true, true, ""}, {true, false, false, "a key that is not in"}, {false, true, false, "is not signed"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    last_log[0] = '\0';
    const char *file = cases[i].sealed ? sealed : plain, *with = cases[i].right ? key : wrong;
    cache = open_with((struct kiln_cache_config){.layers = file, .key_file = with});
    EXPECT((load(cache, 1) != 0) == cases[i].found && strstr(last_log, cases[i].says), "layer, case %zu: %s", i,
           last_log);
    kiln_cache_close(cache);
    char folder[96];
    snprintf(folder, sizeof folder, "%s/case%zu", root, i);
    struct kiln_import_result result = import_from(folder, file, with);
    EXPECT(result.added == cases[i].found && result.refused == !cases[i].found, "import, case %zu", i);
  }
  // A record cannot be passed off as an entry of the same bytes, nor a text as another one.
  struct kiln_bundle_builder builder = {.fd = -1};
  char path[200], *data;
  size_t size;
  path_of(other, 1, path);
  EXPECT(kiln_file_read(path, &data, &size) == 0, "%s", path);
  struct kiln_signer *checker = kiln_signer_new(key);
  EXPECT(!kiln_signer_check(checker, data, size), "its own signature");
  data[0] ^= 0;
  char *at = memmem(data, size, "A=1", 3);
  EXPECT(at, "the text is not in the file");
  at[2] = '2';
  kiln_file_set_checksum(data, size);
  EXPECT(kiln_signer_check(checker, data, size), "a changed text has a good signature");
  at[2] = '1';
  memcpy(data + size - 64 + 28, "\1", 1); // its kind
  kiln_file_set_checksum(data, size);
  struct kiln_file_view view;
  EXPECT(!kiln_file_decode(data, size, KILN_FILE_ENTRY, &view) && kiln_signer_check(checker, data, size),
         "a record passes for an entry");
  kiln_signer_free(checker);
  kiln_bundle_builder_free(&builder);
  free(data);
  return 0;
}

// ---- eviction -------------------------------------------------------------------------------------------------------

static void store_entry(struct kiln_cache *cache, unsigned i) {
  static const struct kiln_hash128 toolchain = {{1}};
  struct kiln_key key = {0};
  struct kiln_cache_entry *entry;
  struct kiln_cache_flight *flight;
  kiln_key_add_u64(&key, "program", i);
  struct kiln_cache_request request = {.key = &key, .toolchain = &toolchain};
  EXPECT(kiln_cache_find(cache, &request, &entry, &flight) == KILN_NOT_FOUND, "entry %u", i);
  struct kiln_cache_product product = {.artifact = {"code", 4}};
  EXPECT(kiln_cache_publish(flight, &product, &entry), "entry %u", i);
  kiln_cache_entry_release(entry);
  kiln_key_free(&key);
}

static struct kiln_place_size measure(void) {
  struct kiln_place place;
  struct kiln_place_size size;
  const char *problem;
  EXPECT(kiln_place_open(dir, NULL, true, &place, &problem) == 0, "%s", problem);
  kiln_place_measure(&place, &size);
  kiln_place_close(&place);
  return size;
}

static int evict(char **argv) {
  (void)argv;
  enum { LIMIT = 40 * 4096 };
  struct kiln_cache *cache = open_with((struct kiln_cache_config){.dir = dir, .max_bytes = LIMIT});
  char path[200];
  for (unsigned i = 1; i <= 10; i++) { // a quarter, and older than the entries
    EXPECT(store(cache, i, i), "%s", last_log);
    path_of(dir, i, path);
    struct timespec times[2] = {{.tv_sec = 1000000 + i}, {.tv_sec = 1000000 + i}};
    EXPECT(utimensat(AT_FDCWD, path, times, 0) == 0, "%s", path);
  }
  for (unsigned i = 0; i < 100; i++)
    store_entry(cache, i);
  kiln_cache_flush(cache);
  struct kiln_place_size size = measure();
  EXPECT(size.tunings == 10 && size.entries > 15 && size.disk_bytes <= LIMIT, "%d records, %d entries",
         (int)size.tunings, (int)size.entries);
  // Beyond a quarter the oldest go, too.
  for (unsigned i = 11; i <= 30; i++)
    EXPECT(store(cache, i, i), "%s", last_log);
  for (unsigned i = 100; i < 200; i++)
    store_entry(cache, i);
  kiln_cache_flush(cache);
  size = measure();
  EXPECT(size.tunings >= 10 && size.tunings < 30 && size.disk_bytes <= LIMIT, "%d records", (int)size.tunings);
  EXPECT(load(cache, 30) == 30, "the newest record is gone");
  kiln_cache_close(cache);
  // Pruning by age takes records as well; a sweep by size with a limit that records alone exceed ends.
  struct kiln_place place;
  struct kiln_sweep_result result;
  const char *problem;
  EXPECT(kiln_place_open(dir, NULL, false, &place, &problem) == 0, "%s", problem);
  struct kiln_store *stores[] = {&place.stores[0], &place.stores[1]};
  EXPECT(kiln_store_sweep(stores, 2, 4 * 4096, 0, NULL, &result) && result.left_bytes <= 4 * 4096, "a small limit");
  EXPECT(kiln_store_sweep(stores, 2, 0, INT64_MAX, NULL, &result) && result.left == 0, "by age");
  kiln_place_close(&place);
  EXPECT(measure().tunings == 0, "records stay for ever");
  return 0;
}

// ---- several at once ------------------------------------------------------------------------------------------------

struct waiter {
  struct kiln_cache *cache;
  atomic_int asked, got;
};
static bool ask_twice(void *user) { return atomic_fetch_add(&((struct waiter *)user)->asked, 1) >= 1; }
static bool never(void *user) {
  (void)user;
  return false;
}
static void *wait_for_lock(void *user) {
  struct waiter *waiter = user;
  struct kiln_tune_key key = key_of(1);
  struct kiln_tune_lock *lock = kiln_tune_lock(waiter->cache, &key, never, NULL);
  atomic_store(&waiter->got, lock != NULL);
  kiln_tune_unlock(lock);
  return NULL;
}

static int lock(char **argv) {
  (void)argv;
  for (int memory = 0; memory < 2; memory++) { // with a folder, without
    struct kiln_cache *cache = open_in(memory ? NULL : dir);
    struct kiln_tune_key key = key_of(1), neighbour = key_of(2);
    struct kiln_tune_lock *held = kiln_tune_lock(cache, &key, NULL, NULL);
    struct kiln_tune_lock *second = kiln_tune_lock(cache, &neighbour, NULL, NULL);
    EXPECT(held && second, "two classes of one kernel exclude each other");
    struct waiter waiter = {.cache = cache};
    EXPECT(!kiln_tune_lock(cache, &key, ask_twice, &waiter) && waiter.asked == 2, "a wait is not given up");
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, wait_for_lock, &waiter) == 0, "thread");
    usleep(50000);
    EXPECT(!waiter.got, "two threads have one lock");
    kiln_tune_unlock(held);
    pthread_join(thread, NULL);
    EXPECT(waiter.got, "the thread did not get it");
    kiln_tune_unlock(second);
    kiln_cache_close(cache);
  }
  // A process that has it is killed.
  int ready[2];
  char byte;
  EXPECT(pipe(ready) == 0, "pipe");
  pid_t child = fork();
  EXPECT(child >= 0, "fork");
  if (child == 0) {
    alarm(60); // when the parent has failed
    struct kiln_cache *own = open_in(dir);
    struct kiln_tune_key key = key_of(1);
    bool ok = kiln_tune_lock(own, &key, NULL, NULL) && write(ready[1], "x", 1) == 1;
    while (ok)
      pause();
    _exit(1);
  }
  EXPECT(read(ready[0], &byte, 1) == 1, "the child has no lock");
  struct kiln_cache *cache = open_in(dir);
  struct kiln_tune_key key = key_of(1);
  struct waiter waiter = {.cache = cache};
  EXPECT(!kiln_tune_lock(cache, &key, ask_twice, &waiter), "two processes have one lock");
  kill(child, SIGKILL);
  EXPECT(waitpid(child, NULL, 0) == child, "wait");
  struct kiln_tune_lock *freed = kiln_tune_lock(cache, &key, ask_twice, &(struct waiter){.cache = cache});
  EXPECT(freed, "a killed process keeps its lock");
  kiln_tune_unlock(freed);
  kiln_cache_close(cache);
  return 0;
}

// Records that are written, replaced, removed and visited, by processes that are killed at any time.
static int kill_writers(char **argv) {
  unsigned writers = (unsigned)atoi(argv[0]);
  struct kiln_cache *cache = open_in(dir);
  EXPECT(store(cache, 0, 1), "%s", last_log);
  for (unsigned round = 0; round < writers / 2; round++) {
    pid_t children[2];
    for (unsigned w = 0; w < 2; w++) {
      children[w] = fork();
      EXPECT(children[w] >= 0, "fork");
      if (children[w] == 0) {
        alarm(60);
        struct kiln_cache *own = open_in(dir);
        for (unsigned i = 1;; i++) {
          unsigned key = (i * 7 + w) % 20;
          EXPECT(store(own, key, i), "%s", last_log);
          (void)load(own, (i * 3) % 20); // checks what it finds
        }
      }
    }
    usleep(3000 + round * 977 % 9000);
    for (unsigned w = 0; w < 2; w++)
      kill(children[w], SIGKILL);
    for (unsigned w = 0; w < 2; w++) {
      int status;
      EXPECT(waitpid(children[w], &status, 0) == children[w] && WIFSIGNALED(status), "a writer failed");
    }
    EXPECT(load(cache, 0) != 0, "round %u: the record is gone", round);
    for (unsigned i = 0; i < 20; i++)
      (void)load(cache, i);
    EXPECT(!strstr(last_log, "damaged"), "%s", last_log);
  }
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  EXPECT(counters.quarantined == 0 && counters.store_failures == 0, "%d damaged", (int)counters.quarantined);
  kiln_cache_close(cache);
  return 0;
}

// ---- a server -------------------------------------------------------------------------------------------------------

static struct kiln_cache *machine(const char *name, char **argv, enum kiln_cache_mode mode) {
  static char folder[96];
  snprintf(folder, sizeof folder, "%s/%s", root, name);
  return open_with((struct kiln_cache_config){.dir = folder, .remotes = argv[0], .key_file = argv[1], .mode = mode});
}

static int remote(char **argv) {
  struct kiln_cache *a = machine("a", argv, KILN_CACHE_MODE_RW), *b = machine("b", argv, KILN_CACHE_MODE_RW);
  EXPECT(load(a, 1) == 0, "the server has a record already");
  EXPECT(store(a, 1, 9) && store(a, 2, 9), "%s", last_log);
  kiln_cache_flush(a);
  EXPECT(load(b, 1) == 9, "the server's record is not found: %s", last_log);
  struct kiln_tune_key key = key_of(2);
  char *text;
  size_t size;
  EXPECT(!kiln_tune_load(b, &key, false, &text, &size), "the server was asked");
  // Fewer points do not replace more, more do.
  EXPECT(store(b, 1, 4) && store(b, 2, 20), "%s", last_log);
  kiln_cache_flush(b);
  kiln_cache_close(b);
  struct kiln_cache *c = machine("c", argv, KILN_CACHE_MODE_RO);
  EXPECT(load(c, 1) == 9 && load(c, 2) == 20, "%u and %u points", load(c, 1), load(c, 2));
  kiln_cache_close(c);
  c = machine("c", argv, KILN_CACHE_MODE_RW);
  EXPECT(load(c, 1) == 9, "%s", last_log);
  kiln_cache_close(c);
  char *without[] = {NULL, argv[1]};
  c = machine("c", without, KILN_CACHE_MODE_RW);
  EXPECT(load(c, 1) == 9 && load(c, 2) == 0, "what the server had is not kept");
  kiln_cache_close(c);
  // Of another key; with another signature.
  snprintf(other, sizeof other, "%s/wrong", root);
  make_key(other, '2');
  char *stranger[] = {argv[0], other};
  b = machine("d", stranger, KILN_CACHE_MODE_RW);
  EXPECT(load(b, 1) == 0 && strstr(last_log, "is signed with a key"), "%s", last_log);
  kiln_cache_close(b);
  kiln_cache_close(a);
  return 0;
}

static struct kiln_transfer transfer_to(bool push, const char *name, char **argv) {
  struct kiln_place place;
  struct kiln_transfer result;
  char problem[KILN_REMOTE_PROBLEM] = "";
  const char *defect;
  snprintf(other, sizeof other, "%s/%s", root, name);
  EXPECT(kiln_place_open(other, NULL, false, &place, &defect) == 0, "%s", defect);
  place.signer = kiln_signer_new(argv[1]);
  struct kiln_remotes_config config = {.places = argv[0], .signer = place.signer, .patient = true};
  struct kiln_remotes *remotes = kiln_remotes_open(&config, problem);
  EXPECT(remotes, "%s", problem);
  bool ok = push ? kiln_place_push(&place, remotes, 0, NULL, NULL, &result, problem)
                 : kiln_place_pull(&place, remotes, 0, NULL, NULL, &result, problem);
  EXPECT(ok, "%s", problem);
  kiln_remotes_close(remotes);
  kiln_place_close(&place);
  return result;
}

static int transfer(char **argv) {
  char *alone[] = {NULL, argv[1]};
  struct kiln_cache *a = machine("a", alone, KILN_CACHE_MODE_RW);
  EXPECT(store(a, 1, 9) && store(a, 2, 5), "%s", last_log);
  struct kiln_transfer done = transfer_to(true, "a", argv);
  EXPECT(done.moved == 2 && done.refused == 0, "%d moved: %s", (int)done.moved, done.reason);
  done = transfer_to(true, "a", argv);
  EXPECT(done.moved == 0 && done.present == 2, "%d moved again", (int)done.moved);
  struct kiln_cache *b = machine("b", alone, KILN_CACHE_MODE_RW);
  EXPECT(store(b, 1, 3) && store(b, 2, 30), "%s", last_log);
  done = transfer_to(true, "b", argv);
  EXPECT(done.moved == 1 && done.present == 1, "%d with more points moved", (int)done.moved);
  done = transfer_to(false, "c", argv);
  EXPECT(done.moved == 2 && done.refused == 0, "%d fetched: %s", (int)done.moved, done.reason);
  done = transfer_to(false, "c", argv);
  EXPECT(done.moved == 0 && done.present == 2, "%d fetched again", (int)done.moved);
  struct kiln_cache *c = machine("c", alone, KILN_CACHE_MODE_RW);
  EXPECT(load(c, 1) == 9 && load(c, 2) == 30, "%u and %u points", load(c, 1), load(c, 2));
  EXPECT(store(a, 1, 90), "%s", last_log);
  EXPECT(transfer_to(true, "a", argv).moved == 1 && transfer_to(false, "c", argv).moved == 1, "more points");
  EXPECT(load(c, 1) == 90, "%u points", load(c, 1));
  kiln_cache_close(a);
  kiln_cache_close(b);
  kiln_cache_close(c);
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int arguments;
    int (*run)(char **argv);
  } cases[] = {{"basics", 0, basics},         {"damage", 0, damage}, {"owner", 0, owner},
               {"modes", 0, modes},           {"layers", 0, layers}, {"travels", 0, travels},
               {"signed", 0, signed_records}, {"evict", 0, evict},   {"lock", 0, lock},
               {"kill", 1, kill_writers},     {"remote", 2, remote}, {"transfer", 2, transfer}};
  strcpy(root, "/tmp/kiln-tuning-XXXXXX");
  EXPECT(mkdtemp(root), "mkdtemp");
  atexit(clean_up);
  snprintf(dir, sizeof dir, "%s/cache", root);
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
    if (strcmp(argv[1], cases[i].name) == 0 && argc == cases[i].arguments + 2)
      return cases[i].run(argv + 2);
  fprintf(stderr, "usage: see the head of tuning.c\n");
  return 2;
}
