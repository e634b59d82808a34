// Linear ids and enqueued sizes (OpenCL C 2.0), with an offset, and with a smaller last group.
// run: -g 4,4 -l 2,2 --offset 1,2 -p 0:i32 --options -cl-std=CL2.0 zero:i32:16
// expect: 0: 220000 220101 220002 220103 220204 220305 220206 220307 220008 220109 220010 220111 220212 220313 220214 220315
// run: -g 4,3 -l 2,2 -p 0:i32 --options -cl-std=CL2.0 zero:i32:12
// skip: opencl PoCL has no partial groups
// skip: text OpenCL C 1.2 has no partial groups
// expect: 0: 220000 220101 220002 220103 220204 220305 220206 220307 210008 210109 210010 210111
kernel void k(global int *o) {
  size_t i = get_global_id(0) - get_global_offset(0) + get_global_size(0) * (get_global_id(1) - get_global_offset(1));
  o[i] = get_global_linear_id() + 100 * get_local_linear_id() + 10000 * get_local_size(1) +
         100000 * get_enqueued_local_size(1);
}
