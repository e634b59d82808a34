// The module kiln-redis.so: Redis and Valkey. hiredis writes the requests and reads the answers; the bytes go through
// net.c, which keeps to the limits and speaks TLS. Several requests travel together. In a cluster each goes to the node
// that has its slot, as far as that is known: nodes tell when they have it not (MOVED, ASK).
#include <ctype.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cache/remote/net.h"

enum { MAX_NODES = 64, SLOTS = 16384, MAX_ROUNDS = 5, KEY = 256 };

struct node {
  char host[256], port[8];
  struct kiln_net net;
  redisReader *reader; // NULL: not connected
  redisReplyObjectFunctions functions;
  uint32_t greetings; // answers to come before those of requests
};

struct link {
  const struct kiln_remote_place *place;
  struct node nodes[MAX_NODES]; // the first is the place's own
  uint32_t node_count;
  uint8_t slots[SLOTS]; // number of a node; 0 as long as nothing else is known
};

struct request {
  char *text; // as hiredis wrote it
  int size;
  uint32_t slot, node;
  bool asking; // once to the node that is just getting the slot
  redisReply *reply;
};

// what may be the server's: nothing in it may change how a terminal or a log shows it.
static bool fail(char problem[KILN_REMOTE_PROBLEM], const char *what) {
  snprintf(problem, KILN_REMOTE_PROBLEM, "%s", what);
  for (char *c = problem; *c; c++)
    *c = *c >= ' ' && *c <= '~' ? *c : '?';
  return false;
}

// ---- connections ----------------------------------------------------------------------------------------------------

static void disconnect(struct node *node) {
  if (node->reader) {
    kiln_net_close(&node->net);
    redisReaderFree(node->reader);
    node->reader = NULL;
  }
}

#if HIREDIS_MAJOR >= 1
typedef size_t list_size;
#else
typedef int list_size;
#endif

// hiredis makes room for as many elements as a server announces.
static void *make_list(const redisReadTask *task, list_size count) {
  enum { LONGEST = 1 << 16 };
  const redisReplyObjectFunctions *usual = task->privdata;
  return count <= LONGEST ? usual->createArray(task, count) : NULL;
}

static redisReader *new_reader(struct node *node) {
  redisReader *reader = redisReaderCreate();
  if (reader) {
    node->functions = *reader->fn;
    node->functions.createArray = make_list;
    reader->privdata = reader->fn;
    reader->fn = &node->functions;
  }
  return reader;
}

static bool send_words(struct node *node, uint64_t deadline, int count, const char **words,
                       char problem[KILN_REMOTE_PROBLEM]) {
  char *text;
  int size = redisFormatCommandArgv(&text, count, words, NULL);
  bool ok = size >= 0 && kiln_net_send(&node->net, text, (size_t)size, deadline, problem);
  if (size >= 0)
    redisFreeCommand(text);
  node->greetings += ok;
  return ok;
}

// Connects, and says who we are; nobody waits for the answer to that alone.
static bool connect_node(struct link *link, struct node *node, char problem[KILN_REMOTE_PROBLEM]) {
  const struct kiln_remote_place *place = link->place;
  if (!kiln_net_open(&node->net, place, node->host, node->port, problem))
    return false;
  node->reader = new_reader(node);
  node->greetings = 0;
  bool ok = node->reader != NULL;
  uint64_t deadline = kiln_now_ns() + place->read_ms * (uint64_t)1000000;
  if (ok && *place->password) {
    const char *words[] = {"AUTH", *place->user ? place->user : place->password, place->password};
    ok = send_words(node, deadline, *place->user ? 3 : 2, words, problem);
  }
  if (ok && *place->path) {
    const char *words[] = {"SELECT", place->path};
    ok = send_words(node, deadline, 2, words, problem);
  }
  if (!ok) {
    kiln_net_close(&node->net);
    redisReaderFree(node->reader);
    node->reader = NULL;
  }
  return ok;
}

static void *open_link(const struct kiln_remote_place *place, char problem[KILN_REMOTE_PROBLEM]) {
  struct link *link = calloc(1, sizeof *link);
  if (!link) {
    fail(problem, "memory is exhausted");
    return NULL;
  }
  link->place = place;
  link->node_count = 1;
  snprintf(link->nodes[0].host, sizeof link->nodes[0].host, "%s", place->host);
  snprintf(link->nodes[0].port, sizeof link->nodes[0].port, "%s", *place->port ? place->port : "6379");
  return link;
}

