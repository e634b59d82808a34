// Changes to LLVM IR for NVIDIA GPUs, before code is generated.
#include <algorithm>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include "backends/llvm/cxx/cxx.h"

// LLVM 19 makes one load of four words of a load of <16 x i8>, whatever the alignment.
void kiln_ll_split_byte_loads(LLVMModuleRef module) {
  llvm::SmallVector<llvm::LoadInst *, 8> loads;
  for (llvm::Function &function : *llvm::unwrap(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block)
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&in))
          if (auto *type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType()))
            if (type->getNumElements() == 16 && type->getElementType()->isIntegerTy(8) && load->getAlign() < 16)
              loads.push_back(load);
  for (llvm::LoadInst *load : loads) {
    llvm::IRBuilder<> b(load);
    llvm::Type *half = llvm::FixedVectorType::get(b.getInt8Ty(), 8);
    llvm::Value *parts[2];
    for (unsigned i = 0; i < 2; i++) {
      llvm::Value *place = b.CreateConstGEP1_64(b.getInt8Ty(), load->getPointerOperand(), 8 * i);
      llvm::LoadInst *part =
          b.CreateAlignedLoad(half, place, std::min(load->getAlign(), llvm::Align(8)), load->isVolatile());
      part->copyMetadata(*load, {llvm::LLVMContext::MD_invariant_load});
      parts[i] = part;
    }
    int order[16];
    for (int i = 0; i < 16; i++)
      order[i] = i;
    load->replaceAllUsesWith(b.CreateShuffleVector(parts[0], parts[1], order));
    load->eraseFromParent();
  }
}

// LLVM 19 makes a load of 16-bit words into 32-bit registers of a load of many halves that become floats: the bits are
// not converted. Element by element it converts them.
void kiln_ll_split_half_extensions(LLVMModuleRef module) {
  llvm::SmallVector<llvm::FPExtInst *, 8> extensions;
  for (llvm::Function &function : *llvm::unwrap(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block)
        if (auto *extension = llvm::dyn_cast<llvm::FPExtInst>(&in))
          if (llvm::isa<llvm::FixedVectorType>(in.getType()) && extension->getSrcTy()->getScalarType()->isHalfTy())
            extensions.push_back(extension);
  for (llvm::FPExtInst *extension : extensions) {
    llvm::IRBuilder<> b(extension);
    auto *type = llvm::cast<llvm::FixedVectorType>(extension->getType());
    llvm::Value *result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); i++) {
      llvm::Value *half = b.CreateExtractElement(extension->getOperand(0), i);
      result = b.CreateInsertElement(result, b.CreateFPExt(half, type->getElementType()), i);
    }
    extension->replaceAllUsesWith(result);
    extension->eraseFromParent();
  }
}

// LLVM 19 makes a float of the integer 1 where a signed bit that is set stands for -1.
void kiln_ll_choose_signed_bits(LLVMModuleRef module) {
  llvm::SmallVector<llvm::SIToFPInst *, 8> conversions;
  for (llvm::Function &function : *llvm::unwrap(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block)
        if (auto *conversion = llvm::dyn_cast<llvm::SIToFPInst>(&in))
          if (conversion->getSrcTy()->getScalarType()->isIntegerTy(1))
            conversions.push_back(conversion);
  for (llvm::SIToFPInst *conversion : conversions) {
    llvm::IRBuilder<> b(conversion);
    llvm::Type *type = conversion->getType();
    conversion->replaceAllUsesWith(
        b.CreateSelect(conversion->getOperand(0), llvm::ConstantFP::get(type, -1), llvm::Constant::getNullValue(type)));
    conversion->eraseFromParent();
  }
}

// The type of the pieces of a copy at this alignment.
static llvm::Type *piece_type(llvm::IRBuilder<> &b, llvm::Align align) {
  if (align >= 16)
    return llvm::FixedVectorType::get(b.getInt32Ty(), 4);
  return b.getIntNTy(static_cast<unsigned>(align.value()) * 8);
}

// One piece at an offset: copied, or filled with a byte that is repeated.
static void copy_piece(llvm::IRBuilder<> &b, llvm::MemIntrinsic *copy, llvm::Type *type, llvm::Align align,
                       llvm::Value *offset) {
  bool is_volatile = copy->isVolatile();
  llvm::Value *value;
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy)) {
    llvm::Value *from = b.CreateGEP(b.getInt8Ty(), transfer->getRawSource(), offset);
    value = b.CreateAlignedLoad(type, from, align, is_volatile);
  } else {
    llvm::Value *byte = llvm::cast<llvm::MemSetInst>(copy)->getValue();
    unsigned bits = type->getScalarSizeInBits();
    llvm::APInt ones = llvm::APInt::getSplat(bits, llvm::APInt(8, 1));
    value = b.CreateMul(b.CreateZExt(byte, type->getScalarType()), llvm::ConstantInt::get(b.getContext(), ones));
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      value = b.CreateVectorSplat(vector->getNumElements(), value);
  }
  llvm::Value *to = b.CreateGEP(b.getInt8Ty(), copy->getRawDest(), offset);
  b.CreateAlignedStore(value, to, align, is_volatile);
}

