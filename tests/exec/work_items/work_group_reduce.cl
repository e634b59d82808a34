// A reduction and a scan of whole groups: the sum of all, and of all up to this one.
// run: -g 12 -l 6 --options=-cl-std=CL3.0 -p 0:i32 iota:i32:12
// expect: 0: 15 16 18 21 25 30 57 64 72 81 91 102
kernel void k(global int *o) {
  int i = (int)get_global_id(0), x = o[i];
  o[i] = work_group_scan_exclusive_add(x) + x + work_group_reduce_add(x);
}
