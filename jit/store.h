// Between programs and the kernel cache: where the cache lies, what a request's key is.
#ifndef KILN_JIT_STORE_H
#define KILN_JIT_STORE_H

#include "cache/cache.h"
#include "jit/context.h"
#include "jit/options.h"

// Opens ctx->cache as the caller, else the environment says. INVALID for an unknown mode.
enum kiln_status kiln_store_open(struct kiln_context *ctx, const char *dir, const char *mode);
void kiln_store_close(struct kiln_context *ctx);
// Appends the user's cache folder as the environment says; nothing when no variable tells. *problem, empty before:
// which variables name no place for a cache.
void kiln_store_folder(const struct kiln_env *env, struct kiln_strbuf *out, struct kiln_strbuf *problem);

struct kiln_recorded;

// The source of a program and everything else that decides what it compiles to.
struct kiln_source {
  const char *text; // followed by a NUL
  size_t size;
  const char *name; // never NULL
  enum kiln_source_kind kind;
  const struct kiln_pp_header *headers;
  uint32_t header_count;
  const struct kiln_recorded *recorded; // whose include files there are; NULL: those of the file system
  const char *start_stage;              // NULL: a compile begins with text; else with this stage
  const char *start_data;               // followed by a NUL
  size_t start_size;
  bool is_object; // compiled to the text of an object, to be linked
};

// A cache request and what it points into.
struct kiln_store_request {
  struct kiln_cache_request request;
  const struct kiln_source *source;
  struct kiln_key key;
  struct kiln_hash128 toolchain;
  struct kiln_strbuf made; // KILN_SECTION_MADE, once kiln_store_toolchain_holds was called
  struct kiln_target target;
  const char **roots;
  char *folder; // of the source
};
// For code of target, which is the context's own or a compatible one. Fails with MEMORY only: a toolchain that is not
// installed gives a request without one, and its reason in report.
enum kiln_status kiln_store_request_init(struct kiln_context *ctx, const struct kiln_target *target,
                                         const struct kiln_source *source, const struct kiln_build_options *options,
                                         struct kiln_report *report, struct kiln_store_request *out);
// Whether the compiler is what it was when the request was made. If not, the request is brought up to date. Writes into
// report why there is none.
bool kiln_store_toolchain_holds(struct kiln_context *ctx, const struct kiln_build_options *options,
                                struct kiln_report *report, struct kiln_store_request *request);
void kiln_store_request_free(struct kiln_store_request *request);

// The probe that stands for the name of the source, for code that depends on it (__FILE__).
struct kiln_probe kiln_store_name_probe(const struct kiln_source *source);
// Makes the paths of probes relative to the request's roots where they lie below one.
void kiln_store_place_probes(const struct kiln_store_request *request, struct kiln_probe *probes, uint32_t count);

#endif
