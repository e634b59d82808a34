// Reads the body of a function: scopes, declarations, labels, instructions.
#include <stdlib.h>

#include "tests/cuda/emulator/parse.h"

// ---- labels

static uint32_t hash(const char *text, uint32_t size) {
  uint32_t h = 2166136261u;
  for (uint32_t i = 0; i < size; i++)
    h = (h ^ (uint8_t)text[i]) * 16777619u;
  return h;
}

// The number of a label, whether it was seen already or not.
static uint32_t label_number(struct parser *p, const struct token *name) {
  uint32_t *head = &p->label_heads[hash(name->text, name->size) % (sizeof p->label_heads / sizeof *p->label_heads)];
  for (uint32_t i = *head; i; i = p->labels[i - 1].next)
    if (p->labels[i - 1].size == name->size && !memcmp(p->labels[i - 1].name, name->text, name->size))
      return i - 1;
  p->labels = grow(p->labels, p->label_count, &p->label_capacity, sizeof *p->labels);
  p->labels[p->label_count] = (struct label){name->text, name->size, UINT32_MAX, *head};
  *head = (uint32_t)++p->label_count;
  return *head - 1;
}

static void define_label(struct parser *p, const struct token *name) {
  uint32_t number = label_number(p, name);
  struct label *label = &p->labels[number];
  if (label->instruction != UINT32_MAX)
    parser_fail(p, PTX_SYNTAX, "label %.*s twice", (int)name->size, name->text);
  label->instruction = (uint32_t)p->code_size;
  next_token(p); // the colon
  if (token_is(p, ".branchtargets") || token_is(p, ".calltargets") || token_is(p, ".callprototype"))
    parser_fail(p, PTX_UNKNOWN_OPERATION, "tables of labels and prototypes are not modelled");
}

// ---- branches and calls, which name labels and functions

static void run_bra(struct item *item, struct instruction *in) { item->pc = in->u.target; }

void decode_bra(struct parser *p, const struct form *form, struct instruction *in) {
  if (form->count > 1 || (form->count && !part_is(form, 0, "uni")))
    unknown_operation(p, form);
  struct token name = take_name(p);
  if (p->failed)
    return;
  in->run = run_bra;
  in->u.label = label_number(p, &name);
}

static struct variable **read_call_list(struct parser *p, uint32_t *count) {
  struct variable *list[256];
  *count = 0;
  expect(p, "(");
  while (!token_is(p, ")") && !p->failed) {
    struct token name = take_name(p);
    uint32_t slot;
    struct symbol *symbol = find_symbol(p, name.text, name.size, &slot);
    if (!symbol || symbol->kind != SYMBOL_VARIABLE || symbol->variable->space != SPACE_PARAM || *count == 256)
      parser_fail(p, PTX_UNKNOWN_OPERATION, "%.*s is no .param variable", (int)name.size, name.text);
    else
      list[(*count)++] = symbol->variable;
    if (!take(p, ","))
      break;
  }
  expect(p, ")");
  struct variable **copy = pool_take(&p->module->pool, *count * sizeof *copy);
  if (*count)
    memcpy(copy, list, *count * sizeof *copy);
  return copy;
}

static bool same_sizes(const struct call *call) {
  const struct function *f = call->function;
  if (f->argument_count != call->argument_count || f->result_count != call->result_count)
    return false;
  for (uint32_t i = 0; i < call->argument_count; i++)
    if (f->arguments[i]->size != call->arguments[i]->size)
      return false;
  for (uint32_t i = 0; i < call->result_count; i++)
    if (f->results[i]->size != call->results[i]->size)
      return false;
  return true;
}

void decode_call(struct parser *p, const struct form *form, struct instruction *in) {
  if (form->count > 1 || (form->count && !part_is(form, 0, "uni")))
    unknown_operation(p, form);
  struct call *call = pool_take(&p->module->pool, sizeof *call);
  if (token_is(p, "(")) {
    call->results = read_call_list(p, &call->result_count);
    expect(p, ",");
  }
  struct token name = take_name(p);
  uint32_t slot;
  struct symbol *symbol = p->failed ? NULL : find_symbol(p, name.text, name.size, &slot);
  if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
    parser_fail(p, PTX_UNKNOWN_OPERATION, "%.*s is no function (calls of addresses are not modelled)", (int)name.size,
                name.text);
    return;
  }
  call->function = symbol->function;
  if (take(p, ","))
    call->arguments = read_call_list(p, &call->argument_count);
  if (p->failed)
    return;
  if (!same_sizes(call))
    parser_fail(p, PTX_SYNTAX, "a call of %s with other parameters", call->function->name);
  struct function *f = p->function;
  f->callees = grow(f->callees, f->callee_count, &f->callee_capacity, sizeof *f->callees);
  f->callees[f->callee_count++] = call->function;
  in->run = run_call;
  in->u.call = call;
}

// ---- instructions

