// Finds and runs NVIDIA's tools. Their files are memory of this process, which they open by /proc/self/fd: nothing is
// left on a disk, whatever ends them.
#include "backends/cuda/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write.h"

extern char **environ;

// ---- finding

static bool is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// The first program that the pattern names.
static char *find_by_pattern(const char *pattern) {
  glob_t found;
  char *path = NULL;
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc && !path; i++)
      path = is_program(found.gl_pathv[i]) ? strdup(found.gl_pathv[i]) : NULL;
    globfree(&found);
  }
  return path;
}

static char *find_in_folder(struct kiln_str folder, const char *name) {
  char path[4096];
  int size = snprintf(path, sizeof path, "%.*s/%s", (int)folder.size, folder.data, name);
  return size > 0 && (size_t)size < sizeof path && is_program(path) ? strdup(path) : NULL;
}

// That of NVIDIA's packages on PyPI, where Python's programs are in PREFIX/bin.
static char *find_in_packages(struct kiln_str prefix, const char *name) {
  static const char *const kinds[] = {"site-packages", "dist-packages"};
  char *path = NULL;
  for (int i = 0; i < 2 && !path; i++) {
    char pattern[4096];
    int size = snprintf(pattern, sizeof pattern, "%.*s/lib/python3*/%s/nvidia/*/bin/%s", (int)prefix.size, prefix.data,
                        kinds[i], name);
    path = size > 0 && (size_t)size < sizeof pattern ? find_by_pattern(pattern) : NULL;
  }
  return path;
}

static char *find_by_path(const char *folders, const char *name, bool packages) {
  char *path = NULL;
  while (*folders && !path) {
    struct kiln_str folder = {folders, strcspn(folders, ":")};
    bool is_bin = folder.size > 4 && memcmp(folder.data + folder.size - 4, "/bin", 4) == 0;
    if (*folder.data == '/' && !packages)
      path = find_in_folder(folder, name);
    else if (*folder.data == '/' && is_bin)
      path = find_in_packages((struct kiln_str){folder.data, folder.size - 4}, name);
    folders += folder.size + (folders[folder.size] == ':');
  }
  return path;
}

enum kiln_status kiln_cuda_find_tool(const char *name, char **out, struct kiln_report *report) {
  const char *named = kiln_report_variable(report, "KILN_PTXAS"), *folders = kiln_report_variable(report, "PATH"),
             *home = kiln_report_variable(report, "HOME");
  bool is_ptxas = strcmp(name, "ptxas") == 0;
  char local[4096];
  *out = NULL;
  if (is_ptxas && strcmp(named, "none") == 0)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no ptxas is used, as KILN_PTXAS says");
  if (is_ptxas && *named) {
    *out = is_program(named) ? strdup(named) : NULL;
    return *out ? KILN_OK : kiln_fail(report, KILN_ERR_UNAVAILABLE, "KILN_PTXAS is '%s', which is no program", named);
  }
  const char *slash = strrchr(named, '/');
  if (slash)
    *out = find_in_folder((struct kiln_str){named, (size_t)(slash - named)}, name);
  if (!*out)
    *out = find_by_path(folders, name, false);
  if (!*out)
    *out = find_by_path(folders, name, true);
  int size = snprintf(local, sizeof local, "%s/.local", home);
  if (!*out && *home == '/' && size > 0 && (size_t)size < sizeof local)
    *out = find_in_packages(kiln_str(local), name);
  if (*out)
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                   "NVIDIA's %s was not found: %sit is neither in PATH nor among the packages of PyPI beside it "
                   "(pip install %s)",
                   name, is_ptxas ? "KILN_PTXAS is empty, and " : "",
                   is_ptxas ? "nvidia-cuda-nvcc-cu12" : "nvidia-cuda-nvdisasm");
}

// ---- running

enum { INPUT = 3, OUTPUT, FILES_END };

