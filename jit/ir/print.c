// Prints a module in the text form of docs/ir.md. Values and labels are numbered in the order in which they appear, so
// that what the parser makes of the text prints the same again.
#include "jit/ir/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "base/floats.h"
#include "base/str.h"

struct printer {
  struct kiln_strbuf out;
  const struct kiln_module *module;
  const struct kiln_function *fn;
  uint32_t *numbers; // of values and, for nodes, of labels; by id
  uint32_t value_count, label_count;
  bool broken; // nested too deeply, or memory exhausted
};

static void put(struct printer *p, const char *text) { kiln_strbuf_puts(&p->out, text); }
#define PUTF(p, ...) kiln_strbuf_printf(&(p)->out, __VA_ARGS__)

static void put_string(struct printer *p, const char *data, uint64_t size) {
  static const char digits[] = "0123456789abcdef";
  kiln_strbuf_putc(&p->out, '"');
  for (uint64_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)data[i];
    if (c == '"' || c == '\\')
      PUTF(p, "\\%c", c);
    else if (c == '\n')
      put(p, "\\n");
    else if (c < 0x20 || c >= 0x7f)
      kiln_strbuf_append(&p->out, (char[]){'\\', digits[c >> 4], digits[c & 15]}, 3);
    else
      kiln_strbuf_putc(&p->out, (char)c);
  }
  kiln_strbuf_putc(&p->out, '"');
}

static bool is_identifier(const char *text) {
  size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  return size > 0 && text[size] == 0 && (text[0] < '0' || text[0] > '9');
}

static void put_name(struct printer *p, const char *name) {
  if (is_identifier(name))
    put(p, name);
  else
    put_string(p, name, strlen(name));
}

static void put_type(struct printer *p, kiln_type type) {
  char text[KILN_TYPE_TEXT_SIZE];
  put(p, kiln_type_text(type, text));
}

// ---- operands -------------------------------------------------------------------------------------------------------

// The shortest decimal number that stands for the value.
static void put_float(struct printer *p, enum kiln_kind kind, uint64_t bits) {
  double value = kiln_float_value(kind, bits);
  char text[40];
  if (isnan(value)) {
    PUTF(p, "0x%" PRIx64, bits);
  } else if (isinf(value)) {
    put(p, value < 0 ? "-inf" : "inf");
  } else {
    for (int digits = 1; digits <= 17; digits++) {
      kiln_snprintf(text, sizeof text, "%.*g", digits, value);
      if (kiln_parse_float(kind, text, NULL) == bits)
        break;
    }
    put(p, text);
    if (!strpbrk(text, ".e"))
      put(p, ".0");
  }
}

static void put_scalar(struct printer *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  enum kiln_kind kind = kiln_type_kind(inst->type);
  if (inst->op == KILN_OP_UNDEF)
    put(p, "undef");
  else if (kind == KILN_PTR)
    put(p, "null");
  else if (kind == KILN_BOOL)
    put(p, inst->imm ? "true" : "false");
  else if (kiln_kind_is_float(kind))
    put_float(p, kind, inst->imm);
  else
    PUTF(p, "%" PRId64, kiln_sign_extend(inst->imm, kiln_kind_bits(kind)));
}

static void put_const_vec(struct printer *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  const kiln_value *lanes = kiln_operands(p->fn, id);
  bool splat = true;
  for (uint32_t i = 1; i < inst->operand_count; i++)
    splat &= lanes[i] == lanes[0];
  if (splat) {
    put_scalar(p, lanes[0]);
    return;
  }
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    put(p, i ? ", " : "{");
    put_scalar(p, lanes[i]);
  }
  put(p, "}");
}

static void put_value(struct printer *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  if (inst->op == KILN_OP_CONST || inst->op == KILN_OP_UNDEF || inst->op == KILN_OP_CONST_VEC) {
    if (inst->op == KILN_OP_CONST_VEC)
      put_const_vec(p, id);
    else
      put_scalar(p, id);
    put(p, ":");
    put_type(p, inst->type);
  } else if (inst->op == KILN_OP_GLOBAL) {
    PUTF(p, "$%" PRIu64, inst->imm);
  } else {
    PUTF(p, "%%%u", p->numbers[id]);
  }
}

static void put_values(struct printer *p, const kiln_value *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    put(p, i ? ", " : "");
    put_value(p, values[i]);
  }
}

