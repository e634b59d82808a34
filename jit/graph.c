// Graphs: commands that are recorded once and run many times. A graph is the stream that records them: every call that
// enqueues checks its command, makes it ready, and then hands it to kiln_graph_record in place of the driver.
#include "jit/graph.h"

#include <stdlib.h>
#include <string.h>

#include "jit/launch.h"
#include "jit/program.h"
#include "jit/trace.h"

struct node {
  struct kiln_command command;
  struct kiln_prepared *prepared; // of a launch; of other commands NULL
  void *copied;                   // that the command points to; NULL: it points to nothing
};

struct kiln_graph {
  struct kiln_stream stream; // its references are the graph's; its lock guards what follows
  atomic_bool is_final;
  struct node *nodes;
  uint32_t count, room;
  uint64_t marked[KILN_STREAM_WORDS]; // slots of streams that all objects of the graph know as their users
};

// ---- life ----------------------------------------------------------------------------------------------------------

enum kiln_status kiln_graph_create(struct kiln_context *ctx, uint32_t device, struct kiln_graph **out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_create: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status != KILN_OK)
    return status;
  struct kiln_graph *graph = calloc(1, sizeof *graph);
  if (!graph)
    return kiln_error_memory();
  graph->stream.refs = 1;
  graph->stream.ctx = ctx;
  graph->stream.device = device;
  graph->stream.graph = graph;
  graph->stream.slot = -1;
  graph->stream.deadline = atomic_load(&ctx->deadline);
  pthread_mutex_init(&graph->stream.lock, NULL);
  kiln_context_ref(ctx);
  *out = graph;
  return KILN_OK;
}

static void drop(struct node *node) {
  for (int i = 0; i < 2; i++)
    kiln_buffer_release(node->command.buffers[i]);
  kiln_prepared_release(node->prepared);
  free(node->copied);
}

void kiln_graph_free(struct kiln_graph *graph) {
  struct kiln_context *ctx = graph->stream.ctx;
  for (uint32_t i = 0; i < graph->count; i++)
    drop(&graph->nodes[i]);
  free(graph->nodes);
  pthread_mutex_destroy(&graph->stream.lock);
  free(graph);
  kiln_context_unref(ctx);
}

void kiln_graph_retain(struct kiln_graph *graph) {
  if (graph)
    kiln_stream_ref(&graph->stream);
}

void kiln_graph_release(struct kiln_graph *graph) {
  if (graph)
    kiln_stream_unref(&graph->stream);
}

struct kiln_stream *kiln_graph_stream(struct kiln_graph *graph) {
  return graph ? &graph->stream : NULL;
}

// ---- recording -----------------------------------------------------------------------------------------------------

enum kiln_status kiln_graph_begin(const struct kiln_graph *graph, bool want_event) {
  if (atomic_load(&graph->is_final))
    return kiln_error(KILN_ERR_INVALID, "the graph is finalised, and records no more commands");
  return want_event ? kiln_error(KILN_ERR_INVALID, "a command of a graph has no event of its own; a run has one")
                    : KILN_OK;
}

static struct node *add_node(struct kiln_graph *graph) {
  if (graph->count == graph->room) {
    uint32_t room = graph->room ? 2 * graph->room : 16;
    struct node *nodes = room > graph->room ? realloc(graph->nodes, room * sizeof *nodes) : NULL;
    if (!nodes)
      return NULL;
    graph->nodes = nodes;
    graph->room = room;
  }
  struct node *node = &graph->nodes[graph->count];
  memset(node, 0, sizeof *node);
  return node;
}

static bool copy_bytes(struct node *node, const void *bytes, size_t size) {
  node->copied = malloc(size);
  if (node->copied)
    memcpy(node->copied, bytes, size);
  return node->copied;
}

struct pixels { // that an image's command points to
  struct kiln_drv_image_copy copy;
  union kiln_pixel pixel;
};

// What the command points to is the caller's, but for its memory and buffers. False: there is no memory.
static bool copy_content(struct node *node) {
  struct kiln_command *command = &node->command;
  struct pixels pixels;
  switch (command->operation) {
  case KILN_DO_COPY_RECT:
    if (!copy_bytes(node, command->rect, sizeof *command->rect))
      return false;
    command->rect = node->copied;
    return true;
  case KILN_DO_FILL:
    if (!copy_bytes(node, command->fill.pattern, command->fill.pattern_size))
      return false;
    command->fill.pattern = node->copied;
    return true;
  case KILN_DO_IMAGE_COPY:
  case KILN_DO_IMAGE_FILL:
    memset(&pixels, 0, sizeof pixels);
    pixels.copy = *command->image.copy;
    if (command->image.pixel)
      pixels.pixel = *command->image.pixel;
    if (!copy_bytes(node, &pixels, sizeof pixels))
      return false;
    command->image.copy = &((const struct pixels *)node->copied)->copy;
    command->image.pixel = &((const struct pixels *)node->copied)->pixel;
    return true;
  case KILN_DO_LAUNCH:
  case KILN_DO_WRITE:
  case KILN_DO_READ:
  case KILN_DO_COPY:
  case KILN_DO_HOST:
  case KILN_DO_WAIT:
    break;
  }
  return true;
}

