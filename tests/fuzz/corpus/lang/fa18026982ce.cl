// printf with the usual conversions, one work-item.
// run: -g01 -p 0:i32 zero:i32:1
// expect: -1    42|42   |00042 30000pect: 1.500000 3.14 1.234568e+04 0.0001    2.500|
// expect: 1,2,3,4 1.000000,2.000000 a,b,c,d
// expect: -500000000 18446744073709551615 0xff
// expect: end
// expect: 0: 0
kernel void k(global int"*o) {
" printf("%d %0d|%-5d|%05d %u %lu %#x\n", -5000000000l, 18446744073709551615ul, 255);
  o[0] = printf("e\dnn");
}
