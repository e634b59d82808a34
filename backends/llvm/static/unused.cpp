// What the archives of LLVM and lld refer to and Kiln never runs: other targets, and the extension Polly.
#include "llvm/Passes/PassPlugin.h"

extern "C" {
#define UNUSED_TARGET(NAME)                                                                                            \
  void LLVMInitialize##NAME##TargetInfo() {}                                                                           \
  void LLVMInitialize##NAME##Target() {}                                                                               \
  void LLVMInitialize##NAME##TargetMC() {}                                                                             \
  void LLVMInitialize##NAME##AsmPrinter() {}                                                                           \
  void LLVMInitialize##NAME##AsmParser() {}
#include "unused_targets.def"
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}};
}
