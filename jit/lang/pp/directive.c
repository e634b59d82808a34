// Directives: finding out which it is, conditional groups, and the small ones.
#include "jit/lang/pp/pp.h"

enum directive {
  DIRECTIVE_UNKNOWN,
#define PP_DIRECTIVE(NAME, text) DIRECTIVE_##NAME,
#include "jit/lang/pp/directives.def"
};

static const struct {
  const char *text;
  uint8_t size, directive;
} directives[] = {
#define PP_DIRECTIVE(NAME, text) {text, sizeof text - 1, DIRECTIVE_##NAME},
#include "jit/lang/pp/directives.def"
};
enum { DIRECTIVE_COUNT = sizeof directives / sizeof *directives };

static enum directive find_directive(const struct kiln_token *token) {
  for (int i = 0; i < DIRECTIVE_COUNT; i++)
    if (token->size == directives[i].size && memcmp(token->data, directives[i].text, token->size) == 0)
      return (enum directive)directives[i].directive;
  return DIRECTIVE_UNKNOWN;
}

static void report_unknown(struct kiln_pp *pp, const struct kiln_token *token) {
  const char *nearest = NULL;
  if (token->name != NULL && token->size <= 16) {
    unsigned best = token->size < 5 ? 2 : 3;
    for (int i = 0; i < DIRECTIVE_COUNT; i++) {
      unsigned distance = kiln_edit_distance(token->name->text, directives[i].text, 3);
      if (distance < best) {
        best = distance;
        nearest = directives[i].text;
      }
    }
  }
  if (nearest != NULL)
    kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token),
              "invalid preprocessing directive, did you mean '#%s'?", nearest);
  else
    kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token), "invalid preprocessing directive");
}

// ---- conditional groups ---------------------------------------------------------------------------------------------

// Checks an #else, #elif and the like against its #if.
static void check_else(struct kiln_pp *pp, const struct kiln_token *name, const struct pp_condition *condition) {
  if (!condition->has_else)
    return;
  kiln_diag(pp->diags, KILN_ERROR, name->location, kiln_token_end(name), "#%s after #else", name->name->text);
  kiln_diag(pp->diags, KILN_NOTE, condition->location, 0, "the conditional begins here");
}

// The condition of a directive other than #else.
static bool test(struct kiln_pp *pp, enum directive directive, const struct kiln_token *name) {
  struct kiln_token macro;
  if (directive == DIRECTIVE_IF || directive == DIRECTIVE_ELIF)
    return kiln_pp_evaluate(pp);
  if (!kiln_pp_read_macro_name(pp, &macro, false)) {
    kiln_pp_finish_line(pp);
    return false;
  }
  struct pp_file *file = pp->file;
  if (directive == DIRECTIVE_IFNDEF && file->guard_state == PP_GUARD_START) {
    file->guard_state = PP_GUARD_OPEN;
    file->guard = macro.name;
  }
  kiln_pp_finish_line_checked(pp, name->name->text);
  bool is_defined = kiln_pp_info(pp, macro.name) >> 8 != 0;
  return is_defined == (directive == DIRECTIVE_IFDEF || directive == DIRECTIVE_ELIFDEF);
}

static struct pp_condition *innermost(struct kiln_pp *pp) {
  return pp->conditions.count > pp->file->condition_base ? &pp->conditions.items[pp->conditions.count - 1] : NULL;
}

static void end_condition(struct kiln_pp *pp) {
  struct pp_file *file = pp->file;
  pp->conditions.count--;
  if (pp->conditions.count == file->condition_base && file->guard_state == PP_GUARD_OPEN)
    file->guard_state = PP_GUARD_CLOSED;
  kiln_pp_finish_line_checked(pp, "endif");
}

// An #else or #elif of the outermost group: the file can have no guard.
static void spoil_guard(struct kiln_pp *pp) {
  if (pp->conditions.count == pp->file->condition_base + 1)
    pp->file->guard_state = PP_GUARD_NONE;
}

// Skips the groups of the innermost condition up to the next that is to be read, or after its #endif.
static void skip_groups(struct kiln_pp *pp) {
  struct kiln_lexer *lexer = &pp->file->lexer;
  uint64_t depth = 0;
  for (;;) {
    lexer->in_directive = false;
    if (!kiln_lex_skip_to_directive(lexer))
      return; // the end of the file reports it
    struct kiln_token name;
    kiln_lex(lexer, &name); // #
    lexer->in_directive = true;
    kiln_lex(lexer, &name);
    struct pp_condition *condition = innermost(pp);
    enum directive directive = name.name != NULL ? find_directive(&name) : DIRECTIVE_UNKNOWN;
    switch (directive) {
    case DIRECTIVE_IF:
    case DIRECTIVE_IFDEF:
    case DIRECTIVE_IFNDEF:
      depth++;
      break;
    case DIRECTIVE_ENDIF:
      if (depth == 0) {
        end_condition(pp);
        return;
      }
      depth--;
      break;
    case DIRECTIVE_ELSE:
    case DIRECTIVE_ELIF:
    case DIRECTIVE_ELIFDEF:
    case DIRECTIVE_ELIFNDEF:
      if (depth > 0)
        break;
      check_else(pp, &name, condition);
      spoil_guard(pp);
      if (directive == DIRECTIVE_ELSE) {
        condition->has_else = true;
        kiln_pp_finish_line_checked(pp, "else");
      }
      if (!condition->taken && (directive == DIRECTIVE_ELSE || test(pp, directive, &name))) {
        innermost(pp)->taken = true;
        return;
      }
      if (pp->stopped)
        return;
      break;
    case DIRECTIVE_UNKNOWN:
    case DIRECTIVE_DEFINE:
    case DIRECTIVE_UNDEF:
    case DIRECTIVE_INCLUDE:
    case DIRECTIVE_INCLUDE_NEXT:
    case DIRECTIVE_LINE:
    case DIRECTIVE_ERROR:
    case DIRECTIVE_WARNING:
    case DIRECTIVE_PRAGMA:
    case DIRECTIVE_IDENT:
      break;
    }
  }
}

