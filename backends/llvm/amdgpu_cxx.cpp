// What LLVM's C interface lacks for AMDGPU: sync scopes, linking only what is needed, the table of processors.
#include <cstdlib>
#include <cstring>
#include <string>

#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/TargetParser.h"

#include "backends/llvm/amdgpu.h"

void kiln_ll_set_scope(LLVMValueRef instruction, const char *scope) {
  llvm::Instruction *inst = llvm::unwrap<llvm::Instruction>(instruction);
  llvm::SyncScope::ID id = inst->getContext().getOrInsertSyncScopeID(scope);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(inst))
    load->setSyncScopeID(id);
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(inst))
    store->setSyncScopeID(id);
  else if (auto *rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(inst))
    rmw->setSyncScopeID(id);
  else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(inst))
    exchange->setSyncScopeID(id);
  else if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(inst))
    fence->setSyncScopeID(id);
}

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
  // It is written for any processor of the family, by a compiler with an older description of the same layout.
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

char *kiln_ll_amdgpu_cpu(const char *name) {
  std::string text;
  if (!*name) {
    llvm::SmallVector<llvm::StringRef, 64> names;
    llvm::AMDGPU::fillValidArchListAMDGCN(names);
    for (llvm::StringRef each : names)
      text += (text.empty() ? "" : ",") + each.str();
    return strdup(text.c_str());
  }
  llvm::AMDGPU::GPUKind kind = llvm::AMDGPU::parseArchAMDGCN(name);
  if (kind == llvm::AMDGPU::GK_NONE)
    return nullptr;
  unsigned attributes = llvm::AMDGPU::getArchAttrAMDGCN(kind);
  llvm::AMDGPU::IsaVersion isa = llvm::AMDGPU::getIsaVersion(name);
  text = std::to_string(isa.Major * 1000 + isa.Minor * 100 + isa.Stepping);
  if (attributes & llvm::AMDGPU::FEATURE_SRAMECC)
    text += ",sramecc";
  if (attributes & llvm::AMDGPU::FEATURE_WAVE32)
    text += ",wavefrontsize32";
  if (attributes & llvm::AMDGPU::FEATURE_XNACK)
    text += ",xnack";
  return strdup(text.c_str());
}
