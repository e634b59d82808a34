// The front end as one call: source text to verified kernel IR.
#ifndef KILN_JIT_LANG_LANG_H
#define KILN_JIT_LANG_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jit/lang/lex/unit.h"
#include "kiln/ir.h"

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
  char *warnings;             // of a success: blocks (base/diag.h) of all, ignored ones too; free(); NULL: none
  size_t warnings_size;
  struct kiln_lang_include *includes; // probes in order; free with kiln_lang_output_free
  uint32_t include_count;
  bool used_file_name; // the name of the source is part of the result (__FILE__)
};

// KILN_OK, KILN_ERR_COMPILE (log says why), KILN_ERR_MEMORY, KILN_ERR_INTERNAL (log names the fault).
enum kiln_status kiln_lang_compile(const struct kiln_lang_input *input, struct kiln_lang_output *out);
void kiln_lang_output_free(struct kiln_lang_output *out); // not the module

#endif
