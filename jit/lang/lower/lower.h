// Inside the lowering: the state of one, and what its parts call of each other.
//
// lower.c       units and functions        lower/scan.c  what a function body does with its variables and labels
// lower/expr.c  values                     lower/lvalue.c lvalues, loads, stores
// lower/stmt.c  statements                 lower/goto.c  lists of statements that are jumped into
// lower/switch.c  switch                   lower/init.c  initialisers
// lower/describe.c  variables for debuggers lower/fuse.c  sums of products
// lower/const.c   constant data            lower/builtin.c  calls of built-ins that are operations
#ifndef KILN_JIT_LANG_LOWER_H
#define KILN_JIT_LANG_LOWER_H

#include "jit/lang/ast/ast.h"
#include "jit/lang/lex/unit.h"

// Tree to IR; what lowering alone can find out (recursion, …) goes to the diagnostics. NULL when memory ran out.
struct kiln_module *kiln_lower_unit(struct kiln_lang *lang, const struct kiln_unit *unit);

struct kiln_lower_decl {    // what decl->lowered points to
  struct kiln_function *fn; // VARIABLE, PARAM: the function for which value holds
  kiln_value value;         // address; of a PARAM that is_direct the value itself
  kiln_type type; // VARIABLE, PARAM: of the number, vector or pointer at value; 0: it is not in memory, or none
  uint32_t align; // at value
  bool is_direct;
  bool is_modified;                 // PARAM, VARIABLE: written, or its address goes somewhere
  bool has_early_return;            // FUNCTION: a return that is not its last statement
  bool in_progress;                 // VARIABLE: its initialiser is being evaluated
  uint32_t global;                  // VARIABLE in module memory: index + 1; 0: not made yet
  uint32_t function;                // FUNCTION: index + 1; 0: not lowered yet
  struct kiln_lower_labels *labels; // FUNCTION: NULL without goto and switches that need the same treatment
};

// lower/scan.c: notes what the body of a function does: of each once, before it is lowered.
void kiln_lower_scan(struct kiln_arena *arena, struct kiln_decl *function);

// The parser made what a statement consists of after the statement itself and before the next one; in a large program
// that has left the processor's cache since.
static inline void kiln_lower_fetch(const struct kiln_stmt *statement, const struct kiln_stmt *next) {
  enum { LINE = 64, MOST = 16 << 10 };
  const char *at = (const char *)statement;
  if ((uintptr_t)next - (uintptr_t)statement > MOST)
    return;
  for (; (uintptr_t)at < (uintptr_t)next; at += LINE)
    __builtin_prefetch(at);
}

// ---- labels: lower/goto.c ------------------------------------------------------------------------------------------

struct kiln_lower_step { // one level on the way from the function's body to a statement
  struct kiln_stmt **list;
  uint32_t index;
};
struct kiln_lower_label {
  struct kiln_name *name;        // NULL: a case or default of a switch
  const struct kiln_stmt *stmt;  // LABEL, CASE or DEFAULT
  const struct kiln_stmt *owner; // the switch of a CASE or DEFAULT
  struct kiln_lower_step *path;
  uint32_t depth;
};
struct kiln_lower_entry { // a list of statements that is entered at one of them by a jump
  struct kiln_stmt **list;
  uint32_t index, label;
  bool outside;  // the jump comes from outside the list
  bool backward; // it comes from this statement or a later one of the list
  uint32_t last; // backward: the last statement of the list that it comes from
};
struct kiln_lower_labels {                         // of one function
  KILN_VEC(struct kiln_lower_label) items;         // the number of a label is its index + 1
  KILN_VEC(struct kiln_lower_entry) entries;       // each once
  KILN_VEC(const struct kiln_stmt *) odd_switches; // that are lowered as jumps
};

struct kiln_lower_range { // segments of a list that are in a loop, or (loop 0) all of them
  struct kiln_lower_range *up;
  uint32_t first, end;
  uint32_t inner; // loops[inner] and those after are the ones that can lie in this range
  kiln_value loop;
};

struct kiln_lower_frame { // a list of statements that is being lowered and has entries
  struct kiln_lower_frame *up;
  struct kiln_stmt **list;
  uint32_t *starts;   // first statement of segment k; starts[0] = 0
  kiln_value *blocks; // whose end is the beginning of segment k; 0: none
  uint32_t segment_count, current;
  struct kiln_lower_range *loops; // apart or inside each other; the outer one before the inner, then by first
  uint32_t loop_count;
  struct kiln_lower_range *range; // the innermost that is open
};

