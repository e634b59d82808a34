// The cache as programs use it: its place, keys, and probes of headers from memory.
#include "jit/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/floats.h"
#include "jit/build_id.h"
#include "jit/record.h"
#include "jit/watch.h"

// No include can have this name.
#define NAME_PROBE "\x01source name"

// ---- place and mode ------------------------------------------------------------------------------------------------

static void cache_log(void *user, bool warning, const char *message) {
  kiln_context_log(user, warning ? KILN_LOG_WARNING : KILN_LOG_DEBUG, "cache: %s", message);
}

// Why no cache is made below a folder that a variable names; NULL: one may be made. One that belongs to root is a place
// where everybody may make folders, or one where nothing can be made.
static const char *unfit(const char *folder) {
  struct stat info;
  if (*folder != '/')
    return "is not an absolute path";
  bool foreign = stat(folder, &info) == 0 && info.st_uid != geteuid() && info.st_uid != 0;
  return foreign ? "belongs to another user" : NULL;
}

void kiln_store_folder(const struct kiln_env *env, struct kiln_strbuf *out, struct kiln_strbuf *problem) {
  static const struct {
    enum kiln_env_id variable;
    const char *name, *below;
  } places[] = {{KILN_ENV_XDG_CACHE_HOME, "XDG_CACHE_HOME", "kiln"}, {KILN_ENV_HOME, "HOME", ".cache/kiln"}};
  if (env->values[KILN_ENV_CACHE_DIR])
    kiln_strbuf_puts(out, env->values[KILN_ENV_CACHE_DIR]);
  for (size_t i = 0; i < sizeof places / sizeof *places && !out->size; i++) {
    const char *folder = env->values[places[i].variable], *why = folder ? unfit(folder) : NULL;
    if (why)
      kiln_strbuf_printf(problem, "%s%s '%s' %s", problem->size ? ", and " : "", places[i].name, folder, why);
    else if (folder)
      kiln_strbuf_printf(out, "%s/%s", folder, places[i].below);
  }
}

enum kiln_status kiln_store_open(struct kiln_context *ctx, const char *dir, const char *mode) {
  struct kiln_cache_config config = {
      .trust = ctx->registry.trust, .log = cache_log, .log_user = ctx, .notice = kiln_watch_notice, .notice_user = ctx};
  const char *from = mode && *mode ? "cache_mode" : "COMPILE_CACHE";
  if (!mode || !*mode)
    mode = kiln_env_get(&ctx->env, KILN_ENV_CACHE);
  if (!kiln_cache_parse_mode(mode, &config.mode))
    return kiln_error(KILN_ERR_INVALID, "%s is '%s'; it must be rw, ro, off or require", from, mode);
  const char *size = kiln_env_get(&ctx->env, KILN_ENV_CACHE_MAX_SIZE);
  if (!kiln_cache_parse_size(size, &config.max_bytes))
    return kiln_error(KILN_ERR_INVALID,
                      "COMPILE_CACHE_MAX_SIZE is '%s'; it must be a number of bytes, or one with the suffix K, "
                      "M, G or T",
                      size);
  struct kiln_strbuf folder = {0}, problem = {0};
  if (dir && *dir)
    kiln_strbuf_puts(&folder, dir);
  else
    kiln_store_folder(&ctx->env, &folder, &problem);
  if (problem.size && config.mode != KILN_CACHE_MODE_OFF)
    kiln_context_log(ctx, KILN_LOG_WARNING, "cache: %s: %s%s", problem.data,
                     folder.size ? "the folder is " : "there is no folder, and programs are kept in memory only",
                     folder.size ? folder.data : "");
  kiln_strbuf_free(&problem);
  config.dir = folder.data;
  config.layers = ctx->env.values[KILN_ENV_CACHE_PATH];
  config.remotes = ctx->env.values[KILN_ENV_CACHE_REMOTE];
  config.key_file = ctx->env.values[KILN_ENV_CACHE_KEY];
  if (!folder.failed)
    ctx->cache = kiln_cache_open(&config);
  kiln_strbuf_free(&folder);
  ctx->cache_off = config.mode == KILN_CACHE_MODE_OFF;
  return ctx->cache ? KILN_OK : kiln_error_memory();
}

void kiln_store_close(struct kiln_context *ctx) {
  if (ctx->cache)
    kiln_cache_close(ctx->cache);
  ctx->cache = NULL;
}

