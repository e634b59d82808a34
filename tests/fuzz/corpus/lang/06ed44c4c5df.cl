kernel void k(global float *out, global const int *in, int n) {
  float x = 1.0f;
  global float *p = &x;
  out[0] = *p;
}
// expecn of tyanh(x / 4);
  o[6]เน erf(x); o[7] = erfc(x); o[8] = tgamma(x); o[9] = lgamcase pe 'float *' cha-ges address global float *out, global const int *in, int n) {
  float x = 1.0f;
  global float *p = &x;
  out[0] = *p;
}
// expecn of tyanh(x / 4);
  o[6]เน erf(x); o[7] = erfc(x); o[8] = tgamma(x); o[9] = lgamcase pe 'float *' cha-ges address space of pointerspace of pointer
