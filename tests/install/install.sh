#!/bin/sh
# Installs into a folder (also below DESTDIR), then builds a stranger's project against it with CMake and with
# pkg-config, and runs what was built and the installed command.
#   install.sh SOURCE BUILD BACKEND CC
set -eu
source=$1 build=$2 CC=$4
export CC COMPILE_BACKEND="$3" COMPILE_CACHE=off
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/kiln" > "$place/log"
DESTDIR="$place/dest" cmake --install "$build" --prefix /usr > "$place/log"
test -f "$place/dest/usr/include/kiln/kiln.h"

# What `make install` has put there is taken away again, and nothing else.
cmake --install "$build" --prefix "$place/gone" > "$place/log"
"$source/scripts/installed.sh" "$build" "$place/gone" > "$place/log"
echo other > "$place/gone/lib/other"
"$source/scripts/uninstall.sh" "$place/gone" > "$place/log"
left=$(find "$place/gone" ! -type d -o -name kiln)
[ "$left" = "$place/gone/lib/other" ] || { echo "after 'make uninstall' there is: $left"; exit 1; }

if [ -e "$build/kiln.icd" ]; then
  driver=$(cat "$place/kiln/etc/OpenCL/vendors/kiln.icd")
  test -f "$driver"
  test -f "$place/dest/$(cat "$place/dest/etc/OpenCL/vendors/kiln.icd")"
fi

cmake -S "$source/tests/install/project" -B "$place/build" -DCMAKE_PREFIX_PATH="$place/kiln" \
  -DSOURCE="$source/examples/saxpy.c" > "$place/log"
cmake --build "$place/build" > "$place/log"
"$place/build/stranger" | grep -q 'y\[1\] = 3'

PKG_CONFIG_PATH=$(dirname "$(find "$place/kiln" -name kiln.pc)")
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir kiln)
# shellcheck disable=SC2046 # flags are words
$CC "$source/examples/saxpy.c" -o "$place/saxpy" $(pkg-config --cflags --libs kiln) "-Wl,-rpath,$library"
"$place/saxpy" | grep -q 'y\[1\] = 3'

# Moved as a whole, the tree still works.
mv "$place/kiln" "$place/moved"
"$place/moved/bin/kiln" run "$source/tests/exec/apps/saxpy.cl" -g 4 -p 2:f32 f32=2 iota:f32:4 fill:f32:4:1 |
  grep -q '^2: 1 3 5 7$'

# So does compiling in the helper process, which is found from where the library lies now.
COMPILE_ISOLATE=1 COMPILE_CACHE=off "$place/moved/bin/kiln" run "$source/tests/exec/apps/saxpy.cl" -g 4 -p 2:f32 f32=2 iota:f32:4 \
  fill:f32:4:1 | grep -q '^2: 1 3 5 7$'

# Only the public interface is exported.
if nm -D --defined-only "$place/moved"/lib*/libkiln.so "$place/moved"/lib/*/libkiln.so 2>/dev/null |
  awk 'NF == 3 && $3 !~ /^kiln_/ {print; found = 1} END {exit !found}'; then
  echo "libkiln.so exports more than kiln_*"
  exit 1
fi
echo "installed, built against, moved and run"
