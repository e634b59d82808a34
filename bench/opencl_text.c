// The OpenCL backend against the bare driver: the same kernels, once as they are and once as Kiln prints them, built by
// the same driver and run in turns; the cost of a launch and of a warm start (a fresh process, the program from its
// binary, to the first result) through Kiln against bare calls.
//   opencl-text [ROUNDS]
#include "bench/opencl_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

#include "bench/start.h"
#include "kiln/kiln.h"

#define COUNT (1u << 22)

// All kernels have the same parameters: three arrays of COUNT floats and a size.
#define ARGS "(global float *a, global float *b, global float *c, int n)"
static const struct bench {
  const char *name, *source;
  size_t global[2], local[2];
  int n;
} benches[] = {
    {"saxpy",
     "kernel void k" ARGS " { int i = get_global_id(0); if (i < n) c[i] = 2.5f * a[i] + b[i]; }",
     {COUNT, 1},
     {256, 1},
     COUNT},
    {"mandelbrot",
     "kernel void k" ARGS " { int i = get_global_id(0), j = get_global_id(1); float x0 = i * 3.0f / n - 2.0f,\n"
     "  y0 = j * 2.0f / n - 1.0f, x = 0, y = 0; int it = 0;\n"
     "  while (x * x + y * y < 4.0f && it < 200) { float t = x * x - y * y + x0; y = 2 * x * y + y0; x = t; it++; }\n"
     "  c[j * n + i] = it; }",
     {512, 512},
     {64, 1},
     512},
    {"nbody",
     "kernel void k" ARGS " { int i = get_global_id(0); global float4 *p = (global float4 *)a; float4 me = p[i];\n"
     "  float3 f = (float3)(0); for (int j = 0; j < n; j++) { float3 d = p[j].xyz - me.xyz;\n"
     "  float r = rsqrt(dot(d, d) + 0.01f); f += d * (p[j].w * r * r * r); }\n"
     "  c[4 * i] = f.x; c[4 * i + 1] = f.y; c[4 * i + 2] = f.z; }",
     {2048, 1},
     {64, 1},
     2048},
    {"sgemm",
     "kernel void k" ARGS " { local float as[16][16], bs[16][16]; int x = get_local_id(0), y = get_local_id(1);\n"
     "  int row = get_global_id(1), col = get_global_id(0); float sum = 0;\n"
     "  for (int t = 0; t < n; t += 16) { as[y][x] = a[row * n + t + x]; bs[y][x] = b[(t + y) * n + col];\n"
     "  barrier(CLK_LOCAL_MEM_FENCE); for (int k = 0; k < 16; k++) sum += as[y][k] * bs[k][x];\n"
     "  barrier(CLK_LOCAL_MEM_FENCE); } c[row * n + col] = sum; }",
     {256, 256},
     {16, 16},
     256},
    {"reduction",
     "kernel void k" ARGS " { local float s[256]; int l = get_local_id(0); s[l] = a[get_global_id(0)];\n"
     "  barrier(CLK_LOCAL_MEM_FENCE); for (int h = 128; h > 0; h /= 2) { if (l < h) s[l] += s[l + h];\n"
     "  barrier(CLK_LOCAL_MEM_FENCE); } if (l == 0) c[get_group_id(0)] = s[0]; }",
     {COUNT / 4, 1},
     {256, 1},
     COUNT / 4},
    {"transpose",
     "kernel void k" ARGS " { local float t[16][17]; int x = get_local_id(0), y = get_local_id(1);\n"
     "  t[y][x] = a[get_global_id(1) * n + get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "  c[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = t[x][y]; }",
     {1024, 1024},
     {16, 16},
     1024},
    {"stencil",
     "kernel void k" ARGS
     " { int x = get_global_id(0), y = get_global_id(1); if (x > 0 && y > 0 && x < n - 1 && y < n - 1)\n"
     "  c[y * n + x] = 0.5f * a[y * n + x] + 0.125f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] +\n"
     "  a[(y + 1) * n + x]); }",
     {1024, 1024},
     {64, 1},
     1024},
    {"black-scholes",
     "float cnd(float d) { float k = 1 / (1 + 0.2316419f * fabs(d)); float v = 0.39894228f * exp(-0.5f * d * d) *\n"
     "  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));\n"
     "  return d > 0 ? 1 - v : v; }\n"
     "kernel void k" ARGS " { int i = get_global_id(0); float s = 5 + a[i], x = 1 + b[i], t = 0.25f;\n"
     "  float q = sqrt(t), d1 = (log(s / x) + (0.02f + 0.045f) * t) / (0.3f * q), d2 = d1 - 0.3f * q;\n"
     "  c[i] = s * cnd(d1) - x * exp(-0.02f * t) * cnd(d2); }",
     {COUNT / 8, 1},
     {256, 1},
     COUNT / 8},
    {"hash",
     "kernel void k" ARGS
     " { uint i = get_global_id(0), w[16]; for (int j = 0; j < 16; j++) w[j] = i * 2654435761u + j;\n"
     "  uint x = 0x67452301, y = 0xefcdab89; for (int r = 0; r < 64; r++) { uint t = rotate(x, 5u) + (y ^ w[r & 15]) + "
     "r;\n"
     "  w[r & 15] = rotate(w[(r + 3) & 15] ^ t, 1u); x = y; y = t; } c[i] = (x ^ y) & 0xffff; }",
     {COUNT / 16, 1},
     {256, 1},
     0},
    {"switch",
     "kernel void k" ARGS
     " { int i = get_global_id(0); float v = a[i]; for (int j = 0; j < 32; j++) switch ((i + j) & 3) {\n"
     "  case 0: v += 1; break; case 1: v *= 0.5f; case 2: if (v > 10) continue; v -= 2; break; default: v = -v; }\n"
     "  c[i] = v; }",
     {COUNT / 16, 1},
     {256, 1},
     0},
    {"division",
     "kernel void k" ARGS
     " { int i = get_global_id(0), s = 0; for (int j = 1; j < 64; j++) s += (i + j) / (j + (n & 1))\n"
     "  + (i * j) % (j + 7); c[i] = s; }",
     {COUNT / 16, 1},
     {256, 1},
     2},
    {"float-to-int",
     "kernel void k" ARGS " { int i = get_global_id(0); int s = 0; for (int j = 0; j < 16; j++) s += (int)(a[i] * j);\n"
     "  c[i] = s; }",
     {COUNT / 4, 1},
     {256, 1},
     0},
};
enum { BENCHES = sizeof benches / sizeof *benches };