// files: by number of the tool's.
static int start(pid_t *child, const char *path, char *const *argv, const int *files) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) { // a group of its own, so that what it starts ends with it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int fd = STDOUT_FILENO; fd < FILES_END && !error; fd++)
      error = posix_spawn_file_actions_adddup2(&actions, files[fd], fd);
    if (!error)
      error = posix_spawn_file_actions_addclosefrom_np(&actions, FILES_END);
    if (!error)
      error = posix_spawn(child, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Memory as a file, whose number is above those that the tool gets. -1 with errno.
static int memory_file(void) {
  int fd = memfd_create("kiln-tool", MFD_CLOEXEC), high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FILES_END);
  if (fd >= 0)
    close(fd);
  return high;
}

// False: it took too long, and was ended. *status: -1 where the host has waited for it.
static bool await(pid_t child, uint64_t seconds, int *status) {
  uint64_t end = seconds ? kiln_now_ns() + seconds * 1000000000u : UINT64_MAX;
  struct timespec pause = {0, 500000};
  pid_t ended;
  *status = -1;
  while ((ended = waitpid(child, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (kiln_now_ns() > end) {
      kill(-child, SIGKILL);
      (void)waitpid(child, status, 0);
      return false;
    }
    nanosleep(&pause, NULL);
    pause.tv_nsec = pause.tv_nsec < 10000000 ? pause.tv_nsec * 2 : pause.tv_nsec;
  }
  return true;
}

void kiln_cuda_said_free(struct kiln_cuda_said *said) {
  free(said->made);
  free(said->text);
  memset(said, 0, sizeof *said);
}

// What a tool says is for people: lines become one.
static void first_words(const char *text, char *out, size_t size) {
  size_t at = 0;
  for (; *text && at + 1 < size; text++)
    if (*text != '\n' || (at && out[at - 1] != ' '))
      out[at++] = *text == '\n' ? ' ' : *text;
  while (at && out[at - 1] == ' ')
    at--;
  out[at] = 0;
}

static enum kiln_status judge(const char *path, bool in_time, int status, uint64_t seconds,
                              const struct kiln_cuda_said *said, struct kiln_report *report) {
  char words[400];
  first_words(said->text ? said->text : "", words, sizeof words);
  if (!in_time)
    return kiln_fail(report, KILN_ERR_TIMEOUT, "%s has not ended in %llu s, and was ended", path,
                     (unsigned long long)seconds);
  if (status != -1 && WIFSIGNALED(status))
    return kiln_fail(report, KILN_ERR_COMPILE, "%s crashed: %s", path, strsignal(WTERMSIG(status)));
  if (status > 0)
    return kiln_fail(report, KILN_ERR_COMPILE, "%s failed: %s", path, *words ? words : "it gave no reason");
  return KILN_OK;
}

enum kiln_status kiln_cuda_run_tool(const char *path, const char *const *arguments, struct kiln_str contents,
                                    struct kiln_cuda_said *said, struct kiln_report *report) {
  enum { MAX_ARGUMENTS = 16 };
  static const char names[][20] = {"/proc/self/fd/3", "/proc/self/fd/4"};
  memset(said, 0, sizeof *said);
  char *argv[MAX_ARGUMENTS + 2] = {(char *)(uintptr_t)path};
  bool has_file = false;
  for (int i = 0; arguments[i] && i < MAX_ARGUMENTS; i++) {
    const char *name = strcmp(arguments[i], "<") == 0 ? names[0] : strcmp(arguments[i], ">") == 0 ? names[1] : NULL;
    argv[i + 1] = (char *)(uintptr_t)(name ? name : arguments[i]);
    has_file |= name == names[1];
  }
  int input = memory_file(), made = memory_file(), text = memory_file(), status;
  int error = input < 0 || made < 0 || text < 0 ? errno : kiln_write_all(input, contents.data, contents.size);
  int files[FILES_END] = {-1, has_file ? text : made, text, input, made};
  pid_t child;
  error = error ? error : start(&child, path, argv, files);
  enum kiln_status result = KILN_OK;
  if (error) {
    result = kiln_fail(report, KILN_ERR_IO, "cannot start %s: %s", path, strerrordesc_np(error));
  } else {
    uint64_t seconds = strtoull(kiln_report_variable(report, "COMPILE_ISOLATE_TIME"), NULL, 10);
    bool in_time = await(child, seconds, &status);
    size_t text_size;
    lseek(made, 0, SEEK_SET);
    lseek(text, 0, SEEK_SET);
    error = kiln_file_read_fd(made, &said->made, &said->made_size);
    error = error ? error : kiln_file_read_fd(text, &said->text, &text_size);
    result = error
                 ? kiln_fail(report, KILN_ERR_MEMORY, "what %s wrote cannot be read: %s", path, strerrordesc_np(error))
                 : judge(path, in_time, status, seconds, said, report);
  }
  for (int fd = STDERR_FILENO; fd < FILES_END; fd++)
    if (files[fd] >= 0)
      close(files[fd]);
  return result;
}
