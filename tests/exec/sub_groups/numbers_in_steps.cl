// The numbers of a sub-group where a step of a tree runs the rest of a row in fewer lanes, one by one at last.
// run: -g 128 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:128 iota:i32:128 i32=31 local:256
// expect: 0: 93123 23430 24027 5820 5969 6118 6267 1408 1445 1482 1519 1556 1593 1630 1667 321 330 339 348 357 366 375 384 393 402 411 420 429 438 447 456 62 64 66 68 70 72 74 76 78 80 82 84 86 88 90 92 94 96 98 100 102 104 106 108 110 112 114 116 118 120 122 124 126 158659 39814 40411 9916 10065 10214 10363 2432 2469 2506 2543 2580 2617 2654 2691 577 586 595 604 613 622 631 640 649 658 667 676 685 694 703 712 126 128 130 132 134 136 138 140 142 144 146 148 150 152 154 156 158 160 162 164 166 168 170 172 174 176 178 180 182 184 186 188 190
kernel void steps(global int *o, global const int *a, int n, local int *l) {
  int g = get_local_id(0), i = get_sub_group_id(), size = get_max_sub_group_size();
  int lane = get_sub_group_local_id() + i * size; // whatever the size is
  l[g] = a[get_global_id(0)] + lane;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = n; s > 0; s >>= 1) {
    if (g < s)
      l[g] += l[g + s] * 3 + lane;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] = l[g];
}
