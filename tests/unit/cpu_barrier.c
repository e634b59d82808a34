// Generated kernels with barriers in every kind of control flow, with early returns, breaks and continues that
// work-items take by themselves: the CPU leaves in memory what the interpreter does.
#include "base/str.h"
#include "cpu_test.h"
#include "tests/support/part.h"

struct generator {
  struct kiln_strbuf text;
  uint64_t state;
  unsigned depth, names;
};

static unsigned pick(struct generator *g, unsigned n) { return (unsigned)(next_random(&g->state) >> 33) % n; }
static char variable(struct generator *g) { return "xyz"[pick(g, 3)]; }

static void line(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct generator *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  for (unsigned i = 0; i <= g->depth; i++)
    kiln_strbuf_puts(&g->text, "  ");
  kiln_strbuf_vprintf(&g->text, format, args);
  kiln_strbuf_puts(&g->text, "\n");
  va_end(args);
}

static void assign(struct generator *g) {
  char a = variable(g), b = variable(g), c = variable(g);
  switch (pick(g, 6)) {
  case 0:
    line(g, "%c = %c * 3 + %c;", a, b, c);
    break;
  case 1:
    line(g, "%c ^= %c + l * %u;", a, b, pick(g, 9));
    break;
  case 2:
    line(g, "r[%c & 3] += %c;", b, c);
    break;
  case 3:
    line(g, "%c += r[%c & 3] - u;", a, b);
    break;
  case 4:
    line(g, "f = f * 0.5f + (float)(%c & 255);", a);
    break;
  default:
    line(g, "%c = (%c >> %u) + (int)f;", a, b, pick(g, 8));
    break;
  }
}

static void own(struct generator *g, unsigned budget); // statements of one work-item, no barrier

static void own_statement(struct generator *g, unsigned budget) {
  switch (budget ? pick(g, 6) : 5) {
  case 0:
    line(g, "if (%c & %u) {", variable(g), 1 + pick(g, 4));
    g->depth++;
    own(g, budget - 1);
    g->depth--;
    line(g, "} else {");
    g->depth++;
    own(g, budget - 1);
    g->depth--;
    line(g, "}");
    return;
  case 1: {
    unsigned name = g->names++;
    line(g, "for (int i%u = 0; i%u < (%c & 3); i%u++) {", name, name, variable(g), name);
    g->depth++;
    own(g, budget - 1);
    if (pick(g, 2))
      line(g, "if (%c & 8) %s;", variable(g), pick(g, 2) ? "break" : "continue");
    assign(g);
    g->depth--;
    line(g, "}");
    return;
  }
  default:
    assign(g);
  }
}

static void own(struct generator *g, unsigned budget) {
  for (unsigned n = 1 + pick(g, 3); n; n--)
    own_statement(g, budget);
}

static void exchange(struct generator *g) {
  line(g, "t[l] = %c;", variable(g));
  line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  line(g, "%c += t[(l + %u) %% n];", variable(g), 1 + pick(g, 3));
  line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
}

static void together(struct generator *g, unsigned budget); // statements of the group

static void leave(struct generator *g) { line(g, "if ((%c & 31) == %u) return;", variable(g), pick(g, 32)); }

// How some work-items leave the last round of a loop, behind its last barrier. last: a test for that round.
static void part_ways(struct generator *g, const char *last) {
  char v = variable(g);
  switch (pick(g, 8)) {
  case 0:
    line(g, "if (%c & 1) continue;", v);
    break;
  case 1:
    line(g, "if (%s && (%c & 3) == 1) break;", last, v);
    break;
  case 2:
    line(g, "if (%s) {", last);
    line(g, "  if (%c & 1) continue;", v);
    assign(g);
    line(g, "  break;");
    line(g, "}");
    break;
  case 3:
    line(g, "if (%s && u == %u) {", last, pick(g, 4));
    line(g, "  if (%c & 1) break;", v);
    assign(g);
    line(g, "  return;");
    line(g, "}");
    break;
  case 4:
    line(g, "if (%s) {", last);
    line(g, "  if (%c & 1) break;", v);
    line(g, "  if (%c & 4) continue;", variable(g));
    assign(g);
    line(g, "  return;");
    line(g, "}");
    break;
  case 5:
    line(g, "if (%s) {", last);
    line(g, "  if (%c & 2) return;", v);
    line(g, "  break;");
    line(g, "}");
    break;
  default:
    leave(g);
    return;
  }
  own(g, 1);
}

static void group_loop(struct generator *g, unsigned budget) {
  unsigned k = g->names++, rounds = 1 + pick(g, 3), kind = pick(g, 5);
  char last[64];
  switch (kind) {
  case 0:
    line(g, "for (int k%u = 0; k%u < u + %u; k%u++) {", k, k, rounds, k);
    snprintf(last, sizeof last, "k%u == u + %u", k, rounds - 1);
    break;
  case 1: // an end that is the same for all, but that the compiler cannot know to be
    line(g, "s[l] = %u;", rounds);
    line(g, "int e%u = s[l];", k);
    line(g, "for (int k%u = 0; k%u < e%u; k%u++) {", k, k, k, k);
    snprintf(last, sizeof last, "k%u == %u", k, rounds - 1);
    break;
  case 2:
    line(g, "int k%u = 0;", k);
    line(g, "while (true) {");
    line(g, "  if (k%u++ >= %u) break;", k, rounds);
    snprintf(last, sizeof last, "k%u == %u", k, rounds);
    break;
  case 3:
    line(g, "for (int k%u = 0; k%u < %u; k%u++) {", k, k, rounds, k);
    snprintf(last, sizeof last, "k%u == %u", k, rounds - 1);
    break;
  default:
    line(g, "int k%u = 0;", k);
    line(g, "do {");
    snprintf(last, sizeof last, "k%u == %u", k, rounds - 1);
  }
  g->depth++;
  together(g, budget - 1);
  if (kind < 4 && pick(g, 3))
    part_ways(g, last);
  g->depth--;
  if (kind == 4)
    line(g, "} while (++k%u < %u);", k, rounds);
  else
    line(g, "}");
}

