// A launch with another local size than the required one is an error.
// run: -g 8 -l 2 -p 0:i32 zero:i32:8
// fails: reqd_work_group_size
__attribute__((reqd_work_group_size(4, 1, 1))) kernel void k(global int *o) { o[get_global_id(0)] = 1; }
