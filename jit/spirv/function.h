// One function of a SPIR-V module while its IR is made.
#ifndef KILN_JIT_SPIRV_FUNCTION_H
#define KILN_JIT_SPIRV_FUNCTION_H

#include "jit/spirv/flow.h"
#include "jit/spirv/module.h"

// What an id stands for. An aggregate is the list of its parts, down to scalars and vectors.
struct kiln_spv_value {
  const struct kiln_spv_type *type;
  kiln_value value;                   // of what the IR has a type for, else 0
  const struct kiln_spv_value *parts; // of an aggregate: type->count of them; NULL: none
};

struct kiln_spv_fn {
  struct kiln_spv *spv;
  const struct kiln_spv_function *source;
  struct kiln_function *fn;
  struct kiln_flow *flow;
  struct kiln_builder *b;              // where instructions go: in the region that flow.c fills
  uint32_t block;                      // that is being filled
  struct kiln_spv_value *values;       // by kiln_spv_id.number
  const struct kiln_spv_value **slots; // likewise: pointers to the variables of a value that leaves its region, in the
                                       // shape of the value; NULL: the value needs none
  bool contracts;                      // products and sums may be fused
};

// ---- function.c
void kiln_spv_make_functions(struct kiln_spv *spv);
// The value of an operand: of an instruction before, a constant, a module variable, a parameter.
struct kiln_spv_value kiln_spv_use(struct kiln_spv_fn *f, const struct kiln_spv_inst *at, uint32_t id);

// ---- one instruction, by what it does; each returns its value, or a value without type where it has none
// lower.def says which function takes which instruction, and the operation where that is one.
struct kiln_spv_lowering {
  struct kiln_spv_value (*make)(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                const struct kiln_spv_lowering *how);
  uint16_t op; // enum kiln_op, or another number that the function knows
  uint16_t detail;
};

// ---- memory.c
struct kiln_spv_value kiln_spv_load(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer,
                                    uint32_t align, uint16_t flags);
void kiln_spv_store(struct kiln_spv_fn *f, kiln_value pointer, const struct kiln_spv_value *value, uint32_t align,
                    uint16_t flags);

#endif
