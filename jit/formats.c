// Kernels with images are compiled when a launch tells the formats of these and the words of samplers. Each set of them
// makes a variant of the program, with the build option --kiln-images; what a backend wants for launches of other
// shapes are variants of that one.
#include <stdlib.h>
#include <string.h>

#include "jit/ir/images.h"
#include "jit/program.h"

#define TYPE_BITS 17    // of a word: order and type of a format, with KILN_IMAGE_IS_SMALL
#define MANY_FORMATS 64 // sets that a kernel is compiled for; others run code for any format

// A kernel, and what it was compiled for: one word for each image or sampler in the order of the parameters.
struct kiln_formats {
  struct kiln_formats *next;
  uint32_t index; // of the kernel in its program
  uint32_t count;
  struct kiln_kernel kernel;
  char *options; // of the variant
  uint32_t words[];
};

static const struct kiln_kernel_info *info_of(const struct kiln_kernel *kernel) {
  return &kernel->program->binary->reflection.kernels[kernel->index];
}

bool kiln_kernel_wants_formats(const struct kiln_kernel *kernel) {
  const struct kiln_reflection *reflection = &kernel->program->binary->reflection;
  return reflection->drv_storage && !kernel->program->ctx->caps.images && !kernel->program->takes_any_format &&
         reflection->drv_kernels[kernel->index].arg_count > info_of(kernel)->arg_count;
}

// The words of a launch. Returns how many there are; 0: more than a kernel is compiled for.
static uint32_t words_of(const struct kiln_kernel_info *info, const struct kiln_drv_launch_desc *launch,
                         uint32_t out[KILN_IMAGE_CONSTANTS]) {
  uint32_t count = 0, record = info->arg_count;
  for (uint32_t i = 0; i < info->arg_count; i++) {
    bool is_known = info->args[i].kind == KILN_ARG_IMAGE || info->args[i].kind == KILN_ARG_SAMPLER;
    if (is_known && count == KILN_IMAGE_CONSTANTS)
      return 0;
    if (info->args[i].kind == KILN_ARG_IMAGE) {
      const struct kiln_image_record *image = launch->args[record++].data;
      out[count++] = (uint32_t)image->order << TYPE_BITS | (uint32_t)image->type;
    } else if (info->args[i].kind == KILN_ARG_SAMPLER) {
      memcpy(&out[count++], launch->args[i].data, sizeof *out);
    }
  }
  return count;
}

// count 0: the kernel for any format.
static struct kiln_formats *find(const struct kiln_kernel *kernel, const uint32_t *words, uint32_t count) {
  struct kiln_formats *formats = atomic_load_explicit(&kernel->program->formats, memory_order_acquire);
  while (formats && (formats->index != kernel->index || formats->count != count ||
                     memcmp(formats->words, words, count * sizeof *words)))
    formats = formats->next;
  return formats;
}

static uint32_t known_sets(const struct kiln_kernel *kernel) {
  uint32_t count = 0;
  for (const struct kiln_formats *f = atomic_load(&kernel->program->formats); f; f = f->next)
    count += f->index == kernel->index;
  return count;
}

#define GENERIC "--kiln-images=" KILN_IMAGES_GENERIC

// words NULL: those of the kernel for any format.
static char *options_of(const struct kiln_kernel_info *info, const uint32_t *words) {
  struct kiln_strbuf text = {0};
  if (!words)
    return strdup(GENERIC);
  const char *separator = "--kiln-images=";
  for (uint32_t i = 0; i < info->arg_count; i++) {
    if (info->args[i].kind != KILN_ARG_SAMPLER && info->args[i].kind != KILN_ARG_IMAGE)
      continue;
    struct kiln_image_constant known = {.is_sampler = info->args[i].kind == KILN_ARG_SAMPLER,
                                        .order = (int32_t)(*words >> TYPE_BITS),
                                        .type = (int32_t)(*words & ((1u << TYPE_BITS) - 1)),
                                        .sampler = *words};
    char one[KILN_IMAGE_CONSTANT_SIZE];
    kiln_image_constant_text(&known, one);
    kiln_strbuf_printf(&text, "%s%s", separator, one);
    separator = ",";
    words++;
  }
  return kiln_strbuf_take(&text);
}