static void close_link(void *user) {
  struct link *link = user;
  for (uint32_t i = 0; i < link->node_count; i++)
    disconnect(&link->nodes[i]);
  free(link);
}

// "HOST:PORT", where HOST may be empty: that of the node that said so. A server at a socket has no other nodes.
static bool find_node(struct link *link, const char *address, uint32_t from, uint32_t *out) {
  const char *colon = strrchr(address, ':');
  struct node wanted = {.reader = NULL};
  if (strcmp(link->place->scheme, "unix") == 0 || !colon || colon - address >= (long)sizeof wanted.host ||
      strlen(colon + 1) >= sizeof wanted.port)
    return false;
  memcpy(wanted.host, address, (size_t)(colon - address));
  strcpy(wanted.port, colon + 1);
  if (!*wanted.host)
    strcpy(wanted.host, link->nodes[from].host);
  for (*out = 0; *out < link->node_count; (*out)++) {
    const struct node *node = &link->nodes[*out];
    if (strcmp(node->host, wanted.host) == 0 && strcmp(node->port, wanted.port) == 0)
      return true;
  }
  if (link->node_count == MAX_NODES)
    return false;
  link->nodes[link->node_count++] = wanted;
  return true;
}

// ---- requests -------------------------------------------------------------------------------------------------------

// CRC-16 (XMODEM) of what is between '{' and '}', as Redis numbers slots.
static uint32_t slot_of(const char *key) {
  const char *open = strchr(key, '{'), *close = open ? strchr(open, '}') : NULL;
  const char *at = close && close > open + 1 ? open + 1 : key, *end = at == key ? key + strlen(key) : close;
  uint32_t crc = 0;
  for (; at < end; at++) {
    crc ^= (uint32_t)(unsigned char)*at << 8;
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc % SLOTS;
}

// All values of one key are in one slot: "kiln:{HEX}.kiln".
static bool key_of(const struct link *link, const char *name, char out[KEY]) {
  const char *dot = strchr(name, '.');
  int head = dot ? (int)(dot - name) : (int)strlen(name);
  return snprintf(out, KEY, "%s{%.*s}%s", link->place->prefix, head, name, dot ? dot : "") < KEY;
}

static bool make_request(struct link *link, struct request *r, const char *key, int count, const char **words,
                         const size_t *sizes) {
  *r = (struct request){.slot = slot_of(key)};
  r->node = link->slots[r->slot];
  r->size = redisFormatCommandArgv(&r->text, count, words, sizes);
  return r->size >= 0;
}

static void free_requests(struct request *requests, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    redisFreeCommand(requests[i].text);
    if (requests[i].reply)
      freeReplyObject(requests[i].reply);
  }
}

static redisReply *next_reply(struct node *node, uint64_t deadline, uint64_t *budget,
                              char problem[KILN_REMOTE_PROBLEM]) {
  static const size_t part = 65536;
  void *reply = NULL;
  for (;;) {
    if (redisReaderGetReply(node->reader, &reply) != REDIS_OK) {
      fail(problem, "its answer is no answer of Redis");
      return NULL;
    }
    if (reply)
      return reply;
    char buffer[65536];
    size_t got = *budget >= part ? kiln_net_receive(&node->net, buffer, part, deadline, problem) : 0;
    if (*budget < part)
      fail(problem, "its answer is too long");
    if (got == 0 || redisReaderFeed(node->reader, buffer, got) != REDIS_OK)
      return NULL;
    *budget -= got;
  }
}

static bool is_error(const redisReply *reply, const char *word) {
  return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, word, strlen(word)) == 0;
}

// Small requests go out together.
static bool send_all(struct link *link, struct request *requests, uint32_t count, uint32_t at, uint64_t deadline,
                     char problem[KILN_REMOTE_PROBLEM]) {
  enum { TOGETHER = 1 << 16 };
  struct node *node = &link->nodes[at];
  struct kiln_strbuf text = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    struct request *r = &requests[i];
    if (r->reply || r->node != at)
      continue;
    if (r->asking)
      kiln_strbuf_puts(&text, "*1\r\n$6\r\nASKING\r\n");
    if (r->size <= TOGETHER)
      kiln_strbuf_append(&text, r->text, (size_t)r->size);
    if (text.size > TOGETHER || (r->size > TOGETHER && text.size != 0)) {
      ok = !text.failed && kiln_net_send(&node->net, text.data, text.size, deadline, problem);
      kiln_strbuf_clear(&text);
    }
    if (r->size > TOGETHER)
      ok = ok && kiln_net_send(&node->net, r->text, (size_t)r->size, deadline, problem);
  }
  ok = ok && !text.failed && (text.size == 0 || kiln_net_send(&node->net, text.data, text.size, deadline, problem));
  kiln_strbuf_free(&text);
  return ok;
}

