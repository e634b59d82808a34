#!/bin/sh
# The dependency rule: which folder may include what, and where names of compilers and devices may appear.
#   check_layers.sh SOURCE_FOLDER
set -eu
cd "$1"
fail=0

# forbid FOLDER PATTERN WHY: no file of FOLDER may match PATTERN.
forbid() {
  found=$(grep -rnE --include='*.c' --include='*.h' --include='*.cpp' --include='*.def' "$2" "$1" || true)
  [ -z "$found" ] && return 0
  printf '%s: %s\n%s\n' "$1" "$3" "$found"
  fail=1
}

forbid base '#include [<"](kiln|cache|jit|backends|tools)/' 'includes nothing but base/'
forbid cache '#include [<"](kiln|jit|backends|tools)/' 'includes nothing but base/ and cache/'
forbid jit '#include [<"](backends|tools)/' 'never includes a backend'
forbid jit '#include [<"](llvm-c|hsa|CL)/' 'knows no compiler and no device library'
forbid jit '"(cpu|interp|rocm|opencl)"' 'names no backend: add a capability'
forbid backends '#include [<"](jit|cache|tools)/' 'sees only include/kiln and base/'
for folder in base cache jit tools include; do
  forbid "$folder" '#include [<"](llvm-c|lld|hsa|CL)/' 'compilers and device libraries appear under backends/ only'
done
for folder in base cache/*.[ch] icd jit backends tools include; do
  forbid "$folder" '#include <(curl|sodium|openssl)' 'libraries for the network and for keys appear under cache/remote/ only'
done
for backend in cpu interp host; do
  forbid "backends/$backend" '#include [<"](llvm-c|lld|hsa|CL)/' 'needs no compiler to be loaded'
done
forbid backends/llvm/spmd '#include "backends/llvm/plan/find' 'emits what form and plan say, and decides nothing'
forbid python '#include [<"](base|cache|jit|backends|tools|kiln/(ir|backend))' 'sees only kiln/kiln.h'
forbid icd '#include [<"](base|cache|jit|backends|tools|kiln/(ir|backend))' 'sees only kiln/kiln.h'
forbid include '#include "(base|cache|jit|backends)/' 'public headers stand alone'

# The environment is read in one place; what NVIDIA's driver reads of it, where its devices are counted. Its tools are
# started with all of it.
found=$(grep -rnE --include='*.c' --include='*.h' --include='*.cpp' '\b(secure_)?getenv\(|\benviron\b|/proc/self/environ' \
  base cache icd jit backends tools | grep -vE '^(jit/env|backends/cuda/driver/detect|backends/cuda/tool)\.c' || true)
if [ -n "$found" ]; then
  printf 'getenv outside jit/env.c:\n%s\n' "$found"
  fail=1
fi
# No file includes a header of a folder above its own.
found=$(grep -rnoE --include='*.c' --include='*.h' --include='*.cpp' '#include "(base|cache|jit|backends|tools)/[^"]*"' \
  base cache jit backends tools | awk -F: '
  BEGIN { while ((getline line < "tests/support/layers.txt") > 0) if (line !~ /^#/) order[line] = ++count }
  {
    from = $1; sub(/\/[^\/]*$/, "", from); to = $3; sub(/^#include "/, "", to); sub(/\/[^\/]*"$/, "", to)
    if (!(from in order) || !(to in order)) print $0 ": the folder is not in tests/support/layers.txt"
    else if (order[to] > order[from]) print $0
  }')
if [ -n "$found" ]; then
  printf 'includes of folders above:\n%s\n' "$found"
  fail=1
fi
exit $fail
