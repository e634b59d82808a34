// Words of the text form.
#include "jit/ir/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const kiln_kind_words[10] = {"void", "bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "ptr"};
const char *const kiln_space_words[5] = {"private", "global", "constant", "local", "generic"};
const char *const kiln_access_words[4] = {"none", "read", "write", "read_write"};
const char *const kiln_fp_flag_words[KILN_FP_FLAG_COUNT] = {"contract", "nnan",   "ninf",   "nsz",  "arcp",
                                                            "reassoc",  "approx", "native", "half", "inrange"};
const char *const kiln_rmw_words[KILN_RMW_COUNT] = {"add",  "sub",  "xchg", "and",  "or",   "xor", "smin",
                                                    "smax", "umin", "umax", "fadd", "fmin", "fmax"};
const char *const kiln_reduce_words[KILN_REDUCE_COUNT] = {"add",  "mul",  "and",  "or",   "xor",  "smin", "smax",
                                                          "umin", "umax", "fadd", "fmul", "fmin", "fmax"};
const char *const kiln_round_words[4] = {"rte", "rtz", "rtp", "rtn"};
const char *const kiln_order_words[5] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
const char *const kiln_scope_words[5] = {"item", "sub_group", "group", "device", "system"};
const char *const kiln_fence_words[3] = {"local", "global", "image"};

const char *kiln_type_text(kiln_type type, char out[KILN_TYPE_TEXT_SIZE]) {
  if (!kiln_type_is_valid(type))
    snprintf(out, KILN_TYPE_TEXT_SIZE, "type 0x%x", type);
  else if (kiln_type_kind(type) == KILN_PTR)
    snprintf(out, KILN_TYPE_TEXT_SIZE, "ptr.%s", kiln_space_words[kiln_type_space(type)]);
  else if (kiln_type_lanes(type) > 1)
    snprintf(out, KILN_TYPE_TEXT_SIZE, "%sx%u", kiln_kind_words[kiln_type_kind(type)], kiln_type_lanes(type));
  else
    snprintf(out, KILN_TYPE_TEXT_SIZE, "%s", kiln_kind_words[kiln_type_kind(type)]);
  return out;
}

enum kiln_text_form kiln_text_form(enum kiln_op op) {
  if (op >= KILN_OP_FTOS && op <= KILN_OP_FTOF)
    return KILN_FORM_ROUND;
  if (op >= KILN_OP_ATOMIC_LOAD && op <= KILN_OP_ATOMIC_CAS)
    return KILN_FORM_ATOMIC;
  if (op >= KILN_OP_GLOBAL_ID && op <= KILN_OP_GLOBAL_OFFSET)
    return KILN_FORM_DIMENSION;
  if (op >= KILN_OP_GROUP_ALL && op <= KILN_OP_GROUP_SCAN_EXCLUSIVE)
    return KILN_FORM_GROUP;
  switch ((int)op) {
  case KILN_OP_PADD:
    return KILN_FORM_STRIDE;
  case KILN_OP_LOAD:
  case KILN_OP_STORE:
    return KILN_FORM_ALIGN;
  case KILN_OP_VAR:
    return KILN_FORM_VAR;
  case KILN_OP_COPY:
    return KILN_FORM_COPY;
  case KILN_OP_FENCE:
    return KILN_FORM_FENCE;
  case KILN_OP_BARRIER:
  case KILN_OP_SUB_GROUP_BARRIER:
    return KILN_FORM_BARRIER;
  case KILN_OP_SHUFFLE:
    return KILN_FORM_LANES;
  case KILN_OP_CALL:
    return KILN_FORM_CALL;
  case KILN_OP_PRINTF:
    return KILN_FORM_PRINTF;
  }
  return KILN_FORM_PLAIN;
}

uint64_t kiln_parse_float(enum kiln_kind kind, const char *text, char **end) {
  if (kind == KILN_F32) {
    float value = strtof(text, end);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  return kiln_float_round(kind, strtod(text, end), KILN_ROUND_EVEN);
}
