// Modules: the builder, editing, text that is garbage, sizes.
#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/ir/internal.h"
#include "jit/pass/pass.h"

static struct kiln_function *new_kernel(struct kiln_module *module) {
  struct kiln_param params[] = {{.name = "p", .type_name = "int*", .type = kiln_ptr_type(KILN_GLOBAL)},
                                {.name = "x", .type_name = "int", .type = kiln_scalar_type(KILN_I32)}};
  return kiln_module_add_function(module, "k", true, kiln_scalar_type(KILN_VOID), params, 2);
}

static void expect_valid(const struct kiln_module *module, const char *what) {
  char message[512] = "";
  cr_expect(kiln_module_verify(module, message, sizeof message), "%s: %s", what, message);
}

Test(ir_module, builder_folds_constants) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = new_kernel(module);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  kiln_value five = kiln_build2(&b, KILN_OP_IADD, kiln_const(fn, i32, 2), kiln_const(fn, i32, 3));
  cr_expect_eq(five, kiln_const(fn, i32, 5), "equal constants have the same id");
  kiln_value wide = kiln_build1(&b, KILN_OP_SPLAT, kiln_vec_type(KILN_I32, 4), five);
  cr_expect_eq(wide, kiln_const(fn, kiln_vec_type(KILN_I32, 4), 5));
  cr_expect_eq(fn->regions[fn->body].first, 0, "nothing was appended");
  cr_expect_neq(kiln_const_float(fn, kiln_scalar_type(KILN_F32), 0.0),
                kiln_const_float(fn, kiln_scalar_type(KILN_F32), -0.0));
  kiln_module_free(module);
}

Test(ir_module, nodes_phis_and_editing) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = new_kernel(module);
  kiln_value p = fn->params[0].value, x = fn->params[1].value;
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  kiln_value one = kiln_const(fn, i32, 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value loop = kiln_build_loop(&b, &one, 1);
  kiln_value extra = kiln_loop_add_header(fn, loop, x);
  kiln_value result = kiln_node_add_result(fn, loop, i32);
  struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
  kiln_value i = kiln_node(fn, loop)->header.items[0];
  kiln_value sum = kiln_build2(&in, KILN_OP_IADD, i, extra);
  kiln_value branch = kiln_build_if(&in, kiln_build2(&in, KILN_OP_SLT, sum, x));
  struct kiln_builder then = kiln_builder_at_end(fn, kiln_node(fn, branch)->region_first);
  kiln_value jump = kiln_build_break(&then, loop, NULL, 0);
  kiln_add_operand(fn, jump, sum);
  struct kiln_builder other = kiln_builder_at_end(fn, kiln_node(fn, branch)->region_first + 1);
  kiln_build_yield(&other, NULL, 0);
  kiln_build_continue(&in, loop, (kiln_value[]){sum, extra}, 2);
  kiln_build_store(&b, p, result, 4, 0);
  kiln_build_return(&b, 0);
  expect_valid(module, "loop with break");

  kiln_value barrier = kiln_build(&in, KILN_OP_BARRIER, 0, NULL, 0, 0, KILN_FENCE_LOCAL, 0);
  char message[256];
  cr_expect_not(kiln_module_verify(module, message, sizeof message), "an instruction behind the jump");
  kiln_move(fn, barrier, kiln_node(fn, loop)->region_first, branch);
  expect_valid(module, "barrier moved");
  kiln_function_annotate(fn);
  cr_expect(fn->has_barrier && kiln_node(fn, loop)->has_barrier && !kiln_node(fn, branch)->has_barrier);

  kiln_remove(fn, fn->insts[loop].next); // the store
  kiln_remove(fn, loop);
  cr_expect_eq(fn->insts[barrier].region, 0, "what is inside goes with the node");
  kiln_function_annotate(fn);
  cr_expect_not(fn->has_barrier);
  expect_valid(module, "loop removed");
  kiln_module_free(module);
}

