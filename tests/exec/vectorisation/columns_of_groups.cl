// Groups whose columns are contiguous in memory, and whose rows are not: launches of 4,096 work-items and more get lanes
// along dimension 1. Groups at both edges are partial. Every work-item stores what its position is worth, four times.
// Expected values: computed in Python.
// run: -g 60,70 -l 8,16 -p 0:i32:80 zero:i32:20480
// stats: cpu:x86-64-v3 lanes 8, gathered 1
// expect: 0: 0 1 2 3 10 11 12 13 20 21 22 23 30 31 32 33 40 41 42 43 50 51 52 53 60 61 62 63 70 71 72 73 80 81 82 83 90 91 92 93 100 101 102 103 110 111 112 113 120 121 122 123 130 131 132 133 140 141 142 143 150 151 152 153 1000 1001 1002 1003 1010 1011 1012 1013 1020 1021 1022 1023 1030 1031 1032 1033
kernel void columns(global int *out) {
  size_t group = get_group_id(1) * 8 + get_group_id(0), x = get_global_id(0), y = get_global_id(1);
  size_t at = ((group * 8 + get_local_id(0)) * 16 + get_local_id(1)) * 4;
  vstore4((int4)(x * 1000 + y * 10) + (int4)(0, 1, 2, 3), 0, out + at);
}