static void put_definition(struct printer *p, kiln_value id, const char *name) {
  p->numbers[id] = p->value_count++;
  PUTF(p, "%%%u", p->numbers[id]);
  if (*name) {
    put(p, ".");
    put_name(p, name);
  }
}

static void put_loc(struct printer *p, kiln_value id) {
  uint32_t loc = p->fn->insts[id].loc;
  if (loc)
    PUTF(p, " !%u:%u:%u", p->module->locs[loc].file, p->module->locs[loc].line, p->module->locs[loc].column);
}

// ---- instructions ---------------------------------------------------------------------------------------------------

static void put_flags(struct printer *p, const struct kiln_inst *inst) {
  if (kiln_text_form((enum kiln_op)inst->op) == KILN_FORM_ROUND)
    PUTF(p, ".%s", kiln_round_words[inst->imm & 3]);
  if (inst->op == KILN_OP_ATOMIC_RMW) {
    PUTF(p, ".%s", inst->flags < KILN_RMW_COUNT ? kiln_rmw_words[inst->flags] : "?");
  } else if (inst->op >= KILN_OP_GROUP_REDUCE && inst->op <= KILN_OP_GROUP_SCAN_EXCLUSIVE) {
    PUTF(p, ".%s", inst->flags < KILN_REDUCE_COUNT ? kiln_reduce_words[inst->flags] : "?");
  } else if (kiln_op_has_fp_flags((enum kiln_op)inst->op)) {
    for (unsigned i = 0; i < KILN_FP_FLAG_COUNT; i++)
      if (inst->flags >> i & 1)
        PUTF(p, ".%s", kiln_fp_flag_words[i]);
  } else if (kiln_op_has_int_flags((enum kiln_op)inst->op)) {
    put(p, inst->flags & KILN_INT_NSW ? ".nsw" : "");
  } else if (inst->op == KILN_OP_DOT4) {
    PUTF(p, ".%s", kiln_dot_words[inst->imm & 3]);
    for (unsigned i = 0; i < 2; i++)
      if (inst->flags >> i & 1)
        PUTF(p, ".%s", kiln_dot_flag_words[i]);
  } else if (kiln_op_family(kiln_op_of(inst)) == KILN_FAMILY_IMAGE) {
    if (inst->op == KILN_OP_IMAGE_QUERY)
      PUTF(p, ".%s", kiln_query_words[inst->imm % 6]);
    for (unsigned i = 0; i < 3; i++)
      if (inst->flags >> i & 1)
        PUTF(p, ".%s", kiln_image_flag_words[i]);
  } else if (inst->op == KILN_OP_PRINTF) {
    put(p, inst->flags & KILN_PRINT_FAIL ? ".fail" : "");
  } else if (inst->flags & KILN_MEM_VOLATILE) {
    put(p, ".volatile");
  }
}

static const char *order_word(uint64_t imm) {
  return kiln_atomic_order(imm) <= KILN_SEQ_CST ? kiln_order_words[kiln_atomic_order(imm)] : "?";
}
static const char *scope_word(uint64_t imm) {
  return kiln_atomic_scope(imm) <= KILN_SCOPE_SYSTEM ? kiln_scope_words[kiln_atomic_scope(imm)] : "?";
}

static void put_fence_bits(struct printer *p, uint32_t bits) {
  const char *separator = "";
  put(p, "[");
  for (unsigned i = 0; i < 3; i++) {
    if (!(bits >> i & 1))
      continue;
    PUTF(p, "%s%s", separator, kiln_fence_words[i]);
    separator = ", ";
  }
  put(p, "]");
}

static void put_lanes(struct printer *p, const struct kiln_inst *inst) {
  for (unsigned i = 0; i < kiln_type_lanes(inst->type); i++) {
    uint8_t lane = p->fn->shuffles[inst->node][i];
    put(p, i ? ", " : ", [");
    if (lane == 0xff)
      put(p, "undef");
    else
      PUTF(p, "%u", lane);
  }
  put(p, "]");
}