static bool receive_all(struct link *link, struct request *requests, uint32_t count, uint32_t at, uint64_t deadline,
                        char problem[KILN_REMOTE_PROBLEM]) {
  struct node *node = &link->nodes[at];
  uint64_t budget = (uint64_t)KILN_REMOTE_MAX_VALUE * 2;
  for (; node->greetings != 0; node->greetings--) {
    redisReply *reply = next_reply(node, deadline, &budget, problem);
    bool ok = reply && reply->type != REDIS_REPLY_ERROR;
    if (reply && !ok)
      fail(problem, reply->str);
    if (reply)
      freeReplyObject(reply);
    if (!ok)
      return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    struct request *r = &requests[i];
    if (r->reply || r->node != at)
      continue;
    if (r->asking) {
      redisReply *ok = next_reply(node, deadline, &budget, problem);
      if (!ok)
        return false;
      freeReplyObject(ok);
      r->asking = false;
    }
    r->reply = next_reply(node, deadline, &budget, problem);
    if (!r->reply)
      return false;
  }
  return true;
}

// Sends what has no answer yet to one node. A connection that the server has closed meanwhile is made anew, once.
static bool ask_node(struct link *link, struct request *requests, uint32_t count, uint32_t at,
                     char problem[KILN_REMOTE_PROBLEM]) {
  struct node *node = &link->nodes[at];
  for (int attempt = 0; attempt < 2; attempt++) {
    bool fresh = !node->reader;
    if (fresh && !connect_node(link, node, problem))
      return false;
    uint64_t start = kiln_now_ns(), deadline = start + link->place->read_ms * (uint64_t)1000000;
    if (send_all(link, requests, count, at, deadline, problem) &&
        receive_all(link, requests, count, at, deadline, problem))
      return true;
    disconnect(node);
    if (fresh || kiln_now_ns() >= deadline)
      return false;
  }
  return false;
}

// Reads "MOVED SLOT HOST:PORT" and "ASK …": the request has no answer then, but another node.
static bool follow(struct link *link, struct request *r, bool *again) {
  unsigned slot;
  char address[280];
  bool moved = is_error(r->reply, "MOVED "), ask = is_error(r->reply, "ASK ");
  if (!moved && !ask)
    return true;
  uint32_t node;
  if (sscanf(strchr(r->reply->str, ' '), " %u %279s", &slot, address) != 2 || slot >= SLOTS ||
      !find_node(link, address, r->node, &node))
    return false;
  if (moved)
    link->slots[slot] = (uint8_t)node;
  r->node = node;
  r->asking = ask;
  freeReplyObject(r->reply);
  r->reply = NULL;
  *again = true;
  return true;
}

// Gets an answer for every request; errors of Redis are answers, but for those that concern all requests.
static bool ask(struct link *link, struct request *requests, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  bool again = true;
  for (int round = 0; again && round < MAX_ROUNDS; round++) {
    again = false;
    for (uint32_t i = 0; i < count; i++) {
      if (!requests[i].reply && !ask_node(link, requests, count, requests[i].node, problem)) {
        // The node may be gone for good: what it had is asked for at the first one the next time.
        link->slots[requests[i].slot] = 0;
        return false;
      }
    }
    for (uint32_t i = 0; i < count; i++)
      if (!follow(link, &requests[i], &again))
        return fail(problem, "it names a node of its cluster that cannot be used");
  }
  if (again)
    return fail(problem, "the nodes of its cluster do not agree");
  static const char *const of_all[] = {"NOAUTH", "WRONGPASS", "NOPERM", "LOADING", "CLUSTERDOWN", "MASTERDOWN"};
  for (uint32_t i = 0; i < count; i++) {
    for (size_t k = 0; k < sizeof of_all / sizeof *of_all; k++)
      if (is_error(requests[i].reply, of_all[k]))
        return fail(problem, requests[i].reply->str);
  }
  return true;
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static bool take_value(struct kiln_remote_item *item, const redisReply *reply, char problem[KILN_REMOTE_PROBLEM]) {
  item->found = false;
  item->data = NULL;
  if (reply->type == REDIS_REPLY_NIL)
    return true;
  if (reply->type != REDIS_REPLY_STRING)
    return fail(problem, reply->type == REDIS_REPLY_ERROR ? reply->str : "its answer is no value");
  item->size = (size_t)reply->len;
  item->data = malloc(item->size + 1);
  if (!item->data)
    return fail(problem, "memory is exhausted");
  memcpy(item->data, reply->str, item->size);
  item->found = true;
  return true;
}

static void drop_values(struct kiln_remote_item *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    free(items[i].data);
    items[i].data = NULL;
    items[i].found = false;
  }
}

