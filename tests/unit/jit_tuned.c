// kiln_tune and tuned launches by way of the host API: which point runs, of what sizes, and what a search leaves.
#include <ftw.h>

#include "jit_test.h"

// Work-items take five times as long with the next larger A, and compute the same: no point is cancelled, as one of ten
// times the best time may be. The kernel says which point it is where it has a place for that, and of which group size,
// which a search has not.
#define SOURCE                                                                                                         \
  "#pragma kernel tune(A = 500, 20, 100)\n"                                                                            \
  "#pragma kernel tune(L = 4, 8)\n"                                                                                    \
  "#pragma kernel restriction(A != 20 || n % 2 == 0)\n"                                                                \
  "#pragma kernel problem_size(n)\n"                                                                                   \
  "#pragma kernel block_size(L)\n"                                                                                     \
  "#pragma kernel grid_divisor(L * 2)\n"                                                                               \
  "#pragma kernel tuning_key(n)\n"                                                                                     \
  "kernel void k(global int *x, global int *who, int n) {\n"                                                           \
  "  int i = get_global_id(0), sum = 0;\n"                                                                             \
  "  for (volatile int r = 0; r < A; r++) sum += x[i] & 1;\n"                                                          \
  "  x[i] += 1 + (sum < 0);\n"                                                                                         \
  "  if (who && i == 0) { who[0] = A; who[1] = get_local_size(0); who[2] = get_num_groups(0); }\n"                     \
  "}\n"

struct host {
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *x, *who;
};

static const struct kiln_program_desc described = {.source = SOURCE, .name = "tuned.cl"};

static struct host open_host_in(struct kiln_context *ctx) {
  struct host h = {.ctx = ctx};
  OK(kiln_program_create(h.ctx, &described, &h.program));
  OK(kiln_kernel_create(h.program, "k", &h.kernel));
  OK(kiln_stream_create(h.ctx, 0, &h.stream));
  OK(kiln_buffer_create(h.ctx, &(struct kiln_buffer_desc){.size = 4096}, &h.x));
  OK(kiln_buffer_create(h.ctx, &(struct kiln_buffer_desc){.size = 12}, &h.who));
  const int zero = 0;
  OK(kiln_fill(h.stream, h.x, 0, 4096, &zero, sizeof zero, NULL));
  OK(kiln_stream_finish(h.stream));
  return h;
}

static struct host open_host(void) { return open_host_in(open_interp()); }

static void close_host(struct host *h) {
  kiln_buffer_release(h->x);
  kiln_buffer_release(h->who);
  kiln_stream_release(h->stream);
  kiln_kernel_release(h->kernel);
  kiln_program_release(h->program);
  kiln_context_close(h->ctx);
}

static enum kiln_status launch(struct host *h, int n, int who[3]) {
  struct kiln_arg args[] = {kiln_arg_buffer(h->x), kiln_arg_buffer(h->who), kiln_arg_value(&n, sizeof n)};
  enum kiln_status status =
      kiln_launch(h->stream, h->kernel, &(struct kiln_launch_desc){.args = args, .arg_count = 3, .tuned = true}, NULL);
  if (status == KILN_OK)
    status = kiln_read(h->stream, h->who, 0, who, 12, NULL);
  return status == KILN_OK ? kiln_stream_finish(h->stream) : status;
}

static struct kiln_tune_result tune_with(struct host *h, int n, uint32_t flags, kiln_tune_fn *progress, void *user) {
  struct kiln_tune_result result;
  struct kiln_arg args[] = {kiln_arg_buffer(h->x), kiln_arg_buffer(NULL), kiln_arg_value(&n, sizeof n)};
  OK(kiln_tune(h->ctx,
               &(struct kiln_tune_desc){.program = described,
                                        .launch = {.args = args, .arg_count = 3},
                                        .flags = flags | KILN_TUNE_WARM,
                                        .progress = progress,
                                        .user = user},
               &result));
  return result;
}

static struct kiln_tune_result tune(struct host *h, int n) { return tune_with(h, n, KILN_TUNE_ALL, NULL, NULL); }

