// Images. What reads, writes and asks is a call of a function in OpenCL C, such as
//   float4 __kiln_spv3(read_only image2d_t p0, sampler_t p1, float2 p2) { return read_imagef(p0, p1, p2); }
// so that coordinates, formats and samplers mean what they mean there. An image is a parameter, whatever variables of
// the function it has gone through; OpSampledImage stands for its operands.
#include "jit/ir/images.h"

#include "jit/spirv/function.h"
#include "jit/spirv/library.h"
#include "jit/spirv/text.h"

static bool is_query(uint16_t op) { return op >= KILN_SPV_OpImageQueryFormat; }

// ---- types ---------------------------------------------------------------------------------------------------------

bool kiln_spv_image_type(const struct kiln_spv_inst *inst, kiln_type *out) {
  static const struct {
    uint8_t dim, is_array, is_depth, dimension;
  } images[] = {
      {KILN_SPV_Dim_1D, 0, 0, KILN_IMAGE_1D},       {KILN_SPV_Dim_Buffer, 0, 0, KILN_IMAGE_1D_BUFFER},
      {KILN_SPV_Dim_1D, 1, 0, KILN_IMAGE_1D_ARRAY}, {KILN_SPV_Dim_2D, 0, 0, KILN_IMAGE_2D},
      {KILN_SPV_Dim_2D, 1, 0, KILN_IMAGE_2D_ARRAY}, {KILN_SPV_Dim_3D, 0, 0, KILN_IMAGE_3D},
      {KILN_SPV_Dim_2D, 0, 1, KILN_IMAGE_2D_DEPTH}, {KILN_SPV_Dim_2D, 1, 1, KILN_IMAGE_2D_ARRAY_DEPTH},
  };
  static const uint8_t accesses[] = {KILN_ACCESS_READ, KILN_ACCESS_WRITE, KILN_ACCESS_READ_WRITE};
  const uint32_t *operands = inst->operands; // type, Dim, Depth, Arrayed, MS, Sampled, format, access
  uint32_t access = inst->count > 7 ? operands[7] : 0;
  if (operands[4] || access >= sizeof accesses) // several samples per pixel
    return false;
  for (size_t i = 0; i < sizeof images / sizeof *images; i++)
    if (images[i].dim == operands[1] && images[i].is_depth == operands[2] && images[i].is_array == operands[3]) {
      *out = kiln_image_type((enum kiln_image_dimension)images[i].dimension, (enum kiln_access)accesses[access]);
      return true;
    }
  return false;
}

const char *kiln_spv_image_name(kiln_type image) {
  static const char names[][24] = {
      [KILN_IMAGE_1D] = "image1d_t",
      [KILN_IMAGE_1D_BUFFER] = "image1d_buffer_t",
      [KILN_IMAGE_1D_ARRAY] = "image1d_array_t",
      [KILN_IMAGE_2D] = "image2d_t",
      [KILN_IMAGE_2D_ARRAY] = "image2d_array_t",
      [KILN_IMAGE_3D] = "image3d_t",
      [KILN_IMAGE_2D_DEPTH] = "image2d_depth_t",
      [KILN_IMAGE_2D_ARRAY_DEPTH] = "image2d_array_depth_t",
  };
  return names[kiln_type_dimension(image)];
}

// ---- operands ------------------------------------------------------------------------------------------------------

// The type of the image of an instruction, which has been checked.
static kiln_type image_of(const struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_type *type = spv->ids[inst->operands[0]].type;
  return type->kind == KILN_SPV_SAMPLED_IMAGE ? type->element->ir : type->ir;
}

// The mask of image operands; 0: the instruction has no such operands.
static uint32_t mask_of(const struct kiln_spv_inst *inst) {
  uint32_t at = inst->op == KILN_SPV_OpImageWrite ? 3 : 2;
  return !is_query(inst->op) && at < inst->count ? inst->operands[at] : 0;
}

