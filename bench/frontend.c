// kiln-bench-frontend: what the front end costs, from source text to verified IR, on programs of 60 to 40,000 lines;
// and what compiling them for the CPU costs as a whole, beside clang -O2 -x cl on the same source, where clang is
// installed (only as a peer). Times are those of the processor, the least of several runs, so that what else the
// machine does shows little.
//
// clang's own start and the reading of its header, which an empty program shows, are not counted. What is left of a
// small program is no more than the difference of two such starts: it is shown as a bound then, and no ratio.
//
//   kiln-bench-frontend [--no-cpu] [--clang PROGRAM] [--clang-limit SECONDS] [--write FOLDER] [FILE…]
//
// FILE…: programs that are compiled instead of those that are made here, such as tests/exec/apps/*.cl. --write leaves
// the programs in a folder. clang is ended behind its limit (20 s of processor time); the ratio is then a bound. Exit
// status: 0 fine, 1 a goal was missed, 3 the environment.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <kiln/kiln.h>

#include "base/str.h"
#include "jit/ir/internal.h"
#include "jit/lang/lang.h"

extern char **environ;

// ---- programs -------------------------------------------------------------------------------------------------------

static const char small_text[] =
    "#define TILE 16\n"
    "#define SQUARE(x) ((x) * (x))\n"
    "typedef struct { float4 position; float4 velocity; } body;\n"
    "constant float softening = 1e-3f;\n"
    "\n"
    "static float4 pull(float4 a, float4 b, float4 sum) {\n"
    "  float3 d = b.xyz - a.xyz;\n"
    "  float inverse = rsqrt(dot(d, d) + SQUARE(softening));\n"
    "  sum.xyz += d * (b.w * inverse * SQUARE(inverse));\n"
    "  return sum;\n"
    "}\n"
    "\n"
    "kernel void move(global const body *from, global body *to, int count, float dt) {\n"
    "  local float4 tile[TILE * TILE];\n"
    "  int id = get_global_id(0), lane = get_local_id(0);\n"
    "  float4 at = from[id].position, sum = (float4)(0.0f);\n"
    "  for (int base = 0; base < count; base += TILE * TILE) {\n"
    "    tile[lane] = from[base + lane].position;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#pragma unroll 4\n"
    "    for (int i = 0; i < TILE * TILE; i++)\n"
    "      sum = pull(at, tile[i], sum);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  float4 speed = from[id].velocity + sum * dt;\n"
    "  to[id].velocity = speed;\n"
    "  to[id].position = (float4)(at.xyz + speed.xyz * dt, at.w);\n"
    "}\n"
    "\n"
    "kernel void multiply(global const float *a, global const float *b, global float *c, int n) {\n"
    "  local float as[TILE][TILE], bs[TILE][TILE];\n"
    "  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);\n"
    "  float sum = 0.0f;\n"
    "  for (int t = 0; t < n; t += TILE) {\n"
    "    as[y][x] = a[row * n + t + x];\n"
    "    bs[y][x] = b[(t + y) * n + column];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int k = 0; k < TILE; k++)\n"
    "      sum = mad(as[y][k], bs[k][x], sum);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[row * n + column] = sum;\n"
    "}\n"
    "\n"
    "kernel void total(global const float *in, global float *out, int n, local float *parts) {\n"
    "  int lane = get_local_id(0);\n"
    "  float sum = 0.0f;\n"
    "  for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "    sum += in[i];\n"
    "  parts[lane] = sum;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {\n"
    "    if (lane < step)\n"
    "      parts[lane] += parts[lane + step];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (lane == 0)\n"
    "    out[get_group_id(0)] = parts[0];\n"
    "}\n";

static const char macros_text[] = "#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))\n"
                                  "#define F0(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))\n"
                                  "#define F1(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))\n"
                                  "#define F2(x, y, z) ((x) ^ (y) ^ (z))\n"
                                  "#define JOIN_(a, b) a##b\n"
                                  "#define JOIN(a, b) JOIN_(a, b)\n"
                                  "#define ROUND(f, a, b, c, d, e, x, k, s) \\\n"
                                  "  do { \\\n"
                                  "    e += ROTL(a, s) + JOIN(F, f)(b, c, d) + (x) + (k); \\\n"
                                  "    b = ROTL(b, 30); \\\n"
                                  "  } while (0)\n"
                                  "#define STEP(a, b, x, k, s) a += ROTL((b) ^ (x), s) + (k)\n";

