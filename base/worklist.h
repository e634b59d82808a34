// Numbers to look at, each of which is added at most once: for walks over what may be reached in many ways, such as the
// values that a value is made of. Needs no recursion, and ends where there are circles.
#ifndef KILN_BASE_WORKLIST_H
#define KILN_BASE_WORKLIST_H

#include "base/arena.h"

struct kiln_worklist {
  uint32_t *items, count; // that have not been taken yet
  uint32_t *marks;        // by number: the mark if it has been added
  uint32_t mark, capacity;
};

static inline bool kiln_worklist_has_had(const struct kiln_worklist *list, uint32_t item) {
  return list->marks[item] == list->mark;
}

static inline void kiln_worklist_add(struct kiln_worklist *list, uint32_t item) {
  if (kiln_worklist_has_had(list, item))
    return;
  list->marks[item] = list->mark;
  list->items[list->count++] = item;
}

static inline void kiln_worklist_add_all(struct kiln_worklist *list, const uint32_t *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    kiln_worklist_add(list, items[i]);
}

// The number that was added last, which is no longer in the list. False: the list is empty.
static inline bool kiln_worklist_take(struct kiln_worklist *list, uint32_t *item) {
  if (!list->count)
    return false;
  *item = list->items[--list->count];
  return true;
}

// The list is empty, nothing has been added to it, and it has room for numbers below limit. All 0 before its first use.
static inline void kiln_worklist_begin(struct kiln_worklist *list, struct kiln_arena *arena, uint32_t limit) {
  if (limit > list->capacity) {
    list->capacity = limit;
    list->items = KILN_NEW_ARRAY(arena, uint32_t, limit);
    list->marks = KILN_NEW_ARRAY(arena, uint32_t, limit);
  }
  list->mark++;
  list->count = 0;
}

#endif
