// The module as OpenCL C: extensions, helpers, program-scope variables, functions.
#include "backends/opencl/print/print.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/c_locale.h"

// ---- texts and failures

const char *kiln_cl_format(struct cl_printer *p, const char *format, ...) {
  char small[256];
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int size = kiln_vsnprintf(small, sizeof small, format, args);
  va_end(args);
  char *text = kiln_arena_alloc(&p->arena, (size_t)size + 1, 1);
  if ((size_t)size < sizeof small)
    memcpy(text, small, (size_t)size + 1);
  else
    kiln_vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  return text;
}

struct cl_text kiln_cl_fail(struct cl_printer *p, enum kiln_status status, const char *format, ...) {
  if (p->status == KILN_OK) {
    p->status = status;
    va_list args;
    va_start(args, format);
    char message[1024];
    kiln_vsnprintf(message, sizeof message, format, args);
    va_end(args);
    kiln_fail(p->report, status, "%s", message);
  }
  return kiln_cl_primary("0", CL_UNSIGNED);
}

const char *kiln_cl_where(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const char *op = kiln_op_table[inst->op].name;
  if (!inst->loc)
    return kiln_cl_format(p, "operation '%s' in '%s'", op, p->fn->name);
  const struct kiln_loc *loc = &p->module->locs[inst->loc];
  return kiln_cl_format(p, "operation '%s' in '%s' (%s:%u)", op, p->fn->name, p->module->files[loc->file], loc->line);
}

struct cl_text kiln_cl_no_text(struct cl_printer *p, kiln_value value) {
  return kiln_cl_fail(p, KILN_ERR_INTERNAL, "the OpenCL printer has no text for %s", kiln_cl_where(p, value));
}

void kiln_cl_need_version(struct cl_printer *p, unsigned version) {
  if (version > p->options.features.version)
    kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s needs OpenCL C %u.%u, and %s has %u.%u",
                 p->at ? kiln_cl_where(p, p->at) : "the program", version / 100, version / 10 % 10, p->options.device,
                 p->options.features.version / 100, p->options.features.version / 10 % 10);
  p->version = version > p->version ? version : p->version;
}

static const struct {
  const char *pragma, *what;
} extensions[CL_EXT_COUNT] = {
    [CL_EXT_FP64] = {"cl_khr_fp64", "double"},
    [CL_EXT_FP16] = {"cl_khr_fp16", "arithmetic on half"},
    [CL_EXT_INT64_BASE] = {"cl_khr_int64_base_atomics", "64-bit atomics"},
    [CL_EXT_INT64_EXTENDED] = {"cl_khr_int64_extended_atomics", "64-bit atomic minimum, maximum and bit operations"},
    [CL_EXT_3D_IMAGE_WRITES] = {"cl_khr_3d_image_writes", "3D images to write to"},
    [CL_EXT_DEPTH_IMAGES] = {"cl_khr_depth_images", "images of depth"},
};

void kiln_cl_need_extension(struct cl_printer *p, enum cl_extension extension) {
  const struct cl_features *f = &p->options.features;
  bool present[CL_EXT_COUNT] = {f->fp64,        f->fp16, f->int64_base, f->int64_extended, f->image_3d_writes,
                                f->depth_images};
  p->extensions |= (uint64_t)1 << extension;
  if (!present[extension])
    kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s needs %s (%s), which %s does not have",
                 p->at ? kiln_cl_where(p, p->at) : "the program", extensions[extension].what,
                 extensions[extension].pragma, p->options.device);
}

// ---- strings

static void append_escaped(struct kiln_strbuf *out, unsigned char c) {
  switch (c) {
  case '\n':
    kiln_strbuf_puts(out, "\\n");
    return;
  case '\t':
    kiln_strbuf_puts(out, "\\t");
    return;
  case '"':
  case '\\':
    kiln_strbuf_printf(out, "\\%c", c);
    return;
  }
  kiln_strbuf_printf(out, kiln_is_printable((char)c) && c != '?' ? "%c" : "\\%03o", c);
}

