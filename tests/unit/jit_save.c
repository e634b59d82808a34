// Programs as bytes: what is loaded runs as what was saved, compiles nothing and needs no file, on every backend that
// runs here.
#include <limits.h>

#include "base/file.h"
#include "cache/format.h"
#include "jit_test.h"

static const char source[] = "#include \"add.h\"\n"
                             "#include \"memory.h\"\n"
                             "kernel void k(global int *o, int n) { o[get_global_id(0)] = ADD(n, 2) * SCALE; }\n";

static void write_header(const char *text) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/add.h", test_folder);
  FILE *f = fopen(path, "w");
  cr_assert(f);
  fputs(text, f);
  fclose(f);
}

static struct kiln_context *open_context(const char *backend, const char *mode) {
  struct kiln_context *ctx;
  if (kiln_context_open(&(struct kiln_context_desc){.backend = backend, .cache_mode = mode}, &ctx) != KILN_OK)
    cr_skip("%s", kiln_last_error());
  return ctx;
}

static struct kiln_program *compile(struct kiln_context *ctx) {
  char options[PATH_MAX];
  struct kiln_header header = {"memory.h", "#define SCALE 10\n", 0};
  struct kiln_program *program;
  snprintf(options, sizeof options, "-I %s", test_folder);
  OK(kiln_program_create(
      ctx,
      &(struct kiln_program_desc){
          .source = source, .name = "k.cl", .options = options, .headers = &header, .header_count = 1},
      &program));
  return program;
}

static void check_run(struct kiln_context *ctx, struct kiln_program *program) {
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
  struct kiln_kernel *kernel;
  int n = 5, o[4] = {0};
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = sizeof o}, &buffer));
  OK(kiln_kernel_create(program, "k", &kernel));
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel);
  cr_expect_str_eq(info->args[1].name, "n");
  cr_expect_str_eq(info->args[1].type_name, "int");
  struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(&n, sizeof n)};
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {4}, .args = args, .arg_count = 2}, NULL));
  OK(kiln_read(stream, buffer, 0, o, sizeof o, NULL));
  OK(kiln_stream_finish(stream));
  cr_expect_eq(o[0], 70);
  cr_expect_eq(o[3], 70);
  kiln_kernel_release(kernel);
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
}

