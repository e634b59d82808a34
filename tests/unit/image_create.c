// Images as objects: sizes, pitches, formats and memory that they may have.
#include "jit_test.h"

static struct kiln_context *ctx;

static void open_all(void) {
  set_up();
  ctx = open_interp();
}

static void close_all(void) {
  kiln_context_close(ctx);
  tear_down();
}

static const struct kiln_image_desc small = {
    .dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8}, .width = 10, .height = 4};

static enum kiln_status create(struct kiln_image_desc desc) {
  struct kiln_image *image = NULL;
  enum kiln_status status = kiln_image_create(ctx, &desc, &image);
  kiln_image_release(image);
  return status;
}

#define REFUSED(desc, status, reason, at, text)                                                                        \
  do {                                                                                                                 \
    uint32_t index_;                                                                                                   \
    FAILS(create(desc), status, text);                                                                                 \
    cr_expect_eq(kiln_last_reason(&index_), reason, "%s", kiln_last_error());                                          \
    cr_expect_eq(index_, at, "%s", kiln_last_error());                                                                 \
  } while (0)

Test(image_create, sizes, .init = open_all, .fini = close_all) {
  static const struct {
    enum kiln_image_dimension dimension;
    uint32_t width, height, depth, layers; // at most
  } limits[] = {{KILN_IMAGE_1D, 16384, 1, 1, 1},
                {KILN_IMAGE_1D_BUFFER, 1 << 27, 1, 1, 1},
                {KILN_IMAGE_1D_ARRAY, 16384, 1, 1, 2048},
                {KILN_IMAGE_2D, 16384, 16384, 1, 1},
                {KILN_IMAGE_2D_ARRAY, 16384, 16384, 1, 2048},
                {KILN_IMAGE_3D, 2048, 2048, 2048, 1},
                {KILN_IMAGE_2D_DEPTH, 16384, 16384, 1, 1},
                {KILN_IMAGE_2D_ARRAY_DEPTH, 16384, 16384, 1, 2048}};
  static const char *const names[] = {"width", "height", "depth", "number of layers"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct kiln_image_limits got;
    OK(kiln_image_limits(ctx, 0, limits[i].dimension, &got));
    const uint32_t most[] = {limits[i].width, limits[i].height, limits[i].depth, limits[i].layers};
    cr_expect_eq(memcmp(&got, most, sizeof most), 0, "%zu", i);
    struct kiln_image_desc desc = {.dimension = limits[i].dimension, .format = {KILN_ORDER_R, KILN_CHANNEL_U8}};
    if (limits[i].dimension >= KILN_IMAGE_2D_DEPTH)
      desc.format = (struct kiln_image_format){KILN_ORDER_DEPTH, KILN_CHANNEL_UNORM16};
    uint32_t *sizes[] = {&desc.width, &desc.height, &desc.depth, &desc.layers};
    for (uint32_t d = 0; d < 4; d++) {
      for (int k = 0; k < 4; k++)
        *sizes[k] = 1;
      OK(create(desc));
      *sizes[d] = most[d]; // interp has the memory for one dimension at a time
      OK(create(desc));
      *sizes[d] = 0;
      if (most[d] == 1)
        OK(create(desc));
      else
        REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_IMAGE_SIZE, d, names[d]);
      *sizes[d] = most[d] + 1;
      REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_IMAGE_SIZE, d, names[d]);
    }
  }
  FAILS(kiln_image_limits(ctx, 0, (enum kiln_image_dimension)8, &(struct kiln_image_limits){0}), KILN_ERR_INVALID,
        "dimension 8 is unknown");
  FAILS(kiln_image_limits(ctx, 7, KILN_IMAGE_2D, &(struct kiln_image_limits){0}), KILN_ERR_NOT_FOUND, "no device 7");
}

