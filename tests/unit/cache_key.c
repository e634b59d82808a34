// Completeness of the key: everything that decides what the code is changes it, nothing else does.
#include "jit_test.h"

#include <stdarg.h>
#include <sys/stat.h>

#include "jit/program.h"

#define CL_SOURCE "kernel void k(global int *p) { p[0] = 1; }\n"

static char test_key[33];

// The key of a request, without its includes.
static const char *key_of(struct kiln_context *ctx, struct kiln_program_desc desc) {
  struct kiln_lookup lookup;
  desc.source = desc.source ? desc.source : CL_SOURCE;
  OK(kiln_program_look_up(ctx, &desc, &lookup));
  strcpy(test_key, lookup.trace.key);
  kiln_lookup_free(&lookup);
  cr_assert_eq(strlen(test_key), 32);
  return test_key;
}

static void expect(const char *base, const char *key, bool changes, const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  cr_assert_eq(strcmp(base, key) != 0, changes, "%s: the key %s", what, changes ? "is the same" : "is another");
}

static void get_base(struct kiln_context *ctx, char base[33]) {
  strcpy(base, key_of(ctx, (struct kiln_program_desc){0}));
}

// ---- a backend whose identity can be changed -----------------------------------------------------------------------

static const struct kiln_option fake_options[] = {
    {"alpha", KILN_OPTION_INT, "1", "", true},     {"beta", KILN_OPTION_BOOL, "0", "", true},
    {"gamma", KILN_OPTION_STRING, "x", "", true},  {"delta", KILN_OPTION_INT, "1", "", false},
    {"epsilon", KILN_OPTION_BOOL, "0", "", false}, {"zeta", KILN_OPTION_STRING, "x", "", false},
};
static const char *const fake_values[] = {"2", "1", "y", "2", "1", "y"};

static struct kiln_digest fake_digest;
static enum kiln_status fake_result;
static struct kiln_fragment fake_fragments[2];
static struct kiln_runtime_lib fake_lib;
static uint32_t fake_lib_count;

static enum kiln_status fake_hash(const struct kiln_target *target, const struct kiln_options *options,
                                  struct kiln_digest *out, struct kiln_report *report) {
  (void)target, (void)options, (void)report;
  *out = fake_digest;
  return fake_result;
}
static uint32_t fake_pipeline(const struct kiln_target *target, const struct kiln_options *options,
                              const struct kiln_fragment **out) {
  (void)target, (void)options;
  *out = fake_fragments;
  return 2;
}
static uint32_t fake_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target;
  if (fake_lib_count && capacity)
    *out = fake_lib;
  return fake_lib_count;
}

static struct kiln_base_backend fake;
static const struct kiln_base_backend *real;

// A context as of a fresh process: nothing is remembered.
static struct kiln_context *open_fake(void) {
  struct kiln_context *ctx = open_interp();
  real = ctx->backend;
  fake = *real;
  fake.options = fake_options;
  fake.option_count = 6;
  fake.hash = fake_hash;
  fake.pipeline_fragments = fake_pipeline;
  fake.runtime_libs = fake_libs;
  ctx->backend = &fake;
  return ctx;
}

static const char *fake_key(struct kiln_program_desc desc) {
  struct kiln_context *ctx = open_fake();
  key_of(ctx, desc);
  kiln_context_close(ctx);
  return test_key;
}

static void reset_fake(void) {
  set_up();
  memset(&fake_digest, 7, sizeof fake_digest);
  fake_result = KILN_OK;
  fake_fragments[0] = (struct kiln_fragment){"ir", "inline,dce", "kir"};
  fake_fragments[1] = (struct kiln_fragment){"bin", "codegen", "so"};
  fake_lib = (struct kiln_runtime_lib){"libm", "/lib/libm.so", "abc"};
  fake_lib_count = 1;
}

Test(key, every_knob_of_a_backend, .init = reset_fake, .fini = tear_down) {
  char base[33];
  int cases = 0;
  strcpy(base, fake_key((struct kiln_program_desc){0}));
  for (int i = 0; i < 6; i++, cases++) {
    char options[64];
    snprintf(options, sizeof options, "--kiln-%s=%s", fake_options[i].name, fake_values[i]);
    expect(base, fake_key((struct kiln_program_desc){.options = options}), fake_options[i].changes_code, "%s", options);
    snprintf(options, sizeof options, "--kiln-%s=%s", fake_options[i].name, fake_options[i].default_value);
    expect(base, fake_key((struct kiln_program_desc){.options = options}), false, "%s", options);
  }
  cr_assert_eq(cases, 6);
}

