// Images become pointers, records and calls of library functions, for backends that do not take operations on them
// (docs/images.md, "Lowering"). Requires that the front end has put the library functions into the module. Later passes
// and the backend know nothing of images.
#include <stddef.h>
#include <string.h>

#include "jit/ir/images.h"
#include "jit/pass/common.h"
#include "kiln/pixel.h"

struct lowering {
  struct kiln_module *module;
  struct kiln_arena *arena;
  char missing[KILN_IMAGE_LIBRARY_NAME_SIZE]; // a library function that the module lacks; "": none
  bool changed;
};

// ---- parameters -----------------------------------------------------------------------------------------------------

// What takes the place of each image parameter of a function, by its number.
struct image_param {
  kiln_type image;   // 0: the parameter is no image
  kiln_value record; // a pointer to struct kiln_image_record
};

// Image parameters become pointers in their places, and their records follow after the last parameter.
static struct image_param *replace_params(struct lowering *l, struct kiln_function *fn) {
  uint32_t images = 0, old = fn->param_count;
  for (uint32_t i = 0; i < old; i++)
    images += kiln_type_kind(fn->params[i].type) == KILN_IMAGE;
  if (!images)
    return NULL;
  struct image_param *out = KILN_NEW_ARRAY(l->arena, struct image_param, old);
  struct kiln_param *params = kiln_ir_alloc(l->module, (old + images) * sizeof *params, _Alignof(struct kiln_param));
  if (!params)
    return NULL;
  memcpy(params, fn->params, old * sizeof *params);
  fn->params = params;
  for (uint32_t i = 0; i < old; i++) {
    struct kiln_param *param = &params[i];
    if (kiln_type_kind(param->type) != KILN_IMAGE)
      continue;
    enum kiln_access access = kiln_type_access(param->type);
    out[i].image = param->type;
    param->image = fn->is_kernel ? (uint8_t)(KILN_PARAM_IMAGE + kiln_type_dimension(param->type)) : 0;
    param->type = fn->insts[param->value].type = kiln_ptr_type(KILN_GLOBAL);
    param->is_const = access == KILN_ACCESS_READ;
    param->is_restrict = access != KILN_ACCESS_READ_WRITE;
    param->access = access;
    kiln_type pointer = kiln_ptr_type(KILN_CONSTANT);
    out[i].record = kiln_free_value(fn, KILN_OP_PARAM, pointer, NULL, 0, fn->param_count);
    params[fn->param_count++] = (struct kiln_param){.name = "",
                                                    .type_name = "",
                                                    .type = pointer,
                                                    .value = out[i].record,
                                                    .byval_bytes = fn->is_kernel ? sizeof(struct kiln_image_record) : 0,
                                                    .align = _Alignof(struct kiln_image_record),
                                                    .is_const = true,
                                                    .image = fn->is_kernel ? KILN_PARAM_RECORD : 0};
  }
  l->changed = true;
  return out;
}

// ---- operations -----------------------------------------------------------------------------------------------------

// An operation that is being replaced.
struct operation {
  struct kiln_builder b; // before it
  kiln_value id;
  kiln_type image;
  kiln_value pointer, record;
};

static kiln_value number(struct operation *op, int32_t value) {
  return kiln_const(op->b.fn, kiln_scalar_type(KILN_I32), (uint32_t)value);
}

static kiln_value field(struct operation *op, size_t offset, enum kiln_kind kind) {
  kiln_value at = kiln_const(op->b.fn, kiln_scalar_type(KILN_I64), offset);
  kiln_value address = kiln_build_padd(&op->b, op->record, at, 1);
  return kiln_build_load(&op->b, kiln_scalar_type(kind), address, kiln_kind_bits(kind) / 8, 0);
}
#define FIELD(op, name, kind) field(op, offsetof(struct kiln_image_record, name), kind)

static kiln_value vector(struct operation *op, const kiln_value lanes[4]) {
  kiln_type type = kiln_type_with_lanes(kiln_value_type(op->b.fn, lanes[0]), 4);
  return kiln_build(&op->b, KILN_OP_VEC, type, lanes, 4, 0, 0, 0);
}

