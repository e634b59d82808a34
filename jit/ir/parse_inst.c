// Reads operands and plain instructions of the text form. Nothing is folded: the module is what the text says.
#include "jit/ir/parse.h"

// What a name means in this function: tag is the number of the function (from 1), data the value.
static kiln_value bound(const struct kiln_ir_parser *p, const struct kiln_name *name) {
  return name->tag == p->function_index + 1 ? (kiln_value)(uintptr_t)name->data : 0;
}

struct kiln_ir_definition kiln_ir_parse_definition(struct kiln_ir_parser *p) {
  if (p->lexer.token.kind != KILN_IR_VALUE)
    kiln_ir_expected(&p->lexer, "the name of a value");
  struct kiln_ir_definition definition = {p->lexer.token.name, p->lexer.token.offset, NULL};
  if (bound(p, definition.key))
    kiln_ir_error(&p->lexer, definition.offset, "%s is defined twice", definition.key->text);
  kiln_ir_next(&p->lexer);
  if (kiln_ir_accept_punct(&p->lexer, '.'))
    definition.name = kiln_ir_parse_name(p);
  else if (definition.key->text[1] < '0' || definition.key->text[1] > '9')
    definition.name = definition.key->text + 1;
  return definition;
}

void kiln_ir_define(struct kiln_ir_parser *p, struct kiln_ir_definition definition, kiln_value value) {
  kiln_ir_check_memory(p);
  if (bound(p, definition.key)) // twice in one list of phis or parameters
    kiln_ir_error(&p->lexer, definition.offset, "%s is defined twice", definition.key->text);
  definition.key->tag = p->function_index + 1;
  definition.key->data = (void *)(uintptr_t)value;
  kiln_set_name(p->fn, value, definition.name);
  kiln_ir_set_place(p, value, definition.offset);
}

static kiln_value parse_label(struct kiln_ir_parser *p) {
  if (p->lexer.token.kind != KILN_IR_LABEL)
    kiln_ir_expected(&p->lexer, "a label");
  kiln_value node = bound(p, p->lexer.token.name);
  if (!node)
    kiln_ir_error(&p->lexer, p->lexer.token.offset, "there is no label %s", p->lexer.token.name->text);
  kiln_ir_next(&p->lexer);
  return node;
}

const char *kiln_ir_parse_name(struct kiln_ir_parser *p) {
  const struct kiln_ir_token token = p->lexer.token;
  if (token.kind != KILN_IR_WORD && token.kind != KILN_IR_STRING)
    kiln_ir_expected(&p->lexer, "a name");
  if (token.kind == KILN_IR_STRING && strlen(token.text) != token.size)
    kiln_ir_error(&p->lexer, token.offset, "a name with a NUL inside");
  kiln_ir_next(&p->lexer);
  return token.kind == KILN_IR_WORD ? token.name->text : token.text;
}

kiln_type kiln_ir_parse_type(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  if (lexer->token.kind != KILN_IR_WORD)
    kiln_ir_expected(lexer, "a type");
  const char *text = lexer->token.name->text;
  if (strcmp(text, "ptr") == 0) {
    kiln_ir_next(lexer);
    kiln_ir_expect_punct(lexer, '.');
    return kiln_ptr_type((enum kiln_space)kiln_ir_choose_word(lexer, kiln_space_words, 5, "an address space"));
  }
  if (strncmp(text, "image", 5) == 0) {
    unsigned dimension = kiln_ir_choose_word(lexer, kiln_dimension_words, 8, "a type");
    kiln_ir_expect_punct(lexer, '.');
    unsigned access = kiln_ir_choose_word(lexer, kiln_access_words, 4, "read, write or read_write");
    return kiln_image_type((enum kiln_image_dimension)dimension, (enum kiln_access)access);
  }
  for (unsigned kind = KILN_BOOL; kind < KILN_PTR; kind++) {
    size_t size = strlen(kiln_kind_words[kind]);
    if (strncmp(text, kiln_kind_words[kind], size) != 0)
      continue;
    static const struct {
      const char *text;
      unsigned lanes;
    } suffixes[] = {{"", 1}, {"x2", 2}, {"x3", 3}, {"x4", 4}, {"x8", 8}, {"x16", 16}};
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
      if (strcmp(text + size, suffixes[i].text) == 0) {
        kiln_ir_next(lexer);
        return kiln_vec_type((enum kiln_kind)kind, suffixes[i].lanes);
      }
    }
  }
  kiln_ir_expected(lexer, "a type");
}

