// kiln cache list, show, stat, verify, prune, clear, export, import; explain is in cache_explain.c, push, pull, key and
// stats in cache_fleet.c.
#include "cache.h"
#include "base/secret.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- printing ------------------------------------------------------------------------------------------------------

void print_bytes(char out[32], uint64_t bytes) {
  static const char units[] = "BKMGT";
  double value = (double)bytes;
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    unit++;
  }
  if (unit == 0)
    snprintf(out, 32, "%llu B", (unsigned long long)bytes);
  else
    format_number(out, 32, "%.1f %ciB", value, units[unit]);
}

static void print_time(char out[32], double seconds) {
  time_t when = (time_t)seconds;
  struct tm local;
  if (seconds <= 0 || !localtime_r(&when, &local) || !strftime(out, 32, "%Y-%m-%d %H:%M", &local))
    strcpy(out, "-");
}

static bool list_text(void *user, const struct kiln_cache_item *item) {
  struct cache_call *c = user;
  char size[32], used[32];
  c->shown++;
  if (*item->problem) {
    say(stdout, "%s  %s\n", item->key, item->problem);
    return true;
  }
  print_bytes(size, item->size);
  print_time(used, item->used);
  say(stdout, "%s  %10s  %s  %s  %s %s  %s%s%s\n", item->key, size, used, *item->version ? item->version : "-",
      item->backend, item->arch, *item->kernels ? item->kernels : "-", *item->tuned ? ", tuned for " : "", item->tuned);
  return true;
}

static void put_item(struct json *json, const struct kiln_cache_item *item) {
  json_text(json, "key", item->key);
  json_text(json, "place", item->place);
  json_text(json, "path", item->path);
  json_text(json, "problem", item->problem);
  json_u64(json, "size", item->size);
  json_double(json, "used", item->used);
  json_text(json, "backend", item->backend);
  json_text(json, "arch", item->arch);
  json_text(json, "features", item->features);
  json_text(json, "toolchain", item->toolchain);
  json_text(json, "version", item->version);
  json_text(json, "compiler", item->compiler);
  json_text(json, "device_code", item->device_code);
  json_text(json, "kernels", item->kernels);
  json_text(json, "options", item->options);
  json_u64(json, "source_size", item->source_size);
  json_u64(json, "artifact_size", item->artifact_size);
  json_u64(json, "includes", item->include_count);
  json_bool(json, "manifest", item->is_manifest);
  json_text(json, "tuned", item->tuned);
}

static bool list_json(void *user, const struct kiln_cache_item *item) {
  struct cache_call *c = user;
  c->shown++;
  json_open(&c->json, NULL, '{');
  put_item(&c->json, item);
  json_close(&c->json, '}');
  return true;
}

static void indent(const char *text, size_t size) {
  for (size_t at = 0; at < size;) {
    const char *newline = memchr(text + at, '\n', size - at);
    size_t line = newline ? (size_t)(newline - text) - at : size - at;
    say(stdout, "    %.*s\n", (int)line, text + at);
    at += line + 1;
  }
}

static bool show_item(void *user, const struct kiln_cache_item *item) {
  struct cache_call *c = user;
  char size[32], artifact[32], used[32];
  c->shown++;
  if (c->common.json) {
    json_open(&c->json, NULL, '{');
    put_item(&c->json, item);
    char *source = strndup(item->source, item->source_size);
    json_text(&c->json, "source", source ? source : "");
    free(source);
    json_close(&c->json, '}');
    return true;
  }
  print_bytes(size, item->size);
  print_bytes(artifact, item->artifact_size);
  print_time(used, item->used);
  say(stdout, "%s\n  place      %s\n", item->key, *item->path ? item->path : item->place);
  if (*item->problem) {
    say(stdout, "  problem    %s\n", item->problem);
    return true;
  }
  if (*item->tuned) {
    say(stdout, "  size       %s\n  used       %s\n  record\n", size, used);
    indent(item->source, item->source_size);
    return true;
  }
  say(stdout, "  target     %s %s %s\n  kernels    %s\n  toolchain  %s\n", item->backend, item->arch, item->features,
      *item->kernels ? item->kernels : "-", item->toolchain);
  say(stdout, "  made by    Kiln %s%s%s\n", *item->version ? item->version : "of a version that it does not say",
      *item->compiler ? "; " : "", item->compiler);
  if (*item->device_code) {
    say(stdout, "  device code\n");
    indent(item->device_code, strlen(item->device_code));
  }
  say(stdout, "  size       %s, of which %s code\n  used       %s\n  includes   %u\n  options\n", size, artifact, used,
      (unsigned)item->include_count);
  indent(item->options, strlen(item->options));
  say(stdout, "  source\n");
  indent(item->source, item->source_size);
  return true;
}

