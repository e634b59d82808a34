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

bool kiln_dump_stem(const struct kiln_context *ctx, const struct kiln_source *source,
                    const struct kiln_build_options *options, char out[KILN_DUMP_STEM]) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_append(&text, source->text, source->size);
  kiln_options_canonical(options, ctx->backend, true, &text);
  kiln_strbuf_printf(&text, "%s %s", ctx->target.arch, ctx->target.features);
  char hex[33] = "", name[64];
  bool made = !text.failed;
  if (made)
    kiln_hash128_hex(kiln_hash128(text.data, text.size), hex);
  kiln_strbuf_free(&text);
  hex[12] = 0;
  readable_name(source->name, name);
  snprintf(out, KILN_DUMP_STEM, "%s-%s-%s", name, ctx->target.backend, hex);
  return made;
}

void kiln_dump_init(struct kiln_dump *dump, const struct kiln_context *ctx, const struct kiln_source *source,
                    const struct kiln_build_options *options) {
  memset(dump, 0, sizeof *dump);
  if (!ctx->dump_dir)
    return;
  (void)kiln_dump_stem(ctx, source, options, dump->stem); // without memory the digest is missing
  dump->dir = ctx->dump_dir;
  dump->ctx = ctx;
  dump->source_name = source->name;
  dump->last = kiln_now_ns();
  dump->options = options;
  int error = kiln_make_folder(dump->dir);
  if (error)
    kiln_context_log(ctx, KILN_LOG_WARNING, "COMPILE_DUMP_DIR '%s' cannot be made: %s", dump->dir, strerror(error));
}

const char *kiln_dump_extension(const struct kiln_context *ctx, const struct kiln_build_options *options,
                                const char *stage) {
  const struct kiln_fragment *fragments = NULL;
  if (strcmp(stage, "ir") == 0)
    return "kir";
  uint32_t count = ctx->backend->pipeline_fragments(&ctx->target, &options->backend, &fragments);
  for (uint32_t i = 0; i < count && fragments; i++) {
    if (fragments[i].name && fragments[i].extension && strcmp(fragments[i].name, stage) == 0)
      return fragments[i].extension;
  }
  return stage;
}

static void put_member(struct kiln_strbuf *out, const char *name, const char *text) {
  kiln_strbuf_printf(out, "  \"%s\": ", name);
  kiln_strbuf_json(out, text);
  kiln_strbuf_puts(out, ",\n");
}

// Times count from the end of the stage before, so that they add up.
static void note_stage(struct kiln_dump *dump, const char *stage, size_t size) {
  uint64_t now = kiln_now_ns();
  kiln_strbuf_puts(&dump->stages, dump->stages.size ? ",\n    {\"name\": " : "\n    {\"name\": ");
  kiln_strbuf_json(&dump->stages, stage);
  kiln_strbuf_puts(&dump->stages, ", \"file\": ");
  struct kiln_strbuf file = {0};
  kiln_strbuf_printf(&file, "%s.%s", dump->stem, kiln_dump_extension(dump->ctx, dump->options, stage));
  kiln_strbuf_json(&dump->stages, file.data ? file.data : "");
  kiln_strbuf_free(&file);
  kiln_strbuf_printf(&dump->stages, ", \"bytes\": %zu, \"ms\": %.3f}", size, (double)(now - dump->last) / 1e6);
}

void kiln_dump_stage(struct kiln_dump *dump, const char *stage, const void *data, size_t size) {
  if (!dump->dir)
    return;
  struct kiln_strbuf path = {0};
  note_stage(dump, stage, size);
  kiln_strbuf_printf(&path, "%s/%s.%s", dump->dir, dump->stem, kiln_dump_extension(dump->ctx, dump->options, stage));
  int error = path.failed ? 0 : kiln_file_write_private(path.data, data, size);
  if (error)
    kiln_context_log(dump->ctx, KILN_LOG_WARNING, "stage '%s' cannot be written to '%s': %s", stage, path.data,
                     strerror(error));
  kiln_strbuf_free(&path);
  dump->last = kiln_now_ns(); // writing is not counted
}

void kiln_dump_finish(struct kiln_dump *dump, enum kiln_status status, double front_ms, double back_ms) {
  if (!dump->dir)
    return;
  const struct kiln_target *target = &dump->ctx->target;
  struct kiln_strbuf json = {0}, options = {0}, path = {0};
  kiln_options_canonical(dump->options, dump->ctx->backend, true, &options);
  kiln_strbuf_puts(&json, "{\n");
  put_member(&json, "source", dump->source_name);
  put_member(&json, "backend", target->backend);
  put_member(&json, "arch", target->arch);
  put_member(&json, "features", target->features);
  kiln_strbuf_printf(&json, "  \"warp_size\": %u,\n", (unsigned)target->warp_size);
  put_member(&json, "options", options.data ? options.data : "");
  put_member(&json, "status", kiln_status_name(status));
  put_member(&json, "message", status == KILN_OK ? "" : kiln_last_error());
  kiln_strbuf_printf(&json, "  \"front_ms\": %.3f,\n  \"back_ms\": %.3f,\n  \"stages\": [%s\n  ]\n}\n", front_ms,
                     back_ms, dump->stages.data ? dump->stages.data : "");
  kiln_strbuf_printf(&path, "%s/%s.json", dump->dir, dump->stem);
  int error = json.failed || path.failed ? 0 : kiln_file_write_private(path.data, json.data, json.size);
  if (error)
    kiln_context_log(dump->ctx, KILN_LOG_WARNING, "'%s' cannot be written: %s", path.data, strerror(error));
  kiln_strbuf_free(&json);
  kiln_strbuf_free(&options);
  kiln_strbuf_free(&path);
}

void kiln_dump_free(struct kiln_dump *dump) {
  kiln_strbuf_free(&dump->stages);
  memset(dump, 0, sizeof *dump);
}
