// The module kiln-redis.so: Redis and Valkey. resp.c reads the answers; the bytes go through net.c, which speaks TLS.
// Several requests travel together. In a cluster each goes to the node that has its slot, as far as that is known:
// nodes tell when they have it not (MOVED, ASK). All that an exchange costs, with every node that it is sent on to,
// counts against one limit of time and one of bytes.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cache/remote/resp.h"

enum { MAX_NODES = 64, SLOTS = 16384, MAX_ROUNDS = 5, KEY = 256 };
static const uint64_t ms = 1000000;

struct node {
  char host[256], port[8];
  struct kiln_resp *resp; // NULL: not connected
  uint32_t greetings;     // answers to come before those of requests
};

struct link {
  const struct kiln_remote_place *place;
  struct node nodes[MAX_NODES]; // the first is the place's own
  uint32_t node_count;
  uint8_t slots[SLOTS]; // number of a node; 0 as long as nothing else is known
  uint64_t deadline;    // of the exchange
};

struct request {
  struct kiln_strbuf text;
  uint32_t slot, node;
  bool asking; // once to the node that is just getting the slot
  bool answered;
  struct kiln_resp_value reply;
};

// ---- connections ----------------------------------------------------------------------------------------------------

static void disconnect(struct node *node) {
  if (node->resp) {
    kiln_net_close(&node->resp->net);
    free(node->resp);
    node->resp = NULL;
  }
}

static bool send_words(struct kiln_resp *resp, uint64_t deadline, uint32_t count, const char *const *words,
                       char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_strbuf text = {0};
  kiln_resp_put(&text, count, words, NULL);
  bool ok = text.failed ? kiln_resp_fail(problem, "memory is exhausted")
                        : kiln_net_send(&resp->net, text.data, text.size, deadline, problem);
  kiln_strbuf_free(&text);
  return ok;
}

// Connects, and says who we are; the answer to that is read with the first answer to a request.
static bool connect_node(struct link *link, struct node *node, char problem[KILN_REMOTE_PROBLEM]) {
  const struct kiln_remote_place *place = link->place;
  node->resp = calloc(1, sizeof *node->resp);
  node->greetings = 0;
  if (!node->resp)
    return kiln_resp_fail(problem, "memory is exhausted");
  bool ok = kiln_net_open(&node->resp->net, place, node->host, node->port, link->deadline, problem);
  if (ok && *place->password) {
    const char *words[] = {"AUTH", *place->user ? place->user : place->password, place->password};
    ok = send_words(node->resp, link->deadline, *place->user ? 3 : 2, words, problem);
    node->greetings++;
  }
  if (ok && *place->path) {
    const char *words[] = {"SELECT", place->path};
    ok = send_words(node->resp, link->deadline, 2, words, problem);
    node->greetings++;
  }
  if (!ok)
    disconnect(node);
  return ok;
}

static void *open_link(const struct kiln_remote_place *place, char problem[KILN_REMOTE_PROBLEM]) {
  struct link *link = calloc(1, sizeof *link);
  if (!link) {
    kiln_resp_fail(problem, "memory is exhausted");
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
  struct node wanted = {.resp = NULL};
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

static bool make_request(struct link *link, struct request *r, const char *key, uint32_t count,
                         const char *const *words, const size_t *sizes) {
  *r = (struct request){.slot = slot_of(key)};
  r->node = link->slots[r->slot];
  kiln_resp_put(&r->text, count, words, sizes);
  if (r->text.failed)
    kiln_strbuf_free(&r->text);
  return r->text.data != NULL;
}

static void drop_reply(struct request *r) {
  free(r->reply.text);
  r->reply = (struct kiln_resp_value){.type = KILN_RESP_NIL};
  r->answered = false;
}

static void free_requests(struct request *requests, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    kiln_strbuf_free(&requests[i].text);
    drop_reply(&requests[i]);
  }
}

static bool is_error(const struct kiln_resp_value *reply, const char *word) {
  return reply->type == KILN_RESP_ERROR && strncmp(reply->text, word, strlen(word)) == 0;
}

// Small requests go out together.
static bool send_all(struct link *link, struct request *requests, uint32_t count, uint32_t at, uint64_t deadline,
                     char problem[KILN_REMOTE_PROBLEM]) {
  enum { TOGETHER = 1 << 16 };
  struct kiln_net *net = &link->nodes[at].resp->net;
  struct kiln_strbuf text = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    struct request *r = &requests[i];
    if (r->answered || r->node != at)
      continue;
    if (r->asking)
      kiln_strbuf_puts(&text, "*1\r\n$6\r\nASKING\r\n");
    if (r->text.size <= TOGETHER)
      kiln_strbuf_append(&text, r->text.data, r->text.size);
    if (text.size > TOGETHER || (r->text.size > TOGETHER && text.size != 0)) {
      ok = !text.failed && kiln_net_send(net, text.data, text.size, deadline, problem);
      kiln_strbuf_clear(&text);
    }
    if (r->text.size > TOGETHER)
      ok = ok && kiln_net_send(net, r->text.data, r->text.size, deadline, problem);
  }
  ok = ok && !text.failed && (text.size == 0 || kiln_net_send(net, text.data, text.size, deadline, problem));
  kiln_strbuf_free(&text);
  return ok;
}

