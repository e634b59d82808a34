# A launch whose shape the program was not compiled for compiles a variant of it, once: cached, recorded and warmed like
# any other program.
. "$2/lib.sh"
cat >sum.cl <<'EOF'
kernel void sum(global int *o) {
  uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  o[l] = sub_group_scan_inclusive_add(1) + (int)(l - get_sub_group_local_id()) - (int)l;
}
EOF
"$kiln" backends | grep -q '^cpu .* available ' || exit 77
if ! "$kiln" compile sum.cl -b cpu --stats >/dev/null 2>err; then
  grep -q "is not installed" err && exit 77 # built without LLVM
fi
ones="0: 1 1 1 1 1 1 1 1 1 1 1 1"
check 0 env COMPILE_RECORD=run.txt $kiln run sum.cl -b cpu -g 12 -l 12 -p 0:i32 zero:i32:12
out_is "$ones"
check 0 env COMPILE_CACHE=require $kiln run sum.cl -b cpu -g 12 -l 12 -p 0:i32 zero:i32:12
check 1 grep -c "^options:.*--kiln-shape" run.txt
# Rows of three: sub-groups begin and end inside of rows.
check 0 env COMPILE_RECORD=run.txt $kiln run sum.cl -b cpu -g 3,4 -l 3,4 -p 0:i32 zero:i32:12
out_is "$ones"
check 0 grep -c "^options:.*--kiln-shape=packed" run.txt
out_is "1"
check 0 env COMPILE_CACHE=require $kiln run sum.cl -b cpu -g 3,4 -l 3,4 -p 0:i32 zero:i32:12
out_is "$ones"
# Where nothing may be compiled the message says what is missing.
rm -rf "$COMPILE_CACHE_DIR"
check 0 $kiln run sum.cl -b cpu -g 12 -l 12 -p 0:i32 zero:i32:12
check 3 env COMPILE_CACHE=require $kiln run sum.cl -b cpu -g 3,4 -l 3,4 -p 0:i32 zero:i32:12
err_has "a launch of this shape wants 'sum.cl' compiled with --kiln-shape=packed: 'sum.cl' is in no cache"
rm -rf "$COMPILE_CACHE_DIR"
check 0 $kiln warm run.txt
check 0 env COMPILE_CACHE=require $kiln run sum.cl -b cpu -g 3,4 -l 3,4 -p 0:i32 zero:i32:12
out_is "$ones"
# Lanes along dimension 1 want work-items there.
cat >columns.cl <<'EOF'
kernel void columns(global int *o) { o[get_global_id(0) * get_global_size(1) + get_global_id(1)] += 5; }
EOF
check 0 $kiln compile columns.cl -b cpu -a x86-64-v3 --stats
out_has "along dimension 1"
check 0 env COMPILE_RECORD=wide.txt $kiln run columns.cl -b cpu -g 2,64 -p 0:i32 zero:i32:128
check 1 grep -c "^options:.*--kiln-shape" wide.txt
check 0 env COMPILE_RECORD=narrow.txt $kiln run columns.cl -b cpu -g 6,2 -p 0:i32 zero:i32:12
out_is "0: 5 5 5 5 5 5 5 5 5 5 5 5"
check 0 grep -c "^options:.*--kiln-shape=rows" narrow.txt
# Which is a wish: where nothing may be compiled it runs as it is.
rm -rf "$COMPILE_CACHE_DIR"
check 0 $kiln run columns.cl -b cpu -g 2,64 -p 0:i32 zero:i32:128
check 0 env COMPILE_CACHE=require $kiln run columns.cl -b cpu -g 6,2 -p 0:i32 zero:i32:12
out_is "0: 5 5 5 5 5 5 5 5 5 5 5 5"
# Groups with rows of half a warp or less, of launches that are large enough.
cat >tiles.cl <<'EOF'
kernel void tiles(global int *o) {
  local int t[2][4];
  int x = get_local_id(0), y = get_local_id(1);
  t[y][x] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] += t[1 - y][3 - x] / 4;
}
EOF
if grep -q ' avx2 .*' /proc/cpuinfo; then
  tiles="run tiles.cl -b cpu -a x86-64-v3 -l 4,2 -p 0:i32"
  check 0 env COMPILE_RECORD=few.txt $kiln $tiles -g 8,2 zero:i32:16
  out_is "0: 0 0 0 0 1 1 1 1 0 0 0 0 1 1 1 1"
  check 1 grep -c "^options:.*--kiln-lanes" few.txt
  check 0 env COMPILE_RECORD=many.txt $kiln $tiles -g 8,1024 zero:i32:8192
  check 0 grep -c "^options:.*--kiln-lanes=4" many.txt
else
  skipped=4
fi
finish $((21 - ${skipped:-0}))
