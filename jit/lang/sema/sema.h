// Inside the semantic checks, which the parser calls while it builds the tree.
//
// Functions that return a kiln_expr never return NULL: what was complained about is an expression of type
// KILN_CT_ERROR, which everything accepts silently.
#ifndef KILN_JIT_LANG_SEMA_H
#define KILN_JIT_LANG_SEMA_H

#include "jit/lang/ast/ast.h"
#include "jit/lang/ast/builtins.h"
#include "jit/lang/lex/unit.h"

enum {
  KILN_MAX_NESTING = 256,    // brackets, statements, initialisers, unary operators within each other
  KILN_MAX_CHAIN = 512,      // else-if and ?: chains, member and subscript chains
  KILN_MAX_DECLARATORS = 64, // pointers, arrays and functions in one declared type
};
#define KILN_MAX_STRING_BYTES ((uint64_t)64 << 20) // of all strings, as they are written
#define KILN_MAX_OBJECT_SIZE ((uint64_t)1 << 40)
#define KILN_SPACE_NONE 0xff // while a declaration is read: no address space was written

// ---- symbols --------------------------------------------------------------------------------------------------------

enum kiln_symbol_kind { KILN_SYMBOL_DECL, KILN_SYMBOL_TYPE, KILN_SYMBOL_BUILTIN, KILN_SYMBOL_TAG };

struct kiln_symbol {
  enum kiln_symbol_kind kind;
  uint32_t depth; // of its scope: 0 predefined, 1 program, 2 and more blocks
  struct kiln_name *name;
  struct kiln_symbol *outer; // of the same name, in a scope around
  struct kiln_symbol *next;  // in the same scope
  kiln_location location;
  union {
    struct kiln_decl *decl;
    const struct kiln_ctype *type; // TYPE, TAG
    const struct kiln_builtin *builtin;
  };
};

static inline bool kiln_names_type(const struct kiln_symbol *symbol) {
  return symbol->kind == KILN_SYMBOL_TYPE ||
         (symbol->kind == KILN_SYMBOL_DECL && symbol->decl->kind == KILN_DECL_TYPEDEF);
}

struct kiln_name_entry { // by kiln_name.id
  struct kiln_symbol *ordinary, *tag, *predefined;
  bool asked;               // predefined is known
  struct kiln_fn *function; // declared in any scope: declarations in blocks mean the same function
  struct kiln_fn *instance; // function of the built-in library that is called so
  uint32_t label;           // index in kiln_parser.labels + 1, if that is of this name
  uint64_t member_of;       // serial of the record that has a member of this name, for large ones
};

struct kiln_call_site {
  struct kiln_fn *callee;
  kiln_location location;
};

// What the parser keeps of a function beside its declaration.
struct kiln_fn {
  struct kiln_decl decl;    // first
  struct kiln_fn *overload; // next function of the same name
  bool is_overloadable, in_library;
  bool keeps_name;   // a function of the library that a pass calls by its name
  kiln_location end; // of the name, for messages
  KILN_VEC(struct kiln_call_site) calls;
  KILN_VEC(struct kiln_decl *) variables;      // LOCAL and CONSTANT ones inside
  const struct kiln_builtin_overload *library; // of the built-in library: text not parsed while the body is NULL
  struct kiln_name *library_name;              // under which its text defines it
  uint32_t next_call;                          // for the walk over the call graph
  enum { KILN_FN_NEW, KILN_FN_ACTIVE, KILN_FN_DONE } walk;
  struct kiln_fn *walk_parent;
};

// ---- what the parser hands over -------------------------------------------------------------------------------------

struct kiln_attrs {
  uint32_t align; // 0: none
  bool packed, always_inline, noinline, overloadable, unused, has_vec_type_hint;
  const struct kiln_ctype *vec_type_hint; // NULL: none, or without a type
  uint32_t required_group_size[3], group_size_hint[3];
  uint32_t required_sub_group_size; // 0: none
  uint32_t unroll;
  uint32_t lanes, vector_bytes; // ext_vector_type, vector_size; 0: none
};
enum kiln_storage { KILN_STORAGE_NONE, KILN_STORAGE_TYPEDEF, KILN_STORAGE_EXTERN, KILN_STORAGE_STATIC };
struct kiln_specs {
  struct kiln_qtype type; // space: KILN_SPACE_NONE when none was written
  enum kiln_storage storage;
  bool is_inline, is_kernel;
  enum kiln_access access; // of an image, as written
  bool is_auto;            // __auto_type: the type is that of the initialiser
  struct kiln_attrs attrs;
  kiln_location location, end, storage_location, kernel_location, space_location, access_location;
  bool declares_tag;     // struct, union or enum: "struct S;" is a declaration
  const char *host_name; // size_t or another name for what a device may have in another size; NULL: no such
  const char *word;      // a keyword after the type that may be meant as a name; NULL: none
  kiln_location word_location;
};

