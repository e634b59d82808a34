// Control flow from graphs: what callers see, and the regions as they are made.
#include "jit/spirv/flow.h"

#include "jit/spirv/flow_graph.h"

static uint32_t *numbers(struct kiln_arena *arena, size_t count) { return KILN_NEW_ARRAY(arena, uint32_t, count); }

struct kiln_flow *kiln_flow_of_graph(struct kiln_arena *arena, const struct kiln_flow_graph *graph) {
  struct kiln_flow *f = KILN_NEW(arena, struct kiln_flow);
  f->arena = arena;
  f->graph = graph;
  f->leave = graph->block_count;
  // A part has two entries or more, and no block is an entry of two parts.
  size_t nodes = (size_t)graph->block_count + graph->block_count / 2 + 2;
  size_t edges = (size_t)graph->first[graph->block_count] + graph->block_count + 1;
  f->node_capacity = (uint32_t)nodes;
  uint32_t **of_nodes[] = {&f->first,      &f->end,        &f->order,      &f->rank,       &f->idom,
                           &f->dom_number, &f->outer,      &f->dom_size,   &f->forward,    &f->site,
                           &f->merge,      &f->exit,       &f->at,         &f->region,     &f->sibling,
                           &f->old_size,   &f->old_number, &f->left_to,    &f->loop_end,   &f->scratch[0],
                           &f->scratch[1], &f->scratch[2], &f->scratch[3], &f->scratch[4], &f->scratch[5]};
  for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
    *of_nodes[i] = numbers(arena, nodes);
  bool **marks[] = {&f->is_head, &f->is_exit, &f->is_arm, &f->needs_block};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    *marks[i] = KILN_NEW_ARRAY(arena, bool, nodes);
  f->pred_first = numbers(arena, nodes + 1);
  f->to = numbers(arena, edges);
  f->entry = numbers(arena, edges);
  f->pred = numbers(arena, edges);
  kiln_flow_analyse(f);
  kiln_flow_lay_out(f);
  return f;
}

bool kiln_flow_reached(const struct kiln_flow *f, uint32_t block) { return f->rank[block] != KILN_FLOW_NONE; }

bool kiln_flow_dominates(const struct kiln_flow *f, uint32_t a, uint32_t b) {
  return kiln_flow_is_in(f->old_number, f->old_size, a, b);
}

bool kiln_flow_is_visible(const struct kiln_flow *f, uint32_t a, uint32_t b) {
  return f->at[a] <= f->at[b] && f->at[b] < f->region_end[f->region[a]];
}

bool kiln_flow_returns(const struct kiln_flow *f) { return f->rank[f->leave] != KILN_FLOW_NONE; }

uint32_t kiln_flow_depth(const struct kiln_flow *f) { return f->depth; }

// ---- regions --------------------------------------------------------------------------------------------------------

struct open {
  kiln_value node; // 0: a block that is left out
  uint32_t around; // the region
  uint32_t end;    // of a loop that a BREAK to a node leaves: the node, and what a BREAK to it leaves after the loop
  kiln_value before;
};
struct emission {
  struct kiln_flow *f;
  const struct kiln_flow_maker *maker;
  void *user;
  struct kiln_builder b;
  KILN_VEC(struct open) open;
  kiln_value *before; // of a node: the block or loop at the end of which it begins
  kiln_value *loops;  // by head
  kiln_value label;   // the variable that holds which edge a dispatch will take; 0: there are no dispatches
  kiln_value choice;  // of the last content
  const int64_t *cases;
  int64_t *entries; // 1, 2, 3, …: the cases of dispatches
};

static void enter(struct emission *m, uint32_t region) {
  uint32_t loc = m->b.loc;
  uint16_t flags = m->b.fp_flags;
  m->b = kiln_builder_at_end(m->b.fn, region);
  m->b.loc = loc;
  m->b.fp_flags = flags;
}

static bool is_dispatch(const struct kiln_flow *f, uint32_t node) { return node > f->leave; }

static void content(struct emission *m, uint32_t node) {
  struct kiln_flow *f = m->f;
  if (node == f->leave) {
    m->maker->leave(m->user, &m->b);
  } else if (is_dispatch(f, node)) {
    m->choice = kiln_build_load(&m->b, kiln_scalar_type(KILN_I32), m->label, 4, 0);
    m->cases = m->entries;
  } else {
    m->maker->block(m->user, &m->b, node);
    if (f->end[node] - f->first[node] > 1)
      m->choice = m->maker->choose(m->user, &m->b, node, &m->cases);
  }
}

