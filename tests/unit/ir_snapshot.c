// Modules as bytes for another process: the same when read again, an error when cut or changed in size. Copies of
// functions.
#include "jit/ir/snapshot.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char text[] =
    "kiln_ir 1\n"
    "file 0 \"a.cl\"\n"
    "global $0 \"table\" constant size 8 align 4 = \"\\01\\00\\00\\00\\02\\00\\00\\00\"\n"
    "kernel @k(%x: ptr.global \"int*\" align 4, %n: i32) reqd 4 1 1 {\n"
    "  %i = global_id 0 : i64 !0:1:2\n"
    "  %p = padd %x, %i * 4\n"
    "  loop ^l (%j: i32 = 0:i32) -> (%r: i32) {\n"
    "    %c = ult %j, %n\n"
    "    if %c {\n"
    "      %next = iadd %j, 1:i32\n"
    "      continue ^l, %next\n"
    "    }\n"
    "    switch ^s %n [1, 2] {\n      yield\n    } case 1 {\n      yield\n    } case 2 {\n      yield\n    }\n"
    "    break ^l, %j\n"
    "  }\n"
    "  %g = load $0, align 4 : i32\n"
    "  %s = iadd %r, %g\n"
    "  store %p, %s, align 4\n"
    "  return\n"
    "}\n";

static struct kiln_module *make(void) {
  struct kiln_module *module = NULL;
  cr_assert_eq(kiln_module_parse(text, sizeof text - 1, "image.kir", &module), KILN_OK, "%s", kiln_last_error());
  for (uint32_t i = 0; i < module->function_count; i++) {
    kiln_function_annotate(module->functions[i]);
    kiln_function_analyse(module->functions[i]);
  }
  return module;
}

Test(ir_snapshot, what_is_restored_is_the_same) {
  struct kiln_module *module = make();
  struct kiln_strbuf bytes = {0};
  kiln_module_save(module, &bytes);
  cr_assert_not(bytes.failed);
  struct kiln_module *again = kiln_module_restore(bytes.data, bytes.size);
  cr_assert(again);
  char *before, *after, message[256];
  cr_assert_eq(kiln_module_print(module, &before), KILN_OK);
  cr_assert_eq(kiln_module_print(again, &after), KILN_OK);
  cr_expect_str_eq(after, before); // with shapes
  cr_expect(kiln_module_verify(again, message, sizeof message), "%s", message);
  cr_expect_eq(again->functions[0]->inst_count, module->functions[0]->inst_count);
  kiln_free(before);
  kiln_free(after);
  kiln_module_free(again);
  kiln_module_free(module);
  kiln_strbuf_free(&bytes);
}

Test(ir_snapshot, what_is_cut_off_is_refused) {
  struct kiln_module *module = make();
  struct kiln_strbuf bytes = {0};
  kiln_module_save(module, &bytes);
  for (size_t size = 0; size < bytes.size; size++) {
    char *part = malloc(size + 1); // so that reading past the end is seen
    memcpy(part, bytes.data, size);
    struct kiln_module *again = kiln_module_restore(part, size);
    cr_assert_null(again, "%zu of %zu bytes", size, bytes.size);
    free(part);
  }
  kiln_strbuf_putc(&bytes, 0);
  cr_expect_null(kiln_module_restore(bytes.data, bytes.size));
  kiln_module_free(module);
  kiln_strbuf_free(&bytes);
}

// Emitters rewrite kernels, in the helper process, too.
Test(ir_snapshot, what_is_restored_can_be_changed) {
  struct kiln_module *module = make();
  struct kiln_strbuf bytes = {0};
  kiln_module_save(module, &bytes);
  struct kiln_module *again = kiln_module_restore(bytes.data, bytes.size);
  cr_assert(again);
  struct kiln_module *both[] = {module, again};
  uint32_t counts[2];
  for (int i = 0; i < 2; i++) {
    struct kiln_function *fn = both[i]->functions[0];
    struct kiln_builder b = kiln_builder_before(fn, fn->regions[fn->body].first);
    for (uint64_t k = 1; k < 2000; k++) {
      kiln_value id = kiln_build_item(&b, KILN_OP_GLOBAL_ID, 0);
      kiln_build2(&b, KILN_OP_IADD, id, kiln_const(fn, kiln_scalar_type(KILN_I64), k % 100));
      kiln_value loop = kiln_build_loop(&b, NULL, 0);
      struct kiln_builder inside = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
      kiln_build_break(&inside, loop, NULL, 0);
    }
    counts[i] = fn->inst_count;
    cr_assert(!kiln_module_failed(both[i]));
  }
  cr_expect_eq(counts[0], counts[1]); // equal constants are one value in both
  kiln_module_free(again);
  kiln_module_free(module);
  kiln_strbuf_free(&bytes);
}

static char *print(const struct kiln_module *module) {
  char *text = NULL;
  cr_assert_eq(kiln_module_print(module, &text), KILN_OK);
  return text;
}

Test(ir_snapshot, a_copy_is_the_same_and_changes_alone) {
  struct kiln_module *module = make();
  const struct kiln_function *fn = module->functions[0];
  struct kiln_function *copy = kiln_function_copy(fn);
  cr_assert(copy);
  cr_expect_eq(copy->module->functions[0], copy);
  char *before = print(module), *same = print(copy->module), message[256];
  cr_expect_str_eq(same, before); // with shapes
  for (kiln_value v = 1; v < fn->inst_count; v++)
    cr_expect_eq(kiln_depends_on(copy, v), kiln_depends_on(fn, v), "value %u", v);
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  cr_expect_eq(kiln_const(copy, i32, 1), kiln_const(module->functions[0], i32, 1), "free values are found");
  kiln_value loop = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    loop = fn->insts[v].op == KILN_OP_LOOP ? v : loop;
  struct kiln_builder b = kiln_builder_before(copy, copy->regions[copy->body].first);
  for (uint64_t k = 0; k < 2000; k++)
    kiln_set_name(copy, kiln_build2(&b, KILN_OP_IADD, kiln_const(copy, i32, k), copy->params[1].value), "added");
  kiln_loop_add_header(copy, loop, kiln_const(copy, i32, 7));
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (copy->insts[v].op == KILN_OP_CONTINUE)
      kiln_add_operand(copy, v, kiln_const(copy, i32, 8));
  copy->required_group_size[0] = 8;
  kiln_function_analyse(copy);
  cr_expect(kiln_module_verify(copy->module, message, sizeof message), "%s", message);
  char *changed = print(copy->module), *after = print(module);
  cr_expect(strcmp(changed, before) != 0, "the copy has changed");
  cr_expect_str_eq(after, before);
  struct kiln_function *second = kiln_function_copy(copy);
  cr_assert(second);
  char *again = print(second->module);
  cr_expect_str_eq(again, changed);
  char *texts[] = {before, same, changed, after, again};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    kiln_free(texts[i]);
  kiln_module_free(second->module);
  kiln_module_free(copy->module);
  kiln_module_free(module);
}
