// Compiles every program of a folder for NVIDIA targets, reads the PTX back with the emulator's parser and compares it
// with the metadata and with what the host API reflects. Then ptxas, if there is one, must accept it.
//
//   cuda_check [--share N] [--options TEXT] FOLDER ARCH...
//
// --share N: one in N files. ptxas is what KILN_PTXAS names, or in PATH; where it has no code for a target (from 13.0
// on for those before sm_75), the exit status is 77 if nothing else is wrong. A program is a .cl file of the folder or
// of one below it, with the -D and -cl- options of its first "// run:" line. Programs that are rejected on purpose
// (rejects_*) are left out.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/code/target.h"
#include "base/file.h"
#include "kiln/kiln.h"
#include "tests/cuda/code/ptxas.h"
#include "tests/cuda/emulator/emulator.h"
#include "tests/support/walk.h"

enum { SKIPPED = 77, HIDDEN = 96, SHOWN = 2000, MAX_STATIC = 49152 }; // bytes of static shared memory

struct check {
  struct kiln_context *ctx;
  const struct kiln_cuda_model *model;
  const char *file, *arch, *options, *ptxas; // ptxas: NULL: none for this target
  unsigned programs, kernels, faults, share;
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

// ---- what the text says

static uint32_t align_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

static const struct ptx_entry *find_entry(struct ptx_module *module, uint32_t index) {
  size_t count;
  const struct ptx_entry *entries = ptx_entries(module, &count);
  return index < count ? &entries[index] : NULL;
}

static void check_parameters(struct check *c, const struct ptx_entry *entry, const struct kiln_kernel_info *info) {
  if (entry->parameter_count != info->arg_count + 1) {
    fault(c, "%s: %u parameters for %u arguments", info->name, entry->parameter_count, info->arg_count);
    return;
  }
  for (uint32_t i = 0; i < info->arg_count; i++) {
    const struct kiln_arg_info *arg = &info->args[i];
    const struct ptx_parameter *parameter = &entry->parameters[i];
    uint32_t size = arg->kind == KILN_ARG_LOCAL ? 4 : arg->kind == KILN_ARG_BUFFER ? 8 : arg->size;
    uint32_t align = arg->kind == KILN_ARG_VALUE ? arg->align : size;
    if (parameter->size != size || parameter->offset % (align ? align : 1))
      fault(c, "%s: argument %u of %u bytes is a parameter of %u bytes at %u", info->name, i, size, parameter->size,
            parameter->offset);
  }
  const struct ptx_parameter *hidden = &entry->parameters[info->arg_count];
  if (hidden->size != HIDDEN || hidden->offset % 8)
    fault(c, "%s: the last parameter has %u bytes", info->name, hidden->size);
  if (entry->parameter_bytes > kiln_cuda_max_parameters(c->model))
    fault(c, "%s: %u bytes of parameters", info->name, entry->parameter_bytes);
}

static void check_kernel(struct check *c, const struct ptx_entry *entry, const struct kiln_kernel_info *info) {
  uint32_t items = info->required_group_size[0] * info->required_group_size[1] * info->required_group_size[2];
  uint32_t most = entry->max_threads[0] * entry->max_threads[1] * entry->max_threads[2];
  if (items ? most != items : most < KILN_CUDA_COMMON_GROUP)
    fault(c, "%s: .maxntid %u", info->name, most);
  if (entry->need_threads[0])
    fault(c, "%s: .reqntid, and launches may be cut", info->name);
  uint32_t is_static = info->local_bytes <= MAX_STATIC ? info->local_bytes : 0;
  if (align_up(entry->shared_bytes, 128) != align_up(is_static, 128))
    fault(c, "%s: %u bytes of local memory, not %u", info->name, entry->shared_bytes, info->local_bytes);
  check_parameters(c, entry, info);
  c->kernels++;
}

static void check_text(struct check *c, struct kiln_program *program, const struct kiln_program_info *info) {
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(info->artifact, info->artifact_size, &error);
  if (!module) {
    fault(c, "the emulator does not read it: %s", error.text);
    return;
  }
  if (ptx_target(module) != c->model->number || ptx_version(module) < c->model->version)
    fault(c, ".version %u, .target %u", ptx_version(module), ptx_target(module));
  for (uint32_t i = 0; i < info->kernel_count; i++) {
    const struct ptx_entry *entry = find_entry(module, i);
    struct kiln_kernel *kernel = NULL;
    if (!entry || kiln_kernel_create(program, kiln_program_kernel_name(program, i), &kernel))
      fault(c, "kernel %s is missing", kiln_program_kernel_name(program, i));
    else
      check_kernel(c, entry, kiln_kernel_info(kernel));
    kiln_kernel_release(kernel);
  }
  ptx_free(module);
}

static void check_program(struct check *c, struct kiln_program *program) {
  struct kiln_program_info info;
  char log[SHOWN];
  kiln_program_info(program, &info);
  check_text(c, program, &info);
  int status = c->ptxas ? run_ptxas(c->ptxas, c->arch, info.artifact, info.artifact_size, log, sizeof log) : 0;
  if (status)
    fault(c, "ptxas says (%d): %s", status, log);
}

static void check_file(struct check *c, const char *path) {
  char options[1024], *text;
  size_t size;
  if (kiln_file_read(path, &text, &size)) {
    fault(c, "cannot be read");
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
  c->programs++;
  free(text);
}

static void visit_file(void *user, const char *path, const char *name) {
  struct check *c = user;
  const char *dot = strrchr(name, '.');
  if (!dot || strcmp(dot, ".cl") || strstr(name, "rejects_") || !walk_is_in_share(name, c->share, 0))
    return;
  c->file = name;
  check_file(c, path);
}

int main(int argc, char **argv) {
  const char *options = "";
  unsigned share = 0, faults = 0, without = 0;
  for (; argc > 3 && !strncmp(argv[1], "--", 2); argv += 2, argc -= 2) {
    if (!strcmp(argv[1], "--share"))
      share = (unsigned)atoi(argv[2]);
    else
      options = argv[2];
  }
  if (argc < 3) {
    fprintf(stderr, "usage: cuda_check [--share N] [--options TEXT] FOLDER ARCH...\n");
    return 2;
  }
  for (int a = 2; a < argc; a++) {
    struct check c = {.arch = argv[a], .options = options, .share = share, .model = kiln_cuda_find_model(argv[a])};
    struct kiln_context_desc desc = {.backend = "cuda", .arch = argv[a], .cache_mode = "off"};
    if (!c.model || kiln_context_open(&desc, &c.ctx)) {
      fprintf(stderr, "%s: %s\n", argv[a], kiln_last_error());
      return 1;
    }
    c.ptxas = find_ptxas(argv[a]);
    walk_files(argv[1], visit_file, &c);
    kiln_context_close(c.ctx);
    printf("%s: %u programs, %u kernels, %u faults%s\n", argv[a], c.programs, c.kernels, c.faults,
           c.ptxas ? "" : ", no ptxas");
    faults += c.faults + (c.kernels == 0);
    without += !c.ptxas;
  }
  return faults ? 1 : without ? SKIPPED : 0;
}
