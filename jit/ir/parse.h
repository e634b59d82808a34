// Between the parts of the parser: parse.c reads modules, functions and nodes, parse_inst.c operands and instructions.
#ifndef KILN_JIT_IR_PARSE_H
#define KILN_JIT_IR_PARSE_H

#include "base/vec.h"
#include "jit/ir/lex.h"

struct kiln_ir_call { // to a function that may stand further down
  uint32_t caller, callee_offset;
  kiln_value inst;
  const char *callee;
  struct kiln_function *fn; // the caller, for link.c
};

// A text may have several modules, each of an object: they become one.
struct kiln_ir_part {
  const char *name; // for messages
  uint32_t first_file, file_count;
  KILN_VEC(uint32_t) globals; // indices in the module
};

struct kiln_ir_parser {
  struct kiln_ir_lexer lexer;
  struct kiln_module *module;
  struct kiln_function *fn;
  uint32_t function_index;
  uint32_t region; // where instructions go
  unsigned depth;
  KILN_VEC(uint32_t) places; // offsets in the text, by value of fn
  KILN_VEC(struct kiln_ir_call) calls;
  // of finished functions, to say where the verifier found a fault
  struct {
    uint32_t *places, count, offset, part;
  } * functions;
  uint32_t functions_capacity;
  bool is_object; // what is declared and not defined may stay so
  KILN_VEC(struct kiln_ir_part) parts;
  KILN_VEC(uint32_t) global_parts; // by index in the module: the part that has the variable, or declares it
};
static inline struct kiln_ir_part *kiln_ir_part(struct kiln_ir_parser *p) {
  return &p->parts.items[p->parts.count - 1];
}

kiln_type kiln_ir_parse_type(struct kiln_ir_parser *p);
kiln_value kiln_ir_parse_operand(struct kiln_ir_parser *p);
// The text of @name, %x.name: an identifier or a string.
const char *kiln_ir_parse_name(struct kiln_ir_parser *p);
// Binds %x, with ".name" after it, to a value.
struct kiln_ir_definition {
  struct kiln_name *key; // NULL: none
  uint32_t offset;
  const char *name;
};
struct kiln_ir_definition kiln_ir_parse_definition(struct kiln_ir_parser *p);
void kiln_ir_define(struct kiln_ir_parser *p, struct kiln_ir_definition definition, kiln_value value);
uint32_t kiln_ir_parse_loc(struct kiln_ir_parser *p);
// An instruction that is no node, after the name of its operation.
void kiln_ir_parse_inst(struct kiln_ir_parser *p, enum kiln_op op, uint32_t offset,
                        struct kiln_ir_definition definition);
// link.c: resolves calls, and what objects declare.
void kiln_ir_link(struct kiln_ir_parser *p);
// "name: error: …" into the message, then a jump out.
__attribute__((noreturn, format(printf, 2, 3))) void kiln_ir_link_error(struct kiln_ir_parser *p, const char *format,
                                                                        ...);
// Jumps out when the module ran out of memory.
void kiln_ir_check_memory(struct kiln_ir_parser *p);
void kiln_ir_set_place(struct kiln_ir_parser *p, kiln_value value, uint32_t offset);

#endif
