// options: images std=200 ir
// Every function that reads, by dimension and access. Of coordinates, those that count remain.
struct pixels {
  float4 f;
  half4 h;
  int4 i;
  uint4 ui;
};
struct depth {
  float f;
};
kernel void r1d(read_only image1d_t i, read_write image1d_t rw, sampler_t s, int at, float f, global struct pixels *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
  o->h = read_imageh(i, at);
  o->h = read_imageh(i, s, at);
  o->h = read_imageh(i, s, f);
  o->h = read_imageh(rw, at);
  o->i = read_imagei(i, at);
  o->i = read_imagei(i, s, at);
  o->i = read_imagei(i, s, f);
  o->i = read_imagei(rw, at);
  o->ui = read_imageui(i, at);
  o->ui = read_imageui(i, s, at);
  o->ui = read_imageui(i, s, f);
  o->ui = read_imageui(rw, at);
}
kernel void r1d_buffer(read_only image1d_buffer_t i, read_write image1d_buffer_t rw, sampler_t s, int at, float f, global struct pixels *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(rw, at);
  o->h = read_imageh(i, at);
  o->h = read_imageh(rw, at);
  o->i = read_imagei(i, at);
  o->i = read_imagei(rw, at);
  o->ui = read_imageui(i, at);
  o->ui = read_imageui(rw, at);
}
kernel void r1d_array(read_only image1d_array_t i, read_write image1d_array_t rw, sampler_t s, int2 at, float2 f, global struct pixels *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
  o->h = read_imageh(i, at);
  o->h = read_imageh(i, s, at);
  o->h = read_imageh(i, s, f);
  o->h = read_imageh(rw, at);
  o->i = read_imagei(i, at);
  o->i = read_imagei(i, s, at);
  o->i = read_imagei(i, s, f);
  o->i = read_imagei(rw, at);
  o->ui = read_imageui(i, at);
  o->ui = read_imageui(i, s, at);
  o->ui = read_imageui(i, s, f);
  o->ui = read_imageui(rw, at);
}
kernel void r2d(read_only image2d_t i, read_write image2d_t rw, sampler_t s, int2 at, float2 f, global struct pixels *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
  o->h = read_imageh(i, at);
  o->h = read_imageh(i, s, at);
  o->h = read_imageh(i, s, f);
  o->h = read_imageh(rw, at);
  o->i = read_imagei(i, at);
  o->i = read_imagei(i, s, at);
  o->i = read_imagei(i, s, f);
  o->i = read_imagei(rw, at);
  o->ui = read_imageui(i, at);
  o->ui = read_imageui(i, s, at);
  o->ui = read_imageui(i, s, f);
  o->ui = read_imageui(rw, at);
}
kernel void r2d_array(read_only image2d_array_t i, read_write image2d_array_t rw, sampler_t s, int4 at, float4 f, global struct pixels *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
  o->h = read_imageh(i, at);
  o->h = read_imageh(i, s, at);
  o->h = read_imageh(i, s, f);
  o->h = read_imageh(rw, at);
  o->i = read_imagei(i, at);
  o->i = read_imagei(i, s, at);
  o->i = read_imagei(i, s, f);
  o->i = read_imagei(rw, at);
  o->ui = read_imageui(i, at);
  o->ui = read_imageui(i, s, at);
  o->ui = read_imageui(i, s, f);
  o->ui = read_imageui(rw, at);
}
kernel void r3d(read_only image3d_t i, read_write image3d_t rw, sampler_t s, int4 at, float4 f, global struct pixels *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
  o->h = read_imageh(i, at);
  o->h = read_imageh(i, s, at);
  o->h = read_imageh(i, s, f);
  o->h = read_imageh(rw, at);
  o->i = read_imagei(i, at);
  o->i = read_imagei(i, s, at);
  o->i = read_imagei(i, s, f);
  o->i = read_imagei(rw, at);
  o->ui = read_imageui(i, at);
  o->ui = read_imageui(i, s, at);
  o->ui = read_imageui(i, s, f);
  o->ui = read_imageui(rw, at);
}
kernel void r2d_depth(read_only image2d_depth_t i, read_write image2d_depth_t rw, sampler_t s, int2 at, float2 f, global struct depth *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
}
kernel void r2d_array_depth(read_only image2d_array_depth_t i, read_write image2d_array_depth_t rw, sampler_t s, int4 at, float4 f, global struct depth *o) {
  o->f = read_imagef(i, at);
  o->f = read_imagef(i, s, at);
  o->f = read_imagef(i, s, f);
  o->f = read_imagef(rw, at);
}
// expect: none
// ir: file 0 "image_read.cl"
// ir: kernel @r1d(%0.i: image1d.read "image1d_t" access read, %1.rw: image1d.read_write "image1d_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32 "int", %4.f: f32 "float", %5.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %6 = image_read %0, %3 : f32x4 !0:13:10
// ir:   store %5, %6, align 16 !0:13:8
// ir:   %7 = image_read.sampled %0, %2, %3 : f32x4 !0:14:10
// ir:   store %5, %7, align 16 !0:14:8
// ir:   %8 = image_read.sampled %0, %2, %4 : f32x4 !0:15:10
// ir:   store %5, %8, align 16 !0:15:8
// ir:   %9 = image_read %1, %3 : f32x4 !0:16:10
// ir:   store %5, %9, align 16 !0:16:8
// ir:   %10 = image_read %0, %3 : f16x4 !0:17:10
// ir:   %11 = padd %5, 16:i64 * 1 !0:17:8
// ir:   store %11, %10, align 16 !0:17:8
// ir:   %12 = image_read.sampled %0, %2, %3 : f16x4 !0:18:10
// ir:   %13 = padd %5, 16:i64 * 1 !0:18:8
// ir:   store %13, %12, align 16 !0:18:8
// ir:   %14 = image_read.sampled %0, %2, %4 : f16x4 !0:19:10
// ir:   %15 = padd %5, 16:i64 * 1 !0:19:8
// ir:   store %15, %14, align 16 !0:19:8
// ir:   %16 = image_read %1, %3 : f16x4 !0:20:10
// ir:   %17 = padd %5, 16:i64 * 1 !0:20:8
// ir:   store %17, %16, align 16 !0:20:8
// ir:   %18 = image_read %0, %3 : i32x4 !0:21:10
// ir:   %19 = padd %5, 32:i64 * 1 !0:21:8
// ir:   store %19, %18, align 16 !0:21:8
// ir:   %20 = image_read.sampled %0, %2, %3 : i32x4 !0:22:10
// ir:   %21 = padd %5, 32:i64 * 1 !0:22:8
// ir:   store %21, %20, align 16 !0:22:8
// ir:   %22 = image_read.sampled %0, %2, %4 : i32x4 !0:23:10
// ir:   %23 = padd %5, 32:i64 * 1 !0:23:8
// ir:   store %23, %22, align 16 !0:23:8
// ir:   %24 = image_read %1, %3 : i32x4 !0:24:10
// ir:   %25 = padd %5, 32:i64 * 1 !0:24:8
// ir:   store %25, %24, align 16 !0:24:8
// ir:   %26 = image_read.unsigned %0, %3 : i32x4 !0:25:11
// ir:   %27 = padd %5, 48:i64 * 1 !0:25:9
// ir:   store %27, %26, align 16 !0:25:9
// ir:   %28 = image_read.sampled.unsigned %0, %2, %3 : i32x4 !0:26:11
// ir:   %29 = padd %5, 48:i64 * 1 !0:26:9
// ir:   store %29, %28, align 16 !0:26:9
// ir:   %30 = image_read.sampled.unsigned %0, %2, %4 : i32x4 !0:27:11
// ir:   %31 = padd %5, 48:i64 * 1 !0:27:9
// ir:   store %31, %30, align 16 !0:27:9
// ir:   %32 = image_read.unsigned %1, %3 : i32x4 !0:28:11
// ir:   %33 = padd %5, 48:i64 * 1 !0:28:9
// ir:   store %33, %32, align 16 !0:28:9
// ir:   return !0:28:9
// ir: }
// ir: kernel @r1d_buffer(%0.i: image1d_buffer.read "image1d_buffer_t" access read, %1.rw: image1d_buffer.read_write "image1d_buffer_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32 "int", %4.f: f32 "float", %5.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %6 = image_read %0, %3 : f32x4 !0:31:10
// ir:   store %5, %6, align 16 !0:31:8
// ir:   %7 = image_read %1, %3 : f32x4 !0:32:10
// ir:   store %5, %7, align 16 !0:32:8
// ir:   %8 = image_read %0, %3 : f16x4 !0:33:10
// ir:   %9 = padd %5, 16:i64 * 1 !0:33:8
// ir:   store %9, %8, align 16 !0:33:8
// ir:   %10 = image_read %1, %3 : f16x4 !0:34:10
// ir:   %11 = padd %5, 16:i64 * 1 !0:34:8
// ir:   store %11, %10, align 16 !0:34:8
// ir:   %12 = image_read %0, %3 : i32x4 !0:35:10
// ir:   %13 = padd %5, 32:i64 * 1 !0:35:8
// ir:   store %13, %12, align 16 !0:35:8
// ir:   %14 = image_read %1, %3 : i32x4 !0:36:10
// ir:   %15 = padd %5, 32:i64 * 1 !0:36:8
// ir:   store %15, %14, align 16 !0:36:8
// ir:   %16 = image_read.unsigned %0, %3 : i32x4 !0:37:11
// ir:   %17 = padd %5, 48:i64 * 1 !0:37:9
// ir:   store %17, %16, align 16 !0:37:9
// ir:   %18 = image_read.unsigned %1, %3 : i32x4 !0:38:11
// ir:   %19 = padd %5, 48:i64 * 1 !0:38:9
// ir:   store %19, %18, align 16 !0:38:9
// ir:   return !0:38:9
// ir: }
// ir: kernel @r1d_array(%0.i: image1d_array.read "image1d_array_t" access read, %1.rw: image1d_array.read_write "image1d_array_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32x2 "int2", %4.f: f32x2 "float2", %5.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %6 = extract %3, 0:i32 : i32 !0:41:10
// ir:   %7 = extract %3, 1:i32 : i32 !0:41:10
// ir:   %8 = image_read %0, %6, %7 : f32x4 !0:41:10
// ir:   store %5, %8, align 16 !0:41:8
// ir:   %9 = extract %3, 0:i32 : i32 !0:42:10
// ir:   %10 = extract %3, 1:i32 : i32 !0:42:10
// ir:   %11 = image_read.sampled %0, %2, %9, %10 : f32x4 !0:42:10
// ir:   store %5, %11, align 16 !0:42:8
// ir:   %12 = extract %4, 0:i32 : f32 !0:43:10
// ir:   %13 = extract %4, 1:i32 : f32 !0:43:10
// ir:   %14 = image_read.sampled %0, %2, %12, %13 : f32x4 !0:43:10
// ir:   store %5, %14, align 16 !0:43:8
// ir:   %15 = extract %3, 0:i32 : i32 !0:44:10
// ir:   %16 = extract %3, 1:i32 : i32 !0:44:10
// ir:   %17 = image_read %1, %15, %16 : f32x4 !0:44:10
// ir:   store %5, %17, align 16 !0:44:8
// ir:   %18 = extract %3, 0:i32 : i32 !0:45:10
// ir:   %19 = extract %3, 1:i32 : i32 !0:45:10
// ir:   %20 = image_read %0, %18, %19 : f16x4 !0:45:10
// ir:   %21 = padd %5, 16:i64 * 1 !0:45:8
// ir:   store %21, %20, align 16 !0:45:8
// ir:   %22 = extract %3, 0:i32 : i32 !0:46:10
// ir:   %23 = extract %3, 1:i32 : i32 !0:46:10
// ir:   %24 = image_read.sampled %0, %2, %22, %23 : f16x4 !0:46:10
// ir:   %25 = padd %5, 16:i64 * 1 !0:46:8
// ir:   store %25, %24, align 16 !0:46:8
// ir:   %26 = extract %4, 0:i32 : f32 !0:47:10
// ir:   %27 = extract %4, 1:i32 : f32 !0:47:10
// ir:   %28 = image_read.sampled %0, %2, %26, %27 : f16x4 !0:47:10
// ir:   %29 = padd %5, 16:i64 * 1 !0:47:8
// ir:   store %29, %28, align 16 !0:47:8
// ir:   %30 = extract %3, 0:i32 : i32 !0:48:10
// ir:   %31 = extract %3, 1:i32 : i32 !0:48:10
// ir:   %32 = image_read %1, %30, %31 : f16x4 !0:48:10
// ir:   %33 = padd %5, 16:i64 * 1 !0:48:8
// ir:   store %33, %32, align 16 !0:48:8
// ir:   %34 = extract %3, 0:i32 : i32 !0:49:10
// ir:   %35 = extract %3, 1:i32 : i32 !0:49:10
// ir:   %36 = image_read %0, %34, %35 : i32x4 !0:49:10
// ir:   %37 = padd %5, 32:i64 * 1 !0:49:8
// ir:   store %37, %36, align 16 !0:49:8
// ir:   %38 = extract %3, 0:i32 : i32 !0:50:10
// ir:   %39 = extract %3, 1:i32 : i32 !0:50:10
// ir:   %40 = image_read.sampled %0, %2, %38, %39 : i32x4 !0:50:10
// ir:   %41 = padd %5, 32:i64 * 1 !0:50:8
// ir:   store %41, %40, align 16 !0:50:8
// ir:   %42 = extract %4, 0:i32 : f32 !0:51:10
// ir:   %43 = extract %4, 1:i32 : f32 !0:51:10
// ir:   %44 = image_read.sampled %0, %2, %42, %43 : i32x4 !0:51:10
// ir:   %45 = padd %5, 32:i64 * 1 !0:51:8
// ir:   store %45, %44, align 16 !0:51:8
// ir:   %46 = extract %3, 0:i32 : i32 !0:52:10
// ir:   %47 = extract %3, 1:i32 : i32 !0:52:10
// ir:   %48 = image_read %1, %46, %47 : i32x4 !0:52:10
// ir:   %49 = padd %5, 32:i64 * 1 !0:52:8
// ir:   store %49, %48, align 16 !0:52:8
// ir:   %50 = extract %3, 0:i32 : i32 !0:53:11
// ir:   %51 = extract %3, 1:i32 : i32 !0:53:11
// ir:   %52 = image_read.unsigned %0, %50, %51 : i32x4 !0:53:11
// ir:   %53 = padd %5, 48:i64 * 1 !0:53:9
// ir:   store %53, %52, align 16 !0:53:9
// ir:   %54 = extract %3, 0:i32 : i32 !0:54:11
// ir:   %55 = extract %3, 1:i32 : i32 !0:54:11
// ir:   %56 = image_read.sampled.unsigned %0, %2, %54, %55 : i32x4 !0:54:11
// ir:   %57 = padd %5, 48:i64 * 1 !0:54:9
// ir:   store %57, %56, align 16 !0:54:9
// ir:   %58 = extract %4, 0:i32 : f32 !0:55:11
// ir:   %59 = extract %4, 1:i32 : f32 !0:55:11
// ir:   %60 = image_read.sampled.unsigned %0, %2, %58, %59 : i32x4 !0:55:11
// ir:   %61 = padd %5, 48:i64 * 1 !0:55:9
// ir:   store %61, %60, align 16 !0:55:9
// ir:   %62 = extract %3, 0:i32 : i32 !0:56:11
// ir:   %63 = extract %3, 1:i32 : i32 !0:56:11
// ir:   %64 = image_read.unsigned %1, %62, %63 : i32x4 !0:56:11
// ir:   %65 = padd %5, 48:i64 * 1 !0:56:9
// ir:   store %65, %64, align 16 !0:56:9
// ir:   return !0:56:9
// ir: }
// ir: kernel @r2d(%0.i: image2d.read "image2d_t" access read, %1.rw: image2d.read_write "image2d_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32x2 "int2", %4.f: f32x2 "float2", %5.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %6 = extract %3, 0:i32 : i32 !0:59:10
// ir:   %7 = extract %3, 1:i32 : i32 !0:59:10
// ir:   %8 = image_read %0, %6, %7 : f32x4 !0:59:10
// ir:   store %5, %8, align 16 !0:59:8
// ir:   %9 = extract %3, 0:i32 : i32 !0:60:10
// ir:   %10 = extract %3, 1:i32 : i32 !0:60:10
// ir:   %11 = image_read.sampled %0, %2, %9, %10 : f32x4 !0:60:10
// ir:   store %5, %11, align 16 !0:60:8
// ir:   %12 = extract %4, 0:i32 : f32 !0:61:10
// ir:   %13 = extract %4, 1:i32 : f32 !0:61:10
// ir:   %14 = image_read.sampled %0, %2, %12, %13 : f32x4 !0:61:10
// ir:   store %5, %14, align 16 !0:61:8
// ir:   %15 = extract %3, 0:i32 : i32 !0:62:10
// ir:   %16 = extract %3, 1:i32 : i32 !0:62:10
// ir:   %17 = image_read %1, %15, %16 : f32x4 !0:62:10
// ir:   store %5, %17, align 16 !0:62:8
// ir:   %18 = extract %3, 0:i32 : i32 !0:63:10
// ir:   %19 = extract %3, 1:i32 : i32 !0:63:10
// ir:   %20 = image_read %0, %18, %19 : f16x4 !0:63:10
// ir:   %21 = padd %5, 16:i64 * 1 !0:63:8
// ir:   store %21, %20, align 16 !0:63:8
// ir:   %22 = extract %3, 0:i32 : i32 !0:64:10
// ir:   %23 = extract %3, 1:i32 : i32 !0:64:10
// ir:   %24 = image_read.sampled %0, %2, %22, %23 : f16x4 !0:64:10
// ir:   %25 = padd %5, 16:i64 * 1 !0:64:8
// ir:   store %25, %24, align 16 !0:64:8
// ir:   %26 = extract %4, 0:i32 : f32 !0:65:10
// ir:   %27 = extract %4, 1:i32 : f32 !0:65:10
// ir:   %28 = image_read.sampled %0, %2, %26, %27 : f16x4 !0:65:10
// ir:   %29 = padd %5, 16:i64 * 1 !0:65:8
// ir:   store %29, %28, align 16 !0:65:8
// ir:   %30 = extract %3, 0:i32 : i32 !0:66:10
// ir:   %31 = extract %3, 1:i32 : i32 !0:66:10
// ir:   %32 = image_read %1, %30, %31 : f16x4 !0:66:10
// ir:   %33 = padd %5, 16:i64 * 1 !0:66:8
// ir:   store %33, %32, align 16 !0:66:8
// ir:   %34 = extract %3, 0:i32 : i32 !0:67:10
// ir:   %35 = extract %3, 1:i32 : i32 !0:67:10
// ir:   %36 = image_read %0, %34, %35 : i32x4 !0:67:10
// ir:   %37 = padd %5, 32:i64 * 1 !0:67:8
// ir:   store %37, %36, align 16 !0:67:8
// ir:   %38 = extract %3, 0:i32 : i32 !0:68:10
// ir:   %39 = extract %3, 1:i32 : i32 !0:68:10
// ir:   %40 = image_read.sampled %0, %2, %38, %39 : i32x4 !0:68:10
// ir:   %41 = padd %5, 32:i64 * 1 !0:68:8
// ir:   store %41, %40, align 16 !0:68:8
// ir:   %42 = extract %4, 0:i32 : f32 !0:69:10
// ir:   %43 = extract %4, 1:i32 : f32 !0:69:10
// ir:   %44 = image_read.sampled %0, %2, %42, %43 : i32x4 !0:69:10
// ir:   %45 = padd %5, 32:i64 * 1 !0:69:8
// ir:   store %45, %44, align 16 !0:69:8
// ir:   %46 = extract %3, 0:i32 : i32 !0:70:10
// ir:   %47 = extract %3, 1:i32 : i32 !0:70:10
// ir:   %48 = image_read %1, %46, %47 : i32x4 !0:70:10
// ir:   %49 = padd %5, 32:i64 * 1 !0:70:8
// ir:   store %49, %48, align 16 !0:70:8
// ir:   %50 = extract %3, 0:i32 : i32 !0:71:11
// ir:   %51 = extract %3, 1:i32 : i32 !0:71:11
// ir:   %52 = image_read.unsigned %0, %50, %51 : i32x4 !0:71:11
// ir:   %53 = padd %5, 48:i64 * 1 !0:71:9
// ir:   store %53, %52, align 16 !0:71:9
// ir:   %54 = extract %3, 0:i32 : i32 !0:72:11
// ir:   %55 = extract %3, 1:i32 : i32 !0:72:11
// ir:   %56 = image_read.sampled.unsigned %0, %2, %54, %55 : i32x4 !0:72:11
// ir:   %57 = padd %5, 48:i64 * 1 !0:72:9
// ir:   store %57, %56, align 16 !0:72:9
// ir:   %58 = extract %4, 0:i32 : f32 !0:73:11
// ir:   %59 = extract %4, 1:i32 : f32 !0:73:11
// ir:   %60 = image_read.sampled.unsigned %0, %2, %58, %59 : i32x4 !0:73:11
// ir:   %61 = padd %5, 48:i64 * 1 !0:73:9
// ir:   store %61, %60, align 16 !0:73:9
// ir:   %62 = extract %3, 0:i32 : i32 !0:74:11
// ir:   %63 = extract %3, 1:i32 : i32 !0:74:11
// ir:   %64 = image_read.unsigned %1, %62, %63 : i32x4 !0:74:11
// ir:   %65 = padd %5, 48:i64 * 1 !0:74:9
// ir:   store %65, %64, align 16 !0:74:9
// ir:   return !0:74:9
// ir: }
// ir: kernel @r2d_array(%0.i: image2d_array.read "image2d_array_t" access read, %1.rw: image2d_array.read_write "image2d_array_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32x4 "int4", %4.f: f32x4 "float4", %5.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %6 = extract %3, 0:i32 : i32 !0:77:10
// ir:   %7 = extract %3, 1:i32 : i32 !0:77:10
// ir:   %8 = extract %3, 2:i32 : i32 !0:77:10
// ir:   %9 = image_read %0, %6, %7, %8 : f32x4 !0:77:10
// ir:   store %5, %9, align 16 !0:77:8
// ir:   %10 = extract %3, 0:i32 : i32 !0:78:10
// ir:   %11 = extract %3, 1:i32 : i32 !0:78:10
// ir:   %12 = extract %3, 2:i32 : i32 !0:78:10
// ir:   %13 = image_read.sampled %0, %2, %10, %11, %12 : f32x4 !0:78:10
// ir:   store %5, %13, align 16 !0:78:8
// ir:   %14 = extract %4, 0:i32 : f32 !0:79:10
// ir:   %15 = extract %4, 1:i32 : f32 !0:79:10
// ir:   %16 = extract %4, 2:i32 : f32 !0:79:10
// ir:   %17 = image_read.sampled %0, %2, %14, %15, %16 : f32x4 !0:79:10
// ir:   store %5, %17, align 16 !0:79:8
// ir:   %18 = extract %3, 0:i32 : i32 !0:80:10
// ir:   %19 = extract %3, 1:i32 : i32 !0:80:10
// ir:   %20 = extract %3, 2:i32 : i32 !0:80:10
// ir:   %21 = image_read %1, %18, %19, %20 : f32x4 !0:80:10
// ir:   store %5, %21, align 16 !0:80:8
// ir:   %22 = extract %3, 0:i32 : i32 !0:81:10
// ir:   %23 = extract %3, 1:i32 : i32 !0:81:10
// ir:   %24 = extract %3, 2:i32 : i32 !0:81:10
// ir:   %25 = image_read %0, %22, %23, %24 : f16x4 !0:81:10
// ir:   %26 = padd %5, 16:i64 * 1 !0:81:8
// ir:   store %26, %25, align 16 !0:81:8
// ir:   %27 = extract %3, 0:i32 : i32 !0:82:10
// ir:   %28 = extract %3, 1:i32 : i32 !0:82:10
// ir:   %29 = extract %3, 2:i32 : i32 !0:82:10
// ir:   %30 = image_read.sampled %0, %2, %27, %28, %29 : f16x4 !0:82:10
// ir:   %31 = padd %5, 16:i64 * 1 !0:82:8
// ir:   store %31, %30, align 16 !0:82:8
// ir:   %32 = extract %4, 0:i32 : f32 !0:83:10
// ir:   %33 = extract %4, 1:i32 : f32 !0:83:10
// ir:   %34 = extract %4, 2:i32 : f32 !0:83:10
// ir:   %35 = image_read.sampled %0, %2, %32, %33, %34 : f16x4 !0:83:10
// ir:   %36 = padd %5, 16:i64 * 1 !0:83:8
// ir:   store %36, %35, align 16 !0:83:8
// ir:   %37 = extract %3, 0:i32 : i32 !0:84:10
// ir:   %38 = extract %3, 1:i32 : i32 !0:84:10
// ir:   %39 = extract %3, 2:i32 : i32 !0:84:10
// ir:   %40 = image_read %1, %37, %38, %39 : f16x4 !0:84:10
// ir:   %41 = padd %5, 16:i64 * 1 !0:84:8
// ir:   store %41, %40, align 16 !0:84:8
// ir:   %42 = extract %3, 0:i32 : i32 !0:85:10
// ir:   %43 = extract %3, 1:i32 : i32 !0:85:10
// ir:   %44 = extract %3, 2:i32 : i32 !0:85:10
// ir:   %45 = image_read %0, %42, %43, %44 : i32x4 !0:85:10
// ir:   %46 = padd %5, 32:i64 * 1 !0:85:8
// ir:   store %46, %45, align 16 !0:85:8
// ir:   %47 = extract %3, 0:i32 : i32 !0:86:10
// ir:   %48 = extract %3, 1:i32 : i32 !0:86:10
// ir:   %49 = extract %3, 2:i32 : i32 !0:86:10
// ir:   %50 = image_read.sampled %0, %2, %47, %48, %49 : i32x4 !0:86:10
// ir:   %51 = padd %5, 32:i64 * 1 !0:86:8
// ir:   store %51, %50, align 16 !0:86:8
// ir:   %52 = extract %4, 0:i32 : f32 !0:87:10
// ir:   %53 = extract %4, 1:i32 : f32 !0:87:10
// ir:   %54 = extract %4, 2:i32 : f32 !0:87:10
// ir:   %55 = image_read.sampled %0, %2, %52, %53, %54 : i32x4 !0:87:10
// ir:   %56 = padd %5, 32:i64 * 1 !0:87:8
// ir:   store %56, %55, align 16 !0:87:8
// ir:   %57 = extract %3, 0:i32 : i32 !0:88:10
// ir:   %58 = extract %3, 1:i32 : i32 !0:88:10
// ir:   %59 = extract %3, 2:i32 : i32 !0:88:10
// ir:   %60 = image_read %1, %57, %58, %59 : i32x4 !0:88:10
// ir:   %61 = padd %5, 32:i64 * 1 !0:88:8
// ir:   store %61, %60, align 16 !0:88:8
// ir:   %62 = extract %3, 0:i32 : i32 !0:89:11
// ir:   %63 = extract %3, 1:i32 : i32 !0:89:11
// ir:   %64 = extract %3, 2:i32 : i32 !0:89:11
// ir:   %65 = image_read.unsigned %0, %62, %63, %64 : i32x4 !0:89:11
// ir:   %66 = padd %5, 48:i64 * 1 !0:89:9
// ir:   store %66, %65, align 16 !0:89:9
// ir:   %67 = extract %3, 0:i32 : i32 !0:90:11
// ir:   %68 = extract %3, 1:i32 : i32 !0:90:11
// ir:   %69 = extract %3, 2:i32 : i32 !0:90:11
// ir:   %70 = image_read.sampled.unsigned %0, %2, %67, %68, %69 : i32x4 !0:90:11
// ir:   %71 = padd %5, 48:i64 * 1 !0:90:9
// ir:   store %71, %70, align 16 !0:90:9
// ir:   %72 = extract %4, 0:i32 : f32 !0:91:11
// ir:   %73 = extract %4, 1:i32 : f32 !0:91:11
// ir:   %74 = extract %4, 2:i32 : f32 !0:91:11
// ir:   %75 = image_read.sampled.unsigned %0, %2, %72, %73, %74 : i32x4 !0:91:11
// ir:   %76 = padd %5, 48:i64 * 1 !0:91:9
// ir:   store %76, %75, align 16 !0:91:9
// ir:   %77 = extract %3, 0:i32 : i32 !0:92:11
// ir:   %78 = extract %3, 1:i32 : i32 !0:92:11
// ir:   %79 = extract %3, 2:i32 : i32 !0:92:11
// ir:   %80 = image_read.unsigned %1, %77, %78, %79 : i32x4 !0:92:11
// ir:   %81 = padd %5, 48:i64 * 1 !0:92:9
// ir:   store %81, %80, align 16 !0:92:9
// ir:   return !0:92:9
// ir: }
// ir: kernel @r3d(%0.i: image3d.read "image3d_t" access read, %1.rw: image3d.read_write "image3d_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32x4 "int4", %4.f: f32x4 "float4", %5.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %6 = extract %3, 0:i32 : i32 !0:95:10
// ir:   %7 = extract %3, 1:i32 : i32 !0:95:10
// ir:   %8 = extract %3, 2:i32 : i32 !0:95:10
// ir:   %9 = image_read %0, %6, %7, %8 : f32x4 !0:95:10
// ir:   store %5, %9, align 16 !0:95:8
// ir:   %10 = extract %3, 0:i32 : i32 !0:96:10
// ir:   %11 = extract %3, 1:i32 : i32 !0:96:10
// ir:   %12 = extract %3, 2:i32 : i32 !0:96:10
// ir:   %13 = image_read.sampled %0, %2, %10, %11, %12 : f32x4 !0:96:10
// ir:   store %5, %13, align 16 !0:96:8
// ir:   %14 = extract %4, 0:i32 : f32 !0:97:10
// ir:   %15 = extract %4, 1:i32 : f32 !0:97:10
// ir:   %16 = extract %4, 2:i32 : f32 !0:97:10
// ir:   %17 = image_read.sampled %0, %2, %14, %15, %16 : f32x4 !0:97:10
// ir:   store %5, %17, align 16 !0:97:8
// ir:   %18 = extract %3, 0:i32 : i32 !0:98:10
// ir:   %19 = extract %3, 1:i32 : i32 !0:98:10
// ir:   %20 = extract %3, 2:i32 : i32 !0:98:10
// ir:   %21 = image_read %1, %18, %19, %20 : f32x4 !0:98:10
// ir:   store %5, %21, align 16 !0:98:8
// ir:   %22 = extract %3, 0:i32 : i32 !0:99:10
// ir:   %23 = extract %3, 1:i32 : i32 !0:99:10
// ir:   %24 = extract %3, 2:i32 : i32 !0:99:10
// ir:   %25 = image_read %0, %22, %23, %24 : f16x4 !0:99:10
// ir:   %26 = padd %5, 16:i64 * 1 !0:99:8
// ir:   store %26, %25, align 16 !0:99:8
// ir:   %27 = extract %3, 0:i32 : i32 !0:100:10
// ir:   %28 = extract %3, 1:i32 : i32 !0:100:10
// ir:   %29 = extract %3, 2:i32 : i32 !0:100:10
// ir:   %30 = image_read.sampled %0, %2, %27, %28, %29 : f16x4 !0:100:10
// ir:   %31 = padd %5, 16:i64 * 1 !0:100:8
// ir:   store %31, %30, align 16 !0:100:8
// ir:   %32 = extract %4, 0:i32 : f32 !0:101:10
// ir:   %33 = extract %4, 1:i32 : f32 !0:101:10
// ir:   %34 = extract %4, 2:i32 : f32 !0:101:10
// ir:   %35 = image_read.sampled %0, %2, %32, %33, %34 : f16x4 !0:101:10
// ir:   %36 = padd %5, 16:i64 * 1 !0:101:8
// ir:   store %36, %35, align 16 !0:101:8
// ir:   %37 = extract %3, 0:i32 : i32 !0:102:10
// ir:   %38 = extract %3, 1:i32 : i32 !0:102:10
// ir:   %39 = extract %3, 2:i32 : i32 !0:102:10
// ir:   %40 = image_read %1, %37, %38, %39 : f16x4 !0:102:10
// ir:   %41 = padd %5, 16:i64 * 1 !0:102:8
// ir:   store %41, %40, align 16 !0:102:8
// ir:   %42 = extract %3, 0:i32 : i32 !0:103:10
// ir:   %43 = extract %3, 1:i32 : i32 !0:103:10
// ir:   %44 = extract %3, 2:i32 : i32 !0:103:10
// ir:   %45 = image_read %0, %42, %43, %44 : i32x4 !0:103:10
// ir:   %46 = padd %5, 32:i64 * 1 !0:103:8
// ir:   store %46, %45, align 16 !0:103:8
// ir:   %47 = extract %3, 0:i32 : i32 !0:104:10
// ir:   %48 = extract %3, 1:i32 : i32 !0:104:10
// ir:   %49 = extract %3, 2:i32 : i32 !0:104:10
// ir:   %50 = image_read.sampled %0, %2, %47, %48, %49 : i32x4 !0:104:10
// ir:   %51 = padd %5, 32:i64 * 1 !0:104:8
// ir:   store %51, %50, align 16 !0:104:8
// ir:   %52 = extract %4, 0:i32 : f32 !0:105:10
// ir:   %53 = extract %4, 1:i32 : f32 !0:105:10
// ir:   %54 = extract %4, 2:i32 : f32 !0:105:10
// ir:   %55 = image_read.sampled %0, %2, %52, %53, %54 : i32x4 !0:105:10
// ir:   %56 = padd %5, 32:i64 * 1 !0:105:8
// ir:   store %56, %55, align 16 !0:105:8
// ir:   %57 = extract %3, 0:i32 : i32 !0:106:10
// ir:   %58 = extract %3, 1:i32 : i32 !0:106:10
// ir:   %59 = extract %3, 2:i32 : i32 !0:106:10
// ir:   %60 = image_read %1, %57, %58, %59 : i32x4 !0:106:10
// ir:   %61 = padd %5, 32:i64 * 1 !0:106:8
// ir:   store %61, %60, align 16 !0:106:8
// ir:   %62 = extract %3, 0:i32 : i32 !0:107:11
// ir:   %63 = extract %3, 1:i32 : i32 !0:107:11
// ir:   %64 = extract %3, 2:i32 : i32 !0:107:11
// ir:   %65 = image_read.unsigned %0, %62, %63, %64 : i32x4 !0:107:11
// ir:   %66 = padd %5, 48:i64 * 1 !0:107:9
// ir:   store %66, %65, align 16 !0:107:9
// ir:   %67 = extract %3, 0:i32 : i32 !0:108:11
// ir:   %68 = extract %3, 1:i32 : i32 !0:108:11
// ir:   %69 = extract %3, 2:i32 : i32 !0:108:11
// ir:   %70 = image_read.sampled.unsigned %0, %2, %67, %68, %69 : i32x4 !0:108:11
// ir:   %71 = padd %5, 48:i64 * 1 !0:108:9
// ir:   store %71, %70, align 16 !0:108:9
// ir:   %72 = extract %4, 0:i32 : f32 !0:109:11
// ir:   %73 = extract %4, 1:i32 : f32 !0:109:11
// ir:   %74 = extract %4, 2:i32 : f32 !0:109:11
// ir:   %75 = image_read.sampled.unsigned %0, %2, %72, %73, %74 : i32x4 !0:109:11
// ir:   %76 = padd %5, 48:i64 * 1 !0:109:9
// ir:   store %76, %75, align 16 !0:109:9
// ir:   %77 = extract %3, 0:i32 : i32 !0:110:11
// ir:   %78 = extract %3, 1:i32 : i32 !0:110:11
// ir:   %79 = extract %3, 2:i32 : i32 !0:110:11
// ir:   %80 = image_read.unsigned %1, %77, %78, %79 : i32x4 !0:110:11
// ir:   %81 = padd %5, 48:i64 * 1 !0:110:9
// ir:   store %81, %80, align 16 !0:110:9
// ir:   return !0:110:9
// ir: }
// ir: kernel @r2d_depth(%0.i: image2d_depth.read "image2d_depth_t" access read, %1.rw: image2d_depth.read_write "image2d_depth_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32x2 "int2", %4.f: f32x2 "float2", %5.o: ptr.global "struct depth*" align 4 access read_write) {
// ir:   %6 = extract %3, 0:i32 : i32 !0:113:10
// ir:   %7 = extract %3, 1:i32 : i32 !0:113:10
// ir:   %8 = image_read %0, %6, %7 : f32 !0:113:10
// ir:   store %5, %8, align 4 !0:113:8
// ir:   %9 = extract %3, 0:i32 : i32 !0:114:10
// ir:   %10 = extract %3, 1:i32 : i32 !0:114:10
// ir:   %11 = image_read.sampled %0, %2, %9, %10 : f32 !0:114:10
// ir:   store %5, %11, align 4 !0:114:8
// ir:   %12 = extract %4, 0:i32 : f32 !0:115:10
// ir:   %13 = extract %4, 1:i32 : f32 !0:115:10
// ir:   %14 = image_read.sampled %0, %2, %12, %13 : f32 !0:115:10
// ir:   store %5, %14, align 4 !0:115:8
// ir:   %15 = extract %3, 0:i32 : i32 !0:116:10
// ir:   %16 = extract %3, 1:i32 : i32 !0:116:10
// ir:   %17 = image_read %1, %15, %16 : f32 !0:116:10
// ir:   store %5, %17, align 4 !0:116:8
// ir:   return !0:116:8
// ir: }
// ir: kernel @r2d_array_depth(%0.i: image2d_array_depth.read "image2d_array_depth_t" access read, %1.rw: image2d_array_depth.read_write "image2d_array_depth_t" access read_write, %2.s: i32 "sampler_t" of sampler, %3.at: i32x4 "int4", %4.f: f32x4 "float4", %5.o: ptr.global "struct depth*" align 4 access read_write) {
// ir:   %6 = extract %3, 0:i32 : i32 !0:119:10
// ir:   %7 = extract %3, 1:i32 : i32 !0:119:10
// ir:   %8 = extract %3, 2:i32 : i32 !0:119:10
// ir:   %9 = image_read %0, %6, %7, %8 : f32 !0:119:10
// ir:   store %5, %9, align 4 !0:119:8
// ir:   %10 = extract %3, 0:i32 : i32 !0:120:10
// ir:   %11 = extract %3, 1:i32 : i32 !0:120:10
// ir:   %12 = extract %3, 2:i32 : i32 !0:120:10
// ir:   %13 = image_read.sampled %0, %2, %10, %11, %12 : f32 !0:120:10
// ir:   store %5, %13, align 4 !0:120:8
// ir:   %14 = extract %4, 0:i32 : f32 !0:121:10
// ir:   %15 = extract %4, 1:i32 : f32 !0:121:10
// ir:   %16 = extract %4, 2:i32 : f32 !0:121:10
// ir:   %17 = image_read.sampled %0, %2, %14, %15, %16 : f32 !0:121:10
// ir:   store %5, %17, align 4 !0:121:8
// ir:   %18 = extract %3, 0:i32 : i32 !0:122:10
// ir:   %19 = extract %3, 1:i32 : i32 !0:122:10
// ir:   %20 = extract %3, 2:i32 : i32 !0:122:10
// ir:   %21 = image_read %1, %18, %19, %20 : f32 !0:122:10
// ir:   store %5, %21, align 4 !0:122:8
// ir:   return !0:122:8
// ir: }
