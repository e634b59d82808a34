// The built-in functions of OpenCL C 1.2, sections 6.12.1 to 6.12.13, as the specification lists them: each for every
// type and number of components that it names, compiled, and its result of exactly the type that it says. The list is
// the specification's, written without a look at builtins.def.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "jit/lang/lang.h"

// Codes of types: g the generic type, s its element, i intn, u the unsigned integer of g's size, k the signed one, r
// the result of a relational function, w twice as wide, a absolute value's; n int, U uint, z size_t, f float, v void, e
// event_t. A pointer: *, then its address space (G L C P, or A: each of global, local, private; B: global and local;
// E: each of all four), then the type. "c" before a type behind a pointer: const.
struct entry {
  const char *section, *names, *signature, *types, *lanes;
};

#define FLOATS "half float double"
#define INTS "char uchar short ushort int uint long ulong"
#define ALL INTS " " FLOATS
#define ANY "1 2 3 4 8 16"
#define VECTOR "2 3 4 8 16"

static const struct entry list[] = {
    {"6.12.1", "get_work_dim", "U", "int", "1"},
    {"6.12.1",
     "get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset", "zU",
     "int", "1"},
    {"6.12.2",
     "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 "
     "fabs "
     "floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc",
     "gg", FLOATS, ANY},
    {"6.12.2", "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder", "ggg",
     FLOATS, ANY},
    {"6.12.2", "fmax fmin", "ggs", "float double half", VECTOR},
    {"6.12.2", "fma mad", "gggg", FLOATS, ANY},
    {"6.12.2", "fract modf sincos", "gg*Ag", FLOATS, ANY},
    {"6.12.2", "frexp lgamma_r", "gg*Ai", FLOATS, ANY},
    {"6.12.2", "ilogb", "ig", FLOATS, ANY},
    {"6.12.2", "ldexp pown rootn", "ggi", FLOATS, ANY},
    {"6.12.2", "ldexp", "ggn", FLOATS, VECTOR},
    {"6.12.2", "nan", "gu", FLOATS, ANY},
    {"6.12.2", "remquo", "ggg*Ai", FLOATS, ANY},
    {"6.12.2",
     "half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt "
     "half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip "
     "native_rsqrt native_sin native_sqrt native_tan",
     "gg", "float", ANY},
    {"6.12.2", "half_divide half_powr native_divide native_powr", "ggg", "float", ANY},
    {"6.12.3", "abs", "ag", INTS, ANY},
    {"6.12.3", "abs_diff", "agg", INTS, ANY},
    {"6.12.3", "add_sat hadd rhadd max min mul_hi rotate sub_sat", "ggg", INTS, ANY},
    {"6.12.3", "clamp mad_hi mad_sat", "gggg", INTS, ANY},
    {"6.12.3", "max min", "ggs", INTS, VECTOR},
    {"6.12.3", "clamp", "ggss", INTS, VECTOR},
    {"6.12.3", "clz popcount", "gg", INTS, ANY},
    {"6.12.3", "upsample", "wgu", "char uchar short ushort int uint", ANY},
    {"6.12.3", "mad24", "gggg", "int uint", ANY},
    {"6.12.3", "mul24", "ggg", "int uint", ANY},
    {"6.12.4", "clamp mix smoothstep", "gggg", FLOATS, ANY},
    {"6.12.4", "clamp", "ggss", FLOATS, VECTOR},
    {"6.12.4", "mix", "gggs", FLOATS, VECTOR},
    {"6.12.4", "smoothstep", "gssg", FLOATS, VECTOR},
    {"6.12.4", "degrees radians sign", "gg", FLOATS, ANY},
    {"6.12.4", "max min step", "ggg", FLOATS, ANY},
    {"6.12.4", "max min", "ggs", FLOATS, VECTOR},
    {"6.12.4", "step", "gsg", FLOATS, VECTOR},
    {"6.12.5", "cross", "ggg", FLOATS, "3 4"},
    {"6.12.5", "dot distance", "sgg", FLOATS, "1 2 3 4"},
    {"6.12.5", "length", "sg", FLOATS, "1 2 3 4"},
    {"6.12.5", "normalize", "gg", FLOATS, "1 2 3 4"},
    {"6.12.5", "fast_distance", "sgg", "float", "1 2 3 4"},
    {"6.12.5", "fast_length", "sg", "float", "1 2 3 4"},
    {"6.12.5", "fast_normalize", "gg", "float", "1 2 3 4"},
    {"6.12.6", "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered",
     "rgg", FLOATS, ANY},
    {"6.12.6", "isfinite isinf isnan isnormal signbit", "rg", FLOATS, ANY},
    {"6.12.6", "any all", "ng", "char short int long", ANY},
    {"6.12.6", "bitselect", "gggg", ALL, ANY},
    {"6.12.6", "select", "gggk", ALL, ANY},
    {"6.12.6", "select", "gggu", ALL, ANY},
    {"6.12.7", "vload2", "gz*Ecs", ALL, "2"},
    {"6.12.7", "vload3", "gz*Ecs", ALL, "3"},
    {"6.12.7", "vload4", "gz*Ecs", ALL, "4"},
    {"6.12.7", "vload8", "gz*Ecs", ALL, "8"},
    {"6.12.7", "vload16", "gz*Ecs", ALL, "16"},
    {"6.12.7", "vstore2", "vgz*As", ALL, "2"},
    {"6.12.7", "vstore3", "vgz*As", ALL, "3"},
    {"6.12.7", "vstore4", "vgz*As", ALL, "4"},
    {"6.12.7", "vstore8", "vgz*As", ALL, "8"},
    {"6.12.7", "vstore16", "vgz*As", ALL, "16"},
    {"6.12.7", "vload_half", "gz*Ech", "float", "1"},
    {"6.12.7", "vload_half2 vloada_half2", "gz*Ech", "float", "2"},
    {"6.12.7", "vload_half3 vloada_half3", "gz*Ech", "float", "3"},
    {"6.12.7", "vload_half4 vloada_half4", "gz*Ech", "float", "4"},
    {"6.12.7", "vload_half8 vloada_half8", "gz*Ech", "float", "8"},
    {"6.12.7", "vload_half16 vloada_half16", "gz*Ech", "float", "16"},
#define STORES(n) "vstore_half" n " vstore_half" n "_rte vstore_half" n "_rtz vstore_half" n "_rtp vstore_half" n "_rtn"
#define STORES_A(n)                                                                                                    \
  STORES(n)                                                                                                            \
  " vstorea_half" n " vstorea_half" n "_rte vstorea_half" n "_rtz vstorea_half" n "_rtp vstorea_half" n "_rtn"
    {"6.12.7", STORES(""), "vgz*Ah", "float double", "1"},
    {"6.12.7", STORES_A("2"), "vgz*Ah", "float double", "2"},
    {"6.12.7", STORES_A("3"), "vgz*Ah", "float double", "3"},
    {"6.12.7", STORES_A("4"), "vgz*Ah", "float double", "4"},
    {"6.12.7", STORES_A("8"), "vgz*Ah", "float double", "8"},
    {"6.12.7", STORES_A("16"), "vgz*Ah", "float double", "16"},
    {"6.12.8", "barrier", "vU", "int", "1"},
    {"6.12.9", "mem_fence read_mem_fence write_mem_fence", "vU", "int", "1"},
    {"6.12.10", "async_work_group_copy", "e*Lg*Gcgze", ALL, ANY},
    {"6.12.10", "async_work_group_copy", "e*Gg*Lcgze", ALL, ANY},
    {"6.12.10", "async_work_group_strided_copy", "e*Lg*Gcgzze", ALL, ANY},
    {"6.12.10", "async_work_group_strided_copy", "e*Gg*Lcgzze", ALL, ANY},
    {"6.12.10", "wait_group_events", "vn*Pe", "int", "1"},
    {"6.12.10", "prefetch", "v*Gcgz", ALL, ANY},
    {"6.12.11", "atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor", "g*Bgg",
     "int uint", "1"},
    {"6.12.11", "atomic_xchg", "g*Bgg", "float", "1"},
    {"6.12.11", "atomic_inc atomic_dec", "g*Bg", "int uint", "1"},
    {"6.12.11", "atomic_cmpxchg", "g*Bggg", "int uint", "1"},
    {"extensions", "atom_add atom_sub atom_xchg atom_min atom_max atom_and atom_or atom_xor", "g*Bgg",
     "int uint long ulong", "1"},
    {"extensions", "atom_inc atom_dec", "g*Bg", "int uint long ulong", "1"},
    {"extensions", "atom_cmpxchg", "g*Bggg", "int uint long ulong", "1"},
};

