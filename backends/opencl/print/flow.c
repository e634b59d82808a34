// Statements. Blocks, ifs, loops and switches of the IR become those of C. A jump that C's break or continue reaches is
// one; any other is a goto to a label after its node, which is the same control flow.
#include <stdlib.h>

#include "backends/opencl/print/print.h"

void kiln_cl_line(struct cl_printer *p, const char *format, ...) {
  for (uint32_t i = 0; i < p->indent; i++)
    kiln_strbuf_puts(&p->out, "  ");
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&p->out, format, args);
  va_end(args);
  kiln_strbuf_putc(&p->out, '\n');
}

static void line_directive(struct cl_printer *p, kiln_value value) {
  uint32_t loc = kiln_inst(p->fn, value)->loc;
  if (!p->options.lines || !loc || loc == p->loc)
    return;
  p->loc = loc;
  const struct kiln_loc *at = &p->module->locs[loc];
  kiln_strbuf_printf(&p->out, "#line %u %s\n", at->line, kiln_cl_quote(p, p->module->files[at->file]));
}

// ---- moves: values for phis, as if at the same time

struct move {
  struct cl_var *var;
  kiln_value source;
  const char *text; // of a temporary that holds the source
};

struct moves {
  struct move *items;
  uint32_t count;
};

static bool reads(const struct cl_printer *p, kiln_value value, const struct cl_var *var) {
  uint32_t index = p->values[value].var;
  if (index)
    return &p->vars.items[index] == var;
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (!p->values[value].folded)
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (reads(p, kiln_operands(p->fn, value)[i], var))
      return true;
  return false;
}

static struct moves collect(struct cl_printer *p, const struct kiln_value_list *phis, kiln_value jump,
                            kiln_value except) {
  struct moves moves = {KILN_NEW_ARRAY(&p->arena, struct move, phis->count + 1), 0};
  const kiln_value *operands = kiln_operands(p->fn, jump);
  for (uint32_t i = 0; i < phis->count; i++) {
    struct cl_var *var = kiln_cl_var(p, phis->items[i]);
    if (phis->items[i] != except && var != kiln_cl_var(p, operands[i]) &&
        kiln_inst(p->fn, operands[i])->op != KILN_OP_UNDEF)
      moves.items[moves.count++] = (struct move){var, operands[i], NULL};
  }
  return moves;
}

// "x += y" where the source is x + y.
static const char *compound(struct cl_printer *p, const struct move *move) {
  static const struct {
    uint16_t op;
    const char *text;
  } table[] = {{KILN_OP_IADD, "+="}, {KILN_OP_ISUB, "-="}, {KILN_OP_IMUL, "*="},
               {KILN_OP_AND, "&="},  {KILN_OP_OR, "|="},   {KILN_OP_XOR, "^="},
               {KILN_OP_FADD, "+="}, {KILN_OP_FSUB, "-="}, {KILN_OP_FMUL, "*="}};
  const struct kiln_inst *inst = kiln_inst(p->fn, move->source);
  if (move->text || !p->values[move->source].folded || p->values[move->source].var)
    return NULL;
  kiln_type type = move->var->type;
  bool is_int = kiln_kind_is_int(kiln_type_kind(type));
  if ((is_int && kiln_kind_bits(kiln_type_kind(type)) < 32) || (p->half_emulated && kiln_type_kind(type) == KILN_F16))
    return NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (inst->op != table[i].op || kiln_cl_var(p, kiln_operands(p->fn, move->source)[0]) != move->var)
      continue;
    bool exact = kiln_type_lanes(type) > 1;
    enum cl_sign sign = !is_int ? CL_ANY : exact ? (move->var->is_signed ? CL_SIGNED : CL_UNSIGNED) : CL_UNSIGNED;
    if (exact && move->var->is_signed && is_int)
      return NULL; // would overflow
    kiln_value step = kiln_operands(p->fn, move->source)[1];
    const struct kiln_inst *constant = kiln_inst(p->fn, step);
    const char *op = table[i].text;
    struct cl_text var = kiln_cl_primary(move->var->name, CL_ANY);
    if (constant->op == KILN_OP_CONST && inst->op == KILN_OP_IADD && !exact) {
      uint64_t bits = constant->imm, top = (uint64_t)1 << (kiln_kind_bits(kiln_type_kind(type)) - 1);
      if (bits == 1 && !move->var->is_signed)
        return kiln_cl_format(p, "%s++", move->var->name);
      if (bits & top)
        return kiln_cl_infix(p, var, "-=", kiln_cl_scalar_constant(p, type, (0 - bits) & (top * 2 - 1), CL_UNSIGNED),
                             CL_ANY)
            .s;
    }
    return kiln_cl_infix(p, var, op, kiln_cl_expr(p, step, sign), CL_ANY).s;
  }
  return NULL;
}

