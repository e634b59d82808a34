// "#pragma kernel": what is tuned of the kernel that follows. The directives become the text of jit/lang/ast/tuning.h.
#include "jit/lang/ast/ast.h"
#include "jit/lang/ast/literal.h"
#include "jit/lang/ast/tuning.h"
#include "jit/lang/pp/pp.h"

enum directive { TUNE, TUNE_OPTION, SET, RESTRICTION, PROBLEM_SIZE, BLOCK_SIZE, GRID_DIVISOR, TUNING_KEY, DIRECTIVES };

static const struct {
  const char *text, *line; // as in the source; how the line of the description begins
  bool is_named;           // "NAME = …"
  bool is_list;            // of expressions, a line each
} directives[DIRECTIVES] = {
    [TUNE] = {"tune", "param", true, true},
    [TUNE_OPTION] = {"tune_option", "option", true, true},
    [SET] = {"set", "set", true, false},
    [RESTRICTION] = {"restriction", "restriction", false, false},
    [PROBLEM_SIZE] = {"problem_size", "problem_size", false, true},
    [BLOCK_SIZE] = {"block_size", "block_size", false, true},
    [GRID_DIVISOR] = {"grid_divisor", "grid_divisor", false, true},
    [TUNING_KEY] = {"tuning_key", "tuning_key", false, true},
};

bool kiln_pp_is_tuning(struct kiln_str word) {
  for (unsigned i = 0; i < DIRECTIVES; i++)
    if (kiln_str_eq(word, kiln_str(directives[i].text)))
      return true;
  return false;
}

struct name_use {
  const struct kiln_name *name;
  kiln_location location;
};

// What the directives so far have described; the kernel that it belongs to is still to come.
struct pp_tuning {
  kiln_location location;            // of the first one
  KILN_VEC(char) params, lines;      // text: values of parameters; the rest
  KILN_VEC(struct name_use) defined; // parameters and sets
  KILN_VEC(struct name_use) used;    // in expressions
  KILN_VEC(kiln_location) exprs;     // by expression of the description
  uint32_t counts[DIRECTIVES];
  uint64_t points;
  kiln_location block_size; // of that directive; 0: it is not there
};

// One directive that is being read.
struct reading {
  struct kiln_pp *pp;
  struct pp_tuning *tuning;
  enum directive directive;
  struct kiln_token word, name; // name: where the directive has one
  KILN_VEC(struct kiln_str) items;
  KILN_VEC(kiln_location) places; // by item
  bool failed;
};

__attribute__((format(printf, 3, 4))) static void fail(struct reading *r, kiln_location location, const char *format,
                                                       ...) {
  va_list args;
  va_start(args, format);
  if (!r->failed)
    kiln_diag_v(r->pp->diags, KILN_ERROR, location, 0, format, args);
  va_end(args);
  r->failed = true;
}

#define PUT(r, vec, text) put((r)->pp, (void *)&(vec), (text))
struct text { // KILN_VEC(char)
  char *items;
  uint32_t count, capacity;
};
static void put(struct kiln_pp *pp, struct text *to, const char *text) {
  for (; *text; text++)
    KILN_VEC_PUSH(pp->arena, to, *text);
}

static bool is_defined(const struct pp_tuning *tuning, const struct kiln_name *name) {
  for (uint32_t i = 0; i < tuning->defined.count; i++)
    if (tuning->defined.items[i].name == name)
      return true;
  return false;
}

// ---- expressions ----------------------------------------------------------------------------------------------------

// A token of an expression as the description has it.
static const char *canonical(struct reading *r, const struct kiln_token *token) {
  struct kiln_literal_env env = {.arena = r->pp->arena, .diags = r->pp->diags};
  uint64_t value = 0;
  bool is_unsigned = false;
  int32_t character;
  if (token->name)
    return token->name->text;
  if (token->kind == KILN_TOKEN_NUMBER) {
    r->failed |= !kiln_literal_condition(&env, token, &value, &is_unsigned);
    return kiln_arena_printf(r->pp->arena, "%llu%s", (unsigned long long)value, is_unsigned ? "u" : "");
  }
  if (token->kind == KILN_TOKEN_CHAR) {
    r->failed |= !kiln_literal_char(&env, token, &character);
    return kiln_arena_printf(r->pp->arena, "(%d)", (int)character);
  }
  if (token->kind < KILN_TOKEN_KIND_COUNT && token->kind != KILN_TOKEN_STRING && token->kind != KILN_TOKEN_OTHER)
    return kiln_token_kind_text((enum kiln_token_kind)token->kind);
  fail(r, token->location, "unexpected token in '#pragma kernel %s'", directives[r->directive].text);
  return "";
}

