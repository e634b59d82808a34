// A process that uses the cache while somebody else is at its folder: one case per verb.
//   intrusion swap INTRUDER    an entry is replaced by a library of somebody else
//   intrusion plant INTRUDER   an entry whose code is that library, all else of it right, where others could write
//   intrusion cut              an entry is cut while its code is loaded
//   intrusion overwrite        … or overwritten in place, as rsync --inplace does
//   intrusion mode             the folder becomes one that everybody can write to
//   intrusion owner            … or one of another user (root only)
//   intrusion pipes            pipes lie where the cache has its files
//   intrusion names            the cache's files have second names elsewhere
//   intrusion shared           a layer of root is mapped, and shared with other processes,
//   intrusion private          other folders are not,
//   intrusion debug            unless profilers are to find the file
// The exit status is 1 when something does not hold, 77 when the case cannot be had here.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/cpu/cpu.h"
#include "base/file.h"
#include "cache/format.h"
#include "kiln/kiln.h"
#include "tests/support/expect.h"

static char dir[64], folder[80], other[80];

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk) {
  (void)info, (void)flag, (void)walk;
  return remove(path);
}
static void clean_up(void) { nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

// ---- programs ------------------------------------------------------------------------------------------------------

struct world {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
};
struct program {
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  int value;
};

static void must(enum kiln_status status) { EXPECT(status == KILN_OK, "%s", kiln_last_error()); }

static struct world world_open_in(const char *where) {
  struct world w;
  struct kiln_context_desc desc = {.backend = "cpu", .cache_dir = where, .cache_mode = "rw"};
  must(kiln_context_open(&desc, &w.ctx));
  must(kiln_stream_create(w.ctx, 0, &w.stream));
  must(kiln_buffer_create(w.ctx, &(struct kiln_buffer_desc){.size = sizeof(int)}, &w.buffer));
  return w;
}

static struct world world_open(void) { return world_open_in(folder); }

static void world_close(struct world *w) {
  kiln_buffer_release(w->buffer);
  kiln_stream_release(w->stream);
  kiln_context_close(w->ctx);
}

static struct program make_with(struct world *w, int value, const char *options) {
  struct program p = {.value = value};
  char source[128];
  snprintf(source, sizeof source, "kernel void f(global int *x) { x[get_global_id(0)] = %d; }", value);
  must(kiln_program_create(w->ctx, &(struct kiln_program_desc){.source = source, .options = options}, &p.program));
  must(kiln_kernel_create(p.program, NULL, &p.kernel));
  return p;
}
static struct program make(struct world *w, int value) { return make_with(w, value, ""); }

static void run(struct world *w, const struct program *p) {
  int result = 0;
  struct kiln_arg arg = kiln_arg_buffer(w->buffer);
  must(kiln_write(w->stream, w->buffer, 0, &result, sizeof result, NULL));
  must(
      kiln_launch(w->stream, p->kernel, &(struct kiln_launch_desc){.global = {1}, .args = &arg, .arg_count = 1}, NULL));
  must(kiln_read(w->stream, w->buffer, 0, &result, sizeof result, NULL));
  must(kiln_stream_finish(w->stream));
  EXPECT(result == p->value, "%d instead of %d", result, p->value);
}

static void drop(struct program *p) {
  kiln_kernel_release(p->kernel);
  kiln_program_release(p->program);
}

static void make_and_run(struct world *w, int value) {
  struct program p = make(w, value);
  run(w, &p);
  drop(&p);
}

static struct kiln_cache_stats stats_of(struct world *w) {
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(w->ctx, &stats);
  return stats;
}

// The one entry of the folder.
static void entry_path(char out[256]) {
  char pattern[128];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/[0-9a-f][0-9a-f]/*.kiln", folder);
  EXPECT(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1, "%zu entries", found.gl_pathc);
  snprintf(out, 256, "%s", found.gl_pathv[0]);
  globfree(&found);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

static int swap(const char *intruder) {
  char mark[80], path[256], *data;
  size_t size;
  snprintf(mark, sizeof mark, "%s/mark", dir);
  setenv("INTRUDER_MARK", mark, 1);
  EXPECT(kiln_file_read(intruder, &data, &size) == 0, "%s", intruder);
  struct world w = world_open();
  make_and_run(&w, 7);
  entry_path(path);
  EXPECT(unlink(path) == 0 && kiln_file_write(path, data, size) == 0, "%s", strerror(errno));
  make_and_run(&w, 7); // memory has it
  world_close(&w);
  w = world_open();
  make_and_run(&w, 7); // the disk has something else
  world_close(&w);
  EXPECT(access(mark, F_OK) != 0, "the intruder's code was run");
  free(data);
  return 0;
}

// ---- an entry with other code, for which all numbers are right ---

enum { STRANGER = 4242 };

// Puts the build id of one library into another.
static void take_build_id(char *code, size_t size, const uint8_t id[20]) {
  static const char head[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
  char *note = memmem(code, size, head, sizeof head);
  EXPECT(note, "the intruder has no build id");
  memcpy(note + sizeof head, id, 20);
}

// Puts the intruder's code into the entry.
static void plant_code(const char *entry, const char *intruder) {
  struct kiln_file_view view;
  struct kiln_cpu_meta meta;
  char *image, *code, *planted, *own_meta;
  size_t size, code_size, planted_size;
  EXPECT(kiln_file_read(entry, &image, &size) == 0 && kiln_file_read(intruder, &code, &code_size) == 0, "%s", entry);
  EXPECT(!kiln_file_decode(image, size, KILN_FILE_ENTRY, &view), "%s", entry);
  struct kiln_str *section = &view.sections[KILN_SECTION_META];
  memcpy(&meta, section->data, sizeof meta);
  take_build_id(code, code_size, meta.build_id);
  meta.check = kiln_cpu_check(code, code_size, section->data, section->size);
  own_meta = malloc(section->size);
  EXPECT(own_meta, "memory");
  memcpy(own_meta, section->data, section->size);
  memcpy(own_meta, &meta, sizeof meta);
  section->data = own_meta;
  view.artifact = (struct kiln_str){code, code_size};
  EXPECT(kiln_file_encode(&view, &planted, &planted_size) && kiln_file_write_private(entry, planted, planted_size) == 0,
         "%s", strerror(errno));
  free(image);
  free(code);
  free(own_meta);
  free(planted);
}

static void give(const char *path, uid_t user, gid_t group) {
  EXPECT(lchown(path, user, group) == 0, "%s: %s", path, strerror(errno));
}
static void set_mode(const char *path, mode_t mode) { EXPECT(chmod(path, mode) == 0, "%s: %s", path, strerror(errno)); }

static void leave(const char *entry, const char *above) { (void)entry, (void)above; }
static void open_entry(const char *entry, const char *above) { (void)above, set_mode(entry, 0602); }
static void open_folder_of_it(const char *entry, const char *above) { (void)entry, set_mode(above, 0702); }
static void open_cache(const char *entry, const char *above) { (void)entry, (void)above, set_mode(folder, 0702); }
static void open_way(const char *entry, const char *above) { (void)entry, (void)above, set_mode(dir, 0777); }
static void link_entry(const char *entry, const char *above) {
  char away[300];
  (void)above;
  snprintf(away, sizeof away, "%s/away", dir);
  EXPECT(rename(entry, away) == 0 && symlink(away, entry) == 0, "%s", strerror(errno));
}
static void give_entry(const char *entry, const char *above) { (void)above, give(entry, STRANGER, STRANGER); }
static void team_entry(const char *entry, const char *above) {
  (void)above;
  give(entry, 0, STRANGER);
  set_mode(entry, 0620);
}
static void give_folder_of_it(const char *entry, const char *above) { (void)entry, give(above, STRANGER, STRANGER); }
static void team_folder_of_it(const char *entry, const char *above) {
  (void)entry;
  give(above, 0, STRANGER);
  set_mode(above, 0770);
}
static void give_cache(const char *entry, const char *above) {
  (void)entry, (void)above;
  give(folder, STRANGER, STRANGER);
}

static const struct plant {
  const char *what;
  void (*spoil)(const char *entry, const char *above);
  bool needs_root, runs;
} plants[] = {
    {"our own", leave, false, true}, // so that the others show something
    {"others can write to it", open_entry, false, false},
    {"others can write to its folder", open_folder_of_it, false, false},
    {"others can write to the cache", open_cache, false, false},
    {"everybody can rename the cache", open_way, false, false},
    {"a link", link_entry, false, false},
    {"another user's", give_entry, true, false},
    {"a group can write to it", team_entry, true, false},
    {"in a folder of another user", give_folder_of_it, true, false},
    {"in a folder of a group", team_folder_of_it, true, false},
    {"in a cache of another user", give_cache, true, false},
};

// In the cache that is written, and in a layer.
static void plant_one(const struct plant *p, const char *intruder, bool layer) {
  char entry[256], above[256], mark[80];
  set_mode(dir, 0700);
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  snprintf(mark, sizeof mark, "%s/mark", dir);
  unlink(mark);
  setenv("INTRUDER_MARK", mark, 1);
  unsetenv("COMPILE_CACHE_PATH");
  struct world w = world_open();
  make_and_run(&w, 7);
  world_close(&w);
  entry_path(entry);
  plant_code(entry, intruder);
  snprintf(above, sizeof above, "%.*s", (int)(strrchr(entry, '/') - entry), entry);
  p->spoil(entry, above);
  if (layer)
    setenv("COMPILE_CACHE_PATH", folder, 1);
  w = layer ? world_open_in(other) : world_open();
  make_and_run(&w, 7); // what is loaded and has no kernel costs a compile
  world_close(&w);
  nftw(other, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  EXPECT((access(mark, F_OK) == 0) == p->runs, "%s%s: it was %srun", p->what, layer ? ", in a layer" : "",
         p->runs ? "not " : "");
}

static int plant(const char *intruder) {
  for (size_t i = 0; i < sizeof plants / sizeof *plants; i++)
    for (int layer = 0; layer < 2; layer++)
      if (geteuid() == 0 || !plants[i].needs_root)
        plant_one(&plants[i], intruder, layer);
  return 0;
}

static int damage(bool cut) {
  struct world w = world_open();
  make_and_run(&w, 3);
  world_close(&w);
  w = world_open();
  struct program p = make(&w, 3);
  run(&w, &p);
  EXPECT(stats_of(&w).disk_hits == 1, "it was not in the cache");
  char path[256];
  struct stat info;
  entry_path(path);
  EXPECT(stat(path, &info) == 0, "%s", path);
  if (cut) {
    EXPECT(truncate(path, 0) == 0, "%s", strerror(errno));
  } else {
    int fd = open(path, O_WRONLY);
    char *zeros = calloc(1, (size_t)info.st_size);
    EXPECT(fd >= 0 && zeros && write(fd, zeros, (size_t)info.st_size) == info.st_size, "%s", strerror(errno));
    close(fd);
    free(zeros);
  }
  run(&w, &p);
  drop(&p);
  world_close(&w);
  return 0;
}

// The folder was good when the context used it first; from then on nothing is taken from it nor put into it.
static int spoil(bool owner) {
  if (owner && geteuid() != 0)
    return 77;
  struct world w = world_open();
  make_and_run(&w, 1);
  make_and_run(&w, 2);
  EXPECT(stats_of(&w).stores == 2, "nothing is stored");
  world_close(&w);
  w = world_open();
  make_and_run(&w, 1);
  EXPECT(stats_of(&w).disk_hits == 1, "no hit");
  EXPECT((owner ? chown(folder, 1234, 1234) : chmod(folder, 0777)) == 0, "%s", strerror(errno));
  make_and_run(&w, 2);
  make_and_run(&w, 3);
  struct kiln_cache_stats stats = stats_of(&w);
  EXPECT(stats.disk_hits == 1 && stats.stores == 0, "%llu hits, %llu stores", (unsigned long long)stats.disk_hits,
         (unsigned long long)stats.stores);
  world_close(&w);
  return 0;
}

static const char *const own_files[] = {"toolchains", "lock", "usage", "CACHEDIR.TAG"};
enum { OWN_FILES = sizeof own_files / sizeof *own_files };

static void beside_folder(const char *where, const char *name, char out[256]) {
  snprintf(out, 256, "%s/%s", where, name);
}

static int pipes(void) {
  char path[256];
  struct world w = world_open();
  make_and_run(&w, 1);
  world_close(&w);
  entry_path(path);
  EXPECT(unlink(path) == 0 && mkfifo(path, 0600) == 0, "%s", path);
  for (int i = 0; i < OWN_FILES; i++) {
    beside_folder(folder, own_files[i], path);
    EXPECT((unlink(path) == 0 || errno == ENOENT) && mkfifo(path, 0600) == 0, "%s", path);
  }
  setenv("COMPILE_CACHE_PATH", folder, 1); // as a layer, too
  alarm(60);                               // what blocks ends here
  w = world_open();
  make_and_run(&w, 1);
  make_and_run(&w, 2);
  world_close(&w);
  return 0;
}

// Files that are written in place must not be somebody's other files.
static int names(void) {
  char path[256], away[256], *data;
  size_t size;
  EXPECT(mkdir(folder, 0700) == 0 && mkdir(other, 0700) == 0, "%s", strerror(errno));
  for (int i = 0; i < OWN_FILES; i++) {
    beside_folder(folder, own_files[i], path);
    beside_folder(other, own_files[i], away);
    EXPECT(kiln_file_write(away, "mine", 4) == 0 && link(away, path) == 0, "%s", strerror(errno));
  }
  struct world w = world_open();
  make_and_run(&w, 1);
  world_close(&w);
  for (int i = 0; i < OWN_FILES; i++) {
    beside_folder(other, own_files[i], away);
    EXPECT(kiln_file_read(away, &data, &size) == 0 && size == 4 && memcmp(data, "mine", 4) == 0,
           "%s was written to by another name", away);
    free(data);
  }
  return 0;
}

// Whether a file of the cache is mapped; *memory: whether a memory file is.
static bool is_mapped(bool *memory) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  bool found = *memory = false;
  EXPECT(maps, "%s", strerror(errno));
  while (fgets(line, sizeof line, maps)) {
    found |= strstr(line, folder) != NULL;
    *memory |= strstr(line, "memfd:kiln") != NULL;
  }
  fclose(maps);
  return found;
}

// What is mapped of a program that comes from the cache.
static int shared(bool layer, const char *options) {
  bool memory;
  struct world w = world_open();
  struct program p = make_with(&w, 3, options);
  run(&w, &p);
  drop(&p);
  world_close(&w);
  if (layer) {
    setenv("COMPILE_CACHE_PATH", folder, 1);
    w = world_open_in(other);
  } else {
    w = world_open();
  }
  p = make_with(&w, 3, options);
  run(&w, &p);
  struct kiln_cache_stats stats = stats_of(&w);
  EXPECT((layer ? stats.layer_hits : stats.disk_hits) == 1, "it was not in the cache");
  bool of_root = layer && geteuid() == 0, debug = *options;
  EXPECT(is_mapped(&memory) == (of_root || debug), "%s", of_root || debug ? "not mapped" : "mapped");
  EXPECT(memory == !(of_root || debug), "%s", memory ? "in memory" : "not in memory");
  drop(&p);
  world_close(&w);
  return 0;
}

int main(int argc, char **argv) {
  const char *verb = argc > 1 ? argv[1] : "";
  snprintf(dir, sizeof dir, "/tmp/kiln-intrusion-XXXXXX");
  EXPECT(mkdtemp(dir), "%s", strerror(errno));
  atexit(clean_up);
  snprintf(folder, sizeof folder, "%s/cache", dir);
  snprintf(other, sizeof other, "%s/other", dir);
  if (strcmp(verb, "swap") == 0 && argc > 2)
    return swap(argv[2]);
  if (strcmp(verb, "plant") == 0 && argc > 2)
    return plant(argv[2]);
  if (strcmp(verb, "cut") == 0 || strcmp(verb, "overwrite") == 0)
    return damage(*verb == 'c');
  if (strcmp(verb, "mode") == 0 || strcmp(verb, "owner") == 0)
    return spoil(*verb == 'o');
  if (strcmp(verb, "pipes") == 0)
    return pipes();
  if (strcmp(verb, "names") == 0)
    return names();
  if (strcmp(verb, "shared") == 0)
    return shared(true, "");
  if (strcmp(verb, "private") == 0)
    return shared(false, "");
  if (strcmp(verb, "debug") == 0)
    return shared(false, "-g");
  fprintf(stderr,
          "usage: intrusion swap INTRUDER|plant INTRUDER|cut|overwrite|mode|owner|pipes|names|shared|private|debug\n");
  return 1;
}
