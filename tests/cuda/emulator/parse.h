// What reads the text of a module. After a fault the text seems to end, and nothing that is read means anything.
#ifndef KILN_TESTS_CUDA_EMULATOR_PARSE_H
#define KILN_TESTS_CUDA_EMULATOR_PARSE_H

#include "tests/cuda/emulator/machine.h"

enum token_kind {
  TOKEN_END,
  TOKEN_WORD,
  TOKEN_DIRECTIVE,
  TOKEN_INTEGER,
  TOKEN_SINGLE,
  TOKEN_DOUBLE,
  TOKEN_STRING,
  TOKEN_SIGN
};
struct token {
  enum token_kind kind;
  const char *text;
  uint32_t size, line;
  uint64_t bits; // of a number
};

// What arithmetic.def says of a name with all modifiers.
struct known_form {
  const char *text;
  uint32_t size;
  const struct operation *operation;
  uint8_t rounding;
  bool flushes, saturates, makes_nan;
};

enum symbol_kind { SYMBOL_REGISTERS, SYMBOL_VARIABLE, SYMBOL_FUNCTION };
struct symbol {
  enum symbol_kind kind;
  const char *name;
  uint32_t size;
  uint32_t count, slot; // registers: name0 to those below count; 0: only the name
  enum type type;
  struct variable *variable;
  struct function *function;
};

enum { MAX_PARTS = 12 };
// A name of an operation in its parts.
struct form {
  const char *text;
  uint32_t size;
  char base[24];
  const char *parts[MAX_PARTS];
  uint32_t sizes[MAX_PARTS], count;
};

struct label {
  const char *name;
  uint32_t size, instruction; // UINT32_MAX: not yet
  uint32_t next;              // of the same hash
};
struct constant {
  uint64_t bits;
  uint32_t slot; // 0: none
};

struct parser {
  struct ptx_module *module;
  struct ptx_error *error;
  bool failed;
  const char *cursor, *end;
  uint32_t line;
  struct token token; // the next one
  struct symbol *symbols;
  size_t symbol_count, symbol_capacity;
  // of the function that is being read
  struct function *function;
  struct instruction *code;
  size_t code_size, code_capacity;
  struct label *labels;
  size_t label_count, label_capacity;
  uint32_t label_heads[1024];
  struct constant *constants;
  size_t constant_count, constant_capacity;
  uint32_t param_bytes; // of the scopes that are open
  struct known_form known[512];
  const char *names[128]; // of operations, each once
};

// ---- text.c
__attribute__((format(printf, 3, 4))) void parser_fail(struct parser *p, enum ptx_kind kind, const char *format, ...);
void next_token(struct parser *p);
void skip_line(struct parser *p);
void skip_past(struct parser *p, char sign);
void skip_braces(struct parser *p);
bool token_is(const struct parser *p, const char *text);
bool take(struct parser *p, const char *text);
void expect(struct parser *p, const char *text);
uint64_t take_integer(struct parser *p); // with a sign before it
struct token take_name(struct parser *p);

// ---- parse.c
struct symbol *find_symbol(struct parser *p, const char *name, uint32_t size, uint32_t *register_slot);
void add_symbol(struct parser *p, struct symbol symbol);
// .reg, .local and the like in a function; false: it is another directive.
bool parse_declaration(struct parser *p);
uint32_t new_slots(struct parser *p, size_t count, uint64_t bits, bool is_register, bool is_predicate);

// ---- body.c
void parse_body(struct parser *p);

// ---- operands.c
enum operand_flags {
  OPERAND_EXACT = 0,
  OPERAND_WIDER = 1, // a register may have more bits than the type
};
uint32_t constant_slot(struct parser *p, uint64_t bits);
uint32_t read_source(struct parser *p, enum type type, unsigned flags);
uint32_t read_predicate(struct parser *p, struct instruction *in); // perhaps with !, into in->negates
// The register's mask goes into in->mask[index].
void read_target(struct parser *p, struct instruction *in, unsigned index, enum type type, unsigned flags);
void read_address(struct parser *p, struct instruction *in, unsigned index, unsigned bytes);

// ---- decode.c
const char *operation_name(struct parser *p, const char *base);
void decode(struct parser *p, const struct form *form, struct instruction *in);
bool part_is(const struct form *form, uint32_t index, const char *text);
enum type part_type(struct parser *p, const struct form *form, uint32_t index);
void need(struct parser *p, const struct form *form, unsigned version, unsigned sm);
void unknown_operation(struct parser *p, const struct form *form);
// Rows of decoded.def.
#define DECODED(name, version, sm, function)                                                                           \
  void function(struct parser *p, const struct form *form, struct instruction *in);
#include "tests/cuda/emulator/decoded.def"
#undef DECODED

#endif
