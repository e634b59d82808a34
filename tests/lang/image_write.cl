// options: images std=200 ir
// Every function that writes, by dimension and access.
struct pixels {
  float4 f;
  half4 h;
  int4 i;
  uint4 ui;
};
struct depth {
  float f;
};
kernel void w1d(write_only image1d_t i, read_write image1d_t rw, int at, global struct pixels *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
  write_imageh(i, at, o->h);
  write_imageh(rw, at, o->h);
  write_imagei(i, at, o->i);
  write_imagei(rw, at, o->i);
  write_imageui(i, at, o->ui);
  write_imageui(rw, at, o->ui);
}
kernel void w1d_buffer(write_only image1d_buffer_t i, read_write image1d_buffer_t rw, int at, global struct pixels *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
  write_imageh(i, at, o->h);
  write_imageh(rw, at, o->h);
  write_imagei(i, at, o->i);
  write_imagei(rw, at, o->i);
  write_imageui(i, at, o->ui);
  write_imageui(rw, at, o->ui);
}
kernel void w1d_array(write_only image1d_array_t i, read_write image1d_array_t rw, int2 at, global struct pixels *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
  write_imageh(i, at, o->h);
  write_imageh(rw, at, o->h);
  write_imagei(i, at, o->i);
  write_imagei(rw, at, o->i);
  write_imageui(i, at, o->ui);
  write_imageui(rw, at, o->ui);
}
kernel void w2d(write_only image2d_t i, read_write image2d_t rw, int2 at, global struct pixels *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
  write_imageh(i, at, o->h);
  write_imageh(rw, at, o->h);
  write_imagei(i, at, o->i);
  write_imagei(rw, at, o->i);
  write_imageui(i, at, o->ui);
  write_imageui(rw, at, o->ui);
}
kernel void w2d_array(write_only image2d_array_t i, read_write image2d_array_t rw, int4 at, global struct pixels *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
  write_imageh(i, at, o->h);
  write_imageh(rw, at, o->h);
  write_imagei(i, at, o->i);
  write_imagei(rw, at, o->i);
  write_imageui(i, at, o->ui);
  write_imageui(rw, at, o->ui);
}
kernel void w3d(write_only image3d_t i, read_write image3d_t rw, int4 at, global struct pixels *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
  write_imageh(i, at, o->h);
  write_imageh(rw, at, o->h);
  write_imagei(i, at, o->i);
  write_imagei(rw, at, o->i);
  write_imageui(i, at, o->ui);
  write_imageui(rw, at, o->ui);
}
kernel void w2d_depth(write_only image2d_depth_t i, read_write image2d_depth_t rw, int2 at, global struct depth *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
}
kernel void w2d_array_depth(write_only image2d_array_depth_t i, read_write image2d_array_depth_t rw, int4 at, global struct depth *o) {
  write_imagef(i, at, o->f);
  write_imagef(rw, at, o->f);
}
// expect: none
// ir: file 0 "image_write.cl"
// ir: kernel @w1d(%0.i: image1d.write "image1d_t" access write, %1.rw: image1d.read_write "image1d_t" access read_write, %2.at: i32 "int", %3.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %4 = load %3, align 16 : f32x4 !0:13:26
// ir:   image_write %0, %2, %4 !0:13:3
// ir:   %5 = load %3, align 16 : f32x4 !0:14:27
// ir:   image_write %1, %2, %5 !0:14:3
// ir:   %6 = padd %3, 16:i64 * 1 !0:15:26
// ir:   %7 = load %6, align 16 : f16x4 !0:15:26
// ir:   image_write %0, %2, %7 !0:15:3
// ir:   %8 = padd %3, 16:i64 * 1 !0:16:27
// ir:   %9 = load %8, align 16 : f16x4 !0:16:27
// ir:   image_write %1, %2, %9 !0:16:3
// ir:   %10 = padd %3, 32:i64 * 1 !0:17:26
// ir:   %11 = load %10, align 16 : i32x4 !0:17:26
// ir:   image_write %0, %2, %11 !0:17:3
// ir:   %12 = padd %3, 32:i64 * 1 !0:18:27
// ir:   %13 = load %12, align 16 : i32x4 !0:18:27
// ir:   image_write %1, %2, %13 !0:18:3
// ir:   %14 = padd %3, 48:i64 * 1 !0:19:27
// ir:   %15 = load %14, align 16 : i32x4 !0:19:27
// ir:   image_write.unsigned %0, %2, %15 !0:19:3
// ir:   %16 = padd %3, 48:i64 * 1 !0:20:28
// ir:   %17 = load %16, align 16 : i32x4 !0:20:28
// ir:   image_write.unsigned %1, %2, %17 !0:20:3
// ir:   return !0:20:3
// ir: }
// ir: kernel @w1d_buffer(%0.i: image1d_buffer.write "image1d_buffer_t" access write, %1.rw: image1d_buffer.read_write "image1d_buffer_t" access read_write, %2.at: i32 "int", %3.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %4 = load %3, align 16 : f32x4 !0:23:26
// ir:   image_write %0, %2, %4 !0:23:3
// ir:   %5 = load %3, align 16 : f32x4 !0:24:27
// ir:   image_write %1, %2, %5 !0:24:3
// ir:   %6 = padd %3, 16:i64 * 1 !0:25:26
// ir:   %7 = load %6, align 16 : f16x4 !0:25:26
// ir:   image_write %0, %2, %7 !0:25:3
// ir:   %8 = padd %3, 16:i64 * 1 !0:26:27
// ir:   %9 = load %8, align 16 : f16x4 !0:26:27
// ir:   image_write %1, %2, %9 !0:26:3
// ir:   %10 = padd %3, 32:i64 * 1 !0:27:26
// ir:   %11 = load %10, align 16 : i32x4 !0:27:26
// ir:   image_write %0, %2, %11 !0:27:3
// ir:   %12 = padd %3, 32:i64 * 1 !0:28:27
// ir:   %13 = load %12, align 16 : i32x4 !0:28:27
// ir:   image_write %1, %2, %13 !0:28:3
// ir:   %14 = padd %3, 48:i64 * 1 !0:29:27
// ir:   %15 = load %14, align 16 : i32x4 !0:29:27
// ir:   image_write.unsigned %0, %2, %15 !0:29:3
// ir:   %16 = padd %3, 48:i64 * 1 !0:30:28
// ir:   %17 = load %16, align 16 : i32x4 !0:30:28
// ir:   image_write.unsigned %1, %2, %17 !0:30:3
// ir:   return !0:30:3
// ir: }
// ir: kernel @w1d_array(%0.i: image1d_array.write "image1d_array_t" access write, %1.rw: image1d_array.read_write "image1d_array_t" access read_write, %2.at: i32x2 "int2", %3.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %4 = load %3, align 16 : f32x4 !0:33:26
// ir:   %5 = extract %2, 0:i32 : i32 !0:33:3
// ir:   %6 = extract %2, 1:i32 : i32 !0:33:3
// ir:   image_write %0, %5, %6, %4 !0:33:3
// ir:   %7 = load %3, align 16 : f32x4 !0:34:27
// ir:   %8 = extract %2, 0:i32 : i32 !0:34:3
// ir:   %9 = extract %2, 1:i32 : i32 !0:34:3
// ir:   image_write %1, %8, %9, %7 !0:34:3
// ir:   %10 = padd %3, 16:i64 * 1 !0:35:26
// ir:   %11 = load %10, align 16 : f16x4 !0:35:26
// ir:   %12 = extract %2, 0:i32 : i32 !0:35:3
// ir:   %13 = extract %2, 1:i32 : i32 !0:35:3
// ir:   image_write %0, %12, %13, %11 !0:35:3
// ir:   %14 = padd %3, 16:i64 * 1 !0:36:27
// ir:   %15 = load %14, align 16 : f16x4 !0:36:27
// ir:   %16 = extract %2, 0:i32 : i32 !0:36:3
// ir:   %17 = extract %2, 1:i32 : i32 !0:36:3
// ir:   image_write %1, %16, %17, %15 !0:36:3
// ir:   %18 = padd %3, 32:i64 * 1 !0:37:26
// ir:   %19 = load %18, align 16 : i32x4 !0:37:26
// ir:   %20 = extract %2, 0:i32 : i32 !0:37:3
// ir:   %21 = extract %2, 1:i32 : i32 !0:37:3
// ir:   image_write %0, %20, %21, %19 !0:37:3
// ir:   %22 = padd %3, 32:i64 * 1 !0:38:27
// ir:   %23 = load %22, align 16 : i32x4 !0:38:27
// ir:   %24 = extract %2, 0:i32 : i32 !0:38:3
// ir:   %25 = extract %2, 1:i32 : i32 !0:38:3
// ir:   image_write %1, %24, %25, %23 !0:38:3
// ir:   %26 = padd %3, 48:i64 * 1 !0:39:27
// ir:   %27 = load %26, align 16 : i32x4 !0:39:27
// ir:   %28 = extract %2, 0:i32 : i32 !0:39:3
// ir:   %29 = extract %2, 1:i32 : i32 !0:39:3
// ir:   image_write.unsigned %0, %28, %29, %27 !0:39:3
// ir:   %30 = padd %3, 48:i64 * 1 !0:40:28
// ir:   %31 = load %30, align 16 : i32x4 !0:40:28
// ir:   %32 = extract %2, 0:i32 : i32 !0:40:3
// ir:   %33 = extract %2, 1:i32 : i32 !0:40:3
// ir:   image_write.unsigned %1, %32, %33, %31 !0:40:3
// ir:   return !0:40:3
// ir: }
// ir: kernel @w2d(%0.i: image2d.write "image2d_t" access write, %1.rw: image2d.read_write "image2d_t" access read_write, %2.at: i32x2 "int2", %3.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %4 = load %3, align 16 : f32x4 !0:43:26
// ir:   %5 = extract %2, 0:i32 : i32 !0:43:3
// ir:   %6 = extract %2, 1:i32 : i32 !0:43:3
// ir:   image_write %0, %5, %6, %4 !0:43:3
// ir:   %7 = load %3, align 16 : f32x4 !0:44:27
// ir:   %8 = extract %2, 0:i32 : i32 !0:44:3
// ir:   %9 = extract %2, 1:i32 : i32 !0:44:3
// ir:   image_write %1, %8, %9, %7 !0:44:3
// ir:   %10 = padd %3, 16:i64 * 1 !0:45:26
// ir:   %11 = load %10, align 16 : f16x4 !0:45:26
// ir:   %12 = extract %2, 0:i32 : i32 !0:45:3
// ir:   %13 = extract %2, 1:i32 : i32 !0:45:3
// ir:   image_write %0, %12, %13, %11 !0:45:3
// ir:   %14 = padd %3, 16:i64 * 1 !0:46:27
// ir:   %15 = load %14, align 16 : f16x4 !0:46:27
// ir:   %16 = extract %2, 0:i32 : i32 !0:46:3
// ir:   %17 = extract %2, 1:i32 : i32 !0:46:3
// ir:   image_write %1, %16, %17, %15 !0:46:3
// ir:   %18 = padd %3, 32:i64 * 1 !0:47:26
// ir:   %19 = load %18, align 16 : i32x4 !0:47:26
// ir:   %20 = extract %2, 0:i32 : i32 !0:47:3
// ir:   %21 = extract %2, 1:i32 : i32 !0:47:3
// ir:   image_write %0, %20, %21, %19 !0:47:3
// ir:   %22 = padd %3, 32:i64 * 1 !0:48:27
// ir:   %23 = load %22, align 16 : i32x4 !0:48:27
// ir:   %24 = extract %2, 0:i32 : i32 !0:48:3
// ir:   %25 = extract %2, 1:i32 : i32 !0:48:3
// ir:   image_write %1, %24, %25, %23 !0:48:3
// ir:   %26 = padd %3, 48:i64 * 1 !0:49:27
// ir:   %27 = load %26, align 16 : i32x4 !0:49:27
// ir:   %28 = extract %2, 0:i32 : i32 !0:49:3
// ir:   %29 = extract %2, 1:i32 : i32 !0:49:3
// ir:   image_write.unsigned %0, %28, %29, %27 !0:49:3
// ir:   %30 = padd %3, 48:i64 * 1 !0:50:28
// ir:   %31 = load %30, align 16 : i32x4 !0:50:28
// ir:   %32 = extract %2, 0:i32 : i32 !0:50:3
// ir:   %33 = extract %2, 1:i32 : i32 !0:50:3
// ir:   image_write.unsigned %1, %32, %33, %31 !0:50:3
// ir:   return !0:50:3
// ir: }
// ir: kernel @w2d_array(%0.i: image2d_array.write "image2d_array_t" access write, %1.rw: image2d_array.read_write "image2d_array_t" access read_write, %2.at: i32x4 "int4", %3.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %4 = load %3, align 16 : f32x4 !0:53:26
// ir:   %5 = extract %2, 0:i32 : i32 !0:53:3
// ir:   %6 = extract %2, 1:i32 : i32 !0:53:3
// ir:   %7 = extract %2, 2:i32 : i32 !0:53:3
// ir:   image_write %0, %5, %6, %7, %4 !0:53:3
// ir:   %8 = load %3, align 16 : f32x4 !0:54:27
// ir:   %9 = extract %2, 0:i32 : i32 !0:54:3
// ir:   %10 = extract %2, 1:i32 : i32 !0:54:3
// ir:   %11 = extract %2, 2:i32 : i32 !0:54:3
// ir:   image_write %1, %9, %10, %11, %8 !0:54:3
// ir:   %12 = padd %3, 16:i64 * 1 !0:55:26
// ir:   %13 = load %12, align 16 : f16x4 !0:55:26
// ir:   %14 = extract %2, 0:i32 : i32 !0:55:3
// ir:   %15 = extract %2, 1:i32 : i32 !0:55:3
// ir:   %16 = extract %2, 2:i32 : i32 !0:55:3
// ir:   image_write %0, %14, %15, %16, %13 !0:55:3
// ir:   %17 = padd %3, 16:i64 * 1 !0:56:27
// ir:   %18 = load %17, align 16 : f16x4 !0:56:27
// ir:   %19 = extract %2, 0:i32 : i32 !0:56:3
// ir:   %20 = extract %2, 1:i32 : i32 !0:56:3
// ir:   %21 = extract %2, 2:i32 : i32 !0:56:3
// ir:   image_write %1, %19, %20, %21, %18 !0:56:3
// ir:   %22 = padd %3, 32:i64 * 1 !0:57:26
// ir:   %23 = load %22, align 16 : i32x4 !0:57:26
// ir:   %24 = extract %2, 0:i32 : i32 !0:57:3
// ir:   %25 = extract %2, 1:i32 : i32 !0:57:3
// ir:   %26 = extract %2, 2:i32 : i32 !0:57:3
// ir:   image_write %0, %24, %25, %26, %23 !0:57:3
// ir:   %27 = padd %3, 32:i64 * 1 !0:58:27
// ir:   %28 = load %27, align 16 : i32x4 !0:58:27
// ir:   %29 = extract %2, 0:i32 : i32 !0:58:3
// ir:   %30 = extract %2, 1:i32 : i32 !0:58:3
// ir:   %31 = extract %2, 2:i32 : i32 !0:58:3
// ir:   image_write %1, %29, %30, %31, %28 !0:58:3
// ir:   %32 = padd %3, 48:i64 * 1 !0:59:27
// ir:   %33 = load %32, align 16 : i32x4 !0:59:27
// ir:   %34 = extract %2, 0:i32 : i32 !0:59:3
// ir:   %35 = extract %2, 1:i32 : i32 !0:59:3
// ir:   %36 = extract %2, 2:i32 : i32 !0:59:3
// ir:   image_write.unsigned %0, %34, %35, %36, %33 !0:59:3
// ir:   %37 = padd %3, 48:i64 * 1 !0:60:28
// ir:   %38 = load %37, align 16 : i32x4 !0:60:28
// ir:   %39 = extract %2, 0:i32 : i32 !0:60:3
// ir:   %40 = extract %2, 1:i32 : i32 !0:60:3
// ir:   %41 = extract %2, 2:i32 : i32 !0:60:3
// ir:   image_write.unsigned %1, %39, %40, %41, %38 !0:60:3
// ir:   return !0:60:3
// ir: }
// ir: kernel @w3d(%0.i: image3d.write "image3d_t" access write, %1.rw: image3d.read_write "image3d_t" access read_write, %2.at: i32x4 "int4", %3.o: ptr.global "struct pixels*" align 16 access read_write) {
// ir:   %4 = load %3, align 16 : f32x4 !0:63:26
// ir:   %5 = extract %2, 0:i32 : i32 !0:63:3
// ir:   %6 = extract %2, 1:i32 : i32 !0:63:3
// ir:   %7 = extract %2, 2:i32 : i32 !0:63:3
// ir:   image_write %0, %5, %6, %7, %4 !0:63:3
// ir:   %8 = load %3, align 16 : f32x4 !0:64:27
// ir:   %9 = extract %2, 0:i32 : i32 !0:64:3
// ir:   %10 = extract %2, 1:i32 : i32 !0:64:3
// ir:   %11 = extract %2, 2:i32 : i32 !0:64:3
// ir:   image_write %1, %9, %10, %11, %8 !0:64:3
// ir:   %12 = padd %3, 16:i64 * 1 !0:65:26
// ir:   %13 = load %12, align 16 : f16x4 !0:65:26
// ir:   %14 = extract %2, 0:i32 : i32 !0:65:3
// ir:   %15 = extract %2, 1:i32 : i32 !0:65:3
// ir:   %16 = extract %2, 2:i32 : i32 !0:65:3
// ir:   image_write %0, %14, %15, %16, %13 !0:65:3
// ir:   %17 = padd %3, 16:i64 * 1 !0:66:27
// ir:   %18 = load %17, align 16 : f16x4 !0:66:27
// ir:   %19 = extract %2, 0:i32 : i32 !0:66:3
// ir:   %20 = extract %2, 1:i32 : i32 !0:66:3
// ir:   %21 = extract %2, 2:i32 : i32 !0:66:3
// ir:   image_write %1, %19, %20, %21, %18 !0:66:3
// ir:   %22 = padd %3, 32:i64 * 1 !0:67:26
// ir:   %23 = load %22, align 16 : i32x4 !0:67:26
// ir:   %24 = extract %2, 0:i32 : i32 !0:67:3
// ir:   %25 = extract %2, 1:i32 : i32 !0:67:3
// ir:   %26 = extract %2, 2:i32 : i32 !0:67:3
// ir:   image_write %0, %24, %25, %26, %23 !0:67:3
// ir:   %27 = padd %3, 32:i64 * 1 !0:68:27
// ir:   %28 = load %27, align 16 : i32x4 !0:68:27
// ir:   %29 = extract %2, 0:i32 : i32 !0:68:3
// ir:   %30 = extract %2, 1:i32 : i32 !0:68:3
// ir:   %31 = extract %2, 2:i32 : i32 !0:68:3
// ir:   image_write %1, %29, %30, %31, %28 !0:68:3
// ir:   %32 = padd %3, 48:i64 * 1 !0:69:27
// ir:   %33 = load %32, align 16 : i32x4 !0:69:27
// ir:   %34 = extract %2, 0:i32 : i32 !0:69:3
// ir:   %35 = extract %2, 1:i32 : i32 !0:69:3
// ir:   %36 = extract %2, 2:i32 : i32 !0:69:3
// ir:   image_write.unsigned %0, %34, %35, %36, %33 !0:69:3
// ir:   %37 = padd %3, 48:i64 * 1 !0:70:28
// ir:   %38 = load %37, align 16 : i32x4 !0:70:28
// ir:   %39 = extract %2, 0:i32 : i32 !0:70:3
// ir:   %40 = extract %2, 1:i32 : i32 !0:70:3
// ir:   %41 = extract %2, 2:i32 : i32 !0:70:3
// ir:   image_write.unsigned %1, %39, %40, %41, %38 !0:70:3
// ir:   return !0:70:3
// ir: }
// ir: kernel @w2d_depth(%0.i: image2d_depth.write "image2d_depth_t" access write, %1.rw: image2d_depth.read_write "image2d_depth_t" access read_write, %2.at: i32x2 "int2", %3.o: ptr.global "struct depth*" align 4 access read_write) {
// ir:   %4 = load %3, align 4 : f32 !0:73:26
// ir:   %5 = extract %2, 0:i32 : i32 !0:73:3
// ir:   %6 = extract %2, 1:i32 : i32 !0:73:3
// ir:   image_write %0, %5, %6, %4 !0:73:3
// ir:   %7 = load %3, align 4 : f32 !0:74:27
// ir:   %8 = extract %2, 0:i32 : i32 !0:74:3
// ir:   %9 = extract %2, 1:i32 : i32 !0:74:3
// ir:   image_write %1, %8, %9, %7 !0:74:3
// ir:   return !0:74:3
// ir: }
// ir: kernel @w2d_array_depth(%0.i: image2d_array_depth.write "image2d_array_depth_t" access write, %1.rw: image2d_array_depth.read_write "image2d_array_depth_t" access read_write, %2.at: i32x4 "int4", %3.o: ptr.global "struct depth*" align 4 access read_write) {
// ir:   %4 = load %3, align 4 : f32 !0:77:26
// ir:   %5 = extract %2, 0:i32 : i32 !0:77:3
// ir:   %6 = extract %2, 1:i32 : i32 !0:77:3
// ir:   %7 = extract %2, 2:i32 : i32 !0:77:3
// ir:   image_write %0, %5, %6, %7, %4 !0:77:3
// ir:   %8 = load %3, align 4 : f32 !0:78:27
// ir:   %9 = extract %2, 0:i32 : i32 !0:78:3
// ir:   %10 = extract %2, 1:i32 : i32 !0:78:3
// ir:   %11 = extract %2, 2:i32 : i32 !0:78:3
// ir:   image_write %1, %9, %10, %11, %8 !0:78:3
// ir:   return !0:78:3
// ir: }
