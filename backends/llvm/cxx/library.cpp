// Links the functions that a module needs from a bitcode library: LLVM's C interface links all or nothing.
#include <cstring>
#include <string>

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

#include "backends/llvm/cxx/cxx.h"

bool kiln_ll_link_needed(LLVMModuleRef module, const char *path, char **message) {
  llvm::Module &destination = *llvm::unwrap(module);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    *message = strdup(buffer.getError().message().c_str());
    return false;
  }
  auto source = llvm::getOwningLazyBitcodeModule(std::move(*buffer), destination.getContext());
  if (!source) {
    *message = strdup(llvm::toString(source.takeError()).c_str());
    return false;
  }
  // The library was compiled for any processor of the family, with an older description of the same layout.
  (*source)->setDataLayout(destination.getDataLayout());
  (*source)->setTargetTriple(destination.getTargetTriple());
  if (llvm::NamedMDNode *flags = (*source)->getModuleFlagsMetadata())
    (*source)->eraseNamedMetadata(flags);
  llvm::StringSet<> linked;
  bool failed = llvm::Linker::linkModules(destination, std::move(*source), llvm::Linker::LinkOnlyNeeded,
                                          [&](llvm::Module &, const llvm::StringSet<> &names) {
                                            for (const auto &name : names)
                                              linked.insert(name.getKey());
                                          });
  if (failed) {
    *message = strdup("it does not link");
    return false;
  }
  for (const auto &name : linked) {
    llvm::GlobalValue *value = destination.getNamedValue(name.getKey());
    if (!value || value->isDeclaration())
      continue;
    value->setLinkage(llvm::GlobalValue::InternalLinkage);
    value->setVisibility(llvm::GlobalValue::DefaultVisibility);
    if (auto *function = llvm::dyn_cast<llvm::Function>(value)) {
      function->removeFnAttr("target-cpu");
      function->removeFnAttr("target-features");
      function->setComdat(nullptr);
    }
  }
  return true;
}
