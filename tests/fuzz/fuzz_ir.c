// IR text: an error, or a module that prints, and whose text gives the same text again. Passes keep it valid.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "kiln/ir.h"
#include "kiln/kiln.h"

static void fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz_ir: %s: %.2000s\n", what, text);
  abort();
}

// The text of the module that text describes. NULL when it does not parse.
static char *printed(const char *text, size_t size, struct kiln_module **module) {
  char *out = NULL, message[1024] = "";
  enum kiln_status status = kiln_module_parse(text, size, "fuzz.kir", module);
  if (status == KILN_ERR_INTERNAL)
    fail("internal error", kiln_last_error());
  if (status != KILN_OK)
    return NULL;
  if (!kiln_module_verify(*module, message, sizeof message))
    fail("parsed, but the verifier refuses it", message);
  if (kiln_module_print(*module, &out) != KILN_OK)
    fail("does not print", kiln_last_error());
  return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct kiln_module *module = NULL, *again = NULL;
  char message[1024] = "";
  char *first = printed((const char *)data, size, &module);
  if (!first)
    return 0;
  char *second = printed(first, strlen(first), &again);
  if (!second)
    fail("printed text does not parse", kiln_last_error());
  if (strcmp(first, second) != 0)
    fail("printed text changes when it is printed again", second);
  struct kiln_caps caps = {.fma = true,
                           .fp16 = true,
                           .fp64 = true,
                           .int64_atomics = true,
                           .generic_space = true,
                           .scalarise = size % 2 == 0,
                           .analyse = size % 2 == 0,
                           .keep_calls = size % 3 == 0};
  struct kiln_options options = {.optimize = 2};
  enum kiln_status status = kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message);
  if (status == KILN_ERR_INTERNAL || !kiln_module_verify(module, message, sizeof message))
    fail("invalid after the passes", message);
  kiln_free(first);
  kiln_free(second);
  kiln_module_free(module);
  kiln_module_free(again);
  return 0;
}
