// What OpenCL C has and Kiln has not, and what CUDA and HIP have and OpenCL C has not.
#include <stdio.h>

#include "jit/lang/parse/parse.h"

enum { KILN_MISSING_IMAGES = 1 };

bool kiln_parse_not_supported(struct kiln_parser *p, const struct kiln_token *tok, bool type) {
  static const struct {
    const char *prefix, *suffix;
    bool type;
    const char *reason;
    unsigned part;
  } missing[] = {
#define KILN_MISSING(prefix, suffix, type, reason, part) {prefix, suffix, type, reason, part},
#include "jit/lang/parse/missing.def"
  };
  const char *name = tok->name->text;
  size_t size = tok->name->size;
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    size_t prefix = strlen(missing[i].prefix), suffix = strlen(missing[i].suffix);
    if (missing[i].type != type || (missing[i].part == KILN_MISSING_IMAGES && p->sema.lang->options->images) ||
        size < prefix + suffix || strncmp(name, missing[i].prefix, prefix) != 0 ||
        strcmp(name + size - suffix, missing[i].suffix) != 0)
      continue;
    struct kiln_missing *here = KILN_NEW(p->sema.arena, struct kiln_missing);
    here->text = kiln_arena_printf(p->sema.arena, "%s '%s' is not supported: %s", type ? "type" : "function", name,
                                   missing[i].reason);
    here->part = missing[i].part ? 1u << missing[i].part : 0;
    here->location = tok->location;
    here->end = kiln_sema_token_end(tok);
    if (here->part)
      kiln_sema_miss(&p->sema, here);
    else
      kiln_sema_tell_missing(&p->sema, here);
    return true;
  }
  return false;
}

// ---- names of CUDA and HIP ------------------------------------------------------------------------------------------

#define SPECIFIER(token) FOREIGN_SPECIFIER, KILN_TOKEN_##token
#define DROPPED FOREIGN_DROPPED, KILN_TOKEN_END
#define TYPE FOREIGN_NAME, KILN_TOKEN_END
#define FUNCTION FOREIGN_NAME, KILN_TOKEN_END
#define VALUE FOREIGN_NAME, KILN_TOKEN_END
#define INDEX FOREIGN_INDEX, KILN_TOKEN_END

static const struct foreign {
  const char *name;
  enum { FOREIGN_SPECIFIER, FOREIGN_DROPPED, FOREIGN_INDEX, FOREIGN_NAME } kind;
  enum kiln_token_kind token; // that a specifier stands for
  const char *hint;
} foreign_names[] = {
#define KILN_FOREIGN(name, kind, hint) {name, kind, hint},
#include "jit/lang/parse/missing.def"
};

static const struct foreign *find_foreign(const struct kiln_name *name) {
  for (size_t i = 0; i < sizeof foreign_names / sizeof *foreign_names; i++) {
    const char *text = foreign_names[i].name;
    size_t size = strlen(text);
    bool open = text[size - 1] == '*';
    if (open ? strncmp(name->text, text, size - 1) == 0 : strcmp(name->text, text) == 0)
      return &foreign_names[i];
  }
  return NULL;
}

static bool is_specifier(const struct foreign *foreign) {
  return foreign && (foreign->kind == FOREIGN_SPECIFIER || foreign->kind == FOREIGN_DROPPED);
}

// The function call in place of a variable, whose member may follow.
static const char *index_hint(struct kiln_parser *p, const char *function) {
  const struct kiln_name *member = NULL;
  if (p->tok.kind == KILN_TOKEN_DOT && kiln_parse_next_is(p, KILN_TOKEN_IDENTIFIER))
    member = kiln_parse_peek(p, 1)->name;
  if (member && member->size == 1 && member->text[0] >= 'x' && member->text[0] <= 'z')
    return kiln_arena_printf(p->sema.arena, "write '%s(%d)'", function, member->text[0] - 'x');
  return kiln_arena_printf(p->sema.arena, "write '%s' with 0, 1 or 2", function);
}

static void report_foreign(struct kiln_parser *p, const struct foreign *foreign, const struct kiln_token *tok) {
  const char *hint = foreign->kind == FOREIGN_INDEX ? index_hint(p, foreign->hint) : foreign->hint;
  kiln_sema_error(&p->sema, tok->location, kiln_sema_token_end(tok), "'%s' is of CUDA, not of OpenCL C; %s",
                  tok->name->text, hint);
}

bool kiln_parse_foreign(struct kiln_parser *p, const struct kiln_token *tok) {
  const struct foreign *foreign = find_foreign(tok->name);
  if (foreign)
    report_foreign(p, foreign, tok);
  return foreign;
}

bool kiln_is_foreign_specifier(struct kiln_parser *p, const struct kiln_token *tok) {
  return tok->kind == KILN_TOKEN_IDENTIFIER && strncmp(tok->name->text, "__", 2) == 0 &&
         !kiln_scope_find(&p->sema, tok->name) && is_specifier(find_foreign(tok->name));
}

void kiln_parse_foreign_specifier(struct kiln_parser *p) {
  const struct foreign *foreign = find_foreign(p->tok.name);
  report_foreign(p, foreign, &p->tok);
  if (foreign->kind == FOREIGN_SPECIFIER) {
    p->tok.kind = foreign->token;
    return;
  }
  kiln_parse_advance(p);
  if (kiln_parse_accept(p, KILN_TOKEN_LPAREN))
    kiln_parse_skip_past(p, KILN_TOKEN_RPAREN);
}
