# The command on the cpu backend: the same results as interp, its stages, warm starts that load no compiler.
. "$2/lib.sh"
k="$dir/kernels.cl"
"$kiln" backends | grep -q '^cpu .* available ' || exit 77
if ! "$kiln" compile "$k" -b cpu --stats >/dev/null 2>err; then
  grep -q "is not installed" err && exit 77 # built without LLVM
fi

check 0 $kiln run "$k" -k saxpy -g 8 -p 3:f32 i32=8 f32=2.5 iota:f32:8 fill:f32:8:1
out_is "3: 1 3.5 6 8.5 11 13.5 16 18.5"
check 0 $kiln run "$k" -k values -b cpu -g 1 -p 0:f32 zero:f32:6 f32=1,2,3 u8=200,100 bytes:02000000000000bf f16=0.5 u64=0x100000000 f64=0.1
out_is "0: 6 300 1.5 0.5 4.2949673e+09 0.1"
check 0 $kiln run "$k" -k reverse -b cpu -g 8 -l 4 -p 0:i32 iota:i32:8 local:16
out_is "0: 3 2 1 0 7 6 5 4"
check 0 $kiln run "$k" -k ids -b cpu -g 8,4 -p 0:u32:9 zero:u32:32
out_is "0: 200 200 200 200 201 201 201 201 200"
check 0 $kiln run "$k" -k offsets -b cpu -g 3 -l 2 --offset 5 -p 0:u32 zero:u32:3
out_is "0: 5 6 7"
check 0 $kiln run "$k" -k hello -b cpu -g 2 i32=7
out_is "hello 7
hello 7"

# Unset and the explicit default find the same entry.
target=$("$kiln" backends | awk '$1 == "cpu" { print $4 }')
for variables in "COMPILE_X=" "COMPILE_BACKEND=cpu" "COMPILE_ARCH=$target" "COMPILE_BACKEND=cpu COMPILE_ARCH=native"; do
  check 0 env $variables $kiln run "$k" -k hello -g 1 --time i32=7
  out_has "cache hit"
done
check 0 env COMPILE_ARCH=x86-64-v2 $kiln compile "$k" --emit s
out_has ".text"
check 0 env LD_DEBUG=files $kiln run "$k" -k hello -g 1 --time i32=7
out_has "cache hit"
case $err in *libLLVM*) complain "a warm start loads LLVM" ;; esac

# Stages.
check 0 $kiln compile "$k" -b cpu --emit ll
out_has "target triple"
check 0 $kiln compile "$k" -b cpu -a znver4 --emit s
out_has "saxpy"
check 0 $kiln compile "$k" -b cpu -a aarch64 --emit s
out_has "ret"
check 0 $kiln compile "$k" -b cpu --emit o
check 0 test -s kernels.o
check 0 $kiln compile "$k" -b cpu
check 0 test -s kernels.so
check 0 $kiln compile "$k" -b cpu --stats --json
out_has '"code_bytes": '
check 2 $kiln compile "$k" -b cpu --emit cl
err_has "no stage 'cl'; its stages are: ir, arranged, plan, ll, s, o, bin"
check 2 $kiln run "$k" -b cpu -a znver9 -g 1
err_has "znver3"
check 2 env COMPILE_ARCH=znver9 $kiln run "$k" -g 1
err_has "COMPILE_ARCH: "
err_has "backend 'cpu' was chosen because none is named"
check 0 env COMPILE_DUMP_DIR=dump $kiln compile "$k" -b cpu --stats
for extension in kir ll s o so; do
  check 0 sh -c "test -s dump/kernels-cpu-*.$extension"
done

# A long chain of vector arithmetic: the four registers of a value take turns, rather than one chain behind the other.
cat >chain.cl <<'END'
kernel void chain(global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = 1 / (1 + exp(1 / log(1 + exp(1 / log(x[i])))));
}
END
check 0 $kiln compile chain.cl -b cpu -a x86-64-v3 --emit s -o chain.s
check 0 awk '/vdivps/ { last = NR; if (++n == 1) first = NR; if (n == 4) exit } END { exit !(n == 4 && last - first < 20) }' chain.s

# Versions that a launch does not run are no work of those that it runs, for which loads would be prefetched.
cat >bitonic.cl <<'END'
kernel void bitonic(global uint *x, uint j, uint k) {
  uint t = get_global_id(0), i = t % j + t / j * (2 * j), a = x[i], b = x[i + j];
  uint low = min(a, b), high = max(a, b), down = (t / k) % 2;
  x[i] = down ? high : low;
  x[i + j] = down ? low : high;
}
END
check 0 $kiln compile bitonic.cl -b cpu -a x86-64-v3 --emit s -o bitonic.s
check 1 grep prefetch bitonic.s