// The lease, if any, and then what "word" says of each item.
static bool ask_for_items(struct link *link, const char *word, struct kiln_remote_lease *lease,
                          struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  struct request *requests = calloc(count + 1, sizeof *requests);
  uint32_t first = lease != NULL, made = 0;
  char key[KEY], ttl[16];
  bool ok = requests != NULL;
  if (ok && lease) {
    snprintf(ttl, sizeof ttl, "%u", (unsigned)link->place->lease_ms);
    ok = key_of(link, lease->name, key);
    const char *words[] = {"SET", key, lease->token, "NX", "PX", ttl};
    ok = ok && make_request(link, &requests[made], key, 6, words, NULL);
    made += ok;
  }
  for (uint32_t i = 0; i < count && ok; i++) {
    ok = key_of(link, items[i].name, key);
    const char *words[] = {word, key};
    ok = ok && make_request(link, &requests[made], key, 2, words, NULL);
    made += ok;
  }
  ok = ok && ask(link, requests, made, problem);
  if (ok && lease) {
    lease->taken = requests[0].reply->type == REDIS_REPLY_STATUS;
    lease->busy = requests[0].reply->type == REDIS_REPLY_NIL;
  }
  bool exists = strcmp(word, "EXISTS") == 0;
  for (uint32_t i = 0; i < count && ok; i++) {
    const redisReply *reply = requests[first + i].reply;
    if (exists) {
      items[i].found = reply->type == REDIS_REPLY_INTEGER && reply->integer != 0;
    } else if (!take_value(&items[i], reply, problem)) {
      drop_values(items, i);
      ok = false;
    }
  }
  if (requests)
    free_requests(requests, made);
  free(requests);
  return ok;
}

static bool get(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  return ask_for_items(link, "GET", NULL, items, count, problem);
}
static bool exists(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  return ask_for_items(link, "EXISTS", NULL, items, count, problem);
}
static bool lease(void *link, struct kiln_remote_lease *lease, struct kiln_remote_item *items, uint32_t count,
                  char problem[KILN_REMOTE_PROBLEM]) {
  return ask_for_items(link, "GET", lease, items, count, problem);
}

static bool put(void *user, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  struct link *link = user;
  struct request *requests = calloc(count + 1, sizeof *requests);
  uint32_t made = 0;
  char key[KEY], seconds[16];
  snprintf(seconds, sizeof seconds, "%u", (unsigned)link->place->expire_s);
  bool ok = requests != NULL;
  for (uint32_t i = 0; i < count && ok; i++) {
    ok = key_of(link, items[i].name, key);
    const char *words[] = {"SET", key, items[i].data, "EX", seconds};
    size_t sizes[] = {3, strlen(key), items[i].size, 2, strlen(seconds)};
    ok = ok && make_request(link, &requests[made], key, link->place->expire_s ? 5 : 3, words, sizes);
    made += ok;
  }
  ok = ok && ask(link, requests, made, problem);
  for (uint32_t i = 0; i < count && ok; i++) {
    items[i].found = requests[i].reply->type == REDIS_REPLY_STATUS;
    if (requests[i].reply->type == REDIS_REPLY_ERROR) // memory is full: it can still be read
      fail(problem, requests[i].reply->str);
  }
  if (requests)
    free_requests(requests, made);
  free(requests);
  return ok;
}

static bool release(void *user, const struct kiln_remote_lease *lease, char problem[KILN_REMOTE_PROBLEM]) {
  static const char script[] = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end";
  struct link *link = user;
  struct request request;
  char key[KEY];
  const char *words[] = {"EVAL", script, "1", key, lease->token};
  if (!key_of(link, lease->name, key) || !make_request(link, &request, key, 5, words, NULL))
    return fail(problem, "memory is exhausted");
  bool ok = ask(link, &request, 1, problem);
  ok = ok || (request.reply && is_error(request.reply, "NOPERM")); // it then ends by itself
  free_requests(&request, 1);
  return ok;
}

// ---- listing --------------------------------------------------------------------------------------------------------

