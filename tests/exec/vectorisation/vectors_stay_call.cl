// Vectors that stay vectors: arguments and results of a function, swizzles that are written, a choice.
// run: -g 5 -p 1:f64 -p 2:i16 iota:f64:40 zero:f64:40 iota:i16:80
// stats: cpu:x86-64-v3 1 lane: vectors of the language fill the registers
// expect: 1: 0.25 0.44677734375 2.515625 0.03173828125 2.25 2.59130859375 4.203125 1.55126953125 11.75 -10.82275390625 14.703125 -27.17529296875 -12.25 -1.05322265625 -53.609375 18.71923828125 172.5 -74.90234375 282.3125 -151.52734375 434.5 -263.58984375 653.3125 -434.08984375 -1381.25 137.26318359375 -2285.921875 517.28564453125 -4493.25 3675.28271484375 -6646.234375 5556.93017578125 -7969.75 3626.61865234375 -11342.734375 5714.95361328125 -18367.75 16061.26318359375 -24725.046875 21847.97314453125
// expect: 2: 0 6 12 18 24 30 36 42 48 54 60 66 72 78 84 90 95 103 107 115 119 127 131 139 143 151 155 163 167 175 179 187 190 196 206 212 214 220 230 236 238 244 254 260 262 268 278 284 285 293 301 309 309 317 325 333 333 341 349 357 357 365 373 381 380 386 392 398 412 418 424 430 428 434 440 446 460 466 472 478
__attribute__((noinline)) static double8 step(double8 x, double4 y) {
  double8 z = x * x - 0.5;
  z.lo += y;
  z.odd -= z.even * 2.0;
  return z + x;
}
kernel void k(global const double8 *in, global double8 *out, global short *half16) {
  int i = get_global_id(0);
  double8 x = in[i] * 0.25 - 1.0, y = x + 1.0;
  x = step(x * y, y.hi) * 0.5 + y;
  if (i != 2)
    y = step(y, x.lo) - x * y;
  out[i] = x * 2.0 + y;
  short16 s = vload16(i, half16);
  s = (s << (short16)(2)) + s * (short16)(3) - (s ^ (short16)(i));
  vstore16(s, i, half16);
}
