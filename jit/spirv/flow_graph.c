// Dominators, loops and irreducible parts of a graph of blocks, and where blocks will stand.
//
// An edge closes a loop when its target dominates its source. In a reducible graph no other edge leads back, so what
// is left without such edges has no cycles. Parts that still have some are entered in several places: all edges to
// their entries are led through a new node, the dispatch, which dominates the part. Inside of it edges to entries then
// close the loop of the dispatch; what cycles are left are split in the next round.
#include "jit/spirv/flow_graph.h"

// ---- order and dominators -------------------------------------------------------------------------------------------

// Depth first from the entry. Fills in order and rank. numbers: nodes by the time at which they were met, parents: by
// that time, the time of the node that each was met from.
static void walk(struct kiln_flow *f, uint32_t *times, uint32_t *nodes, uint32_t *parents) {
  uint32_t *stack = f->scratch[4], *next = f->scratch[5], depth = 0, met = 0, left = f->node_count;
  for (uint32_t n = 0; n < f->node_count; n++) {
    f->rank[n] = times[n] = KILN_FLOW_NONE;
    next[n] = f->first[n];
  }
  parents[0] = KILN_FLOW_NONE;
  nodes[0] = stack[0] = times[0] = 0;
  for (met = depth = 1; depth;) {
    uint32_t n = stack[depth - 1];
    if (next[n] == f->end[n]) {
      f->order[--left] = n;
      depth--;
      continue;
    }
    uint32_t target = f->to[next[n]++];
    if (times[target] != KILN_FLOW_NONE)
      continue;
    parents[met] = times[n];
    nodes[met] = target;
    times[target] = met++;
    stack[depth++] = target;
  }
  f->reached = met;
  memmove(f->order, f->order + left, met * sizeof *f->order);
  for (uint32_t i = 0; i < met; i++)
    f->rank[f->order[i]] = i;
}

// Sources of the edges to each node, in the order in which nodes has the sources.
static void list_preds(struct kiln_flow *f, const uint32_t *nodes) {
  memset(f->pred_first, 0, (f->node_count + 1) * sizeof *f->pred_first);
  for (uint32_t i = 0; i < f->reached; i++)
    for (uint32_t e = f->first[nodes[i]]; e < f->end[nodes[i]]; e++)
      f->pred_first[f->to[e] + 1]++;
  for (uint32_t n = 0; n < f->node_count; n++)
    f->pred_first[n + 1] += f->pred_first[n];
  uint32_t *next = f->scratch[5];
  memcpy(next, f->pred_first, f->node_count * sizeof *next);
  for (uint32_t i = 0; i < f->reached; i++)
    for (uint32_t e = f->first[nodes[i]]; e < f->end[nodes[i]]; e++)
      f->pred[next[f->to[e]]++] = nodes[i];
}

// Of the nodes from v up to its root, the root left out, what has the least semidominator. Shortens the path.
static uint32_t least_above(uint32_t *above, uint32_t *least, const uint32_t *semi, uint32_t *stack, uint32_t v) {
  if (above[v] == KILN_FLOW_NONE)
    return v;
  uint32_t count = 0, top = v;
  for (; above[above[top]] != KILN_FLOW_NONE; top = above[top])
    stack[count++] = top;
  while (count) {
    uint32_t w = stack[--count], over = above[w];
    if (semi[least[over]] < semi[least[w]])
      least[w] = least[over];
    above[w] = above[over];
  }
  return least[v];
}

// The algorithm of Lengauer and Tarjan, with path compression alone. It goes by the times at which nodes were met.
static void find_dominators(struct kiln_flow *f) {
  uint32_t *times = f->scratch[0], *nodes = f->scratch[1], *parents = f->scratch[2], *semi = f->scratch[3];
  walk(f, times, nodes, parents);
  list_preds(f, nodes);
  uint32_t count = f->reached, *stack = f->scratch[5];
  // Taken from what later steps fill in.
  uint32_t *above = f->outer, *least = f->site, *bucket = f->merge, *chain = f->sibling, *idom = f->exit;
  for (uint32_t w = 0; w < count; w++) {
    semi[w] = least[w] = w;
    above[w] = bucket[w] = KILN_FLOW_NONE;
  }
  for (uint32_t w = count - 1; w > 0; w--) {
    for (uint32_t i = f->pred_first[nodes[w]]; i < f->pred_first[nodes[w] + 1]; i++) {
      uint32_t s = semi[least_above(above, least, semi, stack, times[f->pred[i]])];
      semi[w] = s < semi[w] ? s : semi[w];
    }
    chain[w] = bucket[semi[w]];
    bucket[semi[w]] = w;
    uint32_t parent = parents[w];
    above[w] = parent;
    for (uint32_t v = bucket[parent]; v != KILN_FLOW_NONE; v = chain[v]) {
      uint32_t u = least_above(above, least, semi, stack, v);
      idom[v] = semi[u] < semi[v] ? u : parent;
    }
    bucket[parent] = KILN_FLOW_NONE;
  }
  f->idom[0] = KILN_FLOW_NONE;
  for (uint32_t w = 1; w < count; w++) {
    if (idom[w] != semi[w])
      idom[w] = idom[idom[w]];
    f->idom[nodes[w]] = nodes[idom[w]];
  }
}

