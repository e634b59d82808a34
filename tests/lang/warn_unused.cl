kernel void k(global int *o, volatile global int *v) {
  int used = 1, unused = 2;
  __attribute__((unused)) int quiet;
  int also __attribute__((unused));
  { int inner; }
  o[0] + used;
  o[0] == 2;
  o[0] != 2, o[1] < 3;
  -o[0];
  o[0];
  v[0];
  (void)o[0];
  o[0]++;
  o[0] ? o[1]++ : 0;
}
// expect: 5:9: warning: unused variable 'inner' [-Wunused-variable]
// expect: 6:8: warning: expression result unused [-Wunused-value]
// expect: 7:8: warning: equality comparison result unused [-Wunused-comparison]
// expect: 7:8: note: use '=' to turn this equality comparison into an assignment
// expect: 8:8: warning: left operand of comma operator has no effect [-Wunused-value]
// expect: 8:19: warning: relational comparison result unused [-Wunused-comparison]
// expect: 9:3: warning: expression result unused [-Wunused-value]
// expect: 10:3: warning: expression result unused [-Wunused-value]
// expect: 2:17: warning: unused variable 'unused' [-Wunused-variable]
