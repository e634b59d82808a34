// Macro expansion: reading the arguments, substituting them into the body, # and ##.
#include "jit/lang/lex/lex_fast.h"
#include "jit/lang/pp/pp.h"

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
  kiln_location use;
  kiln_location first;             // of the tokens of the macro's pieces; 0: all have that of the use
  bool wrong_count;                // of arguments
  bool no_variadic;                // no argument was given for the variadic parameter, not even an empty one
  struct argument *arguments;      // one per parameter
  const struct kiln_token *source; // of the arguments: an expansion's tokens, where all of the call is there, or tokens
  struct pp_tokens tokens, expanded, result;
};

static bool spend(struct kiln_pp *pp, uint32_t tokens, kiln_location use) {
  pp->expanded_tokens += tokens + 1u;
  if (pp->expanded_tokens <= PP_MAX_EXPANDED_TOKENS)
    return true;
  if (!pp->stopped)
    kiln_diag(pp->diags, KILN_ERROR, use, 0, "macro expansions make more than %d tokens", PP_MAX_EXPANDED_TOKENS);
  kiln_pp_stop(pp);
  return false;
}

// The same for the text of a token that # or ## is about to make.
static bool spend_bytes(struct kiln_pp *pp, uint64_t bytes, kiln_location location) {
  pp->made_bytes += bytes;
  if (pp->made_bytes <= PP_MAX_MADE_BYTES)
    return true;
  if (!pp->stopped)
    kiln_diag(pp->diags, KILN_ERROR, location, 0, "# and ## make tokens of more than %d bytes", PP_MAX_MADE_BYTES);
  kiln_pp_stop(pp);
  return false;
}

static kiln_location piece_location(const struct call *call, uint32_t piece) {
  return call->first != 0 ? call->first + piece : call->use;
}

// The tokens from first on; there may be none at all, and no array then.
static const struct kiln_token *tokens_from(const struct kiln_token *tokens, uint32_t first) {
  return tokens != NULL ? tokens + first : NULL;
}

static void note_definition(struct kiln_pp *pp, const struct pp_macro *macro) {
  kiln_diag(pp->diags, KILN_NOTE, macro->location, 0, "macro '%s' defined here", macro->name->text);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

struct reader {        // of a call's arguments
  uint32_t index;      // of the argument that the next token belongs to
  uint32_t depth;      // of parentheses in it
  uint32_t params;     // of the macro
  uint32_t open;       // the variadic one of them, to which commas belong; else UINT32_MAX
  bool more;           // a comma was read, or a token that belongs to no parameter
  kiln_location extra; // of the first such token
};

enum token_use { OF_ARGUMENT, OF_NONE, CLOSES };

static struct reader reader_of(const struct pp_macro *macro) {
  return (struct reader){.params = macro->param_count, .open = macro->variadic ? macro->param_count - 1 : UINT32_MAX};
}

// A "," between arguments, at a location in call.source.
static inline void read_comma(struct call *call, struct reader *reader, uint32_t at, bool in_place) {
  reader->more = true;
  if (reader->index < reader->params)
    call->arguments[reader->index].count = at - call->arguments[reader->index].first;
  if (++reader->index < reader->params)
    call->arguments[reader->index].first = at + in_place;
}

// What a token after the "(" is. source: the first token that may be an argument's; a comma is left out of them when
// it is in no location between them.
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
      reader->extra = token->location;
    return OF_NONE;
  }
  if (!token->plain && token->name != NULL && !token->no_expand && kiln_pp_info(call->pp, token->name) >> 8 != 0)
    call->arguments[reader->index].maybe_macro = true;
  return OF_ARGUMENT;
}

