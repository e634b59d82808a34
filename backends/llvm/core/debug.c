// Debug information (-g): files, functions and lines, so that gdb and perf show kernels by name and line.
#include "backends/llvm/core/emit.h"

#include <string.h>

static LLVMMetadataRef file_of(struct kiln_ll *ll, uint32_t index) {
  if (ll->files[index])
    return ll->files[index];
  const char *path = ll->ir->file_count ? ll->ir->files[index] : "<source>", *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  size_t folder = slash ? (size_t)(slash - path) : 0;
  return ll->files[index] = LLVMDIBuilderCreateFile(ll->debug, name, strlen(name), path, folder);
}

void kiln_ll_debug_begin(struct kiln_ll *ll) {
  ll->debug = LLVMCreateDIBuilder(ll->module);
  ll->files = KILN_NEW_ARRAY(&ll->arena, LLVMMetadataRef, ll->ir->file_count + 1);
  static const char producer[] = "kiln";
  ll->debug_unit = LLVMDIBuilderCreateCompileUnit(ll->debug, LLVMDWARFSourceLanguageC99, file_of(ll, 0), producer,
                                                  sizeof producer - 1, ll->job->options.optimize > 0, "", 0, 0, "", 0,
                                                  LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
  static const char key[] = "Debug Info Version";
  LLVMAddModuleFlag(ll->module, LLVMModuleFlagBehaviorWarning, key, sizeof key - 1,
                    LLVMValueAsMetadata(kiln_ll_i32(ll, LLVMDebugMetadataVersion())));
}

// The first source line of the function.
static uint32_t first_loc(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && fn->insts[v].loc)
      return fn->insts[v].loc;
  return 0;
}

void kiln_ll_debug_function(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  uint32_t loc = first_loc(f->fn);
  const struct kiln_loc *where = &ll->ir->locs[loc];
  LLVMMetadataRef file = file_of(ll, loc ? where->file : 0);
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(ll->debug, file, NULL, 0, LLVMDIFlagZero);
  size_t size;
  const char *symbol = LLVMGetValueName2(f->function, &size);
  unsigned line = loc ? where->line : 0;
  f->scope = LLVMDIBuilderCreateFunction(ll->debug, ll->debug_unit, f->fn->name, strlen(f->fn->name), symbol, size,
                                         file, line, type, !f->fn->is_kernel, true, line, LLVMDIFlagPrototyped,
                                         ll->job->options.optimize > 0);
  f->scope_file = file;
  LLVMSetSubprogram(f->function, f->scope);
  kiln_ll_debug_scopes(f);
  LLVMSetCurrentDebugLocation2(ll->b, LLVMDIBuilderCreateDebugLocation(ll->context, line, 0, f->scope, NULL));
}

void kiln_ll_debug_at(struct kiln_ll_fn *f, uint32_t loc) {
  struct kiln_ll *ll = f->ll;
  f->made->loc = loc;
  if (!loc)
    return; // keeps the previous line
  const struct kiln_loc *where = &ll->ir->locs[loc];
  LLVMMetadataRef scope = f->scope, file = file_of(ll, where->file);
  if (f->scope_count)
    scope = kiln_ll_debug_scope(f, where);
  if (file != f->scope_file)
    scope = LLVMDIBuilderCreateLexicalBlockFile(ll->debug, scope, file, 0);
  LLVMSetCurrentDebugLocation2(ll->b,
                               LLVMDIBuilderCreateDebugLocation(ll->context, where->line, where->column, scope, NULL));
}

void kiln_ll_debug_end(struct kiln_ll *ll) {
  LLVMSetCurrentDebugLocation2(ll->b, NULL);
  LLVMDIBuilderFinalize(ll->debug);
  LLVMDisposeDIBuilder(ll->debug);
  ll->debug = NULL;
}
