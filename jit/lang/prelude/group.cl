// Library functions in the kernel language: what the work-items of a group do together. math.cl says how sections work.

//@ get_global_linear_id
ulong get_global_linear_id(void) {
  return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
             get_global_size(0) +
         get_global_id(0) - get_global_offset(0);
}

//@ get_local_linear_id
ulong get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

//@ async_copy
event_t async_work_group_copy(P to, Q from, ulong count, event_t event) {
  ulong step = get_local_size(0) * get_local_size(1) * get_local_size(2);
  for (ulong i = get_local_linear_id(); i < count; i += step)
    to[i] = from[i];
  return event;
}

//@ async_copy_from_stride
event_t async_work_group_strided_copy(P to, Q from, ulong count, ulong stride, event_t event) {
  ulong step = get_local_size(0) * get_local_size(1) * get_local_size(2);
  for (ulong i = get_local_linear_id(); i < count; i += step)
    to[i] = from[i * stride];
  return event;
}

//@ async_copy_to_stride
event_t async_work_group_strided_copy(P to, Q from, ulong count, ulong stride, event_t event) {
  ulong step = get_local_size(0) * get_local_size(1) * get_local_size(2);
  for (ulong i = get_local_linear_id(); i < count; i += step)
    to[i * stride] = from[i];
  return event;
}

//@ wait_group_events
void wait_group_events(int count, P events) { barrier(3u); }
