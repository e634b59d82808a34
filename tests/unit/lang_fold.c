// Operators and conversions of constants at the edges of each type, in each place where the front end computes them:
// expressions in a function, initialisers of program scope and of private arrays, vectors, conditions of the
// preprocessor; and the same of values from memory. What they give is computed here, from the standard: in wide
// integers that are then wrapped, in doubles that are then rounded. Quotients by zero are zero, as docs/language.md
// says.
#include "tests/unit/lower_test.h"

#include <math.h>

#include "base/str.h"

struct type {
  const char *name;
  unsigned bits;
  bool is_signed, is_float;
};
static const struct type types[] = {
    {"char", 8, true, false},  {"uchar", 8, false, false}, {"short", 16, true, false}, {"ushort", 16, false, false},
    {"int", 32, true, false},  {"uint", 32, false, false}, {"long", 64, true, false},  {"ulong", 64, false, false},
    {"float", 32, true, true}, {"double", 64, true, true},
};
enum { INT = 4, LONG = 6, ULONG = 7, INTS = 8, FLOAT = 8, DOUBLE = 9, TYPES = 10 };

static const char *const operators[] = {"+", "-",  "*",  "/", "%", "<<", ">>", "&",  "|",
                                        "^", "==", "!=", "<", ">", "<=", ">=", "&&", "||"};
enum { ADD, SUB, MUL, DIV, REM, SHL, SHR, AND, OR, XOR, EQ, NE, LT, GT, LE, GE, LOGAND, LOGOR, OPERATORS };

// ---- what must come out ---------------------------------------------------------------------------------------------

