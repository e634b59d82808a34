// Registry, environment, and the choice of backend and target.
#include "jit/target.h"

#include "jit_test.h"

// ---- backends that only have targets -------------------------------------------------------------------------------

static enum kiln_status make(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  if (strcmp(arch, "one") != 0 && strcmp(arch, "two") != 0 && strcmp(arch, "odd") != 0)
    return kiln_fail(report, KILN_ERR_NOT_FOUND, "no arch '%s': there are one, two", arch);
  strcpy(out->arch, arch);
  out->warp_size = 1;
  return KILN_OK;
}
static enum kiln_status detect(struct kiln_target *out, struct kiln_report *report) { return make("one", out, report); }
static enum kiln_status detect_nothing(struct kiln_target *out, struct kiln_report *report) {
  (void)out;
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no such device");
}
static bool supports(const struct kiln_target *target) { return strcmp(target->arch, "odd") != 0; }
static void list(kiln_name_fn *fn, void *user) { fn(user, "one", ""); }
static void caps(const struct kiln_target *target, struct kiln_caps *out) { (void)target, (void)out; }
static enum kiln_status hash(const struct kiln_target *target, const struct kiln_options *options,
                             struct kiln_digest *out, struct kiln_report *report) {
  (void)target, (void)options, (void)out, (void)report;
  return KILN_OK;
}
static enum kiln_status compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                struct kiln_report *report) {
  (void)job, (void)out;
  return kiln_fail(report, KILN_ERR_UNSUPPORTED, "fake");
}
static uint32_t fragments(const struct kiln_target *target, const struct kiln_options *options,
                          const struct kiln_fragment **out) {
  (void)target, (void)options, (void)out;
  return 0;
}

#define BACKEND(NAME, TAGS, RANK, DETECT)                                                                              \
  {                                                                                                                    \
    .abi_version = KILN_BACKEND_ABI, .struct_size = sizeof(struct kiln_base_backend), .name = NAME, .tags = TAGS,      \
    .artifact_extension = "x", .preference = RANK, .make_target = make, .detect_target = DETECT,                       \
    .supports_target = supports, .list_targets = list, .caps = caps, .pipeline_fragments = fragments, .hash = hash,    \
    .compile = compile                                                                                                 \
  }
static const struct kiln_base_backend absent = BACKEND("absent", "", 30, detect_nothing),
                                      plain = BACKEND("plain", "", 10, detect),
                                      better = BACKEND("better", "", 20, detect),
                                      same = BACKEND("same", "", 20, detect),
                                      trial = BACKEND("trial", "experimental", 40, detect),
                                      never = BACKEND("never", "", 0, detect);

static struct kiln_registry registry;
static struct kiln_env env;

static void set_up_registry(void) {
  set_up();
  registry = (struct kiln_registry){0};
  const struct kiln_base_backend *all[] = {&never, &absent, &plain, &better, &same, &trial};
  for (int i = 0; i < 6; i++)
    OK(kiln_registry_add(&registry, all[i]));
  cr_assert(kiln_env_read(&env));
}
static void tear_down_registry(void) {
  kiln_env_free(&env);
  kiln_registry_free(&registry);
  tear_down();
}

static enum kiln_status choose(const char *name, const char *arch, struct kiln_target *target) {
  const struct kiln_base_backend *chosen = NULL;
  struct kiln_report report = {0};
  kiln_env_free(&env);
  cr_assert(kiln_env_read(&env));
  return kiln_target_choose(&registry, &env, &report, name, arch, &chosen, target);
}

// ---- registry ------------------------------------------------------------------------------------------------------

Test(registry, refuses_what_is_wrong, .init = set_up_registry, .fini = tear_down_registry) {
  FAILS(kiln_registry_add(&registry, &plain), KILN_ERR_INVALID, "there is a backend 'plain' already");
  struct kiln_base_backend b = plain;
  b.name = "new";
  b.abi_version++;
  FAILS(kiln_registry_add(&registry, &b), KILN_ERR_INVALID, "of the backend ABI, and this is version");
  b.abi_version--;
  b.struct_size = 8;
  FAILS(kiln_registry_add(&registry, &b), KILN_ERR_INVALID, "has 8 bytes");
  b.struct_size = sizeof b;
  b.name = "No Name";
  FAILS(kiln_registry_add(&registry, &b), KILN_ERR_INVALID, "'No Name'");
  b.name = "a-name-that-is-much-too-long-for-a-backend";
  FAILS(kiln_registry_add(&registry, &b), KILN_ERR_INVALID, "up to 31");
  b.name = "new";
  b.hash = NULL;
  FAILS(kiln_registry_add(&registry, &b), KILN_ERR_INVALID, "'new' lacks hash");
  b.hash = hash;
  b.make_target = NULL;
  FAILS(kiln_registry_add(&registry, &b), KILN_ERR_INVALID, "'new' lacks one of make_target");
  b.make_target = make;
  OK(kiln_registry_add(&registry, &b));
  const struct kiln_base_backend *found;
  OK(kiln_registry_find(&registry, "new", &found));
  cr_assert_eq(found, &b);
  FAILS(kiln_registry_find(&registry, "nope", &found), KILN_ERR_NOT_FOUND, "plain, better, same, trial, new");
}

