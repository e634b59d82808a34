// Expressions: precedence climbing. Chains of operators of one level are loops, so that a sum of any length needs no
// stack; everything that nests is counted.
#include "jit/lang/parse/parse.h"

#include "jit/lang/ast/literal.h"
#include "jit/lang/pp/pp.h"

static struct kiln_expr *parse_cast(struct kiln_parser *p);

// ---- literals -------------------------------------------------------------------------------------------------------

static struct kiln_literal_env literal_env(struct kiln_parser *p) {
  return (struct kiln_literal_env){p->sema.arena, p->sema.lang->diags,
                                   p->sema.lang->options->single_precision_constants && !p->sema.in_library};
}

static struct kiln_expr *parse_any_number(struct kiln_parser *p) {
  struct kiln_token tok = p->tok;
  struct kiln_literal_env env = literal_env(p);
  struct kiln_number number = {0};
  if (!p->sema.stop)
    kiln_literal_number(&env, &tok, &number);
  kiln_parse_advance(p);
  kiln_location end = kiln_sema_token_end(&tok);
  enum kiln_ctype_kind kind = number.type;
  const struct kiln_lang_options *options = p->sema.lang->options;
  if (kind == KILN_CT_DOUBLE && !options->fp64 && !p->sema.in_library) {
    if (!p->sema.warned_double)
      kiln_sema_warning(&p->sema, KILN_W_SINGLE_PRECISION, tok.location, end,
                        "double precision constant requires cl_khr_fp64, casting to single precision");
    p->sema.warned_double = true;
    kind = KILN_CT_FLOAT;
    number.number = (double)(float)number.number;
  } else if (kind == KILN_CT_HALF && !options->fp16 && !p->sema.in_library) {
    return kiln_expr_invalid(&p->sema, tok.location, end, "half precision constant requires cl_khr_fp16");
  }
  if (!kiln_number_is_float(&number))
    return kiln_expr_int(&p->sema, kiln_ctype_scalar(kind), number.value, tok.location, end);
  struct kiln_expr *e = kiln_expr_new(&p->sema, KILN_EX_FLOAT, kiln_plain(kiln_ctype_scalar(kind)), tok.location, end);
  e->number = number.number;
  return e;
}

// What most numbers are. NULL: it is another one.
static inline struct kiln_expr *small_number_expr(struct kiln_parser *p, const struct kiln_token *tok) {
  struct kiln_number number;
  if (!kiln_literal_small(tok, &number))
    return NULL;
  const struct kiln_ctype *type = kiln_ctype_scalar(number.type);
  struct kiln_expr *e = kiln_expr_new(&p->sema, KILN_EX_INT, kiln_plain(type), tok->location, kiln_sema_token_end(tok));
  e->value = number.value;
  return e;
}

static struct kiln_expr *parse_number(struct kiln_parser *p) {
  struct kiln_expr *e = p->sema.stop ? NULL : small_number_expr(p, &p->tok);
  if (!e)
    return parse_any_number(p);
  kiln_parse_advance(p);
  return e;
}

static struct kiln_expr *parse_char(struct kiln_parser *p) {
  struct kiln_token tok = p->tok;
  struct kiln_literal_env env = literal_env(p);
  int32_t value = 0;
  if (!p->sema.stop)
    kiln_literal_char(&env, &tok, &value);
  kiln_parse_advance(p);
  return kiln_expr_int(&p->sema, kiln_ctype_scalar(KILN_CT_INT), (uint64_t)(int64_t)value, tok.location,
                       kiln_sema_token_end(&tok));
}

static struct kiln_expr *string_expr(struct kiln_parser *p, const char *text, uint32_t size, kiln_location location) {
  struct kiln_qtype element = {kiln_ctype_scalar(KILN_CT_CHAR), 0, KILN_CONSTANT};
  struct kiln_qtype type = {kiln_ctype_array(p->sema.types, element, (uint64_t)size + 1, true), 0, KILN_CONSTANT};
  struct kiln_expr *e = kiln_expr_new(&p->sema, KILN_EX_STRING, type, location, p->last_end);
  e->text = text;
  e->text_size = size;
  e->is_lvalue = true;
  return e;
}

struct kiln_expr *kiln_parse_string(struct kiln_parser *p) {
  KILN_VEC(struct kiln_token) tokens = {0};
  kiln_location location = p->tok.location;
  for (; p->tok.kind == KILN_TOKEN_STRING; kiln_parse_advance(p)) {
    KILN_VEC_PUSH(p->sema.arena, &tokens, p->tok);
    p->string_bytes += p->tok.size;
  }
  struct kiln_literal_env env = literal_env(p);
  const char *text = "";
  uint32_t size = 0;
  if (p->string_bytes > KILN_MAX_STRING_BYTES)
    kiln_parse_fatal(p, location, 0, "the strings of the source have more than 67108864 bytes together");
  else
    kiln_literal_string(&env, tokens.items, tokens.count, &text, &size);
  return string_expr(p, text, size, location);
}

