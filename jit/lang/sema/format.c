// Formats of printf: whether each conversion is one and its argument is of the type that it takes. In clang's words; a
// warning about the format stands at the character that it is about.
#include "jit/lang/sema/sema.h"

#include <string.h>

struct format {
  struct kiln_sema *S;
  const struct kiln_expr *literal; // STRING
  kiln_location location;          // of the literal; of the argument when the literal is elsewhere
  bool is_here;                    // the characters at the location are those of the literal
  struct kiln_expr *const *args;
  uint32_t count, next; // args[next] is the first that nothing has used
  uint32_t at;          // index into the text
};

enum length { LEN_NONE, LEN_HH, LEN_H, LEN_HL, LEN_L, LEN_LL, LEN_J, LEN_Z, LEN_T, LEN_LONG_DOUBLE, LENGTHS };
static const char *const length_texts[LENGTHS] = {"", "hh", "h", "hl", "l", "ll", "j", "z", "t", "L"};

enum takes { TAKES_SIGNED, TAKES_UNSIGNED, TAKES_FLOAT, TAKES_CHAR, TAKES_STRING, TAKES_POINTER };
struct conversion {
  char letter;
  uint8_t takes;
  const char *flags; // that mean something with it
  bool precision;
};

struct spec { // indices into the text; 0: not there
  uint32_t start, precision, length_at, letter_at;
  uint32_t flags[5]; // by the order in flag_letters
  uint32_t lanes;
  enum length length;
  const struct conversion *conversion;
};
static const char flag_letters[] = "0+ #-";

const struct kiln_expr *kiln_string_of(const struct kiln_expr *e) {
  for (;;) {
    while (e->kind == KILN_EX_CAST)
      e = e->left;
    if (e->kind == KILN_EX_STRING)
      return e;
    if (e->kind != KILN_EX_VAR || e->decl->kind != KILN_DECL_VARIABLE || e->decl->type.space != KILN_CONSTANT ||
        !e->decl->init)
      return NULL;
    e = e->decl->init;
  }
}

// ---- locations ------------------------------------------------------------------------------------------------------

// After the characters in the source that make one character of a literal.
static const char *after_character(const char *c) {
  if (*c != '\\')
    return c + 1;
  c++;
  if (*c == 'x')
    return c + 1 + strspn(c + 1, "0123456789abcdefABCDEF");
  size_t digits = strspn(c, "01234567");
  return c + (digits > 3 ? 3 : digits ? digits : 1);
}

// Where a character of the format is; the whole format when that is not easily told.
static kiln_location character_location(const struct format *f, uint32_t index) {
  if (!f->is_here)
    return f->location;
  const struct kiln_source_file *file = kiln_sources_file(f->S->lang->sources, f->location);
  const char *begin = file->text + (f->location - file->first), *c = begin;
  for (uint32_t i = 0; *c == '"';) { // literals in a row are one
    for (c++; *c && *c != '"' && *c != '\n' && !(*c == '\\' && (c[1] == '\n' || c[1] == 'u' || c[1] == 'U')); i++) {
      if (i == index)
        return f->location + (kiln_location)(c - begin);
      c = after_character(c);
    }
    if (*c != '"')
      break;
    c++;
    c += strspn(c, " \t\r\n");
  }
  return f->location;
}

