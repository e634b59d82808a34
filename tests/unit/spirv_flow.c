// Regions made from graphs of blocks do what a walk over the graph does: made-up graphs, reducible and not, whose
// blocks and edges note where they are, and whose branches go by a sequence of numbers. What is visible or dominates is
// compared with a search of the graph.
#include <criterion/criterion.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "jit/spirv/flow.h"
#include "tests/support/part.h"
#include "tests/support/run_ir.h"

enum { MOST_BLOCKS = 24, MOST_EDGES = 128, FUEL = 256, MEMORY = 64, USES = 6 };
enum { COUNT_AT = 0, STATE_AT = 4, HASH_AT = 8, DONE_AT = 12 }; // in the memory

struct graph {
  struct kiln_flow_graph g;
  uint32_t first[MOST_BLOCKS + 1], to[MOST_EDGES];
  bool returns[MOST_BLOCKS];
  bool by_bool[MOST_BLOCKS]; // of two edges, the first where a bool is true
  uint64_t random;
};

static unsigned pick(uint64_t *random, unsigned count) {
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*random >> 33) % count;
}

// Two rows of blocks, both of which the entry leads to, with edges between neighbours in both directions and at the
// far end: a part that is irreducible, in which there is another one, and so on. If there is a block left, it makes a
// loop with the last one of the first row.
static void make_rows(struct graph *graph) {
  uint32_t count = graph->g.block_count, length = (count - 1) / 2, edge = 2;
  graph->to[0] = 1;
  graph->to[1] = 2;
  for (uint32_t b = 1; b < count; b++) {
    graph->first[b] = edge;
    if (b > 2)
      graph->to[edge++] = b - 2;
    if (b < 2 * length + 1)
      graph->to[edge++] = b + 2 <= 2 * length ? b + 2 : b % 2 ? b + 1 : b - 1;
    if (!pick(&graph->random, 6))
      graph->to[edge++] = KILN_FLOW_RETURN;
    if (b + 1 == 2 * length && count == 2 * length + 2)
      graph->to[edge++] = count - 1;
  }
  graph->first[count] = edge;
}

// shape: 0 and 3: edges anywhere, 1: mostly forward and near, 2: without a way back.
static void make_graph(struct graph *graph, uint64_t seed) {
  uint64_t *r = &graph->random;
  *graph = (struct graph){.random = seed * 2654435761u + 12345};
  unsigned shape = pick(r, 4), edge = 0;
  graph->g.block_count = 1 + pick(r, pick(r, 4) ? 10 : MOST_BLOCKS);
  for (uint32_t b = 0; b < graph->g.block_count; b++) {
    static const unsigned char numbers[] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 5};
    unsigned count = numbers[pick(r, sizeof numbers)], ahead = graph->g.block_count - b - 1;
    graph->first[b] = edge;
    graph->by_bool[b] = pick(r, 4) != 0;
    for (unsigned k = 0; k < count; k++) {
      bool forward = shape == 2 || (shape == 1 && pick(r, 5));
      uint32_t to = KILN_FLOW_RETURN;
      if (k && !pick(r, 6))
        to = graph->to[edge - 1];
      else if (forward && ahead)
        to = b + 1 + pick(r, ahead < 4 ? ahead : 4);
      else if (!forward && graph->g.block_count > 1 && pick(r, 8))
        to = 1 + pick(r, graph->g.block_count - 1);
      graph->to[edge++] = to;
    }
  }
  graph->first[graph->g.block_count] = edge;
  if (graph->g.block_count >= 5 && !pick(r, 10))
    make_rows(graph);
  for (uint32_t b = 0; b < graph->g.block_count; b++)
    graph->returns[b] = graph->first[b + 1] - graph->first[b] == 1 && graph->to[graph->first[b]] == KILN_FLOW_RETURN;
  graph->g.first = graph->first;
  graph->g.to = graph->to;
  graph->g.returns = pick(r, 2) ? graph->returns : NULL;
}

// ---- the regions ----------------------------------------------------------------------------------------------------

