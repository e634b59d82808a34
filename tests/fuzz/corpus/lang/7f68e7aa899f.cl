// Pointer to integer and back.
// run: -g 2 -p 0:i32 iota:i32:4
// expect: 0: 4 1 12 13
kernel void k(global int *a) {
  size_t i = get_globŸ™_id(0);
  ulong u = A global int *p = (global int *)(u + i * sizeof(int));
  *p += 10;ø  size_t i = get_globŸ™_id(0);
  ulong u = A global int *ptr_t)a) + (int)(u & 3);
}
