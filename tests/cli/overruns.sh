# kiln run on the CPU: an access past a buffer's end, or before the beginning of whole pages, is a fault with a hint.
. "$2/lib.sh"
cat >k.cl <<'END'
kernel void past(global int *x, int at) { x[get_global_id(0) + at] = 1; }
kernel void reads(global const int *x, global int *y, int at) { y[get_global_id(0)] = x[(int)get_global_id(0) + at]; }
kernel void vectors(global float *x) { ((global float4 *)x)[get_global_id(0)] *= 2; }
END
if ! "$kiln" compile k.cl -b cpu --stats >stats 2>err; then
  grep -q "is not installed" err && exit 77 # built without LLVM
  cat err
  exit 1
fi
unset COMPILE_FAULTS
fault() {
  check 1 $kiln run k.cl -b cpu "$@"
  err_has "kernel '$name': SIGSEGV"
  err_has "-b interp checks every access, and names its line"
}
name=past
for n in 1 3 10 1000 1024 4096; do
  check 0 $kiln run k.cl -b cpu -k past -g $n -o 0:out zero:i32:$n i32=0
  fault -k past -g $n zero:i32:$n i32=1
done
fault -k past -g 1024 zero:i32:1024 i32=-1 # 4,096 bytes: the beginning is one of a page, too
name=reads
check 0 $kiln run k.cl -b cpu -k reads -g 1000 -p 1:i32:2 iota:i32:1000 zero:i32:1000 i32=0
out_is "1: 0 1"
fault -k reads -g 1000 iota:i32:1000 zero:i32:1000 i32=1
fault -k reads -g 1024 iota:i32:1024 zero:i32:1024 i32=-1
fault -k reads -g 1000 --guard before iota:i32:1000 zero:i32:1000 i32=-1
fault -k reads -g 3 --guard before iota:i32:3 zero:i32:3 i32=-1
check 0 $kiln run k.cl -b cpu -k reads -g 3 --guard before -p 1:i32 iota:i32:3 zero:i32:3 i32=0
out_is "1: 0 1 2"
check 2 $kiln run k.cl -b cpu -k reads -g 3 --guard beside iota:i32:3 zero:i32:3 i32=0
err_has "--guard: 'beside' is neither before nor behind"
# The same memory as other types.
check 0 $kiln run k.cl -b cpu -k vectors -g 25 -p 0:f32:2 fill:f32:100:1.5
out_is "0: 3 3"
check 0 $kiln run k.cl -b cpu -k reads -g 8 -p 1:i32:2 same:1 iota:i32:8 i32=0
out_is "1: 0 1"
finish 22
