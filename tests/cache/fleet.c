// The cache of a fleet against a real server, which fleet.sh starts: many hosts that start at once, values that were
// changed on the server, times; and against servers that answer wrongly.
//   cache_fleet storm REMOTE KEY FOLDER HOSTS PROCESSES KERNELS COMPILE_MS
//   cache_fleet mutate REMOTE KEY COUNT
//   cache_fleet replay REMOTE KEY
//   cache_fleet time REMOTE KEY FOLDER
//   cache_fleet hostile FOLDER KEY
//   cache_fleet leases REMOTE KEY
//   cache_fleet forks REMOTE KEY
//   cache_fleet places COUNT
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/cache.h"
#include "cache/format.h"
#include "cache/internal.h"
#include "cache/remote.h"
#include "tests/support/expect.h"

static const struct kiln_hash128 toolchain = {{1, 2, 3}};
static bool verbose;

static char last_warning[512];

static void print_log(void *user, bool warning, const char *message) {
  (void)user;
  for (const char *c = message; *c; c++)
    EXPECT(*c >= ' ' && *c <= '~', "the log has the character %d: %s", *c, message);
  if (warning)
    snprintf(last_warning, sizeof last_warning, "%s", message);
  if (verbose)
    fprintf(stderr, "%s: %s\n", warning ? "warning" : "debug", message);
}

// wait_ms: for others who compile the same; 0: as by default.
static struct kiln_cache *open_patient(const char *remote, const char *key, const char *dir, uint32_t wait_ms) {
  struct kiln_cache_config config = {
      .dir = dir, .remotes = remote, .key_file = key, .log = print_log, .no_sync = true, .wait_ms = wait_ms};
  struct kiln_cache *cache = kiln_cache_open(&config);
  EXPECT(cache, "no cache");
  return cache;
}
static struct kiln_cache *open_cache(const char *remote, const char *key, const char *dir) {
  return open_patient(remote, key, dir, 0);
}

static double ms_since(uint64_t start) { return (double)(kiln_now_ns() - start) / 1e6; }

struct asked {
  enum kiln_cache_found found;
  double find_ms;
};

// What a kernel's code is, so that a wrong answer shows.
static void code_of(int kernel, char out[20000]) {
  for (int i = 0; i < 20000; i++)
    out[i] = (char)(kernel * 31 + i * 7 + i / 256);
}

// Looks a kernel up and pretends to compile it where it is not found.
static struct asked ask(struct kiln_cache *cache, int kernel, unsigned compile_ms, atomic_int *compiles) {
  char source[64], code[20000];
  snprintf(source, sizeof source, "kernel %d", kernel);
  code_of(kernel, code);
  struct kiln_key key = {0};
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_text(&key, "source", source);
  struct kiln_cache_request request = {.key = &key, .toolchain = &toolchain};
  struct kiln_cache_entry *entry = NULL;
  struct kiln_cache_flight *flight = NULL;
  uint64_t start = kiln_now_ns();
  struct asked asked = {.found = kiln_cache_find(cache, &request, &entry, &flight)};
  asked.find_ms = ms_since(start);
  if (asked.found == KILN_NOT_FOUND) {
    if (compiles) {
      atomic_fetch_add(compiles, 1);
      usleep(compile_ms * 1000);
      struct kiln_cache_product product = {.artifact = {code, sizeof code}};
      product.sections[KILN_SECTION_META] = kiln_str("meta");
      EXPECT(kiln_cache_publish(flight, &product, &entry), "publish");
    } else {
      kiln_cache_abandon(flight);
    }
  }
  if (entry) {
    EXPECT(entry->artifact.size == sizeof code && memcmp(entry->artifact.data, code, sizeof code) == 0,
           "wrong code for kernel %d", kernel);
    kiln_cache_entry_release(entry);
  }
  kiln_key_free(&key);
  return asked;
}

