// Affine forms: an address or index as a base, a constant and terms. The one place that takes sums apart.
#include "jit/facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned bits_of(const struct kiln_function *fn, kiln_value v) {
  return kiln_kind_bits(kiln_type_kind(fn->insts[v].type));
}

// By unsigned arithmetic: factors are numbers modulo 2^64.
static int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static bool constant(const struct kiln_function *fn, kiln_value v, enum kiln_op extension, int64_t *out) {
  const struct kiln_inst *inst = &fn->insts[v];
  if (inst->op != KILN_OP_CONST || !kiln_kind_is_int(kiln_type_kind(inst->type)))
    return false;
  *out = extension == KILN_OP_ZEXT ? (int64_t)inst->imm : kiln_sign_extend(inst->imm, bits_of(fn, v));
  return true;
}

// Whether a sum or disjunction with a constant sets bits that are zero: it is then a sum that cannot wrap.
static bool sets_zeros(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  int64_t number;
  if ((inst->op != KILN_OP_IADD && inst->op != KILN_OP_OR) || !constant(fn, x[1], KILN_OP_SEXT, &number) || number < 0)
    return false;
  return !((uint64_t)number & ~kiln_known_zeros(fn, x[0]));
}

// Whether a 32-bit id is a work-item's whole id.
static bool is_small_id(const struct kiln_function *fn, kiln_value truncation) {
  const struct kiln_inst *id = &fn->insts[kiln_operands(fn, truncation)[0]];
  return bits_of(fn, truncation) == 32 &&
         (id->op == KILN_OP_LOCAL_ID || (id->op == KILN_OP_GLOBAL_ID && fn->module->small_ids));
}

static bool is_uniform(const struct kiln_function *fn, kiln_value v) {
  return v < fn->shape_count && fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
}

// ---- one step: what a value is the sum of

#define SCALED (1u << 31) // beside enum kiln_affine_flags: of a factor of a product, which takes no other one apart

struct parts {
  struct kiln_affine_part of[2];
  uint32_t count; // 0: it is not taken apart
  bool may_wrap;  // which is noted
};

// Which operand of a product is its scale: one that is the same for the launch, what a loop does not change, or what is
// uniform. 2: none, since both are the same for the launch.
static unsigned scale_of(const struct kiln_function *fn, const kiln_value *x) {
  bool of_launch[2] = {kiln_is_of_launch(fn, x[0]), kiln_is_of_launch(fn, x[1])};
  if (of_launch[0] || of_launch[1])
    return of_launch[0] && of_launch[1] ? 2 : of_launch[1];
  if (fn->insts[x[0]].op == KILN_OP_PHI || fn->insts[x[1]].op == KILN_OP_PHI)
    return fn->insts[x[0]].op == KILN_OP_PHI;
  return is_uniform(fn, x[1]) || !is_uniform(fn, x[0]);
}

static void add_part(struct parts *parts, const struct kiln_affine_key *key, kiln_value x, int64_t factor) {
  parts->of[parts->count++] = (struct kiln_affine_part){{x, key->extension, key->flags}, factor, 0};
}

static struct kiln_affine_part scaled_part(const struct kiln_affine_key *key, kiln_value x, int64_t factor,
                                           kiln_value scale) {
  unsigned flags = scale ? (key->flags & ~(unsigned)KILN_AFFINE_PRODUCTS) | SCALED : key->flags;
  return (struct kiln_affine_part){{x, key->extension, flags}, factor, scale};
}

static void split_product(const struct kiln_function *fn, const struct kiln_affine_key *key, struct parts *parts) {
  const kiln_value *x = kiln_operands(fn, key->value);
  int64_t number;
  for (unsigned i = 0; i < 2; i++)
    if (constant(fn, x[i], key->extension, &number)) {
      add_part(parts, key, x[!i], number);
      return;
    }
  unsigned side = key->flags & KILN_AFFINE_PRODUCTS ? scale_of(fn, x) : 2;
  if (side < 2)
    parts->of[parts->count++] = scaled_part(key, x[!side], 1, x[side]);
}

