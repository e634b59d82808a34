#!/bin/bash
# Makes made/ of src/ again, by two generators:
#   tr19  clang 19 and Khronos' translator: LLVM-SPIRV, the program llvm-spirv of PyPI's dpcpp-llvm-spirv 2024.2.0
#   be22  clang 22 with LLVM's own writer: ZIG, the program zig of PyPI's ziglang 0.17.1, with the headers of clang 19
#   make.sh LLVM-SPIRV ZIG
set -eu
translator=$1 zig=$2
cd "$(dirname "$0")"
headers=$(clang-19 -print-resource-dir)/include
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for source in src/*.cl; do
  stem=$(basename "$source" .cl)
  for level in O0 O2; do
    clang-19 --target=spir64 -cl-std=CL3.0 -Xclang -finclude-default-header -$level -emit-llvm -c "$source" \
      -o "$work/module.bc"
    "$translator" --spirv-ext=+SPV_INTEL_arbitrary_precision_integers,+SPV_INTEL_subgroups "$work/module.bc" \
      -o "made/$stem.tr19.$level.spv"
    "$zig" clang --target=spirv64 -cl-std=CL3.0 -$level -isystem "$headers" -include opencl-c-base.h \
      -include opencl-c.h -mllvm --spirv-ext=+SPV_INTEL_subgroups -c "$source" -o "made/$stem.be22.$level.spv"
  done
done
