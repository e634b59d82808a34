#!/bin/sh
# What depends on the locale in the C library is used in one place of the library and one of the command, which have the
# C locale's counterparts: functions that read numbers and sort characters, and fractions in a plain printf.
#   check_locale.sh SOURCE_FOLDER
set -eu
cd "$1"
files=$(find base cache jit backends icd python tools \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) \
  ! -path base/c_locale.c ! -path tools/kiln/number.c)
[ "$(echo "$files" | wc -l)" -gt 300 ] || { echo "only a part of the sources was found"; exit 1; }
names='strto(d|f|ld)(_l)?|ato[f]|(std::)?sto[df]|is(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)'
names="$names|to(lower|upper)|strn?case(cmp|str)|strcoll|strxfrm|setlocale|newlocale|uselocale|localeconv|vsn?printf"
fraction='%[-+ #0-9.*]*l?[aefgAEFG]'
status=0
# shellcheck disable=SC2086 # the list is meant to be split into words
grep -nE "(^|[^_a-z.>\"'])($names)\(" $files && status=1
# shellcheck disable=SC2086
grep -nE "(^|[^_a-z])(sn|f|d|s)?printf\([^;]*\".*$fraction" $files && status=1
[ "$status" = 0 ] || echo "these depend on the host's locale; base/c_locale.h and tools/kiln/tool.h have what does not"
exit "$status"
