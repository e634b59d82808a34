// Proofs of the rules of jit/pass/rules.def. An instruction is built from the patterns of a rule, with constants and
// variables where they have some. Wherever the rule is the first that fits, what it makes must be the same as the
// instruction was, as docs/ir.md says what that is: for all values of i8 and all halves; of two places, for all pairs
// of i8, and for all halves in one of them with some in the other; of three, for all values in one with some in the
// others. Other types have the values at their edges.
#include <criterion/criterion.h>
#include <string.h>

#include "jit/pass/rules.h"
#include "tests/support/run_ir.h"
#include "tests/unit/edges.h"

enum { LANES = 16, PLACES = 3, SLOTS = 7, MAX_VALUES = 4096, FULL = 1 << 18 };

struct value { // of an instruction, by lane; sets of lanes as bits
  union kiln_lanes lanes;
  unsigned any_nan, any_sign; // a NaN of any bits, a sign that may be another
  uint32_t stamp;
  unsigned poison, overflow; // what nnan, ninf and what nsw promise does not hold
};

struct domain {
  const uint64_t *values; // NULL: 0, 1, …
  uint32_t count;
};

struct proof {
  const struct kiln_rule *rule;
  enum kiln_op op;
  // How the patterns are read.
  enum kiln_kind kinds[3];           // of the result, of operands of conversions and comparisons, and of theirs
  unsigned kinds_read, negated;      // bits: of kinds that the patterns have, of variables inside of NEGATED
  unsigned constant;                 // of those: are constants
  enum kiln_kind variables[C - X];   // KILN_VOID: not there
  enum kiln_kind places[PLACES];     // of constants
  unsigned place_count, order, mode; // order: of age; mode: roundings
  uint16_t flags[2];                 // of the instruction, of its operands
  bool has_flags;                    // some operation may have flags
  bool leaf_is_fact;                 // variables are local ids, or addresses of variables
  // An instance of it.
  struct kiln_module *module;
  struct kiln_function *fn;
  struct kiln_builder b;
  struct kiln_simplify s;
  struct kiln_arena arena;
  kiln_value leaves[C - X];
  uint64_t constants[PLACES];
  unsigned place;
  kiln_value before, after;
  // Its values.
  bool reciprocals; // x / y is x * (1 / y) where arcp allows it
  // What came out.
  unsigned long fits;
};
static struct value values[MAX_VALUES];
static uint32_t stamp; // of those that hold
static const unsigned all_lanes = 0xffff;

// ---- patterns -------------------------------------------------------------------------------------------------------

static bool may_have(enum kiln_op op, enum kiln_kind kind, enum kiln_kind operand, unsigned index) {
  char letter = kiln_op_table[op].operands[index];
  unsigned bits = kiln_kind_bits(kind), from = kiln_kind_bits(operand);
  if ((letter == 'i' && !kiln_kind_is_int(operand)) || (letter == 'f' && !kiln_kind_is_float(operand)) ||
      (letter == 'b' && operand != KILN_BOOL) || (letter == 'p' && operand != KILN_PTR) ||
      (letter == 'l' && operand != KILN_I64) || (kiln_op_table[op].result == KILN_RESULT_BOOL && kind != KILN_BOOL))
    return false;
  bool from_int = kiln_kind_is_int(operand), to_int = kiln_kind_is_int(kind);
  if (kiln_op_family(op) == KILN_FAMILY_COMPARE)
    return from_int || operand == KILN_PTR;
  if (op == KILN_OP_TRUNC)
    return to_int && bits < from;
  if (op == KILN_OP_ZEXT || op == KILN_OP_SEXT)
    return to_int && (from_int || operand == KILN_BOOL) && bits > from;
  if (op == KILN_OP_FTOF)
    return kiln_kind_is_float(kind) && kind != operand;
  if (op == KILN_OP_BITCAST)
    return bits == from && bits > 1 && kind != KILN_PTR && operand != KILN_PTR;
  return op == KILN_OP_PTOI ? kind == KILN_I64 : op == KILN_OP_ITOP ? kind == KILN_PTR : true;
}

static enum kiln_kind kind_of_operand(struct proof *p, enum kiln_op op, enum kiln_kind kind, unsigned i,
                                      unsigned depth) {
  enum kiln_op_family family = kiln_op_family(op);
  if (op == KILN_OP_SELECT)
    return i == 0 ? KILN_BOOL : kind;
  if (family != KILN_FAMILY_COMPARE && family != KILN_FAMILY_FCOMPARE && family != KILN_FAMILY_CONVERT)
    return kind;
  p->kinds_read |= 1u << (depth + 1);
  return p->kinds[depth + 1];
}

