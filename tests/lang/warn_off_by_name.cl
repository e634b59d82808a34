// options: off=unused-variable off=unsequenced
kernel void k(global int *o) {
  int a, b = b, i = 0;
  i = i++;
  o[0] = i;
}
// expect: none
