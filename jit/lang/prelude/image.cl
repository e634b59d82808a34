// Library functions in the kernel language: how images that are buffers are read and written (docs/images.md). math.cl
// says how sections work. All of them are generic in format and sampler, and fold where these are constants. They
// compute what jit/ir/pixel.c computes: the same bits, but for linear filtering.
//
//   size        width, height, depth, layers
//   format      order, type (with the bit KILN_IMAGE_IS_SMALL), number of coordinates that a sampler addresses (1 to 3), whether the image is an array
//   row, slice  bytes from a row to the next, and from a plane or layer to the next
//   at          coordinates: three, of which the last ones may not count, and the layer
// What zero is given for tells floats from integers.

//@ image_channels
int __kiln_image_channels(int order) {
  switch (order) {
  case CLK_RG:
  case CLK_RA:
    return 2;
  case CLK_RGBA:
  case CLK_BGRA:
  case CLK_ARGB:
  case CLK_ABGR:
  case CLK_sRGBA:
  case CLK_sBGRA:
    return 4;
  }
  return 1;
}

//@ image_channel_bytes
int __kiln_image_channel_bytes(int type) {
  switch (type) {
  case CLK_SNORM_INT8:
  case CLK_UNORM_INT8:
  case CLK_SIGNED_INT8:
  case CLK_UNSIGNED_INT8:
    return 1;
  case CLK_SIGNED_INT32:
  case CLK_UNSIGNED_INT32:
  case CLK_FLOAT:
  case CLK_UNORM_INT_101010:
    return 4;
  }
  return 2;
}

//@ image_border
T __kiln_image_border(T zero, int order, S one) {
  switch (order) {
  case CLK_R:
  case CLK_RG:
  case CLK_RGB:
  case CLK_LUMINANCE:
  case CLK_DEPTH:
    return (T)(0, 0, 0, one);
  }
  return zero;
}

//@ image_order
T __kiln_image_order(T c, int order, S one) {
  switch (order) {
  case CLK_R:
  case CLK_DEPTH:
    return (T)(c.x, 0, 0, one);
  case CLK_A:
    return (T)(0, 0, 0, c.x);
  case CLK_RG:
    return (T)(c.xy, 0, one);
  case CLK_RA:
    return (T)(c.x, 0, 0, c.y);
  case CLK_RGB:
    return (T)(c.xyz, one);
  case CLK_BGRA:
  case CLK_sBGRA:
    return c.zyxw;
  case CLK_ARGB:
    return c.yzwx;
  case CLK_ABGR:
    return c.wzyx;
  case CLK_INTENSITY:
    return c.xxxx;
  case CLK_LUMINANCE:
    return (T)(c.xxx, one);
  }
  return c;
}

//@ image_stored_order
T __kiln_image_stored_order(T c, int order) {
  switch (order) {
  case CLK_A:
    return c.wxyz;
  case CLK_RA:
    return c.xwyz;
  case CLK_BGRA:
  case CLK_sBGRA:
    return c.zyxw;
  case CLK_ARGB:
    return c.wxyz;
  case CLK_ABGR:
    return c.wzyx;
  }
  return c;
}

//@ image_load_i
T __kiln_image_load(T zero, global const void *p, int order, int type) {
  int n = __kiln_image_channels(order);
  T c = zero;
  switch (type) {
  case CLK_SIGNED_INT8:
    c = n == 4   ? convert_int4(*(global const char4 *)p)
        : n == 2 ? (T)(convert_int2(*(global const char2 *)p), 0, 0)
                 : (T)(*(global const char *)p, 0, 0, 0);
    break;
  case CLK_SIGNED_INT16:
    c = n == 4   ? convert_int4(*(global const short4 *)p)
        : n == 2 ? (T)(convert_int2(*(global const short2 *)p), 0, 0)
                 : (T)(*(global const short *)p, 0, 0, 0);
    break;
  case CLK_UNSIGNED_INT8:
    c = n == 4   ? convert_int4(*(global const uchar4 *)p)
        : n == 2 ? (T)(convert_int2(*(global const uchar2 *)p), 0, 0)
                 : (T)(*(global const uchar *)p, 0, 0, 0);
    break;
  case CLK_UNSIGNED_INT16:
    c = n == 4   ? convert_int4(*(global const ushort4 *)p)
        : n == 2 ? (T)(convert_int2(*(global const ushort2 *)p), 0, 0)
                 : (T)(*(global const ushort *)p, 0, 0, 0);
    break;
  case CLK_SIGNED_INT32:
  case CLK_UNSIGNED_INT32:
    c = n == 4   ? *(global const int4 *)p
        : n == 2 ? (T)(*(global const int2 *)p, 0, 0)
                 : (T)(*(global const int *)p, 0, 0, 0);
    break;
  }
  return __kiln_image_order(c, order, 1);
}