// Index of a module variable.
static uint32_t parse_global(struct kiln_ir_parser *p) {
  const struct kiln_ir_token *token = &p->lexer.token;
  if (token->kind != KILN_IR_GLOBAL)
    kiln_ir_expected(&p->lexer, "a module variable");
  if (token->name->tag != p->parts.count)
    kiln_ir_error(&p->lexer, token->offset, "there is no module variable %s", token->name->text);
  uint32_t index = (uint32_t)(uintptr_t)token->name->data - 1;
  kiln_ir_next(&p->lexer);
  return index;
}

uint32_t kiln_ir_parse_loc(struct kiln_ir_parser *p) {
  if (!kiln_ir_accept_punct(&p->lexer, '!'))
    return 0;
  uint32_t offset = p->lexer.token.offset;
  uint32_t file = (uint32_t)kiln_ir_unsigned(&p->lexer, UINT32_MAX);
  if (file >= kiln_ir_part(p)->file_count)
    kiln_ir_error(&p->lexer, offset, "there is no file %u", file);
  file += kiln_ir_part(p)->first_file;
  kiln_ir_expect_punct(&p->lexer, ':');
  uint32_t line = (uint32_t)kiln_ir_unsigned(&p->lexer, UINT32_MAX);
  kiln_ir_expect_punct(&p->lexer, ':');
  return kiln_module_add_loc(p->module, file, line, (uint32_t)kiln_ir_unsigned(&p->lexer, UINT32_MAX));
}

// ---- operands -------------------------------------------------------------------------------------------------------

// One lane as text gives it; the type comes after it.
struct lane {
  uint32_t offset;
  bool undef;
};

static struct lane skip_lane(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  struct lane lane = {lexer->token.offset, kiln_ir_at_word(lexer, "undef")};
  kiln_ir_accept_punct(lexer, '-'); // -inf
  if (lexer->token.kind != KILN_IR_NUMBER && lexer->token.kind != KILN_IR_WORD)
    kiln_ir_expected(lexer, "an operand");
  kiln_ir_next(lexer);
  return lane;
}

// Reads a lane again, now that its type is known.
static kiln_value read_lane(struct kiln_ir_parser *p, struct lane lane, kiln_type element) {
  if (lane.undef)
    return kiln_undef(p->fn, element);
  struct kiln_ir_lexer *lexer = &p->lexer;
  enum kiln_kind kind = kiln_type_kind(element);
  uint64_t bits = 0;
  lexer->cursor = lane.offset;
  kiln_ir_next(lexer);
  if (kind == KILN_PTR) {
    kiln_ir_expect_word(lexer, "null");
  } else if (kind == KILN_BOOL) {
    bits = kiln_ir_choose_word(lexer, (const char *const[]){"false", "true"}, 2, "true or false");
  } else if (kiln_kind_is_float(kind)) {
    bits = kiln_ir_float(lexer, kind);
  } else {
    bool negative;
    unsigned width = kiln_kind_bits(kind);
    bits = kiln_ir_integer(lexer, &negative);
    if (negative ? kiln_sign_extend(bits, width) != (int64_t)bits : (bits & ~kiln_bits_mask(width)) != 0)
      kiln_ir_error(lexer, lane.offset, "the number does not fit %s", kiln_kind_words[kind]);
  }
  return kiln_const(p->fn, element, bits);
}

