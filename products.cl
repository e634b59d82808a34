kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void products(global float *o, global const ushort *a, global const ushort *b, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += intel_convert_as_bfloat16_float(a[k]) * intel_convert_as_bfloat16_float(b[k * 32 + get_global_id(0)]);
  o[get_global_id(0)] = sum;
}