static bool may_have_flags(unsigned op) {
  return kiln_op_has_fp_flags((enum kiln_op)op) || kiln_op_has_int_flags((enum kiln_op)op);
}

// Finds out of what kinds variables and constants are. False: no such instruction has these kinds.
static bool read_pattern(struct proof *p, const uint8_t **at, enum kiln_kind kind, unsigned depth) {
  unsigned token = *(*at)++;
  if (token < X) {
    p->has_flags |= may_have_flags(token);
    for (unsigned i = 0; i < strlen(kiln_op_table[token].operands); i++) {
      enum kiln_kind operand = kind_of_operand(p, (enum kiln_op)token, kind, i, depth);
      if (!may_have((enum kiln_op)token, kind, operand, i) || !read_pattern(p, at, operand, depth + 1))
        return false;
    }
    return true;
  }
  bool is_negated = token == WITHOUT_SIGN;
  if (is_negated)
    token = *(*at)++;
  if (token == SAME)
    return true;
  if (token >= C || (is_negated && p->constant & 1u << (token - X))) {
    p->places[p->place_count++] = kind;
    return true;
  }
  enum kiln_kind *variable = &p->variables[token - X];
  if ((token == R && kind != p->kinds[0]) || (*variable && *variable != kind))
    return false;
  p->negated |= (unsigned)is_negated << (token - X);
  *variable = kind;
  return true;
}

static bool read_patterns(struct proof *p) {
  memset(p->variables, 0, sizeof p->variables);
  p->kinds_read = 1;
  p->has_flags = may_have_flags(p->op);
  p->place_count = 0;
  for (unsigned i = 0; i < strlen(kiln_op_table[p->op].operands); i++) {
    const uint8_t *at = p->rule->operands[i];
    enum kiln_kind operand = kind_of_operand(p, p->op, p->kinds[0], i, 0);
    if (!may_have(p->op, p->kinds[0], operand, i) || !read_pattern(p, &at, operand, 1))
      return false;
  }
  return true;
}

// There are no vectors of pointers.
static unsigned lanes_of(const struct proof *p) {
  bool is_scalar = p->leaf_is_fact;
  for (unsigned i = 0; i < 3; i++)
    is_scalar |= p->kinds[i] == KILN_PTR;
  return is_scalar ? 1 : LANES;
}

static kiln_value build(struct proof *p, enum kiln_op op, enum kiln_kind kind, const kiln_value *operands,
                        bool is_root) {
  uint16_t flags = p->flags[!is_root];
  flags = kiln_op_has_fp_flags(op) ? flags & ~1u : kiln_op_has_int_flags(op) ? flags & KILN_INT_NSW : 0;
  uint64_t mode = op == KILN_OP_FTOF ? (is_root ? p->mode % 4 : p->mode / 4) : 0;
  return kiln_build(&p->b, op, kiln_vec_type(kind, lanes_of(p)), operands, (uint32_t)strlen(kiln_op_table[op].operands),
                    mode, 0, flags);
}

static kiln_value build_pattern(struct proof *p, const uint8_t **at, enum kiln_kind kind, unsigned depth) {
  unsigned token = *(*at)++;
  if (token < X) {
    kiln_value operands[3];
    for (unsigned i = 0; i < strlen(kiln_op_table[token].operands); i++)
      operands[i] = build_pattern(p, at, kind_of_operand(p, (enum kiln_op)token, kind, i, depth), depth + 1);
    return build(p, (enum kiln_op)token, kind, operands, false);
  }
  bool is_negated = token == WITHOUT_SIGN;
  if (is_negated)
    token = *(*at)++;
  if (token >= C || (is_negated && p->constant & 1u << (token - X)))
    return kiln_const(p->fn, kiln_vec_type(kind, lanes_of(p)), p->constants[p->place++]);
  kiln_value leaf = p->leaves[token - X];
  return is_negated ? build(p, KILN_OP_FNEG, kind, &leaf, false) : leaf;
}

