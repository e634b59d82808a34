// Recording, manifests, warming and bundles by way of the host API: what was warmed is found by the run it was recorded
// from, whatever the program looks like.
#include "jit_test.h"

#define NOWHERE KILN_BUILD_DIR "/no-such-folder"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "jit/record.h"

static char manifest[128];

static void begin(void) {
  set_up();
  snprintf(manifest, sizeof manifest, "%s/run.manifest", test_folder);
  setenv("COMPILE_RECORD", manifest, 1);
}
static void end(void) {
  unsetenv("COMPILE_RECORD");
  tear_down();
}

static char *in_folder(const char *name) {
  static char paths[8][160];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
  return path;
}

static void put(const char *name, const char *text) {
  cr_assert_eq(kiln_file_write(in_folder(name), text, strlen(text)), 0, "%s", name);
}

static struct kiln_context *open_with(const char *dir, const char *mode) {
  struct kiln_context *ctx;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_dir = dir, .cache_mode = mode}, &ctx));
  return ctx;
}

// ---- programs that are hard to replay ------------------------------------------------------------------------------

#define K "kernel void k(global int *p) { p[0] = V; }\n"

static const struct kiln_header headers[] = {{"m.h", "#include \"n.h\"\n", 0}, {"n.h", "#define V 3", 0}};

struct tricky {
  const char *what;
  struct kiln_program_desc desc;
  const char *options; // with %s for the folder
  const char *name;    // likewise
};
static const struct tricky cases[] = {
    {"plain", {.source = "#define V 1\n" K}, "", NULL},
    {"without a newline at the end", {.source = "#define V 1\n" K "// end"}, "", NULL},
    {"carriage returns", {.source = "#define V 1\r\n" K}, "", NULL},
    {"lines that look like a manifest", {.source = "#define V 1\n/*\nend\nprogram 0\n|x\n>y\n# z\n*/\n" K}, "", NULL},
    {"bytes above 127", {.source = "#define V 1 // \xff\xfe \xc3\xa4\n" K}, "", NULL},
    {"blanks at the ends of lines", {.source = "#define V 1  \n \t\n" K "\n\n\n"}, "", NULL},
    {"options", {.source = K}, "-DV=1 -cl-fast-relaxed-math", NULL},
    {"options on several lines", {.source = K}, "-DV=1\n-w\n\n-DX", NULL},
    {"quoted options", {.source = K}, "-D \"V=1 + 1\" '-DY=a b'", NULL},
    {"a knob", {.source = "#define V 13\n" K}, "--kiln-max-steps=100000", NULL},
    {"headers from memory", {.source = "#include \"m.h\"\n" K, .headers = headers, .header_count = 2}, "", NULL},
    {"an include beside it", {.source = "#include \"a.h\"\n" K}, "", "%s/src/k.cl"},
    {"an include above it", {.source = "#include \"../up.h\"\n" K}, "", "%s/src/k.cl"},
    {"an include of a folder", {.source = "#include <b.h>\n" K}, "-I %s/one -I%s/two/", "%s/src/k.cl"},
    {"a folder in a folder", {.source = "#include <b.h>\n" K}, "-I%s -I%s/two", "%s/src/k.cl"},
    {"an include with a whole path", {.source = NULL}, "", NULL},
    {"debug information", {.source = "#include \"a.h\"\n" K}, "-g", "%s/src/k.cl"},
    {"its own name", {.source = "constant char f[] = __FILE__;\n#define V f[0]\n" K}, "", "%s/src/k.cl"},
    {"a relative name", {.source = "#define V 11\n" K}, "", "./some/../k.cl"},
    {"a name with blanks", {.source = "#define V 12\n" K}, "", "a b/c:d.cl"},
    {"IR", {.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT}, "", NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static void make_files(void) {
  mkdir(in_folder("src"), 0700);
  mkdir(in_folder("one"), 0700);
  mkdir(in_folder("two"), 0700);
  put("src/a.h", "#define V 2\n");
  put("up.h", "#include \"src/a.h\"");
  put("two/b.h", "#define V 4\n#include <c.h>\n");
  put("two/c.h", "\n");
}

static void hide_files(bool hide) {
  for (const char *const *name = (const char *const[]){"src", "one", "two", NULL}; *name; name++) {
    char hidden[32];
    snprintf(hidden, sizeof hidden, "hidden-%s", *name);
    cr_assert_eq(rename(in_folder(hide ? *name : hidden), in_folder(hide ? hidden : *name)), 0, "%s", *name);
  }
}

static enum kiln_cache_outcome run_case(struct kiln_context *ctx, const struct tricky *c) {
  char options[512], name[256], whole[256];
  struct kiln_program_desc desc = c->desc;
  struct kiln_program *program;
  struct kiln_program_info info;
  snprintf(options, sizeof options, c->options, test_folder, test_folder);
  desc.options = options;
  if (c->name) {
    snprintf(name, sizeof name, c->name, test_folder);
    desc.name = name;
  }
  if (!desc.source) {
    snprintf(whole, sizeof whole, "#include \"%s/src/a.h\"\n" K, test_folder);
    desc.source = whole;
  }
  enum kiln_status status = kiln_program_create(ctx, &desc, &program);
  cr_assert_eq(status, KILN_OK, "%s: %s", c->what, kiln_last_error());
  kiln_program_info(program, &info);
  kiln_program_release(program);
  return info.cache;
}

static void record_all(void) {
  struct kiln_context *ctx = open_with(in_folder("first"), "rw");
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < CASES; i++)
      cr_assert_eq(run_case(ctx, &cases[i]), turn ? KILN_CACHE_HIT_MEMORY : KILN_CACHE_MISS, "%s", cases[i].what);
  }
  kiln_context_close(ctx);
}

