// The regions as a list of steps, which kiln_flow_emit goes through.
//
// A node is its content, blocks around its jump that end where its merges begin, the last merge outermost, then the
// merges. The head of a loop is the loop, with blocks around it for all exits but the first, at which the loop ends.
// Each place has a node that comes next, to which a yield, or a continue at the end of a loop, leads.
//
// A loop without exits of its own may be left to nodes that others lead to as well. It ends at one of them, too, and
// after it there is a jump on to that node: "if c { loop { … break loop } yield }" rather than a break out of more.
#include "jit/ir/internal.h"
#include "jit/spirv/flow_graph.h"

// Where regions are nested deeper, an arm stands after its branch although another one goes on to the same place.
enum { MOST_NESTING = 200 };

struct place {
  uint32_t next;                // the node that comes after it; NONE: none
  enum kiln_flow_step_kind end; // how it is reached: YIELD or CONTINUE
};
enum task_kind { TASK_NODE, TASK_EDGE, TASK_GO, TASK_CLOSE_LOOP, TASK_STEP };
struct task {
  enum task_kind kind;
  enum kiln_flow_step_kind step; // STEP
  uint32_t node, edge;           // GO: the target
  struct place place;
};
struct layout {
  struct kiln_flow *f;
  KILN_VEC(struct task) tasks; // the next one last
  uint32_t depth;
  uint32_t *ending; // of a node: the head of the innermost open loop that ends at it; NONE: none
};

static const struct place NOWHERE = {KILN_FLOW_NONE, KILN_FLOW_UNREACHABLE};

static void step(struct layout *l, enum kiln_flow_step_kind kind, uint32_t node) {
  l->depth += kind == KILN_FLOW_OPEN || kind == KILN_FLOW_LOOP || kind == KILN_FLOW_BRANCH;
  l->depth -= kind == KILN_FLOW_CLOSE || kind == KILN_FLOW_JOIN;
  if (kind == KILN_FLOW_BREAK)
    l->f->needs_block[node] |= l->ending[node] == KILN_FLOW_NONE;
  KILN_VEC_PUSH(l->f->arena, &l->f->steps, (struct kiln_flow_step){kind, node});
}

static void node_later(struct layout *l, uint32_t node, struct place place) {
  KILN_VEC_PUSH(l->f->arena, &l->tasks, (struct task){.kind = TASK_NODE, .node = node, .place = place});
}

static void edge_later(struct layout *l, enum task_kind kind, uint32_t node, uint32_t edge, struct place place) {
  KILN_VEC_PUSH(l->f->arena, &l->tasks, (struct task){.kind = kind, .node = node, .edge = edge, .place = place});
}

static void step_later(struct layout *l, enum kiln_flow_step_kind kind, uint32_t node) {
  KILN_VEC_PUSH(l->f->arena, &l->tasks, (struct task){.kind = TASK_STEP, .step = kind, .node = node});
}

// A list of merges or exits, of which the place given is that of the last one. Returns the place inside of all blocks.
// of_loop: the first exit has no block.
static struct place open_blocks(struct layout *l, uint32_t list, struct place place, bool of_loop) {
  for (uint32_t n = list; n != KILN_FLOW_NONE; n = l->f->sibling[n]) {
    node_later(l, n, place);
    if (of_loop && l->f->sibling[n] == KILN_FLOW_NONE)
      break;
    step(l, KILN_FLOW_OPEN, n);
    step_later(l, KILN_FLOW_CLOSE, n);
    place = (struct place){n, KILN_FLOW_YIELD};
  }
  return place;
}

static bool is_arm_of(const struct kiln_flow *f, uint32_t node, uint32_t target) {
  return f->is_arm[target] && f->site[target] == node && f->rank[target] > f->rank[node];
}

// Whether an edge leads to a node from what another one dominates.
static bool region_leads_to(const struct kiln_flow *f, uint32_t top, uint32_t next) {
  uint32_t low = f->pred_first[next], high = f->pred_first[next + 1], limit = high;
  while (low < high) { // to the first that is not before the top in the tree of dominators
    uint32_t middle = low + (high - low) / 2;
    if (f->dom_number[f->pred[middle]] < f->dom_number[top])
      low = middle + 1;
    else
      high = middle;
  }
  return low < limit && kiln_flow_is_in(f->dom_number, f->dom_size, top, f->pred[low]);
}