// Operands and immediates.
static void put_body(struct printer *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  enum kiln_text_form form = kiln_text_form((enum kiln_op)inst->op);
  put_flags(p, inst);
  if (form == KILN_FORM_CALL || form == KILN_FORM_PRINTF) {
    if (form == KILN_FORM_CALL) {
      put(p, " @");
      put_name(p, p->module->functions[inst->imm]->name);
    } else {
      PUTF(p, " $%" PRIu64, inst->imm);
    }
    put(p, "(");
    put_values(p, kiln_operands(p->fn, id), inst->operand_count);
    put(p, ")");
    return;
  }
  if (inst->operand_count)
    put(p, " ");
  put_values(p, kiln_operands(p->fn, id), inst->operand_count);
  switch (form) {
  case KILN_FORM_STRIDE:
    PUTF(p, " * %" PRId64, (int64_t)inst->imm);
    break;
  case KILN_FORM_ALIGN:
    PUTF(p, ", align %u", inst->imm2);
    break;
  case KILN_FORM_VAR:
    PUTF(p, " %" PRIu64 ", align %u", inst->imm, inst->imm2);
    break;
  case KILN_FORM_COPY:
    PUTF(p, ", bytes %" PRIu64 ", align %u", inst->imm, inst->imm2);
    break;
  case KILN_FORM_ATOMIC:
    PUTF(p, ", %s %s", order_word(inst->imm), scope_word(inst->imm));
    break;
  case KILN_FORM_FENCE:
    PUTF(p, " %s %s ", order_word(inst->imm), scope_word(inst->imm));
    put_fence_bits(p, inst->imm2);
    break;
  case KILN_FORM_BARRIER:
    put(p, " ");
    put_fence_bits(p, inst->imm2);
    break;
  case KILN_FORM_DIMENSION:
    PUTF(p, " %" PRIu64, inst->imm);
    break;
  case KILN_FORM_LANES:
    put_lanes(p, inst);
    break;
  case KILN_FORM_GROUP:
    PUTF(p, ", %s", kiln_scope_words[kiln_collective_scope(inst->imm) % 5]);
    if (kiln_collective_cluster(inst->imm))
      PUTF(p, ", cluster %u", kiln_collective_cluster(inst->imm));
    break;
  case KILN_FORM_PLAIN:
  case KILN_FORM_ROUND:
  case KILN_FORM_CALL:
  case KILN_FORM_PRINTF:
    break;
  }
}

// Shapes are comments: nothing that is read again.
static void put_shape(struct printer *p, kiln_value id) {
  const struct kiln_shape *shape = &p->fn->shapes[id];
  switch ((enum kiln_shape_kind)shape->kind) {
  case KILN_SHAPE_VARYING:
    put(p, "varying");
    break;
  case KILN_SHAPE_UNIFORM:
    put(p, "uniform");
    break;
  case KILN_SHAPE_LINEAR:
    PUTF(p, "linear %" PRId64 "%s", shape->stride, shape->guarded ? " guarded" : "");
    break;
  }
}

static void put_inst_shape(struct printer *p, kiln_value id) {
  if (id >= p->fn->shape_count || kiln_type_kind(p->fn->insts[id].type) == KILN_VOID)
    return;
  put(p, " // ");
  put_shape(p, id);
}

static void put_phi_shapes(struct printer *p, const struct kiln_value_list *phis, const char **separator) {
  for (uint32_t i = 0; i < phis->count; i++) {
    if (phis->items[i] >= p->fn->shape_count)
      continue;
    PUTF(p, "%s%%%u ", *separator, p->numbers[phis->items[i]]);
    put_shape(p, phis->items[i]);
    *separator = ", ";
  }
}

static void put_node_shape(struct printer *p, const struct kiln_node *node) {
  const char *separator = " // ";
  if (node->inst >= p->fn->shape_count)
    return;
  if (node->divergent) {
    PUTF(p, "%sdivergent", separator);
    separator = ", ";
  }
  if (node->partial) {
    PUTF(p, "%spartial", separator);
    separator = ", ";
  }
  put_phi_shapes(p, &node->header, &separator);
  put_phi_shapes(p, &node->results, &separator);
}

static void indent(struct printer *p, unsigned depth) {
  for (unsigned i = 0; i < depth; i++)
    put(p, "  ");
}

static void put_region(struct printer *p, uint32_t region, unsigned depth);

