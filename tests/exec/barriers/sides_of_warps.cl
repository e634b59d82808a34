// Conditions on the number of the work-item, of which most warps take one side: between barriers the machine then runs them
// without a mask. Limits of zero, below zero, in the middle of a warp and beyond the group.
// run: -g 40 -l 40 zero:i32:40 i32=16 -p 0:i32
// formula: -k k_formula -D FORMULA
// run: -g 37 -l 37 zero:i32:37 i32=5 -p 0:i32
// formula: -k k_formula -D FORMULA
// run: -g 37 -l 37 zero:i32:37 i32=0 -p 0:i32
// formula: -k k_formula -D FORMULA
// run: -g 23 -l 23 zero:i32:23 i32=-2 -p 0:i32
// formula: -k k_formula -D FORMULA
// run: -g 35 -l 35 zero:i32:35 i32=99 -p 0:i32
// formula: -k k_formula -D FORMULA
// run: -g 33 -l 33 zero:i32:33 i32=33 -p 0:i32
// formula: -k k_formula -D FORMULA
// run: -g 64 -l 64 zero:i32:64 i32=63 -p 0:i32
// formula: -k k_formula -D FORMULA
kernel void k(global int *out, int m) {
  local int t[64];
  int l = get_local_id(0), size = get_local_size(0);
  uint u = m;
  t[l] = l * l + 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  int a = l >= m ? t[m >= 0 ? l - m : l] : 0;
  int b = l > m ? t[l] : 0;
  int c = l < m ? t[size - 1 - l] : 0;
  int d = (uint)l <= u ? t[l] * 3 : 0;
  int e;
  if (get_local_id(0) < u)
    e = t[l] + 1;
  else
    e = t[0] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a + 7 * b + 11 * c;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = t[l] + 13 * d + 17 * e;
}

#ifdef FORMULA // In closed form, by the first work-item alone: element l of the array is l * l + 3.
#define AT(l) ((l) * (l) + 3)
kernel void k_formula(global int *out, int m) {
  int size = get_global_size(0);
  if (get_global_id(0))
    return;
  for (int l = 0; l < size; l++) {
    int below = m < 0 || l < m; // m as a natural number
    out[l] = (l < m ? 11 * AT(size - 1 - l) : AT(m < 0 ? l : l - m)) + (l > m ? 7 * AT(l) : 0);
    out[l] += below || l == m ? 39 * AT(l) : 0;
    out[l] += below ? 17 * AT(l) + 17 : 102;
  }
}
#endif
