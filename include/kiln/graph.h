// Graphs: commands that are recorded once and run many times. Part of kiln.h, which includes it.
#ifndef KILN_GRAPH_H
#define KILN_GRAPH_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is enqueued on the stream of a graph is checked, launches are prepared, and all of it is kept instead of run. A
// run of the graph enqueues the commands in the order in which they were recorded. The graph keeps the kernels, buffers
// and images of its commands alive. kiln_write and kiln_read move bytes of the host's memory when a run comes to them:
// that memory must stay valid until the last run has ended.
struct kiln_graph;
KILN_API enum kiln_status kiln_graph_create(struct kiln_context *ctx, uint32_t device, struct kiln_graph **out);
KILN_API void kiln_graph_retain(struct kiln_graph *graph);
KILN_API void kiln_graph_release(struct kiln_graph *graph); // never waits: pending runs keep what they use
// The stream that records; valid as long as the graph. What has no meaning there is INVALID: events of commands,
// waiting, cancelling, kiln_prepare, and every command once the graph is finalised. kiln_stream_set_deadline makes the
// launches that are recorded later such that they can be stopped, which runs on streams with a deadline need.
KILN_API struct kiln_stream *kiln_graph_stream(struct kiln_graph *graph);
// How many commands have been recorded, which is the index of the next one. A command that moves no bytes is left out.
KILN_API uint32_t kiln_graph_size(const struct kiln_graph *graph);
// Ends the recording; from now on the graph can run.
KILN_API enum kiln_status kiln_graph_finalize(struct kiln_graph *graph);
// Enqueues all commands on a stream of the graph's device. The event begins with the first command and ends with the
// last. Several runs of a graph may be pending, on several streams. Where the driver refuses a command, those before it
// have been enqueued. INVALID: the stream has a deadline that a launch was not recorded for.
KILN_API enum kiln_status kiln_graph_run(struct kiln_graph *graph, struct kiln_stream *stream,
                                         struct kiln_event **event);
// Replaces the sizes and arguments of the launch at index for runs that are enqueued later; pending ones keep theirs.
// On failure the launch stays as it was. INVALID: the command at index is no launch, or the graph is not finalised.
KILN_API enum kiln_status kiln_graph_update(struct kiln_graph *graph, uint32_t index,
                                            const struct kiln_launch_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