struct maker {
  struct graph *graph;
  struct kiln_flow *flow;
  struct kiln_function *fn;
  kiln_value values[MOST_BLOCKS]; // of blocks: how many blocks have run before
  uint32_t uses[MOST_BLOCKS][USES], use_count[MOST_BLOCKS];
  int64_t cases[MOST_EDGES];
  unsigned edges[MOST_EDGES], leaves;
};

static kiln_value number(struct kiln_builder *b, uint32_t n) {
  return kiln_const(b->fn, kiln_scalar_type(KILN_I32), n);
}

static kiln_value place(struct kiln_builder *b, unsigned at) {
  return kiln_build_padd(b, b->fn->params[0].value, kiln_const(b->fn, kiln_scalar_type(KILN_I64), 1), at);
}

static kiln_value load(struct kiln_builder *b, unsigned at) {
  return kiln_build_load(b, kiln_scalar_type(KILN_I32), place(b, at), 4, 0);
}

// x * factor + y
static kiln_value mix(struct kiln_builder *b, kiln_value x, uint32_t factor, kiln_value y) {
  return kiln_build2(b, KILN_OP_IADD, kiln_build2(b, KILN_OP_IMUL, x, number(b, factor)), y);
}

static void hash(struct kiln_builder *b, kiln_value v) {
  kiln_build_store(b, place(b, HASH_AT), mix(b, load(b, HASH_AT), 31, v), 4, 0);
}

static void make_block(void *user, struct kiln_builder *b, uint32_t block) {
  struct maker *m = user;
  cr_assert(!m->values[block], "block %u comes twice", block);
  kiln_value count = load(b, COUNT_AT);
  m->values[block] = count;
  kiln_build_store(b, place(b, COUNT_AT), mix(b, count, 1, number(b, 1)), 4, 0);
  // Out of memory where the fuel is used up.
  kiln_value spent = kiln_build2(b, KILN_OP_UDIV, count, number(b, FUEL));
  kiln_value far = kiln_build1(b, KILN_OP_ZEXT, kiln_scalar_type(KILN_I64), spent);
  kiln_build_store(b, kiln_build_padd(b, b->fn->params[0].value, far, 1 << 24), load(b, COUNT_AT), 4, 0);
  hash(b, number(b, block));
  for (uint32_t i = 0; i < m->use_count[block]; i++) {
    cr_assert(m->values[m->uses[block][i]], "block %u comes before %u", block, m->uses[block][i]);
    hash(b, m->values[m->uses[block][i]]);
  }
}

static void make_edge(void *user, struct kiln_builder *b, uint32_t edge) {
  struct maker *m = user;
  m->edges[edge]++;
  hash(b, number(b, 1000 + edge));
}

static kiln_value choose(void *user, struct kiln_builder *b, uint32_t block, const int64_t **cases) {
  struct maker *m = user;
  uint32_t count = m->graph->first[block + 1] - m->graph->first[block];
  kiln_value state = mix(b, load(b, STATE_AT), 1664525, number(b, 1013904223));
  kiln_build_store(b, place(b, STATE_AT), state, 4, 0);
  kiln_value r = kiln_build2(b, KILN_OP_LSHR, state, number(b, 16));
  if (count == 2 && m->graph->by_bool[block])
    return kiln_build2(b, KILN_OP_EQ, kiln_build2(b, KILN_OP_AND, r, number(b, 1)), number(b, 1));
  for (uint32_t k = 0; k < count; k++)
    m->cases[k] = k + 1;
  *cases = m->cases;
  return kiln_build2(b, KILN_OP_UREM, r, number(b, count + 1));
}

static void leave(void *user, struct kiln_builder *b) {
  struct maker *m = user;
  m->leaves++;
  kiln_build_store(b, place(b, DONE_AT), number(b, 1), 4, 0);
  kiln_build_return(b, 0);
}

static const struct kiln_flow_maker maker = {make_block, make_edge, choose, leave};