static kiln_value parse_constant(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  struct lane lanes[16];
  unsigned count = 0;
  bool list = kiln_ir_accept_punct(lexer, '{');
  do {
    if (count == 16)
      kiln_ir_error(lexer, lexer->token.offset, "a vector of more than 16 lanes");
    lanes[count++] = skip_lane(p);
  } while (list && kiln_ir_accept_punct(lexer, ','));
  if (list)
    kiln_ir_expect_punct(lexer, '}');
  kiln_ir_expect_punct(lexer, ':');
  uint32_t type_offset = lexer->token.offset;
  kiln_type type = kiln_ir_parse_type(p), element = kiln_type_element(type);
  if (list && count != kiln_type_lanes(type))
    kiln_ir_error(lexer, type_offset, "%u lanes for a type of %u", count, kiln_type_lanes(type));
  struct kiln_ir_token after = lexer->token;
  uint32_t cursor = lexer->cursor;
  kiln_value values[16], result;
  for (unsigned i = 0; i < count; i++)
    values[i] = read_lane(p, lanes[i], element);
  if (list)
    result = kiln_const_vec(p->fn, type, values);
  else if (lanes[0].undef)
    result = kiln_undef(p->fn, type);
  else
    result = kiln_const(p->fn, type, p->fn->insts[values[0]].imm);
  lexer->token = after;
  lexer->cursor = cursor;
  kiln_ir_check_memory(p);
  return result;
}

kiln_value kiln_ir_parse_operand(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  if (lexer->token.kind == KILN_IR_VALUE) {
    kiln_value value = bound(p, lexer->token.name);
    if (!value)
      kiln_ir_error(lexer, lexer->token.offset, "%s is not defined before", lexer->token.name->text);
    kiln_ir_next(lexer);
    return value;
  }
  if (lexer->token.kind == KILN_IR_GLOBAL) {
    uint32_t index = parse_global(p);
    return kiln_global_address(p->fn, index);
  }
  return parse_constant(p);
}

// ---- instructions ---------------------------------------------------------------------------------------------------

struct fields {
  KILN_VEC(kiln_value) operands;
  uint64_t imm;
  uint32_t imm2;
  uint16_t flags;
  kiln_type type;
  uint8_t lanes[16];
  unsigned lane_count;
  const char *callee;
  uint32_t callee_offset;
};

// The word that the names of some operations have, after a dot.
static void parse_variant(struct kiln_ir_lexer *lexer, enum kiln_op op, struct fields *f) {
  if (op == KILN_OP_ATOMIC_RMW)
    f->flags = (uint16_t)kiln_ir_choose_word(lexer, kiln_rmw_words, KILN_RMW_COUNT, "an atomic operation");
  else if (op == KILN_OP_DOT4)
    f->imm = kiln_ir_choose_word(lexer, kiln_dot_words, 4, "the signs of the operands (uu, su, us or ss)");
  else if (op == KILN_OP_IMAGE_QUERY)
    f->imm = kiln_ir_choose_word(lexer, kiln_query_words, 6, "what is asked (width, height, …)");
  else if (kiln_text_form(op) == KILN_FORM_ROUND)
    f->imm = kiln_ir_choose_word(lexer, kiln_round_words, 4, "a rounding mode (rte, rtz, rtp or rtn)");
  else
    f->flags = (uint16_t)kiln_ir_choose_word(lexer, kiln_reduce_words, KILN_REDUCE_COUNT, "an operation to combine by");
}

