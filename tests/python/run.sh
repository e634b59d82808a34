#!/bin/sh
# Runs pytest on a file with the package of a build, or a program with its argument: soak.py, tile_shapes.py.
#   run.sh PYTHON BUILD CC SANITIZERS FILE [ARGUMENT]
set -eu
python=$1 build=$2 cc=$3 sanitizers=$4 file=$5
for module in pytest numpy; do
  if ! "$python" -c "import $module" 2>/dev/null; then
    echo "skipped: $python has no $module (python3-$module)"
    exit 77
  fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1 COMPILE_CACHE_DIR="$folder/cache" KILN_BUILD="$build"
if [ -n "$sanitizers" ]; then # the interpreter is not built with them; it frees little at its end
  LD_PRELOAD=$($cc -print-file-name=libasan.so):$($cc -print-file-name=libstdc++.so)
  export LD_PRELOAD PYTHONMALLOC=malloc KILN_SANITIZED=1
  export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:allocator_may_return_null=1"
fi
case ${file##*/} in
soak.py | tile_shapes.py)
  TMPDIR=$folder UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:halt_on_error=1" "$python" "$file" "$6"
  exit
  ;;
esac
"$python" -m pytest -q -p no:cacheprovider "$file" --basetemp "$folder/tmp"
