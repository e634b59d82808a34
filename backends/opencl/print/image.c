// Images and samplers of the device. An image is a parameter, or an argument that is one; a sampler is an i32 in the
// IR, but a type of its own in OpenCL C: as a parameter it has that type, as a constant it is a variable of program
// scope.
#include "backends/opencl/print/print.h"
#include "kiln/pixel.h"

// ---- types

static const struct {
  const char *type;
  unsigned version; // of OpenCL C that has it
  uint8_t coordinates;
} dimensions[] = {
    [KILN_IMAGE_1D] = {"image1d_t", 120, 1},
    [KILN_IMAGE_1D_BUFFER] = {"image1d_buffer_t", 120, 1},
    [KILN_IMAGE_1D_ARRAY] = {"image1d_array_t", 120, 2},
    [KILN_IMAGE_2D] = {"image2d_t", 110, 2},
    [KILN_IMAGE_2D_ARRAY] = {"image2d_array_t", 120, 3},
    [KILN_IMAGE_3D] = {"image3d_t", 110, 3},
    [KILN_IMAGE_2D_DEPTH] = {"image2d_depth_t", 120, 2},
    [KILN_IMAGE_2D_ARRAY_DEPTH] = {"image2d_array_depth_t", 120, 3},
};

const char *kiln_cl_image_type(struct cl_printer *p, kiln_type type) {
  static const char *const qualifiers[] = {
      [KILN_ACCESS_READ] = "read_only", [KILN_ACCESS_WRITE] = "write_only", [KILN_ACCESS_READ_WRITE] = "read_write"};
  enum kiln_image_dimension dimension = kiln_type_dimension(type);
  enum kiln_access access = kiln_type_access(type);
  const char *name = kiln_cl_format(p, "%s %s", qualifiers[access], dimensions[dimension].type);
  bool is_depth = dimension == KILN_IMAGE_2D_DEPTH || dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
  kiln_cl_need_version(p, dimensions[dimension].version);
  if (access == KILN_ACCESS_READ_WRITE && !p->options.features.read_write_images)
    kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "'%s' has an image of type %s, and %s has no images to read and write",
                 p->fn->name, name, p->options.device);
  else if (access == KILN_ACCESS_READ_WRITE)
    kiln_cl_need_version(p, 200);
  if (dimension == KILN_IMAGE_3D && access != KILN_ACCESS_READ)
    kiln_cl_need_extension(p, CL_EXT_3D_IMAGE_WRITES);
  if (is_depth)
    kiln_cl_need_extension(p, CL_EXT_DEPTH_IMAGES);
  return name;
}

// ---- samplers

static bool is_call(const struct kiln_inst *inst) { return inst->region && inst->op == KILN_OP_CALL; }

// What a value that goes into a sampler's place says of the parameter that it is.
static bool mark(struct cl_printer *p, uint32_t function, kiln_value value) {
  const struct kiln_inst *inst = &p->module->functions[function]->insts[value];
  if (inst->op != KILN_OP_PARAM || p->samplers[function][inst->imm])
    return false;
  return p->samplers[function][inst->imm] = true;
}

// A sampler goes through calls, so that the parameter on one side of a call is one where that on the other side is.
static bool mark_call(struct cl_printer *p, uint32_t caller, kiln_value call) {
  const struct kiln_function *fn = p->module->functions[caller];
  uint32_t callee = (uint32_t)fn->insts[call].imm;
  bool changed = false;
  for (uint32_t i = 0; i < fn->insts[call].operand_count; i++) {
    kiln_value argument = kiln_operands(fn, call)[i];
    const struct kiln_inst *inst = &fn->insts[argument];
    bool is_sampler = inst->op == KILN_OP_PARAM && p->samplers[caller][inst->imm];
    if (p->samplers[callee][i])
      changed |= mark(p, caller, argument);
    else if (is_sampler)
      changed |= p->samplers[callee][i] = true;
  }
  return changed;
}

void kiln_cl_find_samplers(struct cl_printer *p) {
  const struct kiln_module *module = p->module;
  p->samplers = KILN_NEW_ARRAY(&p->arena, bool *, module->function_count + 1);
  for (uint32_t f = 0; f < module->function_count; f++) {
    const struct kiln_function *fn = module->functions[f];
    p->samplers[f] = KILN_NEW_ARRAY(&p->arena, bool, fn->param_count + 1);
    for (uint32_t i = 0; i < fn->param_count; i++)
      p->samplers[f][i] = p->options.features.images && fn->params[i].image == KILN_PARAM_SAMPLER;
    for (kiln_value id = 1; id < fn->inst_count; id++)
      if (fn->insts[id].region && fn->insts[id].op == KILN_OP_IMAGE_READ && fn->insts[id].flags & KILN_IMAGE_SAMPLED)
        mark(p, f, kiln_operands(fn, id)[1]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t f = 0; f < module->function_count; f++)
      for (kiln_value id = 1; id < module->functions[f]->inst_count; id++)
        if (is_call(&module->functions[f]->insts[id]))
          changed |= mark_call(p, f, id);
  }
}

