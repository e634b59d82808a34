// Memory: addresses as base[index] where the strides allow it, loads, stores, copies, private variables.
#include "backends/opencl/print/print.h"

enum { MAX_TERMS = 8, MAX_WIDE = 16 };

struct term {
  kiln_value index;
  int64_t factor; // in bytes
};

struct address {
  kiln_value base;
  struct term terms[MAX_TERMS];
  unsigned count;
  int64_t offset; // in bytes
};

static unsigned lanes_of(kiln_type type) { return kiln_type_lanes(type); }
static bool is_pointer(kiln_type type) { return kiln_type_kind(type) == KILN_PTR; }
static unsigned size_of(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)) / 8 * lanes_of(type); }

// Takes address arithmetic apart down to a pointer that has a name. first: also when pointer itself has one.
static void take_apart(struct cl_printer *p, kiln_value pointer, bool first, struct address *out) {
  *out = (struct address){.base = pointer};
  for (;; first = false) {
    const struct kiln_inst *inst = kiln_inst(p->fn, out->base);
    if (inst->op != KILN_OP_PADD || (!first && kiln_cl_var(p, out->base)) || out->count == MAX_TERMS)
      return;
    const kiln_value *operands = kiln_operands(p->fn, out->base);
    const struct kiln_inst *index = kiln_inst(p->fn, operands[1]);
    if (index->op == KILN_OP_CONST)
      out->offset = (int64_t)((uint64_t)out->offset + index->imm * inst->imm);
    else if (inst->imm)
      out->terms[out->count++] = (struct term){operands[1], (int64_t)inst->imm};
    out->base = operands[0];
  }
}

static bool divides(const struct address *address, unsigned size) {
  bool whole = address->offset % size == 0;
  for (unsigned i = 0; i < address->count; i++)
    whole &= address->terms[i].factor % size == 0;
  return whole;
}

// An extended 32-bit value that C extends by itself.
static bool is_extended(struct cl_printer *p, kiln_value index, struct cl_text *out) {
  const struct kiln_inst *inst = kiln_inst(p->fn, index);
  if ((inst->op != KILN_OP_SEXT && inst->op != KILN_OP_ZEXT) || kiln_cl_var(p, index))
    return false;
  kiln_value inner = kiln_operands(p->fn, index)[0];
  if (kiln_value_type(p->fn, inner) != kiln_scalar_type(KILN_I32))
    return false;
  *out = kiln_cl_expr(p, inner, inst->op == KILN_OP_SEXT ? CL_SIGNED : CL_UNSIGNED);
  return true;
}

// The sum of terms and offset in units of size bytes; NULL for 0.
static const char *index_text(struct cl_printer *p, const struct address *address, unsigned size, enum cl_prec *prec) {
  const char *sum = NULL;
  bool wide = false; // the sum so far has 64 bits
  *prec = PREC_PRIMARY;
  for (unsigned i = address->count; i-- > 0;) { // as in the source: the outermost index first
    int64_t factor = address->terms[i].factor / size;
    struct cl_text text;
    bool is_int = is_extended(p, address->terms[i].index, &text);
    if (!is_int)
      text = kiln_cl_expr(p, address->terms[i].index, CL_ANY);
    if (factor != 1) {
      text.s = kiln_cl_format(p, "%s * %lldl", kiln_cl_wrap(p, text, PREC_MUL), (long long)factor);
      text.prec = PREC_MUL;
    } else if (is_int && sum && !wide) {
      text = kiln_cl_cast(p, "long", text, CL_SIGNED);
    }
    wide |= !is_int || factor != 1 || sum != NULL;
    if (sum) {
      sum = kiln_cl_format(p, "%s + %s", sum, kiln_cl_wrap(p, text, PREC_MUL));
      *prec = PREC_ADD;
    } else {
      sum = text.s;
      *prec = text.prec;
    }
  }
  int64_t offset = address->offset / size;
  if (!sum)
    return offset ? kiln_cl_format(p, "%lld", (long long)offset) : NULL;
  if (offset) {
    const char *left = kiln_cl_wrap(p, (struct cl_text){sum, *prec, CL_ANY}, PREC_ADD);
    sum = kiln_cl_format(p, offset < 0 ? "%s - %llu%s" : "%s + %llu%s", left,
                         offset < 0 ? 0 - (unsigned long long)offset : (unsigned long long)offset, wide ? "" : "l");
    *prec = PREC_ADD;
  }
  return sum;
}

