// The parser's ground: tokens, complaints, pragmas, and the list of external declarations.
#include "jit/lang/parse/parse.h"

#include <stdio.h>
#include <stdlib.h>

#include "jit/ir/images.h"
#include "jit/lang/ast/tuning.h"
#include "jit/lang/pp/pp.h"

// ---- complaints -----------------------------------------------------------------------------------------------------

static void check_limit(struct kiln_parser *p) {
  const struct kiln_diags *diags = p->sema.lang->diags;
  if (diags->error_limit && diags->errors >= diags->error_limit && !p->sema.stop) {
    kiln_diag(p->sema.lang->diags, KILN_NOTE, 0, 0, "too many errors emitted, stopping now");
    p->sema.stop = true;
    p->tok.kind = KILN_TOKEN_END;
    p->ahead_count = 0;
  }
}

void kiln_parse_fatal(struct kiln_parser *p, kiln_location location, kiln_location end, const char *message) {
  if (!p->sema.stop)
    kiln_diag(p->sema.lang->diags, KILN_ERROR, location, end, "%s", message);
  p->sema.stop = true;
  p->tok.kind = KILN_TOKEN_END;
  p->ahead_count = 0;
}

void kiln_parse_too_deep(struct kiln_parser *p) {
  kiln_parse_fatal(p, p->tok.location, 0, "nesting level exceeded maximum of 256");
}

// ---- pragmas --------------------------------------------------------------------------------------------------------

static const char *skip_blanks(const char *text) {
  while (*text == ' ' || *text == '\t' || *text == '(')
    text++;
  return text;
}

static const char *read_word(const char *text, char *word, size_t size) {
  size_t n = 0;
  text = skip_blanks(text);
  while ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_' ||
         (*text >= '0' && *text <= '9')) {
    if (n + 1 < size)
      word[n++] = *text;
    text++;
  }
  word[n] = 0;
  return text;
}

static void pragma_contract(struct kiln_parser *p, const char *rest) {
  char word[16];
  read_word(rest, word, sizeof word);
  if (strcmp(word, "OFF") == 0)
    p->sema.contract = false;
  else if (strcmp(word, "ON") == 0 || strcmp(word, "DEFAULT") == 0)
    p->sema.contract = true;
  else
    kiln_sema_warning(&p->sema, KILN_W_UNKNOWN_PRAGMAS, p->tok.location, 0,
                      "expected 'ON' or 'OFF' or 'DEFAULT' in pragma");
}

// "OPENCL EXTENSION name : behaviour". Extensions are on where the target has them, whatever a program says.
static void pragma_extension(struct kiln_parser *p, const struct kiln_token *tok, const char *text) {
  char name[64], behaviour[16];
  text = read_word(text, name, sizeof name);
  text += strspn(text, " \t");
  bool colon = *text == ':';
  read_word(text + colon, behaviour, sizeof behaviour);
  bool disables = strcmp(behaviour, "disable") == 0;
  const char *fault = NULL;
  if (!*name)
    fault = "expected identifier in '#pragma OPENCL' - ignored";
  else if (!colon)
    fault = kiln_arena_printf(p->sema.arena, "missing ':' after '%s' - ignoring", name);
  else if (strcmp(name, "all") == 0)
    fault = disables ? NULL : "expected 'disable' - ignoring";
  else if (!disables && strcmp(behaviour, "enable") != 0 && strcmp(behaviour, "begin") != 0 &&
           strcmp(behaviour, "end") != 0)
    fault = "expected 'enable', 'disable', 'begin' or 'end' - ignoring";
  else if (strncmp(name, "cl_", 3) != 0 || !kiln_predefined_has(p->sema.lang->options, name))
    fault = kiln_arena_printf(p->sema.arena, "%s OpenCL extension '%s' - ignoring",
                              kiln_predefined_knows(name) ? "unsupported" : "unknown", name);
  if (fault)
    kiln_sema_warning(&p->sema, KILN_W_IGNORED_PRAGMAS, tok->location, 0, "%s", fault);
}

// The number of times that a name stands for: an enumerator, as macros are expanded already. 0: no hint.
static uint32_t named_count(struct kiln_parser *p, const struct kiln_token *tok, const char *word) {
  const struct kiln_symbol *symbol =
      kiln_scope_find(&p->sema, kiln_names_intern(p->sema.lang->names, word, strlen(word)));
  if (!symbol)
    kiln_sema_error(&p->sema, tok->location, 0, "use of undeclared identifier '%s'", word);
  if (!symbol || symbol->kind != KILN_SYMBOL_DECL || symbol->decl->kind != KILN_DECL_ENUMERATOR)
    return 0;
  return symbol->decl->value > 0 && symbol->decl->value < UINT32_MAX ? (uint32_t)symbol->decl->value : 0;
}

