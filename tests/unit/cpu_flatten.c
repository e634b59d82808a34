// Launches with a short dimension 0, whose work-items run along the flattened index: what they leave in memory must be
// what interp leaves, for any shape, group size and offset, whether addresses follow the index or not.
#include "cpu_test.h"

#define ROOM 40000u // elements of a buffer

// w and h are the width and the height of the launch or something else. Each kernel writes no element twice, but by
// atomic operations.
static const char SOURCE[] =
    "#define X get_global_id(0)\n"
    "#define Y get_global_id(1)\n"
    "#define Z get_global_id(2)\n"
    "kernel void sizes(global const uint *in, global uint *out, int w, int h) {\n"
    "  size_t i = X - get_global_offset(0) + (Y - get_global_offset(1)) * get_global_size(0) +\n"
    "             (Z - get_global_offset(2)) * get_global_size(0) * get_global_size(1);\n"
    "  out[i] = in[i] * 3 + 1;\n"
    "}\n"
    "kernel void horner(global const uint *in, global uint *out, int w, int h) {\n"
    "  int x = X, y = Y, z = Z;\n"
    "  int i = (z * h + y) * w + x;\n"
    "  out[i + 1] = in[i] + in[i + 2] * 5;\n"
    "}\n"
    "kernel void terms(global const uint *in, global uint *out, uint w, uint h) {\n"
    "  uint i = w * (uint)Y + (uint)Z * w * h + (uint)X;\n"
    "  out[i] = in[i] ^ i;\n"
    "}\n"
    "kernel void plane(global const uint *in, global uint *out, int w, int h) {\n"
    "  int x = X, y = Y;\n"
    "  if (x >= w || y >= h)\n"
    "    return;\n"
    "  global uint *row = out + y * w;\n"
    "  uint sum = in[y * w + x];\n"
    "  for (int k = 1; k <= x % 3; k++)\n"
    "    sum = sum * 7 + in[y * w + x + k];\n"
    "  row[x] = sum + y;\n"
    "}\n"
    "kernel void halo(global const uint *in, global uint *out, int w, int h) {\n"
    "  int x = X, y = Y;\n"
    "  out[y * (w + 2) + x] = in[y * w + x] * 9;\n"
    "}\n"
    "kernel void pairs(global const uint2 *in, global uint2 *out, int w, int h) {\n"
    "  size_t i = (size_t)Y * w + X;\n"
    "  out[i] = in[i].yx + (uint2)(Y, X);\n"
    "}\n"
    "kernel void every_second(global const uint *in, global uint *out, int w, int h) {\n"
    "  int i = 2 * (int)X + (int)Y * 2 * w;\n"
    "  out[i] = in[i + 1] + 1;\n"
    "  out[i + 1] = in[i] + 2;\n"
    "}\n"
    "kernel void turned(global const uint *in, global uint *out, int w, int h) {\n"
    "  int r = X, c = Y;\n"
    "  out[r * h + c] = in[r * h + c] + 4;\n"
    "}\n"
    "kernel void groups(global const uint *in, global uint *out, int w, int h) {\n"
    "  int x = get_group_id(0) * get_local_size(0) + get_local_id(0), y = Y - get_global_offset(1);\n"
    "  uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);\n"
    "  uint g = get_group_id(1) * get_num_groups(0) + get_group_id(0);\n"
    "  int i = y * (int)get_global_size(0) + (int)(X - get_global_offset(0));\n"
    "  out[i] = in[i] * 100000 + l * 1000 + g + x * 10000 + (uint)get_local_size(1);\n"
    "}\n"
    "kernel void line(global const uint *in, global uint *out, int w, int h) {\n"
    "  size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0) + get_global_offset(0);\n"
    "  int l = get_local_id(0);\n"
    "  out[i + (Y - get_global_offset(1)) * 5000] = in[i] * 100 + l + (uint)get_group_id(0) + (uint)X;\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void single(global const uint *in, global uint *out, int "
    "w,\n"
    "                                                                  int h) {\n"
    "  out[get_group_id(0)] = in[X] * 3 + get_local_id(0) + get_local_size(0);\n"
    "}\n"
    "kernel void counted(global const uint *in, global uint *out, int w, int h) {\n"
    "  uint i = X + Y * get_global_size(0), v = in[i % 30000];\n"
    "  if (v & 1)\n"
    "    atomic_add(&out[X % 32], v);\n"
    "  else\n"
    "    atomic_xor(&out[32 + Y % 32], v + Z);\n"
    "  atomic_inc(&out[64]);\n"
    "}\n"
    "kernel void repeated(global const uint *in, global uint *out, int w, int h) {\n"
    "  int i = X + Y * get_global_size(0);\n"
    "  atomic_add(&out[i], in[i]);\n"
    "}\n"
    "kernel void private_rows(global const uint *in, global uint *out, int w, int h) {\n"
    "  uint t[4];\n"
    "  int i = Y * w + X;\n"
    "  for (int k = 0; k < 4; k++)\n"
    "    t[(k + X) & 3] = in[i + k] + Y;\n"
    "  out[i] = t[0] + t[1] * 3 + t[2] * 5 + t[3] * 7;\n"
    "}\n";

