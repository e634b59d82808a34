// Checks for test programs without Criterion: the first that fails ends the program with a message.
#ifndef KILN_TESTS_EXPECT_H
#define KILN_TESTS_EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#include "kiln/kiln.h"

// The text is printf's format, with what it takes.
#define EXPECT(condition, ...)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                  \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)
// The call of the API succeeds.
#define FINE(call) EXPECT((call) == KILN_OK, "%s", kiln_last_error())

#endif
