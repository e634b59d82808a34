// Functions that the printed text needs beyond the built-in ones: division that is total, lanes by number, atomics on
// floats, half on devices that only store it. Each is written once, when first asked for.
#include "backends/opencl/print/print.h"

struct cl_helper_set {
  KILN_VEC(const char *) names;
  struct kiln_strbuf text;
};

static bool add_name(struct cl_printer *p, const char *name) {
  if (!p->helpers)
    p->helpers = KILN_NEW(&p->arena, struct cl_helper_set);
  for (uint32_t i = 0; i < p->helpers->names.count; i++)
    if (strcmp(p->helpers->names.items[i], name) == 0)
      return false;
  KILN_VEC_PUSH(&p->arena, &p->helpers->names, name);
  return true;
}

__attribute__((format(printf, 2, 3))) static void add(struct cl_printer *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&p->helpers->text, format, args);
  va_end(args);
}

void kiln_cl_helper_line(struct cl_printer *p, const char *format, ...) {
  if (!p->helpers)
    p->helpers = KILN_NEW(&p->arena, struct cl_helper_set);
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&p->helpers->text, format, args);
  va_end(args);
}

static const char *division(struct cl_printer *p, bool is_div, kiln_type type, enum cl_sign sign) {
  const char *t = kiln_cl_type_name(p, type, sign), *m = kiln_cl_type_name(p, type, CL_SIGNED);
  const char *name = kiln_cl_format(p, "kiln_%s_%s", is_div ? "div" : "rem", t);
  if (!add_name(p, name))
    return name;
  bool is_signed = sign == CL_SIGNED, vector = kiln_type_lanes(type) > 1;
  add(p, "// a %s b; 0 where b is 0%s\n", is_div ? "/" : "%", is_signed ? ", wraps where it would overflow" : "");
  add(p, "%s %s(%s a, %s b) {\n", t, name, t, t);
  kiln_type element = kiln_type_element(type);
  uint64_t lowest = (uint64_t)1 << (kiln_kind_bits(kiln_type_kind(element)) - 1);
  const char *min = kiln_cl_scalar_constant(p, element, lowest, CL_SIGNED).s;
  if (!vector) {
    add(p, "  bool bad = b == 0");
    if (is_signed)
      add(p, " || (b == -1 && a == %s)", min);
    add(p, ";\n  %s d = bad ? (%s)1 : b;\n", t, t);
    if (is_div)
      add(p, "  return b == 0 ? (%s)0 : (%s)(a / d);\n}\n\n", t, t);
    else
      add(p, "  return (%s)(a %% d);\n}\n\n", t);
    return name;
  }
  add(p, "  %s zero = b == (%s)0;\n", m, t);
  if (is_signed)
    add(p, "  %s bad = zero | ((b == (%s)-1) & (a == (%s)(%s)));\n", m, t, t, min);
  add(p, "  %s d = select(b, (%s)1, %s);\n", t, t, is_signed ? "bad" : "zero");
  if (is_div)
    add(p, "  return select(a / d, (%s)0, zero);\n}\n\n", t);
  else
    add(p, "  return a %% d;\n}\n\n");
  return name;
}

static const char *lane_access(struct cl_printer *p, bool insert, kiln_type type, enum cl_sign sign) {
  const char *t = kiln_cl_type_name(p, type, sign), *e = kiln_cl_type_name(p, kiln_type_element(type), sign);
  const char *name = kiln_cl_format(p, "kiln_%s_%s", insert ? "insert" : "extract", t);
  if (!add_name(p, name))
    return name;
  unsigned lanes = kiln_type_lanes(type);
  if (insert)
    add(p, "%s %s(%s v, %s x, ulong i) {\n  i %%= %u;\n", t, name, t, e, lanes);
  else
    add(p, "%s %s(%s v, ulong i) {\n  i %%= %u;\n  %s x = v.s0;\n", e, name, t, lanes, e);
  for (unsigned i = !insert; i < lanes; i++)
    add(p, insert ? "  v.s%x = i == %u ? x : v.s%x;\n" : "  x = i == %2$u ? v.s%1$x : x;\n", i, i, i);
  add(p, "  return %s;\n}\n\n", insert ? "v" : "x");
  return name;
}