void kiln_parse_static_assert(struct kiln_parser *p) {
  kiln_location location = p->tok.location;
  kiln_parse_advance(p);
  kiln_location open = p->tok.location;
  int64_t value = 1;
  bool ok = kiln_parse_expect(p, KILN_TOKEN_LPAREN, "", 0) &&
            kiln_parse_constant(p, "static_assert expression is not an integral constant expression", &value, NULL);
  const char *text = NULL;
  if (ok && kiln_parse_accept(p, KILN_TOKEN_COMMA) && p->tok.kind == KILN_TOKEN_STRING)
    text = kiln_parse_string(p)->text;
  if (!ok || !kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open))
    kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
  else if (!value)
    kiln_sema_error(&p->sema, location, 0, text ? "static_assert failed \"%s\"" : "static_assert failed", text);
  kiln_parse_expect(p, KILN_TOKEN_SEMICOLON, "after '_Static_assert'", 0);
}

// ---- names and calls ------------------------------------------------------------------------------------------------

static struct kiln_expr **parse_arguments(struct kiln_parser *p, uint32_t *count, kiln_location *close) {
  KILN_VEC(struct kiln_expr *) args = {0};
  kiln_location open = p->tok.location;
  kiln_parse_advance(p);
  while (p->tok.kind != KILN_TOKEN_RPAREN && p->tok.kind != KILN_TOKEN_END) {
    struct kiln_expr *arg = kiln_parse_assignment(p);
    KILN_VEC_PUSH(p->sema.arena, &args, arg);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
    if (p->tok.kind == KILN_TOKEN_RPAREN)
      kiln_parse_error(p, &p->tok, "expected expression");
  }
  *close = p->tok.location;
  *count = args.count;
  if (!kiln_parse_close(p, KILN_TOKEN_RPAREN, open))
    *close = 0;
  return args.items;
}

static struct kiln_expr *undeclared(struct kiln_parser *p, const struct kiln_token *tok, bool call) {
  kiln_location end = kiln_sema_token_end(tok);
  if (kiln_parse_foreign(p, tok))
    return kiln_expr_error(&p->sema, tok->location, end);
  const char *near = p->sema.stop ? NULL : kiln_scope_nearest(&p->sema, tok->name->text, false);
  const char *format = call   ? near ? "implicit declaration of function '%s' is invalid in OpenCL; did you mean '%s'?"
                                     : "implicit declaration of function '%s' is invalid in OpenCL"
                       : near ? "use of undeclared identifier '%s'; did you mean '%s'?"
                              : "use of undeclared identifier '%s'";
  bool images = p->sema.lang->options->images;
  const struct kiln_builtin *later =
      p->sema.stop ? NULL : kiln_builtin_find(tok->name->text, tok->name->size, 300, images);
  if (call && kiln_parse_not_supported(p, tok, false))
    return kiln_expr_error(&p->sema, tok->location, end);
  if (later && call)
    return kiln_expr_invalid(&p->sema, tok->location, end, "function '%s' is of OpenCL C 2.0 and later: -cl-std=CL2.0",
                             tok->name->text);
  kiln_sema_error(&p->sema, tok->location, end, format, tok->name->text, near);
  struct kiln_symbol *symbol =
      near ? kiln_scope_find(&p->sema, kiln_names_intern(p->sema.lang->names, near, strlen(near))) : NULL;
  if (symbol && symbol->kind == KILN_SYMBOL_DECL && symbol->location)
    kiln_sema_note(&p->sema, symbol->location, 0, "'%s' declared here", near);
  return kiln_expr_error(&p->sema, tok->location, end);
}

static bool is_reserved(const struct kiln_name *name, const char *text) {
  return name->text[0] == '_' && strcmp(name->text, text) == 0;
}

// The variable or parameter that an identifier means; NULL: it means something else.
static inline struct kiln_decl *variable_named(struct kiln_parser *p, struct kiln_name *name) {
  struct kiln_symbol *symbol = kiln_scope_find(&p->sema, name);
  return symbol && symbol->kind == KILN_SYMBOL_DECL && kiln_is_variable(symbol->decl) ? symbol->decl : NULL;
}

// Of a declaration that is no type.
static struct kiln_expr *decl_expr(struct kiln_parser *p, struct kiln_decl *decl, const struct kiln_token *tok) {
  if (kiln_is_variable(decl))
    return kiln_expr_variable(&p->sema, decl, tok);
  kiln_location end = kiln_sema_token_end(tok);
  if (decl->kind == KILN_DECL_ENUMERATOR)
    return kiln_expr_int(&p->sema, decl->type.type, (uint64_t)decl->value, tok->location, end);
  return kiln_expr_invalid(&p->sema, tok->location, end, "taking address of function is not allowed");
}

