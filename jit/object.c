// Objects: sources that were compiled on their own, kept as IR text. Linking is reading all of them as one module
// (jit/ir/link.c), so a linked program is one that was made from IR text, with all that such a program can do.
#include <stdlib.h>
#include <string.h>

#include "jit/ir/internal.h"
#include "jit/program.h"

struct kiln_object {
  _Atomic uint32_t refs;
  struct kiln_context *ctx;
  struct kiln_program *program; // whose artifact is the text; NULL: storage is
  char *storage;
  const char *text;
  size_t size;
  uint32_t build_flags; // that linked programs need, too
};

static enum kiln_status new_object(struct kiln_context *ctx, uint32_t build_flags, struct kiln_object **out) {
  struct kiln_object *object = calloc(1, sizeof *object);
  if (!object)
    return kiln_error_memory();
  object->refs = 1;
  object->ctx = ctx;
  object->build_flags = build_flags;
  kiln_context_ref(ctx);
  *out = object;
  return KILN_OK;
}

void kiln_object_retain(struct kiln_object *object) {
  if (object)
    atomic_fetch_add(&object->refs, 1);
}

void kiln_object_release(struct kiln_object *object) {
  if (!object || atomic_fetch_sub(&object->refs, 1) != 1)
    return;
  struct kiln_context *ctx = object->ctx;
  kiln_program_release(object->program);
  free(object->storage);
  free(object);
  kiln_context_unref(ctx);
}

const char *kiln_object_text(const struct kiln_object *object, size_t *size) {
  if (size)
    *size = object ? object->size : 0;
  return object ? object->text : "";
}

const char *kiln_object_log(const struct kiln_object *object) {
  return kiln_program_log(object ? object->program : NULL);
}

// ---- making one ----------------------------------------------------------------------------------------------------

// Takes text over.
static void set_text(struct kiln_object *object, char *text) {
  object->storage = text;
  object->text = text;
  object->size = strlen(text);
}

static enum kiln_status from_text(struct kiln_object *object, const struct kiln_program_desc *desc) {
  size_t size = desc->size ? desc->size : strlen(desc->source);
  struct kiln_module *module;
  enum kiln_status status = kiln_object_parse(desc->source, size, desc->name ? desc->name : "<object>", &module);
  if (status != KILN_OK)
    return status;
  kiln_module_free(module);
  char *text = strndup(desc->source, size);
  if (!text)
    return kiln_error_memory();
  set_text(object, text);
  return KILN_OK;
}

static enum kiln_status from_module(struct kiln_object *object, const struct kiln_program_desc *desc) {
  char message[1024], *text;
  enum kiln_status status = kiln_module_check(desc->module, KILN_ERR_COMPILE, message, sizeof message);
  if (status != KILN_OK)
    return kiln_error(status, "%s: error: %s", desc->name ? desc->name : "<module>", message);
  status = kiln_module_print(desc->module, &text);
  if (status != KILN_OK)
    return kiln_error_memory();
  set_text(object, text);
  return KILN_OK;
}

static enum kiln_status from_source(struct kiln_object *object, const struct kiln_program_desc *desc) {
  enum kiln_status status =
      kiln_program_create_from(object->ctx, desc, &(struct kiln_origin){.is_object = true}, &object->program);
  if (status != KILN_OK)
    return status;
  const struct kiln_str *artifact = &atomic_load(&object->program->binary->entry)->artifact;
  object->text = artifact->data;
  object->size = artifact->size;
  return KILN_OK;
}

static enum kiln_status read_flags(struct kiln_context *ctx, const char *options, uint32_t *out) {
  struct kiln_build_options parsed;
  enum kiln_status status = kiln_options_parse(options, ctx->backend, &parsed);
  if (status != KILN_OK)
    return status;
  *out = parsed.backend.flags & (KILN_BUILD_EXACT_DIV | KILN_BUILD_DEBUG_INFO);
  kiln_options_free(&parsed);
  return KILN_OK;
}

