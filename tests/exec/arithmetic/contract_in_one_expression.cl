// A product and a sum are rounded once where they are parts of one expression, twice where the product was in a
// variable or came from a function; at every level of optimisation. FP_CONTRACT OFF rounds all. As clang 19 does.
// run: -g 1 -k inside -p 1:u32 list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:24
// expect: 1: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -g 1 -k inside -p 1:u32 --options -cl-opt-disable list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:24
// expect: 1: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -g 1 -k between -p 1:u32 list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:24
// expect: 1: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: -g 1 -k off -p 1:u32 list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:8
// expect: 1: 1 1 1 1 1 1 1 1
#ifdef FP_FAST_FMAF
#define FAST 1
#else
#define FAST 0
#endif
// Rounded once the sums are not 0.
#define FUSED(k, v) o[k] = ((v) != 0) == FAST
#define APART(k, v) o[k] = (v) == 0

kernel void inside(global const float *p, global uint *o) {
  float a = p[0], b = p[1], c = p[2], d = -c, s;
  float4 va = a, vb = b, vc = c;
  int i = 0;
  FUSED(0, a * b + c);
  FUSED(1, c + a * b);
  FUSED(2, a * b - d);
  FUSED(3, d - a * b);
  FUSED(4, -(a * b) + d);
  FUSED(5, d + -(a * b));
  FUSED(6, c - -(a * b));
  FUSED(7, -a * b + d);
  FUSED(8, (((a * b))) + c);
  FUSED(9, +(a * b) + c);
  FUSED(10, (float)(a * b) + c);
  FUSED(11, (i++, a * b) + c);
  FUSED(12, (1 ? a * b : a) + c);
  s = c;
  FUSED(13, s += a * b);
  s = d;
  s -= a * b;
  FUSED(14, s);
  float t = a * b + c;
  FUSED(15, t);
  FUSED(16, (va * vb + vc).z);
  FUSED(17, (a * vb + vc).z);
  FUSED(18, ((float4)(va * vb) + vc).z);
  vc += va * vb;
  FUSED(19, vc.w);
  FUSED(20, a * b + c * 1.0f);    // the left one
  FUSED(21, a * (b * 1.0f) + c);  // the product around it
  FUSED(22, mad(a, b, c));
  FUSED(23, (a > 0 ? 1 : 2) ? a * b + c : 0);
}

float product(float x, float y) { return x * y; }
float plus(float x, float y) { return x + y; }
float same(float x) { return x; }

kernel void between(global const float *p, global uint *o) {
  float a = p[0], b = p[1], c = p[2], d = -c, t = a * b, u, s;
  float4 va = a, vb = b, vc = c, vt = va * vb;
  const float k = a * b;
  float array[2] = {a * b, 1};
  APART(0, t + c);
  APART(1, c + t);
  APART(2, d - t);
  APART(3, -t + d);
  APART(4, k + c);
  APART(5, array[0] + c);
  APART(6, product(a, b) + c);
  APART(7, plus(a * b, c));
  APART(8, same(a * b) + c);
  APART(9, (u = a * b) + c);
  APART(10, ({ a * b; }) + c);
  APART(11, (c < 0 ? a * b : a) + c);
  s = a;
  s *= b;
  s += c;
  APART(12, s);
  s = a;
  APART(13, (s *= b) + c);
  APART(14, (vt + vc).y);
  APART(15, ((va * vb).xyzw + vc).y);
  APART(16, ((float4)(a * b) + vc).y);
  APART(17, (va * vb).y + c);
  APART(18, as_float(as_int(a * b)) + c);
  APART(19, fabs(a * b) + c);
  APART(20, t * 1.0f + c > 0); // a product by 1
  for (int i = 0; i < 2; i++)
    s = i ? s + c : a * b;
  APART(21, s);
  APART(22, (float)(a * b * 1) + c == 0 ? 0 : FAST ? 0 : 1); // a constant of 1 folds to nothing
  APART(23, max(a * b, t) + c);
}

kernel void off(global const float *p, global uint *o) {
#pragma OPENCL FP_CONTRACT OFF
  float a = p[0], b = p[1], c = p[2], d = -c, s = c;
  float4 va = a, vb = b, vc = c;
  APART(0, a * b + c);
  APART(1, d - a * b);
  APART(2, -(a * b) + d);
  s += a * b;
  APART(3, s);
  APART(4, (va * vb + vc).x);
  APART(5, (a * vb + vc).x);
  {
#pragma OPENCL FP_CONTRACT ON
    FUSED(6, a * b + c);
  }
  APART(7, a * b + c);
}
