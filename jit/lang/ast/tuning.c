// Reading and evaluating descriptions of what is tuned.
#include "jit/lang/ast/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "jit/lang/ast/ast.h"
#include "jit/lang/lex/token.h"

enum {
  MAX_DEPTH = 64,
  MAX_NODES = 1 << 16,
  MAX_CHECKED = 1 << 16, // combinations of values for which an expression is checked ahead of time
  MAX_STEPS = 1 << 20,   // of the search for an allowed point
  NAME_ARG = KILN_TUNING_MAX_PARAMS,
  NAME_SET = NAME_ARG + KILN_TUNING_MAX_NAMES,
};

struct kiln_tuning_node {
  uint8_t kind; // enum kiln_expr_kind
  bool is_unsigned;
  uint16_t name; // of VAR: a parameter, NAME_ARG + an argument, NAME_SET + a set
  uint32_t a, b, c;
  uint64_t value;
};

// ---- expressions: parsing -------------------------------------------------------------------------------------------

struct parser {
  struct kiln_tuning *tuning; // NULL names: any
  const char *at;
  const char *fault;
  unsigned depth;
  bool any_name; // names are not looked up
  uint32_t params;
  bool uses_args;
};

static uint32_t comma(struct parser *p);

static uint32_t fail(struct parser *p, const char *fault) {
  if (!p->fault)
    p->fault = fault;
  return 0;
}

static uint32_t node(struct parser *p, struct kiln_tuning_node item) {
  struct kiln_tuning *t = p->tuning;
  if (t->node_count == t->node_capacity) {
    uint32_t capacity = t->node_capacity ? 2 * t->node_capacity : 64;
    void *grown = capacity <= MAX_NODES ? realloc(t->nodes, capacity * sizeof *t->nodes) : NULL;
    if (!grown)
      return fail(p, "it is too long");
    t->nodes = grown;
    t->node_capacity = capacity;
  }
  t->nodes[t->node_count] = item;
  return t->node_count++;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) {
  return c == '_' || c == '$' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void blanks(struct parser *p) { p->at += strspn(p->at, " "); }

static bool accept(struct parser *p, char c) {
  blanks(p);
  bool is_there = *p->at == c;
  p->at += is_there;
  return is_there;
}

static bool same(const char *name, const char *text, size_t size) {
  return strncmp(name, text, size) == 0 && !name[size];
}

static uint32_t name(struct parser *p) {
  const struct kiln_tuning *t = p->tuning;
  const char *text = p->at;
  while (is_name(*p->at))
    p->at++;
  size_t size = (size_t)(p->at - text);
  if (p->any_name)
    return node(p, (struct kiln_tuning_node){.kind = KILN_EX_INT});
  for (uint16_t i = 0; i < t->param_count; i++)
    if (same(t->params[i].name, text, size)) {
      p->params |= 1u << i;
      return node(p, (struct kiln_tuning_node){.kind = KILN_EX_VAR, .name = i});
    }
  for (uint16_t i = 0; i < t->arg_count; i++)
    if (same(t->args[i].name, text, size)) {
      p->uses_args = true;
      bool is_unsigned = !t->args[i].is_signed && t->args[i].bytes == 8;
      return node(p, (struct kiln_tuning_node){
                         .kind = KILN_EX_VAR, .is_unsigned = is_unsigned, .name = (uint16_t)(NAME_ARG + i)});
    }
  for (uint16_t i = 0; i < t->set_count; i++)
    if (same(t->set_names[i], text, size)) {
      const struct kiln_tuning_expr *set = &t->exprs[t->sets[i]];
      p->params |= set->params;
      p->uses_args |= set->uses_args;
      return node(p, (struct kiln_tuning_node){.kind = KILN_EX_VAR, .name = (uint16_t)(NAME_SET + i)});
    }
  return fail(p, "it has an unknown name");
}

static uint32_t number(struct parser *p) {
  uint64_t value = 0;
  bool over = false;
  for (; is_digit(*p->at); p->at++)
    over |=
        __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(*p->at - '0'), &value);
  bool is_unsigned = *p->at == 'u';
  p->at += is_unsigned;
  if (over || is_name(*p->at))
    return fail(p, "a number is too large");
  return node(p, (struct kiln_tuning_node){.kind = KILN_EX_INT, .is_unsigned = is_unsigned, .value = value});
}

