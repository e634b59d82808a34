// A private array of shorts is as aligned as a vector of its size, which vstorea_half relies on: SSE crashed.
// run: -g 3 -p 0:u16 zero:u16:48 iota:f32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 15360 16384 16896 17408 17664 17920 18176 0 0 0 0 0 0 0 0 18432 18560 18688 18816 18944 19072 19200 19328 0 0 0 0 0 0 0 0 19456 19520 19584 19648 19712 19776 19840 19904
kernel void k(global short *o, global const float *x) {
  volatile short t[16];
  size_t g = get_global_id(0);
  for (int i = 0; i < 16; i++)
    t[i] = 0;
  vstorea_half8(vload8(g, x), 0, (half *)t + 8);
  for (int i = 0; i < 16; i++)
    o[g * 16 + i] = t[i];
}
