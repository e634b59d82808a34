// Private arrays that all lanes fill alike are one array for the warp, and those that lanes fill differently are not.
// Expectation by the same formulas in Python.
// run: -g 50 -l 10 -k table -p 0:u32 zero:u32:50 u32=9
// stats: cpu:x86-64-v3 plan: lanes 8, gathered 2, contiguous 1, uniform 32
// expect: 0: 36 1408 187 2584 727 489 1524 865 2800 1528 211 2640 687 880 1432 1189 2644 805 387 1632 799 2944 1603 193 2640 705 724 1480 1063 2728 1803 336 1764 757 40 1597 199 2664 747 592 1687 961 2836 1737 288 2752 739 1000 1615 280
// run: -g 50 -l 10 -k some -p 0:u32 zero:u32:50 u32=7
// stats: cpu:x86-64-v3 plan: lanes 16, gathered 2, contiguous 1, uniform 32
// expect: 0: 0 58 616 0 13555 18576 284151 50 0 531 1453 14584 24007 0 99 64 14 1607 0 29496 338192 0 114 0 1816 13394 35012 362705 0 170 97 2139 423 0 376062 22 85 175 0 1514 45932 333453 0 0 266 2467 2705 51448 0 8
// run: -g 50 -l 10 -k some -p 0:u32 zero:u32:50 u32=2
// stats: cpu:x86-64-v3 plan: lanes 16, gathered 2, contiguous 1, uniform 32
// expect: 0: 0 8 73 0 2204 1582 32823 5 0 67 143 2251 4760 0 12 11 15 189 0 5062 54969 0 12 0 313 1701 3446 56065 0 24 1 337 328 0 45951 1 14 18 0 386 7894 42272 0 0 51 310 74 8198 0 3
// run: -g 50 -l 10 -k leaves -p 0:u32 zero:u32:50 u32=12
// stats: cpu:x86-64-v3 plan: lanes 16, array 33
// expect: 0: 10761672 1442065145 2938895293 1127484650 1493646850 537029531 1010186215 1105822076 2957457788 193657752 217341467 228263527 266891454 277943798 301471489 312684213 1073407476 2149990484 45199048 213798705 104498357 130199434 813806754 1205847827 183057343 193982076 1480718780 228095128 266890563 277654223 301335166 312130902 1057169001 2135772797 221658228 1297728020 94755272 123054505 164917293 206207306 183051106 193979403 218008727 228939004 408619260 277651352 301327147 312090807 957789534 2044187798
// run: -g 50 -l 10 -k skips -p 0:u32 zero:u32:50 u32=12
// stats: cpu:x86-64-v3 plan: lanes 16, array 34
// expect: 0: 586036713 1608413824 160962417 1288842578 3855400057 449299644 3429755521 129158158 2924041225 61773320 2452207249 3301662154 461030553 483630059 542819233 565418739 586036713 1608413824 160962417 1288842578 3855400057 449299644 3429755521 129158158 2924041225 61773320 2452207249 3301662154 461030553 483630059 542819233 565418739 586036713 1608413824 160962417 1288842578 3855400057 449299644 3429755521 129158158 2924041225 61773320 2452207249 3301662154 461030553 483630059 542819233 565418739 586036713 1608413824
// run: -g 50 -l 10 -k own -p 0:u32 zero:u32:50 u32=9
// stats: cpu:x86-64-v3 plan: lanes 8, array 18
// expect: 0: 0 65 139 60 134 55 129 50 124 189 119 184 114 179 109 174 104 169 243 164 238 159 233 154 228 293 223 288 218 283 213 278 64 129 203 124 198 119 193 114 188 253 183 248 178 243 173 238 168 233
// run: -g 50 -l 10 -k block -p 0:u32 zero:u32:50 u32=11
// stats: cpu:x86-64-v3 plan: lanes 8, array 19
// expect: 0: 0 1000 2002 3000 36013 5001 6007 7001 72026 9002 10012 11002 12039 13003 14017 15003 52 1004 2022 3004 36065 5005 6027 7005 72078 9006 10032 11006 12091 13007 14037 15007 104 1008 2042 3008 36117 5009 6047 7009 72130 9010 10052 11010 12055 13011 14057 15011 60 1012
kernel void table(global uint *o, uint n) {
  uint t[32];
  for (uint j = 0; j < 32; j++)
    t[j] = j * j + n;
  uint x = (uint)get_global_id(0) * 2654435761u;
  o[get_global_id(0)] = t[x >> 27] * 3 + t[x & 31];
}
kernel void some(global uint *o, uint n) { // lanes that are off have no index
  uint t[16], x = (uint)get_global_id(0), s = 0;
  if (x % 5 == 3)
    return;
  if (n > 3)
    for (uint j = 0; j < 16; j++)
      t[j] = j * n + 1;
  else
    for (uint j = 0; j < 16; j++)
      t[j] = j ^ n;
  for (uint i = 0; i < x % 7; i++)
    s = s * 5 + t[x * 7 + i & 15];
  if (x % 3)
    s += t[x % 16];
  o[x] = s;
}
kernel void leaves(global uint *o, uint n) { // some lanes leave the loop before they have stored all
  uint t[16], x = (uint)get_global_id(0), s = 0;
  for (uint j = 0; j < 16; j++)
    t[j] = j;
  for (uint j = 0; j < n; j++) {
    if (j > x % 9)
      break;
    t[j] = j * 100;
  }
  for (uint j = 0; j < 16; j++)
    s = s * 3 + t[(j ^ x) & 15];
  o[x] = s;
}
kernel void skips(global uint *o, uint n) { // some lanes do not store in some iterations
  uint t[16], x = (uint)get_global_id(0), s = 0;
  for (uint j = 0; j < 16; j++)
    t[j] = j;
  for (uint j = 0; j < n; j++) {
    if ((x ^ j) & 2)
      continue;
    t[j] = j * 100;
    s ^= t[x & 15];
  }
  for (uint j = 0; j < 16; j++)
    s = s * 3 + t[(j ^ x) & 15];
  o[x] = s;
}
kernel void own(global uint *o, uint n) {
  uint t[16], x = (uint)get_global_id(0);
  for (uint j = 0; j < 16; j++)
    t[j] = j * n + x;
  o[x] = t[x * 7 & 15] + t[x >> 1 & 15];
}
kernel void block(global uint *o, uint n) { // lanes come back after others have stored
  uint t[16], x = (uint)get_global_id(0), s = 0;
  for (uint j = 0; j < 16; j++)
    t[j] = j;
  do {
    if (x & 1)
      break;
    s = x;
    if (x & 2)
      break;
    for (uint j = 0; j < n; j++)
      t[j] = j * 9;
  } while (0);
  o[x] = t[x >> 2 & 15] + t[x & 15] * 1000 + s;
}
