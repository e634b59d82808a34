#define TAIL 0
#define WIDE 1
kernel void k(global int *p) {
  int a[4];
  if (TAIL)
    p[0] = p[1] << (32 - TAIL) | p[2] / TAIL;
  else
    p[0] = p[1] << (31 + WIDE);
  if (WIDE)
    a[4 * WIDE] = 1;
  else if (p[0])
    a[5] = 2;
  else
    p[0] = p[1] % 0;
  p[1] = TAIL ? p[2] >> 32 : p[2] >> 33;
  p[1] = WIDE ? p[2] >> 34 : p[2] >> 35;
  p[2] = (TAIL && p[3] << 36) + (WIDE || p[3] << 37);
  p[2] = WIDE && p[3] << 38;
  while (TAIL)
    p[3] = p[4] << 39;
  for (p[2] = 0; TAIL; p[2]++)
    p[3] = p[4] << 40;
  p[5] = sizeof(p[4] << 41);
  p[5] = a[0] << 42;
}
// expect: 8:17: warning: shift count >= width of type [-Wshift-count-overflow]
// expect: 10:9: warning: array index 4 is past the end of the array (which contains 4 elements) [-Warray-bounds]
// expect: 15:35: warning: shift count >= width of type [-Wshift-count-overflow]
// expect: 16:22: warning: shift count >= width of type [-Wshift-count-overflow]
// expect: 18:23: warning: shift count >= width of type [-Wshift-count-overflow]
// expect: 24:15: warning: shift count >= width of type [-Wshift-count-overflow]
