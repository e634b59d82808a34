kernel void k(global float *out, global const int *in, int n) {
  out[0] = max(1, 2.0f);
}
// expect: 2:12: error: call to 'max' is ambiguous
// expect: 2:12: note: candidate: 'char max(char, char)'
// expect: 2:12: note: candidate: 'short max(short, short)'
// expect: 2:12: note: candidate: 'int max(int, int)'
// expect: 2:12: note: candidate: 'long max(long, long)'
// expect: 2:12: note: candidate: 'uchar max(uchar, uchar)'
// expect: 2:12: note: candidate: 'ushort max(ushort, ushort)'
// expect: 2:12: note: candidate: 'uint max(uint, uint)'
// expect: 2:12: note: candidate: 'ulong max(ulong, ulong)'
