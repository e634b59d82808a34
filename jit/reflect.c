// Reflection of kernels and its byte form:
//
//   "KRF3" kernel_count:u32 arg_total:u32 kernel…
//   kernel = name:text required:u32×3 hint:u32×3 sub_group_size:u32 vec_type_hint:text arg_count:u32 arg…
//            where "KRF4", which is written when a kernel is tuned, has the description of that (text) before arg_count
//   arg    = name:text type_name:text kind:u8 access:u8 flags:u8 size:u32 align:u32
//            where the upper half of flags is the dimension of an image
//   text   = size:u32 bytes NUL
// and for resources: "KRS4" check:u64 kernel_count:u32 (u32×9 remark:text)…, where check is made of both. The checksums
// of the file that holds them say that no byte was changed; the check, that both were written together. All numbers are
// little-endian.
#include "jit/reflect.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MIN_KERNEL (2 * (4 + 1) + 6 * 4 + 4)
#define MIN_ARG (2 * (4 + 1) + 3 + 2 * 4)

enum { ARG_CONST = 1, ARG_RESTRICT = 2, ARG_VOLATILE = 4, ARG_CONSTANT = 8, ARG_FLAGS = 15, ARG_DIMENSION = 16 };
enum { POINTER = 8, SAMPLER = 4, MAX_VALUE = 1 << 30, CHECK_AT = 4, CHECKED_AT = CHECK_AT + 8 };
_Static_assert(sizeof(struct kiln_arg_info) == 40, "hosts index arrays of it: it may grow into its padding alone");

// ---- writing -------------------------------------------------------------------------------------------------------

static void put_u32(struct kiln_strbuf *out, uint32_t value) {
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
  kiln_strbuf_append(out, bytes, 4);
}

static void put_text(struct kiln_strbuf *out, const char *text) {
  size_t size = text ? strlen(text) : 0;
  put_u32(out, (uint32_t)size);
  kiln_strbuf_append(out, text ? text : "", size + 1);
}

// Size and alignment of what a launch gives for a parameter that is neither an image nor a sampler.
static enum kiln_arg_kind measure(const struct kiln_param *param, uint32_t *size, uint32_t *align) {
  *align = param->align;
  if (param->byval_bytes) {
    *size = param->byval_bytes;
    return KILN_ARG_VALUE;
  }
  if (kiln_type_kind(param->type) == KILN_PTR) {
    *size = POINTER;
    return kiln_type_space(param->type) == KILN_LOCAL ? KILN_ARG_LOCAL : KILN_ARG_BUFFER;
  }
  unsigned lanes = kiln_type_lanes(param->type); // a vector of three is as large as one of four
  *size = *align = kiln_type_bytes(kiln_type_with_lanes(param->type, lanes == 3 ? 4 : lanes));
  return KILN_ARG_VALUE;
}

static void put_arg(struct kiln_strbuf *out, const struct kiln_param *param) {
  bool is_image = kiln_type_kind(param->type) == KILN_IMAGE, was_image = param->image >= KILN_PARAM_IMAGE;
  unsigned dimension = 0;
  uint32_t size = POINTER, align = 0;
  enum kiln_access access = is_image ? kiln_type_access(param->type) : param->access;
  enum kiln_arg_kind kind = KILN_ARG_IMAGE;
  bool is_constant = false;
  if (is_image || was_image) {
    dimension = is_image ? (unsigned)kiln_type_dimension(param->type) : param->image - (unsigned)KILN_PARAM_IMAGE;
  } else if (param->image == KILN_PARAM_SAMPLER) {
    kind = KILN_ARG_SAMPLER;
    access = KILN_ACCESS_NONE;
    size = align = SAMPLER;
  } else {
    kind = measure(param, &size, &align);
    access = kind == KILN_ARG_VALUE ? KILN_ACCESS_NONE : access;
    is_constant = kind == KILN_ARG_BUFFER && kiln_type_space(param->type) == KILN_CONSTANT;
  }
  put_text(out, param->name);
  put_text(out, param->type_name);
  unsigned flags = (param->is_const ? ARG_CONST : 0) | (param->is_restrict ? ARG_RESTRICT : 0) |
                   (param->is_volatile ? ARG_VOLATILE : 0) | (is_constant ? ARG_CONSTANT : 0);
  // What a pointer in an image's place has, the source did not say.
  uint8_t bytes[3] = {(uint8_t)kind, (uint8_t)access,
                      (uint8_t)((kind == KILN_ARG_IMAGE ? 0 : flags) | dimension * ARG_DIMENSION)};
  kiln_strbuf_append(out, bytes, sizeof bytes);
  put_u32(out, size);
  put_u32(out, align);
}

