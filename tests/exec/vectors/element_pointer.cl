// The address of a vector component through a pointer to its element type.
// run: -g 4 -p 0:f32 zero:f32:16
// expect: 0: 0 -1 2 3 10 -11 12 13 20 -21 22 23 30 -31 32 33
kernel void k(global float4 *o) {
  size_t i = get_global_id(0);
  global float *p = (global float *)&o[i];
  for (int j = 0; j < 4; j++)
    p[j] = i * 10 + j;
  o[i].y = -o[i].y;
}
