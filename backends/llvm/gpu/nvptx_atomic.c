// Atomic operations and fences of NVIDIA GPUs. LLVM 19 ends the process over fences, and over loads and stores with
// acquire, release or seq_cst, and drops order and scope of the others without a word. So what is not relaxed, or wider
// than the device, is assembly: instructions with semantics and scope from sm_70 on, before that fences (membar) around
// relaxed ones. A seq_cst operation is a fence.sc with the operation after it, which acquires.
//
// What hardware does not have (minimum and maximum of floats, before sm_60 sums of double) is a loop of
// compare-and-swap. Sums of float in global memory flush subnormals; there is no instruction that does not.
#include "backends/llvm/gpu/nvptx.h"
#include "kiln/op_cases.h"

#include <stdio.h>

// An access to memory, as the assembly needs it.
struct place {
  LLVMValueRef address; // i64
  const char *space;    // ".global", ".shared", "" for generic
  enum kiln_order order;
  enum kiln_scope scope;
  unsigned bits;
};

static bool acquires(enum kiln_order order) {
  return order == KILN_ACQUIRE || order == KILN_ACQ_REL || order == KILN_SEQ_CST;
}

static bool releases(enum kiln_order order) {
  return order == KILN_RELEASE || order == KILN_ACQ_REL || order == KILN_SEQ_CST;
}

static bool has_semantics(const struct kiln_ll *ll) { return ll->machine->nvptx.sm >= 70; }

static const char *scope_name(enum kiln_scope scope) {
  return scope == KILN_SCOPE_SYSTEM ? "sys" : scope == KILN_SCOPE_DEVICE ? "gpu" : "cta";
}

static void fence(struct kiln_ll *ll, enum kiln_order order, enum kiln_scope scope) {
  char text[32];
  if (has_semantics(ll))
    snprintf(text, sizeof text, "fence.%s.%s;", order == KILN_SEQ_CST ? "sc" : "acq_rel", scope_name(scope));
  else
    snprintf(text, sizeof text, "membar.%s;", scope == KILN_SCOPE_DEVICE ? "gl" : scope_name(scope));
  kiln_ll_nvptx_assembly(ll, text, "~{memory}", ll->void_type, NULL, 0, true);
}

static struct place place_of(struct kiln_ll_fn *f, kiln_value inst, unsigned bits) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  static const char *const spaces[] = {[KILN_GLOBAL] = ".global",
                                       [KILN_CONSTANT] = ".global",
                                       [KILN_LOCAL] = ".shared",
                                       [KILN_GENERIC] = "",
                                       [KILN_PRIVATE] = ""};
  return (struct place){
      .address = LLVMBuildPtrToInt(ll->b, kiln_ll_operand(f, inst, 0), ll->i64, ""),
      .space = spaces[kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0]))],
      .order = kiln_atomic_order(in->imm),
      .scope = kiln_atomic_scope(in->imm),
      .bits = bits,
  };
}

static LLVMValueRef as_bits(struct kiln_ll *ll, LLVMValueRef value) {
  return LLVMBuildBitCast(ll->b, value, kiln_ll_int(ll, kiln_ll_bits(LLVMTypeOf(value))), "");
}

// What precedes and follows an access whose instruction has the semantics that sem gives from sm_70 on.
static void before(struct kiln_ll *ll, const struct place *place) {
  if (has_semantics(ll) ? place->order == KILN_SEQ_CST : releases(place->order))
    fence(ll, place->order, place->scope);
}

static void after(struct kiln_ll *ll, const struct place *place) {
  if (!has_semantics(ll) && acquires(place->order))
    fence(ll, place->order, place->scope);
}

static char letter_of(unsigned bits) { return bits == 64 ? 'l' : 'r'; }

// ---- loads and stores

static LLVMValueRef load(struct kiln_ll *ll, struct place place) {
  char text[64], constraints[32];
  if (has_semantics(ll))
    snprintf(text, sizeof text, "ld.%s.%s%s.b%u $0, [$1];", acquires(place.order) ? "acquire" : "relaxed",
             scope_name(place.scope), place.space, place.bits);
  else
    snprintf(text, sizeof text, "ld.volatile%s.b%u $0, [$1];", place.space, place.bits);
  snprintf(constraints, sizeof constraints, "=%c,l,~{memory}", letter_of(place.bits));
  if (place.order == KILN_SEQ_CST)
    fence(ll, KILN_SEQ_CST, place.scope);
  LLVMValueRef result =
      kiln_ll_nvptx_assembly(ll, text, constraints, kiln_ll_int(ll, place.bits), &place.address, 1, true);
  after(ll, &place);
  return result;
}

