# kiln compile: stages, files, statistics, errors.
. "$2/lib.sh"
k="$dir/kernels.cl"

check 0 $kiln compile "$k" -b interp --emit ir
out_has "kernel @saxpy("
err_empty
cp stdout all.kir
check 0 $kiln compile all.kir -b interp --emit ir
out_has "kernel @saxpy("
check 0 $kiln run all.kir -k saxpy -b interp -g 2 -p 3:f32 i32=2 f32=2 list:f32:1,2 zero:f32:2
out_is "3: 2 4"
printf 'kernel void f(global float *x) { *x = pow(*x, 2.0f) + pow(x[1], 3.0f); }\n' >power.cl
check 0 $kiln compile power.cl -b interp --emit ir -o -
out_has "= fmul"
out_lacks "= pow"
check 0 $kiln compile "$k" -b interp --emit ir -o out.kir
out_is ""
check 0 cmp out.kir all.kir
check 0 $kiln compile "$k" -b interp
out_is ""
check 0 test -s kernels.kir
check 0 $kiln compile "$k" -b interp -o whole.bin
check 0 cmp whole.bin kernels.kir
check 0 $kiln compile "$k" -b interp --stats
out_has "kernel saxpy"
out_has "argument 2: float* x, buffer, 8 bytes, align 4, access read"
out_has "argument 3: float* y, buffer, 8 bytes, align 4, access read_write"
out_has "required group size: 4 2 1"
out_has "argument 1: int* tile, local"
out_has "argument 1: float3 v, value, 16 bytes, align 16"
check 0 $kiln compile "$k" -k ids -b interp --stats --json
out_has '"required_group_size": [4, 2, 1]'
out_has '"access": "write"'
out_lacks '"name": "saxpy"'

check 2 $kiln compile
err_has "FILE is missing"
check 2 $kiln compile "$k" other.cl
err_has "'other.cl' is left over"
check 2 $kiln compile "$k" -b interp --emit zz
err_has "no stage 'zz'; its stages are: ir, "
check 1 $kiln compile "$k" -b interp -k nope
err_has "no kernel 'nope'"
check 1 $kiln compile nowhere.cl -b interp
err_has "nowhere.cl"
check 3 $kiln compile "$k" -b interp -o /nowhere/out
err_has "cannot write '/nowhere/out'"
printf 'kernel void k( {}\n' >bad.cl
check 1 $kiln compile bad.cl -b interp --emit ir
err_has "bad.cl:1:"
out_is ""
head -c 200000 /dev/urandom >noise.cl
check 1 $kiln compile noise.cl -b interp --emit ir
check 1 $kiln compile noise.cl -b interp --options -w
cp noise.cl noise.kir
check 1 $kiln compile noise.kir -b interp --emit ir
: >empty.cl
check 0 $kiln compile empty.cl -b interp --stats
check 0 env COMPILE_DUMP_DIR=dump $kiln compile "$k" -b interp --stats
check 0 sh -c 'test -s dump/kernels-interp-*.kir'
check 0 env COMPILE_DEBUG=1 $kiln compile "$k" -b interp --stats -v
err_has "IR after "
mkfifo pipe.h
for header in /dev/zero pipe.h; do # need not end
  echo "#include \"$header\"" >includes.cl
  check 1 timeout 10 $kiln compile includes.cl -b interp
  err_has "'$header' file cannot be read"
done
finish 28
