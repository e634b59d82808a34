// __bf16 from constants, which the compiler computes: ties, subnormals, the greatest numbers, NaNs; from an int or a
// double by way of float (16842753 is a tie only then). The second half is of the same values, computed by the kernel.
// run: -g 21 -p 0:u16 zero:u16:42
// expect: 0: 16256 16258 49024 1 0 1 2 32768 32639 32639 32640 16256 19328 19328 52097 17279 16256 32640 65408 32704 65473 16256 16258 49024 1 0 1 2 32768 32639 32639 32640 16256 19328 19328 52097 17279 16256 32640 65408 32704 65473
#define VALUES                                                                                                         \
  1.00390625f, 1.01171875f, -1.00390626f, 0x1p-133f, 0x1p-134f, 0x1.8p-134f, 0x1.8p-133f, -0.0f, 0x1.fep127f,          \
      0x1.fefffep127f, 0x1.ffp127f, 1.00390626, 16842752, 16842753, -16842754L, (uchar)255, true, INFINITY,            \
      -INFINITY, __builtin_astype(0x7f800001, float), __builtin_astype(0xffc12345, float)
constant __bf16 table[] = {VALUES};
#define COUNT (sizeof table / sizeof *table)
kernel void k(global ushort *o) {
  int i = get_global_id(0);
  o[i] = as_ushort(table[i]);
  volatile float values[] = {VALUES};
  o[COUNT + i] = as_ushort((__bf16)values[i]);
}
