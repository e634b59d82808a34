// Kernels of AMDGPU: the kernel calling convention, arguments in the kernarg segment, ids and sizes of work-items,
// local memory, barriers. Sizes come from the implicit arguments of code object version 5, which the driver fills in
// (backends/rocm/driver/launch.c).
#include "backends/llvm/gpu/amdgpu.h"
#include "backends/llvm/cxx/cxx.h"
#include "backends/rocm/code/implicit.h"
#include "kiln/op_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AMDGPU_KERNEL 91 // LLVM's number of the calling convention

// Offsets of implicit arguments.
enum {
  BLOCK_COUNT = 0,    // u32 each: full groups of a dimension
  GROUP_SIZE = 12,    // u16 each: work-items of a full group
  REMAINDER = 18,     // u16 each: work-items of the partial last group; 0: all groups are full
  GLOBAL_OFFSET = 40, // u64 each
  GRID_DIMS = 64,     // u16
  IMPLICIT_BYTES = 256
};

// ---- kernels

static void number_attribute(struct kiln_ll *ll, LLVMValueRef function, const char *name, const char *format,
                             unsigned a, unsigned b) {
  char text[48];
  snprintf(text, sizeof text, format, a, b);
  kiln_ll_text_attribute(ll, function, name, text);
}

static void group_attributes(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function) {
  const uint32_t *required = fn->required_group_size;
  bool fixed = required[0] && required[1] && required[2];
  unsigned most = kiln_ll_gpu_group_limit(ll, fn, ll->machine->amdgpu.max_group_size);
  number_attribute(ll, function, "amdgpu-flat-work-group-size", "%u,%u", fixed ? most : 1, most);
  if (ll->machine->amdgpu.waves_per_unit)
    number_attribute(ll, function, "amdgpu-waves-per-eu", "%u", ll->machine->amdgpu.waves_per_unit, 0);
  if (!fixed)
    return;
  LLVMMetadataRef sizes[3];
  for (int d = 0; d < 3; d++)
    sizes[d] = LLVMValueAsMetadata(kiln_ll_i32(ll, required[d]));
  static const char name[] = "reqd_work_group_size";
  LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(ll->context, name, sizeof name - 1),
                        LLVMMDNodeInContext2(ll->context, sizes, 3));
}

static void kernel_attributes(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function) {
  kiln_ll_gpu_kernel_attributes(ll, function, AMDGPU_KERNEL);
  LLVMSetVisibility(function, LLVMProtectedVisibility);
  kiln_ll_text_attribute(ll, function, "uniform-work-group-size", "false");
  number_attribute(ll, function, "amdgpu-implicitarg-num-bytes", "%u", IMPLICIT_BYTES, 0);
  if (ll->machine->amdgpu.unsafe_atomics)
    kiln_ll_text_attribute(ll, function, "amdgpu-unsafe-fp-atomics", "true");
  group_attributes(ll, fn, function);
}

// The LLVM type of a parameter. f16 and the other types have the size and alignment of OpenCL C.
static LLVMTypeRef param_type(struct kiln_ll *ll, const struct kiln_param *param) {
  if (param->byval_bytes)
    return LLVMPointerTypeInContext(ll->context, ll->hooks->spaces[KILN_CONSTANT]);
  return kiln_ll_type(ll, param->type);
}

static LLVMValueRef param(struct kiln_ll_fn *f, const struct kiln_param *param, LLVMValueRef passed, unsigned index) {
  struct kiln_ll *ll = f->ll;
  if (param->byval_bytes) {
    LLVMTypeRef record = LLVMArrayType2(ll->i8, param->byval_bytes);
    kiln_ll_gpu_typed_attribute(ll, f->function, index, "byref", record);
    kiln_ll_attribute(ll->context, f->function, index, "align", param->align ? param->align : 8);
  } else if (kiln_type_kind(param->type) == KILN_PTR) {
    kiln_ll_gpu_pointer_attributes(ll, param, f->function, index);
  }
  return passed;
}