// Numbers the tree of dominators, so that what a node dominates is in a row.
static void number_dominators(struct kiln_flow *f) {
  uint32_t *next = f->scratch[0], *nodes = f->scratch[1];
  for (uint32_t i = 0; i < f->reached; i++)
    f->dom_size[f->order[i]] = 1;
  for (uint32_t i = f->reached; i-- > 1;)
    f->dom_size[f->idom[f->order[i]]] += f->dom_size[f->order[i]];
  for (uint32_t i = 0; i < f->reached; i++) {
    uint32_t n = f->order[i], up = f->idom[n];
    f->dom_number[n] = i ? next[up] : 0;
    if (i)
      next[up] += f->dom_size[n];
    next[n] = f->dom_number[n] + 1;
    nodes[f->dom_number[n]] = n;
  }
  list_preds(f, nodes);
}

// ---- irreducible parts ----------------------------------------------------------------------------------------------

static bool closes_loop(const struct kiln_flow *f, uint32_t from, uint32_t to) {
  return kiln_flow_is_in(f->dom_number, f->dom_size, to, from);
}

// Numbers the strongly connected parts, of the graph without the edges that close loops unless all is set: backward
// from each node in reverse postorder. Edges that close loops lead to where the walk has been, so that the order is
// one of the graph without them, too. sizes: of parts, by number.
static void find_parts(struct kiln_flow *f, bool all, uint32_t *parts, uint32_t *sizes) {
  uint32_t *stack = f->scratch[4];
  for (uint32_t i = 0; i < f->reached; i++)
    parts[f->order[i]] = KILN_FLOW_NONE;
  for (uint32_t i = 0, part = 0; i < f->reached; i++) {
    uint32_t depth = 0;
    if (parts[f->order[i]] != KILN_FLOW_NONE)
      continue;
    parts[f->order[i]] = part;
    sizes[part] = 1;
    for (stack[depth++] = f->order[i]; depth;) {
      uint32_t n = stack[--depth];
      for (uint32_t k = f->pred_first[n]; k < f->pred_first[n + 1]; k++) {
        uint32_t from = f->pred[k];
        if (parts[from] != KILN_FLOW_NONE || (!all && closes_loop(f, from, n)))
          continue;
        parts[from] = part;
        sizes[part]++;
        stack[depth++] = from;
      }
    }
    part++;
  }
}

// Makes a dispatch for each part with entries, and leads the edges to entries through it that close no loop.
static void add_dispatches(struct kiln_flow *f, const uint32_t *parts, bool *is_entry) {
  uint32_t *dispatch = f->scratch[2], *index = f->scratch[3], *count = f->scratch[4];
  for (uint32_t i = 0; i < f->reached; i++)
    count[i] = 0;
  for (uint32_t i = 0; i < f->reached; i++)
    if (is_entry[f->order[i]])
      index[f->order[i]] = count[parts[f->order[i]]]++;
  for (uint32_t part = 0; part < f->reached; part++) {
    if (!count[part])
      continue;
    dispatch[part] = f->node_count++;
    f->first[dispatch[part]] = f->edge_count;
    f->end[dispatch[part]] = f->edge_count += count[part];
  }
  for (uint32_t i = 0; i < f->reached; i++) {
    uint32_t n = f->order[i];
    if (is_entry[n])
      f->to[f->first[dispatch[parts[n]]] + index[n]] = n;
    for (uint32_t e = f->first[n]; e < f->end[n]; e++) {
      uint32_t target = f->to[e];
      if (!is_entry[target] || closes_loop(f, n, target))
        continue;
      f->to[e] = dispatch[parts[target]];
      f->entry[e] = index[target];
    }
  }
}

