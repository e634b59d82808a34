// printf: a helper function for each place appends a record to the buffer (prints.h). Without a buffer, in text for any
// device, printf stays what it is.
#include "backends/opencl/print/prints.h"

#include "backends/opencl/print/print.h"

// ---- which functions print

void kiln_cl_find_prints(struct cl_printer *p) {
  const struct kiln_module *module = p->module;
  p->prints = KILN_NEW_ARRAY(&p->arena, bool, module->function_count + 1);
  p->print_strings = KILN_NEW_ARRAY(&p->arena, bool, module->global_count + 1);
  bool changed = p->options.print_buffer;
  while (changed) { // a caller of one that prints: there is no recursion
    changed = false;
    for (uint32_t f = 0; f < module->function_count; f++) {
      const struct kiln_function *fn = module->functions[f];
      for (kiln_value id = 1; id < fn->inst_count && !p->prints[f]; id++) {
        const struct kiln_inst *inst = &fn->insts[id];
        if (inst->region && (inst->op == KILN_OP_PRINTF || (inst->op == KILN_OP_CALL && p->prints[inst->imm])))
          p->prints[f] = changed = true;
      }
    }
  }
}

// ---- formats

char kiln_cl_print_letter(const struct kiln_module *module, uint32_t format, uint32_t argument) {
  const struct kiln_global *g = &module->globals[format];
  const char *text = g->init;
  for (uint64_t i = 0; text && i < g->size && text[i]; i++) {
    if (text[i] != '%')
      continue;
    i++;
    while (i < g->size && text[i] && strchr("-+ #0123456789.vhl", text[i]))
      i++;
    if (i >= g->size || !text[i])
      return 0;
    if (text[i] != '%' && argument-- == 0)
      return text[i];
  }
  return 0;
}

// ---- what the host must know

static void put_word(struct kiln_strbuf *out, uint32_t word) { kiln_strbuf_append(out, &word, sizeof word); }

static void put_padded(struct kiln_strbuf *out, const struct kiln_global *g) {
  for (uint64_t i = 0; i < (g->size + 3) / 4 * 4; i++)
    kiln_strbuf_putc(out, i < g->size && g->init ? ((const char *)g->init)[i] : 0);
}

static void add_place(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct kiln_global *format = &p->module->globals[inst->imm];
  put_word(&p->print_places, inst->operand_count);
  put_word(&p->print_places, (uint32_t)format->size);
  for (uint32_t i = 0; i < inst->operand_count; i++)
    put_word(&p->print_places, kiln_value_type(p->fn, kiln_operands(p->fn, value)[i]));
  put_padded(&p->print_places, format);
}

void kiln_cl_write_prints(struct cl_printer *p, struct kiln_strbuf *out) {
  const struct kiln_module *module = p->module;
  if (!p->print_count)
    return;
  uint32_t strings = 0;
  for (uint32_t i = 0; i < module->global_count; i++)
    strings += p->print_strings[i];
  put_word(out, p->print_count);
  put_word(out, strings);
  for (uint32_t i = 0; i < module->function_count; i++)
    if (module->functions[i]->is_kernel)
      put_word(out, p->prints[i]);
  kiln_strbuf_append(out, p->print_places.data, p->print_places.size);
  out->failed |= p->print_places.failed;
  for (uint32_t i = 0; i < module->global_count; i++)
    if (p->print_strings[i]) {
      put_word(out, i);
      put_word(out, (uint32_t)module->globals[i].size);
      put_padded(out, &module->globals[i]);
    }
}

// ---- the helper of a place

enum how { HOW_NUMBER, HOW_STRING, HOW_COPY, HOW_ADDRESS };

static enum how how(const struct cl_printer *p, kiln_value value, uint32_t index) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const struct kiln_inst *source = kiln_inst(p->fn, kiln_operands(p->fn, value)[index]);
  if (kiln_type_kind(source->type) != KILN_PTR)
    return HOW_NUMBER;
  if (kiln_cl_print_letter(p->module, (uint32_t)inst->imm, index) != 's')
    return HOW_ADDRESS;
  return source->op == KILN_OP_GLOBAL && kiln_type_space(source->type) == KILN_CONSTANT ? HOW_STRING : HOW_COPY;
}

static const char *parameter(struct cl_printer *p, kiln_value value, uint32_t index) {
  kiln_value argument = kiln_operands(p->fn, value)[index];
  switch (how(p, value, index)) {
  case HOW_NUMBER:
    return kiln_cl_format(p, ", %s a%u", kiln_cl_type_name(p, kiln_value_type(p->fn, argument), CL_UNSIGNED), index);
  case HOW_COPY:
    return kiln_cl_format(p, ", %suchar *a%u", kiln_cl_space_name(p, argument, true), index);
  case HOW_ADDRESS:
    return kiln_cl_format(p, ", ulong a%u", index);
  case HOW_STRING:
    return "";
  }
  return "";
}

static void store_number(struct cl_printer *p, kiln_type type, uint32_t index, uint32_t word) {
  const char *element = kiln_cl_type_name(p, kiln_type_element(type), CL_UNSIGNED);
  if (kiln_type_lanes(type) == 1)
    kiln_cl_helper_line(p, "  *(global %s *)(record + %u) = a%u;\n", element, word, index);
  else
    kiln_cl_helper_line(p, "  vstore%u(a%u, 0, (global %s *)(record + %u));\n", kiln_type_lanes(type), index, element,
                        word);
}

