// A code object as text: the contents of the file, after assembler and linker. It is made to be read; no test depends
// on its form.
#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

#include "backends/llvm/gpu/amdgpu.h"

struct code {
  const unsigned char *data;
  size_t size;
  Elf64_Ehdr header;
};

static bool section(const struct code *c, unsigned index, Elf64_Shdr *out) {
  uint64_t at = c->header.e_shoff + (uint64_t)index * sizeof *out;
  if (index >= c->header.e_shnum || at + sizeof *out > c->size)
    return false;
  memcpy(out, c->data + at, sizeof *out);
  return out->sh_type == SHT_NOBITS || (out->sh_offset <= c->size && out->sh_size <= c->size - out->sh_offset);
}

// The name of the function that starts at an address; NULL: no function starts there.
static const char *function_at(const struct code *c, uint64_t address) {
  Elf64_Shdr table, strings;
  for (unsigned i = 0; section(c, i, &table); i++) {
    if (table.sh_type != SHT_DYNSYM || !section(c, table.sh_link, &strings))
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, c->data + table.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value == address && symbol.st_name < strings.sh_size)
        return (const char *)c->data + strings.sh_offset + symbol.st_name;
    }
  }
  return NULL;
}

static void put_words(struct kiln_strbuf *out, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i + 4 <= count; i += 4)
    kiln_strbuf_printf(out, " %02X%02X%02X%02X", bytes[i + 3], bytes[i + 2], bytes[i + 1], bytes[i]);
}

static void put_section(struct kiln_strbuf *out, const struct code *c, const Elf64_Shdr *text, LLVMDisasmContextRef d) {
  static const unsigned char padding[4] = {0, 0, 0x9f, 0xbf}; // s_code_end
  const unsigned char *bytes = c->data + text->sh_offset;
  for (uint64_t at = 0; at < text->sh_size;) {
    char line[256];
    uint64_t rest = text->sh_size - at;
    const char *name = function_at(c, text->sh_addr + at);
    if (name)
      kiln_strbuf_printf(out, "\n%s:\n", name);
    if (rest >= 4 && !memcmp(bytes + at, padding, 4)) {
      at += 4;
      continue;
    }
    size_t count = LLVMDisasmInstruction(d, (uint8_t *)bytes + at, rest, text->sh_addr + at, line, sizeof line);
    if (!count) {
      count = rest < 4 ? (size_t)rest : 4;
      snprintf(line, sizeof line, "\t.long");
    }
    kiln_strbuf_printf(out, "%-58s // %06llX:", line, (unsigned long long)(text->sh_addr + at));
    put_words(out, bytes + at, count);
    kiln_strbuf_putc(out, '\n');
    at += count;
  }
}

void kiln_ll_amdgpu_disassemble(struct kiln_ll *ll, const void *data, size_t size, struct kiln_strbuf *out) {
  struct code c = {data, size, {{0}}};
  LLVMInitializeAMDGPUDisassembler(); // may be called repeatedly
  LLVMDisasmContextRef d = LLVMCreateDisasmCPUFeatures(ll->machine->triple, ll->machine->processor,
                                                       ll->machine->features, NULL, 0, NULL, NULL);
  if (!d || size < sizeof c.header) {
    kiln_strbuf_printf(out, "// LLVM has no disassembler for %s\n", ll->machine->processor);
    return;
  }
  memcpy(&c.header, data, sizeof c.header);
  kiln_strbuf_printf(out, "// %s\n", ll->machine->processor);
  Elf64_Shdr each;
  for (unsigned i = 0; section(&c, i, &each); i++)
    if (each.sh_type == SHT_PROGBITS && each.sh_flags & SHF_EXECINSTR)
      put_section(out, &c, &each, d);
  LLVMDisasmDispose(d);
}
