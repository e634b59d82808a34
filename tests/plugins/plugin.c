// Backend plugins: found by the file beside them, loaded when they are wanted, refused with a reason when they are
// wrong, unloaded. The plugins are made from broken.c.
#include <kiln/backend.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "jit_test.h"

static char plugin_folder[96];

static void set_up_plugins(void) {
  set_up();
  snprintf(plugin_folder, sizeof plugin_folder, "%s/plugins", test_folder);
  cr_assert_eq(mkdir(plugin_folder, 0700), 0);
  setenv("COMPILE_PLUGIN_PATH", plugin_folder, 1);
}

static void write_text(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", plugin_folder, name);
  FILE *file = fopen(path, "w");
  cr_assert(file, "%s", path);
  fputs(text, file);
  fclose(file);
}

#define TEXT_OF(x) #x
#define TEXT_OF_VALUE(x) TEXT_OF(x)
#define ABI_TEXT TEXT_OF_VALUE(KILN_BACKEND_ABI)
#define SIDECAR(NAME, LIBRARY, MORE)                                                                                   \
  "kiln-backend 1\n# made by a test\nname = " NAME "\ndescription = a plugin for tests\nabi = " ABI_TEXT               \
  "\nlibrary = " LIBRARY "\n" MORE

static void copy_plugin(const char *plugin) {
  char command[512];
  snprintf(command, sizeof command, "cp '%s/%s.so' '%s/%s.so'", PLUGINS, plugin, plugin_folder, plugin);
  cr_assert_eq(system(command), 0, "%s", command);
}

// A plugin of broken.c as backend "test".
static void place(const char *plugin) {
  char text[512];
  copy_plugin(plugin);
  snprintf(text, sizeof text,
           "kiln-backend 1\nname = test\ndescription = a plugin for tests\nabi = " ABI_TEXT "\nlibrary = %s.so\n",
           plugin);
  write_text("test.backend", text);
}

// Whether an object of the plugin folder is mapped into this process.
// Whether code of a plugin is mapped. (Under the thread sanitizer, pieces of read-only data can stay behind a dlclose.)
static bool is_loaded(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  bool found = false;
  while (fgets(line, sizeof line, maps))
    found |= strstr(line, plugin_folder) && strstr(line, " r-xp ");
  fclose(maps);
  return found;
}

static enum kiln_status open_test(struct kiln_context **ctx) {
  return kiln_context_open(&(struct kiln_context_desc){.backend = "test", .cache_mode = "off"}, ctx);
}

// Compiles and runs saxpy of four elements.
static enum kiln_status run_saxpy(struct kiln_context *ctx) {
  struct kiln_program *program = NULL;
  struct kiln_kernel *kernel = NULL;
  struct kiln_stream *stream = NULL;
  struct kiln_buffer *buffer = NULL;
  int32_t n = 4;
  float a = 2, one = 1, result[4] = {0};
  enum kiln_status status =
      kiln_program_create(ctx, &(struct kiln_program_desc){.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT}, &program);
  if (status == KILN_OK)
    status = kiln_kernel_create(program, NULL, &kernel);
  if (status == KILN_OK)
    status = kiln_stream_create(ctx, 0, &stream);
  if (status == KILN_OK)
    status = kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 16}, &buffer);
  if (status == KILN_OK)
    status = kiln_fill(stream, buffer, 0, 16, &one, 4, NULL);
  struct kiln_arg args[] = {kiln_arg_value(&n, 4), kiln_arg_value(&a, 4), kiln_arg_buffer(buffer),
                            kiln_arg_buffer(buffer)};
  if (status == KILN_OK)
    status = kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {4}, .args = args, .arg_count = 4}, NULL);
  if (status == KILN_OK)
    status = kiln_read(stream, buffer, 0, result, 16, NULL);
  if (status == KILN_OK)
    status = kiln_stream_finish(stream);
  for (int i = 0; i < 4 && status == KILN_OK; i++)
    cr_assert_eq(result[i], 3, "element %d is %g", i, (double)result[i]);
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  return status;
}

// ---- listing -------------------------------------------------------------------------------------------------------

struct listed {
  uint32_t count;
  char text[8][512];
};

