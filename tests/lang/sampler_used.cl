typedef int number;
constant sampler_t nearest = CLK_FILTER_NEAREST;
kernel void k(global int *o) { o[0] = nearest; }
kernel void l(global int *o) { __typeof__(nearest) x = 3; o[0] = sizeof(x); }
// expect: 3:39: error: type 'sampler_t' is not supported: there are no images
