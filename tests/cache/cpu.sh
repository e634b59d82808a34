# On real machine code: a lesser processor never gets what was compiled for a better one, another code generator makes
# another key, and a machine without one runs what a bundle holds.
#   cpu.sh KILN FOLDER_OF_CLI_TESTS FOLDER_OF_LIBRARIES
lib=$3
. "$2/lib.sh"
printf 'kernel void k(global float *p) { size_t i = get_global_id(0); p[i] = p[i] * 2 + 1; }\n' >k.cl
"$kiln" compile k.cl -b cpu -o k.out 2>/dev/null || exit 77 # built without LLVM
"$kiln" targets -b cpu | grep -q '^x86-64-v4' || exit 77
rm -rf cache

# A home folder that several machines share.
check 0 "$kiln" compile k.cl -b cpu -a x86-64-v4 --emit bin -o v4.so
check 3 env COMPILE_CACHE=require "$kiln" compile k.cl -b cpu -a x86-64-v2 -o v2.so
err_has "is in no cache"
check 3 env COMPILE_CACHE=require "$kiln" compile k.cl -b cpu -a x86-64-v3 -o v3.so
check 0 "$kiln" cache explain k.cl -b cpu -a x86-64-v2
out_has "! arch"
check 0 "$kiln" compile k.cl -b cpu -a x86-64-v2 --emit bin -o v2.so
check 0 "$kiln" compile k.cl -b cpu -a x86-64-v2 --emit s -o v2.s
check 1 grep -q 'zmm\|ymm' v2.s
check 1 cmp -s v2.so v4.so
check 0 "$kiln" cache list
[ "$(wc -l <stdout)" = 2 ] || complain "each processor has its own entry"

# COMPILE_ARCH by its own name and by detection is one target.
check 0 "$kiln" compile k.cl -b cpu -o native.so
check 0 env COMPILE_CACHE=require "$kiln" compile k.cl -b cpu -a native -o native.so
check 0 env COMPILE_CACHE=require COMPILE_BACKEND=cpu COMPILE_ARCH=native "$kiln" compile k.cl -o native.so

# Another code generator: the same library with another build id.
if command -v objcopy >/dev/null && [ -f "$lib/kiln-llvm.so" ]; then
  check 0 "$kiln" cache export all.bundle
  copy_library other
  objcopy --dump-section .note.gnu.build-id=id "$lib/kiln-llvm.so" other/kiln-llvm.so
  printf 'zzzz' | dd of=id bs=1 seek=16 conv=notrunc 2>/dev/null
  objcopy --update-section .note.gnu.build-id=id other/kiln-llvm.so
  check 3 env LD_LIBRARY_PATH="$work/other" COMPILE_CACHE=require "$kiln" compile k.cl -b cpu -o other.so
  check 0 env LD_LIBRARY_PATH="$work/other" "$kiln" cache explain k.cl -b cpu
  out_has "! toolchain"
  out_has "1 of"
  check 0 env LD_LIBRARY_PATH="$work/other" COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/none" \
    COMPILE_CACHE_PATH="$work/all.bundle" "$kiln" run k.cl -b cpu -g 2 -p 0:f32 iota:f32:2
  out_is "0: 1 3"
  # And no code generator at all.
  rm other/kiln-llvm.so
  check 3 env LD_LIBRARY_PATH="$work/other" KILN=none "$kiln" compile k.cl -b cpu -DX -o other.so
  check 0 env LD_LIBRARY_PATH="$work/other" COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/all.bundle" \
    "$kiln" run k.cl -b cpu -g 2 -p 0:f32 iota:f32:2
  out_is "0: 1 3"
  # Code for a lesser processor is taken, too, where there is no other.
  check 0 "$kiln" cache export -a x86-64-v2 lesser.bundle
  check 0 env LD_LIBRARY_PATH="$work/other" COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/lesser.bundle" \
    "$kiln" run k.cl -v -b cpu -g 2 -p 0:f32 iota:f32:2
  out_is "0: 1 3"
  err_has "x86-64-v2"
  finish 20
else
  finish 12
fi