static bool receive_greetings(struct node *node, struct kiln_resp_limits *limits, char problem[KILN_REMOTE_PROBLEM]) {
  for (; node->greetings != 0; node->greetings--) {
    struct kiln_resp_value reply;
    bool ok = kiln_resp_read(node->resp, limits, 0, &reply, problem);
    if (ok && reply.type == KILN_RESP_ERROR)
      ok = kiln_resp_fail(problem, reply.text);
    free(reply.text);
    if (!ok)
      return false;
  }
  return true;
}

static bool receive_all(struct link *link, struct request *requests, uint32_t count, uint32_t at, uint64_t deadline,
                        char problem[KILN_REMOTE_PROBLEM]) {
  struct node *node = &link->nodes[at];
  struct kiln_resp_limits limits = {deadline, (uint64_t)KILN_REMOTE_MAX_VALUE * 2};
  if (!receive_greetings(node, &limits, problem))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    struct request *r = &requests[i];
    if (r->answered || r->node != at)
      continue;
    if (r->asking) {
      struct kiln_resp_value asked;
      if (!kiln_resp_read(node->resp, &limits, 0, &asked, problem)) {
        free(asked.text);
        return false;
      }
      free(asked.text);
      r->asking = false;
    }
    r->answered = kiln_resp_read(node->resp, &limits, KILN_REMOTE_MAX_VALUE, &r->reply, problem);
    if (!r->answered)
      return false;
  }
  return true;
}

static void begin_exchange(struct link *link) {
  const struct kiln_remote_place *place = link->place;
  uint64_t limit = (uint64_t)place->connect_ms + (place->tls ? 2 : 1) * (uint64_t)place->read_ms;
  link->deadline = kiln_now_ns() + limit * ms;
}

// What is done over a connection to a node, once it is there.
typedef bool talk_fn(void *user, struct link *link, uint32_t at, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]);

// Talks to one node. A connection that the server has closed meanwhile, or sent something over unasked, is made anew,
// once.
static bool talk(struct link *link, uint32_t at, talk_fn *fn, void *user, char problem[KILN_REMOTE_PROBLEM]) {
  struct node *node = &link->nodes[at];
  for (int attempt = 0; attempt < 2; attempt++) {
    if (node->resp && node->resp->begin != node->resp->end)
      disconnect(node);
    bool fresh = !node->resp;
    if (fresh && !connect_node(link, node, problem))
      return false;
    uint64_t deadline = kiln_now_ns() + link->place->read_ms * ms;
    deadline = deadline < link->deadline ? deadline : link->deadline;
    if (fn(user, link, at, deadline, problem))
      return true;
    disconnect(node);
    if (fresh || kiln_now_ns() >= deadline)
      return false;
  }
  return false;
}

struct batch {
  struct request *requests;
  uint32_t count;
};

static bool exchange(void *user, struct link *link, uint32_t at, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  struct batch *b = user;
  return send_all(link, b->requests, b->count, at, deadline, problem) &&
         receive_all(link, b->requests, b->count, at, deadline, problem);
}

// Sends what has no answer yet to one node.
static bool ask_node(struct link *link, struct request *requests, uint32_t count, uint32_t at,
                     char problem[KILN_REMOTE_PROBLEM]) {
  return talk(link, at, exchange, &(struct batch){requests, count}, problem);
}

// Reads "MOVED SLOT HOST:PORT" and "ASK …": the request has no answer then, but another node.
static bool follow(struct link *link, struct request *r, bool *again) {
  unsigned slot;
  char address[280];
  bool moved = is_error(&r->reply, "MOVED "), ask = is_error(&r->reply, "ASK ");
  if (!moved && !ask)
    return true;
  uint32_t node;
  if (sscanf(strchr(r->reply.text, ' '), " %u %279s", &slot, address) != 2 || slot >= SLOTS ||
      !find_node(link, address, r->node, &node))
    return false;
  if (moved)
    link->slots[slot] = (uint8_t)node;
  r->node = node;
  r->asking = ask;
  drop_reply(r);
  *again = true;
  return true;
}