// A hash program of about so many lines. heavy: each line is a round in nested macros, about 30 nodes of the tree; else
// a step of about 12.
static void write_hash(struct kiln_strbuf *out, unsigned lines, bool heavy) {
  enum { PER_FUNCTION = 250 };
  static const char names[5] = "abcde";
  kiln_strbuf_append(out, macros_text, sizeof macros_text - 1);
  unsigned functions = (lines + PER_FUNCTION - 1) / PER_FUNCTION;
  uint32_t key = 0x9e3779b9;
  for (unsigned f = 0; f < functions; f++) {
    kiln_strbuf_printf(out,
                       "static void part%u(uint *s, const uint *w) {\n"
                       "  uint a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];\n",
                       f);
    for (unsigned i = 0; i + 4 < PER_FUNCTION; i++) {
      const char *n = names;
      unsigned r = 5 - i % 5;
      char v[5];
      for (unsigned k = 0; k < 5; k++)
        v[k] = n[(r + k) % 5];
      key = key * 1664525 + 1013904223;
      if (heavy)
        kiln_strbuf_printf(out, "  ROUND(%u, %c, %c, %c, %c, %c, w[%u], 0x%08xU, %u);\n", i / 83, v[0], v[1], v[2],
                           v[3], v[4], (i * 7 + f) % 16, key, 5 + i % 11);
      else
        kiln_strbuf_printf(out, "  STEP(%c, %c, w[%u], 0x%08xU, %u);\n", v[0], v[1], (i * 7 + f) % 16, key, 5 + i % 11);
    }
    kiln_strbuf_printf(out, "  s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e;\n}\n");
  }
  kiln_strbuf_printf(out, "kernel void hash(global const uint *in, global uint *out) {\n"
                          "  uint s[5] = {1, 2, 3, 4, 5}, w[16];\n"
                          "  for (int i = 0; i < 16; i++)\n    w[i] = in[get_global_id(0) * 16 + i];\n");
  for (unsigned f = 0; f < functions; f++)
    kiln_strbuf_printf(out, "  part%u(s, w);\n", f);
  kiln_strbuf_printf(out, "  for (int i = 0; i < 5; i++)\n    out[get_global_id(0) * 5 + i] = s[i];\n}\n");
}