// Time that other processes do not take, where the device is the processor.
static bool cpu_time;
static double now(void) {
  struct timespec t;
  clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

_Noreturn static void fail(const char *what, const char *why) {
  fprintf(stderr, "opencl-text: %s: %s\n", what, why);
  exit(1);
}

struct bare {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  cl_mem buffers[3];
};

static void open_bare(struct bare *b) {
  cl_platform_id platform;
  cl_int code;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &b->device, NULL))
    fail("OpenCL", "no device");
  b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &code);
  b->queue = clCreateCommandQueue(b->context, b->device, CL_QUEUE_PROFILING_ENABLE, &code);
  float *data = malloc(COUNT * sizeof *data);
  for (unsigned i = 0; i < COUNT; i++)
    data[i] = (float)(i % 1000) * 0.01f;
  for (int i = 0; i < 3; i++)
    b->buffers[i] = clCreateBuffer(b->context, CL_MEM_COPY_HOST_PTR, COUNT * sizeof *data, data, &code);
  free(data);
}

static cl_kernel build_bare(const struct bare *b, const char *source, int n) {
  cl_int code;
  cl_program program = clCreateProgramWithSource(b->context, 1, &source, NULL, &code);
  if (clBuildProgram(program, 1, &b->device, "-cl-std=CL1.2", NULL, NULL)) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, b->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail("build", log);
  }
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  for (cl_uint i = 0; i < 3; i++)
    clSetKernelArg(kernel, i, sizeof(cl_mem), &b->buffers[i]);
  clSetKernelArg(kernel, 3, sizeof n, &n);
  return kernel;
}

