# kiln run: every ARG form, outputs, times, errors.
. "$2/lib.sh"
k="$dir/kernels.cl"
saxpy="$kiln run $k -k saxpy -b interp"

# Forms of buffers and values.
check 0 $saxpy -g 8 -p 3:f32 i32=8 f32=2.5 iota:f32:8 fill:f32:8:1
out_is "3: 1 3.5 6 8.5 11 13.5 16 18.5"
err_empty
check 0 $saxpy -g 4 -p 2:f32:2 -p 3:f32 i32=4 f32=1 list:f32:0.1,-1e30,nan,inf zero:f32:4
out_is "2: 0.1 -1e+30
3: 0.1 -1e+30 nan inf"
check 0 $saxpy -g 4 -p 3:f32 i32=4 f32=1 iota:f32:4 same:2
out_is "3: 0 2 4 6"
check 0 $saxpy -g 2 -p 2:f64:3 -p 2:u8:2 -p 2:i16 i32=0 f32=1 rand:f64:3:7:-1:1 zero:f32:2
out_has "2: "
check 0 $saxpy -g 2 -p 2:i8 i32=0 f32=1 rand:i8:6:3:-2:2 zero:f32:2
out_is "2: 1 -1 2 0 -1 -2"
check 0 $saxpy -g 2 -p 2:f16 -p 2:u16 i32=0 f32=1 list:f16:1,-0.5,65504,1e-7,70000,nan zero:f32:2
out_is "2: 1 -0.5 65504 1.1921e-07 inf nan
2: 15360 47104 31743 2 31744 32256"
check 0 $saxpy -g 2 -p 2:f16 -p 3:f16 i32=0 f32=1 list:f16:0,-0,3e-8 iota:f16:2
out_is "2: 0 -0 5.9605e-08
3: 0 1"
check 0 $saxpy -g 2 -p 2:u64 -p 2:i64 i32=0 f32=1 list:i64:-1,0x10,-9223372036854775808 zero:f32:2
out_is "2: 18446744073709551615 16 9223372036854775808
2: -1 16 -9223372036854775808"
check 0 $saxpy -g 2 i32=0 f32=1 null null
out_is ""
printf '\000\000\200\077\000\000\000\100' >two.bin
check 0 $saxpy -g 2 -o 3:out.bin -p 3:f32 i32=2 f32=1 buf:two.bin buf:two.bin
out_is "3: 2 4"
check 0 od -An -tx1 out.bin
out_is " 00 00 00 40 00 00 80 40"
check 0 $kiln run $k -k values -b interp -g 1 -p 0:f32 zero:f32:6 f32=1,2,3 u8=200,100 bytes:02000000000000bf f16=0.5 u64=0x100000000 f64=0.1
out_is "0: 6 300 1.5 0.5 4.2949673e+09 0.1"
check 0 $kiln run $k -k reverse -b interp -g 8 -l 4 -p 0:i32 iota:i32:8 local:16
out_is "0: 3 2 1 0 7 6 5 4"
check 0 $kiln run $k -k ids -b interp -g 8,4 -p 0:u32:9 zero:u32:32
out_is "0: 200 200 200 200 201 201 201 201 200"
check 0 $kiln run $k -k offsets -b interp -g 3 -l 2 --offset 5 -p 0:u32 zero:u32:3
out_is "0: 5 6 7"
check 0 $kiln run $k -k hello -b interp -g 2 i32=7
out_is "hello 7
hello 7"
check 0 $kiln run "$dir/saxpy.kir" -b interp -g 8 -p 3:f32 i32=8 f32=2.5 iota:f32:8 fill:f32:8:1
out_is "3: 1 3.5 6 8.5 11 13.5 16 18.5"
check 0 $kiln run - -b interp -g 1 -p 0:i32 -D N=3 '-DM(x)=x*x' --options -cl-mad-enable zero:i32:1 <<END
kernel void k(global int *p) { *p = M(N); }
END
out_is "0: 9"
mkdir inc
echo '#define V 42' >inc/v.h
printf '#include "v.h"\nkernel void k(global int *p) { *p = V; }\n' >include.cl
check 0 $kiln run include.cl -b interp -I inc -g 1 -p 0:i32 zero:i32:1
out_is "0: 42"
echo '#define V 43' >inc/v.h
check 0 $kiln run include.cl -b interp -I inc -g 1 -p 0:i32 zero:i32:1
out_is "0: 43"

