// Constant data: program-scope variables, constants and local memory of functions, strings, images of initialisers.
#include "jit/lang/lower/lower.h"

#include <stdio.h>

#include "jit/ir/internal.h"

struct image {
  uint8_t *bytes;
  uint64_t size;
  bool any;            // some byte is not zero
  uint64_t last_reloc; // the highest offset of relocs
  KILN_VEC(struct kiln_reloc) relocs;
};

// ---- numbers -------------------------------------------------------------------------------------------------------

// NULL when memory is exhausted.
static struct kiln_function *scratch_function(struct kiln_lower *L) {
  if (!L->scratch_module)
    L->scratch_module = kiln_module_new();
  if (L->scratch_module && !L->scratch)
    L->scratch = kiln_module_add_function(L->scratch_module, "", false, kiln_scalar_type(KILN_VOID), NULL, 0);
  return L->scratch;
}

// Evaluates by building: operations on constants come back as constants.
static bool eval(struct kiln_lower *L, const struct kiln_expr *e, union kiln_lanes *out) {
  enum kiln_kind kind = kiln_type_kind(kiln_ctype_ir(e->type.type));
  if (e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT) { // most of a table
    out->bits[0] = e->kind == KILN_EX_INT ? e->value & kiln_bits_mask(kiln_kind_bits(kind))
                                          : kiln_float_round(kind, e->number, KILN_ROUND_EVEN);
    return true;
  }
  struct kiln_function *scratch = scratch_function(L);
  if (!scratch)
    return false;
  struct kiln_function *fn = L->fn;
  struct kiln_module *module = L->module;
  struct kiln_builder b = L->b;
  bool dead = L->dead;
  unsigned errors = L->lang->diags->errors;
  L->fn = scratch;
  L->module = L->scratch_module;
  L->b = kiln_builder_at_end(scratch, scratch->body);
  kiln_value v = kiln_lower_value(L, e);
  const struct kiln_inst *inst = kiln_inst(scratch, v);
  bool ok = v && errors == L->lang->diags->errors && (inst->op == KILN_OP_CONST || inst->op == KILN_OP_CONST_VEC);
  if (ok && inst->op == KILN_OP_CONST)
    out->bits[0] = inst->imm;
  for (uint32_t i = 0; ok && inst->op == KILN_OP_CONST_VEC && i < inst->operand_count; i++)
    out->bits[i] = kiln_inst(scratch, kiln_operands(scratch, v)[i])->imm;
  L->fn = fn;
  L->module = module;
  L->b = b;
  L->dead = dead;
  return ok;
}

bool kiln_lower_is_constant(const struct kiln_expr *e) {
  while (e->kind == KILN_EX_NEG || e->kind == KILN_EX_NOT ||
         (e->kind == KILN_EX_CAST && e->cast != KILN_CAST_LOAD && e->cast != KILN_CAST_DECAY &&
          e->type.type->kind != KILN_CT_POINTER))
    e = e->left;
  bool constant = e->kind == KILN_EX_VECTOR || e->kind == KILN_EX_INIT_LIST;
  for (uint32_t i = 0; constant && e->kind == KILN_EX_VECTOR && i < e->arg_count; i++)
    constant = kiln_lower_is_constant(e->args[i]);
  for (uint32_t i = 0; constant && e->kind == KILN_EX_INIT_LIST && i < e->init_count; i++)
    constant = kiln_lower_is_constant(e->inits[i].value);
  return constant || e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT || e->kind == KILN_EX_STRING;
}

// ---- addresses -----------------------------------------------------------------------------------------------------

struct address {
  uint32_t global; // index + 1; 0: a plain number
  int64_t offset;
};

static bool constant_int(struct kiln_lower *L, const struct kiln_expr *e, int64_t *out) {
  union kiln_lanes lanes;
  if (!eval(L, e, &lanes))
    return false;
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_ctype_ir(e->type.type)));
  uint64_t v = lanes.bits[0];
  if (bits < 64 && kiln_ctype_is_signed(e->type.type) && v >> (bits - 1))
    v |= ~(uint64_t)0 << bits;
  *out = (int64_t)v;
  return true;
}