static const char *const KERNELS[] = {"sizes",  "horner", "terms", "plane",  "halo",    "pairs",    "every_second",
                                      "turned", "groups", "line",  "single", "counted", "repeated", "private_rows"};

struct shape {
  uint64_t global[3], local[3], offset[3];
  int more_width; // than the launch has
};

static const struct shape SHAPES[] = {
    {{1, 4200, 1}, {1, 60, 1}, {0}, 0}, {{3, 1500, 1}, {3, 50, 1}, {0}, 0},
    {{3, 1500, 1}, {0}, {0}, 2},        {{4, 1100, 1}, {2, 11, 1}, {2, 1, 0}, 2},
    {{5, 900, 1}, {2, 7, 1}, {0}, 0},   {{7, 601, 1}, {0}, {1, 3, 0}, 1},
    {{4, 4, 300}, {4, 4, 4}, {0}, 0},   {{3, 5, 290}, {1, 5, 29}, {0}, 0},
    {{3, 70, 20}, {0}, {0, 2, 1}, 0},   {{17, 250, 1}, {0}, {0}, 0},
    {{24, 180, 1}, {8, 6, 1}, {0}, 0},  {{37, 120, 1}, {0}, {0}, 1},
    {{1, 1, 4500}, {1, 1, 45}, {0}, 0}, {{2, 1, 2200}, {0}, {0}, 0},
    {{4100, 1, 1}, {0}, {0}, 0},        {{4200, 1, 1}, {1, 1, 1}, {0}, 0},
    {{1400, 3, 1}, {7, 3, 1}, {0}, 0},
};

// The width and the height that the kernel is told, so that it stays inside of the buffers.
static void run(struct machine *m, struct kiln_program *program, const char *name, const struct shape *shape,
                uint32_t *in, uint32_t *out) {
  struct kiln_kernel *kernel = NULL;
  struct kiln_buffer *buffers[2] = {NULL};
  cr_assert_eq(kiln_kernel_create(program, name, &kernel), KILN_OK, "%s", kiln_last_error());
  void *memory[2] = {in, out};
  for (int i = 0; i < 2; i++) {
    struct kiln_buffer_desc desc = {.size = ROOM * sizeof *in, .host = memory[i]};
    cr_assert_eq(kiln_buffer_create(m->ctx, &desc, &buffers[i]), KILN_OK, "%s", kiln_last_error());
  }
  int32_t w = (int32_t)(shape->global[0] + shape->offset[0]) + shape->more_width,
          h = (int32_t)(shape->global[1] + shape->offset[1]);
  if (!shape->offset[0] && !shape->more_width)
    w = (int32_t)shape->global[0];
  struct kiln_arg args[4] = {kiln_arg_buffer(buffers[0]), kiln_arg_buffer(buffers[1]), kiln_arg_value(&w, sizeof w),
                             kiln_arg_value(&h, sizeof h)};
  struct kiln_launch_desc launch = {.args = args, .arg_count = 4};
  memcpy(launch.global, shape->global, sizeof launch.global);
  memcpy(launch.local, shape->local, sizeof launch.local);
  memcpy(launch.offset, shape->offset, sizeof launch.offset);
  cr_assert_eq(kiln_launch(m->stream, kernel, &launch, NULL), KILN_OK, "%s: %s: %s", m->name, name, kiln_last_error());
  cr_assert_eq(kiln_stream_finish(m->stream), KILN_OK, "%s: %s: %s", m->name, name, kiln_last_error());
  for (int i = 0; i < 2; i++)
    kiln_buffer_release(buffers[i]);
  kiln_kernel_release(kernel);
}

static struct kiln_program *compile(struct machine *m, const char *options) {
  struct kiln_program_desc desc = {.source = SOURCE, .name = "flatten.cl", .options = options};
  struct kiln_program *program = NULL;
  cr_assert_eq(kiln_program_create(m->ctx, &desc, &program), KILN_OK, "%s: %s", m->name, kiln_last_error());
  return program;
}

static uint32_t in[ROOM], expected[ROOM], got[ROOM];

