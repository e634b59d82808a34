// Commands on regions of images, compared with loops over the bytes of their buffers, in every dimension and with gaps.
#include "tests/api/api_test.h"

enum { BYTES = 60000 };

static unsigned char expected[BYTES], got[BYTES], host[BYTES];
static struct kiln_buffer *buffer, *other;
static unsigned seed = 1;

static unsigned rnd(unsigned below) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % below;
}

static void scramble(unsigned char *bytes) {
  for (int i = 0; i < BYTES; i++)
    bytes[i] = (unsigned char)rnd(256);
}

static struct kiln_image_region box(size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth) {
  return (struct kiln_image_region){{x, y, z}, {width, height, depth}};
}

static bool has_layers(enum kiln_image_dimension d) {
  return d == KILN_IMAGE_1D_ARRAY || d == KILN_IMAGE_2D_ARRAY || d == KILN_IMAGE_2D_ARRAY_DEPTH;
}

static bool has_rows(enum kiln_image_dimension d) { return d >= KILN_IMAGE_2D; }

// Formats of 1, 2, 4, 8 and 16 bytes, and two for depth.
static struct kiln_image_format a_format(enum kiln_image_dimension d) {
  static const struct kiln_image_format plain[] = {{KILN_ORDER_R, KILN_CHANNEL_U8},
                                                   {KILN_ORDER_RGB, KILN_CHANNEL_UNORM565},
                                                   {KILN_ORDER_SBGRA, KILN_CHANNEL_UNORM8},
                                                   {KILN_ORDER_RG, KILN_CHANNEL_I32},
                                                   {KILN_ORDER_RGBA, KILN_CHANNEL_F32}};
  static const struct kiln_image_format depth[] = {{KILN_ORDER_DEPTH, KILN_CHANNEL_UNORM16},
                                                   {KILN_ORDER_DEPTH, KILN_CHANNEL_F32}};
  return d == KILN_IMAGE_2D_DEPTH || d == KILN_IMAGE_2D_ARRAY_DEPTH ? depth[rnd(2)] : plain[rnd(5)];
}

// An image over a part of the buffer, with gaps or without.
static struct kiln_image *an_image(struct kiln_buffer *over, enum kiln_image_dimension d,
                                   struct kiln_image_format format, struct kiln_image_desc *out) {
  size_t pixel = kiln_image_pixel_bytes(format);
  struct kiln_image_desc desc = {.dimension = d, .format = format, .width = 1 + rnd(12), .buffer = over};
  desc.height = has_rows(d) ? 1 + rnd(8) : rnd(2);
  desc.depth = d == KILN_IMAGE_3D ? 1 + rnd(5) : rnd(2);
  desc.layers = has_layers(d) ? 1 + rnd(5) : rnd(2);
  desc.offset = 16 * rnd(20);
  desc.row = rnd(2) ? (desc.width + rnd(4)) * pixel : 0;
  desc.slice = desc.row && rnd(2) ? desc.row * ((desc.height ? desc.height : 1) + rnd(3)) : 0;
  struct kiln_image *image;
  FINE(kiln_image_create(ctx, &desc, &image));
  kiln_image_info(image, out);
  EXPECT(out->width == desc.width && out->height >= 1 && out->depth >= 1 && out->layers >= 1, "sizes");
  EXPECT(out->row >= out->width * pixel && out->slice >= out->row * out->height, "pitches");
  EXPECT(out->buffer == over && out->offset == desc.offset && kiln_image_buffer(image) == over, "buffer");
  EXPECT(!out->host || out->host == (char *)kiln_buffer_host(over) + desc.offset, "host");
  return image;
}

// Where a pixel lies in the buffer: by the sizes of the image alone.
static size_t address(const struct kiln_image_desc *i, size_t x, size_t y, size_t z) {
  size_t at = i->offset + x * kiln_image_pixel_bytes(i->format);
  return i->dimension == KILN_IMAGE_1D_ARRAY ? at + y * i->slice : at + y * i->row + z * i->slice;
}

static void sizes_of(const struct kiln_image_desc *i, size_t out[3]) {
  out[0] = i->width;
  out[1] = i->dimension == KILN_IMAGE_1D_ARRAY ? i->layers : i->height;
  out[2] = i->dimension == KILN_IMAGE_1D_ARRAY ? 1 : (size_t)i->depth * i->layers;
}

