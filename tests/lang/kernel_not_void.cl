kernel int k(global int *a) {
  return 1;
}
// expect: 1:1: error: kernel must have void return type
