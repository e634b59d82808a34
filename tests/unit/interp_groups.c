// Operations on sub-groups and work-groups, against what they mean, written down here a second time: over whole and
// partly filled sub-groups, under divergent control, in loops, and with work-items that have returned.
#include "tests/unit/interp_test.h"

#define MAX_ITEMS 128

// What one work-item gets: x are the values of the sub-group or group, on tells who takes part.
struct members {
  const int32_t *x;
  const bool *on;
  unsigned count, self;
};
typedef int32_t oracle_fn(const struct members *m);

static int32_t sum(const struct members *m, unsigned first, unsigned end) {
  int32_t result = 0;
  for (unsigned i = first; i < end && i < m->count; i++)
    result += m->on[i] ? m->x[i] : 0;
  return result;
}
static int32_t reduce_add(const struct members *m) { return sum(m, 0, m->count); }
static int32_t inclusive_add(const struct members *m) { return sum(m, 0, m->self + 1); }
static int32_t exclusive_add(const struct members *m) { return sum(m, 0, m->self); }
static int32_t cluster_add(const struct members *m) { return sum(m, m->self / 4 * 4, m->self / 4 * 4 + 4); }
static int32_t reduce_smin(const struct members *m) {
  int32_t result = INT32_MAX;
  for (unsigned i = 0; i < m->count; i++)
    result = m->on[i] && m->x[i] < result ? m->x[i] : result;
  return result;
}
static int32_t exclusive_umax(const struct members *m) {
  uint32_t result = 0;
  for (unsigned i = 0; i < m->self; i++)
    result = m->on[i] && (uint32_t)m->x[i] > result ? (uint32_t)m->x[i] : result;
  return (int32_t)result;
}
static int32_t inclusive_xor(const struct members *m) {
  int32_t result = 0;
  for (unsigned i = 0; i <= m->self; i++)
    result ^= m->on[i] ? m->x[i] : 0;
  return result;
}
static int32_t votes(const struct members *m) { // all + 2 * any, of x < 0
  bool all = true, any = false;
  for (unsigned i = 0; i < m->count; i++) {
    all &= !m->on[i] || m->x[i] < 0;
    any |= m->on[i] && m->x[i] < 0;
  }
  return all + 2 * any;
}
static int32_t ballot(const struct members *m) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < m->count; i++)
    bits |= (uint64_t)(m->on[i] && m->x[i] < 0) << i;
  return (int32_t)(bits ^ bits >> 32);
}
static int32_t broadcast(const struct members *m) { return m->x[0]; }
static int32_t shuffle_self(const struct members *m) { return m->x[m->self]; }
static int32_t reduce_float(const struct members *m) { return sum(m, 0, m->count); } // small integers: exact
static int32_t exclusive_fmax(const struct members *m) {                             // -1000 for minus infinity
  int32_t result = -1000;
  for (unsigned i = 0; i < m->self; i++)
    result = m->on[i] && m->x[i] > result ? m->x[i] : result;
  return result;
}

#define FLOAT(op) "  %f = stof.rte %x : f32\n  %g = " op "\n  %h = fmax %g, -1000.0:f32\n  %r = ftos.rtz %h : i32\n"
#define VOTE(scope)                                                                                                    \
  "  %c = slt %x, 0:i32\n  %a = group_all %c, " scope "\n  %b = group_any %c, " scope                                  \
  "\n  %a1 = zext %a : i32\n  %b1 = zext %b : i32\n  %b2 = shl %b1, 1:i32\n  %r = or %a1, %b2\n"

static const struct op_case {
  const char *text; // computes %r from %x and %l, the linear local id
  oracle_fn *oracle;
  bool group;       // of the whole group
  bool needs_first; // the first work-item must take part
} ops[] = {
    {"  %r = group_reduce.add %x, sub_group\n", reduce_add, false, false},
    {"  %r = group_reduce.add %x, sub_group, cluster 4\n", cluster_add, false, false},
    {"  %r = group_reduce.smin %x, sub_group\n", reduce_smin, false, false},
    {"  %r = group_scan_inclusive.add %x, sub_group\n", inclusive_add, false, false},
    {"  %r = group_scan_inclusive.xor %x, sub_group\n", inclusive_xor, false, false},
    {"  %r = group_scan_exclusive.add %x, sub_group\n", exclusive_add, false, false},
    {"  %r = group_scan_exclusive.umax %x, sub_group\n", exclusive_umax, false, false},
    {FLOAT("group_reduce.fadd %f, sub_group"), reduce_float, false, false},
    {FLOAT("group_scan_exclusive.fmax %f, sub_group"), exclusive_fmax, false, false},
    {VOTE("sub_group"), votes, false, false},
    {"  %c = slt %x, 0:i32\n  %m = sub_group_ballot %c : i64\n  %u = lshr %m, 32:i64\n  %v = xor %m, %u\n"
     "  %r = trunc %v : i32\n",
     ballot, false, false},
    {"  %r = group_broadcast %x, 0:i32, sub_group\n", broadcast, false, true},
    {"  %s = sub_group_local_id : i32\n  sub_group_barrier [local]\n  %r = sub_group_shuffle %x, %s\n", shuffle_self,
     false, false},
    {"  %r = group_reduce.add %x, group\n", reduce_add, true, false},
    {"  %r = group_reduce.smin %x, group\n", reduce_smin, true, false},
    {"  %r = group_scan_inclusive.add %x, group\n", inclusive_add, true, false},
    {"  %r = group_scan_exclusive.umax %x, group\n", exclusive_umax, true, false},
    {VOTE("group"), votes, true, false},
    {"  %r = group_broadcast %x, 0:i32, group\n", broadcast, true, true},
};
#define OP_COUNT (sizeof ops / sizeof *ops)

