// Modules and functions of the kernel IR: their memory, tables and free values.
//
// Memory comes from the module's arena. When it is exhausted nothing jumps out of a call: the module is marked as
// failed, and from then on whatever would need memory gives 0.
#include "jit/ir/internal.h"

#include <stdlib.h>
#include <string.h>

const struct kiln_op_info kiln_op_table[KILN_OP_COUNT] = {
#define KILN_OP(NAME, text, operands, result, effect, family)                                                          \
  {text, operands, KILN_RESULT_##result, KILN_EFFECT_##effect},
#include "kiln/ops.def"
};

const bool kiln_op_fp_flags[KILN_OP_COUNT] = {
// an operand is a float
#define KILN_OP(NAME, text, operands, result, effect, family) __builtin_strchr(operands, 'f') != 0,
#include "kiln/ops.def"
};

// ---- memory ---------------------------------------------------------------------------------------------------------

static void *grow(struct kiln_module *module, void *old, size_t old_size, size_t new_size, size_t align) {
  struct kiln_module_priv *priv = kiln_module_priv(module);
  if (priv->failed)
    return NULL;
  jmp_buf jump;
  priv->arena.exhausted = &jump;
  if (setjmp(jump)) {
    priv->failed = true;
    return NULL;
  }
  return kiln_arena_grow(&priv->arena, old, old_size, new_size, align);
}

void *kiln_ir_alloc(struct kiln_module *module, size_t size, size_t align) {
  void *memory = grow(module, NULL, 0, size, align);
  return memory ? memset(memory, 0, size) : NULL;
}

static const char *copy_text(struct kiln_module *module, const char *text, size_t size) {
  char *copy = grow(module, NULL, 0, size + 1, 1);
  if (!copy)
    return "";
  memcpy(copy, text, size);
  copy[size] = 0;
  return copy;
}

const char *kiln_ir_strdup(struct kiln_module *module, const char *text) {
  return text && *text ? copy_text(module, text, strlen(text)) : "";
}

// Gives an array room for wanted items in all, of which so many are needed now.
static bool set_capacity(struct kiln_module *module, void **items, uint32_t used, uint32_t *capacity, uint64_t needed,
                         uint64_t wanted, size_t item_size) {
  if (wanted > KILN_IR_MAX_COUNT)
    wanted = KILN_IR_MAX_COUNT;
  if (wanted < needed) {
    kiln_module_priv(module)->failed = true;
    return false;
  }
  void *grown = grow(module, *items, used * item_size, wanted * item_size, 16);
  if (!grown)
    return false;
  *items = grown;
  *capacity = (uint32_t)wanted;
  return true;
}

bool kiln_ir_grow(struct kiln_module *module, void **items, uint32_t used, uint32_t *capacity, uint32_t count,
                  size_t item_size) {
  uint64_t needed = (uint64_t)used + count, wanted = *capacity ? (uint64_t)*capacity * 2 : 16;
  while (wanted < needed)
    wanted *= 2;
  return set_capacity(module, items, used, capacity, needed, wanted, item_size);
}

// ---- modules --------------------------------------------------------------------------------------------------------

struct kiln_module *kiln_module_new(void) {
  struct kiln_module_priv *priv = calloc(1, sizeof *priv);
  if (!priv)
    return NULL;
  struct kiln_module *module = &priv->module;
  module->priv = priv;
  kiln_arena_init(&priv->arena, NULL);
  priv->arena.limit = KILN_IR_MAX_BYTES;
  // locs[0] is unknown, names begin with the empty name
  if (!KILN_IR_RESERVE(module, module->locs, 0, priv->locs_capacity, 1) ||
      !KILN_IR_RESERVE(module, module->names, 0, priv->names_capacity, 1)) {
    kiln_module_free(module);
    return NULL;
  }
  module->locs[0] = (struct kiln_loc){0};
  module->loc_count = 1;
  *(char *)module->names = 0;
  module->names_size = 1;
  return module;
}

void kiln_module_free(struct kiln_module *module) {
  if (!module)
    return;
  kiln_arena_free(&kiln_module_priv(module)->arena);
  free(module);
}

bool kiln_module_failed(const struct kiln_module *module) { return kiln_module_priv(module)->failed; }

uint32_t kiln_module_add_global(struct kiln_module *module, const struct kiln_global *global) {
  struct kiln_module_priv *priv = kiln_module_priv(module);
  if (!KILN_IR_RESERVE(module, module->globals, module->global_count, priv->globals_capacity, 1))
    return 0;
  struct kiln_global copy = *global;
  copy.name = kiln_ir_strdup(module, global->name);
  copy.init = NULL;
  copy.relocs = NULL;
  copy.reloc_count = 0;
  module->globals[module->global_count] = copy;
  kiln_module_init_global(module, module->global_count, global->init, global->relocs, global->reloc_count);
  return module->global_count++;
}

void kiln_module_init_global(struct kiln_module *module, uint32_t index, const void *init,
                             const struct kiln_reloc *relocs, uint32_t reloc_count) {
  struct kiln_global *global = &module->globals[index];
  void *bytes = init ? grow(module, NULL, 0, global->size ? global->size : 1, 16) : NULL;
  void *copies = reloc_count ? grow(module, NULL, 0, reloc_count * sizeof *relocs, 16) : NULL;
  if (bytes)
    global->init = memcpy(bytes, init, global->size);
  if (copies) {
    global->relocs = memcpy(copies, relocs, reloc_count * sizeof *relocs);
    global->reloc_count = reloc_count;
  }
}

uint32_t kiln_module_add_file(struct kiln_module *module, const char *path) {
  struct kiln_module_priv *priv = kiln_module_priv(module);
  if (!KILN_IR_RESERVE(module, module->files, module->file_count, priv->files_capacity, 1))
    return 0;
  module->files[module->file_count] = kiln_ir_strdup(module, path);
  return module->file_count++;
}

uint32_t kiln_module_add_loc(struct kiln_module *module, uint32_t file, uint32_t line, uint32_t column) {
  struct kiln_loc *last = &module->locs[module->loc_count - 1];
  if (module->loc_count > 1 && last->file == file && last->line == line && last->column == column)
    return module->loc_count - 1;
  struct kiln_module_priv *priv = kiln_module_priv(module);
  if (!KILN_IR_RESERVE(module, module->locs, module->loc_count, priv->locs_capacity, 1))
    return 0;
  module->locs[module->loc_count] = (struct kiln_loc){.file = file, .line = line, .column = column};
  return module->loc_count++;
}

struct kiln_function *kiln_module_find(const struct kiln_module *module, const char *name) {
  for (uint32_t i = 0; i < module->function_count; i++)
    if (strcmp(module->functions[i]->name, name) == 0)
      return module->functions[i];
  return NULL;
}

void kiln_module_reserve_locs(struct kiln_module *module, uint32_t locs) {
  struct kiln_module_priv *priv = kiln_module_priv(module);
  uint64_t all = (uint64_t)module->loc_count + locs;
  if (all > priv->locs_capacity)
    set_capacity(module, (void **)&module->locs, module->loc_count, &priv->locs_capacity, 0, all, sizeof *module->locs);
}

void kiln_function_reserve(struct kiln_function *fn, uint32_t insts, uint32_t operands) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  uint64_t all_insts = (uint64_t)fn->inst_count + insts, all_operands = (uint64_t)fn->operand_count + operands;
  if (all_insts > priv->insts_capacity)
    set_capacity(fn->module, (void **)&fn->insts, fn->inst_count, &priv->insts_capacity, 0, all_insts,
                 sizeof *fn->insts);
  if (all_operands > priv->operands_capacity)
    set_capacity(fn->module, (void **)&fn->operands, fn->operand_count, &priv->operands_capacity, 0, all_operands,
                 sizeof *fn->operands);
}

