#!/bin/sh
# Without ocml.bc: kernels that need no function of it compile, others are told which package brings it.
#   no_ocml.sh KILN HIDING_LIBRARY FOLDER
set -eu
kiln=$1 hide=$2 folder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/plain.cl" <<'END'
kernel void plain(global float *x, float a) {
  size_t i = get_global_id(0);
  x[i] = native_sin(x[i]) + exp(a) + log2(x[i]) + sqrt(x[i]) / a + fma(a, x[i], 1.0f);
}
END
echo 'kernel void curved(global float *x) { x[0] = sin(x[0]); }' >"$work/curved.cl"
export COMPILE_CACHE=off
LD_PRELOAD="$hide" "$kiln" compile -b rocm -a gfx942 -o "$work/plain.hsaco" "$work/plain.cl"
LD_PRELOAD="$hide" "$kiln" compile -b rocm -a gfx942 -o "$work/saxpy.hsaco" "$folder/saxpy.cl"
[ -s "$work/plain.hsaco" ] && [ -s "$work/saxpy.hsaco" ]
status=0
LD_PRELOAD="$hide" "$kiln" compile -b rocm -a gfx942 -o "$work/curved.hsaco" "$work/curved.cl" 2>"$work/said" || status=$?
cat "$work/said"
[ "$status" -eq 3 ]
grep -q 'ocml.bc, which is not installed (Debian: package rocm-device-libs)' "$work/said"
[ ! -e "$work/curved.hsaco" ]
