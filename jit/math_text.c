// Mathematical operations of a module in IR become calls of library functions. Each function is compiled from one line
// of OpenCL C; its IR is appended to the text of the module, which is then parsed anew.
#include "jit/math_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "jit/report.h"

#define PREFIX "kiln_math_"

// Fast forms of float that the device computes.
static bool is_fast(const struct kiln_inst *in) {
  static const bool fast[KILN_OP_COUNT] = {
      [KILN_OP_SIN] = true,   [KILN_OP_COS] = true,   [KILN_OP_TAN] = true, [KILN_OP_EXP] = true,
      [KILN_OP_EXP2] = true,  [KILN_OP_EXP10] = true, [KILN_OP_LOG] = true, [KILN_OP_LOG2] = true,
      [KILN_OP_LOG10] = true, [KILN_OP_POW] = true,
  };
  return fast[in->op] && kiln_type_kind(in->type) == KILN_F32 &&
         in->flags & (KILN_FP_APPROX | KILN_FP_NATIVE | KILN_FP_HALF);
}

static bool becomes_call(const struct kiln_inst *in) {
  bool is_function =
      in->op == KILN_OP_FREM || (kiln_op_family((enum kiln_op)in->op) == KILN_FAMILY_MATH && in->op != KILN_OP_RSQRT);
  return in->region && is_function && !is_fast(in);
}

// "kiln_math_sin_f32x4"
static void name_of(const struct kiln_inst *in, char out[64]) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
  snprintf(out, 64, PREFIX "%s_f%ux%u", kiln_op_table[in->op].name, bits, kiln_type_lanes(in->type));
}

static void put_function(struct kiln_strbuf *source, const struct kiln_inst *in) {
  enum kiln_kind kind = kiln_type_kind(in->type);
  const char *element = kind == KILN_F64 ? "double" : kind == KILN_F32 ? "float" : "half";
  const char *function = in->op == KILN_OP_FREM ? "fmod" : kiln_op_table[in->op].name;
  unsigned lanes = kiln_type_lanes(in->type);
  char name[64], type[16];
  name_of(in, name);
  snprintf(type, sizeof type, lanes > 1 ? "%s%u" : "%s", element, lanes);
  if (in->operand_count == 2)
    kiln_strbuf_printf(source, "%s %s(%s x, %s y) { return %s(x, y); }\n", type, name, type, type, function);
  else
    kiln_strbuf_printf(source, "%s %s(%s x) { return %s(x); }\n", type, name, type, function);
}

// Adds the function of each operation once.
static bool put_functions(const struct kiln_module *module, struct kiln_strbuf *source) {
  bool any = false;
  kiln_strbuf_puts(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
  for (uint32_t f = 0; f < module->function_count; f++)
    for (kiln_value v = 1; v < module->functions[f]->inst_count; v++) {
      const struct kiln_inst *in = &module->functions[f]->insts[v];
      char name[64];
      if (!becomes_call(in))
        continue;
      any = true;
      name_of(in, name);
      kiln_strbuf_putc(source, 0); // so that what there is can be searched
      source->size--;
      if (source->data && !strstr(source->data, name))
        put_function(source, in);
    }
  return any;
}

// The library's functions have no places in the source.
static void forget_places(struct kiln_module *module) {
  for (uint32_t f = 0; f < module->function_count; f++)
    for (kiln_value v = 1; v < module->functions[f]->inst_count; v++)
      module->functions[f]->insts[v].loc = 0;
  module->file_count = 0;
}

static enum kiln_status compile_functions(const struct kiln_strbuf *source, const struct kiln_lang_options *options,
                                          char **out) {
  struct kiln_lang_input input = {.source = source->data, .size = source->size, .name = "math", .options = *options};
  input.options.is_object = true; // what nothing calls stays
  input.options.fp_flags = 0;
  struct kiln_lang_output library = {0};
  enum kiln_status status = kiln_lang_compile(&input, &library);
  if (status)
    status = kiln_error(KILN_ERR_INTERNAL, "mathematical functions as text: %s", library.log ? library.log : "");
  if (!status) {
    forget_places(library.module);
    status = kiln_module_print(library.module, out);
  }
  kiln_module_free(library.module);
  free(library.log);
  free(library.warnings);
  kiln_lang_output_free(&library);
  return status;
}

static uint32_t find_function(const struct kiln_module *module, const char *name) {
  for (uint32_t f = 0; f < module->function_count; f++)
    if (!strcmp(module->functions[f]->name, name))
      return f;
  return UINT32_MAX;
}

static enum kiln_status make_calls(struct kiln_module *module, uint32_t own_count) {
  for (uint32_t f = 0; f < own_count; f++)
    for (kiln_value v = 1; v < module->functions[f]->inst_count; v++) {
      struct kiln_inst *in = &module->functions[f]->insts[v];
      char name[64];
      if (!becomes_call(in))
        continue;
      name_of(in, name);
      uint32_t callee = find_function(module, name);
      if (callee == UINT32_MAX)
        return kiln_error(KILN_ERR_INTERNAL, "mathematical functions as text: there is no '%s'", name);
      in->op = KILN_OP_CALL;
      in->imm = callee;
      in->flags = 0;
    }
  return KILN_OK;
}

// Where the functions of a text begin, behind its variables.
static const char *functions_of(const char *text) {
  for (const char *at = text; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (!strncmp(at, "func ", 5) || !strncmp(at, "kernel ", 7))
      return at;
  }
  return text + strlen(text);
}

// Both as one text: variables stand before functions, and the first line says what it is.
static void join_texts(const char *own, const char *library, struct kiln_strbuf *out) {
  const char *own_functions = functions_of(own), *body = strchr(library, '\n'), *functions = functions_of(library);
  kiln_strbuf_append(out, own, (size_t)(own_functions - own));
  if (body && body < functions)
    kiln_strbuf_append(out, body, (size_t)(functions - body));
  kiln_strbuf_printf(out, "%s\n%s", own_functions, functions);
}

enum kiln_status kiln_math_to_text(struct kiln_module **module, const struct kiln_lang_options *options) {
  struct kiln_strbuf source = {0}, text = {0};
  if (!put_functions(*module, &source)) {
    kiln_strbuf_free(&source);
    return KILN_OK;
  }
  char *own = NULL, *library = NULL;
  uint32_t own_count = (*module)->function_count;
  struct kiln_module *both = NULL;
  enum kiln_status status = source.failed ? kiln_error(KILN_ERR_MEMORY, "out of memory for functions as text")
                                          : compile_functions(&source, options, &library);
  if (!status)
    status = kiln_module_print(*module, &own);
  if (!status) {
    join_texts(own, library, &text);
    status = text.failed ? kiln_error(KILN_ERR_MEMORY, "out of memory for functions as text")
                         : kiln_module_parse(text.data, text.size, "math", &both);
  }
  if (!status)
    status = make_calls(both, own_count);
  if (!status) {
    kiln_module_free(*module);
    *module = both;
  } else {
    kiln_module_free(both);
  }
  kiln_free(own);
  kiln_free(library);
  kiln_strbuf_free(&source);
  kiln_strbuf_free(&text);
  return status;
}
