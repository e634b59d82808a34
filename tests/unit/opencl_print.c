// The printer of OpenCL C: text of small modules, and clear errors for what a device lacks.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/driver/program.h"
#include "backends/opencl/print/print.h"
#include "jit/report.h"

#define ALL "clc3.0,fp64,fp16,int64-atomics,int64-minmax,generic,c11-atomics,seq-cst,variables,fma,partial-groups"
#define PLAIN "clc1.2"
#define IMAGES ",images,3d-image-writes,read-write-images,depth-images"

struct print_case {
  const char *name, *features, *ir;
  enum kiln_status status;
  const char *expect[4]; // pieces of the text or of the message
};

static const struct print_case cases[] = {
    {"a wrapping sum has an unsigned operand",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n %20 = iadd %n, %n\n store %p, %20, align 4\n return\n}\n",
     KILN_OK,
     {"kernel void k(global int *p, int n)", "p[0] = (uint)n + n;"}},
    {"signed comparison of unsigned values",
     ALL,
     "kernel @k(%p: ptr.global \"uint*\", %n: i32 \"uint\") {\n %21 = slt %n, 5:i32\n %22 = select %21, 1:i32, 2:i32\n"
     " store %p, %22, align 4\n return\n}\n",
     KILN_OK,
     {"(int)n < 5 ?"}},
    {"what only makes addresses is as in C",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n %20 = imul.nsw %n, %n\n %21 = iadd.nsw %20, -3:i32\n"
     " %22 = sext %21 : i64\n %23 = padd %p, %22 * 4\n store %23, %n, align 4\n return\n}\n",
     KILN_OK,
     {"p[n * n - 3] = n;"}},
    {"terms of an address keep their parentheses",
     ALL,
     "kernel @k(%p: ptr.global \"uint*\", %n: i64 \"long\") {\n %20 = and %n, 3:i64\n %21 = padd %p, %20 * 4\n"
     " %22 = padd %21, %n * 12\n store %22, 1:i32, align 4\n return\n}\n",
     KILN_OK,
     {"p[(n & 3l) + n * 3l] = 1;"}},
    {"what is stored too wraps",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n %20.i = iadd.nsw %n, %n\n"
     " %22 = sext %20 : i64\n %23 = padd %p, %22 * 4\n store %23, %20, align 4\n return\n}\n",
     KILN_OK,
     {"int i = (uint)n + n;", "p[i] = i;"}},
    {"division is total",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n %20 = sdiv 7:i32, %n\n %23 = sdiv %n, 3:i32\n"
     " %22 = iadd %20, %23\n store %p, %22, align 4\n return\n}\n",
     KILN_OK,
     {"int kiln_div_int(int a, int b)", "kiln_div_int(7, n)", "n / 3"}},
    {"division by -1 overflows for the least number",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n %20 = sdiv %n, -1:i32\n %23 = udiv %n, -1:i32\n"
     " %22 = iadd %20, %23\n store %p, %22, align 4\n return\n}\n",
     KILN_OK,
     {"kiln_div_int(n, -1)", "(uint)n / 0xffffffffu"}},
    {"every lane of a divisor counts",
     ALL,
     "kernel @k(%p: ptr.global \"int2*\", %q: ptr.global \"int2*\") {\n %20 = load %p, align 8 : i32x2\n"
     " %21 = srem %20, {3, 0}:i32x2\n store %p, %21, align 8\n %22 = load %q, align 8 : i32x2\n"
     " %23 = srem %22, {3, 5}:i32x2\n store %q, %23, align 8\n return\n}\n",
     KILN_OK,
     {"kiln_rem_int2(", "% (int2)(3, 5)"}},
    {"the product of halves of words has no sign",
     ALL,
     "kernel @k(%p: ptr.global \"ushort*\") {\n %20 = load %p, align 2 : i16\n %21 = imul %20, %20\n"
     " store %p, %21, align 2\n return\n}\n",
     KILN_OK,
     {"(uint)"}},
    {"what is accessed as several types may alias",
     ALL,
     "kernel @k(%p: ptr.global \"float*\") {\n %20 = load %p, align 8 : f32\n store %p, %20, align 8\n"
     " %q = padd %p, 4:i64 * 1\n %21 = load %q, align 4 : f32\n %22 = load %p, align 8 : i64\n"
     " store %p, %22, align 8\n %23 = load %p, align 2 : i16\n store %q, %23, align 2\n store %q, %21, align 4\n"
     " return\n}\n",
     KILN_OK,
     {"typedef ulong kiln_any_ulong __attribute__((may_alias));", "*(global kiln_any_ulong *)"}},
    {"floats keep their bits",
     ALL,
     "kernel @k(%p: ptr.global \"float*\") {\n store %p, 0.1:f32, align 4\n store %p, inf:f32, align 4\n"
     " store %p, 0x7fc00001:f32, align 4\n return\n}\n",
     KILN_OK,
     {"p[0] = 0.1f;", "p[0] = INFINITY;", "as_float(0x7fc00001u)", "FP_CONTRACT OFF"}},
    {"a counting loop is a for",
     ALL,
     "kernel @k(%p: ptr.global \"float*\", %n: i32 \"int\") {\n"
     " loop ^l (%i: i32 = 0:i32, %sum: f32 = 0.0:f32) -> (%r: f32) {\n  %21 = slt %i, %n\n"
     "  if %21 {\n yield\n } else {\n break ^l, %sum\n }\n"
     "  %24 = sext %i : i64\n  %20 = padd %p, %24 * 4\n  %25 = load %20, align 4 : f32\n  %26 = fadd %sum, %25\n"
     "  %27 = iadd %i, 1:i32\n  continue ^l, %27, %26\n }\n store %p, %r, align 4\n return\n}\n",
     KILN_OK,
     {"for (int i = 0; i < n; i++) {", "sum += p[i];", "p[0] = sum;"}},
    {"a counter in large steps may wrap",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n"
     " loop ^l (%i: i32 = 0:i32) {\n  %21 = slt %i, %n\n  if %21 {\n yield\n } else {\n break ^l\n }\n"
     "  %24 = sext %i : i64\n  %20 = padd %p, %24 * 4\n  store %20, %n, align 4\n"
     "  %27 = iadd %i, 16:i32\n  continue ^l, %27\n }\n return\n}\n",
     KILN_OK,
     {"for (int i = 0; i < n; i += 16u) {"}},
    {"one that only makes addresses is as in C",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n"
     " loop ^l (%i: i32 = 0:i32) {\n  %21 = slt %i, %n\n  if %21 {\n yield\n } else {\n break ^l\n }\n"
     "  %24 = sext %i : i64\n  %20 = padd %p, %24 * 4\n  store %20, %n, align 4\n"
     "  %27 = iadd.nsw %i, 16:i32\n  continue ^l, %27\n }\n return\n}\n",
     KILN_OK,
     {"for (int i = 0; i < n; i += 16) {"}},
    {"one that is stored too wraps",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n"
     " loop ^l (%i: i32 = 0:i32) {\n  %21 = slt %i, %n\n  if %21 {\n yield\n } else {\n break ^l\n }\n"
     "  %24 = sext %i : i64\n  %20 = padd %p, %24 * 4\n  store %20, %i, align 4\n"
     "  %27 = iadd.nsw %i, 16:i32\n  continue ^l, %27\n }\n return\n}\n",
     KILN_OK,
     {"for (int i = 0; i < n; i += 16u) {"}},
    {"a NaN is no integer where drivers make it a limit",
     ALL ",nan-limits",
     "kernel @k(%p: ptr.global \"int*\", %f: f32 \"float\", %d: f64 \"double\") {\n %20 = ftos.rtz %f : i32\n"
     " %21 = ftos.rtz %d : i32\n %22 = iadd %20, %21\n store %p, %22, align 4\n return\n}\n",
     KILN_OK,
     {"double kiln_no_nan_double(double x) { return x == x ? x : (double)(0); }", "convert_int_sat_rtz(f)",
      "convert_int_sat_rtz(kiln_no_nan_double(d))"}},
    {"conversion to an integer saturates",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %f: f32 \"float\") {\n %20 = ftos.rtz %f : i32\n store %p, %20, align 4\n"
     " return\n}\n",
     KILN_OK,
     {"convert_int_sat_rtz(f)"}},
    {"a cast converts as C does",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %f: f32 \"float\") {\n %20 = ftos.rtz.inrange %f : i32\n"
     " store %p, %20, align 4\n return\n}\n",
     KILN_OK,
     {"p[0] = (int)f;"}},
    {"a switch that falls through is one switch",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n"
     " switch ^a %n [3, 5, 7] -> (%g: i32, %r: i32) {\n  yield 2:i32, 1:i32\n }\n case 3 {\n  yield 0:i32, 0:i32\n }\n"
     " case 5 {\n  yield 0:i32, 0:i32\n }\n case 7 {\n  yield 1:i32, 0:i32\n }\n"
     " switch ^b %r [0] -> (%v: i32) {\n  yield 9:i32\n }\n case 0 {\n  %c = sle %g, 0:i32\n"
     "  if %c -> (%w: i32) {\n   %x = iadd %n, 1:i32\n   yield %x\n  } else {\n   yield %n\n  }\n"
     "  %y = imul %w, %w\n  yield %y\n }\n store %p, %v, align 4\n return\n}\n",
     KILN_OK,
     {"switch (n) {\n  case 3:\n  case 5: {\n", "  }\n  case 7: {\n", "default: {\n    v = 9;", "p[0] = v;"}},
    {"two switches stay two when the number of the group is used otherwise",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %n: i32 \"int\") {\n"
     " switch ^a %n [3, 7] -> (%g: i32, %r: i32) {\n  yield 2:i32, 1:i32\n }\n case 3 {\n  yield 0:i32, 0:i32\n }\n"
     " case 7 {\n  yield 1:i32, 0:i32\n }\n switch ^b %r [0] -> (%v: i32) {\n  yield %g\n }\n case 0 {\n"
     "  yield 1:i32\n }\n store %p, %v, align 4\n return\n}\n",
     KILN_OK,
     {"switch (n) {\n  case 3: {\n    g = 0;", "switch ((int)r) {"}},
    {"names avoid keywords and one another",
     ALL,
     "kernel @k(%0.\"float\": ptr.global \"int*\", %1.\"a b\": i32 \"int\", %2.a_b: i32 \"int\") {\n"
     " %24 = iadd %1, %2\n store %0, %24, align 4\n return\n}\n",
     KILN_OK,
     {"global int *v_float, int a_b, int a_b_2"}},
    {"three lanes never touch a fourth",
     ALL,
     "kernel @k(%p: ptr.global \"float3*\") {\n %25 = load %p, align 16 : f32x3\n %22 = fadd %25, %25\n"
     " store %p, %22, align 16\n return\n}\n",
     KILN_OK,
     {"vload3(0, p)", "vstore3("}},
    {"unaligned access goes bytewise",
     ALL,
     "kernel @k(%p: ptr.global \"uchar*\") {\n %25 = load %p, align 1 : i32\n store %p, %25, align 1\n return\n}\n",
     KILN_OK,
     {"as_uint(vload4(0, p))", "vstore4(as_uchar4("}},
    {"double is named when it is missing",
     PLAIN,
     "kernel @k(%p: ptr.global \"double*\") {\n store %p, 1.5:f64, align 8\n return\n}\n",
     KILN_ERR_UNSUPPORTED,
     {"operation 'store' in 'k'", "double", "a device"}},
    {"64-bit atomics are named when they are missing",
     PLAIN,
     "kernel @k(%p: ptr.global \"long*\") {\n %29 = atomic_rmw.add %p, 1:i64, relaxed device\n return\n}\n",
     KILN_ERR_UNSUPPORTED,
     {"atomic_rmw", "cl_khr_int64_base_atomics", "a device"}},
    {"generic pointers need OpenCL C 2.0",
     PLAIN,
     "func @f(%p: ptr.generic \"int*\") noinline {\n store %p, 1:i32, align 4\n return\n}\n"
     "kernel @k(%p: ptr.global \"int*\") {\n %28 = pcast %p : ptr.generic\n call @f(%28)\n return\n}\n",
     KILN_ERR_UNSUPPORTED,
     {"OpenCL C 2.0", "a device has 1.2"}},
    {"where a generic pointer leads",
     ALL,
     "kernel @k(%p: ptr.global \"int*\", %l: ptr.local \"int*\", %n: i32 \"int\") {\n %40 = pcast %p : ptr.generic\n"
     " %41 = pcast %l : ptr.generic\n %42 = slt %n, 5:i32\n %43 = select %42, %40, %41\n %44 = pspace %43 : i32\n"
     " store %p, %44, align 4\n return\n}\n",
     KILN_OK,
     {"to_local(", " ? 3 : to_global(", " ? 1 : 0"}},
    {"atomics of every scope have a name on every device",
     ALL,
     "kernel @k(%p: ptr.global \"int*\") {\n %29 = atomic_rmw.add %p, 1:i32, acq_rel system\n return\n}\n",
     KILN_OK,
     {"memory_scope_device"}},
    {"masks of emulated half have the width of float",
     PLAIN,
     "kernel @k(%p: ptr.global \"half4*\") {\n %25 = load %p, align 8 : f16x4\n %q = padd %p, 1:i64 * 8\n"
     " %26 = load %q, align 8 : f16x4\n %27 = flt %25, %26\n %28 = select %27, %25, %26\n store %p, %28, align 8\n"
     " return\n}\n",
     KILN_OK,
     {"convert_short4("}},
    {"half without its extension is computed in float",
     PLAIN,
     "kernel @k(%p: ptr.global \"half*\") {\n %25 = load %p, align 2 : f16\n %22 = fadd %25, %25\n"
     " store %p, %22, align 2\n return\n}\n",
     KILN_OK,
     {"kiln_half_to_float(", "kiln_float_to_half_rte(", "vstore_half_rte"}},
    {"local memory stands in the kernel",
     ALL,
     "global $0 \"tile\" local size 64 align 4\nkernel @k(%p: ptr.global \"float*\") {\n"
     " %25 = load $0, align 4 : f32\n barrier [local]\n store %p, %25, align 4\n return\n}\n",
     KILN_OK,
     {"local float tile[16];", "barrier(CLK_LOCAL_MEM_FENCE);"}},
    {"bytes in local memory are aligned for what else they are accessed as",
     ALL,
     "global $0 \"tile\" local size 64 align 1\nkernel @k(%p: ptr.global \"uchar*\") {\n"
     " store $0, 7:i32, align 4\n %20 = padd $0, 2:i64 * 1\n %25 = load %20, align 1 : i8\n"
     " %21 = padd $0, 3:i64 * 1\n %26 = load %21, align 1 : i8\n %27 = iadd %25, %26\n"
     " store %p, %27, align 1\n return\n}\n",
     KILN_OK,
     {"local uchar tile[64] __attribute__((aligned(4)));"}},
    {"constants are initialised",
     ALL,
     "global $0 \"table\" constant size 8 align 4 = \"\\01\\00\\00\\00\\02\\00\\00\\00\"\n"
     "kernel @k(%p: ptr.global \"int*\") {\n %i = global_id 0 : i64\n %20 = padd $0, %i * 4\n"
     " %25 = load %20, align 4 : i32\n store %p, %25, align 4\n return\n}\n",
     KILN_OK,
     {"constant uint table[2] = {1u, 2u};", "table[i]"}},
    {"infinities are constant expressions",
     ALL,
     "global $0 \"d\" constant size 16 align 8 = \"\\00\\00\\00\\00\\00\\00\\f0\\7f\\00\\00\\00\\00\\00\\00\\f0\\ff\"\n"
     "global $1 \"h\" constant size 4 align 2 = \"\\00\\7c\\00\\fc\"\n"
     "kernel @k(%p: ptr.global \"double*\", %q: ptr.global \"half*\") {\n %25 = load $0, align 8 : f64\n"
     " store %p, %25, align 8\n %26 = load $1, align 2 : f16\n store %q, %26, align 2\n return\n}\n",
     KILN_OK,
     {"constant double d[2] = {(double)INFINITY, (double)-INFINITY};",
      "constant half h[2] = {(half)INFINITY, (half)-INFINITY};"}},
    {"a constant with a NaN holds its bits",
     ALL,
     "global $0 \"f\" constant size 8 align 4 = \"\\01\\00\\c0\\7f\\00\\00\\80?\"\n"
     "kernel @k(%p: ptr.global \"float*\") {\n %i = global_id 0 : i64\n %20 = padd $0, %i * 4\n"
     " %25 = load %20, align 4 : f32\n store %p, %25, align 4\n return\n}\n",
     KILN_OK,
     {"constant uint f[2] = {0x7fc00001u, 0x3f800000u};", "as_float(f[i])"}},
    {"images and samplers have types of their own",
     ALL IMAGES,
     "func @look(%i: image2d.read, %s: i32, %x: f32, %y: f32) : f32x4 noinline {\n"
     " %20 = image_read.sampled %i, %s, %x, %y : f32x4\n return %20\n}\n"
     "kernel @k(%i: image2d.read \"image2d_t\", %o: image2d.write \"image2d_t\", %s: i32 \"sampler_t\" of sampler) {\n"
     " %20 = call @look(%i, %s, 0.0:f32, 1.0:f32) : f32x4\n %21 = call @look(%i, 18:i32, 0.0:f32, 1.0:f32) : f32x4\n"
     " %22 = fadd %20, %21\n image_write %o, 1:i32, 2:i32, %22\n return\n}\n",
     KILN_OK,
     {"float4 look(read_only image2d_t i, sampler_t s, float x, float y)",
      "kernel void k(read_only image2d_t i, write_only image2d_t o, sampler_t s)", "look(i, kiln_sampler_12, ",
      "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;"}},
    {"pixels have the sign of the function, layers follow coordinates",
     ALL IMAGES,
     "kernel @k(%i: image2d_array.read \"image2d_array_t\", %o: image1d.read_write \"image1d_t\") {\n"
     " %20 = image_read.unsigned %i, 1:i32, 2:i32, 3:i32 : i32x4\n image_write %o, 5:i32, %20\n"
     " %21 = image_query.layers %i : i32\n image_write %o, %21, %20\n return\n}\n",
     KILN_OK,
     {"read_imageui(i, (int4)(1, 2, 3, 0))", "write_imagei(o, 5, as_int4(", "read_write image1d_t o",
      "(int)get_image_array_size(i)"}},
    {"half comes as float where the device only stores it",
     PLAIN IMAGES,
     "kernel @k(%i: image1d.read \"image1d_t\", %o: image1d.write \"image1d_t\") {\n"
     " %20 = image_read %i, 1:i32 : f16x4\n image_write %o, 5:i32, %20\n return\n}\n",
     KILN_OK,
     {"(read_imagef(i, 1))", "write_imagef(o, 5, "}},
    {"the format says which sign integers have",
     PLAIN IMAGES,
     "kernel @k(%i: image2d.read \"image2d_t\", %o: image1d.write \"image1d_t\") {\n"
     " %20 = image_read.any_sign %i, 1:i32, 2:i32 : i32x4\n image_write.any_sign %o, 5:i32, %20\n return\n}\n",
     KILN_OK,
     {"(get_image_channel_data_type(i) >= CLK_UNSIGNED_INT8 ? as_int4(read_imageui(i, (int2)(1, 2))) : "
      "read_imagei(i, (int2)(1, 2)))",
      "(get_image_channel_data_type(o) >= CLK_UNSIGNED_INT8 ? write_imageui(o, 5, as_uint4("}},
    {"images to read and write need a device that has them",
     PLAIN ",images",
     "kernel @k(%o: image2d.read_write \"image2d_t\") {\n return\n}\n",
     KILN_ERR_UNSUPPORTED,
     {"'k' has an image of type read_write image2d_t, and a device has no images to read and write"}},
    {"3D images to write need a device that has them",
     PLAIN ",images",
     "kernel @k(%o: image3d.write \"image3d_t\") {\n return\n}\n",
     KILN_ERR_UNSUPPORTED,
     {"3D images to write to (cl_khr_3d_image_writes), which a device does not have"}},
    {"a sampler is a constant or a parameter",
     ALL IMAGES,
     "kernel @k(%i: image1d.read \"image1d_t\", %n: i32 \"int\", %p: ptr.global \"float4*\") {\n"
     " %20 = iadd %n, 1:i32\n %21 = image_read.sampled %i, %20, 1:i32 : f32x4\n store %p, %21, align 16\n return\n}\n",
     KILN_ERR_UNSUPPORTED,
     {"operation 'image_read' in 'k' has a sampler that is neither a constant nor a parameter"}},
};

