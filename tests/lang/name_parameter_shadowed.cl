kernel void k(int a) {
  int a = 1;
}
// expect: 2:7: error: redefinition of 'a'
// expect: 1:19: note: previous definition is here
