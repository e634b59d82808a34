// Products of 3 by 3 complex matrices, structs of structs by value.
// run: -g 4,3,10 -l 2,1,5 -p 1:f32:20 rand:f32:8640:1:-0.6:0.6 zero:f32:120 i32=5
// tolerance: 0.0001
// expect: 1: 0.014843904 0.013830883 -0.052879795 0.016142964 -0.014409442 -0.084658384 -0.06294238 -0.067685574 -0.028904216 0.054661904 -0.0012971328 0.030132638 0.020574888 -0.05959479 -0.03017348 -0.0015507141 -0.024874508 -0.06959808 0.02170564 0.015069253
typedef struct {
  float re, im;
} cpx;
typedef struct {
  cpx e[3][3];
} su3;
inline cpx add(cpx a, cpx b) { return (cpx){a.re + b.re, a.im + b.im}; }
inline cpx mul(cpx a, cpx b) {
  cpx r;
  r.re = a.re * b.re - a.im * b.im;
  r.im = a.re * b.im + a.im * b.re;
  return r;
}
su3 times(su3 a, su3 b) {
  su3 r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      cpx s = {0, 0};
      for (int k = 0; k < 3; k++)
        s = add(s, mul(a.e[i][k], b.e[k][j]));
      r.e[i][j] = s;
    }
  return r;
}
su3 dagger(su3 a) {
  su3 r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      r.e[i][j] = a.e[j][i];
      r.e[i][j].im = -r.e[i][j].im;
    }
  return r;
}
float trace(const su3 *a) {
  float t = 0;
  for (int i = 0; i < 3; i++)
    t += a->e[i][i].re;
  return t;
}
int4 step(int4 s, int dir, int4 dims) {
  int c[4];
  vstore4(s, 0, c);
  int n[4] = {dims.x, dims.y, dims.z, dims.w};
  c[dir] = (c[dir] + 1) % n[dir];
  return vload4(0, c);
}
int site(int4 s, int4 d) { return ((s.w * d.z + s.z) * d.y + s.y) * d.x + s.x; }
kernel void plaquette(global const su3 *links, global float *out, int nt) {
  int4 dims = (int4)(get_global_size(0), get_global_size(1), get_global_size(2) / nt, nt);
  int4 s = (int4)(get_global_id(0), get_global_id(1), get_global_id(2) % dims.z, get_global_id(2) / dims.z);
  float sum = 0;
  for (int mu = 0; mu < 3; mu++)
    for (int nu = mu + 1; nu < 4; nu++) {
      su3 a = links[site(s, dims) * 1 % 120], b = links[site(step(s, mu, dims), dims)],
          c = links[site(step(s, nu, dims), dims)], d = links[(site(s, dims) * 4 + nu) % 480];
      su3 p = times(times(a, b), dagger(times(d, c)));
      sum += trace(&p);
    }
  out[site(s, dims)] = sum / 18;
}
