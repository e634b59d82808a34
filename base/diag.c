// Diagnostics as clang prints them.
#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  MAX_WARNINGS = 100,     // shown; the rest is counted
  MAX_KEPT = 1000,        // in blocks
  LINE_BEFORE = 100,      // of a very long line, bytes shown before the caret
  LINE_AFTER = 100,       // and from it on
  MAX_EXPANSIONS = 6,     // notes about macros of one report: the first half and the last half
  MAX_INCLUDE_DEPTH = 256 // lines of one chain of includes
};

void kiln_diags_init(struct kiln_diags *diags, const struct kiln_sources *sources) {
  *diags = (struct kiln_diags){.sources = sources, .error_limit = 20};
}

void kiln_diags_free(struct kiln_diags *diags) { kiln_strbuf_free(&diags->text); }

// ---- locations ------------------------------------------------------------------------------------------------------

// Whether the token is from an argument of the macro rather than from its body: a body stands before every use of its
// macro, an argument after the macro's name.
static bool is_argument(const struct kiln_diags *diags, const struct kiln_expansion *expansion) {
  kiln_location spelled = kiln_sources_spelled(diags->sources, expansion->spelled);
  kiln_location used = kiln_sources_spelled(diags->sources, expansion->expanded);
  return spelled > used && kiln_sources_file(diags->sources, spelled) == kiln_sources_file(diags->sources, used);
}

// The location in a file that the caret goes to: the use of the macro, or the argument that the user wrote.
static kiln_location caret_location(const struct kiln_diags *diags, kiln_location location) {
  for (struct kiln_expansion expansion; location & KILN_LOCATION_MACRO;) {
    if (!kiln_sources_expansion(diags->sources, location, &expansion))
      return 0;
    location = is_argument(diags, &expansion) ? expansion.spelled : expansion.expanded;
  }
  return location;
}

// ---- one line of source ---------------------------------------------------------------------------------------------

// Bytes of the UTF-8 character at text, 0 when it is not one that can be shown as it is.
static unsigned shown_size(const unsigned char *text, uint32_t room) {
  unsigned char c = text[0];
  if (c < 0x80)
    return c == '\t' || (c >= 0x20 && c != 0x7f);
  unsigned size = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (size == 0 || size > room)
    return 0;
  for (unsigned i = 1; i < size; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) ||
      (c == 0xf4 && text[1] > 0x8f) || (c == 0xc2 && text[1] < 0xa0))
    return 0; // overlong forms, surrogates, past the last character, C1 controls
  return size;
}

// Shows [first, end) of the line, and below it a caret at column caret with a range up to range_end (offsets in the
// line). What cannot be shown is written as <FF>, and takes as many columns in the caret's line.
static void show_line(struct kiln_strbuf *out, const char *line, uint32_t size, uint32_t caret, uint32_t range_end) {
  uint32_t first = caret > LINE_BEFORE ? caret - LINE_BEFORE : 0;
  uint32_t end = size - first > LINE_BEFORE + LINE_AFTER ? first + LINE_BEFORE + LINE_AFTER : size;
  const unsigned char *text = (const unsigned char *)line;
  while (first > 0 && first < size && (text[first] & 0xc0) == 0x80)
    first++; // not within a character
  struct kiln_strbuf below = {0};
  if (first != 0) {
    kiln_strbuf_puts(out, "...");
    kiln_strbuf_puts(&below, "   ");
  }
  for (uint32_t at = first; at < end;) {
    unsigned width = shown_size(text + at, size - at), columns = 1;
    char mark = at < range_end && at > caret ? '~' : ' ';
    uint32_t next = at + (width ? width : 1);
    if (width != 0) {
      kiln_strbuf_append(out, text + at, width);
    } else {
      kiln_strbuf_printf(out, "<%02X>", text[at]);
      columns = 4;
    }
    if (at <= caret && caret < next) {
      kiln_strbuf_putc(&below, '^');
      mark = caret < range_end ? '~' : ' ';
      columns--;
    } else if (text[at] == '\t') {
      mark = '\t'; // a tab in the line below keeps what follows aligned
    }
    for (; columns != 0; columns--)
      kiln_strbuf_putc(&below, mark);
    at = next;
  }
  kiln_strbuf_puts(out, end < size ? "...\n" : "\n");
  if (caret >= end)
    kiln_strbuf_putc(&below, '^');
  while (below.size != 0 && (below.data[below.size - 1] == ' ' || below.data[below.size - 1] == '\t'))
    below.size--;
  kiln_strbuf_append(out, below.data, below.size);
  kiln_strbuf_putc(out, '\n');
  kiln_strbuf_free(&below);
}

