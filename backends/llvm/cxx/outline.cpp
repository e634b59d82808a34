// Cuts large functions into several. Much of LLVM takes more than linear time in the size of a function (machine
// sinking, scheduling, liveness, register allocation, the constant pool, reassociation…). Stretches of code with one
// way in and one way out become functions of their own. What goes in and out goes through memory: with masks as
// arguments by value a program computed something else for AVX-512 (gen_diff, seed 440059 at 4 lanes, cut everywhere).
//
// The dominator tree is taken apart into chains: a block, then the block where all its ways meet again, and so on. A
// loop is one element of the chain that it lies in, and has a chain of its own inside. From the innermost chains
// outwards, elements are put together until they are large enough.
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>
#include <llvm/Transforms/Utils/Local.h>

#include "backends/llvm/cxx/cxx.h"

namespace {
constexpr size_t block_part = 256; // instructions of the elements that long blocks are split into
// What a block counts in addition to its instructions: register allocation is not linear in the number of blocks.
constexpr size_t block_weight = 8;

using Blocks = llvm::SetVector<llvm::BasicBlock *>;
using Values = llvm::SetVector<llvm::Value *>;

struct Region {
  Blocks blocks;
  llvm::BasicBlock *before, *first, *last, *after; // first and last belong to it
};

struct Element {
  llvm::BasicBlock *first;
  size_t weight; // of the code left in it
};

struct Chain {
  llvm::BasicBlock *head;
  const llvm::Loop *loop; // that the chain lies in
  size_t parent, element; // the element that its remaining code counts for
  std::vector<Element> elements;
};

class Outliner {
public:
  Outliner(llvm::Function &function, size_t chunk)
      : function(function), chunk(chunk), dominators(function), post(function), loops(dominators), cache(function) {}

  void run() {
    chains.push_back({&function.getEntryBlock(), nullptr, 0, 0, {}});
    for (size_t i = 0; i < chains.size(); i++)
      walk(i);
    for (size_t i = chains.size(); i-- > 0;) { // children have larger numbers
      size_t left = cut(chains[i]);
      if (i)
        chains[chains[i].parent].elements[chains[i].element].weight += left;
    }
  }

private:
  // The loop that the chain of the block lies in.
  const llvm::Loop *outside(const llvm::BasicBlock *block) const {
    const llvm::Loop *loop = loops.getLoopFor(block);
    return loop && loop->getHeader() == block ? loop->getParentLoop() : loop;
  }

