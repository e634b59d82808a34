// Lists of statements that are jumped into: goto, and switches whose cases are not in a row.
//
// A list is cut into segments at the statements that jumps enter. Forward jumps break out of blocks that end where a
// segment begins. From a label to the last jump back to it there is a loop, which backward jumps continue; loops that
// cross become one, others stay apart or nested, so that what lies between two labels is in no loop of theirs (there
// may be a barrier, which all work-items must reach together):
//
//   block B1 { … }             segments before the first one that is jumped back to
//   block B4 {
//     loop {
//       switch (label_var) { case n: break Bk … }
//       block B3 { block B2 { segment 1 } segment 2 } segment 3
//       break loop
//     }
//   }
//   segment 4 …
//
// A label inside a nested statement is reached in stages: label_var holds its number on the way, the jump goes to the
// statement that holds it, and each list, condition and loop on the way down looks at label_var (kiln_lower_arriving).
// That covers every goto of C, irreducible ones included. The analysis is in lower/scan.c.
#include "jit/lang/lower/lower.h"

#include <stdlib.h>

static kiln_value label_on_its_way(struct kiln_lower *L) {
  return kiln_build_load(&L->b, kiln_scalar_type(KILN_I32), L->label_var, 4, 0);
}

static void set_label(struct kiln_lower *L, uint32_t number) {
  kiln_build_store(&L->b, L->label_var, kiln_lower_const_int(L, KILN_I32, number), 4, 0);
}

bool kiln_lower_is_odd_switch(const struct kiln_lower *L, const struct kiln_stmt *s) {
  for (uint32_t i = 0; i < L->labels->odd_switches.count; i++)
    if (L->labels->odd_switches.items[i] == s)
      return true;
  return false;
}

kiln_value kiln_lower_arriving(struct kiln_lower *L, struct kiln_stmt **list) {
  kiln_value result = 0, on_its_way = 0;
  for (uint32_t i = 0; i < L->labels->entries.count; i++) {
    const struct kiln_lower_entry *entry = &L->labels->entries.items[i];
    if (entry->list != list || !entry->outside)
      continue;
    if (!on_its_way)
      on_its_way = label_on_its_way(L);
    kiln_value number = kiln_lower_const_int(L, KILN_I32, entry->label + 1);
    kiln_value is_this = kiln_build2(&L->b, KILN_OP_EQ, on_its_way, number);
    result = result ? kiln_build2(&L->b, KILN_OP_BOR, result, is_this) : is_this;
  }
  return result;
}

// Whether the label stands directly in the list, so that the way ends there.
static bool ends_here(const struct kiln_lower_label *label, struct kiln_stmt **list) {
  return label->path[label->depth - 1].list == list;
}

static uint32_t segment_of(const struct kiln_lower_frame *frame, uint32_t index) {
  uint32_t k = frame->segment_count - 1;
  while (frame->starts[k] > index)
    k--;
  return k;
}

// ---- one list ------------------------------------------------------------------------------------------------------

