// Private to the parser (parse*.c) and the semantic checks (sema*.c) that it calls while it builds the tree.
//
// Functions that return a kiln_expr never return NULL: what was complained about is an expression of type
// KILN_CT_ERROR, which everything accepts silently.
#ifndef KILN_JIT_LANG_PARSE_H
#define KILN_JIT_LANG_PARSE_H

#include "jit/lang/ast.h"
#include "jit/lang/builtins.h"
#include "jit/lang/lang.h"

enum {
  KILN_MAX_NESTING = 256,    // brackets, statements, initialisers, unary operators within each other
  KILN_MAX_CHAIN = 512,      // else-if and ?: chains, member and subscript chains
  KILN_MAX_DECLARATORS = 64, // pointers, arrays and functions in one declared type
  KILN_PICKS = 32,
  KILN_PICK_ARGUMENTS = 4, // at most, of a pick that is kept
};
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
  kiln_place place;
  union {
    struct kiln_decl *decl;
    const struct kiln_ctype *type; // TYPE, TAG
    const struct kiln_builtin *builtin;
  };
};

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
  kiln_place place;
};

// What the parser keeps of a function beside its declaration.
struct kiln_fn {
  struct kiln_decl decl;    // first
  struct kiln_fn *overload; // next function of the same name
  bool is_overloadable, in_library;
  kiln_place end; // of the name, for messages
  KILN_VEC(struct kiln_call_site) calls;
  KILN_VEC(struct kiln_decl *) variables;  // LOCAL and CONSTANT ones inside
  const struct kiln_builtin_pick *library; // of the built-in library: text not parsed while the body is NULL
  struct kiln_name *library_name;          // under which its text defines it
  uint32_t next_call;                      // for the walk over the call graph
  enum { KILN_FN_NEW, KILN_FN_ACTIVE, KILN_FN_DONE } walk;
  struct kiln_fn *walk_parent;
};

struct kiln_inner { // a statement expression
  struct kiln_inner *outer;
  uint32_t depth; // of its scope
};

struct kiln_label {
  struct kiln_name *name; // as it is written
  struct kiln_name *id;   // in the tree: of its own for one that __label__ declares
  struct kiln_inner *inner;
  kiln_place place, end;
  bool defined, used;
};

struct kiln_goto {
  uint32_t label;
  struct kiln_inner *inner;
  kiln_place place;
};

struct kiln_local_label { // what its name meant before
  struct kiln_name *name;
  uint32_t before;
};

struct kiln_case {
  int64_t value, last; // last: of a range; else the same
  kiln_place place;
};

struct kiln_switch { // the innermost one
  struct kiln_switch *outer;
  const struct kiln_ctype *type, *before; // before: of the selector before its promotion
  KILN_VEC(struct kiln_case) cases;
  bool has_ranges;
  kiln_place has_default;
};

// One step of a declarator, from the name outwards.
struct kiln_chunk {
  enum { KILN_CHUNK_POINTER, KILN_CHUNK_ARRAY, KILN_CHUNK_FUNCTION } kind;
  uint8_t quals, space; // POINTER: of the pointer itself
  bool complete;        // ARRAY: has a size
  bool is_variable;     // ARRAY: the size is not constant
  bool is_variadic;     // FUNCTION
  uint32_t param_count;
  uint64_t count; // ARRAY
  struct kiln_decl **params;
  kiln_place place, end;
};

// ---- the parser -----------------------------------------------------------------------------------------------------

