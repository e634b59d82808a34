#!/bin/sh
# With -g, code at many lanes has the kernel's file and lines: in its line table, and where gdb and perf are installed
# also for them.
#   debug.sh KILN FOLDER
set -eu
kiln=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COMPILE_CACHE_DIR="$work/cache" COMPILE_BACKEND=cpu
fail() {
  echo "$1"
  cat "$work/out"
  exit 1
}

cd "$folder"
for arch in x86-64 x86-64-v3 x86-64-v4 neoverse-n1; do
  "$kiln" compile work.cl -a $arch --options -g -o "$work/code.so" >"$work/out"
  readelf --debug-dump=decodedline "$work/code.so" >"$work/out"
  for line in 4 5 6; do
    grep -Eq "^work.cl +$line +0x" "$work/out" || fail "$arch: no code of line $line"
  done
  nm -D --defined-only "$work/code.so" >"$work/out"
  grep -q ' T work.kernel$' "$work/out" || fail "$arch: no symbol of the kernel"
done

run="$kiln run work.cl -g 64 --options -g -p 0:f32:2 iota:f32:64 i32=3"
if command -v gdb >"$work/out"; then
  cat >"$work/commands" <<'END'
set breakpoint pending on
set pagination off
set debuginfod enabled off
break work.cl:5
run
bt
END
  # shellcheck disable=SC2086 # words
  gdb -nx -batch -x "$work/commands" --args $run >"$work/out" 2>&1 || true
  if grep -q 'ptrace: Operation not permitted' "$work/out"; then
    echo "gdb may not trace here"
  else
    grep -q 'hit Breakpoint 1.*work.cl:5' "$work/out" || fail "gdb: the breakpoint is not hit"
    grep -q '^#0 .*work.kernel.*work.cl:5' "$work/out" || fail "gdb: the backtrace does not name the kernel"
  fi
else
  echo "gdb is not installed"
fi

busy="$kiln run work.cl -g 65536 --options -g --repeat 200 iota:f32:65536 i32=2000"
# shellcheck disable=SC2086
if command -v perf >"$work/out" && perf record -q -e cpu-clock -o "$work/perf" $busy >"$work/out" 2>&1; then
  perf report -i "$work/perf" --stdio --sort symbol >"$work/out" 2>&1
  grep -q 'work.kernel' "$work/out" || fail "perf does not name the kernel"
else
  echo "perf is not installed, or may not record here"
fi
