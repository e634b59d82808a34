// What is told of a fault in a kernel.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu.h"

struct kind {
  int signal, code;
  const char *text;
  bool has_address;
};
static const struct kind kinds[] = {
    {SIGSEGV, SEGV_MAPERR, "no memory is mapped at", true},
    {SIGSEGV, SEGV_ACCERR, "memory may not be accessed so at", true},
    {SIGSEGV, SI_KERNEL, "an access to what can be no address", false},
    {SIGBUS, BUS_ADRALN, "a misaligned access to", true},
    {SIGBUS, BUS_ADRERR, "the mapped file ends before", true},
    {SIGFPE, FPE_INTDIV, "a division of integers by zero", false},
};

static void tell_kind(const struct kiln_cpu_fault *fault, struct kiln_strbuf *out) {
  const char *name = fault->signal == SIGSEGV ? "SIGSEGV" : fault->signal == SIGBUS ? "SIGBUS" : "SIGFPE";
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].signal != fault->signal || kinds[i].code != fault->code)
      continue;
    kiln_strbuf_printf(out, "%s: %s", name, kinds[i].text);
    if (kinds[i].has_address)
      kiln_strbuf_printf(out, " 0x%llx", (unsigned long long)fault->address);
    return;
  }
  kiln_strbuf_printf(out, "%s (code %d)", name, fault->code);
}

// Of calls into the C library only that it was one.
static void tell_place(const struct kiln_drv_kernel *kernel, uintptr_t pc, struct kiln_strbuf *out) {
  Dl_info here, there;
  void *symbol;
  memcpy(&symbol, &kernel->run, sizeof symbol);
  if (!dladdr(symbol, &here))
    return;
  if (!dladdr((void *)pc, &there) || there.dli_fbase != here.dli_fbase) {
    kiln_strbuf_puts(out, ", in a function of the C library that it calls");
    return;
  }
  const struct kiln_drv_module *module = kernel->module;
  const struct kiln_llvm_api *api;
  struct kiln_report *report = kiln_report_new();
  char line[512];
  if (report && !kiln_llvm_load(&api, report) &&
      api->source_line(module->image, module->image_size, pc - (uintptr_t)here.dli_fbase, line, sizeof line))
    kiln_strbuf_printf(out, ", at %s", line);
  else
    kiln_strbuf_puts(out, ", at an unknown line (-g tells it)");
  kiln_report_delete(report);
}

static void swap(uint64_t *a, uint64_t *b) {
  uint64_t kept = *a;
  *a = *b;
  *b = kept;
}

static void tell_items(struct kiln_cpu_group group, uint32_t flags, uint32_t work_dim, struct kiln_strbuf *out) {
  if (flags & KILN_CPU_FLATTENED) {
    kiln_strbuf_printf(out, " (in one of the work-items %llu to %llu, counted over %s dimensions)",
                       (unsigned long long)group.base[0], (unsigned long long)(group.base[0] + group.size[0] - 1),
                       flags & KILN_CPU_FLAT_PLANES ? "two" : "all");
    return;
  }
  if (flags & KILN_CPU_PLANES) {
    group.base[2] += group.plane;
    group.size[2] = 1;
  }
  if (flags & KILN_CPU_INTERCHANGED) {
    swap(&group.base[0], &group.base[1]);
    swap(&group.size[0], &group.size[1]);
  }
  bool one = group.size[0] * group.size[1] * group.size[2] == 1;
  kiln_strbuf_puts(out, one ? " (global id" : " (in one of the work-items with global ids");
  for (int last = 0; last <= !one; last++) {
    kiln_strbuf_puts(out, last ? " to" : "");
    for (uint32_t d = 0; d < work_dim; d++)
      kiln_strbuf_printf(out, "%s%llu", d ? "," : " ",
                         (unsigned long long)(group.base[d] + (last ? group.size[d] - 1 : 0)));
  }
  kiln_strbuf_puts(out, ")");
}

void kiln_cpu_tell_fault(const struct kiln_drv_kernel *kernel, const struct kiln_cpu_fault *fault,
                         const struct kiln_cpu_group *group, uint32_t work_dim, char *message, size_t message_size) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_printf(&text, "kernel '%s': ", kernel->info->name);
  tell_kind(fault, &text);
  tell_place(kernel, fault->pc, &text);
  tell_items(*group, kernel->meta.flags, work_dim, &text);
  snprintf(message, message_size, "%s",
           text.failed ? "a kernel faulted; there was no memory to tell where" : text.data);
  kiln_strbuf_free(&text);
}