struct kiln_parser {
  struct kiln_lang *lang;
  struct kiln_arena *arena;
  struct kiln_ctypes *types;
  struct kiln_pp *pp;         // that of the library while a piece of it is read
  struct kiln_token tok;      // current
  struct kiln_token ahead[2]; // behind it
  uint64_t advanced;     // tokens passed: tells whether something was consumed. Places do not: an argument that a
                         // macro uses twice is twice at the same place
  kiln_place last_end;   // behind the token before the current one
  kiln_place last_error; // at the same place nothing more is said
  uint32_t told_missing; // the parts of the language that the program was told not to be there, a bit each
  bool may_note;         // the last report was shown
  bool warned_double;    // that double literals are floats
  bool noted_generic;    // that there are no generic pointers
  union {
    struct {
      bool check_limit; // an error was reported since the last token
      bool stop;        // gave up: all tokens are END, nothing is reported
      uint8_t ahead_count;
    };
    uint32_t unusual; // any of these
  };
  bool in_library;
  bool contract;   // FP_CONTRACT
  bool exact;      // in library text that takes no notice of what the program permits
  uint32_t unroll; // asked for the next loop
  const char *loop_pragma; // that asked, and has not met its loop yet; or NULL
  const struct kiln_attrs *leading_attrs; // read before the specifiers of the declaration that comes next; or NULL
  uint32_t nesting;
  uint32_t unevaluated; // inside sizeof
  uint32_t unreached;   // inside what a constant condition keeps from running
  uint32_t changes;     // of variables, by name: how many expressions there were that make one
  struct {
    const struct kiln_expr *result, *operand; // operand: NULL: it was of a type
    const struct kiln_ctype *type;
  } measured[2]; // by sizeof, the last two in turn
  uint32_t measured_count;
  struct kiln_inner *inner; // the innermost statement expression; NULL: none is around
  bool inner_jump;          // there was a jump inside one
  bool in_header;       // in the condition or step of a loop
  bool declared_plain;  // a variable without initialiser was declared
  kiln_place trailing_else; // of the if statement that was just read, when that ends with its else; or 0
  struct kiln_flow *flow;

  struct kiln_name_entry *entries;
  uint32_t entry_count;
  struct kiln_symbol **scopes; // by depth: the symbols of each open scope
  uint32_t depth, scope_capacity;
  uint32_t floor;      // symbols of scopes below are not seen (library text does not see the program)
  uint32_t file_depth; // depth of the scope that counts as the program's

  struct kiln_fn *fn;        // being defined
  uint32_t loops, breakable; // loops, and loops and switches, around this statement
  struct kiln_switch *in_switch;
  KILN_VEC(struct kiln_label) labels;
  KILN_VEC(struct kiln_goto) gotos;
  KILN_VEC(struct kiln_local_label) local_labels; // of the blocks that are open
  KILN_VEC(struct kiln_chunk) chunks; // a stack

  struct kiln_expr *next_expr, *last_expr; // nodes that are not used yet, up to behind the last
  uint32_t expr_count;                     // of nodes, these included
  struct kiln_unit *unit;
  KILN_VEC(struct kiln_fn *) functions; // every one with a declaration, in order
  struct kiln_pick *picks[KILN_PICKS]; // of built-in functions, by these and the first argument: the last ones
  struct kiln_pp *library_pp;
  struct kiln_fn *library_fn; // whose text is being read
  KILN_VEC(struct kiln_decl *) program_variables;
  uint64_t serial;
  uint32_t std; // language version in force
};

// The library may use everything.
static inline uint32_t kiln_std_in_force(const struct kiln_parser *p) { return p->in_library ? 300 : p->std; }

