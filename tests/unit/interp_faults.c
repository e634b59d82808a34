// What the interpreter finds wrong in kernels, and what it says: kernel, place in the source, work-item, object.
#include "tests/unit/interp_test.h"

// Every kernel gets %o (16 bytes, global), %c (16 bytes, constant), %n (null), %l (16 bytes, local).
struct fault_case {
  const char *name, *text;
  uint64_t global, local;
  const char *message; // all of it, but for what lies between "..." pieces
};

#define HEAD "kiln_ir 1\nfile 0 \"a.cl\"\n"
#define KERNEL "kernel @k(%o: ptr.global, %c: ptr.constant, %n: ptr.global, %l: ptr.local) {\n"
#define END "  return\n}\n"

static const struct fault_case cases[] = {
    {"behind the end of a buffer",
     HEAD KERNEL "  %g = global_id 0 : i64\n  %p = padd %o, %g * 4\n  store %p, 1:i32, align 4 !0:7:3\n" END, 5, 1,
     "kernel 'k': a.cl:7:3: work-item (4, 0, 0) writes 4 bytes at offset 16 of argument 'o', which has 16 bytes"},
    {"partly behind the end", HEAD KERNEL "  %p = padd %o, 8:i64 * 1\n  %v = load %p, align 4 : i32x3 !0:1:2\n" END, 1,
     1, "kernel 'k': a.cl:1:2: work-item (0, 0, 0) reads 12 bytes at offset 8 of argument 'o', which has 16 bytes"},
    {"before the start", HEAD KERNEL "  %p = padd %o, -1:i64 * 4\n  %v = load %p, align 4 : i32 !0:1:2\n" END, 1, 1,
     "reads 4 bytes at offset -4 of argument 'o', which has 16 bytes"},
    {"far away, where another object may be",
     HEAD KERNEL "  %p = padd %o, 123456:i64 * 4\n  %v = load %p, align 4 : i32 !0:1:2\n" END, 1, 1,
     "reads 4 bytes at offset 493824 of argument 'o', which has 16 bytes"},
    {"without a place in the source", HEAD KERNEL "  %p = padd %o, 4:i64 * 4\n  %v = load %p, align 4 : i32\n" END, 1,
     1, "(load): work-item (0, 0, 0) reads"},
    {"null pointer", HEAD KERNEL "  %v = load null:ptr.global, align 4 : i32 !0:2:2\n" END, 1, 1,
     "kernel 'k': a.cl:2:2: work-item (0, 0, 0) reads 4 bytes through a null pointer"},
    {"null pointer plus an offset",
     HEAD KERNEL "  %p = padd null:ptr.global, 100000:i64 * 4\n  %v = load %p, align 4 : i32\n" END, 1, 1,
     "reads 4 bytes through a null pointer plus an offset"},
    {"null argument", HEAD KERNEL "  %p = padd %n, 9:i64 * 4\n  store %p, 1:i32, align 4\n" END, 1, 1,
     "writes 4 bytes through argument 'n', which is a null pointer"},
    {"misaligned", HEAD KERNEL "  %p = padd %o, 2:i64 * 1\n  %v = load %p, align 4 : i32\n" END, 1, 1,
     "reads 4 bytes at offset 2 of argument 'o' (address 0x...), which is not aligned to 4 bytes"},
    {"misaligned atomic",
     HEAD KERNEL "  %p = padd %o, 2:i64 * 1\n  %v = atomic_rmw.add %p, 1:i32, relaxed device\n" END, 1, 1,
     "does an atomic operation on 4 bytes at offset 2 of argument 'o'"},
    {"write to constant memory", HEAD KERNEL "  %p = pcast %c : ptr.generic\n  store %p, 1:i32, align 4\n" END, 1, 1,
     "writes argument 'c', which is constant"},
    {"wrong address space",
     HEAD KERNEL "  %p = pcast %l : ptr.generic\n  %q = pcast %p : ptr.global\n  store %q, 1:i32, align 4\n" END, 1, 1,
     "writes argument 'l' in local memory through a pointer to global memory"},
    {"local argument", HEAD KERNEL "  %p = padd %l, 4:i64 * 4\n  store %p, 1:i32, align 4\n" END, 1, 1,
     "writes 4 bytes at offset 16 of argument 'l', which has 16 bytes"},
    {"local variable",
     HEAD "global $0 \"tile\" local size 8 align 4\n" KERNEL
          "  %p = padd $0, 2:i64 * 4\n  store %p, 1:i32, align 4\n" END,
     1, 1, "writes 4 bytes at offset 8 of local variable 'tile', which has 8 bytes"},
    {"constant variable",
     HEAD "global $0 \"t\" constant size 4 align 4\n" KERNEL
          "  %p = padd $0, 1:i64 * 4\n  %v = load %p, align 4 : i32\n" END,
     1, 1, "reads 4 bytes at offset 4 of constant variable 't', which has 4 bytes"},
    {"private variable with a name",
     HEAD KERNEL "  %v.acc = var 8, align 4 : ptr.private\n  %p = padd %v, 2:i64 * 4\n  store %p, 1:i32, align 4\n" END,
     1, 1, "writes 4 bytes at offset 8 of private variable 'acc', which has 8 bytes"},
    {"private variable without a name",
     HEAD KERNEL "  %0 = var 8, align 4 : ptr.private\n  %p = padd %0, 3:i64 * 4\n  store %p, 1:i32, align 4\n" END, 1,
     1, "writes 4 bytes at offset 12 of a private variable, which has 8 bytes"},
    {"pointer made of an integer",
     HEAD KERNEL "  %p = itop 123456789:i64 : ptr.global\n  %v = load %p, align 1 : i8\n" END, 1, 1,
     "reads 1 bytes at address 0x75bcd15, where no object of the kernel is"},
    {"pointer through an integer",
     HEAD KERNEL "  %n1 = ptoi %o : i64\n  %n2 = iadd %n1, 16:i64\n  %p = itop %n2 : ptr.global\n  %v = load %p, align "
                 "1 : i8\n" END,
     1, 1, "reads 1 bytes at offset 16 of argument 'o', which has 16 bytes"},
    {"in a function",
     HEAD "func @get(%p: ptr.global) : i32 noinline {\n  %q = padd %p, 4:i64 * 4\n  %v = load %q, align 4 : i32 "
          "!0:3:9\n  return %v\n}\n" KERNEL "  %v = call @get(%o) : i32 !0:9:9\n" END,
     1, 1, "kernel 'k': a.cl:3:9: work-item (0, 0, 0) in function 'get' reads 4 bytes at offset 16 of argument 'o'"},
    {"copy", HEAD KERNEL "  %v = var 32, align 4 : ptr.private\n  copy %v, %o, bytes 17, align 1\n" END, 1, 1,
     "reads 17 bytes at offset 0 of argument 'o', which has 16 bytes"},
    {"branch on what was never initialised",
     HEAD KERNEL "  %v = var 4, align 4 : ptr.private\n  %x = load %v, align 4 : i32\n  %b = eq %x, 0:i32\n"
                 "  if %b !0:5:1 {\n    yield\n  }\n" END,
     1, 1, "kernel 'k': a.cl:5:1: work-item (0, 0, 0) branches on a value that was never initialised"},
    {"branch on half of an integer",
     HEAD KERNEL "  %v = var 4, align 4 : ptr.private\n  store %v, 1:i16, align 4\n  %x = load %v, align 4 : i32\n"
                 "  %b = eq %x, 1:i32\n  if %b !0:5:1 {\n    yield\n  }\n" END,
     1, 1, "kernel 'k': a.cl:5:1: work-item (0, 0, 0) branches on a value that was never initialised"},
    {"output of which a byte is missing",
     HEAD KERNEL "  %v = var 4, align 4 : ptr.private\n  store %v, 1:i16, align 4\n  %p = padd %v, 1:i64 * 3\n"
                 "  store %p, 1:i8, align 1\n  %x = load %v, align 4 : i32\n  store %o, %x, align 4\n" END,
     1, 1, "writes a value that was never initialised to argument 'o'"},
    {"local memory that was never initialised",
     HEAD KERNEL "  %x = load %l, align 4 : i32\n  store %o, %x, align 4\n" END, 1, 1,
     "writes a value that was never initialised to argument 'o'"},
    {"address that was never initialised",
     HEAD KERNEL "  %v = var 8, align 8 : ptr.private\n  %i = load %v, align 8 : i64\n  %p = padd %o, %i * 4\n"
                 "  %x = load %p, align 4 : i32\n" END,
     1, 1, "reads memory at an address that was never initialised"},
    {"switch on what was never initialised",
     HEAD KERNEL "  switch ^s undef:i32 [1] {\n    yield\n  } case 1 {\n    yield\n  }\n" END, 1, 1,
     "branches on a value that was never initialised"},
    {"atomic on what was never initialised", HEAD KERNEL "  %v = atomic_rmw.add %l, 1:i32, relaxed group\n" END, 1, 1,
     "does an atomic operation on memory that was never initialised"},
    {"printf of what was never initialised",
     HEAD "global $0 \"f\" constant size 3 align 1 = \"%d\\00\"\n" KERNEL "  %r = printf $0(undef:i32) : i32\n" END, 1,
     1, "prints argument 1 of printf, which was never initialised"},
    {"printf of a string that is none",
     HEAD "global $0 \"f\" constant size 3 align 1 = \"%s\\00\"\n" KERNEL
          "  %p = itop 99999:i64 : ptr.constant\n  %r = printf $0(%p) : i32\n" END,
     1, 1, "reads 1 bytes at address 0x1869f, where no object of the kernel is"},
    {"divergent barriers",
     HEAD KERNEL
     "  %g = global_id 0 : i64\n  %b = eq %g, 1:i64\n  if %b {\n    barrier [local] !0:4:1\n    yield\n  } else {\n"
     "    barrier [local] !0:6:1\n    yield\n  }\n" END,
     3, 3,
     "kernel 'k': a.cl:4:1: work-item (1, 0, 0) waits at this barrier, while work-item (0, 0, 0) of its group waits at "
     "the "
     "one at a.cl:6:1"},
    {"unreachable", HEAD KERNEL "  unreachable !0:8:8\n}\n", 1, 1,
     "kernel 'k': a.cl:8:8: work-item (0, 0, 0) reaches a place that the source says cannot be reached"},
    {"assumption", HEAD KERNEL "  %g = global_id 0 : i64\n  %b = ult %g, 3:i64\n  assume %b\n" END, 5, 1,
     "work-item (3, 0, 0) breaks an assumption of the source"},
    {"endless loop", HEAD KERNEL "  loop ^l {\n    continue ^l\n  }\n  unreachable\n}\n", 1, 1,
     "work-item (0, 0, 0) has run 10000 steps, the limit that max-steps sets"},
};
#define CASE_COUNT (sizeof cases / sizeof *cases)

