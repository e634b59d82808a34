// options: images std=200 ir
// Functions take images and samplers, also functions that are overloaded, and kernels that are called.
float4 fetch(read_only image2d_t image, sampler_t sampler, int2 at) { return read_imagef(image, sampler, at); }
void store(write_only image2d_t image, int2 at, float4 pixel) { write_imagef(image, at, pixel); }
inline void copy(read_only image2d_t from, write_only image2d_t to, sampler_t sampler, int2 at) {
  if (at.x < get_image_width(to))
    store(to, at, fetch(from, sampler, at));
}
__attribute__((overloadable)) int size(read_only image2d_t image) { return get_image_height(image); }
__attribute__((overloadable)) int size(write_only image2d_t image) { return -get_image_height(image); }
__attribute__((overloadable)) int size(read_only image3d_t image) { return get_image_depth(image); }
__attribute__((overloadable)) int size(sampler_t sampler) { return 1; }
__attribute__((overloadable)) int size(float number) { return 2; }
kernel void first(read_only image2d_t from, write_only image2d_t to, sampler_t sampler) {
  copy(from, to, sampler, (int2)(get_global_id(0), get_global_id(1)));
}
kernel void second(image2d_t from, write_only image2d_t to, image3d_t volume, sampler_t sampler, global int *o) {
  first(from, to, sampler);
  first(from, to, CLK_FILTER_NEAREST);
  o[0] = size(from);
  o[1] = size(to);
  o[2] = size(volume);
  o[3] = size(sampler);
  o[4] = size(1.0f);
}
// expect: none
// ir: file 0 "image_helpers.cl"
// ir: func @fetch(%0.image: image2d.read "image2d_t" access read, %1.sampler: i32 "sampler_t", %2.at: i32x2 "int2") : f32x4 {
// ir:   %3 = extract %2, 0:i32 : i32 !0:3:78
// ir:   %4 = extract %2, 1:i32 : i32 !0:3:78
// ir:   %5 = image_read.sampled %0, %1, %3, %4 : f32x4 !0:3:78
// ir:   return %5 !0:3:71
// ir: }
// ir: func @store(%0.image: image2d.write "image2d_t" access write, %1.at: i32x2 "int2", %2.pixel: f32x4 "float4") {
// ir:   %3 = extract %1, 0:i32 : i32 !0:4:65
// ir:   %4 = extract %1, 1:i32 : i32 !0:4:65
// ir:   image_write %0, %3, %4, %2 !0:4:65
// ir:   return !0:4:65
// ir: }
// ir: func @copy(%0.from: image2d.read "image2d_t" access read, %1.to: image2d.write "image2d_t" access write, %2.sampler: i32 "sampler_t", %3.at: i32x2 "int2") {
// ir:   %4 = extract %3, 0:i32 : i32 !0:6:10
// ir:   %5 = image_query.width %1 : i32 !0:6:14
// ir:   %6 = slt %4, %5 !0:6:12
// ir:   if %6 !0:6:3 {
// ir:     %7 = call @fetch(%0, %2, %3) : f32x4 !0:7:19
// ir:     call @store(%1, %3, %7) !0:7:5
// ir:     yield !0:7:5
// ir:   }
// ir:   return !0:7:5
// ir: }
// ir: func @"first.call"(%0.from: image2d.read "image2d_t" access read, %1.to: image2d.write "image2d_t" access write, %2.sampler: i32 "sampler_t") {
// ir:   %3 = global_id 0 : i64 !0:15:34
// ir:   %4 = trunc %3 : i32 !0:15:34
// ir:   %5 = global_id 1 : i64 !0:15:52
// ir:   %6 = trunc %5 : i32 !0:15:52
// ir:   %7 = vec %4, %6 : i32x2 !0:15:27
// ir:   call @copy(%0, %1, %2, %7) !0:15:3
// ir:   return !0:15:3
// ir: }
// ir: kernel @first(%0.from: image2d.read "image2d_t" access read, %1.to: image2d.write "image2d_t" access write, %2.sampler: i32 "sampler_t" of sampler) {
// ir:   %3 = global_id 0 : i64 !0:15:34
// ir:   %4 = trunc %3 : i32 !0:15:34
// ir:   %5 = global_id 1 : i64 !0:15:52
// ir:   %6 = trunc %5 : i32 !0:15:52
// ir:   %7 = vec %4, %6 : i32x2 !0:15:27
// ir:   call @copy(%0, %1, %2, %7) !0:15:3
// ir:   return !0:15:3
// ir: }
// ir: func @"size.3"(%0.image: image2d.read "image2d_t" access read) : i32 {
// ir:   %1 = image_query.height %0 : i32 !0:9:76
// ir:   return %1 !0:9:69
// ir: }
// ir: func @"size.4"(%0.image: image2d.write "image2d_t" access write) : i32 {
// ir:   %1 = image_query.height %0 : i32 !0:10:78
// ir:   %2 = isub 0:i32, %1 !0:10:77
// ir:   return %2 !0:10:70
// ir: }
// ir: func @"size.5"(%0.image: image3d.read "image3d_t" access read) : i32 {
// ir:   %1 = image_query.depth %0 : i32 !0:11:76
// ir:   return %1 !0:11:69
// ir: }
// ir: func @"size.6"(%0.sampler: i32 "sampler_t") : i32 {
// ir:   return 1:i32 !0:12:61
// ir: }
// ir: func @"size.7"(%0.number: f32 "float") : i32 {
// ir:   return 2:i32 !0:13:56
// ir: }
// ir: kernel @second(%0.from: image2d.read "image2d_t" access read, %1.to: image2d.write "image2d_t" access write, %2.volume: image3d.read "image3d_t" access read, %3.sampler: i32 "sampler_t" of sampler, %4.o: ptr.global "int*" align 4 access read_write) {
// ir:   call @"first.call"(%0, %1, %3) !0:18:3
// ir:   call @"first.call"(%0, %1, 16:i32) !0:19:3
// ir:   %5 = call @"size.3"(%0) : i32 !0:20:10
// ir:   %6 = padd %4, 0:i64 * 4 !0:20:3
// ir:   store %6, %5, align 4 !0:20:8
// ir:   %7 = call @"size.4"(%1) : i32 !0:21:10
// ir:   %8 = padd %4, 1:i64 * 4 !0:21:3
// ir:   store %8, %7, align 4 !0:21:8
// ir:   %9 = call @"size.5"(%2) : i32 !0:22:10
// ir:   %10 = padd %4, 2:i64 * 4 !0:22:3
// ir:   store %10, %9, align 4 !0:22:8
// ir:   %11 = call @"size.6"(%3) : i32 !0:23:10
// ir:   %12 = padd %4, 3:i64 * 4 !0:23:3
// ir:   store %12, %11, align 4 !0:23:8
// ir:   %13 = call @"size.7"(1.0:f32) : i32 !0:24:10
// ir:   %14 = padd %4, 4:i64 * 4 !0:24:3
// ir:   store %14, %13, align 4 !0:24:8
// ir:   return !0:24:8
// ir: }
