// What a declarator declares, and the initialiser after it.
#include "jit/lang/parse/parse.h"

// The initialiser of a variable of __auto_type, which gives d its type; NULL after an error.
static struct kiln_expr *parse_auto(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d) {
  if (p->tok.kind != KILN_TOKEN_EQUAL) {
    kiln_sema_error(&p->sema, d->location, d->end,
                    "declaration of variable '%s' with deduced type '__auto_type' requires an "
                    "initializer",
                    d->name->text);
    return NULL;
  }
  kiln_parse_advance(p);
  struct kiln_expr *value = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  d->type = (struct kiln_qtype){value->type.type, specs->type.quals, specs->type.space};
  return value;
}

// value: of __auto_type, already read; else NULL, and what follows "=" is read.
static void parse_init(struct kiln_parser *p, struct kiln_decl *decl, const struct kiln_declarator *d,
                       struct kiln_expr *value) {
  kiln_location equal = p->tok.location;
  struct kiln_qtype type = decl->type;
  if (!value)
    kiln_parse_advance(p);
  uint32_t changes = p->sema.changes;
  struct kiln_expr *init =
      value ? kiln_sema_assign(&p->sema, value, type, KILN_ASSIGN_INIT) : kiln_parse_initializer(p, &type);
  kiln_sema_initialize(&p->sema, decl, d, type, init, equal, changes);
}

void kiln_parse_declare(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d,
                        struct kiln_stmt *stmt) {
  if (specs->storage == KILN_STORAGE_TYPEDEF) {
    kiln_sema_typedef(&p->sema, specs, d);
    return;
  }
  if (d->type.type->kind == KILN_CT_FUNCTION) {
    kiln_sema_function(&p->sema, specs, d, false);
    return;
  }
  struct kiln_expr *value = specs->is_auto ? parse_auto(p, specs, d) : NULL;
  bool has_init = value || p->tok.kind == KILN_TOKEN_EQUAL;
  struct kiln_decl *decl = kiln_sema_variable(&p->sema, specs, d, has_init);
  if (has_init)
    parse_init(p, decl, d, value);
  kiln_sema_finish_variable(&p->sema, decl, d, stmt);
}
