#define SAME(x) x = x
kernel void k(global int *o) {
  int x = o[1];
  if (x = 1)
    o[0] = 2;
  while ((x = o[2]))
    o[0] = 2;
  if (x == 1)
    x = x;
  SAME(x);
  volatile int v = 1;
  v = v;
}
// expect: 4:9: warning: using the result of an assignment as a condition without parentheses [-Wparentheses]
// expect: 4:9: note: place parentheses around the assignment to silence this warning
// expect: 4:9: note: use '==' to turn this assignment into an equality comparison
// expect: 9:7: warning: explicitly assigning value of variable of type 'int' to itself [-Wself-assign]