enum kiln_status kiln_graph_record(struct kiln_graph *graph, const struct kiln_command *command,
                                   struct kiln_report *report) {
  struct node *node = add_node(graph);
  if (node)
    node->command = *command;
  if (!node || !copy_content(node))
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a graph");
  for (int i = 0; i < 2; i++)
    kiln_buffer_retain(node->command.buffers[i]);
  graph->count++;
  return KILN_OK;
}

static void set_launch(struct node *node, struct kiln_prepared *prepared) {
  node->prepared = prepared;
  node->command = prepared->command;
}

enum kiln_status kiln_graph_add_launch(struct kiln_graph *graph, struct kiln_kernel *kernel,
                                       const struct kiln_launch_desc *desc, bool want_event) {
  struct kiln_prepared *prepared;
  enum kiln_status status = kiln_graph_begin(graph, want_event);
  if (status == KILN_OK)
    status = kiln_prepare_for("kiln_launch", &graph->stream, kernel, desc, &prepared);
  if (status != KILN_OK)
    return status;
  pthread_mutex_lock(&graph->stream.lock);
  struct node *node = add_node(graph);
  if (node) {
    set_launch(node, prepared);
    graph->count++;
  }
  pthread_mutex_unlock(&graph->stream.lock);
  if (node)
    return KILN_OK;
  kiln_prepared_release(prepared);
  return kiln_error_memory();
}

uint32_t kiln_graph_size(const struct kiln_graph *graph) { return graph ? graph->count : 0; }

enum kiln_status kiln_graph_finalize(struct kiln_graph *graph) {
  if (!graph)
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_finalize: graph is NULL");
  if (atomic_exchange(&graph->is_final, true))
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_finalize: the graph is finalised already");
  return KILN_OK;
}

// ---- running -------------------------------------------------------------------------------------------------------

static bool is_empty(const struct node *node) { return node->prepared && !node->command.launch.launch; }

// What the commands use is freed no earlier than the stream has run them.
static void mark_used(struct kiln_graph *graph, int slot) {
  uint64_t *word = &graph->marked[slot / 64], bit = UINT64_C(1) << slot % 64;
  if (*word & bit)
    return;
  *word |= bit;
  for (uint32_t i = 0; i < graph->count; i++) {
    const struct node *node = &graph->nodes[i];
    for (int k = 0; k < 2; k++)
      if (node->command.buffers[k])
        kiln_uses_mark(&node->command.buffers[k]->root->uses, slot);
    const struct kiln_prepared *prepared = node->prepared;
    if (!prepared || is_empty(node))
      continue;
    kiln_uses_mark(&prepared->binary->uses, slot);
    for (uint32_t k = 0; k < prepared->buffer_count; k++)
      kiln_uses_mark(&prepared->buffers[k]->root->uses, slot);
  }
}

// The commands from first to last, both of which do something. *some: one was enqueued.
static enum kiln_status issue_all(struct kiln_submit *submit, const struct kiln_graph *graph, uint32_t first,
                                  uint32_t last, struct kiln_drv_event **begin, bool *some) {
  enum kiln_status status = KILN_OK;
  for (uint32_t i = first; i <= last && status == KILN_OK; i++) {
    const struct node *node = &graph->nodes[i];
    if (is_empty(node))
      continue;
    struct kiln_drv_event **event = i == last ? kiln_submit_event(submit) : i == first ? begin : NULL;
    status = kiln_issue(submit, &node->command, event);
    if (status == KILN_OK)
      kiln_stream_count(submit->stream, node->command.kind, 1, node->command.bytes);
    *some |= status == KILN_OK;
  }
  return status;
}

// An event of the command with which a run began, beside that of the one with which it ends.
static enum kiln_status add_begin(struct kiln_event *event, struct kiln_drv_event *begin) {
  struct kiln_context *ctx = event->ctx;
  struct kiln_event *first = calloc(1, sizeof *first);
  if (!first) {
    ctx->backend->driver->event_release(atomic_load(&ctx->drv), begin);
    return kiln_error_memory();
  }
  *first = (struct kiln_event){1, ctx, begin, NULL, event->slot, event->count};
  kiln_context_ref(ctx);
  event->first = first;
  return KILN_OK;
}