// Reads "A, B)" after the parenthesis: an item per comma outside of parentheses where the directive has a list. Macros
// are expanded, but for parameters and sets.
static void read_items(struct reading *r) {
  struct kiln_pp *pp = r->pp;
  struct text item = {0};
  kiln_location place = 0;
  for (uint32_t depth = 0;;) {
    struct kiln_token token;
    kiln_pp_read(pp, &token, true);
    if (token.kind == KILN_LEX_LINE_END || token.kind == KILN_TOKEN_END) {
      fail(r, token.location, "expected ')' after '#pragma kernel %s'", directives[r->directive].text);
      return;
    }
    bool ends = token.kind == KILN_TOKEN_RPAREN && !depth;
    if (ends || (token.kind == KILN_TOKEN_COMMA && !depth && directives[r->directive].is_list)) {
      KILN_VEC_PUSH(pp->arena, &item, '\0');
      KILN_VEC_PUSH(pp->arena, &r->items, (struct kiln_str){item.items, item.count - 1});
      KILN_VEC_PUSH(pp->arena, &r->places, place ? place : token.location);
      item = (struct text){0};
      place = 0;
      if (ends)
        return;
      continue;
    }
    depth += token.kind == KILN_TOKEN_LPAREN;
    depth -= token.kind == KILN_TOKEN_RPAREN;
    if (!place)
      place = token.location;
    if (token.name)
      KILN_VEC_PUSH(pp->arena, &r->tuning->used, (struct name_use){token.name, token.location});
    if (item.count) // so that two names, or "- -", stay two tokens
      KILN_VEC_PUSH(pp->arena, &item, ' ');
    put(pp, &item, canonical(r, &token));
  }
}

static void check_items(struct reading *r) {
  for (uint32_t i = 0; i < r->items.count && !r->failed; i++) {
    const char *fault = kiln_tuning_check_syntax(r->items.items[i].data);
    if (fault)
      fail(r, r->places.items[i], "bad expression in '#pragma kernel %s': %s", directives[r->directive].text, fault);
  }
}

// ---- parameters -----------------------------------------------------------------------------------------------------

// The value of a macro that the build options, or the source, have defined.
static bool fixed_value(struct reading *r, const struct pp_macro *macro, int64_t *out) {
  struct text text = {0};
  for (uint32_t i = 0; i < macro->body_count; i++) {
    PUT(r, text, i ? " " : "");
    PUT(r, text, canonical(r, &macro->body[i]));
  }
  KILN_VEC_PUSH(r->pp->arena, &text, '\0');
  return !macro->function_like && !macro->dynamic && !kiln_tuning_constant(text.items, out);
}

static void put_value(struct reading *r, int64_t value) {
  PUT(r, r->tuning->params, kiln_arena_printf(r->pp->arena, " %lld", (long long)value));
}

static bool read_values(struct reading *r, int64_t *values) {
  const char *name = r->name.name->text;
  for (uint32_t i = 0; i < r->items.count; i++) {
    const char *fault = r->items.items[i].size ? kiln_tuning_constant(r->items.items[i].data, &values[i]) : "";
    if (fault && !*fault)
      fail(r, r->places.items[i], "parameter '%s' has %s", name,
           r->items.count == 1 ? "no values" : "an empty place in its list of values");
    else if (fault)
      fail(r, r->places.items[i], "the values of '%s' are constant integers: %s", name, fault);
    for (uint32_t k = 0; k < i && !r->failed; k++)
      if (values[k] == values[i])
        fail(r, r->places.items[i], "parameter '%s' has the value %lld twice", name, (long long)values[i]);
    if (r->failed)
      return false;
  }
  return true;
}

static void add_param(struct reading *r) {
  struct kiln_pp *pp = r->pp;
  struct pp_tuning *t = r->tuning;
  uint32_t count = r->items.count;
  struct pp_macro *macro = r->directive == TUNE ? kiln_pp_macro_of(pp, r->name.name) : NULL;
  if (t->counts[TUNE] + t->counts[TUNE_OPTION] == KILN_TUNING_MAX_PARAMS) {
    fail(r, r->name.location, "more than %d parameters", KILN_TUNING_MAX_PARAMS);
    return;
  }
  if (count > 4096) {
    fail(r, r->name.location, "parameter '%s' has more than 4,096 values", r->name.name->text);
    return;
  }
  int64_t *values = KILN_NEW_ARRAY(pp->arena, int64_t, count);
  if (!read_values(r, values))
    return;
  if (macro && !fixed_value(r, macro, values)) {
    fail(r, r->name.location, "parameter '%s' is a macro already, and no integer", r->name.name->text);
    return;
  }
  if (macro) // it has been given its value
    count = 1;
  if (t->points * count > KILN_TUNING_MAX_POINTS) {
    fail(r, r->name.location, "more than 1,000,000,000 points with parameter '%s'", r->name.name->text);
    return;
  }
  t->points *= count;
  PUT(r, t->params, directives[r->directive].line);
  PUT(r, t->params, " ");
  PUT(r, t->params, r->name.name->text);
  for (uint32_t i = 0; i < count; i++)
    put_value(r, values[i]);
  PUT(r, t->params, "\n");
  if (!macro && r->directive == TUNE)
    kiln_pp_define(pp, kiln_arena_printf(pp->arena, "%s=%lld", r->name.name->text, (long long)values[0]));
}

