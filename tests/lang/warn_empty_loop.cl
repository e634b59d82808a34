kernel void k(global int *o, int n) {
  for (int i = 0; i < n; i++); {
    o[0] = 1;
  }
  while (n-- > 3);
  {
    o[1] = 1;
  }
  // all fine
  for (int i = 0; i < n; i++)
    ;
  {
    o[0] = 1;
  }
  while (n-- > 3);
  o[2] = 1;
}
// expect: 2:30: warning: for loop has empty body [-Wempty-body]
// expect: 2:30: note: put the semicolon on a separate line to silence this warning
// expect: 5:18: warning: while loop has empty body [-Wempty-body]
// expect: 5:18: note: put the semicolon on a separate line to silence this warning
