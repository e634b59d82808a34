// All atom_ forms, of 32 bits and, with cl_khr_int64_base_atomics and _extended_atomics, of 64: what they return and
// leave.
// run: -k narrow -g 1 -p 0:i32 -p 1:i32 fill:i32:12:10 zero:i32:12
// expect: 0: 17 3 7 11 9 77 -3 30 2 15 9 10
// expect: 1: 10 10 10 10 10 10 10 10 10 10 10 10
// run: -k wide -g 1 -p 0:i64 -p 1:i64 fill:i64:12:-5000000000 zero:i64:12
// expect: 0: 1094511627776 -1104511627776 1099511627776 -4999999999 -5000000001 1099511627783 -1099511627776 1099511627776 1094511627776 -4999999999 -1104511627773 -5000000000
// expect: 1: -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000 -5000000000
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define EACH(a, o, x, old, new, least, most, mask, bits, flips)                                                \
  o[0] = atom_add(&a[0], x), o[1] = atom_sub(&a[1], x), o[2] = atom_xchg(&a[2], x), o[3] = atom_inc(&a[3]);    \
  o[4] = atom_dec(&a[4]), o[5] = atom_cmpxchg(&a[5], old, new), o[6] = atom_min(&a[6], least);                 \
  o[7] = atom_max(&a[7], most), o[8] = atom_and(&a[8], mask), o[9] = atom_or(&a[9], bits);                     \
  o[10] = atom_xor(&a[10], flips), o[11] = atom_cmpxchg(&a[11], old + 1, new);
kernel void narrow(global int *a, global int *o) {
  EACH(a, o, 7, 10, 77, -3, 30, 6, 5, 3)
}
kernel void wide(global long *a, global long *o) {
  EACH(a, o, 1l << 40, -5000000000l, (1l << 40) + 7, -(1l << 40), 1l << 40, (1l << 40) - 1, (1l << 40) + 1,
       (1l << 40) + 3)
}