static const char *move_text(struct cl_printer *p, const struct move *move) {
  const char *text = move->var->declared ? compound(p, move) : NULL;
  if (text)
    return text;
  const char *source = move->text ? move->text : kiln_cl_assigned(p, move->source, move->var, false);
  const char *left = move->var->declared ? move->var->name : kiln_cl_declarator(p, move->var);
  move->var->declared = true;
  return kiln_cl_format(p, "%s = %s", left, source);
}

static bool is_needed(struct cl_printer *p, const struct moves *moves, uint32_t index) {
  for (uint32_t i = 0; i < moves->count; i++)
    if (i != index && moves->items[i].var && !moves->items[i].text &&
        reads(p, moves->items[i].source, moves->items[index].var))
      return true;
  return false;
}

static void print_moves(struct cl_printer *p, struct moves moves) {
  for (uint32_t left = moves.count; left;) {
    bool progress = false;
    for (uint32_t i = 0; i < moves.count; i++) {
      if (!moves.items[i].var || (left > 1 && is_needed(p, &moves, i)))
        continue;
      kiln_cl_line(p, "%s;", move_text(p, &moves.items[i]));
      moves.items[i].var = NULL;
      left--;
      progress = true;
    }
    if (progress)
      continue;
    uint32_t first = 0; // a cycle: one source into a temporary
    while (!moves.items[first].var || moves.items[first].text)
      first++;
    struct move *move = &moves.items[first];
    struct cl_var temp = *move->var;
    temp.name = kiln_cl_local_name(p, "next");
    kiln_cl_line(p, "%s = %s;", kiln_cl_declarator(p, &temp), kiln_cl_assigned(p, move->source, move->var, false));
    move->text = temp.name;
  }
}

// ---- what regions contain

static bool is_silent_inst(const struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  return p->values[value].folded || inst->op == KILN_OP_ASSUME || inst->op == KILN_OP_UNREACHABLE;
}

// The first instruction that prints something, the terminator at last.
static kiln_value first_printed(const struct cl_printer *p, kiln_value value) {
  while (kiln_inst(p->fn, value)->next && is_silent_inst(p, value))
    value = kiln_inst(p->fn, value)->next;
  return value;
}

static const struct kiln_node *owner_node(const struct cl_printer *p, kiln_value jump) {
  return kiln_node(p->fn, p->fn->regions[kiln_inst(p->fn, jump)->region].owner);
}

static bool is_empty_yield(struct cl_printer *p, kiln_value value) {
  return kiln_inst(p->fn, value)->op == KILN_OP_YIELD &&
         collect(p, &owner_node(p, value)->results, value, 0).count == 0;
}

static bool is_empty(struct cl_printer *p, uint32_t region) {
  kiln_value first = first_printed(p, p->fn->regions[region].first);
  return is_empty_yield(p, first) || kiln_inst(p->fn, first)->op == KILN_OP_UNREACHABLE;
}

static struct cl_node_info *info_of(struct cl_printer *p, kiln_value node) {
  return &p->nodes[kiln_inst(p->fn, node)->node];
}

static uint32_t label_number(struct cl_printer *p, struct cl_node_info *info) {
  if (!info->number)
    info->number = ++p->label_count;
  return info->number;
}

// ---- jumps

static void leave(struct cl_printer *p, kiln_value target) {
  struct cl_node_info *info = info_of(p, target);
  uint32_t i = p->scopes.count;
  if (info->is_continue) {
    while (i > 0 && !p->scopes.items[i - 1].is_loop)
      i--;
    if (i > 0 && p->scopes.items[i - 1].node == info->is_continue) {
      kiln_cl_line(p, "continue;");
      return;
    }
  } else if (i > 0 && p->scopes.items[i - 1].node == target) {
    kiln_cl_line(p, "break;");
    return;
  }
  info->label = true;
  kiln_cl_line(p, "goto done_%u;", label_number(p, info));
}

static void next_iteration(struct cl_printer *p, kiln_value loop) {
  uint32_t i = p->scopes.count;
  while (i > 0 && !p->scopes.items[i - 1].is_loop)
    i--;
  if (i > 0 && p->scopes.items[i - 1].node == loop) {
    kiln_cl_line(p, "continue;");
    return;
  }
  struct cl_node_info *info = info_of(p, loop);
  info->next_label = true;
  kiln_cl_line(p, "goto next_%u;", label_number(p, info));
}

static void print_return(struct cl_printer *p, kiln_value value) {
  if (!value)
    kiln_cl_line(p, "return;");
  else if (kiln_type_kind(p->fn->return_type) == KILN_PTR)
    kiln_cl_line(p, "return %s;", kiln_cl_cast(p, kiln_cl_return_type(p), kiln_cl_pointer_expr(p, value), CL_ANY).s);
  else
    kiln_cl_line(p, "return %s;", kiln_cl_expr(p, value, p->return_sign).s);
}