static struct kiln_remote_counters counters_of(struct kiln_cache *cache) {
  struct kiln_remote_counters out;
  kiln_cache_remote_counters(cache, &out);
  return out;
}

// ---- storm ----------------------------------------------------------------------------------------------------------

struct shared {
  atomic_int ready, go, compiles, failed;
  _Atomic uint64_t longest_us;
};

static void be_process(char **argv, struct shared *shared, int host, int process, int kernels, unsigned compile_ms) {
  char dir[512];
  const char *net = getenv("NETNS"); // hosts have networks of their own
  if (net) {
    snprintf(dir, sizeof dir, "/run/netns/%s%d", net, host);
    int fd = open(dir, O_RDONLY | O_CLOEXEC);
    EXPECT(fd >= 0 && setns(fd, CLONE_NEWNET) == 0, "%s: %s", dir, strerror(errno));
  }
  snprintf(dir, sizeof dir, "%s/host%d", argv[2], host);
  struct kiln_cache *cache = open_cache(argv[0], argv[1], dir);
  atomic_fetch_add(&shared->ready, 1);
  while (!atomic_load(&shared->go))
    usleep(500);
  for (int i = 0; i < kernels; i++) {
    struct asked asked = ask(cache, (i * 7 + host * 3 + process) % kernels, compile_ms, &shared->compiles);
    uint64_t us = (uint64_t)(asked.find_ms * 1000), longest = atomic_load(&shared->longest_us);
    while (us > longest && !atomic_compare_exchange_weak(&shared->longest_us, &longest, us)) {
    }
  }
  kiln_cache_close(cache);
  _exit(0);
}

static int storm(char **argv) {
  int hosts = atoi(argv[3]), processes = atoi(argv[4]), kernels = atoi(argv[5]), compile_ms = atoi(argv[6]);
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(shared != MAP_FAILED, "mmap");
  for (int i = 0; i < hosts * processes; i++) {
    pid_t pid = fork();
    EXPECT(pid >= 0, "fork");
    if (pid == 0)
      be_process(argv, shared, i / processes, i % processes, kernels, (unsigned)compile_ms);
  }
  while (atomic_load(&shared->ready) < hosts * processes)
    usleep(1000);
  uint64_t start = kiln_now_ns();
  atomic_store(&shared->go, 1);
  for (int i = 0, status; i < hosts * processes; i++) {
    wait(&status);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a process ended with %d", status);
  }
  int compiles = atomic_load(&shared->compiles);
  double longest = (double)atomic_load(&shared->longest_us) / 1000;
  printf("%d hosts, %d processes each, %d kernels: %d compiles in %.0f ms, longest look-up %.0f ms\n", hosts, processes,
         kernels, compiles, ms_since(start), longest);
  EXPECT(compiles >= kernels && compiles <= kernels + kernels / 20, "%d compiles", compiles);
  EXPECT(longest < 5000 + compile_ms + 1000, "somebody waited for %.0f ms", longest);
  return 0;
}

// ---- values that were changed ---------------------------------------------------------------------------------------

static struct kiln_remotes *open_tools(const char *remote) {
  char problem[KILN_REMOTE_PROBLEM], *place;
  EXPECT(asprintf(&place, "%s|unsigned", remote) > 0, "memory");
  struct kiln_remotes *remotes =
      kiln_remotes_open(&(struct kiln_remotes_config){.places = place, .patient = true}, problem);
  EXPECT(remotes, "%s", problem);
  free(place);
  return remotes;
}

static void call(struct kiln_remotes *remotes, enum kiln_remote_call what, struct kiln_remote_item *item) {
  char problem[KILN_REMOTE_PROBLEM];
  EXPECT(kiln_remotes_call(remotes, 0, what, item, 1, problem) && item->found, "%s: %s", item->name, problem);
}

static bool find_name(void *user, const char *name) {
  char(*names)[KILN_REMOTE_NAME] = user;
  for (int i = 0; i < 4 && strstr(name, ".kiln"); i++) {
    if (!*names[i] || strcmp(names[i], name) == 0) {
      snprintf(names[i], sizeof names[i], "%s", name);
      break;
    }
  }
  return true;
}

