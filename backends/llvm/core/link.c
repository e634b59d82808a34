// The link step: checks the objects, gives lld stubs of the C libraries, and reads the shared object from a pipe.
//
// A stub is an empty library with the names and symbol versions of math.def. It gives the result its DT_NEEDED entries
// and versioned references without the C library of the compiling machine, which may have another architecture. Stubs
// are made with lld on first use and kept.
#include "backends/llvm/core/link.h"
#include "backends/llvm/core/family.h"
#include "backends/llvm/cxx/cxx.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/llvm/core/object.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/write.h"

// lld keeps its state in globals: two links at once crash.
static pthread_mutex_t link_lock = PTHREAD_MUTEX_INITIALIZER;

struct import {
  const char *library, *name, *since;
};
static const struct import imports[] = {
#define KILN_LIBM(OP, f32, since32, f64, since64) {"libm.so.6", f32, #since32}, {"libm.so.6", f64, #since64},
#define KILN_IMPORT(library, name, since) {library, name, #since},
#include "backends/llvm/core/math.def"
};
#define IMPORT_COUNT (sizeof imports / sizeof *imports)

enum stub_library { STUB_LIBM, STUB_LIBC, STUB_COUNT };
static const char *const stub_names[STUB_COUNT] = {"libm.so.6", "libc.so.6"};

struct stub {
  void *data;
  size_t size;
};
// By architecture and library; guarded by link_lock.
static struct stub stubs[2][STUB_COUNT];

struct arch {
  const char *triple, *emulation, *oldest; // oldest: symbol version of entries that are older than the architecture
  uint16_t machine;
  unsigned index;
};
static const struct arch arches[] = {
    {"x86_64-unknown-linux-gnu", "elf_x86_64", "2_2_5", EM_X86_64, 0},
    {"aarch64-unknown-linux-gnu", "aarch64linux", "2_17", EM_AARCH64, 1},
    {"amdgcn-amd-amdhsa", "elf64_amdgpu", NULL, 224, 0},
};

static const struct arch *find_arch(const char *triple) {
  for (size_t i = 0; i < sizeof arches / sizeof *arches; i++)
    if (!strcmp(arches[i].triple, triple))
      return &arches[i];
  return NULL;
}

// ---- the object

struct object {
  const unsigned char *data;
  size_t size;
  Elf64_Ehdr header;
};

static Elf64_Shdr section_at(const struct object *o, unsigned index) {
  Elf64_Shdr section;
  memcpy(&section, o->data + o->header.e_shoff + index * sizeof section, sizeof section);
  return section;
}

static Elf64_Sym symbol_at(const struct object *o, const Elf64_Shdr *table, uint64_t index) {
  Elf64_Sym symbol;
  memcpy(&symbol, o->data + table->sh_offset + index * sizeof symbol, sizeof symbol);
  return symbol;
}

static const char *check_symbols(const struct object *o, const Elf64_Shdr *table) {
  if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_size % sizeof(Elf64_Sym) || table->sh_size == 0 ||
      table->sh_link >= o->header.e_shnum || section_at(o, table->sh_link).sh_type != SHT_STRTAB)
    return "its symbol table is damaged";
  Elf64_Shdr strings = section_at(o, table->sh_link);
  uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  if (table->sh_info > count)
    return "its symbol table is damaged";
  for (uint64_t i = 0; i < count; i++) {
    Elf64_Sym symbol = symbol_at(o, table, i);
    bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (symbol.st_name >= strings.sh_size || (symbol.st_shndx >= o->header.e_shnum && symbol.st_shndx != SHN_ABS) ||
        is_local != (i < table->sh_info) || ELF64_ST_BIND(symbol.st_info) > STB_WEAK)
      return "a symbol is damaged";
  }
  return NULL;
}

static const char *check_relocations(const struct object *o, const Elf64_Shdr *table) {
  if (table->sh_entsize != sizeof(Elf64_Rela) || table->sh_size % sizeof(Elf64_Rela) ||
      table->sh_link >= o->header.e_shnum || table->sh_info >= o->header.e_shnum ||
      section_at(o, table->sh_link).sh_type != SHT_SYMTAB)
    return "a table of relocations is damaged";
  Elf64_Shdr symbols = section_at(o, table->sh_link), target = section_at(o, table->sh_info);
  for (uint64_t at = 0; at < table->sh_size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela relocation;
    memcpy(&relocation, o->data + table->sh_offset + at, sizeof relocation);
    if (ELF64_R_SYM(relocation.r_info) >= symbols.sh_size / sizeof(Elf64_Sym) ||
        relocation.r_offset >= target.sh_size || target.sh_size - relocation.r_offset < 4)
      return "a relocation is damaged";
  }
  return NULL;
}

