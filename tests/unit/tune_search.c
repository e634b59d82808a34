// The search for the fastest point, on recorded times: no device, no clock.
#include "jit/tune_search.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  int rm, rn, lx, lanes, us;
} rows[] = {
#include "tune_times.def"
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char space[] = "param RM 4 1 2 8 16\nparam RN 1 2 4\nparam LX 32 16 64 128\noption lanes 0 16 32 64\n";
static const double COMPILE_NS = 25e6, BUDGET_NS = 3e9;

// A device of the table. A launch is up to 5 % slower than the row says, by a generator of its own.
struct device {
  struct kiln_tuning tuning;
  double elapsed;
  uint32_t noise, compiled[ROWS], launches;
  int wrong_rm; // its points are wrong; 0: none are
  uint64_t stop_after;
  bool is_endless;
};

static int row_of(const int64_t *v) {
  for (int i = 0; i < ROWS; i++)
    if (rows[i].rm == v[0] && rows[i].rn == v[1] && rows[i].lx == v[2] && rows[i].lanes == v[3])
      return i;
  abort(); // a point that is not in the table
}

static enum kiln_search_state measure(void *user, struct kiln_search_point *point, uint32_t launches, double limit_ns,
                                      int round) {
  struct device *d = user;
  int row = row_of(point->values);
  (void)round;
  if (!d->compiled[row]++)
    d->elapsed += COMPILE_NS;
  if (d->wrong_rm && rows[row].rm == d->wrong_rm)
    return KILN_SEARCH_WRONG;
  double sum = 0, least = 1e18;
  uint32_t i = 0;
  for (; i < launches && sum < 50e6; i++) {
    d->noise = d->noise * 1664525u + 1013904223u;
    double ns = rows[row].us * 1e3 * (1 + 0.05 * (d->noise >> 8) / (1 << 24));
    if (limit_ns > 0 && ns > limit_ns) {
      d->elapsed += limit_ns;
      return KILN_SEARCH_SLOW;
    }
    sum += ns;
    least = ns < least ? ns : least;
  }
  d->launches += i;
  d->elapsed += sum;
  point->ns = i > 2 ? least * 1.02 : sum / i;
  return KILN_SEARCH_GOOD;
}

static bool goes_on(void *user, const struct kiln_search_point *point, const struct kiln_search_point *best,
                    uint64_t points, double reserve_ns) {
  const struct device *d = user;
  (void)point, (void)best;
  return (!d->stop_after || points < d->stop_after) && (d->is_endless || d->elapsed + reserve_ns < BUDGET_NS);
}

static struct device make_device(const char *text) {
  struct device d = {.noise = 7};
  cr_assert_null(kiln_tuning_read(text, &d.tuning));
  return d;
}

static struct kiln_search_result run(struct device *d, struct kiln_search_desc desc) {
  struct kiln_search_result found;
  desc.tuning = &d->tuning;
  desc.ops = (struct kiln_search_ops){.measure = measure, .goes_on = goes_on, .user = d};
  cr_assert(kiln_search_run(&desc, &found));
  return found;
}

static int best_us(void) {
  int best = rows[0].us;
  for (int i = 1; i < ROWS; i++)
    best = rows[i].us < best ? rows[i].us : best;
  return best;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

Test(tune_search, comes_within_5_percent_of_the_best) {
  double ratios[5];
  for (uint64_t seed = 1; seed <= 5; seed++) {
    struct device d =
        make_device("param RM 16 1 2 4 8\nparam RN 4 1 2\nparam LX 16 32 64 128\noption lanes 16 0 32 64\n");
    struct kiln_search_result found = run(&d, (struct kiln_search_desc){.seed = seed});
    ratios[seed - 1] = (double)rows[row_of(found.points[found.best].values)].us / best_us();
    cr_expect_lt(d.elapsed, 1.2 * BUDGET_NS);
    cr_expect_lt(found.count, 120, "a search that measures %u of 240 points", (unsigned)found.count);
    free(found.points);
    kiln_tuning_free(&d.tuning);
  }
  qsort(ratios, 5, sizeof *ratios, compare);
  cr_expect_leq(ratios[2], 1.05, "the median is %.3f", ratios[2]);
  cr_expect_leq(ratios[4], 1.25, "the worst is %.3f", ratios[4]);
}

Test(tune_search, equal_seeds_give_equal_results) {
  struct device a = make_device(space), b = make_device(space), c = make_device(space);
  struct kiln_search_result x = run(&a, (struct kiln_search_desc){.seed = 3}),
                            y = run(&b, (struct kiln_search_desc){.seed = 3}),
                            z = run(&c, (struct kiln_search_desc){.seed = 4});
  cr_assert_eq(x.count, y.count);
  cr_expect_eq(x.best, y.best);
  bool differs = x.count != z.count;
  for (uint32_t i = 0; i < x.count; i++) {
    cr_expect_eq(x.points[i].number, y.points[i].number);
    differs |= i < z.count && x.points[i].number != z.points[i].number;
  }
  cr_expect(differs, "another seed measures the same points");
  free(x.points), free(y.points), free(z.points);
  kiln_tuning_free(&a.tuning), kiln_tuning_free(&b.tuning), kiln_tuning_free(&c.tuning);
}

Test(tune_search, all_means_each_point_that_is_allowed_once) {
  struct device d = make_device("param RM 4 1 2 8 16\nparam RN 1 2 4\nparam LX 32 16 64 128\noption lanes 0 16 32 64\n"
                                "restriction RM * RN <= 8\n");
  d.is_endless = true;
  struct kiln_search_result found = run(&d, (struct kiln_search_desc){.all = true, .seed = 1});
  cr_expect_eq(found.count, (3 + 3 + 2 + 1) * 16, "%u points", (unsigned)found.count); // of RM 1, 2, 4, 8
  for (uint32_t i = 0; i < found.count; i++) {
    cr_expect_leq(found.points[i].values[0] * found.points[i].values[1], 8);
    for (uint32_t k = 0; k < i; k++)
      cr_expect_neq(found.points[i].number, found.points[k].number);
  }
  free(found.points);
  kiln_tuning_free(&d.tuning);
}

Test(tune_search, a_wrong_point_never_wins) {
  struct device d =
      make_device("param RM 1 2 4 8 16\nparam RN 1 2 4\nparam LX 32 16 64 128\noption lanes 16 0 32 64\n");
  d.wrong_rm = 4; // with the fastest points of the table
  struct kiln_search_result found = run(&d, (struct kiln_search_desc){.seed = 1});
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < found.count; i++)
    wrong += found.points[i].state == KILN_SEARCH_WRONG;
  cr_expect_gt(wrong, 0);
  cr_expect_neq(found.points[found.best].values[0], 4);
  cr_expect_lt(found.best_ns, found.default_ns);
  free(found.points);
  kiln_tuning_free(&d.tuning);
}

Test(tune_search, what_is_known_is_not_measured_again) {
  struct device first =
      make_device("param RM 4 1 2 8\nparam RN 1 2 4\nparam LX 32 16 64 128\noption lanes 0 16 32 64\n");
  first.is_endless = true;
  struct kiln_search_result known = run(&first, (struct kiln_search_desc){.all = true, .seed = 1});
  struct device d = make_device(space); // one value more
  d.is_endless = true;
  struct kiln_search_result found =
      run(&d, (struct kiln_search_desc){.all = true, .seed = 1, .known = known.points, .known_count = known.count});
  cr_expect_eq(found.count, ROWS);
  uint32_t compiled = 0;
  for (int i = 0; i < ROWS; i++)
    compiled += rows[i].rm != 16 && d.compiled[i];
  cr_expect_leq(compiled, 4, "%u known points are measured again, of which only the last rounds need some",
                (unsigned)compiled);
  free(known.points), free(found.points);
  kiln_tuning_free(&first.tuning), kiln_tuning_free(&d.tuning);
}

Test(tune_search, a_start_is_among_the_first_points) {
  static const int64_t starts[2][KILN_TUNING_MAX_PARAMS] = {{16, 4, 128, 64}, {3, 4, 128, 64}}; // 3 is no value of RM
  struct device d = make_device(space);
  struct kiln_search_result found = run(&d, (struct kiln_search_desc){.seed = 1, .starts = starts, .start_count = 2});
  cr_expect_eq(memcmp(found.points[1].values, starts[0], 4 * sizeof(int64_t)), 0);
  free(found.points);
  kiln_tuning_free(&d.tuning);
}

Test(tune_search, ends_when_it_is_told_to) {
  struct device d = make_device(space);
  d.stop_after = 5;
  struct kiln_search_result found = run(&d, (struct kiln_search_desc){.seed = 1});
  cr_expect_eq(found.count, 5);
  free(found.points);
  struct device e = make_device(space);
  found = run(&e, (struct kiln_search_desc){.seed = 1, .max_points = 7});
  cr_expect_eq(found.count, 7);
  free(found.points);
  kiln_tuning_free(&d.tuning), kiln_tuning_free(&e.tuning);
}

Test(tune_search, a_default_that_is_wrong_ends_it) {
  struct device d = make_device(space);
  d.wrong_rm = 4;
  struct kiln_search_result found;
  struct kiln_search_desc desc = {
      .tuning = &d.tuning, .seed = 1, .ops = {.measure = measure, .goes_on = goes_on, .user = &d}};
  cr_expect_not(kiln_search_run(&desc, &found));
  free(found.points);
  kiln_tuning_free(&d.tuning);
}

// ---- descriptions ---------------------------------------------------------------------------------------------------

static int64_t value_of(const char *expression) {
  int64_t value = -12345;
  const char *fault = kiln_tuning_constant(expression, &value);
  cr_assert_null(fault, "%s: %s", expression, fault);
  return value;
}

Test(tuning, expressions_are_those_of_if) {
  cr_expect_eq(value_of("1 + 2 * 3"), 7);
  cr_expect_eq(value_of("(1 + 2) * 3 - -4"), 13);
  cr_expect_eq(value_of("7 / 2 << 3 | 1"), 25);
  cr_expect_eq(value_of("-7 % 4"), -3);
  cr_expect_eq(value_of("1 < 2 == 1 && !0"), 1);
  cr_expect_eq(value_of("0 && 1 / 0 || 5"), 1);
  cr_expect_eq(value_of("1 ? 2 : 1 / 0"), 2);
  cr_expect_eq(value_of("0 ? 1 / 0 : 0 ? 4 : 5"), 5);
  cr_expect_eq(value_of("-1 < 0u"), 0);
  cr_expect_eq(value_of("~0 >> 60"), -1);
  cr_expect_eq(value_of("9223372036854775807 + 1 < 0"), 1);
  int64_t value;
  static const char *const wrong[] = {"",  "1 +",   "(1",          "1)",    "1 2",
                                      "x", "1 / 0", "5 % (2 - 2)", "1 ? 2", "99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_expect_not_null(kiln_tuning_constant(wrong[i], &value), "'%s'", wrong[i]);
}

Test(tuning, any_text_is_safe) {
  static const char text[] = "param RM 4 1 2\noption lanes 0 16\narg N 0 4 s\nset T RM*2\nrestriction N % T == 0\n"
                             "problem_size N\nblock_size T\ngrid_divisor T\ntuning_key N\n";
  struct kiln_tuning t;
  cr_assert_null(kiln_tuning_read(text, &t));
  cr_expect_eq(t.points, 6);
  kiln_tuning_free(&t);
  for (size_t i = 0; i < sizeof text - 1; i++)
    for (int c = 0; c < 4; c++) {
      char copy[sizeof text];
      memcpy(copy, text, sizeof text);
      copy[i] = "\n(9 "[c];
      if (!kiln_tuning_read(copy, &t)) {
        int64_t values[KILN_TUNING_MAX_PARAMS] = {0}, args[KILN_TUNING_MAX_NAMES] = {0};
        uint32_t expr;
        (void)kiln_tuning_allows(&t, values, args, &expr);
        (void)kiln_tuning_check(&t, &expr);
        kiln_tuning_free(&t);
      }
    }
}

Test(tuning, a_point_is_one_whose_restrictions_hold) {
  struct kiln_tuning t;
  cr_assert_null(
      kiln_tuning_read("param A 1 2 3\narg N 0 8 u\nrestriction N % A == 0\nrestriction N / (A - 3) < 99\n", &t));
  int64_t args[1] = {6}, two[1] = {2}, three[1] = {3}, four[1] = {4};
  uint32_t bad;
  cr_expect(kiln_tuning_allows(&t, two, args, &bad));
  cr_expect(kiln_search_is_point(&t, two, args));
  cr_expect_not(kiln_search_is_point(&t, four, args), "4 is no value of A");
  cr_expect_not(kiln_tuning_allows(&t, three, args, &bad));
  cr_expect_eq(bad, 1, "a division by zero is told");
  args[0] = 7;
  cr_expect_not(kiln_tuning_allows(&t, two, args, &bad));
  cr_expect_eq(bad, UINT32_MAX);
  kiln_tuning_free(&t);
}
