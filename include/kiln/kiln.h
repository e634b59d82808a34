// Kiln host API: compile compute kernels at run time and run them.
//
// Conventions
//   - Every object is an opaque handle with one owner: the caller that created it releases it. Objects that depend
//     on one another (a kernel on its program, a program on its context) keep what they need alive, so the order of
//     releases does not matter. Releasing NULL does nothing. A retain call makes one more owner, who releases, too;
//     retaining NULL does nothing.
//   - A descriptor struct whose members are all zero asks for the default of each member.
//   - Every call that can fail returns a status and writes its result through its last parameter, which it leaves
//     untouched on failure. kiln_last_error() then has a sentence (or compiler diagnostics) for the calling thread.
//   - Kiln never exits, aborts or prints. Messages go to the log callback of the context.
//   - All calls may be made from any thread. Calls that enqueue on one stream are ordered by the order of the calls.
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KILN_API __attribute__((visibility("default")))
#else
#define KILN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_VERSION_MAJOR 0
#define KILN_VERSION_MINOR 1
#define KILN_VERSION_PATCH 0

// "0.1.0"; a string with static lifetime.
KILN_API const char *kiln_version(void);

// ---- status --------------------------------------------------------------------------------------------------------

enum kiln_status {
  KILN_OK = 0,
  KILN_ERR_INVALID,     // a wrong argument of a call: the message names it
  KILN_ERR_COMPILE,     // the kernel is wrong: the message holds the diagnostics
  KILN_ERR_NOT_FOUND,   // no such backend, arch, device, kernel or file: the message lists what exists
  KILN_ERR_UNAVAILABLE, // a library or device that this needs is absent: the message says which and what to do
  KILN_ERR_UNSUPPORTED, // the backend or device cannot do this
  KILN_ERR_MEMORY,      // host or device memory is exhausted
  KILN_ERR_IO,          // a file could not be read or written
  KILN_ERR_DEVICE,      // the device failed while running a kernel or copy: the message names the kernel
  KILN_ERR_NOT_CACHED,  // COMPILE_CACHE=require and the kernel is in no cache layer
  KILN_ERR_INTERNAL,    // a fault in Kiln: the message names pass and value; please report it
  KILN_ERR_TIMEOUT,     // a launch ran past the deadline of its stream
  KILN_ERR_CANCELLED,   // kiln_stream_cancel ended it
};

// A short lower-case name ("invalid argument", …); static lifetime.
KILN_API const char *kiln_status_name(enum kiln_status status);

// The message of the last call that failed on this thread; "" when none did. Valid until the next failing call on
// this thread.
KILN_API const char *kiln_last_error(void);

// What was wrong with a launch or a copy, for hosts that have a code of their own for each.
enum kiln_reason {
  KILN_REASON_NONE,         // the status says all there is
  KILN_REASON_ARG_COUNT,    // the launch has too few or too many arguments
  KILN_REASON_ARG_KIND,     // of argument number index: a value for a buffer, and the like
  KILN_REASON_ARG_SIZE,     // its value has the wrong size, or its local memory is of 0 bytes
  KILN_REASON_ARG_VALUE,    // the pointer to its value is NULL, or one given for a buffer is none that the device takes
  KILN_REASON_ARG_ALIGN,    // its memory is not aligned as its type needs
  KILN_REASON_ARG_PLACE,    // its buffer is of another context or device than the stream
  KILN_REASON_WORK_DIM,     // work_dim
  KILN_REASON_GLOBAL_SIZE,  // global size, with the offset, in dimension index
  KILN_REASON_LOCAL_SIZE,   // local size, in dimension index
  KILN_REASON_LOCAL_MEMORY, // the launch needs more local memory than there is
  KILN_REASON_PLACE,        // the buffer of a copy is of another context or device than the stream
  KILN_REASON_RANGE,        // a copy goes beyond the end of a buffer
  KILN_REASON_OVERLAP,      // source and destination of a copy overlap
  KILN_REASON_PATTERN,      // size of a fill's pattern, or sizes that are no multiples of it
  KILN_REASON_ALIGN,        // offset of a window
  KILN_REASON_LAYOUT,       // pitches of a box or an image that its rows or planes do not fit
  KILN_REASON_FORMAT,       // of an image: unknown, or not for this use; of a copy: the two differ
  KILN_REASON_IMAGE_SIZE,   // of an image, in dimension index (3: layers), which it lacks or is too large in
};
// The reason of the failure that kiln_last_error() tells of. index: receives the number of the argument or dimension, 0
// where there is none; may be NULL.
KILN_API enum kiln_reason kiln_last_reason(uint32_t *index);

enum kiln_log_level { KILN_LOG_ERROR, KILN_LOG_WARNING, KILN_LOG_INFO, KILN_LOG_DEBUG };

// Called with one message, without a final newline, from any thread, possibly at the same time. It must not call
// Kiln.
typedef void kiln_log_fn(void *user, enum kiln_log_level level, const char *message);

// Called with the text that kernels print with printf, in pieces. Default: standard output of the process.
typedef void kiln_print_fn(void *user, const char *text, size_t size);

// ---- target and context --------------------------------------------------------------------------------------------

// What code is generated for: an immutable, fully resolved value. Strings belong to the object that returned it.
struct kiln_gpu_target {
  const char *backend;  // "cpu", "interp", "rocm", "opencl", or a plugin's name
  const char *arch;     // canonical: "znver4", "x86-64-v3", "gfx942", …
  const char *features; // canonical, in the backend's own notation: "+avx2+fma", "sramecc+:xnack-"; "" for none
  uint32_t warp_size;   // work-items that run in lock-step, as sub-group functions see them; at least 1
};

// What happens in the kernel cache, for a host that watches. Strings are never NULL and valid during the call.
enum kiln_cache_event_kind {
  KILN_CACHE_EVENT_HIT,          // place: "memory", or the folder or bundle
  KILN_CACHE_EVENT_MISS,         // reason: why nothing was found
  KILN_CACHE_EVENT_COMPILED,     // front_ms, back_ms
  KILN_CACHE_EVENT_FAILED,       // a compile failed; reason: the status
  KILN_CACHE_EVENT_STORED,       // bytes: size of the entry
  KILN_CACHE_EVENT_STORE_FAILED, // reason
  KILN_CACHE_EVENT_QUARANTINED,  // a damaged entry was set aside; reason: what is wrong with it
  KILN_CACHE_EVENT_EVICTED,      // count files of bytes together were removed to keep the size limit
  KILN_CACHE_EVENT_DEGRADED,     // from now on new programs are kept in memory only; reason
  KILN_CACHE_EVENT_RECOVERED,    // they are stored again
};
struct kiln_cache_event {
  enum kiln_cache_event_kind kind;
  const char *program; // the source's name; "" where the event is about none
  const char *key;     // in hexadecimal; "" where it is about no entry
  const char *place;   // folder or bundle
  const char *reason;
  uint64_t bytes, count;
  double lookup_ms, front_ms, back_ms;
};
// Called from any thread, possibly at the same time. It must not call Kiln.
typedef void kiln_cache_event_fn(void *user, const struct kiln_cache_event *event);

struct kiln_context;
struct kiln_base_backend;

