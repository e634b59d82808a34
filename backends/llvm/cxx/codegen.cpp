// Code generation: LLVM's own list of machine passes without those of codegen.def. A pass manager of ours leaves them
// out. LLVM's options could do that too, but apply to the whole process.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetFrameLowering.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSchedule.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "backends/llvm/cxx/cxx.h"

namespace {
// Sets of machines.
enum Family : unsigned {
  none = 0,
  x86 = 1,
  aarch64 = 2,
  cpus = x86 | aarch64,
  amdgpu = 4,
  nvptx = 8,
  but_amdgpu = cpus | nvptx
};
enum When { always, in_large, in_many_blocks };
struct LeftOut {
  const char *pass;
  Family family;
  When when;
};
const LeftOut left_out[] = {
#define KILN_LEFT_OUT(family, when, pass) {pass, family, when},
#include "backends/llvm/cxx/codegen.def"
};
constexpr size_t left_out_count = sizeof left_out / sizeof *left_out;
constexpr size_t large_function = 30000; // instructions
constexpr size_t small_module = 5000;
constexpr size_t large_amdgpu = 10000; // the same, a block counted as so many:
constexpr size_t amdgpu_block = 8;
constexpr size_t many_blocks = 250;

// none: this file leaves out and adds no passes.
Family family_of(const llvm::Triple &triple) {
  return triple.isX86()       ? x86
         : triple.isAArch64() ? aarch64
         : triple.isAMDGPU()  ? amdgpu
         : triple.isNVPTX()   ? nvptx
                              : none;
}

// The cycles that the longest dependence chain of a block waits for results (loads excluded), and the number of
// instructions that compute scalars.
struct Chain {
  unsigned waits, scalars;
};
Chain chain_of(const llvm::MachineBasicBlock &block) {
  const llvm::TargetSubtargetInfo &target = block.getParent()->getSubtarget();
  const llvm::TargetRegisterInfo &registers = *target.getRegisterInfo();
  const llvm::MachineRegisterInfo &values = block.getParent()->getRegInfo();
  llvm::TargetSchedModel model;
  model.init(&target);
  llvm::DenseMap<llvm::Register, unsigned> ready;
  Chain chain = {0, 0};
  for (const llvm::MachineInstr &instruction : block) {
    unsigned wait = 0;
    bool scalar = false;
    for (const llvm::MachineOperand &use : instruction.all_uses())
      if (use.getReg().isVirtual())
        wait = std::max(wait, ready.lookup(use.getReg()));
    if (!instruction.mayLoadOrStore() && !instruction.isTransient())
      wait += std::max(model.computeInstrLatency(&instruction), 1u) - 1;
    for (const llvm::MachineOperand &def : instruction.all_defs())
      if (def.getReg().isVirtual()) {
        ready[def.getReg()] = wait;
        scalar |= registers.getRegSizeInBits(*values.getRegClass(def.getReg())) < 128;
      }
    chain.waits = std::max(chain.waits, wait);
    chain.scalars += scalar;
  }
  return chain;
}

// Whether a function keeps the emitter's order, in which the registers of a value alternate. LLVM's scheduler keeps few
// values alive and therefore places the chain of one register after that of another. Out-of-order execution usually
// overlaps such chains. It does not if the largest block is long, consists almost only of vector arithmetic, and waits
// for results: less than 6 instructions per waiting cycle (exponentials and logarithms). AVX-512 has enough registers
// for either order.
bool keeps_order(const llvm::MachineFunction &function) {
  if (function.getSubtarget().checkFeatures("+avx512f"))
    return false;
  const llvm::MachineBasicBlock *largest = &function.front();
  for (const llvm::MachineBasicBlock &block : function)
    if (block.size() > largest->size())
      largest = &block;
  if (largest->size() <= 200)
    return false;
  Chain chain = chain_of(*largest);
  return largest->size() < chain.waits * 6 && chain.scalars * 8 < largest->size();
}

constexpr char scheduler[] = "Machine Instruction Scheduler"; // LLVM's name of it

// Before LLVM's scheduler: marks functions that keep their order, so that it skips them. After it: removes the marks.
class Mark : public llvm::MachineFunctionPass {
public:
  explicit Mark(bool set) : MachineFunctionPass(id), set(set) {}
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (!set)
      function.getFunction().removeFnAttr(llvm::Attribute::OptimizeNone);
    else if (keeps_order(function))
      function.getFunction().addFnAttr(llvm::Attribute::OptimizeNone);
    return false;
  }

private:
  static char id; // LLVM identifies passes by its address
  bool set;
};
char Mark::id;

