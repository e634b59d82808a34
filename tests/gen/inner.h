// The parts of the generator among themselves.
#ifndef KILN_TESTS_GEN_INNER_H
#define KILN_TESTS_GEN_INNER_H

#include "tests/gen/gen.h"

typedef __int128 wide;

struct gen_type {
  uint8_t base, lanes;
};

// An expression without side effects. Its C type is exactly type.
struct gen_expr {
  const char *text; // a primary or parenthesised
  struct gen_type type;
  wide lo, hi; // bounds of a scalar integer
  double mag;  // floats: bound of the magnitude …
  int frac;    // … and the number of bits behind the point
};

enum gen_var_kind {
  GEN_VAR_VALUE,     // scalar or vector
  GEN_VAR_ARRAY,     // memory of count elements that may be indexed: array, buffer, local array, pointer to one
  GEN_VAR_STRUCT,    // of g->records[record]
  GEN_VAR_REFERENCE, // pointer to a value: used as *name
  GEN_VAR_HIDDEN,    // local array that other work-items may be writing
};

struct gen_var {
  char name[16];
  enum gen_var_kind kind;
  struct gen_type type;
  wide lo, hi;       // bounds of read-only scalar integers
  uint32_t count;    // elements of an array
  const char *limit; // arrays whose length is known at run time only: its text (count is the upper bound)
  int bias;          // subtracted from an index: the pointer points to element bias
  int record;
  const char *space; // "", "local", "global const", … of an array
  bool readonly;     // may not be assigned
  bool uniform;      // the same for all work-items of a group
};

struct gen_field {
  char name[8];
  struct gen_type type;
  uint32_t count; // 0: no array
};

struct gen_record {
  struct gen_field fields[6];
  int field_count;
  bool is_union; // all fields have 8 bytes
};

struct gen_function {
  char name[8];
  struct gen_type result, params[4];
  int param_count;
  uint32_t cost;
  int array_param; // parameter that is a pointer to private or global ints with 8 elements; -1: none
  bool array_global;
};

struct gen_output {
  int arg;
  struct gen_type type;
  uint32_t slots; // per work-item
  int map;        // which of the bijections
  uint32_t a, b;
};

struct gen_table {
  char name[8];
  struct gen_type type;
  uint32_t count;
};

struct gen_chunk;

#define GEN_MOST_STRIDE 3

struct gen {
  uint64_t state;
  uint32_t features;
  struct gen_chunk *chunks;
  char *code;
  size_t code_size, code_capacity;
  int indent, counter, depth;
  uint32_t work, scale; // estimated operations of a work-item; how often the present place runs
  bool in_function, in_uniform;
  int loop_depth; // enclosing loops that break and continue reach
  struct gen_var vars[160];
  int var_count;
  struct gen_record records[4];
  int record_count;
  struct gen_function functions[6];
  int function_count;
  struct gen_table tables[2];
  int table_count;
  int procedure_count, transformer; // transformer: 1 + record it takes and gives, 0: none
  uint32_t procedure_cost;          // of the last, which is an estimate for all
  bool in_procedure;                // its result, if it has one, is not made by statements
  struct gen_type result;           // of the function being written
  struct gen_output outputs[4];
  int output_count;
  struct gen_program *program;
  uint32_t items, group_items; // work-items in all and per full group
  bool partial, exact;
  bool grid_stride;  // each work-item runs iterations of a grid-stride loop
  int atomic_arg[3]; // index of the buffers for sums, for bit operations, for extremes; -1: none
  int record_arg;    // of records of one element type, one for each work-item, in their order; -1: none
  uint32_t record_elements;
  int stride_arg;  // of a number that only shapes use, and in them only as a factor of ids; -1: none
  int strided_arg; // of $u, an element for each work-item at such a distance
  int counter_arg; // of pairs of a counter and the sum of what was made of its old values; -1: none
};

// ---- common.c -------------------------------------------------------------------------------------------------------