static void parse_dotted(struct kiln_ir_parser *p, enum kiln_op op, struct fields *f) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  bool rounds = kiln_text_form(op) == KILN_FORM_ROUND;
  bool reduces = op >= KILN_OP_GROUP_REDUCE && op <= KILN_OP_GROUP_SCAN_EXCLUSIVE;
  bool misses = rounds || reduces || op == KILN_OP_ATOMIC_RMW || op == KILN_OP_DOT4 || op == KILN_OP_IMAGE_QUERY;
  uint32_t offset = lexer->token.offset;
  while (kiln_ir_accept_punct(lexer, '.')) {
    if (misses) {
      misses = false;
      parse_variant(lexer, op, f);
    } else if (op == KILN_OP_DOT4) {
      f->flags |= 1u << kiln_ir_choose_word(lexer, kiln_dot_flag_words, 2, "first_small or second_small");
    } else if (op == KILN_OP_IMAGE_READ || op == KILN_OP_IMAGE_WRITE) {
      f->flags |= 1u << kiln_ir_choose_word(lexer, kiln_image_flag_words, 3, "sampled, unsigned or any_sign");
    } else if (op == KILN_OP_LOAD || op == KILN_OP_STORE || op == KILN_OP_COPY) {
      kiln_ir_expect_word(lexer, "volatile");
      f->flags = KILN_MEM_VOLATILE;
    } else if (op == KILN_OP_PRINTF) {
      kiln_ir_expect_word(lexer, "fail");
      f->flags = KILN_PRINT_FAIL;
    } else if (kiln_op_has_fp_flags(op)) {
      f->flags |= 1u << kiln_ir_choose_word(lexer, kiln_fp_flag_words, KILN_FP_FLAG_COUNT, "a floating-point flag");
    } else if (kiln_op_has_int_flags(op)) {
      kiln_ir_expect_word(lexer, "nsw");
      f->flags = KILN_INT_NSW;
    } else {
      kiln_ir_error(lexer, lexer->token.offset, "%s has no flags", kiln_op_table[op].name);
    }
  }
  if (misses)
    kiln_ir_error(lexer, offset,
                  rounds                      ? "a rounding mode is missing: %s.rte"
                  : op == KILN_OP_DOT4        ? "the signs of the operands are missing: %s.us"
                  : op == KILN_OP_IMAGE_QUERY ? "what is asked is missing: %s.width"
                                              : "an operation is missing: %s.add",
                  kiln_op_table[op].name);
}

static void parse_operands(struct kiln_ir_parser *p, struct fields *f, char close) {
  if (close && kiln_ir_accept_punct(&p->lexer, close))
    return;
  do
    KILN_VEC_PUSH(p->lexer.arena, &f->operands, kiln_ir_parse_operand(p));
  while (kiln_ir_accept_punct(&p->lexer, ','));
  if (close)
    kiln_ir_expect_punct(&p->lexer, close);
}

static uint64_t parse_order(struct kiln_ir_parser *p) {
  unsigned order = kiln_ir_choose_word(&p->lexer, kiln_order_words, 5, "a memory order");
  unsigned scope = kiln_ir_choose_word(&p->lexer, kiln_scope_words, 5, "a memory scope");
  return kiln_atomic((enum kiln_order)order, (enum kiln_scope)scope);
}

static uint64_t parse_group(struct kiln_ir_parser *p) {
  kiln_ir_expect_punct(&p->lexer, ',');
  enum kiln_scope scope = (enum kiln_scope)kiln_ir_choose_word(&p->lexer, kiln_scope_words, 5, "sub_group or group");
  unsigned cluster = 0;
  if (kiln_ir_accept_punct(&p->lexer, ',')) {
    kiln_ir_expect_word(&p->lexer, "cluster");
    cluster = (unsigned)kiln_ir_unsigned(&p->lexer, KILN_MAX_WARP_SIZE);
  }
  return kiln_collective(scope, cluster);
}

static uint32_t parse_align(struct kiln_ir_parser *p) {
  kiln_ir_expect_punct(&p->lexer, ',');
  kiln_ir_expect_word(&p->lexer, "align");
  return (uint32_t)kiln_ir_unsigned(&p->lexer, UINT32_MAX);
}

