kernel void k(global int *global *a) {
  **a = 1;
}
// expect: 1:35: error: kernel parameter cannot be declared as a pointer to a pointer