static const char *quoted(struct cl_printer *p, const char *text, size_t size) {
  struct kiln_strbuf out = {0};
  kiln_strbuf_putc(&out, '"');
  for (size_t i = 0; i < size && text[i]; i++)
    append_escaped(&out, (unsigned char)text[i]);
  kiln_strbuf_putc(&out, '"');
  const char *result = kiln_cl_format(p, "%s", out.data ? out.data : "\"\"");
  kiln_strbuf_free(&out);
  return result;
}

const char *kiln_cl_quote(struct cl_printer *p, const char *text) { return quoted(p, text, strlen(text)); }

const char *kiln_cl_string(struct cl_printer *p, uint32_t global) {
  const struct kiln_global *g = &p->module->globals[global];
  return g->init ? quoted(p, g->init, g->size) : "\"\"";
}

// The same as a format: vectors of 32-bit elements need their length, "%v4hld", which Kiln lets out.
const char *kiln_cl_format_string(struct cl_printer *p, uint32_t global) {
  const struct kiln_global *g = &p->module->globals[global];
  struct kiln_strbuf out = {0};
  const char *text = g->init;
  for (uint64_t i = 0; text && i < g->size && text[i]; i++) {
    kiln_strbuf_putc(&out, text[i]);
    if (text[i] != '%')
      continue;
    if (i + 1 < g->size && text[i + 1] == '%') {
      kiln_strbuf_putc(&out, text[++i]);
      continue;
    }
    while (i + 1 < g->size && text[i + 1] && strchr("-+ #0123456789.", text[i + 1]))
      kiln_strbuf_putc(&out, text[++i]);
    if (i + 1 >= g->size || text[i + 1] != 'v')
      continue;
    kiln_strbuf_putc(&out, text[++i]);
    while (i + 1 < g->size && kiln_is_digit(text[i + 1]))
      kiln_strbuf_putc(&out, text[++i]);
    if (i + 1 < g->size && text[i + 1] != 'h' && text[i + 1] != 'l')
      kiln_strbuf_puts(&out, "hl");
  }
  const char *result = quoted(p, out.data ? out.data : "", out.size);
  kiln_strbuf_free(&out);
  return result;
}

// ---- program-scope variables

// Which are used in another way than as the text of a printf.
static void mark_global(const struct kiln_module *module, bool *used, uint32_t global) {
  if (used[global])
    return;
  used[global] = true;
  for (uint32_t i = 0; i < module->globals[global].reloc_count; i++)
    mark_global(module, used, module->globals[global].relocs[i].global);
}

static void mark_used(const struct kiln_module *module, bool *used) {
  for (uint32_t f = 0; f < module->function_count; f++) {
    const struct kiln_function *fn = module->functions[f];
    for (kiln_value id = 1; id < fn->inst_count; id++) {
      const struct kiln_inst *inst = &fn->insts[id];
      if (!inst->region)
        continue;
      for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (inst->op == KILN_OP_PRINTF && kiln_cl_print_letter(module, (uint32_t)inst->imm, i) == 's')
          continue;
        const struct kiln_inst *operand = &fn->insts[kiln_operands(fn, id)[i]];
        if (operand->op == KILN_OP_GLOBAL)
          mark_global(module, used, (uint32_t)operand->imm);
      }
    }
  }
}

static uint64_t read_bits(const unsigned char *at, unsigned size) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < size; i++)
    bits |= (uint64_t)at[i] << 8 * i;
  return bits;
}