Test(registry, tags) {
  struct kiln_base_backend b = {.tags = "debug,experimental"};
  cr_assert(kiln_backend_has_tag(&b, "debug") && kiln_backend_has_tag(&b, "experimental"));
  cr_assert(!kiln_backend_has_tag(&b, "exp") && !kiln_backend_has_tag(&b, "debug,"));
  b.tags = NULL;
  cr_assert(!kiln_backend_has_tag(&b, "debug") && !kiln_tags_hide(b.tags));
}

static void count_backend(void *user, const struct kiln_backend_info *info) {
  cr_assert(info->available == (*info->reason == 0), "%s", info->name);
  ((unsigned *)user)[strstr(info->tags, "debug") != NULL]++;
}

Test(registry, listings_leave_debug_backends_out) {
  unsigned some[2] = {0}, all[2] = {0};
  OK(kiln_list_backends(false, count_backend, some));
  OK(kiln_list_backends(true, count_backend, all));
  cr_assert(some[1] == 0 && all[1] >= 1 && some[0] == all[0]);
  FAILS(kiln_list_targets("nope", NULL, NULL), KILN_ERR_INVALID, "fn is NULL");
}

// ---- choice --------------------------------------------------------------------------------------------------------

Test(target, precedence, .init = set_up_registry, .fini = tear_down_registry) {
  static const struct {
    const char *backend_argument, *backend_env, *arch_argument, *arch_env, *backend, *arch;
  } cases[] = {
      // the highest rank that is there, the first of equals; hidden ones and rank 0 are never chosen
      {NULL, NULL, NULL, NULL, "better", "one"},
      {"", "", "", "", "better", "one"},
      {NULL, "plain", NULL, NULL, "plain", "one"},
      {"same", "plain", NULL, NULL, "same", "one"},
      {NULL, "never", NULL, "two", "never", "two"},
      {NULL, "trial", "two", "one", "trial", "two"},
      {NULL, NULL, NULL, "two", "better", "two"},
      {"absent", NULL, "two", NULL, "absent", "two"}, // compiling needs no device
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_target target;
    setenv("COMPILE_BACKEND", cases[i].backend_env ? cases[i].backend_env : "", 1);
    setenv("COMPILE_ARCH", cases[i].arch_env ? cases[i].arch_env : "", 1);
    cr_assert_eq(choose(cases[i].backend_argument, cases[i].arch_argument, &target), KILN_OK, "case %zu: %s", i,
                 kiln_last_error());
    cr_assert_str_eq(target.backend, cases[i].backend, "case %zu: %s", i, target.backend);
    cr_assert_str_eq(target.arch, cases[i].arch, "case %zu: %s", i, target.arch);
  }
}

Test(target, errors, .init = set_up_registry, .fini = tear_down_registry) {
  struct kiln_target target;
  FAILS(choose("nope", NULL, &target), KILN_ERR_NOT_FOUND, "there is no backend 'nope'; there are: never, absent");
  FAILS(choose("plain", "three", &target), KILN_ERR_NOT_FOUND, "no arch 'three': there are one, two");
  FAILS(choose("plain", "odd", &target), KILN_ERR_UNSUPPORTED, "'plain' does not support target 'odd'");
  FAILS(choose("absent", NULL, &target), KILN_ERR_UNAVAILABLE, "no such device");
  setenv("COMPILE_BACKEND", "nope", 1);
  FAILS(choose(NULL, NULL, &target), KILN_ERR_NOT_FOUND, "COMPILE_BACKEND: there is no backend 'nope'");
  unsetenv("COMPILE_BACKEND");
  setenv("COMPILE_ARCH", "three", 1);
  FAILS(choose(NULL, NULL, &target), KILN_ERR_NOT_FOUND, "COMPILE_ARCH: no arch 'three'");
  unsetenv("COMPILE_ARCH");
  kiln_registry_free(&registry);
  OK(kiln_registry_add(&registry, &absent));
  FAILS(choose(NULL, NULL, &target), KILN_ERR_UNAVAILABLE, "absent: no such device");
}

// ---- contexts and the environment ----------------------------------------------------------------------------------