// At the ")" at close: whether the number of arguments is right.
static bool check_count(struct call *call, struct reader reader, kiln_location close) {
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
      return spend(pp, read, call->use) && check_count(call, reader, token->location);
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
  call->arguments[0].first = i; // after the (
  while (i < count && read_token(call, &reader, &source[i], source, true) != CLOSES)
    i++;
  if (i >= count) {
    memset(call->arguments, 0, call->macro->param_count * sizeof *call->arguments);
    return false;
  }
  *done = true;
  call->source = source;
  pp->top->at = source + i + 1;
  return spend(pp, i, call->use) && check_count(call, reader, source[i].location);
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

static struct kiln_token stringize(const struct call *call, const struct argument *argument, kiln_location location) {
  const struct kiln_token *tokens = tokens_from(call->source, argument->first);
  size_t limit = 3;
  for (uint32_t i = 0; i < argument->count; i++)
    limit += 2u * tokens[i].size + 1;
  if (!spend_bytes(call->pp, limit, location))
    return (struct kiln_token){.kind = KILN_TOKEN_STRING, .location = location, .data = "\"\"", .size = 2};
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
    kiln_diag_warning(call->pp->diags, KILN_W_INVALID_PP_TOKEN, location, 0,
                      "invalid string literal, ignoring final '\\'");
    p--;
  }
  *p++ = '"';
  *p = 0;
  return (struct kiln_token){
      .kind = KILN_TOKEN_STRING, .location = location, .data = text, .size = (uint32_t)(p - text)};
}

// The location of a token that the expansion makes of one that is spelled elsewhere than in the macro's pieces.
static kiln_location token_location(const struct call *call, kiln_location spelled) {
  kiln_location *kept = kiln_arena_alloc(call->pp->arena, sizeof *kept, _Alignof(kiln_location));
  *kept = spelled;
  kiln_location location = kiln_sources_expand(call->pp->sources, kept, 1, call->use, call->macro->name->text);
  return location != 0 ? location : call->use;
}

// Lexes what right joined to left is. False when that is no token; it is reported then.
static bool lex_pasted(const struct call *call, const struct pp_piece *piece, const struct kiln_token *left,
                       const struct kiln_token *right, struct kiln_token *token) {
  struct kiln_pp *pp = call->pp;
  size_t size = (size_t)left->size + right->size;
  if (!spend_bytes(pp, size, call->use))
    return false;
  char *text = kiln_arena_alloc(pp->arena, size + 1, 1);
  memcpy(text, left->data, left->size);
  memcpy(text + left->size, right->data, right->size);
  text[size] = 0;
  struct kiln_lexer lexer = {.env = &pp->lex, .text = text, .cursor = text, .end = text + size, .quiet = true};
  kiln_lex(&lexer, token);
  if (token->data == text && token->size == size && token->kind != KILN_TOKEN_OTHER)
    return true;
  kiln_diag(pp->diags, KILN_ERROR, token_location(call, piece->paste), 0,
            "pasting formed '%.*s', an invalid preprocessing token", (int)(size < 100 ? size : 100), text);
  return false;
}

// Joins right to *left. False when the result is no token; then nothing is changed.
static bool paste(const struct call *call, const struct pp_piece *piece, struct kiln_token *left,
                  const struct kiln_token *right) {
  struct kiln_token made;
  if (!lex_pasted(call, piece, left, right, &made))
    return false;
  made.location = token_location(call, left->location);
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
    made.location = piece_location(call, index);
  } else if ((piece->flags & PP_STRINGIZE) != 0) {
    made = stringize(call, &call->arguments[piece->param], piece_location(call, index));
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
  bool any = false;
  uint64_t count = macro->piece_count;
  for (uint32_t i = 0, params = macro->param_count; i < params; i++) {
    struct argument *argument = &call->arguments[i];
    argument->tokens = tokens_from(call->source, argument->first);
    argument->token_count = argument->count;
    count += (uint64_t)macro->param_uses[i] * argument->count;
    if (!argument->maybe_macro || !macro->expanded_params[i])
      continue;
    if (!expand_argument(call, argument))
      return false;
    any = true;
  }
  *most = count;
  for (uint32_t i = 0; i < macro->param_count && any; i++) { // what they were expanded to has moved no more
    struct argument *argument = &call->arguments[i];
    if (!argument->is_expanded)
      continue;
    argument->tokens = tokens_from(call->expanded.items, argument->expanded_first);
    argument->token_count = argument->expanded_count;
    if (argument->expanded_count > argument->count)
      *most += (uint64_t)macro->param_uses[i] * (argument->expanded_count - argument->count);
  }
  return true;
}