static void expect_all(struct kiln_context *ctx, const char *what) {
  for (int i = 0; i < CASES; i++)
    cr_assert_eq(run_case(ctx, &cases[i]), KILN_CACHE_HIT_DISK, "%s: %s", what, cases[i].what);
}

Test(warm, what_was_recorded_is_found, .init = begin, .fini = end) {
  make_files();
  record_all();
  hide_files(true); // the manifest holds all it needs
  const char *path = manifest;
  struct kiln_warm_result result;
  struct kiln_warm_desc desc = {.manifests = &path,
                                .manifest_count = 1,
                                .cache_dir = in_folder("second"),
                                .num_threads = 2,
                                .export_memory = true};
  OK(kiln_warm(&desc, &result));
  cr_assert(result.failed == 0 && result.compiled == CASES && result.damaged == 0, "%llu compiled, %llu failed",
            (unsigned long long)result.compiled, (unsigned long long)result.failed);
  hide_files(false);
  unsetenv("COMPILE_RECORD");
  struct kiln_context *ctx = open_with(in_folder("second"), "require");
  expect_all(ctx, "folder");
  kiln_context_close(ctx);
  ctx = open_with(in_folder("third"), "require"); // as another rank of an MPI job
  OK(kiln_context_import(ctx, result.bundle, result.bundle_size));
  expect_all(ctx, "bundle");
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  cr_assert(stats.layer_hits == CASES && stats.compiles == 0 && access(in_folder("third"), F_OK) != 0);
  kiln_context_close(ctx);
  kiln_free(result.bundle);
}

Test(warm, can_be_repeated, .init = begin, .fini = end) {
  make_files();
  record_all();
  const char *path = manifest;
  struct kiln_warm_result result;
  struct kiln_warm_desc desc = {.manifests = &path, .manifest_count = 1, .cache_dir = in_folder("second")};
  for (int turn = 0; turn < 2; turn++) {
    OK(kiln_warm(&desc, &result));
    cr_assert(result.compiled == (turn ? 0 : CASES) && result.cached == (turn ? CASES : 0));
  }
  cr_assert_eq(result.bundle, NULL);
}

struct count {
  uint64_t events, last;
};
static bool stop_at_five(void *user, const struct kiln_warm_event *event) {
  struct count *count = user;
  count->events++;
  cr_assert(event->done == count->last + 1 && event->total == CASES && *event->program && event->ms >= 0);
  cr_assert_str_eq(event->backend, "interp");
  count->last = event->done;
  return count->events < 5;
}

