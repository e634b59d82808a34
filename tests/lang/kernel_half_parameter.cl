// options: no-fp16
kernel void a(half h) {}
kernel void b(half4 h) {}
kernel void c(global half *fine) {}
struct s {
  half h;
};
// expect: 2:20: error: 'half' cannot be used as the type of a kernel parameter
// expect: 3:21: error: 'half4' cannot be used as the type of a kernel parameter
// expect: 6:8: error: declaring variable of type 'half' is not allowed
