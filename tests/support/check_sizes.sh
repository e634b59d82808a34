#!/bin/sh
# How long sources may be: a function at most 80 lines, a file at most 1,000.
#   check_sizes.sh SOURCE_FOLDER
#
# Sources look as .clang-format says, so that a function is what begins at the margin, ends its head with "{" and closes
# with "}" at the margin. Tables and types are none; they may be longer.
set -eu
cd "$1"
find backends base bench cache examples icd include jit python tests tools -name '*.[ch]' -o -name '*.[ch]pp' | sort | xargs awk '
  FNR == 1 { start = 0; head = "" }
  FNR == 1001 { printf "%s: more than 1,000 lines\n", FILENAME; failed = 1 }
  /^[A-Za-z_]/ && !/:$/ { head = $0; start = FNR }
  start && /^ / && !open { head = head $0 }
  /\{$/ && start && !open { open = head ~ /\)[^=]*\{$/ && head !~ /^(template *<[^>]*> *)?(class|struct|enum|union|typedef)[^(]*\{/ }
  /^}/ {
    if (open && FNR - start + 1 > 80) {
      printf "%s:%d: a function of %d lines: %s\n", FILENAME, start, FNR - start + 1, head
      failed = 1
    }
    open = start = 0
  }
  END { exit failed }
'
