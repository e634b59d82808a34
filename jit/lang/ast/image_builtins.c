// Built-in functions of images: which there are for an image of a dimension and an access, and which of them a call
// means. The image, always the first argument, leaves at most two: with coordinates that are integers, and floats.
#include "jit/ir/images.h"
#include "jit/lang/ast/builtin_call.h"

enum { MOST_CANDIDATES = 4, MOST_ARGS = 3 };

struct candidate {
  struct kiln_qtype params[MOST_ARGS];
  uint32_t count;
  const struct kiln_ctype *result;
};
struct choice {
  struct candidate items[MOST_CANDIDATES];
  unsigned count;
};

// ---- what there is -------------------------------------------------------------------------------------------------

static const struct kiln_ctype *vector_of(uint64_t kind, unsigned lanes) {
  return kiln_ctype_vector(kiln_ctype_scalar((enum kiln_ctype_kind)kind), lanes);
}

static enum kiln_image_dimension dimension_of(const struct kiln_ctype *image) {
  return (enum kiln_image_dimension)image->dimension;
}

// Those of arrays of images and of volumes have a fourth component, which does not count.
static const struct kiln_ctype *coordinates_of(const struct kiln_ctype *image, enum kiln_ctype_kind kind) {
  unsigned count = kiln_image_coordinates(dimension_of(image));
  return vector_of(kind, count == 3 ? 4 : count);
}

static bool is_asked(const struct kiln_image_function *function, enum kiln_image_dimension dimension) {
  bool has_height = kiln_image_coordinates(dimension) >= 2 && dimension != KILN_IMAGE_1D_ARRAY;
  if (function->code == KILN_SP_IMAGE_SIZES || function->imm == KILN_IMAGE_HEIGHT)
    return has_height;
  return function->imm == KILN_IMAGE_DEPTH    ? dimension == KILN_IMAGE_3D
         : function->imm == KILN_IMAGE_LAYERS ? kiln_image_is_array(dimension)
                                              : true;
}

static struct candidate *add(struct choice *choice, const struct kiln_ctype *image, const struct kiln_ctype *result) {
  struct candidate *c = &choice->items[choice->count++];
  *c = (struct candidate){.params = {kiln_plain(image)}, .count = 1, .result = result};
  return c;
}

static void add_reads(struct choice *choice, const struct kiln_ctype *image, const struct kiln_ctype *pixel) {
  bool sampled = image->access == KILN_ACCESS_READ && image->dimension != KILN_IMAGE_1D_BUFFER;
  for (unsigned i = 0; i < (sampled ? 3 : 1); i++) {
    struct candidate *c = add(choice, image, pixel);
    if (i)
      c->params[c->count++] = kiln_plain(kiln_ctype_scalar(KILN_CT_SAMPLER));
    c->params[c->count++] = kiln_plain(coordinates_of(image, i == 2 ? KILN_CT_FLOAT : KILN_CT_INT));
  }
}

// What the function is for this image; its access lets it be read, or written.
static void add_all(struct choice *choice, const struct kiln_image_function *function, const struct kiln_ctype *image) {
  enum kiln_image_dimension dimension = dimension_of(image);
  bool is_depth = kiln_image_is_depth(dimension);
  choice->count = 0;
  if (function->code == KILN_SP_IMAGE_QUERY || function->code == KILN_SP_IMAGE_SIZES) {
    bool sizes = function->code == KILN_SP_IMAGE_SIZES, layers = function->imm == KILN_IMAGE_LAYERS;
    if (is_asked(function, dimension))
      add(choice, image,
          sizes    ? vector_of(KILN_CT_INT, dimension == KILN_IMAGE_3D ? 4 : 2)
          : layers ? kiln_ctype_scalar(KILN_CT_ULONG)
                   : kiln_ctype_scalar(KILN_CT_INT));
    return;
  }
  if (is_depth && function->imm != KILN_CT_FLOAT)
    return;
  const struct kiln_ctype *pixel = vector_of(function->imm, is_depth ? 1 : 4);
  if (function->code == KILN_SP_IMAGE_READ) {
    add_reads(choice, image, pixel);
    return;
  }
  struct candidate *c = add(choice, image, kiln_ctype_scalar(KILN_CT_VOID));
  c->params[c->count++] = kiln_plain(coordinates_of(image, KILN_CT_INT));
  c->params[c->count++] = kiln_plain(pixel);
}

// ---- the choice ----------------------------------------------------------------------------------------------------

static enum kiln_rank rank_of(const struct kiln_expr *arg, const struct kiln_ctype *to) {
  if (to->kind == KILN_CT_SAMPLER && arg->kind == KILN_EX_INT && kiln_ctype_is_integer(arg->type.type))
    return KILN_RANK_CONVERSION;
  return kiln_builtin_rank(arg->type.type, to);
}

// The candidate that suits best; NULL: none does, or (ambiguous) two do that differ in their coordinates.
static const struct candidate *best_of(const struct choice *choice, struct kiln_expr *const *args, uint32_t count,
                                       bool *ambiguous) {
  const struct candidate *best = NULL;
  enum kiln_rank best_rank = KILN_RANK_NONE;
  *ambiguous = false;
  for (unsigned i = 0; i < choice->count; i++) {
    const struct candidate *c = &choice->items[i];
    enum kiln_rank worst = c->count == count ? KILN_RANK_EXACT : KILN_RANK_NONE, rank = worst;
    for (uint32_t k = 1; k < count && worst != KILN_RANK_NONE; k++) {
      rank = rank_of(args[k], c->params[k].type);
      worst = rank > worst ? rank : worst;
    }
    if (worst == KILN_RANK_NONE)
      continue;
    *ambiguous = best && rank == best_rank; // of the coordinates, by which alone they differ
    if (!best || rank < best_rank) {
      best = c;
      best_rank = rank;
    }
  }
  return *ambiguous ? NULL : best;
}