static void begin_instances(struct proof *p) {
  static jmp_buf exhausted; // never taken: the test fails
  struct kiln_param params[C - X] = {{0}};
  for (unsigned i = 0; i < C - X; i++)
    params[i] = (struct kiln_param){
        .name = "", .type_name = "", .type = kiln_vec_type(p->variables[i] ? p->variables[i] : KILN_I8, lanes_of(p))};
  p->module = kiln_module_new();
  p->fn = kiln_module_add_function(p->module, "f", false, kiln_scalar_type(KILN_VOID), params, C - X);
  p->b = kiln_builder_at_end(p->fn, p->fn->body);
  kiln_arena_init(&p->arena, &exhausted);
  kiln_simplify_begin(&p->s, p->fn, &p->arena);
  static const uint8_t ages[6][3] = {{0, 0, 0}, {1, 2, 3}, {3, 2, 1}, {2, 1, 3}, {1, 3, 2}, {3, 1, 2}};
  for (unsigned i = 0; i < C - X; i++) {
    p->leaves[i] = p->fn->params[i].value;
    if (p->leaf_is_fact && p->variables[i] == KILN_I64)
      p->leaves[i] = kiln_build_item(&p->b, KILN_OP_LOCAL_ID, 0);
    else if (p->leaf_is_fact)
      p->leaves[i] = kiln_build_var(&p->b, 8, 8, "");
    p->s.position[p->leaves[i]] = i < 3 ? ages[p->order][i] : 0;
  }
}

static void end_instances(struct proof *p) {
  kiln_module_free(p->module);
  kiln_arena_free(&p->arena);
  p->module = NULL;
}

// Whether a rule other than this one comes first.
static bool is_shadowed(struct proof *p) {
  const kiln_value *operands = kiln_operands(p->fn, p->before);
  for (const struct kiln_rule *rule = kiln_rules[p->op]; rule < p->rule; rule++) {
    bool same = true;
    for (unsigned i = 1; i < 3; i++)
      same &= rule->operands[i][0] != SAME || operands[i] == operands[i - 1];
    if (same && kiln_rule_apply(rule, &p->s, p->before))
      return true;
    operands = kiln_operands(p->fn, p->before);
  }
  return false;
}