// Texts that are no literals: their sizes, and where their copies begin.
static void measure(struct cl_printer *p, kiln_value value, uint32_t bytes) {
  uint32_t copies = 0;
  for (uint32_t i = 0; i < kiln_inst(p->fn, value)->operand_count; i++)
    if (how(p, value, i) == HOW_COPY) {
      kiln_cl_helper_line(p, "  uint n%u = 0;\n  while (a%u && n%u < %u && a%u[n%u])\n    n%u++;\n", i, i, i,
                          KILN_CL_PRINT_COPIED, i, i, i);
      kiln_cl_helper_line(p, copies ? "  uint at%u = size;\n" : "  uint at%u = %u;\n", i, bytes);
      kiln_cl_helper_line(p, copies ? "  size += (n%u + 8) / 8 * 8;\n" : "  uint size = at%u + (n%u + 8) / 8 * 8;\n", i,
                          i);
      copies++;
    }
  if (!copies)
    kiln_cl_helper_line(p, "  const uint size = %u;\n", bytes);
}

static void store_all(struct cl_printer *p, kiln_value value) {
  uint32_t word = 2;
  for (uint32_t i = 0; i < kiln_inst(p->fn, value)->operand_count; i++) {
    kiln_value argument = kiln_operands(p->fn, value)[i];
    kiln_type type = kiln_value_type(p->fn, argument);
    uint64_t global = kiln_inst(p->fn, argument)->imm;
    switch (how(p, value, i)) {
    case HOW_NUMBER:
      store_number(p, type, i, word);
      break;
    case HOW_STRING:
      p->print_strings[global] = true;
      kiln_cl_helper_line(p, "  *(global ulong *)(record + %u) = %llu;\n", word, (unsigned long long)global + 1);
      break;
    case HOW_COPY:
      kiln_cl_helper_line(p, "  *(global ulong *)(record + %u) = a%u ? 0x%llxul + at%u : 0;\n", word, i,
                          (unsigned long long)KILN_CL_PRINT_COPY, i);
      kiln_cl_helper_line(p,
                          "  for (uint k = 0; k < n%u; k++)\n    ((global uchar *)record)[at%u + k] = a%u[k];\n"
                          "  ((global uchar *)record)[at%u + n%u] = 0;\n",
                          i, i, i, i, i);
      break;
    case HOW_ADDRESS:
      kiln_cl_helper_line(p, "  *(global ulong *)(record + %u) = a%u;\n", word, i);
      break;
    }
    word += (kiln_type_bytes(type) + 7) / 8 * 2;
  }
}

static const char *define(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  uint32_t bytes = 8, number = p->print_count++;
  const char *list = "", *name = kiln_cl_format(p, "kiln_print_%u", number);
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    bytes += (kiln_type_bytes(kiln_value_type(p->fn, kiln_operands(p->fn, value)[i])) + 7) / 8 * 8;
    list = kiln_cl_format(p, "%s%s", list, parameter(p, value, i));
  }
  add_place(p, value);
  if (inst->flags & KILN_PRINT_FAIL) {
    kiln_cl_helper_line(
        p, "// fails: %s\nint %s(global uint *prints) {\n  atomic_cmpxchg(prints + 3, 0u, %uu);\n  return -1;\n}\n\n",
        kiln_cl_string(p, (uint32_t)inst->imm), name, number + 1);
    return name;
  }
  kiln_cl_helper_line(p, "// printf(%s)\nint %s(global uint *prints%s) {\n", kiln_cl_string(p, (uint32_t)inst->imm),
                      name, list);
  measure(p, value, bytes);
  kiln_cl_helper_line(p, "  uint room = prints[1];\n"
                         "  uint at = *(volatile global uint *)prints < room ? atomic_add(prints, size) : room;\n"
                         "  if (at > room - size) {\n    atomic_or(prints + 2, 1u);\n    return -1;\n  }\n"
                         "  global uint *record = prints + (4 + at / 4);\n");
  kiln_cl_helper_line(p, "  record[0] = size;\n  record[1] = %u;\n", number);
  store_all(p, value);
  kiln_cl_helper_line(p, "  return 0;\n}\n\n");
  return name;
}

struct cl_text kiln_cl_print_call(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const char *name = define(p, value), *list = "kiln_prints";
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value argument = kiln_operands(p->fn, value)[i];
    switch (how(p, value, i)) {
    case HOW_NUMBER:
      list = kiln_cl_format(p, "%s, %s", list, kiln_cl_expr(p, argument, CL_UNSIGNED).s);
      break;
    case HOW_COPY:
      list = kiln_cl_format(p, "%s, %s", list, kiln_cl_typed_pointer(p, argument, "uchar", false).s);
      break;
    case HOW_ADDRESS:
      list =
          kiln_cl_format(p, "%s, %s", list, kiln_cl_cast(p, "ulong", kiln_cl_pointer_expr(p, argument), CL_UNSIGNED).s);
      break;
    case HOW_STRING:
      break;
    }
  }
  return kiln_cl_call(p, name, list, CL_SIGNED);
}