// One digest of a program for recovering passwords, as those are written: its constants as macros, a step macro with a
// function as an argument, a line for each of its 64 steps, loops over the blocks of a message, a kernel that compares.
static void write_digest(struct kiln_strbuf *out, unsigned number, uint32_t *key) {
  static const unsigned shifts[4] = {7, 12, 17, 22};
  static const char names[] = "FGHI";
  kiln_strbuf_printf(out, "\n// ---- digest %u\n\n", number);
  for (unsigned i = 0; i < 64; i++) {
    *key = *key * 1664525 + 1013904223;
    kiln_strbuf_printf(out, "#define D%u_C%02u 0x%08xU\n", number, i, *key);
  }
  for (unsigned i = 0; i < 16; i++)
    kiln_strbuf_printf(out, "#define D%u_S%u%u %u\n", number, i / 4, i % 4, shifts[i % 4] + i / 4);
  kiln_strbuf_printf(out,
                     "\nstatic void digest%u_block(const uint *block, uint *digest) {\n"
                     "  uint a = digest[0], b = digest[1], c = digest[2], d = digest[3];\n",
                     number);
  for (unsigned i = 0; i < 16; i++)
    kiln_strbuf_printf(out, "  const uint w%x = SWAP(block[%u]);\n", i, i);
  for (unsigned i = 0; i < 64; i++) {
    unsigned r = 4 - i % 4, word = (i * (2 * (i / 16) + 1) + number) % 16;
    if (i % 16 == 0)
      kiln_strbuf_printf(out, "\n  // round %u\n", i / 16 + 1);
    kiln_strbuf_printf(out, "  STEP(%c, %c, %c, %c, %c, w%x, D%u_C%02u, D%u_S%u%u);\n", names[i / 16], "abcd"[r % 4],
                       "abcd"[(r + 1) % 4], "abcd"[(r + 2) % 4], "abcd"[(r + 3) % 4], word, number, i, number, i / 16,
                       i % 4);
  }
  kiln_strbuf_printf(
      out,
      "\n  digest[0] += a;\n  digest[1] += b;\n  digest[2] += c;\n  digest[3] += d;\n}\n\n"
      "// A message of less than 2^29 bytes, padded here.\n"
      "static void digest%u(const uint *message, uint bytes, uint *digest) {\n"
      "  uint block[16];\n"
      "  digest[0] = 0x67452301U, digest[1] = 0xefcdab89U, digest[2] = 0x98badcfeU;\n"
      "  digest[3] = 0x10325476U;\n"
      "  for (uint at = 0; at <= bytes + 8; at += 64) {\n"
      "    for (uint i = 0; i < 16; i++) {\n"
      "      uint from = at + 4 * i;\n"
      "      block[i] = from + 4 <= bytes ? message[from / 4] : from > bytes ? 0 : PADDED(message, from, "
      "bytes);\n"
      "    }\n"
      "    if (at + 64 > bytes + 8)\n"
      "      block[14] = bytes << 3, block[15] = bytes >> 29;\n"
      "    digest%u_block(block, digest);\n"
      "  }\n"
      "}\n\n",
      number, number);
  kiln_strbuf_printf(
      out,
      "kernel void recover%u(global const word *words, global const uint *salt, constant uint4 *wanted,\n"
      "                     global uint *found, uint count, uint turns) {\n"
      "  const uint id = get_global_id(0);\n"
      "  if (id >= count)\n"
      "    return;\n"
      "  uint message[32], digest[4];\n"
      "  uint bytes = min(words[id].bytes, (uint)sizeof words[id].text);\n"
      "  for (uint i = 0; i < 16; i++)\n"
      "    message[i] = words[id].text[i];\n"
      "  for (uint i = 0; i < 4; i++)\n"
      "    message[bytes / 4 + i] ^= salt[i];\n"
      "  digest%u(message, bytes + 16, digest);\n"
      "  for (uint turn = 1; turn < turns; turn++) {\n"
      "    for (uint i = 0; i < 4; i++)\n"
      "      message[i] = digest[i];\n"
      "    digest%u(message, 16, digest);\n"
      "  }\n"
      "  const uint4 result = (uint4)(digest[0], digest[1], digest[2], digest[3]);\n"
      "  if (all(result == wanted[%u]))\n"
      "    atomic_min(&found[%u], id);\n"
      "}\n",
      number, number, number, number, number);
}

static const char digest_text[] =
    "// Many digests of many words.\n"
    "#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))\n"
    "#define G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))\n"
    "#define H(x, y, z) ((x) ^ (y) ^ (z))\n"
    "#define I(x, y, z) ((y) ^ ((x) | ~(z)))\n"
    "#define SWAP(x) ((rotate((x) & 0xff00ff00U, 24U) | rotate((x) & 0x00ff00ffU, 8U)) & KEEP)\n"
    "#define KEEP 0xffffffffU\n"
    "#define PADDED(text, at, end) \\\n"
    "  (((text)[(at) / 4] & ~(0xffffffffU << (((end) - (at)) * 8))) | (0x80U << (((end) - (at)) * 8)))\n"
    "#define STEP(f, a, b, c, d, x, k, s) \\\n"
    "  { \\\n"
    "    a += f(b, c, d) + (x) + (k); \\\n"
    "    a = rotate(a, (uint)(s)) + b; \\\n"
    "  }\n"
    "\n"
    "typedef struct {\n"
    "  uint bytes;\n"
    "  uint text[16];\n"
    "} word;\n";

static void write_digests(struct kiln_strbuf *out, unsigned lines) {
  enum { PER_DIGEST = 216 };
  uint32_t key = 0x9e3779b9;
  kiln_strbuf_append(out, digest_text, sizeof digest_text - 1);
  for (unsigned i = 0; i < (lines + PER_DIGEST / 2) / PER_DIGEST; i++)
    write_digest(out, i, &key);
}

enum style { SMALL, STEPS, ROUNDS, DIGESTS };

struct program {
  const char *name, *file;
  enum style style;
  unsigned lines;
  double goal_ms; // of the front end
  unsigned runs, cpu_runs;
};

