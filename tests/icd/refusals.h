// Rows of the tables in refusals/: calls, and what they return.
#ifndef KILN_TESTS_ICD_REFUSALS_H
#define KILN_TESTS_ICD_REFUSALS_H

#include "icd_test.h"

static cl_int status;
static cl_event gate; // of the user, which holds commands back; NULL: none

// The end of a call that waits for nothing; or, where there is a gate, for that.
#define NOW gate ? 1 : 0, gate ? &gate : NULL, NULL
#define BLOCKING (gate ? CL_FALSE : CL_TRUE)
#define SIZES(x, y, z) ((size_t[]){x, y, z})

// Calls that make an object write the code into status.
#define REFUSED(code, call) CHECK_CODE(call, code);
#define ACCEPTED(call) CHECK_OK(call);
#define NOT_MADE(code, call)                                                                                           \
  status = 99;                                                                                                         \
  CHECK((call) == NULL);                                                                                               \
  CHECK_CODE(status, code);
#define MADE(release, call)                                                                                            \
  {                                                                                                                    \
    status = 99;                                                                                                       \
    void *made = (call);                                                                                               \
    CHECK_OK(status);                                                                                                  \
    CHECK(made != NULL);                                                                                               \
    if (made)                                                                                                          \
      CHECK_OK(release(made));                                                                                         \
  }

#endif