static struct kiln_expr *call_expr(struct kiln_parser *p, const struct kiln_token *tok, struct kiln_symbol *symbol) {
  uint32_t count;
  kiln_location close;
  bool callable = symbol && (symbol->kind == KILN_SYMBOL_BUILTIN ||
                             (symbol->kind == KILN_SYMBOL_DECL && symbol->decl->kind == KILN_DECL_FUNCTION));
  struct kiln_expr *bad = NULL;
  if (!symbol) {
    bad = undeclared(p, tok, true);
  } else if (!callable) {
    if (symbol->kind != KILN_SYMBOL_DECL || symbol->decl->kind == KILN_DECL_TYPEDEF)
      kiln_parse_error(p, tok, "unexpected type name '%s': expected expression", tok->name->text);
    else if (symbol->decl->type.type->kind != KILN_CT_ERROR)
      kiln_parse_error(p, tok, "called object type '%s' is not a function or function pointer",
                       kiln_sema_qtype_text(&p->sema, symbol->decl->type));
    else
      kiln_sema_miss_type(&p->sema, symbol->decl, tok);
    bad = kiln_expr_error(&p->sema, tok->location, kiln_sema_token_end(tok));
  }
  struct kiln_expr **args = parse_arguments(p, &count, &close);
  if (bad || !close)
    return bad ? bad : kiln_expr_error(&p->sema, tok->location, p->last_end);
  return kiln_sema_call(&p->sema, symbol, tok->name, tok->location, kiln_sema_token_end(tok), args, count, close);
}

static struct kiln_expr *parse_name(struct kiln_parser *p) {
  struct kiln_token tok = p->tok;
  struct kiln_expr *special = tok.name->text[0] == '_' ? kiln_parse_special(p) : NULL;
  if (special)
    return special;
  struct kiln_symbol *symbol = kiln_scope_find(&p->sema, tok.name);
  kiln_location end = kiln_sema_token_end(&tok);
  kiln_parse_advance(p);
  if (p->tok.kind == KILN_TOKEN_LPAREN)
    return call_expr(p, &tok, symbol);
  if (p->tok.kind == KILN_TOKEN_CHAR && tok.size == 1 && tok.data[0] == 'L' && !p->tok.after_space) // a wide one
    return parse_char(p);
  if (!symbol && p->sema.fn &&
      (is_reserved(tok.name, "__func__") || is_reserved(tok.name, "__FUNCTION__") ||
       is_reserved(tok.name, "__PRETTY_FUNCTION__")))
    return string_expr(p, p->sema.fn->decl.name->text, p->sema.fn->decl.name->size, tok.location);
  if (!symbol)
    return undeclared(p, &tok, false);
  if (symbol->kind == KILN_SYMBOL_DECL && symbol->decl->kind != KILN_DECL_TYPEDEF)
    return decl_expr(p, symbol->decl, &tok);
  if (symbol->kind == KILN_SYMBOL_BUILTIN)
    return kiln_expr_invalid(&p->sema, tok.location, end, "builtin functions must be directly called");
  return kiln_expr_invalid(&p->sema, tok.location, end, "unexpected type name '%s': expected expression",
                           tok.name->text);
}

// ---- primary and postfix --------------------------------------------------------------------------------------------

// After the "(" at open, where no type is.
static struct kiln_expr *parse_parenthesized(struct kiln_parser *p, kiln_location open) {
  if (p->tok.kind == KILN_TOKEN_LBRACE)
    return kiln_parse_statement_expression(p, open);
  struct kiln_expr *e = kiln_parse_expression(p);
  kiln_parse_close(p, KILN_TOKEN_RPAREN, open);
  return e;
}

// Any but one in parentheses.
static struct kiln_expr *parse_primary(struct kiln_parser *p) {
  kiln_location location = p->tok.location;
  switch (p->tok.kind) {
  case KILN_TOKEN_IDENTIFIER:
    return parse_name(p);
  case KILN_TOKEN_NUMBER:
    return parse_number(p);
  case KILN_TOKEN_CHAR:
    return parse_char(p);
  case KILN_TOKEN_STRING:
    return kiln_parse_string(p);
  case KILN_TOKEN_KW_GENERIC_SELECTION:
    return kiln_parse_generic(p);
  case KILN_TOKEN_CARET:
    if (!kiln_parse_next_is(p, KILN_TOKEN_LBRACE))
      break;
    kiln_sema_error(&p->sema, location, 0, "blocks are not supported");
    kiln_parse_advance(p);
    kiln_parse_advance(p);
    kiln_parse_skip_block(p);
    return kiln_expr_error(&p->sema, location, location);
  default:
    break;
  }
  bool label = p->tok.kind == KILN_TOKEN_AMP_AMP && kiln_parse_next_is(p, KILN_TOKEN_IDENTIFIER);
  kiln_sema_error(&p->sema, location, kiln_sema_token_end(&p->tok),
                  label ? "the address of a label is not supported" : "expected expression");
  if (label) {
    kiln_parse_advance(p);
    kiln_parse_advance(p);
  }
  return kiln_expr_error(&p->sema, location, location);
}

