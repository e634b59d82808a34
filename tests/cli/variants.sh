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
err_has "a launch like this wants 'sum.cl' compiled with --kiln-shape=packed: 'sum.cl' is in no cache"
cat sum.cl >two.cl
echo 'kernel void other(global int *o) { o[get_global_id(0)] = 3; }' >>two.cl
check 0 $kiln compile two.cl -b cpu -o two.so
launch="run two.cl -b cpu -k sum -g 3,4 -l 3,4 -p 0:i32 zero:i32:12"
check 3 env COMPILE_CACHE=require $kiln $launch
err_has "compiled with --kiln-shape=packed --kiln-kernel=sum: 'two.cl' is in no cache"
check 0 $kiln compile two.cl -b cpu "--options=--kiln-shape=packed --kiln-kernel=sum" -o two.so
check 0 env COMPILE_CACHE=require $kiln $launch
out_is "$ones"
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
  check 0 grep -c "^options:.*--kiln-lanes=4" few.txt
  out_is "1"
  check 0 env COMPILE_RECORD=many.txt $kiln $tiles -g 8,1024 zero:i32:8192
  check 0 grep -c "^options:.*--kiln-lanes=4" many.txt
else
  skipped=4
fi
# Kernels with barriers are compiled for rows that are whole warps, and once more for launches with others.
cat >rows.cl <<'EOF'
kernel void rows(global int *o) {
  local int t[64];
  int x = get_local_id(0);
  t[x] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] += t[get_local_size(0) - 1 - x];
}
EOF
whole="0: $(echo $(seq 31 -1 0))"
partial="0: 8 7 6 5 4 3 2 1 0 17 16 15 14 13 12 11 10 9"
rm -rf "$COMPILE_CACHE_DIR"
check 0 env COMPILE_RECORD=rows.txt $kiln run rows.cl -b cpu -g 32 -l 32 -p 0:i32 zero:i32:32
out_is "$whole"
check 1 grep -c "^options:.*--kiln" rows.txt
check 3 env COMPILE_CACHE=require $kiln run rows.cl -b cpu -g 18 -l 9 -p 0:i32 zero:i32:18
err_has "a launch like this wants 'rows.cl' compiled with --kiln-rows=any: 'rows.cl' is in no cache"
check 0 env COMPILE_RECORD=any.txt $kiln run rows.cl -b cpu -g 18 -l 9 -p 0:i32 zero:i32:18
out_is "$partial"
check 0 grep -c "^options:.*--kiln-rows=any" any.txt
out_is "1"
check 0 env COMPILE_CACHE=require $kiln run rows.cl -b cpu -g 18 -l 9 -p 0:i32 zero:i32:18
out_is "$partial"
# What is shipped runs every launch, whatever was recorded: where only a wish is missing, without it.
rm -rf "$COMPILE_CACHE_DIR"
check 0 $kiln warm rows.txt --export rows.bundle
out_has "1 programs, 1 jobs: 1 compiled, 0 cached, 0 failed"
check 0 $kiln warm rows.txt
out_has "1 programs, 1 jobs: 0 compiled, 1 cached, 0 failed"
rm -rf "$COMPILE_CACHE_DIR"
shipped="env COMPILE_CACHE=require COMPILE_CACHE_PATH=rows.bundle $kiln run rows.cl -b cpu -p 0:i32"
check 0 $shipped -g 32 -l 32 zero:i32:32
out_is "$whole"
check 0 $shipped -g 18 -l 9 zero:i32:18
out_is "$partial"
check 0 $shipped -g 6 -l 2 zero:i32:6
out_is "0: 1 0 3 2 5 4"
# A size that the source requires or hints at, and that is no multiple, is compiled for from the start.
for attribute in 'reqd_work_group_size(9, 1, 1)' 'work_group_size_hint(9, 1, 1)'; do
  sed "s/kernel/kernel __attribute__(($attribute))/" rows.cl >known.cl
  rm -f known.txt
  check 0 env COMPILE_RECORD=known.txt $kiln run known.cl -b cpu -g 18 -l 9 -p 0:i32 zero:i32:18
  out_is "$partial"
  check 1 grep -c "^options:.*--kiln" known.txt
