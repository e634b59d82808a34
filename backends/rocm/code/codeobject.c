// Reading code objects.
#include "backends/rocm/code/codeobject.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/code/msgpack.h"

#define ELF_MACHINE_AMDGPU 224
#define ELF_OSABI_HSA 64
#define NOTE_METADATA 32

struct file {
  const unsigned char *data;
  size_t size;
  Elf64_Ehdr header;
};

static bool inside(const struct file *f, uint64_t offset, uint64_t size) {
  return offset <= f->size && size <= f->size - offset;
}

// ---- metadata

static bool is(struct kiln_msgpack_value value, const char *text) {
  return value.kind == KILN_MSGPACK_STRING && strlen(text) == value.count && !memcmp(value.text, text, value.count);
}

static void copy_text(char *out, size_t size, struct kiln_msgpack_value value) {
  size_t count = value.kind == KILN_MSGPACK_STRING ? value.count : 0;
  if (count >= size)
    count = size - 1;
  memcpy(out, value.text ? value.text : "", count);
  out[count] = 0;
}

static char *take_text(struct kiln_msgpack *r, struct kiln_msgpack_value value) {
  char *text = value.kind == KILN_MSGPACK_STRING ? strndup(value.text, value.count) : NULL;
  r->no_memory |= value.kind == KILN_MSGPACK_STRING && !text;
  return text;
}

static uint32_t number(struct kiln_msgpack_value value) {
  return value.kind == KILN_MSGPACK_UINT || value.kind == KILN_MSGPACK_BOOL ? (uint32_t)value.number : 0;
}

static enum kiln_rocm_arg_kind kind_of(const char *text) {
  if (!strcmp(text, "by_value"))
    return KILN_ROCM_ARG_VALUE;
  if (!strcmp(text, "global_buffer"))
    return KILN_ROCM_ARG_GLOBAL;
  if (!strcmp(text, "dynamic_shared_pointer"))
    return KILN_ROCM_ARG_LOCAL;
  return strncmp(text, "hidden_", 7) ? KILN_ROCM_ARG_OTHER : KILN_ROCM_ARG_HIDDEN;
}

static void read_arg(struct kiln_msgpack *r, struct kiln_rocm_arg *arg) {
  struct kiln_msgpack_value map = kiln_msgpack_next(r);
  if (map.kind != KILN_MSGPACK_MAP)
    r->failed = true;
  for (uint32_t i = 0; i < map.count && !r->failed; i++) {
    struct kiln_msgpack_value key = kiln_msgpack_next(r), value = kiln_msgpack_next(r);
    if (is(key, ".offset"))
      arg->offset = number(value);
    else if (is(key, ".size"))
      arg->size = number(value);
    else if (is(key, ".pointee_align"))
      arg->pointee_align = number(value);
    else if (is(key, ".value_kind"))
      copy_text(arg->value_kind, sizeof arg->value_kind, value);
    else if (is(key, ".address_space"))
      copy_text(arg->address_space, sizeof arg->address_space, value);
    kiln_msgpack_skip(r, value);
  }
  arg->kind = kind_of(arg->value_kind);
}

static void read_args(struct kiln_msgpack *r, struct kiln_msgpack_value array, struct kiln_rocm_kernel *kernel) {
  if (array.kind != KILN_MSGPACK_ARRAY || kernel->args) {
    r->failed = true;
    return;
  }
  kernel->args = calloc(array.count + 1, sizeof *kernel->args);
  if (!kernel->args)
    r->failed = r->no_memory = true;
  for (uint32_t i = 0; i < array.count && !r->failed; i++)
    read_arg(r, &kernel->args[kernel->arg_count++]);
}

static void read_sizes(struct kiln_msgpack *r, struct kiln_msgpack_value array, uint32_t sizes[3]) {
  if (array.kind != KILN_MSGPACK_ARRAY || array.count != 3) {
    r->failed = true;
    return;
  }
  for (int d = 0; d < 3; d++)
    sizes[d] = number(kiln_msgpack_next(r));
}

static const struct {
  const char *key;
  size_t offset;
} number_keys[] = {
    {".kernarg_segment_size", offsetof(struct kiln_rocm_kernel, kernarg_bytes)},
    {".kernarg_segment_align", offsetof(struct kiln_rocm_kernel, kernarg_align)},
    {".group_segment_fixed_size", offsetof(struct kiln_rocm_kernel, local_bytes)},
    {".private_segment_fixed_size", offsetof(struct kiln_rocm_kernel, private_bytes)},
    {".vgpr_count", offsetof(struct kiln_rocm_kernel, vgprs)},
    {".agpr_count", offsetof(struct kiln_rocm_kernel, agprs)},
    {".sgpr_count", offsetof(struct kiln_rocm_kernel, sgprs)},
    {".vgpr_spill_count", offsetof(struct kiln_rocm_kernel, vgpr_spills)},
    {".sgpr_spill_count", offsetof(struct kiln_rocm_kernel, sgpr_spills)},
    {".wavefront_size", offsetof(struct kiln_rocm_kernel, wave_size)},
    {".max_flat_workgroup_size", offsetof(struct kiln_rocm_kernel, max_group_size)},
};