static const char *check_section(const struct object *o, unsigned index) {
  Elf64_Shdr section = section_at(o, index), names = section_at(o, o->header.e_shstrndx);
  if (section.sh_type != SHT_NOBITS && (section.sh_offset > o->size || section.sh_size > o->size - section.sh_offset))
    return "a section is outside of it";
  if ((section.sh_addralign & (section.sh_addralign - 1)) || section.sh_addralign > 4096 ||
      section.sh_name >= names.sh_size)
    return "the head of a section is damaged";
  if (section.sh_type == SHT_STRTAB && (section.sh_size == 0 || o->data[section.sh_offset + section.sh_size - 1]))
    return "a table of strings does not end";
  return NULL;
}

// lld hardly validates its input. So headers, tables and the offsets in them are checked first.
static const char *check_object(const struct arch *arch, struct object *o) {
  if (o->size < sizeof o->header)
    return "it is shorter than an ELF header";
  memcpy(&o->header, o->data, sizeof o->header);
  const Elf64_Ehdr *header = &o->header;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB)
    return "it is no 64-bit little-endian ELF file";
  if (header->e_type != ET_REL || header->e_machine != arch->machine)
    return "it is no relocatable object of the target";
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > o->size ||
      (o->size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum || header->e_shstrndx >= header->e_shnum)
    return "its section table is outside of it";
  if (section_at(o, header->e_shstrndx).sh_type != SHT_STRTAB)
    return "it has no section names";
  const char *fault = NULL;
  for (unsigned i = 1; i < header->e_shnum && !fault; i++) // all offsets before their contents
    fault = check_section(o, i);
  for (unsigned i = 1; i < header->e_shnum && !fault; i++) {
    Elf64_Shdr section = section_at(o, i);
    if (section.sh_type == SHT_SYMTAB)
      fault = check_symbols(o, &section);
    if (section.sh_type == SHT_RELA)
      fault = check_relocations(o, &section);
  }
  return fault;
}

static const struct import *find_import(const char *name) {
  for (size_t i = 0; i < IMPORT_COUNT; i++)
    if (!strcmp(imports[i].name, name))
      return &imports[i];
  return NULL;
}

static bool defines(const struct object *o, const char *wanted) {
  for (unsigned i = 1; i < o->header.e_shnum; i++) {
    Elf64_Shdr symbols = section_at(o, i);
    if (symbols.sh_type != SHT_SYMTAB)
      continue;
    Elf64_Shdr strings = section_at(o, symbols.sh_link);
    for (uint64_t k = symbols.sh_info; k < symbols.sh_size / sizeof(Elf64_Sym); k++) {
      Elf64_Sym symbol = symbol_at(o, &symbols, k);
      if (symbol.st_shndx != SHN_UNDEF && !strcmp((const char *)o->data + strings.sh_offset + symbol.st_name, wanted))
        return true;
    }
  }
  return false;
}

static bool any_defines(const struct object *objects, uint32_t count, const char *wanted) {
  for (uint32_t i = 0; i < count; i++)
    if (defines(&objects[i], wanted))
      return true;
  return false;
}

// Finds the stubs that the undefined symbols of o need. objects, with o among them, have been checked. An unknown
// symbol is written to unknown.
static bool needed_stubs(const struct object *o, const struct object *objects, uint32_t count, bool need[STUB_COUNT],
                         char unknown[64]) {
  for (unsigned i = 1; i < o->header.e_shnum; i++) {
    Elf64_Shdr symbols = section_at(o, i);
    if (symbols.sh_type != SHT_SYMTAB)
      continue;
    Elf64_Shdr strings = section_at(o, symbols.sh_link);
    for (uint64_t k = symbols.sh_info; k < symbols.sh_size / sizeof(Elf64_Sym); k++) {
      Elf64_Sym symbol = symbol_at(o, &symbols, k);
      const char *name = (const char *)o->data + strings.sh_offset + symbol.st_name;
      if (symbol.st_shndx != SHN_UNDEF || !*name || !strcmp(name, "_GLOBAL_OFFSET_TABLE_"))
        continue;
      const struct import *import = find_import(name);
      if (!import && any_defines(objects, count, name))
        continue;
      if (!import) {
        snprintf(unknown, 64, "%s", name);
        return false;
      }
      need[strcmp(import->library, "libm.so.6") ? STUB_LIBC : STUB_LIBM] = true;
    }
  }
  return true;
}

