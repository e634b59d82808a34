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

static struct cl_text number(struct cl_printer *p, uint64_t value, const char *suffix) {
  return kiln_cl_primary(kiln_cl_format(p, "%llu%s", (unsigned long long)value, suffix), CL_ANY);
}

// The text and a constant: "x + 4", "x - 4".
static struct cl_text add_offset(struct cl_printer *p, struct cl_text x, int64_t offset, const char *suffix) {
  uint64_t size = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;
  return offset ? kiln_cl_infix(p, x, offset < 0 ? "-" : "+", number(p, size, suffix), CL_ANY) : x;
}

// A term in units of size bytes. *wide: has 64 bits.
static struct cl_text term_text(struct cl_printer *p, const struct term *term, unsigned size, bool *wide) {
  int64_t factor = term->factor / size;
  struct cl_text text, scale = kiln_cl_scalar_constant(p, kiln_scalar_type(KILN_I64), (uint64_t)factor, CL_SIGNED);
  *wide = factor != 1;
  if (!is_extended(p, term->index, &text)) {
    text = kiln_cl_expr(p, term->index, CL_ANY);
    *wide = true;
  }
  return factor == 1 ? text : kiln_cl_infix(p, text, "*", scale, CL_ANY);
}

// The sum of the terms in units of size bytes: as in the source, the outermost index first. No text where there are
// none.
static struct cl_text sum_text(struct cl_printer *p, const struct address *address, unsigned size, bool *wide) {
  struct cl_text sum = {0};
  *wide = false;
  for (unsigned i = address->count; i-- > 0;) {
    bool wide_term;
    struct cl_text text = term_text(p, &address->terms[i], size, &wide_term);
    if (!sum.s) {
      sum = text;
      *wide = wide_term;
      continue;
    }
    if (!wide_term && !*wide)
      text = kiln_cl_cast(p, "long", text, CL_SIGNED);
    sum = kiln_cl_infix(p, sum, "+", text, CL_ANY);
    *wide = true;
  }
  return sum;
}

// The base and what is added to it, in units of size bytes.
static struct cl_text add_to_base(struct cl_printer *p, struct cl_text base, const struct address *address,
                                  unsigned size) {
  bool wide;
  struct cl_text sum = sum_text(p, address, size, &wide);
  int64_t offset = address->offset / size;
  if (!sum.s)
    return add_offset(p, base, offset, "");
  return kiln_cl_infix(p, base, "+", add_offset(p, sum, offset, wide ? "" : "l"), CL_ANY);
}

// The sum of terms and offset in units of size bytes.
static struct cl_text index_text(struct cl_printer *p, const struct address *address, unsigned size) {
  bool wide;
  struct cl_text sum = sum_text(p, address, size, &wide);
  int64_t offset = address->offset / size;
  if (!sum.s)
    return kiln_cl_primary(kiln_cl_format(p, "%lld", (long long)offset), CL_ANY);
  return add_offset(p, sum, offset, wide ? "" : "l");
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
    struct cl_text name = kiln_cl_primary(p->global_names[inst->imm], CL_ANY);
    bool same = p->global_elements[inst->imm] == kiln_cl_pointer_class(p, base)->element;
    return same ? name : kiln_cl_cast(p, kiln_cl_pointer_type(p, base), name, CL_ANY);
  }
  if (inst->op == KILN_OP_CONST || inst->op == KILN_OP_UNDEF)
    return kiln_cl_constant(p, base, CL_ANY);
  const struct cl_var *var = kiln_cl_var(p, base);
  if (!var)
    return kiln_cl_definition(p, base, CL_ANY);
  struct cl_text name = kiln_cl_primary(var->name, CL_ANY);
  if (inst->op == KILN_OP_VAR && is_plain_private(p, base))
    return kiln_cl_prefix(p, "&", name, CL_ANY);
  if (inst->op == KILN_OP_PARAM && p->fn->is_kernel && p->fn->params[inst->imm].byval_bytes)
    return kiln_cl_member(p, name, "data", CL_ANY);
  return name;
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
  *element = divides(address, size);
  if (!*element) {
    base = kiln_cl_cast(p, cast_type(p, pointer, "uchar", false), base, CL_ANY);
    size = 1;
  }
  return add_to_base(p, base, address, size);
}

