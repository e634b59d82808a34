// Large functions with private arrays that are called often stay functions, also where one calls another.
// run: -g 20 -l 5 -p 1:u32 rand:u32:80:3 zero:u32:20
// expect: 1: 1115838550 1817809815 4056154982 1654691592 1582752368 4027031683 1270461036 1656005791 2980358037 830964993 2991161669 1978876958 3291100322 1534185492 3551247501 4009950493 1814651300 2872801276 3095146636 135815253
// skip: opencl drivers copy the functions into all calls, which takes them a minute
// skip: rocm calls are inlined, which takes half a minute
#define STEP(i)                                                                                                        \
  t = w[(i) & 7] + rotate(w[(i + 3) & 7], t & 31) ^ (t >> 7) * 0x9e3779b9u;                                            \
  w[t & 7] += t + i;
#define STEPS8(i) STEP(i) STEP(i + 1) STEP(i + 2) STEP(i + 3) STEP(i + 4) STEP(i + 5) STEP(i + 6) STEP(i + 7)
#define STEPS64(i)                                                                                                     \
  STEPS8(i) STEPS8(i + 8) STEPS8(i + 16) STEPS8(i + 24) STEPS8(i + 32) STEPS8(i + 40) STEPS8(i + 48) STEPS8(i + 56)

uint mix_words(uint *state, uint t) {
  uint w[8];
  for (uint i = 0; i < 8; i++)
    w[i] = state[i] ^ t;
  STEPS64(0) STEPS64(64) STEPS64(128) STEPS64(192) STEPS64(256) STEPS64(320)
  for (uint i = 0; i < 8; i++)
    state[i] += w[7 - i];
  return t;
}

uint update(uint *state, uint t) {
  uint w[8];
  for (uint i = 0; i < 8; i++)
    w[i] = state[(i + t) & 7];
  STEPS64(512) STEPS64(576) STEPS64(640) STEPS64(704)
  if (t % 3 == 0)
    return mix_words(w, t) + w[t & 7];
  t += mix_words(t % 3 == 1 ? state : w, t);
  for (uint i = 0; i < 8; i++)
    state[i] ^= w[i];
  return t;
}

kernel void hash(global const uint *in, global uint *out) {
  uint id = get_global_id(0), s[8] = {1, 2, 3, 4, 5, 6, 7, 8}, x = 0;
  x += update(s, in[4 * id]);
  x += mix_words(s, in[4 * id + 1]);
  for (uint i = 0; i < id % 4; i++)
    x = update(s, x + in[4 * id + i]);
  switch (x % 5) {
  case 0:
    x ^= update(s, 100);
  case 1:
    x ^= update(s, 101) + mix_words(s, x);
    break;
  case 2:
    x ^= update(s, 102) * update(s, 103);
    break;
  default:
    x ^= update(s, id) - mix_words(s, 104);
  }
  if (id & 1)
    x = update(s, x) + update(s, in[4 * id + 2]);
  x ^= mix_words(s, in[4 * id + 3]);
  out[id] = update(s, x);
}
