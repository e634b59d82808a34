// Stores of all elements of a record per work-item, in any order: bytes, shorts, words, with what lies between them; also
// such that leave some out, store one twice, or are read in between.
// run: -g 37 -k bytes -p 0:u8 zero:u8:340 iota:i32:40
// stats: cpu:x86-64-v3 lanes 32, gathered 7, contiguous 1, grouped 5
// stats: cpu:x86-64-v4 lanes 64, gathered 7, contiguous 1, grouped 5
// formula: -k bytes_formula -D FORMULA
// run: -g 37 -k shorts -p 0:u16 zero:u16:130 iota:i32:40
// stats: cpu:x86-64-v3 lanes 32, contiguous 1, grouped 3
// stats: cpu:x86-64-v4 lanes 64, contiguous 1, grouped 3
// formula: -k shorts_formula -D FORMULA
// run: -g 37 -k words -p 0:f32 zero:f32:260 iota:i32:40
// stats: cpu:x86-64-v3 lanes 32, strided 2, contiguous 1, grouped 4
// stats: cpu:x86-64-v4 lanes 64, strided 2, contiguous 1, grouped 4
// formula: -k words_formula -D FORMULA
// run: -g 37 -k members -p 0:i32 zero:i32:112 iota:i32:40
// stats: cpu:x86-64-v3 lanes 8, contiguous 1, grouped 3
// stats: cpu:x86-64-v4 lanes 16, contiguous 1, grouped 3
// formula: -k members_formula -D FORMULA
// run: -g 37 -k wide -p 0:i64 zero:i64:150 iota:i32:40
// stats: cpu:x86-64-v3 lanes 32, contiguous 1, grouped 4
// stats: cpu:x86-64-v4 lanes 64, contiguous 1, grouped 4
// formula: -k wide_formula -D FORMULA
// run: -g 24,3 -k picture -p 0:u8 zero:u8:288 i32=24
// stats: cpu:x86-64-v3 lanes 32, grouped 4
// stats: cpu:x86-64-v4 lanes 64, grouped 4
// formula: -k picture_formula -D FORMULA
// run: -g 37 -k not_all -p 0:u8 -p 1:i32 zero:u8:300 iota:i32:40
// stats: cpu:x86-64-v3 lanes 32, strided 6, contiguous 2
// stats: cpu:x86-64-v4 lanes 64, strided 6, contiguous 2
// formula: -k not_all_formula -D FORMULA
constant uchar table[16] = {7, 3, 1, 0, 9, 250, 8, 4, 77, 2, 6, 5, 11, 13, 200, 99};
kernel void bytes(global uchar *o, global const int *v) {
  int i = get_global_id(0), x = v[i];
  o[3 * i + 2] = table[x & 15];
  o[3 * i] = table[x >> 4 & 3];
  o[3 * i + 1] = x * 5;
  o[2 * i + 112] = x;
  o[2 * i + 113] = table[~x & 15];
  if (x & 1) {
    o[4 * x + 188] = x;
    o[4 * x + 191] = x + 3;
    o[4 * x + 189] = x + 1;
    o[4 * x + 190] = x + 2;
  }
}
kernel void shorts(global ushort *o, global const int *v) {
  int i = get_global_id(0), x = v[i];
  o[3 * i + 1] = x * 1001;
  o[3 * i + 2] = x * 1002;
  o[3 * i] = x * 1000;
}
kernel void words(global float *o, global const int *v) {
  uint i = get_global_id(0);
  float x = v[i];
  o[4 * i + 3] = x + 3;
  o[4 * i] = -x;
  o[4 * i + 2] = x / 4;
  o[4 * i + 1] = x * x;
  o[160 + 2 * i + 1] = x;
  o[160 + 2 * i] = 7;
}
struct member {
  int x, y, z;
};
kernel void members(global struct member *o, global const int *v) {
  size_t i = get_global_id(0);
  int x = v[i];
  o[i].x = x;
  o[i].z = 9 * x;
  o[i].y = x + 100;
}
kernel void wide(global long *o, global const int *v) {
  int i = get_global_id(0), x = v[i];
  o[4 * i + 1] = x;
  o[4 * i + 2] = -x;
  o[4 * i + 3] = x * 5;
  o[4 * i] = (long)x << 40;
}
kernel void picture(global uchar *o, int width) {
  uint x = get_global_id(0), y = get_global_id(1), i = 4 * (y * width + x);
  o[i] = x;
  o[i + 1] = y;
  o[i + 2] = x ^ y;
  o[i + 3] = 255;
}
kernel void not_all(global uchar *o, global int *v) {
  int i = get_global_id(0), x = v[i];
  o[4 * i] = x;
  o[4 * i + 1] = x + 1;
  o[4 * i + 3] = x + 3;
  o[3 * i + 152] = x;
  o[3 * i + 153] = x + 4;
  o[3 * i + 153] = x + 5;
  v[i] = o[3 * i + 153];
  o[3 * i + 154] = x + 6;
}