done
# Rows that fill registers stay rows where the flattened index would gather what loops load for all of a row.
cat >shared.cl <<'EOF'
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void shared(int n, global const int *a, global int *c) {
  int x = get_group_id(0) * 32 + get_local_id(0), y = get_global_id(1), sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[y * n + i] * x;
  c[(get_global_id(0) + y * 64) % 4096] = sum;
}
EOF
check 0 env COMPILE_RECORD=shared.txt $kiln run shared.cl -b cpu -g 64,64 -l 16,1 i32=8 iota:i32:512 zero:i32:4096
check 1 grep -c "^options:.*--kiln-shape" shared.txt
# Code of a later stage is for launches of the shape that it was compiled for.
check 0 env COMPILE_DUMP_DIR=dump $kiln compile rows.cl -b cpu -o rows.so
stage=$(find dump -name '*.ll')
check 0 $kiln run "$stage" -b cpu -g 32 -l 32 -p 0:i32 zero:i32:32
out_is "$whole"
check 3 $kiln run "$stage" -b cpu -g 18 -l 9 -p 0:i32 zero:i32:18
err_has "compiled with --kiln-rows=any, but it begins at stage 'll'"
check 2 $kiln run rows.cl -b cpu --options --kiln-rows=some -g 32 -l 32 -p 0:i32 zero:i32:32
err_has "the option rows of the cpu backend is whole or any, not 'some'"
# Launches with a deadline want code that can be stopped, which is recorded and warmed as well.
cat >spins.cl <<'END'
kernel void spins(global volatile int *go) {
  while (go[0]) ;
  go[1] = 5;
}
END
run="$kiln run spins.cl -b cpu -g 2 -l 2 -p 0:i32"
check 0 env COMPILE_RECORD=spins.txt $run --deadline 50 list:i32:0,0
out_is "0: 0 5"
check 0 grep -c "^options:.*--kiln-stop=1" spins.txt
out_is "1"
rm -rf "$COMPILE_CACHE_DIR"
check 0 $run list:i32:0,0
check 3 env COMPILE_CACHE=require $run --deadline 50 list:i32:0,0
err_has "a launch like this wants 'spins.cl' compiled with --kiln-stop=1: 'spins.cl' is in no cache"
check 0 $kiln warm spins.txt
check 0 env COMPILE_CACHE=require $run --deadline 50 list:i32:0,0
out_is "0: 0 5"
# Groups of one work-item have a variant of their own, in one lane, too. Without optimisation it would gain nothing, and
# there is none.
cat >single.cl <<'END'
kernel void f(global uint *o) {
  local uint x[4];
  x[get_local_id(0) & 3] = get_global_id(0) >> 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(o, x[get_local_id(0) & 3] + get_local_id(0) / 4);
}
END
run="$kiln run single.cl -b cpu -g 4096 -l 1 -p 0:u32 zero:u32:1"
check 0 env COMPILE_RECORD=single.txt $run
out_is "0: 1046528"
check 0 grep -c "^options:.*--kiln-shape=single" single.txt
out_is "1"
check 0 env COMPILE_RECORD=one.txt $run --options "--kiln-lanes=1"
out_is "0: 1046528"
check 0 grep -c "^options:.*--kiln-shape=single" one.txt
out_is "1"
check 0 env COMPILE_RECORD=unoptimised.txt $run --options "-cl-opt-disable --kiln-lanes=16"
out_is "0: 1046528"
check 1 grep -c "^options:.*--kiln-shape=single" unoptimised.txt
out_is "0"

