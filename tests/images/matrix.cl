// A kernel whose items read or write one pixel each. matrix.c puts these macros before the text:
//   IMAGE    the type of the image
//   AT       the components of a coordinate that count
//   SIZES    width, height, depth and layers of the image i
//   KERNEL   which kernel: KERNEL_read(ui), and so on
//   DEPTH    whether the pixels are single floats
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#if DEPTH
#define BITS_f(v) (int4)(as_int(v), 0, 0, 0)
#define PIXEL_f(v) as_float((v).x)
#define CHANGED_f(v) ((v)*0.5f)
#else
#define BITS_f(v) as_int4(v)
#define PIXEL_f(v) as_float4(v)
#define CHANGED_f(v) ((v).wxyz * 0.5f)
#endif
#define BITS_h(v) convert_int4(as_ushort4(v))
#define PIXEL_h(v) as_half4(convert_ushort4(v))
#define CHANGED_h(v) ((v).wxyz * 0.5h)
#define BITS_i(v) (v)
#define PIXEL_i(v) (v)
#define CHANGED_i(v) ((v).wxyz + 1)
#define BITS_ui(v) as_int4(v)
#define PIXEL_ui(v) as_uint4(v)
#define CHANGED_ui(v) ((v).wxyz + 1)

#define KERNEL_read(F)                                                                                                 \
  kernel void k(read_only IMAGE i, global const int4 *at, global int4 *out) {                                          \
    size_t g = get_global_id(0);                                                                                       \
    out[g] = BITS_##F(read_image##F(i, at[g].AT));                                                                     \
  }
#define KERNEL_fetch(F)                                                                                                \
  kernel void k(read_only IMAGE i, global const int4 *at, global int4 *out, sampler_t s) {                             \
    size_t g = get_global_id(0);                                                                                       \
    out[g] = BITS_##F(read_image##F(i, s, at[g].AT));                                                                  \
  }
#define KERNEL_sample(F)                                                                                               \
  kernel void k(read_only IMAGE i, global const float4 *at, global int4 *out, sampler_t s) {                           \
    size_t g = get_global_id(0);                                                                                       \
    out[g] = BITS_##F(read_image##F(i, s, at[g].AT));                                                                  \
  }
#define KERNEL_write(F)                                                                                                \
  kernel void k(write_only IMAGE i, global const int4 *at, global const int4 *pixels) {                                \
    size_t g = get_global_id(0);                                                                                       \
    write_image##F(i, at[g].AT, PIXEL_##F(pixels[g]));                                                                 \
  }
#define KERNEL_change(F)                                                                                               \
  kernel void k(read_write IMAGE i, global const int4 *at) {                                                           \
    size_t g = get_global_id(0);                                                                                       \
    write_image##F(i, at[g].AT, CHANGED_##F(read_image##F(i, at[g].AT)));                                              \
  }
#define KERNEL_copy(F)                                                                                                 \
  kernel void k(read_only IMAGE i, global const int4 *at, write_only IMAGE other) {                                    \
    size_t g = get_global_id(0);                                                                                       \
    write_image##F(other, at[g].AT, read_image##F(i, at[g].AT));                                                       \
  }
#define KERNEL_ask(F)                                                                                                  \
  kernel void k(read_only IMAGE i, global const int4 *at, global int4 *out) {                                          \
    out[0] = (int4)(SIZES);                                                                                            \
    out[1] = (int4)(get_image_channel_order(i), get_image_channel_data_type(i), 0, 0);                                 \
  }

KERNEL