// ---- verbs ---------------------------------------------------------------------------------------------------------

static int end_listing(struct cache_call *c, enum kiln_status status) {
  if (c->common.json)
    json_close(&c->json, ']');
  if (status == KILN_ERR_NOT_FOUND)
    return fail(EXIT_DATA, "%s", kiln_last_error());
  return status == KILN_OK ? finish_output() : fail_status(status);
}

static int cache_list(struct cache_call *c) {
  if (c->common.json)
    json_open(&c->json, NULL, '[');
  return end_listing(c, kiln_cache_list(c->place, NULL, c->layers ? KILN_CACHE_LIST_LAYERS : 0,
                                        c->common.json ? list_json : list_text, c));
}

static int cache_show(struct cache_call *c) {
  if (c->common.json)
    json_open(&c->json, NULL, '[');
  return end_listing(c, kiln_cache_list(c->place, c->arguments[0], KILN_CACHE_LIST_LAYERS, show_item, c));
}

struct tunings {
  uint64_t count, bytes;
};
static bool count_tuning(void *user, const struct kiln_cache_item *item) {
  struct tunings *tunings = user;
  tunings->count++;
  tunings->bytes += item->size;
  return true;
}

static enum kiln_status count_tunings(const char *place, struct tunings *out) {
  *out = (struct tunings){0};
  return kiln_cache_list(place, NULL, KILN_CACHE_LIST_TUNINGS, count_tuning, out);
}

static int cache_stat(struct cache_call *c) {
  struct kiln_cache_size size;
  struct tunings tunings = {0};
  char folder[4096];
  enum kiln_status status = kiln_cache_measure(c->place, &size, folder, sizeof folder);
  if (status == KILN_OK)
    status = count_tunings(c->place, &tunings);
  if (status != KILN_OK)
    return fail_status(status);
  if (c->common.json) {
    struct json *json = &c->json;
    json_open(json, NULL, '{');
    json_text(json, "place", folder);
    json_u64(json, "entries", size.entries);
    json_u64(json, "entry_bytes", size.entry_bytes);
    json_u64(json, "manifests", size.manifests);
    json_u64(json, "manifest_bytes", size.manifest_bytes);
    json_u64(json, "tunings", tunings.count);
    json_u64(json, "tuning_bytes", tunings.bytes);
    json_u64(json, "imported", size.imported);
    json_u64(json, "imported_bytes", size.imported_bytes);
    json_u64(json, "disk_bytes", size.disk_bytes);
    json_u64(json, "limit", size.limit);
    json_u64(json, "quarantined", size.quarantined);
    json_u64(json, "leftovers", size.leftovers);
    json_double(json, "oldest", size.oldest);
    json_double(json, "newest", size.newest);
    json_close(json, '}');
    return finish_output();
  }
  char bytes[32], disk[32], limit[32], imported[32], tuned[32], oldest[32], newest[32];
  print_bytes(bytes, size.entry_bytes);
  print_bytes(disk, size.disk_bytes);
  print_bytes(limit, size.limit);
  print_bytes(imported, size.imported_bytes);
  print_bytes(tuned, tunings.bytes);
  print_time(oldest, size.oldest);
  print_time(newest, size.newest);
  say(stdout, "place        %s\nentries      %llu, %s\nimported     %llu of them, %s\nmanifests    %llu\n", folder,
      (unsigned long long)size.entries, bytes, (unsigned long long)size.imported, imported,
      (unsigned long long)size.manifests);
  say(stdout, "tunings      %llu, %s\n", (unsigned long long)tunings.count, tuned);
  say(stdout, "on disk      %s of at most %s\nlast used    %s to %s\nquarantined  %llu\nleftovers    %llu\n", disk,
      size.limit ? limit : "any size", oldest, newest, (unsigned long long)size.quarantined,
      (unsigned long long)size.leftovers);
  return finish_output();
}

static bool verify_item(void *user, const struct kiln_cache_item *item) {
  struct cache_call *c = user;
  c->shown++;
  if (!*item->problem)
    return true;
  c->bad++;
  if (c->common.json)
    list_json(user, item);
  else
    say(stdout, "%s  %s%s\n", item->key, item->problem, c->repair ? " (set aside)" : "");
  return true;
}

static int cache_verify(struct cache_call *c) {
  if (c->common.json) {
    json_open(&c->json, NULL, '{');
    json_open(&c->json, "damaged", '[');
  }
  uint32_t flags =
      KILN_CACHE_LIST_VERIFY | (c->repair ? KILN_CACHE_LIST_QUARANTINE : 0) | (c->layers ? KILN_CACHE_LIST_LAYERS : 0);
  enum kiln_status status = kiln_cache_list(c->place, NULL, flags, verify_item, c);
  if (c->common.json) {
    json_close(&c->json, ']');
    json_u64(&c->json, "files", c->shown);
    json_u64(&c->json, "bad", c->bad);
    json_close(&c->json, '}');
  } else if (status == KILN_OK) {
    say(stdout, "%llu files, %llu damaged\n", (unsigned long long)c->shown, (unsigned long long)c->bad);
  }
  if (status != KILN_OK)
    return fail_status(status);
  int code = finish_output();
  return code != EXIT_FINE ? code : c->bad ? EXIT_DATA : EXIT_FINE;
}

