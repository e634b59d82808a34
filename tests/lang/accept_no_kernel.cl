int f(int x) { return x; }
// expect: none
