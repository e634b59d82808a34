// Conformance: every built-in function of the kernel language against the interpreter, on scalars and vectors.
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum kind { FLOAT_CASE, SINGLE_CASE, RELATION_CASE, INTEGER_CASE, BODY_CASE };

static const struct builtin {
  enum kind kind;
  const char *name, *text, *before;
  double ulp;
  enum element in, out;
} builtins[] = {
#define FLOAT(name, text, ulp, in) {FLOAT_CASE, #name, text, "", ulp, in, EL_F32},
#define SINGLE(name, text, ulp, in) {SINGLE_CASE, #name, text, "", ulp, in, EL_F32},
#define RELATION(name, text) {RELATION_CASE, #name, text, "", 0, EL_F32, EL_BITS},
#define INTEGER(name, text) {INTEGER_CASE, #name, text, "", 0, EL_BITS, EL_BITS},
#define BODY(name, text, ulp, in, out, before) {BODY_CASE, #name, text, before, ulp, in, out},
#include "conformance_builtins.def"
};
enum { BUILTIN_COUNT = sizeof builtins / sizeof *builtins, SOURCE_SIZE = 8192 };

#define HEAD                                                                                                           \
  "kernel void k(global const char *in, global char *out) {\n"                                                         \
  "  size_t i = get_global_id(0);\n"

static int write_case(char *out, size_t size, const struct builtin *b) {
  switch (b->kind) {
  case FLOAT_CASE:
  case SINGLE_CASE:
    return snprintf(out, size,
                    "float f1(float x, float y, float z) { return %s; }\n"
                    "float4 f4(float4 x, float4 y, float4 z) { return %s; }\n" HEAD
                    "  global const float *a = (global const float *)(in + i * 128), *b = a + 2048, *c = b + 2048;\n"
                    "  global float *o = (global float *)(out + i * 128);\n"
                    "  for (int k = 0; k < 8; k++)\n    o[k] = f1(a[k], b[k], c[k]);\n"
                    "  vstore4(f4(vload4(2, a), vload4(2, b), vload4(2, c)), 2, o);\n}\n",
                    b->text, b->text);
  case RELATION_CASE:
    return snprintf(out, size,
                    "int f1(float x, float y) { return %s; }\nint4 f4(float4 x, float4 y) { return %s; }\n" HEAD
                    "  global const float *a = (global const float *)(in + i * 128), *b = a + 2048;\n"
                    "  global int *o = (global int *)(out + i * 128);\n"
                    "  for (int k = 0; k < 8; k++)\n    o[k] = f1(a[k], b[k]);\n"
                    "  vstore4(f4(vload4(2, a), vload4(2, b)), 2, o);\n}\n",
                    b->text, b->text);
  case INTEGER_CASE:
    return snprintf(
        out, size,
        "#define F(R, N, T) R f_##N(T x, T y, T z) { return convert_##R(%s); }\n"
        "F(int, i, int) F(int4, i4, int4) F(uint, u, uint) F(long, l, long) F(ushort, s, ushort)\n"
        "F(char4, c4, char4)\n" HEAD
        "  global const int *a = (global const int *)(in + i * 128), *b = a + 2048, *c = b + 2048;\n"
        "  global int *o = (global int *)(out + i * 128);\n"
        "  o[0] = f_i(a[0], b[0], c[0]);\n"
        "  o[1] = f_u(a[1], b[1], c[1]);\n"
        "  o[2] = f_s(a[2], b[2], c[2]);\n"
        "  vstore4(f_i4(vload4(1, a), vload4(1, b), vload4(1, c)), 1, o);\n"
        "  vstore4(f_c4(convert_char4(vload4(2, a)), convert_char4(vload4(2, b)), convert_char4(vload4(2, c))),"
        " 0, (global char *)(o + 8));\n"
        "  *(global long *)(o + 10) = f_l(*(global const long *)(a + 10), *(global const long *)(b + 10),"
        " *(global const long *)(c + 10));\n}\n",
        b->text);
  case BODY_CASE:
    return snprintf(out, size,
                    "%s" HEAD
                    "  global const float *a0 = (global const float *)in, *a = (global const float *)(in + i * 128);\n"
                    "  global float *o = (global float *)(out + i * 128);\n"
                    "  global const int *n = (global const int *)a;\n"
                    "  global int *u = (global int *)o;\n"
                    "  global const half *h = (global const half *)a;\n"
                    "  global half *g = (global half *)o;\n"
                    "  float x = a[0], y = a[1];\n"
                    "  float4 X = vload4(1, a), Y = vload4(2, a);\n"
                    "  %s\n}\n",
                    b->before, b->text);
  }
  return -1;
}

#define NEWEST "-cl-std=CL3.0" // has all functions