static int print_removed(struct cache_call *c, uint64_t files, uint64_t bytes) {
  char text[32];
  if (c->common.json) {
    json_open(&c->json, NULL, '{');
    json_u64(&c->json, "removed", files);
    json_u64(&c->json, "removed_bytes", bytes);
    json_close(&c->json, '}');
  } else {
    print_bytes(text, bytes);
    say(stdout, "removed %llu files, %s\n", (unsigned long long)files, text);
  }
  return finish_output();
}

static int cache_prune(struct cache_call *c) {
  uint64_t files = 0, bytes = 0, limit = c->max_size, older = 0, older_bytes = 0;
  if (c->version) {
    enum kiln_status status = kiln_cache_prune_versions(c->place, c->version, &older, &older_bytes);
    if (status == KILN_ERR_INVALID)
      return fail(EXIT_USAGE, "%s", kiln_last_error());
    if (status != KILN_OK)
      return fail_status(status);
    if (!c->has_max_size && c->before == 0)
      return print_removed(c, older, older_bytes);
  }
  if (!c->has_max_size && c->before == 0) { // what the environment says
    struct kiln_cache_size size;
    enum kiln_status status = kiln_cache_measure(c->place, &size, NULL, 0);
    if (status != KILN_OK)
      return fail_status(status);
    limit = size.limit ? size.limit : UINT64_MAX;
  } else if (!c->has_max_size) {
    limit = UINT64_MAX;
  }
  enum kiln_status status = kiln_cache_prune(c->place, c->before, limit, &files, &bytes);
  return status == KILN_OK ? print_removed(c, files + older, bytes + older_bytes) : fail_status(status);
}

static int cache_clear(struct cache_call *c) {
  struct kiln_cache_size size = {0};
  struct tunings tunings = {0};
  (void)kiln_cache_measure(c->place, &size, NULL, 0);
  (void)count_tunings(c->place, &tunings);
  uint64_t removed = 0;
  enum kiln_status status = kiln_cache_clear(c->place, &removed);
  return status == KILN_OK
             ? print_removed(c, removed + size.manifests, size.entry_bytes + size.manifest_bytes + tunings.bytes)
             : fail_status(status);
}

static int cache_export(struct cache_call *c) {
  uint64_t count = 0;
  enum kiln_status status = kiln_cache_export(c->place, c->common.backend, c->common.arch, c->arguments[0], &count);
  if (status != KILN_OK)
    return fail_status(status);
  if (c->common.json) {
    json_open(&c->json, NULL, '{');
    json_text(&c->json, "bundle", c->arguments[0]);
    json_u64(&c->json, "entries", count);
    json_close(&c->json, '}');
  } else {
    say(stdout, "%s: %llu entries\n", c->arguments[0], (unsigned long long)count);
  }
  return finish_output();
}

static int cache_import(struct cache_call *c) {
  uint64_t added = 0, present = 0, refused = 0;
  enum kiln_status status = kiln_cache_import(c->place, c->arguments[0], &added, &present, &refused);
  if (status != KILN_OK)
    return fail_status(status);
  if (c->common.json) {
    json_open(&c->json, NULL, '{');
    json_u64(&c->json, "added", added);
    json_u64(&c->json, "present", present);
    json_u64(&c->json, "refused", refused);
    json_close(&c->json, '}');
  } else {
    say(stdout, "%llu entries added, %llu were there\n", (unsigned long long)added, (unsigned long long)present);
  }
  int code = finish_output();
  if (refused)
    code = fail(EXIT_DATA, "%llu damaged members of '%s' were left out", (unsigned long long)refused, c->arguments[0]);
  return code;
}

// ---- command line --------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  int arguments, optional; // how many there must be, how many more there may be
  int (*run)(struct cache_call *c);
} verbs[] = {
    {"list", 0, 0, cache_list},       {"show", 1, 0, cache_show},     {"stat", 0, 0, cache_stat},
    {"verify", 0, 0, cache_verify},   {"prune", 0, 0, cache_prune},   {"clear", 0, 0, cache_clear},
    {"explain", 1, 0, cache_explain}, {"export", 1, 0, cache_export}, {"import", 1, 0, cache_import},
    {"push", 0, 1, cache_push},       {"pull", 0, 1, cache_pull},     {"key", 1, 0, cache_key},
    {"stats", 0, 0, cache_stats},
};