Test(image_create, what_is_told, .init = open_all, .fini = close_all) {
  struct kiln_image *image;
  struct kiln_image_desc info, desc = {.dimension = KILN_IMAGE_2D_ARRAY,
                                       .format = {KILN_ORDER_RG, KILN_CHANNEL_F16},
                                       .width = 3,
                                       .height = 5,
                                       .layers = 2};
  OK(kiln_image_create(ctx, &desc, &image));
  kiln_image_info(image, &info);
  cr_expect(info.dimension == KILN_IMAGE_2D_ARRAY && info.format.order == KILN_ORDER_RG &&
            info.format.type == KILN_CHANNEL_F16);
  cr_expect(info.width == 3 && info.height == 5 && info.depth == 1 && info.layers == 2);
  cr_expect(info.row == 12 && info.slice == 60 && info.offset == 0 && !info.copies && info.host_bytes == 120);
  cr_expect(info.buffer == kiln_image_buffer(image) && info.host == kiln_buffer_host(info.buffer));
  cr_expect_eq(kiln_buffer_size(info.buffer), 120);
  kiln_image_retain(image);
  kiln_image_release(image);
  kiln_image_info(image, &info);
  cr_expect_eq(info.width, 3);
  // An image of another format over the same pixels, which keeps the memory.
  struct kiln_image_desc view = info;
  view.format = (struct kiln_image_format){KILN_ORDER_R, KILN_CHANNEL_U32};
  view.host = NULL;
  struct kiln_image *other;
  OK(kiln_image_create(ctx, &view, &other));
  kiln_image_release(image);
  kiln_image_info(other, &info);
  cr_expect(info.row == 12 && info.slice == 60 && info.format.type == KILN_CHANNEL_U32);
  kiln_image_release(other);
  struct kiln_context_stats stats;
  kiln_context_stats(ctx, &stats);
  cr_expect_eq(stats.buffers, 0);
  kiln_image_retain(NULL);
  kiln_image_release(NULL);
  kiln_image_info(NULL, &info);
  cr_expect(info.width == 0 && kiln_image_buffer(NULL) == NULL);
}

Test(image_create, pitches, .init = open_all, .fini = close_all) {
  struct kiln_image_desc desc = small;
  desc.row = 39;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0, "rows of 39 bytes, but 10 pixels of 4 bytes need 40");
  desc.row = 42;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0, "a larger multiple of 4");
  desc.row = 44;
  OK(create(desc));
  desc.slice = 175;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0, "of 175 bytes, but 4 rows of 44 bytes need 176");
  desc.slice = 200;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0, "a larger multiple of 44");
  desc.slice = 220;
  OK(create(desc));
  desc.row = SIZE_MAX / 8 * 4;
  desc.slice = 0;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0, "more than memory has");
  desc.dimension = KILN_IMAGE_3D;
  desc.depth = 16;
  desc.row = (size_t)1 << 60;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0, "more than memory has");
  desc.row = (size_t)1 << 40;
  REFUSED(desc, KILN_ERR_MEMORY, KILN_REASON_NONE, 0, "larger than the memory of device 0");
}

