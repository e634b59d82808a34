#!/bin/sh
# Compiles the programs of a folder for AMDGPU targets and looks for instructions in their code. No device is needed.
#   emit.sh KILN FOLDER
# A program says what to look for in lines
#   // check ARCH[/OPTION] STAGE KERNEL WORD...
# where KERNEL is '*' for the whole text and WORD is +REGEX (a line matches) or -REGEX (none does).
set -eu
kiln=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
COMPILE_CACHE=off
export COMPILE_CACHE
set -f
checks=0 faults=0
for file in $(find "$folder" -name '*.cl' -o -name '*.kir' | sort); do
  grep '^// check ' "$file" >"$work/checks"
  while read -r _ _ machine stage kernel words; do
    arch=${machine%%/*} option=
    [ "$arch" = "$machine" ] || option=${machine#*/}
    text="$work/$(basename "$file")-$arch-$option-$stage"
    [ -f "$text" ] || "$kiln" compile -b rocm -a "$arch" --options "$option" --emit "$stage" -o "$text" "$file"
    if [ "$kernel" = '*' ]; then
      cp "$text" "$work/kernel"
    else
      awk -v k="$kernel" -v stage="$stage" '
        stage == "ll" && index($0, "@" k "(") && /^define/ {on = 1}
        stage != "ll" && $0 ~ "^" k ":" {on = 1}
        on
        on && (stage == "ll" ? /^}/ : /^\.Lfunc_end/) {exit}' "$text" >"$work/kernel"
    fi
    if [ ! -s "$work/kernel" ]; then
      echo "$file: $arch: there is no $kernel in stage $stage" >&2
      faults=$((faults + 1))
    fi
    for word in $words; do
      checks=$((checks + 1))
      case $word in
      +*) grep -Eq -- "${word#+}" "$work/kernel" || { echo "$file: $machine: $kernel lacks ${word#+}" >&2; faults=$((faults + 1)); } ;;
      -*) ! grep -E -- "${word#-}" "$work/kernel" >&2 || { echo "$file: $machine: $kernel has ${word#-}" >&2; faults=$((faults + 1)); } ;;
      *) echo "$file: '$word' begins neither with + nor with -" >&2; faults=$((faults + 1)) ;;
      esac
    done
  done <"$work/checks"
done
echo "$checks checks, $faults faults"
[ "$checks" -gt 0 ] && [ "$faults" -eq 0 ]