// parse.c
void kiln_parse_advance(struct kiln_parser *p);
// The same where an operand begins that is no token of an expansion that is read. True: the current token is a
// KILN_LEX_USE.
bool kiln_parse_advance_to_use(struct kiln_parser *p);
const struct kiln_token *kiln_parse_peek(struct kiln_parser *p, unsigned distance); // 1: behind the current, or 2
bool kiln_parse_next_is(struct kiln_parser *p, enum kiln_token_kind kind); // the one behind the current
static inline bool kiln_parse_accept(struct kiln_parser *p, enum kiln_token_kind kind) {
  if (p->tok.kind != kind)
    return false;
  kiln_parse_advance(p);
  return true;
}
void kiln_parse_missing(struct kiln_parser *p, enum kiln_token_kind kind, const char *where, kiln_place open);
// Complains "expected <what>" when the current token is another one; true when it was there. open: place of the
// bracket that is being closed, or 0.
static inline bool kiln_parse_expect(struct kiln_parser *p, enum kiln_token_kind kind, const char *where,
                                     kiln_place open) {
  if (kiln_parse_accept(p, kind))
    return true;
  kiln_parse_missing(p, kind, where, open);
  return false;
}
// Skips to the kind, or to a ';' or '}' on the same level, without consuming it.
void kiln_parse_skip_to(struct kiln_parser *p, enum kiln_token_kind kind);
// From inside a block to behind its '}'.
void kiln_parse_skip_block(struct kiln_parser *p);
static inline kiln_place kiln_parse_end(const struct kiln_token *tok) { // behind a token
  return tok->place & KILN_PLACE_MACRO ? tok->place : tok->place + tok->size;
}
void kiln_parse_too_deep(struct kiln_parser *p);
// Counts nesting; false (with an error, and giving up) when there is too much. Paired with kiln_parse_leave.
static inline bool kiln_parse_enter(struct kiln_parser *p) {
  if (++p->nesting <= KILN_MAX_NESTING)
    return true;
  kiln_parse_too_deep(p);
  return false;
}
static inline void kiln_parse_leave(struct kiln_parser *p) { p->nesting--; }
__attribute__((format(printf, 4, 5))) void kiln_parse_error(struct kiln_parser *p, kiln_place place, kiln_place end,
                                                            const char *format, ...);
__attribute__((format(printf, 4, 5))) void kiln_parse_warning(struct kiln_parser *p, kiln_place place, kiln_place end,
                                                              const char *format, ...);
__attribute__((format(printf, 4, 5))) void kiln_parse_note(struct kiln_parser *p, kiln_place place, kiln_place end,
                                                           const char *format, ...);
void kiln_parse_fatal(struct kiln_parser *p, kiln_place place, kiln_place end, const char *message);
static inline const char *kiln_parse_type_text(struct kiln_parser *p, struct kiln_qtype type) {
  return kiln_ctype_text(p->arena, type);
}
void kiln_parse_external(struct kiln_parser *p);

// parse_scope.c
struct kiln_name_entry *kiln_scope_entry(struct kiln_parser *p, const struct kiln_name *name);
void kiln_scope_push(struct kiln_parser *p);
void kiln_scope_pop(struct kiln_parser *p);
struct kiln_symbol *kiln_scope_find_slowly(struct kiln_parser *p, struct kiln_name *name); // any
static inline struct kiln_symbol *kiln_scope_find(struct kiln_parser *p, struct kiln_name *name) { // NULL: none
  struct kiln_symbol *symbol = name->id < p->entry_count ? p->entries[name->id].ordinary : NULL;
  return symbol && symbol->depth >= p->floor ? symbol : kiln_scope_find_slowly(p, name);
}
struct kiln_symbol *kiln_scope_find_here(struct kiln_parser *p, struct kiln_name *name); // in the innermost scope
struct kiln_symbol *kiln_scope_find_tag(struct kiln_parser *p, struct kiln_name *name, bool here);
struct kiln_symbol *kiln_scope_add(struct kiln_parser *p, enum kiln_symbol_kind kind, struct kiln_name *name,
                                   kiln_place place);
// Whether the identifier is a type or function that Kiln does not have; complains then, for a part of the language as
// images are at its first name only.
bool kiln_parse_not_supported(struct kiln_parser *p, const struct kiln_token *tok, bool type);
// The visible name nearest to a misspelt one, or NULL. types: only type names.
const char *kiln_scope_nearest(struct kiln_parser *p, const char *name, bool types);

// parse_library.c
struct kiln_fn *kiln_library_function(struct kiln_parser *p, struct kiln_name *name,
                                      const struct kiln_builtin_pick *pick);
