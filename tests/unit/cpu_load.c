// Loading programs: glibc hands out again what it has loaded under the same path text. No kernel may ever run in
// another one's place, however many are loaded, and no descriptor may be kept.
#include "cpu_load.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

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
  make_text(w, final, 0, out);
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

// The variant of a program, in an artifact of its own, has the program's variables, also when that is unloaded.
Test(cpu_load, a_variant_has_the_variables_of_its_program) {
  struct world w;
  struct kiln_artifact a, other, none;
  struct kiln_drv_module *owner, *variant, *stateless, *wrong;
  world_open(&w);
  make(&w, 0, true, &a);
  make(&w, 5, false, &none);
  make_text(&w,
            "kiln_ir 1\nglobal $0 \"a\" global size 4 align 4\nglobal $1 \"b\" global size 4 align 4\n"
            "kernel @k(%p: ptr.global) {\n  %x = load $0, align 4 : i32\n  store $1, %x, align 4\n  return\n}\n",
            0, &other);
  struct kiln_code code = {
      .data = a.data, .size = a.size, .meta = a.meta, .meta_size = a.meta_size, .kernels = &info, .kernel_count = 1};
  cr_assert_eq(load(&w, &a, NULL, &owner), KILN_OK, "%s", kiln_report_text(&w.report));
  cr_assert_eq(load(&w, &none, NULL, &stateless), KILN_OK);
  code.variant_of = owner;
  cr_assert_eq(w.driver->load(w.drv, &code, &variant, &w.report), KILN_OK, "%s", kiln_report_text(&w.report));
  cr_expect_eq(run(&w, owner), 1);
  cr_expect_eq(run(&w, variant), 2);
  code.variant_of = stateless;
  cr_expect_eq(w.driver->load(w.drv, &code, &wrong, &w.report), KILN_ERR_INTERNAL, "of a program without variables");
  code.variant_of = owner;
  code.data = other.data, code.size = other.size, code.meta = other.meta, code.meta_size = other.meta_size;
  cr_expect_eq(w.driver->load(w.drv, &code, &wrong, &w.report), KILN_ERR_INTERNAL, "with another number of variables");
  w.driver->unload(w.drv, owner);
  cr_expect_eq(run(&w, variant), 3, "of a program that is unloaded");
  w.driver->unload(w.drv, variant);
  w.driver->unload(w.drv, stateless);
  drop(&a);
  drop(&other);
  drop(&none);
  world_close(&w);
}

#define TABLE 40000 // bytes of constants: more than is compared at a time

// A file whose build id is right and whose bytes are not, be it far behind its beginning, is no file of the program.
Test(cpu_load, files_with_other_bytes_are_not_mapped) {
  static char text[TABLE + 1000];
  struct world w;
  struct kiln_artifact a;
  int at = snprintf(text, sizeof text, "kiln_ir 1\nglobal $0 \"t\" constant size %d align 4 = \"", TABLE);
  memset(text + at, 'a', TABLE);
  snprintf(text + at + TABLE, sizeof text - (size_t)at - TABLE,
           "\"\nkernel @k(%%p: ptr.global) {\n  %%q = load %%p, align 4 : i32\n  %%i = and %%q, 0:i32\n"
           "  %%j = zext %%i : i64\n  %%b = padd $0, %%j * 1\n  %%e = padd %%b, %d:i64 * 1\n"
           "  %%x = load %%e, align 4 : i32\n  store %%p, %%x, align 4\n  return\n}\n",
           TABLE - 4);
  world_open(&w);
  make_text(&w, text, 0, &a);
  cr_assert_gt(a.size, TABLE);
  unsigned char *bytes = memcpy(malloc(a.size), a.data, a.size);
  unsigned char *last = memmem(bytes, a.size, text + at, TABLE);
  cr_assert(last);
  last += TABLE - 1;
  for (int i = 0; i < 3; i++) { // the last constant is another one, nothing is, and the file ends early
    char path[] = "/tmp/kiln-test-XXXXXX";
    struct kiln_drv_module *module;
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    *last = i == 0 ? 'b' : 'a';
    cr_assert_eq(kiln_file_write(path, bytes, i == 2 ? (size_t)(last - bytes) : a.size), 0);
    cr_assert_eq(load(&w, &a, path, &module), KILN_OK, "%s", kiln_report_text(&w.report));
    cr_expect_eq(is_mapped(path), i == 1, "%d", i);
    cr_expect_eq(run(&w, module), 0x61616161u, "%d", i);
    w.driver->unload(w.drv, module);
    unlink(path);
  }
  free(bytes);
  drop(&a);
  world_close(&w);
}

static unsigned open_descriptors(void) {
  unsigned count = 0;
  DIR *folder = opendir("/proc/self/fd");
  cr_assert(folder);
  while (readdir(folder))
    count++;
  closedir(folder);
  return count;
}

// Neither from memory nor from a file: the mapping is all that is needed.
Test(cpu_load, a_loaded_program_has_no_descriptor) {
  struct world w;
  struct kiln_artifact a;
  char path[] = "/tmp/kiln-test-XXXXXX";
  int fd = mkstemp(path);
  cr_assert(fd >= 0 && close(fd) == 0);
  world_open(&w);
  make(&w, 6, false, &a);
  write_entry(path, &a);
  for (int i = 0; i < 2; i++) {
    struct kiln_drv_module *module;
    unsigned before = open_descriptors();
    cr_assert_eq(load(&w, &a, i ? path : NULL, &module), KILN_OK, "%s", kiln_report_text(&w.report));
    cr_expect_eq(open_descriptors(), before, "%d: %u, before %u", i, open_descriptors(), before);
    cr_expect_eq(run(&w, module), 6);
    w.driver->unload(w.drv, module);
  }
  unlink(path);
  drop(&a);
  world_close(&w);
}

// The file of a program with lines stays open, for debuggers: no child of the process gets it, and nobody can change
// it.
Test(cpu_load, files_that_stay_open_are_sealed_and_private) {
  struct world w;
  struct kiln_artifact a;
  struct kiln_drv_module *module;
  world_open(&w);
  make_text(&w, "kiln_ir 1\nkernel @k(%p: ptr.global) {\n  store %p, 4:i32, align 4\n  return\n}\n",
            KILN_BUILD_DEBUG_INFO, &a);
  cr_assert_eq(load(&w, &a, NULL, &module), KILN_OK, "%s", kiln_report_text(&w.report));
  unsigned found = 0;
  DIR *folder = opendir("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(folder));) {
    char target[64] = "";
    if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) < 0 || !strstr(target, "memfd:kiln"))
      continue;
    int fd = atoi(entry->d_name), seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    cr_expect_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    cr_expect_eq(fcntl(fd, F_GET_SEALS) & seals, seals, "%x", (unsigned)fcntl(fd, F_GET_SEALS));
    found++;
  }
  closedir(folder);
  cr_expect_eq(found, 1, "%u", found);
  cr_expect_eq(run(&w, module), 4);
  unsigned open = open_descriptors();
  w.driver->unload(w.drv, module);
  cr_expect_eq(open_descriptors(), open - 1);
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