static void expect_point(struct host *h, int n, int a) {
  int who[3];
  OK(launch(h, n, who));
  cr_expect_eq(who[0], a, "n = %d runs with A = %d instead of %d", n, who[0], a);
  cr_expect(who[1] == 4 || who[1] == 8, "a group of %d", who[1]);
  cr_expect_eq(who[2], (n + 2 * who[1] - 1) / (2 * who[1]), "%d groups of %d for n = %d", who[2], who[1], n);
}

Test(jit_tuned, without_a_record_the_default_runs, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  int who[3];
  OK(launch(&h, 20, who));
  cr_expect_eq(who[0], 500);
  cr_expect_eq(who[1], 4);
  cr_expect_eq(who[2], 3);
  close_host(&h);
}

Test(jit_tuned, a_record_is_taken_by_its_class_and_near_ones, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  struct kiln_tune_result result = tune(&h, 64);
  cr_expect_eq(result.points, 6);
  cr_expect_eq(result.value_count, 2);
  cr_expect_str_eq(result.point[0].name, "A");
  cr_expect_eq(result.point[0].value, 20);
  cr_expect_lt(result.best_us, result.default_us);
  expect_point(&h, 64, 20);
  expect_point(&h, 60, 20);   // the same class
  expect_point(&h, 63, 100);  // the restriction does not hold for the best
  expect_point(&h, 256, 20);  // a factor of 4
  expect_point(&h, 257, 500); // more
  expect_point(&h, 16, 20);
  expect_point(&h, 8, 500);
  close_host(&h);
  h = open_host(); // another process
  expect_point(&h, 64, 20);
  close_host(&h);
}

Test(jit_tuned, a_search_leaves_buffers_as_they_were, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  int before[16], after[16];
  for (int i = 0; i < 16; i++)
    before[i] = i * i;
  OK(kiln_write(h.stream, h.x, 0, before, sizeof before, NULL));
  OK(kiln_stream_finish(h.stream));
  tune(&h, 16);
  OK(kiln_read(h.stream, h.x, 0, after, sizeof after, NULL));
  OK(kiln_stream_finish(h.stream));
  cr_expect_eq(memcmp(before, after, sizeof before), 0);
  close_host(&h);
}

static bool stop(void *user, const struct kiln_tune_event *event) {
  uint64_t *events = user;
  (void)event;
  return ++*events < 2;
}

Test(jit_tuned, a_search_that_is_stopped_goes_on_later, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  uint64_t events = 0;
  struct kiln_tune_result result = tune_with(&h, 64, 0, stop, &events);
  cr_expect_eq(result.points, 2);
  cr_expect_eq(events, 2);
  result = tune(&h, 64);
  cr_expect_eq(result.points, 6);
  uint64_t before = result.compiles;
  result = tune(&h, 64);
  cr_expect_eq(result.points, 6);
  cr_expect_eq(result.compiles, 0, "%llu after %llu", (unsigned long long)result.compiles, (unsigned long long)before);
  close_host(&h);
}

static bool count(void *user, const struct kiln_tune_record_info *record) {
  cr_expect_str_eq(record->kernel, "k");
  ++*(int *)user;
  return true;
}

Test(jit_tuned, modes_of_the_environment, .init = set_up, .fini = tear_down) {
  int who[3];
  struct host h = open_host();
  tune(&h, 64);
  close_host(&h);
  setenv("COMPILE_TUNE", "off", 1);
  h = open_host();
  expect_point(&h, 64, 500);
  close_host(&h);
  setenv("COMPILE_TUNE", "require", 1);
  h = open_host();
  expect_point(&h, 64, 20);
  FAILS(launch(&h, 128, who), KILN_ERR_NOT_CACHED, "no tuning record for n=128");
  close_host(&h);
  setenv("COMPILE_TUNE", "auto", 1);
  h = open_host();
  int n = 8;
  struct kiln_arg args[] = {kiln_arg_buffer(h.x), kiln_arg_buffer(NULL), kiln_arg_value(&n, sizeof n)};
  OK(kiln_launch(h.stream, h.kernel, &(struct kiln_launch_desc){.args = args, .arg_count = 3, .tuned = true}, NULL));
  OK(kiln_stream_finish(h.stream));
  int records = 0; // not which point is the best: on a busy machine 0.5 s may be too short for that
  OK(kiln_tune_list(h.ctx, &described, NULL, count, &records));
  cr_expect_eq(records, 2);
  close_host(&h);
  setenv("COMPILE_TUNE", "sometimes", 1);
  h = open_host();
  FAILS(launch(&h, 64, who), KILN_ERR_INVALID, "it must be on, off, require or auto");
  close_host(&h);
  unsetenv("COMPILE_TUNE");
}