// location is of a file; end is of a file or 0.
static void show_position(struct kiln_diags *diags, kiln_location location, kiln_location end) {
  struct kiln_position at = kiln_sources_position(diags->sources, location);
  uint32_t caret = at.column - 1, range_end = caret;
  if (end > location && kiln_sources_file(diags->sources, end) == kiln_sources_file(diags->sources, location)) {
    uint32_t length = end - location; // a range over several lines is underlined up to the end of its first
    range_end = length < at.line_size - (caret < at.line_size ? caret : at.line_size) ? caret + length : at.line_size;
  }
  show_line(&diags->text, at.line_text, at.line_size, caret, range_end);
}

// ---- reports --------------------------------------------------------------------------------------------------------

static void show_file(struct kiln_diags *diags, const char *file) {
  if (diags->keeps_blocks && diags->source_name && strcmp(file, diags->source_name) == 0)
    kiln_strbuf_putc(&diags->text, KILN_BLOCK_NAME);
  else
    kiln_strbuf_puts(&diags->text, file);
}

// The location that includes the file of location; 0: none.
static kiln_location including_location(const struct kiln_diags *diags, kiln_location location) {
  const struct kiln_source_file *file = kiln_sources_file(diags->sources, location);
  return file ? file->included_at : 0;
}

static void show_chain(struct kiln_diags *diags, kiln_location included_at) {
  kiln_location chain[MAX_INCLUDE_DEPTH];
  unsigned depth = 0;
  while (included_at && depth < MAX_INCLUDE_DEPTH) {
    included_at = kiln_sources_expanded(diags->sources, included_at);
    chain[depth++] = included_at;
    included_at = including_location(diags, included_at);
  }
  while (depth-- > 0) {
    struct kiln_position at = kiln_sources_position(diags->sources, chain[depth]);
    kiln_strbuf_puts(&diags->text, "In file included from ");
    show_file(diags, at.file);
    kiln_strbuf_printf(&diags->text, ":%u:\n", at.line);
  }
}

static void show_includes(struct kiln_diags *diags, kiln_location location, enum kiln_severity severity) {
  kiln_location included_at = including_location(diags, location);
  if (included_at == diags->last_include)
    return;
  diags->last_include = included_at;
  if (severity != KILN_NOTE)
    show_chain(diags, included_at);
}

// Each block has its chain: the one before may not be told.
static void begin_block(struct kiln_diags *diags, const char *name, kiln_location location) {
  kiln_strbuf_putc(&diags->text, KILN_BLOCK);
  kiln_strbuf_puts(&diags->text, name);
  kiln_strbuf_putc(&diags->text, KILN_BLOCK);
  if (location)
    show_chain(diags, including_location(diags, location));
  kiln_strbuf_putc(&diags->text, KILN_BLOCK);
}

static void show_heading(struct kiln_diags *diags, enum kiln_severity severity, kiln_location location) {
  static const char *const names[] = {
      [KILN_NOTE] = "note", [KILN_WARNING] = "warning", [KILN_ERROR] = "error", [KILN_FATAL] = "fatal error"};
  if (location) {
    struct kiln_position at = kiln_sources_position(diags->sources, location);
    show_file(diags, at.file);
    kiln_strbuf_printf(&diags->text, ":%u:%u: ", at.line, at.column);
  }
  kiln_strbuf_printf(&diags->text, "%s: ", names[severity]);
}

