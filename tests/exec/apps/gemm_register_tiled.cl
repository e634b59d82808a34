// A 64x64 tile of a matrix product in 8x8 registers of 8x8 work-items, unrolled by macros.
// run: -g 16,8 -l 8,8 -p 7:i32 rand:i8:3072:1:-8:8 rand:i8:6144:2:-8:8 iota:f32:8192 i32=128 i32=48 f32=2 f32=3 zero:i32:128
// expect: 7: 3870662 3786092 3997404 3955368 4110574 4102336 4287400 4284790 4256524 4238938 4259350 4509252 4456466 4399160 4436792 4875858 10368454 10472940 10271574 10403934 10455044 10429906 10669686 10811444 10769640 10917852 10896680 10640990 10879102 10664134 10995650 10933862 16497918 16728262 16620326 16868206 16895428 17037996 17075686 16892988 16968830 17270528 17102670 17198650 17192464 17241186 17346296 17191004 22922396 23291802 23230688 23305782 23366074 23410684 23358562 23500984 23447204 23560554 23393488 23700112 23614372 23689184 23672484 23771974 29570614 29435778 29483254 29592722 29423084 29450438 29745410 29729634 29778686 29754686 29815880 29747126 29941372 30152130 30151246 30118810 35709768 35817446 35933632 35858598 36060726 35962120 36002182 36053060 36149298 36164716 36202378 36385460 36483908 36582302 36598534 36558390 42197364 41980970 42241984 42406046 42284904 42258378 42431878 42449560 42637996 42636776 42541904 42655458 42696350 42883774 42765444 42814392 48519100 48766378 48540044 48665292 48807668 48915918 48974790 48928740 49085654 49043932 49303562 49141948 49112252 49256714 49188602 49290534
#define TILE 64
#define DEPTH 16
#define WORK 8
#define REPEAT_2(m, i) m(i) m(i + 1)
#define REPEAT_4(m, i) REPEAT_2(m, i) REPEAT_2(m, i + 2)
#define REPEAT_8(m, i) REPEAT_4(m, i) REPEAT_4(m, i + 4)
#define REPEAT_16(m, i) REPEAT_8(m, i) REPEAT_8(m, i + 8)
#define ROWS(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7)
#define COLUMNS(m, r) m(r, 0) m(r, 1) m(r, 2) m(r, 3) m(r, 4) m(r, 5) m(r, 6) m(r, 7)

#define DECLARE_ONE(r, c) float acc_##r##_##c = 0.0f;
#define DECLARE_ROW(r) COLUMNS(DECLARE_ONE, r)
#define FETCH(i)                                                                                   \
  {                                                                                                \
    const int at = (i)*TILE + flat, depth = at / TILE, across = at % TILE;                         \
    a_tile[depth][across] = am[(size_t)(first_row + across) * depths + base + depth];              \
    b_tile[depth][across] = bm[(size_t)(base + depth) * n + first_column + across];                \
  }
#define LOAD_ONE(i) const float a_##i = a_tile[k][row * WORK + i], b_##i = b_tile[k][column * WORK + i];
#define MULTIPLY_ONE(r, c) acc_##r##_##c = mad(a_##r, b_##c, acc_##r##_##c);
#define MULTIPLY_ROW(r) COLUMNS(MULTIPLY_ONE, r)
#define STEP(i)                                                                                    \
  {                                                                                                \
    const int k = i;                                                                               \
    ROWS(LOAD_ONE)                                                                                 \
    ROWS(MULTIPLY_ROW)                                                                             \
  }
#define STORE_ONE(r, c) out[c] = alpha * acc_##r##_##c + beta * out[c];
#define STORE_ROW(r)                                                                               \
  {                                                                                                \
    global float *out = cm + (size_t)(first_row + row * WORK + r) * n + first_column + column * WORK; \
    COLUMNS(STORE_ONE, r)                                                                          \
  }
#define CHECK_ONE(r, c) sum += (int)out[(r)*n + (c)] * ((r)*WORK + (c) + 1);
#define CHECK_ROW(r) COLUMNS(CHECK_ONE, r)

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void gemm(global const char *restrict am, global const char *restrict bm, global float *restrict cm, int n, int depths,
          float alpha, float beta, global int *restrict check) {
  local float a_tile[DEPTH][TILE + 1], b_tile[DEPTH][TILE + 1];
  const int column = get_local_id(0), row = get_local_id(1), flat = row * WORK + column;
  const int first_column = get_group_id(0) * TILE, first_row = get_group_id(1) * TILE;
  ROWS(DECLARE_ROW)
  for (int base = 0; base < depths; base += DEPTH) {
    REPEAT_16(FETCH, 0)
    barrier(CLK_LOCAL_MEM_FENCE);
    REPEAT_16(STEP, 0)
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  ROWS(STORE_ROW)
  const global float *out = cm + (size_t)(first_row + row * WORK) * n + first_column + column * WORK;
  int sum = 0;
  ROWS(CHECK_ROW)
  check[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
