#!/bin/bash
# Cases under Oclgrind, an OpenCL platform that watches memory accesses and races: none of them may be reported.
#   oclgrind.sh LIBRARY KILN FOLDER     LIBRARY: its platform for the ICD loader, liboclgrind-rt-icd.so
set -uo pipefail
library=$1 kiln=$2 folder=$3
cases="apps/saxpy apps/transpose apps/sgemm_tiled apps/bitonic_sort apps/spmv_csr apps/stencil_2d apps/mandelbrot
  barriers/scan barriers/reverse barriers/reduction_loop barriers/nested_loops atomics/global atomics/local_histogram
  language/array_private memory/constant_program_scope control_flow/switch control_flow/goto_forward
  control_flow/nested_loops functions/calls arithmetic/integer_bits memory/local_pointer_argument pointers/to_private
  language/struct_by_value language/struct_kernel_argument vectors/three vectors/swizzle_write vectors/private_index
  work_items/ids arithmetic/int_div_rem"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
mkdir "$work/vendors"
echo "$library" >"$work/vendors/oclgrind.icd"
export OCL_ICD_VENDORS=$work/vendors OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$log
export COMPILE_CACHE=off
failed=0 count=0
for name in $cases; do
  file=$folder/$name.cl
  arguments=$(grep -m1 '^// run:' "$file" | sed 's,^// run:,,')
  rm -f "$log"
  eval "timeout 120 '$kiln' run '$file' -b opencl -a oclgrind $arguments" >"$log.out" 2>&1
  status=$?
  count=$((count + 1))
  if [ $status -ne 0 ] || [ -s "$log" ]; then
    echo "$name: exit status $status"
    head -20 "$log" "$log.out"
    failed=$((failed + 1))
  fi
done
echo "$count cases, $failed failed"
[ "$failed" -eq 0 ]