void gen_free_text(struct gen *g); // all that gen_text made
uint64_t gen_next(struct gen *g);
uint32_t gen_below(struct gen *g, uint32_t n);
bool gen_chance(struct gen *g, uint32_t percent);
bool gen_has(const struct gen *g, enum gen_feature feature);
char *gen_text(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_open(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3))); // "… {"
void gen_close(struct gen *g);
struct gen_var *gen_declare(struct gen *g, const char *prefix, struct gen_type type);

struct gen_type gen_scalar(uint8_t base);
const char *gen_type_name(struct gen *g, struct gen_type type);
bool gen_is_float(uint8_t base);
bool gen_is_signed(uint8_t base);
uint8_t gen_unsigned_of(uint8_t base);
uint8_t gen_signed_of(uint8_t base);
wide gen_min(uint8_t base);
wide gen_max(uint8_t base);
uint8_t gen_random_int(struct gen *g);
struct gen_type gen_random_type(struct gen *g);
uint32_t gen_random_lanes(struct gen *g);

// ---- expr.c ---------------------------------------------------------------------------------------------------------

struct gen_expr gen_value(struct gen *g, struct gen_type type, int depth);
struct gen_expr gen_integer(struct gen *g, uint8_t base, int depth);
struct gen_expr gen_constant(struct gen *g, uint8_t base);
struct gen_expr gen_cast(struct gen *g, struct gen_expr e, uint8_t base);
const char *gen_condition(struct gen *g, int depth);
const char *gen_uniform_condition(struct gen *g);
// Something that may be assigned to a variable of this type.
const char *gen_assignable(struct gen *g, struct gen_type type, int depth);
struct gen_expr gen_made(const char *text, uint8_t base, wide lo, wide hi);

// ---- vector.c, float.c ----------------------------------------------------------------------------------------------

struct gen_expr gen_vector(struct gen *g, struct gen_type type, int depth);
struct gen_expr gen_float(struct gen *g, struct gen_type type, int depth);
// Made small and coarse enough for a variable.
struct gen_expr gen_float_settled(struct gen *g, struct gen_expr e);

// ---- memory.c -------------------------------------------------------------------------------------------------------

// An integer expression with a value in [0, count).
const char *gen_index(struct gen *g, uint32_t count, int depth);
const char *gen_element(struct gen *g, const struct gen_var *array, const char *index);
bool gen_load(struct gen *g, struct gen_type type, int depth, struct gen_expr *out);
bool gen_load_from(struct gen *g, const struct gen_var *array, struct gen_type type, struct gen_expr *out);
const char *gen_slot(struct gen *g, const struct gen_output *output);
// The element of the output that gen_slot chooses.
const char *gen_own(struct gen *g, const struct gen_output *output);
const struct gen_var *gen_pick_array(struct gen *g, bool writable);
// A value or element that may be assigned; NULL when there is none.
const char *gen_place(struct gen *g, struct gen_type *type, int depth);
const char *gen_place_of(struct gen *g, const struct gen_var *var, struct gen_type *type, int depth);

// ---- address.c ------------------------------------------------------------------------------------------------------

// A pointer into the array, with room for so many elements, as a sum of several terms; NULL: not here.
const char *gen_address(struct gen *g, const struct gen_var *array, uint32_t room, int depth);
// The element with the index, which is not negative and has no effects, as a sum of two.
const char *gen_split(struct gen *g, const char *name, const char *index);

// ---- stmt.c, idiom.c ------------------------------------------------------------------------------------------------

void gen_block(struct gen *g, int count);
void gen_declaration(struct gen *g);
bool gen_extra(struct gen *g); // false: nothing fits
void gen_tables(struct gen *g);
void gen_see_tables(struct gen *g);
void gen_procedure(struct gen *g);
void gen_transformer(struct gen *g);
void gen_idiom(struct gen *g);
bool gen_shape(struct gen *g, const char *local, const char *items); // kernel.c
bool gen_rare_shape(struct gen *g);
void gen_phase(struct gen *g); // statements with barriers, in uniform control flow
void gen_atomic(struct gen *g);
void gen_records(struct gen *g);
void gen_record_variable(struct gen *g);
const char *gen_initializer(struct gen *g, const struct gen_field *field);

#endif