// Image, sampler, coordinates and pixel, as far as the instruction has them; returns their number.
static uint32_t args_of(const struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t out[4]) {
  uint32_t count = 0;
  if (inst->op == KILN_SPV_OpImageSampleExplicitLod) {
    const struct kiln_spv_inst *sampled = spv->ids[inst->operands[0]].inst;
    out[count++] = sampled->operands[0];
    out[count++] = sampled->operands[1];
  } else {
    out[count++] = inst->operands[0];
  }
  if (!is_query(inst->op))
    out[count++] = inst->operands[1];
  if (inst->op == KILN_SPV_OpImageWrite)
    out[count++] = inst->operands[2];
  return count;
}

// ---- what the letters of operands.def cannot say --------------------------------------------------------------------

static void check_access(struct kiln_spv *spv, const struct kiln_spv_inst *inst, kiln_type image) {
  const uint32_t known = KILN_SPV_ImageOperands_Lod | KILN_SPV_ImageOperands_Grad | // there are no mipmaps
                         KILN_SPV_ImageOperands_SignExtend | KILN_SPV_ImageOperands_ZeroExtend |
                         KILN_SPV_ImageOperands_Nontemporal;
  bool writes = inst->op == KILN_SPV_OpImageWrite, samples = inst->op == KILN_SPV_OpImageSampleExplicitLod;
  enum kiln_access access = kiln_type_access(image);
  if (access == (writes ? KILN_ACCESS_READ : KILN_ACCESS_WRITE) || (samples && access != KILN_ACCESS_READ))
    kiln_spv_fail(spv, inst, "the image is not declared to be %s", writes ? "written" : "read");
  if (mask_of(inst) & ~known)
    kiln_spv_fail(spv, inst, "the image operands 0x%x are not supported", mask_of(inst) & ~known);
  kiln_type at = spv->ids[inst->operands[1]].type->ir;
  unsigned wanted = kiln_image_coordinates(kiln_type_dimension(image));
  if (kiln_type_lanes(at) < wanted || (!samples && kiln_type_kind(at) != KILN_I32))
    kiln_spv_fail(spv, inst, "the coordinates are %s, and an %s takes %u%s",
                  kiln_spv_type_text(spv, spv->ids[inst->operands[1]].type), kiln_spv_image_name(image), wanted,
                  samples ? "" : " integers");
  const struct kiln_spv_type *pixel = spv->ids[writes ? inst->operands[2] : inst->id].type;
  enum kiln_kind kind = kiln_type_kind(pixel->ir);
  bool is_depth = kiln_image_is_depth(kiln_type_dimension(image));
  bool is_number = kind == KILN_F32 || (!is_depth && (kind == KILN_F16 || kind == KILN_I32));
  if (!is_number || pixel->odd_bits ||
      (kiln_type_lanes(pixel->ir) != 4 && !(is_depth && pixel->kind == KILN_SPV_FLOAT)))
    kiln_spv_fail(spv, inst, "%s is no pixel of an %s", kiln_spv_type_text(spv, pixel), kiln_spv_image_name(image));
}

void kiln_spv_check_image(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_place *place) {
  const struct kiln_spv_id *operand = &spv->ids[inst->operands[0]];
  const struct kiln_spv_type *result = inst->type ? spv->ids[inst->type].type : NULL;
  if (operand->type->kind == KILN_SPV_SAMPLED_IMAGE && // whose operands are looked up where it is used
      (operand->inst->op != KILN_SPV_OpSampledImage || operand->block != place->block))
    kiln_spv_fail(spv, inst, "%s is no OpSampledImage of this block", kiln_spv_id_text(spv, inst->operands[0]));
  switch (inst->op) {
  case KILN_SPV_OpSampledImage:
  case KILN_SPV_OpImage: {
    const struct kiln_spv_type *a = inst->op == KILN_SPV_OpImage ? operand->type : result;
    const struct kiln_spv_type *b = inst->op == KILN_SPV_OpImage ? result : operand->type;
    if (!kiln_spv_same_type(a->element, b))
      kiln_spv_fail(spv, inst, "the result is of another image");
    break;
  }
  case KILN_SPV_OpImageQuerySizeLod:
  case KILN_SPV_OpImageQuerySize: {
    unsigned wanted = kiln_image_coordinates(kiln_type_dimension(image_of(spv, inst)));
    if (kiln_type_lanes(result->ir) != wanted)
      kiln_spv_fail(spv, inst, "the result has %u components, and an %s has %u sizes", kiln_type_lanes(result->ir),
                    kiln_spv_image_name(image_of(spv, inst)), wanted);
    break;
  }
  case KILN_SPV_OpImageQueryFormat:
  case KILN_SPV_OpImageQueryOrder:
    break;
  default:
    check_access(spv, inst, image_of(spv, inst));
    break;
  }
}

