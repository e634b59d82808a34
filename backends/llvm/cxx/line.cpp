// Source lines of addresses, from the debug information of a shared object.
#include <cstdio>

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include "backends/llvm/cxx/cxx.h"

bool kiln_ll_source_line(const void *object, size_t size, uint64_t address, char *out, size_t out_size) {
  llvm::StringRef bytes(static_cast<const char *>(object), size);
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kiln"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  auto debug = llvm::DWARFContext::create(**file, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
                                          ignore, ignore);
  llvm::DILineInfo line = debug->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, llvm::DILineInfoSpecifier::FunctionNameKind::None});
  if (!line.Line)
    return false;
  std::snprintf(out, out_size, "%s:%u", line.FileName.c_str(), line.Line);
  return true;
}
