// Macro expansion: reading the arguments, substituting them into the body, # and ##.
#include "jit/lang/pp.h"

struct argument {
  uint32_t first, count;                   // in call.tokens
  uint32_t expanded_first, expanded_count; // in call.expanded, if is_expanded
  bool maybe_macro;                        // holds the name of a macro
  bool is_expanded;
};

struct call {
  struct kiln_pp *pp;
  struct pp_macro *macro;
  kiln_place use;
  bool wrong_count;           // of arguments
  bool no_variadic;           // no argument was given for the variadic parameter, not even an empty one
  struct argument *arguments; // one per parameter
  struct pp_tokens tokens, expanded, result;
};

static bool spend(struct kiln_pp *pp, uint32_t tokens, kiln_place use) {
  pp->expanded_tokens += tokens + 1u;
  if (pp->expanded_tokens <= PP_MAX_EXPANDED_TOKENS)
    return true;
  if (!pp->stopped)
    kiln_diag(pp->diags, KILN_ERROR, use, 0, "macro expansions make more than %d tokens", PP_MAX_EXPANDED_TOKENS);
  kiln_pp_stop(pp);
  return false;
}

static kiln_place body_place(const struct call *call, kiln_place spelled) {
  kiln_place place = kiln_sources_expansion(call->pp->sources, spelled, call->use, call->macro->name->text);
  return place != 0 ? place : call->use;
}

// The tokens from first on; there may be none at all, and no array then.
static const struct kiln_token *tokens_from(const struct pp_tokens *tokens, uint32_t first) {
  return tokens->items != NULL ? tokens->items + first : NULL;
}