static void edge(struct emission *m, uint32_t e) {
  struct kiln_flow *f = m->f;
  if (e < f->graph->first[f->graph->block_count])
    m->maker->edge(m->user, &m->b, e);
  if (is_dispatch(f, f->to[e]))
    kiln_build_store(&m->b, m->label, kiln_const(m->b.fn, kiln_scalar_type(KILN_I32), f->entry[e]), 4, 0);
}

static void open_node(struct emission *m, struct kiln_flow_step step) {
  struct kiln_flow *f = m->f;
  kiln_value node = 0, before = 0;
  uint32_t end = KILN_FLOW_NONE;
  if (step.kind == KILN_FLOW_LOOP) {
    node = m->loops[step.node] = kiln_build_loop(&m->b, NULL, 0);
    end = f->loop_end[step.node];
    before = end == KILN_FLOW_NONE ? 0 : m->before[end];
    if (end != KILN_FLOW_NONE)
      m->before[end] = node;
  } else if (step.kind == KILN_FLOW_OPEN && f->needs_block[step.node]) {
    node = m->before[step.node] = kiln_build_block(&m->b);
  } else if (step.kind == KILN_FLOW_BRANCH) {
    uint32_t edges = f->end[step.node] - f->first[step.node];
    bool is_if = kiln_type_kind(kiln_value_type(m->b.fn, m->choice)) == KILN_BOOL;
    node = is_if ? kiln_build_if(&m->b, m->choice) : kiln_build_switch(&m->b, m->choice, m->cases, edges - 1);
  }
  KILN_VEC_PUSH(f->arena, &m->open, (struct open){node, m->b.region, end, before});
  if (node && step.kind != KILN_FLOW_BRANCH)
    enter(m, kiln_node(m->b.fn, node)->region_first);
}

static void run_step(struct emission *m, struct kiln_flow_step step) {
  const struct open *open = m->open.count ? &m->open.items[m->open.count - 1] : NULL;
  switch (step.kind) {
  case KILN_FLOW_CONTENT:
    content(m, step.node);
    break;
  case KILN_FLOW_EDGE:
    edge(m, step.node);
    break;
  case KILN_FLOW_OPEN:
  case KILN_FLOW_LOOP:
  case KILN_FLOW_BRANCH:
    open_node(m, step);
    break;
  case KILN_FLOW_ARM:
    enter(m, kiln_node(m->b.fn, open->node)->region_first + step.node);
    break;
  case KILN_FLOW_CLOSE:
  case KILN_FLOW_JOIN:
    enter(m, open->around);
    if (open->end != KILN_FLOW_NONE)
      m->before[open->end] = open->before;
    m->open.count--;
    break;
  case KILN_FLOW_YIELD:
    if (open->node)
      kiln_build_yield(&m->b, NULL, 0);
    break;
  case KILN_FLOW_BREAK:
    kiln_build_break(&m->b, m->before[step.node], NULL, 0);
    break;
  case KILN_FLOW_CONTINUE:
    kiln_build_continue(&m->b, m->loops[step.node], NULL, 0);
    break;
  case KILN_FLOW_UNREACHABLE:
    kiln_build(&m->b, KILN_OP_UNREACHABLE, KILN_VOID, NULL, 0, 0, 0, 0);
    break;
  }
}

void kiln_flow_emit(struct kiln_flow *f, struct kiln_function *fn, const struct kiln_flow_maker *maker, void *user) {
  struct emission m = {.f = f, .maker = maker, .user = user, .b = kiln_builder_at_end(fn, fn->body)};
  uint32_t most = 0;
  m.before = KILN_NEW_ARRAY(f->arena, kiln_value, f->node_count);
  m.loops = KILN_NEW_ARRAY(f->arena, kiln_value, f->node_count);
  for (uint32_t n = f->leave + 1; n < f->node_count; n++)
    most = f->end[n] - f->first[n] > most ? f->end[n] - f->first[n] : most;
  if (most) {
    m.label = kiln_build_var(&m.b, 4, 4, "");
    m.entries = KILN_NEW_ARRAY(f->arena, int64_t, most);
    for (uint32_t i = 0; i + 1 < most; i++)
      m.entries[i] = i + 1;
  }
  for (uint32_t i = 0; i < f->steps.count && !kiln_module_failed(fn->module); i++)
    run_step(&m, f->steps.items[i]);
}
