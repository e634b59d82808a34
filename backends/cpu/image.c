#include "backends/cpu/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MAX_LIBRARIES = 4 };
static const uint64_t max_span = 1u << 30;

struct kiln_cpu_image {
  unsigned char *base;
  size_t span; // bytes from base
  const Elf64_Sym *symbols;
  size_t symbol_count;
  const char *strings;
  size_t string_bytes; // the last one is a NUL
  void *libraries[MAX_LIBRARIES];
  uint32_t library_count;
};

// The file that it is made of.
struct elf {
  const unsigned char *data;
  size_t size;
  Elf64_Ehdr header;
};

#ifdef __aarch64__
enum { MACHINE = EM_AARCH64, RELATIVE = R_AARCH64_RELATIVE, ABSOLUTE = R_AARCH64_ABS64 };
static bool is_slot(uint32_t type) { return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT; }
#else
enum { MACHINE = EM_X86_64, RELATIVE = R_X86_64_RELATIVE, ABSOLUTE = R_X86_64_64 };
static bool is_slot(uint32_t type) { return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT; }
#endif

static const char malformed[] = "its code is no shared object as the compiler makes it";

static bool within(uint64_t offset, uint64_t bytes, uint64_t size) { return offset <= size && bytes <= size - offset; }

static bool read_header(struct elf *elf) {
  if (elf->size < sizeof elf->header)
    return false;
  memcpy(&elf->header, elf->data, sizeof elf->header);
  const Elf64_Ehdr *h = &elf->header;
  return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_type == ET_DYN &&
         h->e_machine == MACHINE && h->e_phentsize == sizeof(Elf64_Phdr) &&
         within(h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr), elf->size);
}

static Elf64_Phdr segment_at(const struct elf *elf, unsigned i) {
  Elf64_Phdr segment;
  memcpy(&segment, elf->data + elf->header.e_phoff + i * sizeof segment, sizeof segment);
  return segment;
}

// ---- laying it out

static bool measure(const struct elf *elf, size_t *span) {
  *span = 0;
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    Elf64_Phdr s = segment_at(elf, i);
    if (s.p_type == PT_TLS)
      return false;
    if (s.p_type != PT_LOAD)
      continue;
    if (!within(s.p_offset, s.p_filesz, elf->size) || s.p_filesz > s.p_memsz || !within(s.p_vaddr, s.p_memsz, max_span))
      return false;
    size_t end = (s.p_vaddr + s.p_memsz + PAGE - 1) / PAGE * PAGE;
    *span = end > *span ? end : *span;
  }
  return *span != 0;
}

static void copy_segments(const struct elf *elf, struct kiln_cpu_image *image) {
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    Elf64_Phdr s = segment_at(elf, i);
    if (s.p_type == PT_LOAD)
      memcpy(image->base + s.p_vaddr, elf->data + s.p_offset, s.p_filesz);
  }
}

// No page is both written and run; segments do not share pages.
static bool protect(const struct elf *elf, const struct kiln_cpu_image *image) {
  bool ok = true;
  for (unsigned i = 0; i < elf->header.e_phnum && ok; i++) {
    Elf64_Phdr s = segment_at(elf, i);
    if (s.p_type != PT_LOAD || s.p_flags & PF_W)
      continue;
    uint64_t start = s.p_vaddr / PAGE * PAGE, end = (s.p_vaddr + s.p_memsz + PAGE - 1) / PAGE * PAGE;
    ok = mprotect(image->base + start, end - start, PROT_READ | (s.p_flags & PF_X ? PROT_EXEC : 0)) == 0;
  }
  return ok;
}

// ---- symbols

// The table of symbols is as long as its section.
static bool find_symbols(const struct elf *elf, struct kiln_cpu_image *image) {
  const Elf64_Ehdr *h = &elf->header;
  Elf64_Shdr table, strings;
  if (h->e_shentsize != sizeof table || !within(h->e_shoff, h->e_shnum * sizeof table, elf->size))
    return false;
  for (unsigned i = 0; i < h->e_shnum; i++) {
    memcpy(&table, elf->data + h->e_shoff + i * sizeof table, sizeof table);
    if (table.sh_type != SHT_DYNSYM)
      continue;
    if (table.sh_link >= h->e_shnum)
      return false;
    memcpy(&strings, elf->data + h->e_shoff + table.sh_link * sizeof strings, sizeof strings);
    if (!within(table.sh_addr, table.sh_size, image->span) || table.sh_addr % _Alignof(Elf64_Sym) ||
        !within(strings.sh_addr, strings.sh_size, image->span) || strings.sh_size == 0)
      return false;
    image->symbols = (const Elf64_Sym *)(const void *)(image->base + table.sh_addr);
    image->symbol_count = table.sh_size / sizeof *image->symbols;
    image->strings = (const char *)image->base + strings.sh_addr;
    image->string_bytes = strings.sh_size;
    return image->strings[image->string_bytes - 1] == '\0';
  }
  return false;
}

static const char *string_at(const struct kiln_cpu_image *image, uint64_t offset) {
  return offset < image->string_bytes ? image->strings + offset : "";
}

