// The mean of each inner element of a grid of w by h and of its four neighbours, in steps (docs/tuning.md):
//   kiln run stencil.cl -k two_indices -g 2048,2048 --time --repeat 11 rand:f32:4194304 zero:f32:4194304 i32=2048 i32=2048
#define MEAN(i) out[i] = 0.2f * (in[i] + in[(i) - 1] + in[(i) + 1] + in[(i) - w] + in[(i) + w])

// A work-item per element of memory, which divides to find out where it is.
kernel void one_index(global const float *in, global float *out, int w, int h) {
  int i = get_global_id(0), x = i % w, y = i / w;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    MEAN(i);
}

// The dimensions of the launch are those of the data.
kernel void two_indices(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    MEAN(y * w + x);
}

// Inner elements alone: -g 2046,2046 --offset 1,1
kernel void inner(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  MEAN(y * w + x);
}