// A pixel that a kernel adds to something is converted and added with one rounding: __kiln_image_scaled is a product of
// which that may be done.
//@ image_load_f
T __kiln_image_load(T zero, global const void *p, int order, int type) {
  int n = __kiln_image_channels(order);
  T c = zero;
  switch (type) {
  case CLK_SNORM_INT8:
    c = n == 4   ? __kiln_image_scaled(convert_float4(*(global const char4 *)p), (T)(1.0f / 127.0f))
        : n == 2 ? (T)(__kiln_image_scaled(convert_float2(*(global const char2 *)p), (float2)(1.0f / 127.0f)), 0, 0)
                 : (T)(__kiln_image_scaled((float)*(global const char *)p, (1.0f / 127.0f)), 0, 0, 0);
    c = c > -1.0f ? c : (T)-1.0f;
    break;
  case CLK_SNORM_INT16:
    c = n == 4   ? __kiln_image_scaled(convert_float4(*(global const short4 *)p), (T)(1.0f / 32767.0f))
        : n == 2 ? (T)(__kiln_image_scaled(convert_float2(*(global const short2 *)p), (float2)(1.0f / 32767.0f)), 0, 0)
                 : (T)(__kiln_image_scaled((float)*(global const short *)p, (1.0f / 32767.0f)), 0, 0, 0);
    c = c > -1.0f ? c : (T)-1.0f;
    break;
  case CLK_UNORM_INT8:
    c = n == 4   ? __kiln_image_scaled(convert_float4(*(global const uchar4 *)p), (T)(1.0f / 255.0f))
        : n == 2 ? (T)(__kiln_image_scaled(convert_float2(*(global const uchar2 *)p), (float2)(1.0f / 255.0f)), 0, 0)
                 : (T)(__kiln_image_scaled((float)*(global const uchar *)p, (1.0f / 255.0f)), 0, 0, 0);
    break;
  case CLK_UNORM_INT16:
    c = n == 4   ? __kiln_image_scaled(convert_float4(*(global const ushort4 *)p), (T)(1.0f / 65535.0f))
        : n == 2 ? (T)(__kiln_image_scaled(convert_float2(*(global const ushort2 *)p), (float2)(1.0f / 65535.0f)), 0, 0)
                 : (T)(__kiln_image_scaled((float)*(global const ushort *)p, (1.0f / 65535.0f)), 0, 0, 0);
    break;
  case CLK_UNORM_SHORT_565: {
    int bits = *(global const ushort *)p;
    c.xz = (float2)(bits >> 11, bits & 31) * (1.0f / 31.0f);
    c.y = (float)(bits >> 5 & 63) * (1.0f / 63.0f);
    break;
  }
  case CLK_UNORM_SHORT_555: {
    int bits = *(global const ushort *)p;
    c = (T)(bits >> 10 & 31, bits >> 5 & 31, bits & 31, 0) * (1.0f / 31.0f);
    break;
  }
  case CLK_UNORM_INT_101010: {
    int bits = *(global const int *)p;
    c = (T)(bits >> 20 & 1023, bits >> 10 & 1023, bits & 1023, 0) * (1.0f / 1023.0f);
    break;
  }
  case CLK_HALF_FLOAT:
    c = n == 4   ? vload_half4(0, (global const half *)p)
        : n == 2 ? (T)(vload_half2(0, (global const half *)p), 0, 0)
                 : (T)(vload_half(0, (global const half *)p), 0, 0, 0);
    break;
  case CLK_FLOAT:
    c = n == 4   ? *(global const float4 *)p
        : n == 2 ? (T)(*(global const float2 *)p, 0, 0)
                 : (T)(*(global const float *)p, 0, 0, 0);
    break;
  }
  c = __kiln_image_order(c, order, 1.0f);
  if (order == CLK_sRGBA || order == CLK_sBGRA)
    c.xyz = __kiln_image_linear(c).xyz;
  return c;
}

