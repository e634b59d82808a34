// Searching: a first look at some points, halving, then the neighbours of the best.
#include "jit/tune_search.h"

#include <stdlib.h>
#include <string.h>

enum {
  FIRST_RANDOM = 16, // points that a search begins with
  MORE_RANDOM = 8,   // when no neighbour is better
  LEADERS = 3,       // whose neighbours are looked at, and that the last rounds compare
  LAST_ROUNDS = 5,
  ROUNDS_WON = 4,        // that a point must beat the default in
  MOST_PROBES = 1 << 16, // for a random point that is allowed and new
};
// A point whose launch takes less than LEAST_LIMIT is not cancelled, and not out before it has been LEAST_OUT slower.
static const double LEAST_LIMIT = 10e6, LEAST_OUT = 0.2e6;
static const double GIVE_UP = 10, OUT_AT = 3, OUT_LATER = 1.5, BETTER = 0.99, BEATS_DEFAULT = 0.98;

struct search {
  const struct kiln_search_desc *desc;
  const struct kiln_tuning *tuning;
  int64_t *sorted[KILN_TUNING_MAX_PARAMS]; // values of each parameter in ascending order: neighbours lie side by side
  int64_t *storage;
  struct kiln_search_point **points;
  uint32_t count, capacity;
  uint32_t *slots; // hash table of numbers: index + 1
  uint32_t slot_count;
  uint64_t random;
  bool measures_first; // the default and the points that the search begins with
  bool ended, failed;  // failed: memory is exhausted
};

// ---- points ---------------------------------------------------------------------------------------------------------

