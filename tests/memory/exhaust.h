// Memory that runs out on demand. The program that holds exhaust.c has the C library's allocation functions of the
// whole process; of their calls only those are counted and failed that come from Kiln's own libraries. What LLVM, PoCL
// or the C library allocate on their own account always succeeds: none of them promises to survive the opposite.
#ifndef KILN_TESTS_MEMORY_EXHAUST_H
#define KILN_TESTS_MEMORY_EXHAUST_H

#include <stdbool.h>
#include <stdint.h>

// Looks where Kiln's libraries lie: once they all are loaded.
void exhaust_find_libraries(void);
// From now on the call number (1: the next one) fails, and with ever every later one, too.
void exhaust_from(uint32_t call, bool ever);
// Ends that. Returns how many calls failed.
uint32_t exhaust_end(void);
// Blocks that Kiln has allocated since exhaust_find_libraries and not freed.
uint32_t exhaust_live(void);
// Writes where the first call failed, or with live where the blocks are from that were allocated since exhaust_from and
// not freed, as addresses for addr2line.
void exhaust_print_place(bool live);

#endif