struct cl_text kiln_cl_typed_pointer(struct cl_printer *p, kiln_value pointer, const char *element, bool is_volatile) {
  struct address address;
  bool whole;
  take_apart(p, pointer, false, &address);
  struct cl_text text = address_text(p, pointer, &address, &whole);
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, pointer);
  const char *own = whole ? kiln_cl_type_name(p, class->element, class->is_signed ? CL_SIGNED : CL_UNSIGNED) : "uchar";
  if (!is_volatile && strcmp(own, element) == 0)
    return text;
  return kiln_cl_cast(p, cast_type(p, pointer, element, is_volatile), text, CL_ANY);
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

static struct cl_text cast_to(struct cl_printer *p, kiln_value pointer, kiln_value target) {
  struct cl_text text = kiln_cl_pointer_expr(p, pointer);
  const char *type = kiln_cl_pointer_type(p, target);
  return strcmp(type, kiln_cl_pointer_type(p, pointer)) ? kiln_cl_cast(p, type, text, CL_ANY) : text;
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
    return kiln_cl_choice(p, kiln_cl_expr(p, operands[0], CL_ANY), cast_to(p, operands[1], pointer),
                          cast_to(p, operands[2], pointer), CL_ANY);
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
static struct cl_text place(struct cl_printer *p, kiln_value pointer, kiln_type type, const char *name,
                            bool is_volatile, bool *exact) {
  const struct cl_pointer_class *class = kiln_cl_pointer_class(p, pointer);
  enum cl_sign sign = class->is_signed && !is_pointer(type) ? CL_SIGNED : CL_UNSIGNED;
  struct address address;
  take_apart(p, pointer, false, &address);
  kiln_type element = class->element;
  unsigned size = size_of(element);
  const struct kiln_inst *base = kiln_inst(p->fn, address.base);
  *exact = true;
  if (base->op == KILN_OP_VAR && is_plain_private(p, address.base) && address.count == 0)
    return kiln_cl_primary(kiln_cl_var(p, address.base)->name, sign);
  if (!is_volatile && !is_pointer(type) && size == size_of(type) && lanes_of(element) != 3 && divides(&address, size)) {
    *exact = element == type;
    return kiln_cl_element(p, base_text(p, address.base), index_text(p, &address, size), *exact ? sign : CL_UNSIGNED);
  }
  if (class->mixed && !is_pointer(type) && lanes_of(type) == 1 && kiln_type_kind(type) != KILN_I8)
    name = kiln_cl_alias_type(p, name);
  struct cl_text typed =
      kiln_cl_cast(p, cast_type(p, pointer, name, is_volatile), kiln_cl_pointer_expr(p, pointer), CL_ANY);
  return kiln_cl_prefix(p, "*", typed, CL_UNSIGNED);
}

// Bytes from a pointer, as text of the scalar type.
static struct cl_text load_bytes(struct cl_printer *p, struct cl_text bytes, kiln_type type, unsigned offset) {
  struct cl_text text = kiln_cl_call(p, kiln_cl_format(p, "vload%u", size_of(type)),
                                     kiln_cl_format(p, "0, %s", add_offset(p, bytes, offset, "").s), CL_UNSIGNED);
  return kiln_cl_call(p, kiln_cl_format(p, "as_%s", kiln_cl_type_name(p, type, CL_UNSIGNED)), text.s, CL_UNSIGNED);
}

static struct cl_text load_unaligned(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  kiln_type type = inst->type, element = kiln_type_element(type);
  struct cl_text bytes = kiln_cl_typed_pointer(p, kiln_operands(p->fn, value)[0], "uchar", false);
  if (is_pointer(type))
    return kiln_cl_cast(p, kiln_cl_pointer_type(p, value), load_bytes(p, bytes, kiln_scalar_type(KILN_I64), 0), CL_ANY);
  if (lanes_of(type) != 3 && size_of(type) <= MAX_WIDE)
    return load_bytes(p, bytes, type, 0);
  const char *list = "";
  for (unsigned i = 0; i < lanes_of(type); i++)
    list = kiln_cl_format(p, "%s%s%s", list, i ? ", " : "", load_bytes(p, bytes, element, i * size_of(element)).s);
  return kiln_cl_vector(p, kiln_cl_type_name(p, type, CL_UNSIGNED), list, CL_UNSIGNED);
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
    const char *text = kiln_cl_typed_pointer(p, pointer, name, false).s;
    return kiln_cl_call(p, kiln_cl_format(p, "vload%u", lanes_of(type)), kiln_cl_format(p, "0, %s", text), CL_UNSIGNED);
  }
  const char *name = is_pointer(type) ? kiln_cl_pointer_type(p, value) : kiln_cl_type_name(p, type, CL_UNSIGNED);
  struct cl_text text = place(p, pointer, type, name, is_volatile, &exact);
  return exact ? text : kiln_cl_call(p, kiln_cl_format(p, "as_%s", name), text.s, CL_UNSIGNED);
}

