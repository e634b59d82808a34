// Atomics and fences. An atomic is the built-in of OpenCL 1.x, which is relaxed and every device has; what its order
// demands beyond that is said by fences around it.
#include "backends/opencl/print/print.h"

static const char *fence_flags(uint32_t bits) {
  static const char *const names[] = {"CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE",
                                      "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"};
  return names[bits & 3];
}

static const char *order_name(enum kiln_order order) {
  static const char *const names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return names[order];
}

// Kiln's buffers are shared with nothing but the device while a kernel runs: no scope is wider, and not every device of
// OpenCL 3.0 has a name for one.
static const char *scope_name(enum kiln_scope scope) {
  static const char *const names[] = {"work_item", "sub_group", "work_group", "device", "device"};
  return names[scope];
}

// A fence as text, without semicolon.
static const char *fence_text(struct cl_printer *p, kiln_value value, enum kiln_order order, enum kiln_scope scope,
                              uint32_t bits) {
  const char *flags = fence_flags(bits);
  const struct cl_features *features = &p->options.features;
  if (order == KILN_SEQ_CST && scope > KILN_SCOPE_GROUP && !features->seq_cst)
    kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s: %s has no sequentially consistent atomics", kiln_cl_where(p, value),
                 p->options.device);
  if (scope > KILN_SCOPE_GROUP && features->c11_atomics && features->version >= 200) {
    kiln_cl_need_version(p, 200);
    return kiln_cl_format(p, "atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s)", flags, order_name(order),
                          scope_name(scope));
  }
  const char *name = order == KILN_ACQUIRE ? "read_mem_fence" : order == KILN_RELEASE ? "write_mem_fence" : "mem_fence";
  return kiln_cl_format(p, "%s(%s)", name, flags);
}

void kiln_cl_fence(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (inst->op == KILN_OP_BARRIER) {
    kiln_cl_line(p, "barrier(%s);", fence_flags(inst->imm2));
    return;
  }
  enum kiln_order order = kiln_atomic_order(inst->imm);
  if (order != KILN_RELAXED)
    kiln_cl_line(p, "%s;", fence_text(p, value, order, kiln_atomic_scope(inst->imm), inst->imm2));
}

// ---- operations

static const char *rmw_name(unsigned rmw) {
  switch ((enum kiln_rmw)rmw) {
  case KILN_RMW_ADD:
    return "add";
  case KILN_RMW_SUB:
    return "sub";
  case KILN_RMW_XCHG:
    return "xchg";
  case KILN_RMW_AND:
    return "and";
  case KILN_RMW_OR:
    return "or";
  case KILN_RMW_XOR:
    return "xor";
  case KILN_RMW_SMIN:
  case KILN_RMW_UMIN:
    return "min";
  case KILN_RMW_SMAX:
  case KILN_RMW_UMAX:
    return "max";
  case KILN_RMW_FADD:
  case KILN_RMW_FMIN:
  case KILN_RMW_FMAX:
  case KILN_RMW_COUNT:
    return NULL;
  }
  return NULL;
}

static bool is_extended(unsigned rmw) {
  return rmw != KILN_RMW_ADD && rmw != KILN_RMW_SUB && rmw != KILN_RMW_XCHG && rmw < KILN_RMW_FADD;
}

// The integer of the same size.
static kiln_type bits_type(kiln_type type) {
  return kiln_scalar_type(kiln_kind_bits(kiln_type_kind(type)) == 64 ? KILN_I64 : KILN_I32);
}

struct atomic {
  kiln_value pointer;
  kiln_type type, bits;
  const char *prefix; // "atomic" or "atom"
  bool is_float;
  struct cl_text place; // volatile pointer to the integer
};

static struct cl_text as_type(struct cl_printer *p, kiln_type type, struct cl_text text, enum cl_sign sign) {
  return kiln_cl_call(p, kiln_cl_format(p, "as_%s", kiln_cl_type_name(p, type, CL_UNSIGNED)), text.s, sign);
}

static struct cl_text as_bits(struct cl_printer *p, const struct atomic *a, kiln_value operand, enum cl_sign sign) {
  struct cl_text text = kiln_cl_expr(p, operand, sign);
  return a->is_float ? as_type(p, a->bits, text, sign) : text;
}

static struct cl_text from_bits(struct cl_printer *p, const struct atomic *a, struct cl_text text) {
  return a->is_float ? as_type(p, a->type, text, CL_ANY) : text;
}

// "atomic_add(place, operand)"
static struct cl_text operation(struct cl_printer *p, const struct atomic *a, const char *name, const char *list,
                                enum cl_sign sign) {
  return kiln_cl_call(p, kiln_cl_format(p, "%s_%s", a->prefix, name), kiln_cl_format(p, "%s, %s", a->place.s, list),
                      sign);
}