static bool pointer_value(struct kiln_lower *L, const struct kiln_expr *e, struct address *out);

static bool lvalue_address(struct kiln_lower *L, const struct kiln_expr *e, struct address *out) {
  int64_t offset = 0;
  for (; e->kind == KILN_EX_MEMBER; e = e->left)
    offset += (int64_t)e->member->offset;
  *out = (struct address){0};
  if (e->kind == KILN_EX_VAR && e->decl->kind == KILN_DECL_VARIABLE &&
      (e->decl->type.space != KILN_PRIVATE || e->decl->is_program_scope))
    out->global = kiln_lower_global(L, e->decl);
  else if (e->kind == KILN_EX_STRING)
    out->global = kiln_lower_string(L, e->location, e->text, e->text_size) + 1;
  else if (e->kind == KILN_EX_COMPOUND_LITERAL)
    out->global = kiln_lower_image(L, e->left, e->type.type);
  else if (e->kind != KILN_EX_DEREF || !pointer_value(L, e->left, out))
    return false;
  out->offset += offset;
  return out->global != 0 || e->kind == KILN_EX_DEREF;
}

static bool pointer_value(struct kiln_lower *L, const struct kiln_expr *e, struct address *out) {
  *out = (struct address){0};
  if (e->kind == KILN_EX_INT) {
    out->offset = (int64_t)e->value;
    return true;
  }
  if (e->kind == KILN_EX_ADDRESS || (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_DECAY))
    return lvalue_address(L, e->left, out);
  if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_INT_PTR)
    return constant_int(L, e->left, &out->offset);
  if (e->kind == KILN_EX_CAST)
    return (e->cast == KILN_CAST_POINTER || e->cast == KILN_CAST_SAME || e->cast == KILN_CAST_PTR_INT) &&
           pointer_value(L, e->left, out);
  int64_t index, size;
  if ((e->kind != KILN_EX_PTR_ADD && e->kind != KILN_EX_PTR_SUB) || !pointer_value(L, e->left, out) ||
      !constant_int(L, e->right, &index))
    return false;
  size = (int64_t)e->left->type.type->base.type->size;
  out->offset = (int64_t)((uint64_t)out->offset +
                          (uint64_t)size * (e->kind == KILN_EX_PTR_ADD ? (uint64_t)index : 0 - (uint64_t)index));
  return true;
}

// ---- images --------------------------------------------------------------------------------------------------------

static void put_bytes(struct image *image, uint64_t offset, const void *bytes, uint64_t size) {
  if (offset > image->size)
    return;
  if (size > image->size - offset)
    size = image->size - offset;
  memcpy(image->bytes + offset, bytes, size);
  for (uint64_t i = 0; i < size && !image->any; i++)
    image->any = ((const uint8_t *)bytes)[i] != 0;
}

static bool put(struct kiln_lower *L, struct image *image, uint64_t offset, const struct kiln_expr *e,
                const struct kiln_ctype *type);

static bool put_number(struct kiln_lower *L, struct image *image, uint64_t offset, const struct kiln_expr *e,
                       const struct kiln_ctype *type) {
  union kiln_lanes lanes = {{0}};
  kiln_type ir = kiln_ctype_ir(type);
  unsigned bytes = kiln_kind_bits(kiln_type_kind(ir)) / 8;
  if (e->kind == KILN_EX_INT)
    lanes.bits[0] = e->value;
  else if (e->kind == KILN_EX_FLOAT && bytes == 8)
    memcpy(lanes.bits, &e->number, 8);
  else if (e->kind == KILN_EX_FLOAT && bytes == 4)
    memcpy(lanes.bits, &(float){(float)e->number}, 4);
  else if (!eval(L, e, &lanes))
    return false;
  for (unsigned i = 0; i < kiln_type_lanes(ir); i++) // little-endian on both sides
    put_bytes(image, offset + (uint64_t)i * bytes, &lanes.bits[i], bytes);
  return true;
}

