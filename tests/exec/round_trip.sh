#!/bin/bash
# The round trip: what the OpenCL printer makes of each case, compiled by Kiln again, must give the case's results on
# interp. A check of printer and front end together, without any OpenCL driver.
#   round_trip.sh EXEC_TEST KILN FOLDER WORK
set -euo pipefail
exec_test=$1 kiln=$2 folder=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
count=0
for file in "$folder"/*.cl; do
  grep -q -e '^// fails:' -e '^// skip: text ' "$file" && continue # text: what OpenCL C 1.2 cannot say
  # The first run's build options: -D, -I, --include and what comes behind them.
  line=$(grep -m1 '^// run:' "$file")
  options=()
  set -f
  words=(${line#// run:})
  set +f
  for ((i = 0; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    -D | -I) options+=("${words[i]}" "${words[i + 1]}") ;;
    -D* | -I* | --options=*) options+=("${words[i]}") ;;
    -cl-*) options+=(--options "${words[i]}") ;;
    esac
  done
  name=$(basename "$file")
  if ! "$kiln" compile "$file" -b opencl -a text "${options[@]}" --emit cl -o "$work/text"; then
    echo "$name: cannot be printed" >&2
    exit 1
  fi
  { grep -E '^// (run|expect|tolerance|skip):' "$file" && cat "$work/text"; } >"$work/$name"
  count=$((count + 1))
done
rm -f "$work/text"
[ "$count" -gt 100 ] || { echo "only $count cases were printed" >&2; exit 1; }
"$exec_test" "$kiln" interp "$work"