static double run_bare(const struct bare *b, cl_kernel kernel, const struct bench *bench) {
  double start = now();
  if (clEnqueueNDRangeKernel(b->queue, kernel, 2, NULL, bench->global, bench->local, 0, NULL, NULL))
    fail(bench->name, "cannot be launched");
  clFinish(b->queue);
  return now() - start;
}

static char *printed(struct kiln_context *ctx, const struct bench *bench) {
  struct kiln_program_desc desc = {.source = bench->source, .name = bench->name};
  struct kiln_program *program;
  void *text = NULL;
  size_t size;
  if (kiln_program_create(ctx, &desc, &program) || kiln_program_stage(program, "cl", &text, &size))
    fail(bench->name, kiln_last_error());
  kiln_program_release(program);
  return text;
}

static void compare_texts(const struct bare *b, int rounds) {
  struct kiln_context *ctx;
  struct kiln_context_desc desc = {.backend = "opencl", .cache_mode = "off"};
  if (kiln_context_open(&desc, &ctx))
    fail("context", kiln_last_error());
  double sum = 0, worst = 1e9;
  printf("%-14s %10s %10s %8s\n", "kernel", "source ms", "printed ms", "ratio");
  for (int i = 0; i < BENCHES; i++) {
    char *text = printed(ctx, &benches[i]);
    cl_kernel kernels[2] = {build_bare(b, benches[i].source, benches[i].n), build_bare(b, text, benches[i].n)};
    double best[2] = {1e9, 1e9};
    for (int round = -1; round < rounds; round++)
      for (int k = 0; k < 2; k++) {
        double time = run_bare(b, kernels[(k + round + 2) & 1], &benches[i]);
        int which = (k + round + 2) & 1;
        best[which] = round >= 0 && time < best[which] ? time : best[which];
      }
    double ratio = best[0] / best[1];
    printf("%-14s %10.3f %10.3f %8.3f\n", benches[i].name, best[0] * 1e3, best[1] * 1e3, ratio);
    fflush(stdout);
    sum += log(ratio);
    worst = ratio < worst ? ratio : worst;
    kiln_free(text);
  }
  printf("geometric mean %.3f, worst %.3f (above 1: the printed text is faster)\n", exp(sum / BENCHES), worst);
  if (!bench_opencl_set(b->context, b->device, b->queue, ctx, rounds, now))
    exit(1);
  kiln_context_close(ctx);
}

// ---- launches

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The best, the tenth part and the middle of each, in microseconds, and their differences.
static void show(const char *what, double *times[2], int runs, double unit) {
  for (int k = 0; k < 2; k++)
    qsort(times[k], (size_t)runs, sizeof(double), by_size);
  printf("%s, of %d:\n", what, runs);
  static const char *const names[] = {"best", "tenth part", "median"};
  int at[] = {0, runs / 10, runs / 2};
  for (int i = 0; i < 3; i++)
    printf("  %-10s  bare %9.2f, Kiln %9.2f, difference %6.2f\n", names[i], times[0][at[i]] * unit,
           times[1][at[i]] * unit, (times[1][at[i]] - times[0][at[i]]) * unit);
}

