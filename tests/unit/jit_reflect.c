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
  cr_assert(kiln_access_analyse(module, false));
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
  kiln_resources_write(r, 2, (struct kiln_str){reflection->data, reflection->size}, resources);
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
  cr_assert_str_eq(r.wishes[0].vec_type, "half8");
  cr_assert_str_eq(r.wishes[1].vec_type, "");
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
                 KILN_ERR_INVALID, "%zu", size);
    free(copy);
  }
  for (size_t size = 0; size < b.size; size++, tried++)
    cr_assert_eq(kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, size}, &r),
                 KILN_ERR_INVALID, "%zu", size);
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

// One kernel with one argument, whose fields are at known places.
static const char one[] = "kiln_ir 1\nkernel @k(%p: ptr.global \"int*\" align 4) {\n  return\n}\n";
enum {
  NAME = 16,
  REQUIRED = 18,
  ARG_COUNT = 51,
  ARG_NAME = 59,
  TYPE_NAME = 65,
  KIND = 70,
  ACCESS,
  FLAGS,
  SIZE,
  ALIGN = 77,
  END = 81
};

// Changes bytes of the reflection. sealed: then makes it one that was written together with the resources.
static enum kiln_status read_changed(size_t at, const char *bytes, size_t size, bool sealed) {
  struct kiln_module *module = parse(one);
  struct kiln_strbuf a = {0}, b = {0};
  struct kiln_reflection r;
  kiln_reflect_write(module, &a);
  cr_assert_eq(a.size, END);
  kiln_resources_write(NULL, 1, (struct kiln_str){a.data, a.size}, &b);
  memcpy(a.data + at, bytes, size);
  if (sealed)
    kiln_resources_write(NULL, 1, (struct kiln_str){a.data, a.size}, &b);
  enum kiln_status status = kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, b.size}, &r);
  if (status == KILN_OK)
    kiln_reflection_free(&r);
  kiln_strbuf_free(&a);
  kiln_strbuf_free(&b);
  kiln_module_free(module);
  return status;
}

Test(reflect, every_field_has_a_range) {
#define CASE(at, bytes)                                                                                                \
  { at, bytes, sizeof(bytes) - 1 }
  static const struct {
    size_t at;
    const char *bytes;
    size_t size;
  } wrong[] = {
      CASE(NAME, "\n"),
      CASE(NAME, " "),
      CASE(NAME, "\0"),
      CASE(REQUIRED, "\1"),                       // 1 x 0 x 0
      CASE(REQUIRED, "\0\0\1\0\0\0\1\0\1\0\0\0"), // 65536 x 65536 x 1
      CASE(REQUIRED, "\377\377\377\377\377\377\377\377\377\377\377\377"),
      CASE(ARG_COUNT, "\0"),
      CASE(ARG_COUNT, "\2"),
      CASE(ARG_COUNT, "\377\377\377\377"),
      CASE(ARG_NAME, "\033"),
      CASE(TYPE_NAME, "\a"),
      CASE(KIND, "\5"),
      CASE(KIND, "\3"),              // an image that is neither read nor written
      CASE(KIND, "\3\1\200"),        // of a dimension that there is not
      CASE(KIND, "\3\1\20\4"),       // and of four bytes
      CASE(KIND, "\4"),              // a sampler of eight bytes
      CASE(KIND, "\4\1\0\4\0\0\0"),  // one that is read
      CASE(KIND, "\4\0\20\4\0\0\0"), // one with a dimension
      CASE(ACCESS, "\4"),
      CASE(FLAGS, "\20"),
      CASE(KIND, "\2\0\10"), // local memory that is constant
      CASE(KIND, "\0\1"),    // a value that is read
      CASE(KIND, "\0\0\0\0\0\0\0"),
      CASE(KIND, "\0\0\0\1\0\0\200"),
      CASE(SIZE, "\4"),
      CASE(SIZE, "\0"),
      CASE(ALIGN, "\3"),
      CASE(ALIGN, "\377\377\377\377"),
  };
#undef CASE
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_expect_eq(read_changed(wrong[i].at, wrong[i].bytes, wrong[i].size, true), KILN_ERR_INVALID, "case %zu", i);
  cr_expect_eq(read_changed(ALIGN, "\10", 1, true), KILN_OK);
  cr_expect_eq(read_changed(KIND, "\3\1\160", 3, true), KILN_OK);
  cr_expect_eq(read_changed(KIND, "\4\0\0\4", 4, true), KILN_OK);
}