static void print_jump(struct cl_printer *p, kiln_value jump) {
  const struct kiln_inst *inst = kiln_inst(p->fn, jump);
  kiln_value target = inst->op == KILN_OP_YIELD ? p->fn->regions[inst->region].owner : (kiln_value)inst->imm;
  switch (inst->op) {
  case KILN_OP_RETURN:
    if (inst->operand_count && !p->returned)
      print_return(p, kiln_operands(p->fn, jump)[0]);
    return;
  case KILN_OP_UNREACHABLE:
    return;
  case KILN_OP_CONTINUE:
    print_moves(p, collect(p, &kiln_node(p->fn, target)->header, jump, info_of(p, target)->step));
    if (inst->region != kiln_node(p->fn, target)->region_first && inst->region != info_of(p, target)->body)
      next_iteration(p, target);
    return;
  }
  if (info_of(p, target)->is_return) {
    if (inst->operand_count || inst->op == KILN_OP_BREAK)
      print_return(p, inst->operand_count ? kiln_operands(p->fn, jump)[0] : 0);
    return;
  }
  print_moves(p, collect(p, &kiln_node(p->fn, target)->results, jump, 0));
  if (inst->op == KILN_OP_BREAK)
    leave(p, target);
}

// ---- nodes

static void print_region(struct cl_printer *p, kiln_value from);

static kiln_value region_start(const struct cl_printer *p, uint32_t region) { return p->fn->regions[region].first; }

// Declares a variable that has no value yet.
static void declare(struct cl_printer *p, struct cl_var *var) {
  if (!var->declared)
    kiln_cl_line(p, "%s;", kiln_cl_declarator(p, var));
  var->declared = true;
}

static void declare_results(struct cl_printer *p, kiln_value node) {
  const struct kiln_inst *inst = kiln_inst(p->fn, node);
  uint32_t end = info_of(p, node)->end, *next = &p->region_vars[inst->region];
  for (; *next; *next = p->vars.items[*next].next) {
    struct cl_var *var = &p->vars.items[*next];
    if (var->position > end)
      return;
    bool is_header = false; // declared with its first value
    for (uint32_t i = 0; i < kiln_node(p->fn, node)->header.count; i++)
      is_header |= kiln_cl_var(p, kiln_node(p->fn, node)->header.items[i]) == var;
    if (!is_header)
      declare(p, var);
  }
}

static void print_label(struct cl_printer *p, kiln_value node) {
  const struct cl_node_info *info = info_of(p, node);
  if (info->label)
    kiln_cl_line(p, "done_%u:;", info->number);
}

static void push_scope(struct cl_printer *p, kiln_value node, bool is_loop) {
  struct cl_scope scope = {node, is_loop};
  KILN_VEC_PUSH(&p->arena, &p->scopes, scope);
}

static void print_inside(struct cl_printer *p, uint32_t region) {
  p->indent++;
  print_region(p, region_start(p, region));
  p->indent--;
}

static void print_block(struct cl_printer *p, kiln_value node) {
  struct cl_node_info *info = info_of(p, node);
  uint32_t region = kiln_node(p->fn, node)->region_first;
  if (info->is_return || info->is_continue || info->breaks == 0) {
    print_region(p, region_start(p, region));
  } else {
    kiln_cl_line(p, "do {");
    push_scope(p, node, true);
    print_inside(p, region);
    p->scopes.count--;
    kiln_cl_line(p, "} while (0);");
  }
  print_label(p, node);
}

// The only thing that the region prints is this if, so that "else if" can be written.
static kiln_value only_if(struct cl_printer *p, uint32_t region) {
  kiln_value first = first_printed(p, region_start(p, region));
  const struct kiln_inst *inst = kiln_inst(p->fn, first);
  if (inst->op != KILN_OP_IF || p->region_vars[region])
    return 0;
  kiln_value after = first_printed(p, inst->next);
  return is_empty_yield(p, after) || kiln_inst(p->fn, after)->op == KILN_OP_UNREACHABLE ? first : 0;
}

// An if that only chooses between two values: "x = c ? a : b".
static bool print_choice(struct cl_printer *p, kiln_value node) {
  const struct kiln_node *n = kiln_node(p->fn, node);
  if (n->results.count != 1)
    return false;
  kiln_value yields[2];
  for (uint32_t i = 0; i < 2; i++) {
    yields[i] = first_printed(p, region_start(p, n->region_first + i));
    if (kiln_inst(p->fn, yields[i])->op != KILN_OP_YIELD)
      return false;
  }
  kiln_value x = *kiln_operands(p->fn, yields[0]), y = *kiln_operands(p->fn, yields[1]);
  struct cl_var *var = kiln_cl_var(p, n->results.items[0]);
  kiln_type type = var->type;
  if (kiln_cl_var(p, x) == var || kiln_cl_var(p, y) == var || kiln_type_kind(type) == KILN_PTR ||
      kiln_type_lanes(type) > 1)
    return false;
  enum cl_sign sign = var->is_signed ? CL_SIGNED : CL_UNSIGNED;
  struct cl_text c = kiln_cl_expr(p, kiln_operands(p->fn, node)[0], CL_ANY);
  struct cl_text a = kiln_cl_expr(p, x, sign), b = kiln_cl_expr(p, y, sign);
  bool is_and = kiln_type_kind(type) == KILN_BOOL && strcmp(b.s, "false") == 0;
  bool is_or = kiln_type_kind(type) == KILN_BOOL && strcmp(a.s, "true") == 0;
  const char *text = (is_and  ? kiln_cl_infix(p, c, "&&", a, CL_SIGNED)
                      : is_or ? kiln_cl_infix(p, c, "||", b, CL_SIGNED)
                              : kiln_cl_choice(p, c, a, b, sign))
                         .s;
  if (strlen(text) > 80)
    return false;
  kiln_cl_line(p, "%s = %s;", var->declared ? var->name : kiln_cl_declarator(p, var), text);
  var->declared = true;
  return true;
}