Test(env, bad_values, .init = set_up, .fini = tear_down) {
  static const struct {
    const char *name, *value, *message;
  } cases[] = {
      {"COMPILE_CACHE", "sometimes", "COMPILE_CACHE is 'sometimes'; it must be rw, ro, off or require"},
      {"COMPILE_CACHE_MAX_SIZE", "big", "COMPILE_CACHE_MAX_SIZE is 'big'"},
      {"COMPILE_NUM_THREADS", "many", "COMPILE_NUM_THREADS is 'many'"},
      {"COMPILE_NUM_THREADS", "-1", "COMPILE_NUM_THREADS is '-1'"},
      {"COMPILE_NUM_THREADS", "99999999999999999999", "it must be a number from 0"},
      {"COMPILE_DEBUG", "yes", "COMPILE_DEBUG is 'yes'; it must be 0 or 1"},
      {"COMPILE_LOG", "loud", "COMPILE_LOG is 'loud'"},
      {"COMPILE_ISOLATE", "yes", "COMPILE_ISOLATE is 'yes'; it must be 0, 1 or all"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_context *ctx;
    setenv(cases[i].name, cases[i].value, 1);
    FAILS(kiln_context_open(&(struct kiln_context_desc){.backend = "interp"}, &ctx), KILN_ERR_INVALID,
          cases[i].message);
    unsetenv(cases[i].name);
  }
}

static void find_variable(void *user, const struct kiln_env_info *info) {
  cr_assert(info->name && info->default_value && *info->meaning);
  if (strcmp(info->name, "COMPILE_BACKEND") == 0)
    *(bool *)user = info->value && strcmp(info->value, "somewhere") == 0;
}

Test(env, listing, .init = set_up, .fini = tear_down) {
  bool found = false;
  setenv("COMPILE_BACKEND", "somewhere", 1);
  kiln_list_env(find_variable, &found);
  cr_assert(found);
  kiln_list_env(NULL, NULL); // lists nothing, and ends nothing
}

// The key of a program in a context of its own.
static void key_of(const char *backend, const char *arch, char key[64], enum kiln_cache_outcome *outcome) {
  struct kiln_context *ctx;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = backend, .arch = arch}, &ctx));
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  snprintf(key, 64, "%s", info.key);
  *outcome = info.cache;
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(target, unset_and_explicit_default_have_one_key, .init = set_up, .fini = tear_down) {
  char first[64], key[64];
  enum kiln_cache_outcome outcome;
  setenv("COMPILE_BACKEND", "interp", 1);
  key_of(NULL, NULL, first, &outcome);
  cr_assert(outcome == KILN_CACHE_MISS && strlen(first) == 32);
  static const struct {
    const char *backend, *arch, *backend_env, *arch_env;
  } cases[] = {{"interp", NULL, "", ""},
               {"interp", "generic", "", ""},
               {NULL, NULL, "interp", "generic"},
               {"interp", NULL, "cpu", "generic"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("COMPILE_BACKEND", cases[i].backend_env, 1);
    setenv("COMPILE_ARCH", cases[i].arch_env, 1);
    key_of(cases[i].backend, cases[i].arch, key, &outcome);
    cr_assert_str_eq(key, first, "case %zu", i);
    cr_assert_eq(outcome, KILN_CACHE_HIT_DISK, "case %zu", i);
  }
}

#ifdef KILN_LLVM // the default backend must be able to compile
struct named {
  const char *backend;
  char target[512];
};
static void find_default_target(void *user, const struct kiln_backend_info *info) {
  struct named *named = user;
  if (strcmp(info->name, named->backend) == 0)
    snprintf(named->target, sizeof named->target, "%s", info->default_target);
}

Test(target, the_default_backend_has_one_key, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx;
  if (kiln_context_open(NULL, &ctx) == KILN_ERR_UNAVAILABLE)
    cr_skip_test("no backend is chosen by itself here");
  char backend[32], first[64], key[64];
  snprintf(backend, sizeof backend, "%s", kiln_context_target(ctx)->backend);
  kiln_context_close(ctx);
  struct named named = {.backend = backend};
  OK(kiln_list_backends(true, find_default_target, &named));
  enum kiln_cache_outcome outcome;
  key_of(NULL, NULL, first, &outcome);
  setenv("COMPILE_BACKEND", backend, 1);
  key_of(NULL, NULL, key, &outcome);
  cr_assert_str_eq(key, first);
  setenv("COMPILE_ARCH", named.target, 1);
  key_of(NULL, NULL, key, &outcome);
  cr_assert_str_eq(key, first);
  cr_assert_eq(outcome, KILN_CACHE_HIT_DISK);
}
#endif

Test(target, a_change_between_two_contexts_takes_effect, .init = set_up, .fini = tear_down) {
  struct kiln_context *one, *two;
  setenv("COMPILE_BACKEND", "interp", 1);
  OK(kiln_context_open(NULL, &one));
  setenv("COMPILE_BACKEND", "nope", 1);
  FAILS(kiln_context_open(NULL, &two), KILN_ERR_NOT_FOUND, "nope");
  setenv("COMPILE_BACKEND", "interp", 1);
  setenv("COMPILE_CACHE", "off", 1);
  OK(kiln_context_open(NULL, &two));
  for (int i = 0; i < 2; i++) {
    struct kiln_program *program = make_program(i ? two : one, SAXPY);
    struct kiln_program_info info;
    kiln_program_info(program, &info);
    cr_assert_eq(info.cache, i ? KILN_CACHE_OFF : KILN_CACHE_MISS);
    kiln_program_release(program);
  }
  kiln_context_close(one);
  kiln_context_close(two);
}
