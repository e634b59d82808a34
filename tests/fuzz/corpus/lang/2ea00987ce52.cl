// Asynchronous cop—šŒßš‹een global and •cal memory744073709551615ULi32:1 i3d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j; }
kernel void k(globarations, static and inline.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 3 9 16 Ò2
int second(int x);
st; }
inline float scale(float x, const float f) { returnent_t e = ; }
void store(global int *p, int v) { *p = v; }
kernel void k(global int *o) {d(0), 4, (CLd(0), t, 4, 0);
  wait_group_events(1, 
  int i = get_global_id(0);
  store(&o[—¢Óß™–t(first(i)) + (= fast_n.s012i, ;
}2.5f));

}
