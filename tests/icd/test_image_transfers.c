// Which pixels each command on images moves: of every type, over memory of each kind, next to a model in C. All of the
// image is compared after every command. It runs on a device with memory of its own, too (tests/rocm), where mappings
// are copies.
#include <stdint.h>

#include "icd_test.h"

#define NOW 0, NULL, NULL
#define MOST 4096 // bytes of an image, and of what it is made of

static struct setup s;
static cl_int status;
static unsigned char memory[MOST] __attribute__((aligned(128)));

static unsigned char next_byte(void) {
  static unsigned state = 1;
  state = state * 1664525 + 1013904223;
  return (unsigned char)(state >> 24);
}

static void fill_bytes(unsigned char *at, size_t size) {
  for (size_t i = 0; i < size; i++)
    at[i] = next_byte();
}

// ---- the model

struct image {
  cl_mem mem, buffer; // buffer: that the image is made of, or NULL
  cl_mem_object_type type;
  size_t size[3]; // in the coordinates of regions
  size_t pixel;
  bool has_slices;
  unsigned char model[MOST]; // pixels without gaps
};

struct region {
  size_t origin[3], size[3];
};

static size_t count_of(const size_t size[3]) { return size[0] * size[1] * size[2]; }

// Copies a region between the model and bytes with pitches, either way. A 1D array has its rows slice bytes apart.
static void move(struct image *i, const struct region *r, unsigned char *bytes, size_t row, size_t slice,
                 bool to_model) {
  size_t line = r->size[0] * i->pixel;
  row = i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
  for (size_t z = 0; z < r->size[2]; z++)
    for (size_t y = 0; y < r->size[1]; y++) {
      size_t at = ((r->origin[2] + z) * i->size[1] + r->origin[1] + y) * i->size[0] + r->origin[0];
      unsigned char *outside = bytes + z * slice + y * row, *inside = i->model + at * i->pixel;
      memcpy(to_model ? inside : outside, to_model ? outside : inside, line);
    }
}

static void check(struct image *i, const char *command) {
  unsigned char now[MOST];
  size_t bytes = count_of(i->size) * i->pixel, at = 0;
  CHECK_OK(clEnqueueReadImage(s.queue, i->mem, CL_TRUE, (size_t[]){0, 0, 0}, i->size, 0, 0, now, NOW));
  while (at < bytes && now[at] == i->model[at])
    at++;
  if (at == bytes)
    return;
  printf("%s, type %#x: byte %zu is %d, expected %d\n", command, i->type, at, now[at], i->model[at]);
  failures++;
}

// A region that does not begin or end at an edge, where the image is large enough.
static struct region inner(const struct image *i) {
  struct region r;
  for (int d = 0; d < 3; d++) {
    r.origin[d] = i->size[d] > 2 ? 1 : 0;
    r.size[d] = i->size[d] > 2 ? i->size[d] - 2 : i->size[d];
  }
  return r;
}

// ---- commands

// Pitches that the region does not need; odd: of no whole pixels or rows, which the host's memory may have.
static void pitches_of(const struct image *i, const struct region *r, bool odd, size_t *row, size_t *slice) {
  *row = r->size[0] * i->pixel + (odd ? 3 : 2 * i->pixel);
  *slice = *row * (i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : r->size[1]) + (odd ? 5 : *row);
}

static void read_and_write(struct image *i, bool odd) {
  static unsigned char bytes[4 * MOST], expected[4 * MOST];
  struct region r = inner(i);
  size_t row, slice;
  pitches_of(i, &r, odd, &row, &slice);
  size_t given = i->has_slices ? slice : 0;
  fill_bytes(bytes, sizeof bytes);
  CHECK_OK(clEnqueueWriteImage(s.queue, i->mem, CL_TRUE, r.origin, r.size, row, given, bytes, NOW));
  move(i, &r, bytes, row, slice, true);
  check(i, "write");
  memset(bytes, 0xa5, sizeof bytes);
  memset(expected, 0xa5, sizeof expected);
  CHECK_OK(clEnqueueReadImage(s.queue, i->mem, CL_TRUE, r.origin, r.size, row, given, bytes, NOW));
  move(i, &r, expected, row, slice, false);
  CHECK(memcmp(bytes, expected, sizeof bytes) == 0); // the gaps, too
}