static void pragma_unroll(struct kiln_parser *p, const struct kiln_token *tok, const char *text) {
  char word[32];
  text = skip_blanks(text);
  const char *rest = read_word(text + (*text == '-'), word, sizeof word);
  rest += strspn(rest, " \t)");
  bool is_number = word[0] >= '0' && word[0] <= '9';
  p->unroll = 0;
  if (is_number && *rest == '.') {
    kiln_sema_error(&p->sema, tok->location, 0, "invalid argument of type 'double'; expected an integer type");
  } else if (is_number && !*rest) {
    unsigned long count = *text == '-' ? 0 : strtoul(word, NULL, 0);
    if (!count)
      kiln_sema_error(&p->sema, tok->location, 0, "invalid value '%s%s'; must be positive", *text == '-' ? "-" : "",
                      word);
    p->unroll = count < UINT32_MAX ? (uint32_t)count : 1;
  } else if (strcmp(word, "disable") == 0) {
    p->unroll = 1;
  } else if (!*word || strcmp(word, "full") == 0 || strcmp(word, "enable") == 0) {
    p->unroll = UINT32_MAX;
  } else if (!is_number && !*rest) {
    p->unroll = named_count(p, tok, word);
  } // an expression of several tokens is no hint
}

// The pragmas that concern the parser; all others are ignored, as the language asks.
static void handle_pragma(struct kiln_parser *p, const struct kiln_token *tok) {
  const char *text = kiln_arena_strndup(p->sema.arena, tok->data, tok->size);
  char word[32];
  text = read_word(text, word, sizeof word);
  bool is_clang = strcmp(word, "clang") == 0, is_opencl = strcmp(word, "OPENCL") == 0;
  if (is_opencl || strcmp(word, "STDC") == 0 || is_clang || strcmp(word, "GCC") == 0) {
    text = read_word(text, word, sizeof word);
    if (strcmp(word, "loop") == 0)
      text = read_word(text, word, sizeof word);
  }
  if (strcmp(word, "FP_CONTRACT") == 0) {
    pragma_contract(p, text);
    return;
  }
  if (is_opencl && strcmp(word, "EXTENSION") == 0) {
    pragma_extension(p, tok, text);
    return;
  }
  if (strcmp(word, "unroll") == 0 || strcmp(word, "unroll_count") == 0)
    pragma_unroll(p, tok, text);
  else if (strcmp(word, "nounroll") == 0)
    p->unroll = 1;
  else
    return;
  p->loop_pragma = is_clang ? "clang loop" : word[0] == 'n' ? "nounroll" : "unroll";
}

// ---- tokens ---------------------------------------------------------------------------------------------------------

static void read_token(struct kiln_parser *p, struct kiln_token *out) {
  kiln_pp_next(p->pp, out);
  while (out->kind == KILN_TOKEN_PRAGMA) {
    handle_pragma(p, out);
    kiln_pp_next(p->pp, out);
  }
}

// False: gave up.
static bool advance_unusual(struct kiln_parser *p) {
  if (p->sema.check_limit) {
    p->sema.check_limit = false;
    check_limit(p);
  }
  return !p->sema.stop;
}

static void pass_token(struct kiln_parser *p) {
  p->last_end = kiln_sema_token_end(&p->tok);
  p->advanced++;
}

__attribute__((noinline)) static void advance_slowly(struct kiln_parser *p) {
  if (!kiln_parse_is_usual(p) && !advance_unusual(p))
    return;
  pass_token(p);
  if (p->ahead_count) {
    p->tok = p->ahead[0];
    if (--p->ahead_count)
      p->ahead[0] = p->ahead[1];
  } else {
    read_token(p, &p->tok);
  }
}

void kiln_parse_advance(struct kiln_parser *p) {
  const struct kiln_token *next = kiln_parse_is_usual(p) ? kiln_pp_plain(p->pp) : NULL; // as most are
  if (!next) {
    advance_slowly(p);
    return;
  }
  pass_token(p);
  p->tok = *next;
  p->pp->top->at = next + 1;
}

const struct kiln_token *kiln_parse_peek(struct kiln_parser *p, unsigned distance) {
  if (p->sema.stop)
    return &p->tok;
  while (p->ahead_count < distance)
    read_token(p, &p->ahead[p->ahead_count++]);
  return &p->ahead[distance - 1];
}