static struct kiln_image_region a_region(const struct kiln_image_desc *i) {
  struct kiln_image_region r;
  size_t sizes[3];
  sizes_of(i, sizes);
  for (int d = 0; d < 3; d++) {
    r.size[d] = 1 + rnd((unsigned)sizes[d]);
    r.origin[d] = rnd((unsigned)(sizes[d] - r.size[d] + 1));
  }
  return r;
}

static struct kiln_layout a_layout(const struct kiln_image_region *r, size_t pixel) {
  struct kiln_layout l = {rnd(50) * pixel, (r->size[0] + rnd(3)) * pixel, 0};
  l.plane = l.row * (r->size[1] + rnd(3));
  return l;
}

// Copies a region between an image's bytes and those of a layout. to_image: which way.
static void move(const struct kiln_image_desc *i, unsigned char *pixels, const struct kiln_image_region *r,
                 unsigned char *bytes, struct kiln_layout l, bool to_image) {
  size_t pixel = kiln_image_pixel_bytes(i->format);
  for (size_t z = 0; z < r->size[2]; z++)
    for (size_t y = 0; y < r->size[1]; y++)
      for (size_t x = 0; x < r->size[0]; x++) {
        unsigned char *at = pixels + address(i, r->origin[0] + x, r->origin[1] + y, r->origin[2] + z);
        unsigned char *outside = bytes + l.offset + z * l.plane + y * l.row + x * pixel;
        memcpy(to_image ? at : outside, to_image ? outside : at, pixel);
      }
}

static void compare(const char *what, struct kiln_buffer *with, const unsigned char *bytes) {
  FINE(kiln_read(stream, with, 0, got, BYTES, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < BYTES; i++)
    EXPECT(got[i] == bytes[i], "%s: byte %d is %d, not %d", what, i, got[i], bytes[i]);
}

static void fill_both(void) {
  scramble(expected);
  scramble(host);
  FINE(kiln_write(stream, buffer, 0, expected, BYTES, NULL));
  FINE(kiln_write(stream, other, 0, host, BYTES, NULL));
  FINE(kiln_stream_finish(stream));
}

static void with_host_and_buffers(enum kiln_image_dimension d) {
  struct kiln_image_desc info;
  fill_both();
  struct kiln_image *image = an_image(buffer, d, a_format(d), &info);
  struct kiln_image_region r = a_region(&info);
  size_t pixel = kiln_image_pixel_bytes(info.format);
  struct kiln_layout l = a_layout(&r, pixel);
  struct kiln_event *event;
  FINE(kiln_image_write(stream, image, &r, host, &l, &event));
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  move(&info, expected, &r, host, l, true);
  compare("write", buffer, expected);

  r = a_region(&info);
  l = a_layout(&r, pixel);
  FINE(kiln_image_from_buffer(stream, image, &r, other, &l, NULL));
  move(&info, expected, &r, host, l, true);
  compare("from a buffer", buffer, expected);

  r = a_region(&info);
  l = a_layout(&r, pixel);
  FINE(kiln_image_to_buffer(stream, image, &r, other, &l, NULL));
  move(&info, expected, &r, host, l, false);
  compare("to a buffer", other, host);

  r = a_region(&info);
  l = a_layout(&r, pixel);
  static unsigned char read[BYTES];
  memcpy(read, host, BYTES);
  FINE(kiln_image_read(stream, image, &r, read, &l, NULL));
  FINE(kiln_stream_finish(stream));
  move(&info, expected, &r, host, l, false);
  EXPECT(memcmp(read, host, BYTES) == 0, "read");
  kiln_image_release(image);
}

static void fills(enum kiln_image_dimension d) {
  struct kiln_image_desc info;
  fill_both();
  struct kiln_image *image = an_image(buffer, d, a_format(d), &info);
  struct kiln_image_region r = a_region(&info);
  union kiln_pixel pixel = {.f = {0.25f, 0.5f, 1, 0.75f}};
  unsigned char *bytes = host;
  memset(host, 0, 16);
  switch (info.format.type) {
  case KILN_CHANNEL_U8:
    pixel.u[0] = 300;
    bytes[0] = 255;
    break;
  case KILN_CHANNEL_UNORM565: // red in the highest bits
    memcpy(bytes, &(uint16_t){8 << 11 | 32 << 5 | 31}, 2);
    break;
  case KILN_CHANNEL_UNORM8: // blue first; 0.25 and 0.5 are 137 and 188 in sRGB
    memcpy(bytes, (unsigned char[]){255, 188, 137, 191}, 4);
    break;
  case KILN_CHANNEL_I32:
    pixel.i[0] = -3;
    pixel.i[1] = 1 << 30;
    memcpy(bytes, pixel.i, 8);
    break;
  case KILN_CHANNEL_UNORM16:
    memcpy(bytes, &(uint16_t){16384}, 2);
    break;
  default:
    memcpy(bytes, pixel.f, 16);
  }
  FINE(kiln_image_fill(stream, image, &r, &pixel, NULL));
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++)
      for (size_t x = 0; x < r.size[0]; x++)
        memcpy(expected + address(&info, r.origin[0] + x, r.origin[1] + y, r.origin[2] + z), bytes,
               kiln_image_pixel_bytes(info.format));
  compare("fill", buffer, expected);
  kiln_image_release(image);
}