// The tokens of a run of pieces, the first of which is at location.
static inline void copy_run(struct kiln_token *out, const struct kiln_token *tokens, uint32_t count,
                            kiln_location location, uint32_t step) {
  for (; count > 0; count--, location += step) {
    *out = *tokens++;
    out++->location = location;
  }
}

// The pieces from index on that are no operators, for which there is room. Returns the index of the first that is one.
static uint32_t substitute_run(struct call *call, uint32_t index, struct substitution *state) {
  const struct pp_piece *all = call->macro->pieces, *piece = all + index;
  struct kiln_token *out = call->result.items + call->result.count;
  kiln_location location = piece_location(call, index), step = call->first != 0;
  bool carry = state->carry;
  while (piece->kind != PP_OPERATOR) { // nor the end
    if (piece->kind == PP_TOKEN) {
      copy_run(out, call->macro->piece_tokens + (piece - all), piece->run, location, step);
      out->after_space |= carry;
      carry = false;
      out += piece->run;
      location += step * piece->run;
      piece += piece->run;
      continue;
    }
    carry |= piece->token.after_space;
    const struct argument *argument = &call->arguments[piece->param];
    const struct kiln_token *token = argument->tokens;
    uint32_t count = argument->token_count;
    piece++;
    location += step;
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
        kiln_sources_expand(call->pp->sources, macro->locations, macro->piece_count, call->use, macro->name->text);
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

// False: *token is the whole result.
static bool expand_pieces(struct kiln_pp *pp, struct pp_macro *macro, struct kiln_token *token) {
  kiln_location use = token->location;
  struct argument few[12];
  struct call call = {.pp = pp, .macro = macro, .use = use, .arguments = few};
  if (macro->param_count > sizeof few / sizeof *few)
    call.arguments = KILN_NEW_ARRAY(pp->arena, struct argument, macro->param_count);
  else
    memset(few, 0, macro->param_count * sizeof *few);
  bool good = !macro->function_like || read_arguments(&call);
  push_result(&call, good && make_result(&call));
  kiln_pp_tokens_release(pp, &call.tokens);
  kiln_pp_tokens_release(pp, &call.expanded);
  if (call.wrong_count) { // most macros are expressions: with one, less is complained about after it
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
  const struct kiln_token *next = pp->top->at;
  if (macro->function_like && (next == pp->top->end || next->kind != KILN_TOKEN_LPAREN) && !kiln_pp_peek_lparen(pp))
    return false;
  while (pp->top->kind == PP_EXPANSION && pp->top->at == pp->top->end && macro->function_like) // the "(" is after it
    kiln_pp_pop(pp);
  if (!macro->function_like && macro->body_count <= 1) {
    if (!spend(pp, macro->body_count, token->location) || macro->body_count == 0)
      return true;
    struct kiln_token first = macro->body[0];
    kiln_pp_classify(pp, &first);
    if (first.plain) {
      kiln_location use = token->location;
      kiln_location location = kiln_sources_expand(pp->sources, &macro->body->location, 1, use, macro->name->text);
      first.location = location != 0 ? location : use;
      first.at_line_start = token->at_line_start;
      first.after_space = token->after_space;
      *token = first;
      *done = true;
      return true;
    }
  }
  if (!macro->has_pieces)
    kiln_pp_make_pieces(pp, macro);
  *done = !expand_pieces(pp, macro, token);
  return true;
}