static void begin_condition(struct kiln_pp *pp, enum directive directive, const struct kiln_token *name) {
  if (pp->conditions.count >= PP_MAX_IF_DEPTH) {
    kiln_diag(pp->diags, KILN_ERROR, name->location, kiln_token_end(name),
              "conditional directives are nested more than %d deep", PP_MAX_IF_DEPTH);
    kiln_pp_stop(pp);
    return;
  }
  KILN_VEC_PUSH(pp->arena, &pp->conditions, (struct pp_condition){.location = name->location});
  bool taken = test(pp, directive, name);
  pp->conditions.items[pp->conditions.count - 1].taken = taken;
  if (!taken && !pp->stopped)
    skip_groups(pp);
}

void kiln_pp_check_conditions(struct kiln_pp *pp, struct pp_file *file) {
  for (uint32_t i = pp->conditions.count; i-- > file->condition_base;)
    kiln_diag(pp->diags, KILN_ERROR, pp->conditions.items[i].location, 0, "unterminated conditional directive");
  if (pp->conditions.count > file->condition_base)
    pp->conditions.count = file->condition_base;
}

static void conditional(struct kiln_pp *pp, enum directive directive, const struct kiln_token *name) {
  if (directive == DIRECTIVE_IF || directive == DIRECTIVE_IFDEF || directive == DIRECTIVE_IFNDEF) {
    begin_condition(pp, directive, name);
    return;
  }
  struct pp_condition *condition = innermost(pp);
  if (condition == NULL) {
    kiln_diag(pp->diags, KILN_ERROR, name->location, kiln_token_end(name), "#%s without #if", name->name->text);
    kiln_pp_finish_line(pp);
  } else if (directive == DIRECTIVE_ENDIF) {
    end_condition(pp);
  } else {
    // The group before was read, so the rest is skipped.
    check_else(pp, name, condition);
    if (directive == DIRECTIVE_ELSE) {
      condition->has_else = true;
      kiln_pp_finish_line_checked(pp, "else");
    }
    spoil_guard(pp);
    skip_groups(pp);
  }
}

// ---- #line, #error, #pragma -----------------------------------------------------------------------------------------

// After "#line", or at the number of "# 12 "file" flags" as preprocessors write it.
static void read_line(struct kiln_pp *pp, struct kiln_token *number, bool is_marker) {
  struct kiln_lexer *lexer = &pp->file->lexer;
  uint64_t line = 0;
  bool good = number->kind == KILN_TOKEN_NUMBER && number->size <= 10;
  for (uint32_t i = 0; good && i < number->size; i++) {
    good = number->data[i] >= '0' && number->data[i] <= '9';
    line = line * 10 + (uint64_t)(number->data[i] - '0');
  }
  if (!good || line > INT32_MAX || (line == 0 && !is_marker)) {
    kiln_diag(pp->diags, KILN_ERROR, number->location, kiln_token_end(number),
              "%s requires a positive integer argument", is_marker ? "line marker" : "#line directive");
    kiln_pp_finish_line(pp);
    return;
  }
  struct kiln_token token;
  const char *name = NULL;
  kiln_pp_read(pp, &token, true);
  if (token.kind == KILN_TOKEN_STRING) {
    char *text = kiln_arena_alloc(pp->arena, token.size, 1);
    size_t size = 0;
    for (uint32_t i = 1; i + 1 < token.size; i++) {
      if (token.data[i] == '\\' && i + 2 < token.size)
        i++;
      text[size++] = token.data[i];
    }
    text[size] = 0;
    name = text;
    if (!is_marker)
      kiln_pp_finish_line_checked(pp, "line");
  } else if (token.kind != KILN_LEX_LINE_END) {
    kiln_diag(pp->diags, KILN_ERROR, token.location, kiln_token_end(&token), "invalid filename for %s",
              is_marker ? "line marker" : "#line directive");
  }
  kiln_pp_finish_line(pp);
  if (lexer->cursor < lexer->end) // the newline
    kiln_sources_line_mark(pp->sources, kiln_lexer_location(lexer) + 1, (uint32_t)line, name);
}

