// A kernel that asks for no id of dimension 1 or 2 runs for all of their work-items, of full groups and of partial ones.
// run: -g 19,5,3 -l 8,2,2 -p 0:i32 zero:i32:20
// expect: 0: 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 285
kernel void k(global int *a) {
  atomic_inc(&a[get_global_id(0)]);
  atomic_inc(&a[19]);
}
