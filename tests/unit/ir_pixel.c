// What the bytes of pixels mean, and which pixels samplers read, against the formulas of OpenCL C's section 8 worked
// out by hand or in C.
#include "kiln/pixel.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static union kiln_pixel load1(enum kiln_channel_type type, uint32_t bits) {
  return kiln_pixel_load((struct kiln_image_format){KILN_ORDER_R, type}, &bits);
}

static uint32_t store1(enum kiln_channel_type type, union kiln_pixel pixel) {
  uint32_t bits = 0;
  kiln_pixel_store((struct kiln_image_format){KILN_ORDER_R, type}, &bits, &pixel);
  return bits;
}

static uint32_t store_float(enum kiln_channel_type type, float value) {
  return store1(type, (union kiln_pixel){.f = {value}});
}

static uint32_t store_int(enum kiln_channel_type type, int32_t value) {
  return store1(type, (union kiln_pixel){.i = {value}});
}

// Within 1.5 ulp of the quotient, as the specification asks; 0, 1 and -1 exactly.
static bool is_quotient(float value, int number, int most) {
  double exact = (double)number / most;
  return number == 0 || abs(number) == most ? value == (float)exact
                                            : fabs(value - exact) <= 1.5 * ldexp(1, ilogb(exact) - 23);
}

Test(ir_pixel, normalised_channels) {
  for (uint32_t k = 0; k < 256; k++) {
    cr_assert(is_quotient(load1(KILN_CHANNEL_UNORM8, k).f[0], (int)k, 255));
    cr_assert(store_float(KILN_CHANNEL_UNORM8, (float)k / 255.0f) == k);
    int number = (int8_t)k;
    cr_assert(is_quotient(load1(KILN_CHANNEL_SNORM8, k).f[0], number == -128 ? -127 : number, 127));
  }
  for (uint32_t k = 0; k < 65536; k++) {
    cr_assert(is_quotient(load1(KILN_CHANNEL_UNORM16, k).f[0], (int)k, 65535));
    cr_assert(store_float(KILN_CHANNEL_UNORM16, (float)k / 65535.0f) == k);
    int number = (int16_t)k;
    cr_assert(is_quotient(load1(KILN_CHANNEL_SNORM16, k).f[0], number == -32768 ? -32767 : number, 32767));
  }
  cr_assert(store_float(KILN_CHANNEL_UNORM8, 0.5f) == 128); // 127.5 to the even neighbour
  cr_assert(store_float(KILN_CHANNEL_UNORM8, 2) == 255 && store_float(KILN_CHANNEL_UNORM8, -1) == 0);
  cr_assert(store_float(KILN_CHANNEL_UNORM8, NAN) == 0 && store_float(KILN_CHANNEL_SNORM16, NAN) == 0);
  cr_assert(store_float(KILN_CHANNEL_SNORM8, -2) == 0x80 && store_float(KILN_CHANNEL_SNORM8, -1) == 0x81);
  cr_assert(store_float(KILN_CHANNEL_SNORM16, 7) == 0x7fff);
}

Test(ir_pixel, halves) {
  for (uint32_t k = 0; k < 65536; k++) {
    float value = load1(KILN_CHANNEL_F16, k).f[0];
    uint32_t exponent = k >> 10 & 31, fraction = k & 1023;
    cr_assert((exponent == 31 && fraction) == (bool)isnan(value));
    if (isnan(value))
      continue;
    cr_assert(store_float(KILN_CHANNEL_F16, value) == k);
    if (exponent == 31)
      continue;
    double unit = exponent ? ldexp(1, (int)exponent - 25) : ldexp(1, -24);
    cr_assert((double)fabsf(value) == unit * (exponent ? 1024 + fraction : fraction));
    // Half of the way to the next one goes to the even one of the two, and a little less or more to the nearer one.
    float middle = value + (k >> 15 ? -0.5f : 0.5f) * (float)unit;
    cr_assert(store_float(KILN_CHANNEL_F16, middle) == k + (k & 1));
    cr_assert(store_float(KILN_CHANNEL_F16, nextafterf(middle, 0)) == k);
    cr_assert(store_float(KILN_CHANNEL_F16, nextafterf(middle, value < 0 || k >> 15 ? -INFINITY : INFINITY)) == k + 1);
  }
}

