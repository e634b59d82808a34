// kiln cache explain: field by field, why a program is not found.
#include <stdlib.h>
#include <string.h>

#include "cache.h"

static void show_field(void *user, const struct kiln_cache_field *field) {
  struct cache_call *c = user;
  c->shown++;
  c->bad += !field->same;
  if (c->common.json) {
    json_open(&c->json, NULL, '{');
    json_text(&c->json, "field", field->name);
    json_bool(&c->json, "same", field->same);
    json_text(&c->json, "wanted", field->wanted);
    json_text(&c->json, "found", field->found);
    json_close(&c->json, '}');
  } else if (field->same) {
    say(stdout, "  = %-12s %s\n", field->name, field->wanted);
  } else {
    say(stdout, "  ! %-12s wanted %s\n    %-12s found  %s\n", field->name, *field->wanted ? field->wanted : "(nothing)",
        "", *field->found ? field->found : "(nothing)");
  }
}

static void show_end(struct cache_call *c, const struct kiln_cache_explanation *e) {
  if (c->common.json) {
    struct json *json = &c->json;
    json_close(json, ']');
    json_bool(json, "hit", e->hit);
    json_text(json, "key", e->key);
    json_text(json, "nearest", e->nearest);
    json_text(json, "place", e->place);
    json_text(json, "reason", *e->reason ? kiln_last_error() : "");
    json_close(json, '}');
  } else if (e->hit) {
    say(stdout, "hit: entry %s in %s%s%s\n", e->nearest, e->place, *e->reason ? ": " : "",
        *e->reason ? kiln_last_error() : "");
  } else if (*e->nearest) {
    say(stdout, "miss: %s\nnearest entry: %s in %s, %llu of %llu fields differ (!)\n", kiln_last_error(), e->nearest,
        e->place, (unsigned long long)c->bad, (unsigned long long)c->shown);
  } else {
    say(stdout, "miss: %s; the cache holds no entry at all\n", kiln_last_error());
  }
}

int cache_explain(struct cache_call *c) {
  struct kiln_context *ctx = NULL;
  char *source = NULL;
  size_t size;
  const char *file = c->arguments[0];
  int code = open_context(&c->common, NULL, NULL, &ctx);
  if (code == EXIT_FINE)
    code = read_whole_file(file, FILE_TEXT, &source, &size);
  if (code == EXIT_FINE) {
    struct kiln_program_desc desc = {.source = source,
                                     .size = size,
                                     .name = strcmp(file, "-") == 0 ? "<stdin>" : file,
                                     .kind = source_kind(file, source, size),
                                     .options = c->common.options};
    struct kiln_cache_explanation explanation;
    if (c->common.json) {
      json_open(&c->json, NULL, '{');
      json_open(&c->json, "fields", '[');
    }
    enum kiln_status status = kiln_cache_explain(ctx, &desc, show_field, c, &explanation);
    if (status == KILN_ERR_INVALID)
      code = fail(EXIT_USAGE, "%s", kiln_last_error());
    else if (status != KILN_OK)
      code = fail_status(status);
    else {
      show_end(c, &explanation);
      code = finish_output();
    }
  }
  free(source);
  kiln_context_close(ctx);
  return code;
}
