// kiln backends, devices, targets, env.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "tool.h"

struct listing {
  struct json json;
  bool is_json;
  struct common common;
  uint32_t shown;
  int code; // of the first failure
};

// The options of a verb that only lists. Returns -1 to go on.
static int listing_options(int argc, char **argv, struct listing *l, bool *all, bool takes_backend) {
  static const struct option long_options[] = {
      {"json", no_argument, NULL, 'J'},          {"all", no_argument, NULL, 'A'},     {"help", no_argument, NULL, 'h'},
      {"backend", required_argument, NULL, 'b'}, {"verbose", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0}};
  memset(l, 0, sizeof *l);
  l->json.to = stdout;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "b:vh", long_options, NULL)) != -1;) {
    if (option == 'h')
      return print_help(this_verb(argv));
    if (option == 'A' && all)
      *all = true;
    else if (option == '?' || option == 'A' || (option == 'b' && !takes_backend) ||
             !common_option(&l->common, option, optarg))
      return bad_option(argv, long_options);
  }
  if (optind < argc)
    return usage_error(argv, "it takes no argument '%s'", argv[optind]);
  l->is_json = l->common.json;
  return -1;
}

// ---- backends ------------------------------------------------------------------------------------------------------

static void show_backend(void *user, const struct kiln_backend_info *info) {
  struct listing *l = user;
  if (!l->is_json) {
    say(stdout, "%-10s %-14s ", info->name, *info->tags ? info->tags : "-");
    if (info->available && *info->plugin && !info->loaded)
      say(stdout, "plugin       %s\n", info->plugin);
    else if (info->available)
      say(stdout, "available    %s%s%s\n", info->default_target, *info->plugin ? "  plugin " : "", info->plugin);
    else
      say(stdout, "unavailable  %s\n", info->reason);
    return;
  }
  json_open(&l->json, NULL, '{');
  json_text(&l->json, "name", info->name);
  json_text(&l->json, "description", info->description);
  json_text(&l->json, "tags", info->tags);
  json_bool(&l->json, "available", info->available);
  json_text(&l->json, "reason", info->reason);
  json_text(&l->json, "default_target", info->default_target);
  json_text(&l->json, "plugin", info->plugin);
  json_bool(&l->json, "loaded", info->loaded);
  json_close(&l->json, '}');
}

int backends_main(int argc, char **argv) {
  struct listing l;
  bool all = false;
  int code = listing_options(argc, argv, &l, &all, false);
  if (code >= 0)
    return code;
  if (l.is_json)
    json_open(&l.json, NULL, '[');
  else
    say(stdout, "%-10s %-14s %-12s %s\n", "NAME", "TAGS", "STATE", "DEFAULT TARGET, OR WHY IT IS UNAVAILABLE");
  enum kiln_status status = kiln_list_backends(all, show_backend, &l);
  if (l.is_json)
    json_close(&l.json, ']');
  return status == KILN_OK ? finish_output() : fail_status(status);
}

// ---- devices -------------------------------------------------------------------------------------------------------

static void show_device(struct listing *l, const char *backend, uint32_t index, const struct kiln_gpu_target *target,
                        const struct kiln_device_info *d) {
  if (!l->is_json) {
    say(stdout, "%s:%u  %s\n", backend, (unsigned)index, d->name);
    say(stdout, "    vendor %s, driver %s, target %s\n", d->vendor, d->driver, target->arch);
    say(stdout, "    %u compute units, warp size %u, groups of up to %llu, %.1f GiB memory, %llu KiB local memory%s\n",
        (unsigned)d->compute_units, (unsigned)d->warp_size, (unsigned long long)d->max_group_size,
        (double)d->memory_bytes / (1 << 30), (unsigned long long)(d->local_bytes >> 10),
        d->host_memory ? ", host memory" : "");
    return;
  }
  struct json *json = &l->json;
  json_open(json, NULL, '{');
  json_text(json, "backend", backend);
  json_u64(json, "index", index);
  json_text(json, "name", d->name);
  json_text(json, "vendor", d->vendor);
  json_text(json, "driver", d->driver);
  json_text(json, "arch", target->arch);
  json_text(json, "features", target->features);
  json_u64(json, "memory_bytes", d->memory_bytes);
  json_u64(json, "local_bytes", d->local_bytes);
  json_u64(json, "max_group_size", d->max_group_size);
  json_u64(json, "compute_units", d->compute_units);
  json_u64(json, "warp_size", d->warp_size);
  json_bool(json, "host_memory", d->host_memory);
  json_close(json, '}');
}

