// Halves are loaded from and stored to memory of any type, vectors of integers to memory of the other sign.
// run: -g 4 -l 4 -p 1:u32 -p 2:f32 list:u16:0x3c00,0x4000,0xc200,0x3555 zero:u32:4 zero:f32:4
// expect: 1: 16897 17665 50433 16043
// expect: 2: 3 5 -5 1.6665039
kernel void halves(global ushort *in, global uint *words, global float *out) {
  size_t i = get_global_id(0);
  out[i] = vload_half(i, in) * 2 + vload_half(0, (global const void *)in);
  vstore_half(out[i], 2 * i, words);
  int2 pair = (int2)((int)words[i], -1);
  int kept[2];
  vstore2(pair, 0, (uint *)kept);
  words[i] = kept[0] - kept[1];
}