static void fill(struct image *i) {
  struct region r = inner(i);
  const cl_uint color[4] = {1, 2, 3, 4};
  unsigned char pixels[MOST];
  for (size_t k = 0; k < count_of(r.size) * i->pixel; k++)
    pixels[k] = (unsigned char)(k % i->pixel + 1);
  CHECK_OK(clEnqueueFillImage(s.queue, i->mem, color, r.origin, r.size, NOW));
  size_t row = r.size[0] * i->pixel;
  move(i, &r, pixels, row, i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * r.size[1], true);
  check(i, "fill");
}

static void through_buffer(struct image *i) {
  unsigned char bytes[MOST], back[MOST];
  struct region r = inner(i);
  size_t row = r.size[0] * i->pixel, slice = i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * r.size[1];
  size_t size = count_of(r.size) * i->pixel;
  cl_mem buffer = buffer_of(&s, 0, MOST, NULL);
  fill_bytes(bytes, sizeof bytes);
  CHECK_OK(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, MOST, bytes, NOW));
  CHECK_OK(clEnqueueCopyBufferToImage(s.queue, buffer, i->mem, 7, r.origin, r.size, NOW));
  move(i, &r, bytes + 7, row, slice, true);
  check(i, "from buffer");
  fill(i);
  CHECK_OK(clEnqueueCopyImageToBuffer(s.queue, i->mem, buffer, r.origin, r.size, 11, NOW));
  CHECK_OK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, MOST, back, NOW));
  move(i, &r, bytes + 11, row, slice, false);
  CHECK(memcmp(bytes, back, 11 + size) == 0 && memcmp(bytes + 11 + size, back + 11 + size, MOST - 11 - size) == 0);
  CHECK_OK(clReleaseMemObject(buffer));
}

// From the first pixel on to the last ones, within the image.
static void copy_within(struct image *i) {
  struct region from = {.size = {1, 1, 1}}, to = from;
  int d = i->size[0] > 3 ? 0 : 1;
  from.size[d] = i->size[d] / 2;
  to.size[d] = from.size[d];
  to.origin[d] = i->size[d] - to.size[d];
  unsigned char pixels[MOST];
  size_t row = from.size[0] * i->pixel;
  move(i, &from, pixels, row, i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * from.size[1], false);
  CHECK_OK(clEnqueueCopyImage(s.queue, i->mem, i->mem, from.origin, to.origin, from.size, NOW));
  move(i, &to, pixels, row, i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * to.size[1], true);
  check(i, "copy within");
}

