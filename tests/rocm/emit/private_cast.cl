// The same where the program takes a generic pointer for one to private memory without asking.
//
// check gfx90a/-cl-std=CL2.0 s casts -ds_write +buffer_store
kernel void casts(global int *in, global int *out) {
  int i = get_global_id(0), x = in[i], v = x * 3;
  int *g = in + i, *q = &v;
  int *a = x < 0 ? g : q;
  if (in[i + 9])
    out[i] = *(private int *)a;
  else
    out[i] = *a + *q;
}