static struct kiln_expr *parse_subscript(struct kiln_parser *p, struct kiln_expr *e) {
  kiln_location open = p->tok.location;
  kiln_parse_advance(p);
  struct kiln_expr *index = kiln_parse_expression(p);
  if (!kiln_parse_close(p, KILN_TOKEN_RBRACKET, open))
    return kiln_expr_error(&p->sema, open, p->last_end);
  return kiln_sema_subscript(&p->sema, e->location, p->last_end, e, index);
}

static struct kiln_expr *parse_member(struct kiln_parser *p, struct kiln_expr *e) {
  bool arrow = p->tok.kind == KILN_TOKEN_ARROW;
  kiln_parse_advance(p);
  struct kiln_token tok = p->tok;
  if (!tok.name)
    return kiln_expr_invalid(&p->sema, tok.location, kiln_sema_token_end(&tok), "expected identifier");
  kiln_parse_advance(p);
  return kiln_sema_member(&p->sema, e, tok.name, tok.location, kiln_sema_token_end(&tok), arrow);
}

static struct kiln_expr *parse_step(struct kiln_parser *p, struct kiln_expr *e) {
  enum kiln_expr_kind kind = p->tok.kind == KILN_TOKEN_PLUS_PLUS ? KILN_EX_POST_INC : KILN_EX_POST_DEC;
  kiln_location location = p->tok.location;
  kiln_parse_advance(p);
  return kiln_sema_step(&p->sema, kind, location, p->last_end, e);
}

// A call of what is no name of a function.
static struct kiln_expr *parse_bad_call(struct kiln_parser *p, struct kiln_expr *e) {
  uint32_t count;
  kiln_location close;
  if (!kiln_is_error(e))
    kiln_sema_error(&p->sema, e->location, e->end, "called object type '%s' is not a function or function pointer",
                    kiln_sema_type_text(&p->sema, e->type.type));
  parse_arguments(p, &count, &close);
  return kiln_expr_error(&p->sema, e->location, p->last_end);
}

static bool begins_postfix(unsigned kind) {
  return kind == KILN_TOKEN_LBRACKET || kind == KILN_TOKEN_DOT || kind == KILN_TOKEN_ARROW ||
         kind == KILN_TOKEN_PLUS_PLUS || kind == KILN_TOKEN_MINUS_MINUS || kind == KILN_TOKEN_LPAREN;
}

static struct kiln_expr *parse_postfix(struct kiln_parser *p, struct kiln_expr *e) {
  for (unsigned length = 0;; length++) {
    if (length > KILN_MAX_CHAIN) {
      kiln_parse_fatal(p, p->tok.location, 0, "more than 512 member accesses and subscripts in a row");
      return kiln_expr_error(&p->sema, p->tok.location, 0);
    }
    unsigned kind = p->tok.kind;
    if (kind == KILN_TOKEN_LBRACKET)
      e = parse_subscript(p, e);
    else if (kind == KILN_TOKEN_DOT || kind == KILN_TOKEN_ARROW)
      e = parse_member(p, e);
    else if (kind == KILN_TOKEN_PLUS_PLUS || kind == KILN_TOKEN_MINUS_MINUS)
      e = parse_step(p, e);
    else if (kind == KILN_TOKEN_LPAREN)
      e = parse_bad_call(p, e);
    else
      return e;
  }
}

// ---- unary and casts ------------------------------------------------------------------------------------------------

