// The metadata of a program for the CPU: what the driver must know of its kernels (backends/cpu/abi.h).
#include "backends/llvm/stages.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "backends/llvm/parts.h"

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

// Bytes of machine code of a kernel, from the dynamic symbols of the library.
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

// Kernels of all parts in the order of the program, and the offsets of their arguments.
static void gather(const struct kiln_ll_part *parts, const struct kiln_ll_plan *plan,
                   struct kiln_cpu_meta_kernel *kernels, struct kiln_kernel_resources *resources, uint32_t *offsets) {
  const struct kiln_module *ir = parts[0].ll->ir;
  uint32_t next[KILN_LL_MAX_PARTS] = {0}, arg_count = 0;
  for (uint32_t i = 0; i < ir->function_count; i++) {
    if (!ir->functions[i]->is_kernel)
      continue;
    uint32_t p = plan->part_of[i];
    const struct kiln_ll *ll = parts[p].ll;
    *resources++ = ll->cpu_resources[next[p]];
    *kernels = ll->cpu_kernels[next[p]++];
    memcpy(offsets + arg_count, ll->cpu_arg_offsets + kernels->arg_first, kernels->arg_count * sizeof *offsets);
    kernels->arg_first = arg_count;
    arg_count += kernels->arg_count;
    kernels++;
  }
}

enum kiln_status kiln_ll_cpu_meta(const struct kiln_ll_part *parts, const struct kiln_ll_plan *plan,
                                  struct kiln_artifact *out, struct kiln_report *report) {
  const struct kiln_module *ir = parts[0].ll->ir;
  struct kiln_cpu_meta meta = {.magic = KILN_CPU_META_MAGIC, .abi = KILN_CPU_ABI};
  for (uint32_t p = 0; p < plan->count; p++) {
    meta.kernel_count += parts[p].ll->cpu_kernel_count;
    meta.arg_count += parts[p].ll->cpu_arg_count;
  }
  for (uint32_t i = 0; i < ir->global_count; i++)
    if (ir->globals[i].space == KILN_GLOBAL)
      meta.flags |= KILN_CPU_HAS_STATE;
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
  gather(parts, plan, kernels, out->kernels, (uint32_t *)((char *)kernels + kernel_bytes));
  uint32_t k = 0;
  for (uint32_t i = 0; i < ir->function_count; i++) {
    if (!ir->functions[i]->is_kernel)
      continue;
    out->kernels[k].local_bytes = kernels[k].local_bytes;
    out->kernels[k].private_bytes = kernels[k].item_bytes;
    out->kernels[k].code_bytes = code_size(out->data, ir->functions[i]->name);
    k++;
  }
  return KILN_OK;
}
