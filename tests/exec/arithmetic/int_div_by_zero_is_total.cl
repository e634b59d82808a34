// Division by zero in lanes that matter to nobody must not trap; the IR defines it as 0.
// run: -g 4 -p 2:i32 -p 3:i32 list:i32:7,-7,-2147483648,0 list:i32:0,0,-1,0 zero:i32:4 zero:i32:4
// expect: 2: 0 0 -2147483648 0
// expect: 3: 0 0 0 0
kernel void k(global const int *a, global const int *b, global int *q, global int *r) {
  size_t i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
