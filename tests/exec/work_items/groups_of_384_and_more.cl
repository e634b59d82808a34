// Groups that are larger than what AMD GPUs' code is made for by default.
// run: -g 768 -l 384 -p 0:u32:6 zero:u32:16
// expect: 0: 23445120 23520000 23594112 23667456 23740032 23811840
// run: -g 2048 -l 1024 -p 0:u32:6 zero:u32:16
// expect: 0: 447392430 447918768 448443054 448965288 446342820 446864040
// run: -g 640,4 -l 160,4 -p 0:u32:6 zero:u32:16
// expect: 0: 129279464 129284296 129893892 129895480 128360724 128363904
kernel void reversed(global uint *o) {
  local uint t[1024];
  uint l = get_local_id(1) * get_local_size(0) + get_local_id(0), n = get_local_size(0) * get_local_size(1);
  t[l] = get_global_id(0) * 3 + get_global_id(1) * 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&o[l % 6], t[n - 1 - l] * (l + 1));
}
