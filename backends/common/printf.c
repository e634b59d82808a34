// The formatter: each conversion becomes one or, for vectors, several conversions of the C library.
#include "backends/common/printf.h"

#include <stdio.h>
#include <string.h>

#include "base/floats.h"

#define MAX_WIDTH 9999 // of a field; also the highest precision

struct conversion {
  bool minus, plus, space, alternate, zero;
  int width, precision; // -1: none
  unsigned lanes;       // 0: no vector
  unsigned bits;        // that the length modifier asks for; 0: none
  char letter;
};

struct cursor {
  const char *at, *end;
  const struct kiln_printf_call *call;
  uint32_t arg;
  size_t offset; // of the next argument
};

static bool at_digit(const struct cursor *c) { return c->at < c->end && *c->at >= '0' && *c->at <= '9'; }

static bool take(struct cursor *c, char letter) {
  if (c->at >= c->end || *c->at != letter)
    return false;
  c->at++;
  return true;
}

// -1 when it is too large.
static int take_number(struct cursor *c) {
  int number = 0;
  while (at_digit(c)) {
    number = number * 10 + (*c->at++ - '0');
    if (number > MAX_WIDTH)
      return -1;
  }
  return number;
}

// The next argument: its type and where it lies.
static const unsigned char *next_arg(struct cursor *c, kiln_type *type) {
  if (c->arg >= c->call->count)
    return NULL;
  *type = c->call->types[c->arg++];
  const unsigned char *at = (const unsigned char *)c->call->args + c->offset;
  c->offset += (kiln_type_bytes(*type) + 7) / 8 * 8;
  return at;
}

static uint64_t lane_bits(kiln_type type, const unsigned char *at, unsigned lane) {
  unsigned size = kiln_kind_bits(kiln_type_kind(type)) / 8;
  uint64_t bits = 0;
  memcpy(&bits, at + (size_t)lane * size, size); // little-endian, as every host that Kiln runs on
  return bits;
}

static double half_value(uint64_t bits) {
  int exponent = (int)(bits >> 10 & 31);
  double mantissa = (double)(bits & 1023), value;
  if (exponent == 31)
    value = mantissa != 0 ? __builtin_nan("") : __builtin_inf();
  else if (exponent == 0)
    value = mantissa / (1 << 24);
  else
    value = (1024 + mantissa) * (exponent >= 25 ? (double)(1 << (exponent - 25)) : 1.0 / (1 << (25 - exponent)));
  return bits & 0x8000 ? -value : value;
}

