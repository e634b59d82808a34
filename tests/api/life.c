// Several owners of each object, memory that is told of when it is released, and more streams than 256.
#include <stdatomic.h>

#include "tests/api/api_test.h"

#define STREAMS 260

static void count(void *user) { atomic_fetch_add((atomic_int *)user, 1); }

// One owner releases, the other goes on.
static void owners(void) {
  struct kiln_kernel *kernel = api_kernel("kernel void add(global int *x) { x[get_global_id(0)] += 1; }");
  struct kiln_buffer *x = api_buffer(256, NULL);
  struct kiln_stream *own;
  struct kiln_event *event;
  int zero = 0, got = 0;
  FINE(kiln_stream_create(ctx, 0, &own));
  FINE(kiln_fill(own, x, 0, 256, &zero, 4, &event));
  kiln_kernel_retain(kernel);
  kiln_buffer_retain(x);
  kiln_stream_retain(own);
  kiln_event_retain(event);
  kiln_context_retain(ctx);
  for (int i = 0; i < 2; i++) {
    struct kiln_arg arg = kiln_arg_buffer(x);
    FINE(kiln_event_wait(event));
    FINE(kiln_launch(own, kernel, &(struct kiln_launch_desc){.global = {64}, .args = &arg, .arg_count = 1}, NULL));
    FINE(kiln_read(own, x, 252, &got, 4, NULL));
    FINE(kiln_stream_finish(own));
    EXPECT(got == i + 1, "%d", got);
    kiln_kernel_release(kernel);
    kiln_buffer_release(x);
    kiln_event_release(event);
    kiln_stream_release(own);
  }
  kiln_context_close(ctx);
}

// The host's memory may be freed when it is told of, and not before a command that is pending has used it.
static void release(void) {
  atomic_int released = 0;
  struct kiln_buffer *buffer = api_buffer(256, NULL), *window;
  struct kiln_event *go;
  int seven = 7;
  FINE(kiln_buffer_on_release(buffer, count, &released));
  FINE(kiln_buffer_sub(buffer, 128, 128, &window));
  FINE(kiln_event_create_user(ctx, &go));
  FINE(kiln_stream_wait(stream, go));
  FINE(kiln_fill(stream, window, 0, 128, &seven, 4, NULL));
  kiln_buffer_release(buffer);
  kiln_buffer_release(window);
  kiln_buffer_release(api_buffer(16, NULL)); // looks for what is free
  EXPECT(released == 0, "%d", (int)released);
  FINE(kiln_event_signal(go, KILN_OK));
  kiln_event_release(go);
  FINE(kiln_stream_finish(stream));
  kiln_buffer_release(api_buffer(16, NULL));
  EXPECT(released == 1, "%d", (int)released);
}

static void many_streams(void) {
  static struct kiln_stream *streams[STREAMS];
  static int got[STREAMS];
  struct kiln_buffer *x = api_buffer(sizeof got, NULL);
  struct kiln_event *before = NULL;
  for (int i = 0; i < STREAMS; i++) {
    struct kiln_event *made;
    FINE(kiln_stream_create(ctx, 0, &streams[i]));
    if (before)
      FINE(kiln_stream_wait(streams[i], before));
    FINE(kiln_fill(streams[i], x, 4 * (size_t)i, 4, &i, 4, &made));
    kiln_event_release(before);
    before = made;
  }
  FINE(kiln_stream_wait(stream, before));
  FINE(kiln_read(stream, x, 0, got, sizeof got, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < STREAMS; i++) {
    EXPECT(got[i] == i, "%d at %d", got[i], i);
    kiln_stream_release(streams[i]);
  }
  kiln_event_release(before);
  kiln_buffer_release(x);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  owners();
  release();
  many_streams();
  api_close();
  return 0;
}
