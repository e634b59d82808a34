// What pointers point to. The IR has addresses without types; C wants a type for each. Pointers that are derived from
// one another or meet in a phi are one family, and get the type that most accesses through the family have.
#include <string.h>

#include "backends/opencl/print/print.h"
#include "base/c_locale.h"

static bool is_pointer(kiln_type type) { return kiln_type_kind(type) == KILN_PTR; }

static kiln_value pointer_root(struct cl_printer *p, kiln_value value) {
  struct cl_value *values = p->values;
  while (values[value].pointer != value) {
    values[value].pointer = values[values[value].pointer].pointer;
    value = values[value].pointer;
  }
  return value;
}

struct cl_pointer_class *kiln_cl_pointer_class(struct cl_printer *p, kiln_value value) {
  return &p->classes[pointer_root(p, value)];
}

static void join(struct cl_printer *p, kiln_value a, kiln_value b) {
  if (p->fn->insts[a].op == KILN_OP_CONST || p->fn->insts[b].op == KILN_OP_CONST ||
      p->fn->insts[a].op == KILN_OP_UNDEF || p->fn->insts[b].op == KILN_OP_UNDEF)
    return;
  p->values[pointer_root(p, a)].pointer = pointer_root(p, b);
}

// Vectors that are loaded with vload, because of their alignment or their three lanes, are accesses to their elements.
kiln_type kiln_cl_access_element(kiln_type type, uint32_t align) {
  if (kiln_type_lanes(type) == 3 || (kiln_type_lanes(type) > 1 && align < kiln_type_bytes(type)))
    type = kiln_type_element(type);
  return is_pointer(type) ? kiln_scalar_type(KILN_I64) : type;
}

static void add_vote(struct cl_pointer_class *class, kiln_type type, uint32_t count) {
  uint32_t i = 0;
  while (i < class->type_count && class->types[i] != type)
    i++;
  if (i == class->type_count) {
    if (i == sizeof class->types / sizeof *class->types) {
      class->mixed = true;
      return;
    }
    class->types[class->type_count++] = type;
    class->votes[i] = 0;
  }
  class->votes[i] += count;
}

static void vote_access(struct cl_printer *p, kiln_value pointer, kiln_type type, uint32_t align) {
  if (align < kiln_kind_bits(kiln_type_kind(type)) / 8)
    return; // done bytewise
  add_vote(kiln_cl_pointer_class(p, pointer), kiln_cl_access_element(type, align), 1);
}

static void decide(struct cl_pointer_class *class) {
  uint32_t best = 0;
  class->element = kiln_scalar_type(KILN_I8);
  uint32_t kinds = 0;
  for (uint32_t i = 0; i < class->type_count; i++) {
    if (class->votes[i] > best) {
      best = class->votes[i];
      class->element = class->types[i];
    }
    if (kiln_type_kind(class->types[i]) != KILN_I8)
      kinds |= 1u << kiln_type_kind(class->types[i]);
  }
  class->mixed |= (kinds & (kinds - 1)) != 0;
}

// The type that the source gave a parameter, as far as it is a built-in one: "float4*", "const uint *".
static kiln_type source_element(const char *name) {
  static const struct {
    const char *name;
    enum kiln_kind kind;
  } table[] = {{"uchar", KILN_I8},  {"char", KILN_I8},   {"ushort", KILN_I16}, {"short", KILN_I16},
               {"uint", KILN_I32},  {"int", KILN_I32},   {"ulong", KILN_I64},  {"long", KILN_I64},
               {"float", KILN_F32}, {"double", KILN_F64}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    size_t size = strlen(table[i].name);
    if (strncmp(name, table[i].name, size))
      continue;
    unsigned lanes = 0;
    for (name += size; kiln_is_digit(*name); name++)
      lanes = lanes * 10 + (unsigned)(*name - '0');
    while (*name == ' ')
      name++;
    if (*name != '*' || (lanes != 0 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 16))
      return 0;
    return kiln_vec_type(table[i].kind, lanes ? lanes : 1);
  }
  return 0;
}

static void join_lists(struct cl_printer *p, const struct kiln_value_list *phis, kiln_value jump) {
  const kiln_value *operands = kiln_operands(p->fn, jump);
  for (uint32_t i = 0; i < phis->count; i++)
    if (is_pointer(kiln_value_type(p->fn, phis->items[i])))
      join(p, phis->items[i], operands[i]);
}

