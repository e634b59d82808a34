// Loads, stores and copies. Every access must lie in one object of the right address space and be aligned. Bits of
// private and local memory that were never written make what is loaded from them undefined, which is no error until it
// decides something (a branch, an address, an atomic, an output).
#include "backends/interp/interp.h"

#include <string.h>

static const struct interp_object *object_of(const struct interp_worker *worker, uint32_t number) {
  if (number < worker->module->object_count)
    return &worker->module->objects[number];
  if (number >= INTERP_ARGUMENT && number - INTERP_ARGUMENT < worker->launch->arg_count)
    return &worker->launch->args[number - INTERP_ARGUMENT];
  return NULL;
}

struct found {
  const struct interp_object *object;
  uint64_t base, size;
};

// Keeps the object if it holds the bytes, or else if it is the first one that the address is in or just after.
static bool consider(struct found *found, const struct interp_object *object, uint64_t base, uint64_t address,
                     uint64_t size) {
  uint64_t offset = address - base;
  if (offset <= object->size && size <= object->size - offset) {
    *found = (struct found){object, base, object->size};
    return true;
  }
  if (!found->object && offset < object->size + 128 && object->size)
    *found = (struct found){object, base, object->size};
  return false;
}

// Where an object is for this worker. False for private variables.
static bool place_of(const struct interp_worker *worker, const struct interp_object *object, uint32_t number,
                     uint64_t *base) {
  *base = object->base;
  if (object->space == KILN_PRIVATE)
    return false;
  if (object->space == KILN_LOCAL)
    *base = (uintptr_t)worker->local_data +
            (object->kind == OBJECT_ARGUMENT ? object->base : worker->module->local_offsets[number]);
  return true;
}

static bool look_up_argument(const struct interp_worker *worker, bool is_process, uint64_t address, uint64_t size,
                             struct found *found) {
  uint64_t base;
  for (uint32_t i = 0; i < worker->launch->arg_count; i++) {
    const struct interp_object *arg = &worker->launch->args[i];
    if (arg->size && arg->is_process == is_process && place_of(worker, arg, i, &base) &&
        consider(found, arg, base, address, size))
      return true;
  }
  return false;
}

// The object that an address of unknown origin lies in.
static bool look_up(const struct interp_worker *worker, const struct interp_item *item, uint64_t address, uint64_t size,
                    struct found *found) {
  uint64_t base;
  if (look_up_argument(worker, false, address, size, found))
    return true;
  for (uint32_t i = 0; i < worker->module->ir->global_count; i++)
    if (place_of(worker, &worker->module->objects[i], i, &base) &&
        consider(found, &worker->module->objects[i], base, address, size))
      return true;
  for (uint32_t i = item->depth; i-- > 0;) {
    const struct interp_frame *frame = &item->frames[i];
    uint64_t frame_base = (uintptr_t)item->private_data + frame->private_base, offset = address - frame_base;
    if (offset > frame->fn->private_bytes)
      continue;
    uint32_t low = 0, high = frame->fn->var_count; // the last variable at or below the address
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (frame->fn->vars[middle].offset <= offset)
        low = middle;
      else
        high = middle;
    }
    if (high && consider(found, &worker->module->objects[frame->fn->vars[low].object],
                         frame_base + frame->fn->vars[low].offset, address, size))
      return true;
  }
  return look_up_argument(worker, true, address, size, found); // after all that has bounds
}

enum kiln_space kiln_interp_space(const struct interp_worker *worker, const struct interp_item *item,
                                  const uint64_t *pointer) {
  uint32_t number = (uint32_t)pointer[POINTER_OBJECT];
  struct found found = {0};
  if (number == INTERP_NULL)
    return KILN_GLOBAL;
  if (number != INTERP_NO_OBJECT)
    return object_of(worker, number)->space;
  return look_up(worker, item, pointer[POINTER_ADDRESS], 0, &found) ? found.object->space : KILN_GLOBAL;
}

static const char *verb(enum interp_access access) {
  return access == INTERP_READ ? "reads" : access == INTERP_WRITE ? "writes" : "does an atomic operation on";
}

