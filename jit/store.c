// The cache as programs use it: its place, keys, and probes of headers from memory.
#include "jit/store.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "jit/watch.h"

// No include can have this name.
#define NAME_PROBE "\x01source name"

// ---- place and mode ------------------------------------------------------------------------------------------------

static void cache_log(void *user, bool warning, const char *message) {
  kiln_context_log(user, warning ? KILN_LOG_WARNING : KILN_LOG_DEBUG, "cache: %s", message);
}

void kiln_store_folder(const struct kiln_env *env, struct kiln_strbuf *out) {
  if (env->values[KILN_ENV_CACHE_DIR])
    kiln_strbuf_puts(out, env->values[KILN_ENV_CACHE_DIR]);
  else if (env->values[KILN_ENV_XDG_CACHE_HOME] && env->values[KILN_ENV_XDG_CACHE_HOME][0] == '/')
    kiln_strbuf_printf(out, "%s/kiln", env->values[KILN_ENV_XDG_CACHE_HOME]);
  else if (env->values[KILN_ENV_HOME])
    kiln_strbuf_printf(out, "%s/.cache/kiln", env->values[KILN_ENV_HOME]);
}

enum kiln_status kiln_store_open(struct kiln_context *ctx, const char *dir, const char *mode) {
  struct kiln_cache_config config = {.log = cache_log,
                                     .log_user = ctx,
                                     .notice = ctx->cache_event ? kiln_watch_notice : NULL,
                                     .notice_user = ctx};
  const char *from = mode && *mode ? "cache_mode" : "COMPILE_CACHE";
  if (!mode || !*mode)
    mode = kiln_env_get(&ctx->env, KILN_ENV_CACHE);
  if (!kiln_cache_parse_mode(mode, &config.mode))
    return kiln_error(KILN_ERR_INVALID, "%s is '%s'; it must be rw, ro, off or require", from, mode);
  const char *size = kiln_env_get(&ctx->env, KILN_ENV_CACHE_MAX_SIZE);
  if (!kiln_cache_parse_size(size, &config.max_bytes))
    return kiln_error(KILN_ERR_INVALID,
                      "COMPILE_CACHE_MAX_SIZE is '%s'; it must be a number of bytes, or one with K, M, "
                      "G or T behind",
                      size);
  struct kiln_strbuf folder = {0};
  if (dir && *dir)
    kiln_strbuf_puts(&folder, dir);
  else
    kiln_store_folder(&ctx->env, &folder);
  config.dir = folder.data;
  config.layers = ctx->env.values[KILN_ENV_CACHE_PATH];
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

struct own_build {
  uintptr_t address; // of something in this library
  struct kiln_strbuf *out;
};

// Appends the GNU build id of the loaded object that holds the address.
static int find_build_id(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  struct own_build *own = user;
  bool here = false;
  for (int i = 0; i < info->dlpi_phnum && !here; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    here = p->p_type == PT_LOAD && own->address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz;
  }
  for (int i = 0; here && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_NOTE)
      continue;
    const unsigned char *at = (const unsigned char *)(info->dlpi_addr + p->p_vaddr), *end = at + p->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
      const unsigned char *name = at + sizeof *note, *data = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
        kiln_strbuf_append(own->out, data, note->n_descsz);
      at = data + ((note->n_descsz + 3) & ~3u);
    }
  }
  return here;
}

// What makes code: this library (front end and passes), and the backend.
static bool toolchain(struct kiln_context *ctx, const struct kiln_build_options *options, struct kiln_report *report,
                      struct kiln_hash128 *out) {
  struct kiln_digest backend;
  memset(&backend, 0, sizeof backend);
  if (!ctx->backend->hash || ctx->backend->hash(&ctx->target, &options->backend, &backend, report) != KILN_OK)
    return false;
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, kiln_version());
  dl_iterate_phdr(find_build_id, &(struct own_build){(uintptr_t)&find_build_id, &text});
  kiln_strbuf_append(&text, backend.bytes, sizeof backend.bytes);
  *out = kiln_hash128(text.data, text.size);
  bool ok = !text.failed;
  kiln_strbuf_free(&text);
  return ok;
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

// What a path has behind a folder; NULL when it does not begin with it. "." is the folder of a source without one: its
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

enum kiln_status kiln_store_request_init(struct kiln_context *ctx, const struct kiln_source *source,
                                         const struct kiln_build_options *options, struct kiln_report *report,
                                         struct kiln_store_request *out) {
  memset(out, 0, sizeof *out);
  out->source = source;
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
  kiln_key_add_text(key, "backend", ctx->target.backend);
  kiln_key_add_text(key, "arch", ctx->target.arch);
  kiln_key_add_text(key, "features", ctx->target.features);
  kiln_key_add_u64(key, "warp size", ctx->target.warp_size);
  kiln_key_add_u64(key, "source kind", source->kind);
  kiln_key_add(key, "source", source->text, source->size);
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
                                             .read = source->read,
                                             .read_user = source->read_user,
                                             .label = ctx->label};
  if (toolchain(ctx, options, report, &out->toolchain))
    out->request.toolchain = &out->toolchain;
  return KILN_OK;
}

void kiln_store_request_free(struct kiln_store_request *request) {
  kiln_key_free(&request->key);
  free(request->roots);
  free(request->folder);
  memset(request, 0, sizeof *request);
}
