// Binaries of programs: eight bytes that say what follows, then what Kiln saves.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

#define MAGIC_SIZE 8

static const struct {
  cl_program_binary_type type;
  char magic[MAGIC_SIZE + 1];
} magics[] = {
    {CL_PROGRAM_BINARY_TYPE_EXECUTABLE, "KilnCL\1E"},
    {CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "KilnCL\1O"},
    {CL_PROGRAM_BINARY_TYPE_LIBRARY, "KilnCL\1L"},
};

static unsigned char *join(cl_program_binary_type type, const void *data, size_t size, size_t *out_size) {
  unsigned char *bytes = malloc(MAGIC_SIZE + size);
  *out_size = bytes ? MAGIC_SIZE + size : 0;
  if (!bytes)
    return NULL;
  for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
    if (magics[i].type == type)
      memcpy(bytes, magics[i].magic, MAGIC_SIZE);
  memcpy(bytes + MAGIC_SIZE, data, size);
  return bytes;
}

unsigned char *icd_binary_make(const struct icd_build *build, size_t *size) {
  *size = 0;
  if (build->object) {
    size_t text_size;
    const char *text = kiln_object_text(build->object, &text_size);
    return join(build->type, text, text_size, size);
  }
  void *data;
  size_t data_size;
  if (!build->program || kiln_program_save_known(build->program, &data, &data_size) != KILN_OK)
    return NULL;
  unsigned char *bytes = join(CL_PROGRAM_BINARY_TYPE_EXECUTABLE, data, data_size, size);
  kiln_free(data);
  return bytes;
}

cl_int icd_binary_load(struct kiln_context *kiln, const unsigned char *data, size_t size, struct icd_build *build) {
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
    if (size > MAGIC_SIZE && memcmp(data, magics[i].magic, MAGIC_SIZE) == 0)
      type = magics[i].type;
  if (type == CL_PROGRAM_BINARY_TYPE_NONE)
    return CL_INVALID_BINARY;
  enum kiln_status status;
  if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
    status = kiln_program_load(kiln, data + MAGIC_SIZE, size - MAGIC_SIZE, &build->program);
  } else {
    struct kiln_program_desc desc = {
        .kind = KILN_SOURCE_IR_TEXT, .source = (const char *)data + MAGIC_SIZE, .size = size - MAGIC_SIZE};
    status = kiln_object_create(kiln, &desc, &build->object);
  }
  if (status == KILN_ERR_MEMORY)
    return CL_OUT_OF_HOST_MEMORY;
  build->type = type;
  return status == KILN_OK ? CL_SUCCESS : CL_INVALID_BINARY;
}