Test(ir_pixel, integers_saturate) {
  cr_assert(load1(KILN_CHANNEL_I8, 0xfe).i[0] == -2 && load1(KILN_CHANNEL_U8, 0xfe).u[0] == 254);
  cr_assert(load1(KILN_CHANNEL_I16, 0x8000).i[0] == -32768 && load1(KILN_CHANNEL_I8, 1).u[3] == 1);
  cr_assert(store_int(KILN_CHANNEL_I8, 200) == 127 && store_int(KILN_CHANNEL_I8, -200) == 0x80);
  cr_assert(store_int(KILN_CHANNEL_I16, 40000) == 32767 && store_int(KILN_CHANNEL_I32, -5) == (uint32_t)-5);
  cr_assert(store_int(KILN_CHANNEL_U8, 256) == 255 && store_int(KILN_CHANNEL_U16, -1) == 65535);
  cr_assert(store_int(KILN_CHANNEL_U32, -1) == UINT32_MAX);
}

Test(ir_pixel, orders) {
  static const struct {
    enum kiln_channel_order order;
    unsigned char bytes[4]; // of 255 / 51 = 5 steps: x is 1/5, y 2/5, z 3/5, w 4/5
    float loaded[4];        // fifths
  } cases[] = {
      {KILN_ORDER_R, {51}, {1, 0, 0, 5}},
      {KILN_ORDER_A, {204}, {0, 0, 0, 4}},
      {KILN_ORDER_RG, {51, 102}, {1, 2, 0, 5}},
      {KILN_ORDER_RA, {51, 204}, {1, 0, 0, 4}},
      {KILN_ORDER_RGBA, {51, 102, 153, 204}, {1, 2, 3, 4}},
      {KILN_ORDER_BGRA, {153, 102, 51, 204}, {1, 2, 3, 4}},
      {KILN_ORDER_ARGB, {204, 51, 102, 153}, {1, 2, 3, 4}},
      {KILN_ORDER_ABGR, {204, 153, 102, 51}, {1, 2, 3, 4}},
      {KILN_ORDER_INTENSITY, {51}, {1, 1, 1, 1}},
      {KILN_ORDER_LUMINANCE, {51}, {1, 1, 1, 5}},
  };
  union kiln_pixel pixel = {.f = {0.2f, 0.4f, 0.6f, 0.8f}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_image_format format = {cases[i].order, KILN_CHANNEL_UNORM8};
    unsigned char bytes[8] = {0};
    kiln_pixel_store(format, bytes, &pixel);
    cr_assert(memcmp(bytes, cases[i].bytes, 4) == 0 && bytes[4] == 0, "order %zu", i);
    union kiln_pixel loaded = kiln_pixel_load(format, bytes);
    for (int c = 0; c < 4; c++)
      cr_assert(loaded.f[c] == cases[i].loaded[c] * 51 * (1 / 255.0f), "order %zu, component %d", i, c);
  }
}

Test(ir_pixel, packed_and_srgb) {
  union kiln_pixel pixel = {.f = {1, 0.5f, 0, 0.25f}};
  unsigned char bytes[4] = {0};
  struct kiln_image_format format = {KILN_ORDER_RGB, KILN_CHANNEL_UNORM565};
  kiln_pixel_store(format, bytes, &pixel);
  cr_assert(bytes[0] == 0x00 && bytes[1] == 0xfc); // 31, 32 (31.5 to even), 0
  union kiln_pixel loaded = kiln_pixel_load(format, bytes);
  cr_assert(loaded.f[0] == 1 && loaded.f[1] == 32 / 63.0f && loaded.f[2] == 0 && loaded.f[3] == 1);
  format.type = KILN_CHANNEL_UNORM101010;
  kiln_pixel_store(format, bytes, &pixel);
  uint32_t all;
  memcpy(&all, bytes, 4);
  cr_assert(all == (1023u << 20 | 512u << 10));
  cr_assert(kiln_pixel_bytes(format) == 4);
  unsigned char grey[4] = {188, 0, 255, 128};
  loaded = kiln_pixel_load((struct kiln_image_format){KILN_ORDER_SBGRA, KILN_CHANNEL_UNORM8}, grey);
  cr_assert(fabsf(loaded.f[2] - 0.502886f) < 1e-5f && loaded.f[0] == 1 && loaded.f[3] == 128 * (1 / 255.0f));
}