// The verifier passes an instruction like one that was right before it, so each part of it is made unlike.
Test(ir_module, verifier_looks_at_all_of_an_instruction_like_another) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = new_kernel(module);
  kiln_value p = fn->params[0].value, x = fn->params[1].value;
  kiln_type i32 = kiln_scalar_type(KILN_I32), i64 = kiln_scalar_type(KILN_I64);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value wide = kiln_build1(&b, KILN_OP_SEXT, i64, x), sum = x, read = 0;
  for (int i = 0; i < 3; i++) {
    read = kiln_build_load(&b, i32, p, 4, 0);
    sum = kiln_build2(&b, KILN_OP_IADD, sum, read);
  }
  kiln_value inside = kiln_build_if(&b, kiln_build2(&b, KILN_OP_SLT, sum, x));
  struct kiln_builder then = kiln_builder_at_end(fn, kiln_node(fn, inside)->region_first);
  kiln_value hidden = kiln_build2(&then, KILN_OP_IADD, sum, x);
  kiln_build_yield(&then, NULL, 0);
  struct kiln_builder other = kiln_builder_at_end(fn, kiln_node(fn, inside)->region_first + 1);
  kiln_build_yield(&other, NULL, 0);
  kiln_value last = kiln_build2(&b, KILN_OP_IADD, sum, x);
  kiln_build_return(&b, 0);
  expect_valid(module, "as built");
  struct kiln_inst *const insts = fn->insts;
  const kiln_value changed[] = {sum, read, last};
  const struct kiln_inst unlike[] = {
      {.op = KILN_OP_FADD}, {.op = KILN_OP_COUNT},         {.flags = 0x8000}, {.type = i64}, {.operand_count = 3},
      {.imm = 1ull << 40},  {.operand_first = 1 << 30},    {.imm2 = 3},       {.region = 7}, {.prev = wide},
      {.loc = 1000},        {.operand_count = UINT32_MAX},
  };
  char message[256];
  for (unsigned c = 0; c < sizeof changed / sizeof *changed; c++)
    for (unsigned i = 0; i < sizeof unlike / sizeof *unlike; i++) {
      struct kiln_inst *inst = &insts[changed[c]], old = *inst;
      inst->op = unlike[i].op ? unlike[i].op : old.op;
      inst->flags ^= unlike[i].flags;
      inst->type = unlike[i].type ? unlike[i].type : old.type;
      inst->operand_first ^= unlike[i].operand_first;
      inst->operand_count = unlike[i].operand_count ? unlike[i].operand_count : old.operand_count;
      inst->imm ^= unlike[i].imm;
      inst->imm2 ^= unlike[i].imm2;
      inst->region ^= unlike[i].region;
      inst->prev = unlike[i].prev ? unlike[i].prev : old.prev;
      inst->loc ^= unlike[i].loc;
      cr_expect_not(kiln_module_verify(module, message, sizeof message), "instruction %u, change %u", c, i);
      *inst = old;
    }
  const kiln_value wrong[] = {0, wide, last, hidden, inside, p, fn->inst_count, UINT32_MAX};
  for (unsigned i = 0; i < 2; i++)
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      kiln_value *operand = &fn->operands[insts[last].operand_first + i], old = *operand;
      *operand = wrong[k];
      cr_expect_not(kiln_module_verify(module, message, sizeof message), "operand %u, value %u", i, wrong[k]);
      *operand = old;
    }
  expect_valid(module, "as it was");
  kiln_module_free(module);
}

Test(ir_module, text_does_not_depend_on_the_locale) {
  static const char text[] = "kiln_ir 1\n\nfunc @f(%0: ptr.global) {\n  store %0, 0.5:f32, align 4\n  return\n}\n";
  const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};
  for (unsigned i = 0; i < 3; i++) {
    setlocale(LC_ALL, names[i]);
    struct kiln_module *module;
    char *out = NULL;
    cr_assert_eq(kiln_module_parse(text, strlen(text), "t", &module), KILN_OK, "%s: %s", names[i], kiln_last_error());
    cr_assert_eq(kiln_module_print(module, &out), KILN_OK);
    cr_expect_str_eq(out, text, "%s", names[i]);
    kiln_free(out);
    kiln_module_free(module);
  }
}

