// A backend whose compiler goes wrong as the name of the kernel says: inside of LLVM where there is one. Everything
// else is the interpreter's.
#include <kiln/backend.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef KILN_LLVM
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#endif

// "Cannot select": LLVM prints it and aborts.
static void fatal_error(void) {
#ifdef KILN_LLVM
  static const char text[] = "declare i32 @llvm.amdgcn.workitem.id.x()\n"
                             "define i32 @f() {\n  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  ret i32 %x\n}\n";
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMTargetRef target;
  LLVMModuleRef module;
  LLVMMemoryBufferRef code;
  char *message = NULL;
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "text");
  if (LLVMParseIRInContext(context, buffer, &module, &message) ||
      LLVMGetTargetFromTriple("x86_64-unknown-linux-gnu", &target, &message))
    return;
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, "x86_64-unknown-linux-gnu", "x86-64", "",
                                                         LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &code);
#else
  fputs("LLVM ERROR: Cannot select: a node\n", stderr);
  abort();
#endif
}

// Values without end, until an allocation fails.
static void eat_memory(void) {
#ifdef KILN_LLVM
  LLVMContextRef context = LLVMContextCreate();
  for (unsigned long long i = 0;; i++)
    LLVMConstInt(LLVMInt64TypeInContext(context), i, 0);
#else
  while (malloc(1 << 20)) {
  }
  fputs("out of memory\n", stderr);
  abort();
#endif
}

static unsigned depth(volatile unsigned *n) {
  volatile char frame[4096];
  frame[0] = (char)*n;
  return *n ? depth(n) + (unsigned)frame[0] : 0; // never 0
}

static enum kiln_status compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                struct kiln_report *report) {
  const char *name = job->module->functions[0]->name;
  const char *pid_file = getenv("FAULTS_PID");
  if (pid_file) {
    FILE *file = fopen(pid_file, "w");
    if (file) {
      fprintf(file, "%d", (int)getpid());
      fclose(file);
    }
  }
  kiln_report_log(report, KILN_LOG_INFO, "compiling %s", name);
  kiln_report_at(report, name, "code generation");
  volatile unsigned one = 1;
  if (!strcmp(name, "fatal"))
    fatal_error();
  else if (!strcmp(name, "memory"))
    eat_memory();
  else if (!strcmp(name, "segv"))
    raise(SIGSEGV);
  else if (!strcmp(name, "killed"))
    raise(SIGKILL);
  else if (!strcmp(name, "stack"))
    one = depth(&one);
  else if (!strcmp(name, "exits"))
    exit(7);
  else if (!strcmp(name, "exits_well"))
    exit(0);
  else if (!strcmp(name, "refuses"))
    return kiln_fail(report, KILN_ERR_COMPILE, "the kernel is not liked");
  while (!strcmp(name, "endless"))
    one++;
  while (!strcmp(name, "sleeps"))
    pause();
  return kiln_interpreter()->compile(job, out, report);
}

static struct kiln_base_backend table;

static void make_table(void) {
  table = *kiln_interpreter();
  table.name = "faults";
  table.tags = "";
  table.compile = compile;
}

KILN_BACKEND_ENTRY(abi_version) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (abi_version != KILN_BACKEND_ABI)
    return NULL;
  pthread_once(&once, make_table);
  return &table;
}
