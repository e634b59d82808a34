#!/bin/sh
# Removes the files that `make install` has put below PREFIX, by the list that it left there, and the folders that are of
# Kiln alone once they are empty.
#   uninstall.sh PREFIX
set -eu
if [ -n "${DESTDIR:-}" ]; then
  echo "uninstall: what was installed with DESTDIR is removed with the folder $DESTDIR" >&2
  exit 2
fi
prefix=$1
list=$prefix/share/kiln/installed.txt
if [ ! -f "$list" ]; then
  echo "uninstall: nothing was installed by 'make install' below $prefix: there is no $list" >&2
  exit 1
fi
files=$(cat "$list")
printf '%s\n' "$files" | while read -r file; do
  rm -f "$file"
done
for folder in "$prefix"/*/kiln "$prefix"/*/*/kiln; do # lib/kiln, lib/cmake/kiln, …
  [ ! -d "$folder" ] || find "$folder" -depth -type d -empty -delete
done
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
[ "$(id -u)" != 0 ] || "$ldconfig"
echo "uninstall: $(printf '%s\n' "$files" | wc -l) files are gone"
