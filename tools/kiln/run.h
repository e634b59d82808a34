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
  enum { ARG_BUFFER, ARG_SAME, ARG_NULL, ARG_LOCAL, ARG_VALUE, ARG_IMAGE, ARG_SAMPLER } kind;
  unsigned char *data;             // BUFFER, IMAGE: its first contents; VALUE: the bytes
  size_t size;                     // BUFFER, IMAGE, VALUE, LOCAL
  uint32_t same;                   // SAME
  uint32_t sampler;                // SAMPLER: enum kiln_sampler
  struct kiln_image_format format; // IMAGE
  uint32_t sizes[3], size_count;   // IMAGE: as many as were given
  const struct value_type *type;   // VALUE: of its components; NULL: bytes:HEX
  const char *text;                // as it was given
  struct kiln_buffer *buffer;
  struct guarded memory;    // of the buffer, where it is ours
  struct kiln_image *image; // all of the buffer
};
// Reads the ARG at a position; errors are told.
int parse_arg(const char *text, uint32_t index, struct run_arg *out);
// Converts a TYPE=V[,V…] to the type of its parameter; a value that the type does not have is told. Values of structs
// and of other types without a name here stay as they are.
int convert_arg(struct run_arg *arg, uint32_t index, const struct kiln_arg_info *info);

// All ARGs, and the arguments that they become.
struct launch_args {
  struct run_arg *args;
  uint32_t arg_count;
  struct kiln_context *ctx;   // of the buffers
  struct kiln_stream *stream; // that writes their first contents
  bool guards;                // buffers lie beside memory that nothing may access, where the backend is cpu
  bool guards_before;         // it is before them
  struct kiln_arg *out;
};
int parse_args(struct launch_args *of, char *const *words, uint32_t count);
// Errors are printed.
int check_arg_count(const struct launch_args *of, const struct kiln_kernel_info *info);
int make_args(struct launch_args *of, const struct kiln_kernel_info *info);
// The argument whose buffer or image same:IDX, -o or -p is about; NULL when it has neither.
const struct run_arg *buffer_arg(const struct launch_args *of, uint32_t index);
void release_args(struct launch_args *of); // once the stream has finished
void free_args(struct launch_args *of);    // once the context is closed

// ---- how an ARG is read
// ----------------------------------------------------------------------------------------------

// An ARG while it is read: its fields between the colons.
struct arg_text {
  const char *whole, *rest; // rest: after the last field taken; NULL: nothing is left
  uint32_t index;
};
// Tells what is wrong with it; returns EXIT_USAGE.
__attribute__((format(printf, 2, 3))) int arg_bad(const struct arg_text *arg, const char *format, ...);
// The next field; false when there is none.
bool arg_field(struct arg_text *arg, const char **text, size_t *size);
// Room for the first contents.
int arg_allocate(const struct arg_text *arg, size_t size, struct run_arg *out);
// Fills it with count elements of a type: the form is zero, iota, fill or rand, of which what it takes besides is read.
int arg_make(struct arg_text *arg, const char *form, const struct value_type *type, uint64_t count,
             struct run_arg *out);
// Splits "v,v,…", reads each as a number and allocates room for them.
int arg_values(struct arg_text *arg, const struct value_type *type, const char *text, struct run_arg *out);

// ---- images and samplers (run_image.c)
// -------------------------------------------------------------------------------

int parse_image(struct arg_text *arg, struct run_arg *out);
int parse_sampler(struct arg_text *arg, struct run_arg *out);
// Makes the image of the argument's buffer, as its parameter takes it; errors are told.
int make_image(struct kiln_context *ctx, struct run_arg *arg, uint32_t index, const struct kiln_arg_info *info);
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
// Makes a PPM of the pixels of an image, a PGM of those of one channel; errors are told.
int make_picture(const struct run_arg *arg, struct run_output *output);

// Reads a whole number without sign.
bool parse_count(const char *text, size_t size, uint64_t *out);

#endif