// Builds the instruction, and what the rule makes of it. False: it makes nothing, or does not come first.
static bool instance(struct proof *p) {
  if (p->module && p->fn->inst_count > MAX_VALUES - 64)
    end_instances(p);
  if (!p->module)
    begin_instances(p);
  kiln_value operands[3] = {0};
  p->place = 0;
  for (unsigned i = 0; i < strlen(kiln_op_table[p->op].operands); i++) {
    const uint8_t *at = p->rule->operands[i];
    operands[i] =
        *at == SAME ? operands[i - 1] : build_pattern(p, &at, kind_of_operand(p, p->op, p->kinds[0], i, 0), 1);
  }
  p->before = build(p, p->op, p->kinds[0], operands, true);
  if (kiln_inst(p->fn, p->before)->op != p->op) // all constants
    return false;
  p->after = kiln_rule_apply(p->rule, &p->s, p->before);
  bool is_first = p->after && !is_shadowed(p);
  p->fits += is_first;
  return is_first;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool is_nan(enum kiln_kind kind, uint64_t bits) { return isnan(kiln_float_value(kind, bits)); }
static bool is_zero(enum kiln_kind kind, uint64_t bits) { return kiln_float_value(kind, bits) == 0; }

// The sets of lanes after a float operation, or a comparison of floats.
static void float_sets(const struct kiln_function *fn, kiln_value v, struct value *out) {
  const struct kiln_inst *inst = &fn->insts[v];
  bool of_sign = inst->op == KILN_OP_FNEG || inst->op == KILN_OP_FABS || inst->op == KILN_OP_COPYSIGN;
  for (uint32_t i = 0; i <= inst->operand_count; i++) {
    kiln_value which = i < inst->operand_count ? kiln_operands(fn, v)[i] : v;
    const struct value *value = &values[which];
    enum kiln_kind kind = kiln_type_kind(fn->insts[which].type);
    for (unsigned lane = 0; lane < kiln_type_lanes(inst->type) && kiln_kind_is_float(kind); lane++) {
      uint64_t bits = value->lanes.bits[lane];
      bool nan = is_nan(kind, bits), infinite = isinf(kiln_float_value(kind, bits)), zero = is_zero(kind, bits);
      out->poison |= (unsigned)((nan && inst->flags & KILN_FP_NNAN) || (infinite && inst->flags & KILN_FP_NINF))
                     << lane;
      out->any_sign |= (unsigned)(zero && inst->flags & KILN_FP_NSZ && inst->op != KILN_OP_FABS) << lane;
      out->any_nan |= (unsigned)(nan && which == v && !of_sign) << lane;
    }
  }
  if (inst->op == KILN_OP_FABS)
    out->any_sign = 0;
}

static void int_sets(const struct kiln_function *fn, kiln_value v, struct value *out) {
  const struct kiln_inst *inst = &fn->insts[v];
  unsigned bits = kiln_kind_bits(kiln_type_kind(inst->type));
  if (!kiln_op_has_int_flags((enum kiln_op)inst->op) || !(inst->flags & KILN_INT_NSW))
    return;
  for (unsigned lane = 0; lane < kiln_type_lanes(inst->type); lane++) {
    __int128 x = kiln_sign_extend(values[kiln_operands(fn, v)[0]].lanes.bits[lane], bits);
    __int128 y = kiln_sign_extend(values[kiln_operands(fn, v)[1]].lanes.bits[lane], bits);
    __int128 exact = inst->op == KILN_OP_IADD   ? x + y
                     : inst->op == KILN_OP_ISUB ? x - y
                     : inst->op == KILN_OP_IMUL ? x * y
                                                : x * ((__int128)1 << (y & (bits - 1)));
    out->overflow |= (unsigned)(exact != kiln_sign_extend(out->lanes.bits[lane], bits)) << lane;
  }
}

static void evaluate(struct proof *p, kiln_value v) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_inst *inst = &fn->insts[v];
  struct value *out = &values[v];
  if (out->stamp == stamp)
    return;
  *out = (struct value){.stamp = stamp};
  unsigned lanes = kiln_type_lanes(inst->type);
  const kiln_value *operands = kiln_operands(fn, v);
  if (inst->op == KILN_OP_CONST || inst->op == KILN_OP_CONST_VEC) {
    for (unsigned lane = 0; lane < lanes; lane++)
      out->lanes.bits[lane] = inst->op == KILN_OP_CONST ? inst->imm : fn->insts[operands[lane]].imm;
    return;
  }
  const union kiln_lanes *arguments[3];
  kiln_type types[3];
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    evaluate(p, operands[i]);
    const struct value *value = &values[operands[i]];
    arguments[i] = &value->lanes;
    types[i] = fn->insts[operands[i]].type;
    unsigned taken = all_lanes; // where the operand is the one that a choice takes
    for (unsigned lane = 0; lane < lanes && inst->op == KILN_OP_SELECT && i > 0; lane++)
      taken &= ~((unsigned)((arguments[0]->bits[lane] & 1) == i - 1) << lane);
    out->poison |= value->poison & taken;
    out->overflow |= value->overflow & taken;
    out->any_sign |= value->any_sign & taken;
    out->any_nan |= value->any_nan & taken;
  }
  bool has_fp_flags = kiln_op_has_fp_flags((enum kiln_op)inst->op);
  if (has_fp_flags && inst->op != KILN_OP_FNEG && inst->op != KILN_OP_FABS)
    out->any_nan = 0; // float_sets says where the result is one
  union kiln_lanes ones, inverse;
  if (inst->op == KILN_OP_FDIV && inst->flags & KILN_FP_ARCP && p->reciprocals) {
    for (unsigned lane = 0; lane < lanes; lane++)
      ones.bits[lane] = kiln_float_round(kiln_type_kind(inst->type), 1, KILN_ROUND_EVEN);
    cr_assert(kiln_eval(KILN_OP_FDIV, inst->type, 0, 0, NULL, types, (const union kiln_lanes *[]){&ones, arguments[1]},
                        2, &inverse));
    cr_assert(kiln_eval(KILN_OP_FMUL, inst->type, 0, 0, NULL, types,
                        (const union kiln_lanes *[]){arguments[0], &inverse}, 2, &out->lanes));
  } else {
    cr_assert(kiln_eval((enum kiln_op)inst->op, inst->type, inst->imm, inst->flags, NULL, types, arguments,
                        inst->operand_count, &out->lanes),
              "%s", kiln_op_table[inst->op].name);
  }
  if (has_fp_flags)
    float_sets(fn, v, out);
  else
    int_sets(fn, v, out);
}

