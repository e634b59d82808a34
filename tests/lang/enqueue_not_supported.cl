// options: std=200
kernel void k(queue_t q, global int *o) {
  ndrange_t r;
  clk_event_t e;
  queue_t d = get_default_queue();
  enqueue_kernel(d, 0, r, ^{ o[0] = 1; });
  enqueue_marker(d, 0, 0, &e);
}
kernel void l(read_only pipe int p, global int *o) {
  read_pipe(p, o);
}
// expect: 6:27: error: blocks are not supported
// expect: 2:15: error: type 'queue_t' is not supported: kernels cannot enqueue kernels
// expect: 9:25: error: type 'pipe' is not supported: there are no pipes
