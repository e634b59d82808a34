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
#define rotate(x, n) (((x) << (n)) | ((x) >> (8 * sizeof(x) - (n))))
#define native_rsqrt(x) __nvvm_rsqrt_approx_f(x)
#define normalize(a) normalize_vector(a)
#define length(a) __nvvm_sqrt_rn_f(dot(a, a))
#define bitselect(x, y, m) (((x) & ~(m)) | ((y) & (m)))
#define mul_hi(x, y) ((uint)(((ulong)(x) * (y)) >> 32))
// Without overflow and underflow of the sum, as OpenCL C demands.
static inline float3 normalize_vector(float3 a) {
  float sum = dot(a, a);
  if (sum < 0x1p-100f) {
    a *= 0x1p86f;
    sum = dot(a, a);
    if (sum == 0)
      return a;
  } else if (sum == __builtin_inff()) {
    a *= 0x1p-66f;
    sum = dot(a, a);
  }
  return a * __nvvm_rsqrt_approx_f(sum);
}
