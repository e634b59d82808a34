// Operations that are not PURE, control flow, calls, pointers: one small kernel each, with its results. The last test
// sees to it that every operation of the table is in some kernel.
#include "tests/unit/interp_test.h"

// Every kernel gets %o (64 x i32, zero) and %i (64 x i32: 0, 10, 20, …), both global.
struct op_case {
  const char *name, *text;
  uint64_t global, local;
  int32_t expected[16]; // of the first elements of %o
  const char *printed;
};

#define KERNEL "kernel @k(%o: ptr.global, %i: ptr.global) {\n"
#define END "  return\n}\n"
// out[n] = value
#define OUT(n, value) "  %o" #n " = padd %o, " #n ":i64 * 4\n  store %o" #n ", " value ", align 4\n"

static const struct op_case cases[] = {
    {"load and store of a vector",
     KERNEL "  %v = load %i, align 16 : i32x4\n  %w = iadd %v, 1:i32x4\n  store %o, %w, align 16\n" END,
     1,
     1,
     {1, 11, 21, 31}},
    {"padd with negative stride",
     KERNEL "  %a = padd %i, 5:i64 * 4\n  %b = padd %a, 2:i64 * -4\n  %v = load %b, align 4 : i32\n" OUT(0, "%v") END,
     1,
     1,
     {30}},
    {"private variable",
     KERNEL "  %v = var 8, align 4 : ptr.private\n  store %v, 7:i32, align 4\n  %h = padd %v, 1:i64 * 4\n"
            "  store %h, 8:i32, align 4\n  %x = load %v, align 4 : i32x2\n  store %o, %x, align 8\n" END,
     1,
     1,
     {7, 8}},
    {"generic, integer and stored pointers",
     KERNEL "  %v = var 8, align 8 : ptr.private\n  %h = padd %i, 3:i64 * 4\n  store %v, %h, align 8\n"
            "  %p = load %v, align 8 : ptr.global\n  %a = load %p, align 4 : i32\n" OUT(
                0, "%a") "  %n = ptoi %p : i64\n  %n4 = iadd %n, 4:i64\n  %q = itop %n4 : ptr.generic\n"
                         "  %b = load %q, align 4 : i32\n" OUT(
                             1, "%b") "  %c = pcast %q : ptr.global\n  %d = load %c, align 4 : "
                                      "i32\n" OUT(2, "%d") "  %vg = pcast %v : ptr.generic\n  %e = load "
                                                           "%vg, align 4 : i32\n  %t = trunc %n : i32\n"
                                                           "  %same = eq %e, %t\n  %f = zext %same : "
                                                           "i32\n" OUT(3, "%f") "  %lt = ult %p, %c\n  %g "
                                                                                "= zext %lt : i32\n" OUT(4, "%g") END,
     1,
     1,
     {30, 40, 40, 1, 1}},
    {"where generic pointers lead",
     "global $l \"l\" local size 16 align 4\n" KERNEL
     "  %v = var 8, align 8 : ptr.private\n  %gv = pcast %v : ptr.generic\n  %gl = pcast $l : ptr.generic\n"
     "  %gi = pcast %i : ptr.generic\n  %n = ptoi %i : i64\n  %q = itop %n : ptr.generic\n"
     "  %a = pspace %gv : i32\n" OUT(0, "%a") "  %b = pspace %gl : i32\n" OUT(1, "%b") "  %c = pspace %gi : i32\n" OUT(
         2, "%c") "  %d = pspace %q : i32\n" OUT(3, "%d") "  %e = pspace null:ptr.generic : i32\n" OUT(4, "%e") END,
     1,
     1,
     {0, 3, 1, 1, 1}},
    {"copy",
     KERNEL
     "  %v = var 16, align 4 : ptr.private\n  copy %v, %i, bytes 16, align 4\n  copy %o, %v, bytes 16, align 4\n" END,
     1,
     1,
     {0, 10, 20, 30}},
    {"constants of the module",
     "global $0 \"t\" constant size 8 align 4 = \"\\01\\00\\00\\00\\02\\00\\00\\00\"\n"
     "global $1 \"p\" constant size 8 align 8 = \"\\00\\00\\00\\00\\00\\00\\00\\00\" relocs [0: $0 + 4]\n"
     "global $2 \"g\" global size 4 align 4\n" KERNEL "  %a = load $0, align 4 : i32\n" OUT(
         0, "%a") "  %p = load $1, align 8 : ptr.constant\n"
                  "  %b = load %p, align 4 : i32\n" OUT(
                      1, "%b") "  store $2, 9:i32, align 4\n  %c = load $2, align 4 : i32\n" OUT(2, "%c") END,
     1,
     1,
     {1, 2, 9}},
    {"const_vec and undef", KERNEL "  store %o, {1, 2, undef, 4}:i32x4, align 4\n" END, 1, 1, {1, 2, 0, 4}},
    {"atomics",
     KERNEL
     "  %a = atomic_rmw.add %o, 5:i32, relaxed device\n  %b = atomic_rmw.sub %o, 1:i32, relaxed device\n"
     "  %o1 = padd %o, 1:i64 * 4\n  atomic_store %o1, %b, release group\n"
     "  %c = atomic_load %o1, acquire group : i32\n" OUT(
         2,
         "%c") "  %o3 = padd %o, 3:i64 * 4\n  %d = atomic_cas %o3, 0:i32, 77:i32, seq_cst system\n"
               "  %e = atomic_cas %o3, 0:i32, 78:i32, seq_cst system\n" OUT(
                   4,
                   "%e") "  %o5 = padd %o, 5:i64 * 4\n  %f = atomic_rmw.xchg %o5, 6:i32, relaxed device\n"
                         "  %g = atomic_rmw.or %o5, 8:i32, relaxed device\n  %h = atomic_rmw.and %o5, 12:i32, relaxed "
                         "device\n"
                         "  %j = atomic_rmw.xor %o5, 5:i32, relaxed device\n"
                         "  %o6 = padd %o, 6:i64 * 4\n  %k0 = atomic_rmw.smin %o6, -3:i32, relaxed device\n"
                         "  %k1 = atomic_rmw.umin %o6, 9:i32, relaxed device\n  %k2 = atomic_rmw.smax %o6, 11:i32, "
                         "relaxed device\n"
                         "  %k3 = atomic_rmw.umax %o6, -1:i32, relaxed device\n"
                         "  %o7 = padd %o, 7:i64 * 4\n  %l0 = atomic_rmw.fadd %o7, 1.5:f32, relaxed device\n"
                         "  %l1 = atomic_rmw.fmin %o7, 1.0:f32, relaxed device\n  %l2 = atomic_rmw.fmax %o7, 2.0:f32, "
                         "relaxed device\n"
                         "  %o8 = padd %o, 8:i64 * 4\n  %m = atomic_rmw.add %o8, 4294967297:i64, relaxed device\n" END,
     1,
     1,
     {4, 5, 5, 77, 77, 9, -1, 0x40000000, 1, 1}},
    {"atomics of many groups", KERNEL "  %a = atomic_rmw.add %o, 1:i32, relaxed device\n" END, 10000, 16, {10000}},
    {"work-item queries",
     KERNEL "  %g = global_id 0 : i64\n  %l = local_id 0 : i64\n  %r = group_id 0 : i64\n  %gs = global_size 0 : i64\n"
            "  %ls = local_size 0 : i64\n  %fs = full_local_size 0 : i64\n  %ng = num_groups 0 : i64\n"
            "  %of = global_offset 0 : i64\n  %wd = work_dim : i32\n"
            "  %a = imul %r, 1000:i64\n  %b = iadd %a, %l\n  %ls100 = imul %ls, 100:i64\n  %c = iadd %b, %ls100\n"
            "  %d = trunc %c : i32\n  %p = padd %o, %g * 4\n  store %p, %d, align 4\n"
            "  %last = eq %g, 10:i64\n  if %last {\n"
            "    %x0 = iadd %gs, %fs\n    %x1 = iadd %x0, %ng\n    %x2 = iadd %x1, %of\n    %x3 = trunc %x2 : i32\n"
            "    %x4 = iadd %x3, %wd\n    store %p, %x4, align 4\n    yield\n  }\n" END,
     11,
     4,
     {400, 401, 402, 403, 1400, 1401, 1402, 1403, 2300, 2301, 11 + 4 + 3 + 0 + 1}},
    {"noalias, where the launch does not say so",
     KERNEL "  %c = noalias : bool\n  %v = select %c, 5:i32, 7:i32\n" OUT(0, "%v") END,
     1,
     1,
     {7}},
    {"agree, of each work-item alone",
     KERNEL "  %g = global_id 0 : i64\n  %c = ult %g, 2:i64\n  %t = agree %c : bool\n  %v = select %t, 5:i32, 7:i32\n"
            "  %p = padd %o, %g * 4\n  store %p, %v, align 4\n" END,
     4,
     4,
     {5, 5, 7, 7}},
    {"queries of dimensions that are not used",
     KERNEL "  %g = global_id 2 : i64\n  %s = local_size 1 : i64\n  %n = num_groups 2 : i64\n  %a = iadd %g, %s\n"
            "  %b = iadd %a, %n\n  %c = trunc %b : i32\n" OUT(0, "%c") END,
     1,
     1,
     {2}},
    {"if with results",
     KERNEL
     "  %g = global_id 0 : i64\n  %p = padd %o, %g * 4\n  %c = ult %g, 2:i64\n"
     "  block ^b -> (%r: i32, %q: i32) {\n    if %c {\n      break ^b, 5:i32, 6:i32\n    } else {\n      yield\n    }\n"
     "    yield 7:i32, 8:i32\n  }\n  %x = imul %r, %q\n  store %p, %x, align 4\n" END,
     4,
     2,
     {30, 30, 56, 56}},
    {"loop with swapped phis",
     KERNEL "  loop ^l (%n: i32 = 0:i32, %a: i32 = 1:i32, %b: i32 = 2:i32) -> (%r: i32, %s: i32) {\n"
            "    %end = eq %n, 3:i32\n    if %end {\n      break ^l, %a, %b\n    }\n"
            "    %n1 = iadd %n, 1:i32\n    continue ^l, %n1, %b, %a\n  }\n" OUT(0, "%r") OUT(1, "%s") END,
     1,
     1,
     {2, 1}},
    {"nested loops with break and continue",
     KERNEL "  loop ^a (%i1: i32 = 0:i32, %s: i32 = 0:i32) -> (%r: i32) {\n"
            "    %ae = sle 5:i32, %i1\n    if %ae {\n      break ^a, %s\n    }\n"
            "    loop ^b (%j: i32 = 0:i32, %t: i32 = %s) -> (%u: i32) {\n"
            "      %be = sle 5:i32, %j\n      if %be {\n        break ^b, %t\n      }\n"
            "      %i2 = iadd %i1, 1:i32\n      %j1 = iadd %j, 1:i32\n"
            "      %skip = eq %j, 1:i32\n      if %skip {\n        continue ^b, %j1, %t\n      }\n"
            "      %big = sle 3:i32, %i1\n      if %big {\n        continue ^a, %i2, %t\n      }\n"
            "      %t1 = iadd %t, 1:i32\n      continue ^b, %j1, %t1\n    }\n"
            "    %i3 = iadd %i1, 1:i32\n    continue ^a, %i3, %u\n  }\n" OUT(0, "%r") END,
     1,
     1,
     {12}},
    {"switch",
     KERNEL "  %g = global_id 0 : i64\n  %x = trunc %g : i32\n  %y = isub %x, 1:i32\n  %p = padd %o, %g * 4\n"
            "  switch ^s %y [7, -1, 2, 0] -> (%r: i32) {\n    yield 99:i32\n  } case 7 {\n    yield 70:i32\n"
            "  } case -1 {\n    break ^s, -10:i32\n  } case 2 {\n    yield 20:i32\n  } case 0 {\n    yield 0:i32\n  }\n"
            "  store %p, %r, align 4\n" END,
     9,
     3,
     {-10, 0, 99, 20, 99, 99, 99, 99, 70}},
    {"calls",
     "func @sum(%a: i32, %b: i32x2, %p: ptr.global) : i32 noinline {\n  %v = var 4, align 4 : ptr.private\n"
     "  store %v, %a, align 4\n  %e = extract %b, 1:i32 : i32\n  %x = load %v, align 4 : i32\n  %s = iadd %x, %e\n"
     "  %t = call @twice(%s) : i32\n  %u = load %v, align 4 : i32\n  %w = iadd %t, %u\n  call @put(%p, %w)\n  return "
     "%w\n}\n"
     "func @twice(%a: i32) : i32 noinline {\n  %v = var 64, align 16 : ptr.private\n  store %v, -1:i32x16, align 16\n"
     "  %r = iadd %a, %a\n  return %r\n}\n"
     "func @put(%p: ptr.global, %v: i32) noinline {\n  store %p, %v, align 4\n  return\n}\n" KERNEL
     "  %v = load %i, align 8 : i32x2\n  %q = padd %o, 1:i64 * 4\n  %r = call @sum(3:i32, %v, %q) : i32\n" OUT(0, "%r")
         END,
     1,
     1,
     {29, 29}},
    {"barrier and local memory",
     "global $0 \"tile\" local size 32 align 4\n" KERNEL
     "  %g = global_id 0 : i64\n  %l = local_id 0 : i64\n  %n = local_size 0 : i64\n  %src = padd %i, %g * 4\n"
     "  %v = load %src, align 4 : i32\n  %at = padd $0, %l * 4\n  store %at, %v, align 4\n  barrier [local]\n"
     "  %n1 = isub %n, 1:i64\n  %r = isub %n1, %l\n  %from = padd $0, %r * 4\n  %w = load %from, align 4 : i32\n"
     "  %dst = padd %o, %g * 4\n  store %dst, %w, align 4\n" END,
     13,
     8,
     {70, 60, 50, 40, 30, 20, 10, 0, 120, 110, 100, 90, 80}},
    {"barrier in a loop and in a function",
     "global $0 \"tile\" local size 32 align 4\nfunc @sync() noinline {\n  barrier [local, global]\n  "
     "return\n}\n" KERNEL
     "  %g = global_id 0 : i64\n  %l = local_id 0 : i64\n  %at = padd $0, %l * 4\n  %src = padd %i, %g * 4\n"
     "  %v = load %src, align 4 : i32\n  store %at, %v, align 4\n  call @sync()\n"
     "  loop ^l (%k: i64 = 4:i64) {\n    %c = ult %l, %k\n    if %c {\n      %lk = iadd %l, %k\n      %p = padd $0, "
     "%lk * 4\n"
     "      %a = load %p, align 4 : i32\n      %b = load %at, align 4 : i32\n      %s = iadd %a, %b\n"
     "      store %at, %s, align 4\n      yield\n    }\n    call @sync()\n    %k2 = lshr %k, 1:i64\n    %z = eq %k2, "
     "0:i64\n"
     "    if %z {\n      break ^l\n    }\n    continue ^l, %k2\n  }\n"
     "  %first = eq %l, 0:i64\n  if %first {\n    %r = load $0, align 4 : i32\n    %gr = group_id 0 : i64\n"
     "    %p2 = padd %o, %gr * 4\n    store %p2, %r, align 4\n    yield\n  }\n" END,
     16,
     8,
     {280, 920}},
    {"work-items that have returned count as arrived",
     KERNEL "  %g = global_id 0 : i64\n  %c = ult %g, 2:i64\n  block ^b {\n    if %c {\n      yield\n    } else {\n"
            "      break ^b\n    }\n    barrier [global]\n    barrier [global]\n"
            "    %p = padd %o, %g * 4\n    store %p, 1:i32, align 4\n    yield\n  }\n" END,
     4,
     4,
     {1, 1}},
    {"fence and assume",
     KERNEL "  fence acq_rel device [local, global]\n  %c = eq 1:i32, 1:i32\n  assume %c\n" OUT(0, "3:i32") END,
     1,
     1,
     {3}},
    {"unreachable that is not reached",
     KERNEL "  %g = global_id 0 : i64\n  %c = eq %g, 5:i64\n  if %c {\n    unreachable\n  }\n" OUT(0, "4:i32") END,
     1,
     1,
     {4}},
    {"printf",
     "global $0 \"f\" constant size 18 align 1 = \"%d %v2d %s %.1f\\0a\\00\\00\"\n"
     "global $1 \"s\" constant size 3 align 1 = \"hi\\00\"\n" KERNEL
     "  %v = load %i, align 8 : i32x2\n  %r = printf $0(-4:i32, %v, $1, 2.5:f64) : i32\n" OUT(0, "%r") END,
     1,
     1,
     {0},
     "-4 0,10 hi 2.5\n"},
};
#define CASE_COUNT (sizeof cases / sizeof *cases)

