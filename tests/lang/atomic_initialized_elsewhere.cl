// options: std=200
global atomic_int counter = ATOMIC_VAR_INIT(5);
global atomic_uint list[2] = {1, 2};
kernel void k(global int *out) {
  atomic_int mine = ATOMIC_VAR_INIT(1);
  static atomic_int kept = 7;
  local atomic_int ours = 3;
  out[0] = atomic_load(&counter) + atomic_load(&kept) + (int)atomic_load(&list[1]);
}
// expect: 5:14: error: an atomic variable can be initialized in the global address space only
// expect: 7:20: error: '__local' variable cannot have an initializer
