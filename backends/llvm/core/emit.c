// The emitter's top level: module variables, functions, and the dispatch of instructions.
#include "backends/llvm/core/emit.h"

#include <stdarg.h>
#include <string.h>

#include "backends/llvm/core/parts.h"

void kiln_ll_fail(struct kiln_ll *ll, enum kiln_status status, const char *format, ...) {
  if (ll->status)
    return;
  ll->status = status;
  struct kiln_strbuf text = {0};
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&text, format, args);
  va_end(args);
  kiln_fail(ll->report, status, "%s", text.data ? text.data : "");
  kiln_strbuf_free(&text);
}

void kiln_ll_fail_too_deep(struct kiln_ll *ll, const struct kiln_function *fn) {
  kiln_ll_fail(ll, KILN_ERR_UNSUPPORTED, "'%s' is nested more than %d levels deep", fn->name, KILN_LL_MAX_DEPTH);
}

// ---- attributes

void kiln_ll_attribute(LLVMContextRef context, LLVMValueRef function, unsigned index, const char *name,
                       uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(context, kind, value));
}

void kiln_ll_call_attribute(const struct kiln_ll *ll, LLVMValueRef call, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddCallSiteAttribute(call, (unsigned)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ll->context, kind, 0));
}

void kiln_ll_text_attribute(struct kiln_ll *ll, LLVMValueRef function, const char *name, const char *value) {
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(ll->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex, attribute);
}

void kiln_ll_function_attributes(struct kiln_ll *ll, LLVMValueRef function) {
  kiln_ll_attribute(ll->context, function, (unsigned)LLVMAttributeFunctionIndex, "nounwind", 0);
  // Estimates are refined once, which leaves errors of 3 ulp. The relaxed functions allow 2.5.
  kiln_ll_text_attribute(ll, function, "reciprocal-estimates", "!divf,!vec-divf");
  if (ll->machine->cpu.has_avx512)
    kiln_ll_text_attribute(ll, function, "prefer-vector-width", "512");
}

// ---- module variables

bool kiln_ll_is_state(const struct kiln_global *global) {
  return global->space == KILN_GLOBAL || (global->space == KILN_CONSTANT && global->reloc_count);
}

// In a program of several parts the first part defines the variables. The other parts know the contents of constants.
static void link_variable(struct kiln_ll *ll, LLVMValueRef value, bool constant) {
  if (ll->division->count == 1) {
    LLVMSetLinkage(value, LLVMInternalLinkage);
    return;
  }
  LLVMSetVisibility(value, LLVMHiddenVisibility);
  LLVMSetLinkage(value, ll->part && constant ? LLVMAvailableExternallyLinkage : LLVMExternalLinkage);
}

// "name.var": names of the source must not clash with those of the C library. Where parts link against each other,
// names are made unique by number.
static const char *variable_name(struct kiln_ll *ll, uint32_t index) {
  const char *name = ll->ir->globals[index].name ? ll->ir->globals[index].name : "";
  return ll->division->count == 1 ? kiln_arena_printf(&ll->arena, "%s.var", name)
                                  : kiln_arena_printf(&ll->arena, "%s.%u.var", name, index);
}

static void declare_globals(struct kiln_ll *ll) {
  for (uint32_t i = 0; i < ll->ir->global_count; i++) {
    const struct kiln_global *global = &ll->ir->globals[i];
    if (global->space == KILN_LOCAL)
      continue;
    LLVMTypeRef type = LLVMArrayType2(ll->i8, global->size);
    if (global->reloc_count) { // pointers between bytes: a packed struct of pieces
      LLVMTypeRef *pieces = kiln_arena_alloc(&ll->arena, (2 * global->reloc_count + 1) * sizeof *pieces, 8);
      uint64_t at = 0;
      uint32_t count = 0;
      for (uint32_t r = 0; r < global->reloc_count; r++) {
        pieces[count++] = LLVMArrayType2(ll->i8, global->relocs[r].offset - at);
        pieces[count++] = kiln_ll_ptr(ll, ll->ir->globals[global->relocs[r].global].space);
        at = global->relocs[r].offset + 8;
      }
      pieces[count++] = LLVMArrayType2(ll->i8, global->size - at);
      type = LLVMStructTypeInContext(ll->context, pieces, count, true);
    }
    LLVMValueRef value =
        LLVMAddGlobalInAddressSpace(ll->module, type, variable_name(ll, i), ll->hooks->spaces[global->space]);
    link_variable(ll, value, global->space == KILN_CONSTANT);
    LLVMSetGlobalConstant(value, global->space == KILN_CONSTANT);
    LLVMSetAlignment(value, global->align ? global->align : 1);
    ll->globals[i] = value;
  }
}

