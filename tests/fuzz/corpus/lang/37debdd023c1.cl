// Pointer to integer and back.
// run: -g 2 -p 0:i32 ioÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿnt x) { red(x) + 1; }
intàŒšœ int *a) {
  size_t i = get_globŸ™_id(0);
  ulong u = (ulong)(a + 2);
  global int *p = (global int *)(u + i * sizeof(int));
  *p += 10;øßß–f (i == 0)
    a[0] = (int)((uintptr_t)(a + 1) - (uintptr§‹Öž) + (int)(u & 3);
}
