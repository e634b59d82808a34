// The library functions that take the place of operations on images, for backends that do not take these: the front end
// puts into the module what its operations will need, and jit/pass/images.c calls it.
#ifndef KILN_JIT_IR_IMAGES_H
#define KILN_JIT_IR_IMAGES_H

#include <string.h>

#include "kiln/ir.h"

#define KILN_IMAGE_LIBRARY_NAME_SIZE 40 // of the longest name, with its NUL

// The name of the function for an IMAGE_READ or IMAGE_WRITE: "__kiln_image_read_f_i" reads a pixel of floats (of half
// or depth, too) at coordinates that are integers, "__kiln_image_write_i" writes one of integers. False, with "" in
// out, for any other operation: a query needs none.
bool kiln_image_library_name(const struct kiln_function *fn, kiln_value op, char *out, size_t size);

// The same by what it is made of. reads: else it writes. pixel, coordinate: KILN_F32 or KILN_I32, or others of floats.
void kiln_image_function_name(bool reads, enum kiln_kind pixel, enum kiln_kind coordinate, char *out, size_t size);

#define KILN_IMAGE_LIBRARY_PREFIX "__kiln_image_" // of the names of all functions of this library
static inline bool kiln_is_image_library(const char *name) {
  return strncmp(name, KILN_IMAGE_LIBRARY_PREFIX, sizeof KILN_IMAGE_LIBRARY_PREFIX - 1) == 0;
}

// How many coordinates an image of the dimension has, the layer of an array included.
unsigned kiln_image_coordinates(enum kiln_image_dimension dimension);
static inline bool kiln_image_is_array(enum kiln_image_dimension dimension) {
  return dimension == KILN_IMAGE_1D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
}
static inline bool kiln_image_is_depth(enum kiln_image_dimension dimension) {
  return dimension == KILN_IMAGE_2D_DEPTH || dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
}

// Whether a function has an image as a parameter.
bool kiln_function_has_images(const struct kiln_function *fn);
bool kiln_module_has_images(const struct kiln_module *module);

// What is known of a kernel's images and samplers, in the order of its parameters: the numbers of a format, or the bits
// of a sampler.
struct kiln_image_constant {
  bool is_sampler;
  int32_t order, type;
  uint32_t sampler;
};
#define KILN_IMAGE_CONSTANTS 256 // at most
#define KILN_IMAGE_CONSTANT_SIZE 32
// Writes it: "rgba:unorm8", a format by its name; "rgba:unorm8:large", where KILN_IMAGE_IS_SMALL is not set; "0x14", a
// sampler.
void kiln_image_constant_text(const struct kiln_image_constant *constant, char out[KILN_IMAGE_CONSTANT_SIZE]);
// Reads a list of them with commas between. out has room for KILN_IMAGE_CONSTANTS. False: it is no such list.
bool kiln_image_constants_read(const char *text, struct kiln_image_constant *out, uint32_t *count);
#define KILN_IMAGES_GENERIC "generic" // instead of a list: nothing is to be taken for known

// The numbers of the orders and types in a list, as bits: CLK_R, which is the first number, is bit 0. 0: no list.
#define KILN_IMAGE_FIRST_NUMBER 0x10b0
uint64_t kiln_image_numbers(const char *text);

#endif
