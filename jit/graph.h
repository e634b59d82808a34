// Graphs: what a stream that records does with its commands.
#ifndef KILN_JIT_GRAPH_H
#define KILN_JIT_GRAPH_H

#include "jit/stream.h"

// Whether the graph records commands now, which have no events of their own.
enum kiln_status kiln_graph_begin(const struct kiln_graph *graph, bool want_event);
// Keeps a copy of the command, and its buffers. Under the lock of the graph's stream.
enum kiln_status kiln_graph_record(struct kiln_graph *graph, const struct kiln_command *command,
                                   struct kiln_report *report);
enum kiln_status kiln_graph_add_launch(struct kiln_graph *graph, struct kiln_kernel *kernel,
                                       const struct kiln_launch_desc *desc, bool want_event);
void kiln_graph_free(struct kiln_graph *graph); // its stream has no references left

#endif