static void print_if(struct cl_printer *p, kiln_value node, const char *prefix) {
  uint32_t then = kiln_node(p->fn, node)->region_first;
  kiln_value condition = kiln_operands(p->fn, node)[0];
  bool no_then = is_empty(p, then), no_else = is_empty(p, then + 1);
  if (no_then && no_else && !*prefix)
    return;
  struct cl_text text = no_then && !no_else ? kiln_cl_negated(p, condition) : kiln_cl_expr(p, condition, CL_ANY);
  kiln_cl_line(p, "%sif (%s) {", prefix, text.s);
  if (!no_then || no_else)
    print_inside(p, then);
  if (!no_then && !no_else) {
    kiln_value chained = only_if(p, then + 1);
    if (chained && !is_empty(p, kiln_node(p->fn, chained)->region_first)) {
      print_if(p, chained, "} else ");
      return;
    }
    kiln_cl_line(p, "} else {");
  }
  if (!no_else)
    print_inside(p, then + 1);
  kiln_cl_line(p, "}");
}

// ---- switches that fall through: fall.c says what they are

static bool is_group(const struct cl_printer *p, kiln_value value) { return p->values[value].group != 0; }

// What the groups before the one that is entered would leave as it is: said before the switch.
static void print_skipped(struct cl_printer *p, kiln_value group) {
  const struct kiln_inst *inst = kiln_inst(p->fn, group);
  if (inst->op == KILN_OP_SELECT) {
    struct cl_var *var = kiln_cl_var(p, group);
    kiln_cl_line(p, "%s = %s;", kiln_cl_declarator(p, var),
                 kiln_cl_assigned(p, kiln_operands(p->fn, group)[2], var, false));
    var->declared = true;
    return;
  }
  const struct kiln_node *node = kiln_node(p->fn, group);
  print_moves(p, collect(p, &node->results, p->fn->regions[node->region_first + 1].last, 0));
  for (uint32_t i = 0; i < node->results.count; i++)
    declare(p, kiln_cl_var(p, node->results.items[i]));
}

static void print_group(struct cl_printer *p, kiln_value group) {
  const struct kiln_inst *inst = kiln_inst(p->fn, group);
  if (inst->op == KILN_OP_SELECT) {
    const struct cl_var *var = kiln_cl_var(p, group);
    kiln_cl_line(p, "%s = %s;", var->name, kiln_cl_assigned(p, kiln_operands(p->fn, group)[1], var, false));
    return;
  }
  print_region(p, region_start(p, kiln_node(p->fn, group)->region_first));
}

// A selector that is narrower than int is promoted to it.
static const char *case_value(struct cl_printer *p, kiln_type selector, int64_t value) {
  kiln_type type = kiln_scalar_type(kiln_type_kind(selector) == KILN_I64 ? KILN_I64 : KILN_I32);
  return kiln_cl_scalar_constant(p, type, (uint64_t)value, CL_SIGNED).s;
}

// The labels that enter the region of the switch at a group in (after, until], and a brace.
static void open_group(struct cl_printer *p, kiln_value node, uint32_t region, int64_t after, int64_t until) {
  const struct kiln_node *entry = kiln_node(p->fn, info_of(p, node)->entry);
  kiln_type type = kiln_value_type(p->fn, kiln_operands(p->fn, info_of(p, node)->entry)[0]);
  const char *label = NULL;
  for (uint32_t i = 1; i <= entry->region_count; i++) {
    uint32_t index = i % entry->region_count;
    int64_t group;
    if (kiln_cl_entered(p, node, index, &group) != region || group <= after || group > until)
      continue;
    if (label)
      kiln_cl_line(p, "%s", label);
    label = index == 0 ? "default:" : kiln_cl_format(p, "case %s:", case_value(p, type, entry->cases[index - 1]));
  }
  kiln_cl_line(p, "%s{", label ? kiln_cl_format(p, "%s ", label) : "");
}

// A region of a switch from the instruction to its end, and a brace.
static void close_case(struct cl_printer *p, uint32_t region, kiln_value from) {
  p->indent++;
  print_region(p, from);
  if (kiln_inst(p->fn, p->fn->regions[region].last)->op == KILN_OP_YIELD)
    kiln_cl_line(p, "break;");
  p->indent--;
  kiln_cl_line(p, "}");
}

