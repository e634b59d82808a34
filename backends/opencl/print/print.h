// The printer's own data: kernel IR to OpenCL C.
//
// print.c     the module: extensions, program-scope variables, functions
// plan.c      which values are folded into the expressions that use them, and where every value is used last
// fall.c      switches that fall through
// vars.c      the variables of a function: phis that can share one, where each is declared, its name
// pointers.c  what each pointer points to, as its accesses tell
// types.c     names of types, constants
// text.c      puts operators between texts, with the parentheses that they need (operators.def)
// expr.c      expressions; memory.c loads, stores, copies; atomic.c; flow.c statements
// image.c     images and samplers
// prints.c    printf
// helpers.c   functions that the printed text needs beyond the built-in ones
//
// The text is a pure function of module and target: no device is needed.
#ifndef KILN_BACKENDS_OPENCL_PRINT_H
#define KILN_BACKENDS_OPENCL_PRINT_H

#include <setjmp.h>

#include "backends/opencl/print/features.h"
#include "backends/opencl/print/printed.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "kiln/backend.h"

struct cl_print_options {
  struct cl_features features;
  const char *device; // for messages
  bool lines;         // write #line
  bool print_buffer;  // printf appends to a buffer (prints.h), which is one more argument of kernels that print
};

// Prints the module. out is the caller's to free, also when it fails.
enum kiln_status kiln_cl_print_module(const struct kiln_module *module, const struct cl_print_options *options,
                                      struct cl_printed *out, struct kiln_report *report);

// ---- the rest is for the printer's files

enum cl_sign { CL_ANY, CL_UNSIGNED, CL_SIGNED };

struct cl_text {
  const char *s; // as it is where C takes any expression that is no assignment: an argument, an index, a condition
  uint8_t binds; // of text.c alone: how strongly the operator on the outside does
  uint8_t sign;  // of an integer: CL_SIGNED or CL_UNSIGNED
};

// What the plan knows of a value.
struct cl_value {
  uint32_t uses;     // how often its text appears
  uint32_t position; // in program order; phis: where they begin to live
  uint32_t last_use; // position of the last statement that needs it, loops considered
  uint32_t use_region;
  uint32_t root;    // the statement of the last use that was met
  uint32_t var;     // index into vars; 0: none
  uint32_t pointer; // union-find parent
  uint8_t depth;    // of folding
  bool folded, in_loop;
  bool conditional; // its use is in one arm of a "c ? x : y"
  bool elsewhere;   // used otherwise than to make an address
  bool is_array;    // a VAR that is not only loaded and stored as a whole
  bool is_entered;  // "this group of a switch that falls through runs": nothing that is printed
  int64_t group;    // 1 + number of the group that this if or select is, see fall.c; 0: it is none
  int16_t votes;    // for signed
};

struct cl_var {
  const char *name;
  kiln_type type;
  kiln_value value; // one of its values, for the pointer class
  bool is_signed, declared;
  uint32_t region;   // where it is declared
  uint32_t position; // of the first member
  uint32_t next;     // in the list of its region
  int32_t votes;
  KILN_VEC(kiln_value) members; // phis
};

// What pointers of one family (derived from one another or joined by phis) point to.
struct cl_pointer_class {
  kiln_type element; // what accesses through it have mostly; i8 when there is none
  uint32_t votes[4];
  kiln_type types[4];
  uint32_t type_count;
  bool is_signed;      // integers are signed, as the source says
  bool mixed;          // scalars of different types are accessed: no type-based aliasing
  bool written;        // through it, or it goes where writes are not seen
  bool by_value;       // a by-value argument: constant memory that is private in C
  bool other_constant; // constant memory that is really constant
};

struct cl_node_info {
  uint32_t end; // position after its last instruction
  uint32_t breaks, continues;
  bool label, next_label; // a goto needs them
  bool is_return;         // leaving the block is leaving the function
  kiln_value is_continue; // leaving the block is continuing this loop
  kiln_value step;        // of a loop: header phi that the for changes
  uint32_t body;          // of a loop: region whose end is the end of the body, besides its own
  uint32_t number;        // of the labels
  kiln_value entry;       // of a switch: the one that chooses its case by the number of a run, see fall.c; 0: none
};