// ---- toolchain -----------------------------------------------------------------------------------------------------

static void add_text(struct kiln_strbuf *out, const char *name, const char *text) {
  kiln_strbuf_printf(out, "%s=%zu:%s\n", name, strlen(text), text);
}

// The same for people, and for what prunes by versions.
static void add_made(struct kiln_strbuf *made, const char *name, const char *text) {
  if (made && *text)
    kiln_strbuf_printf(made, "%s %s\n", name, text);
}

// Backends from outside are not part of this library's build.
static void add_origin(struct kiln_strbuf *text, struct kiln_strbuf *made, const struct kiln_registry_entry *entry) {
  char id[128];
  const char *name = NULL;
  if (!entry || entry->builtin)
    return;
  if (entry->path) {
    kiln_hash128_hex(entry->digest, id);
    name = "plugin";
  } else if (kiln_loaded_build_id((const void *)(uintptr_t)entry->backend->caps, id, sizeof id)) {
    name = "host";
  }
  if (!name)
    return;
  add_text(text, name, id);
  add_made(made, name, id);
}

static void add_compiler(const struct kiln_base_backend *backend, const struct kiln_target *target,
                         struct kiln_strbuf *made) {
  char text[256] = "";
  if (!made || !backend->describe_compiler)
    return;
  backend->describe_compiler(target, text, sizeof text);
  text[sizeof text - 1] = 0;
  for (char *at = text; *at; at++) // one line
    *at = *at == '\n' || *at == '\r' ? ' ' : *at;
  add_made(made, "compiler", text);
}

// What makes code: this library (front end and passes), and the backend. Its stages and the libraries that its code
// needs are added here, too, so that a backend whose own hash forgets them does no harm.
static enum kiln_status make_toolchain(struct kiln_context *ctx, const struct kiln_target *target,
                                       const struct kiln_build_options *options, struct kiln_report *report,
                                       struct kiln_strbuf *made, struct kiln_hash128 *out) {
  const struct kiln_base_backend *backend = ctx->backend;
  struct kiln_digest digest;
  memset(&digest, 0, sizeof digest);
  enum kiln_status status =
      backend->hash ? backend->hash(target, &options->backend, &digest, report) : KILN_ERR_UNSUPPORTED;
  if (status != KILN_OK)
    return status;
  struct kiln_strbuf text = {0};
  add_text(&text, "kiln", kiln_version());
  add_made(made, "kiln", kiln_version());
  char build_id[128];
  if (kiln_loaded_build_id((const void *)&add_text, build_id, sizeof build_id)) {
    add_text(&text, "build", build_id);
    add_made(made, "build", build_id);
  }
  add_compiler(backend, target, made);
  add_origin(&text, made, kiln_registry_entry_of(&ctx->registry, backend));
  kiln_strbuf_append(&text, digest.bytes, sizeof digest.bytes);
  const struct kiln_fragment *fragments = NULL;
  uint32_t count = backend->pipeline_fragments ? backend->pipeline_fragments(target, &options->backend, &fragments) : 0;
  for (uint32_t i = 0; i < count && fragments; i++)
    add_text(&text, fragments[i].name ? fragments[i].name : "", fragments[i].pipeline ? fragments[i].pipeline : "");
  count = backend->runtime_libs ? backend->runtime_libs(target, NULL, 0) : 0;
  struct kiln_runtime_lib *libs = count ? calloc(count, sizeof *libs) : NULL;
  bool ok = libs || !count;
  if (libs)
    (void)backend->runtime_libs(target, libs, count);
  for (uint32_t i = 0; libs && i < count; i++) {
    libs[i].name[sizeof libs[i].name - 1] = libs[i].identity[sizeof libs[i].identity - 1] = 0;
    add_text(&text, libs[i].name, libs[i].identity);
    add_made(made, "library", libs[i].identity);
  }
  ok &= !text.failed;
  free(libs);
  *out = kiln_hash128(text.data, text.size);
  kiln_strbuf_free(&text);
  return ok ? KILN_OK : KILN_ERR_MEMORY;
}

