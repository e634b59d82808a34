# The command writes and reads the same where a library of its process has chosen another locale.
#   command.sh KILN TESTS KILN_IN_LOCALE
kiln_there=$3
. "$2/cli/lib.sh"

cat >numbers.cl <<'END'
constant float table[] = {0.1f, 1e-7f, 1234567.875f};
kernel void k(global float *o, float x, int n) {
  o[0] = x * 2.5f; o[1] = table[n]; o[2] = n > 1 ? 1.25e30f : 0.333f; o[3] = sin(x) + 1.0f / 3.0f;
  printf("%g %.2f %a\n", x + 0.25f, 1e6f * x, x);
}
END

# same ARGUMENTS: of the command, in both locales
same() {
  check 0 "$kiln" "$@"
  expected=$out
  check 0 "$kiln_there" "$@"
  out_is "$expected"
  err_empty
}

export COMPILE_CACHE=off
for target in "interp generic" "cpu x86-64-v3" "rocm gfx90a" "opencl text"; do
  set -- -b "${target% *}" -a "${target#* }"
  "$kiln" compile numbers.cl "$@" --emit ir >/dev/null 2>&1 || continue
  for stage in $("$kiln" compile numbers.cl "$@" --emit '?' 2>&1 | sed -n 's/.*its stages are: //p' | tr -d ,); do
    "$kiln" compile numbers.cl "$@" --emit "$stage" -o - 2>err >/dev/null ||
      ! grep -q "is not installed" err || continue
    [ "$stage" = bin ] || [ "$stage" = o ] || same compile numbers.cl "$@" --emit "$stage" -o -
  done
done
for backend in interp cpu opencl; do
  "$kiln" run numbers.cl -b $backend -g 1 -p 0:f32 fill:f32:4:0 f32=0.5 i32=1 >/dev/null 2>&1 || continue
  same run numbers.cl -b $backend -g 1 -p 0:f32 fill:f32:4:0.125 f32=0.5 i32=1
done
same run numbers.cl -b interp -g 1 -p 0:f32 rand:f32:4:7:-0.5:1.5 f32=1e-3 i32=2 --deadline 5.5
out_has "0.251 1000.00 0x1.0624dep-10"
checks_of_numbers=$checks
# Numbers that another run would not have again: none has a comma.
check 0 "$kiln_there" run numbers.cl -b interp -g 1 --time --json zero:f32:4 f32=0.5 i32=1
case $out in *[0-9],[0-9]*) complain "a decimal comma" ;; esac
out_has '"launch_us": '
check 0 "$kiln_there" cache stats
case $out in *[0-9],[0-9]*) complain "a decimal comma" ;; esac
set -- run numbers.cl -b interp -g 1 -D 'F=1.5' zero:f32:4 f32=0.5 i32=1
check 0 env COMPILE_RECORD=here "$kiln" "$@"
check 0 env COMPILE_RECORD=there COMPILE_TRACE="$work/trace.json" "$kiln_there" "$@"
check 0 cmp here there
check 0 python3 -c 'import json, sys; print(sum("ts" in event for event in json.load(open(sys.argv[1]))))' trace.json
[ "$out" -ge 3 ] || complain "$out events"
check 2 "$kiln_there" run numbers.cl -b interp -g 1 --deadline 0,5 zero:f32:4 f32=0.5 i32=1
check 1 "$kiln_there" run numbers.cl -b interp -g 1 zero:f32:4 f32=0,5 i32=1
err_has "2 components given"
[ "$checks_of_numbers" -ge 8 ] || complain "only $checks_of_numbers checks"
finish $((checks_of_numbers + 8))
