// Variables outside of functions, with their contents and the addresses in these.
#include "jit/spirv/module.h"

#define MOST_BYTES ((uint64_t)1 << 31)    // of a variable
#define MOST_CONTENTS ((uint64_t)1 << 28) // of contents other than zeros
#define MOST_ALIGN (1u << 20)
#define MOST_STEPS ((uint64_t)1 << 28) // over the parts of all contents: a constant may be in others many times

struct contents {
  struct kiln_spv *spv;
  const struct kiln_spv_inst *inst; // OpVariable
  unsigned char *bytes;
  struct kiln_reloc *relocs;
  uint32_t reloc_count, reloc_capacity;
  uint64_t *steps; // of the module so far
};

static void add_address(struct contents *c, uint64_t at, const struct kiln_spv_constant *constant) {
  struct kiln_spv *spv = c->spv;
  const struct kiln_spv_id *id = &spv->ids[constant->variable];
  if (id->type->storage == KILN_SPV_StorageClass_Workgroup)
    kiln_spv_fail(spv, c->inst, "its contents have the address of %s, which is local memory",
                  kiln_spv_id_text(spv, constant->variable));
  if (kiln_spv_is_builtin(spv, constant->variable))
    kiln_spv_fail(spv, c->inst, "its contents have the address of %s, which is a built-in variable",
                  kiln_spv_id_text(spv, constant->variable));
  if (c->reloc_count == c->reloc_capacity) {
    uint32_t capacity = c->reloc_capacity ? c->reloc_capacity * 2 : 8;
    c->relocs = kiln_arena_grow(&spv->arena, c->relocs, c->reloc_capacity * sizeof *c->relocs,
                                capacity * sizeof *c->relocs, _Alignof(struct kiln_reloc));
    c->reloc_capacity = capacity;
  }
  c->relocs[c->reloc_count++] = (struct kiln_reloc){(uint32_t)at, id->number, constant->offset};
}

static void put_lanes(struct contents *c, uint64_t at, const struct kiln_spv_type *type, const uint64_t *lanes) {
  unsigned size = kiln_kind_bits(kiln_type_kind(type->stored)) / 8;
  for (unsigned i = 0; i < kiln_type_lanes(type->stored); i++)
    for (unsigned k = 0; k < size; k++)
      c->bytes[at + (uint64_t)i * size + k] = (unsigned char)(lanes[i] >> 8 * k);
}

// What is not put stays 0. As deep as the type is.
static void put(struct contents *c, uint64_t at, const struct kiln_spv_constant *constant) {
  uint64_t lanes[16];
  if (++*c->steps > MOST_STEPS)
    kiln_spv_limit(c->spv, c->inst, "the contents of variables have more than %u parts", (unsigned)MOST_STEPS);
  if (constant->type->odd_bits && constant->type->kind == KILN_SPV_VECTOR)
    kiln_spv_refuse_odd(c->spv, c->inst, constant->type);
  if (constant->form == KILN_SPV_ADDRESS && constant->variable) {
    add_address(c, at, constant);
  } else if (constant->form == KILN_SPV_PARTS) {
    for (uint32_t i = 0; i < constant->type->count; i++)
      put(c, at + kiln_spv_offset(constant->type, i), constant->parts[i]);
  } else if (constant->type->ir && kiln_spv_constant_lanes(constant, lanes)) {
    put_lanes(c, at, constant->type, lanes);
  }
}

// Whether a constant leaves all bytes undefined or zero, as deep as the type is: Khronos' translator gives local
// structures a member-wise undefined value.
static bool is_nothing(struct contents *c, const struct kiln_spv_constant *constant) {
  if (++*c->steps > MOST_STEPS)
    kiln_spv_limit(c->spv, c->inst, "the contents of variables have more than %u parts", (unsigned)MOST_STEPS);
  if (constant->form != KILN_SPV_PARTS)
    return constant->form == KILN_SPV_ZERO || constant->form == KILN_SPV_UNDEF;
  for (uint32_t i = 0; i < constant->type->count; i++)
    if (!is_nothing(c, constant->parts[i]))
      return false;
  return true;
}

