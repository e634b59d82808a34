// run: -k records -g 40 -p 2:i32 bytes:0500000002000300070000000000000009000000000000000400000000000000 iota:i32:200 zero:i32:160
struct inner {
  short a[2];
  int b;
};
struct record {
  int scale;
  struct inner in;
  long gap;
  int last;
};

int walk(int *at, int count) { // through a generic pointer
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += at[i] * (i + 1);
  return sum;
}

struct inner turned(struct inner x, int by) {
  struct inner result = {{x.a[1], x.a[0] + by}, x.b * by};
  return result;
}

kernel void records(const struct record r, global int *x, global int4 *out) {
  int i = get_global_id(0);
  int own[8];
  for (int k = 0; k < 8; k++)
    own[(k * 3) & 7] = x[i * 5 % 190 + k];
  struct inner in = turned(r.in, own[i & 7]);
  int3 three = vload3(i, x);
  int4 four = (int4)(in.a[0], in.a[1], in.b, r.scale);
  four.odd += three.zx;
  out[i] = four + (int4)(walk(own, r.last), walk(x + i, 3), (int)r.gap, own[three.y & 7]);
}
