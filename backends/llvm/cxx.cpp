// What LLVM's C interface lacks, and the only caller of lld.
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include "backends/llvm/emit.h"
#include "backends/llvm/link.h"
#include "backends/llvm/object.h"

LLD_HAS_DRIVER(elf)

// ---- lld
//
// A fatal error inside lld shuts LLVM down and ends the process. Both calls are redirected here by the linker
// (--wrap): while lld runs on this thread the first does nothing and the second jumps back.
//
// At each start lld puts every option of LLVM back to its default, though other threads compile with them, and
// registers every target of LLVM, for link-time optimisation. Both are left out: neither is needed here, and they took
// a third of a small link.

static thread_local std::jmp_buf *exit_to;

extern "C" {
[[noreturn]] void __real__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
[[noreturn]] void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
void __real__ZN4llvm13llvm_shutdownEv(void);
void __wrap__ZN4llvm13llvm_shutdownEv(void);
void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv(void);
}

namespace llvm { // in the place of the inline functions of TargetSelect.h that lld was built with
void InitializeAllTargets();
void InitializeAllTargets() {}
void InitializeAllTargetMCs();
void InitializeAllTargetMCs() {}
void InitializeAllAsmPrinters();
void InitializeAllAsmPrinters() {}
void InitializeAllAsmParsers();
void InitializeAllAsmParsers() {}
} // namespace llvm

void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv(void) {}

void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup) {
  if (exit_to)
    std::longjmp(*exit_to, 1);
  __real__ZN4llvm3sys7Process4ExitEib(code, no_cleanup);
}

void __wrap__ZN4llvm13llvm_shutdownEv(void) {
  if (!exit_to)
    __real__ZN4llvm13llvm_shutdownEv();
}

namespace {
struct Output { // outside of the frame that is jumped back to
  std::string text;
  llvm::raw_string_ostream stream{text};
};
} // namespace

static bool run_lld(const char *const *args, size_t count, Output *output) {
  std::jmp_buf here;
  exit_to = &here;
  volatile bool ok = false;
  if (setjmp(here) == 0)
    ok = lld::elf::link(llvm::ArrayRef<const char *>(args, count), output->stream, output->stream, false, false);
  if (setjmp(here) == 0)
    lld::CommonLinkerContext::destroy();
  else
    ok = false;
  exit_to = nullptr;
  return ok;
}

bool kiln_ll_lld(const char *const *args, size_t count, char **log) {
  Output *output = new Output;
  bool ok = run_lld(args, count, output);
  *log = strdup(output->text.c_str());
  delete output;
  return ok;
}

// ---- LLVM

LLVMMetadataRef kiln_ll_distinct_node(LLVMContextRef context) {
  return llvm::wrap(llvm::MDNode::getDistinct(*llvm::unwrap(context), {}));
}

void kiln_ll_mark_loop(LLVMContextRef context, LLVMValueRef branch, LLVMMetadataRef access_group, bool mask_tail) {
  llvm::LLVMContext &c = *llvm::unwrap(context);
  llvm::Metadata *parallel[] = {llvm::MDString::get(c, "llvm.loop.parallel_accesses"), llvm::unwrap(access_group)};
  llvm::SmallVector<llvm::Metadata *, 3> parts = {nullptr, llvm::MDNode::get(c, parallel)};
  if (mask_tail) {
    llvm::Metadata *yes = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getTrue(c));
    llvm::Metadata *predicate[] = {llvm::MDString::get(c, "llvm.loop.vectorize.predicate.enable"), yes};
    parts.push_back(llvm::MDNode::get(c, predicate));
  }
  llvm::MDNode *loop = llvm::MDNode::getDistinct(c, parts);
  loop->replaceOperandWith(0, loop);
  llvm::cast<llvm::Instruction>(llvm::unwrap(branch))->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

LLVMMetadataRef kiln_ll_unroll_node(LLVMContextRef context, uint32_t factor) {
  llvm::LLVMContext &c = *llvm::unwrap(context);
  llvm::SmallVector<llvm::Metadata *, 2> hint;
  if (factor == 1 || factor == UINT32_MAX) {
    hint.push_back(llvm::MDString::get(c, factor == 1 ? "llvm.loop.unroll.disable" : "llvm.loop.unroll.full"));
  } else {
    hint.push_back(llvm::MDString::get(c, "llvm.loop.unroll.count"));
    hint.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(c), factor)));
  }
  llvm::MDNode *loop = llvm::MDNode::getDistinct(c, {nullptr, llvm::MDNode::get(c, hint)});
  loop->replaceOperandWith(0, loop);
  return llvm::wrap(loop);
}

void kiln_ll_never_unroll(LLVMContextRef context, LLVMValueRef branch) {
  llvm::Instruction *jump = llvm::cast<llvm::Instruction>(llvm::unwrap(branch));
  jump->setMetadata(llvm::LLVMContext::MD_loop, llvm::unwrap<llvm::MDNode>(kiln_ll_unroll_node(context, 1)));
}

// The machine combiner counts the block's instructions anew for every pattern it finds: three quarters of the time that
// a hash kernel of 80,000 instructions took. A jump that LLVM cannot see through, and that is no instruction in the end,
// keeps the parts of a block apart.
static void split_block(llvm::BasicBlock &block, size_t part, llvm::BasicBlock *&never) {
  llvm::SmallVector<llvm::Instruction *, 64> firsts;
  size_t position = 0;
  for (llvm::Instruction &in : block)
    if (++position % part == 0 && !llvm::isa<llvm::PHINode>(in) && !llvm::isa<llvm::AllocaInst>(in))
      firsts.push_back(&in);
  llvm::LLVMContext &context = block.getContext();
  if (!never) {
    never = llvm::BasicBlock::Create(context, "never", block.getParent());
    new llvm::UnreachableInst(context, never);
  }
  llvm::FunctionType *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  llvm::InlineAsm *nothing = llvm::InlineAsm::get(type, "", "!i", true);
  for (size_t i = firsts.size(); i-- > 0;) { // from behind, since what is behind the point is moved
    llvm::BasicBlock *rest = block.splitBasicBlock(firsts[i]);
    block.getTerminator()->eraseFromParent();
    llvm::CallBrInst::Create(type, nothing, rest, {never}, {}, "", &block);
  }
}

void kiln_ll_split_blocks(LLVMModuleRef module, size_t limit) {
  for (llvm::Function &function : *llvm::unwrap(module)) {
    llvm::SmallVector<llvm::BasicBlock *, 8> large;
    llvm::BasicBlock *never = nullptr;
    for (llvm::BasicBlock &block : function)
      if (block.size() > 2 * limit)
        large.push_back(&block);
    for (llvm::BasicBlock *block : large)
      split_block(*block, limit, never);
  }
}

void kiln_ll_align_loops(LLVMTargetMachineRef machine, unsigned bytes) {
  reinterpret_cast<llvm::TargetMachine *>(machine)->Options.LoopAlignment = bytes;
}

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