static uint32_t unary(struct parser *p) {
  blanks(p);
  char c = *p->at;
  if (is_digit(c))
    return number(p);
  if (is_name(c))
    return name(p);
  if (!c || !strchr("(+-~!", c))
    return fail(p, "a value is missing");
  if (p->depth >= MAX_DEPTH)
    return fail(p, "it is nested too deeply");
  p->depth++;
  p->at++;
  uint32_t inner = c == '(' ? comma(p) : unary(p);
  p->depth--;
  if (c == '(' && !p->fault && !accept(p, ')'))
    return fail(p, "a ')' is missing");
  if (c == '(' || c == '+')
    return inner;
  uint8_t kind = c == '-' ? KILN_EX_NEG : c == '~' ? KILN_EX_NOT : KILN_EX_LOGNOT;
  return node(p, (struct kiln_tuning_node){.kind = kind, .a = inner});
}

// The operator that comes next: its kind, precedence and size. 0: none does.
static int operator_at(struct parser *p, uint8_t *kind, size_t *size) {
  blanks(p);
  int best = 0;
  *size = 0;
  for (unsigned token = 0; token < KILN_TOKEN_KIND_COUNT; token++) {
    if (!kiln_binary_operators[token].precedence)
      continue;
    const char *text = kiln_token_kind_text((enum kiln_token_kind)token);
    size_t length = strlen(text);
    if (length > *size && strncmp(p->at, text, length) == 0) {
      *size = length;
      *kind = kiln_binary_operators[token].kind;
      best = kiln_binary_operators[token].precedence;
    }
  }
  return best;
}

static uint32_t binary(struct parser *p, int min) {
  uint32_t left = unary(p);
  for (;;) {
    uint8_t kind = 0;
    size_t size;
    int precedence = p->fault ? 0 : operator_at(p, &kind, &size);
    if (!precedence || precedence < min)
      return left;
    p->at += size;
    uint32_t right = binary(p, precedence + 1);
    left = node(p, (struct kiln_tuning_node){.kind = kind, .a = left, .b = right});
  }
}

static uint32_t conditional(struct parser *p) {
  uint32_t condition = binary(p, 1);
  if (p->fault || !accept(p, '?'))
    return condition;
  if (p->depth >= MAX_DEPTH)
    return fail(p, "it is nested too deeply");
  p->depth++;
  uint32_t yes = comma(p);
  if (!p->fault && !accept(p, ':'))
    return fail(p, "a ':' is missing");
  uint32_t no = conditional(p);
  p->depth--;
  return node(p, (struct kiln_tuning_node){.kind = KILN_EX_COND, .a = condition, .b = yes, .c = no});
}

static uint32_t comma(struct parser *p) {
  uint32_t value = conditional(p);
  while (!p->fault && accept(p, ','))
    value = conditional(p);
  return value;
}

static uint32_t parse(struct parser *p) {
  uint32_t root = comma(p);
  blanks(p);
  if (!p->fault && *p->at)
    fail(p, "an operator is missing");
  return root;
}

// ---- expressions: values --------------------------------------------------------------------------------------------

struct value {
  uint64_t bits;
  bool is_unsigned;
};

struct evaluation {
  const struct kiln_tuning *tuning;
  const int64_t *params, *args;
  bool failed;
};

static struct value evaluate(struct evaluation *e, uint32_t index);

