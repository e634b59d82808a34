// What is known of a kernel that runs many lanes at once, in one form of its warps. All of it is found before the form
// is emitted, and does not change then.
#ifndef KILN_BACKENDS_LLVM_FORM_H
#define KILN_BACKENDS_LLVM_FORM_H

#include "backends/llvm/core/emit.h"

// A form of a warp: facts about the kernel's values in it, and the plan of its loads and stores. A kernel has several
// forms: full warps, warps under a mask, narrower ones for the remainder of a row (kiln_ll_cpu_fn).
struct kiln_ll_form {
  unsigned lanes;
  bool full;                       // no warp but full ones runs this form
  bool assumes;                    // early guards hold: they were tested before the warp
  bool large_strides_by_lane;      // kiln_ll_large_strides_go_by_lane
  const struct kiln_shape *shapes; // by value
  const bool *divergent;           // by node
  const bool *loses;           // by node: a lane that enters it may leave an outer node or return, and then does not
                               // run what comes after the node
  const bool *merges;          // by loop node: lanes enter the next iteration at different points or times
  const uint8_t *element;      // by pointer into an array of lanes: bytes of its elements; 0: a plain pointer
  const kiln_value *array;     // by pointer into a private array: the variable (private.c); 0: another pointer
  const bool *ordered;         // by vector of the language, or store of one: held in the order of memory, lane after
                               // lane, not component after component (memory_order.c)
  const bool *used;            // by value: an instruction takes it
  const bool *conditional;     // by value: linear only if a guard holds that is tested where the value is used
  const bool *prefetches;      // by pointer: prefetch the memory of a later warp when it is loaded; NULL: none
  const uint32_t *nontemporal; // by pointer: 1 + the parameter it points into, if stores to it may be non-temporal;
                               // NULL: none may
  const struct kiln_ll_stride *likely; // by value (width.h)
  struct kiln_ll_access *const *plan;  // by load or store (plan.h)
  struct kiln_ll_form_made *made;
};

// What has been emitted of a form so far.
struct kiln_ll_form_made {
  LLVMValueRef *guards;   // by conditional value: the guard; NULL: holds
  LLVMValueRef *slots;    // by phi: its stack slot while control flow is emitted
  LLVMValueRef *arrivals; // by node: slot of the mask of lanes that arrive after it
  LLVMValueRef *wide;     // by value: the vector form, as made in wide_block
  LLVMBasicBlockRef *wide_block;
  bool *prefetched;            // by pointer
  kiln_value record_load;      // the last load from records, in record_block
  LLVMValueRef record_address; // of their first byte
  LLVMBasicBlockRef record_block;
};

// 1 + the region that all work-items of the group run; 0: unknown.
static inline unsigned kiln_ll_decided(const struct kiln_ll_fn *f, uint32_t node) {
  return f->cpu.decided ? f->cpu.decided[node] : 0;
}
static inline struct kiln_shape kiln_ll_shape(const struct kiln_ll_fn *f, kiln_value v) { return f->form->shapes[v]; }

// ---- form.c
// A form of the kernel. full: for full warps alone, which were tested for early guards where there are any.
struct kiln_ll_form *kiln_ll_begin_form(const struct kiln_ll_fn *f, unsigned lanes, bool full);
// Whether a uniform value is computed from linear ones that cancel out, some of which are held as vectors.
bool kiln_ll_cancels(const struct kiln_ll_fn *f, kiln_value v);
// Whether v is the work-item's position in its row (of lane 0, at many lanes).
bool kiln_ll_is_row_id(struct kiln_ll_fn *f, kiln_value v);

// ---- losses.c
// Whether the region does not run in the version for groups in which the group's guards hold.
bool kiln_ll_is_guarded_off(const struct kiln_ll_fn *f, uint32_t region);

// ---- guard.c
// Whether the instruction itself, not only an operand, has its shape under a condition: an extension that may wrap, a
// minimum or maximum, a comparison.
bool kiln_ll_has_condition(const struct kiln_ll_fn *f, kiln_value inst);
bool kiln_ll_is_clamp(enum kiln_op op);
// A product of a linear value by a factor that is no constant is linear if the factor is its unit, mostly 1. Returns
// the factor; 0: v is no such product.
kiln_value kiln_ll_variable_factor(const struct kiln_ll_fn *f, kiln_value v, int64_t *unit);
// Whether the condition of inst (kiln_ll_has_condition) is tested before the warp runs.
bool kiln_ll_is_assumed(const struct kiln_ll_fn *f, kiln_value inst);
// Whether full warps may assume any condition.
bool kiln_ll_may_assume(const struct kiln_function *fn);
// Whether early guards hold for a prefix of each row: later work-items do nothing, or have a position that was clamped.
bool kiln_ll_assumes_ends_of_rows(const struct kiln_function *fn);
// Whether early guards assume that no multiple of a divisor is within the warp, which never holds if the divisor is
// small.
bool kiln_ll_assumes_divisions(const struct kiln_function *fn);

// ---- permute.c
// Whether the operands that v is computed from, not only v itself, are available where inst is emitted.
bool kiln_ll_has_operands(const struct kiln_ll_fn *f, kiln_value inst, kiln_value v);

// ---- uniform_loop.c
// A lane stays in the loop while low < high, or low <= high. One bound is uniform, and the other is linear.
struct kiln_ll_loop_test {
  kiln_value low, high;
  bool strict, is_signed;
  kiln_value linear;
  bool first; // whether lane 0 is the first to leave; else it is the last lane
};
// Whether the condition compares a uniform with a linear value. *out: the test by which lanes stay in a loop as long as
// the condition is true (holds), or false.
bool kiln_ll_find_loop_test(const struct kiln_ll_fn *f, kiln_value condition, bool holds,
                            struct kiln_ll_loop_test *out);
// The IF by which lanes leave the divergent loop, if a uniform-loop version of it pays; else 0.
kiln_value kiln_ll_uniform_loop(const struct kiln_ll_fn *f, kiln_value loop);

// ---- loops.c
// The value of an integer constant, with its sign.
bool kiln_ll_constant(const struct kiln_function *fn, kiln_value v, int64_t *out);
bool kiln_ll_uses(const struct kiln_function *fn, enum kiln_op op);
bool kiln_ll_has_loop(const struct kiln_function *fn, uint32_t region);
// How often a value, or the body of a loop, is assumed to run.
uint64_t kiln_ll_iterations(const struct kiln_function *fn, kiln_value v);
// Whether the elements of the lanes, or of the group's work-items, lie side by side, if what guards the shape holds.
bool kiln_ll_is_contiguous(const struct kiln_function *fn, const struct kiln_shape *shapes, kiln_value access);
// The first instruction from v on that is more than a pure operation or a query.
kiln_value kiln_ll_first_effect(const struct kiln_function *fn, kiln_value v);
// By value: the private variable that it points into, by additions and conversions; 0: none.
kiln_value *kiln_ll_variables_of(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether this is the remainder loop that a pass has left after a loop that it has made. Its body does not count when
// lanes are chosen.
bool kiln_ll_is_remainder(const struct kiln_function *fn, kiln_value v);
// Whether this is the choice of a version that a pass has made. Its second side does not count either.
static inline bool kiln_ll_is_version(const struct kiln_function *fn, kiln_value v) {
  return fn->insts[v].region && fn->insts[v].op == KILN_OP_IF && fn->insts[v].flags & KILN_IF_LIKELY;
}
// Whether the value is in a remainder loop or the second side of a version.
bool kiln_ll_is_fallback(const struct kiln_function *fn, kiln_value v);

#endif