static struct kiln_function *new_function(struct kiln_module *module, uint32_t param_count) {
  struct kiln_function *fn = kiln_ir_alloc(module, sizeof *fn, 16);
  struct kiln_function_priv *priv = kiln_ir_alloc(module, sizeof *priv, 16);
  if (!fn || !priv)
    return NULL;
  fn->module = module;
  fn->priv = priv;
  fn->params = kiln_ir_alloc(module, sizeof *fn->params * (param_count ? param_count : 1), 16);
  // Index 0 of each of these means "none" and can be read without harm.
  if (!fn->params || !KILN_IR_RESERVE(module, fn->insts, 0, priv->insts_capacity, 1) ||
      !KILN_IR_RESERVE(module, fn->operands, 0, priv->operands_capacity, 1) ||
      !KILN_IR_RESERVE(module, fn->regions, 0, priv->regions_capacity, 2) ||
      !KILN_IR_RESERVE(module, fn->nodes, 0, priv->nodes_capacity, 1))
    return NULL;
  memset(fn->insts, 0, sizeof *fn->insts);
  memset(fn->regions, 0, 2 * sizeof *fn->regions);
  memset(fn->nodes, 0, sizeof *fn->nodes);
  fn->inst_count = 1;
  fn->region_count = 2;
  fn->node_count = 1;
  fn->body = 1;
  return fn;
}