static void run_case(struct suite *s, const char *source, const char *what, enum element in,
                     const struct tolerance *tolerance) {
  enum kiln_status status;
  struct kiln_program *oracle = program_of(s->oracle, source, KILN_SOURCE_OPENCL_C, NEWEST, &status), *program = NULL;
  if (expect(s, status == KILN_OK, "%s does not compile on the interpreter: %s", what, kiln_last_error())) {
    program = program_of(s->ctx, source, KILN_SOURCE_OPENCL_C, NEWEST, &status);
    if (expect(s, status == KILN_OK, "%s: %s", what, kiln_last_error()))
      compare_kernel(s, program, oracle, "k", what, in, 16, tolerance);
  }
  kiln_program_release(program);
  kiln_program_release(oracle);
}

static void check_double(struct suite *s, const struct builtin *b) {
  char source[SOURCE_SIZE], what[64];
  snprintf(source, sizeof source,
           "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
           "double f1(double x, double y, double z) { return %s; }\n"
           "double2 f2(double2 x, double2 y, double2 z) { return %s; }\n" HEAD
           "  global const double *a = (global const double *)(in + i * 128), *b = a + 1024, *c = b + 1024;\n"
           "  global double *o = (global double *)(out + i * 128);\n"
           "  for (int k = 0; k < 4; k++)\n    o[k] = f1(a[k], b[k], c[k]);\n"
           "  vstore2(f2(vload2(2, a), vload2(2, b), vload2(2, c)), 2, o);\n}\n",
           b->text, b->text);
  snprintf(what, sizeof what, "%s of double", b->name);
  // Plain floats read as doubles are anything: only where every input has one right answer.
  run_case(s, source, what, EL_F64, &(struct tolerance){EL_F64, b->ulp});
}

// Conversions and reinterpretations, whose names are made of types.
static void check_conversions(struct suite *s) {
  static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float"};
  static const char *const modes[] = {"", "_sat", "_rte", "_rtz", "_rtp", "_rtn", "_sat_rtz"};
  for (int t = 0; t < 9; t++) {
    for (int m = 0; m < 7; m++) {
      bool is_float = t == 8, saturates = strncmp(modes[m], "_sat", 4) == 0;
      char source[SOURCE_SIZE], what[64];
      // From float without saturation what does not fit has no meaning: inputs are small.
      const char *from = saturates || is_float ? "a[k]" : "fabs(fmin(a[k], 100.0f))";
      if (is_float && saturates)
        continue;
      snprintf(
          source, sizeof source,
          HEAD
          "  global const float *a = (global const float *)(in + i * 128);\n"
          "  global const int *n = (global const int *)a;\n"
          "  global %s *o = (global %s *)(out + i * 128);\n"
          "  for (int k = 0; k < 4; k++) {\n    o[k] = convert_%s%s(%s);\n    o[k + 4] = convert_%s%s(n[k]);\n  }\n"
          "  vstore4(convert_%s4%s(vload4(1, n)), 2, o);\n}\n",
          types[t], types[t], types[t], modes[m], from, types[t], modes[m], types[t], modes[m]);
      snprintf(what, sizeof what, "convert_%s%s", types[t], modes[m]);
      run_case(s, source, what, saturates ? EL_F32 : EL_PLAIN, &(struct tolerance){is_float ? EL_F32 : EL_BITS, 0});
    }
  }
  run_case(s,
           HEAD "  global const int *n = (global const int *)(in + i * 128);\n"
                "  global int *o = (global int *)(out + i * 128);\n"
                "  o[0] = as_int(as_float(n[0]));\n  o[1] = as_uint(as_short2(n[1]).yx);\n"
                "  vstore2(as_int2(as_char8(vload2(1, n)).s76543210), 1, o);\n}\n",
           "as_", EL_BITS, &(struct tolerance){EL_BITS, 0});
}

void check_builtins(struct suite *s) {
  struct kiln_caps caps;
  memset(&caps, 0, sizeof caps);
  s->backend->caps(&s->target, &caps);
  if (!s->stream)
    skip(s, "nothing is run, only compiled: %s", s->no_device);
  if (!caps.fp64)
    skip(s, "double: the target has none");
  if (!caps.generic_space)
    skip(s, "to_global, to_local, to_private, get_fence: the target has no generic address space");
  for (int i = 0; i < BUILTIN_COUNT; i++) {
    const struct builtin *b = &builtins[i];
    if (!caps.generic_space && (!strncmp(b->name, "to_", 3) || !strcmp(b->name, "get_fence")))
      continue;
    char source[SOURCE_SIZE];
    if (write_case(source, sizeof source, b) >= SOURCE_SIZE) {
      expect(s, false, "the case of %s is too long", b->name);
      continue;
    }
    run_case(s, source, b->name, b->in, &(struct tolerance){b->out, b->ulp});
    if (b->kind == FLOAT_CASE && caps.fp64 && b->in == EL_F32)
      check_double(s, b);
  }
  check_conversions(s);
}