// The pointer, sizes and format that each library function begins with.
static void describe(struct operation *op, kiln_value out[5]) {
  enum kiln_image_dimension dimension = kiln_type_dimension(op->image);
  unsigned layered = kiln_image_is_array(dimension), dims = kiln_image_coordinates(dimension) - layered;
  kiln_value one = number(op, 1);
  kiln_value size[] = {FIELD(op, width, KILN_I32), dims > 1 ? FIELD(op, height, KILN_I32) : one,
                       dims > 2 ? FIELD(op, depth, KILN_I32) : one, layered ? FIELD(op, layers, KILN_I32) : one};
  kiln_value format[] = {FIELD(op, order, KILN_I32), FIELD(op, type, KILN_I32), number(op, (int32_t)dims),
                         number(op, (int32_t)layered)};
  out[0] = op->pointer;
  out[1] = vector(op, size);
  out[2] = vector(op, format);
  out[3] = FIELD(op, row, KILN_I64);
  out[4] = FIELD(op, slice, KILN_I64);
}

// Three coordinates and the layer, 0 for those that the image does not have.
static kiln_value place(struct operation *op, const kiln_value *coordinates) {
  enum kiln_image_dimension dimension = kiln_type_dimension(op->image);
  unsigned layered = kiln_image_is_array(dimension), dims = kiln_image_coordinates(dimension) - layered;
  kiln_value zero = kiln_const(op->b.fn, kiln_value_type(op->b.fn, coordinates[0]), 0), at[] = {zero, zero, zero, zero};
  for (unsigned d = 0; d < dims; d++)
    at[d] = coordinates[d];
  if (layered)
    at[3] = coordinates[dims];
  return vector(op, at);
}

// A call of the library function for the operation. 0: the module lacks the function, whose name is then in missing.
static kiln_value call(struct lowering *l, struct operation *op, const kiln_value *args, uint32_t count) {
  char name[KILN_IMAGE_LIBRARY_NAME_SIZE];
  kiln_image_library_name(op->b.fn, op->id, name, sizeof name);
  for (uint32_t i = 0; i < l->module->function_count; i++)
    if (strcmp(l->module->functions[i]->name, name) == 0 && l->module->functions[i]->param_count == count)
      return kiln_build_call(&op->b, i, args, count);
  memcpy(l->missing, name, sizeof name);
  return 0;
}

static kiln_value read(struct lowering *l, struct operation *op) {
  struct kiln_function *fn = op->b.fn;
  bool is_sampled = fn->insts[op->id].flags & KILN_IMAGE_SAMPLED;
  kiln_type type = fn->insts[op->id].type;
  kiln_value args[7];
  describe(op, args);
  args[5] = is_sampled ? kiln_operands(fn, op->id)[1] : number(op, KILN_SAMPLER_NEAREST);
  kiln_value coordinates[3];
  memcpy(coordinates, kiln_operands(fn, op->id) + 1 + is_sampled,
         kiln_image_coordinates(kiln_type_dimension(op->image)) * sizeof *coordinates);
  args[6] = place(op, coordinates);
  kiln_value pixel = call(l, op, args, 7);
  if (pixel && kiln_type_lanes(type) == 1)
    return kiln_build(&op->b, KILN_OP_EXTRACT, type, (kiln_value[]){pixel, number(op, 0)}, 2, 0, 0, 0);
  return pixel && kiln_type_kind(type) == KILN_F16 ? kiln_build1(&op->b, KILN_OP_FTOF, type, pixel) : pixel;
}

static void write(struct lowering *l, struct operation *op) {
  struct kiln_function *fn = op->b.fn;
  unsigned count = kiln_image_coordinates(kiln_type_dimension(op->image));
  kiln_value args[7], operands[5];
  memcpy(operands, kiln_operands(fn, op->id), (2 + count) * sizeof *operands);
  kiln_value pixel = operands[1 + count];
  kiln_type type = kiln_value_type(fn, pixel), floats = kiln_vec_type(KILN_F32, 4);
  describe(op, args);
  args[5] = place(op, operands + 1);
  if (kiln_type_lanes(type) == 1) {
    kiln_value zero = kiln_const(fn, type, 0);
    pixel = vector(op, (kiln_value[]){pixel, zero, zero, zero});
  } else if (kiln_type_kind(type) == KILN_F16) {
    pixel = kiln_build1(&op->b, KILN_OP_FTOF, floats, pixel);
  }
  args[6] = pixel;
  call(l, op, args, 7);
}

