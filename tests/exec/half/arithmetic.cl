// cl_khr_fp16: arithmetic on half, rounded after each operation; comparisons, vectors, compound assignment, promotion.
// run: -g 8 -p 2:u16 -p 3:i32 -p 4:u16 -p 5:f32 --options -cl-opt-disable list:u16:15360,11878,49408,31743,1,13652,25552,32768 list:u16:16896,12902,14336,16384,1,16896,5145,17664 zero:u16:48 zero:i32:8 zero:u16:16 zero:f32:16
// expect: 2: 17408 49152 16896 13653 48128 15360 13516 44646 9502 14336 44646 13583 49152 49664 48384 50432 16640 15955 31743 31743 31744 30719 64511 23551 2 0 0 15360 32769 3072 17066 49494 15358 12059 46420 14494 25552 25552 15360 31744 58320 20456 17664 50432 32768 32768 0 0
// expect: 3: 27 27 27 24 22 27 24 11
// expect: 4: 17408 12206 50048 31744 31743 49408 11878 18176 15360 11878 49408 16384 48197 48744 15429 18432
// expect: 5: 1.1 0.10997315 -2.75 72054.4 6.556511e-08 0.3663086 1100 -0 4 3.0996094 0.5 65504 3 3.3320312 1003 3
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
struct pair {
  char c;
  half h;
  half2 v;
};
half next(half x, int by) { return x + by; }
kernel void k(global const half *a, global const half *b, global half *o, global int *c, global half4 *v, global float *f) {
  int i = get_global_id(0);
  half x = a[i], y = b[i];
  o[6 * i] = x + y;
  o[6 * i + 1] = x - y;
  o[6 * i + 2] = x * y;
  o[6 * i + 3] = x / y;
  o[6 * i + 4] = -x;
  o[6 * i + 5] = sqrt(fabs(x));
  c[i] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x && 1) + 32 * !y;
  f[i] = x * 1.1f;
  f[8 + i] = next(x, 3);
  if (i)
    return;
  half4 p = vload4(0, a), q = ((global const half4 *)b)[0];
  v[0] = p * q + p;
  half4 s = p;
  s.x = 7.0h;
  v[1] = s.wzyx;
  v[2] = p < q ? p : q;
  half sum = 0.0h, list[4] = {a[0], a[1], a[2], a[5]};
  for (int k = 0; k < 4; k++)
    sum += list[k];
  struct pair st = {1, sum, (half2)(1.5h, -1.0f)};
  st.v *= st.h;
  v[3] = (half4)(st.h, st.v, (half)sizeof(struct pair));
}
