# Device code of cuda: what the driver and ptxas make is kept, and found by the next start. The stand-in for libcuda.so.1
# counts what it compiles; fake_ptxas.sh makes cubins for it. $3: a real ptxas, whose cubins it cannot run.
. "$2/../cli/lib.sh"
export KILN_STANDIN_SM=90 KILN_STANDIN_COMPILES="$work/compiles" KILN_PTXAS=none
unset KILN_STANDIN_DRIVER KILN_STANDIN_FAIL COMPILE_ISOLATE_TIME
fake=$dir/fake_ptxas.sh
cat >k.cl <<'K'
kernel void k(global int *p) { p[get_global_id(0)] += 5; }
K
run() { check 0 "$@" $kiln run k.cl -b cuda -g 4 -p 0:i32 iota:i32:4 && out_is "0: 5 6 7 8"; }
# compiled N WHAT: so many compiles since the last question.
compiled() {
  got=$(cat compiles 2>/dev/null | wc -l)
  [ "$got" = "$1" ] || complain "$got compiles instead of $1: $2"
  rm -f compiles
}
kept() { check 0 $kiln cache show "$($kiln cache list | cut -c1-32)"; }

run env
compiled 1 "the first start"
run env
compiled 0 "the second start compiles nothing"
run env COMPILE_CACHE=require
compiled 0 "nor with a cache that is only read"
kept
out_has "sm_90, driver for CUDA 13.0"
run env KILN_STANDIN_DRIVER=12.8
compiled 1 "another driver passes the code over"
run env KILN_STANDIN_DRIVER=12.8
compiled 0 "and keeps its own"
run env
compiled 0 "beside that of the first"
run env COMPILE_CACHE=off
compiled 1 "without a cache"
run env COMPILE_LOG=info KILN_STANDIN_FAIL=cuModuleLoadDataEx:1
compiled 1 "a cubin that the driver refuses is made once more"
err_has "does not take the cubin that is kept for it (sm_90, driver for CUDA 13.0)"
run env COMPILE_CACHE=ro KILN_STANDIN_DRIVER=12.6
compiled 1 "a driver that may not keep its code"
kept
out_lacks "CUDA 12.6"
file=$(find cache -name '*.kiln')
printf x | dd of="$file" bs=1 seek=3000 conv=notrunc 2>/dev/null
run env COMPILE_LOG=warning
compiled 1 "a damaged file is compiled again"
err_has "is damaged"

# At once: nothing is lost.
for version in 11.8 12.0 12.1 12.2; do
  KILN_STANDIN_DRIVER=$version $kiln run k.cl -b cuda -g 4 iota:i32:4 >/dev/null 2>&1 &
done
wait
kept
for version in 11.8 12.0 12.1 12.2 13.0; do
  out_has "driver for CUDA $version"
done
for version in 12.3 12.4 12.5 12.6 12.7; do
  KILN_STANDIN_DRIVER=$version $kiln run k.cl -b cuda -g 4 iota:i32:4 >/dev/null 2>&1
done
kept
[ "$(printf %s "$out" | grep -c 'driver for')" = 8 ] || complain "8 are kept"
out_lacks "CUDA 13.0"
rm -rf cache compiles

# ptxas, without a device: its cubin runs where the driver is too old for the PTX.
check 0 env COMPILE_RECORD="$work/m" $kiln run k.cl -b interp -g 4 iota:i32:4
rm -rf cache
check 0 $kiln warm m -b cuda -a sm_90
check 3 env COMPILE_CACHE=require KILN_STANDIN_DRIVER=11.0 $kiln run k.cl -b cuda -a sm_90 -g 4 iota:i32:4
err_has "(PTX 7.8): it needs a driver for CUDA 11.8, and this one is for CUDA 11.0"
check 0 env KILN_PTXAS="$fake" $kiln warm m -b cuda -a sm_90 --export b.bundle
out_has "1 cached"
kept
out_has "sm_90, ptxas 12.9.86"
rm -f compiles
run env COMPILE_CACHE=require KILN_STANDIN_DRIVER=11.0
compiled 0 "a cubin of ptxas"
run env COMPILE_CACHE=require KILN_STANDIN_DRIVER=11.0 COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/b.bundle"
compiled 0 "a cubin in a bundle"
rm -rf cache
check 0 $kiln warm m -b cuda -a sm_90 --export plain.bundle
check 0 $kiln cache import plain.bundle --dir "$work/team"
check 0 $kiln cache import b.bundle --dir "$work/team"
out_has "1"
run env COMPILE_CACHE=require KILN_STANDIN_DRIVER=11.0 COMPILE_CACHE_DIR="$work/team"
compiled 0 "a cubin that was imported over an entry without"
rm -rf cache
check 0 env COMPILE_CACHE=off KILN_PTXAS="$fake" $kiln warm m -b cuda -a sm_80 --export off.bundle
check 3 env COMPILE_CACHE=require COMPILE_CACHE_PATH="$work/off.bundle" KILN_STANDIN_DRIVER=10.2 \
  $kiln run k.cl -b cuda -a sm_80 -g 4 iota:i32:4