static void print_element(struct cl_printer *p, kiln_type type, const unsigned char *at) {
  kiln_type element = kiln_type_element(type);
  unsigned lanes = kiln_type_lanes(type), size = kiln_type_bytes(element);
  if (lanes > 1)
    kiln_strbuf_printf(&p->out, "(%s)(", kiln_cl_type_name(p, type, CL_UNSIGNED));
  for (unsigned i = 0; i < lanes; i++) {
    uint64_t bits = read_bits(at + i * size, size);
    if (kiln_kind_bits(kiln_type_kind(element)) < 32 && kiln_kind_is_int(kiln_type_kind(element)))
      kiln_strbuf_printf(&p->out, "%s%llu", i ? ", " : "", (unsigned long long)bits);
    else
      kiln_strbuf_printf(&p->out, "%s%s", i ? ", " : "", kiln_cl_scalar_constant(p, element, bits, CL_UNSIGNED).s);
  }
  if (lanes > 1)
    kiln_strbuf_putc(&p->out, ')');
}

static struct cl_text address_of(struct cl_printer *p, const char *space, const struct kiln_reloc *reloc) {
  struct cl_text name = kiln_cl_primary(p->global_names[reloc->global], CL_ANY);
  struct cl_text offset = kiln_cl_scalar_constant(p, kiln_scalar_type(KILN_I64), (uint64_t)reloc->addend, CL_SIGNED);
  return kiln_cl_infix(p, kiln_cl_cast(p, kiln_cl_format(p, "%s uchar *", space), name, CL_ANY), "+", offset, CL_ANY);
}

// Addresses of other variables: a struct of words and pointers.
static void print_with_addresses(struct cl_printer *p, uint32_t index, const char *attribute) {
  const struct kiln_global *g = &p->module->globals[index];
  const char *space = g->space == KILN_GLOBAL ? "global" : "constant", *name = p->global_names[index];
  struct kiln_strbuf members = {0}, values = {0};
  for (uint64_t at = 0; at < g->size; at += 8) {
    const struct kiln_reloc *reloc = NULL;
    for (uint32_t i = 0; i < g->reloc_count; i++)
      if (g->relocs[i].offset == at)
        reloc = &g->relocs[i];
      else if (g->relocs[i].offset % 8 || g->size % 8)
        kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "variable '%s' holds an address that is not aligned", g->name);
    if (reloc) {
      const char *to = p->module->globals[reloc->global].space == KILN_GLOBAL ? "global" : "constant";
      kiln_strbuf_printf(&members, "  %s uchar *a%llu;\n", to, (unsigned long long)at);
      kiln_strbuf_printf(&values, "%s%s", at ? ", " : "", address_of(p, to, reloc).s);
    } else {
      uint64_t bits = g->init ? read_bits((const unsigned char *)g->init + at, 8) : 0;
      kiln_strbuf_printf(&members, "  ulong a%llu;\n", (unsigned long long)at);
      kiln_strbuf_printf(&values, "%s0x%llxul", at ? ", " : "", (unsigned long long)bits);
    }
  }
  kiln_strbuf_printf(&p->out, "typedef struct {\n%s} kiln_type_of_%s;\n", members.data ? members.data : "", name);
  kiln_strbuf_printf(&p->out, "%s kiln_type_of_%s %s_data%s = {%s};\n", space, name, name, attribute,
                     values.data ? values.data : "0");
  kiln_strbuf_printf(&p->out, "#define %s ((%s %s *)&%s_data)\n\n", name, space,
                     kiln_cl_type_name(p, p->global_elements[index], CL_UNSIGNED), name);
  kiln_strbuf_free(&members);
  kiln_strbuf_free(&values);
}

