#!/bin/sh
# The backend "opencl" does not offer the devices of Kiln's own driver, which would lead back to Kiln.
#   skipped.sh BUILD
set -eu
OCL_ICD_VENDORS=$1/kiln.icd
export OCL_ICD_VENDORS
if "$1/kiln" devices -b opencl >"$1/tests/icd-skipped.log" 2>&1; then
  echo "a device was found:"
  cat "$1/tests/icd-skipped.log"
  exit 1
fi
grep -q "no OpenCL platform of this machine (1) has a device" "$1/tests/icd-skipped.log" || {
  cat "$1/tests/icd-skipped.log"
  exit 1
}
