// options: image-library
// What takes the place of operations is there, also for functions that no kernel calls, and its names are taken.
float4 helper(read_only image2d_t image, int2 at) { return read_imagef(image, 16, at); }
int4 not_called(read_only image3d_t image) { return read_imagei(image, (int4)(0)); }
kernel void k(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, helper(in, at));
}
kernel void __kiln_image_write_f(int x) {}
int __kiln_image_mine(int x);
// expect: 9:13: error: '__kiln_image_write_f' is a name that the library keeps for itself
// expect: 10:5: error: '__kiln_image_mine' is a name that the library keeps for itself
