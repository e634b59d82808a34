// What clang needs to compile kernels for NVIDIA GPUs that use no more of OpenCL C's functions: work-item functions, as
// macros over special registers, barriers, and some of the others.
#define PICK(d, name)                                                                                                  \
  ((size_t)((d) == 0   ? __nvvm_read_ptx_sreg_##name##_x()                                                             \
            : (d) == 1 ? __nvvm_read_ptx_sreg_##name##_y()                                                             \
                       : __nvvm_read_ptx_sreg_##name##_z()))
#define get_local_id(d) PICK(d, tid)
#define get_local_size(d) PICK(d, ntid)
#define get_group_id(d) PICK(d, ctaid)
#define get_num_groups(d) PICK(d, nctaid)
#define get_global_id(d) (PICK(d, ctaid) * PICK(d, ntid) + PICK(d, tid))
#define get_global_size(d) (PICK(d, nctaid) * PICK(d, ntid))
#define barrier(flags) __syncthreads()
#define sqrt(x) __nvvm_sqrt_rn_f(x)
#define fabs(x) __builtin_fabsf(x)
#define fmin(x, y) __builtin_fminf(x, y)
#define fmax(x, y) __builtin_fmaxf(x, y)
#define fma(x, y, z) __builtin_fmaf(x, y, z)
#define mad(x, y, z) __builtin_fmaf(x, y, z)
#define atomic_add(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define atomic_inc(p) __atomic_fetch_add(p, 1, __ATOMIC_RELAXED)
#define min(x, y) ((x) < (y) ? (x) : (y))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define clamp(x, low, high) min(max(x, low), high)
#define dot(a, b) fma((a).z, (b).z, fma((a).y, (b).y, (a).x *(b).x))
#define popcount(x) __builtin_popcount(x)
#define rotate(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define native_rsqrt(x) __nvvm_rsqrt_approx_f(x)
#define normalize(a) ((a)*__nvvm_rsqrt_approx_f(dot(a, a)))