static const char sample[] =
    "kiln_ir 1\nfile 0 \"a.cl\"\nglobal $0 \"t\" constant size 4 align 4 = \"abcd\"\n"
    "func @g(%0: i32, %1: f32x4) : i32 noinline {\n  %2 = extract %1, 1:i32 : f32\n  %3 = ftos.rtz %2 : i32\n"
    "  return %3\n}\n"
    "kernel @k(%0.p: ptr.global \"int*\" align 4 access read_write const, %1: i32) reqd 1 2 3 {\n"
    "  loop ^0 (%2.i: i32 = 0:i32) -> (%3: i32) unroll 4 !0:1:2 {\n    %4 = slt %2, %1\n    if %4 {\n"
    "      break ^0, %2\n    }\n    switch ^1 %2 [1, -7] -> (%5: f32) {\n      yield 1.5:f32\n    } case 1 {\n"
    "      break ^1, inf:f32\n    } case -7 {\n      continue ^0, 3:i32\n    }\n    %6 = vec %5, %5 : f32x2\n"
    "    store.volatile %0, %6, align 4\n    continue ^0, %1\n  }\n  %7 = call @g(%3, {1, undef, 3, 4}:f32x4) : i32\n"
    "  %8 = shuffle {1, 2}:i32x2, 0:i32x2, [0, 3, undef] : i32x3\n  barrier [local, global]\n"
    "  %9 = atomic_rmw.add %0, %7, relaxed device !0:3:4\n  return\n}\n";

// Whatever the text, the parser gives a module that verifies or an error with its place.
static void parse_anything(const char *text, size_t size, unsigned *accepted) {
  struct kiln_module *module = NULL;
  enum kiln_status status = kiln_module_parse(text, size, "fuzz", &module);
  if (status == KILN_OK) {
    ++*accepted;
    expect_valid(module, "accepted text");
    char *out = NULL;
    cr_assert_eq(kiln_module_print(module, &out), KILN_OK);
    kiln_free(out);
    kiln_module_free(module);
  } else {
    cr_assert_eq(status, KILN_ERR_COMPILE);
    cr_assert(strncmp(kiln_last_error(), "fuzz:", 5) == 0 && strstr(kiln_last_error(), ": error: "), "%s",
              kiln_last_error());
  }
}

Test(ir_module, damaged_text) {
  unsigned accepted = 0;
  size_t size = sizeof sample - 1;
  parse_anything(sample, size, &accepted);
  cr_assert_eq(accepted, 1, "%s", kiln_last_error());
  for (size_t i = 0; i < size; i++) // every prefix
    parse_anything(sample, i, &accepted);
  char *text = malloc(size + 32);
  uint64_t random = 12345;
  static const char *const pieces[] = {"%0",   "^0", "$0", "{",      "}",    ":",      "99999999999999999999",
                                       "i32",  "-",  "\"", "\\",     "loop", "\x80",   "ptr.",
                                       "[",    "=",  "->", "!0:1:1", ".",    "return", "%2",
                                       "undef"};
  for (unsigned round = 0; round < 20000; round++) {
    memcpy(text, sample, size);
    size_t length = size;
    for (unsigned change = 0; change <= round % 3; change++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      size_t at = (random >> 33) % length;
      const char *piece = pieces[(random >> 20) % (sizeof pieces / sizeof *pieces)];
      size_t piece_size = strlen(piece);
      if (random >> 63 && at + piece_size < length)
        memcpy(text + at, piece, piece_size);
      else if (random >> 62 & 1)
        text[at] = (char)(random >> 40);
      else
        memmove(text + at, text + at + 1, --length - at);
    }
    parse_anything(text, length, &accepted);
  }
  free(text);
}