static uint32_t parse_fence_bits(struct kiln_ir_parser *p) {
  uint32_t bits = 0;
  kiln_ir_expect_punct(&p->lexer, '[');
  if (kiln_ir_accept_punct(&p->lexer, ']'))
    return 0;
  do
    bits |= 1u << kiln_ir_choose_word(&p->lexer, kiln_fence_words, 3, "local, global or image");
  while (kiln_ir_accept_punct(&p->lexer, ','));
  kiln_ir_expect_punct(&p->lexer, ']');
  return bits;
}

static void parse_lanes(struct kiln_ir_parser *p, struct fields *f) {
  kiln_ir_expect_punct(&p->lexer, ',');
  kiln_ir_expect_punct(&p->lexer, '[');
  do {
    if (f->lane_count == 16)
      kiln_ir_error(&p->lexer, p->lexer.token.offset, "more than 16 lanes");
    bool undef = kiln_ir_accept_word(&p->lexer, "undef");
    f->lanes[f->lane_count++] = undef ? 0xff : (uint8_t)kiln_ir_unsigned(&p->lexer, 31);
  } while (kiln_ir_accept_punct(&p->lexer, ','));
  kiln_ir_expect_punct(&p->lexer, ']');
}

// As many operands as the table says, each after a comma but for the first.
static void parse_fixed_operands(struct kiln_ir_parser *p, enum kiln_op op, struct fields *f) {
  for (size_t i = 0; kiln_op_table[op].operands[i]; i++) {
    if (i)
      kiln_ir_expect_punct(&p->lexer, ',');
    KILN_VEC_PUSH(p->lexer.arena, &f->operands, kiln_ir_parse_operand(p));
  }
}

static void parse_jump_values(struct kiln_ir_parser *p, enum kiln_op op, struct fields *f) {
  bool labelled = op == KILN_OP_BREAK || op == KILN_OP_CONTINUE;
  if (labelled)
    f->imm = parse_label(p);
  bool more = labelled ? kiln_ir_accept_punct(&p->lexer, ',')
                       : !kiln_ir_at_punct(&p->lexer, '}') && !kiln_ir_at_punct(&p->lexer, '!') &&
                             !p->lexer.token.at_line_start;
  if (more)
    parse_operands(p, f, 0);
}

static void parse_body(struct kiln_ir_parser *p, enum kiln_op op, struct fields *f) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  enum kiln_text_form form = kiln_text_form(op);
  if (form == KILN_FORM_CALL) {
    kiln_ir_expect_punct(lexer, '@');
    f->callee_offset = lexer->token.offset;
    f->callee = kiln_ir_parse_name(p);
  } else if (form == KILN_FORM_PRINTF) {
    f->imm = parse_global(p);
  }
  if (form == KILN_FORM_CALL || form == KILN_FORM_PRINTF) {
    kiln_ir_expect_punct(lexer, '(');
    parse_operands(p, f, ')');
    return;
  }
  if (kiln_op_is_jump(op))
    parse_jump_values(p, op, f);
  else if (kiln_op_table[op].operands[0] == '*')
    parse_operands(p, f, 0);
  else
    parse_fixed_operands(p, op, f);
  switch (form) {
  case KILN_FORM_STRIDE:
    kiln_ir_expect_punct(lexer, '*');
    f->imm = (uint64_t)kiln_ir_signed(lexer);
    break;
  case KILN_FORM_COPY:
    kiln_ir_expect_punct(lexer, ',');
    kiln_ir_expect_word(lexer, "bytes");
    f->imm = kiln_ir_unsigned(lexer, UINT64_MAX);
    f->imm2 = parse_align(p);
    break;
  case KILN_FORM_ALIGN:
    f->imm2 = parse_align(p);
    break;
  case KILN_FORM_VAR:
    f->imm = kiln_ir_unsigned(lexer, UINT64_MAX);
    f->imm2 = parse_align(p);
    break;
  case KILN_FORM_ATOMIC:
    kiln_ir_expect_punct(lexer, ',');
    f->imm = parse_order(p);
    break;
  case KILN_FORM_FENCE:
    f->imm = parse_order(p);
    f->imm2 = parse_fence_bits(p);
    break;
  case KILN_FORM_BARRIER:
    f->imm2 = parse_fence_bits(p);
    break;
  case KILN_FORM_DIMENSION:
    f->imm = kiln_ir_unsigned(lexer, UINT32_MAX);
    break;
  case KILN_FORM_LANES:
    parse_lanes(p, f);
    break;
  case KILN_FORM_GROUP:
    f->imm = parse_group(p);
    break;
  case KILN_FORM_PLAIN:
  case KILN_FORM_ROUND:
  case KILN_FORM_CALL:
  case KILN_FORM_PRINTF:
    break;
  }
}