// Whether the edge leads to a node, or an edge of the arm behind it does.
static bool leads_to(const struct kiln_flow *f, uint32_t node, uint32_t edge, uint32_t next) {
  uint32_t target = f->to[edge];
  if (target == next || next == KILN_FLOW_NONE)
    return target == next;
  return is_arm_of(f, node, target) && region_leads_to(f, target, next);
}

static bool is_early_return(const struct kiln_flow *f, uint32_t target) {
  return target == f->leave || (f->graph->returns && target < f->leave && f->graph->returns[target]);
}

// The edge of a branch whose arm stands after the branch: of "if c { break } else { A }", where A alone goes on to what
// comes next, or nothing does. So loops end with a bare break, and one early exit after the other nests nothing. NONE:
// several arms go on.
static uint32_t edge_after(const struct layout *l, uint32_t node, struct place place) {
  const struct kiln_flow *f = l->f;
  uint32_t best = KILN_FLOW_NONE, best_size = 0, on = KILN_FLOW_NONE, count = 0;
  for (uint32_t e = f->first[node]; e < f->end[node]; e++) {
    uint32_t target = f->to[e];
    uint32_t size = is_arm_of(f, node, target) ? f->dom_size[target] + 2 : f->rank[target] <= f->rank[node] ? 2 : 1;
    size = is_early_return(f, target) ? 0 : size;
    if (best == KILN_FLOW_NONE || size > best_size || (size == best_size && f->end[node] - f->first[node] == 2)) {
      best = e;
      best_size = size;
    }
    if (!is_early_return(f, target) && leads_to(f, node, e, place.next)) {
      on = e;
      count++;
    }
  }
  return count == 0 || l->depth >= MOST_NESTING ? best : count == 1 ? on : KILN_FLOW_NONE;
}

static void go(struct layout *l, uint32_t node, uint32_t target, struct place place) {
  if (target == place.next)
    step(l, place.end, target);
  else if (l->f->rank[target] <= l->f->rank[node] && l->ending[target] == KILN_FLOW_NONE)
    step(l, KILN_FLOW_CONTINUE, target);
  else
    step(l, KILN_FLOW_BREAK, target);
}

// What is done on an edge, up to the jump, or to the task of the arm that stands there.
static void follow(struct layout *l, uint32_t node, uint32_t edge, struct place place) {
  uint32_t target = l->f->to[edge];
  step(l, KILN_FLOW_EDGE, edge);
  if (target != place.next && is_arm_of(l->f, node, target))
    node_later(l, target, place);
  else
    go(l, node, target, place);
}

static void jump(struct layout *l, uint32_t node, struct place place) {
  const struct kiln_flow *f = l->f;
  uint32_t first = f->first[node], count = f->end[node] - first;
  if (count == 1) {
    follow(l, node, first, place);
    return;
  }
  if (!count) {
    if (node != f->leave)
      step(l, KILN_FLOW_UNREACHABLE, node);
    return;
  }
  uint32_t after = edge_after(l, node, place);
  struct place inside = {place.next, KILN_FLOW_YIELD};
  step(l, KILN_FLOW_BRANCH, node);
  if (after != KILN_FLOW_NONE)
    edge_later(l, TASK_EDGE, node, after, place);
  else
    step_later(l, place.end, place.next);
  step_later(l, KILN_FLOW_JOIN, node);
  for (uint32_t k = count; k-- > 0;) {
    if (first + k == after)
      step_later(l, KILN_FLOW_YIELD, node);
    else
      edge_later(l, TASK_EDGE, node, first + k, after == KILN_FLOW_NONE ? inside : NOWHERE);
    step_later(l, KILN_FLOW_ARM, k);
  }
}

static void body(struct layout *l, uint32_t node, struct place place) {
  step(l, KILN_FLOW_CONTENT, node);
  place = open_blocks(l, l->f->merge[node], place, false);
  jump(l, node, place);
}

