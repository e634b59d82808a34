// Reads a module: directives, variables with their first values, heads of functions.
#include <stdio.h>
#include <stdlib.h>

#include "tests/cuda/emulator/parse.h"

enum { MAX_DIMENSIONS = 8, MAX_VERSION = 99, MAX_STATIC_SHARED = 49152 };

// ---- symbols

static bool is_digits(const char *text, uint32_t size, uint32_t *value) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9' || number > UINT32_MAX / 16)
      return false;
    number = number * 10 + (uint64_t)(text[i] - '0');
  }
  *value = (uint32_t)number;
  return size && (size == 1 || *text != '0');
}

struct symbol *find_symbol(struct parser *p, const char *name, uint32_t size, uint32_t *register_slot) {
  for (size_t i = p->symbol_count; i-- > 0;) {
    struct symbol *symbol = &p->symbols[i];
    uint32_t number = 0;
    if (size < symbol->size || memcmp(name, symbol->name, symbol->size) != 0)
      continue;
    if (symbol->kind == SYMBOL_REGISTERS && symbol->count) {
      if (!is_digits(name + symbol->size, size - symbol->size, &number) || number >= symbol->count)
        continue;
    } else if (size != symbol->size) {
      continue;
    }
    *register_slot = symbol->slot + number;
    return symbol;
  }
  return NULL;
}

void add_symbol(struct parser *p, struct symbol symbol) {
  p->symbols = grow(p->symbols, p->symbol_count, &p->symbol_capacity, sizeof *p->symbols);
  p->symbols[p->symbol_count++] = symbol;
}

static struct symbol *find_global(struct parser *p, const struct token *name) {
  uint32_t slot;
  return find_symbol(p, name->text, name->size, &slot);
}

// ---- first values

struct initialiser {
  struct variable *variable;
  unsigned bits; // of an element
  enum type type;
  uint64_t dimensions[MAX_DIMENSIONS];
  uint32_t dimension_count;
};

static uint64_t address_value(struct parser *p, const struct token *name, bool is_generic) {
  struct symbol *symbol = find_global(p, name);
  if (symbol && symbol->kind == SYMBOL_VARIABLE && symbol->variable->space == SPACE_GLOBAL)
    return symbol->variable->address;
  if (symbol && symbol->kind == SYMBOL_VARIABLE && symbol->variable->space == SPACE_CONST)
    return symbol->variable->address + (is_generic ? CONST_WINDOW : 0);
  if (symbol && symbol->kind == SYMBOL_FUNCTION)
    return symbol->function->address;
  parser_fail(p, symbol ? PTX_UNKNOWN_OPERATION : PTX_SYNTAX, "%.*s is no global or constant variable", (int)name->size,
              name->text);
  return 0;
}

// name, generic(name), each perhaps with an offset.
static uint64_t read_address_value(struct parser *p) {
  struct token name = take_name(p);
  bool is_generic = name.size == 7 && !memcmp(name.text, "generic", 7) && take(p, "(");
  if (is_generic) {
    name = take_name(p);
    expect(p, ")");
  }
  uint64_t value = address_value(p, &name, is_generic);
  return token_is(p, "+") || token_is(p, "-") ? value + take_integer(p) : value;
}

static uint64_t read_first_value(struct parser *p, enum type type) {
  if (p->token.kind == TOKEN_WORD)
    return read_address_value(p);
  if (p->token.kind == TOKEN_SINGLE || p->token.kind == TOKEN_DOUBLE) {
    uint64_t bits = p->token.bits;
    if (p->token.kind == TOKEN_DOUBLE && type == T_F32)
      bits = put_F32((F32)get_F64(bits));
    next_token(p);
    return bits;
  }
  uint64_t value = take_integer(p);
  if (!take(p, "("))
    return value;
  // mask(address): the byte of the address under the mask
  uint64_t address = read_address_value(p);
  expect(p, ")");
  return value ? (address & value) >> __builtin_ctzll(value) : 0;
}

static void read_first_values(struct parser *p, const struct initialiser *x, uint32_t dimension, uint64_t offset) {
  uint64_t stride = x->bits / 8;
  for (uint32_t d = dimension + 1; d < x->dimension_count; d++)
    stride *= x->dimensions[d];
  if (dimension >= x->dimension_count || !token_is(p, "{")) {
    uint64_t value = read_first_value(p, x->type), bytes = x->bits / 8;
    if (offset + bytes > x->variable->size)
      parser_fail(p, PTX_SYNTAX, "more first values than %s has room for", x->variable->name);
    else
      memcpy(x->variable->memory + offset, &value, bytes);
    return;
  }
  expect(p, "{");
  for (uint64_t i = 0; !token_is(p, "}") && !p->failed; i++) {
    read_first_values(p, x, dimension + 1, offset + i * stride);
    if (!take(p, ","))
      break;
  }
  expect(p, "}");
}

