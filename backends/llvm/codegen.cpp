// Code generation: LLVM's own list of machine passes, without those that codegen.def names. The list is given
// to a pass manager that leaves them out, so that no option of LLVM is set, which would hold for the whole process.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSchedule.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "backends/llvm/object.h"

namespace {
enum Family { cpus, x86, amdgpu };
struct LeftOut {
  const char *pass;
  Family family;
  bool large_only;
};
const LeftOut left_out[] = {
#define KILN_LEFT_OUT(pass, x86_only) {pass, x86_only ? x86 : cpus, false},
#define KILN_LEFT_OUT_LARGE(pass) {pass, cpus, true},
#define KILN_LEFT_OUT_AMDGPU_LARGE(pass) {pass, amdgpu, true},
#include "backends/llvm/codegen.def"
};
constexpr size_t left_out_count = sizeof left_out / sizeof *left_out;
constexpr size_t large_function = 30000; // instructions
constexpr size_t small_module = 5000;
constexpr size_t large_amdgpu = 10000; // the same, a block counted as so many:
constexpr size_t amdgpu_block = 8;

// Cycles in which the longest chain of operations of a block waits for results (of loads apart), and how many
// instructions compute scalars.
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

// Whether a function keeps the order that the emitter gives it, in which the registers of a value take turns. LLVM's
// scheduler keeps few values alive, for which it puts one register's chain of operations behind the other's. That is
// right where processors look ahead from one chain into the next. They do not where its largest block is long, hardly
// anything but vector arithmetic, and waits for results of its chain: less than 6 instructions for each such cycle
// (exponentials and logarithms). AVX-512 has registers enough for either order.
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

// In front of LLVM's scheduler: marks functions that keep their order, so that it passes them over. Behind it: takes
// the marks away.
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
  static char id; // LLVM tells passes apart by where it is
  bool set;
};
char Mark::id;

class Passes : public llvm::legacy::PassManagerBase {
public:
  Passes(const llvm::Triple &triple, bool large)
      : family(triple.isX86()      ? x86
               : triple.isAMDGPU() ? amdgpu
                                   : cpus),
        large(large) {}
  void add(llvm::Pass *pass) override {
    if (is_left_out(pass->getPassName())) {
      delete pass;
      return;
    }
    bool orders = family == x86 && pass->getPassName() == scheduler;
    has_scheduler |= orders;
    if (orders)
      inner.add(new Mark(true));
    inner.add(pass);
    if (orders)
      inner.add(new Mark(false));
  }
  void run(llvm::Module &module) { inner.run(module); }
  // The first pass, of the rows and what has marks around it, that was not there.
  const char *unused() const {
    if (family == x86 && !has_scheduler)
      return scheduler;
    for (size_t i = 0; i < left_out_count; i++)
      if (!used[i] && applies(left_out[i]))
        return left_out[i].pass;
    return nullptr;
  }

private:
  bool applies(const LeftOut &row) const {
    bool here = row.family == family || (row.family == cpus && family == x86);
    return here && (large || !row.large_only);
  }
  bool is_left_out(llvm::StringRef name) {
    for (size_t i = 0; i < left_out_count; i++)
      if (name == left_out[i].pass && applies(left_out[i]))
        return used[i] = true;
    return false;
  }
  llvm::legacy::PassManager inner;
  Family family;
  bool large;
  bool has_scheduler = false;
  bool used[left_out_count] = {};
};
} // namespace

static llvm::TargetMachine &machine_of(LLVMTargetMachineRef tm) { return *reinterpret_cast<llvm::TargetMachine *>(tm); }

namespace {
struct Sizes {
  size_t all = 0; // instructions of the module
  bool large = false;
  Sizes(const llvm::Module &module, bool amdgpu) {
    for (const llvm::Function &function : module) {
      size_t count = function.getInstructionCount();
      all += count;
      large |= amdgpu ? count + amdgpu_block * function.size() > large_amdgpu : count > large_function;
    }
  }
};
} // namespace

// A list of passes and what it writes to.
struct kiln_ll_generator {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  Passes passes;
  bool works;
  kiln_ll_generator(llvm::TargetMachine &machine, bool large, llvm::CodeGenFileType type)
      : passes(machine.getTargetTriple(), large) {
    works = !machine.addPassesToEmitFile(passes, stream, nullptr, type);
  }
  bool run(llvm::Module &module, void **out, size_t *out_size) {
    if (!works)
      return false;
    bytes.clear();
    passes.run(module);
    *out_size = bytes.size();
    *out = std::malloc(bytes.size() + 1);
    if (*out)
      std::memcpy(*out, bytes.data(), bytes.size());
    return true;
  }
};

// Only what gains by it, and was seen to hold over thousands of programs, runs in a list that is kept: small modules
// for x86 without debug information. Passes keep the room that they once needed.
bool kiln_ll_emit_code(LLVMModuleRef module, LLVMTargetMachineRef tm, bool assembly, struct kiln_ll_generator **kept,
                       void **out, size_t *out_size) {
  llvm::TargetMachine &machine = machine_of(tm);
  llvm::Module &m = *llvm::unwrap(module);
  m.setDataLayout(machine.createDataLayout());
  Sizes sizes(m, machine.getTargetTriple().isAMDGPU());
  llvm::CodeGenFileType type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  bool again = sizes.all <= small_module && machine.getTargetTriple().isX86() && !m.getNamedMetadata("llvm.dbg.cu");
  if (!kept || assembly || !again)
    return kiln_ll_generator(machine, sizes.large, type).run(m, out, out_size);
  if (!*kept)
    *kept = new kiln_ll_generator(machine, false, type);
  return (*kept)->run(m, out, out_size);
}

void kiln_ll_generator_free(struct kiln_ll_generator *generator) { delete generator; }

const char *kiln_ll_unused_left_out(LLVMTargetMachineRef tm) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  Passes passes(machine_of(tm).getTargetTriple(), true);
  machine_of(tm).addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  return passes.unused();
}