static void map(struct image *i, cl_map_flags flags) {
  struct region r = inner(i);
  size_t row = 99, slice = 99, image_row = 0, image_slice = 99;
  cl_uint maps = 99;
  unsigned char *mapped =
      clEnqueueMapImage(s.queue, i->mem, CL_TRUE, flags, r.origin, r.size, &row, &slice, NOW, &status);
  CHECK_OK(status);
  if (!mapped)
    return;
  CHECK_OK(clGetImageInfo(i->mem, CL_IMAGE_ROW_PITCH, sizeof image_row, &image_row, NULL));
  CHECK_OK(clGetImageInfo(i->mem, CL_IMAGE_SLICE_PITCH, sizeof image_slice, &image_slice, NULL));
  CHECK(row == image_row && slice == image_slice && (slice != 0) == i->has_slices);
  CHECK_OK(clGetMemObjectInfo(i->mem, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  CHECK(maps == 1);
  unsigned char *host = NULL;
  CHECK_OK(clGetMemObjectInfo(i->mem, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
  if (host) {
    size_t y_step = i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
    CHECK(mapped == host + r.origin[2] * slice + r.origin[1] * y_step + r.origin[0] * i->pixel);
  }
  static unsigned char expected[MOST], got[MOST];
  size_t line = r.size[0] * i->pixel, step = i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
  move(i, &r, expected, line, i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? line : line * r.size[1], false);
  unsigned char *to = got;
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++, to += line) {
      memcpy(to, mapped + z * slice + y * step, line);
      if (flags != CL_MAP_READ)
        fill_bytes(mapped + z * slice + y * step, line);
    }
  if (flags & CL_MAP_READ)
    CHECK(memcmp(expected, got, (size_t)(to - got)) == 0);
  if (flags != CL_MAP_READ)
    move(i, &r, mapped, row, slice, true);
  CHECK_OK(clEnqueueUnmapMemObject(s.queue, i->mem, mapped, NOW));
  check(i, "map");
  CHECK_OK(clGetMemObjectInfo(i->mem, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  CHECK(maps == 0);
  CHECK_CODE(clEnqueueUnmapMemObject(s.queue, i->mem, mapped, NOW), CL_INVALID_VALUE);
}

// ---- every type, over memory of each kind

enum kind { OWN, ALLOCATED, COPIED, USED, USED_ASKEW, OVER_BUFFER, KINDS_OF_MEMORY };

static const struct {
  cl_mem_object_type type;
  size_t width, height, depth, layers;
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, 13, 0, 0, 0},      {CL_MEM_OBJECT_IMAGE1D_BUFFER, 13, 0, 0, 0},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, 5, 0, 0, 4}, {CL_MEM_OBJECT_IMAGE2D, 7, 5, 0, 0},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, 5, 4, 0, 3}, {CL_MEM_OBJECT_IMAGE3D, 5, 3, 4, 0},
};

static const struct {
  cl_image_format format;
  size_t pixel;
} formats[] = {{{CL_R, CL_UNSIGNED_INT8}, 1}, {{CL_RGBA, CL_UNSIGNED_INT8}, 4}};

// False: there is no such image.
static bool open_image(struct image *i, size_t shape, size_t format, enum kind kind) {
  cl_image_desc desc = {.image_type = shapes[shape].type,
                        .image_width = shapes[shape].width,
                        .image_height = shapes[shape].height,
                        .image_depth = shapes[shape].depth,
                        .image_array_size = shapes[shape].layers};
  size_t pixel = formats[format].pixel;
  bool is_array_of_rows = desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  bool is_over = desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  size_t slices = desc.image_depth + desc.image_array_size, height = desc.image_height ? desc.image_height : 1;
  memset(i, 0, sizeof *i);
  i->type = desc.image_type;
  i->pixel = pixel;
  i->has_slices = slices > 0;
  i->size[0] = desc.image_width;
  i->size[1] = is_array_of_rows ? slices : height;
  i->size[2] = is_array_of_rows || !slices ? 1 : slices;
  if ((is_over && kind != OVER_BUFFER) || (kind == OVER_BUFFER && !is_over && desc.image_type != CL_MEM_OBJECT_IMAGE2D))
    return false;
  static const cl_mem_flags flags[KINDS_OF_MEMORY] = {
      0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_USE_HOST_PTR, 0};
  unsigned char *host = kind == USED_ASKEW ? memory + 3 : memory;
  bool is_given = kind == COPIED || kind == USED || kind == USED_ASKEW;
  size_t row = desc.image_width * pixel;
  if (is_given || (kind == OVER_BUFFER && !is_over))
    desc.image_row_pitch = row += 3 * pixel;
  size_t slice = row * height;
  if (is_given && i->has_slices)
    desc.image_slice_pitch = slice += row;
  fill_bytes(memory, MOST);
  if (kind == OVER_BUFFER)
    i->buffer = desc.mem_object = buffer_of(&s, CL_MEM_COPY_HOST_PTR, MOST, memory);
  i->mem = clCreateImage(s.context, flags[kind], &formats[format].format, &desc, is_given ? host : NULL, &status);
  CHECK_OK(status);
  if (!i->mem)
    return false;
  const struct region all = {.size = {i->size[0], i->size[1], i->size[2]}};
  if (is_given || kind == OVER_BUFFER)
    move(i, &all, host, row, slice, true);
  else
    CHECK_OK(clEnqueueWriteImage(s.queue, i->mem, CL_TRUE, all.origin, all.size, 0, 0, i->model, NOW));
  check(i, "create");
  return true;
}

static void every_command(struct image *i) {
  read_and_write(i, false);
  read_and_write(i, true);
  fill(i);
  through_buffer(i);
  copy_within(i);
  map(i, CL_MAP_READ);
  map(i, CL_MAP_WRITE);
  map(i, CL_MAP_READ | CL_MAP_WRITE);
  map(i, CL_MAP_WRITE_INVALIDATE_REGION);
}

static void close_image(struct image *i) {
  CHECK_OK(clReleaseMemObject(i->mem));
  if (i->buffer)
    CHECK_OK(clReleaseMemObject(i->buffer));
}

// Between images of all types: as many pixels as both have.
static void copies_between(struct image *from, struct image *to) {
  struct region r = {.size = {2, 1, 1}}, at = {.origin = {1}, .size = {2, 1, 1}};
  r.size[1] = at.size[1] = from->size[1] > 1 && to->size[1] > 1 ? 2 : 1;
  r.size[2] = at.size[2] = from->size[2] > 1 && to->size[2] > 1 ? 2 : 1;
  at.origin[1] = to->size[1] > 2;
  unsigned char pixels[64];
  size_t row = 2 * from->pixel, plane = row * r.size[1];
  move(from, &r, pixels, row, from->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : plane, false);
  CHECK_OK(clEnqueueCopyImage(s.queue, from->mem, to->mem, r.origin, at.origin, r.size, NOW));
  move(to, &at, pixels, row, to->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : plane, true);
  check(to, "copy");
}

#define SHAPES (sizeof shapes / sizeof *shapes)

static void between_types(void) {
  static struct image from[SHAPES], to[SHAPES];
  for (size_t k = 0; k < SHAPES; k++) {
    enum kind kind = shapes[k].type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? OVER_BUFFER : OWN;
    if (!open_image(&from[k], k, 1, kind) || !open_image(&to[k], k, 1, kind))
      return;
    read_and_write(&from[k], false);
  }
  for (size_t k = 0; k < SHAPES * SHAPES; k++)
    copies_between(&from[k / SHAPES], &to[k % SHAPES]);
  for (size_t k = 0; k < SHAPES; k++) {
    close_image(&from[k]);
    close_image(&to[k]);
  }
}

// ---- images over other objects: the same bytes

static void shared_bytes(void) {
  unsigned char bytes[64], back[64];
  for (int k = 0; k < 64; k++)
    bytes[k] = (unsigned char)k;
  cl_mem buffer = buffer_of(&s, CL_MEM_COPY_HOST_PTR, 1024, memory);
  cl_buffer_region part = {256, 256};
  cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
  CHECK_OK(status);
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  desc.mem_object = sub;
  cl_mem image = clCreateImage(s.context, 0, &(cl_image_format){CL_RGBA, CL_UNORM_INT8}, &desc, NULL, &status);
  CHECK_OK(status);
  desc.mem_object = image;
  cl_mem linear = clCreateImage(s.context, 0, &(cl_image_format){CL_sRGBA, CL_UNORM_INT8}, &desc, NULL, &status);
  CHECK_OK(status);
  // What is released stays while something is made of it.
  CHECK_OK(clReleaseMemObject(image));
  CHECK_OK(clReleaseMemObject(sub));
  const size_t zero[3] = {0, 0, 0}, all[3] = {4, 4, 1};
  CHECK_OK(clEnqueueWriteImage(s.queue, linear, CL_TRUE, zero, all, 0, 0, bytes, NOW));
  CHECK_OK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 256, 64, back, NOW));
  CHECK(memcmp(bytes, back, 64) == 0);
  bytes[5] = 77;
  CHECK_OK(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 256, 64, bytes, NOW));
  CHECK_OK(clEnqueueReadImage(s.queue, linear, CL_TRUE, zero, all, 0, 0, back, NOW));
  CHECK(memcmp(bytes, back, 64) == 0);
  CHECK_OK(clReleaseMemObject(linear));
  CHECK_OK(clReleaseMemObject(buffer));
}