static const char *constant_sampler(struct cl_printer *p, uint32_t bits) {
  p->sampler_words |= (uint64_t)1 << (bits & 63);
  return kiln_cl_format(p, "kiln_sampler_%x", (unsigned)bits);
}

struct cl_text kiln_cl_sampler(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  uint32_t bits = (uint32_t)inst->imm, mode = bits & KILN_SAMPLER_ADDRESS;
  if (inst->op == KILN_OP_PARAM)
    return kiln_cl_primary(kiln_cl_var(p, value)->name, CL_ANY);
  if (inst->op != KILN_OP_CONST)
    return kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s has a sampler that is neither a constant nor a parameter",
                        kiln_cl_where(p, p->at));
  uint32_t filter = bits & (KILN_SAMPLER_NEAREST | KILN_SAMPLER_LINEAR);
  if (bits > 63 || mode > KILN_SAMPLER_MIRRORED_REPEAT ||
      (filter != KILN_SAMPLER_NEAREST && filter != KILN_SAMPLER_LINEAR))
    return kiln_cl_fail(p, KILN_ERR_UNSUPPORTED, "%s has 0x%x for a sampler, which is none", kiln_cl_where(p, p->at),
                        (unsigned)bits);
  return kiln_cl_primary(constant_sampler(p, bits), CL_ANY);
}

void kiln_cl_write_samplers(struct cl_printer *p, struct kiln_strbuf *out) {
  static const char *const modes[] = {"NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"};
  for (unsigned bits = 0; bits < 64; bits++)
    if (p->sampler_words >> bits & 1)
      kiln_strbuf_printf(out,
                         "constant sampler_t kiln_sampler_%x = CLK_NORMALIZED_COORDS_%s | CLK_ADDRESS_%s | "
                         "CLK_FILTER_%s;\n",
                         bits, bits & KILN_SAMPLER_NORMALIZED ? "TRUE" : "FALSE",
                         modes[(bits & KILN_SAMPLER_ADDRESS) / 2], bits & KILN_SAMPLER_LINEAR ? "LINEAR" : "NEAREST");
  if (p->sampler_words)
    kiln_strbuf_putc(out, '\n');
}

// ---- operations

// What functions of pixels end with: "f", "h", "i", "ui".
static const char *suffix(struct cl_printer *p, kiln_type pixel, uint32_t flags) {
  if (kiln_kind_is_int(kiln_type_kind(pixel)))
    return flags & KILN_IMAGE_UNSIGNED ? "ui" : "i";
  if (kiln_type_kind(pixel) == KILN_F32 || p->half_emulated)
    return "f";
  kiln_cl_need_extension(p, CL_EXT_FP16);
  return "h";
}

static bool is_soft_half(const struct cl_printer *p, kiln_type type) {
  return p->half_emulated && kiln_type_kind(type) == KILN_F16;
}

static enum cl_sign pixel_sign(kiln_type pixel, uint32_t flags) {
  if (!kiln_kind_is_int(kiln_type_kind(pixel)))
    return CL_ANY;
  return flags & KILN_IMAGE_UNSIGNED ? CL_UNSIGNED : CL_SIGNED;
}

// "(int2)(x, y)"; of three there are four.
static const char *place(struct cl_printer *p, kiln_value value, uint32_t first, kiln_type image) {
  const kiln_value *operands = kiln_operands(p->fn, value) + first;
  unsigned count = dimensions[kiln_type_dimension(image)].coordinates;
  bool floats = kiln_type_kind(kiln_value_type(p->fn, operands[0])) == KILN_F32;
  const char *list = kiln_cl_expr(p, operands[0], CL_SIGNED).s;
  for (unsigned i = 1; i < count; i++)
    list = kiln_cl_format(p, "%s, %s", list, kiln_cl_expr(p, operands[i], CL_SIGNED).s);
  if (count == 1)
    return list;
  unsigned lanes = count == 3 ? 4 : count;
  return kiln_cl_vector(p, kiln_cl_format(p, "%s%u", floats ? "float" : "int", lanes),
                        count == 3 ? kiln_cl_format(p, "%s, 0", list) : list, CL_SIGNED)
      .s;
}

// Whether the format of an image is one of integers without sign, where it is one of integers.
static const char *has_no_sign(struct cl_printer *p, kiln_value image) {
  return kiln_cl_format(p, "get_image_channel_data_type(%s) >= CLK_UNSIGNED_INT8", kiln_cl_expr(p, image, CL_ANY).s);
}

