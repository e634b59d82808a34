// Between the parts of promotion: promote_slots.c finds which variables can be replaced and by which slots,
// promote_access.c turns accesses of a slot into operations on its value, promote.c carries values through the tree.
#ifndef KILN_JIT_PASS_PROMOTE_H
#define KILN_JIT_PASS_PROMOTE_H

#include "base/vec.h"
#include "jit/pass/common.h"

struct kiln_slot { // a part of a variable that becomes a value
  uint32_t var;    // index into vars
  uint32_t offset, size;
  kiln_type type;
  kiln_value current; // its value at this point of the walk; 0: undefined
};

struct kiln_slot_access { // some load or store of this type at this place, or one that a copy asks for
  uint32_t offset, size, order;
  kiln_type type;
};

struct kiln_promote_var {
  kiln_value id;
  uint64_t bytes;
  bool ok;     // every use is understood
  bool copied; // by some COPY
  bool queued;
  uint32_t slot_first, slot_count;
  uint32_t copies; // first of a list of (copy, side) pairs: see copy_next
  KILN_VEC(struct kiln_slot_access) accesses;
};

struct kiln_promote_side {
  uint32_t var; // index + 1; 0: memory
  uint32_t offset;
};

struct kiln_promote_copy {
  kiln_value inst;
  uint32_t bytes;
  struct kiln_promote_side side[2]; // destination, source
  uint32_t next[2];                 // in the list of that side's variable: 2 * copy + side + 1
};

struct kiln_promote {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  uint32_t value_count; // before the pass
  uint32_t *address;    // by value: index + 1 of the variable that it is an address in
  uint32_t *offset;     // by value: the offset of that address
  KILN_VEC(struct kiln_promote_var) vars;
  KILN_VEC(struct kiln_promote_copy) copies;
  KILN_VEC(struct kiln_slot) slots;
};

// Fills in the variables, copies and slots. False when there is nothing to promote.
bool kiln_promote_analyse(struct kiln_promote *p);
// The slot of a promoted variable that holds the byte; NULL: no slot does.
struct kiln_slot *kiln_promote_slot(struct kiln_promote *p, uint32_t var, uint32_t offset);
// First slot at or after the offset; index into slots, up to slot_first + slot_count.
uint32_t kiln_promote_slot_from(const struct kiln_promote *p, uint32_t var, uint32_t offset);

bool kiln_access_fits(kiln_type slot, uint32_t slot_size, uint32_t offset, kiln_type type);
// Reads a part of a value, or replaces a part of it, at an offset in bytes. kiln_access_fits holds.
kiln_value kiln_access_read(struct kiln_builder *b, kiln_value value, uint32_t offset, kiln_type type);
kiln_value kiln_access_write(struct kiln_builder *b, kiln_value value, uint32_t offset, kiln_value part);

#endif
