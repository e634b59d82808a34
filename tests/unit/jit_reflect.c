// Reflection: what is told of kernels, its bytes, and what the access analysis finds.
#include "jit/reflect.h"

#include "jit/access.h"
#include "jit_test.h"
#include "kiln/ir.h"

static struct kiln_module *parse(const char *text) {
  struct kiln_module *module;
  char message[512];
  OK(kiln_module_parse(text, strlen(text), "test", &module));
  cr_assert(kiln_module_verify(module, message, sizeof message), "%s", message);
  cr_assert(kiln_access_analyse(module));
  return module;
}

static const char kernels[] =
    "kiln_ir 1\n"
    "kernel @first(%a: f32x3 \"float3\", %s: ptr.constant \"struct s\" byval 20 align 8, %l: "
    "ptr.local \"int*\" align 4, "
    "%p: ptr.global \"uchar*\" align 1 const volatile) reqd 8 4 1 hint 16 16 2 vec_type \"half8\" {\n"
    "  return\n"
    "}\n"
    "kernel @second() {\n"
    "  return\n"
    "}\n";

static void write_both(struct kiln_strbuf *reflection, struct kiln_strbuf *resources) {
  struct kiln_module *module = parse(kernels);
  struct kiln_kernel_resources r[2] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, "a remark"}, {0}};
  kiln_reflect_write(module, reflection);
  kiln_resources_write(r, 2, resources);
  kiln_module_free(module);
}

Test(reflect, round_trip) {
  struct kiln_strbuf a = {0}, b = {0};
  write_both(&a, &b);
  struct kiln_reflection r;
  cr_assert_eq(kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, b.size}, &r), KILN_OK);
  kiln_strbuf_free(&a);
  kiln_strbuf_free(&b);
  cr_assert_eq(r.kernel_count, 2);
  const struct kiln_kernel_info *k = &r.kernels[0];
  cr_assert_str_eq(k->name, "first");
  cr_assert_str_eq(r.kernels[1].name, "second");
  cr_assert_str_eq(r.vec_type_hints[0], "half8");
  cr_assert_str_eq(r.vec_type_hints[1], "");
  cr_assert(k->required_group_size[0] == 8 && k->required_group_size[1] == 4 && k->required_group_size[2] == 1);
  cr_assert(k->work_group_size_hint[0] == 16 && k->work_group_size_hint[2] == 2);
  cr_assert(k->local_bytes == 1 && k->private_bytes == 2 && k->vgprs == 3 && k->sgprs == 4 && k->spills == 5 &&
            k->code_bytes == 6 && k->max_group_size == 7 && k->agprs == 8 && k->waves_per_simd == 9);
  cr_assert_str_eq(k->remark, "a remark");
  cr_assert_str_eq(r.kernels[1].remark, "");
  cr_assert(k->arg_count == 4 && r.kernels[1].arg_count == 0);
  cr_assert(k->args[0].kind == KILN_ARG_VALUE && k->args[0].size == 16 && k->args[0].align == 16);
  cr_assert_str_eq(k->args[0].type_name, "float3");
  cr_assert(k->args[1].kind == KILN_ARG_VALUE && k->args[1].size == 20 && k->args[1].align == 8);
  cr_assert(k->args[2].kind == KILN_ARG_LOCAL && k->args[2].size == 8);
  cr_assert(k->args[3].kind == KILN_ARG_BUFFER && k->args[3].is_const && k->args[3].is_volatile &&
            !k->args[3].is_restrict && !k->args[3].is_constant && k->args[3].access == KILN_ACCESS_NONE);
  cr_assert_str_eq(k->args[3].name, "p");
  kiln_reflection_free(&r);
}

