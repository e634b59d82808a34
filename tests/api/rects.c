// Boxes of bytes with pitches, compared with loops over bytes.
#include "tests/api/api_test.h"

#define BYTES 40000

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

static struct kiln_layout filled(struct kiln_layout l, const size_t region[3]) {
  l.row = l.row ? l.row : region[0];
  l.plane = l.plane ? l.plane : l.row * region[1];
  return l;
}

static void move(unsigned char *dst, struct kiln_layout to, const unsigned char *src, struct kiln_layout from,
                 const size_t region[3]) {
  to = filled(to, region);
  from = filled(from, region);
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      for (size_t x = 0; x < region[0]; x++)
        dst[to.offset + z * to.plane + y * to.row + x] = src[from.offset + z * from.plane + y * from.row + x];
}

static void compare(const char *what, struct kiln_buffer *with) {
  FINE(kiln_read(stream, with, 0, got, BYTES, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < BYTES; i++)
    EXPECT(got[i] == expected[i], "%s: byte %d is %d, not %d", what, i, got[i], expected[i]);
}

// A layout with gaps of some size, or none.
static struct kiln_layout layout(const size_t region[3]) {
  struct kiln_layout l = {rnd(100), rnd(3) ? region[0] + rnd(3) * rnd(9) : 0, 0};
  size_t row = l.row ? l.row : region[0];
  l.plane = rnd(3) ? (region[1] + rnd(3)) * row : 0;
  return l;
}

static void one_of(const size_t region[3]) {
  struct kiln_layout a = layout(region), b = layout(region);
  struct kiln_event *event;
  scramble(expected);
  scramble(host);
  FINE(kiln_write(stream, buffer, 0, expected, BYTES, NULL));
  FINE(kiln_stream_finish(stream)); // until then the bytes must stay
  FINE(kiln_write_rect(stream, buffer, &a, host, &b, region, NULL));
  move(expected, a, host, b, region);
  compare("write", buffer);
  scramble(host);
  FINE(kiln_write(stream, other, 0, host, BYTES, NULL));
  FINE(kiln_copy_rect(stream, other, &b, buffer, &a, region, &event));
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  move(expected, a, host, b, region);
  compare("copy", buffer);
  scramble(host);
  memcpy(got, host, BYTES);
  FINE(kiln_read_rect(stream, buffer, &a, host, &b, region, NULL));
  FINE(kiln_stream_finish(stream));
  move(got, b, expected, a, region);
  EXPECT(memcmp(got, host, BYTES) == 0, "read of %zu x %zu x %zu", region[0], region[1], region[2]);
}

static void within_a_buffer(void) {
  const size_t region[] = {4, 3, 2};
  const struct kiln_layout left = {0, 16, 64}, right = {4, 16, 64}, below = {48, 16, 64}, near = {2, 16, 64};
  const struct kiln_layout wide = {8, 32, 96}, around = {14, 16, 64}, last = {12, 16, 64};
  scramble(expected);
  FINE(kiln_write(stream, buffer, 0, expected, BYTES, NULL));
  FINE(kiln_stream_finish(stream));                                          // until then the bytes must stay
  FINE(kiln_copy_rect(stream, buffer, &left, buffer, &right, region, NULL)); // between the rows
  move(expected, right, expected, left, region);
  compare("right", buffer);
  FINE(kiln_copy_rect(stream, buffer, &left, buffer, &below, (size_t[]){4, 1, 2}, NULL)); // between the planes
  move(expected, below, expected, left, (size_t[]){4, 1, 2});
  compare("below", buffer);
  FAILS(kiln_copy_rect(stream, buffer, &left, buffer, &near, region, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  FAILS(kiln_copy_rect(stream, buffer, &left, buffer, &wide, region, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  // A row of one buffer may end where the next row of the other begins, but may not reach into it.
  FAILS(kiln_copy_rect(stream, buffer, &left, buffer, &around, region, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  FAILS(kiln_copy_rect(stream, buffer, &around, buffer, &left, region, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  FINE(kiln_copy_rect(stream, buffer, &left, buffer, &last, region, NULL));
  move(expected, last, expected, left, region);
  compare("last", buffer);
}

static void refused(void) {
  const size_t region[] = {10, 4, 2};
  const struct kiln_layout narrow = {0, 9, 0}, flat = {0, 10, 30}, odd = {0, 10, 45}, late = {BYTES - 79, 0, 0};
  const struct kiln_layout huge = {0, SIZE_MAX / 2, 0}, far = {SIZE_MAX - 10, 0, 0};
  const struct kiln_layout *wrong[] = {&narrow, &flat, &odd, &huge};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    FAILS(kiln_write_rect(stream, buffer, wrong[i], host, NULL, region, NULL), KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0);
    FAILS(kiln_read_rect(stream, buffer, NULL, host, wrong[i], region, NULL), KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0);
  }
  FAILS(kiln_write_rect(stream, buffer, &late, host, NULL, region, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  FAILS(kiln_copy_rect(stream, buffer, &far, other, NULL, region, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  // On the side of the host, what ends beyond all memory.
  const size_t step = SIZE_MAX / 2 / 10 * 10;
  const struct kiln_layout around = {SIZE_MAX - 10, 0, 0}, near_end = {SIZE_MAX - (size_t)(uintptr_t)host - 20, 0, 0};
  const struct kiln_layout planes = {(size_t)64 << 40, 10, step};
  const struct kiln_layout *beyond[] = {&around, &near_end, &planes};
  for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
    const size_t box[] = {10, 4, 3};
    FAILS(kiln_write_rect(stream, buffer, NULL, host, beyond[i], box, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
    FAILS(kiln_read_rect(stream, buffer, NULL, host, beyond[i], box, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
    FAILS(kiln_copy_rect(stream, buffer, beyond[i], other, NULL, box, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  }
  FAILS(kiln_write_rect(stream, buffer, NULL, NULL, NULL, region, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_read_rect(stream, NULL, NULL, host, NULL, region, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_copy_rect(stream, buffer, NULL, other, NULL, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
}

// Larger than what one thread copies, and a box without bytes.
static void sizes(void) {
  enum { SIDE = 1500, ROW = 2048 };
  unsigned char *big = malloc((size_t)SIDE * ROW), *back = calloc(SIDE, SIDE);
  for (size_t i = 0; i < (size_t)SIDE * ROW; i++)
    big[i] = (unsigned char)(i * 2654435761u >> 13);
  struct kiln_buffer *large = api_buffer((size_t)SIDE * ROW, NULL);
  const struct kiln_layout pitched = {5, ROW, 0};
  struct kiln_event *event;
  FINE(kiln_write(stream, large, 0, big, (size_t)SIDE * ROW, NULL));
  FINE(kiln_read_rect(stream, large, &pitched, back, NULL, (size_t[]){SIDE, SIDE, 1}, &event));
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  for (size_t y = 0; y < SIDE; y++)
    EXPECT(memcmp(back + y * SIDE, big + 5 + y * ROW, SIDE) == 0, "row %zu", y);
  FINE(kiln_read_rect(stream, large, &pitched, back, NULL, (size_t[]){SIDE, 0, 1}, &event));
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  kiln_buffer_release(large);
  free(big);
  free(back);
}

// Two buffers that wrap overlapping memory of the host.
static void same_memory(void) {
  static unsigned char memory[512], before[512];
  for (int i = 0; i < 512; i++)
    memory[i] = before[i] = (unsigned char)(i * 7);
  struct kiln_buffer *src = api_buffer(256, memory), *dst = api_buffer(256, memory + 128);
  struct kiln_layout from = {128, 32, 0}, to = {8, 32, 0};
  FINE(kiln_copy_rect(stream, src, &from, dst, &to, (size_t[]){20, 3, 1}, NULL));
  FINE(kiln_stream_finish(stream));
  for (int y = 0; y < 3; y++)
    EXPECT(memcmp(memory + 136 + y * 32, before + 128 + y * 32, 20) == 0, "row %d", y);
  kiln_buffer_release(src);
  kiln_buffer_release(dst);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  buffer = api_buffer(BYTES, NULL);
  other = api_buffer(BYTES, NULL);
  struct kiln_context_stats before, after;
  kiln_context_stats(ctx, &before);
  one_of((size_t[]){7, 5, 3});
  kiln_context_stats(ctx, &after);
  EXPECT(after.copies == before.copies + 1 && after.copied_bytes == before.copied_bytes + 105,
         "%llu copies of %llu bytes", (unsigned long long)(after.copies - before.copies),
         (unsigned long long)(after.copied_bytes - before.copied_bytes));
  for (int i = 0; i < 60; i++)
    one_of((size_t[]){1 + rnd(60), 1 + rnd(rnd(2) ? 1 : 12), 1 + rnd(rnd(2) ? 1 : 12)});
  within_a_buffer();
  refused();
  sizes();
  if (api_is("cpu") || api_is("interp")) // where the buffers are this memory
    same_memory();
  kiln_buffer_release(buffer);
  kiln_buffer_release(other);
  api_close();
  return 0;
}
