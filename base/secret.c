// Hides the passwords of URLs.
#include "base/secret.h"

static bool is_port(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (text[i] < '0' || text[i] > '9')
      return false;
  return true;
}

// HOST[:PORT][/PATH], or text that was meant as one: "redis://:password" lacks its '@'.
static void put_address(struct kiln_strbuf *out, const char *text, size_t size) {
  const char *slash = memchr(text, '/', size), *end = text + size;
  const char *colon = *text == '[' ? NULL : memchr(text, ':', slash ? (size_t)(slash - text) : size);
  if (!colon || is_port(colon + 1, (size_t)((slash ? slash : end) - colon) - 1))
    kiln_strbuf_append(out, text, size);
  else
    kiln_strbuf_printf(out, "%.*s:***", (int)(colon - text), text);
}

// A part between blanks and bars.
static void put_part(struct kiln_strbuf *out, const char *text, size_t size) {
  const char *scheme = memmem(text, size, "://", 3), *end = text + size;
  const char *start = scheme ? scheme + 3 : text, *at = memrchr(start, '@', (size_t)(end - start));
  kiln_strbuf_append(out, text, (size_t)(start - text));
  if (at)
    kiln_strbuf_puts(out, "***");
  start = at ? at : start;
  if (scheme && !at && start < end)
    put_address(out, start, (size_t)(end - start));
  else
    kiln_strbuf_append(out, start, (size_t)(end - start));
}

void kiln_strbuf_hidden(struct kiln_strbuf *out, const char *text) {
  static const char separators[] = " \t\n|";
  while (*text) {
    size_t size = strcspn(text, separators);
    put_part(out, text, size);
    text += size;
    if (*text)
      kiln_strbuf_putc(out, *text++);
  }
}
