// Runs one work-item: a loop over its instructions. Calls have frames of their own, so that the work-item can stop at a
// barrier in any of them.
#include "backends/interp/interp.h"
#include "kiln/op_cases.h"

#include <string.h>

void kiln_interp_item_start(struct interp_worker *worker, struct interp_item *item, const uint64_t local_id[3]) {
  const struct kiln_drv_launch *launch = worker->launch;
  const struct interp_function *fn = launch->function;
  memcpy(item->local_id, local_id, sizeof item->local_id);
  item->steps_left = worker->module->max_steps ? worker->module->max_steps : UINT64_MAX;
  item->depth = 1;
  item->done = false;
  item->barrier = NULL;
  item->frames[0] = (struct interp_frame){.fn = fn, .words = item->words};
  const uint64_t *from = launch->params;
  for (uint32_t i = 0; i < launch->arg_count; i++) {
    uint32_t words = interp_words(fn->fn->params[i].type);
    uint64_t *to = item->words + fn->params[i];
    memcpy(to, from, words * sizeof *to);
    if (launch->args[i].space == KILN_LOCAL) // the pointer has the offset in local memory
      to[POINTER_ADDRESS] = to[POINTER_BASE] = (uintptr_t)worker->local_data + from[POINTER_ADDRESS];
    from += words;
  }
}

static uint64_t item_query(const struct interp_worker *worker, const struct interp_item *item, enum kiln_op op,
                           unsigned dim) {
  const struct kiln_drv_launch *launch = worker->launch;
  const uint64_t *local = worker->local_size;
  uint64_t index = (item->local_id[2] * local[1] + item->local_id[1]) * local[0] + item->local_id[0];
  uint64_t count = local[0] * local[1] * local[2], warp = worker->warp_size, first = index / warp * warp;
  switch (op) {
  case KILN_OP_SUB_GROUP_SIZE:
    return count - first < warp ? count - first : warp;
  case KILN_OP_MAX_SUB_GROUP_SIZE:
    return warp;
  case KILN_OP_NUM_SUB_GROUPS:
    return (count + warp - 1) / warp;
  case KILN_OP_SUB_GROUP_ID:
    return index / warp;
  case KILN_OP_SUB_GROUP_LOCAL_ID:
    return index % warp;
  case KILN_OP_GLOBAL_ID:
    return worker->group[dim] * launch->local[dim] + item->local_id[dim] + launch->offset[dim];
  case KILN_OP_LOCAL_ID:
    return item->local_id[dim];
  case KILN_OP_GROUP_ID:
    return worker->group[dim];
  case KILN_OP_GLOBAL_SIZE:
    return launch->global[dim];
  case KILN_OP_LOCAL_SIZE:
    return worker->local_size[dim];
  case KILN_OP_FULL_LOCAL_SIZE:
    return launch->local[dim];
  case KILN_OP_NUM_GROUPS:
    return launch->groups[dim];
  case KILN_OP_GLOBAL_OFFSET:
    return launch->offset[dim];
  case KILN_OP_NOALIAS:
    return launch->noalias;
  case KILN_OP_WORK_DIM:
    return launch->work_dim;
    KILN_CASES_FREE KILN_CASES_INT KILN_CASES_BOOL KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_COMPARE
        KILN_CASES_FCOMPARE KILN_CASES_VECTOR KILN_CASES_CONVERT KILN_CASES_MEMORY KILN_CASES_ATOMIC KILN_CASES_CALL
            KILN_CASES_FLOW KILN_CASES_GROUP KILN_CASES_IMAGE case KILN_OP_COUNT : break;
  }
  return 0; // CODE_ITEM is none of these
}

static uint32_t switch_target(const struct interp_switch *table, int64_t selector) {
  uint32_t low = 0, high = table->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (table->cases[middle] < selector)
      low = middle + 1;
    else
      high = middle;
  }
  return table->targets[low < table->count && table->cases[low] == selector ? low : table->count];
}

static void moves(const struct interp_worker *worker, const struct interp_function *fn, const struct interp_inst *inst,
                  uint64_t *words) {
  const uint32_t *list = fn->refs + inst->a;
  uint64_t *temp = worker->temp;
  for (uint64_t i = 0; i < inst->imm; i++) {
    memcpy(temp, interp_ref(worker, words, list[i * 3 + 1]), list[i * 3 + 2] * sizeof *temp);
    temp += list[i * 3 + 2];
  }
  temp = worker->temp;
  for (uint64_t i = 0; i < inst->imm; i++) {
    memcpy(words + list[i * 3], temp, list[i * 3 + 2] * sizeof *temp);
    temp += list[i * 3 + 2];
  }
}