// How the operation is reached.
enum path { STRAIGHT, BRANCH, RETURNED, LOOPED, PATH_COUNT };
static const char *const before[PATH_COUNT] = {
    [STRAIGHT] = "",
    [BRANCH] = "  %odd = and %l, 1:i32\n  %is = ne %odd, 0:i32\n  if %is {\n",
    [RETURNED] = ("  %t = urem %l, 3:i32\n  %is = ne %t, 1:i32\n  block ^out {\n  if %is {\n  yield\n} else {\n"
                  "  break ^out\n}\n"),
    // Each makes l % 4 + 1 rounds and keeps what the last one gave.
    [LOOPED] = "  %t = and %l, 3:i32\n  loop ^again (%i: i32 = 0:i32) {\n",
};
static const char *const behind[PATH_COUNT] = {
    [STRAIGHT] = "  store %p, %r, align 4\n",
    [BRANCH] = "  store %p, %r, align 4\n  yield\n}\n",
    [RETURNED] = "  store %p, %r, align 4\n  yield\n}\n",
    [LOOPED] = ("  store %p, %r, align 4\n  %more = ult %i, %t\n  if %more {\n  %n = iadd %i, 1:i32\n"
                "  continue ^again, %n\n} else {\n  break ^again\n}\n  unreachable\n}\n"),
};
// Whether a work-item is there when another one gets its result.
static bool takes_part(enum path path, unsigned self, unsigned other) {
  switch (path) {
  case STRAIGHT:
  case PATH_COUNT:
    break;
  case BRANCH:
    return other % 2 == 1;
  case RETURNED:
    return other % 3 != 1;
  case LOOPED:
    return other % 4 >= self % 4;
  }
  return true;
}

static void build(char *text, size_t size, const char *op, enum path path) {
  snprintf(text, size,
           "kiln_ir 1\nkernel @k(%%in: ptr.global, %%out: ptr.global) {\n"
           "  %%x0 = local_id 0 : i64\n  %%x1 = local_id 1 : i64\n  %%x2 = local_id 2 : i64\n"
           "  %%s0 = local_size 0 : i64\n  %%s1 = local_size 1 : i64\n"
           "  %%m2 = imul %%x2, %%s1\n  %%a2 = iadd %%m2, %%x1\n  %%m1 = imul %%a2, %%s0\n"
           "  %%l64 = iadd %%m1, %%x0\n  %%l = trunc %%l64 : i32\n"
           "  %%q = padd %%in, %%l64 * 4\n  %%x = load %%q, align 4 : i32\n  %%p = padd %%out, %%l64 * 4\n"
           "%s%s%s  return\n}\n",
           before[path], op, behind[path]);
}

static void check(struct machine *m, uint32_t warp, const struct op_case *op, enum path path, const uint64_t local[3]) {
  char text[4096];
  build(text, sizeof text, op->text, path);
  unsigned count = (unsigned)(local[0] * local[1] * local[2]);
  int32_t input[MAX_ITEMS];
  for (unsigned i = 0; i < count; i++)
    input[i] = (int32_t)((i * 37 + 11) % 101) - 50;
  struct kiln_drv_memory *in = machine_buffer(m, sizeof input, input), *out = machine_buffer(m, sizeof input, NULL);
  struct kiln_drv_arg args[2] = {buffer_arg(in), buffer_arg(out)};
  struct run_desc desc = {.work_dim = 3, .args = args, .arg_count = 2};
  memcpy(desc.global, local, sizeof desc.global);
  memcpy(desc.local, local, sizeof desc.local);
  cr_assert_eq(machine_run(m, text, &desc), KILN_OK, "%s: %s", op->text, machine_message(m));
  const int32_t *got = m->driver->host_pointer(m->drv, out);
  for (unsigned self = 0; self < count; self++) {
    unsigned size = op->group ? count : warp, first = self / size * size;
    bool on[MAX_ITEMS];
    for (unsigned i = first; i < count && i < first + size; i++)
      on[i] = takes_part(path, self, i);
    struct members members = {input + first, on + first, count - first < size ? count - first : size, self - first};
    if (!on[self])
      continue;
    cr_assert_eq(got[self], op->oracle(&members), "%s warp %u path %d: work-item %u of %u gets %d instead of %d",
                 op->text, warp, path, self, count, got[self], op->oracle(&members));
  }
  m->driver->free(m->drv, in);
  m->driver->free(m->drv, out);
}

