// Text of the features of a target.
#include "backends/opencl/print/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_word(const char *text, const char *word) {
  size_t size = strlen(word);
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, ",");
    if (length == size && memcmp(at, word, size) == 0)
      return true;
    at += length + (at[length] == ',');
  }
  return false;
}

void kiln_cl_features_parse(const char *text, struct cl_features *out) {
  memset(out, 0, sizeof *out);
  out->version = 120;
  out->group_size = 1024;
  if (strncmp(text, "clc", 3) == 0) {
    unsigned major = 0, minor = 0;
    if (sscanf(text + 3, "%u.%u", &major, &minor) == 2)
      out->version = major * 100 + minor * 10;
  }
  unsigned group_size = 0;
  const char *group = strstr(text, ",wg");
  if (group && sscanf(group, ",wg%u", &group_size) == 1 && group_size > 1024 && group_size <= 1u << 16)
    out->group_size = group_size;
#define CL_FEATURE(member, word, meaning) out->member = has_word(text, word);
#include "backends/opencl/print/features.def"
}

void kiln_cl_features_format(const struct cl_features *features, char *out, size_t size) {
  size_t used = (size_t)snprintf(out, size, "clc%u.%u", features->version / 100, features->version / 10 % 10);
#define CL_FEATURE(member, word, meaning)                                                                              \
  if (features->member && used < size)                                                                                 \
    used += (size_t)snprintf(out + used, size - used, "," word);
#include "backends/opencl/print/features.def"
  if (features->group_size > 1024 && used < size)
    snprintf(out + used, size - used, ",wg%u", features->group_size);
}