static void note(void *user, const struct kiln_backend_info *info) {
  struct listed *l = user;
  if (*info->plugin)
    snprintf(l->text[l->count++ & 7], sizeof l->text[0], "%s|%s|%s|%d|%d|%s", info->name, info->description, info->tags,
             info->available, info->loaded, info->reason);
}

Test(plugin, listing_runs_no_code_of_it, .init = set_up_plugins, .fini = tear_down) {
  place("good");
  struct listed l = {0};
  OK(kiln_list_backends(false, note, &l));
  cr_assert_eq(l.count, 1);
  cr_assert_str_eq(l.text[0], "test|a plugin for tests||1|0|");
  cr_assert(!is_loaded());
  memset(&l, 0, sizeof l);
  OK(kiln_list_backends(true, note, &l));
  cr_assert_eq(l.count, 1);
  cr_assert_str_eq(l.text[0], "test|a plugin for tests||1|1|");
  cr_assert(!is_loaded(), "it stays loaded behind the listing");
}

Test(plugin, listing_keeps_failures, .init = set_up_plugins, .fini = tear_down) {
  place("no_symbol");
  write_text("absent.backend", SIDECAR("absent", "nowhere.so", ""));
  write_text("bad.backend", "something else\n");
  write_text("cpu.backend", SIDECAR("interp", "good.so", ""));
  write_text("later.backend", "kiln-backend 1\nname = later\nabi = 7\n");
  write_text("twice.backend", SIDECAR("test", "good.so", ""));
  write_text("upwards.backend", SIDECAR("upwards", "../good.so", ""));
  struct listed l = {0};
  OK(kiln_list_backends(true, note, &l));
  static const char *const reasons[] = {
      "nowhere.so cannot be read: No such file",
      "bad.backend: its first line is not 'kiln-backend 1'",
      "there is a backend 'interp' already, which is built in",
      ("it was built for version 7 of the backend ABI, and this is version " ABI_TEXT),
      "is no backend: it has no symbol kiln_backend_entry",
      "there is a backend 'test' already",
      "its library '../good.so' is not the name of a file beside it"};
  cr_assert_eq(l.count, 7);
  for (int i = 0; i < 7; i++)
    cr_assert(strstr(l.text[i], reasons[i]), "%d: '%s' lacks '%s'", i, l.text[i], reasons[i]);
  memset(&l, 0, sizeof l);
  OK(kiln_list_backends(false, note, &l));
  cr_assert_eq(l.count, 1, "what is known to be wrong is not in the default listing"); // test: not loaded yet
  struct kiln_context *ctx;
  FAILS(kiln_context_open(&(struct kiln_context_desc){.backend = "nope"}, &ctx), KILN_ERR_NOT_FOUND,
        "later (cannot be loaded: ");
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp"}, &ctx)); // the one that is built in
  kiln_context_close(ctx);
}

Test(plugin, unreadable_sidecars, .init = set_up_plugins, .fini = tear_down) {
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"", "first line"},
      {"kiln-backend 2\n", "first line"},
      {"kiln-backend 1\nabi = " ABI_TEXT "\n", "its name ''"},
      {"kiln-backend 1\nname = No\nabi = " ABI_TEXT "\n", "its name 'No'"},
      {"kiln-backend 1\nname = x\n", "does not say its backend ABI"},
      {"kiln-backend 1\nname = x\nabi = one\n", "'abi' is 'one' and not a number"},
      {"kiln-backend 1\nname = x\nabi = 99999999999999999999\n", "not a number"},
      {"kiln-backend 1\nnonsense\n", "not of the form"},
      {"kiln-backend 1\nname = x\nabi = " ABI_TEXT "\nlibrary =\n", "its library ''"},
      {"kiln-backend 1\nname = x\nabi = " ABI_TEXT "\nfuture = 1\n", "x.so cannot be read"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_text("x.backend", cases[i].text);
    struct listed l = {0};
    OK(kiln_list_backends(true, note, &l));
    cr_assert_eq(l.count, 1, "case %zu", i);
    cr_assert(strstr(l.text[0], cases[i].problem), "case %zu: '%s' lacks '%s'", i, l.text[0], cases[i].problem);
  }
}

