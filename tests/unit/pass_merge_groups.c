// Which kernels' groups may run as one: a kernel that may, and what each condition forbids, next to what it allows. And
// each work-item of a merged group does what it does in its own.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "tests/support/run_ir.h"

struct row {
  const char *what, *first, *second; // in place of the accesses before and after the barrier
  bool may;
};

static const struct row rows[] = {
    {"plain", "store %p, 1:i32, align 4", "%r = load %q, align 4 : i32", true},
    {"a volatile store", "store.volatile %p, 1:i32, align 4", "%r = load %q, align 4 : i32", false},
    {"a volatile load", "store %p, 1:i32, align 4", "%r = load.volatile %q, align 4 : i32", false},
    {"a vector of the same elements", "store %p, 1:i32, align 4",
     "%v = load %q, align 4 : i32x2\n  %r = extract %v, 1:i32 : i32", true},
    {"elements of another size", "store %p, 1:i32, align 4", "%v = load %q, align 2 : i16\n  %r = zext %v : i32",
     false},
    {"another kind of the same size", "store %p, 1.0:f32, align 4", "%r = load %q, align 4 : i32", true},
    {"a step of one element", "%z = padd $0, 1:i64 * 4\n  store %z, 1:i32, align 4", "%r = load %q, align 4 : i32",
     true},
    {"a step of half an element", "%z = padd $0, 1:i64 * 2\n  store %z, 1:i32, align 2", "%r = load %q, align 4 : i32",
     false},
    {"constant steps that make whole elements", "%z = padd $0, 6:i64 * 2\n  store %z, 1:i32, align 4",
     "%r = load %q, align 4 : i32", true},
    {"an index of half elements", "%z = padd $0, %y * 2\n  store %z, 1:i32, align 2", "%r = load %q, align 4 : i32",
     false},
    {"the address as a number", "%z = ptoi %p : i64\n  store %o, %z, align 8", "%r = load %q, align 4 : i32", false},
    {"the address compared", "store %p, 1:i32, align 4", "%z = eq %p, %q\n  %r = zext %z : i32", false},
    {"no barrier", "", "", false},
};

static bool may_merge(const char *first, const char *barrier, const char *second, const char *id) {
  char text[1500];
  struct kiln_module *module;
  snprintf(text, sizeof text,
           "kiln_ir 1\nglobal $0 \"x\" local size 64 align 8\nkernel @k(%%o: ptr.global) {\n"
           "  %%y = local_id %s : i64\n  %%p = padd $0, %%y * 4\n  %s\n  %s\n  %%q = padd $0, 2:i64 * 4\n  %s\n"
           "  store %%o, %s, align 4\n  return\n}\n",
           id, first, barrier, second, *second ? "%r" : "1:i32");
  cr_assert_eq(kiln_module_parse(text, strlen(text), "test", &module), KILN_OK, "%s", kiln_last_error());
  kiln_pass_merge_groups(module->functions[0], 0);
  bool may = module->functions[0]->may_merge;
  kiln_module_free(module);
  return may;
}

Test(pass_merge_groups, conditions) {
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    cr_expect_eq(may_merge(rows[i].first, *rows[i].first ? "barrier [local]" : "", rows[i].second, "1"), rows[i].may,
                 "%s", rows[i].what);
  cr_expect(!may_merge(rows[0].first, "barrier [local]", rows[0].second, "0"), "ids of dimension 0 alone");
}

// ---- what a merged group does ---------------------------------------------------------------------------------------

enum { GROUPS = 8, ROWS = 4, MEMORY = 512 };

