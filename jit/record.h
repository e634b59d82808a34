// Recording of compile requests (COMPILE_RECORD), and reading of what was recorded. docs/warm-up.md specifies the text.
#ifndef KILN_JIT_RECORD_H
#define KILN_JIT_RECORD_H

#include "jit/store.h"

// What a manifest calls the kinds of sources, by enum kiln_source_kind; NULL: it has none.
extern const char *const kiln_record_kinds[];

// Opens what COMPILE_RECORD names; touches no file yet.
enum kiln_status kiln_record_open(struct kiln_context *ctx);
void kiln_record_close(struct kiln_context *ctx);
// Appends a request that was answered by entry, unless the file has it. Failures go to the log, once.
void kiln_record_add(struct kiln_context *ctx, const struct kiln_store_request *request, const char *options,
                     const struct kiln_cache_entry *entry);

// The same record as a manifest of its own, appended to out. INVALID: an include file has changed since.
enum kiln_status kiln_record_write(struct kiln_context *ctx, const struct kiln_store_request *request,
                                   const char *options, const struct kiln_cache_entry *entry, struct kiln_strbuf *out);

// ---- reading -------------------------------------------------------------------------------------------------------

struct kiln_recorded_file { // an include file, or a header from memory
  char *path;
  char *text; // followed by a NUL
  size_t size;
};

struct kiln_recorded {
  char *name, *options, *backend, *arch; // never NULL; backend and arch "" when not told
  enum kiln_source_kind kind;
  char *source;
  size_t size;
  struct kiln_recorded_file *includes, *headers;
  uint32_t include_count, header_count;
  bool open;       // include files are read from the file system
  uint64_t digest; // of the list
};

struct kiln_recorded_list {
  struct kiln_recorded *items;
  uint32_t count, capacity;
  uint32_t *slots; // of items, by digest
  uint32_t slot_count, placed;
  uint64_t damaged; // records that were left out, since they have no end
};

// Appends the programs of a manifest, but not those that the list has already. name: for messages; files named in it
// are looked for beside it. INVALID with the line for what is no manifest.
enum kiln_status kiln_manifest_read(const char *name, const char *text, size_t size, struct kiln_recorded_list *list);
void kiln_recorded_list_free(struct kiln_recorded_list *list);

// The description of a recorded program, which points into the record; its headers are the caller's to free.
enum kiln_status kiln_recorded_desc(const struct kiln_recorded *r, struct kiln_program_desc *out);

// A kiln_read_fn over the includes of a record; user: struct kiln_recorded.
int kiln_recorded_read(void *user, const char *path, const char **text, size_t *size);

#endif
