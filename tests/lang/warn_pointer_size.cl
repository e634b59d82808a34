// The number of elements of what is a pointer.
int k(global int *p, const float4 *q, int a[4], int **r, char *s) {
  int b[4];
  int n = sizeof(p) / sizeof(p[0]) + sizeof(p) / sizeof(*p) + sizeof p / sizeof(int);
  n += sizeof(b) / sizeof(b[0]) + sizeof(q) / sizeof(float4) + sizeof(q) / sizeof(float);
  n += sizeof(r) / sizeof(r[0]) + sizeof(r) / sizeof(int) + sizeof(*r) / sizeof(**r) + sizeof(s) / sizeof(char);
  n += sizeof(p) / 4 + sizeof(*p) / sizeof(p) + (sizeof(p)) / (sizeof(p[0])) + sizeof(p) * sizeof(p[0]);
  return n + sizeof(int *) / sizeof(int) + sizeof(a) / sizeof(a[0]);
}
// expect: 4:21: warning: 'sizeof (p)' will return the size of the pointer, not the array itself [-Wsizeof-pointer-div]
// expect: 2:19: note: pointer 'p' declared here
// expect: 4:48: warning: 'sizeof (p)' will return the size of the pointer, not the array itself [-Wsizeof-pointer-div]
// expect: 2:19: note: pointer 'p' declared here
// expect: 4:72: warning: 'sizeof (p)' will return the size of the pointer, not the array itself [-Wsizeof-pointer-div]
// expect: 2:19: note: pointer 'p' declared here
// expect: 5:45: warning: 'sizeof (q)' will return the size of the pointer, not the array itself [-Wsizeof-pointer-div]
// expect: 2:36: note: pointer 'q' declared here
// expect: 6:98: warning: 'sizeof (s)' will return the size of the pointer, not the array itself [-Wsizeof-pointer-div]
// expect: 2:64: note: pointer 's' declared here
// expect: 8:50: warning: sizeof on array function parameter will return size of 'int *' instead of 'int[4]' [-Wsizeof-array-argument]
// expect: 2:43: note: declared here
