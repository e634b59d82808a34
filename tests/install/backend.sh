#!/bin/sh
# Builds the example of a backend against an installed tree alone, and runs the execution cases on it: as a plugin of
# COMPILE_PLUGIN_PATH and installed. Built for another version of the ABI it is refused. A backend that is built with the
# lines of docs/backend.md is found and runs, too.
#   backend.sh SOURCE BUILD CC
set -eu
source=$1 build=$2 CC=$3
export CC COMPILE_CACHE=off
unset COMPILE_BACKEND COMPILE_ARCH COMPILE_PLUGIN_PATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

cmake --install "$build" --prefix "$place/kiln" > "$place/log"
cp -r "$source/examples/backend-passthrough" "$place/source" # nothing of the tree is beside it
cmake -S "$place/source" -B "$place/build" -DCMAKE_PREFIX_PATH="$place/kiln" > "$place/log"
cmake --build "$place/build" > "$place/log" 2>&1 || { cat "$place/log"; exit 1; }
kiln="$place/kiln/bin/kiln"

# Not found without the variable, found with it.
if "$kiln" targets -b passthrough > "$place/out" 2>&1; then fail "a backend that is nowhere was found"; fi
COMPILE_PLUGIN_PATH="$place/build" "$kiln" backends --all | grep -q '^passthrough .*plugin' || fail "it is not listed"
COMPILE_PLUGIN_PATH="$place/build" "$kiln" targets -b passthrough | grep -q '^fused ' || fail "its targets are not listed"
COMPILE_PLUGIN_PATH="$place/build" "$build/tests/exec_test" "$kiln" passthrough "$source/tests/exec"
COMPILE_PLUGIN_PATH="$place/build" "$kiln" conformance -b passthrough > "$place/out" 2>&1 || fail "$(cat "$place/out")"

# The lines of the page as they stand there: for CMake, the entry, and the file beside the plugin. The rest of the backend
# is the example's, under the name that the page uses.
page_block() {
  awk -v fence='```' -v language="$1" '/^## /{on = /^## Plugins/} $0 == fence {inside = 0}
    inside {print} on && $0 == fence language {inside = 1}' "$source/docs/backend.md"
}
mkdir "$place/mine"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(mine C)\n%s\n' "$(page_block cmake)" > "$place/mine/CMakeLists.txt"
page_block plugin > "$place/mine/mine.backend"
sed 's/"passthrough"/"mine"/' "$place/source/passthrough.h" > "$place/mine/passthrough.h"
{
  cat "$place/source/driver.c"
  sed '/^KILN_BACKEND_ENTRY/d; s/\.tags = "debug"/.tags = "experimental"/' "$place/source/passthrough.c"
  page_block c
} > "$place/mine/mine.c"
cmake -S "$place/mine" -B "$place/mine/build" -DCMAKE_PREFIX_PATH="$place/kiln" > "$place/log"
cmake --build "$place/mine/build" > "$place/log" 2>&1 || { cat "$place/log"; exit 1; }
# mine KILN FOLDER: the backend is there and runs.
mine() {
  COMPILE_PLUGIN_PATH="$2" "$1" run "$source/tests/exec/apps/saxpy.cl" -b mine -g 4 -p 2:f32 f32=2 iota:f32:4 \
    fill:f32:4:1 > "$place/out" 2>&1 || fail "$(cat "$place/out")"
  grep -q '^2: 1 3 5 7$' "$place/out" || fail "$(cat "$place/out")"
}
mine "$kiln" "$place/mine/build"
COMPILE_PLUGIN_PATH="$place/mine/build" "$kiln" backends --all | grep -q '^mine .* available .*/mine.so$' ||
  fail "the page's plugin is not listed as one that is available"
cmake --install "$place/mine/build" > "$place/log"

# Installed it is found by itself. The tree may be moved.
cmake --install "$place/build" > "$place/log"
mv "$place/kiln" "$place/moved"
kiln="$place/moved/bin/kiln"
mine "$kiln" ""
"$kiln" run "$source/tests/exec/apps/saxpy.cl" -b passthrough -g 4 -p 2:f32 f32=2 iota:f32:4 fill:f32:4:1 |
  grep -q '^2: 1 3 5 7$' || fail "it does not run once it is installed"
"$kiln" compile "$source/tests/exec/apps/saxpy.cl" -b passthrough -a fused --emit wrapped | grep -q '^passthrough 1$' ||
  fail "its stage is not given"

# A library of another build, but the same ABI: the one of the build tree.
COMPILE_PLUGIN_PATH="$place/build" "$build/kiln" run "$source/tests/exec/apps/saxpy.cl" -b passthrough -g 4 -p 2:f32 \
  f32=2 iota:f32:4 fill:f32:4:1 | grep -q '^2: 1 3 5 7$' || fail "it does not run with another build"

abi=$(sed -n 's/^#define KILN_BACKEND_ABI //p' "$source/include/kiln/backend.h")
# Built for another version of the ABI, with and without a file beside it that says so.
find "$place/moved" -name backend.h -exec sed -i 's/^#define KILN_BACKEND_ABI .*/#define KILN_BACKEND_ABI 99/' {} +
cmake -S "$place/source" -B "$place/other" -DCMAKE_PREFIX_PATH="$place/moved" > "$place/log"
cmake --build "$place/other" > "$place/log" 2>&1
find "$place/moved" -name 'passthrough.*' -delete
COMPILE_PLUGIN_PATH="$place/other" "$kiln" targets -b passthrough > "$place/out" 2>&1 && fail "another ABI was loaded"
grep -q "does not know version $abi of the backend ABI" "$place/out" || fail "$(cat "$place/out")"
sed -i 's/^abi = .*/abi = 99/' "$place/other/passthrough.backend"
COMPILE_PLUGIN_PATH="$place/other" "$kiln" targets -b passthrough > "$place/out" 2>&1 && fail "another ABI was loaded"
grep -q "built for version 99 of the backend ABI, and this is version $abi" "$place/out" || fail "$(cat "$place/out")"
echo "built out of tree and with the lines of the page, run, installed, moved, refused under another ABI"