static uint64_t next_random(struct search *s) { // SplitMix64
  uint64_t z = s->random += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static int compare_values(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

static bool sort_values(struct search *s) {
  const struct kiln_tuning *t = s->tuning;
  size_t total = 0;
  for (uint32_t i = 0; i < t->param_count; i++)
    total += t->params[i].count;
  int64_t *to = s->storage = malloc(total * sizeof *to);
  for (uint32_t i = 0; i < t->param_count && to; i++) {
    s->sorted[i] = memcpy(to, t->params[i].values, t->params[i].count * sizeof *to);
    qsort(to, t->params[i].count, sizeof *to, compare_values);
    to += t->params[i].count;
  }
  return s->storage != NULL;
}

static uint32_t index_of(const struct search *s, uint32_t param, int64_t value) {
  uint32_t at = 0;
  while (at < s->tuning->params[param].count && s->sorted[param][at] != value)
    at++;
  return at;
}

static uint64_t number_of(const struct search *s, const int64_t *values) {
  uint64_t number = 0;
  for (uint32_t i = s->tuning->param_count; i--;)
    number = number * s->tuning->params[i].count + index_of(s, i, values[i]);
  return number;
}

static void values_of(const struct search *s, uint64_t number, int64_t *values) {
  for (uint32_t i = 0; i < s->tuning->param_count; i++) {
    values[i] = s->sorted[i][number % s->tuning->params[i].count];
    number /= s->tuning->params[i].count;
  }
}

static bool is_allowed(const struct search *s, const int64_t *values) {
  uint32_t bad;
  return kiln_tuning_allows(s->tuning, values, s->desc->args, &bad);
}

bool kiln_search_has_values(const struct kiln_tuning *tuning, const int64_t *values) {
  for (uint32_t i = 0; i < tuning->param_count; i++) {
    uint32_t at = 0;
    while (at < tuning->params[i].count && tuning->params[i].values[at] != values[i])
      at++;
    if (at == tuning->params[i].count)
      return false;
  }
  return true;
}

bool kiln_search_is_point(const struct kiln_tuning *tuning, const int64_t *values, const int64_t *args) {
  uint32_t bad;
  return kiln_search_has_values(tuning, values) && kiln_tuning_allows(tuning, values, args, &bad);
}

bool kiln_search_default(const struct kiln_tuning *tuning, const int64_t *args, int64_t *values) {
  uint64_t probes = tuning->points < MOST_PROBES ? tuning->points : MOST_PROBES;
  uint32_t bad;
  for (uint64_t number = 0; number < probes; number++) {
    uint64_t rest = number;
    for (uint32_t i = tuning->param_count; i--; rest /= tuning->params[i].count)
      values[i] = tuning->params[i].values[rest % tuning->params[i].count];
    if (kiln_tuning_allows(tuning, values, args, &bad))
      return true;
  }
  return false;
}

// Where a number is, or would be.
static uint32_t *slot_of(const struct search *s, uint64_t number) {
  uint32_t at = (uint32_t)(number * 0x9E3779B97F4A7C15u >> 33) & (s->slot_count - 1);
  while (s->slots[at] && s->points[s->slots[at] - 1]->number != number)
    at = (at + 1) & (s->slot_count - 1);
  return &s->slots[at];
}

static bool grow(struct search *s) {
  uint32_t capacity = s->capacity ? 2 * s->capacity : 256;
  struct kiln_search_point **points = realloc(s->points, capacity * sizeof(*points));
  uint32_t *slots = calloc(2 * (size_t)capacity, sizeof *slots);
  if (points)
    s->points = points;
  if (!points || !slots) {
    free(slots);
    return false;
  }
  free(s->slots);
  s->slots = slots;
  s->slot_count = 2 * capacity;
  s->capacity = capacity;
  for (uint32_t i = 0; i < s->count; i++)
    *slot_of(s, s->points[i]->number) = i + 1;
  return true;
}

static bool is_new(const struct search *s, uint64_t number) { return !s->slot_count || !*slot_of(s, number); }

// Adds a point that is allowed; NULL: it is there already, or memory is exhausted.
static struct kiln_search_point *add(struct search *s, uint64_t number) {
  if (s->count == s->capacity && !grow(s)) {
    s->failed = s->ended = true;
    return NULL;
  }
  uint32_t *slot = slot_of(s, number);
  if (*slot)
    return NULL;
  struct kiln_search_point *point = calloc(1, sizeof *point);
  if (!point) {
    s->failed = s->ended = true;
    return NULL;
  }
  point->number = number;
  values_of(s, number, point->values);
  s->points[s->count++] = point;
  *slot = s->count;
  return point;
}

static bool is_good(const struct kiln_search_point *p) { return p->state == KILN_SEARCH_GOOD && p->ns > 0; }

static int compare_times(const void *a, const void *b) {
  const struct kiln_search_point *left = *(struct kiln_search_point *const *)a,
                                 *right = *(struct kiln_search_point *const *)b;
  if (left->ns != right->ns)
    return left->ns < right->ns ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

// The best points, the fastest first; returns how many there are.
static uint32_t leaders(const struct search *s, struct kiln_search_point *best[LEADERS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    if (!is_good(s->points[i]))
      continue;
    uint32_t at = count < LEADERS ? count++ : LEADERS;
    for (; at && (at == LEADERS || compare_times(&s->points[i], &best[at - 1]) < 0); at--) {
      if (at == LEADERS && compare_times(&s->points[i], &best[at - 1]) >= 0)
        break;
      if (at < LEADERS)
        best[at] = best[at - 1];
    }
    if (at < LEADERS)
      best[at] = s->points[i];
  }
  return count;
}

static struct kiln_search_point *best_of(const struct search *s) {
  struct kiln_search_point *best[LEADERS];
  return leaders(s, best) ? best[0] : NULL;
}

// ---- measuring ------------------------------------------------------------------------------------------------------

// What the last rounds are going to take.
static double reserve(const struct search *s) {
  struct kiln_search_point *best[LEADERS];
  uint32_t count = leaders(s, best);
  double sum = s->count ? s->points[0]->ns : 0;
  for (uint32_t i = 0; i < count; i++)
    sum += best[i]->ns;
  return sum * LAST_ROUNDS;
}

static void first_look(struct search *s, struct kiln_search_point *point) {
  struct kiln_search_point *best = best_of(s);
  double limit = best ? GIVE_UP * best->ns : 0;
  limit = best && limit < LEAST_LIMIT ? LEAST_LIMIT : limit;
  point->state = s->desc->ops.measure(s->desc->ops.user, point, 1, limit, -1);
  if (point->state != KILN_SEARCH_GOOD)
    point->ns = point->spread_ns = 0;
  uint64_t measured = 0;
  for (uint32_t i = 0; i < s->count; i++)
    measured += is_good(s->points[i]);
  best = best_of(s);
  if (!s->desc->ops.goes_on(s->desc->ops.user, point, best, measured, reserve(s)) ||
      (s->desc->max_points && measured >= s->desc->max_points))
    s->ended = true;
}

// Launches the good ones of a batch that are not much slower than the best 3 times, the best third of them 9 times, and
// so on.
static void halve(struct search *s, struct kiln_search_point **batch, uint32_t count, double out_at) {
  struct kiln_search_point *best = best_of(s);
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++)
    if (is_good(batch[i]) && best && (batch[i]->ns <= out_at * best->ns || batch[i]->ns <= best->ns + LEAST_OUT))
      batch[left++] = batch[i];
  for (uint32_t launches = 3; launches <= 27 && left; launches *= 3) {
    for (uint32_t i = 0; i < left; i++) {
      struct kiln_search_point trial = *batch[i];
      if (s->desc->ops.measure(s->desc->ops.user, &trial, launches, 0, -1) == KILN_SEARCH_GOOD)
        *batch[i] = trial;
      else
        batch[i]->state = KILN_SEARCH_FAILED;
    }
    qsort(batch, left, sizeof(*batch), compare_times);
    left = left > 1 ? (left + 2) / 3 : 0;
  }
}

// Measures points that were added just now: those from first on.
static void evaluate(struct search *s, uint32_t first) {
  uint32_t count = s->count - first, looked = 0;
  struct kiln_search_point **batch = count ? calloc(count, sizeof(*batch)) : NULL;
  if (!batch)
    return;
  for (uint32_t i = 0; i < count; i++)
    if (!s->points[first + i]->is_known)
      batch[looked++] = s->points[first + i];
  count = looked;
  if (s->desc->ops.prepare && count)
    s->desc->ops.prepare(s->desc->ops.user, batch, count);
  for (looked = 0; looked < count && !s->ended; looked++)
    first_look(s, batch[looked]);
  halve(s, batch, looked, s->measures_first ? OUT_AT : OUT_LATER);
  s->measures_first = first == 0;
  free(batch);
}

// ---- choosing -------------------------------------------------------------------------------------------------------

static void add_random(struct search *s, uint32_t count) {
  uint64_t all = s->tuning->points, probes = all < MOST_PROBES ? all : MOST_PROBES;
  for (uint32_t i = 0; i < count && !s->failed; i++) {
    uint64_t number = next_random(s) % all;
    int64_t values[KILN_TUNING_MAX_PARAMS];
    for (uint64_t k = 0; k < probes; k++, number = (number + 1) % all) {
      values_of(s, number, values);
      if (!is_new(s, number) || !is_allowed(s, values))
        continue;
      add(s, number);
      break;
    }
  }
}

static void add_neighbours(struct search *s, const struct kiln_search_point *of) {
  for (uint32_t i = 0; i < s->tuning->param_count && !s->failed; i++) {
    uint32_t at = index_of(s, i, of->values[i]);
    for (int step = -1; step <= 1; step += 2) {
      int64_t values[KILN_TUNING_MAX_PARAMS];
      if ((step < 0 && !at) || (step > 0 && at + 1 >= s->tuning->params[i].count))
        continue;
      memcpy(values, of->values, sizeof values);
      values[i] = s->sorted[i][step < 0 ? at - 1 : at + 1];
      if (is_allowed(s, values))
        add(s, number_of(s, values));
    }
  }
}

static void add_values(struct search *s, const int64_t *values, const struct kiln_search_point *known) {
  if (!kiln_search_is_point(s->tuning, values, s->desc->args))
    return;
  struct kiln_search_point *point = add(s, number_of(s, values));
  if (!point || !known)
    return;
  point->state = known->state;
  point->ns = known->ns;
  point->spread_ns = known->spread_ns;
  point->is_known = true;
}

// The default is the first of all points; what is known of it does not save its first look, by which others are judged.
static bool begin(struct search *s) {
  int64_t values[KILN_TUNING_MAX_PARAMS];
  if (kiln_search_default(s->tuning, s->desc->args, values))
    add(s, number_of(s, values));
  evaluate(s, 0);
  if (!s->count || !is_good(s->points[0]))
    return false;
  for (uint32_t i = 0; i < s->desc->known_count; i++)
    add_values(s, s->desc->known[i].values, &s->desc->known[i]);
  return true;
}

static void search_all(struct search *s) {
  uint32_t first = s->count;
  int64_t values[KILN_TUNING_MAX_PARAMS];
  for (uint64_t number = 0; number < s->tuning->points && !s->failed; number++) {
    values_of(s, number, values);
    if (is_allowed(s, values))
      add(s, number);
  }
  evaluate(s, first);
}

static void search_some(struct search *s) {
  uint32_t first = s->count;
  for (uint32_t i = 0; i < s->desc->start_count; i++)
    add_values(s, s->desc->starts[i], NULL);
  add_random(s, FIRST_RANDOM);
  evaluate(s, first);
  while (!s->ended) {
    struct kiln_search_point *best[LEADERS];
    uint32_t count = leaders(s, best);
    double before = count ? best[0]->ns : 0;
    first = s->count;
    for (uint32_t i = 0; i < count; i++)
      add_neighbours(s, best[i]);
    evaluate(s, first);
    struct kiln_search_point *now = best_of(s);
    if (s->count > first && now && now->ns < BETTER * before)
      continue;
    first = s->count;
    add_random(s, s->ended ? 0 : MORE_RANDOM);
    if (s->count == first)
      return; // nothing is left
    evaluate(s, first);
  }
}

// ---- the last rounds ------------------------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

// The median of the even or of the odd rounds, which may run on different threads: the slower half counts.
static double median(const double *times) {
  double slower = 0;
  for (int half = 0; half < 2; half++) {
    double sorted[LAST_ROUNDS];
    size_t count = 0;
    for (int round = half; round < LAST_ROUNDS; round += 2)
      sorted[count++] = times[round];
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    slower = middle > slower ? middle : slower;
  }
  return slower;
}

// The default and the best take turns; the default stays unless it is beaten clearly and often.
static struct kiln_search_point *decide(struct search *s, double *best_ns, double *default_ns) {
  struct kiln_search_point *rivals[LEADERS + 1] = {s->points[0]}, *best[LEADERS];
  double times[LEADERS + 1][LAST_ROUNDS] = {{0}};
  uint32_t count = 1;
  for (uint32_t i = 0, found = leaders(s, best); i < found; i++)
    if (best[i] != s->points[0])
      rivals[count++] = best[i];
  if (s->desc->ops.prepare)
    s->desc->ops.prepare(s->desc->ops.user, rivals, count);
  for (int round = 0; round < LAST_ROUNDS; round++)
    for (uint32_t i = 0; i < count; i++) {
      struct kiln_search_point trial = *rivals[i];
      if (!is_good(rivals[i]))
        continue;
      rivals[i]->state = s->desc->ops.measure(s->desc->ops.user, &trial, 1, 0, round);
      times[i][round] = trial.ns;
    }
  uint32_t winner = 0;
  *default_ns = *best_ns = is_good(rivals[0]) ? median(times[0]) : rivals[0]->ns;
  for (uint32_t i = 1; i < count; i++) {
    int won = 0;
    for (int round = 0; round < LAST_ROUNDS; round++)
      won += times[i][round] < BEATS_DEFAULT * times[0][round];
    if (is_good(rivals[i]) && won >= ROUNDS_WON && median(times[i]) < *best_ns) {
      winner = i;
      *best_ns = median(times[i]);
    }
  }
  return rivals[winner];
}

static bool take_result(struct search *s, const struct kiln_search_point *best, struct kiln_search_result *out) {
  out->points = calloc(s->count ? s->count : 1, sizeof *out->points);
  for (uint32_t i = 0; i < s->count && out->points; i++) {
    const struct kiln_search_point *p = s->points[i];
    if (p->state == KILN_SEARCH_GOOD && p->ns <= 0)
      continue; // it was to be measured when the search ended
    if (p == best)
      out->best = out->count;
    out->points[out->count++] = *p;
  }
  return out->points != NULL;
}

bool kiln_search_run(const struct kiln_search_desc *desc, struct kiln_search_result *out) {
  struct search s = {.desc = desc, .tuning = desc->tuning, .random = desc->seed, .measures_first = true};
  memset(out, 0, sizeof *out);
  bool good = sort_values(&s) && begin(&s);
  const struct kiln_search_point *best = good ? s.points[0] : NULL;
  if (good) {
    if (desc->all)
      search_all(&s);
    else if (!s.ended)
      search_some(&s);
    best = decide(&s, &out->best_ns, &out->default_ns);
  }
  good &= !s.failed;
  good &= take_result(&s, best, out);
  for (uint32_t i = 0; i < s.count; i++)
    free(s.points[i]);
  free(s.points);
  free(s.slots);
  free(s.storage);
  return good;
}
