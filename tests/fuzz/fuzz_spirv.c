// The reader of SPIR-V on any bytes: a message or a module that the verifier accepts, before and after the passes;
// never an internal error. Each input is read as it is, then with some of its words changed: in replay.c as often as
// the environment says (KILN_MUTANTS), by a fixed sequence.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/pass/pass.h"
#include "jit/spirv/spirv.h"
#include "kiln/kiln.h"

static void fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz_spirv: %s: %.2000s\n", what, text);
  abort();
}

static void run_passes(struct kiln_module *module, size_t size) {
  char message[1024] = "";
  struct kiln_caps caps = {.fma = true,
                           .fp16 = true,
                           .fp64 = true,
                           .int64_atomics = true,
                           .generic_space = true,
                           .images = size % 8 >= 4,
                           .scalarise = size % 8 < 4,
                           .analyse = size % 8 < 4};
  struct kiln_options options = {.optimize = 2};
  if (kiln_passes_run(module, &caps, &options, NULL, NULL, message, sizeof message) == KILN_ERR_INTERNAL ||
      !kiln_module_verify(module, message, sizeof message))
    fail("invalid after the passes", message);
}

static bool has_imports(const struct kiln_module *module) {
  for (uint32_t i = 0; i < module->function_count; i++)
    if (module->functions[i]->is_declared)
      return true;
  return false;
}

static void read_module(const uint8_t *data, size_t size) {
  struct kiln_spirv_input input = {.data = data,
                                   .size = size,
                                   .name = "fuzz.spv",
                                   .options = {.std = 120,
                                               .fp16 = true,
                                               .fp64 = true,
                                               .int64_atomics = true,
                                               .generic_space = true,
                                               .sub_groups = true,
                                               .images = true,
                                               .image_library = size % 8 < 4,
                                               .is_object = size % 16 >= 12}};
  struct kiln_module *module = NULL;
  char *log = NULL, message[1024] = "";
  enum kiln_status status = kiln_spirv_compile(&input, &module, &log);
  if (status != KILN_OK && status != KILN_ERR_COMPILE && status != KILN_ERR_UNSUPPORTED && status != KILN_ERR_MEMORY)
    fail(kiln_status_name(status), log ? log : "");
  if ((status == KILN_ERR_COMPILE || status == KILN_ERR_UNSUPPORTED) && (!log || !strstr(log, "error: ")))
    fail("failure without an error", log ? log : "");
  if ((status == KILN_OK) != (module != NULL))
    fail("the status and the module do not agree", kiln_status_name(status));
  if (module && !kiln_module_verify(module, message, sizeof message))
    fail("the verifier refuses the module", message);
  if (module && !has_imports(module)) // which linking would give their bodies
    run_passes(module, size);
  kiln_module_free(module);
  free(log);
}

static uint64_t state = 7;
static uint32_t next_random(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

// Another word: a small number, any one, one bit changed, or one of the module's words.
static uint32_t changed(uint32_t word, const uint32_t *words, uint32_t count) {
  switch (next_random() % 4) {
  case 0:
    return next_random() % 400;
  case 1:
    return next_random();
  case 2:
    return word ^ 1u << next_random() % 32;
  default:
    return words[next_random() % count];
  }
}

static void change(uint32_t *words, uint32_t count) {
  enum { HEADER = 5 };
  for (uint32_t changes = 1 + next_random() % 4; changes && count > HEADER; changes--) {
    uint32_t at = HEADER + next_random() % (count - HEADER);
    words[at] = changed(words[at], words, count);
  }
}

static void read_mutant(const uint8_t *data, size_t size) {
  uint32_t *words = malloc(size);
  if (!words)
    exit(3);
  memcpy(words, data, size);
  change(words, (uint32_t)(size / 4));
  read_module((const uint8_t *)words, size);
  free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_module(data, size);
  const char *mutants = getenv("KILN_MUTANTS");
  for (int i = mutants ? atoi(mutants) : 0; i > 0 && size > 24; i--)
    read_mutant(data, size & ~(size_t)3);
  return 0;
}
