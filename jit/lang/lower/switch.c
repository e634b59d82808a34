// switch. The body is cut into groups, each with its labels and statements up to the next label. Groups that fall
// through into the next make a run. A SWITCH picks the run; inside a run of several groups a row of
// `if (entry <= k) { group k }` follows. Anything that does not fit (labels in nested statements, goto into the body)
// is lowered as jumps to labels: lower/goto.c.
#include "jit/lang/lower/lower.h"

struct group {
  uint32_t first, end;           // statements of the body; the first may be a CASE whose statement belongs to the group
  struct kiln_stmt *lead;        // what stands after the last label; NULL: nothing
  uint32_t case_first, case_end; // in the list of cases
  bool is_default;
  uint32_t run;
};
struct shape {
  KILN_VEC(struct group) groups;
  KILN_VEC(int64_t) cases;
  KILN_VEC(uint32_t) case_groups;
  uint32_t run_count;
  bool has_default;
};

static bool is_label(const struct kiln_stmt *s) { return s->kind == KILN_ST_CASE || s->kind == KILN_ST_DEFAULT; }

// Reads the labels at s, and returns what stands after them.
static struct kiln_stmt *labels(struct kiln_lower *L, struct shape *shape, struct group *group, struct kiln_stmt *s) {
  for (; s && is_label(s); s = s->body) {
    if (s->kind == KILN_ST_CASE) {
      KILN_VEC_PUSH(L->arena, &shape->cases, s->value);
      KILN_VEC_PUSH(L->arena, &shape->case_groups, shape->groups.count);
    } else {
      group->is_default = shape->has_default = true;
    }
  }
  return s;
}

static bool group_falls_through(const struct group *group, struct kiln_stmt *const *list) {
  if (group->lead && !kiln_lower_falls_through(group->lead))
    return false;
  for (uint32_t i = group->first + 1; i < group->end; i++)
    if (!kiln_lower_falls_through(list[i]))
      return false;
  return true;
}

static bool is_nothing(const struct kiln_stmt *s) { return !s || (s->kind == KILN_ST_EXPR && !s->expr); }

static void cut(struct kiln_lower *L, struct shape *shape, struct kiln_stmt *const *list, uint32_t count) {
  uint32_t i = 0;
  while (i < count && !is_label(list[i]))
    i++; // declarations, and code that nothing reaches
  while (i < count) {
    struct group group = {.case_first = shape->cases.count, .run = shape->run_count};
    do { // labels with nothing after them belong to the next group
      group.first = i;
      group.lead = labels(L, shape, &group, list[i]);
      for (i++; i < count && !is_label(list[i]);)
        i++;
    } while (is_nothing(group.lead) && i == group.first + 1 && i < count);
    group.end = i;
    group.case_end = shape->cases.count;
    KILN_VEC_PUSH(L->arena, &shape->groups, group);
    if (i == count || !group_falls_through(&group, list))
      shape->run_count++;
  }
}

static void group_body(struct kiln_lower *L, const struct group *group, struct kiln_stmt **list) {
  if (group->lead && !L->dead)
    kiln_lower_stmt(L, group->lead);
  for (uint32_t i = group->first + 1; i < group->end && !L->dead; i++)
    kiln_lower_stmt(L, list[i]);
}

// The groups [first, end) of one run; entry is the number of the group that is entered.
static void run_body(struct kiln_lower *L, const struct shape *shape, uint32_t first, uint32_t end, kiln_value entry,
                     struct kiln_stmt **list) {
  for (uint32_t k = first; k < end; k++) {
    if (!entry || k == end - 1) { // the last group runs wherever the run was entered
      if (!L->dead)
        group_body(L, &shape->groups.items[k], list);
      continue;
    }
    uint32_t region = L->b.region;
    kiln_value limit = kiln_lower_const_int(L, KILN_I32, k);
    kiln_value node = kiln_build_if(&L->b, kiln_build2(&L->b, KILN_OP_SLE, entry, limit));
    kiln_lower_enter(L, kiln_lower_region(L, node, 0));
    group_body(L, &shape->groups.items[k], list);
    kiln_lower_yield(L, NULL, 0);
    kiln_lower_enter(L, kiln_lower_region(L, node, 1));
    kiln_lower_yield(L, NULL, 0);
    kiln_lower_enter(L, region);
  }
}