// ---- loading -------------------------------------------------------------------------------------------------------

Test(plugin, runs_and_is_unloaded, .init = set_up_plugins, .fini = tear_down) {
  static const char *const good[] = {"good", "old_table", "null_info", "null_fragments"};
  for (int i = 0; i < 4; i++) {
    place(good[i]);
    for (int round = 0; round < 2; round++) {
      struct kiln_context *ctx, *second;
      OK(open_test(&ctx));
      OK(open_test(&second));
      cr_assert(is_loaded(), "%s", good[i]);
      enum kiln_status status = run_saxpy(ctx);
      cr_assert_eq(status, KILN_OK, "%s: %s", good[i], kiln_last_error());
      kiln_context_close(ctx);
      OK(run_saxpy(second));
      kiln_context_close(second);
      cr_assert(!is_loaded(), "%s stays loaded", good[i]);
    }
  }
}

Test(plugin, a_stage_without_name_is_no_stage, .init = set_up_plugins, .fini = tear_down) {
  place("null_fragments");
  setenv("COMPILE_DUMP_DIR", test_folder, 1);
  static const char *const options[] = {"", "-O0"};
  for (int i = 0; i < 2; i++) {
    struct kiln_context *ctx;
    struct kiln_program *program;
    void *data;
    size_t size;
    OK(open_test(&ctx));
    OK(kiln_program_create(
        ctx, &(struct kiln_program_desc){.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .options = options[i]},
        &program));
    FAILS(kiln_program_stage(program, "s", &data, &size), KILN_ERR_NOT_FOUND, "no stage 's'");
    kiln_program_release(program);
    kiln_context_close(ctx);
  }
  unsetenv("COMPILE_DUMP_DIR");
}

Test(plugin, broken_ones_give_errors, .init = set_up_plugins, .fini = tear_down) {
  static const struct {
    const char *plugin;
    enum kiln_status status;
    const char *message;
  } cases[] = {
      {"no_symbol", KILN_ERR_UNAVAILABLE, "no symbol kiln_backend_entry"},
      {"other_abi", KILN_ERR_UNAVAILABLE, "of the backend ABI, and this is version " ABI_TEXT},
      {"refuses", KILN_ERR_UNAVAILABLE, "does not know version " ABI_TEXT " of the backend ABI"},
      {"null_name", KILN_ERR_UNAVAILABLE, "name '' is not made of"},
      {"other_name", KILN_ERR_UNAVAILABLE, "its name differ from what the .backend file says ('other')"},
      {"short_table", KILN_ERR_UNAVAILABLE, "table has 16 bytes"},
      {"long_table", KILN_ERR_UNAVAILABLE, "it was built for a later Kiln"},
      {"no_functions", KILN_ERR_UNAVAILABLE, "lacks one of make_target"},
      {"no_driver_slot", KILN_ERR_UNAVAILABLE, "the driver of backend 'test' lacks event_done"},
      {"null_option", KILN_ERR_UNAVAILABLE, "lacks the name or default value of an option"},
      {"unterminated_arch", KILN_ERR_INTERNAL, "made a target that is not complete"},
      {"mute", KILN_ERR_NOT_FOUND, "gave no reason"},
      {"bad_status", KILN_ERR_INTERNAL, "returned 99, which is no status"},
  };
  size_t count = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, count++) {
    place(cases[i].plugin);
    struct kiln_context *ctx = NULL;
    enum kiln_status status = open_test(&ctx);
    cr_assert_eq(status, cases[i].status, "%s: %s: %s", cases[i].plugin, kiln_status_name(status), kiln_last_error());
    cr_assert(strstr(kiln_last_error(), cases[i].message), "%s: '%s' lacks '%s'", cases[i].plugin, kiln_last_error(),
              cases[i].message);
    cr_assert_null(ctx);
    cr_assert(!is_loaded(), "%s stays loaded", cases[i].plugin);
  }
  cr_assert_eq(count, 13);
}