// The kernel that holds the calls of one function.
static char source[1 << 20];
static size_t used;

static void put(const char *format, const char *a, const char *b) {
  used += (size_t)snprintf(source + used, sizeof source - used, format, a, b);
  cr_assert(used < sizeof source);
}

static void type_name(char code, const char *element, unsigned n, char *out, size_t size) {
  static const char *const integers[] = {"char", "short", "int", "long"};
  bool is_unsigned = element[0] == 'u';
  const char *base = element + is_unsigned;
  unsigned width = !strcmp(base, "char")                             ? 0
                   : !strcmp(base, "short") || !strcmp(base, "half") ? 1
                   : !strcmp(base, "int") || !strcmp(base, "float")  ? 2
                                                                     : 3;
  const char *plain = code == 'n'   ? "int"
                      : code == 'U' ? "uint"
                      : code == 'z' ? "size_t"
                      : code == 'v' ? "void"
                      : code == 'e' ? "event_t"
                      : code == 'h' ? "half"
                                    : NULL;
  const char *name = element, *sign = "";
  if (plain) {
    snprintf(out, size, "%s", plain);
    return;
  }
  if (code == 'i' || (code == 'r' && n == 1))
    name = "int";
  else if (code == 'u' || code == 'k' || code == 'r' || code == 'a')
    name = integers[width], sign = code == 'u' || code == 'a' ? "u" : "";
  else if (code == 'w')
    name = integers[width + 1], sign = is_unsigned ? "u" : "";
  if (n > 1 && code != 's')
    snprintf(out, size, "%s%s%u", sign, name, n);
  else
    snprintf(out, size, "%s%s", sign, name);
}

