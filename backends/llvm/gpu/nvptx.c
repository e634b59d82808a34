// Kernels of NVIDIA GPUs: entries with their parameters, ids and sizes of work-items, local memory, barriers. Sizes of
// launches that are not common come from the hidden parameter, which the driver fills in (docs/cuda.md).
#include "backends/llvm/gpu/nvptx.h"
#include "backends/llvm/cxx/cxx.h"
#include "kiln/op_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX_KERNEL 71 // LLVM's number of the calling convention

enum { MAX_GROUP = 1024, MAX_BLOCKS = 65535, LARGE_COPY = 128 };

// ---- kernels

// A parameter that is bytes: LLVM 19 loses elements of parameters that are vectors of bytes.
static void bytes_param(struct kiln_ll *ll, LLVMValueRef function, unsigned index, uint64_t size, uint64_t align) {
  kiln_ll_gpu_typed_attribute(ll, function, index, "byval", LLVMArrayType2(ll->i8, size));
  kiln_ll_attribute(ll->context, function, index, "align", align);
}

static bool is_local(const struct kiln_param *param) {
  return kiln_type_kind(param->type) == KILN_PTR && kiln_type_space(param->type) == KILN_LOCAL;
}

static bool is_bytes(const struct kiln_param *param) { return param->byval_bytes || kiln_type_lanes(param->type) > 1; }

// In memory three elements have room for four.
static uint64_t value_bytes(kiln_type type) { return (uint64_t)kiln_ll_element_bytes(type) * kiln_ll_room(type); }

static LLVMTypeRef param_type(struct kiln_ll *ll, const struct kiln_param *param) {
  return is_bytes(param) ? ll->ptr : is_local(param) ? ll->i32 : kiln_ll_type(ll, param->type);
}

// A vector parameter, element by element.
static LLVMValueRef load_vector(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef place) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(type));
  LLVMValueRef result = LLVMGetPoison(kiln_ll_type(ll, type));
  unsigned bytes = kiln_ll_element_bytes(type);
  for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
    LLVMValueRef load = LLVMBuildLoad2(ll->b, element, kiln_ll_address_at(ll, place, i * bytes), "");
    LLVMSetAlignment(load, bytes);
    result = LLVMBuildInsertElement(ll->b, result, load, kiln_ll_i32(ll, i), "");
  }
  return result;
}

static LLVMValueRef param(struct kiln_ll_fn *f, const struct kiln_param *param, LLVMValueRef passed, unsigned index) {
  struct kiln_ll *ll = f->ll;
  if (is_bytes(param)) {
    uint64_t size = param->byval_bytes ? param->byval_bytes : value_bytes(param->type);
    uint64_t align = !param->byval_bytes ? size : param->align ? param->align : 8;
    bytes_param(ll, f->function, index, size, align);
    return param->byval_bytes ? passed : load_vector(f, param->type, passed);
  }
  if (is_local(param)) {
    LLVMValueRef offset = LLVMBuildZExt(ll->b, passed, ll->i64, "");
    return LLVMBuildGEP2(ll->b, ll->i8, kiln_ll_nvptx_dynamic_memory(ll), &offset, 1, "");
  }
  if (kiln_type_kind(param->type) == KILN_PTR)
    kiln_ll_gpu_pointer_attributes(ll, param, f->function, index);
  return passed;
}

static void annotate(struct kiln_ll *ll, LLVMValueRef function, const char *name, uint32_t value) {
  LLVMMetadataRef parts[3] = {LLVMValueAsMetadata(function), LLVMMDStringInContext2(ll->context, name, strlen(name)),
                              LLVMValueAsMetadata(kiln_ll_i32(ll, value))};
  LLVMAddNamedMetadataOperand(ll->module, "nvvm.annotations",
                              LLVMMetadataAsValue(ll->context, LLVMMDNodeInContext2(ll->context, parts, 3)));
}

static bool prints(const struct kiln_module *ir, const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (!fn->insts[v].region)
      continue;
    if (fn->insts[v].op == KILN_OP_PRINTF)
      return true;
    if (fn->insts[v].op == KILN_OP_CALL && prints(ir, ir->functions[fn->insts[v].imm]))
      return true;
  }
  return false;
}