static struct kiln_function *new_function(void) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param param = {.name = "p",
                             .type_name = "uint*",
                             .type = kiln_ptr_type(KILN_GLOBAL),
                             .align = 4,
                             .access = KILN_ACCESS_READ_WRITE};
  return kiln_module_add_function(module, "f", true, KILN_VOID, &param, 1);
}

// ---- the walk -------------------------------------------------------------------------------------------------------

struct result {
  uint32_t count, state, hash, done;
};

static struct result walk(const struct maker *m, uint32_t state) {
  const struct graph *graph = m->graph;
  struct result r = {.state = state};
  uint32_t seen[MOST_BLOCKS] = {0};
  for (uint32_t b = 0;;) {
    seen[b] = r.count++;
    if (seen[b] >= FUEL)
      return r;
    r.hash = r.hash * 31 + b;
    for (uint32_t i = 0; i < m->use_count[b]; i++)
      r.hash = r.hash * 31 + seen[m->uses[b][i]];
    uint32_t e = graph->first[b], count = graph->first[b + 1] - e;
    if (!count)
      return r;
    if (count > 1) {
      r.state = r.state * 1664525 + 1013904223;
      uint32_t choice = r.state >> 16;
      if (count == 2 && graph->by_bool[b])
        e += !(choice & 1);
      else
        e += choice % (count + 1) < count ? choice % (count + 1) : 0;
    }
    r.hash = r.hash * 31 + 1000 + e;
    if (graph->to[e] == KILN_FLOW_RETURN) {
      r.done = 1;
      return r;
    }
    b = graph->to[e];
  }
}

// What the entry, or another block, reaches without going through a block.
static void reach(const struct graph *graph, uint32_t from, uint32_t without, bool *reached) {
  uint32_t stack[MOST_BLOCKS], depth = 0;
  memset(reached, 0, MOST_BLOCKS);
  if (from == without)
    return;
  reached[from] = true;
  for (stack[depth++] = from; depth;) {
    uint32_t b = stack[--depth];
    for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++) {
      uint32_t to = graph->to[e];
      if (to == KILN_FLOW_RETURN || to == without || reached[to])
        continue;
      reached[to] = true;
      stack[depth++] = to;
    }
  }
}

struct facts {
  bool reached[MOST_BLOCKS], dominates[MOST_BLOCKS][MOST_BLOCKS];
  bool loop[MOST_BLOCKS][MOST_BLOCKS]; // head, block
  bool reducible, acyclic;
};

// Whether what is left without the edges that close loops has a cycle: takes away what nothing leads to.
static bool has_cycle(const struct graph *graph, const struct facts *facts) {
  bool gone[MOST_BLOCKS] = {0};
  for (uint32_t round = 0; round < graph->g.block_count; round++) {
    bool target[MOST_BLOCKS] = {0};
    for (uint32_t b = 0; b < graph->g.block_count; b++)
      for (uint32_t e = graph->first[b]; facts->reached[b] && !gone[b] && e < graph->first[b + 1]; e++)
        if (graph->to[e] != KILN_FLOW_RETURN && !facts->dominates[graph->to[e]][b])
          target[graph->to[e]] = true;
    for (uint32_t b = 0; b < graph->g.block_count; b++)
      gone[b] |= !target[b];
  }
  for (uint32_t b = 0; b < graph->g.block_count; b++)
    if (!gone[b])
      return true;
  return false;
}

static void find_facts(const struct graph *graph, struct facts *facts) {
  uint32_t count = graph->g.block_count;
  bool reached[MOST_BLOCKS];
  *facts = (struct facts){.acyclic = true};
  reach(graph, 0, UINT32_MAX, facts->reached);
  for (uint32_t a = 0; a < count; a++) {
    reach(graph, 0, a, reached);
    for (uint32_t b = 0; b < count; b++)
      facts->dominates[a][b] = facts->reached[b] && !reached[b];
  }
  for (uint32_t b = 0; b < count; b++)
    for (uint32_t e = graph->first[b]; facts->reached[b] && e < graph->first[b + 1]; e++) {
      uint32_t head = graph->to[e];
      if (head == KILN_FLOW_RETURN || !facts->dominates[head][b])
        continue;
      facts->acyclic = false;
      for (uint32_t c = 0; c < count; c++) { // in the loop: reaches b without the head
        reach(graph, c, head, reached);
        facts->loop[head][c] |= facts->reached[c] && (c == head || (reached[b] && facts->dominates[head][c]));
      }
    }
  facts->reducible = !has_cycle(graph, facts);
  facts->acyclic &= facts->reducible;
}