static void try_real_knobs(const char *name, int *cases) {
  struct kiln_context *ctx;
  if (kiln_context_open(&(struct kiln_context_desc){.backend = name}, &ctx) != KILN_OK)
    return;
  char base[33];
  get_base(ctx, base);
  for (uint32_t i = 0; i < ctx->backend->option_count; i++) {
    const struct kiln_option *option = &ctx->backend->options[i];
    const char *values[] = {"1", "0", "2", "7", "8", "16", "x", "true", "false"};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      char options[128];
      struct kiln_lookup lookup;
      snprintf(options, sizeof options, "--kiln-%s=%s", option->name, values[v]);
      if (strcmp(values[v], option->default_value) == 0 ||
          kiln_program_look_up(ctx, &(struct kiln_program_desc){.source = CL_SOURCE, .options = options}, &lookup) !=
              KILN_OK)
        continue;
      bool same_meaning = option->type == KILN_OPTION_BOOL && lookup.options.backend.values &&
                          strcmp(lookup.options.backend.values[i], option->default_value) == 0;
      if (!same_meaning) {
        expect(base, lookup.trace.key, option->changes_code, "%s %s", name, options);
        ++*cases;
      }
      kiln_lookup_free(&lookup);
    }
  }
  kiln_context_close(ctx);
}

Test(key, every_knob_of_the_real_backends, .init = set_up, .fini = tear_down) {
  int cases = 0;
  try_real_knobs("interp", &cases);
  cr_assert_gt(cases, 0, "interp has knobs");
  try_real_knobs("cpu", &cases);
  try_real_knobs("rocm", &cases);
  try_real_knobs("opencl", &cases);
}

Test(key, the_toolchain, .init = reset_fake, .fini = tear_down) {
  char base[33];
  const struct kiln_program_desc none = {0};
  strcpy(base, fake_key(none));
  expect(base, fake_key(none), false, "nothing");
  fake_digest.bytes[15] ^= 1;
  expect(base, fake_key(none), true, "the backend's hash (version and build id of its compiler)");
  reset_fake();
  fake_fragments[0].pipeline = "inline,dce,cse";
  expect(base, fake_key(none), true, "the passes of a stage");
  reset_fake();
  fake_fragments[1].name = "obj";
  expect(base, fake_key(none), true, "the name of a stage");
  reset_fake();
  strcpy(fake_lib.identity, "abd");
  expect(base, fake_key(none), true, "the content of a runtime library");
  reset_fake();
  strcpy(fake_lib.name, "libM");
  expect(base, fake_key(none), true, "another runtime library");
  reset_fake();
  strcpy(fake_lib.path, "/usr/lib/libm.so");
  expect(base, fake_key(none), false, "the same runtime library elsewhere");
  reset_fake();
  fake_lib_count = 0;
  expect(base, fake_key(none), true, "no runtime library");
  reset_fake();
  fake_result = KILN_ERR_UNAVAILABLE;
  expect(base, fake_key(none), true, "no compiler");
}

// A compiler that is replaced while a context is open does not store under the name of the old one.
Test(key, a_compiler_that_is_replaced, .init = reset_fake, .fini = tear_down) {
  char old_key[33];
  struct kiln_program *program;
  struct kiln_program_desc desc = {.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT};
  struct kiln_context *ctx = open_fake();
  fake.options = real->options;
  fake.option_count = real->option_count;
  strcpy(old_key, key_of(ctx, desc));
  fake_digest.bytes[0] ^= 1;
  OK(kiln_program_create(ctx, &desc, &program));
  kiln_program_release(program);
  struct kiln_lookup lookup;
  OK(kiln_program_look_up(ctx, &desc, &lookup));
  cr_assert(lookup.entry, "it is found again under the new compiler");
  cr_assert_str_neq(lookup.trace.key, old_key);
  kiln_lookup_free(&lookup);
  kiln_context_close(ctx);
}

// ---- target --------------------------------------------------------------------------------------------------------