// Whether text has the pieces of pattern, which stand between "..."s, in order.
static bool matches(const char *text, const char *pattern) {
  char piece[400];
  while (*pattern) {
    const char *end = strstr(pattern, "...");
    size_t size = end ? (size_t)(end - pattern) : strlen(pattern);
    snprintf(piece, sizeof piece, "%.*s", (int)size, pattern);
    const char *at = strstr(text, piece);
    if (!at)
      return false;
    text = at + size;
    pattern += size + (end ? 3 : 0);
  }
  return true;
}

static enum kiln_status run(struct machine *m, const struct fault_case *c) {
  struct kiln_drv_memory *out = machine_buffer(m, 16, NULL), *constant = machine_buffer(m, 16, NULL);
  struct kiln_drv_arg args[] = {buffer_arg(out), buffer_arg(constant), buffer_arg(NULL), local_arg(16)};
  struct run_desc desc = {.global = {c->global}, .local = {c->local}, .args = args, .arg_count = 4};
  enum kiln_status status = machine_run(m, c->text, &desc);
  m->driver->free(m->drv, out);
  m->driver->free(m->drv, constant);
  return status;
}

Test(interp_faults, messages) {
  struct machine m;
  machine_open(&m);
  m.max_steps = "10000";
  for (size_t i = 0; i < CASE_COUNT; i++) {
    cr_expect_eq(run(&m, &cases[i]), KILN_ERR_DEVICE, "%s", cases[i].name);
    cr_expect(matches(machine_message(&m), cases[i].message), "%s: \"%s\"", cases[i].name, machine_message(&m));
  }
  cr_expect_eq(CASE_COUNT, 34);
  machine_close(&m);
}