static uint32_t parameter_bytes(LLVMTypeRef *types, const struct kiln_function *fn) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < fn->param_count; i++) {
    const struct kiln_param *param = &fn->params[i];
    uint64_t size = kiln_type_kind(param->type) == KILN_PTR ? 8 : value_bytes(param->type), align = size;
    if (param->byval_bytes) {
      size = param->byval_bytes;
      align = param->align ? param->align : 8;
    } else if (LLVMGetTypeKind(types[i]) == LLVMIntegerTypeKind && is_local(param)) {
      size = align = 4;
    }
    bytes = kiln_ll_align_up(bytes, align) + size;
  }
  return (uint32_t)kiln_ll_align_up(bytes, 8) + KILN_LL_NVPTX_HIDDEN_BYTES;
}

static void describe(struct kiln_ll *ll, const struct kiln_function *fn, const char *name, LLVMTypeRef *types,
                     uint32_t most) {
  struct kiln_ll_nvptx *own = ll->nvptx;
  own->kernels[own->kernel_count++] = (struct kiln_cuda_meta_kernel){
      .flags = (prints(ll->ir, fn) ? KILN_CUDA_KERNEL_PRINTS : 0) |
               (ll->machine->nvptx.any_launch ? KILN_CUDA_KERNEL_ANY : 0) |
               (own->local_offsets ? KILN_CUDA_KERNEL_DYNAMIC : 0),
      .local_bytes = kiln_ll_nvptx_local_bytes(ll, fn),
      .max_group_size = most,
      .parameter_bytes = parameter_bytes(types, fn),
      .name = {name, strlen(name)},
  };
}

static void kernel(struct kiln_ll *ll, uint32_t index) {
  const struct kiln_function *fn = ll->ir->functions[index];
  unsigned most = kiln_ll_gpu_group_limit(ll, fn, ll->machine->nvptx.max_group_size);
  if (!most)
    return;
  LLVMTypeRef *types = kiln_arena_alloc(&ll->arena, (fn->param_count + 1) * sizeof *types, 8);
  for (uint32_t i = 0; i < fn->param_count; i++)
    types[i] = param_type(ll, &fn->params[i]);
  types[fn->param_count] = ll->ptr;
  LLVMTypeRef type = LLVMFunctionType(ll->void_type, types, fn->param_count + 1, false);
  const char *name = kiln_ll_nvptx_kernel_name(ll, fn->name, index);
  LLVMValueRef function = LLVMAddFunction(ll->module, name, type);
  kiln_ll_gpu_kernel_attributes(ll, function, PTX_KERNEL);
  annotate(ll, function, "maxntidx", most);
  if (ll->machine->nvptx.max_registers)
    annotate(ll, function, "maxnreg", ll->machine->nvptx.max_registers);
  describe(ll, fn, name, types, most);
  bytes_param(ll, function, fn->param_count + 1, KILN_LL_NVPTX_HIDDEN_BYTES, 8);
  kiln_ll_gpu_kernel_body(ll, fn, function);
}

// ---- work-items

LLVMValueRef kiln_ll_nvptx_hidden(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned offset) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef base = LLVMGetLastParam(f->function);
  LLVMValueRef load = LLVMBuildLoad2(ll->b, type, kiln_ll_address_at(ll, base, offset), "");
  LLVMSetAlignment(load, offset % 8 ? 4 : 8);
  kiln_ll_attach(ll->context, load, "invariant.load", NULL, 0);
  return load;
}

LLVMValueRef kiln_ll_nvptx_register(struct kiln_ll *ll, const char *name) {
  char text[64];
  snprintf(text, sizeof text, "llvm.nvvm.read.ptx.sreg.%s", name);
  return kiln_ll_intrinsic(ll, text, NULL, 0, NULL, 0);
}