// ---- many graphs ----------------------------------------------------------------------------------------------------

static void check_facts(struct maker *m, const struct facts *facts, uint64_t seed) {
  uint32_t count = m->graph->g.block_count;
  for (uint32_t b = 0; b < count; b++) {
    cr_assert_eq(kiln_flow_reached(m->flow, b), facts->reached[b], "graph %u: block %u", (unsigned)seed, b);
    for (uint32_t a = 0; a < count && facts->reached[b]; a++) {
      if (!facts->reached[a])
        continue;
      bool dominates = facts->dominates[a][b], visible = kiln_flow_is_visible(m->flow, a, b), inside = true;
      cr_assert_eq(kiln_flow_dominates(m->flow, a, b), dominates, "graph %u: %u, %u", (unsigned)seed, a, b);
      for (uint32_t head = 0; head < count; head++)
        inside &= !facts->loop[head][a] || facts->loop[head][b];
      if (facts->reducible)
        cr_assert_eq(visible, dominates && inside, "graph %u: %u is visible in %u: %d", (unsigned)seed, a, b, visible);
      cr_assert(dominates || !visible, "graph %u: %u, %u", (unsigned)seed, a, b);
      if (visible && a != b) {
        if (m->use_count[b] < USES)
          m->uses[b][m->use_count[b]++] = a;
        else
          m->uses[b][pick(&m->graph->random, USES)] = a;
      }
    }
  }
}

static void check_run(const struct maker *m, struct run_ir *state, uint32_t input, uint64_t seed) {
  union kiln_lanes param = {.bits = {RUN_IR_BASE}};
  unsigned char memory[MEMORY] = {0};
  struct result result, expected = walk(m, input);
  memcpy(memory + STATE_AT, &input, 4);
  state->memory = memory;
  state->size = MEMORY;
  state->params = &param;
  bool ended = run_ir(m->fn, state);
  memcpy(&result, memory, sizeof result);
  cr_assert_eq(ended, expected.done, "graph %u: %s", (unsigned)seed, state->fault ? state->fault : "ended");
  if (!ended)
    cr_assert_str_eq(state->fault, expected.count > FUEL ? "an access outside of memory" : "unreachable code");
  cr_assert_eq(result.count, expected.count, "graph %u: %u blocks, not %u", (unsigned)seed, result.count,
               expected.count);
  cr_assert_eq(result.state, expected.state, "graph %u", (unsigned)seed);
  cr_assert_eq(result.hash, expected.hash, "graph %u", (unsigned)seed);
  cr_assert_eq(result.done, expected.done, "graph %u", (unsigned)seed);
}

static void check_emitted(struct maker *m, const struct facts *facts, uint64_t seed) {
  char message[400];
  bool ok = kiln_module_verify(m->fn->module, message, sizeof message);
  cr_assert(ok, "graph %u: %s", (unsigned)seed, message);
  cr_assert_eq(m->leaves, kiln_flow_returns(m->flow));
  for (uint32_t b = 0; b < m->graph->g.block_count; b++) {
    cr_assert_eq(m->values[b] != 0, facts->reached[b]);
    for (uint32_t e = m->graph->first[b]; e < m->graph->first[b + 1]; e++)
      cr_assert_eq(m->edges[e], facts->reached[b], "graph %u: edge %u", (unsigned)seed, e);
  }
}