enum kiln_status kiln_object_create(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                    struct kiln_object **out) {
  if (!ctx || !desc || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_object_create: %s is NULL", !ctx ? "ctx" : !desc ? "desc" : "out");
  if (desc->stage)
    return kiln_error(KILN_ERR_INVALID, "kiln_object_create: an object cannot begin at stage '%s'", desc->stage);
  bool is_module = desc->kind == KILN_SOURCE_MODULE;
  if (is_module ? !desc->module : !desc->source)
    return kiln_error(KILN_ERR_INVALID, "kiln_object_create: desc->%s is NULL", is_module ? "module" : "source");
  uint32_t flags;
  enum kiln_status status = read_flags(ctx, desc->options, &flags);
  struct kiln_object *object = NULL;
  if (status == KILN_OK)
    status = new_object(ctx, flags, &object);
  if (status != KILN_OK)
    return status;
  status = is_module                           ? from_module(object, desc)
           : desc->kind == KILN_SOURCE_IR_TEXT ? from_text(object, desc)
                                               : from_source(object, desc);
  if (status != KILN_OK)
    kiln_object_release(object);
  else
    *out = object;
  return status;
}

// ---- several -------------------------------------------------------------------------------------------------------

// The texts one after another, and what the objects need of the build options.
static enum kiln_status concatenate(const char *call, struct kiln_context *ctx, struct kiln_object *const *objects,
                                    uint32_t count, struct kiln_strbuf *text, uint32_t *flags) {
  if (!objects || !count)
    return kiln_error(KILN_ERR_INVALID, "%s: there are no objects", call);
  *flags = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!objects[i])
      return kiln_error(KILN_ERR_INVALID, "%s: object %u is NULL", call, (unsigned)i);
    if (objects[i]->ctx != ctx)
      return kiln_error(KILN_ERR_INVALID, "%s: object %u belongs to another context", call, (unsigned)i);
    *flags |= objects[i]->build_flags;
    kiln_strbuf_append(text, objects[i]->text, objects[i]->size);
    kiln_strbuf_puts(text, "\n");
  }
  return text->failed ? kiln_error_memory() : KILN_OK;
}

enum kiln_status kiln_object_join(struct kiln_context *ctx, struct kiln_object *const *objects, uint32_t count,
                                  const char *name, struct kiln_object **out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_object_join: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_strbuf text = {0};
  uint32_t flags;
  enum kiln_status status = concatenate("kiln_object_join", ctx, objects, count, &text, &flags);
  struct kiln_object *object = NULL;
  if (status == KILN_OK)
    status = new_object(ctx, flags, &object);
  if (status == KILN_OK) {
    struct kiln_program_desc desc = {.source = text.data, .size = text.size, .name = name ? name : "<library>"};
    status = from_text(object, &desc); // what is defined twice is found here
  }
  kiln_strbuf_free(&text);
  if (status != KILN_OK)
    kiln_object_release(object);
  else
    *out = object;
  return status;
}

enum kiln_status kiln_program_link(struct kiln_context *ctx, const struct kiln_link_desc *desc,
                                   struct kiln_program **out) {
  if (!ctx || !desc || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_link: %s is NULL", !ctx ? "ctx" : !desc ? "desc" : "out");
  struct kiln_strbuf text = {0}, options = {0};
  uint32_t flags;
  enum kiln_status status = concatenate("kiln_program_link", ctx, desc->objects, desc->object_count, &text, &flags);
  if (status == KILN_OK) {
    kiln_strbuf_puts(&options, flags & KILN_BUILD_EXACT_DIV ? "-cl-fp32-correctly-rounded-divide-sqrt " : "");
    kiln_strbuf_puts(&options, flags & KILN_BUILD_DEBUG_INFO ? "-g " : "");
    kiln_strbuf_puts(&options, desc->options ? desc->options : "");
    status = options.failed ? kiln_error_memory() : KILN_OK;
  }
  if (status == KILN_OK) {
    struct kiln_program_desc program = {.source = text.data,
                                        .size = text.size,
                                        .name = desc->name ? desc->name : "<linked>",
                                        .kind = KILN_SOURCE_IR_TEXT,
                                        .options = options.data};
    status = kiln_program_create(ctx, &program, out);
  }
  kiln_strbuf_free(&text);
  kiln_strbuf_free(&options);
  return status;
}
