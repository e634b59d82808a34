// Loops that work-items leave from the first on, since their bound grows along the row: strict and not, downwards, with
// bounds that wrap inside of a vector, signed and unsigned.
// run: -k bounds -g 40 -l 40 list:i32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22 zero:i32:280 u32=4294967280 -p 1:i32
// stats: cpu:x86-64-v3 lanes 16, strided 7, contiguous 25, uniform 3, uniform-loop 5
// formula: -k bounds_formula -D FORMULA
// run: -k bounds -g 16 -l 16 list:i32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22 zero:i32:112 u32=7 -p 1:i32
// formula: -k bounds_formula -D FORMULA
// run: -k bounds -g 48 -l 48 list:i32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22 zero:i32:336 u32=4294967264 -p 1:i32
// formula: -k bounds_formula -D FORMULA
// run: -k bounds -g 5 -l 5 list:i32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22 zero:i32:35 u32=0 -p 1:i32
// formula: -k bounds_formula -D FORMULA
// run: -k bounds -g 40 -l 40 list:i32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22 zero:i32:280 u32=4294967270 -p 1:i32
// formula: -k bounds_formula -D FORMULA
// run: -k bounds -g 33 -l 33 list:i32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22 zero:i32:231 u32=4294967284 -p 1:i32
// formula: -k bounds_formula -D FORMULA
kernel void bounds(global const int *x, global int *out, uint near) {
  local int t[48];
  uint l = get_local_id(0);
  t[l] = x[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (uint i = 0; i < l; i++) // ranks, by comparing all before
    sum += t[i] <= t[l];
  out[7 * l] = sum;
  sum = 0;
  for (int i = 3; i <= (int)l; i++)
    sum += x[i] + t[l];
  out[7 * l + 1] = sum;
  sum = 0;
  for (int i = (int)l; i >= 0; i--)
    sum += t[i];
  out[7 * l + 2] = sum;
  sum = 0;
  for (uint i = near; i < l + near; i++) // the bound wraps in some lanes: they run no iteration
    sum += t[l];
  out[7 * l + 3] = sum;
  sum = 0;
  for (uint i = 0; i <= l - 5; i++) { // and here the first lanes' is huge
    sum += t[l];
    if (i == 9)
      break;
  }
  out[7 * l + 4] = sum;
  sum = 0;
  for (int i = -2; i < (int)(l + 0x7ffffff0u); i++) { // signed, from lane 16 on below all
    sum += t[l];
    if (i == 5)
      break;
  }
  out[7 * l + 5] = sum;
  sum = 0;
  for (ulong i = 0; i < 3 * (ulong)l + 1; i += 2)
    sum += x[i % 48] ^ t[l];
  out[7 * l + 6] = sum;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void bounds_formula(global const int *x, global int *out, uint near) {
  ALONE
  for (int l = FIRST; l < END; l++) {
    int sums[7] = {0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 48; i++) {
      sums[0] += i < l && x[i] <= x[l];
      sums[1] += i >= 3 && i <= l ? x[i] + x[l] : 0;
      sums[2] += i <= l ? x[i] : 0;
    }
    sums[3] = near + (ulong)l >> 32 ? 0 : l * x[l];
    sums[4] = (l < 5 ? 10 : min(l - 4, 10)) * x[l];
    sums[5] = l < 16 ? 8 * x[l] : 0;
    for (int i = 0; 2 * i <= 3 * l; i++)
      sums[6] += x[2 * i % 48] ^ x[l];
    for (int k = 0; k < 7; k++)
      out[7 * l + k] = sums[k];
  }
}
#endif