struct kiln_declarator {
  struct kiln_qtype type;
  struct kiln_name *name;      // NULL: none
  kiln_location location, end; // of the name, or where it would be
  struct kiln_decl **params;   // of the function that is declared
  uint32_t param_count;
  struct kiln_attrs attrs;
  bool is_function;
  const struct kiln_ctype *array; // of a parameter that is declared as one
};

struct kiln_case {
  int64_t value, last; // last: of a range; else the same
  kiln_location location;
};

struct kiln_switch { // the innermost one
  struct kiln_switch *outer;
  const struct kiln_ctype *type, *before; // before: of the selector before its promotion
  KILN_VEC(struct kiln_case) cases;
  bool has_ranges;
  kiln_location has_default;
};

// ---- the checker ----------------------------------------------------------------------------------------------------

struct kiln_sema {
  struct kiln_lang *lang;
  struct kiln_arena *arena;
  struct kiln_ctypes *types;
  uint32_t std; // language version in force
  // Reports.
  kiln_location last_error;           // at the same location nothing more is said
  uint32_t told_missing;              // the parts of the language that the program was told not to be there, a bit each
  const struct kiln_missing *missing; // in the declaration that is being read, outside of functions; NULL: none
  bool missing_kept;                  // by what it declares
  bool may_note;                      // the last report was shown
  bool warned_double;                 // that double literals are floats
  bool noted_generic;                 // that there are no generic pointers
  bool check_limit;                   // an error was reported since the last token
  bool stop;                          // gave up: all tokens are END, nothing is reported
  // What is being read.
  bool in_library;
  bool contract;        // FP_CONTRACT
  bool exact;           // in library text that takes no notice of what the program permits
  bool declared_plain;  // a variable without initialiser was declared
  uint32_t unevaluated; // inside sizeof
  uint32_t unreached;   // inside what a constant condition keeps from running
  uint32_t changes;     // of variables, by name: how many expressions there were that make one
  struct {
    const struct kiln_expr *result, *operand; // operand: NULL: it was of a type
    const struct kiln_ctype *type;
  } measured[2]; // by sizeof, the last two in turn
  uint32_t measured_count;
  // Scopes.
  struct kiln_name_entry *entries;
  uint32_t entry_count;
  struct kiln_symbol **scopes; // by depth: the symbols of each open scope
  uint32_t depth, scope_capacity;
  uint32_t floor;      // symbols of scopes below are not seen (library text does not see the program)
  uint32_t file_depth; // depth of the scope that counts as the program's
  // What was declared.
  struct kiln_fn *fn;                   // being defined
  struct kiln_fn *library_fn;           // whose text is being read
  KILN_VEC(struct kiln_fn *) functions; // every one with a declaration, in order
  KILN_VEC(struct kiln_decl *) program_variables;
  uint64_t serial;
  // Nodes.
  struct kiln_expr *next_expr, *last_expr; // that are not used yet, up to after the last
  uint32_t expr_count;                     // these included
};

// The library may use everything.
static inline uint32_t kiln_std_in_force(const struct kiln_sema *S) { return S->in_library ? 300 : S->std; }
static inline kiln_location kiln_sema_token_end(const struct kiln_token *tok) { // after a token
  return tok->location & KILN_LOCATION_MACRO ? tok->location : tok->location + tok->size;
}

// sema/report.c
__attribute__((format(printf, 4, 5))) void kiln_sema_error(struct kiln_sema *S, kiln_location location,
                                                           kiln_location end, const char *format, ...);
// The same, and the expression that stands for what is wrong.
__attribute__((format(printf, 4, 5))) struct kiln_expr *kiln_expr_invalid(struct kiln_sema *S, kiln_location location,
                                                                          kiln_location end, const char *format, ...);