#ifdef FORMULA // What each place holds, by the first work-item alone.
#define ALONE if (get_global_id(0) || get_global_id(1)) return;
kernel void bytes_formula(global uchar *o, global const int *v) {
  ALONE
  for (int at = 0; at < 111; at++)
    o[at] = at % 3 == 0 ? table[v[at / 3] / 16] : at % 3 == 1 ? v[at / 3] * 5 : table[v[at / 3] % 16];
  for (int at = 112; at < 186; at++)
    o[at] = at % 2 ? table[15 - v[at / 2 - 56] % 16] : v[at / 2 - 56];
  for (int odd = 1; odd < 37; odd += 2)
    for (int k = 0; k < 4; k++)
      o[188 + 4 * odd + k] = odd + k;
}
kernel void shorts_formula(global ushort *o, global const int *v) {
  ALONE
  for (int at = 0; at < 111; at++)
    o[at] = v[at / 3] * (1000 + at % 3);
}
kernel void words_formula(global float *o, global const int *v) {
  ALONE
  for (int at = 0; at < 148; at++) {
    float x = v[at / 4];
    o[at] = at % 4 == 0 ? -x : at % 4 == 1 ? x * x : at % 4 == 2 ? x * 0.25f : x + 3;
  }
  for (int at = 0; at < 74; at++)
    o[160 + at] = at % 2 ? v[at / 2] : 7;
}
kernel void members_formula(global int *o, global const int *v) {
  ALONE
  for (int at = 0; at < 111; at++)
    o[at] = at % 3 == 0 ? v[at / 3] : at % 3 == 1 ? 100 + v[at / 3] : v[at / 3] * 9;
}
kernel void wide_formula(global long *o, global const int *v) {
  ALONE
  for (int at = 0; at < 148; at++)
    o[at] = v[at / 4] * (at % 4 == 0 ? 1099511627776 : at % 4 == 1 ? 1 : at % 4 == 2 ? -1 : 5);
}
kernel void picture_formula(global uchar *o, int width) {
  ALONE
  for (int at = 0; at < 4 * 24 * 3; at++) {
    int x = at / 4 % width, y = at / 4 / width;
    int differ = x / 4 * 4 + (x / 2 % 2 == y / 2 ? 0 : 2) + (x % 2 == y % 2 ? 0 : 1);
    o[at] = at % 4 == 0 ? x : at % 4 == 1 ? y : at % 4 == 2 ? differ : 255;
  }
}
kernel void not_all_formula(global uchar *o, global int *v) {
  ALONE
  for (int at = 0; at < 148; at++)
    if (at % 4 != 2)
      o[at] = v[at / 4] + at % 4;
  for (int at = 0; at < 111; at++)
    o[152 + at] = v[at / 3] + (at % 3 == 0 ? 0 : 4 + at % 3);
  for (int i = 0; i < 37; i++)
    v[i] += 5;
}
#endif
