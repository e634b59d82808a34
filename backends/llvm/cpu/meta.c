// The metadata of a program for the CPU: what the driver must know about its kernels (backends/cpu/abi.h).
#include "backends/llvm/cpu/kernel.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/llvm/core/frames.h"
#include "backends/llvm/core/parts.h"

static bool find_build_id(const unsigned char *data, size_t size, uint8_t id[20]) {
  Elf64_Ehdr header;
  if (size < sizeof header)
    return false;
  memcpy(&header, data, sizeof header);
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, data + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_filesz < sizeof(Elf64_Nhdr) + 24)
      continue;
    Elf64_Nhdr note;
    memcpy(&note, data + segment.p_offset, sizeof note);
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz != 20)
      continue;
    memcpy(id, data + segment.p_offset + sizeof note + 4, 20);
    return true;
  }
  return false;
}

// The size of a kernel's machine code in bytes, from the dynamic symbols of the library.
static uint32_t code_size(const unsigned char *data, const char *kernel) {
  Elf64_Ehdr header;
  memcpy(&header, data, sizeof header);
  size_t length = strlen(kernel);
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr symbols, strings;
    memcpy(&symbols, data + header.e_shoff + i * sizeof symbols, sizeof symbols);
    if (symbols.sh_type != SHT_DYNSYM)
      continue;
    memcpy(&strings, data + header.e_shoff + symbols.sh_link * sizeof strings, sizeof strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, data + symbols.sh_offset + at, sizeof symbol);
      const char *name = (const char *)data + strings.sh_offset + symbol.st_name;
      if (!strncmp(name, kernel, length) && !strcmp(name + length, KILN_CPU_SYMBOL_SUFFIX))
        return (uint32_t)symbol.st_size;
    }
  }
  return 0;
}

// Collects the kernels of all parts in the order of the program, and the offsets of their arguments.
static void gather(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                   struct kiln_cpu_meta_kernel *kernels, struct kiln_kernel_resources *resources, uint32_t *offsets) {
  const struct kiln_module *ir = parts[0].ll->ir;
  uint32_t next[KILN_LL_MAX_PARTS] = {0}, arg_count = 0;
  for (uint32_t i = 0; i < ir->function_count; i++) {
    if (!ir->functions[i]->is_kernel)
      continue;
    uint32_t p = division->part_of[i];
    const struct kiln_ll *ll = parts[p].ll;
    *resources++ = ll->cpu_resources[next[p]];
    *kernels = ll->cpu_kernels[next[p]++];
    memcpy(offsets + arg_count, ll->cpu_arg_offsets + kernels->arg_first, kernels->arg_count * sizeof *offsets);
    kernels->arg_first = arg_count;
    arg_count += kernels->arg_count;
    kernels++;
  }
}

static uint32_t clamp(uint64_t value) { return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX; }

// Adds the stack size of a kernel, and a work-item's share of it and of the item block.
static enum kiln_status add_stack(struct kiln_ll_frames *frames, const char *name, struct kiln_cpu_meta_kernel *kernel,
                                  struct kiln_kernel_resources *resources, struct kiln_report *report) {
  struct kiln_strbuf symbol = {0};
  struct kiln_ll_stack stack;
  kiln_strbuf_printf(&symbol, "%s" KILN_CPU_SYMBOL_SUFFIX, name);
  bool has_memory = !symbol.failed, is_told = has_memory && kiln_ll_frames_sum(frames, symbol.data, &stack);
  kiln_strbuf_free(&symbol);
  if (!has_memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  if (!is_told)
    return kiln_fail(report, KILN_ERR_COMPILE,
                     "the code does not say what stack kernel '%s' needs: assembly has a line "
                     "\"# kiln frame\" for each function",
                     name);
  kernel->stack_bytes = clamp(stack.bytes);
  uint64_t held = stack.held / kernel->lanes + (stack.held % kernel->lanes != 0);
  resources->private_bytes = clamp(held < UINT32_MAX ? held + kernel->item_bytes : held);
  uint32_t most = kernel->item_bytes ? KILN_CPU_MAX_ITEM_BLOCK / kernel->item_bytes : KILN_CPU_MAX_GROUP;
  if (most < KILN_CPU_MAX_GROUP)
    resources->max_group_size = most ? most : 1; // a launch of that says why it cannot be
  return KILN_OK;
}

static enum kiln_status add_stacks(const struct kiln_ll_part *parts, uint32_t part_count,
                                   struct kiln_cpu_meta_kernel *kernels, struct kiln_kernel_resources *resources,
                                   struct kiln_report *report) {
  const struct kiln_module *ir = parts[0].ll->ir;
  struct kiln_ll_frames frames;
  if (!kiln_ll_frames_read(&frames, parts, part_count))
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < ir->function_count && !status; i++)
    if (ir->functions[i]->is_kernel)
      status = add_stack(&frames, ir->functions[i]->name, kernels++, resources++, report);
  kiln_ll_frames_free(&frames);
  return status;
}

enum kiln_status kiln_ll_cpu_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                  struct kiln_artifact *out, struct kiln_report *report) {
  const struct kiln_module *ir = parts[0].ll->ir;
  struct kiln_cpu_meta meta = {.magic = KILN_CPU_META_MAGIC, .abi = KILN_CPU_ABI};
  for (uint32_t p = 0; p < division->count; p++) {
    meta.kernel_count += parts[p].ll->cpu_kernel_count;
    meta.arg_count += parts[p].ll->cpu_arg_count;
  }
  for (uint32_t i = 0; i < ir->global_count; i++)
    if (kiln_ll_is_state(&ir->globals[i]))
      meta.flags |= KILN_CPU_HAS_STATE;
  if (parts[0].ll->job->options.flags & KILN_BUILD_DEBUG_INFO)
    meta.flags |= KILN_CPU_HAS_LINES;
  if (!find_build_id(out->data, out->size, meta.build_id))
    return kiln_fail(report, KILN_ERR_INTERNAL, "the linked library has no build id");
  size_t kernel_bytes = meta.kernel_count * sizeof(struct kiln_cpu_meta_kernel);
  out->meta_size = sizeof meta + kernel_bytes + meta.arg_count * sizeof(uint32_t);
  out->meta = malloc(out->meta_size);
  out->kernels = calloc(meta.kernel_count + 1, sizeof *out->kernels);
  if (!out->meta || !out->kernels)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  memcpy(out->meta, &meta, sizeof meta);
  struct kiln_cpu_meta_kernel *kernels = (struct kiln_cpu_meta_kernel *)((char *)out->meta + sizeof meta);
  gather(parts, division, kernels, out->kernels, (uint32_t *)((char *)kernels + kernel_bytes));
  uint32_t k = 0;
  for (uint32_t i = 0; i < ir->function_count; i++) {
    if (!ir->functions[i]->is_kernel)
      continue;
    out->kernels[k].local_bytes = kernels[k].local_bytes;
    out->kernels[k].code_bytes = code_size(out->data, ir->functions[i]->name);
    k++;
  }
  return add_stacks(parts, division->count, kernels, out->kernels, report);
}
