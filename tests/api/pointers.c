// Pointers in place of buffers: any of the process on cpu and interp, those of HSA on rocm, of CUDA on cuda, none on
// opencl.
#include "tests/api/api_test.h"

#define SOURCE                                                                                                         \
  "struct node { global struct node *next; int value; };"                                                              \
  "kernel void add(global int *x, global const int *y) { size_t i = get_global_id(0); x[i] += y ? y[i] : 1; }"         \
  "kernel void sum(global struct node *first, global int *out) {"                                                      \
  "  int total = 0;"                                                                                                   \
  "  for (global struct node *n = first; n; n = n->next) total += n->value;"                                           \
  "  *out = total;"                                                                                                    \
  "}"                                                                                                                  \
  "kernel void chain(global int *x, global const int *y) { for (int i = 0; i < 8; i++) x[i] = y[i] + 1; }"

struct node {
  struct node *next;
  int value;
};

static struct kiln_kernel *add, *sum, *chain;

static enum kiln_status run(struct kiln_kernel *kernel, uint64_t n, struct kiln_arg first, struct kiln_arg second) {
  struct kiln_arg args[] = {first, second};
  return kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {n}, .args = args, .arg_count = 2}, NULL);
}

// The device follows any pointer of the process.
static void of_process(void) {
  int x[64] = {0}, y[64], total = 0, row[9] = {0};
  for (int i = 0; i < 64; i++)
    y[i] = i;
  FINE(run(add, 64, kiln_arg_pointer(x), kiln_arg_pointer(y)));
  FINE(run(add, 64, kiln_arg_pointer(x), kiln_arg_pointer(NULL)));
  struct kiln_buffer *both = api_buffer(sizeof y, y);
  FINE(run(add, 64, kiln_arg_pointer(x), kiln_arg_buffer(both)));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < 64; i++)
    EXPECT(x[i] == 2 * i + 1, "x[%d] is %d", i, x[i]);
  kiln_buffer_release(both);
  // Pointers in that memory are followed, too.
  struct node nodes[3] = {{&nodes[1], 1}, {&nodes[2], 20}, {NULL, 300}};
  FINE(run(sum, 1, kiln_arg_pointer(nodes), kiln_arg_pointer(&total)));
  FINE(kiln_stream_finish(stream));
  EXPECT(total == 321, "%d", total);
  // Where the memory overlaps, each read sees the write before it.
  FINE(run(chain, 1, kiln_arg_pointer(row + 1), kiln_arg_pointer(row)));
  FINE(kiln_stream_finish(stream));
  EXPECT(row[8] == 8, "%d", row[8]);
  FAILS(run(add, 1, kiln_arg_pointer((char *)x + 2), kiln_arg_pointer(y)), KILN_ERR_INVALID, KILN_REASON_ARG_ALIGN, 0);
  FAILS(run(add, 1, kiln_arg_pointer(x), kiln_arg_pointer((char *)y + 1)), KILN_ERR_INVALID, KILN_REASON_ARG_ALIGN, 1);
  // A prepared launch keeps the pointers.
  struct kiln_arg args[] = {kiln_arg_pointer(x), kiln_arg_pointer(NULL)};
  struct kiln_prepared *prepared;
  FINE(kiln_prepare(stream, add, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 2}, &prepared));
  for (int i = 0; i < 3; i++)
    FINE(kiln_run_prepared(prepared, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(x[0] == 4, "%d", x[0]);
  kiln_prepared_release(prepared);
}

// Only memory that the runtime allocated: that of a buffer, for one.
static void of_device(void) {
  int x[64], y[64];
  for (int i = 0; i < 64; i++)
    x[i] = y[i] = i;
  struct kiln_buffer *a = api_buffer(sizeof x, x), *b = api_buffer(sizeof y, y);
  void *at, *from;
  size_t offset;
  FINE(kiln_buffer_native(a, &at, &offset));
  FINE(kiln_buffer_native(b, &from, &offset));
  FINE(run(add, 60, kiln_arg_pointer((char *)at + 16), kiln_arg_pointer(from)));
  FINE(kiln_read(stream, a, 0, x, sizeof x, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < 64; i++)
    EXPECT(x[i] == (i < 4 ? i : i + i - 4), "x[%d] is %d", i, x[i]);
  FAILS(run(add, 1, kiln_arg_pointer(x), kiln_arg_buffer(b)), KILN_ERR_INVALID, KILN_REASON_ARG_VALUE, 0);
  FAILS(run(add, 1, kiln_arg_buffer(a), kiln_arg_pointer(y)), KILN_ERR_INVALID, KILN_REASON_ARG_VALUE, 1);
  FAILS(run(add, 1, kiln_arg_pointer((char *)at + 2), kiln_arg_buffer(b)), KILN_ERR_INVALID, KILN_REASON_ARG_ALIGN, 0);
  kiln_buffer_release(a);
  kiln_buffer_release(b);
}

static void refused(void) {
  int x[64];
  struct kiln_buffer *buffer = api_buffer(sizeof x, NULL);
  FAILS(run(add, 1, kiln_arg_pointer(x), kiln_arg_buffer(NULL)), KILN_ERR_UNSUPPORTED, KILN_REASON_ARG_VALUE, 0);
  FAILS(run(add, 1, kiln_arg_buffer(buffer), kiln_arg_pointer(x)), KILN_ERR_UNSUPPORTED, KILN_REASON_ARG_VALUE, 1);
  FINE(run(add, 1, kiln_arg_buffer(buffer), kiln_arg_pointer(NULL)));
  FINE(kiln_stream_finish(stream));
  kiln_buffer_release(buffer);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  struct kiln_program *program;
  FINE(kiln_program_create(ctx, &(struct kiln_program_desc){.source = SOURCE}, &program));
  FINE(kiln_kernel_create(program, "add", &add));
  FINE(kiln_kernel_create(program, "sum", &sum));
  FINE(kiln_kernel_create(program, "chain", &chain));
  kiln_program_release(program);
  if (api_is("rocm") || api_is("cuda"))
    of_device();
  else if (api_is("opencl"))
    refused();
  else
    of_process();
  kiln_kernel_release(add);
  kiln_kernel_release(sum);
  kiln_kernel_release(chain);
  api_close();
  return 0;
}