static void put_phis(struct printer *p, const char *open, const struct kiln_value_list *phis, const kiln_value *first) {
  if (phis->count == 0)
    return;
  put(p, open);
  for (uint32_t i = 0; i < phis->count; i++) {
    put(p, i ? ", " : "");
    put_definition(p, phis->items[i], kiln_value_name(p->fn, phis->items[i]));
    put(p, ": ");
    put_type(p, p->fn->insts[phis->items[i]].type);
    if (first) {
      put(p, " = ");
      put_value(p, first[i]);
    }
  }
  put(p, ")");
}

// An else that does nothing is left out.
static bool is_empty(const struct kiln_function *fn, uint32_t region) {
  kiln_value id = fn->regions[region].first;
  return id && fn->insts[id].op == KILN_OP_YIELD && fn->insts[id].operand_count == 0;
}

static void put_node(struct printer *p, kiln_value id, unsigned depth) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  const struct kiln_node *node = kiln_node(p->fn, id);
  if (inst->op != KILN_OP_IF) {
    p->numbers[id] = p->label_count++;
    PUTF(p, " ^%u", p->numbers[id]);
  }
  if (inst->op == KILN_OP_LOOP) {
    put_phis(p, " (", &node->header, kiln_operands(p->fn, id));
  } else if (inst->operand_count) {
    put(p, " ");
    put_value(p, kiln_operands(p->fn, id)[0]);
  }
  if (inst->op == KILN_OP_SWITCH) {
    for (uint32_t i = 1; i < node->region_count; i++)
      PUTF(p, "%s%" PRId64, i > 1 ? ", " : " [", node->cases[i - 1]);
    put(p, node->region_count > 1 ? "]" : " []");
  }
  put_phis(p, " -> (", &node->results, NULL);
  if (inst->op == KILN_OP_LOOP && node->unroll)
    PUTF(p, " unroll %u", node->unroll);
  if (inst->op == KILN_OP_IF && inst->flags & KILN_IF_LIKELY)
    put(p, " likely");
  put_loc(p, id);
  put(p, " {");
  put_node_shape(p, node);
  put(p, "\n");
  for (uint32_t i = 0; i < node->region_count; i++) {
    if (inst->op == KILN_OP_IF && i == 1 && is_empty(p->fn, node->region_first + 1))
      break;
    if (i) {
      indent(p, depth);
      if (inst->op == KILN_OP_IF)
        put(p, "} else {\n");
      else
        PUTF(p, "} case %" PRId64 " {\n", node->cases[i - 1]);
    }
    put_region(p, node->region_first + i, depth + 1);
  }
  indent(p, depth);
  put(p, "}\n");
}

static void put_inst(struct printer *p, kiln_value id, unsigned depth) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  indent(p, depth);
  if (kiln_type_kind(inst->type) != KILN_VOID) {
    put_definition(p, id, kiln_value_name(p->fn, id));
    put(p, " = ");
  }
  put(p, kiln_op_table[inst->op].name);
  if (kiln_op_is_node(inst->op)) {
    put_node(p, id, depth);
    return;
  }
  if (kiln_op_leaves(inst->op))
    PUTF(p, " ^%u%s", p->numbers[inst->imm], inst->operand_count ? "," : "");
  put_body(p, id);
  if (kiln_op_table[inst->op].result == KILN_RESULT_GIVEN && kiln_type_kind(inst->type) != KILN_VOID) {
    put(p, " : ");
    put_type(p, inst->type);
  }
  put_loc(p, id);
  put_inst_shape(p, id);
  put(p, "\n");
}

static void put_region(struct printer *p, uint32_t region, unsigned depth) {
  if (depth > KILN_IR_MAX_DEPTH + 1) {
    p->broken = true;
    return;
  }
  for (kiln_value id = p->fn->regions[region].first; id; id = p->fn->insts[id].next)
    put_inst(p, id, depth);
}

// ---- functions and modules ------------------------------------------------------------------------------------------

static void put_param(struct printer *p, const struct kiln_param *param) {
  put_definition(p, param->value, param->name);
  put(p, ": ");
  put_type(p, param->type);
  if (*param->type_name) {
    put(p, " ");
    put_string(p, param->type_name, strlen(param->type_name));
  }
  if (param->byval_bytes)
    PUTF(p, " byval %u", param->byval_bytes);
  if (param->align)
    PUTF(p, " align %u", param->align);
  if (param->access)
    PUTF(p, " access %s", kiln_access_words[param->access]);
  put(p, param->is_const ? " const" : "");
  put(p, param->is_restrict ? " restrict" : "");
  put(p, param->is_volatile ? " volatile" : "");
  if (param->image)
    PUTF(p, " of %s",
         param->image < KILN_PARAM_IMAGE ? kiln_param_words[param->image]
                                         : kiln_dimension_words[(param->image - KILN_PARAM_IMAGE) % 8]);
}

