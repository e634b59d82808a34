// cl_khr_extended_bit_ops: insert, extract and reverse, with the counts 0 and all bits.
// run: -g 4 -p 4:u32 -p 5:i32 -p 6:u64 -p 7:u8 list:u32:305419896,4275878552,4294967295,2147483649 list:u32:2882400001,5,0,3735928559 list:u32:4,0,31,8 list:u32:8,32,1,0 zero:u32:12 zero:i32:8 zero:u64:12 zero:u8:12
// expect: 4: 305418264 103 510274632 5 4275878552 425540479 2147483647 1 4294967295 2147483649 0 2147483649
// expect: 5: 103 0 -19088744 0 -1 -1 0 0
// expect: 6: 1311768453720174337 444709265136 9293094084021988424 18364758545638359045 18364758542507835397 11529215046494010239 18446744069414584320 8589934590 4294967295 9223372044885671663 31370686 17833609641490120705
// expect: 7: 120 0 30 152 0 25 247 1 255 1 0 128
kernel void k(global const uint *a, global const uint *b, global const uint *offset, global const uint *count,
              global uint *u, global int *s, global ulong *l, global uchar *c) {
  int i = get_global_id(0);
  uint o = offset[i], n = count[i];
  u[3 * i] = bitfield_insert(a[i], b[i], o, n);
  u[3 * i + 1] = bitfield_extract_unsigned(a[i], o, n);
  u[3 * i + 2] = bit_reverse(a[i]);
  s[2 * i] = bitfield_extract_signed(a[i], o, n);
  ulong w = (ulong)a[i] << 32 | b[i], x = (ulong)b[i] << 32 | a[i];
  l[3 * i] = bitfield_insert(w, x, o + 16, o + 16 + 2 * n <= 64 ? 2 * n : 16);
  l[3 * i + 1] = bitfield_extract_unsigned(w, o, o + n + 32 <= 64 ? n + 32 : 33);
  l[3 * i + 2] = bit_reverse(w);
  uint o8 = o & 3, n8 = o8 + (n & 7) <= 8 ? n & 7 : 4;
  char2 v = bitfield_insert((char2)(char)a[i], (char2)(char)b[i], o8, n8);
  c[3 * i] = (uchar)v.y;
  c[3 * i + 1] = bitfield_extract_unsigned((char)a[i], o8, n8);
  c[3 * i + 2] = as_uchar(bit_reverse((char)a[i]));
  s[2 * i + 1] = bitfield_extract_signed((uchar)a[i], o8, n8);
}
