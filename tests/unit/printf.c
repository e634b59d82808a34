// Formats of the kernels' printf.
#include "backends/common/printf.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <string.h>

struct packed {
  kiln_type types[8];
  uint32_t count;
  size_t size;
  unsigned char bytes[512];
};

static void add(struct packed *packed, kiln_type type, const void *value) {
  packed->types[packed->count++] = type;
  memcpy(packed->bytes + packed->size, value, kiln_type_bytes(type));
  packed->size += (kiln_type_bytes(type) + 7) / 8 * 8;
}
static void add_i32(struct packed *packed, int32_t value) { add(packed, kiln_scalar_type(KILN_I32), &value); }
static void add_i64(struct packed *packed, int64_t value) { add(packed, kiln_scalar_type(KILN_I64), &value); }
static void add_f64(struct packed *packed, double value) { add(packed, kiln_scalar_type(KILN_F64), &value); }

static int cases;

static void check(const char *format, struct packed *packed, int result, const char *expected) {
  struct kiln_printf_call call = {.format = format,
                                  .format_size = strlen(format),
                                  .types = packed->types,
                                  .count = packed->count,
                                  .args = packed->bytes};
  struct kiln_strbuf text = {0};
  cr_expect_eq(kiln_printf_format(&text, &call), result, "result of \"%s\"", format);
  cr_expect_str_eq(text.data ? text.data : "", expected, "\"%s\" gives \"%s\", not \"%s\"", format,
                   text.data ? text.data : "", expected);
  kiln_strbuf_free(&text);
  memset(packed, 0, sizeof *packed);
  cases++;
}

Test(printf, scalars) {
  struct packed p = {0};
  cases = 0;
  check("plain, 100%%\n", &p, 0, "plain, 100%\n");
  add_i32(&p, -5), add_i32(&p, 7), check("%d|%i", &p, 0, "-5|7");
  add_i32(&p, -1), check("%u", &p, 0, "4294967295");
  add_i32(&p, 255), add_i32(&p, 255), add_i32(&p, 8), check("%x %#X %o", &p, 0, "ff 0XFF 10");
  add_i32(&p, 42), add_i32(&p, 42), add_i32(&p, 42), check("%5d|%-5d|%05d", &p, 0, "   42|42   |00042");
  add_i32(&p, 42), add_i32(&p, 42), add_i32(&p, 42), check("%+d|% d|%.4d", &p, 0, "+42| 42|0042");
  add_i32(&p, 6), add_i32(&p, 42), check("%*d", &p, 0, "    42");
  add_i32(&p, -6), add_i32(&p, 42), check("%*d|", &p, 0, "42    |");
  add_i32(&p, 300), add_i32(&p, -1), check("%hhd %hu", &p, 0, "44 65535");
  add_i64(&p, -1), add_i64(&p, 1ll << 40), check("%ld %lx", &p, 0, "-1 10000000000");
  add_i64(&p, 1ll << 40), check("%d", &p, 0, "1099511627776");
  add_f64(&p, 1.5), add_f64(&p, -0.25), check("%f %.2f", &p, 0, "1.500000 -0.25");
  add_f64(&p, 1e10), add_f64(&p, 0.1), add_f64(&p, 1), check("%e %g %a", &p, 0, "1.000000e+10 0.1 0x1p+0");
  add_f64(&p, __builtin_inf()), add_f64(&p, __builtin_nan("")), check("%f %F", &p, 0, "inf NAN");
  add_i32(&p, 'x'), check("<%c>", &p, 0, "<x>");
  float single = 2.5f;
  add(&p, kiln_scalar_type(KILN_F32), &single), check("%g", &p, 0, "2.5");
  const uint16_t halves[] = {0x3c00, 0xc000, 0x7bff, 0x0001};
  for (int i = 0; i < 4; i++)
    add(&p, kiln_scalar_type(KILN_F16), &halves[i]);
  check("%g %g %g %g", &p, 0, "1 -2 65504 5.96046e-08");
  const char *text = "word";
  for (int i = 0; i < 4; i++)
    add(&p, kiln_ptr_type(KILN_CONSTANT), &text);
  check("%s|%6s|%-6s|%.2s", &p, 0, "word|  word|word  |wo");
  cr_expect_eq(cases, 18);
}

Test(printf, vectors) {
  struct packed p = {0};
  cases = 0;
  const float f[4] = {1, 2.5f, -3, 0};
  add(&p, kiln_vec_type(KILN_F32, 4), f), check("%v4hlf", &p, 0, "1.000000,2.500000,-3.000000,0.000000");
  add(&p, kiln_vec_type(KILN_F32, 3), f), add_i32(&p, 9), check("%.1v3hlf %d", &p, 0, "1.0,2.5,-3.0 9");
  const uint8_t bytes[16] = {0, 1, 2, 255, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  add(&p, kiln_vec_type(KILN_I8, 4), bytes), check("%v4hhd", &p, 0, "0,1,2,-1");
  add(&p, kiln_vec_type(KILN_I8, 4), bytes), check("%#v4hhx", &p, 0, "0,0x1,0x2,0xff");
  add(&p, kiln_vec_type(KILN_I8, 16), bytes), check("%v16hhu", &p, 0, "0,1,2,255,4,5,6,7,8,9,10,11,12,13,14,15");
  const int64_t longs[2] = {-1, 2};
  add(&p, kiln_vec_type(KILN_I64, 2), longs), check("%3v2ld", &p, 0, " -1,  2");
  const int16_t shorts[8] = {1, -1, 2, -2, 3, -3, 4, -4};
  add(&p, kiln_vec_type(KILN_I16, 8), shorts), check("%v8hd", &p, 0, "1,-1,2,-2,3,-3,4,-4");
  cr_expect_eq(cases, 7);
}

Test(printf, faults) {
  struct packed p = {0};
  cases = 0;
  check("a%d", &p, -1, "a");
  check("a%", &p, -1, "a");
  add_i32(&p, 1), check("a%yb", &p, -1, "a");
  add_i32(&p, 1), check("%99999999999d", &p, -1, "");
  add_i32(&p, 1), check("%v5d", &p, -1, "");
  add_i32(&p, 1), check("%s", &p, -1, "");
  cr_expect_eq(cases, 6);
}

static const char *bad_string(void *user, uint64_t address, size_t *size) {
  (void)user, (void)address, (void)size;
  return NULL;
}

Test(printf, a_bad_string_is_a_failure) {
  const kiln_type type = kiln_ptr_type(KILN_CONSTANT);
  const uint64_t address = 1234;
  struct kiln_printf_call call = {"%s", 2, &type, 1, &address, bad_string, NULL};
  struct kiln_strbuf text = {0};
  cr_expect_eq(kiln_printf_format(&text, &call), -1);
  kiln_strbuf_free(&text);
}
