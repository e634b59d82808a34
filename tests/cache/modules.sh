# What libkiln loads from beside itself, and runs: modules, and the compile helper. A library whose constructor leaves a
# mark takes their place, as somebody else could have put it there: nothing of it is run.
#   modules.sh KILN FOLDER_OF_CLI_TESTS INTRUDER
intruder=$3
. "$2/lib.sh"
export INTRUDER_MARK="$work/mark"
mkdir app && copy_library app/lib && chmod 755 app app/lib
printf 'kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n' >k.cl
printf 'kiln-key shared %064d\n' 7 >key && chmod 600 key
printf '#!/bin/sh\ntouch %s\n' "$INTRUDER_MARK" >helper
# Where each lies, seen from libkiln, and a command that uses it, whatever comes of that.
places="kiln/kiln-llvm.so kiln/kiln-http.so kiln/kiln-redis.so kiln/kiln-sign.so ../libexec/kiln/kiln-compile-helper"
use() {
  key=COMPILE_CACHE_KEY=$work/key
  case $1 in
  *llvm.so) set -- "$kiln" compile k.cl -b cpu -o - ;;
  *http.so) set -- "$key" COMPILE_CACHE_REMOTE=http://127.0.0.1:1 "$kiln" run k.cl -b interp -g 1 zero:i32:1 ;;
  *redis.so) set -- "$key" COMPILE_CACHE_REMOTE=redis://127.0.0.1:1 "$kiln" run k.cl -b interp -g 1 zero:i32:1 ;;
  *sign.so) set -- "$key" COMPILE_CACHE_PATH="$work/none" "$kiln" cache pull redis://127.0.0.1:1 ;;
  *helper) set -- COMPILE_ISOLATE=all "$kiln" compile k.cl -b interp -o - ;;
  esac
  rm -rf "$work/cache" "$INTRUDER_MARK"
  env LD_LIBRARY_PATH="$work/app/lib" "$@" >stdout 2>stderr
  checks=$((checks + 1))
  last=$* out='' err=$(cat stderr)
}
# begin: the intruder is our own, and only we can write to it and to its folder.
begin() {
  file=app/lib/$1 folder=app/lib/${1%/*}
  rm -rf app/lib/kiln app/lib/kiln-sign.so app/libexec && mkdir -p "$folder" && chmod 755 "$folder"
  case $1 in *helper) cp helper "$file" ;; *) cp "$intruder" "$file" ;; esac
  case $1 in *http.so | *redis.so) cp "${kiln%/*}/lib/kiln-sign.so" app/lib/ ;; esac # nothing goes to servers unsigned
  chmod 755 "$file"
}
refused() {
  use "$place"
  [ ! -e "$INTRUDER_MARK" ] || complain "$1: $place was run"
}
used() {
  use "$place"
  [ -e "$INTRUDER_MARK" ] || complain "$1: $place was not run"
}
umask 022
for place in $places; do
  begin "$place" && used "our own" # so that the others show something
  begin "$place" && chmod 757 "$file" && refused "others can write to it"
  begin "$place" && chmod 777 "$folder" && refused "others can write to its folder"
  begin "$place" && mv "$file" away && ln -s "$work/away" "$file" && used "a link of our own"
  chmod 757 away && refused "a link to what others can write to"
  rm -f away
  # Whoever can write to libkiln itself needs no module.
  begin "$place" && chmod 757 "$file" app/lib/libkiln.so.0 && used "others can write to libkiln"
  chmod 755 app/lib/libkiln.so.0
  [ "$(id -u)" = 0 ] || continue
  begin "$place" && chown 4242:4242 "$file" && refused "of another user"
  begin "$place" && chown 0:4242 "$file" && chmod 775 "$file" && refused "a group can write to it"
  begin "$place" && chown 4242:4242 "$folder" && refused "in a folder of another user"
  begin "$place" && chown 0:4242 "$folder" && chmod 775 "$folder" && refused "in a folder of a group"
  begin "$place" && mv "$file" away && ln -s "$work/away" "$file" && chown -h 4242 "$file" &&
    refused "a link of another user"
  begin "$place" && chown 4242:4242 "$file" app/lib/libkiln.so.0 && used "of the user of libkiln"
  chown 0:0 app/lib/libkiln.so.0
done
if [ "$(id -u)" = 0 ]; then
  finish 60
else
  echo "without root nothing can be given away: owners and groups are not tested"
  finish 30
fi
