// Conformance: every operation of the kernel IR against the interpreter. Operations on values are built from the table
// of operations; the others stand in the texts below. What neither covers is a failure.
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum { MAX_KERNELS = 32, ITEM_BYTES = 128 };

// ---- operations on values ------------------------------------------------------------------------------------------

struct variant {
  enum kiln_kind kind;
  unsigned lanes;
};
static const struct variant variants[] = {
    {KILN_I32, 1}, {KILN_I32, 4}, {KILN_I32, 3}, {KILN_I32, 16}, {KILN_I8, 1},  {KILN_I8, 4},
    {KILN_I16, 1}, {KILN_I16, 4}, {KILN_I64, 1}, {KILN_I64, 2},  {KILN_F32, 1}, {KILN_F32, 4},
    {KILN_F32, 3}, {KILN_F64, 1}, {KILN_F64, 2}, {KILN_F16, 1},  {KILN_F16, 4},
};
enum { VARIANT_COUNT = sizeof variants / sizeof *variants };

static bool wants_float(const char *operands) { return strchr(operands, 'f') != NULL; }
static bool wants_int(enum kiln_op op, const char *operands) {
  return strchr(operands, 'i') || op == KILN_OP_EQ || op == KILN_OP_NE || op == KILN_OP_ULT || op == KILN_OP_ULE;
}

// Operations whose operands and result follow from the table.
static bool is_plain(enum kiln_op op) {
  const struct kiln_op_info *info = &kiln_op_table[op];
  if (info->effect != KILN_EFFECT_PURE || op == KILN_OP_INSERT || op == KILN_OP_SHUFFLE)
    return false;
  return (info->result == KILN_RESULT_SAME || info->result == KILN_RESULT_TAIL || info->result == KILN_RESULT_BOOL) &&
         strspn(info->operands, "ifbx") == strlen(info->operands);
}

static bool fits(const struct kiln_caps *caps, enum kiln_op op, const struct variant *v) {
  const char *operands = kiln_op_table[op].operands;
  bool is_float = kiln_kind_is_float(v->kind);
  if (strspn(operands, "b") == strlen(operands)) // bools alone: the lanes matter, the kind does not
    return v->kind == KILN_I32;
  if (strchr(operands, 'w') && v->kind != KILN_I32)
    return false;
  return !(wants_float(operands) && !is_float) && !(wants_int(op, operands) && is_float) &&
         (v->kind != KILN_F64 || caps->fp64) && (v->kind != KILN_F16 || caps->fp16);
}

static kiln_value load_operand(struct kiln_builder *b, kiln_value item, unsigned k, kiln_type type) {
  struct kiln_function *fn = b->fn;
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  kiln_value base = kiln_build_padd(b, fn->params[0].value, kiln_const(fn, i64, k), CASE_BYTES);
  return kiln_build_load(b, type, kiln_build_padd(b, base, item, ITEM_BYTES), kiln_kind_bits(kiln_type_kind(type)) / 8,
                         0);
}

static kiln_value load_bool(struct kiln_builder *b, kiln_value item, unsigned k, unsigned lanes) {
  kiln_type type = kiln_vec_type(KILN_I32, lanes);
  kiln_value bit = kiln_build2(b, KILN_OP_AND, load_operand(b, item, k, type), kiln_const(b->fn, type, 1));
  return kiln_build2(b, KILN_OP_NE, bit, kiln_const(b->fn, type, 0));
}

static struct kiln_function *begin_kernel(struct kiln_module *module, const char *name, struct kiln_builder *b,
                                          kiln_value *item) {
  struct kiln_param params[] = {{.name = "in", .type_name = "char*", .type = kiln_ptr_type(KILN_GLOBAL), .align = 16},
                                {.name = "out", .type_name = "char*", .type = kiln_ptr_type(KILN_GLOBAL), .align = 16}};
  struct kiln_function *fn = kiln_module_add_function(module, name, true, kiln_scalar_type(KILN_VOID), params, 2);
  if (fn) {
    *b = kiln_builder_at_end(fn, fn->body);
    *item = kiln_build_item(b, KILN_OP_GLOBAL_ID, 0);
  }
  return fn;
}

