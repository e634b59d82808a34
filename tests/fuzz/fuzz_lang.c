// The front end on any bytes: diagnostics or a module that the verifier accepts, before and after the passes; never an
// internal error.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/lang/lang.h"
#include "jit/pass/pass.h"
#include "kiln/kiln.h"

static void fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz_lang: %s: %.2000s\n", what, text);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct kiln_lang_input input = {.source = (const char *)data,
                                  .size = size,
                                  .name = "fuzz.cl",
                                  .options = {.std = size % 3 ? 120 : 200,
                                              .fp16 = true,
                                              .fp64 = true,
                                              .int64_atomics = true,
                                              .sub_groups = true,
                                              .images = true,
                                              .image_library = size % 4 < 2}};
  struct kiln_lang_output output = {0};
  char message[1024] = "";
  enum kiln_status status = kiln_lang_compile(&input, &output);
  const char *log = output.log ? output.log : "";
  if (status != KILN_OK && status != KILN_ERR_COMPILE && status != KILN_ERR_MEMORY)
    fail(kiln_status_name(status), log);
  if (status == KILN_ERR_COMPILE && !strstr(log, "error: "))
    fail("failure without an error", log);
  if (status == KILN_OK && !output.module)
    fail("success without a module", log);
  if (status == KILN_OK && !kiln_module_verify(output.module, message, sizeof message))
    fail("the verifier refuses the module", message);
  struct kiln_caps caps = {.fma = true,
                           .fp16 = true,
                           .fp64 = true,
                           .int64_atomics = true,
                           .generic_space = true,
                           .scalarise = size % 2 == 0,
                           .analyse = size % 2 == 0,
                           .images = !input.options.image_library};
  struct kiln_options options = {.optimize = 2};
  if (status == KILN_OK &&
      (kiln_passes_run(output.module, &caps, &options, NULL, NULL, message, sizeof message) == KILN_ERR_INTERNAL ||
       !kiln_module_verify(output.module, message, sizeof message)))
    fail("invalid after the passes", message);
  kiln_module_free(output.module);
  kiln_lang_output_free(&output);
  return 0;
}
