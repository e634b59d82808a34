#define IF(x, y) if (x) y
kernel void k(global int *o, int n) {
  if (n)
    if (n > 1)
      o[0] = 1;
    else
      o[0] = 2;
  if (n)
    for (int i = 0; i < n; i++)
      if (i) o[0] = 1; else o[0] = 2;
  if (n)
    o[1] = 1;
  else if (n > 3)
    if (n > 4)
      o[2] = 1;
    else
      o[2] = 2;
  // all fine
  if (n) {
    if (n > 1)
      o[0] = 1;
    else
      o[0] = 2;
  }
  if (n)
    if (n > 1)
      o[0] = 1;
    else
      o[0] = 2;
  else
    o[0] = 3;
  if (n)
    o[0] = 1;
  else if (n > 1)
    o[0] = 2;
  else
    o[0] = 3;
}
// expect: 6:5: warning: add explicit braces to avoid dangling else [-Wdangling-else]
// expect: 10:24: warning: add explicit braces to avoid dangling else [-Wdangling-else]
// expect: 16:5: warning: add explicit braces to avoid dangling else [-Wdangling-else]
