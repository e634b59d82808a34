// 3-component vectors occupy four elements in memory; vload3 and vstore3 are packed.
// run: -g 2 -p 1:i32 -p 2:i32 -p 3:i32 list:i32:1,2,3,4,5,6,7,8 zero:i32:6 fill:i32:8:-1 zero:i32:2
// expect: 1: 10 20 30 50 60 70
// expect: 2: 10 20 30 -1 50 60 70 -1
// expect: 3: 32 32
kernel void k(global const int3 *a, global int *packed, global int3 *o, global int *size) {
  size_t i = get_global_id(0);
  int3 v = a[i] * 10;
  vstore3(v, i, packed);
  o[i].xyz = v;
  size[i] = (int)sizeof(int3) + (int)sizeof(float3);
}
