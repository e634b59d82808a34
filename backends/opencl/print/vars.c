// The variables of a function. A value that is not folded has one; phis that are assigned from one another share one
// where their lives do not overlap, so that a loop's sum is one variable as in the source and not four.
#include <stdlib.h>

#include "backends/opencl/print/print.h"
#include "base/c_locale.h"

enum { MAX_SHARED = 64 };

struct cl_var *kiln_cl_var(struct cl_printer *p, kiln_value value) {
  uint32_t var = p->values[value].var;
  return var ? &p->vars.items[var] : NULL;
}

// ---- names

static bool is_reserved(const char *name) {
  static const char *const words[] = {
#define CL_RESERVED(word) #word,
#include "backends/opencl/print/reserved.def"
  };
  static const char *const prefixes[] = {
      "__",   "get_", "as_", "convert_", "vload",     "vstore",     "atom", "native_", "half_", "kiln_", "async_",
      "CLK_", "cl_",  "M_",  "memory_",  "sub_group", "work_group", "is",   "FLT_",    "DBL_",  "INT_",  "CHAR_"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], name) == 0)
      return true;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(prefixes[i], name, strlen(prefixes[i])) == 0)
      return true;
  // char2 to double16
  size_t size = strcspn(name, "0123456789");
  static const char *const kinds[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                      "long", "ulong", "float", "double", "half"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && name[size]; i++)
    if (strlen(kinds[i]) == size && memcmp(kinds[i], name, size) == 0)
      return true;
  return false;
}

const char *kiln_cl_unique_name(struct cl_printer *p, struct kiln_names *names, const char *wanted) {
  char clean[72];
  size_t size = 0;
  for (; *wanted && size < sizeof clean - 8; wanted++)
    clean[size++] = kiln_is_letter(*wanted) || kiln_is_digit(*wanted) ? *wanted : '_';
  clean[size] = 0;
  const char *base = size ? clean : "v";
  if (kiln_is_digit(*base) || is_reserved(base))
    base = kiln_cl_format(p, "v_%s", clean);
  // Names of program scope may not be hidden: functions and variables are used everywhere.
  struct kiln_name *first = kiln_names_intern(names, base, strlen(base));
  const char *name = base;
  uint32_t next = first->tag;
  for (;;) {
    struct kiln_name *entry = next ? kiln_names_intern(names, name, strlen(name)) : first;
    bool global = names != &p->names && kiln_names_intern(&p->names, name, strlen(name))->tag;
    if (!entry->tag && !global) {
      entry->tag = 1;
      break;
    }
    next++;
    name = kiln_cl_format(p, "%s_%u", base, next);
  }
  first->tag = next > first->tag ? next : first->tag;
  return kiln_cl_format(p, "%s", name);
}

const char *kiln_cl_local_name(struct cl_printer *p, const char *wanted) {
  return kiln_cl_unique_name(p, &p->locals, wanted);
}

// ---- sharing

static uint32_t life_end(const struct cl_printer *p, kiln_value phi) {
  const struct cl_value *v = &p->values[phi];
  return v->last_use > v->position ? v->last_use : v->position;
}

static bool overlap(const struct cl_printer *p, const struct cl_var *a, const struct cl_var *b) {
  for (uint32_t i = 0; i < a->members.count; i++)
    for (uint32_t k = 0; k < b->members.count; k++) {
      kiln_value x = a->members.items[i], y = b->members.items[k];
      uint32_t x_start = p->values[x].position, y_start = p->values[y].position;
      // Where one ends the other may begin, but two that begin together are two.
      if (x_start == y_start || (x_start < y_start ? life_end(p, x) > y_start : life_end(p, y) > x_start))
        return true;
    }
  return false;
}

static void merge(struct cl_printer *p, kiln_value phi, kiln_value source) {
  const struct kiln_function *fn = p->fn;
  if (fn->insts[source].op != KILN_OP_PHI || fn->insts[phi].type != fn->insts[source].type)
    return;
  uint32_t a = p->values[phi].var, b = p->values[source].var;
  if (a == b || !a || !b)
    return;
  struct cl_var *x = &p->vars.items[a], *y = &p->vars.items[b];
  if (x->members.count + y->members.count > MAX_SHARED || overlap(p, x, y))
    return;
  if (x->members.count > y->members.count) {
    struct cl_var *swap = x;
    x = y;
    y = swap;
    b = a;
  }
  for (uint32_t i = 0; i < x->members.count; i++) {
    KILN_VEC_PUSH(&p->arena, &y->members, x->members.items[i]);
    p->values[x->members.items[i]].var = b;
  }
  y->votes += x->votes;
  x->members.count = 0;
}

static void merge_list(struct cl_printer *p, const struct kiln_value_list *phis, kiln_value jump) {
  const kiln_value *operands = kiln_operands(p->fn, jump);
  for (uint32_t i = 0; i < phis->count; i++)
    merge(p, phis->items[i], operands[i]);
}

static void merge_all(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  for (uint32_t i = p->position_count; i-- > 0;) { // inner jumps last: the loop's own phis come first
    kiln_value id = p->order[i];
    const struct kiln_inst *inst = &fn->insts[id];
    if (id && inst->op == KILN_OP_CONTINUE)
      merge_list(p, &kiln_node(fn, (kiln_value)inst->imm)->header, id);
    else if (id && inst->op == KILN_OP_BREAK)
      merge_list(p, &kiln_node(fn, (kiln_value)inst->imm)->results, id);
    else if (id && inst->op == KILN_OP_YIELD)
      merge_list(p, &kiln_node(fn, fn->regions[inst->region].owner)->results, id);
    else if (id && inst->op == KILN_OP_LOOP)
      merge_list(p, &kiln_node(fn, id)->header, id);
  }
}