// One call: arguments are variables of just the type, so that the overload must be there itself; space: of pointers.
static void put_call(const char *name, const struct entry *e, const char *element, unsigned n, char space) {
  char type[32], result[32], args[256] = "", arg[16];
  const char *s = e->signature;
  type_name(*s++, element, n, result, sizeof result);
  put("  {\n", "", "");
  for (unsigned i = 0; *s; i++) {
    bool is_pointer = *s == '*';
    char where = is_pointer ? s[1] : 0;
    s += is_pointer ? 2 : 0;
    bool is_const = is_pointer && *s == 'c';
    s += is_const;
    type_name(*s++, element, n, type, sizeof type);
    snprintf(arg, sizeof arg, "a%u", i);
    if (is_pointer) {
      where = where == 'A' || where == 'B' || where == 'E' ? space : where;
      put("    %s %s",
          where == 'G'   ? "global"
          : where == 'L' ? "local"
          : where == 'C' ? "constant"
                         : "private",
          is_const ? "const " : "");
      put("%s *%s = 0;\n", type, arg);
    } else {
      put("    %s %s = 0;\n", type, arg);
    }
    snprintf(args + strlen(args), sizeof args - strlen(args), "%s%s", i ? ", " : "", arg);
  }
  if (!strcmp(result, "void"))
    put("    %s(%s);\n  }\n", name, args);
  else {
    put("    __typeof__(%s(%s)) r;\n", name, args);
    put("    r = %s(%s);\n", name, args);
    put("    %s *p = &r;\n    (void)p;\n  }\n", result, "");
  }
}

static unsigned put_overloads(const char *name, const struct entry *e) {
  char types[128], lanes[64];
  const char *pointer = strpbrk(e->signature, "ABE");
  const char *spaces = !pointer || pointer[-1] != '*' ? "P" : *pointer == 'A' ? "GLP" : *pointer == 'B' ? "GL" : "GLPC";
  unsigned count = 0;
  snprintf(types, sizeof types, "%s", e->types);
  for (char *save, *t = strtok_r(types, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
    snprintf(lanes, sizeof lanes, "%s", e->lanes);
    for (char *save2, *l = strtok_r(lanes, " ", &save2); l; l = strtok_r(NULL, " ", &save2))
      for (const char *space = spaces; *space; space++, count++)
        put_call(name, e, t, (unsigned)atoi(l), *space);
  }
  return count;
}

static void begin(void) {
  used = 0;
  put("kernel void k(void) {\n", "", "");
}

static void compile(const char *section, const char *name) {
  put("}\n", "", "");
  struct kiln_lang_options options = {
      .std = 120, .fp16 = true, .fp64 = true, .int64_atomics = true, .warnings.errors = true};
  struct kiln_lang_input input = {.source = source, .size = used, .name = "list.cl", .options = options};
  struct kiln_lang_output output;
  enum kiln_status status = kiln_lang_compile(&input, &output);
  cr_assert(status == KILN_OK, "%s, %s: %s", section, name, output.log ? output.log : "");
  kiln_module_free(output.module);
  kiln_lang_output_free(&output);
}

Test(functions, every_overload_of_the_specification) {
  unsigned overloads = 0, names = 0;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s", list[i].names);
    for (char *save, *name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save), names++) {
      begin();
      overloads += put_overloads(name, &list[i]);
      compile(list[i].section, name);
    }
  }
  cr_assert(names == 278 && overloads == 4587, "%u names, %u overloads", names, overloads);
}

