// Reads COMPILE_CACHE_REMOTE: places separated by blanks, each a URL with attributes, URL|ATTRIBUTE|NAME=VALUE.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/c_locale.h"
#include "base/file.h"
#include "base/secret.h"
#include "cache/remote.h"
#include "cache/sign.h"

enum { CONNECT_MS = 100, READ_MS = 1000, LEASE_MS = 5000 };

enum kind { SWITCH, NUMBER, SECONDS, TEXT, FILE_TEXT };
static const struct attribute {
  const char *name;
  enum kind kind;
  size_t offset;
} attributes[] = {
    {"ro", SWITCH, offsetof(struct kiln_remote_place, read_only)},
    {"unsigned", SWITCH, offsetof(struct kiln_remote_place, without_signatures)},
    {"prefix", TEXT, offsetof(struct kiln_remote_place, prefix)},
    {"layout", TEXT, offsetof(struct kiln_remote_place, layout)},
    {"connect", NUMBER, offsetof(struct kiln_remote_place, connect_ms)},
    {"read", NUMBER, offsetof(struct kiln_remote_place, read_ms)},
    {"lease", NUMBER, offsetof(struct kiln_remote_place, lease_ms)},
    {"expire", SECONDS, offsetof(struct kiln_remote_place, expire_s)},
    {"password-file", FILE_TEXT, offsetof(struct kiln_remote_place, password)},
    {"token-file", FILE_TEXT, offsetof(struct kiln_remote_place, header)},
    {"header-file", FILE_TEXT, offsetof(struct kiln_remote_place, header)},
    {"ca", TEXT, offsetof(struct kiln_remote_place, ca)},
    {"cert", TEXT, offsetof(struct kiln_remote_place, certificate)},
    {"cert-key", TEXT, offsetof(struct kiln_remote_place, secret)},
};

static char **texts_of(struct kiln_remote_place *place, int at) {
  char **all[] = {&place->url,         &place->scheme, &place->host,    &place->port,   &place->path,
                  &place->user,        &place->layout, &place->prefix,  &place->header, &place->ca,
                  &place->certificate, &place->secret, &place->password};
  return at < (int)(sizeof all / sizeof *all) ? all[at] : NULL;
}

void kiln_remote_place_free(struct kiln_remote_place *place) {
  for (int i = 0; texts_of(place, i); i++)
    free(*texts_of(place, i));
  *place = (struct kiln_remote_place){0};
}

static bool set(char **field, const char *data, size_t size) {
  char *copy = strndup(data, size);
  if (copy) {
    free(*field);
    *field = copy;
  }
  return copy != NULL;
}

// With %41 for characters that mean something else in a URL.
static bool set_decoded(char **field, const char *data, size_t size) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "");
  for (size_t i = 0; i < size; i++) {
    char digits[3] = {0};
    if (data[i] == '%' && size - i > 2 && kiln_is_hex_digit(data[i + 1]) && kiln_is_hex_digit(data[i + 2])) {
      memcpy(digits, data + i + 1, 2);
      kiln_strbuf_putc(&text, (char)strtol(digits, NULL, 16));
      i += 2;
    } else {
      kiln_strbuf_putc(&text, data[i]);
    }
  }
  bool ok = !text.failed && set(field, text.data ? text.data : "", text.size);
  kiln_strbuf_free(&text);
  return ok;
}

static bool is(struct kiln_str text, const char *word) { return kiln_str_eq(text, kiln_str(word)); }

// A number of milliseconds, or of seconds with the suffix s, m, h or d.
static bool read_number(struct kiln_str text, bool seconds, uint32_t *out) {
  uint64_t value = 0, scale = 1;
  size_t i = 0;
  while (i < text.size && text.data[i] >= '0' && text.data[i] <= '9' && value < 1u << 31)
    value = value * 10 + (uint64_t)(text.data[i++] - '0');
  if (seconds && i != 0 && i + 1 == text.size) {
    char unit = text.data[i++];
    scale = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : unit == 'd' ? 86400 : 0;
  }
  value *= scale;
  *out = (uint32_t)value;
  return i != 0 && i == text.size && scale != 0 && value < (uint64_t)1 << 31;
}