// Whether a lane is what it was, or what was allowed.
static bool is_allowed(enum kiln_kind kind, const struct value *before, const struct value *after, unsigned lane) {
  uint64_t x = before->lanes.bits[lane], y = after->lanes.bits[lane];
  uint64_t magnitude = kiln_bits_mask(kiln_kind_bits(kind) - 1);
  if (before->poison >> lane & 1)
    return true;
  if (after->poison >> lane & 1 || (after->overflow & ~before->overflow) >> lane & 1)
    return false;
  if (before->any_nan >> lane & 1)
    return is_nan(kind, y);
  if (after->any_nan >> lane & 1)
    return false;
  if (before->any_sign >> lane & 1)
    return ((x ^ y) & magnitude) == 0;
  return x == y && !(after->any_sign >> lane & 1);
}

static void fail(struct proof *p, unsigned lane) {
  char before[256], after[256];
  run_ir_describe(p->fn, p->before, before, sizeof before);
  run_ir_describe(p->fn, p->after, after, sizeof after);
  unsigned long long bits[C - X];
  for (unsigned i = 0; i < C - X; i++)
    bits[i] = values[p->leaves[i]].lanes.bits[lane];
  cr_assert(
      false,
      "rule %d of %s: %s is not %s, flags %x %x, X = 0x%llx, Y = 0x%llx, Z = 0x%llx, R = 0x%llx: 0x%llx, not 0x%llx",
      (int)(p->rule - kiln_rules[p->op]) + 1, kiln_op_table[p->op].name, before, after, p->flags[0], p->flags[1],
      bits[0], bits[1], bits[2], bits[3], (unsigned long long)values[p->after].lanes.bits[lane],
      (unsigned long long)values[p->before].lanes.bits[lane]);
}

// Compares an instance, for the values that the leaves have.
static void compare(struct proof *p, unsigned count) {
  enum kiln_kind kind = p->kinds[0];
  evaluate(p, p->before);
  evaluate(p, p->after);
  struct value exact = values[p->before];
  for (unsigned lane = 0; lane < count; lane++) {
    if (is_allowed(kind, &exact, &values[p->after], lane))
      continue;
    struct value after = values[p->after];
    if (!(p->flags[0] & KILN_FP_ARCP))
      fail(p, lane);
    p->reciprocals = true;
    for (unsigned i = 0; i < C - X; i++)
      values[p->leaves[i]].stamp = stamp + 1;
    stamp++;
    evaluate(p, p->before);
    p->reciprocals = false;
    if (!is_allowed(kind, &values[p->before], &after, lane))
      fail(p, lane);
  }
}

// ---- proofs ---------------------------------------------------------------------------------------------------------

// At most so many values of a kind: all of them, or those at its edges.
static unsigned domain_of(const struct proof *p, enum kiln_kind kind, unsigned most, uint64_t *out) {
  uint64_t edges[64];
  unsigned bits = kiln_kind_bits(kind), count = 0, edge_count;
  if (bits <= 16 && 1u << bits <= most) {
    for (; count < 1u << bits; count++)
      out[count] = count;
    return count;
  }
  edge_count = edges_of(kind, edges);
  if (kiln_kind_is_float(kind)) { // NaNs with a payload, a quiet one and another
    uint64_t infinity = kiln_float_round(kind, INFINITY, KILN_ROUND_EVEN);
    edges[edge_count++] = infinity + 1;
    edges[edge_count++] = edges[FLOAT_EDGES * 2 - 1] | 5;
  }
  for (unsigned i = 0; i < edge_count && count < most; i++) // the last ones, too, which are NaNs and infinities
    out[count++] = edges[i < most / 2 ? i : edge_count - 1 - (i - most / 2)];
  if (!p->leaf_is_fact)
    return count;
  unsigned kept = 0; // ids are small, addresses not null
  for (unsigned i = 0; i < count; i++)
    if (kind == KILN_PTR ? out[i] != 0 : out[i] < 1u << 31)
      out[kept++] = out[i];
  return kept;
}

struct slots { // the values of variables, then of constants
  enum kiln_kind kinds[SLOTS];
  unsigned variables[C - X], variable_count, count;
  uint64_t *values[SLOTS];
  unsigned counts[SLOTS];
};