Test(jit_tuned, records_are_listed_and_forgotten, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  int records = 0;
  uint64_t removed;
  tune(&h, 64);
  tune(&h, 8);
  OK(kiln_tune_list(h.ctx, &described, NULL, count, &records));
  cr_expect_eq(records, 2);
  expect_point(&h, 64, 20);
  OK(kiln_tune_forget(h.ctx, &described, "k", &removed));
  cr_expect_eq(removed, 2);
  expect_point(&h, 64, 500);
  close_host(&h);
}

// A launch without a record does not run what the source excludes, which may write beyond its buffers.
Test(jit_tuned, the_default_is_a_point_for_which_restrictions_hold, .init = set_up, .fini = tear_down) {
  static const char source[] = "#pragma kernel tune(A = 1, 2)\n"
                               "#pragma kernel tune(B = 8, 16, 4, 2)\n"
                               "#pragma kernel restriction(n % B == 0 && n > 1)\n"
                               "#pragma kernel problem_size(n)\n"
                               "#pragma kernel grid_divisor(B)\n"
                               "#pragma kernel block_size(1)\n"
                               "kernel void k(global int *who, int n) { who[0] = A; who[1] = B; }\n";
  static const struct { int n, a, b; } cases[] = {{32, 1, 8}, {12, 1, 4}, {6, 1, 2}, {7, 0, 0}, {0, 0, 0}};
  struct kiln_program_desc desc = {.source = source, .name = "default.cl"};
  struct host h = open_host();
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  OK(kiln_program_create(h.ctx, &desc, &program));
  OK(kiln_kernel_create(program, "k", &kernel));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_arg args[] = {kiln_arg_buffer(h.who), kiln_arg_value(&cases[i].n, 4)};
    struct kiln_launch_desc launch = {.args = args, .arg_count = 2, .tuned = true};
    enum kiln_status status = kiln_launch(h.stream, kernel, &launch, NULL);
    if (!cases[i].b) {
      const char *message = "kernel 'k': its restrictions allow no point with these arguments";
      struct kiln_tune_result result;
      cr_expect_eq(status, KILN_ERR_INVALID, "n = %d: %d", cases[i].n, (int)status);
      cr_expect_str_eq(kiln_last_error(), message);
      status = kiln_tune(h.ctx, &(struct kiln_tune_desc){.program = desc, .launch = launch}, &result);
      cr_expect_eq(status, KILN_ERR_INVALID);
      cr_expect_str_eq(kiln_last_error(), message);
      continue;
    }
    int who[2];
    OK(status);
    OK(kiln_read(h.stream, h.who, 0, who, sizeof who, NULL));
    OK(kiln_stream_finish(h.stream));
    cr_expect(who[0] == cases[i].a && who[1] == cases[i].b, "n = %d: %d, %d", cases[i].n, who[0], who[1]);
  }
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  close_host(&h);
}

Test(jit_tuned, prepared_launches_and_graphs, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  int n = 64, who[3] = {0};
  struct kiln_arg args[] = {kiln_arg_buffer(h.x), kiln_arg_buffer(h.who), kiln_arg_value(&n, sizeof n)};
  struct kiln_launch_desc desc = {.args = args, .arg_count = 3, .tuned = true};
  struct kiln_prepared *prepared;
  struct kiln_graph *graph;
  tune(&h, 64);
  OK(kiln_prepare(h.stream, h.kernel, &desc, &prepared));
  OK(kiln_run_prepared(prepared, NULL));
  OK(kiln_read(h.stream, h.who, 0, who, sizeof who, NULL));
  OK(kiln_stream_finish(h.stream));
  cr_expect_eq(who[0], 20);
  kiln_prepared_release(prepared);
  OK(kiln_graph_create(h.ctx, 0, &graph));
  OK(kiln_launch(kiln_graph_stream(graph), h.kernel, &desc, NULL));
  OK(kiln_graph_finalize(graph));
  n = 8; // of no class that is near
  OK(kiln_graph_update(graph, 0, &desc));
  OK(kiln_graph_run(graph, h.stream, NULL));
  OK(kiln_read(h.stream, h.who, 0, who, sizeof who, NULL));
  OK(kiln_stream_finish(h.stream));
  cr_expect_eq(who[0], 500);
  kiln_graph_release(graph);
  close_host(&h);
}

