# What the examples ask for is recorded, warmed for GPUs that are not here and for the CPU, and then run without a
# compile: from the folder, and from the bundle alone.
#   examples.sh KILN FOLDER_OF_CLI_TESTS FOLDER_OF_EXAMPLES
examples=$3
. "$2/lib.sh"
"$kiln" targets -b rocm >/dev/null 2>&1 || exit 77
printf 'kernel void k(global int *p) { p[0] = 1; }\n' >k.cl
"$kiln" compile k.cl -b rocm -a gfx942 -o k.out 2>/dev/null || exit 77 # built without LLVM
"$kiln" compile k.cl -b cpu -o k.out 2>/dev/null || exit 77
rm -rf cache
unset COMPILE_BACKEND

for example in saxpy nbody mandelbrot; do
  check 0 env COMPILE_BACKEND=cpu COMPILE_RECORD="$work/run.manifest" COMPILE_CACHE_DIR="$work/first" "$examples/$example"
done
check 0 grep -q '^name: nbody.cl' run.manifest
check 0 "$kiln" warm run.manifest -b rocm,cpu -a gfx90a,gfx942,gfx1100 -j 2 --export all.bundle
out_has "3 programs, 12 jobs: 12 compiled, 0 cached, 0 failed"
check 0 "$kiln" warm run.manifest -b rocm,cpu -a gfx90a,gfx942,gfx1100
out_has "0 compiled, 12 cached"
for example in saxpy nbody mandelbrot; do
  check 0 env COMPILE_BACKEND=cpu COMPILE_CACHE=require "$examples/$example"
  check 0 env COMPILE_BACKEND=cpu COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/none" \
    COMPILE_CACHE_PATH="$work/all.bundle" "$examples/$example"
done
check 0 "$kiln" cache list -d all.bundle
out_has "rocm gfx90a"
out_has "rocm gfx1100"
finish 13