// ---- variables

static void place_variable(struct parser *p, struct variable *variable) {
  struct ptx_module *module = p->module;
  if (variable->space == SPACE_SHARED) {
    variable->index = module->shared_count++;
  } else if (variable->space == SPACE_CONST) {
    uint64_t begin = (module->bank_bytes + variable->align - 1) & ~(variable->align - 1);
    if (variable->size > CONST_BYTES - begin || begin > CONST_BYTES)
      parser_fail(p, PTX_SYNTAX, "more than %d bytes of constant memory", CONST_BYTES);
    variable->address = begin;
    variable->memory = p->failed ? NULL : module->bank + begin;
    module->bank_bytes = (uint32_t)(begin + variable->size);
  } else if (variable->space == SPACE_GLOBAL) {
    if (variable->size > UINT32_MAX ||
        !(variable->memory = aligned_alloc(256, (variable->size + 511) & ~UINT64_C(255))))
      parser_fail(p, PTX_NO_MEMORY, "no memory for %s", variable->name);
    else
      memset(variable->memory, 0, variable->size);
    variable->address = (uint64_t)(uintptr_t)variable->memory;
  }
  if (variable->space <= SPACE_SHARED || variable->space == SPACE_CONST) {
    module->variables = grow(module->variables, module->variable_count, &module->variable_capacity, sizeof variable);
    module->variables[module->variable_count++] = variable;
  }
}

static void add_to_function(struct parser *p, struct variable *variable) {
  struct function *f = p->function;
  if (variable->space == SPACE_LOCAL) {
    f->local_bytes = (f->local_bytes + (uint32_t)variable->align - 1) & ~((uint32_t)variable->align - 1);
    variable->address = f->local_bytes;
    f->local_bytes += (uint32_t)variable->size;
    f->locals = grow(f->locals, f->local_count, &f->local_capacity, sizeof variable);
    f->locals[f->local_count++] = variable;
  } else if (variable->space == SPACE_PARAM) {
    p->param_bytes = (p->param_bytes + 15) & ~15u; // as much as any alignment
    variable->address = p->param_bytes;
    p->param_bytes += (uint32_t)variable->size;
    if (f->param_bytes < p->param_bytes)
      f->param_bytes = p->param_bytes;
  }
}

// The words before a variable's name.
static void read_variable_type(struct parser *p, struct initialiser *x, uint64_t *elements) {
  static const char *const pointers[] = {".global", ".shared", ".local", ".const", ".param"};
  struct variable *variable = x->variable;
  bool is_pointer = false; // .ptr .global .align 4: of what the parameter points to
  while (p->token.kind == TOKEN_DIRECTIVE) {
    struct token word = p->token;
    bool is_space = false;
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
      is_space |= is_pointer && token_is(p, pointers[i]);
    enum type type = type_of_text(word.text + 1, word.size - 1);
    if (type != T_NONE) {
      x->type = type;
    } else if (token_is(p, ".ptr") && variable->space == SPACE_PARAM) {
      is_pointer = true;
    } else if (token_is(p, ".align")) {
      next_token(p);
      if (p->token.kind == TOKEN_INTEGER && !is_pointer)
        variable->align = p->token.bits;
    } else if (token_is(p, ".v2") || token_is(p, ".v4")) {
      *elements = (uint64_t)(word.text[2] - '0');
    } else if (token_is(p, ".attribute")) {
      while (p->token.kind != TOKEN_END && !token_is(p, ")"))
        next_token(p);
    } else if (!is_space) {
      parser_fail(p, PTX_SYNTAX, "%.*s in a variable", (int)word.size, word.text);
    }
    next_token(p);
  }
}

static void read_dimensions(struct parser *p, struct initialiser *x) {
  struct variable *variable = x->variable;
  while (take(p, "[")) {
    uint64_t count = token_is(p, "]") ? 0 : take_integer(p);
    expect(p, "]");
    variable->is_dynamic |= !count;
    if (x->dimension_count < MAX_DIMENSIONS)
      x->dimensions[x->dimension_count++] = count;
    if (count > UINT32_MAX || (variable->size *= count) > UINT32_MAX)
      parser_fail(p, PTX_SYNTAX, "size of %s", variable->name);
  }
}