static struct value named(struct evaluation *e, const struct kiln_tuning_node *n) {
  if (n->name >= NAME_SET)
    return evaluate(e, e->tuning->exprs[e->tuning->sets[n->name - NAME_SET]].root);
  const int64_t *from = n->name >= NAME_ARG ? e->args : e->params;
  uint32_t at = n->name >= NAME_ARG ? n->name - NAME_ARG : n->name;
  return (struct value){from ? (uint64_t)from[at] : 0, n->is_unsigned};
}

static struct value apply(struct evaluation *e, enum kiln_expr_kind kind, struct value left, struct value right) {
  bool is_unsigned = left.is_unsigned || right.is_unsigned;
  if (kind == KILN_EX_SHL || kind == KILN_EX_SHR)
    return (struct value){
        kiln_fold_shift(left.bits, left.is_unsigned, right.bits, right.is_unsigned, kind == KILN_EX_SHL),
        left.is_unsigned};
  if ((kind == KILN_EX_DIV || kind == KILN_EX_REM) && !right.bits) {
    e->failed = true;
    return (struct value){0, is_unsigned};
  }
  uint64_t result = kind == KILN_EX_DIV ? left.bits : 0; // of the smallest number by -1
  kiln_fold_int(kind, !is_unsigned, 64, left.bits, right.bits, &result);
  return (struct value){result, is_unsigned && !(kind >= KILN_EX_EQ && kind <= KILN_EX_LOGOR)};
}

static struct value evaluate(struct evaluation *e, uint32_t index) {
  const struct kiln_tuning_node *n = &e->tuning->nodes[index];
  enum kiln_expr_kind kind = (enum kiln_expr_kind)n->kind;
  if (kind == KILN_EX_INT)
    return (struct value){n->value, n->is_unsigned};
  if (kind == KILN_EX_VAR)
    return named(e, n);
  struct value left = evaluate(e, n->a);
  if (kind == KILN_EX_NEG)
    return (struct value){-left.bits, left.is_unsigned};
  if (kind == KILN_EX_NOT)
    return (struct value){~left.bits, left.is_unsigned};
  if (kind == KILN_EX_LOGNOT)
    return (struct value){!left.bits, false};
  if (kind == KILN_EX_COND)
    return evaluate(e, left.bits ? n->b : n->c);
  if (kind == KILN_EX_LOGAND && !left.bits)
    return (struct value){0, false};
  if (kind == KILN_EX_LOGOR && left.bits)
    return (struct value){1, false};
  return apply(e, kind, left, evaluate(e, n->b));
}

bool kiln_tuning_value(const struct kiln_tuning *tuning, uint32_t expr, const int64_t *params, const int64_t *args,
                       int64_t *out) {
  struct evaluation e = {tuning, params, args, false};
  *out = (int64_t)evaluate(&e, tuning->exprs[expr].root).bits;
  return !e.failed;
}

bool kiln_tuning_allows(const struct kiln_tuning *tuning, const int64_t *params, const int64_t *args, uint32_t *bad) {
  *bad = UINT32_MAX;
  for (uint32_t i = 0; i < tuning->expr_count; i++) {
    int64_t holds;
    if (tuning->exprs[i].kind != KILN_TUNING_RESTRICTION)
      continue;
    if (!kiln_tuning_value(tuning, i, params, args, &holds)) {
      *bad = i;
      return false;
    }
    if (!holds)
      return false;
  }
  return true;
}

const char *kiln_tuning_constant(const char *text, int64_t *out) {
  struct kiln_tuning none = {0};
  struct parser p = {.tuning = &none, .at = text};
  none.exprs[0].root = parse(&p);
  if (!p.fault && !kiln_tuning_value(&none, 0, NULL, NULL, out))
    p.fault = "it divides by zero";
  free(none.nodes);
  return p.fault;
}

