#!/bin/bash
# Whether PTX that clang makes computes in the emulator what interp computes, for the kernels of clang.txt.
#   clang.sh KILN PTX_RUN TREE
set -euo pipefail
kiln=$1 run=$2 tree=$3 here=$3/tests/cuda/emulator
clang=$(command -v clang-19 || true)
if [ -z "$clang" ] || ! "$clang" --print-targets | grep -q nvptx64; then
  echo "no clang-19 that compiles for NVIDIA GPUs"
  exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export COMPILE_CACHE=off
echo 'kernel void keep(global uchar *x) {}' >"$dir/keep.cl"

# The arguments with every buffer of random values as a file, in $given; -o for every buffer in $outputs.
prepare() {
  given=() outputs=()
  local index=0 word
  for word in "$@"; do
    if [[ $word == rand:* ]]; then
      "$kiln" run "$dir/keep.cl" -b interp -g 1 -o "0:$dir/in$index" "$word"
      word=buf:$dir/in$index
    fi
    [[ $word == *=* ]] || outputs+=("$index")
    given+=("$word")
    index=$((index + 1))
  done
}

checks=0
while read -r file kernel global group arguments; do
  [[ $file == \#* || -z $file ]] && continue
  # shellcheck disable=SC2086 # words
  prepare $arguments
  options=()
  for i in "${outputs[@]}"; do options+=(-o "$i:$dir/want$i"); done
  "$kiln" run "$tree/$file" -b interp -k "$kernel" -g "$global" -l "$group" "${options[@]}" "${given[@]}"
  for sm in 60 90; do
    "$clang" -x cl -cl-std=CL3.0 -O3 --target=nvptx64 -march=sm_$sm -Xclang -finclude-default-header \
      -include "$here/work_items.h" -S "$tree/$file" -o "$dir/code.ptx"
    for seed in 0 1 2; do
      options=()
      for i in "${outputs[@]}"; do options+=(-o "$i:$dir/got$i"); done
      "$run" "$dir/code.ptx" "$kernel" $sm $seed "$global" "$group" "${options[@]}" "${given[@]}"
      for i in "${outputs[@]}"; do
        cmp "$dir/want$i" "$dir/got$i" || {
          echo "$file on sm_$sm, seed $seed: argument $i"
          exit 1
        }
      done
      checks=$((checks + 1))
    done
  done
done <"$here/clang.txt"
echo "$checks runs"
[ $checks -gt 0 ]