LLVMValueRef kiln_ll_nvptx_assembly(struct kiln_ll *ll, const char *text, const char *constraints, LLVMTypeRef type,
                                    LLVMValueRef *args, uint32_t count, bool effects) {
  LLVMTypeRef types[4];
  for (uint32_t i = 0; i < count; i++)
    types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef function_type = LLVMFunctionType(type, types, count, false);
  LLVMValueRef code = LLVMGetInlineAsm(function_type, text, strlen(text), constraints, strlen(constraints), effects,
                                       false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef call = LLVMBuildCall2(ll->b, function_type, code, args, count, "");
  kiln_ll_call_attribute(ll, call, "nounwind");
  return call;
}

static LLVMValueRef with_range(struct kiln_ll *ll, LLVMValueRef value, uint64_t from, uint64_t end) {
  kiln_ll_gpu_set_range(ll, value, from, end);
  return value;
}

static LLVMValueRef by_dimension(struct kiln_ll *ll, const char *name, unsigned d) {
  char text[32];
  snprintf(text, sizeof text, "%s.%c", name, "xyz"[d]);
  return kiln_ll_nvptx_register(ll, text);
}

static LLVMValueRef local_id(struct kiln_ll_fn *f, unsigned d) {
  uint32_t required = f->fn->required_group_size[d];
  return with_range(f->ll, by_dimension(f->ll, "tid", d), 0, required ? required : d == 2 ? 64 : MAX_GROUP);
}

// Of this group, which is smaller if it is a partial one.
static LLVMValueRef local_size(struct kiln_ll_fn *f, unsigned d) {
  uint32_t required = f->fn->required_group_size[d];
  if (required && !f->ll->machine->nvptx.any_launch)
    return kiln_ll_i32(f->ll, required);
  return with_range(f->ll, by_dimension(f->ll, "ntid", d), 1, (d == 2 ? 64 : MAX_GROUP) + 1);
}

static LLVMValueRef full_size(struct kiln_ll_fn *f, unsigned d) {
  uint32_t required = f->fn->required_group_size[d];
  if (required)
    return kiln_ll_i32(f->ll, required);
  if (!f->ll->machine->nvptx.any_launch)
    return local_size(f, d);
  return kiln_ll_nvptx_hidden(f, f->ll->i32, KILN_LL_NVPTX_FULL_SIZE + 4 * d);
}

static LLVMValueRef group_id(struct kiln_ll_fn *f, unsigned d) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef block = with_range(ll, by_dimension(ll, "ctaid", d), 0, d ? MAX_BLOCKS : INT32_MAX);
  if (!ll->machine->nvptx.any_launch)
    return block;
  return LLVMBuildNUWAdd(ll->b, block, kiln_ll_nvptx_hidden(f, ll->i32, KILN_LL_NVPTX_GROUP_BASE + 4 * d), "");
}

static LLVMValueRef num_groups(struct kiln_ll_fn *f, unsigned d) {
  struct kiln_ll *ll = f->ll;
  if (ll->machine->nvptx.any_launch)
    return kiln_ll_nvptx_hidden(f, ll->i32, KILN_LL_NVPTX_NUM_GROUPS + 4 * d);
  return with_range(ll, by_dimension(ll, "nctaid", d), 1, d ? MAX_BLOCKS + 1 : UINT64_C(1) << 31);
}

static LLVMValueRef widen(struct kiln_ll *ll, LLVMValueRef value) { return LLVMBuildZExt(ll->b, value, ll->i64, ""); }

// Of a common launch: less than 2^31.
static LLVMValueRef common_global_id(struct kiln_ll_fn *f, unsigned d) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef first = LLVMBuildMul(b, group_id(f, d), full_size(f, d), "");
  LLVMSetNUW(first, true);
  LLVMSetNSW(first, true);
  LLVMValueRef id = LLVMBuildAdd(b, first, local_id(f, d), "");
  LLVMSetNUW(id, true);
  LLVMSetNSW(id, true);
  return widen(f->ll, id);
}

static LLVMValueRef any_global_id(struct kiln_ll_fn *f, unsigned d) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef first = LLVMBuildMul(ll->b, widen(ll, group_id(f, d)), widen(ll, full_size(f, d)), "");
  LLVMValueRef id = LLVMBuildAdd(ll->b, first, widen(ll, local_id(f, d)), "");
  return LLVMBuildAdd(ll->b, id, kiln_ll_nvptx_hidden(f, ll->i64, KILN_LL_NVPTX_OFFSET + 8 * d), "");
}

