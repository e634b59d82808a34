# kiln tune: searches, what it finds wrong, records, and what reads them.
. "$2/lib.sh"
# json CONDITION: of r, which the last command printed.
json() {
  printf '%s' "$out" | python3 -c "import json,sys; r = json.load(sys.stdin); sys.exit(not ($1))" || complain "not so: $1"
}
command -v python3 >/dev/null || exit 77
args="i32=64 i32=64 i32=64 rand:f32:4096:1 rand:f32:4096:2 zero:f32:4096"
gemm="$dir/../../examples/tuning/gemm.cl"
export COMPILE_NUM_THREADS=1

# One point is wrong where PLANT is defined, one does not compile.
cat >k.cl <<'END'
#pragma kernel tune(A = 1, 2, 3)
#pragma kernel tune(B = 0, 1)
#pragma kernel restriction(n % 2 == 0)
#pragma kernel problem_size(n)
#pragma kernel block_size(8)
#pragma kernel tuning_key(n)
kernel void k(global int *x, int n) {
#if A == 3
  no such thing
#endif
  int i = get_global_id(0);
#ifdef PLANT
  if (B == 1) x[0] = 7;
#endif
#ifdef ENDLESS
  volatile int more = A == 2;
  while (more) {}
#endif
  if (i < n) x[i] += i;
}
END
check 0 $kiln tune k.cl --all iota:i32:512 i32=512 -v
out_has "best"
err_has "use of undeclared identifier"
check 0 $kiln tune k.cl --all iota:i32:512 i32=512 --json
json "r['kernel'] == 'k' and r['points'] == 4 and r['compiles'] == 0 and r['failed'] == 2 and r['point']['A'] < 3"
check 0 $kiln tune k.cl --all --options=-DPLANT iota:i32:512 i32=512
out_has "2 wrong, 2 failed, the first: A="
check 0 $kiln tune k.cl --all --options=-DPLANT iota:i32:512 i32=512 --json
json "r['wrong'] == 2 and r['failed'] == 2 and r['point']['B'] == 0 and r['compiles'] == 0"

# One value more: only points with it are compiled.
sed 's/A = 1, 2, 3/A = 1, 2, 3, 0/' k.cl >more.cl
check 0 $kiln tune more.cl --all iota:i32:512 i32=512 --json
json "r['points'] == 6 and r['compiles'] <= 7"
mv more.cl k.cl

# What cannot be stored is said.
err_lacks "not stored"
for off in COMPILE_CACHE=off COMPILE_CACHE=ro COMPILE_CACHE_DIR=/dev/null/cache; do
  (
    export "$off"
    check 0 $kiln tune k.cl --points 2 iota:i32:512 i32=256
    err_has "kiln: this is not stored: the cache is off, or its folder cannot be written"
  ) || exit 1
done

# Records: of the class, of the kernel; they can be shown, listed, shipped, and forgotten.
check 0 $kiln tune --show k.cl --json
json "len(r) == 1 and r[0]['class'] == 'n=512' and r[0]['points'] == 8"
check 0 $kiln tune --show k.cl
out_has "k for n=512: default"
check 0 $kiln cache list
out_has "tuned for n=512"
check 0 $kiln cache export t.bundle
COMPILE_CACHE_DIR="$work/other" COMPILE_CACHE_PATH="$work/t.bundle" COMPILE_CACHE=require check 0 $kiln tune --show k.cl
out_has "k for n=512: default"
COMPILE_NUM_THREADS=2 check 0 $kiln tune --show k.cl # another device
out_has ", 1 threads"
check 0 $kiln tune --show k.cl --options=-DPLANT
out_has "k for n=512: default"
check 0 $kiln tune --show k.cl --options=-DOTHER
out_has "nothing is known of 'k.cl'"

# kiln warm compiles the best point, and its bundle has the record, which a launch elsewhere finds.
printf 'kiln-manifest 1\nprogram\nfile: k.cl\nend\n' >k.manifest
check 0 $kiln warm k.manifest --export warm.bundle
out_has "1 programs, 1 jobs: 0 compiled, 1 cached"
check 0 $kiln cache list -d warm.bundle
out_has "tuned for n=512"
COMPILE_CACHE_DIR="$work/third" COMPILE_CACHE_PATH="$work/warm.bundle" COMPILE_CACHE=require COMPILE_TUNE=require \
  check 0 $kiln tune --show k.cl
out_has "k for n=512: default"

# Lines of a manifest are directives before the source: errors are those of the source, its lines keep their numbers.
grep -v pragma k.cl >bare.cl
{
  printf 'kiln-manifest 1\nprogram\nfile: bare.cl\ntune: A = 1, 2, 3, 0\ntune: B = 0, 1\n'
  printf 'tune: restriction(n %% 2 == 0)\ntune: problem_size(n)\ntune: block_size(8)\ntune: tuning_key(n)\nend\n'
} >bare.manifest
check 0 $kiln warm bare.manifest --export bare.bundle
out_has "1 compiled"
check 0 $kiln cache list -d bare.bundle
out_has "tuned for n=512"
COMPILE_CACHE=off check 0 $kiln warm bare.manifest --export bare.bundle
check 0 $kiln cache list -d bare.bundle
printf 'kiln-manifest 1\nprogram\nfile: bare.cl\ntune: A = 1, 1\nend\n' >bad.manifest
check 1 $kiln warm bad.manifest
err_has "parameter 'A' has the value 1 twice"
printf 'kiln-manifest 1\nprogram\nfile: bare.cl\ntune: A = 3\nend\n' >bad.manifest
check 1 $kiln warm bad.manifest
err_has "bare.cl:3:"
printf 'kiln-manifest 1\nprogram\nfile: bare.cl\ntune: restricton(A)\nend\n' >bad.manifest
check 1 $kiln warm bad.manifest
err_has "bad.manifest:4: 'restricton' is no directive"
printf 'kiln-manifest 1\nprogram\nkind: ir\ntune: A = 1\nsource:\n|\nend\n' >bad.manifest
check 1 $kiln warm bad.manifest
err_has "'tune' is for sources of the kind opencl-c"
check 0 $kiln tune --forget k.cl --json
json "r['removed'] == 1"
check 0 $kiln tune --show k.cl
out_has "nothing is known"

# A point that never ends is stopped.
check 0 $kiln tune k.cl --points 3 --deadline 200ms --options=-DENDLESS iota:i32:64 i32=64 --json
json "r['point']['A'] != 2"

# What is wrong is told.
check 1 $kiln tune k.cl iota:i32:512 i32=511
err_has "no point"
check 1 $kiln tune "$dir/kernels.cl" -k nothing
check 1 $kiln tune "$gemm" i32=64
err_has "kernel 'gemm_regs' takes 6 arguments, 1 given"
check 2 $kiln tune
check 2 $kiln tune "$gemm" --budget 0 $args
err_has "'0' is no time"
check 2 $kiln tune "$gemm" --tolerance 2 $args
check 2 $kiln tune --show "$gemm" i32=1
printf '#pragma kernel tune(RM = 1, 1)\nkernel void f(global int *x) { x[0] = RM; }\n' >bad.cl
check 1 $kiln tune bad.cl zero:i32:1
err_has "bad.cl:1:29: error: parameter 'RM' has the value 1 twice"
printf 'kernel void f(global int *x) { x[0] = 1; }\n' >plain.cl
check 1 $kiln tune plain.cl zero:i32:1
err_has "nothing is tuned of it"
finish 36
