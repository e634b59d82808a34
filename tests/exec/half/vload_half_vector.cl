// Vector forms of the half loads and stores, with rounding.
// run: -g 1 -p 1:f32 -p 2:u16 list:f16:1,2,3,4 zero:f32:4 zero:u16:8
// expect: 1: 1 2 3 4
// expect: 2: 15360 16384 16896 17408 15361 16385 16897 17409
kernel void k(global const half *a, global float *f, global half *h) {
  float4 v = vload_half4(0, a);
  vstore4(v, 0, f);
  vstore_half4_rtz(v + 0.0007f, 0, h);
  vstore_half4_rtp(v + 0.0001f, 1, h);
}
