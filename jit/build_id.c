// Build ids of loaded objects, from their notes in memory.
#include "jit/build_id.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct search {
  uintptr_t address;
  char *out;
  size_t size;
  bool found;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
      return true;
  }
  return false;
}

static void read_notes(struct search *s, const unsigned char *at, size_t size) {
  const unsigned char *end = at + size;
  while ((size_t)(end - at) > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const unsigned char *name = at + sizeof note, *data = name + ((note.n_namesz + 3) & ~3u);
    bool is_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0;
    if (is_id && 2 * (size_t)note.n_descsz < s->size) {
      for (uint32_t i = 0; i < note.n_descsz; i++)
        sprintf(s->out + 2 * i, "%02x", data[i]);
      s->found = true;
      return;
    }
    at = data + ((note.n_descsz + 3) & ~3u);
  }
}

static int look(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  struct search *s = user;
  if (!holds(info, s->address))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && !s->found; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE)
      read_notes(s, (const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
  }
  return 1;
}

bool kiln_loaded_build_id(const void *address, char *out, size_t size) {
  struct search s = {(uintptr_t)address, out, size, false};
  dl_iterate_phdr(look, &s);
  return s.found;
}
