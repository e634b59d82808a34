#define JOIN(a, b) a##b
kernel void k(global int *a) { a[0] = JOIN(a, [1]); }
// expect: 2:39: error: pasting formed 'a[', an invalid preprocessing token
// expect: 1:21: note: expanded from macro 'JOIN'