// ---- the others -----------------------------------------------------------------------------------------------------

static void add_lines(struct reading *r) {
  struct pp_tuning *t = r->tuning;
  uint32_t limit = r->directive == TUNING_KEY ? KILN_TUNING_MAX_KEYS : 3;
  if (directives[r->directive].is_list && r->items.count + t->counts[r->directive] > limit) {
    fail(r, r->word.location, "'#pragma kernel %s' has more than %u items", directives[r->directive].text,
         (unsigned)limit);
    return;
  }
  if (t->exprs.count + r->items.count > KILN_TUNING_MAX_EXPRS) {
    fail(r, r->word.location, "more than %d expressions in '#pragma kernel' directives", KILN_TUNING_MAX_EXPRS);
    return;
  }
  for (uint32_t i = 0; i < r->items.count; i++) {
    PUT(r, t->lines, directives[r->directive].line);
    PUT(r, t->lines, r->directive == SET ? " " : "");
    PUT(r, t->lines, r->directive == SET ? r->name.name->text : "");
    PUT(r, t->lines, " ");
    PUT(r, t->lines, r->items.items[i].data);
    PUT(r, t->lines, "\n");
    KILN_VEC_PUSH(r->pp->arena, &t->exprs, r->places.items[i]);
  }
  if (r->directive == BLOCK_SIZE)
    t->block_size = r->word.location;
  struct pp_macro *macro = r->directive == SET ? kiln_pp_macro_of(r->pp, r->name.name) : NULL;
  if (r->directive != SET || macro)
    return;
  kiln_pp_define(r->pp, kiln_arena_printf(r->pp->arena, "%s=(%s)", r->name.name->text, r->items.items[0].data));
  kiln_pp_macro_of(r->pp, r->name.name)->predefined = true; // the source may have it, too
}

// ---- reading --------------------------------------------------------------------------------------------------------

static void hide_names(struct kiln_pp *pp, const struct pp_tuning *tuning, bool hidden) {
  for (uint32_t i = 0; i < tuning->defined.count; i++) {
    struct pp_macro *macro = kiln_pp_macro_of(pp, tuning->defined.items[i].name);
    if (macro)
      macro->disabled = hidden;
  }
}

static bool read_name(struct reading *r) {
  struct kiln_token token;
  kiln_pp_read(r->pp, &r->name, false);
  if (!r->name.name) {
    fail(r, r->name.location, "expected a name in '#pragma kernel %s'", directives[r->directive].text);
    return false;
  }
  kiln_pp_read(r->pp, &token, false);
  if (token.kind != KILN_TOKEN_EQUAL)
    fail(r, token.location, "expected '=' after '%s'", r->name.name->text);
  else if (is_defined(r->tuning, r->name.name))
    fail(r, r->name.location, "'%s' is described twice", r->name.name->text);
  return !r->failed;
}

static void read(struct reading *r) {
  struct kiln_token token;
  kiln_pp_read(r->pp, &token, false);
  if (token.kind != KILN_TOKEN_LPAREN) {
    fail(r, token.location, "expected '(' after '#pragma kernel %s'", directives[r->directive].text);
    return;
  }
  if (directives[r->directive].is_named && !read_name(r))
    return;
  bool is_param = r->directive == TUNE || r->directive == TUNE_OPTION;
  uint32_t used = r->tuning->used.count;
  read_items(r);
  if (is_param) // its values are constants, which read_values checks
    r->tuning->used.count = used;
  if (!r->failed && !is_param)
    check_items(r);
  if (r->failed)
    return;
  if (is_param)
    add_param(r);
  else
    add_lines(r);
  if (r->failed)
    return;
  r->tuning->counts[r->directive] += is_param ? 1 : r->items.count;
  if (directives[r->directive].is_named)
    KILN_VEC_PUSH(r->pp->arena, &r->tuning->defined, (struct name_use){r->name.name, r->name.location});
}