Test(interp_groups, every_operation_on_every_way) {
  static const uint64_t locals[][3] = {{1, 1, 1}, {33, 1, 1}, {8, 8, 1}, {3, 5, 2}, {64, 1, 1}};
  static const struct {
    const char *arch;
    uint32_t warp;
  } archs[] = {{"warp1", 1}, {"warp8", 8}, {"generic", 16}, {"warp64", 64}};
  unsigned runs = 0;
  for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
    struct machine m;
    machine_open_arch(&m, archs[a].arch);
    for (size_t i = 0; i < OP_COUNT; i++)
      for (int path = 0; path < PATH_COUNT; path++)
        for (size_t k = 0; k < sizeof locals / sizeof *locals; k++) {
          if (ops[i].group && path != STRAIGHT)
            continue; // all must get there
          if (ops[i].needs_first && path != STRAIGHT)
            continue;
          check(&m, archs[a].warp, &ops[i], (enum path)path, locals[k]);
          runs++;
        }
    machine_close(&m);
  }
  cr_expect_eq(runs, 4 * 5 * (12 * 4 + 1 + 6));
}

Test(interp_groups, queries) {
  static const char text[] =
      "kiln_ir 1\nkernel @k(%in: ptr.global, %out: ptr.global) {\n"
      "  %g = global_id 0 : i64\n  %p = padd %out, %g * 4\n"
      "  %a = sub_group_size : i32\n  %b = max_sub_group_size : i32\n  %c = num_sub_groups : i32\n"
      "  %d = sub_group_id : i32\n  %e = sub_group_local_id : i32\n"
      "  %b1 = imul %b, 100:i32\n  %c1 = imul %c, 10000:i32\n  %d1 = imul %d, 100000:i32\n"
      "  %e1 = imul %e, 1000000:i32\n  %r1 = iadd %a, %b1\n  %r2 = iadd %r1, %c1\n  %r3 = iadd %r2, %d1\n"
      "  %r4 = iadd %r3, %e1\n  store %p, %r4, align 4\n  return\n}\n";
  struct machine m;
  machine_open_arch(&m, "warp8");
  struct kiln_drv_memory *out = machine_buffer(&m, 28 * 4, NULL);
  struct kiln_drv_arg args[2] = {buffer_arg(out), buffer_arg(out)};
  struct run_desc desc = {.global = {28}, .local = {18}, .args = args, .arg_count = 2}; // 18, then 10 work-items
  cr_assert_eq(machine_run(&m, text, &desc), KILN_OK, "%s", machine_message(&m));
  const int32_t *got = m.driver->host_pointer(m.drv, out);
  for (int i = 0; i < 28; i++) {
    int group = i < 18 ? 18 : 10, l = i % 18, size = group - l / 8 * 8 < 8 ? group - l / 8 * 8 : 8;
    cr_expect_eq(got[i], size + 800 + (group + 7) / 8 * 10000 + l / 8 * 100000 + l % 8 * 1000000, "work-item %d: %d", i,
                 got[i]);
  }
  m.driver->free(m.drv, out);
  machine_close(&m);
}

Test(interp_groups, faults) {
  static const struct {
    const char *body, *message;
  } cases[] = {
      {"  %s = sub_group_local_id : i32\n  %r = group_broadcast %s, %s, sub_group\n  store %out, %r, align 4\n",
       "others that run this broadcast ask for that of 0"},
      {"  %s = sub_group_local_id : i32\n  %r = sub_group_shuffle %s, 40:i32\n  %c = eq %r, 0:i32\n"
       "  if %c {\n  yield\n}\n",
       "never initialised"},
      {"  %s = sub_group_local_id : i32\n  %c = ult %s, 4:i32\n  if %c {\n"
       "  %r = group_broadcast %s, 5:i32, sub_group\n  %d = eq %r, 0:i32\n  if %d {\n  yield\n}\n  yield\n}\n",
       "never initialised"},
      {"  %s = sub_group_local_id : i32\n  %c = ult %s, 4:i32\n  if %c {\n"
       "  %r = group_reduce.add %s, group\n  yield\n} else {\n  barrier []\n  yield\n}\n",
       "waits at this barrier"},
      {"  %s = sub_group_local_id : i32\n  %c = ult %s, 4:i32\n  block ^out {\n  if %c {\n  break ^out\n  }\n"
       "  %r = group_reduce.add %s, group\n  yield\n}\n",
       "has returned"},
  };
  struct machine m;
  machine_open(&m);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text, "kiln_ir 1\nkernel @k(%%in: ptr.global, %%out: ptr.global) {\n%s  return\n}\n",
             cases[i].body);
    struct kiln_drv_memory *out = machine_buffer(&m, 64, NULL);
    struct kiln_drv_arg args[2] = {buffer_arg(out), buffer_arg(out)};
    struct run_desc desc = {.global = {16}, .local = {16}, .args = args, .arg_count = 2};
    cr_expect_eq(machine_run(&m, text, &desc), KILN_ERR_DEVICE, "case %zu", i);
    cr_expect(strstr(machine_message(&m), cases[i].message), "case %zu: %s", i, machine_message(&m));
    m.driver->free(m.drv, out);
  }
  machine_close(&m);
}