struct kiln_context_desc {
  const char *backend;    // NULL or "": COMPILE_BACKEND, else the first available of the default order
  const char *arch;       // NULL or "": COMPILE_ARCH, else the machine's own device
  const char *cache_dir;  // NULL: COMPILE_CACHE_DIR, else $XDG_CACHE_HOME/kiln, else ~/.cache/kiln
  const char *cache_mode; // NULL: COMPILE_CACHE, else "rw"; one of rw, ro, off, require
  uint32_t num_threads;   // CPU worker threads, the launching one included; 0: COMPILE_NUM_THREADS, else all CPUs
  kiln_log_fn *log;       // NULL: nothing is logged
  void *log_user;
  kiln_print_fn *print; // NULL: standard output
  void *print_user;
  kiln_cache_event_fn *cache_event; // NULL: events are not reported
  void *cache_event_user;
  // Backends that are linked into the host (kiln/backend.h), for this context; they must outlive it.
  const struct kiln_base_backend *const *backends;
  uint32_t backend_count;
  // NULL: COMPILE_FAULTS, else "off"; "report": faults inside of kernels on the CPU (SIGSEGV, SIGBUS, SIGFPE) are
  // KILN_ERR_DEVICE instead of the process's end, and kiln_stream_cancel interrupts kernels that run. Sets signal
  // handlers while the context's driver is open (docs/embedding.md).
  const char *faults;
  // The CPUs that kernels of backends cpu and interp run on, "0-3,8"; NULL: all that the process may use. num_threads 0
  // is then their number.
  const char *cpus;
};

// Opens a context: chooses backend and target, reads the environment once. Opens no device and loads no compiler.
// desc may be NULL. NOT_FOUND for an unknown backend or arch; UNAVAILABLE when the named backend cannot be used here.
KILN_API enum kiln_status kiln_context_open(const struct kiln_context_desc *desc, struct kiln_context **out);
KILN_API void kiln_context_retain(struct kiln_context *ctx); // closed as often again
KILN_API void kiln_context_close(struct kiln_context *ctx);
// Calls fn once when the context is gone: it is closed, and so is all that keeps it (programs, kernels, buffers,
// streams, events), so that no callback of its description is called any more. That is during the last of these
// releases, on the calling thread; fn must not call Kiln. Never called after a device was lost whose driver may still
// call back. INVALID: a second time.
KILN_API enum kiln_status kiln_context_on_close(struct kiln_context *ctx, void (*fn)(void *user), void *user);

// The target in force; valid as long as the context.
KILN_API const struct kiln_gpu_target *kiln_context_target(const struct kiln_context *ctx);

struct kiln_cache_stats {
  uint64_t memory_hits, disk_hits, misses; // lookups of programs by outcome
  uint64_t compiles;                       // programs compiled (duplicates of one lookup count once)
  uint64_t stores, store_failures;         // entries published, and those that an I/O error kept from it
  uint64_t quarantined;                    // damaged entries found and set aside
  uint64_t layer_hits;                     // of the disk hits, those in read-only layers and in what was imported
  struct {
    uint64_t absent;       // nothing was stored for the request, or it has been removed
    uint64_t includes;     // the request is known, but with other include files
    uint64_t no_toolchain; // no compiler is installed, and no layer had it
    uint64_t unreadable;   // a file was there that could not be read or be trusted
    uint64_t damaged;      // a file was there, but damaged
    uint64_t timeout;      // another process was compiling it for too long
    uint64_t off;          // the cache is off
  } misses_by;
  uint64_t waits;                      // for compiles of other threads and processes
  uint64_t bytes_read, bytes_written;  // of cache files
  uint64_t evicted, evicted_bytes;     // files removed to keep the size limit, by this context
  double lookup_ms, front_ms, back_ms; // time spent so far in look-ups, front end and backend
  bool degraded;                       // the last attempt to store failed: memory only
};
KILN_API void kiln_context_cache_stats(const struct kiln_context *ctx, struct kiln_cache_stats *out);

// What the context has enqueued and holds, beside what it compiled and found in the cache.
struct kiln_context_stats {
  uint64_t launches, writes, reads, copies, fills; // commands enqueued so far
  uint64_t written_bytes, read_bytes, copied_bytes, filled_bytes;
  uint64_t streams, buffers, buffer_bytes; // that are there now; released ones count while commands use them
  uint64_t peak_buffer_bytes;
  uint64_t loads; // programs loaded into the driver so far
  double load_ms; // the time that took
};
KILN_API void kiln_context_stats(struct kiln_context *ctx, struct kiln_context_stats *out);

// From now on writes what the context does (launches, copies, compiles, the cache) to a file that Chrome and Perfetto
// show, as COMPILE_TRACE does; docs/trace.md. A trace that is there goes on. path NULL: ends the trace. IO: the file
// cannot be written, or is something else.
KILN_API enum kiln_status kiln_context_trace(struct kiln_context *ctx, const char *path);

// ---- handles of other runtimes (docs/native.md) ---------------------------------------------------------------------

enum kiln_runtime {
  KILN_RUNTIME_HOST,   // cpu, interp: pointers of the process
  KILN_RUNTIME_HSA,    // rocm: what HIP is made on
  KILN_RUNTIME_OPENCL, // opencl
  KILN_RUNTIME_CUDA,   // cuda: what CUDA's runtime is made on
};

// A device in the runtime that Kiln uses it by.
struct kiln_native_context {
  enum kiln_runtime runtime;
  void *platform, *device, *context; // OpenCL: cl_platform_id, cl_device_id, cl_context; CUDA: the primary CUcontext
  uint64_t agent;                    // HSA: hsa_agent_t.handle; CUDA: CUdevice
  char pci[16]; // HSA, CUDA: as hipDeviceGetPCIBusId and its like write it, "0000:c1:00.0"; "" where unknown
};

// Opens a context on handles of the host, with the one device that they name, and opens its driver. OpenCL: context and
// device; the context is retained. HSA: agent, or pci where agent is 0. CUDA: context, or pci where it is NULL. The
// handles say backend and arch; desc, which may be NULL, the rest. UNSUPPORTED: the backend takes none; INVALID: they
// are wrong.
KILN_API enum kiln_status kiln_context_open_native(const struct kiln_context_desc *desc,
                                                   const struct kiln_native_context *native, struct kiln_context **out);
// The handles of a device of any context, which keeps them: valid as long as the context. Opens the driver.
KILN_API enum kiln_status kiln_context_native(struct kiln_context *ctx, uint32_t device,
                                              struct kiln_native_context *out);

// ---- devices -------------------------------------------------------------------------------------------------------

struct kiln_device_info {
  const char *name, *vendor, *driver; // for people; valid as long as the context
  uint64_t memory_bytes;              // size of global memory
  uint64_t local_bytes;               // local memory per work-group
  uint64_t max_group_size;            // work-items per work-group
  uint32_t compute_units;
  uint32_t warp_size;
  bool host_memory; // buffers are host memory: wrapping costs no copy
};

// What a type of floating-point numbers has on a device.
enum kiln_float_traits {
  KILN_FLOAT_DENORMS = 1,
  KILN_FLOAT_INF_NAN = 2,
  KILN_FLOAT_ROUND_NEAREST = 4,
  KILN_FLOAT_ROUND_ZERO = 8,
  KILN_FLOAT_ROUND_INF = 16,
  KILN_FLOAT_FMA = 32,          // fma() is fused
  KILN_FLOAT_EXACT_DIVIDE = 64, // division and sqrt are rounded correctly, with -cl-fp32-correctly-rounded-divide-sqrt
};