Test(spirv_flow, as_the_graph_goes) {
  unsigned reducible = 0, acyclic = 0, total = part_of(4000);
  struct run_ir state = {0};
  for (uint64_t seed = 0; seed < total; seed++) {
    struct graph graph;
    struct facts facts;
    struct kiln_arena arena;
    jmp_buf exhausted;
    make_graph(&graph, seed);
    find_facts(&graph, &facts);
    reducible += facts.reducible;
    acyclic += facts.acyclic;
    kiln_arena_init(&arena, &exhausted);
    struct maker m = {.graph = &graph, .fn = new_function()};
    m.flow = kiln_flow_of_graph(&arena, &graph.g);
    check_facts(&m, &facts, seed);
    kiln_flow_emit(m.flow, m.fn, &maker, &m);
    check_emitted(&m, &facts, seed);
    for (uint32_t input = 0; input < 12; input++)
      check_run(&m, &state, (uint32_t)seed * 77 + input * 12345677, seed);
    kiln_module_free(m.fn->module);
    kiln_arena_free(&arena);
  }
  run_ir_free(&state);
  cr_assert_gt(total - reducible, total / 10, "%u reducible of %u", reducible, total);
  cr_assert_gt(reducible - acyclic, total / 10);
  cr_assert_gt(acyclic, total / 10);
}

// ---- what the regions look like -------------------------------------------------------------------------------------

static kiln_value make_nothing_choose(void *user, struct kiln_builder *b, uint32_t block, const int64_t **cases) {
  const struct kiln_flow_graph *graph = user;
  static int64_t numbers[4096];
  for (int i = 0; i < 4096; i++)
    numbers[i] = i;
  *cases = numbers;
  kiln_value x = load(b, COUNT_AT);
  return graph->first[block + 1] - graph->first[block] == 2 ? kiln_build2(b, KILN_OP_EQ, x, number(b, block)) : x;
}
static void make_nothing_block(void *user, struct kiln_builder *b, uint32_t block) { (void)user, (void)b, (void)block; }
static void make_nothing_leave(void *user, struct kiln_builder *b) {
  (void)user;
  kiln_build_return(b, 0);
}
static const struct kiln_flow_maker make_nothing = {make_nothing_block, make_nothing_block, make_nothing_choose,
                                                    make_nothing_leave};

struct lists {
  KILN_VEC(uint32_t) first;
  KILN_VEC(uint32_t) to;
  struct kiln_flow_graph g;
  struct kiln_arena arena;
  jmp_buf exhausted;
  struct kiln_function *fn;
  struct kiln_flow *flow;
};

static void begin(struct lists *l) {
  memset(l, 0, sizeof *l);
  kiln_arena_init(&l->arena, &l->exhausted);
  l->fn = new_function();
}
static void block(struct lists *l) { KILN_VEC_PUSH(&l->arena, &l->first, l->to.count); }
static void to(struct lists *l, uint32_t target) { KILN_VEC_PUSH(&l->arena, &l->to, target); }
static void block1(struct lists *l, uint32_t a) {
  block(l);
  to(l, a);
}
static void block2(struct lists *l, uint32_t a, uint32_t b) {
  block1(l, a);
  to(l, b);
}

// Returns the seconds that the analysis and the regions took.
static double finish(struct lists *l, const char *name) {
  char message[400];
  l->g.block_count = l->first.count;
  block(l);
  l->g.first = l->first.items;
  l->g.to = l->to.items;
  clock_t start = clock();
  l->flow = kiln_flow_of_graph(&l->arena, &l->g);
  double analysed = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (kiln_flow_depth(l->flow) <= KILN_IR_MAX_DEPTH) {
    kiln_flow_emit(l->flow, l->fn, &make_nothing, &l->g);
    double emitted = (double)(clock() - start) / CLOCKS_PER_SEC;
    cr_assert(kiln_module_verify(l->fn->module, message, sizeof message), "%s: %s", name, message);
    if (getenv("KILN_TEST_TIMES"))
      fprintf(stderr, "%-28s %.3f s, with regions %.3f s, depth %u\n", name, analysed, emitted,
              kiln_flow_depth(l->flow));
    return emitted;
  }
  if (getenv("KILN_TEST_TIMES"))
    fprintf(stderr, "%-28s %.3f s, depth %u\n", name, analysed, kiln_flow_depth(l->flow));
  return analysed;
}

