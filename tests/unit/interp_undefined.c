// Which bits of a result the interpreter takes for undefined: all that some choice of the undefined bits of the
// operands changes, and no others where bits are only moved, masked or compared.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "backends/interp/interp.h"

struct op_case {
  enum kiln_op op;
  bool exact;
};

static const struct op_case cases[] = {
    {KILN_OP_AND, true},   {KILN_OP_OR, true},    {KILN_OP_XOR, true},   {KILN_OP_EQ, true},    {KILN_OP_NE, true},
    {KILN_OP_ULT, true},   {KILN_OP_ULE, true},   {KILN_OP_SLT, true},   {KILN_OP_SLE, true},   {KILN_OP_IADD, false},
    {KILN_OP_ISUB, false}, {KILN_OP_IMUL, false}, {KILN_OP_SHL, false},  {KILN_OP_LSHR, false}, {KILN_OP_ASHR, false},
    {KILN_OP_UDIV, false}, {KILN_OP_SREM, false}, {KILN_OP_UMIN, false}, {KILN_OP_SMAX, false},
};
#define CASE_COUNT (sizeof cases / sizeof *cases)

enum { BITS = 8, VALUE_WORDS = 3 };

static uint64_t evaluate(enum kiln_op op, uint64_t x, uint64_t y) {
  struct interp_inst inst = {.op = op, .lanes = 1, .bits = BITS};
  uint64_t a[VALUE_WORDS] = {0, x}, b[VALUE_WORDS] = {0, y}, result[VALUE_WORDS];
  kiln_interp_int(&inst, result, a, b);
  cr_assert_eq(result[0], 0);
  return result[1];
}

static uint64_t claimed(enum kiln_op op, uint64_t x, uint64_t y, uint64_t undefined_x, uint64_t undefined_y) {
  struct interp_inst inst = {.op = op, .lanes = 1, .bits = BITS};
  uint64_t a[VALUE_WORDS] = {undefined_x != 0, x, undefined_x}, b[VALUE_WORDS] = {undefined_y != 0, y, undefined_y};
  uint64_t result[VALUE_WORDS];
  kiln_interp_int(&inst, result, a, b);
  return interp_undefined(result, 1, 0);
}

// The bits that some choice of the undefined ones changes.
static uint64_t changing(enum kiln_op op, uint64_t x, uint64_t y, uint64_t undefined_x, uint64_t undefined_y) {
  uint64_t first = evaluate(op, x, y), changed = 0, i = 0;
  do { // all subsets of both masks
    uint64_t k = 0;
    do {
      changed |= first ^ evaluate(op, (x & ~undefined_x) | i, (y & ~undefined_y) | k);
      k = (k - undefined_y) & undefined_y;
    } while (k);
    i = (i - undefined_x) & undefined_x;
  } while (i);
  return changed;
}

static unsigned few_bits(void) { // at most four
  unsigned bits = 0;
  for (int i = 0; i < 4; i++)
    bits |= rand() % 3 ? 0 : 1u << rand() % BITS;
  return bits;
}

Test(interp_undefined, every_bit_that_may_change) {
  srand(1);
  size_t ran = 0, known = 0;
  for (size_t c = 0; c < CASE_COUNT; c++)
    for (int round = 0; round < 300; round++, ran++) {
      uint64_t x = (uint64_t)rand() & 255, y = (uint64_t)rand() & 255, u = few_bits(), v = few_bits();
      uint64_t says = claimed(cases[c].op, x, y, u, v), changes = changing(cases[c].op, x, y, u, v);
      const char *name = kiln_op_table[cases[c].op].name;
      cr_assert_eq(changes & ~says, 0, "%s %llx %llx, undefined %llx %llx: says %llx, may change %llx", name,
                   (unsigned long long)x, (unsigned long long)y, (unsigned long long)u, (unsigned long long)v,
                   (unsigned long long)says, (unsigned long long)changes);
      if (cases[c].exact)
        cr_assert_eq(changes, says, "%s %llx %llx, undefined %llx %llx: says %llx, may change %llx", name,
                     (unsigned long long)x, (unsigned long long)y, (unsigned long long)u, (unsigned long long)v,
                     (unsigned long long)says, (unsigned long long)changes);
      known += (u | v) && says != 255;
    }
  cr_expect_eq(ran, CASE_COUNT * 300);
  cr_expect_gt(known, 1000);
}