static void end_kernel(struct kiln_builder *b, kiln_value item, kiln_value result) {
  kiln_type type = kiln_value_type(b->fn, result);
  if (kiln_type_kind(type) == KILN_BOOL) {
    type = kiln_vec_type(KILN_I32, kiln_type_lanes(type));
    result = kiln_build1(b, KILN_OP_ZEXT, type, result);
  }
  kiln_value to = kiln_build_padd(b, b->fn->params[1].value, item, ITEM_BYTES);
  kiln_build_store(b, to, result, kiln_kind_bits(kiln_type_kind(type)) / 8, 0);
  kiln_build_return(b, 0);
}

static void add_kernel(struct kiln_module *module, const char *name, enum kiln_op op, const struct variant *v) {
  struct kiln_builder b;
  kiln_value item, operands[4];
  if (!begin_kernel(module, name, &b, &item))
    return;
  const char *letters = kiln_op_table[op].operands;
  uint32_t count = (uint32_t)strlen(letters);
  for (uint32_t k = 0; k < count; k++)
    operands[k] = letters[k] == 'b' ? load_bool(&b, item, k, v->lanes)
                                    : load_operand(&b, item, k, kiln_vec_type(v->kind, v->lanes));
  end_kernel(&b, item, kiln_build(&b, op, 0, operands, count, 0, 0, 0));
}

// How far two right results may be apart. Division and square root of float may be off by 2.5 and 3 units, unless the
// program asks for correctly rounded ones.
static double ulp_of(enum kiln_op op, enum kiln_kind kind, bool correctly_rounded) {
  if ((op == KILN_OP_FDIV || op == KILN_OP_SQRT) && kind == KILN_F32 && !correctly_rounded)
    return 3;
  if (op == KILN_OP_FMIN || op == KILN_OP_FMAX)
    return 0.5; // zeros of either sign
  if (op == KILN_OP_LGAMMA)
    return 4096; // the specification gives no bound
  if (op < KILN_OP_RSQRT || op > KILN_OP_LOGB || op == KILN_OP_REMAINDER || op == KILN_OP_NEXTAFTER ||
      op == KILN_OP_LOGB)
    return 0;
  return 32;
}

static enum element element_of(enum kiln_kind kind) {
  return kind == KILN_F16 ? EL_F16 : kind == KILN_F32 ? EL_F32 : kind == KILN_F64 ? EL_F64 : EL_BITS;
}

static void note_ops(const struct kiln_module *module, bool *seen) {
  for (uint32_t f = 0; f < module->function_count; f++) {
    const struct kiln_function *fn = module->functions[f];
    for (uint32_t i = 1; i < fn->inst_count; i++)
      seen[fn->insts[i].op] = true;
  }
}

static void check_plain(struct suite *s, const struct kiln_caps *caps, enum kiln_op op, bool correctly_rounded,
                        bool *seen) {
  const struct variant *used[MAX_KERNELS];
  struct kiln_module *module = kiln_module_new();
  uint32_t count = 0;
  for (int v = 0; v < VARIANT_COUNT && module; v++) {
    char name[16];
    snprintf(name, sizeof name, "k%u", (unsigned)count);
    if (!fits(caps, op, &variants[v]))
      continue;
    used[count++] = &variants[v];
    add_kernel(module, name, op, &variants[v]);
  }
  struct kiln_program_desc desc = {.kind = KILN_SOURCE_MODULE,
                                   .module = module,
                                   .name = kiln_op_table[op].name,
                                   .options = correctly_rounded ? "-cl-fp32-correctly-rounded-divide-sqrt" : NULL};
  struct kiln_program *program = NULL, *oracle = NULL;
  if (expect(s, module && !kiln_module_failed(module), "out of memory")) {
    note_ops(module, seen);
    if (expect_ok(s, kiln_program_create(s->oracle, &desc, &oracle), kiln_op_table[op].name))
      expect_ok(s, kiln_program_create(s->ctx, &desc, &program), kiln_op_table[op].name);
  }
  for (uint32_t i = 0; i < count && program && oracle; i++) {
    char name[16], what[64];
    enum kiln_kind kind = used[i]->kind;
    bool is_bits = kiln_op_table[op].result == KILN_RESULT_BOOL;
    struct tolerance tolerance = {is_bits ? EL_BITS : element_of(kind), ulp_of(op, kind, correctly_rounded)};
    snprintf(name, sizeof name, "k%u", (unsigned)i);
    snprintf(what, sizeof what, "%s on %c%u x %u%s", kiln_op_table[op].name, kiln_kind_is_float(kind) ? 'f' : 'i',
             kiln_kind_bits(kind), used[i]->lanes, correctly_rounded ? ", correctly rounded" : "");
    compare_kernel(s, program, oracle, name, what, element_of(kind), 16, &tolerance);
  }
  kiln_program_release(program);
  kiln_program_release(oracle);
  if (module)
    kiln_module_free(module);
}

