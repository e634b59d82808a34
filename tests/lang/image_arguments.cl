// options: images ir
// Numbers become coordinates and components as they become parameters.
kernel void k(image1d_t line, image2d_t image, write_only image2d_t out, sampler_t s, short n, global float4 *o) {
  o[0] = read_imagef(line, n);
  o[1] = read_imagef(line, s, n);
  o[2] = read_imagef(image, 1);
  o[3] = read_imagef(line, 2u);
  write_imagef(out, 3, 0.5f);
  write_imageui(out, (int2)(n, 1), 1);
}
// expect: none
// ir: file 0 "image_arguments.cl"
// ir: kernel @k(%0.line: image1d.read "image1d_t" access read, %1.image: image2d.read "image2d_t" access read, %2.out: image2d.write "image2d_t" access write, %3.s: i32 "sampler_t" of sampler, %4.n: i16 "short", %5.o: ptr.global "float4*" align 16 access read_write) {
// ir:   %6 = sext %4 : i32 !0:4:28
// ir:   %7 = image_read %0, %6 : f32x4 !0:4:10
// ir:   %8 = padd %5, 0:i64 * 16 !0:4:3
// ir:   store %8, %7, align 16 !0:4:8
// ir:   %9 = sext %4 : i32 !0:5:31
// ir:   %10 = image_read.sampled %0, %3, %9 : f32x4 !0:5:10
// ir:   %11 = padd %5, 1:i64 * 16 !0:5:3
// ir:   store %11, %10, align 16 !0:5:8
// ir:   %12 = image_read %1, 1:i32, 1:i32 : f32x4 !0:6:10
// ir:   %13 = padd %5, 2:i64 * 16 !0:6:3
// ir:   store %13, %12, align 16 !0:6:8
// ir:   %14 = image_read %0, 2:i32 : f32x4 !0:7:10
// ir:   %15 = padd %5, 3:i64 * 16 !0:7:3
// ir:   store %15, %14, align 16 !0:7:8
// ir:   image_write %2, 3:i32, 3:i32, 0.5:f32x4 !0:8:3
// ir:   %16 = sext %4 : i32 !0:9:29
// ir:   %17 = vec %16, 1:i32 : i32x2 !0:9:22
// ir:   %18 = extract %17, 0:i32 : i32 !0:9:3
// ir:   %19 = extract %17, 1:i32 : i32 !0:9:3
// ir:   image_write.unsigned %2, %18, %19, 1:i32x4 !0:9:3
// ir:   return !0:9:3
// ir: }
