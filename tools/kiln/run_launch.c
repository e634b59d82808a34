// The ARGs of kiln run and kiln tune as arguments of a launch.
#include <stdlib.h>
#include <string.h>

#include "run.h"

int parse_args(struct launch_args *of, char *const *words, uint32_t count) {
  of->arg_count = count;
  of->args = calloc(count + 1, sizeof *of->args);
  if (!of->args)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  for (uint32_t i = 0; i < count; i++) {
    int code = parse_arg(words[i], i, &of->args[i]);
    if (code != EXIT_FINE)
      return code;
  }
  return EXIT_FINE;
}

int check_arg_count(const struct launch_args *of, const struct kiln_kernel_info *info) {
  if (of->arg_count == info->arg_count)
    return EXIT_FINE;
  fail(EXIT_DATA, "kernel '%s' takes %u argument%s, %u given:", info->name, (unsigned)info->arg_count,
       info->arg_count == 1 ? "" : "s", (unsigned)of->arg_count);
  for (uint32_t i = 0; i < info->arg_count; i++) {
    say(stderr, "  %u: %s%s %s\n", (unsigned)i, info->args[i].kind == KILN_ARG_LOCAL ? "local " : "",
        info->args[i].type_name, info->args[i].name);
  }
  return EXIT_DATA;
}

// The alignment that the kernel's parameters for the buffer of an argument need.
static uint32_t buffer_align(const struct launch_args *of, const struct kiln_kernel_info *info, uint32_t index) {
  const struct run_arg *arg = &of->args[index];
  uint32_t align = arg->kind == ARG_IMAGE ? kiln_image_pixel_bytes(arg->format) : info->args[index].align;
  for (uint32_t i = 0; i < of->arg_count; i++)
    if (of->args[i].kind == ARG_SAME && of->args[i].same == index && info->args[i].align > align)
      align = info->args[i].align;
  return align;
}

static int make_buffer(struct launch_args *of, const struct kiln_kernel_info *info, uint32_t index) {
  struct run_arg *arg = &of->args[index];
  struct kiln_buffer_desc desc = {.size = arg->size};
  if (of->guards && strcmp(kiln_context_target(of->ctx)->backend, "cpu") == 0) {
    desc.host = guarded_alloc(&arg->memory, arg->size, buffer_align(of, info, index), of->guards_before);
    if (!desc.host)
      return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  }
  enum kiln_status status = kiln_buffer_create(of->ctx, &desc, &arg->buffer);
  if (status == KILN_OK)
    status = kiln_write(of->stream, arg->buffer, 0, arg->data, arg->size, NULL);
  return status == KILN_OK ? EXIT_FINE : fail_status(status);
}

const struct run_arg *buffer_arg(const struct launch_args *of, uint32_t index) {
  if (index < of->arg_count && of->args[index].kind == ARG_SAME)
    index = of->args[index].same;
  bool has_memory = index < of->arg_count && (of->args[index].kind == ARG_BUFFER || of->args[index].kind == ARG_IMAGE);
  return has_memory ? &of->args[index] : NULL;
}

int make_args(struct launch_args *of, const struct kiln_kernel_info *info) {
  of->out = calloc(of->arg_count + 1, sizeof *of->out);
  if (!of->out)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  int code = EXIT_FINE;
  for (uint32_t i = 0; i < of->arg_count && code == EXIT_FINE; i++) {
    struct run_arg *arg = &of->args[i];
    struct kiln_arg *out = &of->out[i];
    switch (arg->kind) {
    case ARG_BUFFER:
      code = make_buffer(of, info, i);
      *out = kiln_arg_buffer(arg->buffer);
      break;
    case ARG_SAME:
      if (!buffer_arg(of, arg->same) || of->args[arg->same].kind == ARG_SAME)
        code = fail(EXIT_USAGE, "argument %u ('same:%u'): argument %u is not a buffer", (unsigned)i,
                    (unsigned)arg->same, (unsigned)arg->same);
      break;
    case ARG_NULL:
      *out = kiln_arg_buffer(NULL);
      break;
    case ARG_LOCAL:
      *out = kiln_arg_local(arg->size);
      break;
    case ARG_IMAGE:
      code = make_buffer(of, info, i);
      code = code == EXIT_FINE ? make_image(of->ctx, arg, i, &info->args[i]) : code;
      *out = kiln_arg_image(arg->image);
      break;
    case ARG_SAMPLER:
      *out = kiln_arg_sampler(arg->sampler);
      break;
    case ARG_VALUE:
      code = convert_arg(arg, i, &info->args[i]);
      *out = kiln_arg_value(arg->data, arg->size);
      break;
    }
  }
  for (uint32_t i = 0; i < of->arg_count && code == EXIT_FINE; i++) {
    if (of->args[i].kind == ARG_SAME)
      of->out[i] = of->out[of->args[i].same];
  }
  return code;
}

void release_args(struct launch_args *of) {
  for (uint32_t i = 0; i < of->arg_count && of->args; i++) {
    kiln_image_release(of->args[i].image);
    kiln_buffer_release(of->args[i].buffer);
    free(of->args[i].data);
  }
}

void free_args(struct launch_args *of) {
  for (uint32_t i = 0; i < of->arg_count && of->args; i++)
    guarded_free(&of->args[i].memory);
  free(of->args);
  free(of->out);
}