static void print_run(struct cl_printer *p, kiln_value node, uint32_t region) {
  int64_t entered = INT64_MIN;
  kiln_value value = region_start(p, region);
  for (; is_silent_inst(p, value) || is_group(p, value); value = kiln_inst(p->fn, value)->next) {
    if (is_silent_inst(p, value))
      continue;
    open_group(p, node, region, entered, p->values[value].group - 1);
    p->indent++;
    print_group(p, value);
    p->indent--;
    kiln_cl_line(p, "}");
    entered = p->values[value].group - 1;
  }
  open_group(p, node, region, entered, INT64_MAX);
  close_case(p, region, value);
}

static bool is_entered(struct cl_printer *p, kiln_value node, uint32_t region) {
  int64_t group;
  uint32_t count = kiln_node(p->fn, info_of(p, node)->entry)->region_count;
  for (uint32_t i = 0; i < count; i++)
    if (kiln_cl_entered(p, node, i, &group) == region)
      return true;
  return false;
}

static void print_falling_switch(struct cl_printer *p, kiln_value node) {
  const struct kiln_node *n = kiln_node(p->fn, node);
  kiln_value selector = kiln_operands(p->fn, info_of(p, node)->entry)[0];
  for (uint32_t i = 0; i < n->region_count; i++)
    for (kiln_value value = region_start(p, n->region_first + i); value; value = kiln_inst(p->fn, value)->next)
      if (is_group(p, value) && !is_silent_inst(p, value))
        print_skipped(p, value);
  kiln_cl_line(p, "switch (%s) {", kiln_cl_expr(p, selector, CL_SIGNED).s);
  push_scope(p, node, false);
  for (uint32_t i = 1; i <= n->region_count; i++) {
    uint32_t region = n->region_first + i % n->region_count; // the default comes last
    if (is_entered(p, node, region))
      print_run(p, node, region);
  }
  p->scopes.count--;
  kiln_cl_line(p, "}");
  print_label(p, node);
}

static void print_switch(struct cl_printer *p, kiln_value node) {
  const struct kiln_node *n = kiln_node(p->fn, node);
  kiln_value selector = kiln_operands(p->fn, node)[0];
  kiln_type type = kiln_value_type(p->fn, selector);
  kiln_cl_line(p, "switch (%s) {", kiln_cl_expr(p, selector, CL_SIGNED).s);
  push_scope(p, node, false);
  for (uint32_t i = 1; i <= n->region_count; i++) {
    uint32_t index = i % n->region_count; // the default comes last
    uint32_t region = n->region_first + index;
    if (index == 0 && is_empty(p, region))
      continue;
    if (index == 0)
      kiln_cl_line(p, "default: {");
    else
      kiln_cl_line(p, "case %s: {", case_value(p, type, n->cases[index - 1]));
    close_case(p, region, region_start(p, region));
  }
  p->scopes.count--;
  kiln_cl_line(p, "}");
  print_label(p, node);
}

// ---- loops

struct loop {
  kiln_value node, check; // the if that leaves the loop at its top; 0: none
  bool exit_first;        // its first region leaves
  kiln_value exit;        // the break in there
  kiln_value start;       // first instruction of the body after the check
  kiln_value step;        // header phi whose change stands in the for; 0: none
  kiln_value last;        // the only continue
};

static bool is_exit(const struct cl_printer *p, uint32_t region, kiln_value loop, kiln_value *jump) {
  *jump = first_printed(p, region_start(p, region));
  const struct kiln_inst *inst = kiln_inst(p->fn, *jump);
  return inst->op == KILN_OP_BREAK && inst->imm == loop;
}

// A loop that begins with "if (…) leave;".
static void find_check(struct cl_printer *p, struct loop *loop) {
  uint32_t region = kiln_node(p->fn, loop->node)->region_first;
  kiln_value check = first_printed(p, region_start(p, region));
  const struct kiln_inst *inst = kiln_inst(p->fn, check);
  if (inst->op != KILN_OP_IF)
    return;
  uint32_t then = kiln_node(p->fn, check)->region_first;
  kiln_value after = first_printed(p, inst->next);
  for (uint32_t i = 0; i < 2; i++) {
    if (!is_exit(p, then + i, loop->node, &loop->exit) || is_exit(p, then + 1 - i, loop->node, &(kiln_value){0}))
      continue;
    uint32_t stay = then + 1 - i;
    bool rest_inside = kiln_inst(p->fn, after)->op == KILN_OP_UNREACHABLE;
    if (!rest_inside && !(is_empty(p, stay) && kiln_node(p->fn, check)->results.count == 0))
      continue;
    // What the exit gives to the results can be said after the loop if this is the only way out.
    const struct kiln_value_list *results = &kiln_node(p->fn, loop->node)->results;
    if (info_of(p, loop->node)->breaks > 1 && collect(p, results, loop->exit, 0).count)
      continue;
    loop->check = check;
    loop->exit_first = i == 0;
    loop->start = rest_inside ? region_start(p, stay) : inst->next;
    info_of(p, loop->node)->body = rest_inside ? stay : 0;
    return;
  }
}

