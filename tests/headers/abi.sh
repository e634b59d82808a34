#!/bin/sh
# Within one version of the backend ABI the headers only grow at ends (backend.h, "backends in shared objects"). Compares
# them with a copy of what they were when the version began (abi/): everything in it must still be there, at its place.
#   abi.sh HEADERS COPY AWK_FILE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Structs that may have more members at their ends.
growing='kiln_base_backend kiln_driver kiln_compile_job kiln_code kiln_drv_launch_desc kiln_caps kiln_function
  kiln_module kiln_param kiln_context_desc kiln_program_desc kiln_arg_info kiln_cache_item'

for f in kiln.h ir.h backend.h ops.def; do
  awk -f "$3" "$1/$f" >>"$work/now"
  awk -f "$3" "$2/$f" >>"$work/then"
done
for kind in member enum op define function; do
  grep -q "^$kind	" "$work/then" || { echo "nothing of kind '$kind' was found: abi.awk no longer reads the headers"; exit 1; }
done
awk -F '\t' -v growing="$growing" '
  FNR == NR { then[n] = $4; key[n] = $1 FS $2 FS $3; owner[n++] = $1 " " $2; count[$1 FS $2]++; next }
  { now[$1 FS $2 FS $3] = $4 }
  $1 == "member" && ($1 FS $2) in count && $3 >= count[$1 FS $2] && !($2 in grown) { grown[$2] = $4 }
  END {
    split(growing, names, /[ \n]+/)
    for (i in names) may["struct " names[i]] = 1
    for (i = 0; i < n; i++) { # of what moved only the first is told
      if (now[key[i]] != then[i] && !(owner[i] in told)) {
        printf "%s: \"%s\" has become \"%s\"\n", owner[i], then[i], now[key[i]]
        told[owner[i]] = bad = 1
      }
    }
    for (name in grown) {
      if (!(name in may) && !("member " name in told)) {
        printf "member %s: \"%s\" is new, but this struct does not grow\n", name, grown[name]
        bad = 1
      }
    }
    if (bad) print "A change like these needs a new KILN_BACKEND_ABI, and a new copy of the headers in tests/headers/abi."
    exit bad
  }' "$work/then" "$work/now"