// ---- the others, as text -------------------------------------------------------------------------------------------

#define HEAD                                                                                                           \
  "kernel @k(%in: ptr.global \"char*\" align 16, %out: ptr.global \"char*\" align 16) {\n"                             \
  "  %i = global_id 0 : i64\n"                                                                                         \
  "  %p = padd %in, %i * 128\n"                                                                                        \
  "  %q = padd %out, %i * 128\n"
#define TAIL "  return\n}\n"

enum needs { NEEDS_NOTHING, NEEDS_FP64, NEEDS_FP16, NEEDS_INT64_ATOMICS, NEEDS_GENERIC, NEEDS_SUB_GROUPS };

static const struct text_case {
  const char *name;
  enum element in, out;
  enum needs needs;
  const char *text;
} texts[] = {
#include "conformance_ops.def"
};
enum { TEXT_COUNT = sizeof texts / sizeof *texts };

static bool has(const struct suite *s, const struct kiln_caps *caps, enum needs needs) {
  switch (needs) {
  case NEEDS_NOTHING:
    return true;
  case NEEDS_FP64:
    return caps->fp64;
  case NEEDS_FP16:
    return caps->fp16;
  case NEEDS_INT64_ATOMICS:
    return caps->int64_atomics;
  case NEEDS_GENERIC:
    return caps->generic_space;
  case NEEDS_SUB_GROUPS:
    return s->sub_groups;
  }
  return false;
}

static void check_text(struct suite *s, const struct kiln_caps *caps, const struct text_case *c, bool *seen) {
  struct kiln_module *module = NULL;
  enum kiln_status status = kiln_module_parse(c->text, strlen(c->text), c->name, &module);
  if (!expect(s, status == KILN_OK, "%s: %s", c->name, kiln_last_error()))
    return;
  note_ops(module, seen);
  kiln_module_free(module);
  if (!has(s, caps, c->needs)) {
    skip(s, "%s: the target has not what it needs", c->name);
    return;
  }
  struct kiln_program *oracle = program_of(s->oracle, c->text, KILN_SOURCE_IR_TEXT, NULL, &status), *program = NULL;
  if (expect_ok(s, status, c->name)) {
    program = program_of(s->ctx, c->text, KILN_SOURCE_IR_TEXT, NULL, &status);
    expect_ok(s, status, c->name);
  }
  struct tolerance tolerance = {c->out, 0};
  if (program)
    compare_kernel(s, program, oracle, "k", c->name, c->in, 16, &tolerance);
  kiln_program_release(program);
  kiln_program_release(oracle);
}

void check_operations(struct suite *s) {
  bool seen[KILN_OP_COUNT] = {false};
  struct kiln_caps caps;
  memset(&caps, 0, sizeof caps);
  s->backend->caps(&s->target, &caps);
  if (!s->stream)
    skip(s, "nothing is run, only compiled: %s", s->no_device);
  if (!caps.fp16)
    skip(s, "half: the target has none");
  if (!caps.fp64)
    skip(s, "double: the target has none");
  for (int op = 0; op < KILN_OP_COUNT; op++) {
    if (is_plain((enum kiln_op)op))
      check_plain(s, &caps, (enum kiln_op)op, false, seen);
  }
  check_plain(s, &caps, KILN_OP_FDIV, true, seen);
  check_plain(s, &caps, KILN_OP_SQRT, true, seen);
  for (int i = 0; i < TEXT_COUNT; i++)
    check_text(s, &caps, &texts[i], seen);
  // Operations on images are those of the area images.
  for (int op = 0; op < KILN_OP_COUNT; op++)
    expect(s, seen[op] || kiln_op_family((enum kiln_op)op) == KILN_FAMILY_IMAGE, "no case has the operation '%s'",
           kiln_op_table[op].name);
}
