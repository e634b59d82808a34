// Where a compile begins when not with its source.
#include "jit/start.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "jit/dump.h"

enum kiln_status kiln_start_check(const struct kiln_context *ctx, const char *stage, const char *what) {
  const char *const *stages = ctx->backend->start_stages;
  if (strcmp(stage, "ir") == 0)
    return KILN_OK;
  struct kiln_strbuf known = {0};
  for (; stages && *stages; stages++) {
    if (strcmp(*stages, stage) == 0) {
      kiln_strbuf_free(&known);
      return KILN_OK;
    }
    kiln_strbuf_printf(&known, ", %s", *stages);
  }
  enum kiln_status status =
      kiln_error(KILN_ERR_INVALID, "%s: backend '%s' cannot start from stage '%s'; it can from: ir%s", what,
                 ctx->backend->name, stage, known.data ? known.data : "");
  kiln_strbuf_free(&known);
  return status;
}

// *found: whether there is such a file.
static enum kiln_status look_for(struct kiln_context *ctx, const struct kiln_build_options *options, const char *stem,
                                 const char *stage, struct kiln_source *source, char **data, bool *found) {
  struct kiln_strbuf path = {0};
  kiln_strbuf_printf(&path, "%s/%s.%s", ctx->override_dir, stem, kiln_dump_extension(ctx, options, stage));
  size_t size = 0;
  const char *distrust;
  int error = path.failed ? ENOMEM : kiln_file_read(path.data, data, &size);
  *found = error != ENOENT && error != ENOTDIR;
  enum kiln_status status = KILN_OK;
  if (error == ENOMEM)
    status = kiln_error_memory();
  else if (*found && error)
    status = kiln_error(KILN_ERR_INVALID, "'%s' cannot be read: %s", path.data, strerrordesc_np(error));
  else if (*found && (distrust = kiln_distrust_file(&ctx->registry.trust, path.data)))
    status =
        kiln_error(KILN_ERR_INVALID, "'%s' is not used (COMPILE_TRUST names whom to trust): %s", path.data, distrust);
  else if (*found)
    status = kiln_start_check(ctx, stage, path.data);
  if (*found && status == KILN_OK) {
    kiln_context_log(ctx, KILN_LOG_INFO, "'%s' goes on from '%s'", source->name, path.data);
    source->start_stage = stage;
    source->start_data = *data;
    source->start_size = size;
  }
  kiln_strbuf_free(&path);
  return status;
}

enum kiln_status kiln_start_override(struct kiln_context *ctx, const struct kiln_build_options *options,
                                     struct kiln_source *source, char **data) {
  if (!ctx->override_dir)
    return KILN_OK;
  char stem[KILN_DUMP_STEM];
  if (!kiln_dump_stem(ctx, source, options, stem))
    return kiln_error_memory();
  const struct kiln_fragment *fragments = NULL;
  uint32_t count = ctx->backend->pipeline_fragments(&ctx->target, &options->backend, &fragments);
  bool found = false;
  enum kiln_status status = KILN_OK;
  while (count && fragments && !found && status == KILN_OK) {
    const struct kiln_fragment *fragment = &fragments[--count];
    if (fragment->name && strcmp(fragment->name, "ir") != 0)
      status = look_for(ctx, options, stem, fragment->name, source, data, &found);
  }
  if (!found && status == KILN_OK)
    status = look_for(ctx, options, stem, "ir", source, data, &found);
  return status;
}
