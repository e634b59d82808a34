// A kernel that asks for no id of dimension 1 or 2 runs for all of their work-items, of full groups and of partial ones.
// run: -g 16,4,2 -l 8,2,2 -p 0:i32 zero:i32:20
// expect: 0: 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 0 0 0 128
// run: -g 19,5,3 -l 8,2,2 -p 0:i32 zero:i32:20
// expect: 0: 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 285
// skip: opencl PoCL has no partial groups
kernel void k(global int *a) {
  atomic_inc(&a[get_global_id(0)]);
  atomic_inc(&a[19]);
}