// sizeof, __alignof__ and vec_step: of a type in parentheses or of an expression.
static struct kiln_expr *parse_measure(struct kiln_parser *p) {
  struct kiln_token tok = p->tok;
  const struct kiln_expr *measured = NULL;
  kiln_parse_advance(p);
  struct kiln_qtype type;
  if (p->tok.kind == KILN_TOKEN_LPAREN && kiln_parse_is_type(p, kiln_parse_peek(p, 1))) {
    kiln_location open = p->tok.location;
    kiln_parse_advance(p);
    type = kiln_parse_type_name(p);
    kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
  } else {
    kiln_location operand = p->tok.location;
    p->sema.unevaluated++;
    const struct kiln_expr *e = parse_cast(p);
    p->sema.unevaluated--;
    type = e->type;
    measured = e;
    if (tok.kind == KILN_TOKEN_KW_SIZEOF)
      kiln_warn_sizeof(&p->sema, operand, e);
  }
  const struct kiln_ctype *t = type.type, *size_type = kiln_ctype_scalar(KILN_CT_ULONG);
  if (t->kind == KILN_CT_ERROR)
    return kiln_expr_error(&p->sema, tok.location, p->last_end);
  if (tok.kind == KILN_TOKEN_KW_VEC_STEP) {
    if (!kiln_ctype_is_scalar_number(kiln_ctype_element(t)) && t->kind != KILN_CT_VOID)
      return kiln_expr_invalid(&p->sema, tok.location, p->last_end,
                               "'vec_step' requires built-in scalar or vector type, '%s' invalid",
                               kiln_sema_type_text(&p->sema, t));
    unsigned lanes = kiln_ctype_lanes(t);
    return kiln_expr_int(&p->sema, kiln_ctype_scalar(KILN_CT_INT), lanes == 3 ? 4 : lanes, tok.location, p->last_end);
  }
  if (t->kind == KILN_CT_VOID)
    return kiln_expr_invalid(&p->sema, tok.location, p->last_end, "invalid application of '%s' to a void type",
                             kiln_token_kind_text((enum kiln_token_kind)tok.kind));
  if (!t->complete)
    return kiln_expr_invalid(&p->sema, tok.location, p->last_end,
                             "invalid application of '%s' to an incomplete type '%s'",
                             kiln_token_kind_text((enum kiln_token_kind)tok.kind), kiln_sema_type_text(&p->sema, t));
  if (tok.kind != KILN_TOKEN_KW_SIZEOF)
    return kiln_expr_int(&p->sema, size_type, t->align, tok.location, p->last_end);
  struct kiln_expr *size = kiln_expr_int(&p->sema, size_type, t->size, tok.location, p->last_end);
  uint32_t slot = p->sema.measured_count++ % 2;
  p->sema.measured[slot].result = size;
  p->sema.measured[slot].operand = measured;
  p->sema.measured[slot].type = t;
  return size;
}

// What the operators before an operand make, but those with functions of their own: "&" and "*".
static const uint8_t unary_operators[KILN_TOKEN_KIND_COUNT] = {
    [KILN_TOKEN_PLUS] = KILN_EX_ADD,          [KILN_TOKEN_MINUS] = KILN_EX_NEG,
    [KILN_TOKEN_TILDE] = KILN_EX_NOT,         [KILN_TOKEN_EXCLAIM] = KILN_EX_LOGNOT,
    [KILN_TOKEN_PLUS_PLUS] = KILN_EX_PRE_INC, [KILN_TOKEN_MINUS_MINUS] = KILN_EX_PRE_DEC};

static struct kiln_expr *parse_unary_operator(struct kiln_parser *p) {
  struct kiln_token tok = p->tok;
  kiln_parse_advance(p);
  struct kiln_expr *e = parse_cast(p);
  enum kiln_expr_kind kind = (enum kiln_expr_kind)unary_operators[tok.kind];
  if (kind == KILN_EX_PRE_INC || kind == KILN_EX_PRE_DEC)
    return kiln_sema_step(&p->sema, kind, tok.location, p->last_end, e);
  if (tok.kind == KILN_TOKEN_AMP)
    return kiln_sema_address(&p->sema, tok.location, e);
  return tok.kind == KILN_TOKEN_STAR ? kiln_sema_deref(&p->sema, tok.location, e)
                                     : kiln_sema_unary(&p->sema, kind, tok.location, e);
}

// After "(type)", type being a vector, at '(': a list of components, or an operand in parentheses.
static struct kiln_expr *parse_vector_literal(struct kiln_parser *p, kiln_location location, struct kiln_qtype type) {
  uint32_t count;
  kiln_location close, open = p->tok.location;
  struct kiln_expr **args = parse_arguments(p, &count, &close);
  if (!close)
    return kiln_expr_error(&p->sema, location, p->last_end);
  if (count == 0)
    return kiln_expr_invalid(&p->sema, open, 0, "expected expression");
  kiln_location end = p->last_end;
  if (count > 1)
    return parse_postfix(p, kiln_sema_vector(&p->sema, type.type, args, count, location, end));
  struct kiln_expr *operand = kiln_sema_value(&p->sema, args[0]);
  if (kiln_ctype_is_convertible(operand->type.type) || operand->type.type == type.type) {
    struct kiln_expr *e = kiln_sema_cast(&p->sema, location, type, operand);
    e->end = end;
    return parse_postfix(p, e);
  }
  return kiln_sema_cast(&p->sema, location, type, parse_postfix(p, args[0]));
}

