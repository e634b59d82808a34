__attribute__((reqd_work_group_size(8, 1, 1))) void required(global int *o) { *o = 1; }
__attribute__((work_group_size_hint(8, 1, 1))) void hinted(global int *o) { *o = 1; }
__attribute__((vec_type_hint(int4))) void typed(global int *o) { *o = 1; }
kernel __attribute__((vec_type_hint(void))) void a(global int *o) { required(o); }
kernel __attribute__((vec_type_hint(bool))) void b(global int *o) { hinted(o); }
kernel __attribute__((vec_type_hint(int *))) void c(global int *o) { typed(o); }
kernel __attribute__((vec_type_hint(float4), work_group_size_hint(8, 1, 1))) void d(global int *o) {}
kernel __attribute__((vec_type_hint(char))) void e(global int *o) {}
// expect: 1:53: error: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
// expect: 2:53: error: attribute 'work_group_size_hint' can only be applied to an OpenCL kernel function
// expect: 3:43: error: attribute 'vec_type_hint' can only be applied to an OpenCL kernel function
// expect: 4:23: error: a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'
// expect: 5:23: error: a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'
// expect: 6:23: error: a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'