//@ image_linear
T __kiln_image_linear(T c) {
  T low = c / 12.92f, high = pow((c + 0.055f) / 1.055f, (T)2.4f);
  return (T)(c.x <= 0.04045f ? low.x : high.x, c.y <= 0.04045f ? low.y : high.y, c.z <= 0.04045f ? low.z : high.z, c.w);
}

//@ image_store_i
void __kiln_image_store(T c, global void *p, int order, int type) {
  int n = __kiln_image_channels(order);
  c = __kiln_image_stored_order(c, order);
  switch (type) {
  case CLK_SIGNED_INT8: {
    char4 s = convert_char4_sat(c);
    if (n == 4)
      *(global char4 *)p = s;
    else if (n == 2)
      *(global char2 *)p = s.xy;
    else
      *(global char *)p = s.x;
    break;
  }
  case CLK_SIGNED_INT16: {
    short4 s = convert_short4_sat(c);
    if (n == 4)
      *(global short4 *)p = s;
    else if (n == 2)
      *(global short2 *)p = s.xy;
    else
      *(global short *)p = s.x;
    break;
  }
  case CLK_UNSIGNED_INT8: {
    uchar4 s = convert_uchar4_sat(as_uint4(c));
    if (n == 4)
      *(global uchar4 *)p = s;
    else if (n == 2)
      *(global uchar2 *)p = s.xy;
    else
      *(global uchar *)p = s.x;
    break;
  }
  case CLK_UNSIGNED_INT16: {
    ushort4 s = convert_ushort4_sat(as_uint4(c));
    if (n == 4)
      *(global ushort4 *)p = s;
    else if (n == 2)
      *(global ushort2 *)p = s.xy;
    else
      *(global ushort *)p = s.x;
    break;
  }
  case CLK_SIGNED_INT32:
  case CLK_UNSIGNED_INT32:
    if (n == 4)
      *(global int4 *)p = c;
    else if (n == 2)
      *(global int2 *)p = c.xy;
    else
      *(global int *)p = c.x;
    break;
  }
}

//@ image_store_f
void __kiln_image_store(T c, global void *p, int order, int type) {
  int n = __kiln_image_channels(order);
  c = __kiln_image_stored_order(c, order);
  switch (type) {
  case CLK_SNORM_INT8: {
    char4 s = convert_char4_sat_rte(c * 127.0f);
    if (n == 4)
      *(global char4 *)p = s;
    else if (n == 2)
      *(global char2 *)p = s.xy;
    else
      *(global char *)p = s.x;
    break;
  }
  case CLK_SNORM_INT16: {
    short4 s = convert_short4_sat_rte(c * 32767.0f);
    if (n == 4)
      *(global short4 *)p = s;
    else if (n == 2)
      *(global short2 *)p = s.xy;
    else
      *(global short *)p = s.x;
    break;
  }
  case CLK_UNORM_INT8: {
    uchar4 s = convert_uchar4_sat_rte(c * 255.0f);
    if (n == 4)
      *(global uchar4 *)p = s;
    else if (n == 2)
      *(global uchar2 *)p = s.xy;
    else
      *(global uchar *)p = s.x;
    break;
  }
  case CLK_UNORM_INT16: {
    ushort4 s = convert_ushort4_sat_rte(c * 65535.0f);
    if (n == 4)
      *(global ushort4 *)p = s;
    else if (n == 2)
      *(global ushort2 *)p = s.xy;
    else
      *(global ushort *)p = s.x;
    break;
  }
  case CLK_UNORM_SHORT_565: {
    int2 s = min(convert_int2_sat_rte(fmax(c.xz * 31.0f, 0.0f)), 31);
    int green = min(convert_int_sat_rte(fmax(c.y * 63.0f, 0.0f)), 63);
    *(global ushort *)p = (ushort)(s.x << 11 | green << 5 | s.y);
    break;
  }
  case CLK_UNORM_SHORT_555: {
    int4 s = min(convert_int4_sat_rte(fmax(c * 31.0f, 0.0f)), 31);
    *(global ushort *)p = (ushort)(s.x << 10 | s.y << 5 | s.z);
    break;
  }
  case CLK_UNORM_INT_101010: {
    int4 s = min(convert_int4_sat_rte(fmax(c * 1023.0f, 0.0f)), 1023);
    *(global int *)p = s.x << 20 | s.y << 10 | s.z;
    break;
  }
  case CLK_HALF_FLOAT:
    if (n == 4)
      vstore_half4_rte(c, 0, (global half *)p);
    else if (n == 2)
      vstore_half2_rte(c.xy, 0, (global half *)p);
    else
      vstore_half_rte(c.x, 0, (global half *)p);
    break;
  case CLK_FLOAT:
    if (n == 4)
      *(global float4 *)p = c;
    else if (n == 2)
      *(global float2 *)p = c.xy;
    else
      *(global float *)p = c.x;
    break;
  }
}