// Notes for the macros that location came through, the outermost first.
static void show_expansions(struct kiln_diags *diags, kiln_location location) {
  unsigned count = 0;
  struct kiln_expansion expansion;
  for (kiln_location at = location; at & KILN_LOCATION_MACRO;) {
    if (!kiln_sources_expansion(diags->sources, at, &expansion))
      return;
    bool argument = is_argument(diags, &expansion);
    count += !argument;
    at = argument ? expansion.spelled : expansion.expanded;
  }
  // The chain leads inside out. Of a long one only the ends are kept, so one walk fills a small array.
  struct kiln_expansion shown[MAX_EXPANSIONS];
  unsigned index = 0, kept = 0;
  for (kiln_location at = location; at & KILN_LOCATION_MACRO;) {
    kiln_sources_expansion(diags->sources, at, &expansion);
    bool argument = is_argument(diags, &expansion);
    if (!argument) {
      if (index < MAX_EXPANSIONS / 2 || index + MAX_EXPANSIONS / 2 >= count)
        shown[kept++] = expansion;
      index++;
    }
    at = argument ? expansion.spelled : expansion.expanded;
  }
  while (kept-- > 0) {
    kiln_location spelled = kiln_sources_spelled(diags->sources, shown[kept].spelled);
    if (!kiln_sources_file(diags->sources, spelled))
      continue; // made by ## or from the command line: there is no text to show
    show_heading(diags, KILN_NOTE, spelled);
    kiln_strbuf_printf(&diags->text, "expanded from macro '%s'\n", shown[kept].macro);
    show_position(diags, spelled, 0);
    if (kept == MAX_EXPANSIONS / 2 && count > MAX_EXPANSIONS)
      kiln_strbuf_printf(&diags->text, "note: (%u expansions are not shown)\n", count - MAX_EXPANSIONS);
  }
}

// Counts the report; whether it is to be shown.
static bool admit(struct kiln_diags *diags, enum kiln_severity severity) {
  if (severity == KILN_NOTE)
    return !diags->muted;
  diags->muted = diags->fatal;
  if (diags->muted)
    return false;
  if (severity == KILN_WARNING) {
    diags->warnings++;
    diags->muted = diags->keeps_blocks ? ++diags->kept > MAX_KEPT : diags->warnings > MAX_WARNINGS;
  } else {
    diags->fatal = severity == KILN_FATAL;
    diags->errors++;
    diags->muted = diags->errors > diags->error_limit;
  }
  return !diags->muted;
}

// What a program says may hold bytes that are marks of blocks.
static void add_message(struct kiln_diags *diags, const char *format, va_list args) {
  size_t start = diags->text.size;
  kiln_strbuf_vprintf(&diags->text, format, args);
  for (size_t i = start; i < diags->text.size && diags->keeps_blocks; i++)
    if (diags->text.data[i] == KILN_BLOCK || diags->text.data[i] == KILN_BLOCK_NAME)
      diags->text.data[i] = '?';
}

// name: of the warning that it is; "": of none. suffix: after the message.
static void report(struct kiln_diags *diags, enum kiln_severity severity, kiln_location location, kiln_location end,
                   const char *name, const char *suffix, const char *format, va_list args) {
  kiln_location caret = diags->sources ? caret_location(diags, location) : 0;
  if (caret && !kiln_sources_file(diags->sources, caret))
    caret = 0;
  if (diags->keeps_blocks && severity != KILN_NOTE)
    begin_block(diags, name, caret);
  else if (caret && !diags->keeps_blocks)
    show_includes(diags, caret, severity);
  show_heading(diags, severity, caret);
  add_message(diags, format, args);
  kiln_strbuf_puts(&diags->text, suffix);
  kiln_strbuf_putc(&diags->text, '\n');
  if (caret) {
    show_position(diags, caret, caret_location(diags, end));
    show_expansions(diags, location);
  }
}

void kiln_diag_v(struct kiln_diags *diags, enum kiln_severity severity, kiln_location location, kiln_location end,
                 const char *format, va_list args) {
  if (admit(diags, severity))
    report(diags, severity, location, end, "", "", format, args);
}

// Whether an ignored warning is kept all the same.
static bool admit_ignored(struct kiln_diags *diags) {
  diags->muted = !diags->keeps_blocks || diags->fatal || ++diags->kept > MAX_KEPT;
  return !diags->muted;
}