// ---- bases

// Whether a VAR is printed as a variable, not as an array.
static bool is_plain_private(struct cl_printer *p, kiln_value var) {
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, var);
  return !p->values[var].is_array && class->type_count == 1 && kiln_inst(p->fn, var)->imm == size_of(class->element);
}

static struct cl_text base_text(struct cl_printer *p, kiln_value base) {
  const struct kiln_inst *inst = kiln_inst(p->fn, base);
  if (inst->op == KILN_OP_GLOBAL && kiln_type_space(inst->type) != KILN_LOCAL) {
    const char *name = p->global_names[inst->imm];
    if (p->global_elements[inst->imm] != kiln_cl_pointer_class(p, base)->element)
      return kiln_cl_text(kiln_cl_format(p, "(%s)%s", kiln_cl_pointer_type(p, base), name), PREC_UNARY, CL_ANY);
    return kiln_cl_text(name, PREC_PRIMARY, CL_ANY);
  }
  if (inst->op == KILN_OP_CONST || inst->op == KILN_OP_UNDEF)
    return kiln_cl_constant(p, base, CL_ANY);
  const struct cl_var *var = kiln_cl_var(p, base);
  if (!var)
    return kiln_cl_definition(p, base, CL_ANY);
  if (inst->op == KILN_OP_VAR && is_plain_private(p, base))
    return kiln_cl_text(kiln_cl_format(p, "&%s", var->name), PREC_UNARY, CL_ANY);
  if (inst->op == KILN_OP_PARAM && p->fn->is_kernel && p->fn->params[inst->imm].byval_bytes)
    return kiln_cl_text(kiln_cl_format(p, "%s.data", var->name), PREC_PRIMARY, CL_ANY);
  return kiln_cl_text(var->name, PREC_PRIMARY, CL_ANY);
}

// A pointer to bytes, element or any other type.
static const char *cast_type(struct cl_printer *p, kiln_value pointer, const char *element, bool is_volatile) {
  const char *space = kiln_cl_space_name(p, pointer, true);
  const char *qualifier = is_volatile ? "volatile " : "";
  size_t size = strlen(element);
  if (size && element[size - 1] == '*') // a pointer to pointers: qualifiers follow the star
    return kiln_cl_format(p, "%s%s%s*", element, qualifier, space);
  return kiln_cl_format(p, "%s%s%s *", qualifier, space, element);
}

// The address as a pointer to the elements of its family (*element true) or to bytes.
static struct cl_text address_text(struct cl_printer *p, kiln_value pointer, const struct address *address,
                                   bool *element) {
  unsigned size = size_of(kiln_cl_pointer_class(p, pointer)->element);
  struct cl_text base = base_text(p, address->base);
  enum cl_prec prec;
  *element = divides(address, size);
  if (!*element) {
    base = kiln_cl_cast(p, cast_type(p, pointer, "uchar", false), base, CL_ANY);
    size = 1;
  }
  const char *index = index_text(p, address, size, &prec);
  if (!index)
    return base;
  if (*index == '-' && prec >= PREC_ADD)
    return kiln_cl_text(kiln_cl_format(p, "%s - %s", kiln_cl_wrap(p, base, PREC_ADD), index + 1), PREC_ADD, CL_ANY);
  struct cl_text sum = {index, (uint8_t)prec, CL_ANY};
  return kiln_cl_text(
      kiln_cl_format(p, "%s + %s", kiln_cl_wrap(p, base, PREC_ADD),
                     prec == PREC_ADD ? kiln_cl_format(p, "(%s)", index) : kiln_cl_wrap(p, sum, PREC_MUL)),
      PREC_ADD, CL_ANY);
}

