// Library functions in the kernel language: how images that are buffers are read and written (docs/images.md). math.cl
// says how sections work. All of them are generic in format and sampler, and fold where these are constants. They
// compute what jit/ir/pixel.c computes: the same bits, but for linear filtering.
//
//   size        width, height, depth, layers
//   format      order, type (with the bit KILN_IMAGE_IS_SMALL), number of coordinates that a sampler addresses (1 to 3),
//               whether the image is an array
//   row, slice  bytes from a row to the next, and from a plane or layer to the next
//   at          coordinates: three, of which the last ones may not count, and the layer
// What zero is given for tells floats from integers.
//
// A case of an order or a type never falls into the next one: where the formats of a kernel are known, cases of others
// are left out before they are parsed.

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

// The channels as they are in memory, in floats.
//@ image_raw
T __kiln_image_raw(T zero, global const void *p, int order, int type) {
  int n = __kiln_image_channels(order);
  switch (type) {
  case CLK_SNORM_INT8:
    return n == 4   ? convert_float4(*(global const char4 *)p)
           : n == 2 ? (T)(convert_float2(*(global const char2 *)p), 0, 0)
                    : (T)(*(global const char *)p, 0, 0, 0);
  case CLK_SNORM_INT16:
    return n == 4   ? convert_float4(*(global const short4 *)p)
           : n == 2 ? (T)(convert_float2(*(global const short2 *)p), 0, 0)
                    : (T)(*(global const short *)p, 0, 0, 0);
  case CLK_UNORM_INT8:
    return n == 4   ? convert_float4(*(global const uchar4 *)p)
           : n == 2 ? (T)(convert_float2(*(global const uchar2 *)p), 0, 0)
                    : (T)(*(global const uchar *)p, 0, 0, 0);
  case CLK_UNORM_INT16:
    return n == 4   ? convert_float4(*(global const ushort4 *)p)
           : n == 2 ? (T)(convert_float2(*(global const ushort2 *)p), 0, 0)
                    : (T)(*(global const ushort *)p, 0, 0, 0);
  case CLK_UNORM_SHORT_565: {
    int bits = *(global const ushort *)p;
    return (T)(bits >> 11, bits >> 5 & 63, bits & 31, 0);
  }
  case CLK_UNORM_SHORT_555: {
    int bits = *(global const ushort *)p;
    return (T)(bits >> 10 & 31, bits >> 5 & 31, bits & 31, 0);
  }
  case CLK_UNORM_INT_101010: {
    int bits = *(global const int *)p;
    return (T)(bits >> 20 & 1023, bits >> 10 & 1023, bits & 1023, 0);
  }
  case CLK_HALF_FLOAT:
    return n == 4   ? vload_half4(0, (global const half *)p)
           : n == 2 ? (T)(vload_half2(0, (global const half *)p), 0, 0)
                    : (T)(vload_half(0, (global const half *)p), 0, 0, 0);
  case CLK_FLOAT:
    return n == 4   ? *(global const float4 *)p
           : n == 2 ? (T)(*(global const float2 *)p, 0, 0)
                    : (T)(*(global const float *)p, 0, 0, 0);
  }
  return zero;
}

// A pixel that a kernel adds to something is converted and added with one rounding: __kiln_image_scaled is a product of
// which that may be done.
//@ image_normalised
T __kiln_image_normalised(T c, int type) {
  switch (type) {
  case CLK_SNORM_INT8:
    return __kiln_image_scaled(c, (T)(1.0f / 127.0f));
  case CLK_SNORM_INT16:
    return __kiln_image_scaled(c, (T)(1.0f / 32767.0f));
  case CLK_UNORM_INT8:
    return __kiln_image_scaled(c, (T)(1.0f / 255.0f));
  case CLK_UNORM_INT16:
    return __kiln_image_scaled(c, (T)(1.0f / 65535.0f));
  case CLK_UNORM_SHORT_565:
    return c * (T)(1.0f / 31.0f, 1.0f / 63.0f, 1.0f / 31.0f, 1.0f);
  case CLK_UNORM_SHORT_555:
    return c * (1.0f / 31.0f);
  case CLK_UNORM_INT_101010:
    return c * (1.0f / 1023.0f);
  }
  return c;
}