enum kiln_pointers { // that kiln_arg_pointer takes
  KILN_POINTERS_NONE,
  KILN_POINTERS_RUNTIME, // to memory that the device's runtime allocated
  KILN_POINTERS_PROCESS, // any
};

// What programs ask for beyond kiln_device_info. 0: unknown, or not there.
struct kiln_device_traits {
  const char *extensions;   // of OpenCL C, and features of 3.0, separated by blanks; valid as long as the context
  uint64_t max_alloc_bytes; // of one buffer
  uint64_t cache_bytes;     // of the last level
  uint32_t cache_line_bytes;
  uint32_t clock_mhz;                             // the highest
  uint32_t half_flags, float_flags, double_flags; // enum kiln_float_traits; 0: there is no such type
  uint32_t char_width, short_width, int_width;    // elements of the vectors that kernels should use: 1 where Kiln makes
  uint32_t long_width, half_width, float_width;   // vectors of work-items itself
  uint32_t double_width;
  uint32_t register_bytes; // of one vector register, which kernels with vectors can fill by themselves; 0: none
  bool own_local_memory;   // local memory is not a part of global memory
  enum kiln_pointers pointers;
};
KILN_API enum kiln_status kiln_device_traits(struct kiln_context *ctx, uint32_t device, struct kiln_device_traits *out);

// Number of devices of the context's backend that fit its target; opens the driver on first use.
KILN_API enum kiln_status kiln_device_count(struct kiln_context *ctx, uint32_t *out);
KILN_API enum kiln_status kiln_device_info(struct kiln_context *ctx, uint32_t device, struct kiln_device_info *out);

// ---- programs and kernels ------------------------------------------------------------------------------------------

struct kiln_program;
struct kiln_kernel;

enum kiln_source_kind {
  KILN_SOURCE_OPENCL_C = 0,
  KILN_SOURCE_IR_TEXT, // the text form of docs/ir.md
  KILN_SOURCE_MODULE,  // a module that was built with kiln/ir.h
  KILN_SOURCE_SPIRV,   // a module of SPIR-V, in either byte order (docs/spirv.md); size is needed
};

struct kiln_module;

// An include file given from memory; looked up by its name before the file system is.
struct kiln_header {
  const char *name;
  const char *text;
  size_t size; // 0: text ends with a NUL
};

// The value of a specialisation constant of a SPIR-V module: size bytes, as many as the constant has. A bool has one.
struct kiln_spec_constant {
  uint32_t id; // SpecId
  uint32_t size;
  const void *value;
};

struct kiln_program_desc {
  const char *source;
  size_t size;      // 0: source ends with a NUL
  const char *name; // shown in diagnostics; NULL: "<source>". A path also resolves #include "…"
  enum kiln_source_kind kind;
  const char *options; // OpenCL build options: "-DN=4 -I dir -cl-fast-relaxed-math"; NULL for none
  const struct kiln_header *headers;
  uint32_t header_count;
  // KILN_SOURCE_MODULE, where source is NULL: read during the call, stays the caller's.
  const struct kiln_module *module;
  // To begin at a later stage: its name ("ir", or one that the backend starts from), and its text or bytes as
  // kiln_program_stage gives them. Kernels and arguments are those of source, so it must be what the stage was made
  // from: the same source, or the stage "ir" of the same compile. NULL: from the beginning.
  const char *stage;
  const void *stage_data;
  size_t stage_size;
  // KILN_SOURCE_SPIRV: values in place of the defaults of the module, in any order. INVALID: the module has no constant
  // of that id, or one of another size; an id twice.
  const struct kiln_spec_constant *spec_constants;
  uint32_t spec_constant_count;
};

// Whether bytes begin as a module of SPIR-V does, in either byte order.
KILN_API bool kiln_is_spirv(const void *data, size_t size);
// How many bytes the value of a specialisation constant has: 1, 2, 4 or 8. NOT_FOUND: the module has no constant of
// that id. COMPILE: the bytes are no module that Kiln takes, as kiln_last_error says.
KILN_API enum kiln_status kiln_spec_constant_size(const void *data, size_t size, uint32_t id, uint32_t *out);

// Compiles (or finds in the cache) a program for the context's target. Returns when it is ready to launch. COMPILE:
// kiln_last_error() has the diagnostics. Warnings go to kiln_program_log.
KILN_API enum kiln_status kiln_program_create(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                              struct kiln_program **out);
KILN_API void kiln_program_retain(struct kiln_program *program);
KILN_API void kiln_program_release(struct kiln_program *program);

// Warnings of the compile, "" when there were none. A program that came from the cache has those of the compile that it
// comes from, under its own name and its own options -w and -Wno-...; included files are named as they were then.
KILN_API const char *kiln_program_log(const struct kiln_program *program);

enum kiln_cache_outcome { KILN_CACHE_OFF, KILN_CACHE_MISS, KILN_CACHE_HIT_MEMORY, KILN_CACHE_HIT_DISK };

struct kiln_program_info {
  uint32_t kernel_count;
  enum kiln_cache_outcome cache;
  const char *key;           // cache key in hexadecimal; "" when caching is off
  double front_ms, back_ms;  // time spent in the front end and in the backend; 0 on a hit
  double lookup_ms, load_ms; // time for the cache lookup, and for loading the code into the driver
  const void *artifact;      // the final artifact (.so, .hsaco, …); lives as long as the program
  size_t artifact_size;
  const char *artifact_extension; // "so", "hsaco", "bin", "kir", …
};
KILN_API void kiln_program_info(const struct kiln_program *program, struct kiln_program_info *out);

// ---- objects: programs in several parts

// A source that is compiled on its own and linked with others later. Functions that it declares may be defined in other
// objects, as may variables that it declares "extern"; its own functions and variables of the program's scope, but for
// "static" and "inline" ones, and its kernels can be used by other objects.
struct kiln_object;

// Compiles an object, or finds it in the cache. desc as for kiln_program_create; start stages are not possible. For
// KILN_SOURCE_IR_TEXT it is checked only: so the text of kiln_object_text becomes an object again. COMPILE:
// kiln_last_error() has the diagnostics.
KILN_API enum kiln_status kiln_object_create(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                             struct kiln_object **out);
// Several objects as one, a library: nothing is resolved yet. name: for messages; NULL: "<library>".
KILN_API enum kiln_status kiln_object_join(struct kiln_context *ctx, struct kiln_object *const *objects, uint32_t count,
                                           const char *name, struct kiln_object **out);
KILN_API void kiln_object_retain(struct kiln_object *object); // released as often again
KILN_API void kiln_object_release(struct kiln_object *object);
// The object as text, for hosts that keep it: valid as long as the object. It is only good for the same target and
// version of Kiln.
KILN_API const char *kiln_object_text(const struct kiln_object *object, size_t *size);
KILN_API const char *kiln_object_log(const struct kiln_object *object); // as kiln_program_log

struct kiln_link_desc {
  struct kiln_object *const *objects; // only read during the call
  uint32_t object_count;
  const char *name; // shown in messages; NULL: "<linked>"
  // Build options that concern code generation (-g, -O…, -cl-denorms-are-zero, --kiln-…); those of the preprocessor and
  // of warnings mean nothing here. -g and -cl-fp32-correctly-rounded-divide-sqrt of an object hold as well. NULL: none.
  const char *options;
};
// Makes a program of objects of this context, or finds it in the cache. Which objects there are is part of its key,
// the order counts. COMPILE: something is not defined, is defined twice, or is defined with other types than it is
// declared with; the message names it and the objects. INVALID: no object, or one of another context.
KILN_API enum kiln_status kiln_program_link(struct kiln_context *ctx, const struct kiln_link_desc *desc,
                                            struct kiln_program **out);

