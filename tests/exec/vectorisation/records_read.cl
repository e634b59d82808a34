// Elements of records in global memory that neighbouring loads read whole, from anywhere in memory, or not quite: then
// nothing beside the elements is read, which the ends of the buffers would show where faults are told.
// run: -g 41 -k quads -p 1:i32 iota:i32:164 zero:i32:41
// expect: 1: 2 42 82 122 162 202 242 282 322 362 402 442 482 522 562 602 642 682 722 762 802 842 882 922 962 1002 1042 1082 1122 1162 1202 1242 1282 1322 1362 1402 1442 1482 1522 1562 1602
// run: -g 40 -k shifted -p 1:i32 iota:i32:163 zero:i32:40
// expect: 1: 11 47 83 119 155 191 227 263 299 335 371 407 443 479 515 551 587 623 659 695 731 767 803 839 875 911 947 983 1019 1055 1091 1127 1163 1199 1235 1271 1307 1343 1379 1415
// run: -g 40 -k partly -p 1:i32 iota:i32:159 zero:i32:40
// expect: 1: 15 43 71 99 127 155 183 211 239 267 295 323 351 379 407 435 463 491 519 547 575 603 631 659 687 715 743 771 799 827 855 883 911 939 967 995 1023 1051 1079 1107
// run: -g 40 -k tested -p 1:i32 iota:i32:160 zero:i32:40
// expect: 1: 0 58 0 0 178 0 0 298 0 0 418 0 0 538 0 0 658 0 0 778 0 0 898 0 0 1018 0 0 1138 0 0 1258 0 0 1378 0 0 1498 0 0
// run: -g 40 -k changed -p 0:i32 iota:i32:80
// expect: 0: 1 1 -1 5 -3 9 -5 13 -7 17 -9 21 -11 25 -13 29 -15 33 -17 37 -19 41 -21 45 -23 49 -25 53 -27 57 -29 61 -31 65 -33 69 -35 73 -37 77 -39 81 -41 85 -43 89 -45 93 -47 97 -49 101 -51 105 -53 109 -55 113 -57 117 -59 121 -61 125 -63 129 -65 133 -67 137 -69 141 -71 145 -73 149 -75 153 -77 157
// run: -g 40 -k mixed -p 1:i32 iota:i32:80 zero:i32:40
// expect: 1: 3 11 19 27 35 43 51 59 67 75 83 91 99 107 115 123 131 139 147 155 163 171 179 187 195 203 211 219 227 235 243 251 259 267 275 283 291 299 307 315
kernel void quads(global const int *x, global int *y) {
  int i = get_global_id(0), at = i << 2;
  y[i] = x[at] * 7 + x[at + 1] * 5 - x[at + 2] * 3 + x[at + 3];
}
kernel void shifted(global const int *x, global int *y) {
  size_t i = get_global_id(0);
  y[i] = x[4 * i + 2] * 7 + x[4 * i] * 5 - x[4 * i + 1] * 3;
}
kernel void partly(global const int *x, global int *y) {
  size_t i = get_global_id(0);
  y[i] = x[4 * i + 2] * 7 + x[4 * i + 1] - x[4 * i];
}
kernel void tested(global const int *x, global int *y) {
  size_t i = get_global_id(0);
  int sum = x[4 * i] + x[4 * i + 1];
  if (sum % 3)
    return;
  y[i] = sum + x[4 * i + 2] * 7 + x[4 * i + 3];
}
kernel void changed(global int *x) {
  size_t i = get_global_id(0);
  int a = x[2 * i];
  x[2 * i + 1] += a;
  x[2 * i] = x[2 * i + 1] - 3 * a;
}
kernel void mixed(global const int *x, global int *y) {
  size_t i = get_global_id(0);
  global const short *half_word = (global const short *)(x + 2 * i + 1);
  y[i] = x[2 * i] + half_word[0] * 3 + half_word[1];
}
