// Mathematical functions in library text: which calls take it, and that build options reach only the choice.
#include "tests/unit/lower_test.h"

#include "jit/lang/ast/builtins.h"
#include "jit/lang/lang.h"

static const char *const names[] = {
#define KILN_INLINE_MATH(name, types, relaxed, section) #name,
#include "jit/lang/ast/inline_math.def"
};
enum { NAMES = sizeof names / sizeof *names };

Test(math_inline, table) {
  for (unsigned i = 0; i < NAMES; i++) {
    cr_assert(i == 0 || strcmp(names[i - 1], names[i]) <= 0, "'%s' is behind '%s'", names[i], names[i - 1]);
    cr_assert(kiln_builtin_find(names[i], strlen(names[i]), 300, false), "'%s' is no built-in function", names[i]);
  }
  cr_assert(NAMES > 80, "%u rows", NAMES);
}

// The IR of one call; free().
static char *ir_of(const char *call, const char *options, const char *backend) {
  char source[256];
  snprintf(source, sizeof source, "kernel void k(global float *p, global double *q) { %s; }", call);
  struct kiln_context_desc desc = {.backend = backend, .cache_mode = "off"};
  struct kiln_context *context;
  struct kiln_program *program;
  cr_assert(kiln_context_open(&desc, &context) == KILN_OK, "%s", kiln_last_error());
  struct kiln_program_desc what = {.source = source, .name = "test.cl", .options = options};
  cr_assert(kiln_program_create(context, &what, &program) == KILN_OK, "%s: %s", call, kiln_last_error());
  void *data;
  size_t size;
  cr_assert(kiln_program_stage(program, "ir", &data, &size) == KILN_OK, "%s: %s", call, kiln_last_error());
  char *text = strndup(data, size);
  kiln_free(data);
  kiln_program_release(program);
  kiln_context_close(context);
  return text;
}

static unsigned lines(const char *text) {
  unsigned count = 0;
  for (; *text; text++)
    count += *text == '\n';
  return count;
}

Test(math_inline, replaces_operations) {
  static const char *const functions[] = {"exp",   "exp2",  "exp10", "log",  "log2",  "log10", "tanh",  "atan",
                                          "asin",  "acos",  "sinh",  "cosh", "cbrt",  "expm1", "log1p", "asinh",
                                          "acosh", "atanh", "erf",   "erfc", "sinpi", "cospi"};
  unsigned count = 0;
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++, count++) {
    char call[64], op[32];
    snprintf(call, sizeof call, "*p = %s(*p)", functions[i]);
    snprintf(op, sizeof op, " = %s ", functions[i]);
    char *text = ir_of(call, "", "interp");
    cr_assert(!strstr(text, op) && !strstr(text, "call"), "%s:\n%s", functions[i], text);
    cr_assert(lines(text) < 90, "%s has %u operations", functions[i], lines(text));
    free(text);
  }
  cr_assert(count == 22, "%u cases", count);
}

Test(math_inline, large_angles_take_the_operation) {
  static const char *const functions[] = {"sin", "cos", "tan"};
  for (unsigned i = 0; i < 3; i++) {
    char call[64], op[32];
    snprintf(call, sizeof call, "*p = %s(*p)", functions[i]);
    snprintf(op, sizeof op, " = %s ", functions[i]);
    char *text = ir_of(call, "", "interp"), *found = strstr(text, op);
    cr_assert(found && !strstr(found + 1, op), "%s:\n%s", functions[i], text);
    free(text);
  }
}

Test(math_inline, relaxed_and_native_forms_are_shorter) {
  static const char *const functions[] = {"exp", "exp2", "log", "log2", "sin", "cos", "tan"};
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    char call[64], native[64];
    snprintf(call, sizeof call, "*p = %s(*p)", functions[i]);
    snprintf(native, sizeof native, "*p = native_%s(*p)", functions[i]);
    char *exact = ir_of(call, "", "interp"), *relaxed = ir_of(call, "-cl-fast-relaxed-math", "interp");
    char *fast = ir_of(native, "", "interp");
    cr_assert(lines(relaxed) < lines(exact) && lines(fast) < lines(exact), "%s: %u, relaxed %u, native %u",
              functions[i], lines(exact), lines(relaxed), lines(fast));
    free(exact);
    free(relaxed);
    free(fast);
  }
}

Test(math_inline, build_options_do_not_reach_the_text) {
  static const char *const options[] = {"-cl-mad-enable", "-cl-finite-math-only", "-cl-no-signed-zeros"};
  static const char *const calls[] = {"*p = pow(*p, p[1])", "*p = log(*p)", "*q = sin(*q)", "*q = exp(*q)"};
  for (unsigned c = 0; c < 4; c++) {
    char *plain = ir_of(calls[c], "", "interp");
    cr_assert(!strstr(plain, "contract"), "%s:\n%s", calls[c], plain);
    for (unsigned i = 0; i < 3; i++) {
      char *text = ir_of(calls[c], options[i], "interp");
      cr_assert_str_eq(text, plain, "%s with %s", calls[c], options[i]);
      free(text);
    }
    free(plain);
  }
}

Test(math_inline, only_for_targets_that_ask) {
  const char *source = "kernel void k(global float *p) { *p = exp(*p); }";
  for (unsigned ask = 0; ask < 2; ask++) {
    struct kiln_lang_input input = {.source = source,
                                    .size = strlen(source),
                                    .name = "test.cl",
                                    .options = {.std = 120, .fp64 = true, .inline_math = ask}};
    struct kiln_lang_output out;
    cr_assert(kiln_lang_compile(&input, &out) == KILN_OK, "%s", out.log ? out.log : "");
    char *text;
    cr_assert(kiln_module_print(out.module, &text) == KILN_OK);
    cr_assert((strstr(text, " = exp ") == NULL) == ask, "asked %u:\n%s", ask, text);
    kiln_free(text);
    kiln_module_free(out.module);
    free(out.log);
    kiln_lang_output_free(&out);
  }
}