static void link_variable(struct kiln_spv *spv, const struct kiln_spv_inst *inst, struct kiln_global *global) {
  const struct kiln_spv_decoration *d = kiln_spv_decoration(spv, inst->id, KILN_SPV_Decoration_LinkageAttributes);
  if (!d)
    return;
  struct kiln_spv_inst text = {.operands = d->operands, .count = d->count};
  global->name = kiln_spv_string(spv, &text, 0, NULL);
  bool imports = d->operands[d->count - 1] == KILN_SPV_LinkageType_Import;
  if (!spv->input->options.is_object) {
    char shown[64];
    kiln_quote_name(shown, global->name, strlen(global->name));
    if (imports)
      kiln_spv_fail(spv, inst, "undefined import %s", shown);
    return;
  }
  if (imports && inst->count > 1)
    kiln_spv_fail(spv, inst, "an import has contents");
  global->is_extern = imports || kiln_spv_linkage(spv, inst->id) == KILN_SPV_LinkageType_LinkOnceODR;
  global->is_exported = !imports;
}

static uint32_t align_of(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_type *type) {
  uint32_t align = kiln_spv_alignment(spv, inst->id);
  if (align > MOST_ALIGN)
    kiln_spv_limit(spv, inst, "an alignment of %u bytes", align);
  return align > type->align ? align : type->align;
}

static void make(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint64_t *steps) {
  struct kiln_spv_id *id = &spv->ids[inst->id];
  const struct kiln_spv_type *type = id->type->element;
  struct kiln_global global = {.space = kiln_type_space(id->type->ir),
                               .name = spv->names[inst->id] ? spv->names[inst->id] : "",
                               .size = type->size ? type->size : 1,
                               .align = align_of(spv, inst, type)};
  if (type->kind == KILN_SPV_VOID || type->kind == KILN_SPV_EVENT)
    kiln_spv_fail(spv, inst, "a variable of %s", kiln_spv_type_text(spv, type));
  if (global.size > MOST_BYTES)
    kiln_spv_limit(spv, inst, "a variable of %llu bytes", (unsigned long long)global.size);
  link_variable(spv, inst, &global);
  struct contents c = {.spv = spv, .inst = inst, .steps = steps};
  if (inst->count > 1) {
    const struct kiln_spv_constant *constant = kiln_spv_constant_of(spv, inst, inst->operands[1]);
    if (!kiln_spv_same_type(constant->type, type))
      kiln_spv_fail(spv, inst, "its contents are %s, not %s", kiln_spv_type_text(spv, constant->type),
                    kiln_spv_type_text(spv, type));
    bool zero = is_nothing(&c, constant);
    if (!zero && global.space == KILN_LOCAL)
      kiln_spv_fail(spv, inst, "local memory has contents");
    if (!zero && global.size > MOST_CONTENTS)
      kiln_spv_limit(spv, inst, "contents of %llu bytes", (unsigned long long)global.size);
    if (!zero) {
      c.bytes = KILN_NEW_ARRAY(&spv->arena, unsigned char, global.size);
      put(&c, 0, constant);
    }
  }
  global.init = c.bytes;
  global.relocs = c.relocs;
  global.reloc_count = c.reloc_count;
  id->number = kiln_module_add_global(spv->module, &global);
}

void kiln_spv_make_globals(struct kiln_spv *spv) {
  uint64_t steps = 0;
  for (uint32_t i = 0; i < spv->inst_count && spv->insts[i].op != KILN_SPV_OpFunction; i++) {
    const struct kiln_spv_inst *inst = &spv->insts[i];
    if (inst->op == KILN_SPV_OpVariable && !kiln_spv_is_builtin(spv, inst->id))
      make(spv, inst, &steps);
  }
}