static LLVMValueRef bytes_constant(struct kiln_ll *ll, const struct kiln_global *global, uint64_t from, uint64_t to) {
  if (!global->init)
    return LLVMConstNull(LLVMArrayType2(ll->i8, to - from));
  return LLVMConstStringInContext2(ll->context, (const char *)global->init + from, to - from, true);
}

static void define_globals(struct kiln_ll *ll) {
  for (uint32_t i = 0; i < ll->ir->global_count; i++) {
    const struct kiln_global *global = &ll->ir->globals[i];
    if (!ll->globals[i] || (ll->part && global->space != KILN_CONSTANT))
      continue;
    if (!global->reloc_count) {
      LLVMSetInitializer(ll->globals[i], bytes_constant(ll, global, 0, global->size));
      continue;
    }
    LLVMValueRef *pieces = kiln_arena_alloc(&ll->arena, (2 * global->reloc_count + 1) * sizeof *pieces, 8);
    uint64_t at = 0;
    uint32_t count = 0;
    for (uint32_t r = 0; r < global->reloc_count; r++) {
      const struct kiln_reloc *reloc = &global->relocs[r];
      pieces[count++] = bytes_constant(ll, global, at, reloc->offset);
      LLVMValueRef target = ll->globals[reloc->global], addend = kiln_ll_i64(ll, (uint64_t)reloc->addend);
      if (!target) {
        kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: the initialiser of '%s' holds the address of local memory",
                     global->name);
        return;
      }
      pieces[count++] = LLVMConstGEP2(ll->i8, target, &addend, 1);
      at = reloc->offset + 8;
    }
    pieces[count++] = bytes_constant(ll, global, at, global->size);
    LLVMSetInitializer(ll->globals[i], LLVMConstStructInContext(ll->context, pieces, count, true));
  }
}

// ---- functions

struct kiln_ll_copies {
  struct kiln_module *module; // of a copy
  struct kiln_ll_copies *next;
};

struct kiln_function *kiln_ll_copy(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct kiln_ll_copies *copies = KILN_NEW(&ll->arena, struct kiln_ll_copies);
  struct kiln_function *copy = kiln_function_copy(fn);
  if (!copy)
    longjmp(ll->exhausted, 1);
  *copies = (struct kiln_ll_copies){copy->module, ll->copies};
  ll->copies = copies;
  return copy;
}

void kiln_ll_free_copies(struct kiln_ll *ll) {
  for (; ll->copies; ll->copies = ll->copies->next)
    kiln_module_free(ll->copies->module);
}

struct kiln_ll_fn *kiln_ll_begin(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function) {
  struct kiln_ll_fn *f = KILN_NEW(&ll->arena, struct kiln_ll_fn);
  f->ll = ll;
  f->fn = fn;
  f->function = function;
  f->made = KILN_NEW(&ll->arena, struct kiln_ll_made);
  f->walker = &kiln_ll_plain_walker;
  f->values = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, fn->inst_count);
  f->joins = KILN_NEW_ARRAY(&ll->arena, LLVMBasicBlockRef, fn->node_count + 1);
  f->headers = KILN_NEW_ARRAY(&ll->arena, LLVMBasicBlockRef, fn->node_count + 1);
  f->entry = kiln_ll_block(f, "entry");
  for (kiln_value v = 1; v < fn->inst_count; v++)
    ll->loops |= fn->insts[v].op == KILN_OP_LOOP && fn->insts[v].region;
  if (ll->debug)
    kiln_ll_debug_function(f);
  return f;
}

static bool is_here(const struct kiln_ll *ll, uint32_t index) { return ll->division->part_of[index] == ll->part; }

