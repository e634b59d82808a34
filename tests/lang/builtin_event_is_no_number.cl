// The choice of an overload for an event that is 0 does not hold for other numbers.
kernel void k(global int *o, local int *l, int i) {
  event_t a = async_work_group_copy(l, o, 4, 0);
  event_t b = async_work_group_copy(l, o, 4, a);
  event_t c = async_work_group_copy(l, o, 4, 1);
  event_t d = async_work_group_copy(l, o, 4, i);
  wait_group_events(1, &d);
}
// expect: 5:15: error: no matching function for call to 'async_work_group_copy'
// expect: 5:15: note: candidate: 'event_t async_work_group_copy(__local gentype *, __global gentype *, ulong, event_t)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double and vectors of them
// expect: 5:15: note: candidate: 'event_t async_work_group_copy(__global gentype *, __local gentype *, ulong, event_t)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double and vectors of them
// expect: 6:15: error: no matching function for call to 'async_work_group_copy'
// expect: 6:15: note: candidate: 'event_t async_work_group_copy(__local gentype *, __global gentype *, ulong, event_t)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double and vectors of them
// expect: 6:15: note: candidate: 'event_t async_work_group_copy(__global gentype *, __local gentype *, ulong, event_t)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double and vectors of them