// The first line of a file that nobody else can read: passwords and tokens stay out of the environment.
static const char *read_secret(const char *path, char **out) {
  struct stat info;
  char *text;
  size_t size;
  if (kiln_secret_read(path, &text, &size, &info) != 0)
    return "cannot be read";
  if (info.st_mode & S_IRWXO) {
    free(text);
    return "can be read by everybody: chmod o= it";
  }
  bool ok = set(out, text, strcspn(text, "\r\n"));
  free(text);
  return ok ? NULL : "memory is exhausted";
}

static bool set_attribute(struct kiln_remote_place *place, struct kiln_str text, char problem[KILN_REMOTE_PROBLEM]) {
  const char *equals = memchr(text.data, '=', text.size);
  struct kiln_str name = {text.data, equals ? (size_t)(equals - text.data) : text.size};
  struct kiln_str value = {equals ? equals + 1 : "", equals ? text.size - name.size - 1 : 0};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    const struct attribute *a = &attributes[i];
    char *field = (char *)place + a->offset, path[4096];
    bool ok = false;
    if (!is(name, a->name))
      continue;
    switch (a->kind) {
    case SWITCH:
      ok = *(bool *)(void *)field = !equals;
      break;
    case NUMBER:
    case SECONDS:
      ok = read_number(value, a->kind == SECONDS, (uint32_t *)(void *)field);
      break;
    case TEXT:
      ok = equals && set((char **)(void *)field, value.data, value.size);
      break;
    case FILE_TEXT:
      snprintf(path, sizeof path, "%.*s", (int)value.size, value.data);
      const char *defect = read_secret(path, (char **)(void *)field);
      if (defect) {
        snprintf(problem, KILN_REMOTE_PROBLEM, "%s: '%.150s' %s", a->name, path, defect);
        return false;
      }
      ok = true;
      if (is(name, "token-file")) {
        struct kiln_strbuf line = {0};
        kiln_strbuf_printf(&line, "Authorization: Bearer %s", place->header);
        free(place->header);
        place->header = kiln_strbuf_take(&line);
        ok = place->header != NULL;
      }
      break;
    }
    if (!ok)
      snprintf(problem, KILN_REMOTE_PROBLEM, "the attribute '%.*s' has a wrong value", (int)text.size, text.data);
    return ok;
  }
  // Without its value: "password=…" is none.
  snprintf(problem, KILN_REMOTE_PROBLEM, "there is no attribute '%.*s'", (int)(name.size < 80 ? name.size : 80),
           name.data);
  return false;
}

static bool set_address(struct kiln_remote_place *place, struct kiln_str address) {
  const char *end = address.data + address.size, *close;
  struct kiln_str host = address, port = {"", 0};
  if (address.size != 0 && *address.data == '[' && (close = memchr(address.data, ']', address.size))) { // IPv6
    host = (struct kiln_str){address.data + 1, (size_t)(close - address.data) - 1};
    port = close + 1 < end && close[1] == ':' ? (struct kiln_str){close + 2, (size_t)(end - close) - 2} : port;
  } else if ((close = memchr(address.data, ':', address.size))) {
    host.size = (size_t)(close - address.data);
    port = (struct kiln_str){close + 1, (size_t)(end - close) - 1};
  }
  for (size_t i = 0; i < port.size; i++)
    if (!kiln_is_digit(port.data[i]))
      return false;
  return host.size != 0 && set(&place->host, host.data, host.size) && set(&place->port, port.data, port.size);
}