// The rest of ".global .align 4 .b8 name[8][2] = {…}", up to what ends it.
static struct variable *read_variable(struct parser *p, enum space space, bool is_external) {
  struct variable *variable = pool_take(&p->module->pool, sizeof *variable);
  struct initialiser x = {.variable = variable, .type = T_NONE};
  uint64_t elements = 1;
  variable->space = space;
  read_variable_type(p, &x, &elements);
  struct token name = take_name(p);
  variable->name = pool_text(&p->module->pool, name.text, name.size);
  if (x.type == T_NONE || x.type == T_PRED)
    parser_fail(p, PTX_SYNTAX, "%s has no type that memory has", variable->name);
  if (p->failed)
    return variable;
  x.bits = type_bits(x.type);
  variable->size = elements * x.bits / 8;
  if (!variable->align)
    variable->align = variable->size;
  if (variable->align & (variable->align - 1) || variable->align > 4096)
    parser_fail(p, PTX_SYNTAX, "alignment of %s", variable->name);
  read_dimensions(p, &x);
  if (variable->is_dynamic && !(space == SPACE_SHARED && is_external))
    parser_fail(p, PTX_SYNTAX, "%s has no size", variable->name);
  if (is_external && !variable->is_dynamic)
    parser_fail(p, PTX_UNKNOWN_OPERATION, "%s is defined in another module", variable->name);
  if (!p->failed)
    place_variable(p, variable);
  if (take(p, "=")) {
    if (space != SPACE_GLOBAL && space != SPACE_CONST)
      parser_fail(p, PTX_SYNTAX, "%s cannot have a first value", variable->name);
    if (!p->failed)
      read_first_values(p, &x, 0, 0);
  }
  return variable;
}

static enum space space_of_directive(const struct parser *p) {
  static const char *const names[] = {"", ".global", ".shared", ".local", ".param", ".const"};
  for (int s = SPACE_GLOBAL; s <= SPACE_CONST; s++)
    if (token_is(p, names[s]))
      return (enum space)s;
  return SPACE_NONE;
}

static void declare_variables(struct parser *p, enum space space, bool is_external) {
  struct variable *variable = read_variable(p, space, is_external);
  add_symbol(p, (struct symbol){.kind = SYMBOL_VARIABLE,
                                .name = variable->name,
                                .size = (uint32_t)strlen(variable->name ? variable->name : ""),
                                .variable = variable});
  if (p->function && !p->failed)
    add_to_function(p, variable);
  expect(p, ";");
}

// ---- registers

uint32_t new_slots(struct parser *p, size_t count, uint64_t bits, bool is_register, bool is_predicate) {
  struct function *f = p->function;
  uint32_t first = (uint32_t)f->slot_count;
  if (f->slot_count + count > f->slot_capacity) {
    size_t capacity = 2 * (f->slot_count + count);
    f->slots = realloc(f->slots, capacity * sizeof *f->slots);
    f->is_register = realloc(f->is_register, capacity);
    f->is_predicate = realloc(f->is_predicate, capacity);
    f->slot_capacity = capacity;
    if (!f->slots || !f->is_register || !f->is_predicate)
      abort();
  }
  for (size_t i = 0; i < count; i++) {
    f->slots[first + i] = bits;
    f->is_register[first + i] = is_register;
    f->is_predicate[first + i] = is_predicate;
  }
  f->slot_count += count;
  return first;
}

static void declare_registers(struct parser *p) {
  enum type type = p->token.kind == TOKEN_DIRECTIVE ? type_of_text(p->token.text + 1, p->token.size - 1) : T_NONE;
  if (type == T_NONE)
    parser_fail(p, PTX_SYNTAX, "registers of type %.*s", (int)p->token.size, p->token.text);
  next_token(p);
  do {
    struct token name = take_name(p);
    uint64_t count = 0;
    if (take(p, "<")) {
      count = take_integer(p);
      expect(p, ">");
    }
    if (count > 1 << 24)
      parser_fail(p, PTX_SYNTAX, "too many registers");
    if (p->failed)
      return;
    uint32_t slot = new_slots(p, count ? count : 1, 0, true, type == T_PRED);
    add_symbol(p, (struct symbol){.kind = SYMBOL_REGISTERS,
                                  .name = name.text,
                                  .size = name.size,
                                  .count = (uint32_t)count,
                                  .slot = slot,
                                  .type = type});
  } while (take(p, ","));
  expect(p, ";");
}

