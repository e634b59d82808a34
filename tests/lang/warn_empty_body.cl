#define NOTHING
#define SKIP(x) if (x);
kernel void k(global int *o, int i) {
  if (i);
    o[0] = 1;
  if (i > 1)
    ;
  if (i > 2) {
  }
  if (i > 3);
  else
    o[1] = 1;
  if (i > 4)
    o[2] = 1;
  else if (i > 5);
  SKIP(i)
  if (i > 6) NOTHING;
}
// expect: 4:9: warning: if statement has empty body [-Wempty-body]
// expect: 4:9: note: put the semicolon on a separate line to silence this warning
// expect: 15:18: warning: if statement has empty body [-Wempty-body]
// expect: 15:18: note: put the semicolon on a separate line to silence this warning