static bool out_of_bounds(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                          uint64_t address, uint64_t size, enum interp_access access, const struct found *found) {
  char name[200];
  if (!found->object)
    return kiln_interp_fail(worker, item, inst, "%s %llu bytes at address 0x%llx, where no object of the kernel is",
                            verb(access), (unsigned long long)size, (unsigned long long)address);
  kiln_interp_object_name(found->object, name, sizeof name);
  if (found->object->kind == OBJECT_ARGUMENT && !found->base)
    return kiln_interp_fail(worker, item, inst, "%s %llu bytes through %s, which is a null pointer", verb(access),
                            (unsigned long long)size, name);
  return kiln_interp_fail(worker, item, inst, "%s %llu bytes at offset %lld of %s, which has %llu bytes", verb(access),
                          (unsigned long long)size, (long long)(address - found->base), name,
                          (unsigned long long)found->size);
}

bool kiln_interp_access(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                        const uint64_t *pointer, enum kiln_space space, uint64_t size, uint64_t align,
                        enum interp_access access, struct interp_place *out) {
  uint64_t address = pointer[POINTER_ADDRESS];
  uint32_t number = (uint32_t)pointer[POINTER_OBJECT];
  struct found found = {object_of(worker, number), pointer[POINTER_BASE], pointer[POINTER_SIZE]};
  if (pointer[0])
    return kiln_interp_fail_undefined(worker, item, inst, "%s memory at an address that was never initialised",
                                      verb(access));
  if (number == INTERP_NULL || (number == INTERP_NO_OBJECT && address < 4096))
    return kiln_interp_fail(worker, item, inst, "%s %llu bytes through a null pointer%s", verb(access),
                            (unsigned long long)size, address ? " plus an offset" : "");
  if (number == INTERP_NO_OBJECT) {
    if (!look_up(worker, item, address, size, &found))
      return out_of_bounds(worker, item, inst, address, size, access, &found);
  } else if (address - found.base > found.size || size > found.size - (address - found.base)) {
    return out_of_bounds(worker, item, inst, address, size, access, &found);
  }
  const struct interp_object *object = found.object;
  if ((space != object->space && space != KILN_GENERIC) || (access != INTERP_READ && object->space == KILN_CONSTANT)) {
    char name[200];
    kiln_interp_object_name(object, name, sizeof name);
    if (space == object->space || space == KILN_GENERIC)
      return kiln_interp_fail(worker, item, inst, "%s %s, which is constant", verb(access), name);
    return kiln_interp_fail(worker, item, inst, "%s %s in %s memory through a pointer to %s memory", verb(access), name,
                            kiln_interp_space_name(object->space), kiln_interp_space_name(space));
  }
  if (align > 1 && (address & (align - 1))) {
    char name[200];
    kiln_interp_object_name(object, name, sizeof name);
    return kiln_interp_fail(worker, item, inst,
                            "%s %llu bytes at offset %lld of %s (address 0x%llx), which is not aligned to %llu bytes",
                            verb(access), (unsigned long long)size, (long long)(address - found.base), name,
                            (unsigned long long)address, (unsigned long long)align);
  }
  out->data = (unsigned char *)(uintptr_t)address;
  out->undefined = object->space == KILN_PRIVATE ? item->private_undefined + (address - (uintptr_t)item->private_data)
                   : object->space == KILN_LOCAL ? worker->local_undefined + (address - (uintptr_t)worker->local_data)
                                                 : NULL;
  out->available = found.size - (address - found.base);
  out->base = found.base;
  out->object = object;
  return true;
}

bool kiln_interp_load_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                         uint64_t *words) {
  const uint64_t *pointer = interp_ref(worker, words, inst->a);
  unsigned size = inst->bits / 8;
  struct interp_place place;
  if (!kiln_interp_access(worker, item, inst, pointer, inst->space[0], (uint64_t)size * inst->lanes, inst->imm2,
                          INTERP_READ, &place))
    return false;
  bool is_volatile = inst->flags & KILN_MEM_VOLATILE; // as loops around a compare-and-exchange read
  if (worker->races && !kiln_interp_race(worker, item, inst, &place, (uint64_t)size * inst->lanes,
                                         is_volatile ? INTERP_TOUCH_ATOMIC_READ : INTERP_TOUCH_READ, NULL))
    return false;
  uint64_t *dst = words + inst->dst;
  if (interp_is_pointer(inst)) {
    uint64_t address;
    memcpy(&address, place.data, sizeof address);
    interp_set_pointer(dst, address, 0, 0, address ? INTERP_NO_OBJECT : INTERP_NULL);
  } else {
    for (unsigned i = 0; i < inst->lanes; i++) {
      dst[i + 1] = 0;
      memcpy(&dst[i + 1], place.data + (size_t)i * size, size);
    }
  }
  dst[0] = 0;
  if (place.undefined)
    for (unsigned i = 0; i < inst->lanes; i++) {
      uint64_t undefined = 0;
      memcpy(&undefined, place.undefined + (size_t)i * size, size);
      interp_set_undefined(dst, inst->lanes, i, undefined);
    }
  return true;
}

