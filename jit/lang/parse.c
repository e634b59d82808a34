// The parser's ground: tokens, complaints, pragmas, and the list of external declarations.
#include "jit/lang/parse.h"

#include <stdio.h>
#include <stdlib.h>

#include "jit/lang/pp.h"

// ---- complaints -----------------------------------------------------------------------------------------------------

static void check_limit(struct kiln_parser *p) {
  const struct kiln_diags *diags = p->lang->diags;
  if (diags->error_limit && diags->errors >= diags->error_limit && !p->stop) {
    kiln_diag(p->lang->diags, KILN_NOTE, 0, 0, "too many errors emitted, stopping now");
    p->stop = true;
    p->tok.kind = KILN_TOKEN_END;
    p->ahead_count = 0;
  }
}

void kiln_parse_error(struct kiln_parser *p, kiln_place place, kiln_place end, const char *format, ...) {
  if (p->stop || (place && place == p->last_error))
    return;
  p->last_error = place;
  va_list args;
  va_start(args, format);
  kiln_diag_v(p->lang->diags, KILN_ERROR, place, end, format, args);
  va_end(args);
  p->may_note = true;
  p->check_limit = true; // once its notes are out
}

void kiln_parse_warning(struct kiln_parser *p, kiln_place place, kiln_place end, const char *format, ...) {
  p->may_note = false;
  if (p->stop || p->in_library)
    return;
  va_list args;
  va_start(args, format);
  kiln_diag_v(p->lang->diags, KILN_WARNING, place, end, format, args);
  va_end(args);
  p->may_note = true;
}

void kiln_parse_note(struct kiln_parser *p, kiln_place place, kiln_place end, const char *format, ...) {
  if (p->stop || !p->may_note || !place)
    return;
  va_list args;
  va_start(args, format);
  kiln_diag_v(p->lang->diags, KILN_NOTE, place, end, format, args);
  va_end(args);
}

void kiln_parse_fatal(struct kiln_parser *p, kiln_place place, kiln_place end, const char *message) {
  if (!p->stop)
    kiln_diag(p->lang->diags, KILN_ERROR, place, end, "%s", message);
  p->stop = true;
  p->tok.kind = KILN_TOKEN_END;
  p->ahead_count = 0;
}

void kiln_parse_too_deep(struct kiln_parser *p) {
  if (!p->stop)
    kiln_parse_fatal(p, p->tok.place, 0, "nesting level exceeded maximum of 256");
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
    p->contract = false;
  else if (strcmp(word, "ON") == 0 || strcmp(word, "DEFAULT") == 0)
    p->contract = true;
  else
    kiln_parse_warning(p, p->tok.place, 0, "expected 'ON' or 'OFF' or 'DEFAULT' in pragma");
}

