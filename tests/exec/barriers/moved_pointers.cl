// A pointer and an index that a loop around barriers moves by the same amount for all work-items: each item region makes
// them from ids and one distance. Expectations by the same formulas in Python.
// run: -g 16,4 -l 8,2 zero:i32:384 zero:i32:64 local:512 i32=24 i32=3 -p 1:i32:64
// stats: cpu:x86-64-v3 lanes 8, checked 1, contiguous 5
// expect: 1: 1232 1422 1612 1196 1285 1273 1261 1251 1295 1485 1675 1158 1348 1134 1324 1314 1115 1305 1495 1483 1269 1459 1649 1134 1178 1368 1356 1546 1332 1522 1611 1197 1066 1256 1446 1636 1321 1309 1297 1085 1129 1319 1509 1598 1384 1170 1360 1148 1353 1543 1733 1721 1305 1293 1483 1372 1416 1606 1594 1784 1368 1356 1445 1435
// run: -g 6,4 -l 3,4 zero:i32:320 zero:i32:24 local:512 i32=20 i32=2 -p 1:i32:24
// expect: 1: 601 707 624 636 742 659 914 1020 937 949 1055 972 823 929 745 858 863 780 748 652 771 581 687 806
// run: -g 1,16 -l 1,8 zero:i32:1216 zero:i32:16 local:512 i32=19 i32=2 -p 1:i32:16
// expect: 1: 489 731 771 912 851 992 830 722 979 817 1059 1200 735 876 1118 1010
// run: -g 32,2 -l 32,1 zero:i32:384 zero:i32:64 local:512 i32=48 i32=4 -p 1:i32:64
// expect: 1: 1660 1955 2250 1939 2032 1923 2117 2412 2000 1992 2287 2380 2574 1758 1548 1843 2138 2433 2122 2215 2106 2300 2292 2082 2175 2268 2462 1949 1739 1731 2026 1661 1824 2119 2414 2709 2600 2289 2483 2778 1962 1752 1845 1938 2132 1720 1712 2007 2302 2597 2488 2581 2472 2666 2658 1842 1733 1826 2020 2315 1903 1895 2190 1825
#define A(i) (((int)(i)*7 + 3) % 101)
kernel void k(global const int *a, global int *c, local int *t, int w, int n) {
  int lx = get_local_id(0), ly = get_local_id(1), sx = get_local_size(0), sy = get_local_size(1), s = 0;
  global const int *p = a + get_global_id(1) * w + lx;
  int q = lx + 3 * ly + get_group_id(0);
  for (int k = 0; k < n; k++) {
    t[ly * sx + lx] = A(p - a + *p) * 2 + A(q + a[q]);
    barrier(CLK_LOCAL_MEM_FENCE);
    s += t[ly * sx + (lx + 1) % sx] * (k + 1) + t[(ly + 1) % sy * sx + lx];
    p += 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    q += w - 2;
  }
  c[get_global_id(1) * get_global_size(0) + get_global_id(0)] = s + (int)(p - a);
}