struct kiln_lower_target { // where break and continue go
  struct kiln_lower_target *up;
  kiln_value break_node;
  kiln_value continue_node; // a LOOP (continue) or a BLOCK (break); 0: a switch, look further up
  bool continue_is_break;
};

struct kiln_lower_described {
  kiln_value value;
  const struct kiln_decl *decl;
};

// ---- the state -----------------------------------------------------------------------------------------------------

enum {
  KILN_LOWER_MAX_DEPTH = 1500,
  KILN_LOWER_MAX_LABELS = 1000,    // of a function, with cases that are not in the list of their switch
  KILN_LOWER_MAX_BYTES = 64 << 20, // of the first values of all variables, and of strings
  KILN_LOWER_LOCS = 64
};

struct kiln_lower {
  struct kiln_lang *lang;
  struct kiln_arena *arena;
  struct kiln_module *module; // where things go: main_module, or scratch_module
  struct kiln_module *main_module;
  struct kiln_module *scratch_module; // where constants are evaluated; NULL: not needed so far
  struct kiln_function *scratch;      // its only function
  uint16_t fp_flags;                  // that the build options permit
  bool failed;                        // a value could not be made: an error was reported
  uint64_t init_bytes;                // of the first values of variables so far
  struct kiln_names global_names;     // data: not NULL for those that are taken

  struct kiln_function *fn;
  struct kiln_decl *decl; // of fn
  bool as_kernel;
  struct kiln_builder b;
  bool dead;                // the region of b has its terminator
  kiln_value return_block;  // 0: the only return is at the end
  kiln_value return_value;  // phi of return_block
  kiln_value return_memory; // where a record goes
  uint32_t depth;           // of recursion
  struct kiln_lower_target *targets;
  struct kiln_lower_labels *labels; // NULL: the function has none
  struct kiln_lower_frame *frames;
  kiln_value label_var; // i32 variable: number of the label that is on its way; 0: none

  kiln_location location; // of loc
  uint32_t loc;
  struct {
    kiln_location location; // of a file
    uint32_t loc;
  } locs[KILN_LOWER_LOCS]; // made last, none of them of no location, by location: operations of one macro take turns
                           // with those of its arguments
  kiln_location run_first; // locations of macros that all have run_loc: so many from this one on
  uint32_t run_size, run_loc;
  kiln_location line_first; // the line of expanded: most locations are in the same one as the location before
  uint32_t line_size, line_number, line_file;
  const struct kiln_source_file *line_source; // that it is of
  uint32_t line_index;                        // in that
  const char *file_name;                      // of file_index
  uint32_t file_index;
  KILN_VEC(const char *) file_names;
  KILN_VEC(const struct kiln_expr *) spine;        // see kiln_lower_value
  KILN_VEC(struct kiln_lower_described) described; // variables whose scopes are open, where debuggers see them
};

// ---- lower/describe.c ----------------------------------------------------------------------------------------------

// A VAR is the variable or parameter.
void kiln_lower_describe(struct kiln_lower *L, const struct kiln_decl *decl, kiln_value value);
// The scope of the variables from described[first] on ends here.
void kiln_lower_end_scope(struct kiln_lower *L, uint32_t first);

__attribute__((format(printf, 3, 4))) void kiln_lower_error(struct kiln_lower *L, kiln_location location,
                                                            const char *format, ...);
void kiln_lower_new_location(struct kiln_lower *L, kiln_location location);
// The location of what is built next.
static inline void kiln_lower_at(struct kiln_lower *L, kiln_location location) {
  if (location == L->location)
    return;
  bool is_in_run = location - L->run_first < L->run_size;
  uint32_t slot = location % KILN_LOWER_LOCS;
  if ((!is_in_run && L->locs[slot].location != location) || L->module != L->main_module) {
    kiln_lower_new_location(L, location);
    return;
  }
  L->location = location;
  L->b.loc = L->loc = is_in_run ? L->run_loc : L->locs[slot].loc;
}
// The flags of floating-point operations that are built next.
static inline void kiln_lower_fp(struct kiln_lower *L, const struct kiln_expr *e) {
  uint16_t flags = e->exact ? 0 : L->fp_flags;
  L->b.fp_flags = e->contract ? flags : flags & (uint16_t)~KILN_FP_CONTRACT;
}
struct kiln_lower_decl *kiln_lower_slot_in(struct kiln_arena *arena, struct kiln_decl *decl);
static inline struct kiln_lower_decl *kiln_lower_slot(struct kiln_lower *L, struct kiln_decl *decl) {
  return decl->lowered ? decl->lowered : kiln_lower_slot_in(L->arena, decl);
}

