// Statements to structured control flow. Conditions that are constant leave only the side that runs.
#include "jit/lang/lower/lower.h"

static bool is_constant(const struct kiln_lower *L, kiln_value v, bool *value) {
  const struct kiln_inst *inst = kiln_inst(L->fn, v);
  if (inst->op != KILN_OP_CONST)
    return false;
  *value = inst->imm != 0;
  return true;
}

// ---- what is inside ------------------------------------------------------------------------------------------------

enum jump { JUMP_BREAK = 1, JUMP_CONTINUE = 2 };

// Whether a body has a break or continue that belongs to the loop around it.
static bool has_jump(const struct kiln_stmt *s, unsigned which) {
  if (!s)
    return false;
  if (s->jumps_inside) // perhaps; which one would not be seen here
    return true;
  switch (s->kind) {
  case KILN_ST_BREAK:
    return which & JUMP_BREAK;
  case KILN_ST_CONTINUE:
    return which & JUMP_CONTINUE;
  case KILN_ST_COMPOUND:
    for (uint32_t i = 0; i < s->stmt_count; i++)
      if ((s->stmts[i]->kind != KILN_ST_EXPR || s->stmts[i]->jumps_inside) && has_jump(s->stmts[i], which))
        return true;
    return false;
  case KILN_ST_IF:
    for (; s && s->kind == KILN_ST_IF; s = s->other)
      if (has_jump(s->body, which))
        return true;
    return has_jump(s, which);
  case KILN_ST_CASE:
  case KILN_ST_DEFAULT:
  case KILN_ST_LABEL:
    return has_jump(s->body, which);
  case KILN_ST_SWITCH:
    return has_jump(s->body, which & ~(unsigned)JUMP_BREAK);
  case KILN_ST_EXPR:
  case KILN_ST_DECL:
  case KILN_ST_WHILE:
  case KILN_ST_DO:
  case KILN_ST_FOR:
  case KILN_ST_RETURN:
  case KILN_ST_GOTO:
    return false;
  }
  return false;
}

bool kiln_lower_falls_through(const struct kiln_stmt *s) {
  if (!s)
    return true;
  switch (s->kind) {
  case KILN_ST_BREAK:
  case KILN_ST_CONTINUE:
  case KILN_ST_RETURN:
  case KILN_ST_GOTO:
    return false;
  case KILN_ST_COMPOUND:
    for (uint32_t i = s->stmt_count; i-- > 0;)
      if (!kiln_lower_falls_through(s->stmts[i]))
        return false;
    return true;
  case KILN_ST_IF:
    for (; s->kind == KILN_ST_IF; s = s->other)
      if (!s->other || kiln_lower_falls_through(s->body))
        return true;
    return kiln_lower_falls_through(s);
  case KILN_ST_CASE:
  case KILN_ST_DEFAULT:
  case KILN_ST_LABEL:
    return kiln_lower_falls_through(s->body);
  case KILN_ST_EXPR:
  case KILN_ST_DECL:
  case KILN_ST_WHILE:
  case KILN_ST_DO:
  case KILN_ST_FOR:
  case KILN_ST_SWITCH:
    return true;
  }
  return true;
}

// ---- declarations --------------------------------------------------------------------------------------------------

// Data that is only read and starts out constant lives in constant memory, shared by all work-items.
static bool is_constant_table(struct kiln_lower *L, struct kiln_decl *decl) {
  const struct kiln_ctype *type = decl->type.type;
  return decl->init && type->kind == KILN_CT_ARRAY && type->size >= 16 && !kiln_lower_slot(L, decl)->is_modified &&
         !(decl->type.quals & KILN_QUAL_VOLATILE) && kiln_lower_is_constant(decl->init);
}

static bool in_module_memory(const struct kiln_decl *decl) {
  return decl->type.space == KILN_LOCAL || decl->type.space == KILN_CONSTANT || decl->type.space == KILN_GLOBAL ||
         decl->is_static || decl->is_extern;
}

static void declare(struct kiln_lower *L, struct kiln_decl *decl) {
  kiln_lower_at(L, decl->location);
  kiln_lower_var_of(L, decl);
}

void kiln_lower_declare(struct kiln_lower *L, const struct kiln_stmt *s) {
  for (uint32_t i = 0; i < s->decl_count; i++)
    if (s->decls[i]->kind == KILN_DECL_VARIABLE && !in_module_memory(s->decls[i]))
      declare(L, s->decls[i]);
}

