//- what differs by language version
// accept c10 std=100
kernel void k(global int *o, float4 v) { *o = v.x + __OPENCL_C_VERSION__; }
// accept c11 std=110
kernel void k(global int *o, float3 v) { *o = v.x + shuffle(v.xyxy, (uint4)(0)).x + clamp(1, 2, 3); }
// accept names_of_20_in_12
typedef int queue_t; int pipe(int generic2) { return generic2; }
kernel void k(global int *o) { }
// accept program_scope_20 std=200
global int counter = 1; int plain; static global float table[2] = {1, 2}; global int *pointer = &counter; constant int *constant_pointer;
kernel void k(global int *o) { *o = counter++ + plain + table[1] + *pointer; }
// accept program_scope_30 std=300
global int counter = 1; int plain[2] = {1, 2};
kernel void k(global int *o) { *o = counter + plain[1]; static int calls; calls++; static constant int c = 3; }
// accept generic_arguments std=300
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
kernel void k(global int *o, local int *l) { int a[2] = {1, 2}; const int *p = o; *o = sum(a, 2) + sum(o, 1) + sum(l, 1) + *p; void *v = o; *o += ((int *)v)[1]; }
// accept generic_functions std=200
kernel void k(global int *o) { int *p = o; global int *g = to_global(p); local int *l = to_local(p); private int *q = to_private(p); *o = (g != NULL) + (l == NULL) + (q == NULL) + (get_fence(p) == CLK_GLOBAL_MEM_FENCE); }
// reject generic_of_constant std=300: initializing '__generic int *' with an expression of type '__constant int *' changes address space of pointer
kernel void k(constant int *c, global int *o) { int *p = c; *o = *p; }
// accept atomics_30 std=300
kernel void k(global atomic_int *a, local atomic_uint *b, global int *o) { o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group); atomic_store_explicit(b, 1u, memory_order_release, memory_scope_device); int e = 0; o[1] = atomic_compare_exchange_strong_explicit(a, &e, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device); o[2] = atomic_fetch_or(a, 1) + atomic_fetch_xor_explicit(a, 1, memory_order_relaxed); }
// accept atomic_types std=200
kernel void k(global atomic_long *a, global atomic_ulong *b, global atomic_float *c, global atomic_double *d, global atomic_intptr_t *e, global atomic_size_t *f, global atomic_flag *g, global long *o) { o[0] = atomic_load(a) + atomic_load(b) + (long)atomic_load(c) + (long)atomic_load(d) + atomic_load(e) + atomic_load(f) + atomic_flag_test_and_set(g); atomic_flag_clear(g); }
// reject atomic_vector_type std=200: unknown type name 'atomic_int4'; did you mean 'atomic_int'?
kernel void k(global atomic_int4 *a) { }
// reject atomic_read std=200: operators do not apply to 'atomic_int': use the atomic functions
kernel void k(global atomic_int *a, global int *o) { *o = *a; }
// reject atomic_increment std=200: operators do not apply to 'atomic_int': use the atomic functions
kernel void k(global atomic_int *a) { (*a)++; }
// accept atomic_initialised std=200
global atomic_int a = ATOMIC_VAR_INIT(3); global atomic_flag f = ATOMIC_FLAG_INIT;
kernel void k(global int *o) { *o = atomic_fetch_add(&a, 1) + atomic_flag_test_and_set(&f); }
// accept pointers_in_arguments_20 std=200
struct S { global int *p; int n; };
kernel void k(struct S s, global int *global *q) { s.p[0] = s.n; q[0][1] = 2; }
// accept memory_fences std=200
kernel void k(global int *o) { work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device); atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group); barrier(CLK_LOCAL_MEM_FENCE); *o = 1; }
// reject collective_needs_20: function 'work_group_reduce_add' is of OpenCL C 2.0 and later: -cl-std=CL2.0
kernel void k(global int *o) { *o = work_group_reduce_add(1); }
// accept ctz_20 std=200
kernel void k(global int4 *o, int4 a) { *o = ctz(a) + clz(a) + popcount(a); }
// accept sub_groups
kernel void k(global int *o) { *o = get_sub_group_size() + get_sub_group_local_id() + sub_group_reduce_add(1) + sub_group_broadcast(1, 0u) + sub_group_all(1) + sub_group_scan_inclusive_max(3); sub_group_barrier(CLK_LOCAL_MEM_FENCE); }
// accept feature_macros std=300
#if defined(__opencl_c_int64) && defined(__opencl_c_atomic_order_acq_rel) && !defined(__opencl_c_images) && !defined(__opencl_c_pipes) && !defined(__opencl_c_device_enqueue)
kernel void k(global int *o) { *o = 1; }
#else
#error
#endif
// accept image_support_off
#ifdef __IMAGE_SUPPORT__
#error
#endif
kernel void k(global int *o) { *o = 1; }
// accept nosvm std=200
kernel void k(global int *o __attribute__((nosvm))) { *o = 1; }
// accept restrict_spellings std=200
kernel void k(global int *restrict a, global int *__restrict b, global int *__restrict__ c) { *a = *b + *c; }
// accept printf_generic_string std=300
kernel void k(global int *o) { printf("%s %d\n", "text", *o); }
// accept rgba std=300
kernel void k(global float4 *o, float4 v) { *o = v.rgba; o->bg = v.ar; }
// accept program_scope_pointer_private std=200
private int *p;
// accept kernel_attributes std=200
__attribute__((reqd_work_group_size(8, 1, 1), vec_type_hint(float))) kernel void k(global int *o) { *o = 1; }
// accept long_names std=300
kernel void k(__global uchar *__restrict__ const a, __constant unsigned long long int *b) { a[0] = b[0]; }
