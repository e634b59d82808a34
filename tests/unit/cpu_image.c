// Programs that are laid out in memory without the system's loader: the rights of their pages, their symbols, and that
// whatever the compiler does not make is refused. (What they compute: jit_fsize.c.)
#include "cpu_load.h"

#include <elf.h>

// Has variables, an address of one, constants, and a call of the mathematical library.
#define TEXT                                                                                                           \
  "kiln_ir 1\n"                                                                                                        \
  "global $0 \"sum\" global size 4 align 4\n"                                                                          \
  "global $1 \"at\" global size 8 align 8 = \"\\00\\00\\00\\00\\00\\00\\00\\00\" relocs [0: $0 + 0]\n"                 \
  "global $2 \"table\" constant size 8 align 4 = \"aaaabbbb\"\n"                                                       \
  "kernel @k(%p: ptr.global) {\n"                                                                                      \
  "  %a = load $1, align 8 : ptr.global\n  %v = load %a, align 4 : i32\n  %i = and %v, 1:i32\n"                        \
  "  %j = zext %i : i64\n  %t = padd $2, %j * 4\n  %c = load %t, align 4 : f32\n  %s = sin %c\n"                       \
  "  store %p, %s, align 4\n  store %a, %i, align 4\n  return\n}\n"
#define FUNCTION "sinf" // that it calls

struct file {
  struct kiln_artifact a;
  unsigned char *bytes; // a copy to change, with room behind it
  Elf64_Ehdr *header;
  Elf64_Phdr *segments;
  Elf64_Shdr *sections;
};
enum { ROOM = 4096 };

static void change(struct file *f) { // from what the compiler made
  memset(f->bytes, 0, f->a.size + ROOM);
  memcpy(f->bytes, f->a.data, f->a.size);
  f->header = (Elf64_Ehdr *)(void *)f->bytes;
  f->segments = (Elf64_Phdr *)(void *)(f->bytes + f->header->e_phoff);
  f->sections = (Elf64_Shdr *)(void *)(f->bytes + f->header->e_shoff);
}

static void file_open(struct file *f) {
  struct world w;
  world_open(&w);
  make_text(&w, TEXT, 0, &f->a);
  world_close(&w);
  f->bytes = malloc(f->a.size + ROOM);
  change(f);
}

static void file_close(struct file *f) {
  free(f->bytes);
  drop(&f->a);
}

static struct kiln_cpu_image *image_of(const struct file *f, const char **reason) {
  return kiln_cpu_image_open(f->bytes, f->a.size, reason);
}

// ---- its tables: of each address in them, the offset in the file is told by the segment

static unsigned char *at_address(const struct file *f, uint64_t address) {
  for (unsigned i = 0; i < f->header->e_phnum; i++) {
    const Elf64_Phdr *s = &f->segments[i];
    if (s->p_type == PT_LOAD && address >= s->p_vaddr && address < s->p_vaddr + s->p_filesz)
      return f->bytes + s->p_offset + (address - s->p_vaddr);
  }
  cr_assert(false, "no segment has %llx", (unsigned long long)address);
  return NULL;
}

static Elf64_Phdr *segment(const struct file *f, uint32_t type) {
  Elf64_Phdr *s = f->segments;
  while (s->p_type != type)
    s++;
  return s;
}

static Elf64_Shdr *section(const struct file *f, uint32_t type) {
  Elf64_Shdr *s = f->sections;
  while (s->sh_type != type)
    s++;
  return s;
}

static Elf64_Dyn *entry(const struct file *f, int64_t tag) {
  Elf64_Dyn *d = (Elf64_Dyn *)(void *)at_address(f, segment(f, PT_DYNAMIC)->p_vaddr);
  while (d->d_tag != tag)
    d++;
  return d;
}

static Elf64_Rela *relocations(const struct file *f, int64_t tag) {
  return (Elf64_Rela *)(void *)at_address(f, entry(f, tag)->d_un.d_ptr);
}

static Elf64_Shdr *strings_section(const struct file *f) { return &f->sections[section(f, SHT_DYNSYM)->sh_link]; }

static char *strings(const struct file *f) { return (char *)at_address(f, strings_section(f)->sh_addr); }

static Elf64_Sym *symbol(const struct file *f, const char *name) {
  Elf64_Sym *s = (Elf64_Sym *)(void *)at_address(f, section(f, SHT_DYNSYM)->sh_addr) + 1;
  while (strcmp(strings(f) + s->st_name, name))
    s++;
  return s;
}

