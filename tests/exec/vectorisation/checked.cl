// Positions that are clamped, mirrored or wrapped: most warps find that their addresses are contiguous, those at a
// border that they are not. Also terms that fall from lane to lane, that wrap in a narrow type, and elements of 16
// bytes.
// run: -g 200 -k mirror -p 0:i32 zero:i32:200 iota:i32:200 i32=200 i32=3
// expect: 0: 303 204 105 6 107 208 309 410 511 612 713 814 915 1016 1117 1218 1319 1420 1521 1622 1723 1824 1925 2026 2127 2228 2329 2430 2531 2632 2733 2834 2935 3036 3137 3238 3339 3440 3541 3642 3743 3844 3945 4046 4147 4248 4349 4450 4551 4652 4753 4854 4955 5056 5157 5258 5359 5460 5561 5662 5763 5864 5965 6066 6167 6268 6369 6470 6571 6672 6773 6874 6975 7076 7177 7278 7379 7480 7581 7682 7783 7884 7985 8086 8187 8288 8389 8490 8591 8692 8793 8894 8995 9096 9197 9298 9399 9500 9601 9702 9803 9904 10005 10106 10207 10308 10409 10510 10611 10712 10813 10914 11015 11116 11217 11318 11419 11520 11621 11722 11823 11924 12025 12126 12227 12328 12429 12530 12631 12732 12833 12934 13035 13136 13237 13338 13439 13540 13641 13742 13843 13944 14045 14146 14247 14348 14449 14550 14651 14752 14853 14954 15055 15156 15257 15358 15459 15560 15661 15762 15863 15964 16065 16166 16267 16368 16469 16570 16671 16772 16873 16974 17075 17176 17277 17378 17479 17580 17681 17782 17883 17984 18085 18186 18287 18388 18489 18590 18691 18792 18893 18994 19095 19196 19297 19398 19499 19598 19697 19796
// stats: cpu:x86-64-v4 lanes 64, checked 2, contiguous 1
// stats: cpu:x86-64-v3 lanes 32, checked 2, contiguous 1
// run: -g 48 -k choose -p 0:i32 zero:i32:48 iota:i32:48 i32=48
// expect: 0: 4 5 6 7 8 109 210 311 412 513 614 715 816 917 1018 1119 1220 1321 1422 1523 1624 1725 1826 1927 2028 2129 2230 2331 2432 2533 2634 2735 2836 2937 3038 3139 3240 3341 3442 3543 3644 3745 3846 3947 4047 4147 4247 4347
// run: -g 48 -k wrap -p 0:i32 zero:i32:48 iota:i32:48 i32=45
// expect: 0: 40 55 70 85 100 115 130 145 160 175 190 205 220 235 250 265 280 295 310 325 340 355 370 385 400 415 430 445 460 475 490 505 520 535 550 565 580 595 610 625 640 430 265 145 70 40 55 70
// run: -g 48 -k loop -p 0:i32 zero:i32:48 iota:i32:48 i32=48 i32=2
// expect: 0: 14 26 40 55 70 85 100 115 130 145 160 175 190 205 220 235 250 265 280 295 310 325 340 355 370 385 400 415 430 445 460 475 490 505 520 535 550 565 580 595 610 625 640 655 670 685 695 701
// run: -g 32 -k vectors -p 0:i32 zero:i32:128 iota:i32:128 i32=31
// expect: 0: 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108 111 114 117 120 123 126 129 132 135 138 141 144 147 150 153 156 159 162 165 168 171 174 177 180 183 186 189 192 195 198 201 204 207 210 213 216 219 222 225 228 231 234 237 240 243 246 249 252 255 258 261 264 267 270 273 276 279 282 285 288 291 294 297 300 303 306 309 312 315 318 321 324 327 330 333 336 339 342 345 348 351 354 357 360 363 366 369 368 371 374 377 372 375 378 381
// run: -g 32 -k falls -p 0:i32 zero:i32:32 iota:i32:64 i32=20
// expect: 0: 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 60 60 60 60 60 60 60 60 60 60 60 60
// run: -g 32 -k narrow -p 0:u16 zero:u16:32 iota:u16:65536 i32=32756
// expect: 0: 65524 65525 65526 65527 65528 65529 65530 65531 65532 65533 65534 65535 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 65524 65524
// run: -g 32 -k bytes -p 0:u8 zero:u8:32 iota:u8:256 i32=250
// expect: 0: 250 251 252 253 254 255 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 250 250
// run: -g 48 -l 48 -k regions -p 0:i32 zero:i32:48 local:192 i32=48
// expect: 0: 6014 9018 12022 15026 18030 21034 24038 27042 30046 33050 36054 39058 42062 45066 48070 51074 54078 57082 60086 63090 66094 69098 72102 75106 78110 81114 84118 87122 90126 93130 96134 99138 102142 105146 108150 111154 114158 117162 120166 123170 126174 129178 132182 135186 138046 141050 6 3010
kernel void mirror(global int *o, global const int *x, int n, int by) {
  int i = get_global_id(0), a = i - by, b = i + by;
  if (a < 0)
    a = -a;
  if (b >= n)
    b = 2 * n - 2 - b;
  o[i] = x[a] * 100 + x[b];
}
kernel void choose(global int *o, global const int *x, int n) {
  int i = get_global_id(0);
  int l = i > 4 ? i - 4 : 0, r = i + 4 < n ? i + 4 : n - 1;
  o[i] = x[l] * 100 + x[r];
}
kernel void wrap(global int *o, global const int *x, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < 5; k++)
    sum += x[(i + k) % n] * (k + 1);
  o[i] = sum;
}
kernel void loop(global int *o, global const int *x, int n, int r) {
  int i = get_global_id(0), sum = 0;
  for (int k = -r; k <= r; k++)
    sum += x[clamp(i + k, 0, n - 1)] * (k + 3);
  o[i] = sum;
}
kernel void vectors(global int4 *o, global const int4 *x, int last) {
  int i = get_global_id(0);
  int4 sum = 0;
  for (int k = 0; k < 3; k++)
    sum += x[min(i + k, last)];
  o[i] = sum;
}
kernel void falls(global int *o, global const int *x, int n) {
  int i = get_global_id(0), t = i < n ? 40 - i : 0;
  o[i] = x[60 - t];
}
kernel void narrow(global ushort *o, global const ushort *x, int start) {
  int i = get_global_id(0);
  short t = (short)(start + (i < 30 ? i : 0));
  o[i] = x[t + 32768];
}
kernel void bytes(global uchar *o, global const uchar *x, int start) {
  int i = get_global_id(0);
  uchar t = (uchar)(start + (i < 30 ? i : 0));
  o[i] = x[t];
}
// The second item region has the address at hand, but not what it is made of.
kernel void regions(global int *o, local int *t, int n) {
  int l = get_local_id(0);
  t[l] = l * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  int a = t[(l + 2) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[l] = t[(l + 2) % n] + a * 1000;
}
