// The front end as one call. One arena holds everything of a compilation; what does not fit jumps back here.
#include "jit/lang/lang.h"

#include <stdlib.h>

#include "base/hash.h"
#include "jit/lang/ctype.h"
#include "jit/lang/predefined.h"

#define ARENA_LIMIT ((size_t)4 << 30)

struct compilation { // behind setjmp: not in registers
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_sources sources;
  struct kiln_diags diags;
  struct kiln_lang_options options;
  struct kiln_predefined predefined;
  struct kiln_lang lang;
  struct kiln_module *module;
  enum kiln_status status;
};

static void make_preprocessor(struct compilation *c, const struct kiln_lang_input *input) {
  c->predefined = (struct kiln_predefined){&c->arena, &c->options};
  struct kiln_pp_config config = {.arena = &c->arena,
                                  .names = &c->names,
                                  .sources = &c->sources,
                                  .diags = &c->diags,
                                  .include_dirs = input->options.include_dirs,
                                  .include_dir_count = input->options.include_dir_count,
                                  .headers = input->headers,
                                  .header_count = input->header_count,
                                  .read = input->read,
                                  .read_user = input->read_user,
                                  .std = c->options.std,
                                  .predefined = kiln_predefined_macro,
                                  .predefined_user = &c->predefined};
  c->lang.pp = kiln_pp_new(&config);
  for (uint32_t i = 0; i < input->options.define_count; i++) {
    const char *text = input->options.defines[i];
    if (text[0] == 'U')
      kiln_pp_undefine(c->lang.pp, text + 1);
    else if (text[0] == 'D')
      kiln_pp_define(c->lang.pp, text + 1);
  }
  kiln_pp_start(c->lang.pp, input->name ? input->name : "<source>", input->source, input->size);
}

static void check_module(struct compilation *c) {
  char message[512];
  if (kiln_module_verify(c->module, message, sizeof message))
    return;
  kiln_strbuf_printf(&c->diags.text, "internal error: lowering: %s\n", message);
  kiln_module_free(c->module);
  c->module = NULL;
  c->status = KILN_ERR_INTERNAL;
}

static void compile(struct compilation *c, const struct kiln_lang_input *input) {
  kiln_names_init(&c->names, &c->arena);
  kiln_sources_init(&c->sources, &c->arena);
  c->diags.no_warnings = input->options.no_warnings;
  c->diags.warnings_are_errors = input->options.warnings_are_errors;
  c->options = input->options;
  if (!c->options.std)
    c->options.std = 120;
  c->lang = (struct kiln_lang){.arena = &c->arena,
                               .names = &c->names,
                               .sources = &c->sources,
                               .diags = &c->diags,
                               .types = kiln_ctypes_new(&c->arena),
                               .options = &c->options};
  make_preprocessor(c, input);
  const struct kiln_unit *unit = kiln_parse_unit(&c->lang);
  if (!c->diags.errors)
    c->module = kiln_lower_unit(&c->lang, unit);
  if (c->diags.errors) {
    kiln_module_free(c->module);
    c->module = NULL;
    c->status = KILN_ERR_COMPILE;
  } else if (!c->module) {
    c->status = KILN_ERR_MEMORY;
  } else {
    check_module(c);
  }
  kiln_diags_summary(&c->diags);
}

// Copies of the include probes. False when memory is exhausted.
static bool copy_includes(const struct kiln_pp *pp, struct kiln_lang_output *out) {
  const struct kiln_pp_include *includes;
  uint32_t count = pp ? kiln_pp_includes(pp, &includes) : 0;
  if (!count)
    return true;
  out->includes = calloc(count, sizeof *out->includes);
  if (!out->includes)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    out->includes[i].path = strdup(includes[i].path);
    if (!out->includes[i].path)
      return false;
    out->include_count++;
    out->includes[i].found = includes[i].found;
    if (includes[i].found) {
      struct kiln_hash128 hash = kiln_hash128(includes[i].text, includes[i].size);
      memcpy(out->includes[i].digest, hash.bytes, sizeof hash.bytes);
    }
  }
  return true;
}

enum kiln_status kiln_lang_compile(const struct kiln_lang_input *input, struct kiln_lang_output *out) {
  jmp_buf exhausted;
  *out = (struct kiln_lang_output){0};
  struct compilation *c = calloc(1, sizeof *c);
  if (!c)
    return KILN_ERR_MEMORY;
  kiln_arena_init(&c->arena, &exhausted);
  c->arena.limit = ARENA_LIMIT;
  c->arena.pool = input->pool;
  kiln_diags_init(&c->diags, &c->sources);
  if (setjmp(exhausted) == 0) {
    compile(c, input);
  } else {
    kiln_module_free(c->module);
    c->module = NULL;
    c->lang.pp = NULL;
    c->status = KILN_ERR_MEMORY;
  }
  enum kiln_status status = c->status;
  if (!copy_includes(c->lang.pp, out) || c->diags.text.failed)
    status = KILN_ERR_MEMORY;
  out->used_file_name = c->lang.pp && kiln_pp_used_file(c->lang.pp);
  if (c->diags.text.size)
    out->log = kiln_strbuf_take(&c->diags.text);
  out->module = c->module;
  if (status == KILN_ERR_MEMORY) {
    kiln_module_free(out->module);
    out->module = NULL;
  }
  kiln_diags_free(&c->diags);
  kiln_arena_free(&c->arena);
  free(c);
  return status;
}

void kiln_lang_output_free(struct kiln_lang_output *out) {
  for (uint32_t i = 0; i < out->include_count; i++)
    free(out->includes[i].path);
  free(out->includes);
  free(out->log);
  out->includes = NULL;
  out->include_count = 0;
  out->log = NULL;
}
