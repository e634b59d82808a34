// LLVM's tables of processors, which its C interface only prints.
#include <cstring>
#include <string>

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/TargetParser.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include "backends/llvm/cxx/cxx.h"

char *kiln_ll_cpu_features(const char *triple, const char *cpu) {
  std::string text;
  llvm::Triple t(triple);
  auto add = [&](llvm::StringRef name) {
    if (!text.empty())
      text += ',';
    text += name;
  };
  if (t.getArch() == llvm::Triple::x86_64) {
    if (llvm::X86::parseArchX86(cpu) == llvm::X86::CK_None)
      return nullptr;
    llvm::SmallVector<llvm::StringRef, 64> features;
    llvm::X86::getFeaturesForCPU(cpu, features);
    llvm::StringMap<bool> all;
    for (llvm::StringRef name : features) {
      all[name] = true;
      llvm::X86::updateImpliedFeatures(name, true, all);
    }
    for (auto &entry : all)
      if (entry.second)
        add(entry.first());
    return strdup(text.c_str());
  }
  std::optional<llvm::AArch64::CpuInfo> info = llvm::AArch64::parseCpu(cpu);
  if (!info)
    return nullptr;
  std::vector<llvm::StringRef> features;
  llvm::AArch64::getExtensionFeatures(info->getImpliedExtensions(), features);
  for (llvm::StringRef name : features)
    if (name.consume_front("+"))
      add(name);
  return strdup(text.c_str());
}

char *kiln_ll_amdgpu_features(const char *, const char *name) {
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
  llvm::StringMap<bool> features;
  llvm::AMDGPU::fillAMDGPUFeatureMap(name, llvm::Triple("amdgcn-amd-amdhsa"), features);
  for (const char *dots : {"dot7-insts", "dot8-insts"}) // of bytes: both signed or both unsigned; one signed
    if (features.lookup(dots))
      text += std::string(",") + dots;
  return strdup(text.c_str());
}
