// The table of built-in functions: its order, its codes, lookup by name, choice of overloads, near names.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "jit/lang/ast/builtin_call.h"
#include "jit/lang/ast/builtins.h"
#include "jit/lang/lang.h"

struct row {
  const char *name, *signature, *types, *lanes;
};
static const struct row rows[] = {
#define KILN_BUILTIN(name, signature, types, lanes, ...) {#name, signature, #types, #lanes},
#include "jit/lang/ast/builtins.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

Test(builtins, table_is_sorted) {
  for (size_t i = 1; i < ROWS; i++)
    cr_assert(strcmp(rows[i - 1].name, rows[i].name) <= 0, "'%s' stands before '%s'", rows[i - 1].name, rows[i].name);
  cr_assert(ROWS > 300, "only %zu rows", (size_t)ROWS);
}

Test(builtins, signatures_have_known_codes) {
  for (size_t i = 0; i < ROWS; i++) {
    const char *s = rows[i].signature;
    if (strcmp(s, "?") == 0)
      continue;
    cr_assert(strchr("TtSURIFWvbnulzfheox", *s), "%s: result code '%c'", rows[i].name, *s);
    for (s++; *s; s++) {
      bool is_pointer = strchr("PCAGLHM", *s) != NULL;
      s += is_pointer;
      cr_assert(*s && strchr(is_pointer ? "TtSURIFWbnuklzfheaoxv" : "TtSURIFWbnuklzfheaox", *s), "%s: code '%c'",
                rows[i].name, *s);
    }
  }
}

Test(builtins, every_name_is_found) {
  unsigned count = 0;
  for (size_t i = 0; i < ROWS; i++, count++)
    cr_assert(kiln_builtin_find(rows[i].name, strlen(rows[i].name), 300, true), "%s", rows[i].name);
  cr_assert(count == ROWS);
}

static const char *const elements[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                       "long", "ulong", "half",  "float",  "double"};
static const char *const lanes[] = {"", "2", "3", "4", "8", "16"};

Test(builtins, conversions_are_found) {
  static const char *const suffixes[] = {"",     "_rte",     "_rtz",     "_rtp",     "_rtn",
                                         "_sat", "_sat_rte", "_sat_rtz", "_sat_rtp", "_sat_rtn"};
  const struct kiln_builtin *seen[11 * 6 * 11];
  unsigned count = 0;
  char name[64];
  for (unsigned e = 0; e < 11; e++)
    for (unsigned l = 0; l < 6; l++)
      for (unsigned s = 0; s < 11; s++) {
        if (s == 10)
          snprintf(name, sizeof name, "as_%s%s", elements[e], lanes[l]);
        else
          snprintf(name, sizeof name, "convert_%s%s%s", elements[e], lanes[l], suffixes[s]);
        const struct kiln_builtin *b = kiln_builtin_find(name, strlen(name), 300, false);
        bool is_float_sat = s >= 5 && s < 10 && e >= 8;
        cr_assert(is_float_sat ? !b : b != NULL, "%s", name);
        for (unsigned i = 0; b && i < count; i++)
          cr_assert(seen[i] != b, "%s is the same row as another", name);
        if (b)
          seen[count++] = b;
      }
  cr_assert(count == 66 + 660 - 3 * 6 * 5, "%u conversions", count);
}

Test(builtins, other_names_are_not_found) {
  static const char *const names[] = {"",
                                      "a",
                                      "sinn",
                                      "si",
                                      "convert_",
                                      "as_",
                                      "as_float5",
                                      "convert_int_",
                                      "convert_int17",
                                      "convert_float_sat",
                                      "as_int_sat",
                                      "convert_bool",
                                      "as_floatt",
                                      "get_global_id_",
                                      "convert_int_rte_sat"};
  unsigned count = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++, count++)
    cr_assert(!kiln_builtin_find(names[i], strlen(names[i]), 300, false), "%s", names[i]);
  cr_assert(count == 15);
}