const char *kiln_cl_typed_pointer(struct cl_printer *p, kiln_value pointer, const char *element, bool is_volatile) {
  struct address address;
  bool whole;
  take_apart(p, pointer, false, &address);
  struct cl_text text = address_text(p, pointer, &address, &whole);
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, pointer);
  const char *own = whole ? kiln_cl_type_name(p, class->element, class->is_signed ? CL_SIGNED : CL_UNSIGNED) : "uchar";
  if (!is_volatile && strcmp(own, element) == 0)
    return text.s;
  return kiln_cl_cast(p, cast_type(p, pointer, element, is_volatile), text, CL_ANY).s;
}

// ---- pointers as values

static struct cl_text own_type(struct cl_printer *p, kiln_value pointer, const struct address *address) {
  bool whole;
  struct cl_text text = address_text(p, pointer, address, &whole);
  return whole ? text : kiln_cl_cast(p, kiln_cl_pointer_type(p, pointer), text, CL_ANY);
}

struct cl_text kiln_cl_pointer_expr(struct cl_printer *p, kiln_value pointer) {
  struct address address;
  take_apart(p, pointer, false, &address);
  return own_type(p, pointer, &address);
}

static const char *cast_to(struct cl_printer *p, kiln_value pointer, kiln_value target) {
  struct cl_text text = kiln_cl_pointer_expr(p, pointer);
  const char *type = kiln_cl_pointer_type(p, target);
  if (strcmp(type, kiln_cl_pointer_type(p, pointer)) == 0)
    return kiln_cl_wrap(p, text, PREC_LOR);
  return kiln_cl_cast(p, type, text, CL_ANY).s;
}

struct cl_text kiln_cl_pointer_definition(struct cl_printer *p, kiln_value pointer) {
  const struct kiln_inst *inst = kiln_inst(p->fn, pointer);
  const kiln_value *operands = kiln_operands(p->fn, pointer);
  const char *type = kiln_cl_pointer_type(p, pointer);
  struct address address;
  switch (inst->op) {
  case KILN_OP_PADD:
    take_apart(p, pointer, true, &address);
    return own_type(p, pointer, &address);
  case KILN_OP_SELECT:
    return kiln_cl_text(kiln_cl_format(p, "%s ? %s : %s",
                                       kiln_cl_wrap(p, kiln_cl_expr(p, operands[0], CL_ANY), PREC_LOR),
                                       cast_to(p, operands[1], pointer), cast_to(p, operands[2], pointer)),
                        PREC_COND, CL_ANY);
  case KILN_OP_PCAST:
  case KILN_OP_ITOP: // pointers are printed as such by kiln_cl_expr
    return kiln_cl_cast(p, type, kiln_cl_expr(p, operands[0], CL_ANY), CL_ANY);
  }
  return kiln_cl_no_text(p, pointer);
}

// ---- accesses

static void check_pointer_access(struct cl_printer *p, kiln_value value, kiln_type type) {
  if (is_pointer(type) && p->options.features.narrow)
    kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s: pointers in memory have 64 bits, and %s has addresses of 32 bits",
                 kiln_cl_where(p, value), p->options.device);
}

// A place of the type, or of a type of the same size: *exact tells.
static const char *place(struct cl_printer *p, kiln_value pointer, kiln_type type, const char *name, bool is_volatile,
                         bool *exact) {
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, pointer);
  struct address address;
  take_apart(p, pointer, false, &address);
  kiln_type element = class->element;
  unsigned size = size_of(element);
  const struct kiln_inst *base = kiln_inst(p->fn, address.base);
  *exact = true;
  if (base->op == KILN_OP_VAR && is_plain_private(p, address.base) && address.count == 0)
    return kiln_cl_var(p, address.base)->name;
  if (!is_volatile && !is_pointer(type) && size == size_of(type) && lanes_of(element) != 3 && divides(&address, size)) {
    enum cl_prec prec;
    const char *index = index_text(p, &address, size, &prec);
    *exact = element == type;
    return kiln_cl_format(p, "%s[%s]", kiln_cl_wrap(p, base_text(p, address.base), PREC_PRIMARY), index ? index : "0");
  }
  if (class->mixed && !is_pointer(type) && lanes_of(type) == 1 && kiln_type_kind(type) != KILN_I8)
    name = kiln_cl_alias_type(p, name);
  return kiln_cl_format(p, "*(%s)%s", cast_type(p, pointer, name, is_volatile),
                        kiln_cl_wrap(p, kiln_cl_pointer_expr(p, pointer), PREC_UNARY));
}

