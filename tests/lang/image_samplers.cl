// options: images ir
// A sampler is a parameter, constant in the program's scope, a variable of a function that is not changed, or a constant
// where the argument stands. It is the number that its constants make.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
__constant const sampler_t both = CLK_ADDRESS_CLAMP_TO_EDGE;
constant sampler_t same = nearest;
static constant sampler_t own = CLK_ADDRESS_REPEAT | 1u;
#define BY_MACRO (CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR)
float4 helper(image1d_t image, const sampler_t sampler) { return read_imagef(image, sampler, 1); }
kernel void k(image1d_t image, sampler_t argument, global float4 *o) {
  const sampler_t inside = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  constant sampler_t constant_inside = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
  const sampler_t copy = argument;
  sampler_t not_const = linear;
  o[0] = read_imagef(image, argument, 1);
  o[1] = read_imagef(image, nearest, 1);
  o[2] = read_imagef(image, linear, 1.0f);
  o[3] = read_imagef(image, both, 1);
  o[4] = read_imagef(image, same, 1);
  o[5] = read_imagef(image, own, 1);
  o[6] = read_imagef(image, BY_MACRO, 1);
  o[7] = read_imagef(image, CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, 1);
  o[8] = read_imagef(image, 0, 1);
  o[9] = read_imagef(image, inside, 1);
  o[10] = read_imagef(image, constant_inside, 1);
  o[11] = read_imagef(image, copy, 1);
  o[12] = read_imagef(image, not_const, 1);
  o[13] = helper(image, 16);
  o[14] = helper(image, linear);
  o[15] = helper(image, argument);
}
// expect: 21:29: warning: a sampler with normalized coordinates needs floating-point ones, not 'int' [-Wsampler-coordinates]
// expect: 22:29: warning: a sampler with CLK_FILTER_LINEAR needs floating-point coordinates, not 'int' [-Wsampler-coordinates]
// expect: 9:66: note: expanded from macro 'BY_MACRO'
// expect: 26:30: warning: a sampler with CLK_FILTER_LINEAR needs floating-point coordinates, not 'int' [-Wsampler-coordinates]
// ir: file 0 "image_samplers.cl"
// ir: func @helper(%0.image: image1d.read "image1d_t" access read, %1.sampler: i32 "sampler_t") : f32x4 {
// ir:   %2 = image_read.sampled %0, %1, 1:i32 : f32x4 !0:10:66
// ir:   return %2 !0:10:59
// ir: }
// ir: kernel @k(%0.image: image1d.read "image1d_t" access read, %1.argument: i32 "sampler_t" of sampler, %2.o: ptr.global "float4*" align 16 access read_write) {
// ir:   %3.inside = var 4, align 4 : ptr.private !0:12:19
// ir:   store %3, 20:i32, align 4 !0:12:46
// ir:   %4.copy = var 4, align 4 : ptr.private !0:14:19
// ir:   store %4, %1, align 4 !0:14:26
// ir:   %5.not_const = var 4, align 4 : ptr.private !0:15:13
// ir:   store %5, 41:i32, align 4 !0:15:25
// ir:   %6 = image_read.sampled %0, %1, 1:i32 : f32x4 !0:16:10
// ir:   %7 = padd %2, 0:i64 * 16 !0:16:3
// ir:   store %7, %6, align 16 !0:16:8
// ir:   %8 = image_read.sampled %0, 20:i32, 1:i32 : f32x4 !0:17:10
// ir:   %9 = padd %2, 1:i64 * 16 !0:17:3
// ir:   store %9, %8, align 16 !0:17:8
// ir:   %10 = image_read.sampled %0, 41:i32, 1.0:f32 : f32x4 !0:18:10
// ir:   %11 = padd %2, 2:i64 * 16 !0:18:3
// ir:   store %11, %10, align 16 !0:18:8
// ir:   %12 = image_read.sampled %0, 2:i32, 1:i32 : f32x4 !0:19:10
// ir:   %13 = padd %2, 3:i64 * 16 !0:19:3
// ir:   store %13, %12, align 16 !0:19:8
// ir:   %14 = image_read.sampled %0, 20:i32, 1:i32 : f32x4 !0:20:10
// ir:   %15 = padd %2, 4:i64 * 16 !0:20:3
// ir:   store %15, %14, align 16 !0:20:8
// ir:   %16 = image_read.sampled %0, 7:i32, 1:i32 : f32x4 !0:21:10
// ir:   %17 = padd %2, 5:i64 * 16 !0:21:3
// ir:   store %17, %16, align 16 !0:21:8
// ir:   %18 = image_read.sampled %0, 32:i32, 1:i32 : f32x4 !0:22:10
// ir:   %19 = padd %2, 6:i64 * 16 !0:22:3
// ir:   store %19, %18, align 16 !0:22:8
// ir:   %20 = image_read.sampled %0, 20:i32, 1:i32 : f32x4 !0:23:10
// ir:   %21 = padd %2, 7:i64 * 16 !0:23:3
// ir:   store %21, %20, align 16 !0:23:8
// ir:   %22 = image_read.sampled %0, 0:i32, 1:i32 : f32x4 !0:24:10
// ir:   %23 = padd %2, 8:i64 * 16 !0:24:3
// ir:   store %23, %22, align 16 !0:24:8
// ir:   %24 = image_read.sampled %0, 20:i32, 1:i32 : f32x4 !0:25:10
// ir:   %25 = padd %2, 9:i64 * 16 !0:25:3
// ir:   store %25, %24, align 16 !0:25:8
// ir:   %26 = image_read.sampled %0, 36:i32, 1:i32 : f32x4 !0:26:11
// ir:   %27 = padd %2, 10:i64 * 16 !0:26:3
// ir:   store %27, %26, align 16 !0:26:9
// ir:   %28 = load %4, align 4 : i32 !0:27:30
// ir:   %29 = image_read.sampled %0, %28, 1:i32 : f32x4 !0:27:11
// ir:   %30 = padd %2, 11:i64 * 16 !0:27:3
// ir:   store %30, %29, align 16 !0:27:9
// ir:   %31 = load %5, align 4 : i32 !0:28:30
// ir:   %32 = image_read.sampled %0, %31, 1:i32 : f32x4 !0:28:11
// ir:   %33 = padd %2, 12:i64 * 16 !0:28:3
// ir:   store %33, %32, align 16 !0:28:9
// ir:   %34 = call @helper(%0, 16:i32) : f32x4 !0:29:11
// ir:   %35 = padd %2, 13:i64 * 16 !0:29:3
// ir:   store %35, %34, align 16 !0:29:9
// ir:   %36 = call @helper(%0, 41:i32) : f32x4 !0:30:11
// ir:   %37 = padd %2, 14:i64 * 16 !0:30:3
// ir:   store %37, %36, align 16 !0:30:9
// ir:   %38 = call @helper(%0, %1) : f32x4 !0:31:11
// ir:   %39 = padd %2, 15:i64 * 16 !0:31:3
// ir:   store %39, %38, align 16 !0:31:9
// ir:   return !0:31:9
// ir: }
