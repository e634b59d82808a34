// Loading programs: glibc hands out again what it has loaded under the same path text. No kernel may ever run in
// another one's place, however many are loaded, and no descriptor may be kept.
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/image.h"
#include "base/file.h"
#include "jit/report.h"

extern const struct kiln_base_backend kiln_cpu_backend;

// Options with the default of every row of the backend's table. values is theirs.
static struct kiln_options default_options(uint32_t optimize, const char *values[32]) {
  cr_assert_leq(kiln_cpu_backend.option_count, 32);
  for (uint32_t i = 0; i < kiln_cpu_backend.option_count; i++)
    values[i] = kiln_cpu_backend.options[i].default_value;
  return (struct kiln_options){.optimize = optimize, .values = values};
}

static void drop_print(void *user, const char *text, size_t size) { (void)user, (void)text, (void)size; }
static void drop_log(void *user, enum kiln_log_level level, const char *text) { (void)user, (void)level, (void)text; }

struct world {
  const struct kiln_driver *driver;
  struct kiln_drv *drv;
  struct kiln_drv_stream *stream;
  struct kiln_report report;
};

static void world_open(struct world *w) {
  memset(w, 0, sizeof *w);
  w->driver = kiln_cpu_backend.driver;
  struct kiln_driver_config config = {.num_threads = 1, .print = drop_print, .log = drop_log};
  cr_assert_eq(kiln_cpu_backend.detect_target(&config.target, &w->report), KILN_OK);
  cr_assert_eq(w->driver->open(&config, &w->drv, &w->report), KILN_OK, "%s", kiln_report_text(&w->report));
  cr_assert_eq(w->driver->stream_create(w->drv, 0, &w->stream, &w->report), KILN_OK);
}

static void world_close(struct world *w) {
  w->driver->stream_destroy(w->drv, w->stream);
  w->driver->close(w->drv);
  kiln_report_free(&w->report);
}

// A program whose kernel writes value; with_state: adds it to a program-scope variable first.
static void make(struct world *w, unsigned value, bool with_state, struct kiln_artifact *out) {
  char text[1024];
  snprintf(text, sizeof text, "kiln_ir 1\n%skernel @k(%%p: ptr.global) {\n%s  store %%p, %s, align 4\n  return\n}\n",
           with_state ? "global $0 \"sum\" global size 4 align 4\n" : "",
           with_state ? "  %o = load $0, align 4 : i32\n  %n = iadd %o, 1:i32\n  store $0, %n, align 4\n" : "",
           with_state ? "%n" : "V:i32");
  char *at = strstr(text, "V:i32"), final[1100];
  if (at)
    snprintf(final, sizeof final, "%.*s%u:i32%s", (int)(at - text), text, value, at + 5);
  else
    snprintf(final, sizeof final, "%s", text);
  struct kiln_module *module = NULL;
  cr_assert_eq(kiln_module_parse(final, strlen(final), "t.kir", &module), KILN_OK, "%s\n%s", kiln_last_error(), final);
  const char *values[32];
  struct kiln_compile_job job = {.module = module, .options = default_options(1, values)};
  cr_assert_eq(kiln_cpu_backend.make_target("native", &job.target, &w->report), KILN_OK);
  cr_assert_eq(kiln_cpu_backend.compile(&job, out, &w->report), KILN_OK, "%s", kiln_report_text(&w->report));
  kiln_module_free(module);
}

static void drop(struct kiln_artifact *artifact) {
  free(artifact->data);
  free(artifact->meta);
  free(artifact->kernels);
}

static const struct kiln_arg_info pointer_arg = {.name = "p", .type_name = "int*", .kind = KILN_ARG_BUFFER, .size = 8};
static const struct kiln_kernel_info info = {.name = "k", .arg_count = 1, .args = &pointer_arg};

static enum kiln_status load(struct world *w, const struct kiln_artifact *a, const char *path,
                             struct kiln_drv_module **out) {
  struct kiln_code code = {a->data, a->size, path, a->meta, a->meta_size, &info, 1};
  return w->driver->load(w->drv, &code, out, &w->report);
}

