#!/bin/bash
# The execution cases as code for AArch64, compiled here and run under qemu-user by a kiln for AArch64 that is built for it.
#   aarch64.sh SOURCE BUILD [FILTER]
set -eu
source=$1 build=$2 filter=${3:-}
here=$source/tests/aarch64
work=$build/tests/aarch64
export KILN_HOST=$build/kiln KILN_CROSS=$work/build/kiln KILN_ARCH=aarch64 KILN_WORK
mkdir -p "$work/include"
cp /usr/include/xxhash.h "$work/include/" # compiled in; it has no code of a machine
[ ! -f /usr/include/xxh3.h ] || cp /usr/include/xxh3.h "$work/include/"
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DKILN_LLVM=OFF -DKILN_TESTS=OFF -DKILN_EXAMPLES=OFF -DCMAKE_C_FLAGS="-isystem $work/include" >"$work/log"
ninja -C "$work/build" -j2 kiln_command >>"$work/log" || {
  cat "$work/log"
  exit 1
}
KILN_WORK=$(mktemp -d)
trap 'rm -rf "$KILN_WORK"' EXIT

# What the code imports is listed, comes from the C library, and is of the machine.
allowed=$(sed -nE 's/^KILN_LIBM\([A-Z0-9]+, "([a-z0-9_]+)", [0-9_]+, "([a-z0-9_]+)".*/\1 \2/p; s/^KILN_IMPORT\("[^"]*", "([^"]+)".*/\1/p' \
  "$source/backends/llvm/core/math.def")
checked=0
for file in $(find "$source/tests/exec" -path "$source/tests/exec/*$filter*" -name '*.cl' | LC_ALL=C sort); do
  code=$KILN_WORK/code.so
  rm -f "$code"
  COMPILE_CACHE=off "$KILN_HOST" compile "$file" -b cpu -a aarch64 -o "$code" >"$KILN_WORK/log" 2>&1 || continue # cases that must fail
  readelf -h -d "$code" >"$KILN_WORK/log"
  grep -q 'Machine: *AArch64' "$KILN_WORK/log" || { echo "$file: not for AArch64"; exit 1; }
  if grep NEEDED "$KILN_WORK/log" | grep -qv -e '\[libm.so.6\]' -e '\[libc.so.6\]'; then
    echo "$file: needs other libraries"
    exit 1
  fi
  for name in $(nm -D -u "$code" | sed -E 's/^ *[Uw] //; s/@.*//'); do
    grep -qw -- "$name" <<<"$allowed" || { echo "$file: imports $name"; exit 1; }
  done
  checked=$((checked + 1))
done
echo "$checked objects checked"
[ "$checked" -gt 0 ]

"$build/tests/exec_test" --equal interp:warp4 "$here/kiln.sh" cpu "$source/tests/exec" "$filter"
