// Products of bfloat16 values before a barrier and behind it, in one sum: what was converted before is used behind.
// run: --options -cl-mad-enable -g 40 -l 8 -p 0:f32 zero:f32:40 list:u16:49344,16256,49312,16384,49280,16448,49216,16512,49152,16544,49024,16576,0,49344,16256,49312,16384,49280,16448,49216,16512,49152,16544,49024,16576,0,49344,16256,49312,16384,49280,16448,49216,16512,49152,16544,49024,16576,0,49344 list:u16:49280,16256,16576,0,16544,49024,16512,49152,16448,49216,16384,49280,16256,16576,0,16544,49024,16512,49152,16448,49216,16384,49280,16256,16576,0,16544,49024,16512,49152,16448,49216,16384,49280,16256,16576,0,16544,49024,16512
// expect: 0: 38 7 -23 12 -18 17 -13 -22 -14 -13 -6 -16 2 -46 -1 -38 2 2 2 2 2 2 2 2 20 2 -16 5 -13 8 -10 11 -16 -18 -10 32 -4 38 2 -34
kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void k(global float *o, global const ushort *a, global const ushort *b) {
  local ushort shared[8];
  int i = get_global_id(0), l = get_local_id(0);
  float x = intel_convert_as_bfloat16_float(a[i]), sum = 2;
  sum += x * intel_convert_as_bfloat16_float(b[i]);
  shared[l] = b[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  sum += x * intel_convert_as_bfloat16_float(shared[7 - l]);
  o[i] = sum;
}