void *kiln_cpu_image_symbol(const struct kiln_cpu_image *image, const char *name) {
  for (size_t i = 1; i < image->symbol_count; i++) {
    const Elf64_Sym *symbol = &image->symbols[i];
    if (symbol->st_shndx != SHN_UNDEF && strcmp(string_at(image, symbol->st_name), name) == 0)
      return symbol->st_value < image->span ? image->base + symbol->st_value : NULL;
  }
  return NULL;
}

static bool resolve(const struct kiln_cpu_image *image, uint32_t index, uint64_t *out, const char **reason) {
  if (index >= image->symbol_count)
    return false;
  const Elf64_Sym *symbol = &image->symbols[index];
  if (symbol->st_shndx != SHN_UNDEF) {
    *out = (uint64_t)(uintptr_t)image->base + symbol->st_value;
    return symbol->st_value < image->span;
  }
  void *found = NULL;
  for (uint32_t i = 0; i < image->library_count && !found; i++)
    found = dlsym(image->libraries[i], string_at(image, symbol->st_name));
  *out = (uint64_t)(uintptr_t)found;
  if (!found)
    *reason = "a function of the C library that it calls is not there";
  return found != NULL;
}

// ---- the dynamic section

static bool relocate(struct kiln_cpu_image *image, uint64_t at, uint64_t bytes, const char **reason) {
  if (!within(at, bytes, image->span))
    return false;
  for (uint64_t i = 0; i < bytes / sizeof(Elf64_Rela); i++) {
    Elf64_Rela r;
    uint64_t value;
    memcpy(&r, image->base + at + i * sizeof r, sizeof r);
    uint32_t type = ELF64_R_TYPE(r.r_info);
    if (!within(r.r_offset, sizeof value, image->span))
      return false;
    if (type == RELATIVE)
      value = (uint64_t)(uintptr_t)image->base;
    else if ((type != ABSOLUTE && !is_slot(type)) || !resolve(image, (uint32_t)ELF64_R_SYM(r.r_info), &value, reason))
      return false;
    value += (uint64_t)r.r_addend;
    memcpy(image->base + r.r_offset, &value, sizeof value);
  }
  return true;
}

static bool need_library(struct kiln_cpu_image *image, const char *name, const char **reason) {
  void *library = image->library_count < MAX_LIBRARIES ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library)
    image->libraries[image->library_count++] = library;
  else
    *reason = "a library that it needs is not there";
  return library != NULL;
}

static bool link_it(const struct elf *elf, struct kiln_cpu_image *image, const char **reason) {
  uint64_t rela = 0, rela_bytes = 0, plt = 0, plt_bytes = 0;
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    Elf64_Phdr s = segment_at(elf, i);
    if (s.p_type != PT_DYNAMIC)
      continue;
    for (uint64_t k = 0; k < s.p_filesz / sizeof(Elf64_Dyn); k++) {
      Elf64_Dyn entry;
      if (!within(s.p_vaddr + k * sizeof entry, sizeof entry, image->span))
        return false;
      memcpy(&entry, image->base + s.p_vaddr + k * sizeof entry, sizeof entry);
      if (entry.d_tag == DT_RELA)
        rela = entry.d_un.d_ptr;
      else if (entry.d_tag == DT_RELASZ)
        rela_bytes = entry.d_un.d_val;
      else if (entry.d_tag == DT_JMPREL)
        plt = entry.d_un.d_ptr;
      else if (entry.d_tag == DT_PLTRELSZ)
        plt_bytes = entry.d_un.d_val;
      else if (entry.d_tag == DT_NEEDED && !need_library(image, string_at(image, entry.d_un.d_val), reason))
        return false;
      else if (entry.d_tag == DT_INIT || entry.d_tag == DT_INIT_ARRAY || entry.d_tag == DT_TEXTREL ||
               entry.d_tag == DT_REL || entry.d_tag == DT_RELR)
        return false;
    }
  }
  return relocate(image, rela, rela_bytes, reason) && relocate(image, plt, plt_bytes, reason);
}

// ---- opening and closing

struct kiln_cpu_image *kiln_cpu_image_open(const void *data, size_t size, const char **reason) {
  struct elf elf = {.data = data, .size = size};
  struct kiln_cpu_image *image = calloc(1, sizeof *image);
  *reason = image ? malformed : strerrordesc_np(ENOMEM);
  if (!image || !read_header(&elf) || !measure(&elf, &image->span)) {
    free(image);
    return NULL;
  }
  void *base = mmap(NULL, image->span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    *reason = strerrordesc_np(errno);
    free(image);
    return NULL;
  }
  image->base = base;
  copy_segments(&elf, image);
  bool ok = find_symbols(&elf, image) && link_it(&elf, image, reason);
  if (ok && !protect(&elf, image)) {
    *reason = strerrordesc_np(errno);
    ok = false;
  }
  if (ok) {
    __builtin___clear_cache((char *)image->base, (char *)image->base + image->span);
    return image;
  }
  kiln_cpu_image_close(image);
  return NULL;
}

void kiln_cpu_image_close(struct kiln_cpu_image *image) {
  if (!image)
    return;
  munmap(image->base, image->span);
  for (uint32_t i = 0; i < image->library_count; i++)
    dlclose(image->libraries[i]);
  free(image);
}