static void kernel(struct kiln_ll *ll, uint32_t index) {
  const struct kiln_function *fn = ll->ir->functions[index];
  LLVMTypeRef *types = kiln_arena_alloc(&ll->arena, (fn->param_count + 1) * sizeof *types, 8);
  for (uint32_t i = 0; i < fn->param_count; i++)
    types[i] = param_type(ll, &fn->params[i]);
  LLVMTypeRef type = LLVMFunctionType(ll->void_type, types, fn->param_count, false);
  LLVMValueRef function = LLVMAddFunction(ll->module, fn->name, type);
  kernel_attributes(ll, fn, function);
  kiln_ll_gpu_kernel_body(ll, fn, function);
}

// ---- work-items

static LLVMValueRef implicit(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned offset) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef base = kiln_ll_intrinsic(ll, "llvm.amdgcn.implicitarg.ptr", NULL, 0, NULL, 0);
  LLVMValueRef load = LLVMBuildLoad2(ll->b, type, kiln_ll_address_at(ll, base, offset), "");
  // As large as the offset allows: neighbouring 16-bit arguments are then loaded together, into scalar registers.
  unsigned known = offset ? offset & -offset : 8;
  LLVMSetAlignment(load, known < 8 ? known : 8);
  kiln_ll_attach(ll->context, load, "invariant.load", NULL, 0);
  return load;
}

// Ids and sizes have 32 bits in hardware: a grid has less than 2^32 work-items in each dimension.
static LLVMValueRef local_id(struct kiln_ll_fn *f, unsigned d) {
  static const char *const names[3] = {"llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y",
                                       "llvm.amdgcn.workitem.id.z"};
  LLVMValueRef id = kiln_ll_intrinsic(f->ll, names[d], NULL, 0, NULL, 0);
  uint32_t required = f->fn->required_group_size[d];
  kiln_ll_gpu_set_range(f->ll, id, 0, required ? required : 1024);
  return id;
}

static LLVMValueRef group_id(struct kiln_ll_fn *f, unsigned d) {
  static const char *const names[3] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                       "llvm.amdgcn.workgroup.id.z"};
  return kiln_ll_intrinsic(f->ll, names[d], NULL, 0, NULL, 0);
}

static LLVMValueRef small(struct kiln_ll_fn *f, unsigned offset, unsigned d) {
  return LLVMBuildZExt(f->ll->b, implicit(f, f->ll->i16, offset + 2 * d), f->ll->i32, "");
}

static LLVMValueRef full_size(struct kiln_ll_fn *f, unsigned d) {
  uint32_t required = f->fn->required_group_size[d];
  if (required)
    return kiln_ll_i32(f->ll, required);
  return small(f, GROUP_SIZE, d);
}

static LLVMValueRef full_groups(struct kiln_ll_fn *f, unsigned d) {
  return implicit(f, f->ll->i32, BLOCK_COUNT + 4 * d);
}

static LLVMValueRef item(struct kiln_ll_fn *f, enum kiln_op op, unsigned d) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef narrow = NULL;
  if (kiln_op_family(op) == KILN_FAMILY_SUB_GROUP)
    return kiln_ll_gpu_sub_group_item(f, op);
  switch (op) {
  case KILN_OP_GLOBAL_ID: {
    narrow = LLVMBuildNUWAdd(b, LLVMBuildNUWMul(b, group_id(f, d), full_size(f, d), ""), local_id(f, d), "");
    return LLVMBuildAdd(b, LLVMBuildZExt(b, narrow, ll->i64, ""), implicit(f, ll->i64, GLOBAL_OFFSET + 8 * d), "");
  }
  case KILN_OP_LOCAL_ID:
    narrow = local_id(f, d);
    break;
  case KILN_OP_GROUP_ID:
    narrow = group_id(f, d);
    break;
  case KILN_OP_GLOBAL_SIZE:
    narrow = LLVMBuildNUWAdd(b, LLVMBuildNUWMul(b, full_groups(f, d), full_size(f, d), ""), small(f, REMAINDER, d), "");
    break;
  case KILN_OP_LOCAL_SIZE: {
    LLVMValueRef is_full = LLVMBuildICmp(b, LLVMIntULT, group_id(f, d), full_groups(f, d), "");
    narrow = LLVMBuildSelect(b, is_full, full_size(f, d), small(f, REMAINDER, d), "");
    break;
  }
  case KILN_OP_FULL_LOCAL_SIZE:
    narrow = full_size(f, d);
    break;
  case KILN_OP_NUM_GROUPS: {
    LLVMValueRef rest = LLVMBuildICmp(b, LLVMIntNE, small(f, REMAINDER, d), LLVMConstNull(ll->i32), "");
    narrow = LLVMBuildNUWAdd(b, full_groups(f, d), LLVMBuildZExt(b, rest, ll->i32, ""), "");
    break;
  }
  case KILN_OP_GLOBAL_OFFSET:
    return implicit(f, ll->i64, GLOBAL_OFFSET + 8 * d);
  case KILN_OP_WORK_DIM:
    return small(f, GRID_DIMS, 0);
  case KILN_OP_NOALIAS: // the launch does not tell
    return kiln_ll_i1(ll, false);
    KILN_CASES_BUT_ITEM return NULL;
  }
  return LLVMBuildZExt(b, narrow, ll->i64, "");
}

