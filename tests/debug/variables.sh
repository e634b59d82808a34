#!/bin/sh
# With -cl-opt-disable -g gdb shows variables and parameters of a kernel, by their names and types in the source.
#   variables.sh KILN FOLDER
set -eu
kiln=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COMPILE_CACHE_DIR="$work/cache" COMPILE_BACKEND=cpu COMPILE_NUM_THREADS=1
cd "$folder"
fail() {
  echo "$1"
  cat "$work/out"
  exit 1
}
"$kiln" compile variables.cl --options '-cl-opt-disable -g' -o "$work/code.so"
readelf --debug-dump=info "$work/code.so" >"$work/out" 2>&1
for name in scale given mine total v kept low __bf16; do
  grep -q "DW_AT_name.*: $name\$" "$work/out" || fail "no entry of '$name'"
done
"$kiln" compile variables.cl --options '-g' -o "$work/optimised.so" # has none of them
readelf --debug-dump=info "$work/optimised.so" >"$work/out" 2>&1
grep -q 'DW_TAG_variable' "$work/out" && fail "variables of optimised code are described"

command -v gdb >"$work/out" || { echo "skipped: gdb is not installed"; exit 77; }
# debug COMMANDS KERNEL OPTION…: stops where they say and prints
debug() {
  printf 'set breakpoint pending on\nset pagination off\nset debuginfod enabled off\n%s\n' "$1" >"$work/commands"
  shift
  gdb -nx -batch -x "$work/commands" --args "$kiln" run variables.cl --options '-cl-opt-disable -g' -k "$@" \
    >"$work/out" 2>&1 || true
  if grep -q 'ptrace: Operation not permitted' "$work/out"; then
    echo "skipped: gdb may not trace here"
    exit 77
  fi
}
has() { grep -qF -- "$1" "$work/out" || fail "gdb does not say: $1"; }

# Work-item 5: in the last iteration of the first loop, in the second loop, after both.
debug 'break variables.cl:18 if i == 5 && k == 2
run
print i
print scale
print x[i]
print given.at
print mine
print v
print total
print &x[i] - x
ptype mine
next
print total
tbreak variables.cl:22
continue
print k
print total
ptype k
tbreak variables.cl:23
continue
print total
info locals' variables -g 8 -l 8 -p 3:u32:1 iota:f32:8 i32=10 \
  bytes:0000803f00000040000040400000804001000000020000000300000009000000 zero:u32:8
has '$1 = 5'
has '$2 = 10'
has '$3 = 5'
has '$4 = {1, 2, 3, 4}'
has '$5 = {at = {1, 5, 3, 4}, tags = {1, 2, 50}, kind = 9'
has '$6 = {5, 2, 3'
has '$8 = 5'
has '    float at __attribute__ ((vector_size(4)));'
has '    int tags[3];'
has '    uchar kind;'
has '$9 = 102'
has '$10 = 7'
has '$11 = 0'
has 'type = uint'
has '$12 = 64'
grep -q '^k = ' "$work/out" && fail "a variable is seen beyond its scope"

# After a barrier: what lives across it is not shown, rather than another work-item's.
debug 'break variables.cl:31
run
print after
print l' barriers -g 4 -l 4 -p 0:i32 list:i32:10,20,30,40 local:16
has '$1 = 41'
has 'No symbol "l" in current context.'