static void print_global(struct cl_printer *p, uint32_t index) {
  const struct kiln_global *g = &p->module->globals[index];
  if (g->space == KILN_GLOBAL) {
    kiln_cl_need_version(p, 200);
    if (!p->options.features.variables)
      kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "variable '%s': %s has no program-scope variables in global memory",
                   g->name, p->options.device);
  }
  kiln_type element = p->global_elements[index];
  unsigned size = kiln_type_bytes(element);
  const char *attribute = g->align > size ? kiln_cl_format(p, " __attribute__((aligned(%u)))", g->align) : "";
  if (g->reloc_count) {
    print_with_addresses(p, index, attribute);
    return;
  }
  uint64_t count = g->size / size;
  kiln_strbuf_printf(&p->out, "%s %s %s[%llu]%s", g->space == KILN_GLOBAL ? "global" : "constant",
                     kiln_cl_type_name(p, element, CL_UNSIGNED), p->global_names[index],
                     (unsigned long long)(count ? count : 1), attribute);
  const unsigned char *init = g->init;
  uint64_t used = init ? count : 0;
  while (used && memcmp(&init[(used - 1) * size], (const char[128]){0}, size) == 0)
    used--;
  if (used == 0) { // a vector as the only initialiser needs its own braces
    kiln_strbuf_puts(&p->out, g->space == KILN_CONSTANT ? " = {0};\n\n" : ";\n\n");
    return;
  }
  kiln_strbuf_puts(&p->out, " = {");
  for (uint64_t i = 0; i < used; i++) {
    kiln_strbuf_puts(&p->out, i == 0 ? "" : i % 16 ? ", " : ",\n  ");
    print_element(p, element, init + i * size);
  }
  kiln_strbuf_puts(&p->out, "};\n\n");
}

static void name_globals(struct cl_printer *p) {
  const struct kiln_module *module = p->module;
  p->global_names = KILN_NEW_ARRAY(&p->arena, const char *, module->global_count + 1);
  for (uint32_t i = 0; i < module->global_count; i++)
    if (module->globals[i].space != KILN_LOCAL)
      p->global_names[i] =
          kiln_cl_unique_name(p, &p->names, *module->globals[i].name ? module->globals[i].name : "data");
}

// ---- functions

// Names the first operation on double where there is none, rather than the parameter that it stems from.
static void check_double(struct cl_printer *p) {
  if (p->options.features.fp64)
    return;
  for (uint32_t i = 0; i < p->position_count && p->status == KILN_OK; i++) {
    kiln_value id = p->order[i];
    if (!id)
      continue;
    bool found = kiln_type_kind(kiln_value_type(p->fn, id)) == KILN_F64;
    for (uint32_t k = 0; k < kiln_inst(p->fn, id)->operand_count; k++)
      found |= kiln_type_kind(kiln_value_type(p->fn, kiln_operands(p->fn, id)[k])) == KILN_F64;
    p->at = id;
    if (found)
      kiln_cl_need_extension(p, CL_EXT_FP64);
  }
  p->at = 0;
}

static void prepare(struct cl_printer *p, const struct kiln_function *fn) {
  p->fn = fn;
  p->at = 0;
  kiln_names_init(&p->locals, &p->arena);
  kiln_cl_plan(p);
  check_double(p);
  kiln_cl_pointers(p);
  kiln_cl_mark_arrays(p);
  kiln_cl_variables(p);
  p->return_sign = kiln_kind_is_int(kiln_type_kind(fn->return_type)) ? CL_UNSIGNED : CL_ANY;
}

const char *kiln_cl_return_type(struct cl_printer *p) {
  kiln_type type = p->fn->return_type;
  static const char *const spaces[] = {"private ", "global ", "constant ", "local ", ""};
  if (kiln_type_kind(type) == KILN_PTR)
    return kiln_cl_format(p, "%suchar *", spaces[kiln_type_space(type)]);
  if (kiln_type_kind(type) == KILN_BOOL && kiln_type_lanes(type) > 1)
    type = kiln_vec_type(KILN_I32, kiln_type_lanes(type));
  return kiln_cl_format(p, "%s ", kiln_cl_type_name(p, type, CL_UNSIGNED));
}

