// Programs: cache outcomes, stages, dumps, bad descriptions. On interp, with kernels as IR text.
#include <dirent.h>

#include "jit_test.h"

static struct kiln_context *ctx;

static void open_all(void) {
  set_up();
  ctx = open_interp();
}
static void close_all(void) {
  kiln_context_close(ctx);
  tear_down();
}

static struct kiln_program_info info_of(const struct kiln_program *program) {
  struct kiln_program_info info = {0};
  kiln_program_info(program, &info);
  return info;
}

Test(program, miss_then_memory_then_disk, .init = open_all, .fini = close_all) {
  struct kiln_program *a = make_program(ctx, SAXPY), *b = make_program(ctx, SAXPY);
  struct kiln_context *other = open_interp();
  struct kiln_program *c = make_program(other, SAXPY);
  struct kiln_program_info ia = info_of(a), ib = info_of(b), ic = info_of(c);
  cr_assert(ia.cache == KILN_CACHE_MISS && ib.cache == KILN_CACHE_HIT_MEMORY && ic.cache == KILN_CACHE_HIT_DISK);
  cr_assert(strcmp(ia.key, ib.key) == 0 && strcmp(ia.key, ic.key) == 0 && strlen(ia.key) == 32);
  cr_assert(ia.front_ms > 0 && ib.front_ms == 0 && ic.front_ms == 0 && ic.kernel_count == 1);
  cr_assert(ia.artifact_size == ic.artifact_size && memcmp(ia.artifact, ic.artifact, ia.artifact_size) == 0);
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  cr_assert(stats.misses == 1 && stats.compiles == 1 && stats.memory_hits == 1 && stats.stores == 1);
  kiln_program_release(a);
  kiln_program_release(b);
  kiln_program_release(c);
  kiln_context_close(other);
}

Test(program, what_decides_the_key, .init = open_all, .fini = close_all) {
  static const struct {
    const char *options, *name;
    bool hit;
  } cases[] = {{"", NULL, true},     {"-w", NULL, true},  {"", "elsewhere/k.kir", true}, {"-DX", NULL, false},
               {"-O0", NULL, false}, {"-g", NULL, false}, {"-g", "b.kir", false},        {"-g", NULL, true}};
  kiln_program_release(make_program(ctx, SAXPY));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_program *program;
    OK(kiln_program_create(
        ctx,
        &(struct kiln_program_desc){
            .source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .options = cases[i].options, .name = cases[i].name},
        &program));
    cr_assert_eq(info_of(program).cache == KILN_CACHE_HIT_MEMORY, cases[i].hit, "case %zu", i);
    kiln_program_release(program);
  }
}

Test(program, require_refuses_to_compile, .init = open_all, .fini = close_all) {
  struct kiln_context *strict;
  struct kiln_program *program;
  struct kiln_program_desc desc = {.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .name = "s.kir"};
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_mode = "require"}, &strict));
  FAILS(kiln_program_create(strict, &desc, &program), KILN_ERR_NOT_CACHED, "'s.kir' is in no cache");
  kiln_program_release(make_program(ctx, SAXPY));
  OK(kiln_program_create(strict, &desc, &program));
  cr_assert_eq(info_of(program).cache, KILN_CACHE_HIT_DISK);
  kiln_program_release(program);
  kiln_context_close(strict);
}

Test(program, an_unwritable_cache_fails_nothing, .init = open_all, .fini = close_all) {
  struct kiln_context *other;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_dir = "/proc/nowhere/kiln"}, &other));
  struct kiln_program *a = make_program(other, SAXPY), *b = make_program(other, SAXPY);
  cr_assert_eq(info_of(a).cache, KILN_CACHE_MISS);
  cr_assert_eq(info_of(b).cache, KILN_CACHE_HIT_MEMORY);
  kiln_program_release(a);
  kiln_program_release(b);
  kiln_context_close(other);
}

Test(program, off_keeps_nothing, .init = open_all, .fini = close_all) {
  struct kiln_context *other;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_mode = "off"}, &other));
  for (int i = 0; i < 2; i++) {
    struct kiln_program *program = make_program(other, SAXPY);
    cr_assert(info_of(program).cache == KILN_CACHE_OFF && *info_of(program).key == 0);
    kiln_program_release(program);
  }
  kiln_context_close(other);
}

