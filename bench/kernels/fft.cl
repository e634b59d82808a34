// 256 points per group of 128 work-items, radix 2, in local memory. w: exp(-2 pi i k / 256)
kernel void fft(global const float2 *in, global float2 *out, global const float2 *w) {
  local float2 t[256];
  uint l = get_local_id(0), base = get_group_id(0) * 256;
  for (uint i = l; i < 256; i += 128) {
    uint r = ((i & 0xaa) >> 1) | ((i & 0x55) << 1);
    r = ((r & 0xcc) >> 2) | ((r & 0x33) << 2);
    r = (r >> 4) | ((r & 15) << 4);
    t[r] = in[base + i];
  }
  for (uint half_size = 1; half_size < 256; half_size <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint k = l & (half_size - 1), at = ((l - k) << 1) + k;
    float2 c = w[k * (128 / half_size)], u = t[at], v = t[at + half_size];
    v = (float2)(v.x * c.x - v.y * c.y, v.x * c.y + v.y * c.x);
    t[at] = u + v;
    t[at + half_size] = u - v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + l] = t[l];
  out[base + l + 128] = t[l + 128];
}