struct kiln_function *kiln_module_add_function(struct kiln_module *module, const char *name, bool is_kernel,
                                               kiln_type return_type, const struct kiln_param *params,
                                               uint32_t param_count) {
  struct kiln_module_priv *priv = kiln_module_priv(module);
  struct kiln_function *fn = new_function(module, param_count);
  if (!fn || !KILN_IR_RESERVE(module, module->functions, module->function_count, priv->functions_capacity, 1))
    return NULL;
  fn->name = kiln_ir_strdup(module, name);
  fn->is_kernel = is_kernel;
  fn->return_type = kiln_type_kind(return_type) == KILN_VOID ? kiln_scalar_type(KILN_VOID) : return_type;
  fn->param_count = param_count;
  for (uint32_t i = 0; i < param_count; i++) {
    struct kiln_param *param = &fn->params[i];
    *param = params[i];
    param->name = kiln_ir_strdup(module, params[i].name);
    param->type_name = kiln_ir_strdup(module, params[i].type_name);
    param->value = kiln_free_value(fn, KILN_OP_PARAM, param->type, NULL, 0, i);
    kiln_set_name(fn, param->value, param->name);
  }
  if (priv->failed)
    return NULL;
  return module->functions[module->function_count++] = fn;
}

// ---- hash tables of ids ---------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// For a table that is three quarters full.
static bool table_grow(struct kiln_module *module, struct kiln_id_table *table, uint64_t (*hash)(void *, uint32_t),
                       void *owner) {
  uint32_t capacity = table->capacity ? table->capacity * 2 : 32;
  uint32_t *slots = kiln_ir_alloc(module, (size_t)capacity * sizeof *slots, 16);
  if (!slots)
    return false;
  for (uint32_t i = 0; i < table->capacity; i++) {
    if (!table->slots[i])
      continue;
    uint32_t slot = (uint32_t)hash(owner, table->slots[i]) & (capacity - 1);
    while (slots[slot])
      slot = (slot + 1) & (capacity - 1);
    slots[slot] = table->slots[i];
  }
  table->slots = slots;
  table->capacity = capacity;
  return true;
}

static uint64_t hash_text(const char *text, size_t size) {
  uint64_t hash = size;
  for (size_t i = 0; i < size; i++)
    hash = mix(hash, (unsigned char)text[i]);
  return hash;
}

static uint64_t hash_name(void *module, uint32_t offset) {
  const char *text = ((struct kiln_module *)module)->names + offset;
  return hash_text(text, strlen(text));
}