// After the "(" at location, at a type.
static struct kiln_expr *parse_typed(struct kiln_parser *p, kiln_location location) {
  struct kiln_qtype type = kiln_parse_type_name(p);
  if (!kiln_parse_close(p, KILN_TOKEN_RPAREN, location))
    return kiln_expr_error(&p->sema, location, p->last_end);
  if (p->tok.kind == KILN_TOKEN_LBRACE) {
    struct kiln_expr *init = kiln_parse_initializer(p, &type);
    if (kiln_is_error(init))
      return parse_postfix(p, init);
    if (init->kind != KILN_EX_INIT_LIST && init->kind != KILN_EX_STRING) // of a scalar or vector: just the value
      return parse_postfix(p, kiln_sema_cast(&p->sema, location, type, init));
    struct kiln_expr *e = kiln_expr_new(&p->sema, KILN_EX_COMPOUND_LITERAL, type, location, p->last_end);
    e->type.space = KILN_PRIVATE;
    e->left = init;
    e->is_lvalue = true;
    return parse_postfix(p, e);
  }
  bool is_cast = p->tok.kind == KILN_TOKEN_LPAREN && kiln_parse_is_type(p, kiln_parse_peek(p, 1)); // (int4)(int)x
  if (type.type->kind == KILN_CT_VECTOR && p->tok.kind == KILN_TOKEN_LPAREN && !is_cast)
    return parse_vector_literal(p, location, type);
  return kiln_sema_cast(&p->sema, location, type, parse_cast(p));
}

static struct kiln_expr *parse_nested(struct kiln_parser *p, struct kiln_expr *(*parse)(struct kiln_parser *)) {
  struct kiln_expr *e = kiln_parse_enter(p) ? parse(p) : kiln_expr_error(&p->sema, p->tok.location, 0);
  kiln_parse_leave(p);
  return e;
}

// After a "(": one variable or number and the ")", as most parentheses of macros are. NULL: it is something else.
static struct kiln_expr *parse_enclosed(struct kiln_parser *p) {
  struct kiln_decl *decl = NULL;
  if (p->tok.kind == KILN_TOKEN_IDENTIFIER) {
    decl = variable_named(p, p->tok.name);
    if (!decl)
      return NULL;
  } else if (p->tok.kind != KILN_TOKEN_NUMBER) {
    return NULL;
  }
  if (!kiln_parse_next_is(p, KILN_TOKEN_RPAREN))
    return NULL;
  struct kiln_expr *e;
  if (decl) {
    e = kiln_expr_variable(&p->sema, decl, &p->tok);
    kiln_parse_advance(p);
  } else {
    e = parse_number(p);
  }
  kiln_parse_advance(p);
  return e;
}

// The same at the "(", where all of it is in what a macro made: the parser need not move through it.
static inline struct kiln_expr *parse_enclosed_token(struct kiln_parser *p) {
  const struct kiln_token *tok = kiln_parse_is_usual(p) ? kiln_pp_plain_pair(p->pp, KILN_TOKEN_RPAREN) : NULL;
  struct kiln_expr *e = NULL;
  if (!tok)
    return NULL;
  if (tok->kind == KILN_TOKEN_IDENTIFIER) {
    struct kiln_decl *decl = variable_named(p, tok->name);
    if (decl)
      e = kiln_expr_variable(&p->sema, decl, tok);
  } else if (tok->kind == KILN_TOKEN_NUMBER) {
    e = small_number_expr(p, tok);
  }
  if (!e)
    return NULL;
  p->tok = tok[1]; // the ")"
  p->pp->top->at = tok + 2;
  p->advanced += 2;
  kiln_parse_advance(p);
  return e;
}

__attribute__((noinline)) static struct kiln_expr *parse_nested_typed(struct kiln_parser *p, kiln_location open) {
  struct kiln_expr *e = kiln_parse_enter(p) ? parse_typed(p, open) : kiln_expr_error(&p->sema, open, 0);
  kiln_parse_leave(p);
  return e;
}

// At "(": a cast, a literal of a vector, record or array, or an expression in parentheses.
__attribute__((noinline)) static struct kiln_expr *parse_open(struct kiln_parser *p) {
  kiln_location open = p->tok.location;
  struct kiln_expr *enclosed = parse_enclosed_token(p);
  if (!enclosed) {
    kiln_parse_advance(p);
    enclosed = parse_enclosed(p);
  }
  if (!enclosed && !kiln_parse_is_type(p, &p->tok))
    enclosed = parse_parenthesized(p, open);
  if (enclosed)
    return begins_postfix(p->tok.kind) ? parse_postfix(p, enclosed) : enclosed;
  return parse_nested_typed(p, open);
}

// A name of a variable, where it is seen at once that no call is after it. NULL: it is something else.
static inline struct kiln_expr *parse_variable(struct kiln_parser *p) {
  const struct kiln_token *next = kiln_parse_is_usual(p) ? kiln_pp_plain(p->pp) : NULL;
  if (!next || next->kind == KILN_TOKEN_LPAREN || next->kind == KILN_TOKEN_CHAR || p->tok.name->text[0] == '_')
    return NULL;
  struct kiln_decl *decl = variable_named(p, p->tok.name);
  if (!decl)
    return NULL;
  struct kiln_expr *e = kiln_expr_variable(&p->sema, decl, &p->tok);
  kiln_parse_advance(p);
  return e;
}