// ---- running lld

struct file {
  int fd;
  char path[32];
};

// Where the process may not write files of this size (RLIMIT_FSIZE, which counts memory files, too), a pipe holds the
// bytes: lld reads each of its inputs once, from the beginning to the end. 0 or an errno value.
static int fill_pipe(struct file *file, const void *data, size_t size) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
    return errno;
  (void)!fcntl(ends[1], F_SETPIPE_SZ, size < INT_MAX ? (int)size : INT_MAX);
  int error = kiln_write_all(ends[1], data, size);
  close(ends[1]);
  close(file->fd);
  file->fd = ends[0];
  return error == EAGAIN ? EFBIG : error; // more than a pipe can hold
}

static enum kiln_status open_memory(struct file *file, const void *data, size_t size, struct kiln_report *report) {
  file->fd = memfd_create("kiln", MFD_CLOEXEC);
  int error = file->fd < 0 ? errno : kiln_write_all(file->fd, data, size);
  if (error == EFBIG)
    error = fill_pipe(file, data, size);
  snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
  return error ? kiln_fail(report, KILN_ERR_IO, "cannot link: no memory file: %s", strerror(error)) : KILN_OK;
}

static void close_file(struct file *file) {
  if (file->fd >= 0)
    close(file->fd);
  file->fd = -1;
}

// Collects lld's output until all writers have closed the pipe or stop hangs up.
struct drain {
  int fd, stop;
  struct kiln_strbuf data;
};

static void *drain_pipe(void *user) {
  struct drain *drain = user;
  char buffer[16384];
  for (;;) {
    struct pollfd fds[2] = {{drain->fd, POLLIN, 0}, {drain->stop, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR)
      break;
    if (fds[0].revents) {
      ssize_t n = read(drain->fd, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      kiln_strbuf_append(&drain->data, buffer, (size_t)n);
    } else if (fds[1].revents) {
      break;
    }
  }
  return NULL;
}

#define PIPE_BYTES (256 << 10)

// A generous bound on lld's output: each section comes once, headers and loader tables are made of symbols and
// relocations, and nothing is aligned to more than a page.
static size_t most_bytes(const struct object *objects, uint32_t count) {
  size_t bytes = 64 << 10;
  for (uint32_t i = 0; i < count; i++)
    for (unsigned k = 1; k < objects[i].header.e_shnum; k++) {
      Elf64_Shdr section = section_at(&objects[i], k);
      if (section.sh_size > PIPE_BYTES)
        return SIZE_MAX;
      bytes += 3 * (section.sh_size + section.sh_addralign);
    }
  return bytes;
}

// Links with a thread that reads lld's output. False: no thread can be started.
static bool link_beside(const char **args, size_t count, int ends[2], struct kiln_strbuf *data, bool *ok, char **log) {
  int stop[2];
  if (pipe2(stop, O_CLOEXEC))
    return false;
  struct drain drain = {ends[0], stop[0], {0}};
  pthread_t thread;
  bool started = kiln_thread_start(&thread, drain_pipe, &drain);
  if (started)
    *ok = kiln_ll_lld(args, count, log);
  close(ends[1]);
  ends[1] = -1;
  if (!*ok)
    close(stop[1]); // lld may have left its own descriptor of the pipe open
  if (started)
    pthread_join(thread, NULL);
  if (*ok)
    close(stop[1]);
  close(stop[0]);
  *data = drain.data;
  return started;
}

// Links where the pipe holds all output: starting a thread takes longer than a small link.
static void link_alone(const char **args, size_t count, int from, struct kiln_strbuf *data, bool *ok, char **log) {
  char buffer[16384];
  *ok = kiln_ll_lld(args, count, log);
  for (ssize_t n = 1; *ok && n > 0;) { // does not wait: reading from the pipe does not block
    n = read(from, buffer, sizeof buffer);
    if (n > 0)
      kiln_strbuf_append(data, buffer, (size_t)n);
    else if (n < 0 && errno == EINTR)
      n = 1;
  }
}

// Runs lld with args and "-o" a pipe. args has room for two more. most: a bound on the bytes of output.
static enum kiln_status run(const char **args, size_t count, size_t most, void **out, size_t *out_size,
                            struct kiln_report *report) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return kiln_fail(report, KILN_ERR_IO, "cannot link: no pipe: %s", strerror(errno));
  char path[32], *log = NULL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
  args[count++] = "-o";
  args[count++] = path;
  struct kiln_strbuf data = {0};
  bool started = true, ok = false;
  if (most <= PIPE_BYTES && fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) >= PIPE_BYTES &&
      !fcntl(ends[0], F_SETFL, O_NONBLOCK))
    link_alone(args, count, ends[0], &data, &ok, &log);
  else
    started = link_beside(args, count, ends, &data, &ok, &log);
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0)
      close(ends[i]);
  enum kiln_status status = KILN_OK;
  if (!started)
    status = kiln_fail(report, KILN_ERR_MEMORY, "cannot link: no thread");
  else if (!ok)
    status = kiln_fail(report, KILN_ERR_INTERNAL, "cannot link: %s", log && *log ? log : "lld gave no reason");
  else if (data.failed || !data.size)
    status = kiln_fail(report, data.failed ? KILN_ERR_MEMORY : KILN_ERR_INTERNAL, "lld wrote nothing");
  free(log);
  if (!status) {
    *out_size = data.size;
    *out = data.data;
    return KILN_OK;
  }
  kiln_strbuf_free(&data);
  return status;
}