// Everything that the text of the value names is declared outside the loop, so that the for can say it.
static bool is_visible(const struct cl_printer *p, kiln_value value, kiln_value loop) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (kiln_op_table[inst->op].effect == KILN_EFFECT_FREE)
    return true;
  if (p->values[value].var)
    return p->values[value].position <= p->values[loop].position;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (!is_visible(p, kiln_operands(p->fn, value)[i], loop))
      return false;
  return true;
}

// A header phi that is changed by the only continue in a way that suits "for (…; …; i += 4)".
static void find_step(struct cl_printer *p, struct loop *loop) {
  const struct kiln_node *node = kiln_node(p->fn, loop->node);
  struct cl_node_info *info = info_of(p, loop->node);
  uint32_t region = info->body ? info->body : node->region_first;
  kiln_value last = p->fn->regions[region].last;
  const struct kiln_inst *jump = kiln_inst(p->fn, last);
  if (!loop->check || info->continues != 1 || jump->op != KILN_OP_CONTINUE || jump->imm != loop->node)
    return;
  loop->last = last;
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i], next = kiln_operands(p->fn, last)[i];
    const struct kiln_inst *inst = kiln_inst(p->fn, next);
    bool steps = inst->op == KILN_OP_IADD || inst->op == KILN_OP_ISUB || inst->op == KILN_OP_PADD ||
                 inst->op == KILN_OP_SHL || inst->op == KILN_OP_LSHR || inst->op == KILN_OP_ASHR ||
                 inst->op == KILN_OP_IMUL || inst->op == KILN_OP_SDIV || inst->op == KILN_OP_UDIV ||
                 inst->op == KILN_OP_FADD;
    if (!steps || !p->values[next].folded || kiln_cl_var(p, kiln_operands(p->fn, next)[0]) != kiln_cl_var(p, phi) ||
        !reads(p, kiln_operands(p->fn, loop->check)[0], kiln_cl_var(p, phi)))
      continue;
    struct moves others = collect(p, &node->header, last, phi);
    bool free_step = is_visible(p, next, loop->node);
    for (uint32_t k = 0; k < others.count; k++)
      free_step &= !reads(p, next, others.items[k].var);
    if (!free_step)
      continue;
    loop->step = phi;
    info->step = phi;
    return;
  }
}

// A block at the end of the body whose breaks do what continue does.
static void find_continue_block(struct cl_printer *p, const struct loop *loop) {
  if (!loop->step)
    return;
  const struct kiln_node *node = kiln_node(p->fn, loop->node);
  if (collect(p, &node->header, loop->last, loop->step).count)
    return;
  kiln_value value = kiln_inst(p->fn, loop->last)->prev;
  while (value && is_silent_inst(p, value))
    value = kiln_inst(p->fn, value)->prev;
  if (value && kiln_inst(p->fn, value)->op == KILN_OP_BLOCK)
    info_of(p, value)->is_continue = loop->node;
}

// The variable lives in the loop alone, so that the for can declare it.
static bool is_inner(struct cl_printer *p, const struct loop *loop, const struct cl_var *var) {
  uint32_t begin = p->values[loop->node].position, end = info_of(p, loop->node)->end;
  for (uint32_t i = 0; i < var->members.count; i++) {
    kiln_value node = (kiln_value)kiln_inst(p->fn, var->members.items[i])->imm;
    uint32_t position = p->values[node].position;
    bool is_result = p->values[var->members.items[i]].position >= end;
    if (position < begin || position >= end || is_result)
      return false;
  }
  return true;
}

static int64_t signed_constant(const struct kiln_inst *inst) {
  unsigned unused = 64 - kiln_kind_bits(kiln_type_kind(inst->type));
  return (int64_t)(inst->imm << unused) >> unused;
}

// Whether a counter that stays below its limit (above it) until it is changed by so much does not overflow.
static bool fits(int64_t by, bool grows, bool strict, const struct kiln_inst *limit) {
  int64_t most = INT64_MAX >> (64 - kiln_kind_bits(kiln_type_kind(limit->type))), least = -most - 1, sum;
  int64_t last = limit->op == KILN_OP_CONST ? signed_constant(limit) : grows ? most : least;
  if (strict && last == (grows ? least : most))
    return true; // it never gets there
  last += !strict ? 0 : grows ? -1 : 1;
  return !__builtin_add_overflow(last, by, &sum) && sum <= most && sum >= least;
}

// Whether the counter is only compared with its limit and made addresses of, and does not overflow in C.
static bool only_counts(const struct cl_printer *p, const struct loop *loop, kiln_value next) {
  const struct kiln_function *fn = p->fn;
  kiln_value check = kiln_operands(fn, loop->check)[0];
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (uint32_t i = 0; i < fn->insts[v].operand_count && fn->insts[v].region; i++) {
      kiln_value used = kiln_operands(fn, v)[i];
      bool counts = used == next ? v == loop->last : v == next || v == check || kiln_cl_makes_address(p, v, i);
      if ((used == next || used == loop->step) && !counts)
        return false;
    }
  return fn->insts[next].flags & KILN_INT_NSW;
}