static void read_kernel_value(struct kiln_msgpack *r, struct kiln_msgpack_value key, struct kiln_msgpack_value value,
                              struct kiln_rocm_kernel *kernel) {
  for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; i++)
    if (is(key, number_keys[i].key)) {
      uint32_t n = number(value);
      memcpy((char *)kernel + number_keys[i].offset, &n, sizeof n);
      break;
    }
  if (is(key, ".args"))
    read_args(r, value, kernel);
  else if (is(key, ".reqd_workgroup_size"))
    read_sizes(r, value, kernel->required_group_size);
  else
    kiln_msgpack_skip(r, value);
  if (is(key, ".name") && !kernel->name)
    kernel->name = take_text(r, value);
  if (is(key, ".symbol") && !kernel->symbol)
    kernel->symbol = take_text(r, value);
  if (is(key, ".uses_dynamic_stack"))
    kernel->dynamic_stack = number(value);
  if (is(key, ".uniform_work_group_size"))
    kernel->uniform_groups = number(value);
}

static void read_kernels(struct kiln_msgpack *r, struct kiln_msgpack_value array, struct kiln_rocm_object *out) {
  if (array.kind != KILN_MSGPACK_ARRAY || out->kernels) {
    r->failed = true;
    return;
  }
  out->kernels = calloc(array.count + 1, sizeof *out->kernels);
  if (!out->kernels)
    r->failed = r->no_memory = true;
  for (uint32_t k = 0; k < array.count && !r->failed; k++) {
    struct kiln_rocm_kernel *kernel = &out->kernels[out->kernel_count++];
    struct kiln_msgpack_value map = kiln_msgpack_next(r);
    if (map.kind != KILN_MSGPACK_MAP)
      r->failed = true;
    for (uint32_t i = 0; i < map.count && !r->failed; i++) {
      struct kiln_msgpack_value key = kiln_msgpack_next(r), value = kiln_msgpack_next(r);
      read_kernel_value(r, key, value, kernel);
    }
    if (!kernel->name || !kernel->symbol)
      r->failed = true;
  }
}

static const char *read_metadata(const unsigned char *data, size_t size, struct kiln_rocm_object *out) {
  struct kiln_msgpack r = {data, data + size, false};
  struct kiln_msgpack_value map = kiln_msgpack_next(&r);
  if (map.kind != KILN_MSGPACK_MAP)
    r.failed = true;
  for (uint32_t i = 0; i < map.count && !r.failed; i++) {
    struct kiln_msgpack_value key = kiln_msgpack_next(&r), value = kiln_msgpack_next(&r);
    if (is(key, "amdhsa.kernels")) {
      read_kernels(&r, value, out);
    } else if (is(key, "amdhsa.version") && value.kind == KILN_MSGPACK_ARRAY && value.count == 2) {
      out->version[0] = number(kiln_msgpack_next(&r));
      out->version[1] = number(kiln_msgpack_next(&r));
    } else {
      if (is(key, "amdhsa.target"))
        copy_text(out->target, sizeof out->target, value);
      kiln_msgpack_skip(&r, value);
    }
  }
  out->no_memory = r.no_memory;
  return r.no_memory ? "out of memory" : r.failed ? "its metadata is damaged" : NULL;
}

static const char *read_notes(const struct file *f, struct kiln_rocm_object *out) {
  for (unsigned i = 0; i < f->header.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, f->data + f->header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE)
      continue;
    if (!inside(f, segment.p_offset, segment.p_filesz))
      return "its notes are outside of it";
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment.p_filesz;) {
      Elf64_Nhdr note;
      const unsigned char *place = f->data + segment.p_offset + at;
      memcpy(&note, place, sizeof note);
      uint64_t name = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
      uint64_t whole = sizeof note + name + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
      if (sizeof note + name + note.n_descsz > segment.p_filesz - at)
        return "a note is damaged";
      if (note.n_type == NOTE_METADATA && note.n_namesz == 7 && !memcmp(place + sizeof note, "AMDGPU", 7))
        return read_metadata(place + sizeof note + name, note.n_descsz, out);
      at += whole;
    }
  }
  return "it has no metadata";
}

// ---- symbols and descriptors

