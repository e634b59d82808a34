// The dimension argument may be computed.
// run: -g 3,2 -l 3,1 -p 0:i32 zero:i32:6
// expect: 0: 302 1302 2302 312 1312 2312
kernel void k(global int *o) {
  int r = 0;
  for (uint d = 0; d < get_work_dim(); d++)
    r = r * 100 + get_global_id(d) * 10 + get_global_size(d);
  o[get_global_id(1) * 3 + get_global_id(0)] = r;
}
