// One compilation: its options, and what the layers of the front end share.
#ifndef KILN_JIT_LANG_UNIT_H
#define KILN_JIT_LANG_UNIT_H

#include "jit/lang/lex/token.h"
#include "jit/lang/lex/warnings.h"

// A value for a constant that a module of SPIR-V leaves open: --kiln-spec=ID=VALUE.
struct kiln_spec_value {
  uint32_t id;
  const char *text; // a number or a bool, or "x" and its bytes in hexadecimal, first byte first
};

// What the build options say, for the front ends.
struct kiln_lang_options {
  uint32_t std;               // 100, 110, 120 (default), 200, 300
  const char *const *defines; // -D and -U in order, each "D" or "U" followed by the text
  uint32_t define_count;
  const char *const *include_dirs; // -I
  uint32_t include_dir_count;
  uint16_t fp_flags;               // enum kiln_fp_flags of every float operation that the source does not restrict
  bool single_precision_constants; // -cl-single-precision-constant
  struct kiln_warning_options warnings;
  bool describe_variables;                       // for debuggers: -g without optimisation
  bool fast_relaxed_math;                        // __FAST_RELAXED_MATH__
  bool fp16, fp64, int64_atomics, generic_space; // of the target: enables types and feature macros
  bool sub_groups;         // of the target: their functions, and the collective ones of work-groups
  uint32_t sub_group_size; // of the target; 0: not known
  bool inline_math;   // of the target: math functions are library text rather than operations, where there is such text
  bool hardware_math; // with inline_math: as kiln_caps has it
  bool fma;           // of the target: a fused multiply-add is as fast as a multiplication
  bool half_fma;      // of half, too
  bool images;        // of the target: their types, functions and feature macros
  // The backend takes no operations on images: with each of them, the module gets the library function that is to take
  // its place (jit/ir/images.h).
  bool image_library;
  bool is_object;            // what is declared may be defined elsewhere, and other objects may use what is not static
  const char *image_formats; // --kiln-images: not of the language, but as much of the source's; NULL: not given
  const struct kiln_spec_value *spec_values; // of SPIR-V, in the order of their ids
  uint32_t spec_value_count;
};

struct kiln_ctypes;
struct kiln_pp;

struct kiln_lang { // one compilation
  struct kiln_arena *arena;
  struct kiln_names *names;
  struct kiln_sources *sources;
  struct kiln_diags *diags;
  struct kiln_ctypes *types;
  struct kiln_pp *pp;
  const struct kiln_lang_options *options;
  const char *source_name;
  bool names_file; // the code has the name of the source
};

#endif
