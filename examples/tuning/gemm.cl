// A product of matrices in row-major order, C (M x N) = A (M x K) * B (K x N), without local memory. How many results a
// work-item has, and how wide a group is, are to be tuned (docs/tune.md):
//
//   kiln tune examples/tuning/gemm.cl -k gemm_regs --budget 3s i32=512 i32=512 i32=512 \
//     rand:f32:262144 rand:f32:262144 zero:f32:262144
#pragma kernel tune(RM = 4, 1, 2, 8, 16) // rows of a work-item
#pragma kernel tune(RN = 1, 2, 4)        // columns, LX apart
#pragma kernel tune(LX = 32, 16, 64, 128)
#pragma kernel tune_option(lanes = 0, 16, 32, 64)
#pragma kernel set(TILE = RN * LX)
#pragma kernel restriction(N % TILE == 0 && M % RM == 0)
#pragma kernel problem_size(N, M)
#pragma kernel block_size(LX, 1)
#pragma kernel grid_divisor(TILE, RM)
#pragma kernel tuning_key(M, N, K)
#ifndef RM // other compilers ignore the pragmas
#define RM 4
#define RN 1
#define LX 32
#endif
kernel __attribute__((reqd_work_group_size(LX, 1, 1)))
void gemm_regs(int M, int N, int K, global const float *A, global const float *B, global float *C) {
  int col = get_group_id(0) * LX * RN + get_local_id(0), row = get_global_id(1) * RM;
  float sums[RM][RN];
  for (int i = 0; i < RM; i++)
    for (int j = 0; j < RN; j++)
      sums[i][j] = 0;
  for (int k = 0; k < K; k++) {
    float b[RN];
    for (int j = 0; j < RN; j++)
      b[j] = B[k * N + col + j * LX];
    for (int i = 0; i < RM; i++) {
      float a = A[(row + i) * K + k];
      for (int j = 0; j < RN; j++)
        sums[i][j] += a * b[j];
    }
  }
  for (int i = 0; i < RM; i++)
    for (int j = 0; j < RN; j++)
      C[(row + i) * N + col + j * LX] = sums[i][j];
}
