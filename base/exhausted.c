#include "base/exhausted.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

// What opening a driver takes: a few files at once, and room for its libraries.
enum { FILES = 4 };
static const size_t room = 256u << 20;

static int lacks_files(void) {
  int files[FILES], count = 0, error = 0;
  while (count < FILES && !error) {
    int fd = open("/", O_PATH | O_CLOEXEC);
    if (fd >= 0)
      files[count++] = fd;
    else
      error = errno;
  }
  while (count > 0)
    close(files[--count]);
  return error == EMFILE || error == ENFILE || error == ENOMEM ? error : 0;
}

int kiln_exhausted(void) {
  int error = lacks_files();
  if (error)
    return error;
  void *memory = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return errno == ENOMEM ? ENOMEM : 0;
  munmap(memory, room);
  return 0;
}

const char *kiln_exhausted_text(int error) {
  return error == EMFILE   ? "too many files are open in this process (ulimit -n says how many may be)"
         : error == ENFILE ? "too many files are open on this system"
                           : "memory is exhausted";
}