static inline bool kiln_lower_is_memory(const struct kiln_ctype *t) {
  return t->kind == KILN_CT_RECORD || t->kind == KILN_CT_ARRAY;
}
static inline struct kiln_ctype const *kiln_lower_strip_enum(const struct kiln_ctype *t) {
  return t->kind == KILN_CT_ENUM ? t->base.type : t;
}
static inline kiln_value kiln_lower_const_int(struct kiln_lower *L, enum kiln_kind kind, uint64_t value) {
  unsigned bits = kiln_kind_bits(kind);
  return kiln_const(L->fn, kiln_scalar_type(kind), bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value);
}
static inline kiln_type kiln_lower_lanes_like(const struct kiln_lower *L, enum kiln_kind kind, kiln_value v) {
  return kiln_vec_type(kind, kiln_type_lanes(kiln_value_type(L->fn, v)));
}
// Moves the builder into a region.
static inline void kiln_lower_enter(struct kiln_lower *L, uint32_t region) {
  L->b.region = region;
  L->b.before = 0;
  L->dead = false;
}
static inline uint32_t kiln_lower_region(struct kiln_lower *L, kiln_value node, uint32_t k) {
  return kiln_node(L->fn, node)->region_first + k;
}
// Ends the region with a yield when it has no end yet. Then goes after the node.
static inline void kiln_lower_yield(struct kiln_lower *L, const kiln_value *values, uint32_t count) {
  if (!L->dead)
    kiln_build_yield(&L->b, values, count);
  L->dead = true;
}

// ---- lower/lvalue.c -------------------------------------------------------------------------------------------------

struct kiln_lower_lvalue {
  kiln_value ptr;                // 0: not in memory
  kiln_value value;              // then this is what it holds
  int64_t offset;                // bytes to add to ptr
  const struct kiln_ctype *type; // of the whole: for lanes, of the vector
  uint32_t align;                // of ptr + offset
  uint16_t flags;                // enum kiln_mem_flags
  uint8_t lane_count;            // > 0: only these lanes of the vector
  uint8_t lanes[16];
  kiln_value index; // not 0: this lane of the vector
};

struct kiln_lower_lvalue kiln_lower_lvalue_of(struct kiln_lower *L, const struct kiln_expr *e);
// Memory for a value that has no variable.
struct kiln_lower_lvalue kiln_lower_temporary(struct kiln_lower *L, const struct kiln_ctype *type);
struct kiln_lower_lvalue kiln_lower_lvalue_at(kiln_value ptr, const struct kiln_ctype *type, uint32_t align);
kiln_value kiln_lower_address(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue);
kiln_value kiln_lower_load(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue);
// What most loads are: of a number, vector or pointer that is a variable of this function. 0: e is something else.
kiln_value kiln_lower_load_variable(struct kiln_lower *L, const struct kiln_expr *e);
void kiln_lower_store(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, kiln_value value);
void kiln_lower_copy(struct kiln_lower *L, struct kiln_lower_lvalue *to, kiln_value from, uint32_t from_align);
kiln_value kiln_lower_var(struct kiln_lower *L, const struct kiln_ctype *type, uint32_t align, const char *name);
void kiln_lower_var_of(struct kiln_lower *L, struct kiln_decl *decl); // makes the memory of a VARIABLE or PARAM
kiln_value kiln_lower_extract(struct kiln_lower *L, kiln_value vector, unsigned lane);
kiln_value kiln_lower_resize(struct kiln_lower *L, kiln_value vector, unsigned lanes); // new lanes are undefined

// ---- lower/expr.c --------------------------------------------------------------------------------------------------