//@ image_load_f
T __kiln_image_load(T zero, global const void *p, int order, int type) {
  T c = __kiln_image_normalised(__kiln_image_raw(zero, p, order, type), type);
  switch (type) {
  case CLK_SNORM_INT8:
  case CLK_SNORM_INT16:
    c = c > -1.0f ? c : (T)-1.0f;
  }
  c = __kiln_image_order(c, order, 1.0f);
  switch (order) {
  case CLK_sRGBA:
  case CLK_sBGRA:
    c.xyz = __kiln_image_linear(c).xyz;
  }
  return c;
}

//@ image_linear
T __kiln_image_linear(T c) {
  constant float table[256] = {
      0.0f, 0.000303526991f, 0.000607053982f, 0.000910580973f, 0.00121410796f, 0.00151763496f, 0.00182116195f,
      0.00212468882f, 0.00242821593f, 0.0027317428f, 0.00303526991f, 0.00334653584f, 0.00367650739f, 0.00402471703f,
      0.00439144205f, 0.00477695325f, 0.00518151652f, 0.00560539169f, 0.00604883302f, 0.00651209056f, 0.00699541019f,
      0.00749903219f, 0.00802319311f, 0.00856812578f, 0.00913405884f, 0.00972121768f, 0.010329823f, 0.0109600937f,
      0.0116122449f, 0.012286488f, 0.0129830325f, 0.0137020834f, 0.0144438436f, 0.0152085144f, 0.0159962941f,
      0.0168073755f, 0.0176419541f, 0.01850022f, 0.0193823613f, 0.0202885624f, 0.0212190095f, 0.0221738853f,
      0.0231533665f, 0.0241576321f, 0.0251868591f, 0.0262412224f, 0.0273208916f, 0.02842604f, 0.0295568351f,
      0.0307134446f, 0.0318960324f, 0.0331047662f, 0.0343398079f, 0.0356013142f, 0.0368894488f, 0.0382043719f,
      0.0395462364f, 0.0409151986f, 0.0423114114f, 0.043735031f, 0.045186203f, 0.0466650873f, 0.0481718257f,
      0.0497065671f, 0.0512694567f, 0.0528606474f, 0.054480277f, 0.0561284907f, 0.0578054301f, 0.0595112368f,
      0.0612460524f, 0.0630100146f, 0.064803265f, 0.0666259378f, 0.0684781671f, 0.0703600943f, 0.0722718537f,
      0.0742135718f, 0.0761853829f, 0.078187421f, 0.0802198201f, 0.0822827071f, 0.0843762085f, 0.0865004584f,
      0.0886555836f, 0.0908417106f, 0.0930589661f, 0.0953074694f, 0.097587347f, 0.0998987257f, 0.102241732f,
      0.104616486f, 0.107023105f, 0.10946171f, 0.111932427f, 0.114435375f, 0.116970666f, 0.119538426f, 0.122138776f,
      0.124771819f, 0.127437681f, 0.130136475f, 0.13286832f, 0.135633335f, 0.138431609f, 0.141263291f, 0.144128472f,
      0.147027269f, 0.149959788f, 0.152926147f, 0.155926466f, 0.158960834f, 0.162029371f, 0.165132195f, 0.168269396f,
      0.171441108f, 0.174647406f, 0.177888423f, 0.18116425f, 0.18447499f, 0.187820777f, 0.191201687f, 0.194617838f,
      0.198069319f, 0.20155625f, 0.205078736f, 0.208636865f, 0.212230757f, 0.215860501f, 0.219526201f, 0.223227963f,
      0.226965874f, 0.230740055f, 0.23455058f, 0.238397568f, 0.242281124f, 0.246201321f, 0.25015828f, 0.254152089f,
      0.258182853f, 0.262250662f, 0.266355604f, 0.270497799f, 0.274677306f, 0.278894275f, 0.283148736f, 0.287440836f,
      0.291770637f, 0.296138257f, 0.300543785f, 0.304987311f, 0.309468925f, 0.313988715f, 0.318546772f, 0.323143214f,
      0.327778101f, 0.332451522f, 0.337163627f, 0.341914415f, 0.346704066f, 0.351532608f, 0.356400132f, 0.361306787f,
      0.366252601f, 0.371237695f, 0.376262128f, 0.38132602f, 0.386429429f, 0.391572475f, 0.396755219f, 0.401977777f,
      0.407240212f, 0.412542611f, 0.417885065f, 0.423267663f, 0.428690493f, 0.434153646f, 0.439657182f, 0.445201188f,
      0.450785786f, 0.456411034f, 0.462076992f, 0.467783809f, 0.473531485f, 0.479320168f, 0.48514995f, 0.491020858f,
      0.496932983f, 0.502886474f, 0.50888133f, 0.514917672f, 0.520995557f, 0.527115107f, 0.533276379f, 0.539479494f,
      0.545724452f, 0.55201143f, 0.558340371f, 0.564711511f, 0.571124852f, 0.577580452f, 0.584078431f, 0.590618849f,
      0.597201765f, 0.603827357f, 0.610495567f, 0.617206573f, 0.623960376f, 0.630757153f, 0.637596846f, 0.644479692f,
      0.651405632f, 0.658374846f, 0.665387273f, 0.672443151f, 0.679542482f, 0.686685324f, 0.693871737f, 0.701101899f,
      0.708375752f, 0.715693474f, 0.723055124f, 0.730460763f, 0.73791039f, 0.745404184f, 0.752942204f, 0.760524511f,
      0.768151164f, 0.775822222f, 0.783537805f, 0.791297913f, 0.799102724f, 0.806952238f, 0.814846575f, 0.822785735f,
      0.830769897f, 0.838799f, 0.846873224f, 0.854992628f, 0.863157213f, 0.871367097f, 0.8796224f, 0.887923121f,
      0.896269381f, 0.904661179f, 0.913098633f, 0.921581864f, 0.930110872f, 0.938685715f, 0.947306514f, 0.955973327f,
      0.964686275f, 0.973445296f, 0.982250571f, 0.991102099f, 1.0f};
  int4 i = convert_int4_rte(c * 255.0f);
  return (T)(table[i.x], table[i.y], table[i.z], c.w);
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

// Choices by comparisons rather than fmin and fmax: NaN becomes the second operand, as in the instructions of CPUs. The
// conversion to an integer needs no saturation where both limits are known to fit.
//@ image_index
int __kiln_image_index(float u, int size, int mode) {
  float low = -1.0e9f, high = 1.0e9f;
  if (mode == CLK_ADDRESS_CLAMP_TO_EDGE) {
    low = 0.0f;
    high = (float)min(size - 1, 1 << 30);
  } else if (mode == CLK_ADDRESS_REPEAT || mode == CLK_ADDRESS_MIRRORED_REPEAT) {
    low = -1.0f; // for NaN alone
    high = (float)min(size, 1 << 30);
  }
  u = u > low ? u : low;
  int i = (int)(u < high ? u : high);
  if (mode == CLK_ADDRESS_REPEAT)
    return i < 0 ? i + size : i > size - 1 ? i - size : i;
  if (mode == CLK_ADDRESS_MIRRORED_REPEAT)
    return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
  return i;
}

//@ image_layer
int __kiln_image_layer(int4 size, int4 format, float layer) {
  return format.w ? (int)fmin(fmax(rint(layer), 0.0f), (float)(size.w - 1)) : 0;
}

//@ image_nearest
int4 __kiln_image_nearest(int4 size, int4 format, int sampler, float4 at) {
  int mode = sampler & 14;
  float u = __kiln_image_position(at.x, size.x, sampler);
  float v = format.z > 1 ? __kiln_image_position(at.y, size.y, sampler) : 0.0f;
  float w = format.z > 2 ? __kiln_image_position(at.z, size.z, sampler) : 0.0f;
  return (int4)(__kiln_image_index(floor(u), size.x, mode), __kiln_image_index(floor(v), size.y, mode),
                __kiln_image_index(floor(w), size.z, mode), __kiln_image_layer(size, format, at.w));
}

//@ image_sample
T __kiln_image_sample(T zero, global const void *p, int4 size, int4 format, long row, long slice, int sampler,
                      float4 at) {
  int mode = sampler & 14;
  if (!(sampler & CLK_FILTER_LINEAR))
    return __kiln_image_fetch(zero, p, size, format, row, slice, mode,
                              __kiln_image_nearest(size, format, sampler, at));
  int l = __kiln_image_layer(size, format, at.w);
  float u = __kiln_image_position(at.x, size.x, sampler);
  float v = format.z > 1 ? __kiln_image_position(at.y, size.y, sampler) : 0.0f;
  float w = format.z > 2 ? __kiln_image_position(at.z, size.z, sampler) : 0.0f;
  float left = floor(u - 0.5f), above = floor(v - 0.5f), front = floor(w - 0.5f);
  int x = __kiln_image_lower(left, size.x, mode), x0 = __kiln_image_first(x, size.x, mode),
      x1 = __kiln_image_second(x, size.x, mode);
  int y = __kiln_image_lower(above, size.y, mode), y0 = __kiln_image_first(y, size.y, mode),
      y1 = __kiln_image_second(y, size.y, mode);
  int z = __kiln_image_lower(front, size.z, mode), z0 = __kiln_image_first(z, size.z, mode),
      z1 = __kiln_image_second(z, size.z, mode);
  float a = u - 0.5f - left, b = v - 0.5f - above, c = w - 0.5f - front;
  T sum = __kiln_image_between(__kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x0, y0, z0, l)),
                               __kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x1, y0, z0, l)),
                               a);
  if (format.z > 1) {
    T below =
        __kiln_image_between(__kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x0, y1, z0, l)),
                             __kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x1, y1, z0, l)), a);
    sum = __kiln_image_between(sum, below, b);
  }
  if (format.z > 2) {
    T over =
        __kiln_image_between(__kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x0, y0, z1, l)),
                             __kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x1, y0, z1, l)), a);
    T under =
        __kiln_image_between(__kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x0, y1, z1, l)),
                             __kiln_image_fetch_raw(zero, p, size, format, row, slice, mode, (int4)(x1, y1, z1, l)), a);
    sum = __kiln_image_between(sum, __kiln_image_between(over, under, b), c);
  }
  switch (format.x) {
  case CLK_sRGBA: // normalised before
  case CLK_sBGRA:
    break;
  default:
    sum = __kiln_image_normalised(sum, format.y & 0xffff);
  }
  return __kiln_image_order(sum, format.x, 1.0f);
}

