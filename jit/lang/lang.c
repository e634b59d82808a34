// The front end as one call. One arena holds everything of a compilation; what does not fit jumps back here.
#include "jit/lang/lang.h"

#include <stdlib.h>

#include "base/hash.h"
#include "jit/ir/internal.h"
#include "jit/lang/ast/ctype.h"
#include "jit/lang/lower/lower.h"
#include "jit/lang/parse/parse.h"
#include "jit/lang/pp/pp.h"

// Memory of a compilation: so much, and so much for each byte of the source and the headers that came with it. The
// costliest texts without macros (many short statements) take less than 160 bytes for one.
#define BASE_BYTES ((size_t)512 << 20)
#define BYTES_PER_BYTE ((size_t)192)
#define MOST_BYTES ((size_t)8 << 30)

struct compilation { // after setjmp: not in registers
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_sources sources;
  struct kiln_diags diags;
  struct kiln_warning_row warnings[KILN_WARNING_COUNT];
  struct kiln_lang_options options;
  struct kiln_predefined predefined;
  struct kiln_lang lang;
  struct kiln_module *module;
  struct kiln_strbuf fault; // an error of no location in the source
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
                                  .images = c->options.images,
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

#ifdef KILN_DEBUG
static void verify_module(struct compilation *c) {
  char message[512];
  c->status = kiln_module_check(c->module, KILN_ERR_INTERNAL, message, sizeof message);
  if (c->status == KILN_OK)
    return;
  kiln_strbuf_printf(&c->fault, "internal error: lowering: %s\n", message);
  kiln_module_free(c->module);
  c->module = NULL;
}
#endif

static void compile(struct compilation *c, const struct kiln_lang_input *input) {
  kiln_names_init(&c->names, &c->arena);
  kiln_sources_init(&c->sources, &c->arena);
  kiln_warning_rows(&input->options.warnings, c->warnings);
  c->diags.warnings_table = c->warnings;
  c->options = input->options;
  if (!c->options.std)
    c->options.std = 120;
  c->lang = (struct kiln_lang){.arena = &c->arena,
                               .names = &c->names,
                               .sources = &c->sources,
                               .diags = &c->diags,
                               .types = kiln_ctypes_new(&c->arena),
                               .options = &c->options,
                               .source_name = input->name ? input->name : "<source>"};
  make_preprocessor(c, input);
  const struct kiln_unit *unit = kiln_parse_unit(&c->lang);
  if (!c->diags.errors) {
    c->module = kiln_lower_unit(&c->lang, unit);
    bool good = c->module && !kiln_module_failed(c->module);
    if (!good && c->arena.over_limit)
      longjmp(*c->arena.exhausted, 1);
    c->status = good ? KILN_OK : KILN_ERR_MEMORY; // with errors, maybe, that are none of the source
  }
#ifdef KILN_DEBUG
  if (c->status == KILN_OK && !c->diags.errors)
    verify_module(c);
#endif
  if (c->status == KILN_OK && c->diags.errors) {
    kiln_module_free(c->module);
    c->module = NULL;
    c->status = KILN_ERR_COMPILE;
  }
}

// The diagnostics as they are told, and what is kept of the warnings. False when memory is exhausted.
static bool write_log(struct compilation *c, const char *name, struct kiln_lang_output *out) {
  struct kiln_diags told = c->diags; // its counts
  told.text = (struct kiln_strbuf){0};
  struct kiln_str blocks = {c->diags.text.data, c->diags.text.size};
  kiln_diag_blocks_text(blocks, c->warnings, KILN_WARNING_COUNT, name, &told.text);
  if (c->fault.size)
    kiln_strbuf_append(&told.text, c->fault.data, c->fault.size);
  kiln_diags_summary(&told);
  bool failed = told.text.failed || c->fault.failed || c->diags.text.failed;
  if (told.text.size)
    out->log = kiln_strbuf_take(&told.text);
  if (c->status == KILN_OK && blocks.size && !failed) {
    out->warnings_size = blocks.size;
    out->warnings = kiln_strbuf_take(&c->diags.text);
    failed = !out->warnings;
  }
  kiln_strbuf_free(&told.text);
  return !failed;
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

static size_t limit_of(const struct kiln_lang_input *input) {
  size_t bytes = input->size;
  for (uint32_t i = 0; i < input->header_count && bytes < MOST_BYTES; i++)
    bytes += input->headers[i].size;
  return bytes < (MOST_BYTES - BASE_BYTES) / BYTES_PER_BYTE ? BASE_BYTES + BYTES_PER_BYTE * bytes : MOST_BYTES;
}

enum kiln_status kiln_lang_compile(const struct kiln_lang_input *input, struct kiln_lang_output *out) {
  jmp_buf exhausted;
  *out = (struct kiln_lang_output){0};
  struct compilation *c = calloc(1, sizeof *c);
  if (!c)
    return KILN_ERR_MEMORY;
  kiln_arena_init(&c->arena, &exhausted);
  c->arena.limit = limit_of(input);
  c->arena.pool = input->pool;
  kiln_diags_init(&c->diags, &c->sources);
  c->diags.keeps_blocks = true;
  c->diags.source_name = input->name;
  if (setjmp(exhausted) == 0) {
    compile(c, input);
  } else {
    kiln_module_free(c->module);
    c->module = NULL;
    c->lang.pp = NULL;
    c->status = c->arena.over_limit ? KILN_ERR_COMPILE : KILN_ERR_MEMORY;
    if (c->arena.over_limit)
      kiln_strbuf_printf(&c->fault, "%s: error: compiling it needs more than %zu MiB of memory\n",
                         input->name ? input->name : "<source>", c->arena.limit >> 20);
  }
  enum kiln_status status = c->status;
  if (!copy_includes(c->lang.pp, out) || (status != KILN_ERR_MEMORY && !write_log(c, input->name, out)))
    status = KILN_ERR_MEMORY;
  out->used_file_name = c->lang.names_file || (c->lang.pp && kiln_pp_used_file(c->lang.pp));
  out->module = c->module;
  if (status == KILN_ERR_MEMORY) { // what was told so far may not be the whole truth
    kiln_module_free(out->module);
    out->module = NULL;
    free(out->log);
    free(out->warnings);
    out->log = out->warnings = NULL;
  }
  kiln_strbuf_free(&c->fault);
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
  free(out->warnings);
  out->includes = NULL;
  out->include_count = 0;
  out->log = out->warnings = NULL;
}
