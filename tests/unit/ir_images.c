// The names of the functions that take the place of operations on images.
#include <criterion/criterion.h>
#include <string.h>

#include "jit/ir/images.h"

static const char text[] =
    "kiln_ir 1\n"
    "kernel @k(%a: image1d.read, %b: image1d_buffer.read_write, %c: image1d_array.read_write, %d: image2d.read_write,\n"
    "          %e: image2d_array.read_write, %f: image3d.read_write, %g: image2d_depth.read_write,\n"
    "          %h: image2d_array_depth.read_write, %s: i32) {\n"
    "  %0 = image_read.sampled %a, %s, 1.5:f32 : f32x4\n"
    "  %1 = image_read.sampled %a, %s, 1:i32 : f16x4\n"
    "  %2 = image_read.unsigned %b, 1:i32 : i32x4\n"
    "  %3 = image_read %c, 1:i32, 1:i32 : i32x4\n"
    "  %4 = image_read.sampled %d, %s, 1.5:f32, 1.5:f32 : i32x4\n"
    "  %5 = image_read %e, 1:i32, 1:i32, 1:i32 : f32x4\n"
    "  %6 = image_read %f, 1:i32, 1:i32, 1:i32 : f32x4\n"
    "  %7 = image_read %g, 1:i32, 1:i32 : f32\n"
    "  %8 = image_read.sampled %h, %s, 1.5:f32, 1.5:f32, 1.5:f32 : f32\n"
    "  image_write %b, 1:i32, %5\n"
    "  image_write.unsigned %c, 1:i32, 1:i32, %3\n"
    "  image_write %f, 1:i32, 1:i32, 1:i32, %1\n"
    "  image_write %h, 1:i32, 1:i32, 1:i32, %7\n"
    "  %9 = image_query.width %a : i32\n"
    "  return\n"
    "}\n";

Test(ir_images, names) {
  static const char *const expected[] = {
      "__kiln_image_read_f_f", "__kiln_image_read_f_i", "__kiln_image_read_i_i", "__kiln_image_read_i_i",
      "__kiln_image_read_i_f", "__kiln_image_read_f_i", "__kiln_image_read_f_i", "__kiln_image_read_f_i",
      "__kiln_image_read_f_f", "__kiln_image_write_f",  "__kiln_image_write_i",  "__kiln_image_write_f",
      "__kiln_image_write_f",
  };
  struct kiln_module *module;
  cr_assert_eq(kiln_module_parse(text, strlen(text), "images", &module), KILN_OK);
  const struct kiln_function *fn = module->functions[0];
  uint32_t found = 0, queries = 0;
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    char name[KILN_IMAGE_LIBRARY_NAME_SIZE];
    bool has_name = kiln_image_library_name(fn, id, name, sizeof name);
    cr_assert_eq(has_name, name[0] != 0);
    queries += fn->insts[id].op == KILN_OP_IMAGE_QUERY && !has_name;
    if (!has_name)
      continue;
    cr_assert_lt(found, sizeof expected / sizeof *expected);
    cr_expect_str_eq(name, expected[found]);
    found++;
  }
  cr_expect_eq(found, sizeof expected / sizeof *expected);
  cr_expect_eq(queries, 1);
  kiln_module_free(module);
}

Test(ir_images, numbers) {
  cr_expect_eq(kiln_image_numbers(NULL), 0);
  cr_expect_eq(kiln_image_numbers(KILN_IMAGES_GENERIC), 0);
  cr_expect_eq(kiln_image_numbers("r:f32"), 1ull | 1ull << (0x10de - 0x10b0));
  cr_expect_eq(kiln_image_numbers("0x12,r:f32:large,0x14,rg:f32"), 5ull | 1ull << (0x10de - 0x10b0),
               "CLK_RG is 0x10b2");
}