// ---- stubs

static const char *version_of(const struct arch *arch, const struct import *import) {
  if (arch->index == 0)
    return import->since;
  unsigned minor = 0; // glibc came to AArch64 with 2.17
  return sscanf(import->since, "2_%u", &minor) == 1 && minor > 17 ? import->since : arch->oldest;
}

static void version_script(struct kiln_strbuf *out, const struct arch *arch, const char *library) {
  for (size_t i = 0; i < IMPORT_COUNT; i++) {
    const char *version = version_of(arch, &imports[i]);
    bool seen = strcmp(imports[i].library, library) != 0;
    for (size_t k = 0; k < i && !seen; k++)
      seen = !strcmp(imports[k].library, library) && !strcmp(version_of(arch, &imports[k]), version);
    if (seen)
      continue;
    char dotted[16];
    snprintf(dotted, sizeof dotted, "%s", version);
    for (char *c = dotted; *c; c++)
      *c = *c == '_' ? '.' : *c;
    kiln_strbuf_printf(out, "GLIBC_%s {", dotted);
    for (size_t k = i; k < IMPORT_COUNT; k++)
      if (!strcmp(imports[k].library, library) && !strcmp(version_of(arch, &imports[k]), version))
        kiln_strbuf_printf(out, " %s;", imports[k].name);
    kiln_strbuf_puts(out, " };\n");
  }
}

static enum kiln_status make_stub(const struct kiln_ll_family *family, const struct arch *arch,
                                  enum stub_library library, struct kiln_report *report) {
  struct stub *stub = &stubs[arch->index][library];
  if (stub->data)
    return KILN_OK;
  struct kiln_strbuf script = {0}, text = {0};
  version_script(&script, arch, stub_names[library]);
  for (size_t i = 0; i < IMPORT_COUNT; i++)
    if (!strcmp(imports[i].library, stub_names[library]))
      kiln_strbuf_printf(&text, ".globl %s\n.type %s,@function\n%s:\n", imports[i].name, imports[i].name,
                         imports[i].name);
  void *object = NULL;
  size_t object_size = 0;
  enum kiln_status status = KILN_ERR_MEMORY;
  if (!script.failed && !text.failed)
    status = kiln_ll_assemble_text(family, arch->triple, text.data, &object, &object_size, report);
  struct file in = {-1, ""}, versions = {-1, ""};
  if (!status)
    status = open_memory(&in, object, object_size, report);
  if (!status)
    status = open_memory(&versions, script.data, script.size, report);
  if (!status) {
    const char *args[16] = {"ld.lld",  "-shared",           "--threads=1",      "-m",          arch->emulation,
                            "-soname", stub_names[library], "--version-script", versions.path, in.path};
    status = run(args, 10, SIZE_MAX, &stub->data, &stub->size, report);
  }
  close_file(&in);
  close_file(&versions);
  free(object);
  kiln_strbuf_free(&script);
  kiln_strbuf_free(&text);
  return status;
}