struct cl_signature;
struct cl_helper_set;

struct cl_printer {
  struct kiln_arena arena; // of the whole run
  jmp_buf exhausted;
  const struct kiln_module *module;
  struct cl_print_options options;
  struct kiln_report *report;
  enum kiln_status status;
  struct kiln_strbuf out; // text of the functions so far
  unsigned version;       // needed
  uint64_t extensions;    // enum cl_extension bits
  struct cl_helper_set *helpers;
  struct kiln_names names;         // used on program scope
  const char **function_names;     // by function
  const char **global_names;       // by module variable
  kiln_type *global_elements;      // by module variable
  struct cl_signature *signatures; // by function
  bool half_emulated;
  bool *prints;        // by function: it or what it calls prints into the buffer
  bool *print_strings; // by module variable: a text that the host must know
  uint32_t print_count;
  bool **samplers;                 // by function and parameter
  uint64_t sampler_words;          // constant ones that are used, by bit
  struct kiln_strbuf print_places; // metadata of so many

  // ---- the function that is being printed
  const struct kiln_function *fn;
  struct cl_value *values;          // by value
  struct cl_pointer_class *classes; // by value, valid at roots of the union-find
  struct cl_node_info *nodes;       // by node
  uint32_t *region_depth;
  kiln_value *order;     // by position; 0 where a node ends
  uint32_t *effects;     // by position: operations with effects up to there
  uint32_t *folded_into; // by statement: how many values
  uint32_t position_count, position_capacity;
  KILN_VEC(struct cl_var) vars;
  struct kiln_names locals; // names used in this function
  uint32_t *region_vars;    // by region: variables to declare there, in order
  uint32_t indent, label_count;
  kiln_value at;       // the statement that is being printed, for messages
  const char *pending; // to be printed after it
  bool returned;       // the block before the return returns itself
  enum cl_sign return_sign;
  uint32_t loc; // that was told last
  KILN_VEC(struct cl_scope {
    kiln_value node;
    bool is_loop;
  })
  scopes; // what break and continue lead to
};

// How a function that stays one is called.
struct cl_signature {
  const char **types;  // of its parameters
  enum cl_sign *signs; // of integer vectors among them
};

enum cl_extension {
  CL_EXT_FP64,
  CL_EXT_FP16,
  CL_EXT_INT64_BASE,
  CL_EXT_INT64_EXTENDED,
  CL_EXT_3D_IMAGE_WRITES,
  CL_EXT_DEPTH_IMAGES,
  CL_EXT_COUNT
};

// Fails the run: the first failure counts. Returns a text, so that expressions can go on.
__attribute__((format(printf, 3, 4))) struct cl_text kiln_cl_fail(struct cl_printer *p, enum kiln_status status,
                                                                  const char *format, ...);
// "operation 'x' in 'kernel' (file.cl:3)": for messages.
const char *kiln_cl_where(struct cl_printer *p, kiln_value value);
__attribute__((format(printf, 2, 3))) const char *kiln_cl_format(struct cl_printer *p, const char *format, ...);
struct cl_text kiln_cl_no_text(struct cl_printer *p, kiln_value value); // fails

// ---- text.c: expressions are put together here; statements (flow.c, memory.c) add assignments and steps of loops
// A name, a literal without sign, or a text that is in parentheses already.
struct cl_text kiln_cl_primary(const char *s, enum cl_sign sign);
struct cl_text kiln_cl_call(struct cl_printer *p, const char *function, const char *list, enum cl_sign sign);
struct cl_text kiln_cl_member(struct cl_printer *p, struct cl_text x, const char *member, enum cl_sign sign);
struct cl_text kiln_cl_element(struct cl_printer *p, struct cl_text x, struct cl_text index, enum cl_sign sign);
struct cl_text kiln_cl_prefix(struct cl_printer *p, const char *op, struct cl_text x, enum cl_sign sign);
struct cl_text kiln_cl_cast(struct cl_printer *p, const char *type, struct cl_text x, enum cl_sign sign);
// "(float4)(1, 2, 3, 4)"
struct cl_text kiln_cl_vector(struct cl_printer *p, const char *type, const char *list, enum cl_sign sign);
// The operator is one of operators.def.
struct cl_text kiln_cl_infix(struct cl_printer *p, struct cl_text x, const char *op, struct cl_text y,
                             enum cl_sign sign);
