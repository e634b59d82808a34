// Memory that runs out at every place where Kiln allocates. A session is run again and again; each time another
// allocation of Kiln's fails, alone or with all that follow. Either the session's results are right all the same, or a
// call says that there is no memory. Nothing is leaked, and the next session works. The walk is a child process: when
// it dies, the parent says at which allocation, and another continues after it.
#ifndef KILN_TESTS_MEMORY_WALK_H
#define KILN_TESTS_MEMORY_WALK_H

#include <stdbool.h>
#include <stdint.h>

struct outcome {
  bool ever;         // given: all allocations from one on fail
  bool refused;      // a call said that there is no memory
  const char *fault; // what is wrong, which may be the lack of memory; NULL: the results are right
  char detail[1024];
};

struct walk {
  const char *name;
  const void *user;
  void (*prepare)(const void *user); // before a session, with all the memory
  void (*session)(const void *user, struct outcome *out);
  void (*settle)(const void *user); // after it, likewise
};

// Lets every stride-th allocation fail, from the first on: alone, and then together with all later ones. False: there
// were faults, which were written to standard error.
bool walk_all(const struct walk *walk, uint32_t stride);

#endif