static void enter(const struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                  struct interp_frame *caller) {
  const struct interp_function *fn = &worker->module->functions[inst->imm];
  struct interp_frame *callee = caller + 1;
  *callee = (struct interp_frame){
      .fn = fn,
      .return_to = inst->dst,
      .words = caller->words + caller->fn->words,
      .private_base = caller->private_base + caller->fn->private_bytes,
  };
  for (uint32_t i = 0; i < fn->fn->param_count; i++)
    memcpy(callee->words + fn->params[i], interp_ref(worker, caller->words, caller->fn->refs[inst->a + i]),
           interp_words(fn->fn->params[i].type) * sizeof(uint64_t));
  item->depth++;
}

static void var_op(struct interp_item *item, const struct interp_frame *frame, const struct interp_inst *inst) {
  const struct interp_var *var = &frame->fn->vars[inst->imm];
  uint64_t offset = frame->private_base + var->offset, address = (uintptr_t)item->private_data + offset;
  interp_set_pointer(frame->words + inst->dst, address, address, var->size,
                     interp_object_word(KILN_PRIVATE, var->object));
  memset(item->private_undefined + offset, 0xff, var->size);
}

static void local_address(const struct interp_worker *worker, const struct interp_inst *inst, uint64_t *words) {
  uint64_t address = (uintptr_t)worker->local_data + worker->module->local_offsets[inst->imm];
  interp_set_pointer(words + inst->dst, address, address, worker->module->objects[inst->imm].size,
                     interp_object_word(KILN_LOCAL, (uint32_t)inst->imm));
}

// Operations that touch nothing but values. False when kiln_eval refuses.
static bool pure_op(const struct interp_worker *worker, const struct interp_item *item,
                    const struct interp_frame *frame, const struct interp_inst *inst) {
  uint64_t *words = frame->words, *dst = words + inst->dst;
  const uint64_t *x = interp_ref(worker, words, inst->a), *y = interp_ref(worker, words, inst->b);
  switch (inst->code) {
  case CODE_INT:
    kiln_interp_int(inst, dst, x, y);
    return true;
  case CODE_F32:
    kiln_interp_f32(inst, dst, x, y, interp_ref(worker, words, inst->c));
    return true;
  case CODE_F64:
    kiln_interp_f64(inst, dst, x, y, interp_ref(worker, words, inst->c));
    return true;
  case CODE_PADD:
    interp_set_pointer(dst, x[POINTER_ADDRESS] + y[1] * inst->imm, x[POINTER_BASE], x[POINTER_SIZE], x[POINTER_OBJECT]);
    if (x[0] | y[0])
      interp_set_undefined(dst, 1, 0, UINT64_MAX);
    return true;
  case CODE_PTOI:
    memcpy(dst, x, 3 * sizeof *dst);
    return true;
  case CODE_PSPACE:
    dst[0] = 0;
    dst[1] = kiln_interp_space(worker, item, x);
    if (x[0])
      interp_set_undefined(dst, 1, 0, interp_mask(inst->bits));
    return true;
  case CODE_ITOP:
    interp_set_pointer(dst, x[1], 0, 0, x[1] ? INTERP_NO_OBJECT : INTERP_NULL);
    interp_set_undefined(dst, 1, 0, interp_undefined(x, 1, 0));
    return true;
  case CODE_MOVE:
    memmove(dst, x, inst->words * sizeof *dst);
    return true;
  case CODE_ITEM:
    dst[0] = 0;
    dst[1] = item_query(worker, item, inst->op, (unsigned)inst->imm);
    return true;
  case CODE_EVAL:
    return kiln_interp_eval(worker, frame->fn, inst, words);
  }
  kiln_interp_vector(worker, frame->fn, inst, words); // the rest: vector operations
  return true;
}