// ---- colours

static void colours(void) {
  static const struct {
    cl_image_format format;
    float color[4];
    size_t size;
    unsigned char pixel[8];
  } cases[] = {
      {{CL_RGBA, CL_UNORM_INT8}, {0, 0.5f, 1, 2}, 4, {0, 128, 255, 255}},
      {{CL_BGRA, CL_UNORM_INT8}, {0, 0.5f, 1, 1}, 4, {255, 128, 0, 255}},
      {{CL_ARGB, CL_UNORM_INT8}, {0, 0.5f, 1, 1}, 4, {255, 0, 128, 255}},
      {{CL_RG, CL_SNORM_INT8}, {-1, 1, 0, 0}, 2, {0x81, 0x7f}},
      {{CL_A, CL_UNORM_INT8}, {0, 0, 0, 1}, 1, {255}},
      {{CL_LUMINANCE, CL_UNORM_INT8}, {1, 0, 0, 0}, 1, {255}},
      {{CL_R, CL_HALF_FLOAT}, {1}, 2, {0x00, 0x3c}},
      {{CL_R, CL_FLOAT}, {1}, 4, {0, 0, 0x80, 0x3f}},
      {{CL_RGB, CL_UNORM_SHORT_565}, {1, 0, 0, 0}, 2, {0x00, 0xf8}},
      {{CL_DEPTH, CL_UNORM_INT16}, {1}, 2, {0xff, 0xff}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1};
    cl_mem image = clCreateImage(s.context, 0, &cases[k].format, &desc, NULL, &status);
    CHECK_OK(status);
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, second[3] = {1, 0, 0};
    unsigned char pixel[8];
    // A colour of depth is one number, with nothing behind it.
    float *color = malloc(cases[k].format.image_channel_order == CL_DEPTH ? 4 : 16);
    memcpy(color, cases[k].color, cases[k].format.image_channel_order == CL_DEPTH ? 4 : 16);
    CHECK_OK(clEnqueueFillImage(s.queue, image, color, second, one, NOW));
    free(color);
    CHECK_OK(clEnqueueReadImage(s.queue, image, CL_TRUE, second, one, 0, 0, pixel, NOW));
    CHECK(memcmp(pixel, cases[k].pixel, cases[k].size) == 0);
    CHECK_OK(clEnqueueFillImage(s.queue, image, cases[k].color, zero, one, NOW));
    CHECK_OK(clReleaseMemObject(image));
  }
  CHECK_OK(clFinish(s.queue));
}