__attribute__((format(printf, 5, 6))) void kiln_sema_warning(struct kiln_sema *S, enum kiln_warning_id id,
                                                             kiln_location location, kiln_location end,
                                                             const char *format, ...);
__attribute__((format(printf, 4, 5))) void kiln_sema_note(struct kiln_sema *S, kiln_location location,
                                                          kiln_location end, const char *format, ...);
// What is missing is noted with the function or declaration that is being read.
void kiln_sema_miss(struct kiln_sema *S, const struct kiln_missing *missing);
// At the use of a variable whose type is missing.
void kiln_sema_miss_type(struct kiln_sema *S, const struct kiln_decl *decl, const struct kiln_token *tok);
bool kiln_sema_tell_missing(struct kiln_sema *S, const struct kiln_missing *missing); // false: it was told before
// Tells what no declaration keeps, since it would be used unseen: members of structs, types with other names.
void kiln_sema_tell_unkept(struct kiln_sema *S);
static inline const char *kiln_sema_qtype_text(struct kiln_sema *S, struct kiln_qtype type) {
  return kiln_ctype_text(S->arena, type);
}
static inline const char *kiln_sema_type_text(struct kiln_sema *S, const struct kiln_ctype *type) {
  return kiln_ctype_text(S->arena, kiln_plain(type));
}

// A half, or a vector of them, is for the functions that load and store it only, unless the target has the type.
static inline bool kiln_sema_is_storage_half(const struct kiln_sema *S, const struct kiln_ctype *type) {
  return kiln_ctype_element(type)->kind == KILN_CT_HALF && !S->lang->options->fp16 && !S->in_library;
}

// sema/scope.c
struct kiln_name_entry *kiln_scope_entry(struct kiln_sema *S, const struct kiln_name *name);
void kiln_scope_push(struct kiln_sema *S);
void kiln_scope_pop(struct kiln_sema *S);
struct kiln_symbol *kiln_scope_find_slowly(struct kiln_sema *S, struct kiln_name *name);         // any
static inline struct kiln_symbol *kiln_scope_find(struct kiln_sema *S, struct kiln_name *name) { // NULL: none
  struct kiln_symbol *symbol = name->id < S->entry_count ? S->entries[name->id].ordinary : NULL;
  return symbol && symbol->depth >= S->floor ? symbol : kiln_scope_find_slowly(S, name);
}
struct kiln_symbol *kiln_scope_find_here(struct kiln_sema *S, struct kiln_name *name); // in the innermost scope
struct kiln_symbol *kiln_scope_find_tag(struct kiln_sema *S, struct kiln_name *name, bool here);
struct kiln_symbol *kiln_scope_add(struct kiln_sema *S, enum kiln_symbol_kind kind, struct kiln_name *name,
                                   kiln_location location);
// The visible name nearest to a misspelt one, or NULL. types: only type names.
const char *kiln_scope_nearest(struct kiln_sema *S, const char *name, bool types);

// sema/decl.c
void kiln_sema_typedef(struct kiln_sema *S, const struct kiln_specs *specs, struct kiln_declarator *declarator);
// The variable that is declared, before its initialiser is read.
struct kiln_decl *kiln_sema_variable(struct kiln_sema *S, const struct kiln_specs *specs,
                                     struct kiln_declarator *declarator, bool has_init);
// Gives a variable its initialiser, which is of the type; equal: where its "=" is; changes: S->changes before it.
void kiln_sema_initialize(struct kiln_sema *S, struct kiln_decl *decl, const struct kiln_declarator *declarator,
                          struct kiln_qtype type, struct kiln_expr *init, kiln_location equal, uint32_t changes);
// After the initialiser, or where there is none. stmt: of a block; NULL: in the program's scope.
void kiln_sema_finish_variable(struct kiln_sema *S, struct kiln_decl *decl, const struct kiln_declarator *declarator,
                               struct kiln_stmt *stmt);
struct kiln_fn *kiln_sema_function(struct kiln_sema *S, const struct kiln_specs *specs,
                                   struct kiln_declarator *declarator, bool is_definition);