// Modulo the width, as a number of 64 bits.
static uint64_t wrap(const struct type *t, uint64_t value) {
  unsigned unused = 64 - t->bits;
  return t->is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

static const struct type *promoted(const struct type *t) { return t->bits < 32 ? &types[INT] : t; }

static const struct type *common(const struct type *a, const struct type *b) {
  a = promoted(a);
  b = promoted(b);
  return a->bits != b->bits ? (a->bits > b->bits ? a : b) : a->is_signed ? b : a;
}

static uint64_t divide(const struct type *t, uint64_t a, uint64_t b, bool remainder) {
  __int128 x = t->is_signed ? (__int128)(int64_t)a : (__int128)a, y = t->is_signed ? (__int128)(int64_t)b : (__int128)b;
  return y == 0 ? 0 : (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t compare(const struct type *t, unsigned op, uint64_t a, uint64_t b) {
  __int128 x = t->is_signed ? (__int128)(int64_t)a : (__int128)a, y = t->is_signed ? (__int128)(int64_t)b : (__int128)b;
  return op == EQ ? x == y : op == NE ? x != y : op == LT ? x < y : op == GT ? x > y : op == LE ? x <= y : x >= y;
}

// Of operands of the types s and t, as a number of type long.
static uint64_t compute(unsigned op, const struct type *s, uint64_t a, const struct type *t, uint64_t b) {
  const struct type *c = op == SHL || op == SHR ? promoted(s) : common(s, t);
  uint64_t x = wrap(c, a), y = wrap(c, b), count = b & (c->bits - 1);
  switch (op) {
  case ADD:
    return wrap(c, x + y);
  case SUB:
    return wrap(c, x - y);
  case MUL:
    return wrap(c, x * y);
  case DIV:
  case REM:
    return wrap(c, divide(c, x, y, op == REM));
  case SHL:
    return wrap(c, x << count);
  case SHR:
    return c->is_signed ? (uint64_t)((int64_t)x >> count) : x >> count;
  case AND:
    return x & y;
  case OR:
    return x | y;
  case XOR:
    return x ^ y;
  case LOGAND:
    return a && b;
  case LOGOR:
    return a || b;
  }
  return compare(c, op, x, y);
}

// ---- sources --------------------------------------------------------------------------------------------------------

static uint64_t int_edge(const struct type *t, unsigned which) {
  uint64_t min = t->is_signed ? (uint64_t)1 << (t->bits - 1) : 0, max = t->is_signed ? min - 1 : UINT64_MAX;
  const uint64_t edges[] = {0, 1, (uint64_t)-1, min, max, t->bits - 1, t->bits, 31, 0x5555555555555555, 100};
  return wrap(t, edges[which]);
}
enum { INT_EDGES = 10 };

static void literal(struct kiln_strbuf *out, const struct type *t, uint64_t value) {
  if (t->is_signed && (int64_t)value < 0)
    kiln_strbuf_printf(out, "(%s)(-0x%llxL-1)", t->name, (unsigned long long)~value);
  else
    kiln_strbuf_printf(out, "(%s)0x%llx%s", t->name, (unsigned long long)value, t->is_signed ? "L" : "UL");
}

struct expression {
  const struct type *s, *t;
  unsigned op;
  uint64_t a, b;
};

enum { MAX_EXPRESSIONS = 20000 };

// All operators on all pairs of types; on pairs of the same type all pairs of edges, on others a part.
static unsigned list_expressions(struct expression *out) {
  unsigned count = 0, turn = 0;
  for (unsigned s = 0; s < INTS; s++)
    for (unsigned t = 0; t < INTS; t++)
      for (unsigned op = 0; op < OPERATORS; op++)
        for (unsigned i = 0; i < INT_EDGES * INT_EDGES; i++) {
          if (s != t && turn++ % 11)
            continue;
          out[count++] = (struct expression){&types[s], &types[t], op, int_edge(&types[s], i % INT_EDGES),
                                             int_edge(&types[t], i / INT_EDGES)};
        }
  cr_assert(count > 15000 && count < MAX_EXPRESSIONS * 2, "%u", count);
  return count;
}

static void write_expression(struct kiln_strbuf *out, const struct expression *e, const char *suffix) {
  struct type s = *e->s, t = *e->t;
  char names[2][16];
  snprintf(names[0], sizeof names[0], "%s%s", s.name, suffix);
  snprintf(names[1], sizeof names[1], "%s%s", t.name, suffix);
  kiln_strbuf_printf(out, "(");
  kiln_strbuf_printf(out, "(%s)(", names[0]);
  literal(out, e->s, e->a);
  kiln_strbuf_printf(out, ")%s(%s)(", operators[e->op], names[1]);
  literal(out, e->t, e->b);
  kiln_strbuf_printf(out, "))");
}

static uint64_t expected(const struct expression *e) { return compute(e->op, e->s, e->a, e->t, e->b); }

// Runs the kernel k of one work-item, which writes a long for each expression.
static void check(const char *source, const struct expression *list, unsigned count, const uint64_t *input,
                  const char *where) {
  uint64_t *out = calloc(count, sizeof *out);
  struct lower_test test;
  lower_test_open(&test, source, "-w");
  lower_test_run(&test, "k", 1, input, input ? count * 2 * sizeof *input : 0, out, count * sizeof *out);
  for (unsigned i = 0; i < count; i++)
    cr_assert_eq(out[i], expected(&list[i]), "%s: (%s)0x%llx %s (%s)0x%llx gives 0x%llx, not 0x%llx", where,
                 list[i].s->name, (unsigned long long)list[i].a, operators[list[i].op], list[i].t->name,
                 (unsigned long long)list[i].b, (unsigned long long)out[i], (unsigned long long)expected(&list[i]));
  lower_test_close(&test);
  free(out);
}

static struct expression list[MAX_EXPRESSIONS * 2];
enum { PART = 1500 }; // of a source

static unsigned part_of(unsigned count, unsigned first) { return count - first < PART ? count - first : PART; }

// ---- integers -------------------------------------------------------------------------------------------------------

Test(lang_fold, expressions, .timeout = 120) {
  unsigned count = list_expressions(list);
  for (unsigned first = 0; first < count; first += PART) {
    struct kiln_strbuf source = {0};
    kiln_strbuf_printf(&source, "kernel void k(global long *out) {\n");
    for (unsigned i = 0; i < part_of(count, first); i++) {
      kiln_strbuf_printf(&source, "out[%u] = ", i);
      write_expression(&source, &list[first + i], "");
      kiln_strbuf_printf(&source, ";\n");
    }
    kiln_strbuf_printf(&source, "}\n");
    check(source.data, list + first, part_of(count, first), NULL, "in a function");
    kiln_strbuf_free(&source);
  }
}

static void write_table(struct kiln_strbuf *source, const char *declaration, const struct expression *e,
                        unsigned count) {
  kiln_strbuf_printf(source, "%s = {\n", declaration);
  for (unsigned i = 0; i < count; i++) {
    write_expression(source, &e[i], "");
    kiln_strbuf_printf(source, ",\n");
  }
  kiln_strbuf_printf(source, "};\n");
}

Test(lang_fold, initialisers, .timeout = 120) {
  unsigned count = list_expressions(list);
  for (unsigned first = 0, turn = 0; first < count; first += PART, turn++) {
    struct kiln_strbuf source = {0};
    unsigned size = turn % 3 == 1 ? 20 : part_of(count, first); // a small private array is stored, a large one copied
    if (turn % 3 == 0)
      write_table(&source, "constant long t[]", list + first, size);
    kiln_strbuf_printf(&source, "kernel void k(global long *out) {\n");
    if (turn % 3)
      write_table(&source, "long t[]", list + first, size);
    kiln_strbuf_printf(&source, "for (int i = 0; i < %u; i++) out[i] = t[i]; }\n", size);
    check(source.data, list + first, size, NULL, "in an initialiser");
    kiln_strbuf_free(&source);
  }
}

// Vectors are folded in the IR. A comparison gives -1, so that is made 1; both operands have one type.
Test(lang_fold, vectors, .timeout = 120) {
  unsigned all = list_expressions(list), count = 0;
  for (unsigned i = 0; i < all; i++)
    if (list[i].s == list[i].t && list[i].op < LOGAND)
      list[count++] = list[i];
  for (unsigned first = 0, turn = 0; first < count; first += PART, turn++) {
    struct kiln_strbuf source = {0};
    unsigned size = part_of(count, first);
    kiln_strbuf_printf(&source, turn % 2 ? "constant long t[] = {\n" : "kernel void k(global long *out) {\n");
    for (unsigned i = 0; i < size; i++) {
      if (turn % 2 == 0)
        kiln_strbuf_printf(&source, "out[%u] = ", i);
      kiln_strbuf_printf(&source, list[first + i].op >= EQ ? "(long)-" : "(long)");
      write_expression(&source, &list[first + i], "2");
      kiln_strbuf_printf(&source, turn % 2 ? ".y,\n" : ".y;\n");
    }
    kiln_strbuf_printf(&source,
                       turn % 2 ? "};\nkernel void k(global long *out) {\n"
                                  "for (int i = 0; i < %u; i++) out[i] = t[i]; }\n"
                                : "}\n",
                       size);
    // Vectors of small types are not promoted.
    uint64_t *out = calloc(size, sizeof *out);
    struct lower_test test;
    lower_test_open(&test, source.data, "-w");
    lower_test_run(&test, "k", 1, NULL, 0, out, size * sizeof *out);
    for (unsigned i = 0; i < size; i++) {
      const struct expression *e = &list[first + i];
      uint64_t count_of_shift = e->b & (e->s->bits - 1), want = expected(e);
      if (e->op == SHL || e->op == SHR)
        want = compute(e->op, e->s, e->a, e->t, count_of_shift);
      want = e->op >= EQ ? want : wrap(e->s, want);
      cr_assert_eq(out[i], want, "vectors: (%s)0x%llx %s 0x%llx gives 0x%llx, not 0x%llx", e->s->name,
                   (unsigned long long)e->a, operators[e->op], (unsigned long long)e->b, (unsigned long long)out[i],
                   (unsigned long long)want);
    }
    lower_test_close(&test);
    free(out);
    kiln_strbuf_free(&source);
  }
}

Test(lang_fold, values_from_memory, .timeout = 120) {
  unsigned count = list_expressions(list);
  for (unsigned first = 0; first < count; first += PART) {
    struct kiln_strbuf source = {0};
    unsigned size = part_of(count, first);
    uint64_t *input = malloc(size * 2 * sizeof *input);
    kiln_strbuf_printf(&source, "kernel void k(global long *in, global long *out) {\n");
    for (unsigned i = 0; i < size; i++) {
      const struct expression *e = &list[first + i];
      input[2 * i] = e->a;
      input[2 * i + 1] = e->b;
      kiln_strbuf_printf(&source, "out[%u] = (%s)in[%u] %s (%s)in[%u];\n", i, e->s->name, 2 * i, operators[e->op],
                         e->t->name, 2 * i + 1);
    }
    kiln_strbuf_printf(&source, "}\n");
    check(source.data, list + first, size, input, "from memory");
    free(input);
    kiln_strbuf_free(&source);
  }
}

// In conditions of the preprocessor numbers have 64 bits, and counts of shifts go either way and to any width.
static uint64_t in_condition(const struct expression *e) {
  if (e->op != SHL && e->op != SHR)
    return expected(e);
  bool left = e->op == SHL, negative = e->t->is_signed && (int64_t)e->b < 0;
  uint64_t count = negative ? -e->b : e->b;
  left ^= negative;
  bool sign = e->s->is_signed && (int64_t)e->a < 0;
  if (count > 63)
    return !left && sign ? UINT64_MAX : 0;
  return left ? e->a << count : e->s->is_signed ? (uint64_t)((int64_t)e->a >> count) : e->a >> count;
}

static void condition_literal(struct kiln_strbuf *out, const struct type *t, uint64_t value) {
  if (t->is_signed && (int64_t)value < 0)
    kiln_strbuf_printf(out, "(-0x%llx - 1)", (unsigned long long)~value);
  else
    kiln_strbuf_printf(out, "0x%llx%s", (unsigned long long)value, t->is_signed ? "" : "U");
}

Test(lang_fold, conditions_of_the_preprocessor, .timeout = 120) {
  unsigned all = list_expressions(list), count = 0;
  struct kiln_strbuf source = {0};
  kiln_strbuf_printf(&source, "kernel void k(global long *out) {\n");
  for (unsigned i = 0; i < all; i++) {
    struct expression e = list[i];
    bool divides = (e.op == DIV || e.op == REM) && e.b == 0;
    if (e.s->bits < 64 || e.t->bits < 64 || divides)
      continue;
    list[count] = e;
    bool is_unsigned = (!e.s->is_signed || (e.op != SHL && e.op != SHR && !e.t->is_signed)) && e.op < EQ;
    kiln_strbuf_printf(&source, "#if ((");
    condition_literal(&source, e.s, e.a);
    kiln_strbuf_printf(&source, " %s ", operators[e.op]);
    condition_literal(&source, e.t, e.b);
    kiln_strbuf_printf(&source, ") == ");
    condition_literal(&source, &types[is_unsigned ? ULONG : LONG], in_condition(&e));
    kiln_strbuf_printf(&source, ") && ((("); // its type, too
    condition_literal(&source, e.s, e.a);
    kiln_strbuf_printf(&source, " %s ", operators[e.op]);
    condition_literal(&source, e.t, e.b);
    kiln_strbuf_printf(&source, ") * 0 - 1 > 0) == %d)\nout[%u] = 1;\n#endif\n", is_unsigned, count++);
  }
  kiln_strbuf_printf(&source, "}\n");
  uint64_t *out = calloc(count, sizeof *out);
  struct lower_test test;
  lower_test_open(&test, source.data, "-w");
  lower_test_run(&test, "k", 1, NULL, 0, out, count * sizeof *out);
  cr_assert_gt(count, 3000, "%u", count);
  for (unsigned i = 0; i < count; i++)
    cr_assert_eq(out[i], 1, "#if 0x%llx%s %s 0x%llx%s is not 0x%llx, or of another type", (unsigned long long)list[i].a,
                 list[i].s->is_signed ? "" : "U", operators[list[i].op], (unsigned long long)list[i].b,
                 list[i].t->is_signed ? "" : "U", (unsigned long long)in_condition(&list[i]));
  lower_test_close(&test);
  free(out);
  kiln_strbuf_free(&source);
}

// Expressions of numbers and signs of each kind, with their values and whether they are unsigned, as C says; and what
// is evaluated only where it decides.
Test(lang_fold, rules_of_conditions, .timeout = 120) {
  static const struct {
    const char *text, *value;
    bool is_unsigned;
  } rows[] = {
      {"!0U", "1", false},
      {"!5U", "0", false},
      {"~0U", "-1", true},
      {"-1U", "-1", true},
      {"+1U", "1", true},
      {"~5", "-6", false},
      {"1 ? 2 : 3U", "2", true},
      {"0 ? 2U : -3", "-3", true},
      {"1 ? -2 : 3", "-2", false},
      {"2U == 2", "1", false},
      {"1U && 1U", "1", false},
      {"0U || 0U", "0", false},
      {"-1 < 0U", "0", false},
      {"-1 < 0", "1", false},
      {"1U << 1", "2", true},
      {"1 << 1U", "2", false},
      {"-8 >> 1U", "-4", false},
      {"10 - 4 - 3", "3", false},
      {"2 * 3 % 4", "2", false},
      {"100 / 10 / 5", "2", false},
      {"1 << 2 << 3", "32", false},
      {"7 - 2 * 3", "1", false},
      {"1 | 2 ^ 2 & 3", "1", false},
      {"0 ? 1 : 0 ? 2 : 3", "3", false},
      {"1 ? 0 ? 4 : 5 : 6", "5", false},
      {"3 < 2 < 1", "1", false},
      {"0 && 1 / 0", "0", false},
      {"1 || 1 % 0", "1", false},
      {"1 ? 2 : 1 / 0", "2", false},
      {"0 ? 1 / 0 : 2", "2", false},
      {"0 && (1 || 1 / 0)", "0", false},
      {"1 || 0 && 1 / 0", "1", false},
      {"'a'", "97", false},
      {"'\\377'", "-1", false},
      {"0x8000000000000000", "-0x7fffffffffffffff - 1", true},
      {"9223372036854775807", "0x7fffffffffffffff", false},
      {"undefined_name", "0", false},
      {"-9223372036854775807 - 1 == 0x8000000000000000", "1", false},
  };
  enum { ROWS = sizeof rows / sizeof *rows };
  struct kiln_strbuf source = {0};
  kiln_strbuf_printf(&source, "kernel void k(global int *out) {\n");
  for (unsigned i = 0; i < ROWS; i++)
    kiln_strbuf_printf(&source, "#if (%s) == (%s) && (((%s) * 0 - 1 > 0) == %d)\nout[%u] = 1;\n#endif\n", rows[i].text,
                       rows[i].value, rows[i].text, rows[i].is_unsigned, i);
  kiln_strbuf_printf(&source, "}\n");
  int out[ROWS] = {0};
  struct lower_test test;
  lower_test_open(&test, source.data, "-w");
  lower_test_run(&test, "k", 1, NULL, 0, out, sizeof out);
  for (unsigned i = 0; i < ROWS; i++)
    cr_assert_eq(out[i], 1, "#if %s: not %s, or of another type", rows[i].text, rows[i].value);
  lower_test_close(&test);
  kiln_strbuf_free(&source);
}