static unsigned run(struct world *w, struct kiln_drv_module *module) {
  unsigned result = 0xdeadbeef;
  struct kiln_drv_memory *memory;
  cr_assert_eq(w->driver->alloc(w->drv, 0, 4, &result, &memory, &w->report), KILN_OK);
  struct kiln_drv_arg arg = {.kind = KILN_ARG_BUFFER, .memory = memory};
  struct kiln_drv_launch_desc desc = {
      .work_dim = 1, .global = {1, 1, 1}, .local = {1, 1, 1}, .args = &arg, .arg_count = 1};
  struct kiln_drv_launch *launch;
  cr_assert_eq(w->driver->kernel(w->drv, module, 0, &desc.kernel, &w->report), KILN_OK);
  cr_assert_eq(w->driver->prepare(w->drv, &desc, &launch, &w->report), KILN_OK);
  cr_assert_eq(w->driver->launch(w->drv, w->stream, launch, NULL, &w->report), KILN_OK);
  cr_assert_eq(w->driver->finish(w->drv, w->stream, &w->report), KILN_OK);
  w->driver->launch_release(w->drv, launch);
  w->driver->free(w->drv, memory);
  return result;
}

#define KERNELS 50
#define LOADS 2000

Test(cpu_load, two_thousand_loads_with_few_descriptors) {
  struct world w;
  world_open(&w);
  struct kiln_artifact artifacts[KERNELS];
  for (unsigned i = 0; i < KERNELS; i++)
    make(&w, 1000 + i, false, &artifacts[i]);
  struct rlimit limit = {256, 256};
  cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
  static struct kiln_drv_module *modules[LOADS];
  unsigned wrong = 0;
  for (unsigned i = 0; i < LOADS; i++) {
    enum kiln_status status = load(&w, &artifacts[i % KERNELS], NULL, &modules[i]);
    cr_assert_eq(status, KILN_OK, "load %u: %s", i, kiln_report_text(&w.report));
    wrong += run(&w, modules[i]) != 1000 + i % KERNELS;
    if (i % 3 == 0) { // some go early, so that names could be used again
      w.driver->unload(w.drv, modules[i]);
      modules[i] = NULL;
    }
  }
  for (unsigned i = 0; i < LOADS; i++)
    if (modules[i]) {
      wrong += run(&w, modules[i]) != 1000 + i % KERNELS;
      w.driver->unload(w.drv, modules[i]);
    }
  cr_expect_eq(wrong, 0, "%u kernels ran in another one's place", wrong);
  for (unsigned i = 0; i < KERNELS; i++)
    drop(&artifacts[i]);
  world_close(&w);
}

static unsigned descriptor_table(void) {
  unsigned size = 0;
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status) && sscanf(line, "FDSize: %u", &size) != 1)
    ;
  cr_assert(status && size);
  fclose(status);
  return size;
}

// Growing it takes milliseconds in a process with threads.
Test(cpu_load, a_load_does_not_grow_the_table_of_descriptors) {
  struct world w;
  world_open(&w);
  struct kiln_artifact artifact;
  make(&w, 7, false, &artifact);
  unsigned before = descriptor_table();
  struct kiln_drv_module *module;
  cr_assert_eq(load(&w, &artifact, NULL, &module), KILN_OK, "%s", kiln_report_text(&w.report));
  cr_expect_eq(descriptor_table(), before, "%u descriptors, before %u", descriptor_table(), before);
  w.driver->unload(w.drv, module);
  drop(&artifact);
  world_close(&w);
}

static void write_entry(const char *path, const struct kiln_artifact *a) {
  // As in the cache: bytes behind the end of the ELF file.
  char *bytes = malloc(a->size + 100);
  memcpy(bytes, a->data, a->size);
  memset(bytes + a->size, 'x', 100);
  cr_assert_eq(kiln_file_write(path, bytes, a->size + 100), 0);
  free(bytes);
}