void kiln_diag_warning_v(struct kiln_diags *diags, unsigned id, kiln_location location, kiln_location end,
                         const char *format, va_list args) {
  static const struct kiln_warning_row unnamed = {"", KILN_WARNING_SHOWN, false};
  const struct kiln_warning_row *row = diags->warnings_table ? &diags->warnings_table[id] : &unnamed;
  bool is_error = row->level == KILN_WARNING_ERROR;
  enum kiln_severity severity = is_error ? KILN_ERROR : KILN_WARNING;
  if (!(row->level == KILN_WARNING_IGNORED ? admit_ignored(diags) : admit(diags, severity)))
    return;
  char suffix[96] = "";
  if (*row->name)
    snprintf(suffix, sizeof suffix, " [%s-W%s]", is_error && !row->is_error ? "-Werror," : "", row->name);
  report(diags, severity, location, end, is_error ? "" : row->name, suffix, format, args);
}

void kiln_diag_warning(struct kiln_diags *diags, unsigned id, kiln_location location, kiln_location end,
                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_diag_warning_v(diags, id, location, end, format, args);
  va_end(args);
}

void kiln_diag(struct kiln_diags *diags, enum kiln_severity severity, kiln_location location, kiln_location end,
               const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_diag_v(diags, severity, location, end, format, args);
  va_end(args);
}

void kiln_diag_counts(struct kiln_strbuf *out, unsigned warnings, unsigned errors) {
  if (errors == 0 && warnings == 0)
    return;
  if (warnings != 0)
    kiln_strbuf_printf(out, "%u warning%s", warnings, warnings == 1 ? "" : "s");
  if (errors != 0)
    kiln_strbuf_printf(out, "%s%u error%s", warnings ? " and " : "", errors, errors == 1 ? "" : "s");
  kiln_strbuf_puts(out, " generated.\n");
}

void kiln_diags_summary(struct kiln_diags *diags) {
  kiln_diag_counts(&diags->text, diags->warnings, diags->errors);
  if (diags->errors > diags->error_limit)
    kiln_strbuf_printf(&diags->text, "Only the first %u errors are shown.\n", diags->error_limit);
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

// The bytes before the next mark, which is passed over. At the end, what is left.
static struct kiln_str next_part(struct kiln_str *rest) {
  const char *mark = rest->size ? memchr(rest->data, KILN_BLOCK, rest->size) : NULL;
  size_t size = mark ? (size_t)(mark - rest->data) : rest->size, step = mark ? size + 1 : size;
  struct kiln_str part = {rest->data, size};
  if (step) // data may be NULL otherwise
    rest->data += step;
  rest->size -= step;
  return part;
}

static bool is_ignored(struct kiln_str name, const struct kiln_warning_row *rows, unsigned row_count) {
  for (unsigned id = 0; id < row_count; id++)
    if (strlen(rows[id].name) == name.size && memcmp(rows[id].name, name.data, name.size) == 0)
      return rows[id].level == KILN_WARNING_IGNORED;
  return false;
}

static void put_named(struct kiln_strbuf *out, struct kiln_str text, const char *source_name) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == KILN_BLOCK_NAME)
      kiln_strbuf_puts(out, source_name);
    else
      kiln_strbuf_putc(out, text.data[i]);
}

unsigned kiln_diag_blocks_text(struct kiln_str blocks, const struct kiln_warning_row *rows, unsigned row_count,
                               const char *source_name, struct kiln_strbuf *out) {
  unsigned warnings = 0;
  struct kiln_str last = {0};
  next_part(&blocks); // before the first mark is nothing
  while (blocks.size) {
    struct kiln_str name = next_part(&blocks), includes = next_part(&blocks), text = next_part(&blocks);
    if (name.size && is_ignored(name, rows, row_count))
      continue;
    warnings += name.size != 0;
    if (name.size && warnings > MAX_WARNINGS)
      continue;
    if (!kiln_str_eq(includes, last))
      put_named(out, includes, source_name);
    last = includes;
    put_named(out, text, source_name);
  }
  return warnings;
}