static void end(struct lists *l) {
  kiln_module_free(l->fn->module);
  kiln_arena_free(&l->arena);
}

// Nodes and jumps of a region, without what else there is: "loop { if { } else { break loop } continue }".
static size_t describe(const struct kiln_function *fn, uint32_t region, char *out, size_t size) {
  size_t used = 0;
  for (kiln_value id = fn->regions[region].first; id && used + 100 < size; id = fn->insts[id].next) {
    enum kiln_op op = kiln_op_of(&fn->insts[id]);
    kiln_value target = kiln_jump_target(fn, id);
    if (kiln_op_leaves(op))
      used += (size_t)snprintf(out + used, size - used, "%s %s ", kiln_op_table[op].name,
                               kiln_op_table[fn->insts[target].op].name);
    else if (op != KILN_OP_YIELD && (kiln_op_is_node(op) || kiln_op_is_jump(op)))
      used += (size_t)snprintf(out + used, size - used, "%s ", kiln_op_table[op].name);
    if (!kiln_op_is_node(op))
      continue;
    for (uint32_t k = 0; k < kiln_node(fn, id)->region_count; k++) {
      used += (size_t)snprintf(out + used, size - used, "{ ");
      used += describe(fn, kiln_node(fn, id)->region_first + k, out + used, size - used);
      used += (size_t)snprintf(out + used, size - used, "} ");
    }
  }
  return used;
}

static void expect(struct lists *l, const char *name, const char *regions) {
  char text[2000] = "";
  finish(l, name);
  describe(l->fn, l->fn->body, text, sizeof text);
  cr_assert_str_eq(text, regions, "%s: %s", name, text);
  end(l);
}

#define RET KILN_FLOW_RETURN

Test(spirv_flow, few_branches) {
  struct lists l;
  begin(&l);
  block2(&l, 1, 2);
  block1(&l, 3);
  block1(&l, 3);
  block1(&l, RET);
  expect(&l, "a diamond", "if { } { } return ");

  begin(&l);
  block2(&l, 1, 2);
  block1(&l, RET);
  block1(&l, RET);
  expect(&l, "two returns", "if { } { } return ");

  begin(&l); // if (a) return; if (b) return; c
  block2(&l, 4, 1);
  block2(&l, 4, 2);
  block1(&l, 3);
  block1(&l, 4);
  block1(&l, RET);
  l.g.returns = (const bool[]){false, false, false, false, true};
  expect(&l, "early returns", "block { if { break block } { } if { break block } { } } return ");

  begin(&l); // if (a) b else c; if (d) return; e
  block2(&l, 1, 2);
  block1(&l, 3);
  block1(&l, 3);
  block2(&l, RET, 4);
  block1(&l, RET);
  expect(&l, "what comes before early returns", "if { } { } block { if { break block } { } } return ");

  begin(&l); // if (a && b) c
  block2(&l, 1, 3);
  block2(&l, 2, 3);
  block1(&l, 3);
  block1(&l, RET);
  expect(&l, "and", "if { if { } { } } { } return ");

  begin(&l); // if (a || b) c
  block2(&l, 2, 1);
  block2(&l, 2, 3);
  block1(&l, 3);
  block1(&l, RET);
  expect(&l, "or", "block { if { } { if { } { break block } } } return ");
}

