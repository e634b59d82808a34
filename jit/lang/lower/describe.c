// Variables as debuggers are to show them: the text that struct kiln_inst keeps beside a VAR (docs/ir.md).
#include "jit/ir/internal.h"
#include "jit/lang/lower/lower.h"

enum { MAX_TEXT = 8192 };

static bool put_type(struct kiln_strbuf *out, const struct kiln_ctype *t, bool inside);

static bool put_record(struct kiln_strbuf *out, const struct kiln_ctype *t) {
  const struct kiln_name *name = t->tag ? t->tag : t->alias;
  kiln_strbuf_printf(out, "%c%llu:%s{", t->is_union ? 'U' : 'R', (unsigned long long)t->size, name ? name->text : "");
  for (uint32_t i = 0; i < t->member_count; i++) {
    const struct kiln_member *m = &t->members[i];
    kiln_strbuf_printf(out, "%s@%llu:", m->name ? m->name->text : "", (unsigned long long)m->offset);
    if (!put_type(out, m->type.type, true))
      return false;
    kiln_strbuf_putc(out, ';');
  }
  kiln_strbuf_putc(out, '}');
  return true;
}

// inside: of a record, whose pointers lead to nothing in particular: it may be itself.
static bool put_type(struct kiln_strbuf *out, const struct kiln_ctype *t, bool inside) {
  static const char letters[] = "vbcCsSiIlLefdB"; // KILN_CT_VOID to KILN_CT_BFLOAT
  if (t->kind <= KILN_CT_BFLOAT) {
    kiln_strbuf_putc(out, letters[t->kind]);
    return true;
  }
  if (t->kind == KILN_CT_VECTOR)
    kiln_strbuf_printf(out, "V%u_", (unsigned)t->lanes);
  else if (t->kind == KILN_CT_ARRAY)
    kiln_strbuf_printf(out, "A%llu_", (unsigned long long)t->count);
  else if (t->kind == KILN_CT_POINTER)
    kiln_strbuf_putc(out, 'P');
  else if (t->kind == KILN_CT_RECORD)
    return out->size < MAX_TEXT && put_record(out, t);
  else if (t->kind != KILN_CT_ENUM && t->kind != KILN_CT_ATOMIC)
    return false;
  if (t->kind == KILN_CT_POINTER && inside) {
    kiln_strbuf_putc(out, 'v');
    return true;
  }
  return put_type(out, t->base.type, inside);
}

void kiln_lower_describe(struct kiln_lower *L, const struct kiln_decl *decl, kiln_value value) {
  if (!L->lang->options->describe_variables || L->module != L->main_module || L->decl->is_library || !decl->name ||
      !value)
    return;
  struct kiln_lower_described d = {value, decl};
  KILN_VEC_PUSH(L->arena, &L->described, d);
}

// Where the code of the scope ends, as far as it is in the file of its variables.
static struct kiln_loc end_of(const struct kiln_lower *L, kiln_value first) {
  struct kiln_loc end = L->module->locs[L->fn->insts[first].loc];
  for (kiln_value v = first; v < L->fn->inst_count; v++) {
    const struct kiln_loc *loc = &L->module->locs[L->fn->insts[v].loc];
    if (L->fn->insts[v].loc && loc->file == end.file &&
        (loc->line > end.line || (loc->line == end.line && loc->column > end.column)))
      end = *loc;
  }
  return end;
}

void kiln_lower_end_scope(struct kiln_lower *L, uint32_t first) {
  if (L->described.count <= first || kiln_module_failed(L->module))
    return;
  struct kiln_loc end = end_of(L, L->described.items[first].value);
  for (uint32_t i = first; i < L->described.count; i++) {
    const struct kiln_lower_described *d = &L->described.items[i];
    struct kiln_strbuf text = {0};
    unsigned argument = d->decl->kind == KILN_DECL_PARAM ? d->decl->index + 1 : 0;
    kiln_strbuf_printf(&text, "%u %u %u ", (unsigned)end.line, (unsigned)end.column, argument);
    if (put_type(&text, d->decl->type.type, false) && !text.failed)
      L->fn->insts[d->value].node = kiln_module_add_name(L->module, text.data, text.size);
    kiln_strbuf_free(&text);
  }
  L->described.count = first;
}
