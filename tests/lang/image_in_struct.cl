struct pair {
  image2d_t a;
  int b;
};
typedef sampler_t other;
kernel void k(global int *o) { o[0] = sizeof(struct pair); }
// expect: 2:3: error: type 'image2d_t' is not supported: there are no images
