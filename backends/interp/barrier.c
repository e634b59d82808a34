// Who reaches a barrier. All work-items of a group must, or none, and in a loop equally often. Those that have returned
// count as arrived, unless the strict rules of OpenCL C are asked for; those that skipped the barrier (by a branch, or
// by leaving a loop before the others) and then ended have not arrived.
//
// A return is a jump to the end of the kernel (CODE_LEAVE). Other jumps that skip barriers are noted as they are taken
// (CODE_BYPASS). The notes are cleared at the next barrier and at the next iteration of a loop around them, so that a
// return before the barrier differs from one after it was skipped.
#include "backends/interp/interp.h"

#include <stdio.h>

// The instruction of the kernel at which a work-item waits: the barrier, or a call.
static uint32_t waits_at(const struct interp_item *item) { return item->frames[0].pc - 1; }

static bool is_inside(const struct interp_loop *loop, uint32_t pc) { return pc >= loop->first && pc < loop->end; }

// The outermost bypass in the set whose node contains the instruction; NULL: none.
static const struct interp_bypass *outermost(const struct interp_function *fn, uint64_t set, uint32_t pc) {
  for (uint32_t i = 0; i < fn->bypass_count; i++)
    if (set >> i & 1 && pc >= fn->bypasses[i].first && pc < fn->bypasses[i].end)
      return &fn->bypasses[i];
  return NULL;
}

// The bypass by which a work-item that has ended skipped the barrier where another waits; NULL: none.
static const struct interp_bypass *bypass_around(const struct interp_item *ended, const struct interp_item *waits) {
  const struct interp_frame *frame = &ended->frames[0];
  uint32_t pc = waits_at(waits);
  const struct interp_bypass *found = outermost(frame->fn, frame->bypassed, pc);
  for (uint32_t i = 0; found && i < frame->fn->loop_count; i++) {
    const struct interp_loop *loop = &frame->fn->loops[i];
    // It left the loop after a later iteration: in the other's iteration it skipped the barrier inside the loop.
    if (is_inside(loop, pc) && loop->first >= found->first && loop->end <= found->end &&
        frame->words[loop->counter] > waits->frames[0].words[loop->counter]) {
      const struct interp_bypass *inside = outermost(frame->fn, frame->ever & loop->bypasses, pc);
      return inside ? inside : found;
    }
  }
  return found;
}

// Whether the work-item, which has ended, returned before it reached the barrier where the other waits.
static bool has_returned(const struct interp_item *ended, const struct interp_item *waits) {
  const struct interp_frame *frame = &ended->frames[0];
  uint32_t pc = waits_at(waits);
  if (!frame->left)
    return false;
  for (uint32_t i = 0; i < frame->fn->loop_count; i++) { // outer ones first
    const struct interp_loop *loop = &frame->fn->loops[i];
    if (!is_inside(loop, pc) || !is_inside(loop, frame->left - 1))
      continue;
    uint64_t mine = frame->words[loop->counter], theirs = waits->frames[0].words[loop->counter];
    if (mine != theirs)
      return mine < theirs;
  }
  return !bypass_around(ended, waits);
}

static bool differ(struct interp_worker *worker, const struct interp_item *item, const struct interp_item *first) {
  char where[300], id[100];
  kiln_interp_where(first->frames[first->depth - 1].fn->fn, first->barrier->value, where, sizeof where);
  kiln_interp_id(worker, first, id, sizeof id);
  return kiln_interp_fail(worker, item, item->barrier,
                          "waits at this barrier, while work-item %s of its group waits at the one at %s", id, where);
}

static bool misses(struct interp_worker *worker, const struct interp_item *waits, const struct interp_item *ended) {
  const struct interp_frame *frame = &ended->frames[0];
  const struct interp_bypass *bypass = bypass_around(ended, waits);
  const char *how = "does not reach";
  char where[300] = "", id[100];
  kiln_interp_id(worker, ended, id, sizeof id);
  if (bypass) {
    how = "skipped at ";
    kiln_interp_where(frame->fn->fn, bypass->value, where, sizeof where);
  } else if (frame->left) {
    how = "does not reach: it returned at ";
    kiln_interp_where(frame->fn->fn, frame->fn->code[frame->left - 1].value, where, sizeof where);
  }
  return kiln_interp_fail(worker, waits, waits->barrier,
                          "waits at this barrier, which work-item %s of its group %s%s%s", id, how, where,
                          bypass ? " and has ended" : "");
}

bool kiln_interp_check_barrier(struct interp_worker *worker, uint32_t count) {
  const struct interp_item *first = NULL;
  for (uint32_t i = 0; i < count; i++) {
    const struct interp_item *item = &worker->items[i];
    if (!item->done && first && item->barrier != first->barrier)
      return differ(worker, item, first);
    first = first || item->done ? first : item;
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct interp_item *item = &worker->items[i];
    if (item->done && (worker->module->strict || !has_returned(item, first)))
      return misses(worker, first, item);
  }
  return true;
}
