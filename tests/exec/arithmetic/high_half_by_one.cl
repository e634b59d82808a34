// The upper half of a product by what is 1 only once branches have become selections is 0: LLVM 19 found that out late,
// and took it for undefined.
// run: -g 8 -p 0:u32 zero:u32:16
// expect: 0: 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1
kernel void by_one(global uint *o) {
  const uint gid = get_global_id(0);
  uint one = 0;
  for (int i = 0; i < 2; i++) {
    if (all((uint3)(1) < (uint3)(gid)) && 7.5f != convert_float(gid))
      continue;
    one ^= gid;
  }
  one ^= 1;
  o[gid] = mul_hi(one, gid);
  o[gid + 8] = one;
}