static bool is_reducible(const struct kiln_flow *f) {
  for (uint32_t i = 0; i < f->reached; i++)
    for (uint32_t n = f->order[i], e = f->first[n]; e < f->end[n]; e++)
      if (f->rank[f->to[e]] <= i && !closes_loop(f, n, f->to[e]))
        return false;
  return true;
}

// One round.
static void split(struct kiln_flow *f, bool *is_entry) {
  uint32_t *parts = f->scratch[0], *sizes = f->scratch[1];
  find_parts(f, false, parts, sizes);
  memset(is_entry, 0, f->node_count);
  for (uint32_t i = 0; i < f->reached; i++)
    for (uint32_t n = f->order[i], e = f->first[n]; e < f->end[n]; e++)
      if (parts[n] != parts[f->to[e]] && sizes[parts[f->to[e]]] > 1 && !closes_loop(f, n, f->to[e]))
        is_entry[f->to[e]] = true;
  add_dispatches(f, parts, is_entry);
}

// For parts that are nested too deep to be split round by round: every node of a connected part with a part that is
// irreducible becomes an entry. Every cycle has an edge that closes no loop, and so leads through the dispatch.
static void split_all(struct kiln_flow *f, bool *is_entry) {
  uint32_t *parts = f->scratch[0], *sizes = f->scratch[1], *is_odd = f->scratch[2];
  find_parts(f, true, parts, sizes);
  memset(is_odd, 0, f->reached * sizeof *is_odd);
  for (uint32_t i = 0; i < f->reached; i++)
    for (uint32_t n = f->order[i], e = f->first[n]; e < f->end[n]; e++)
      if (f->rank[f->to[e]] <= i && !closes_loop(f, n, f->to[e]))
        is_odd[parts[n]] = true;
  for (uint32_t i = 0; i < f->reached; i++)
    is_entry[f->order[i]] = is_odd[parts[f->order[i]]];
  add_dispatches(f, parts, is_entry);
}

// ---- loops and sites ------------------------------------------------------------------------------------------------

// The outermost loop found so far around a node; the node itself where it is in none, or the head of that loop.
static uint32_t outermost(uint32_t *joined, uint32_t n) {
  while (joined[n] != n)
    n = joined[n] = joined[joined[n]];
  return n;
}

// Gives sites to nodes that are in all loops around `around` and no other ones but those that they are heads of. A
// node that a loop dominates without containing it stands after that loop, else at its dominator.
static void find_sites(struct kiln_flow *f, uint32_t *joined, const uint32_t *nodes, uint32_t count, uint32_t around) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = nodes[i];
    if (!n)
      continue;
    uint32_t unit = outermost(joined, f->idom[n]);
    f->is_exit[n] = unit != around && f->is_head[unit];
    f->site[n] = f->is_exit[n] ? unit : f->idom[n];
  }
}

// From the innermost loops out: what reaches the head of a loop backward without passing it is the loop.
static void find_loops(struct kiln_flow *f) {
  uint32_t *joined = f->scratch[0], *body = f->scratch[1], count;
  for (uint32_t n = 0; n < f->node_count; n++) {
    joined[n] = n;
    f->outer[n] = KILN_FLOW_NONE;
    f->is_head[n] = f->is_exit[n] = false;
    f->forward[n] = 0;
  }
  for (uint32_t i = f->reached; i-- > 0;) {
    uint32_t head = f->order[i];
    count = 0;
    for (uint32_t k = f->pred_first[head]; k < f->pred_first[head + 1]; k++) {
      if (f->rank[f->pred[k]] < i) {
        f->forward[head]++;
        continue;
      }
      f->is_head[head] = true;
      uint32_t unit = outermost(joined, f->pred[k]);
      if (unit != head && f->outer[unit] != head) {
        f->outer[unit] = head;
        body[count++] = unit;
      }
    }
    for (uint32_t done = 0; done < count; done++) {
      uint32_t n = body[done];
      for (uint32_t k = f->pred_first[n]; k < f->pred_first[n + 1]; k++) {
        uint32_t unit = outermost(joined, f->pred[k]);
        if (unit == n || unit == head || f->outer[unit] == head)
          continue;
        f->outer[unit] = head;
        body[count++] = unit;
      }
    }
    find_sites(f, joined, body, count, head);
    for (uint32_t k = 0; k < count; k++)
      joined[body[k]] = head;
  }
  count = 0;
  for (uint32_t i = 0; i < f->reached; i++)
    if (f->outer[f->order[i]] == KILN_FLOW_NONE)
      body[count++] = f->order[i];
  find_sites(f, joined, body, count, KILN_FLOW_NONE);
}