static void read_error(struct kiln_pp *pp, bool is_error, const struct kiln_token *name) {
  struct kiln_str text = kiln_lex_rest_of_line(&pp->file->lexer);
  if (text.size == 0)
    text = kiln_str(is_error ? "#error" : "#warning");
  int size = (int)(text.size < 4096 ? text.size : 4096);
  if (is_error)
    kiln_diag(pp->diags, KILN_ERROR, name->location, kiln_token_end(name), "%.*s", size, text.data);
  else
    kiln_diag_warning(pp->diags, KILN_W_USER, name->location, kiln_token_end(name), "%.*s", size, text.data);
}

bool kiln_pp_pragma(struct kiln_pp *pp, kiln_location location, struct kiln_str text, struct kiln_token *out) {
  if (kiln_str_eq(text, kiln_str("once"))) {
    if (pp->file->header != NULL)
      pp->file->header->once = true;
    else
      kiln_diag_warning(pp->diags, KILN_W_PRAGMA_ONCE, location, 0, "#pragma once in main file");
    return false;
  }
  *out = (struct kiln_token){
      .kind = KILN_TOKEN_PRAGMA, .location = location, .data = text.data, .size = (uint32_t)text.size};
  return true;
}

static bool read_pragma(struct kiln_pp *pp, const struct kiln_token *name, struct kiln_token *out) {
  struct pp_tokens tokens = {0};
  struct kiln_token token;
  kiln_lex(&pp->file->lexer, &token);
  if (kiln_token_is(&token, "kernel")) {
    kiln_pp_tune(pp);
    return false;
  }
  // Extensions are named as their macros are, so only the operand of an unroll pragma is expanded.
  bool expand = kiln_token_is(&token, "unroll") || kiln_token_is(&token, "clang");
  kiln_location location = token.kind != KILN_LEX_LINE_END ? token.location : name->location;
  while (token.kind != KILN_LEX_LINE_END && token.kind != KILN_TOKEN_END) {
    kiln_pp_tokens_push(pp, &tokens, &token);
    kiln_pp_read(pp, &token, expand);
  }
  struct kiln_str text = kiln_pp_spelling(pp, tokens.items, tokens.count);
  kiln_pp_tokens_release(pp, &tokens);
  kiln_pp_finish_line(pp);
  return kiln_pp_pragma(pp, location, text, out);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// Carries out the directive. True: *out is a token for the parser.
static bool carry_out(struct kiln_pp *pp, struct kiln_token *name, struct kiln_token *out) {
  enum directive directive = name->name != NULL ? find_directive(name) : DIRECTIVE_UNKNOWN;
  struct kiln_token token;
  switch (directive) {
  case DIRECTIVE_DEFINE:
    kiln_pp_read_define(pp);
    return false;
  case DIRECTIVE_UNDEF:
    kiln_pp_read_undef(pp);
    return false;
  case DIRECTIVE_IF:
  case DIRECTIVE_IFDEF:
  case DIRECTIVE_IFNDEF:
  case DIRECTIVE_ELIF:
  case DIRECTIVE_ELIFDEF:
  case DIRECTIVE_ELIFNDEF:
  case DIRECTIVE_ELSE:
  case DIRECTIVE_ENDIF:
    conditional(pp, directive, name);
    return false;
  case DIRECTIVE_INCLUDE:
    kiln_pp_include(pp, name, false);
    return false;
  case DIRECTIVE_INCLUDE_NEXT:
    kiln_pp_include(pp, name, true);
    return false;
  case DIRECTIVE_LINE:
    kiln_pp_read(pp, &token, true);
    read_line(pp, &token, false);
    return false;
  case DIRECTIVE_ERROR:
    read_error(pp, true, name);
    return false;
  case DIRECTIVE_WARNING:
    read_error(pp, false, name);
    return false;
  case DIRECTIVE_PRAGMA:
    return read_pragma(pp, name, out);
  case DIRECTIVE_IDENT:
    kiln_pp_finish_line(pp);
    return false;
  case DIRECTIVE_UNKNOWN:
    break;
  }
  if (name->kind == KILN_TOKEN_NUMBER)
    read_line(pp, name, true);
  else if (name->kind != KILN_LEX_LINE_END) { // "#" alone does nothing
    report_unknown(pp, name);
    kiln_pp_finish_line(pp);
  }
  return false;
}

bool kiln_pp_directive(struct kiln_pp *pp, struct kiln_token *out) {
  struct kiln_token name;
  struct pp_file *file = pp->file;
  file->lexer.in_directive = true;
  kiln_lex(&file->lexer, &name);
  if (file->guard_state == PP_GUARD_CLOSED || (file->guard_state == PP_GUARD_START && !kiln_token_is(&name, "ifndef")))
    file->guard_state = PP_GUARD_NONE;
  bool delivered = carry_out(pp, &name, out);
  file->lexer.in_directive = false;
  return delivered;
}
