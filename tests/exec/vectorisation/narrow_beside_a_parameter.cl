// Parameters of which nothing is known do not fit 16 bits: cut to those, 65536 would be 0, and -65336 would be 200.
// run: -k k -g 4 -p 0:i32 fill:i32:4:7 i32=65536
// expect: 0: 0 0 0 0
// run: -k k -g 4 -p 0:i32 fill:i32:4:7 i32=-65336
// expect: 0: 1 1 1 1
kernel void k(global int *o, int n) {
  int i = get_global_id(0);
  o[i] = (int)(0xffffffffu * (uchar)i) >= n;
}
