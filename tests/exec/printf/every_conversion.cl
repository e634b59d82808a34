// printf with every conversion, flag, length and vector; what C prints.
// run: -g 1 -p 0:i32 zero:i32:1
// expect: [-1][2][   42][42   ][00042][+7][ 7][-3][-4][-5000000000]
// expect: [3000000000][10][ff][FF][010][0xff][200][60000][18446744073709551615][10000000000]
// expect: [1.500000][3.14][     2.500][2.2       |][+1.000000][1.234568e+04][1.234568E+04][0.0001][1E-10][0x1p+0][0X1P-1]
// expect: [k][    x][text][     right][left  |][cu][%][(nil)]
// expect: [1,-2,3,-4][1.000000,2.000000][1,-2,3][1,2,3,4,5,6,7,-8][1,-5000000000][a,b,c,d][0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f][0.2,1.0,2.0,3.0][    7,    8][1.500000,2.500000]
// expect: inf -inf nan -0.000000
// expect: no newline
// expect: ret
// expect: 0: 0
kernel void k(global int *o) {
  printf("[%d][%i][%5d][%-5d][%05d][%+d][% d][%hhd][%hd][%ld]\n", -1, 2, 42, 42, 42, 7, 7, (char)-3, (short)-4, -5000000000l);
  printf("[%u][%o][%x][%X][%#o][%#x][%hhu][%hu][%lu][%lx]\n", 3000000000u, 8u, 255u, 255u, 8u, 255u, (uchar)200, (ushort)60000, 18446744073709551615ul, 1ul << 40);
  printf("[%f][%.2f][%10.3f][%-10.1f|][%+f][%e][%E][%g][%G][%a][%A]\n", 1.5, 3.14159, 2.5, 2.25, 1.0, 12345.678, 12345.678, 0.0001, 1e-10, 1.0, 0.5);
  printf("[%c][%5c][%s][%10s][%-6s|][%.2s][%%][%p]\n", 'k', 'x', "text", "right", "left", "cut", (global int *)0);
  printf("[%v4d][%v2f][%v3hhd][%v8hd][%v2ld][%v4hlx][%v16hhx][%.1v4hlf][%5v2hld][%v2lf]\n", (int4)(1, -2, 3, -4), (float2)(1, 2), (char3)(1, -2, 3), (short8)(1, 2, 3, 4, 5, 6, 7, -8),
         (long2)(1, -5000000000), (uint4)(10, 11, 12, 13), (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), (float4)(0.25f, 1, 2, 3), (int2)(7, 8), (double2)(1.5, 2.5));
  printf("%f %f %f %f\n", INFINITY, -INFINITY, NAN, -0.0);
  printf("no newline");
  printf("\n");
  o[0] = printf("%s\n", "ret");
}
