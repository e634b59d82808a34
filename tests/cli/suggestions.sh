# A misspelt verb or option is refused with the one that was probably meant; one that resembles nothing, without.
. "$2/lib.sh"
echo 'kernel void k(global int *o) { o[0] = 1; }' >k.cl

check 2 $kiln compil k.cl
err_has "there is no verb 'compil'; did you mean 'compile'?"
check 2 $kiln help runn
err_has "did you mean 'run'?"
check 2 $kiln xyzzy
err_lacks "did you mean"
check 2 $kiln cache lst
err_has "there is no verb 'lst'; did you mean 'list'?"

check 2 $kiln compile --emitt ir k.cl
err_has "option '--emitt' is unknown; did you mean '--emit'?"
check 2 $kiln run --optoins=-g k.cl
err_has "option '--optoins' is unknown; did you mean '--options'?"
check 2 $kiln compile -v -json k.cl
err_has "option '-json' is unknown; did you mean '--json'?"
check 2 $kiln env --all
err_has "option '--all' is unknown"
err_lacks "did you mean"
check 2 $kiln compile k.cl --emit
err_has "option '--emit' needs a value"
check 2 $kiln compile k.cl --json=3
err_has "option '--json' takes no value"

option() {
  check 2 $kiln compile k.cl -o - --emit ir -b cpu --options "$1"
}
option -cl-fast-relaxed-mth
err_has "unknown build option '-cl-fast-relaxed-mth'; did you mean '-cl-fast-relaxed-math'?"
option -cl-st=CL2.0
err_has "did you mean '-cl-std='?"
option -Werrr
err_has "did you mean '-Werror'?"
option --kiln-lane=4
err_has "unknown build option '--kiln-lane=4'; backend 'cpu' has --kiln-lanes"
err_has "did you mean '--kiln-lanes'?"
option --kiln-xyzzy
err_lacks "did you mean"
option -h
err_lacks "did you mean"
finish 16