// AMDGPU generates code from the kernels down to their callees, then requests the code of every function: LLVM 19
// crashes on a function that is never called. Such functions, and those that only they call, are removed.
class RemoveDead : public llvm::ModulePass {
public:
  RemoveDead() : ModulePass(id) {}
  bool runOnModule(llvm::Module &module) override {
    bool changed = false, again = true;
    while (again) {
      again = false;
      for (llvm::Function &function : llvm::make_early_inc_range(module)) {
        function.removeDeadConstantUsers();
        if (function.isDeclaration() || !function.isDefTriviallyDead())
          continue;
        function.eraseFromParent();
        again = changed = true;
      }
    }
    return changed;
  }

private:
  static char id;
};
char RemoveDead::id;

constexpr char from_callers[] = "AMDGPU Annotate Kernel Features"; // the first pass over the call graph

// Before LLVM frees a function: records its frame and its callees, as a line in the form of frames.h.
class Frames : public llvm::MachineFunctionPass {
public:
  explicit Frames(kiln_strbuf *&lines) : MachineFunctionPass(id), lines(lines) {}
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (!lines)
      return false;
    const llvm::MachineFrameInfo &frame = function.getFrameInfo();
    kiln_strbuf_printf(lines, "%s %llu %llu", function.getName().str().c_str(),
                       static_cast<unsigned long long>(stack_of(function)),
                       static_cast<unsigned long long>(held_of(frame)));
    llvm::StringSet<> callees;
    for (const llvm::MachineBasicBlock &block : function)
      for (const llvm::MachineInstr &in : block)
        for (const llvm::MachineOperand &operand : in.operands())
          if (in.isCall() && (operand.isGlobal() || operand.isSymbol())) {
            llvm::StringRef name = operand.isGlobal() ? operand.getGlobal()->getName() : operand.getSymbolName();
            if (callees.insert(name).second)
              kiln_strbuf_printf(lines, " %s", name.str().c_str());
          }
    kiln_strbuf_putc(lines, '\n');
    return false;
  }

private:
  // LLVM does not count the red zone, the return address and alignment padding.
  static constexpr uint64_t uncounted = 256;
  static uint64_t stack_of(const llvm::MachineFunction &function) {
    const llvm::MachineFrameInfo &frame = function.getFrameInfo();
    if (frame.hasVarSizedObjects())
      return UINT64_MAX;
    bool reserved = function.getSubtarget().getFrameLowering()->hasReservedCallFrame(function);
    uint64_t calls = reserved || !frame.isMaxCallFrameSizeComputed() ? 0 : frame.getMaxCallFrameSize();
    return frame.getStackSize() + calls + frame.getMaxAlign().value() + uncounted;
  }
  // Variables and spilled values.
  static uint64_t held_of(const llvm::MachineFrameInfo &frame) {
    uint64_t bytes = 0;
    for (int i = 0; i < frame.getObjectIndexEnd(); i++)
      if (!frame.isDeadObjectIndex(i) && !frame.isVariableSizedObjectIndex(i))
        bytes += static_cast<uint64_t>(frame.getObjectSize(i));
    return bytes;
  }
  static char id; // LLVM identifies passes by its address
  kiln_strbuf *&lines;
};
char Frames::id;

// What decides which passes are left out.
struct Sizes {
  size_t all = 0;                          // instructions of the module
  bool large = false, many_blocks = false; // of a function
  Sizes() = default;
  Sizes(const llvm::Module &module, Family family) {
    for (const llvm::Function &function : module) {
      size_t count = function.getInstructionCount();
      all += count;
      large |= family == amdgpu ? count + amdgpu_block * function.size() > large_amdgpu : count > large_function;
      many_blocks |= function.size() > ::many_blocks;
    }
  }
};

constexpr char forgets[] = "Free MachineFunction"; // LLVM's name of the last pass

