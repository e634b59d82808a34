// What an exclusive scan begins with, where each work-item is a sub-group of its own: combined with any value it gives
// that value, for each way to combine and each type.
#include <criterion/criterion.h>
#include <math.h>

#include "jit/pass/pass.h"
#include "tests/support/run_ir.h"

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 0x7f,
                                 0x80,
                                 0xff,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x3c00,
                                 0xbc00,
                                 0x7c00,
                                 0xfc00,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x3f800000,
                                 0xbf800000,
                                 0x7f800000,
                                 0xff800000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 UINT64_MAX,
                                 0x3ff0000000000000,
                                 0xfff0000000000000};
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t combine(enum kiln_reduce reduce, kiln_type type, uint64_t x, uint64_t y) {
  const union kiln_lanes a = {{x}}, b = {{y}};
  union kiln_lanes out;
  cr_assert(kiln_eval(kiln_reduce_op(reduce), type, 0, 0, NULL, (kiln_type[]){type, type},
                      (const union kiln_lanes *const[]){&a, &b}, 2, &out));
  return out.bits[0];
}

// The scan's result, alone in its sub-group.
static uint64_t first_of(enum kiln_reduce reduce, kiln_type type) {
  struct kiln_param params[] = {{.name = "x", .type_name = "", .type = type}};
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = kiln_module_add_function(module, "f", false, type, params, 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value x = fn->params[0].value;
  kiln_build_return(&b, kiln_build(&b, KILN_OP_GROUP_SCAN_EXCLUSIVE, 0, &x, 1, kiln_collective(KILN_SCOPE_SUB_GROUP, 0),
                                   0, (uint16_t)reduce));
  struct kiln_caps caps = {.sub_groups = KILN_SUB_GROUPS_SINGLE, .group_collectives = true};
  cr_assert(kiln_pass_collective(module, &caps));
  const struct kiln_inst *result = kiln_inst(fn, kiln_operands(fn, fn->regions[fn->body].last)[0]);
  cr_assert_eq(result->op, KILN_OP_CONST);
  uint64_t bits = result->imm;
  kiln_module_free(module);
  return bits;
}

Test(pass_collective, identities) {
  for (unsigned reduce = 0; reduce < KILN_REDUCE_COUNT; reduce++)
    for (enum kiln_kind kind = KILN_I8; kind <= KILN_F64; kind++) {
      if ((reduce >= KILN_REDUCE_FADD) != kiln_kind_is_float(kind))
        continue;
      uint64_t first = first_of((enum kiln_reduce)reduce, kiln_scalar_type(kind));
      for (unsigned i = 0; i < EDGES; i++) {
        uint64_t x = edges[i] & kiln_bits_mask(kiln_kind_bits(kind));
        if (kiln_kind_is_float(kind) && isnan(kiln_float_value(kind, x))) // which a minimum leaves out
          continue;
        uint64_t found = combine((enum kiln_reduce)reduce, kiln_scalar_type(kind), first, x);
        bool both_zero =
            kiln_kind_is_float(kind) && kiln_float_value(kind, x) == 0 && kiln_float_value(kind, found) == 0;
        cr_assert(both_zero || run_ir_same(kind, found, x), "reduction %u of kind %d: 0x%llx and 0x%llx give 0x%llx",
                  reduce, kind, (unsigned long long)first, (unsigned long long)x, (unsigned long long)found);
      }
    }
}