static float row[4] = {10, 20, 40, 80};

static struct kiln_pixels row_image(void) {
  return (struct kiln_pixels){.format = {KILN_ORDER_R, KILN_CHANNEL_F32},
                              .base = (const unsigned char *)row,
                              .size = {4, 1, 1},
                              .pitch = {4, 16, 16},
                              .dims = 1};
}

Test(ir_pixel, samplers) {
  enum { N = KILN_SAMPLER_NORMALIZED, E = KILN_SAMPLER_CLAMP_TO_EDGE, C = KILN_SAMPLER_CLAMP };
  enum { R = KILN_SAMPLER_REPEAT, M = KILN_SAMPLER_MIRRORED_REPEAT, L = KILN_SAMPLER_LINEAR };
  static const struct {
    uint32_t sampler;
    float at, value;
    bool inside;
  } cases[] = {
      {0, 2.9f, 40, true},       {0, -0.1f, 0, false},      {E, -7, 10, true},         {E, 9, 80, true},
      {C, 4, 0, false},          {N | E, 0.5f, 40, true},   {N | R, -1e-9f, 10, true}, {N | R, 1.25f, 20, true},
      {N | R, -0.25f, 80, true}, {N | M, 1.125f, 80, true}, {N | M, -0.3f, 20, true},  {E | L, 1, 15, true},
      {E | L, 2.25f, 35, true},  {E | L, 0, 10, true},      {C | L, 0, 5, false},      {C | L, 4, 40, false},
      {N | R | L, 0, 45, true},  {N | R | L, 1, 45, true},  {N | M | L, 1, 80, true},  {N | E | L, 0.5f, 30, true},
      {E, NAN, 10, true},        {E, INFINITY, 80, true},
  };
  struct kiln_pixels image = row_image();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool inside;
    union kiln_pixel got = kiln_pixels_sample(&image, cases[i].sampler, &cases[i].at, &inside);
    cr_assert(got.f[0] == cases[i].value && inside == cases[i].inside, "case %zu: %g", i, (double)got.f[0]);
  }
}

Test(ir_pixel, layers_and_integer_coordinates) {
  struct kiln_pixels image = row_image();
  image.size[0] = 2;
  image.layers = 2;
  image.layer_pitch = 8;
  static const struct {
    float layer, value;
  } cases[] = {{-3, 10}, {0.5f, 10}, {0.75f, 40}, {1.5f, 40}, {9, 40}}; // to nearest even, then clamped
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool inside;
    float at[2] = {0, cases[i].layer};
    cr_assert(kiln_pixels_sample(&image, KILN_SAMPLER_CLAMP_TO_EDGE, at, &inside).f[0] == cases[i].value, "%zu", i);
    int32_t fetched[2] = {5, (int32_t)rintf(cases[i].layer)};
    float value = kiln_pixels_fetch(&image, KILN_SAMPLER_CLAMP_TO_EDGE, fetched, &inside).f[0];
    cr_assert(value == cases[i].value * 2 && inside, "%zu", i);
    cr_assert(kiln_pixels_fetch(&image, KILN_SAMPLER_CLAMP, fetched, &inside).f[3] == 1 && !inside, "a border");
  }
}

Test(ir_pixel, planes) {
  unsigned char bytes[2][3][8]; // two planes of three rows of two pixels, with gaps
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 8; x++)
        bytes[z][y][x] = (unsigned char)(z * 100 + y * 10 + x);
  struct kiln_pixels image = {.format = {KILN_ORDER_RG, KILN_CHANNEL_U8},
                              .base = &bytes[0][0][0],
                              .size = {2, 3, 2},
                              .pitch = {2, 8, 24},
                              .dims = 3};
  union kiln_pixel pixel = kiln_pixels_at(&image, (int32_t[]){1, 2, 1});
  cr_assert(pixel.u[0] == 122 && pixel.u[1] == 123 && pixel.u[2] == 0 && pixel.u[3] == 1);
}