Test(program, stages, .init = open_all, .fini = close_all) {
  struct kiln_program *program = make_program(ctx, SAXPY);
  void *data;
  size_t size;
  OK(kiln_program_stage(program, "ir", &data, &size));
  cr_assert(size > 0 && strlen(data) == size && strstr(data, "kernel @saxpy"));
  // What it gives compiles again, to the same.
  struct kiln_program *again = make_program(ctx, data);
  kiln_free(data);
  kiln_program_release(again);
  OK(kiln_program_stage(program, "bin", &data, &size));
  cr_assert(size == info_of(program).artifact_size && memcmp(data, info_of(program).artifact, size) == 0);
  kiln_free(data);
  FAILS(kiln_program_stage(program, "zz", &data, &size), KILN_ERR_NOT_FOUND, "no stage 'zz'; its stages are: ir, ");
  kiln_program_release(program);
}

static uint64_t compiles(void) {
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  return stats.compiles;
}

Test(program, stages_of_a_source, .init = open_all, .fini = close_all) {
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_program_desc warns = {.source = "#warning here\nkernel void k(void) {}", .name = "a.cl"};
  struct kiln_program_desc desc = {.source = SAXPY, .name = "a.kir", .kind = KILN_SOURCE_IR_TEXT};
  void *data, *of_program;
  size_t size, other_size;
  char *log = NULL;
  uint64_t before = compiles();
  OK(kiln_compile_stage(ctx, &warns, "ir", &data, &size, &log));
  cr_assert(log && strstr(log, "a.cl:1:2: warning: ") && log[strlen(log) - 1] != '\n', "%s", log);
  cr_assert(strstr(data, "kernel @k"));
  kiln_free(data);
  kiln_free(log);
  cr_assert_eq(compiles(), before + 1);
  log = NULL;
  OK(kiln_compile_stage(ctx, &desc, "ir", &data, &size, &log));
  cr_assert_null(log);
  OK(kiln_program_stage(program, "ir", &of_program, &other_size));
  cr_assert(size == other_size && strcmp(data, of_program) == 0);
  kiln_free(data);
  kiln_free(of_program);
  OK(kiln_compile_stage(ctx, &desc, "bin", &data, &size, NULL));
  cr_assert(size == info_of(program).artifact_size && memcmp(data, info_of(program).artifact, size) == 0);
  kiln_free(data);
  FAILS(kiln_compile_stage(ctx, &desc, "zz", &data, &size, NULL), KILN_ERR_NOT_FOUND, "its stages are: ir, ");
  warns.source = "kernel void k( {}";
  FAILS(kiln_compile_stage(ctx, &warns, "ir", &data, &size, NULL), KILN_ERR_COMPILE, "a.cl:1:");
  FAILS(kiln_compile_stage(ctx, NULL, "ir", &data, &size, NULL), KILN_ERR_INVALID, "desc is NULL");
  kiln_program_release(program);
}

Test(program, bad_descriptions, .init = open_all, .fini = close_all) {
  struct kiln_program *p;
  FAILS(kiln_program_create(ctx, NULL, &p), KILN_ERR_INVALID, "desc is NULL");
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){0}, &p), KILN_ERR_INVALID, "source is NULL");
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = "", .kind = 9}, &p), KILN_ERR_INVALID, "kind 9");
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = "", .header_count = 1}, &p), KILN_ERR_INVALID,
        "headers is NULL");
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = "", .options = "-cl-no"}, &p), KILN_ERR_INVALID,
        "unknown build option '-cl-no'");
  struct kiln_program_desc bad = {.source = "kiln_ir 1\nnonsense", .kind = KILN_SOURCE_IR_TEXT, .name = "bad.kir"};
  FAILS(kiln_program_create(ctx, &bad, &p), KILN_ERR_COMPILE, "bad.kir:2:1: error: ");
  bad.source = "kiln_ir 1\nkernel @k() {\n}\n";
  FAILS(kiln_program_create(ctx, &bad, &p), KILN_ERR_COMPILE, "bad.kir");
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  cr_assert_eq(stats.stores, 0);
}