static void compare_launches(const struct bare *b) {
  enum { RUNS = 20000 };
  static double times[2][RUNS], own[2][RUNS];
  static const struct bench empty = {"empty", "kernel void k" ARGS " {}", {64, 1}, {64, 1}, 0};
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_prepared *prepared;
  struct kiln_context_desc desc = {.backend = "opencl", .cache_mode = "off"};
  struct kiln_program_desc source = {.source = empty.source};
  int n = 0;
  struct kiln_arg args[4];
  struct kiln_buffer *buffers[3];
  struct kiln_launch_desc launch = {.global = {64, 1}, .local = {64, 1}, .work_dim = 2, .arg_count = 4, .args = args};
  if (kiln_context_open(&desc, &ctx))
    fail("context", kiln_last_error());
  for (int i = 0; i < 3; i++) {
    if (kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &buffers[i]))
      fail("buffer", kiln_last_error());
    args[i] = kiln_arg_buffer(buffers[i]);
  }
  args[3] = kiln_arg_value(&n, sizeof n);
  if (kiln_stream_create(ctx, 0, &stream) || kiln_program_create(ctx, &source, &program) ||
      kiln_kernel_create(program, NULL, &kernel) || kiln_prepare(stream, kernel, &launch, &prepared))
    fail("launch", kiln_last_error());
  cl_kernel bare = build_bare(b, empty.source, 0);
  for (int i = 0; i < 2 * RUNS; i++) {
    int which = (i ^ i >> 1) & 1; // who comes first takes turns
    double start_own = thread_time(), start = now();
    if (which == 0)
      run_bare(b, bare, &empty);
    else if (kiln_run_prepared(prepared, NULL) || kiln_stream_finish(stream))
      fail("launch", kiln_last_error());
    times[which][i / 2] = now() - start;
    own[which][i / 2] = thread_time() - start_own;
  }
  show("empty launch and finish, microseconds", (double *[]){times[0], times[1]}, RUNS, 1e6);
  show("the same, time of the calling thread on the processor", (double *[]){own[0], own[1]}, RUNS, 1e6);
  for (int i = 0; i < 3; i++)
    kiln_buffer_release(buffers[i]);
  kiln_prepared_release(prepared);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
}

// ---- warm starts: a process of its own each

static float start_x[START_COUNT], start_y[START_COUNT];

static double processor_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + 1e-6 * (double)t.tv_nsec;
}

static void start_bare(const char *path) {
  static unsigned char data[1 << 20];
  const unsigned char *bytes = data;
  start_fill(start_x, start_y);
  double begin = start_now_ms(), begin_own = processor_ms();
  struct bare b;
  cl_platform_id platform;
  cl_int code;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &b.device, NULL))
    fail("OpenCL", "no device");
  b.context = clCreateContext(NULL, 1, &b.device, NULL, NULL, &code);
  b.queue = clCreateCommandQueue(b.context, b.device, CL_QUEUE_PROFILING_ENABLE, &code);
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(data, 1, sizeof data, file) : 0;
  cl_program program = clCreateProgramWithBinary(b.context, 1, &b.device, &size, &bytes, NULL, &code);
  if (code || clBuildProgram(program, 1, &b.device, "-cl-std=CL1.2", NULL, NULL))
    fail(path, "no binary of a program");
  cl_kernel kernel = clCreateKernel(program, "saxpy", &code);
  float a = 2;
  clSetKernelArg(kernel, 0, sizeof a, &a);
  float *host[] = {start_x, start_y};
  for (cl_uint i = 0; i < 2; i++) {
    b.buffers[i] = clCreateBuffer(b.context, CL_MEM_READ_WRITE, sizeof start_x, NULL, &code);
    clEnqueueWriteBuffer(b.queue, b.buffers[i], CL_FALSE, 0, sizeof start_x, host[i], 0, NULL, NULL);
    clSetKernelArg(kernel, 1 + i, sizeof(cl_mem), &b.buffers[i]);
  }
  size_t global = START_COUNT, local = 256;
  clEnqueueNDRangeKernel(b.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  clEnqueueReadBuffer(b.queue, b.buffers[1], CL_FALSE, 0, sizeof start_y, start_y, 0, NULL, NULL);
  clFinish(b.queue);
  double end = start_now_ms(), end_own = processor_ms();
  if (!start_right(start_y))
    fail("start", "a wrong result");
  printf("%.4f %.4f\n", end - begin, end_own - begin_own);
}