// A program as bytes, to be kept by the host: its code, the variants of it that launches of other shapes need, and its
// source, from which a variant that is not there is compiled. *out_data is freed with kiln_free. INVALID: an include
// file has changed since the compile. UNSUPPORTED: the program begins at a later stage than its source.
KILN_API enum kiln_status kiln_program_save(struct kiln_program *program, void **out_data, size_t *out_size);
// The same without the code for images of any format, which takes long to compile and runs only where launches cannot
// compile kernels for their formats.
KILN_API enum kiln_status kiln_program_save_known(struct kiln_program *program, void **out_data, size_t *out_size);
// Makes a program of what kiln_program_save gave, which is copied. Compiles nothing, whatever the cache's mode is, and
// reads no file. INVALID: it is damaged. UNSUPPORTED: it was saved for a target whose code this one cannot run, or by
// another version of Kiln.
KILN_API enum kiln_status kiln_program_load(struct kiln_context *ctx, const void *data, size_t size,
                                            struct kiln_program **out);

// A stage of the compilation as text or bytes: "ir", then the backend's own ("ll", "s", "o", "cl"). Compiles again to
// produce it, since the cache keeps only the final artifact. The caller frees *out_data with kiln_free.
KILN_API enum kiln_status kiln_program_stage(struct kiln_program *program, const char *stage, void **out_data,
                                             size_t *out_size);
// The same of a source, without a program: compiles no further than the stage (or "bin", the artifact), and leaves the
// cache alone. *out_log gets the warnings, to be freed with kiln_free, or NULL; out_log may be NULL. Errors as those of
// kiln_program_create; NOT_FOUND lists the stages there are.
KILN_API enum kiln_status kiln_compile_stage(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                             const char *stage, void **out_data, size_t *out_size, char **out_log);
KILN_API void kiln_free(void *data);

// name NULL: the only kernel of the program. NOT_FOUND lists the kernels there are.
KILN_API enum kiln_status kiln_kernel_create(struct kiln_program *program, const char *name, struct kiln_kernel **out);
KILN_API const char *kiln_program_kernel_name(const struct kiln_program *program, uint32_t index);
KILN_API void kiln_kernel_retain(struct kiln_kernel *kernel);
KILN_API void kiln_kernel_release(struct kiln_kernel *kernel);

enum kiln_arg_kind {
  KILN_ARG_VALUE,  // passed by value: scalar, vector or struct
  KILN_ARG_BUFFER, // pointer to global or constant memory
  KILN_ARG_LOCAL,  // pointer to local memory; the launch gives its size
  KILN_ARG_IMAGE,
  KILN_ARG_SAMPLER,
};

enum kiln_access { KILN_ACCESS_NONE, KILN_ACCESS_READ, KILN_ACCESS_WRITE, KILN_ACCESS_READ_WRITE };

enum kiln_image_dimension {
  KILN_IMAGE_1D,
  KILN_IMAGE_1D_BUFFER,
  KILN_IMAGE_1D_ARRAY,
  KILN_IMAGE_2D,
  KILN_IMAGE_2D_ARRAY,
  KILN_IMAGE_3D,
  KILN_IMAGE_2D_DEPTH,
  KILN_IMAGE_2D_ARRAY_DEPTH,
};

// The channels of a pixel in memory (kiln/pixel.def lists them all): KILN_ORDER_RGBA and so on.
enum kiln_channel_order {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) KILN_ORDER_##NAME,
#include "kiln/pixel.def"
};
// What each of them is: KILN_CHANNEL_UNORM8, KILN_CHANNEL_F32 and so on.
enum kiln_channel_type {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) KILN_CHANNEL_##NAME,
#include "kiln/pixel.def"
};
struct kiln_image_format {
  enum kiln_channel_order order;
  enum kiln_channel_type type;
};
// A pixel as kernels see it: the components x, y, z, w, floats where they read its format as such, else integers.
union kiln_pixel {
  float f[4];
  int32_t i[4];
  uint32_t u[4];
};

// The bits of a sampler, as CLK_… in kernels.
enum kiln_sampler {
  KILN_SAMPLER_NORMALIZED = 1, // coordinates from 0 to 1
  KILN_SAMPLER_CLAMP_TO_EDGE = 2,
  KILN_SAMPLER_CLAMP = 4, // to the border
  KILN_SAMPLER_REPEAT = 6,
  KILN_SAMPLER_MIRRORED_REPEAT = 8,
  KILN_SAMPLER_ADDRESS = 14, // mask of the four before; 0: coordinates lie inside
  KILN_SAMPLER_NEAREST = 16,
  KILN_SAMPLER_LINEAR = 32,
};

struct kiln_arg_info {
  const char *name;      // "" when the source does not name it
  const char *type_name; // as OpenCL C writes it: "float*", "uint4", "struct body"; "body" for a typedef of no tag
  enum kiln_arg_kind kind;
  enum kiln_access access; // what the kernel does with a buffer, as far as the compiler knows, or may do with an image
  uint32_t size;           // bytes of a value; 8 for pointers and images, 4 for samplers
  uint32_t align;          // bytes, alignment of a value, or of what a pointer points to
  bool is_const, is_restrict, is_volatile;
  bool is_constant; // of a buffer: the pointer is to constant memory, else to global memory
  uint8_t image;    // of an image: enum kiln_image_dimension
};

struct kiln_kernel_info {
  const char *name;
  uint32_t arg_count;
  const struct kiln_arg_info *args;
  uint32_t required_group_size[3]; // reqd_work_group_size; all 0 for a kernel without the attribute
  uint32_t work_group_size_hint[3];
  uint32_t local_bytes;    // static local memory per work-group
  uint32_t private_bytes;  // stack or scratch memory per work-item that did not fit registers
  uint32_t vgprs, sgprs;   // registers per work-item and per wave; 0 where the backend has none to tell
  uint32_t spills;         // values spilled, in registers; 0 where unknown
  uint32_t code_bytes;     // machine code of the kernel; 0 where unknown
  uint32_t max_group_size; // for this kernel; 0: the device's
  uint32_t agprs;          // of vgprs or beside them, registers of matrix units; 0 where there are none
  uint32_t waves_per_simd; // an estimate of how many waves run on a SIMD at a time; 0 where unknown
  const char *remark;      // what the backend chose and why, in a few words for people; "" where it has nothing to tell
};

// Valid as long as the kernel.
KILN_API const struct kiln_kernel_info *kiln_kernel_info(const struct kiln_kernel *kernel);
// The type of the kernel's attribute vec_type_hint, as OpenCL C writes it ("float4"); "" for a kernel without.
KILN_API const char *kiln_kernel_vec_type_hint(const struct kiln_kernel *kernel);
// The work-items of a sub-group that the kernel asks for (intel_reqd_sub_group_size), which are those that the target
// has; 0 for a kernel that asks for none.
KILN_API uint32_t kiln_kernel_sub_group_size(const struct kiln_kernel *kernel);