// ---- functions in OpenCL C
// -------------------------------------------------------------------------------------------

#define put kiln_spv_put

static void put_image(struct kiln_spv_text *text, kiln_type image) {
  enum kiln_access access = kiln_type_access(image);
  put(text, access == KILN_ACCESS_READ ? "read_only " : access == KILN_ACCESS_WRITE ? "write_only " : "read_write ");
  put(text, kiln_spv_image_name(image));
}

// Parameter k as the coordinates that the image takes. There may be more of them: those do not count.
static void put_coordinates(struct kiln_spv_text *text, const char *param, kiln_type at, kiln_type image) {
  unsigned wanted = kiln_image_coordinates(kiln_type_dimension(image)), lanes = kiln_type_lanes(at);
  if (wanted == 3 && lanes == 3) {
    put(text, kiln_type_kind(at) == KILN_I32 ? "(int4)(" : "(float4)(");
    put(text, param);
    put(text, ", 0)");
    return;
  }
  put(text, param);
  if (wanted < 3 && lanes > wanted)
    put(text, wanted == 1 ? ".s0" : ".s01");
  else if (lanes > 4)
    put(text, ".s0123");
}

// "(uint3)(get_image_width(p0), get_image_height(p0), get_image_depth(p0))"
static void put_sizes(struct kiln_spv_text *text, kiln_type result, kiln_type image) {
  enum kiln_image_dimension dimension = kiln_type_dimension(image);
  unsigned layered = kiln_image_is_array(dimension), dims = kiln_image_coordinates(dimension) - layered;
  put(text, "(");
  kiln_spv_put_type(text, result, false);
  put(text, ")(get_image_width(p0)");
  put(text, dims > 1 ? ", get_image_height(p0)" : "");
  put(text, dims > 2 ? ", get_image_depth(p0)" : "");
  put(text, layered ? ", get_image_array_size(p0))" : ")");
}

// Of an instruction that reads or writes. What says no sign of integers has a comment, so that its text is its own.
static void put_access(struct kiln_spv *spv, struct kiln_spv_text *text, const struct kiln_spv_inst *inst,
                       kiln_type image, kiln_type pixel) {
  bool writes = inst->op == KILN_SPV_OpImageWrite, samples = inst->op == KILN_SPV_OpImageSampleExplicitLod;
  bool is_depth = kiln_image_is_depth(kiln_type_dimension(image)), is_vector = kiln_type_lanes(pixel) > 1;
  enum kiln_kind kind = kiln_type_kind(pixel);
  if (kiln_spv_image_has_no_sign(spv, inst))
    put(text, "/* any sign */ ");
  put(text, writes ? "" : "return ");
  put(text, !writes && is_depth && is_vector ? "(float4)" : "");
  put(text, writes ? "write_image" : "read_image");
  put(text, kind == KILN_F32                                    ? "f("
            : kind == KILN_F16                                  ? "h("
            : mask_of(inst) & KILN_SPV_ImageOperands_ZeroExtend ? "ui("
                                                                : "i(");
  put(text, samples ? "p0, p1, " : "p0, ");
  put_coordinates(text, samples ? "p2" : "p1", spv->ids[inst->operands[1]].type->ir, image);
  put(text, !writes                                                                 ? ""
            : is_depth && is_vector                                                 ? ", p2.s0"
            : mask_of(inst) & KILN_SPV_ImageOperands_ZeroExtend && kind == KILN_I32 ? ", as_uint4(p2)"
                                                                                    : ", p2");
  put(text, ")");
}

bool kiln_spv_image_has_no_sign(const struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  if (!kiln_spv_is_image_call(inst->op) || is_query(inst->op))
    return false;
  uint32_t id = inst->op == KILN_SPV_OpImageWrite ? inst->operands[2] : inst->id;
  return kiln_type_kind(spv->ids[id].type->ir) == KILN_I32 &&
         !(mask_of(inst) & (KILN_SPV_ImageOperands_SignExtend | KILN_SPV_ImageOperands_ZeroExtend));
}

