# Folders that cannot be used: results right, at most one line in the log, no failure.
#   failures.sh KILN FOLDER_OF_CLI_TESTS
. "$2/lib.sh"
printf 'kernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >k.cl
n=0
expected=0

# run WHAT FOLDER LINES: with another kernel each time, so that there is always something to store.
run() {
  n=$((n + 1))
  expected=$((expected + 3))
  check 0 env COMPILE_CACHE_DIR="$2" "$kiln" run k.cl -v -b interp -DN=$n -g 2 -p 0:i32 zero:i32:2
  out_is "0: $n $n"
  lines=$(grep -c 'warning: cache:' stderr)
  [ "$lines" = "$3" ] || complain "$1: $lines lines in the log instead of $3"
  check 0 env COMPILE_CACHE_DIR="$2" "$kiln" run k.cl -b interp -DN=$n -g 2 -p 0:i32 zero:i32:2
  out_is "0: $n $n"
  err_empty
  check 0 "$kiln" cache stat --dir "$work/good"
}

run "a good folder" "$work/good" 0
touch file
run "a file in its place" "$work/file" 1
run "below a file" "$work/file/cache" 1
run "a folder that takes none" /proc/kiln 1
run "below a device" /dev/null/x 1
mkdir others && chmod 777 others
run "others can write to it" "$work/others" 1
ln -s nowhere link
run "a link to nowhere" "$work/link/x" 1
mkdir gone
run "a deep new folder" "$work/gone/a/b/c" 0
rm -rf gone
run "it has been removed" "$work/gone/a/b/c" 0
long=$(head -c 5000 /dev/zero | tr '\0' x)
run "a name that is too long" "$work/$long" 1
mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=4k,mode=700 none full 2>/dev/null; then
  head -c 4096 /dev/zero >full/filler
  run "a full disk" "$work/full" 1
  mount -o remount,ro full && run "a read-only file system" "$work/full" 1
  umount full
fi
if [ "$(id -u)" != 0 ]; then
  mkdir locked && chmod 500 locked
  run "a folder without permission" "$work/locked" 1
  chmod 700 locked
fi
# Without any variable that tells of a folder.
check 0 env -u COMPILE_CACHE_DIR -u HOME -u XDG_CACHE_HOME "$kiln" run k.cl -b interp -DN=5 -g 1 -p 0:i32 zero:i32:1
out_is "0: 5"
finish $((expected + 1))
