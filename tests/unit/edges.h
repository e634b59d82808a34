// Values at the edges of a type.
#ifndef KILN_TESTS_EDGES_H
#define KILN_TESTS_EDGES_H

#include <math.h>

#include "jit/ir/internal.h"

// clang-format off
static const double float_edges[] = {
  0, 1, 2, 3, 0.5, 1.5, 0.1, 5e-324, 0x1p-149, 0x1p-24, 0x1p-126, 0x1p-127, 0x1p-14, 0x1p-15, 0x1p-1022, 0x1p-1023,
  65504, 0x1.fffffep127, 0x1.fffffffffffffp1023, 0x1p1023, 0x1p127, 0x1p15, 8388609, INFINITY, NAN};
// clang-format on
enum { FLOAT_EDGES = sizeof float_edges / sizeof *float_edges };

// The edges of a type, the most telling ones first; returns how many there are.
static inline unsigned edges_of(enum kiln_kind kind, uint64_t out[64]) {
  unsigned bits = kiln_kind_bits(kind), count = 0;
  uint64_t mask = kiln_bits_mask(bits), min = (uint64_t)1 << (bits - 1);
  if (kiln_kind_is_float(kind)) {
    for (unsigned i = 0; i < FLOAT_EDGES; i++)
      for (unsigned negative = 0; negative < 2; negative++)
        out[count++] = kiln_float_round(kind, negative ? -float_edges[i] : float_edges[i], KILN_ROUND_EVEN);
    return count;
  }
  const uint64_t edges[] = {0,
                            1,
                            (uint64_t)-1,
                            min,
                            min - 1,
                            2,
                            4,
                            bits - 1,
                            bits,
                            5,
                            bits + 1,
                            min + 1,
                            (uint64_t)-2,
                            mask / 3,
                            3,
                            bits / 2 - 1,
                            bits / 2,
                            0x80,
                            0x7f,
                            0xff,
                            0x100,
                            0xaa55,
                            mask >> bits / 2,
                            (uint64_t)1 << bits / 2};
  for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++)
    out[count++] = edges[i] & mask;
  return count;
}

#endif