static void declaration(struct kiln_lower *L, struct kiln_decl *decl) {
  if (decl->kind != KILN_DECL_VARIABLE || in_module_memory(decl))
    return; // made where it is first used
  struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
  if (is_constant_table(L, decl)) {
    uint32_t image = slot->global ? slot->global : kiln_lower_image(L, decl->init, decl->type.type);
    slot->global = image;
    slot->fn = L->fn;
    slot->is_direct = false;
    slot->value = image ? kiln_global_address(L->fn, image - 1) : 0;
    return;
  }
  if (slot->fn != L->fn || !slot->value)
    declare(L, decl);
  if (!decl->init)
    return;
  uint32_t align = decl->align > decl->type.type->align ? decl->align : decl->type.type->align;
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_at(slot->value, decl->type.type, align);
  if (decl->type.quals & KILN_QUAL_VOLATILE)
    lvalue.flags = KILN_MEM_VOLATILE;
  kiln_lower_init(L, &lvalue, decl->init);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// A statement that is the body of another one: a list of one for the sake of labels.
static void body(struct kiln_lower *L, struct kiln_stmt **slot) {
  if (!*slot)
    return;
  if (L->labels)
    kiln_lower_labelled_list(L, slot, 1);
  else
    kiln_lower_stmt(L, *slot);
}

static void branch(struct kiln_lower *L, kiln_value node, unsigned side, struct kiln_stmt **slot) {
  kiln_lower_enter(L, kiln_lower_region(L, node, side));
  body(L, slot);
}

// After a node: what follows is unreachable when no way leads out of it.
static void leave(struct kiln_lower *L, uint32_t region, bool reachable) {
  kiln_lower_enter(L, region);
  if (!reachable) {
    kiln_build(&L->b, KILN_OP_UNREACHABLE, KILN_VOID, NULL, 0, 0, 0, 0);
    L->dead = true;
  }
}

// Makes a condition hold for work-items on their way to a label inside: arriving || condition (or && !arriving).
static kiln_value with_arrivals(struct kiln_lower *L, struct kiln_expr *condition, kiln_value then_side,
                                kiln_value else_side) {
  if (!then_side && !else_side)
    return condition ? kiln_lower_condition(L, condition) : kiln_const(L->fn, kiln_scalar_type(KILN_BOOL), 1);
  kiln_type boolean = kiln_scalar_type(KILN_BOOL);
  kiln_value arriving = !then_side ? else_side : !else_side ? then_side : 0;
  if (!arriving)
    arriving = kiln_build2(&L->b, KILN_OP_BOR, then_side, else_side);
  uint32_t outer = L->b.region;
  kiln_value node = kiln_build_if(&L->b, arriving);
  kiln_value result = kiln_node_add_result(L->fn, node, boolean);
  kiln_lower_enter(L, kiln_lower_region(L, node, 0));
  kiln_value side = then_side ? then_side : kiln_const(L->fn, boolean, 0);
  kiln_lower_yield(L, &side, 1);
  kiln_lower_enter(L, kiln_lower_region(L, node, 1));
  kiln_value v = condition ? kiln_lower_condition(L, condition) : kiln_const(L->fn, boolean, 1);
  kiln_lower_yield(L, &v, 1);
  kiln_lower_enter(L, outer);
  return result;
}

static kiln_value arriving(struct kiln_lower *L, struct kiln_stmt **slot) {
  return L->labels && *slot ? kiln_lower_arriving(L, slot) : 0;
}

static void if_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  // else-if chains are walked here, so that their length costs no stack
  KILN_VEC(kiln_value) open = {0};
  uint32_t outer = L->b.region;
  bool reachable = false;
  for (;;) {
    kiln_value condition = with_arrivals(L, s->expr, arriving(L, &s->body), arriving(L, &s->other));
    bool value = false, known = is_constant(L, condition, &value);
    kiln_lower_at(L, s->location);
    if (known && !L->labels) {
      if (value)
        body(L, &s->body);
    } else {
      kiln_value node = kiln_build_if(&L->b, condition);
      KILN_VEC_PUSH(L->arena, &open, node);
      branch(L, node, 0, &s->body);
      reachable |= !L->dead;
      kiln_lower_yield(L, NULL, 0);
      kiln_lower_enter(L, kiln_lower_region(L, node, 1));
    }
    bool skip_other = known && !L->labels && value;
    if (!skip_other && s->other && s->other->kind == KILN_ST_IF && !L->labels) {
      s = s->other;
      continue;
    }
    if (!skip_other)
      body(L, &s->other);
    break;
  }
  if (!open.count)
    return;
  // The innermost else region is current: close all of them.
  reachable |= !L->dead;
  kiln_lower_yield(L, NULL, 0);
  for (uint32_t i = open.count - 1; i-- > 0;) {
    kiln_lower_enter(L, kiln_lower_region(L, open.items[i], 1));
    kiln_lower_yield(L, NULL, 0);
  }
  leave(L, outer, reachable);
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// Leaves the loop unless the condition holds. Returns false when it never holds.
static bool test(struct kiln_lower *L, struct kiln_expr *condition, kiln_value loop, kiln_value entering) {
  if (!condition)
    return true;
  kiln_value c = with_arrivals(L, condition, entering, 0);
  kiln_lower_at(L, condition->location);
  bool value;
  if (is_constant(L, c, &value)) {
    if (value)
      return true;
    kiln_build_break(&L->b, loop, NULL, 0);
    L->dead = true;
    return false;
  }
  uint32_t region = L->b.region;
  kiln_value node = kiln_build_if(&L->b, c);
  kiln_lower_enter(L, kiln_lower_region(L, node, 0));
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, kiln_lower_region(L, node, 1));
  kiln_build_break(&L->b, loop, NULL, 0);
  kiln_lower_enter(L, region);
  return true;
}

