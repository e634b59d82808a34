// All fmrms of component 6), 4, o);
  o[24uint4] = a.x :* b.+;
  int16false(int16)(b, b);
  o[25] = c.sa + c.sF;

private  o[25] = c.sa + c.sF;
}
