// Graphs: commands that are recorded once and run many times.
#include <pthread.h>
#include <unistd.h>

#include "tests/api/api_test.h"

enum { N = 1024 };

static struct kiln_kernel *scale; // y = a x + k

static struct kiln_graph *new_graph(void) {
  struct kiln_graph *graph;
  FINE(kiln_graph_create(ctx, 0, &graph));
  return graph;
}

// Arguments of a launch of scale.
struct call {
  int a, k;
  struct kiln_arg args[4];
  struct kiln_launch_desc desc;
};
static const struct kiln_launch_desc *call(struct call *c, struct kiln_buffer *x, struct kiln_buffer *y, int a, int k,
                                           uint64_t items) {
  c->a = a;
  c->k = k;
  c->args[0] = kiln_arg_buffer(x);
  c->args[1] = kiln_arg_buffer(y);
  c->args[2] = kiln_arg_value(&c->a, 4);
  c->args[3] = kiln_arg_value(&c->k, 4);
  c->desc = (struct kiln_launch_desc){.global = {items}, .arg_count = 4, .args = c->args};
  return &c->desc;
}

static void expect_all(struct kiln_stream *on, struct kiln_buffer *buffer, int first, int step) {
  static int got[N];
  FINE(kiln_read(on, buffer, 0, got, sizeof got, NULL));
  FINE(kiln_stream_finish(on));
  for (int i = 0; i < N; i++)
    EXPECT(got[i] == first + step * i, "[%d] is %d, not %d", i, got[i], first + step * i);
}

// Nothing runs while it is recorded; what the caller gave by reference, the graph has copied.
static void records_and_runs(void) {
  struct kiln_buffer *x = api_buffer(4 * N, NULL), *y = api_buffer(4 * N, NULL), *z = api_buffer(4 * N, NULL);
  int host[N], back[N] = {0}, pattern = 5;
  struct call c;
  for (int i = 0; i < N; i++)
    host[i] = i;
  struct kiln_graph *graph = new_graph();
  struct kiln_stream *to = kiln_graph_stream(graph);
  FINE(kiln_fill(stream, z, 0, 4 * N, &pattern, 4, NULL));
  FINE(kiln_write(to, x, 0, host, sizeof host, NULL));
  FINE(kiln_launch(to, scale, call(&c, x, y, 3, 7, N), NULL));
  pattern = 9;
  FINE(kiln_fill(to, x, 0, 4, &pattern, 4, NULL));
  pattern = 1;
  FINE(kiln_copy(to, y, 0, z, 0, 4 * N, NULL));
  FINE(kiln_copy(to, y, 0, z, 0, 0, NULL)); // nothing to do
  FINE(kiln_launch(to, scale, call(&c, z, z, 2, 0, N), NULL));
  FINE(kiln_read(to, z, 0, back, sizeof back, NULL));
  memset(&c, 0xff, sizeof c);
  EXPECT(kiln_graph_size(graph) == 6, "%u commands", (unsigned)kiln_graph_size(graph));
  expect_all(stream, z, 5, 0);
  FINE(kiln_graph_finalize(graph));
  kiln_buffer_release(y); // which the graph keeps
  struct kiln_event *event;
  for (int run = 0; run < 3; run++) {
    memset(back, 0, sizeof back);
    FINE(kiln_graph_run(graph, stream, &event));
    FINE(kiln_event_wait(event));
    for (int i = 0; i < N; i++)
      EXPECT(back[i] == 2 * (3 * (i + run) + 7), "run %d: [%d] is %d", run, i, back[i]);
    int head;
    FINE(kiln_read(stream, x, 0, &head, 4, NULL));
    FINE(kiln_stream_finish(stream));
    EXPECT(head == 9, "%d", head);
    struct kiln_event_times times;
    FINE(kiln_event_times(event, &times));
    EXPECT(times.enqueued_ns <= times.started_ns && times.started_ns <= times.ended_ns, "times of a run");
    EXPECT(kiln_event_state(event, NULL) == KILN_EVENT_DONE, "state");
    kiln_event_release(event);
    for (int i = 0; i < N; i++)
      host[i]++; // a run reads them when it comes to the write
  }
  kiln_graph_release(graph);
  kiln_buffer_release(x);
  kiln_buffer_release(z);
}