static char *with_header(const char *text) {
  static char out[16384];
  snprintf(out, sizeof out, "kiln_ir 1\n%s", text);
  return out;
}

static void check(struct machine *m, const struct op_case *c) {
  int32_t in[64];
  for (int i = 0; i < 64; i++)
    in[i] = i * 10;
  struct kiln_drv_memory *out = machine_buffer(m, 256, NULL), *input = machine_buffer(m, sizeof in, in);
  struct kiln_drv_arg args[] = {buffer_arg(out), buffer_arg(input)};
  struct run_desc desc = {.global = {c->global}, .local = {c->local}, .args = args, .arg_count = 2};
  cr_expect_eq(machine_run(m, with_header(c->text), &desc), KILN_OK, "%s: %s", c->name, machine_message(m));
  const int32_t *values = m->driver->host_pointer(m->drv, out);
  for (int i = 0; i < 16; i++)
    cr_expect_eq(values[i], c->expected[i], "%s: element %d is %d, not %d", c->name, i, values[i], c->expected[i]);
  cr_expect_str_eq(m->printed, c->printed ? c->printed : "", "%s: prints \"%s\"", c->name, m->printed);
  m->driver->free(m->drv, out);
  m->driver->free(m->drv, input);
}

Test(interp_ops, small_kernels) {
  struct machine m;
  machine_open(&m);
  for (size_t i = 0; i < CASE_COUNT; i++)
    check(&m, &cases[i]);
  cr_expect_eq(CASE_COUNT, 25);
  machine_close(&m);
}