// "condition ? x : y"
struct cl_text kiln_cl_choice(struct cl_printer *p, struct cl_text condition, struct cl_text x, struct cl_text y,
                              enum cl_sign sign);

// ---- plan.c
void kiln_cl_plan(struct cl_printer *p);

// ---- fall.c
// Finds the pairs of switches that are one of C. After program order is known, before anything else is planned.
void kiln_cl_find_falls(struct cl_printer *p);
// The region of the switch, and the group in it, that case number index (0: the default) of its entry leads to.
uint32_t kiln_cl_entered(const struct cl_printer *p, kiln_value node, uint32_t index, int64_t *group);

// ---- pointers.c
void kiln_cl_pointers(struct cl_printer *p);
struct cl_pointer_class *kiln_cl_pointer_class(struct cl_printer *p, kiln_value value);
void kiln_cl_vote_globals(struct cl_printer *p); // the elements of program-scope variables; over all functions
// "global const " and the like, with a space after.
const char *kiln_cl_space_name(struct cl_printer *p, kiln_value pointer, bool with_const);
// The C type of a pointer value: "global float *".
const char *kiln_cl_pointer_type(struct cl_printer *p, kiln_value pointer);
kiln_type kiln_cl_access_element(kiln_type type, uint32_t align);

// ---- types.c
const char *kiln_cl_type_name(struct cl_printer *p, kiln_type type, enum cl_sign sign);
enum kiln_kind kiln_cl_mask_kind(struct cl_printer *p, kiln_value value); // integer that a vector of bool consists of
const char *kiln_cl_value_type_name(struct cl_printer *p, kiln_value value, enum cl_sign sign);
struct cl_text kiln_cl_constant(struct cl_printer *p, kiln_value value, enum cl_sign sign);
struct cl_text kiln_cl_scalar_constant(struct cl_printer *p, kiln_type type, uint64_t bits, enum cl_sign sign);

// ---- vars.c
void kiln_cl_variables(struct cl_printer *p);
struct cl_var *kiln_cl_var(struct cl_printer *p, kiln_value value); // NULL: has none
// "int x", "global float *p"
const char *kiln_cl_declarator(struct cl_printer *p, const struct cl_var *var);
// A name that is new in this function.
const char *kiln_cl_local_name(struct cl_printer *p, const char *wanted);
// As cl_local_name in another set of names; also avoids what is reserved.
const char *kiln_cl_unique_name(struct cl_printer *p, struct kiln_names *names, const char *wanted);

// ---- expr.c
struct cl_text kiln_cl_expr(struct cl_printer *p, kiln_value value, enum cl_sign sign);
// The expression that makes the value, though it has a variable.
struct cl_text kiln_cl_definition(struct cl_printer *p, kiln_value value, enum cl_sign sign);
// The negation of a scalar condition.
struct cl_text kiln_cl_negated(struct cl_printer *p, kiln_value condition);
// The text to assign to a variable: scalars convert by themselves.
const char *kiln_cl_assigned(struct cl_printer *p, kiln_value value, const struct cl_var *var, bool define);
enum cl_sign kiln_cl_natural_sign(const struct cl_printer *p, kiln_value value);
// An integer of the source's signed arithmetic that only makes addresses: its overflow is undefined, as in C.
bool kiln_cl_is_signed_index(const struct cl_printer *p, kiln_value value);
// Whether the operand only becomes an address there.
bool kiln_cl_makes_address(const struct cl_printer *p, kiln_value user, uint32_t operand);
enum cl_sign kiln_cl_operand_sign(const struct kiln_function *fn, kiln_value value, uint32_t operand);

