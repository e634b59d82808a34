# kiln backends, devices, targets, env, and the command itself.
. "$2/lib.sh"

check 0 $kiln backends --all
out_has "interp"
err_empty
check 0 $kiln backends
out_lacks "interp"
check 0 $kiln backends --all --json
out_has '"name": "interp"'
check 0 $kiln devices -b interp
out_has "interp:0"
check 0 $kiln devices --all --json
out_has '"backend": "interp"'
check 2 $kiln devices -b nope
err_has "there is no backend 'nope'"
check 0 $kiln targets -b interp
out_has "generic"
check 0 $kiln targets -b interp --json
out_has '"name": "generic"'
check 2 $kiln targets
err_has "-b BACKEND is missing"
check 2 $kiln targets -b nope --json
out_is ""
err_has "there is no backend 'nope'"
check 0 env COMPILE_ARCH=here $kiln env
out_has "COMPILE_ARCH=here"
out_has "COMPILE_CACHE_MAX_SIZE"
check 0 $kiln env --json
out_has '"name": "COMPILE_CACHE"'
# Passwords are not shown.
check 0 env COMPILE_CACHE_REMOTE="redis://me:secret@host:1/2 https://secret@other|ro" $kiln env
out_has "COMPILE_CACHE_REMOTE=redis://***@host:1/2 https://***@other|ro"
out_lacks "secret"
check 0 env COMPILE_CACHE_REMOTE="redis://:secret" COMPILE_CACHE_DIR=/home/me@there $kiln env --json
out_has "redis://:***"
out_has "/home/me@there"
out_lacks "secret"
check 2 $kiln cache push redis://:secret
err_has "'redis://:***' is no place"
check 2 $kiln cache push redis://host redis://me:secret@host
err_has "'redis://***@host' is left over"
check 2 $kiln cache push "redis://host|password=secret"
err_has "there is no attribute 'password'"
err_lacks "secret"
check 2 $kiln env extra
err_has "'extra'"
check 2 $kiln
err_has "usage: kiln VERB"
check 2 $kiln nope
err_has "there is no verb 'nope'"
check 0 $kiln --version
out_has "kiln "
check 0 $kiln --help
out_has "conformance"
check 2 $kiln conformance
err_has "which backend?"
for verb in run compile backends devices targets env cache warm conformance bench; do
  check 0 $kiln $verb --help
  out_has "usage: kiln $verb"
  check 0 $kiln help $verb
  out_has "usage: kiln $verb"
done
check 3 sh -c "$kiln env >/dev/full"
# Without a device conformance says what can be checked all the same.
if [ ! -e /dev/kfd ]; then
  check 3 $kiln conformance -b rocm
  err_has "With -a ARCH what needs no device is checked; 'kiln targets -b rocm' lists archs."
else
  checks=$((checks + 1))
fi
finish 45
