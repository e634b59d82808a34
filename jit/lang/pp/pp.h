// Inside the preprocessor: what its parts share.
//
// Tokens come from a stack of contexts: files (and pushed texts), expansions of macros, and arguments of macros that
// are being expanded for themselves. A macro is disabled as long as its expansion is on the stack; its name, met in
// that time, is marked and never expanded again (C99 6.10.3.4).
#ifndef KILN_JIT_LANG_PP_H
#define KILN_JIT_LANG_PP_H

#include "base/vec.h"
#include "jit/lang/lex/lex.h"
#include "jit/lang/lex/warnings.h"

enum {
  PP_MAX_EXPANDED_TOKENS = 1 << 23, // tokens that all expansions of a unit may make
  PP_MAX_MADE_BYTES = 1 << 25,      // bytes of the tokens that # and ## of a unit may make
  PP_MAX_ARGUMENT_DEPTH = 256,      // macro calls in arguments of macro calls in …
  PP_MAX_CONDITION_DEPTH = 256,     // parentheses, unary operators and ?: in #if
  PP_MAX_IF_DEPTH = 1 << 16,
  PP_MAX_INCLUDES = 1 << 16, // texts that a unit may include
};

struct pp_tokens { // growing array, recycled through kiln_pp.free_tokens
  struct kiln_token *items;
  uint32_t count, capacity;
};

enum pp_dynamic { // macros whose value is made at each use
  PP_STATIC,
#define PP_DYNAMIC(NAME, text) PP_##NAME,
#include "jit/lang/pp/dynamic.def"
};

enum pp_piece_flag {
  PP_STRINGIZE = 1, // # before the parameter
  PP_PASTE = 2,     // ## after the piece
  PP_VA_COMMA = 4,  // the comma of ", ## __VA_ARGS__": vanishes when those are empty
  PP_VA_OPT = 8,    // inside of __VA_OPT__: vanishes when the variadic argument is empty
  PP_VA_FIRST = 16, // the first piece of it
  PP_VA_EMPTY = 32, // there is nothing inside of it: always vanishes
};

enum pp_piece_kind {
  PP_TOKEN,    // stands for itself
  PP_VALUE,    // a parameter: the argument, expanded
  PP_OPERATOR, // has flags, or ## before it
};

struct pp_piece { // of the body of a function-like macro, or of one of several tokens
  struct kiln_token token;
  int32_t param;       // -1: the token itself
  uint8_t kind;        // enum pp_piece_kind
  uint8_t flags;       // enum pp_piece_flag
  uint32_t run;        // how many pieces from this one on are PP_TOKEN
  kiln_location paste; // of the ## after it
};

struct pp_macro {
  struct kiln_name *name;
  kiln_location location;
  enum pp_dynamic dynamic;
  bool function_like, variadic, disabled, has_pieces;
  uint32_t epoch;       // kiln_pp.epoch at which the tokens of the pieces were told to be plain or not
  bool predefined;      // by kiln_pp_config.predefined: may be redefined silently
  uint32_t param_count; // with the variadic one
  struct kiln_name **params;
  bool *expanded_params; // whether the parameter is used other than with # and ##
  uint32_t *param_uses;  // in how many pieces
  uint32_t body_count;
  struct kiln_token *body; // as written; # and ## in it are ordinary tokens
  uint32_t piece_count;
  struct pp_piece *pieces;         // when has_pieces; after the last is a PP_OPERATOR
  struct kiln_token *piece_tokens; // those of the pieces once more, to be copied in rows
  kiln_location *locations;        // of the pieces
};

struct pp_condition { // an #if that is open
  kiln_location location;
  bool taken; // one of its groups was read
  bool has_else;
};