Test(key, every_field_of_the_target, .init = reset_fake, .fini = tear_down) {
  char base[33];
  struct kiln_context *ctx = open_fake();
  get_base(ctx, base);
  struct kiln_target saved = ctx->target;
  strcpy(ctx->target.arch, "other");
  expect(base, key_of(ctx, (struct kiln_program_desc){0}), true, "arch");
  ctx->target = saved;
  strcpy(ctx->target.features, "+x");
  expect(base, key_of(ctx, (struct kiln_program_desc){0}), true, "features");
  ctx->target = saved;
  strcpy(ctx->target.backend, "other");
  expect(base, key_of(ctx, (struct kiln_program_desc){0}), true, "backend");
  ctx->target = saved;
  ctx->target.warp_size = 32;
  expect(base, key_of(ctx, (struct kiln_program_desc){0}), true, "warp size");
  ctx->target = saved;
  expect(base, key_of(ctx, (struct kiln_program_desc){0}), false, "nothing");
  // A field cannot pass for another: "ab" + "" is not "a" + "b".
  strcpy(ctx->target.arch, "ab");
  strcpy(ctx->target.features, "");
  char split[33];
  strcpy(split, key_of(ctx, (struct kiln_program_desc){0}));
  strcpy(ctx->target.arch, "a");
  strcpy(ctx->target.features, "b");
  expect(split, key_of(ctx, (struct kiln_program_desc){0}), true, "where a field ends");
  ctx->target = saved;
  kiln_context_close(ctx);
}

// A home folder that several machines share: code for the better processor is not taken for the lesser one.
Test(key, a_lesser_machine_compiles_for_itself, .init = reset_fake, .fini = tear_down) {
  struct kiln_program_desc desc = {.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT};
  static const char *const features[] = {"+avx512f,+avx2,+fma", "+avx2,+fma", "+avx2", ""};
  struct kiln_program *program;
  for (int turn = 0; turn < 2; turn++) {
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
      struct kiln_context *ctx = open_interp();
      struct kiln_program_info info;
      snprintf(ctx->target.features, sizeof ctx->target.features, "%s", features[i]);
      OK(kiln_program_create(ctx, &desc, &program));
      kiln_program_info(program, &info);
      cr_assert_eq(info.cache, turn ? KILN_CACHE_HIT_DISK : KILN_CACHE_MISS, "turn %d, features '%s': %d", turn,
                   features[i], info.cache);
      kiln_program_release(program);
      kiln_context_close(ctx);
    }
  }
}

// ---- source and options --------------------------------------------------------------------------------------------

Test(key, source_and_options, .init = set_up, .fini = tear_down) {
  static const struct kiln_header header = {"h.h", "1", 1}, same_header = {"h.h", "2", 1}, other = {"i.h", "1", 1};
  static const struct {
    struct kiln_program_desc desc;
    bool changes;
  } cases[] = {
      {{.source = CL_SOURCE}, false},
      {{.source = CL_SOURCE " "}, true},
      {{.source = "kernel void k(global int *p) { p[0] = 2; }\n"}, true},
      {{.kind = KILN_SOURCE_IR_TEXT}, true},
      {{.name = "a.cl"}, false},
      {{.name = "/elsewhere/b.cl"}, false},
      {{.options = "-w"}, false},
      {{.options = "-DX"}, true},
      {{.options = "-DX=2"}, true},
      {{.options = "-UX"}, true},
      {{.options = "-I/somewhere"}, true}, // one folder more: an include may be found there
      {{.options = "-g"}, true},
      {{.options = "-Werror"}, true},
      {{.options = "-cl-std=CL3.0"}, true},
      {{.options = "-cl-std=CL1.2"}, false},
      {{.options = "-cl-opt-disable"}, true},
      {{.options = "-cl-fast-relaxed-math"}, true},
      {{.options = "-cl-unsafe-math-optimizations"}, true},
      {{.options = "-cl-finite-math-only"}, true},
      {{.options = "-cl-no-signed-zeros"}, true},
      {{.options = "-cl-denorms-are-zero"}, true},
      {{.options = "-cl-single-precision-constant"}, true},
      {{.options = "-cl-fp32-correctly-rounded-divide-sqrt"}, true},
      {{.options = "-cl-kernel-arg-info"}, false},
      {{.options = "  "}, false},
      {{.headers = &header, .header_count = 1}, true},
  };
  char base[33], a[33];
  struct kiln_context *ctx = open_interp();
  get_base(ctx, base);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(base, key_of(ctx, cases[i].desc), cases[i].changes, "case %zu (%s)", i,
           cases[i].desc.options ? cases[i].desc.options : "");
  strcpy(a, key_of(ctx, (struct kiln_program_desc){.options = "-I/a"}));
  expect(a, key_of(ctx, (struct kiln_program_desc){.options = "-I /b"}), false, "the path of an include folder");
  strcpy(a, key_of(ctx, (struct kiln_program_desc){.options = "-DA -DB"}));
  expect(a, key_of(ctx, (struct kiln_program_desc){.options = "-D A  -D B"}), false, "how options are written");
  expect(a, key_of(ctx, (struct kiln_program_desc){.options = "-DB -DA"}), true, "the order of macros");
  strcpy(a, key_of(ctx, (struct kiln_program_desc){.options = "-g", .name = "/a/k.cl"}));
  expect(a, key_of(ctx, (struct kiln_program_desc){.options = "-g", .name = "/b/k.cl"}), true, "a path with -g");
  strcpy(a, key_of(ctx, (struct kiln_program_desc){.headers = &header, .header_count = 1}));
  expect(a, key_of(ctx, (struct kiln_program_desc){.headers = &same_header, .header_count = 1}), false,
         "the text of a header that may not be included");
  expect(a, key_of(ctx, (struct kiln_program_desc){.headers = &other, .header_count = 1}), true, "a header's name");
  kiln_context_close(ctx);
}