static int compare_starts(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

// In more loops than this one is made of all.
enum { MAX_LOOPS = 100 };

static int compare_loops(const void *a, const void *b) {
  const struct kiln_lower_range *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return x->end > y->end ? -1 : x->end < y->end;
}

// Makes one of loops that cross, or are the same. True when there were some.
static bool merge_loops(struct kiln_lower_frame *frame) {
  struct kiln_lower_range *loops = frame->loops;
  bool all = frame->loop_count > MAX_LOOPS;
  for (uint32_t i = 0; i < frame->loop_count; i++) {
    for (uint32_t k = i + 1; k < frame->loop_count; k++) { // sorted: k begins at i or after it
      bool apart = loops[k].first >= loops[i].end, inside = loops[k].end <= loops[i].end;
      bool same = loops[k].first == loops[i].first && loops[k].end == loops[i].end;
      if (!all && !same && (apart || inside))
        continue;
      loops[i].end = loops[k].end > loops[i].end ? loops[k].end : loops[i].end;
      loops[k] = loops[--frame->loop_count];
      qsort(loops, frame->loop_count, sizeof *loops, compare_loops);
      return true;
    }
  }
  return false;
}

static void make_loops(struct kiln_lower *L, struct kiln_lower_frame *frame, uint32_t stmt_count) {
  const struct kiln_lower_labels *labels = L->labels;
  frame->loops = KILN_NEW_ARRAY(L->arena, struct kiln_lower_range, labels->entries.count + 1);
  for (uint32_t i = 0; i < labels->entries.count; i++) {
    const struct kiln_lower_entry *entry = &labels->entries.items[i];
    if (entry->list != frame->list || !entry->backward)
      continue;
    uint32_t end = entry->last + 1 < stmt_count ? segment_of(frame, entry->last + 1) : frame->segment_count;
    frame->loops[frame->loop_count++] = (struct kiln_lower_range){.first = segment_of(frame, entry->index), .end = end};
  }
  qsort(frame->loops, frame->loop_count, sizeof *frame->loops, compare_loops);
  while (merge_loops(frame)) {
  }
  for (uint32_t i = 0; i < frame->loop_count; i++)
    frame->loops[i].inner = i + 1;
}

// Sets up the segments and loops. Returns false when nothing enters the list.
static bool make_frame(struct kiln_lower *L, struct kiln_lower_frame *frame, struct kiln_stmt **list,
                       uint32_t stmt_count) {
  const struct kiln_lower_labels *labels = L->labels;
  uint32_t count = 0;
  for (uint32_t i = 0; i < labels->entries.count; i++)
    count += labels->entries.items[i].list == list;
  if (!count)
    return false;
  *frame = (struct kiln_lower_frame){.up = L->frames, .list = list};
  frame->starts = KILN_NEW_ARRAY(L->arena, uint32_t, 2 * count + 1);
  uint32_t n = 1; // starts[0] = 0
  for (uint32_t i = 0; i < labels->entries.count; i++) {
    const struct kiln_lower_entry *entry = &labels->entries.items[i];
    if (entry->list != list)
      continue;
    frame->starts[n++] = entry->index;
    if (entry->backward && entry->last + 1 < stmt_count)
      frame->starts[n++] = entry->last + 1;
  }
  qsort(frame->starts, n, sizeof *frame->starts, compare_starts);
  frame->segment_count = 1;
  for (uint32_t i = 1; i < n; i++)
    if (frame->starts[i] != frame->starts[frame->segment_count - 1])
      frame->starts[frame->segment_count++] = frame->starts[i];
  frame->blocks = KILN_NEW_ARRAY(L->arena, kiln_value, frame->segment_count + 1);
  make_loops(L, frame, stmt_count);
  return true;
}

// The loop directly in the range that segment k lies in; NULL: none.
static struct kiln_lower_range *inner_loop(const struct kiln_lower_frame *frame, const struct kiln_lower_range *range,
                                           uint32_t k) {
  for (uint32_t i = range->inner; i < frame->loop_count && frame->loops[i].first <= k; i++)
    if (k < frame->loops[i].end && frame->loops[i].end <= range->end)
      return &frame->loops[i];
  return NULL;
}

// Where the segment, or the loop that it lies in, begins, as seen from the range.
static uint32_t unit_of(const struct kiln_lower_frame *frame, const struct kiln_lower_range *range, uint32_t k) {
  const struct kiln_lower_range *loop = inner_loop(frame, range, k);
  return loop ? loop->first : k;
}

// Goes on to segment k of the frame from where the builder is.
static void jump_to(struct kiln_lower *L, const struct kiln_lower_frame *frame, uint32_t k, uint32_t label) {
  bool direct = ends_here(&L->labels->items.items[label], frame->list);
  const struct kiln_lower_range *range = frame->range;
  while (k < range->first || k >= range->end)
    range = range->up;
  uint32_t unit = unit_of(frame, range, k);
  bool forward = unit > unit_of(frame, range, frame->current);
  bool arrives = direct && k == (forward ? unit : range->first);
  set_label(L, arrives ? 0 : label + 1);
  if (forward)
    kiln_build_break(&L->b, frame->blocks[unit], NULL, 0);
  else
    kiln_build_continue(&L->b, range->loop, NULL, 0);
  L->dead = true;
}

// Sends labels that are on their way on to their segments, from the beginning of the innermost range.
static void dispatch(struct kiln_lower *L, struct kiln_lower_frame *frame) {
  const struct kiln_lower_labels *labels = L->labels;
  const struct kiln_lower_range *range = frame->range;
  uint32_t first = range->first;
  int64_t *cases = KILN_NEW_ARRAY(L->arena, int64_t, labels->entries.count + 1);
  uint32_t *segments = KILN_NEW_ARRAY(L->arena, uint32_t, labels->entries.count + 1), count = 0;
  uint32_t *numbers = KILN_NEW_ARRAY(L->arena, uint32_t, labels->entries.count + 1);
  for (uint32_t i = 0; i < labels->entries.count; i++) {
    const struct kiln_lower_entry *entry = &labels->entries.items[i];
    if (entry->list != frame->list || (!range->loop && !entry->outside)) // only a loop is entered from this list
      continue;
    uint32_t segment = segment_of(frame, entry->index);
    bool direct = ends_here(&labels->items.items[entry->label], frame->list);
    if (segment < first || segment >= range->end || (segment == first && !direct) ||
        (segment != first && unit_of(frame, range, segment) == first))
      continue; // not here, or already there; a label further in stays on its way
    bool known = false;
    for (uint32_t k = 0; k < count; k++)
      known |= numbers[k] == entry->label;
    if (known)
      continue;
    cases[count] = entry->label + 1;
    numbers[count] = entry->label;
    segments[count++] = segment;
  }
  if (!count)
    return;
  uint32_t outer = L->b.region;
  kiln_value node = kiln_build_switch(&L->b, label_on_its_way(L), cases, count);
  kiln_lower_enter(L, kiln_lower_region(L, node, 0));
  kiln_lower_yield(L, NULL, 0);
  for (uint32_t i = 0; i < count; i++) {
    kiln_lower_enter(L, kiln_lower_region(L, node, i + 1));
    if (segments[i] == first) {
      set_label(L, 0);
      kiln_lower_yield(L, NULL, 0);
    } else {
      frame->current = first;
      jump_to(L, frame, segments[i], numbers[i]);
    }
  }
  kiln_lower_enter(L, outer);
}

static void segment(struct kiln_lower *L, struct kiln_lower_frame *frame, uint32_t k, uint32_t count) {
  uint32_t end = k + 1 < frame->segment_count ? frame->starts[k + 1] : count;
  frame->current = k;
  for (uint32_t i = frame->starts[k]; i < end && !L->dead; i++)
    kiln_lower_stmt(L, frame->list[i]);
}

static void segments(struct kiln_lower *L, struct kiln_lower_frame *frame, struct kiln_lower_range *range,
                     uint32_t count);

static void loop(struct kiln_lower *L, struct kiln_lower_frame *frame, struct kiln_lower_range *range, uint32_t count) {
  uint32_t outer = L->b.region;
  range->loop = kiln_build_loop(&L->b, NULL, 0);
  kiln_lower_enter(L, kiln_lower_region(L, range->loop, 0));
  segments(L, frame, range, count);
  if (!L->dead)
    kiln_build_break(&L->b, range->loop, NULL, 0);
  kiln_lower_enter(L, outer);
}

// The segments of a range, in nested blocks, and loops among them.
static void segments(struct kiln_lower *L, struct kiln_lower_frame *frame, struct kiln_lower_range *range,
                     uint32_t count) {
  uint32_t *units = KILN_NEW_ARRAY(L->arena, uint32_t, range->end - range->first + 1), unit_count = 0;
  uint32_t *outer = KILN_NEW_ARRAY(L->arena, uint32_t, range->end - range->first + 1);
  for (uint32_t k = range->first; k < range->end; unit_count++) {
    const struct kiln_lower_range *inner = inner_loop(frame, range, k);
    units[unit_count] = k;
    k = inner ? inner->end : k + 1;
  }
  range->up = frame->range;
  frame->range = range;
  for (uint32_t u = unit_count; u-- > 1;) {
    outer[u] = L->b.region;
    frame->blocks[units[u]] = kiln_build_block(&L->b);
    kiln_lower_enter(L, kiln_lower_region(L, frame->blocks[units[u]], 0));
  }
  frame->current = range->first;
  dispatch(L, frame);
  for (uint32_t u = 0; u < unit_count; u++) {
    struct kiln_lower_range *inner = inner_loop(frame, range, units[u]);
    if (u) {
      kiln_lower_yield(L, NULL, 0);
      kiln_lower_enter(L, outer[u]);
    }
    if (inner)
      loop(L, frame, inner, count);
    else
      segment(L, frame, units[u], count);
  }
  frame->range = range->up;
}

void kiln_lower_labelled_list(struct kiln_lower *L, struct kiln_stmt **list, uint32_t count) {
  struct kiln_lower_frame frame;
  if (!make_frame(L, &frame, list, count)) {
    for (uint32_t i = 0; i < count && !L->dead; i++)
      kiln_lower_stmt(L, list[i]);
    return;
  }
  L->frames = &frame;
  for (uint32_t i = 0; i < count; i++) { // segments are regions of their own: variables must be known to all
    const struct kiln_stmt *s = list[i];
    while (s && (s->kind == KILN_ST_LABEL || s->kind == KILN_ST_CASE || s->kind == KILN_ST_DEFAULT))
      s = s->body;
    if (s && s->kind == KILN_ST_DECL)
      kiln_lower_declare(L, s);
  }
  struct kiln_lower_range all = {.end = frame.segment_count};
  segments(L, &frame, &all, count);
  L->frames = frame.up;
}

// ---- jumps ---------------------------------------------------------------------------------------------------------

// Jumps to a label from where the builder is: to the innermost open list that its path goes through.
static void jump(struct kiln_lower *L, uint32_t number) {
  const struct kiln_lower_label *label = &L->labels->items.items[number];
  for (const struct kiln_lower_frame *frame = L->frames; frame; frame = frame->up)
    for (uint32_t i = label->depth; i-- > 0;)
      if (label->path[i].list == frame->list) {
        jump_to(L, frame, segment_of(frame, label->path[i].index), number);
        return;
      }
}

void kiln_lower_goto(struct kiln_lower *L, struct kiln_stmt *s) {
  for (uint32_t i = 0; i < L->labels->items.count; i++)
    if (L->labels->items.items[i].name == s->label) {
      jump(L, i);
      return;
    }
  kiln_lower_error(L, s->location, "use of undeclared label '%s'", s->label ? s->label->text : "");
}

// A switch as jumps: label_var gets the number of the case, then the body is entered.
void kiln_lower_switch_labels(struct kiln_lower *L, struct kiln_stmt *s) {
  uint32_t outer = L->b.region;
  bool is_compound = s->body->kind == KILN_ST_COMPOUND;
  struct kiln_stmt **list = is_compound ? s->body->stmts : &s->body;
  kiln_value block = kiln_build_block(&L->b);
  kiln_lower_enter(L, kiln_lower_region(L, block, 0));
  // a goto from outside into the body skips the choice
  kiln_value zero = kiln_lower_const_int(L, KILN_I32, 0);
  kiln_value choice = kiln_build_if(&L->b, kiln_build2(&L->b, KILN_OP_EQ, label_on_its_way(L), zero));
  uint32_t inner = L->b.region;
  kiln_lower_enter(L, kiln_lower_region(L, choice, 1));
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, kiln_lower_region(L, choice, 0));
  kiln_value selector = kiln_lower_value(L, s->expr);
  KILN_VEC(int64_t) cases = {0};
  KILN_VEC(uint32_t) numbers = {0};
  uint32_t default_number = UINT32_MAX;
  for (uint32_t i = 0; i < L->labels->items.count; i++) {
    const struct kiln_lower_label *label = &L->labels->items.items[i];
    if (label->owner != s)
      continue;
    if (label->stmt->kind == KILN_ST_DEFAULT) {
      default_number = i;
    } else {
      KILN_VEC_PUSH(L->arena, &cases, label->stmt->value);
      KILN_VEC_PUSH(L->arena, &numbers, i);
    }
  }
  uint32_t region = L->b.region;
  kiln_value node = kiln_build_switch(&L->b, selector, cases.items, cases.count);
  for (uint32_t i = 0; i <= cases.count; i++) {
    kiln_lower_enter(L, kiln_lower_region(L, node, i));
    uint32_t number = i ? numbers.items[i - 1] : default_number;
    if (number == UINT32_MAX) {
      kiln_build_break(&L->b, block, NULL, 0);
    } else {
      set_label(L, number + 1);
      kiln_lower_yield(L, NULL, 0);
    }
  }
  kiln_lower_enter(L, region);
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, inner);
  struct kiln_lower_target target = {.up = L->targets, .break_node = block};
  L->targets = &target;
  kiln_lower_labelled_list(L, list, is_compound ? s->body->stmt_count : 1);
  L->targets = target.up;
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, outer);
}
