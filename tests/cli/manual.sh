#!/bin/bash
# The man pages and completions say what --help says, and bash completes with them.
#   manual.sh KILN FOLDER
set -eu
kiln=$1 folder=$2 failed=0
PATH=$(dirname "$kiln"):$PATH
bad() {
  echo "$*" >&2
  failed=1
}

# The options that a help text names, one a line.
options_of() { sed -n 's/^  \(-.\{23\}\).*/\1/p' | grep -oE -- '(^|[ ,])--?[A-Za-z][a-z-]*' | tr -d ' ,'; }

verbs=$("$kiln" --help | awk '/^  / { print $1 }')
for verb in $verbs; do
  page=$folder/kiln-$verb.1
  [ -s "$page" ] || bad "there is no man page of kiln $verb"
  for option in $("$kiln" "$verb" --help | options_of); do
    grep -qF -- "${option//-/\\-}" "$page" || bad "kiln-$verb.1 does not name $option"
    grep -qE -- "^  $verb\\).* options=\".* $option[ \"]" "$folder/kiln.bash" || bad "bash: $option of $verb is missing"
  done
  grep -q "kiln\\\\-$verb" "$folder/kiln.1" || bad "kiln.1 does not name $verb"
done
for variable in $("$kiln" env | sed -n 's,^\(COMPILE_[A-Z_]*\)=.*,\1,p'); do
  grep -q "$variable" "$folder/kiln.1" || bad "kiln.1 does not name $variable"
done
if command -v groff >/dev/null; then
  for page in "$folder"/*.1; do
    warnings=$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
    [ -z "$warnings" ] || bad "$warnings"
  done
fi

# What bash offers after the given words, sorted, in one line.
. "$folder/kiln.bash"
complete_words() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _kiln
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
expect() { # WANTED WORD...
  local wanted=$1
  shift
  local got
  got=$(complete_words "$@")
  [ "$got" = "$wanted " ] || bad "$*: got '$got', expected '$wanted'"
}
expect 'cache compile conformance' kiln c
expect '--version' kiln --v
expect 'backends bench' kiln help b
expect '--deadline' kiln run --de
expect '--emit' kiln compile f.cl --e
expect 'cl' kiln compile --emit c
expect 'interp' kiln run -b inte
expect 'x86-64-v2 x86-64-v3 x86-64-v4' kiln run -b cpu -a x86-64-v
expect 'generic' kiln compile --backend interp --arch gen
expect 'stat stats' kiln cache sta
expect '--max-size' kiln cache prune --m
expect '' kiln env f
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
touch sample.cl
expect 'sample.cl' kiln compile samp
expect 'sample.cl' kiln warm samp
expect 'sample.cl' kiln compile -o samp

for shell in zsh fish; do
  ! command -v $shell >/dev/null || $shell -n "$folder/kiln.$shell" || bad "$shell does not take its completion"
done
exit $failed
