// Rectangles whose origins, pitches or ends wrap are refused, on the side of the buffer and on that of the host.
#include <stdint.h>

#include "icd_test.h"

static struct setup s;
static cl_mem mem, other;
static unsigned char host[4096];

struct rect {
  size_t origin[3], row, slice;
};

// The rectangle as one side of every call, the other side being plain.
static void check(const struct rect *r, const size_t region[3], bool of_host, cl_int wanted) {
  static const size_t zero[3];
  if (of_host) {
    CHECK_CODE(clEnqueueReadBufferRect(s.queue, mem, CL_TRUE, zero, r->origin, region, 0, 0, r->row, r->slice, host, 0,
                                       NULL, NULL),
               wanted);
    CHECK_CODE(clEnqueueWriteBufferRect(s.queue, mem, CL_TRUE, zero, r->origin, region, 0, 0, r->row, r->slice, host, 0,
                                        NULL, NULL),
               wanted);
    return;
  }
  CHECK_CODE(clEnqueueReadBufferRect(s.queue, mem, CL_TRUE, r->origin, zero, region, r->row, r->slice, 0, 0, host, 0,
                                     NULL, NULL),
             wanted);
  CHECK_CODE(clEnqueueWriteBufferRect(s.queue, mem, CL_TRUE, r->origin, zero, region, r->row, r->slice, 0, 0, host, 0,
                                      NULL, NULL),
             wanted);
  CHECK_CODE(
      clEnqueueCopyBufferRect(s.queue, mem, other, r->origin, zero, region, r->row, r->slice, 0, 0, 0, NULL, NULL),
      wanted);
  CHECK_CODE(
      clEnqueueCopyBufferRect(s.queue, other, mem, zero, r->origin, region, 0, 0, r->row, r->slice, 0, NULL, NULL),
      wanted);
}

int main(void) {
  static const size_t half = SIZE_MAX / 2 + 1, box[] = {8, 4, 2}, flat[] = {8, 4, 1}, three[] = {8, 4, 3},
                      row[] = {8, 1, 1};
  static const struct {
    struct rect rect;
    const size_t *region;
  } wrong[] = {
      {{{SIZE_MAX, 0, 0}, 0, 0}, box},            // the first origin
      {{{SIZE_MAX - 7, 0, 0}, 0, 0}, row},        // which ends at 0
      {{{0, half / 8 * 2, 0}, 16, 0}, box},       // its product is 0
      {{{0, half, 0}, 16, 0}, box},               // so is this
      {{{0, 0, half}, 16, 64}, box},              // that of planes
      {{{0, 0, SIZE_MAX / 64 + 1}, 16, 64}, box}, // 0 + 0
      {{{64, SIZE_MAX / 16, 0}, 16, 0}, box},     // the sum
      {{{0, 0, 0}, half, 0}, box},                // rows: 4 of them are 0 bytes
      {{{0, 0, 0}, half, half}, flat},            // and planes
      {{{0, 0, 0}, 8, half}, three},              // 2 of which are 0 bytes
      {{{SIZE_MAX, 1, 0}, 16, 0}, box},           // 15
      {{{0, SIZE_MAX, 1}, 16, 64}, box},          // 48
  };
  static const struct rect good = {{5, 2, 1}, 16, 128};
  s = setup_open(0);
  mem = buffer_of(&s, 0, sizeof host, NULL);
  other = buffer_of(&s, 0, sizeof host, NULL);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    check(&wrong[i].rect, wrong[i].region, false, CL_INVALID_VALUE);
    check(&wrong[i].rect, wrong[i].region, true, CL_INVALID_VALUE);
  }
  check(&good, box, false, CL_SUCCESS);
  check(&good, box, true, CL_SUCCESS);
  // A pitch that no byte is behind.
  check(&(struct rect){{0, 0, 0}, SIZE_MAX, 0}, row, false, CL_SUCCESS);
  check(&(struct rect){{0, 0, 0}, 8, SIZE_MAX - 7}, flat, true, CL_SUCCESS);
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseMemObject(other));
  setup_close(&s);
  return failures != 0;
}
