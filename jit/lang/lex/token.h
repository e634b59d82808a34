// Tokens and the preprocessor's interface to the parser.
#ifndef KILN_JIT_LANG_TOKEN_H
#define KILN_JIT_LANG_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/source.h"
#include "base/str.h"

enum kiln_token_kind {
  KILN_TOKEN_END,        // end of the translation unit
  KILN_TOKEN_IDENTIFIER, // name
  KILN_TOKEN_NUMBER,     // preprocessing number; the parser evaluates it
  KILN_TOKEN_CHAR,       // character constant
  KILN_TOKEN_STRING,     // string literal, quotes included
  KILN_TOKEN_OTHER,      // a character that is no token of the language
  KILN_TOKEN_PRAGMA,     // a #pragma or _Pragma that concerns the parser; data, size: its text after "pragma"
#define KILN_PUNCT(NAME, text) KILN_TOKEN_##NAME,
#include "jit/lang/lex/tokens.def"
#define KILN_KEYWORD(NAME, text, role) KILN_TOKEN_KW_##NAME,
#include "jit/lang/lex/tokens.def"
  KILN_TOKEN_KIND_COUNT
};

struct kiln_token {
  uint16_t kind;      // enum kiln_token_kind; identifiers that are keywords already have the keyword's kind
  bool at_line_start; // first on its line: for directives
  bool after_space;
  bool no_expand; // a macro name that must not be expanded any more
  bool plain;     // inside the preprocessor: known to be no macro's name, nor anything else to look at
  kiln_location location;
  uint32_t size;          // of the spelling
  const char *data;       // spelling, line splices removed; not NUL-terminated
  struct kiln_name *name; // identifiers and keywords
};

const char *kiln_token_kind_text(enum kiln_token_kind kind);

struct kiln_pp; // preprocessor

struct kiln_pp_header { // include file from memory
  const char *name, *text;
  size_t size;
};

// One probe of an #include, in order: what a cache must check before it may reuse the result.
struct kiln_pp_include {
  const char *path; // probed path, or the name of a header from memory
  bool found;
  bool from_memory; // path is the name of a header from memory
  const char *text; // contents when found; NUL-terminated
  size_t size;
};

// Reads an include file in place of the file system: text that lives as long as the compilation and is followed by a
// NUL; 0 or an errno value.
typedef int kiln_pp_read_fn(void *user, const char *path, const char **text, size_t *size);

struct kiln_pp_config {
  struct kiln_arena *arena;
  struct kiln_names *names;
  struct kiln_sources *sources;
  struct kiln_diags *diags;
  const char *const *include_dirs; // in the order of -I
  uint32_t include_dir_count;
  const struct kiln_pp_header *headers;
  uint32_t header_count;
  kiln_pp_read_fn *read; // NULL: include files are read from the file system
  void *read_user;
  uint32_t max_include_depth; // 0: 64
  uint32_t std;               // language version: which built-in functions there are
  bool images;                // likewise: the target has images
  bool no_macros;             // only lex: no directives, no predefined or other macros (the built-in library)
  // Predefined macros, asked for lazily: called at most once per name, when the name is first met (in text, #if,
  // #ifdef) and has no definition. The answer is what would follow -D ("NAME=BODY", "NAME(x)=BODY"), or NULL for none.
  // Such a macro may be undefined and redefined by the source without a warning. NULL: no such macros.
  const char *(*predefined)(void *user, const char *name, size_t size);
  void *predefined_user;
};

struct kiln_pp *kiln_pp_new(const struct kiln_pp_config *config);
// "NAME", "NAME=VALUE", "NAME(a,b)=BODY" as after -D.
void kiln_pp_define(struct kiln_pp *pp, const char *definition);
void kiln_pp_undefine(struct kiln_pp *pp, const char *name);
// Starts the main file. name: as shown; a path makes #include "x" look beside it.
void kiln_pp_start(struct kiln_pp *pp, const char *name, const char *text, size_t size);
// Inserts text that is read before whatever comes next (used for pieces of the built-in library; shown as "<kiln>").
void kiln_pp_push(struct kiln_pp *pp, const char *name, const char *text, size_t size);
// The next token after macro expansion. After the end it returns KILN_TOKEN_END again and again.
void kiln_pp_next(struct kiln_pp *pp, struct kiln_token *out);
// Whether __FILE__ (or a #line name) was expanded: then the path is part of what the result depends on.
bool kiln_pp_used_file(const struct kiln_pp *pp);
// Whether a macro of that name is defined, at the location that has been read up to.
bool kiln_pp_has_macro(struct kiln_pp *pp, const char *name);
uint32_t kiln_pp_includes(const struct kiln_pp *pp, const struct kiln_pp_include **out);
// The text of jit/lang/ast/tuning.h, in the arena, for the kernel whose definition begins, which has these integer
// arguments; NULL after errors, which are reported. Only where directives are there (kiln_pp.tuning).
struct kiln_tuning_arg;
const char *kiln_pp_tuning_of_kernel(struct kiln_pp *pp, const struct kiln_tuning_arg *args, uint32_t count);
void kiln_pp_tuning_at_end(struct kiln_pp *pp); // of the unit: directives must have met their kernel

#endif
