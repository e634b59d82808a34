// A function that stays one, with pointers to private structs and arrays, and jumps of all kinds.
// run: -g 15 -l 5 -p 1:i32 -p 2:f32 rand:i32:60:1:-100:100 zero:i32:15 zero:f32:15
// tolerance: 1e-05
// expect: 1: 6981 4762 4315 6976 4238 4843 6329 4835 4912 6266 4196 4262 6293 4259 5231
// expect: 2: -1.4781494 29.690186 14.069153 5.7578125 31.855225 17.321556 6.1757812 44.40576 25.200516 18.666016 18.696777 29.64798 12.46875 5.864746 9.696777
typedef struct {
  int lo, hi;
  float w[4];
  char tag;
} cell;
__attribute__((noinline)) static int visit(cell *c, const int *keys, int n, int x, float *acc) {
  for (int i = 0; i < n; i++) {
    if (keys[i] == x) {
      c->tag++;
      return i;
    }
    if (keys[i] > x) {
      c->hi = min(c->hi, keys[i]);
      *acc += 0.5f * c->w[i & 3];
      continue;
    }
    c->lo = max(c->lo, keys[i]);
    c->w[(x + 128) & 3] *= 1.25f;
    switch (x & 3) {
    case 0:
      *acc += 1;
      break;
    case 1:
      if (i > 1)
        return -2;
    case 2:
      *acc -= 2;
    default:
      c->w[i & 3] += 0.125f;
    }
  }
  return -1;
}
kernel void walk(global const int *in, global int *out, global float *f) {
  int k[4], id = get_global_id(0), s = 0;
  float acc = 0;
  for (int i = 0; i < 4; i++)
    k[i] = in[id * 4 + i];
  cell c = {-1000, 1000, {1, 2, 3, 4}, 0};
  for (int r = 0; r < 6; r++) {
    int got = visit(&c, k + (r & 1), 3, k[r % 4] + (r > 3 ? id % 3 : 0), &acc);
    s = s * 3 + got;
    if (got == -2 && r > 2)
      break;
    got = visit(r & 2 ? &c : &c, k, 4, in[r * 7 % 100], &acc);
    s ^= got << r;
  }
  out[id] = s + c.tag * 1000 + c.lo - c.hi;
  f[id] = acc + c.w[0] + c.w[3];
}