// Gets an answer for every request; errors of Redis are answers, but for those that concern all requests.
static bool ask(struct link *link, struct request *requests, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  bool again = true;
  begin_exchange(link);
  for (int round = 0; again && round < MAX_ROUNDS; round++) {
    again = false;
    for (uint32_t i = 0; i < count; i++) {
      if (!requests[i].answered && !ask_node(link, requests, count, requests[i].node, problem)) {
        // The node may be gone for good: what it had is asked for at the first one the next time.
        link->slots[requests[i].slot] = 0;
        return false;
      }
    }
    for (uint32_t i = 0; i < count; i++)
      if (!follow(link, &requests[i], &again))
        return kiln_resp_fail(problem, "it names a node of its cluster that cannot be used");
  }
  if (again)
    return kiln_resp_fail(problem, "the nodes of its cluster do not agree");
  static const char *const of_all[] = {"NOAUTH", "WRONGPASS", "NOPERM", "LOADING", "CLUSTERDOWN", "MASTERDOWN"};
  for (uint32_t i = 0; i < count; i++) {
    for (size_t k = 0; k < sizeof of_all / sizeof *of_all; k++)
      if (is_error(&requests[i].reply, of_all[k]))
        return kiln_resp_fail(problem, requests[i].reply.text);
  }
  return true;
}

// ---- calls ----------------------------------------------------------------------------------------------------------