// Of an argument; what an operator of a macro has for operands is not looked at.
static kiln_location begin_of(const struct kiln_expr *e) {
  return e->location & KILN_LOCATION_MACRO ? e->location : kiln_expr_begin(e);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

static void mismatch(const struct format *f, const struct kiln_expr *arg, const char *expected) {
  kiln_sema_warning(f->S, KILN_W_FORMAT, begin_of(arg), arg->end,
                    "format specifies type '%s' but the argument has type '%s'", expected,
                    kiln_sema_type_text(f->S, arg->type.type));
}

static const struct kiln_ctype *number_type(const struct kiln_expr *arg) {
  const struct kiln_ctype *type = arg->type.type;
  return type->kind == KILN_CT_ENUM ? type->base.type : type;
}

static void check_vector(const struct format *f, const struct spec *s, const struct kiln_expr *arg) {
  static const uint8_t kinds[][3] = {
      // by what it takes: signed, unsigned, float
      [LEN_NONE] = {KILN_CT_INT, KILN_CT_UINT, KILN_CT_DOUBLE}, [LEN_HH] = {KILN_CT_CHAR, KILN_CT_UCHAR, KILN_CT_FLOAT},
      [LEN_H] = {KILN_CT_SHORT, KILN_CT_USHORT, KILN_CT_HALF},  [LEN_HL] = {KILN_CT_INT, KILN_CT_UINT, KILN_CT_FLOAT},
      [LEN_L] = {KILN_CT_LONG, KILN_CT_ULONG, KILN_CT_DOUBLE},
  };
  if (s->length > LEN_L || s->conversion->takes > TAKES_FLOAT)
    return;
  enum kiln_ctype_kind kind = kinds[s->length][s->conversion->takes];
  const struct kiln_ctype *type = arg->type.type;
  bool is_char = kind == KILN_CT_CHAR && type->kind == KILN_CT_VECTOR && type->base.type->kind == KILN_CT_UCHAR;
  if (type->kind == KILN_CT_VECTOR && type->lanes == s->lanes && (type->base.type->kind == kind || is_char))
    return;
  const char *element = kiln_sema_type_text(f->S, kiln_ctype_scalar(kind));
  mismatch(f, arg, kiln_arena_printf(f->S->arena, "%s%u", element, s->lanes));
}

static void check_integer(const struct format *f, const struct spec *s, const struct kiln_expr *arg) {
  static const struct {
    uint8_t least, most; // size of what is passed
    const char *names[2];
  } sizes[LENGTHS] = {
      [LEN_NONE] = {1, 4, {"int", "unsigned int"}},
      [LEN_HH] = {1, 1, {"char", "unsigned char"}},
      [LEN_H] = {1, 2, {"short", "unsigned short"}},
      [LEN_L] = {8, 8, {"long", "unsigned long"}},
      [LEN_LL] = {8, 8, {"long long", "unsigned long long"}},
      [LEN_J] = {8, 8, {"intmax_t", "uintmax_t"}},
      [LEN_Z] = {8, 8, {"ssize_t", "size_t"}},
      [LEN_T] = {8, 8, {"ptrdiff_t", "unsigned ptrdiff_t"}},
  };
  const struct kiln_ctype *type = number_type(arg);
  unsigned length = s->conversion->takes == TAKES_CHAR ? LEN_NONE : s->length;
  if (!kiln_ctype_is_integer(type) || type->size < sizes[length].least || type->size > sizes[length].most)
    mismatch(f, arg, sizes[length].names[s->conversion->takes == TAKES_UNSIGNED]);
}

static void check_argument(const struct format *f, const struct spec *s, const struct kiln_expr *arg) {
  const struct kiln_ctype *type = arg->type.type;
  bool is_pointer = type->kind == KILN_CT_POINTER;
  if (s->lanes) {
    check_vector(f, s, arg);
    return;
  }
  switch ((enum takes)s->conversion->takes) {
  case TAKES_SIGNED:
  case TAKES_UNSIGNED:
  case TAKES_CHAR:
    check_integer(f, s, arg);
    break;
  case TAKES_FLOAT:
    if ((!kiln_ctype_is_float(type) && type->kind != KILN_CT_BFLOAT) || s->length == LEN_LONG_DOUBLE)
      mismatch(f, arg, s->length == LEN_LONG_DOUBLE ? "long double" : "double");
    break;
  case TAKES_STRING:
    if (!is_pointer || (type->base.type->kind != KILN_CT_CHAR && type->base.type->kind != KILN_CT_UCHAR))
      mismatch(f, arg, "char *");
    break;
  case TAKES_POINTER:
    if (!is_pointer)
      mismatch(f, arg, "void *");
    break;
  }
}

// The argument of a "*". False when there is none.
static bool take_star(struct format *f, uint32_t at, bool is_precision) {
  const char *what = is_precision ? "precision" : "width";
  if (f->next >= f->count) {
    kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, at), 0,
                      "'%s*' specified field %s is missing a matching 'int' argument", is_precision ? "." : "", what);
    return false;
  }
  const struct kiln_expr *arg = f->args[f->next++];
  const struct kiln_ctype *type = number_type(arg);
  if (!kiln_ctype_is_integer(type) || type->size > 4)
    kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, at), 0,
                      "field %s should have type 'int', but argument has type '%s'", what,
                      kiln_sema_type_text(f->S, arg->type.type));
  return true;
}