Test(spirv_flow, few_loops) {
  struct lists l;
  begin(&l); // for (; a;) b
  block1(&l, 1);
  block2(&l, 2, 3);
  block1(&l, 1);
  block1(&l, RET);
  expect(&l, "a loop", "loop { if { } { break loop } continue loop } return ");

  begin(&l); // do a; while (b)
  block1(&l, 1);
  block2(&l, 1, 2);
  block1(&l, RET);
  expect(&l, "a loop tested at its end", "loop { if { } { break loop } continue loop } return ");

  begin(&l); // for (; a;) { if (b) continue; if (c) break; d }
  block1(&l, 1);
  block2(&l, 2, 6);
  block2(&l, 5, 3);
  block2(&l, 6, 4);
  block1(&l, 5);
  block1(&l, 1);
  block1(&l, RET);
  expect(&l, "continue and break",
         "loop { if { } { break loop } if { } { if { break loop } { } } continue loop } return ");

  begin(&l); // a search: the loop has two exits
  block1(&l, 1);
  block2(&l, 2, 3);
  block2(&l, 4, 1);
  block1(&l, RET);
  block1(&l, RET);
  expect(&l, "two exits",
         "block { block { loop { if { } { break loop } if { break block } { } continue loop } break block } } return ");

  begin(&l); // if (a) do b; while (c); d
  block2(&l, 1, 2);
  block2(&l, 1, 2);
  block1(&l, RET);
  expect(&l, "a loop in an arm", "if { loop { if { } { break loop } continue loop } } { } return ");

  begin(&l); // for (;;) { do a; while (b); }
  block1(&l, 1);
  block2(&l, 2, 3);
  block2(&l, 2, 1);
  block1(&l, RET);
  expect(&l, "a loop at the end of a loop",
         "loop { if { } { break loop } loop { if { } { break loop } continue loop } continue loop } return ");

  begin(&l); // switch (a) { case 0: do b; while (c); goto out; … } d; out:
  block2(&l, 1, 6);
  block2(&l, 2, 3);
  to(&l, 4);
  block2(&l, 2, 6);
  block1(&l, 5);
  block1(&l, 5);
  block1(&l, 6);
  block1(&l, RET);
  expect(&l, "a loop that is left for what is further out",
         "block { if { switch { loop { if { } { break loop } continue loop } break block } { } { } } { } } return ");

  begin(&l);
  block1(&l, 1);
  block1(&l, 1);
  expect(&l, "no exit", "loop { continue loop } unreachable ");

  begin(&l);
  block2(&l, 1, 2);
  block2(&l, 2, 3);
  block1(&l, 1);
  block1(&l, RET);
  expect(&l, "irreducible", "if { } { } loop { switch { if { } { break loop } } { } continue loop } return ");
}

// depth: UINT32_MAX: too deep; 0: any.
static void check_time(struct lists *l, const char *name, uint32_t depth) {
  double seconds = finish(l, name);
  cr_assert_lt(seconds, 20, "%s: %f s", name, seconds);
  if (depth == UINT32_MAX)
    cr_assert_gt(kiln_flow_depth(l->flow), KILN_IR_MAX_DEPTH, "%s", name);
  else if (depth)
    cr_assert_leq(kiln_flow_depth(l->flow), depth, "%s: %u", name, kiln_flow_depth(l->flow));
  end(l);
}

enum { MANY = 20000, VERY_MANY = 200000 };

Test(spirv_flow, long_rows) {
  struct lists l;
  begin(&l);
  for (uint32_t i = 1; i < MANY; i++)
    block1(&l, i);
  block1(&l, RET);
  check_time(&l, "a row", 0);

  begin(&l);
  for (uint32_t i = 0; i < MANY; i++) {
    block2(&l, 3 * i + 1, 3 * i + 2);
    block1(&l, 3 * i + 3);
    block1(&l, 3 * i + 3);
  }
  block1(&l, RET);
  check_time(&l, "diamonds in a row", 1);

  begin(&l); // if (…) { … return; } each time
  for (uint32_t i = 0; i < MANY; i++) {
    block2(&l, 2 * i + 1, 2 * i + 2);
    block1(&l, RET);
  }
  block1(&l, RET);
  check_time(&l, "early returns", 300);

  begin(&l); // for (;;) { if (…) continue; each time }
  block1(&l, 1);
  for (uint32_t i = 1; i < MANY; i++)
    block2(&l, 1, i + 1);
  block2(&l, 1, MANY + 1);
  block1(&l, RET);
  check_time(&l, "continues", 300);

  begin(&l); // loops in a row
  for (uint32_t i = 0; i < MANY; i++)
    block2(&l, i ? i : 1, i + 1);
  block1(&l, RET);
  check_time(&l, "loops in a row", 2);
}

