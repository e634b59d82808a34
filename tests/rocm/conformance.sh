#!/bin/sh
# The conformance suite on the stand-in: the compiler leaves its stages in a folder, where the stand-in finds the IR of
# each code object that the driver loads.
#   conformance.sh KILN
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COMPILE_DUMP_DIR="$work" KILN_STANDIN_DUMP="$work" COMPILE_ARCH=gfx1100
"$1" conformance -b rocm -a gfx1100 -v
