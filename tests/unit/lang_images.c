// What the front end adds to a module for targets whose backend takes no operations on images: the library functions
// that jit/pass/images.c will look for, of those that kernels reach.
#include <criterion/criterion.h>
#include <string.h>

#include "jit/ir/images.h"
#include "jit/lang/lang.h"
#include "kiln/kiln.h"

static const char source[] =
    "float4 helper(read_only image2d_t image, int2 at) { return read_imagef(image, 16, at); }\n"
    "float4 not_called(read_only image2d_t image, float2 at) { return read_imagef(image, 16, at); }\n"
    "kernel void k(read_only image2d_t in, write_only image2d_t out) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(out, at, helper(in, at) + read_imagef(in, at));\n"
    "}\n"
    "kernel void l(read_write image1d_array_t a, image2d_array_depth_t d, image3d_t v, sampler_t s) {\n"
    "  int4 x = read_imagei(a, (int2)(0));\n"
    "  uint4 y = read_imageui(v, s, (float4)(0.5f));\n"
    "  write_imageui(a, (int2)(get_image_width(d)), as_uint4(x) + y);\n"
    "}\n";

static struct kiln_module *compile_for(const char *text, const struct kiln_lang_options *options) {
  struct kiln_lang_input input = {.source = text, .size = strlen(text), .name = "images.cl", .options = *options};
  struct kiln_lang_output out;
  enum kiln_status status = kiln_lang_compile(&input, &out);
  cr_assert_eq(status, KILN_OK, "%s", out.log ? out.log : "");
  char message[512];
  cr_assert(kiln_module_verify(out.module, message, sizeof message), "%s", message);
  kiln_lang_output_free(&out);
  return out.module;
}

static struct kiln_module *compile(const char *text, bool library, bool is_object) {
  struct kiln_lang_options options = {
      .std = 200, .fp16 = true, .fp64 = true, .images = true, .image_library = library, .is_object = is_object};
  return compile_for(text, &options);
}

static const struct kiln_function *find(const struct kiln_module *module, const char *name) {
  const struct kiln_function *found = NULL;
  for (uint32_t i = 0; i < module->function_count; i++)
    if (strcmp(module->functions[i]->name, name) == 0) {
      cr_assert_null(found, "%s is there twice", name);
      found = module->functions[i];
    }
  return found;
}

static unsigned count_library(const struct kiln_module *module) {
  unsigned count = 0;
  for (uint32_t i = 0; i < module->function_count; i++)
    count += kiln_is_image_library(module->functions[i]->name);
  return count;
}

// Every operation has its function, which is inlined and not for others.
static void check_operations(const struct kiln_module *module, unsigned at_least) {
  unsigned operations = 0;
  for (uint32_t i = 0; i < module->function_count; i++) {
    const struct kiln_function *fn = module->functions[i];
    for (kiln_value id = 1; id < fn->inst_count; id++) {
      char name[KILN_IMAGE_LIBRARY_NAME_SIZE];
      if (!kiln_image_library_name(fn, id, name, sizeof name))
        continue;
      const struct kiln_function *library = find(module, name);
      cr_assert_not_null(library, "%s is not there", name);
      cr_expect(library->always_inline && !library->is_exported && !library->is_declared && !library->is_kernel);
      operations++;
    }
  }
  cr_expect_geq(operations, at_least);
}

Test(lang_images, library_of_what_is_reached) {
  struct kiln_module *module = compile(source, true, false);
  check_operations(module, 6);
  cr_expect_not_null(find(module, "__kiln_image_read_f_i"));
  cr_expect_null(find(module, "__kiln_image_read_f_f"), "only a function that is not called needs it");
  kiln_module_free(module);
}

Test(lang_images, no_library_where_operations_are_taken) {
  struct kiln_module *module = compile(source, false, false);
  cr_expect_eq(count_library(module), 0);
  kiln_module_free(module);
}

Test(lang_images, no_library_without_images) {
  struct kiln_module *module = compile("kernel void k(global float4 *o, sampler_t s) { o[0] = 1; }", true, false);
  cr_expect_eq(count_library(module), 0);
  kiln_module_free(module);
}