// ---- conversions ----------------------------------------------------------------------------------------------------

static char current(const struct format *f) { return f->at < f->literal->text_size ? f->literal->text[f->at] : 0; }

static uint32_t read_number(struct format *f) {
  uint32_t number = 0;
  for (; current(f) >= '0' && current(f) <= '9'; f->at++)
    number = number < 1000 ? number * 10 + (uint32_t)(current(f) - '0') : number;
  return number;
}

static void read_length(struct format *f, struct spec *s) {
  static const uint8_t order[] = {LEN_HH, LEN_HL, LEN_LL, LEN_H, LEN_L, LEN_J, LEN_Z, LEN_T, LEN_LONG_DOUBLE};
  s->length_at = f->at;
  for (unsigned i = 0; i < sizeof order; i++) {
    const char *text = length_texts[order[i]];
    if (f->literal->text_size - f->at < strlen(text) || memcmp(f->literal->text + f->at, text, strlen(text)) != 0)
      continue;
    s->length = (enum length)order[i];
    f->at += (uint32_t)strlen(text);
    return;
  }
}

static const struct conversion *find_conversion(char letter) {
  static const struct conversion table[] = {
      {'d', TAKES_SIGNED, "0+ -", true}, {'i', TAKES_SIGNED, "0+ -", true},  {'o', TAKES_UNSIGNED, "0#-", true},
      {'u', TAKES_UNSIGNED, "0-", true}, {'x', TAKES_UNSIGNED, "0#-", true}, {'X', TAKES_UNSIGNED, "0#-", true},
      {'f', TAKES_FLOAT, "0+ #-", true}, {'F', TAKES_FLOAT, "0+ #-", true},  {'e', TAKES_FLOAT, "0+ #-", true},
      {'E', TAKES_FLOAT, "0+ #-", true}, {'g', TAKES_FLOAT, "0+ #-", true},  {'G', TAKES_FLOAT, "0+ #-", true},
      {'a', TAKES_FLOAT, "0+ #-", true}, {'A', TAKES_FLOAT, "0+ #-", true},  {'c', TAKES_CHAR, "-", false},
      {'s', TAKES_STRING, "-", true},    {'p', TAKES_POINTER, "-", false},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].letter == letter)
      return &table[i];
  return NULL;
}

static bool length_fits(const struct spec *s) {
  switch ((enum takes)s->conversion->takes) {
  case TAKES_SIGNED:
  case TAKES_UNSIGNED:
    return s->length != LEN_LONG_DOUBLE && (s->length != LEN_HL || s->lanes);
  case TAKES_FLOAT:
    return s->length == LEN_NONE || s->length == LEN_L || s->length == LEN_LONG_DOUBLE ||
           (s->lanes && (s->length == LEN_H || s->length == LEN_HL));
  case TAKES_CHAR:
  case TAKES_STRING:
    return s->length == LEN_NONE || s->length == LEN_L;
  case TAKES_POINTER:
    return s->length == LEN_NONE;
  }
  return true;
}

