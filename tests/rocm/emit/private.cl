// LLVM moves private memory into local memory, but not in programs that tell by a generic pointer: get_fence gave the
// fence of local memory for a private variable.
//
// check gfx90a/-cl-std=CL2.0 s asks -ds_write +buffer_store
// check gfx1100/-cl-std=CL2.0 s asks -ds_store +scratch_store
// check gfx942/-cl-std=CL2.0 ll * +-promote-alloca
kernel void asks(global int *in, global int *out) {
  local int l[16];
  int i = get_global_id(0), x = in[i], v;
  v = x * 3;
  int *gp = in + i, *gv = &v, *gl = l;
  int *b = x < 0 ? gp : gv;
  int *c = (x & 1) ? b : gl;
  out[i] = get_fence(c) * 100 + *gv;
}
