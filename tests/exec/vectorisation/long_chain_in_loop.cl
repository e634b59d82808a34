// A long loop whose operations wait for one another gets several registers per value; a small variable in memory is no
// hindrance.
// run: -g 40 zero:u32:40 -p 0:u32
// stats: cpu:x86-64-v3 lanes 32, by-lane 2, contiguous 1
// expect: 0: 1 461923087 1323199447 1317376370 753870382 1109225982 3198592766 2534755777 1991702349 2467924354 2281189546 2311750308 735634233 1475086667 4208913950 819337974 587871709 1668525710 837758378 1452911764 2281211450 2777705879 3639130872 3523197367 756511900 3533906835 2456657767 3218008400 2069710621 326874485 1242294859 2389139740 2977642976 3080603513 1657804003 2249199560 1202494551 395590524 190715168 588807139
#define FOUR(x) x x x x
#define STEP h = h * 31 + ((h >> 7) ^ (h << 9));
kernel void f(global uint *o) {
  uint h = get_global_id(0);
  volatile uint more = 1;
  for (uint n = 0; n < 5; n++) {
    FOUR(FOUR(FOUR(STEP)))
  }
  o[get_global_id(0)] = h + more;
}
