// Program-scope variables: shared by the kernels of a program, kept from launch to launch, and each program's own, on
// every backend that runs here.
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

static struct kiln_program *load(struct machine *m) {
  struct kiln_program *program;
  OK(kiln_program_create(
      m->context, &(struct kiln_program_desc){.source = source, .name = "globals.cl", .options = "-cl-std=CL2.0"},
      &program));
  return program;
}

static void launch(struct machine *m, struct kiln_program *program, const char *name, struct kiln_arg arg) {
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, name, &kernel));
  OK(kiln_launch(m->stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = &arg, .arg_count = 1}, NULL));
  OK(kiln_stream_finish(m->stream));
  kiln_kernel_release(kernel);
}

static void change(struct machine *m, struct kiln_program *program, int by) {
  launch(m, program, "change", kiln_arg_value(&by, sizeof by));
}

static void expect(struct machine *m, struct kiln_program *program, int counter, int sum) {
  int seen[2] = {-1, -1};
  launch(m, program, "look", kiln_arg_buffer(m->buffer));
  OK(kiln_read(m->stream, m->buffer, 0, seen, sizeof seen, NULL));
  OK(kiln_stream_finish(m->stream));
  cr_expect_eq(seen[0], counter, "counter is %d, not %d", seen[0], counter);
  cr_expect_eq(seen[1], sum, "the sum is %d, not %d", seen[1], sum);
}

static void run(const char *backend) {
  struct machine m;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = backend}, &m.context));
  OK(kiln_stream_create(m.context, 0, &m.stream));
  OK(kiln_buffer_create(m.context, &(struct kiln_buffer_desc){.size = 8}, &m.buffer));
  struct kiln_program *first = load(&m), *second = load(&m);
  expect(&m, first, 40, 3);
  change(&m, first, 2);
  change(&m, first, 5);
  expect(&m, first, 47, 10);
  expect(&m, second, 40, 3); // its own variables
  change(&m, second, -1);
  expect(&m, second, 39, 2);
  expect(&m, first, 47, 10);
  kiln_program_release(first);
  struct kiln_program *third = load(&m);
  expect(&m, third, 40, 3); // a new life
  kiln_program_release(second);
  kiln_program_release(third);
  kiln_buffer_release(m.buffer);
  kiln_stream_release(m.stream);
  kiln_context_close(m.context);
}

Test(globals, interp, .init = set_up, .fini = tear_down) { run("interp"); }

#ifdef KILN_LLVM
Test(globals, cpu, .init = set_up, .fini = tear_down) { run("cpu"); }
#endif
