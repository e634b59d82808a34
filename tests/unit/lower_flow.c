// Control flow of every shape: each function is compiled by the C compiler and, as text, by Kiln, and both must agree
// on a grid of arguments.
#include "tests/unit/lower_test.h"

#define CASES(CASE)                                                                                                    \
  CASE(forward_goto, {                                                                                                 \
    int r = 1;                                                                                                         \
    if (a > 2)                                                                                                         \
      goto out;                                                                                                        \
    r = b * 3;                                                                                                         \
    if (b < 0)                                                                                                         \
      goto late;                                                                                                       \
    r += a;                                                                                                            \
  late:                                                                                                                \
    r += 100;                                                                                                          \
  out:                                                                                                                 \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(backward_goto, {                                                                                                \
    int r = 0, i = 0;                                                                                                  \
  again:                                                                                                               \
    r += i * a;                                                                                                        \
    i++;                                                                                                               \
    if (i < b)                                                                                                         \
      goto again;                                                                                                      \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(out_of_loops, {                                                                                                 \
    int r = 0;                                                                                                         \
    for (int i = 0; i < 5; i++)                                                                                        \
      for (int j = 0; j < 5; j++) {                                                                                    \
        if (i * j == a + 5)                                                                                            \
          goto found;                                                                                                  \
        if (j > b)                                                                                                     \
          goto next;                                                                                                   \
        r += 10 * i + j;                                                                                               \
      next:;                                                                                                           \
      }                                                                                                                \
    return -r;                                                                                                         \
  found:                                                                                                               \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(retry, {                                                                                                        \
    int n = 0, r = 0;                                                                                                  \
  retry:                                                                                                               \
    for (int i = 0; i < 4; i++) {                                                                                      \
      r = (r * 3 + i + a) & 0xfffff;                                                                                   \
      if (i == 2 && n++ < b)                                                                                           \
        goto retry;                                                                                                    \
    }                                                                                                                  \
    if (r % 7 == 3 && n < 4) {                                                                                         \
      n += 2;                                                                                                          \
      goto retry;                                                                                                      \
    }                                                                                                                  \
    return r ^ n;                                                                                                      \
  })                                                                                                                   \
  CASE(irreducible, {                                                                                                  \
    int r = 0, n = 0;                                                                                                  \
    if (a & 1)                                                                                                         \
      goto two;                                                                                                        \
  one:                                                                                                                 \
    r += 3;                                                                                                            \
    if (n++ > b + 3)                                                                                                   \
      goto done;                                                                                                       \
  two:                                                                                                                 \
    r *= 2;                                                                                                            \
    if (n++ < 6)                                                                                                       \
      goto one;                                                                                                        \
  done:                                                                                                                \
    return r + n;                                                                                                      \
  })                                                                                                                   \
  CASE(into_loop, {                                                                                                    \
    int i = a, r = 0;                                                                                                  \
    if (b > 2)                                                                                                         \
      goto inside;                                                                                                     \
    for (i = 0; i < 4; i++) {                                                                                          \
      r += 5;                                                                                                          \
    inside:                                                                                                            \
      r = r * 2 + i;                                                                                                   \
      if (r > 60)                                                                                                      \
        break;                                                                                                         \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(into_while, {                                                                                                   \
    int r = b;                                                                                                         \
    if (a < 0)                                                                                                         \
      goto middle;                                                                                                     \
    while (a-- > 0) {                                                                                                  \
      r += a;                                                                                                          \
      if (r & 4)                                                                                                       \
        continue;                                                                                                      \
    middle:                                                                                                            \
      r ^= 9;                                                                                                          \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(into_if, {                                                                                                      \
    int r = 0;                                                                                                         \
    if (a == 1)                                                                                                        \
      goto in_then;                                                                                                    \
    if (a == 2)                                                                                                        \
      goto in_else;                                                                                                    \
    if (b > 3) {                                                                                                       \
      r += 1;                                                                                                          \
    in_then:                                                                                                           \
      r += 10;                                                                                                         \
    } else {                                                                                                           \
      r += 100;                                                                                                        \
    in_else:                                                                                                           \
      r += 1000;                                                                                                       \
    }                                                                                                                  \
    if (r < 900 && a-- > 0)                                                                                            \
      goto in_else;                                                                                                    \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(between_branches, {                                                                                             \
    int r = 0;                                                                                                         \
    if (a > b) {                                                                                                       \
      r += 1;                                                                                                          \
      if (a == 3)                                                                                                      \
        goto other;                                                                                                    \
    same:                                                                                                              \
      r += 2;                                                                                                          \
    } else {                                                                                                           \
      r += 50;                                                                                                         \
    other:                                                                                                             \
      r += 70;                                                                                                         \
      if (r < 200 && b == 2)                                                                                           \
        goto same;                                                                                                     \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(into_deep, {                                                                                                    \
    int r = 0, n = 0;                                                                                                  \
  top:                                                                                                                 \
    if (a > 0 && n++ < 3)                                                                                              \
      goto deep;                                                                                                       \
    for (int i = 0; i < 3; i++) {                                                                                      \
      r += 1;                                                                                                          \
      if (i != b) {                                                                                                    \
        do {                                                                                                           \
          r += 10;                                                                                                     \
          {                                                                                                            \
            r += 100;                                                                                                  \
          deep:                                                                                                        \
            i = 2;                                                                                                     \
            r += 1000;                                                                                                 \
          }                                                                                                            \
          if (r % 3 == 1)                                                                                              \
            break;                                                                                                     \
        } while (r < 2500);                                                                                            \
      }                                                                                                                \
    }                                                                                                                  \
    if (n < a)                                                                                                         \
      goto top;                                                                                                        \
    return r + n;                                                                                                      \
  })                                                                                                                   \
  CASE(goto_over_declaration, {                                                                                        \
    int r = a;                                                                                                         \
    if (b > 1)                                                                                                         \
      goto skip;                                                                                                       \
    int x = 5;                                                                                                         \
    r += x;                                                                                                            \
  skip:                                                                                                                \
    x = b;                                                                                                             \
    return r * 2 + x;                                                                                                  \
  })                                                                                                                   \
  CASE(goto_in_switch, {                                                                                               \
    int r = 0, n = 0;                                                                                                  \
    switch (a) {                                                                                                       \
    case 0:                                                                                                            \
      r = 1;                                                                                                           \
    again:                                                                                                             \
      r += 2;                                                                                                          \
      break;                                                                                                           \
    case 1:                                                                                                            \
      r = 7;                                                                                                           \
      if (b > 0)                                                                                                       \
        goto again;                                                                                                    \
    default:                                                                                                           \
      r += 30;                                                                                                         \
    }                                                                                                                  \
    if (n++ < b)                                                                                                       \
      goto again;                                                                                                      \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(plain_switch, {                                                                                                 \
    switch (a) {                                                                                                       \
    case -1:                                                                                                           \
      return b;                                                                                                        \
    case 0:                                                                                                            \
      b += 4;                                                                                                          \
      break;                                                                                                           \
    case 3: {                                                                                                          \
      if (b > 2)                                                                                                       \
        break;                                                                                                         \
      b = 77;                                                                                                          \
      break;                                                                                                           \
    }                                                                                                                  \
    default:                                                                                                           \
      b *= 3;                                                                                                          \
    }                                                                                                                  \
    return b + 1;                                                                                                      \
  })                                                                                                                   \
  CASE(shared_labels, {                                                                                                \
    int r = 0;                                                                                                         \
    switch (a) {                                                                                                       \
    case 1:                                                                                                            \
    case 2:                                                                                                            \
    case 3:                                                                                                            \
      r = 5;                                                                                                           \
      break;                                                                                                           \
    case 4:                                                                                                            \
    default:                                                                                                           \
      r = 6;                                                                                                           \
      break;                                                                                                           \
    case 0:                                                                                                            \
    case -2:                                                                                                           \
      r = b;                                                                                                           \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(fall_through, {                                                                                                 \
    int r = 0;                                                                                                         \
    switch (a) {                                                                                                       \
    case 5:                                                                                                            \
      r += 1;                                                                                                          \
    case 4:                                                                                                            \
      r += 10;                                                                                                         \
      if (b == 2)                                                                                                      \
        break;                                                                                                         \
    case 3:                                                                                                            \
      r += 100;                                                                                                        \
      break;                                                                                                           \
    case 2:                                                                                                            \
      r += 7;                                                                                                          \
    default:                                                                                                           \
      r += 1000;                                                                                                       \
    case 0:                                                                                                            \
      r += 10000;                                                                                                      \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(switch_without_default, {                                                                                       \
    int r = a;                                                                                                         \
    switch (b) {                                                                                                       \
    case 1:                                                                                                            \
      r = 10;                                                                                                          \
    case 2:                                                                                                            \
      r++;                                                                                                             \
    }                                                                                                                  \
    switch (a) {}                                                                                                      \
    switch (a)                                                                                                         \
    case 2:                                                                                                            \
      r += 3;                                                                                                          \
    switch (a) {                                                                                                       \
    default:                                                                                                           \
      r += 9;                                                                                                          \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(duff, {                                                                                                         \
    int n = b + 4, r = 0, k = (n + 3) / 4;                                                                             \
    if (n <= 0)                                                                                                        \
      return -1;                                                                                                       \
    switch (n % 4) {                                                                                                   \
    case 0:                                                                                                            \
      do {                                                                                                             \
        r = r * 3 + 1;                                                                                                 \
      case 3:                                                                                                          \
        r = r * 3 + 2;                                                                                                 \
      case 2:                                                                                                          \
        r = r * 3 + 3;                                                                                                 \
      case 1:                                                                                                          \
        r = r * 3 + a;                                                                                                 \
      } while (--k > 0);                                                                                               \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(case_inside_if, {                                                                                               \
    int r = 0;                                                                                                         \
    switch (a) {                                                                                                       \
    case 0:                                                                                                            \
      r = 1;                                                                                                           \
      if (b > 1) {                                                                                                     \
      case 1:                                                                                                          \
        r += 20;                                                                                                       \
        break;                                                                                                         \
      } else {                                                                                                         \
      default:                                                                                                         \
        r += 300;                                                                                                      \
      }                                                                                                                \
      r += 4000;                                                                                                       \
    case 4:                                                                                                            \
      r += 5;                                                                                                          \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(variable_across_cases, {                                                                                        \
    int r = 0;                                                                                                         \
    switch (a) {                                                                                                       \
      int x;                                                                                                           \
    case 1:                                                                                                            \
      x = 5;                                                                                                           \
      r = x;                                                                                                           \
    case 2:                                                                                                            \
      x = b;                                                                                                           \
      int y = x * 2;                                                                                                   \
      r += y;                                                                                                          \
      break;                                                                                                           \
    case 3:                                                                                                            \
      y = 8;                                                                                                           \
      r = y;                                                                                                           \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(nested_switch, {                                                                                                \
    int r = 0;                                                                                                         \
    for (int i = 0; i < 4; i++) {                                                                                      \
      switch (a + i) {                                                                                                 \
      case 0:                                                                                                          \
        continue;                                                                                                      \
      case 1:                                                                                                          \
        switch (b) {                                                                                                   \
        case 2:                                                                                                        \
          break;                                                                                                       \
        case 3:                                                                                                        \
          continue;                                                                                                    \
        case 4:                                                                                                        \
          return r;                                                                                                    \
        default:                                                                                                       \
          r += 9;                                                                                                      \
        }                                                                                                              \
        r += 2;                                                                                                        \
        break;                                                                                                         \
      default:                                                                                                         \
        r *= 3;                                                                                                        \
      }                                                                                                                \
      r++;                                                                                                             \
    }                                                                                                                  \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(loops, {                                                                                                        \
    int r = 0, i;                                                                                                      \
    for (i = 0;; i++) {                                                                                                \
      if (i > b)                                                                                                       \
        break;                                                                                                         \
      if (i == 2)                                                                                                      \
        continue;                                                                                                      \
      r += i;                                                                                                          \
    }                                                                                                                  \
    while (i-- > a) {                                                                                                  \
      if (i & 1)                                                                                                       \
        continue;                                                                                                      \
      r += 100;                                                                                                        \
    }                                                                                                                  \
    do {                                                                                                               \
      if (r & 1)                                                                                                       \
        continue;                                                                                                      \
      r += 3;                                                                                                          \
    } while (++i < 4);                                                                                                 \
    do {                                                                                                               \
      if (r > 200)                                                                                                     \
        break;                                                                                                         \
      r += 5;                                                                                                          \
      if (r > 150)                                                                                                     \
        continue;                                                                                                      \
      r += 7;                                                                                                          \
    } while (0);                                                                                                       \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(constant_conditions, {                                                                                          \
    int r = a;                                                                                                         \
    if (0)                                                                                                             \
      r = 99;                                                                                                          \
    else if (1)                                                                                                        \
      r += 2;                                                                                                          \
    else                                                                                                               \
      r = 98;                                                                                                          \
    while (0)                                                                                                          \
      r = 97;                                                                                                          \
    while (1) {                                                                                                        \
      r++;                                                                                                             \
      if (r > b)                                                                                                       \
        break;                                                                                                         \
    }                                                                                                                  \
    for (; 1;) {                                                                                                       \
      if (r++ > 10)                                                                                                    \
        return r;                                                                                                      \
    }                                                                                                                  \
  })                                                                                                                   \
  CASE(else_if_chain, {                                                                                                \
    if (a == 0)                                                                                                        \
      return 1;                                                                                                        \
    else if (a == 1)                                                                                                   \
      b++;                                                                                                             \
    else if (a == 2 && b++ > 3)                                                                                        \
      b += 100;                                                                                                        \
    else if (a == 3 || (b += 2) > 4)                                                                                   \
      return b;                                                                                                        \
    else                                                                                                               \
      b *= 3;                                                                                                          \
    return b + 2;                                                                                                      \
  })                                                                                                                   \
  CASE(short_circuit, {                                                                                                \
    int n = 0;                                                                                                         \
    int r = (a > 0 && ++n && b > 1) || (n += 2, b == a) || !(a < -1 && ++n > 1);                                       \
    int s = a ? b ? ++n : n-- : (n += 3, a == b) ? 5 : 6;                                                              \
    return r * 1000 + s * 100 + n;                                                                                     \
  })                                                                                                                   \
  CASE(early_returns, {                                                                                                \
    for (int i = 0; i < 3; i++) {                                                                                      \
      if (i == a)                                                                                                      \
        return i * 10;                                                                                                 \
      if (i == b) {                                                                                                    \
        if (a > 3)                                                                                                     \
          return -i;                                                                                                   \
        else                                                                                                           \
          return i + 100;                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    return a + b;                                                                                                      \
  })                                                                                                                   \
  CASE(dead_code, {                                                                                                    \
    int r = a;                                                                                                         \
    for (;;) {                                                                                                         \
      r += 2;                                                                                                          \
      break;                                                                                                           \
      r = 5;                                                                                                           \
    }                                                                                                                  \
    if (b > 0) {                                                                                                       \
      return r;                                                                                                        \
      r = 6;                                                                                                           \
    } else {                                                                                                           \
      return r + 1;                                                                                                    \
    }                                                                                                                  \
    r = 7;                                                                                                             \
    return r;                                                                                                          \
  })                                                                                                                   \
  CASE(goto_into_and_out_of_dead_code, {                                                                               \
    int r = 0;                                                                                                         \
    if (0) {                                                                                                           \
    inside:                                                                                                            \
      r += 5;                                                                                                          \
      if (r < a)                                                                                                       \
        goto inside;                                                                                                   \
      return r;                                                                                                        \
    }                                                                                                                  \
    while (0) {                                                                                                        \
    body:                                                                                                              \
      r += 70;                                                                                                         \
    }                                                                                                                  \
    r++;                                                                                                               \
    if (b == 3 && r < 10)                                                                                              \
      goto body;                                                                                                       \
    if (b > 2)                                                                                                         \
      goto inside;                                                                                                     \
    return r;                                                                                                          \
  })

enum { SIDE = 9, COUNT = SIDE * SIDE };

#define NATIVE(name, ...) static int name(int a, int b) __VA_ARGS__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wswitch-unreachable"
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wreturn-type"
#pragma GCC diagnostic ignored "-Wmissing-braces"
CASES(NATIVE)
#pragma GCC diagnostic pop

#define TEXT(name, ...)                                                                                                \
  "int f_" #name "(int a, int b) " #__VA_ARGS__ "\n"                                                                   \
  "kernel void " #name "(global int *o) { int i = get_global_id(0); o[i] = f_" #name "(i % 9 - 3, i / 9 - 3); }\n",
#define ROW(name, ...) {#name, name},
static const char *const texts[] = {CASES(TEXT)};
static const struct {
  const char *name;
  int (*native)(int, int);
} rows[] = {CASES(ROW)};

static void check(const char *options) {
  unsigned count = 0;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, count++) {
    struct lower_test t;
    int32_t out[COUNT] = {0};
    lower_test_open(&t, texts[k], options);
    lower_test_run(&t, rows[k].name, COUNT, NULL, 0, out, sizeof out);
    for (int i = 0; i < COUNT; i++) {
      int expected = rows[k].native(i % SIDE - 3, i / SIDE - 3);
      cr_assert(out[i] == expected, "%s(%d, %d) %s: %d instead of %d", rows[k].name, i % SIDE - 3, i / SIDE - 3,
                options, out[i], expected);
    }
    lower_test_close(&t);
  }
  cr_assert(count == 27, "%u cases", count);
}

Test(flow, optimized) { check(""); }
Test(flow, not_optimized) { check("-cl-opt-disable"); }

// ---- long chains ---------------------------------------------------------------------------------------------------

enum { TERMS = 20000 };

// Writes TERMS pieces, each with its number.
static size_t chain(char *out, size_t size, const char *first, const char *piece, const char *last) {
  size_t used = (size_t)snprintf(out, size, "%s", first);
  for (int i = 0; i < TERMS; i++)
    used += (size_t)snprintf(out + used, size - used, piece, i);
  return used + (size_t)snprintf(out + used, size - used, "%s", last);
}

Test(flow, long_chains) {
  static char source[4 << 20];
  size_t used = 0;
  used += chain(source + used, sizeof source - used,
                "kernel void sum(global int *o) { int i = get_global_id(0); o[i] = i", " + (i ^ %d)", "; }\n");
  used += chain(source + used, sizeof source - used,
                "kernel void mixed(global int *o) { int i = get_global_id(0); o[i] = i", " - %dL", "; }\n");
  used +=
      chain(source + used, sizeof source - used,
            "kernel void any(global int *o) { int i = get_global_id(0); o[i] = i < 0", " || i * 7919 == %d", "; }\n");
  used += chain(source + used, sizeof source - used,
                "kernel void all(global int *o) { int i = get_global_id(0); int n = 0; o[i] = 1", " && n++ < i + %d",
                "; o[i] += n * 2; }\n");
  used += chain(source + used, sizeof source - used,
                "kernel void commas(global int *o) { int i = get_global_id(0); int n = 0; o[i] = (n += i", ", n += %d",
                "); }\n");
  struct lower_test t;
  lower_test_open(&t, source, "-cl-opt-disable");
  int32_t out[4];
  lower_test_run(&t, "sum", 4, NULL, 0, out, sizeof out);
  for (int i = 0; i < 4; i++) {
    int expected = i;
    for (int k = 0; k < TERMS; k++)
      expected += i ^ k;
    cr_assert(out[i] == expected, "sum: %d instead of %d", out[i], expected);
  }
  lower_test_run(&t, "mixed", 4, NULL, 0, out, sizeof out);
  cr_assert(out[3] == 3 - TERMS * (TERMS - 1) / 2, "mixed: %d", out[3]);
  lower_test_run(&t, "any", 4, NULL, 0, out, sizeof out);
  cr_assert(out[0] == 1 && out[2] == 1 && out[3] == 0, "any: %d %d %d", out[0], out[2], out[3]);
  lower_test_run(&t, "all", 4, NULL, 0, out, sizeof out);
  cr_assert(out[0] == 2 && out[1] == 1 + 2 * TERMS, "all: %d %d", out[0], out[1]);
  lower_test_run(&t, "commas", 4, NULL, 0, out, sizeof out);
  cr_assert(out[2] == 2 + TERMS * (TERMS - 1) / 2, "commas: %d", out[2]);
  lower_test_close(&t);
}