// What tests/unit/interp_pure.c runs.
static bool in_pure_test(enum kiln_op op) {
  const struct kiln_op_info *info = &kiln_op_table[op];
  if (info->effect != KILN_EFFECT_PURE)
    return false;
  if ((info->result == KILN_RESULT_SAME || info->result == KILN_RESULT_BOOL) && op != KILN_OP_PADD)
    return true;
  return (op >= KILN_OP_TRUNC && op <= KILN_OP_BITCAST) || (op >= KILN_OP_SELECT && op <= KILN_OP_SHUFFLE) ||
         op == KILN_OP_ANY || op == KILN_OP_ALL;
}

// What tests/unit/interp_groups.c and interp_images.c run.
static bool in_other_test(enum kiln_op op) {
  return kiln_op_uses_sub_groups(op) || kiln_op_family(op) == KILN_FAMILY_IMAGE;
}

Test(interp_ops, every_operation_is_tested) {
  bool seen[KILN_OP_COUNT] = {0};
  for (size_t i = 0; i < CASE_COUNT; i++) {
    struct kiln_module *module;
    const char *text = with_header(cases[i].text);
    cr_assert_eq(kiln_module_parse(text, strlen(text), cases[i].name, &module), KILN_OK, "%s: %s", cases[i].name,
                 kiln_last_error());
    for (uint32_t f = 0; f < module->function_count; f++)
      for (kiln_value v = 1; v < module->functions[f]->inst_count; v++)
        seen[module->functions[f]->insts[v].op] = true;
    kiln_module_free(module);
  }
  for (unsigned op = 0; op < KILN_OP_COUNT; op++)
    cr_expect(seen[op] || in_pure_test(op) || in_other_test(op), "operation '%s' has no test", kiln_op_table[op].name);
}