static const char *const elements[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                       "long", "ulong", "half",  "float",  "double"};
static const unsigned element_bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
static const unsigned lane_counts[] = {1, 2, 3, 4, 8, 16};
enum { ELEMENTS = 11, LANES = 6 };

static void vector_name(unsigned element, unsigned n, char *out) { type_name('g', elements[element], n, out, 32); }

Test(functions, every_conversion) { // 6.2.3
  static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  char from[32], to[32], name[64];
  unsigned count = 0;
  for (unsigned t = 0; t < ELEMENTS; t++) {
    begin();
    for (unsigned f = 0; f < ELEMENTS; f++) {
      for (unsigned l = 0; l < LANES; l++) {
        vector_name(f, lane_counts[l], from);
        vector_name(t, lane_counts[l], to);
        put("  {\n    %s a = 0;\n    %s r;\n", from, to);
        for (unsigned m = 0; m < 10; m++) {
          if (m >= 5 && t >= 8) // saturation is of integers
            break;
          snprintf(name, sizeof name, "convert_%s%s%s", to, m >= 5 ? "_sat" : "", modes[m % 5]);
          put("    r = %s(a);\n    { __typeof__(%s(a)) q = r; r = q; }\n", name, name);
          count++;
        }
        put("    %s *p = &r;\n    (void)p;\n  }\n", to, "");
      }
    }
    compile("6.2.3", elements[t]);
  }
  cr_assert(count == 8 * 11 * 6 * 10 + 3 * 11 * 6 * 5, "%u conversions", count);
}

Test(functions, every_reinterpretation) { // 6.2.4
  char from[32], to[32];
  unsigned count = 0;
  for (unsigned t = 0; t < ELEMENTS; t++) {
    begin();
    for (unsigned f = 0; f < ELEMENTS; f++)
      for (unsigned l = 0; l < LANES; l++)
        for (unsigned m = 0; m < LANES; m++) {
          unsigned x = lane_counts[l], y = lane_counts[m]; // three lanes take the room of four
          if (element_bytes[f] * (x == 3 ? 4 : x) != element_bytes[t] * (y == 3 ? 4 : y) || (x == 3 && y == 1))
            continue;
          vector_name(f, x, from);
          vector_name(t, y, to);
          put("  {\n    %s a = 0;\n    __typeof__(as_%s(a)) r = ", from, to);
          put("as_%s(a);\n    %s *p = &r;\n    (void)p;\n  }\n", to, to);
          count++;
        }
    compile("6.2.4", elements[t]);
  }
  cr_assert(count == 695, "%u reinterpretations", count);
}

Test(functions, every_shuffle) { // 6.12.12
  static const char *const masks[] = {"uchar", "uchar", "ushort", "ushort", "uint", "uint",
                                      "ulong", "ulong", "ushort", "uint",   "ulong"};
  char from[32], to[32], mask[32];
  unsigned count = 0;
  for (unsigned t = 0; t < ELEMENTS; t++) {
    begin();
    for (unsigned m = 2; m <= 16; m *= 2)
      for (unsigned n = 2; n <= 16; n *= 2, count += 2) {
        vector_name(t, m, from);
        vector_name(t, n, to);
        type_name('g', masks[t], n, mask, sizeof mask);
        put("  {\n    %s a = 0, b = 1;\n    %s mask = 1;\n", from, mask);
        put("    __typeof__(shuffle(a, mask)) r = shuffle(a, mask);\n    %s *p = &r;\n    (void)p;\n", to, "");
        put("    __typeof__(shuffle2(a, b, mask)) s = shuffle2(a, b, mask);\n    %s *q = &s;\n    (void)q;\n  }\n", to,
            "");
      }
    compile("6.12.12", elements[t]);
  }
  cr_assert(count == 11 * 16 * 2, "%u shuffles", count);
}