static struct slots slots_of(const struct proof *p) {
  static uint64_t storage[SLOTS][1 << 16];
  struct slots slots = {.count = 0};
  for (unsigned i = 0; i < C - X; i++)
    if (p->variables[i]) {
      slots.variables[slots.variable_count++] = i;
      slots.kinds[slots.count++] = p->variables[i];
    }
  for (unsigned i = 0; i < p->place_count; i++)
    slots.kinds[slots.count++] = p->places[i];
  for (unsigned i = 0; i < slots.count; i++)
    slots.values[i] = storage[i];
  return slots;
}

// All combinations of the variables' values.
static void run_variables(struct proof *p, const struct slots *slots) {
  unsigned long total = 1;
  for (unsigned i = 0; i < slots->variable_count; i++)
    total *= slots->counts[i];
  for (unsigned long first = 0; first < total; first += lanes_of(p)) {
    unsigned count = total - first < lanes_of(p) ? (unsigned)(total - first) : lanes_of(p);
    stamp++;
    for (unsigned i = 0; i < C - X; i++)
      values[p->leaves[i]] = (struct value){.stamp = stamp};
    for (unsigned lane = 0; lane < count; lane++) {
      unsigned long rest = first + lane;
      for (unsigned i = 0; i < slots->variable_count; i++, rest /= slots->counts[i - 1])
        values[p->leaves[slots->variables[i]]].lanes.bits[lane] = slots->values[i][rest % slots->counts[i]];
    }
    compare(p, count);
  }
}

// Takes as many values of each slot as there may be combinations; of one, all values. Returns whether these are all.
static bool fill(struct proof *p, struct slots *slots, unsigned full, unsigned long combinations) {
  static const unsigned numbers[] = {1 << 16, 256, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2};
  bool complete = true;
  unsigned long product = combinations + 1;
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers && product > combinations; i++) {
    product = 1;
    for (unsigned k = 0; k < slots->count; k++) {
      unsigned bits = kiln_kind_bits(slots->kinds[k]), most = k == full ? 1 << 16 : numbers[i];
      product *= bits <= 16 && 1u << bits <= most ? 1u << bits : most < 52 ? most : 52;
    }
    for (unsigned k = 0; k < slots->count && product <= combinations; k++) {
      slots->counts[k] = domain_of(p, slots->kinds[k], k == full ? 1 << 16 : numbers[i], slots->values[k]);
      complete &= kiln_kind_bits(slots->kinds[k]) <= 16 && slots->counts[k] == 1u << kiln_kind_bits(slots->kinds[k]);
      if (k >= slots->variable_count && slots->kinds[k] == KILN_PTR) { // the only constant is null
        slots->values[k][0] = 0;
        slots->counts[k] = 1;
      }
    }
  }
  cr_assert_leq(product, combinations);
  return complete;
}

// All combinations of the values of slots. Returns what fill does.
static bool run(struct proof *p, unsigned full, unsigned long combinations) {
  struct slots slots = slots_of(p);
  bool complete = fill(p, &slots, full, combinations);
  unsigned long constants = 1;
  for (unsigned k = slots.variable_count; k < slots.count; k++)
    constants *= slots.counts[k];
  for (unsigned long c = 0; c < constants; c++) {
    unsigned long rest = c;
    for (unsigned i = 0, k = slots.variable_count; k < slots.count; rest /= slots.counts[k++])
      p->constants[i++] = slots.values[k][rest % slots.counts[k]];
    if (instance(p))
      run_variables(p, &slots);
  }
  if (p->module)
    end_instances(p);
  return complete;
}

static void prove_kinds(struct proof *p) {
  static const uint16_t all = KILN_FP_NNAN | KILN_FP_NINF | KILN_FP_NSZ | KILN_FP_ARCP;
  static const uint16_t flags[][2] = {{KILN_INT_NSW | KILN_FP_NSZ, KILN_INT_NSW | KILN_FP_NSZ},
                                      {KILN_FP_NSZ | KILN_FP_NNAN, KILN_FP_NSZ | KILN_FP_NNAN},
                                      {KILN_FP_NNAN, KILN_FP_NNAN},
                                      {KILN_FP_NINF, KILN_FP_NINF},
                                      {KILN_FP_ARCP, KILN_FP_ARCP},
                                      {all, all},
                                      {all | KILN_INT_NSW, 0},
                                      {0, all | KILN_INT_NSW},
                                      {KILN_FP_NSZ, 0},
                                      {0, KILN_FP_NSZ}};
  struct slots slots = slots_of(p);
  p->flags[0] = p->flags[1] = 0;
  if (!run(p, SLOTS, FULL))
    for (unsigned full = 0; full < slots.count; full++)
      if (kiln_kind_bits(slots.kinds[full]) <= 16)
        run(p, full, slots.count > 3 ? 2 * FULL : FULL);
  bool three = p->variables[0] && p->variables[1] && p->variables[2];
  for (p->order = 1; p->order < 6 && three; p->order++)
    run(p, SLOTS, 1 << 12);
  p->order = 0;
  for (unsigned i = 0; i < sizeof flags / sizeof *flags && p->has_flags; i++) {
    memcpy(p->flags, flags[i], sizeof p->flags);
    run(p, SLOTS, 1 << 13);
  }
}