// Flags, precision and length that mean nothing with the conversion. False: the length, so its type is unknown.
static bool check_parts(const struct format *f, const struct spec *s) {
  char letter = s->conversion->letter;
  for (unsigned i = 0; flag_letters[i]; i++)
    if (s->flags[i] && !strchr(s->conversion->flags, flag_letters[i]))
      kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, s->flags[i]), 0,
                        "flag '%c' results in undefined behavior with '%c' conversion specifier", flag_letters[i],
                        letter);
  const uint32_t *flags = s->flags; // '0' '+' ' ' '#' '-'
  if (flags[0] && flags[4] && strchr(s->conversion->flags, '0'))
    kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, flags[0]), 0,
                      "flag '0' is ignored when flag '-' is present");
  if (flags[2] && flags[1] && strchr(s->conversion->flags, ' '))
    kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, flags[2]), 0,
                      "flag ' ' is ignored when flag '+' is present");
  if (s->precision && !s->conversion->precision)
    kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, s->precision), 0,
                      "precision used with '%c' conversion specifier, resulting in undefined behavior", letter);
  if (length_fits(s))
    return true;
  kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, s->length_at), 0,
                    "length modifier '%s' results in undefined behavior or no effect with '%c' conversion specifier",
                    length_texts[s->length], letter);
  return false;
}

// Reads what is between the '%' and the conversion. False when the format cannot be followed any further.
static bool read_parts(struct format *f, struct spec *s) {
  for (const char *flag; current(f) && (flag = strchr(flag_letters, current(f))); f->at++)
    s->flags[flag - flag_letters] = f->at;
  if (current(f) == '*') {
    if (!take_star(f, f->at, false))
      return false;
    f->at++;
  } else {
    read_number(f);
  }
  if (current(f) == '.') {
    s->precision = f->at++;
    if (current(f) == '*') {
      if (!take_star(f, f->at, true))
        return false;
      f->at++;
    } else {
      read_number(f);
    }
  }
  if (current(f) == 'v') {
    f->at++;
    s->lanes = read_number(f);
  }
  read_length(f, s);
  return true;
}

// One conversion, at the '%'. False when the format cannot be followed any further.
static bool check_conversion(struct format *f) {
  struct spec s = {.start = f->at++};
  if (!read_parts(f, &s))
    return false;
  bool no_lanes = !s.lanes && f->literal->text[s.length_at - 1] == 'v';
  if (f->at >= f->literal->text_size || no_lanes) {
    kiln_sema_warning(f->S, KILN_W_FORMAT, character_location(f, s.start), 0, "incomplete format specifier");
    f->next = f->count;
    return false;
  }
  char letter = current(f);
  s.letter_at = f->at++;
  if (letter == '%')
    return true;
  s.conversion = find_conversion(letter);
  if (!s.conversion) {
    kiln_sema_warning(f->S, KILN_W_FORMAT_INVALID_SPECIFIER, character_location(f, s.letter_at), 0,
                      letter >= ' ' && letter <= '~' ? "invalid conversion specifier '%c'"
                                                     : "invalid conversion specifier '\\x%02x'",
                      letter & 0xFF);
    f->next++;
    return false;
  }
  bool fits = check_parts(f, &s);
  if (f->next >= f->count) {
    kiln_sema_warning(f->S, KILN_W_FORMAT_INSUFFICIENT_ARGS, character_location(f, s.letter_at), 0,
                      "more '%%' conversions than data arguments");
    return false;
  }
  if (fits)
    check_argument(f, &s, f->args[f->next]);
  f->next++;
  return true;
}

void kiln_warn_format(struct kiln_sema *S, struct kiln_expr *const *args, uint32_t count) {
  const struct kiln_expr *literal = kiln_string_of(args[0]);
  if (!literal || S->in_library || S->unevaluated || S->stop)
    return;
  bool direct = literal->location == args[0]->location;
  struct format f = {
      .S = S, .literal = literal, .location = args[0]->location, .args = args, .count = count, .next = 1};
  f.is_here = direct && f.location && !(f.location & KILN_LOCATION_MACRO);
  bool more = true;
  while (more && f.at < literal->text_size) {
    if (!literal->text[f.at]) {
      kiln_sema_warning(S, KILN_W_FORMAT, character_location(&f, f.at), 0,
                        "format string contains '\\0' within the string body");
      return;
    }
    if (literal->text[f.at] == '%')
      more = check_conversion(&f);
    else
      f.at++;
  }
  if (f.next < count)
    kiln_sema_warning(S, KILN_W_FORMAT_EXTRA_ARGS, begin_of(args[f.next]), args[f.next]->end,
                      "data argument not used by format string");
}
