// Words of the text form, shared by printer and parser.
#ifndef KILN_JIT_IR_TEXT_H
#define KILN_JIT_IR_TEXT_H

#include "jit/ir/internal.h"

#define KILN_IR_TEXT_VERSION 1
#define KILN_FP_FLAG_COUNT 11

extern const char *const kiln_kind_words[10];
extern const char *const kiln_space_words[5];
extern const char *const kiln_dimension_words[8];  // of images
extern const char *const kiln_image_flag_words[3]; // by bit
extern const char *const kiln_query_words[6];      // by enum kiln_image_query
extern const char *const kiln_param_words[3];      // by enum kiln_param_image, but for images
extern const char *const kiln_access_words[4];
extern const char *const kiln_fp_flag_words[KILN_FP_FLAG_COUNT]; // by bit
extern const char *const kiln_rmw_words[KILN_RMW_COUNT];
extern const char *const kiln_reduce_words[KILN_REDUCE_COUNT];
extern const char *const kiln_round_words[4];
extern const char *const kiln_dot_words[4];      // by enum kiln_dot_signs
extern const char *const kiln_dot_flag_words[2]; // by bit
extern const char *const kiln_order_words[5];
extern const char *const kiln_scope_words[5];
extern const char *const kiln_fence_words[3]; // by bit

// What stands between the operands and the type of an instruction, so that printer and parser agree.
enum kiln_text_form {
  KILN_FORM_PLAIN,     // operands only
  KILN_FORM_STRIDE,    // "* imm"
  KILN_FORM_ALIGN,     // ", align imm2"
  KILN_FORM_VAR,       // "imm, align imm2"
  KILN_FORM_COPY,      // ", bytes imm, align imm2"
  KILN_FORM_ROUND,     // ".rte" after the name
  KILN_FORM_ATOMIC,    // ", order scope"
  KILN_FORM_FENCE,     // "order scope [bits]"
  KILN_FORM_BARRIER,   // "[bits]"
  KILN_FORM_DIMENSION, // "imm"
  KILN_FORM_LANES,     // ", [lanes]"
  KILN_FORM_GROUP,     // ", scope", ", cluster n" where there is one
  KILN_FORM_CALL,      // "@name(operands)"
  KILN_FORM_PRINTF,    // "$global(operands)"
};
enum kiln_text_form kiln_text_form(enum kiln_op op);

// The float that a decimal or hexadecimal floating-point number stands for in a format.
uint64_t kiln_parse_float(enum kiln_kind kind, const char *text, char **end);

#endif
