// What the parts of kiln cache share.
#ifndef KILN_TOOL_CACHE_H
#define KILN_TOOL_CACHE_H

#include "json.h"
#include "tool.h"

struct cache_call {
  struct common common;
  struct json json;
  const char *place; // NULL: the user's folder
  char **arguments;
  int argument_count;
  bool layers, repair, has_max_size, shared, terminal;
  const char *prometheus; // file to write; NULL: none
  const char *version;    // older ones are pruned; NULL: none is for that
  uint64_t max_size;
  double before; // seconds since 1970; 0: none
  uint64_t shown, bad;
};

int cache_explain(struct cache_call *c);
int cache_push(struct cache_call *c);
int cache_pull(struct cache_call *c);
int cache_key(struct cache_call *c);
int cache_stats(struct cache_call *c);
void print_bytes(char out[32], uint64_t bytes); // for people

#endif