Test(jit_tuned, launches_that_are_wrong, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  int n = 64;
  struct kiln_arg args[] = {kiln_arg_buffer(h.x), kiln_arg_buffer(h.who), kiln_arg_value(&n, sizeof n)};
  struct kiln_launch_desc desc = {.args = args, .arg_count = 3, .tuned = true, .global = {64}};
  FAILS(kiln_launch(h.stream, h.kernel, &desc, NULL), KILN_ERR_INVALID, "whose global size problem_size says");
  desc = (struct kiln_launch_desc){.args = args, .arg_count = 3, .tuned = true, .local = {8}};
  FAILS(kiln_launch(h.stream, h.kernel, &desc, NULL), KILN_ERR_INVALID, "whose local size Kiln chooses");
  desc = (struct kiln_launch_desc){.args = args, .arg_count = 2, .tuned = true};
  FAILS(kiln_launch(h.stream, h.kernel, &desc, NULL), KILN_ERR_INVALID, "takes 3 arguments, got 2");
  args[2] = kiln_arg_value(&n, 2);
  desc.arg_count = 3;
  FAILS(kiln_launch(h.stream, h.kernel, &desc, NULL), KILN_ERR_INVALID, "expected 4 bytes for 'int', got 2");
  struct kiln_program *plain = make_program(h.ctx, SAXPY);
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(plain, NULL, &kernel));
  FAILS(kiln_launch(h.stream, kernel, &desc, NULL), KILN_ERR_INVALID, "nothing is tuned of it");
  kiln_kernel_release(kernel);
  kiln_program_release(plain);
  close_host(&h);
}

static int remove_program(const char *path, const struct stat *info, int type, struct FTW *at) {
  size_t size = strlen(path);
  (void)info;
  (void)at;
  return type == FTW_F && size > 5 && strcmp(path + size - 5, ".kiln") == 0 ? remove(path) : 0;
}

// Where the cache has records and no programs, kiln_warm compiles the program and that of the best point, and its
// bundle has the record: a launch elsewhere compiles nothing.
Test(jit_tuned, warming_compiles_the_best_points, .init = set_up, .fini = tear_down) {
  struct host h = open_host();
  tune(&h, 64);
  close_host(&h);
  cr_assert_eq(nftw(test_folder, remove_program, 8, FTW_PHYS), 0);
  char path[96], manifest[256];
  snprintf(path, sizeof path, "%s/tuned.cl", test_folder);
  snprintf(manifest, sizeof manifest, "kiln-manifest 1\nprogram\nfile: %s\nend\n", path);
  FILE *file = fopen(path, "w");
  cr_assert(file && fputs(SOURCE, file) >= 0 && fclose(file) == 0);
  struct kiln_warm_desc warm = {.text = manifest,
                                .targets = (struct kiln_warm_target[]){{"interp", ""}},
                                .target_count = 1,
                                .export_memory = true};
  struct kiln_warm_result result;
  OK(kiln_warm(&warm, &result));
  cr_expect_eq(result.compiled, 1);
  setenv("COMPILE_CACHE_DIR", "/nowhere", 1);
  setenv("COMPILE_CACHE", "require", 1);
  setenv("COMPILE_TUNE", "require", 1);
  struct kiln_context *ctx = open_interp();
  OK(kiln_context_import(ctx, result.bundle, result.bundle_size));
  h = open_host_in(ctx);
  expect_point(&h, 64, 20);
  kiln_free(result.bundle);
  close_host(&h);
  unsetenv("COMPILE_TUNE");
  unsetenv("COMPILE_CACHE");
}