// The item takes the value over.
static bool take_value(struct kiln_remote_item *item, struct kiln_resp_value *reply,
                       char problem[KILN_REMOTE_PROBLEM]) {
  item->found = false;
  item->data = NULL;
  if (reply->type == KILN_RESP_NIL)
    return true;
  if (reply->type != KILN_RESP_STRING)
    return kiln_resp_fail(problem, reply->type == KILN_RESP_ERROR ? reply->text : "its answer is no value");
  item->size = reply->size;
  item->data = reply->text;
  item->found = true;
  reply->text = NULL;
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
    lease->taken = requests[0].reply.type == KILN_RESP_STATUS;
    lease->busy = requests[0].reply.type == KILN_RESP_NIL;
  }
  bool exists = strcmp(word, "EXISTS") == 0;
  for (uint32_t i = 0; i < count && ok; i++) {
    struct kiln_resp_value *reply = &requests[first + i].reply;
    if (exists) {
      items[i].found = reply->type == KILN_RESP_INTEGER && reply->number != 0;
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
    items[i].found = requests[i].reply.type == KILN_RESP_STATUS;
    if (requests[i].reply.type == KILN_RESP_ERROR) // memory is full: it can still be read
      kiln_resp_fail(problem, requests[i].reply.text);
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
    return kiln_resp_fail(problem, "memory is exhausted");
  bool ok = ask(link, &request, 1, problem);
  ok = ok || (request.answered && is_error(&request.reply, "NOPERM")); // it then ends by itself
  free_requests(&request, 1);
  return ok;
}

// ---- listing --------------------------------------------------------------------------------------------------------

// A listing takes no longer than so many exchanges may.
enum { LIST_READS = 6, PAGE_NAMES = 1 << 16, PAGE_BYTES = 8 << 20, CURSOR = 24 };

struct listing {
  const char *pattern;
  char cursor[CURSOR];
  kiln_remote_name_fn *fn;
  void *user;
  bool stopped;
  uint64_t end; // kiln_now_ns
};

static void begin_part(struct link *link, const struct listing *l) {
  begin_exchange(link);
  link->deadline = link->deadline < l->end ? link->deadline : l->end;
}

// Of a cluster, its masters; else the one node.
static bool learn_nodes(struct link *link, const struct listing *l, bool masters[MAX_NODES],
                        char problem[KILN_REMOTE_PROBLEM]) {
  const char *words[] = {"CLUSTER", "NODES"};
  struct request request;
  begin_part(link, l);
  if (!make_request(link, &request, "", 2, words, NULL))
    return kiln_resp_fail(problem, "memory is exhausted");
  request.node = 0;
  bool ok = ask_node(link, &request, 1, 0, problem), cluster = ok && request.reply.type == KILN_RESP_STRING;
  masters[0] = !cluster;
  char *rest = cluster ? request.reply.text : NULL, address[280], flags[64];
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
  free_requests(&request, 1);
  return ok;
}

// "kiln:{HEX}.kiln" to "HEX.kiln"; what has another form is not ours.
static bool tell_name(const struct link *link, const struct listing *l, const char *key) {
  size_t prefix = strlen(link->place->prefix);
  const char *open = strlen(key) > prefix ? key + prefix : "", *close = strchr(open, '}');
  char name[KILN_REMOTE_NAME];
  if (*open == '{' && close &&
      snprintf(name, sizeof name, "%.*s%s", (int)(close - open - 1), open + 1, close + 1) < (int)sizeof name)
    return l->fn(l->user, name);
  return true;
}

static bool read_cursor(struct kiln_resp *resp, struct kiln_resp_limits *limits, char out[CURSOR],
                        char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_resp_value value;
  bool ok = kiln_resp_read(resp, limits, CURSOR - 1, &value, problem);
  if (ok && (value.type != KILN_RESP_STRING || value.size == 0 || strspn(value.text, "0123456789") != value.size))
    ok = kiln_resp_fail(problem, "its answer is no list");
  if (ok)
    strcpy(out, value.text);
  free(value.text);
  return ok;
}

// Asks for one page, and moves the cursor.
static bool scan(void *user, struct link *link, uint32_t at, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  struct listing *l = user;
  struct node *node = &link->nodes[at];
  const char *words[] = {"SCAN", l->cursor, "MATCH", l->pattern, "COUNT", "1000"};
  struct kiln_resp_limits limits = {deadline, PAGE_BYTES};
  uint32_t parts, names;
  char next[CURSOR];
  if (!send_words(node->resp, deadline, 6, words, problem) || !receive_greetings(node, &limits, problem) ||
      !kiln_resp_read_list(node->resp, &limits, 2, &parts, problem))
    return false;
  if (parts != 2)
    return kiln_resp_fail(problem, "its answer is no list");
  if (!read_cursor(node->resp, &limits, next, problem) ||
      !kiln_resp_read_list(node->resp, &limits, PAGE_NAMES, &names, problem))
    return false;
  for (uint32_t i = 0; i < names; i++) {
    struct kiln_resp_value key;
    bool ok = kiln_resp_read(node->resp, &limits, PAGE_BYTES, &key, problem);
    if (ok && key.type == KILN_RESP_STRING && !l->stopped)
      l->stopped = !tell_name(link, l, key.text);
    free(key.text);
    if (!ok)
      return false;
  }
  strcpy(l->cursor, next);
  return true;
}

// A cursor that comes again would come for ever. It is found without keeping all of them (Brent): each is compared with
// one that is kept, which is exchanged after 1, 2, 4, ... pages.
static bool list_node(struct link *link, uint32_t at, struct listing *l, char problem[KILN_REMOTE_PROBLEM]) {
  char kept[CURSOR] = "";
  strcpy(l->cursor, "0");
  for (uint64_t page = 0, exchange_at = 1; page == 0 || strcmp(l->cursor, "0") != 0; page++) {
    if (kiln_now_ns() >= l->end)
      return kiln_resp_fail(problem, "it takes too long: its list does not end");
    begin_part(link, l);
    if (!talk(link, at, scan, l, problem))
      return false;
    if (l->stopped)
      return true;
    if (strcmp(l->cursor, kept) == 0)
      return kiln_resp_fail(problem, "its list does not end: it begins anew");
    if (page + 1 == exchange_at) {
      strcpy(kept, l->cursor);
      exchange_at *= 2;
    }
  }
  return true;
}

static bool list(void *user, kiln_remote_name_fn *fn, void *fn_user, char problem[KILN_REMOTE_PROBLEM]) {
  struct link *link = user;
  bool masters[MAX_NODES] = {false};
  struct kiln_strbuf pattern = {0};
  for (const char *c = link->place->prefix; *c; c++) {
    if (strchr("*?[]\\^", *c))
      kiln_strbuf_putc(&pattern, '\\');
    kiln_strbuf_putc(&pattern, *c);
  }
  kiln_strbuf_puts(&pattern, "{*}*");
  struct listing l = {.pattern = pattern.data, .fn = fn, .user = fn_user};
  l.end = kiln_now_ns() + LIST_READS * ms * link->place->read_ms;
  bool ok = pattern.failed ? kiln_resp_fail(problem, "memory is exhausted") : learn_nodes(link, &l, masters, problem);
  for (uint32_t i = 0; i < link->node_count && ok && !l.stopped; i++)
    ok = !masters[i] || list_node(link, i, &l, problem);
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
