#!/bin/sh
# Compares the verdicts in this folder with another compiler's: compare.sh CLANG [KILN [FILE...]]
# Each program of each file goes through clang; what it says and the file does not is printed.
here=$(cd "$(dirname "$0")" && pwd)
clang=$1 kiln=$2
shift; shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- "$here"/*.cl
for file; do
  name=$(basename "$file" .cl)
  mkdir -p "$work/$name"
  awk -v out="$work/$name/" '/^\/\/ (accept|reject) /{split($0, w, /[ :]/); f = out w[3] ".cl"; print $0 > (f ".head"); next} f {print > f}' "$file"
  for head in "$work/$name"/*.head; do
    program=${head%.head}
    read -r _ verdict title < "$head"
    std=1.2
    case $title in *std=200*) std=2.0;; *std=300*) std=3.0;; *std=100*) std=1.0;; *std=110*) std=1.1;; esac
    says=accept
    "$clang" -x cl -cl-std=CL$std -target spir64 -fsyntax-only -w -Xclang -finclude-default-header "$program" 2> "$program.clang" || says=reject
    ours=accept
    COMPILE_CACHE=off "$kiln" compile "$program" -b interp --emit ir -o /dev/null --options "-w -cl-std=CL$std" 2> "$program.kiln" || ours=reject
    [ "$says" = "$verdict" ] && [ "$ours" = "$verdict" ] && continue
    echo "$name/$title: file $verdict, clang $says, kiln $ours"
    [ "$says" = "$verdict" ] || grep error: "$program.clang" | sed "s/^[^ ]*/    clang:/" | head -2
    [ "$ours" = "$verdict" ] || grep error: "$program.kiln" | sed "s/^[^ ]*/    kiln: /" | head -2
  done
done
