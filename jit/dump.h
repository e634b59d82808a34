// COMPILE_DUMP_DIR: every stage of every compile as a file.
#ifndef KILN_JIT_DUMP_H
#define KILN_JIT_DUMP_H

#include "jit/store.h"

#define KILN_DUMP_STEM 144

struct kiln_dump {
  const char *dir; // NULL: nothing is dumped
  const struct kiln_context *ctx;
  const struct kiln_build_options *options;
  char stem[KILN_DUMP_STEM]; // of file names: what the source is called, a digest of what it compiles from
  const char *source_name;
  uint64_t last;             // when the compile began, or the last stage was written
  struct kiln_strbuf stages; // JSON of those that were written
};

// What the file names of a compile begin with: what the source is called, the backend, a digest of what it compiles
// from. False when memory is exhausted: the digest is then missing.
bool kiln_dump_stem(const struct kiln_context *ctx, const struct kiln_source *source,
                    const struct kiln_build_options *options, char out[KILN_DUMP_STEM]);
// How the file of a stage ends.
const char *kiln_dump_extension(const struct kiln_context *ctx, const struct kiln_build_options *options,
                                const char *stage);

void kiln_dump_init(struct kiln_dump *dump, const struct kiln_context *ctx, const struct kiln_source *source,
                    const struct kiln_build_options *options);
// Writes DIR/STEM.EXTENSION. A failure is logged; it fails no compile.
void kiln_dump_stage(struct kiln_dump *dump, const char *stage, const void *data, size_t size);
// Writes DIR/STEM.json: what was compiled, for what, with which options, how it ended, how long each part took.
void kiln_dump_finish(struct kiln_dump *dump, enum kiln_status status, double front_ms, double back_ms);
void kiln_dump_free(struct kiln_dump *dump);

#endif
