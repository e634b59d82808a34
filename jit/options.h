// Build options of a program: what OpenCL's clBuildProgram takes, and --kiln-NAME=VALUE for the backend's own options.
#ifndef KILN_JIT_OPTIONS_H
#define KILN_JIT_OPTIONS_H

#include "base/str.h"
#include "jit/lang/lang.h"
#include "kiln/backend.h"

struct kiln_build_options {
  struct kiln_lang_options lang; // but for what the target decides: fp16, fp64, …
  struct kiln_options backend;
  void *storage; // what the pointers above point into
};

// Parses text (NULL: none) for a backend. INVALID names the option that is wrong. Words are separated by blanks; '…'
// and "…" quote; a backslash takes a quote, a blank or a backslash literally.
enum kiln_status kiln_options_parse(const char *text, const struct kiln_base_backend *backend,
                                    struct kiln_build_options *out);
void kiln_options_free(struct kiln_build_options *options);
// Whether the backend has the option --kiln-NAME.
bool kiln_options_has(const struct kiln_base_backend *backend, const char *name);

// Appends the options in canonical form, one per line: equal for all spellings of options that give the same code.
// with_paths: the include folders are written as they are, else only how many there are.
void kiln_options_canonical(const struct kiln_build_options *options, const struct kiln_base_backend *backend,
                            bool with_paths, struct kiln_strbuf *out);

#endif
