// Sums over a square whose positions are clamped at the sides, in rows that are no multiple of a warp and begin
// beside one.
// run: -k box -g 17,2 image:r:f32:17x2:iota image:r:f32:17x2 -p 1:f32
// expect: 1: 54 60 69 78 87 96 105 114 123 132 141 150 159 168 177 186 192 105 111 120 129 138 147 156 165 174 183 192 201 210 219 228 237 243
// run: -k box -g 39,2 --offset 1,0 image:r:f32:40x2:iota image:r:f32:40x2 -p 1:f32
// expect: 1: 0 129 138 147 156 165 174 183 192 201 210 219 228 237 246 255 264 273 282 291 300 309 318 327 336 345 354 363 372 381 390 399 408 417 426 435 444 453 462 468 0 249 258 267 276 285 294 303 312 321 330 339 348 357 366 375 384 393 402 411 420 429 438 447 456 465 474 483 492 501 510 519 528 537 546 555 564 573 582 588
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void box(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int j = -1; j < 2; j++)
    for (int i = -1; i < 2; i++)
      sum += read_imagef(in, edge, at + (int2)(i, j));
  write_imagef(out, at, sum);
}
