#!/bin/sh
# Listings where an OpenCL driver ends the process that asks it, or never answers: the others are listed, and why that
# one is not.
#   broken.sh KILN DRIVER
set -eu
kiln=$1 driver=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vendors"
echo "$driver" >"$work/vendors/broken.icd"
unset OCL_ICD_FILENAMES COMPILE_BACKEND COMPILE_ARCH COMPILE_ISOLATE_HELPER
export OCL_ICD_VENDORS="$work/vendors" COMPILE_CACHE=off

# expect STATUS TEXT COMMAND…: ends with the status, and prints the text.
expect() {
  status=$1 text=$2
  shift 2
  got=0
  "$@" >"$work/out" 2>&1 || got=$?
  [ "$got" = "$status" ] || { echo "$KILN_BROKEN_ICD: $*: exit status $got instead of $status" >&2; cat "$work/out" >&2; exit 1; }
  grep -q "$text" "$work/out" || { echo "$KILN_BROKEN_ICD: $*: no '$text' in:" >&2; cat "$work/out" >&2; exit 1; }
}
ends='one of its drivers ends the process that asks it'
words='Not enough memory to run on this device.$'
for way in abort segv exit leave; do
  export KILN_BROKEN_ICD=$way
  case $way in
  abort) why="$ends, by signal 6 (Aborted): $words" ;;
  segv) why="$ends, by signal 11 (Segmentation fault): $words" ;;
  *) why="$ends: $words" ;;
  esac
  expect 0 "^opencl .* unavailable  $why" "$kiln" backends
  expect 0 '^interp .* available ' "$kiln" backends --all
  expect 3 "^kiln: opencl: $why" "$kiln" devices -b opencl
  expect 2 "$why" "$kiln" targets -b opencl
done
# All at once, to wait only once.
export KILN_BROKEN_ICD=hang
for verb in backends 'devices -b opencl' 'targets -b opencl'; do
  # shellcheck disable=SC2086 # words
  timeout 100 "$kiln" $verb >"$work/${verb%% *}" 2>&1 &
done
wait
for verb in backends devices targets; do
  grep -q "its drivers did not answer within 10 s: $words" "$work/$verb" || { cat "$work/$verb" >&2; exit 1; }
done
grep -q '^cpu ' "$work/backends"
