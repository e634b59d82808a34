// Initialisers: each text of the table is compiled by C, and by Kiln at program scope, in a private variable, in one
// whose values are not constant, in a large one, which is copied, and in a literal of its type. The bytes must be the
// same.
#include "tests/unit/lower_test.h"

#include "base/str.h"

typedef unsigned char uchar;

// Types without padding; what is in the table may use them. The text is the same for C and for Kiln.
#define TYPES                                                                                                          \
  struct pair {                                                                                                        \
    short a;                                                                                                           \
    short b;                                                                                                           \
  };                                                                                                                   \
  struct nested {                                                                                                      \
    int n;                                                                                                             \
    struct pair p[3];                                                                                                  \
    char t[4];                                                                                                         \
  };                                                                                                                   \
  union either {                                                                                                       \
    char c;                                                                                                            \
    int i;                                                                                                             \
    short s[2];                                                                                                        \
  };                                                                                                                   \
  struct mixed {                                                                                                       \
    union either u[2];                                                                                                 \
    struct nested n;                                                                                                   \
    float f;                                                                                                           \
    long l;                                                                                                            \
  };                                                                                                                   \
  struct bytes {                                                                                                       \
    char c[3];                                                                                                         \
    uchar d;                                                                                                           \
    struct {                                                                                                           \
      short x, y;                                                                                                      \
    };                                                                                                                 \
  };                                                                                                                   \
  typedef char line[8];                                                                                                \
  typedef struct pair pairs[4];                                                                                        \
  typedef short grid[3][4];                                                                                            \
  typedef struct bytes table[5];                                                                                       \
  typedef float floats[6];                                                                                             \
  typedef uchar flags[9];

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
TYPES

// Type, initialiser. Z is 0 and O is 1: in C constants, in Kiln constants or values from memory.
#define CASES(X)                                                                                                       \
  X(line, {1, 2, 3})                                                                                                   \
  X(line, {[2] = 5, 6, [1] = 7})                                                                                       \
  X(line, {[7] = -1})                                                                                                  \
  X(line, {                                                                                                            \
              1,                                                                                                       \
              2,                                                                                                       \
              3,                                                                                                       \
              4,                                                                                                       \
              5,                                                                                                       \
              6,                                                                                                       \
              7,                                                                                                       \
              8,                                                                                                       \
          })                                                                                                           \
  X(line, {[1 ... 3] = 4, 9})                                                                                          \
  X(line, {[0 ... 7] = 4, [2 ... 4] = 5, [3] = Z})                                                                     \
  X(line, {O, Z, [6] = O - 2 + Z})                                                                                     \
  X(line, {O + 299, 255 + Z, -129, 'x'})                                                                               \
  X(struct pair, {1, -2})                                                                                              \
  X(struct pair, {.b = 3})                                                                                             \
  X(struct pair, {.b = 3, .a = O})                                                                                     \
  X(struct pair, {32768 + Z, 65535})                                                                                   \
  X(pairs, {1, 2, 3, 4, 5})                                                                                            \
  X(pairs, {{1}, {2}, {.b = 3}, {Z, O}})                                                                               \
  X(pairs, {[1].b = 5, 6, 7, [0].a = 8})                                                                               \
  X(pairs, {[1 ... 2] = {3, 4}, [2].b = 9})                                                                            \
  X(pairs, {[1 ... 2].b = 4, 5, 6})                                                                                    \
  X(pairs, {[3].a = O, [3].b = 2, [3] = {.b = 7}})                                                                     \
  X(pairs, {[1] = {5, 6}, [2] = {7, 8}, [0] = {1, 2}, [2] = {9}})                                                      \
  X(pairs, {{1, 2}, [0] = {3}, {4}})                                                                                   \
  X(grid, {1, 2, 3, 4, 5})                                                                                             \
  X(grid, {{1}, {2, 3}, {4, O, Z}})                                                                                    \
  X(grid, {[1] = {7, 8}, 9, [0][2] = 3, 4, 5})                                                                         \
  X(grid, {[0 ... 2][1 ... 2] = 6})                                                                                    \
  X(grid, {[0 ... 1] = {1, 2, 3, 4}, [1][3] = O})                                                                      \
  X(grid, {[2][3] = O + 4, [1 ... 2][0] = 8, 9})                                                                       \
  X(struct nested, {1})                                                                                                \
  X(struct nested, {1, 2, 3, 4, 5, 6, 7, 'a', 'b'})                                                                    \
  X(struct nested, {.t = "abc", .n = 5})                                                                               \
  X(struct nested, {.p[1] = {1, 2}, 3, 4, 5})                                                                          \
  X(struct nested, {.p = {{1}, {2}}, "abcd", .n = Z})                                                                  \
  X(struct nested, {.p[0].b = 4, 5, .t[2] = O, 2})                                                                     \
  X(struct nested, {.p = {1, 2, 3}, .p[1].a = 9})                                                                      \
  X(struct nested, {.p[1].a = 9, .p = {[2] = {1, 2}}})                                                                 \
  X(struct nested, {.p[0 ... 1] = {O, 2}, 3, 4, 'x'})                                                                  \
  X(union either, {5})                                                                                                 \
  X(union either, {.i = 0x01020304})                                                                                   \
  X(union either, {.s = {1, O}})                                                                                       \
  X(union either, {.s[1] = 3})                                                                                         \
  X(struct mixed, {1, 2, 3, 4, 5})                                                                                     \
  X(struct mixed, {1, 2, 3, 4, 5, 6, 7, 8, 'a', 'b', 'c', 'd', 1.5f, O})                                               \
  X(struct mixed, {.u[0].s = {1, 2}, 3, 4, 5})                                                                         \
  X(struct mixed, {{{1}, {.i = -1}}, {1, {{2}}}, 1.5f, O - 3L})                                                        \
  X(struct mixed, {.f = -0.0f, .l = 1L << 40, .u[1].s[1] = 7})                                                         \
  X(struct mixed, {.u = {{.s = {1, 2}}, {.i = 9}}, {4}, 2, 3})                                                         \
  X(struct mixed, {.n.p[2].b = 1, "xy", 1e10f, -5})                                                                    \
  X(struct mixed, {.n = {.t = {1, 2}}, .n.t[1] = Z, .n.n = O})                                                         \
  X(struct bytes, {{1, 2}, 3, {4, 5}})                                                                                 \
  X(struct bytes, {.y = 4, .c = {9}})                                                                                  \
  X(struct bytes, {"ab", 200, .x = O, 6})                                                                              \
  X(struct bytes, {"abc", 256 + Z})                                                                                    \
  X(table, {{"ab"}, {{1, 2, 3}, 4, {5, 6}}, [3].y = 7, {.d = O}})                                                      \
  X(table, {[0 ... 4] = {.c = {1, O}, .x = 2}, [2].c[1] = 5, 6, 7})                                                    \
  X(table, {1, 2, 3, 4, 5, 6, 7, 8, 9})                                                                                \
  X(floats, {1, 2.5, -1e-45f, 16777217, O})                                                                            \
  X(floats, {[1 ... 4] = 0.1, [3] = -0.0f})                                                                            \
  X(floats, {0x7fffffff, 4294967295u, 1e-50, 3.4028235677973362e38f})                                                  \
  X(flags, {O && Z, O || Z, !Z, !O, Z == O, Z < O, ~Z, -O, O ? 4 : 5})                                                 \
  X(flags, {[8] = O << 7, [0] = 255 >> 3, (uchar)-1 / 2, (char)200 >> 1, 7 % -4 + Z})