void kiln_pp_tune(struct kiln_pp *pp) {
  struct reading r = {.pp = pp, .directive = DIRECTIVES};
  kiln_pp_read(pp, &r.word, false);
  for (unsigned i = 0; i < DIRECTIVES && r.word.name; i++)
    if (kiln_token_is(&r.word, directives[i].text))
      r.directive = (enum directive)i;
  if (r.directive == DIRECTIVES) {
    kiln_diag_warning(pp->diags, KILN_W_UNKNOWN_PRAGMAS, r.word.location, 0, "unknown '#pragma kernel' ignored");
    kiln_pp_finish_line(pp);
    return;
  }
  if (!pp->tuning) {
    pp->tuning = KILN_NEW(pp->arena, struct pp_tuning);
    pp->tuning->location = r.word.location;
    pp->tuning->points = 1;
  }
  r.tuning = pp->tuning;
  hide_names(pp, r.tuning, true);
  read(&r);
  hide_names(pp, r.tuning, false);
  if (r.failed && r.directive == TUNE && r.name.name && !kiln_pp_macro_of(pp, r.name.name))
    kiln_pp_define(pp, r.name.name->text); // so that no error follows from this one
  if (r.failed)
    kiln_pp_finish_line(pp);
  else
    kiln_pp_finish_line_checked(pp, "pragma kernel");
}

// ---- the kernel -----------------------------------------------------------------------------------------------------

static bool check_names(struct kiln_pp *pp, const struct pp_tuning *t, const struct kiln_tuning_arg *args,
                        uint32_t count, bool *is_used) {
  bool good = true;
  for (uint32_t i = 0; i < t->used.count; i++) {
    const struct name_use *use = &t->used.items[i];
    bool is_known = is_defined(t, use->name);
    for (uint32_t k = 0; k < count && !is_known; k++) {
      is_known = strcmp(args[k].name, use->name->text) == 0;
      is_used[k] |= is_known;
    }
    if (!is_known)
      kiln_diag(pp->diags, KILN_ERROR, use->location, use->location + use->name->size,
                "'%s' is neither a parameter nor an integer argument of the kernel", use->name->text);
    good &= is_known;
  }
  return good;
}

static void check_points(struct kiln_pp *pp, const struct pp_tuning *t, const char *text) {
  struct kiln_tuning *tuning = KILN_NEW(pp->arena, struct kiln_tuning);
  const char *fault = kiln_tuning_read(text, tuning);
  uint32_t expr = 0;
  if (fault) {
    kiln_diag(pp->diags, KILN_ERROR, t->location, 0, "bad '#pragma kernel' directives: %s", fault);
    return;
  }
  enum kiln_tuning_fault found = kiln_tuning_check(tuning, &expr);
  if (found == KILN_TUNING_DIVIDES_BY_ZERO)
    kiln_diag(pp->diags, KILN_ERROR, t->exprs.items[expr], 0, "division by zero for some of the parameters' values");
  else if (found == KILN_TUNING_NO_POINT)
    kiln_diag(pp->diags, KILN_ERROR, t->exprs.items[expr], 0,
              "this restriction leaves no point: nothing is left to tune");
  kiln_tuning_free(tuning);
}

const char *kiln_pp_tuning_of_kernel(struct kiln_pp *pp, const struct kiln_tuning_arg *args, uint32_t count) {
  struct pp_tuning *t = pp->tuning;
  bool is_used[KILN_TUNING_MAX_NAMES] = {0};
  pp->tuning = NULL;
  if (t->block_size && !t->counts[PROBLEM_SIZE])
    kiln_diag(pp->diags, KILN_ERROR, t->block_size, 0, "block_size without problem_size");
  if (!check_names(pp, t, args, count, is_used) || (t->block_size && !t->counts[PROBLEM_SIZE]))
    return NULL;
  if (!t->counts[TUNE] && !t->counts[TUNE_OPTION]) {
    if (!pp->diags->errors)
      kiln_diag(pp->diags, KILN_ERROR, t->location, 0, "'#pragma kernel' directives without a parameter to tune");
    return NULL;
  }
  struct text all = {0};
  for (uint32_t i = 0; i < t->params.count; i++)
    KILN_VEC_PUSH(pp->arena, &all, t->params.items[i]);
  for (uint32_t i = 0; i < count; i++)
    if (is_used[i])
      put(pp, &all,
          kiln_arena_printf(pp->arena, "arg %s %u %u %c\n", args[i].name, (unsigned)args[i].index,
                            (unsigned)args[i].bytes, args[i].is_signed ? 's' : 'u'));
  for (uint32_t i = 0; i < t->lines.count; i++)
    KILN_VEC_PUSH(pp->arena, &all, t->lines.items[i]);
  KILN_VEC_PUSH(pp->arena, &all, '\0');
  if (!pp->diags->errors)
    check_points(pp, t, all.items);
  return all.items;
}

void kiln_pp_tuning_at_end(struct kiln_pp *pp) {
  if (pp->tuning)
    kiln_diag(pp->diags, KILN_ERROR, pp->tuning->location, 0, "no kernel follows this '#pragma kernel'");
}
