// The words of a module of SPIR-V: header, byte order, counts, what is cut off. Faults that no assembler writes.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "jit/spirv/spirv.h"

// A kernel that does nothing.
static const uint32_t good[] = {
    0x07230203, 0x00010000, 0, 6,          0, // header: version 1.0, ids below 6
    0x00020011, 4,                            // OpCapability Addresses
    0x00020011, 6,                            // OpCapability Kernel
    0x0003000e, 2,          2,                // OpMemoryModel Physical64 OpenCL
    0x0004000f, 6,          1, 0x0000006b,    // OpEntryPoint Kernel %1 "k"
    0x00020013, 2,                            // %2 = OpTypeVoid
    0x00030021, 3,          2,                // %3 = OpTypeFunction %2
    0x00050036, 2,          1, 0,          3, // %1 = OpFunction %2 None %3
    0x000200f8, 4,                            // %4 = OpLabel
    0x000100fd,                               // OpReturn
    0x00010038,                               // OpFunctionEnd
};
enum { COUNT = sizeof good / sizeof *good, KERNEL = 8, ENTRY = 12, RETURN = COUNT - 2 };

static enum kiln_status read_bytes(const void *data, size_t size, char **log) {
  struct kiln_spirv_input input = {.data = data, .size = size, .name = "m.spv"};
  struct kiln_module *module;
  enum kiln_status status = kiln_spirv_compile(&input, &module, log);
  cr_assert((status == KILN_OK) == (module != NULL));
  kiln_module_free(module);
  return status;
}

// The message must have the text; "": the module is right.
static void expect(const void *data, size_t size, const char *text) {
  char *log = NULL;
  enum kiln_status status = read_bytes(data, size, &log);
  cr_expect(*text ? status == KILN_ERR_COMPILE : status == KILN_OK, "status %d: %s", (int)status, log ? log : "");
  cr_expect(!*text || (log && strstr(log, text)), "no '%s' in '%s'", text, log ? log : "");
  free(log);
}

static void expect_changed(unsigned word, uint32_t value, const char *text) {
  uint32_t words[COUNT];
  memcpy(words, good, sizeof good);
  words[word] = value;
  expect(words, sizeof words, text);
}

static uint32_t swapped(uint32_t word) { return __builtin_bswap32(word); }

Test(spirv_words, right) {
  expect(good, sizeof good, "");
  uint32_t other[COUNT];
  for (unsigned i = 0; i < COUNT; i++)
    other[i] = swapped(good[i]);
  expect(other, sizeof other, ""); // in the other byte order
  char bytes[sizeof good + 1];
  memcpy(bytes + 1, good, sizeof good);
  expect(bytes + 1, sizeof good, ""); // anywhere
}

Test(spirv_words, header) {
  expect(good, 0, "this is not SPIR-V");
  expect(good, 3, "this is not SPIR-V");
  expect("kernel void k() {}", 18, "this is not SPIR-V");
  expect(good, 16, "cut off at word 4");
  expect(good, sizeof good - 1, "cut off at word");
  expect_changed(1, 0x00010600, "");
  expect_changed(1, 0x00010700, "version 1.7 of SPIR-V is not supported");
  expect_changed(1, 0x00020000, "version 2.0 of SPIR-V is not supported");
  expect_changed(3, 4, "id 4 is not below the bound of the module, which is 4");
  expect_changed(3, 0, "is not below the bound of the module, which is 0");
}

Test(spirv_words, instructions) {
  expect_changed(5, 0x00000011, "m.spv:word 5: error: OpCapability: an instruction of no words");
  expect_changed(5, 0x00010011, "m.spv:word 5: error: OpCapability: operands are missing");
  expect_changed(RETURN, 0x000000fd, "m.spv:word 28: error: OpReturn: an instruction of no words");
  expect_changed(RETURN, 0x00010011, "OpCapability: operands are missing");
  expect_changed(RETURN, 0x000200fd, "OpReturn: 1 operands too many");
  expect_changed(RETURN, 0x000300fd, "the module is cut off at word 30");
  expect_changed(RETURN, 0x00011234, "unknown instruction 4660");
  uint32_t words[COUNT]; // the capability that has such instructions says more
  memcpy(words, good, sizeof good);
  words[KERNEL] = 6022;
  words[RETURN] = 0x00011234;
  expect(words, sizeof words, "capability CooperativeMatrixKHR is not supported: cooperative matrices");
  expect_changed(ENTRY + 2, 0, "OpEntryPoint: an id is 0");
  expect_changed(ENTRY + 3, 0x6b6b6b6b, "OpEntryPoint: a string that has no end");
}

Test(spirv_words, cut_off_anywhere) {
  for (size_t size = 20; size < sizeof good; size += 4) {
    if (size == ENTRY * 4)
      continue; // a module without functions
    char *log = NULL;
    cr_expect_eq(read_bytes(good, size, &log), KILN_ERR_COMPILE);
    cr_expect(log && strstr(log, "error: "));
    free(log);
  }
}