static bool put_pointer(struct kiln_lower *L, struct image *image, uint64_t offset, const struct kiln_expr *e) {
  struct address address;
  if (!pointer_value(L, e, &address))
    return false;
  if (!address.global) {
    put_bytes(image, offset, &address.offset, 8);
    return true;
  }
  image->any = true;
  struct kiln_reloc reloc = {.offset = (uint32_t)offset, .global = address.global - 1, .addend = address.offset};
  bool is_last = image->relocs.count == 0 || offset > image->last_reloc; // as is usual
  image->last_reloc = is_last ? offset : image->last_reloc;
  for (uint32_t i = 0; i < image->relocs.count && !is_last; i++)
    if (image->relocs.items[i].offset == reloc.offset) { // a later initialiser of the same place
      image->relocs.items[i] = reloc;
      return true;
    }
  KILN_VEC_PUSH(L->arena, &image->relocs, reloc);
  return true;
}

static bool put(struct kiln_lower *L, struct image *image, uint64_t offset, const struct kiln_expr *e,
                const struct kiln_ctype *type) {
  while (e->kind == KILN_EX_CAST && (e->cast == KILN_CAST_SAME || e->cast == KILN_CAST_LOAD) &&
         kiln_lower_is_memory(e->left->type.type))
    e = e->left;
  if (e->kind == KILN_EX_COMPOUND_LITERAL)
    e = e->left;
  if (e->kind == KILN_EX_STRING && type->kind == KILN_CT_ARRAY) {
    put_bytes(image, offset, e->text, e->text_size < type->size ? e->text_size : type->size);
    return true;
  }
  if (e->kind == KILN_EX_INIT_LIST && (kiln_lower_is_memory(type) || e->init_count == 1)) {
    for (uint32_t i = 0; i < e->init_count; i++)
      if (!put(L, image, offset + e->inits[i].offset, e->inits[i].value, e->inits[i].value->type.type))
        return false;
    return true;
  }
  if (kiln_lower_is_memory(type))
    return false;
  return type->kind == KILN_CT_POINTER ? put_pointer(L, image, offset, e) : put_number(L, image, offset, e, type);
}

// What is constant of an initialiser, the rest left zero.
static void put_constants(struct kiln_lower *L, struct image *image, uint64_t offset, const struct kiln_expr *e) {
  if (kiln_lower_is_constant(e))
    put(L, image, offset, e, e->type.type);
  else if (e->kind == KILN_EX_INIT_LIST)
    for (uint32_t i = 0; i < e->init_count; i++)
      put_constants(L, image, offset + e->inits[i].offset, e->inits[i].value);
}

static uint32_t add_global(struct kiln_lower *L, struct kiln_global *global, struct image *image) {
  if (image && image->any) {
    global->init = image->bytes;
    global->relocs = image->relocs.items;
    global->reloc_count = image->relocs.count;
  }
  return kiln_module_add_global(L->module, global) + 1;
}

static bool check_size(struct kiln_lower *L, kiln_location location, uint64_t size) {
  if (size <= UINT64_C(1) << 30)
    return true;
  kiln_lower_error(L, location, "variable of %llu bytes is too large", (unsigned long long)size);
  return false;
}

// Room for a first value. NULL: there would be too many bytes of them, or none is wanted; it is reported.
static uint8_t *new_bytes(struct kiln_lower *L, kiln_location location, uint64_t size) {
  bool reported = L->init_bytes > KILN_LOWER_MAX_BYTES;
  L->init_bytes += size;
  if (L->init_bytes <= KILN_LOWER_MAX_BYTES)
    return kiln_arena_zalloc(L->arena, size ? size : 1, 16);
  if (!reported)
    kiln_lower_error(L, location, "the values of initialised variables and strings have more than %d bytes together",
                     KILN_LOWER_MAX_BYTES);
  return NULL;
}

