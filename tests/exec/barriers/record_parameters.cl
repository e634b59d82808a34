// What is loaded from a record that is a parameter is as good as a parameter: it makes guards of groups and warps.
// run: -k edge -g 32,4 -l 16,2 -p 0:i32 zero:i32:128 iota:i32:128 bytes:20000000000000000400000000000000200000000500feff0100000000000000
// stats: cpu:x86-64-v3 lanes 16, permuted 1, contiguous 3, uniform 7, group-guard 1
// expect: 0: -12 -10 -16 -14 -20 -18 -24 -22 -28 -26 -32 -30 -36 -34 -40 -38 -44 -42 -48 -46 -52 -50 -56 -54 -60 -58 -64 -62 -68 -66 -72 -70 -76 -74 -80 -78 -84 -82 -88 -86 -92 -90 -96 -94 -100 -98 -104 -102 -108 -106 -112 -110 -116 -114 -120 -118 -124 -122 -128 -126 -132 -130 -136 -134 -140 -138 -144 -142 -148 -146 -152 -150 -156 -154 -160 -158 -164 -162 -168 -166 -172 -170 -176 -174 -180 -178 -184 -182 -188 -186 -192 -190 -196 -194 -200 -198 -204 -202 -208 -206 -212 -210 -216 -214 -220 -218 -224 -222 -228 -226 -232 -230 -236 -234 -240 -238 -244 -242 -248 -246 -252 -250 -256 -254 -260 -258 -264 -262
// run: -k edge -g 32,4 -l 16,2 -p 0:i32 zero:i32:90 iota:i32:90 bytes:1e0000000000000003000000000000001e000000f9ff03000100000000000000
// expect: 0: -18 -21 -12 -15 -6 -9 0 -3 6 3 12 9 18 15 24 21 30 27 36 33 42 39 48 45 54 51 60 57 66 63 72 69 78 75 84 81 90 87 96 93 102 99 108 105 114 111 120 117 126 123 132 129 138 135 144 141 150 147 156 153 162 159 168 165 174 171 180 177 186 183 192 189 198 195 204 201 210 207 216 213 222 219 228 225 234 231 240 237 246 243
// run: -k edge -g 32,4 -l 16,2 -p 0:i32 zero:i32:64 iota:i32:64 bytes:1000000000000000020000000000000010000000f9ff03000200000000000000
// expect: 0: -15 -12 -21 -18 -3 0 -9 -6 9 12 3 6 21 24 15 18 33 36 27 30 45 48 39 42 57 60 51 54 69 72 63 66 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: -k rows -g 40 -p 0:i32 zero:i32:64 bytes:25000000000000000400000000000000090000000500feff0200000000000000 u32=2
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 682 521 0 0 0 0 0 0 0 0 0
// run: -k rows -g 40 -p 0:i32 zero:i32:64 bytes:28000000000000000000000000000000030000003200ecff0100000000000000 u32=0
// expect: 0: 0 0 0 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 1093 13 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: -k written -g 19 -p 0:i32 zero:i32:19 bytes:25000000000000000400000000000000090000000500feff0200000000000000
// expect: 0: 149 191 235 281 329 379 431 485 541 599 659 721 785 851 919 989 1061 1135 1211
struct image {
  long size[2];
  int stride;
  short bias[2];
  char one;
};

kernel void edge(global int *o, global const int *a, const struct image i) {
  local int t[2 * 17];
  int x = get_global_id(0), y = get_global_id(1), at = get_local_id(1) * 17 + get_local_id(0);
  bool inside = x < i.size[0] && y < i.size[1];
  if (inside)
    t[at] = a[y * i.stride + x] + i.bias[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (inside)
    o[y * i.stride + x] = t[get_local_id(1) * 17 + (get_local_id(0) ^ i.one)] * i.bias[1];
}

kernel void rows(global int *o, const struct image i, uint n) {
  int x = get_global_id(0);
  if (x >= i.size[0])
    return;
  int sum = i.size[x & 1];
  for (int k = 0; k < i.stride; k++) {
    sum = sum * 3 + (k < i.size[1] ? i.bias[k & 1] : i.one);
    if (sum > 1000)
      break;
  }
  o[i.stride * i.one + x] = n ? sum / (int)(i.size[1] / n) : sum;
}

kernel void written(global int *o, struct image i) {
  int x = get_global_id(0);
  for (int k = 0; k < 2; k++) {
    i.size[k] += x;
    i.bias[k] = i.bias[!k] + i.one;
    i.one--;
  }
  o[x] = i.size[0] * i.size[1] + i.stride * i.bias[0] + i.bias[1] + i.one;
}
