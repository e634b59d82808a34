// Parser of build options.
#include "jit/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/ir/images.h"
#include "jit/report.h"

#define FP_UNSAFE (KILN_FP_CONTRACT | KILN_FP_NSZ | KILN_FP_ARCP | KILN_FP_REASSOC | KILN_FP_APPROX)
#define FP_FINITE (KILN_FP_NNAN | KILN_FP_NINF)

// Options that only set bits.
static const struct flag {
  const char *text;
  uint16_t fp_flags;
  uint32_t build_flags;
} flags[] = {
    {"-g", 0, KILN_BUILD_DEBUG_INFO},
    {"-cl-denorms-are-zero", 0, KILN_BUILD_FTZ},
    {"-cl-fp32-correctly-rounded-divide-sqrt", 0, KILN_BUILD_EXACT_DIV},
    {"-cl-mad-enable", KILN_FP_CONTRACT, 0},
    {"-cl-no-signed-zeros", KILN_FP_NSZ, 0},
    {"-cl-unsafe-math-optimizations", FP_UNSAFE, 0},
    {"-cl-finite-math-only", FP_FINITE, 0},
    {"-cl-fast-relaxed-math", FP_UNSAFE | FP_FINITE, KILN_BUILD_FAST_MATH},
    // These change nothing here: argument information is always kept, types are trusted to be aliased as in C, work
    // groups may be partial at run time, and sub-groups give no promise of independent progress.
    {"-cl-kernel-arg-info", 0, 0},
    {"-cl-strict-aliasing", 0, 0},
    {"-cl-uniform-work-group-size", 0, 0},
    {"-cl-no-subgroup-ifp", 0, 0},
};