static void store_unaligned(struct cl_printer *p, kiln_value pointer, kiln_value stored) {
  kiln_type type = kiln_value_type(p->fn, stored), element = kiln_type_element(type);
  struct cl_text bytes = kiln_cl_typed_pointer(p, pointer, "uchar", false);
  struct cl_text text = kiln_cl_expr(p, stored, is_pointer(type) ? CL_ANY : CL_UNSIGNED);
  if (is_pointer(type)) {
    kiln_cl_line(p, "vstore8(as_uchar8(%s), 0, %s);", kiln_cl_cast(p, "ulong", text, CL_UNSIGNED).s, bytes.s);
    return;
  }
  if (lanes_of(type) != 3 && size_of(type) <= MAX_WIDE) {
    kiln_cl_line(p, "vstore%u(as_uchar%u(%s), 0, %s);", size_of(type), size_of(type), text.s, bytes.s);
    return;
  }
  unsigned size = size_of(element);
  for (unsigned i = 0; i < lanes_of(type); i++)
    kiln_cl_line(p, "vstore%u(as_uchar%u(%s), 0, %s);", size, size,
                 kiln_cl_member(p, text, kiln_cl_format(p, "s%x", i), CL_ANY).s, add_offset(p, bytes, i * size, "").s);
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
                 kiln_cl_typed_pointer(p, pointer, name, false).s);
    return;
  }
  const char *name = is_pointer(type) ? kiln_cl_pointer_type(p, stored) : kiln_cl_type_name(p, type, CL_UNSIGNED);
  struct cl_text to = place(p, pointer, type, name, is_volatile, &exact);
  enum cl_sign sign = is_pointer(type) || !kiln_kind_is_int(kiln_type_kind(type)) ? CL_ANY
                      : lanes_of(type) > 1                                        ? (enum cl_sign)to.sign
                      : exact                                                     ? CL_ANY
                                                                                  : CL_UNSIGNED;
  const char *from = kiln_cl_expr(p, stored, sign).s;
  if (!exact)
    from = kiln_cl_format(p, "as_%s(%s)",
                          kiln_cl_type_name(p, class->element, class->is_signed ? CL_SIGNED : CL_UNSIGNED), from);
  kiln_cl_line(p, "%s = %s;", to.s, from);
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
               kiln_cl_typed_pointer(p, operands[0], name, is_volatile).s);
  kiln_cl_line(p, "%s%s = %s;", cast_type(p, operands[1], name, is_volatile), from,
               kiln_cl_typed_pointer(p, operands[1], name, is_volatile).s);
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
