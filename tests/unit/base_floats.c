// The floating-point state: what Kiln computes in, what its threads start with, what the host gets back.
#include "base/floats.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>

#include "base/thread.h"
#include "jit/ir/internal.h"

static volatile double one = 1, three = 3, zero = 0, least = 0x1p-1074;

static void expect_default(const char *where) {
  cr_expect(fegetround() == FE_TONEAREST, "%s", where);
  cr_expect(fegetexcept() == 0, "%s", where);
  cr_expect(one / three == 0x1.5555555555555p-2 && -one / three == -0x1.5555555555555p-2, "%s", where);
  cr_expect(least * one == least, "%s", where);
  cr_expect(isinf(one / zero), "%s", where);
}

static void *in_thread(void *user) {
  (void)user;
  expect_default("a thread of Kiln's");
  return NULL;
}

static void change(void) {
  fesetround(FE_UPWARD);
#if defined(__x86_64__)
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}

Test(floats, default_inside_and_restored_outside) {
  for (int changed = 0; changed < 2; changed++) {
    feclearexcept(FE_ALL_EXCEPT);
    if (changed)
      change();
    int round = fegetround(), traps = fegetexcept();
    struct kiln_floats before = kiln_floats_enter();
    expect_default("inside");
    kiln_floats_leave(before);
    cr_expect(fegetround() == round && fegetexcept() == traps);
    cr_expect(fetestexcept(FE_ALL_EXCEPT) == 0, "flags %#x", fetestexcept(FE_ALL_EXCEPT));
  }
  fesetenv(FE_DFL_ENV);
}

// Also what the x87 has raised: its signal would come with the host's next instruction for it.
Test(floats, nothing_is_raised_by_leaving) {
  feclearexcept(FE_ALL_EXCEPT);
  change();
  struct kiln_floats before = kiln_floats_enter();
  volatile long double x = 1, y = 0, z = x / y;
  cr_expect(isinf((double)z));
  feraiseexcept(FE_DIVBYZERO | FE_INVALID);
  kiln_floats_leave(before);
  volatile long double w = x + x;
  volatile double v = one + one;
  cr_expect(w == 2 && v == 2);
  fesetenv(FE_DFL_ENV);
}

Test(floats, threads_start_in_the_default_state) {
  pthread_t thread;
  change();
  int round = fegetround(), traps = fegetexcept();
  cr_assert(kiln_thread_start(&thread, in_thread, NULL));
  pthread_join(thread, NULL);
  cr_expect(fegetround() == round && fegetexcept() == traps);
  fesetenv(FE_DFL_ENV);
}

// A host that builds IR: the builder folds, and so does the text's reader and printer.
static void expect_same_ir(const char *state) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_function *fn = kiln_module_add_function(module, "f", false, kiln_scalar_type(KILN_VOID), NULL, 0);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_type f32 = kiln_scalar_type(KILN_F32);
  kiln_value third = kiln_build2(&b, KILN_OP_FDIV, kiln_const(fn, f32, 0x3f800000), kiln_const(fn, f32, 0x40400000));
  kiln_value half = kiln_build2(&b, KILN_OP_FMUL, kiln_const(fn, f32, 1), kiln_const(fn, f32, 0x40000000));
  kiln_value huge = kiln_build2(&b, KILN_OP_FDIV, kiln_const(fn, f32, 0x3f800000), kiln_const(fn, f32, 0));
  cr_expect_eq(third, kiln_const(fn, f32, 0x3eaaaaab), "%s", state);
  cr_expect_eq(half, kiln_const(fn, f32, 2), "%s", state);
  cr_expect_eq(huge, kiln_const(fn, f32, 0x7f800000), "%s", state);
  kiln_module_free(module);
  static const char text[] = "kiln_ir 1\n\nfunc @f(%0: ptr.global) {\n  store %0, 0.1:f32, align 4\n"
                             "  store %0, 1e-45:f32, align 4\n  store %0, 1.2345678901234567:f64, align 8\n"
                             "  store %0, 5e-324:f64, align 8\n  store %0, 0.1:f16, align 2\n  return\n}\n";
  char *out = NULL;
  cr_assert_eq(kiln_module_parse(text, sizeof text - 1, "t", &module), KILN_OK, "%s: %s", state, kiln_last_error());
  cr_assert_eq(kiln_module_print(module, &out), KILN_OK);
  cr_expect_str_eq(out, text, "%s", state);
  kiln_free(out);
  kiln_module_free(module);
}

Test(floats, ir_is_built_read_and_printed_alike) {
  static const int rounds[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  expect_same_ir("default");
  for (int i = 0; i < 4; i++) {
    change();
    fesetround(rounds[i]);
    expect_same_ir("changed");
    cr_expect_eq(fegetround(), rounds[i]);
    fesetenv(FE_DFL_ENV);
  }
}
