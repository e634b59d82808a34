#!/bin/sh
# The command on a machine that lacks something: no loader, no platform. Each is an error that says what to do.
#   missing.sh KILN SAXPY.cl
set -eu
kiln=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect TEXT COMMAND…: it must fail, and tell the text.
expect() {
  text=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    echo "no failure: $*" >&2
    exit 1
  fi
  grep -q "$text" "$work/out" || { echo "no '$text' in:" >&2; cat "$work/out" >&2; exit 1; }
}

mkdir "$work/lib" "$work/vendors"
echo nonsense >"$work/lib/libOpenCL.so.1"
export COMPILE_CACHE=off
expect 'libOpenCL.so.1 could not be opened' env LD_LIBRARY_PATH="$work/lib" "$kiln" compile "$source" -b opencl -o "$work/x"
expect 'install an OpenCL ICD loader' env LD_LIBRARY_PATH="$work/lib" "$kiln" compile "$source" -b opencl -o "$work/x"
unset OCL_ICD_FILENAMES
expect 'knows no platform' env OCL_ICD_VENDORS="$work/vendors" "$kiln" compile "$source" -b opencl -o "$work/x"
# Text for any device needs neither.
LD_LIBRARY_PATH="$work/lib" "$kiln" compile "$source" -b opencl -a text --emit cl -o "$work/x"
grep -q 'kernel void' "$work/x"