static const char *float_atomic(struct cl_printer *p, kiln_type type, uint32_t detail) {
  static const char *const spaces[] = {"private", "global", "constant", "local", ""};
  const char *space = spaces[detail >> 8], *t = kiln_cl_type_name(p, type, CL_ANY);
  unsigned rmw = detail & 0xff;
  const char *what = rmw == KILN_RMW_FADD ? "add" : rmw == KILN_RMW_FMIN ? "fmin" : "fmax";
  const char *name = kiln_cl_format(p, "kiln_atomic_%s_%s_%s", what, space, t);
  if (!add_name(p, name))
    return name;
  bool wide = kiln_type_kind(type) == KILN_F64;
  const char *u = wide ? "ulong" : "uint";
  const char *next =
      rmw == KILN_RMW_FADD ? kiln_cl_format(p, "as_%s(seen) + x", t) : kiln_cl_format(p, "%s(as_%s(seen), x)", what, t);
  add(p,
      "%s %s(volatile %s %s *p, %s x) {\n"
      "  %s old = *p, seen;\n"
      "  do {\n"
      "    seen = old;\n"
      "    old = %s_cmpxchg(p, seen, as_%s(%s));\n"
      "  } while (old != seen);\n"
      "  return as_%s(old);\n"
      "}\n\n",
      t, name, space, u, t, u, wide ? "atom" : "atomic", u, next, t);
  return name;
}

static const char *half_to_float(struct cl_printer *p, kiln_type type) {
  unsigned lanes = kiln_type_lanes(type);
  const char *name = kiln_cl_format(p, lanes == 1 ? "kiln_half_to_float" : "kiln_half_to_float%u", lanes);
  if (!add_name(p, name))
    return name;
  if (lanes == 1)
    add(p, "float %s(ushort h) { return vload_half(0, (private const half *)&h); }\n\n", name);
  else
    add(p,
        "float%u %s(ushort%u h) {\n  ushort s[%u];\n  vstore%u(h, 0, s);\n"
        "  return vload_half%u(0, (private const half *)s);\n}\n\n",
        lanes, name, lanes, lanes, lanes, lanes);
  return name;
}

static const char *float_to_half(struct cl_printer *p, kiln_type type, bool from_double, uint32_t round) {
  static const char *const suffixes[] = {"rte", "rtz", "rtp", "rtn"};
  unsigned lanes = kiln_type_lanes(type);
  const char *source = from_double ? "double" : "float", *suffix = suffixes[round & 3];
  const char *name = kiln_cl_format(p, "kiln_%s_to_half_%s", source, suffix);
  if (lanes > 1)
    name = kiln_cl_format(p, "%s%u", name, lanes);
  if (!add_name(p, name))
    return name;
  if (lanes == 1)
    add(p, "ushort %s(%s x) {\n  ushort h;\n  vstore_half_%s(x, 0, (private half *)&h);\n  return h;\n}\n\n", name,
        source, suffix);
  else
    add(p,
        "ushort%u %s(%s%u x) {\n  ushort s[%u];\n  vstore_half%u_%s(x, 0, (private half *)s);\n"
        "  return vload%u(0, s);\n}\n\n",
        lanes, name, source, lanes, lanes, lanes, suffix, lanes);
  return name;
}

// On the bits of half: the ones that follow are those of the next number.
static const char *half_nextafter(struct cl_printer *p, kiln_type type) {
  unsigned lanes = kiln_type_lanes(type);
  const char *name = kiln_cl_format(p, lanes == 1 ? "kiln_half_nextafter" : "kiln_half_nextafter%u", lanes);
  if (add_name(p, "kiln_half_nextafter"))
    add(p, "%s",
        "ushort kiln_half_nextafter(ushort x, ushort y) {\n"
        "  int a = x & 0x7fff, b = y & 0x7fff;\n"
        "  if (a > 0x7c00 || b > 0x7c00)\n    return 0x7e00;\n"
        "  a = x & 0x8000 ? -a : a;\n  b = y & 0x8000 ? -b : b;\n"
        "  if (a == b)\n    return y;\n"
        "  int next = a < b ? a + 1 : a - 1;\n"
        "  return next < 0 || (next == 0 && a < 0) ? (ushort)(0x8000 | -next) : (ushort)next;\n}\n\n");
  if (lanes == 1 || !add_name(p, name))
    return name;
  add(p, "ushort%u %s(ushort%u x, ushort%u y) {\n  return (ushort%u)(", lanes, name, lanes, lanes, lanes);
  for (unsigned i = 0; i < lanes; i++)
    add(p, "%skiln_half_nextafter(x.s%x, y.s%x)", i ? ", " : "", i, i);
  add(p, ");\n}\n\n");
  return name;
}

static const char *by_lane(struct cl_printer *p, kiln_type type, const char *function) {
  const char *t = kiln_cl_type_name(p, type, CL_ANY), *name = kiln_cl_format(p, "kiln_%s_%s", function, t);
  if (!add_name(p, name))
    return name;
  add(p, "%s %s(%s x) {\n  return (%s)(", t, name, t, t);
  for (unsigned i = 0; i < kiln_type_lanes(type); i++)
    add(p, "%s%s(x.s%x)", i ? ", " : "", function, i);
  add(p, ");\n}\n\n");
  return name;
}

