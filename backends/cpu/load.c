// Programs are shared objects, opened with the system's loader so that debuggers, profilers and unwinding know them.
//
// What is opened are the bytes that were checked, in a sealed memory file: a file on disk may be another by the time it
// is opened again, and one that is cut or overwritten while it is mapped ends the process. Files are mapped only where
// the caller names one (docs/cpu.md).
//
// The loader recognises a library by the text of its path first, and by device and inode next; a file that it has
// loaded once it gives out again without looking. So every file gets a path text of its own (the same descriptor can be
// spelled in endless ways), and what was opened is compared with the build id that the compiler noted: a library that
// is not the one asked for is never used.
#include "backends/cpu/cpu.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/common/exhausted.h"
#include "backends/cpu/image.h"
#include "base/hash.h"
#include "base/write.h"

#define PATH_SIZE 4096

// ---- the right library?

uint64_t kiln_cpu_check(const void *code, size_t size, const void *meta, size_t meta_size) {
  enum { AT = offsetof(struct kiln_cpu_meta, check), BEHIND = AT + sizeof(uint64_t) };
  uint64_t parts[] = {kiln_hash64(code, size), kiln_hash64(meta, AT),
                      kiln_hash64((const char *)meta + BEHIND, meta_size - BEHIND)};
  return kiln_hash64(parts, sizeof parts);
}

// Whether the notes of an ELF image have the build id. Each segment lies at its address, in memory, or at its offset,
// in a file; what is not within size is not looked at.
static bool has_build_id(const unsigned char *image, size_t size, bool in_memory, const uint8_t id[20]) {
  Elf64_Ehdr header;
  if (size < sizeof header)
    return false;
  memcpy(&header, image, sizeof header);
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    Elf64_Nhdr note;
    if (header.e_phoff > size || (i + 1) * sizeof segment > size - header.e_phoff)
      return false;
    memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
    uint64_t at = in_memory ? segment.p_vaddr : segment.p_offset;
    if (segment.p_type != PT_NOTE || segment.p_filesz < sizeof note + 24 || at > size || size - at < segment.p_filesz)
      continue;
    memcpy(&note, image + at, sizeof note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz == 20)
      return memcmp(image + at + sizeof note + 4, id, 20) == 0;
  }
  return false;
}

// NULL, with *reason, when it cannot be opened or is another library.
static void *open_checked(const char *path, const uint8_t id[20], const char **reason) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *reason = dlerror();
    return NULL;
  }
  struct link_map *map;
  if (!dlinfo(library, RTLD_DI_LINKMAP, &map) && // the first segment holds the headers
      has_build_id((const unsigned char *)map->l_addr, SIZE_MAX, true, id))
    return library;
  *reason = "another library is loaded in its place";
  dlclose(library);
  return NULL;
}

// ---- files

static bool is_written(int fd, const struct kiln_code *code) {
  errno = kiln_write_all(fd, code->data, code->size);
  return errno == 0;
}

static size_t put_number(char *out, uint64_t number) {
  size_t size = 0;
  for (; number; number >>= 4) {
    memset(out + size, '/', (number & 15) + 1);
    size += (number & 15) + 1;
    out[size++] = '.';
  }
  return size;
}

// The folder of the process, then as many slashes before the dots of "/./." as each digit of the module's address and
// of a serial number says, then the descriptor: the same file under a text that no other library has. (The address
// differs among all drivers of the process. A library that is shared keeps the texts of modules that are gone.)
static void unique_path(char out[PATH_SIZE], const char *process, const struct kiln_drv_module *module,
                        uint64_t serial) {
  size_t at = (size_t)snprintf(out, PATH_SIZE, "/proc/%s", process);
  at += put_number(out + at, (uintptr_t)module >> 4);
  at += put_number(out + at, serial);
  snprintf(out + at, PATH_SIZE - at, "/fd/%d", module->file);
}

// Opens what the module's descriptor leads to.
static void *open_descriptor(struct kiln_drv *drv, const struct kiln_drv_module *module, const uint8_t id[20],
                             const char **reason) {
  // By number, so that the path means the same to a debugger; "self" where /proc is that of other numbers.
  char number[16], path[PATH_SIZE];
  snprintf(number, sizeof number, "%d", (int)getpid());
  uint64_t serial = __atomic_add_fetch(&drv->loads, 1, __ATOMIC_RELAXED);
  unique_path(path, number, module, serial);
  void *library = open_checked(path, id, reason);
  if (library)
    return library;
  unique_path(path, "self", module, serial);
  return open_checked(path, id, reason);
}