// ---- barriers

static void group_fence(struct kiln_ll *ll, LLVMAtomicOrdering order) {
  kiln_ll_set_scope(LLVMBuildFence(ll->b, order, false, ""), "workgroup");
}

static void barrier(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  bool fences = kiln_inst(f->fn, inst)->imm2 != 0;
  if (fences)
    group_fence(ll, LLVMAtomicOrderingRelease);
  kiln_ll_intrinsic(ll, "llvm.amdgcn.s.barrier", NULL, 0, NULL, 0);
  if (fences)
    group_fence(ll, LLVMAtomicOrderingAcquire);
}

// ---- the module

static void flag(struct kiln_ll *ll, const char *name, uint64_t value) {
  LLVMAddModuleFlag(ll->module, LLVMModuleFlagBehaviorError, name, strlen(name),
                    LLVMValueAsMetadata(kiln_ll_i32(ll, value)));
}

static void control(struct kiln_ll *ll, const char *name, LLVMTypeRef type, uint64_t value) {
  LLVMValueRef global = LLVMAddGlobalInAddressSpace(ll->module, type, name, ll->hooks->spaces[KILN_CONSTANT]);
  LLVMSetInitializer(global, LLVMConstInt(type, value, false));
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMLinkOnceODRLinkage);
  LLVMSetVisibility(global, LLVMHiddenVisibility);
}

// Defines what the oclc_*.bc files would, so that every processor works whatever files are installed.
static void controls(struct kiln_ll *ll) {
  uint32_t flags = ll->job->options.flags;
  control(ll, "__oclc_ISA_version", ll->i32, ll->machine->amdgpu.isa);
  control(ll, "__oclc_ABI_version", ll->i32, 500);
  control(ll, "__oclc_wavefrontsize64", ll->i8, ll->machine->amdgpu.wave64);
  control(ll, "__oclc_finite_only_opt", ll->i8, false);
  control(ll, "__oclc_unsafe_math_opt", ll->i8, (flags & KILN_BUILD_FAST_MATH) != 0);
  control(ll, "__oclc_daz_opt", ll->i8, (flags & KILN_BUILD_FTZ) != 0);
  control(ll, "__oclc_correctly_rounded_sqrt32", ll->i8, (flags & KILN_BUILD_EXACT_DIV) != 0);
}

static bool calls_library(struct kiln_ll *ll) {
  for (LLVMValueRef fn = LLVMGetFirstFunction(ll->module); fn; fn = LLVMGetNextFunction(fn)) {
    size_t size;
    if (LLVMIsDeclaration(fn) && !strncmp(LLVMGetValueName2(fn, &size), "__oc", 4))
      return true;
  }
  return false;
}

void kiln_ll_amdgpu_begin(struct kiln_ll *ll) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ll->context);
  ll->i32 = i32;
  flag(ll, "amdhsa_code_object_version", ll->machine->amdgpu.generic ? 600 : 500);
  flag(ll, "PIC Level", 2);
}

