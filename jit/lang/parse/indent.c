// Statements that look as if they belonged to the if, else or loop before them, from where they stand in the text.
#include "jit/lang/parse/parse.h"

enum { TAB = 8, MOST_TEXT = 4096 };

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

// From 1, a tab up to the next multiple of 8.
static unsigned column(const struct kiln_source_file *file, kiln_location location) {
  uint32_t offset = location - file->first, begin = offset;
  while (begin && file->text[begin - 1] != '\n' && offset - begin < MOST_TEXT)
    begin--;
  unsigned column = 0;
  for (uint32_t i = begin; i < offset; i++)
    column = file->text[i] == '\t' ? (column / TAB + 1) * TAB : column + 1;
  return column + 1;
}

// Whether there is a line end between two locations, and no directive.
static bool on_other_line(const struct kiln_source_file *file, kiln_location from, kiln_location to) {
  bool other = false, begins = false;
  if (to < from || to - from > MOST_TEXT)
    return false;
  for (const char *c = file->text + (from - file->first), *end = file->text + (to - file->first); c < end; c++) {
    if (begins && *c == '#')
      return false;
    begins = *c == '\n' || (begins && is_space(*c));
    other |= *c == '\n';
  }
  return other;
}

// Whether the token at location, after end, may be in the argument of a macro.
static bool is_argument(const struct kiln_source_file *file, kiln_location end, kiln_location location) {
  return end > location || end < file->first || memchr(file->text + (end - file->first), '(', location - end);
}

void kiln_warn_indentation(struct kiln_parser *p, kiln_location keyword, const char *word, kiln_location body) {
  const struct kiln_token *tok = &p->tok;
  kiln_location all = keyword | body | tok->location | p->last_end;
  if (all & KILN_LOCATION_MACRO || tok->kind == KILN_TOKEN_KW_ELSE || tok->kind == KILN_TOKEN_SEMICOLON ||
      tok->kind == KILN_TOKEN_RBRACE || tok->kind == KILN_TOKEN_END || tok->kind == KILN_TOKEN_PRAGMA ||
      p->sema.in_library || p->sema.stop || p->sema.lang->diags->errors)
    return;
  const struct kiln_source_file *file = kiln_sources_file(p->sema.lang->sources, keyword);
  if (!file || tok->location < file->first || tok->location - file->first > file->size || body < keyword ||
      is_argument(file, p->last_end, tok->location))
    return;
  unsigned at = column(file, body);
  bool aligned = at > column(file, keyword) && at == column(file, tok->location);
  if ((!aligned && tok->at_line_start) || !on_other_line(file, keyword, tok->location) ||
      (tok->kind == KILN_TOKEN_IDENTIFIER && kiln_parse_next_is(p, KILN_TOKEN_COLON)))
    return;
  kiln_sema_warning(&p->sema, KILN_W_MISLEADING_INDENTATION, tok->location, 0,
                    "misleading indentation; statement is not part of the previous '%s'", word);
  kiln_sema_note(&p->sema, keyword, 0, "previous statement is here");
}
