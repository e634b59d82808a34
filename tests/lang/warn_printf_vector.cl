kernel void k(global int *o, float4 f, int4 i, uint4 u, long2 l, short4 s, char4 c, uchar4 b, double2 d) {
  printf("%v4hlf %v4hld %v4hlu %v4hhd %v4hhd %v4hhu %v4hd %v2ld %v2lf\n", f, i, u, c, b, b, s, l, d);
  printf("%v4f %v4hlf %v3hlf\n", f, i, f);
  printf("%v4hld %v4hlx %v4hhu %v4hd\n", u, i, c, i);
  printf("%d %f\n", i, f);
  printf("%v4hld %v4hlf\n", 1, f.x);
  printf("%v4d %v2f\n", i, d);
  printf("%v\n", i);
  printf("%v4hls\n", i);
}
// expect: 3:34: warning: format specifies type 'double4' but the argument has type 'float4' [-Wformat]
// expect: 3:37: warning: format specifies type 'float4' but the argument has type 'int4' [-Wformat]
// expect: 3:40: warning: format specifies type 'float3' but the argument has type 'float4' [-Wformat]
// expect: 4:42: warning: format specifies type 'int4' but the argument has type 'uint4' [-Wformat]
// expect: 4:45: warning: format specifies type 'uint4' but the argument has type 'int4' [-Wformat]
// expect: 4:48: warning: format specifies type 'uchar4' but the argument has type 'char4' [-Wformat]
// expect: 4:51: warning: format specifies type 'short4' but the argument has type 'int4' [-Wformat]
// expect: 5:21: warning: format specifies type 'int' but the argument has type 'int4' [-Wformat]
// expect: 5:24: warning: format specifies type 'double' but the argument has type 'float4' [-Wformat]
// expect: 6:29: warning: format specifies type 'int4' but the argument has type 'int' [-Wformat]
// expect: 6:32: warning: format specifies type 'float4' but the argument has type 'float' [-Wformat]
// expect: 8:11: warning: incomplete format specifier [-Wformat]
// expect: 9:14: warning: length modifier 'hl' results in undefined behavior or no effect with 's' conversion specifier [-Wformat]