static struct cl_text read(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const kiln_value *operands = kiln_operands(p->fn, value);
  bool is_sampled = inst->flags & KILN_IMAGE_SAMPLED;
  const char *list = kiln_cl_expr(p, operands[0], CL_ANY).s;
  if (is_sampled)
    list = kiln_cl_format(p, "%s, %s", list, kiln_cl_sampler(p, operands[1]).s);
  else
    kiln_cl_need_version(p, 120);
  list = kiln_cl_format(p, "%s, %s", list, place(p, value, 1 + is_sampled, kiln_value_type(p->fn, operands[0])));
  if (inst->flags & KILN_IMAGE_ANY_SIGN)
    return kiln_cl_call(
        p, "",
        kiln_cl_format(p, "%s ? as_int4(read_imageui(%s)) : read_imagei(%s)", has_no_sign(p, operands[0]), list, list),
        CL_SIGNED);
  struct cl_text text = kiln_cl_call(p, kiln_cl_format(p, "read_image%s", suffix(p, inst->type, inst->flags)), list,
                                     pixel_sign(inst->type, inst->flags));
  if (!is_soft_half(p, inst->type))
    return text;
  const char *rounded = kiln_cl_helper(p, CL_HELPER_FLOAT_TO_HALF, inst->type, CL_ANY, KILN_ROUND_EVEN);
  return kiln_cl_call(p, rounded, text.s, CL_UNSIGNED);
}

static struct cl_text write(struct cl_printer *p, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(p->fn, value);
  const kiln_value *operands = kiln_operands(p->fn, value);
  kiln_value pixel = operands[inst->operand_count - 1];
  kiln_type type = kiln_value_type(p->fn, pixel);
  struct cl_text text = kiln_cl_expr(p, pixel, pixel_sign(type, inst->flags));
  if (is_soft_half(p, type))
    text = kiln_cl_call(p, kiln_cl_helper(p, CL_HELPER_HALF_TO_FLOAT, type, CL_ANY, 0), text.s, CL_ANY);
  const char *at = kiln_cl_format(p, "%s, %s", kiln_cl_expr(p, operands[0], CL_ANY).s,
                                  place(p, value, 1, kiln_value_type(p->fn, operands[0])));
  const char *list = kiln_cl_format(p, "%s, %s", at, text.s);
  if (inst->flags & KILN_IMAGE_ANY_SIGN)
    return kiln_cl_call(p, "",
                        kiln_cl_format(p, "%s ? write_imageui(%s, as_uint4(%s)) : write_imagei(%s)",
                                       has_no_sign(p, operands[0]), at, text.s, list),
                        CL_ANY);
  return kiln_cl_call(p, kiln_cl_format(p, "write_image%s", suffix(p, type, inst->flags)), list, CL_ANY);
}

static struct cl_text query(struct cl_printer *p, kiln_value value) {
  static const char *const names[] = {
      [KILN_IMAGE_WIDTH] = "width",       [KILN_IMAGE_HEIGHT] = "height",       [KILN_IMAGE_DEPTH] = "depth",
      [KILN_IMAGE_LAYERS] = "array_size", [KILN_IMAGE_ORDER] = "channel_order", [KILN_IMAGE_TYPE] = "channel_data_type",
  };
  uint64_t what = kiln_inst(p->fn, value)->imm;
  const char *name = kiln_cl_format(p, "get_image_%s", names[what]);
  struct cl_text text = kiln_cl_call(p, name, kiln_cl_expr(p, kiln_operands(p->fn, value)[0], CL_ANY).s, CL_SIGNED);
  return what == KILN_IMAGE_LAYERS ? kiln_cl_cast(p, "int", text, CL_SIGNED) : text; // of size_t
}

struct cl_text kiln_cl_image(struct cl_printer *p, kiln_value value) {
  switch (kiln_inst(p->fn, value)->op) {
  case KILN_OP_IMAGE_READ:
    return read(p, value);
  case KILN_OP_IMAGE_WRITE:
    return write(p, value);
  }
  return query(p, value);
}

// ---- what launches give

static enum cl_arg_letter letter_of(const struct cl_printer *p, uint32_t function, uint32_t param) {
  if (kiln_type_kind(p->module->functions[function]->params[param].type) == KILN_IMAGE)
    return KILN_CL_ARG_IMAGE;
  return p->samplers[function][param] ? KILN_CL_ARG_SAMPLER : KILN_CL_ARG_PLAIN;
}

void kiln_cl_write_args(struct cl_printer *p, struct kiln_strbuf *out) {
  const struct kiln_module *module = p->module;
  bool all_plain = true;
  for (uint32_t f = 0; f < module->function_count; f++) {
    const struct kiln_function *fn = module->functions[f];
    for (uint32_t i = 0; i < fn->param_count && fn->is_kernel; i++) {
      kiln_strbuf_putc(out, (char)letter_of(p, f, i));
      all_plain &= letter_of(p, f, i) == KILN_CL_ARG_PLAIN;
    }
    if (fn->is_kernel)
      kiln_strbuf_putc(out, 0);
  }
  if (all_plain)
    kiln_strbuf_free(out);
}
