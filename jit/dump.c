// Dumps of compile stages. File names are stable: the same source, options and target give the same names.
#include "jit/dump.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"

// The file name of the source without folder and extension; what is awkward in a file name becomes '_'.
static void readable_name(const char *name, char out[64]) {
  const char *slash = strrchr(name, '/');
  if (slash && slash[1])
    name = slash + 1;
  size_t n = 0;
  const char *dot = strrchr(name, '.');
  for (const char *p = name; *p && p != dot && n < 63; p++) {
    bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' ||
                 *p == '_' || (*p == '.' && n > 0);
    if (plain)
      out[n++] = *p;
    else if (*p != '<' && *p != '>')
      out[n++] = '_';
  }
  out[n] = 0;
  if (!n)
    strcpy(out, "kernel");
}

void kiln_dump_init(struct kiln_dump *dump, const struct kiln_context *ctx, const struct kiln_source *source,
                    const struct kiln_build_options *options) {
  memset(dump, 0, sizeof *dump);
  if (!ctx->dump_dir)
    return;
  struct kiln_strbuf text = {0};
  kiln_strbuf_append(&text, source->text, source->size);
  kiln_options_canonical(options, ctx->backend, true, &text);
  kiln_strbuf_printf(&text, "%s %s", ctx->target.arch, ctx->target.features);
  char hex[33] = "", name[64];
  if (!text.failed)
    kiln_hash128_hex(kiln_hash128(text.data, text.size), hex);
  kiln_strbuf_free(&text);
  hex[12] = 0;
  readable_name(source->name, name);
  snprintf(dump->stem, sizeof dump->stem, "%s-%s-%s", name, ctx->target.backend, hex);
  dump->dir = ctx->dump_dir;
  dump->ctx = ctx;
  dump->options = options;
  int error = kiln_make_folder(dump->dir);
  if (error)
    kiln_context_log(ctx, KILN_LOG_WARNING, "COMPILE_DUMP_DIR '%s' cannot be made: %s", dump->dir, strerror(error));
}

static const char *extension(const struct kiln_dump *dump, const char *stage) {
  const struct kiln_fragment *fragments = NULL;
  const struct kiln_base_backend *backend = dump->ctx->backend;
  if (strcmp(stage, "ir") == 0)
    return "kir";
  uint32_t count = backend->pipeline_fragments(&dump->ctx->target, &dump->options->backend, &fragments);
  for (uint32_t i = 0; i < count && fragments; i++) {
    if (fragments[i].name && fragments[i].extension && strcmp(fragments[i].name, stage) == 0)
      return fragments[i].extension;
  }
  return stage;
}

void kiln_dump_stage(const struct kiln_dump *dump, const char *stage, const void *data, size_t size) {
  if (!dump->dir)
    return;
  struct kiln_strbuf path = {0};
  kiln_strbuf_printf(&path, "%s/%s.%s", dump->dir, dump->stem, extension(dump, stage));
  int error = path.failed ? 0 : kiln_file_write(path.data, data, size);
  if (error)
    kiln_context_log(dump->ctx, KILN_LOG_WARNING, "stage '%s' cannot be written to '%s': %s", stage, path.data,
                     strerror(error));
  kiln_strbuf_free(&path);
}

void kiln_dump_free(struct kiln_dump *dump) { memset(dump, 0, sizeof *dump); }
