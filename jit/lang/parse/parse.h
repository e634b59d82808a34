// Inside the parser, which calls the checks of sema for each node that it makes.
#ifndef KILN_JIT_LANG_PARSE_H
#define KILN_JIT_LANG_PARSE_H

#include "jit/lang/sema/sema.h"

struct kiln_inner { // a statement expression
  struct kiln_inner *outer;
  uint32_t depth; // of its scope
};

struct kiln_label {
  struct kiln_name *name; // as it is written
  struct kiln_name *id;   // in the tree: of its own for one that __label__ declares
  struct kiln_inner *inner;
  kiln_location location, end;
  bool defined, used;
};

struct kiln_goto {
  uint32_t label;
  struct kiln_inner *inner;
  kiln_location location;
};

struct kiln_local_label { // what its name meant before
  struct kiln_name *name;
  uint32_t before;
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
  kiln_location location, end;
};

// ---- the parser -----------------------------------------------------------------------------------------------------

struct kiln_parser {
  struct kiln_sema sema;      // first
  struct kiln_pp *pp;         // that of the library while a piece of it is read
  struct kiln_token tok;      // current
  struct kiln_token ahead[2]; // after it
  uint8_t ahead_count;
  uint64_t string_bytes;   // of the strings so far, as they are written
  uint64_t advanced;       // tokens passed: tells whether something was consumed. Places do not: an argument that a
                           // macro uses twice is twice at the same place
  kiln_location last_end;  // after the token before the current one
  uint32_t unroll;         // asked for the next loop
  const char *loop_pragma; // that asked, and has not met its loop yet; or NULL
  const struct kiln_attrs *leading_attrs; // read before the specifiers of the declaration that comes next; or NULL
  uint32_t nesting;
  struct kiln_inner *inner;    // the innermost statement expression; NULL: none is around
  bool inner_jump;             // there was a jump inside one
  bool in_header;              // in the condition or step of a loop
  kiln_location trailing_else; // of the if statement that was just read, when that ends with its else; or 0
  struct kiln_flow *flow;
  uint32_t loops, breakable; // loops, and loops and switches, around this statement
  struct kiln_switch *in_switch;
  KILN_VEC(struct kiln_label) labels;
  KILN_VEC(struct kiln_goto) gotos;
  KILN_VEC(struct kiln_local_label) local_labels; // of the blocks that are open
  KILN_VEC(struct kiln_chunk) chunks;             // a stack
  struct kiln_unit *unit;
  struct kiln_pp *library_pp;
  uint64_t formats; // of images, where they are known (kiln_image_numbers): library text has nothing else; 0: any
};

// Whether the next token may be taken where the preprocessor has it: none was read ahead, and the parser has not given
// up.
static inline bool kiln_parse_is_usual(const struct kiln_parser *p) {
  return !(p->ahead_count | p->sema.stop | p->sema.check_limit);
}

// parse.c
// Reads all of lang->pp. The unit is only good if the diagnostics counted no errors.
struct kiln_unit *kiln_parse_unit(struct kiln_lang *lang);
void kiln_parse_advance(struct kiln_parser *p);
const struct kiln_token *kiln_parse_peek(struct kiln_parser *p, unsigned distance); // 1: after the current, or 2
bool kiln_parse_next_is(struct kiln_parser *p, enum kiln_token_kind kind);          // the one after the current
static inline bool kiln_parse_accept(struct kiln_parser *p, enum kiln_token_kind kind) {
  if (p->tok.kind != kind)
    return false;
  kiln_parse_advance(p);
  return true;
}
void kiln_parse_missing(struct kiln_parser *p, enum kiln_token_kind kind, const char *where, kiln_location open);
// Complains "expected <what>" when the current token is another one; true when it was there. open: location of the
// bracket that is being closed, or 0.
static inline bool kiln_parse_expect(struct kiln_parser *p, enum kiln_token_kind kind, const char *where,
                                     kiln_location open) {
  if (kiln_parse_accept(p, kind))
    return true;
  kiln_parse_missing(p, kind, where, open);
  return false;
}
// At a token.
#define kiln_parse_error(p, tok, ...)                                                                                  \
  kiln_sema_error(&(p)->sema, (tok)->location, kiln_sema_token_end(tok), __VA_ARGS__)
