// Variables of kernels for debuggers: with -g and without optimisation, where each has memory of its own. The front end
// has left the type and the end of the scope beside each VAR (docs/ir.md); a scope begins where its variable does.
#include "backends/llvm/core/emit.h"
#include "backends/llvm/core/family.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_MEMBERS = 1024 };

struct kiln_ll_scope {
  uint32_t file, line, column, end_line, end_column;
  LLVMMetadataRef block;
};

// ---- types

struct reader {
  struct kiln_ll_fn *f;
  const char *at;
  unsigned depth;
};

struct type {
  LLVMMetadataRef di; // NULL: none (void), or the text is not understood
  uint64_t bits;
};

static struct type read_type(struct reader *r);

static uint64_t number(struct reader *r) {
  char *end;
  uint64_t value = strtoull(r->at, &end, 10);
  r->at = *end ? end + 1 : end; // what separates it
  return value;
}

static struct type scalar(struct reader *r, char letter) {
  enum { BOOLEAN = 2, FLOAT = 4, SIGNED = 5, SIGNED_CHAR = 6, UNSIGNED = 7, UNSIGNED_CHAR = 8 }; // of DWARF
  static const struct {
    const char *name;
    unsigned bits, encoding;
    char letter;
  } scalars[] = {
      {"bool", 8, BOOLEAN, 'b'},   {"char", 8, SIGNED_CHAR, 'c'}, {"uchar", 8, UNSIGNED_CHAR, 'C'},
      {"short", 16, SIGNED, 's'},  {"ushort", 16, UNSIGNED, 'S'}, {"int", 32, SIGNED, 'i'},
      {"uint", 32, UNSIGNED, 'I'}, {"long", 64, SIGNED, 'l'},     {"ulong", 64, UNSIGNED, 'L'},
      {"half", 16, FLOAT, 'e'},    {"float", 32, FLOAT, 'f'},     {"double", 64, FLOAT, 'd'},
      {"__bf16", 16, FLOAT, 'B'},
  };
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
    if (scalars[i].letter == letter)
      return (struct type){LLVMDIBuilderCreateBasicType(r->f->ll->debug, scalars[i].name, strlen(scalars[i].name),
                                                        scalars[i].bits, scalars[i].encoding, LLVMDIFlagZero),
                           scalars[i].bits};
  }
  return (struct type){0};
}

static struct type sequence(struct reader *r, bool is_vector) {
  LLVMDIBuilderRef b = r->f->ll->debug;
  uint64_t count = number(r);
  struct type element = read_type(r);
  if (!element.di)
    return element;
  LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(b, 0, (int64_t)count);
  uint64_t bits = element.bits * count;
  if (is_vector)
    return (struct type){LLVMDIBuilderCreateVectorType(b, bits, 0, element.di, &range, 1),
                         count == 3 ? element.bits * 4 : bits};
  return (struct type){LLVMDIBuilderCreateArrayType(b, bits, 0, element.di, &range, 1), bits};
}

static struct type record(struct reader *r, bool is_union) {
  struct kiln_ll_fn *f = r->f;
  LLVMDIBuilderRef b = f->ll->debug;
  LLVMMetadataRef *members = KILN_NEW_ARRAY(&f->ll->arena, LLVMMetadataRef, MAX_MEMBERS);
  unsigned count = 0;
  uint64_t bits = number(r) * 8;
  const char *name = r->at;
  size_t size = strcspn(name, "{");
  for (r->at += size + (name[size] != 0); *r->at && *r->at != '}';) {
    const char *member = r->at;
    size_t length = strcspn(member, "@");
    r->at += length + (member[length] != 0);
    uint64_t offset = number(r) * 8;
    struct type type = read_type(r);
    if (!type.di || *r->at++ != ';' || count == MAX_MEMBERS)
      return (struct type){0};
    members[count++] = LLVMDIBuilderCreateMemberType(b, f->scope_file, member, length, f->scope_file, 0, type.bits, 0,
                                                     offset, LLVMDIFlagZero, type.di);
  }
  r->at += *r->at != 0;
  LLVMMetadataRef di = is_union ? LLVMDIBuilderCreateUnionType(b, f->scope_file, name, size, f->scope_file, 0, bits, 0,
                                                               LLVMDIFlagZero, members, count, 0, "", 0)
                                : LLVMDIBuilderCreateStructType(b, f->scope_file, name, size, f->scope_file, 0, bits, 0,
                                                                LLVMDIFlagZero, NULL, members, count, 0, NULL, "", 0);
  return (struct type){di, bits};
}