static const struct program programs[] = {
    {"60 lines", "60.cl", SMALL, 60, 0.3, 200, 5},
    {"3,000 lines, digests", "3000-digests.cl", DIGESTS, 3000, 5, 100, 2},
    {"3,000 lines, macros", "3000-macros.cl", ROUNDS, 3000, 10, 60, 2},
    {"10,000 lines", "10000.cl", STEPS, 10000, 75, 15, 1},
    {"20,000 lines", "20000.cl", STEPS, 20000, 150, 9, 1},
    {"40,000 lines", "40000.cl", STEPS, 40000, 300, 7, 1},
    {"80,000 lines", "80000.cl", STEPS, 80000, 600, 5, 1},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static void write_program(struct kiln_strbuf *out, const struct program *program) {
  switch (program->style) {
  case SMALL:
    kiln_strbuf_append(out, small_text, sizeof small_text - 1);
    break;
  case STEPS:
  case ROUNDS:
    write_hash(out, program->lines, program->style == ROUNDS);
    break;
  case DIGESTS:
    write_digests(out, program->lines);
    break;
  }
}

// ---- measuring ------------------------------------------------------------------------------------------------------

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct result {
  double front_ms, cpu_ms, clang_ms; // 0: not measured
  bool clang_ended;                  // it would have taken longer
  bool clang_noise;                  // it took less than can be told: clang_ms is the bound
  uint64_t instructions;             // of the IR
  long memory_kib;                   // that the front end adds to the process at most
};

static const struct kiln_lang_options lang_options = {
    .fp_flags = KILN_FP_CONTRACT, .fp64 = true, .fp16 = true, .int64_atomics = true, .inline_math = true, .fma = true};

// Source to verified IR, once. False: it failed, which was reported.
static bool run_front_end(const char *text, size_t size, struct kiln_arena_pool *pool, struct result *result) {
  struct kiln_lang_input input = {
      .source = text, .size = size, .name = "bench.cl", .options = lang_options, .pool = pool};
  struct kiln_lang_output out;
  double begin = cpu_ms();
  enum kiln_status status = kiln_lang_compile(&input, &out);
  double ms = cpu_ms() - begin;
  if (status != KILN_OK)
    fprintf(stderr, "kiln-bench-frontend: %s\n", out.log ? out.log : "the front end failed");
  result->instructions = 0;
  for (uint32_t i = 0; out.module && i < out.module->function_count; i++)
    result->instructions += out.module->functions[i]->inst_count;
  if (result->front_ms == 0 || ms < result->front_ms)
    result->front_ms = ms;
  kiln_module_free(out.module);
  kiln_lang_output_free(&out);
  return status == KILN_OK;
}

// The most memory that one run adds, seen in a child process.
static long front_end_memory(const char *text, size_t size) {
  int ends[2];
  long kib = 0;
  if (pipe(ends))
    return 0;
  pid_t child = fork();
  if (child == 0) {
    struct rusage before, after;
    struct result unused = {0};
    getrusage(RUSAGE_SELF, &before);
    run_front_end(text, size, NULL, &unused);
    getrusage(RUSAGE_SELF, &after);
    kib = after.ru_maxrss - before.ru_maxrss;
    _exit(write(ends[1], &kib, sizeof kib) == sizeof kib ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &kib, sizeof kib) != sizeof kib)
    kib = 0;
  close(ends[0]);
  if (child > 0)
    waitpid(child, NULL, 0);
  return kib;
}

static double compile_cpu(const char *text, size_t size) {
  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_program_desc desc = {.source = text, .size = size};
  if (kiln_context_open(&(struct kiln_context_desc){.backend = "cpu", .cache_mode = "off"}, &context) != KILN_OK) {
    fprintf(stderr, "kiln-bench-frontend: %s\n", kiln_last_error());
    exit(3);
  }
  double begin = cpu_ms();
  enum kiln_status status = kiln_program_create(context, &desc, &program);
  double ms = cpu_ms() - begin;
  if (status != KILN_OK)
    fprintf(stderr, "kiln-bench-frontend: %s\n", kiln_last_error());
  else
    kiln_program_release(program);
  kiln_context_close(context);
  return status == KILN_OK ? ms : 0;
}

// Processor time of clang on a file; 0: it is not there, or failed. ended: it was ended behind the limit.
static double run_clang(const char *clang, const char *path, unsigned limit_s, bool *ended) {
  char *const argv[] = {(char *)clang,   "-O2", "-x", "cl", "-cl-std=CL1.2", "-Xclang",    "-finclude-default-header",
                        "-march=native", "-w",  "-c", "-o", "/dev/null",     (char *)path, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int status = -1;
  struct rusage usage = {0};
  if (!posix_spawnp(&child, clang, &actions, NULL, argv, environ)) {
    prlimit(child, RLIMIT_CPU, &(struct rlimit){limit_s, limit_s + 1}, NULL);
    wait4(child, &status, 0, &usage);
  }
  posix_spawn_file_actions_destroy(&actions);
  double ms = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
              (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
  *ended = status && ms >= limit_s * 1e3 - 100;
  return status && !*ended ? 0 : ms;
}

static bool write_file(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "w");
  bool good = file && fwrite(text, 1, size, file) == size;
  if (file && fclose(file))
    good = false;
  if (!good)
    fprintf(stderr, "kiln-bench-frontend: cannot write '%s': %s\n", path, strerror(errno));
  return good;
}

struct settings {
  const char *clang, *folder;
  unsigned clang_limit_s;
  bool cpu;
};

// What clang takes for nothing at all: its own start and header. noise: by how much that varies.
struct clang_start {
  double least_ms, noise_ms;
};

// One run of both compilers.
static bool compile_once(const struct settings *settings, const char *path, const char *text, size_t size,
                         struct clang_start start, struct result *result) {
  bool first = result->cpu_ms == 0;
  double kiln = compile_cpu(text, size);
  if (first || kiln < result->cpu_ms)
    result->cpu_ms = kiln;
  if (!settings->clang || result->clang_ended)
    return kiln > 0;
  double clang = run_clang(settings->clang, path, settings->clang_limit_s, &result->clang_ended);
  if (clang == 0) // it failed
    return kiln > 0;
  clang -= start.least_ms;
  if (first || result->clang_ms == 0 || clang < result->clang_ms) {
    result->clang_noise = clang < start.noise_ms;
    result->clang_ms = result->clang_noise ? start.noise_ms : clang;
  }
  return kiln > 0;
}

static bool measure(const struct program *program, const struct settings *settings, struct clang_start start,
                    struct result *result) {
  struct kiln_strbuf text = {0};
  write_program(&text, program);
  const char *source = text.data;
  char path[600];
  snprintf(path, sizeof path, "%s/%s", settings->folder, program->file);
  bool good = write_file(path, source, text.size);
  result->memory_kib = front_end_memory(source, text.size);
  struct kiln_arena_pool pool; // as a context has one
  kiln_arena_pool_init(&pool);
  for (unsigned i = 0; i < program->runs && good; i++)
    good = run_front_end(source, text.size, &pool, result);
  kiln_arena_pool_free(&pool);
  for (unsigned i = 0; i < program->cpu_runs && good && settings->cpu; i++)
    good = compile_once(settings, path, source, text.size, start, result);
  kiln_strbuf_free(&text);
  return good;
}

#define FILE_RUNS 5

// A program of somebody else's.
static bool measure_file(const char *path, const struct settings *settings, struct clang_start start,
                         struct result *result) {
  static char text[1 << 20];
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  bool good = file && !ferror(file) && size + 1 < sizeof text;
  if (!good)
    fprintf(stderr, "kiln-bench-frontend: cannot read '%s'\n", path);
  if (file)
    fclose(file);
  text[size] = 0;
  struct kiln_arena_pool pool; // as a context has one
  kiln_arena_pool_init(&pool);
  for (unsigned i = 0; i < FILE_RUNS && good; i++)
    good = run_front_end(text, size, &pool, result);
  kiln_arena_pool_free(&pool);
  for (unsigned i = 0; i < FILE_RUNS && good && settings->cpu; i++)
    good = compile_once(settings, path, text, size, start, result);
  return good;
}

// Whether the whole compile took longer than clang's.
static bool print_row(const char *name, const struct result *r) {
  printf("%-26s %8.3f ms %8llu ops %6ld KiB %9.1f ms", name, r->front_ms, (unsigned long long)r->instructions,
         r->memory_kib, r->cpu_ms);
  bool slower = r->clang_ms > 0 && r->cpu_ms > r->clang_ms && !r->clang_noise;
  if (r->clang_noise && r->cpu_ms > 0)
    printf(" <%9.1f ms %7s", r->clang_ms, "noise");
  else if (r->clang_ms > 0 && r->cpu_ms > 0)
    printf(" %1s%9.1f ms %1s%6.2f", r->clang_ended ? ">" : "", r->clang_ms, r->clang_ended ? "<" : "",
           r->cpu_ms / r->clang_ms);
  return slower;
}

static bool parse(int argc, char **argv, struct settings *out) {
  static const struct option options[] = {{"no-cpu", 0, NULL, 'n'},
                                          {"clang", 1, NULL, 'c'},
                                          {"write", 1, NULL, 'w'},
                                          {"clang-limit", 1, NULL, 'l'},
                                          {NULL, 0, NULL, 0}};
  *out = (struct settings){.clang = "clang", .clang_limit_s = 20, .cpu = true};
  for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (c == 'n')
      out->cpu = false;
    else if (c == 'c')
      out->clang = optarg;
    else if (c == 'w')
      out->folder = optarg;
    else if (c == 'l' && atoi(optarg) > 0)
      out->clang_limit_s = (unsigned)atoi(optarg);
    else
      return false;
  }
  return true;
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The noise is the distance of the median from the least of several runs, and at least a hundredth of that.
static struct clang_start measure_start(const struct settings *settings, const char *empty) {
  enum { RUNS = 9 };
  double ms[RUNS];
  for (int i = 0; i < RUNS; i++) {
    bool ended;
    ms[i] = run_clang(settings->clang, empty, settings->clang_limit_s, &ended);
  }
  qsort(ms, RUNS, sizeof *ms, compare_times);
  double noise = ms[RUNS / 2] - ms[0], least = ms[0] / 100;
  return (struct clang_start){ms[0], noise > least ? noise : least};
}

int main(int argc, char **argv) {
  struct settings settings;
  char folder[] = "/tmp/kiln-frontend-XXXXXX", empty[64];
  if (!parse(argc, argv, &settings)) {
    fprintf(stderr, "usage: kiln-bench-frontend [--no-cpu] [--clang PROGRAM] [--clang-limit SECONDS] [--write FOLDER] "
                    "[FILE]...\n");
    return 2;
  }
  if (!mkdtemp(folder))
    return 3;
  bool keep = settings.folder;
  if (!keep)
    settings.folder = folder;
  snprintf(empty, sizeof empty, "%s/empty.cl", folder);
  struct clang_start start = {0};
  if (settings.cpu && write_file(empty, "kernel void empty(void) {}\n", 27)) {
    start = measure_start(&settings, empty);
    unlink(empty);
  }
  if (start.least_ms == 0)
    settings.clang = NULL;
  if (settings.cpu)
    compile_cpu("kernel void empty(void) {}\n", 27); // the code generator's own start, likewise
  printf("%-26s %11s %12s %10s %12s %13s %7s\n", "program", "front end", "IR", "memory", "cpu compile", "clang -O2",
         "ratio");
  int status = 0;
  for (int i = optind; i < argc; i++) {
    struct result r = {0};
    if (!measure_file(argv[i], &settings, start, &r))
      return 3;
    const char *name = strrchr(argv[i], '/');
    bool slower = print_row(name ? name + 1 : argv[i], &r);
    printf("%s\n", slower ? "  SLOWER" : "");
    fflush(stdout);
    status |= slower;
  }
  for (int i = 0; i < PROGRAM_COUNT && optind == argc; i++) {
    struct result r = {0};
    if (!measure(&programs[i], &settings, start, &r))
      return 3;
    bool slower = print_row(programs[i].name, &r), missed = r.front_ms > programs[i].goal_ms;
    if (missed)
      printf("  MISSED: front end at most %g ms", programs[i].goal_ms);
    printf("%s\n", slower ? "  SLOWER" : "");
    fflush(stdout);
    status |= missed || slower;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, programs[i].file);
    unlink(path);
  }
  rmdir(folder);
  return status;
}