// ---- buffers -------------------------------------------------------------------------------------------------------

struct kiln_buffer;
struct kiln_stream;
struct kiln_event;

struct kiln_buffer_desc {
  size_t size;     // bytes, at least 1
  void *host;      // not NULL: the buffer is this memory where the device can (it then stays the caller's, and must
                   // outlive the buffer); elsewhere its bytes are copied in. kiln_buffer_align tells what
                   // kernels it is aligned for (float8*: 32 bytes)
  uint32_t device; // index of the device
};

KILN_API enum kiln_status kiln_buffer_create(struct kiln_context *ctx, const struct kiln_buffer_desc *desc,
                                             struct kiln_buffer **out);
// A window into a buffer, which stays alive with it. offset must be a multiple of 128 bytes.
KILN_API enum kiln_status kiln_buffer_sub(struct kiln_buffer *parent, size_t offset, size_t size,
                                          struct kiln_buffer **out);
KILN_API void kiln_buffer_retain(struct kiln_buffer *buffer);
// Never waits for commands: they keep the memory that they use. kiln_buffer_create does, when there is no memory for a
// buffer, or those that were released and are still in use have a quarter of the device's.
KILN_API void kiln_buffer_release(struct kiln_buffer *buffer);
// Calls fn once when the buffer is gone: it and its windows are released, and no command uses its memory any more. That
// is during a release, a wait, or a later call for the same context, on the calling thread; fn must not call Kiln.
// INVALID: for a window, or a second time.
KILN_API enum kiln_status kiln_buffer_on_release(struct kiln_buffer *buffer, void (*fn)(void *user), void *user);
KILN_API size_t kiln_buffer_size(const struct kiln_buffer *buffer);
// How the buffer's memory is aligned: a power of two, at most 128 bytes, which is enough for every type; less only
// where it is memory of the host's, or a window into such memory. Launches are INVALID where the kernel's pointer
// (kiln_arg_info.align) needs more.
KILN_API uint32_t kiln_buffer_align(const struct kiln_buffer *buffer);

// The buffer's bytes where they are host memory (device_info.host_memory), else NULL. Synchronise first.
KILN_API void *kiln_buffer_host(struct kiln_buffer *buffer);

// A buffer that is memory of the host's in the runtime of the context: a cl_mem of its cl_context, which is retained; a
// pointer that HSA or HIP allocated on the device, or one of the process, which must outlive the buffer. size: bytes
// from its beginning; 0: all, where the runtime tells. INVALID: it is no such memory. UNSUPPORTED where the backend
// takes none.
KILN_API enum kiln_status kiln_buffer_wrap_native(struct kiln_context *ctx, uint32_t device, void *memory, size_t size,
                                                  struct kiln_buffer **out);
// What the runtime knows the buffer's memory by, and where in it a window begins. Valid as long as the buffer.
KILN_API enum kiln_status kiln_buffer_native(struct kiln_buffer *buffer, void **memory, size_t *offset);

// ---- streams and events --------------------------------------------------------------------------------------------

// A stream runs what is enqueued on it in order and asynchronously to the host: on cpu and interp no enqueue waits for
// a command to end. The memory that a write reads from or a read writes to must stay valid until then. Every enqueue
// takes an optional event out-parameter (may be NULL; to be released by the caller).
KILN_API enum kiln_status kiln_stream_create(struct kiln_context *ctx, uint32_t device, struct kiln_stream **out);
// A stream that enqueues on the host's own queue: OpenCL: an in-order cl_command_queue of the context, which is
// retained. What the host and Kiln enqueue on it runs in the order of the calls.
KILN_API enum kiln_status kiln_stream_wrap_native(struct kiln_context *ctx, uint32_t device, void *queue,
                                                  struct kiln_stream **out);
// The queue of a stream: cl_command_queue or hsa_queue_t*. Valid as long as the stream.
KILN_API enum kiln_status kiln_stream_native(struct kiln_stream *stream, void **queue);
KILN_API void kiln_stream_retain(struct kiln_stream *stream);
// Waits until all that was enqueued has run, then releases, whether there are other owners or not.
KILN_API void kiln_stream_release(struct kiln_stream *stream);
// Waits until all that was enqueued has run; returns the first error since the last call.
KILN_API enum kiln_status kiln_stream_finish(struct kiln_stream *stream);
// Waits at most ns nanoseconds; *done tells whether all that was enqueued has run, and kiln_stream_finish returns at
// once. For a thread that has to look at other things: beside kiln_stream_finish, it runs no kernels that may take
// long.
KILN_API enum kiln_status kiln_stream_finish_within(struct kiln_stream *stream, uint64_t ns, bool *done);

// Deadlines, for kernels that may never end (docs/host-api.md says what each backend can do). Each launch that is
// enqueued on the stream from now on may run for ns nanoseconds, counted from when it begins; then it is stopped and
// fails with TIMEOUT. 0: there is no deadline, as by default. UNSUPPORTED where the backend cannot.
#define KILN_DEADLINE_CANCEL UINT64_MAX // no limit of time, but kiln_stream_cancel stops kernels that run
KILN_API enum kiln_status kiln_stream_set_deadline(struct kiln_stream *stream, uint64_t ns);
// The deadline that streams created from now on have.
KILN_API enum kiln_status kiln_context_set_deadline(struct kiln_context *ctx, uint64_t ns);
// Ends what has been enqueued on the stream, as far as it can be stopped: it fails with CANCELLED. Waits for nothing.
KILN_API enum kiln_status kiln_stream_cancel(struct kiln_stream *stream);

KILN_API enum kiln_status kiln_write(struct kiln_stream *stream, struct kiln_buffer *dst, size_t offset,
                                     const void *src, size_t size, struct kiln_event **event);
KILN_API enum kiln_status kiln_read(struct kiln_stream *stream, struct kiln_buffer *src, size_t offset, void *dst,
                                    size_t size, struct kiln_event **event);
// The two ranges must not overlap. One of the buffers may be on another device of the context than the stream, where
// the backend can (rocm, cuda); events order it with what other streams do with that buffer.
KILN_API enum kiln_status kiln_copy(struct kiln_stream *stream, struct kiln_buffer *src, size_t src_offset,
                                    struct kiln_buffer *dst, size_t dst_offset, size_t size, struct kiln_event **event);
// Boxes of bytes as one command: region[0] bytes in a row, region[1] rows in a plane, region[2] planes. A layout says
// how they lie in the buffer or in the host's memory; NULL: from the beginning, without gaps. A box without bytes is
// nothing to do. INVALID: a pitch is too small, a box goes beyond its buffer, or two of the same buffer may overlap
// (which is only found out exactly where their pitches are the same).
struct kiln_layout {
  size_t offset; // bytes to the first byte
  size_t row;    // bytes from a row to the next; 0: region[0]
  size_t plane;  // bytes from a plane to the next, a multiple of row; 0: region[1] rows
};
KILN_API enum kiln_status kiln_write_rect(struct kiln_stream *stream, struct kiln_buffer *dst,
                                          const struct kiln_layout *to, const void *src, const struct kiln_layout *from,
                                          const size_t region[3], struct kiln_event **event);
KILN_API enum kiln_status kiln_read_rect(struct kiln_stream *stream, struct kiln_buffer *src,
                                         const struct kiln_layout *from, void *dst, const struct kiln_layout *to,
                                         const size_t region[3], struct kiln_event **event);
