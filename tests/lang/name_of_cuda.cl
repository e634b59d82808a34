__device__ float twice(float x) { return 2 * x; }
__global__ void __launch_bounds__(256) k(global float *x, global int *n) {
  int i = blockIdx.x * blockDim.y + threadIdx.z;
  __shared__ float t[64];
  t[i] = __expf(twice(x[i]));
  __syncthreads();
  atomicAdd(n, __popc(n[i]) + gridDim);
  dim3 d; __nv_bfloat16 b;
  x[i] = t[__shfl_down_sync(0xffffffff, i, 1)];
}
kernel void mine(global int *x) {
  int threadIdx = 1, __device__ = 2;
  __device__ = threadIdx;
  x[0] = __device__;
}
// expect: 1:1: error: '__device__' is of CUDA, not of OpenCL C; leave it out
// expect: 2:1: error: '__global__' is of CUDA, not of OpenCL C; write 'kernel', and 'global' before what its pointers point to
// expect: 2:17: error: '__launch_bounds__' is of CUDA, not of OpenCL C; write '__attribute__((reqd_work_group_size(X, Y, Z)))' or leave it out
// expect: 3:11: error: 'blockIdx' is of CUDA, not of OpenCL C; write 'get_group_id(0)'
// expect: 3:24: error: 'blockDim' is of CUDA, not of OpenCL C; write 'get_local_size(1)'
// expect: 3:37: error: 'threadIdx' is of CUDA, not of OpenCL C; write 'get_local_id(2)'
// expect: 4:3: error: '__shared__' is of CUDA, not of OpenCL C; write 'local'; 'extern __shared__' becomes a parameter of the kernel
// expect: 5:10: error: '__expf' is of CUDA, not of OpenCL C; write 'native_exp'
// expect: 6:3: error: '__syncthreads' is of CUDA, not of OpenCL C; write 'barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)'
// expect: 7:3: error: 'atomicAdd' is of CUDA, not of OpenCL C; write 'atomic_add' for integers, 'atomic_fetch_add' with -cl-std=CL2.0 for floats
// expect: 7:16: error: '__popc' is of CUDA, not of OpenCL C; write 'popcount'
// expect: 7:31: error: 'gridDim' is of CUDA, not of OpenCL C; write 'get_num_groups' with 0, 1 or 2
// expect: 8:3: error: 'dim3' is of CUDA, not of OpenCL C; write 'uint3'
// expect: 8:11: error: '__nv_bfloat16' is of CUDA, not of OpenCL C; write '__bf16', and '(float)x' where it is computed with
// expect: 9:12: error: '__shfl_down_sync' is of CUDA, not of OpenCL C; write 'sub_group_shuffle_down'