// Types that no kernel parameter has, whatever its name.
bool kiln_sema_not_for_kernels(const struct kiln_sema *S, const struct kiln_ctype *t);
bool kiln_sema_type_usable(struct kiln_sema *S, struct kiln_qtype type, kiln_location location, kiln_location end);
bool kiln_same_type(const struct kiln_ctype *a, const struct kiln_ctype *b);

// sema/fold.c
uint64_t kiln_fold_wrap(const struct kiln_ctype *type, uint64_t value); // sign- or zero-extended from the type
double kiln_fold_round(const struct kiln_ctype *type, double value);
static inline bool kiln_is_constant(const struct kiln_expr *e) {
  return e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT;
}
// A constant condition that is never this; NULL: no condition.
bool kiln_is_never(const struct kiln_expr *condition, bool value);
struct kiln_expr *kiln_fold_number(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type);
// NULL: not constant.
struct kiln_expr *kiln_fold_binary(struct kiln_sema *S, struct kiln_expr *e);
struct kiln_expr *kiln_fold_unary(struct kiln_sema *S, struct kiln_expr *e);
// The same bits as a scalar or vector of the same size.
// Of a constant: a float to __bf16, whose constants are integers that hold its bits, or such a one to float.
struct kiln_expr *kiln_fold_bfloat(struct kiln_sema *S, struct kiln_expr *e);
struct kiln_expr *kiln_fold_bits(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type);
bool kiln_is_static_init(const struct kiln_expr *e); // may initialise a program-scope variable

// sema/convert.c
enum kiln_assign { KILN_ASSIGN_INIT, KILN_ASSIGN_SET, KILN_ASSIGN_PASS, KILN_ASSIGN_RETURN };
static inline bool kiln_is_error(const struct kiln_expr *e) { return e->type.type->kind == KILN_CT_ERROR; }
struct kiln_decl *kiln_decl_new(struct kiln_sema *S, enum kiln_decl_kind kind, struct kiln_name *name,
                                struct kiln_qtype type, kiln_location location);
void kiln_expr_refill(struct kiln_sema *S);
static inline struct kiln_expr *kiln_expr_make(struct kiln_sema *S, enum kiln_expr_kind kind, struct kiln_qtype type,
                                               kiln_location location, kiln_location end, bool only_reads) {
  if (S->next_expr == S->last_expr)
    kiln_expr_refill(S);
  struct kiln_expr *e = S->next_expr++;
  *e = (struct kiln_expr){.kind = kind,
                          .contract = S->contract,
                          .exact = S->exact,
                          .only_reads = only_reads,
                          .location = location,
                          .end = end,
                          .type = type};
  return e;
}
static inline struct kiln_expr *kiln_expr_new(struct kiln_sema *S, enum kiln_expr_kind kind, struct kiln_qtype type,
                                              kiln_location location, kiln_location end) {
  return kiln_expr_make(S, kind, type, location, end, kind == KILN_EX_INT || kind == KILN_EX_FLOAT);
}
struct kiln_expr *kiln_expr_error(struct kiln_sema *S, kiln_location location, kiln_location end);
struct kiln_expr *kiln_expr_int(struct kiln_sema *S, const struct kiln_ctype *type, uint64_t value,
                                kiln_location location, kiln_location end);
