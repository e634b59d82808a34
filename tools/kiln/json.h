// A writer of JSON: commas, indentation and escapes are its business.
#ifndef KILN_TOOL_JSON_H
#define KILN_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *to;
  unsigned depth;
  bool first;  // nothing has been written at this depth
  bool inside; // of an array of plain values: on one line
};

// name: of a member of an object; NULL in an array and at the top.
void json_open(struct json *json, const char *name, char bracket); // '{' or '['; '(': an array on one line
void json_close(struct json *json, char bracket);                  // '}', ']' or ')'
void json_text(struct json *json, const char *name, const char *text);
void json_u64(struct json *json, const char *name, uint64_t value);
void json_bool(struct json *json, const char *name, bool value);
// With three digits after the point.
void json_double(struct json *json, const char *name, double value);
// A number as written; what JSON has no number for (nan, inf) becomes a string.
void json_number(struct json *json, const char *name, const char *digits);

#endif