// ---- commands that are held back keep what they need, and see what is there then

static void held_back(void) {
  cl_event gate = clCreateUserEvent(s.context, &status), done[3];
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
  cl_mem a = clCreateImage(s.context, 0, &(cl_image_format){CL_R, CL_UNSIGNED_INT8}, &desc, NULL, &status);
  cl_mem b = clCreateImage(s.context, 0, &(cl_image_format){CL_R, CL_UNSIGNED_INT8}, &desc, NULL, &status);
  const size_t zero[3] = {0, 0, 0}, all[3] = {4, 1, 1};
  unsigned char back[4] = {0};
  cl_uint color[4] = {9};
  CHECK_OK(clEnqueueFillImage(s.queue, a, color, zero, all, 1, &gate, &done[0]));
  color[0] = 8;
  CHECK_OK(clEnqueueCopyImage(s.queue, a, b, zero, zero, all, 1, &done[0], &done[1]));
  CHECK_OK(clEnqueueReadImage(s.queue, b, CL_FALSE, zero, all, 0, 0, back, 1, &done[1], &done[2]));
  CHECK_OK(clReleaseMemObject(a));
  CHECK_OK(clReleaseMemObject(b));
  CHECK(back[0] == 0);
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clWaitForEvents(1, &done[2]));
  for (int k = 0; k < 4; k++)
    CHECK(back[k] == 9);
  for (int k = 0; k < 3; k++)
    CHECK_OK(clReleaseEvent(done[k]));
  CHECK_OK(clReleaseEvent(gate));
}

int main(void) {
  static struct image image;
  s = setup_open(0);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  for (size_t shape = 0; shape < SHAPES; shape++)
    for (size_t format = 0; format < sizeof formats / sizeof *formats; format++)
      for (int kind = 0; kind < KINDS_OF_MEMORY; kind++)
        if (open_image(&image, shape, format, (enum kind)kind)) {
          every_command(&image);
          close_image(&image);
        }
  between_types();
  shared_bytes();
  colours();
  held_back();
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
