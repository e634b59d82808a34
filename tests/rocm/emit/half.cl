// half_ functions are within 8192 ulp over all of their domain: the hardware's sine alone is not.
//
// check gfx942 s angles -v_sin -v_cos +v_fma
// check gfx1100 s angles -v_sin -v_cos +v_fma
// check gfx942 s quotient +v_frexp +v_ldexp
// check gfx942 s native +v_sin -v_fma
kernel void angles(global float4 *x) { *x = half_sin(*x) + half_cos(*x) + half_tan(*x); }
kernel void quotient(global float *x, float y) { *x = half_divide(*x, y); }
kernel void native(global float *x) { *x = native_sin(*x); }