// An extension to 64 bits, or of what is extended further: the inner one decides, unless that is signed and the outer
// one is not.
static void split_extension(const struct kiln_function *fn, const struct kiln_affine_key *key, struct parts *parts) {
  struct kiln_affine_key inner = {0, kiln_op_of(&fn->insts[key->value]), key->flags};
  kiln_value x = kiln_operands(fn, key->value)[0];
  bool is_other = inner.extension != key->extension && key->extension != KILN_OP_CONST;
  if (kiln_kind_is_int(kiln_type_kind(fn->insts[x].type)) &&
      !(is_other && (key->flags & SCALED || inner.extension == KILN_OP_SEXT)))
    add_part(parts, &inner, x, 1);
}

static void split_by_operation(const struct kiln_function *fn, const struct kiln_affine_key *key, struct parts *parts) {
  const struct kiln_inst *inst = &fn->insts[key->value];
  const kiln_value *x = kiln_operands(fn, key->value);
  const struct kiln_affine_key whole = {0, KILN_OP_CONST, key->flags};
  int64_t count;
  switch (inst->op) {
  case KILN_OP_PADD:
    add_part(parts, &whole, x[0], 1);
    add_part(parts, &whole, x[1], (int64_t)inst->imm);
    break;
  case KILN_OP_OR:
    if (!sets_zeros(fn, key->value))
      break;
    // fall through
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
    add_part(parts, key, x[0], 1);
    add_part(parts, key, x[1], inst->op == KILN_OP_ISUB ? -1 : 1);
    break;
  case KILN_OP_IMUL:
    split_product(fn, key, parts);
    break;
  case KILN_OP_SHL:
    if (constant(fn, x[1], KILN_OP_ZEXT, &count))
      add_part(parts, key, x[0], (int64_t)((uint64_t)1 << (uint64_t)count % bits_of(fn, key->value)));
    break;
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
    split_extension(fn, key, parts);
    break;
  case KILN_OP_TRUNC:
    if (key->extension != KILN_OP_CONST && !(key->flags & SCALED))
      add_part(parts, &whole, x[0], 1);
    break;
  }
}

static bool is_extension(unsigned op) { return op == KILN_OP_SEXT || op == KILN_OP_ZEXT; }

// Whether the value may be another one than the sum of its parts, under the extension.
static bool may_wrap(const struct kiln_function *fn, const struct kiln_affine_key *key) {
  const struct kiln_inst *inst = &fn->insts[key->value];
  if (key->extension == KILN_OP_CONST || is_extension(inst->op) || inst->op == KILN_OP_PADD)
    return false;
  if (inst->op == KILN_OP_TRUNC)
    return !is_small_id(fn, key->value);
  return !(key->extension == KILN_OP_SEXT && inst->flags & KILN_INT_NSW) && !sets_zeros(fn, key->value);
}

static struct parts split(const struct kiln_function *fn, const struct kiln_affine_key *key) {
  static const bool may_split[KILN_OP_COUNT] = {
      [KILN_OP_PADD] = true, [KILN_OP_IADD] = true, [KILN_OP_ISUB] = true, [KILN_OP_OR] = true,   [KILN_OP_IMUL] = true,
      [KILN_OP_SHL] = true,  [KILN_OP_SEXT] = true, [KILN_OP_ZEXT] = true, [KILN_OP_TRUNC] = true};
  const struct kiln_inst *inst = &fn->insts[key->value];
  struct parts parts;
  parts.count = 0, parts.may_wrap = false;
  if (!may_split[inst->op])
    return parts;
  bool is_pointer = kiln_type_kind(inst->type) == KILN_PTR;
  if (kiln_type_lanes(inst->type) > 1 || (key->flags & KILN_AFFINE_WHOLE && !is_pointer && is_uniform(fn, key->value)))
    return parts;
  split_by_operation(fn, key, &parts);
  parts.may_wrap = parts.count && may_wrap(fn, key);
  if (parts.may_wrap && !(key->flags & KILN_AFFINE_MAY_WRAP))
    parts.count = 0;
  return parts;
}

// ---- sums of forms

static bool add_term(struct kiln_affine *form, struct kiln_term term) {
  uint32_t i = 0;
  while (i < form->term_count && (form->terms[i].value != term.value || form->terms[i].scale != term.scale ||
                                  form->terms[i].extension != term.extension))
    i++;
  if (term.factor == 0)
    return true;
  if (i == KILN_AFFINE_TERMS)
    return false;
  if (i == form->term_count)
    form->terms[form->term_count++] = (struct kiln_term){term.value, term.scale, term.extension, 0};
  form->terms[i].factor = plus(form->terms[i].factor, term.factor);
  if (!form->terms[i].factor)
    form->terms[i] = form->terms[--form->term_count];
  return true;
}

