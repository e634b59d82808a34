// All forms of component access.
// 22, 23, 24cl_k, 25, 26, 27);
  vstore4(a.wzyx, 0, o);
  vstore4(b.even, 1, o);
  vstore4(b.odd, 2, o);
  vstore4(b.s0246 b.S6), 4, o);
  vstore4(b.hi, 5, o);
  o[24] = a.x + b.s3;
  int16 c = (i!nt16)(b, b);
  o[25] = c.sa + c.sF;
}