// Of what the passes have added, hosts see nothing.
static bool is_arg(const struct kiln_param *param) { return param->image != KILN_PARAM_RECORD; }

static uint32_t count_args(const struct kiln_function *fn) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < fn->param_count; i++)
    count += is_arg(&fn->params[i]);
  return count;
}

void kiln_reflect_write(const struct kiln_module *module, struct kiln_strbuf *out) {
  uint32_t kernels = 0, args = 0;
  bool is_tuned = false;
  for (uint32_t f = 0; f < module->function_count; f++) {
    if (module->functions[f]->is_kernel) {
      kernels++;
      is_tuned |= module->functions[f]->tuning != NULL;
      args += count_args(module->functions[f]);
    }
  }
  kiln_strbuf_append(out, is_tuned ? "KRF4" : "KRF3", 4);
  put_u32(out, kernels);
  put_u32(out, args);
  for (uint32_t f = 0; f < module->function_count; f++) {
    const struct kiln_function *fn = module->functions[f];
    if (!fn->is_kernel)
      continue;
    put_text(out, fn->name);
    for (int d = 0; d < 3; d++)
      put_u32(out, fn->required_group_size[d]);
    for (int d = 0; d < 3; d++)
      put_u32(out, fn->group_size_hint[d]);
    put_u32(out, fn->required_sub_group_size);
    put_text(out, fn->vec_type_hint);
    if (is_tuned)
      put_text(out, fn->tuning);
    put_u32(out, count_args(fn));
    for (uint32_t i = 0; i < fn->param_count; i++)
      if (is_arg(&fn->params[i]))
        put_arg(out, &fn->params[i]);
  }
}

// Of the reflection, and of the resources after the check itself.
static uint64_t check_of(struct kiln_str reflection, struct kiln_str resources) {
  uint64_t both[2] = {kiln_hash64(reflection.data, reflection.size),
                      kiln_hash64(resources.data + CHECKED_AT, resources.size - CHECKED_AT)};
  return kiln_hash64(both, sizeof both);
}

void kiln_resources_write(const struct kiln_kernel_resources *resources, uint32_t count, struct kiln_str reflection,
                          struct kiln_strbuf *out) {
  kiln_strbuf_clear(out);
  kiln_strbuf_append(out, "KRS4\0\0\0\0\0\0\0\0", CHECKED_AT);
  put_u32(out, count);
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_kernel_resources r = {0};
    if (resources)
      r = resources[i];
    put_u32(out, r.local_bytes);
    put_u32(out, r.private_bytes);
    put_u32(out, r.vgprs);
    put_u32(out, r.sgprs);
    put_u32(out, r.spills);
    put_u32(out, r.code_bytes);
    put_u32(out, r.max_group_size);
    put_u32(out, r.agprs);
    put_u32(out, r.waves_per_simd);
    r.remark[sizeof r.remark - 1] = 0;
    put_text(out, r.remark);
  }
  if (!out->failed) {
    uint64_t check = check_of(reflection, (struct kiln_str){out->data, out->size});
    for (int i = 0; i < 8; i++)
      out->data[CHECK_AT + i] = (char)(check >> 8 * i);
  }
}

// ---- reading -------------------------------------------------------------------------------------------------------

struct reader {
  const uint8_t *data;
  size_t size, at;
  bool bad; // nothing read since is good
};

static const uint8_t *take(struct reader *r, size_t size) {
  static const uint8_t zeros[8];
  if (r->bad || size > r->size - r->at) {
    r->bad = true;
    return zeros;
  }
  r->at += size;
  return r->data + r->at - size;
}