// A work-item of its own group, or of the merged one; ids[0] of the state is the group, ids[1] the row, ids[2] whether.
static uint64_t query(const struct run_ir *state, enum kiln_op op, uint64_t dimension) {
  uint64_t group = state->ids[0], row = state->ids[1], width = state->ids[2] ? GROUPS : 1;
  if (op == KILN_OP_LOCAL_ID)
    return dimension ? row : group % width;
  if (op == KILN_OP_GLOBAL_ID)
    return dimension ? row : group;
  if (op == KILN_OP_GROUP_ID)
    return dimension ? 0 : group / width;
  if (op == KILN_OP_GLOBAL_OFFSET)
    return 0;
  if (op == KILN_OP_LOCAL_SIZE || op == KILN_OP_FULL_LOCAL_SIZE)
    return dimension ? ROWS : width;
  return op == KILN_OP_GLOBAL_SIZE ? (dimension ? ROWS : GROUPS) : dimension ? 1 : GROUPS / width;
}

static void run_groups(const struct kiln_function *fn, bool merged, unsigned char memory[MEMORY]) {
  memset(memory, 0, MEMORY);
  for (unsigned item = 0; item < GROUPS * ROWS; item++) {
    union kiln_lanes params[] = {{{RUN_IR_BASE}}};
    struct run_ir run = {.memory = memory,
                         .size = MEMORY,
                         .params = params,
                         .query = query,
                         .ids = {item % GROUPS, item / GROUPS, merged}};
    cr_assert(run_ir(fn, &run), "%s", run.fault);
    run_ir_free(&run);
  }
}

// The body of a kernel, which gives %r; %g is the group, %y the row, %p the work-item's element of local memory.
static const char *const bodies[] = {
    "store %p, %h, align 4\n barrier [local]\n %r = load %p, align 4 : i32\n",
    "%v = vec %h, %k : i32x2\n %w = padd $0, %y * 8\n store %w, %v, align 8\n barrier [local]\n"
    "%u = load %w, align 8 : i32x2\n %r = extract %u, 1:i32 : i32\n",
    "%c = slt %h, 3:i32\n if %c -> (%r: i32, %t: i32) {\n store %p, %k, align 4\n barrier [local]\n"
    "%e = load %p, align 4 : i32\n yield %e, 2:i32\n } else {\n yield 7:i32, %h\n }\n",
    "%c = slt %h, 3:i32\n if %c -> (%r: i32, %t: i32) {\n yield 7:i32, %h\n } else {\n store %p, %k, align 4\n"
    "barrier [local]\n %e = load %p, align 4 : i32\n yield %e, 2:i32\n }\n",
    "%s = local_size 0 : i64\n %n = num_groups 0 : i64\n %m = local_id 0 : i64\n store %p, %h, align 4\n"
    "barrier [local]\n %e = imul %s, %n\n %d = iadd %e, %m\n %r = trunc %d : i32\n",
};

Test(pass_merge_groups, results) {
  for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    unsigned char before[MEMORY], after[MEMORY];
    char text[2000], message[300];
    struct kiln_module *module;
    snprintf(text, sizeof text,
             "kiln_ir 1\nglobal $0 \"x\" local size 1024 align 8\nkernel @k(%%o: ptr.global) {\n"
             "%%y = local_id 1 : i64\n %%g = group_id 0 : i64\n %%h = trunc %%g : i32\n %%k = trunc %%y : i32\n"
             "%%p = padd $0, %%y * 4\n %s %%x0 = global_id 0 : i64\n %%x1 = imul %%x0, 4:i64\n %%x2 = iadd %%x1, %%y\n"
             "%%x3 = padd %%o, %%x2 * 4\n store %%x3, %%r, align 4\n return\n}\n",
             bodies[i]);
    cr_assert_eq(kiln_module_parse(text, strlen(text), "test", &module), KILN_OK, "%s", kiln_last_error());
    run_groups(module->functions[0], false, before);
    cr_assert(kiln_pass_merge_groups(module->functions[0], GROUPS), "body %u", i);
    cr_assert(kiln_module_verify(module, message, sizeof message), "body %u: %s", i, message);
    run_groups(module->functions[0], true, after);
    cr_assert_eq(memcmp(before, after, MEMORY), 0, "body %u", i);
    kiln_module_free(module);
  }
}
