// Dot products of bytes, arithmetic on pairs of 16-bit values and of floats, mixed precision: instructions that do
// several operations, on the targets that have them.
//
// check gfx900 s dot_bytes -v_dot
// check gfx906 s dot_bytes +v_dot4_i32_i8
// check gfx90a s dot_bytes +v_dot4c_i32_i8
// check gfx942 s dot_bytes +v_dot4c_i32_i8
// check gfx1011 s dot_bytes +v_dot4c_i32_i8
// check gfx1030 s dot_bytes +v_dot4c_i32_i8
// check gfx1100 s dot_bytes +v_dot4_i32_iu8
// check gfx1201 s dot_bytes +v_dot4_i32_iu8
// check gfx906 s dot_unsigned_bytes +v_dot4_u32_u8
// check gfx90a s dot_unsigned_bytes +v_dot4_u32_u8
// check gfx1030 s dot_unsigned_bytes +v_dot4_u32_u8
// check gfx1100 s dot_unsigned_bytes +v_dot4_u32_u8
// check gfx1201 s dot_unsigned_bytes +v_dot4_u32_u8
// check gfx900 s halves +v_pk_fma_f16 -v_fma_f16
// check gfx906 s halves +v_pk_fma_f16 -v_fma_f16
// check gfx90a s halves +v_pk_fma_f16 -v_fma_f16
// check gfx942 s halves +v_pk_fma_f16 -v_fma_f16
// check gfx1030 s halves +v_pk_fma_f16 -v_fma_f16
// check gfx1100 s halves +v_pk_fma_f16 -v_fma_f16
// check gfx1201 s halves +v_pk_fma_f16 -v_fma_f16
// check gfx906 s shorts +v_pk_max_i16 +v_pk_add_u16
// check gfx1100 s shorts +v_pk_max_i16 +v_pk_add_u16
// check gfx906 s mixed +v_fma_mix_f32
// check gfx1100 s mixed +v_fma_mix_f32
// check gfx90a s floats +v_pk_fma_f32
// check gfx942 s floats +v_pk_fma_f32
// check gfx1100 s floats -v_pk_fma_f32
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void dot_bytes(global const char4 *a, global const char4 *b, global int *c) {
  size_t i = get_global_id(0);
  int4 x = convert_int4(a[i]), y = convert_int4(b[i]);
  c[i] += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}
kernel void dot_unsigned_bytes(global const uchar4 *a, global const uchar4 *b, global uint *c) {
  size_t i = get_global_id(0);
  uint4 x = convert_uint4(a[i]), y = convert_uint4(b[i]);
  c[i] += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}
kernel void halves(global const half2 *a, global const half2 *b, global half2 *c) {
  size_t i = get_global_id(0);
  c[i] = fma(a[i], b[i], c[i]) + a[i] * b[i];
}
kernel void shorts(global const short2 *a, global const short2 *b, global short2 *c) {
  size_t i = get_global_id(0);
  c[i] = max(a[i], b[i]) + c[i];
}
kernel void mixed(global const half *a, global const half *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = fma((float)a[i], (float)b[i], c[i]);
}
kernel void floats(global const float2 *a, global const float2 *b, global float2 *c) {
  size_t i = get_global_id(0);
  c[i] = fma(a[i], b[i], c[i]) + a[i] * b[i];
}
