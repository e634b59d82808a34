// Loads code objects as the runtime's loader does, and decodes their instructions when they are reached first.
#include "tests/rocm/emulator/code.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static const Elf64_Phdr *segments(const void *code) {
  const Elf64_Ehdr *header = code;
  return (const Elf64_Phdr *)(const void *)((const char *)code + header->e_phoff);
}

// Whether every segment lies in the file. size is set to what they need in memory.
static bool measure(const void *code, size_t file_size, size_t *size) {
  const Elf64_Ehdr *header = code;
  if (file_size < sizeof *header || header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > file_size)
    return false;
  *size = 0;
  for (int i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr *segment = &segments(code)[i];
    if (segment->p_type != PT_LOAD)
      continue;
    if (segment->p_offset + segment->p_filesz > file_size || segment->p_filesz > segment->p_memsz)
      return false;
    if (segment->p_vaddr + segment->p_memsz > *size)
      *size = segment->p_vaddr + segment->p_memsz;
  }
  *size = (*size + PAGE - 1) / PAGE * PAGE;
  return *size > 0 && *size < (size_t)1 << 32;
}

static void map_segments(struct emulated *o, const void *code) {
  const Elf64_Ehdr *header = code;
  for (int i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr *segment = &segments(code)[i];
    if (segment->p_type != PT_LOAD)
      continue;
    memcpy(o->base + segment->p_vaddr, (const char *)code + segment->p_offset, segment->p_filesz);
    if (segment->p_flags & PF_X) {
      o->text_begin = (uint64_t)(uintptr_t)o->base + segment->p_vaddr / 4 * 4;
      o->text_end = (uint64_t)(uintptr_t)o->base + segment->p_vaddr + segment->p_memsz;
    }
  }
}

static bool relocate(struct emulated *o, const void *code) {
  const Elf64_Ehdr *header = code;
  const Elf64_Rela *relocations = NULL;
  const Elf64_Sym *symbols = NULL;
  uint64_t bytes = 0;
  for (int i = 0; i < header->e_phnum; i++) {
    if (segments(code)[i].p_type != PT_DYNAMIC)
      continue;
    const Elf64_Dyn *entry = (const void *)(o->base + segments(code)[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_RELA)
        relocations = (const void *)(o->base + entry->d_un.d_ptr);
      if (entry->d_tag == DT_RELASZ)
        bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_SYMTAB)
        symbols = (const void *)(o->base + entry->d_un.d_ptr);
    }
  }
  for (uint64_t i = 0; relocations && i < bytes / sizeof *relocations; i++) {
    const Elf64_Rela *r = &relocations[i];
    uint64_t value = (uint64_t)(uintptr_t)o->base + (uint64_t)r->r_addend;
    if (r->r_offset + 8 > o->size)
      return false;
    if (ELF64_R_SYM(r->r_info))
      value += symbols[ELF64_R_SYM(r->r_info)].st_value;
    memcpy(o->base + r->r_offset, &value, sizeof value);
  }
  return true;
}

static void identify(struct emulated *o, const char *processor) {
  snprintf(o->processor, sizeof o->processor, "%.*s", (int)strcspn(processor, ":"), processor);
  const char *number = o->processor + 3; // behind "gfx"
  o->generation = number[0] == '9' ? 9 : (unsigned)((number[0] - '0') * 10 + (number[1] - '0'));
  o->packs_ids = o->generation >= 11 || !strncmp(number, "90a", 3) || !strncmp(number, "94", 2);
}

struct emulated *emulated_load(const void *code, size_t size, const char *processor, char *error, size_t error_size) {
  struct emulated *o = calloc(1, sizeof *o);
  if (strncmp(processor, "gfx", 3) != 0 || strlen(processor) < 5 || !measure(code, size, &o->size)) {
    snprintf(error, error_size, "this is no code object for %s", processor);
    free(o);
    return NULL;
  }
  identify(o, processor);
  o->base = mmap(NULL, o->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (o->base == MAP_FAILED) {
    snprintf(error, error_size, "no memory for a code object of %zu bytes", o->size);
    free(o);
    return NULL;
  }
  map_segments(o, code);
  if (relocate(o, code))
    return o;
  snprintf(error, error_size, "a relocation lies outside of the code object");
  emulated_free(o);
  return NULL;
}

void emulated_free(struct emulated *o) {
  if (!o)
    return;
  for (int i = 0; i < 2; i++) {
    for (uint64_t k = 0; o->by_wave[i].at && k <= (o->text_end - o->text_begin) / 4; k++)
      instruction_free(o->by_wave[i].at[k]);
    free(o->by_wave[i].at);
    decoder_free(o->by_wave[i].decoder);
  }
  munmap(o->base, o->size);
  free(o);
}

void *emulated_memory(struct emulated *o, size_t *size) {
  *size = o->size;
  return o->base;
}

uint64_t emulated_variable(struct emulated *o, const void *code, const char *name) {
  const Elf64_Ehdr *header = code;
  const Elf64_Shdr *sections = (const void *)((const char *)code + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNSYM)
      continue;
    const Elf64_Sym *symbols = (const void *)((const char *)code + sections[i].sh_offset);
    const char *names = (const char *)code + sections[sections[i].sh_link].sh_offset;
    for (uint64_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
      if (ELF64_ST_TYPE(symbols[k].st_info) == STT_OBJECT && ELF64_ST_BIND(symbols[k].st_info) == STB_GLOBAL &&
          symbols[k].st_shndx != SHN_UNDEF && !strcmp(names + symbols[k].st_name, name))
        return (uint64_t)(uintptr_t)o->base + symbols[k].st_value;
  }
  return 0;
}

const struct instruction *fetch(struct emulated *o, struct wave *wave) {
  int which = wave->size == 64;
  uint64_t words = (o->text_end - o->text_begin) / 4 + 1;
  if (wave->pc < o->text_begin || wave->pc >= o->text_end || wave->pc % 4) {
    wave_fail(wave, "a jump out of the code, to %#llx", (unsigned long long)wave->pc);
    return NULL;
  }
  if (!o->by_wave[which].decoder) {
    o->by_wave[which].decoder = decoder_create(o->processor, wave->size);
    o->by_wave[which].at = calloc(words, sizeof *o->by_wave[which].at);
    if (!o->by_wave[which].decoder || !o->by_wave[which].at) {
      wave_fail(wave, "LLVM has no disassembler for %s", o->processor);
      return NULL;
    }
  }
  struct instruction **slot = &o->by_wave[which].at[(wave->pc - o->text_begin) / 4];
  if (!*slot) {
    char why[400] = "";
    *slot =
        decode(o->by_wave[which].decoder, (const void *)(uintptr_t)wave->pc, o->text_end - wave->pc, why, sizeof why);
    if (!*slot)
      wave_fail(wave, "%s", why);
  }
  return *slot;
}
