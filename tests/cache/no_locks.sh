# Without locks a folder is kept below its limit all the same, and the log says why, once per process.
#   no_locks.sh KILN FOLDER_OF_CLI_TESTS PRELOADED
. "$2/lib.sh"
printf 'kernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >k.cl
export COMPILE_CACHE_MAX_SIZE=160K
without_locks() { env LD_PRELOAD="$preload" NO_LOCKS="$error" "$@"; }
preload=$3
for error in 37 38 95; do # ENOLCK, ENOSYS, EOPNOTSUPP
  rm -rf cache
  for n in $(seq 50); do
    check 0 without_locks "$kiln" run k.cl -v -b interp -DN="$n" -g 2 -p 0:i32 zero:i32:2
    out_is "0: $n $n"
    lines=$(grep -c 'its file system has no locks' stderr)
    [ "$lines" = 1 ] || complain "$lines lines in the log say that there are no locks"
  done
  bytes=$(find cache -name '*.kiln' -printf '%s\n' | awk '{ sum += int(($1 + 4095) / 4096) * 4096 } END { print sum }')
  [ "$bytes" -gt 40000 ] && [ "$bytes" -le 163840 ] || complain "the folder has $bytes bytes"
  check 0 without_locks "$kiln" cache prune --max-size 40K
  bytes=$(find cache -name '*.kiln' -printf '%s\n' | awk '{ sum += int(($1 + 4095) / 4096) * 4096 } END { print sum }')
  [ "$bytes" -le 40960 ] || complain "after prune the folder has $bytes bytes"
done
# With locks nothing is said.
check 0 "$kiln" run k.cl -v -b interp -DN=99 -g 2 -p 0:i32 zero:i32:2
[ "$(grep -c 'no locks' stderr)" = 0 ] || complain "there are locks"
finish 154