// "i++" or "i += 4" of a signed counter that does not overflow; NULL: it may. Drivers know how often such loops run,
// unlike those whose counter wraps.
static const char *plain_step(struct cl_printer *p, const struct loop *loop, const struct move *step) {
  const struct kiln_inst *next = kiln_inst(p->fn, step->source);
  kiln_value condition = kiln_operands(p->fn, loop->check)[0];
  const struct kiln_inst *check = kiln_inst(p->fn, condition);
  bool compares = check->op == KILN_OP_SLT || check->op == KILN_OP_SLE, strict = check->op == KILN_OP_SLT;
  if (next->op != KILN_OP_IADD || kiln_type_lanes(next->type) > 1 || kiln_kind_bits(kiln_type_kind(next->type)) < 32 ||
      !step->var->is_signed || !compares || kiln_operands(p->fn, step->source)[0] != loop->step)
    return NULL;
  const struct kiln_inst *amount = kiln_inst(p->fn, kiln_operands(p->fn, step->source)[1]);
  const kiln_value *sides = kiln_operands(p->fn, condition);
  bool is_left = sides[0] == loop->step, grows = is_left != loop->exit_first; // it stays below the other side
  if (amount->op != KILN_OP_CONST || (!is_left && sides[1] != loop->step))
    return NULL;
  int64_t by = signed_constant(amount);
  bool fine = by && by != INT64_MIN && (by > 0) == grows &&
              (fits(by, grows, strict != loop->exit_first, kiln_inst(p->fn, sides[is_left])) ||
               only_counts(p, loop, step->source));
  if (!fine)
    return NULL;
  if (by == 1 || by == -1)
    return kiln_cl_format(p, by > 0 ? "%s++" : "%s--", step->var->name);
  return kiln_cl_format(p, "%s %s %lld", step->var->name, by > 0 ? "+=" : "-=", (long long)(by > 0 ? by : -by));
}

static void open_loop(struct cl_printer *p, const struct loop *loop) {
  const struct kiln_node *node = kiln_node(p->fn, loop->node);
  struct moves entry = collect(p, &node->header, loop->node, 0);
  struct cl_var *var = loop->step ? kiln_cl_var(p, loop->step) : NULL;
  const char *init = "";
  bool after = loop->exit && collect(p, &node->results, loop->exit, 0).count;
  if (var && !var->declared && is_inner(p, loop, var) && !after) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entry.count; i++) {
      if (entry.items[i].var == var)
        init = move_text(p, &entry.items[i]);
      else
        entry.items[kept++] = entry.items[i];
    }
    entry.count = kept;
  }
  print_moves(p, entry);
  for (uint32_t i = 0; i < node->header.count; i++) // those without a first value
    declare(p, kiln_cl_var(p, node->header.items[i]));
  if (node->unroll == UINT32_MAX)
    kiln_strbuf_puts(&p->out, "#pragma unroll\n");
  else if (node->unroll)
    kiln_strbuf_printf(&p->out, "#pragma unroll %u\n", node->unroll);
  if (!loop->check) {
    kiln_cl_line(p, "for (;;) {");
    return;
  }
  kiln_value condition = kiln_operands(p->fn, loop->check)[0];
  const char *text = loop->exit_first ? kiln_cl_negated(p, condition).s : kiln_cl_expr(p, condition, CL_ANY).s;
  if (!loop->step) {
    kiln_cl_line(p, "while (%s) {", text);
    return;
  }
  uint32_t index = 0;
  while (node->header.items[index] != loop->step)
    index++;
  struct move step = {var, kiln_operands(p->fn, loop->last)[index], NULL};
  const char *plain = var->declared ? plain_step(p, loop, &step) : NULL;
  kiln_cl_line(p, "for (%s; %s; %s) {", init, text, plain ? plain : move_text(p, &step));
}

static void print_loop(struct cl_printer *p, kiln_value node) {
  struct loop loop = {.node = node};
  struct cl_node_info *info = info_of(p, node);
  loop.start = region_start(p, kiln_node(p->fn, node)->region_first);
  find_check(p, &loop);
  if (!loop.check)
    loop.exit = 0;
  find_step(p, &loop);
  find_continue_block(p, &loop);
  open_loop(p, &loop);
  push_scope(p, node, true);
  p->indent++;
  print_region(p, loop.start);
  if (info->next_label)
    kiln_cl_line(p, "next_%u:;", info->number);
  p->indent--;
  p->scopes.count--;
  kiln_cl_line(p, "}");
  if (loop.check)
    print_moves(p, collect(p, &kiln_node(p->fn, node)->results, loop.exit, 0));
  print_label(p, node);
}

