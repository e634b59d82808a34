#!/bin/bash
# What the OpenCL printer makes of each case is a program to another compiler too: for any device, and for one that has
# every feature. Of a generator, the programs of COUNT seeds are the cases.
#   clang.sh CLANG KILN OPENCL_TEXT FOLDER|GENERATOR [COUNT]
set -euo pipefail
clang=$1 kiln=$2 printer=$3 cases=$4 least=${5:-300}
. "$(dirname "$0")/../support/exec_options.sh"
export COMPILE_CACHE=off
features=clc3.0,fp64,fp16,int64-atomics,int64-minmax,generic,c11-atomics,seq-cst,variables,fma,partial-groups
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/cases" "$work/any" "$work/all"

if [ ! -d "$cases" ]; then
  for ((seed = 1; seed <= least; seed++)); do
    "$cases" --print $seed >"$work/cases/seed_$seed.cl"
  done
  cases=$work/cases
fi

# Both texts of a case, for each of its sets of build options.
print_case() {
  local file=$1 name line status
  local -A ran=()
  while IFS= read -r line; do
    read_options "$line"
    [ -z "${ran["-${options[*]:-}"]:-}" ] || continue
    ran["-${options[*]:-}"]=1
    name=${file#"$cases"/} name=${name%.cl} name=${name//\//-}-${#ran[@]}
    "$kiln" compile "$file" -b opencl -a text "${options[@]}" --emit cl -o "$work/any/$name.cl"
    "$kiln" compile "$file" -b opencl -a text "${options[@]}" --emit ir -o "$work/ir.kir"
    "$printer" $features "$work/ir.kir" >"$work/all/$name.cl"
  done < <(grep '^// run:' "$file")
}

# One process for all files.
accepts() { # STD FOLDER
  "$clang" -cc1 -triple spir64 -x cl "-cl-std=$1" -finclude-default-header -fdeclare-opencl-builtins -fsyntax-only -w \
    "$work/$2"/*.cl
}

shopt -s globstar
for file in "$cases"/**/*.cl; do
  grep -q -e '^// fails:' -e '^// skip: text ' "$file" && continue # text: what OpenCL C 1.2 cannot say
  print_case "$file"
done
accepts CL1.2 any
accepts CL3.0 all
count=$(ls "$work/any" | wc -l)
echo "$count programs"
[ "$count" -ge "$least" ]
