// Indices that are made of ids, parameters and constants, and that several item regions use: sums over two dimensions,
// a halo that is clamped by a minimum, a division by a constant, and a loop around barriers. Each region computes them
// again, so that its accesses stay contiguous. Expectations by the same formulas in Python.
// run: -g 16,4 -l 16,4 iota:i32:68 zero:i32:68 local:2048 i32=17 i32=2 -p 1:i32
// stats: cpu:x86-64-v3 lanes 16, checked 1, contiguous 7
// expect: 1: 7 27 47 67 87 107 127 147 167 187 207 227 247 267 286 300 0 177 197 217 237 257 277 297 317 337 357 377 397 417 437 456 470 0 449 469 489 509 529 549 569 589 609 629 649 669 689 709 728 742 0 619 639 659 679 699 719 739 759 779 799 819 839 859 879 898 912 0
// run: -g 16,8 -l 8,4 iota:i32:128 zero:i32:128 local:2048 i32=16 i32=3 -p 1:i32
// expect: 1: 34 81 128 175 222 268 307 329 410 457 504 551 598 644 683 705 210 257 304 351 398 444 483 505 586 633 680 727 774 820 859 881 578 625 672 719 766 812 851 873 954 1001 1048 1095 1142 1188 1227 1249 754 801 848 895 942 988 1027 1049 1130 1177 1224 1271 1318 1364 1403 1425 3042 3089 3136 3183 3230 3276 3315 3337 3418 3465 3512 3559 3606 3652 3691 3713 3218 3265 3312 3359 3406 3452 3491 3513 3594 3641 3688 3735 3782 3828 3867 3889 3586 3633 3680 3727 3774 3820 3859 3881 3962 4009 4056 4103 4150 4196 4235 4257 3762 3809 3856 3903 3950 3996 4035 4057 4138 4185 4232 4279 4326 4372 4411 4433
// run: -g 6,4 -l 3,2 iota:i32:28 zero:i32:28 local:2048 i32=7 i32=1 -p 1:i32
// expect: 1: 1 12 22 34 45 55 0 64 75 85 97 108 118 0 155 166 176 188 199 209 0 218 229 239 251 262 272 0
// run: -g 2,16 -l 1,8 iota:i32:32 zero:i32:32 local:2048 i32=2 i32=2 -p 1:i32
// expect: 1: 0 20 20 40 52 72 72 92 92 112 132 152 152 172 172 192 320 340 340 360 372 392 392 412 412 432 452 472 472 492 492 512
// run: -g 40,2 -l 20,2 iota:i32:80 zero:i32:80 local:2048 i32=40 i32=1 -p 1:i32
// expect: 1: 1 12 23 34 45 56 67 78 89 100 111 122 133 144 155 166 177 188 199 209 221 232 243 254 265 276 287 298 309 320 331 342 353 364 375 386 397 408 419 429 361 372 383 394 405 416 427 438 449 460 471 482 493 504 515 526 537 548 559 569 581 592 603 614 625 636 647 658 669 680 691 702 713 724 735 746 757 768 779 789
kernel void k(global const int *x, global int *y, local int *t, int w, int n) {
  int lx = get_local_id(0), ly = get_local_id(1), width = get_local_size(0);
  int own = ly * width + lx, next = ly * width + min(lx + 1, width - 1), row = (ly + 1) / 3 * width + lx;
  int g = get_global_id(1) * w + get_global_id(0);
  t[own] = x[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < n; r++) {
    int v = t[next] + t[row] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[own] = v + g;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[g] = t[own] + 7 * x[g];
}