// A vector with some undefined lanes is what partial initialisation makes; one without any defined lane is a fault.
static bool is_undefined_output(const struct interp_inst *inst, const uint64_t *value) {
  return value[0] == interp_mask(inst->lanes);
}

bool kiln_interp_store_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                          uint64_t *words) {
  const uint64_t *pointer = interp_ref(worker, words, inst->a), *value = interp_ref(worker, words, inst->b);
  unsigned size = inst->bits / 8;
  struct interp_place place;
  if (!kiln_interp_access(worker, item, inst, pointer, inst->space[0], (uint64_t)size * inst->lanes, inst->imm2,
                          INTERP_WRITE, &place))
    return false;
  if (!place.undefined && value[0] && is_undefined_output(inst, value)) {
    char name[200];
    kiln_interp_object_name(place.object, name, sizeof name);
    return kiln_interp_fail_undefined(worker, item, inst, "writes a value that was never initialised to %s", name);
  }
  if (worker->races) {
    unsigned char bytes[16 * 8];
    for (unsigned i = 0; i < inst->lanes; i++)
      memcpy(bytes + (size_t)i * size, &value[i + 1], size);
    bool is_volatile = inst->flags & KILN_MEM_VOLATILE;
    if (!kiln_interp_race(worker, item, inst, &place, (uint64_t)size * inst->lanes,
                          is_volatile ? INTERP_TOUCH_ATOMIC_WRITE : INTERP_TOUCH_WRITE, bytes))
      return false;
  }
  for (unsigned i = 0; i < inst->lanes; i++) {
    memcpy(place.data + (size_t)i * size, &value[i + 1], size);
    if (place.undefined) {
      uint64_t undefined = interp_undefined(value, inst->lanes, i);
      memcpy(place.undefined + (size_t)i * size, &undefined, size);
    }
  }
  return true;
}

static bool all_undefined(const unsigned char *undefined, uint64_t size) {
  return undefined[0] == 0xff && memcmp(undefined, undefined + 1, size - 1) == 0;
}

bool kiln_interp_copy_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                         uint64_t *words) {
  const uint64_t *to = interp_ref(worker, words, inst->a), *from = interp_ref(worker, words, inst->b);
  struct interp_place dst, src;
  if (!inst->imm)
    return true;
  if (!kiln_interp_access(worker, item, inst, from, inst->space[1], inst->imm, inst->imm2, INTERP_READ, &src) ||
      !kiln_interp_access(worker, item, inst, to, inst->space[0], inst->imm, inst->imm2, INTERP_WRITE, &dst))
    return false;
  if (worker->races && (!kiln_interp_race(worker, item, inst, &src, inst->imm, INTERP_TOUCH_READ, NULL) ||
                        !kiln_interp_race(worker, item, inst, &dst, inst->imm, INTERP_TOUCH_WRITE, src.data)))
    return false;
  memmove(dst.data, src.data, inst->imm);
  if (dst.undefined && src.undefined)
    memmove(dst.undefined, src.undefined, inst->imm);
  else if (dst.undefined)
    memset(dst.undefined, 0, inst->imm);
  else if (src.undefined && all_undefined(src.undefined, inst->imm)) { // padding may be undefined, but not everything
    char name[200];
    kiln_interp_object_name(src.object, name, sizeof name);
    return kiln_interp_fail_undefined(worker, item, inst,
                                      "copies %s to global memory, of which nothing was initialised", name);
  }
  return true;
}