void kiln_library_parse(struct kiln_parser *p, struct kiln_fn *fn);
void kiln_finish_unit(struct kiln_parser *p);

// parse_type.c
struct kiln_attrs {
  uint32_t align; // 0: none
  bool packed, always_inline, noinline, overloadable, unused, has_vec_type_hint;
  uint32_t required_group_size[3], group_size_hint[3];
  uint32_t unroll;
  uint32_t lanes, vector_bytes; // ext_vector_type, vector_size; 0: none
};
enum kiln_storage { KILN_STORAGE_NONE, KILN_STORAGE_TYPEDEF, KILN_STORAGE_EXTERN, KILN_STORAGE_STATIC };
struct kiln_specs {
  struct kiln_qtype type; // space: KILN_SPACE_NONE when none was written
  enum kiln_storage storage;
  bool is_inline, is_kernel;
  bool is_auto; // __auto_type: the type is that of the initialiser
  struct kiln_attrs attrs;
  kiln_place place, end, storage_place, kernel_place, space_place;
  bool declares_tag; // struct, union or enum: "struct S;" is a declaration
  const char *host_name; // size_t or another name for what a device may have in another size; NULL: no such
};
bool kiln_parse_is_type(struct kiln_parser *p, const struct kiln_token *tok); // starts a type or declaration
void kiln_parse_specs(struct kiln_parser *p, struct kiln_specs *out);
void kiln_parse_attributes(struct kiln_parser *p, struct kiln_attrs *attrs);
// The type, or the vector of it that attributes ask for.
struct kiln_qtype kiln_parse_vector_type(struct kiln_parser *p, const struct kiln_attrs *attrs, struct kiln_qtype type,
                                         kiln_place place, kiln_place end);
bool kiln_parse_space(enum kiln_token_kind kind, uint8_t *space);
uint8_t kiln_parse_quals(struct kiln_parser *p);

// parse_record.c
const struct kiln_ctype *kiln_parse_record(struct kiln_parser *p);
const struct kiln_ctype *kiln_parse_enum(struct kiln_parser *p);
struct kiln_member_path {
  const struct kiln_member *members[KILN_MAX_NESTING];
  uint32_t count; // from the outermost: anonymous records, then the member
};
bool kiln_find_member(const struct kiln_ctype *record, const struct kiln_name *name, struct kiln_member_path *out);

// parse_declarator.c
struct kiln_declarator {
  struct kiln_qtype type;
  struct kiln_name *name;    // NULL: none
  kiln_place place, end;     // of the name, or where it would be
  struct kiln_decl **params; // of the function that is declared
  uint32_t param_count;
  struct kiln_attrs attrs;
  bool is_function;
  const struct kiln_ctype *array; // of a parameter that is declared as one
};
enum kiln_declarator_mode {
  KILN_DECLARATOR_NAMED,
  KILN_DECLARATOR_MEMBER,
  KILN_DECLARATOR_PARAM,
  KILN_DECLARATOR_TYPE,
};
void kiln_parse_declarator(struct kiln_parser *p, const struct kiln_specs *specs, enum kiln_declarator_mode mode,
                           struct kiln_declarator *out);
struct kiln_qtype kiln_parse_type_name(struct kiln_parser *p);
struct kiln_qtype kiln_with_space(struct kiln_parser *p, struct kiln_qtype type, uint8_t space);
struct kiln_qtype kiln_with_quals(struct kiln_parser *p, struct kiln_qtype type, uint8_t quals);

// parse_init.c
// Reads an initialiser for an object of the type and returns it converted; completes an array of unknown size.
struct kiln_expr *kiln_parse_initializer(struct kiln_parser *p, struct kiln_qtype *type);