  llvm::BasicBlock *meeting(llvm::BasicBlock *block) const {
    auto *node = post.getNode(block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }

  // The element after the block, which is no loop of the chain.
  llvm::BasicBlock *block_after(llvm::BasicBlock *block, const llvm::Loop *loop) const {
    llvm::BasicBlock *next = meeting(block);
    bool good = next && dominators.getNode(next) && dominators.getNode(next)->getIDom()->getBlock() == block;
    return good && outside(next) == loop && !claimed.contains(next) ? next : nullptr;
  }

  llvm::BasicBlock *block_after_loop(llvm::BasicBlock *header, const llvm::Loop *inner, const llvm::Loop *loop) const {
    llvm::BasicBlock *next = header;
    while (next && inner->contains(next))
      next = meeting(next);
    bool good = next && dominators.getNode(next) && dominators.dominates(header, next);
    return good && outside(next) == loop && !claimed.contains(next) ? next : nullptr;
  }

  void walk(size_t index) {
    const llvm::Loop *loop = chains[index].loop;
    llvm::BasicBlock *at = chains[index].head, *next;
    for (; at; at = next) {
      const llvm::Loop *here = loops.getLoopFor(at);
      size_t element = chains[index].elements.size();
      if (here != loop) { // a loop of the chain
        next = block_after_loop(at, here, loop);
        chains[index].elements.push_back({at, 0});
        if (next)
          claimed.insert(next);
        chains.push_back({at, here, index, element, {}});
        continue;
      }
      next = block_after(at, loop);
      chains[index].elements.push_back({at, at->size() + block_weight});
      for (auto *child : *dominators.getNode(at)) {
        llvm::BasicBlock *block = child->getBlock();
        if (block != next && !claimed.contains(block))
          chains.push_back({block, outside(block), index, element, {}});
      }
    }
  }

  // Extracts elements that are large enough. Returns the number of instructions left.
  size_t cut(const Chain &chain) {
    size_t left = 0, size = 0;
    llvm::BasicBlock *from = nullptr;
    for (size_t i = 0; i < chain.elements.size(); i++) {
      const Element &element = chain.elements[i];
      if (element.first == &function.getEntryBlock()) {
        left += element.weight;
        continue;
      }
      from = from ? from : element.first;
      size += element.weight;
      bool last = i + 1 == chain.elements.size();
      if (size < chunk || last)
        continue;
      left += take(from, chain.elements[i + 1].first) ? 8 : size;
      from = nullptr;
      size = 0;
    }
    return left + size;
  }

  // The blocks on paths between two blocks, without the latter. False: there are other ways in or out.
  bool find_region(llvm::BasicBlock *from, llvm::BasicBlock *to, Blocks &blocks) const {
    blocks.insert(from);
    for (size_t i = 0; i < blocks.size(); i++) {
      if (llvm::isa<llvm::ReturnInst>(blocks[i]->getTerminator()))
        return false;
      for (llvm::BasicBlock *next : llvm::successors(blocks[i]))
        if (next != to)
          blocks.insert(next);
    }
    for (llvm::BasicBlock *block : blocks)
      for (llvm::BasicBlock *before : llvm::predecessors(block))
        if (block != from && !blocks.contains(before))
          return false;
    return true;
  }

  // Gives the region a first and a last block of its own, so that no phi lies on its border. False: impossible.
  static bool close(Blocks &blocks, llvm::BasicBlock *from, llvm::BasicBlock *to, Region &region) {
    llvm::SmallVector<llvm::BasicBlock *, 8> in, out;
    for (llvm::BasicBlock *block : llvm::predecessors(from))
      if (!blocks.contains(block))
        in.push_back(block);
    for (llvm::BasicBlock *block : llvm::predecessors(to))
      if (blocks.contains(block))
        out.push_back(block);
    region.before = llvm::SplitBlockPredecessors(from, in, ".in");
    region.last = llvm::SplitBlockPredecessors(to, out, ".out");
    if (!region.before || !region.last)
      return false;
    region.first = region.before->splitBasicBlock(region.before->getTerminator());
    region.after = region.last->splitBasicBlock(region.last->getTerminator());
    region.blocks.insert(region.first); // the first of the list is where CodeExtractor begins
    region.blocks.insert(blocks.begin(), blocks.end());
    region.blocks.insert(region.last);
    return true;
  }

  // The values that the region uses from outside, and those of the region that are used after it.
  static void find_crossing(const Blocks &blocks, Values &in, Values &out) {
    auto is_inside = [&](llvm::Value *value) {
      return blocks.contains(llvm::cast<llvm::Instruction>(value)->getParent());
    };
    for (llvm::BasicBlock *block : blocks)
      for (llvm::Instruction &inst : *block) {
        for (llvm::Value *operand : inst.operands())
          if (llvm::isa<llvm::Argument>(operand) ||
              (llvm::isa<llvm::Instruction>(operand) && !llvm::isa<llvm::AllocaInst>(operand) && !is_inside(operand)))
            in.insert(operand);
        if (!llvm::all_of(inst.users(), is_inside))
          out.insert(&inst);
      }
  }

  // Passes values in and out through memory. All regions share that memory, since each reads its values before another
  // region writes.
  void pass_by_memory(const Region &region, const Values &in, const Values &out) {
    std::vector<llvm::Type *> types;
    for (llvm::Value *value : in)
      types.push_back(value->getType());
    for (llvm::Value *value : out)
      types.push_back(value->getType());
    if (types.empty())
      return;
    llvm::StructType *type = llvm::StructType::get(function.getContext(), types);
    const llvm::DataLayout &layout = function.getDataLayout();
    llvm::IRBuilder<> b(&function.getEntryBlock(), function.getEntryBlock().begin());
    if (!memory)
      memory = b.CreateAlloca(b.getInt8Ty(), nullptr, "carry");
    memory_size = std::max(memory_size, (uint64_t)layout.getTypeAllocSize(type));
    memory->setAllocatedType(llvm::ArrayType::get(b.getInt8Ty(), memory_size));
    memory->setAlignment(std::max(memory->getAlign(), layout.getABITypeAlign(type)));
    unsigned index = 0;
    auto hand_over = [&](llvm::Value *value, llvm::BasicBlock *writer, llvm::BasicBlock *reader, bool inwards) {
      b.SetInsertPoint(writer->getTerminator());
      b.CreateStore(value, b.CreateStructGEP(type, memory, index));
      b.SetInsertPoint(reader->getTerminator());
      llvm::Value *other = b.CreateLoad(value->getType(), b.CreateStructGEP(type, memory, index++));
      value->replaceUsesWithIf(other, [&](llvm::Use &use) {
        return region.blocks.contains(llvm::cast<llvm::Instruction>(use.getUser())->getParent()) == inwards;
      });
    };
    for (llvm::Value *value : in)
      hand_over(value, region.before, region.first, true);
    for (llvm::Value *value : out)
      hand_over(value, region.last, region.after, false);
  }

  bool take(llvm::BasicBlock *from, llvm::BasicBlock *to) {
    Blocks blocks;
    Region region;
    if (!find_region(from, to, blocks) || !llvm::CodeExtractor(blocks.getArrayRef()).isEligible() ||
        !close(blocks, from, to, region))
      return false;
    Values in, out;
    find_crossing(region.blocks, in, out);
    pass_by_memory(region, in, out);
    llvm::CodeExtractor extractor(region.blocks.getArrayRef(), nullptr, false, nullptr, nullptr, nullptr, false, false,
                                  nullptr, "chunk");
    llvm::Function *made = extractor.extractCodeRegion(cache);
    if (made) {
      made->addFnAttr(llvm::Attribute::NoInline);
      made->addFnAttr(llvm::Attribute::NoRecurse); // else the stack size of AMDGPU's kernels is unknown
    }
    if (made && is_convergent(*made))
      made->addFnAttr(llvm::Attribute::Convergent);
    return made;
  }

  // Whether the function contains an operation whose result depends on which lanes run it: so does the result of a call
  // of it.
  static bool is_convergent(const llvm::Function &made) {
    for (const llvm::BasicBlock &block : made)
      for (const llvm::Instruction &in : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&in); call && call->isConvergent())
          return true;
    return false;
  }