Test(ir_pixel, borders) {
  unsigned char bytes[4] = {255, 255, 255, 255};
  struct kiln_pixels image = {.base = bytes, .size = {1, 1, 1}, .pitch = {4, 4, 4}, .dims = 2};
  bool inside;
  for (int order = 0; order <= KILN_ORDER_SBGRA; order++) {
    image.format = (struct kiln_image_format){order, KILN_CHANNEL_UNORM8};
    bool transparent = order != KILN_ORDER_R && order != KILN_ORDER_RG && order != KILN_ORDER_RGB &&
                       order != KILN_ORDER_LUMINANCE && order != KILN_ORDER_DEPTH;
    union kiln_pixel pixel = kiln_pixels_fetch(&image, KILN_SAMPLER_CLAMP, (int32_t[]){0, -1}, &inside);
    cr_assert(pixel.f[0] == 0 && pixel.f[1] == 0 && pixel.f[2] == 0 && pixel.f[3] == (transparent ? 0 : 1), "%d",
              order);
  }
}

Test(ir_pixel, formats) {
  unsigned count = 0;
  for (int order = 0; order <= KILN_ORDER_SBGRA; order++)
    for (int type = 0; type <= KILN_CHANNEL_F32; type++)
      count += kiln_pixel_is_format((struct kiln_image_format){order, type});
  // four orders of 12 types, three of 6, three of 4, RGB of 3, DEPTH of 2, two of sRGB
  cr_assert(count == 4 * 12 + 3 * 6 + 3 * 4 + 3 + 2 + 2);
  char text[24];
  struct kiln_image_format longest = {KILN_ORDER_LUMINANCE, KILN_CHANNEL_UNORM16};
  kiln_pixel_format_text(longest, text, sizeof text);
  cr_assert(strcmp(text, "luminance:unorm16") == 0 && kiln_pixel_bytes(longest) == 2);
}

Test(ir_pixel, numbers_of_formats) {
  struct kiln_image_format format = {KILN_ORDER_R, KILN_CHANNEL_F32}, all = {0}, none;
  cr_assert(kiln_pixel_order_number(format) == 0x10B0 && kiln_pixel_type_number(format) == 0x10DE);
  unsigned count = 0;
  for (int32_t order = 0x10A0; order < 0x10E0; order++)
    for (int32_t type = 0x10C0; type < 0x10F0; type++)
      if (kiln_pixel_format_of(order, type, &all)) {
        cr_expect(kiln_pixel_order_number(all) == order && kiln_pixel_type_number(all) == type);
        count++;
      }
  cr_expect_eq(count, 85);
  // There is no pixel of 24 bits, and no order or type beyond the last one.
  cr_expect(!kiln_pixel_format_of(0x10B4, 0x10D2, &none));
  cr_expect(!kiln_pixel_is_format((struct kiln_image_format){KILN_ORDER_SBGRA + 1, KILN_CHANNEL_UNORM8}));
  cr_expect(!kiln_pixel_is_format((struct kiln_image_format){KILN_ORDER_R, KILN_CHANNEL_F32 + 1}));
  char text[24];
  kiln_pixel_format_text((struct kiln_image_format){KILN_ORDER_SBGRA + 1, KILN_CHANNEL_UNORM8}, text, sizeof text);
  cr_expect_str_eq(text, "no format");
}

// What is stored is what a load of it gives, of every byte of sRGB.
Test(ir_pixel, srgb_is_stored) {
  for (int byte = 0; byte < 256; byte++) {
    unsigned char in[4] = {(unsigned char)byte, 0, 255, (unsigned char)byte}, out[4];
    struct kiln_image_format format = {KILN_ORDER_SRGBA, KILN_CHANNEL_UNORM8};
    union kiln_pixel pixel = kiln_pixel_load(format, in);
    kiln_pixel_store(format, out, &pixel);
    cr_expect_eq(memcmp(in, out, 4), 0, "%d", byte);
  }
}