// Bytes from a pointer, as text of the scalar type.
static const char *load_bytes(struct cl_printer *p, const char *bytes, kiln_type type, unsigned offset) {
  unsigned size = size_of(type);
  const char *at = offset ? kiln_cl_format(p, "%s + %u", bytes, offset) : bytes;
  return kiln_cl_format(p, "as_%s(vload%u(0, %s))", kiln_cl_type_name(p, type, CL_UNSIGNED), size, at);
}

static const char *byte_pointer(struct cl_printer *p, kiln_value pointer) {
  const char *text = kiln_cl_typed_pointer(p, pointer, "uchar", false);
  return strpbrk(text, " ") ? kiln_cl_format(p, "(%s)", text) : text;
}

static struct cl_text load_unaligned(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_type type = inst->type, element = kiln_type_element(type);
  const char *bytes = byte_pointer(p, kiln_operands(p->fn, value)[0]);
  if (is_pointer(type))
    return kiln_cl_text(kiln_cl_format(p, "(%s)as_ulong(vload8(0, %s))", kiln_cl_pointer_type(p, value), bytes),
                        PREC_UNARY, CL_ANY);
  if (lanes_of(type) != 3 && size_of(type) <= MAX_WIDE)
    return kiln_cl_text(load_bytes(p, bytes, type, 0), PREC_PRIMARY, CL_UNSIGNED);
  const char *list = "";
  for (unsigned i = 0; i < lanes_of(type); i++)
    list = kiln_cl_format(p, "%s%s%s", list, i ? ", " : "", load_bytes(p, bytes, element, i * size_of(element)));
  return kiln_cl_text(kiln_cl_format(p, "(%s)(%s)", kiln_cl_type_name(p, type, CL_UNSIGNED), list), PREC_UNARY,
                      CL_UNSIGNED);
}

static bool is_plain_place(struct cl_printer *p, kiln_value pointer) {
  return kiln_inst(p->fn, pointer)->op == KILN_OP_VAR && is_plain_private(p, pointer);
}

struct cl_text kiln_cl_load(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_value pointer = kiln_operands(p->fn, value)[0];
  kiln_type type = inst->type, element = kiln_type_element(type);
  check_pointer_access(p, value, type);
  bool is_volatile = inst->flags & KILN_MEM_VOLATILE, exact;
  if (inst->imm2 < size_of(element) && !is_plain_place(p, pointer))
    return load_unaligned(p, value);
  if (kiln_cl_access_element(type, inst->imm2) != type && lanes_of(type) > 1 && !is_plain_place(p, pointer)) {
    const char *name = kiln_cl_type_name(p, element, CL_UNSIGNED);
    const char *text = kiln_cl_typed_pointer(p, pointer, name, false);
    return kiln_cl_text(kiln_cl_format(p, "vload%u(0, %s)", lanes_of(type), text), PREC_PRIMARY, CL_UNSIGNED);
  }
  const char *name = is_pointer(type) ? kiln_cl_pointer_type(p, value) : kiln_cl_type_name(p, type, CL_UNSIGNED);
  const char *text = place(p, pointer, type, name, is_volatile, &exact);
  if (!exact)
    text = kiln_cl_format(p, "as_%s(%s)", name, text);
  bool shared = exact && !is_pointer(type) && *text != '*' && kiln_cl_pointer_class(p, pointer)->is_signed;
  return kiln_cl_text(text, *text == '*' ? PREC_UNARY : PREC_PRIMARY, shared ? CL_SIGNED : CL_UNSIGNED);
}

