typedef size_t count_t;
typedef count_t index_t;
kernel void a(size_t n, global size_t *fine) {}
kernel void b(ptrdiff_t n, ulong fine) {}
kernel void c(intptr_t x) {}
kernel void d(uintptr_t x) {}
kernel void e(index_t x) {}
kernel void f(const size_t x) {}
size_t g(size_t x) { return x; }
// expect: 3:22: error: 'size_t' cannot be used as the type of a kernel parameter
// expect: 4:25: error: 'ptrdiff_t' cannot be used as the type of a kernel parameter
// expect: 5:24: error: 'intptr_t' cannot be used as the type of a kernel parameter
// expect: 6:25: error: 'uintptr_t' cannot be used as the type of a kernel parameter
// expect: 7:23: error: 'size_t' cannot be used as the type of a kernel parameter
// expect: 8:28: error: 'size_t' cannot be used as the type of a kernel parameter
