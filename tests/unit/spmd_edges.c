// Many lanes against the interpreter where it is easy to be wrong: numbers that wrap inside of a warp, lanes that are
// off, ends of rows. Every kernel runs at every width, with local sizes that divide a warp and that do not.
#include "cpu_test.h"

#define COUNT 203 // elements: no multiple of anything
#define ROOM (COUNT + 128)

struct edge {
  const char *name, *body;
  uint64_t offset;
  bool has_barrier;
};

#define HEAD "kernel void k(global const int *x, global int *out, global int *sum) {\n"

static const struct edge edges[] = {
    {"unsigned index below zero in lane 0", HEAD "uint i = get_global_id(0); out[i] = i > 0 ? x[i - 1] : 7; }", 0, 0},
    {"unsigned index three back", HEAD "uint i = get_global_id(0); if (i >= 3) out[i] = x[i - 3]; }", 0, 0},
    {"unsigned index ahead",
     HEAD "uint i = get_global_id(0), n = get_global_size(0); out[i] = i + 1 < n ? x[i + 1] : 9; }", 0, 0},
    {"backwards", HEAD "uint i = get_global_id(0), n = get_global_size(0); out[i] = x[n - 1 - i]; }", 0, 0},
    {"backwards beyond zero",
     HEAD "uint i = get_global_id(0); uint j = 100u - i; if (j < 101u) out[i] = x[j]; else out[i] = -1; }", 0, 0},
    {"bytes wrap", HEAD "uchar i = get_global_id(0) * 3; out[get_global_id(0)] = x[i & 127] + i + x[i >> 1]; }", 0, 0},
    {"shorts wrap", HEAD "short i = get_global_id(0) * 400; out[get_global_id(0)] = i; }", 0, 0},
    {"int at 2^31",
     HEAD "long t = (int)get_global_id(0); int o = get_global_id(0) - get_global_offset(0);\n"
          "if (t < 0) out[o] = x[t + 2147483648L]; else out[o] = x[t - 2147483647L + 60]; }",
     2147483648u - 37, 0},
    {"uint at 2^32",
     HEAD "ulong t = (uint)get_global_id(0); int o = get_global_id(0) - get_global_offset(0);\n"
          "if (t < 1000) out[o] = x[t]; else out[o] = x[t - 4294967295UL + 60]; }",
     4294967296u - 37, 0},
    {"stores at 2^32",
     HEAD "uint t = get_global_id(0); ulong o = t; if (t > 1000u) o = o - 4294967295UL + 300; out[o] = t; }",
     4294967296u - 21, 0},
    {"clamped to both ends",
     HEAD "int i = get_global_id(0), n = get_global_size(0), s = 0;\n"
          "for (int d = -3; d <= 3; d++) s = s * 3 + x[clamp(i + d, 0, n - 1)]; out[i] = s; }",
     0, 0},
    {"clamped, unsigned and backwards",
     HEAD
     "uint i = get_global_id(0), n = get_global_size(0); out[i] = x[min(i + 5u, n - 1)] - x[max(n - 1 - i, 40u)] +\n"
     "3 * x[min(i * 2, 130u)] + 7 * x[min(i - 2u, n)]; }",
     0, 0},
    {"clamped where it wraps",
     HEAD "int t = get_global_id(0); int o = get_global_id(0) - get_global_offset(0);\n"
          "long u = max(t, -2147483640), v = min(t, 2147483640); out[o] = (int)(u >> 8) ^ (int)v ^ x[(u - v) & 63]; }",
     2147483648u - 37, 0},
    {"clamped shorts",
     HEAD "short i = get_global_id(0) * 300; short j = max(i, (short)-5), k = min(i, (short)9000);\n"
          "out[get_global_id(0)] = x[j & 127] + j * 3 + k; }",
     0, 0},
    {"clamped in 64 bits",
     HEAD "size_t i = get_global_id(0), n = get_global_size(0); out[i] = x[min(i + 9, n - 1)] - x[max(i, (size_t)70) - "
          "70]; }",
     0, 0},
    {"a pointer that moves on",
     HEAD "int i = get_global_id(0), s = 0; global const int *p = x + i; for (int k = 0; k < (x[0] & 3) + 20; k++)\n"
          "{ s = s * 5 + *p; p += k & 1; } out[i] = s; }",
     0, 0},
    {"an index that may wrap, from a counter",
     HEAD "uint i = get_global_id(0); int s = 0; for (uint k = 0; k < (x[0] & 7u) + 9u; k++) { uint j = i - k;\n"
          "if (j < 500u) s += x[j] * (int)(k + 1); } out[i] = s; }",
     0, 0},
    {"bytes and shorts anywhere",
     HEAD "int i = get_global_id(0); global const uchar *b = (global const uchar *)x; global const short *h =\n"
          "(global const short *)x; int j = x[i] * 4; uchar4 v = vload4(x[i], b); short2 w = vload2(x[i], h);\n"
          "int s = b[j] + h[x[i] * 2] * 3 + v.x + v.y * 2 + w.x; if (x[i] & 1) s += b[j + 1] + h[x[i]]; out[i] = s; }",
     0, 0},
    {"an array that unrolling makes values",
     HEAD "int i = get_global_id(0), a[16]; for (int k = 0; k < 16; k++) a[k] = x[i] * k + i;\n"
          "for (int k = 0; k < 40; k++) { if (k == (x[i] & 63)) break; a[k & 15] += a[(k + 3) & 15] ^ k; }\n"
          "int s = 0; for (int k = 15; k >= 0; k -= 3) s = s * 7 + a[k]; out[i] = s; }",
     0, 0},
    {"lanes that leave together and alone",
     HEAD "int i = get_global_id(0), s = x[i], k = 0, n = x[0] & 15; while (k < n && s < 900) { s += s & 31; k++; }\n"
          "for (int j = 0;; j++) { if (j == n || (s & 3) == 3) break; s = s * 5 + j; } out[i] = s + k; }",
     0, 0},
    {"borders",
     HEAD
     "int i = get_global_id(0), n = get_global_size(0); if (i == 0 || i == n - 1 || i == 70) { out[i] = -x[i]; return; "
     "}\n"
     "int s = i < 37 ? x[i - 1] : x[i + 1]; if (i != 130) s += x[i]; if (n - i > 20 && i >= 3) s *= 3; out[i] = s; }",
     0, 0},
    {"borders in 64 bits and unsigned",
     HEAD "size_t i = get_global_id(0), n = get_global_size(0); uint u = i; if (i >= n - 40 || u - 50u < 9u) return;\n"
          "out[i] = u * 2 > 300u ? x[i + 2] : x[100u > u ? 100u - u : u]; }",
     0, 0},
    {"comparisons where it wraps",
     HEAD
     "int t = get_global_id(0), o = get_global_id(0) - get_global_offset(0); out[o] = 1; if (t > 2147483000)\n"
     "out[o] += 4; if (t < -2147483640) out[o] += 8; if ((uint)t > 2147483650u) out[o] += 16; if (t == 2147483647)\n"
     "out[o] += 32; if ((short)t < -3) out[o] += 64; if ((uchar)(t * 2) >= 250) out[o] += 128; }",
     2147483648u - 37, 0},
    {"loops inside of borders",
     HEAD "int i = get_global_id(0), n = get_global_size(0), s = 0; if (i < n - 3) { int k = 0;\n"
          "if (i >= 16) k = 2; for (; k < (x[i] & 15); k++) { s += x[i + (k & 3)]; if (i < 64 && s > 300) break; } }\n"
          "else s = i; out[i] = s; }",
     0, 0},
    {"uniform load that no lane may do",
     HEAD "int i = get_global_id(0); global const int *p = (global const int *)(ulong)(x[0] & 0);\n"
          "if (x[i] == 123456789) out[i] = *p; else out[i] = 1; }",
     0, 0},
    {"uniform store of the last lane", HEAD "int i = get_global_id(0); if (i == 77) sum[0] = i; out[i] = 0; }", 0, 0},
    {"division by zero in lanes that are off",
     HEAD "int i = get_global_id(0), d = x[i] % 5; if (d) out[i] = 1000 / d + 1000 % d; else out[i] = -5; }", 0, 0},
    {"division of everything",
     HEAD "int i = get_global_id(0), d = x[i] % 7; long q = (long)i * 1000003 / (d | 1); short s = (short)(i * 99) / "
          "(short)(d ? d : 3);\n"
          "uint u = (uint)(i - 50) / (uint)(d + 9), r = (uint)(i - 50) % (uint)(d + 9); char c = (char)i / "
          "(char)(d ? d : 1);\n"
          "out[i] = q ^ s ^ u ^ (r << 3) ^ c; }",
     0, 0},
    {"loop of different lengths",
     HEAD "int i = get_global_id(0), s = 0; for (int k = 0; k < (x[i] & 31); k++) s += x[k] ^ k; out[i] = s; }", 0, 0},
    {"break and continue",
     HEAD "int i = get_global_id(0), s = 0;\n"
          "for (int k = 0; k < 40; k++) { if ((x[i] + k) % 3 == 0) continue; if (s > x[i] + 60) break; s += k; }\n"
          "out[i] = s; }",
     0, 0},
    {"nested loops with early return",
     HEAD "int i = get_global_id(0), s = 0;\n"
          "for (int k = 0; k < 9; k++) { int m = 0; while (1) { m++; if (m > (x[i] & 7)) break; s += m * k;\n"
          "if (s > 150) { out[i] = -s; return; } } if (k > (i & 7)) break; }\n"
          "out[i] = s; }",
     0, 0},
    {"switch with fall-through in a loop",
     HEAD "int i = get_global_id(0), s = 0;\n"
          "for (int k = 0; k < 12; k++) switch ((x[i] + k) & 7) { case 1: s += 3; case 2: s += 5; break; case 4: "
          "continue;\n"
          "case 6: if (s > 40) { out[i] = s + 1000; return; } s *= 2; break; default: s++; }\n"
          "out[i] = s; }",
     0, 0},
    {"uniform branch around divergent return",
     HEAD "int i = get_global_id(0); if (x[0] != 12345) { if (x[i] & 1) { out[i] = 3; return; } } out[i] = x[i]; }", 0,
     0},
    {"private array",
     HEAD "int i = get_global_id(0), a[8]; for (int k = 0; k < 8; k++) a[k] = x[i] * k;\n"
          "a[x[i] & 7] += 5; int s = 0; for (int k = 0; k < 8; k++) s = s * 3 + a[(k + x[i]) & 7];\n"
          "out[i] = s; }",
     0, 0},
    {"atomics of all lanes",
     HEAD "int i = get_global_id(0); atomic_add(sum, x[i]); if (x[i] & 1) atomic_inc(sum + 1); atomic_max(sum + 2, "
          "x[i]);\n"
          "atomic_xor(sum + 3, x[i]); atomic_add(sum + 8 + (x[i] & 7), i); if (i & 2) atomic_min(sum + 4, x[i]); "
          "out[i] = 0; }",
     0, 0},
    {"vectors in memory",
     HEAD "int i = get_global_id(0); int4 v = vload4(i / 4, x); v.yw += i; if (i % 4 == 1) vstore4(v, i / 4, out); }",
     0, 0},
    {"three components", HEAD "int i = get_global_id(0) % 50; int3 v = vload3(i, x); vstore3(v.zxy, i, out); }", 0, 0},
    {"barrier after some have returned",
     "kernel void k(global const int *x, global int *out, global int *sum) { local int t[256];\n"
     "int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0); t[l] = x[i];\n"
     "if (x[i] % 11 == 0) { out[i] = 1; return; } int keep = x[i] * 3;\n"
     "barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[(l + 1) % n] + keep + (l > 0 ? t[l - 1] : 0); }",
     0, true},
    {"loop around a barrier",
     "kernel void k(global const int *x, global int *out, global int *sum) { local int t[256];\n"
     "uint l = get_local_id(0), n = get_local_size(0), i = get_global_id(0); t[l] = x[i]; int s = 0;\n"
     "for (uint d = 1; d < n; d *= 2) { barrier(CLK_LOCAL_MEM_FENCE); int v = l >= d ? t[l - d] : 0;\n"
     "barrier(CLK_LOCAL_MEM_FENCE); t[l] += v; s ^= v; } out[i] = t[l] + s; }",
     0, true},
    {"pointers and doubles across a barrier",
     "kernel void k(global const int *x, global int *out, global int *sum) { local int t[256];\n"
     "uint l = get_local_id(0), n = get_local_size(0), i = get_global_id(0); t[l] = x[i];\n"
     "global const int *p = x[i] & 1 ? x + l : x + i / 2; double4 d = x[i] + (double4)(0, 1, 2, 3);\n"
     "barrier(CLK_LOCAL_MEM_FENCE); if (x[i] & 6) out[i] = *p + t[(l + 3) % n] + (int)dot(d, d); }",
     0, true},
};

