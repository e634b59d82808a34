#!/bin/bash
# "kiln run FILE -b BACKEND ARGUMENT..." on another machine: compiles with this one's kiln for AArch64 into a cache, and
# runs with a kiln for AArch64, which has no compiler, under qemu-user, with that cache as a read-only layer.
#   KILN_HOST: the kiln of this machine   KILN_CROSS: the other   KILN_WORK: a folder   KILN_ARCH: the target
set -u
[ "$1" = run ] || exit 2
[ "$4" = cpu ] || exec "$KILN_HOST" "$@" # what results are compared with
file=$2
options=()
for ((i = 3; i <= $#; i++)); do
  case ${!i} in
  -D | -I | --options)
    next=$((i + 1))
    options+=("${!i}" "${!next}")
    ;;
  -D* | -I* | --options=*) options+=("${!i}") ;;
  esac
done
cache=$(mktemp -d "$KILN_WORK/cache.XXXXXX")
trap 'rm -rf "$cache"' EXIT
compile() {
  COMPILE_CACHE=rw COMPILE_CACHE_DIR=$cache "$KILN_HOST" compile "$file" -b cpu -a "$KILN_ARCH" "${options[@]}" "$@" \
    -o "$cache/code.so" >/dev/null
}
compile || exit $?
shift 4
# Not by QEMU_LD_PREFIX, which also takes "/" for that folder: Kiln enters the folders of a cache one by one.
libraries=/usr/aarch64-linux-gnu/lib
run() {
  COMPILE_CACHE=require COMPILE_CACHE_DIR=$cache/none COMPILE_CACHE_PATH=$cache \
    qemu-aarch64 $libraries/ld-linux-aarch64.so.1 --library-path $libraries \
    "$KILN_CROSS" run "$file" -b cpu -a "$KILN_ARCH" "$@" >"$cache/out" 2>"$cache/err"
}
# A launch may want a variant of the kernel: the message says which.
for ((variants = 0; variants < 8; variants++)); do
  run "$@"
  status=$?
  wanted=$(sed -n "s/^kiln: a launch like this wants .* compiled with \(--.*\): .* is in no cache.*/\1/p" "$cache/err")
  [ -n "$wanted" ] || break
  compile --options="$wanted" || exit $?
done
cat "$cache/out"
cat "$cache/err" >&2
exit $status
