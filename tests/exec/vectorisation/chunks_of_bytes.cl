// Blocks of packed bytes and shorts, those of neighbouring work-items far apart: what fills 16 bytes is loaded at once,
// under a mask as well, and rests of fewer elements are not. Expected values: computed in Python.
// run: -g 37 -p 1:i32 iota:u8:4440 zero:i32:37 i32=3
// stats: cpu:x86-64-v3 lanes 8, gathered 5, transposed 1, contiguous 1
// expect: 1: -178361608 754244768 -968733176 314856368 -1136420072 1817671872 -246031960 1798352336 1754731832 -2108327712 1444572744 -1034739728 644684376 173444352 836877160 960231440 -85568904 1146804640 -1098266232 -1118385360 19544984 770094656 -2025402968 -539013296 660648120 1306164576 1982366152 1534028016 718646744 -1547015552 1144186344 77866384 -360157960 1192277664 -372638712 804905904 -1787232488
typedef struct __attribute__((packed)) {
  short d;
  uchar q[16];
  short s[8];
  uchar r[6];
} block;

kernel void chunks(global const block *blocks, global int *out, int n) {
  int i = get_global_id(0), sum = 0;
  for (int b = 0; b < n; b++) {
    global const block *x = blocks + i * n + b;
    int t = 0;
    for (int j = 0; j < 16; j++)
      t += (j + 1) * ((x->q[j] & 15) - (x->q[j] >> 4));
    if ((i + b) % 3 != 1)
      for (int j = 0; j < 8; j++)
        t += (j + 2) * x->s[j];
    for (int j = 0; j < 6; j++)
      t ^= x->r[j] << j;
    sum += t * x->d;
  }
  out[i] = sum;
}