  llvm::Function &function;
  size_t chunk;
  llvm::DominatorTree dominators;
  llvm::PostDominatorTree post;
  llvm::LoopInfo loops;
  llvm::CodeExtractorAnalysisCache cache;
  llvm::DenseSet<llvm::BasicBlock *> claimed; // after loops
  std::vector<Chain> chains;
  llvm::AllocaInst *memory = nullptr;
  uint64_t memory_size = 1;
};
} // namespace

// Code that uses its own frame or has indirect jumps is not cut; nor are operations of sub-groups, which use registers
// of lanes that are off.
static bool may_cut(llvm::Function &function, llvm::Intrinsic::ID barrier) {
  for (llvm::BasicBlock &block : function) {
    if (llvm::isa<llvm::CallBrInst>(block.getTerminator()))
      return false;
    for (llvm::Instruction &in : block) {
      auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&in);
      llvm::Intrinsic::ID id = intrinsic ? intrinsic->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
      if (id == llvm::Intrinsic::frameaddress || id == llvm::Intrinsic::stacksave ||
          (intrinsic && intrinsic->isConvergent() && id != barrier) ||
          (llvm::isa<llvm::AllocaInst>(in) && &block != &function.getEntryBlock()))
        return false;
    }
  }
  return true;
}

// Replaces an unreachable default by a case: such a block would be a second exit of every region around it.
static void reach_defaults(llvm::Function &function) {
  for (llvm::BasicBlock &block : function) {
    auto *choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    if (!choice || !choice->getNumCases() || !choice->defaultDestUndefined())
      continue;
    auto last = std::prev(choice->case_end());
    choice->getDefaultDest()->removePredecessor(&block);
    choice->setDefaultDest(last->getCaseSuccessor());
    choice->removeCase(last);
  }
  llvm::removeUnreachableBlocks(function);
}

static void cut_blocks(llvm::Function &function) {
  llvm::SmallVector<llvm::BasicBlock *, 16> large;
  for (llvm::BasicBlock &block : function)
    if (&block != &function.getEntryBlock() && block.size() > 2 * block_part)
      large.push_back(&block);
  for (llvm::BasicBlock *block : large) {
    llvm::SmallVector<llvm::Instruction *, 64> firsts;
    size_t position = 0;
    for (llvm::Instruction &in : *block)
      if (++position % block_part == 0 && !llvm::isa<llvm::PHINode>(in))
        firsts.push_back(&in);
    for (size_t i = firsts.size(); i-- > 0;) // backwards, since the code after the point is moved
      block->splitBasicBlock(firsts[i]);
  }
}

// Runs a few passes, with the analyses that they ask for: LLVM's PassBuilder brings all analyses, and takes longer to
// compile than the rest of this folder.
static void clean(llvm::Function &function, llvm::TargetMachine *machine) {
  llvm::FunctionAnalysisManager analyses;
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  analyses.registerPass([&] { return machine->getTargetIRAnalysis(); });
  llvm::FunctionPassManager manager;
  manager.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  manager.addPass(llvm::EarlyCSEPass());
  manager.addPass(llvm::SimplifyCFGPass());
  manager.run(function, analyses);
}

static size_t weight(const llvm::Function &function) {
  return function.getInstructionCount() + block_weight * function.size();
}

void kiln_ll_outline(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *barrier, uint32_t limit,
                     uint32_t chunk, bool optimize) {
  llvm::Intrinsic::ID id = barrier ? LLVMLookupIntrinsicID(barrier, std::strlen(barrier)) : 0;
  llvm::SmallVector<llvm::Function *, 4> large;
  for (llvm::Function &function : *llvm::unwrap(module))
    if (weight(function) > limit)
      large.push_back(&function);
  for (llvm::Function *function : large) {
    if (optimize)
      clean(*function, reinterpret_cast<llvm::TargetMachine *>(machine));
    if (weight(*function) <= limit || !may_cut(*function, id))
      continue;
    reach_defaults(*function);
    cut_blocks(*function);
    Outliner(*function, chunk).run();
  }
}
