// Functions of the built-in library. One gets its declaration when it is first called; its text is parsed later
// (parse/library.c).
#include "jit/lang/sema/sema.h"

// "clamp(float4)" as a name that is fit for the IR: "clamp.float4".
static struct kiln_name *instance_name(struct kiln_sema *S, const char *instance) {
  size_t size = strlen(instance), n = 0;
  char *text = kiln_arena_strndup(S->arena, instance, size);
  for (size_t i = 0; i < size; i++) {
    char c = instance[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (word)
      text[n++] = c;
    else if (n && text[n - 1] != '.' && i + 1 < size)
      text[n++] = '.';
  }
  return kiln_names_intern(S->lang->names, text, n);
}

struct kiln_fn *kiln_library_function(struct kiln_sema *S, struct kiln_name *name,
                                      const struct kiln_builtin_overload *overload) {
  struct kiln_name *key = kiln_names_intern(S->lang->names, overload->instance, strlen(overload->instance));
  struct kiln_fn *fn = kiln_scope_entry(S, key)->instance;
  if (fn)
    return fn;
  fn = KILN_NEW(S->arena, struct kiln_fn);
  kiln_scope_entry(S, key)->instance = fn;
  struct kiln_builtin_overload *copy = KILN_NEW(S->arena, struct kiln_builtin_overload);
  *copy = *overload;
  fn->library = copy;
  fn->library_name =
      overload->defines ? kiln_names_intern(S->lang->names, overload->defines, strlen(overload->defines)) : name;
  fn->decl.kind = KILN_DECL_FUNCTION;
  fn->decl.name = instance_name(S, overload->instance);
  fn->decl.is_inline = true;
  fn->decl.is_library = true;
  fn->decl.library_inline = overload->exact;
  fn->decl.type = kiln_plain(
      kiln_ctype_function(S->types, kiln_plain(overload->result.type), overload->params, overload->param_count, false));
  return fn;
}