KILN_API enum kiln_status kiln_copy_rect(struct kiln_stream *stream, struct kiln_buffer *src,
                                         const struct kiln_layout *from, struct kiln_buffer *dst,
                                         const struct kiln_layout *to, const size_t region[3],
                                         struct kiln_event **event);
// Repeats a pattern of 1, 2, 4, 8, 16, 32, 64 or 128 bytes; offset and size are multiples of pattern_size.
KILN_API enum kiln_status kiln_fill(struct kiln_stream *stream, struct kiln_buffer *dst, size_t offset, size_t size,
                                    const void *pattern, size_t pattern_size, struct kiln_event **event);
// Calls fn once all that was enqueued before has run or failed; what is enqueued later waits for its return. A thread
// of Kiln's calls it, or one that waits for the stream, never one that enqueues. fn may call Kiln and enqueue on the
// stream, but must neither wait for it nor release it. Where the device has no such command (rocm, cuda, opencl), this
// itself waits for the stream and calls fn. MEMORY: there can be no thread.
KILN_API enum kiln_status kiln_stream_host(struct kiln_stream *stream, void (*fn)(void *user), void *user,
                                           struct kiln_event **event);
// An event of all that has been enqueued on the stream so far, without a command of its own.
KILN_API enum kiln_status kiln_stream_record(struct kiln_stream *stream, struct kiln_event **event);
// What is enqueued later on stream waits for the event (of any stream of the same context).
KILN_API enum kiln_status kiln_stream_wait(struct kiln_stream *stream, struct kiln_event *event);

struct kiln_event_times {
  uint64_t enqueued_ns, started_ns, ended_ns; // monotonic clock of the host, in nanoseconds
};

KILN_API enum kiln_status kiln_event_wait(struct kiln_event *event);
KILN_API bool kiln_event_done(struct kiln_event *event);
// Waits at most ns nanoseconds, as kiln_stream_finish_within does; *done as kiln_event_done tells it.
KILN_API enum kiln_status kiln_event_wait_within(struct kiln_event *event, uint64_t ns, bool *done);
enum kiln_event_state {
  KILN_EVENT_QUEUED,    // waits for commands before it in its stream
  KILN_EVENT_SUBMITTED, // the next one of its stream, or in the device's queue; or an event of the host, not signalled
  KILN_EVENT_RUNNING,   // as far as the device tells
  KILN_EVENT_DONE,
  KILN_EVENT_FAILED,
};
// How the command stands, without waiting. status: receives why it failed, whose message is then kiln_last_error(), or
// KILN_OK; may be NULL.
KILN_API enum kiln_event_state kiln_event_state(struct kiln_event *event, enum kiln_status *status);
typedef void kiln_event_fn(void *user, enum kiln_event_state state, enum kiln_status status);
// Calls fn once when the event has reached a state (of DONE and FAILED any), with what it has reached: at once, on the
// calling thread, when it has already; later on the thread that signals it or on one of Kiln's. What is told of states
// before the end may come as late as the end. fn may call Kiln, and should not wait for long: other calls of the same
// stream wait for it.
KILN_API enum kiln_status kiln_event_notify(struct kiln_event *event, enum kiln_event_state state, kiln_event_fn *fn,
                                            void *user);
// An event that the host signals. Streams of the context wait for it (kiln_stream_wait), as may threads. Until it is
// signalled, calls that wait for such a stream wait, too. UNSUPPORTED where the backend cannot.
KILN_API enum kiln_status kiln_event_create_user(struct kiln_context *ctx, struct kiln_event **out);
// Ends an event of the host. With another status than KILN_OK it has failed, and streams that wait for it fail as they
// do for commands. INVALID: it is none, or was signalled before. One that is released by its last owner without it has
// failed with CANCELLED.
KILN_API enum kiln_status kiln_event_signal(struct kiln_event *event, enum kiln_status status);
// Waits for the event, then tells its times.
KILN_API enum kiln_status kiln_event_times(struct kiln_event *event, struct kiln_event_times *out);
KILN_API void kiln_event_retain(struct kiln_event *event);
KILN_API void kiln_event_release(struct kiln_event *event);

// ---- images (docs/images.md) ----------------------------------------------------------------------------------------

// A buffer, or a part of one, as pixels of a format; or an image of the device.
struct kiln_image;

// What there can be at most; 1 where an image of the dimension has no such size.
struct kiln_image_limits {
  uint32_t width, height, depth, layers;
};
KILN_API enum kiln_status kiln_image_limits(struct kiln_context *ctx, uint32_t device,
                                            enum kiln_image_dimension dimension, struct kiln_image_limits *out);
// The formats of images that kernels may read, write or both: writes up to capacity of them. *count: how many there
// are.
KILN_API enum kiln_status kiln_image_formats(struct kiln_context *ctx, uint32_t device,
                                             enum kiln_image_dimension dimension, enum kiln_access access,
                                             struct kiln_image_format *out, uint32_t capacity, uint32_t *count);
// Bytes of one pixel; 0: there is no such format.
KILN_API uint32_t kiln_image_pixel_bytes(struct kiln_image_format format);

struct kiln_image_desc {
  enum kiln_image_dimension dimension;
  struct kiln_image_format format;
  uint32_t width, height, depth, layers; // 0 or 1 for those that the dimension lacks
  // Bytes from a row to the next, a multiple of the pixel's, and from a plane or layer to the next, a multiple of row;
  // 0: without gaps.
  size_t row, slice;
  // The memory, which begins and is aligned at whole pixels. A buffer: the image is a part of it from offset, and keeps
  // it. Else host, as in kiln_buffer_desc; copies: its bytes are copied in any case. Neither: fresh memory.
  struct kiln_buffer *buffer;
  size_t offset;
  void *host;
  size_t host_bytes; // that host has, to be checked; 0: enough
  bool copies;
  uint32_t device; // that of the buffer, where there is one
};
KILN_API enum kiln_status kiln_image_create(struct kiln_context *ctx, const struct kiln_image_desc *desc,
                                            struct kiln_image **out);
KILN_API void kiln_image_retain(struct kiln_image *image);
KILN_API void kiln_image_release(struct kiln_image *image); // commands keep the memory, as of buffers
// The sizes that it has (1 for those that its dimension lacks), row, slice, buffer and offset; host: its first pixel,
// as kiln_buffer_host gives it. All 0 for NULL.
KILN_API void kiln_image_info(const struct kiln_image *image, struct kiln_image_desc *out);
// The buffer that it is a part of; the image's, valid as long as it. NULL: it is memory of the device that only images
// have, as on a target with images of its own, where neither a buffer was given nor memory to wrap, and it is no 1D
// buffer (docs/images.md).
KILN_API struct kiln_buffer *kiln_image_buffer(struct kiln_image *image);

// A box of pixels: x, y, z, where the layer of an array takes the place after its coordinates. A size of 0 is 1 in
// coordinates that the image does not have; else there is nothing to do. NULL in place of a region: all of the image.
struct kiln_image_region {
  size_t origin[3], size[3];
};
// The layout is that of the bytes at the other side: offset; row: from a row to the next, of 1D arrays from a layer to
// the next; plane: from a plane or layer to the next. NULL: without gaps.
KILN_API enum kiln_status kiln_image_write(struct kiln_stream *stream, struct kiln_image *dst,
                                           const struct kiln_image_region *region, const void *src,
                                           const struct kiln_layout *from, struct kiln_event **event);