static void run(struct machine *m, struct kiln_program *program, const struct edge *edge, uint64_t local, int *data) {
  static const size_t sizes[3] = {ROOM * sizeof(int), ROOM * 2 * sizeof(int), 32 * sizeof(int)};
  struct kiln_kernel *kernel = NULL;
  struct kiln_buffer *buffers[3];
  struct kiln_arg args[3];
  cr_assert_eq(kiln_kernel_create(program, "k", &kernel), KILN_OK, "%s: %s", edge->name, kiln_last_error());
  for (int i = 0; i < 3; i++) {
    struct kiln_buffer_desc desc = {.size = sizes[i], .host = data + i * ROOM * 2};
    cr_assert_eq(kiln_buffer_create(m->ctx, &desc, &buffers[i]), KILN_OK, "%s: %s", edge->name, kiln_last_error());
    args[i] = kiln_arg_buffer(buffers[i]);
  }
  struct kiln_launch_desc launch = {.args = args, .arg_count = 3, .global = {COUNT}, .local = {local}};
  launch.offset[0] = edge->offset;
  cr_assert_eq(kiln_launch(m->stream, kernel, &launch, NULL), KILN_OK, "%s: %s", edge->name, kiln_last_error());
  cr_assert_eq(kiln_stream_finish(m->stream), KILN_OK, "%s on %s: %s", edge->name, m->name, kiln_last_error());
  for (int i = 0; i < 3; i++)
    kiln_buffer_release(buffers[i]);
  kiln_kernel_release(kernel);
}

