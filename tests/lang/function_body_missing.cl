int declared(int)
int f(int a);
kernel void k(global int *p)
  p[0] = 1;
kernel void g(global int *p) {
  if (p[0])
    return
}
// expect: 1:18: error: expected ';' after top level declarator
// expect: 4:3: error: expected function body after function declarator
// expect: 8:1: error: expected expression