struct kiln_expr *kiln_expr_cast(struct kiln_sema *S, enum kiln_cast cast, struct kiln_qtype type, struct kiln_expr *e);
kiln_location
kiln_expr_begin(const struct kiln_expr *e); // of the first token in it, which is not always the node's own
static inline bool kiln_is_variable(const struct kiln_decl *decl) {
  return decl->kind == KILN_DECL_VARIABLE || decl->kind == KILN_DECL_PARAM;
}
static inline struct kiln_expr *kiln_expr_variable(struct kiln_sema *S, struct kiln_decl *decl,
                                                   const struct kiln_token *tok) {
  struct kiln_expr *e = kiln_expr_new(S, KILN_EX_VAR, decl->type, tok->location, kiln_sema_token_end(tok));
  e->decl = decl;
  e->is_lvalue = true;
  decl->is_referenced = true;
  decl->references++;
  if (!S->unevaluated)
    decl->is_used = true;
  if (decl->type.type->kind == KILN_CT_ERROR)
    kiln_sema_miss_type(S, decl, tok);
  return e;
}
struct kiln_expr *kiln_sema_read(struct kiln_sema *S, struct kiln_expr *e);
// Lvalue, array and function conversion.
static inline struct kiln_expr *kiln_sema_value(struct kiln_sema *S, struct kiln_expr *e) {
  bool is_number = e->type.type->kind >= KILN_CT_BOOL && e->type.type->kind <= KILN_CT_ULONG;
  return is_number && !e->is_lvalue ? e : kiln_sema_read(S, e);
}
struct kiln_expr *kiln_sema_convert(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type);
struct kiln_expr *kiln_sema_promote_narrow(struct kiln_sema *S, struct kiln_expr *e);
static inline struct kiln_expr *kiln_sema_promote(struct kiln_sema *S, struct kiln_expr *e) {
  enum kiln_ctype_kind kind = e->type.type->kind;
  bool is_narrow = kind == KILN_CT_ENUM || (kind >= KILN_CT_BOOL && kind < KILN_CT_INT);
  return is_narrow ? kiln_sema_promote_narrow(S, e) : e;
}
const struct kiln_ctype *kiln_sema_common(const struct kiln_ctype *a, const struct kiln_ctype *b);
// As if by assignment to an object of the type, with the complaints of the context. decl: the parameter, for PASS.
struct kiln_expr *kiln_sema_assign(struct kiln_sema *S, struct kiln_expr *e, struct kiln_qtype type,
                                   enum kiln_assign context);
void kiln_sema_note_generic(struct kiln_sema *S, const struct kiln_expr *e);
void kiln_sema_no_operators(struct kiln_sema *S, const struct kiln_expr *e); // complains of an atomic type
struct kiln_expr *kiln_sema_condition(struct kiln_sema *S, struct kiln_expr *e, const char *what);
bool kiln_is_null_constant(const struct kiln_expr *e);
bool kiln_spaces_convert(uint8_t from, uint8_t to);
const struct kiln_ctype *kiln_signed_lanes(const struct kiln_ctype *vector);

// sema/expr.c, sema/unary.c
struct kiln_expr *kiln_sema_binary(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                   struct kiln_expr *l, struct kiln_expr *r);
// PTR_ADD or PTR_SUB of a pointer and an integer.
struct kiln_expr *kiln_sema_move(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                 struct kiln_expr *pointer, struct kiln_expr *index);
struct kiln_expr *kiln_sema_set(struct kiln_sema *S, kiln_location location, struct kiln_expr *l, struct kiln_expr *r);
struct kiln_expr *kiln_sema_compound(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                     struct kiln_expr *l, struct kiln_expr *r);
struct kiln_expr *kiln_sema_choose(struct kiln_sema *S, kiln_location location, struct kiln_expr *cond,
                                   struct kiln_expr *l, struct kiln_expr *r);
// "cond ?: r": cond, evaluated once, when it is true.
struct kiln_expr *kiln_sema_choose_itself(struct kiln_sema *S, kiln_location location, struct kiln_expr *cond,
                                          struct kiln_expr *r);
struct kiln_expr *kiln_sema_comma(struct kiln_sema *S, kiln_location location, struct kiln_expr *l,
                                  struct kiln_expr *r);
struct kiln_expr *kiln_sema_step(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                 kiln_location end, struct kiln_expr *e);
struct kiln_expr *kiln_sema_unary(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                  struct kiln_expr *e); // NEG, NOT, LOGNOT; KILN_EX_ADD: unary plus
struct kiln_expr *kiln_sema_address(struct kiln_sema *S, kiln_location location, struct kiln_expr *e);
struct kiln_expr *kiln_sema_deref(struct kiln_sema *S, kiln_location location, struct kiln_expr *e);
struct kiln_expr *kiln_sema_subscript(struct kiln_sema *S, kiln_location location, kiln_location end,
                                      struct kiln_expr *base, struct kiln_expr *index);
struct kiln_expr *kiln_sema_cast(struct kiln_sema *S, kiln_location location, struct kiln_qtype type,
                                 struct kiln_expr *e);
bool kiln_sema_modifiable(struct kiln_sema *S, kiln_location location, struct kiln_expr *e);
const char *kiln_operator_text(enum kiln_expr_kind kind);

