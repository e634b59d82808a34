// Objects and linking: what several sources share and keep for themselves, on every backend that runs here, and what
// is said of parts that do not fit.
#include "jit_test.h"

static const char main_source[] = "typedef struct { int a, b; } pair;\n"
                                  "extern constant int table[4];\n"
                                  "int twice(int x);\n"
                                  "int sum(pair p);\n"
                                  "float root(float x);\n"
                                  "__attribute__((overloadable)) int pick(int x);\n"
                                  "__attribute__((overloadable)) int pick(float x);\n"
                                  "static int helper(int x) { return x + 1; }\n"
                                  "kernel void run(global int *o, pair p) {\n"
                                  "  o[0] = twice(helper(o[0]));\n"
                                  "  o[1] = sum(p) + table[2];\n"
                                  "  o[2] = (int)root(16.0f);\n"
                                  "  o[3] = pick(1) * 10 + pick(1.0f);\n"
                                  "}\n";
static const char math_source[] = "typedef struct { int a, b; } pair;\n"
                                  "constant int table[4] = {1, 2, 30, 4};\n"
                                  "static int helper(int x) { return x * 2; }\n"
                                  "int twice(int x) { return helper(x); }\n"
                                  "int sum(pair p) { p.a += p.b; return p.a; }\n"
                                  "float root(float x) { return sqrt(x) + sin(0.0f); }\n"
                                  "__attribute__((overloadable)) int pick(float x) { return 7; }\n"
                                  "__attribute__((overloadable)) int pick(int x) { return 4; }\n"
                                  "kernel void other(global int *o) { o[0] = table[0]; }\n";

static struct kiln_object *object(struct kiln_context *ctx, const char *name, const char *source) {
  struct kiln_object *made;
  OK(kiln_object_create(ctx, &(struct kiln_program_desc){.source = source, .name = name}, &made));
  return made;
}

static enum kiln_status link_two(struct kiln_context *ctx, struct kiln_object *a, struct kiln_object *b,
                                 struct kiln_program **out) {
  struct kiln_object *objects[] = {a, b};
  return kiln_program_link(ctx, &(struct kiln_link_desc){.objects = objects, .object_count = b ? 2 : 1, .name = "all"},
                           out);
}

// Runs one work-item of a kernel on data, with a further argument unless value is NULL.
static void run_item(struct kiln_context *ctx, struct kiln_program *program, const char *name, void *data, size_t size,
                     const void *value, size_t value_size) {
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
  struct kiln_kernel *kernel;
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = size}, &buffer));
  OK(kiln_kernel_create(program, name, &kernel));
  OK(kiln_write(stream, buffer, 0, data, size, NULL));
  struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(value, value_size)};
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = value ? 2 : 1},
                 NULL));
  OK(kiln_read(stream, buffer, 0, data, size, NULL));
  OK(kiln_stream_finish(stream));
  kiln_kernel_release(kernel);
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
}

static void check_run(struct kiln_context *ctx, struct kiln_program *program) {
  int pair[2] = {5, 6}, o[4] = {20};
  run_item(ctx, program, "run", o, sizeof o, pair, sizeof pair);
  cr_expect_eq(o[0], 42);
  cr_expect_eq(o[1], 41);
  cr_expect_eq(o[2], 4);
  cr_expect_eq(o[3], 47);
}

static void run(const char *backend) {
  struct kiln_context *ctx;
  struct kiln_program *program;
  if (kiln_context_open(&(struct kiln_context_desc){.backend = backend}, &ctx) != KILN_OK)
    cr_skip("%s", kiln_last_error());
  struct kiln_object *a = object(ctx, "main.cl", main_source), *b = object(ctx, "math.cl", math_source);
  OK(link_two(ctx, a, b, &program));
  check_run(ctx, program);
  kiln_program_release(program);
  // The other way round, as a library, and from its text.
  struct kiln_object *library, *again;
  OK(kiln_object_join(ctx, (struct kiln_object *[]){b}, 1, "lib", &library));
  size_t size;
  const char *text = kiln_object_text(library, &size);
  OK(kiln_object_create(ctx, &(struct kiln_program_desc){.source = text, .size = size, .kind = KILN_SOURCE_IR_TEXT},
                        &again));
  kiln_object_release(library);
  OK(link_two(ctx, again, a, &program));
  check_run(ctx, program);
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  cr_expect_eq(info.kernel_count, 2);
  kiln_program_release(program);
  kiln_object_release(again);
  kiln_object_release(a);
  kiln_object_release(b);
  kiln_context_close(ctx);
}

