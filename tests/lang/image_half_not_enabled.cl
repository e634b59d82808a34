// options: images no-fp16
kernel void k(image2d_t in, write_only image2d_t out, global float *o) {
  o[0] = read_imageh(in, (int2)(0)).x;
  write_imageh(out, (int2)(0), 0);
  o[1] = read_imagef(in, (int2)(0)).x;
}
// expect: 3:10: error: 'read_imageh' requires cl_khr_fp16 support
// expect: 4:3: error: 'write_imageh' requires cl_khr_fp16 support