Test(lang_images, parts_share_the_library) {
  struct kiln_module *one =
      compile("kernel void k(image1d_t a, global float4 *o) { o[0] = read_imagef(a, 1); }", true, true);
  struct kiln_module *two =
      compile("kernel void l(image1d_t a, global float4 *o) { o[1] = read_imagef(a, 2); }", true, true);
  char *texts[2];
  cr_assert_eq(kiln_module_print(one, &texts[0]), KILN_OK);
  cr_assert_eq(kiln_module_print(two, &texts[1]), KILN_OK);
  struct kiln_strbuf text = {0};
  kiln_strbuf_printf(&text, "%s%s", texts[0], texts[1]);
  struct kiln_module *all;
  cr_assert_eq(kiln_module_parse(text.data, text.size, "all", &all), KILN_OK, "%s", kiln_last_error());
  check_operations(all, 2);
  kiln_strbuf_free(&text);
  kiln_free(texts[0]);
  kiln_free(texts[1]);
  kiln_module_free(one);
  kiln_module_free(two);
  kiln_module_free(all);
}

// Instructions of all functions.
static uint32_t size_of(const struct kiln_module *module) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < module->function_count; i++)
    count += module->functions[i]->inst_count;
  return count;
}

// Where formats are known the library has no code for others: no table of sRGB, where no image has that.
Test(lang_images, library_for_known_formats) {
  static const char read[] = "kernel void k(image2d_t a, global float4 *o) { o[0] = read_imagef(a, (int2)(1)); }";
  struct kiln_lang_options options = {.std = 200, .images = true, .image_library = true};
  struct kiln_module *any = compile_for(read, &options);
  options.image_formats = KILN_IMAGES_GENERIC;
  struct kiln_module *generic = compile_for(read, &options);
  options.image_formats = "r:f32";
  struct kiln_module *one = compile_for(read, &options);
  options.image_formats = "srgba:unorm8";
  struct kiln_module *srgba = compile_for(read, &options);
  cr_expect_eq(size_of(generic), size_of(any));
  cr_expect_lt(2 * size_of(one), size_of(any), "%u of %u", (unsigned)size_of(one), (unsigned)size_of(any));
  cr_expect_lt(size_of(srgba), size_of(any));
  cr_expect_eq(one->global_count, 0, "%u globals", (unsigned)one->global_count);
  cr_expect_eq(srgba->global_count, 1);
  kiln_module_free(any);
  kiln_module_free(generic);
  kiln_module_free(one);
  kiln_module_free(srgba);
}

// Where debuggers see variables, parameters move into some; images cannot.
Test(lang_images, debugging) {
  struct kiln_lang_options options = {
      .std = 200, .fp16 = true, .fp64 = true, .images = true, .image_library = true, .describe_variables = true};
  kiln_module_free(compile_for(source, &options));
}

// Objects have functions with images, and samplers, for others.
Test(lang_images, objects) {
  struct kiln_module *module = compile("constant sampler_t shared = CLK_FILTER_LINEAR;\n"
                                       "const sampler_t shared_too = 18;\n"
                                       "extern constant sampler_t elsewhere;\n"
                                       "float4 declared(image2d_t image, sampler_t sampler);\n"
                                       "float4 fetch(image2d_t image) {\n"
                                       "  return read_imagef(image, shared, (int2)(1)) + declared(image, elsewhere);\n"
                                       "}\n",
                                       true, true);
  uint32_t word, count = 0;
  for (uint32_t i = 0; i < module->global_count; i++) {
    const struct kiln_global *global = &module->globals[i];
    if (kiln_is_image_library(global->name))
      continue;
    count++;
    cr_expect_eq(global->size, 4, "%s", global->name);
    if (global->is_extern)
      continue;
    memcpy(&word, global->init, sizeof word);
    cr_expect_eq(word, strcmp(global->name, "shared") == 0 ? 32 : 18, "%s is %u", global->name, (unsigned)word);
  }
  cr_expect_eq(count, 3);
  check_operations(module, 1);
  kiln_module_free(module);
}