KILN_API enum kiln_status kiln_image_read(struct kiln_stream *stream, struct kiln_image *src,
                                          const struct kiln_image_region *region, void *dst,
                                          const struct kiln_layout *to, struct kiln_event **event);
KILN_API enum kiln_status kiln_image_from_buffer(struct kiln_stream *stream, struct kiln_image *dst,
                                                 const struct kiln_image_region *region, struct kiln_buffer *src,
                                                 const struct kiln_layout *from, struct kiln_event **event);
KILN_API enum kiln_status kiln_image_to_buffer(struct kiln_stream *stream, struct kiln_image *src,
                                               const struct kiln_image_region *region, struct kiln_buffer *dst,
                                               const struct kiln_layout *to, struct kiln_event **event);
// Images of one format, but of any dimensions. at: the first pixel in dst; NULL: 0, 0, 0. As kiln_copy between devices.
KILN_API enum kiln_status kiln_image_copy(struct kiln_stream *stream, struct kiln_image *src,
                                          const struct kiln_image_region *region, struct kiln_image *dst,
                                          const size_t at[3], struct kiln_event **event);
// The pixel is converted as a kernel's write would be; components of sRGB are linear.
KILN_API enum kiln_status kiln_image_fill(struct kiln_stream *stream, struct kiln_image *dst,
                                          const struct kiln_image_region *region, const union kiln_pixel *pixel,
                                          struct kiln_event **event);

// ---- launches ------------------------------------------------------------------------------------------------------

// One argument of a launch; made with the functions below.
struct kiln_arg {
  enum kiln_arg_kind kind;
  const void *data;           // KILN_ARG_VALUE: the bytes; copied by the launch. BUFFER, without a buffer: a pointer.
                              // IMAGE: the image
  size_t size;                // bytes of the value, or of local memory. SAMPLER: enum kiln_sampler
  struct kiln_buffer *buffer; // KILN_ARG_BUFFER; NULL is a null pointer
};

static inline struct kiln_arg kiln_arg_value(const void *data, size_t size) {
  struct kiln_arg arg = {KILN_ARG_VALUE, data, size, NULL};
  return arg;
}
static inline struct kiln_arg kiln_arg_buffer(struct kiln_buffer *buffer) {
  struct kiln_arg arg = {KILN_ARG_BUFFER, NULL, 0, buffer};
  return arg;
}
// Shared virtual memory: a pointer in place of a buffer. On cpu and interp any pointer of the process; on rocm one to
// memory that HSA or HIP allocated and the device reaches. Elsewhere the launch is UNSUPPORTED. The memory is the
// host's to keep until the launch has run. interp checks what it knows: it cannot tell where such memory ends.
static inline struct kiln_arg kiln_arg_pointer(const void *pointer) {
  struct kiln_arg arg = {KILN_ARG_BUFFER, pointer, 0, NULL};
  return arg;
}
static inline struct kiln_arg kiln_arg_local(size_t size) {
  struct kiln_arg arg = {KILN_ARG_LOCAL, NULL, size, NULL};
  return arg;
}

static inline struct kiln_arg kiln_arg_image(const struct kiln_image *image) {
  struct kiln_arg arg = {KILN_ARG_IMAGE, image, 0, NULL};
  return arg;
}
// bits: one of NEAREST and LINEAR, at most one mode of ADDRESS, NORMALIZED or not; REPEAT and MIRRORED_REPEAT are for
// normalised coordinates alone.
static inline struct kiln_arg kiln_arg_sampler(uint32_t bits) {
  struct kiln_arg arg = {KILN_ARG_SAMPLER, NULL, bits, NULL};
  return arg;
}

struct kiln_launch_desc {
  uint64_t global[3]; // work-items per dimension; 0 in dimension 1 or 2 means 1. A dimension 0 of 0 runs nothing
  uint64_t local[3];  // work-items per work-group; all 0: required_group_size, else Kiln chooses
  uint64_t offset[3]; // added to the global ids
  uint32_t work_dim;  // 1 to 3; 0: up to the last dimension whose global size is not 0
  uint32_t arg_count;
  const struct kiln_arg *args; // arg_count of them, in the order of the kernel's parameters
  bool tuned; // as kiln_tune found it fastest: Kiln chooses the local size, and the global one where problem_size says
              // it
};

// Checks the launch against the kernel and enqueues it. INVALID names the argument that is wrong. A global size that
// is no multiple of the local size gives partial last groups where the device can, else UNSUPPORTED.
KILN_API enum kiln_status kiln_launch(struct kiln_stream *stream, struct kiln_kernel *kernel,
                                      const struct kiln_launch_desc *desc, struct kiln_event **event);

// A launch that is checked once and run many times, without any allocation or look-up per run. It keeps its kernel,
// buffers and images alive.
struct kiln_prepared;
KILN_API enum kiln_status kiln_prepare(struct kiln_stream *stream, struct kiln_kernel *kernel,
                                       const struct kiln_launch_desc *desc, struct kiln_prepared **out);
KILN_API enum kiln_status kiln_run_prepared(struct kiln_prepared *prepared, struct kiln_event **event);
KILN_API void kiln_prepared_release(struct kiln_prepared *prepared);

// ---- the kernel cache: warming, exporting, looking into it ----------------------------------------------------------

// Warming compiles, ahead of time, what a real run asked for: the requests that COMPILE_RECORD wrote to a manifest
// (docs/warm-up.md), for any backend and arch, without their devices.
struct kiln_warm_target {
  const char *backend, *arch; // NULL or "": what the request was recorded with
};
enum kiln_warm_outcome { KILN_WARM_COMPILED, KILN_WARM_CACHED, KILN_WARM_FAILED };
struct kiln_warm_event {
  uint64_t done, total; // jobs: one per program and target
  const char *program, *backend, *arch;
  enum kiln_warm_outcome outcome;
  const char *message; // why it failed; ""
  double ms;
};
// Called after each job, never twice at the same time. False: no further job is begun.
typedef bool kiln_warm_fn(void *user, const struct kiln_warm_event *event);

struct kiln_warm_desc {
  const char *const *manifests; // paths
  uint32_t manifest_count;
  const char *text; // a manifest in memory, too; NULL: none
  size_t text_size; // 0: text ends with a NUL
  const struct kiln_warm_target *targets;
  uint32_t target_count;              // 0: each program for the target that it was recorded with
  uint32_t num_threads;               // that compile at the same time; 0: as many as CPUs
  const char *cache_dir, *cache_mode; // as in kiln_context_desc. "off" together with an export: only the bundle is made
  const char *export_path;            // a bundle of the programs is written to this file; NULL: none
  bool export_memory;                 // a bundle is made in memory
  kiln_log_fn *log;
  void *log_user;
  kiln_warm_fn *event; // NULL: events are not reported
  void *event_user;
};
struct kiln_warm_result {
  uint64_t programs, jobs; // different programs; programs times targets
  uint64_t compiled, cached, failed;
  uint64_t damaged; // requests of the manifests that could not be read (a writer was killed), and were left out
  void *bundle;     // export_memory: to be freed with kiln_free
  size_t bundle_size;
};
// Fails when a manifest cannot be read, a target is unknown, or the bundle cannot be written. Programs that fail to
// compile are counted and told to the event callback.
KILN_API enum kiln_status kiln_warm(const struct kiln_warm_desc *desc, struct kiln_warm_result *result);