static bool add_wrap(const struct kiln_function *fn, struct kiln_affine *form, kiln_value v, enum kiln_op extension) {
  unsigned bits = bits_of(fn, v);
  for (uint32_t i = 0; i < form->wrap_count; i++)
    if (form->wraps[i].value == v && form->wraps[i].extension == extension)
      return true;
  if (form->wrap_count == KILN_AFFINE_WRAPS)
    return false;
  form->wraps[form->wrap_count].value = v;
  form->wraps[form->wrap_count++].extension = extension;
  form->exact_bits = bits < form->exact_bits ? bits : form->exact_bits;
  return true;
}

// Adds the form of a part, times its factor and scale. False: the sum has too many terms.
static bool add_form(const struct kiln_function *fn, struct kiln_affine *sum, const struct kiln_affine *form,
                     const struct kiln_affine_part *part) {
  bool fits = !form->base || part->factor == 1;
  for (uint32_t i = 0; i < form->wrap_count; i++)
    fits &= add_wrap(fn, sum, form->wraps[i].value, form->wraps[i].extension);
  for (uint32_t i = 0; i < form->term_count; i++) {
    struct kiln_term term = form->terms[i];
    term.scale = part->scale ? part->scale : term.scale;
    term.factor = times(term.factor, part->factor);
    fits &= add_term(sum, term);
  }
  int64_t number = times(form->constant, part->factor);
  if (part->scale)
    fits &= add_term(sum, (struct kiln_term){part->scale, 0, part->key.extension, number});
  else
    sum->constant = plus(sum->constant, number);
  sum->base = form->base ? form->base : sum->base;
  return fits;
}

// Of a value that is not taken apart.
static void make_leaf(const struct kiln_function *fn, const struct kiln_affine_key *key, struct kiln_affine *out) {
  *out = (struct kiln_affine){.exact_bits = 64};
  if (constant(fn, key->value, key->extension, &out->constant))
    return;
  if (kiln_type_kind(fn->insts[key->value].type) == KILN_PTR)
    out->base = key->value;
  else
    out->terms[out->term_count++] = (struct kiln_term){key->value, 0, key->extension, 1};
}

// ---- forms that are kept

// The form of a value that is taken apart, if it is kept; else NULL.
static const struct kiln_affine *kept_form(const struct kiln_affine_memo *memo, const struct kiln_affine_key *key) {
  uint32_t i = key->value < memo->value_count ? memo->first[key->value] : 0;
  while (i && (memo->kept[i].key.extension != key->extension || memo->kept[i].key.flags != key->flags))
    i = memo->kept[i].next;
  return i ? &memo->kept[i].form : NULL;
}

// The parts are still to be added, the last one first.
static bool push_parts(const struct kiln_function *fn, const struct parts *parts, int64_t factor, kiln_value scale) {
  struct kiln_affine_memo *memo = &kiln_function_priv(fn)->affine;
  if (!KILN_IR_RESERVE(fn->module, memo->parts, memo->part_count, memo->part_capacity, 2))
    return false;
  for (uint32_t i = parts->count; i-- > 0;) {
    struct kiln_affine_part part = parts->of[i];
    part.factor = times(part.factor, factor);
    part.scale = scale ? scale : part.scale;
    memo->parts[memo->part_count++] = part;
  }
  return true;
}

// Adds a part: its form, or where that does not fit, the parts that it is made of in turn. So where a form has not room
// for all of a value, it is the inner operations that are not taken apart.
static bool add_part_of(const struct kiln_function *fn, const struct kiln_affine_part *part, struct kiln_affine *sum) {
  const struct kiln_affine *form = kept_form(&kiln_function_priv(fn)->affine, &part->key);
  struct kiln_affine before;
  if (form) {
    before = *sum;
    if (add_form(fn, sum, form, part))
      return true;
    *sum = before;
    struct parts parts = split(fn, &part->key);
    if (!parts.may_wrap || add_wrap(fn, sum, part->key.value, part->key.extension))
      return push_parts(fn, &parts, part->factor, part->scale);
  }
  make_leaf(fn, &part->key, &before);
  return add_form(fn, sum, &before, part);
}