static char *print(const struct print_case *c, enum kiln_status *status, struct kiln_report *report) {
  struct kiln_strbuf text = {0};
  struct cl_printed out;
  kiln_strbuf_printf(&text, "kiln_ir 1\n%s", c->ir);
  struct kiln_module *module = NULL;
  cr_assert_eq(kiln_module_parse(text.data, text.size, c->name, &module), KILN_OK, "%s: %s", c->name,
               kiln_last_error());
  char fault[512];
  cr_assert(kiln_module_verify(module, fault, sizeof fault), "%s: %s", c->name, fault);
  struct cl_print_options options = {.device = "a device"};
  kiln_cl_features_parse(c->features, &options.features);
  *status = kiln_cl_print_module(module, &options, &out, report);
  kiln_module_free(module);
  kiln_strbuf_free(&text);
  char *source = out.source;
  out.source = NULL;
  kiln_cl_printed_free(&out);
  return source;
}

Test(opencl_print, cases) {
  size_t ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    const struct print_case *c = &cases[i];
    struct kiln_report report = {0};
    enum kiln_status status;
    char *out = print(c, &status, &report);
    cr_expect_eq(status, c->status, "%s: %s", c->name, kiln_report_text(&report));
    const char *text = out ? out : kiln_report_text(&report);
    for (size_t k = 0; k < 4 && c->expect[k]; k++)
      cr_expect(strstr(text, c->expect[k]), "%s: no '%s' in\n%s", c->name, c->expect[k], text);
    free(out);
    kiln_report_free(&report);
  }
  cr_expect_eq(ran, 42);
}