static redisReply *ask_one(struct link *link, uint32_t node, int count, const char **words,
                           char problem[KILN_REMOTE_PROBLEM]) {
  struct request request;
  if (!make_request(link, &request, "", count, words, NULL)) {
    fail(problem, "memory is exhausted");
    return NULL;
  }
  request.node = node;
  redisReply *reply = ask_node(link, &request, 1, node, problem) ? request.reply : NULL;
  request.reply = NULL;
  free_requests(&request, 1);
  return reply;
}

// Of a cluster, its masters; else the one node.
static bool learn_nodes(struct link *link, bool masters[MAX_NODES], char problem[KILN_REMOTE_PROBLEM]) {
  const char *words[] = {"CLUSTER", "NODES"};
  redisReply *reply = ask_one(link, 0, 2, words, problem);
  if (!reply)
    return false;
  bool cluster = reply->type == REDIS_REPLY_STRING;
  masters[0] = !cluster;
  char *rest = cluster ? reply->str : NULL, address[280], flags[64];
  for (char *line = rest ? strtok_r(rest, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
    uint32_t node;
    if (sscanf(line, "%*s %279s %63s", address, flags) == 2 && strstr(flags, "master") && !strstr(flags, "fail")) {
      address[strcspn(address, "@,")] = '\0';
      if (strstr(flags, "myself"))
        masters[0] = true;
      else if (find_node(link, address, 0, &node))
        masters[node] = true;
    }
  }
  freeReplyObject(reply);
  return true;
}

// "kiln:{HEX}.kiln" to "HEX.kiln"; what has another form is not ours.
static void tell_name(const struct link *link, const char *key, void (*fn)(void *user, const char *name), void *user) {
  size_t prefix = strlen(link->place->prefix);
  const char *open = strlen(key) > prefix ? key + prefix : "", *close = strchr(open, '}');
  char name[KILN_REMOTE_NAME];
  if (*open == '{' && close &&
      snprintf(name, sizeof name, "%.*s%s", (int)(close - open - 1), open + 1, close + 1) < (int)sizeof name)
    fn(user, name);
}

static bool list_node(struct link *link, uint32_t node, const char *pattern, void (*fn)(void *user, const char *name),
                      void *user, char problem[KILN_REMOTE_PROBLEM]) {
  char cursor[32] = "0";
  do {
    const char *words[] = {"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"};
    redisReply *reply = ask_one(link, node, 6, words, problem);
    if (!reply)
      return false;
    bool ok = reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 &&
              reply->element[0]->type == REDIS_REPLY_STRING && reply->element[1]->type == REDIS_REPLY_ARRAY;
    if (!ok) {
      fail(problem, reply->type == REDIS_REPLY_ERROR ? reply->str : "its answer is no list");
    } else {
      snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
      for (size_t i = 0; i < reply->element[1]->elements; i++) {
        const redisReply *key = reply->element[1]->element[i];
        if (key->type == REDIS_REPLY_STRING)
          tell_name(link, key->str, fn, user);
      }
    }
    freeReplyObject(reply);
    if (!ok)
      return false;
  } while (strcmp(cursor, "0") != 0);
  return true;
}

static bool list(void *user, void (*fn)(void *user, const char *name), void *fn_user,
                 char problem[KILN_REMOTE_PROBLEM]) {
  struct link *link = user;
  bool masters[MAX_NODES] = {false};
  struct kiln_strbuf pattern = {0};
  for (const char *c = link->place->prefix; *c; c++) {
    if (strchr("*?[]\\^", *c))
      kiln_strbuf_putc(&pattern, '\\');
    kiln_strbuf_putc(&pattern, *c);
  }
  kiln_strbuf_puts(&pattern, "{*}*");
  bool ok = !pattern.failed && learn_nodes(link, masters, problem);
  for (uint32_t i = 0; i < link->node_count && ok; i++)
    ok = !masters[i] || list_node(link, i, pattern.data, fn, fn_user, problem);
  kiln_strbuf_free(&pattern);
  return ok;
}

__attribute__((visibility("default"))) const struct kiln_remote_module *kiln_remote_module(void);
const struct kiln_remote_module *kiln_remote_module(void) {
  static const struct kiln_remote_module module = {.abi = KILN_REMOTE_ABI,
                                                   .struct_size = sizeof module,
                                                   .version = KILN_BUILD_VERSION,
                                                   .open = open_link,
                                                   .close = close_link,
                                                   .get = get,
                                                   .exists = exists,
                                                   .put = put,
                                                   .lease = lease,
                                                   .release = release,
                                                   .list = list};
  return &module;
}
