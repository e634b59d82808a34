// The schedule of a kernel: how its work-items come into the lanes of vectors, and which launches its code is for. A
// program is compiled with one; launches may want another, which makes a variant of the program.
//
// The text form is that of the build options: "shape=flattened lanes=16" is --kiln-shape=flattened --kiln-lanes=16. The
// stage "plan" prints it, and docs/spmd.md explains it.
#ifndef KILN_BACKENDS_COMMON_SCHEDULE_H
#define KILN_BACKENDS_COMMON_SCHEDULE_H

#include "base/str.h"

enum kiln_cpu_shape {
  KILN_CPU_SHAPE_AUTO,
#define KILN_CPU_SHAPE(NAME, text) KILN_CPU_SHAPE_##NAME,
#include "backends/common/shapes.def"
  KILN_CPU_SHAPE_COUNT
};

enum kiln_cpu_rows { KILN_CPU_ROWS_WHOLE = 1, KILN_CPU_ROWS_ANY };

// Where a member is 0 the compiler chooses.
struct kiln_cpu_schedule {
  uint8_t shape;     // enum kiln_cpu_shape
  uint8_t lanes;     // work-items of a warp
  uint8_t registers; // that a value of 32 bits of a warp takes
  uint8_t rows;      // enum kiln_cpu_rows
  uint8_t ids;       // bits of global ids: 32, for ids below 2^31, or 64
  uint8_t reserved[3];
};

static inline const char *kiln_cpu_shape_text(uint8_t shape) {
  static const char *const texts[] = {
      "auto",
#define KILN_CPU_SHAPE(NAME, text) text,
#include "backends/common/shapes.def"
  };
  return texts[shape];
}

// Appends the members that are chosen, each after that text: " " or " --kiln-".
static inline void kiln_cpu_schedule_print(struct kiln_strbuf *out, const struct kiln_cpu_schedule *s,
                                           const char *before) {
  if (s->shape)
    kiln_strbuf_printf(out, "%sshape=%s", before, kiln_cpu_shape_text(s->shape));
  if (s->lanes)
    kiln_strbuf_printf(out, "%slanes=%u", before, s->lanes);
  if (s->registers)
    kiln_strbuf_printf(out, "%sregisters=%u", before, s->registers);
  if (s->rows)
    kiln_strbuf_printf(out, "%srows=%s", before, s->rows == KILN_CPU_ROWS_ANY ? "any" : "whole");
  if (s->ids)
    kiln_strbuf_printf(out, "%sids=%u", before, s->ids);
}

#endif