static void prove(enum kiln_op op, const struct kiln_rule *rule) {
  static const enum kiln_kind kinds[] = {KILN_BOOL, KILN_I8,  KILN_I16, KILN_I32, KILN_I64,
                                         KILN_F16,  KILN_F32, KILN_F64, KILN_PTR};
  struct proof p = {.op = op, .rule = rule};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  for (unsigned i = 0; i < KINDS * KINDS * KINDS; i++)
    for (p.constant = 0; p.constant < 4; p.constant++) { // X and Y
      p.kinds[0] = kinds[i / KINDS / KINDS];
      p.kinds[1] = kinds[i / KINDS % KINDS];
      p.kinds[2] = kinds[i % KINDS];
      p.negated = 0;
      bool is_right = read_patterns(&p);
      for (unsigned k = 1; k < 3; k++) // one of the kinds that are not read is enough
        is_right &= p.kinds_read & 1u << k || p.kinds[k] == kinds[0];
      unsigned constant = p.constant;
      p.constant = 0;
      p.negated = 0;
      is_right = is_right && read_patterns(&p) && (constant & ~p.negated) == 0;
      p.constant = constant;
      if (!is_right || !read_patterns(&p))
        continue;
      for (p.mode = 0; p.mode < (op == KILN_OP_FTOF ? 16 : 1); p.mode++) {
        prove_kinds(&p);
        p.leaf_is_fact = true;
        if (p.kinds[0] == KILN_I64 || p.kinds[1] == KILN_PTR)
          prove_kinds(&p);
        p.leaf_is_fact = false;
      }
    }
  unsigned number = (unsigned)(rule - kiln_rules[op]) + 1;
  cr_assert_gt(p.fits, 0, "rule %u of %s never fits, or another one does before it", number, kiln_op_table[op].name);
}

static unsigned prove_family(enum kiln_op_family family) {
  unsigned count = 0;
  for (unsigned op = 0; op < KILN_OP_COUNT; op++)
    for (const struct kiln_rule *rule = kiln_rules[op]; rule && rule->first && kiln_op_family(op) == family;
         rule++, count++)
      prove((enum kiln_op)op, rule);
  return count;
}

Test(pass_rules, integers, .timeout = 120) { cr_assert_gt(prove_family(KILN_FAMILY_INT), 40); }
Test(pass_rules, bools, .timeout = 120) { cr_assert_gt(prove_family(KILN_FAMILY_BOOL), 15); }
Test(pass_rules, floats, .timeout = 120) { cr_assert_gt(prove_family(KILN_FAMILY_FLOAT), 25); }
Test(pass_rules, comparisons, .timeout = 120) { cr_assert_gt(prove_family(KILN_FAMILY_COMPARE), 10); }
Test(pass_rules, choices, .timeout = 120) { cr_assert_gt(prove_family(KILN_FAMILY_VECTOR), 15); }
Test(pass_rules, conversions, .timeout = 120) { cr_assert_gt(prove_family(KILN_FAMILY_CONVERT), 15); }

// Other operations have no rules.
Test(pass_rules, families) {
  static const enum kiln_op_family proved[] = {KILN_FAMILY_INT,     KILN_FAMILY_BOOL,   KILN_FAMILY_FLOAT,
                                               KILN_FAMILY_COMPARE, KILN_FAMILY_VECTOR, KILN_FAMILY_CONVERT};
  for (unsigned op = 0; op < KILN_OP_COUNT; op++) {
    bool is_proved = !kiln_rules[op];
    for (unsigned i = 0; i < sizeof proved / sizeof *proved; i++)
      is_proved |= kiln_op_family(op) == proved[i];
    cr_assert(is_proved, "%s", kiln_op_table[op].name);
  }
}