// What a toolchain's identity may depend on: target and options.
static struct kiln_hash128 options_identity(const struct kiln_context *ctx, const struct kiln_target *target,
                                            const struct kiln_build_options *options) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_append(&text, target->arch, strlen(target->arch) + 1);
  kiln_strbuf_append(&text, target->features, strlen(target->features) + 1);
  kiln_strbuf_append(&text, &options->backend.flags, sizeof options->backend.flags);
  kiln_strbuf_append(&text, &options->backend.optimize, sizeof options->backend.optimize);
  for (uint32_t i = 0; i < ctx->backend->option_count; i++)
    kiln_strbuf_append(&text, options->backend.values[i], strlen(options->backend.values[i]) + 1);
  struct kiln_hash128 hash = kiln_hash128(text.data, text.failed ? 0 : text.size);
  kiln_strbuf_free(&text);
  return hash;
}

// A context remembers the identities, for finding them out means reading files. Before something is compiled under one
// it is made anew: a compiler that was replaced meanwhile must not be taken for the old one. Then made is given, too.
static bool toolchain(struct kiln_context *ctx, const struct kiln_target *target,
                      const struct kiln_build_options *options, struct kiln_report *report, struct kiln_strbuf *made,
                      struct kiln_hash128 *out) {
  struct kiln_toolchains *memo = &ctx->toolchains;
  struct kiln_hash128 identity = options_identity(ctx, target, options);
  pthread_mutex_lock(&memo->lock);
  uint32_t at = 0;
  while (at < memo->count && memcmp(memo->items[at].options, identity.bytes, sizeof identity.bytes) != 0)
    at++;
  bool known = at < memo->count, there = known && memo->items[at].there;
  if (known)
    memcpy(out->bytes, memo->items[at].id, sizeof out->bytes);
  pthread_mutex_unlock(&memo->lock);
  if (known && !made)
    return there;
  struct kiln_floats floats = kiln_floats_enter(); // of a compiler that is loaded, too
  enum kiln_status status = make_toolchain(ctx, target, options, report, made, out);
  kiln_floats_leave(floats);
  there = status == KILN_OK;
  if (status == KILN_ERR_IO || status == KILN_ERR_MEMORY) // that passes
    return false;
  pthread_mutex_lock(&memo->lock);
  if (!known || at >= memo->count) {
    at = memo->count < KILN_TOOLCHAIN_MEMO ? memo->count++ : memo->next++ % KILN_TOOLCHAIN_MEMO;
    memcpy(memo->items[at].options, identity.bytes, sizeof identity.bytes);
  }
  if (memcmp(memo->items[at].options, identity.bytes, sizeof identity.bytes) == 0) { // else somebody took the place
    memo->items[at].there = there;
    memcpy(memo->items[at].id, out->bytes, sizeof out->bytes);
  }
  pthread_mutex_unlock(&memo->lock);
  return there;
}

bool kiln_store_toolchain_holds(struct kiln_context *ctx, const struct kiln_build_options *options,
                                struct kiln_report *report, struct kiln_store_request *request) {
  struct kiln_hash128 now;
  memset(&now, 0, sizeof now);
  kiln_report_free(report); // the reason is written again
  kiln_strbuf_clear(&request->made);
  bool there = toolchain(ctx, &request->target, options, report, &request->made, &now),
       was = request->request.toolchain != NULL;
  if (there == was && (!there || memcmp(&now, &request->toolchain, sizeof now) == 0))
    return true;
  request->toolchain = now;
  request->request.toolchain = there ? &request->toolchain : NULL;
  return false;
}

// ---- requests ------------------------------------------------------------------------------------------------------

struct kiln_probe kiln_store_name_probe(const struct kiln_source *source) {
  return (struct kiln_probe){
      .path = NAME_PROBE, .memory = true, .found = true, .digest = kiln_hash128(source->name, strlen(source->name))};
}

static bool header_digest(void *user, const char *name, struct kiln_hash128 *digest) {
  const struct kiln_source *source = user;
  if (strcmp(name, NAME_PROBE) == 0) {
    *digest = kiln_store_name_probe(source).digest;
    return true;
  }
  for (uint32_t i = 0; i < source->header_count; i++) {
    if (strcmp(source->headers[i].name, name) == 0) {
      *digest = kiln_hash128(source->headers[i].text, source->headers[i].size);
      return true;
    }
  }
  return false;
}