static const struct {
  const char *text;
  uint32_t std;
} standards[] = {
    {"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120}, {"CL2.0", 200}, {"CL3.0", 300},
};

struct parser {
  const struct kiln_base_backend *backend;
  struct kiln_build_options *out;
  char **words; // NUL-terminated
  uint32_t word_count, next;
  const char **defines, **dirs, **values;
  struct kiln_spec_value *specs;
  char *free_text; // room for the defines
};

// ---- words ---------------------------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

// Copies the next word to *to, without its quotes. NULL at the end. *open: a quote is not closed.
static char *next_word(const char **from, char **to, bool *open) {
  const char *p = *from;
  while (is_blank(*p))
    p++;
  if (!*p)
    return NULL;
  char *word = *to, *q = word, quote = 0;
  for (; *p && (quote || !is_blank(*p)); p++) {
    if (quote ? *p == quote : (*p == '"' || *p == '\'')) {
      quote = quote ? 0 : *p;
      continue;
    }
    if (*p == '\\' && quote != '\'' && (p[1] == '"' || p[1] == '\'' || p[1] == '\\' || (!quote && is_blank(p[1]))))
      p++;
    *q++ = *p;
  }
  *q++ = 0;
  *from = p;
  *to = q;
  *open = quote != 0;
  return word;
}

// The value of an option that is glued to it or the next word; NULL with an error when there is none.
static const char *option_value(struct parser *p, const char *word, size_t prefix) {
  if (word[prefix])
    return word + prefix;
  if (p->next < p->word_count)
    return p->words[p->next++];
  kiln_error(KILN_ERR_INVALID, "build option '%s' needs a value", word);
  return NULL;
}

// ---- single options ------------------------------------------------------------------------------------------------

static bool is_name_start(char c) { return c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

static enum kiln_status macro(struct parser *p, char kind, const char *text) {
  size_t n = 0;
  if (is_name_start(*text)) {
    while (is_name(text[n]))
      n++;
  }
  bool ok = n > 0 && (kind == 'U' ? !text[n] : !text[n] || text[n] == '=' || text[n] == '(');
  if (!ok)
    return kiln_error(KILN_ERR_INVALID, "build option '-%c%s': '%s' is no macro name", kind, text, text);
  struct kiln_lang_options *lang = &p->out->lang;
  lang->defines = p->defines;
  p->defines[lang->define_count++] = p->free_text;
  // "-DNAME" is "-DNAME=1": one spelling for the preprocessor and for the cache key.
  *p->free_text++ = kind;
  p->free_text = stpcpy(stpcpy(p->free_text, text), kind == 'D' && !text[n] ? "=1" : "") + 1;
  return KILN_OK;
}

static enum kiln_status standard(struct parser *p, const char *text) {
  for (size_t i = 0; i < sizeof standards / sizeof *standards; i++) {
    if (strcmp(text, standards[i].text) == 0) {
      p->out->lang.std = standards[i].std;
      return KILN_OK;
    }
  }
  return kiln_error(KILN_ERR_INVALID,
                    "build option '-cl-std=%s': the versions are CL1.0, CL1.1, CL1.2, CL2.0 and CL3.0", text);
}

static enum kiln_status unknown_backend_option(const struct parser *p, const char *word) {
  struct kiln_strbuf list = {0}, name = {0};
  struct kiln_near_names near = {0};
  kiln_strbuf_printf(&name, "%.*s", (int)strcspn(word, "=") - (int)strlen("--kiln-"), word + strlen("--kiln-"));
  for (uint32_t i = 0; i < p->backend->option_count; i++) {
    kiln_strbuf_printf(&list, "%s--kiln-%s", i ? ", " : "", p->backend->options[i].name);
    if (name.data)
      kiln_near_names_offer(&near, name.data, p->backend->options[i].name);
  }
  const char *meant = name.data ? kiln_near_names_meant(&near, name.data) : NULL;
  kiln_error(KILN_ERR_INVALID, "unknown build option '%s'; backend '%s' has %s%s%s%s", word, p->backend->name,
             list.data ? list.data : "no options of its own", meant ? "; did you mean '--kiln-" : "",
             meant ? meant : "", meant ? "'?" : "");
  kiln_strbuf_free(&list);
  kiln_strbuf_free(&name);
  return KILN_ERR_INVALID;
}

static enum kiln_status unknown_option(const char *word) {
  static const char *const others[] = {"-cl-std=", "-cl-single-precision-constant", "-cl-opt-disable"};
  struct kiln_near_names near = {0};
  char wrong[64]; // without its value
  size_t size = strcspn(word, "=");
  snprintf(wrong, sizeof wrong, "%.*s", (int)(size + (word[size] == '=')), word);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    kiln_near_names_offer(&near, wrong, flags[i].text);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    kiln_near_names_offer(&near, wrong, others[i]);
  const char *meant = strlen(wrong) > 3 ? kiln_near_names_meant(&near, wrong) : NULL;
  return kiln_error(KILN_ERR_INVALID,
                    meant ? "unknown build option '%s'; did you mean '%s'?" : "unknown build option '%s'", word, meant);
}

// Checks the value of a backend option and makes its spelling canonical.
static const char *backend_option_value(const struct kiln_option *option, const char *text) {
  static const char *const yes[] = {"1", "true", "on", "yes"}, *const no[] = {"0", "false", "off", "no"};
  switch (option->type) {
  case KILN_OPTION_BOOL:
    for (int i = 0; i < 4; i++) {
      if (strcmp(text, yes[i]) == 0)
        return "1";
      if (strcmp(text, no[i]) == 0)
        return "0";
    }
    return NULL;
  case KILN_OPTION_INT: {
    char *end;
    errno = 0;
    (void)strtoll(text, &end, 10);
    return *text && !is_blank(*text) && *text != '+' && !*end && !errno ? text : NULL;
  }
  case KILN_OPTION_STRING:
    return text;
  }
  return NULL;
}

bool kiln_options_has(const struct kiln_base_backend *backend, const char *name) {
  for (uint32_t i = 0; i < backend->option_count; i++)
    if (strcmp(backend->options[i].name, name) == 0)
      return true;
  return false;
}

static enum kiln_status backend_option(struct parser *p, const char *word) {
  static const char *const type_names[] = {"0 or 1", "a whole number", "a text"};
  const char *name = word + strlen("--kiln-");
  size_t size = strcspn(name, "=");
  for (uint32_t i = 0; i < p->backend->option_count; i++) {
    const struct kiln_option *option = &p->backend->options[i];
    if (strlen(option->name) != size || memcmp(option->name, name, size) != 0)
      continue;
    const char *text = name[size] ? name + size + 1 : option->type == KILN_OPTION_BOOL ? "1" : NULL;
    if (!text)
      return kiln_error(KILN_ERR_INVALID, "build option '%s' needs a value: %s=…", word, word);
    p->values[i] = backend_option_value(option, text);
    if (!p->values[i])
      return kiln_error(KILN_ERR_INVALID, "build option '%s': the value must be %s", word, type_names[option->type]);
    return KILN_OK;
  }
  return unknown_backend_option(p, word);
}

// What images and samplers of a kernel are known to be; the library itself gives it for launches (variant.c).
static enum kiln_status image_formats(struct parser *p, const char *text) {
  struct kiln_image_constant known[KILN_IMAGE_CONSTANTS];
  uint32_t count;
  if (strcmp(text, KILN_IMAGES_GENERIC) != 0 && !kiln_image_constants_read(text, known, &count))
    return kiln_error(KILN_ERR_INVALID,
                      "build option '--kiln-images=%s': the value must be formats and samplers, such as "
                      "rgba:unorm8,0x14, or %s",
                      text, KILN_IMAGES_GENERIC);
  p->out->lang.image_formats = text;
  return KILN_OK;
}

// One constant of a module of SPIR-V. They are kept in the order of ids, so that equal programs have equal keys.
static enum kiln_status spec_value(struct parser *p, const char *word) {
  const char *digits = word + strlen("--kiln-spec=");
  char *end = (char *)(uintptr_t)digits;
  errno = 0;
  unsigned long id = digits[0] >= '0' && digits[0] <= '9' ? strtoul(digits, &end, 10) : 0;
  if (end == digits || *end != '=' || !end[1] || errno || id > UINT32_MAX)
    return kiln_error(KILN_ERR_INVALID, "build option '%s': it must be --kiln-spec=ID=VALUE", word);
  struct kiln_lang_options *lang = &p->out->lang;
  lang->spec_values = p->specs;
  uint32_t at = lang->spec_value_count++;
  for (; at && p->specs[at - 1].id >= id; at--) {
    if (p->specs[at - 1].id == id)
      return kiln_error(KILN_ERR_INVALID, "build option '%s': constant %lu has a value already", word, id);
    p->specs[at] = p->specs[at - 1];
  }
  p->specs[at] = (struct kiln_spec_value){(uint32_t)id, end + 1};
  return KILN_OK;
}

static bool begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

// -Werror, -Wno-error, -Wname, -Wno-name, -Werror=name, -Wno-error=name
static enum kiln_status warning(struct parser *p, const char *word) {
  static const struct {
    const char *prefix;
    enum kiln_warning_choice choice;
  } forms[] = {{"-Werror=", KILN_CHOICE_ERROR},
               {"-Wno-error=", KILN_CHOICE_NO_ERROR},
               {"-Wno-", KILN_CHOICE_OFF},
               {"-W", KILN_CHOICE_ON}};
  struct kiln_warning_options *warnings = &p->out->lang.warnings;
  if (strcmp(word, "-Werror") == 0 || strcmp(word, "-Wno-error") == 0) {
    warnings->errors = word[2] == 'e';
    return KILN_OK;
  }
  size_t form = 0;
  while (!begins(word, forms[form].prefix))
    form++;
  const char *name = word + strlen(forms[form].prefix);
  // There is nothing to turn off: options for other compilers do no harm.
  if (kiln_warning_choose(warnings, name, forms[form].choice) || forms[form].choice == KILN_CHOICE_OFF)
    return KILN_OK;
  const char *near = kiln_warning_nearest(name);
  if (!near && kiln_edit_distance(name, "error", 2) <= 2)
    near = "error";
  return kiln_error(KILN_ERR_INVALID,
                    near ? "build option '%s': there is no such warning; did you mean '%s%s'?"
                         : "build option '%s': there is no such warning",
                    word, forms[form].prefix, near);
}

static enum kiln_status option(struct parser *p, const char *word) {
  struct kiln_build_options *out = p->out;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strcmp(word, flags[i].text) == 0) {
      out->lang.fp_flags |= flags[i].fp_flags;
      out->backend.flags |= flags[i].build_flags;
      out->lang.fast_relaxed_math |= (flags[i].build_flags & KILN_BUILD_FAST_MATH) != 0;
      return KILN_OK;
    }
  }
  if (begins(word, "-D") || begins(word, "-U")) {
    const char *value = option_value(p, word, 2);
    return value ? macro(p, word[1], value) : KILN_ERR_INVALID;
  }
  if (begins(word, "-I")) {
    const char *value = option_value(p, word, 2);
    if (!value)
      return KILN_ERR_INVALID;
    out->lang.include_dirs = p->dirs;
    p->dirs[out->lang.include_dir_count++] = value;
    return KILN_OK;
  }
  if (begins(word, "-cl-std="))
    return standard(p, word + strlen("-cl-std="));
  if (begins(word, "--kiln-images="))
    return image_formats(p, word + strlen("--kiln-images="));
  if (begins(word, "--kiln-spec="))
    return spec_value(p, word);
  if (begins(word, "--kiln-"))
    return backend_option(p, word);
  if (strcmp(word, "-w") == 0) {
    out->lang.warnings.none = true;
  } else if (begins(word, "-W")) {
    return warning(p, word);
  } else if (strcmp(word, "-cl-single-precision-constant") == 0) {
    out->lang.single_precision_constants = true;
  } else if (strcmp(word, "-cl-opt-disable") == 0) {
    out->backend.optimize = 0;
  } else if (word[0] == '-' && word[1] == 'O' && word[2] >= '0' && word[2] <= '3' && !word[3]) {
    out->backend.optimize = (uint32_t)(word[2] - '0');
  } else {
    return unknown_option(word);
  }
  return KILN_OK;
}

