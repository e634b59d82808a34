// An OpenCL driver that is no good, for the ICD loader: KILN_BROKEN_ICD says what it does to the process that asks it.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name) {
  const char *way = getenv("KILN_BROKEN_ICD");
  (void)name;
  fputs("Not enough memory to run\non this device.\n", stderr);
  if (strcmp(way, "abort") == 0)
    abort();
  if (strcmp(way, "segv") == 0)
    raise(SIGSEGV);
  if (strcmp(way, "exit") == 0)
    exit(0);
  if (strcmp(way, "leave") == 0 && fork() == 0) { // a process stays that has all descriptors
    sleep(30);
    _exit(0);
  }
  if (strcmp(way, "leave") == 0)
    _exit(7);
  for (;;) // hang
    pause();
}
