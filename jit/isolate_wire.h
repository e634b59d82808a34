// What a host and its compile helper say to each other. Both are of one build (the helper checks that), so numbers are
// in the machine's own order.
//
// Request and reply are memory files of the host: nobody waits for a reader, and nobody writes to a pipe that may have
// lost its other end. The pipe carries the verdict alone.
#ifndef KILN_JIT_ISOLATE_WIRE_H
#define KILN_JIT_ISOLATE_WIRE_H

#include "base/str.h"
#include "jit/record.h"

#define KILN_HELPER_MAGIC "kiln-helper 6"

// Descriptors that the helper is started with.
enum kiln_helper_fd { KILN_HELPER_REQUEST = 3, KILN_HELPER_REPLY, KILN_HELPER_VERDICT, KILN_HELPER_FD_END };

// The request: these in order. Strings and bytes are a u64 size and so many bytes.
struct kiln_helper_request {
  const char *magic;                    // KILN_HELPER_MAGIC
  const char *version;                  // kiln_version()
  uint64_t seconds, cpu_seconds, bytes; // limits; 0: none
  struct kiln_target target;
  struct kiln_digest compiler; // the backend's hash, as the host sees it
  struct kiln_options options;
  uint32_t value_count;
  const char *stop_after; // "": none
  uint64_t wants_stages, threads;
  const char *start_stage; // "": none
  struct kiln_str start;   // followed by a NUL, which the size does not count
  bool whole;              // the front end and the passes run there, too
  struct kiln_str ir;      // the module (jit/ir/snapshot.h); "" of a whole compile
  // Of a whole compile alone.
  bool debug;
  struct kiln_lang_options lang; // but for what the target decides
  struct kiln_source source;     // begins where start says
  struct kiln_recorded recorded; // what source.recorded points to when there is one: its includes
};

// The reply: records of a u32 kind, a u64 size and so many bytes. One that is cut off is where the helper died.
enum kiln_helper_record {
  KILN_RECORD_LOG = 1, // u32 level, text
  KILN_RECORD_STAGE,   // name, NUL, data
  KILN_RECORD_RESULT,  // u32 status, text of the report; the last one
  KILN_RECORD_DATA,    // of the artifact
  KILN_RECORD_META,
  KILN_RECORD_KERNELS, // array of struct kiln_kernel_resources
  // Of a whole compile alone, instead of KERNELS: the parts of struct kiln_compile_result.
  KILN_RECORD_REFLECTION,
  KILN_RECORD_RESOURCES,
  KILN_RECORD_DIAGNOSTICS,
  KILN_RECORD_WARNINGS,
  KILN_RECORD_INCLUDE, // struct kiln_helper_include, path
  KILN_RECORD_SUMMARY, // struct kiln_helper_summary
  KILN_RECORD_KINDS
};
struct kiln_helper_include {
  uint8_t found; // 0 or 1
  uint8_t digest[16];
};
struct kiln_helper_summary {
  double front_ms;
  uint64_t used_file_name; // 0 or 1
};
struct kiln_helper_record_head {
  uint32_t kind, unused;
  uint64_t size;
};

// The verdict: one byte (enum kiln_status: OK when the reply has a result), and text.

void kiln_wire_request_write(struct kiln_strbuf *out, const struct kiln_helper_request *request);
// Strings point into data, which must live on; lists are out's own. False: damaged, or memory is exhausted.
bool kiln_wire_request_read(const char *data, size_t size, struct kiln_helper_request *out);
void kiln_wire_request_free(struct kiln_helper_request *request);

// The next record of a reply; false at its end, or where it is cut off.
bool kiln_wire_record(const char *data, size_t size, size_t *at, struct kiln_helper_record_head *head,
                      const char **payload);
// Whether a record has the size and form of its kind, and belongs into a reply: the helper may have been taken over by
// what it compiled. kernels: of the module; NULL for a whole compile. *seen has the kinds before, as bits.
bool kiln_wire_record_fits(const struct kiln_helper_record_head *head, const char *payload, const uint32_t *kernels,
                           uint32_t *seen);

#endif