Test(cpu_load, a_path_whose_file_was_replaced) {
  struct world w;
  struct kiln_artifact a, b;
  struct kiln_drv_module *first, *second, *third;
  char path[] = "/tmp/kiln-test-XXXXXX";
  int fd = mkstemp(path);
  cr_assert_geq(fd, 0);
  close(fd);
  world_open(&w);
  make(&w, 1, false, &a);
  make(&w, 2, false, &b);
  write_entry(path, &a);
  cr_assert_eq(load(&w, &a, path, &first), KILN_OK);
  write_entry(path, &b); // the loader still has the first under this path
  cr_assert_eq(load(&w, &b, path, &second), KILN_OK, "%s", kiln_report_text(&w.report));
  cr_assert_eq(load(&w, &a, path, &third), KILN_OK);
  cr_expect_eq(run(&w, first), 1);
  cr_expect_eq(run(&w, second), 2);
  cr_expect_eq(run(&w, third), 1);
  w.driver->unload(w.drv, first);
  w.driver->unload(w.drv, third);
  cr_expect_eq(run(&w, second), 2);
  w.driver->unload(w.drv, second);
  // A path that is gone, or no library at all, is no obstacle: the bytes are at hand.
  unlink(path);
  cr_assert_eq(load(&w, &a, path, &first), KILN_OK);
  cr_expect_eq(run(&w, first), 1);
  w.driver->unload(w.drv, first);
  drop(&a);
  drop(&b);
  world_close(&w);
}

static bool is_mapped(const char *path) {
  char line[512];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  cr_assert(maps);
  while (fgets(line, sizeof line, maps))
    found |= strstr(line, path) != NULL;
  fclose(maps);
  return found;
}

// Whoever can write to a file that is mapped changes the code. What is not mapped is loaded from the bytes at hand.
Test(cpu_load, files_that_others_could_write_to_are_not_mapped) {
  enum { STRANGER = 4242 };
  const struct {
    const char *what;
    mode_t mode;
    uid_t user;
    bool link, mapped;
  } cases[] = {{"own", 0600, geteuid(), false, true},
               {"a group's", 0620, geteuid(), false, false},
               {"everybody's", 0602, geteuid(), false, false},
               {"a link to it", 0600, geteuid(), true, false},
               {"a stranger's", 0600, STRANGER, false, false}};
  struct world w;
  struct kiln_artifact a;
  world_open(&w);
  make(&w, 3, false, &a);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[] = "/tmp/kiln-test-XXXXXX", link[64];
    struct kiln_drv_module *module;
    int fd = mkstemp(path);
    if (cases[i].user != geteuid() && geteuid() != 0)
      continue;
    cr_assert(fd >= 0 && close(fd) == 0);
    write_entry(path, &a);
    cr_assert(chown(path, cases[i].user, (gid_t)-1) == 0 && chmod(path, cases[i].mode) == 0);
    snprintf(link, sizeof link, "%s-link", path);
    cr_assert(symlink(path, link) == 0);
    cr_assert_eq(load(&w, &a, cases[i].link ? link : path, &module), KILN_OK, "%s", kiln_report_text(&w.report));
    cr_expect_eq(is_mapped(path), cases[i].mapped, "%s", cases[i].what);
    cr_expect_eq(run(&w, module), 3);
    w.driver->unload(w.drv, module);
    unlink(link);
    unlink(path);
  }
  drop(&a);
  world_close(&w);
}

Test(cpu_load, variables_belong_to_one_program) {
  struct world w;
  struct kiln_artifact a;
  struct kiln_drv_module *first, *second;
  char path[] = "/tmp/kiln-test-XXXXXX";
  int fd = mkstemp(path);
  cr_assert_geq(fd, 0);
  close(fd);
  world_open(&w);
  make(&w, 0, true, &a);
  write_entry(path, &a);
  cr_assert_eq(load(&w, &a, path, &first), KILN_OK, "%s", kiln_report_text(&w.report));
  cr_assert_eq(load(&w, &a, path, &second), KILN_OK);
  cr_expect_eq(run(&w, first), 1);
  cr_expect_eq(run(&w, first), 2);
  cr_expect_eq(run(&w, second), 1, "the second program sees the first one's variable");
  w.driver->unload(w.drv, first);
  w.driver->unload(w.drv, second);
  unlink(path);
  drop(&a);
  world_close(&w);
}