// Hosts see images and samplers, drivers what launches give for them, whether a pass has been there or not.
Test(reflect, images) {
  static const char *const texts[] = {
      "kiln_ir 1\n"
      "kernel @plain(%n: i32 \"int\") {\n  return\n}\n"
      "kernel @k(%a: image3d.write \"image3d_t\", %s: i32 \"sampler_t\" of sampler, %n: i32 \"int\", "
      "%b: image1d_buffer.read \"image1d_buffer_t\") {\n  return\n}\n",
      "kiln_ir 1\n"
      "kernel @plain(%n: i32 \"int\") {\n  return\n}\n"
      "kernel @k(%a: ptr.global \"image3d_t\" access write restrict of image3d, %s: i32 \"sampler_t\" of sampler, "
      "%n: i32 \"int\", %b: ptr.global \"image1d_buffer_t\" access read const restrict of image1d_buffer, "
      "%q: ptr.constant byval 40 align 8 const of record, %r: ptr.constant byval 40 align 8 const of record) {\n"
      "  return\n}\n"};
  static const enum kiln_arg_kind host[] = {KILN_ARG_IMAGE, KILN_ARG_SAMPLER, KILN_ARG_VALUE, KILN_ARG_IMAGE},
                                  drv[] = {KILN_ARG_BUFFER, KILN_ARG_VALUE, KILN_ARG_VALUE,
                                           KILN_ARG_BUFFER, KILN_ARG_VALUE, KILN_ARG_VALUE};
  static const uint32_t sizes[] = {8, 4, 4, 8, sizeof(struct kiln_image_record), sizeof(struct kiln_image_record)};
  for (int i = 0; i < 2; i++) {
    struct kiln_module *module = parse(texts[i]);
    struct kiln_strbuf a = {0}, b = {0};
    struct kiln_reflection r;
    kiln_reflect_write(module, &a);
    kiln_resources_write(NULL, 2, (struct kiln_str){a.data, a.size}, &b);
    cr_assert_eq(kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, b.size}, &r), KILN_OK);
    cr_assert(r.kernels[1].arg_count == 4 && r.drv_kernels[1].arg_count == 6);
    for (int k = 0; k < 4; k++)
      cr_expect(r.kernels[1].args[k].kind == host[k] && r.kernels[1].args[k].size == sizes[k], "%d %d", i, k);
    for (int k = 0; k < 6; k++)
      cr_expect(r.drv_kernels[1].args[k].kind == drv[k] && r.drv_kernels[1].args[k].size == sizes[k], "%d %d", i, k);
    const struct kiln_arg_info *args = r.kernels[1].args;
    cr_expect(args[0].image == KILN_IMAGE_3D && args[3].image == KILN_IMAGE_1D_BUFFER && args[1].image == 0);
    cr_expect(args[0].access == KILN_ACCESS_WRITE && args[3].access == KILN_ACCESS_READ);
    cr_expect_str_eq(r.drv_kernels[1].args[3].name, "b");
    cr_expect_eq(r.drv_kernels[0].args, r.kernels[0].args); // those without images share theirs
    kiln_reflection_free(&r);
    kiln_strbuf_free(&a);
    kiln_strbuf_free(&b);
    kiln_module_free(module);
  }
}

// A pointer told as a value would have hosts pass numbers for it.
Test(reflect, what_was_not_written_together) {
  for (size_t at = 0; at < END; at++)
    for (int bit = 0; bit < 8; bit++) {
      struct kiln_module *module = parse(one);
      struct kiln_strbuf a = {0};
      kiln_reflect_write(module, &a);
      char byte = (char)(a.data[at] ^ 1 << bit);
      cr_expect_eq(read_changed(at, &byte, 1, false), KILN_ERR_INVALID, "byte %zu, bit %d", at, bit);
      kiln_strbuf_free(&a);
      kiln_module_free(module);
    }
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
  cr_assert(kiln_access_analyse(module, false));
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
  kiln_resources_write(&none, 1, (struct kiln_str){a.data, a.size}, &b);
  cr_assert_eq(kiln_reflect_read((struct kiln_str){a.data, a.size}, (struct kiln_str){b.data, b.size}, &r), KILN_OK);
  cr_assert(r.kernels[0].args[0].is_constant && !r.kernels[0].args[1].is_constant);
  kiln_reflection_free(&r);
  kiln_strbuf_free(&a);
  kiln_strbuf_free(&b);
  kiln_module_free(module);
}
