// Demangling of imports. The names are clang 19's, for SPIR targets and for x86-64.
#include "jit/spirv/names.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "name(type, type)"; "?" of what is refused.
static const char *read_name(const char *mangled) {
  static char text[1024];
  struct kiln_spv_prototype p;
  if (!kiln_spv_demangle(mangled, &p))
    return "?";
  size_t n = (size_t)snprintf(text, sizeof text, "%s(", p.name);
  for (uint32_t i = 0; i < p.param_count; i++) {
    char type[KILN_SPV_CTYPE_TEXT];
    kiln_spv_ctype_text(&p.params[i], type);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "", type);
  }
  snprintf(text + n, sizeof text - n, ")");
  return text;
}

static const struct {
  const char *mangled, *text;
} names[] = {
    {"_Z10atomic_incPU3AS1Vj", "atomic_inc(volatile global uint *)"},
    {"_Z10atomic_incPU3AS3Vj", "atomic_inc(volatile local uint *)"},
    {"_Z10atomic_incPU8CLglobalVj", "atomic_inc(volatile global uint *)"},
    {"_Z14atomic_cmpxchgPU3AS3Viii", "atomic_cmpxchg(volatile local int *, int, int)"},
    {"_Z11atomic_initPU3AS4VU7_Atomicii", "atomic_init(volatile generic atomic_int *, int)"},
    {"_Z25atomic_fetch_max_explicitPU3AS4VU7_Atomicii12memory_order",
     "atomic_fetch_max_explicit(volatile generic atomic_int *, int, memory_order)"},
    {"_Z25atomic_fetch_max_explicitPU3AS1VU7_Atomicmm12memory_order12memory_scope",
     "atomic_fetch_max_explicit(volatile global atomic_ulong *, ulong, memory_order, memory_scope)"},
    {"_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope",
     "atomic_compare_exchange_strong_explicit(volatile generic atomic_int *, generic int *, int, memory_order, "
     "memory_order, memory_scope)"},
    {"_Z39atomic_compare_exchange_strong_explicitPU9CLgenericVU7_AtomiciPU9CLgenericii12memory_orderS4_12memory_scope",
     "atomic_compare_exchange_strong_explicit(volatile generic atomic_int *, generic int *, int, memory_order, "
     "memory_order, memory_scope)"},
    {"_Z14convert_float4Dv4_i", "convert_float4(int4)"},
    {"_Z16vstore_half4_rtzDv4_fmPU3AS4Dh", "vstore_half4_rtz(float4, ulong, generic half *)"},
    {"_Z18work_group_barrierj12memory_scope", "work_group_barrier(uint, memory_scope)"},
    {"_Z3nanDv4_j", "nan(uint4)"},
    {"_Z5crossDv3_fS_", "cross(float3, float3)"},
    {"_Z5fractDv4_fPU3AS4S_", "fract(float4, generic float4 *)"},
    {"_Z5frexpDv4_fPU3AS4Dv4_i", "frexp(float4, generic int4 *)"},
    {"_Z5frexpDv16_dPDv16_i", "frexp(double16, private int16 *)"},
    {"_Z6mad_himmm", "mad_hi(ulong, ulong, ulong)"},
    {"_Z6remquoffPU3AS4i", "remquo(float, float, generic int *)"},
    {"_Z6selectDv4_fS_Dv4_i", "select(float4, float4, int4)"},
    {"_Z6vload4mPU3AS2Kf", "vload4(ulong, const constant float *)"},
    {"_Z7add_satcc", "add_sat(char, char)"},
    {"_Z7add_satDv8_hS_", "add_sat(uchar8, uchar8)"},
    {"_Z8atom_addPU3AS1Vmm", "atom_add(volatile global ulong *, ulong)"},
    {"_Z8shuffle2Dv4_fS_Dv4_j", "shuffle2(float4, float4, uint4)"},
    {"_Z12get_work_dimv", "get_work_dim()"},
    {"_Z23get_image_channel_order14ocl_image2d_ro", "get_image_channel_order(read_only image2d_t)"},
    {"_Z11read_imagef20ocl_image2d_array_rw11ocl_samplerDv4_f",
     "read_imagef(read_write image2d_array_t, sampler_t, float4)"},
    {"_Z12write_imagei23ocl_image1d_buffer_woiDv4_i", "?"}, // 21 characters
    {"_Z12write_imagei21ocl_image1d_buffer_woiDv4_i", "write_imagei(write_only image1d_buffer_t, int, int4)"},
    {"_Z3foo14ocl_image2d_roS_", "foo(read_only image2d_t, read_only image2d_t)"},
    {"_Z3foo17ocl_image2dMSA_ro", "?"},
    // Parts: the vector, the same in global memory, the pointer to it.
    {"_Z3fooDv2_fPU3AS1S_S_S1_", "foo(float2, global float2 *, float2, global float2 *)"},
    {"_Z3fooDv2_fPU3AS1S_PS0_", "foo(float2, global float2 *, global float2 *)"},
    {"_Z3fooDv2_fPU3AS1S_S0_", "?"},
    {"_Z3fooDv2_fPU3AS1S_S2_", "?"},
    {"_Z3fooPU3AS1KVf", "?"}, // qualifiers are in the order r, V, K
    {"_Z3fooPU3AS1VKf", "foo(const volatile global float *)"},
};

