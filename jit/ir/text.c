// Words of the text form.
#include "jit/ir/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

const char *const kiln_kind_words[10] = {"void", "bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "ptr"};
const char *const kiln_space_words[5] = {"private", "global", "constant", "local", "generic"};
const char *const kiln_dimension_words[8] = {"image1d",       "image1d_buffer", "image1d_array", "image2d",
                                             "image2d_array", "image3d",        "image2d_depth", "image2d_array_depth"};
const char *const kiln_image_flag_words[3] = {"sampled", "unsigned", "any_sign"};
const char *const kiln_query_words[6] = {"width", "height", "depth", "layers", "order", "type"};
const char *const kiln_param_words[3] = {"plain", "sampler", "record"};
const char *const kiln_access_words[4] = {"none", "read", "write", "read_write"};
const char *const kiln_fp_flag_words[KILN_FP_FLAG_COUNT] = {
    "contract", "nnan", "ninf", "nsz", "arcp", "reassoc", "approx", "native", "half", "inrange", "unrounded"};
const char *const kiln_rmw_words[KILN_RMW_COUNT] = {"add",  "sub",  "xchg", "and",  "or",   "xor", "smin",
                                                    "smax", "umin", "umax", "fadd", "fmin", "fmax"};
const char *const kiln_reduce_words[KILN_REDUCE_COUNT] = {"add",  "mul",  "and",  "or",   "xor",  "smin", "smax",
                                                          "umin", "umax", "fadd", "fmul", "fmin", "fmax"};
const char *const kiln_round_words[4] = {"rte", "rtz", "rtp", "rtn"};
const char *const kiln_dot_words[4] = {"uu", "su", "us", "ss"};
const char *const kiln_dot_flag_words[2] = {"first_small", "second_small"};
const char *const kiln_order_words[5] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
const char *const kiln_scope_words[5] = {"item", "sub_group", "group", "device", "system"};
const char *const kiln_fence_words[3] = {"local", "global", "image"};

const char *kiln_type_text(kiln_type type, char out[KILN_TYPE_TEXT_SIZE]) {
  if (!kiln_type_is_valid(type))
    snprintf(out, KILN_TYPE_TEXT_SIZE, "type 0x%x", type);
  else if (kiln_type_kind(type) == KILN_PTR)
    snprintf(out, KILN_TYPE_TEXT_SIZE, "ptr.%s", kiln_space_words[kiln_type_space(type)]);
  else if (kiln_type_kind(type) == KILN_IMAGE)
    snprintf(out, KILN_TYPE_TEXT_SIZE, "%s.%s", kiln_dimension_words[kiln_type_dimension(type)],
             kiln_access_words[kiln_type_access(type)]);
  else if (kiln_type_lanes(type) > 1)
    snprintf(out, KILN_TYPE_TEXT_SIZE, "%sx%u", kiln_kind_words[kiln_type_kind(type)], kiln_type_lanes(type));
  else
    snprintf(out, KILN_TYPE_TEXT_SIZE, "%s", kiln_kind_words[kiln_type_kind(type)]);
  return out;
}

enum kiln_text_form kiln_text_form(enum kiln_op op) {
  static const unsigned char forms[KILN_OP_COUNT] = {
      [KILN_OP_FTOS] = KILN_FORM_ROUND,
      [KILN_OP_FTOU] = KILN_FORM_ROUND,
      [KILN_OP_STOF] = KILN_FORM_ROUND,
      [KILN_OP_UTOF] = KILN_FORM_ROUND,
      [KILN_OP_FTOF] = KILN_FORM_ROUND,
      [KILN_OP_ATOMIC_LOAD] = KILN_FORM_ATOMIC,
      [KILN_OP_ATOMIC_STORE] = KILN_FORM_ATOMIC,
      [KILN_OP_ATOMIC_RMW] = KILN_FORM_ATOMIC,
      [KILN_OP_ATOMIC_CAS] = KILN_FORM_ATOMIC,
      [KILN_OP_GLOBAL_ID] = KILN_FORM_DIMENSION,
      [KILN_OP_LOCAL_ID] = KILN_FORM_DIMENSION,
      [KILN_OP_GROUP_ID] = KILN_FORM_DIMENSION,
      [KILN_OP_GLOBAL_SIZE] = KILN_FORM_DIMENSION,
      [KILN_OP_LOCAL_SIZE] = KILN_FORM_DIMENSION,
      [KILN_OP_FULL_LOCAL_SIZE] = KILN_FORM_DIMENSION,
      [KILN_OP_NUM_GROUPS] = KILN_FORM_DIMENSION,
      [KILN_OP_GLOBAL_OFFSET] = KILN_FORM_DIMENSION,
      [KILN_OP_GROUP_ALL] = KILN_FORM_GROUP,
      [KILN_OP_GROUP_ANY] = KILN_FORM_GROUP,
      [KILN_OP_GROUP_BROADCAST] = KILN_FORM_GROUP,
      [KILN_OP_GROUP_REDUCE] = KILN_FORM_GROUP,
      [KILN_OP_GROUP_SCAN_INCLUSIVE] = KILN_FORM_GROUP,
      [KILN_OP_GROUP_SCAN_EXCLUSIVE] = KILN_FORM_GROUP,
      [KILN_OP_PADD] = KILN_FORM_STRIDE,
      [KILN_OP_LOAD] = KILN_FORM_ALIGN,
      [KILN_OP_STORE] = KILN_FORM_ALIGN,
      [KILN_OP_VAR] = KILN_FORM_VAR,
      [KILN_OP_COPY] = KILN_FORM_COPY,
      [KILN_OP_FENCE] = KILN_FORM_FENCE,
      [KILN_OP_BARRIER] = KILN_FORM_BARRIER,
      [KILN_OP_SUB_GROUP_BARRIER] = KILN_FORM_BARRIER,
      [KILN_OP_SHUFFLE] = KILN_FORM_LANES,
      [KILN_OP_CALL] = KILN_FORM_CALL,
      [KILN_OP_PRINTF] = KILN_FORM_PRINTF,
  }; // all others: KILN_FORM_PLAIN
  return (enum kiln_text_form)forms[op];
}

uint64_t kiln_parse_float(enum kiln_kind kind, const char *text, char **end) {
  if (kind == KILN_F32) {
    float value = kiln_strtof(text, end);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  return kiln_float_round(kind, kiln_strtod(text, end), KILN_ROUND_EVEN);
}