struct one {
  const char *type, *text;
  size_t size;
  const void *bytes;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wlogical-op"
#define Z 0
#define O 1
#define CASE(T, ...) {#T, TEXT_OF(__VA_ARGS__), sizeof(T), &(const T)__VA_ARGS__},
static const struct one cases[] = {CASES(CASE)};
#pragma GCC diagnostic pop
#undef Z
#undef O
enum { COUNT = sizeof cases / sizeof *cases };

struct form {
  const char *name, *text; // with the type, the initialiser, and the number of bytes
};

static const struct form forms[] = {
    {"at program scope", "constant T v = I;\nkernel void k(global int *z, global uchar *out) {\n"},
    {"of a constant of a function", "kernel void k(global int *z, global uchar *out) {\nconstant T v = I;\n"},
    {"of a private variable", "kernel void k(global int *z, global uchar *out) {\nT v = I;\n"},
    {"with values from memory", "#undef Z\n#undef O\n#define Z z[0]\n#define O z[1]\n"
                                "kernel void k(global int *z, global uchar *out) {\nT v = I;\n"},
    {"inside of a large array", "kernel void k(global int *z, global uchar *out) {\n"
                                "T w[40] = {[0 ... 7] = {0}, [37] = I, [39] = {0}};\n#define v w[37]\n"},
    {"inside of a large array, with values from memory",
     "#undef Z\n#undef O\n#define Z z[0]\n#define O z[1]\nkernel void k(global int *z, global uchar *out) {\n"
     "T w[40] = {[37] = I};\n#define v w[37]\n"},
    {"of two, of which the second is used", "constant T w[3] = {{0}, I};\n"
                                            "kernel void k(global int *z, global uchar *out) {\n#define v w[1]\n"},
    {"of a literal", "kernel void k(global int *z, global uchar *out) {\nconst T *w = &(T)I;\n#define v (*w)\n"},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void check(const struct one *c, const struct form *form) {
  static const int zero_and_one[] = {0, 1};
  struct kiln_strbuf source = {0};
  kiln_strbuf_printf(&source, "%s\n#define Z 0\n#define O 1\n#define T %s\n#define I %s\n%s", TEXT(TYPES), c->type,
                     c->text, form->text);
  kiln_strbuf_printf(&source, "for (uint i = 0; i < sizeof(T); i++) out[i] = ((%suchar *)&v)[i];\n}\n",
                     strstr(form->text, "constant") ? "constant " : "const ");
  unsigned char out[256];
  struct lower_test test;
  memset(out, 0xee, sizeof out);
  lower_test_open(&test, source.data, "-w -cl-std=CL1.2");
  lower_test_run(&test, "k", 1, zero_and_one, sizeof zero_and_one, out, sizeof out);
  for (size_t i = 0; i < c->size; i++)
    cr_assert_eq(out[i], ((const unsigned char *)c->bytes)[i], "%s %s %s: byte %zu is 0x%02x, not 0x%02x", c->type,
                 c->text, form->name, i, out[i], ((const unsigned char *)c->bytes)[i]);
  lower_test_close(&test);
  kiln_strbuf_free(&source);
}

Test(lang_initialisers, as_in_c, .timeout = 120) {
  for (unsigned i = 0; i < COUNT; i++)
    for (unsigned k = 0; k < FORMS; k++)
      check(&cases[i], &forms[k]);
}

// ---- addresses ------------------------------------------------------------------------------------------------------

// Data, and addresses of a short in it. Q is what stands before types of data: nothing in C, constant in Kiln.
#define DATA                                                                                                           \
  static Q grid g = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};                                                     \
  static Q struct nested n[2] = {{.p = {{13, 14}, {15, 16}, {17, 18}}}, {.p = {{19, 20}, {21, 22}, {23, 24}}}};        \
  static Q struct bytes b = {.x = 25, .y = 26};
#define ADDRESSES(X)                                                                                                   \
  X(&g[2][1])                                                                                                          \
  X(g[1])                                                                                                              \
  X(g[1] + 2)                                                                                                          \
  X(2 + g[0])                                                                                                          \
  X(&g[2][3] - 5)                                                                                                      \
  X(*(g + 2))                                                                                                          \
  X(*(g + 2) - 1)                                                                                                      \
  X(&(*g)[3])                                                                                                          \
  X(&n[1].p[1].b)                                                                                                      \
  X(&n->p[2].a)                                                                                                        \
  X(&(n + 1)->p[0].b)                                                                                                  \
  X(&(n[0].p + 2)->b)                                                                                                  \
  X(&n[1].p->a + 3)                                                                                                    \
  X((Q short *)n[1].p + 4)                                                                                             \
  X((Q short *)((Q char *)g + 6))                                                                                      \
  X((Q short *)((Q char *)&g[2] - 4))                                                                                  \
  X((Q short *)&n[0].p[1] + 1)                                                                                         \
  X(&b.x)                                                                                                              \
  X(&b.y)                                                                                                              \
  X(&b.y - 1)                                                                                                          \
  X((Q short *)(&b + 1) - 1)                                                                                           \
  X(&g[(char)2][(uchar)257 - 1])                                                                                       \
  X(&g[2][(char)-1])                                                                                                   \
  X(&g[2][0] + (char)-3)

#define LINE(...) #__VA_ARGS__ ",\n"
static const char *const data_text = TEXT(DATA), *const address_text = ADDRESSES(LINE);

#define Q
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Woverride-init"
#pragma GCC diagnostic ignored "-Wchar-subscripts"
DATA
#define ADDRESS(...) __VA_ARGS__,
    static const short *const addresses[] = {ADDRESSES(ADDRESS)[1] = &g[0][3], [4] = &b.y, [2] = 0 + g[2]};
#pragma GCC diagnostic pop
#undef Q
enum { ADDRESS_COUNT = sizeof addresses / sizeof *addresses };

Test(lang_initialisers, addresses, .timeout = 120) {
  struct kiln_strbuf source = {0};
  short out[ADDRESS_COUNT] = {0};
  struct lower_test test;
  kiln_strbuf_printf(
      &source,
      "%s\n#define Q constant\n%s\nconstant short *constant p[] = {\n%s[1] = &g[0][3], [4] = &b.y, [2] = 0 + g[2]};\n"
      "kernel void k(global short *out) {\nfor (int i = 0; i < %d; i++) out[i] = *p[i];\n}\n",
      TEXT(TYPES), data_text, address_text, ADDRESS_COUNT);
  lower_test_open(&test, source.data, "-w");
  lower_test_run(&test, "k", 1, NULL, 0, out, sizeof out);
  for (unsigned i = 0; i < ADDRESS_COUNT; i++)
    cr_assert_eq(out[i], *addresses[i], "address %u leads to %d, not to %d", i, out[i], *addresses[i]);
  lower_test_close(&test);
  kiln_strbuf_free(&source);
}