struct pp_file {
  struct kiln_lexer lexer;
  const char *path; // as opened; the name for the main file and headers from memory
  bool from_memory;
  uint32_t next_dir;       // include folder after the one that it was found in; 0: found elsewhere
  uint32_t condition_base; // conditions below are of other files
  struct pp_file *outer;
  struct pp_header *header; // NULL: not included
  // For the guard "#ifndef X … #endif" around the whole file: NULL when it cannot be one.
  struct kiln_name *guard;
  enum { PP_GUARD_START, PP_GUARD_OPEN, PP_GUARD_CLOSED, PP_GUARD_NONE } guard_state;
};

struct pp_header { // an include file that was looked for
  const char *path;
  bool found, from_memory, once;
  const char *text;
  size_t size;
  struct kiln_name *guard; // the file holds nothing when this macro is defined
};

enum pp_context_kind { PP_FILE, PP_EXPANSION, PP_ARGUMENT };

struct pp_context {
  enum pp_context_kind kind;
  const struct kiln_token *at, *end; // EXPANSION, ARGUMENT: what is still to be read
  struct pp_macro *macro;            // EXPANSION
  struct pp_tokens buffer;           // EXPANSION: holds the tokens, to be recycled
  struct pp_file *file;              // FILE
};

struct kiln_pp {
  struct kiln_pp_config config;
  struct kiln_arena *arena;
  struct kiln_diags *diags;
  struct kiln_sources *sources;
  struct kiln_lex_env lex;
  // By id of a name: token kind of a keyword in the low 8 bits, number of the macro above them, PP_ASKED.
  uint32_t *info;
  uint32_t info_capacity;
  KILN_VEC(struct pp_macro *) macros; // 0: none
  KILN_VEC(struct pp_context) contexts;
  struct pp_context *top, none; // the innermost context; none when there is no context
  uint32_t epoch;               // goes up when what may have been no macro becomes one
  KILN_VEC(struct pp_condition) conditions;
  struct pp_file *file; // the innermost on the stack
  uint32_t include_depth, include_total;
  struct kiln_token *free_tokens[32]; // by log2 of the capacity
  uint64_t expanded_tokens, made_bytes;
  uint32_t argument_depth;
  uint32_t collecting; // arguments of a macro are being read
  uint32_t counter;
  bool stopped; // after a fatal error
  bool used_file;
  struct kiln_names headers; // paths looked for; data: struct pp_header
  KILN_VEC(struct kiln_pp_include) includes;
  struct pp_tuning *tuning; // of the kernel that comes next; NULL: no directive describes it
};

// pp.c
// The next token; directives are carried out. _Pragma is not. lexed: *out is of the file that is read already.
void kiln_pp_read_slowly(struct kiln_pp *pp, struct kiln_token *out, bool expand, bool lexed);
void kiln_pp_push_file(struct kiln_pp *pp, struct pp_file *file);
void kiln_pp_push_tokens(struct kiln_pp *pp, enum pp_context_kind kind, const struct kiln_token *tokens,
                         uint32_t count);