// The number of times that a name stands for: an enumerator, as macros are expanded already. 0: no hint.
static uint32_t named_count(struct kiln_parser *p, const struct kiln_token *tok, const char *word) {
  const struct kiln_symbol *symbol = kiln_scope_find(p, kiln_names_intern(p->lang->names, word, strlen(word)));
  if (!symbol)
    kiln_parse_error(p, tok->place, 0, "use of undeclared identifier '%s'", word);
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
    kiln_parse_error(p, tok->place, 0, "invalid argument of type 'double'; expected an integer type");
  } else if (is_number && !*rest) {
    unsigned long count = *text == '-' ? 0 : strtoul(word, NULL, 0);
    if (!count)
      kiln_parse_error(p, tok->place, 0, "invalid value '%s%s'; must be positive", *text == '-' ? "-" : "", word);
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
  const char *text = kiln_arena_strndup(p->arena, tok->data, tok->size);
  char word[32];
  text = read_word(text, word, sizeof word);
  bool is_clang = strcmp(word, "clang") == 0;
  if (strcmp(word, "OPENCL") == 0 || strcmp(word, "STDC") == 0 || is_clang || strcmp(word, "GCC") == 0) {
    text = read_word(text, word, sizeof word);
    if (strcmp(word, "loop") == 0)
      text = read_word(text, word, sizeof word);
  }
  if (strcmp(word, "FP_CONTRACT") == 0) {
    pragma_contract(p, text);
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
  if (p->check_limit) {
    p->check_limit = false;
    check_limit(p);
  }
  return !p->stop;
}

static void pass_token(struct kiln_parser *p) {
  p->last_end = kiln_parse_end(&p->tok);
  p->advanced++;
}

__attribute__((noinline)) static void advance_slowly(struct kiln_parser *p) {
  if (p->unusual && !advance_unusual(p))
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
  const struct kiln_token *next = p->unusual ? NULL : kiln_pp_plain(p->pp); // as most are
  if (!next) {
    advance_slowly(p);
    return;
  }
  pass_token(p);
  p->tok = *next;
  p->pp->top->at = next + 1;
}

bool kiln_parse_advance_to_use(struct kiln_parser *p) {
  pass_token(p);
  kiln_pp_next_operand(p->pp, &p->tok);
  while (p->tok.kind == KILN_TOKEN_PRAGMA) {
    handle_pragma(p, &p->tok);
    kiln_pp_next_operand(p->pp, &p->tok);
  }
  return p->tok.kind == KILN_LEX_USE;
}

const struct kiln_token *kiln_parse_peek(struct kiln_parser *p, unsigned distance) {
  if (p->stop)
    return &p->tok;
  while (p->ahead_count < distance)
    read_token(p, &p->ahead[p->ahead_count++]);
  return &p->ahead[distance - 1];
}

bool kiln_parse_next_is(struct kiln_parser *p, enum kiln_token_kind kind) {
  const struct kiln_token *next = p->unusual ? NULL : kiln_pp_plain(p->pp); // most are not even to be moved
  return (next ? next : kiln_parse_peek(p, 1))->kind == kind;
}

void kiln_parse_missing(struct kiln_parser *p, enum kiln_token_kind kind, const char *where, kiln_place open) {
  if (p->tok.place && p->tok.place == p->last_error)
    return; // the token was complained about
  // What is missing is missing behind the last token, which is clearer than the one that came instead.
  bool behind =
      (kind == KILN_TOKEN_SEMICOLON || p->tok.at_line_start) && p->last_end && !(p->last_end & KILN_PLACE_MACRO);
  kiln_parse_error(p, behind ? p->last_end : p->tok.place, behind ? 0 : kiln_parse_end(&p->tok), "expected '%s'%s%s",
                   kiln_token_kind_text(kind), *where ? " " : "", where);
  if (open)
    kiln_parse_note(p, open, 0, "to match this '%s'",
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
  return p->expr_count - (uint32_t)(p->last_expr - p->next_expr);
}

static void define_function(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *declarator) {
  struct kiln_fn *fn = kiln_sema_function(p, specs, declarator, true);
  kiln_scope_push(p);
  for (uint32_t i = 0; i < declarator->param_count; i++) {
    struct kiln_decl *param = declarator->params[i];
    if (!param->name) // as C23 and GNU C have it
      continue;
    struct kiln_symbol *old = kiln_scope_find_here(p, param->name);
    if (old) {
      kiln_parse_error(p, param->place, 0, "redefinition of parameter '%s'", param->name->text);
      kiln_parse_note(p, old->place, 0, "previous declaration is here");
      continue;
    }
    kiln_scope_add(p, KILN_SYMBOL_DECL, param->name, param->place)->decl = param;
  }
  p->fn = fn;
  for (uint32_t i = 0; i < p->labels.count; i++)
    kiln_scope_entry(p, p->labels.items[i].name)->label = 0;
  p->labels.count = p->gotos.count = p->local_labels.count = 0;
  kiln_place close = 0;
  if (!p->in_library)
    p->flow = kiln_flow_new(p);
  p->declared_plain = false;
  uint32_t before = expr_count(p);
  fn->decl.body = kiln_parse_body(p, &close);
  fn->decl.expr_count = expr_count(p) - before;
  const struct kiln_ctype *result = fn->decl.type.type->base.type;
  if (result->kind != KILN_CT_VOID && result->kind != KILN_CT_ERROR && !p->stop && kiln_stmt_completes(fn->decl.body))
    kiln_parse_warning(p, close, 0, "non-void function does not return a value in all control paths");
  p->fn = NULL;
  kiln_scope_pop(p);
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
      kiln_parse_error(p, p->tok.place, kiln_parse_end(&p->tok),
                       p->tok.kind == KILN_TOKEN_RBRACE ? "extraneous closing brace ('}')"
                                                        : "expected external declaration");
      if (p->tok.kind == KILN_TOKEN_RBRACE)
        kiln_parse_advance(p);
      else
        recover(p);
      return;
    }
    specs.type = kiln_plain(kiln_ctype_scalar(p->types, KILN_CT_ERROR));
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
    kiln_sema_declare(p, &specs, &declarator, NULL);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
  if (kiln_parse_accept(p, KILN_TOKEN_SEMICOLON))
    return;
  if (declarator.is_function && !kiln_parse_is_type(p, &p->tok))
    kiln_parse_error(p, p->tok.place, 0, "expected function body after function declarator");
  else
    kiln_parse_missing(p, KILN_TOKEN_SEMICOLON, "after top level declarator", 0);
  recover(p);
}

struct kiln_unit *kiln_parse_unit(struct kiln_lang *lang) {
  struct kiln_parser *p = KILN_NEW(lang->arena, struct kiln_parser);
  p->lang = lang;
  p->arena = lang->arena;
  p->types = lang->types;
  p->pp = lang->pp;
  p->std = lang->options->std ? lang->options->std : 120;
  p->contract = true;
  p->unit = KILN_NEW(lang->arena, struct kiln_unit);
  kiln_scope_push(p);
  p->file_depth = p->depth;
  kiln_parse_advance(p);
  while (p->tok.kind != KILN_TOKEN_END)
    kiln_parse_external(p);
  if (!p->stop)
    kiln_finish_unit(p);
  return p->unit;
}
