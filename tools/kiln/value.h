// Numbers of the TYPEs of the command line: reading, making and printing them.
#ifndef KILN_TOOL_VALUE_H
#define KILN_TOOL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value_type {
  const char *name;
  uint8_t size;
  char kind; // 'i' signed, 'u' unsigned, 'f' float
};

// The type whose name is the first size characters of text; NULL when there is none.
const struct value_type *find_type(const char *text, size_t size);

// The type of a scalar or vector of the kernel language ("uint4"), and how many components it has; NULL for other
// types.
const struct value_type *find_kernel_type(const char *name, size_t *count);

// Reads a number (decimal, hexadecimal, for floats also nan and inf) into type->size bytes. False when the text is no
// number or does not fit.
bool parse_value(const struct value_type *type, const char *text, void *out);
// The numbers that a type has: "from -128 to 127", "a number from …". out has room for 64.
void format_range(const struct value_type *type, char *out);
// The value in another type: exact for integers, rounded for floats; the bits as they are between integers of one size.
// False when the other type has no such value.
bool convert_value(const struct value_type *from, const void *in, const struct value_type *to, void *out);
// Digits that read back as the same value, few where few do. out has room for 32.
void format_value(const struct value_type *type, const void *data, char *out);

// Element index of 0, 1, 2, …
void iota_value(const struct value_type *type, uint64_t index, void *out);

// Random numbers: SplitMix64 from a seed. Floats are lo + u * (hi - lo) with u = (next >> 11) / 2^53, rounded to the
// type; integers lo + next mod (hi - lo + 1), and without bounds the upper bits of next.
struct random_source {
  uint64_t state;
  bool bounded;
  double low, high;        // floats
  uint64_t low_bits, span; // integers; span 0: all of 2^64
};
// low, high: texts, NULL: [0, 1) for floats, every value for integers. False when they are no numbers of the type or
// low > high.
bool random_init(struct random_source *source, const struct value_type *type, uint64_t seed, const char *low,
                 const char *high);
void random_value(struct random_source *source, const struct value_type *type, void *out);

#endif