Test(reflect, any_bytes_are_safe) {
  struct kiln_strbuf a = {0}, b = {0};
  write_both(&a, &b);
  struct kiln_reflection r;
  unsigned tried = 0, seed = 7;
  for (size_t size = 0; size < a.size; size++, tried++) {
    char *copy = malloc(size ? size : 1); // its end is the end of the allocation
    memcpy(copy, a.data, size);
    cr_assert_eq(kiln_reflect_read((struct kiln_str){copy, size}, (struct kiln_str){b.data, b.size}, &r),
                 KILN_ERR_INTERNAL, "%zu", size);
    free(copy);
  }
  for (size_t size = 0; size < b.size; size++, tried++)
    cr_assert_eq(kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, size}, &r),
                 KILN_ERR_INTERNAL, "%zu", size);
  for (int i = 0; i < 20000; i++, tried++) {
    size_t at = (seed = seed * 1103515245 + 12345) % a.size;
    char old = a.data[at];
    a.data[at] = (char)(seed >> 16);
    if (kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, b.size}, &r) == KILN_OK)
      kiln_reflection_free(&r);
    a.data[at] = old;
  }
  cr_assert_gt(tried, 20100);
  kiln_strbuf_free(&a);
  kiln_strbuf_free(&b);
}

Test(access, pointers) {
  static const char text[] = "kiln_ir 1\n"
                             "kernel @k(%r: ptr.global, %w: ptr.global, %rw: ptr.global, %no: ptr.global, %sel: "
                             "ptr.global, %swap_a: ptr.global, "
                             "%swap_b: ptr.global, %int: ptr.global, %atom: ptr.global, %cmp: ptr.global, %n: i64) {\n"
                             "  %i = global_id 0 : i64\n"
                             "  %p = padd %r, %i * 4\n"
                             "  %v = load %p, align 4 : i32\n"
                             "  %q = padd %w, %i * 4\n"
                             "  store %q, %v, align 4\n"
                             "  %u = load %rw, align 4 : i32\n"
                             "  store %rw, %u, align 4\n"
                             "  %c = slt %i, %n\n"
                             "  %s = select %c, %sel, %sel\n"
                             "  %t = load %s, align 4 : i32\n"
                             "  %x = ptoi %int : i64\n"
                             "  %old = atomic_rmw.add %atom, %t, relaxed device\n"
                             "  %e = eq %cmp, %r\n"
                             "  return\n"
                             "}\n";
  struct kiln_module *module;
  if (kiln_module_parse(text, strlen(text), "test", &module) != KILN_OK)
    cr_assert_fail("%s", kiln_last_error());
  cr_assert(kiln_access_analyse(module));
  const struct kiln_param *p = module->functions[0]->params;
  static const enum kiln_access expected[] = {KILN_ACCESS_READ, KILN_ACCESS_WRITE,      KILN_ACCESS_READ_WRITE,
                                              KILN_ACCESS_NONE, KILN_ACCESS_READ,       KILN_ACCESS_NONE,
                                              KILN_ACCESS_NONE, KILN_ACCESS_READ_WRITE, KILN_ACCESS_READ_WRITE,
                                              KILN_ACCESS_NONE, KILN_ACCESS_NONE};
  for (int i = 0; i < 11; i++)
    cr_assert_eq(p[i].access, expected[i], "parameter %s: %d", p[i].name, (int)p[i].access);
  kiln_module_free(module);
}

Test(reflect, tells_constant_from_global_memory) {
  struct kiln_module *module = parse("kiln_ir 1\nkernel @k(%c: ptr.constant \"int*\" align 4, %g: ptr.global \"int*\" "
                                     "align 4) {\n  return\n}\n");
  struct kiln_strbuf a = {0}, b = {0};
  struct kiln_kernel_resources none = {0};
  struct kiln_reflection r;
  kiln_reflect_write(module, &a);
  kiln_resources_write(&none, 1, &b);
  cr_assert_eq(kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, b.size}, &r), KILN_OK);
  cr_assert(r.kernels[0].args[0].is_constant && !r.kernels[0].args[1].is_constant);
  kiln_reflection_free(&r);
  kiln_strbuf_free(&a);
  kiln_strbuf_free(&b);
  kiln_module_free(module);
}
