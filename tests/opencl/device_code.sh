# The driver's binary is kept with the text, and a second start builds nothing. Skipped without an OpenCL device.
. "$2/../cli/lib.sh"
cat >k.cl <<'K'
kernel void k(global int *p) { p[get_global_id(0)] += 5; }
K
run() { check 0 "$@" $kiln run k.cl -b opencl -g 4 -p 0:i32 iota:i32:4 && out_is "0: 5 6 7 8"; }
export COMPILE_LOG=info
$kiln run k.cl -b opencl -g 4 iota:i32:4 >/dev/null 2>"$work/first" || { cat "$work/first"; exit 77; }
grep -q "compiled 'k.cl'" first || complain "the first start compiles"
run env
err_has "cache hit"
err_lacks "device code:"
check 0 $kiln cache show "$($kiln cache list | cut -c1-32)"
out_has "device code"
out_has ", driver "
check 0 $kiln compile k.cl -b opencl -o -
out_has "kernel void k("
check 0 $kiln compile k.cl -b opencl --emit bin -o k.bin
[ -s k.bin ] && ! grep -q "kernel void k(" k.bin || complain "bin is the driver's binary"
finish 4