static void join_inst(struct cl_printer *p, kiln_value id) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  const kiln_value *operands = kiln_operands(fn, id);
  switch (inst->op) {
  case KILN_OP_PADD:
  case KILN_OP_PCAST:
    join(p, id, operands[0]);
    break;
  case KILN_OP_SELECT:
    if (is_pointer(inst->type)) {
      join(p, id, operands[1]);
      join(p, id, operands[2]);
    }
    break;
  case KILN_OP_LOOP:
    join_lists(p, &kiln_node(fn, id)->header, id);
    break;
  case KILN_OP_CONTINUE:
    join_lists(p, &kiln_node(fn, (kiln_value)inst->imm)->header, id);
    break;
  case KILN_OP_BREAK:
    join_lists(p, &kiln_node(fn, (kiln_value)inst->imm)->results, id);
    break;
  case KILN_OP_YIELD:
    join_lists(p, &kiln_node(fn, fn->regions[inst->region].owner)->results, id);
    break;
  }
}

static void mark_written(struct cl_printer *p, kiln_value pointer) {
  kiln_cl_pointer_class(p, pointer)->written = true;
}

static void vote_inst(struct cl_printer *p, kiln_value id) {
  const struct kiln_function *fn = p->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  const kiln_value *operands = kiln_operands(fn, id);
  switch (inst->op) {
  case KILN_OP_LOAD:
    vote_access(p, operands[0], inst->type, inst->imm2);
    break;
  case KILN_OP_STORE:
    vote_access(p, operands[0], kiln_value_type(fn, operands[1]), inst->imm2);
    mark_written(p, operands[0]);
    break;
  case KILN_OP_ATOMIC_LOAD:
    vote_access(p, operands[0], inst->type, 8);
    break;
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
    vote_access(p, operands[0], kiln_value_type(fn, operands[1]), 8);
    mark_written(p, operands[0]);
    break;
  case KILN_OP_COPY:
    mark_written(p, operands[0]);
    break;
  }
  if (inst->op == KILN_OP_STORE || inst->op == KILN_OP_CALL || inst->op == KILN_OP_RETURN || inst->op == KILN_OP_PTOI)
    for (uint32_t i = inst->op == KILN_OP_STORE; i < inst->operand_count; i++)
      if (is_pointer(kiln_value_type(fn, operands[i])))
        mark_written(p, operands[i]);
}

static void join_all(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  p->classes = KILN_NEW_ARRAY(&p->arena, struct cl_pointer_class, fn->inst_count + 1);
  for (kiln_value id = 0; id < fn->inst_count; id++)
    p->values[id].pointer = id;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].region)
      join_inst(p, id);
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].region)
      vote_inst(p, id);
}

// A by-value argument is an array of whole elements.
static bool byval_misfit(struct cl_printer *p, kiln_value root) {
  const struct kiln_function *fn = p->fn;
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (fn->params[i].byval_bytes && pointer_root(p, fn->params[i].value) == root &&
        fn->params[i].byval_bytes % kiln_type_bytes(p->classes[root].element))
      return true;
  return false;
}

void kiln_cl_pointers(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  join_all(p);
  for (uint32_t i = 0; i < fn->param_count; i++) {
    const struct kiln_param *param = &fn->params[i];
    if (!is_pointer(param->type))
      continue;
    struct cl_pointer_class *class = kiln_cl_pointer_class(p, param->value);
    kiln_type element = param->byval_bytes ? 0 : source_element(param->type_name);
    if (element && kiln_kind_is_int(kiln_type_kind(element)))
      class->is_signed |= param->type_name[0] != 'u' && !strstr(param->type_name, "uchar") &&
                          !strstr(param->type_name, "ushort") && !strstr(param->type_name, "uint") &&
                          !strstr(param->type_name, "ulong");
    if (element && (class->type_count == 0 || kiln_type_lanes(element) == 1))
      add_vote(class, element, 1);
    if (param->byval_bytes && fn->is_kernel)
      class->by_value = true;
    else if (kiln_type_space(param->type) == KILN_CONSTANT)
      class->other_constant = true;
    class->written |= !param->is_const;
  }
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    const struct kiln_inst *inst = &fn->insts[id];
    if (inst->op == KILN_OP_GLOBAL && kiln_type_space(inst->type) != KILN_LOCAL) {
      struct cl_pointer_class *class = kiln_cl_pointer_class(p, id);
      class->other_constant |= kiln_type_space(inst->type) == KILN_CONSTANT;
      add_vote(class, p->global_elements[inst->imm], 1000);
    } else if (inst->op == KILN_OP_GLOBAL || inst->op == KILN_OP_VAR) {
      kiln_cl_pointer_class(p, id)->written = true;
    } else if (is_pointer(inst->type) && inst->region &&
               (inst->op == KILN_OP_LOAD || inst->op == KILN_OP_ITOP || inst->op == KILN_OP_CALL)) {
      struct cl_pointer_class *class = kiln_cl_pointer_class(p, id);
      class->written = true;
      class->other_constant |= kiln_type_space(inst->type) == KILN_CONSTANT;
    }
  }
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    struct cl_pointer_class *class = &p->classes[id];
    if (!is_pointer(fn->insts[id].type) || pointer_root(p, id) != id)
      continue;
    decide(class);
    if (class->by_value && byval_misfit(p, id))
      class->element = kiln_scalar_type(KILN_I8);
    if (class->by_value && class->other_constant)
      kiln_cl_fail(p, KILN_ERR_UNSUPPORTED,
                   "function '%s': a pointer leads to constant memory or to a by-value argument, which OpenCL C keeps "
                   "in different address spaces",
                   fn->name);
  }
}