Test(builtins, near_names) {
  cr_assert_str_eq(kiln_builtin_nearest("get_globl_id", 120, false), "get_global_id");
  cr_assert_str_eq(kiln_builtin_nearest("bariier", 120, false), "barrier");
  cr_assert(!kiln_builtin_nearest("something_else_entirely", 120, false));
  cr_assert(!kiln_builtin_nearest("__kiln_bit", 120, false), "helpers of the library are not offered");
}

// ---- overloads -----------------------------------------------------------------------------------------------------

struct fixture {
  struct kiln_arena arena;
  jmp_buf exhausted;
  struct kiln_sources sources;
  struct kiln_diags diags;
  struct kiln_builtin_env env;
};

static void setup(struct fixture *f) {
  memset(f, 0, sizeof *f);
  kiln_arena_init(&f->arena, &f->exhausted);
  kiln_sources_init(&f->sources, &f->arena);
  kiln_diags_init(&f->diags, &f->sources);
  f->env = (struct kiln_builtin_env){&f->arena, kiln_ctypes_new(&f->arena), &f->diags, 300, true, true, true};
}

static void teardown(struct fixture *f) {
  kiln_diags_free(&f->diags);
  kiln_arena_free(&f->arena);
}

static const struct kiln_ctype *type_named(struct fixture *f, const char *name) {
  for (unsigned e = 11; e-- > 0;) {
    size_t size = strlen(elements[e]);
    if (strncmp(name, elements[e], size) != 0)
      continue;
    const struct kiln_ctype *element = kiln_ctype_scalar((enum kiln_ctype_kind)(KILN_CT_CHAR + e));
    unsigned n = (unsigned)atoi(name + size);
    const struct kiln_ctype *type = n ? kiln_ctype_vector(element, n) : element;
    const char *star = strchr(name, '*');
    if (star) {
      enum kiln_space space = star[1] == 'g'   ? KILN_GLOBAL
                              : star[1] == 'c' ? KILN_CONSTANT
                              : star[1] == 'l' ? KILN_LOCAL
                                               : KILN_PRIVATE;
      type = kiln_ctype_pointer(f->env.types, (struct kiln_qtype){.type = type, .space = (uint8_t)space});
    }
    return type;
  }
  return NULL;
}

// Arguments as "float4,int,float*g"; expects "float4(float4,float4)" or NULL for an error.
static void expect(const char *name, const char *arguments, const char *result) {
  struct fixture f;
  setup(&f);
  struct kiln_expr exprs[8] = {0}, *args[8];
  char buffer[128];
  unsigned count = 0;
  snprintf(buffer, sizeof buffer, "%s", arguments);
  for (char *save, *word = strtok_r(buffer, ",", &save); word; word = strtok_r(NULL, ",", &save), count++) {
    exprs[count] = (struct kiln_expr){.kind = KILN_EX_VAR, .type = {.type = type_named(&f, word)}};
    args[count] = &exprs[count];
  }
  struct kiln_builtin_overload overload;
  const struct kiln_builtin *builtin = kiln_builtin_find(name, strlen(name), 300, false);
  cr_assert(builtin, "%s", name);
  bool ok = kiln_builtin_resolve(&f.env, builtin, 0, 0, args, count, &overload);
  cr_assert(ok == (result != NULL), "%s(%s): %s", name, arguments, f.diags.text.data ? f.diags.text.data : "found");
  cr_assert(ok == (f.diags.errors == 0), "%s(%s): %u errors", name, arguments, f.diags.errors);
  if (ok) {
    const char *text = kiln_arena_printf(&f.arena, "%s(", kiln_ctype_text(&f.arena, overload.result));
    for (uint32_t i = 0; i < overload.param_count; i++)
      text = kiln_arena_printf(&f.arena, "%s%s%s", text, i ? "," : "", kiln_ctype_text(&f.arena, overload.params[i]));
    text = kiln_arena_printf(&f.arena, "%s)", text);
    cr_assert_str_eq(text, result, "%s(%s): %s instead of %s", name, arguments, text, result);
  }
  teardown(&f);
}

