// Pointer to integer and back.
// run: -g 2 -p 0:i32 iota:i32:4
// expect: 0: 4 1 12 13
kernel void k(global int *a) {
  size_t i = get_global_id(0);
  ulong u = (ulong)(a + 2);
  global int *p = (global int *)(u + i * sizeof(int));
  *p += 10;
  if (i == 0)
    a[0] = (int)((uintptr_t)(a + 1) - (uintptr_t)a) + (int)(u & 3);
}