// ---- includes ------------------------------------------------------------------------------------------------------

static void put(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", test_folder, name);
  FILE *file = fopen(path, "w");
  cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}
static void drop(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", test_folder, name);
  cr_assert_eq(unlink(path), 0);
}
static void make_dir(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", test_folder, name);
  cr_assert_eq(mkdir(path, 0700), 0);
}

// Compiles in a context of its own; whether it was found.
static bool compile_and_tell(const char *source, const struct kiln_header *headers, uint32_t count) {
  struct kiln_context *ctx = open_interp();
  struct kiln_program *program;
  struct kiln_program_info info;
  char name[128], options[256];
  snprintf(name, sizeof name, "%s/src/k.cl", test_folder);
  snprintf(options, sizeof options, "-I%s/one -I%s/two", test_folder, test_folder);
  struct kiln_program_desc desc = {
      .source = source, .name = name, .options = options, .headers = headers, .header_count = count};
  OK(kiln_program_create(ctx, &desc, &program));
  kiln_program_info(program, &info);
  kiln_program_release(program);
  kiln_context_close(ctx);
  return info.cache == KILN_CACHE_HIT_DISK;
}

Test(key, every_include, .init = set_up, .fini = tear_down) {
  static const char source[] = "#include \"a.h\"\n#include <b.h>\nkernel void k(global int *p) { p[0] = A + B + C; }\n";
  make_dir("src");
  make_dir("one");
  make_dir("two");
  put("src/a.h", "#define A 1\n#include \"c.h\"\n");
  put("src/c.h", "#define C 1\n");
  put("two/b.h", "#define B 1\n");
  put("one/unrelated.h", "#define U 1\n");
  cr_assert(!compile_and_tell(source, NULL, 0));
  cr_assert(compile_and_tell(source, NULL, 0));
  static const char *const files[][3] = {
      {"src/a.h", "#define A 2\n#include \"c.h\"\n", "#define A 1\n#include \"c.h\"\n"},
      {"src/c.h", "#define C 2\n", "#define C 1\n"},
      {"two/b.h", "#define B 2\n", "#define B 1\n"}};
  for (int i = 0; i < 3; i++) {
    put(files[i][0], files[i][1]);
    cr_assert(!compile_and_tell(source, NULL, 0), "%s has changed", files[i][0]);
    cr_assert(compile_and_tell(source, NULL, 0), "%s, again", files[i][0]);
    put(files[i][0], files[i][2]);
    cr_assert(compile_and_tell(source, NULL, 0), "%s is as it was: several manifests are kept", files[i][0]);
  }
  put("one/unrelated.h", "#define U 2\n");
  cr_assert(compile_and_tell(source, NULL, 0), "a file that is not included");
  put("one/b.h", "#define B 3\n");
  cr_assert(!compile_and_tell(source, NULL, 0), "a file that hides an included one");
  drop("one/b.h");
  cr_assert(compile_and_tell(source, NULL, 0), "it is gone again");
  put("src/a.h", "#define A 1\n#include \"c.h\"\n"); // the same contents with another time
  cr_assert(compile_and_tell(source, NULL, 0), "a file that was only touched");
  const struct kiln_header hides = {"b.h", "#define B 9\n", 0}, changed = {"b.h", "#define B 8\n", 0};
  cr_assert(!compile_and_tell(source, &hides, 1), "a header from memory that hides a file");
  cr_assert(compile_and_tell(source, &hides, 1));
  cr_assert(!compile_and_tell(source, &changed, 1), "a header from memory has changed");
}

