# kiln warm: recorded and hand-written manifests, bundles, failures; a run that compiles nothing.
. "$2/lib.sh"
mkdir src src/inc
echo '#define N 5' >src/inc/n.h
printf '#include "inc/n.h"\nkernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >src/k.cl
printf 'kernel void two(global int *p) { p[get_global_id(0)] = X; }' >src/x.cl

check 0 env COMPILE_RECORD="$work/run.manifest" $kiln run src/k.cl -b interp -g 2 -p 0:i32 zero:i32:2
out_is "0: 5 5"
check 0 env COMPILE_RECORD="$work/run.manifest" $kiln run src/x.cl -b interp -DX=7 -g 2 -p 0:i32 zero:i32:2
check 0 env COMPILE_RECORD="$work/run.manifest" $kiln run src/x.cl -b interp -DX=7 -g 2 -p 0:i32 zero:i32:2
check 0 env COMPILE_RECORD="$work/run.manifest" $kiln run src/x.cl -b interp -DX=8 -g 2 -p 0:i32 zero:i32:2
[ "$(grep -c '^program' run.manifest)" = 3 ] || complain "a request is recorded once"
check 0 env COMPILE_RECORD=/nowhere/manifest $kiln run src/x.cl -b interp -DX=7 -g 2 -p 0:i32 zero:i32:2
out_is "0: 7 7"

# Elsewhere, without the sources.
mv src gone
rm -rf cache
check 0 $kiln warm run.manifest -j 2
out_has "3 programs, 3 jobs: 3 compiled, 0 cached, 0 failed"
out_has "3/3 compiled interp generic"
err_empty
check 0 $kiln warm run.manifest --json
out_has '"cached": 3'
mv gone src
check 0 env COMPILE_CACHE=require $kiln run src/k.cl -b interp -g 2 -p 0:i32 zero:i32:2
out_is "0: 5 5"
check 0 env COMPILE_CACHE=require $kiln run src/x.cl -b interp -DX=8 -g 2 -p 0:i32 zero:i32:2
out_is "0: 8 8"
check 3 env COMPILE_CACHE=require $kiln run src/x.cl -b interp -DX=9 -g 2 zero:i32:2
err_has "is in no cache"
echo '#define N 6' >src/inc/n.h
check 3 env COMPILE_CACHE=require $kiln run src/k.cl -b interp -g 2 zero:i32:2
err_has "is in no cache"
echo '#define N 5' >src/inc/n.h

# A bundle, without a cache.
check 0 env COMPILE_CACHE=off $kiln warm run.manifest --export some.bundle
out_has "3 compiled"
check 0 env COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/some.bundle" COMPILE_CACHE=require \
  $kiln run src/k.cl -b interp -g 2 -p 0:i32 zero:i32:2
out_is "0: 5 5"
check 1 env COMPILE_CACHE=off $kiln warm run.manifest
err_has "there is no cache to warm"

# Written by hand, with failures; a record that a killed writer left.
cat >hand.manifest <<'M'
kiln-manifest 1
# Sources beside the manifest.
program
file: src/k.cl
end

program
file: src/x.cl
options: -DX=1 -w
target: interp
end

program
name: wrong.cl
source:
|kernel void wrong(global int *p) {
|  p[0] = nothing;
|}
end
program 0123
name: torn.cl
sour
M
check 1 $kiln warm hand.manifest -b interp
out_has "3 programs, 3 jobs: 1 compiled, 1 cached, 1 failed"
err_has "wrong.cl for interp generic: wrong.cl:2:"
err_has "1 records of the manifests have no end"
check 0 env COMPILE_CACHE=require $kiln run src/x.cl -b interp --options "-DX=1" -g 1 -p 0:i32 zero:i32:1
out_is "0: 1"
check 1 $kiln warm hand.manifest -b interp --json
out_has '"failed": 1'
out_has '"target": "interp generic"'

echo hello >bad.manifest
check 1 $kiln warm bad.manifest
err_has "bad.manifest:1: it is no manifest"
printf 'kiln-manifest 2\n' >bad.manifest
check 1 $kiln warm bad.manifest
err_has "this Kiln reads version 1"
printf 'kiln-manifest 1\nprogram\ncolour: red\nend\n' >bad.manifest
check 1 $kiln warm bad.manifest
err_has "bad.manifest:3: 'colour' is unknown"
check 1 $kiln warm nosuch.manifest
err_has "cannot read manifest"
check 2 $kiln warm
err_has "MANIFEST is missing"
check 2 $kiln warm run.manifest -b nosuch
check 2 $kiln warm run.manifest -b interp -a nosuch
check 2 $kiln warm run.manifest -j many
check 0 $kiln warm --help
out_has "COMPILE_RECORD"
finish 26
