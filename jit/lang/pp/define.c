// #define and #undef.
#include "jit/lang/pp/pp.h"

enum { MAX_PARAMS = 512 };

bool kiln_pp_read_macro_name(struct kiln_pp *pp, struct kiln_token *out, bool defining) {
  kiln_lex(&pp->file->lexer, out);
  if (out->kind == KILN_LEX_LINE_END)
    kiln_diag(pp->diags, KILN_ERROR, out->location, 0, "macro name missing");
  else if (out->name == NULL)
    kiln_diag(pp->diags, KILN_ERROR, out->location, kiln_token_end(out), "macro name must be an identifier");
  else if (defining && kiln_token_is(out, "defined"))
    kiln_diag(pp->diags, KILN_ERROR, out->location, kiln_token_end(out), "'defined' cannot be used as a macro name");
  else
    return true;
  return false;
}

static bool is_va_opt(const struct kiln_token *token) {
  return token->size == 10 && token->name != NULL && memcmp(token->data, "__VA_OPT__", 10) == 0;
}

static bool is_va_args(const struct kiln_token *token) {
  return token->size == 11 && memcmp(token->data, "__VA_ARGS__", 11) == 0;
}

static bool add_param(struct kiln_pp *pp, struct pp_macro *macro, struct pp_tokens *params,
                      const struct kiln_token *token) {
  for (uint32_t i = 0; i < params->count; i++)
    if (params->items[i].name == token->name) {
      kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token), "duplicate macro parameter name '%s'",
                token->name->text);
      return false;
    }
  if (params->count == MAX_PARAMS) {
    kiln_diag(pp->diags, KILN_ERROR, token->location, 0, "macro '%s' has more than %d parameters", macro->name->text,
              MAX_PARAMS);
    return false;
  }
  kiln_pp_tokens_push(pp, params, token);
  return true;
}

// After the "(" at open: up to ")".
static bool read_params(struct kiln_pp *pp, struct pp_macro *macro, struct pp_tokens *params, kiln_location open) {
  struct kiln_lexer *lexer = &pp->file->lexer;
  struct kiln_token token;
  kiln_lex(lexer, &token);
  if (token.kind == KILN_TOKEN_RPAREN)
    return true;
  for (;;) {
    if (token.kind == KILN_TOKEN_ELLIPSIS) {
      macro->variadic = true;
      struct kiln_token va_args = token;
      va_args.name = kiln_lex_name(&pp->lex, "__VA_ARGS__", 11);
      if (!add_param(pp, macro, params, &va_args))
        return false;
      kiln_lex(lexer, &token);
    } else if (token.name != NULL) {
      if (is_va_args(&token)) {
        kiln_diag(pp->diags, KILN_ERROR, token.location, kiln_token_end(&token),
                  "__VA_ARGS__ cannot be the name of a macro parameter");
        return false;
      }
      if (!add_param(pp, macro, params, &token))
        return false;
      kiln_lex(lexer, &token);
      if (token.kind == KILN_TOKEN_ELLIPSIS) { // name...
        macro->variadic = true;
        kiln_lex(lexer, &token);
      }
    } else if (token.kind == KILN_LEX_LINE_END) {
      break;
    } else {
      kiln_diag(pp->diags, KILN_ERROR, token.location, kiln_token_end(&token),
                token.kind == KILN_TOKEN_COMMA || token.kind == KILN_TOKEN_RPAREN
                    ? "expected the name of a macro parameter"
                    : "invalid token in macro parameter list");
      return false;
    }
    if (token.kind == KILN_TOKEN_RPAREN)
      return true;
    if (token.kind == KILN_LEX_LINE_END || macro->variadic)
      break;
    if (token.kind != KILN_TOKEN_COMMA) {
      kiln_diag(pp->diags, KILN_ERROR, token.location, 0, "expected ',' in macro parameter list");
      return false;
    }
    kiln_lex(lexer, &token);
  }
  kiln_diag(pp->diags, KILN_ERROR, token.location, 0, "missing ')' in macro parameter list");
  kiln_diag(pp->diags, KILN_NOTE, open, 0, "to match this '('");
  return false;
}

