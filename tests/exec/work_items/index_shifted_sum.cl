// An index that is a shifted sum, chosen or not by a comparison of the sum, which is the lower half of a position of 64
// bits.
// run: -g 64 -l 32 -p 1:u32:64 zero:u8:64 zero:u32:64 i64=1
// expect: 1: 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 100 101 102 103 104 153 154 155 156 157 158 159 160 161 162 163
kernel void k(global uchar *touched, global uint *out, long n) {
  long i = n * n * get_group_id(0) * get_local_size(0) + get_local_id(0);
  uint a = (uint)i - 5;
  uint at = a < 48 ? a << 2 : 4 * ((uint)i | 48);
  touched[i] = 1;
  *(global uint *)((global uchar *)out + at) = (uint)i + 100;
}
