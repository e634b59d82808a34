// The module kiln-http.so: values under URLs (GET, PUT, HEAD), with libcurl.
//
// The server is not trusted. One exchange has one limit of time for all its transfers, and one of bytes; redirections
// are not followed (CURLOPT_FOLLOWLOCATION is off); headers, and the text of errors, have limits of their own.
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/write.h"
#include "cache/remote.h"

enum { PARALLEL = 8, URL_SIZE = 4096, MAX_HEADERS = 64 << 10, MAX_ERROR_TEXT = 64 << 10 };
enum method { GET, HEAD, PUT };

struct link {
  const struct kiln_remote_place *place;
  CURLM *multi; // keeps the connections
  struct curl_slist *headers;
  uint64_t deadline; // of the exchange; kiln_now_ns
  uint64_t bytes;    // of values that may still come in it
};

struct transfer {
  CURL *handle;
  struct link *link;
  struct kiln_remote_item *item;
  struct kiln_strbuf body;
  size_t sent, dropped, header_bytes;
  char error[CURL_ERROR_SIZE];
  CURLcode result;
  bool done;
};

// what may be the server's: nothing in it may change how a terminal or a log shows it.
static bool fail(char problem[KILN_REMOTE_PROBLEM], const char *what) {
  snprintf(problem, KILN_REMOTE_PROBLEM, "%s", what);
  for (char *c = problem; *c; c++)
    *c = *c >= ' ' && *c <= '~' ? *c : '?';
  return false;
}

// "BASE/HEX.kiln"; bazel-remote takes names of 64 digits below ac/ and no others.
static bool url_of(const struct kiln_remote_place *place, const char *name, char out[URL_SIZE]) {
  static const char *const suffixes[] = {".kiln", ".inc", ".tools", "", ".tune"}; // "": of the index
  bool v6 = strchr(place->host, ':') != NULL;
  char host[512];
  snprintf(host, sizeof host, "%s%.400s%s%s%s", v6 ? "[" : "", place->host, v6 ? "]" : "", *place->port ? ":" : "",
           place->port);
  int size = snprintf(out, URL_SIZE, "%s://%s%s/%s%s", place->scheme, host, place->path, place->prefix, name);
  if (*place->layout) {
    const char *dot = name + strcspn(name, ".");
    unsigned kind = 0;
    while (kind + 1 < sizeof suffixes / sizeof *suffixes && strcmp(dot, suffixes[kind]) != 0)
      kind++;
    size = snprintf(out, URL_SIZE, "%s://%s%s/ac/%.32s%032x", place->scheme, host, place->path,
                    *dot ? name : "00000000000000000000000000000000", kind);
  }
  return size < URL_SIZE;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started; // set once
static void start(void) { started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }

static void *open_link(const struct kiln_remote_place *place, char problem[KILN_REMOTE_PROBLEM]) {
  pthread_once(&once, start);
  if (!started) {
    fail(problem, "libcurl cannot be used");
    return NULL;
  }
  if (*place->layout && strcmp(place->layout, "bazel") != 0) {
    fail(problem, "the attribute layout is not 'bazel'");
    return NULL;
  }
  struct link *link = calloc(1, sizeof *link);
  if (link) {
    link->place = place;
    link->multi = curl_multi_init();
    link->headers = curl_slist_append(NULL, "Expect:");
    struct curl_slist *more = *place->header ? curl_slist_append(link->headers, place->header) : link->headers;
    link->headers = more ? more : link->headers;
    if (link->multi && more) {
      curl_multi_setopt(link->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)PARALLEL);
      return link;
    }
    curl_slist_free_all(link->headers);
    curl_multi_cleanup(link->multi);
    free(link);
  }
  fail(problem, "memory is exhausted");
  return NULL;
}

static void close_link(void *user) {
  struct link *link = user;
  curl_multi_cleanup(link->multi);
  curl_slist_free_all(link->headers);
  free(link);
}

// ---- transfers ------------------------------------------------------------------------------------------------------

// Both end a transfer by returning fewer bytes than came.

// Only the body of a success is a value; that of an error is passed over.
static size_t take(char *data, size_t one, size_t size, void *user) {
  struct transfer *t = user;
  struct link *link = t->link;
  long code = 0;
  (void)one;
  curl_easy_getinfo(t->handle, CURLINFO_RESPONSE_CODE, &code);
  if (code < 200 || code >= 300) {
    t->dropped += size;
    return t->dropped > MAX_ERROR_TEXT ? 0 : size;
  }
  if (t->body.size + size > KILN_REMOTE_MAX_VALUE || size > link->bytes)
    return 0;
  link->bytes -= size;
  kiln_strbuf_append(&t->body, data, size);
  return t->body.failed ? 0 : size;
}

static size_t pass_header(char *data, size_t one, size_t size, void *user) {
  struct transfer *t = user;
  (void)data;
  t->header_bytes += one * size;
  return t->header_bytes > MAX_HEADERS ? 0 : one * size;
}

static size_t give(char *out, size_t one, size_t size, void *user) {
  struct transfer *t = user;
  size_t left = t->item->size - t->sent, part = one * size < left ? one * size : left;
  memcpy(out, t->item->data + t->sent, part);
  t->sent += part;
  return part;
}