static enum kiln_status run_together(struct kiln_graph *graph, struct kiln_stream *stream, uint32_t first,
                                     uint32_t last, struct kiln_event **event) {
  struct kiln_context *ctx = stream->ctx;
  struct kiln_submit submit;
  struct kiln_drv_event *begin = NULL;
  enum kiln_status status = kiln_submit_begin(&submit, stream, NULL, event);
  if (status != KILN_OK)
    return status;
  bool some = false;
  status = issue_all(&submit, graph, first, last, event && first < last ? &begin : NULL, &some);
  status = kiln_submit_end(&submit, status, some, "kiln_graph_run", event);
  if (status == KILN_OK && begin) {
    status = add_begin(*event, begin);
    if (status != KILN_OK)
      kiln_event_release(*event);
  } else if (begin) {
    ctx->backend->driver->event_release(atomic_load(&ctx->drv), begin);
  }
  return status;
}

// Each command with an event of its own, which the trace needs.
static enum kiln_status run_traced(const struct kiln_graph *graph, struct kiln_stream *stream, uint32_t first,
                                   uint32_t last, struct kiln_event **event) {
  struct kiln_event *begin = NULL, *end = NULL;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = first; i <= last && status == KILN_OK; i++)
    if (!is_empty(&graph->nodes[i]))
      status = kiln_enqueue(stream, &graph->nodes[i].command, "kiln_graph_run",
                            !event       ? NULL
                            : i == last  ? &end
                            : i == first ? &begin
                                         : NULL);
  if (status != KILN_OK || !event) {
    kiln_event_release(begin);
    return status;
  }
  end->first = begin;
  *event = end;
  return KILN_OK;
}

// Under the lock of the graph's stream.
static enum kiln_status run(struct kiln_graph *graph, struct kiln_stream *stream, struct kiln_event **event) {
  uint32_t first = 0, last = graph->count;
  for (uint32_t i = 0; i < graph->count; i++)
    if (graph->nodes[i].prepared && !graph->nodes[i].prepared->stoppable && atomic_load(&stream->deadline))
      return kiln_error(KILN_ERR_INVALID, "kiln_graph_run: '%s' was recorded before the graph's stream got a deadline",
                        kiln_kernel_info(graph->nodes[i].prepared->kernel)->name);
  while (first < last && is_empty(&graph->nodes[first]))
    first++;
  while (first < last && is_empty(&graph->nodes[last - 1]))
    last--;
  if (first == last)
    return kiln_submit_nothing(stream, event);
  mark_used(graph, stream->slot);
  return kiln_traces(stream->ctx) ? run_traced(graph, stream, first, last - 1, event)
                                  : run_together(graph, stream, first, last - 1, event);
}

enum kiln_status kiln_graph_run(struct kiln_graph *graph, struct kiln_stream *stream, struct kiln_event **event) {
  if (!graph || !stream)
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_run: %s is NULL", graph ? "stream" : "graph");
  if (!atomic_load(&graph->is_final))
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_run: the graph is not finalised");
  if (stream->ctx != graph->stream.ctx || stream->device != graph->stream.device)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_PLACE, 0,
                              "kiln_graph_run: the stream is not one of the graph's context and device");
  enum kiln_status status = kiln_stream_check_runs("kiln_graph_run", stream);
  if (status != KILN_OK)
    return status;
  pthread_mutex_lock(&graph->stream.lock);
  status = run(graph, stream, event);
  pthread_mutex_unlock(&graph->stream.lock);
  return status;
}

// The kernel of the launch at index, with a reference; NULL: the command there is no launch.
static struct kiln_kernel *kernel_at(struct kiln_graph *graph, uint32_t index) {
  struct kiln_kernel *kernel = NULL;
  pthread_mutex_lock(&graph->stream.lock); // another thread may update the same launch
  if (index < graph->count && graph->nodes[index].prepared) {
    kernel = graph->nodes[index].prepared->kernel;
    kiln_kernel_ref(kernel);
  }
  pthread_mutex_unlock(&graph->stream.lock);
  return kernel;
}

enum kiln_status kiln_graph_update(struct kiln_graph *graph, uint32_t index, const struct kiln_launch_desc *desc) {
  if (!graph || !desc)
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_update: %s is NULL", graph ? "desc" : "graph");
  if (!atomic_load(&graph->is_final))
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_update: the graph is not finalised");
  struct kiln_kernel *kernel = kernel_at(graph, index);
  if (!kernel)
    return kiln_error(KILN_ERR_INVALID, "kiln_graph_update: command %u is no launch of the graph's %u commands",
                      (unsigned)index, (unsigned)graph->count);
  struct kiln_prepared *prepared, *old;
  enum kiln_status status = kiln_prepare_for("kiln_graph_update", &graph->stream, kernel, desc, &prepared);
  kiln_kernel_release(kernel);
  if (status != KILN_OK)
    return status;
  pthread_mutex_lock(&graph->stream.lock);
  old = graph->nodes[index].prepared;
  set_launch(&graph->nodes[index], prepared);
  memset(graph->marked, 0, sizeof graph->marked); // streams do not use the new buffers yet
  pthread_mutex_unlock(&graph->stream.lock);
  kiln_prepared_release(old);
  return KILN_OK;
}