static void run(const char *backend, const char *mode) {
  void *data;
  size_t size;
  write_header("#define ADD(a, b) ((a) + (b))\n");
  struct kiln_context *ctx = open_context(backend, mode);
  struct kiln_program *program = compile(ctx);
  OK(kiln_program_save(program, &data, &size));
  kiln_program_release(program);
  kiln_context_close(ctx);

  write_header("#error this must not be read\n");
  ctx = open_context(backend, "off");
  OK(kiln_program_load(ctx, data, size, &program));
  void *again;
  size_t again_size;
  OK(kiln_program_save(program, &again, &again_size)); // as often as one likes
  cr_expect_eq(again_size, size);
  kiln_free(again);
  kiln_free(data);
  check_run(ctx, program);
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  cr_expect_eq(stats.compiles, 0, "%d compiles", (int)stats.compiles);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(jit_save, interp, .init = set_up, .fini = tear_down) { run("interp", "rw"); }
Test(jit_save, without_cache, .init = set_up, .fini = tear_down) { run("interp", "off"); }
#ifdef KILN_LLVM
Test(jit_save, cpu, .init = set_up, .fini = tear_down) { run("cpu", "rw"); }
#endif
Test(jit_save, opencl, .init = set_up, .fini = tear_down) { run("opencl", "rw"); }

// Of a saved program, as jit/save.c describes it: the entry is the first member of the bundle behind the record.
static char *first_entry(char *data, size_t size, size_t *entry_size) {
  uint64_t record_size;
  memcpy(&record_size, data + 8, sizeof record_size);
  char *entry = data + 16 + record_size + 16, *end = memmem(entry, (size_t)(data + size - entry), "KILNcac\n", 8);
  cr_assert(end);
  *entry_size = (size_t)(end + 8 - entry);
  return entry;
}

// The checksums are right, but what is said of the kernels is not: each bit of it in turn.
static void describe_wrongly(const char *backend) {
  void *data;
  size_t size, entry_size;
  write_header("#define ADD(a, b) ((a) + (b))\n");
  struct kiln_context *ctx = open_context(backend, "off");
  struct kiln_program *program = compile(ctx), *loaded;
  OK(kiln_program_save(program, &data, &size));
  char *entry = first_entry(data, size, &entry_size);
  struct kiln_file_view view;
  cr_assert_null(kiln_file_decode(entry, entry_size, KILN_FILE_ENTRY, &view));
  static const int sections[] = {KILN_SECTION_REFLECTION, KILN_SECTION_RESOURCES};
  for (int s = 0; s < 2; s++) {
    struct kiln_str section = view.sections[sections[s]];
    cr_assert_gt(section.size, 40);
    for (size_t i = 0; i < section.size; i++) {
      char *byte = entry + (section.data - entry) + i, was = *byte;
      *byte ^= (char)(1 << i % 8);
      kiln_file_set_checksum(entry, entry_size);
      FAILS(kiln_program_load(ctx, data, size, &loaded), KILN_ERR_INVALID, "what it says of its kernels");
      *byte = was;
    }
  }
  kiln_file_set_checksum(entry, entry_size);
  OK(kiln_program_load(ctx, data, size, &loaded));
  kiln_program_release(loaded);
  kiln_free(data);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(jit_save, wrong_description, .init = set_up, .fini = tear_down) { describe_wrongly("interp"); }
#ifdef KILN_LLVM
Test(jit_save, wrong_description_of_cpu, .init = set_up, .fini = tear_down) { describe_wrongly("cpu"); }
#endif

static bool keep_path(void *user, const struct kiln_cache_item *item) {
  snprintf(user, PATH_MAX, "%s", item->path);
  cr_expect_str_eq(item->problem, "");
  return true;
}

static bool keep_problem(void *user, const struct kiln_cache_item *item) {
  snprintf(user, 128, "%s", item->problem);
  return true;
}

// In the cache on disk it costs a compile, and no failure.
Test(jit_save, wrong_description_in_the_cache, .init = set_up, .fini = tear_down) {
  char path[PATH_MAX] = "", problem[128] = "", *entry;
  size_t size;
  struct kiln_file_view view;
  write_header("#define ADD(a, b) ((a) + (b))\n");
  struct kiln_context *ctx = open_context("interp", "rw");
  kiln_program_release(compile(ctx));
  kiln_context_close(ctx);
  OK(kiln_cache_list(NULL, NULL, 0, keep_path, path));
  cr_assert_eq(kiln_file_read(path, &entry, &size), 0);
  cr_assert_null(kiln_file_decode(entry, size, KILN_FILE_ENTRY, &view));
  entry[view.sections[KILN_SECTION_REFLECTION].data - entry + 20] ^= 4;
  kiln_file_set_checksum(entry, size);
  cr_assert_eq(kiln_file_write_private(path, entry, size), 0);
  free(entry);
  OK(kiln_cache_list(NULL, NULL, 0, keep_problem, problem));
  cr_expect(strstr(problem, "what it says of its kernels"), "%s", problem);
  ctx = open_context("interp", "rw");
  struct kiln_program *program = compile(ctx);
  check_run(ctx, program);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(jit_save, refused, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx = open_context("interp", "rw"), *other;
  write_header("#define ADD(a, b) ((a) + (b))\n");
  struct kiln_program *program = compile(ctx), *loaded;
  void *data;
  size_t size;
  OK(kiln_program_save(program, &data, &size));
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .arch = "warp4"}, &other));
  FAILS(kiln_program_load(other, data, size, &loaded), KILN_ERR_UNSUPPORTED, "'k.cl' was saved for target interp");
  FAILS(kiln_program_load(ctx, "nothing", 7, &loaded), KILN_ERR_INVALID, "no saved program");
  // Whatever byte is wrong, loading fails or gives a program; it never reads what is not there.
  unsigned char *bytes = data;
  for (size_t i = 0; i < size; i += 13) {
    bytes[i] ^= 0x41;
    if (kiln_program_load(ctx, data, i % 2 ? size : size - i / 2, &loaded) == KILN_OK)
      kiln_program_release(loaded);
    bytes[i] ^= 0x41;
  }
  OK(kiln_program_load(ctx, data, size, &loaded));
  kiln_program_release(loaded);
  kiln_free(data);
  write_header("#define ADD(a, b) 0\n");
  FAILS(kiln_program_save(program, &data, &size), KILN_ERR_INVALID, "has changed since");
  FAILS(kiln_program_save(NULL, &data, &size), KILN_ERR_INVALID, "program is NULL");
  kiln_program_release(program);
  kiln_context_close(other);
  kiln_context_close(ctx);
}
