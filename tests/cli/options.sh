# The build options of OpenCL C: each changes what it is there to change.
. "$2/lib.sh"

cat >k.cl <<'END'
kernel void k(global float *o, float a, float b, float c) {
  o[0] = a * b + c;
  o[1] = a / b;
  o[2] = sqrt(a);
  o[3] = a * 0.1;
  o[4] = exp(a);
#ifdef __FAST_RELAXED_MATH__
  o[5] = 55.0f;
#endif
  o[6] = __OPENCL_C_VERSION__;
  int unsigned_and_signed = o[0] < sizeof(o);
  o[7] = unsigned_and_signed + VALUE;
}
END
cat >warns.cl <<'END'
#warning this is one
kernel void k(global int *o) { o[0] = 1; }
END
mkdir include
echo '#define VALUE 7' >include/value.h
ir() {
  check 0 $kiln compile k.cl -b "$backend" --emit ir -o - --options "-DVALUE=1 $*"
}

# What the IR says: flags of float operations, constants, macros.
backend=interp
ir
out_has "fdiv %"
out_has "0.1:f64"
out_has "1.2e+02:f32"
out_lacks "55.0:f32"
ir -cl-mad-enable
out_has "fdiv.contract %"
ir -cl-no-signed-zeros
out_has "fdiv.nsz %"
ir -cl-finite-math-only
out_has "fdiv.nnan.ninf %"
ir -cl-unsafe-math-optimizations
out_has "fdiv.contract.nsz.arcp.reassoc.approx %"
out_lacks "55.0:f32"
ir -cl-fast-relaxed-math
out_has "fdiv.contract.nnan.ninf.nsz.arcp.reassoc.approx %"
out_has "55.0:f32"
ir -cl-single-precision-constant
out_has "0.1:f32"
out_lacks "f64"
ir -cl-std=CL1.1
out_has "1.1e+02:f32"
ir -cl-std=CL2.0
out_has "2e+02:f32"
ir -cl-std=CL3.0
out_has "3e+02:f32"
ir -cl-kernel-arg-info -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp
out_has '%1.a: f32 "float"'
check 1 $kiln compile k.cl -b interp --emit ir -o - --options "-DVALUE -UVALUE"
err_has "use of undeclared identifier 'VALUE'"
sed 's,^kernel,#include "value.h"\n&,' k.cl >includes.cl
check 1 $kiln compile includes.cl -b interp --emit ir -o -
err_has "'value.h' file not found"
check 0 $kiln compile includes.cl -b interp --emit ir -o - --options "-I include"
out_has ", 7:i32"
check 2 $kiln compile k.cl -b interp --options -cl-no-such-option
err_has "-cl-no-such-option"
check 2 $kiln compile k.cl -b interp --options -cl-std=CL4.0
err_has "CL3.0"

# Warnings.
for round in 1 2; do # the second is found in the cache
  check 0 $kiln compile warns.cl -b interp --emit ir -o -
  err_has "warning: this is one [-W#warnings]"
done
check 0 $kiln compile warns.cl -b interp --emit ir -o - --options -w
case $err in *warning*) complain "there is a warning" ;; esac
check 0 $kiln compile warns.cl -b interp --emit ir -o - --options "-Wno-#warnings"
case $err in *warning*) complain "there is a warning" ;; esac
check 1 $kiln compile warns.cl -b interp --emit ir -o - --options "-Werror=#warnings"
err_has "error: this is one [-Werror,-W#warnings]"
check 2 $kiln compile warns.cl -b interp --emit ir -o - --options -Wunused-variabel
err_has "did you mean '-Wunused-variable'?"
check 1 $kiln compile warns.cl -b interp --emit ir -o - --options -Werror
err_has "error: this is one"

# What the code of a GPU and of the CPU shows, where they can be made.
if "$kiln" compile warns.cl -b rocm -a gfx942 --emit s -o - >/dev/null 2>&1; then
  backend=rocm
  assembly() {
    check 0 $kiln compile k.cl -b rocm -a gfx942 --emit s -o - --options "-DVALUE=1 $*"
  }
  assembly
  out_has ".amdhsa_float_denorm_mode_32 3"
  out_lacks ".loc"
  plain=$out
  assembly -cl-denorms-are-zero
  out_has ".amdhsa_float_denorm_mode_32 0"
  assembly -g
  out_has ".loc"
  assembly -cl-fp32-correctly-rounded-divide-sqrt
  [ "$out" != "$plain" ] || complain "the same code"
  assembly -cl-opt-disable
  [ "$(printf '%s' "$out" | wc -l)" -gt "$(printf '%s' "$plain" | wc -l)" ] || complain "no more code than optimised"
  check 0 $kiln compile k.cl -b cpu --emit s -o - --options "-DVALUE=1 -g"
  out_has ".loc"
  check 0 $kiln compile k.cl -b cpu --emit ll -o - --options "-DVALUE=1 -cl-opt-disable"
  check 0 $kiln compile k.cl -b cpu --emit s -o - --options "-DVALUE=1"
  out_lacks ".loc"
else
  checks=$((checks + 8))
fi
finish 31
