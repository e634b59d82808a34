// Expressions in bulk: a function that computes many, from parameters at the edges of their type, runs before and after
// a pass, and all must give the same.
#ifndef KILN_TESTS_PASS_BULK_H
#define KILN_TESTS_PASS_BULK_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "tests/support/run_ir.h"
#include "tests/unit/edges.h"

enum { BATCH = 256, SLOT = 64, MAX_INPUTS = 512, DESCRIPTION = 160, ROOM = 8 };

// Expressions over the parameters x, y and z of one type, the conditions b and c, and a pointer.
struct batch {
  struct kiln_module *module;
  struct kiln_function *fn;
  struct kiln_builder b;
  kiln_value x, y, z, yes, no, pointer;
  kiln_type type;
  uint32_t count;
  kiln_type types[BATCH];
  char described[BATCH][DESCRIPTION];
  bool (*pass)(struct kiln_function *fn);
  uint16_t flags;                      // given to float operations
  const union kiln_lanes (*inputs)[6]; // out, x, y, z, b and c of each run; the pointer is out, too
  uint32_t input_count;
  unsigned long total, changed; // expressions; functions that the pass changed
};

// ---- inputs
// ----------------------------------------------------------------------------------------------------------

// Inputs: all pairs of the first so many edges.
static inline uint32_t fill_inputs(union kiln_lanes (*inputs)[6], kiln_type type, unsigned xs, unsigned ys) {
  uint64_t edges[64];
  unsigned count = edges_of(kiln_type_kind(type), edges), n = 0;
  for (unsigned i = 0; i < xs && i < count; i++)
    for (unsigned k = 0; k < ys && k < count; k++) {
      memset(inputs[n], 0, sizeof inputs[n]);
      inputs[n][0].bits[0] = RUN_IR_BASE;
      for (unsigned lane = 0; lane < kiln_type_lanes(type); lane++) {
        inputs[n][1].bits[lane] = edges[(i + lane) % count];
        inputs[n][2].bits[lane] = edges[(k + lane) % count];
        inputs[n][3].bits[lane] = edges[(i * 3 + k + 1 + lane) % count];
        inputs[n][4].bits[lane] = (i + lane) & 1;
        inputs[n][5].bits[lane] = (k + lane) >> (i & 1) & 1;
      }
      n++;
    }
  return n;
}

// ---- a batch --------------------------------------------------------------------------------------------------------

static inline void begin(struct batch *t) {
  kiln_type boolean = kiln_vec_type(KILN_BOOL, kiln_type_lanes(t->type));
  struct kiln_param params[] = {{.name = "out", .type_name = "", .type = kiln_ptr_type(KILN_GLOBAL)},
                                {.name = "x", .type_name = "", .type = t->type},
                                {.name = "y", .type_name = "", .type = t->type},
                                {.name = "z", .type_name = "", .type = t->type},
                                {.name = "b", .type_name = "", .type = boolean},
                                {.name = "c", .type_name = "", .type = boolean}};
  t->module = kiln_module_new();
  t->fn = kiln_module_add_function(t->module, "f", false, kiln_scalar_type(KILN_VOID), params, 6);
  t->b = kiln_builder_at_end(t->fn, t->fn->body);
  t->pointer = t->fn->params[0].value;
  t->x = t->fn->params[1].value;
  t->y = t->fn->params[2].value;
  t->z = t->fn->params[3].value;
  t->yes = t->fn->params[4].value;
  t->no = t->fn->params[5].value;
  t->count = 0;
}