# Sums of two products of bfloat16 values where the build permits another rounding and the processor gains by it: one in
# the loop, and a single product in its remainder. The factor that work-items share is loaded as a pair.
cat >products.cl <<'END'
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void products(global float *o, global const ushort *a, global const ushort *b, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += intel_convert_as_bfloat16_float(a[k]) * intel_convert_as_bfloat16_float(b[k * 32 + get_global_id(0)]);
  o[get_global_id(0)] = sum;
}
END
check 0 $kiln compile products.cl -b cpu -a znver4 --options -cl-mad-enable --emit s -o products.s
check 0 awk '/vdpbf16ps/ { pairs++ } /vfmadd/ { single++ } END { exit !(pairs && pairs == single) }' products.s
check 0 grep -q 'vbroadcastss.*,2), %zmm\|vdpbf16ps.*1to16' products.s
check 0 $kiln compile products.cl -b cpu -a znver4 --emit s -o products.s
check 1 grep vdpbf16ps products.s
check 0 $kiln compile products.cl -b cpu -a sapphirerapids --options -cl-mad-enable --emit s -o products.s
check 1 grep vdpbf16ps products.s

# What calls fma is rounded as it says.
sed 's/sum += \(.*\) \* \(intel.*\);/sum = fma(\1, \2, sum);/' products.cl >fused.cl
check 0 grep -q 'sum = fma(.*, sum);' fused.cl
check 0 $kiln compile fused.cl -b cpu -a znver4 --options -cl-mad-enable --emit s -o fused.s
check 1 grep vdpbf16ps fused.s

# Words of two halves from two vectors are two unpacking instructions for each.
cat >words.cl <<'END'
__attribute__((noinline)) ulong4 join(const uint4 *l, const uint4 *h) {
  return (ulong4)(as_ulong((uint2)(l->x, h->x)), as_ulong((uint2)(l->y, h->y)), as_ulong((uint2)(l->z, h->z)),
                  as_ulong((uint2)(l->w, h->w)));
}
kernel void words(global const uint4 *low, global const uint4 *high, global ulong4 *o) {
  uint4 l = *low, h = *high;
  *o = join(&l, &h);
}
END
check 0 $kiln compile words.cl -b cpu -a x86-64-v3 --emit s -o words.s
check 0 awk '
  /^join/ { in_join = 1 }
  in_join && /unpck/ { n++ }
  in_join && /shuf|blend|dup|broadcast/ { n += 9 }
  in_join && /ret/ { exit }
  END { exit n != 2 }' words.s

# One work-item at a time, a member of a record that was stored as a byte is loaded after that.
members=$dir/../exec/vectorisation/member_stored_as_bytes.cl
check 0 $kiln run $members -b cpu -g 8 -p 1:u32 iota:i64:24 zero:u32:8 --options --kiln-lanes=1
out_is "1: 65 76 79 74 85 80 83 94"

# A fault in a kernel is told; without that it ends the command.
cat >wild.cl <<'END'
kernel void wild(global int *x, ulong at) {
  x[0] = 1;
  *(global int *)at = x[0];
}
END
wild="$kiln run wild.cl -b cpu -g 1 --options -g zero:i32:4"
check 1 $wild u64=16
err_has "kiln: kernel 'wild': SIGSEGV: no memory is mapped at 0x10, at wild.cl:3 (global id 0)"
err_has "kiln: -b interp checks every access, and names its line"
check 1 $kiln run wild.cl -b cpu -g 1 zero:i32:4 u64=16
err_has "at an unknown line (-g tells it)"
check 1 env COMPILE_FAULTS=report $wild u64=16
err_has "kernel 'wild': SIGSEGV"
check 2 env COMPILE_FAULTS=on $wild u64=16
err_has "COMPILE_FAULTS is 'on'; it must be off or report"

# Sets of formats are recorded here for one kernel alone, and warmed for other backends, which have no such code.
cat >two.cl <<'END'
kernel void negative(read_only image2d_t in, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, p, 1 - read_imagef(in, p));
}
kernel void other(global int *x) { x[0] = 1; }
END
negative="$kiln run two.cl -k negative -b cpu -g 2,1 -p 1:u8 image:r:unorm8:2x1:0,200 image:r:unorm8:2x1"
check 0 env COMPILE_RECORD=two.manifest $negative
out_is "1: 255 55"
check 0 grep -c "kiln-kernel=negative" two.manifest
out_is 1
check 0 $kiln warm two.manifest -b interp,opencl -a generic,text --export two.bundle
out_has ", 0 failed"
check 0 $kiln warm two.manifest -b cpu --export two.bundle
check 0 env COMPILE_CACHE=require COMPILE_CACHE_DIR=nowhere COMPILE_CACHE_PATH=two.bundle $negative
out_is "1: 255 55"
finish 55
