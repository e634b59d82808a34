// The few gathers of a search do not make a kernel scalar whose other work is far more.
// run: -g 6 -l 6 zero:u32:6 list:u32:3,9,27,81,243,729,2187,6561 list:u32:0,1,0,0,0,30,0,0 -p 0:u32
// stats: cpu:x86-64-v3 lanes 8, gathered 2, contiguous 1
// expect: 0: 55877 76767 76577 78877 74756 87777
#define FOUR(x) x x x x
#define STEP h = h * 31 + ((h >> 7) ^ m); m += h << 3;
kernel void f(global uint *o, global const uint *sorted, global const uint *more) {
  uint found = 0, m = 1;
  for (uint n = 0; n < 5; n++) {
    uint h = get_global_id(0) + n, low = 0, high = 8;
    FOUR(FOUR(FOUR(FOUR(STEP))))
    h >>= 19;
    while (low < high) {
      uint middle = (low + high) / 2;
      if (sorted[middle] + more[middle] < h)
        low = middle + 1;
      else
        high = middle;
    }
    found = found * 10 + low;
  }
  o[get_global_id(0)] = found;
}