static void store_one(const char *remote, const char *key, int kernel) {
  atomic_int compiles = 0;
  struct kiln_cache *cache = open_cache(remote, key, NULL);
  EXPECT(ask(cache, kernel, 0, &compiles).found == KILN_NOT_FOUND, "kernel %d was there", kernel);
  kiln_cache_close(cache);
}

// Asks as a process that knows nothing. Returns whether it was found; a value that is refused is counted.
static bool is_found(const char *remote, const char *key, int kernel, uint64_t *refused) {
  struct kiln_cache *cache = open_cache(remote, key, NULL);
  bool found = ask(cache, kernel, 0, NULL).found == KILN_FOUND_REMOTE;
  struct kiln_remote_counters counters = counters_of(cache);
  EXPECT(counters.errors == 0 && counters.skipped == 0 && counters.remembered == 0, "the server was not asked");
  *refused = counters.refused;
  kiln_cache_close(cache);
  return found;
}

static uint32_t random32(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 32);
}

// One random change. Of four, three have their checksum made right, as one who means harm would.
static void mutate_bytes(struct kiln_remote_item *value) {
  size_t at = random32() % value->size;
  switch (random32() % 6) {
  case 0:
    value->size = at;
    return;
  case 1: // longer
    value->data = realloc(value->data, value->size + 64);
    memset(value->data + value->size, (int)random32(), 64);
    value->size += 64;
    break;
  case 2: // a part is repeated elsewhere
    memmove(value->data + at / 2, value->data + at, value->size - at < 64 ? value->size - at : 64);
    break;
  case 3: // near the end: directory, signature, footer
    value->data[value->size - 1 - random32() % 400] ^= (char)(1 + random32() % 255);
    break;
  default:
    value->data[at] ^= (char)(1u << random32() % 8);
  }
  if (random32() % 4 != 0)
    kiln_file_set_checksum(value->data, value->size);
}

static int mutate(char **argv) {
  int count = atoi(argv[2]), same = 0;
  char names[4][KILN_REMOTE_NAME] = {""};
  char problem[KILN_REMOTE_PROBLEM];
  struct kiln_remotes *tools = open_tools(argv[0]);
  store_one(argv[0], argv[1], 1);
  EXPECT(kiln_remotes_list(tools, 0, find_name, names, problem) && *names[0], "%s", problem);
  struct kiln_remote_item original = {0};
  strcpy(original.name, names[0]);
  call(tools, KILN_REMOTE_GET, &original);
  for (int i = 0; i < count; i++) {
    struct kiln_remote_item value = original;
    value.data = malloc(value.size);
    memcpy(value.data, original.data, value.size);
    mutate_bytes(&value);
    call(tools, KILN_REMOTE_PUT, &value);
    bool changed = value.size != original.size || memcmp(value.data, original.data, value.size) != 0;
    uint64_t refused;
    bool found = is_found(argv[0], argv[1], 1, &refused);
    EXPECT(found == !changed && refused == changed, "mutation %d: found %d, refused %d", i, found, (int)refused);
    same += !changed;
    free(value.data);
  }
  call(tools, KILN_REMOTE_PUT, &original);
  uint64_t refused;
  EXPECT(is_found(argv[0], argv[1], 1, &refused), "the original is no longer found");
  printf("%d mutations refused, %d changed nothing\n", count - same, same);
  EXPECT(same < count / 10 + 1, "too many mutations changed nothing");
  free(original.data);
  kiln_remotes_close(tools);
  return 0;
}