static const char *parameter(struct cl_printer *p, uint32_t function, uint32_t index) {
  const struct kiln_param *param = &p->fn->params[index];
  const struct cl_var *var = kiln_cl_var(p, param->value);
  if (param->byval_bytes && p->fn->is_kernel) {
    kiln_type element = kiln_cl_pointer_class(p, param->value)->element;
    return kiln_cl_format(p, "%s %s", kiln_cl_struct_type(p, element, param->byval_bytes, param->align), var->name);
  }
  if (p->samplers[function][index])
    return kiln_cl_format(p, "sampler_t %s", var->name);
  if (kiln_type_kind(param->type) != KILN_PTR)
    return kiln_cl_declarator(p, var);
  return kiln_cl_format(p, "%s%s%s", kiln_cl_pointer_type(p, param->value), param->is_restrict ? "restrict " : "",
                        var->name);
}

static void print_header(struct cl_printer *p, uint32_t index) {
  const struct kiln_function *fn = p->fn;
  struct kiln_strbuf *out = &p->out;
  if (fn->is_kernel) {
    const uint32_t *size = fn->required_group_size, *hint = fn->group_size_hint;
    kiln_strbuf_puts(out, "kernel ");
    if (size[0])
      kiln_strbuf_printf(out, "__attribute__((reqd_work_group_size(%u, %u, %u)))\n", size[0], size[1], size[2]);
    if (hint[0])
      kiln_strbuf_printf(out, "__attribute__((work_group_size_hint(%u, %u, %u)))\n", hint[0], hint[1], hint[2]);
  } else if (fn->no_inline) {
    kiln_strbuf_puts(out, "__attribute__((noinline)) ");
  }
  kiln_strbuf_printf(out, "%s%s(", kiln_cl_return_type(p), p->function_names[index]);
  for (uint32_t i = 0; i < fn->param_count; i++)
    kiln_strbuf_printf(out, "%s%s", i ? ", " : "", parameter(p, index, i));
  if (p->prints[index])
    kiln_strbuf_puts(out, fn->param_count ? ", global uint *kiln_prints" : "global uint *kiln_prints");
  kiln_strbuf_puts(out, fn->param_count || p->prints[index] ? ")" : "void)");
}

// Prototypes, since a function may stand after its callers; and what callers must know.
static void print_prototypes(struct cl_printer *p) {
  const struct kiln_module *module = p->module;
  p->signatures = KILN_NEW_ARRAY(&p->arena, struct cl_signature, module->function_count + 1);
  bool any = false;
  for (uint32_t f = 0; f < module->function_count && p->status == KILN_OK; f++) {
    const struct kiln_function *fn = module->functions[f];
    if (fn->is_kernel)
      continue;
    prepare(p, fn);
    struct cl_signature *signature = &p->signatures[f];
    signature->types = KILN_NEW_ARRAY(&p->arena, const char *, fn->param_count + 1);
    signature->signs = KILN_NEW_ARRAY(&p->arena, enum cl_sign, fn->param_count + 1);
    for (uint32_t i = 0; i < fn->param_count; i++) {
      kiln_type type = fn->params[i].type;
      if (kiln_type_kind(type) == KILN_PTR)
        signature->types[i] = kiln_cl_pointer_type(p, fn->params[i].value);
      else if (kiln_kind_is_int(kiln_type_kind(type)))
        signature->signs[i] = kiln_cl_var(p, fn->params[i].value)->is_signed ? CL_SIGNED : CL_UNSIGNED;
    }
    print_header(p, f);
    kiln_strbuf_puts(&p->out, ";\n");
    any = true;
  }
  if (any)
    kiln_strbuf_putc(&p->out, '\n');
}

static void print_function(struct cl_printer *p, uint32_t index) {
  prepare(p, p->module->functions[index]);
  print_header(p, index);
  kiln_strbuf_puts(&p->out, " {\n");
  p->indent = 1;
  kiln_cl_declare_local(p);
  kiln_cl_body(p);
  kiln_strbuf_puts(&p->out, "}\n\n");
}

