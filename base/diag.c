// Diagnostics as clang prints them.
#include "base/diag.h"

#include <stdlib.h>

enum {
  MAX_WARNINGS = 100,     // shown; the rest is counted
  LINE_BEFORE = 100,      // of a very long line, bytes shown before the caret
  LINE_AFTER = 100,       // and from it on
  MAX_EXPANSIONS = 6,     // notes about macros of one report: the first half and the last half
  MAX_INCLUDE_DEPTH = 256 // lines of one chain of includes
};

void kiln_diags_init(struct kiln_diags *diags, const struct kiln_sources *sources) {
  *diags = (struct kiln_diags){.sources = sources, .error_limit = 20};
}

void kiln_diags_free(struct kiln_diags *diags) { kiln_strbuf_free(&diags->text); }

// ---- places
// ----------------------------------------------------------------------------------------------------------

// Whether the token is from an argument of the macro rather than from its body: a body stands before every use of its
// macro, an argument behind the macro's name.
static bool is_argument(const struct kiln_diags *diags, const struct kiln_expansion *expansion) {
  kiln_place spelled = kiln_sources_spelled(diags->sources, expansion->spelled);
  kiln_place used = kiln_sources_spelled(diags->sources, expansion->expanded);
  return spelled > used && kiln_sources_file(diags->sources, spelled) == kiln_sources_file(diags->sources, used);
}

// The place in a file that the caret goes to: the use of the macro, or the argument that the user wrote.
static kiln_place caret_place(const struct kiln_diags *diags, kiln_place place) {
  for (struct kiln_expansion expansion; place & KILN_PLACE_MACRO;) {
    if (!kiln_sources_expansion(diags->sources, place, &expansion)) {
      return 0;
    }
    place = is_argument(diags, &expansion) ? expansion.spelled : expansion.expanded;
  }
  return place;
}

// ---- one line of source
// ------------------------------------------------------------------------------------------------