// A good value under the name of another.
static int replay(char **argv) {
  char names[4][KILN_REMOTE_NAME] = {""}, problem[KILN_REMOTE_PROBLEM];
  struct kiln_remotes *tools = open_tools(argv[0]);
  store_one(argv[0], argv[1], 1);
  store_one(argv[0], argv[1], 2);
  EXPECT(kiln_remotes_list(tools, 0, find_name, names, problem) && *names[1], "%s", problem);
  struct kiln_remote_item items[2] = {0};
  for (int i = 0; i < 2; i++) {
    strcpy(items[i].name, names[i]);
    call(tools, KILN_REMOTE_GET, &items[i]);
  }
  for (int i = 0; i < 2; i++) { // exchange them
    strcpy(items[i].name, names[1 - i]);
    call(tools, KILN_REMOTE_PUT, &items[i]);
    free(items[i].data);
  }
  for (int kernel = 1; kernel <= 2; kernel++) {
    uint64_t refused;
    EXPECT(!is_found(argv[0], argv[1], kernel, &refused) && refused == 1, "kernel %d", kernel);
  }
  kiln_remotes_close(tools);
  return 0;
}

// ---- times ----------------------------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median_find(const char *remote, const char *key, const char *folder, int kernels, bool warm) {
  double times[200];
  char dir[512];
  snprintf(dir, sizeof dir, "%s/timed", folder);
  struct kiln_cache *cache = open_cache(remote, key, warm ? dir : NULL);
  for (int i = 0; i < kernels; i++)
    times[i] = ask(cache, i, 0, NULL).find_ms;
  kiln_cache_close(cache);
  qsort(times, (size_t)kernels, sizeof *times, by_value);
  return times[kernels / 2];
}

// What a hit costs beyond the round trip that fetches the bytes; and that a local hit costs the same with a remote.
static int time_hits(char **argv) {
  enum { KERNELS = 200 };
  atomic_int compiles = 0;
  char dir[512], problem[KILN_REMOTE_PROBLEM];
  snprintf(dir, sizeof dir, "%s/timed", argv[2]);
  struct kiln_cache *cache = open_cache(argv[0], argv[1], dir);
  for (int i = 0; i < KERNELS; i++)
    ask(cache, i, 0, &compiles);
  kiln_cache_close(cache);
  struct kiln_remotes *tools = open_tools(argv[0]);
  char names[4][KILN_REMOTE_NAME] = {""};
  EXPECT(kiln_remotes_list(tools, 0, find_name, names, problem), "%s", problem);
  double raw[KERNELS];
  for (int i = 0; i < KERNELS; i++) {
    struct kiln_remote_item items[2] = {0};
    strcpy(items[0].name, names[i % 4]);
    strcpy(items[1].name, "none");
    uint64_t start = kiln_now_ns();
    EXPECT(kiln_remotes_call(tools, 0, KILN_REMOTE_GET, items, 2, problem), "%s", problem);
    raw[i] = ms_since(start);
    free(items[0].data);
  }
  kiln_remotes_close(tools);
  qsort(raw, KERNELS, sizeof *raw, by_value);
  double hit = median_find(argv[0], argv[1], argv[2], KERNELS, false);
  double local = 1e9, local_with = 1e9;
  for (int i = 0; i < 10; i++) {
    double a = median_find(NULL, NULL, argv[2], KERNELS, true),
           b = median_find(argv[0], argv[1], argv[2], KERNELS, true);
    local = a < local ? a : local;
    local_with = b < local_with ? b : local_with;
  }
  printf("round trip %.3f ms, remote hit %.3f ms; local hit %.4f ms, with a remote set %.4f ms\n", raw[KERNELS / 2],
         hit, local, local_with);
  EXPECT(hit - raw[KERNELS / 2] < 0.3, "a remote hit costs %.3f ms more than its round trip", hit - raw[KERNELS / 2]);
  EXPECT(local_with < local * 1.05 + 0.001, "a local hit is slower");
  return 0;
}

// ---- leases, and children of fork -----------------------------------------------------------------------------------