// A value that is read more than once, in what kiln_let puts around it.
struct kiln_decl *kiln_let_decl(struct kiln_sema *S, const struct kiln_expr *value);
struct kiln_expr *kiln_let_value(struct kiln_sema *S, struct kiln_decl *decl);
struct kiln_expr *kiln_let(struct kiln_sema *S, struct kiln_decl *decl, struct kiln_expr *value,
                           struct kiln_expr *body);

// sema/warn.c: what is allowed and most likely not meant
// Whether a constant needs no more bits than the type has; 255 fits a char, as the bits do.
bool kiln_int_fits(const struct kiln_ctype *from, uint64_t value, const struct kiln_ctype *to);
// Of a case, from the type, for a selector of type before, promoted to type.
void kiln_warn_case(struct kiln_sema *S, kiln_location location, const struct kiln_ctype *from, int64_t value,
                    const struct kiln_ctype *before, const struct kiln_ctype *type);
// e, whose value is not used, may be an assignment: that is no use of the variable.
void kiln_note_assignment(const struct kiln_expr *e);
void kiln_warn_address_condition(struct kiln_sema *S, const struct kiln_expr *e);              // of a condition
void kiln_warn_sizeof(struct kiln_sema *S, kiln_location location, const struct kiln_expr *e); // of its operand
void kiln_warn_unused_functions(struct kiln_sema *S);
// e is converted to the type without being asked for.
void kiln_warn_conversion(struct kiln_sema *S, const struct kiln_expr *e, const struct kiln_ctype *type);
void kiln_warn_unused_value(struct kiln_sema *S, const struct kiln_expr *e);   // of an expression statement
void kiln_warn_unused_operand(struct kiln_sema *S, const struct kiln_expr *e); // on the left of a comma
void kiln_warn_assigned_condition(struct kiln_sema *S, const struct kiln_expr *e);
void kiln_warn_self_assignment(struct kiln_sema *S, kiln_location location, const struct kiln_expr *left,
                               const struct kiln_expr *right);
struct kiln_operator {      // of an operand without parentheses around it
  enum kiln_expr_kind kind; // ERROR: none
  kiln_location location;
};
// Of an operator and those of its operands. end: of the token before the current one.
void kiln_warn_precedence(struct kiln_sema *S, struct kiln_operator op, struct kiln_operator left,
                          struct kiln_operator right, const struct kiln_expr *l, const struct kiln_expr *r,
                          kiln_location end);
// Of two values before the usual conversions; common: the type that these bring them to.
void kiln_warn_comparison(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                          const struct kiln_expr *l, const struct kiln_expr *r, const struct kiln_ctype *common);
void kiln_warn_self_comparison(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                               const struct kiln_expr *l, const struct kiln_expr *r);
void kiln_warn_unused_variables(struct kiln_sema *S, const struct kiln_symbol *symbols); // of a scope that ends
// What the cases of a switch and the enumerators of its selector have not in common.
void kiln_warn_enumerators(struct kiln_sema *S, const struct kiln_switch *sw, const struct kiln_expr *selector);

// sema/sequence.c: of a whole expression; changes: S->changes before it.
void kiln_warn_unsequenced(struct kiln_sema *S, const struct kiln_expr *e, uint32_t changes);

// sema/flow.c: variables that are read before they are written, in one function, whose statements come in order.
struct kiln_flow *kiln_flow_new(struct kiln_sema *S);
void kiln_flow_statement(struct kiln_flow *f, const struct kiln_stmt *s);

// sema/format.c: of printf, args[0] being the format.
void kiln_warn_format(struct kiln_sema *S, struct kiln_expr *const *args, uint32_t count);

// sema/vector.c
struct kiln_expr *kiln_sema_member(struct kiln_sema *S, struct kiln_expr *e, struct kiln_name *name,
                                   kiln_location location, kiln_location end, bool arrow);
struct kiln_expr *kiln_sema_vector(struct kiln_sema *S, const struct kiln_ctype *type, struct kiln_expr **args,
                                   uint32_t count, kiln_location location, kiln_location end);

// sema/call.c
struct kiln_expr *kiln_sema_call(struct kiln_sema *S, struct kiln_symbol *symbol, struct kiln_name *name,
                                 kiln_location location, kiln_location name_end, struct kiln_expr **args,
                                 uint32_t count, kiln_location close);

#endif