Test(spirv_names, read) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    cr_assert_str_eq(read_name(names[i].mangled), names[i].text, "%s: %s", names[i].mangled,
                     read_name(names[i].mangled));
}

static const char *const hostile[] = {
    "",
    "_",
    "_Z",
    "_Z3",
    "_Z3fo",
    "_Z0v",
    "_Z3foo",
    "_Z3fooS_",
    "_Z3fooS0_",
    "_Z3fooS",
    "_Z3fooSZZZZ_",
    "_Z3fooP",
    "_Z3fooPP",
    "_Z3fooPPi",
    "_Z3fooPPPPPPPPPPPPPPPPPPPPPPPPi",
    "_Z3fooDv4_",
    "_Z3fooDv0_f",
    "_Z3fooDv5_f",
    "_Z3fooDv17_f",
    "_Z3fooDv999999999999_f",
    "_Z3fooDv4_Dv4_f",
    "_Z3fooDv4_Pf",
    "_Z3fooDv4_v",
    "_Z3fooDv4_b",
    "_Z3fooU7_AtomicU7_Atomici",
    "_Z3fooU7_Atomici",
    "_Z3fooPU7_Atomicc",
    "_Z3fooPU7_AtomicDv4_i",
    "_Z3fooU3AS1",
    "_Z3fooPU3AS9i",
    "_Z3fooPU3AS1U3AS1i",
    "_Z3fooiv",
    "_Z3foovv",
    "_Z3fooz",
    "_Z3fooPFivE",
    "_Z3fooN1a1bE",
    "_ZN3foo3barEi",
    "_Z999foov",
    "_Z3f(ov",
    "_Z3f ov",
    "_Z33foov",
    "_Z3\"o\"v",
    "_Z3a;bv",
    "_Z3\n;bv",
    "_Z31oov",
    "_Z99999999999999999999foov",
    "_Z3foo9ocl_event",
    "_Z3fooiiiiiiiiiiiiiiiii",
    "llvm.ctpop.i32",
    "printf",
    "_z3fooi",
    "_Z64aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaai",
    "_Z3fooVVVVVVVVi",
    "_Z3fooKi",
    "_Z3fooi\x80",
};

Test(spirv_names, refuse) {
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
    cr_assert_str_eq(read_name(hostile[i]), "?", "%s: %s", hostile[i], read_name(hostile[i]));
  char *deep = malloc(100000);
  memset(deep, 'P', 99999);
  memcpy(deep, "_Z3foo", 6);
  deep[99999] = 0;
  cr_assert_str_eq(read_name(deep), "?");
  for (size_t at = 6; at + 6 < 100000; at += 6)
    memcpy(deep + at, "PU3AS1", 6);
  cr_assert_str_eq(read_name(deep), "?");
  memset(deep + 6, 'i', 99993);
  cr_assert_str_eq(read_name(deep), "?");
  free(deep);
}

// Every beginning of a name, and every name with one character changed, ends without harm (ASan).
Test(spirv_names, mutants) {
  static const char alphabet[] = "_0123456789ABDFKPSUVZacdefhijlmrstvxyz\xff";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *copy = strdup(names[i].mangled);
    for (size_t at = strlen(copy); at-- > 0;) {
      char was = copy[at];
      for (const char *c = alphabet; *c; c++) {
        copy[at] = *c;
        (void)read_name(copy);
      }
      copy[at] = was;
    }
    for (size_t at = strlen(copy); at-- > 0;) {
      copy[at] = 0;
      (void)read_name(copy);
    }
    free(copy);
  }
}

Test(spirv_names, intrinsics) {
  static const struct {
    const char *name, *text; // text NULL: none
  } cases[] = {
      {"llvm.usub.sat.i32", "sub_sat($0, $1)"},
      {"llvm.usub.sat.v4i32", "sub_sat($0, $1)"},
      {"llvm.ctpop.i64", "popcount($0)"},
      {"llvm.fma.f32", "fma($0, $1, $2)"},
      {"llvm.fmuladd.f32", "mad($0, $1, $2)"},
      {"__to_local", "to_local($0)"},
      {"llvm.bswap.i16", "__builtin_bswap16($0)"},
      {"llvm.bswap.i128", NULL},
      {"llvm.ctpopulation.i32", NULL},
      {"llvm.", NULL},
      {"", NULL},
      {"__to_locality", NULL},
      {"llvm.memcpy.p0.p0.i64", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_spv_intrinsic found;
    cr_assert_eq(kiln_spv_find_intrinsic(cases[i].name, &found), cases[i].text != NULL, "%s", cases[i].name);
    if (cases[i].text)
      cr_assert_str_eq(found.text, cases[i].text, "%s", cases[i].name);
  }
}