bool parse_declaration(struct parser *p) {
  if (take(p, ".reg")) {
    declare_registers(p);
    return true;
  }
  bool is_external = take(p, ".extern");
  enum space space = space_of_directive(p);
  if (space == SPACE_NONE)
    return false;
  next_token(p);
  declare_variables(p, space, is_external);
  return true;
}

// ---- functions

static struct function *find_function(struct parser *p, const struct token *name, bool is_entry) {
  struct symbol *symbol = find_global(p, name);
  if (symbol && symbol->kind == SYMBOL_FUNCTION)
    return symbol->function;
  struct ptx_module *module = p->module;
  struct function *f = pool_take(&module->pool, sizeof *f);
  f->name = pool_text(&module->pool, name->text, name->size);
  f->is_entry = is_entry;
  f->address = FUNCTION_ADDRESSES + 16 * (module->function_count + 1);
  module->functions = grow(module->functions, module->function_count, &module->function_capacity, sizeof f);
  module->functions[module->function_count++] = f;
  add_symbol(p, (struct symbol){.kind = SYMBOL_FUNCTION, .name = f->name, .size = name->size, .function = f});
  return f;
}

static void read_parameters(struct parser *p, struct variable ***list, size_t *count, size_t *capacity) {
  expect(p, "(");
  *count = 0;
  while (token_is(p, ".param")) {
    next_token(p);
    struct variable *variable = read_variable(p, SPACE_PARAM, false);
    *list = grow(*list, *count, capacity, sizeof variable);
    (*list)[(*count)++] = variable;
    if (!take(p, ","))
      break;
  }
  if (token_is(p, ".reg"))
    parser_fail(p, PTX_UNKNOWN_OPERATION, "parameters in registers are not modelled");
  expect(p, ")");
}

static void lay_out_arguments(struct parser *p, struct function *f) {
  uint64_t offset = 0;
  for (size_t i = 0; i < f->argument_count; i++) {
    struct variable *variable = f->arguments[i];
    if (f->is_entry) {
      offset = (offset + variable->align - 1) & ~(variable->align - 1);
      variable->address = offset;
      variable->is_argument = true;
      offset += variable->size;
    } else {
      add_to_function(p, variable);
    }
  }
  for (size_t i = 0; i < f->result_count; i++)
    add_to_function(p, f->results[i]);
  f->entry.parameter_bytes = (uint32_t)offset;
  if (f->is_entry && offset > (p->module->version >= 81 && p->module->target >= 70 ? 32764u : 4352u))
    parser_fail(p, PTX_TOO_NEW, "%s has %llu bytes of parameters", f->name, (unsigned long long)offset);
}

static void read_sizes(struct parser *p, uint32_t sizes[3]) {
  for (int d = 0; d < 3; d++)
    sizes[d] = 1;
  for (int d = 0; d < 3; d++) {
    sizes[d] = (uint32_t)take_integer(p);
    if (!take(p, ","))
      break;
  }
}

static void read_performance(struct parser *p, struct function *f) {
  while (p->token.kind == TOKEN_DIRECTIVE && !p->failed) {
    if (take(p, ".maxntid"))
      read_sizes(p, f->entry.max_threads);
    else if (take(p, ".reqntid"))
      read_sizes(p, f->entry.need_threads);
    else if (take(p, ".minnctapersm"))
      f->entry.min_blocks = (uint32_t)take_integer(p);
    else if (take(p, ".maxnreg"))
      take_integer(p);
    else if (take(p, ".pragma"))
      skip_past(p, ';');
    else if (!take(p, ".noreturn"))
      parser_fail(p, PTX_UNKNOWN_OPERATION, "directive %.*s", (int)p->token.size, p->token.text);
  }
}

static void read_function(struct parser *p, bool is_entry) {
  struct variable **results = NULL;
  size_t result_count = 0, result_capacity = 0;
  if (token_is(p, "("))
    read_parameters(p, &results, &result_count, &result_capacity);
  struct token name = take_name(p);
  if (p->failed) {
    free(results);
    return;
  }
  struct function *f = find_function(p, &name, is_entry);
  free(f->results);
  f->results = results;
  f->result_count = result_count;
  if (f->is_defined)
    parser_fail(p, PTX_SYNTAX, "%s is defined twice", f->name);
  p->param_bytes = 0;
  f->param_bytes = 0;
  f->argument_count = 0;
  if (token_is(p, "("))
    read_parameters(p, &f->arguments, &f->argument_count, &f->argument_capacity);
  if (p->failed)
    return;
  read_performance(p, f);
  if (take(p, ";"))
    return;
  p->function = f;
  lay_out_arguments(p, f);
  parse_body(p);
  p->function = NULL;
  f->is_defined = true;
}

