typedef sampler_t other;
kernel void k(global int *o) { o[0] = sizeof(other); }
// expect: 1:9: error: type 'sampler_t' is not supported: there are no images