// ---- memory.c
struct cl_text kiln_cl_pointer_expr(struct cl_printer *p, kiln_value pointer);
struct cl_text kiln_cl_pointer_definition(struct cl_printer *p, kiln_value pointer);
struct cl_text kiln_cl_load(struct cl_printer *p, kiln_value value);
void kiln_cl_store(struct cl_printer *p, kiln_value value);
void kiln_cl_copy(struct cl_printer *p, kiln_value value);
void kiln_cl_declare_private(struct cl_printer *p, kiln_value value);
void kiln_cl_declare_local(struct cl_printer *p); // the local variables that the function uses
void kiln_cl_mark_arrays(struct cl_printer *p);
// A pointer to elements of the type, as text: "(global uint *)(x + i)".
struct cl_text kiln_cl_typed_pointer(struct cl_printer *p, kiln_value pointer, const char *element, bool is_volatile);

// ---- atomic.c
struct cl_text kiln_cl_atomic(struct cl_printer *p, kiln_value value);
void kiln_cl_fence(struct cl_printer *p, kiln_value value);

// ---- image.c
const char *kiln_cl_image_type(struct cl_printer *p, kiln_type type); // "read_only image2d_t"
struct cl_text kiln_cl_image(struct cl_printer *p, kiln_value value);
void kiln_cl_find_samplers(struct cl_printer *p);
struct cl_text kiln_cl_sampler(struct cl_printer *p, kiln_value value);
void kiln_cl_write_samplers(struct cl_printer *p, struct kiln_strbuf *out);
void kiln_cl_write_args(struct cl_printer *p, struct kiln_strbuf *out);

// ---- prints.c
void kiln_cl_find_prints(struct cl_printer *p);
struct cl_text kiln_cl_print_call(struct cl_printer *p, kiln_value value);
void kiln_cl_write_prints(struct cl_printer *p, struct kiln_strbuf *out);
// The letter of the conversion that takes the argument of this number; 0: none.
char kiln_cl_print_letter(const struct kiln_module *module, uint32_t format, uint32_t argument);

// ---- flow.c, print.c
const char *kiln_cl_return_type(struct cl_printer *p); // with a space or star after
void kiln_cl_body(struct cl_printer *p);
__attribute__((format(printf, 2, 3))) void kiln_cl_line(struct cl_printer *p, const char *format, ...);

// ---- helpers.c
// The name of a helper function; its text will stand before the functions.
enum cl_helper_kind {
  CL_HELPER_DIV,
  CL_HELPER_REM,
  CL_HELPER_EXTRACT,
  CL_HELPER_INSERT,
  CL_HELPER_FLOAT_ATOMIC,
  CL_HELPER_HALF_TO_FLOAT,
  CL_HELPER_FLOAT_TO_HALF,
  CL_HELPER_HALF_NEXTAFTER,
  CL_HELPER_NO_NAN,  // 0 instead of a NaN
  CL_HELPER_DOT4,    // detail: enum kiln_dot_signs
  CL_HELPER_BY_LANE, // detail: the operation, a mathematical function of one operand
};
const char *kiln_cl_helper(struct cl_printer *p, enum cl_helper_kind kind, kiln_type type, enum cl_sign sign,
                           uint32_t detail);
__attribute__((format(printf, 2, 3))) void kiln_cl_helper_line(struct cl_printer *p, const char *format, ...);
// A struct of so many bytes, for a by-value argument; its member is data.
const char *kiln_cl_struct_type(struct cl_printer *p, kiln_type element, uint32_t bytes, uint32_t align);
void kiln_cl_free_helpers(struct cl_printer *p);
void kiln_cl_write_helpers(struct cl_printer *p, struct kiln_strbuf *out);
// A typedef of the type that aliases everything.
const char *kiln_cl_alias_type(struct cl_printer *p, const char *name);

// A module variable with text as a string literal.
const char *kiln_cl_string(struct cl_printer *p, uint32_t global);
const char *kiln_cl_format_string(struct cl_printer *p, uint32_t global);
const char *kiln_cl_quote(struct cl_printer *p, const char *text);

void kiln_cl_need_version(struct cl_printer *p, unsigned version);
void kiln_cl_need_extension(struct cl_printer *p, enum cl_extension extension);

#endif
