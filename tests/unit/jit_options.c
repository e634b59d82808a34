// Build options: spellings, quoting, errors, canonical form.
#include "jit/options.h"

#include "jit_test.h"

static const struct kiln_option knobs[] = {
    {"unroll", KILN_OPTION_INT, "4", "", true},
    {"verify", KILN_OPTION_BOOL, "0", "", false},
    {"tune", KILN_OPTION_STRING, "none", "", true},
};
static const struct kiln_base_backend backend = {.name = "fake", .options = knobs, .option_count = 3};

static struct kiln_build_options parse(const char *text) {
  struct kiln_build_options options;
  OK(kiln_options_parse(text, &backend, &options));
  return options;
}

Test(options, defaults) {
  struct kiln_build_options o = parse(NULL);
  cr_assert(o.lang.std == 120 && o.lang.fp_flags == 0 && o.lang.define_count == 0);
  cr_assert(o.backend.optimize == 2 && o.backend.flags == 0);
  cr_assert_str_eq(o.backend.values[0], "4");
  cr_assert_str_eq(o.backend.values[2], "none");
  kiln_options_free(&o);
}

Test(options, macros_and_folders) {
  struct kiln_build_options o =
      parse(" -DA -D B=2\t-DC='x y' -D \"D=\\\"q\\\"\" -UA -Ione -I \"two words\" -D'F(a, b)=a + b' -D G=\\ h ");
  static const char *const expected[] = {"DA=1", "DB=2", "DC=x y", "DD=\"q\"", "UA", "DF(a, b)=a + b", "DG= h"};
  cr_assert_eq(o.lang.define_count, 7, "%u macros", (unsigned)o.lang.define_count);
  for (int i = 0; i < 7; i++)
    cr_assert_str_eq(o.lang.defines[i], expected[i]);
  cr_assert_eq(o.lang.include_dir_count, 2);
  cr_assert_str_eq(o.lang.include_dirs[0], "one");
  cr_assert_str_eq(o.lang.include_dirs[1], "two words");
  kiln_options_free(&o);
}

Test(options, switches) {
  struct kiln_build_options o = parse("-cl-std=CL2.0 -cl-fast-relaxed-math -g -w -O3 -cl-single-precision-constant "
                                      "-cl-denorms-are-zero -cl-kernel-arg-info --kiln-unroll=8 --kiln-verify");
  cr_assert(o.lang.std == 200 && o.lang.fast_relaxed_math && o.lang.warnings.none && o.lang.single_precision_constants);
  cr_assert(o.lang.fp_flags & KILN_FP_NNAN && o.lang.fp_flags & KILN_FP_REASSOC && o.lang.fp_flags & KILN_FP_CONTRACT);
  cr_assert_eq(o.backend.flags, KILN_BUILD_DEBUG_INFO | KILN_BUILD_FAST_MATH | KILN_BUILD_FTZ);
  cr_assert_eq(o.backend.optimize, 3);
  cr_assert_str_eq(o.backend.values[0], "8");
  cr_assert_str_eq(o.backend.values[1], "1");
  kiln_options_free(&o);
}

Test(options, errors_name_the_option) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"-cl-foo", "unknown build option '-cl-foo'"},
      {"-DA -foo", "'-foo'"},
      {"plain", "'plain'"},
      {"-D", "'-D' needs a value"},
      {"-I", "'-I' needs a value"},
      {"-D 1x=2", "'1x=2' is no macro name"},
      {"-D =", "is no macro name"},
      {"-UA=1", "is no macro name"},
      {"-cl-std=CL4.0", "-cl-std=CL4.0"},
      {"--kiln-nope=1", "--kiln-unroll"},
      {"--kiln-unroll=x", "must be a whole number"},
      {"--kiln-unroll", "needs a value"},
      {"--kiln-verify=maybe", "must be 0 or 1"},
      {"-DA='x", "is not closed"},
      {"\"\"", "unknown build option ''"},
      {"-O4", "'-O4'"},
      {"-Wunused-variabel", "did you mean '-Wunused-variable'?"},
      {"-Werror=unused-variabel", "did you mean '-Werror=unused-variable'?"},
      {"-Wno-error=qqqqqqqqqqqq", "there is no such warning"},
      {"-Wunusd", "did you mean '-Wunused'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_build_options o;
    FAILS(kiln_options_parse(cases[i].text, &backend, &o), KILN_ERR_INVALID, cases[i].message);
  }
}