// SWITCH that yields the number of the group that the selector enters; the number of groups: none. With runs: the
// number of the run as a second result.
static kiln_value entered_group(struct kiln_lower *L, const struct shape *shape, kiln_value selector, kiln_value *run) {
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  uint32_t outer = L->b.region, count = shape->cases.count, none = shape->groups.count;
  kiln_value node = kiln_build_switch(&L->b, selector, shape->cases.items, count);
  kiln_value result = kiln_node_add_result(L->fn, node, i32);
  *run = kiln_node_add_result(L->fn, node, i32);
  for (uint32_t i = 0; i < none; i++)
    if (shape->groups.items[i].is_default)
      none = i;
  for (uint32_t i = 0; i <= count; i++) {
    uint32_t group = i == 0 ? none : shape->case_groups.items[i - 1];
    uint32_t at = group < shape->groups.count ? shape->groups.items[group].run : shape->run_count;
    kiln_value values[] = {kiln_lower_const_int(L, KILN_I32, group), kiln_lower_const_int(L, KILN_I32, at)};
    kiln_lower_enter(L, kiln_lower_region(L, node, i));
    kiln_lower_yield(L, values, 2);
  }
  kiln_lower_enter(L, outer);
  return result;
}

// One SWITCH over the selector does when no run has two labels, the default set aside, or falls through.
static bool is_plain(const struct shape *shape) {
  for (uint32_t i = 0; i < shape->groups.count; i++) {
    const struct group *group = &shape->groups.items[i];
    uint32_t labels = group->case_end - group->case_first;
    if (i && shape->groups.items[i - 1].run == group->run)
      return false;
    if (!group->is_default && labels > 1)
      return false;
  }
  return true;
}

static void plain_switch(struct kiln_lower *L, struct shape *shape, kiln_value selector, struct kiln_stmt **list) {
  // cases that share the statements of the default need no region of their own
  int64_t *cases = KILN_NEW_ARRAY(L->arena, int64_t, shape->cases.count + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < shape->groups.count; i++)
    if (!shape->groups.items[i].is_default)
      cases[count++] = shape->cases.items[shape->groups.items[i].case_first];
  kiln_value node = kiln_build_switch(&L->b, selector, cases, count);
  struct kiln_lower_target target = {.up = L->targets, .break_node = node};
  L->targets = &target;
  bool has_default = false;
  for (uint32_t i = 0, k = 1; i < shape->groups.count; i++) {
    const struct group *group = &shape->groups.items[i];
    has_default |= group->is_default;
    kiln_lower_enter(L, kiln_lower_region(L, node, group->is_default ? 0 : k++));
    group_body(L, group, list);
    kiln_lower_yield(L, NULL, 0);
  }
  if (!has_default) {
    kiln_lower_enter(L, kiln_lower_region(L, node, 0));
    kiln_lower_yield(L, NULL, 0);
  }
  L->targets = target.up;
}

static void run_switch(struct kiln_lower *L, struct shape *shape, kiln_value selector, struct kiln_stmt **list) {
  kiln_value run, entry = entered_group(L, shape, selector, &run);
  int64_t *cases = KILN_NEW_ARRAY(L->arena, int64_t, shape->run_count + 1);
  for (uint32_t i = 0; i < shape->run_count; i++)
    cases[i] = i;
  kiln_value node = kiln_build_switch(&L->b, run, cases, shape->run_count);
  struct kiln_lower_target target = {.up = L->targets, .break_node = node};
  L->targets = &target;
  kiln_lower_enter(L, kiln_lower_region(L, node, 0));
  kiln_lower_yield(L, NULL, 0);
  for (uint32_t first = 0, end; first < shape->groups.count; first = end) {
    uint32_t number = shape->groups.items[first].run;
    for (end = first + 1; end < shape->groups.count && shape->groups.items[end].run == number;)
      end++;
    kiln_lower_enter(L, kiln_lower_region(L, node, number + 1));
    run_body(L, shape, first, end, end - first > 1 ? entry : 0, list);
    kiln_lower_yield(L, NULL, 0);
  }
  L->targets = target.up;
}

// Variables of the body are in scope in every group: they are made before the switch.
static void declare_all(struct kiln_lower *L, struct kiln_stmt *const *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct kiln_stmt *s = list[i];
    while (s && is_label(s))
      s = s->body;
    if (s && s->kind == KILN_ST_DECL)
      kiln_lower_declare(L, s);
  }
}

void kiln_lower_switch(struct kiln_lower *L, struct kiln_stmt *s) {
  if (L->labels && kiln_lower_is_odd_switch(L, s)) {
    kiln_lower_switch_labels(L, s);
    return;
  }
  uint32_t outer = L->b.region;
  kiln_value selector = kiln_lower_value(L, s->expr);
  kiln_lower_at(L, s->location);
  struct kiln_stmt **list = s->body->kind == KILN_ST_COMPOUND ? s->body->stmts : &s->body;
  uint32_t count = s->body->kind == KILN_ST_COMPOUND ? s->body->stmt_count : 1;
  struct shape shape = {0};
  declare_all(L, list, count);
  cut(L, &shape, list, count);
  if (!shape.groups.count)
    return;
  if (is_plain(&shape))
    plain_switch(L, &shape, selector, list);
  else
    run_switch(L, &shape, selector, list);
  kiln_lower_enter(L, outer);
}