// ---- messages ------------------------------------------------------------------------------------------------------

static const char *candidate_text(const struct kiln_builtin_env *env, const struct kiln_image_function *function,
                                  const struct candidate *c) {
  const char *params = "";
  for (uint32_t i = 0; i < c->count; i++)
    params = kiln_arena_printf(env->arena, "%s%s%s", params, i ? ", " : "", kiln_ctype_text(env->arena, c->params[i]));
  return kiln_arena_printf(env->arena, "%s %s(%s)", kiln_ctype_text(env->arena, kiln_plain(c->result)), function->name,
                           params);
}

static void note_candidates(const struct kiln_builtin_env *env, const struct kiln_image_function *function,
                            const struct choice *choice, kiln_location location, kiln_location end) {
  for (unsigned i = 0; i < choice->count; i++)
    kiln_diag(env->diags, KILN_NOTE, location, end, "candidate: '%s'",
              candidate_text(env, function, &choice->items[i]));
}

static bool no_match(const struct kiln_builtin_env *env, const struct kiln_image_function *function,
                     kiln_location location, kiln_location end) {
  kiln_diag(env->diags, KILN_ERROR, location, end, "no matching function for call to '%s'", function->name);
  return false;
}

// Whether the first argument is an image that the function is for. Complains when it is not.
static bool check_image(const struct kiln_builtin_env *env, const struct kiln_image_function *function,
                        kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count) {
  const struct kiln_ctype *image = count ? args[0]->type.type : NULL;
  if (image && image->kind == KILN_CT_IMAGE) {
    bool reads = function->code == KILN_SP_IMAGE_READ, writes = function->code == KILN_SP_IMAGE_WRITE;
    bool denied = (reads && image->access == KILN_ACCESS_WRITE) || (writes && image->access == KILN_ACCESS_READ);
    if (!denied)
      return true;
    no_match(env, function, location, end);
    kiln_diag(env->diags, KILN_NOTE, args[0]->location, args[0]->end, "it %s its image, and this one is '%s'",
              reads ? "reads" : "writes", kiln_ctype_text(env->arena, kiln_plain(image)));
    return false;
  }
  no_match(env, function, location, end);
  if (image)
    kiln_diag(env->diags, KILN_NOTE, args[0]->location, args[0]->end, "its first argument is an image, not '%s'",
              kiln_ctype_text(env->arena, kiln_plain(image)));
  else
    kiln_diag(env->diags, KILN_NOTE, location, end, "its first argument is an image");
  return false;
}

bool kiln_image_resolve(const struct kiln_builtin_env *env, const struct kiln_image_function *function,
                        kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count,
                        struct kiln_builtin_overload *out) {
  for (uint32_t i = 0; i < count; i++)
    if (args[i]->type.type->kind == KILN_CT_ERROR)
      return false;
  bool accesses = function->code == KILN_SP_IMAGE_READ || function->code == KILN_SP_IMAGE_WRITE;
  if (accesses && function->imm == KILN_CT_HALF && !env->fp16) {
    kiln_diag(env->diags, KILN_ERROR, location, end, "'%s' requires cl_khr_fp16 support", function->name);
    return false;
  }
  if (!check_image(env, function, location, end, args, count))
    return false;
  struct choice choice;
  bool ambiguous;
  add_all(&choice, function, args[0]->type.type);
  const struct candidate *best = best_of(&choice, args, count, &ambiguous);
  if (!best) {
    if (ambiguous)
      kiln_diag(env->diags, KILN_ERROR, location, end, "call to '%s' is ambiguous", function->name);
    else
      no_match(env, function, location, end);
    note_candidates(env, function, &choice, location, end);
    if (!choice.count)
      kiln_diag(env->diags, KILN_NOTE, args[0]->location, args[0]->end, "there is none for '%s'",
                kiln_ctype_text(env->arena, args[0]->type));
    return false;
  }
  memcpy(out->params, best->params, sizeof best->params);
  out->param_count = best->count;
  out->result = kiln_plain(best->result);
  out->call = KILN_NEW(env->arena, struct kiln_builtin_call);
  *out->call = (struct kiln_builtin_call){KILN_HOW_SPECIAL, function->code, function->imm};
  return true;
}

bool kiln_builtin_image_name(const struct kiln_builtin_overload *overload, char *out, size_t size) {
  const struct kiln_builtin_call *call = overload->call;
  bool reads = call->how == KILN_HOW_SPECIAL && call->code == KILN_SP_IMAGE_READ;
  if (!reads && !(call->how == KILN_HOW_SPECIAL && call->code == KILN_SP_IMAGE_WRITE))
    return false;
  kiln_type coordinates = kiln_ctype_ir(overload->params[reads ? overload->param_count - 1 : 1].type);
  kiln_type pixel = kiln_ctype_ir(kiln_ctype_scalar((enum kiln_ctype_kind)call->imm));
  kiln_image_function_name(reads, kiln_type_kind(pixel), kiln_type_kind(coordinates), out, size);
  return true;
}
