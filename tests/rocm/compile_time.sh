#!/bin/bash
# Compiling takes at most three times as long for a chain of else-ifs, or a switch that falls through, of twice the
# length.
#   compile_time.sh KILN
set -eu
kiln=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COMPILE_CACHE=off
TIMEFORMAT=%U

chain() { # LENGTH
  echo 'kernel void k(global int *o, global float *p) { int g = get_global_id(0); float v = p[g];'
  for ((i = 0; i < $1; i++)); do
    echo "if (v < $i.25f) o[g] = g * $i; else"
  done
  echo ';}'
}

falling_switch() { # LENGTH
  echo 'kernel void k(global int *o) { int g = get_global_id(0), v = o[g], x = g; switch (v) {'
  for ((i = 0; i < $1; i++)); do
    ((i % 3)) && end='break;' || end=
    echo "case $((7 * i)): x = x * $((2 * i + 3)) + g; $end"
  done
  echo '} o[g] = x; }'
}

seconds() { # FORM LENGTH: of the processor, the least of three runs
  "$1" "$2" >"$work/$1.cl"
  for _ in 1 2 3; do
    { time "$kiln" compile "$work/$1.cl" -b rocm -a gfx942 -o "$work/out" >/dev/null 2>&1; } 2>&1
  done | sort -n | head -1
}

faults=0
for form in chain falling_switch; do
  half=$(seconds "$form" 180) whole=$(seconds "$form" 360)
  test -s "$work/out"
  echo "$form: $half and $whole s"
  awk "BEGIN {exit !($whole < 3 * $half + 0.1)}" || faults=$((faults + 1))
done
exit "$faults"
