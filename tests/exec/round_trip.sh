#!/bin/bash
# The round trip: what the OpenCL printer makes of each case, compiled by Kiln again, must give the case's results on
# interp. A check of printer and front end together, without any OpenCL driver.
#   round_trip.sh EXEC_TEST KILN FOLDER WORK [STEP: every how many files]
set -euo pipefail
exec_test=$1 kiln=$2 folder=$3 work=$4 step=${5:-1}
. "$(dirname "$0")/../support/exec_options.sh"
rm -rf "$work"
mkdir -p "$work"
count=0 seen=0

# Adds a line of the head to the file of the runs with the same options, behind which their printed text will come.
add_line() {
  local line=$1
  case $line in
  "// run:"*)
    read_options "$line"
    local key="-${options[*]:-}"
    if [ -z "${files[$key]:-}" ]; then
      files[$key]=$work/$name-${#files[@]}.cl
      if ! "$kiln" compile "$file" -b opencl -a text "${options[@]}" --emit cl -o "${files[$key]}.text"; then
        echo "$name: cannot be printed" >&2
        exit 1
      fi
      if grep -q '^#ifdef FORMULA' "$file"; then # a program of its own: the run's has the run's kernels alone
        "$kiln" compile "$file" -b opencl -a text "${options[@]}" -D FORMULA --emit cl -o "$work/formula"
        mv "${files[$key]}.text" "$work/own"
        { echo "#ifndef FORMULA" && cat "$work/own" && echo "#else" && cat "$work/formula" && echo "#endif"; } \
          >"${files[$key]}.text"
        rm "$work/own" "$work/formula"
      fi
    fi
    current=${files[$key]}
    ;;
  esac
  echo "$line" >>"$current"
}

shopt -s globstar
for file in "$folder"/**/*.cl; do
  grep -q -e '^// fails:' -e '^// skip: text ' "$file" && continue # text: what OpenCL C 1.2 cannot say
  ((seen++ % step == 0)) || continue
  name=${file#"$folder"/} name=${name%.cl} name=${name//\//-}
  declare -A files=()
  while IFS= read -r line; do
    add_line "$line"
  done < <(grep -E '^// (run|expect|formula|tolerance|skip):' "$file")
  for path in "${files[@]}"; do
    cat "$path.text" >>"$path"
    rm "$path.text"
  done
  count=$((count + 1))
done
[ "$((count * step))" -gt 250 ] || { echo "only $count cases were printed" >&2; exit 1; }
"$exec_test" "$kiln" interp "$work"
