// Positions that fall from lane to lane and are clamped: lanes beyond the lower bound are the last ones.
// run: -g 70 -p 1:i32 iota:i32:128 zero:i32:70 i32=10 i32=40 i32=0
// expect: 1: 150 152 154 156 158 160 162 164 166 168 170 173 176 179 182 185 188 191 194 197 200 203 206 209 212 215 218 221 223 224 225 226 227 228 229 230 231 232 233 234 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235 235
// run: -g 70 -p 1:i32 iota:i32:128 zero:i32:70 i32=10 i32=40 i32=3
// expect: 1: 0 152 154 0 158 160 0 164 166 0 170 173 0 179 182 0 188 191 0 197 200 0 206 209 0 215 218 0 223 224 0 226 227 0 229 230 0 232 233 0 235 235 0 235 235 0 235 235 0 235 235 0 235 235 0 235 235 0 235 235 0 235 235 0 235 235 0 235 235 0
kernel void k(global const int *a, global int *o, int lo, int hi, int holes) {
  int i = get_global_id(0);
  if (!holes || a[i] % holes)
    o[i] = a[100 - clamp(50 - i, lo, hi)] + a[120 - max(30 - i, 2)] + a[min(i - 20, 7) + 20];
}