static kiln_value query(struct operation *op) {
  switch ((enum kiln_image_query)op->b.fn->insts[op->id].imm) {
  case KILN_IMAGE_WIDTH:
    return FIELD(op, width, KILN_I32);
  case KILN_IMAGE_HEIGHT:
    return FIELD(op, height, KILN_I32);
  case KILN_IMAGE_DEPTH:
    return FIELD(op, depth, KILN_I32);
  case KILN_IMAGE_LAYERS:
    return FIELD(op, layers, KILN_I32);
  case KILN_IMAGE_ORDER:
    return FIELD(op, order, KILN_I32);
  case KILN_IMAGE_TYPE:
    return kiln_build2(&op->b, KILN_OP_AND, FIELD(op, type, KILN_I32), number(op, ~KILN_IMAGE_IS_SMALL));
  }
  return 0;
}

// ---- functions ------------------------------------------------------------------------------------------------------

// Adds the records of images to the arguments of a call, after the last argument. The images are pointers already.
static void extend_call(struct kiln_function *fn, kiln_value call, const struct image_param *images) {
  uint32_t count = fn->insts[call].operand_count;
  for (uint32_t i = 0; i < count; i++) {
    const struct kiln_inst *arg = &fn->insts[kiln_operands(fn, call)[i]];
    if (arg->op == KILN_OP_PARAM && images[arg->imm].image)
      kiln_add_operand(fn, call, images[arg->imm].record);
  }
}

static void lower_function(struct lowering *l, struct kiln_function *fn) {
  uint32_t params = fn->param_count;
  const struct image_param *images = replace_params(l, fn);
  if (!images)
    return;
  struct kiln_replaced replaced = kiln_replaced_new(fn, l->arena);
  for (kiln_value id = fn->regions[fn->body].first, next; id && !l->missing[0]; id = next) {
    next = kiln_walk_next(fn, id);
    enum kiln_op code = kiln_op_of(&fn->insts[id]);
    if (code == KILN_OP_CALL)
      extend_call(fn, id, images);
    if (kiln_op_family(code) != KILN_FAMILY_IMAGE)
      continue;
    kiln_value image = kiln_operands(fn, id)[0];
    uint32_t param = (uint32_t)fn->insts[image].imm;
    if (fn->insts[image].op != KILN_OP_PARAM || param >= params)
      continue; // of a module that is out of memory
    struct operation op = {kiln_builder_before(fn, id), id, images[param].image, image, images[param].record};
    if (code == KILN_OP_IMAGE_WRITE)
      write(l, &op);
    else
      replaced.by[id] = code == KILN_OP_IMAGE_READ ? read(l, &op) : query(&op);
    kiln_unlink(fn, id);
  }
  kiln_resolve_all(fn, &replaced);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct lowering *l = subject;
  l->arena = arena;
  uint32_t count = l->module->function_count;
  for (uint32_t i = 0; i < count && !l->missing[0] && !kiln_module_failed(l->module); i++)
    lower_function(l, l->module->functions[i]);
  return l->changed;
}

bool kiln_pass_images(struct kiln_module *module, char missing[KILN_IMAGE_LIBRARY_NAME_SIZE]) {
  struct lowering l = {.module = module};
  bool changed = kiln_module_has_images(module) && kiln_pass_scratch(module, &l, run);
  memcpy(missing, l.missing, sizeof l.missing);
  return changed;
}

// ---- kernels without their bodies -----------------------------------------------------------------------------------

// A store to each local variable of the kernel, so that what remains has as much local memory.
static void touch_local_memory(struct kiln_function *fn) {
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  uint32_t count = fn->inst_count;
  for (kiln_value id = 1; id < count; id++)
    if (fn->insts[id].op == KILN_OP_GLOBAL && fn->module->globals[fn->insts[id].imm].space == KILN_LOCAL)
      kiln_build_store(&b, id, kiln_const(fn, kiln_scalar_type(KILN_I8), 0), 1, 0);
}

static bool empty(void *subject, struct kiln_arena *arena) {
  struct lowering *l = subject;
  l->arena = arena;
  for (uint32_t i = 0; i < l->module->function_count; i++) {
    struct kiln_function *fn = l->module->functions[i];
    if (!replace_params(l, fn))
      continue;
    while (fn->regions[fn->body].first)
      kiln_remove(fn, fn->regions[fn->body].first);
    touch_local_memory(fn);
    struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
    if (fn->is_kernel)
      kiln_build_return(&b, 0);
    else // which no kernel calls now
      kiln_build(&b, KILN_OP_UNREACHABLE, KILN_VOID, NULL, 0, 0, 0, 0);
  }
  return l->changed;
}

bool kiln_pass_image_stubs(struct kiln_module *module) {
  struct lowering l = {.module = module};
  return kiln_pass_scratch(module, &l, empty);
}