// ---- instructions

static void print_value(struct cl_printer *p, kiln_value value) {
  struct cl_var *var = kiln_cl_var(p, value);
  if (var) {
    kiln_cl_line(p, "%s = %s;", kiln_cl_declarator(p, var), kiln_cl_assigned(p, value, var, true));
    var->declared = true;
  } else {
    kiln_cl_line(p, "%s;", kiln_cl_definition(p, value, CL_ANY).s);
  }
  // The work-item ends where it can: others may wait for it at a barrier.
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  if (inst->op == KILN_OP_PRINTF && inst->flags & KILN_PRINT_FAIL && p->fn->is_kernel && !p->fn->has_barrier)
    kiln_cl_line(p, "return;");
}

static void print_node(struct cl_printer *p, kiln_value value) {
  unsigned op = kiln_inst(p->fn, value)->op;
  if (op == KILN_OP_IF && print_choice(p, value))
    return;
  declare_results(p, value);
  if (op == KILN_OP_BLOCK)
    print_block(p, value);
  else if (op == KILN_OP_IF)
    print_if(p, value, "");
  else if (op == KILN_OP_LOOP)
    print_loop(p, value);
  else if (info_of(p, value)->entry)
    print_falling_switch(p, value);
  else
    print_switch(p, value);
}

// The fence after an atomic.
static void print_pending(struct cl_printer *p) {
  if (p->pending)
    kiln_cl_line(p, "%s;", p->pending);
}

static void print_inst(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  line_directive(p, value);
  p->at = value;
  p->pending = NULL;
  switch (inst->op) {
  case KILN_OP_BLOCK:
  case KILN_OP_IF:
  case KILN_OP_LOOP:
  case KILN_OP_SWITCH:
    print_node(p, value);
    return;
  case KILN_OP_YIELD:
  case KILN_OP_BREAK:
  case KILN_OP_CONTINUE:
  case KILN_OP_RETURN:
  case KILN_OP_UNREACHABLE:
    print_jump(p, value);
    return;
  case KILN_OP_VAR:
    kiln_cl_declare_private(p, value);
    return;
  case KILN_OP_STORE:
    kiln_cl_store(p, value);
    return;
  case KILN_OP_COPY:
    kiln_cl_copy(p, value);
    return;
  case KILN_OP_FENCE:
  case KILN_OP_BARRIER:
    kiln_cl_fence(p, value);
    return;
  case KILN_OP_ATOMIC_STORE:
    kiln_cl_line(p, "%s;", kiln_cl_atomic(p, value).s);
    print_pending(p);
    return;
  }
  print_value(p, value);
  print_pending(p);
}

static void print_region(struct cl_printer *p, kiln_value from) {
  for (kiln_value value = from; value && p->status == KILN_OK; value = kiln_inst(p->fn, value)->next)
    if (!is_silent_inst(p, value))
      print_inst(p, value);
}

// A block that is followed by nothing but the return.
static void find_return_block(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  kiln_value last = fn->regions[fn->body].last;
  const struct kiln_inst *inst = kiln_inst(fn, last);
  kiln_value before = inst->prev;
  p->returned = false;
  while (before && is_silent_inst(p, before))
    before = kiln_inst(fn, before)->prev;
  if (inst->op != KILN_OP_RETURN || !before || kiln_inst(fn, before)->op != KILN_OP_BLOCK)
    return;
  const struct kiln_node *node = kiln_node(fn, before);
  bool matches = inst->operand_count == 0
                     ? node->results.count == 0
                     : node->results.count == 1 && node->results.items[0] == kiln_operands(fn, last)[0];
  if (!matches)
    return;
  info_of(p, before)->is_return = true;
  p->returned = true;
}

static int by_place(const void *a, const void *b) {
  const struct cl_var *x = *(struct cl_var *const *)a, *y = *(struct cl_var *const *)b;
  if (x->region != y->region)
    return x->region < y->region ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

// Lists the phis' variables by the region that declares them, in order.
static void list_variables(struct cl_printer *p) {
  uint32_t count = 0;
  struct cl_var **list = KILN_NEW_ARRAY(&p->arena, struct cl_var *, p->vars.count);
  for (uint32_t i = 1; i < p->vars.count; i++)
    if (p->vars.items[i].members.count)
      list[count++] = &p->vars.items[i];
  qsort(list, count, sizeof *list, by_place);
  p->region_vars = KILN_NEW_ARRAY(&p->arena, uint32_t, p->fn->region_count + 1);
  for (uint32_t i = count; i-- > 0;) {
    list[i]->next = p->region_vars[list[i]->region];
    p->region_vars[list[i]->region] = (uint32_t)(list[i] - p->vars.items);
  }
}

void kiln_cl_body(struct cl_printer *p) {
  list_variables(p);
  find_return_block(p);
  p->scopes.count = 0;
  p->loc = 0;
  p->indent = 1;
  print_region(p, p->fn->regions[p->fn->body].first);
  p->indent = 0;
}
