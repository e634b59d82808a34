// options: images std=200 ir
// An access qualifier stands before the type or after it, with underscores or without; none is read_only.
typedef image2d_t plain;
typedef write_only image2d_t written;
kernel void before(read_only image1d_t a, write_only image2d_t b, read_write image3d_t c) {}
kernel void before_(__read_only image1d_t a, __write_only image2d_t b, __read_write image3d_t c) {}
kernel void after(image1d_array_t read_only image, image2d_t write_only b, image1d_buffer_t read_write c) {}
kernel void after_(image1d_array_t __read_only a, image2d_depth_t __write_only b, image2d_array_depth_t __read_write c) {}
kernel void none(image1d_t a, const image2d_array_t b, image3d_t const c) {}
kernel void names(plain a, read_only plain b, written c, written write_only d) {}
// expect: none
// ir: file 0 "image_qualifiers.cl"
// ir: kernel @before(%0.a: image1d.read "image1d_t" access read, %1.b: image2d.write "image2d_t" access write, %2.c: image3d.read_write "image3d_t" access read_write) {
// ir:   return !0:5:88
// ir: }
// ir: kernel @before_(%0.a: image1d.read "image1d_t" access read, %1.b: image2d.write "image2d_t" access write, %2.c: image3d.read_write "image3d_t" access read_write) {
// ir:   return !0:6:95
// ir: }
// ir: kernel @after(%0.image: image1d_array.read "image1d_array_t" access read, %1.b: image2d.write "image2d_t" access write, %2.c: image1d_buffer.read_write "image1d_buffer_t" access read_write) {
// ir:   return !0:7:104
// ir: }
// ir: kernel @after_(%0.a: image1d_array.read "image1d_array_t" access read, %1.b: image2d_depth.write "image2d_depth_t" access write, %2.c: image2d_array_depth.read_write "image2d_array_depth_t" access read_write) {
// ir:   return !0:8:118
// ir: }
// ir: kernel @none(%0.a: image1d.read "image1d_t" access read, %1.b: image2d_array.read "image2d_array_t" access read, %2.c: image3d.read "image3d_t" access read) {
// ir:   return !0:9:72
// ir: }
// ir: kernel @names(%0.a: image2d.read "image2d_t" access read, %1.b: image2d.read "image2d_t" access read, %2.c: image2d.write "image2d_t" access write, %3.d: image2d.write "image2d_t" access write) {
// ir:   return !0:10:77
// ir: }