// The kernels of one text, the code of another.
Test(program, starts_from_a_stage, .init = open_all, .fini = close_all) {
  struct kiln_program_desc desc = {
      .source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .stage = "ll", .stage_data = "x", .stage_size = 1};
  struct kiln_program *p;
  FAILS(kiln_program_create(ctx, &desc, &p), KILN_ERR_INVALID,
        "'interp' cannot start from stage 'll'; it can from: ir");
  desc.stage = "ir";
  FAILS(kiln_program_create(ctx, &desc, &p), KILN_ERR_COMPILE, "error: ");
  desc.stage_data = NULL;
  FAILS(kiln_program_create(ctx, &desc, &p), KILN_ERR_INVALID, "stage_data is NULL");
  desc.stage = NULL;
  desc.stage_data = "x";
  FAILS(kiln_program_create(ctx, &desc, &p), KILN_ERR_INVALID, "stage is NULL, but stage_data is not");
  struct kiln_program *from = make_program(ctx, SAXPY);
  void *text, *again;
  size_t size, again_size;
  OK(kiln_program_stage(from, "ir", &text, &size));
  desc.source = "kiln_ir 1\nnonsense"; // never read
  desc.stage = "ir";
  desc.stage_data = text;
  desc.stage_size = size;
  OK(kiln_program_create(ctx, &desc, &p));
  OK(kiln_program_stage(p, "ir", &again, &again_size));
  cr_assert(again_size == size && memcmp(text, again, size) == 0);
  cr_assert(strcmp(info_of(p).key, info_of(from).key) != 0, "the stage is part of the key");
  kiln_free(text);
  kiln_free(again);
  kiln_program_release(p);
  kiln_program_release(from);
}

Test(program, dumps, .init = open_all, .fini = close_all) {
  char folder[96];
  snprintf(folder, sizeof folder, "%s/dump/deep", test_folder);
  setenv("COMPILE_DUMP_DIR", folder, 1);
  for (int i = 0; i < 2; i++) { // the second is a hit, and is dumped under the same names
    struct kiln_context *other = open_interp();
    struct kiln_program *program;
    OK(kiln_program_create(
        other, &(struct kiln_program_desc){.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .name = "a/sax py.kir"},
        &program));
    kiln_program_release(program);
    kiln_context_close(other);
    int found = 0;
    DIR *dir = opendir(folder);
    cr_assert(dir);
    for (struct dirent *e; (e = readdir(dir));)
      found += strncmp(e->d_name, "sax_py-interp-", 14) == 0 && strstr(e->d_name, ".kir");
    closedir(dir);
    cr_assert_eq(found, 1, "round %d: %d files", i, found);
  }
}

static void keep_log(void *user, enum kiln_log_level level, const char *message) {
  (void)level;
  if (strncmp(message, "IR after ", 9) == 0)
    ++*(int *)user;
}

Test(program, debug_logs_the_ir, .init = open_all, .fini = close_all) {
  int count = 0;
  setenv("COMPILE_DEBUG", "1", 1);
  struct kiln_context *other;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .log = keep_log, .log_user = &count}, &other));
  kiln_program_release(make_program(other, SAXPY));
  cr_assert_gt(count, 0);
  kiln_context_close(other);
}

// The log of a program with two warnings, one of them in a header, which must come from the cache or not.
static void check_log(struct kiln_context *where, const char *name, const char *options,
                      enum kiln_cache_outcome outcome, const char *expected) {
  static const struct kiln_header header = {"h.h", "int twice(int x) { int unused; return 2 * x; }\n", 0};
  struct kiln_program *program;
  OK(kiln_program_create(where,
                         &(struct kiln_program_desc){.source = "#include \"h.h\"\nkernel void k(global int *o) {\n"
                                                               "  o[0] = twice(1) / 0;\n}\n",
                                                     .name = name,
                                                     .headers = &header,
                                                     .header_count = 1,
                                                     .options = options},
                         &program));
  cr_expect_eq(info_of(program).cache, outcome, "%s with '%s': outcome %d", name, options, info_of(program).cache);
  cr_expect_str_eq(kiln_program_log(program), expected, "%s with '%s': %s", name, options, kiln_program_log(program));
  kiln_program_release(program);
}

