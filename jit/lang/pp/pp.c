// The preprocessor's stack of contexts and its public functions.
#include "jit/lang/pp/pp.h"

#include <stdio.h>

#include "base/c_locale.h"

// ---- token buffers --------------------------------------------------------------------------------------------------

static unsigned size_class(uint32_t capacity) { return (unsigned)__builtin_ctz(capacity); }

void kiln_pp_tokens_release(struct kiln_pp *pp, struct pp_tokens *tokens) {
  if (tokens->capacity != 0) {
    struct kiln_token **list = &pp->free_tokens[size_class(tokens->capacity)];
    tokens->items->data = (const char *)*list; // the next free block
    *list = tokens->items;
  }
  *tokens = (struct pp_tokens){0};
}

void kiln_pp_tokens_grow(struct kiln_pp *pp, struct pp_tokens *tokens, uint32_t more) {
  enum { LEAST = 32 };
  uint32_t count = tokens->count, needed = count + more; // far below 2^31: PP_MAX_EXPANDED_TOKENS
  uint32_t capacity = needed <= LEAST ? LEAST : 1u << (32 - __builtin_clz(needed - 1));
  struct kiln_token **list = &pp->free_tokens[size_class(capacity)], *items = *list;
  if (items != NULL)
    *list = (struct kiln_token *)items->data;
  else
    items = kiln_arena_alloc(pp->arena, capacity * sizeof *items, _Alignof(struct kiln_token));
  if (count > 0)
    memcpy(items, tokens->items, count * sizeof *items);
  kiln_pp_tokens_release(pp, tokens);
  *tokens = (struct pp_tokens){items, count, capacity};
}

// ---- contexts -------------------------------------------------------------------------------------------------------

static struct pp_context *push(struct kiln_pp *pp) {
  KILN_VEC_RESERVE(pp->arena, &pp->contexts);
  pp->top = &pp->contexts.items[pp->contexts.count++];
  *pp->top = (struct pp_context){0};
  return pp->top;
}

void kiln_pp_push_file(struct kiln_pp *pp, struct pp_file *file) {
  struct pp_context *context = push(pp);
  context->kind = PP_FILE;
  context->file = file;
  file->outer = pp->file;
  file->condition_base = pp->conditions.count;
  pp->file = file;
}

void kiln_pp_push_tokens(struct kiln_pp *pp, enum pp_context_kind kind, const struct kiln_token *tokens,
                         uint32_t count) {
  struct pp_context *context = push(pp);
  context->kind = kind;
  context->at = tokens;
  context->end = count > 0 ? tokens + count : tokens;
}

void kiln_pp_pop(struct kiln_pp *pp) {
  struct pp_context *context = &pp->contexts.items[--pp->contexts.count];
  pp->top = pp->contexts.count > 0 ? context - 1 : &pp->none;
  if (context->macro != NULL) {
    context->macro->disabled = false;
    kiln_pp_tokens_release(pp, &context->buffer);
  }
}

bool kiln_pp_peek_lparen(const struct kiln_pp *pp) {
  for (uint32_t i = pp->contexts.count; i-- > 0;) {
    const struct pp_context *context = &pp->contexts.items[i];
    if (context->kind == PP_FILE)
      return kiln_lex_peek_lparen(&context->file->lexer);
    if (context->at != context->end)
      return context->at->kind == KILN_TOKEN_LPAREN;
    if (context->kind == PP_ARGUMENT)
      return false;
  }
  return false;
}

void kiln_pp_stop(struct kiln_pp *pp) {
  pp->stopped = true;
  for (uint32_t i = 0; i < pp->contexts.count; i++)
    pp->contexts.items[i].at = pp->contexts.items[i].end; // nothing is plain any more
}

// At the end of a file: true when there is something below it on the stack.
static bool end_file(struct kiln_pp *pp, struct pp_file *file) {
  kiln_pp_check_conditions(pp, file);
  if (file->header != NULL && file->guard_state == PP_GUARD_CLOSED)
    file->header->guard = file->guard;
  if (pp->contexts.count == 1)
    return false;
  if (file->header != NULL)
    pp->include_depth--;
  pp->file = file->outer;
  kiln_pp_pop(pp);
  return true;
}