// Bytes of the UTF-8 character at text, 0 when it is not one that can be shown as it is.
static unsigned shown_size(const unsigned char *text, uint32_t room) {
  unsigned char c = text[0];
  if (c < 0x80) {
    return c == '\t' || (c >= 0x20 && c != 0x7f);
  }
  unsigned size = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (size == 0 || size > room) {
    return 0;
  }
  for (unsigned i = 1; i < size; i++) {
    if ((text[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) ||
      (c == 0xf4 && text[1] > 0x8f) || (c == 0xc2 && text[1] < 0xa0)) {
    return 0; // overlong forms, surrogates, past the last character, C1 controls
  }
  return size;
}

// Shows [first, end) of the line, and below it a caret at column caret with a range up to range_end (offsets in the
// line). What cannot be shown is written as <FF>, and takes as many columns in the caret's line.
static void show_line(struct kiln_strbuf *out, const char *line, uint32_t size, uint32_t caret, uint32_t range_end) {
  uint32_t first = caret > LINE_BEFORE ? caret - LINE_BEFORE : 0;
  uint32_t end = size - first > LINE_BEFORE + LINE_AFTER ? first + LINE_BEFORE + LINE_AFTER : size;
  const unsigned char *text = (const unsigned char *)line;
  while (first > 0 && first < size && (text[first] & 0xc0) == 0x80) {
    first++; // not within a character
  }
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
    for (; columns != 0; columns--) {
      kiln_strbuf_putc(&below, mark);
    }
    at = next;
  }
  kiln_strbuf_puts(out, end < size ? "...\n" : "\n");
  if (caret >= end) {
    kiln_strbuf_putc(&below, '^');
  }
  while (below.size != 0 && (below.data[below.size - 1] == ' ' || below.data[below.size - 1] == '\t')) {
    below.size--;
  }
  kiln_strbuf_append(out, below.data, below.size);
  kiln_strbuf_putc(out, '\n');
  kiln_strbuf_free(&below);
}

// place is of a file; end is of a file or 0.
static void show_position(struct kiln_diags *diags, kiln_place place, kiln_place end) {
  struct kiln_position at = kiln_sources_position(diags->sources, place);
  uint32_t caret = at.column - 1, range_end = caret;
  if (end > place && kiln_sources_file(diags->sources, end) == kiln_sources_file(diags->sources, place)) {
    uint32_t length = end - place; // a range over several lines is underlined up to the end of its first
    range_end = length < at.line_size - (caret < at.line_size ? caret : at.line_size) ? caret + length : at.line_size;
  }
  show_line(&diags->text, at.line_text, at.line_size, caret, range_end);
}

// ---- reports
// -----------------------------------------------------------------------------------------------------------

static void show_includes(struct kiln_diags *diags, kiln_place place, enum kiln_severity severity) {
  const struct kiln_source_file *file = kiln_sources_file(diags->sources, place);
  kiln_place included_at = file ? file->included_at : 0;
  if (included_at == diags->last_include) {
    return;
  }
  diags->last_include = included_at;
  if (severity == KILN_NOTE) {
    return;
  }
  kiln_place chain[MAX_INCLUDE_DEPTH];
  unsigned depth = 0;
  while (included_at && depth < MAX_INCLUDE_DEPTH) {
    included_at = kiln_sources_expanded(diags->sources, included_at);
    chain[depth++] = included_at;
    file = kiln_sources_file(diags->sources, included_at);
    included_at = file ? file->included_at : 0;
  }
  while (depth-- > 0) {
    struct kiln_position at = kiln_sources_position(diags->sources, chain[depth]);
    kiln_strbuf_printf(&diags->text, "In file included from %s:%u:\n", at.file, at.line);
  }
}

static void show_heading(struct kiln_diags *diags, enum kiln_severity severity, kiln_place place) {
  static const char *const names[] = {
      [KILN_NOTE] = "note", [KILN_WARNING] = "warning", [KILN_ERROR] = "error", [KILN_FATAL] = "fatal error"};
  if (place) {
    struct kiln_position at = kiln_sources_position(diags->sources, place);
    kiln_strbuf_printf(&diags->text, "%s:%u:%u: ", at.file, at.line, at.column);
  }
  kiln_strbuf_printf(&diags->text, "%s: ", names[severity]);
}

// Notes for the macros that place came through, the outermost first.
static void show_expansions(struct kiln_diags *diags, kiln_place place) {
  unsigned count = 0;
  struct kiln_expansion expansion;
  for (kiln_place at = place; at & KILN_PLACE_MACRO;) {
    if (!kiln_sources_expansion(diags->sources, at, &expansion)) {
      return;
    }
    bool argument = is_argument(diags, &expansion);
    count += !argument;
    at = argument ? expansion.spelled : expansion.expanded;
  }
  // The chain leads inside out. Of a long one only the ends are kept, so one walk fills a small array.
  struct kiln_expansion shown[MAX_EXPANSIONS];
  unsigned index = 0, kept = 0;
  for (kiln_place at = place; at & KILN_PLACE_MACRO;) {
    kiln_sources_expansion(diags->sources, at, &expansion);
    bool argument = is_argument(diags, &expansion);
    if (!argument) {
      if (index < MAX_EXPANSIONS / 2 || index + MAX_EXPANSIONS / 2 >= count) {
        shown[kept++] = expansion;
      }
      index++;
    }
    at = argument ? expansion.spelled : expansion.expanded;
  }
  while (kept-- > 0) {
    kiln_place spelled = kiln_sources_spelled(diags->sources, shown[kept].spelled);
    if (!kiln_sources_file(diags->sources, spelled)) {
      continue; // made by ## or from the command line: there is no text to show
    }
    show_heading(diags, KILN_NOTE, spelled);
    kiln_strbuf_printf(&diags->text, "expanded from macro '%s'\n", shown[kept].macro);
    show_position(diags, spelled, 0);
    if (kept == MAX_EXPANSIONS / 2 && count > MAX_EXPANSIONS) {
      kiln_strbuf_printf(&diags->text, "note: (%u expansions are not shown)\n", count - MAX_EXPANSIONS);
    }
  }
}

// Counts the report; whether it is to be shown.
static bool admit(struct kiln_diags *diags, enum kiln_severity *severity) {
  if (*severity == KILN_NOTE) {
    return !diags->muted;
  }
  diags->muted = diags->fatal;
  if (diags->muted) {
    return false;
  }
  if (*severity == KILN_WARNING && diags->no_warnings) {
    diags->muted = true;
  } else if (*severity == KILN_WARNING && !diags->warnings_are_errors) {
    diags->warnings++;
    diags->muted = diags->warnings > MAX_WARNINGS;
  } else {
    diags->fatal = *severity == KILN_FATAL;
    *severity = diags->fatal ? KILN_FATAL : KILN_ERROR;
    diags->errors++;
    diags->muted = diags->errors > diags->error_limit;
  }
  return !diags->muted;
}

void kiln_diag_v(struct kiln_diags *diags, enum kiln_severity severity, kiln_place place, kiln_place end,
                 const char *format, va_list args) {
  if (!admit(diags, &severity)) {
    return;
  }
  kiln_place caret = diags->sources ? caret_place(diags, place) : 0;
  if (caret && !kiln_sources_file(diags->sources, caret)) {
    caret = 0;
  }
  if (caret) {
    show_includes(diags, caret, severity);
  }
  show_heading(diags, severity, caret);
  kiln_strbuf_vprintf(&diags->text, format, args);
  kiln_strbuf_putc(&diags->text, '\n');
  if (caret) {
    show_position(diags, caret, caret_place(diags, end));
    show_expansions(diags, place);
  }
}

void kiln_diag(struct kiln_diags *diags, enum kiln_severity severity, kiln_place place, kiln_place end,
               const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_diag_v(diags, severity, place, end, format, args);
  va_end(args);
}

void kiln_diags_summary(struct kiln_diags *diags) {
  if (diags->errors == 0 && diags->warnings == 0) {
    return;
  }
  if (diags->warnings != 0) {
    kiln_strbuf_printf(&diags->text, "%u warning%s", diags->warnings, diags->warnings == 1 ? "" : "s");
  }
  if (diags->errors != 0) {
    kiln_strbuf_printf(&diags->text, "%s%u error%s", diags->warnings ? " and " : "", diags->errors,
                       diags->errors == 1 ? "" : "s");
  }
  kiln_strbuf_puts(&diags->text, " generated.\n");
  if (diags->errors > diags->error_limit) {
    kiln_strbuf_printf(&diags->text, "Only the first %u errors are shown.\n", diags->error_limit);
  }
}