// Of an image whose bytes are less than 2^31, in 32 bits.
//@ image_offset
long __kiln_image_offset(int4 format, long row, long slice, int4 at) {
  int bytes = __kiln_image_channel_bytes(format.y & 0xffff) * __kiln_image_channels(format.x);
  if (format.y & 0x10000) {
    int offset = at.x * bytes;
    if (format.z > 1)
      offset += at.y * (int)row;
    if (format.z > 2)
      offset += at.z * (int)slice;
    if (format.w)
      offset += at.w * (int)slice;
    return offset;
  }
  long offset = (long)at.x * bytes;
  if (format.z > 1)
    offset += at.y * row;
  if (format.z > 2)
    offset += at.z * slice;
  if (format.w)
    offset += at.w * slice;
  return offset;
}

//@ image_fetch
T __kiln_image_fetch(T zero, global const void *p, int4 size, int4 format, long row, long slice, int mode, int4 at) {
  if (mode == CLK_ADDRESS_CLAMP) {
    if (format.z > 2 && (uint)at.z >= (uint)size.z)
      return __kiln_image_border(zero, format.x, (S)1);
    if (format.z > 1 && (uint)at.y >= (uint)size.y)
      return __kiln_image_border(zero, format.x, (S)1);
    if ((uint)at.x >= (uint)size.x)
      return __kiln_image_border(zero, format.x, (S)1);
  }
  long offset = __kiln_image_offset(format, row, slice, at);
  return __kiln_image_load(zero, (global const void *)((global const char *)p + offset), format.x, format.y & 0xffff);
}

//@ image_pick
T __kiln_image_pick(T zero, global const void *p, int4 size, int4 format, long row, long slice, int sampler, int4 at) {
  int mode = sampler & 14;
  if (mode == CLK_ADDRESS_CLAMP_TO_EDGE)
    at.xyz = clamp(at.xyz, (int3)0, size.xyz - 1);
  at.w = clamp(at.w, 0, size.w - 1);
  return __kiln_image_fetch(zero, p, size, format, row, slice, mode, at);
}

//@ image_position
float __kiln_image_position(float s, int size, int sampler) {
  int mode = sampler & 14;
  if (!(sampler & CLK_NORMALIZED_COORDS_TRUE))
    return s;
  if (mode == CLK_ADDRESS_REPEAT)
    s = s - floor(s);
  else if (mode == CLK_ADDRESS_MIRRORED_REPEAT)
    s = fabs(s - 2.0f * rint(0.5f * s));
  return s * (float)size;
}

// Choices by comparisons rather than fmin and fmax: NaN becomes the second operand, as in the instructions of CPUs.
//@ image_index
int __kiln_image_index(float u, int size, int mode) {
  float low = mode == CLK_ADDRESS_CLAMP_TO_EDGE ? 0.0f : -1.0e9f;
  float high = mode == CLK_ADDRESS_CLAMP_TO_EDGE ? (float)(size - 1) : 1.0e9f;
  u = u > low ? u : low;
  int i = (int)(u < high ? u : high);
  if (mode == CLK_ADDRESS_REPEAT)
    return i < 0 ? i + size : i > size - 1 ? i - size : i;
  if (mode == CLK_ADDRESS_MIRRORED_REPEAT)
    return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
  return i;
}

