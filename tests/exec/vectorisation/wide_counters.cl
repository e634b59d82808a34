// Loops that carry 64 bits of which they use the lower 32, as LLVM counts where the source has an int.
// run: -k strides -g 40 -l 20 zero:i32:16 iota:i32:160 i32=150 -p 0:i32
// stats: cpu:x86-64-v3 contiguous 3, uniform-loop 3
// stats: cpu:x86-64-v4 contiguous 3, uniform-loop 3
// formula: -k strides_formula
// run: -k strides -g 28 -l 7 zero:i32:16 iota:i32:160 i32=100 -p 0:i32
// formula: -k strides_formula
// run: -k wraps -g 24 zero:u32:100 u32=4294967291 u32=96 -p 0:u32
// stats: cpu:x86-64-v3 contiguous 1
// stats: cpu:x86-64-v4 contiguous 1
// formula: -k wraps_formula
// run: -k wraps -g 33 zero:u32:100 u32=4294967263 u32=50 -p 0:u32
// formula: -k wraps_formula
// run: -k hashes -g 40 zero:u32:80 rand:u32:40:1 i32=11 -p 0:u32
// formula: -k hashes_formula
// run: -k hashes -g 13 zero:u32:80 rand:u32:40:2 i32=0 -p 0:u32
// formula: -k hashes_formula
kernel void strides(global int *out, global const int *in, int n) {
  local int counts[16];
  int l = get_local_id(0), size = get_local_size(0);
  for (int k = l; k < 16; k += size)
    counts[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long i = get_global_id(0); (int)i < n; i = get_global_size(0) + (int)i)
    atomic_add(&counts[in[(int)i] & 15], (int)i);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = l; k < 16; k += size)
    atomic_add(out + k, counts[k]);
}
kernel void strides_formula(global int *out, global const int *in, int n) {
  for (int i = get_global_id(0); i < n; i += (int)get_global_size(0))
    atomic_add(out + in[i] % 16, i);
}

kernel void wraps(global uint *out, uint first, uint n) {
  for (ulong i = first + get_global_id(0); (uint)i - first < n; i = get_global_size(0) + (i & 0xffffffff))
    out[(uint)i - first] = (uint)i;
}
kernel void wraps_formula(global uint *out, uint first, uint n) {
  for (uint i = get_global_id(0); i < n; i += (uint)get_global_size(0))
    out[i] = first + i;
}

kernel void hashes(global uint *out, global const uint *in, int n) {
  int x = get_global_id(0);
  ulong h = 0xdeadbeefcafe1234ul, last = 0;
  for (int i = 0; i < n; i++) {
    last = h;
    h = (h << 5) * 0x100000003ul + (in[x] & 1 ? in[x] : h) - (ulong)i;
  }
  out[2 * x] = (uint)h;
  out[2 * x + 1] = (uint)(last & 0xfff000);
}
kernel void hashes_formula(global uint *out, global const uint *in, int n) {
  int x = get_global_id(0);
  uint h = 0xcafe1234u, last = 0;
  for (int i = 0; i < n; i++) {
    last = h;
    h = h * 32u * 3u + (in[x] % 2u ? in[x] : h) - (uint)i;
  }
  out[2 * x] = h;
  out[2 * x + 1] = last & 0xfff000u;
}
