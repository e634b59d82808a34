constant sampler_t nearest = CLK_FILTER_NEAREST;
float4 from(int i) {
  return read_imagef(i, nearest, (int2)(0));
}
float4 not_reached(image2d_t i) { return read_imagef(i, nearest, (int2)(0)); }
float4 between(int i) { return from(i) * 2; }
kernel void k(global float4 *o) {
  o[0] = between(5);
}
kernel void l(global int *o) { o[0] = nearest; }
// expect: 3:10: error: function 'read_imagef' is not supported: there are no images
// expect: 6:32: note: called by 'between' here