// parse_expr.c
struct kiln_expr *kiln_parse_expression(struct kiln_parser *p); // with commas
struct kiln_expr *kiln_parse_assignment(struct kiln_parser *p);
struct kiln_expr *kiln_parse_conditional(struct kiln_parser *p);
struct kiln_expr *kiln_parse_string(struct kiln_parser *p);
struct kiln_binary {
  uint8_t precedence; // 0: no binary operator
  uint8_t kind;       // enum kiln_expr_kind
};
extern const struct kiln_binary kiln_binary_operators[KILN_TOKEN_KIND_COUNT];
// An integer constant expression; false with an error when it is none.
bool kiln_parse_constant(struct kiln_parser *p, const char *what, int64_t *out, const struct kiln_ctype **type);

// parse_formula.c
// Advances to where an operand begins. When that is the use of a macro that is read as a whole, it is read; NULL: the
// operand is still to be parsed.
struct kiln_expr *kiln_parse_formula(struct kiln_parser *p);
// Makes a FORMULA the tree that it is short for, in its place.
void kiln_formula_expand(struct kiln_parser *p, struct kiln_expr *e);
// For whoever looks at an operand.
static inline struct kiln_expr *kiln_formula_tree(struct kiln_parser *p, const struct kiln_expr *e) {
  if (e->kind == KILN_EX_FORMULA)
    kiln_formula_expand(p, (struct kiln_expr *)e);
  return (struct kiln_expr *)e;
}

// parse_gnu.c
// At "__builtin_offsetof (" and others that take types; NULL: it is none of them.
struct kiln_expr *kiln_parse_special(struct kiln_parser *p);
struct kiln_expr *kiln_parse_generic(struct kiln_parser *p);
// At the "{" behind "("; place: of that.
struct kiln_expr *kiln_parse_statement_expression(struct kiln_parser *p, kiln_place place);

// parse_stmt.c
// The block of a statement expression, into which no way leads.
struct kiln_stmt *kiln_parse_inner_block(struct kiln_parser *p);
// Of a function, from '{'. close: where its '}' is.
struct kiln_stmt *kiln_parse_body(struct kiln_parser *p, kiln_place *close);
void kiln_parse_static_assert(struct kiln_parser *p);
struct kiln_stmt *kiln_parse_declaration(struct kiln_parser *p);
bool kiln_stmt_completes(const struct kiln_stmt *stmt); // whether control may reach its end

// sema_decl.c
void kiln_sema_declare(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *declarator,
                       struct kiln_stmt *stmt);
struct kiln_fn *kiln_sema_function(struct kiln_parser *p, const struct kiln_specs *specs,
                                   struct kiln_declarator *declarator, bool is_definition);
// Types that no kernel parameter has, whatever its name.
bool kiln_sema_not_for_kernels(const struct kiln_parser *p, const struct kiln_ctype *t);
bool kiln_sema_type_usable(struct kiln_parser *p, struct kiln_qtype type, kiln_place place, kiln_place end);
bool kiln_same_type(const struct kiln_ctype *a, const struct kiln_ctype *b);

// sema_fold.c
uint64_t kiln_fold_wrap(const struct kiln_ctype *type, uint64_t value); // sign- or zero-extended from the type
double kiln_fold_round(const struct kiln_ctype *type, double value);
static inline bool kiln_is_constant(const struct kiln_expr *e) {
  return e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT;
}
// A constant condition that is never this; NULL: no condition.
bool kiln_is_never(const struct kiln_expr *condition, bool value);
struct kiln_expr *kiln_fold_number(struct kiln_parser *p, struct kiln_expr *e, const struct kiln_ctype *type);
// NULL: not constant.
struct kiln_expr *kiln_fold_binary(struct kiln_parser *p, struct kiln_expr *e);
struct kiln_expr *kiln_fold_unary(struct kiln_parser *p, struct kiln_expr *e);
// The same bits as a scalar or vector of the same size.
struct kiln_expr *kiln_fold_bits(struct kiln_parser *p, struct kiln_expr *e, const struct kiln_ctype *type);
bool kiln_is_static_init(const struct kiln_expr *e); // may initialise a program-scope variable