// A number, vector or pointer; for records the address of memory that holds it; 0 for void.
kiln_value kiln_lower_value(struct kiln_lower *L, const struct kiln_expr *e);
kiln_value kiln_lower_condition(struct kiln_lower *L, const struct kiln_expr *e); // scalar BOOL
void kiln_lower_effect(struct kiln_lower *L, const struct kiln_expr *e);          // for what it does only
kiln_value kiln_lower_to_bool(struct kiln_lower *L, kiln_value value);            // != 0, by lane
kiln_value kiln_lower_number(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *from,
                             const struct kiln_ctype *to, enum kiln_round round);
kiln_value kiln_lower_bits(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *to);

// ---- lower/bfloat.c ------------------------------------------------------------------------------------------------
kiln_value kiln_lower_from_bfloat(struct kiln_lower *L, kiln_value v); // 16 bits to float, by lane
kiln_value kiln_lower_to_bfloat(struct kiln_lower *L, kiln_value v);   // float to 16 bits, to the nearest, ties to even

// ---- lower/fuse.c --------------------------------------------------------------------------------------------------
struct kiln_lower_term {
  const struct kiln_expr *e; // NULL: what a variable had before a compound assignment
  kiln_value value;
};
// The sum or difference e of two floats, if one of them is a product that becomes an FMA with it; else 0.
kiln_value kiln_lower_sum(struct kiln_lower *L, const struct kiln_expr *e, bool subtract,
                          const struct kiln_lower_term terms[2]);
// Whether the target's FMA of this type is as fast as a multiplication.
bool kiln_lower_has_fma(const struct kiln_lower *L, kiln_type type);
// The same, where the source lets e be rounded once.
bool kiln_lower_may_fuse(const struct kiln_lower *L, const struct kiln_expr *e, kiln_type type);

// ---- lower/builtin.c -----------------------------------------------------------------------------------------------
kiln_value kiln_lower_builtin(struct kiln_lower *L, const struct kiln_expr *e);
bool kiln_lower_builtin_is_cheap(const struct kiln_builtin_call *call);

kiln_value kiln_lower_image_op(struct kiln_lower *L, const struct kiln_expr *e,
                               const kiln_value *args); // lower/image.c

uint32_t kiln_lower_fence_bits(struct kiln_lower *L, kiln_value flags); // enum kiln_fence bits of cl_mem_fence_flags

// ---- lower/atomic.c ------------------------------------------------------------------------------------------------
kiln_value kiln_lower_atomic(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args);
kiln_value kiln_lower_group(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args); // lower/group.c
void kiln_lower_scoped_barrier(struct kiln_lower *L, kiln_value flags, kiln_value scope_or_0);

// ---- lower/init.c, lower/const.c -----------------------------------------------------------------------------------
void kiln_lower_init(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, const struct kiln_expr *init);
uint32_t kiln_lower_global(struct kiln_lower *L, struct kiln_decl *decl); // index + 1; 0 after an error
uint32_t kiln_lower_string(struct kiln_lower *L, kiln_location lvalue, const char *text,
                           uint32_t size); // index of a global
bool kiln_lower_is_constant(const struct kiln_expr *e);
// The image of a constant as a CONSTANT global; what is not constant is left zero. Returns its index + 1.
uint32_t kiln_lower_image(struct kiln_lower *L, const struct kiln_expr *init, const struct kiln_ctype *type);

// ---- lower/stmt.c, lower/switch.c, lower/goto.c --------------------------------------------------------------------
void kiln_lower_stmt(struct kiln_lower *L, struct kiln_stmt *stmt);
void kiln_lower_list(struct kiln_lower *L, struct kiln_stmt **list, uint32_t count);
void kiln_lower_declare(struct kiln_lower *L, const struct kiln_stmt *stmt); // variables only, no initialisers
void kiln_lower_switch(struct kiln_lower *L, struct kiln_stmt *stmt);
bool kiln_lower_falls_through(const struct kiln_stmt *stmt);
void kiln_lower_goto(struct kiln_lower *L, struct kiln_stmt *stmt);
void kiln_lower_labelled_list(struct kiln_lower *L, struct kiln_stmt **list, uint32_t count);
// Whether a label on its way leads into this list (a BOOL); 0: none can.
kiln_value kiln_lower_arriving(struct kiln_lower *L, struct kiln_stmt **list);
void kiln_lower_switch_labels(struct kiln_lower *L, struct kiln_stmt *stmt);
bool kiln_lower_is_odd_switch(const struct kiln_lower *L, const struct kiln_stmt *stmt);

#endif