uint32_t kiln_lower_image(struct kiln_lower *L, const struct kiln_expr *init, const struct kiln_ctype *type) {
  struct image image = {.size = type->size, .bytes = new_bytes(L, init->location, type->size)};
  if (!image.bytes)
    return 0;
  if (init->kind == KILN_EX_STRING)
    put(L, &image, 0, init, type);
  else
    put_constants(L, &image, 0, init);
  struct kiln_global global = {.name = kiln_arena_printf(L->arena, ".const.%u", L->module->global_count),
                               .space = KILN_CONSTANT,
                               .size = type->size ? type->size : 1,
                               .align = type->align};
  return add_global(L, &global, &image);
}

uint32_t kiln_lower_string(struct kiln_lower *L, kiln_location location, const char *text, uint32_t size) {
  uint8_t *bytes = new_bytes(L, location, (uint64_t)size + 1);
  if (!bytes) {
    size = 0;
    bytes = kiln_arena_zalloc(L->arena, 1, 1);
  }
  memcpy(bytes, text, size);
  struct kiln_global global = {.name = kiln_arena_printf(L->arena, ".str.%u", L->module->global_count),
                               .space = KILN_CONSTANT,
                               .size = (uint64_t)size + 1,
                               .align = 1,
                               .init = bytes};
  return kiln_module_add_global(L->module, &global);
}

// ---- variables -----------------------------------------------------------------------------------------------------

// Program-scope variables keep their names; those of functions are "function.name", made unique where needed.
static const char *global_name(struct kiln_lower *L, const struct kiln_decl *decl) {
  const char *own = decl->name ? decl->name->text : "", *name = own;
  if (!decl->is_program_scope && L->decl && L->decl->name)
    name = kiln_arena_printf(L->arena, "%s.%s", L->decl->name->text, own);
  if (!L->global_names.arena)
    kiln_names_init(&L->global_names, L->arena);
  struct kiln_name *known = kiln_names_intern(&L->global_names, name, strlen(name));
  if (known->data)
    return kiln_arena_printf(L->arena, "%s.%u", name, L->module->global_count);
  known->data = known;
  return name;
}

static enum kiln_space global_space(const struct kiln_decl *decl) {
  if (decl->type.space == KILN_PRIVATE || decl->type.space == KILN_GENERIC)
    return decl->type.quals & KILN_QUAL_CONST ? KILN_CONSTANT : KILN_GLOBAL;
  return (enum kiln_space)decl->type.space;
}

uint32_t kiln_lower_global(struct kiln_lower *L, struct kiln_decl *decl) {
  struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
  if (slot->global || L->module != L->main_module) // memory is nothing that a constant is made of
    return slot->global;
  const char *shown = decl->name ? decl->name->text : "";
  const struct kiln_ctype *type = decl->type.type;
  if (!check_size(L, decl->location, type->size))
    return 0;
  struct image image = {.size = type->size};
  enum kiln_space space = global_space(decl);
  struct kiln_global global = {.name = global_name(L, decl),
                               .space = space,
                               .size = type->size ? type->size : 1,
                               .align = decl->align > type->align ? decl->align : type->align,
                               .is_exported = decl->is_exported,
                               .is_extern = decl->is_program_scope && decl->is_extern && !decl->init};
  if (slot->in_progress) // its initialiser needs its address: the contents follow
    return slot->global = add_global(L, &global, NULL);
  if (decl->init && space != KILN_LOCAL) {
    image.bytes = new_bytes(L, decl->location, type->size);
    if (!image.bytes)
      return 0;
    slot->in_progress = true;
    if (!put(L, &image, 0, decl->init, type))
      kiln_lower_error(L, decl->init->location, "initializer of '%s' is not a compile-time constant", shown);
    slot->in_progress = false;
  }
  if (!slot->global)
    return slot->global = add_global(L, &global, &image);
  if (image.any)
    kiln_module_init_global(L->module, slot->global - 1, image.bytes, image.relocs.items, image.relocs.count);
  return slot->global;
}
