// What tests of generated programs take: a part of them among the quick tests, all of them in the test of the same name
// and "-all", which has the label slow.
#ifndef KILN_TESTS_PART_H
#define KILN_TESTS_PART_H

#include <stdlib.h>

// The programs to take of so many: an eighth, 50 of 400; all where KILN_TEST_ALL is set.
static inline unsigned part_of(unsigned all) { return getenv("KILN_TEST_ALL") ? all : (all + 7) / 8; }

#endif
