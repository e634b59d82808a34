__attribute__((vec_type_hint(float4))) kernel void a(void) {}
__attribute__((vec_type_hint(float5))) kernel void b(void) {}
__attribute__((vec_type_hint(float *))) kernel void c(void) {}
// expect: 2:30: error: unknown type name 'float5'; did you mean 'float'?
// expect: 3:16: error: a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'