static bool is_alignof(uint16_t kind) {
  return kind == KILN_TOKEN_KW_ALIGNOF || kind == KILN_TOKEN_KW_ALIGNOF_ || kind == KILN_TOKEN_KW_ALIGNOF__;
}

__attribute__((noinline)) static struct kiln_expr *parse_any_cast(struct kiln_parser *p) {
  struct kiln_expr *variable = p->tok.kind == KILN_TOKEN_IDENTIFIER ? parse_variable(p) : NULL;
  if (variable)
    return begins_postfix(p->tok.kind) ? parse_postfix(p, variable) : variable;
  if (unary_operators[p->tok.kind] || p->tok.kind == KILN_TOKEN_AMP || p->tok.kind == KILN_TOKEN_STAR)
    return parse_nested(p, parse_unary_operator);
  if (p->tok.kind == KILN_TOKEN_KW_SIZEOF || p->tok.kind == KILN_TOKEN_KW_VEC_STEP || is_alignof(p->tok.kind))
    return parse_nested(p, parse_measure);
  struct kiln_expr *e = parse_primary(p);
  return begins_postfix(p->tok.kind) ? parse_postfix(p, e) : e;
}

__attribute__((noinline)) static struct kiln_expr *parse_number_and_postfix(struct kiln_parser *p) {
  struct kiln_expr *e = parse_number(p);
  return begins_postfix(p->tok.kind) ? parse_postfix(p, e) : e;
}

static struct kiln_expr *parse_cast(struct kiln_parser *p) {
  if (p->tok.kind == KILN_TOKEN_LPAREN)
    return parse_open(p);
  return p->tok.kind == KILN_TOKEN_NUMBER ? parse_number_and_postfix(p) : parse_any_cast(p);
}

// ---- binary operators -----------------------------------------------------------------------------------------------

// The operator before the operand that begins here; only "!" is of interest.
static struct kiln_operator operator_at(const struct kiln_parser *p) {
  bool is_not = p->tok.kind == KILN_TOKEN_EXCLAIM;
  return (struct kiln_operator){is_not ? KILN_EX_LOGNOT : KILN_EX_ERROR, p->tok.location};
}

// After the current token. top: what is before the operand, see operator_at.
static inline struct kiln_expr *next_cast(struct kiln_parser *p, struct kiln_operator *top) {
  kiln_parse_advance(p);
  *top = operator_at(p);
  return parse_cast(p);
}

// top: the operator that l comes out of without parentheses, when it begins, and the result at the end.
static struct kiln_expr *binary_rest(struct kiln_parser *p, struct kiln_expr *l, unsigned lowest,
                                     struct kiln_operator *top) {
  unsigned converted = 0;
  for (;;) {
    struct kiln_binary op = kiln_binary_operators[p->tok.kind];
    if (!op.precedence || op.precedence < lowest)
      return l;
    kiln_location location = p->tok.location;
    struct kiln_operator right, this = {(enum kiln_expr_kind)op.kind, location};
    bool never =
        (this.kind == KILN_EX_LOGAND || this.kind == KILN_EX_LOGOR) && kiln_is_never(l, this.kind == KILN_EX_LOGAND);
    p->sema.unreached += never;
    struct kiln_expr *r = next_cast(p, &right);
    if (kiln_binary_operators[p->tok.kind].precedence > op.precedence)
      r = binary_rest(p, r, op.precedence + 1u, &right);
    p->sema.unreached -= never;
    if (!(location & KILN_LOCATION_MACRO)) // what comes out of a macro is left alone
      kiln_warn_precedence(&p->sema, this, *top, right, l, r, p->last_end);
    struct kiln_expr *e = kiln_sema_binary(&p->sema, this.kind, location, l, r);
    // Conversions between the operators of a chain make it deep for all that walk the tree.
    bool is_converted = e->left && e->left != l && e->right != l;
    if (is_converted && ++converted > KILN_MAX_CHAIN) {
      kiln_parse_fatal(p, location, 0, "more than 512 conversions in one chain of operators");
      return kiln_expr_error(&p->sema, location, 0);
    }
    l = e;
    *top = this;
  }
}