static void put_size(struct printer *p, const char *word, const uint32_t size[3]) {
  if (size[0] || size[1] || size[2])
    PUTF(p, " %s %u %u %u", word, size[0], size[1], size[2]);
}

static void put_function(struct printer *p, const struct kiln_function *fn) {
  p->fn = fn;
  p->value_count = p->label_count = 0;
  p->numbers = calloc(fn->inst_count, sizeof *p->numbers);
  if (!p->numbers) {
    p->broken = true;
    return;
  }
  put(p, fn->is_kernel ? "\nkernel @" : "\nfunc @");
  put_name(p, fn->name);
  put(p, "(");
  for (uint32_t i = 0; i < fn->param_count; i++) {
    put(p, i ? ", " : "");
    put_param(p, &fn->params[i]);
  }
  put(p, ")");
  if (kiln_type_kind(fn->return_type) != KILN_VOID) {
    put(p, " : ");
    put_type(p, fn->return_type);
  }
  put_size(p, "reqd", fn->required_group_size);
  put_size(p, "hint", fn->group_size_hint);
  if (fn->vec_type_hint) {
    put(p, " vec_type ");
    put_string(p, fn->vec_type_hint, strlen(fn->vec_type_hint));
  }
  if (fn->tuning) {
    put(p, " tuning ");
    put_string(p, fn->tuning, strlen(fn->tuning));
  }
  if (fn->required_sub_group_size)
    PUTF(p, " sub_groups_of %u", fn->required_sub_group_size);
  put(p, fn->no_inline ? " noinline" : "");
  put(p, fn->always_inline ? " inline" : "");
  put(p, !fn->is_exported ? "" : fn->is_once ? " export once" : " export");
  if (fn->is_declared) {
    put(p, " extern\n");
  } else {
    put(p, " {\n");
    put_region(p, fn->body, 1);
    put(p, "}\n");
  }
  free(p->numbers);
  p->numbers = NULL;
}

static void put_global(struct printer *p, uint32_t index) {
  const struct kiln_global *global = &p->module->globals[index];
  PUTF(p, "global $%u ", index);
  put_string(p, global->name, strlen(global->name));
  PUTF(p, " %s size %" PRIu64 " align %u", kiln_space_words[global->space], global->size, global->align);
  put(p, global->is_exported ? " export" : global->is_extern ? " extern" : "");
  put(p, kiln_global_is_once(global) ? " once" : "");
  if (global->init) {
    put(p, " = ");
    put_string(p, global->init, global->size);
  }
  for (uint32_t i = 0; i < global->reloc_count; i++) {
    const struct kiln_reloc *reloc = &global->relocs[i];
    PUTF(p, "%s%u: $%u + %" PRId64, i ? ", " : " relocs [", reloc->offset, reloc->global, reloc->addend);
  }
  put(p, global->reloc_count ? "]\n" : "\n");
}

static void put_module(struct printer *p) {
  PUTF(p, "kiln_ir %u\n", KILN_IR_TEXT_VERSION);
  for (uint32_t i = 0; i < p->module->file_count; i++) {
    PUTF(p, "file %u ", i);
    put_string(p, p->module->files[i], strlen(p->module->files[i]));
    put(p, "\n");
  }
  for (uint32_t i = 0; i < p->module->global_count; i++)
    put_global(p, i);
  for (uint32_t i = 0; i < p->module->function_count; i++)
    put_function(p, p->module->functions[i]);
}

enum kiln_status kiln_module_print(const struct kiln_module *module, char **out) {
  struct printer p = {.module = module};
  struct kiln_floats floats = kiln_floats_enter();
  put_module(&p);
  kiln_floats_leave(floats);
  char *text = p.broken ? NULL : kiln_strbuf_take(&p.out);
  kiln_strbuf_free(&p.out);
  if (!text)
    return KILN_ERR_MEMORY;
  *out = text;
  return KILN_OK;
}