static void declare_function(struct kiln_ll *ll, uint32_t index) {
  const struct kiln_function *fn = ll->ir->functions[index];
  LLVMTypeRef *types = kiln_arena_alloc(&ll->arena, (fn->param_count + KILN_LL_MAX_HIDDEN) * sizeof *types, 8);
  for (uint32_t i = 0; i < fn->param_count; i++)
    types[i] = kiln_ll_type(ll, fn->params[i].type);
  uint32_t hidden = ll->hooks->hidden_types ? ll->hooks->hidden_types(ll, types + fn->param_count) : 0;
  LLVMTypeRef result = kiln_type_kind(fn->return_type) == KILN_VOID ? ll->void_type : kiln_ll_type(ll, fn->return_type);
  LLVMTypeRef type = LLVMFunctionType(result, types, fn->param_count + hidden, false);
  LLVMValueRef function = LLVMAddFunction(ll->module, kiln_arena_printf(&ll->arena, "%s.fn", fn->name), type);
  if (ll->division->shared[index])
    LLVMSetVisibility(function, LLVMHiddenVisibility);
  else
    LLVMSetLinkage(function, LLVMInternalLinkage);
  kiln_ll_function_attributes(ll, function);
  if (fn->no_inline || ll->hooks->gpu) // what is to be inlined there has been
    kiln_ll_attribute(ll->context, function, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
  ll->function_types[index] = type;
  ll->functions[index] = function;
}

static void define_function(struct kiln_ll *ll, uint32_t index) {
  const struct kiln_function *fn = ll->ir->functions[index];
  if (fn->has_barrier && !ll->hooks->barrier) {
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: function '%s' holds a barrier and was not inlined", fn->name);
    return;
  }
  struct kiln_ll_fn *f = kiln_ll_begin(ll, fn, ll->functions[index]);
  LLVMBasicBlockRef start = kiln_ll_block(f, "start");
  LLVMPositionBuilderAtEnd(ll->b, start);
  for (uint32_t i = 0; i < fn->param_count; i++) {
    f->values[fn->params[i].value] = LLVMGetParam(f->function, i);
    LLVMSetValueName2(LLVMGetParam(f->function, i), fn->params[i].name, strlen(fn->params[i].name));
  }
  if (ll->hooks->hidden_params)
    ll->hooks->hidden_params(f, fn->param_count);
  kiln_ll_region(f, fn->body);
  LLVMPositionBuilderAtEnd(ll->b, f->entry);
  LLVMBuildBr(ll->b, start);
}

// ---- instructions

LLVMValueRef kiln_ll_compute(struct kiln_ll_fn *f, kiln_value inst) {
  return f->form ? f->ll->hooks->lanes->compute(f, inst) : kiln_ll_compute_op(f, inst);
}

LLVMValueRef kiln_ll_compute_op(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = kiln_op_of(in);
  LLVMValueRef own = NULL;
  if (ll->hooks->own && ll->hooks->own(f, inst, &own))
    return own;
  switch (kiln_op_family(op)) {
  case KILN_FAMILY_INT:
  case KILN_FAMILY_BOOL:
    return kiln_ll_index(f, inst, &own) ? own : kiln_ll_int_op(f, inst);
  case KILN_FAMILY_FLOAT:
    return kiln_ll_float_op(f, inst);
  case KILN_FAMILY_MATH:
    return op == KILN_OP_RSQRT ? kiln_ll_float_op(f, inst) : kiln_ll_math(f, inst);
  case KILN_FAMILY_COMPARE:
  case KILN_FAMILY_FCOMPARE:
    return kiln_ll_compare(f, inst);
  case KILN_FAMILY_VECTOR:
    return kiln_ll_vector_op(f, inst);
  case KILN_FAMILY_CONVERT:
    return kiln_ll_convert(f, inst);
  case KILN_FAMILY_MEMORY:
    return kiln_ll_memory(f, inst);
  case KILN_FAMILY_ATOMIC:
    return kiln_ll_atomic(f, inst);
  case KILN_FAMILY_ITEM:
  case KILN_FAMILY_SUB_GROUP:
    return ll->hooks->item(f, op, (unsigned)in->imm);
  case KILN_FAMILY_CALL:
    return kiln_ll_call(f, inst);
  case KILN_FAMILY_GROUP:
    if (op != KILN_OP_BARRIER || !ll->hooks->barrier)
      break;
    ll->hooks->barrier(f, inst);
    return NULL;
  case KILN_FAMILY_FREE:
  case KILN_FAMILY_FLOW:
  case KILN_FAMILY_IMAGE: // the pass images has left none
    break;
  }
  kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: operation '%s' in '%s' is in the wrong place", kiln_op_table[op].name,
               f->fn->name);
  return NULL;
}

LLVMValueRef kiln_ll_compute_from(const struct kiln_ll_fn *f, kiln_value inst, const LLVMValueRef *operands) {
  struct kiln_ll_fn item = *f;
  struct kiln_ll_given given = {kiln_operands(f->fn, inst), operands, kiln_inst(f->fn, inst)->operand_count};
  item.given = &given;
  item.form = NULL;
  item.group = NULL;
  return kiln_ll_compute_op(&item, inst);
}