// ---- the link

#define MAX_ARGS (32 + KILN_LL_MAX_OBJECTS)

// Runs lld with these options on the objects and the stubs that they need.
static enum kiln_status link_locked(const struct kiln_ll_family *family, const struct arch *arch,
                                    const char *const *options, size_t option_count, const struct object *objects,
                                    uint32_t object_count, const bool need[STUB_COUNT], void **out, size_t *out_size,
                                    struct kiln_report *report) {
  struct file files[KILN_LL_MAX_OBJECTS + STUB_COUNT];
  const char *args[MAX_ARGS] = {"ld.lld", "--threads=1", "-m", arch->emulation};
  size_t count = 4, opened = 0;
  enum kiln_status status = KILN_OK;
  memcpy(args + count, options, option_count * sizeof *options);
  count += option_count;
  for (uint32_t i = 0; i < object_count && !status; i++) {
    status = open_memory(&files[opened], objects[i].data, objects[i].size, report);
    args[count++] = files[opened++].path;
  }
  for (int i = 0; i < STUB_COUNT && !status; i++) {
    if (!need[i])
      continue;
    const struct stub *stub = &stubs[arch->index][i];
    status = make_stub(family, arch, (enum stub_library)i, report);
    if (status)
      break;
    status = open_memory(&files[opened], stub->data, stub->size, report);
    args[count++] = files[opened++].path;
  }
  if (!status)
    status = run(args, count, most_bytes(objects, object_count), out, out_size, report);
  while (opened)
    close_file(&files[--opened]);
  return status;
}

static enum kiln_status check_objects(const struct arch *arch, const struct kiln_ll_object *objects, uint32_t count,
                                      struct object out[KILN_LL_MAX_OBJECTS], struct kiln_report *report) {
  if (count > KILN_LL_MAX_OBJECTS)
    return kiln_fail(report, KILN_ERR_INTERNAL, "cannot link %u objects", count);
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (struct object){objects[i].data, objects[i].size, {{0}}};
    const char *fault = check_object(arch, &out[i]);
    if (fault)
      return kiln_fail(report, KILN_ERR_INTERNAL, "cannot link the object: %s", fault);
  }
  return KILN_OK;
}

static enum kiln_status combine(const struct kiln_ll_family *family, const char *triple, const char *const *options,
                                size_t option_count, bool uses_stubs, const struct kiln_ll_object *objects,
                                uint32_t count, void **out, size_t *out_size, struct kiln_report *report) {
  const struct arch *arch = find_arch(triple);
  if (!arch)
    return kiln_fail(report, KILN_ERR_INTERNAL, "cannot link for '%s'", triple);
  struct object checked[KILN_LL_MAX_OBJECTS];
  bool need[STUB_COUNT] = {false};
  char unknown[64];
  enum kiln_status status = check_objects(arch, objects, count, checked, report);
  if (status)
    return status;
  for (uint32_t i = 0; i < count && uses_stubs; i++)
    if (!needed_stubs(&checked[i], checked, count, need, unknown))
      return kiln_fail(report, KILN_ERR_INTERNAL, "the generated code calls '%s', which no library provides", unknown);
  pthread_mutex_lock(&link_lock);
  status = link_locked(family, arch, options, option_count, checked, count, need, out, out_size, report);
  pthread_mutex_unlock(&link_lock);
  return status;
}

enum kiln_status kiln_ll_link_objects(const struct kiln_ll_family *family, const char *triple,
                                      const struct kiln_ll_object *objects, uint32_t count, void **out,
                                      size_t *out_size, struct kiln_report *report) {
  static const char *const options[] = {"-shared",
                                        "--build-id=sha1",
                                        "--hash-style=gnu",
                                        "--eh-frame-hdr",
                                        "--no-undefined",
                                        "--as-needed",
                                        "-z",
                                        "now",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "max-page-size=4096"};
  return combine(family, triple, options, sizeof options / sizeof *options, family->calls_library, objects, count, out,
                 out_size, report);
}

enum kiln_status kiln_ll_join_objects(const struct kiln_ll_family *family, const char *triple,
                                      const struct kiln_ll_object *objects, uint32_t count, void **out,
                                      size_t *out_size, struct kiln_report *report) {
  static const char *const options[] = {"-r"};
  return combine(family, triple, options, 1, false, objects, count, out, out_size, report);
}
