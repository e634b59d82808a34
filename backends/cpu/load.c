// Programs are shared objects, opened with the system's loader so that debuggers, profilers and unwinding know them.
//
// The loader recognises a library by the text of its path first, and by device and inode next; a file that it has
// loaded once it gives out again without looking. So every copy that we open ourselves gets a path text of its own (the
// same memory file can be spelled in endless ways), and what was opened is compared with the build id that the compiler
// noted: a library that is not the one asked for is never used.
#include "backends/cpu/cpu.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH_SIZE 4096

// ---- the right library?

// The build id of a loaded library, from its note in memory.
static bool has_build_id(void *library, const uint8_t id[20]) {
  struct link_map *map;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map))
    return false;
  const unsigned char *base = (const unsigned char *)map->l_addr; // the first segment holds the headers
  Elf64_Ehdr header;
  memcpy(&header, base, sizeof header);
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, base + header.e_phoff + i * sizeof segment, sizeof segment);
    Elf64_Nhdr note;
    if (segment.p_type != PT_NOTE || segment.p_memsz < sizeof note + 24)
      continue;
    memcpy(&note, base + segment.p_vaddr, sizeof note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz == 20)
      return memcmp(base + segment.p_vaddr + sizeof note + 4, id, 20) == 0;
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
  if (has_build_id(library, id))
    return library;
  *reason = "another library is loaded in its place";
  dlclose(library);
  return NULL;
}

// ---- copies

static bool write_all(int fd, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)data + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return true;
}

// The folder of the process, then as many slashes between the dots of "/./" as each digit of (driver, serial) says,
// then the descriptor: the same file under a text that no other live library has.
static void unique_path(char out[PATH_SIZE], const char *process, const struct kiln_drv *drv, uint64_t serial, int fd) {
  size_t at = (size_t)snprintf(out, PATH_SIZE, "/proc/%s", process);
  for (int word = 0; word < 2; word++)
    for (uint64_t rest = word ? serial : (uint64_t)(uintptr_t)drv, digit = 0; digit < 16; digit++, rest >>= 4) {
      out[at++] = '/';
      for (unsigned i = 0; i < (rest & 15); i++)
        out[at++] = '/';
      out[at++] = '.';
    }
  snprintf(out + at, PATH_SIZE - at, "/fd/%d", fd);
}

// A memory file under a high number: once it is closed, the path must lead nowhere. A debugger opens the paths of
// libraries, and would hang reading a pipe that got the number next.
static int create_memory(void) {
  int low = memfd_create("kiln", MFD_CLOEXEC);
  if (low < 0)
    return -1;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit))
    return low;
  int from = limit.rlim_cur < 1024 ? (int)limit.rlim_cur - 64 : 1024 - 64;
  int high = from > low ? fcntl(low, F_DUPFD_CLOEXEC, from) : -1;
  if (high < 0)
    return low;
  close(low);
  return high;
}

static void *open_memory(struct kiln_drv *drv, const struct kiln_code *code, const uint8_t id[20],
                         const char **reason) {
  int fd = create_memory();
  if (fd < 0 || !write_all(fd, code->data, code->size)) {
    *reason = strerror(errno);
    if (fd >= 0)
      close(fd);
    return NULL;
  }
  // By number, so that the path means the same to a debugger; "self" where /proc is that of other numbers.
  char number[16], path[PATH_SIZE];
  snprintf(number, sizeof number, "%d", (int)getpid());
  const char *const processes[2] = {number, "self"};
  void *library = NULL;
  for (int i = 0; i < 2 && !library; i++) {
    unique_path(path, processes[i], drv, __atomic_fetch_add(&drv->loads, 1, __ATOMIC_RELAXED), fd);
    library = open_checked(path, id, reason);
  }
  close(fd); // the mapping stays
  return library;
}