// At the "?" after e.
static struct kiln_expr *choice_rest(struct kiln_parser *p, struct kiln_expr *e) {
  // a ? b : c ? d : e … is read from the left and put together from the right
  KILN_VEC(struct kiln_expr *) parts = {0};
  KILN_VEC(kiln_location) locations = {0};
  uint32_t never = 0; // see parse_if
  while (p->tok.kind == KILN_TOKEN_QUESTION) {
    kiln_location location = p->tok.location;
    kiln_parse_advance(p);
    KILN_VEC_PUSH(p->sema.arena, &parts, e);
    p->sema.unreached += kiln_is_never(e, true);
    struct kiln_expr *then = p->tok.kind == KILN_TOKEN_COLON ? NULL : parse_nested(p, kiln_parse_expression);
    p->sema.unreached -= kiln_is_never(e, true);
    KILN_VEC_PUSH(p->sema.arena, &parts, then);
    KILN_VEC_PUSH(p->sema.arena, &locations, location);
    if (locations.count > KILN_MAX_CHAIN)
      kiln_parse_fatal(p, location, 0, "more than 512 conditional operators in a row");
    if (!kiln_parse_expect(p, KILN_TOKEN_COLON, "", 0)) {
      kiln_sema_note(&p->sema, location, 0, "to match this '?'");
      p->sema.unreached -= never;
      return kiln_expr_error(&p->sema, location, p->last_end);
    }
    struct kiln_operator top = operator_at(p);
    never += kiln_is_never(e, false);
    p->sema.unreached += kiln_is_never(e, false);
    e = binary_rest(p, parse_cast(p), 1, &top);
  }
  p->sema.unreached -= never;
  for (uint32_t i = locations.count; i-- > 0;) {
    struct kiln_expr *cond = parts.items[2 * i], *then = parts.items[2 * i + 1];
    e = then ? kiln_sema_choose(&p->sema, locations.items[i], cond, then, e)
             : kiln_sema_choose_itself(&p->sema, locations.items[i], cond, e);
  }
  return e;
}

// After e, the first operand; top: see binary_rest.
static struct kiln_expr *conditional_rest(struct kiln_parser *p, struct kiln_expr *e, struct kiln_operator *top) {
  if (kiln_binary_operators[p->tok.kind].precedence)
    e = binary_rest(p, e, 1, top);
  return p->tok.kind == KILN_TOKEN_QUESTION ? choice_rest(p, e) : e;
}

static struct kiln_expr *parse_conditional(struct kiln_parser *p) {
  struct kiln_operator top = operator_at(p);
  return conditional_rest(p, parse_cast(p), &top);
}

bool kiln_parse_constant(struct kiln_parser *p, const char *what, int64_t *out, const struct kiln_ctype **type) {
  kiln_location location = p->tok.location;
  struct kiln_expr *e = kiln_sema_value(&p->sema, parse_conditional(p));
  if (kiln_is_error(e))
    return false;
  if (e->kind != KILN_EX_INT) {
    kiln_sema_error(&p->sema, location, p->last_end, "%s", what);
    return false;
  }
  *out = (int64_t)e->value;
  if (type)
    *type = e->type.type;
  return true;
}

// ---- assignment and comma -------------------------------------------------------------------------------------------

// The operator of "op="; KILN_EX_ASSIGN for '='; KILN_EX_INT for anything else.
static enum kiln_expr_kind assignment_of(enum kiln_token_kind kind) {
  static const uint8_t table[KILN_TOKEN_KIND_COUNT] = {
#define KILN_ASSIGNMENT(TOKEN, KIND) [KILN_TOKEN_##TOKEN] = KILN_EX_##KIND,
#include "jit/lang/lex/operators.def"
  };
  _Static_assert(KILN_EX_INT == 0, "what is not in the table");
  return (enum kiln_expr_kind)table[kind];
}

static struct kiln_expr *assignment_rest(struct kiln_parser *p, struct kiln_expr *l, struct kiln_operator *top) {
  l = conditional_rest(p, l, top);
  enum kiln_expr_kind kind = assignment_of((enum kiln_token_kind)p->tok.kind);
  if (kind == KILN_EX_INT)
    return l;
  kiln_location location = p->tok.location;
  kiln_parse_advance(p);
  struct kiln_expr *r = kiln_parse_assignment(p);
  return kind == KILN_EX_ASSIGN ? kiln_sema_set(&p->sema, location, l, r)
                                : kiln_sema_compound(&p->sema, kind, location, l, r);
}

struct kiln_expr *kiln_parse_assignment(struct kiln_parser *p) {
  struct kiln_expr *e;
  if (kiln_parse_enter(p)) {
    struct kiln_operator top = operator_at(p);
    e = parse_cast(p);
    if (p->tok.kind != KILN_TOKEN_RPAREN && p->tok.kind != KILN_TOKEN_COMMA) // as after most arguments of macros
      e = assignment_rest(p, e, &top);
  } else {
    e = kiln_expr_error(&p->sema, p->tok.location, 0);
  }
  kiln_parse_leave(p);
  return e;
}

struct kiln_expr *kiln_parse_expression(struct kiln_parser *p) {
  struct kiln_expr *e = kiln_parse_assignment(p);
  while (p->tok.kind == KILN_TOKEN_COMMA) {
    kiln_location location = p->tok.location;
    kiln_parse_advance(p);
    e = kiln_sema_comma(&p->sema, location, e, kiln_parse_assignment(p));
  }
  return e;
}
