// Groups of one work-item: what is in local memory becomes private, and lanes are work-items of several groups.
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k table zero:u32:7 -p 0:u32
// expect: 0: 3960820194 3450583931 2874516445 1715749972 63444014 3642394797 2327029261
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k queries zero:u32:7 -p 0:u32
// expect: 0: 1593978702 4062819402 1051806872 4233744320 3123570472 2016252624 911790776
// run: -g 64,40,2 -l 1,1,1 --options -cl-std=CL2.0 -k places zero:u32:7 -p 0:u32
// expect: 0: 395079600 327275280 338453280 349639920 360835200 372039120 383251680
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k reduces zero:u32:7 -p 0:u32
// expect: 0: 3327325763 3334475048 3291622193 3298757195 3305895053 3313035767 3320179337
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k counts zero:u32:7 -p 0:u32
// expect: 0: 3345197188 3352353623 3309457913 3316600055 3323745053 3330892907 3338043617
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k parameter zero:u32:7 local:64 -p 0:u32
// expect: 0: 3330900048 3338050763 3295189337 3302325767 3309465053 3316607195 3323752193
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k loops zero:u32:7 -p 0:u32
// expect: 0: 2495451328 2953005568 210422848 667062976 1123885888 1580891584 2038080064
// run: -g 5000 -l 1 --options -cl-std=CL2.0 -k shifts zero:u32:7 -p 0:u32
// expect: 0: 1488092845 1488989005 1483636160 1484524293 1485414028 1486305365 1487198304
#define ADD(x) atomic_add(&o[get_global_id(0) % 7], (uint)(x) * (2 * (uint)get_global_id(0) + 1))
kernel void table(global uint *o) {
  local uint digits[16];
  for (uint i = get_local_id(0); i < 16; i += get_local_size(0))
    digits[i] = i < 10 ? '0' + i : 'a' + i - 10;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint x = get_global_id(0) * 2654435761u, sum = 0;
  for (uint i = 0; i < 8; i++)
    sum = sum * 31 + digits[x >> 4 * i & 15];
  ADD(sum);
}
kernel void queries(global uint *o) {
  local ulong x;
  x = get_local_id(0) + 10 * get_local_size(0) + 100 * get_enqueued_local_size(0) + 1000 * get_group_id(0) +
      100000000 * get_num_groups(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD(x);
}
kernel void places(global uint *o) {
  local uint2 x[3];
  size_t i = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  x[get_local_id(1) + 1] = (uint2)(i, get_local_linear_id());
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD(x[1].x * 3 + x[1].y);
}
kernel void reduces(global uint *o) {
  ADD(work_group_reduce_add((uint)get_global_id(0)) + work_group_scan_exclusive_add(7u));
}
kernel void counts(global uint *o) {
  local uint n;
  n = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&n, 5);
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD(n);
}
kernel void parameter(global uint *o, local uint *x) {
  x[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD(x[0] + 1);
}
kernel void loops(global uint *o) {
  local uint x[8];
  uint sum = get_global_id(0);
  for (uint n = 0; n < 3; n++) {
    x[n + get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += x[n] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  ADD(sum);
}
kernel void shifts(global uint *o) {
  local uint x[4];
  x[get_local_id(0) & 3] = get_global_id(0) >> 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD(x[get_local_id(0) & 3] + get_local_id(0) / 4);
}
