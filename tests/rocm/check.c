// Compiles every program of a folder for AMDGPU targets and reads the code objects back: ELF flags, target id, kernel
// descriptors, argument metadata, sizes, wave size, all against what the host API reflects.
//
//   rocm_check [--all] [--share N] [--options TEXT] FOLDER ARCH...
//
// --share N: one in N files. --all: also those that are not run on this backend because they take LLVM too long ("//
// skip: rocm"). A program is a .cl file of the folder or of one below it; -D and -cl- options are taken from its first
// "// run:" line. Programs that are rejected on purpose (rejects_*) are left out.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/code/codeobject.h"
#include "backends/rocm/code/target.h"
#include "base/file.h"
#include "kiln/kiln.h"
#include "tests/support/walk.h"

struct check {
  struct kiln_context *ctx;
  const char *file, *arch, *options;
  struct kiln_rocm_target target;
  unsigned programs, kernels, faults, share;
  bool all;
};

static __attribute__((format(printf, 2, 3))) void fault(struct check *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s, %s: ", c->file, c->arch);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  c->faults++;
}

#define SAME(a, b, ...)                                                                                                \
  do {                                                                                                                 \
    uint64_t is = (a), should = (b);                                                                                   \
    if (is != should)                                                                                                  \
      fault(c, "%s: %s is %llu, not %llu", k->name, __VA_ARGS__, (unsigned long long)is, (unsigned long long)should);  \
  } while (0)

static void check_args(struct check *c, const struct kiln_rocm_kernel *k, const struct kiln_kernel_info *info) {
  uint32_t at = 0, explicit = 0;
  for (uint32_t i = 0; i < k->arg_count; i++) {
    const struct kiln_rocm_arg *arg = &k->args[i];
    if (arg->offset < at)
      fault(c, "%s: argument %u overlaps the one before", k->name, i);
    at = arg->offset + arg->size;
    if (arg->kind == KILN_ROCM_ARG_HIDDEN)
      continue;
    if (i >= info->arg_count || i != explicit ++) {
      fault(c, "%s: argument %u (%s) is not the program's", k->name, i, arg->value_kind);
      continue;
    }
    const struct kiln_arg_info *wanted = &info->args[i];
    enum kiln_rocm_arg_kind kind = wanted->kind == KILN_ARG_VALUE    ? KILN_ROCM_ARG_VALUE
                                   : wanted->kind == KILN_ARG_BUFFER ? KILN_ROCM_ARG_GLOBAL
                                                                     : KILN_ROCM_ARG_LOCAL;
    if (arg->kind != kind)
      fault(c, "%s: argument %u is a %s", k->name, i, arg->value_kind);
    SAME(arg->size, wanted->kind == KILN_ARG_LOCAL ? 4 : wanted->size, "size of an argument");
    uint32_t align = wanted->kind == KILN_ARG_VALUE ? wanted->align : wanted->kind == KILN_ARG_LOCAL ? 4 : 8;
    SAME(arg->offset % (align ? align : 1), 0, "misplacement of an argument");
    bool is_pointer = wanted->kind != KILN_ARG_VALUE, is_local = wanted->kind == KILN_ARG_LOCAL;
    if (is_pointer && strcmp(arg->address_space, is_local ? "local" : "global") &&
        (is_local || strcmp(arg->address_space, "constant")))
      fault(c, "%s: argument %u is in '%s' memory", k->name, i, arg->address_space);
  }
  SAME(explicit, info->arg_count, "number of arguments");
  if (at > k->kernarg_bytes)
    fault(c, "%s: the arguments end behind the segment", k->name);
}

static void check_kernel(struct check *c, const struct kiln_rocm_kernel *k, const struct kiln_kernel_info *info) {
  size_t length = strlen(info->name);
  if (strncmp(k->symbol, info->name, length) || strcmp(k->symbol + length, ".kd"))
    fault(c, "%s: its symbol is %s", k->name, k->symbol);
  SAME(k->wave_size, c->target.wave64 ? 64 : 32, "wave size");
  SAME(k->properties >> 10 & 1, !c->target.wave64, "wave32 in the descriptor");
  SAME(k->descriptor_local, k->local_bytes, "LDS size in the descriptor");
  SAME(k->descriptor_private, k->private_bytes, "scratch size in the descriptor");
  SAME(k->descriptor_kernarg, k->kernarg_bytes, "kernarg size in the descriptor");
  SAME(k->local_bytes, info->local_bytes, "LDS size");
  SAME(k->private_bytes, info->private_bytes, "scratch size");
  SAME(k->vgprs, info->vgprs, "number of VGPRs");
  SAME(k->sgprs, info->sgprs, "number of SGPRs");
  SAME(k->code_bytes, info->code_bytes, "size of the code");
  // Without a required size launches with larger groups get a variant: any size of the device goes.
  SAME(info->required_group_size[0] ? k->max_group_size : 0, info->max_group_size, "largest group");
  SAME(k->code_bytes == 0, 0, "absence of code");
  SAME((k->descriptor + (uint64_t)k->entry_offset) % 256, 0, "misplacement of the code");
  SAME(k->dynamic_stack, 0, "use of a dynamic stack");
  for (int d = 0; d < 3; d++)
    SAME(k->required_group_size[d], info->required_group_size[d], "required group size");
  if (k->kernarg_align < 4 || k->kernarg_align & (k->kernarg_align - 1))
    fault(c, "%s: kernarg alignment %u", k->name, k->kernarg_align);
  check_args(c, k, info);
  c->kernels++;
}