// A process begins with room for 64 descriptors. Where it has threads, one more costs 5 to 13 ms: the kernel waits for
// all processors before the table grows.
enum { FIRST_TABLE = 64, HIGH_IN_FIRST_TABLE = FIRST_TABLE - 8, HIGH_IN_LATER_TABLES = 1024 - 64 };

// Moves a descriptor to a high number: once it is closed, the path must lead nowhere. A debugger opens the paths of
// libraries, and would hang reading a pipe that got the number next.
static int move_up(int low) {
  struct rlimit limit;
  if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit))
    return low;
  int from = low < HIGH_IN_FIRST_TABLE ? HIGH_IN_FIRST_TABLE
             : limit.rlim_cur < 1024   ? (int)limit.rlim_cur - 64
                                       : HIGH_IN_LATER_TABLES;
  int high = from > low ? fcntl(low, F_DUPFD_CLOEXEC, from) : -1;
  if (high < 0)
    return low;
  close(low);
  return high;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

static void *open_memory(struct kiln_drv *drv, struct kiln_drv_module *module, const struct kiln_code *code,
                         const uint8_t id[20], const char **reason) {
  // Code is mapped from it, but it is no program. Kernels before 6.3 do not know the difference; later ones may be told
  // to refuse files that do not make it.
  int low = memfd_create("kiln", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (low < 0 && errno == EINVAL)
    low = memfd_create("kiln", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  module->file = move_up(low);
  if (module->file >= 0 && is_written(module->file, code) &&
      !fcntl(module->file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    return open_descriptor(drv, module, id, reason);
  *reason = strerror(errno);
  return NULL;
}

// Whether an open file begins with the code.
static bool begins_with(int fd, const struct kiln_code *code) {
  char part[16384];
  for (size_t done = 0; done < code->size;) {
    size_t rest = code->size - done;
    ssize_t n = pread(fd, part, rest < sizeof part ? rest : sizeof part, (off_t)done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0 || memcmp(part, (const char *)code->data + done, (size_t)n))
      return false;
    done += (size_t)n;
  }
  return true;
}

// Maps the file that the caller named: processes share its pages, and profilers find it. Nobody but its owner, who is
// this user or root, can have changed it since it was compared.
static void *open_file(struct kiln_drv *drv, struct kiln_drv_module *module, const struct kiln_code *code,
                       const uint8_t id[20]) {
  int fd = module->file = move_up(open(code->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info;
  const char *reason;
  bool good = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) && !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
              (info.st_uid == 0 || info.st_uid == geteuid()) && begins_with(fd, code);
  return good ? open_descriptor(drv, module, id, &reason) : NULL;
}

// Where memory files cannot be mapped as code or /proc is missing: a private file that is gone once it is open. Nobody
// else may be able to put another in its place.
static void *open_temporary(const struct kiln_code *code, const uint8_t id[20], const char **reason) {
  static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char path[PATH_SIZE];
    struct stat info;
    if (stat(folders[i], &info) || (info.st_uid != 0 && info.st_uid != geteuid()) ||
        (info.st_mode & (S_IWGRP | S_IWOTH) && !(info.st_mode & S_ISVTX)))
      continue;
    snprintf(path, sizeof path, "%s/kiln-XXXXXX", folders[i]);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
      continue;
    void *library = NULL;
    if (is_written(fd, code))
      library = open_checked(path, id, reason);
    else
      *reason = strerror(errno);
    unlink(path);
    close(fd);
    if (library)
      return library;
  }
  return NULL;
}

static void close_file(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

static enum kiln_status open_library(struct kiln_drv *drv, struct kiln_drv_module *module, const struct kiln_code *code,
                                     const struct kiln_cpu_meta *meta, struct kiln_report *report) {
  const char *reason = NULL;
  // Opening runs what the library begins with, and the system's loader looks at little of what it is given: so this
  // comes before.
  if (meta->check != kiln_cpu_check(code->data, code->size, code->meta, code->meta_size) ||
      !has_build_id(code->data, code->size, false, meta->build_id))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "a compiled program cannot be loaded: its code is not what it says it is");
  // Variables that kernels write belong to one program: such a library is not shared by way of its file.
  if (code->path && !(meta->flags & KILN_CPU_HAS_STATE))
    module->library = open_file(drv, module, code, meta->build_id);
  if (!module->library) {
    close_file(&module->file);
    module->library = open_memory(drv, module, code, meta->build_id, &reason);
  }
  if (!module->library || !(meta->flags & KILN_CPU_HAS_LINES))
    close_file(&module->file); // the mapping stays
  if (!module->library)
    module->library = open_temporary(code, meta->build_id, &reason);
  const char *from_memory = NULL;
  if (!module->library)
    module->mapped = kiln_cpu_image_open(code->data, code->size, &from_memory);
  if (module->library || module->mapped)
    return KILN_OK;
  enum kiln_status lacking = kiln_fail_exhausted(report, "the file of a compiled program");
  return lacking
             ? lacking
             : kiln_fail(report, KILN_ERR_UNAVAILABLE, "a compiled program cannot be loaded: %s; and from memory: %s",
                         reason ? reason : "no folder for a temporary file", from_memory);
}

// ---- metadata

static bool check_meta(const struct kiln_code *code, struct kiln_cpu_meta *meta) {
  if (!code->meta || code->meta_size < sizeof *meta)
    return false;
  memcpy(meta, code->meta, sizeof *meta);
  if (meta->magic != KILN_CPU_META_MAGIC || meta->abi != KILN_CPU_ABI || meta->kernel_count != code->kernel_count)
    return false;
  uint64_t size = sizeof *meta + (uint64_t)meta->kernel_count * sizeof(struct kiln_cpu_meta_kernel) +
                  (uint64_t)meta->arg_count * sizeof(uint32_t);
  return size == code->meta_size;
}

const char *kiln_cpu_shipped_variant(const struct kiln_code *code) {
  const uint32_t rows = KILN_CPU_IF(RAGGED_ROWS), others = KILN_CPU_IF(RAGGED_OFFSET) | KILN_CPU_IF(PARTIAL_GROUPS);
  struct kiln_cpu_meta meta;
  bool whole = false;
  for (uint32_t i = 0; check_meta(code, &meta) && i < meta.kernel_count; i++) {
    struct kiln_cpu_meta_kernel kernel;
    memcpy(&kernel, (const char *)code->meta + sizeof meta + i * sizeof kernel, sizeof kernel);
    uint32_t needs = kiln_cpu_check_rules(&kernel) ? kiln_cpu_needs(&kernel) : 0;
    whole |= needs & (code->kernels[i].required_group_size[0] ? others : rows | others);
  }
  return whole ? "--kiln-rows=any" : NULL;
}

static bool check_kernel(const struct kiln_cpu_meta *meta, const struct kiln_drv_kernel *kernel) {
  const struct kiln_cpu_meta_kernel *k = &kernel->meta;
  if (k->arg_count != kernel->info->arg_count || k->arg_first > meta->arg_count ||
      k->arg_count > meta->arg_count - k->arg_first || !kiln_cpu_check_rules(k))
    return false;
  for (uint32_t i = 0; i < k->arg_count; i++) {
    const struct kiln_arg_info *arg = &kernel->info->args[i];
    uint32_t size = arg->kind == KILN_ARG_VALUE ? arg->size : 8;
    if (kernel->arg_offsets[i] > k->arg_bytes || size > k->arg_bytes - kernel->arg_offsets[i])
      return false;
  }
  return true;
}

// ---- slots

void kiln_cpu_unload(struct kiln_drv *drv, struct kiln_drv_module *module) {
  if (!module || atomic_fetch_sub(&module->refs, 1) > 1)
    return;
  kiln_cpu_unload(drv, module->shared);
  if (module->library)
    dlclose(module->library);
  kiln_cpu_image_close(module->mapped);
  free(module->image);
  close_file(&module->file);
  free(module->arg_offsets);
  free(module->variant_options);
  free(module);
}

static void *find_symbol(const struct kiln_drv_module *module, const char *name) {
  return module->library ? dlsym(module->library, name) : kiln_cpu_image_symbol(module->mapped, name);
}

static enum kiln_status find_kernel(struct kiln_drv_module *module, const struct kiln_cpu_meta *meta,
                                    struct kiln_drv_kernel *kernel, struct kiln_report *report) {
  struct kiln_strbuf name = {0};
  kiln_strbuf_printf(&name, "%s" KILN_CPU_SYMBOL_SUFFIX, kernel->info->name);
  void *symbol = name.failed ? NULL : find_symbol(module, name.data);
  bool has_memory = !name.failed;
  kiln_strbuf_free(&name);
  if (!has_memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the name of a kernel");
  if (!symbol || !check_kernel(meta, kernel))
    return kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' does not match its compiled program", kernel->info->name);
  memcpy(&kernel->run, &symbol, sizeof symbol);
  kernel->asked = kiln_cpu_asked(&kernel->meta);
  kernel->needs = kiln_cpu_needs(&kernel->meta);
  return KILN_OK;
}

// The library's own state, or that of the program whose variant it is: the same source has the same variables.
static enum kiln_status find_state(struct kiln_drv_module *module, const struct kiln_code *code,
                                   struct kiln_report *report) {
  void *const *own = module->state = find_symbol(module, KILN_CPU_STATE);
  struct kiln_drv_module *owner = code->variant_of;
  if (!own || (owner && (!owner->state || *owner->state != *own)))
    return kiln_fail(report, KILN_ERR_INTERNAL, "a compiled program does not have the variables that it should have");
  if (owner) {
    atomic_fetch_add(&owner->refs, 1);
    module->shared = owner;
    module->state = owner->state;
  }
  return KILN_OK;
}

static bool keep_image(struct kiln_drv_module *module, const struct kiln_code *code) {
  module->image = malloc(code->size);
  module->image_size = code->size;
  if (module->image)
    memcpy(module->image, code->data, code->size);
  return module->image;
}

enum kiln_status kiln_cpu_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                               struct kiln_report *report) {
  struct kiln_cpu_meta meta;
  if (!check_meta(code, &meta))
    return kiln_fail(report, KILN_ERR_INTERNAL, "a compiled program has no valid description of its kernels");
  struct kiln_drv_module *module = calloc(1, sizeof *module + meta.kernel_count * sizeof *module->kernels);
  if (module) {
    module->refs = 1;
    module->file = -1;
    module->arg_offsets = malloc((meta.arg_count + 1) * sizeof *module->arg_offsets);
  }
  if (!module || !module->arg_offsets || (drv->report_faults && !keep_image(module, code))) {
    kiln_cpu_unload(drv, module);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  }
  const unsigned char *kernels = (const unsigned char *)code->meta + sizeof meta;
  const unsigned char *offsets = kernels + meta.kernel_count * sizeof(struct kiln_cpu_meta_kernel);
  memcpy(module->arg_offsets, offsets, meta.arg_count * sizeof *module->arg_offsets);
  module->kernel_count = meta.kernel_count;
  module->warp_size = drv->host.config.target.warp_size;
  enum kiln_status status = open_library(drv, module, code, &meta, report);
  if (!status && meta.flags & KILN_CPU_HAS_STATE)
    status = find_state(module, code, report);
  for (uint32_t i = 0; i < meta.kernel_count && !status; i++) {
    struct kiln_drv_kernel *kernel = &module->kernels[i];
    kernel->module = module;
    kernel->info = &code->kernels[i];
    memcpy(&kernel->meta, kernels + i * sizeof kernel->meta, sizeof kernel->meta);
    if (kernel->meta.arg_first > meta.arg_count) {
      status =
          kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' does not match its compiled program", kernel->info->name);
    } else {
      kernel->arg_offsets = module->arg_offsets + kernel->meta.arg_first;
      status = find_kernel(module, &meta, kernel, report);
    }
  }
  if (!status && !kiln_cpu_write_options(module))
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  if (status) {
    kiln_cpu_unload(drv, module);
    return status;
  }
  *out = module;
  return KILN_OK;
}

enum kiln_status kiln_cpu_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                 struct kiln_drv_kernel **out, struct kiln_report *report) {
  (void)drv;
  if (index >= module->kernel_count)
    return kiln_fail(report, KILN_ERR_NOT_FOUND, "the program has no kernel %u", index);
  *out = &module->kernels[index];
  return KILN_OK;
}