Test(jit_object, interp, .init = set_up, .fini = tear_down) { run("interp"); }
#ifdef KILN_LLVM
Test(jit_object, cpu, .init = set_up, .fini = tear_down) { run("cpu"); }
#endif
Test(jit_object, opencl, .init = set_up, .fini = tear_down) { run("opencl"); }

Test(jit_object, cached, .init = set_up, .fini = tear_down) {
  for (int pass = 0; pass < 2; pass++) { // a process, and the next one
    struct kiln_context *ctx = open_interp();
    struct kiln_program *program;
    struct kiln_object *a = object(ctx, "main.cl", main_source), *b = object(ctx, "math.cl", math_source);
    OK(link_two(ctx, a, b, &program));
    struct kiln_cache_stats stats;
    kiln_context_cache_stats(ctx, &stats);
    cr_expect_eq(stats.compiles, pass ? 0 : 3, "%d compiles", (int)stats.compiles);
    kiln_program_release(program);
    kiln_object_retain(a);
    kiln_object_release(a);
    kiln_object_release(a);
    kiln_object_release(b);
    kiln_context_close(ctx);
  }
}

// A source is another thing to compile as an object than as a program.
Test(jit_object, key, .init = set_up, .fini = tear_down) {
  static const char source[] = "kernel void k(global int *o) { o[0] = 1; }\n";
  struct kiln_context *ctx = open_interp();
  struct kiln_object *o = object(ctx, "k.cl", source);
  struct kiln_program *program;
  OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .name = "k.cl"}, &program));
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  cr_expect_eq(info.cache, KILN_CACHE_MISS);
  kiln_program_release(program);
  kiln_object_release(o);
  kiln_context_close(ctx);
}

// Kernels call kernels of other objects; variables of a program's scope are one for all.
Test(jit_object, shared, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx = open_interp();
  struct kiln_object *parts[2];
  static const char *const sources[] = {"typedef struct { int v[3]; } three;\n"
                                        "kernel void leaf(global int *o, three t);\n"
                                        "extern global int counter;\n"
                                        "kernel void root(global int *o, three t) { leaf(o, t); o[1] = ++counter; }\n",
                                        "typedef struct { int v[3]; } three;\n"
                                        "global int counter = 7;\n"
                                        "global int *where = &counter;\n"
                                        "kernel void leaf(global int *o, three t) { o[0] = t.v[2]; *where += 10; }\n"};
  for (int i = 0; i < 2; i++)
    OK(kiln_object_create(ctx,
                          &(struct kiln_program_desc){
                              .source = sources[i], .name = i ? "leaf.cl" : "root.cl", .options = "-cl-std=CL2.0"},
                          &parts[i]));
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
  OK(link_two(ctx, parts[0], parts[1], &program));
  OK(kiln_kernel_create(program, "root", &kernel));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 8}, &buffer));
  int three[3] = {1, 2, 3}, o[2];
  struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(three, sizeof three)};
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 2}, NULL));
  OK(kiln_read(stream, buffer, 0, o, sizeof o, NULL));
  OK(kiln_stream_finish(stream));
  cr_expect_eq(o[0], 3);
  cr_expect_eq(o[1], 18);
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  for (int i = 0; i < 2; i++)
    kiln_object_release(parts[i]);
  kiln_context_close(ctx);
}

static void fails(const char *first, const char *second, const char *message) {
  struct kiln_context *ctx = open_interp();
  struct kiln_object *a = object(ctx, "a.cl", first), *b = object(ctx, "b.cl", second);
  struct kiln_program *program;
  FAILS(link_two(ctx, a, b, &program), KILN_ERR_COMPILE, message);
  kiln_object_release(a);
  kiln_object_release(b);
  kiln_context_close(ctx);
}

#define CALLS_F "int f(int x);\nkernel void k(global int *o) { o[0] = f(1); }\n"

Test(jit_object, undefined, .init = set_up, .fini = tear_down) {
  fails(CALLS_F, "int g(int x) { return x; }\n", "all: error: undefined: function 'f' (declared in 'a.cl')");
  fails(CALLS_F, "static int f(int x) { return x; }\nkernel void l(global int *o) { o[0] = f(1); }\n",
        "undefined: function 'f'");
  fails("extern constant int t[2];\nkernel void k(global int *o) { o[0] = t[1]; }\n", "int g(int x) { return x; }\n",
        "variable 't' (declared in 'a.cl')");
}
// A variable whose structure another object knows is declared only; used, it must be complete.
Test(jit_object, incomplete, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx = open_interp();
  struct kiln_object *object;
  struct kiln_program_desc declared = {.source = "extern constant struct s x;"};
  struct kiln_program_desc used = {
      .source = "extern constant struct s x; kernel void k(global int *o) { constant struct s *p = &x; *o = p != 0; }"};
  OK(kiln_object_create(ctx, &declared, &object));
  kiln_object_release(object);
  FAILS(kiln_object_create(ctx, &used, &object), KILN_ERR_COMPILE, "variable has incomplete type 'struct s'");
  kiln_context_close(ctx);
}

