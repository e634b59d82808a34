kernel void k(global float *out, global const int *in, int n) {
  if n > 0
    out[0] = 1;
}
// expect: 2:6: error: expected '(' after 'if'
// expect: 3:15: warning: if statement has empty body [-Wempty-body]
// expect: 3:15: note: put the semicolon on a separate line to silence this warning