static void store(struct kiln_ll *ll, struct place place, LLVMValueRef value) {
  char text[64], constraints[32];
  bool release = place.order == KILN_RELEASE || place.order == KILN_ACQ_REL;
  if (has_semantics(ll))
    snprintf(text, sizeof text, "st.%s.%s%s.b%u [$0], $1;", release ? "release" : "relaxed", scope_name(place.scope),
             place.space, place.bits);
  else
    snprintf(text, sizeof text, "st.volatile%s.b%u [$0], $1;", place.space, place.bits);
  snprintf(constraints, sizeof constraints, "l,%c,~{memory}", letter_of(place.bits));
  before(ll, &place);
  LLVMValueRef args[2] = {place.address, value};
  kiln_ll_nvptx_assembly(ll, text, constraints, ll->void_type, args, 2, true);
  if (!has_semantics(ll) && place.order == KILN_SEQ_CST)
    fence(ll, KILN_SEQ_CST, place.scope);
}

// ---- exchanges

// Semantics and scope of an exchange, as they stand in its name.
static void put_semantics(const struct kiln_ll *ll, const struct place *place, char *out, size_t size) {
  static const char *const names[] = {[KILN_RELAXED] = ".relaxed",
                                      [KILN_ACQUIRE] = ".acquire",
                                      [KILN_RELEASE] = ".release",
                                      [KILN_ACQ_REL] = ".acq_rel",
                                      [KILN_SEQ_CST] = ".acquire"};
  const char *semantics = has_semantics(ll) ? names[place->order] : "";
  if (ll->machine->nvptx.sm >= 60)
    snprintf(out, size, "%s.%s", semantics, scope_name(place->scope));
  else
    snprintf(out, size, "%s", semantics);
}

static LLVMValueRef exchange(struct kiln_ll *ll, struct place place, const char *operation, const char *type,
                             LLVMValueRef *values, uint32_t count) {
  char text[80], constraints[48], semantics[24];
  put_semantics(ll, &place, semantics, sizeof semantics);
  snprintf(text, sizeof text, "atom%s%s.%s.%s $0, [$1], $2%s;", semantics, place.space, operation, type,
           count > 1 ? ", $3" : "");
  bool is_float = kiln_ll_is_float(LLVMTypeOf(values[0]));
  char letter = is_float ? (place.bits == 64 ? 'd' : 'f') : letter_of(place.bits);
  if (count > 1)
    snprintf(constraints, sizeof constraints, "=%c,l,%c,%c,~{memory}", letter, letter, letter);
  else
    snprintf(constraints, sizeof constraints, "=%c,l,%c,~{memory}", letter, letter);
  LLVMValueRef args[3] = {place.address, values[0], count > 1 ? values[1] : NULL};
  before(ll, &place);
  LLVMValueRef result = kiln_ll_nvptx_assembly(ll, text, constraints, LLVMTypeOf(values[0]), args, count + 1, true);
  after(ll, &place);
  return result;
}

static LLVMValueRef compare_and_swap(struct kiln_ll *ll, struct place place, LLVMValueRef expected,
                                     LLVMValueRef desired) {
  LLVMValueRef values[2] = {as_bits(ll, expected), as_bits(ll, desired)};
  LLVMValueRef old = exchange(ll, place, "cas", place.bits == 64 ? "b64" : "b32", values, 2);
  return LLVMBuildBitCast(ll->b, old, LLVMTypeOf(expected), "");
}

// Fences stand around the loop, in which accesses are relaxed.
static LLVMValueRef by_loop(struct kiln_ll_fn *f, kiln_value inst, struct place place, LLVMValueRef value) {
  struct kiln_ll *ll = f->ll;
  enum kiln_rmw rmw = (enum kiln_rmw)kiln_inst(f->fn, inst)->flags;
  LLVMTypeRef type = LLVMTypeOf(value);
  struct place relaxed = place;
  relaxed.order = KILN_RELAXED;
  if (releases(place.order))
    fence(ll, place.order, place.scope);
  LLVMValueRef old = kiln_ll_begin_loop(f, "exchange", load(ll, relaxed), "old");
  LLVMBasicBlockRef done = kiln_ll_block(f, "exchanged");
  LLVMValueRef next = kiln_ll_plain(ll, kiln_rmw_op(rmw), LLVMBuildBitCast(ll->b, old, type, ""), value);
  LLVMValueRef found = compare_and_swap(ll, relaxed, old, as_bits(ll, next));
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b);
  kiln_ll_add_incoming(old, found, here);
  LLVMBuildCondBr(ll->b, LLVMBuildICmp(ll->b, LLVMIntEQ, found, old, ""), done, LLVMGetInstructionParent(old));
  kiln_ll_continue_at(f, done);
  if (acquires(place.order))
    fence(ll, place.order, place.scope);
  return LLVMBuildBitCast(ll->b, old, type, "");
}

