// Sub-groups of 32 work-items whose loops, switches and returns part them: who takes part follows from the program.
// The expectations are the interpreter's with sub-groups of 32 (interp -a warp32).
// run: -k loops -g 70 -l 70 -p 0:i32 zero:i32:70
// skip: cpu sub-groups of another size
// skip: interp sub-groups of 16
// skip: passthrough sub-groups of 16
// skip: opencl sub-groups of 1
// skip: rocm sub-groups of another size on some targets
// expect: 0: 496 3427 982 3711 1442 3930 1882 4100 2319 4221 2695 4299 3091 496 3427 985 3724 1462 3897 1876 4117 2248 4167 2725 4231 3042 496 3351 966 3728 1414 3888 5686 11579 6908 11900 7953 12134 8835 1520 9721 2979 10443 4385 10992 5714 11611 6871 11909 7963 12077 8858 1520 9649 2995 10399 4353 11087 5708 11559 6890 11898 7917 12141 1886 399 2020 754 2092 1032
// run: -k switches -g 64 -l 64 -p 0:i32 zero:i32:64
// skip: cpu sub-groups of another size
// skip: interp sub-groups of 16
// skip: passthrough sub-groups of 16
// skip: opencl sub-groups of 1
// skip: rocm sub-groups of another size on some targets
// expect: 0: -84 0 -79 -22 8 9 -78 0 -79 -15 30 35 -48 0 -79 4 76 85 6 0 -79 35 146 159 84 0 -79 78 240 257 186 0 -179 -51 42 43 -136 0 -179 16 184 189 14 0 -179 95 350 359 188 0 -179 186 540 553 386 0 -179 289 754 771 608 0 -179 404
// run: -k returns -g 64 -l 64 -p 0:i32 zero:i32:64
// skip: cpu sub-groups of another size
// skip: interp sub-groups of 16
// skip: passthrough sub-groups of 16
// skip: opencl sub-groups of 1
// skip: rocm sub-groups of another size on some targets
// expect: 0: 32 88 160 240 320 392 455 503 -509 32 88 160 240 320 392 455 503 -509 32 88 160 240 320 392 455 503 -509 32 88 160 240 320 442 526 590 -598 32 88 163 251 346 442 526 590 -598 32 88 163 251 346 442 526 590 -598 32 88 163 251 346 442 526 590 -598 32
// run: -k nested -g 64 -l 64 -p 0:i32 zero:i32:64
// skip: cpu sub-groups of another size
// skip: interp sub-groups of 16
// skip: passthrough sub-groups of 16
// skip: opencl sub-groups of 1
// skip: rocm sub-groups of another size on some targets
// expect: 0: 0 3 10 18 7 10 17 25 28 30 37 49 48 51 97 92 112 98 110 213 176 224 188 208 378 296 382 298 343 608 457 623 197 197 317 324 421 424 498 761 631 866 737 908 1314 1016 1422 1125 1430 2012 1502 2130 1612 2090 2871 2097 2986 2204 2899 3895 2798 4003 2903 3864
kernel void loops(global int *out) {
  int i = get_global_id(0), sum = 0;
  for (int n = 0; n < 40; n++) {
    if (n > i * 7 % 13)
      break;
    sum += sub_group_reduce_add(i + n);
    if ((i + n) % 3 == 0)
      continue;
    sum ^= sub_group_scan_inclusive_max(n * i % 17);
  }
  out[i] = sum;
}
kernel void switches(global int *out) {
  int i = get_global_id(0), sum = 0;
  for (int n = 0; n < 4; n++)
    switch ((i + n) % 6) {
    case 0:
      sum += sub_group_reduce_add(1);
    case 1:
      sum += sub_group_scan_exclusive_add(i);
      break;
    case 3:
      if (n == 2)
        return;
    case 4:
      sum -= sub_group_reduce_max(i * n);
    default:
      sum += 2 * sub_group_all(i > 5);
    }
  out[i] = sum;
}
kernel void returns(global int *out) {
  int i = get_global_id(0);
  for (int n = 0;; n++) {
    out[i] += sub_group_reduce_add(1) * (n + 1);
    if (i % 9 == n)
      return;
    if (n == 7)
      break;
  }
  out[i] = -out[i] - sub_group_reduce_add(2);
}
kernel void nested(global int *out) {
  int i = get_global_id(0), sum = 0, x = i;
  while (x > 0) {
    int y = x & 3;
    do {
      sum += sub_group_any(y == 2) * 3 + sub_group_all(y < 3);
      if (sum > 200)
        break;
      y--;
    } while (y > 0);
    if (x % 5 == 4) {
      sum += sub_group_scan_inclusive_add(x);
      x -= 3;
    }
    x--;
  }
  out[i] = sum + sub_group_reduce_min(x + i);
}