Test(jit_object, twice, .init = set_up, .fini = tear_down) {
  fails("int f(int x) { return x; }\n", "int f(int x) { return 2 * x; }\n",
        "function 'f' is defined in 'a.cl' and in 'b.cl'");
  fails("kernel void k(global int *o) { o[0] = 1; }\n", "kernel void k(global int *o) { o[0] = 2; }\n", "function 'k");
  fails("constant int t = 1;\n", "constant int t = 2;\n", "variable 't' is defined in 'a.cl' and in 'b.cl'");
}
// What each object may define as well ("once"): the first definition stays, and both objects call it.
Test(jit_object, once, .init = set_up, .fini = tear_down) {
  static const char format[] =
      "kiln_ir 1\n"
      "global $0 \"shared\" global size 4 align 4 export once = \"\\0%d\\00\\00\\00\"\n"
      "func @f() : i32 export once {\n  return %d:i32\n}\n"
      "kernel @k%d(%%0: ptr.global) {\n"
      "  %%1 = call @f() : i32\n  store %%0, %%1, align 4\n"
      "  %%2 = load $0, align 4 : i32\n  %%3 = padd %%0, 1:i64 * 4\n  store %%3, %%2, align 4\n"
      "  return\n}\n";
  struct kiln_context *ctx = open_interp();
  struct kiln_object *objects[2], *library;
  struct kiln_program *program;
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof text, format, i + 5, i + 1, i);
    OK(kiln_object_create(ctx, &(struct kiln_program_desc){.source = text, .kind = KILN_SOURCE_IR_TEXT}, &objects[i]));
  }
  OK(kiln_object_join(ctx, objects, 2, NULL, &library));
  OK(link_two(ctx, library, NULL, &program));
  for (int i = 0; i < 2; i++) {
    int result[2] = {0, 0};
    run_item(ctx, program, i ? "k1" : "k0", result, sizeof result, NULL, 0);
    cr_expect_eq(result[0], 1);
    cr_expect_eq(result[1], 5);
  }
  kiln_program_release(program);
  kiln_object_release(library);
  for (int i = 0; i < 2; i++)
    kiln_object_release(objects[i]);
  kiln_context_close(ctx);
}

Test(jit_object, other_types, .init = set_up, .fini = tear_down) {
  fails(CALLS_F, "int f(float x) { return 1; }\n",
        "function 'f' is declared in 'a.cl' with other types than it is defined with in 'b.cl'");
}
Test(jit_object, recursion, .init = set_up, .fini = tear_down) {
  fails("int g(int x);\nint f(int x) { return g(x); }\nkernel void k(global int *o) { o[0] = f(1); }\n",
        "int f(int x);\nint g(int x) { return f(x); }\n", "recursion");
}

Test(jit_object, arguments, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx = open_interp();
  struct kiln_object *o = NULL;
  struct kiln_program *program;
  FAILS(kiln_object_create(ctx, &(struct kiln_program_desc){.source = "int f( {"}, &o), KILN_ERR_COMPILE, "error");
  FAILS(kiln_object_create(ctx, &(struct kiln_program_desc){.source = "kiln_ir 1\nfunc", .kind = KILN_SOURCE_IR_TEXT},
                           &o),
        KILN_ERR_COMPILE, "expected");
  FAILS(kiln_object_create(ctx, &(struct kiln_program_desc){0}, &o), KILN_ERR_INVALID, "source is NULL");
  FAILS(kiln_program_link(ctx, &(struct kiln_link_desc){0}, &program), KILN_ERR_INVALID, "no objects");
  FAILS(kiln_program_link(ctx, &(struct kiln_link_desc){.objects = &o, .object_count = 1}, &program), KILN_ERR_INVALID,
        "object 0 is NULL");
  // A program may not leave anything open.
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = CALLS_F}, &program), KILN_ERR_COMPILE,
        "undefined function 'f' is called");
  kiln_context_close(ctx);
}
