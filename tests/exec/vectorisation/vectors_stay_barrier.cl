// Vectors of 8 that stay vectors, across a barrier, in loops and branches that lanes leave.
// run: -g 10 -l 5 -p 1:f32 iota:f32:80 zero:f32:80 local:160
// stats: cpu:x86-64-v3 lanes 4, gathered 1, contiguous 4
// expect: 1: -48 -301.5 -866 -1894.5 -3559 -6069.5 -9647 -14540.5 0 0 0 0 0 0 0 0 -55582.75 -67583.56 -81357.125 -97060.19 -114855.5 -134911.81 -157403.88 -182512.44 0 0 0 0 0 0 0 0 -62875.5 -68947.5 -75370 -81974.5 -89047 -96905.5 -105823 -116096.5 0 0 0 0 0 0 0 0 -2312132.8 -2488369.5 -2674371.5 -2870486 -3077069.8 -3294482 -3.52309e+06 -3763266.5 0 0 0 0 0 0 0 0 -2.22668e+07 -23595338 -24982368 -2.642957e+07 -27938664 -29511382 -31149488 -32854762 0 0 0 0 0 0 0 0
#pragma OPENCL FP_CONTRACT OFF
kernel void k(global const float8 *in, global float8 *out, local float8 *row) {
  int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
  float8 x = in[i], y = x * 2.0f + 1.0f, z = y - x * x;
  row[l] = fmax(x * y, z) + fabs(x - 3.0f) * z;
  barrier(CLK_LOCAL_MEM_FENCE);
  float8 sum = row[(l + 1) % n] * y + z;
  for (int r = 0; r < (i & 3); r++)
    sum = sum * 0.5f + row[l] - x * 0.25f + y * z;
  if (i & 1)
    return;
  out[i] = sum * 0.5f + select(y, x, x < 4.0f) + z * y - x * 8.0f;
}
