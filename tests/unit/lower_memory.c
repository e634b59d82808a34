// Structures, unions, arrays, pointers and initialisers: each function is compiled by the C compiler and, as text, by
// Kiln, and both must agree.
#include "tests/unit/lower_test.h"

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;

#define SHARED(...) __VA_ARGS__ static const char shared_text[] = #__VA_ARGS__;
SHARED(
    struct point { int x, y; }; struct line {
      struct point from, to;
      int weights[3];
      char tag;
    };
    union word {
      int i;
      uchar bytes[4];
      struct point p;
    };
    struct __attribute__((packed)) tight {
      char c;
      int i;
      struct point p;
      short s;
    };
    struct big { int values[100]; };

    static struct point make(int x, int y) {
      struct point p = {x, y};
      return p;
    } static struct point flip(struct point p) {
      int t = p.x;
      p.x = p.y;
      p.y = t;
      return p;
    } static int sum(struct line l) {
      l.weights[0]++;
      return l.from.x + l.from.y + l.to.x + l.to.y + l.weights[0] + l.tag;
    } static struct line grow(struct line l, int by) {
      l.to.x += by;
      l.weights[2] -= by;
      return l;
    } static void set(int *where, int value) { *where = value; } static void swap(struct point *a, struct point *b) {
      struct point t = *a;
      *a = *b;
      *b = t;
    } static int total(const int *values, int count) {
      int r = 0;
      while (count--)
        r = r * 3 + *values++;
      return r;
    } static struct big fill(int first) {
      struct big b;
      for (int i = 0; i < 100; i++)
        b.values[i] = first + i * i;
      return b;
    } static int middle(struct big b, int i) {
      b.values[1] = 7;
      return b.values[i & 63] + b.values[1];
    })