// ---- modules

static void read_device(struct parser *p) {
  struct token name = take_name(p);
  unsigned sm = 0;
  if (sscanf(name.text, "sm_%u", &sm) != 1 || sm < 20)
    parser_fail(p, PTX_SYNTAX, "target %.*s", (int)name.size, name.text);
  p->module->target = sm;
  p->module->is_exact = name.text[name.size - 1] == 'a';
  while (take(p, ","))
    take_name(p);
}

static void read_version(struct parser *p) {
  double version = p->token.kind == TOKEN_DOUBLE ? get_F64(p->token.bits) : 0;
  p->module->version = (uint32_t)lround(version * 10);
  if (p->module->version < 10 || p->module->version > MAX_VERSION)
    parser_fail(p, PTX_SYNTAX, "version %.*s", (int)p->token.size, p->token.text);
  next_token(p);
}

static void read_directive(struct parser *p) {
  if (take(p, ".version")) {
    read_version(p);
  } else if (take(p, ".target")) {
    read_device(p);
  } else if (take(p, ".address_size")) {
    if (take_integer(p) != 64)
      parser_fail(p, PTX_SYNTAX, "addresses are of 64 bits");
  } else if (token_is(p, ".file") || token_is(p, ".loc")) {
    skip_line(p);
  } else if (take(p, ".section")) {
    next_token(p);
    skip_braces(p);
  } else if (take(p, ".pragma")) {
    skip_past(p, ';');
  } else {
    bool is_external = false;
    while (token_is(p, ".visible") || token_is(p, ".weak") || token_is(p, ".common") || token_is(p, ".extern")) {
      is_external |= token_is(p, ".extern");
      next_token(p);
    }
    if (!p->module->version || !p->module->target)
      parser_fail(p, PTX_SYNTAX, ".version and .target must be first");
    bool is_entry = token_is(p, ".entry");
    enum space space = space_of_directive(p);
    if (is_entry || token_is(p, ".func")) {
      next_token(p);
      read_function(p, is_entry);
    } else if (space == SPACE_GLOBAL || space == SPACE_SHARED || space == SPACE_CONST) {
      next_token(p);
      declare_variables(p, space, is_external);
    } else {
      parser_fail(p, PTX_SYNTAX, "'%.*s' where a directive should be", (int)p->token.size, p->token.text);
    }
  }
}

static void check_calls(struct parser *p) {
  for (size_t i = 0; i < p->module->function_count; i++)
    for (size_t c = 0; c < p->module->functions[i]->callee_count; c++) {
      const struct function *callee = p->module->functions[i]->callees[c];
      if (!callee->is_defined)
        parser_fail(p, PTX_UNKNOWN_OPERATION, "%s calls %s, which has no body", p->module->functions[i]->name,
                    callee->name);
    }
}

// More must be dynamic, whatever the device has.
static void check_shared(struct parser *p) {
  for (size_t i = 0; i < p->module->entry_count; i++)
    if (p->module->entries[i].shared_bytes > MAX_STATIC_SHARED)
      parser_fail(p, PTX_SYNTAX, "%s has %u bytes of static shared memory; at most %d are possible",
                  p->module->entries[i].name, p->module->entries[i].shared_bytes, MAX_STATIC_SHARED);
}

struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error) {
  struct ptx_module *module = calloc(1, sizeof *module);
  *error = (struct ptx_error){0};
  if (module)
    module->text = malloc(size + 1);
  if (!module || !module->text || !(module->bank = aligned_alloc(256, CONST_BYTES))) {
    error->kind = PTX_NO_MEMORY;
    snprintf(error->text, sizeof error->text, "no memory for the module");
    ptx_free(module);
    return NULL;
  }
  memcpy(module->text, text, size);
  module->text[size] = 0;
  memset(module->bank, 0, CONST_BYTES);
  struct parser *p = calloc(1, sizeof *p);
  if (!p)
    abort();
  p->module = module;
  p->error = error;
  p->cursor = module->text;
  p->end = module->text + strlen(module->text); // a 0 ends the text, as for the driver
  p->line = 1;
  next_token(p);
  while (p->token.kind != TOKEN_END)
    read_directive(p);
  check_calls(p);
  if (!p->failed) {
    module_finish(module);
    check_shared(p);
  }
  bool failed = p->failed;
  free(p->symbols);
  free(p->code);
  free(p->labels);
  free(p->constants);
  free(p);
  if (failed) {
    ptx_free(module);
    return NULL;
  }
  return module;
}