uint32_t kiln_module_add_name(struct kiln_module *module, const char *text, size_t size) {
  struct kiln_module_priv *priv = kiln_module_priv(module);
  const char *end = memchr(text, 0, size);
  size = end ? (size_t)(end - text) : size;
  if (size == 0 || size > KILN_IR_MAX_COUNT / 2 ||
      (priv->names.count * 4 >= priv->names.capacity * 3 && !table_grow(module, &priv->names, hash_name, module)))
    return 0;
  uint32_t mask = priv->names.capacity - 1, slot = (uint32_t)hash_text(text, size) & mask;
  for (; priv->names.slots[slot]; slot = (slot + 1) & mask) {
    const char *old = module->names + priv->names.slots[slot];
    if (strncmp(old, text, size) == 0 && old[size] == 0)
      return priv->names.slots[slot];
  }
  if (!KILN_IR_RESERVE(module, module->names, module->names_size, priv->names_capacity, (uint32_t)size + 1))
    return 0;
  uint32_t offset = module->names_size;
  char *place = (char *)module->names + offset;
  memcpy(place, text, size);
  place[size] = 0;
  module->names_size += (uint32_t)size + 1;
  priv->names.slots[slot] = offset;
  priv->names.count++;
  return offset;
}

// ---- free values ----------------------------------------------------------------------------------------------------

static uint64_t hash_value(enum kiln_op op, kiln_type type, const kiln_value *operands, uint32_t count, uint64_t imm) {
  uint64_t hash = mix((uint64_t)op << 56 | (uint64_t)type << 32 | count, imm);
  for (uint32_t i = 0; i < count; i++)
    hash = mix(hash, operands[i]);
  return hash;
}

static uint64_t hash_free(void *owner, uint32_t id) {
  const struct kiln_function *fn = owner;
  const struct kiln_inst *inst = &fn->insts[id];
  return hash_value((enum kiln_op)inst->op, inst->type, kiln_operands(fn, id), inst->operand_count, inst->imm);
}

// Inlined where most are made: scalar constants, which are there already more often than not.
static inline __attribute__((always_inline)) kiln_value free_value(struct kiln_function *fn, enum kiln_op op,
                                                                   kiln_type type, const kiln_value *operands,
                                                                   uint32_t count, uint64_t imm) {
  struct kiln_id_table *table = &kiln_function_priv(fn)->consts;
  if (table->count * 4 >= table->capacity * 3 && !table_grow(fn->module, table, hash_free, fn))
    return 0;
  uint32_t mask = table->capacity - 1, slot = (uint32_t)hash_value(op, type, operands, count, imm) & mask;
  for (; table->slots[slot]; slot = (slot + 1) & mask) {
    kiln_value old = table->slots[slot];
    const struct kiln_inst *inst = &fn->insts[old];
    if (inst->op == op && inst->type == type && inst->imm == imm && inst->operand_count == count &&
        (count == 0 || memcmp(kiln_operands(fn, old), operands, count * sizeof *operands) == 0))
      return old;
  }
  kiln_value value = kiln_inst_new(fn, op, type, operands, count, imm, 0, 0);
  if (value) {
    table->slots[slot] = value;
    table->count++;
  }
  return value;
}

kiln_value kiln_free_value(struct kiln_function *fn, enum kiln_op op, kiln_type type, const kiln_value *operands,
                           uint32_t count, uint64_t imm) {
  return free_value(fn, op, type, operands, count, imm);
}

bool kiln_function_adopt(struct kiln_function *fn) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  priv->insts_capacity = fn->inst_count;
  priv->operands_capacity = fn->operand_count;
  priv->regions_capacity = fn->region_count;
  priv->nodes_capacity = fn->node_count;
  priv->shuffles_capacity = fn->shuffle_count;
  struct kiln_id_table *table = &priv->consts;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (kiln_op_table[fn->insts[v].op].effect != KILN_EFFECT_FREE)
      continue;
    if (table->count * 4 >= table->capacity * 3 && !table_grow(fn->module, table, hash_free, fn))
      return false;
    uint32_t slot = (uint32_t)hash_free(fn, v) & (table->capacity - 1);
    while (table->slots[slot])
      slot = (slot + 1) & (table->capacity - 1);
    table->slots[slot] = v;
    table->count++;
  }
  return true;
}

kiln_value kiln_const(struct kiln_function *fn, kiln_type type, uint64_t bits) {
  unsigned lanes = kiln_type_lanes(type);
  kiln_type element = kiln_type_element(type);
  kiln_value scalar =
      free_value(fn, KILN_OP_CONST, element, NULL, 0, bits & kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type))));
  if (lanes <= 1)
    return scalar;
  kiln_value values[16];
  for (unsigned i = 0; i < lanes && i < 16; i++)
    values[i] = scalar;
  return kiln_const_vec(fn, type, values);
}