static bool begin(struct link *link, struct transfer *t, enum method method) {
  const struct kiln_remote_place *place = link->place;
  char url[URL_SIZE];
  uint64_t now = kiln_now_ns();
  long left_ms = now < link->deadline ? (long)((link->deadline - now) / 1000000) : 0;
  t->link = link;
  CURL *handle = t->handle = url_of(place, t->item->name, url) ? curl_easy_init() : NULL;
  if (!handle)
    return false;
  curl_easy_setopt(handle, CURLOPT_URL, url);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L); // do not wait for a look-up of a name
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)place->connect_ms + (place->tls ? place->read_ms : 0));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, left_ms + 1);                  // 0 would be no limit
  curl_easy_setopt(handle, CURLOPT_MAXFILESIZE, (long)KILN_REMOTE_MAX_VALUE); // where the length is said first
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, pass_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, link->headers);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "kiln/" KILN_BUILD_VERSION);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, t->error);
  curl_easy_setopt(handle, CURLOPT_PRIVATE, t);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, t);
  if (*place->user || *place->password) {
    curl_easy_setopt(handle, CURLOPT_USERNAME, place->user);
    curl_easy_setopt(handle, CURLOPT_PASSWORD, place->password);
    curl_easy_setopt(handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
  }
  if (*place->ca) {
    curl_easy_setopt(handle, CURLOPT_CAINFO, place->ca);
    curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
  }
  if (*place->certificate) {
    curl_easy_setopt(handle, CURLOPT_SSLCERT, place->certificate);
    curl_easy_setopt(handle, CURLOPT_SSLKEY, *place->secret ? place->secret : place->certificate);
  }
  if (method == HEAD) {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (method == PUT) {
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(handle, CURLOPT_READDATA, t);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)t->item->size);
  }
  return curl_multi_add_handle(link->multi, handle) == CURLM_OK;
}

static bool perform(struct link *link) {
  int running = 1, waiting;
  while (running != 0) {
    if (curl_multi_perform(link->multi, &running) != CURLM_OK ||
        (running != 0 && curl_multi_poll(link->multi, NULL, 0, 1000, NULL) != CURLM_OK))
      return false;
    for (CURLMsg *message; (message = curl_multi_info_read(link->multi, &waiting));) {
      struct transfer *t;
      if (message->msg == CURLMSG_DONE && curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t) == CURLE_OK) {
        t->done = true;
        t->result = message->data.result;
      }
    }
  }
  return true;
}

// What the answer to one request means. False: it concerns the server, not the one value.
static bool judge(struct transfer *t, enum method method, char problem[KILN_REMOTE_PROBLEM]) {
  long code = 0;
  t->item->found = false;
  if (t->result == CURLE_FILESIZE_EXCEEDED || (t->result == CURLE_WRITE_ERROR && !t->body.failed))
    return fail(problem, "its answer is too long");
  if (t->result != CURLE_OK)
    return fail(problem, *t->error ? t->error : curl_easy_strerror(t->result));
  curl_easy_getinfo(t->handle, CURLINFO_RESPONSE_CODE, &code);
  t->item->found = code >= 200 && code < 300;
  bool absent = (code == 404 || code == 410) && method != PUT;
  if (!t->item->found && !absent) {
    snprintf(problem, KILN_REMOTE_PROBLEM, "it answers %s with status %ld%s",
             method == PUT   ? "PUT"
             : method == GET ? "GET"
                             : "HEAD",
             code, code == 401 || code == 403 ? " (not allowed)" : "");
    // That a value is too large, or that there is no room, says nothing about reading.
    return method == PUT && code != 401 && code != 403 && code != 502 && code != 503 && code != 504;
  }
  if (t->item->found && method == GET) {
    t->item->size = t->body.size;
    kiln_strbuf_putc(&t->body, 0);
    t->item->data = kiln_strbuf_take(&t->body);
    t->item->found = t->item->data != NULL;
  }
  return true;
}

static bool transfer_some(struct link *link, enum method method, struct kiln_remote_item *items, uint32_t count,
                          char problem[KILN_REMOTE_PROBLEM]) {
  struct transfer transfers[PARALLEL] = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    transfers[i].item = &items[i];
    ok = begin(link, &transfers[i], method) || fail(problem, "no request can be made");
  }
  ok = ok && (perform(link) || fail(problem, "libcurl failed"));
  for (uint32_t i = 0; i < count; i++) {
    struct transfer *t = &transfers[i];
    ok = ok && (t->done || fail(problem, "there was no answer")) && judge(t, method, problem);
    if (t->handle) {
      curl_multi_remove_handle(link->multi, t->handle);
      curl_easy_cleanup(t->handle);
    }
    kiln_strbuf_free(&t->body);
  }
  return ok;
}

// A connection that the server closed raises SIGPIPE in OpenSSL: it is kept from the host.
static bool transfer(struct link *link, enum method method, struct kiln_remote_item *items, uint32_t count,
                     char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_held_signals held;
  kiln_signals_hold(&held);
  const struct kiln_remote_place *place = link->place;
  uint64_t limit = (uint64_t)place->connect_ms + (place->tls ? 2 : 1) * (uint64_t)place->read_ms;
  link->deadline = kiln_now_ns() + limit * 1000000;
  link->bytes = (uint64_t)KILN_REMOTE_MAX_VALUE * 2;
  bool ok = true;
  for (uint32_t at = 0; at < count && ok; at += PARALLEL)
    ok = transfer_some(link, method, items + at, count - at < PARALLEL ? count - at : PARALLEL, problem);
  kiln_signals_release(&held);
  if (!ok && method == GET) {
    for (uint32_t i = 0; i < count; i++) {
      free(items[i].data);
      items[i].data = NULL;
      items[i].found = false;
    }
  }
  return ok;
}

static bool get(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  for (uint32_t i = 0; i < count; i++)
    items[i].data = NULL;
  return transfer(link, GET, items, count, problem);
}
static bool exists(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  return transfer(link, HEAD, items, count, problem);
}
static bool put(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  return transfer(link, PUT, items, count, problem);
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
                                                   .put = put};
  return &module;
}
