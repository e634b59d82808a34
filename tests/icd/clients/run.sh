#!/bin/bash
# OpenCL programs of others on Kiln's driver and on PoCL: whether their results are right, and what they cost in
# processor time. Prints one table; fails when one fails on Kiln. scripts/setup.sh slow installs the programs; PyOpenCL
# and its tests come from PyPI.
#   run.sh BUILD [CLIENT...]      clients: info peak hash blas compute python ffmpeg darktable; all when none is named
# HASH_MODES: numbers of hashcat's modes. DRIVERS: kiln, pocl, paths of .icd files of other drivers.
set -u
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
[ $# -gt 0 ] || set -- info peak hash blas compute python ffmpeg darktable
drivers=${DRIVERS:-kiln pocl}
modes=${HASH_MODES:-0 10 20 50 60 100 110 120 150 160 1300 1400 1410 1420 1450 1700 1710 1720 2600 4500}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

use_driver() {
  case $1 in
  kiln) export OCL_ICD_VENDORS=$build/kiln.icd ;;
  */*) export OCL_ICD_VENDORS=$1 ;;
  *) export OCL_ICD_VENDORS=/etc/OpenCL/vendors/$1.icd ;;
  esac
  export COMPILE_OPENCL_DEVICES=cpu COMPILE_CACHE_DIR=$work/kiln-cache POCL_CACHE_DIR=$work/pocl-cache
}

# row NAME COMMAND...: a line of the table: for each driver the seconds of its first and of its second run, with its
# cache warm. What $judge names looks at the result of each run, and its time does not count.
judge=true
row() {
  local name=$1 line driver i spent result
  shift
  line=$(printf '%-24s' "$name")
  for driver in $drivers; do
    use_driver "$driver"
    for i in 1 2; do
      result=ok
      TIMEFORMAT='%U %S'
      spent=$({ time "$@" >"$work/out" 2>&1 || echo failed >"$work/failed"; } 2>&1 | awk '{ print $1 + $2 }')
      [ -e "$work/failed" ] || $judge >>"$work/out" 2>&1 || echo wrong >"$work/failed"
      if [ -e "$work/failed" ]; then
        rm "$work/failed"
        result=failed
        [ "$driver" != kiln ] || failed=1
        cp "$work/out" "$build/tests/client-$(basename "$driver")-$(echo "$name" | tr ' ' -).log"
      fi
      line="$line $(printf '%9s %-6s' "$spent" "$result")"
      [ $result = ok ] || break
    done
    [ $result = ok ] || [ "$i" = 2 ] || line="$line                 "
  done
  echo "$line"
}

missing() { printf '%-24s not here: %s\n' "$1" "$2"; }

info() {
  if command -v clinfo >/dev/null; then row clinfo clinfo; else missing clinfo "package clinfo"; fi
}

peak() {
  if command -v clpeak >/dev/null; then
    row "clpeak compute" clpeak --compute-sp --compute-integer
    row "clpeak memory" clpeak --global-bandwidth --kernel-latency
  else
    missing clpeak "package clpeak"
  fi
}

# A word of a list must be found for a hash that Python computed. hashcat keeps the binaries of programs,
# whichever build of a driver made them.
crack() {
  rm -rf "$work/session"
  mkdir -p "$work/session" "$work/hashcat-cache"
  python3 "$here/hash.py" "$1" >"$work/session/hash" || return 1
  printf 'wrong\npassword1\nkiln\nlast\n' >"$work/session/words"
  XDG_DATA_HOME=$work/session XDG_CACHE_HOME=$work/hashcat-cache hashcat -m "$1" -a 0 --potfile-disable --quiet \
    --force -D 1 -O --self-test-disable -o "$work/session/found" "$work/session/hash" "$work/session/words" &&
    grep -q ':kiln$' "$work/session/found"
}

hash() {
  if ! command -v hashcat >/dev/null; then
    missing hashcat "package hashcat"
    return
  fi
  for mode in $modes; do row "hashcat mode $mode" crack "$mode"; done
}

# compiled NAME FILE LIBRARIES...: a program against a library of Debian's.
compiled() {
  local name=$1 file=$2
  shift 2
  if ${CXX:-c++} -O1 -w "$here/$file" -o "$work/$name" "$@" -lOpenCL 2>"$work/compile.log"; then
    row "$name" "$work/$name"
  else
    missing "$name" "$(tail -n 1 "$work/compile.log")"
  fi
}
blas() { compiled CLBlast blas.cpp -lclblast; }
compute() { compiled Boost.Compute compute.cpp; }

# PyOpenCL with its own tests, which its source package alone has. Its cache is off, since those of the drivers are
# measured; the test of that cache is left out.
python() {
  local venv=$build/tests/pyopencl
  if [ ! -e "$venv/test" ]; then
    python3 -m venv "$venv" && "$venv/bin/pip" -q install pyopencl pytest mako siphash24 &&
      "$venv/bin/pip" -q download --no-deps --no-binary pyopencl -d "$venv/source" pyopencl &&
      tar -xf "$venv"/source/pyopencl-*.tar.gz -C "$venv/source" && mv "$venv"/source/pyopencl-*/test "$venv/test"
  fi >"$work/pip.log" 2>&1 || {
    missing PyOpenCL "$(tail -n 1 "$work/pip.log")"
    rm -rf "$venv"
    return
  }
  export PYOPENCL_NO_CACHE=1
  row "PyOpenCL array" "$venv/bin/python" -m pytest -q -x -k 'not xdg_cache' "$venv/test/test_array.py"
  row "PyOpenCL algorithm" "$venv/bin/python" -m pytest -q -x "$venv/test/test_algorithm.py"
  row "PyOpenCL images" "$venv/bin/python" -m pytest -q -x -k image "$venv/test/test_wrapper.py"
}

# Pictures of a program that has a script for its cases here: what it makes on OpenCL is judged beside what its code for
# the CPU makes, or else what another driver does.
pictures() {
  local program=$1 command=$2 name
  if ! (unset -f "$command"; command -v "$command") >/dev/null; then # not the function of that name
    missing "$program" "package $program"
    return
  fi
  mkdir -p "$work/$program"
  for name in $(python3 "$here/$program.py" list); do
    judge="python3 $here/$program.py judge $name $work/picture.pfm $work/$program"
    row "$program $name" python3 "$here/$program.py" run "$name" "$work/picture.pfm" "$work/$program"
  done
  judge=true
}
ffmpeg() { pictures ffmpeg ffmpeg; }
darktable() { pictures darktable darktable-cli; }

printf '%-24s' "processor time, s"
for driver in $drivers; do printf ' %9s %-6s %9s %-6s' "$(basename "$driver" .icd)" "" again ""; done
echo
for client; do "$client"; done
exit $failed