// A token that was lexed from a file. False: it was consumed here, or the file is over.
static bool take_token(struct kiln_pp *pp, struct pp_file *file, struct kiln_token *out) {
  if (out->name != NULL) {
    file->guard_state = file->guard_state == PP_GUARD_OPEN ? PP_GUARD_OPEN : PP_GUARD_NONE;
    return true;
  }
  if (out->kind == KILN_TOKEN_END)
    return !end_file(pp, file);
  if (out->kind == KILN_TOKEN_HASH && out->at_line_start && !file->lexer.in_directive && !pp->config.no_macros)
    return kiln_pp_directive(pp, out);
  if (file->guard_state != PP_GUARD_OPEN)
    file->guard_state = PP_GUARD_NONE;
  return true;
}

void kiln_pp_read_slowly(struct kiln_pp *pp, struct kiln_token *out, bool expand, bool lexed) {
  bool line_start = false, space = false; // of macro names that were replaced: their first token inherits them
  for (;; lexed = false) {
    if (pp->contexts.count == 0 || pp->stopped) {
      *out = (struct kiln_token){.kind = KILN_TOKEN_END, .data = "", .at_line_start = true};
      if (pp->file != NULL)
        out->location = kiln_lexer_location(&pp->file->lexer);
      return;
    }
    struct pp_context *context = pp->top;
    if (context->kind == PP_FILE) {
      if (!lexed)
        kiln_lex(&context->file->lexer, out);
      if (!take_token(pp, context->file, out))
        continue;
    } else if (context->at != context->end) {
      *out = *context->at++;
    } else if (context->kind == PP_ARGUMENT) {
      *out = (struct kiln_token){.kind = KILN_LEX_LINE_END, .data = ""};
      return;
    } else {
      kiln_pp_pop(pp);
      continue;
    }
    out->at_line_start |= line_start;
    out->after_space |= space;
    kiln_pp_classify(pp, out);
    if (out->plain || out->name == NULL || !expand || out->no_expand)
      return;
    struct pp_macro *macro = kiln_pp_macro_of(pp, out->name);
    if (macro == NULL) // the operator _Pragma
      return;
    if (macro->disabled) {
      out->no_expand = true;
      return;
    }
    bool done = false;
    if (!kiln_pp_expand(pp, macro, out, &done) || done)
      return;
    line_start = out->at_line_start;
    space = out->after_space;
  }
}

// ---- text of tokens -------------------------------------------------------------------------------------------------

struct kiln_str kiln_pp_spelling(struct kiln_pp *pp, const struct kiln_token *tokens, uint32_t count) {
  size_t size = 0;
  for (uint32_t i = 0; i < count; i++)
    size += tokens[i].size + 1u;
  char *text = kiln_arena_alloc(pp->arena, size + 1, 1), *p = text;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && tokens[i].after_space)
      *p++ = ' ';
    memcpy(p, tokens[i].data, tokens[i].size);
    p += tokens[i].size;
  }
  *p = 0;
  return (struct kiln_str){text, (size_t)(p - text)};
}

struct kiln_token kiln_pp_make_token(struct kiln_pp *pp, enum kiln_token_kind kind, kiln_location location,
                                     const char *format, ...) {
  char text[64];
  va_list args;
  va_start(args, format);
  int size = kiln_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return (struct kiln_token){.kind = (uint16_t)kind,
                             .location = location,
                             .data = kiln_arena_strndup(pp->arena, text, (size_t)size),
                             .size = (uint32_t)size};
}

void kiln_pp_finish_line(struct kiln_pp *pp) {
  while (pp->top->kind == PP_EXPANSION)
    kiln_pp_pop(pp);
  struct kiln_token token;
  do
    kiln_lex(&pp->file->lexer, &token);
  while (token.kind != KILN_LEX_LINE_END);
}

void kiln_pp_finish_line_checked(struct kiln_pp *pp, const char *directive) {
  struct kiln_token token;
  kiln_lex(&pp->file->lexer, &token);
  if (token.kind != KILN_LEX_LINE_END) {
    kiln_diag_warning(pp->diags, KILN_W_EXTRA_TOKENS, token.location, 0, "extra tokens at end of #%s directive",
                      directive);
    kiln_pp_finish_line(pp);
  }
}

// ---- public functions -----------------------------------------------------------------------------------------------

