// Servers that answer with malice: whatever they send, an exchange ends within its limits of time and of memory.
//   cache_hostile CASE...   (without a case: all of them)
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/remote.h"
#include "cache/transfer.h"

#ifdef KILN_SANITIZED // which has more memory for each allocation
#define SANITIZED true
#else
#define SANITIZED false
#endif

enum { READ_MS = 300, LIST_READS = 6, SLACK_MS = 8000, MAX_KIB = 64 << 10 };

// ---- servers: each function answers what was received on a connection; false: it is to be closed --------------------

static bool say_bytes(int fd, const char *data, size_t size) {
  while (size != 0) {
    ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    data += sent;
    size -= (size_t)sent;
  }
  return true;
}
static bool say(int fd, const char *text) { return say_bytes(fd, text, strlen(text)); }

// Sends a text over and over, with a pause before each.
static bool repeat(int fd, const char *text, unsigned count, unsigned pause_us) {
  bool ok = true;
  for (unsigned i = 0; i < count && ok; i++) {
    if (pause_us)
      usleep(pause_us);
    ok = say(fd, text);
  }
  return ok;
}
static bool flood(int fd, const char *text) {
  char many[65536];
  size_t size = strlen(text), at = 0;
  for (; at + size < sizeof many; at += size)
    memcpy(many + at, text, size);
  for (unsigned i = 0; i < 100000; i++)
    if (!say_bytes(fd, many, at))
      return false;
  return false;
}

static bool lists_of_nothing(int fd, const char *asked) {
  (void)asked;
  return say(fd, "*65536\r\n*65536\r\n") && flood(fd, ":1\r\n");
}
static bool lists_in_lists(int fd, const char *asked) {
  (void)asked;
  return flood(fd, "*1\r\n");
}
static bool slow_giant(int fd, const char *asked) {
  (void)asked;
  return say(fd, "$536870912\r\n") && repeat(fd, "x", 100000, 20000);
}
static bool fast_giant(int fd, const char *asked) {
  (void)asked;
  return say(fd, "$1073741824\r\n") && flood(fd, "y");
}
static bool giant_line(int fd, const char *asked) {
  (void)asked;
  return say(fd, "+") && flood(fd, "z");
}
static bool stream_of_bytes(int fd, const char *asked) {
  (void)asked;
  return say(fd, "$60000000\r\n") && repeat(fd, "0123456789", 1000000, 500);
}
static bool more_than_was_asked(int fd, const char *asked) {
  (void)asked;
  return flood(fd, "$-1\r\n");
}
static bool wrong_numbers(int fd, const char *asked) {
  (void)asked;
  return say(fd, "$99999999999999999999999999\r\n$-5\r\n*-7\r\n:9999999999999999999\r\n");
}
// Every node names the next one, and takes its time.
static bool moves_on(int fd, const char *asked) {
  static int node;
  char text[64];
  struct sockaddr_in own;
  socklen_t size = sizeof own;
  (void)asked;
  getsockname(fd, (struct sockaddr *)&own, &size);
  usleep(READ_MS * 600);
  snprintf(text, sizeof text, "-MOVED 1 127.0.0.%d:%d\r\n", 2 + __atomic_fetch_add(&node, 1, __ATOMIC_RELAXED),
           ntohs(own.sin_port));
  return repeat(fd, text, 4, 0);
}