static inline void end(struct batch *t) {
  static unsigned char before[MAX_INPUTS][BATCH * SLOT], after[BATCH * SLOT];
  struct run_ir run = {.size = sizeof after};
  char message[512];
  kiln_build_return(&t->b, 0);
  cr_assert(kiln_module_verify(t->module, message, sizeof message), "%s", message);
  for (uint32_t i = 0; i < t->input_count; i++) {
    run.memory = before[i];
    run.params = t->inputs[i];
    cr_assert(run_ir(t->fn, &run), "%s", run.fault);
  }
  if (t->pass(t->fn))
    t->changed++;
  cr_assert(kiln_module_verify(t->module, message, sizeof message), "%s", message);
  for (uint32_t i = 0; i < t->input_count; i++) {
    run.memory = after;
    run.params = t->inputs[i];
    cr_assert(run_ir(t->fn, &run), "%s", run.fault);
    for (uint32_t k = 0; k < t->count; k++)
      for (unsigned lane = 0; lane < kiln_type_lanes(t->types[k]); lane++) {
        enum kiln_kind kind = kiln_type_kind(t->types[k]);
        unsigned size = kiln_kind_bits(kind) / 8;
        uint64_t x = 0, y = 0;
        memcpy(&x, before[i] + k * SLOT + lane * size, size);
        memcpy(&y, after + k * SLOT + lane * size, size);
        bool both_zero = t->flags & KILN_FP_NSZ && kiln_float_value(kind, x) == 0 && kiln_float_value(kind, y) == 0;
        cr_assert(both_zero || run_ir_same(kind, x, y), "%s of x = 0x%llx, y = 0x%llx, z = 0x%llx: 0x%llx, not 0x%llx",
                  t->described[k], (unsigned long long)t->inputs[i][1].bits[lane],
                  (unsigned long long)t->inputs[i][2].bits[lane], (unsigned long long)t->inputs[i][3].bits[lane],
                  (unsigned long long)y, (unsigned long long)x);
      }
  }
  t->total += t->count;
  run_ir_free(&run);
  kiln_module_free(t->module);
}

// Stores a value, so that it counts.
static inline void expect(struct batch *t, kiln_value v) {
  run_ir_describe(t->fn, v, t->described[t->count], DESCRIPTION);
  kiln_type type = kiln_value_type(t->fn, v);
  if (kiln_type_kind(type) == KILN_BOOL) {
    type = kiln_vec_type(KILN_I8, kiln_type_lanes(type));
    kiln_value one = kiln_const(t->fn, type, 1), zero = kiln_const(t->fn, type, 0);
    v = kiln_build3(&t->b, KILN_OP_SELECT, v, one, zero);
  }
  kiln_value index = kiln_const(t->fn, kiln_scalar_type(KILN_I64), t->count);
  kiln_build_store(&t->b, kiln_build_padd(&t->b, t->pointer, index, SLOT), v, 1, 0);
  t->types[t->count++] = type;
}

// Values that were made before are of another function after this.
static inline void make_room(struct batch *t) {
  if (t->count < BATCH - ROOM)
    return;
  end(t);
  begin(t);
}

static inline kiln_value op1(struct batch *t, unsigned op, kiln_value x) {
  return kiln_build(&t->b, (enum kiln_op)op, t->type, &x, 1, 0, 0, t->flags);
}
static inline kiln_value op2(struct batch *t, unsigned op, kiln_value x, kiln_value y) {
  return kiln_build(&t->b, (enum kiln_op)op, t->type, (kiln_value[]){x, y}, 2, 0, 0, t->flags);
}
static inline kiln_value constant(struct batch *t, uint64_t bits) { return kiln_const(t->fn, t->type, bits); }

static inline bool is_unary(unsigned op) { return strlen(kiln_op_table[op].operands) == 1; }

static inline kiln_value either(struct batch *t, unsigned op, kiln_value x, kiln_value y) {
  return is_unary(op) ? op1(t, op, x) : op2(t, op, x, y);
}

static inline kiln_value choice(struct batch *t, kiln_value c, kiln_value x, kiln_value y) {
  return kiln_build3(&t->b, KILN_OP_SELECT, c, x, y);
}

static inline kiln_value convert(struct batch *t, unsigned op, enum kiln_kind to, kiln_value x, unsigned mode) {
  return kiln_build(&t->b, (enum kiln_op)op, kiln_scalar_type(to), &x, 1, mode, 0, 0);
}

static inline kiln_value number(struct batch *t, unsigned n) {
  return kiln_const(t->fn, kiln_scalar_type(KILN_I32), n);
}

static union kiln_lanes inputs[MAX_INPUTS][6];

#endif