void kiln_pp_set_info(struct kiln_pp *pp, const struct kiln_name *name, uint32_t info) {
  if (name->id >= pp->info_capacity) {
    uint32_t capacity = pp->info_capacity != 0 ? pp->info_capacity : 256;
    while (capacity <= name->id)
      capacity *= 2;
    pp->info = kiln_arena_grow(pp->arena, pp->info, pp->info_capacity * sizeof *pp->info, capacity * sizeof *pp->info,
                               _Alignof(uint32_t));
    memset(pp->info + pp->info_capacity, 0, (capacity - pp->info_capacity) * sizeof *pp->info);
    pp->info_capacity = capacity;
  }
  pp->info[name->id] = info | PP_ASKED;
  pp->epoch += info >> 8 != 0;
}

uint32_t kiln_pp_ask(struct kiln_pp *pp, const struct kiln_name *name) {
  kiln_pp_set_info(pp, name, 0);
  const char *definition = pp->config.predefined(pp->config.predefined_user, name->text, name->size);
  if (definition == NULL)
    return 0;
  kiln_pp_define(pp, definition);
  uint32_t info = kiln_pp_info(pp, name);
  if (info >> 8 != 0)
    pp->macros.items[info >> 8]->predefined = true;
  return info;
}

struct kiln_pp *kiln_pp_new(const struct kiln_pp_config *config) {
  static const struct {
    const char *text;
    uint8_t size, kind;
  } keywords[] = {
#define KILN_KEYWORD(NAME, text, role) {text, sizeof text - 1, KILN_TOKEN_KW_##NAME},
#include "jit/lang/lex/tokens.def"
  };
  _Static_assert(KILN_LEX_PRAGMA_OPERATOR < 256, "token kinds fit 8 bits of kiln_pp.info");
  struct kiln_pp *pp = KILN_NEW(config->arena, struct kiln_pp);
  pp->config = *config;
  if (pp->config.max_include_depth == 0)
    pp->config.max_include_depth = 64;
  pp->arena = config->arena;
  pp->top = &pp->none;
  pp->epoch = 1;
  pp->diags = config->diags;
  pp->sources = config->sources;
  pp->lex.arena = config->arena;
  pp->lex.names = config->names;
  pp->lex.diags = config->diags;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    kiln_pp_set_info(pp, kiln_lex_name(&pp->lex, keywords[i].text, keywords[i].size), keywords[i].kind);
  KILN_VEC_PUSH(pp->arena, &pp->macros, NULL);
  if (!config->no_macros) {
    kiln_pp_set_info(pp, kiln_lex_name(&pp->lex, "_Pragma", 7), KILN_LEX_PRAGMA_OPERATOR);
    kiln_pp_define_dynamic(pp);
    kiln_names_init(&pp->headers, pp->arena);
  }
  return pp;
}

// Puts text on the stack; it is copied, since the lexer needs a NUL after it.
static struct pp_file *push_text(struct kiln_pp *pp, const char *name, const char *text, size_t size) {
  kiln_location first = 0;
  if (size < UINT32_MAX) {
    text = kiln_arena_strndup(pp->arena, text, size);
    name = kiln_arena_strndup(pp->arena, name, strlen(name));
    first = kiln_sources_add(pp->sources, name, text, (uint32_t)size, 0);
  }
  if (first == 0) {
    kiln_diag(pp->diags, KILN_ERROR, 0, 0, "'%s' is too large: source texts may have 1 GiB together", name);
    kiln_pp_stop(pp);
    return NULL;
  }
  struct pp_file *file = KILN_NEW(pp->arena, struct pp_file);
  kiln_lexer_init(&file->lexer, &pp->lex, text, size, first);
  file->path = name;
  file->guard_state = PP_GUARD_NONE;
  kiln_pp_push_file(pp, file);
  return file;
}

void kiln_pp_start(struct kiln_pp *pp, const char *name, const char *text, size_t size) {
  push_text(pp, name, text, size);
}

void kiln_pp_push(struct kiln_pp *pp, const char *name, const char *text, size_t size) {
  push_text(pp, name, text, size);
}

// Carries out a directive of the command line, whose text is all of a file.
static void command_line(struct kiln_pp *pp, const char *text, size_t size, void (*directive)(struct kiln_pp *pp)) {
  struct pp_file *file = push_text(pp, "<command line>", text, size);
  if (file == NULL)
    return;
  file->lexer.in_directive = true;
  directive(pp);
  pp->file = file->outer;
  kiln_pp_pop(pp);
}

