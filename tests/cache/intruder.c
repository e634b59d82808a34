// A library that says that it was run: what an entry of the cache could be replaced by.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void run(void) {
  const char *mark = getenv("INTRUDER_MARK");
  int fd = mark ? open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd >= 0)
    close(fd);
}
