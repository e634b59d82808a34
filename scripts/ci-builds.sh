#!/bin/bash
# The builds beside the default one: address and undefined sanitizers with gcc, the thread sanitizer with clang, on the
# quick tests, and once without LLVM and without the driver over HSA. Each has a folder of its own below build/.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

# build NAME CMAKE_OPTIONS…
build() {
  local name=$1
  shift
  echo "== build: $name"
  cmake -S . -B "build/$name" -G Ninja "$@" > /dev/null
  cmake --build "build/$name" -j "$jobs" -- --quiet
}

# run NAME CTEST_OPTIONS…
run() {
  local name=$1
  shift
  echo "== test: $name"
  ctest --test-dir "build/$name" --output-on-failure -LE slow -j "$jobs" "$@"
}

# any_of PATTERN…: a pattern for ctest that matches what one of these matches. It has no groups: ctest takes at most
# nine, and matches nothing, so that nothing is left out, if there are more.
any_of() {
  local IFS='|'
  echo "$*"
}

# The libraries and the command are the same objects as in the default build, but for LLVM's module and the driver. Left
# out: tests which do not meet that module in the default build either (of single parts, of the backend interp, of a
# plugin, of arrays in Python), and of texts.
build no-llvm -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= -DCMAKE_CXX_FLAGS_DEBUG= -DKILN_LLVM=OFF -DKILN_HSA=OFF \
  "-DKILN_TESTS_WITHOUT=headers;unit;lang;verdicts;ir;math;memory;gen;fuzz;docs;opencl"
run no-llvm -E "$(any_of ^exec/opencl ^format ^layers ^sizes ^cache/fleet ^python/numpy ^python/arrays \
  ^plugins/earlier ^install/backend ^conformance/interp)"

# Left out of the sanitized runs: tests whose time goes into generated code and into LLVM and PoCL, which the
# sanitizers do not see (what images/ asks of interp, unit/ir_pixel and unit/interp_images ask as well), one that makes
# PoCL fail, which leaks then, and checks of the sources. The thread sanitizer also leaves out what runs in one thread,
# or in threads of PoCL and of the emulator, the programs of the pages, which end without releasing all, and the
# conformance suite on interp, whose launches are like those of exec/interp.
no_code_of_ours=(^gen/ ^format ^layers ^sizes ^unit/cpu_ops ^unit/cpu_barrier ^unit/cpu_flatten ^unit/spmd_
  '^exec/opencl$' ^exec/opencl_round ^exec/isolated ^exec/x86 ^exec/stats ^exec/plan ^opencl/faults ^opencl/broken
  ^opencl/clang ^rocm/half_ ^rocm/exec ^rocm/code ^rocm/emit ^rocm/conformance ^exec/cuda ^cuda/code ^cuda/matrix
  ^cuda/conformance ^cuda/emulator-ptxas ^cuda/emulator-clang ^cache/examples ^conformance/cpu ^conformance/rocm
  ^conformance/cuda ^conformance/opencl ^examples/.*/cpu ^examples/.*/opencl ^python/numpy ^python/arrays ^images/
  ^unit/pass_shape_rules ^unit/pass_simplify ^unit/pass_rules ^cli/choices ^cli/freeze ^cli/stages ^cli/variants
  ^cli/parts ^ir/new_operation ^plugins/earlier)
one_thread=(^exec/cpu ^exec/opencl ^unit/cpu_ ^unit/lower_ ^unit/parse_ ^unit/pp_ ^unit/pass_ ^unit/lang_ ^unit/ir_
  ^api/host_floats-opencl ^api/host_floats-rocm ^rocm/ ^cuda/emulator ^spirv/ ^unit/spirv_ ^examples/photo ^lang/
  ^ir/ ^fuzz/ ^docs/ ^conformance/ ^cli/levels ^cli/list ^cli/manual ^cli/options)

# OpenCL, HSA and CUDA cannot stop a kernel: a stream that is cancelled while one runs keeps what it uses.
keeps_memory=(^api/cancel-opencl ^api/cancel-rocm ^api/cancel-cuda)

# Of the debug information, what stack traces need.
debug=("-DKILN_TESTS_WITHOUT=headers;math" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-g1
  -DCMAKE_CXX_FLAGS_DEBUG=-g1)

# LLVM and the ICDs keep what they allocate once; the leaks of Kiln itself show all the same. The leak checker does not
# look into thread-local storage, where it crashes now and then once libraries have been unloaded. The check of strstr
# would measure a whole text at each call. With -Og tests take half as long, and compiling a quarter longer.
build asan "${debug[@]}" "-DCMAKE_C_FLAGS_DEBUG=-g1 -Og" -DKILN_SANITIZE=address,undefined
export LSAN_OPTIONS="use_tls=0:print_suppressions=0:suppressions=$PWD/tests/support/lsan.txt"
export UBSAN_OPTIONS=print_stacktrace=1
ASAN_OPTIONS=detect_leaks=1:intercept_strstr=0 run asan -E "$(any_of "${no_code_of_ours[@]}" "${keeps_memory[@]}")"
ASAN_OPTIONS=detect_leaks=0:intercept_strstr=0 run asan -R "$(any_of "${keeps_memory[@]}")"

build tsan "${debug[@]}" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DKILN_SANITIZE=thread
TSAN_OPTIONS="suppressions=$PWD/tests/support/tsan/suppressions.txt" \
  run tsan -E "$(any_of "${no_code_of_ours[@]}" "${one_thread[@]}")"