Test(plugin, lying_answers_give_errors, .init = set_up_plugins, .fini = tear_down) {
  static const struct {
    const char *plugin, *message;
  } cases[] = {
      {"empty_artifact", "to nothing"},
      {"null_artifact", "to nothing"},
      {"no_meta", "metadata"},
      {"wrong_meta", ""},
      {"null_module", "loaded a program, but gave none"},
      {"null_driver", "opened its driver, but gave none"},
  };
  size_t count = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, count++) {
    place(cases[i].plugin);
    struct kiln_context *ctx;
    OK(open_test(&ctx));
    enum kiln_status status = run_saxpy(ctx);
    cr_assert_neq(status, KILN_OK, "%s", cases[i].plugin);
    cr_assert(strstr(kiln_last_error(), cases[i].message), "%s: '%s' lacks '%s'", cases[i].plugin, kiln_last_error(),
              cases[i].message);
    kiln_context_close(ctx);
  }
  cr_assert_eq(count, 6);
}

Test(plugin, is_no_shared_object, .init = set_up_plugins, .fini = tear_down) {
  write_text("test.backend", SIDECAR("test", "test.so", ""));
  write_text("test.so", "this is text");
  struct kiln_context *ctx;
  FAILS(open_test(&ctx), KILN_ERR_UNAVAILABLE, "backend 'test' cannot be loaded");
}

Test(plugin, chosen_only_if_it_says_so, .init = set_up_plugins, .fini = tear_down) {
  struct kiln_context *ctx;
  place("good");
  OK(kiln_context_open(NULL, &ctx));
  cr_assert_str_neq(kiln_context_target(ctx)->backend, "test");
  kiln_context_close(ctx);
  write_text("test.backend", SIDECAR("test", "good.so", "preference = 2000000000\n"));
  OK(kiln_context_open(NULL, &ctx));
  cr_assert_str_eq(kiln_context_target(ctx)->backend, "test");
  kiln_context_close(ctx);
  write_text("test.backend", SIDECAR("test", "no_symbol.so", "preference = 2000000000\n"));
  copy_plugin("no_symbol");
  OK(kiln_context_open(NULL, &ctx)); // the next one
  cr_assert_str_neq(kiln_context_target(ctx)->backend, "test");
  kiln_context_close(ctx);
}

// ---- the cache ------------------------------------------------------------------------------------------------------

static enum kiln_cache_outcome outcome(const char *name) {
  struct kiln_context *ctx;
  struct kiln_program_info info;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = name, .cache_mode = "rw"}, &ctx));
  struct kiln_program *program = make_program(ctx, SAXPY);
  kiln_program_info(program, &info);
  kiln_program_release(program);
  kiln_context_close(ctx);
  return info.cache;
}

Test(plugin, its_file_is_part_of_the_toolchain, .init = set_up_plugins, .fini = tear_down) {
  place("good");
  cr_assert_eq(outcome("test"), KILN_CACHE_MISS);
  cr_assert_eq(outcome("test"), KILN_CACHE_HIT_DISK);
  place("null_info"); // the same answers from another file
  cr_assert_eq(outcome("test"), KILN_CACHE_MISS);
  place("good");
  cr_assert_eq(outcome("test"), KILN_CACHE_HIT_DISK);
}

// ---- backends of the host -------------------------------------------------------------------------------------------

Test(plugin, backends_of_the_host, .init = set_up_plugins, .fini = tear_down) {
  struct kiln_base_backend mine = *kiln_interpreter(), again;
  const struct kiln_base_backend *list[] = {&mine, &again};
  struct kiln_context *ctx;
  mine.name = "mine";
  again = mine;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "mine", .backends = list, .backend_count = 1}, &ctx));
  OK(run_saxpy(ctx));
  kiln_context_close(ctx);
  FAILS(kiln_context_open(&(struct kiln_context_desc){.backend = "mine"}, &ctx), KILN_ERR_NOT_FOUND,
        "no backend 'mine'");
  FAILS(kiln_context_open(&(struct kiln_context_desc){.backends = list, .backend_count = 2}, &ctx), KILN_ERR_INVALID,
        "there is a backend 'mine' already");
  mine.name = "interp";
  FAILS(kiln_context_open(&(struct kiln_context_desc){.backends = list, .backend_count = 1}, &ctx), KILN_ERR_INVALID,
        "there is a backend 'interp' already");
  list[0] = NULL;
  FAILS(kiln_context_open(&(struct kiln_context_desc){.backends = list, .backend_count = 1}, &ctx), KILN_ERR_INVALID,
        "backends[0] is NULL");
  FAILS(kiln_context_open(&(struct kiln_context_desc){.backend_count = 1}, &ctx), KILN_ERR_INVALID, "backends is NULL");
}