enum kiln_status kiln_ll_amdgpu_finish(struct kiln_ll *ll) {
  if (!calls_library(ll))
    return KILN_OK;
  const char *path = ll->machine->amdgpu.device_library;
  if (!path)
    return kiln_fail(ll->report, KILN_ERR_UNAVAILABLE,
                     "this kernel needs the device library ocml.bc, which is not installed (Debian: package "
                     "rocm-device-libs)");
  controls(ll);
  char *message = NULL;
  if (kiln_ll_link_needed(ll->module, path, &message))
    return KILN_OK;
  enum kiln_status status =
      kiln_fail(ll->report, KILN_ERR_UNAVAILABLE, "the device library %s cannot be used: %s", path, message);
  free(message);
  return status;
}

// ---- inputs of kernels

// The inputs that hardware loads into registers when a kernel starts, unless an attribute says that they are unused.
static const struct {
  const char *intrinsic, *attribute;
} inputs[] = {
    {"llvm.amdgcn.workgroup.id.x", "amdgpu-no-workgroup-id-x"},
    {"llvm.amdgcn.workgroup.id.y", "amdgpu-no-workgroup-id-y"},
    {"llvm.amdgcn.workgroup.id.z", "amdgpu-no-workgroup-id-z"},
    {"llvm.amdgcn.workitem.id.x", "amdgpu-no-workitem-id-x"},
    {"llvm.amdgcn.workitem.id.y", "amdgpu-no-workitem-id-y"},
    {"llvm.amdgcn.workitem.id.z", "amdgpu-no-workitem-id-z"},
    {"llvm.amdgcn.dispatch.ptr", "amdgpu-no-dispatch-ptr"},
    {"llvm.amdgcn.dispatch.id", "amdgpu-no-dispatch-id"},
    {"llvm.amdgcn.queue.ptr", "amdgpu-no-queue-ptr"},
    {"llvm.amdgcn.lds.kernel.id", "amdgpu-no-lds-kernel-id"},
};

static bool is_used(LLVMModuleRef module, const char *intrinsic, LLVMValueRef function) {
  LLVMValueRef declaration = LLVMGetNamedFunction(module, intrinsic);
  for (LLVMUseRef use = declaration ? LLVMGetFirstUse(declaration) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!function || !LLVMIsAInstruction(user) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
      return true;
  }
  return false;
}

static void mark_inputs(struct kiln_ll *ll) {
  bool calls = false; // functions get their inputs from the calling kernel: all kernels then have the same
  for (LLVMValueRef fn = LLVMGetFirstFunction(ll->module); fn; fn = LLVMGetNextFunction(fn))
    calls |= !LLVMIsDeclaration(fn) && LLVMGetFunctionCallConv(fn) != AMDGPU_KERNEL;
  for (LLVMValueRef fn = LLVMGetFirstFunction(ll->module); fn; fn = LLVMGetNextFunction(fn))
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && !LLVMIsDeclaration(fn); i++)
      if (!is_used(ll->module, inputs[i].intrinsic, calls ? NULL : fn))
        kiln_ll_text_attribute(ll, fn, inputs[i].attribute, "");
}

// Whether a generic pointer is converted to one to private memory. Memory and integers hold no pointers to variables
// that LLVM moves.
static bool is_taken_for_private(struct kiln_ll *ll, LLVMValueRef in) {
  if (!LLVMIsAAddrSpaceCastInst(in) || LLVMGetPointerAddressSpace(LLVMTypeOf(in)) != ll->hooks->spaces[KILN_PRIVATE])
    return false;
  LLVMValueRef from = LLVMGetOperand(in, 0);
  return !LLVMIsALoadInst(from) && !LLVMIsAIntToPtrInst(from);
}

static bool tells_private(struct kiln_ll *ll) {
  if (is_used(ll->module, "llvm.amdgcn.is.private", NULL) || is_used(ll->module, "llvm.amdgcn.is.shared", NULL))
    return true;
  for (LLVMValueRef fn = LLVMGetFirstFunction(ll->module); fn; fn = LLVMGetNextFunction(fn))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
        if (is_taken_for_private(ll, in))
          return true;
  return false;
}

// LLVM moves private variables into local memory, even if the program can observe that through a generic pointer.
static void keep_private(struct kiln_ll *ll) {
  if (!tells_private(ll))
    return;
  const char *features = ll->machine->features;
  const char *text = kiln_arena_printf(&ll->arena, "%s%s-promote-alloca", features, *features ? "," : "");
  for (LLVMValueRef fn = LLVMGetFirstFunction(ll->module); fn; fn = LLVMGetNextFunction(fn))
    if (!LLVMIsDeclaration(fn))
      kiln_ll_text_attribute(ll, fn, "target-features", text);
}

