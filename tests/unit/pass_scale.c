// The passes on large functions: correct, and near-linear.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/ir/internal.h"
#include "jit/pass/pass.h"

static struct kiln_module *new_module(struct kiln_function **fn) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param params[] = {{.name = "p", .type_name = "int*", .type = kiln_ptr_type(KILN_GLOBAL)},
                                {.name = "x", .type_name = "int", .type = kiln_scalar_type(KILN_I32)}};
  *fn = kiln_module_add_function(module, "k", true, kiln_scalar_type(KILN_VOID), params, 2);
  return module;
}

static double run(struct kiln_module *module, const char *what) {
  struct kiln_caps caps = {.fma = true};
  struct kiln_options options = {.optimize = 2};
  char message[512] = "";
  uint64_t start = kiln_now_ns();
  enum kiln_status status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
  cr_assert_eq(status, KILN_OK, "%s: %s", what, message);
  return (double)(kiln_now_ns() - start) * 1e-6;
}

static uint32_t count_live(const struct kiln_function *fn) {
  uint32_t count = 0;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    count += fn->insts[id].region != 0;
  return count;
}

// 10,000 variables, 1,000 loops, each of which modifies one of them.
Test(pass_scale, many_variables_and_loops, .timeout = 60) {
  enum { VARS = 10000, LOOPS = 1000 };
  struct kiln_function *fn;
  struct kiln_module *module = new_module(&fn);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  kiln_value *vars = malloc(VARS * sizeof *vars);
  for (unsigned i = 0; i < VARS; i++) {
    vars[i] = kiln_build_var(&b, 4, 4, "v");
    kiln_build_store(&b, vars[i], kiln_const(fn, i32, i), 4, 0);
  }
  for (unsigned i = 0; i < LOOPS; i++) {
    kiln_value loop = kiln_build_loop(&b, NULL, 0);
    struct kiln_builder in = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
    kiln_value old = kiln_build_load(&in, i32, vars[i * 7], 4, 0);
    kiln_build_store(&in, vars[i * 7], kiln_build2(&in, KILN_OP_IADD, old, fn->params[1].value), 4, 0);
    kiln_value test = kiln_build_if(&in, kiln_build2(&in, KILN_OP_SLT, old, fn->params[1].value));
    struct kiln_builder then = kiln_builder_at_end(fn, kiln_node(fn, test)->region_first);
    kiln_build_continue(&then, loop, NULL, 0);
    struct kiln_builder other = kiln_builder_at_end(fn, kiln_node(fn, test)->region_first + 1);
    kiln_build_break(&other, loop, NULL, 0);
    kiln_build(&in, KILN_OP_UNREACHABLE, 0, NULL, 0, 0, 0, 0);
  }
  for (unsigned i = 0; i < VARS; i++)
    kiln_build_store(&b, fn->params[0].value, kiln_build_load(&b, i32, vars[i], 4, 0), 4, 0);
  kiln_build_return(&b, 0);
  double ms = run(module, "variables and loops");
  for (kiln_value id = 1; id < fn->inst_count; id++)
    cr_assert(fn->insts[id].op != KILN_OP_VAR || fn->insts[id].region == 0, "a variable is left");
  cr_expect_lt(ms, 5000, "%g ms", ms);
  free(vars);
  kiln_module_free(module);
}

// A chain of 200,000 additions, half of them the same as the other half.
Test(pass_scale, long_chain, .timeout = 60) {
  struct kiln_function *fn;
  struct kiln_module *module = new_module(&fn);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value x = fn->params[1].value, a = x, c = x;
  for (unsigned i = 0; i < 100000; i++) {
    a = kiln_build2(&b, KILN_OP_XOR, kiln_build2(&b, KILN_OP_IMUL, a, x), x);
    c = kiln_build2(&b, KILN_OP_XOR, x, kiln_build2(&b, KILN_OP_IMUL, x, c));
  }
  kiln_build_store(&b, fn->params[0].value, kiln_build2(&b, KILN_OP_IADD, a, c), 4, 0);
  kiln_build_return(&b, 0);
  double ms = run(module, "chain");
  cr_expect_eq(count_live(fn), 200003, "%u instructions are left", count_live(fn));
  cr_expect_lt(ms, 5000, "%g ms", ms);
  kiln_module_free(module);
}