Test(key, the_name_where_the_code_holds_it, .init = set_up, .fini = tear_down) {
  static const char with[] = "constant char name[] = __FILE__;\nkernel void k(global int *p) { p[0] = name[0]; }\n";
  struct kiln_context *ctx = open_interp();
  struct kiln_program *program;
  struct kiln_program_info info;
  static const struct {
    const char *source, *name;
    bool hit;
  } cases[] = {{with, "a.cl", false},
               {with, "b.cl", false},
               {with, "a.cl", true},
               {CL_SOURCE, "a.cl", false},
               {CL_SOURCE, "b.cl", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = cases[i].source, .name = cases[i].name},
                           &program));
    kiln_program_info(program, &info);
    cr_assert_eq(info.cache == KILN_CACHE_HIT_MEMORY, cases[i].hit, "case %zu", i);
    kiln_program_release(program);
  }
  kiln_context_close(ctx);
}

// ---- environment ---------------------------------------------------------------------------------------------------

// A value for each variable; the list must be whole.
static const struct {
  const char *name, *value;
} variables[] = {
#define KILN_ENV(ID, name, default_value, secure, meaning) {name, NULL},
#include "jit/env.def"
};

static const char *value_for(const char *name) {
  static const char *const values[][2] = {{"COMPILE_BACKEND", "interp"},
                                          {"COMPILE_ARCH", "generic"},
                                          {"COMPILE_CACHE_DIR", "/tmp/kiln-none"},
                                          {"COMPILE_CACHE_PATH", "/tmp/kiln-none"},
                                          {"COMPILE_CACHE", "ro"},
                                          {"COMPILE_CACHE_MAX_SIZE", "3M"},
                                          {"COMPILE_DUMP_DIR", "/tmp/kiln-none"},
                                          {"COMPILE_OVERRIDE_DIR", "/tmp/kiln-none"},
                                          {"COMPILE_DEBUG", "1"},
                                          {"COMPILE_LOG", "error"},
                                          {"COMPILE_RECORD", "/tmp/kiln-none/x"},
                                          {"COMPILE_PLUGIN_PATH", "/tmp/kiln-none"},
                                          {"COMPILE_NUM_THREADS", "3"},
                                          {"COMPILE_ISOLATE", "0"},
                                          {"XDG_CACHE_HOME", "/tmp/kiln-none"},
                                          {"HOME", "/tmp/kiln-none"}};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (strcmp(values[i][0], name) == 0)
      return values[i][1];
  }
  return NULL;
}

Test(key, no_variable_of_the_environment, .init = set_up, .fini = tear_down) {
  char base[33];
  struct kiln_context *ctx = open_interp();
  get_base(ctx, base);
  kiln_context_close(ctx);
  size_t cases = 0;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *name = variables[i].name, *value = value_for(name);
    if (!value) { // one that this list does not know yet must still not be in the key
      value = "0";
    }
    char *saved = getenv(name) ? strdup(getenv(name)) : NULL;
    setenv(name, value, 1);
    if (kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_dir = test_folder}, &ctx) ==
        KILN_OK) {
      expect(base, key_of(ctx, (struct kiln_program_desc){0}), false, "%s=%s", name, value);
      kiln_context_close(ctx);
      cases++;
    }
    if (saved)
      setenv(name, saved, 1);
    else
      unsetenv(name);
    free(saved);
  }
  cr_assert(cases >= 16, "%zu cases", cases);
  // What chooses the target acts by way of the target alone.
  setenv("COMPILE_BACKEND", "interp", 1);
  OK(kiln_context_open(NULL, &ctx));
  expect(base, key_of(ctx, (struct kiln_program_desc){0}), false, "the backend by way of the environment");
  kiln_context_close(ctx);
  for (const char *const *name = (const char *const[]){"LANG", "TZ", "TMPDIR", "LC_ALL", NULL}; *name; name++) {
    setenv(*name, "C", 1);
    OK(kiln_context_open(NULL, &ctx));
    expect(base, key_of(ctx, (struct kiln_program_desc){0}), false, "%s", *name);
    kiln_context_close(ctx);
  }
}