// ---- entry points --------------------------------------------------------------------------------------------------

enum kiln_status kiln_options_parse(const char *text, const struct kiln_base_backend *backend,
                                    struct kiln_build_options *out) {
  memset(out, 0, sizeof *out);
  out->lang.std = 120;
  out->backend.optimize = 2;
  if (!text)
    text = "";

  // One block for everything. A word takes at least two characters, and a define three more than its word.
  size_t size = strlen(text), max_words = size / 2 + 1, option_count = backend->option_count;
  size_t pointers = (3 * max_words + option_count) * sizeof(char *);
  size_t max_specs = size / strlen("--kiln-spec=0=0") + 1, specs = max_specs * sizeof(struct kiln_spec_value);
  out->storage = malloc(specs + pointers + (size + 1) + (size + 4 * max_words + 1));
  if (!out->storage)
    return kiln_error_memory();
  struct parser p = {.backend = backend, .out = out};
  p.specs = out->storage;
  p.words = (char **)(p.specs + max_specs);
  p.defines = (const char **)p.words + max_words;
  p.dirs = p.defines + max_words;
  p.values = p.dirs + max_words;
  char *to = (char *)(p.values + option_count);
  p.free_text = to + size + 1;
  for (uint32_t i = 0; i < option_count; i++)
    p.values[i] = backend->options[i].default_value ? backend->options[i].default_value : "";
  out->backend.values = p.values;

  enum kiln_status status = KILN_OK;
  bool open = false;
  for (char *word; (word = next_word(&text, &to, &open)); p.word_count++)
    p.words[p.word_count] = word;
  if (open)
    status = kiln_error(KILN_ERR_INVALID, "build options: the quote in '%s' is not closed", p.words[p.word_count - 1]);
  while (status == KILN_OK && p.next < p.word_count)
    status = option(&p, p.words[p.next++]);
  if (status != KILN_OK)
    kiln_options_free(out);
  return status;
}