// The body of a loop whose continue must reach what follows the body.
static void inner_body(struct kiln_lower *L, struct kiln_stmt **slot, kiln_value loop) {
  struct kiln_lower_target target = {.up = L->targets, .break_node = loop, .continue_node = loop};
  L->targets = &target;
  if (has_jump(*slot, JUMP_CONTINUE)) {
    uint32_t region = L->b.region;
    kiln_value block = kiln_build_block(&L->b);
    target.continue_node = block;
    target.continue_is_break = true;
    branch(L, block, 0, slot);
    kiln_lower_yield(L, NULL, 0);
    kiln_lower_enter(L, region);
  } else {
    body(L, slot);
  }
  L->targets = target.up;
}

static void repeat(struct kiln_lower *L, kiln_value loop) {
  if (!L->dead)
    kiln_build_continue(&L->b, loop, NULL, 0);
  L->dead = true;
}

static void for_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  uint32_t described = L->described.count;
  kiln_value entering = arriving(L, &s->body);
  if (s->first && !entering) {
    kiln_lower_stmt(L, s->first);
  } else if (s->first) {
    if (s->first->kind == KILN_ST_DECL)
      kiln_lower_declare(L, s->first);
    uint32_t region = L->b.region;
    kiln_value node = kiln_build_if(&L->b, entering);
    kiln_lower_enter(L, kiln_lower_region(L, node, 0));
    kiln_lower_yield(L, NULL, 0);
    kiln_lower_enter(L, kiln_lower_region(L, node, 1));
    kiln_lower_stmt(L, s->first);
    kiln_lower_yield(L, NULL, 0);
    kiln_lower_enter(L, region);
  }
  kiln_lower_at(L, s->location);
  uint32_t outer = L->b.region;
  kiln_value loop = kiln_build_loop(&L->b, NULL, 0);
  kiln_node(L->fn, loop)->unroll = s->unroll;
  kiln_lower_enter(L, kiln_lower_region(L, loop, 0));
  if (test(L, s->expr, loop, arriving(L, &s->body))) {
    inner_body(L, &s->body, loop);
    if (s->step && !L->dead)
      kiln_lower_effect(L, s->step);
  }
  kiln_lower_at(L, s->location);
  repeat(L, loop);
  kiln_lower_enter(L, outer);
  kiln_lower_end_scope(L, described);
}

static void while_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  uint32_t outer = L->b.region;
  kiln_lower_at(L, s->location);
  kiln_value loop = kiln_build_loop(&L->b, NULL, 0);
  kiln_node(L->fn, loop)->unroll = s->unroll;
  kiln_lower_enter(L, kiln_lower_region(L, loop, 0));
  if (test(L, s->expr, loop, arriving(L, &s->body))) {
    struct kiln_lower_target target = {.up = L->targets, .break_node = loop, .continue_node = loop};
    L->targets = &target;
    body(L, &s->body);
    L->targets = target.up;
  }
  kiln_lower_at(L, s->location);
  repeat(L, loop);
  kiln_lower_enter(L, outer);
}

static bool is_zero(const struct kiln_expr *e) {
  bool negate = false;
  while ((e->kind == KILN_EX_CAST && e->cast == KILN_CAST_SAME) || e->kind == KILN_EX_LOGNOT) {
    negate ^= e->kind == KILN_EX_LOGNOT;
    e = e->left;
  }
  return e->kind == KILN_EX_INT && (e->value == 0) != negate;
}

