// Ids are cut to places of four. Warps of four lanes are at one of them, so that they have addresses in common which
// eight would gather.
// run: -k products -g 32,4 -l 16,4 iota:f32:16 iota:f32:128 zero:f32:128 -p 2:f32
// expect: 2: 56 62 68 74 152 174 196 218 248 286 324 362 344 398 452 506 440 510 580 650 536 622 708 794 632 734 836 938 728 846 964 1082 824 958 1092 1226 920 1070 1220 1370 1016 1182 1348 1514 1112 1294 1476 1658 1208 1406 1604 1802 1304 1518 1732 1946 1400 1630 1860 2090 1496 1742 1988 2234 1592 1854 2116 2378 1688 1966 2244 2522 1784 2078 2372 2666 1880 2190 2500 2810 1976 2302 2628 2954 2072 2414 2756 3098 2168 2526 2884 3242 2264 2638 3012 3386 2360 2750 3140 3530 2456 2862 3268 3674 2552 2974 3396 3818 2648 3086 3524 3962 2744 3198 3652 4106 2840 3310 3780 4250 2936 3422 3908 4394 3032 3534 4036 4538
// stats: cpu:x86-64-v3 lanes 4, checked 1, contiguous 8, uniform 1
kernel void products(global const float *m, global const float *v, global float *o) {
  local float four[4][4], vectors[64];
  int tx = get_local_id(0), row = get_local_id(1) << 4, at = get_group_id(0) * 64 + row;
  vectors[row | tx] = v[at + tx];
  if (row == 0)
    four[tx >> 2][tx & 3] = m[tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int i = 0; i < 4; i++)
    sum += four[i][tx & 3] * vectors[row | (tx & 12) | i];
  o[at + tx] = sum;
}