static void free_one(struct kiln_formats *formats) {
  if (formats)
    free(formats->options);
  free(formats);
}

// Two threads may have compiled for the same set. Both stay, for the variant may be known by the text of either.
static void keep(struct kiln_program *program, struct kiln_formats *made) {
  pthread_mutex_lock(&program->binary->lock);
  made->next = atomic_load(&program->formats);
  atomic_store_explicit(&program->formats, made, memory_order_release);
  pthread_mutex_unlock(&program->binary->lock);
}

// Compiles, or finds compiled, what made asks for; where neither can be, the kernel for any format.
static enum kiln_status compile(struct kiln_kernel *kernel, struct kiln_formats *made) {
  enum kiln_status status = kiln_variant_kernel(kernel->program, kernel->index, made->options, &made->kernel);
  if (status == KILN_OK || !made->count)
    return status;
  char *why = strdup(kiln_last_error());
  if (kiln_variant_kernel(kernel->program, kernel->index, GENERIC, &made->kernel) == KILN_OK) {
    kiln_context_log(kernel->program->ctx, KILN_LOG_INFO, "'%s' of '%s' runs its code for any format of images: %s",
                     info_of(kernel)->name, kernel->program->source.name, why ? why : "");
    status = KILN_OK;
  } else {
    kiln_error(status, "%s", why ? why : "");
  }
  free(why);
  return status;
}

static void say_many(struct kiln_kernel *kernel) {
  if (!atomic_exchange(&kernel->program->has_many_formats, true))
    kiln_context_log(kernel->program->ctx, KILN_LOG_WARNING,
                     "'%s' of '%s' was compiled for %d sets of formats of images; for others it runs slower code",
                     info_of(kernel)->name, kernel->program->source.name, MANY_FORMATS);
}

enum kiln_status kiln_kernel_for_formats(struct kiln_kernel *kernel, const struct kiln_drv_launch_desc *launch,
                                         struct kiln_kernel **out) {
  uint32_t words[KILN_IMAGE_CONSTANTS], count = words_of(info_of(kernel), launch, words);
  struct kiln_formats *formats = find(kernel, words, count);
  if (!formats && known_sets(kernel) >= MANY_FORMATS) {
    say_many(kernel);
    formats = find(kernel, words, count = 0);
  }
  if (!formats) {
    struct kiln_formats *made = calloc(1, sizeof *made + count * sizeof *words);
    if (made)
      made->options = options_of(info_of(kernel), count ? words : NULL);
    if (!made || !made->options) {
      free(made);
      return kiln_error_memory();
    }
    made->index = kernel->index;
    made->count = count;
    memcpy(made->words, words, count * sizeof *words);
    enum kiln_status status = compile(kernel, made);
    if (status != KILN_OK) {
      free_one(made);
      return status;
    }
    keep(kernel->program, formats = made);
  }
  *out = &formats->kernel;
  return KILN_OK;
}

enum kiln_status kiln_program_any_format(struct kiln_program *program, struct kiln_program **out) {
  struct kiln_kernel kernel = {.program = program};
  *out = NULL;
  while (kernel.index < program->binary->reflection.kernel_count && !kiln_kernel_wants_formats(&kernel))
    kernel.index++;
  if (program->has_formats || kernel.index == program->binary->reflection.kernel_count)
    return KILN_OK;
  return kiln_variant_program(program, GENERIC, out);
}

void kiln_formats_free(struct kiln_program *program) {
  for (struct kiln_formats *formats = atomic_load(&program->formats), *next; formats; formats = next) {
    next = formats->next;
    free_one(formats);
  }
}
