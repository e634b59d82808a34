struct pair { int a; float b; };

kernel void saxpy(int n, float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

kernel void values(global float *out, float3 v, uchar2 u, struct pair p, half h, ulong q, double d) {
  out[0] = v.x + v.y + v.z;
  out[1] = u.x + u.y;
  out[2] = p.a + p.b;
  out[3] = h;
  out[4] = q;
  out[5] = d;
}

kernel void reverse(global int *data, local int *tile) {
  int l = get_local_id(0), n = get_local_size(0);
  tile[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[n - 1 - l];
}

kernel __attribute__((reqd_work_group_size(4, 2, 1))) void ids(global uint *out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
      get_group_id(0) + 10 * get_group_id(1) + 100 * get_local_size(1);
}

kernel void offsets(global uint *out) {
  if (out)
    out[get_global_id(0) - get_global_offset(0)] = get_global_id(0);
}

kernel void hello(int n) { printf("hello %d\n", n); }
