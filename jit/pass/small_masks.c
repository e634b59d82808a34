// Versions of a kernel for small masks of ids. In a butterfly, i = ((t & ~(j - 1)) << 1) | (t & (j - 1)), the distances
// between the lanes' addresses depend on j, which the launch determines: while j is smaller than a warp they lie apart,
// in another way for each j. So the kernel gets a copy for each mask that is all ones below a bit and smaller than a
// warp, in which the mask and j are constants, and runs as it was for all other masks. The copy begins where the mask
// is known. Small divisors j of a butterfly i = t / j * (2 * j) + t % j get copies in the same way.
//
// Requires a kernel without barriers, of which returns are at the end. Keeps everything else.
#include "jit/pass/version.h"

#define MAX_SIZE 64 // instructions of the kernel

// A search through what a value is made of, which looks at each value once.
struct search {
  const struct kiln_function *fn;
  struct kiln_arena *arena;
  bool *seen;
};

static struct search begin(const struct kiln_function *fn, struct kiln_arena *arena) {
  return (struct search){fn, arena, KILN_NEW_ARRAY(arena, bool, fn->inst_count)};
}

// Whether the value is an operation without effects that has not been looked at.
static bool enters(struct search *s, kiln_value v) {
  const struct kiln_inst *inst = &s->fn->insts[v];
  if (!inst->region || kiln_op_table[inst->op].effect != KILN_EFFECT_PURE || s->seen[v])
    return false;
  return s->seen[v] = true;
}

static bool is_scalar_int(const struct kiln_function *fn, kiln_value v) {
  kiln_type type = fn->insts[v].type;
  return kiln_type_lanes(type) == 1 && (kiln_type_kind(type) == KILN_I32 || kiln_type_kind(type) == KILN_I64);
}

// Whether the value, a part of an address, takes an id other than through the mask, as a butterfly
// takes its upper bits. An index of a ring buffer, (id + head) & mask, does not: its masks are larger than a warp.
static bool takes_id_beside(struct search *s, kiln_value v, kiln_value mask) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_inst *inst = &fn->insts[v];
  if (inst->op == KILN_OP_GLOBAL_ID || inst->op == KILN_OP_LOCAL_ID)
    return inst->imm == 0;
  if (!enters(s, v))
    return false;
  const kiln_value *x = kiln_operands(fn, v);
  if (inst->op == KILN_OP_AND && (x[0] == mask || x[1] == mask))
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (takes_id_beside(s, x[i], mask))
      return true;
  return false;
}

// The mask m if v is ~m; else v.
static kiln_value without_complement(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *inst = &fn->insts[v];
  uint64_t bits;
  bool inverts =
      inst->op == KILN_OP_XOR && is_scalar_int(fn, v) && kiln_const_splat(fn, kiln_operands(fn, v)[1], &bits);
  return inverts && kiln_sign_extend(bits, kiln_kind_bits(kiln_type_kind(inst->type))) == -1 ? kiln_operands(fn, v)[0]
                                                                                             : v;
}

static bool is_remainder(const struct kiln_function *fn, kiln_value v) {
  return kiln_op_is_remainder(kiln_op_of(&fn->insts[v]));
}

// The mask, or divisor, by which the value, a part of an address, takes bits of an id; 0: there is none.
static kiln_value find_mask(struct search *s, kiln_value v) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_inst *inst = &fn->insts[v];
  if (!enters(s, v))
    return 0;
  const kiln_value *x = kiln_operands(fn, v);
  bool divides = is_remainder(fn, v);
  for (unsigned i = divides; i < 2 && (divides || inst->op == KILN_OP_AND); i++) {
    kiln_value mask = divides ? x[i] : without_complement(fn, x[i]);
    if (is_scalar_int(fn, mask) && fn->insts[mask].op != KILN_OP_CONST && kiln_is_of_launch(fn, mask) &&
        kiln_depends_on(fn, x[!i]) & (KILN_ON_GLOBAL_ID | KILN_ON_LOCAL_ID))
      return mask;
  }
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value mask = find_mask(s, x[i]);
    if (mask)
      return mask;
  }
  return 0;
}

static bool is_made_of(struct search *s, kiln_value v, kiln_value part) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_inst *inst = &fn->insts[v];
  if (v == part)
    return true;
  if (!enters(s, v))
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (is_made_of(s, kiln_operands(fn, v)[i], part))
      return true;
  return false;
}

// Whether the value, a part of an address, has a quotient by the divisor, times something larger that is made of it:
// the blocks of a butterfly. Rows of a picture have a width of their own.
static bool has_blocks(struct search *s, kiln_value v, kiln_value divisor) {
  const struct kiln_function *fn = s->fn;
  const struct kiln_inst *inst = &fn->insts[v];
  if (!enters(s, v))
    return false;
  const kiln_value *x = kiln_operands(fn, v);
  for (unsigned i = 0; i < 2 && inst->op == KILN_OP_IMUL; i++) {
    bool is_quotient = kiln_op_is_division(fn->insts[x[i]].op) && !is_remainder(fn, x[i]);
    struct search other = begin(fn, s->arena);
    if (is_quotient && kiln_operands(fn, x[i])[1] == divisor && x[!i] != divisor && is_made_of(&other, x[!i], divisor))
      return true;
  }
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (has_blocks(s, x[i], divisor))
      return true;
  return false;
}

