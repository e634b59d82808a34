// Stands for a compile helper that what it compiled has taken over: says that all went well, and writes the reply that
// the environment names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/isolate_wire.h"

static void put(const void *data, size_t size) {
  if (write(KILN_HELPER_REPLY, data, size) != (ssize_t)size)
    _exit(1);
}

// A record of a kind and size, with some bytes; the rest are 0xff.
static void record(uint32_t kind, uint64_t size, const void *data, size_t data_size) {
  struct kiln_helper_record_head head = {kind, 0, size};
  put(&head, sizeof head);
  put(data, data_size);
  for (uint64_t i = data_size; i < size && i < 4096; i++)
    put("\xff", 1);
}

static void result(uint32_t status) { record(KILN_RECORD_RESULT, 5, &status, sizeof status); }

int main(void) {
  const char *lie = getenv("LIAR");
  uint32_t large = 77;
  record(KILN_RECORD_DATA, 4, "code", 4);
  if (strcmp(lie, "kind") == 0)
    record(99, 0, "", 0);
  else if (strcmp(lie, "log level") == 0)
    record(KILN_RECORD_LOG, 8, &large, sizeof large);
  else if (strcmp(lie, "log size") == 0)
    record(KILN_RECORD_LOG, 2, "ab", 2);
  else if (strcmp(lie, "stage name") == 0)
    record(KILN_RECORD_STAGE, 6, "no end", 6);
  else if (strcmp(lie, "kernels size") == 0)
    record(KILN_RECORD_KERNELS, 8, "", 0);
  else if (strcmp(lie, "data twice") == 0)
    record(KILN_RECORD_DATA, 4, "more", 4);
  else if (strcmp(lie, "include size") == 0)
    record(KILN_RECORD_INCLUDE, 3, "", 0);
  else if (strcmp(lie, "include state") == 0)
    record(KILN_RECORD_INCLUDE, sizeof(struct kiln_helper_include) + 4, "", 0);
  else if (strcmp(lie, "summary size") == 0)
    record(KILN_RECORD_SUMMARY, 3, "", 0);
  else if (strcmp(lie, "result size") == 0)
    record(KILN_RECORD_RESULT, 2, "", 0);
  else if (strcmp(lie, "result") == 0)
    result(77);
  else if (strcmp(lie, "both modes") == 0) { // each mode knows one of them
    record(KILN_RECORD_REFLECTION, 8, "", 0);
    record(KILN_RECORD_KERNELS, sizeof(struct kiln_kernel_resources), "", 0);
  }
  if (strncmp(lie, "result", 6) != 0)
    result(0);
  if (strcmp(lie, "size") == 0)
    record(KILN_RECORD_META, UINT64_MAX, "", 0);
  if (strcmp(lie, "rest") == 0)
    put("xx", 2);
  char verdict = strcmp(lie, "verdict") == 0 ? 77 : 0;
  return write(KILN_HELPER_VERDICT, &verdict, 1) != 1;
}