static void check_object(struct check *c, const struct kiln_rocm_object *object) {
  static const uint32_t xnack[] = {0x100, 0x200, 0x300}, sramecc[] = {0x400, 0x800, 0xc00};
  const struct kiln_rocm_model *model = c->target.model;
  bool generic = model->flags & KILN_ROCM_GENERIC;
  uint32_t flags = model->mach | (generic ? 1u << 24 : 0);
  flags |= model->flags & KILN_ROCM_XNACK ? xnack[c->target.xnack] : 0;
  flags |= model->flags & KILN_ROCM_SRAMECC ? sramecc[c->target.sramecc] : 0;
  if (object->flags != flags)
    fault(c, "ELF flags are 0x%x, not 0x%x", object->flags, flags);
  if (object->abi != (generic ? 6 : 5))
    fault(c, "code object version %u", object->abi);
  char name[96];
  kiln_rocm_isa_name(&c->target, name, sizeof name);
  if (strcmp(object->target, name))
    fault(c, "target id is %s, not %s", object->target, name);
}

static void check_program(struct check *c, struct kiln_program *program) {
  struct kiln_program_info info;
  struct kiln_rocm_object object;
  kiln_program_info(program, &info);
  const char *wrong = kiln_rocm_object_read(info.artifact, info.artifact_size, &object);
  if (wrong) {
    fault(c, "the code object cannot be read: %s", wrong);
  } else {
    check_object(c, &object);
    if (object.kernel_count != info.kernel_count)
      fault(c, "%u kernels, not %u", object.kernel_count, info.kernel_count);
    for (uint32_t i = 0; i < info.kernel_count; i++) {
      const char *name = kiln_program_kernel_name(program, i);
      const struct kiln_rocm_kernel *k = kiln_rocm_object_find(&object, name);
      struct kiln_kernel *kernel = NULL;
      if (!k || kiln_kernel_create(program, name, &kernel))
        fault(c, "kernel %s is missing", name);
      else
        check_kernel(c, k, kiln_kernel_info(kernel));
      kiln_kernel_release(kernel);
    }
  }
  kiln_rocm_object_free(&object);
}

static void check_file(struct check *c, const char *path) {
  char options[1024], *text;
  size_t size;
  if (kiln_file_read(path, &text, &size)) {
    fault(c, "cannot be read");
    return;
  }
  if (!c->all && strstr(text, "\n// skip: rocm")) {
    free(text);
    return;
  }
  walk_take_options(text, options, sizeof options);
  strncat(options, c->options, sizeof options - strlen(options) - 1);
  struct kiln_program_desc desc = {.source = text, .size = size, .name = path, .options = options};
  struct kiln_program *program = NULL;
  if (kiln_program_create(c->ctx, &desc, &program))
    fault(c, "%s", kiln_last_error());
  else
    check_program(c, program);
  kiln_program_release(program);
  free(text);
}

static void visit_file(void *user, const char *path, const char *name) {
  struct check *c = user;
  const char *dot = strrchr(name, '.');
  if (!dot || strcmp(dot, ".cl") || strstr(name, "rejects_") || !walk_is_in_share(name, c->share, 0))
    return;
  c->file = name;
  c->programs++;
  check_file(c, path);
}

int main(int argc, char **argv) {
  const char *options = "";
  bool all = argc > 2 && !strcmp(argv[1], "--all");
  argv += all;
  argc -= all;
  unsigned share = 0;
  if (argc > 3 && !strcmp(argv[1], "--share")) {
    share = (unsigned)atoi(argv[2]);
    argv += 2;
    argc -= 2;
  }
  if (argc > 3 && !strcmp(argv[1], "--options")) {
    options = argv[2];
    argv += 2;
    argc -= 2;
  }
  if (argc < 3) {
    fprintf(stderr, "usage: rocm_check [--all] [--share N] [--options TEXT] FOLDER ARCH...\n");
    return 2;
  }
  unsigned faults = 0;
  for (int a = 2; a < argc; a++) {
    struct check c = {.arch = argv[a], .options = options, .all = all, .share = share};
    struct kiln_context_desc desc = {.backend = "rocm", .arch = argv[a], .cache_mode = "off"};
    if (kiln_rocm_parse(argv[a], &c.target, NULL) || kiln_context_open(&desc, &c.ctx)) {
      fprintf(stderr, "%s: %s\n", argv[a], kiln_last_error());
      return 1;
    }
    walk_files(argv[1], visit_file, &c);
    kiln_context_close(c.ctx);
    printf("%s: %u programs, %u kernels, %u faults\n", argv[a], c.programs, c.kernels, c.faults);
    faults += c.faults + (c.kernels == 0);
  }
  return faults != 0;
}