// The operation and the letter of its type ("b": bits); a NULL operation: the hardware cannot do it.
static const struct {
  const char *name;
  char type;
} operations[KILN_RMW_COUNT] = {
    [KILN_RMW_ADD] = {"add", 'u'},  [KILN_RMW_SUB] = {"add", 'u'},  [KILN_RMW_XCHG] = {"exch", 'b'},
    [KILN_RMW_AND] = {"and", 'b'},  [KILN_RMW_OR] = {"or", 'b'},    [KILN_RMW_XOR] = {"xor", 'b'},
    [KILN_RMW_SMIN] = {"min", 's'}, [KILN_RMW_SMAX] = {"max", 's'}, [KILN_RMW_UMIN] = {"min", 'u'},
    [KILN_RMW_UMAX] = {"max", 'u'}, [KILN_RMW_FADD] = {"add", 'f'},
};

static LLVMValueRef read_modify_write(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_rmw rmw = (enum kiln_rmw)in->flags;
  LLVMValueRef value = kiln_ll_operand(f, inst, 1);
  LLVMTypeRef type = LLVMTypeOf(value);
  struct place place = place_of(f, inst, kiln_ll_bits(type));
  bool lacks = rmw == KILN_RMW_FADD && place.bits == 64 && ll->machine->nvptx.sm < 60;
  if (!operations[rmw].name || lacks)
    return by_loop(f, inst, place, value);
  char name[8];
  snprintf(name, sizeof name, "%c%u", operations[rmw].type, place.bits);
  if (rmw == KILN_RMW_SUB)
    value = LLVMBuildNeg(ll->b, value, "");
  if (rmw == KILN_RMW_XCHG)
    value = as_bits(ll, value);
  LLVMValueRef old = exchange(ll, place, operations[rmw].name, name, &value, 1);
  return LLVMBuildBitCast(ll->b, old, type, "");
}

// ---- private memory, which no other work-item sees

static LLVMValueRef on_private(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef place = kiln_ll_operand(f, inst, 0);
  bool stores = in->op == KILN_OP_ATOMIC_STORE;
  kiln_type type = stores ? kiln_value_type(f->fn, kiln_operands(f->fn, inst)[1]) : in->type;
  LLVMValueRef old = NULL, next = NULL;
  if (!stores) {
    old = LLVMBuildLoad2(ll->b, kiln_ll_type(ll, type), place, "");
    LLVMSetAlignment(old, kiln_ll_element_bytes(type));
  }
  if (stores)
    next = kiln_ll_operand(f, inst, 1);
  else if (in->op == KILN_OP_ATOMIC_RMW)
    next = in->flags == KILN_RMW_XCHG
               ? kiln_ll_operand(f, inst, 1)
               : kiln_ll_plain(ll, kiln_rmw_op((enum kiln_rmw)in->flags), old, kiln_ll_operand(f, inst, 1));
  else if (in->op == KILN_OP_ATOMIC_CAS)
    next = LLVMBuildSelect(
        ll->b, LLVMBuildICmp(ll->b, LLVMIntEQ, as_bits(ll, old), as_bits(ll, kiln_ll_operand(f, inst, 1)), ""),
        kiln_ll_operand(f, inst, 2), old, "");
  if (next)
    LLVMSetAlignment(LLVMBuildStore(ll->b, next, place), kiln_ll_element_bytes(type));
  return old;
}

LLVMValueRef kiln_ll_nvptx_atomic(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_order order = kiln_atomic_order(in->imm);
  if (in->op == KILN_OP_FENCE) {
    if (order != KILN_RELAXED)
      fence(ll, order, kiln_atomic_scope(in->imm));
    return NULL;
  }
  if (kiln_type_space(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[0])) == KILN_PRIVATE)
    return on_private(f, inst);
  switch (kiln_op_of(in)) {
  case KILN_OP_ATOMIC_LOAD: {
    LLVMTypeRef type = kiln_ll_type(ll, in->type);
    return LLVMBuildBitCast(ll->b, load(ll, place_of(f, inst, kiln_ll_bits(type))), type, "");
  }
  case KILN_OP_ATOMIC_STORE: {
    LLVMValueRef value = as_bits(ll, kiln_ll_operand(f, inst, 1));
    store(ll, place_of(f, inst, kiln_ll_bits(LLVMTypeOf(value))), value);
    return NULL;
  }
  case KILN_OP_ATOMIC_RMW:
    return read_modify_write(f, inst);
  case KILN_OP_ATOMIC_CAS: {
    LLVMValueRef expected = kiln_ll_operand(f, inst, 1);
    return compare_and_swap(ll, place_of(f, inst, kiln_ll_bits(LLVMTypeOf(expected))), expected,
                            kiln_ll_operand(f, inst, 2));
  }
  case KILN_OP_FENCE:
    KILN_CASES_BUT_ATOMIC break;
  }
  return NULL;
}