class Passes : public llvm::legacy::PassManagerBase {
public:
  // frames: receives the frames of the functions of a run; NULL: they are dropped.
  Passes(const llvm::Triple &triple, Sizes sizes, kiln_strbuf *&frames)
      : family(family_of(triple)), sizes(sizes), frames(frames) {}
  void add(llvm::Pass *pass) override {
    if (is_left_out(pass->getPassName())) {
      delete pass;
      return;
    }
    bool orders = family == x86 && pass->getPassName() == scheduler;
    has_scheduler |= orders;
    if (family == amdgpu && pass->getPassName() == from_callers) {
      removes_dead = true;
      inner.add(new RemoveDead);
    }
    if (family & cpus && pass->getPassName() == forgets) {
      has_frames = true;
      inner.add(new Frames(frames));
    }
    if (orders)
      inner.add(new Mark(true));
    inner.add(pass);
    if (orders)
      inner.add(new Mark(false));
  }
  void run(llvm::Module &module) { inner.run(module); }
  // The first pass named in codegen.def, or next to which a pass of ours is inserted, that LLVM's list lacks; NULL: it
  // lacks none.
  const char *unused() const {
    if (family == x86 && !has_scheduler)
      return scheduler;
    if (family == amdgpu && !removes_dead)
      return from_callers;
    if (family & cpus && !has_frames)
      return forgets;
    for (size_t i = 0; i < left_out_count; i++)
      if (!used[i] && applies(left_out[i]))
        return left_out[i].pass;
    return nullptr;
  }

private:
  bool applies(const LeftOut &row) const {
    return row.family & family && (row.when == always || (row.when == in_large ? sizes.large : sizes.many_blocks));
  }
  bool is_left_out(llvm::StringRef name) {
    for (size_t i = 0; i < left_out_count; i++)
      if (name == left_out[i].pass && applies(left_out[i]))
        return used[i] = true;
    return false;
  }
  llvm::legacy::PassManager inner;
  Family family;
  Sizes sizes;
  kiln_strbuf *&frames;
  bool has_scheduler = false, has_frames = false, removes_dead = false;
  bool used[left_out_count] = {};
};
} // namespace

static llvm::CodeGenFileType type_of(bool assembly) {
  return assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
}

static llvm::TargetMachine &machine_of(LLVMTargetMachineRef tm) { return *reinterpret_cast<llvm::TargetMachine *>(tm); }

// A list of passes and its output.
struct kiln_ll_generator {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  kiln_strbuf *frames = nullptr; // of the run
  Passes passes;
  bool works;
  kiln_ll_generator(llvm::TargetMachine &machine, Sizes sizes, llvm::CodeGenFileType type)
      : passes(machine.getTargetTriple(), sizes, frames) {
    works = !machine.addPassesToEmitFile(passes, stream, nullptr, type);
  }
  bool run(llvm::Module &module, kiln_strbuf *frames_out, void **out, size_t *out_size) {
    if (!works)
      return false;
    bytes.clear();
    frames = frames_out;
    passes.run(module);
    *out_size = bytes.size();
    *out = std::malloc(bytes.size() + 1);
    if (*out)
      std::memcpy(*out, bytes.data(), bytes.size());
    return true;
  }
};

// The list is kept only where reuse pays and has run for thousands of programs: small modules for x86 without debug
// information. LLVM's passes never free memory that they have once needed.
bool kiln_ll_emit_code(LLVMModuleRef module, LLVMTargetMachineRef tm, bool assembly, struct kiln_ll_generator **kept,
                       struct kiln_strbuf *frames, void **out, size_t *out_size) {
  llvm::TargetMachine &machine = machine_of(tm);
  llvm::Module &m = *llvm::unwrap(module);
  m.setDataLayout(machine.createDataLayout());
  Family family = family_of(machine.getTargetTriple());
  Sizes sizes(m, family);
  llvm::CodeGenFileType type = type_of(assembly);
  bool again = sizes.all <= small_module && family == x86 && !m.getNamedMetadata("llvm.dbg.cu");
  if (!kept || assembly || !again)
    return kiln_ll_generator(machine, sizes, type).run(m, frames, out, out_size);
  if (!*kept)
    *kept = new kiln_ll_generator(machine, {}, type);
  return (*kept)->run(m, frames, out, out_size);
}

void kiln_ll_generator_free(struct kiln_ll_generator *generator) { delete generator; }

const char *kiln_ll_unused_left_out(LLVMTargetMachineRef tm, bool assembly) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  kiln_strbuf *frames = nullptr;
  Sizes most;
  most.large = most.many_blocks = true;
  Passes passes(machine_of(tm).getTargetTriple(), most, frames);
  machine_of(tm).addPassesToEmitFile(passes, stream, nullptr, type_of(assembly));
  return passes.unused();
}