static struct cl_text rmw(struct cl_printer *p, kiln_value value, struct atomic *a) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_value operand = kiln_operands(p->fn, value)[1];
  enum kiln_space space = kiln_type_space(kiln_value_type(p->fn, a->pointer));
  if (inst->flags >= KILN_RMW_FADD) {
    const char *name = kiln_cl_helper(p, CL_HELPER_FLOAT_ATOMIC, a->type, CL_ANY, inst->flags | (uint32_t)space << 8);
    return kiln_cl_call(p, name, kiln_cl_format(p, "%s, %s", a->place.s, kiln_cl_expr(p, operand, CL_ANY).s), CL_ANY);
  }
  bool is_signed = inst->flags == KILN_RMW_SMIN || inst->flags == KILN_RMW_SMAX;
  enum cl_sign sign = is_signed ? CL_SIGNED : CL_UNSIGNED;
  if (is_signed)
    a->place = kiln_cl_typed_pointer(p, a->pointer, kiln_cl_type_name(p, a->bits, CL_SIGNED), true);
  if (kiln_type_kind(a->bits) == KILN_I64 && is_extended(inst->flags))
    kiln_cl_need_extension(p, CL_EXT_INT64_EXTENDED);
  return from_bits(p, a, operation(p, a, rmw_name(inst->flags), as_bits(p, a, operand, sign).s, sign));
}

static struct cl_text plain(struct cl_printer *p, kiln_value value, struct atomic *a) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const kiln_value *operands = kiln_operands(p->fn, value);
  switch (inst->op) {
  case KILN_OP_ATOMIC_LOAD:
    return from_bits(p, a, kiln_cl_prefix(p, "*", a->place, CL_UNSIGNED));
  case KILN_OP_ATOMIC_STORE:
    return kiln_cl_infix(p, kiln_cl_prefix(p, "*", a->place, CL_UNSIGNED), "=", as_bits(p, a, operands[1], CL_UNSIGNED),
                         CL_UNSIGNED);
  case KILN_OP_ATOMIC_CAS: {
    struct cl_text expected = as_bits(p, a, operands[1], CL_UNSIGNED), wanted = as_bits(p, a, operands[2], CL_UNSIGNED);
    return from_bits(p, a, operation(p, a, "cmpxchg", kiln_cl_format(p, "%s, %s", expected.s, wanted.s), CL_UNSIGNED));
  }
  }
  return rmw(p, value, a);
}

struct cl_text kiln_cl_atomic(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const kiln_value *operands = kiln_operands(p->fn, value);
  struct atomic a = {.pointer = operands[0], .prefix = "atomic"};
  a.type = inst->op == KILN_OP_ATOMIC_LOAD ? inst->type : kiln_value_type(p->fn, operands[1]);
  a.bits = bits_type(a.type);
  a.is_float = kiln_kind_is_float(kiln_type_kind(a.type));
  enum kiln_space space = kiln_type_space(kiln_value_type(p->fn, a.pointer));
  if (space != KILN_GLOBAL && space != KILN_LOCAL)
    return kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s: atomics of %s work on global and local memory only",
                        kiln_cl_where(p, value), p->options.device);
  bool memory = inst->op == KILN_OP_ATOMIC_RMW || inst->op == KILN_OP_ATOMIC_CAS;
  if (kiln_type_kind(a.bits) == KILN_I64 && memory) {
    kiln_cl_need_extension(p, CL_EXT_INT64_BASE);
    a.prefix = "atom";
  }
  const char *name = kiln_cl_type_name(p, a.bits, CL_UNSIGNED);
  a.place = kiln_cl_typed_pointer(p, a.pointer, name, true);
  enum kiln_order order = kiln_atomic_order(inst->imm);
  enum kiln_scope scope = kiln_atomic_scope(inst->imm);
  bool before = order == KILN_RELEASE || order == KILN_ACQ_REL || order == KILN_SEQ_CST;
  bool after = order == KILN_ACQUIRE || order == KILN_ACQ_REL || order == KILN_SEQ_CST;
  bool seq_cst = order == KILN_SEQ_CST;
  if (before)
    kiln_cl_line(p, "%s;", fence_text(p, value, seq_cst ? KILN_SEQ_CST : KILN_RELEASE, scope, 3));
  if (after)
    p->pending = fence_text(p, value, seq_cst ? KILN_SEQ_CST : KILN_ACQUIRE, scope, 3);
  return plain(p, value, &a);
}
