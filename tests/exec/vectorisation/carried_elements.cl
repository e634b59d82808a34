// Loads of what the previous iteration of a loop stored: the loop carries the value, unless something else may be stored
// there.
// run: -k before -g 19 -p 0:u32:114 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12 list:u32:3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16 i32=6
// formula: -k before_formula -D FORMULA
// run: -k before -g 3 -p 0:u32:3 list:u32:3,10,17 list:u32:3,8,13 i32=1
// formula: -k before_formula -D FORMULA
// run: -k before -g 2 -p 0:u32:4 list:u32:3,10,17,1 list:u32:3,8,13,18 i32=2
// formula: -k before_formula -D FORMULA
// run: -k before -g 9 -p 0:u32:45 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12 same:0 i32=5
// formula: -k before_formula -D FORMULA
// run: -k both -g 18 -p 0:u32:108 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16 list:u32:3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9,14,19,1,6,11,16,21,3,8,13,18,0,5,10,15,20,2,7,12,17,22,4,9 u32=6
// formula: -k both_formula -D FORMULA
// run: -k both -g 18 -p 0:u32:108 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16 same:0 u32=6
// formula: -k both_formula -D FORMULA
// run: -k after -g 17 -p 0:u32:119 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1 i32=7
// formula: -k after_formula -D FORMULA
// run: -k down -g 17 -p 0:u32:119 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1 i32=7
// formula: -k down_formula -D FORMULA
// run: -k down_carried -g 17 -p 0:u32:119 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1 i32=7
// formula: -k down_carried_formula -D FORMULA
// run: -k farther -g 17 -p 0:u32:238 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6 i32=7
// formula: -k farther_formula -D FORMULA
// run: -k sometimes -g 17 -p 0:u32:119 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1 i32=7
// formula: -k sometimes_formula -D FORMULA
// run: -k halves -g 17 -p 0:u32:119 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14,21,5,12,19,3,10,17,1 i32=7
// formula: -k halves_formula -D FORMULA
// run: -k local_sums -g 19 -l 19 -p 1:u32:19 list:u32:3,10,17,1,8,15,22,6,13,20,4,11,18,2,9,16,0,7,14 zero:u32:19
// formula: -k local_sums_formula -D FORMULA
// The element before, of work-items that each go through a row.
kernel void before(global uint *a, global const uint *b, int n) {
  int g = get_global_id(0);
  for (int j = 1; j < n; j++) a[g * n + j] = a[g * n + j] + a[g * n + j - 1] * b[g * n + j];
}

// Two arrays, which may be one.
kernel void both(global uint *a, global uint *b, uint n) {
  size_t g = get_global_id(0) * n;
  for (uint j = 2; j < n; j++) {
    a[g + j] += a[g + j - 1] ^ b[g + j - 1];
    b[g + j] = b[g + j - 1] * 3 + a[g + j];
  }
}

// What is loaded is stored later, not before: upwards and downwards.
kernel void after(global uint *a, int n) {
  int g = get_global_id(0) * n;
  for (int j = 0; j < n - 1; j++) a[g + j] = a[g + j + 1] * 2 + 1;
}
kernel void down(global uint *a, int n) {
  int g = get_global_id(0) * n;
  for (int j = 0; j <= n - 2; j++) a[g + n - 1 - j] = a[g + n - 2 - j] + a[g + n - 1 - j];
}
kernel void down_carried(global uint *a, int n) {
  int g = get_global_id(0) * n;
  for (int j = 1; j < n; j++) a[g + n - 1 - j] ^= a[g + n - j] + j;
}

// Two elements on; a store that not every iteration makes; another one between; of half the size.
kernel void farther(global uint *a, int n) {
  int g = get_global_id(0) * 2 * n;
  for (int j = 1; j < n; j++) {
    a[g + 2 * j] += a[g + 2 * j - 2];
    a[g + 2 * j + 1] = a[g + 2 * j - 2] + a[g + 2 * j - 1];
  }
}
kernel void sometimes(global uint *a, int n) {
  int g = get_global_id(0) * n;
  for (int j = 1; j < n; j++) {
    uint x = a[g + j - 1];
    if (x & 1) a[g + j] = x * 3;
  }
}
kernel void halves(global uint *a, int n) {
  int g = get_global_id(0) * n;
  global ushort *h = (global ushort *)a;
  for (int j = 1; j < n; j++) {
    a[g + j] = a[g + j - 1] + j;
    h[2 * (g + j)] += 7;
  }
}

// By local memory, all in one work-item.
kernel void local_sums(global const uint *a, global uint *c) {
  local uint t[20];
  int l = get_local_id(0), n = get_local_size(0);
  t[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    for (int j = 1; j < n; j++) t[j] += t[j - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  c[l] = t[l];
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
// On values that go from element to element.
kernel void before_formula(global uint *a, global const uint *b, int n) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    uint last = a[g * n];
    for (int k = g * n + 1; k < g * n + n; k++)
      a[k] = last = a[k] + last * b[k];
  }
}
kernel void both_formula(global uint *a, global uint *b, uint n) {
  ALONE
  for (int g = FIRST; g < END; g++)
    for (int k = g * n + 2; k < g * n + n; k++) {
      uint sum = a[k] + (a[k - 1] ^ b[k - 1]);
      a[k] = sum;
      b[k] = b[k - 1] * 3 + a[k];
    }
}
kernel void after_formula(global uint *a, int n) {
  ALONE
  for (int g = FIRST; g < END; g++)
    for (int k = g * n; k + 1 < g * n + n; k++)
      a[k] = a[k + 1] * 2 + 1;
}
kernel void down_formula(global uint *a, int n) {
  ALONE
  for (int g = FIRST; g < END; g++)
    for (int k = g * n + n - 1; k > g * n; k--)
      a[k] += a[k - 1];
}
kernel void down_carried_formula(global uint *a, int n) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    uint last = a[g * n + n - 1];
    for (int j = 1; j < n; j++)
      a[g * n + n - 1 - j] = last = a[g * n + n - 1 - j] ^ (last + j);
  }
}
kernel void farther_formula(global uint *a, int n) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    uint even = a[2 * g * n], odd = a[2 * g * n + 1];
    for (int k = 2 * g * n + 2; k < 2 * g * n + 2 * n; k += 2) {
      a[k + 1] = odd = even + odd;
      a[k] = even = a[k] + even;
    }
  }
}
kernel void sometimes_formula(global uint *a, int n) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    uint last = a[g * n];
    for (int k = g * n + 1; k < g * n + n; k++)
      a[k] = last = last % 2 ? last * 3 : a[k];
  }
}
kernel void halves_formula(global uint *a, int n) {
  ALONE
  for (int g = FIRST; g < END; g++) {
    uint last = a[g * n];
    for (int j = 1; j < n; j++) {
      last += j;
      a[g * n + j] = last = last / 65536 * 65536 + (last + 7) % 65536;
    }
  }
}
kernel void local_sums_formula(global const uint *a, global uint *c) {
  ALONE
  uint sum = 0;
  for (int l = FIRST; l < END; l++)
    c[l] = sum += a[l];
}
#endif
