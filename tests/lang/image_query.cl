// options: images std=200 ir
// Every query, by dimension, of images with any access.
kernel void q1d(read_only image1d_t r, write_only image1d_t w, read_write image1d_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
}
kernel void q1d_buffer(read_only image1d_buffer_t r, write_only image1d_buffer_t w, read_write image1d_buffer_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
}
kernel void q1d_array(read_only image1d_array_t r, write_only image1d_array_t w, read_write image1d_array_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
  *(global size_t *)(o + 6) = get_image_array_size(w);
}
kernel void q2d(read_only image2d_t r, write_only image2d_t w, read_write image2d_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
  o[3] = get_image_height(w);
  *(global int2 *)(o + 8) = get_image_dim(rw);
}
kernel void q2d_array(read_only image2d_array_t r, write_only image2d_array_t w, read_write image2d_array_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
  o[3] = get_image_height(w);
  *(global int2 *)(o + 8) = get_image_dim(rw);
  *(global size_t *)(o + 6) = get_image_array_size(w);
}
kernel void q3d(read_only image3d_t r, write_only image3d_t w, read_write image3d_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
  o[3] = get_image_height(w);
  o[4] = get_image_depth(r);
  *(global int4 *)(o + 8) = get_image_dim(rw);
}
kernel void q2d_depth(read_only image2d_depth_t r, write_only image2d_depth_t w, read_write image2d_depth_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
  o[3] = get_image_height(w);
  *(global int2 *)(o + 8) = get_image_dim(rw);
}
kernel void q2d_array_depth(read_only image2d_array_depth_t r, write_only image2d_array_depth_t w, read_write image2d_array_depth_t rw, global int *o) {
  o[0] = get_image_width(r);
  o[1] = get_image_channel_order(w);
  o[2] = get_image_channel_data_type(rw);
  o[3] = get_image_height(w);
  *(global int2 *)(o + 8) = get_image_dim(rw);
  *(global size_t *)(o + 6) = get_image_array_size(w);
}
// expect: none
// ir: file 0 "image_query.cl"
// ir: kernel @q1d(%0.r: image1d.read "image1d_t" access read, %1.w: image1d.write "image1d_t" access write, %2.rw: image1d.read_write "image1d_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:4:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:4:3
// ir:   store %5, %4, align 4 !0:4:8
// ir:   %6 = image_query.order %1 : i32 !0:5:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:5:3
// ir:   store %7, %6, align 4 !0:5:8
// ir:   %8 = image_query.type %2 : i32 !0:6:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:6:3
// ir:   store %9, %8, align 4 !0:6:8
// ir:   return !0:6:8
// ir: }
// ir: kernel @q1d_buffer(%0.r: image1d_buffer.read "image1d_buffer_t" access read, %1.w: image1d_buffer.write "image1d_buffer_t" access write, %2.rw: image1d_buffer.read_write "image1d_buffer_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:9:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:9:3
// ir:   store %5, %4, align 4 !0:9:8
// ir:   %6 = image_query.order %1 : i32 !0:10:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:10:3
// ir:   store %7, %6, align 4 !0:10:8
// ir:   %8 = image_query.type %2 : i32 !0:11:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:11:3
// ir:   store %9, %8, align 4 !0:11:8
// ir:   return !0:11:8
// ir: }
// ir: kernel @q1d_array(%0.r: image1d_array.read "image1d_array_t" access read, %1.w: image1d_array.write "image1d_array_t" access write, %2.rw: image1d_array.read_write "image1d_array_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:14:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:14:3
// ir:   store %5, %4, align 4 !0:14:8
// ir:   %6 = image_query.order %1 : i32 !0:15:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:15:3
// ir:   store %7, %6, align 4 !0:15:8
// ir:   %8 = image_query.type %2 : i32 !0:16:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:16:3
// ir:   store %9, %8, align 4 !0:16:8
// ir:   %10 = image_query.layers %1 : i32 !0:17:31
// ir:   %11 = zext %10 : i64 !0:17:31
// ir:   %12 = padd %3, 6:i64 * 4 !0:17:24
// ir:   store %12, %11, align 8 !0:17:29
// ir:   return !0:17:29
// ir: }
// ir: kernel @q2d(%0.r: image2d.read "image2d_t" access read, %1.w: image2d.write "image2d_t" access write, %2.rw: image2d.read_write "image2d_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:20:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:20:3
// ir:   store %5, %4, align 4 !0:20:8
// ir:   %6 = image_query.order %1 : i32 !0:21:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:21:3
// ir:   store %7, %6, align 4 !0:21:8
// ir:   %8 = image_query.type %2 : i32 !0:22:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:22:3
// ir:   store %9, %8, align 4 !0:22:8
// ir:   %10 = image_query.height %1 : i32 !0:23:10
// ir:   %11 = padd %3, 3:i64 * 4 !0:23:3
// ir:   store %11, %10, align 4 !0:23:8
// ir:   %12 = image_query.width %2 : i32 !0:24:29
// ir:   %13 = image_query.height %2 : i32 !0:24:29
// ir:   %14 = vec %12, %13 : i32x2 !0:24:29
// ir:   %15 = padd %3, 8:i64 * 4 !0:24:22
// ir:   store %15, %14, align 8 !0:24:27
// ir:   return !0:24:27
// ir: }
// ir: kernel @q2d_array(%0.r: image2d_array.read "image2d_array_t" access read, %1.w: image2d_array.write "image2d_array_t" access write, %2.rw: image2d_array.read_write "image2d_array_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:27:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:27:3
// ir:   store %5, %4, align 4 !0:27:8
// ir:   %6 = image_query.order %1 : i32 !0:28:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:28:3
// ir:   store %7, %6, align 4 !0:28:8
// ir:   %8 = image_query.type %2 : i32 !0:29:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:29:3
// ir:   store %9, %8, align 4 !0:29:8
// ir:   %10 = image_query.height %1 : i32 !0:30:10
// ir:   %11 = padd %3, 3:i64 * 4 !0:30:3
// ir:   store %11, %10, align 4 !0:30:8
// ir:   %12 = image_query.width %2 : i32 !0:31:29
// ir:   %13 = image_query.height %2 : i32 !0:31:29
// ir:   %14 = vec %12, %13 : i32x2 !0:31:29
// ir:   %15 = padd %3, 8:i64 * 4 !0:31:22
// ir:   store %15, %14, align 8 !0:31:27
// ir:   %16 = image_query.layers %1 : i32 !0:32:31
// ir:   %17 = zext %16 : i64 !0:32:31
// ir:   %18 = padd %3, 6:i64 * 4 !0:32:24
// ir:   store %18, %17, align 8 !0:32:29
// ir:   return !0:32:29
// ir: }
// ir: kernel @q3d(%0.r: image3d.read "image3d_t" access read, %1.w: image3d.write "image3d_t" access write, %2.rw: image3d.read_write "image3d_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:35:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:35:3
// ir:   store %5, %4, align 4 !0:35:8
// ir:   %6 = image_query.order %1 : i32 !0:36:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:36:3
// ir:   store %7, %6, align 4 !0:36:8
// ir:   %8 = image_query.type %2 : i32 !0:37:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:37:3
// ir:   store %9, %8, align 4 !0:37:8
// ir:   %10 = image_query.height %1 : i32 !0:38:10
// ir:   %11 = padd %3, 3:i64 * 4 !0:38:3
// ir:   store %11, %10, align 4 !0:38:8
// ir:   %12 = image_query.depth %0 : i32 !0:39:10
// ir:   %13 = padd %3, 4:i64 * 4 !0:39:3
// ir:   store %13, %12, align 4 !0:39:8
// ir:   %14 = image_query.width %2 : i32 !0:40:29
// ir:   %15 = image_query.height %2 : i32 !0:40:29
// ir:   %16 = image_query.depth %2 : i32 !0:40:29
// ir:   %17 = vec %14, %15, %16, 0:i32 : i32x4 !0:40:29
// ir:   %18 = padd %3, 8:i64 * 4 !0:40:22
// ir:   store %18, %17, align 16 !0:40:27
// ir:   return !0:40:27
// ir: }
// ir: kernel @q2d_depth(%0.r: image2d_depth.read "image2d_depth_t" access read, %1.w: image2d_depth.write "image2d_depth_t" access write, %2.rw: image2d_depth.read_write "image2d_depth_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:43:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:43:3
// ir:   store %5, %4, align 4 !0:43:8
// ir:   %6 = image_query.order %1 : i32 !0:44:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:44:3
// ir:   store %7, %6, align 4 !0:44:8
// ir:   %8 = image_query.type %2 : i32 !0:45:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:45:3
// ir:   store %9, %8, align 4 !0:45:8
// ir:   %10 = image_query.height %1 : i32 !0:46:10
// ir:   %11 = padd %3, 3:i64 * 4 !0:46:3
// ir:   store %11, %10, align 4 !0:46:8
// ir:   %12 = image_query.width %2 : i32 !0:47:29
// ir:   %13 = image_query.height %2 : i32 !0:47:29
// ir:   %14 = vec %12, %13 : i32x2 !0:47:29
// ir:   %15 = padd %3, 8:i64 * 4 !0:47:22
// ir:   store %15, %14, align 8 !0:47:27
// ir:   return !0:47:27
// ir: }
// ir: kernel @q2d_array_depth(%0.r: image2d_array_depth.read "image2d_array_depth_t" access read, %1.w: image2d_array_depth.write "image2d_array_depth_t" access write, %2.rw: image2d_array_depth.read_write "image2d_array_depth_t" access read_write, %3.o: ptr.global "int*" align 4 access read_write) {
// ir:   %4 = image_query.width %0 : i32 !0:50:10
// ir:   %5 = padd %3, 0:i64 * 4 !0:50:3
// ir:   store %5, %4, align 4 !0:50:8
// ir:   %6 = image_query.order %1 : i32 !0:51:10
// ir:   %7 = padd %3, 1:i64 * 4 !0:51:3
// ir:   store %7, %6, align 4 !0:51:8
// ir:   %8 = image_query.type %2 : i32 !0:52:10
// ir:   %9 = padd %3, 2:i64 * 4 !0:52:3
// ir:   store %9, %8, align 4 !0:52:8
// ir:   %10 = image_query.height %1 : i32 !0:53:10
// ir:   %11 = padd %3, 3:i64 * 4 !0:53:3
// ir:   store %11, %10, align 4 !0:53:8
// ir:   %12 = image_query.width %2 : i32 !0:54:29
// ir:   %13 = image_query.height %2 : i32 !0:54:29
// ir:   %14 = vec %12, %13 : i32x2 !0:54:29
// ir:   %15 = padd %3, 8:i64 * 4 !0:54:22
// ir:   store %15, %14, align 8 !0:54:27
// ir:   %16 = image_query.layers %1 : i32 !0:55:31
// ir:   %17 = zext %16 : i64 !0:55:31
// ir:   %18 = padd %3, 6:i64 * 4 !0:55:24
// ir:   store %18, %17, align 8 !0:55:29
// ir:   return !0:55:29
// ir: }
