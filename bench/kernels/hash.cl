// 64 rounds of an integer mixer.
kernel void hash(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  uint x = in[i];
  for (uint r = 0; r < 64; r++) {
    x += r;
    x ^= x >> 16;
    x *= 0x85ebca6b;
    x ^= x >> 13;
    x *= 0xc2b2ae35;
    x ^= x >> 16;
  }
  out[i] = x;
}
