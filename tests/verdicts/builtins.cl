//- 6.11, 6.12: attributes, built-in functions
// accept work_item
kernel void k(global ulong *o) { *o = get_work_dim() + get_global_size(0) + get_global_id(1) + get_local_size(2) + get_local_id(0) + get_num_groups(0) + get_group_id(0) + get_global_offset(0) + get_global_id(get_work_dim()); }
// reject work_item_no_argument: too few arguments to function call, expected 1, have 0
kernel void k(global int *o) { *o = get_global_id(); }
// reject work_item_pointer: no matching function for call to 'get_global_id'
kernel void k(global int *o) { *o = get_global_id(o); }
// accept math_types
kernel void k(global float *o, float x, double d, float4 v, double3 w, int n, int4 m) { *o = sin(x) + (float)cos(d) + exp(v).x + pow(x, x) + pow(v, v).y + pown(x, n) + pown(v, m).x + ldexp(x, n) + ldexp(v, n).x + ldexp(v, m).y + rootn(x, n) + fmax(v, x).x + fmin(v, v).y + (float)sqrt(w).x + ilogb(v).x + nan((uint)n) + nan(convert_uint4(m)).x; }
// reject math_int_ambiguous: call to 'sin' is ambiguous
kernel void k(global float *o, int i) { *o = sin(i); }
// reject math_mixed_widths: no matching function for call to 'pow'
kernel void k(global float4 *o, float4 a, float2 b) { *o = pow(a, b); }
// reject math_mixed_types: no matching function for call to 'pow'
kernel void k(global float4 *o, float4 a, double4 b) { *o = pow(a, b); }
// reject math_too_many: too many arguments to function call, expected 1, have 2
kernel void k(global float *o, float a) { *o = sin(a, a); }
// reject math_pointer: no matching function for call to 'sin'
kernel void k(global float *o) { *o = sin(o); }
// accept math_pointers
kernel void k(global float *o, local float *l, float x, float4 v, global float4 *g) { float p; int n; int4 m; *o = fract(x, &p) + fract(x, o) + fract(x, l) + frexp(x, &n) + modf(x, &p) + sincos(x, &p) + remquo(x, x, &n) + lgamma_r(x, &n) + fract(v, g).x + frexp(v, &m).y; }
// accept math_pointer_of_other_type
kernel void k(global float *o, float x) { double p; *o = fract(x, &p); }
// reject math_constant_pointer: no matching function for call to 'fract'
kernel void k(global float *o, constant float *c, float x) { *o = fract(x, c); }
// accept native_half
kernel void k(global float *o, float x, float4 v) { *o = native_sin(x) + half_cos(x) + native_divide(x, x) + half_powr(x, x) + native_exp(v).x + half_sqrt(v).y; }
// accept native_double
kernel void k(global double *o, double x) { *o = native_sin(x); }
// accept integer_functions
kernel void k(global int *o, int x, uint u, char4 c, ulong2 l, int4 v) { *o = abs(x) + abs_diff(x, x) + add_sat(x, x) + hadd(u, u) + rhadd(x, x) + clz(x) + mad_hi(x, x, x) + mad_sat(x, x, x) + max(x, x) + min(v, x).x + mul_hi(u, u) + rotate(x, x) + sub_sat(u, u) + upsample((short)x, (ushort)x) + popcount(u) + mad24(x, x, x) + mul24(u, u) + abs(c).x + (int)clamp(l, 1ul, 3ul).x + clamp(v, v, v).y + clamp(v, 1, 2).z; }
// reject integer_float: call to 'hadd' is ambiguous
kernel void k(global int *o, float x) { *o = hadd(x, x); }
// reject mul24_short: no matching function for call to 'mul24'
kernel void k(global int *o, short4 x) { *o = mul24(x, x).x; }
// reject rotate_mixed: no matching function for call to 'rotate'
kernel void k(global int *o, int4 x, uint4 y) { *o = rotate(x, y).x; }
// accept upsample_mixed
kernel void k(global int *o, int x, int y) { *o = upsample(x, y); }
// accept common_functions
kernel void k(global float *o, float x, float3 v, double d) { *o = clamp(x, 0.0f, 1.0f) + clamp(v, 0.0f, 1.0f).x + degrees(x) + max(x, x) + max(v, x).x + min(v, v).y + mix(x, x, x) + mix(v, v, x).x + radians(x) + step(x, x) + step(x, v).x + smoothstep(x, x, x) + smoothstep(x, x, v).x + sign(v).x + (float)mix(d, d, d); }
// accept geometric_functions
kernel void k(global float *o, float x, float3 v, float4 w, float2 u) { *o = dot(v, v) + dot(x, x) + cross(v, v).x + cross(w, w).y + distance(u, u) + length(w) + length(x) + normalize(v).x + fast_distance(v, v) + fast_length(u) + fast_normalize(w).x; }
// reject dot_eight: no matching function for call to 'dot'
kernel void k(global float *o, float8 v) { *o = dot(v, v); }
// reject cross_two: no matching function for call to 'cross'
kernel void k(global float *o, float2 v) { *o = cross(v, v).x; }
// reject cross_mixed: no matching function for call to 'cross'
kernel void k(global float *o, float3 v, float4 w) { *o = cross(v, w).x; }
// accept relational_functions
kernel void k(global int *o, float x, float4 v, double d, double2 w, int4 m, long2 l) { *o = isequal(x, x) + isless(v, v).x + isnan(d) + (int)isinf(w).x + isfinite(v).y + signbit(x) + any(m) + all(m) + any((char)1) + isordered(x, x) + isgreater(d, d); o[1] = bitselect(1, 2, 3) + select(1, 2, 3) + select(v, v, m).x + (int)bitselect(w, w, w).x + (int)select(w, w, l).x + (int)select(d, d, 1L) + select(v, v, as_uint4(m)).x; }
// reject any_float: no matching function for call to 'any'
kernel void k(global int *o, float4 v) { *o = any(v); }
// reject select_condition_size: no matching function for call to 'select'
kernel void k(global float4 *o, float4 v, short4 c) { *o = select(v, v, c); }
// reject select_scalar_condition: call to 'select' is ambiguous
kernel void k(global float4 *o, float4 v, int c) { *o = select(v, v, c); }
// accept vload_vstore
kernel void k(global float *o, constant float *c, local char *l, global half *h) { float p[16]; float4 a = vload4(0, o) + vload4(1, c); vstore4(a, 0, p); vstore16((char16)(1), 0, l); vstore3(vload3(2, p), 1, o); o[0] = vload_half(0, h) + vload_half4(0, h).x + vloada_half3(0, h).y; vstore_half(a.x, 0, h); vstore_half4_rtz(a, 1, h); vstorea_half3_rte(a.xyz, 0, h); vstore_half((double)a.x, 3, h); }
// reject vstore_constant: no matching function for call to 'vstore4'
kernel void k(constant float *o) { vstore4((float4)(1), 0, o); }
// reject vload_of_vector: no matching function for call to 'vload4'
kernel void k(global float4 *o) { *o = vload4(0, o); }
// reject vload_five: implicit declaration of function 'vload5' is invalid in OpenCL; did you mean 'vload2'?
kernel void k(global float *o) { vload5(0, o); }
// accept vstore_wrong_type
kernel void k(global float *o, int4 v) { vstore4(v, 0, o); }
// reject vstore_const: no matching function for call to 'vstore4'
kernel void k(global const float *o, float4 v) { vstore4(v, 0, o); }
// accept synchronisation
kernel void k(global int *o) { barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE); cl_mem_fence_flags f = CLK_LOCAL_MEM_FENCE; barrier(f); *o = 1; }
// reject barrier_nothing: too few arguments to function call, expected 1, have 0
kernel void k(global int *o) { barrier(); }
// accept async_copies
kernel void k(global float4 *o, local float4 *l, global const int3 *c, local int3 *d) { event_t e = async_work_group_copy(l, o, 3, 0), f; f = async_work_group_strided_copy(o, l, (size_t)3, (size_t)2, e); wait_group_events(1, &f); e = async_work_group_copy(d, c, 2, 0); wait_group_events(1, &e); prefetch(o, 3); }
// reject async_same_space: no matching function for call to 'async_work_group_copy'
kernel void k(global int *o, global int *p) { async_work_group_copy(o, p, 3, 0); }
// reject async_types: no matching function for call to 'async_work_group_copy'
kernel void k(global int *o, local float *p) { async_work_group_copy(p, o, 3, 0); }
// reject async_private: no matching function for call to 'async_work_group_copy'
kernel void k(global int *o) { int p[3]; async_work_group_copy(p, o, 3, 0); }
// accept atomics
kernel void k(volatile global int *o, local uint *l, global float *f, global int *p) { int a = atomic_add(o, 1) + atomic_sub(o, 1) + atomic_xchg(o, 1) + atomic_inc(o) + atomic_dec(p) + atomic_cmpxchg(o, 1, 2) + atomic_min(o, 1) + atomic_max(o, 1) + atomic_and(o, 1) + atomic_or(o, 1) + atomic_xor(o, 1) + atom_add(o, 1) + atom_inc(p); uint b = atomic_add(l, 1u) + atomic_max(l, 3u); float c = atomic_xchg(f, 1.0f); *p = a + b + c; }
// reject atomic_float_add: no matching function for call to 'atomic_add'
kernel void k(global float *o) { atomic_add(o, 1.0f); }
// reject atomic_private: no matching function for call to 'atomic_add'
kernel void k(global int *o) { int p = 0; atomic_add(&p, 1); }
// reject atomic_vector: no matching function for call to 'atomic_add'
kernel void k(global int4 *o) { atomic_add(o, 1); }
// reject atomic_short: no matching function for call to 'atomic_add'
kernel void k(global short *o) { atomic_add(o, 1); }
// reject atomic_const: no matching function for call to 'atomic_add'
kernel void k(global const int *o) { atomic_add(o, 1); }
// reject atomic_constant: no matching function for call to 'atomic_add'
kernel void k(constant int *o) { atomic_add(o, 1); }
// reject atomic_value: no matching function for call to 'atomic_add'
kernel void k(global int *o) { atomic_add(*o, 1); }
// accept shuffles
kernel void k(global float4 *o, float4 a, uint4 m, float2 b, uint8 n, global float8 *p) { *o = shuffle(a, m) + shuffle(b, m) + shuffle2(a, a, m); *p = shuffle(a, n) + shuffle2(b, b, n); }
// reject shuffle_mask_type: no matching function for call to 'shuffle'
kernel void k(global float4 *o, float4 a, int4 m) { *o = shuffle(a, m); }
// reject shuffle_mask_size: no matching function for call to 'shuffle'
kernel void k(global float4 *o, float4 a, ushort4 m) { *o = shuffle(a, m); }
// reject shuffle_three: no matching function for call to 'shuffle'
kernel void k(global float4 *o, float3 a, uint4 m) { *o = shuffle(a, m); }
// accept printf_forms
kernel void k(global int *o, float4 v, char c, long l) { printf("hello\n"); printf("%d %u %x %c %s %f %g %e %a %p %%\n", 1, 2u, 3, 'c', "s", 1.0f, 2.0f, 3.0f, 4.0f, o); printf("%v4hlf %v4f\n", v, v); *o = printf("%hhd %hd %ld %5.2f %-5d %+d % d %#x %05d\n", c, c, l, 1.0f, 1, 2, 3, 4, 5); }
// reject printf_not_literal: the first argument of 'printf' must be a string literal
kernel void k(global char *o) { printf(o, 1); }
// reject printf_nothing: too few arguments to function call, expected at least 1, have 0
kernel void k(global char *o) { printf(); }
// accept unroll_attributes
kernel void k(global int *o) { __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) o[i] = i; __attribute__((opencl_unroll_hint)) while (*o < 3) ++*o; }
// reject unroll_on_if: 'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements
kernel void k(global int *o) { __attribute__((opencl_unroll_hint(4))) if (*o) *o = 1; }
// reject unroll_zero: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
kernel void k(global int *o) { __attribute__((opencl_unroll_hint(0))) for (int i = 0; i < 8; i++) o[i] = i; }
// accept alignment
struct __attribute__((aligned(32))) A { int a; }; struct B { char c; int i __attribute__((aligned(16))); } __attribute__((packed)); typedef int I16 __attribute__((aligned(16)));
kernel void k(global int *o) { local float4 l[2] __attribute__((aligned(64))); I16 x = 1; *o = sizeof(struct A) + sizeof(struct B) + x; l[0] = 1; }
// reject aligned_three: requested alignment is not a power of 2
struct __attribute__((aligned(3))) A { int a; };
// accept attribute_unknown
int f(int x) __attribute__((made_up));
int f(int x) { return x; }
kernel void k(global int *o) { *o = f(1); }
// reject attribute_syntax: expected '(' after attribute
int f(int x) __attribute__(noinline);
// accept endian
kernel void k(global int *o __attribute__((endian(host)))) { *o = 1; }
// accept c11_atomics std=200
kernel void k(global atomic_int *o, local atomic_uint *l, global atomic_flag *f) { atomic_init(o, 1); atomic_store(o, 2); int a = atomic_load(o), e = 3; atomic_fetch_add_explicit(o, 1, memory_order_relaxed); atomic_exchange(l, 3u); atomic_compare_exchange_strong(o, &e, 4); atomic_flag_test_and_set(f); atomic_fetch_max_explicit(o, 3, memory_order_relaxed, memory_scope_device); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group); work_group_barrier(CLK_LOCAL_MEM_FENCE); }
// reject c11_atomic_of_int std=200: no matching function for call to 'atomic_fetch_add'
kernel void k(global int *o) { atomic_fetch_add(o, 1); }
// reject c11_atomic_assigned std=200: operators do not apply to 'atomic_int': use the atomic functions
kernel void k(global atomic_int *o) { *o = 1; }
// accept group_functions std=200
kernel void k(global int *o) { int x = work_group_reduce_add(*o) + work_group_broadcast(*o, 0) + work_group_scan_inclusive_max(*o); o[0] = x + work_group_all(x) + work_group_any(x); }
// accept linear_ids std=200
kernel void k(global ulong *o) { *o = get_global_linear_id() + get_local_linear_id() + get_enqueued_local_size(0); }
// accept later_names_12
int ctz(int x) { return x; } int work_group_all(int x) { return x; } typedef int atomic_int;
kernel void k(global int *o) { atomic_int atomic_load = 1; *o = ctz(1) + work_group_all(2) + atomic_load; }
// reject enqueue std=200: type 'queue_t' is not supported: kernels cannot enqueue kernels
kernel void k(global int *o) { queue_t q = get_default_queue(); }
// reject pipe_type std=200: type 'pipe' is not supported: there are no pipes
kernel void k(read_only pipe int p) { }
// reject block_type std=200: expected identifier or '('
kernel void k(global int *o) { int (^b)(int) = ^(int x) { return x; }; }
