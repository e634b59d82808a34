// Macros whose value is made at each use: __LINE__, __FILE__, __COUNTER__, __has_include and the like.
#include "jit/lang/pp/pp.h"

#include "jit/lang/ast/builtins.h"

void kiln_pp_define_dynamic(struct kiln_pp *pp) {
  static const struct {
    const char *text;
    uint8_t size, dynamic;
  } rows[] = {
#define PP_DYNAMIC(NAME, text) {text, sizeof text - 1, PP_##NAME},
#include "jit/lang/pp/dynamic.def"
  };
  enum { COUNT = sizeof rows / sizeof *rows };
  struct pp_macro *macros = KILN_NEW_ARRAY(pp->arena, struct pp_macro, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    macros[i].name = kiln_lex_name(&pp->lex, rows[i].text, rows[i].size);
    macros[i].dynamic = (enum pp_dynamic)rows[i].dynamic;
    kiln_pp_set_info(pp, macros[i].name, pp->macros.count << 8);
    KILN_VEC_PUSH(pp->arena, &pp->macros, &macros[i]);
  }
}

// ---- __has_… --------------------------------------------------------------------------------------------------------

static bool in_list(struct kiln_str name, const char *const *list) {
  if (name.size > 4 && memcmp(name.data, "__", 2) == 0 && memcmp(name.data + name.size - 2, "__", 2) == 0)
    name = (struct kiln_str){name.data + 2, name.size - 4};
  for (; *list != NULL; list++)
    if (kiln_str_eq(name, kiln_str(*list)))
      return true;
  return false;
}

static bool has(const struct kiln_pp *pp, enum pp_dynamic what, struct kiln_str name) {
  static const char *const attributes[] = {
#define KILN_ATTRIBUTE(name, KIND, asked) asked ? name : "",
#include "jit/lang/ast/attributes.def"
      NULL,
  };
  static const char *const extensions[] = {"c_static_assert", "attribute_ext_vector_type", NULL};
  if (what == PP_HAS_BUILTIN)
    return kiln_builtin_find(name.data, name.size, pp->config.std, pp->config.images) != NULL ||
           kiln_builtin_form(kiln_arena_strndup(pp->arena, name.data, name.size));
  return in_list(name, what == PP_HAS_ATTRIBUTE ? attributes : extensions);
}

// Reads the parenthesized operand and answers; 0 after an error.
static bool ask(struct kiln_pp *pp, const struct pp_macro *macro, const struct kiln_token *use) {
  struct kiln_token token;
  if (macro->dynamic == PP_HAS_INCLUDE && !pp->file->lexer.in_directive) {
    kiln_diag(pp->diags, KILN_ERROR, use->location, kiln_token_end(use),
              "'__has_include' must be used within a preprocessing directive");
    return false;
  }
  if (!kiln_pp_peek_lparen(pp)) {
    kiln_diag(pp->diags, KILN_ERROR, use->location, kiln_token_end(use), "missing '(' after '%s'", macro->name->text);
    return false;
  }
  kiln_pp_read(pp, &token, false);
  kiln_location open = token.location;
  bool answer = false;
  if (macro->dynamic == PP_HAS_INCLUDE) {
    bool angled;
    if (!kiln_pp_read_header_name(pp, use, &token, &angled))
      return false;
    answer = kiln_pp_find_header(pp, (struct kiln_str){token.data, token.size}, angled) != NULL;
  } else {
    kiln_pp_read(pp, &token, false);
    if (token.name == NULL) {
      kiln_diag(pp->diags, KILN_ERROR, token.location, kiln_token_end(&token), "'%s' requires an identifier",
                macro->name->text);
      return false;
    }
    answer = has(pp, macro->dynamic, (struct kiln_str){token.data, token.size});
  }
  kiln_pp_read(pp, &token, false);
  if (token.kind != KILN_TOKEN_RPAREN) {
    kiln_diag(pp->diags, KILN_ERROR, token.location, 0, "missing ')' after the operand of '%s'", macro->name->text);
    kiln_diag(pp->diags, KILN_NOTE, open, 0, "to match this '('");
    return false;
  }
  return answer;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static struct kiln_token quote(struct kiln_pp *pp, kiln_location location, const char *text) {
  size_t size = strlen(text);
  char *data = kiln_arena_alloc(pp->arena, 2 * size + 3, 1), *p = data;
  *p++ = '"';
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '"' || text[i] == '\\')
      *p++ = '\\';
    *p++ = text[i];
  }
  *p++ = '"';
  *p = 0;
  return (struct kiln_token){
      .kind = KILN_TOKEN_STRING, .location = location, .data = data, .size = (uint32_t)(p - data)};
}

static struct kiln_token value(struct kiln_pp *pp, const struct pp_macro *macro, const struct kiln_token *use) {
  kiln_location location = use->location;
  switch (macro->dynamic) {
  case PP_LINE:
    return kiln_pp_make_token(pp, KILN_TOKEN_NUMBER, location, "%u", kiln_sources_position(pp->sources, location).line);
  case PP_FILE_PATH:
    pp->used_file = true;
    return quote(pp, location, kiln_sources_position(pp->sources, location).file);
  case PP_FILE_NAME: {
    pp->used_file = true;
    const char *path = kiln_sources_position(pp->sources, location).file, *slash = strrchr(path, '/');
    return quote(pp, location, slash != NULL ? slash + 1 : path);
  }
  case PP_BASE_FILE: {
    pp->used_file = true;
    const struct pp_file *file = pp->file;
    while (file->outer != NULL)
      file = file->outer;
    return quote(pp, location, file->path);
  }
  case PP_DATE: // fixed, so that equal sources give equal results
    return quote(pp, location, "Jan  1 1970");
  case PP_TIME:
    return quote(pp, location, "00:00:00");
  case PP_TIMESTAMP:
    return quote(pp, location, "Thu Jan  1 00:00:00 1970");
  case PP_COUNTER:
    return kiln_pp_make_token(pp, KILN_TOKEN_NUMBER, location, "%u", pp->counter++);
  case PP_INCLUDE_LEVEL:
    return kiln_pp_make_token(pp, KILN_TOKEN_NUMBER, location, "%u", pp->include_depth);
  case PP_HAS_INCLUDE:
  case PP_HAS_ATTRIBUTE:
  case PP_HAS_BUILTIN:
  case PP_HAS_EXTENSION:
  case PP_HAS_FEATURE:
    return kiln_pp_make_token(pp, KILN_TOKEN_NUMBER, location, "%d", ask(pp, macro, use));
  case PP_STATIC:
    break;
  }
  return *use;
}

void kiln_pp_expand_dynamic(struct kiln_pp *pp, const struct pp_macro *macro, struct kiln_token *token) {
  struct kiln_token result = value(pp, macro, token);
  result.at_line_start = token->at_line_start;
  result.after_space = token->after_space;
  *token = result;
}
