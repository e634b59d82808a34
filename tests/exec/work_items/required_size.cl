// reqd_work_group_size is taken when the launch names no local size.
// run: -g 8 -p 0:i32 zero:i32:8
// expect: 0: 40 41 42 43 40 41 42 43
// run: -g 8 -l 4 -p 0:i32 zero:i32:8
// expect: 0: 40 41 42 43 40 41 42 43
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *o) {
  o[get_global_id(0)] = get_local_size(0) * 10 + get_local_id(0);
}
