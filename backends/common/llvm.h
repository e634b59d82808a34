// The code generation module kiln-llvm.so: what libkiln sees of it. It is loaded on the first compile that needs LLVM
// (loading libLLVM costs about 10 ms) and exports one symbol, KILN_LLVM_SYMBOL, of type kiln_llvm_entry.
#ifndef KILN_BACKENDS_LLVM_MODULE_H
#define KILN_BACKENDS_LLVM_MODULE_H

#include "backends/common/schedule.h"
#include "base/str.h"
#include "kiln/backend.h"

#define KILN_LLVM_ABI 1
#define KILN_LLVM_SYMBOL "kiln_llvm_module"
#define KILN_LLVM_FILE "kiln-llvm.so"
#define KILN_LLVM_STATIC_FILE "kiln-llvm-static.so" // the same with LLVM inside of it, in Python wheels

enum kiln_llvm_family { KILN_LLVM_CPU, KILN_LLVM_AMDGPU, KILN_LLVM_NVPTX };

// A machine to compile for, checked against the backend's own tables: LLVM ends the process over names it does not
// know.
struct kiln_llvm_machine {
  enum kiln_llvm_family family;
  const char *triple;    // one of the family's
  const char *processor; // LLVM's name
  const char *features;  // "+avx2,-avx512f"
  uint32_t lanes;        // values of 32 bits in a register; 1: no vectors
  uint32_t cut;          // functions of more instructions of LLVM's are cut into several; 0: none are
  bool stops;            // loops ask whether to stop
  bool half_conversion;  // converts between f16 and f32 in hardware
  bool native_half;      // arithmetic on f16 in hardware
  uint8_t dot_signs;     // bit s: the machine has dot products of bytes with signs s (enum kiln_dot_signs)
  struct {
    struct kiln_cpu_schedule schedule; // that the options ask for
    bool x86;
    bool interleave;     // kernels may get a multiple of lanes
    bool has_avx512;     // prefer 512-bit registers
    bool bfloat_pairs;   // it has sums of two products of bfloat16 values
    uint8_t int_bytes;   // of the widest register that has integer arithmetic
    uint32_t mask_bytes; // it has masked loads and stores for elements of at least so many bytes
    uint32_t off;        // bit 1 + k: row k of choices.def is left out
  } cpu;                 // of KILN_LLVM_CPU alone
  struct {
    uint32_t isa;               // as the device libraries number it
    bool wave64, generic;       // waves of 64; code for several processors
    bool unsafe_atomics;        // atomic float arithmetic of the hardware on all memory
    uint32_t max_group_size;    // work-items, where the kernel does not say
    uint32_t waves_per_unit;    // 0: LLVM's choice
    bool shares_state;          // the addresses of variables come from the driver; so they do where kernels have images
    const char *device_library; // path of ocml.bc; NULL: not installed
  } amdgpu;                     // of KILN_LLVM_AMDGPU alone
  struct {
    uint32_t sm, version;    // 90: sm_90; 60: .version 6.0
    bool own;                // code that runs on this architecture alone (sm_90a)
    bool any_launch;         // kernels run launches that are not common (docs/cuda.md)
    bool shares_state;       // as of amdgpu
    uint32_t max_group_size; // work-items, where the kernel does not say
    uint32_t max_registers;  // of a work-item; 0: as many as there are
  } nvptx;                   // of KILN_LLVM_NVPTX alone
};

// What the module kiln-llvm.so offers to libkiln.
struct kiln_llvm_api {
  uint32_t abi, struct_size; // KILN_LLVM_ABI, sizeof(struct kiln_llvm_api)
  const char *version;       // kiln_version() of the tree that it was built from
  const char *llvm_version;  // "19.1.7"

  // Runs the stages ll, s (only when somebody listens), o and bin. Fills in the artifact, its metadata included.
  enum kiln_status (*compile)(const struct kiln_llvm_machine *machine, const struct kiln_compile_job *job,
                              struct kiln_artifact *out, struct kiln_report *report);

  // The source line of an address of a shared object, "file:line", from its debug information. False: it has none.
  bool (*source_line)(const void *object, size_t size, uint64_t address, char *out, size_t out_size);

  // For tests of our tables and of the traps.
  // LLVM's features of a CPU, comma-separated, implied ones included; freed with free(). NULL: LLVM has no such CPU.
  char *(*cpu_features)(const char *triple, const char *cpu);
  // Links one object into a shared object.
  enum kiln_status (*link)(enum kiln_llvm_family family, const char *triple, const void *object, size_t size,
                           void **out, size_t *out_size, struct kiln_report *report);
  // Generates code from LLVM IR text: an object, or assembly where the family's artifact is text. To provoke errors
  // inside LLVM.
  enum kiln_status (*assemble)(const struct kiln_llvm_machine *machine, const char *text, void **out, size_t *out_size,
                               struct kiln_report *report);
  // The name of a pass that code generation leaves out and LLVM does not have; NULL: LLVM has all of them.
  const char *(*unused_left_out)(const struct kiln_llvm_machine *machine, struct kiln_report *report);
};

typedef const struct kiln_llvm_api *kiln_llvm_entry(void);

// ---- of libkiln (backends/common/llvm_load.c)
// The module, loaded on first use and kept.
enum kiln_status kiln_llvm_load(const struct kiln_llvm_api **out, struct kiln_report *report);
// Adds the build ids of the module and of its LLVM to a record (backends/common/identity.h), without loading either.
enum kiln_status kiln_llvm_identity(struct kiln_strbuf *record, struct kiln_report *report);
// The same in words: describe_compiler of the backends that compile with it.
void kiln_llvm_describe(const struct kiln_target *target, char *out, size_t size);

#endif
