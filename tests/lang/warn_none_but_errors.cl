// options: no-warnings werror
kernel void k(global int *o) {
  int a;
  o = 1;
}
// expect: 4:7: error: incompatible integer to pointer conversion assigning to '__global int *' from type 'int' [-Wint-conversion]