static LLVMValueRef item(struct kiln_ll_fn *f, enum kiln_op op, unsigned d) {
  struct kiln_ll *ll = f->ll;
  bool any = ll->machine->nvptx.any_launch;
  if (kiln_op_family(op) == KILN_FAMILY_SUB_GROUP)
    return kiln_ll_gpu_sub_group_item(f, op);
  switch (op) {
  case KILN_OP_GLOBAL_ID:
    return any ? any_global_id(f, d) : common_global_id(f, d);
  case KILN_OP_LOCAL_ID:
    return widen(ll, local_id(f, d));
  case KILN_OP_GROUP_ID:
    return widen(ll, group_id(f, d));
  case KILN_OP_GLOBAL_SIZE:
    if (any)
      return kiln_ll_nvptx_hidden(f, ll->i64, KILN_LL_NVPTX_GLOBAL_SIZE + 8 * d);
    return widen(ll, LLVMBuildNUWMul(ll->b, num_groups(f, d), full_size(f, d), ""));
  case KILN_OP_LOCAL_SIZE:
    return widen(ll, local_size(f, d));
  case KILN_OP_FULL_LOCAL_SIZE:
    return widen(ll, full_size(f, d));
  case KILN_OP_NUM_GROUPS:
    return widen(ll, num_groups(f, d));
  case KILN_OP_GLOBAL_OFFSET:
    return any ? kiln_ll_nvptx_hidden(f, ll->i64, KILN_LL_NVPTX_OFFSET + 8 * d) : kiln_ll_i64(ll, 0);
  case KILN_OP_WORK_DIM:
    return kiln_ll_nvptx_hidden(f, ll->i32, KILN_LL_NVPTX_WORK_DIM);
  case KILN_OP_NOALIAS: // the launch does not tell
    return kiln_ll_i1(ll, false);
    KILN_CASES_BUT_ITEM return NULL;
  }
  return NULL;
}

// ---- barriers, spaces

static void barrier(struct kiln_ll_fn *f, kiln_value inst) {
  (void)inst; // it is a fence of the group's memory in any case
  kiln_ll_intrinsic(f->ll, "llvm.nvvm.barrier0", NULL, 0, NULL, 0);
}

static LLVMValueRef space_of(struct kiln_ll_fn *f, LLVMValueRef pointer) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef is_shared = kiln_ll_intrinsic(ll, "llvm.nvvm.isspacep.shared", NULL, 0, &pointer, 1);
  LLVMValueRef is_private = kiln_ll_intrinsic(ll, "llvm.nvvm.isspacep.local", NULL, 0, &pointer, 1);
  LLVMValueRef others =
      LLVMBuildSelect(ll->b, is_private, kiln_ll_i32(ll, KILN_PRIVATE), kiln_ll_i32(ll, KILN_GLOBAL), "");
  return LLVMBuildSelect(ll->b, is_shared, kiln_ll_i32(ll, KILN_LOCAL), others, "");
}

// ---- null

// The first variable of local memory may be at 0.
static LLVMValueRef null(struct kiln_ll *ll, enum kiln_space space) {
  LLVMTypeRef type = kiln_ll_ptr(ll, space);
  return space == KILN_LOCAL ? LLVMConstIntToPtr(LLVMConstAllOnes(ll->i64), type) : LLVMConstNull(type);
}

// Whether it leads to a variable, which is never at the address of null.
static bool is_of_variable(LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
    pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAGlobalVariable(pointer);
}

// The hardware's conversions, of what is not in the space, are undefined, and pointers may be converted before a test
// of what they lead to. Global addresses are generic ones. Those of local memory are distances from where that begins,
// which is an address of the space, and so the hardware's conversion of it defined.
static LLVMValueRef local_start(struct kiln_ll *ll) {
  return LLVMConstPtrToInt(LLVMConstAddrSpaceCast(LLVMConstNull(kiln_ll_ptr(ll, KILN_LOCAL)), ll->ptr), ll->i64);
}

static LLVMValueRef to_generic(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space from) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  if (from == KILN_PRIVATE)
    return pointer;
  if (from != KILN_LOCAL || is_of_variable(pointer))
    return LLVMBuildAddrSpaceCast(b, pointer, ll->ptr, "");
  LLVMValueRef is_null = LLVMBuildICmp(b, LLVMIntEQ, pointer, null(ll, KILN_LOCAL), "");
  LLVMValueRef address = LLVMBuildAdd(b, LLVMBuildPtrToInt(b, pointer, ll->i64, ""), local_start(ll), "");
  address = LLVMBuildSelect(b, is_null, LLVMConstNull(ll->i64), address, "");
  return LLVMBuildIntToPtr(b, address, ll->ptr, "");
}

