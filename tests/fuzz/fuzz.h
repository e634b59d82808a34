// One input of a fuzz target. Both libFuzzer and replay.c call it; it may not crash, hang, leak or break its promises.
#ifndef KILN_TESTS_FUZZ_FUZZ_H
#define KILN_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