static char *assemble(struct cl_printer *p) {
  struct kiln_strbuf text = {0};
  for (unsigned i = 0; i < CL_EXT_COUNT; i++)
    if (p->extensions >> i & 1)
      kiln_strbuf_printf(&text, "#pragma OPENCL EXTENSION %s : enable\n", extensions[i].pragma);
  kiln_strbuf_puts(&text, "#pragma OPENCL FP_CONTRACT OFF\n\n");
  kiln_cl_write_helpers(p, &text);
  kiln_cl_write_samplers(p, &text);
  if (p->out.data)
    kiln_strbuf_append(&text, p->out.data, p->out.size);
  text.failed |= p->out.failed;
  return kiln_strbuf_take(&text);
}

static void print_all(struct cl_printer *p, struct cl_printed *out) {
  const struct kiln_module *module = p->module;
  kiln_names_init(&p->names, &p->arena);
  p->function_names = KILN_NEW_ARRAY(&p->arena, const char *, module->function_count + 1);
  // Kernels first: their names matter outside.
  for (int kernels = 1; kernels >= 0; kernels--)
    for (uint32_t f = 0; f < module->function_count; f++)
      if (module->functions[f]->is_kernel == (kernels == 1))
        p->function_names[f] = kiln_cl_unique_name(p, &p->names, module->functions[f]->name);
  name_globals(p);
  kiln_cl_find_prints(p);
  kiln_cl_find_samplers(p);
  p->global_elements = KILN_NEW_ARRAY(&p->arena, kiln_type, module->global_count + 1);
  kiln_cl_vote_globals(p);
  bool *used = KILN_NEW_ARRAY(&p->arena, bool, module->global_count + 1);
  mark_used(module, used);
  for (uint32_t g = 0; g < module->global_count; g++) // addresses lead to variables that stand before
    if (used[g] && module->globals[g].space != KILN_LOCAL && !module->globals[g].reloc_count)
      print_global(p, g);
  for (uint32_t g = 0; g < module->global_count; g++)
    if (used[g] && module->globals[g].space != KILN_LOCAL && module->globals[g].reloc_count)
      print_global(p, g);
  print_prototypes(p);
  for (uint32_t f = 0; f < module->function_count && p->status == KILN_OK; f++) {
    print_function(p, f);
    if (module->functions[f]->is_kernel)
      kiln_strbuf_append(&out->names, p->function_names[f], strlen(p->function_names[f]) + 1);
  }
  out->source = p->status == KILN_OK ? assemble(p) : NULL;
  kiln_cl_write_prints(p, &out->prints);
  kiln_cl_write_args(p, &out->args);
}

void kiln_cl_printed_free(struct cl_printed *printed) {
  free(printed->source);
  kiln_strbuf_free(&printed->names);
  kiln_strbuf_free(&printed->prints);
  kiln_strbuf_free(&printed->args);
}

enum kiln_status kiln_cl_print_module(const struct kiln_module *module, const struct cl_print_options *options,
                                      struct cl_printed *out, struct kiln_report *report) {
  *out = (struct cl_printed){0};
  struct cl_printer *p = calloc(1, sizeof *p);
  if (!p)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  p->module = module;
  p->options = *options;
  p->report = report;
  p->version = 120;
  p->half_emulated = !options->features.fp16;
  kiln_arena_init(&p->arena, &p->exhausted);
  if (setjmp(p->exhausted) == 0)
    print_all(p, out);
  bool is_whole = out->source && !out->names.failed && !out->prints.failed && !out->args.failed;
  if (p->status == KILN_OK && !is_whole)
    p->status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the OpenCL C text");
  enum kiln_status status = p->status;
  out->version = p->version;
  kiln_cl_free_helpers(p);
  kiln_strbuf_free(&p->print_places);
  kiln_strbuf_free(&p->out);
  kiln_arena_free(&p->arena);
  free(p);
  return status;
}