static const char *const overloads[][3] = {
    {"sin", "float", "float(float)"},
    {"sin", "double4", "double4(double4)"},
    {"sin", "int", NULL}, // ambiguous
    {"fmin", "float,int", "float(float,float)"},
    {"fmin", "float4,int", "float4(float4,float)"},
    {"fmin", "float4,float4", "float4(float4,float4)"},
    {"fmin", "float4,float8", NULL},
    {"fmin", "float,double", NULL}, // ambiguous, as in clang
    {"fmin", "double,int", "double(double,double)"},
    {"max", "int,uint", NULL},
    {"max", "ulong,int", NULL},
    {"max", "int,int", "int(int,int)"},
    {"max", "short4,short", "short4(short4,short)"},
    {"max", "uchar16,uchar16", "uchar16(uchar16,uchar16)"},
    {"max", "float,int", NULL},
    {"clamp", "float3,float,float", "float3(float3,float,float)"},
    {"clamp", "int4,int4,int4", "int4(int4,int4,int4)"},
    {"clamp", "float4,int,int", "float4(float4,float,float)"},
    {"pow", "float4,float", "float4(float4,float4)"},
    {"pow", "float,int", "float(float,float)"},
    {"ldexp", "float4,int4", "float4(float4,int4)"},
    {"ldexp", "float4,int", "float4(float4,int)"},
    {"ldexp", "double,int", "double(double,int)"},
    {"isless", "float,float", "int(float,float)"},
    {"isless", "float4,float4", "int4(float4,float4)"},
    {"isless", "double2,double2", "long2(double2,double2)"},
    {"isless", "half3,half3", "short3(half3,half3)"},
    {"isless", "double,double", "int(double,double)"},
    {"abs", "int4", "uint4(int4)"},
    {"abs", "char", "uchar(char)"},
    {"upsample", "char2,uchar2", "short2(char2,uchar2)"},
    {"upsample", "uint,uint", "ulong(uint,uint)"},
    {"dot", "float3,float3", "float(float3,float3)"},
    {"dot", "float8,float8", NULL},
    {"cross", "float4,float4", "float4(float4,float4)"},
    {"length", "float", "float(float)"},
    {"length", "double2", "double(double2)"},
    {"select", "float4,float4,int4", "float4(float4,float4,int4)"},
    {"select", "float4,float4,uint4", "float4(float4,float4,uint4)"},
    {"select", "double2,double2,int2", NULL},
    {"nan", "uint4", "float4(uint4)"},
    {"nan", "ulong", "double(ulong)"},
    {"frexp", "float4,int4*p", "float4(float4,int4 *)"},
    {"frexp", "float4,int*p", NULL},
    {"fract", "float,float*g", "float(float,__global float *)"},
    {"fract", "float,float*c", NULL},
    {"vload4", "int,float*c", "float4(ulong,__constant float *)"},
    {"vstore3", "char3,int,char*l", "void(char3,ulong,__local char *)"},
    {"vload_half", "int,half*g", "float(ulong,__global half *)"},
    {"vload_half4", "int,half*g", "float4(ulong,__global half *)"},
    {"vstore_half4_rtz", "double4,int,half*g", "void(double4,ulong,__global half *)"},
    {"atomic_add", "int*g,int", "int(__global int *,int)"},
    {"atomic_add", "uint*l,int", "uint(__local uint *,uint)"},
    {"atomic_add", "int*p,int", NULL},
    {"atomic_add", "long*g,int", NULL},
    {"atom_add", "long*g,int", "long(__global long *,long)"},
    {"atomic_xchg", "float*g,float", "float(__global float *,float)"},
    {"get_global_id", "int", "ulong(uint)"},
    {"get_global_id", "", NULL},
    {"get_global_id", "int,int", NULL},
    {"shuffle", "float4,uint8", "float8(float4,uint8)"},
    {"shuffle", "float4,int8", NULL},
    {"shuffle2", "uchar4,uchar4,uchar16", "uchar16(uchar4,uchar4,uchar16)"},
    {"as_float", "int", "float(int)"},
    {"as_float3", "int4", "float3(int4)"},
    {"as_float", "double", NULL},
    {"convert_int4_sat", "float4", "int4(float4)"},
    {"convert_int4", "float3", NULL},
    {"mad_sat", "short,short,short", "short(short,short,short)"},
    {"any", "int4", "int(int4)"},
    {"rotate", "ulong2,ulong2", "ulong2(ulong2,ulong2)"},
    {"mix", "float4,float4,float", "float4(float4,float4,float)"},
    {"smoothstep", "float,float,float4", "float4(float,float,float4)"},
    {"step", "float,float4", "float4(float,float4)"},
    {"async_work_group_copy", "float4*l,float4*g,int,int", NULL}, // an int variable is no event
};