# Times, and the cache.
check 0 $saxpy -g 8 --time --repeat 3 i32=8 f32=2.5 iota:f32:8 fill:f32:8:1
out_has "compile_ms "
out_has "load_ms "
out_has "cache hit"
out_has "launch_us "
check 0 $saxpy -g 8 -D OTHER --time i32=8 f32=2.5 iota:f32:8 fill:f32:8:1
out_has "cache miss"
check 0 env COMPILE_CACHE=off $saxpy -g 8 --time i32=8 f32=2.5 iota:f32:8 fill:f32:8:1
out_has "cache off"
check 0 $saxpy -g 8 --json -p 3:f32:2 -p 2:f32:1 i32=8 f32=2.5 list:f32:nan,1,2,3,4,5,6,7 fill:f32:8:1
out_has '"backend": "interp"'
out_has '"values": ["nan", 3.5]'
out_has '"cache": "hit"'
check 0 $kiln run $k -k hello -b interp -g 1 --json i32=7
out_has '"printed": "hello 7\n"'

# Wrong use: 2, and the word that is wrong is named.
check 2 $kiln run
err_has "FILE is missing"
check 2 $saxpy i32=8
err_has "-g GX"
check 2 $saxpy -g 0 i32=8
err_has "'0'"
check 2 $saxpy -g 1,2,3,4
err_has "more than three"
check 2 $saxpy -g 99999999999999999999
err_has "99999999999999999999"
check 2 $saxpy -g 1 --nope
err_has "--nope"
check 2 $saxpy -g 1 -z
err_has "-z"
check 2 $saxpy -g 8 i32=x f32=1 null null
err_has "argument 0 ('i32=x'): 'x' is not a number of type i32"
check 2 $saxpy -g 8 i32=3000000000 f32=1 null null
err_has "3000000000"
check 2 $saxpy -g 8 u8=-1 f32=1 null null
err_has "'-1' is not a number of type u8"
check 2 $saxpy -g 8 i33=1 f32=1 null null
err_has "'i33' is not a type; types are i8 u8"
check 2 $saxpy -g 8 i32=1 f32=1 zero:f32 null
err_has "argument 2 ('zero:f32'): the number of elements is missing"
check 2 $saxpy -g 8 i32=1 f32=1 zero:f32:0 null
err_has "1 or more"
check 2 $saxpy -g 8 i32=1 f32=1 zero:f32:8:9 null
err_has "left over: '9'"
check 2 $saxpy -g 8 i32=1 f32=1 zero:f32:99999999999999 null
err_has "too many"
check 2 $saxpy -g 8 i32=1 f32=1 fill:f32:2 null
err_has "the value is missing"
check 2 $saxpy -g 8 i32=1 f32=1 list:f32 null
err_has "the values are missing"
check 2 $saxpy -g 8 i32=1 f32=1 list:f32:1,,2 null
err_has "'' is not a number"
check 2 $saxpy -g 8 i32=1 f32=1 rand:f32:2:x null
err_has "'x' is not a seed"
check 2 $saxpy -g 8 i32=1 f32=1 rand:f32:2:1:5 null
err_has "both bounds"
check 2 $saxpy -g 8 i32=1 f32=1 rand:f32:2:1:5:4 null
err_has "'5:4'"
check 2 $saxpy -g 8 bytes:abc f32=1 null null
err_has "even number"
check 2 $saxpy -g 8 bytes:xx f32=1 null null
err_has "'xx'"
check 2 $saxpy -g 8 f32=1,2,3,4,5 f32=1 null null
err_has "5 components"
check 2 $saxpy -g 8 i32=1 f32=1 null same:9
err_has "argument 3 ('same:9')"
check 2 $saxpy -g 8 i32=1 f32=1 null local:0
err_has "'0' is not a number of bytes"
check 2 $saxpy -g 8 i32=1 f32=1 foo null
err_has "argument 2 ('foo'): unknown form"
check 2 $saxpy -g 8 -p 0:i32 i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "-p 0: argument 0 is not a buffer"
check 2 $saxpy -g 8 -p 9:i32 i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "-p 9"
check 2 $saxpy -g 8 -p 3:f32:9 i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "8 elements of type f32, not 9"
check 2 $saxpy -g 8 -p 3 i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "IDX:TYPE"
check 2 $saxpy -g 8 -o 3: i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "the file is missing"
check 2 $kiln run $k -b nope -g 1
err_has "there is no backend 'nope'; there are: "
check 2 $kiln run $k -b interp -a nope -g 1
err_has "'nope'"
check 2 env COMPILE_BACKEND=nope $kiln run $k -g 1
err_has "COMPILE_BACKEND: there is no backend 'nope'"
check 2 $kiln run $k -b interp -g 1 --options -cl-nope
err_has "unknown build option '-cl-nope'"