// The bytes of the file at an address; NULL: not so many are there.
static const unsigned char *at_address(const struct file *f, uint64_t address, uint64_t size) {
  for (unsigned i = 0; i < f->header.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, f->data + f->header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr > segment.p_filesz ||
        size > segment.p_filesz - (address - segment.p_vaddr))
      continue;
    uint64_t offset = segment.p_offset + (address - segment.p_vaddr);
    return inside(f, offset, size) ? f->data + offset : NULL;
  }
  return NULL;
}

static void read_descriptor(const unsigned char *d, struct kiln_rocm_kernel *kernel) {
  memcpy(&kernel->descriptor_local, d, 4);
  memcpy(&kernel->descriptor_private, d + 4, 4);
  memcpy(&kernel->descriptor_kernarg, d + 8, 4);
  memcpy(&kernel->entry_offset, d + 16, 8);
  memcpy(&kernel->rsrc3, d + 44, 4);
  memcpy(&kernel->rsrc1, d + 48, 4);
  memcpy(&kernel->rsrc2, d + 52, 4);
  memcpy(&kernel->properties, d + 56, 2);
}

static const char *use_symbol(const struct file *f, const char *name, const Elf64_Sym *symbol,
                              struct kiln_rocm_object *out) {
  for (uint32_t k = 0; k < out->kernel_count; k++) {
    struct kiln_rocm_kernel *kernel = &out->kernels[k];
    if (!strcmp(kernel->name, name) && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
      kernel->code_bytes = (uint32_t)symbol->st_size;
    if (strcmp(kernel->symbol, name))
      continue;
    const unsigned char *descriptor = at_address(f, symbol->st_value, 64);
    if (!descriptor || symbol->st_size != 64 || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
      return "a kernel descriptor is damaged";
    kernel->descriptor = symbol->st_value;
    read_descriptor(descriptor, kernel);
  }
  return NULL;
}

static const char *read_symbols(const struct file *f, struct kiln_rocm_object *out) {
  for (unsigned i = 0; i < f->header.e_shnum; i++) {
    Elf64_Shdr table, strings;
    memcpy(&table, f->data + f->header.e_shoff + i * sizeof table, sizeof table);
    if (table.sh_type != SHT_DYNSYM)
      continue;
    if (!inside(f, table.sh_offset, table.sh_size) || table.sh_link >= f->header.e_shnum)
      return "its symbol table is damaged";
    memcpy(&strings, f->data + f->header.e_shoff + table.sh_link * sizeof strings, sizeof strings);
    if (!inside(f, strings.sh_offset, strings.sh_size) || strings.sh_size == 0 ||
        f->data[strings.sh_offset + strings.sh_size - 1])
      return "its table of names is damaged";
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, f->data + table.sh_offset + at, sizeof symbol);
      if (symbol.st_name >= strings.sh_size)
        return "a symbol is damaged";
      const char *fault = use_symbol(f, (const char *)f->data + strings.sh_offset + symbol.st_name, &symbol, out);
      if (fault)
        return fault;
    }
  }
  for (uint32_t k = 0; k < out->kernel_count; k++)
    if (!out->kernels[k].descriptor)
      return "a kernel has no descriptor";
  return NULL;
}

const char *kiln_rocm_object_read(const void *data, size_t size, struct kiln_rocm_object *out) {
  memset(out, 0, sizeof *out);
  struct file f = {data, size, {{0}}};
  if (size < sizeof f.header)
    return "it is shorter than an ELF header";
  memcpy(&f.header, data, sizeof f.header);
  const Elf64_Ehdr *h = &f.header;
  if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
      h->e_machine != ELF_MACHINE_AMDGPU || h->e_type != ET_DYN || h->e_ident[EI_OSABI] != ELF_OSABI_HSA)
    return "it is no AMD code object";
  if (h->e_phentsize != sizeof(Elf64_Phdr) || !inside(&f, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)) ||
      (h->e_shnum &&
       (h->e_shentsize != sizeof(Elf64_Shdr) || !inside(&f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))))
    return "its tables are outside of it";
  out->flags = h->e_flags;
  out->abi = h->e_ident[EI_ABIVERSION] + 2; // 2 is version 4
  const char *fault = read_notes(&f, out);
  return fault ? fault : read_symbols(&f, out);
}

void kiln_rocm_object_free(struct kiln_rocm_object *object) {
  for (uint32_t k = 0; k < object->kernel_count; k++) {
    free(object->kernels[k].name);
    free(object->kernels[k].symbol);
    free(object->kernels[k].args);
  }
  free(object->kernels);
  memset(object, 0, sizeof *object);
}

const struct kiln_rocm_kernel *kiln_rocm_object_find(const struct kiln_rocm_object *object, const char *name) {
  for (uint32_t k = 0; k < object->kernel_count; k++)
    if (!strcmp(object->kernels[k].name, name))
      return &object->kernels[k];
  return NULL;
}
