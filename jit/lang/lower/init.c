// Initialisers of variables in private memory: stores of the parts, or for large ones a copy of a constant image and
// stores of what is not constant.
#include "jit/lang/lower/lower.h"

enum { SMALL = 256 }; // bytes up to which an aggregate is initialised by stores

static struct kiln_lower_lvalue part(const struct kiln_lower_lvalue *lvalue, uint64_t offset,
                                     const struct kiln_ctype *type) {
  struct kiln_lower_lvalue p = *lvalue;
  uint64_t both = lvalue->align | offset;
  p.offset += (int64_t)offset;
  p.align = (uint32_t)(both & -both);
  p.type = type;
  return p;
}

static const struct kiln_member *largest(const struct kiln_ctype *type) {
  const struct kiln_member *member = &type->members[0];
  for (uint32_t i = 1; i < type->member_count; i++)
    if (type->members[i].type.type->size > member->type.type->size)
      member = &type->members[i];
  return member;
}

// Stores zero to every scalar or vector of which some byte is not covered.
static void clear(struct kiln_lower *L, const struct kiln_lower_lvalue *lvalue, const bool *covered, uint64_t offset,
                  const struct kiln_ctype *type) {
  if (type->kind == KILN_CT_ARRAY) {
    for (uint64_t i = 0; i < type->count; i++)
      clear(L, lvalue, covered, offset + i * type->base.type->size, type->base.type);
    return;
  }
  if (type->kind == KILN_CT_RECORD) {
    for (uint32_t i = 0; i < type->member_count && !type->is_union; i++)
      clear(L, lvalue, covered, offset + type->members[i].offset, type->members[i].type.type);
    if (type->is_union && type->member_count)
      clear(L, lvalue, covered, offset, largest(type)->type.type);
    return;
  }
  kiln_type ir = kiln_ctype_ir(type);
  if (kiln_type_kind(ir) == KILN_VOID)
    return;
  bool all = true;
  for (uint64_t i = 0; i < kiln_type_bytes(ir); i++)
    all &= covered[offset + i];
  struct kiln_lower_lvalue leaf = part(lvalue, offset, type);
  if (!all)
    kiln_lower_store(L, &leaf, kiln_const(L->fn, ir, 0));
}

static void copy_image(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, const struct kiln_expr *init) {
  uint32_t image = kiln_lower_image(L, init, lvalue->type);
  if (!image)
    return;
  struct kiln_lower_lvalue to = *lvalue;
  kiln_lower_copy(L, &to, kiln_global_address(L->fn, image - 1), L->module->globals[image - 1].align);
}

static void list(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, const struct kiln_expr *init) {
  const struct kiln_ctype *type = lvalue->type;
  bool is_small = type->size <= SMALL;
  if (is_small) {
    bool covered[SMALL] = {false};
    for (uint32_t i = 0; i < init->init_count; i++) {
      uint64_t first = init->inits[i].offset, size = init->inits[i].value->type.type->size;
      for (uint64_t k = first; k < first + size && k < SMALL; k++)
        covered[k] = true;
    }
    clear(L, lvalue, covered, 0, type);
  } else {
    copy_image(L, lvalue, init);
  }
  for (uint32_t i = 0; i < init->init_count; i++) {
    const struct kiln_expr *value = init->inits[i].value;
    if (!is_small && kiln_lower_is_constant(value))
      continue;
    struct kiln_lower_lvalue p = part(lvalue, init->inits[i].offset, value->type.type);
    kiln_lower_init(L, &p, value);
  }
}

void kiln_lower_init(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, const struct kiln_expr *init) {
  if (!lvalue->ptr)
    return;
  const struct kiln_expr *value = init;
  while (value->kind == KILN_EX_CAST && value->cast == KILN_CAST_SAME && kiln_lower_is_memory(value->type.type))
    value = value->left;
  if (value->kind == KILN_EX_CAST && value->cast == KILN_CAST_LOAD && value->left->kind == KILN_EX_STRING)
    value = value->left;
  if (kiln_lower_is_memory(lvalue->type) && value->kind == KILN_EX_STRING) {
    copy_image(L, lvalue, value);
  } else if (kiln_lower_is_memory(lvalue->type) && value->kind == KILN_EX_INIT_LIST) {
    list(L, lvalue, value);
  } else {
    kiln_value v = kiln_lower_value(L, value);
    kiln_lower_at(L, init->location);
    kiln_lower_store(L, lvalue, v);
  }
}