static bool holds_nan(const struct kiln_global *global, enum kiln_kind kind) {
  static const uint64_t infinities[] = {[KILN_F16] = 0x7c00, [KILN_F32] = 0x7f800000, [KILN_F64] = 0x7ff0000000000000};
  if (!global->init || kind < KILN_F16 || kind > KILN_F64)
    return false;
  unsigned size = kiln_kind_bits(kind) / 8;
  uint64_t magnitude = ~(uint64_t)0 >> (65 - kiln_kind_bits(kind));
  for (uint64_t at = 0; at + size <= global->size; at += size) {
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)global->init + at, size);
    if ((bits & magnitude) > infinities[kind])
      return true;
  }
  return false;
}

// An initialiser is a list of whole elements, and of constant expressions. Clang has none for a NaN (even NAN is
// as_float(INT_MAX)): where there is one, the elements are integers with its bits, and accesses cast.
static kiln_type element_of_global(const struct kiln_global *global, kiln_type element) {
  static const enum kiln_kind integers[] = {[KILN_F16] = KILN_I16, [KILN_F32] = KILN_I32, [KILN_F64] = KILN_I64};
  if (global->size % kiln_type_bytes(element) || global->size == 0)
    return kiln_scalar_type(KILN_I8);
  enum kiln_kind kind = kiln_type_kind(element);
  return holds_nan(global, kind) ? kiln_vec_type(integers[kind], kiln_type_lanes(element)) : element;
}

void kiln_cl_vote_globals(struct cl_printer *p) {
  uint32_t count = p->module->global_count;
  struct cl_pointer_class *classes = KILN_NEW_ARRAY(&p->arena, struct cl_pointer_class, count + 1);
  for (uint32_t f = 0; f < p->module->function_count; f++) {
    p->fn = p->module->functions[f];
    p->values = KILN_NEW_ARRAY(&p->arena, struct cl_value, p->fn->inst_count + 1);
    join_all(p);
    for (kiln_value id = 1; id < p->fn->inst_count; id++) {
      if (p->fn->insts[id].op != KILN_OP_GLOBAL)
        continue;
      const struct cl_pointer_class *from = kiln_cl_pointer_class(p, id);
      for (uint32_t i = 0; i < from->type_count; i++)
        add_vote(&classes[p->fn->insts[id].imm], from->types[i], from->votes[i]);
    }
  }
  for (uint32_t g = 0; g < count; g++) {
    decide(&classes[g]);
    p->global_elements[g] = element_of_global(&p->module->globals[g], classes[g].element);
  }
}

const char *kiln_cl_space_name(struct cl_printer *p, kiln_value pointer, bool with_const) {
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, pointer);
  bool read_only = with_const && !class->written;
  switch (kiln_type_space(kiln_value_type(p->fn, pointer))) {
  case KILN_PRIVATE:
    return "private ";
  case KILN_GLOBAL:
    return read_only ? "global const " : "global ";
  case KILN_CONSTANT:
    return class->by_value ? "private const " : "constant ";
  case KILN_LOCAL:
    return "local ";
  case KILN_GENERIC:
    kiln_cl_need_version(p, 200);
    return "";
  }
  return "";
}

const char *kiln_cl_pointer_type(struct cl_printer *p, kiln_value pointer) {
  kiln_type element = kiln_cl_pointer_class(p, pointer)->element;
  enum cl_sign sign = kiln_cl_pointer_class(p, pointer)->is_signed ? CL_SIGNED : CL_UNSIGNED;
  return kiln_cl_format(p, "%s%s *", kiln_cl_space_name(p, pointer, true), kiln_cl_type_name(p, element, sign));
}
