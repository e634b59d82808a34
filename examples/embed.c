// Kiln in a program with threads and child processes (docs/embedding.md): two threads share a context, and so does a
// child of fork; no descriptor survives exec; an error is a message. Needs a backend that uses the host's memory.
#include <dirent.h>
#include <fcntl.h>
#include <kiln/kiln.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char twice[] = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";

static void *work(void *user) { // a kernel on a stream of its own
  struct kiln_context *context = user;
  struct kiln_program *program = NULL;
  struct kiln_kernel *kernel = NULL;
  struct kiln_stream *stream = NULL;
  struct kiln_buffer *buffer = NULL;
  _Alignas(64) int x[1] = {42};
  bool failed = kiln_program_create(context, &(struct kiln_program_desc){.source = twice}, &program) ||
                kiln_kernel_create(program, NULL, &kernel) || kiln_stream_create(context, 0, &stream) ||
                kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof x, .host = x}, &buffer);
  if (!failed) {
    struct kiln_arg arg = kiln_arg_buffer(buffer);
    failed = kiln_launch(stream, kernel, &(struct kiln_launch_desc){{1}, .args = &arg, .arg_count = 1}, NULL) ||
             kiln_read(stream, buffer, 0, x, sizeof x, NULL) || kiln_stream_finish(stream);
  }
  kiln_program_release(program); // in any order; NULL is no error
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  return (void *)(intptr_t)(failed ? -1 : x[0]);
}

// How many descriptors beyond the standard ones a program that this one executes would get.
static int inherited(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    int fd = atoi(entry->d_name), flags = fcntl(fd, F_GETFD);
    count += fd > STDERR_FILENO && flags >= 0 && !(flags & FD_CLOEXEC);
  }
  if (folder)
    closedir(folder);
  return count;
}

int main(void) {
  int before = inherited();
  struct kiln_context *context;
  if (kiln_context_open(NULL, &context))
    return fprintf(stderr, "%s\n", kiln_last_error()), 1;
  pthread_t threads[2];
  void *results[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, context);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], &results[i]);
  int status;
  pid_t child = fork(); // no other thread is inside of Kiln
  if (child == 0)
    _exit(work(context) == (void *)84 ? 0 : 1);
  waitpid(child, &status, 0);
  printf("%d %d, child %d; ", (int)(intptr_t)results[0], (int)(intptr_t)results[1], WEXITSTATUS(status));
  printf("%d descriptors for exec; ", inherited() - before);
  struct kiln_program *program;
  const char *wrong = "kernel void f(global int *x) {\n y = 1; }";
  if (kiln_program_create(context, &(struct kiln_program_desc){.source = wrong, .name = "f.cl"}, &program))
    printf("%s\n", strchr(kiln_last_error(), ':') + 1);
  kiln_context_close(context);
}
