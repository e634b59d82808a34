typedef global int *pointer;
int main(void) { return 1; }
void takes(int restrict x) {}
kernel void k(pointer restrict o, global int *restrict p) {
  register int x = 2;
  auto int y = 3;
  short short z = 1;
  const restrict int w = 1;
  int int v;
  o[0] = x + y + z + w;
}
// expect: 2:5: error: function cannot be called 'main'
// expect: 3:16: error: restrict requires a pointer or reference ('int' is invalid)
// expect: 5:3: error: OpenCL C version 1.2 does not support the 'register' storage class specifier
// expect: 6:3: error: OpenCL C version 1.2 does not support the 'auto' storage class specifier
// expect: 7:9: warning: duplicate 'short' declaration specifier [-Wduplicate-decl-specifier]
// expect: 8:9: error: restrict requires a pointer or reference ('int' is invalid)
// expect: 9:7: error: cannot combine with previous 'int' declaration specifier