#define CASES(CASE)                                                                                                    \
  CASE(by_value, {                                                                                                     \
    struct point p = {a, b};                                                                                           \
    struct point q = flip(p);                                                                                          \
    return p.x * 1000 + p.y * 100 + q.x * 10 + q.y;                                                                    \
  })                                                                                                                   \
  CASE(result_member, { return make(a, b).y * 5 + flip(make(b, a)).y; })                                               \
  CASE(nested, {                                                                                                       \
    struct line l = {{a, 1}, {2, b}, {3, 4}, 9};                                                                       \
    struct line m = grow(l, b);                                                                                        \
    l.to = m.from;                                                                                                     \
    return sum(l) * 3 + sum(m) + m.weights[2] + l.weights[0];                                                          \
  })                                                                                                                   \
  CASE(designated, {                                                                                                   \
    struct line l = {.to.y = a, .weights = {[1] = b, 5}, .from = {7}};                                                 \
    return l.from.x + l.from.y * 3 + l.to.x * 5 + l.to.y * 7 + l.weights[0] * 11 + l.weights[1] * 13 +                 \
           l.weights[2] * 17 + l.tag;                                                                                  \
  })                                                                                                                   \
  CASE(pun, {                                                                                                          \
    union word w;                                                                                                      \
    w.i = a * 65536 + b;                                                                                               \
    w.bytes[1] ^= 0x55;                                                                                                \
    union word v = {b};                                                                                                \
    return w.i + v.bytes[0];                                                                                           \
  })                                                                                                                   \
  CASE(unaligned, {                                                                                                    \
    struct tight t = {1, a, {b, 3}, 4};                                                                                \
    struct point p = t.p;                                                                                              \
    t.p = make(p.y, a);                                                                                                \
    t.i += p.x;                                                                                                        \
    int *where = &p.y;                                                                                                 \
    *where += t.s;                                                                                                     \
    return t.i * 100 + t.p.x * 10 + t.p.y + p.y + (int)sizeof(struct tight);                                           \
  })                                                                                                                   \
  CASE(pointers, {                                                                                                     \
    int x = a, values[4] = {a, b, 3}, *p = values;                                                                     \
    set(&x, b * 2);                                                                                                    \
    set(p + 1, x);                                                                                                     \
    set(&values[3], 8);                                                                                                \
    p += 2;                                                                                                            \
    *p++ -= 1;                                                                                                         \
    --*p;                                                                                                              \
    return total(values, 4) + (int)(p - values) * 1000 + (p > values) + p[-2];                                         \
  })                                                                                                                   \
  CASE(swapping, {                                                                                                     \
    struct point p = {a, 1};                                                                                           \
    struct point q = {2, b};                                                                                           \
    if (a > b)                                                                                                         \
      swap(&p, &q);                                                                                                    \
    swap(&q, &p);                                                                                                      \
    return p.x * 27 + p.y * 9 + q.x * 3 + q.y;                                                                         \
  })                                                                                                                   \
  CASE(chosen, {                                                                                                       \
    struct point p = {a, 1};                                                                                           \
    struct point q = {2, b};                                                                                           \
    struct point r = a > b ? p : q;                                                                                    \
    r = (p.x++, r.x > 1) ? r : flip(p);                                                                                \
    int *w = b > 0 ? &p.x : &q.y;                                                                                      \
    *w += 5;                                                                                                           \
    return r.x * 7 + r.y + p.x * 100 + q.y * 1000;                                                                     \
  })                                                                                                                   \
  CASE(large, {                                                                                                        \
    struct big s = fill(a);                                                                                            \
    struct big t = s;                                                                                                  \
    t.values[2] = b;                                                                                                   \
    return middle(s, b + 3) + middle(t, 2) * 3 + s.values[1];                                                          \
  })                                                                                                                   \
  CASE(large_initializer, {                                                                                            \
    int values[200] = {1, 2, 3, [50] = 9, b, [199] = 4};                                                               \
    int zeros[300] = {0};                                                                                              \
    values[a + 3] += 2;                                                                                                \
    zeros[b + 10]++;                                                                                                   \
    int r = 0;                                                                                                         \
    for (int i = 0; i < 200; i++)                                                                                      \
      r = r + values[i] * (i + 1) + zeros[i];                                                                          \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(table, {                                                                                                        \
    const int squares[] = {0, 1, 4, 9, 16, 25, 36, 49};                                                                \
    int cubes[8] = {0, 1, 8, 27, 64, 125, 216, 343};                                                                   \
    int copy[8] = {5, 4, 3, 2, 1, 0, 1, 2};                                                                            \
    copy[a & 7] = b;                                                                                                   \
    return squares[a & 7] + cubes[b & 7] + copy[(a + b) & 7];                                                          \
  })                                                                                                                   \
  CASE(fresh_each_time, {                                                                                              \
    int r = 0;                                                                                                         \
    for (int i = 0; i < 4; i++) {                                                                                      \
      int values[3] = {i};                                                                                             \
      values[(a & 1) + 1] += b;                                                                                        \
      struct point p = {.y = values[1]};                                                                               \
      p.x += values[2];                                                                                                \
      r = r * 3 + values[0] + p.x - p.y;                                                                               \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(two_dimensions, {                                                                                               \
    int m[3][4] = {{1, 2}, {a, b, 5, 6}, {[3] = 7}};                                                                   \
    int(*row)[4] = m + 1;                                                                                              \
    int *flat = &m[0][0];                                                                                              \
    (*row)[1]++;                                                                                                       \
    row[1][0] = a;                                                                                                     \
    return total(flat, 12) + (int)(sizeof m / sizeof m[0]);                                                            \
  })                                                                                                                   \
  CASE(literals, {                                                                                                     \
    struct point *p = &(struct point){a, b};                                                                           \
    p->x += 2;                                                                                                         \
    int *q = (int[]){b, a, 3};                                                                                         \
    q[0]++;                                                                                                            \
    return p->x * 10 + p->y + q[0] + q[1] * 2 + q[2] + ((struct point){.y = 4}).y;                                     \
  })                                                                                                                   \
  CASE(strings, {                                                                                                      \
    char text[8] = "hello";                                                                                            \
    uchar other[4] = {'a', 'b'};                                                                                       \
    text[a & 3] = 'x';                                                                                                 \
    return text[b & 3] + text[4] * 3 + text[5] + text[7] + other[1] + other[3];                                        \
  })                                                                                                                   \
  CASE(bytes_of_int, {                                                                                                 \
    int v = a * 0x01020304;                                                                                            \
    uchar *p = (uchar *)&v;                                                                                            \
    p[2] = (uchar)b;                                                                                                   \
    return v + p[0] + ((short *)p)[1];                                                                                 \
  })                                                                                                                   \
  CASE(null_and_casts, {                                                                                               \
    int x = a;                                                                                                         \
    int *p = b > 0 ? &x : 0;                                                                                           \
    ulong address = (ulong)&x;                                                                                         \
    int *back = (int *)(address + 0);                                                                                  \
    *back += 1;                                                                                                        \
    return (p ? *p : -5) + !p + (p != 0) * 2 + (p == &x) * 4 + (p && *p > 0) * 8;                                      \
  })                                                                                                                   \
  CASE(bools, {                                                                                                        \
    _Bool t = a, u = b > 1, v;                                                                                         \
    v = a & 2;                                                                                                         \
    t += u;                                                                                                            \
    u = !u;                                                                                                            \
    v ^= 1;                                                                                                            \
    v |= b & 4;                                                                                                        \
    return t + u * 2 + v * 4 + (_Bool)0.25f * 8 + (_Bool)(a * 256) * 16 + sizeof(t) * 32;                              \
  })                                                                                                                   \
  CASE(compound_narrow, {                                                                                              \
    char c = (char)(a * 40);                                                                                           \
    uchar u = (uchar)(b * 50);                                                                                         \
    short s = 1000;                                                                                                    \
    c += 100;                                                                                                          \
    u -= 60;                                                                                                           \
    s *= 30;                                                                                                           \
    s <<= 1;                                                                                                           \
    u >>= 1;                                                                                                           \
    c = c * 3 / 2;                                                                                                     \
    u *= 1.5f;                                                                                                         \
    return c++ + ++u + s-- + c + u + s;                                                                                \
  })

enum { SIDE = 9, COUNT = SIDE * SIDE };

#define NATIVE(name, ...) static int name(int a, int b) __VA_ARGS__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Waddress"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wsequence-point"
#pragma GCC diagnostic ignored "-Wunsequenced"
#pragma GCC diagnostic ignored "-Waddress-of-packed-member"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtautological-pointer-compare"
#pragma GCC diagnostic ignored "-Wpointer-bool-conversion"
CASES(NATIVE)
#pragma GCC diagnostic pop

#define TEXT(name, ...) "int f_" #name "(int a, int b) " #__VA_ARGS__ "\n",
#define ROW(name, ...) {#name, name},
static const char *const texts[] = {CASES(TEXT)};
static const struct {
  const char *name;
  int (*native)(int, int);
} rows[] = {CASES(ROW)};

static void check(const char *options) {
  unsigned count = 0;
  static char source[16384];
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, count++) {
    struct lower_test t;
    int32_t out[COUNT] = {0};
    snprintf(source, sizeof source,
             "%s\n%s\nkernel void k(global int *o) { int i = get_global_id(0); o[i] = f_%s(i %% 9 - 3, i / 9 - 3); }\n",
             shared_text, texts[k], rows[k].name);
    lower_test_open(&t, source, options);
    lower_test_run(&t, "k", COUNT, NULL, 0, out, sizeof out);
    for (int i = 0; i < COUNT; i++) {
      int expected = rows[k].native(i % SIDE - 3, i / SIDE - 3);
      cr_assert(out[i] == expected, "%s(%d, %d) %s: %d instead of %d", rows[k].name, i % SIDE - 3, i / SIDE - 3,
                options, out[i], expected);
    }
    lower_test_close(&t);
  }
  cr_assert(count == 20, "%u cases", count);
}

Test(memory, optimized) { check(""); }
Test(memory, not_optimized) { check("-cl-opt-disable"); }
