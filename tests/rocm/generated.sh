#!/bin/sh
# Programs of the generator, compiled and read back.
#   generated.sh GEN_DIFF ROCM_CHECK COUNT ARCH...
set -eu
generator=$1 check=$2 count=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seed=1
while [ "$seed" -le "$count" ]; do
  "$generator" --print "$seed" >"$folder/seed$seed.cl"
  seed=$((seed + 1))
done
"$check" "$folder" "$@"
