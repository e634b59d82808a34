#!/bin/sh
# libkiln exports what exports.txt lists, one name a line in the order of LC_ALL=C sort: nothing of it may go without
# another major version (docs/packages.md), and nothing may come unseen.
#   exports.sh LIBRARY exports.txt FOLDER-OF-HEADERS
set -eu
LC_ALL=C
export LC_ALL
nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVW]/ { print $3 }' | grep -v '^__\|^_init$\|^_fini$' | sort >exports.now
failed=0
gone=$(comm -13 exports.now "$2")
come=$(comm -23 exports.now "$2")
[ -z "$gone" ] || { echo "no longer exported, so that programs break:" $gone >&2; failed=1; }
[ -z "$come" ] || { echo "exported, and not in exports.txt:" $come >&2; failed=1; }
for name in $(cat "$2"); do
  [ "$name" = kiln_compile_helper ] || # for the helper process alone (jit/isolate.c)
    grep -qw "$name" "$3"/*.h || { echo "exported, and in no public header: $name" >&2; failed=1; }
done
exit $failed