static void store_unaligned(struct cl_printer *p, kiln_value pointer, kiln_value stored) {
  kiln_type type = kiln_value_type(p->fn, stored), element = kiln_type_element(type);
  const char *bytes = byte_pointer(p, pointer);
  struct cl_text text = kiln_cl_expr(p, stored, is_pointer(type) ? CL_ANY : CL_UNSIGNED);
  if (is_pointer(type)) {
    kiln_cl_line(p, "vstore8(as_uchar8((ulong)%s), 0, %s);", kiln_cl_wrap(p, text, PREC_UNARY), bytes);
    return;
  }
  if (lanes_of(type) != 3 && size_of(type) <= MAX_WIDE) {
    kiln_cl_line(p, "vstore%u(as_uchar%u(%s), 0, %s);", size_of(type), size_of(type), text.s, bytes);
    return;
  }
  for (unsigned i = 0; i < lanes_of(type); i++)
    kiln_cl_line(p, "vstore%u(as_uchar%u(%s.s%x), 0, %s + %u);", size_of(element), size_of(element),
                 kiln_cl_wrap(p, text, PREC_PRIMARY), i, bytes, i * size_of(element));
}

void kiln_cl_store(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_value pointer = kiln_operands(p->fn, value)[0], stored = kiln_operands(p->fn, value)[1];
  kiln_type type = kiln_value_type(p->fn, stored), element = kiln_type_element(type);
  check_pointer_access(p, value, type);
  bool is_volatile = inst->flags & KILN_MEM_VOLATILE, exact;
  if (inst->imm2 < size_of(element) && !is_plain_place(p, pointer)) {
    store_unaligned(p, pointer, stored);
    return;
  }
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, pointer);
  if (kiln_cl_access_element(type, inst->imm2) != type && lanes_of(type) > 1 && !is_plain_place(p, pointer)) {
    const char *name = kiln_cl_type_name(p, element, CL_UNSIGNED);
    kiln_cl_line(p, "vstore%u(%s, 0, %s);", lanes_of(type), kiln_cl_expr(p, stored, CL_UNSIGNED).s,
                 kiln_cl_typed_pointer(p, pointer, name, false));
    return;
  }
  const char *name = is_pointer(type) ? kiln_cl_pointer_type(p, stored) : kiln_cl_type_name(p, type, CL_UNSIGNED);
  const char *text = place(p, pointer, type, name, is_volatile, &exact);
  bool shared = exact && *text != '*' && class->is_signed;
  enum cl_sign sign = is_pointer(type) || !kiln_kind_is_int(kiln_type_kind(type)) ? CL_ANY
                      : lanes_of(type) > 1                                        ? (shared ? CL_SIGNED : CL_UNSIGNED)
                      : exact                                                     ? CL_ANY
                                                                                  : CL_UNSIGNED;
  const char *from = kiln_cl_expr(p, stored, sign).s;
  if (!exact)
    from = kiln_cl_format(p, "as_%s(%s)",
                          kiln_cl_type_name(p, class->element, class->is_signed ? CL_SIGNED : CL_UNSIGNED), from);
  kiln_cl_line(p, "%s = %s;", text, from);
}

