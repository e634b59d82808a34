// Operations on images: what they give, and what the interpreter reports. Formats and sampling are those of
// unit/ir_pixel.
#include "tests/unit/interp_test.h"

#define HEAD "kiln_ir 1\nkernel @k(%o: ptr.global, %a: "
#define TAIL "  return\n}\n"
#define OUT(n, type, value) "  %o" #n " = padd %o, " #n ":i64 * 16\n  store %o" #n ", " value ", align " #type "\n"

enum { RGBA = 0x10B5, R = 0x10B0, DEPTH = 0x10BD, UNORM8 = 0x10D2, I32 = 0x10D9, U8 = 0x10DA, FLOAT = 0x10DE };

// 4 x 3 pixels, or 4 x 3 x 2, in rows of 64 and planes of 192 bytes.
static const struct kiln_image_record floats = {4, 3, 2, 2, RGBA, FLOAT, 64, 192};
static const struct kiln_image_record lines = {4, 1, 1, 3, RGBA, FLOAT, 64, 64};
static const struct kiln_image_record depths = {4, 3, 1, 1, DEPTH, FLOAT, 64, 192};
static const struct kiln_image_record integers = {4, 3, 1, 1, R, I32, 64, 192};
static const struct kiln_image_record bytes = {4, 3, 1, 1, RGBA, UNORM8, 64, 192};
static const struct kiln_image_record unsigned_bytes = {4, 3, 1, 1, R, U8, 64, 192};

// Each element of the image holds its number, as a float or an integer.
static enum kiln_status run(struct machine *m, const char *text, const struct kiln_image_record *record, uint64_t items,
                            void *out, void *image) {
  static uint32_t data[96];
  for (uint32_t i = 0; i < 96; i++) {
    float f = (float)i;
    data[i] = i;
    if (record->type == FLOAT)
      memcpy(&data[i], &f, sizeof f);
  }
  struct kiln_drv_memory *memory[] = {machine_buffer(m, 256, NULL), machine_buffer(m, sizeof data, data)};
  struct kiln_drv_arg args[] = {buffer_arg(memory[0]), buffer_arg(memory[1]), value_arg(record, sizeof *record)};
  struct run_desc desc = {.global = {items}, .args = args, .arg_count = 3};
  enum kiln_status status = machine_run(m, text, &desc);
  memcpy(out, m->driver->host_pointer(m->drv, memory[0]), 256);
  if (image)
    memcpy(image, m->driver->host_pointer(m->drv, memory[1]), sizeof data);
  for (int i = 0; i < 2; i++)
    m->driver->free(m->drv, memory[i]);
  return status;
}

Test(interp_images, reads_of_every_kind) {
  struct machine m;
  float out[64];
  int32_t ints[64];
  machine_open(&m);
  cr_assert_eq(
      run(&m,
          HEAD "image3d.read) {\n  %p = image_read %a, 1:i32, 2:i32, 1:i32 : f32x4\n" OUT(
              0, 16,
              "%p") "  %q = image_read.sampled %a, 33:i32, 0.5:f32, 0.5:f32, 0.5:f32 : f32x4\n" OUT(1, 16,
                                                                                                    "%q") "  %h = "
                                                                                                          "image_read "
                                                                                                          "%a, 2:i32, "
                                                                                                          "0:i32, "
                                                                                                          "0:i32 : "
                                                                                                          "f16x4\n"
                                                                                                          "  %w = "
                                                                                                          "ftof.rte %h "
                                                                                                          ": "
                                                                                                          "f32x4\n" OUT(
                                                                                                              2, 16,
                                                                                                              "%w")
                                                                                                              TAIL,
          &floats, 1, out, NULL),
      KILN_OK, "%s", machine_message(&m));
  cr_expect_eq(out[0], 48 + 32 + 4);
  cr_expect_eq(out[3], 48 + 32 + 7);
  cr_expect_eq(out[4], 48 / 2 + 16 + 6); // between pixels 1 and 2 of line 1, and between both planes
  cr_expect_eq(out[9], 9);
  cr_assert_eq(run(&m,
                   HEAD "image1d_array.read) {\n  %p = image_read.sampled %a, 18:i32, 9:i32, 2:i32 : f32x4\n" OUT(
                       0, 16, "%p") "  %q = image_read.sampled %a, 18:i32, 1.5:f32, 0.5:f32 : f32x4\n" OUT(1, 16, "%q")
                       TAIL,
                   &lines, 1, out, NULL),
               KILN_OK, "%s", machine_message(&m));
  cr_expect_eq(out[0], 32 + 12);
  cr_expect_eq(out[4], 4);
  cr_assert_eq(run(&m, HEAD "image2d_depth.read) {\n  %p = image_read %a, 1:i32, 1:i32 : f32\n" OUT(0, 4, "%p") TAIL,
                   &depths, 1, out, NULL),
               KILN_OK, "%s", machine_message(&m));
  cr_expect_eq(out[0], 17);
  cr_assert_eq(run(&m, HEAD "image2d.read) {\n  %p = image_read %a, 3:i32, 1:i32 : i32x4\n" OUT(0, 16, "%p") TAIL,
                   &integers, 1, ints, NULL),
               KILN_OK, "%s", machine_message(&m));
  cr_expect_eq(ints[0], 19);
  cr_expect_eq(ints[3], 1);
  static const struct kiln_image_record *const of_any_sign[] = {&integers, &unsigned_bytes};
  for (int i = 0; i < 2; i++)
    cr_expect_eq(
        run(&m, HEAD "image2d.read) {\n  %p = image_read.any_sign %a, 0:i32, 1:i32 : i32x4\n" OUT(0, 16, "%p") TAIL,
            of_any_sign[i], 1, ints, NULL),
        KILN_OK, "%s", machine_message(&m));
  cr_expect_eq(ints[0], 16);
  machine_close(&m);
}