bool kiln_parse_next_is(struct kiln_parser *p, enum kiln_token_kind kind) {
  const struct kiln_token *next = kiln_parse_is_usual(p) ? kiln_pp_plain(p->pp) : NULL; // most are not even to be moved
  return (next ? next : kiln_parse_peek(p, 1))->kind == kind;
}

void kiln_parse_missing(struct kiln_parser *p, enum kiln_token_kind kind, const char *where, kiln_location open) {
  if (p->tok.location && p->tok.location == p->sema.last_error)
    return; // the token was complained about
  // What is missing is missing after the last token, which is clearer than the one that came instead.
  bool after =
      (kind == KILN_TOKEN_SEMICOLON || p->tok.at_line_start) && p->last_end && !(p->last_end & KILN_LOCATION_MACRO);
  kiln_sema_error(&p->sema, after ? p->last_end : p->tok.location, after ? 0 : kiln_sema_token_end(&p->tok),
                  "expected '%s'%s%s", kiln_token_kind_text(kind), *where ? " " : "", where);
  if (open)
    kiln_sema_note(&p->sema, open, 0, "to match this '%s'",
                   kind == KILN_TOKEN_RPAREN     ? "("
                   : kind == KILN_TOKEN_RBRACKET ? "["
                                                 : "{");
}

void kiln_parse_skip_to(struct kiln_parser *p, enum kiln_token_kind kind) {
  uint32_t depth = 0;
  for (; p->tok.kind != KILN_TOKEN_END; kiln_parse_advance(p)) {
    enum kiln_token_kind at = p->tok.kind;
    if (!depth && (at == kind || at == KILN_TOKEN_SEMICOLON || at == KILN_TOKEN_RBRACE))
      return;
    if (at == KILN_TOKEN_LPAREN || at == KILN_TOKEN_LBRACKET || at == KILN_TOKEN_LBRACE)
      depth++;
    else if (at == KILN_TOKEN_RPAREN || at == KILN_TOKEN_RBRACKET || at == KILN_TOKEN_RBRACE)
      depth -= depth > 0;
  }
}

void kiln_parse_skip_past(struct kiln_parser *p, enum kiln_token_kind kind) {
  kiln_parse_skip_to(p, kind);
  kiln_parse_accept(p, kind);
}

bool kiln_parse_close(struct kiln_parser *p, enum kiln_token_kind kind, kiln_location open) {
  bool found = kiln_parse_expect(p, kind, "", open);
  if (!found)
    kiln_parse_skip_past(p, kind);
  return found;
}

void kiln_parse_skip_block(struct kiln_parser *p) {
  for (uint32_t depth = 1; p->tok.kind != KILN_TOKEN_END; kiln_parse_advance(p)) {
    depth += p->tok.kind == KILN_TOKEN_LBRACE;
    if (p->tok.kind == KILN_TOKEN_RBRACE && !--depth)
      break;
  }
  kiln_parse_accept(p, KILN_TOKEN_RBRACE);
}

// ---- external declarations ------------------------------------------------------------------------------------------

// After an error at the program's level: to what may be the beginning of the next declaration.
static void recover(struct kiln_parser *p) {
  kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
  if (p->tok.kind != KILN_TOKEN_END)
    kiln_parse_advance(p);
}

// How many nodes were made so far.
static uint32_t expr_count(const struct kiln_parser *p) {
  return p->sema.expr_count - (uint32_t)(p->sema.last_expr - p->sema.next_expr);
}

// What the directives before the kernel say is tuned of it.
static const char *tuning_of(struct kiln_parser *p, const struct kiln_declarator *declarator) {
  struct kiln_tuning_arg args[KILN_TUNING_MAX_NAMES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < declarator->param_count && count < KILN_TUNING_MAX_NAMES; i++) {
    const struct kiln_decl *param = declarator->params[i];
    const struct kiln_ctype *type = param->type.type;
    if (param->name && kiln_ctype_is_integer(type) && type->kind != KILN_CT_BOOL)
      args[count++] = (struct kiln_tuning_arg){param->name->text, i, type->size, kiln_ctype_is_signed(type)};
  }
  return kiln_pp_tuning_of_kernel(p->pp, args, count);
}