static bool add_parts(const struct kiln_function *fn, const struct parts *parts, struct kiln_affine *sum) {
  struct kiln_affine_memo *memo = &kiln_function_priv(fn)->affine;
  memo->part_count = 0;
  bool fits = push_parts(fn, parts, 1, 0);
  while (fits && memo->part_count) {
    struct kiln_affine_part part = memo->parts[--memo->part_count];
    fits = add_part_of(fn, &part, sum);
  }
  return fits;
}

static void make_form(const struct kiln_function *fn, const struct kiln_affine_key *key, const struct parts *parts,
                      struct kiln_affine *out) {
  *out = (struct kiln_affine){.exact_bits = 64};
  if ((parts->may_wrap && !add_wrap(fn, out, key->value, key->extension)) || !add_parts(fn, parts, out))
    make_leaf(fn, key, out);
}

// Makes room for one more form, and for the parts of a value on the stack.
static bool reserve(const struct kiln_function *fn, struct kiln_affine_memo *memo) {
  return KILN_IR_RESERVE(fn->module, memo->kept, memo->kept_count, memo->kept_capacity, 2) &&
         KILN_IR_RESERVE(fn->module, memo->stack, memo->stack_count, memo->stack_capacity, 2);
}

static bool reserve_values(const struct kiln_function *fn, struct kiln_affine_memo *memo) {
  uint32_t added = fn->inst_count - memo->value_count;
  if (!KILN_IR_RESERVE(fn->module, memo->first, memo->value_count, memo->first_capacity, added))
    return false;
  memset(memo->first + memo->value_count, 0, added * sizeof *memo->first);
  memo->value_count = fn->inst_count;
  memo->kept_count += !memo->kept_count; // kept[0] stays unused: 0 ends a list
  return true;
}

static void keep_form(const struct kiln_function *fn, struct kiln_affine_memo *memo, const struct kiln_affine_key *key,
                      const struct parts *parts) {
  struct kiln_affine_kept *kept = &memo->kept[memo->kept_count];
  make_form(fn, key, parts, &kept->form);
  kept->key = *key;
  kept->next = memo->first[key->value];
  memo->first[key->value] = memo->kept_count++;
}

// Finds the form of a value, after those of its parts, which are kept.
static void find_form(const struct kiln_function *fn, const struct kiln_affine_key *root, struct kiln_affine *out) {
  struct kiln_affine_memo *memo = &kiln_function_priv(fn)->affine;
  memo->stack_count = 0;
  if (!kept_form(memo, root) && split(fn, root).count && reserve(fn, memo) && reserve_values(fn, memo))
    memo->stack[memo->stack_count++] = *root;
  while (memo->stack_count && reserve(fn, memo)) {
    struct kiln_affine_key key = memo->stack[memo->stack_count - 1];
    struct parts parts = split(fn, &key);
    uint32_t before = memo->stack_count;
    for (uint32_t i = 0; i < parts.count; i++)
      if (!kept_form(memo, &parts.of[i].key) && split(fn, &parts.of[i].key).count)
        memo->stack[memo->stack_count++] = parts.of[i].key;
    if (memo->stack_count > before)
      continue;
    memo->stack_count--;
    if (!kept_form(memo, &key)) // both parts of a sum may be the same
      keep_form(fn, memo, &key, &parts);
  }
  const struct kiln_affine *form = kept_form(memo, root);
  if (form)
    *out = *form;
  else
    make_leaf(fn, root, out);
}

void kiln_affine_forget(const struct kiln_function *fn) {
  struct kiln_affine_memo *memo = &kiln_function_priv(fn)->affine;
  for (uint32_t i = 1; i < memo->kept_count; i++)
    memo->first[memo->kept[i].key.value] = 0;
  memo->kept_count = 0;
  memo->changes = kiln_function_priv(fn)->changes;
}