void kiln_spv_write_image(struct kiln_spv *spv, const struct kiln_spv_inst *inst, struct kiln_spv_text *text) {
  bool writes = inst->op == KILN_SPV_OpImageWrite;
  uint32_t args[4], count = args_of(spv, inst, args);
  kiln_type image = image_of(spv, inst), result = writes ? KILN_VOID : spv->ids[inst->id].type->ir;
  kiln_type pixel = writes ? spv->ids[inst->operands[2]].type->ir : result;
  kiln_spv_put_type(text, result, !is_query(inst->op) && !(mask_of(inst) & KILN_SPV_ImageOperands_ZeroExtend));
  kiln_spv_put_char(text, 0);
  for (uint32_t k = 0; k < count; k++) {
    const struct kiln_spv_type *type = spv->ids[args[k]].type;
    put(text, k ? ", " : "(");
    if (type->kind == KILN_SPV_IMAGE)
      put_image(text, type->ir);
    else if (type->kind == KILN_SPV_SAMPLER)
      put(text, "sampler_t");
    else
      kiln_spv_put_type(text, type->ir, true);
    put(text, " p");
    kiln_spv_put_number(text, k);
  }
  put(text, ") { ");
  switch (inst->op) {
  case KILN_SPV_OpImageQueryFormat: // the numbers of SPIR-V begin with 0
    put(text, "return get_image_channel_data_type(p0) - CLK_SNORM_INT8");
    break;
  case KILN_SPV_OpImageQueryOrder:
    put(text, "return get_image_channel_order(p0) - CLK_R");
    break;
  case KILN_SPV_OpImageQuerySizeLod:
  case KILN_SPV_OpImageQuerySize:
    put(text, "return ");
    put_sizes(text, result, image);
    break;
  default:
    put_access(spv, text, inst, image, pixel);
    break;
  }
  put(text, "; }");
}

// ---- in functions
// ----------------------------------------------------------------------------------------------------

struct kiln_spv_value kiln_spv_image_call(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)how;
  uint32_t args[4];
  struct kiln_spv_builtin builtin = kiln_spv_builtin_of(f->spv, inst);
  builtin.arg_count = args_of(f->spv, inst, args);
  builtin.args = args;
  return kiln_spv_call_builtin(f, &builtin);
}

// It has no value: what uses it looks its operands up.
struct kiln_spv_value kiln_spv_sampled_image(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                             const struct kiln_spv_lowering *how) {
  (void)f;
  (void)inst;
  (void)how;
  return (struct kiln_spv_value){0};
}

struct kiln_spv_value kiln_spv_image_of_sampled(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                                const struct kiln_spv_lowering *how) {
  (void)how;
  return kiln_spv_use(f, f->spv->ids[inst->operands[0]].inst->operands[0]);
}

// ---- variables
// -------------------------------------------------------------------------------------------------------

// Compilers that do not optimise put each parameter into a variable, images too. What is loaded is what was stored.
void kiln_spv_note_stored_image(struct kiln_spv *spv, const struct kiln_spv_inst *store) {
  uint32_t variable = store->operands[0];
  const struct kiln_spv_id *id = &spv->ids[variable];
  if (!spv->stored_images)
    spv->stored_images = KILN_NEW_ARRAY(&spv->arena, uint32_t, spv->bound);
  if (id->what != KILN_SPV_IS_VALUE || id->inst->op != KILN_SPV_OpVariable || spv->stored_images[variable])
    kiln_spv_fail(spv, store, "an image goes into memory, or into a variable for the second time");
  spv->stored_images[variable] = store->operands[1];
}

struct kiln_spv_value kiln_spv_load_image(struct kiln_spv_fn *f, const struct kiln_spv_inst *load) {
  uint32_t stored = f->spv->stored_images ? f->spv->stored_images[load->operands[0]] : 0;
  if (!stored)
    kiln_spv_wrong(f, "an image comes from memory");
  return kiln_spv_use(f, stored);
}