// By the extension's function where the compiler has it. There the signs are of the first and the second operand, too.
static const char *dot4(struct cl_printer *p, kiln_type type, uint32_t signs) {
  static const char *const words[] = {"uu", "su", "us", "ss"}, *const of_bytes[] = {"uchar4", "char4"};
  const char *word = words[signs & 3], *one = kiln_cl_format(p, "kiln_dot4_%s", word);
  if (add_name(p, one)) {
    const char *bytes = "(as_%s(x).s%d * as_%s(y).s%d)", *sum = "s";
    for (int i = 0; i < 4; i++) {
      const char *product = kiln_cl_format(p, bytes, of_bytes[signs & 1], i, of_bytes[signs >> 1 & 1], i);
      sum = kiln_cl_format(p, "%s + (uint)%s", sum, product);
    }
    add(p,
        "uint %s(uint x, uint y, uint s) {\n"
        "#ifdef __opencl_c_integer_dot_product_input_4x8bit_packed\n"
        "  return s + (uint)dot_4x8packed_%s_%s(x, y);\n"
        "#else\n"
        "  return %s;\n"
        "#endif\n}\n\n",
        one, word, signs ? "int" : "uint", sum);
  }
  unsigned lanes = kiln_type_lanes(type);
  const char *name = lanes == 1 ? one : kiln_cl_format(p, "%s_%u", one, lanes);
  if (lanes == 1 || !add_name(p, name))
    return name;
  add(p, "uint%u %s(uint%u x, uint%u y, uint%u s) {\n  return (uint%u)(", lanes, name, lanes, lanes, lanes, lanes);
  for (unsigned i = 0; i < lanes; i++)
    add(p, "%s%s(x.s%x, y.s%x, s.s%x)", i ? ", " : "", one, i, i, i);
  add(p, ");\n}\n\n");
  return name;
}

static const char *no_nan(struct cl_printer *p, kiln_type type) {
  const char *t = kiln_cl_type_name(p, type, CL_ANY), *name = kiln_cl_format(p, "kiln_no_nan_%s", t);
  if (add_name(p, name))
    add(p, "%s %s(%s x) { return x == x ? x : (%s)(0); }\n\n", t, name, t, t);
  return name;
}

const char *kiln_cl_helper(struct cl_printer *p, enum cl_helper_kind kind, kiln_type type, enum cl_sign sign,
                           uint32_t detail) {
  switch (kind) {
  case CL_HELPER_DIV:
  case CL_HELPER_REM:
    return division(p, kind == CL_HELPER_DIV, type, sign);
  case CL_HELPER_EXTRACT:
  case CL_HELPER_INSERT:
    return lane_access(p, kind == CL_HELPER_INSERT, type, sign);
  case CL_HELPER_FLOAT_ATOMIC:
    return float_atomic(p, type, detail);
  case CL_HELPER_HALF_TO_FLOAT:
    return half_to_float(p, type);
  case CL_HELPER_FLOAT_TO_HALF:
    return float_to_half(p, type, sign == CL_SIGNED, detail);
  case CL_HELPER_HALF_NEXTAFTER:
    return half_nextafter(p, type);
  case CL_HELPER_NO_NAN:
    return no_nan(p, type);
  case CL_HELPER_DOT4:
    return dot4(p, type, detail);
  case CL_HELPER_BY_LANE:
    return by_lane(p, type, kiln_op_table[detail].name);
  }
  return "";
}

const char *kiln_cl_alias_type(struct cl_printer *p, const char *name) {
  const char *alias = kiln_cl_format(p, "kiln_any_%s", name);
  if (add_name(p, alias))
    add(p, "typedef %s %s __attribute__((may_alias));\n\n", name, alias);
  return alias;
}

const char *kiln_cl_struct_type(struct cl_printer *p, kiln_type element, uint32_t bytes, uint32_t align) {
  const char *type = kiln_cl_type_name(p, element, CL_UNSIGNED);
  const char *name = kiln_cl_format(p, "kiln_struct_%s_%u_%u", type, bytes, align);
  if (add_name(p, name))
    add(p, "typedef struct {\n  %s data[%u];\n} __attribute__((aligned(%u))) %s;\n\n", type,
        bytes / kiln_type_bytes(element), align ? align : 1, name);
  return name;
}

void kiln_cl_write_helpers(struct cl_printer *p, struct kiln_strbuf *out) {
  if (!p->helpers)
    return;
  if (p->helpers->text.data)
    kiln_strbuf_puts(out, p->helpers->text.data);
  out->failed |= p->helpers->text.failed;
}

void kiln_cl_free_helpers(struct cl_printer *p) {
  if (p->helpers)
    kiln_strbuf_free(&p->helpers->text);
}
