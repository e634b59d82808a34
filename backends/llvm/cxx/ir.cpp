// Changes to LLVM IR, and one to a target machine, that LLVM's C interface lacks.
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include "backends/llvm/cxx/cxx.h"

// An access group is a distinct node without operands.
LLVMMetadataRef kiln_ll_distinct_node(LLVMContextRef context) {
  return llvm::wrap(llvm::MDNode::getDistinct(*llvm::unwrap(context), {}));
}

// LLVMSetAtomicSyncScopeID comes with LLVM 20.
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

// The machine combiner recounts the block's instructions for every pattern that it finds: three quarters of the compile
// time of a hash kernel of 80,000 instructions. A jump that LLVM cannot see through, and that becomes no instruction in
// the end, separates the parts of a block.
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
  for (size_t i = firsts.size(); i-- > 0;) { // backwards, since the code after the point is moved
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

// Whether LLVM's AMDGPU back end may take an unsigned division for a narrower one. It counts the sign bits of the
// operands (AMDGPUCodeGenPrepare and instruction selection, in LLVM 19), so that operands which are negative as signed
// integers are divided without their upper bits. Divisions of fewer than 32 bits are extended first.
static bool mistakes_width(const llvm::BinaryOperator &in, const llvm::DataLayout &layout) {
  bool is_unsigned = in.getOpcode() == llvm::Instruction::UDiv || in.getOpcode() == llvm::Instruction::URem;
  if (!is_unsigned || in.getType()->getScalarSizeInBits() < 32)
    return false;
  for (const llvm::Value *operand : in.operand_values())
    if (llvm::ComputeNumSignBits(operand, layout) > 1 && !llvm::isKnownNonNegative(operand, layout))
      return true;
  return false;
}

void kiln_ll_keep_width_of_divisions(LLVMModuleRef module) {
  llvm::Module &m = *llvm::unwrap(module);
  llvm::SmallVector<llvm::BinaryOperator *, 8> divisions;
  for (llvm::Function &function : m)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block)
        if (auto *division = llvm::dyn_cast<llvm::BinaryOperator>(&in))
          if (mistakes_width(*division, m.getDataLayout()))
            divisions.push_back(division);
  for (llvm::BinaryOperator *division : divisions) {
    llvm::IRBuilder<> b(division);
    llvm::Type *type = division->getType();
    llvm::FunctionType *function = llvm::FunctionType::get(type, {type}, false);
    llvm::InlineAsm *same = llvm::InlineAsm::get(function, "", "=v,0", false); // a value that LLVM knows nothing of
    for (unsigned i = 0; i < 2; i++)
      division->setOperand(i, b.CreateCall(function, same, {division->getOperand(i)}));
  }
}

// LLVM 19's instruction selection makes one multiplication with addition of a product and a sum of 64 bits, and then
// loses operations on a sum of its lower half and a constant (docs/peer-faults.md). A freeze keeps the lower half
// apart.
void kiln_ll_keep_lower_halves(LLVMModuleRef module) {
  llvm::SmallVector<llvm::Instruction *, 8> halves;
  for (llvm::Function &function : *llvm::unwrap(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block) {
        auto *sum = llvm::isa<llvm::TruncInst>(in) ? llvm::dyn_cast<llvm::Instruction>(in.getOperand(0)) : nullptr;
        if (sum && sum->getOpcode() == llvm::Instruction::Add && sum->getType()->isIntegerTy(64) && !sum->hasOneUse())
          halves.push_back(&in);
      }
  for (llvm::Instruction *half : halves) {
    llvm::IRBuilder<> b(half->getNextNode());
    llvm::Instruction *frozen = llvm::cast<llvm::Instruction>(b.CreateFreeze(half));
    half->replaceUsesWithIf(frozen, [frozen](llvm::Use &use) { return use.getUser() != frozen; });
  }
}