// sema_convert.c
enum kiln_assign { KILN_ASSIGN_INIT, KILN_ASSIGN_SET, KILN_ASSIGN_PASS, KILN_ASSIGN_RETURN };
static inline bool kiln_is_error(const struct kiln_expr *e) { return e->type.type->kind == KILN_CT_ERROR; }
static inline struct kiln_qtype kiln_plain(const struct kiln_ctype *type) { return (struct kiln_qtype){.type = type}; }
void kiln_expr_refill(struct kiln_parser *p);
static inline struct kiln_expr *kiln_expr_make(struct kiln_parser *p, enum kiln_expr_kind kind, struct kiln_qtype type,
                                               kiln_place place, kiln_place end, bool only_reads) {
  if (p->next_expr == p->last_expr)
    kiln_expr_refill(p);
  struct kiln_expr *e = p->next_expr++;
  *e = (struct kiln_expr){.kind = kind,
                          .contract = p->contract,
                          .exact = p->exact,
                          .only_reads = only_reads,
                          .place = place,
                          .end = end,
                          .type = type};
  return e;
}
static inline struct kiln_expr *kiln_expr_new(struct kiln_parser *p, enum kiln_expr_kind kind, struct kiln_qtype type,
                                              kiln_place place, kiln_place end) {
  return kiln_expr_make(p, kind, type, place, end, kind == KILN_EX_INT || kind == KILN_EX_FLOAT);
}
struct kiln_expr *kiln_expr_error(struct kiln_parser *p, kiln_place place, kiln_place end);
struct kiln_expr *kiln_expr_int(struct kiln_parser *p, const struct kiln_ctype *type, uint64_t value, kiln_place place,
                                kiln_place end);
struct kiln_expr *kiln_expr_cast(struct kiln_parser *p, enum kiln_cast cast, struct kiln_qtype type,
                                 struct kiln_expr *e);
static inline bool kiln_is_variable(const struct kiln_decl *decl) {
  return decl->kind == KILN_DECL_VARIABLE || decl->kind == KILN_DECL_PARAM;
}
static inline struct kiln_expr *kiln_expr_variable(struct kiln_parser *p, struct kiln_decl *decl,
                                                   const struct kiln_token *tok) {
  struct kiln_expr *e = kiln_expr_new(p, KILN_EX_VAR, decl->type, tok->place, kiln_parse_end(tok));
  e->decl = decl;
  e->is_lvalue = true;
  decl->is_referenced = true;
  decl->references++;
  if (!p->unevaluated)
    decl->is_used = true;
  return e;
}
struct kiln_expr *kiln_sema_read(struct kiln_parser *p, struct kiln_expr *e);
// Lvalue, array and function conversion; of a FORMULA the tree.
static inline struct kiln_expr *kiln_sema_value(struct kiln_parser *p, struct kiln_expr *e) {
  bool is_number = e->type.type->kind >= KILN_CT_BOOL && e->type.type->kind <= KILN_CT_ULONG;
  return is_number && !e->is_lvalue && e->kind != KILN_EX_FORMULA ? e : kiln_sema_read(p, e);
}
struct kiln_expr *kiln_sema_convert(struct kiln_parser *p, struct kiln_expr *e, const struct kiln_ctype *type);
struct kiln_expr *kiln_sema_promote_narrow(struct kiln_parser *p, struct kiln_expr *e);
static inline struct kiln_expr *kiln_sema_promote(struct kiln_parser *p, struct kiln_expr *e) {
  enum kiln_ctype_kind kind = e->type.type->kind;
  bool is_narrow = kind == KILN_CT_ENUM || (kind >= KILN_CT_BOOL && kind < KILN_CT_INT);
  return is_narrow ? kiln_sema_promote_narrow(p, e) : e;
}
const struct kiln_ctype *kiln_sema_common(struct kiln_parser *p, const struct kiln_ctype *a,
                                          const struct kiln_ctype *b);
