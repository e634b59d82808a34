// A generator of random, well-defined OpenCL C programs: the same seed and features give the same program.
//
// Every value that a program computes is determined by the OpenCL C specification: signed arithmetic stays in range or
// goes through unsigned types, divisors are not zero, indices are in bounds, work-items write memory that no other one
// touches between two barriers, atomics commute, or what is made of their old values does not depend on the order,
// floats hold small dyadic numbers that every operation gives exactly. So interp, cpu and any conforming OpenCL
// implementation must agree byte for byte. (Programs with the feature "inexact" use all of float arithmetic, and only
// interp and cpu must agree.)
#ifndef KILN_TESTS_GEN_GEN_H
#define KILN_TESTS_GEN_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(NAME, "name", chance in percent that a program may use it)
#define GEN_FEATURES(X)                                                                                                \
  X(VECTORS, "vectors", 60)                                                                                            \
  X(STRUCTS, "structs", 40)                                                                                            \
  X(ARRAYS, "arrays", 55)                                                                                              \
  X(POINTERS, "pointers", 50)                                                                                          \
  X(BARRIERS, "barriers", 45)                                                                                          \
  X(ATOMICS, "atomics", 35)                                                                                            \
  X(FLOATS, "floats", 45)                                                                                              \
  X(DOUBLES, "doubles", 25)                                                                                            \
  X(INEXACT, "inexact", 20)                                                                                            \
  X(CALLS, "calls", 50)                                                                                                \
  X(LOOPS, "loops", 85)                                                                                                \
  X(SWITCHES, "switches", 45)                                                                                          \
  X(JUMPS, "jumps", 60)                                                                                                \
  X(GOTOS, "gotos", 30)                                                                                                \
  X(RETURNS, "returns", 40)                                                                                            \
  X(DIVISION, "division", 60)                                                                                          \
  X(WIDE, "wide", 50)                                                                                                  \
  X(NARROW, "narrow", 60)                                                                                              \
  X(BUILTINS, "builtins", 60)                                                                                          \
  X(MACROS, "macros", 40)                                                                                              \
  X(DIMENSIONS, "dimensions", 35)                                                                                      \
  X(OFFSETS, "offsets", 20)                                                                                            \
  X(PARTIAL, "partial", 30)                                                                                            \
  X(SUB_GROUPS, "sub-groups", 20)                                                                                      \
  X(GNU, "gnu", 25)                                                                                                    \
  X(SHAPES, "shapes", 45)                                                                                              \
  X(COLUMNS, "columns", 40)                                                                                            \
  X(OWN_RECORDS, "own-records", 45)                                                                                    \
  X(COUNTERS, "counters", 35)                                                                                          \
  X(MANY, "many", 9)                                                                                                   \
  X(STRIDES, "strides", 35)                                                                                            \
  X(ADDRESSES, "addresses", 35)

enum gen_feature {
#define X(name, text, chance) GEN_##name,
  GEN_FEATURES(X)
#undef X
      GEN_FEATURE_COUNT
};

enum gen_base { GEN_I8, GEN_U8, GEN_I16, GEN_U16, GEN_I32, GEN_U32, GEN_I64, GEN_U64, GEN_F32, GEN_F64 };

enum gen_arg_kind { GEN_ARG_BUFFER, GEN_ARG_LOCAL, GEN_ARG_VALUE };
enum gen_fill { GEN_FILL_ZERO, GEN_FILL_IOTA, GEN_FILL_RAND };

struct gen_arg {
  char name[16];
  enum gen_arg_kind kind;
  enum gen_base base;
  enum gen_fill fill; // contents of a buffer before the launch, as the kiln command makes them
  uint32_t count;     // elements of a buffer or of local memory
  uint64_t seed;      // of GEN_FILL_RAND; the bits of a value
  bool output;        // compared after the launch
  bool padded;        // every fourth element is the padding of a 3-vector and not compared
  bool is_alias;      // its memory is that of the first argument, from element shift on
  uint32_t shift;
};

enum { GEN_MAX_ARGS = 20 };

struct gen_program {
  char *source;               // one kernel named "k"
  const char *options;        // for Kiln only: with them the program means the same
  const char *native_options; // for the backend cpu only; NULL: none
  struct gen_arg args[GEN_MAX_ARGS];
  uint32_t arg_count;
  uint32_t work_dim;
  uint64_t global[3], local[3], offset[3];
  bool portable;     // an OpenCL 1.2 implementation must give the same output, and those at hand do
  bool any_local;    // the local size changes nothing
  uint32_t features; // in use, bits of enum gen_feature
};

// features: bits that may be used. Ends the process when memory is exhausted.
void gen_make(uint64_t seed, uint32_t features, struct gen_program *out);
// The seed selects one of the kernels of aimed.def whose names begin with prefix. False: there are none.
bool gen_make_aimed(uint64_t seed, const char *prefix, struct gen_program *out);
void gen_free(struct gen_program *program);

// Bit of the feature of this name, 0 when there is none.
uint32_t gen_feature_bit(const char *name, size_t size);

uint32_t gen_base_size(enum gen_base base);
const char *gen_base_name(enum gen_base base); // "i32", as the kiln command writes it
void gen_fill(const struct gen_arg *arg, void *data);

// The program as a case of tests/exec, without its expectation.
char *gen_exec_case(const struct gen_program *program, const char *comment);

#endif