// binary: a path, to be written with the device's binary; NULL: only the time.
static void start_kiln(const char *cache, const char *binary) {
  start_fill(start_x, start_y);
  double begin = start_now_ms(), begin_own = processor_ms();
  struct kiln_context_desc desc = {.backend = "opencl", .arch = "0:0", .cache_dir = cache, .cache_mode = "rw"};
  struct kiln_program_desc source = {.source = start_source, .name = "saxpy.cl"};
  struct kiln_buffer_desc buffer = {.size = sizeof start_x};
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *x, *y;
  float a = 2;
  if (kiln_context_open(&desc, &ctx) || kiln_program_create(ctx, &source, &program) ||
      kiln_kernel_create(program, "saxpy", &kernel) || kiln_stream_create(ctx, 0, &stream) ||
      kiln_buffer_create(ctx, &buffer, &x) || kiln_buffer_create(ctx, &buffer, &y))
    fail("start", kiln_last_error());
  struct kiln_arg args[] = {kiln_arg_value(&a, sizeof a), kiln_arg_buffer(x), kiln_arg_buffer(y)};
  struct kiln_launch_desc launch = {.global = {START_COUNT}, .args = args, .arg_count = 3};
  if (kiln_write(stream, x, 0, start_x, sizeof start_x, NULL) ||
      kiln_write(stream, y, 0, start_y, sizeof start_y, NULL) || kiln_launch(stream, kernel, &launch, NULL) ||
      kiln_read(stream, y, 0, start_y, sizeof start_y, NULL) || kiln_stream_finish(stream))
    fail("start", kiln_last_error());
  double end = start_now_ms(), end_own = processor_ms();
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  if (!start_right(start_y) || (!binary && info.cache < KILN_CACHE_HIT_MEMORY))
    fail("start", "a wrong result, or no hit in the cache");
  void *data;
  size_t size;
  FILE *file = binary ? fopen(binary, "wb") : NULL;
  if (file && !kiln_program_stage(program, "bin", &data, &size)) {
    fwrite(data, 1, size, file);
    fclose(file);
    kiln_free(data);
  }
  printf("%.4f %.4f\n", end - begin, end_own - begin_own);
}

static void run_start(const char *self, const char *mode, const char *path, double *time, double *own) {
  char command[8192];
  snprintf(command, sizeof command, "'%s' %s '%s'", self, mode, path);
  FILE *in = popen(command, "r");
  if (!in || fscanf(in, "%lf %lf", time, own) != 2)
    fail(mode, "no time");
  pclose(in);
}

static void compare_starts(int runs) {
  enum { MAX_RUNS = 100 };
  static double times[2][MAX_RUNS], own[2][MAX_RUNS];
  char self[4096] = "", folder[] = "/tmp/kiln-opencl-text-XXXXXX", binary[64], command[64];
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !mkdtemp(folder))
    fail("start", "no folder");
  snprintf(binary, sizeof binary, "%s/binary", folder);
  runs = runs > MAX_RUNS ? MAX_RUNS : runs;
  run_start(self, "--fill", folder, &times[0][0], &own[0][0]);
  for (int i = 0; i < runs; i++) {
    run_start(self, "--start-bare", binary, &times[0][i], &own[0][i]);
    run_start(self, "--start-kiln", folder, &times[1][i], &own[1][i]);
  }
  show("warm start, fresh process, milliseconds", (double *[]){times[0], times[1]}, runs, 1);
  show("the same, time on the processor", (double *[]){own[0], own[1]}, runs, 1);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command))
    fail("start", folder);
}

int main(int argc, char **argv) {
  if (argc == 3 && strncmp(argv[1], "--", 2) == 0) {
    char binary[4096];
    snprintf(binary, sizeof binary, "%s/binary", argv[2]);
    if (strcmp(argv[1], "--start-bare") == 0)
      start_bare(argv[2]);
    else
      start_kiln(argv[2], strcmp(argv[1], "--fill") == 0 ? binary : NULL);
    return 0;
  }
  int rounds = argc > 1 ? atoi(argv[1]) : 15;
  struct bare bare;
  open_bare(&bare);
  compare_launches(&bare);
  compare_starts(2 * rounds);
  cl_device_type type = 0;
  clGetDeviceInfo(bare.device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  cpu_time = type & CL_DEVICE_TYPE_CPU;
  compare_texts(&bare, rounds);
  return 0;
}