Test(interp_images, queries_and_writes) {
  struct machine m;
  int32_t out[64];
  float image[96];
  machine_open(&m);
  cr_assert_eq(
      run(&m,
          HEAD "image2d_array.write) {\n  %w = image_query.width %a : i32\n" OUT(
              0, 4,
              "%w") "  %h = image_query.height %a : i32\n" OUT(1, 4,
                                                               "%h") "  %l = image_query.layers %a : "
                                                                     "i32\n" OUT(
                                                                         2, 4,
                                                                         "%l") "  %r = "
                                                                               "image_query.order %a "
                                                                               ": i32\n" OUT(
                                                                                   3, 4,
                                                                                   "%r") "  "
                                                                                         "%t"
                                                                                         " ="
                                                                                         " i"
                                                                                         "ma"
                                                                                         "ge"
                                                                                         "_q"
                                                                                         "ue"
                                                                                         "ry"
                                                                                         ".t"
                                                                                         "yp"
                                                                                         "e "
                                                                                         "%a"
                                                                                         " :"
                                                                                         " i"
                                                                                         "32"
                                                                                         "\n" OUT(
                                                                                             4, 4,
                                                                                             "%t") "  image_write %a, "
                                                                                                   "2:i32, 1:i32, "
                                                                                                   "1:i32, {0.5, 1.5, "
                                                                                                   "2.5, 3.5}:f32x4\n"
                                                                                                   "  image_write %a, "
                                                                                                   "3:i32, 1:i32, "
                                                                                                   "1:i32, {0.25, 1.0, "
                                                                                                   "2.0, "
                                                                                                   "3.0}:f16x4\n" TAIL,
          &floats, 1, out, image),
      KILN_OK, "%s", machine_message(&m));
  cr_expect(out[0] == 4 && out[4] == 3 && out[8] == 2 && out[12] == RGBA && out[16] == FLOAT);
  cr_expect_eq(image[48 + 16 + 8], 0.5f);
  cr_expect_eq(image[48 + 16 + 11], 3.5f);
  cr_expect_eq(image[48 + 16 + 12], 0.25f);
  cr_expect_eq(image[48 + 16 + 7], 48 + 16 + 7);
  machine_close(&m);
}

// Images go through calls as they are.
Test(interp_images, functions_take_images) {
  struct machine m;
  float out[64];
  machine_open(&m);
  cr_assert_eq(run(&m,
                   "kiln_ir 1\nfunc @f(%x: i32, %i: image2d.read) : f32x4 noinline {\n"
                   "  %p = image_read %i, %x, 0:i32 : f32x4\n  return %p\n}\n"
                   "kernel @k(%o: ptr.global, %a: image2d.read) {\n  %p = call @f(3:i32, %a) : f32x4\n" OUT(0, 16, "%p")
                       TAIL,
                   &floats, 1, out, NULL),
               KILN_OK, "%s", machine_message(&m));
  cr_expect_eq(out[0], 12);
  machine_close(&m);
}

