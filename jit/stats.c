// Counters of what a context enqueued and holds.
#include "base/floats.h"
#include "jit/stream.h"

void kiln_context_stats(struct kiln_context *ctx, struct kiln_context_stats *out) {
  if (!ctx || !out)
    return;
  struct kiln_retire *retire = &ctx->retire;
  uint64_t counts[KILN_COMMAND_KINDS], bytes[KILN_COMMAND_KINDS], streams = 0;
  pthread_mutex_lock(&retire->lock);
  for (int k = 0; k < KILN_COMMAND_KINDS; k++) {
    counts[k] = retire->ended.count[k];
    bytes[k] = retire->ended.bytes[k];
  }
  for (int i = 0; i < KILN_STREAM_SLOTS; i++) {
    const struct kiln_stream *stream = atomic_load(&retire->slots[i].lost) ? NULL : retire->slots[i].stream;
    streams += stream != NULL;
    for (int k = 0; stream && k < KILN_COMMAND_KINDS; k++) {
      counts[k] += atomic_load_explicit(&stream->commands.count[k], memory_order_relaxed);
      bytes[k] += atomic_load_explicit(&stream->commands.bytes[k], memory_order_relaxed);
    }
  }
  pthread_mutex_unlock(&retire->lock);
  struct kiln_floats floats = kiln_floats_enter();
  *out = (struct kiln_context_stats){.launches = counts[KILN_COMMAND_LAUNCH],
                                     .writes = counts[KILN_COMMAND_WRITE],
                                     .reads = counts[KILN_COMMAND_READ],
                                     .copies = counts[KILN_COMMAND_COPY],
                                     .fills = counts[KILN_COMMAND_FILL],
                                     .written_bytes = bytes[KILN_COMMAND_WRITE],
                                     .read_bytes = bytes[KILN_COMMAND_READ],
                                     .copied_bytes = bytes[KILN_COMMAND_COPY],
                                     .filled_bytes = bytes[KILN_COMMAND_FILL],
                                     .streams = streams,
                                     .buffers = atomic_load(&ctx->buffers),
                                     .buffer_bytes = atomic_load(&ctx->buffer_bytes),
                                     .peak_buffer_bytes = atomic_load(&ctx->peak_buffer_bytes),
                                     .loads = atomic_load(&ctx->loads),
                                     .load_ms = (double)atomic_load(&ctx->load_ns) / 1e6};
  kiln_floats_leave(floats);
}
