// Universal character names in strings are their UTF-8 form, in character constants one byte.
// run: -g 1 -p 0:u32 zero:u32:12
// expect: 0: 36 8 195 169 226 130 172 240 159 152 128 122
constant char text[] = "\u00e9\u20ac\U0001F600z";
kernel void k(global uint *o) {
  o[0] = '\u0024';
  o[1] = sizeof("\u00e9" "\U0001f600b");
  for (int i = 0; i < 10; i++)
    o[2 + i] = (uchar)text[i];
}