// A number with the suffix K, M, G or T. False for anything else.
static bool parse_size(const char *text, uint64_t *out) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || errno)
    return false;
  const char *unit = *end ? strchr(units, *end & ~32) : NULL;
  if (unit) {
    unsigned shift = 10 * (unsigned)(unit - units + 1);
    if (value > UINT64_MAX >> shift)
      return false;
    value <<= shift;
    end++;
  }
  *out = value;
  return !*end;
}

// "30d", "12h", "45m", "10s"; days when there is no unit.
static bool parse_age(const char *text, double *out) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || errno)
    return false;
  double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : *end == 's' ? 1 : *end == 'd' || !*end ? 86400 : 0;
  *out = (double)value * unit;
  return unit != 0 && (!*end || !end[1]);
}

// Returns -1 to go on.
static int parse_options(struct cache_call *c, int argc, char **argv) {
  static const struct option long_options[] = {COMMON_LONG,
                                               {"dir", required_argument, NULL, 'd'},
                                               {"layers", no_argument, NULL, 'L'},
                                               {"remove", no_argument, NULL, 'R'},
                                               {"max-size", required_argument, NULL, 'M'},
                                               {"older-than", required_argument, NULL, 'A'},
                                               {"older-than-version", required_argument, NULL, 'V'},
                                               {"quiet", no_argument, NULL, 'q'},
                                               {"shared", no_argument, NULL, 'S'},
                                               {"prometheus", required_argument, NULL, 'P'},
                                               {NULL, 0, NULL, 0}};
  double age;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, COMMON_SHORT "d:", long_options, NULL)) != -1;) {
    switch (option) {
    case 'h':
      return print_help(this_verb(argv));
    case 'd':
      c->place = optarg;
      break;
    case 'L':
      c->layers = true;
      break;
    case 'S':
      c->shared = true;
      break;
    case 'P':
      c->prometheus = optarg;
      break;
    case 'R':
      c->repair = true;
      break;
    case 'M':
      if (!parse_size(optarg, &c->max_size))
        return usage_error(argv, "'%s' is not a size; write bytes, or a number with the suffix K, M, G or T", optarg);
      c->has_max_size = true;
      break;
    case 'A':
      if (!parse_age(optarg, &age))
        return usage_error(argv, "'%s' is not an age; write a number with the suffix d, h, m or s", optarg);
      c->before = (double)time(NULL) - age + (age < 1); // 0: everything, what was used this very second included
      break;
    case 'V':
      c->version = optarg;
      break;
    default:
      if (!common_option(&c->common, option, optarg))
        return bad_option(argv, long_options);
    }
  }
  return -1;
}

// A second place to send to, perhaps.
static int left_over(char **argv, const char *verb, const char *word) {
  struct kiln_strbuf shown = {0};
  kiln_strbuf_hidden(&shown, word);
  int code = usage_error(argv, "%s: '%s' is left over", verb, shown.data ? shown.data : "");
  kiln_strbuf_free(&shown);
  return code;
}

static int unknown_verb(char **argv, const char *name) {
  struct kiln_near_names near = {0};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    kiln_near_names_offer(&near, name, verbs[i].name);
  const char *meant = kiln_near_names_meant(&near, name);
  return usage_error(argv, meant ? "there is no verb '%s'; did you mean '%s'?" : "there is no verb '%s'", name, meant);
}

int cache_main(int argc, char **argv) {
  struct cache_call c = {.json = {.to = stdout}};
  int code = parse_options(&c, argc, argv);
  if (code >= 0) {
    common_free(&c.common);
    return code;
  }
  if (optind == argc)
    code = usage_error(
        argv,
        "VERB is missing: list, show, stat, verify, prune, clear, explain, export, import, push, pull, key or stats");
  const char *name = optind < argc ? argv[optind++] : "";
  c.arguments = argv + optind;
  c.argument_count = argc - optind;
  for (size_t i = 0; code < 0 && i < sizeof verbs / sizeof *verbs; i++) {
    if (strcmp(name, verbs[i].name) != 0)
      continue;
    if (argc - optind < verbs[i].arguments)
      code = usage_error(argv, "%s: %s is missing", name,
                         strcmp(name, "show") == 0                                  ? "KEY"
                         : strcmp(name, "explain") == 0 || strcmp(name, "key") == 0 ? "FILE"
                                                                                    : "BUNDLE");
    else if (argc - optind > verbs[i].arguments + verbs[i].optional)
      code = left_over(argv, name, argv[optind + verbs[i].arguments + verbs[i].optional]);
    else
      code = verbs[i].run(&c);
  }
  if (code < 0)
    code = unknown_verb(argv, name);
  common_free(&c.common);
  return code;
}