Test(builtins, overloads) {
  unsigned count = 0;
  for (size_t i = 0; i < sizeof overloads / sizeof *overloads; i++, count++)
    expect(overloads[i][0], overloads[i][1], overloads[i][2]);
  cr_assert(count == 75, "%u cases", count);
}

// ---- every overload compiles ---------------------------------------------------------------------------------------

struct set {
  const char *name, *members; // separated by spaces
};
static const struct set type_sets[] = {
    {"NONE", "-"},
    {"SIGNED", "char short int long"},
    {"UNSIGNED", "uchar ushort uint ulong"},
    {"INTEGERS", "char uchar short ushort int uint long ulong"},
    {"CHAR", "char"},
    {"UCHAR", "uchar"},
    {"USHORT", "ushort"},
    {"UINT", "uint"},
    {"ULONG", "ulong"},
    {"INT32_FLOAT", "int uint float"},
    {"INT32_64 | FLOATS", "int uint long ulong half float double"},
    {"INT32", "int uint"},
    {"INT32_SIGNED", "int"},
    {"INT32_UNSIGNED", "uint"},
    {"INT32_64", "int uint long ulong"},
    {"INT32_64_SIGNED", "int long"},
    {"INT32_64_UNSIGNED", "uint ulong"},
    {"ATOMICS", "int uint long ulong float double"},
    {"NARROW", "char uchar short ushort int uint"},
    {"HALF", "half"},
    {"FLOAT", "float"},
    {"DOUBLE", "double"},
    {"FLOAT_DOUBLE", "float double"},
    {"FLOATS", "half float double"},
    {"NUMBERS", "char uchar short ushort int uint long ulong half float double"},
};
static const struct set lane_sets[] = {
    {"ONE", "1"},
    {"TWO", "2"},
    {"THREE", "3"},
    {"FOUR", "4"},
    {"EIGHT", "8"},
    {"SIXTEEN", "16"},
    {"TO_FOUR", "2 3 4"},
    {"GEOMETRIC", "1 2 3 4"},
    {"VECTORS", "2 3 4 8 16"},
    {"ANY", "1 2 3 4 8 16"},
};

static const char *members(const struct set *sets, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(sets[i].name, name) == 0)
      return sets[i].members;
  cr_assert(false, "unknown set %s", name);
  return "";
}

// The type of a code in the kernel language.
static void code_name(char code, const char *element, unsigned n, char *out, size_t size) {
  static const char *const plain[] = {"vvoid",  "bbool",  "nint",  "uuint",    "kuint",         "llong",
                                      "zulong", "ffloat", "hhalf", "eevent_t", "omemory_order", "xmemory_scope"};
  static const char *const integers[] = {"char", "short", "int", "long"};
  for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
    if (plain[i][0] == code) {
      snprintf(out, size, "%s", plain[i] + 1);
      return;
    }
  if (code == 'a') {
    snprintf(out, size, "atomic_%s", element);
    return;
  }
  unsigned width = strstr(element, "char")                                    ? 0
                   : strstr(element, "short") || strcmp(element, "half") == 0 ? 1
                   : strstr(element, "int") || strcmp(element, "float") == 0  ? 2
                                                                              : 3;
  const char *u = code == 'U' || (code == 'W' && element[0] == 'u') ? "u" : "", *base = element;
  if (code == 'S' || code == 'U' || (code == 'R' && n > 1))
    base = integers[width];
  else if (code == 'W')
    base = integers[width + 1];
  else if (code == 'I' || code == 'R')
    base = "int";
  else if (code == 'F')
    base = "float";
  if (n > 1 && code != 't')
    snprintf(out, size, "%s%s%u", u, base, n);
  else
    snprintf(out, size, "%s%s", u, base);
}