// Between dimensions: a region goes as far as both have pixels.
static void copies(enum kiln_image_dimension from, enum kiln_image_dimension to) {
  struct kiln_image_desc src, dst;
  fill_both();
  struct kiln_image_format format = a_format(from);
  bool is_depth = format.order == KILN_ORDER_DEPTH;
  if (is_depth != (to == KILN_IMAGE_2D_DEPTH || to == KILN_IMAGE_2D_ARRAY_DEPTH))
    return;
  struct kiln_image *a = an_image(other, from, format, &src), *b = an_image(buffer, to, format, &dst);
  struct kiln_image_region r = a_region(&src), target = {.origin = {0}};
  size_t sizes[3];
  sizes_of(&dst, sizes);
  for (int d = 0; d < 3; d++) {
    r.size[d] = r.size[d] < sizes[d] ? r.size[d] : sizes[d];
    target.origin[d] = rnd((unsigned)(sizes[d] - r.size[d] + 1));
    target.size[d] = r.size[d];
  }
  FINE(kiln_image_copy(stream, a, &r, b, target.origin, NULL));
  static unsigned char between[BYTES];
  size_t row = r.size[0] * kiln_image_pixel_bytes(format);
  struct kiln_layout l = {0, row, row * r.size[1]};
  move(&src, host, &r, between, l, false);
  move(&dst, expected, &target, between, l, true);
  compare("copy", buffer, expected);
  kiln_image_release(a);
  kiln_image_release(b);
}