Test(interp_ops, three_dimensions_with_offset_and_partial_groups) {
  static const char text[] =
      "kiln_ir 1\n"
      "kernel @k(%o: ptr.global) {\n"
      "  %x = global_id 0 : i64\n  %y = global_id 1 : i64\n  %z = global_id 2 : i64\n"
      "  %ox = global_offset 0 : i64\n  %oy = global_offset 1 : i64\n  %oz = global_offset 2 : i64\n"
      "  %rx = isub %x, %ox\n  %ry = isub %y, %oy\n  %rz = isub %z, %oz\n"
      "  %nx = global_size 0 : i64\n  %ny = global_size 1 : i64\n"
      "  %a = imul %rz, %ny\n  %b = iadd %a, %ry\n  %c = imul %b, %nx\n  %d = iadd %c, %rx\n"
      "  %x100 = imul %x, 10000:i64\n  %y10 = imul %y, 100:i64\n  %e = iadd %x100, %y10\n"
      "  %f = iadd %e, %z\n  %g = trunc %f : i32\n"
      "  %p = padd %o, %d * 4\n  store %p, %g, align 4\n  return\n}\n";
  struct machine m;
  machine_open(&m);
  struct kiln_drv_memory *out = machine_buffer(&m, 7 * 5 * 3 * 4, NULL);
  struct kiln_drv_arg arg = buffer_arg(out);
  struct run_desc desc = {
      .global = {7, 5, 3}, .local = {4, 2, 2}, .offset = {3, 10, 40}, .work_dim = 3, .args = &arg, .arg_count = 1};
  cr_assert_eq(machine_run(&m, text, &desc), KILN_OK, "%s", machine_message(&m));
  const int32_t *values = m.driver->host_pointer(m.drv, out);
  for (int i = 0; i < 7 * 5 * 3; i++)
    cr_expect_eq(values[i], (i % 7 + 3) * 10000 + (i / 7 % 5 + 10) * 100 + i / 35 + 40, "item %d", i);
  m.driver->free(m.drv, out);
  machine_close(&m);
}