Test(spirv_flow, deep_nests) {
  struct lists l;
  for (uint32_t count = 1000; count <= MANY; count *= 20) {
    begin(&l); // if (…) { if (…) { … } rest } rest
    for (uint32_t i = 0; i < count; i++)
      block2(&l, i + 1, 2 * count - i);
    for (uint32_t i = 0; i < count; i++)
      block1(&l, count + i + 1);
    block1(&l, RET);
    check_time(&l, "nested ifs", count == MANY ? UINT32_MAX : count + 1);

    begin(&l); // do { do { … } while } while
    for (uint32_t i = 0; i < count; i++)
      block1(&l, i + 1);
    for (uint32_t i = 0; i < count; i++)
      block2(&l, count - i, count + i + 1);
    block1(&l, RET);
    check_time(&l, "nested loops", count == MANY ? UINT32_MAX : count + 1);
  }
  begin(&l); // each loop is left to the blocks behind all of them
  for (uint32_t i = 0; i < MANY; i++)
    block2(&l, i + 1, 2 * MANY + 2 + i);
  for (uint32_t i = 0; i <= MANY; i++)
    block2(&l, MANY - (i < MANY ? i : MANY - 1), MANY + 1 + i);
  for (uint32_t i = 0; i < MANY; i++)
    block1(&l, i ? 2 * MANY + 1 + i : RET);
  check_time(&l, "exits from nested loops", UINT32_MAX);
}

Test(spirv_flow, irreducible_parts) {
  struct lists l;
  uint64_t random = 1;
  begin(&l);
  block2(&l, 1, 2);
  for (uint32_t i = 1; i <= 1000; i++) {
    block(&l);
    for (uint32_t k = 1; k <= 1000; k++)
      to(&l, k);
  }
  check_time(&l, "all to all", 10);

  begin(&l);
  block2(&l, 1, 2);
  for (uint32_t i = 1; i <= 2000; i++) {
    block1(&l, i % 50 ? 1 + i % 2000 : RET);
    for (uint32_t k = 0; k < 30; k++)
      to(&l, 1 + pick(&random, 2000));
  }
  check_time(&l, "many to many", 100);

  begin(&l); // as make_rows
  block2(&l, 1, 2);
  for (uint32_t b = 1; b <= VERY_MANY; b++)
    block2(&l, b > 2 ? b - 2 : RET, b + 2 <= VERY_MANY ? b + 2 : b % 2 ? b + 1 : b - 1);
  check_time(&l, "parts in parts", 100);

  begin(&l);
  for (uint32_t i = 0; i < MANY; i++) {
    block2(&l, 3 * i + 1, 3 * i + 2);
    block2(&l, 3 * i + 2, 3 * i + 3);
    block1(&l, 3 * i + 1);
  }
  block1(&l, RET);
  check_time(&l, "parts in a row", 4);
}

Test(spirv_flow, large_graphs) {
  struct lists l;
  uint64_t random = 1;
  begin(&l);
  for (uint32_t i = 0; i < VERY_MANY; i++) {
    uint32_t far = i + 1 + pick(&random, 8);
    block2(&l, i + 1 < VERY_MANY ? i + 1 : RET, far < VERY_MANY ? far : RET);
  }
  check_time(&l, "forward", 0);

  begin(&l);
  for (uint32_t i = 0; i < VERY_MANY; i++)
    block2(&l, 1 + pick(&random, VERY_MANY - 1), i % 100 ? 1 + pick(&random, VERY_MANY - 1) : RET);
  check_time(&l, "anywhere", 100);

  begin(&l);
  for (uint32_t i = 0; i < VERY_MANY / 3; i++) {
    block2(&l, 3 * i + 1, 3 * i + 2);
    block2(&l, 3 * i + 1, 3 * i + 3);
    block1(&l, 3 * i + 3);
  }
  block1(&l, RET);
  check_time(&l, "branches and loops", 3);
}
