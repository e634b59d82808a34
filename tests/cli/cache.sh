# kiln cache: every verb, as text and as JSON, bundles, damage, explanations.
. "$2/lib.sh"
k="$dir/saxpy.kir"
json() { python3 -c 'import json,sys; json.load(open("stdout"))' 2>/dev/null || command -v python3 >/dev/null || return 0; }

check 0 $kiln cache list
out_is ""
check 0 $kiln cache stat
out_has "entries      0"
check 0 $kiln compile "$k" -b interp -o out.bin
check 0 $kiln compile "$k" -b interp -DX=1 -o out.bin
check 0 $kiln cache list
out_has "interp generic  saxpy"
err_empty
key=$(sed -n '1s/ .*//p' stdout)
[ "$(wc -l <stdout)" = 2 ] || complain "two entries were stored"
check 0 $kiln cache list --json
out_has '"kernels": "saxpy"'
check 0 json
check 0 $kiln cache show "$(echo "$key" | cut -c1-8)"
out_has "target     interp generic"
out_has "kiln_ir 1"
check 0 $kiln cache show "$key" --json
out_has '"source": "kiln_ir 1'
check 0 json
check 1 $kiln cache show ffffffffffffffffffffffffffffffff
err_has "there is no entry whose key begins with"
check 0 $kiln cache stat
out_has "entries      2"
check 0 $kiln cache stat --json
out_has '"entries": 2'
check 0 json
check 0 $kiln cache verify
out_has "2 files, 0 damaged"

# Why is it found, and why not?
check 0 $kiln cache explain "$k" -b interp
out_has "hit: entry"
version=$($kiln --version | cut -d' ' -f2)
out_has "= toolchain    Kiln $version, build "
check 0 $kiln cache explain "$k" -b interp -DX=2
out_has "! options"
out_has "X=2"
out_has "1 of"
out_has "miss: nothing is stored for this request"
check 0 $kiln cache explain "$k" -b interp -DX=2 --json
out_has '"field": "options"'
out_has '"hit": false'
check 0 json
sed 's/fadd/fsub/' "$k" >other.kir
check 0 $kiln cache explain other.kir -b interp
out_has "! source"
out_has "fsub"

# Includes: which one has changed.
mkdir inc
echo '#define N 1' >inc/n.h
printf '#include <n.h>\nkernel void k(global int *p) { p[0] = N; }\n' >k.cl
check 0 $kiln compile k.cl -b interp -I inc -o out.bin
check 0 $kiln cache explain k.cl -b interp -I inc
out_has "hit: entry"
echo '#define N 2' >inc/n.h
check 0 $kiln cache explain k.cl -b interp -I inc
out_has "! include inc/n.h"
out_has "miss: it is stored for other include files"
echo '#define N 1' >inc/n.h
check 2 $kiln cache explain k.cl -b nope
err_has "nope"

# Bundles.
check 0 $kiln cache export all.bundle
out_has "all.bundle: 3 entries"
check 0 $kiln cache export none.bundle -b cpu --json
out_has '"entries": 0'
check 0 $kiln cache list -d all.bundle
[ "$(wc -l <stdout)" = 3 ] || complain "three entries in the bundle"
check 0 $kiln cache verify -d all.bundle
out_has "4 files, 0 damaged"
check 0 env COMPILE_CACHE_DIR="$work/empty" COMPILE_CACHE=require COMPILE_CACHE_PATH="$work/all.bundle" \
  $kiln compile k.cl -b interp -I inc -o out.bin
check 3 env COMPILE_CACHE_DIR="$work/empty" COMPILE_CACHE=require $kiln compile k.cl -b interp -I inc -o out.bin
err_has "is in no cache"
check 0 $kiln cache import all.bundle -d "$work/second"
out_has "3 entries added, 0 were there"
check 0 $kiln cache import all.bundle -d "$work/second" --json
out_has '"present": 3'
check 0 env COMPILE_CACHE_DIR="$work/second" COMPILE_CACHE=require $kiln compile k.cl -b interp -I inc -o out.bin
check 0 env COMPILE_CACHE_DIR="$work/third" COMPILE_CACHE=require COMPILE_CACHE_PATH="$work/second:$work/cache" \
  $kiln compile "$k" -b interp -o out.bin
head -c 1000 all.bundle >cut.bundle
check 1 $kiln cache import cut.bundle
err_has "its end is missing"
check 1 $kiln cache import no.bundle
check 1 $kiln cache prune -d all.bundle
err_has "a bundle, which is never changed"
printf x | dd of=all.bundle bs=1 seek=100 conv=notrunc 2>/dev/null
check 1 $kiln cache verify -d all.bundle
out_has "checksum"
check 1 $kiln cache import all.bundle -d "$work/fourth"
err_has "1 damaged members"

# Damage, size, removal.
entry=$(find cache -name '*.kiln' | head -1)
printf x | dd of="$entry" bs=1 seek=60 conv=notrunc 2>/dev/null
check 1 $kiln cache verify
out_has "4 files, 1 damaged"
check 1 $kiln cache verify --remove --json
check 0 $kiln cache verify
out_has "3 files, 0 damaged"
check 0 $kiln cache stat
out_has "quarantined  1"
check 0 $kiln cache prune --max-size 5K
check 0 $kiln cache stat --json
out_has '"quarantined": 0'
check 0 $kiln cache prune --older-than 0s
check 0 $kiln cache list
out_is ""
check 0 $kiln compile "$k" -b interp -o out.bin
check 0 $kiln cache clear --json
out_has '"removed": 1'
check 0 $kiln cache stat
out_has "entries      0"

# The size limit.
export COMPILE_CACHE_MAX_SIZE=40K
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  $kiln compile "$k" -b interp -DLIMIT=$i -o out.bin || complain "compile $i"
done
check 0 $kiln cache stat --json
bytes=$(sed -n 's/.*"disk_bytes": \([0-9]*\).*/\1/p' stdout)
[ "$bytes" -le 40960 ] && [ "$bytes" -ge 20000 ] || complain "$bytes bytes after 15 programs"
out_has '"limit": 40960'
unset COMPILE_CACHE_MAX_SIZE
check 2 env COMPILE_CACHE_MAX_SIZE=large $kiln compile "$k" -b interp -o out.bin
err_has "COMPILE_CACHE_MAX_SIZE is 'large'"

check 2 $kiln cache
err_has "VERB is missing"
check 2 $kiln cache nothing
err_has "there is no verb 'nothing'"
check 2 $kiln cache show
err_has "KEY is missing"
check 2 $kiln cache prune --max-size many
err_has "is not a size"
check 2 $kiln cache stat --nothing
check 0 $kiln cache --help
out_has "explain FILE"
check 3 env -u COMPILE_CACHE_DIR -u HOME -u XDG_CACHE_HOME $kiln cache stat
err_has "there is no cache folder"
# What older versions made is removed.
check 0 $kiln compile "$k" -b interp -o out.bin
check 0 $kiln cache list
out_has "  $version  interp generic  "
check 0 $kiln cache list --json
out_has "\"version\": \"$version\""
check 0 $kiln cache prune --older-than-version "$version"
out_is "removed 0 files, 0 B"
check 2 $kiln cache prune --older-than-version new
err_has "'new' is no version"
check 0 $kiln cache prune --older-than-version 1000.0
out_lacks "removed 0 files"
check 0 $kiln cache list
out_is ""
finish 66