// A bundle of every program and tuning record that the context has in memory: one process can compile for many.
KILN_API enum kiln_status kiln_context_export(struct kiln_context *ctx, void **bundle, size_t *size);
// Makes the programs of a bundle available to this context (which copies it). Nothing is written to the disk.
KILN_API enum kiln_status kiln_context_import(struct kiln_context *ctx, const void *bundle, size_t size);

// The calls below look into a cache folder or a bundle. place: its path; NULL: the folder that a context would use
// (UNAVAILABLE when no variable tells where that is).

struct kiln_cache_item {
  const char *key, *toolchain;           // in hexadecimal
  const char *place;                     // folder or bundle
  const char *path;                      // of its file; "" in a bundle
  const char *backend, *arch, *features; // "" when it is damaged
  const char *options;                   // one per line, in canonical form
  const char *kernels;                   // names, separated by blanks
  const char *source;                    // not NUL-terminated; of a tuning record: its text
  const char *problem;                   // what is wrong with it; ""
  size_t source_size;
  uint64_t size, artifact_size;
  uint32_t include_count;  // files that it depends on
  double used;             // when it was used last, at most a day off: seconds since 1970
  bool is_manifest;        // no program: says which includes a request had
  const char *version;     // of the Kiln that made it, such as "0.1.0"; "": it does not say
  const char *compiler;    // that made it, in words; "": it does not say, or the backend has none
  const char *tuned;       // of a tuning record: size class, device and best point, in words; "": it is a program
  const char *device_code; // identities of the device code that is kept with it, one per line; "": it has none
};
typedef bool kiln_cache_item_fn(void *user, const struct kiln_cache_item *item); // false: stop

enum kiln_cache_list_flags {
  KILN_CACHE_LIST_LAYERS = 1,     // the layers of COMPILE_CACHE_PATH, too
  KILN_CACHE_LIST_VERIFY = 2,     // read and check everything; manifests, too
  KILN_CACHE_LIST_QUARANTINE = 4, // with VERIFY: set aside what is damaged
  KILN_CACHE_LIST_TUNINGS = 8     // tuning records alone
};
// key: only those whose key begins so; NULL: all. NOT_FOUND when a key is given and there is none.
KILN_API enum kiln_status kiln_cache_list(const char *place, const char *key, uint32_t flags, kiln_cache_item_fn *fn,
                                          void *user);

struct kiln_cache_size {
  uint64_t entries, entry_bytes, manifests, manifest_bytes;
  uint64_t imported, imported_bytes; // of the entries
  uint64_t disk_bytes, limit;        // what the limit counts; 0: no limit
  uint64_t quarantined, leftovers;   // damaged files that were set aside; temporary files
  double oldest, newest;             // last use, seconds since 1970; 0: the cache is empty
};
// folder: receives the path, as far as it fits; may be NULL.
KILN_API enum kiln_status kiln_cache_measure(const char *place, struct kiln_cache_size *out, char *folder,
                                             size_t folder_size);
// Removes entries not used since before (seconds since 1970; 0: none for that), then those unused for longest until
// max_bytes are left (UINT64_MAX: none for that), then damaged files and leftovers. removed: files; may be NULL.
KILN_API enum kiln_status kiln_cache_prune(const char *place, double before, uint64_t max_bytes, uint64_t *removed,
                                           uint64_t *removed_bytes);
// Removes entries that were made by a Kiln older than version ("0.2", "1", "0.10.3"), and those that do not say which.
// A bundle is replaced by one without them: who has it open goes on reading the old one. removed: files; may be NULL.
KILN_API enum kiln_status kiln_cache_prune_versions(const char *place, const char *version, uint64_t *removed,
                                                    uint64_t *removed_bytes);
// Removes everything. removed: entries and tuning records; may be NULL.
KILN_API enum kiln_status kiln_cache_clear(const char *place, uint64_t *removed);
// Writes a bundle of all entries and tuning records, of a backend and arch alone when those are not NULL.
KILN_API enum kiln_status kiln_cache_export(const char *place, const char *backend, const char *arch, const char *path,
                                            uint64_t *exported);
// Checks a bundle and stores its entries in a cache folder. refused: damaged members that were left out.
KILN_API enum kiln_status kiln_cache_import(const char *place, const char *path, uint64_t *added, uint64_t *present,
                                            uint64_t *refused);

// ---- the cache of a fleet (docs/fleet.md) ---------------------------------------------------------------------------

struct kiln_cache_transfer {
  uint64_t total, done;             // files
  uint64_t moved, present, refused; // of those done
  uint64_t bytes;                   // of those moved
};
// Called now and then; false: stop.
typedef bool kiln_cache_transfer_fn(void *user, const struct kiln_cache_transfer *so_far);
// Sends a cache folder or bundle to a server, or fetches into a cache folder what the server has. remote: one place as
// in COMPILE_CACHE_REMOTE; NULL: the first one there. Entries are signed and checked with COMPILE_CACHE_KEY.
// UNAVAILABLE when the server fails; what was sent until then stays. fn may be NULL.
KILN_API enum kiln_status kiln_cache_push(const char *place, const char *remote, kiln_cache_transfer_fn *fn, void *user,
                                          struct kiln_cache_transfer *out);
KILN_API enum kiln_status kiln_cache_pull(const char *place, const char *remote, kiln_cache_transfer_fn *fn, void *user,
                                          struct kiln_cache_transfer *out);
// Writes a new key for COMPILE_CACHE_KEY to a file that must not exist. shared: one secret for all; else a key pair,
// whose public half, which can only check, goes to FILE.pub.
KILN_API enum kiln_status kiln_cache_make_key(const char *path, bool shared);

// What all processes that used a cache folder have counted of remotes, and what the folder holds. name as in
// Prometheus, without a prefix ("remote_hits_total"); times are in seconds.
typedef void kiln_cache_metric_fn(void *user, const char *name, const char *help, double value);
KILN_API enum kiln_status kiln_cache_metrics(const char *place, kiln_cache_metric_fn *fn, void *user);
// The same of one context so far, without the folder.
KILN_API void kiln_context_cache_metrics(const struct kiln_context *ctx, kiln_cache_metric_fn *fn, void *user);

// One field of what decides whether a program is found.
struct kiln_cache_field {
  const char *name;
  bool same;
  const char *wanted, *found; // short descriptions; "" when it is not there
};
typedef void kiln_cache_field_fn(void *user, const struct kiln_cache_field *field);
struct kiln_cache_explanation {
  bool hit;         // found, or, where nothing can be compiled, code of a lower level is
  char key[33];     // of the request
  char nearest[33]; // of the entry that is most like it; "" when none is alike. On a hit: the entry
  char place[512];  // where that is
  char reason[128]; // of a miss, or that a hit is code of a lower level; its beginning: kiln_last_error has all of it
};
// Looks a program up as kiln_program_create would, compiles nothing, and compares it field by field with the entry that
// is most like it.
KILN_API enum kiln_status kiln_cache_explain(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                             kiln_cache_field_fn *fn, void *user, struct kiln_cache_explanation *out);

#ifdef __cplusplus
}
#endif

#include "graph.h" // commands that are recorded once and run many times
#include "tools.h" // lists of backends, targets and variables
#include "tune.h"  // the fastest variant of a kernel

#endif
