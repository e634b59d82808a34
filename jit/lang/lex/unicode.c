#include "jit/lang/lex/lex.h"

#include <stddef.h>

struct range {
  uint32_t first, last;
};

static const struct range in_names[] = {
    {0x00A8, 0x00A8},   {0x00AA, 0x00AA},   {0x00AD, 0x00AD},   {0x00AF, 0x00AF},   {0x00B2, 0x00B5},
    {0x00B7, 0x00BA},   {0x00BC, 0x00BE},   {0x00C0, 0x00D6},   {0x00D8, 0x00F6},   {0x00F8, 0x00FF},
    {0x0100, 0x167F},   {0x1681, 0x180D},   {0x180F, 0x1FFF},   {0x200B, 0x200D},   {0x202A, 0x202E},
    {0x203F, 0x2040},   {0x2054, 0x2054},   {0x2060, 0x206F},   {0x2070, 0x218F},   {0x2460, 0x24FF},
    {0x2776, 0x2793},   {0x2C00, 0x2DFF},   {0x2E80, 0x2FFF},   {0x3004, 0x3007},   {0x3021, 0x302F},
    {0x3031, 0x303F},   {0x3040, 0xD7FF},   {0xF900, 0xFD3D},   {0xFD40, 0xFDCF},   {0xFDF0, 0xFE44},
    {0xFE47, 0xFFFD},   {0x10000, 0x1FFFD}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}, {0x40000, 0x4FFFD},
    {0x50000, 0x5FFFD}, {0x60000, 0x6FFFD}, {0x70000, 0x7FFFD}, {0x80000, 0x8FFFD}, {0x90000, 0x9FFFD},
    {0xA0000, 0xAFFFD}, {0xB0000, 0xBFFFD}, {0xC0000, 0xCFFFD}, {0xD0000, 0xDFFFD}, {0xE0000, 0xEFFFD},
};
// Combining marks, which no name begins with.
static const struct range after_others[] = {{0x0300, 0x036F}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE20, 0xFE2F}};

static bool is_in(const struct range *ranges, size_t count, uint32_t code) {
  for (size_t i = 0; i < count; i++)
    if (code >= ranges[i].first && code <= ranges[i].last)
      return true;
  return false;
}

bool kiln_is_in_names(uint32_t code, bool begins) {
  return is_in(in_names, sizeof in_names / sizeof *in_names, code) &&
         !(begins && is_in(after_others, sizeof after_others / sizeof *after_others, code));
}

unsigned kiln_utf8_get(const char *p, const char *end, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // by bytes: what has no shorter form
  unsigned char c = (unsigned char)*p;
  unsigned size = c >= 0xF8 ? 0 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 0;
  if (size == 0 || end - p < (ptrdiff_t)size)
    return 0;
  uint32_t value = c & (0x7Fu >> size);
  for (unsigned i = 1; i < size; i++) {
    if (((unsigned char)p[i] & 0xC0) != 0x80)
      return 0;
    value = value << 6 | ((unsigned char)p[i] & 0x3Fu);
  }
  if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
    return 0;
  *code = value;
  return size;
}

unsigned kiln_utf8_put(uint32_t code, char out[4]) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  unsigned size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (unsigned i = size - 1; i > 0; i--, code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)((0xF00u >> size & 0xFF) | code);
  return size;
}

bool kiln_universal_name(const char **p, const char *end, unsigned digits, uint32_t *code) {
  *code = 0;
  for (; digits > 0 && *p < end; digits--, ++*p) {
    char c = **p;
    unsigned letter = (unsigned)(c | 0x20) - 'a';
    if (c >= '0' && c <= '9')
      *code = *code << 4 | (uint32_t)(c - '0');
    else if (letter < 6)
      *code = *code << 4 | (letter + 10);
    else
      return false;
  }
  return digits == 0;
}

bool kiln_is_universal(uint32_t code) {
  bool basic = code < 0xA0 && code != '$' && code != '@' && code != '`';
  return !basic && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
}