static void fill(int *data) {
  uint64_t state = 7;
  memset(data, 0, 6 * ROOM * sizeof *data);
  for (int i = 0; i < ROOM; i++)
    data[i] = (int)(next_random(&state) & 255);
}

static struct kiln_program *build(struct machine *m, const struct edge *edge, const char *options) {
  struct kiln_program_desc desc = {.source = edge->body, .name = edge->name, .options = options};
  struct kiln_program *program = NULL;
  cr_assert_eq(kiln_program_create(m->ctx, &desc, &program), KILN_OK, "%s: %s", edge->name, kiln_last_error());
  return program;
}

static void compare_widths(const char *arch, bool barriers_only) {
  static const unsigned widths[] = {1, 4, 8, 16, 32, 64, 0};
  static const uint64_t locals[] = {1, 5, 8, 16, 24, 64, 203};
  static int expected[6 * ROOM], found[6 * ROOM];
  struct machine interp, cpu;
  unsigned runs = 0;
  cr_assert(machine_open(&interp, "interp", NULL));
  cr_assert(machine_open(&cpu, "cpu", arch));
  for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
    if (barriers_only && !edges[e].has_barrier)
      continue;
    // Several work-items of "three components" write the same: a race all the same.
    struct kiln_program *reference = build(&interp, &edges[e], "--kiln-races=0"), *programs[7];
    for (size_t w = 0; w < 7; w++) {
      char options[32];
      snprintf(options, sizeof options, "--kiln-lanes=%u", widths[w]);
      programs[w] = build(&cpu, &edges[e], options);
    }
    for (size_t l = 0; l < sizeof locals / sizeof *locals; l++) {
      fill(expected);
      run(&interp, reference, &edges[e], locals[l], expected);
      for (size_t w = 0; w < 7; w++, runs++) {
        fill(found);
        run(&cpu, programs[w], &edges[e], locals[l], found);
        for (int i = 0; i < 6 * ROOM; i++)
          cr_assert_eq(found[i], expected[i], "%s: %u lanes, local size %u: word %d is %d, not %d", edges[e].name,
                       widths[w], (unsigned)locals[l], i, found[i], expected[i]);
      }
    }
    for (size_t w = 0; w < 7; w++)
      kiln_program_release(programs[w]);
    kiln_program_release(reference);
  }
  cr_assert_geq(runs, 3 * 7 * 7, "%u runs", runs);
  machine_close(&cpu);
  machine_close(&interp);
}

Test(spmd, every_width_gives_what_the_interpreter_gives) { compare_widths(NULL, false); }
// Where masks are the hardest.
Test(spmd, barriers_on_sse_give_what_the_interpreter_gives) { compare_widths("x86-64-v2", true); }

Test(spmd, other_widths_are_refused) {
  struct machine cpu;
  cr_assert(machine_open(&cpu, "cpu", NULL));
  static const char *const wrong[] = {"2", "3", "-1", "128", "15"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char options[32];
    snprintf(options, sizeof options, "--kiln-lanes=%s", wrong[i]);
    struct kiln_program_desc desc = {.source = edges[0].body, .options = options};
    struct kiln_program *program = NULL;
    enum kiln_status status = kiln_program_create(cpu.ctx, &desc, &program);
    cr_expect_eq(status, KILN_ERR_INVALID, "lanes %s: status %d", wrong[i], (int)status);
    cr_expect(strstr(kiln_last_error(), "lanes"), "lanes %s: %s", wrong[i], kiln_last_error());
    kiln_program_release(program);
  }
  machine_close(&cpu);
}