// What is filtered: the channels as they are in memory, of which the mean is normalised. A border is 0 in all of them.
// The colours of sRGB are normalised and made linear before.
//@ image_fetch_raw
T __kiln_image_fetch_raw(T zero, global const void *p, int4 size, int4 format, long row, long slice, int mode,
                         int4 at) {
  int type = format.y & 0xffff;
  if (mode == CLK_ADDRESS_CLAMP) {
    if (format.z > 2 && (uint)at.z >= (uint)size.z)
      return zero;
    if (format.z > 1 && (uint)at.y >= (uint)size.y)
      return zero;
    if ((uint)at.x >= (uint)size.x)
      return zero;
  }
  long offset = __kiln_image_offset(format, row, slice, at);
  T c = __kiln_image_raw(zero, (global const void *)((global const char *)p + offset), format.x, type);
  switch (type) {
  case CLK_SNORM_INT8:
    c = c > -127.0f ? c : (T)-127.0f;
    break;
  case CLK_SNORM_INT16:
    c = c > -32767.0f ? c : (T)-32767.0f;
  }
  switch (format.x) {
  case CLK_sRGBA:
  case CLK_sBGRA:
    c = __kiln_image_linear(__kiln_image_normalised(c, type));
  }
  return c;
}

// The first of two neighbours that are filtered, from -1 on where the mode gives all coordinates a pixel.
//@ image_lower
int __kiln_image_lower(float u, int size, int mode) {
  bool is_whole = mode == CLK_ADDRESS_NONE || mode == CLK_ADDRESS_CLAMP;
  float low = is_whole ? -1.0e9f : -1.0f, high = is_whole ? 1.0e9f : (float)min(size - 1, 1 << 30);
  u = u > low ? u : low; // -1 for NaN, as in __kiln_image_index
  return (int)(u < high ? u : high);
}

//@ image_first
int __kiln_image_first(int i, int size, int mode) {
  if (mode == CLK_ADDRESS_REPEAT)
    return i < 0 ? size - 1 : i;
  return mode == CLK_ADDRESS_NONE || mode == CLK_ADDRESS_CLAMP ? i : max(i, 0);
}

//@ image_second
int __kiln_image_second(int i, int size, int mode) {
  if (mode == CLK_ADDRESS_REPEAT)
    return i < size - 1 ? i + 1 : 0;
  return mode == CLK_ADDRESS_NONE || mode == CLK_ADDRESS_CLAMP ? i + 1 : min(i + 1, size - 1);
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
  return __kiln_image_fetch((T)0, p, size, format, row, slice, sampler & 14,
                            __kiln_image_nearest(size, format, sampler, at));
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
