#!/bin/bash
# Cases under Oclgrind, an OpenCL platform that watches memory accesses and races: none of them may be reported.
#   oclgrind.sh LIBRARY KILN FOLDER     LIBRARY: its platform for the ICD loader, liboclgrind-rt-icd.so
set -uo pipefail
library=$1 kiln=$2 folder=$3
cases="app_saxpy app_transpose app_sgemm_tiled app_bitonic_sort app_spmv_csr app_stencil_2d app_mandelbrot
  barrier_scan barrier_reverse barrier_reduction_loop barrier_nested_loops atomic_global atomic_local_histogram
  array_private constant_program_scope flow_switch flow_goto_forward flow_nested_loops function_calls
  integer_bits local_pointer_argument pointer_to_private struct_by_value struct_kernel_argument
  vector_three vector_swizzle_write vector_private_index workitem_ids arith_int_div_rem"
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