static bool is_same(const struct kiln_affine *x, const struct kiln_affine *y) {
  bool same = x->base == y->base && x->constant == y->constant && x->term_count == y->term_count &&
              x->wrap_count == y->wrap_count && x->exact_bits == y->exact_bits;
  for (uint32_t i = 0; same && i < x->term_count; i++)
    same = x->terms[i].value == y->terms[i].value && x->terms[i].scale == y->terms[i].scale &&
           x->terms[i].extension == y->terms[i].extension && x->terms[i].factor == y->terms[i].factor;
  for (uint32_t i = 0; same && i < x->wrap_count; i++)
    same = x->wraps[i].value == y->wraps[i].value && x->wraps[i].extension == y->wraps[i].extension;
  return same;
}

bool kiln_affine_holds(const struct kiln_function *fn, char *message, size_t size) {
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  const struct kiln_affine_memo *memo = &priv->affine;
  bool is_used = priv->facts_count && priv->changes == memo->changes; // else kiln_affine_of forgets it
  uint32_t count = is_used ? memo->kept_count : 0;
  struct kiln_affine_kept *kept = count ? malloc(count * sizeof *kept) : NULL;
  bool holds = true;
  if (!kept)
    return true;
  memcpy(kept, memo->kept, count * sizeof *kept);
  kiln_affine_forget(fn);
  for (uint32_t i = 1; i < count; i++) {
    struct kiln_affine form;
    find_form(fn, &kept[i].key, &form);
    if (!is_same(&form, &kept[i].form)) {
      snprintf(message, size, "the affine form of %%%u is another one than the one that is kept", kept[i].key.value);
      holds = false;
    }
  }
  free(kept);
  return holds;
}

// ---- quotients and remainders

enum rounding { ROUNDS_UNSIGNED, ROUNDS_TO_ZERO, ROUNDS_DOWN };

// A quotient or remainder of a value and a constant.
struct division {
  kiln_value dividend;
  int64_t divisor;
  enum rounding rounding; // of the quotient; a mask belongs to both that are not rounded to zero
  bool is_quotient, is_mask;
};

static bool find_division(const struct kiln_function *fn, kiln_value v, struct division *out) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  bool shifts = op == KILN_OP_LSHR || op == KILN_OP_ASHR, is_quotient = kiln_op_is_quotient(op);
  *out = (struct division){.is_quotient = shifts || is_quotient, .is_mask = op == KILN_OP_AND};
  if (!out->is_quotient && !out->is_mask && !kiln_op_is_remainder(op))
    return false;
  out->rounding = kiln_op_is_signed_division(op) ? ROUNDS_TO_ZERO : op == KILN_OP_ASHR ? ROUNDS_DOWN : ROUNDS_UNSIGNED;
  out->dividend = kiln_operands(fn, v)[0];
  if (!constant(fn, kiln_operands(fn, v)[1], KILN_OP_SEXT, &out->divisor))
    return false;
  if (shifts)
    out->divisor = (int64_t)((uint64_t)1 << ((uint64_t)out->divisor % bits_of(fn, v)));
  out->divisor = plus(out->divisor, out->is_mask);
  return out->divisor > 1 && (!out->is_mask || (out->divisor & (out->divisor - 1)) == 0);
}

// Whether the terms are a quotient times the divisor, and the remainder. *extension: that of the dividend, their sum.
static bool is_dividend(const struct kiln_function *fn, const struct kiln_term *q, const struct kiln_term *r,
                        struct division *quotient, enum kiln_op *extension) {
  struct division remainder;
  if (q->scale != r->scale || q->extension != r->extension || !find_division(fn, q->value, quotient) ||
      !quotient->is_quotient || !find_division(fn, r->value, &remainder) || remainder.is_quotient ||
      quotient->dividend != remainder.dividend || quotient->divisor != remainder.divisor ||
      q->factor != times(r->factor, quotient->divisor))
    return false;
  *extension = r->extension;
  if (quotient->rounding == ROUNDS_UNSIGNED && *extension == KILN_OP_SEXT && !q->scale)
    *extension = KILN_OP_ZEXT; // both are positive
  bool is_signed = quotient->rounding != ROUNDS_UNSIGNED;
  return (remainder.is_mask ? quotient->rounding != ROUNDS_TO_ZERO : quotient->rounding == remainder.rounding) &&
         *extension != (is_signed ? KILN_OP_ZEXT : KILN_OP_SEXT);
}