Test(cpu_load, damaged_programs_are_errors) {
  struct world w;
  struct kiln_artifact a;
  struct kiln_drv_module *module;
  world_open(&w);
  make(&w, 7, false, &a);
  unsigned ran = 0;
  for (size_t size = 0; size < a.meta_size; size += 4, ran++) {
    struct kiln_artifact bad = a;
    bad.meta_size = size;
    cr_expect_neq(load(&w, &bad, NULL, &module), KILN_OK, "metadata of %zu bytes", size);
  }
  cr_assert_gt(ran, 10);
  struct kiln_artifact bad = a;
  bad.data = "no library";
  bad.size = 10;
  cr_expect_eq(load(&w, &bad, NULL, &module), KILN_ERR_UNAVAILABLE);
  kiln_report_free(&w.report);
  drop(&a);
  world_close(&w);
}

// ---- code that is no library as the compiler makes it, with everything around it right
// -------------------------------

enum { REFUSED, LOADED };

// Loads it in a process of its own, by the driver and as an image, and says how that ended.
static int load_apart(struct world *w, const struct kiln_artifact *a) {
  pid_t child = fork();
  if (child == 0) {
    struct kiln_drv_module *module;
    const char *reason;
    alarm(60);
    bool loaded = load(w, a, NULL, &module) == KILN_OK;
    kiln_cpu_image_close(kiln_cpu_image_open(a->data, a->size, &reason));
    _exit(loaded ? LOADED : REFUSED);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

struct damage { // a table of the file, and the numbers in one row of it
  const char *what;
  size_t at, rows, row_size;
  const struct field { size_t at, size; } * fields; // until one has no size
};

#define FIELD(type, name)                                                                                              \
  { offsetof(type, name), sizeof(((type *)0)->name) }
static const struct field header_fields[] = {FIELD(Elf64_Ehdr, e_type),
                                             FIELD(Elf64_Ehdr, e_machine),
                                             FIELD(Elf64_Ehdr, e_phoff),
                                             FIELD(Elf64_Ehdr, e_shoff),
                                             FIELD(Elf64_Ehdr, e_ehsize),
                                             FIELD(Elf64_Ehdr, e_phentsize),
                                             FIELD(Elf64_Ehdr, e_phnum),
                                             FIELD(Elf64_Ehdr, e_shnum),
                                             FIELD(Elf64_Ehdr, e_shentsize),
                                             FIELD(Elf64_Ehdr, e_shstrndx),
                                             {0, 0}};
static const struct field segment_fields[] = {
    FIELD(Elf64_Phdr, p_type),   FIELD(Elf64_Phdr, p_flags), FIELD(Elf64_Phdr, p_offset), FIELD(Elf64_Phdr, p_vaddr),
    FIELD(Elf64_Phdr, p_filesz), FIELD(Elf64_Phdr, p_memsz), FIELD(Elf64_Phdr, p_align),  {0, 0}};
static const struct field section_fields[] = {FIELD(Elf64_Shdr, sh_type),
                                              FIELD(Elf64_Shdr, sh_addr),
                                              FIELD(Elf64_Shdr, sh_offset),
                                              FIELD(Elf64_Shdr, sh_size),
                                              FIELD(Elf64_Shdr, sh_link),
                                              FIELD(Elf64_Shdr, sh_entsize),
                                              {0, 0}};
static const struct field dynamic_fields[] = {FIELD(Elf64_Dyn, d_tag), FIELD(Elf64_Dyn, d_un), {0, 0}};
static const struct field relocation_fields[] = {
    FIELD(Elf64_Rela, r_offset), FIELD(Elf64_Rela, r_info), FIELD(Elf64_Rela, r_addend), {0, 0}};
static const struct field symbol_fields[] = {
    FIELD(Elf64_Sym, st_name), FIELD(Elf64_Sym, st_shndx), FIELD(Elf64_Sym, st_value), {0, 0}};

static struct damage table_of(const struct kiln_artifact *a, uint32_t type, const char *what,
                              const struct field *fields) {
  Elf64_Ehdr header;
  memcpy(&header, a->data, sizeof header);
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, (const char *)a->data + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type == type)
      return (struct damage){what, section.sh_offset, section.sh_size / section.sh_entsize, section.sh_entsize, fields};
  }
  cr_assert(false, "no %s", what);
  return (struct damage){0};
}

