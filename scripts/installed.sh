#!/bin/sh
# After an installation on this machine (no DESTDIR): keeps the list of what was installed, for uninstall.sh, and tells
# the loader, or the user, how programs find the library.
#   installed.sh BUILD PREFIX
set -eu
[ -z "${DESTDIR:-}" ] || exit 0
build=$1 list=$2/share/kiln/installed.txt
mkdir -p "${list%/*}"
{
  cat "$build/install_manifest.txt"
  echo # the manifest ends without one
  echo "$list"
  [ ! -f "$list" ] || cat "$list" # of an earlier version, which may have had other files
} | sed '/^$/d' | sort -u >"$list.new"
mv "$list.new" "$list"
library=$(grep '/libkiln\.so$' "$build/install_manifest.txt")
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
[ "$(id -u)" != 0 ] || "$ldconfig"
if ! "$ldconfig" -p | grep -qF "=> $library"; then
  echo "The loader does not search ${library%/*}. Link programs with -Wl,-rpath,${library%/*}, or add that folder to"
  echo "/etc/ld.so.conf.d and run ldconfig as root."
fi
driver=$(grep '/kiln\.icd$' "$build/install_manifest.txt" || true)
case "$driver" in
"" | /etc/*) ;;
*) echo "OpenCL programs find Kiln's driver with OCL_ICD_VENDORS=$driver, or when that file is in /etc/OpenCL/vendors." ;;
esac
