# A miss says why, in the error of COMPILE_CACHE=require and in the log: misses.sh KILN FOLDER, that of tests/cli.
. "$2/lib.sh"
mkdir inc
echo '#define N 1' >inc/a.h
printf '#include "a.h"\nkernel void k(global int *o) { *o = N; }\n' >k.cl
run="$kiln run k.cl -b interp -g 1 -I inc -p 0:i32 zero:i32:1"
must_miss() {
  check 3 env COMPILE_CACHE=require "$@" $run
}

must_miss
err_has "'k.cl' is in no cache, and COMPILE_CACHE=require forbids to compile it: nothing is stored for this request"
err_has "$work/cache is not there"

# The log: a line each, with a reason and a time.
check 0 env COMPILE_LOG=info $run
err_has "info: cache miss: 'k.cl': nothing is stored for this request (looked in $work/cache) ("
err_has " ms)"
err_has "info: compiled 'k.cl' for interp generic in "
err_lacks "cache hit"
check 0 env COMPILE_LOG=info $run
err_has "info: cache hit: 'k.cl' is entry "
err_has " in $work/cache ("
err_lacks "compiled"
check 0 $run
err_empty

# Layers: not there, cut short, open to others, empty, of no use.
$kiln cache export good.bundle >/dev/null
chmod go-w good.bundle
cp good.bundle open.bundle
chmod o+w open.bundle
size=$(stat -c %s good.bundle)
head -c $((size - 1)) good.bundle >cut.bundle
head -c 40 good.bundle >short.bundle
must_miss COMPILE_CACHE_DIR="$work/none" \
  COMPILE_CACHE_PATH="/nowhere/x:$work/open.bundle:$work/cut.bundle:$work/short.bundle:$work/inc"
err_has "/nowhere/x is not there"
err_has "$work/open.bundle cannot be used: other users can write to it"
err_has "$work/cut.bundle cannot be used: its end is missing"
err_has "$work/short.bundle cannot be used: it is not a bundle"
err_has "looked in $work/inc)"
check 0 env COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/good.bundle" $run
check 0 env COMPILE_LOG=info COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/cut.bundle" $run
err_has "$work/cut.bundle cannot be used: its end is missing"

# Headers.
echo '#define N 2' >inc/a.h
must_miss
err_has "it is stored for other include files ('inc/a.h' has changed since the entry in $work/cache was made)"
must_miss COMPILE_CACHE_DIR="$work/none2" COMPILE_CACHE_PATH="$work/good.bundle"
err_has "'inc/a.h' has changed since the entry in $work/good.bundle was made"
check 0 $kiln cache explain k.cl -b interp -I inc
out_has "'inc/a.h' has changed since"
rm inc/a.h
must_miss
err_has "'inc/a.h' is not there any more, as it was when the entry in $work/cache was made"
echo '#define N 1' >inc/a.h
echo '#define N 3' >a.h
must_miss
err_has "'a.h' was not there when the entry in $work/cache was made"
rm a.h

# Files.
file=$(echo cache/??/*.kiln)
cp "$file" kept
printf x | dd of="$file" bs=1 seek=10 conv=notrunc 2>/dev/null
must_miss
err_has "is damaged: its checksum is wrong"
check 0 env COMPILE_LOG=info COMPILE_CACHE=ro $run
err_has "cache miss: 'k.cl': the file is damaged (entry "
mv kept "$file"
chmod o+w cache
must_miss
err_has "a file is there that cannot be read or trusted ($work/cache cannot be used: other users can write to it)"
chmod o-w cache
must_miss COMPILE_CACHE_DIR="$work/none3" COMPILE_CACHE_REMOTE="redis://me:secret@host:x"
err_has "COMPILE_CACHE_REMOTE cannot be read: 'redis://***@host:x' is no place"
err_lacks "secret"
check 0 env COMPILE_LOG=info COMPILE_CACHE=off $run
err_has "cache miss: 'k.cl': the cache is off ("
finish 17
