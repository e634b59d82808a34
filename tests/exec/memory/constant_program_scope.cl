// Program-scope constant data: scalars, arrays, structs, vectors.
// run: -g 4 -p 0:f32 zero:f32:4
// expect: 0: 123024 118992 124042.5 99013
typedef struct { int n; float w[2]; } entry;
constant float table[4] = {1.5f, -2, 3.25f};
constant int factor = 3 * 4 - 2;
constant entry entries[2] = {{1, {2, 3}}, {4, {5, 6}}};
__constant float4 weights = (float4)(1, 2, 3, 4);
constant uchar sbox[] = {0x63, 0x7c, 0x77, 0x7b};
kernel void k(global float *o) {
  int i = get_global_id(0);
  o[i] = table[i] * factor + entries[i & 1].w[i >> 1] + weights.z + sbox[3 - i] * 1000 + entries[1].n;
}