// Operations on memory and the like. False when one failed.
static bool effect_op(struct interp_worker *worker, struct interp_item *item, const struct interp_frame *frame,
                      const struct interp_inst *inst) {
  uint64_t *words = frame->words;
  switch (inst->code) {
  case CODE_LOCAL_ADDRESS:
    local_address(worker, inst, words);
    return true;
  case CODE_VAR:
    var_op(item, frame, inst);
    return true;
  case CODE_LOAD:
    return kiln_interp_load_op(worker, item, inst, words);
  case CODE_STORE:
    return kiln_interp_store_op(worker, item, inst, words);
  case CODE_COPY:
    return kiln_interp_copy_op(worker, item, inst, words);
  case CODE_FENCE:
    __sync_synchronize(); // not __atomic_thread_fence: gcc refuses it under the thread sanitizer
    return true;
  case CODE_PRINTF:
    return kiln_interp_printf_op(worker, item, inst, words);
  case CODE_IMAGE:
    return kiln_interp_image_op(worker, item, inst, words);
  case CODE_MOVES:
    moves(worker, frame->fn, inst, words);
    return true;
  case CODE_ASSUME: {
    const uint64_t *x = interp_ref(worker, words, inst->a);
    return x[0] || x[1] & 1 || kiln_interp_fail(worker, item, inst, "breaks an assumption of the source");
  }
  }
  return kiln_interp_atomic_op(worker, item, inst, words); // the rest
}

bool kiln_interp_stops(struct interp_worker *worker) {
  if (!kiln_host_stops(worker->stop))
    return false;
  worker->status =
      kiln_host_stopped(worker->stop, worker->launch->kernel->name, worker->message, sizeof worker->message);
  return true;
}

static bool undefined_condition(struct interp_worker *worker, const struct interp_item *item,
                                const struct interp_inst *inst) {
  return kiln_interp_fail_undefined(worker, item, inst, "branches on a value that was never initialised");
}

enum interp_stop kiln_interp_item_run(struct interp_worker *worker, struct interp_item *item) {
  struct interp_frame *frame = &item->frames[item->depth - 1];
  uint32_t pc = frame->pc;
  for (;;) {
    const struct interp_inst *inst = &frame->fn->code[pc++];
    if (!item->steps_left--) {
      kiln_interp_fail(worker, item, inst, "has run %llu steps, the limit that max-steps sets",
                       (unsigned long long)worker->module->max_steps);
      return STOP_FAILED;
    }
    if (inst->code <= CODE_ITEM || inst->code == CODE_MOVE) {
      if (pure_op(worker, item, frame, inst))
        continue;
      kiln_interp_fail(worker, item, inst, "does an operation that the interpreter cannot evaluate");
      return STOP_FAILED;
    }
    if (inst->code <= CODE_ASSUME || inst->code == CODE_MOVES) {
      if (effect_op(worker, item, frame, inst))
        continue;
      return STOP_FAILED;
    }
    const uint64_t *x = interp_ref(worker, frame->words, inst->a);
    switch (inst->code) {
    case CODE_JUMP:
      if (inst->imm < pc && kiln_interp_stops(worker)) // the end of a loop's iteration
        return STOP_FAILED;
      pc = (uint32_t)inst->imm;
      break;
    case CODE_JUMP_FALSE:
      if (x[0] && !undefined_condition(worker, item, inst))
        return STOP_FAILED;
      if (!(x[1] & 1))
        pc = (uint32_t)inst->imm;
      break;
    case CODE_SWITCH:
      if (x[0] && !undefined_condition(worker, item, inst))
        return STOP_FAILED;
      pc = switch_target(&frame->fn->switches[inst->imm], interp_sext(x[1], inst->bits));
      break;
    case CODE_CALL:
      frame->pc = pc;
      enter(worker, item, inst, frame++);
      pc = 0;
      break;
    case CODE_RETURN:
      if (--item->depth == 0) {
        item->done = true;
        return STOP_DONE;
      }
      memcpy(frame[-1].words + frame->return_to, x, inst->words * sizeof *x);
      frame--;
      pc = frame->pc;
      break;
    case CODE_COUNT:
      frame->words[inst->dst] = inst->imm ? frame->words[inst->dst] + 1 : 0;
      frame->bypassed &= ~frame->fn->loops[inst->c].bypasses;
      break;
    case CODE_BYPASS:
      frame->bypassed |= (uint64_t)1 << inst->imm;
      frame->ever |= (uint64_t)1 << inst->imm;
      break;
    case CODE_LEAVE:
      frame->left = pc;
      break;
    case CODE_BARRIER:
    case CODE_CROSS:
      frame->pc = pc;
      item->barrier = inst;
      return STOP_BARRIER;
    case CODE_UNREACHABLE:
      kiln_interp_fail(worker, item, inst, "reaches a place that the source says cannot be reached");
      return STOP_FAILED;
    }
  }
}