// A lease of a machine that died, of a compile that failed, and of one that ends well while another waits.
static int leases(char **argv) {
  enum { LEASE = 400 };
  char remote[512];
  snprintf(remote, sizeof remote, "%s|lease=%d", argv[0], LEASE);
  atomic_int compiles = 0;
  pid_t pid = fork();
  if (pid == 0) {
    struct kiln_key key = {0};
    kiln_key_add_text(&key, "backend", "test");
    kiln_key_add_text(&key, "source", "kernel 1");
    struct kiln_cache_request request = {.key = &key, .toolchain = &toolchain};
    struct kiln_cache_entry *entry = NULL;
    struct kiln_cache_flight *flight = NULL;
    kiln_cache_find(open_cache(remote, argv[1], NULL), &request, &entry, &flight);
    _exit(0); // it dies while it compiles
  }
  waitpid(pid, NULL, 0);
  struct kiln_cache *cache = open_cache(remote, argv[1], NULL);
  struct asked asked = ask(cache, 1, 0, &compiles);
  EXPECT(asked.found == KILN_NOT_FOUND && asked.find_ms < LEASE + 300, "after %.0f ms", asked.find_ms);
  EXPECT(asked.find_ms > LEASE / 2, "nobody waited for the lease: %.0f ms", asked.find_ms);
  asked = ask(cache, 2, 0, NULL); // a compile that fails
  EXPECT(ask(cache, 2, 0, NULL).found == KILN_NOT_FOUND && counters_of(cache).remembered == 1, "nothing is remembered");
  kiln_cache_close(cache);
  cache = open_cache(remote, argv[1], NULL);
  asked = ask(cache, 2, 0, NULL);
  EXPECT(asked.found == KILN_NOT_FOUND && asked.find_ms < LEASE / 2, "a compile that failed was waited for: %.0f ms",
         asked.find_ms);
  kiln_cache_close(cache);
  // Leases that somebody planted, and that never end: they cost one wait.
  struct kiln_remotes *tools = open_tools(argv[0]);
  for (int kernel = 50; kernel < 54; kernel++) {
    struct kiln_key key = {0};
    char source[64], hex[33];
    snprintf(source, sizeof source, "kernel %d", kernel);
    kiln_key_add_text(&key, "backend", "test");
    kiln_key_add_text(&key, "source", source);
    kiln_record_complete(&key.record, &toolchain);
    kiln_hash128_hex(kiln_hash128(key.record.data, key.record.size), hex);
    struct kiln_remote_item item = {.data = "token", .size = 5};
    snprintf(item.name, sizeof item.name, "%s.lease", hex);
    call(tools, KILN_REMOTE_PUT, &item);
    kiln_key_free(&key);
  }
  kiln_remotes_close(tools);
  cache = open_cache(remote, argv[1], NULL);
  for (int kernel = 50; kernel < 53; kernel++) {
    asked = ask(cache, kernel, 0, &compiles);
    EXPECT(asked.found == KILN_NOT_FOUND && (asked.find_ms > LEASE / 2) == (kernel == 50) && asked.find_ms < 7 * LEASE,
           "kernel %d: %.0f ms", kernel, asked.find_ms);
  }
  EXPECT(counters_of(cache).wait_timeouts == 1, "waits");
  kiln_cache_close(cache);
  // A lease that outlasts the time which a look-up has.
  enum { LONG_LEASE = 60000 };
  snprintf(remote, sizeof remote, "%s|lease=%d", argv[0], LONG_LEASE);
  cache = open_patient(remote, argv[1], NULL, LEASE);
  asked = ask(cache, 53, 0, &compiles);
  EXPECT(asked.found == KILN_NOT_FOUND && asked.find_ms > LEASE / 2 && asked.find_ms < LONG_LEASE / 2, "after %.0f ms",
         asked.find_ms);
  kiln_cache_close(cache);
  return 0;
}