// ---- where variables are declared

static uint32_t parent_region(const struct kiln_function *fn, uint32_t region) {
  kiln_value owner = fn->regions[region].owner;
  return owner ? fn->insts[owner].region : 0;
}

static uint32_t common_region(const struct cl_printer *p, uint32_t a, uint32_t b) {
  while (a != b) {
    if (p->region_depth[a] >= p->region_depth[b])
      a = parent_region(p->fn, a);
    else
      b = parent_region(p->fn, b);
  }
  return a;
}

static void place(struct cl_printer *p, struct cl_var *var) {
  const struct kiln_function *fn = p->fn;
  var->region = 0;
  for (uint32_t i = 0; i < var->members.count; i++) {
    kiln_value phi = var->members.items[i];
    kiln_value node = (kiln_value)fn->insts[phi].imm;
    uint32_t region = fn->insts[node].region; // header phis are declared before their loop
    var->region = var->region ? common_region(p, var->region, region) : region;
    uint32_t position = p->values[node].position;
    var->position = i == 0 || position < var->position ? position : var->position;
  }
}

// ---- the list

static uint32_t add_var(struct cl_printer *p, kiln_value value) {
  struct cl_var var = {.type = kiln_value_type(p->fn, value), .value = value, .votes = p->values[value].votes};
  KILN_VEC_PUSH(&p->arena, &p->vars, var);
  p->values[value].var = p->vars.count - 1;
  return p->vars.count - 1;
}

static void add_phis(struct cl_printer *p, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++) {
    uint32_t var = add_var(p, phis->items[i]);
    KILN_VEC_PUSH(&p->arena, &p->vars.items[var].members, phis->items[i]);
  }
}

static bool declared_signed(const struct kiln_param *param) { return param->type_name[0] != 'u'; }

static void choose_sign(struct cl_printer *p, struct cl_var *var) {
  if (!kiln_kind_is_int(kiln_type_kind(var->type)))
    return;
  var->is_signed = var->votes > 0 || (var->votes == 0 && kiln_cl_natural_sign(p, var->value) == CL_SIGNED);
}

static const char *wanted_name(struct cl_printer *p, const struct cl_var *var) {
  const struct kiln_function *fn = p->fn;
  for (uint32_t i = 0; i < var->members.count; i++)
    if (fn->insts[var->members.items[i]].name)
      return kiln_value_name(fn, var->members.items[i]);
  if (fn->insts[var->value].name)
    return kiln_value_name(fn, var->value);
  if (fn->insts[var->value].op == KILN_OP_PARAM)
    return fn->params[fn->insts[var->value].imm].name;
  if (fn->insts[var->value].op == KILN_OP_GLOBAL)
    return fn->module->globals[fn->insts[var->value].imm].name;
  if (fn->insts[var->value].op == KILN_OP_LOCAL_ID)
    return "lid";
  if (fn->insts[var->value].op == KILN_OP_GLOBAL_ID)
    return "gid";
  if (kiln_type_kind(var->type) == KILN_PTR)
    return "p";
  return kiln_type_kind(var->type) == KILN_BOOL ? "c" : "t";
}

void kiln_cl_variables(struct cl_printer *p) {
  const struct kiln_function *fn = p->fn;
  p->vars.count = 0;
  KILN_VEC_PUSH(&p->arena, &p->vars, (struct cl_var){0});
  for (uint32_t i = 0; i < fn->param_count; i++) {
    uint32_t index = add_var(p, fn->params[i].value); // may move the list
    struct cl_var *var = &p->vars.items[index];
    var->declared = true;
    if (kiln_kind_is_int(kiln_type_kind(var->type)) && fn->params[i].type_name[0])
      var->votes = declared_signed(&fn->params[i]) ? 1 : -1;
  }
  for (uint32_t i = 0; i < p->position_count; i++) {
    kiln_value id = p->order[i];
    if (!id)
      continue;
    const struct kiln_inst *inst = &fn->insts[id];
    if (kiln_op_is_node(inst->op)) {
      if (p->values[id].folded)
        continue;
      add_phis(p, &kiln_node(fn, id)->header);
      add_phis(p, &kiln_node(fn, id)->results);
    } else if (kiln_type_kind(inst->type) != KILN_VOID && !p->values[id].folded && p->values[id].uses) {
      add_var(p, id);
    }
  }
  for (kiln_value id = 1; id < fn->inst_count; id++) // local memory
    if (fn->insts[id].op == KILN_OP_GLOBAL && fn->insts[id].type == kiln_ptr_type(KILN_LOCAL) && p->values[id].uses)
      add_var(p, id);
  merge_all(p);
  for (uint32_t i = 1; i < p->vars.count; i++) {
    struct cl_var *var = &p->vars.items[i];
    if (fn->insts[var->value].op == KILN_OP_PHI && var->members.count == 0)
      continue; // joined to another
    if (var->members.count) {
      var->value = var->members.items[0];
      place(p, var);
    }
    choose_sign(p, var);
    var->name = kiln_cl_local_name(p, wanted_name(p, var));
  }
}

const char *kiln_cl_declarator(struct cl_printer *p, const struct cl_var *var) {
  const char *type = kiln_cl_value_type_name(p, var->value, var->is_signed ? CL_SIGNED : CL_UNSIGNED);
  bool star = kiln_type_kind(var->type) == KILN_PTR;
  return kiln_cl_format(p, star ? "%s%s" : "%s %s", type, var->name);
}
