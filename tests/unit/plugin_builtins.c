// Every built-in function of the kernel language has a case in the conformance suite.
#include <criterion/criterion.h>
#include <string.h>

static const char *const builtins[] = {
#define KILN_BUILTIN(name, signature, types, lanes, ...) #name,
#include "jit/lang/ast/builtins.def"
};

static const char *const cases[] = {
#define FLOAT(name, text, ulp, in) #name,
#define SINGLE(name, text, ulp, in) #name,
#define RELATION(name, text) #name,
#define INTEGER(name, text) #name,
#define BODY(name, text, ulp, in, out, before) #name,
#include "tools/kiln/conformance_builtins.def"
};

Test(conformance, every_builtin_has_a_case) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
    if (strncmp(builtins[i], "__", 2) == 0) // the library's own
      continue;
    // What work-items do together is covered by the operations that it comes to (conformance_ops.def).
    if (strstr(builtins[i], "sub_group") || strncmp(builtins[i], "work_group_", 11) == 0)
      continue;
    if (strstr(builtins[i], "_image")) // tests/lang/image_functions.cl
      continue;
    bool found = false;
    for (size_t k = 0; k < sizeof cases / sizeof *cases && !found; k++)
      found = strcmp(builtins[i], cases[k]) == 0;
    cr_assert(found, "built-in function '%s' has no case in conformance_builtins.def", builtins[i]);
    count++;
  }
  cr_assert_gt(count, 300);
}
