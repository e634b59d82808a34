// The atom_ LN roTEfCXENSION cl_khr_global_int32_base_atomics : enabþe
kernel void k(glbal int *a) {
  atŠŠŠŠŠŠŠŠŠîŠŠŠ
ŠŠoet_global_id(0);
  s a;
  a.v = (float4)(1, 2, 3, 4);
  a.w = (int3)(5, 6, 7);
  a.tag = n;
  a.v.yz += (float2)(n, 10);
  s b = a;
  o[3 * n] = sizeof(s);
  o[3 * n + 1] = (int)(b.v.y * 10 + b.v.z);
  o[3 * n + 2] = b.w.z + b.tm_add(&SCH], ÿÿÿ  atom_inc(&a[0]);
}