static const struct {
  const char *text;
  const struct kiln_image_record *record;
  uint64_t items;
  const char *message;
} faults[] = {
    {"image2d.read) {\n  %p = image_read %a, 4:i32, 1:i32 : f32x4\n" OUT(0, 16, "%p"), &floats, 1,
     "reads the pixel at (4, 1) of image 'a', which has 4 x 3 pixels"},
    {"image2d_array.write) {\n  image_write %a, 0:i32, 0:i32, -1:i32, {0.0, 0.0, 0.0, 0.0}:f32x4\n", &floats, 1,
     "writes the pixel at (0, 0, -1) of image 'a', which has 4 x 3 pixels in 2 layers"},
    {"image2d.read) {\n  %p = image_read.sampled %a, 16:i32, 0.0:f32, -0.5:f32 : f32x4\n" OUT(0, 16, "%p"), &floats, 1,
     "reads the pixel at (0, -1) of image 'a'"},
    {"image2d.read) {\n  %p = image_read.sampled %a, 34:i32, 0:i32, 0:i32 : f32x4\n" OUT(0, 16, "%p"), &floats, 1,
     "reads image 'a' at integer coordinates with a sampler that filters"},
    {"image2d.read) {\n  %p = image_read.sampled %a, 19:i32, 0:i32, 0:i32 : f32x4\n" OUT(0, 16, "%p"), &floats, 1,
     "with a sampler that takes normalised ones"},
    {"image2d.read) {\n  %p = image_read %a, 0:i32, 0:i32 : i32x4\n" OUT(0, 16, "%p"), &bytes, 1,
     "reads signed integers of image 'a', whose format is rgba:unorm8"},
    {"image2d.read) {\n  %p = image_read %a, 0:i32, 0:i32 : i32x4\n" OUT(0, 16, "%p"), &unsigned_bytes, 1,
     "reads signed integers of image 'a', whose format is r:u8"},
    {"image2d.read) {\n  %p = image_read.unsigned %a, 0:i32, 0:i32 : i32x4\n" OUT(0, 16, "%p"), &integers, 1,
     "reads unsigned integers of image 'a', whose format is r:i32"},
    {"image2d.read) {\n  %p = image_read.any_sign %a, 0:i32, 0:i32 : i32x4\n" OUT(0, 16, "%p"), &bytes, 1,
     "reads integers of image 'a', whose format is rgba:unorm8"},
    {"image2d.write) {\n  image_write %a, 0:i32, 0:i32, {0.0, 0.0, 0.0, 0.0}:f32x4\n", &integers, 1,
     "writes floats to image 'a', whose format is r:i32"},
    {"image2d.read) {\n  %v = var 4, align 4 : ptr.private\n  %x = load %v, align 4 : i32\n"
     "  %p = image_read %a, %x, 0:i32 : f32x4\n" OUT(0, 16, "%p"),
     &floats, 1, "uses image 'a' with a value that was never initialised"},
    {"image2d.read_write) {\n  %g = global_id 0 : i64\n  %x = trunc %g : i32\n  %q = stof.rte %x : f32\n"
     "  %p = splat %q : f32x4\n  image_write %a, 1:i32, 0:i32, %p\n",
     &floats, 2, "'a'"},
    {"image2d.read_write) {\n  %g = global_id 0 : i64\n  %x = trunc %g : i32\n  %y = iadd %x, 1:i32\n"
     "  %p = image_read %a, %y, 0:i32 : f32x4\n  image_write %a, %x, 0:i32, %p\n",
     &floats, 2, "'a'"},
};

Test(interp_images, faults_are_reported) {
  struct machine m;
  char text[1000];
  float out[64];
  machine_open(&m);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    snprintf(text, sizeof text, "%s%s%s", HEAD, faults[i].text, TAIL);
    cr_expect_eq(run(&m, text, faults[i].record, faults[i].items, out, NULL), KILN_ERR_DEVICE, "%s", faults[i].message);
    cr_expect(strstr(machine_message(&m), faults[i].message), "%s: %s", faults[i].message, machine_message(&m));
  }
  machine_close(&m);
}