static int32_t param_index(const struct pp_macro *macro, const struct kiln_token *token) {
  if (token->name != NULL)
    for (uint32_t i = 0; i < macro->param_count; i++)
      if (macro->params[i] == token->name)
        return (int32_t)i;
  return -1;
}

// __VA_OPT__ ( tokens ): at the body's token i, the name. Returns the index of its ")"; 0 after an error.
static uint32_t end_of_va_opt(struct kiln_pp *pp, const struct pp_macro *macro, uint32_t i) {
  const struct kiln_token *name = &macro->body[i];
  if (i + 1 == macro->body_count || name[1].kind != KILN_TOKEN_LPAREN) {
    kiln_diag(pp->diags, KILN_ERROR, name->location, kiln_token_end(name), "missing '(' following __VA_OPT__");
    return 0;
  }
  uint32_t depth = 0;
  for (uint32_t k = i + 1; k < macro->body_count; k++) {
    const struct kiln_token *token = &macro->body[k];
    if (is_va_opt(token)) {
      kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token),
                "__VA_OPT__ cannot be nested within its own replacement tokens");
      return 0;
    }
    depth += token->kind == KILN_TOKEN_LPAREN;
    depth -= token->kind == KILN_TOKEN_RPAREN;
    if (depth > 0)
      continue;
    bool starts = name[2].kind == KILN_TOKEN_HASH_HASH, ends = k > i + 2 && token[-1].kind == KILN_TOKEN_HASH_HASH;
    if (starts || ends) {
      kiln_diag(pp->diags, KILN_ERROR, starts ? name[2].location : token[-1].location, 0,
                "'##' cannot appear at %s of __VA_OPT__ argument", starts ? "start" : "end");
      return 0;
    }
    return k;
  }
  kiln_diag(pp->diags, KILN_ERROR, name->location, kiln_token_end(name), "unterminated __VA_OPT__");
  return 0;
}

// Which parameters are expanded before they are put in: those with a piece that is neither beside ## nor after #.
static void mark_expanded(struct pp_macro *macro) {
  for (uint32_t i = 0; i < macro->piece_count; i++) {
    struct pp_piece *piece = &macro->pieces[i];
    if (piece->param < 0 || (piece->flags & PP_STRINGIZE) != 0)
      continue;
    struct pp_piece *before = i > 0 ? piece - 1 : NULL;
    bool pasted = before != NULL && (before->flags & PP_PASTE) != 0;
    if (pasted && macro->variadic && piece->param == (int32_t)macro->param_count - 1 &&
        before->token.kind == KILN_TOKEN_COMMA) {
      before->flags = (uint8_t)((before->flags & ~PP_PASTE) | PP_VA_COMMA);
      pasted = false;
    }
    if (!pasted && (piece->flags & PP_PASTE) == 0)
      macro->expanded_params[piece->param] = true;
  }
}

// What an expansion asks of the pieces, in tables by piece and by parameter.
static void index_pieces(struct kiln_pp *pp, struct pp_macro *macro) {
  macro->locations = KILN_NEW_ARRAY(pp->arena, kiln_location, macro->piece_count);
  macro->piece_tokens = KILN_NEW_ARRAY(pp->arena, struct kiln_token, macro->piece_count);
  for (uint32_t i = 0; i < macro->piece_count; i++) {
    struct pp_piece *piece = &macro->pieces[i];
    bool pasted = i > 0 && (piece[-1].flags & PP_PASTE) != 0;
    piece->kind = pasted || piece->flags != 0 ? PP_OPERATOR : piece->param < 0 ? PP_TOKEN : PP_VALUE;
    macro->locations[i] = piece->token.location;
    macro->piece_tokens[i] = piece->token;
    if (piece->param >= 0)
      macro->param_uses[piece->param]++;
  }
  macro->pieces[macro->piece_count].kind = PP_OPERATOR;
  for (uint32_t i = macro->piece_count, run = 0; i-- > 0;)
    macro->pieces[i].run = run = macro->pieces[i].kind == PP_TOKEN ? run + 1 : 0;
}

