// What a code generation backend implements, in two tables: struct kiln_base_backend for its targets and its compiler,
// which need no device, and struct kiln_driver for devices, which needs no compiler. Either side may be missing.
// docs/backend.md walks through writing one.
//
// Kiln validates once: a backend may assume that targets, options and launches it is handed were made by
// its own functions and checked against the kernel. All functions may be called from several threads at the same
// time, unless a slot says otherwise. A backend never exits, aborts or prints: it returns a status and writes a
// sentence into the report.
#ifndef KILN_BACKEND_H
#define KILN_BACKEND_H

#include "ir.h"
#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_BACKEND_ABI 6

// ---- report: where a backend says what went wrong -------------------------------------------------------------------

struct kiln_report; // one per call into the backend; collects text

// Appends a formatted sentence and returns status, so that "return kiln_fail(report, KILN_ERR_…, …)" reads well.
KILN_API enum kiln_status kiln_fail(struct kiln_report *report, enum kiln_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
// A message for the context's log, now.
KILN_API void kiln_report_log(struct kiln_report *report, enum kiln_log_level level, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// What the calling thread of a compile does from now on: a stage ("code generation") and a kernel (NULL: the whole
// program). Should the compile never come back, a message can tell (COMPILE_ISOLATE). Costs nothing otherwise.
KILN_API void kiln_report_at(struct kiln_report *report, const char *kernel, const char *stage);

// The value in force of an environment variable that Kiln reads (kiln env), of the context that the call is for: ""
// where it is unset, or ignored in a set-uid process. NULL: Kiln reads no variable of that name. Valid during the call.
KILN_API const char *kiln_report_variable(const struct kiln_report *report, const char *name);

// For callers that call a backend's functions directly (kiln conformance, tests): a report of one's own. NULL when
// memory is exhausted. The text is what has been written so far, "" for nothing.
KILN_API struct kiln_report *kiln_report_new(void);
KILN_API const char *kiln_report_text(const struct kiln_report *report);
KILN_API void kiln_report_delete(struct kiln_report *report);

// ---- small values ---------------------------------------------------------------------------------------------------

struct kiln_digest {
  uint8_t bytes[16]; // 128-bit XXH3
};

// Strings of a target are stored inside, so that it is a plain value.
struct kiln_target {
  char backend[32], arch[64], features[256];
  uint32_t warp_size;
};

enum kiln_sub_group_support {
  KILN_SUB_GROUPS_NONE,   // not at all: a kernel that uses them is refused
  KILN_SUB_GROUPS_SINGLE, // each work-item is a sub-group of its own: the passes leave none of them
  KILN_SUB_GROUPS_NATIVE, // as they are, with the target's warp_size
};

// What the IR passes must know of a target.
struct kiln_caps {
  bool fma;        // fused multiply-add is as fast as a multiplication: fuse what may be contracted
  bool fp16, fp64; // arithmetic on half and double is supported
  bool int64_atomics;
  bool generic_space;  // pointers to the generic address space are supported
  bool keep_calls;     // functions may stay functions; else everything is inlined
  bool partial_groups; // launches may have partial last groups
  // Math functions of float and double come as operations of the kernel's own text where the library has such a form,
  // instead of as math operations of the IR: for backends that have no vector form of the latter. Follows from the
  // backend alone.
  bool inline_math;
  bool scalarise; // vectors are wanted as operands and results of memory operations and calls only
  bool analyse;   // the backend reads shapes: kiln_function_analyse runs last
  bool unroll;    // loops of known trip count are unrolled, for backends whose compiler does not do it
  // How operations on sub-groups come to the backend, and by that whether the language has them.
  enum kiln_sub_group_support sub_groups;
  // Operations on work-groups may come as such (GROUP_… of scope KILN_SCOPE_GROUP); else they become operations on
  // sub-groups, local memory and barriers.
  bool group_collectives;
  uint32_t max_sub_groups; // that a group has; 0: 1,024
  bool narrow;             // arithmetic of 16 bits is faster than of 32: what C has widened becomes narrow again
  bool unroll_transpose;   // one load of four elements per work-item is faster than four loads at distant addresses
  bool scalar_replacement; // loops may be versioned: the first copy for launches whose buffers do not overlap (NOALIAS)
  // The backend wants another variant of a kernel for launches with global ids of 2^31 and more (launch_variant):
  // shapes count on smaller ones, unless it takes kiln_module.small_ids back and analyses again.
  bool small_ids;
  // Addresses that vary, though their terms do not, become sums of these; in kernels with barriers, so do indices that
  // are sums of 32 bits. Constants of uniform indices are added in 64 bits.
  bool widen;
  // Kernels get versions for masks of ids that the launch determines, such as j - 1 in a butterfly, and that are below
  // so many lanes; 0: none.
  uint32_t small_masks;
  bool half_fma;          // with fma: that is so for half, too, as it is not where half is computed in float
  bool single_items;      // all groups have one work-item: barriers go, and local memory becomes private
  bool may_merge;         // launches may want kernels for merged groups: kiln_function.may_merge is filled in
  uint32_t merged_groups; // so many groups of 1 x N run as one, in kernels that may; 0: each by itself
  const char *kernel;     // the others, and what only they call, are left out; NULL or "": all stay
  bool bfloat_pairs; // sums of two products of bfloat16 values are one instruction: loops that add one are unrolled
  bool images;       // the backend takes operations on images as they are; the language has images
  // What images and samplers of the kernels are known to be, as the build option --kiln-images has it; NULL: nothing
  // is.
  const char *image_formats;
  // With inline_math: fast forms of functions of float (native_exp, and exp where the build options let fewer bits do)
  // remain operations, which the device computes; and functions for which other backends call a library are text, too.
  bool hardware_math;
  // Without keep_calls: functions of whose calls inlining would make more than this many instructions stay functions,
  // if they take and give scalars and pointers, and use nothing of the launch: no ids, groups, local memory or printf.
  // 0: none stays.
  uint32_t calls_above;
  bool split_exits; // the compiler unrolls loops with several exits, of which one is at a constant number of iterations
  bool unit_versions; // loops may be versioned for strides that are one
};

enum kiln_option_type { KILN_OPTION_BOOL, KILN_OPTION_INT, KILN_OPTION_STRING };

// An option of a backend; users set it with --kiln-NAME=VALUE among the build options.
struct kiln_option {
  const char *name;
  enum kiln_option_type type;
  const char *default_value;
  const char *meaning;
  bool changes_code; // part of the cache key
};

enum kiln_build_flags {
  KILN_BUILD_DEBUG_INFO = 1 << 0, // -g
  KILN_BUILD_FAST_MATH = 1 << 1,  // -cl-fast-relaxed-math; what it allows is also on each operation of the IR
  KILN_BUILD_FTZ = 1 << 2,        // -cl-denorms-are-zero: subnormals may be flushed
  KILN_BUILD_EXACT_DIV = 1 << 3,  // -cl-fp32-correctly-rounded-divide-sqrt
};

struct kiln_options {
  uint32_t flags;            // enum kiln_build_flags
  uint32_t optimize;         // 0 (-cl-opt-disable) to 3; default 2
  const char *const *values; // one per row of the backend's option table, never NULL
};

// One stage of compilation, for listings, dumps and the toolchain id.
struct kiln_fragment {
  const char *name;      // "ir", "ll", "s", "o", "bin": what --emit takes
  const char *pipeline;  // the passes that run to make it, as text; part of the hash
  const char *extension; // of dumped files
};

struct kiln_runtime_lib {
  char name[64];     // "libm", "ocml", …
  char path[512];    // "" when it is no file
  char identity[64]; // changes when its content does: build id or digest in hexadecimal
};

// Filled in by compile, one per kernel in the order of the module's kernels.
struct kiln_kernel_resources {
  uint32_t local_bytes, private_bytes, vgprs, sgprs, spills, code_bytes, max_group_size, agprs, waves_per_simd;
  char remark[100]; // what the backend chose and why, in a few words for people, zero-terminated; "": nothing to tell
};

struct kiln_artifact {
  void *data; // malloc'ed, as is meta; both become the caller's
  size_t size;
  void *meta; // bytes that load needs beyond the artifact; may be NULL
  size_t meta_size;
  struct kiln_kernel_resources *kernels; // malloc'ed, one per kernel
};

// What an artifact was made into for devices of one kind, by their driver or by a tool that needs none: a program
// binary of OpenCL's, a cubin. The artifact can do without it, the library keeps it for the next start.
struct kiln_device_code {
  const char *identity; // what it depends on beyond the artifact, as device_identity has it: "sm_80, ptxas 12.9.86"
  const void *data;
  size_t size;
};

// Receives device code; it is valid during the call.
typedef void kiln_device_code_fn(void *user, const struct kiln_device_code *code);

// Receives a stage while compile runs: name as in the fragments; data is valid during the call.
typedef void kiln_stage_fn(void *user, const char *stage, const void *data, size_t size);

struct kiln_compile_job {
  const struct kiln_module *module; // verified and annotated; every pass of the pipeline has run
  struct kiln_target target;
  struct kiln_options options;
  const char *stop_after; // NULL, or the last stage that is wanted: the artifact may then be empty
  kiln_stage_fn *stage;   // NULL: stages are not reported
  void *stage_user;
  // NULL, or one of start_stages: what has been made up to there is replaced by these bytes, and the rest is made from
  // them. They may have been edited by hand: anything may be wrong with them. module is what they were made from.
  const char *start_stage;
  const void *start_data; // followed by a NUL
  size_t start_size;
  // How many threads may work on it at the same time, the caller included; 0: as many as the process has processors.
  // What is made does not depend on it.
  uint32_t threads;
  kiln_device_code_fn *device_code; // NULL, or takes device code that compile had to make, to be kept with the artifact
  void *device_code_user;
};

// ---- targets and compiler: the BaseBackend --------------------------------------------------------------------------

struct kiln_driver;
struct kiln_drv;
struct kiln_drv_module;
struct kiln_code;

// Slots are required unless they are said to be optional, and what is said there holds where they are NULL.
struct kiln_base_backend {
  uint32_t abi_version; // KILN_BACKEND_ABI
  uint32_t struct_size; // sizeof(struct kiln_base_backend)
  const char *name;     // lower-case letters, digits, '-' and '_'
  const char *description;
  const char *tags; // comma-separated: "experimental", "debug"; "" for none
  // Rank in the automatic choice: the available backend with the highest wins; 0: never chosen by itself.
  int32_t preference;
  // detect_target and list_targets load drivers of devices, which may end the process or never answer. Listings then
  // ask in a process of their own (kiln-compile-helper).
  bool asks_drivers;
  const struct kiln_driver *driver; // optional (NULL: the backend compiles only)

  // -- Targets --

  // Parses and canonicalises an arch string (never NULL or ""). NOT_FOUND with the nearest names.
  enum kiln_status (*make_target)(const char *arch, struct kiln_target *out, struct kiln_report *report);
  // The machine's own device. UNAVAILABLE with the reason. Must be cheap on a machine without one.
  enum kiln_status (*detect_target)(struct kiln_target *out, struct kiln_report *report);
  // Optional: detect_target for the automatic choice, where a backend may want less than when it is named
  // (NULL: detect_target). Must be cheap where there is nothing to find.
  enum kiln_status (*detect_automatic)(struct kiln_target *out, struct kiln_report *report);
  // Checked once when a context is opened.
  bool (*supports_target)(const struct kiln_target *target);
  // Calls fn for every arch that make_target accepts.
  void (*list_targets)(kiln_name_fn *fn, void *user);
  // Optional (NULL: none): the targets whose code runs on target as well, the fastest first, counted from 0; false:
  // there are no more. Where nothing may or can be compiled, caches are searched for code of these.
  bool (*compatible_target)(const struct kiln_target *target, uint32_t index, struct kiln_target *out);

  // -- What the front end and the passes must know --

  void (*caps)(const struct kiln_target *target, struct kiln_caps *out);
  // Optional (NULL: nothing): takes from the target's caps the passes, and the kernels, that build options leave out.
  void (*limit_caps)(const struct kiln_options *options, struct kiln_caps *caps);
  // Optional: launch-parameter names that kernels may not use; NULL-terminated; NULL for none.
  const char *const *reserved_params;
  const struct kiln_option *options; // option_count rows
  uint32_t option_count;

  // -- Compiler --

  const char *artifact_extension; // of files that hold an artifact
  // The stages in order; the array and its strings live as long as the backend.
  uint32_t (*pipeline_fragments)(const struct kiln_target *target, const struct kiln_options *options,
                                 const struct kiln_fragment **out);
  // Libraries that the generated code needs: writes up to capacity, returns how many there are.
  uint32_t (*runtime_libs)(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity);
  // Identity of everything in the backend that changes the code it makes. Loads no compiler. UNAVAILABLE when the
  // compiler is not installed.
  enum kiln_status (*hash)(const struct kiln_target *target, const struct kiln_options *options,
                           struct kiln_digest *out, struct kiln_report *report);
  // Optional (NULL: it has none of its own): the compiler in a few words, such as "LLVM 19, build id …", for people who
  // compare what two machines compile with. Loads no compiler. "": it is not installed.
  void (*describe_compiler)(const struct kiln_target *target, char *out, size_t size);
  // Optional (NULL: the backend has no compiler; then what else is below "Compiler" may be missing, too).
  enum kiln_status (*compile)(const struct kiln_compile_job *job, struct kiln_artifact *out,
                              struct kiln_report *report);
  // Optional: names of the stages that compile can start from; NULL-terminated; NULL for none.
  const char *const *start_stages;
  // Optional, with the driver's launch_variant (NULL: none): build options under which the program must be compiled as
  // well wherever it is shipped to, since without them it does not run launches that nothing in its source forbids;
  // NULL: it is enough as it is. code is what load would get, for any target. The text is constant.
  const char *(*shipped_variant)(const struct kiln_code *code);

  // -- Device code. Optional, both or none (NULL: no more is made of an artifact than load does each time). The library
  //    keeps what device_code gives with the artifact, under the identity, in place of what was there under the same
  //    one; load gets all that is kept for a program (kiln_code.device_codes). --

  // One line of text, other than that of any other maker of device code for the target: of what makes it for a device
  // of drv, or, where drv is NULL, of a tool of this machine that needs no device. UNAVAILABLE with the reason where
  // there is no such tool.
  enum kiln_status (*device_identity)(struct kiln_drv *drv, uint32_t device, const struct kiln_target *target,
                                      char *out, size_t size, struct kiln_report *report);
  // Called right after load: what load had to make for the device, as data of out, which is empty where it took what
  // was kept. With drv and module NULL: what the tool makes of code for the target; then kernels of out, of which there
  // are code->kernel_count, are what it knows of them better than compile did, or NULL.
  enum kiln_status (*device_code)(struct kiln_drv *drv, uint32_t device, struct kiln_drv_module *module,
                                  const struct kiln_target *target, const struct kiln_code *code,
                                  struct kiln_artifact *out, struct kiln_report *report);
};

// ---- backends in shared objects -------------------------------------------------------------------------------------

// A plugin is a shared object that defines this function, and beside it a small text file NAME.backend that says its
// name, description, tags and abi, so that listing backends runs no code of it (docs/backend.md). It is called once per
// load with the host's KILN_BACKEND_ABI and returns the backend's table, which must stay as it is until the object is
// unloaded; NULL when it does not know that version.
//
// Within one version of the ABI this header and ir.h only grow: struct kiln_base_backend and struct kiln_driver by
// optional members at their ends (struct_size tells where a table ends), structs that only the library makes
// (kiln_compile_job, kiln_code, kiln_driver_config, kiln_drv_launch_desc) and kiln_caps by members at their ends,
// enumerations at their ends. Everything else is a new version.
typedef const struct kiln_base_backend *kiln_backend_entry_fn(uint32_t abi_version);

// Declares and begins the entry symbol: KILN_BACKEND_ENTRY(abi_version) { return … }
#if defined(__cplusplus)
#define KILN_BACKEND_ENTRY(abi_version)                                                                                \
  extern "C" KILN_API const struct kiln_base_backend *kiln_backend_entry(uint32_t abi_version);                        \
  const struct kiln_base_backend *kiln_backend_entry(uint32_t abi_version)
#else
#define KILN_BACKEND_ENTRY(abi_version)                                                                                \
  KILN_API const struct kiln_base_backend *kiln_backend_entry(uint32_t abi_version);                                   \
  const struct kiln_base_backend *kiln_backend_entry(uint32_t abi_version)
#endif

// The interpreter of kernel IR, which every build has: a backend can execute with its driver what its compile made. Its
// artifact is IR text, its target the one that its own detect_target gives. NULL in a library that was built without.
KILN_API const struct kiln_base_backend *kiln_interpreter(void);

// The table of the backend that a context runs on, and its target; valid as long as the context.
KILN_API const struct kiln_base_backend *kiln_context_backend(const struct kiln_context *ctx);
KILN_API const struct kiln_target *kiln_context_full_target(const struct kiln_context *ctx);

// ---- driver: the device side ----------------------------------------------------------------------------------------

// Opaque objects of the driver.
struct kiln_drv;
struct kiln_drv_module;
struct kiln_drv_kernel;
struct kiln_drv_memory;
struct kiln_drv_stream;
struct kiln_drv_event;
struct kiln_drv_launch;

struct kiln_driver_config {
  struct kiln_target target;
  uint32_t num_threads; // 0: all CPUs
  kiln_print_fn *print; // never NULL
  void *print_user;
  kiln_log_fn *log; // never NULL
  void *log_user;
};

// A program's code as it comes from the compiler or the cache.
struct kiln_code {
  const void *data;
  size_t size;
  const char *path; // of a file that began with these bytes, and that may be mapped in their place once it has been
                    // looked at again; NULL: they are in no file
  const void *meta; // from kiln_artifact
  size_t meta_size;
  const struct kiln_kernel_info
      *kernels; // reflection, with resources; images as launches give them (kiln_image_record)
  uint32_t kernel_count;
  struct kiln_drv_module *variant_of; // of the program whose variant (launch_variant) it is, and whose variables of
                                      // program scope it shares, also once that is unloaded; NULL: it is no variant
  const struct kiln_device_code *device_codes; // that are kept with it, the latest first, for any device: anything may
                                               // be wrong with them. Valid during the call
  uint32_t device_code_count;
};

// One argument, checked against the kernel: a VALUE, a BUFFER or LOCAL memory.
struct kiln_drv_arg {
  enum kiln_arg_kind kind;
  const void *data; // VALUE: valid during the call. BUFFER, without memory: a pointer (takes_pointer), or NULL
  size_t size;      // bytes of a VALUE or of LOCAL memory
  struct kiln_drv_memory *memory; // BUFFER; NULL: null pointer
  size_t offset;                  // BUFFER: bytes to add
};

// What a driver gets for an image: its memory as a BUFFER in the image's place, and one of these by VALUE after the
// last argument, for each image in their order.
#define KILN_IMAGE_IS_SMALL 0x10000 // a bit of type: no byte is as far as 2^31 from the first one
struct kiln_image_record {
  int32_t width, height, depth, layers; // pixels; 1 for sizes that the image lacks
  int32_t order, type;                  // of channels: the numbers of CLK_RGBA, CLK_FLOAT and so on
  int64_t row, slice;                   // bytes from a row to the next, and from a plane or layer to the next
};

struct kiln_drv_launch_desc {
  struct kiln_drv_kernel *kernel;
  uint32_t work_dim;                       // 1 to 3
  uint64_t global[3], local[3], offset[3]; // resolved: no zeros in global and local, unless local_free
  bool local_free;                         // the caller gave no local size: the driver may choose local
  const struct kiln_drv_arg *args;
  uint32_t arg_count;
  bool noalias;        // a buffer that the kernel may write overlaps no other argument of the launch
  bool without_wishes; // for launch_variant: what it wished for cannot be had
  bool stoppable;      // the stream has a deadline: the kernel must be one that can be stopped while it runs
};

// What launch_variant answers: build options, added to those of the kernel's program, under which the kernel must be
// compiled for a launch. The text lives as long as the kernel that was asked about.
struct kiln_variant {
  const char *options; // NULL: the kernel runs as it is
  bool is_wish;        // where that program can be had neither from a cache nor from the compiler, launch_variant is
                       // asked again without_wishes
};

// A box of bytes that is copied: at least two rows. The two sides share no bytes of a buffer, but buffers that wrap
// memory of the host may share that.
struct kiln_drv_rect {
  struct kiln_drv_memory *src, *dst; // one of them may be NULL:
  const void *host_src;              // then it is memory of the host
  void *host_dst;
  size_t src_offset, dst_offset; // bytes, of the first one
  size_t src_row, src_plane;     // from a row or plane to the next
  size_t dst_row, dst_plane;
  size_t region[3]; // bytes in a row, rows in a plane, planes
};

// One side of a copy of pixels: of an image that image_create made, or bytes of a buffer or of the host.
struct kiln_drv_pixels {
  struct kiln_drv_memory *image;  // NULL: they are bytes
  size_t origin[3];               // of the image: the first pixel; an array's layer follows its coordinates
  struct kiln_drv_memory *memory; // of bytes; NULL: host has them
  void *host;
  size_t offset, row, plane; // of bytes: to the first one, from a row and from a plane to the next
};
// One side of it is an image at the least. Two images have the same format and share no pixels.
struct kiln_drv_image_copy {
  struct kiln_drv_pixels src, dst;
  size_t region[3]; // pixels
  size_t pixel;     // bytes of one
};

// As in struct kiln_base_backend, slots are required unless they are said to be optional.
struct kiln_driver {
  uint32_t abi_version, struct_size;

  // -- Opening --

  // May be called again after close, and more than once (several contexts).
  enum kiln_status (*open)(const struct kiln_driver_config *config, struct kiln_drv **out, struct kiln_report *report);
  void (*close)(struct kiln_drv *drv); // everything made from it has been released
  // Optional (NULL: it runs kernels on no CPU): kernels run on the CPUs of this list alone, as in kiln_context_desc.
  // Called right after the driver was opened, where the host wants that.
  enum kiln_status (*use_cpus)(struct kiln_drv *drv, const char *cpus, struct kiln_report *report);
  // Optional (NULL: it cannot): faults inside of kernels become errors of their launches. Called right after the driver
  // was opened, where the host wants that.
  void (*report_faults)(struct kiln_drv *drv);

  // -- Devices --

  uint32_t (*device_count)(struct kiln_drv *drv);
  void (*device_info)(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out);
  // Optional (NULL: the library tells what it knows): changes what it knows better. What is 0 there is not known.
  void (*device_traits)(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out);

  // -- Memory --

  // host: memory to wrap, or to copy in where wrapping is impossible; NULL: fresh memory, contents undefined.
  enum kiln_status (*alloc)(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                            struct kiln_drv_memory **out, struct kiln_report *report);
  void (*free)(struct kiln_drv *drv, struct kiln_drv_memory *memory);
  void *(*host_pointer)(struct kiln_drv *drv, struct kiln_drv_memory *memory); // NULL: not host memory
  // Optional (NULL: none): whether kernels on the device can use this pointer of the host's, which is an argument in
  // place of a buffer. Never NULL.
  bool (*takes_pointer)(struct kiln_drv *drv, uint32_t device, const void *pointer);

  // -- Programs and kernels --

  enum kiln_status (*load)(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                           struct kiln_report *report);
  void (*unload)(struct kiln_drv *drv, struct kiln_drv_module *module); // no launch of it is pending
  // Valid as long as the module. index as in code->kernels.
  enum kiln_status (*kernel)(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                             struct kiln_drv_kernel **out, struct kiln_report *report);
  // Optional (NULL: kernels run every launch as they are). prepare gets the kernel of the program that is compiled as
  // the answer says. Asked before each prepare: must be cheap. If the backend has an option "kernel" (limit_caps makes
  // it kiln_caps.kernel), only that kernel of the program is compiled so, unless a cache has all of it.
  struct kiln_variant (*launch_variant)(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc);

  // -- Streams --

  enum kiln_status (*stream_create)(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                    struct kiln_report *report);
  void (*stream_destroy)(struct kiln_drv *drv, struct kiln_drv_stream *stream); // waits first
  // Waits for all that was enqueued; returns and clears the stream's first error.
  enum kiln_status (*finish)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
  // Optional (NULL: the library asks event_done again and again): waits at most ns nanoseconds for the event, or, where
  // that is NULL, for all that was enqueued on the stream. Tells whether it has ended, well or not. Does nothing
  // meanwhile on the calling thread that may take much longer.
  bool (*wait_within)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event, uint64_t ns);
  // Optional, both or none (NULL: launches cannot be stopped). Launches that are enqueued on the stream from now on
  // fail with TIMEOUT ns nanoseconds after they began; 0: never; UINT64_MAX: never, but they can be cancelled.
  enum kiln_status (*stream_deadline)(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                      struct kiln_report *report);
  // What is enqueued fails with CANCELLED, as far as it can be stopped. Does not wait. Others may wait for the stream.
  enum kiln_status (*stream_cancel)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
  // Optional (NULL: never): whether the device may still run what has failed so. Then nothing that the stream used is
  // freed, the stream itself neither, and the driver is not closed.
  bool (*stream_lost)(struct kiln_drv *drv, struct kiln_drv_stream *stream);

  // -- Commands: each is enqueued, and they run in order. event may be NULL; else the caller releases it with
  //    event_release. --

  enum kiln_status (*write)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                            size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                            struct kiln_report *report);
  enum kiln_status (*read)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                           size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                           struct kiln_report *report);
  enum kiln_status (*copy)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                           size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                           struct kiln_drv_event **event, struct kiln_report *report);
  bool copies_between_devices; // copy takes memory of two devices, one of them the stream's
  // Optional (NULL: the library enqueues row by row): a copy of rows between buffers, or a buffer and the host.
  enum kiln_status (*copy_rect)(struct kiln_drv *drv, struct kiln_drv_stream *stream, const struct kiln_drv_rect *rect,
                                struct kiln_drv_event **event, struct kiln_report *report);
  enum kiln_status (*fill)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                           size_t offset, size_t size, const void *pattern, size_t pattern_size,
                           struct kiln_drv_event **event, struct kiln_report *report);
  enum kiln_status (*wait)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                           struct kiln_report *report);
  // Optional (NULL: the library waits for the stream and calls fn): a function of the host as a command of the stream.
  // It is called after failures of earlier commands, too.
  enum kiln_status (*stream_host)(struct kiln_drv *drv, struct kiln_drv_stream *stream, void (*fn)(void *user),
                                  void *user, struct kiln_drv_event **event, struct kiln_report *report);
  // Checks what only the device knows and copies the arguments. The launch can then run any number of times.
  enum kiln_status (*prepare)(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                              struct kiln_drv_launch **out, struct kiln_report *report);
  void (*launch_release)(struct kiln_drv *drv, struct kiln_drv_launch *launch); // pending runs keep it alive
  enum kiln_status (*launch)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                             struct kiln_drv_event **event, struct kiln_report *report);

  // -- Events --

  enum kiln_status (*event_wait)(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report);
  bool (*event_done)(struct kiln_drv *drv, struct kiln_drv_event *event);
  void (*event_times)(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out);
  void (*event_release)(struct kiln_drv *drv, struct kiln_drv_event *event);
  // Optional (NULL: all are SUBMITTED): QUEUED, SUBMITTED or RUNNING, of a command that has not ended.
  enum kiln_event_state (*event_state)(struct kiln_drv *drv, struct kiln_drv_event *event);
  // Optional, both or none (NULL: the host signals no events): events that the host signals. wait and the other
  // event_... take them as well. event_signal: called once. What waits for the event fails with a status that is not
  // KILN_OK, and with the message. No enqueue waits for room that only such an event can make: it takes more memory, or
  // fails.
  enum kiln_status (*event_create)(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report);
  void (*event_signal)(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                       const char *message);

  // -- Handles of the runtime that the driver uses, given and taken (kiln_context_open_native and what follows there).
  //    All optional. Without them a device with host_memory has pointers of the process as handles, others have none.
  //    --

  enum kiln_runtime runtime; // whose handles they are
  // The target of the device that a host's handles name, and open on that device alone.
  enum kiln_status (*native_target)(const struct kiln_native_context *native, struct kiln_target *out,
                                    struct kiln_report *report);
  enum kiln_status (*open_native)(const struct kiln_driver_config *config, const struct kiln_native_context *native,
                                  struct kiln_drv **out, struct kiln_report *report);
  void (*device_native)(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out);
  // *size 0: it becomes what there is. free lets go of it.
  enum kiln_status (*wrap_memory)(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                  struct kiln_drv_memory **out, struct kiln_report *report);
  void *(*memory_native)(struct kiln_drv *drv, struct kiln_drv_memory *memory);
  enum kiln_status (*wrap_stream)(struct kiln_drv *drv, uint32_t device, void *native, struct kiln_drv_stream **out,
                                  struct kiln_report *report);
  void *(*stream_native)(struct kiln_drv *drv, struct kiln_drv_stream *stream); // NULL: it has none now

  // -- Images of the device, for targets whose caps.images is true. All optional, all or none (NULL: kernels find the
  //    pixels of an image in its buffer, by the record). What image_create makes is the memory of the image's BUFFER in
  //    launches, at offset 0, and of the commands below; free lets go of it, and no other function gets it. --

  // The formats of images of the dimension that kernels on the device can have by access. Writes up to capacity of
  // them, returns how many there are.
  uint32_t (*image_formats)(struct kiln_drv *drv, uint32_t device, enum kiln_image_dimension dimension,
                            enum kiln_access access, struct kiln_image_format *out, uint32_t capacity);
  void (*image_limits)(struct kiln_drv *drv, uint32_t device, enum kiln_image_dimension dimension,
                       struct kiln_image_limits *out);
  // desc is whole, with row and slice, and its format is one of the device's. memory NULL, as never of a 1D buffer: new
  // memory; host, where it is not NULL, is copied. Else the image is what lies at offset in memory; UNSUPPORTED where
  // that cannot be.
  enum kiln_status (*image_create)(struct kiln_drv *drv, uint32_t device, const struct kiln_image_desc *desc,
                                   struct kiln_drv_memory *memory, size_t offset, struct kiln_drv_memory **out,
                                   struct kiln_report *report);
  enum kiln_status (*image_copy)(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                 const struct kiln_drv_image_copy *copy, struct kiln_drv_event **event,
                                 struct kiln_report *report);
  enum kiln_status (*image_fill)(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *image,
                                 const size_t origin[3], const size_t region[3], const union kiln_pixel *pixel,
                                 struct kiln_drv_event **event, struct kiln_report *report);
};

#ifdef __cplusplus
}
#endif

#endif
