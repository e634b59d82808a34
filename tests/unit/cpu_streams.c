// Rows that go around the cache: a transposition of more than any processor's share of it, whose groups end in the
// middle of tiles, into memory that lines of the cache begin at and into such that they do not.
#include "cpu_test.h"

#define WIDTH 4112u // 257 tiles
#define HEIGHT 2061u
#define TILE 16

static const char SOURCE[] =
    "kernel void turn(global const uint *size, global const uint *in, global uint *out) {\n"
    "  local uint t[16][17];\n"
    "  uint x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;\n"
    "  uint width = size[0], height = size[1];\n"
    "  if (gy + y < height)\n"
    "    t[y][x] = in[(gy + y) * width + gx + x];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[(gx + y) * (height + 3) + gy + x] = gy + x < height ? t[x][y] : 0;\n"
    "}\n"
    "kernel void turn_full(global const uint *size, global const uint *in, global uint *out) {\n"
    "  local uint t[16][17];\n"
    "  uint x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;\n"
    "  t[y][x] = in[(gy + y) * size[0] + gx + x];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[(gx + y) * size[1] + gy + x] = t[x][y];\n"
    "}\n";

static void turn(const char *arch, const char *kernel, uint32_t width, uint32_t height, uint32_t stride, size_t shift) {
  struct machine m;
  if (!machine_open(&m, "cpu", arch))
    return;
  struct kiln_program_desc desc = {.source = SOURCE, .name = "turn.cl"};
  struct kiln_program *program = NULL;
  cr_assert_eq(kiln_program_create(m.ctx, &desc, &program), KILN_OK, "%s: %s", m.name, kiln_last_error());
  uint32_t size[2] = {width, height}, *in, *out;
  size_t in_bytes = (size_t)width * height * 4, out_bytes = ((size_t)width * stride + TILE) * 4;
  cr_assert(!posix_memalign((void **)&in, 64, in_bytes + 64) && !posix_memalign((void **)&out, 64, out_bytes + 64));
  uint64_t state = 1;
  for (size_t i = 0; i < in_bytes / 4; i++)
    in[i] = (uint32_t)next_random(&state);
  memset(out, 0xff, out_bytes + 64);
  uint32_t rows = (height + TILE - 1) / TILE * TILE;
  machine_run(&m, program, kernel, (uint64_t[]){width, rows, 1}, (uint64_t[]){TILE, TILE, 1},
              (void *[]){size, in, (char *)out + shift}, (size_t[]){sizeof size, in_bytes, out_bytes}, 3);
  const uint32_t *got = (const uint32_t *)((char *)out + shift);
  for (uint32_t x = 0; x < width; x++)
    for (uint32_t y = 0; y < height; y++)
      cr_assert_eq(got[(size_t)x * stride + y], in[(size_t)y * width + x], "%s: %s, %zu bytes on: [%u][%u]", m.name,
                   kernel, shift, x, y);
  kiln_program_release(program);
  machine_close(&m);
  free(in);
  free(out);
}

static void turn_all(const char *arch) {
  turn(arch, "turn_full", 4096, 2064, 2064, 0);
  turn(arch, "turn_full", 4096, 2064, 2064, 4);
  turn(arch, "turn", WIDTH, HEIGHT, HEIGHT + 3, 0);
}

Test(cpu_streams, transposition) { turn_all(NULL); }
Test(cpu_streams, transposition_avx2) { turn_all("x86-64-v3"); }
Test(cpu_streams, transposition_sse) { turn_all("x86-64-v2"); }

// Whether the code of a kernel has stores around the cache.
static bool streams(const char *source) {
  struct machine m;
  cr_assert(machine_open(&m, "cpu", NULL));
  struct kiln_program_desc desc = {.source = source, .name = "test.cl"};
  struct kiln_program *program = NULL;
  void *text = NULL;
  size_t size = 0;
  cr_assert_eq(kiln_program_create(m.ctx, &desc, &program), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_program_stage(program, "ll", &text, &size), KILN_OK, "%s", kiln_last_error());
  bool found = memmem(text, size, "!nontemporal", 12) != NULL;
  kiln_free(text);
  kiln_program_release(program);
  machine_close(&m);
  return found;
}

#ifdef __x86_64__
Test(cpu_streams, where) {
  cr_assert(streams(SOURCE));
  // Read as well; told to other threads while the kernel runs.
  cr_assert(!streams("kernel void turn(global uint *out, uint n) {\n"
                     "  local uint t[16][17];\n"
                     "  uint x = get_local_id(0), y = get_local_id(1), at = (get_group_id(0) * 16 + y) * n + x;\n"
                     "  t[y][x] = out[at];\n"
                     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "  out[at] = t[x][y];\n"
                     "}\n"));
  cr_assert(!streams("kernel void turn(global uint *out, uint n, global uint *done) {\n"
                     "  local uint t[16][17];\n"
                     "  uint x = get_local_id(0), y = get_local_id(1), at = (get_group_id(0) * 16 + y) * n + x;\n"
                     "  t[y][x] = at;\n"
                     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "  out[at] = t[x][y];\n"
                     "  atomic_inc(done);\n"
                     "}\n"));
}
#endif
