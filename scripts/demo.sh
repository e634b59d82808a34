#!/bin/sh
# Runs the examples on real sizes and shows one table. The cache stays in the build folder, so that a second run of
# the demo starts from it.
set -eu
build=$1
export COMPILE_CACHE_DIR="$build/demo-cache" COMPILE_BACKEND="${COMPILE_BACKEND:-cpu}"

"$build/kiln" backends
echo
printf 'saxpy: '
"$build/examples/saxpy"
echo
"$build/examples/nbody"
"$build/examples/mandelbrot" --no-header "$build/mandelbrot.png"
echo
cat <<TXT
first   start with the cache as it was: a miss compiles, a hit loads (run the demo again to see hits)
cold    open a context and compile with LLVM already loaded, cache off
warm    open a context and load the kernel from the cache
speed   plain C (gcc -O2, one thread) over the kernel on all threads; for mandelbrot "max error" is the share of
        pixels whose count differs by rounding
Picture: $build/mandelbrot.png
TXT