void kiln_pp_define(struct kiln_pp *pp, const char *definition) {
  size_t size = strcspn(definition, "\n"), name_size = strcspn(definition, "=\n");
  char *text = kiln_arena_alloc(pp->arena, size + 3, 1);
  memcpy(text, definition, size);
  if (name_size < size) {
    text[name_size] = ' ';
  } else {
    memcpy(text + size, " 1", 2);
    size += 2;
  }
  command_line(pp, text, size, kiln_pp_read_define);
}

void kiln_pp_undefine(struct kiln_pp *pp, const char *name) {
  command_line(pp, name, strlen(name), kiln_pp_read_undef);
}

// Reports a character that is no token. True: the token is delivered all the same.
static bool report_other(struct kiln_pp *pp, struct kiln_token *token) {
  unsigned char c = (unsigned char)token->data[0];
  if (c == '"' || c == '\'') {
    kiln_diag(pp->diags, KILN_ERROR, token->location, 0, "missing terminating '%c' character", c);
    token->kind = c == '"' ? KILN_TOKEN_STRING : KILN_TOKEN_CHAR;
    return true;
  }
  uint32_t code = c, more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
  if (c < 0x80 && c >= 0x20 && c != 0x7F) {
    kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token), "unexpected character '%c'", c);
    return false;
  }
  bool utf8 = more > 0 && more < token->size;
  code = utf8 ? c & (0x3Fu >> more) : c;
  for (uint32_t i = 1; utf8 && i <= more; i++) {
    utf8 = ((unsigned char)token->data[i] & 0xC0) == 0x80;
    code = code << 6 | ((unsigned char)token->data[i] & 0x3Fu);
  }
  if (utf8)
    kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token), "unexpected character <U+%04X>", code);
  else
    kiln_diag(pp->diags, KILN_ERROR, token->location, kiln_token_end(token), "unexpected byte 0x%02X in the source", c);
  return false;
}

// After _Pragma: ( "text" ). True: *token is the pragma for the parser.
static bool pragma_operator(struct kiln_pp *pp, struct kiln_token *token) {
  kiln_location location = token->location;
  struct kiln_token parts[3];
  static const uint16_t kinds[3] = {KILN_TOKEN_LPAREN, KILN_TOKEN_STRING, KILN_TOKEN_RPAREN};
  for (int i = 0; i < 3; i++) {
    kiln_pp_read(pp, &parts[i], i == 1);
    if (parts[i].kind != kinds[i]) {
      kiln_diag(pp->diags, KILN_ERROR, location, 0, "_Pragma takes a parenthesized string literal");
      return false;
    }
  }
  char *text = kiln_arena_alloc(pp->arena, parts[1].size, 1);
  size_t size = 0;
  for (uint32_t i = 1; i + 1 < parts[1].size; i++) {
    const char *p = parts[1].data + i;
    if (*p == '\\' && (p[1] == '"' || p[1] == '\\'))
      p++, i++;
    text[size++] = *p;
  }
  return kiln_pp_pragma(pp, location, (struct kiln_str){text, size}, token);
}

static void next_slowly(struct kiln_pp *pp, struct kiln_token *out) {
  while (pp->top->kind == PP_EXPANSION && pp->top->at == pp->top->end && !pp->stopped)
    kiln_pp_pop(pp);
  bool lexed = false;
  if (kiln_pp_next_plain(pp, out) || kiln_pp_read_settled(pp, out, &lexed))
    return;
  for (;; lexed = false) {
    kiln_pp_read_slowly(pp, out, true, lexed);
    if (out->kind == KILN_TOKEN_OTHER) {
      if (report_other(pp, out))
        return;
    } else if (out->kind == KILN_LEX_PRAGMA_OPERATOR) {
      if (pragma_operator(pp, out))
        return;
    } else {
      return;
    }
  }
}

void kiln_pp_next(struct kiln_pp *pp, struct kiln_token *out) {
  if (!kiln_pp_next_plain(pp, out))
    next_slowly(pp, out);
}

bool kiln_pp_has_macro(struct kiln_pp *pp, const char *name) {
  return kiln_pp_info(pp, kiln_lex_name(&pp->lex, name, (uint32_t)strlen(name))) >> 8 != 0;
}

bool kiln_pp_used_file(const struct kiln_pp *pp) { return pp->used_file; }

uint32_t kiln_pp_includes(const struct kiln_pp *pp, const struct kiln_pp_include **out) {
  *out = pp->includes.items;
  return pp->includes.count;
}