// As if by assignment to an object of the type, with the complaints of the context. decl: the parameter, for PASS.
struct kiln_expr *kiln_sema_assign(struct kiln_parser *p, struct kiln_expr *e, struct kiln_qtype type,
                                   enum kiln_assign context);
void kiln_sema_note_generic(struct kiln_parser *p, const struct kiln_expr *e);
void kiln_sema_no_operators(struct kiln_parser *p, const struct kiln_expr *e); // complains of an atomic type
struct kiln_expr *kiln_sema_condition(struct kiln_parser *p, struct kiln_expr *e, const char *what);
bool kiln_is_null_constant(const struct kiln_expr *e);
bool kiln_spaces_convert(struct kiln_parser *p, uint8_t from, uint8_t to);
const struct kiln_ctype *kiln_signed_lanes(struct kiln_parser *p, const struct kiln_ctype *vector);

// sema_expr.c, sema_unary.c
struct kiln_expr *kiln_sema_binary(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place,
                                   struct kiln_expr *l, struct kiln_expr *r);
// The value of an operand that may be a pointer to be moved: a variable becomes a READ, then.
struct kiln_expr *kiln_sema_pointer(struct kiln_parser *p, struct kiln_expr *e);
// PTR_ADD or PTR_SUB of a pointer and an integer.
struct kiln_expr *kiln_sema_move(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place,
                                 struct kiln_expr *pointer, struct kiln_expr *index);
struct kiln_expr *kiln_sema_set(struct kiln_parser *p, kiln_place place, struct kiln_expr *l, struct kiln_expr *r);
struct kiln_expr *kiln_sema_compound(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place,
                                     struct kiln_expr *l, struct kiln_expr *r);
struct kiln_expr *kiln_sema_choose(struct kiln_parser *p, kiln_place place, struct kiln_expr *cond, struct kiln_expr *l,
                                   struct kiln_expr *r);
// "cond ?: r": cond, evaluated once, when it is true.
struct kiln_expr *kiln_sema_choose_itself(struct kiln_parser *p, kiln_place place, struct kiln_expr *cond,
                                          struct kiln_expr *r);
struct kiln_expr *kiln_sema_comma(struct kiln_parser *p, kiln_place place, struct kiln_expr *l, struct kiln_expr *r);
struct kiln_expr *kiln_sema_step(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place, kiln_place end,
                                 struct kiln_expr *e);
struct kiln_expr *kiln_sema_unary(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place,
                                  struct kiln_expr *e); // NEG, NOT, LOGNOT; KILN_EX_ADD: unary plus
struct kiln_expr *kiln_sema_address(struct kiln_parser *p, kiln_place place, struct kiln_expr *e);
struct kiln_expr *kiln_sema_deref(struct kiln_parser *p, kiln_place place, struct kiln_expr *e);
struct kiln_expr *kiln_sema_subscript(struct kiln_parser *p, kiln_place place, kiln_place end, struct kiln_expr *base,
                                      struct kiln_expr *index);
struct kiln_expr *kiln_sema_cast(struct kiln_parser *p, kiln_place place, struct kiln_qtype type, struct kiln_expr *e);
bool kiln_sema_modifiable(struct kiln_parser *p, kiln_place place, struct kiln_expr *e);
const char *kiln_operator_text(enum kiln_expr_kind kind);

// A value that is read more than once, in what kiln_let puts around it.
struct kiln_decl *kiln_let_decl(struct kiln_parser *p, const struct kiln_expr *value);
struct kiln_expr *kiln_let_value(struct kiln_parser *p, struct kiln_decl *decl);
struct kiln_expr *kiln_let(struct kiln_parser *p, struct kiln_decl *decl, struct kiln_expr *value,
                           struct kiln_expr *body);

// sema_warn.c: what is allowed and most likely not meant
// Whether a constant needs no more bits than the type has; 255 fits a char, as the bits do.
bool kiln_int_fits(const struct kiln_ctype *from, uint64_t value, const struct kiln_ctype *to);
// Of a case, from the type, for a selector of type before, promoted to type.
void kiln_warn_case(struct kiln_parser *p, kiln_place place, const struct kiln_ctype *from, int64_t value,
                    const struct kiln_ctype *before, const struct kiln_ctype *type);