kiln_value kiln_const_float(struct kiln_function *fn, kiln_type type, double value) {
  return kiln_const(fn, type, kiln_float_round(kiln_type_kind(type), value, KILN_ROUND_EVEN));
}

kiln_value kiln_const_vec(struct kiln_function *fn, kiln_type type, const kiln_value *lanes) {
  unsigned count = kiln_type_lanes(type);
  bool all_undef = true;
  for (unsigned i = 0; i < count; i++) {
    if (!lanes[i])
      return 0;
    all_undef &= fn->insts[lanes[i]].op == KILN_OP_UNDEF;
  }
  return all_undef ? kiln_undef(fn, type) : kiln_free_value(fn, KILN_OP_CONST_VEC, type, lanes, count, 0);
}

kiln_value kiln_undef(struct kiln_function *fn, kiln_type type) {
  return kiln_free_value(fn, KILN_OP_UNDEF, type, NULL, 0, 0);
}

kiln_value kiln_global_address(struct kiln_function *fn, uint32_t global) {
  if (global >= fn->module->global_count) // only after memory ran out
    return 0;
  return kiln_free_value(fn, KILN_OP_GLOBAL, kiln_ptr_type(fn->module->globals[global].space), NULL, 0, global);
}

// Lanes of a CONST or of a CONST_VEC without undefined lanes. False for any other value.
static bool const_lanes(const struct kiln_function *fn, kiln_value value, union kiln_lanes *out) {
  const struct kiln_inst *inst = &fn->insts[value];
  if (inst->op == KILN_OP_CONST && value) {
    out->bits[0] = inst->imm;
    return true;
  }
  if (inst->op != KILN_OP_CONST_VEC)
    return false;
  const kiln_value *lanes = kiln_operands(fn, value);
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    if (fn->insts[lanes[i]].op != KILN_OP_CONST)
      return false;
    out->bits[i] = fn->insts[lanes[i]].imm;
  }
  return true;
}

bool kiln_const_splat(const struct kiln_function *fn, kiln_value value, uint64_t *bits) {
  const struct kiln_inst *inst = &fn->insts[value];
  if (inst->op == KILN_OP_CONST_VEC) {
    const kiln_value *lanes = kiln_operands(fn, value);
    for (uint32_t i = 1; i < inst->operand_count; i++)
      if (lanes[i] != lanes[0])
        return false;
    inst = &fn->insts[lanes[0]];
  }
  if (inst->op != KILN_OP_CONST || inst == fn->insts)
    return false;
  *bits = inst->imm;
  return true;
}

kiln_value kiln_const_from_lanes(struct kiln_function *fn, kiln_type type, const union kiln_lanes *lanes) {
  unsigned count = kiln_type_lanes(type);
  kiln_value values[16];
  for (unsigned i = 0; i < count && i < 16; i++)
    values[i] = kiln_const(fn, kiln_type_element(type), lanes->bits[i]);
  return count <= 1 ? values[0] : kiln_const_vec(fn, type, values);
}

kiln_value kiln_fold(struct kiln_function *fn, enum kiln_op op, kiln_type type, const kiln_value *operands,
                     uint32_t count, uint64_t imm, uint16_t flags, const uint8_t *shuffle) {
  if (kiln_op_table[op].effect != KILN_EFFECT_PURE || count > 16)
    return 0;
  union kiln_lanes lanes[16], result;
  const union kiln_lanes *pointers[16];
  kiln_type types[16];
  for (uint32_t i = 0; i < count; i++) {
    if (!const_lanes(fn, operands[i], &lanes[i]))
      return 0;
    pointers[i] = &lanes[i];
    types[i] = fn->insts[operands[i]].type;
  }
  if (!kiln_eval(op, type, imm, flags, shuffle, types, pointers, count, &result))
    return 0;
  if (kiln_type_kind(type) == KILN_PTR && result.bits[0] != 0)
    return 0; // the only constant address is null
  return kiln_const_from_lanes(fn, type, &result);
}
