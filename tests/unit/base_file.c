// Files and folders.
#include "base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[256];

static const char *in_folder(const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}
static void setup(void) {
  strcpy(folder, "/tmp/kiln-file-XXXXXX");
  cr_assert(mkdtemp(folder) != NULL);
}
static void teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  cr_assert(system(command) == 0);
}

Test(file, write_and_read, .init = setup, .fini = teardown) {
  size_t sizes[] = {0, 1, 4096, 1000000};
  for (int i = 0; i < 4; i++) {
    char *data = malloc(sizes[i] + 1), *back;
    size_t size;
    memset(data, 'a' + i, sizes[i]);
    cr_assert(kiln_file_write(in_folder("x"), data, sizes[i]) == 0, "size %zu", sizes[i]);
    cr_assert(kiln_file_read(in_folder("x"), &back, &size) == 0, "size %zu", sizes[i]);
    cr_assert(size == sizes[i] && memcmp(back, data, size) == 0 && back[size] == '\0', "size %zu", sizes[i]);
    free(data);
    free(back);
  }
  char *text;
  size_t size;
  cr_assert(kiln_file_read("/proc/self/status", &text, &size) == 0 && size > 100); // fstat says 0 bytes
  free(text);
}

Test(file, errors, .init = setup, .fini = teardown) {
  char *text;
  size_t size;
  cr_assert(kiln_file_read(in_folder("none"), &text, &size) == ENOENT);
  cr_assert(kiln_file_read(folder, &text, &size) == EISDIR);
  cr_assert(kiln_file_read("/dev/null", &text, &size) == EINVAL);
  cr_assert(mkfifo(in_folder("fifo"), 0600) == 0);
  cr_assert(kiln_file_read(in_folder("fifo"), &text, &size) == EINVAL); // and does not block
  cr_assert(kiln_file_write(in_folder("none/x"), "", 0) == ENOENT);
  cr_assert(kiln_file_write("/dev/null", "abc", 3) == 0); // written to, not replaced
  struct stat info;
  cr_assert(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
  cr_assert(truncate(in_folder("none"), 0) != 0);
  FILE *huge = fopen(in_folder("huge"), "w");
  cr_assert(ftruncate(fileno(huge), (off_t)3 << 30) == 0);
  fclose(huge);
  cr_assert(kiln_file_read(in_folder("huge"), &text, &size) == EFBIG);
}

Test(file, links_stay, .init = setup, .fini = teardown) {
  char target[256];
  strcpy(target, in_folder("target"));
  cr_assert(symlink(target, in_folder("link")) == 0);
  cr_assert(kiln_file_write(target, "1", 1) == 0 && kiln_file_write(in_folder("link"), "22", 2) == 0);
  struct stat info;
  cr_assert(lstat(in_folder("link"), &info) == 0 && S_ISLNK(info.st_mode));
  cr_assert(stat(target, &info) == 0 && info.st_size == 2);
}

Test(file, folders, .init = setup, .fini = teardown) {
  struct stat info;
  cr_assert(kiln_make_folder(in_folder("a/b/c")) == 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode));
  cr_assert((info.st_mode & 0777) == 0700);
  cr_assert(kiln_make_folder(in_folder("a/b/c")) == 0 && kiln_make_folder(in_folder("a//b/d/")) == 0);
  cr_assert(kiln_file_write(in_folder("f"), "", 0) == 0);
  cr_assert(kiln_make_folder(in_folder("f")) == ENOTDIR && kiln_make_folder(in_folder("f/g")) == ENOTDIR);
  cr_assert(kiln_make_folder("") == ENOENT);
}

Test(file, build_id) {
  char id[64], small[8];
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096], *libc = NULL;
  while (maps && fgets(line, sizeof line, maps) && !(libc = strstr(line, "/libc.so.6"))) {
  }
  fclose(maps);
  cr_assert(libc != NULL);
  libc = strchr(line, '/');
  libc[strcspn(libc, "\n")] = '\0';
  cr_assert(kiln_elf_build_id(libc, id, sizeof id), "%s", libc);
  cr_assert(strlen(id) == 40 && strspn(id, "0123456789abcdef") == 40, "%s", id);
  cr_assert(!kiln_elf_build_id(libc, small, sizeof small));
  cr_assert(!kiln_elf_build_id("/dev/null", id, sizeof id) && !kiln_elf_build_id("/none", id, sizeof id));
}

Test(file, damaged_elf, .init = setup, .fini = teardown) {
  char *data, id[64];
  size_t size;
  cr_assert(kiln_file_read("/proc/self/exe", &data, &size) == 0);
  size = size < 4096 ? size : 4096;
  unsigned tried = 0;
  for (size_t i = 0; i < 1200 && i < size; i += 3, tried++) {
    char saved = data[i];
    data[i] = (char)~saved;
    cr_assert(kiln_file_write(in_folder("elf"), data, size) == 0);
    (void)kiln_elf_build_id(path, id, sizeof id); // any answer but a crash
    data[i] = saved;
  }
  cr_assert(tried == 400);
  free(data);
}

Test(clock, goes_forward) {
  uint64_t before = kiln_now_ns();
  usleep(1000);
  cr_assert(kiln_now_ns() - before >= 1000000);
}