// Regions that are not given are all; what is only in one of the dimensions is 1.
static void whole_images(void) {
  struct kiln_image_desc desc = {
      .dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_RG, KILN_CHANNEL_U16}, .width = 7, .height = 5};
  struct kiln_image *a, *b, *array;
  FINE(kiln_image_create(ctx, &desc, &a));
  desc.row = 40;
  FINE(kiln_image_create(ctx, &desc, &b));
  desc.dimension = KILN_IMAGE_2D_ARRAY;
  desc.layers = 3;
  FINE(kiln_image_create(ctx, &desc, &array));
  scramble(host);
  FINE(kiln_image_write(stream, a, NULL, host, NULL, NULL));
  FINE(kiln_image_copy(stream, a, NULL, b, NULL, NULL));
  FINE(kiln_image_copy(stream, b, &(struct kiln_image_region){.size = {7, 5}}, array, (size_t[]){0, 0, 2}, NULL));
  FINE(kiln_image_read(stream, array, &(struct kiln_image_region){{0, 0, 2}, {7, 5, 1}}, got, NULL, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(memcmp(got, host, 7 * 5 * 4) == 0, "whole images");
  struct kiln_event *event;
  FINE(kiln_image_read(stream, a, &(struct kiln_image_region){.size = {0, 5}}, got, NULL, &event)); // nothing
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  kiln_image_release(a);
  kiln_image_release(b);
  kiln_image_release(array);
}

static void memory_of_the_host(void) {
  _Alignas(16) static uint32_t pixels[64];
  for (uint32_t i = 0; i < 64; i++)
    pixels[i] = i;
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D,
                                 .format = {KILN_ORDER_R, KILN_CHANNEL_U32},
                                 .width = 6,
                                 .height = 8,
                                 .row = 32,
                                 .host = pixels,
                                 .host_bytes = 248}; // the last row has no gap after it
  struct kiln_image *wrapped, *copied;
  FINE(kiln_image_create(ctx, &desc, &wrapped));
  desc.copies = true;
  FINE(kiln_image_create(ctx, &desc, &copied));
  const union kiln_pixel pixel = {.u = {99}};
  FINE(kiln_image_fill(stream, wrapped, NULL, &pixel, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(!device.host_memory ||
             (pixels[0] == 99 && pixels[5] == 99 && pixels[6] == 6 && pixels[61] == 99 && pixels[62] == 62),
         "the memory is the image's");
  uint32_t read[48];
  FINE(kiln_image_read(stream, copied, NULL, read, NULL, NULL));
  FINE(kiln_stream_finish(stream));
  for (uint32_t i = 0; i < 48; i++)
    EXPECT(read[i] == i / 6 * 8 + i % 6, "pixel %u of the copy is %u", (unsigned)i, (unsigned)read[i]);
  desc.host = (char *)pixels + 2; // it need not be aligned
  kiln_image_release(copied);
  FINE(kiln_image_create(ctx, &desc, &copied));
  kiln_image_release(copied);
  kiln_image_release(wrapped);
}

static void errors(void) {
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D,
                                 .format = {KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8},
                                 .width = 16,
                                 .height = 9,
                                 .buffer = buffer};
  struct kiln_image *a, *b, *over;
  FINE(kiln_image_create(ctx, &desc, &a));
  desc.format.type = KILN_CHANNEL_U8;
  FINE(kiln_image_create(ctx, &desc, &b));
  desc.format.type = KILN_CHANNEL_UNORM8;
  desc.offset = 8;
  FINE(kiln_image_create(ctx, &desc, &over));
  const struct kiln_image_region r = box(0, 0, 0, 17, 1, 1), below = box(1, 8, 0, 4, 2, 1),
                                 layer = box(0, 0, 1, 4, 4, 1);
  FAILS(kiln_image_read(stream, a, &r, got, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  FAILS(kiln_image_write(stream, a, &below, got, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 1);
  FAILS(kiln_image_to_buffer(stream, a, &layer, other, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 2);
  const struct kiln_layout narrow = {0, 60, 0}, late = {BYTES - 100, 0, 0};
  FAILS(kiln_image_read(stream, a, NULL, got, &narrow, NULL), KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0);
  FAILS(kiln_image_from_buffer(stream, a, NULL, other, &late, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  FAILS(kiln_image_copy(stream, a, NULL, b, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_FORMAT, 0);
  EXPECT(strstr(kiln_last_error(), "rgba:unorm8") && strstr(kiln_last_error(), "rgba:u8"), "%s", kiln_last_error());
  FAILS(kiln_image_copy(stream, a, NULL, over, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  FAILS(kiln_image_copy(stream, a, NULL, a, (size_t[]){0, 1, 0}, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 1);
  const struct kiln_image_region left = box(0, 0, 0, 8, 9, 1);
  FINE(kiln_image_copy(stream, a, &left, a, (size_t[]){8, 0, 0}, NULL));
  FAILS(kiln_image_copy(stream, a, &left, a, (size_t[]){7, 0, 0}, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  FAILS(kiln_image_read(stream, NULL, NULL, got, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_image_read(NULL, a, NULL, got, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_image_read(stream, a, NULL, NULL, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_image_fill(stream, a, NULL, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_image_copy(stream, a, NULL, NULL, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  struct kiln_context *foreign;
  struct kiln_stream *far;
  FINE(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .arch = "generic"}, &foreign));
  FINE(kiln_stream_create(foreign, 0, &far));
  FAILS(kiln_image_read(far, a, NULL, got, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_PLACE, 0);
  FAILS(kiln_image_fill(far, a, NULL, &(union kiln_pixel){{0}}, NULL), KILN_ERR_INVALID, KILN_REASON_PLACE, 0);
  FAILS(kiln_image_create(foreign, &desc, &b), KILN_ERR_INVALID, KILN_REASON_PLACE, 0);
  kiln_stream_release(far);
  kiln_context_close(foreign);
  kiln_image_release(a);
  kiln_image_release(b);
  kiln_image_release(over);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  buffer = api_buffer(BYTES, NULL);
  other = api_buffer(BYTES, NULL);
  for (int round = 0; round < 12; round++)
    for (int d = 0; d <= KILN_IMAGE_2D_ARRAY_DEPTH; d++) {
      with_host_and_buffers((enum kiln_image_dimension)d);
      fills((enum kiln_image_dimension)d);
      copies((enum kiln_image_dimension)d, (enum kiln_image_dimension)rnd(KILN_IMAGE_2D_ARRAY_DEPTH + 1));
    }
  whole_images();
  memory_of_the_host();
  errors();
  kiln_buffer_release(buffer);
  kiln_buffer_release(other);
  api_close();
  return 0;
}