static uint32_t get_u32(struct reader *r) {
  const uint8_t *b = take(r, 4);
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static const char *get_text(struct reader *r) {
  uint32_t size = get_u32(r);
  if (r->bad || size >= r->size - r->at) {
    r->bad = true;
    return "";
  }
  const char *text = (const char *)take(r, (size_t)size + 1);
  if (memchr(text, 0, (size_t)size + 1) != text + size)
    r->bad = true;
  return r->bad ? "" : text;
}

// A text that stands in messages and lists: nothing in it may change how a terminal shows it.
static const char *get_shown(struct reader *r) {
  const char *text = get_text(r);
  for (const char *c = text; *c; c++)
    r->bad |= (unsigned char)*c < ' ' || *c == 0x7f;
  return r->bad ? "" : text;
}

static const char *get_name(struct reader *r) {
  const char *name = get_shown(r);
  r->bad |= !*name || strchr(name, ' ');
  return name;
}

// All numbers, or none, as large as work-groups can be.
static void get_group_size(struct reader *r, uint32_t size[3]) {
  uint32_t items = 1;
  for (int d = 0; d < 3; d++)
    size[d] = get_u32(r);
  if (size[0] | size[1] | size[2])
    r->bad |= __builtin_mul_overflow(size[0], size[1], &items) || __builtin_mul_overflow(items, size[2], &items) ||
              items == 0;
}

static void get_magic(struct reader *r, const char *magic) {
  if (memcmp(take(r, 4), magic, 4) != 0)
    r->bad = true;
}

static void get_arg(struct reader *r, struct kiln_arg_info *arg) {
  arg->name = get_shown(r);
  arg->type_name = get_shown(r);
  const uint8_t *b = take(r, 3);
  if (b[0] > KILN_ARG_SAMPLER || b[1] > KILN_ACCESS_READ_WRITE)
    r->bad = true;
  arg->kind = r->bad ? KILN_ARG_VALUE : (enum kiln_arg_kind)b[0];
  arg->access = r->bad ? KILN_ACCESS_NONE : (enum kiln_access)b[1];
  arg->is_const = b[2] & ARG_CONST;
  arg->is_restrict = b[2] & ARG_RESTRICT;
  arg->is_volatile = b[2] & ARG_VOLATILE;
  arg->is_constant = b[2] & ARG_CONSTANT;
  arg->image = (uint8_t)(b[2] / ARG_DIMENSION);
  arg->size = get_u32(r);
  arg->align = get_u32(r);
  bool has_access = true;
  switch (arg->kind) {
  case KILN_ARG_VALUE:
    has_access = false;
    r->bad |= arg->size == 0 || arg->size > MAX_VALUE;
    break;
  case KILN_ARG_SAMPLER:
    has_access = false;
    r->bad |= arg->size != SAMPLER;
    break;
  case KILN_ARG_IMAGE:
    r->bad |= arg->size != POINTER || arg->access == KILN_ACCESS_NONE;
    break;
  case KILN_ARG_BUFFER:
  case KILN_ARG_LOCAL:
    r->bad |= arg->size != POINTER;
    break;
  }
  r->bad |= arg->image > (arg->kind == KILN_ARG_IMAGE ? KILN_IMAGE_2D_ARRAY_DEPTH : 0);
  r->bad |= !has_access && arg->access != KILN_ACCESS_NONE;
  r->bad |= (arg->align & (arg->align - 1)) != 0 || (arg->is_constant && arg->kind != KILN_ARG_BUFFER);
}

static bool get_resources(struct reader r, struct kiln_reflection *out) {
  get_magic(&r, "KRS4");
  take(&r, CHECKED_AT - CHECK_AT);
  if (get_u32(&r) != out->kernel_count)
    r.bad = true;
  for (uint32_t i = 0; i < out->kernel_count && !r.bad; i++) {
    struct kiln_kernel_info *kernel = &out->kernels[i];
    kernel->local_bytes = get_u32(&r);
    kernel->private_bytes = get_u32(&r);
    kernel->vgprs = get_u32(&r);
    kernel->sgprs = get_u32(&r);
    kernel->spills = get_u32(&r);
    kernel->code_bytes = get_u32(&r);
    kernel->max_group_size = get_u32(&r);
    kernel->agprs = get_u32(&r);
    kernel->waves_per_simd = get_u32(&r);
    kernel->remark = get_text(&r);
  }
  return !r.bad && r.at == r.size;
}

// Whether the check is that of these bytes.
static bool is_whole(struct kiln_str reflection, struct kiln_str resources) {
  struct reader r = {(const uint8_t *)resources.data, resources.size, 0, false};
  take(&r, CHECK_AT);
  uint64_t low = get_u32(&r), high = get_u32(&r);
  return !r.bad && check_of(reflection, resources) == (low | high << 32);
}

// ---- what drivers are told -----------------------------------------------------------------------------------------

static uint32_t count_images(const struct kiln_kernel_info *kernel) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < kernel->arg_count; i++)
    count += kernel->args[i].kind == KILN_ARG_IMAGE;
  return count;
}

static bool has_objects(const struct kiln_kernel_info *kernel) {
  for (uint32_t i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == KILN_ARG_IMAGE || kernel->args[i].kind == KILN_ARG_SAMPLER)
      return true;
  return false;
}

// Writes the arguments of a kernel as its driver sees them; returns the end.
static struct kiln_arg_info *put_drv_args(const struct kiln_kernel_info *kernel, struct kiln_arg_info *out) {
  for (uint32_t i = 0; i < kernel->arg_count; i++, out++) {
    *out = kernel->args[i];
    if (out->kind == KILN_ARG_IMAGE)
      out->kind = KILN_ARG_BUFFER;
    else if (out->kind == KILN_ARG_SAMPLER)
      out->kind = KILN_ARG_VALUE;
    out->image = 0;
  }
  for (uint32_t i = count_images(kernel); i; i--)
    *out++ = (struct kiln_arg_info){.name = "",
                                    .type_name = "struct image",
                                    .kind = KILN_ARG_VALUE,
                                    .size = sizeof(struct kiln_image_record),
                                    .align = _Alignof(struct kiln_image_record)};
  return out;
}