void kiln_ll_inst(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMValueRef result = kiln_ll_compute(f, inst);
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if (kiln_type_kind(in->type) == KILN_VOID)
    return;
  if (!result) {
    kiln_ll_fail(f->ll, KILN_ERR_INTERNAL, "emitter: operation '%s' in '%s' gave no value", kiln_op_table[in->op].name,
                 f->fn->name);
    result = LLVMConstNull(f->form ? f->ll->hooks->lanes->held_type(f, inst) : kiln_ll_type(f->ll, in->type));
  }
  kiln_ll_set(f, inst, result);
}

// Returns whether the value may be poison: a sum that wraps, for example, although the source says that it fits.
static bool emit_with_operands(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  if (kiln_op_is_free(in->op))
    return false;
  bool poison = in->flags != 0;
  for (uint32_t i = 0; i < in->operand_count; i++)
    poison |= emit_with_operands(f, kiln_operands(f->fn, v)[i]);
  kiln_ll_inst(f, v);
  return poison;
}

LLVMValueRef kiln_ll_emit_ahead(struct kiln_ll_fn *f, kiln_value v) {
  bool poison = emit_with_operands(f, v); // LLVM knows less of what is frozen
  return poison ? LLVMBuildFreeze(f->ll->b, kiln_ll_get(f, v), "") : kiln_ll_get(f, v);
}

static void make_types(struct kiln_ll *ll) {
  LLVMContextRef c = ll->context;
  ll->void_type = LLVMVoidTypeInContext(c);
  ll->i1 = LLVMInt1TypeInContext(c);
  ll->i8 = LLVMInt8TypeInContext(c);
  ll->i16 = LLVMInt16TypeInContext(c);
  ll->i32 = LLVMInt32TypeInContext(c);
  ll->i64 = LLVMInt64TypeInContext(c);
  ll->half = LLVMHalfTypeInContext(c);
  ll->f32 = LLVMFloatTypeInContext(c);
  ll->f64 = LLVMDoubleTypeInContext(c);
  ll->ptr = LLVMPointerTypeInContext(c, 0);
  ll->access_group_kind = LLVMGetMDKindIDInContext(c, "llvm.access.group", strlen("llvm.access.group"));
}

void kiln_ll_emit(struct kiln_ll *ll) {
  const struct kiln_module *ir = ll->ir;
  if (!ll->lanes || ll->lanes > KILN_LL_MAX_LANES || (ll->lanes & (ll->lanes - 1))) {
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: %u lanes", ll->lanes);
    return;
  }
  make_types(ll);
  uint32_t params = 0;
  for (uint32_t i = 0; i < ir->function_count; i++)
    params += ir->functions[i]->param_count;
  ll->globals = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, ir->global_count + 1);
  ll->functions = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, ir->function_count + 1);
  ll->function_types = KILN_NEW_ARRAY(&ll->arena, LLVMTypeRef, ir->function_count + 1);
  ll->cpu_kernels = KILN_NEW_ARRAY(&ll->arena, struct kiln_cpu_meta_kernel, ir->function_count + 1);
  ll->cpu_resources = KILN_NEW_ARRAY(&ll->arena, struct kiln_kernel_resources, ir->function_count + 1);
  ll->cpu_arg_offsets = KILN_NEW_ARRAY(&ll->arena, uint32_t, params + 1);
  ll->arranged = KILN_NEW_ARRAY(&ll->arena, const struct kiln_ll_arrangement *, ir->function_count + 1);
  ll->local_offsets = KILN_NEW_ARRAY(&ll->arena, uint32_t, ir->global_count + 1);
  if (ll->job->options.flags & KILN_BUILD_DEBUG_INFO)
    kiln_ll_debug_begin(ll);
  declare_globals(ll);
  define_globals(ll);
  if (ll->hooks->define_state && !ll->part)
    ll->hooks->define_state(ll);
  for (uint32_t i = 0; i < ir->function_count && !ll->status; i++)
    if (!ir->functions[i]->is_kernel && (is_here(ll, i) || ll->division->shared[i]))
      declare_function(ll, i);
  // Kernels first: they assign offsets to the local memory that functions use.
  for (uint32_t i = 0; i < ir->function_count && !ll->status; i++)
    if (ir->functions[i]->is_kernel && is_here(ll, i))
      ll->hooks->kernel(ll, i);
  for (uint32_t i = 0; i < ir->function_count && !ll->status; i++)
    if (!ir->functions[i]->is_kernel && is_here(ll, i))
      define_function(ll, i);
  if (ll->debug)
    kiln_ll_debug_end(ll);
}
