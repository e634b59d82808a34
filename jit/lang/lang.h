// The front end as one call: source text to verified kernel IR.
#ifndef KILN_JIT_LANG_LANG_H
#define KILN_JIT_LANG_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jit/lang/token.h"
#include "kiln/ir.h"

// What the build options say, for the front end.
struct kiln_lang_options {
  uint32_t std;                     // 100, 110, 120 (default), 200, 300
  const char *const *defines;       // -D and -U in order, each "D" or "U" followed by the text
  uint32_t define_count;
  const char *const *include_dirs;  // -I
  uint32_t include_dir_count;
  uint16_t fp_flags;                // enum kiln_fp_flags of every float operation; CONTRACT unless -cl… forbids
  bool single_precision_constants;  // -cl-single-precision-constant
  bool no_warnings, warnings_are_errors;
  bool fast_relaxed_math;           // __FAST_RELAXED_MATH__
  bool fp16, fp64, int64_atomics, generic_space; // of the target: enables types and feature macros
  bool sub_groups;  // of the target: their functions, and the collective ones of work-groups
  uint32_t sub_group_size; // of the target; 0: not known
  bool inline_math; // of the target: math functions are library text rather than operations, where there is such text
  bool fma;         // of the target: that text may use the fused operation freely
};

struct kiln_lang_input {
  const char *source;
  size_t size;
  const char *name;
  const struct kiln_pp_header *headers;
  uint32_t header_count;
  struct kiln_lang_options options;
  kiln_pp_read_fn *read; // NULL: include files are read from the file system
  void *read_user;
  struct kiln_arena_pool *pool; // for memory, the module's too; outlives both. NULL: none
};

struct kiln_lang_include {
  char *path;
  bool found;
  uint8_t digest[16]; // kiln_hash128 of the contents, when found
};

struct kiln_lang_output {
  struct kiln_module *module; // the caller's; NULL on failure
  char *log;                  // diagnostics, free(); NULL when there are none
  struct kiln_lang_include *includes; // probes in order; free with kiln_lang_output_free
  uint32_t include_count;
  bool used_file_name;        // the name of the source is part of the result (__FILE__)
};

// KILN_OK, KILN_ERR_COMPILE (log says why), KILN_ERR_MEMORY, KILN_ERR_INTERNAL (log names the fault).
enum kiln_status kiln_lang_compile(const struct kiln_lang_input *input, struct kiln_lang_output *out);
void kiln_lang_output_free(struct kiln_lang_output *out); // not the module

// ---- between the parts of the front end -----------------------------------------------------------------------------

struct kiln_unit;
struct kiln_decl;
struct kiln_stmt;
struct kiln_ctypes;

struct kiln_lang { // one compilation
  struct kiln_arena *arena;
  struct kiln_names *names;
  struct kiln_sources *sources;
  struct kiln_diags *diags;
  struct kiln_ctypes *types;
  struct kiln_pp *pp;
  const struct kiln_lang_options *options;
};

// parse.c: reads all of lang->pp. The unit is only good if diags counted no errors.
struct kiln_unit *kiln_parse_unit(struct kiln_lang *lang);
// lower.c: tree to IR; what lowering alone can find out (recursion, …) goes to diags. NULL when memory ran out.
struct kiln_module *kiln_lower_unit(struct kiln_lang *lang, const struct kiln_unit *unit);

#endif