// Functions that each call the next one twice: 2^40 instructions if all were inlined.
Test(pass_scale, exponential_inlining_is_an_error, .timeout = 60) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param param = {.name = "x", .type_name = "int", .type = kiln_scalar_type(KILN_I32)};
  for (unsigned i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i);
    struct kiln_function *fn = kiln_module_add_function(module, name, false, kiln_scalar_type(KILN_I32), &param, 1);
    struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
    kiln_value x = fn->params[0].value;
    for (unsigned k = 0; k < 2 && i; k++)
      x = kiln_build_call(&b, i - 1, &x, 1);
    kiln_build_return(&b, kiln_build2(&b, KILN_OP_IMUL, x, x));
  }
  struct kiln_param pointer = {.name = "p", .type_name = "int*", .type = kiln_ptr_type(KILN_GLOBAL)};
  struct kiln_function *fn = kiln_module_add_function(module, "k", true, kiln_scalar_type(KILN_VOID), &pointer, 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value seven = kiln_const(fn, kiln_scalar_type(KILN_I32), 7);
  kiln_value load = kiln_build_load(&b, kiln_scalar_type(KILN_I32), fn->params[0].value, 4, 0);
  kiln_value sum = kiln_build2(&b, KILN_OP_IADD, load, seven);
  kiln_build_store(&b, fn->params[0].value, kiln_build_call(&b, 39, &sum, 1), 4, 0);
  kiln_build_return(&b, 0);
  struct kiln_caps caps = {0};
  struct kiln_options options = {.optimize = 2};
  char message[512] = "";
  enum kiln_status status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
  cr_expect_eq(status, KILN_ERR_UNSUPPORTED, "%d: %s", status, message);
  caps.keep_calls = true;
  status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
  cr_expect_eq(status, KILN_OK, "%s", message);
  kiln_module_free(module);
}

// A function of 5,000 instructions with a private array, called 54 times over a function between: 270,000 instructions
// if all were inlined.
Test(pass_scale, large_functions_with_variables_are_not_copied, .timeout = 60) {
  kiln_type i32 = kiln_scalar_type(KILN_I32);
  struct kiln_module *module = kiln_module_new();
  struct kiln_param param = {.name = "x", .type_name = "int", .type = i32};
  struct kiln_function *fn = kiln_module_add_function(module, "rounds", false, i32, &param, 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value x = fn->params[0].value, array = kiln_build_var(&b, 64, 4, "w");
  for (unsigned i = 0; i < 1000; i++) {
    kiln_value index = kiln_build2(&b, KILN_OP_AND, x, kiln_const(fn, i32, 15));
    kiln_value wide = kiln_build1(&b, KILN_OP_ZEXT, kiln_scalar_type(KILN_I64), index);
    kiln_value place = kiln_build_padd(&b, array, wide, 4);
    x = kiln_build2(&b, KILN_OP_IADD, kiln_build_load(&b, i32, place, 4, 0), index);
    kiln_build_store(&b, place, x, 4, 0);
  }
  kiln_build_return(&b, x);
  fn = kiln_module_add_function(module, "twice", false, i32, &param, 1);
  b = kiln_builder_at_end(fn, fn->body);
  x = fn->params[0].value;
  for (unsigned i = 0; i < 2; i++)
    x = kiln_build_call(&b, 0, &x, 1);
  kiln_build_return(&b, x);
  struct kiln_param pointer = {.name = "p", .type_name = "int*", .type = kiln_ptr_type(KILN_GLOBAL)};
  fn = kiln_module_add_function(module, "k", true, kiln_scalar_type(KILN_VOID), &pointer, 1);
  b = kiln_builder_at_end(fn, fn->body);
  x = kiln_build_load(&b, i32, fn->params[0].value, 4, 0);
  for (unsigned i = 0; i < 27; i++)
    x = kiln_build_call(&b, 1, &x, 1);
  kiln_build_store(&b, fn->params[0].value, x, 4, 0);
  kiln_build_return(&b, 0);
  struct kiln_caps caps = {.keep_calls = true};
  struct kiln_options options = {.optimize = 2};
  char message[512] = "";
  enum kiln_status status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
  cr_expect_eq(status, KILN_OK, "%s", message);
  uint32_t live = 0;
  for (uint32_t i = 0; i < module->function_count; i++)
    live += count_live(module->functions[i]);
  cr_expect_lt(live, 20000, "%u instructions are left", live);
  kiln_module_free(module);
}
