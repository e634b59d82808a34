#define BOTH(a, b) ((a), (b))
int f(int a) { return a; }
kernel void k(global float4 *p, global int *q, int n) {
  float4 v = (1, 2, 3, 4);
  p[0] = v + (float4)(1, 2, 3, 4);
  q[0] = (n, f(n));
  q[1] = (f(n), (void)n, n);
  q[2] = BOTH(n, n);
  for (int i = 0, j = 0; i < n; i++, j--)
    q[3] = j;
}
// expect: 4:15: warning: left operand of comma operator has no effect [-Wunused-value]
// expect: 4:18: warning: left operand of comma operator has no effect [-Wunused-value]
// expect: 4:21: warning: left operand of comma operator has no effect [-Wunused-value]
// expect: 6:11: warning: left operand of comma operator has no effect [-Wunused-value]
// expect: 8:15: warning: left operand of comma operator has no effect [-Wunused-value]