// The variables that choose a target are about one backend; a listing of all asks each for its own.
static void list_devices(struct listing *l, const char *backend, const char *arch) {
  struct common common = l->common;
  common.backend = backend;
  common.arch = arch;
  struct kiln_context *ctx;
  int code = open_context(&common, NULL, NULL, &ctx);
  uint32_t count = 0;
  if (code == EXIT_FINE) {
    enum kiln_status status = kiln_device_count(ctx, &count);
    if (status != KILN_OK)
      code = fail_status(status);
    for (uint32_t i = 0; i < count; i++) {
      struct kiln_device_info info;
      if (kiln_device_info(ctx, i, &info) == KILN_OK)
        show_device(l, backend, i, kiln_context_target(ctx), &info);
    }
    kiln_context_close(ctx);
  }
  l->shown += count;
  if (code != EXIT_FINE && l->code == EXIT_FINE)
    l->code = code;
}

// A backend that is not available is not opened: its driver may be what ends the process.
static void list_backend_devices(void *user, const struct kiln_backend_info *info) {
  struct listing *l = user;
  bool chosen = l->common.backend && strcmp(l->common.backend, info->name) == 0;
  if (info->available && (chosen || !l->common.backend))
    list_devices(l, info->name, info->default_target);
  else if (chosen)
    l->code = fail(EXIT_ENVIRONMENT, "%s: %s", info->name, info->reason);
}

int devices_main(int argc, char **argv) {
  struct listing l;
  bool all = false;
  int code = listing_options(argc, argv, &l, &all, true);
  if (code >= 0)
    return code;
  if (l.is_json)
    json_open(&l.json, NULL, '[');
  enum kiln_status status = kiln_list_backends(all || l.common.backend, list_backend_devices, &l);
  if (l.is_json)
    json_close(&l.json, ']');
  if (status != KILN_OK)
    return fail_status(status);
  if (!l.shown && l.code == EXIT_FINE && !l.is_json)
    l.code = l.common.backend ? fail(EXIT_USAGE, "there is no backend '%s'; see kiln backends --all", l.common.backend)
                              : fail(EXIT_ENVIRONMENT, "there is no device here; see kiln backends");
  code = finish_output();
  return code != EXIT_FINE ? code : l.code;
}

// ---- targets -------------------------------------------------------------------------------------------------------

static void show_target(void *user, const char *name, const char *description) {
  struct listing *l = user;
  const char *text = description ? description : "";
  if (l->is_json && !l->json.depth) // an unknown backend prints nothing
    json_open(&l->json, NULL, '[');
  if (!l->is_json) {
    say(stdout, *text ? "%-16s %s\n" : "%s\n", name, text);
    return;
  }
  json_open(&l->json, NULL, '{');
  json_text(&l->json, "name", name);
  json_text(&l->json, "description", text);
  json_close(&l->json, '}');
}

int targets_main(int argc, char **argv) {
  struct listing l;
  int code = listing_options(argc, argv, &l, NULL, true);
  if (code >= 0)
    return code;
  if (!l.common.backend)
    return usage_error(argv, "which backend? -b BACKEND is missing");
  enum kiln_status status = kiln_list_targets(l.common.backend, show_target, &l);
  if (status != KILN_OK)
    return fail(EXIT_USAGE, "%s", kiln_last_error());
  if (l.is_json && !l.json.depth)
    json_open(&l.json, NULL, '[');
  if (l.is_json)
    json_close(&l.json, ']');
  return finish_output();
}

// ---- env -----------------------------------------------------------------------------------------------------------

static void show_variable(void *user, const struct kiln_env_info *info) {
  struct listing *l = user;
  if (!l->is_json) {
    say(stdout, "%s=%s\n", info->name, info->value ? info->value : "");
    say(stdout, "    default: %s\n    %s\n", *info->default_value ? info->default_value : "(empty)", info->meaning);
    return;
  }
  json_open(&l->json, NULL, '{');
  json_text(&l->json, "name", info->name);
  if (info->value)
    json_text(&l->json, "value", info->value);
  json_text(&l->json, "default", info->default_value);
  json_text(&l->json, "meaning", info->meaning);
  json_close(&l->json, '}');
}

int env_main(int argc, char **argv) {
  struct listing l;
  int code = listing_options(argc, argv, &l, NULL, false);
  if (code >= 0)
    return code;
  if (l.is_json)
    json_open(&l.json, NULL, '[');
  kiln_list_env(show_variable, &l);
  if (l.is_json)
    json_close(&l.json, ']');
  return finish_output();
}
