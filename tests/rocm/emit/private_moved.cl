// Programs that cannot tell where their private memory is leave the choice to LLVM.
//
// check gfx90a/-cl-std=CL2.0 ll writes +alloca
// check gfx90a/-cl-std=CL2.0 ll * --promote-alloca
kernel void writes(global int *in, global int *out) {
  int i = get_global_id(0), x = in[i], v = x * 3;
  int *g = in + i, *q = &v;
  int *a = x < 0 ? g : q;
  *(volatile int *)a += 1;
  out[i] = *q;
}