static void note_definition(struct kiln_pp *pp, const struct pp_macro *macro) {
  kiln_diag(pp->diags, KILN_NOTE, macro->place, 0, "macro '%s' defined here", macro->name->text);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

// Reads the arguments and their parentheses. False after an error.
static bool collect(struct call *call) {
  struct kiln_pp *pp = call->pp;
  struct pp_macro *macro = call->macro;
  uint32_t index = 0, depth = 0, last = macro->param_count - 1;
  struct kiln_token token, extra = {0};
  kiln_pp_read(pp, &token, false); // (
  for (bool any = false;; any = true) {
    kiln_pp_read(pp, &token, false);
    if (token.kind == KILN_TOKEN_END || token.kind == KILN_LEX_LINE_END) {
      if (!pp->stopped) {
        kiln_diag(pp->diags, KILN_ERROR, call->use, 0, "unterminated function-like macro invocation");
        note_definition(pp, macro);
      }
      return false;
    }
    if (token.kind == KILN_TOKEN_LPAREN) {
      depth++;
    } else if (token.kind == KILN_TOKEN_RPAREN) {
      if (depth == 0) {
        index += any || macro->param_count > 0;
        break;
      }
      depth--;
    } else if (token.kind == KILN_TOKEN_COMMA && depth == 0 && !(macro->variadic && index == last)) {
      index++;
      if (index < macro->param_count)
        call->arguments[index].first = call->tokens.count;
      continue;
    }
    if (index >= macro->param_count) {
      if (extra.kind == KILN_TOKEN_END)
        extra = token;
      continue;
    }
    struct argument *argument = &call->arguments[index];
    kiln_pp_tokens_push(pp, &call->tokens, &token);
    argument->count++;
    argument->maybe_macro |= token.name != NULL && !token.no_expand && kiln_pp_info(pp, token.name) >> 8 != 0;
    if (!spend(pp, 0, call->use))
      return false;
  }
  if (index > macro->param_count) {
    kiln_place place = extra.kind != KILN_TOKEN_END ? extra.place : token.place;
    kiln_diag(pp->diags, KILN_ERROR, place, 0, "too many arguments provided to function-like macro invocation");
  } else if (index + macro->variadic < macro->param_count) {
    kiln_diag(pp->diags, KILN_ERROR, token.place, 0, "too few arguments provided to function-like macro invocation");
  } else {
    call->no_variadic = index < macro->param_count || (index == 1 && !call->tokens.count);
    return true;
  }
  note_definition(pp, macro);
  call->wrong_count = true;
  return false;
}

// Expands an argument as if it were the rest of the source. False when the preprocessor has stopped.
static bool expand_argument(struct call *call, struct argument *argument) {
  struct kiln_pp *pp = call->pp;
  if (pp->argument_depth >= PP_MAX_ARGUMENT_DEPTH) {
    if (!pp->stopped)
      kiln_diag(pp->diags, KILN_ERROR, call->use, 0,
                "macro invocations are nested more than %d deep in each other's arguments", PP_MAX_ARGUMENT_DEPTH);
    kiln_pp_stop(pp);
    return false;
  }
  pp->argument_depth++;
  argument->is_expanded = true;
  argument->expanded_first = call->expanded.count;
  kiln_pp_push_tokens(pp, PP_ARGUMENT, tokens_from(&call->tokens, argument->first), argument->count);
  struct kiln_token token;
  for (;;) {
    kiln_pp_read(pp, &token, true);
    if (token.kind == KILN_LEX_LINE_END || pp->stopped)
      break;
    kiln_pp_tokens_push(pp, &call->expanded, &token);
  }
  argument->expanded_count = call->expanded.count - argument->expanded_first;
  pp->argument_depth--;
  if (pp->stopped)
    return false;
  kiln_pp_pop(pp);
  return true;
}

// ---- # and ## -------------------------------------------------------------------------------------------------------

static struct kiln_token stringize(const struct call *call, const struct argument *argument, kiln_place place) {
  const struct kiln_token *tokens = tokens_from(&call->tokens, argument->first);
  size_t limit = 3;
  for (uint32_t i = 0; i < argument->count; i++)
    limit += 2u * tokens[i].size + 1;
  char *text = kiln_arena_alloc(call->pp->arena, limit, 1), *p = text;
  *p++ = '"';
  for (uint32_t i = 0; i < argument->count; i++) {
    if (i > 0 && tokens[i].after_space)
      *p++ = ' ';
    bool quoted = tokens[i].kind == KILN_TOKEN_STRING || tokens[i].kind == KILN_TOKEN_CHAR;
    for (uint32_t k = 0; k < tokens[i].size; k++) {
      char c = tokens[i].data[k];
      if (quoted && (c == '"' || c == '\\'))
        *p++ = '\\';
      *p++ = c;
    }
  }
  // A lone backslash at the end would take the quote with it.
  size_t backslashes = 0;
  while (p[-1 - (ptrdiff_t)backslashes] == '\\')
    backslashes++;
  if (backslashes % 2 != 0) {
    kiln_diag(call->pp->diags, KILN_WARNING, place, 0, "invalid string literal, ignoring final '\\'");
    p--;
  }
  *p++ = '"';
  *p = 0;
  return (struct kiln_token){.kind = KILN_TOKEN_STRING, .place = place, .data = text, .size = (uint32_t)(p - text)};
}

// Joins right to *left. False when the result is no token; then nothing is changed.
static bool paste(const struct call *call, const struct pp_piece *piece, struct kiln_token *left,
                  const struct kiln_token *right) {
  struct kiln_pp *pp = call->pp;
  size_t size = (size_t)left->size + right->size;
  char *text = kiln_arena_alloc(pp->arena, size + 1, 1);
  memcpy(text, left->data, left->size);
  memcpy(text + left->size, right->data, right->size);
  text[size] = 0;
  struct kiln_lexer lexer = {.env = &pp->lex, .text = text, .cursor = text, .end = text + size, .quiet = true};
  struct kiln_token token;
  kiln_lex(&lexer, &token);
  if (token.data != text || token.size != size || token.kind == KILN_TOKEN_OTHER) {
    kiln_diag(pp->diags, KILN_ERROR, body_place(call, piece->paste), 0,
              "pasting formed '%.*s', an invalid preprocessing token", (int)(size < 100 ? size : 100), text);
    return false;
  }
  token.place = body_place(call, left->place);
  token.after_space = left->after_space;
  *left = token;
  return true;
}

// ---- substitution ---------------------------------------------------------------------------------------------------

static bool has_variadic(const struct call *call) {
  const struct argument *argument = &call->arguments[call->macro->param_count - 1];
  return (argument->is_expanded ? argument->expanded_count : argument->count) > 0;
}

static void substitute(struct call *call) {
  struct kiln_pp *pp = call->pp;
  const struct pp_macro *macro = call->macro;
  struct pp_tokens *result = &call->result;
  uint32_t chain = 0;                // where the result of the row of ## began
  bool space = false, carry = false; // before what comes next; of pieces that came to nothing
  for (uint32_t i = 0; i < macro->piece_count; i++) {
    const struct pp_piece *piece = &macro->pieces[i];
    if (piece->param < 0 && piece->flags == 0 && (i == 0 || (piece[-1].flags & PP_PASTE) == 0)) {
      kiln_pp_tokens_push(pp, result, &piece->token); // most of them
      struct kiln_token *token = &result->items[result->count - 1];
      token->place = body_place(call, token->place);
      token->after_space |= carry;
      carry = false;
      continue;
    }
    bool pasted = i > 0 && (macro->pieces[i - 1].flags & PP_PASTE) != 0;
    if ((piece->flags & PP_VA_COMMA) != 0 && call->no_variadic)
      continue;
    bool vanishes = (piece->flags & PP_VA_EMPTY) != 0 || ((piece->flags & PP_VA_OPT) != 0 && !has_variadic(call));
    // All that vanishes of one __VA_OPT__ is one operand of ## that is nothing.
    if (!pasted && !(vanishes && (piece->flags & PP_VA_FIRST) == 0)) {
      chain = result->count;
      space = carry || piece->token.after_space;
    }
    if (vanishes) {
      carry = result->count == chain && space;
      continue;
    }
    struct kiln_token made;
    const struct kiln_token *tokens = &made;
    uint32_t count = 1;
    if (piece->param < 0) {
      made = piece->token;
      made.place = body_place(call, made.place);
    } else {
      const struct argument *argument = &call->arguments[piece->param];
      if ((piece->flags & PP_STRINGIZE) != 0) {
        made = stringize(call, argument, body_place(call, piece->token.place));
      } else if (argument->is_expanded && !pasted && (piece->flags & PP_PASTE) == 0) {
        tokens = tokens_from(&call->expanded, argument->expanded_first);
        count = argument->expanded_count;
      } else {
        tokens = tokens_from(&call->tokens, argument->first);
        count = argument->count;
      }
    }
    uint32_t k = 0;
    if (pasted && result->count > chain && count > 0)
      k = paste(call, &macro->pieces[i - 1], &result->items[result->count - 1], tokens);
    else if (count > 0) {
      kiln_pp_tokens_push(pp, result, tokens);
      result->items[result->count - 1].after_space = space;
      k = 1;
    }
    if (k < count)
      kiln_pp_tokens_append(pp, result, tokens + k, count - k);
    carry = result->count == chain && space;
  }
  if (result->count > 0)
    result->items[0].after_space = false; // that of the macro's name counts
}

static bool expand_call(struct call *call, bool *made) {
  struct kiln_pp *pp = call->pp;
  struct pp_macro *macro = call->macro;
  if (macro->function_like) {
    pp->collecting++;
    bool good = collect(call);
    pp->collecting--;
    if (!good)
      return false;
  }
  for (uint32_t i = 0; i < macro->param_count; i++) {
    struct argument *argument = &call->arguments[i];
    if (argument->maybe_macro && macro->expanded_params[i] && !expand_argument(call, argument))
      return false;
  }
  substitute(call);
  *made = spend(pp, call->result.count, call->use);
  return *made;
}

static void push_expansion(struct kiln_pp *pp, struct pp_macro *macro, kiln_place use, const struct kiln_token *tokens,
                           uint32_t count) {
  kiln_pp_push_tokens(pp, PP_EXPANSION, tokens, count);
  struct pp_context *context = &pp->contexts.items[pp->contexts.count - 1];
  context->macro = macro;
  context->use = use;
  macro->disabled = true;
}

// False: *token is the whole result.
static bool expand_pieces(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token) {
  kiln_place use = token->place;
  struct argument few[6];
  struct call call = {.pp = pp, .macro = macro, .use = use, .arguments = few};
  if (macro->param_count > sizeof few / sizeof *few)
    call.arguments = KILN_NEW_ARRAY(pp->arena, struct argument, macro->param_count);
  else
    memset(few, 0, sizeof few);
  bool made = false;
  expand_call(&call, &made);
  kiln_pp_tokens_release(pp, &call.tokens);
  kiln_pp_tokens_release(pp, &call.expanded);
  if (made && call.result.count > 0) {
    push_expansion(pp, macro, use, call.result.items, call.result.count);
    pp->contexts.items[pp->contexts.count - 1].buffer = call.result;
  } else {
    kiln_pp_tokens_release(pp, &call.result);
  }
  if (call.wrong_count) { // most macros are expressions: with one, less is complained about behind it
    struct kiln_token zero = kiln_pp_make_token(pp, KILN_TOKEN_NUMBER, use, "0");
    zero.at_line_start = token->at_line_start;
    zero.after_space = token->after_space;
    *token = zero;
  }
  return !call.wrong_count;
}

bool kiln_pp_expand(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token, bool *done) {
  if (macro->dynamic != PP_STATIC) {
    kiln_pp_expand_dynamic(pp, macro, token);
    *done = true;
    return true;
  }
  if (macro->function_like && !kiln_pp_peek_lparen(pp))
    return false;
  if (macro->has_pieces) {
    *done = !expand_pieces(pp, macro, token);
    return true;
  }
  if (!spend(pp, macro->body_count, token->place) || macro->body_count == 0)
    return true;
  const struct kiln_token *first = macro->body;
  if (macro->body_count == 1 && (first->name == NULL || kiln_pp_info(pp, first->name) >> 8 == 0)) {
    kiln_place use = token->place, place = kiln_sources_expansion(pp->sources, first->place, use, macro->name->text);
    token->kind = first->name == NULL ? first->kind : KILN_TOKEN_IDENTIFIER;
    if (first->name != NULL && kiln_pp_info(pp, first->name) != 0)
      token->kind = (uint16_t)kiln_pp_info(pp, first->name);
    token->place = place != 0 ? place : use;
    token->data = first->data;
    token->size = first->size;
    token->name = first->name;
    *done = true;
    return true;
  }
  push_expansion(pp, macro, token->place, macro->body, macro->body_count);
  pp->contexts.items[pp->contexts.count - 1].in_body = true;
  return true;
}