// e, whose value is not used, may be an assignment: that is no use of the variable.
void kiln_note_assignment(const struct kiln_expr *e);
void kiln_warn_address_condition(struct kiln_parser *p, const struct kiln_expr *e);        // of a condition
void kiln_warn_sizeof(struct kiln_parser *p, kiln_place place, const struct kiln_expr *e); // of its operand
void kiln_warn_unused_functions(struct kiln_parser *p);
// e is converted to the type without being asked for.
void kiln_warn_conversion(struct kiln_parser *p, const struct kiln_expr *e, const struct kiln_ctype *type);
void kiln_warn_unused_value(struct kiln_parser *p, const struct kiln_expr *e); // of an expression statement
void kiln_warn_unused_operand(struct kiln_parser *p, const struct kiln_expr *e); // on the left of a comma
void kiln_warn_assigned_condition(struct kiln_parser *p, const struct kiln_expr *e);
void kiln_warn_self_assignment(struct kiln_parser *p, kiln_place place, const struct kiln_expr *left,
                               const struct kiln_expr *right);
struct kiln_operator { // of an operand without parentheses around it
  enum kiln_expr_kind kind; // ERROR: none
  kiln_place place;
};
// Of an operator and those of its operands.
void kiln_warn_precedence(struct kiln_parser *p, struct kiln_operator op, struct kiln_operator left,
                          struct kiln_operator right, const struct kiln_expr *l, const struct kiln_expr *r);
// Of two values before the usual conversions; common: the type that these bring them to.
void kiln_warn_comparison(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place, const struct kiln_expr *l,
                          const struct kiln_expr *r, const struct kiln_ctype *common);
void kiln_warn_self_comparison(struct kiln_parser *p, enum kiln_expr_kind kind, kiln_place place,
                               const struct kiln_expr *l, const struct kiln_expr *r);
void kiln_warn_unused_variables(struct kiln_parser *p, const struct kiln_symbol *symbols); // of a scope that ends
// What the cases of a switch and the enumerators of its selector have not in common.
void kiln_warn_enumerators(struct kiln_parser *p, const struct kiln_switch *sw, const struct kiln_expr *selector);

// sema_sequence.c: of a whole expression; changes: p->changes before it.
void kiln_warn_unsequenced(struct kiln_parser *p, const struct kiln_expr *e, uint32_t changes);

// sema_indent.c: the current token is behind a statement that is the body of another one, without braces around it.
// keyword, word: of that; body: the first token of the inner one.
void kiln_warn_indentation(struct kiln_parser *p, kiln_place keyword, const char *word, kiln_place body);

// sema_flow.c: variables that are read before they are written, in one function, whose statements come in order.
struct kiln_flow *kiln_flow_new(struct kiln_parser *p);
void kiln_flow_statement(struct kiln_flow *f, const struct kiln_stmt *s);

// sema_format.c: of printf, args[0] being the format.
void kiln_warn_format(struct kiln_parser *p, struct kiln_expr *const *args, uint32_t count);

// sema_vector.c
struct kiln_expr *kiln_sema_member(struct kiln_parser *p, struct kiln_expr *e, struct kiln_name *name, kiln_place place,
                                   kiln_place end, bool arrow);
struct kiln_expr *kiln_sema_vector(struct kiln_parser *p, const struct kiln_ctype *type, struct kiln_expr **args,
                                   uint32_t count, kiln_place place, kiln_place end);

// sema_call.c
struct kiln_expr *kiln_sema_call(struct kiln_parser *p, struct kiln_symbol *symbol, struct kiln_name *name,
                                 kiln_place place, kiln_place name_end, struct kiln_expr **args, uint32_t count,
                                 kiln_place close);

#endif