// A child goes on with the parent's cache, at the same time.
static int forks(char **argv) {
  atomic_int compiles = 0;
  struct kiln_cache *cache = open_cache(argv[0], argv[1], NULL);
  ask(cache, 1, 0, &compiles);
  kiln_cache_flush(cache);
  pid_t pid = fork();
  int first = pid == 0 ? 100 : 200;
  for (int i = 0; i < 50; i++)
    EXPECT(ask(cache, first + i, 0, &compiles).found == KILN_NOT_FOUND, "kernel %d", first + i);
  EXPECT(counters_of(cache).errors == 0, "%d errors", (int)counters_of(cache).errors);
  kiln_cache_close(cache);
  if (pid == 0)
    _exit(0);
  int status;
  waitpid(pid, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
  cache = open_cache(argv[0], argv[1], NULL);
  for (int i = 0; i < 50; i++) {
    EXPECT(ask(cache, 100 + i, 0, NULL).found == KILN_FOUND_REMOTE, "kernel %d", 100 + i);
    EXPECT(ask(cache, 200 + i, 0, NULL).found == KILN_FOUND_REMOTE, "kernel %d", 200 + i);
  }
  kiln_cache_close(cache);
  return 0;
}

// Lists of places, mutilated: each is read or refused, and what is read has all its parts.
static int places(char **argv) {
  static const char *const lists[] = {
      "redis://user:pass%20word@[::1]:6379/3|ro|prefix=a:|expire=30d|connect=10|read=20|lease=0",
      "http://h:80/a/b/|token-file=/dev/null|layout=bazel https://[fe80::1]/|ca=/x|cert=/y|cert-key=/z",
      "unix:/run/redis.sock|unsigned rediss://host|password-file=/nonexistent"};
  int count = atoi(argv[0]), good = 0;
  for (int i = 0; i < count; i++) {
    char text[256], problem[KILN_REMOTE_PROBLEM] = "";
    snprintf(text, sizeof text, "%s", lists[random32() % 3]);
    for (uint32_t k = random32() % 4; k != 0; k--) {
      size_t at = random32() % strlen(text);
      text[at] = "|=:/@%[] \t0aZ\x01\xff"[random32() % 15];
    }
    text[random32() % 8 == 0 ? random32() % strlen(text) : strlen(text)] = '\0';
    const char *at = text;
    for (bool more = true; more;) {
      struct kiln_remote_place place;
      more = kiln_remote_place_read(&at, &place, problem);
      EXPECT(more || *problem, "'%s': no reason", text);
      more = more && *place.url;
      EXPECT(!more || (*place.scheme && *place.host), "'%s': parts are missing", text);
      good += more;
      kiln_remote_place_free(&place);
    }
  }
  printf("%d places read\n", good);
  EXPECT(good > count / 20, "only %d", good);
  return 0;
}

// ---- servers that answer wrongly ------------------------------------------------------------------------------------

struct hostile {
  const char *name, *answer;
  int repeat;       // how often it is sent
  unsigned nap_us;  // before each time
  bool end;         // then the connection is closed
  const char *says; // what the log holds then; NULL: anything
};
static const struct hostile hostiles[] = {
    {"silent", "", 0, 0, false},
    {"closes at once", "", 0, 0, true},
    {"speaks something else", "HTTP/1.0 400 Bad Request\r\n\r\n", 1, 0, false},
    {"a huge length", "$99999999999999\r\n", 1, 0, false},
    {"a negative length", "$-7\r\n", 1, 0, false},
    {"a huge list", "*1000000000\r\n", 1, 0, false},
    {"lists in lists", "*1\r\n", 100, 0, false},
    {"a byte now and then", "$", 1000000, 50000, false},
    {"1 KB a second", "$1000000\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     1000000, 100000, false},
    {"no end", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 100000000, 0, false},
    {"an answer cut short", "$20000\r\nabc", 1, 0, true},
    {"a number", ":1\r\n:1\r\n:1\r\n", 1, 0, false},
    {"an error", "-ERR no\r\n-ERR no\r\n-ERR no\r\n", 1, 0, false},
    {"a move to nowhere", "-MOVED 1 127.0.0.1:1\r\n-MOVED 1 127.0.0.1:1\r\n-MOVED 1 127.0.0.1:1\r\n", 1, 0, false},
    {"a move to another socket", "-MOVED 1 h0:1\r\n-MOVED 1 h0:1\r\n-MOVED 1 h0:1\r\n", 1, 0, false,
     "a node of its cluster that cannot be used"},
    {"an error that changes colours", "-NOAUTH \033[31m\a\r\n-NOAUTH x\r\n-NOAUTH x\r\n", 1, 0, false, "NOAUTH ?[31m?"},
    {"a move without an address", "-MOVED \r\n-MOVED 99999999 x\r\n-ASK\r\n", 1, 0, false},
    {"values that are none", "+OK\r\n$5\r\nhello\r\n$5\r\nhello\r\n", 1, 0, false},
};

struct server {
  int fd;
  const struct hostile *hostile;
};

static void *serve(void *user) {
  struct server *server = user;
  for (int fd; (fd = accept(server->fd, NULL, NULL)) >= 0;) {
    char buffer[4096];
    bool ok = recv(fd, buffer, sizeof buffer, 0) > 0;
    for (int i = 0; i < server->hostile->repeat && ok; i++) {
      if (server->hostile->nap_us)
        usleep(server->hostile->nap_us);
      ok = send(fd, server->hostile->answer, strlen(server->hostile->answer), MSG_NOSIGNAL) > 0;
    }
    while (ok && !server->hostile->end && recv(fd, buffer, sizeof buffer, 0) > 0) {
    }
    close(fd);
  }
  return NULL;
}

static int hostile(char **argv) {
  enum { COUNT = sizeof hostiles / sizeof *hostiles };
  for (int i = 0; i < COUNT; i++) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/h%d", argv[0], i);
    struct server server = {socket(AF_UNIX, SOCK_STREAM, 0), &hostiles[i]};
    EXPECT(bind(server.fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(server.fd, 8) == 0, "listen");
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, serve, &server) == 0, "thread");
    char remote[256];
    snprintf(remote, sizeof remote, "unix:%s|connect=50|read=200", address.sun_path);
    struct kiln_cache *cache = open_cache(remote, argv[1], NULL);
    atomic_int compiles = 0;
    uint64_t start = kiln_now_ns();
    for (int kernel = 0; kernel < 5; kernel++)
      EXPECT(ask(cache, kernel, 0, &compiles).found == KILN_NOT_FOUND, "%s: found", hostiles[i].name);
    double find = ms_since(start);
    struct kiln_remote_counters counters = counters_of(cache);
    kiln_cache_close(cache);
    printf("%s: %.0f ms, then %.0f ms; errors %d, refused %d, skipped %d\n", hostiles[i].name, find,
           ms_since(start) - find, (int)counters.errors, (int)counters.refused, (int)counters.skipped);
    EXPECT(find < 1000 && ms_since(start) < 3000, "%s: %.0f ms", hostiles[i].name, ms_since(start));
    EXPECT(counters.hits == 0 && counters.errors + counters.refused > 0, "%s: nothing was noticed", hostiles[i].name);
    EXPECT(!hostiles[i].says || strstr(last_warning, hostiles[i].says), "%s: %s", hostiles[i].name, last_warning);
    shutdown(server.fd, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(server.fd);
  }
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int arguments;
    int (*run)(char **argv);
  } modes[] = {{"storm", 7, storm},     {"mutate", 3, mutate}, {"replay", 2, replay}, {"time", 3, time_hits},
               {"hostile", 2, hostile}, {"leases", 2, leases}, {"forks", 2, forks},   {"places", 1, places}};
  verbose = getenv("VERBOSE") != NULL;
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
    if (strcmp(argv[1], modes[i].name) == 0 && argc == modes[i].arguments + 2)
      return modes[i].run(argv + 2);
  fprintf(stderr, "usage: see the head of fleet.c\n");
  return 2;
}