// x / c * c + x % c -> x
static bool join_quotients(const struct kiln_function *fn, unsigned flags, struct kiln_affine *form) {
  struct division division;
  struct kiln_affine_key key = {.flags = flags};
  for (uint32_t q = 0; q < form->term_count; q++)
    for (uint32_t r = 0; r < form->term_count; r++) {
      struct kiln_term quotient = form->terms[q], remainder = form->terms[r];
      if (!is_dividend(fn, &quotient, &remainder, &division, &key.extension))
        continue;
      form->terms[q < r ? r : q] = form->terms[--form->term_count];
      form->terms[q < r ? q : r] = form->terms[--form->term_count];
      struct parts parts = {.count = 1};
      struct kiln_affine dividend;
      parts.of[0] = scaled_part(&key, division.dividend, remainder.factor, quotient.scale);
      find_form(fn, &parts.of[0].key, &dividend); // which is kept
      return add_parts(fn, &parts, form) && join_quotients(fn, flags, form);
    }
  return true;
}

void kiln_affine_of(const struct kiln_function *fn, kiln_value value, unsigned flags, struct kiln_affine *out) {
  bool is_extended = flags & KILN_AFFINE_EXTENDED && bits_of(fn, value) < 64;
  unsigned bits = is_extended ? 64 : bits_of(fn, value);
  struct kiln_affine_key key = {value, is_extended ? KILN_OP_SEXT : KILN_OP_CONST, flags & ~KILN_AFFINE_EXTENDED};
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  if (!priv->facts_count || priv->changes != priv->affine.changes)
    kiln_affine_forget(fn);
  find_form(fn, &key, out);
  if (!join_quotients(fn, key.flags, out))
    make_leaf(fn, &key, out);
  out->exact_bits = bits < out->exact_bits ? bits : out->exact_bits;
}

static bool has_term(const struct kiln_affine *form, const struct kiln_term *x) {
  for (uint32_t i = 0; i < form->term_count; i++) {
    const struct kiln_term *y = &form->terms[i];
    if (x->value == y->value && x->scale == y->scale && x->extension == y->extension && x->factor == y->factor)
      return true;
  }
  return false;
}

bool kiln_affine_distance(const struct kiln_affine *from, const struct kiln_affine *to, int64_t *distance) {
  if (from->base != to->base || from->term_count != to->term_count)
    return false;
  for (uint32_t i = 0; i < from->term_count; i++)
    if (!has_term(to, &from->terms[i]))
      return false;
  *distance = plus(to->constant, times(from->constant, -1));
  return true;
}

// Moves the terms that are in one form only to the front, and counts them.
static uint32_t difference(struct kiln_affine *x, const struct kiln_affine *y) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->term_count; i++) {
    const struct kiln_term term = x->terms[i];
    if (!has_term(y, &term)) {
      x->terms[i] = x->terms[count];
      x->terms[count++] = term;
    }
  }
  return count;
}

bool kiln_affine_disjoint(const struct kiln_function *fn, kiln_value a, uint32_t size_a, kiln_value b,
                          uint32_t size_b) {
  struct kiln_affine x, y, m, n;
  int64_t distance;
  kiln_affine_of(fn, a, 0, &x);
  kiln_affine_of(fn, b, 0, &y);
  if (kiln_affine_distance(&x, &y, &distance))
    return distance < 0 ? (uint64_t)0 - (uint64_t)distance >= size_b : (uint64_t)distance >= size_a;
  // base + extended(i + 1) * stride and base + extended(i) * stride differ by a stride at least, wrapped or not.
  struct kiln_affine only_x = x, only_y = y;
  if (x.base != y.base || x.constant != y.constant || difference(&only_x, &y) != 1 || difference(&only_y, &x) != 1)
    return false;
  const struct kiln_term *s = &only_x.terms[0], *t = &only_y.terms[0];
  uint64_t stride = s->factor < 0 ? (uint64_t)0 - (uint64_t)s->factor : (uint64_t)s->factor;
  if (s->factor != t->factor || s->extension != t->extension || s->scale || t->scale || stride >> 31 ||
      s->extension == KILN_OP_CONST || bits_of(fn, s->value) != bits_of(fn, t->value) || stride < size_a ||
      stride < size_b)
    return false;
  kiln_affine_of(fn, s->value, 0, &m);
  kiln_affine_of(fn, t->value, 0, &n);
  return kiln_affine_distance(&m, &n, &distance) && (uint64_t)distance & kiln_bits_mask(bits_of(fn, s->value));
}