void kiln_ll_amdgpu_after_passes(struct kiln_ll *ll) {
  kiln_ll_amdgpu_keep_signs(ll);
  mark_inputs(ll);
  keep_private(ll);
}

void kiln_ll_amdgpu_before_code(const struct kiln_ll *ll, LLVMModuleRef module) {
  (void)ll;
  kiln_ll_keep_width_of_divisions(module);
  kiln_ll_keep_lower_halves(module);
}

// ---- address spaces

// LLVM defines the bits of null of each.
static LLVMValueRef null(struct kiln_ll *ll, enum kiln_space space) {
  LLVMValueRef generic = LLVMConstNull(ll->ptr);
  return space == KILN_GENERIC ? generic : LLVMConstAddrSpaceCast(generic, kiln_ll_ptr(ll, space));
}

// LLVM's back end tests for null.
static LLVMValueRef to_generic(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space from) {
  (void)from;
  return LLVMBuildAddrSpaceCast(f->ll->b, pointer, f->ll->ptr, "");
}

static LLVMValueRef from_generic(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space to) {
  return LLVMBuildAddrSpaceCast(f->ll->b, pointer, kiln_ll_ptr(f->ll, to), "");
}

static LLVMValueRef space_of(struct kiln_ll_fn *f, LLVMValueRef pointer) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef is_local = kiln_ll_intrinsic(ll, "llvm.amdgcn.is.shared", NULL, 0, &pointer, 1);
  LLVMValueRef is_private = kiln_ll_intrinsic(ll, "llvm.amdgcn.is.private", NULL, 0, &pointer, 1);
  LLVMValueRef others =
      LLVMBuildSelect(ll->b, is_private, kiln_ll_i32(ll, KILN_PRIVATE), kiln_ll_i32(ll, KILN_GLOBAL), "");
  return LLVMBuildSelect(ll->b, is_local, kiln_ll_i32(ll, KILN_LOCAL), others, "");
}

static LLVMValueRef print_buffer(struct kiln_ll_fn *f) {
  return implicit(f, kiln_ll_ptr(f->ll, KILN_GLOBAL), KILN_ROCM_PRINT_ARGUMENT);
}

static const struct kiln_ll_gpu_hooks gpu_hooks = {
    .param = param,
    .narrow = {[KILN_PRIVATE] = true, [KILN_LOCAL] = true},
    .print_buffer = print_buffer,
    .device_scope = "agent",
    .end = "llvm.amdgcn.endpgm",
    .sub_group_log = kiln_ll_amdgpu_wave_log,
    .lane_id = kiln_ll_amdgpu_lane_id,
    .uniform = kiln_ll_amdgpu_first_lane,
    .vote = kiln_ll_amdgpu_vote,
    .ballot = kiln_ll_amdgpu_ballot,
    .broadcast = kiln_ll_amdgpu_broadcast,
    .shuffle = kiln_ll_amdgpu_shuffle,
    .collective = kiln_ll_amdgpu_collective,
    .sub_group_barrier = kiln_ll_amdgpu_wave_barrier,
};

const struct kiln_ll_hooks kiln_ll_amdgpu_hooks = {
    .spaces = {[KILN_PRIVATE] = 5, [KILN_GLOBAL] = 1, [KILN_CONSTANT] = 4, [KILN_LOCAL] = 3, [KILN_GENERIC] = 0},
    .alloca_space = 5,
    .kernel = kernel,
    .item = item,
    .local = kiln_ll_gpu_local,
    .print = kiln_ll_gpu_print,
    .dot4 = kiln_ll_amdgpu_dot4,
    .null = null,
    .to_generic = to_generic,
    .from_generic = from_generic,
    .space_of = space_of,
    .barrier = barrier,
    .own = kiln_ll_amdgpu_own,
    .repeat = kiln_ll_gpu_repeat,
    .define_state = kiln_ll_amdgpu_define_state,
    .state = kiln_ll_amdgpu_state,
    .gpu = &gpu_hooks,
};
