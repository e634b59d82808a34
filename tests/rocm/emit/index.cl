// Sums of int in indices: what the source says to fit is known where only addresses depend on it, and nowhere else.
//
// check gfx1100 ll neighbours +getelementptr.i8.*i64.-4
// check gfx1100 s neighbours +global_load.*offset:4 +global_load.*offset:-4
// check gfx1100 ll compared +add.i32 -nsw
// check gfx1100 ll guarded +add.i32 -nsw
// check gfx1100 ll stored +add.i32 -nsw
// check gfx1100 ll unsigned_sum +add.i32 -nsw
// check gfx1100 ll in_a_loop -sext.*add
// check gfx1100 s in_a_loop +offset:256 +offset:512
//
// Inputs that a kernel does not use take no registers; sizes of groups come by scalar loads.
// check gfx1030 s one_dimension +amdhsa_system_sgpr_workgroup_id_y.0 +amdhsa_system_vgpr_workitem_id.0
// check gfx1030 s * +amdhsa_user_sgpr_dispatch_ptr.0 -amdhsa_user_sgpr_dispatch_ptr.1 -amdhsa_user_sgpr_dispatch_id.1
// check gfx1030 s two_dimensions +amdhsa_system_sgpr_workgroup_id_y.1 +amdhsa_system_vgpr_workitem_id.1
// check gfx1030 s two_dimensions +s_load_dword -global_load
kernel void neighbours(global const float *x, global float *y, int w) {
  int i = get_global_id(1) * w + (int)get_global_id(0) * w;
  y[i] = x[i + 1] + x[i - 1];
}
kernel void compared(global const float *x, global int *y, int i, int k) {
  int next = i + k;
  y[0] = next > i ? x[next] : 1;
}
kernel void guarded(global const float *x, global float *y, int i, int n) {
  if (i < n && i + 1 < n)
    y[0] = x[i + 1];
}
kernel void stored(global const float *x, global int *y, int i, int k) {
  y[0] = i + k;
  y[1] = x[i + k];
}
kernel void unsigned_sum(global const float *x, global float *y, uint i, uint k) { y[0] = x[(int)(i + k)]; }
kernel void in_a_loop(global const uchar *x, global int *y) {
  int base = get_group_id(0) * 4096, l = get_local_id(0), sum = 0;
  for (int i = 0; i < 4; i++)
    sum += x[base + i * 256 + l];
  y[get_global_id(0)] = sum;
}
kernel void one_dimension(global int *y) { y[get_global_id(0)] = 1; }
kernel void two_dimensions(global int *y, int w) { y[get_global_id(1) * w + get_global_id(0)] = 1; }