err_has "needs a driver for CUDA 11.0" # sm_80's cubin does not fit sm_90
run env COMPILE_CACHE=require COMPILE_CACHE_PATH="$work/off.bundle" KILN_STANDIN_DRIVER=10.2 KILN_STANDIN_SM=86 \
  COMPILE_ARCH=sm_80
compiled 0 "but for sm_86"

# Signed anew.
check 0 $kiln cache key new.key
check 0 env COMPILE_CACHE_KEY="$work/new.key" KILN_PTXAS="$fake" $kiln warm m -b cuda -a sm_90
run env COMPILE_CACHE_KEY="$work/new.key"
check 0 env COMPILE_CACHE_KEY="$work/new.key" $kiln cache export signed.bundle
run env COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/none2" COMPILE_CACHE_PATH="$work/signed.bundle" \
  COMPILE_CACHE_KEY="$work/new.key" KILN_STANDIN_DRIVER=11.0

# A ptxas that fails never fails a build.
for how in crash hang old empty; do
  rm -rf cache
  check 0 env KILN_PTXAS="$fake" FAKE_PTXAS=$how COMPILE_ISOLATE_TIME=1 COMPILE_LOG=info $kiln warm m -b cuda -a sm_90
  case $how in
  crash) err_has "crashed" ;;
  hang) err_has "has not ended in 1 s" ;;
  old) err_has "Unsupported .version 7.8" ;;
  empty) err_has "made nothing" ;;
  esac
  kept
  out_lacks "ptxas"
done
run env

# Stages and figures.
check 3 $kiln compile k.cl -b cuda -a sm_90 --emit bin
err_has "no ptxas is used, as KILN_PTXAS says"
check 3 env KILN_PTXAS=/nowhere $kiln compile k.cl -b cuda -a sm_90 --emit dis
err_has "KILN_PTXAS is '/nowhere', which is no program"
check 0 env KILN_PTXAS= PATH=/nowhere HOME=/nowhere "$kiln" compile k.cl -b cuda -a sm_90 --stats
err_has "unknown: NVIDIA's ptxas was not found"
check 0 env KILN_PTXAS="$fake" $kiln compile k.cl -b cuda -a sm_90 --emit bin -o k.cubin
[ "$(head -c 4 k.cubin | tail -c 3)" = ELF ] || complain "no cubin"
check 0 env KILN_PTXAS="$fake" $kiln compile k.cl -b cuda -a sm_90 --stats
out_has "registers: 40"
out_has "spills: 2"
out_has "stack bytes: 16"
out_has "shared bytes: 1024"
out_has "occupancy: 48 of 64 warps on a multiprocessor, in groups of 256"
check 0 $kiln compile k.cl -b cuda -a sm_90 -o k.ptx
check 0 $kiln compile k.cl -b cuda -a sm_90 --emit ptx -o same.ptx
cmp k.ptx same.ptx || complain "the artifact is PTX"
mkdir -p venv/bin venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin
cp "$fake" venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas
check 0 env KILN_PTXAS= PATH="$work/venv/bin:/usr/bin:/bin" "$kiln" compile k.cl -b cuda -a sm_90 --stats
out_has "registers: 40"

if [ -x "$3" ]; then
  rm -rf cache compiles
  check 0 env KILN_PTXAS="$3" $kiln warm m -b cuda -a sm_60,sm_90
  check 0 $kiln cache show "$($kiln cache list | grep sm_60 | cut -c1-32)"
  out_has "sm_60, ptxas 12.9"
  check 0 env KILN_PTXAS="$3" $kiln compile k.cl -b cuda -a sm_90 --stats
  out_has "spills: 0"
  out_has "occupancy: 64 of 64 warps"
  run env COMPILE_LOG=info
  err_has "does not take the cubin"
  compiled 1 "the stand-in runs no real cubin"
fi
finish 54