// A call of the row with the types, as a block of statements.
static size_t write_call(const struct row *row, const char *element, unsigned n, char *out, size_t size) {
  char type[32], args[256] = "", param[64];
  size_t used = (size_t)snprintf(out, size, "  {");
  const char *s = row->signature;
  char result = *s++;
  for (unsigned i = 0; *s; i++) {
    char space = strchr("PCAGLHM", *s) ? *s++ : 0;
    char code = *s++;
    code_name(code, element, n, type, sizeof type);
    if (space == 'L' || space == 'M')
      snprintf(param, sizeof param, "(local %s *)in_local", type);
    else if (space && space != 'P')
      snprintf(param, sizeof param, "(global %s *)in_global", type);
    else if (space) {
      used += (size_t)snprintf(out + used, size - used, " %s *a%u = (%s *)in_private;", type, i, type);
      snprintf(param, sizeof param, "a%u", i);
    } else if (code == 'k') {
      snprintf(param, sizeof param, "4u");
    } else {
      used += (size_t)snprintf(out + used, size - used, strcmp(type, "event_t") ? " %s a%u = (%s)0;" : " %s a%u = 0;",
                               type, i, type);
      snprintf(param, sizeof param, "a%u", i);
    }
    snprintf(args + strlen(args), sizeof args - strlen(args), "%s%s", i ? ", " : "", param);
  }
  code_name(result, element, n, type, sizeof type);
  if (result == 'v')
    used += (size_t)snprintf(out + used, size - used, " %s(%s); }\n", row->name, args);
  else
    used += (size_t)snprintf(out + used, size - used, " %s r = %s(%s); *(global %s *)in_global = r; }\n", type,
                             row->name, args, type);
  return used;
}

static void compile(const char *name, const char *source, size_t size) {
  struct kiln_lang_input input = {
      .source = source,
      .size = size,
      .name = "test.cl",
      .options = {.std = 300, .fp16 = true, .fp64 = true, .int64_atomics = true, .sub_groups = true}};
  struct kiln_lang_output output;
  enum kiln_status status = kiln_lang_compile(&input, &output);
  cr_assert(status == KILN_OK, "%s: %s", name, output.log ? output.log : "");
  char message[256];
  cr_assert(kiln_module_verify(output.module, message, sizeof message), "%s: %s", name, message);
  kiln_module_free(output.module);
  kiln_lang_output_free(&output);
}

Test(builtins, every_overload_compiles) {
  static char source[1 << 16];
  unsigned calls = 0;
  for (size_t i = 0; i < ROWS; i++) {
    // functions that only the library sees are compiled as part of it; events have no zero
    if (strcmp(rows[i].signature, "?") == 0 || strncmp(rows[i].name, "__kiln", 6) == 0)
      continue;
    char types[128], lanes[64];
    size_t used = (size_t)snprintf(source, sizeof source,
                                   "kernel void k(global char *in_global, local char *in_local) {\n"
                                   "  long in_private[64];\n");
    snprintf(types, sizeof types, "%s", members(type_sets, sizeof type_sets / sizeof *type_sets, rows[i].types));
    for (char *save, *t = strtok_r(types, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
      snprintf(lanes, sizeof lanes, "%s", members(lane_sets, sizeof lane_sets / sizeof *lane_sets, rows[i].lanes));
      for (char *save2, *l = strtok_r(lanes, " ", &save2); l; l = strtok_r(NULL, " ", &save2), calls++)
        used += write_call(&rows[i], t, (unsigned)atoi(l), source + used, sizeof source - used);
    }
    used += (size_t)snprintf(source + used, sizeof source - used, "}\n");
    cr_assert(used < sizeof source);
    compile(rows[i].name, source, used);
  }
  cr_assert(calls > 3000, "%u calls", calls);
}
