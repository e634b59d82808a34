// printf of programs that the interpreter runs in the device's place: their IR is changed so that it appends the
// records which AMDGPU code would append (backends/rocm/prints.h), to a buffer that the kernels get as one more
// argument.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/prints.h"
#include "kiln/ir.h"
#include "kiln/kiln.h"
#include "tests/rocm/standin.h"

#define STRING_ROOM 4096 // bytes at the end of the buffer for the string arguments of a place
static const char parameter[] = "%kiln_prints.kiln_prints: ptr.global \"uchar*\" align 8 access read_write";

// The text with one more parameter in each kernel, before the parenthesis that ends the list.
static char *add_parameter(const char *ir) {
  size_t size = strlen(ir), lines = 1;
  for (const char *c = ir; *c; c++)
    lines += *c == '\n';
  char *out = calloc(1, size + lines * (sizeof parameter + 2) + 1), *to = out;
  for (const char *line = ir; *line;) {
    const char *end = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line), *at = line;
    if (!strncmp(line, "kernel @", 8)) {
      bool quoted = false;
      for (; at < end && (quoted || *at != ')'); at++)
        quoted ^= *at == '"';
      memcpy(to, line, (size_t)(at - line));
      to += at - line;
      to += sprintf(to, "%s%s", at[-1] == '(' ? "" : ", ", parameter);
    }
    memcpy(to, at, (size_t)(end - at));
    to += end - at;
    line = end;
  }
  return out;
}

struct printing {
  struct kiln_function *fn;
  kiln_value buffer;
  uint32_t place;
};

static kiln_value number(struct printing *p, uint64_t value) {
  return kiln_const(p->fn, kiln_scalar_type(KILN_I64), value);
}

// A constant string, put where the driver can copy it from.
static kiln_value copy_string(struct printing *p, struct kiln_builder *b, kiln_value string) {
  const struct kiln_inst *in = kiln_inst(p->fn, string);
  CHECK(in->op == KILN_OP_GLOBAL, "a string that is no constant is printed");
  const struct kiln_global *global = &p->fn->module->globals[in->imm];
  CHECK(global->size <= STRING_ROOM, "a long string is printed");
  uint64_t at = KILN_ROCM_PRINT_HEAD + KILN_ROCM_PRINT_BYTES - (uint64_t)STRING_ROOM * (p->place + 1);
  for (uint64_t i = 0; i < global->size; i++) {
    kiln_value byte =
        kiln_const(p->fn, kiln_scalar_type(KILN_I8), global->init ? ((const uint8_t *)global->init)[i] : 0);
    kiln_build_store(b, kiln_build_padd(b, p->buffer, number(p, at + i), 1), byte, 1, 0);
  }
  return kiln_build_padd(b, p->buffer, number(p, at), 1);
}

static void rewrite(struct printing *p, kiln_value inst) {
  struct kiln_builder b = kiln_builder_before(p->fn, inst);
  uint32_t count = kiln_inst(p->fn, inst)->operand_count;
  uint64_t bytes = 8, offset = 8;
  for (uint32_t i = 0; i < count; i++)
    bytes += (kiln_type_bytes(kiln_value_type(p->fn, kiln_operands(p->fn, inst)[i])) + 7) / 8 * 8;
  kiln_value head[2] = {p->buffer, number(p, bytes)};
  kiln_value from = kiln_build(&b, KILN_OP_ATOMIC_RMW, kiln_scalar_type(KILN_I64), head, 2,
                               kiln_atomic(KILN_RELAXED, KILN_SCOPE_DEVICE), 0, KILN_RMW_ADD);
  kiln_value record = kiln_build_padd(&b, kiln_build_padd(&b, p->buffer, from, 1), number(p, KILN_ROCM_PRINT_HEAD), 1);
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  kiln_build_store(&b, record, kiln_const(p->fn, i32, bytes), 4, 0);
  kiln_build_store(&b, kiln_build_padd(&b, record, number(p, 4), 1), kiln_const(p->fn, i32, p->place), 4, 0);
  for (uint32_t i = 0; i < count; i++) {
    kiln_value arg = kiln_operands(p->fn, inst)[i];
    kiln_type type = kiln_value_type(p->fn, arg);
    kiln_value place = kiln_build_padd(&b, record, number(p, offset), 1);
    kiln_build_store(&b, place, kiln_type_kind(type) == KILN_PTR ? copy_string(p, &b, arg) : arg, 8, 0);
    offset += (kiln_type_bytes(type) + 7) / 8 * 8;
  }
  kiln_value zero = kiln_const(p->fn, i32, 0); // what printf returns
  for (kiln_value user = 1; user < p->fn->inst_count; user++) {
    kiln_value operands[64];
    uint32_t n = kiln_inst(p->fn, user)->operand_count;
    bool uses = false;
    for (uint32_t i = 0; i < n && n <= 64; i++) {
      operands[i] = kiln_operands(p->fn, user)[i];
      uses |= operands[i] == inst;
      operands[i] = operands[i] == inst ? zero : operands[i];
    }
    if (uses)
      kiln_set_operands(p->fn, user, operands, n);
  }
  kiln_remove(p->fn, inst);
  p->place++;
}

// In the order in which the compiler numbers the places.
static void walk(struct printing *p, uint32_t region) {
  for (kiln_value inst = p->fn->regions[region].first, next; inst; inst = next) {
    const struct kiln_inst *in = kiln_inst(p->fn, inst);
    next = in->next;
    if (in->op == KILN_OP_PRINTF)
      rewrite(p, inst);
    else if (in->op == KILN_OP_IF || in->op == KILN_OP_LOOP || in->op == KILN_OP_SWITCH || in->op == KILN_OP_BLOCK)
      for (uint32_t r = 0; r < kiln_node(p->fn, inst)->region_count; r++)
        walk(p, kiln_node(p->fn, inst)->region_first + r);
  }
}

char *standin_print_ir(char *ir, bool *prints) {
  *prints = strstr(ir, "= printf ") != NULL;
  if (!*prints)
    return ir;
  char *text = add_parameter(ir), *printed = NULL;
  struct kiln_module *module = NULL;
  free(ir);
  CHECK(!kiln_module_parse(text, strlen(text), "standin.kir", &module), "%s", kiln_last_error());
  free(text);
  struct printing p = {.place = 0};
  for (uint32_t f = 0; f < module->function_count; f++) {
    p.fn = module->functions[f];
    if (!p.fn->is_kernel)
      continue;
    p.buffer = p.fn->params[p.fn->param_count - 1].value;
    walk(&p, p.fn->body);
  }
  CHECK(!kiln_module_print(module, &printed), "out of memory");
  ir = strdup(printed);
  kiln_free(printed);
  kiln_module_free(module);
  return ir;
}
