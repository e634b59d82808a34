// The division of a program into parts, which are compiled in parallel and linked into one library.
#ifndef KILN_BACKENDS_LLVM_PARTS_H
#define KILN_BACKENDS_LLVM_PARTS_H

#include "backends/common/llvm.h"
#include "base/str.h"

#define KILN_LL_MAX_PARTS 16 // one object each: KILN_LL_MAX_OBJECTS

struct kiln_ll_family;

// The division depends on the program alone, so that the code is the same wherever it is compiled.
struct kiln_ll_division {
  uint32_t count;
  uint32_t *part_of; // by function
  bool *shared;      // by function: it is called from another part
};

// False: out of memory.
bool kiln_ll_divide(const struct kiln_ll_family *family, const struct kiln_compile_job *job,
                    struct kiln_ll_division *out);
void kiln_ll_free_division(struct kiln_ll_division *division);

// The text of a stage of a program with several parts is their texts, each after a line made by kiln_ll_part_line.
// comment: the start of a comment.
void kiln_ll_part_line(char out[64], const char *comment, uint32_t part, uint32_t count);
// Finds the texts of the parts in the text of a stage. Returns their number; KILN_LL_MAX_PARTS + 1 if there are more
// parts than KILN_LL_MAX_PARTS.
uint32_t kiln_ll_find_parts(const char *text, size_t size, const char *comment, struct kiln_str out[KILN_LL_MAX_PARTS]);

#endif
