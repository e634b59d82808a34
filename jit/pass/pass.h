// Passes over the kernel IR. pipeline.c is the list; each other file is one pass, whose head comment says what it
// requires and keeps.
#ifndef KILN_JIT_PASS_PASS_H
#define KILN_JIT_PASS_PASS_H

#include "jit/ir/images.h"
#include "kiln/backend.h"

// Runs the pipeline on a verified module for a target with these capabilities, verifies (after every pass in debug
// builds, at the end always) and annotates. optimize 0 runs only what backends need. message: what went wrong, naming
// the pass.
// after: NULL, or called with the module after each pass (for COMPILE_DEBUG and --emit).
typedef void kiln_after_pass_fn(void *user, const char *pass, const struct kiln_module *module);
enum kiln_status kiln_passes_run(struct kiln_module *module, const struct kiln_caps *caps,
                                 const struct kiln_options *options, kiln_after_pass_fn *after, void *user,
                                 char *message, size_t message_size);

// Each pass returns whether it has changed something. The comments say what becomes what. Names are those of
// pipeline.c.

// Leaves out functions that neither the kernel nor what it calls calls; false: there is no such kernel.
bool kiln_pass_keep_kernel(struct kiln_module *module, const char *name);
// Calls to the bodies of the functions; with keep_calls only where that pays, with calls_above up to a size.
bool kiln_pass_inline(struct kiln_module *module, const struct kiln_caps *caps);
// Images to pointers and records, operations on images to calls of the library. missing: the name of a function that
// the module lacks, else "".
bool kiln_pass_images(struct kiln_module *module, char missing[KILN_IMAGE_LIBRARY_NAME_SIZE]);
// Kernels with images to kernels with the parameters that they will have, and no body. Needs no library functions.
bool kiln_pass_image_stubs(struct kiln_module *module);
// Formats and samplers of a kernel's parameters to constants.
bool kiln_pass_image_formats(struct kiln_function *fn, const struct kiln_image_constant *known, uint32_t count);
// Operations on groups to those that the backend has.
bool kiln_pass_collective(struct kiln_module *module, const struct kiln_caps *caps);
// Kernels of groups of one work-item each to kernels without groups.
bool kiln_pass_single_items(struct kiln_function *fn);
// Kernels of groups of 1 x N to kernels of merged groups, each of which is that many of those groups side by side.
// groups 0: only finds out whether that would be right (kiln_function.may_merge).
bool kiln_pass_merge_groups(struct kiln_function *fn, uint32_t groups);
// Early exits to branches.
bool kiln_pass_structure(struct kiln_function *fn);
// Generic pointers to pointers of their address space, where it is known.
bool kiln_pass_spaces(struct kiln_function *fn);
// Private variables to SSA values.
bool kiln_pass_promote(struct kiln_function *fn);
// Constant folding, algebra, common subexpressions, constant conditions.
bool kiln_pass_simplify(struct kiln_function *fn);
// 64-bit phis of loops, and what they are made of, to 32 bits, where only the lower half is used.
bool kiln_pass_narrow_phis(struct kiln_function *fn);
// Loops that count down, or until a number is reached, to loops that count up below a number.
bool kiln_pass_loop_counters(struct kiln_function *fn);
// Loops with a test before and at their end, or with one that they carry, to loops with a test at their head.
bool kiln_pass_loop_tests(struct kiln_function *fn);
// Pointers to which each iteration adds a constant to a pointer and a multiple of a counter, which loops then compare.
bool kiln_pass_pointer_walks(struct kiln_function *fn);
// Exits of loops that join a count to a constant with other conditions to two exits.
bool kiln_pass_split_exits(struct kiln_function *fn);
// Removes unused values, unreachable code and empty nodes.
bool kiln_pass_dce(struct kiln_function *fn);
// Vectors to scalars.
bool kiln_pass_scalarise(struct kiln_function *fn);
// Scalars to vectors, where each component of a vector in memory is computed in the same way.
bool kiln_pass_pack(struct kiln_function *fn);
// Loads of what the work-item has just stored or loaded to that value; removes stores that are overwritten.
bool kiln_pass_forward(struct kiln_function *fn);
// Unrolls loops of known trip count.
bool kiln_pass_unroll(struct kiln_function *fn);
// Elements of memory that each iteration of a loop reads and writes to values that the loop carries.
bool kiln_pass_scalar_replacement(struct kiln_module *module);
// Unrolls loops by four where their loads then become vector loads of each work-item, as do four loads in a row.
bool kiln_pass_unroll_transpose(struct kiln_function *fn);
// Sums of ids to which loops around barriers add something to the sum before the loop and a uniform distance from it.
bool kiln_pass_split_induction(struct kiln_function *fn);
// 32-bit arithmetic to 16 bits, where only the lower half of the result is used.
bool kiln_pass_narrow(struct kiln_function *fn);
// Indices that are 32-bit sums to 64-bit sums. Needs shapes.
bool kiln_pass_widen(struct kiln_function *fn);
// Versions of loops and long sequences of accesses for strides that are one.
bool kiln_pass_unit_versions(struct kiln_function *fn);
// Versions of a kernel for masks of ids below so many lanes, where the launch determines the mask.
bool kiln_pass_small_masks(struct kiln_function *fn, uint32_t lanes);
// Multiplications and additions to FMA.
bool kiln_pass_contract(struct kiln_function *fn);
// Multiplications and additions to FMA, of all types but half.
bool kiln_pass_contract_but_half(struct kiln_function *fn);
// Sums with dot products of bytes to dot products that add.
bool kiln_pass_dots(struct kiln_function *fn);
// Unrolls loops that add products of bfloat16 values by two, for machines that add two products at once.
bool kiln_pass_pairs(struct kiln_function *fn);
// Two loads of 16 bits that are factors of products of bfloat16 values to one load of 32 bits.
bool kiln_pass_pair_loads(struct kiln_function *fn);
// Larger alignments of variables, where they are accessed as larger types than their own.
bool kiln_pass_align(struct kiln_module *module);

#endif
