#!/bin/sh
# What is done differently for NVIDIA's driver, on a platform that the stand-in gives its name.
#   nvidia.sh KILN
set -eu
kiln=$1
export KILN_STANDIN_PLATFORM='NVIDIA CUDA'
"$kiln" targets -b opencl | grep -q '^nvidia-cuda/' || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$kiln" targets -b opencl | grep -q nan-limits

cat >"$work/k.cl" <<'END'
kernel void k(global const double *x, global int *out, ulong first) {
  size_t i = get_global_id(0) - first;
  out[i] = convert_int_sat(x[i]) + 1;
}
END
run() { "$kiln" run "$work/k.cl" -b opencl -a nvidia -g 2 -p 1:i32 list:f64:nan,7 zero:i32:2 "$@"; }
# Launches without events, several in a stream, and a NaN that is 0.
test "$(run --repeat 3 u64=0)" = '1: 1 8'
test "$(run --offset 2147483640 u64=2147483640)" = '1: 1 8'
if run --offset 2147483648 u64=2147483648 2>"$work/err"; then
  echo 'an offset of 2^31 was accepted' >&2
  exit 1
fi
grep -q 'computes wrong ids with an offset above 2147483647, as in dimension 0' "$work/err"