void kiln_pp_pop(struct kiln_pp *pp);
bool kiln_pp_peek_lparen(const struct kiln_pp *pp);
void kiln_pp_stop(struct kiln_pp *pp); // after a fatal error: only KILN_TOKEN_END from now on
// Makes room for more items; afterwards capacity is at least count + more.
void kiln_pp_tokens_grow(struct kiln_pp *pp, struct pp_tokens *tokens, uint32_t more);
void kiln_pp_tokens_release(struct kiln_pp *pp, struct pp_tokens *tokens);
static inline void kiln_pp_tokens_append(struct kiln_pp *pp, struct pp_tokens *tokens, const struct kiln_token *items,
                                         uint32_t count) {
  if (tokens->capacity - tokens->count < count)
    kiln_pp_tokens_grow(pp, tokens, count);
  if (count > 0)
    memcpy(tokens->items + tokens->count, items, count * sizeof *items);
  tokens->count += count;
}
// Room for the next token: it is one once count is raised.
static inline struct kiln_token *kiln_pp_tokens_next(struct kiln_pp *pp, struct pp_tokens *tokens) {
  if (tokens->count == tokens->capacity)
    kiln_pp_tokens_grow(pp, tokens, 1);
  return &tokens->items[tokens->count];
}
static inline void kiln_pp_tokens_push(struct kiln_pp *pp, struct pp_tokens *tokens, const struct kiln_token *token) {
  *kiln_pp_tokens_next(pp, tokens) = *token;
  tokens->count++;
}
void kiln_pp_set_info(struct kiln_pp *pp, const struct kiln_name *name, uint32_t info);
#define PP_ASKED 0x80000000u // in kiln_pp.info: no (more) predefined macro for the name
uint32_t kiln_pp_ask(struct kiln_pp *pp, const struct kiln_name *name); // defines the name's predefined macro
static inline uint32_t kiln_pp_info(struct kiln_pp *pp, const struct kiln_name *name) {
  uint32_t info = name->id < pp->info_capacity ? pp->info[name->id] : 0;
  return info == 0 && pp->config.predefined != NULL ? kiln_pp_ask(pp, name) : info & ~PP_ASKED;
}
static inline struct pp_macro *kiln_pp_macro_of(struct kiln_pp *pp, const struct kiln_name *name) {
  return pp->macros.items[kiln_pp_info(pp, name) >> 8];
}
// Tells whether a token is plain; gives keywords their kinds.
static inline void kiln_pp_classify(struct kiln_pp *pp, struct kiln_token *token) {
  uint32_t info = token->name != NULL ? kiln_pp_info(pp, token->name) : 0;
  if ((info & 0xFF) != 0)
    token->kind = (uint16_t)(info & 0xFF);
  token->plain = info < KILN_LEX_PRAGMA_OPERATOR && token->kind != KILN_TOKEN_OTHER;
}
// The next token where it is in the innermost expansion or argument, and plain, as most are. NULL: it is not.
static inline const struct kiln_token *kiln_pp_plain(const struct kiln_pp *pp) {
  const struct kiln_token *token = pp->top->at;
  return token != pp->top->end && token->plain ? token : NULL;
}
// The same where the one after it is there, too, and of this kind, which is one that is always plain.
static inline const struct kiln_token *kiln_pp_plain_pair(const struct kiln_pp *pp, enum kiln_token_kind second) {
  const struct kiln_token *token = pp->top->at;
  return pp->top->end - token > 1 && token[1].kind == second && token[0].plain ? token : NULL;
}
// Reads it. False: nothing was read.
static inline bool kiln_pp_next_plain(struct kiln_pp *pp, struct kiln_token *out) {
  const struct kiln_token *token = kiln_pp_plain(pp);
  if (token == NULL)
    return false;
  *out = *token;
  pp->top->at = token + 1;
  return true;
}

// Whether nothing is to be done about a token that was lexed from a file, as about most.
static inline bool kiln_pp_is_settled(struct kiln_pp *pp, struct pp_file *file, struct kiln_token *token) {
  static const bool needs_more[KILN_LEX_PRAGMA_OPERATOR + 1] = {
      [KILN_TOKEN_END] = true, [KILN_TOKEN_HASH] = true, [KILN_TOKEN_OTHER] = true, [KILN_LEX_LINE_END] = true};
  if (token->name != NULL)
    kiln_pp_classify(pp, token);
  else
    token->plain = !needs_more[token->kind];
  if (!token->plain)
    return false;
  if (file->guard_state != PP_GUARD_OPEN)
    file->guard_state = PP_GUARD_NONE;
  return true;
}
// Reads the next token of the file that is read, if one is. *lexed: that was done. False: more is to be done about it.
static inline bool kiln_pp_read_settled(struct kiln_pp *pp, struct kiln_token *out, bool *lexed) {
  struct pp_file *file = pp->top->file;
  *lexed = file != NULL && !pp->stopped;
  if (!*lexed)
    return false;
  kiln_lex(&file->lexer, out);
  return kiln_pp_is_settled(pp, file, out);
}
static inline void kiln_pp_read(struct kiln_pp *pp, struct kiln_token *out, bool expand) {
  bool lexed;
  if (!kiln_pp_read_settled(pp, out, &lexed))
    kiln_pp_read_slowly(pp, out, expand, lexed);
}