Test(warm, can_be_stopped_and_resumed, .init = begin, .fini = end) {
  make_files();
  record_all();
  const char *path = manifest;
  struct count count = {0};
  struct kiln_warm_result result;
  struct kiln_warm_desc desc = {.manifests = &path,
                                .manifest_count = 1,
                                .cache_dir = in_folder("second"),
                                .num_threads = 2,
                                .event = stop_at_five,
                                .event_user = &count};
  OK(kiln_warm(&desc, &result));
  cr_assert(count.events == 5 && result.compiled >= 5 && result.compiled < CASES, "%llu compiled",
            (unsigned long long)result.compiled);
  desc.event = NULL;
  uint64_t before = result.compiled;
  OK(kiln_warm(&desc, &result));
  cr_assert(result.cached == before && result.compiled == CASES - before);
}

// ---- manifests -----------------------------------------------------------------------------------------------------

static uint32_t count_programs(const char *path, uint64_t *damaged) {
  char *text;
  size_t size;
  struct kiln_recorded_list list = {0};
  cr_assert_eq(kiln_file_read(path, &text, &size), 0);
  OK(kiln_manifest_read(path, text, size, &list));
  uint32_t count = list.count;
  *damaged = list.damaged;
  kiln_recorded_list_free(&list);
  free(text);
  return count;
}

Test(manifest, of_many_processes, .init = begin, .fini = end) {
  enum { PROCESSES = 8, PROGRAMS = 30 };
  for (int i = 0; i < PROCESSES; i++) {
    pid_t child = fork();
    if (child == 0) {
      struct kiln_context *ctx = open_with(in_folder("cache"), "rw");
      for (int k = 0; k < PROGRAMS; k++) {
        char source[200];
        struct kiln_program *program;
        snprintf(source, sizeof source, "#define V %d\n" K, (k + i) % PROGRAMS);
        if (kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program) != KILN_OK)
          _exit(1);
        kiln_program_release(program);
      }
      kiln_context_close(ctx);
      _exit(0);
    }
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    cr_assert(wait(&status) > 0 && status == 0);
  }
  uint64_t damaged;
  cr_assert_eq(count_programs(manifest, &damaged), PROGRAMS);
  cr_assert_eq(damaged, 0);
  char *text, *at;
  size_t size, records = 0;
  cr_assert_eq(kiln_file_read(manifest, &text, &size), 0);
  for (at = text; (at = strstr(at, "\nprogram ")); at++)
    records++;
  cr_assert_eq(records, PROGRAMS, "%zu records: each is there once", records);
  free(text);
}

// Whatever is left of a manifest, reading it ends well, and no program but those that were recorded comes out.
Test(manifest, cut_anywhere, .init = begin, .fini = end) {
  make_files();
  record_all();
  char *text;
  size_t size, cut = 0;
  cr_assert_eq(kiln_file_read(manifest, &text, &size), 0);
  struct kiln_recorded_list whole = {0};
  OK(kiln_manifest_read("m", text, size, &whole));
  cr_assert_eq(whole.count, CASES);
  for (size_t length = 0; length <= size; length++, cut++) {
    struct kiln_recorded_list list = {0};
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    enum kiln_status status = kiln_manifest_read("m", copy, length, &list);
    cr_assert(status == KILN_OK || length < 16, "length %zu: %s", length, kiln_last_error());
    cr_assert(list.count <= CASES && list.damaged <= 1);
    for (uint32_t i = 0; i < list.count; i++)
      cr_assert(list.items[i].size == whole.items[i].size &&
                    list.items[i].include_count == whole.items[i].include_count,
                "length %zu, program %u", length, i);
    kiln_recorded_list_free(&list);
    free(copy);
  }
  // A torn record in the middle: what comes after it is read.
  char *middle = strstr(text, "\nend\n");
  cr_assert(middle);
  struct kiln_strbuf torn = {0};
  kiln_strbuf_append(&torn, text, (size_t)(middle - text) - 3);
  kiln_strbuf_puts(&torn, middle + 5);
  struct kiln_recorded_list list = {0};
  OK(kiln_manifest_read("m", torn.data, torn.size, &list));
  cr_assert(list.count == CASES - 1 && list.damaged == 1, "%u programs, %llu damaged", list.count,
            (unsigned long long)list.damaged);
  kiln_recorded_list_free(&list);
  kiln_recorded_list_free(&whole);
  kiln_strbuf_free(&torn);
  free(text);
  cr_assert_eq(cut, size + 1);
}

