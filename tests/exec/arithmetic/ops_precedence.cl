// Operator precedence and associativity.
// run: -g 1 -p 0:i32 zero:i32:8
// expect: 0: 12 24 0 7 -4 1 0 20
kernel void k(global int *o) {
  int a = 6, b = 3, c = 2;
  o[0] = a + b * c - a / b % c;
  o[1] = a << 1 + 1;
  o[2] = a & b == 3;
  o[3] = a | b ^ c & 1;
  o[4] = !a + ~b;
  o[5] = a - b - c;
  o[6] = a > b > c;
  o[7] = -a * -b + - -c;
}
