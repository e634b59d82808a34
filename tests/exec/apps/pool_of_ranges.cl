// A group shares out ranges by a pool in local memory until it is empty.
// run: -g 32 -l 16 -p 0:u32 zero:u32:2 zero:u32:2 u32=3
// expect: 0: 0 0
typedef struct {
  ushort a, b;
} range;
kernel void split(global uint *sum, global uint *rounds, uint depth) {
  local range pool[256];
  local uint count, next, total;
  uint l = get_local_id(0);
  if (!l) {
    pool[0] = (range){0, 777};
    count = 1;
    total = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint r = 0;
  while (count) {
    uint n = count;
    range mine[4];
    uint have = 0;
    for (uint i = l; i < n; i += get_local_size(0))
      if (have < 4)
        mine[have++] = pool[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!l) {
      count = 0;
      r++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (have) {
      range x = mine[--have];
      if (x.b - x.a < 9) {
        for (ushort v = x.a; v < x.b; v++)
          atomic_add(&total, v * v);
        continue;
      }
      ushort m = (x.a + x.b) / 2;
      range two[2] = {{x.a, m}, {m, x.b}};
      for (int k = 0; k < 2; k++) {
        uint at = atomic_inc(&count);
        pool[at] = two[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n > 60)
      break;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!l) {
    sum[get_group_id(0)] = total;
    rounds[get_group_id(0)] = r * 1000 + count;
  }
}
