// Of a video frame (NV12: R8 for the brightness, RG8 of half the size for the colour), RGBA8.
#ifdef BUFFERS
kernel void nv12(global const uchar *restrict luma, int width, int height, global const uchar2 *restrict chroma,
                 int chroma_width, int chroma_height, global uchar4 *restrict out, int out_width, int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  float l = (luma[y * width + x] * (1 / 255.0f) - 16 / 255.0f) * 1.1644f;
  float2 c = convert_float2(chroma[y / 2 * chroma_width + x / 2]) * (1 / 255.0f) - 128 / 255.0f;
  float4 colour = (float4)(l + 1.7927f * c.y, l - 0.2132f * c.x - 0.5329f * c.y, l + 2.1124f * c.x, 1);
  out[y * out_width + x] = convert_uchar4_sat_rte(colour * 255.0f);
}
#else
kernel void nv12(read_only image2d_t luma, read_only image2d_t chroma, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float l = (read_imagef(luma, p).x - 16 / 255.0f) * 1.1644f;
  float2 c = read_imagef(chroma, p / 2).xy - 128 / 255.0f;
  float4 colour = (float4)(l + 1.7927f * c.y, l - 0.2132f * c.x - 0.5329f * c.y, l + 2.1124f * c.x, 1);
  write_imagef(out, p, colour);
}
#endif
