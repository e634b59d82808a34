// What the command prints for people. Much of it comes from files, servers and sources: none of it may change what a
// terminal does.
#include <stdarg.h>

#include "base/str.h"
#include "tool.h"

void say_text(FILE *to, const char *text, size_t size) {
  struct kiln_strbuf shown = {0};
  kiln_strbuf_shown(&shown, text, size);
  if (!shown.failed)
    fwrite(shown.data, 1, shown.size, to);
  kiln_strbuf_free(&shown);
}

void say_v(FILE *to, const char *format, va_list args) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_vprintf(&text, format, args);
  if (!text.failed)
    say_text(to, text.data, text.size);
  kiln_strbuf_free(&text);
}

void say(FILE *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say_v(to, format, args);
  va_end(args);
}

int fail(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("kiln: ", stderr);
  say_v(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}