// Reads up to the end of the directive.
void kiln_pp_finish_line(struct kiln_pp *pp);
// The same, and warns when anything but comments is there.
void kiln_pp_finish_line_checked(struct kiln_pp *pp, const char *directive);
// Joins the spellings of tokens as they were spaced; in the arena.
struct kiln_str kiln_pp_spelling(struct kiln_pp *pp, const struct kiln_token *tokens, uint32_t count);
struct kiln_token kiln_pp_make_token(struct kiln_pp *pp, enum kiln_token_kind kind, kiln_location location,
                                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// pp/define.c
void kiln_pp_read_define(struct kiln_pp *pp);
void kiln_pp_read_undef(struct kiln_pp *pp);
// Makes pieces of the body; those of object-like macros without ## on first use. False after an error.
bool kiln_pp_make_pieces(struct kiln_pp *pp, struct pp_macro *macro);
// Reads the name that #define, #ifdef and so on need; false after an error.
bool kiln_pp_read_macro_name(struct kiln_pp *pp, struct kiln_token *out, bool defining);

// pp/expand.c
// Expands macro, whose name token is *token. False: it is left alone (a function-like name without arguments). True:
// the expansion is on the stack, or *done is set and *token the whole result.
bool kiln_pp_expand(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token, bool *done);
// pp/dynamic.c
void kiln_pp_define_dynamic(struct kiln_pp *pp);
// Replaces *token by the macro's value.
void kiln_pp_expand_dynamic(struct kiln_pp *pp, const struct pp_macro *macro, struct kiln_token *token);

// pp/directive.c
// Carries out the directive whose # was read. True: *out is a token for the parser.
bool kiln_pp_directive(struct kiln_pp *pp, struct kiln_token *out);
// Makes a pragma's text to a token, or carries it out. True: *out is a token for the parser.
bool kiln_pp_pragma(struct kiln_pp *pp, kiln_location location, struct kiln_str text, struct kiln_token *out);
void kiln_pp_check_conditions(struct kiln_pp *pp, struct pp_file *file); // at its end

// pp/tune.c
// Carries out "#pragma kernel" up to the end of the line.
void kiln_pp_tune(struct kiln_pp *pp);
// Whether a word is one of its directives.
bool kiln_pp_is_tuning(struct kiln_str word);

// pp/expression.c
// Evaluates the condition of #if or #elif up to the end of the line; false after an error too.
bool kiln_pp_evaluate(struct kiln_pp *pp);

// pp/include.c
// next: #include_next, which goes on after the folder that this file was found in.
void kiln_pp_include(struct kiln_pp *pp, const struct kiln_token *directive, bool next);
// Reads <name> or "name", by macro expansion if need be. False after an error, which is reported.
bool kiln_pp_read_header_name(struct kiln_pp *pp, const struct kiln_token *directive, struct kiln_token *out,
                              bool *angled);
struct pp_header *kiln_pp_find_header(struct kiln_pp *pp, struct kiln_str name, bool angled);

// predefined.c: the predefined macros of a compilation, for kiln_pp_config.predefined.
struct kiln_predefined {
  struct kiln_arena *arena;
  const struct kiln_lang_options *options;
};

// user: a struct kiln_predefined. The definition as after -D, or NULL.
const char *kiln_predefined_macro(void *user, const char *name, size_t size);

// For extensions, whose macros have their names: whether a target with these options has one, and whether any may.
bool kiln_predefined_has(const struct kiln_lang_options *options, const char *name);
bool kiln_predefined_knows(const char *name);
// Appends the names of the extensions and features that there are, separated by blanks.
void kiln_predefined_extensions(const struct kiln_lang_options *options, struct kiln_strbuf *out);

#endif
