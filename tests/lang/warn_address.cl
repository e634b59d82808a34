void f(global int *o, int n, int list[4]) {
  int a[4], *p = a;
  if (a)
    o[0] = 1;
  while (&n)
    o[0] = 2;
  o[1] = a ? 1 : !&n;
  o[2] = sizeof(list);
  o[3] = sizeof list[0] + sizeof(p) + sizeof(a);
  if (p || o || &a[1] == p)
    o[4] = 1;
}
// expect: 3:7: warning: address of array 'a' will always evaluate to 'true' [-Wpointer-bool-conversion]
// expect: 5:11: warning: address of 'n' will always evaluate to 'true' [-Wpointer-bool-conversion]
// expect: 7:10: warning: address of array 'a' will always evaluate to 'true' [-Wpointer-bool-conversion]
// expect: 8:16: warning: sizeof on array function parameter will return size of 'int *' instead of 'int[4]' [-Wsizeof-array-argument]
// expect: 1:34: note: declared here