static kiln_type derived_type(const struct kiln_ir_parser *p, enum kiln_op op, const struct fields *f) {
  const struct kiln_inst *insts = p->fn->insts;
  if (f->operands.count == 0)
    return kiln_scalar_type(KILN_VOID);
  kiln_type first = insts[f->operands.items[0]].type;
  switch (kiln_op_table[op].result) {
  case KILN_RESULT_SAME:
    return first;
  case KILN_RESULT_TAIL:
    return insts[f->operands.items[f->operands.count - 1]].type;
  case KILN_RESULT_BOOL:
    return kiln_vec_type(KILN_BOOL, kiln_type_lanes(first));
  case KILN_RESULT_GIVEN:
  case KILN_RESULT_VOID:
    break;
  }
  return kiln_scalar_type(KILN_VOID);
}

static void add_shuffle(struct kiln_ir_parser *p, kiln_value inst, const struct fields *f) {
  struct kiln_function *fn = p->fn;
  if (!KILN_IR_RESERVE(fn->module, fn->shuffles, fn->shuffle_count, kiln_function_priv(fn)->shuffles_capacity, 1))
    return;
  memset(fn->shuffles[fn->shuffle_count], 0xff, 16);
  memcpy(fn->shuffles[fn->shuffle_count], f->lanes, f->lane_count);
  fn->insts[inst].node = fn->shuffle_count++;
}

void kiln_ir_parse_inst(struct kiln_ir_parser *p, enum kiln_op op, uint32_t offset,
                        struct kiln_ir_definition definition) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  const struct kiln_op_info *info = &kiln_op_table[op];
  struct fields f = {0};
  parse_dotted(p, op, &f);
  parse_body(p, op, &f);
  f.type = derived_type(p, op, &f);
  if (info->result == KILN_RESULT_GIVEN && (op != KILN_OP_CALL || definition.key)) {
    kiln_ir_expect_punct(lexer, ':');
    uint32_t type_offset = lexer->token.offset;
    f.type = kiln_ir_parse_type(p);
    if (op == KILN_OP_SHUFFLE && f.lane_count != kiln_type_lanes(f.type))
      kiln_ir_error(lexer, type_offset, "%u lanes for a type of %u", f.lane_count, kiln_type_lanes(f.type));
  }
  uint32_t loc = kiln_ir_parse_loc(p);
  bool has_result = kiln_type_kind(f.type) != KILN_VOID;
  if (has_result && !definition.key)
    kiln_ir_error(lexer, offset, "the result of %s has no name", info->name);
  if (!has_result && definition.key)
    kiln_ir_error(lexer, definition.offset, "%s has no result", info->name);
  kiln_value value = kiln_inst_new(p->fn, op, f.type, f.operands.items, f.operands.count, f.imm, f.imm2, f.flags);
  kiln_ir_check_memory(p);
  p->fn->insts[value].loc = loc;
  kiln_link(p->fn, value, p->region, 0);
  if (op == KILN_OP_SHUFFLE)
    add_shuffle(p, value, &f);
  if (definition.key)
    kiln_ir_define(p, definition, value);
  kiln_ir_set_place(p, value, offset);
  if (op == KILN_OP_CALL)
    KILN_VEC_PUSH(lexer->arena, &p->calls,
                  (struct kiln_ir_call){p->function_index, f.callee_offset, value, f.callee, NULL});
}