bool kiln_pp_make_pieces(struct kiln_pp *pp, struct pp_macro *macro) {
  macro->has_pieces = true;
  macro->pieces = KILN_NEW_ARRAY(pp->arena, struct pp_piece, macro->body_count + 1u);
  macro->expanded_params = KILN_NEW_ARRAY(pp->arena, bool, macro->param_count + 1u);
  macro->param_uses = KILN_NEW_ARRAY(pp->arena, uint32_t, macro->param_count + 1u);
  uint32_t optional_end = 0; // the ")" of the __VA_OPT__ that this is in
  uint8_t optional = 0;      // flags of the next piece
  for (uint32_t i = 0; i < macro->body_count; i++) {
    const struct kiln_token *token = &macro->body[i];
    if (macro->variadic && is_va_opt(token)) {
      if ((optional_end = end_of_va_opt(pp, macro, i)) == 0)
        return false;
      macro->expanded_params[macro->param_count - 1] = true;
      optional = PP_VA_OPT | PP_VA_FIRST;
      i++;
      if (i + 1 == optional_end)
        macro->pieces[macro->piece_count++] =
            (struct pp_piece){.token = *token, .param = -1, .flags = optional | PP_VA_EMPTY};
      continue;
    }
    if (optional_end != 0 && i == optional_end) {
      optional_end = optional = 0;
      continue;
    }
    if (token->kind == KILN_TOKEN_HASH_HASH) {
      if (i == 0 || i + 1 == macro->body_count) {
        kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token),
                  "'##' cannot appear at %s of macro expansion", i == 0 ? "start" : "end");
        return false;
      }
      macro->pieces[macro->piece_count - 1].flags |= PP_PASTE;
      macro->pieces[macro->piece_count - 1].paste = token->location;
      continue;
    }
    struct pp_piece *piece = &macro->pieces[macro->piece_count++];
    *piece = (struct pp_piece){.token = *token, .param = param_index(macro, token), .flags = optional};
    optional &= PP_VA_OPT;
    if (token->kind == KILN_TOKEN_HASH && macro->function_like) {
      piece->param = i + 1 < macro->body_count ? param_index(macro, &macro->body[i + 1]) : -1;
      if (piece->param < 0) {
        kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token),
                  "'#' is not followed by a macro parameter");
        return false;
      }
      piece->flags |= PP_STRINGIZE;
      i++;
    }
  }
  mark_expanded(macro);
  index_pieces(pp, macro);
  return true;
}

static bool same_token(const struct kiln_token *a, const struct kiln_token *b) {
  return a->kind == b->kind && a->after_space == b->after_space && a->size == b->size &&
         memcmp(a->data, b->data, a->size) == 0;
}

static bool same_macro(const struct pp_macro *a, const struct pp_macro *b) {
  if (a->function_like != b->function_like || a->variadic != b->variadic || a->param_count != b->param_count ||
      a->body_count != b->body_count)
    return false;
  for (uint32_t i = 0; i < a->param_count; i++)
    if (a->params[i] != b->params[i])
      return false;
  for (uint32_t i = 0; i < a->body_count; i++)
    if (!same_token(&a->body[i], &b->body[i]))
      return false;
  return true;
}

static void enter_macro(struct kiln_pp *pp, struct pp_macro *macro, const struct kiln_token *token) {
  if (macro->name->id >= pp->info_capacity || pp->info[macro->name->id] == 0)
    kiln_pp_set_info(pp, macro->name, 0); // it takes the place of a predefined one
  uint32_t info = kiln_pp_info(pp, macro->name), index = info >> 8;
  if (index != 0) {
    const struct pp_macro *old = pp->macros.items[index];
    if (old->dynamic != PP_STATIC) {
      kiln_diag_warning(pp->diags, KILN_W_BUILTIN_MACRO_REDEFINED, token->location, kiln_token_end(token),
                        "redefining builtin macro '%s'", macro->name->text);
    } else if (same_macro(old, macro)) {
      return;
    } else if (!old->predefined) {
      kiln_diag_warning(pp->diags, KILN_W_MACRO_REDEFINED, token->location, kiln_token_end(token),
                        "'%s' macro redefined", macro->name->text);
      kiln_diag(pp->diags, KILN_NOTE, old->location, 0, "previous definition is here");
    }
    pp->macros.items[index] = macro;
    return;
  }
  index = pp->macros.count;
  KILN_VEC_PUSH(pp->arena, &pp->macros, macro);
  kiln_pp_set_info(pp, macro->name, index << 8 | (info & 0xFF));
}

