#!/bin/sh
# What a new operation asks for: a made-up one is added to a copy of the sources. With its row in ops.def alone the
# compiler must name the places that need it, and no others; with these filled all compiles, and the operation has its
# value and its name.
#   new_operation.sh SOURCE_FOLDER CMAKE COMPILER
set -eu
cmake=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$1" && tar cf - include base cmake/op_cases.cmake jit/ir jit/facts jit/pass backends/interp backends/host \
  backends/common backends/opencl backends/builtin.h) | tar xf - -C "$work"
cd "$work"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(copy NONE)\ninclude(cmake/op_cases.cmake)\n' >CMakeLists.txt
flags='-std=gnu11 -D_GNU_SOURCE -Wswitch-enum -I. -Iinclude -Ibuild/include'

# The files of which the compiler says that a switch lacks the operation.
places() {
  "$cmake" -S . -B build >/dev/null
  for f in jit/ir/*.c jit/facts/*.c jit/pass/*.c backends/interp/*.c backends/opencl/print/*.c; do
    "$cc" $flags -fsyntax-only "$f" 2>says || { cat says; exit 1; }
    grep -q "KILN_OP_ABSDIFF.* handled in switch" says && printf '%s ' "$f" || true
  done
}
expect() {
  [ "$1" = "$2" ] || { echo "asked for: $1; expected: $2"; exit 1; }
}

sed -i '/^#undef KILN_OP/i KILN_OP(ABSDIFF, "absdiff", "ii", SAME, PURE, INT)' include/kiln/ops.def
expect "$(places)" "jit/ir/eval.c backends/opencl/print/expr.c "

sed -i '/^  X(IADD, /i \  X(ABSDIFF, sx < sy ? y - x : x - y) \\' jit/ir/eval.c
sed -i '/^#undef CL_OP/i CL_OP(ABSDIFF, CALL, "abs_diff", CL_SIGNED, CL_UNSIGNED)' backends/opencl/print/expr.def
expect "$(places)" ""

cat >main.c <<'END'
#include "jit/ir/internal.h"
#include <string.h>
int main(void) {
  union kiln_lanes x = {{3}}, y = {{0xfffffffe}}, out; // 3 and -2
  const union kiln_lanes *operands[] = {&x, &y};
  kiln_type type = kiln_scalar_type(KILN_I32), types[] = {type, type};
  return !kiln_eval(KILN_OP_ABSDIFF, type, 0, 0, NULL, types, operands, 2, &out) || out.bits[0] != 5 ||
         strcmp(kiln_op_table[KILN_OP_ABSDIFF].name, "absdiff") != 0;
}
END
"$cc" $flags main.c jit/ir/*.c base/*.c -lm -lpthread -o main
./main || { echo "absdiff has another value or name"; exit 1; }
