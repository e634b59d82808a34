// Macro expansion: reading the arguments, substituting them into the body, # and ##.
#include "jit/lang/lex_fast.h"
#include "jit/lang/pp.h"

struct argument {
  const struct kiln_token *tokens;         // expanded, if that has happened; else as written
  uint32_t token_count;                    // of them
  uint32_t first, count;                   // in call.source
  uint32_t expanded_first, expanded_count; // in call.expanded, if is_expanded
  bool maybe_macro;                        // holds the name of a macro
  bool is_expanded;
};

struct call {
  struct kiln_pp *pp;
  struct pp_macro *macro;
  kiln_place use;
  kiln_place first;                // of the tokens of the macro's pieces; 0: all have that of the use
  bool wrong_count;                // of arguments
  bool is_simple;                  // no argument is empty once expanded, and no piece is an operator
  bool no_variadic;                // no argument was given for the variadic parameter, not even an empty one
  struct argument *arguments;      // one per parameter
  const struct kiln_token *source; // of the arguments: an expansion's tokens, where all of the call is there, or tokens
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

static kiln_place piece_place(const struct call *call, uint32_t piece) {
  return call->first != 0 ? call->first + piece : call->use;
}

// The tokens from first on; there may be none at all, and no array then.
static const struct kiln_token *tokens_from(const struct kiln_token *tokens, uint32_t first) {
  return tokens != NULL ? tokens + first : NULL;
}

static void note_definition(struct kiln_pp *pp, const struct pp_macro *macro) {
  kiln_diag(pp->diags, KILN_NOTE, macro->place, 0, "macro '%s' defined here", macro->name->text);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

struct reader {     // of a call's arguments
  uint32_t index;   // of the argument that the next token belongs to
  uint32_t depth;   // of parentheses in it
  uint32_t params;  // of the macro
  uint32_t open;    // the variadic one of them, to which commas belong; else UINT32_MAX
  bool more;        // a comma was read, or a token that belongs to no parameter
  kiln_place extra; // of the first such token
};

enum token_use { OF_ARGUMENT, OF_NONE, CLOSES };

static struct reader reader_of(const struct pp_macro *macro) {
  return (struct reader){.params = macro->param_count, .open = macro->variadic ? macro->param_count - 1 : UINT32_MAX};
}

// A "," between arguments, at a place in call.source.
static inline void read_comma(struct call *call, struct reader *reader, uint32_t at, bool in_place) {
  reader->more = true;
  if (reader->index < reader->params)
    call->arguments[reader->index].count = at - call->arguments[reader->index].first;
  if (++reader->index < reader->params)
    call->arguments[reader->index].first = at + in_place;
}

// What a token behind the "(" is. source: the first token that may be an argument's; a comma is left out of them when
// it is in no place between them.
static inline __attribute__((always_inline)) enum token_use read_token(struct call *call, struct reader *reader,
                                                                       const struct kiln_token *token,
                                                                       const struct kiln_token *source, bool in_place) {
  uint32_t kind = token->kind;
  if (kind == KILN_TOKEN_COMMA && reader->depth == 0 && reader->index != reader->open) {
    read_comma(call, reader, (uint32_t)(token - source), in_place);
    return OF_NONE;
  }
  if (kind == KILN_TOKEN_RPAREN && reader->depth-- == 0) {
    if (reader->index < reader->params)
      call->arguments[reader->index].count = (uint32_t)(token - source) - call->arguments[reader->index].first;
    reader->index += reader->more || reader->params > 0;
    return CLOSES;
  }
  reader->depth += kind == KILN_TOKEN_LPAREN;
  if (reader->index >= reader->params) {
    reader->more = true;
    if (reader->extra == 0)
      reader->extra = token->place;
    return OF_NONE;
  }
  if (!token->plain && token->name != NULL && !token->no_expand && kiln_pp_info(call->pp, token->name) >> 8 != 0)
    call->arguments[reader->index].maybe_macro = true;
  return OF_ARGUMENT;
}

// At the ")" at close: whether the number of arguments is right.
static bool check_count(struct call *call, struct reader reader, kiln_place close) {
  struct kiln_pp *pp = call->pp;
  const struct pp_macro *macro = call->macro;
  if (reader.index > macro->param_count) {
    kiln_diag(pp->diags, KILN_ERROR, reader.extra != 0 ? reader.extra : close, 0,
              "too many arguments provided to function-like macro invocation");
  } else if (reader.index + macro->variadic < macro->param_count) {
    kiln_diag(pp->diags, KILN_ERROR, close, 0, "too few arguments provided to function-like macro invocation");
  } else {
    call->no_variadic = reader.index < macro->param_count || (reader.index == 1 && call->arguments->count == 0);
    return true;
  }
  note_definition(pp, macro);
  call->wrong_count = true;
  return false;
}

// The next token of a call, as written. file: that is read, or NULL. False: there is none.
static inline __attribute__((always_inline)) bool read_written(struct kiln_pp *pp, struct pp_file *file,
                                                               struct kiln_token *token) {
  if (file != NULL && kiln_lex_fast(&file->lexer, token)) {
    if (token->name != NULL)
      kiln_pp_classify(pp, token);
    else
      token->plain = true;
    return true;
  }
  kiln_pp_read(pp, token, false);
  return token->kind != KILN_TOKEN_END && token->kind != KILN_LEX_LINE_END;
}

// Whether a "," comes next that is between arguments, of which no token need be made. file: that is read, or NULL.
static inline bool is_at_comma(const struct pp_file *file, const struct reader *reader) {
  return file != NULL && file->lexer.cursor[0] == ',' && file->lexer.cursor[1] != '\\' && reader->depth == 0 &&
         reader->index != reader->open;
}

// Reads the arguments and their parentheses. False after an error.
__attribute__((noinline)) static bool collect(struct call *call) {
  struct kiln_pp *pp = call->pp;
  struct pp_tokens *tokens = &call->tokens;
  struct reader reader = reader_of(call->macro);
  uint32_t epoch = pp->epoch;
  kiln_pp_read(pp, kiln_pp_tokens_next(pp, tokens), false); // (
  struct kiln_token *token = tokens->items, *end = token + tokens->capacity;
  for (uint32_t read = 0;; read++) {
    if (token == end) {
      tokens->count = tokens->capacity;
      token = kiln_pp_tokens_next(pp, tokens);
      end = tokens->items + tokens->capacity;
    }
    struct pp_file *file = pp->stopped ? NULL : pp->top->file;
    if (!read_written(pp, file, token)) {
      if (!pp->stopped) {
        kiln_diag(pp->diags, KILN_ERROR, call->use, 0, "unterminated function-like macro invocation");
        note_definition(pp, call->macro);
      }
      return false;
    }
    enum token_use use = read_token(call, &reader, token, tokens->items, false);
    if (use == CLOSES) {
      call->source = tokens->items;
      for (struct kiln_token *t = tokens->items; t != token && pp->epoch != epoch;
           t++) // there was a #define among them
        kiln_pp_classify(pp, t);
      return spend(pp, read, call->use) && check_count(call, reader, token->place);
    }
    token += use == OF_ARGUMENT;
    if (is_at_comma(file, &reader)) {
      file->lexer.cursor++;
      read_comma(call, &reader, (uint32_t)(token - tokens->items), false);
      read++;
    }
  }
}

// The same where all of the call is in the expansion that is being read: the arguments stay where they are. *done is
// false when it is elsewhere, and nothing was read then.
__attribute__((noinline)) static bool collect_in_place(struct call *call, bool *done) {
  struct kiln_pp *pp = call->pp;
  const struct kiln_token *source = pp->top->at;
  uint32_t count = (uint32_t)(pp->top->end - source), i = 1;
  *done = false;
  if (count == 0)
    return false;
  struct reader reader = reader_of(call->macro);
  call->arguments[0].first = i; // behind the (
  while (i < count && read_token(call, &reader, &source[i], source, true) != CLOSES)
    i++;
  if (i >= count) {
    memset(call->arguments, 0, call->macro->param_count * sizeof *call->arguments);
    return false;
  }
  *done = true;
  call->source = source;
  pp->top->at = source + i + 1;
  return spend(pp, i, call->use) && check_count(call, reader, source[i].place);
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
  kiln_pp_push_tokens(pp, PP_ARGUMENT, tokens_from(call->source, argument->first), argument->count);
  for (;;) {
    struct kiln_token *token = kiln_pp_tokens_next(pp, &call->expanded);
    if (kiln_pp_next_plain(pp, token)) {
      call->expanded.count++;
      continue;
    }
    kiln_pp_read(pp, token, true);
    if (token->kind == KILN_LEX_LINE_END || pp->stopped)
      break;
    call->expanded.count++;
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
  const struct kiln_token *tokens = tokens_from(call->source, argument->first);
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

// The place of a token that the expansion makes of one that is spelled elsewhere than in the macro's pieces.
static kiln_place token_place(const struct call *call, kiln_place spelled) {
  kiln_place *kept = kiln_arena_alloc(call->pp->arena, sizeof *kept, _Alignof(kiln_place));
  *kept = spelled;
  kiln_place place = kiln_sources_expand(call->pp->sources, kept, 1, call->use, call->macro->name->text);
  return place != 0 ? place : call->use;
}

// Lexes what right joined to left is. False when that is no token; it is reported then.
static bool lex_pasted(const struct call *call, const struct pp_piece *piece, const struct kiln_token *left,
                       const struct kiln_token *right, struct kiln_token *token) {
  struct kiln_pp *pp = call->pp;
  size_t size = (size_t)left->size + right->size;
  char *text = kiln_arena_alloc(pp->arena, size + 1, 1);
  memcpy(text, left->data, left->size);
  memcpy(text + left->size, right->data, right->size);
  text[size] = 0;
  struct kiln_lexer lexer = {.env = &pp->lex, .text = text, .cursor = text, .end = text + size, .quiet = true};
  kiln_lex(&lexer, token);
  if (token->data == text && token->size == size && token->kind != KILN_TOKEN_OTHER)
    return true;
  kiln_diag(pp->diags, KILN_ERROR, token_place(call, piece->paste), 0,
            "pasting formed '%.*s', an invalid preprocessing token", (int)(size < 100 ? size : 100), text);
  return false;
}

// Where is remembered what right joined to left is, if it was ever joined. NULL: there is no place for it.
static inline struct pp_pasted *pasted_of(struct kiln_pp *pp, const struct kiln_token *left,
                                          const struct kiln_token *right) {
  if (left->name == NULL || right->size > PP_PASTED_SIZE)
    return NULL;
  return &pp->pasted[(left->name->id + (unsigned char)right->data[0] + right->size) % PP_PASTED_COUNT];
}

static inline bool is_pasted(const struct pp_pasted *pasted, const struct kiln_token *left,
                             const struct kiln_token *right) {
  return pasted->left == left->name && pasted->right_size == right->size &&
         memcmp(pasted->right, right->data, right->size) == 0;
}

// Joins right to *left. False when the result is no token; then nothing is changed. What was joined to a name is
// remembered, since a macro often joins the same again.
static bool paste(const struct call *call, const struct pp_piece *piece, struct kiln_token *left,
                  const struct kiln_token *right) {
  struct pp_pasted *pasted = pasted_of(call->pp, left, right);
  struct kiln_token made;
  if (pasted != NULL && is_pasted(pasted, left, right)) {
    made = pasted->token;
  } else {
    if (!lex_pasted(call, piece, left, right, &made))
      return false;
    if (pasted != NULL) {
      *pasted = (struct pp_pasted){.left = left->name, .right_size = right->size, .token = made};
      memcpy(pasted->right, right->data, right->size);
    }
  }
  made.place = token_place(call, left->place);
  made.after_space = left->after_space;
  *left = made;
  return true;
}

// ---- substitution ---------------------------------------------------------------------------------------------------

static bool has_variadic(const struct call *call) {
  return call->arguments[call->macro->param_count - 1].token_count > 0;
}

struct substitution {
  uint32_t chain; // where the result of the row of ## began
  bool space;     // before it
  bool carry;     // of pieces that came to nothing: before what comes next
};

// A piece that # or ## concerns, or that may vanish.
static void substitute_operator(struct call *call, uint32_t index, struct substitution *state) {
  struct kiln_pp *pp = call->pp;
  const struct pp_piece *piece = &call->macro->pieces[index];
  struct pp_tokens *result = &call->result;
  bool pasted = index > 0 && (piece[-1].flags & PP_PASTE) != 0;
  if ((piece->flags & PP_VA_COMMA) != 0 && call->no_variadic)
    return;
  bool vanishes = (piece->flags & PP_VA_EMPTY) != 0 || ((piece->flags & PP_VA_OPT) != 0 && !has_variadic(call));
  // All that vanishes of one __VA_OPT__ is one operand of ## that is nothing.
  if (!pasted && !(vanishes && (piece->flags & PP_VA_FIRST) == 0)) {
    state->chain = result->count;
    state->space = state->carry || piece->token.after_space;
  }
  if (vanishes) {
    state->carry = result->count == state->chain && state->space;
    return;
  }
  struct kiln_token made;
  const struct kiln_token *tokens = &made;
  uint32_t count = 1, used = 0;
  if (piece->param < 0) {
    made = piece->token;
    made.place = piece_place(call, index);
  } else if ((piece->flags & PP_STRINGIZE) != 0) {
    made = stringize(call, &call->arguments[piece->param], piece_place(call, index));
  } else {
    const struct argument *argument = &call->arguments[piece->param];
    bool as_written = pasted || (piece->flags & PP_PASTE) != 0;
    tokens = as_written ? tokens_from(call->source, argument->first) : argument->tokens;
    count = as_written ? argument->count : argument->token_count;
  }
  if (pasted && result->count > state->chain && count > 0) {
    used = paste(call, piece - 1, &result->items[result->count - 1], tokens);
  } else if (count > 0) {
    kiln_pp_tokens_push(pp, result, tokens);
    result->items[result->count - 1].after_space = state->space;
    used = 1;
  }
  if (used < count)
    kiln_pp_tokens_append(pp, result, tokens + used, count - used);
  state->carry = result->count == state->chain && state->space;
}

// Expands the arguments. *most: how many tokens the pieces can become at most. False when the preprocessor has stopped.
static bool expand_arguments(struct call *call, uint64_t *most) {
  const struct pp_macro *macro = call->macro;
  bool any = false, is_simple = !macro->has_operators;
  uint64_t count = macro->piece_count;
  for (uint32_t i = 0, params = macro->param_count; i < params; i++) {
    struct argument *argument = &call->arguments[i];
    argument->tokens = tokens_from(call->source, argument->first);
    argument->token_count = argument->count;
    count += (uint64_t)macro->param_uses[i] * argument->count;
    if (argument->count == 0)
      is_simple = false;
    if (!argument->maybe_macro || !macro->expanded_params[i])
      continue;
    if (!expand_argument(call, argument))
      return false;
    any = true;
  }
  *most = count;
  call->is_simple = is_simple;
  for (uint32_t i = 0; i < macro->param_count && any; i++) { // what they were expanded to has moved no more
    struct argument *argument = &call->arguments[i];
    if (!argument->is_expanded)
      continue;
    argument->tokens = tokens_from(call->expanded.items, argument->expanded_first);
    argument->token_count = argument->expanded_count;
    call->is_simple &= argument->token_count > 0;
    if (argument->expanded_count > argument->count)
      *most += (uint64_t)macro->param_uses[i] * (argument->expanded_count - argument->count);
  }
  return true;
}

// The tokens of a run of pieces, the first of which is at place.
static inline void copy_run(struct kiln_token *out, const struct kiln_token *tokens, uint32_t count, kiln_place place,
                            uint32_t step) {
  for (; count >= 2; count -= 2, out += 2, tokens += 2) {
    out[0] = tokens[0];
    out[0].place = place;
    place += step;
    out[1] = tokens[1];
    out[1].place = place;
    place += step;
  }
  if (count != 0) {
    *out = *tokens;
    out->place = place;
  }
}

// The pieces from index on that are no operators, for which there is room. Returns the index of the first that is one.
static uint32_t substitute_run(struct call *call, uint32_t index, struct substitution *state) {
  const struct pp_piece *all = call->macro->pieces, *piece = all + index;
  struct kiln_token *out = call->result.items + call->result.count;
  kiln_place place = piece_place(call, index), step = call->first != 0;
  bool carry = state->carry;
  while (piece->kind != PP_OPERATOR) { // nor the end
    if (piece->kind == PP_TOKEN) {
      copy_run(out, call->macro->piece_tokens + (piece - all), piece->run, place, step);
      out->after_space |= carry;
      carry = false;
      out += piece->run;
      place += step * piece->run;
      piece += piece->run;
      continue;
    }
    carry |= piece->token.after_space;
    const struct argument *argument = &call->arguments[piece->param];
    const struct kiln_token *token = argument->tokens;
    uint32_t count = argument->token_count;
    piece++;
    place += step;
    if (count == 0)
      continue;
    struct kiln_token *first = out;
    *out++ = *token++;
    for (; count > 1; count--)
      *out++ = *token++;
    first->after_space = carry;
    carry = false;
  }
  call->result.count = (uint32_t)(out - call->result.items);
  state->carry = carry;
  return (uint32_t)(piece - all);
}

// All pieces, none of which is an operator, where no argument is empty: row by row of what becomes one token each.
static void substitute_rows(struct call *call) {
  const struct pp_macro *macro = call->macro;
  struct kiln_token *out = call->result.items;
  kiln_place place = piece_place(call, 0), step = call->first != 0;
  uint32_t from = 0; // the first piece of the row
  for (const struct pp_value *value = macro->values, *end = value + macro->value_count;; value++) {
    const struct pp_value *first = value;
    while (value != end && call->arguments[value->param].token_count == 1)
      value++;
    uint32_t count = (value != end ? value->piece : macro->piece_count) - from;
    copy_run(out, macro->piece_tokens + from, count, place + from * step, step);
    for (; first != value; first++) {
      struct kiln_token *single = out + (first->piece - from);
      bool space = single->after_space;
      *single = *call->arguments[first->param].tokens;
      single->after_space = space;
    }
    out += count;
    if (value == end)
      break;
    const struct argument *argument = &call->arguments[value->param];
    memcpy(out, argument->tokens, argument->token_count * sizeof *out);
    out->after_space = macro->piece_tokens[value->piece].after_space;
    out += argument->token_count;
    from = value->piece + 1;
  }
  call->result.count = (uint32_t)(out - call->result.items);
}

// Tells which tokens of the pieces are plain.
static void classify_pieces(struct kiln_pp *pp, struct pp_macro *macro) {
  for (uint32_t i = 0; i < macro->piece_count; i++)
    if (macro->pieces[i].kind == PP_TOKEN) {
      kiln_pp_classify(pp, &macro->pieces[i].token);
      macro->piece_tokens[i] = macro->pieces[i].token;
    }
  macro->epoch = pp->epoch;
}

static void substitute(struct call *call) {
  struct pp_macro *macro = call->macro;
  if (macro->epoch != call->pp->epoch)
    classify_pieces(call->pp, macro);
  struct substitution state = {0};
  if (macro->piece_count > 0)
    call->first =
        kiln_sources_expand(call->pp->sources, macro->places, macro->piece_count, call->use, macro->name->text);
  if (call->is_simple)
    substitute_rows(call);
  else
    for (uint32_t i = 0; i < macro->piece_count;)
      if (macro->pieces[i].kind == PP_OPERATOR)
        substitute_operator(call, i++, &state);
      else
        i = substitute_run(call, i, &state);
  if (call->result.count > 0)
    call->result.items[0].after_space = false; // that of the macro's name counts
}

static bool read_arguments(struct call *call) {
  bool done, good = collect_in_place(call, &done);
  if (done)
    return good;
  call->pp->collecting++;
  good = collect(call);
  call->pp->collecting--;
  return good;
}

// Makes the tokens of call->result. False when the preprocessor has stopped.
static bool make_result(struct call *call) {
  struct kiln_pp *pp = call->pp;
  uint64_t most;
  if (!expand_arguments(call, &most))
    return false;
  if (most > PP_MAX_EXPANDED_TOKENS)
    return spend(pp, PP_MAX_EXPANDED_TOKENS, call->use);
  kiln_pp_tokens_grow(pp, &call->result, (uint32_t)most);
  substitute(call);
  return spend(pp, call->result.count, call->use);
}

// Puts the result on the stack. made: there is one.
static void push_result(struct call *call, bool made) {
  struct kiln_pp *pp = call->pp;
  if (!made || call->result.count == 0) {
    kiln_pp_tokens_release(pp, &call->result);
    return;
  }
  kiln_pp_push_tokens(pp, PP_EXPANSION, call->result.items, call->result.count);
  pp->top->macro = call->macro;
  pp->top->buffer = call->result;
  call->macro->disabled = true;
}

enum keep { // what a plain token is in the argument of a use; nothing that such an argument may hold
  KEEP_NOT,
  KEEP,
  KEEP_OPEN,
  KEEP_CLOSE,
  KEEP_COMMA,
};

static inline enum keep keep_of(const struct kiln_token *token) {
  static const uint8_t kinds[KILN_TOKEN_KIND_COUNT] = {
      [KILN_TOKEN_IDENTIFIER] = KEEP,   [KILN_TOKEN_NUMBER] = KEEP,    [KILN_TOKEN_LPAREN] = KEEP_OPEN,
      [KILN_TOKEN_RPAREN] = KEEP_CLOSE, [KILN_TOKEN_LBRACKET] = KEEP,  [KILN_TOKEN_RBRACKET] = KEEP,
      [KILN_TOKEN_TILDE] = KEEP,        [KILN_TOKEN_PIPE] = KEEP,      [KILN_TOKEN_CARET] = KEEP,
      [KILN_TOKEN_AMP] = KEEP,          [KILN_TOKEN_LESS_LESS] = KEEP, [KILN_TOKEN_GREATER_GREATER] = KEEP,
      [KILN_TOKEN_PLUS] = KEEP,         [KILN_TOKEN_MINUS] = KEEP,     [KILN_TOKEN_STAR] = KEEP,
      [KILN_TOKEN_COMMA] = KEEP_COMMA,
  };
  return token->plain && token->kind < KILN_TOKEN_KIND_COUNT ? (enum keep)kinds[token->kind] : KEEP_NOT;
}

static inline bool may_be_kept(const struct pp_macro *macro) {
  return !macro->no_formula && !macro->variadic && macro->param_count != 0 &&
         macro->param_count <= PP_MAX_USE_ARGUMENTS;
}

// Makes pp->use of a call whose arguments are read. False: it is not such a call.
static bool keep_use(const struct call *call, const struct kiln_token *name) {
  struct pp_use *use = &call->pp->use;
  struct pp_macro *macro = call->macro;
  if (!may_be_kept(macro))
    return false;
  uint32_t used = 0;
  use->count = macro->piece_count;
  for (uint32_t i = 0; i < macro->param_count; i++) {
    uint32_t count = call->arguments[i].count;
    if (count == 0 || count > PP_MAX_USE_TOKENS - used)
      return false;
    use->arguments[i].tokens = &use->copies[used];
    use->arguments[i].count = count;
    if (count > 1)
      use->count += macro->param_uses[i] * (count - 1);
    for (const struct kiln_token *token = &call->source[call->arguments[i].first]; count > 0; count--, token++) {
      enum keep keep = keep_of(token);
      if (keep == KEEP_NOT || keep == KEEP_COMMA)
        return false;
      use->copies[used++] = *token;
    }
  }
  use->macro = macro;
  use->place = call->use;
  use->at_line_start = name->at_line_start;
  use->after_space = name->after_space;
  return true;
}

// The "," or ")" behind the argument that begins here, the call's last one or not. NULL: it is nothing to be kept.
static inline const struct kiln_token *keep_argument(const struct kiln_token *token, const struct kiln_token *end,
                                                     bool is_last) {
  if (end - token > 1 && keep_of(token) == KEEP && // one token, as most are
      token[1].kind == (is_last ? KILN_TOKEN_RPAREN : KILN_TOKEN_COMMA))
    return token + 1;
  const struct kiln_token *first = token;
  for (uint32_t depth = 0; token != end; token++) {
    enum keep keep = keep_of(token);
    if (depth == 0 && keep >= KEEP_CLOSE)
      return token != first && (keep == KEEP_CLOSE) == is_last ? token : NULL;
    if (keep == KEEP_NOT || keep == KEEP_COMMA)
      return NULL;
    depth += keep == KEEP_OPEN;
    depth -= keep == KEEP_CLOSE;
  }
  return NULL;
}

// Makes pp->use of a call all of which is in the expansion that is being read, its "(" being the token at, in one go.
// False, and nothing is read: it is not such a call, or something is wrong with it.
static bool keep_use_in_place(struct kiln_pp *pp, struct pp_macro *macro, const struct kiln_token *name,
                              const struct kiln_token *at) {
  const struct kiln_token *end = pp->top->end, *token = at;
  if (at == end || !may_be_kept(macro))
    return false;
  struct pp_use *use = &pp->use;
  uint32_t made = macro->piece_count;
  for (uint32_t i = 0, last = macro->param_count - 1; i <= last; i++) {
    const struct kiln_token *first = token + 1;
    token = keep_argument(first, end, i == last);
    if (token == NULL)
      return false;
    uint32_t count = (uint32_t)(token - first);
    use->arguments[i].tokens = first;
    use->arguments[i].count = count;
    made += macro->param_uses[i] * (count - 1);
  }
  uint32_t read = (uint32_t)(token - at);
  if (pp->expanded_tokens + read + 1 > PP_MAX_EXPANDED_TOKENS)
    return false;
  pp->expanded_tokens += read + 1;
  pp->top->at = token + 1;
  use->macro = macro;
  use->place = name->place;
  use->count = made;
  use->at_line_start = name->at_line_start;
  use->after_space = name->after_space;
  return true;
}

bool kiln_pp_next_use(struct kiln_pp *pp, struct kiln_token *out) {
  const struct kiln_token *name = pp->top->at;
  if (pp->top->end - name < 2 || name[1].kind != KILN_TOKEN_LPAREN || name->plain || name->name == NULL ||
      name->no_expand)
    return false;
  struct pp_macro *macro = kiln_pp_macro_of(pp, name->name);
  if (macro == NULL || macro->disabled || !macro->function_like || macro->dynamic != PP_STATIC ||
      macro->join != PP_JOIN_NOT || !keep_use_in_place(pp, macro, name, name + 1))
    return false;
  *out = *name;
  out->kind = KILN_LEX_USE;
  return true;
}

kiln_place kiln_pp_take_use(struct kiln_pp *pp) {
  const struct pp_macro *macro = pp->use.macro;
  if (pp->expanded_tokens + pp->use.count + 1 > PP_MAX_EXPANDED_TOKENS)
    return 0;
  kiln_place first =
      kiln_sources_expand(pp->sources, macro->places, macro->piece_count, pp->use.place, macro->name->text);
  if (first != 0)
    pp->expanded_tokens += pp->use.count + 1;
  return first;
}

void kiln_pp_expand_use(struct kiln_pp *pp) {
  struct pp_use *use = &pp->use;
  struct argument arguments[PP_MAX_USE_ARGUMENTS] = {0};
  const struct kiln_token *source = use->arguments[0].tokens;
  struct call call = {.pp = pp, .macro = use->macro, .use = use->place, .arguments = arguments, .source = source};
  for (uint32_t i = 0; i < use->macro->param_count; i++) {
    arguments[i].first = (uint32_t)(use->arguments[i].tokens - source);
    arguments[i].count = use->arguments[i].count;
  }
  push_result(&call, make_result(&call));
  if (call.result.count > 0) {
    call.result.items->at_line_start |= use->at_line_start;
    call.result.items->after_space |= use->after_space;
  }
}

// False: *token is the whole result.
static bool expand_pieces(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token, enum pp_reading how) {
  kiln_place use = token->place;
  struct argument few[12];
  struct call call = {.pp = pp, .macro = macro, .use = use, .arguments = few};
  if (macro->param_count > sizeof few / sizeof *few)
    call.arguments = KILN_NEW_ARRAY(pp->arena, struct argument, macro->param_count);
  else
    memset(few, 0, macro->param_count * sizeof *few);
  bool good = !macro->function_like || read_arguments(&call);
  if (good && how == PP_OPERAND && keep_use(&call, token)) {
    kiln_pp_tokens_release(pp, &call.tokens);
    token->kind = KILN_LEX_USE;
    return false;
  }
  push_result(&call, good && make_result(&call));
  kiln_pp_tokens_release(pp, &call.tokens);
  kiln_pp_tokens_release(pp, &call.expanded);
  if (call.wrong_count) { // most macros are expressions: with one, less is complained about behind it
    struct kiln_token zero = kiln_pp_make_token(pp, KILN_TOKEN_NUMBER, use, "0");
    zero.at_line_start = token->at_line_start;
    zero.after_space = token->after_space;
    *token = zero;
  }
  return !call.wrong_count;
}

// Whether the expansion of a macro that joins is never left to the parser, which has tried or is not asked.
static inline bool is_expanded(const struct pp_macro *macro, enum pp_reading how) {
  return how != PP_OPERAND || macro->no_formula;
}

// Expands a macro that joins its arguments, or passes them to another that does, where those are one plain token each
// and were joined before: in one go, with the places that the expansions would make. *macro: then that of the name that
// they become, or NULL. False, and nothing is done: it is not such a call, or the outcome may depend on the macros
// being disabled.
static bool join_in_place(struct kiln_pp *pp, struct pp_macro **macro, struct kiln_token *token, enum pp_reading how) {
  struct pp_macro *outer = *macro, *joining = outer;
  const struct kiln_token *at = pp->top->at;
  if (pp->top->end - at < 5 || at[0].kind != KILN_TOKEN_LPAREN || at[2].kind != KILN_TOKEN_COMMA ||
      at[4].kind != KILN_TOKEN_RPAREN || !is_expanded(outer, how))
    return false;
  const struct kiln_token *left = at + 1, *right = at + 3;
  if (!left->plain || !right->plain) // no comma nor parenthesis was ever joined to a name
    return false;
  uint32_t spent = 5 + 2; // the tokens of the call and of the result, and one more for each
  if (outer->join == PP_JOIN_PASSES) {
    joining = kiln_pp_macro_of(pp, outer->pieces[0].token.name);
    if (joining == NULL || joining->join != PP_JOIN_PASTES || joining->disabled || !is_expanded(joining, how))
      return false;
    spent += 5 + outer->piece_count + 1;
  }
  const struct pp_pasted *pasted = pasted_of(pp, left, right);
  if (pasted == NULL || !is_pasted(pasted, left, right) || pasted->token.name == NULL ||
      pp->expanded_tokens + spent > PP_MAX_EXPANDED_TOKENS)
    return false;
  struct kiln_token made = pasted->token;
  kiln_pp_classify(pp, &made);
  struct pp_macro *named = made.plain ? NULL : kiln_pp_macro_of(pp, made.name);
  if (!made.plain &&
      (named == NULL || !named->function_like || named->dynamic != PP_STATIC || named == outer || named == joining))
    return false;
  pp->expanded_tokens += spent;
  pp->top->at = at + 5;
  struct call call = {.pp = pp, .macro = joining, .use = token->place};
  if (joining != outer) {
    kiln_place first = kiln_sources_expand(pp->sources, outer->places, outer->piece_count, call.use, outer->name->text);
    call.use = first != 0 ? first : call.use;
  }
  kiln_sources_expand(pp->sources, joining->places, joining->piece_count, call.use, joining->name->text);
  made.place = token_place(&call, left->place);
  made.at_line_start = token->at_line_start;
  made.after_space = token->after_space;
  *token = made;
  *macro = named;
  return true;
}

bool kiln_pp_expand(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token, enum pp_reading how,
                    bool *done) {
  if (macro->join != PP_JOIN_NOT && join_in_place(pp, &macro, token, how)) {
    token->no_expand = macro != NULL && macro->disabled;
    if (macro == NULL || macro->disabled) {
      *done = true;
      return true;
    }
  }
  if (macro->dynamic != PP_STATIC) {
    kiln_pp_expand_dynamic(pp, macro, token);
    *done = true;
    return true;
  }
  const struct kiln_token *next = pp->top->at;
  if (macro->function_like && (next == pp->top->end || next->kind != KILN_TOKEN_LPAREN) && !kiln_pp_peek_lparen(pp))
    return false;
  while (pp->top->kind == PP_EXPANSION && pp->top->at == pp->top->end && macro->function_like) // the "(" is behind it
    kiln_pp_pop(pp);
  if (macro->function_like && how == PP_OPERAND && keep_use_in_place(pp, macro, token, pp->top->at)) {
    token->kind = KILN_LEX_USE;
    *done = true;
    return true;
  }
  if (!macro->function_like && macro->body_count <= 1) {
    if (!spend(pp, macro->body_count, token->place) || macro->body_count == 0)
      return true;
    struct kiln_token first = macro->body[0];
    kiln_pp_classify(pp, &first);
    if (first.plain) {
      kiln_place use = token->place;
      kiln_place place = kiln_sources_expand(pp->sources, &macro->body->place, 1, use, macro->name->text);
      first.place = place != 0 ? place : use;
      first.at_line_start = token->at_line_start;
      first.after_space = token->after_space;
      *token = first;
      *done = true;
      return true;
    }
  }
  if (!macro->has_pieces)
    kiln_pp_make_pieces(pp, macro);
  *done = !expand_pieces(pp, macro, token, how);
  return true;
}
