// A host that rounds in another way, flushes subnormal numbers, has less precision or unmasks exceptions: kernels are
// compiled to the same constants and compute the same bits, on its threads and on Kiln's; no signal is raised; and the
// host finds its own state again after each call. Each state is a process of its own, since threads inherit theirs.
#include <fenv.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/api/api_test.h"

#define ITEMS 4096 // for which the pool's threads are needed
#define RESULTS 24 // per work-item
#define EXACT 13   // of them, and
#define DOUBLES 7  // these are what the test computes, too

static const char source[] =
    "constant float table[3] = {1.0f / 3.0f, 1e-45f, 1.0f + 5.9604645e-8f};\n"
    "kernel void f(global float *all, float one, float tiny, int large) {\n"
    "  size_t i = get_global_id(0);\n"
    "  global float *o = all + i * 24;\n"
    "  o[0] = 0.1f; o[1] = 0.1f + 0.2f; o[2] = 1.0f / 3.0f; o[3] = 1e-40f * 0.5f; o[4] = table[0]; o[5] = table[1];\n"
    "  o[6] = table[2]; o[7] = (float)16777217; o[8] = 3.4028235e38f * 1.0000001f; o[9] = one / 3.0f;\n"
    "  o[10] = tiny * 0.5f; o[11] = tiny + tiny; o[12] = (float)large;\n"
    "  o[13] = one * 0.1f + 0.2f; o[14] = sqrt(2.0f); o[15] = exp(1.0f); o[16] = sin(1.0f); o[17] = pow(2.0f, 0.5f);\n"
    "  o[18] = tgamma(3.5f); o[19] = sqrt(one + one); o[20] = exp(one); o[21] = rint(one * 2.5f);\n"
    "  o[22] = convert_float_rtp(large); o[23] = one / (float)(i & 1) + log(one - one);\n"
    "}\n";
static const char double_source[] =
    "constant double table[2] = {1.0 / 3.0, 4.9406564584124654e-324};\n"
    "kernel void d(global double *o, double one, long large) {\n"
    "  o[0] = 0.1; o[1] = 0.1 + 0.2; o[2] = table[0]; o[3] = table[1]; o[4] = one / 3.0; o[5] = (double)large;\n"
    "  o[6] = table[1] * one;\n"
    "}\n";

static struct results {
  float floats[ITEMS][RESULTS];
  double doubles[DOUBLES];
  bool has_doubles;
} * results; // of the process that ran last

// ---- states ---------------------------------------------------------------------------------------------------------

static void flush_subnormals(void) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | 1 << 24));
#endif
}

static void round_short(void) {
#if defined(__x86_64__)
  uint16_t control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  control &= (uint16_t)~0x300; // 24 bits
  __asm__ volatile("fldcw %0" ::"m"(control));
#endif
}

static void round_up(void) { fesetround(FE_UPWARD); }
static void round_down(void) { fesetround(FE_DOWNWARD); }
static void round_to_zero(void) { fesetround(FE_TOWARDZERO); }
static void unmask_serious(void) { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }
static void unmask_all(void) { feenableexcept(FE_ALL_EXCEPT); }
static void all_at_once(void) {
  round_up();
  flush_subnormals();
  round_short();
  unmask_all();
}
static void as_it_is(void) {}

static const struct {
  const char *name;
  void (*enter)(void);
} states[] = {{"C's default", as_it_is},
              {"upward", round_up},
              {"downward", round_down},
              {"towards zero", round_to_zero},
              {"subnormals flushed", flush_subnormals},
              {"x87 with 24 bits", round_short},
              {"serious exceptions unmasked", unmask_serious},
              {"all exceptions unmasked", unmask_all},
              {"all of it", all_at_once}};
#define STATES (sizeof states / sizeof *states)

// What a host can see of its state, flags included.
struct state {
  uint64_t control, flags;
};

