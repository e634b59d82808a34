// The table of built-in functions: its order, its codes, lookup by name, choice of overloads, near names.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "jit/lang/builtin_call.h"
#include "jit/lang/builtins.h"

struct row {
  const char *name, *signature;
};
static const struct row rows[] = {
#define KILN_BUILTIN(name, signature, types, lanes, ...) {#name, signature},
#include "jit/lang/builtins.def"
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
    cr_assert(strchr("TtSURIFWvbnulzfhe", *s), "%s: result code '%c'", rows[i].name, *s);
    for (s++; *s; s++) {
      if (strchr("PCAGL", *s))
        s++;
      cr_assert(*s && strchr("TtSURIFWbnulzfhe", *s), "%s: code '%c'", rows[i].name, *s);
    }
  }
}

Test(builtins, every_name_is_found) {
  unsigned count = 0;
  for (size_t i = 0; i < ROWS; i++, count++)
    cr_assert(kiln_builtin_find(rows[i].name, strlen(rows[i].name)), "%s", rows[i].name);
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
        const struct kiln_builtin *b = kiln_builtin_find(name, strlen(name));
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
    cr_assert(!kiln_builtin_find(names[i], strlen(names[i])), "%s", names[i]);
  cr_assert(count == 15);
}

Test(builtins, near_names) {
  cr_assert_str_eq(kiln_builtin_nearest("get_globl_id"), "get_global_id");
  cr_assert_str_eq(kiln_builtin_nearest("bariier"), "barrier");
  cr_assert(!kiln_builtin_nearest("something_else_entirely"));
  cr_assert(!kiln_builtin_nearest("__kiln_bit"), "helpers of the library are not offered");
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
  f->env = (struct kiln_builtin_env){&f->arena, kiln_ctypes_new(&f->arena), &f->diags, 120, true, true};
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
    const struct kiln_ctype *element = kiln_ctype_scalar(f->env.types, (enum kiln_ctype_kind)(KILN_CT_CHAR + e));
    unsigned n = (unsigned)atoi(name + size);
    const struct kiln_ctype *type = n ? kiln_ctype_vector(f->env.types, element, n) : element;
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
  struct kiln_builtin_pick pick;
  const struct kiln_builtin *builtin = kiln_builtin_find(name, strlen(name));
  cr_assert(builtin, "%s", name);
  bool ok = kiln_builtin_resolve(&f.env, builtin, 0, 0, args, count, &pick);
  cr_assert(ok == (result != NULL), "%s(%s): %s", name, arguments, f.diags.text.data ? f.diags.text.data : "found");
  cr_assert(ok == (f.diags.errors == 0), "%s(%s): %u errors", name, arguments, f.diags.errors);
  if (ok) {
    const char *text = kiln_arena_printf(&f.arena, "%s(", kiln_ctype_text(&f.arena, pick.result));
    for (uint32_t i = 0; i < pick.param_count; i++)
      text = kiln_arena_printf(&f.arena, "%s%s%s", text, i ? "," : "", kiln_ctype_text(&f.arena, pick.params[i]));
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