static uint64_t span(const struct file *f) { // bytes of memory
  uint64_t end = 0;
  for (unsigned i = 0; i < f->header->e_phnum; i++)
    if (f->segments[i].p_type == PT_LOAD && f->segments[i].p_vaddr + f->segments[i].p_memsz > end)
      end = f->segments[i].p_vaddr + f->segments[i].p_memsz;
  return (end + 4095) / 4096 * 4096;
}

// ---- what is refused

static void of_threads(struct file *f) { segment(f, PT_GNU_STACK)->p_type = PT_TLS; }
static void of_32_bits(struct file *f) { f->header->e_ident[EI_CLASS] = ELFCLASS32; }
static void a_program(struct file *f) { f->header->e_type = ET_EXEC; }
static void of_another_machine(struct file *f) { f->header->e_machine = EM_S390; }
static void constructor(struct file *f) { entry(f, DT_RELACOUNT)->d_tag = DT_INIT; }
static void constructors(struct file *f) { entry(f, DT_RELACOUNT)->d_tag = DT_INIT_ARRAY; }
static void text_relocations(struct file *f) { entry(f, DT_RELACOUNT)->d_tag = DT_TEXTREL; }
static void short_relocations(struct file *f) { entry(f, DT_RELACOUNT)->d_tag = DT_REL; }
static void packed_relocations(struct file *f) { entry(f, DT_RELACOUNT)->d_tag = DT_RELR; }
static void library(struct file *f) { entry(f, DT_NEEDED)->d_un.d_val = symbol(f, "k.kernel")->st_name; }
static void function(struct file *f) { strings(f)[symbol(f, FUNCTION)->st_name] = 'q'; }
static void unended_strings(struct file *f) { strings(f)[strings_section(f)->sh_size - 1] = 'x'; }
static void kind_of_relocation(struct file *f) { relocations(f, DT_RELA)->r_info = ELF64_R_INFO(0, 250); }
static void far_relocation(struct file *f) { relocations(f, DT_RELA)->r_offset = span(f) - 7; }
static void many_relocations(struct file *f) { entry(f, DT_RELASZ)->d_un.d_val = span(f) + 24; }
static void symbol_that_is_not_there(struct file *f) {
  Elf64_Shdr *table = section(f, SHT_DYNSYM);
  relocations(f, DT_JMPREL)->r_info =
      ELF64_R_INFO(table->sh_size / sizeof(Elf64_Sym), ELF64_R_TYPE(relocations(f, DT_JMPREL)->r_info));
}
static void symbol_behind_the_end(struct file *f) {
  Elf64_Sym *used = symbol(f, FUNCTION);
  used->st_shndx = symbol(f, "k.kernel")->st_shndx;
  used->st_value = span(f);
}
static void section_behind_the_last(struct file *f) { // one that would do lies there
  Elf64_Shdr *behind = &f->sections[f->header->e_shnum];
  cr_assert(f->header->e_shoff + (f->header->e_shnum + 1u) * sizeof *behind <= f->a.size + ROOM);
  *behind = *strings_section(f);
  section(f, SHT_DYNSYM)->sh_link = f->header->e_shnum;
}

Test(cpu_image, what_the_compiler_does_not_make_is_refused) {
  static const struct {
    const char *what;
    void (*change)(struct file *f);
    const char *reason; // a part of it
  } cases[] = {{"memory of threads", of_threads, "no shared object"},
               {"of 32 bits", of_32_bits, "no shared object"},
               {"a program", a_program, "no shared object"},
               {"of another machine", of_another_machine, "no shared object"},
               {"a constructor", constructor, "no shared object"},
               {"constructors", constructors, "no shared object"},
               {"relocations of its code", text_relocations, "no shared object"},
               {"relocations without addends", short_relocations, "no shared object"},
               {"packed relocations", packed_relocations, "no shared object"},
               {"a library that is not there", library, "a library"},
               {"a function that is not there", function, "a function of the C library"},
               {"strings without an end", unended_strings, "no shared object"},
               {"an unknown kind of relocation", kind_of_relocation, "no shared object"},
               {"a relocation of bytes behind the end", far_relocation, "no shared object"},
               {"more relocations than memory", many_relocations, "no shared object"},
               {"a symbol that is not there", symbol_that_is_not_there, "no shared object"},
               {"a symbol behind the end", symbol_behind_the_end, "no shared object"},
               {"a section behind the last", section_behind_the_last, "no shared object"}};
  struct file f;
  file_open(&f);
  const char *reason;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    change(&f);
    struct kiln_cpu_image *image = image_of(&f, &reason);
    cr_assert(image, "%s: %s", cases[i].what, reason);
    kiln_cpu_image_close(image);
    cases[i].change(&f);
    image = image_of(&f, &reason);
    cr_expect_null(image, "%s", cases[i].what);
    if (!image)
      cr_expect(strstr(reason, cases[i].reason), "%s: %s", cases[i].what, reason);
    kiln_cpu_image_close(image);
  }
  file_close(&f);
}