static unsigned damage_table(struct world *w, const struct kiln_artifact *a, unsigned char *bytes,
                             const struct damage *d) {
  static const uint64_t values[] = {0,
                                    1,
                                    0x7ff8,
                                    0x7ffffff0,
                                    UINT64_C(0x7ffffffffffffff0),
                                    UINT64_MAX - 7,
                                    UINT64_C(0x7fffffff00000001)}; // of a relocation: a symbol far away
  unsigned ran = 0;
  for (size_t row = 0; row < d->rows; row++)
    for (const struct field *f = d->fields; f->size; f++)
      for (size_t v = 0; v < sizeof values / sizeof *values; v++, ran++) {
        unsigned char *at = bytes + d->at + row * d->row_size + f->at, saved[8];
        memcpy(saved, at, f->size);
        memcpy(at, &values[v], f->size);
        bool same = memcmp(at, saved, f->size) == 0;
        int status = load_apart(w, a);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == (same ? LOADED : REFUSED),
                  "%s %zu: %llx in place of the number at %zu ends with 0x%x", d->what, row,
                  (unsigned long long)values[v], f->at, (unsigned)status);
        memcpy(at, saved, f->size);
      }
  return ran;
}

Test(cpu_load, damaged_code_is_an_error, .timeout = 100) {
  struct world w;
  struct kiln_artifact a;
  world_open(&w);
  make(&w, 7, true, &a);
  Elf64_Ehdr header;
  memcpy(&header, a.data, sizeof header);
  const struct damage tables[] = {
      {"header", 0, 1, sizeof header, header_fields},
      {"segment", header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr), segment_fields},
      {"section", header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr), section_fields},
      table_of(&a, SHT_DYNAMIC, "entry of the dynamic section", dynamic_fields),
      table_of(&a, SHT_DYNSYM, "symbol", symbol_fields),
      table_of(&a, SHT_RELA, "relocation", relocation_fields),
  };
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    ran += damage_table(&w, &a, a.data, &tables[i]);
  static const struct field numbers[] = {{0, 4}, {0, 0}};
  const struct damage meta = {"number of the metadata", 0, a.meta_size / 4, 4, numbers};
  ran += damage_table(&w, &a, a.meta, &meta);
  cr_expect_gt(ran, 300, "%u", ran);
  for (size_t size = 0; size < a.size; size += 64) { // it ends early
    struct kiln_artifact cut = a;
    cut.size = size;
    int status = load_apart(&w, &cut);
    cr_expect(WIFEXITED(status), "%zu bytes of %zu end with signal %d", size, a.size, WTERMSIG(status));
  }
  drop(&a);
  world_close(&w);
}

Test(cpu_load, a_target_of_another_machine_is_not_run) {
  struct kiln_driver_config config = {.num_threads = 1, .print = drop_print, .log = drop_log};
  struct kiln_report report = {0};
  struct kiln_drv *drv;
#if defined(__x86_64__)
  cr_assert_eq(kiln_cpu_make_target("neoverse-n1", &config.target, &report), KILN_OK);
#else
  cr_assert_eq(kiln_cpu_make_target("x86-64-v3", &config.target, &report), KILN_OK);
#endif
  cr_expect_eq(kiln_cpu_backend.driver->open(&config, &drv, &report), KILN_ERR_UNAVAILABLE);
  cr_expect(strstr(kiln_report_text(&report), "cannot run"), "%s", kiln_report_text(&report));
  kiln_report_free(&report);
}