// ---- threads --------------------------------------------------------------------------------------------------------

struct worker {
  struct kiln_context *a, *b;
  _Atomic int *failures;
};

static void *work(void *user) {
  struct worker *w = user;
  for (int i = 0; i < 8; i++) {
    atomic_fetch_add(w->failures, run_saxpy(i & 1 ? w->a : w->b) != KILN_OK);
    struct kiln_context *own; // others load and unload the plugin meanwhile
    atomic_fetch_add(w->failures, open_test(&own) != KILN_OK);
    kiln_context_close(own);
  }
  return NULL;
}

Test(plugin, two_contexts_from_eight_threads, .init = set_up_plugins, .fini = tear_down, .timeout = 120) {
  place("good");
  _Atomic int failures = 0;
  struct worker worker = {.failures = &failures};
  pthread_t threads[8];
  OK(open_test(&worker.a));
  // Another backend and arch: the CPU at its baseline where it can compile, else the interpreter itself.
  enum kiln_status status = kiln_context_open(
      &(struct kiln_context_desc){.backend = "cpu", .arch = "x86-64", .cache_mode = "off"}, &worker.b);
  if (status == KILN_OK && run_saxpy(worker.b) != KILN_OK) {
    kiln_context_close(worker.b);
    status = KILN_ERR_UNAVAILABLE;
  }
  if (status != KILN_OK)
    OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_mode = "off"}, &worker.b));
  for (int i = 0; i < 8; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, work, &worker), 0);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
  cr_assert_eq(failures, 0);
  kiln_context_close(worker.a);
  kiln_context_close(worker.b);
  cr_assert(!is_loaded());
}

// ---- stages ---------------------------------------------------------------------------------------------------------

// The contents of the only file of a folder whose name ends so.
static char *read_dump(const char *folder, const char *end) {
  char command[512];
  static char text[8192];
  snprintf(command, sizeof command, "test $(ls '%s' | grep -c '%s$') = 1 && cat '%s'/*%s", folder, end, folder, end);
  FILE *file = popen(command, "r");
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[size] = 0;
  cr_assert(file && pclose(file) == 0, "%s: not one file *%s", folder, end);
  return text;
}

Test(plugin, dumps_say_how_a_program_was_compiled, .init = set_up_plugins, .fini = tear_down) {
  char folder[96];
  struct kiln_context *ctx;
  struct kiln_program *program;
  snprintf(folder, sizeof folder, "%s/dump", test_folder);
  setenv("COMPILE_DUMP_DIR", folder, 1);
  place("good");
  OK(open_test(&ctx));
  for (int round = 0; round < 2; round++) { // under the same names
    OK(kiln_program_create(
        ctx, &(struct kiln_program_desc){.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .name = "my \"saxpy\".kir"},
        &program));
    kiln_program_release(program);
    const char *json = read_dump(folder, ".json");
    static const char *const parts[] = {"\"source\": \"my \\\"saxpy\\\".kir\"",
                                        "\"backend\": \"test\"",
                                        "\"arch\": \"generic\"",
                                        "\"status\": \"ok\"",
                                        "\"name\": \"ir\", \"file\": \"my__saxpy_-test-",
                                        "\"back_ms\": "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      cr_assert(strstr(json, parts[i]), "'%s' lacks '%s'", json, parts[i]);
    cr_assert(strstr(read_dump(folder, ".kir"), "kernel @saxpy("));
  }
  kiln_context_close(ctx);
  snprintf(folder, sizeof folder, "%s/dump2", test_folder);
  setenv("COMPILE_DUMP_DIR", folder, 1);
  OK(open_test(&ctx));
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = "kernel void k( {"}, &program), KILN_ERR_COMPILE,
        "error");
  cr_assert(strstr(read_dump(folder, ".json"), "\"status\": \"compile error\""));
  kiln_context_close(ctx);
  unsetenv("COMPILE_DUMP_DIR");
}