Test(manifest, random_changes, .init = begin, .fini = end) {
  make_files();
  record_all();
  char *text;
  size_t size, cases_run = 0;
  unsigned seed = 99;
  cr_assert_eq(kiln_file_read(manifest, &text, &size), 0);
  for (int i = 0; i < 2000; i++, cases_run++) {
    char *copy = malloc(size);
    memcpy(copy, text, size);
    for (int k = 0; k < 1 + i % 5; k++) {
      static const char marks[] = "\n|>:# ep\0\xff";
      seed = seed * 1103515245 + 12345;
      copy[(seed >> 3) % size] = marks[(seed >> 20) % (sizeof marks - 1)];
    }
    struct kiln_recorded_list list = {0};
    (void)kiln_manifest_read("m", copy, size, &list);
    cr_assert(list.count <= CASES + 5);
    kiln_recorded_list_free(&list);
    free(copy);
  }
  cr_assert_eq(cases_run, 2000);
  free(text);
}

Test(manifest, mistakes_have_a_line, .init = begin, .fini = end) {
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {"hello\n", "m:1: it is no manifest"},
      {"kiln-manifest 9\n", "m:1: manifest version '9'; this Kiln reads version 1"},
      {"kiln-manifest 1\nprogram\nend\n", "m:3: the program has no 'source' and no 'file'"},
      {"kiln-manifest 1\nprogram\nfoo: 1\nend\n", "m:3: 'foo' is unknown"},
      {"kiln-manifest 1\nprogram\nkind: metal\nend\n", "m:3: 'kind' must be opencl-c, ir or spirv"},
      {"kiln-manifest 1\nprogram\nfoo\nend\n", "m:3: expected 'key: value'"},
      {"kiln-manifest 1\nprogram\n|x\nend\n", "m:3: text that belongs to no source"},
      {"kiln-manifest 1\nprogram\nfile: " NOWHERE "/k.cl\nend\n", "cannot read '" NOWHERE "/k.cl'"},
      {"kiln-manifest 1\nprogram\nfile: k.cl\nsource:\n|x\nend\n", "either 'source' or 'file'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct kiln_recorded_list list = {0};
    cr_assert_neq(kiln_manifest_read("m", wrong[i].text, strlen(wrong[i].text), &list), KILN_OK, "case %zu", i);
    cr_assert(strstr(kiln_last_error(), wrong[i].message), "case %zu: %s", i, kiln_last_error());
    kiln_recorded_list_free(&list);
  }
}

Test(warm, arguments, .init = set_up, .fini = tear_down) {
  struct kiln_warm_result result;
  struct kiln_context *ctx = open_interp();
  FAILS(kiln_warm(NULL, &result), KILN_ERR_INVALID, "desc is NULL");
  FAILS(kiln_warm(&(struct kiln_warm_desc){.text = "x"}, NULL), KILN_ERR_INVALID, "result is NULL");
  FAILS(kiln_warm(&(struct kiln_warm_desc){0}, &result), KILN_ERR_INVALID, "no manifest");
  FAILS(kiln_warm(&(struct kiln_warm_desc){.manifest_count = 1}, &result), KILN_ERR_INVALID, "manifests is NULL");
  static const char text[] = "kiln-manifest 1\nprogram\nsource:\n|kernel void k() {}\nend\n";
  struct kiln_warm_target nobody = {"nobody", NULL};
  FAILS(kiln_warm(&(struct kiln_warm_desc){.text = text, .targets = &nobody, .target_count = 1}, &result),
        KILN_ERR_NOT_FOUND, "nobody");
  FAILS(kiln_warm(&(struct kiln_warm_desc){.text = text, .cache_mode = "off"}, &result), KILN_ERR_INVALID,
        "there is no cache to warm");
  FAILS(kiln_context_import(ctx, "nonsense", 8), KILN_ERR_INVALID, "it is not a bundle");
  FAILS(kiln_context_import(NULL, "", 0), KILN_ERR_INVALID, "ctx is NULL");
  FAILS(kiln_context_export(ctx, NULL, NULL), KILN_ERR_INVALID, "bundle is NULL");
  FAILS(kiln_cache_list(NULL, NULL, 0, NULL, NULL), KILN_ERR_INVALID, "fn is NULL");
  FAILS(kiln_cache_import(NULL, NOWHERE, NULL, NULL, NULL), KILN_ERR_NOT_FOUND, NOWHERE);
  kiln_context_close(ctx);
}

