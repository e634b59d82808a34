# For the scripts beside this one: NAME.sh KILN FOLDER.
# check STATUS COMMAND…: runs a command, which must end with STATUS; $out and $err hold what it wrote.
# out_is TEXT, out_has TEXT, out_lacks TEXT, err_has TEXT, err_lacks TEXT, err_empty: about the last one.
kiln=$1
dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COMPILE_BACKEND COMPILE_ARCH COMPILE_CACHE_PATH COMPILE_CACHE COMPILE_CACHE_MAX_SIZE COMPILE_DUMP_DIR \
  COMPILE_OVERRIDE_DIR COMPILE_DEBUG COMPILE_LOG COMPILE_LOG_FILE COMPILE_RECORD COMPILE_TRACE COMPILE_PLUGIN_PATH COMPILE_NUM_THREADS COMPILE_FAULTS COMPILE_ISOLATE \
  COMPILE_TRUST COMPILE_CACHE_REMOTE COMPILE_CACHE_KEY COMPILE_TUNE
export COMPILE_CACHE_DIR="$work/cache"
checks=0
failures=0

complain() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n  %s\n' "$last" "$1"
  printf '  stdout: %s\n  stderr: %s\n' "$out" "$err"
}
check() {
  want=$1
  shift
  last=$*
  checks=$((checks + 1))
  "$@" >"$work/stdout" 2>"$work/stderr"
  got=$?
  out=$(tr -d '\000' <"$work/stdout")
  err=$(cat "$work/stderr")
  [ "$got" = "$want" ] || complain "exit status $got instead of $want"
}
out_is() {
  [ "$out" = "$1" ] || complain "output is not: $1"
}
out_has() {
  case $out in *"$1"*) ;; *) complain "output does not hold: $1" ;; esac
}
out_lacks() {
  case $out in *"$1"*) complain "output holds: $1" ;; esac
}
err_has() {
  case $err in *"$1"*) ;; *) complain "standard error does not hold: $1" ;; esac
}
err_lacks() {
  case $err in *"$1"*) complain "standard error holds: $1" ;; esac
}
err_empty() {
  [ -z "$err" ] || complain "standard error is not empty"
}
# copy_library FOLDER: libkiln as on a machine with no other installation of Kiln. Modules lie beside it or nowhere: the
# folder for modules of installed libraries (KILN_MODULE_DIR, which ctest sets) gets a name that no folder has.
copy_library() {
  mkdir -p "$1"
  cp "${kiln%/*}/lib/libkiln.so.0" "$1"
  [ -z "${KILN_MODULE_DIR:-}" ] ||
    LC_ALL=C sed -i "s|$KILN_MODULE_DIR|$(echo "$KILN_MODULE_DIR" | sed 's|[^/]|_|g')|g" "$1/libkiln.so.0"
}
# At the end: how many checks there must have been, so that none is lost.
finish() {
  [ "$checks" = "$1" ] || { echo "FAILED: $checks checks instead of $1"; exit 1; }
  [ "$failures" = 0 ]
}