// A host finds every format that an image can be made of, and no other.
Test(image_create, formats, .init = open_all, .fini = close_all) {
  for (int dimension = 0; dimension <= KILN_IMAGE_2D_ARRAY_DEPTH; dimension++) {
    enum kiln_image_dimension d = (enum kiln_image_dimension)dimension;
    bool is_depth = d == KILN_IMAGE_2D_DEPTH || d == KILN_IMAGE_2D_ARRAY_DEPTH;
    struct kiln_image_format formats[100], writes[100];
    uint32_t count, write_count, found = 0;
    OK(kiln_image_formats(ctx, 0, d, KILN_ACCESS_READ, NULL, 0, &count));
    cr_expect_eq(count, is_depth ? 2 : 83);
    OK(kiln_image_formats(ctx, 0, d, KILN_ACCESS_READ, formats, 100, &count));
    OK(kiln_image_formats(ctx, 0, d, KILN_ACCESS_READ_WRITE, writes, 100, &write_count));
    cr_expect_eq(write_count, is_depth ? 2 : 81); // but for sRGB
    for (int order = -1; order <= KILN_ORDER_SBGRA + 1; order++)
      for (int type = -1; type <= KILN_CHANNEL_F32 + 1; type++) {
        struct kiln_image_desc desc = {.dimension = d,
                                       .format = {(enum kiln_channel_order)order, (enum kiln_channel_type)type},
                                       .width = 1,
                                       .height = 1,
                                       .depth = 1,
                                       .layers = 1};
        bool is_there =
            found < count && formats[found].order == desc.format.order && formats[found].type == desc.format.type;
        found += is_there;
        cr_expect_eq(create(desc), is_there ? KILN_OK : KILN_ERR_UNSUPPORTED, "%d:%d %s", order, type,
                     kiln_last_error());
        if (is_there)
          cr_expect_gt(kiln_image_pixel_bytes(desc.format), 0);
      }
    cr_expect_eq(found, count);
  }
  struct kiln_image_desc desc = small;
  desc.format = (struct kiln_image_format){KILN_ORDER_BGRA, KILN_CHANNEL_F32};
  REFUSED(desc, KILN_ERR_UNSUPPORTED, KILN_REASON_FORMAT, 0, "a 2D image of bgra:f32, which is no format of images");
  cr_expect_eq(kiln_image_pixel_bytes(desc.format), 0);
  desc.format = (struct kiln_image_format){KILN_ORDER_DEPTH, KILN_CHANNEL_F32};
  REFUSED(desc, KILN_ERR_UNSUPPORTED, KILN_REASON_FORMAT, 0, "depth:f32, which is for depth images alone");
  desc.dimension = KILN_IMAGE_2D_DEPTH;
  OK(create(desc));
  desc.format.order = KILN_ORDER_R;
  REFUSED(desc, KILN_ERR_UNSUPPORTED, KILN_REASON_FORMAT, 0, "r:f32, and depth images have depth:unorm16 or depth:f32");
  uint32_t count;
  struct kiln_image_format one;
  OK(kiln_image_formats(ctx, 0, KILN_IMAGE_2D, KILN_ACCESS_WRITE, &one, 1, &count)); // no more than there is room for
  FAILS(kiln_image_formats(ctx, 0, KILN_IMAGE_2D, KILN_ACCESS_WRITE, NULL, 1, &count), KILN_ERR_INVALID, "out is NULL");
}

Test(image_create, memory, .init = open_all, .fini = close_all) {
  _Alignas(128) static unsigned char bytes[512];
  struct kiln_buffer *buffer;
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 200}, &buffer));
  struct kiln_image_desc desc = small;
  desc.buffer = buffer;
  desc.offset = 40;
  OK(create(desc)); // up to the buffer's last byte
  desc.offset = 44;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_RANGE, 0,
          "160 bytes at offset 44 does not fit into a buffer of 200 bytes");
  desc.offset = 204;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_RANGE, 0, "does not fit");
  desc.offset = 38;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_ALIGN, 0, "offset 0x26 is no multiple of a pixel's 4 bytes");
  desc.offset = 0;
  desc.host = bytes;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_NONE, 0, "host is set, and so is buffer");
  kiln_buffer_release(buffer);
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 200, .host = bytes + 1}, &buffer));
  desc = small;
  desc.buffer = buffer;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_ALIGN, 0, "the buffer's memory at 0x");
  kiln_buffer_release(buffer);
  desc = small;
  desc.offset = 4;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_NONE, 0, "offset is 4, but there is no buffer");
  desc.offset = 0;
  desc.copies = true;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_NONE, 0, "copies is set, but host is NULL");
  desc.copies = false;
  desc.host = bytes + 2;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_ALIGN, 0, "no multiple of a pixel's 4 bytes; with copies it need not be");
  desc.copies = true;
  OK(create(desc));
  desc.host = bytes;
  desc.host_bytes = 159;
  REFUSED(desc, KILN_ERR_INVALID, KILN_REASON_RANGE, 0, "the image has 160 bytes, and host_bytes are 159");
  desc.host_bytes = 160;
  OK(create(desc));
  desc.device = 3;
  REFUSED(desc, KILN_ERR_NOT_FOUND, KILN_REASON_NONE, 0, "there is no device 3");
  desc = small;
  struct kiln_image *image;
  FAILS(kiln_image_create(ctx, NULL, &image), KILN_ERR_INVALID, "desc is NULL");
  FAILS(kiln_image_create(NULL, &desc, &image), KILN_ERR_INVALID, "ctx is NULL");
  FAILS(kiln_image_create(ctx, &desc, NULL), KILN_ERR_INVALID, "out is NULL");
}