// Pages of a list: the request names the cursor of the page.
static bool scan(int fd, const char *asked, const char *cursor, unsigned names) {
  static unsigned serial;
  struct kiln_strbuf text = {0};
  if (!strstr(asked, "SCAN"))
    return say(fd, "-ERR no cluster\r\n");
  kiln_strbuf_printf(&text, "*2\r\n$%zu\r\n%s\r\n*%u\r\n", strlen(cursor), cursor, names);
  for (unsigned i = 0; i < names; i++)
    kiln_strbuf_printf(&text, "$44\r\nkiln:{%032x}.kiln\r\n", __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
  bool ok = say_bytes(fd, text.data, text.size);
  kiln_strbuf_free(&text);
  return ok;
}
static bool list_repeats(int fd, const char *asked) { return scan(fd, asked, "7", 10); }
static bool list_cycles(int fd, const char *asked) {
  static unsigned page;
  char cursor[16];
  snprintf(cursor, sizeof cursor, "%u", 10 + __atomic_fetch_add(&page, 1, __ATOMIC_RELAXED) % 5);
  return scan(fd, asked, cursor, 10);
}
static bool list_grows(int fd, const char *asked) {
  static unsigned page;
  char cursor[16];
  snprintf(cursor, sizeof cursor, "%u", 1 + __atomic_fetch_add(&page, 1, __ATOMIC_RELAXED));
  return scan(fd, asked, cursor, 1000);
}
static bool list_of_empty_pages(int fd, const char *asked) {
  static unsigned page;
  char cursor[16];
  snprintf(cursor, sizeof cursor, "%u", 1 + __atomic_fetch_add(&page, 1, __ATOMIC_RELAXED));
  return scan(fd, asked, cursor, 0);
}
static bool list_is_slow(int fd, const char *asked) {
  usleep(READ_MS * 700);
  return list_of_empty_pages(fd, asked);
}
static bool list_page_is_huge(int fd, const char *asked) {
  return strstr(asked, "SCAN") ? say(fd, "*2\r\n$1\r\n7\r\n*100000000\r\n") && flood(fd, "$1\r\nx\r\n")
                               : say(fd, "-ERR no cluster\r\n");
}
static bool list_page_is_nested(int fd, const char *asked) {
  return strstr(asked, "SCAN") ? say(fd, "*2\r\n$1\r\n7\r\n*2\r\n*2\r\n") && flood(fd, "*2\r\n")
                               : say(fd, "-ERR no cluster\r\n");
}
static bool list_cursor_is_no_number(int fd, const char *asked) { return scan(fd, asked, "\033]0;x", 0); }
// A list that ends, of entries that are not there.
static bool list_promises(int fd, const char *asked) {
  if (strstr(asked, "SCAN"))
    return scan(fd, asked, "0", 2000);
  usleep(20000);
  return strstr(asked, "CLUSTER") ? say(fd, "-ERR no cluster\r\n") : repeat(fd, "$-1\r\n", 8, 0);
}

#define OK_HEAD "HTTP/1.1 200 OK\r\n"
static bool slow_headers(int fd, const char *asked) {
  (void)asked;
  return say(fd, OK_HEAD) && repeat(fd, "X: y\r\n", 100000, 20000);
}
static bool endless_headers(int fd, const char *asked) {
  (void)asked;
  return say(fd, OK_HEAD) && flood(fd, "X-Header: value\r\n");
}
static bool endless_header(int fd, const char *asked) {
  (void)asked;
  return say(fd, OK_HEAD "X: ") && flood(fd, "value");
}
static bool endless_continue(int fd, const char *asked) {
  (void)asked;
  return flood(fd, "HTTP/1.1 100 Continue\r\n\r\n");
}
static bool endless_body(int fd, const char *asked) {
  (void)asked;
  return say(fd, OK_HEAD "\r\n") && repeat(fd, "0123456789", 1000000, 500);
}
static bool giant_body(int fd, const char *asked) {
  (void)asked;
  return say(fd, OK_HEAD "Content-Length: 1000000000000\r\n\r\n") && flood(fd, "x");
}
static bool slow_chunks(int fd, const char *asked) {
  (void)asked;
  return say(fd, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n") && repeat(fd, "1\r\nx\r\n", 1000000, 1000);
}
static bool endless_error(int fd, const char *asked) {
  (void)asked;
  return say(fd, "HTTP/1.1 404 Not Found\r\n\r\n") && flood(fd, "no");
}
static bool redirects(int fd, const char *asked) {
  (void)asked;
  return say(fd, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n");
}
// One after the other within its limit.
static bool each_is_slow(int fd, const char *asked) {
  (void)asked;
  usleep(READ_MS * 800);
  return say(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}
static bool changes_colours(int fd, const char *asked) {
  (void)asked;
  return say(fd, "HTTP/1.1 200 OK\r\nContent-Length: \033[31m\r\n\r\n");
}

// ---- cases ----------------------------------------------------------------------------------------------------------

enum what { GET, LIST, PULL };
static const struct hostile {
  const char *name, *scheme;
  bool (*answer)(int fd, const char *asked);
  enum what what;
  const char *says; // what the problem holds; NULL: there need be none
} hostiles[] = {
    {"lists_of_nothing", "redis", lists_of_nothing, GET, "answers with a list"},
    {"lists_in_lists", "redis", lists_in_lists, GET, "answers with a list"},
    {"slow_giant", "redis", slow_giant, GET, "too long"},
    {"fast_giant", "redis", fast_giant, GET, "too long"},
    {"giant_line", "redis", giant_line, GET, "no answer of Redis"},
    {"stream_of_bytes", "redis", stream_of_bytes, GET, "takes too long"},
    {"more_than_was_asked", "redis", more_than_was_asked, GET, NULL},
    {"wrong_numbers", "redis", wrong_numbers, GET, "no answer of Redis"},
    {"moves_on", "redis", moves_on, GET, "takes too long"},
    {"list_repeats", "redis", list_repeats, LIST, "begins anew"},
    {"list_cycles", "redis", list_cycles, LIST, "begins anew"},
    {"list_grows", "redis", list_grows, LIST, "too long"},
    {"list_of_empty_pages", "redis", list_of_empty_pages, LIST, "too long"},
    {"list_is_slow", "redis", list_is_slow, LIST, "too long"},
    {"list_page_is_huge", "redis", list_page_is_huge, LIST, "too long"},
    {"list_page_is_nested", "redis", list_page_is_nested, LIST, "answers with a list"},
    {"list_cursor_is_no_number", "redis", list_cursor_is_no_number, LIST, "no list"},
    {"list_promises", "redis", list_promises, PULL, "sends none that can be used"},
    {"slow_headers", "http", slow_headers, GET, ""},
    {"endless_headers", "http", endless_headers, GET, "too long"},
    {"endless_header", "http", endless_header, GET, ""},
    {"endless_continue", "http", endless_continue, GET, "too long"},
    {"endless_body", "http", endless_body, GET, ""},
    {"giant_body", "http", giant_body, GET, "too long"},
    {"slow_chunks", "http", slow_chunks, GET, ""},
    {"endless_error", "http", endless_error, GET, "too long"},
    {"redirects", "http", redirects, GET, "status 302"},
    {"each_is_slow", "http", each_is_slow, GET, ""},
    {"changes_colours", "http", changes_colours, GET, ""},
};

struct connection {
  int fd;
  const struct hostile *hostile;
};

static void *serve(void *user) {
  struct connection *c = user;
  char asked[65536];
  for (ssize_t got; (got = recv(c->fd, asked, sizeof asked - 1, 0)) > 0;) {
    asked[got] = '\0';
    if (!c->hostile->answer(c->fd, asked))
      break;
  }
  close(c->fd);
  free(c);
  return NULL;
}

static void be_server(int fd, const struct hostile *hostile) {
  for (int client; (client = accept(fd, NULL, NULL)) >= 0;) {
    pthread_t thread;
    struct connection *c = malloc(sizeof *c);
    *c = (struct connection){client, hostile};
    if (pthread_create(&thread, NULL, serve, c) == 0)
      pthread_detach(thread);
  }
  _exit(0);
}

static bool count_name(void *user, const char *name) {
  (void)name;
  ++*(unsigned *)user;
  return true;
}

static bool pull(struct kiln_remotes *remotes, char problem[KILN_REMOTE_PROBLEM]) {
  char folder[] = "/tmp/kiln-hostile-XXXXXX";
  struct kiln_place place;
  struct kiln_transfer transfer;
  const char *defect;
  if (!mkdtemp(folder) || kiln_place_open(folder, NULL, false, &place, &defect) != 0)
    abort();
  bool ok = kiln_place_pull(&place, remotes, 0, NULL, NULL, &transfer, problem);
  kiln_place_close(&place);
  rmdir(folder);
  return ok;
}

static bool ask(const struct hostile *h, struct kiln_remotes *remotes, char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote_item items[32] = {0};
  unsigned names = 0;
  if (h->what == LIST)
    return kiln_remotes_list(remotes, 0, count_name, &names, problem);
  if (h->what == PULL)
    return pull(remotes, problem);
  for (int i = 0; i < 32; i++)
    snprintf(items[i].name, sizeof items[i].name, "%032x.kiln", i);
  bool ok = kiln_remotes_call(remotes, 0, KILN_REMOTE_GET, items, 32, problem);
  for (int i = 0; i < 32; i++)
    free(items[i].data);
  return ok;
}

// In a process of its own, so that the memory is that of one case.
static int run(const struct hostile *h) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 64) != 0 ||
      getsockname(fd, (struct sockaddr *)&address, &size) != 0)
    abort();
  pid_t server = fork();
  if (server == 0)
    be_server(fd, h);
  close(fd);
  char places[128], problem[KILN_REMOTE_PROBLEM] = "";
  snprintf(places, sizeof places, "%s://127.0.0.1:%d|unsigned|connect=200|read=%d", h->scheme, ntohs(address.sin_port),
           READ_MS);
  struct kiln_remotes *remotes = kiln_remotes_open(&(struct kiln_remotes_config){.places = places}, problem);
  if (!remotes)
    abort();
  uint64_t start = kiln_now_ns();
  bool ok = ask(h, remotes, problem);
  double ms = (double)(kiln_now_ns() - start) / 1e6;
  kiln_remotes_close(remotes);
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double limit = 200 + READ_MS * (h->what == GET ? 1 : h->what == LIST ? LIST_READS + 1 : 2 * LIST_READS) + SLACK_MS;
  printf("%-25s %6.0f ms, %6ld KiB: %s\n", h->name, ms, usage.ru_maxrss, ok ? "answered" : problem);
  bool wrong =
      ms > limit || (usage.ru_maxrss > MAX_KIB && !SANITIZED) || (h->says && (ok || !strstr(problem, h->says)));
  for (const char *c = problem; *c; c++)
    wrong |= *c < ' ' || *c > '~';
  if (wrong)
    printf("FAILED: at most %.0f ms and %d KiB, and the problem '%s'\n", limit, MAX_KIB, h->says ? h->says : "");
  fflush(stdout);
  return wrong;
}

int main(int argc, char **argv) {
  int failures = 0, cases = 0;
  for (size_t i = 0; i < sizeof hostiles / sizeof *hostiles; i++) {
    bool wanted = argc < 2;
    for (int k = 1; k < argc; k++)
      wanted |= strcmp(argv[k], hostiles[i].name) == 0 || strcmp(argv[k], hostiles[i].scheme) == 0;
    if (!wanted)
      continue;
    cases++;
    pid_t child = fork();
    if (child == 0)
      exit(run(&hostiles[i]));
    int status = 1;
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  printf("%d servers, %d failures\n", cases, failures);
  return failures != 0 || cases == 0;
}
