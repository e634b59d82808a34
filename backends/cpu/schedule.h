// The schedule of a kernel: how its work-items come into the lanes of vectors, and which launches its code is for. A
// program is compiled with one; launches may want another, which makes a variant of the program.
//
// The text form is that of the build options: "shape=flattened lanes=16" is --kiln-shape=flattened --kiln-lanes=16. The
// stage "plan" prints it, and docs/spmd.md explains it.
#ifndef KILN_BACKENDS_CPU_SCHEDULE_H
#define KILN_BACKENDS_CPU_SCHEDULE_H

#include "base/str.h"

enum kiln_cpu_shape {
  KILN_CPU_SHAPE_AUTO,
#define KILN_CPU_SHAPE(NAME, text) KILN_CPU_SHAPE_##NAME,
#include "backends/cpu/shapes.def"
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
#include "backends/cpu/shapes.def"
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

// ---- launches that want another schedule

// On a launch and the numbers of a kernel. Masks have bits KILN_CPU_IF(NAME).
enum kiln_cpu_condition {
#define KILN_CPU_CONDITION(NAME, name, text, refusal) KILN_CPU_IS_##NAME,
#include "backends/cpu/conditions.def"
  KILN_CPU_CONDITION_COUNT
};
#define KILN_CPU_IF(NAME) (UINT32_C(1) << KILN_CPU_IS_##NAME)
_Static_assert(KILN_CPU_CONDITION_COUNT <= 32, "conditions are kept in 32 bits");

enum kiln_cpu_when {
  KILN_CPU_NEEDS,    // the kernel cannot run the launch as it is
  KILN_CPU_PREFERS,  // it runs faster otherwise, also if it runs once
  KILN_CPU_GAINS,    // it runs faster otherwise, which pays once many work-items have run
  KILN_CPU_REPLACES, // likewise; and at once where another rule needs a variant anyway
};

// Launches that a variant with the schedule runs. The rules of a kernel are asked in their order.
struct kiln_cpu_rule {
  uint32_t all, any, none; // all of these conditions hold, at least one of these (0: any launch), and none of these
  struct kiln_cpu_schedule schedule; // of the variant: what is 0 is chosen when that is compiled
  uint32_t when;                     // enum kiln_cpu_when
};

#define KILN_CPU_MAX_RULES 18

#endif
