// Program-scope variables: shared by the kernels of a program, whatever the shapes of their launches, kept from launch
// to launch, and each program's own, on every backend that runs here.
#include "jit_test.h"

static const char source[] = "int counter = 40;\n"
                             "static global int table[4] = {1, 2, 3};\n"
                             "kernel void change(int by) { counter += by; table[3] += by; }\n"
                             "kernel void look(global int *o) { o[0] = counter; o[1] = table[2] + table[3]; }\n";

struct machine {
  struct kiln_context *context;
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
};

static struct machine open_machine(const char *backend) {
  struct machine m;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = backend}, &m.context));
  OK(kiln_stream_create(m.context, 0, &m.stream));
  OK(kiln_buffer_create(m.context, &(struct kiln_buffer_desc){.size = 8}, &m.buffer));
  return m;
}

static void close_machine(struct machine *m) {
  kiln_buffer_release(m->buffer);
  kiln_stream_release(m->stream);
  kiln_context_close(m->context);
}

static struct kiln_program *load(struct machine *m, const char *text) {
  struct kiln_program *program;
  OK(kiln_program_create(m->context,
                         &(struct kiln_program_desc){.source = text, .name = "globals.cl", .options = "-cl-std=CL2.0"},
                         &program));
  return program;
}

// One group.
static void launch(struct machine *m, struct kiln_program *program, const char *name, size_t items,
                   struct kiln_arg arg) {
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, name, &kernel));
  OK(kiln_launch(
      m->stream, kernel,
      &(struct kiln_launch_desc){.global = {items}, .local = {(uint32_t)items}, .args = &arg, .arg_count = 1}, NULL));
  kiln_kernel_release(kernel);
}

static void change(struct machine *m, struct kiln_program *program, int by) {
  launch(m, program, "change", 1, kiln_arg_value(&by, sizeof by));
}

static void expect_seen(struct machine *m, int counter, int sum) {
  int seen[2] = {-1, -1};
  OK(kiln_read(m->stream, m->buffer, 0, seen, sizeof seen, NULL));
  OK(kiln_stream_finish(m->stream));
  cr_expect_eq(seen[0], counter, "counter is %d, not %d", seen[0], counter);
  cr_expect_eq(seen[1], sum, "the sum is %d, not %d", seen[1], sum);
}

static void expect(struct machine *m, struct kiln_program *program, int counter, int sum) {
  launch(m, program, "look", 1, kiln_arg_buffer(m->buffer));
  expect_seen(m, counter, sum);
}

// Groups of all sizes, of which some want variants of a program, find the same variables, also by their address.
static const char shapes[] = "int counter = 1;\n"
                             "global int *global place = &counter;\n"
                             "constant struct { global int *place; int n; } fixed = {&counter, 7};\n"
                             "kernel void sum(global int *o) {\n"
                             "  local int t[64];\n"
                             "  t[get_local_id(0)] = 1;\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  atomic_add(place, t[get_local_size(0) - 1 - get_local_id(0)]);\n"
                             "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "  if (get_local_id(0) == 0) { o[0] = counter; o[1] = *fixed.place + fixed.n; }\n"
                             "}\n"
                             "kernel void look(global int *o) { o[0] = counter; o[1] = *fixed.place + fixed.n; }\n";

static void run_shapes(const char *backend) {
  struct machine m = open_machine(backend);
  struct kiln_program *program = load(&m, shapes);
  static const size_t sizes[] = {16, 5, 64, 1, 7, 16};
  int counter = 1;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    launch(&m, program, "sum", sizes[i], kiln_arg_buffer(m.buffer));
    counter += (int)sizes[i];
    expect_seen(&m, counter, counter + 7);
    expect(&m, program, counter, counter + 7);
  }
  launch(&m, program, "sum", 5, kiln_arg_buffer(m.buffer));
  kiln_program_release(program); // while it may run
  expect_seen(&m, counter + 5, counter + 12);
  close_machine(&m);
}

static void run(const char *backend) {
  struct machine m = open_machine(backend);
  struct kiln_program *first = load(&m, source), *second = load(&m, source);
  expect(&m, first, 40, 3);
  change(&m, first, 2);
  change(&m, first, 5);
  expect(&m, first, 47, 10);
  expect(&m, second, 40, 3); // its own variables
  change(&m, second, -1);
  expect(&m, second, 39, 2);
  expect(&m, first, 47, 10);
  kiln_program_release(first);
  struct kiln_program *third = load(&m, source);
  expect(&m, third, 40, 3); // a new life
  kiln_program_release(second);
  kiln_program_release(third);
  close_machine(&m);
}

Test(globals, interp, .init = set_up, .fini = tear_down) { run("interp"); }
Test(globals, shapes_interp, .init = set_up, .fini = tear_down) { run_shapes("interp"); }

#ifdef KILN_LLVM
Test(globals, cpu, .init = set_up, .fini = tear_down) { run("cpu"); }
Test(globals, shapes_cpu, .init = set_up, .fini = tear_down) { run_shapes("cpu"); }
#endif
