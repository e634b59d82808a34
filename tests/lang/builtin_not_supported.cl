// options: std=300
kernel void k(global atomic_half *a, global int *o) {
  if (o[0] > 3)
    o[2] = 1;
  o = __builtin_alloca(16);
  o[1] = __builtin_amdgcn_workitem_id_x();
}
// expect: 2:22: error: type 'atomic_half' is not supported: there are no atomic operations of 16 bits
// expect: 5:7: error: function '__builtin_alloca' is not supported: the size of a variable is constant
// expect: 6:10: error: function '__builtin_amdgcn_workitem_id_x' is not supported: it is of one vendor's processors