static void compare(const char *arch, const char *options, uint32_t first, uint32_t step) {
  struct machine interp, cpu;
  if (!machine_open(&cpu, "cpu", arch))
    return;
  machine_open(&interp, "interp", NULL);
  struct kiln_program *theirs = compile(&interp, NULL), *ours = compile(&cpu, options);
  uint64_t state = 7;
  for (uint32_t i = 0; i < ROOM; i++)
    in[i] = (uint32_t)next_random(&state);
  for (uint32_t k = 0; k < sizeof KERNELS / sizeof *KERNELS; k++)
    for (uint32_t s = (first + k) % step; s < sizeof SHAPES / sizeof *SHAPES; s += step) {
      bool is_2d = strcmp(KERNELS[k], "sizes") && strcmp(KERNELS[k], "horner") && strcmp(KERNELS[k], "terms") &&
                   strcmp(KERNELS[k], "counted") && strcmp(KERNELS[k], "repeated");
      bool asks_groups = !strcmp(KERNELS[k], "groups") || !strcmp(KERNELS[k], "line");
      bool is_open = !SHAPES[s].local[0] && asks_groups; // asks for what the driver chooses
      if (!strcmp(KERNELS[k], "single") && (SHAPES[s].local[0] != 1 || SHAPES[s].global[0] < 4200))
        continue;
      if (is_open || (!strcmp(KERNELS[k], "line") && (SHAPES[s].global[1] > 5 || SHAPES[s].global[2] > 1)) ||
          (SHAPES[s].global[2] > 1 && is_2d)) // writes elements twice
        continue;
      memset(expected, 0x55, sizeof expected);
      memset(got, 0x55, sizeof got);
      run(&interp, theirs, KERNELS[k], &SHAPES[s], in, expected);
      run(&cpu, ours, KERNELS[k], &SHAPES[s], in, got);
      for (uint32_t i = 0; i < ROOM; i++)
        cr_assert_eq(got[i], expected[i], "%s: %s, shape %u, %s: [%u] is %u, not %u", cpu.name, KERNELS[k], s,
                     options ? options : "", i, got[i], expected[i]);
    }
  kiln_program_release(ours);
  kiln_program_release(theirs);
  machine_close(&cpu);
  machine_close(&interp);
}

// A launch that is too short for a variant counts, with those before it.
Test(cpu_flatten, short_launches_count) {
  enum { ROWS = 128, LAUNCHES = 20 }; // of 256 work-items
  struct machine m;
  machine_open(&m, "cpu", NULL);
  struct kiln_program *program = compile(&m, NULL);
  struct kiln_kernel *kernel = NULL;
  struct kiln_buffer *buffers[2] = {NULL};
  struct kiln_buffer_desc desc = {.size = ROOM * sizeof *in};
  cr_assert_eq(kiln_kernel_create(program, "halo", &kernel), KILN_OK, "%s", kiln_last_error());
  for (int i = 0; i < 2; i++)
    cr_assert_eq(kiln_buffer_create(m.ctx, &desc, &buffers[i]), KILN_OK, "%s", kiln_last_error());
  int32_t w = 2, h = ROWS;
  struct kiln_arg args[4] = {kiln_arg_buffer(buffers[0]), kiln_arg_buffer(buffers[1]), kiln_arg_value(&w, sizeof w),
                             kiln_arg_value(&h, sizeof h)};
  struct kiln_launch_desc launch = {.args = args, .arg_count = 4, .global = {2, ROWS, 1}};
  struct kiln_cache_stats stats;
  for (unsigned i = 1; i <= LAUNCHES; i++) {
    cr_assert_eq(kiln_launch(m.stream, kernel, &launch, NULL), KILN_OK, "%s", kiln_last_error());
    cr_assert_eq(kiln_stream_finish(m.stream), KILN_OK, "%s", kiln_last_error());
    kiln_context_cache_stats(m.ctx, &stats);
    cr_assert_eq(stats.compiles, i < 16 ? 1 : 2, "after %u launches", i);
  }
  for (int i = 0; i < 2; i++)
    kiln_buffer_release(buffers[i]);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  machine_close(&m);
}

Test(cpu_flatten, native) { compare(NULL, NULL, 0, 1); }
Test(cpu_flatten, native_from_the_start) { compare(NULL, "--kiln-shape=flattened", 0, 1); }
Test(cpu_flatten, large_ids) { compare(NULL, "--kiln-shape=flattened --kiln-ids=64", 0, 3); }
Test(cpu_flatten, one_lane) { compare(NULL, "--kiln-shape=flattened --kiln-lanes=1", 1, 3); }
Test(cpu_flatten, many_lanes) { compare(NULL, "--kiln-shape=flattened --kiln-lanes=64", 2, 3); }
Test(cpu_flatten, avx2) { compare("x86-64-v3", NULL, 0, 2); }
Test(cpu_flatten, sse) { compare("x86-64-v2", "--kiln-shape=flattened", 1, 2); }