// Where a loop ends: its first exit, or a node that it is left to.
static uint32_t end_of_loop(const struct kiln_flow *f, uint32_t head, struct place place) {
  uint32_t exit = f->exit[head];
  if (exit == KILN_FLOW_NONE)
    return place.next != KILN_FLOW_NONE && region_leads_to(f, head, place.next) ? place.next : f->left_to[head];
  while (f->sibling[exit] != KILN_FLOW_NONE)
    exit = f->sibling[exit];
  return exit;
}

static void node(struct layout *l, uint32_t node, struct place place) {
  struct kiln_flow *f = l->f;
  if (!f->is_head[node]) {
    body(l, node, place);
    return;
  }
  uint32_t end = f->loop_end[node] = end_of_loop(f, node, place);
  if (end == KILN_FLOW_NONE)
    step_later(l, KILN_FLOW_UNREACHABLE, node);
  else if (f->exit[node] == KILN_FLOW_NONE)
    edge_later(l, TASK_GO, node, end, place);
  open_blocks(l, f->exit[node], place, true);
  step(l, KILN_FLOW_LOOP, node);
  edge_later(l, TASK_CLOSE_LOOP, node, end == KILN_FLOW_NONE ? end : l->ending[end], NOWHERE);
  if (end != KILN_FLOW_NONE)
    l->ending[end] = node;
  body(l, node, (struct place){node, KILN_FLOW_CONTINUE});
}

static void close_loop(struct layout *l, uint32_t head, uint32_t ending_before) {
  uint32_t end = l->f->loop_end[head];
  step(l, KILN_FLOW_CLOSE, head);
  if (end != KILN_FLOW_NONE)
    l->ending[end] = ending_before;
}

// Where contents are, and how deep regions are nested. The number of a region is the step that opens it.
static void measure(struct kiln_flow *f) {
  KILN_VEC(uint32_t) around = {0}; // for each open block, loop and branch
  uint32_t current = 0, depth = 0;
  f->region_end = KILN_NEW_ARRAY(f->arena, uint32_t, f->steps.count + 1);
  for (uint32_t i = 0; i < f->steps.count; i++) {
    enum kiln_flow_step_kind kind = f->steps.items[i].kind;
    uint32_t n = f->steps.items[i].node;
    if (kind == KILN_FLOW_CONTENT) {
      f->at[n] = i;
      f->region[n] = current;
    } else if (kind == KILN_FLOW_OPEN || kind == KILN_FLOW_LOOP || kind == KILN_FLOW_BRANCH) {
      KILN_VEC_PUSH(f->arena, &around, current);
      if (kind == KILN_FLOW_LOOP || (kind == KILN_FLOW_OPEN && f->needs_block[n]))
        current = i;
      depth += kind != KILN_FLOW_OPEN || f->needs_block[n];
      f->depth = depth > f->depth ? depth : f->depth;
    } else if (kind == KILN_FLOW_ARM || kind == KILN_FLOW_CLOSE || kind == KILN_FLOW_JOIN) {
      uint32_t outer = around.items[around.count - 1];
      if (current != outer)
        f->region_end[current] = i;
      if (kind != KILN_FLOW_ARM) {
        depth -= current != outer;
        around.count--;
      }
      current = kind == KILN_FLOW_ARM ? i : outer;
    }
  }
  f->region_end[0] = f->steps.count;
}

void kiln_flow_lay_out(struct kiln_flow *f) {
  struct layout l = {.f = f, .ending = KILN_NEW_ARRAY(f->arena, uint32_t, f->node_count)};
  memset(l.ending, 0xff, f->node_count * sizeof *l.ending);
  node_later(&l, 0, NOWHERE);
  while (l.tasks.count) {
    struct task task = l.tasks.items[--l.tasks.count];
    if (task.kind == TASK_NODE)
      node(&l, task.node, task.place);
    else if (task.kind == TASK_EDGE)
      follow(&l, task.node, task.edge, task.place);
    else if (task.kind == TASK_GO)
      go(&l, task.node, task.edge, task.place);
    else if (task.kind == TASK_CLOSE_LOOP)
      close_loop(&l, task.node, task.edge);
    else
      step(&l, task.step, task.node);
  }
  measure(f);
}