static bool set_url(struct kiln_remote_place *place, struct kiln_str url) {
  static const char *const schemes[] = {"redis", "rediss", "http", "https"};
  if (url.size > 5 && strncmp(url.data, "unix:", 5) == 0) {
    return set(&place->url, url.data, url.size) && set(&place->scheme, "unix", 4) &&
           set(&place->host, url.data + 5, url.size - 5);
  }
  const char *end = url.data + url.size, *colon = memmem(url.data, url.size, "://", 3);
  bool known = false;
  for (size_t i = 0; colon && i < 4; i++)
    known |= is((struct kiln_str){url.data, (size_t)(colon - url.data)}, schemes[i]);
  if (!known || !set(&place->scheme, url.data, (size_t)(colon - url.data)))
    return false;
  place->tls = place->scheme[strlen(place->scheme) - 1] == 's' && strcmp(place->scheme, "redis") != 0;
  const char *start = colon + 3, *slash = memchr(start, '/', (size_t)(end - start));
  struct kiln_str address = {start, (size_t)((slash ? slash : end) - start)};
  const char *at = memrchr(start, '@', address.size);
  if (at) {
    const char *split = memchr(start, ':', (size_t)(at - start));
    const char *user_end = split ? split : at;
    if (!set_decoded(&place->user, start, (size_t)(user_end - start)) ||
        (split && !set_decoded(&place->password, split + 1, (size_t)(at - split) - 1)))
      return false;
    address = (struct kiln_str){at + 1, address.size - (size_t)(at + 1 - start)};
  }
  struct kiln_strbuf shown = {0};
  kiln_strbuf_printf(&shown, "%s://%.*s", place->scheme, (int)(end - address.data), address.data);
  bool ok = !shown.failed && set(&place->url, shown.data, shown.size);
  kiln_strbuf_free(&shown);
  const char *path = slash ? slash : "";
  size_t path_size = slash ? (size_t)(end - slash) : 0;
  bool redis = strncmp(place->scheme, "redis", 5) == 0;
  if (redis && path_size != 0)
    path++, path_size--;
  for (size_t i = 0; redis && i < path_size; i++)
    ok = ok && kiln_is_digit(path[i]);
  while (!redis && path_size != 0 && path[path_size - 1] == '/')
    path_size--;
  return ok && set(&place->path, path, path_size) && set_address(place, address);
}

static void no_place(struct kiln_str url, char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_strbuf shown = {0};
  char *text = strndup(url.data, url.size);
  if (text)
    kiln_strbuf_hidden(&shown, text);
  snprintf(problem, KILN_REMOTE_PROBLEM,
           "'%.100s' is no place: write redis://HOST[:PORT][/DATABASE], rediss://..., unix:SOCKET, "
           "http://HOST[:PORT][/PATH] or https://...",
           shown.failed || !shown.data ? "***" : shown.data);
  kiln_strbuf_free(&shown);
  free(text);
}

bool kiln_remote_place_read(const char **text, struct kiln_remote_place *out, char problem[KILN_REMOTE_PROBLEM]) {
  static const char blanks[] = " \t\n";
  *out = (struct kiln_remote_place){.connect_ms = CONNECT_MS, .read_ms = READ_MS, .lease_ms = LEASE_MS};
  for (int i = 0; texts_of(out, i); i++) {
    if (!set(texts_of(out, i), "", 0)) {
      snprintf(problem, KILN_REMOTE_PROBLEM, "memory is exhausted");
      return false;
    }
  }
  *text += strspn(*text, blanks);
  size_t size = strcspn(*text, blanks);
  const char *end = *text + size, *bar = memchr(*text, '|', size);
  struct kiln_str url = {*text, (size_t)((bar ? bar : end) - *text)};
  if (size == 0)
    return true;
  bool redis_prefix = strncmp(url.data, "http", 4) != 0;
  if (!set(&out->prefix, "kiln:", redis_prefix ? 5 : 0) || !set_url(out, url)) {
    no_place(url, problem);
    return false;
  }
  while (bar) {
    const char *start = bar + 1;
    bar = memchr(start, '|', (size_t)(end - start));
    if (!set_attribute(out, (struct kiln_str){start, (size_t)((bar ? bar : end) - start)}, problem))
      return false;
  }
  *text = end;
  return true;
}