static void define_function(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *declarator) {
  struct kiln_fn *fn = kiln_sema_function(&p->sema, specs, declarator, true);
  kiln_scope_push(&p->sema);
  for (uint32_t i = 0; i < declarator->param_count; i++) {
    struct kiln_decl *param = declarator->params[i];
    if (!param->name) // as C23 and GNU C have it
      continue;
    struct kiln_symbol *old = kiln_scope_find_here(&p->sema, param->name);
    if (old) {
      kiln_sema_error(&p->sema, param->location, 0, "redefinition of parameter '%s'", param->name->text);
      kiln_sema_note(&p->sema, old->location, 0, "previous declaration is here");
      continue;
    }
    kiln_scope_add(&p->sema, KILN_SYMBOL_DECL, param->name, param->location)->decl = param;
  }
  p->sema.fn = fn;
  if (specs->is_kernel && p->pp->tuning)
    fn->decl.tuning = tuning_of(p, declarator);
  for (uint32_t i = 0; i < p->labels.count; i++)
    kiln_scope_entry(&p->sema, p->labels.items[i].name)->label = 0;
  p->labels.count = p->gotos.count = p->local_labels.count = 0;
  kiln_location close = 0;
  if (!p->sema.in_library)
    p->flow = kiln_flow_new(&p->sema);
  p->sema.declared_plain = false;
  uint32_t before = expr_count(p);
  fn->decl.body = kiln_parse_body(p, &close);
  fn->decl.expr_count = expr_count(p) - before;
  const struct kiln_ctype *result = fn->decl.type.type->base.type;
  if (result->kind != KILN_CT_VOID && result->kind != KILN_CT_ERROR && !p->sema.stop &&
      kiln_stmt_completes(fn->decl.body))
    kiln_sema_warning(&p->sema, KILN_W_RETURN_TYPE, close, 0,
                      "non-void function does not return a value in all control paths");
  p->sema.fn = NULL;
  kiln_scope_pop(&p->sema);
}

void kiln_parse_external(struct kiln_parser *p) {
  if (kiln_parse_accept(p, KILN_TOKEN_SEMICOLON))
    return;
  if (p->tok.kind == KILN_TOKEN_KW_STATIC_ASSERT) {
    kiln_parse_static_assert(p);
    return;
  }
  uint64_t start = p->advanced;
  struct kiln_specs specs;
  kiln_parse_specs(p, &specs);
  if (p->tok.kind == KILN_TOKEN_SEMICOLON && specs.declares_tag) {
    kiln_parse_advance(p);
    return;
  }
  if (!specs.type.type) { // not even a type
    if (p->advanced == start && p->tok.kind != KILN_TOKEN_END) {
      kiln_parse_error(p, &p->tok,
                       p->tok.kind == KILN_TOKEN_RBRACE ? "extraneous closing brace ('}')"
                                                        : "expected external declaration");
      if (p->tok.kind == KILN_TOKEN_RBRACE)
        kiln_parse_advance(p);
      else
        recover(p);
      return;
    }
    specs.type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  struct kiln_declarator declarator;
  for (bool first = true;; first = false) {
    kiln_parse_declarator(p, &specs, KILN_DECLARATOR_NAMED, &declarator);
    if (!declarator.name) {
      recover(p);
      return;
    }
    if (first && declarator.is_function && p->tok.kind == KILN_TOKEN_LBRACE && specs.storage != KILN_STORAGE_TYPEDEF) {
      define_function(p, &specs, &declarator);
      return;
    }
    kiln_parse_declare(p, &specs, &declarator, NULL);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
  if (kiln_parse_accept(p, KILN_TOKEN_SEMICOLON))
    return;
  if (declarator.is_function && !kiln_parse_is_type(p, &p->tok))
    kiln_sema_error(&p->sema, p->tok.location, 0, "expected function body after function declarator");
  else
    kiln_parse_missing(p, KILN_TOKEN_SEMICOLON, "after top level declarator", 0);
  recover(p);
}

struct kiln_unit *kiln_parse_unit(struct kiln_lang *lang) {
  struct kiln_parser *p = KILN_NEW(lang->arena, struct kiln_parser);
  p->sema.lang = lang;
  p->sema.arena = lang->arena;
  p->sema.types = lang->types;
  p->pp = lang->pp;
  p->sema.std = lang->options->std ? lang->options->std : 120;
  p->sema.contract = true;
  p->formats = lang->options->image_library ? kiln_image_numbers(lang->options->image_formats) : 0;
  p->unit = KILN_NEW(lang->arena, struct kiln_unit);
  kiln_scope_push(&p->sema);
  p->sema.file_depth = p->sema.depth;
  kiln_parse_advance(p);
  while (p->tok.kind != KILN_TOKEN_END) {
    kiln_parse_external(p);
    kiln_sema_tell_unkept(&p->sema);
  }
  if (p->pp->tuning)
    kiln_pp_tuning_at_end(p->pp);
  if (!p->sema.stop)
    kiln_finish_unit(p);
  return p->unit;
}
