// Neighbours in dimension 1 write neighbours in memory: such launches run in tiles. Every work-item runs once.
// run: -g 18,5,2 -p 0:u16 zero:u16:180
// stats: cpu:x86-64-v3 16 lanes along dimension 1
// stats: cpu:x86-64-v3 lanes 16, contiguous 2
// formula: -k k_formula -D FORMULA
// run: -g 2,70 -l 1,7 -p 0:u16 zero:u16:140
// formula: -k k_formula -D FORMULA
// run: -g 35,3 --offset 1,1 -p 0:u16 zero:u16:144
// formula: -k k_formula -D FORMULA
kernel void k(global ushort *out) {
  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), height = get_global_size(1) + get_global_offset(1);
  size_t width = get_global_size(0) + get_global_offset(0);
  out[(z * width + x) * height + y] += z * 1000 + x * 10 + y + 1;
}

#ifdef FORMULA // Place by place, by the first work-item alone.
kernel void k_formula(global ushort *out) {
  int left = get_global_offset(0), top = get_global_offset(1);
  int width = get_global_size(0) + left, height = get_global_size(1) + top, depth = get_global_size(2);
  if (get_global_id(0) != left || get_global_id(1) != top || get_global_id(2))
    return;
  for (int at = 0; at < width * height * depth; at++) {
    int y = at % height, x = at / height % width;
    if (x >= left && y >= top)
      out[at] = 1 + y + 10 * x + 1000 * (at / height / width);
  }
}
#endif
