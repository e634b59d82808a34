// Indices of which most bits are known, of 32 bits each, two of which a register of 64 bits holds. Expected values: by hand.
// run: -g 8 -l 8 -p 0:i32 zero:i32:16 u32=1 u32=1
// expect: 0: 0 0 0 0 2 2 2 2 0 0 0 0 0 0 0 0
// run: -g 8,3 -l 8,1 -p 0:i32 zero:i32:16 u32=0 u32=5
// expect: 0: 30 30 30 30 0 0 0 0 0 0 0 0 0 0 0 0
kernel void known_bits(global int *out, uint n, uint v) {
  const uint i = get_global_id(0) + get_global_id(1) * 8;
  atomic_add(&out[(n & 1) * 4 + (i + 89u) % 4], v);
}