#define IN_HEADER(name)                                                                                                \
  "In file included from " name ":1:\nh.h:1:24: warning: unused variable 'unused' [-Wunused-variable]\n"               \
  "int twice(int x) { int unused; return 2 * x; }\n                       ^~~~~~\n"
#define IN_SOURCE(name)                                                                                                \
  name ":3:21: warning: division by zero is undefined [-Wdivision-by-zero]\n"                                          \
       "  o[0] = twice(1) / 0;\n                    ^\n"

Test(program, warnings_are_told_on_every_hit, .init = open_all, .fini = close_all) {
  static const char both[] = IN_HEADER("a.cl") IN_SOURCE("a.cl") "2 warnings generated.";
  check_log(ctx, "a.cl", "-Wall", KILN_CACHE_MISS, both);
  check_log(ctx, "a.cl", "-Wall", KILN_CACHE_HIT_MEMORY, both);
  struct kiln_context *other = open_interp();
  check_log(other, "a.cl", "-Wall", KILN_CACHE_HIT_DISK, both);
  check_log(other, "b.cl", "-Wunused", KILN_CACHE_HIT_MEMORY,
            IN_HEADER("b.cl") IN_SOURCE("b.cl") "2 warnings generated.");
  kiln_context_close(other);
}

// Who hides warnings hides them from nobody else, whoever compiles first.
Test(program, hidden_warnings_are_kept, .init = open_all, .fini = close_all) {
  check_log(ctx, "a.cl", "-w", KILN_CACHE_MISS, "");
  check_log(ctx, "a.cl", "-Wall -Wno-unused", KILN_CACHE_HIT_MEMORY, IN_SOURCE("a.cl") "1 warning generated.");
  check_log(ctx, "a.cl", "-Wno-everything -Wunused-variable", KILN_CACHE_HIT_MEMORY,
            IN_HEADER("a.cl") "1 warning generated.");
  check_log(ctx, "a.cl", "-Wall", KILN_CACHE_HIT_MEMORY, IN_HEADER("a.cl") IN_SOURCE("a.cl") "2 warnings generated.");
}

// As of clang: programs that take a log that is not empty for a warning of theirs see what clang's users see.
Test(program, unused_variables_are_told_of_where_asked_for, .init = open_all, .fini = close_all) {
  check_log(ctx, "a.cl", "", KILN_CACHE_MISS, IN_SOURCE("a.cl") "1 warning generated.");
  check_log(ctx, "a.cl", "-Wextra -Wparentheses", KILN_CACHE_HIT_MEMORY, IN_SOURCE("a.cl") "1 warning generated.");
  check_log(ctx, "a.cl", "-Wno-division-by-zero", KILN_CACHE_HIT_MEMORY, "");
  check_log(ctx, "a.cl", "-Werror=unused -Wno-unused -Wno-division-by-zero", KILN_CACHE_HIT_MEMORY, "");
}

Test(program, an_error_is_no_hit_for_the_warning, .init = open_all, .fini = close_all) {
  struct kiln_program_desc desc = {.source = "kernel void k(global int *o) { int x; }", .name = "a.cl"};
  struct kiln_program *program;
  OK(kiln_program_create(ctx, &desc, &program));
  kiln_program_release(program);
  desc.options = "-Werror=unused-variable";
  FAILS(kiln_program_create(ctx, &desc, &program), KILN_ERR_COMPILE, "[-Werror,-Wunused-variable]");
  desc.options = "-Werror -Wno-error=unused-variable";
  OK(kiln_program_create(ctx, &desc, &program));
  cr_assert_eq(kiln_program_log(program)[0], 0);
  kiln_program_release(program);
  desc.options = "-Wall -Werror -Wno-error=unused-variable";
  OK(kiln_program_create(ctx, &desc, &program));
  cr_assert(strstr(kiln_program_log(program), "warning: unused variable 'x'"));
  kiln_program_release(program);
}