void kiln_cl_copy(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const kiln_value *operands = kiln_operands(p->fn, value);
  static const struct {
    unsigned size;
    const char *name;
  } units[] = {{16, "uint4"}, {8, "ulong"}, {4, "uint"}, {2, "ushort"}, {1, "uchar"}};
  unsigned unit = 0;
  while (units[unit].size > inst->imm2 || inst->imm % units[unit].size)
    unit++;
  const char *name = units[unit].name;
  if (units[unit].size > 1 && units[unit].size < 16)
    name = kiln_cl_alias_type(p, name);
  bool is_volatile = inst->flags & KILN_MEM_VOLATILE;
  uint64_t count = inst->imm / units[unit].size;
  if (count == 0)
    return;
  const char *to = kiln_cl_local_name(p, "to"), *from = kiln_cl_local_name(p, "from");
  kiln_cl_line(p, "{ // %llu bytes", (unsigned long long)inst->imm);
  p->indent++;
  kiln_cl_line(p, "%s%s = %s;", cast_type(p, operands[0], name, is_volatile), to,
               kiln_cl_typed_pointer(p, operands[0], name, is_volatile));
  kiln_cl_line(p, "%s%s = %s;", cast_type(p, operands[1], name, is_volatile), from,
               kiln_cl_typed_pointer(p, operands[1], name, is_volatile));
  const char *k = kiln_cl_local_name(p, "k");
  kiln_cl_line(p, "for (uint %s = 0; %s < %llu; %s++)", k, k, (unsigned long long)count, k);
  kiln_cl_line(p, "  %s[%s] = %s[%s];", to, k, from, k);
  p->indent--;
  kiln_cl_line(p, "}");
}

// ---- private and local variables

void kiln_cl_mark_arrays(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    const struct kiln_inst *inst = &fn->insts[id];
    if (!inst->region)
      continue;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
      kiln_value operand = kiln_operands(fn, id)[i];
      if (fn->insts[operand].op != KILN_OP_VAR)
        continue;
      kiln_type type = inst->op == KILN_OP_LOAD              ? inst->type
                       : inst->op == KILN_OP_STORE && i == 0 ? kiln_value_type(fn, kiln_operands(fn, id)[1])
                                                             : 0;
      if (type == 0 || is_pointer(type) || kiln_cl_access_element(type, inst->imm2) != type ||
          inst->imm2 < size_of(kiln_type_element(type)) || (inst->flags & KILN_MEM_VOLATILE))
        p->values[operand].is_array = true;
    }
  }
}

static const char *array_text(struct cl_printer *p, kiln_value value, uint64_t bytes, uint32_t align) {
  kiln_type element = kiln_cl_pointer_class(p, value)->element;
  enum cl_sign sign = kiln_cl_pointer_class(p, value)->is_signed ? CL_SIGNED : CL_UNSIGNED;
  const char *name = kiln_cl_var(p, value)->name, *type = kiln_cl_type_name(p, element, sign);
  unsigned size = size_of(element);
  uint64_t count = (bytes + size - 1) / size;
  // Drivers align an array for its elements only (NVIDIA's puts one of bytes at odd addresses).
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, value);
  for (uint32_t i = 0; i < class->type_count; i++)
    align = size_of(class->types[i]) > align ? size_of(class->types[i]) : align;
  const char *attribute = align > size ? kiln_cl_format(p, " __attribute__((aligned(%u)))", align) : "";
  return kiln_cl_format(p, "%s %s[%llu]%s", type, name, (unsigned long long)(count ? count : 1), attribute);
}

void kiln_cl_declare_private(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (!kiln_cl_var(p, value))
    return;
  if (is_plain_private(p, value)) {
    const struct cl_pointer_class *class = kiln_cl_pointer_class(p, value);
    kiln_cl_line(p, "%s %s;", kiln_cl_type_name(p, class->element, class->is_signed ? CL_SIGNED : CL_UNSIGNED),
                 kiln_cl_var(p, value)->name);
    return;
  }
  kiln_cl_line(p, "%s;", array_text(p, value, inst->imm, inst->imm2));
}

void kiln_cl_declare_local(struct cl_printer *p) {
  for (kiln_value id = 1; id < p->fn->inst_count; id++) {
    const struct kiln_inst *inst = &p->fn->insts[id];
    if (inst->op != KILN_OP_GLOBAL || kiln_type_space(inst->type) != KILN_LOCAL || !kiln_cl_var(p, id))
      continue;
    const struct kiln_global *global = &p->module->globals[inst->imm];
    kiln_cl_line(p, "local %s;", array_text(p, id, global->size, global->align));
  }
}