# Wrong kernels and data: 1.
check 1 $kiln run nowhere.cl -b interp -g 1
err_has "cannot read 'nowhere.cl': No such file"
check 1 $kiln run "$work" -b interp -g 1
err_has "cannot read"
check 1 $saxpy -g 1 i32=8 f32=1 buf:nowhere zero:f32:8
err_has "nowhere"
check 1 $kiln run $k -b interp -g 1
err_has "has 6 kernels, so one must be named: saxpy, values"
check 1 $kiln run $k -k nope -b interp -g 1
err_has "no kernel 'nope'; it has: saxpy"
check 1 $saxpy -g 8 i32=8 f32=1 zero:f32:8
err_has "kernel 'saxpy' takes 4 arguments, 3 given"
err_has "2: float* x"
check 1 $saxpy -g 8 bytes:0800000000000000 f32=1 zero:f32:8 zero:f32:8
err_has "argument 0 ('n'): expected 4 bytes for 'int', got 8"
check 1 $saxpy -g 8 zero:i32:1 f32=1 zero:f32:8 zero:f32:8
err_has "argument 0 ('n'): expected a value for 'int', got a buffer"
check 1 $saxpy -g 8 i32=8 f32=1 zero:f32:8 local:8
err_has "argument 3 ('y')"
check 1 $saxpy -g 8 -l 8,2 i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "local size is 2 in dimension 1"
check 1 $saxpy -g 9 i32=9 f32=1 zero:f32:8 zero:f32:9
err_has "saxpy"
printf 'kernel void k(global int *p) {\n  *p = x;\n  y = 1;\n}\n' >bad.cl
check 1 $kiln run bad.cl -b interp -g 1 zero:i32:1
err_has "bad.cl:2:8: error: "
err_has "bad.cl:3:3: error: "
out_is ""

# The environment: 3.
check 3 env COMPILE_CACHE=require $kiln run $k -DNEW -k hello -b interp -g 1 i32=1
err_has "COMPILE_CACHE=require"
check 3 $saxpy -g 8 -o 3:/nowhere/x i32=8 f32=1 zero:f32:8 zero:f32:8
err_has "cannot write '/nowhere/x'"
check 0 $kiln run --help
out_has "rand:TYPE:N"

# A value is converted to the type of its parameter, or refused with the range.
cat >types.cl <<'END'
kernel void f(float a, ushort3 b, ulong c, global float *o, global ulong *p) {
  o[0] = a;
  o[1] = b.z;
  p[0] = c;
}
END
types="$kiln run types.cl -b interp -g 1 -p 3:f32 -p 4:u64"
check 0 $types i32=2 f64=1,2,65535 i64=-1 zero:f32:2 zero:u64:1
out_is "3: 2 65535
4: 18446744073709551615"
check 0 $types f64=0.1 u8=1,2,3 f32=3 zero:f32:2 zero:u64:1
out_is "3: 0.1 3
4: 3"
check 1 $types f64=1e39 u8=1,2,3 u64=3 zero:f32:2 zero:u64:1
err_has "argument 0 ('f64=1e39'): 'a' is of type float and cannot be 1e+39; it holds numbers from -3.40282347e+38 to"
check 1 $types f32=1 i32=1,2,-1 u64=3 zero:f32:2 zero:u64:1
err_has "'b' is of type ushort3 and cannot be -1; it holds whole numbers from 0 to 65535"
check 1 $types f32=1 i32=1,2 u64=3 zero:f32:2 zero:u64:1
err_has "2 components given, but 'b' is of type ushort3"
check 1 $types f32=1 u16=1,2,3 f32=0.5 zero:f32:2 zero:u64:1
err_has "'c' is of type ulong and cannot be 0.5"
check 1 $types f32=1 u16=1,2,3 i32=-1 zero:f32:2 zero:u64:1
err_has "'c' is of type ulong and cannot be -1"
check 2 $types f32=1 u16=1,2,3 i8=128 zero:f32:2 zero:u64:1
err_has "'128' is not a number of type i8, which holds whole numbers from -128 to 127"

# A kernel that never ends.
cat >never.cl <<'END'
kernel void never(global volatile int *go) {
  while (go[0]) ;
  go[1] = 5;
}
END
check 1 $kiln run never.cl -b interp -g 2 --deadline 0.05 list:i32:1,0
err_has "kernel 'never' ran longer than its deadline of 50 ms, and was stopped"
check 0 $kiln run never.cl -b interp -g 2 --deadline 50 -p 0:i32 list:i32:0,0
out_is "0: 0 5"
check 2 $kiln run never.cl -b interp -g 2 --deadline 0 list:i32:1,0
err_has "--deadline: '0' is not a number of seconds from 0.001 to 1000000"
finish 87
