// Groups of one column that run as one part ways: some leave before the first barrier, and some count only, with atomic
// operations on local memory. Expectations by a simulation in Python.
// run: -g 70,8 -l 1,8 zero:i32:4 i32=64 iota:i32:768 -p 0:i32
// skip: opencl PoCL runs barriers under conditions wrongly (docs/peer-faults.md)
// expect: 0: 212484 8444886 2119 560
// run: -g 96,8 -l 1,8 zero:i32:4 i32=41 iota:i32:768 -p 0:i32
// skip: opencl PoCL runs barriers under conditions wrongly (docs/peer-faults.md)
// expect: 0: 103630 2591456 1327 768
// run: -g 64,8 -l 1,8 zero:i32:4 i32=0 iota:i32:768 -p 0:i32
// skip: opencl PoCL runs barriers under conditions wrongly (docs/peer-faults.md)
// expect: 0: 0 0 0 512
kernel void k(global int *out, int columns, global const int *in) {
  local uint count[4];
  local uchar seen[8];
  int x = get_global_id(0), y = get_local_id(1);
  if (x < columns) {
    if (y < 4)
      count[y] = 0;
    seen[y] = (uchar)in[y * (int)get_global_size(0) + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&count[(x * 5 + y * y) & 3], (uint)(x + 1));
    if ((x + y) % 3 == 0)
      atomic_inc(&count[y & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = (int)count[y & 3] * (y + 1) + seen[7 - y];
    atomic_add(&out[0], v);
    atomic_add(&out[1], v * (x + 1));
    atomic_max(&out[2], v);
  }
  atomic_add(&out[3], 1);
}