static enum kiln_status derive_drv_kernels(struct kiln_reflection *r) {
  size_t args = 0;
  r->drv_kernels = r->kernels;
  for (uint32_t k = 0; k < r->kernel_count; k++)
    if (has_objects(&r->kernels[k]))
      args += r->kernels[k].arg_count + count_images(&r->kernels[k]);
  if (!args)
    return KILN_OK;
  size_t kernel_bytes = r->kernel_count * sizeof *r->kernels;
  unsigned char *storage = malloc(kernel_bytes + args * sizeof(struct kiln_arg_info));
  if (!storage)
    return KILN_ERR_MEMORY;
  struct kiln_arg_info *arg = (struct kiln_arg_info *)(storage + kernel_bytes);
  r->drv_storage = storage;
  r->drv_kernels = memcpy(storage, r->kernels, kernel_bytes);
  for (uint32_t k = 0; k < r->kernel_count; k++) {
    struct kiln_kernel_info *kernel = &r->drv_kernels[k];
    if (!has_objects(kernel))
      continue;
    struct kiln_arg_info *end = put_drv_args(kernel, arg);
    kernel->args = arg;
    kernel->arg_count = (uint32_t)(end - arg);
    arg = end;
  }
  return KILN_OK;
}

enum kiln_status kiln_reflect_read(struct kiln_str reflection, struct kiln_str resources, struct kiln_reflection *out) {
  memset(out, 0, sizeof *out);
  if (!is_whole(reflection, resources))
    return KILN_ERR_INVALID;
  struct reader r = {(const uint8_t *)reflection.data, reflection.size, 0, false};
  bool is_tuned = r.size >= 4 && memcmp(r.data, "KRF4", 4) == 0;
  get_magic(&r, is_tuned ? "KRF4" : "KRF3");
  uint32_t kernels = get_u32(&r), args = get_u32(&r);
  // Numbers that the bytes cannot hold must not make large allocations.
  if (r.bad || kernels > r.size / MIN_KERNEL || args > r.size / MIN_ARG)
    return KILN_ERR_INVALID;
  size_t kernel_bytes = kernels * sizeof(struct kiln_kernel_info), arg_bytes = args * sizeof(struct kiln_arg_info);
  size_t wish_bytes = kernels * sizeof *out->wishes;
  unsigned char *storage = calloc(1, kernel_bytes + arg_bytes + wish_bytes + r.size + resources.size);
  if (!storage)
    return KILN_ERR_MEMORY;
  out->storage = storage;
  out->kernels = (struct kiln_kernel_info *)storage;
  out->kernel_count = kernels;
  struct kiln_arg_info *arg = (struct kiln_arg_info *)(storage + kernel_bytes);
  out->wishes = (struct kiln_kernel_wishes *)(storage + kernel_bytes + arg_bytes);
  // Strings point into copies.
  unsigned char *texts = storage + kernel_bytes + arg_bytes + wish_bytes;
  r.data = memcpy(texts, r.data, r.size);
  struct reader more = {texts + r.size, resources.size, 0, false};
  if (resources.size)
    memcpy(texts + r.size, resources.data, resources.size);

  for (uint32_t k = 0; k < kernels && !r.bad; k++) {
    struct kiln_kernel_info *kernel = &out->kernels[k];
    kernel->name = get_name(&r);
    get_group_size(&r, kernel->required_group_size);
    for (int d = 0; d < 3; d++)
      kernel->work_group_size_hint[d] = get_u32(&r);
    out->wishes[k].sub_group_size = get_u32(&r);
    out->wishes[k].vec_type = get_shown(&r);
    out->wishes[k].tuning = is_tuned ? get_text(&r) : "";
    kernel->arg_count = get_u32(&r);
    kernel->args = arg;
    if (kernel->arg_count > args)
      r.bad = true;
    for (uint32_t i = 0; i < kernel->arg_count && !r.bad; i++)
      get_arg(&r, arg++);
    args -= r.bad ? 0 : kernel->arg_count;
  }
  if (r.bad || args != 0 || r.at != r.size || !get_resources(more, out)) {
    kiln_reflection_free(out);
    return KILN_ERR_INVALID;
  }
  enum kiln_status status = derive_drv_kernels(out);
  if (status != KILN_OK)
    kiln_reflection_free(out);
  return status;
}

void kiln_reflection_free(struct kiln_reflection *reflection) {
  free(reflection->storage);
  free(reflection->drv_storage);
  memset(reflection, 0, sizeof *reflection);
}