static void updates(void) {
  struct kiln_buffer *x = api_buffer(4 * N, NULL), *y = api_buffer(4 * N, NULL), *other = api_buffer(4 * N, NULL);
  int host[N];
  struct call c;
  for (int i = 0; i < N; i++)
    host[i] = i;
  FINE(kiln_write(stream, x, 0, host, sizeof host, NULL));
  struct kiln_graph *graph = new_graph();
  struct kiln_stream *to = kiln_graph_stream(graph);
  FINE(kiln_fill(to, y, 0, 4 * N, &(int){0}, 4, NULL));
  uint32_t index = kiln_graph_size(graph);
  FINE(kiln_launch(to, scale, call(&c, x, y, 1, 0, 0), NULL)); // of no work-items
  FAILS(kiln_graph_update(graph, index, call(&c, x, y, 2, 0, N)), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_graph_run(graph, stream, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FINE(kiln_graph_finalize(graph));
  FINE(kiln_graph_run(graph, stream, NULL));
  expect_all(stream, y, 0, 0);
  FINE(kiln_graph_update(graph, index, call(&c, x, y, 2, 1, N)));
  FINE(kiln_graph_run(graph, stream, NULL));
  expect_all(stream, y, 1, 2);
  // One that fails changes nothing.
  FAILS(kiln_graph_update(graph, index, &(struct kiln_launch_desc){.global = {N}}), KILN_ERR_INVALID,
        KILN_REASON_ARG_COUNT, 0);
  FAILS(kiln_graph_update(graph, 0, &c.desc), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_graph_update(graph, 2, &c.desc), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FINE(kiln_graph_run(graph, stream, NULL));
  expect_all(stream, y, 1, 2);
  // What is pending runs with what it was enqueued with.
  FINE(kiln_write(stream, other, 0, host, sizeof host, NULL));
  FINE(kiln_graph_run(graph, stream, NULL));
  FINE(kiln_graph_update(graph, index, call(&c, y, other, 10, 0, N)));
  expect_all(stream, y, 1, 2);
  expect_all(stream, other, 0, 1);
  kiln_buffer_release(x);
  FINE(kiln_graph_run(graph, stream, NULL)); // y is 0 now
  expect_all(stream, other, 0, 0);
  kiln_graph_release(graph);
  kiln_buffer_release(y);
  kiln_buffer_release(other);
}

// Runs keep what they use until they have ended, whatever is released meanwhile.
static void outlived_by_its_runs(void) {
  struct kiln_buffer *x = api_buffer(4 * N, NULL), *y = api_buffer(4 * N, NULL);
  struct kiln_event *go = NULL, *event;
  struct call c;
  struct kiln_graph *graph = new_graph();
  struct kiln_stream *to = kiln_graph_stream(graph);
  FINE(kiln_fill(to, x, 0, 4 * N, &(int){4}, 4, NULL));
  FINE(kiln_launch(to, scale, call(&c, x, y, 5, 1, N), NULL));
  FINE(kiln_graph_finalize(graph));
  if (kiln_event_create_user(ctx, &go) != KILN_OK)
    go = NULL; // the backend has no events of the host
  if (go)
    FINE(kiln_stream_wait(stream, go));
  FINE(kiln_graph_run(graph, stream, NULL));
  FINE(kiln_graph_run(graph, stream, &event));
  kiln_buffer_release(x);
  kiln_graph_release(graph);
  if (go) {
    EXPECT(kiln_event_state(event, NULL) < KILN_EVENT_RUNNING, "state");
    FINE(kiln_event_signal(go, KILN_OK));
    kiln_event_release(go);
  }
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  expect_all(stream, y, 21, 0);
  kiln_buffer_release(y);
}

static void boxes_and_images(void) {
  struct kiln_buffer *x = api_buffer(4 * N, NULL), *y = api_buffer(4 * N, NULL);
  unsigned char host[4 * N], got[4 * N];
  for (int i = 0; i < 4 * N; i++)
    host[i] = (unsigned char)(i * 7);
  struct kiln_graph *graph = new_graph();
  struct kiln_stream *to = kiln_graph_stream(graph);
  struct kiln_layout from = {3, 64, 640}, at = {10, 32, 320}, tight = {0, 16, 160};
  const size_t region[3] = {16, 10, 3};
  FINE(kiln_write_rect(to, x, &from, host, &tight, region, NULL));
  FINE(kiln_copy_rect(to, x, &from, y, &at, region, NULL));
  FINE(kiln_read_rect(to, y, &at, got, &tight, region, NULL));
  FINE(kiln_graph_finalize(graph));
  memset(&at, 0, sizeof at);
  for (int run = 0; run < 2; run++) {
    memset(got, 0, sizeof got);
    FINE(kiln_graph_run(graph, stream, NULL));
    FINE(kiln_stream_finish(stream));
    EXPECT(!memcmp(got, host, 480), "boxes of run %d", run);
  }
  kiln_graph_release(graph);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_RGBA, KILN_CHANNEL_U8}};
  desc.width = desc.height = 16;
  struct kiln_image *image, *copy;
  if (kiln_image_create(ctx, &desc, &image) == KILN_ERR_UNSUPPORTED)
    return; // the device has no such images
  FINE(kiln_image_create(ctx, &desc, &copy));
  graph = new_graph();
  to = kiln_graph_stream(graph);
  union kiln_pixel pixel = {.u = {1, 2, 3, 4}};
  FINE(kiln_image_fill(to, image, NULL, &pixel, NULL));
  FINE(kiln_image_copy(to, image, NULL, copy, NULL, NULL));
  FINE(kiln_image_read(to, copy, NULL, got, NULL, NULL));
  pixel.u[0] = 99;
  kiln_image_release(image);
  kiln_image_release(copy);
  FINE(kiln_graph_finalize(graph));
  FINE(kiln_graph_run(graph, stream, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < 1024; i++)
    EXPECT(got[i] == i % 4 + 1, "byte %d is %d", i, got[i]);
  kiln_graph_release(graph);
}

static void refuses(void) {
  struct kiln_buffer *x = api_buffer(4 * N, NULL);
  struct kiln_event *event = NULL;
  struct kiln_prepared *prepared;
  struct call c;
  bool done;
  void *queue;
  struct kiln_graph *graph = new_graph();
  struct kiln_stream *to = kiln_graph_stream(graph);
  FAILS(kiln_graph_create(ctx, 99, &graph), KILN_ERR_NOT_FOUND, KILN_REASON_NONE, 0);
  FAILS(kiln_graph_create(NULL, 0, &graph), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_fill(to, x, 0, 4, &(int){0}, 4, &event), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_fill(to, x, 0, 0, &(int){0}, 4, &event), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_launch(to, scale, call(&c, x, x, 1, 1, N), &event), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_launch(to, NULL, &c.desc, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_fill(to, x, 4 * N, 4, &(int){0}, 4, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  FAILS(kiln_stream_finish(to), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_stream_finish_within(to, 1, &done), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_stream_record(to, &event), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_stream_cancel(to), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_stream_native(to, &queue), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_prepare(to, scale, &c.desc, &prepared), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FINE(kiln_fill(stream, x, 0, 4, &(int){0}, 4, &event));
  FAILS(kiln_stream_wait(to, event), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  kiln_event_release(event);
  EXPECT(kiln_graph_size(graph) == 0, "%u commands", (unsigned)kiln_graph_size(graph));
  FINE(kiln_graph_finalize(graph));
  FAILS(kiln_graph_finalize(graph), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_fill(to, x, 0, 4, &(int){0}, 4, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_launch(to, scale, &c.desc, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_graph_run(graph, to, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_graph_run(graph, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FINE(kiln_graph_run(graph, stream, &event)); // nothing
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  kiln_stream_retain(to);
  kiln_graph_release(graph);
  kiln_stream_release(to); // the last reference
  kiln_graph_release(NULL);
  struct kiln_context *second;
  struct kiln_stream *foreign;
  FINE(kiln_context_open(&(struct kiln_context_desc){.backend = backend}, &second));
  FINE(kiln_stream_create(second, 0, &foreign));
  graph = new_graph();
  FINE(kiln_graph_finalize(graph));
  FAILS(kiln_graph_run(graph, foreign, NULL), KILN_ERR_INVALID, KILN_REASON_PLACE, 0);
  kiln_graph_release(graph);
  kiln_stream_release(foreign);
  kiln_context_close(second);
  kiln_buffer_release(x);
}

static int calls;
static void called(void *user) { calls += *(int *)user; }

static void calls_the_host(void) {
  struct kiln_graph *graph = new_graph();
  int by = 3;
  enum kiln_status status = kiln_stream_host(kiln_graph_stream(graph), called, &by, NULL);
  if (status == KILN_ERR_UNSUPPORTED) {
    EXPECT(strstr(kiln_last_error(), "graphs of backend"), "%s", kiln_last_error());
  } else {
    FINE(status);
    FINE(kiln_graph_finalize(graph));
    FINE(kiln_graph_run(graph, stream, NULL));
    FINE(kiln_graph_run(graph, stream, NULL));
    FINE(kiln_stream_finish(stream));
    EXPECT(calls == 6, "%d", calls);
  }
  kiln_graph_release(graph);
}

// Launches that a stream can stop must be recorded as such.
static void deadlines(void) {
  struct kiln_buffer *x = api_buffer(4 * N, NULL);
  struct kiln_stream *limited;
  struct call c;
  FINE(kiln_stream_create(ctx, 0, &limited));
  if (kiln_stream_set_deadline(limited, UINT64_C(10000000000)) == KILN_OK) {
    for (int stoppable = 0; stoppable < 2; stoppable++) {
      struct kiln_graph *graph = new_graph();
      struct kiln_stream *to = kiln_graph_stream(graph);
      if (stoppable)
        FINE(kiln_stream_set_deadline(to, KILN_DEADLINE_CANCEL));
      FINE(kiln_fill(to, x, 0, 4 * N, &(int){1}, 4, NULL));
      FINE(kiln_launch(to, scale, call(&c, x, x, 6, 1, N), NULL));
      FINE(kiln_graph_finalize(graph));
      if (stoppable) {
        FINE(kiln_graph_run(graph, limited, NULL));
        expect_all(limited, x, 7, 0);
      } else {
        FAILS(kiln_graph_run(graph, limited, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
      }
      kiln_graph_release(graph);
    }
  }
  kiln_stream_release(limited);
  kiln_buffer_release(x);
}

struct shared {
  struct kiln_graph *graph;
  struct kiln_buffer *sum;
};
static void *run_often(void *user) {
  const struct shared *shared = user;
  struct kiln_stream *own;
  FINE(kiln_stream_create(ctx, 0, &own));
  for (int i = 0; i < 50; i++)
    FINE(kiln_graph_run(shared->graph, own, NULL));
  FINE(kiln_stream_finish(own));
  kiln_stream_release(own);
  return NULL;
}

struct update {
  struct kiln_graph *graph;
  const struct kiln_launch_desc *desc;
};
static void *update_often(void *user) {
  const struct update *update = user;
  for (uint32_t i = 0; i < 20; i++)
    FINE(kiln_graph_update(update->graph, i % 3, update->desc));
  return NULL;
}

// The same graph on several streams, from several threads, while two others change it.
static void shared_by_threads(void) {
  struct kiln_kernel *count = api_kernel("kernel void count(global int *sum, int by) { atomic_add(sum, by); }");
  struct shared shared = {new_graph(), api_buffer(4, NULL)};
  struct kiln_arg args[2] = {kiln_arg_buffer(shared.sum), kiln_arg_value(&(int){2}, 4)};
  struct kiln_launch_desc desc = {.global = {64}, .arg_count = 2, .args = args};
  FINE(kiln_fill(stream, shared.sum, 0, 4, &(int){0}, 4, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < 3; i++)
    FINE(kiln_launch(kiln_graph_stream(shared.graph), count, &desc, NULL));
  FINE(kiln_graph_finalize(shared.graph));
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    EXPECT(pthread_create(&threads[i], NULL, run_often, &shared) == 0, "pthread_create");
  struct update update = {shared.graph, &desc};
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, update_often, &update) == 0, "pthread_create");
  update_often(&update);
  pthread_join(other, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  int sum;
  FINE(kiln_read(stream, shared.sum, 0, &sum, 4, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(sum == 3 * 50 * 3 * 64 * 2, "%d", sum);
  kiln_graph_release(shared.graph);
  kiln_buffer_release(shared.sum);
  kiln_kernel_release(count);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  scale = api_kernel("kernel void scale(global const int *x, global int *y, int a, int k) {\n"
                     "  size_t i = get_global_id(0);\n"
                     "  y[i] = a * x[i] + k;\n"
                     "}\n");
  records_and_runs();
  updates();
  outlived_by_its_runs();
  boxes_and_images();
  refuses();
  calls_the_host();
  deadlines();
  shared_by_threads();
  kiln_kernel_release(scale);
  api_close();
  return 0;
}
