// Programs: a source, and the code that it was compiled to.
#ifndef KILN_JIT_PROGRAM_H
#define KILN_JIT_PROGRAM_H

#include "jit/reflect.h"
#include "jit/store.h"

struct kiln_saved; // what a program was loaded from (save.c)
void kiln_saved_retain(struct kiln_saved *saved);
void kiln_saved_release(struct kiln_saved *saved); // NULL does nothing
struct kiln_cache *kiln_saved_cache(const struct kiln_saved *saved);

// The code of a program: an artifact, and what the driver made of it once a launch needed it.
struct kiln_binary {
  _Atomic(struct kiln_cache_entry *) entry; // owns the bytes
  struct kiln_cache_entry *first;           // what the cache or the first compile gave; has the key
  // The first with device code that was made later; owns a reference. NULL: none was.
  _Atomic(struct kiln_cache_entry *) with_device;
  struct kiln_reflection reflection;
  pthread_mutex_t lock;                       // of loading
  _Atomic(struct kiln_drv_kernel **) kernels; // NULL: not loaded yet; else one per kernel
  struct kiln_drv_module *module;
  double load_ms;
  bool debug_info;                              // debuggers and profilers look for the file
  _Atomic(struct kiln_drv_module *) variant_of; // module of the program whose variant it is; NULL: it is none
  struct kiln_uses uses;
};

struct kiln_program {
  _Atomic uint32_t refs; // the caller's, and one per kernel
  struct kiln_context *ctx;
  struct kiln_source source;
  char *options;
  void *storage;            // what source and options point into
  struct kiln_saved *saved; // what it was loaded from; NULL: none
  char *override;           // what source.start_data points to when the environment gave it
  struct kiln_binary *binary;
  // Programs from the same source for launches of other shapes, and the options that this one has beyond those of the
  // program that it belongs to.
  _Atomic(struct kiln_program *) variants, next_variant;
  const char *variant_options;
  const char *variant_kernel;         // the only kernel that it has; NULL: it has all
  bool is_trial;                      // of a search: neither it nor its variants are recorded
  atomic_bool lacks_wished;           // a variant that a launch only wished for could not be had: none is tried again
  _Atomic(struct kiln_tuned *) tuned; // by kernel, what tuned launches share (tuned.c)
  _Atomic(struct kiln_formats *) formats; // kernels with images, as they were compiled for the formats of launches
  bool has_formats;                       // the program was built with --kiln-images: its kernels with images have code
  bool takes_any_format;                  // and that code is for any format
  atomic_bool has_many_formats;           // that no more are compiled was said
  char *log;
  enum kiln_cache_outcome outcome;
  double front_ms, back_ms, lookup_ms;
};

struct kiln_kernel {
  _Atomic uint32_t refs; // the caller's, and one per prepared launch
  struct kiln_program *program;
  uint32_t index;
};

// What a program is made with beyond its description.
struct kiln_origin {
  const struct kiln_recorded *recorded; // whose include files there are; NULL: those of the file system
  struct kiln_saved *saved;             // whose code is looked for first; NULL: none
  bool only_saved;                      // and nowhere else
  bool only_cached;                     // NOT_CACHED where it would be compiled
  bool is_trial;                        // of a search, whose programs are not recorded
  bool is_object;                       // an object: its artifact is text, and nothing runs it
};
enum kiln_status kiln_program_create_from(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                          const struct kiln_origin *origin, struct kiln_program **out);
// Looks a program up, compiles nothing. *request is the caller's to free; *program has no code. *found: KILN_NOT_FOUND,
// or where *entry was found.
struct kiln_lookup {
  struct kiln_program *program;
  struct kiln_build_options options;
  struct kiln_store_request request;
  struct kiln_cache_trace trace;
  struct kiln_cache_entry *entry; // NULL: not found
};
// recorded: as in kiln_origin. Only the request is made, nothing is looked up.
enum kiln_status kiln_program_request(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                      const struct kiln_recorded *recorded, struct kiln_lookup *out);
enum kiln_status kiln_program_look_up(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                      struct kiln_lookup *out);
void kiln_lookup_free(struct kiln_lookup *lookup);

// The log of what a compile warned of, be it this one or an earlier one; kept as in kiln_compile_result. *out is only
// written if there is any.
enum kiln_status kiln_warnings_log(const struct kiln_program *program, struct kiln_str kept,
                                   const struct kiln_build_options *options, char **out);

void kiln_kernel_ref(struct kiln_kernel *kernel);
// What its driver is told of the kernel.
const struct kiln_kernel_info *kiln_kernel_drv_info(const struct kiln_kernel *kernel);

// The driver's kernel for the launch, whose kernel it becomes: loads the program on first use, or a variant of it that
// is compiled when a launch first wants it. *binary: that it belongs to.
enum kiln_status kiln_kernel_for_launch(struct kiln_kernel *kernel, struct kiln_drv_launch_desc *launch,
                                        struct kiln_binary **binary);

// The kernel of the program's variant with these options, which must be loaded before the kernel is: the program's
// variables are the variant's.
enum kiln_status kiln_variant_kernel(struct kiln_program *program, uint32_t index, const char *options,
                                     struct kiln_kernel *out);

// The same program once more, for a search, whose variants go with it. The caller releases it.
enum kiln_status kiln_program_trial(const struct kiln_program *program, struct kiln_program **out);

// The program's variant with these options, which must stay as they are, of all its kernels.
enum kiln_status kiln_variant_program(struct kiln_program *program, const char *options, struct kiln_program **out);

// formats.c: whether the kernel has images that it is compiled for at a launch, and that kernel, which lives as long as
// the program. launch: with its arguments; its kernel need not be set.
bool kiln_kernel_wants_formats(const struct kiln_kernel *kernel);
enum kiln_status kiln_kernel_for_formats(struct kiln_kernel *kernel, const struct kiln_drv_launch_desc *launch,
                                         struct kiln_kernel **out);
// The variant for any format, compiled if need be, that belongs beside the program wherever it is shipped to; it lives
// as long as the program. *out NULL: no kernel wants one.
enum kiln_status kiln_program_any_format(struct kiln_program *program, struct kiln_program **out);
void kiln_formats_free(struct kiln_program *program);

// The variant that belongs beside the program wherever it is shipped to, compiled if need be; it lives as long as the
// program. *out NULL: there is none.
enum kiln_status kiln_program_shipped_variant(struct kiln_program *program, struct kiln_program **out);

// The entry that belongs into bundles: the first, with the device code that is known of it.
const struct kiln_cache_entry *kiln_binary_shipped(const struct kiln_binary *binary);

// What a driver gets of it.
struct kiln_code kiln_binary_code(const struct kiln_binary *binary);

// The driver's kernel; loads the program on first use.
enum kiln_status kiln_kernel_load(struct kiln_kernel *kernel, struct kiln_drv_kernel **out);

#endif
