// The same sum over a row of each work-item's own in several spellings, which have one plan. Sums keep their order.
// run: -g 19 -k counted -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.48755 -89.74271 826.4368 940.5425 1217.1467 -1376.4779 3.4262695 -133.61476 519.6335 -297.88788 -1937.6624 -1765.4563 2103.4204 -206.86496 2466.6328 269.56134 795.039 -478.99268 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k pointer -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.48755 -89.74271 826.4368 940.5425 1217.1467 -1376.4779 3.4262695 -133.61476 519.6335 -297.88788 -1937.6624 -1765.4563 2103.4204 -206.86496 2466.6328 269.56134 795.039 -478.99268 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k bounds -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.48755 -89.74271 826.4368 940.5425 1217.1467 -1376.4779 3.4262695 -133.61476 519.6335 -297.88788 -1937.6624 -1765.4563 2103.4204 -206.86496 2466.6328 269.56134 795.039 -478.99268 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k downwards -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.4876 -89.742744 826.4368 940.54254 1217.147 -1376.478 3.426262 -133.61485 519.63354 -297.88794 -1937.6625 -1765.4563 2103.4207 -206.86502 2466.6328 269.56134 795.0391 -478.9927 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k by_two -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=6
// expect: 1: -1920.6146 227.46875 3025.5295 -458.78113 459.80414 1028.9417 -1793.9307 716.08716 -1515.9946 1141.3048 -282.6183 526.18695 -3024.774 -1171.7537 1874.3367 1170.7019 296.76562 1390.1694 -1446.5599
// stats: cpu:x86-64-v3 lanes 8, gathered 2, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 2, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k walked -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.48755 -89.74271 826.4368 940.5425 1217.1467 -1376.4779 3.4262695 -133.61476 519.6335 -297.88788 -1937.6624 -1765.4563 2103.4204 -206.86496 2466.6328 269.56134 795.039 -478.99268 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k pointer_bounds -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.48755 -89.74271 826.4368 940.5425 1217.1467 -1376.4779 3.4262695 -133.61476 519.6335 -297.88788 -1937.6624 -1765.4563 2103.4204 -206.86496 2466.6328 269.56134 795.039 -478.99268 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k down_to_first -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.4876 -89.742744 826.4368 940.54254 1217.147 -1376.478 3.426262 -133.61485 519.63354 -297.88794 -1937.6625 -1765.4563 2103.4207 -206.86502 2466.6328 269.56134 795.0391 -478.9927 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k pointer_down -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=7
// expect: 1: -949.4876 -89.742744 826.4368 940.54254 1217.147 -1376.478 3.426262 -133.61485 519.63354 -297.88794 -1937.6625 -1765.4563 2103.4207 -206.86502 2466.6328 269.56134 795.0391 -478.9927 1146.8284
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// run: -g 19 -k wrapped -p 1:f32 rand:f32:134:5:-1000:1000 zero:f32:19 i32=5
// expect: 1: 0 0 737.6282 687.35016 -371.80518 1147.7346 611.489 -1692.3583 118.194855 28.497284 195.22766 315.35806 -349.74426 99.90399 -208.69693 -2278.4468 -348.63202 1006.9936 1459.9749
// stats: cpu:x86-64-v3 lanes 8, gathered 1, transposed 1, contiguous 1, remainder-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 1, transposed 1, contiguous 1, remainder-loop 1
#define ROW int i = get_global_id(0); float s = 0
kernel void counted(global const float *a, global float *y, int n) {
  ROW;
  for (int k = 0; k < n; k++)
    s += a[i * n + k];
  y[i] = s;
}
kernel void pointer(global const float *a, global float *y, int n) {
  ROW;
  global const float *p = a + i * n, *e = p + n;
  for (; p < e; p++)
    s += *p;
  y[i] = s;
}
kernel void bounds(global const float *a, global float *y, int n) {
  ROW;
  for (int k = i * n; k < (i + 1) * n; k++)
    s += a[k];
  y[i] = s;
}
kernel void downwards(global const float *a, global float *y, int n) {
  ROW;
  for (int k = n - 1; k >= 0; k--)
    s += a[i * n + k];
  y[i] = s;
}
kernel void by_two(global const float *a, global float *y, int n) {
  ROW;
  for (int k = 0; k < n; k += 2) {
    s += a[i * n + k];
    s += a[i * n + k + 1];
  }
  y[i] = s;
}
kernel void walked(global const float *a, global float *y, int n) {
  ROW;
  global const float *p = a + i * n;
  for (int k = 0; k < n; k++)
    s += *p++;
  y[i] = s;
}
kernel void pointer_bounds(global const float *a, global float *y, int n) {
  ROW;
  for (global const float *p = a + i * n; p < a + (i + 1) * n; p++)
    s += *p;
  y[i] = s;
}
kernel void down_to_first(global const float *a, global float *y, int n) {
  ROW;
  for (int k = (i + 1) * n - 1; k >= i * n; k--)
    s += a[k];
  y[i] = s;
}
kernel void pointer_down(global const float *a, global float *y, int n) {
  ROW;
  for (global const float *p = a + i * n, *e = p + n; e > p;)
    s += *--e;
  y[i] = s;
}
kernel void wrapped(global const float *a, global float *y, int n) { // work-items 0 and 1 run no iteration
  ROW;
  ulong f = (ulong)i - 2, e = f + n;
  for (ulong k = f; k < e; k++)
    s += a[k - f + i * n];
  y[i] = s;
}