static void do_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  uint32_t outer = L->b.region;
  kiln_lower_at(L, s->location);
  if (is_zero(s->expr)) { // the body once: the usual shape of macros
    if (!has_jump(s->body, JUMP_BREAK | JUMP_CONTINUE)) {
      body(L, &s->body);
      return;
    }
    kiln_value block = kiln_build_block(&L->b);
    struct kiln_lower_target target = {L->targets, block, block, true};
    L->targets = &target;
    branch(L, block, 0, &s->body);
    L->targets = target.up;
    kiln_lower_yield(L, NULL, 0);
    kiln_lower_enter(L, outer);
    return;
  }
  kiln_value loop = kiln_build_loop(&L->b, NULL, 0);
  kiln_node(L->fn, loop)->unroll = s->unroll;
  kiln_lower_enter(L, kiln_lower_region(L, loop, 0));
  inner_body(L, &s->body, loop);
  if (!L->dead)
    test(L, s->expr, loop, 0);
  repeat(L, loop);
  kiln_lower_enter(L, outer);
}

// ---- jumps ---------------------------------------------------------------------------------------------------------

static void return_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  kiln_value v = s->expr ? kiln_lower_value(L, s->expr) : 0;
  kiln_lower_at(L, s->location);
  if (s->expr && kiln_lower_is_memory(s->expr->type.type)) {
    const struct kiln_ctype *type = s->expr->type.type;
    struct kiln_lower_lvalue to = kiln_lower_lvalue_at(L->return_memory, type, type->align);
    if (L->return_memory)
      kiln_lower_copy(L, &to, v, type->align);
    v = 0;
  }
  if (L->return_block) {
    if (L->return_value && !v)
      v = kiln_undef(L->fn, L->fn->return_type);
    kiln_build_break(&L->b, L->return_block, &v, L->return_value ? 1 : 0);
  } else {
    kiln_build_return(&L->b, v);
  }
  L->dead = true;
}

static void break_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  (void)s;
  kiln_build_break(&L->b, L->targets->break_node, NULL, 0);
  L->dead = true;
}

static void continue_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  (void)s;
  const struct kiln_lower_target *target = L->targets;
  while (target && !target->continue_node)
    target = target->up;
  if (!target) // the parser has complained
    return;
  if (target->continue_is_break)
    kiln_build_break(&L->b, target->continue_node, NULL, 0);
  else
    kiln_build_continue(&L->b, target->continue_node, NULL, 0);
  L->dead = true;
}

void kiln_lower_list(struct kiln_lower *L, struct kiln_stmt **list, uint32_t count) {
  if (L->labels) {
    kiln_lower_labelled_list(L, list, count);
    return;
  }
  for (uint32_t i = 0; i < count && !L->dead; i++) {
    if (i + 3 < count)
      kiln_lower_fetch(list[i + 2], list[i + 3]);
    kiln_lower_stmt(L, list[i]);
  }
}

static void expr_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  if (s->expr)
    kiln_lower_effect(L, s->expr);
}

static void decl_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  for (uint32_t i = 0; i < s->decl_count; i++)
    declaration(L, s->decls[i]);
}

static void compound_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  uint32_t described = L->described.count;
  kiln_lower_list(L, s->stmts, s->stmt_count);
  kiln_lower_end_scope(L, described);
}

static void labelled_stmt(struct kiln_lower *L, struct kiln_stmt *s) { body(L, &s->body); }

static void (*const by_kind[])(struct kiln_lower *L, struct kiln_stmt *s) = {
    [KILN_ST_EXPR] = expr_stmt,         [KILN_ST_DECL] = decl_stmt,
    [KILN_ST_COMPOUND] = compound_stmt, [KILN_ST_IF] = if_stmt,
    [KILN_ST_WHILE] = while_stmt,       [KILN_ST_DO] = do_stmt,
    [KILN_ST_FOR] = for_stmt,           [KILN_ST_SWITCH] = kiln_lower_switch,
    [KILN_ST_CASE] = labelled_stmt,     [KILN_ST_DEFAULT] = labelled_stmt,
    [KILN_ST_LABEL] = labelled_stmt,    [KILN_ST_BREAK] = break_stmt,
    [KILN_ST_CONTINUE] = continue_stmt, [KILN_ST_RETURN] = return_stmt,
    [KILN_ST_GOTO] = kiln_lower_goto};

void kiln_lower_stmt(struct kiln_lower *L, struct kiln_stmt *s) {
  if (!s)
    return;
  if (L->depth >= KILN_LOWER_MAX_DEPTH) {
    kiln_lower_error(L, s->location, "statements are nested too deeply");
    return;
  }
  L->depth++;
  kiln_lower_at(L, s->location);
  by_kind[s->kind](L, s);
  L->depth--;
}