static bool is_divisor(const struct kiln_function *fn, kiln_value mask) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && is_remainder(fn, v) && kiln_operands(fn, v)[1] == mask)
      return true;
  return false;
}

// The region that is copied from the mask to its end: that of the mask, or of a parameter the body, since it is known
// from the beginning.
static uint32_t region_of(const struct kiln_function *fn, kiln_value mask) {
  return fn->insts[mask].region ? fn->insts[mask].region : fn->body;
}

// Whether the region is the kernel's or a side of an if in it, and gives no values to what comes after.
static bool is_plain(const struct kiln_function *fn, uint32_t region) {
  const struct kiln_inst *end = &fn->insts[fn->regions[region].last];
  kiln_value owner = fn->regions[region].owner;
  if (!owner)
    return end->op == KILN_OP_RETURN;
  return end->op == KILN_OP_YIELD && end->operand_count == 0 && fn->insts[owner].op == KILN_OP_IF &&
         fn->insts[owner].region == fn->body;
}

static bool is_small(const struct kiln_function *fn) {
  unsigned size = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    if (inst->region && (++size > MAX_SIZE || kiln_inst_is_barrier(inst) || inst->op == KILN_OP_CALL ||
                         inst->op == KILN_OP_VAR || inst->op == KILN_OP_PRINTF))
      return false;
  }
  return true;
}

// The mask, or divisor, of the kernel's accesses; 0: they have none.
static kiln_value choose(struct kiln_function *fn, struct kiln_arena *arena) {
  kiln_value mask = 0;
  kiln_facts_find(fn);
  for (kiln_value v = 1; v < fn->inst_count && !mask; v++) {
    const struct kiln_inst *inst = &fn->insts[v];
    if (!inst->region || !kiln_op_is_access(inst->op))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    struct search masks = begin(fn, arena), parts = begin(fn, arena);
    mask = find_mask(&masks, pointer);
    if (mask && !(is_divisor(fn, mask) ? has_blocks : takes_id_beside)(&parts, pointer, mask))
      mask = 0;
  }
  return mask && is_plain(fn, region_of(fn, mask)) ? mask : 0;
}

// What the kernel knows where the mask is value: the mask, and the number that it is one less than.
static struct kiln_version version_for(struct kiln_function *fn, struct kiln_arena *arena, kiln_value mask,
                                       uint64_t value) {
  kiln_value *values = KILN_NEW_ARRAY(arena, kiln_value, 2), *constants = KILN_NEW_ARRAY(arena, kiln_value, 2);
  const struct kiln_inst inst = fn->insts[mask];
  uint64_t addend;
  values[0] = mask;
  constants[0] = kiln_const(fn, inst.type, value);
  bool adds = inst.op == KILN_OP_IADD && kiln_const_splat(fn, kiln_operands(fn, mask)[1], &addend) &&
              fn->insts[kiln_operands(fn, mask)[0]].op != KILN_OP_CONST;
  if (adds) {
    values[1] = kiln_operands(fn, mask)[0];
    constants[1] = kiln_const(fn, inst.type, value - addend);
  }
  return (struct kiln_version){values, constants, 1 + adds};
}

static void split(struct kiln_function *fn, struct kiln_arena *arena, kiln_value mask, uint32_t lanes) {
  const struct kiln_region region = fn->regions[region_of(fn, mask)];
  struct kiln_version versions[33] = {{0}};
  int64_t masks[32];
  uint32_t count = 0;
  bool divides = is_divisor(fn, mask);
  for (uint32_t bit = 1; bit < lanes; bit *= 2, count++) {
    masks[count] = divides ? bit : bit - 1;
    versions[count + 1] = version_for(fn, arena, mask, (uint64_t)masks[count]);
  }
  struct kiln_builder b = kiln_builder_before(fn, fn->insts[mask].region ? fn->insts[mask].next : region.first);
  kiln_value choice = kiln_build_switch(&b, mask, masks, count);
  if (choice)
    kiln_versions_build(fn, arena, choice, region.last, versions);
}

struct request {
  struct kiln_function *fn;
  uint32_t lanes;
};

static bool run(void *subject, struct kiln_arena *arena) {
  const struct request *request = subject;
  struct kiln_function *fn = request->fn;
  kiln_value mask = fn->is_kernel && is_small(fn) ? choose(fn, arena) : 0;
  if (mask)
    split(fn, arena, mask, request->lanes);
  return mask != 0;
}

bool kiln_pass_small_masks(struct kiln_function *fn, uint32_t lanes) {
  struct request request = {fn, lanes};
  return kiln_pass_scratch(fn->module, &request, run);
}
