// kiln cache push, pull, key, stats.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"

// ---- push and pull -------------------------------------------------------------------------------------------------

static bool draw_bar(void *user, const struct kiln_cache_transfer *so_far) {
  const struct cache_call *c = user;
  char bar[BAR + 1], bytes[32];
  print_bar(bar, so_far->done, so_far->total);
  print_bytes(bytes, so_far->bytes);
  if (c->terminal) {
    printf("\r[%s] %llu/%llu files, %s\033[K", bar, (unsigned long long)so_far->done, (unsigned long long)so_far->total,
           bytes);
    fflush(stdout);
  }
  return !was_interrupted();
}

typedef enum kiln_status transfer_fn(const char *place, const char *remote, kiln_cache_transfer_fn *fn, void *user,
                                     struct kiln_cache_transfer *out);

static int transfer(struct cache_call *c, transfer_fn *run, const char *moved) {
  struct kiln_cache_transfer result = {0};
  c->terminal = isatty(STDOUT_FILENO) && !c->common.json;
  catch_interrupts();
  enum kiln_status status = run(c->place, c->argument_count ? c->arguments[0] : NULL, draw_bar, c, &result);
  if (c->terminal)
    printf("\r\033[K");
  if (status == KILN_ERR_INVALID) // of the place or the remote
    return fail(EXIT_USAGE, "%s", kiln_last_error());
  if (status != KILN_OK)
    return fail_status(status);
  if (c->common.json) {
    struct json *json = &c->json;
    json_open(json, NULL, '{');
    json_u64(json, moved, result.moved);
    json_u64(json, "present", result.present);
    json_u64(json, "refused", result.refused);
    json_u64(json, "bytes", result.bytes);
    json_close(json, '}');
  } else {
    char bytes[32];
    print_bytes(bytes, result.bytes);
    say(stdout, "%llu files %s, %s; %llu were there\n", (unsigned long long)result.moved, moved, bytes,
        (unsigned long long)result.present);
  }
  int code = finish_output();
  if (was_interrupted())
    return fail_interrupted();
  if (result.refused)
    code = fail(EXIT_DATA, "%llu files were refused: %s", (unsigned long long)result.refused, kiln_last_error());
  return code;
}

int cache_push(struct cache_call *c) { return transfer(c, kiln_cache_push, "sent"); }
int cache_pull(struct cache_call *c) { return transfer(c, kiln_cache_pull, "fetched"); }

int cache_key(struct cache_call *c) {
  const char *path = c->arguments[0];
  enum kiln_status status = kiln_cache_make_key(path, c->shared);
  if (status != KILN_OK)
    return fail_status(status);
  if (c->shared)
    say(stdout, "%s: the secret of all who read and write\n", path);
  else
    say(stdout, "%s: the secret of those who write\n%s.pub: for those who only read\n", path, path);
  return finish_output();
}

// ---- stats ---------------------------------------------------------------------------------------------------------

struct stats {
  struct cache_call *c;
  FILE *to;
};

static void print_metric(void *user, const char *name, const char *help, double value) {
  struct stats *s = user;
  size_t size = strlen(name);
  bool total = size > 6 && strcmp(name + size - 6, "_total") == 0, seconds = strstr(name, "_seconds_") != NULL;
  if (s->c->prometheus)
    say(s->to, "# HELP kiln_cache_%s %s\n# TYPE kiln_cache_%s %s\nkiln_cache_%s %.*f\n", name, help, name,
        total ? "counter" : "gauge", name, seconds ? 9 : 0, value);
  else if (s->c->common.json)
    json_double(&s->c->json, name, value);
  else
    say(s->to, "%-34s %16.*f  %s\n", name, seconds ? 3 : 0, value, help);
}

// The collector may read at any time: the file appears whole.
static int write_metrics(const char *path, const char *text, size_t size) {
  char temp[4096];
  if (strcmp(path, "-") == 0 || snprintf(temp, sizeof temp, "%s.%ld", path, (long)getpid()) >= (int)sizeof temp)
    return write_whole_file(path, text, size);
  int code = write_whole_file(temp, text, size);
  if (code == EXIT_FINE && rename(temp, path) != 0) {
    code = fail(EXIT_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    unlink(temp);
  }
  return code;
}

int cache_stats(struct cache_call *c) {
  char *text = NULL;
  size_t size = 0;
  struct stats s = {.c = c, .to = c->prometheus ? open_memstream(&text, &size) : stdout};
  if (!s.to)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  if (c->common.json && !c->prometheus)
    json_open(&c->json, NULL, '{');
  enum kiln_status status = kiln_cache_metrics(c->place, print_metric, &s);
  if (c->common.json && !c->prometheus)
    json_close(&c->json, '}');
  if (c->prometheus)
    fclose(s.to);
  int code = status != KILN_OK ? fail_status(status)
             : c->prometheus   ? write_metrics(c->prometheus, text, size)
                               : finish_output();
  free(text);
  return code;
}