//@ image_sample
T __kiln_image_sample(T zero, global const void *p, int4 size, int4 format, long row, long slice, int sampler,
                      float4 at) {
  int mode = sampler & 14, l = format.w ? (int)clamp(rint(at.w), 0.0f, (float)(size.w - 1)) : 0;
  float u = __kiln_image_position(at.x, size.x, sampler);
  float v = format.z > 1 ? __kiln_image_position(at.y, size.y, sampler) : 0.0f;
  float w = format.z > 2 ? __kiln_image_position(at.z, size.z, sampler) : 0.0f;
  if (!(sampler & CLK_FILTER_LINEAR))
    return __kiln_image_fetch(zero, p, size, format, row, slice, mode,
                              (int4)(__kiln_image_index(floor(u), size.x, mode),
                                     __kiln_image_index(floor(v), size.y, mode),
                                     __kiln_image_index(floor(w), size.z, mode), l));
  float left = floor(u - 0.5f), above = floor(v - 0.5f), front = floor(w - 0.5f);
  int x0 = __kiln_image_index(left, size.x, mode), x1 = __kiln_image_index(left + 1.0f, size.x, mode);
  int y0 = __kiln_image_index(above, size.y, mode), y1 = __kiln_image_index(above + 1.0f, size.y, mode);
  int z0 = __kiln_image_index(front, size.z, mode), z1 = __kiln_image_index(front + 1.0f, size.z, mode);
  float a = u - 0.5f - left, b = v - 0.5f - above, c = w - 0.5f - front;
  T sum = __kiln_image_between(__kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x0, y0, z0, l)),
                               __kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x1, y0, z0, l)), a);
  if (format.z > 1) {
    T below = __kiln_image_between(__kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x0, y1, z0, l)),
                                   __kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x1, y1, z0, l)),
                                   a);
    sum = __kiln_image_between(sum, below, b);
  }
  if (format.z > 2) {
    T over = __kiln_image_between(__kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x0, y0, z1, l)),
                                  __kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x1, y0, z1, l)),
                                  a);
    T under = __kiln_image_between(__kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x0, y1, z1, l)),
                                   __kiln_image_fetch(zero, p, size, format, row, slice, mode, (int4)(x1, y1, z1, l)),
                                   a);
    sum = __kiln_image_between(sum, __kiln_image_between(over, under, b), c);
  }
  return sum;
}

//@ image_between
T __kiln_image_between(T x, T y, float share) {
  return x * (1.0f - share) + y * share;
}

//@ image_read_f_i
T __kiln_image_read_f_i(global const void *p, int4 size, int4 format, long row, long slice, int sampler, int4 at) {
  return __kiln_image_pick((T)0, p, size, format, row, slice, sampler, at);
}

//@ image_read_f_f
T __kiln_image_read_f_f(global const void *p, int4 size, int4 format, long row, long slice, int sampler, float4 at) {
  return __kiln_image_sample((T)0, p, size, format, row, slice, sampler, at);
}

//@ image_read_i_i
T __kiln_image_read_i_i(global const void *p, int4 size, int4 format, long row, long slice, int sampler, int4 at) {
  return __kiln_image_pick((T)0, p, size, format, row, slice, sampler, at);
}

//@ image_read_i_f
T __kiln_image_read_i_f(global const void *p, int4 size, int4 format, long row, long slice, int sampler, float4 at) {
  int mode = sampler & 14, l = format.w ? (int)clamp(rint(at.w), 0.0f, (float)(size.w - 1)) : 0;
  float u = __kiln_image_position(at.x, size.x, sampler);
  float v = format.z > 1 ? __kiln_image_position(at.y, size.y, sampler) : 0.0f;
  float w = format.z > 2 ? __kiln_image_position(at.z, size.z, sampler) : 0.0f;
  return __kiln_image_fetch((T)0, p, size, format, row, slice, mode,
                            (int4)(__kiln_image_index(floor(u), size.x, mode),
                                   __kiln_image_index(floor(v), size.y, mode),
                                   __kiln_image_index(floor(w), size.z, mode), l));
}

//@ image_put
void __kiln_image_put(T pixel, global void *p, int4 size, int4 format, long row, long slice, int4 at) {
  if (format.w && (uint)at.w >= (uint)size.w)
    return;
  if (format.z > 2 && (uint)at.z >= (uint)size.z)
    return;
  if (format.z > 1 && (uint)at.y >= (uint)size.y)
    return;
  if ((uint)at.x < (uint)size.x)
    __kiln_image_store(pixel, (global void *)((global char *)p + __kiln_image_offset(format, row, slice, at)), format.x,
                       format.y & 0xffff);
}

//@ image_write_f
void __kiln_image_write_f(global void *p, int4 size, int4 format, long row, long slice, int4 at, T pixel) {
  __kiln_image_put(pixel, p, size, format, row, slice, at);
}

//@ image_write_i
void __kiln_image_write_i(global void *p, int4 size, int4 format, long row, long slice, int4 at, T pixel) {
  __kiln_image_put(pixel, p, size, format, row, slice, at);
}