static char *canonical(const char *text, bool with_paths) {
  struct kiln_build_options o = parse(text);
  struct kiln_strbuf out = {0};
  kiln_options_canonical(&o, &backend, with_paths, &out);
  kiln_options_free(&o);
  return kiln_strbuf_take(&out);
}

static void compare(const char *a, const char *b, bool with_paths, bool same) {
  char *x = canonical(a, with_paths), *y = canonical(b, with_paths);
  cr_assert((strcmp(x, y) == 0) == same, "'%s' and '%s': '%s' '%s'", a, b, x, y);
  free(x);
  free(y);
}

Test(options, canonical_form) {
  compare("-DA", "-D \"A=1\"", true, true);
  compare("", "-w --kiln-verify=1 --kiln-unroll=4 -cl-std=CL1.2 -O2 -cl-kernel-arg-info", true, true);
  compare("", "--kiln-unroll=5", true, false);
  compare("-DA=1 -DB", "-DB -DA=1", true, false); // order decides: -D can be followed by -U
  compare("-DA=1", "-DA=2", true, false);
  compare("-DA='1\n3:DB=2'", "-DA=1 -DB=2", true, false);
  compare("", "-g", true, false);
  compare("", "-Werror", true, false);
  compare("", "-Werror -w", true, true);
  compare("", "-Wno-unused-variable", true, true); // an entry has all warnings
  compare("-Wno-error=int-conversion", "-Wno-int-conversion", true, true);
  compare("", "-Wno-unused-variable -Wunused-variable -Wall", true, true);
  compare("", "-Werror=unused-variable", true, false);
  compare("-Werror -Wno-error=division-by-zero", "-Werror", true, false);
  compare("-Werror -Wno-error=division-by-zero -Wno-error", "", true, true);
  compare("-Werror", "-Werror -Wno-error=unused-variable -Wno-unused-variable", true, true); // nobody has asked for it
  compare("-Werror -Wall", "-Werror", true, false);
  compare("-Werror -Wall -Wno-all", "-Werror -Wno-most -Wno-parentheses -Wno-switch", true, true);
  compare("-Werror=unused",
          "-Wno-unused -Werror=unused-variable -Werror=unused-function -Werror=unused-label "
          "-Werror=unused-value -Werror=unused-comparison -Werror=unused-but-set-variable",
          true, true);
  compare("-Werror -Wno-everything", "", true, true);
  compare("", "-Wint-conversion -Werror=int-conversion", true, true); // an error as it is
  compare("", "-Wno-error=int-conversion", true, false);
  compare("", "-Wno-no-such-warning", true, true);
  compare("-Ia", "-Ib", false, true);
  compare("-Ia", "-Ib", true, false);
  compare("-Ia", "", false, false);
}

Test(options, any_bytes) {
  // Nothing but blanks, quotes and backslashes, and long words.
  unsigned seed = 1;
  for (int i = 0; i < 20000; i++) {
    char text[40];
    int size = i % 39;
    for (int k = 0; k < size; k++)
      text[k] = "-DUI \"'\\=(a1\n"[(seed = seed * 1103515245 + 12345) >> 16 & 7 ? (seed >> 19) % 13 : 0];
    text[size] = 0;
    struct kiln_build_options o;
    if (kiln_options_parse(text, &backend, &o) == KILN_OK)
      kiln_options_free(&o);
  }
}
