// An interpreter of bytecode: a switch with fallthrough and goto into a loop, a stack of doubles.
// run: -g 15 -p 1:f64 -p 2:i32 rand:u8:960:16 zero:f64:15 zero:i32:15
// tolerance: 1e-12
// expect: 1: 47.625 320.875 58.375 116.5 10.875 135.5 5.625 534.625 12499.375 332.375 11.25 65.75 173.75 79.75 16.125
// expect: 2: 185 202 202 166 178 202 23 202 202 163 196 202 163 202 202
kernel void vm(global const uchar *code, global double *out, global int *steps) {
  double st[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int ret[4], sp = 4, rp = 0, pc = 0, n = 0;
  global const uchar *c = code + get_global_id(0) * 64;
  double acc = 0;
again:
  if (n++ > 200 || pc >= 64)
    goto done;
  switch (c[pc++] % 13) {
  case 0:
    if (sp < 8)
      st[sp++] = pc;
    break;
  case 1:
    if (sp >= 2) {
      st[sp - 2] += st[sp - 1];
      sp--;
    }
    break;
  case 2:
    if (sp >= 2) {
      st[sp - 2] *= st[sp - 1] * 0.5;
      sp--;
    } else
      goto again;
  case 3:
    acc += sp;
    break;
  case 4:
    if (rp < 4) {
      ret[rp++] = pc;
      pc = (pc * 7) % 64;
    }
    goto again;
  case 5:
    if (rp > 0)
      pc = ret[--rp];
    break;
  case 6:
    if (sp && st[sp - 1] > 10) {
      sp--;
      goto again;
    }
  case 7:
  case 8: {
    double t = st[(pc + 3) & 7];
    st[(pc + 3) & 7] = st[pc & 7];
    st[pc & 7] = t;
    break;
  }
  case 9:
    if (n < 150) {
      pc = max(pc - 5, 0);
    continue_here:
      acc += 0.25;
    }
    break;
  case 10:
    if (acc > 3)
      goto continue_here;
  default:
    acc -= 0.125;
  }
  goto again;
done:
  for (int i = 0; i < sp; i++)
    acc += st[i];
  out[get_global_id(0)] = acc;
  steps[get_global_id(0)] = n;
}