static struct type read_type(struct reader *r) {
  if (++r->depth > MAX_DEPTH || !*r->at)
    return (struct type){0};
  char letter = *r->at++;
  struct type result;
  switch (letter) {
  case 'V':
  case 'A':
    result = sequence(r, letter == 'V');
    break;
  case 'R':
  case 'U':
    result = record(r, letter == 'U');
    break;
  case 'P': {
    LLVMMetadataRef to = read_type(r).di; // NULL: void
    result = (struct type){LLVMDIBuilderCreatePointerType(r->f->ll->debug, to, 64, 0, 0, "", 0), 64};
    break;
  }
  default:
    result = scalar(r, letter);
  }
  r->depth--;
  return result;
}

// ---- scopes

static bool is_after(uint32_t line, uint32_t column, uint32_t than_line, uint32_t than_column) {
  return line > than_line || (line == than_line && column >= than_column);
}

// The innermost of the first count scopes that hold a place: the one that began last.
static LLVMMetadataRef innermost(const struct kiln_ll_fn *f, uint32_t count, const struct kiln_loc *at) {
  while (count--) {
    const struct kiln_ll_scope *s = &f->scopes[count];
    if (at->file == s->file && is_after(at->line, at->column, s->line, s->column) &&
        is_after(s->end_line, s->end_column, at->line, at->column))
      return s->block;
  }
  return f->scope;
}

LLVMMetadataRef kiln_ll_debug_scope(const struct kiln_ll_fn *f, const struct kiln_loc *at) {
  return innermost(f, f->scope_count, at);
}

static const char *text_of(const struct kiln_ll_fn *f, const struct kiln_inst *in) {
  bool described = in->op == KILN_OP_VAR && in->region && in->node && in->node < f->ll->ir->names_size;
  return described ? f->ll->ir->names + in->node : NULL;
}

void kiln_ll_debug_scopes(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  uint32_t count = 0;
  if (!ll->family->shows_variables || ll->job->options.optimize)
    return;
  for (kiln_value v = 1; v < f->fn->inst_count; v++)
    count += text_of(f, &f->fn->insts[v]) != NULL;
  f->scopes = KILN_NEW_ARRAY(&ll->arena, struct kiln_ll_scope, count + 1);
  for (kiln_value v = 1; v < f->fn->inst_count; v++) {
    const struct kiln_inst *in = &f->fn->insts[v];
    const char *text = text_of(f, in);
    if (!text)
      continue;
    const struct kiln_loc *at = &ll->ir->locs[in->loc];
    struct reader r = {.f = f, .at = text};
    uint32_t end_line = (uint32_t)number(&r), end_column = (uint32_t)number(&r);
    bool is_parameter = number(&r) != 0;
    LLVMMetadataRef parent = innermost(f, f->scope_count, at);
    // Statements on the line of a declaration that follow it see the variable.
    f->scopes[f->scope_count++] =
        (struct kiln_ll_scope){.file = at->file,
                               .line = at->line,
                               .column = at->column,
                               .end_line = end_line,
                               .end_column = end_column,
                               .block = is_parameter ? f->scope
                                                     : LLVMDIBuilderCreateLexicalBlock(ll->debug, parent, f->scope_file,
                                                                                       at->line, at->column)};
  }
}

// ---- variables

void kiln_ll_debug_variable(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef address) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const char *text = f->scopes ? text_of(f, in) : NULL, *name = kiln_value_name(f->fn, inst);
  if (!text || !name)
    return;
  const struct kiln_loc *at = &ll->ir->locs[in->loc];
  struct reader r = {.f = f, .at = text};
  number(&r);
  number(&r);
  unsigned argument = (unsigned)number(&r);
  LLVMMetadataRef type = read_type(&r).di, scope = argument ? f->scope : kiln_ll_debug_scope(f, at);
  if (!type)
    return;
  LLVMMetadataRef variable =
      argument ? LLVMDIBuilderCreateParameterVariable(ll->debug, scope, name, strlen(name), argument, f->scope_file,
                                                      at->line, type, true, LLVMDIFlagZero)
               : LLVMDIBuilderCreateAutoVariable(ll->debug, scope, name, strlen(name), f->scope_file, at->line, type,
                                                 true, LLVMDIFlagZero, 0);
  LLVMMetadataRef place = LLVMDIBuilderCreateDebugLocation(ll->context, at->line, at->column, scope, NULL);
  LLVMDIBuilderInsertDeclareRecordAtEnd(ll->debug, address, variable, LLVMDIBuilderCreateExpression(ll->debug, NULL, 0),
                                        place, LLVMGetInsertBlock(ll->b));
}
