#!/bin/sh
# The wheel, as a user gets it: installed by pip into a clean environment on a machine without LLVM and without Kiln,
# where it compiles and runs the first kernel. The machine is this one, whose LLVM is hidden in a mount namespace.
#   wheel.sh SOURCE BUILD
set -eu
source=$1 build=$2
if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
  echo "skipped: hiding LLVM needs root and a mount namespace"
  exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$build/CMakeCache.txt" || { echo "skipped: no release build"; exit 77; }
"$source/scripts/wheel.py" --build "$build" --dist "$place/dist"
/usr/bin/python3 -m venv "$place/venv"
"$place/venv/bin/pip" install -q --no-index --no-deps "$place"/dist/*.whl

cat >"$place/first.py" <<'E2'
import array
import ctypes.util
import kiln

assert ctypes.util.find_library("LLVM-19") is None, "LLVM is not hidden"
k = kiln.compile("kernel void f(global float *x, float a) { x[get_global_id(0)] *= a; }", backend="cpu")["f"]
x = array.array("f", [1] * 1000)
k[1000](x, 3.0)
assert set(x) == {3.0}
gpu = kiln.compile("kernel void f(global float *x) { x[0] = sin(x[1]); }", backend="rocm", arch="gfx90a")
assert gpu.artifact[:4] == b"\x7fELF"
print("compiled and run:", kiln.__file__, k.program.info.cache)
E2
unshare -m sh -c "
  set -eu
  mount -t tmpfs none /usr/lib/llvm-19
  mount -t tmpfs none '$build/lib'
  for file in /usr/lib/x86_64-linux-gnu/libLLVM* /usr/lib/x86_64-linux-gnu/libz3.so*; do mount --bind /dev/null \$file; done
  cd '$place'
  export COMPILE_CACHE_DIR='$place/cache'
  venv/bin/python first.py
  venv/bin/python -c 'import kiln; kiln.compile(\"kernel void g(global int *x) { *x = 1; }\", backend=\"cpu\")'
  COMPILE_ISOLATE=1 venv/bin/kiln compile '$source/examples/saxpy.cl' -b cpu -o saxpy.so
"
test -s "$place/saxpy.so"