static struct state look(void) {
  struct state s = {0, 0};
#if defined(__x86_64__)
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  s.control = __builtin_ia32_stmxcsr();
  s.flags = x87;
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, fpcr" : "=r"(s.control));
  __asm__ volatile("mrs %0, fpsr" : "=r"(s.flags));
#endif
  return s;
}

static struct state begin; // after the process has entered its state

static void expect_state(const char *after) {
  struct state now = look();
  EXPECT(memcmp(&now, &begin, sizeof now) == 0, "after %s: %llx, %llx", after, (unsigned long long)now.control,
         (unsigned long long)now.flags);
}

// ---- one process ----------------------------------------------------------------------------------------------------

static void run(const char *text, struct kiln_arg *args, uint32_t count, size_t items, void *out, size_t size) {
  struct kiln_program_desc program_desc = {.source = text, .options = "-cl-fp32-correctly-rounded-divide-sqrt"};
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  FINE(kiln_program_create(ctx, &program_desc, &program));
  expect_state("kiln_program_create");
  FINE(kiln_kernel_create(program, NULL, &kernel));
  struct kiln_buffer *buffer = api_buffer(size, NULL);
  args[0] = kiln_arg_buffer(buffer);
  struct kiln_launch_desc desc = {.global = {items}, .args = args, .arg_count = count};
  struct kiln_prepared *prepared;
  FINE(kiln_launch(stream, kernel, &desc, NULL));
  expect_state("kiln_launch");
  FINE(kiln_prepare(stream, kernel, &desc, &prepared));
  FINE(kiln_run_prepared(prepared, NULL));
  FINE(kiln_read(stream, buffer, 0, out, size, NULL));
  FINE(kiln_stream_finish(stream));
  expect_state("kiln_stream_finish");
  kiln_prepared_release(prepared);
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

static void run_both(void) {
  const uint32_t tiny_bits = 0x000116c2;
  float one = 1, tiny;
  double wide = 1;
  int32_t large = 16777217;
  int64_t larger = 9007199254740993;
  memcpy(&tiny, &tiny_bits, sizeof tiny);
  struct kiln_arg args[] = {{0}, kiln_arg_value(&one, 4), kiln_arg_value(&tiny, 4), kiln_arg_value(&large, 4)};
  struct kiln_arg wide_args[] = {{0}, kiln_arg_value(&wide, 8), kiln_arg_value(&larger, 8)};
  run(source, args, 4, ITEMS, results->floats, sizeof results->floats);
  if (results->has_doubles)
    run(double_source, wide_args, 3, 1, results->doubles, sizeof results->doubles);
}

static void open_device(int argc, char **argv) {
  api_open(argc, argv);
  struct kiln_device_traits traits;
  FINE(kiln_device_traits(ctx, 0, &traits));
  results->has_doubles = traits.double_flags != 0;
}

static void close_device(void) {
  struct kiln_context_stats stats;
  struct kiln_cache_stats cache;
  kiln_context_stats(ctx, &stats);
  kiln_context_cache_stats(ctx, &cache);
  api_close();
  expect_state("kiln_context_close");
}

static void in_state(int argc, char **argv) {
  open_device(argc, argv);
  expect_state("kiln_context_open");
  run_both();
  close_device();
}

// Kiln's threads run when the host enters its state.
static void in_late_state(int argc, char **argv) {
  open_device(argc, argv);
  run_both();
  memset(results->floats, 0, sizeof results->floats);
  memset(results->doubles, 0, sizeof results->doubles);
  all_at_once();
  begin = look();
  run_both();
  close_device();
}

static unsigned prints;

static void print(void *user, const char *text, size_t size) {
  (void)user;
  EXPECT(fegetround() == FE_TONEAREST && fegetexcept() == 0, "the print callback has the host's state");
  EXPECT(size >= 8 && memcmp(text, "1.0e-40\n", 8) == 0, "'%.*s'", (int)size, text);
  fesetround(FE_UPWARD); // as no callback should leave it
  flush_subnormals();
  __atomic_add_fetch(&prints, 1, __ATOMIC_RELAXED);
}

static void disturb(void *user) {
  (void)user;
  fesetround(FE_UPWARD);
  flush_subnormals();
}

// What callbacks change is changed for no kernel.
static void with_callbacks(int argc, char **argv) {
  open_device(argc, argv);
  api_close();
  FINE(kiln_context_open(&(struct kiln_context_desc){.backend = backend, .print = print}, &ctx));
  FINE(kiln_stream_create(ctx, 0, &stream));
  struct kiln_kernel *kernel = api_kernel("kernel void p(float x) { printf(\"%.1e\\n\", x); }");
  float tiny = 1e-40f;
  struct kiln_arg arg = kiln_arg_value(&tiny, sizeof tiny);
  struct kiln_launch_desc desc = {.global = {64}, .local = {1}, .args = &arg, .arg_count = 1};
  FINE(kiln_launch(stream, kernel, &desc, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(prints, "nothing was printed");
  expect_state("a kernel that prints");
  FINE(kiln_stream_host(stream, disturb, NULL, NULL));
  run_both();
  kiln_kernel_release(kernel);
  api_close();
}

// The exit status of a process in which a test ran.
static int in_process(void (*enter)(void), void (*test)(int, char **), int argc, char **argv) {
  pid_t pid = fork();
  EXPECT(pid >= 0, "fork");
  if (pid == 0) {
    feclearexcept(FE_ALL_EXCEPT);
    enter();
    begin = look();
    test(argc, argv);
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(pid, &status, 0) == pid, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- what is right --------------------------------------------------------------------------------------------------

static void check_right(void) {
  volatile float tenth = 0.1f, fifth = 0.2f, one = 1, three = 3, half = 0.5f, tiny = 1e-40f, most = 3.4028235e38f;
  volatile float above = 1.0000001f, large = 16777216;
  volatile double wide_tenth = 0.1, wide_fifth = 0.2, wide_one = 1, wide_three = 3;
  const uint32_t bits = 0x000116c2;
  float given;
  memcpy(&given, &bits, sizeof given);
  const float want[EXACT] = {tenth, tenth + fifth, one / three, tiny * half,  one / three,   1e-45f, 1.0f,
                             large, most * above,  one / three, given * half, given + given, large};
  const double wide[DOUBLES] = {
      wide_tenth, wide_tenth + wide_fifth, wide_one / wide_three, 0x1p-1074, wide_one / wide_three, 0x1p53, 0x1p-1074};
  for (int i = 0; i < EXACT; i++)
    EXPECT(memcmp(&results->floats[0][i], &want[i], sizeof(float)) == 0, "result %d is %a instead of %a", i,
           (double)results->floats[0][i], (double)want[i]);
  for (int i = 0; i < DOUBLES && results->has_doubles; i++)
    EXPECT(memcmp(&results->doubles[i], &wide[i], sizeof(double)) == 0, "double %d is %a instead of %a", i,
           results->doubles[i], wide[i]);
}

int main(int argc, char **argv) {
  results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct results *right = calloc(1, sizeof *right);
  EXPECT(results != MAP_FAILED && right, "memory");
  for (size_t i = 0; i < STATES; i++) {
    int code = in_process(states[i].enter, in_state, argc, argv);
    if (code == 77)
      return 77;
    EXPECT(code == 0, "%s: status %d", states[i].name, code);
    if (i == 0) {
      check_right();
      *right = *results;
    }
    EXPECT(memcmp(results, right, sizeof *right) == 0, "%s: other results", states[i].name);
  }
  memset(results, 0, sizeof *results);
  int code = in_process(as_it_is, in_late_state, argc, argv);
  EXPECT(code == 0 && memcmp(results, right, sizeof *right) == 0, "late: status %d", code);
  memset(results, 0, sizeof *results);
  code = in_process(all_at_once, with_callbacks, argc, argv);
  EXPECT(code == 0 && memcmp(results, right, sizeof *right) == 0, "callbacks: status %d", code);
  munmap(results, sizeof *results);
  free(right);
  return 0;
}