Test(interp_faults, partly_initialised_memory_is_no_fault) {
  static const struct fault_case fine[] = {
      {"vector that is filled lane by lane",
       HEAD KERNEL "  %v = var 16, align 16 : ptr.private\n  %a = load %v, align 16 : i32x4\n"
                   "  %b = insert %a, 1:i32, 0:i32\n  store %v, %b, align 16\n  %d = load %v, align 4 : i32\n"
                   "  %e = eq %d, 1:i32\n  if %e {\n    yield\n  }\n  %f = load %v, align 16 : i32x4\n  store %o, %f, "
                   "align 16\n" END,
       1, 1},
      {"copy of a struct with padding",
       HEAD KERNEL
       "  %v = var 8, align 4 : ptr.private\n  store %v, 1:i8, align 4\n  copy %o, %v, bytes 8, align 4\n" END,
       1, 1},
      {"half of a union",
       HEAD KERNEL
       "  %v = var 8, align 8 : ptr.private\n  store %v, 7:i32, align 8\n  %a = load %v, align 8 : i64\n"
       "  %b = trunc %a : i32\n  store %o, %b, align 4\n  %d = shl %a, 32:i64\n  store %o, %d, align 8\n" END,
       1, 1},
      {"bits that are masked off",
       HEAD KERNEL "  %a = and undef:i32, 65280:i32\n  %b = or %a, 65280:i32\n  store %o, %b, align 4\n"
                   "  %d = ult %a, 65536:i32\n  if %d {\n    yield\n  }\n" END,
       1, 1},
      {"lanes that decide whatever the others are",
       HEAD KERNEL
       "  %v = vec undef:i32, 1:i32 : i32x2\n  %w = vec 5:i32, 2:i32 : i32x2\n  %a = eq %v, %w\n  %b = all %a : bool\n"
       "  if %b {\n    yield\n  }\n" END,
       1, 1},
      {"atomic exchange",
       HEAD KERNEL
       "  %v = atomic_rmw.xchg %l, 1:i32, relaxed group\n  %w = atomic_rmw.add %l, 1:i32, relaxed group\n" END,
       1, 1},
  };
  struct machine m;
  machine_open(&m);
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
    cr_expect_eq(run(&m, &fine[i]), KILN_OK, "%s: %s", fine[i].name, machine_message(&m));
  machine_close(&m);
}

