// A kernel that moves components of vectors keeps them where the work on them is in a function that is not inlined.
// run: -g 9 -p 0:u32 zero:u32:9 iota:u32:40 iota:u32:9
// stats: cpu:x86-64-v3 1 lane: vectors of the language fill the registers
// expect: 0: 1300078440 2231319940 3886881986 3899634683 1189357650 1300078440 3154002600 983124191 3644177201
__attribute__((noinline)) void mix8(uint8 *state, const uint8 *words) {
  for (int i = 0; i < 8; i++) {
    state[0] = rotate(state[0] + (words[i & 3] ^ state[1]), (uint8)7) * 5u;
    state[1] = rotate(state[1] ^ (words[(i + 1) & 3] + state[0]), (uint8)12) + 9u;
  }
}

kernel void hash_pairs(global uint *out, global const uint *in, global const uint *lengths) {
  size_t id = get_global_id(0);
  uint length = lengths[id] % 5, wanted = 0x60000000;
  uint8 words[4] = {0}, state[2];
  for (uint i = 0; i < length; i++)
    words[i] = in[id * 4 + i];
  state[0] = (uint8)(0, 1, 2, 3, 4, 5, 6, 7), state[1] = words[0];
  mix8(state, words);
  if (length > 2)
    mix8(state, words);
  uint8 x = state[0] ^ state[1];
  uint found = 0;
  if (x.s0 > wanted && x.s1 < wanted)
    found |= 1;
  if (x.s2 > wanted && x.s3 < wanted)
    found |= 2;
  if (x.s4 > wanted && x.s5 < wanted)
    found |= 4;
  if (x.s6 > wanted && x.s7 < wanted)
    found |= 8;
  out[id] = found + x.s0;
}