static void group_statement(struct generator *g, unsigned budget) {
  switch (budget ? pick(g, 8) : 6 + pick(g, 2)) {
  case 0:
  case 1:
    group_loop(g, budget);
    return;
  case 2:
    line(g, "if (u & %u) {", 1 + pick(g, 3));
    g->depth++;
    together(g, budget - 1);
    g->depth--;
    line(g, "} else {");
    g->depth++;
    together(g, budget - 1);
    g->depth--;
    line(g, "}");
    return;
  case 3:
    line(g, "switch (u + %u) {", pick(g, 3));
    line(g, "case 1:");
    together(g, budget - 1);
    line(g, "  break;");
    line(g, "case 2:");
    together(g, budget - 1);
    line(g, "  %s", pick(g, 2) ? "break;" : "// falls through");
    line(g, "default:");
    together(g, budget - 1);
    line(g, "}");
    return;
  case 4:
    leave(g);
    return;
  case 5:
    own(g, 2);
    return;
  default:
    exchange(g);
  }
}

static void together(struct generator *g, unsigned budget) {
  for (unsigned n = 1 + pick(g, 3); n; n--)
    group_statement(g, budget);
}

static void generate(struct generator *g) {
  kiln_strbuf_puts(&g->text, "kernel void k(global int *o, global const int *in) {\n"
                             "  local int t[64], s[64];\n  int r[4] = {1, 2, 3, 4};\n  float f = 1.0f;\n"
                             "  int l = get_local_id(0) + get_local_id(1) * get_local_size(0), u = in[0];\n"
                             "  int n = get_local_size(0) * get_local_size(1);\n"
                             "  int id = get_global_id(0) + get_global_id(1) * get_global_size(0);\n"
                             "  int x = in[id], y = l * 5, z = id;\n  o[id] = -1;\n"
                             "  t[l] = s[l] = l;\n  barrier(CLK_LOCAL_MEM_FENCE);\n");
  together(g, 3);
  exchange(g);
  kiln_strbuf_puts(&g->text, "  o[id] = x ^ y * 3 ^ z * 7 ^ r[0] ^ r[1] ^ r[2] ^ r[3] ^ (int)f;\n}\n");
}

#define ITEMS 72

static void run_on(struct machine *m, const char *text, const char *options, const uint64_t global[3],
                   const uint64_t local[3], int *in, int *out) {
  struct kiln_program_desc desc = {.source = text, .name = "generated.cl", .options = options};
  struct kiln_program *program = NULL;
  enum kiln_status status = kiln_program_create(m->ctx, &desc, &program);
  cr_assert_eq(status, KILN_OK, "%s: %s\n%s", m->name, kiln_last_error(), text);
  size_t sizes[2] = {ITEMS * 4, ITEMS * 4};
  machine_run(m, program, "k", global, local, (void *[]){out, in}, sizes, 2);
  kiln_program_release(program);
}

static void differ(unsigned from, unsigned count, const char *options) {
  struct machine interp, cpu;
  machine_open(&interp, "interp", NULL);
  machine_open(&cpu, "cpu", NULL);
  unsigned ran = 0;
  for (unsigned p = from; p < from + count; p++, ran++) {
    struct generator g = {.state = p};
    generate(&g);
    cr_assert(!g.text.failed);
    static const uint64_t globals[3][3] = {{64, 1, 1}, {13, 1, 1}, {9, 8, 1}};
    static const uint64_t locals[3][3] = {{16, 1, 1}, {4, 1, 1}, {4, 3, 1}};
    int in[ITEMS], want[ITEMS] = {0}, got[ITEMS] = {0};
    for (int i = 0; i < ITEMS; i++)
      in[i] = (int)(next_random(&g.state) % 1000);
    in[0] = (int)(p % 4);
    run_on(&interp, g.text.data, options, globals[p % 3], locals[p % 3], in, want);
    run_on(&cpu, g.text.data, options, globals[p % 3], locals[p % 3], in, got);
    for (int i = 0; i < ITEMS; i++)
      cr_assert_eq(got[i], want[i], "program %u (%s): work-item %d: %d, the interpreter gives %d\n%s", p,
                   options ? options : "", i, got[i], want[i], g.text.data);
    kiln_strbuf_free(&g.text);
  }
  machine_close(&interp);
  machine_close(&cpu);
  cr_assert_eq(ran, count);
}

Test(cpu_barrier, generated_kernels, .timeout = 3600) { differ(1, part_of(64), NULL); }
Test(cpu_barrier, generated_kernels_not_optimised, .timeout = 3600) { differ(100000, part_of(64), "-cl-opt-disable"); }
