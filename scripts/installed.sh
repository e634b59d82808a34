#!/bin/sh
# After an installation on this machine (no DESTDIR): tells the loader, or the user how programs find the library.
#   installed.sh BUILD
set -eu
[ -z "${DESTDIR:-}" ] || exit 0
library=$(grep '/libkiln\.so$' "$1/install_manifest.txt")
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
[ "$(id -u)" != 0 ] || "$ldconfig"
if ! "$ldconfig" -p | grep -qF "=> $library"; then
  echo "The loader does not search ${library%/*}. Link programs with -Wl,-rpath,${library%/*}, or add that folder to"
  echo "/etc/ld.so.conf.d and run ldconfig as root."
fi
driver=$(grep '/kiln\.icd$' "$1/install_manifest.txt" || true)
case "$driver" in
"" | /etc/*) ;;
*) echo "OpenCL programs find Kiln's driver with OCL_ICD_VENDORS=$driver, or when that file is in /etc/OpenCL/vendors." ;;
esac
