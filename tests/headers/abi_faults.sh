#!/bin/sh
# abi.py sees each kind of change that breaks a plugin or a host, and lets headers grow at ends.
#   abi_faults.sh ABI_PY FOLDER-OF-HEADERS abi.txt
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# plant HEADER EDIT: a copy of the headers, of which one is edited with sed.
plant() {
  rm -rf "$work/include"
  cp -r "$2" "$work/include"
  sed -i "$4" "$work/include/kiln/$3"
  if cmp -s "$work/include/kiln/$3" "$2/kiln/$3"; then
    echo "the headers no longer have the text of: $4" >&2
    failed=1
  fi
  status=0
  "$1" "$work/include" "$table" >"$work/said" || status=$?
}

python=$1 headers=$2 table=$3
"$python" "$headers" "$table" || exit $? # 77: skipped
while IFS='|' read -r expected header edit; do
  plant "$python" "$headers" "$header" "$edit"
  if [ "$expected" = fine ]; then
    [ $status = 0 ] || { echo "refused: $edit" >&2; cat "$work/said" >&2; failed=1; }
  elif [ $status != 1 ] || ! grep -q "^$expected" "$work/said"; then
    echo "not seen: $edit (status $status)" >&2
    failed=1
  fi
done <<'END'
member struct kiln_event_times ended_ns|kiln.h|/^struct kiln_event_times {/,/^}/s/started_ns, ended_ns/ended_ns, started_ns/
member struct kiln_caps int64_atomics|backend.h|/^struct kiln_caps {/,/^}/{/int64_atomics;/d}
member struct kiln_caps generic_space|backend.h|/^struct kiln_caps {/,/^}/s/bool generic_space;/uint64_t generic_space;/
member struct kiln_caps taken_from_padding is new, and not|backend.h|s/^  bool group_collectives;/&\n  bool taken_from_padding;/
member struct kiln_arg tail is new, but|kiln.h|/^struct kiln_arg {/,/^}/s/^}/  int tail;\n}/
size union kiln_pixel|kiln.h|/^union kiln_pixel {/,/^}/s/^}/  uint64_t tail[4];\n}/
enumerator enum kiln_status KILN_ERR_COMPILE|kiln.h|s/^  KILN_ERR_INVALID,/&\n  KILN_ERR_NEW,/
enumerator enum kiln_status KILN_ERR_IO|kiln.h|s/^  KILN_ERR_IO,/  KILN_ERR_FILE,/
enumerator enum kiln_status KILN_OLDER is new, and not|kiln.h|s/^  KILN_ERR_COMPILE,/&\n  KILN_OLDER = -1,/
function  kiln_event_done|kiln.h|s/^KILN_API bool kiln_event_done(struct/KILN_API int kiln_event_done(struct/
function  kiln_event_done|kiln.h|s/^KILN_API bool kiln_event_done(struct/&/;s/kiln_event_done(struct kiln_event \*event)/kiln_event_done(const struct kiln_event *event)/
function  kiln_event_done|kiln.h|/^KILN_API bool kiln_event_done(/d
typedef  kiln_type|ir.h|s/^typedef uint32_t kiln_type;/typedef uint64_t kiln_type;/
macro  KILN_BACKEND_ABI|backend.h|s/^#define KILN_BACKEND_ABI .*/#define KILN_BACKEND_ABI 99/
op ops.def FMA|ops.def|s/^KILN_OP(FMA, *"[a-z]*"/KILN_OP(FMA, "another"/
fine|backend.h|/^struct kiln_caps {/,/^}/s/^}/  uint64_t tail;\n}/
fine|kiln.h|s/^KILN_API bool kiln_event_done(/KILN_API int kiln_new(void);\n&/
fine|kiln.h|/^enum kiln_status {/,/^}/s/^}/  KILN_ERR_NEWEST = 1000\n}/
END
exit $failed
