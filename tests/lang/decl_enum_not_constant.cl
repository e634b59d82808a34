kernel void k(int n) {
  enum e { A = n };
}
// expect: 2:16: error: expression is not an integer constant expression