Test(interp_faults, the_lowest_group_is_reported) {
  static const struct fault_case c = {
      "", HEAD KERNEL "  %g = global_id 0 : i64\n  %p = padd %o, %g * 4\n  store %p, 1:i32, align 4\n" END, 1000, 1};
  struct machine m;
  machine_open(&m);
  for (int i = 0; i < 50; i++) {
    cr_assert_eq(run(&m, &c), KILN_ERR_DEVICE);
    cr_assert(strstr(machine_message(&m), "work-item (4, 0, 0)"), "round %d: %s", i, machine_message(&m));
  }
  machine_close(&m);
}

Test(interp_faults, launches) {
  struct machine m;
  machine_open(&m);
  struct fault_case big = {"", HEAD KERNEL END, 4096, 2048};
  cr_expect_eq(run(&m, &big), KILN_ERR_INVALID);
  cr_expect(strstr(machine_message(&m), "at most 1024"), "%s", machine_message(&m));
  m.max_steps = "many";
  struct fault_case plain = {"", HEAD KERNEL END, 1, 1};
  cr_expect_eq(run(&m, &plain), KILN_ERR_INVALID);
  cr_expect(strstr(machine_message(&m), "max-steps"), "%s", machine_message(&m));
  machine_close(&m);
}

Test(interp_faults, targets) {
  struct machine m;
  machine_open(&m);
  struct kiln_target target;
  cr_expect_eq(m.backend->make_target("generic", &target, &m.report), KILN_OK);
  cr_expect(m.backend->supports_target(&target));
  cr_expect_eq(m.backend->make_target("zen", &target, &m.report), KILN_ERR_NOT_FOUND);
  cr_expect(strstr(machine_message(&m), "generic"));
  const char *values[] = {"0", "1", "0", "0"}, *other[] = {"5", "1", "0", "0"};
  struct kiln_options a = {.values = values}, b = {.values = other};
  struct kiln_digest x, y, z;
  cr_assert_eq(m.backend->hash(&target, &a, &x, &m.report), KILN_OK);
  cr_assert_eq(m.backend->hash(&target, &a, &y, &m.report), KILN_OK);
  cr_assert_eq(m.backend->hash(&target, &b, &z, &m.report), KILN_OK);
  cr_expect_eq(memcmp(&x, &y, sizeof x), 0);
  cr_expect_neq(memcmp(&x, &z, sizeof x), 0);
  machine_close(&m);
}
