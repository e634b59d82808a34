#!/bin/bash
# Whether sources look as .clang-format says, and no line of a page is longer than 120 characters.
#   format.sh          names what does not
#   format.sh --fix    formats the sources
set -euo pipefail
cd "$(dirname "$0")/.."
folders="backends base bench cache examples icd include jit python tests tools"
version=14 # another one formats otherwise

# Left out: tables (.def) and kernels (.cl), laid out by hand.
sources() {
  # shellcheck disable=SC2086 # a list of words
  find $folders \( -name '*.[ch]' -o -name '*.[ch]pp' \) -print0 | sort -z
}

# Tables may be wide.
long_lines() {
  # shellcheck disable=SC2086
  find $folders docs ./*.md -name '*.md' -print0 | LC_ALL=C.UTF-8 xargs -0 grep -nHE '^[^|].{120,}$' |
    sed -E 's/^([^:]*:[0-9]*):.*/\1: a line of more than 120 characters/'
}

failed=0
if long_lines | grep .; then
  failed=1
fi
tool=$(command -v clang-format-$version || command -v clang-format || true)
if [ -z "$tool" ] || ! "$tool" --version | grep -q "version $version\."; then
  echo "clang-format $version is not installed: sources were not looked at"
  [ $failed = 0 ] && exit 77
  exit 1
fi
if [ "${1:-}" = --fix ]; then
  sources | xargs -0 "$tool" -i
else
  sources | xargs -0 "$tool" --dry-run --Werror 2>&1 |
    sed -nE 's/^([^:]*):[0-9]+:.*/\1: not as .clang-format says/p' | uniq | (! grep .) || failed=1
fi
[ $failed = 0 ] || echo "scripts/format.sh --fix formats the sources; lines of pages are broken by hand" >&2
exit $failed
