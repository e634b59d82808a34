// printf with the usual conversions, one work-item.
// run: -g 1 -p 0:i32 zero:i32:1
// expect: -1    42|42   |00042 3000000000 ff FF 10 k text %
// expect: 1.500000 3.14 1.234568e+04 0.0001    2.500|
// expect: 1,2,3,4 1.000000,2.000000 a,b,c,d
// expect: -5000000000 18446744073709551615 0xff
// expect: end
// expect: 0: 0
kernel void k(global int *o) {
  printf("%d %5d|%-5d|%05d %u %x %X %o %c %s %%\n", -1, 42, 42, 42, 3000000000u, 255, 255, 8, 'k', "text");
  printf("%f %.2f %e %g %8.3f|\n", 1.5f, 3.14159f, 12345.678f, 0.0001f, 2.5f);
  printf("%v4d %v2f %v4hlx\n", (int4)(1, 2, 3, 4), (float2)(1, 2), (int4)(10, 11, 12, 13));
  printf("%ld %lu %#x\n", -5000000000l, 18446744073709551615ul, 255);
  o[0] = printf("end\n");
}