// One context compiles, the other gets what it has.
Test(warm, export_of_a_context, .init = set_up, .fini = tear_down) {
  struct kiln_context *one = open_with(NULL, "ro"), *two = open_with(NULL, "require");
  struct kiln_program *program;
  struct kiln_program_info info;
  void *bundle;
  size_t size;
  kiln_program_release(make_program(one, SAXPY));
  OK(kiln_context_export(one, &bundle, &size));
  OK(kiln_context_import(two, bundle, size));
  kiln_free(bundle);
  program = make_program(two, SAXPY);
  kiln_program_info(program, &info);
  cr_assert_eq(info.cache, KILN_CACHE_HIT_DISK);
  kiln_program_release(program);
  kiln_context_close(one);
  kiln_context_close(two);
}

// ---- events --------------------------------------------------------------------------------------------------------

struct seen {
  int kinds[KILN_CACHE_EVENT_RECOVERED + 1];
  char place[128], reason[128], program[64];
};
static void see(void *user, const struct kiln_cache_event *event) {
  struct seen *seen = user;
  seen->kinds[event->kind]++;
  snprintf(seen->place, sizeof seen->place, "%s", event->place);
  snprintf(seen->reason, sizeof seen->reason, "%s", event->reason);
  if (*event->program)
    snprintf(seen->program, sizeof seen->program, "%s", event->program);
}

Test(events, of_a_program, .init = set_up, .fini = tear_down) {
  struct seen seen = {0};
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_cache_stats stats;
  struct kiln_context_desc desc = {.backend = "interp", .cache_event = see, .cache_event_user = &seen};
  OK(kiln_context_open(&desc, &ctx));
  kiln_program_release(make_program(ctx, SAXPY));
  cr_assert(seen.kinds[KILN_CACHE_EVENT_MISS] == 1 && seen.kinds[KILN_CACHE_EVENT_COMPILED] == 1 &&
            seen.kinds[KILN_CACHE_EVENT_STORED] == 1);
  kiln_program_release(make_program(ctx, SAXPY));
  cr_assert(seen.kinds[KILN_CACHE_EVENT_HIT] == 1);
  cr_assert_str_eq(seen.place, "memory");
  cr_assert_str_eq(seen.program, "<source>");
  struct kiln_program_desc wrong = {.source = "kernel void k( {", .name = "wrong.cl"};
  cr_assert_eq(kiln_program_create(ctx, &wrong, &program), KILN_ERR_COMPILE);
  cr_assert(seen.kinds[KILN_CACHE_EVENT_FAILED] == 1 && seen.kinds[KILN_CACHE_EVENT_MISS] == 2);
  cr_assert_str_eq(seen.program, "wrong.cl");
  kiln_context_cache_stats(ctx, &stats);
  cr_assert(stats.misses_by.absent == 2 && stats.front_ms > 0 && stats.lookup_ms > 0 && stats.bytes_written > 0);
  kiln_context_close(ctx);
  OK(kiln_context_open(&desc, &ctx));
  kiln_program_release(make_program(ctx, SAXPY));
  cr_assert(seen.kinds[KILN_CACHE_EVENT_HIT] == 2);
  cr_assert_str_eq(seen.place, test_folder);
  kiln_context_cache_stats(ctx, &stats);
  cr_assert(stats.disk_hits == 1 && stats.layer_hits == 0 && stats.bytes_read > 0 && !stats.degraded);
  kiln_context_close(ctx);
}