static void split_name(struct parser *p, const struct token *name, struct form *form) {
  form->text = name->text;
  form->size = name->size;
  form->count = 0;
  uint32_t begin = 0;
  for (uint32_t i = 0; i <= name->size; i++) {
    if (i < name->size && name->text[i] != '.')
      continue;
    if (begin == 0 && i < sizeof form->base) {
      memcpy(form->base, name->text, i);
      form->base[i] = 0;
    } else if (begin && form->count < MAX_PARTS) {
      form->parts[form->count] = name->text + begin;
      form->sizes[form->count++] = i - begin;
    } else {
      unknown_operation(p, form);
      return;
    }
    begin = i + 1;
  }
}

static struct instruction *new_instruction(struct parser *p) {
  p->code = grow(p->code, p->code_size, &p->code_capacity, sizeof *p->code);
  struct instruction *in = &p->code[p->code_size++];
  *in = (struct instruction){.rounding = ROUND_NONE, .text = p->token.text, .line = p->token.line};
  return in;
}

static void read_instruction(struct parser *p) {
  struct instruction *in = new_instruction(p);
  if (take(p, "@")) {
    in->guard_value = !take(p, "!");
    in->guard = read_source(p, T_PRED, OPERAND_EXACT);
  }
  struct token name = take_name(p);
  struct form form;
  if (p->failed)
    return;
  split_name(p, &name, &form);
  if (p->failed)
    return;
  decode(p, &form, in);
  if (token_is(p, ";"))
    in->text_size = (uint32_t)(p->token.text - in->text);
  expect(p, ";");
}

static bool is_label(const struct parser *p) {
  const char *next = p->cursor;
  while (next < p->end && (*next == ' ' || *next == '\t'))
    next++;
  return p->token.kind == TOKEN_WORD && next < p->end && *next == ':';
}

static void read_statement(struct parser *p) {
  if (is_label(p)) {
    struct token name = p->token;
    next_token(p);
    define_label(p, &name);
  } else if (token_is(p, ".loc") || token_is(p, ".file")) {
    skip_line(p);
  } else if (take(p, ".pragma")) {
    skip_past(p, ';');
  } else if (take(p, ";")) {
    ;
  } else if (p->token.kind == TOKEN_DIRECTIVE) {
    if (!parse_declaration(p))
      parser_fail(p, PTX_UNKNOWN_OPERATION, "directive %.*s", (int)p->token.size, p->token.text);
  } else {
    read_instruction(p);
  }
}

static void read_scope(struct parser *p, uint32_t depth) {
  size_t symbols = p->symbol_count;
  uint32_t params = p->param_bytes;
  if (depth > 64)
    parser_fail(p, PTX_SYNTAX, "scopes too deep");
  expect(p, "{");
  while (!token_is(p, "}") && p->token.kind != TOKEN_END) {
    if (token_is(p, "{"))
      read_scope(p, depth + 1);
    else
      read_statement(p);
  }
  p->symbol_count = symbols;
  p->param_bytes = params;
  expect(p, "}");
}

// ---- functions

static void resolve_labels(struct parser *p) {
  for (size_t i = 0; i < p->code_size; i++) {
    if (p->code[i].run != run_bra)
      continue;
    const struct label *label = &p->labels[p->code[i].u.label];
    if (label->instruction == UINT32_MAX)
      parser_fail(p, PTX_SYNTAX, "label %.*s is nowhere", (int)label->size, label->name);
    else
      p->code[i].u.target = &p->function->code[label->instruction];
  }
}

static void add_parameter_symbols(struct parser *p, struct variable **list, size_t count) {
  for (size_t i = 0; i < count; i++)
    add_symbol(p, (struct symbol){.kind = SYMBOL_VARIABLE,
                                  .name = list[i]->name,
                                  .size = (uint32_t)strlen(list[i]->name),
                                  .variable = list[i]});
}

void parse_body(struct parser *p) {
  struct function *f = p->function;
  size_t symbols = p->symbol_count;
  p->code_size = p->label_count = 0;
  memset(p->label_heads, 0, sizeof p->label_heads);
  if (p->constant_count)
    memset(p->constants, 0, p->constant_capacity * sizeof *p->constants);
  p->constant_count = 0;
  new_slots(p, 1, 0, false, false); // what _ stands for as a target; as a guard it means nothing
  add_parameter_symbols(p, f->arguments, f->argument_count);
  add_parameter_symbols(p, f->results, f->result_count);
  read_scope(p, 0);
  p->symbol_count = symbols;
  if (p->failed)
    return;
  struct instruction *end = new_instruction(p); // the end of the text returns
  end->run = run_return;
  end->name = "ret";
  end->text = "}";
  end->text_size = 1;
  f->code_size = p->code_size;
  f->code = malloc(p->code_size * sizeof *f->code);
  if (!f->code)
    abort();
  resolve_labels(p);
  memcpy(f->code, p->code, p->code_size * sizeof *f->code);
}
