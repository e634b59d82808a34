// The log of hosts that set no callback: COMPILE_LOG and COMPILE_LOG_FILE send it to standard error or to a file.
#include "jit/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/write.h"
#include "jit/context.h"
#include "jit/error.h"

static const char *const level_names[] = {"error", "warning", "info", "debug"};
enum { LEVELS = sizeof level_names / sizeof *level_names };

// One message is one write, so that those of several threads and processes do not mix.
static void write_message(void *user, enum kiln_log_level level, const char *message) {
  const struct kiln_context *ctx = user;
  struct kiln_strbuf line = {0};
  kiln_strbuf_printf(&line, "kiln: %s: ", level_names[level]);
  kiln_strbuf_shown(&line, message, strlen(message)); // it may hold names of files, and what servers said
  kiln_strbuf_putc(&line, '\n');
  if (!line.failed)
    (void)kiln_write_all(ctx->log_fd, line.data, line.size);
  kiln_strbuf_free(&line);
}

static enum kiln_status read_level(struct kiln_context *ctx) {
  const char *value = kiln_env_get(&ctx->env, KILN_ENV_LOG);
  for (int i = 0; i < LEVELS; i++) {
    if (strcmp(value, level_names[i]) != 0)
      continue;
    ctx->log_level = ctx->debug ? KILN_LOG_DEBUG : (enum kiln_log_level)i;
    return KILN_OK;
  }
  return kiln_error(KILN_ERR_INVALID, "COMPILE_LOG is '%s'; it must be error, warning, info or debug", value);
}

enum kiln_status kiln_log_open(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  const char *file = ctx->env.values[KILN_ENV_LOG_FILE];
  ctx->log = desc->log;
  ctx->log_user = desc->log_user;
  enum kiln_status status = read_level(ctx);
  if (status != KILN_OK || ctx->log || !(ctx->env.values[KILN_ENV_LOG] || file || ctx->debug))
    return status;
  ctx->log_fd = STDERR_FILENO;
  ctx->log = write_message;
  ctx->log_user = ctx;
  if (!file)
    return KILN_OK;
  int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (fd >= 0)
    ctx->log_fd = fd;
  else
    kiln_context_log(ctx, KILN_LOG_WARNING, "COMPILE_LOG_FILE '%s' cannot be opened (%s); the log goes here", file,
                     strerror(errno));
  return KILN_OK;
}

void kiln_log_close(struct kiln_context *ctx) {
  if (ctx->log_fd > STDERR_FILENO)
    close(ctx->log_fd);
}