Test(opencl_print, lines_on_request) {
  struct print_case c = {"lines",
                         ALL,
                         "file 0 \"a \\\"b\\\".cl\"\nkernel @k(%p: ptr.global \"int*\") {\n"
                         " store %p, 1:i32, align 4 !0:7:1\n return\n}\n",
                         KILN_OK,
                         {0}};
  struct kiln_strbuf text = {0};
  struct cl_printed out;
  kiln_strbuf_printf(&text, "kiln_ir 1\n%s", c.ir);
  struct kiln_module *module = NULL;
  cr_assert_eq(kiln_module_parse(text.data, text.size, c.name, &module), KILN_OK, "%s", kiln_last_error());
  struct cl_print_options options = {.device = "a device", .lines = true};
  kiln_cl_features_parse(c.features, &options.features);
  cr_assert_eq(kiln_cl_print_module(module, &options, &out, NULL), KILN_OK);
  cr_expect(strstr(out.source, "#line 7 \"a \\\"b\\\".cl\"\n"), "no #line in\n%s", out.source);
  cr_expect_eq(out.version, 120);
  kiln_module_free(module);
  kiln_strbuf_free(&text);
  kiln_cl_printed_free(&out);
}

Test(opencl_print, features_round_trip) {
  struct cl_features f;
  char text[256];
  kiln_cl_features_parse(ALL, &f);
  kiln_cl_features_format(&f, text, sizeof text);
  struct cl_features again;
  kiln_cl_features_parse(text, &again);
  cr_expect_eq(memcmp(&f, &again, sizeof f), 0, "%s", text);
  cr_expect(f.version == 300 && f.fp64 && f.variables && !f.gpu && !f.narrow, "%s", text);
}