static LLVMValueRef from_generic(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space to) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  if (to == KILN_PRIVATE)
    return pointer;
  if (to != KILN_LOCAL)
    return LLVMBuildIntToPtr(b, LLVMBuildPtrToInt(b, pointer, ll->i64, ""), kiln_ll_ptr(ll, to), "");
  LLVMValueRef distance = LLVMBuildSub(b, LLVMBuildPtrToInt(b, pointer, ll->i64, ""), local_start(ll), "");
  LLVMValueRef is_null = LLVMBuildICmp(b, LLVMIntEQ, pointer, LLVMConstNull(ll->ptr), "");
  LLVMValueRef result = LLVMBuildSelect(b, is_null, LLVMConstAllOnes(ll->i64), distance, "");
  return LLVMBuildIntToPtr(b, result, kiln_ll_ptr(ll, to), "");
}

// ---- the module

enum kiln_status kiln_ll_nvptx_finish(struct kiln_ll *ll) {
  kiln_ll_nvptx_rename(ll->module);
  return KILN_OK;
}

void kiln_ll_nvptx_before_code(const struct kiln_ll *ll, LLVMModuleRef module) {
  (void)ll;
  kiln_ll_split_byte_loads(module);
  kiln_ll_split_half_extensions(module);
  kiln_ll_choose_signed_bits(module);
  kiln_ll_expand_copies(module, LARGE_COPY);
  kiln_ll_hide_nulls(module);
}

enum kiln_status kiln_ll_nvptx_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                    struct kiln_artifact *out, struct kiln_report *report) {
  (void)division; // of one part
  struct kiln_ll *ll = parts[0].ll;
  const struct kiln_ll_nvptx *own = ll->nvptx;
  if (ll->prints.size && !ll->prints.failed)
    memcpy(ll->prints.data + 4, &ll->print_count, 4);
  struct kiln_cuda_meta meta = {
      .target = ll->machine->nvptx.sm | (ll->machine->nvptx.own ? KILN_CUDA_META_FEATURES : 0),
      .version = ll->machine->nvptx.version,
      .flags = own->table ? KILN_CUDA_META_TABLE : 0,
      .kernel_count = own->kernel_count,
      .variable_count = own->variable_count,
      .state_count = own->state_count,
      .pointer_count = own->pointer_count,
      .kernels = own->kernels,
      .variables = own->variables,
      .pointers = own->pointers,
      .prints = ll->prints.data,
      .prints_size = ll->prints.size,
  };
  struct kiln_strbuf text = {.failed = ll->prints.failed};
  kiln_cuda_meta_write(&meta, &text);
  if (text.failed) {
    kiln_strbuf_free(&text);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the metadata");
  }
  out->meta_size = text.size;
  out->meta = kiln_strbuf_take(&text);
  return KILN_OK;
}

static LLVMValueRef print_buffer(struct kiln_ll_fn *f) {
  return kiln_ll_nvptx_hidden(f, kiln_ll_ptr(f->ll, KILN_GLOBAL), KILN_LL_NVPTX_PRINTS);
}

static const struct kiln_ll_gpu_hooks gpu_hooks = {
    .param = param,
    .plan = kiln_ll_nvptx_plan_masks,
    .narrow = {[KILN_LOCAL] = true},
    .print_buffer = print_buffer,
    .end = "llvm.nvvm.exit",
    .sub_group_log = kiln_ll_nvptx_warp_log,
    .lane_id = kiln_ll_nvptx_lane_id,
    .vote = kiln_ll_nvptx_vote,
    .ballot = kiln_ll_nvptx_ballot,
    .broadcast = kiln_ll_nvptx_shuffle,
    .shuffle = kiln_ll_nvptx_shuffle,
    .collective = kiln_ll_nvptx_collective,
    .sub_group_barrier = kiln_ll_nvptx_warp_barrier,
};

const struct kiln_ll_hooks kiln_ll_nvptx_hooks = {
    .spaces = {[KILN_PRIVATE] = 0, [KILN_GLOBAL] = 1, [KILN_CONSTANT] = 1, [KILN_LOCAL] = 3, [KILN_GENERIC] = 0},
    .alloca_space = 0,
    .kernel = kernel,
    .item = item,
    .local = kiln_ll_nvptx_local,
    .define_state = kiln_ll_nvptx_define_state,
    .state = kiln_ll_nvptx_state,
    .print = kiln_ll_gpu_print,
    .dot4 = kiln_ll_nvptx_dot4,
    .space_of = space_of,
    .null = null,
    .to_generic = to_generic,
    .from_generic = from_generic,
    .barrier = barrier,
    .own = kiln_ll_nvptx_own,
    .repeat = kiln_ll_gpu_repeat,
    .gpu = &gpu_hooks,
};