// Where memory files cannot be executed or /proc is missing: a private file that is gone once it is open.
static void *open_temporary(const struct kiln_code *code, const uint8_t id[20], const char **reason) {
  static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/kiln-XXXXXX", folders[i]);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
      continue;
    void *library = NULL;
    if (write_all(fd, code->data, code->size))
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

static void *open_library(struct kiln_drv *drv, const struct kiln_code *code, const struct kiln_cpu_meta *meta,
                          struct kiln_report *report) {
  const char *reason = NULL, *copy_reason = NULL;
  void *library = NULL;
  // Variables that kernels write belong to one program: such a library is not shared by way of its file.
  if (code->path && !(meta->flags & KILN_CPU_HAS_STATE))
    library = open_checked(code->path, meta->build_id, &reason);
  if (!library)
    library = open_memory(drv, code, meta->build_id, &copy_reason);
  if (!library)
    library = open_temporary(code, meta->build_id, &copy_reason);
  if (!library)
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "a compiled program cannot be loaded: %s",
              copy_reason ? copy_reason : "no folder for a temporary file");
  return library;
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
  struct kiln_cpu_meta meta;
  bool whole = false;
  for (uint32_t i = 0; check_meta(code, &meta) && i < meta.kernel_count; i++) {
    struct kiln_cpu_meta_kernel kernel;
    memcpy(&kernel, (const char *)code->meta + sizeof meta + i * sizeof kernel, sizeof kernel);
    whole |= kernel.row_unit && !code->kernels[i].required_group_size[0];
  }
  return whole ? "--kiln-rows=any" : NULL;
}

static bool check_kernel(const struct kiln_cpu_meta *meta, const struct kiln_drv_kernel *kernel) {
  const struct kiln_cpu_meta_kernel *k = &kernel->meta;
  if (k->arg_count != kernel->info->arg_count || k->arg_first > meta->arg_count ||
      k->arg_count > meta->arg_count - k->arg_first)
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
  (void)drv;
  if (!module)
    return;
  if (module->library)
    dlclose(module->library);
  free(module->arg_offsets);
  free(module);
}

static enum kiln_status find_kernel(struct kiln_drv_module *module, const struct kiln_cpu_meta *meta,
                                    struct kiln_drv_kernel *kernel, struct kiln_report *report) {
  char name[512];
  int n = snprintf(name, sizeof name, "%s" KILN_CPU_SYMBOL_SUFFIX, kernel->info->name);
  void *symbol = n > 0 && n < (int)sizeof name ? dlsym(module->library, name) : NULL;
  if (!symbol || !check_kernel(meta, kernel))
    return kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' does not match its compiled program", kernel->info->name);
  memcpy(&kernel->run, &symbol, sizeof symbol);
  return KILN_OK;
}

enum kiln_status kiln_cpu_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                               struct kiln_report *report) {
  struct kiln_cpu_meta meta;
  if (!check_meta(code, &meta))
    return kiln_fail(report, KILN_ERR_INTERNAL, "a compiled program has no valid description of its kernels");
  struct kiln_drv_module *module = calloc(1, sizeof *module + meta.kernel_count * sizeof *module->kernels);
  if (module)
    module->arg_offsets = malloc((meta.arg_count + 1) * sizeof *module->arg_offsets);
  if (!module || !module->arg_offsets) {
    kiln_cpu_unload(drv, module);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  }
  const unsigned char *kernels = (const unsigned char *)code->meta + sizeof meta;
  const unsigned char *offsets = kernels + meta.kernel_count * sizeof(struct kiln_cpu_meta_kernel);
  memcpy(module->arg_offsets, offsets, meta.arg_count * sizeof *module->arg_offsets);
  module->kernel_count = meta.kernel_count;
  module->warp_size = drv->host.config.target.warp_size;
  module->library = open_library(drv, code, &meta, report);
  enum kiln_status status = module->library ? KILN_OK : KILN_ERR_UNAVAILABLE;
  for (uint32_t i = 0; i < meta.kernel_count && !status; i++) {
    struct kiln_drv_kernel *kernel = &module->kernels[i];
    kernel->module = module;
    kernel->info = &code->kernels[i];
    memcpy(&kernel->meta, kernels + i * sizeof kernel->meta, sizeof kernel->meta);
    kernel->arg_offsets = module->arg_offsets + kernel->meta.arg_first;
    if (kernel->meta.arg_first > meta.arg_count)
      status =
          kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' does not match its compiled program", kernel->info->name);
    else
      status = find_kernel(module, &meta, kernel, report);
  }
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