# Groups of one column, too: whole ones, and others beside the last one.
cat >merged.cl <<'END'
kernel void f(global const int *in, global int *o) {
  local int x[2048];
  int y = get_local_id(1), w = get_local_size(0), column = get_local_id(0);
  x[y * w + column] = in[y * get_global_size(0) + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(o, x[(7 - y) * w + column] * (y + 1));
}
END
for columns in 64 70; do
  check 0 env COMPILE_RECORD=merged.txt $kiln run merged.cl -b cpu -g $columns,8 -l 1,8 iota:i32:560 -p 1:i32 zero:i32:1
  case $columns in
    64) out_is "1: 416640" ;;
    70) out_is "1: 498540" ;;
  esac
done
check 0 grep -c "^options:.*--kiln-shape=merged\$" merged.txt
out_is "1"
check 0 grep -c "^options:.*--kiln-shape=merged --kiln-rows=any\$" merged.txt
out_is "1"
check 0 $kiln run merged.cl -b cpu -g 64,8 -l 2,8 iota:i32:560 -p 1:i32 zero:i32:1 --options --kiln-shape=merged
out_is "1: 416640"
check 0 $kiln run merged.cl -b cpu -g 64,8 iota:i32:560 -p 1:i32 zero:i32:1 --options --kiln-shape=merged
out_is "1: 416640"

# Of a program with several kernels, only the one that is launched so is compiled once more, with what it calls. Rows of
# any length come with what is recorded or saved: those are of all kernels. Rows of 11 are more than half of a vector of
# 16 lanes and fill no vector, so that every processor wants the same variant.
cat >several.cl <<'END'
int twice(int x) { return 2 * x; }
kernel void first(global int *o) { o[0] = 1; }
kernel void second(global int *o) {
  local int t[16];
  t[get_local_id(0)] = twice(get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
kernel void third(global int *o) {
  uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  o[l] = sub_group_scan_inclusive_add(1) + (int)(l - get_sub_group_local_id()) - (int)l;
}
END
rm -rf "$COMPILE_CACHE_DIR"
check 0 env COMPILE_RECORD=several.txt $kiln run several.cl -b cpu -k third -g 3,4 -l 3,4 -p 0:i32 zero:i32:12
out_is "$ones"
check 0 grep -c "^options: *--kiln-shape=packed --kiln-kernel=third\$" several.txt
out_is "1"
check 0 env COMPILE_CACHE=require $kiln run several.cl -b cpu -k third -g 3,4 -l 3,4 -p 0:i32 zero:i32:12
out_is "$ones"
check 0 env COMPILE_RECORD=rows.txt $kiln run several.cl -b cpu -k second -g 11 -l 11 -p 0:i32 zero:i32:11
out_is "0: 20 18 16 14 12 10 8 6 4 2 0"
check 0 grep -c "^options: *--kiln-rows=any --kiln-kernel=second\$" rows.txt
out_is "1"
rm -rf "$COMPILE_CACHE_DIR"
check 0 $kiln compile several.cl -b cpu --options "--kiln-rows=any" -o any.so
check 0 env COMPILE_RECORD=all.txt $kiln run several.cl -b cpu -k second -g 11 -l 11 -p 0:i32 zero:i32:11
out_is "0: 20 18 16 14 12 10 8 6 4 2 0"
check 0 grep -c "^options: *--kiln-rows=any\$" all.txt
out_is "1"
check 2 $kiln compile several.cl -b cpu --options --kiln-kernel=fourth -o none.so
err_has "build option '--kiln-kernel=fourth': the program has no such kernel"

# Vectors of a lane that are loaded by chunks of 16 bytes: the second one of 32 is aligned to no more.
cat >chunks.cl <<'END'
kernel void chunks(global long *o) {
  long4 v = 1, *p = &v;
  uint g = get_global_id(0);
  o[g] = p->w + v.s2 * g;
}
END
for lanes in 4 8 16; do
  check 0 $kiln run chunks.cl -b cpu -g 8 -l 8 -p 0:i64 zero:i64:8 --options "-cl-opt-disable --kiln-lanes=$lanes"
  out_is "0: 1 2 3 4 5 6 7 8"
done
finish $((76 - ${skipped:-0}))
