// A kernel whose name is longer than any buffer.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 1 2
#define TWICE_(x, y) x##y
#define TWICE(x, y) TWICE_(x, y)
#define A name_of_a_kernel_that_is_long
#define B TWICE(TWICE(A, A), TWICE(A, A))
#define C TWICE(TWICE(B, B), TWICE(B, B))
kernel void TWICE(C, C)(global int *x) { x[get_global_id(0)] = (int)get_global_id(0) + 1; }