// ---- programs from modules, and what is gathered over all backends --------------------------------------------------

// y[i] = x[i] * factor, built without any text.
static struct kiln_module *scale_module(float factor) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param params[] = {{.name = "y", .type_name = "float*", .type = kiln_ptr_type(KILN_GLOBAL), .align = 4}};
  struct kiln_function *fn = kiln_module_add_function(module, "scale", true, kiln_scalar_type(KILN_VOID), params, 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_type f32 = kiln_scalar_type(KILN_F32);
  kiln_value at = kiln_build_padd(&b, fn->params[0].value, kiln_build_item(&b, KILN_OP_GLOBAL_ID, 0), 4);
  kiln_value x = kiln_build_load(&b, f32, at, 4, 0);
  kiln_build_store(&b, at, kiln_build2(&b, KILN_OP_FMUL, x, kiln_const_float(fn, f32, factor)), 4, 0);
  kiln_build_return(&b, 0);
  return module;
}

Test(plugin, programs_from_modules, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx = open_interp();
  struct kiln_program_desc desc = {.kind = KILN_SOURCE_MODULE, .name = "scale"};
  struct kiln_program *program;
  struct kiln_program_info info;
  static const enum kiln_cache_outcome outcomes[] = {KILN_CACHE_MISS, KILN_CACHE_HIT_MEMORY, KILN_CACHE_MISS};
  for (int i = 0; i < 3; i++) { // the same module again is a hit, another constant is another program
    struct kiln_module *module = scale_module(i < 2 ? 3 : 4);
    desc.module = module;
    OK(kiln_program_create(ctx, &desc, &program));
    kiln_module_free(module);
    kiln_program_info(program, &info);
    cr_assert_eq(info.cache, outcomes[i], "%d: %d", i, (int)info.cache);
    cr_assert_str_eq(kiln_program_kernel_name(program, 0), "scale");
    kiln_program_release(program);
  }
  desc.module = NULL;
  FAILS(kiln_program_create(ctx, &desc, &program), KILN_ERR_INVALID, "module is NULL");
  struct kiln_module *module = kiln_module_new();
  kiln_module_add_function(module, "open", true, kiln_scalar_type(KILN_VOID), NULL, 0); // its body has no end
  desc.module = module;
  FAILS(kiln_program_create(ctx, &desc, &program), KILN_ERR_COMPILE, "scale: error: ");
  desc.source = "x";
  FAILS(kiln_program_create(ctx, &desc, &program), KILN_ERR_INVALID, "source is not NULL");
  kiln_module_free(module);
  kiln_context_close(ctx);
}

static void join_names(void *user, const char *name, const char *description) {
  size_t size = strlen(user);
  snprintf((char *)user + size, 1024 - size, "%s:%s|", name, description);
}

Test(plugin, over_all_backends, .init = set_up_plugins, .fini = tear_down) {
  place("good");
  char text[1024] = "";
  OK(kiln_list_tags(join_names, text));
  cr_assert(strstr(text, "debug:"), "%s", text);
  *text = 0;
  OK(kiln_list_available_targets(join_names, text));
  cr_assert(strstr(text, "generic:interp test|"), "%s", text);
  *text = 0;
  OK(kiln_list_reserved_params(join_names, text));
  FAILS(kiln_list_tags(NULL, NULL), KILN_ERR_INVALID, "fn is NULL");
  // A kernel may not use a reserved name.
  struct kiln_base_backend mine = *kiln_interpreter();
  const struct kiln_base_backend *list[] = {&mine};
  const char *const reserved[] = {"num_stages", "a", NULL};
  struct kiln_context *ctx;
  struct kiln_program *program;
  mine.name = "mine";
  mine.reserved_params = reserved;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "mine", .backends = list, .backend_count = 1}, &ctx));
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT}, &program),
        KILN_ERR_COMPILE, "parameter 'a' of kernel 'saxpy' is a name that backend 'mine' keeps for itself");
  kiln_context_close(ctx);
}
