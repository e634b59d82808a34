// The parts of kiln run.
#ifndef KILN_TOOL_RUN_H
#define KILN_TOOL_RUN_H

#include "tool.h"
#include "value.h"

// Memory between pages that nothing may access.
struct guarded {
  void *start; // NULL: none
  size_t size;
};
// align: what it must have at least. before: it begins with its pages, else it ends with them. NULL when memory is
// exhausted.
void *guarded_alloc(struct guarded *guarded, size_t size, size_t align, bool before);
void guarded_free(struct guarded *guarded);

// One ARG.
struct run_arg {
  enum { ARG_BUFFER, ARG_SAME, ARG_NULL, ARG_LOCAL, ARG_VALUE } kind;
  unsigned char *data;           // BUFFER: its first contents; VALUE: the bytes
  size_t size;                   // BUFFER, VALUE, LOCAL
  uint32_t same;                 // SAME
  const struct value_type *type; // VALUE: of its components; NULL: bytes:HEX
  const char *text;              // as it was given
  struct kiln_buffer *buffer;
  struct guarded memory; // of the buffer, where it is ours
};
// Reads the ARG at a position; errors are told.
int parse_arg(const char *text, uint32_t index, struct run_arg *out);
// Converts a TYPE=V[,V…] to the type of its parameter; a value that the type does not have is told. Values of structs
// and of other types without a name here stay as they are.
int convert_arg(struct run_arg *arg, uint32_t index, const struct kiln_arg_info *info);

// -o IDX:FILE and -p IDX:TYPE[:N].
struct run_output {
  uint32_t index;
  const char *file;              // -o
  const struct value_type *type; // -p
  bool all;
  uint64_t count;
  unsigned char *data; // the buffer's bytes after the run
  size_t size;
};
int parse_output(const char *text, bool print, struct run_output *out);

// Reads a whole number without sign.
bool parse_count(const char *text, size_t size, uint64_t *out);

#endif