void kiln_ll_expand_copies(LLVMModuleRef module, uint64_t more_than) {
  llvm::SmallVector<std::pair<llvm::MemIntrinsic *, uint64_t>, 8> copies;
  for (llvm::Function &function : *llvm::unwrap(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block)
        if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&in))
          if (auto *size = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength()))
            if (!llvm::isa<llvm::MemMoveInst>(copy) && size->getZExtValue() > more_than)
              copies.push_back({copy, size->getZExtValue()});
  for (auto [copy, size] : copies) {
    llvm::IRBuilder<> b(copy);
    llvm::Align align = copy->getDestAlign().valueOrOne();
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
      align = std::min(align, transfer->getSourceAlign().valueOrOne());
    align = std::min(align, llvm::Align(16));
    llvm::Type *type = piece_type(b, align);
    uint64_t whole = size / align.value() * align.value();
    for (uint64_t at = whole; at < size; at++)
      copy_piece(b, copy, b.getInt8Ty(), llvm::Align(1), b.getInt64(at));
    llvm::BasicBlock *before = copy->getParent(), *after = llvm::SplitBlock(before, copy);
    llvm::BasicBlock *loop = llvm::BasicBlock::Create(b.getContext(), "copy", before->getParent(), after);
    llvm::cast<llvm::BranchInst>(before->getTerminator())->setSuccessor(0, loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *offset = b.CreatePHI(b.getInt64Ty(), 2);
    copy_piece(b, copy, type, align, offset);
    llvm::Value *next = b.CreateAdd(offset, b.getInt64(align.value()));
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(whole)), loop, after);
    offset->addIncoming(b.getInt64(0), before);
    offset->addIncoming(next, loop);
    copy->eraseFromParent();
  }
}

// Inference of address spaces turns a null pointer that meets pointers to a variable into a conversion of null, which
// has no defined value in shared and private memory.
void kiln_ll_hide_nulls(LLVMModuleRef module) {
  llvm::SmallVector<llvm::Use *, 8> nulls;
  for (llvm::Function &function : *llvm::unwrap(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &in : block)
        if (llvm::isa<llvm::PHINode>(in) || llvm::isa<llvm::SelectInst>(in) || llvm::isa<llvm::ICmpInst>(in))
          for (llvm::Use &use : in.operands())
            if (llvm::isa<llvm::ConstantPointerNull>(use) && use->getType()->getPointerAddressSpace() == 0)
              nulls.push_back(&use);
  for (llvm::Use *use : nulls) {
    llvm::Instruction *user = llvm::cast<llvm::Instruction>(use->getUser());
    auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    llvm::IRBuilder<> b(phi ? phi->getIncomingBlock(*use)->getTerminator() : user);
    llvm::FunctionType *type = llvm::FunctionType::get(use->get()->getType(), false);
    llvm::Value *hidden = b.CreateCall(type, llvm::InlineAsm::get(type, "mov.b64 $0, 0;", "=l", false));
    if (!phi) {
      use->set(hidden);
      continue;
    }
    for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) // a block that stands there twice has one value
      if (phi->getIncomingBlock(i) == llvm::cast<llvm::Instruction>(hidden)->getParent() &&
          llvm::isa<llvm::ConstantPointerNull>(phi->getIncomingValue(i)))
        phi->setIncomingValue(i, hidden);
  }
}