static double float_value(kiln_type type, uint64_t bits) {
  enum kiln_kind kind = kiln_type_kind(type);
  if (kind == KILN_F64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (kind == KILN_F32) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  if (kind == KILN_F16)
    return half_value(bits);
  return (double)(int64_t)bits;
}

// The value as the length modifier wants it. bits: of the argument's element.
static uint64_t int_value(const struct conversion *conversion, kiln_type type, uint64_t value, bool is_signed) {
  if (kiln_kind_is_float(kiln_type_kind(type))) {
    double number = float_value(type, value);
    return number > -9.2e18 && number < 9.2e18 ? (uint64_t)(int64_t)number : 0;
  }
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  if (conversion->bits && conversion->bits < bits)
    bits = conversion->bits;
  unsigned shift = bits < 64 ? 64 - bits : 0;
  return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static void make_c_format(const struct conversion *conversion, const char *length, char out[40]) {
  size_t n = 0;
  out[n++] = '%';
  if (conversion->minus)
    out[n++] = '-';
  if (conversion->plus)
    out[n++] = '+';
  if (conversion->space)
    out[n++] = ' ';
  if (conversion->alternate)
    out[n++] = '#';
  if (conversion->zero)
    out[n++] = '0';
  if (conversion->width >= 0)
    n += (size_t)snprintf(out + n, 8, "%d", conversion->width);
  if (conversion->precision >= 0)
    n += (size_t)snprintf(out + n, 8, ".%d", conversion->precision);
  snprintf(out + n, 5, "%s%c", length, conversion->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // make_c_format wrote it
static void print_lane(struct kiln_strbuf *out, const struct conversion *conversion, kiln_type type, uint64_t bits) {
  char format[40];
  switch (conversion->letter) {
  case 'd':
  case 'i':
    make_c_format(conversion, "ll", format);
    kiln_strbuf_printf(out, format, (long long)int_value(conversion, type, bits, true));
    break;
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    make_c_format(conversion, "ll", format);
    kiln_strbuf_printf(out, format, (unsigned long long)int_value(conversion, type, bits, false));
    break;
  case 'c':
    make_c_format(conversion, "", format);
    kiln_strbuf_printf(out, format, (int)(unsigned char)bits);
    break;
  case 'p':
    make_c_format(conversion, "", format);
    kiln_strbuf_printf(out, format, (void *)(uintptr_t)bits);
    break;
  default: // a letter, not a kind of ours: parse_conversion lets only floating-point ones through
    make_c_format(conversion, "", format);
    kiln_strbuf_printf(out, format, float_value(type, bits));
    break;
  }
}

static bool print_string(struct kiln_strbuf *out, const struct conversion *conversion,
                         const struct kiln_printf_call *call, uint64_t address) {
  size_t size = 0;
  const char *text = "(null)";
  if (address && call->string) {
    text = call->string(call->user, address, &size);
    if (!text)
      return false;
    size = strnlen(text, size);
  } else {
    text = address ? (const char *)(uintptr_t)address : text;
    size = strlen(text);
  }
  if (conversion->precision >= 0 && (size_t)conversion->precision < size)
    size = (size_t)conversion->precision;
  int pad = conversion->width > (int)size ? conversion->width - (int)size : 0;
  if (!conversion->minus)
    kiln_strbuf_printf(out, "%*s", pad, "");
  kiln_strbuf_append(out, text, size);
  if (conversion->minus)
    kiln_strbuf_printf(out, "%*s", pad, "");
  return true;
}
#pragma GCC diagnostic pop

// A width or precision: digits, or '*' and an argument.
static bool take_field(struct cursor *c, int *out, bool *negative) {
  if (!take(c, '*')) {
    *out = take_number(c);
    return *out >= 0;
  }
  kiln_type type;
  const unsigned char *at = next_arg(c, &type);
  if (!at || !kiln_kind_is_int(kiln_type_kind(type)))
    return false;
  struct conversion plain = {0};
  int64_t value = (int64_t)int_value(&plain, type, lane_bits(type, at, 0), true);
  *negative = value < 0;
  if (value < -MAX_WIDTH || value > MAX_WIDTH)
    return false;
  *out = (int)(value < 0 ? -value : value);
  return true;
}

static bool take_flag(struct cursor *c, struct conversion *conversion) {
  if (take(c, '-'))
    conversion->minus = true;
  else if (take(c, '+'))
    conversion->plus = true;
  else if (take(c, ' '))
    conversion->space = true;
  else if (take(c, '#'))
    conversion->alternate = true;
  else if (take(c, '0'))
    conversion->zero = true;
  else
    return false;
  return true;
}

// What follows a '%'.
static bool parse_conversion(struct cursor *c, struct conversion *conversion) {
  *conversion = (struct conversion){.width = -1, .precision = -1};
  bool negative = false;
  while (take_flag(c, conversion)) {
  }
  if (at_digit(c) || (c->at < c->end && *c->at == '*')) {
    if (!take_field(c, &conversion->width, &negative))
      return false;
    conversion->minus |= negative;
  }
  if (take(c, '.')) {
    negative = false;
    if (!take_field(c, &conversion->precision, &negative))
      return false;
    if (negative)
      conversion->precision = -1;
  }
  if (take(c, 'v')) {
    int lanes = take_number(c);
    if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
      return false;
    conversion->lanes = (unsigned)lanes;
  }
  if (take(c, 'h'))
    conversion->bits = take(c, 'h') ? 8 : take(c, 'l') ? 32 : 16;
  else if (take(c, 'l'))
    conversion->bits = 64;
  if (c->at >= c->end || !strchr("diouxXfFeEgGaAcsp", *c->at) || !*c->at)
    return false;
  conversion->letter = *c->at++;
  return true;
}

static bool print_conversion(struct kiln_strbuf *out, struct cursor *c) {
  struct conversion conversion;
  if (!parse_conversion(c, &conversion))
    return false;
  kiln_type type;
  const unsigned char *at = next_arg(c, &type);
  if (!at || kiln_type_bytes(type) == 0)
    return false;
  if (conversion.letter == 's')
    return kiln_type_kind(type) == KILN_PTR && print_string(out, &conversion, c->call, lane_bits(type, at, 0));
  unsigned lanes = conversion.lanes ? conversion.lanes : 1;
  for (unsigned lane = 0; lane < lanes && lane < kiln_type_lanes(type); lane++) {
    if (lane)
      kiln_strbuf_putc(out, ',');
    print_lane(out, &conversion, type, lane_bits(type, at, lane));
  }
  return lanes <= kiln_type_lanes(type);
}

static int format(struct kiln_strbuf *out, const struct kiln_printf_call *call) {
  struct cursor c = {call->format, call->format + strnlen(call->format, call->format_size), call, 0, 0};
  while (c.at < c.end) {
    const char *percent = memchr(c.at, '%', (size_t)(c.end - c.at));
    if (!percent)
      percent = c.end;
    kiln_strbuf_append(out, c.at, (size_t)(percent - c.at));
    c.at = percent;
    if (!take(&c, '%'))
      break;
    if (take(&c, '%'))
      kiln_strbuf_putc(out, '%');
    else if (!print_conversion(out, &c))
      return -1;
  }
  return 0;
}

int kiln_printf_format(struct kiln_strbuf *out, const struct kiln_printf_call *call) {
  struct kiln_floats floats = kiln_floats_enter();
  int result = format(out, call);
  kiln_floats_leave(floats);
  return result;
}

uint64_t kiln_printf_args_bytes(const struct kiln_printf_call *call) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < call->count; i++)
    bytes += (kiln_type_bytes(call->types[i]) + 7) / 8 * 8;
  return bytes;
}

bool kiln_printf_put(const struct kiln_driver_config *config, struct kiln_strbuf *text) {
  bool ok = !text->failed;
  struct kiln_floats floats = kiln_floats_enter();
  if (ok && text->size)
    config->print(config->print_user, text->data, text->size);
  kiln_floats_leave(floats);
  kiln_strbuf_free(text);
  return ok;
}
