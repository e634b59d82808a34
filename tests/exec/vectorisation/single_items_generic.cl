// Groups of one work-item: generic pointers into local memory that becomes private.
// run: -g 5000 -l 1 --options -cl-std=CL2.0 zero:u32:7 -p 0:u32
// skip: opencl PoCL 3.1 has no generic address space
// skip: text OpenCL C 1.2 has no generic address space
// expect: 0: 3986945667 3979913486 3872928434 4015625618 3958469918 4001311346 4044109934
#define ADD(x) atomic_add(&o[get_global_id(0) % 7], (uint)(x) * (2 * (uint)get_global_id(0) + 1))
uint last(const uint *p, uint n) { return p[n - 1]; }
kernel void generic_pointers(global uint *o) {
  local uint x[4], *p = x + get_global_id(0) % 3;
  for (uint i = 0; i < 4; i++)
    x[i] = i * get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  ADD(last(get_global_id(0) & 1 ? x : p, 2) + *p + (p == x));
}