// An edge out of a loop that is not one of a loop inside of it. Loops are entered at their heads alone.
static void find_ways_out(struct kiln_flow *f) {
  for (uint32_t n = 0; n < f->node_count; n++)
    f->left_to[n] = KILN_FLOW_NONE;
  for (uint32_t i = 0; i < f->reached; i++) {
    uint32_t n = f->order[i], head = f->is_head[n] ? n : f->outer[n];
    for (uint32_t e = f->first[n]; head != KILN_FLOW_NONE && e < f->end[n]; e++)
      if (f->to[e] != head && f->outer[f->to[e]] != head)
        f->left_to[head] = f->to[e];
  }
}

// A return stands only at the end of the body, so that the end of the function gets the innermost site from which it
// comes last, and outside of all nodes.
static void place_leave(struct kiln_flow *f) {
  uint32_t *path = f->scratch[0], count = 0, leave = f->leave;
  for (uint32_t n = f->site[leave]; n; n = f->site[n])
    path[count++] = n;
  uint32_t up = 0;
  while (count) {
    uint32_t n = path[--count];
    bool is_only = f->is_arm[n] && f->end[up] - f->first[up] == 1 && !f->is_head[up];
    bool is_last = f->is_exit[n] ? f->exit[up] == n : !f->is_head[up] && !f->is_arm[n] && f->merge[up] == n;
    if (!is_only && !is_last)
      break;
    up = n;
  }
  uint32_t *list = f->is_head[up] ? &f->exit[up] : &f->merge[up];
  f->is_exit[leave] = f->is_head[up];
  f->site[leave] = up;
  f->sibling[leave] = *list;
  *list = leave;
}

static void list_sites(struct kiln_flow *f) {
  for (uint32_t n = 0; n < f->node_count; n++)
    f->merge[n] = f->exit[n] = f->sibling[n] = KILN_FLOW_NONE;
  for (uint32_t i = 1; i < f->reached; i++) {
    uint32_t n = f->order[i];
    f->is_arm[n] = n != f->leave && !f->is_exit[n] && f->forward[n] == 1;
    if (f->is_arm[n] || n == f->leave)
      continue;
    uint32_t *list = f->is_exit[n] ? &f->exit[f->site[n]] : &f->merge[f->site[n]];
    f->sibling[n] = *list;
    *list = n;
  }
  if (f->rank[f->leave] != KILN_FLOW_NONE)
    place_leave(f);
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static void reset(struct kiln_flow *f) {
  const struct kiln_flow_graph *graph = f->graph;
  f->node_count = graph->block_count + 1;
  f->edge_count = graph->first[graph->block_count];
  for (uint32_t b = 0; b < graph->block_count; b++) {
    f->first[b] = graph->first[b];
    f->end[b] = graph->first[b + 1];
  }
  f->first[f->leave] = f->end[f->leave] = f->edge_count;
  for (uint32_t e = 0; e < f->edge_count; e++)
    f->to[e] = graph->to[e] == KILN_FLOW_RETURN ? f->leave : graph->to[e];
}

static void dominate(struct kiln_flow *f) {
  find_dominators(f);
  number_dominators(f);
}

void kiln_flow_analyse(struct kiln_flow *f) {
  // Before what is nested deeper is split at once. Work: nodes and edges of all rounds.
  enum { MOST_ROUNDS = 8, MOST_WORK = 3 << 19 };
  reset(f);
  bool *is_entry = KILN_NEW_ARRAY(f->arena, bool, f->node_capacity);
  dominate(f);
  memcpy(f->old_number, f->dom_number, f->node_count * sizeof *f->old_number);
  memcpy(f->old_size, f->dom_size, f->node_count * sizeof *f->old_size);
  uint64_t work = 0;
  for (unsigned round = 0; !is_reducible(f); round++) {
    work += f->node_count + (uint64_t)f->edge_count;
    if (round < MOST_ROUNDS && work < MOST_WORK) {
      split(f, is_entry);
    } else {
      if (round) {
        reset(f);
        dominate(f);
      }
      split_all(f, is_entry);
    }
    dominate(f);
  }
  find_loops(f);
  find_ways_out(f);
  list_sites(f);
}