Test(ir_module, deep_nesting_is_an_error) {
  unsigned depths[] = {1500, 2500, 100000}, accepted = 0;
  for (unsigned d = 0; d < 3; d++) {
    size_t size = depths[d] * 16 + 64, length = 0;
    char *text = malloc(size);
    length += (size_t)sprintf(text, "kiln_ir 1\nfunc @f(%%c: bool) {\n");
    for (unsigned i = 0; i < depths[d]; i++)
      length += (size_t)sprintf(text + length, "if %%c {\n");
    for (unsigned i = 0; i < depths[d]; i++)
      length += (size_t)sprintf(text + length, "yield }\n");
    length += (size_t)sprintf(text + length, "return\n}\n");
    accepted = 0;
    parse_anything(text, length, &accepted);
    cr_expect_eq(accepted, depths[d] == 1500, "%u deep: %s", depths[d], kiln_last_error());
    free(text);
  }
}

Test(ir_module, huge_garbage) {
  size_t size = 10 << 20;
  char *text = malloc(size);
  uint64_t random = 1;
  for (size_t i = 0; i < size; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    text[i] = (char)(random >> 56);
  }
  unsigned accepted = 0;
  parse_anything(text, size, &accepted);
  memset(text, '(', size);
  parse_anything(text, size, &accepted);
  memcpy(text, "kiln_ir 1\nfunc @", 16);
  memset(text + 16, 'a', size - 16);
  parse_anything(text, size, &accepted);
  cr_expect_eq(accepted, 0);
  free(text);
}

// docs/ir.md is the specification: it names every operation.
Test(ir_module, documentation_names_every_operation) {
  char *text;
  size_t size;
  cr_assert_eq(kiln_file_read(KILN_SOURCE_DIR "/docs/ir.md", &text, &size), 0);
  for (unsigned op = 0; op < KILN_OP_COUNT; op++) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s`", kiln_op_table[op].name);
    cr_expect(op == KILN_OP_PHI || strstr(text, quoted), "%s", quoted);
  }
  const char *example = strstr(text, "```ir\nkiln_ir");
  cr_assert_not_null(example);
  unsigned accepted = 0;
  parse_anything(example + 6, (size_t)(strstr(example + 6, "```") - example - 6), &accepted);
  cr_expect_eq(accepted, 1, "the example: %s", kiln_last_error());
  free(text);
}

// Memory that runs out anywhere marks the module; nothing crashes, nothing jumps out.
Test(ir_module, memory_runs_out) {
  unsigned failed = 0, rounds = 0;
  for (size_t limit = 4096; limit < 400000; limit += 3001, rounds++) {
    struct kiln_module *module = kiln_module_new();
    kiln_module_priv(module)->arena.limit = limit;
    struct kiln_function *fn = new_kernel(module);
    for (unsigned i = 0; fn && i < 200; i++) {
      struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
      kiln_value p = fn->params[0].value, x = fn->params[1].value;
      kiln_value var = kiln_build_var(&b, 4, 4, "variable");
      kiln_build_store(&b, var, x, 4, 0);
      kiln_value loop = kiln_build_loop(&b, &x, 1), result = kiln_node_add_result(fn, loop, kiln_scalar_type(KILN_I32));
      struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
      kiln_value sum = kiln_build2(&in, KILN_OP_IADD, x, kiln_const(fn, kiln_scalar_type(KILN_I32), i));
      kiln_build_store(&in, kiln_build_padd(&in, p, kiln_const(fn, kiln_scalar_type(KILN_I64), i), 4), sum, 4, 0);
      kiln_build_break(&in, loop, &sum, 1);
      kiln_set_name(fn, result, "a name");
      kiln_value vector = kiln_build1(&b, KILN_OP_SPLAT, kiln_vec_type(KILN_I32, 4), result);
      kiln_build_store(&b, p, kiln_build_shuffle(&b, vector, vector, (const uint8_t[]){3, 2}, 2), 4, 0);
      if (i == 199)
        kiln_build_return(&b, 0);
    }
    struct kiln_caps caps = {.fma = true};
    struct kiln_options options = {.optimize = 2};
    char message[512];
    enum kiln_status status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
    cr_expect_eq(status, kiln_module_failed(module) ? KILN_ERR_MEMORY : KILN_OK, "limit %zu: %s", limit, message);
    failed += kiln_module_failed(module);
    kiln_module_free(module);
  }
  cr_expect(failed > 10 && failed < rounds, "%u of %u", failed, rounds);
}
