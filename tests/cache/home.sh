# Variables that name no place for a cache: the log says so, nothing is written there, and kernels run.
#   home.sh KILN FOLDER_OF_CLI_TESTS
. "$2/lib.sh"
printf 'kernel void k(global int *p) { p[get_global_id(0)] = 7; }\n' >k.cl
unset COMPILE_CACHE_DIR XDG_CACHE_HOME
expected=0
# run HOME XDG_CACHE_HOME FOLDER TEXT: the cache is in FOLDER (empty: nowhere), and the log has TEXT (empty: nothing of it).
run() {
  expected=$((expected + 1))
  check 0 env HOME="$1" XDG_CACHE_HOME="$2" "$kiln" run k.cl -v -b interp -g 2 -p 0:i32 zero:i32:2
  out_is "0: 7 7"
  if [ -n "$4" ]; then err_has "cache: $4"; else [ "$(grep -c 'cache: .*HOME' stderr)" = 0 ] || complain "the log speaks of HOME"; fi
  found=$(find . -name '*.kiln' | sed 's,^./,,; s,/[^/]*/[^/]*$,,')
  [ "$found" = "$3" ] || complain "the cache is in '$found', not in '$3'"
  rm -rf "${3:-.cache}" .cache
}
memory="there is no folder, and programs are kept in memory only"
mkdir own xdg
run "$work/own" "" own/.cache/kiln ""
run "$work/own" "$work/xdg" xdg/kiln ""
run own "" "" "HOME 'own' is not an absolute path: $memory"
run . "" "" "HOME '.' is not an absolute path: $memory"
run "$work/own" xdg own/.cache/kiln "XDG_CACHE_HOME 'xdg' is not an absolute path: the folder is $work/own/.cache/kiln"
run own xdg "" "XDG_CACHE_HOME 'xdg' is not an absolute path, and HOME 'own' is not an absolute path: $memory"
check 3 env HOME=own "$kiln" cache stat
err_has "there is no cache folder: HOME 'own' is not an absolute path"
if [ "$(id -u)" = 0 ]; then # who else can give a folder away?
  mkdir theirs
  chown 4242 theirs
  run "$work/theirs" "" "" "HOME '$work/theirs' belongs to another user: $memory"
  run "$work/own" "$work/theirs" own/.cache/kiln "XDG_CACHE_HOME '$work/theirs' belongs to another user: the folder is"
  ln -s theirs link
  run "$work/link" "" "" "HOME '$work/link' belongs to another user: $memory"
  check 0 env HOME="$work/theirs" COMPILE_CACHE=off "$kiln" run k.cl -v -b interp -g 2 -p 0:i32 zero:i32:2
  [ "$(grep -c 'HOME' stderr)" = 0 ] || complain "the cache is off"
  expected=$((expected + 1))
fi
# A folder that is named stays one.
check 0 env HOME=own COMPILE_CACHE_DIR=named "$kiln" run k.cl -v -b interp -g 2 -p 0:i32 zero:i32:2
[ -d named ] || complain "COMPILE_CACHE_DIR may be relative"
finish $((expected + 2))