// Reads the body, whose first token is *token.
static bool read_body(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token) {
  struct pp_tokens body = {0};
  bool pastes = false;
  token->after_space = false;
  for (; token->kind != KILN_LEX_LINE_END; kiln_lex(&pp->file->lexer, token)) {
    pastes |= token->kind == KILN_TOKEN_HASH_HASH;
    if (token->name != NULL && !macro->variadic && is_va_args(token))
      kiln_diag_warning(pp->diags, KILN_W_INVALID_PP_TOKEN, token->location, kiln_token_end(token),
                        "__VA_ARGS__ can only appear in the expansion of a variadic macro");
    if (token->name != NULL && !macro->variadic && is_va_opt(token))
      kiln_diag_warning(pp->diags, KILN_W_INVALID_PP_TOKEN, token->location, kiln_token_end(token),
                        "__VA_OPT__ can only appear in the expansion of a variadic macro");
    kiln_pp_tokens_push(pp, &body, token);
  }
  macro->body_count = body.count;
  macro->body = KILN_NEW_ARRAY(pp->arena, struct kiln_token, body.count);
  if (body.count > 0)
    memcpy(macro->body, body.items, body.count * sizeof *body.items);
  kiln_pp_tokens_release(pp, &body);
  return (!macro->function_like && !pastes) || kiln_pp_make_pieces(pp, macro); // others are made when they are needed
}

void kiln_pp_read_define(struct kiln_pp *pp) {
  struct kiln_token name, token;
  if (!kiln_pp_read_macro_name(pp, &name, true)) {
    kiln_pp_finish_line(pp);
    return;
  }
  struct pp_macro *macro = KILN_NEW(pp->arena, struct pp_macro);
  macro->name = name.name;
  macro->location = name.location;
  kiln_lex(&pp->file->lexer, &token);
  bool good = true;
  if (token.kind == KILN_TOKEN_LPAREN && !token.after_space) {
    struct pp_tokens params = {0};
    macro->function_like = true;
    good = read_params(pp, macro, &params, token.location);
    macro->param_count = params.count;
    macro->params = KILN_NEW_ARRAY(pp->arena, struct kiln_name *, params.count);
    for (uint32_t i = 0; i < params.count; i++)
      macro->params[i] = params.items[i].name;
    kiln_pp_tokens_release(pp, &params);
    if (good)
      kiln_lex(&pp->file->lexer, &token);
  } else if (token.kind != KILN_LEX_LINE_END && !token.after_space) {
    kiln_diag_warning(pp->diags, KILN_W_C99_COMPAT, token.location, 0, "whitespace is required after the macro name");
  }
  if (good && read_body(pp, macro, &token))
    enter_macro(pp, macro, &name);
  kiln_pp_finish_line(pp);
}

void kiln_pp_read_undef(struct kiln_pp *pp) {
  struct kiln_token name;
  if (kiln_pp_read_macro_name(pp, &name, true)) {
    uint32_t info = kiln_pp_info(pp, name.name);
    if (info >> 8 != 0) {
      if (pp->macros.items[info >> 8]->dynamic != PP_STATIC)
        kiln_diag_warning(pp->diags, KILN_W_BUILTIN_MACRO_REDEFINED, name.location, kiln_token_end(&name),
                          "undefining builtin macro '%s'", name.name->text);
      kiln_pp_set_info(pp, name.name, info & 0xFF);
    }
    kiln_pp_finish_line_checked(pp, "undef");
  } else {
    kiln_pp_finish_line(pp);
  }
}