Test(interp_ops, arguments_of_all_kinds) {
  static const char text[] =
      "kiln_ir 1\n"
      "kernel @k(%o: ptr.global, %a: i8, %b: f64, %v: f32x3, %s: ptr.constant byval 12 align 4,"
      " %l: ptr.local, %n: ptr.global, %c: ptr.constant) {\n"
      "  %a32 = sext %a : i32\n  store %o, %a32, align 4\n"
      "  %b32 = ftos.rtz %b : i32\n  %o1 = padd %o, 1:i64 * 4\n  store %o1, %b32, align 4\n"
      "  %v2 = extract %v, 2:i32 : f32\n  %v32 = ftos.rtz %v2 : i32\n  %o2 = padd %o, 2:i64 * 4\n"
      "  store %o2, %v32, align 4\n"
      "  %s2 = padd %s, 2:i64 * 4\n  %sv = load %s2, align 4 : i32\n  %o3 = padd %o, 3:i64 * 4\n"
      "  store %o3, %sv, align 4\n"
      "  %l9 = padd %l, 9:i64 * 4\n  store %l9, 5:i32, align 4\n  %lv = load %l9, align 4 : i32\n"
      "  %o4 = padd %o, 4:i64 * 4\n  store %o4, %lv, align 4\n"
      "  %isnull = eq %n, null:ptr.global\n  %nv = zext %isnull : i32\n  %o5 = padd %o, 5:i64 * 4\n"
      "  store %o5, %nv, align 4\n"
      "  %cv = load %c, align 4 : i32\n  %o6 = padd %o, 6:i64 * 4\n  store %o6, %cv, align 4\n"
      "  return\n}\n";
  struct machine m;
  machine_open(&m);
  const int8_t a = -5;
  const double b = 1234.75;
  const float v[4] = {1, 2, 3.5f, 0};
  const int32_t s[3] = {7, 8, 9}, c[4] = {1, 2, 3, 4};
  struct kiln_drv_memory *out = machine_buffer(&m, 28, NULL), *constant = machine_buffer(&m, sizeof c, c);
  struct kiln_drv_arg args[] = {buffer_arg(out),  value_arg(&a, 1), value_arg(&b, 8), value_arg(v, 16),
                                value_arg(s, 12), local_arg(40),    buffer_arg(NULL), buffer_arg(constant)};
  args[7].offset = 8;
  struct run_desc desc = {.args = args, .arg_count = 8};
  cr_assert_eq(machine_run(&m, text, &desc), KILN_OK, "%s", machine_message(&m));
  const int32_t expected[] = {-5, 1234, 3, 9, 5, 1, 3};
  cr_expect_eq(memcmp(expected, m.driver->host_pointer(m.drv, out), sizeof expected), 0);
  desc.arg_count = 7;
  cr_expect_eq(machine_run(&m, text, &desc), KILN_ERR_INVALID);
  m.driver->free(m.drv, out);
  m.driver->free(m.drv, constant);
  machine_close(&m);
}