// What a path has after a folder; NULL when it does not begin with it. "." is the folder of a source without one: its
// includes are opened by their names alone.
static const char *below(const char *folder, const char *path) {
  size_t size = strlen(folder);
  if (strcmp(folder, ".") == 0 && *path != '/' && strncmp(path, "./", 2) != 0)
    return path;
  if (strncmp(path, folder, size) != 0)
    return NULL;
  if (size && folder[size - 1] == '/')
    return path + size;
  return path[size] == '/' ? path + size + 1 : NULL;
}

// Whether one root lies in another, so that a path below both could be taken as relative to either.
static bool nested(const char *const *roots, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      if (i != k && (strcmp(roots[i], roots[k]) == 0 || below(roots[k], roots[i])))
        return true;
    }
  }
  return false;
}

void kiln_store_place_probes(const struct kiln_store_request *request, struct kiln_probe *probes, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t r = 0; r < request->request.root_count && !probes[i].memory && !probes[i].root; r++) {
      const char *path = below(request->roots[r], probes[i].path);
      if (path) {
        probes[i].path = path;
        probes[i].root = r + 1;
      }
    }
  }
}

enum kiln_status kiln_store_request_init(struct kiln_context *ctx, const struct kiln_target *target,
                                         const struct kiln_source *source, const struct kiln_build_options *options,
                                         struct kiln_report *report, struct kiln_store_request *out) {
  memset(out, 0, sizeof *out);
  out->source = source;
  out->target = *target;
  uint32_t dirs = options->lang.include_dir_count, count = 0;
  const char *slash = strrchr(source->name, '/');
  out->roots = malloc((dirs + 1) * sizeof *out->roots);
  out->folder = slash ? strndup(source->name, slash > source->name ? (size_t)(slash - source->name) : 1) : strdup(".");
  if (!out->roots || !out->folder) {
    kiln_store_request_free(out);
    return kiln_error_memory();
  }
  out->roots[count++] = out->folder;
  for (uint32_t i = 0; i < dirs; i++)
    out->roots[count++] = options->lang.include_dirs[i];

  struct kiln_key *key = &out->key;
  bool with_paths = nested(out->roots, count) || (options->backend.flags & KILN_BUILD_DEBUG_INFO);
  // What a layer holds was perhaps made by another Kiln: its code must fit to how this one calls it.
  char interface[64];
  snprintf(interface, sizeof interface, "%d.%d, backend %d", KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_BACKEND_ABI);
  kiln_key_add_text(key, "interface", interface);
  kiln_key_add_text(key, "backend", target->backend);
  kiln_key_add_text(key, "arch", target->arch);
  kiln_key_add_text(key, "features", target->features);
  kiln_key_add_u64(key, "warp size", target->warp_size);
  kiln_key_add_u64(key, "source kind", source->kind);
  kiln_key_add(key, "source", source->text, source->size);
  if (source->is_object)
    kiln_key_add_text(key, "made", "object");
  if (source->start_stage) {
    kiln_key_add_text(key, "start stage", source->start_stage);
    kiln_key_add(key, "start", source->start_data, source->start_size);
  }
  struct kiln_strbuf text = {0};
  kiln_options_canonical(options, ctx->backend, with_paths, &text);
  kiln_key_add(key, "options", text.data, text.size);
  for (uint32_t i = 0; i < source->header_count; i++)
    kiln_key_add_text(key, "header", source->headers[i].name);
  if (with_paths)
    kiln_key_add_text(key, "name", source->name);
  bool failed = text.failed || key->record.failed;
  kiln_strbuf_free(&text);
  if (failed) {
    kiln_store_request_free(out);
    return kiln_error_memory();
  }
  out->request = (struct kiln_cache_request){.key = key,
                                             .roots = out->roots,
                                             .root_count = count,
                                             .header = header_digest,
                                             .header_user = (void *)(uintptr_t)source,
                                             .read = source->recorded ? kiln_recorded_read : NULL,
                                             .read_user = (void *)(uintptr_t)source->recorded};
  if (toolchain(ctx, target, options, report, NULL, &out->toolchain))
    out->request.toolchain = &out->toolchain;
  return KILN_OK;
}

void kiln_store_request_free(struct kiln_store_request *request) {
  kiln_key_free(&request->key);
  kiln_strbuf_free(&request->made);
  free(request->roots);
  free(request->folder);
  memset(request, 0, sizeof *request);
}
