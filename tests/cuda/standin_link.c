// Links of the stand-in: PTX becomes a cubin, which is a head and then the text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/standin.h"

#define LINK_MAGIC UINT64_C(0x6c696e6b6c696e6b)
#define MAX_OPTIONS 4

struct kiln_cu_link_data {
  uint64_t magic;
  kiln_cu_context context;
  unsigned count;
  int names[MAX_OPTIONS];
  void *values[MAX_OPTIONS];
  char *text, *cubin;
};

EXPORT kiln_cu_result cuLinkCreate_v2(unsigned count, int *names, void **values, kiln_cu_link *out) {
  ENTER(KILN_CU_OUT_OF_MEMORY);
  CHECK(count <= MAX_OPTIONS, "%u options", count);
  *out = calloc(1, sizeof **out);
  **out = (struct kiln_cu_link_data){.magic = LINK_MAGIC, .context = context, .count = count};
  memcpy((*out)->names, names, count * sizeof *names);
  memcpy((*out)->values, values, count * sizeof *values);
  __atomic_add_fetch(&context->links, 1, __ATOMIC_RELAXED);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuLinkAddData_v2(kiln_cu_link link, int type, void *data, size_t size, const char *name,
                                       unsigned count, int *names, void **values) {
  ENTER(KILN_CU_INVALID_PTX);
  CHECK(link && link->magic == LINK_MAGIC && link->context == context, "no link of the context");
  CHECK(type == KILN_CU_JIT_INPUT_PTX && !link->text && !count && !names && !values && name, "arguments");
  CHECK(size && !((char *)data)[size - 1], "the PTX does not end with a 0");
  link->text = strdup(data);
  struct ptx_error error = {0};
  struct ptx_module *ptx;
  pthread_mutex_lock(&standin_lock);
  kiln_cu_result result = standin_compile(link->text, context->device, &ptx, &error);
  pthread_mutex_unlock(&standin_lock);
  if (ptx)
    ptx_free(ptx);
  else
    standin_put_log(link->count, link->names, link->values, error.text);
  return result;
}

EXPORT kiln_cu_result cuLinkComplete(kiln_cu_link link, void **cubin, size_t *size) {
  ENTER(KILN_CU_INVALID_PTX);
  CHECK(link && link->magic == LINK_MAGIC && link->context == context && link->text, "no link of the context");
  link->cubin = calloc(1, STANDIN_CUBIN_HEAD + 64 + strlen(link->text));
  memcpy(link->cubin, "\177ELF\2\1\1", 7);
  char *at = link->cubin + STANDIN_CUBIN_HEAD;
  at += sprintf(at, STANDIN_CUBIN "%d\n%s", standin.sm[context->device], link->text);
  *cubin = link->cubin;
  *size = (size_t)(at - link->cubin) + 1;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuLinkDestroy(kiln_cu_link link) {
  ENTER(KILN_CU_INVALID_VALUE);
  CHECK(link && link->magic == LINK_MAGIC && link->context == context, "no link of the context");
  __atomic_sub_fetch(&context->links, 1, __ATOMIC_RELAXED);
  link->magic = 0;
  free(link->text);
  free(link->cubin);
  free(link);
  return KILN_CU_SUCCESS;
}
