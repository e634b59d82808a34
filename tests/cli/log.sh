# COMPILE_LOG and COMPILE_LOG_FILE for a host without a log callback, which the command without -v is.
. "$2/lib.sh"
unset COMPILE_LOG_FILE
printf 'kernel void k(global int *p) { *p = 5; }\n' >k.cl
run="$kiln run k.cl -b interp -g 1 -p 0:i32 zero:i32:1"
check 0 $run
err_empty
check 0 env COMPILE_LOG=info $run
err_has "kiln: info: target: backend interp"
out_is "0: 5"
check 0 env COMPILE_LOG=warning $run
err_empty
check 0 env COMPILE_LOG=info COMPILE_LOG_FILE=log $run
err_empty
check 0 grep -q "kiln: info: target: backend interp" log
check 0 env COMPILE_LOG=info COMPILE_LOG_FILE=log $run # appended
check 0 sh -c '[ "$(grep -c "info: target" log)" = 2 ]'
check 0 sh -c '[ "$(stat -c %a log)" = 600 ]'
ln -s log link
check 0 env COMPILE_LOG_FILE=link $run
err_has "kiln: warning: COMPILE_LOG_FILE 'link' cannot be opened"
mkfifo pipe
check 0 env COMPILE_LOG_FILE=pipe $run
err_has "COMPILE_LOG_FILE 'pipe' cannot be opened"
# A folder and a layer that cannot be used are told once each.
echo no bundle >layer
check 0 env COMPILE_LOG=warning COMPILE_CACHE_DIR=/dev/null/nowhere COMPILE_CACHE_PATH="$work/layer" $run
err_has "kernel cache /dev/null/nowhere: cannot use what is there"
err_has "layer: the bundle cannot be used"
[ "$(printf '%s\n' "$err" | wc -l)" = 2 ] || complain "there are other messages"
check 2 env COMPILE_LOG=loud $run
err_has "COMPILE_LOG is 'loud'"
finish 12