// Skips to the kind, or to a ';' or '}' on the same level, without consuming it.
void kiln_parse_skip_to(struct kiln_parser *p, enum kiln_token_kind kind);
void kiln_parse_skip_past(struct kiln_parser *p, enum kiln_token_kind kind); // and consumes it
// Complains when the bracket at open is not closed here, and goes on after where it is.
bool kiln_parse_close(struct kiln_parser *p, enum kiln_token_kind kind, kiln_location open);
// From inside a block to after its '}'.
void kiln_parse_skip_block(struct kiln_parser *p);
void kiln_parse_too_deep(struct kiln_parser *p);
// Counts nesting; false (with an error, and giving up) when there is too much. Paired with kiln_parse_leave, which may
// be left out where the parser has given up.
static inline bool kiln_parse_enter(struct kiln_parser *p) {
  if (++p->nesting <= KILN_MAX_NESTING)
    return true;
  kiln_parse_too_deep(p);
  return false;
}
static inline void kiln_parse_leave(struct kiln_parser *p) { p->nesting--; }
void kiln_parse_fatal(struct kiln_parser *p, kiln_location location, kiln_location end, const char *message);
void kiln_parse_external(struct kiln_parser *p);
// Whether the identifier is a type or function that Kiln does not have. Complains then; a part of the language as
// images are is noted, and complained about once a kernel needs it.
bool kiln_parse_not_supported(struct kiln_parser *p, const struct kiln_token *tok, bool type);
// Whether an undeclared name is one of CUDA's. Complains then, and says what OpenCL C has in its place.
bool kiln_parse_foreign(struct kiln_parser *p, const struct kiln_token *tok);
// The same for words of declarations. The parser goes on with the word of OpenCL C, if there is one.
bool kiln_is_foreign_specifier(struct kiln_parser *p, const struct kiln_token *tok);
void kiln_parse_foreign_specifier(struct kiln_parser *p);

// parse/library.c
void kiln_finish_unit(struct kiln_parser *p);

// parse/type.c
bool kiln_parse_is_type(struct kiln_parser *p, const struct kiln_token *tok); // starts a type or declaration
void kiln_parse_specs(struct kiln_parser *p, struct kiln_specs *out);
static inline bool kiln_at_attribute(const struct kiln_parser *p) {
  return p->tok.kind == KILN_TOKEN_KW_ATTRIBUTE || p->tok.kind == KILN_TOKEN_KW_ATTRIBUTE_;
}
void kiln_parse_attributes(struct kiln_parser *p, struct kiln_attrs *attrs);
// The type, or the vector of it that attributes ask for.
struct kiln_qtype kiln_parse_vector_type(struct kiln_parser *p, const struct kiln_attrs *attrs, struct kiln_qtype type,
                                         kiln_location location, kiln_location end);
bool kiln_parse_space(enum kiln_token_kind kind, uint8_t *space);
uint8_t kiln_parse_quals(struct kiln_parser *p);

// parse/record.c
const struct kiln_ctype *kiln_parse_record(struct kiln_parser *p);
const struct kiln_ctype *kiln_parse_enum(struct kiln_parser *p);
// parse/declarator.c
enum kiln_declarator_mode {
  KILN_DECLARATOR_NAMED,
  KILN_DECLARATOR_MEMBER,
  KILN_DECLARATOR_PARAM,
  KILN_DECLARATOR_TYPE,
};
void kiln_parse_declarator(struct kiln_parser *p, const struct kiln_specs *specs, enum kiln_declarator_mode mode,
                           struct kiln_declarator *out);
struct kiln_qtype kiln_parse_type_name(struct kiln_parser *p);
// parse/init.c
// Reads an initialiser for an object of the type and returns it converted; completes an array of unknown size.
struct kiln_expr *kiln_parse_initializer(struct kiln_parser *p, struct kiln_qtype *type);

// parse/expr.c
struct kiln_expr *kiln_parse_expression(struct kiln_parser *p); // with commas
struct kiln_expr *kiln_parse_assignment(struct kiln_parser *p);
struct kiln_expr *kiln_parse_string(struct kiln_parser *p);
// An integer constant expression; false with an error when it is none.
bool kiln_parse_constant(struct kiln_parser *p, const char *what, int64_t *out, const struct kiln_ctype **type);

// parse/gnu.c
// At "__builtin_offsetof (" and others that take types; NULL: it is none of them.
struct kiln_expr *kiln_parse_special(struct kiln_parser *p);
struct kiln_expr *kiln_parse_generic(struct kiln_parser *p);
// At the "{" after "("; location: of that.
struct kiln_expr *kiln_parse_statement_expression(struct kiln_parser *p, kiln_location location);

// parse/stmt.c
// The block of a statement expression, into which no way leads.
struct kiln_stmt *kiln_parse_inner_block(struct kiln_parser *p);
// Of a function, from '{'. close: where its '}' is.
struct kiln_stmt *kiln_parse_body(struct kiln_parser *p, kiln_location *close);
void kiln_parse_static_assert(struct kiln_parser *p);
bool kiln_stmt_completes(const struct kiln_stmt *stmt); // whether control may reach its end

// parse/variable.c: what a declarator declares, and the initialiser after it. stmt: as of kiln_sema_finish_variable.
void kiln_parse_declare(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *declarator,
                        struct kiln_stmt *stmt);

// parse/indent.c: the current token is after a statement that is the body of another one, without braces around it.
// keyword, word: of that; body: the first token of the inner one.
void kiln_warn_indentation(struct kiln_parser *p, kiln_location keyword, const char *word, kiln_location body);

#endif