void kiln_options_free(struct kiln_build_options *options) {
  free(options->storage);
  memset(options, 0, sizeof *options);
}

// What only hides warnings makes no other code, and an entry has them all; what makes them errors, or errors warnings,
// decides whether there is any code.
static void canonical_warnings(const struct kiln_lang_options *lang, struct kiln_strbuf *out) {
  struct kiln_warning_row rows[KILN_WARNING_COUNT];
  kiln_warning_rows(&lang->warnings, rows);
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++)
    if ((rows[id].level == KILN_WARNING_ERROR) != rows[id].is_error)
      kiln_strbuf_printf(out, "-W%s=%d\n", rows[id].name, !rows[id].is_error);
}

void kiln_options_canonical(const struct kiln_build_options *options, const struct kiln_base_backend *backend,
                            bool with_paths, struct kiln_strbuf *out) {
  const struct kiln_lang_options *lang = &options->lang;
  kiln_strbuf_printf(out, "std=%u fp=%x flags=%x optimize=%u single=%d fast=%d\n", (unsigned)lang->std,
                     (unsigned)lang->fp_flags, (unsigned)options->backend.flags, (unsigned)options->backend.optimize,
                     lang->single_precision_constants, lang->fast_relaxed_math);
  canonical_warnings(lang, out);
  for (uint32_t i = 0; i < lang->define_count; i++)
    kiln_strbuf_printf(out, "%zu:%s\n", strlen(lang->defines[i]), lang->defines[i]);
  if (lang->image_formats)
    kiln_strbuf_printf(out, "images=%s\n", lang->image_formats);
  for (uint32_t i = 0; i < lang->spec_value_count; i++)
    kiln_strbuf_printf(out, "constant %u=%s\n", (unsigned)lang->spec_values[i].id, lang->spec_values[i].text);
  kiln_strbuf_printf(out, "include folders=%u\n", (unsigned)lang->include_dir_count);
  for (uint32_t i = 0; with_paths && i < lang->include_dir_count; i++)
    kiln_strbuf_printf(out, "%zu:%s\n", strlen(lang->include_dirs[i]), lang->include_dirs[i]);
  for (uint32_t i = 0; i < backend->option_count; i++) {
    if (backend->options[i].changes_code)
      kiln_strbuf_printf(out, "%s=%zu:%s\n", backend->options[i].name, strlen(options->backend.values[i]),
                         options->backend.values[i]);
  }
}