Test(opencl_print, damaged_metadata) {
  struct cl_printed printed = {.source = strdup("text")};
  static const uint32_t words[] = {0, 0, 1, 0};
  kiln_strbuf_append(&printed.names, "a\0bc", 5);
  kiln_strbuf_append(&printed.prints, words, sizeof words);
  kiln_strbuf_append(&printed.args, "i.\0s", 5);
  void *data;
  size_t size;
  cr_assert(kiln_cl_meta_write(&printed, 2, "-x", &data, &size));
  struct cl_meta_view view;
  cr_assert(kiln_cl_meta_read(data, size, &view));
  cr_expect_str_eq(kiln_cl_meta_name(&view, 1), "bc");
  cr_expect(kiln_cl_meta_prints(&view, 0) && !kiln_cl_meta_prints(&view, 1));
  cr_expect_str_eq(kiln_cl_meta_args(&view, 0), "i.");
  cr_expect_str_eq(kiln_cl_meta_args(&view, 1), "s");
  cr_expect_str_eq(view.options, "-x");
  for (size_t i = 0; i < size; i++)
    cr_expect_not(kiln_cl_meta_read(data, i, &view), "cut after %zu bytes", i);
  for (size_t i = 0; i < sizeof(struct cl_meta); i++) {
    unsigned char *bytes = malloc(size);
    memcpy(bytes, data, size);
    bytes[i] ^= 0x55;
    cr_expect_not(kiln_cl_meta_read(bytes, size, &view), "byte %zu changed", i);
    free(bytes);
  }
  free(data);
  kiln_cl_printed_free(&printed);
}