// ---- what is laid out

// "rwx" of the page at an address, with dashes.
static void rights_of(uintptr_t address, char rights[5]) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  cr_assert(maps);
  strcpy(rights, "none");
  while (fgets(line, sizeof line, maps)) {
    unsigned long first, end;
    char here[5];
    if (sscanf(line, "%lx-%lx %4s", &first, &end, here) == 3 && address >= first && address < end)
      strcpy(rights, here);
  }
  fclose(maps);
}

// The image of the file as it is, and where its address 0 is.
static struct kiln_cpu_image *open_image(struct file *f, char **base) {
  const char *reason;
  file_open(f);
  struct kiln_cpu_image *image = image_of(f, &reason);
  cr_assert(image, "%s", reason);
  *base = (char *)kiln_cpu_image_symbol(image, "k.kernel") - symbol(f, "k.kernel")->st_value;
  return image;
}

// What is constant cannot be written, and only code can be run.
Test(cpu_image, pages_have_the_rights_of_their_segments) {
  struct file f;
  char *base;
  struct kiln_cpu_image *image = open_image(&f, &base);
  unsigned pages = 0;
  for (unsigned i = 0; i < f.header->e_phnum; i++) {
    const Elf64_Phdr *s = &f.segments[i];
    if (s->p_type != PT_LOAD)
      continue;
    char rights[5], want[] = {'r', s->p_flags & PF_W ? 'w' : '-', s->p_flags & PF_X ? 'x' : '-', 'p', 0};
    for (uint64_t at = s->p_vaddr / 4096 * 4096; at < s->p_vaddr + s->p_memsz; at += 4096, pages++) {
      rights_of((uintptr_t)base + at, rights);
      cr_expect_str_eq(rights, want, "segment %u", i);
    }
  }
  cr_expect_geq(pages, 3, "%u", pages);
  kiln_cpu_image_close(image);
  file_close(&f);
}

static uint64_t word_at(const void *address) {
  uint64_t word;
  memcpy(&word, address, sizeof word);
  return word;
}

// An address in its data is that of what it names.
Test(cpu_image, symbols_and_addresses) {
  struct file f;
  char *base;
  struct kiln_cpu_image *image = open_image(&f, &base);
  cr_expect_eq((uint64_t)((char *)kiln_cpu_image_symbol(image, KILN_CPU_STATE) - base),
               symbol(&f, KILN_CPU_STATE)->st_value);
  cr_expect_null(kiln_cpu_image_symbol(image, FUNCTION), "what it calls is none of its own");
  cr_expect_null(kiln_cpu_image_symbol(image, "k"));
  const Elf64_Rela *r = relocations(&f, DT_RELA);
  uint64_t count = entry(&f, DT_RELASZ)->d_un.d_val / sizeof *r;
  cr_expect_eq(count, 3); // the two addresses of the table of state, and that in a variable
  for (uint64_t i = 0; i < count; i++)
    cr_expect_eq(word_at(base + r[i].r_offset), (uintptr_t)base + (uint64_t)r[i].r_addend, "%d", (int)i);
  kiln_cpu_image_close(image);
  file_close(&f);
}

// Segments count by their addresses, names by the size of their section.
Test(cpu_image, order_of_segments_and_end_of_names) {
  struct file f;
  const char *reason;
  file_open(&f);
  Elf64_Phdr *first = segment(&f, PT_LOAD), *last = first;
  for (unsigned i = 0; i < f.header->e_phnum; i++)
    last = f.segments[i].p_type == PT_LOAD ? &f.segments[i] : last;
  Elf64_Phdr moved = *first;
  *first = *last;
  *last = moved;
  struct kiln_cpu_image *image = image_of(&f, &reason);
  cr_assert(image, "%s", reason);
  cr_expect(kiln_cpu_image_symbol(image, KILN_CPU_STATE));
  kiln_cpu_image_close(image);
  change(&f);
  const char *last_name = "k.kernel"; // of both, that which comes last
  if (symbol(&f, KILN_CPU_STATE)->st_name > symbol(&f, last_name)->st_name)
    last_name = KILN_CPU_STATE;
  strings_section(&f)->sh_size = symbol(&f, last_name)->st_name; // it is just behind the end
  image = image_of(&f, &reason);
  cr_assert(image, "%s", reason);
  cr_expect_null(kiln_cpu_image_symbol(image, last_name));
  kiln_cpu_image_close(image);
  file_close(&f);
}
