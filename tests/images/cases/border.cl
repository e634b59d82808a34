// Reads of a border, inside of the image, at its sides and beyond, whose rows are tested once for all work-items.
// run: -k row -g 12 image:r:u8:4x2:1,2,3,4,5,6,7,8 i32=1 -p 2:i32 zero:i32:12
// expect: 2: 100 100 100 100 105 106 107 108 100 100 100 100
// run: -k row -g 12 image:r:u8:4x2:1,2,3,4,5,6,7,8 i32=2 -p 2:i32 zero:i32:12
// expect: 2: 100 100 100 100 100 100 100 100 100 100 100 100
// run: -k column -g 5,6 image:rg:i16:2x3:1,-1,2,-2,3,-3,4,-4,5,-5,6,-6 -p 1:i32 zero:i32:30
// expect: 1: 100 100 100 100 100 100 100 100 100 100 2100 2091 2082 2100 2100 4100 4073 4064 4100 4100 6100 6055 6046 6100 6100 100 100 100 100 100
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void row(read_only image2d_t image, int y, global int *out) {
  int x = get_global_id(0);
  uint4 c = read_imageui(image, border, (int2)(x - 4, y));
  out[x] = (int)(c.x + 10 * c.y + 100 * c.w);
}

kernel void column(read_only image2d_t image, global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  int4 c = read_imagei(image, border, (int2)(x - 1, y - 2)), d = read_imagei(image, border, (int2)(1, y - 2));
  out[y * 5 + x] = c.x + 10 * c.y + 100 * c.w + 1000 * d.x;
}
