// Atomic operations: really atomic, since groups run in parallel, and always sequentially consistent, which is as
// strong as any order that a kernel asks for.
#include "backends/interp/interp.h"

#include <math.h>
#include <string.h>

static uint64_t load(const void *at, unsigned bits) {
  switch (bits) {
  case 8:
    return __atomic_load_n((const uint8_t *)at, __ATOMIC_SEQ_CST);
  case 16:
    return __atomic_load_n((const uint16_t *)at, __ATOMIC_SEQ_CST);
  case 32:
    return __atomic_load_n((const uint32_t *)at, __ATOMIC_SEQ_CST);
  }
  return __atomic_load_n((const uint64_t *)at, __ATOMIC_SEQ_CST);
}

static void store(void *at, unsigned bits, uint64_t value) {
  switch (bits) {
  case 8:
    __atomic_store_n((uint8_t *)at, (uint8_t)value, __ATOMIC_SEQ_CST);
    return;
  case 16:
    __atomic_store_n((uint16_t *)at, (uint16_t)value, __ATOMIC_SEQ_CST);
    return;
  case 32:
    __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_SEQ_CST);
    return;
  }
  __atomic_store_n((uint64_t *)at, value, __ATOMIC_SEQ_CST);
}

// Stores desired if the memory holds *expected; else false, and *expected is what it holds.
static bool compare_exchange(void *at, unsigned bits, uint64_t *expected, uint64_t desired) {
  uint8_t e8 = (uint8_t)*expected;
  uint16_t e16 = (uint16_t)*expected;
  uint32_t e32 = (uint32_t)*expected;
  bool done;
  switch (bits) {
  case 8:
    done = __atomic_compare_exchange_n((uint8_t *)at, &e8, (uint8_t)desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *expected = e8;
    return done;
  case 16:
    done =
        __atomic_compare_exchange_n((uint16_t *)at, &e16, (uint16_t)desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *expected = e16;
    return done;
  case 32:
    done =
        __atomic_compare_exchange_n((uint32_t *)at, &e32, (uint32_t)desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *expected = e32;
    return done;
  }
  return __atomic_compare_exchange_n((uint64_t *)at, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static uint64_t pure(enum kiln_op op, kiln_type type, uint64_t x, uint64_t y) {
  union kiln_lanes a = {{x}}, b = {{y}}, result = {{0}};
  const union kiln_lanes *operands[2] = {&a, &b};
  const kiln_type types[2] = {type, type};
  kiln_eval(op, type, 0, 0, NULL, types, operands, 2, &result);
  return result.bits[0];
}

static uint64_t modify(enum kiln_rmw rmw, kiln_type type, uint64_t old, uint64_t x) {
  return rmw == KILN_RMW_XCHG ? x : pure(kiln_rmw_op(rmw), type, old, x);
}

bool kiln_interp_atomic_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                           uint64_t *words) {
  const uint64_t *pointer = interp_ref(worker, words, inst->a);
  const uint64_t *x = interp_ref(worker, words, inst->b), *y = interp_ref(worker, words, inst->c);
  struct interp_place place;
  unsigned size = inst->bits / 8;
  if (!kiln_interp_access(worker, item, inst, pointer, inst->space[0], size, size,
                          inst->code == CODE_ATOMIC_LOAD ? INTERP_READ : INTERP_ATOMIC, &place))
    return false;
  if ((inst->code != CODE_ATOMIC_LOAD && x[0]) || (inst->code == CODE_ATOMIC_CAS && y[0]))
    return kiln_interp_fail_undefined(worker, item, inst,
                                      "does an atomic operation with a value that was never initialised");
  enum interp_touch touch = inst->code == CODE_ATOMIC_LOAD ? INTERP_TOUCH_ATOMIC_READ : INTERP_TOUCH_ATOMIC_WRITE;
  if (worker->races && inst->code != CODE_ATOMIC_CAS &&
      !kiln_interp_race(worker, item, inst, &place, size, touch, NULL))
    return false;
  if (inst->code == CODE_ATOMIC_STORE) {
    store(place.data, inst->bits, x[1]);
    if (place.undefined)
      memset(place.undefined, 0, size);
    return true;
  }
  bool exchange = inst->code == CODE_ATOMIC_RMW && inst->flags == KILN_RMW_XCHG;
  uint64_t undefined = 0;
  if (place.undefined)
    memcpy(&undefined, place.undefined, size);
  if (undefined && !exchange && worker->races && inst->code == CODE_ATOMIC_CAS &&
      !kiln_interp_race(worker, item, inst, &place, size, INTERP_TOUCH_ATOMIC_READ, NULL))
    return false;
  if (undefined && !exchange)
    return kiln_interp_fail_undefined(worker, item, inst,
                                      "does an atomic operation on memory that was never initialised");
  uint64_t old;
  if (inst->code == CODE_ATOMIC_CAS) {
    old = x[1];
    if (!compare_exchange(place.data, inst->bits, &old, y[1])) // it only reads, which is not known before
      touch = INTERP_TOUCH_ATOMIC_READ;
    if (worker->races && !kiln_interp_race(worker, item, inst, &place, size, touch, NULL))
      return false;
  } else {
    old = load(place.data, inst->bits);
    if (inst->code == CODE_ATOMIC_RMW) {
      const struct interp_function *fn = item->frames[item->depth - 1].fn;
      kiln_type type = kiln_value_type(fn->fn, inst->value);
      while (!compare_exchange(place.data, inst->bits, &old, modify(inst->flags, type, old, x[1]))) {
      }
    }
  }
  if (place.undefined)
    memset(place.undefined, 0, size);
  uint64_t *dst = words + inst->dst;
  if (interp_is_pointer(inst))
    interp_set_pointer(dst, old, 0, 0, old ? INTERP_NO_OBJECT : INTERP_NULL);
  else
    dst[1] = old;
  dst[0] = 0;
  interp_set_undefined(dst, 1, 0, undefined);
  return true;
}
