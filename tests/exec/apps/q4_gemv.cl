// Rows of 4-bit blocks, packed structs that begin with a half, times a vector.
// run: -g 32 -l 16 -p 2:f32 -p 4:u16:20 list:u8:146,49,237,220,184,235,3,6,204,111,191,124,230,16,172,1,37,212,88,43,74,251,89,200,245,80,250,180,247,76,131,189,247,71,123,200,184,47,214,252,54,252,29,226,223,233,223,181,148,141,20,236,235,22,250,48,152,94,190,155,150,122,28,202,227,49,119,15,111,32,105,246,149,48,36,33,180,57,1,96,45,159,141,200,155,20,15,238,188,195,220,49,208,82,135,48,0,152,57,152,228,68,65,43,85,196,169,172 rand:f32:96:1:-1:1 zero:f32:2 i32=3 zero:u16:192
// stats: cpu:x86-64-v3 lanes 16, gathered 12, contiguous 8, uniform 2, remainder-loop 1
// tolerance: 0.0001
// expect: 2: 6.3958898 -1.8900402
// expect: 4: 15094 14738 0 14382 47862 46482 14738 15584 15584 14738 46482 48530 14738 48352 47150 47506 15405 15094 14381 15405
#define QK 32
typedef uchar uint8_t;
struct __attribute__((packed)) block_q4_0 {
  half d;
  uint8_t qs[QK / 2];
};
kernel void gemv(global const struct block_q4_0 *x, global const float *y, global float *dst, const int nb,
                 global half *deq) {
  const int row = get_group_id(0), tid = get_local_id(0), ls = get_local_size(0);
  local float tmp[64];
  tmp[tid] = 0;
  for (int i = tid; i < nb * QK / 2; i += ls) {
    const int ib = i / (QK / 2), iq = i % (QK / 2);
    const float d = vload_half(0, &x[row * nb + ib].d);
    const uint8_t vui = x[row * nb + ib].qs[iq];
    const int int8_t_ = vui & 0xF;
    float v0 = (int8_t_ - 8) * d, v1 = ((vui >> 4) - 8) * d;
    tmp[tid] += v0 * y[ib * QK + iq] + v1 * y[ib * QK + iq + QK / 2];
    vstore_half_rte(v0, (row * nb + ib) * QK + iq, deq);
    vstore_half_rtz(v1, (row * nb + ib) * QK + iq + QK / 2, deq);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = ls / 2; s > 0; s >>= 1) {
    if (tid < s)
      tmp[tid] += tmp[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    dst[row] = tmp[0];
}
