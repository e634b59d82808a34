#include "json.h"

#include <string.h>

#include "base/str.h"
#include "tool.h"

static void quoted(FILE *to, const char *text) {
  struct kiln_strbuf string = {0};
  kiln_strbuf_json(&string, text);
  if (!string.failed)
    fwrite(string.data, 1, string.size, to);
  kiln_strbuf_free(&string);
}

static void begin(struct json *json, const char *name) {
  if (json->depth) {
    if (!json->first)
      fputc(',', json->to);
    if (json->inside)
      fputs(json->first ? "" : " ", json->to);
    else
      fprintf(json->to, "\n%*s", (int)(2 * json->depth), "");
  }
  json->first = false;
  if (name) {
    quoted(json->to, name);
    fputs(": ", json->to);
  }
}

void json_open(struct json *json, const char *name, char bracket) {
  begin(json, name);
  fputc(bracket == '(' ? '[' : bracket, json->to);
  json->depth++;
  json->first = true;
  json->inside = bracket == '(';
}

void json_close(struct json *json, char bracket) {
  json->depth--;
  if (!json->first && !json->inside)
    fprintf(json->to, "\n%*s", (int)(2 * json->depth), "");
  json->inside = false;
  json->first = false;
  fputc(bracket == ')' ? ']' : bracket, json->to);
  if (!json->depth)
    fputc('\n', json->to);
}

void json_text(struct json *json, const char *name, const char *text) {
  begin(json, name);
  quoted(json->to, text);
}

void json_u64(struct json *json, const char *name, uint64_t value) {
  begin(json, name);
  fprintf(json->to, "%llu", (unsigned long long)value);
}

void json_bool(struct json *json, const char *name, bool value) {
  begin(json, name);
  fputs(value ? "true" : "false", json->to);
}

void json_double(struct json *json, const char *name, double value) {
  begin(json, name);
  say(json->to, "%.3f", value);
}

void json_number(struct json *json, const char *name, const char *digits) {
  begin(json, name);
  if (strpbrk(digits, "nN"))
    quoted(json->to, digits);
  else
    fputs(digits, json->to);
}