const char *kiln_tuning_check_syntax(const char *text) {
  struct kiln_tuning none = {0};
  struct parser p = {.tuning = &none, .at = text, .any_name = true};
  parse(&p);
  free(none.nodes);
  return p.fault;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static const char *const words[KILN_TUNING_KINDS] = {
    [KILN_TUNING_SET] = "set",
    [KILN_TUNING_RESTRICTION] = "restriction",
    [KILN_TUNING_PROBLEM_SIZE] = "problem_size",
    [KILN_TUNING_BLOCK_SIZE] = "block_size",
    [KILN_TUNING_GRID_DIVISOR] = "grid_divisor",
    [KILN_TUNING_KEY] = "tuning_key",
};

// The next word of a line, which ends with a NUL then; "" at its end.
static char *word(char **line) {
  char *begin = *line, *end = begin + strcspn(begin, " ");
  *line = *end ? end + 1 : end;
  *end = 0;
  return begin;
}

static const char *add_expr(struct kiln_tuning *t, enum kiln_tuning_kind kind, char *line) {
  uint32_t limit = kind == KILN_TUNING_KEY ? KILN_TUNING_MAX_KEYS : 3;
  bool is_listed = kind >= KILN_TUNING_PROBLEM_SIZE;
  const char *given = kind == KILN_TUNING_SET ? word(&line) : "";
  if (t->expr_count == KILN_TUNING_MAX_EXPRS || t->set_count == KILN_TUNING_MAX_NAMES)
    return "too many expressions";
  if (is_listed && t->counts[kind] == limit)
    return kind == KILN_TUNING_KEY ? "more than 16 keys" : "more than three dimensions";
  struct parser p = {.tuning = t, .at = line};
  uint32_t root = parse(&p);
  if (p.fault)
    return p.fault;
  if (kind == KILN_TUNING_SET) {
    t->set_names[t->set_count] = given;
    t->sets[t->set_count++] = t->expr_count;
  }
  if (is_listed)
    t->first[kind][t->counts[kind]] = t->expr_count;
  t->counts[kind]++;
  t->exprs[t->expr_count++] = (struct kiln_tuning_expr){line, kind, root, p.params, p.uses_args};
  return NULL;
}

// values: where those of the parameter go.
static const char *add_param(struct kiln_tuning *t, bool is_option, char *line, int64_t **values) {
  if (t->param_count == KILN_TUNING_MAX_PARAMS)
    return "more than 16 parameters";
  struct kiln_tuning_param *param = &t->params[t->param_count++];
  *param = (struct kiln_tuning_param){.name = word(&line), .is_option = is_option, .values = *values};
  while (*line) {
    char *end, *text = word(&line);
    *(*values)++ = strtoll(text, &end, 10);
    if (end == text || *end)
      return "a value is no integer";
    if (++param->count > KILN_TUNING_MAX_VALUES)
      return "too many values";
  }
  if (!param->count)
    return "a parameter has no values";
  t->points *= param->count;
  return t->points > KILN_TUNING_MAX_POINTS ? "more than 1,000,000,000 points" : NULL;
}

static const char *add_arg(struct kiln_tuning *t, char *line) {
  if (t->arg_count == KILN_TUNING_MAX_NAMES)
    return "too many arguments";
  struct kiln_tuning_arg *arg = &t->args[t->arg_count++];
  arg->name = word(&line);
  arg->index = (uint32_t)strtoul(word(&line), NULL, 10);
  arg->bytes = (uint32_t)strtoul(word(&line), NULL, 10);
  arg->is_signed = *line == 's';
  bool is_integer = arg->bytes == 1 || arg->bytes == 2 || arg->bytes == 4 || arg->bytes == 8;
  return is_integer ? NULL : "an argument is no integer";
}

static const char *add_line(struct kiln_tuning *t, char *line, int64_t **values) {
  char *begins = word(&line);
  if (strcmp(begins, "param") == 0 || strcmp(begins, "option") == 0)
    return add_param(t, *begins == 'o', line, values);
  if (strcmp(begins, "arg") == 0)
    return add_arg(t, line);
  for (unsigned kind = 0; kind < KILN_TUNING_KINDS; kind++)
    if (strcmp(begins, words[kind]) == 0)
      return add_expr(t, (enum kiln_tuning_kind)kind, line);
  return "an unknown line";
}

const char *kiln_tuning_read(const char *text, struct kiln_tuning *out) {
  memset(out, 0, sizeof *out);
  size_t size = strlen(text) + 1;
  size_t values_size = (size / 2 + 1) * sizeof(int64_t); // each takes two bytes at least
  out->storage = malloc(values_size + size);
  if (!out->storage)
    return "memory is exhausted";
  int64_t *values = out->storage;
  char *line = memcpy((char *)out->storage + values_size, text, size);
  out->points = 1;
  const char *fault = NULL;
  while (*line && !fault) {
    char *end = line + strcspn(line, "\n");
    char *next = *end ? end + 1 : end;
    *end = 0;
    fault = add_line(out, line, &values);
    line = next;
  }
  if (!fault && !out->param_count)
    fault = "no parameter";
  if (fault)
    kiln_tuning_free(out);
  return fault;
}

void kiln_tuning_free(struct kiln_tuning *tuning) {
  free(tuning->nodes);
  free(tuning->storage);
  memset(tuning, 0, sizeof *tuning);
}

// ---- checking -------------------------------------------------------------------------------------------------------

// The next combination of the values of some parameters; false after the last.
static bool step(const struct kiln_tuning *t, uint32_t params, uint32_t *at, int64_t *values) {
  for (uint32_t i = 0; i < t->param_count; i++) {
    if (!(params >> i & 1))
      continue;
    at[i] = at[i] + 1 < t->params[i].count ? at[i] + 1 : 0;
    values[i] = t->params[i].values[at[i]];
    if (at[i])
      return true;
  }
  return false;
}

static void defaults(const struct kiln_tuning *t, int64_t *values) {
  for (uint32_t i = 0; i < t->param_count; i++)
    values[i] = t->params[i].values[0];
}

static bool divides_by_zero(const struct kiln_tuning *t, uint32_t expr) {
  uint32_t at[KILN_TUNING_MAX_PARAMS] = {0}, params = t->exprs[expr].params, steps = 0;
  int64_t values[KILN_TUNING_MAX_PARAMS], ignored;
  defaults(t, values);
  do
    if (!kiln_tuning_value(t, expr, values, NULL, &ignored))
      return true;
  while (++steps < MAX_CHECKED && step(t, params, at, values));
  return false;
}

// A search in depth: a restriction is tested as soon as all of its parameters have values.
static bool has_point(const struct kiln_tuning *t, uint32_t depth, int64_t *values, uint32_t *steps, uint32_t *last) {
  if (depth == t->param_count)
    return true;
  for (uint32_t v = 0; v < t->params[depth].count; v++) {
    bool holds = true;
    values[depth] = t->params[depth].values[v];
    if (++*steps > MAX_STEPS)
      return true; // there may be one
    for (uint32_t i = 0; i < t->expr_count && holds; i++) {
      const struct kiln_tuning_expr *e = &t->exprs[i];
      int64_t value = 1;
      bool is_ready = depth ? e->params >> depth == 1 : e->params <= 1;
      if (e->kind == KILN_TUNING_RESTRICTION && !e->uses_args && is_ready)
        holds = kiln_tuning_value(t, i, values, NULL, &value) && value;
      if (!holds)
        *last = i;
    }
    if (holds && has_point(t, depth + 1, values, steps, last))
      return true;
  }
  return false;
}

enum kiln_tuning_fault kiln_tuning_check(const struct kiln_tuning *tuning, uint32_t *expr) {
  for (uint32_t i = 0; i < tuning->expr_count; i++) {
    *expr = i;
    if (!tuning->exprs[i].uses_args && divides_by_zero(tuning, i))
      return KILN_TUNING_DIVIDES_BY_ZERO;
  }
  int64_t values[KILN_TUNING_MAX_PARAMS];
  uint32_t steps = 0;
  return has_point(tuning, 0, values, &steps, expr) ? KILN_TUNING_GOOD : KILN_TUNING_NO_POINT;
}
