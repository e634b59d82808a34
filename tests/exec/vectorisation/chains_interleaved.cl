// One chain of operations per work-item, in kernels that ask for local ids: several registers per value where rows are long
// enough, one where they are not. Expected values: computed in Python.
// run: -k loop -g 120 -l 24 -p 0:u32:8 zero:u32:8 u32=7 i32=5
// expect: 0: 3969199040 130432992 3714226736 940382336 871423136 3091887712 2951114128 1456417792
// stats: cpu:x86-64-v4 64 lanes, 16 per register
// run: -k loop -g 64 -l 16 -p 0:u32:8 zero:u32:8 u32=7 i32=5
// expect: 0: 2104535296 3313483008 765433216 3934034944 1634458112 2482284800 666854016 3294171136
// run: -k loop -g 300 -l 100 -p 0:u32:8 zero:u32:8 u32=7 i32=5
// expect: 0: 3449331968 3188232768 1982490336 3388254208 151602560 2098829024 2508885520 3958896896
// run: -k loop -g 512 -l 256 -p 0:u32:8 zero:u32:8 u32=7 i32=5
// expect: 0: 2340845568 4055255040 368540672 3352977408 884228096 4094486528 1194599424 1300185088
// run: -k straight -g 120 -l 24 -p 0:u32:8 zero:u32:8 u32=7
// expect: 0: 2201463744 1809362912 2673304112 4209744000 2227944608 2406893152 2111739280 3241094144
// stats: cpu:x86-64-v4 64 lanes, 16 per register
// run: -k straight -g 300 -l 100 -p 0:u32:8 zero:u32:8 u32=7
// expect: 0: 1055269120 1651126848 1431762656 195995648 1765623168 1366738656 926402064 185792768
#define STEP x = y * x + y; y = x * y + x;
#define STEPS STEP STEP STEP STEP
kernel void loop(global uint *out, uint x, int n) {
  uint y = get_local_id(0), i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    STEPS
  }
  atomic_add(&out[i % 8], y * (i + 1));
}
kernel void straight(global uint *out, uint x) {
  uint y = get_local_id(0), i = get_global_id(0);
  STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS
  atomic_add(&out[i % 8], y * (i + 1));
}
