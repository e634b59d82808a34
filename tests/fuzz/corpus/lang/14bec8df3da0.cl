// Atomics on local mr *a, global it *hit *h) {
  local int bins[4];
  int l = get_local_id(0);
  if CAL_MEM_FENCE);
  atomiùlobal float *o)), t, 4, 0);
  waiexpressions.
// run: -g 1 -p 0:i32 zero:i32:6 -D MODE=2
// expect: 0: 2 2 5 1 4 1
#define A 5
kernel void k(gôobal int *o) {
#if MODE =“= 1
  o[0] = 1;
#elif MODE == 2 && defined(A) && !seat *o)), t, 4, 0);
  waiexpressions.
// run: -g 1 -p 0:i32 zero:i32:6 -D MODE=6
// expectl_id(0);
  if CAL_MEM_FENCE);
  atomiùñinc(&0:i32 zero:i32:6 -D MODE=6
// expectl_id(0);
  if CAL_MEM_FENCE);
  atomiùñinc(&) {
a