# Code of a lower level where there is none for the exact CPU and nothing may or can be compiled.
. "$2/lib.sh"
if ! "$kiln" compile "$dir/kernels.cl" -b cpu --stats >/dev/null 2>err; then
  grep -q "is not installed" err && exit 77 # built without LLVM
fi
printf 'kernel void k(global int *p) { p[get_global_id(0)] = get_global_id(0) * 3; }\n' >k.cl
cat >app.manifest <<'M'
kiln-manifest 1
program
file: k.cl
end
M
check 0 env COMPILE_CACHE=off $kiln warm app.manifest -b cpu -a x86-64-v2,x86-64,aarch64 --export app.bundle
err_empty
run="$kiln run k.cl -b cpu -a x86-64-v2+avx -g 4 -p 0:i32 zero:i32:4"

# Elsewhere: from the bundle, the highest level first.
rm -rf cache
check 0 env COMPILE_CACHE_PATH="$work/app.bundle" COMPILE_CACHE=require COMPILE_LOG=warning $run
out_is "0: 0 3 6 9"
err_has "'k.cl' runs code that was compiled for x86-64-v2, since none for this x86-64-v2+avx can be had"
explain="$kiln cache explain k.cl -b cpu -a x86-64-v2+avx"
check 0 env COMPILE_CACHE_PATH="$work/app.bundle" COMPILE_CACHE=require $explain
out_has "hit: entry "
out_has "in $work/app.bundle: code of x86-64-v2, which this x86-64-v2 runs, too"
out_has "! features"
check 0 env COMPILE_CACHE_PATH="$work/app.bundle" $explain
out_has "miss: nothing is stored for this request (looked in $work/cache, $work/app.bundle); code of x86-64-v2 is there"
check 0 env COMPILE_CACHE_PATH="$work/app.bundle" $explain --json -DOTHER
out_has '"hit": false'
out_lacks "code of x86-64-v2"
check 3 env COMPILE_CACHE_PATH="$work/app.bundle" COMPILE_CACHE=require $run --options -DOTHER
err_has "forbids to compile it"
# From the folder of the user, and what lies lower still.
check 0 $kiln warm app.manifest -b cpu -a x86-64
check 0 env COMPILE_CACHE=require COMPILE_LOG=warning $run
out_is "0: 0 3 6 9"
err_has "compiled for x86-64, since"
# Never code that needs more, nor of another architecture.
rm -rf cache
check 0 $kiln warm app.manifest -b cpu -a x86-64-v3,aarch64
check 3 env COMPILE_CACHE=require $run
# Where compiling is possible, the exact target is compiled.
check 0 env COMPILE_CACHE_PATH="$work/app.bundle" COMPILE_LOG=warning $run --time
out_has "cache miss"
err_empty
# The builder's own CPU is told.
check 0 $kiln warm app.manifest -b cpu
err_has "no arch is named for backend 'cpu': its code is for this machine's own "
finish 12
