# Private memory of a group that is kept across barriers has a limit, and an error with numbers.
. "$2/lib.sh"
kernel() { # of 4 * $1 bytes per work-item
  cat >"$2" <<END
kernel void f(global int *o, int n) {
  int a[$1];
  int l = get_local_id(0);
  for (int i = 0; i < 50; i++) a[(i * 997 + n) % $1] = i + l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  o[get_global_id(0)] = a[(997 + n) % $1] + a[(2 * 997 + n) % $1];
}
END
}
kernel 200000 large.cl   # 335 fit into 256 MiB
kernel 2000000 larger.cl # 33
kernel 100000000 huge.cl # none
for b in cpu interp; do
  if [ $b = cpu ] && ! "$kiln" compile large.cl -b cpu --stats >stats 2>err; then
    grep -q "is not installed" err && exit 77 # built without LLVM
    cat err
    exit 1
  fi
  check 0 $kiln run large.cl -b $b -g 64 -l 64 -p 0:i32:3 zero:i32:64 i32=3
  out_is "0: 3 5 7"
done
check 1 $kiln run large.cl -b cpu -g 4096 -l 4096 zero:i32:4096 i32=3
err_has "a work-group of 4096 x 1 x 1 is larger than the 335 work-items that this kernel can have, with 800"
check 0 $kiln compile large.cl -b cpu --stats --json
out_has '"max_group_size": 335'
check 1 $kiln run larger.cl -b cpu -g 64 -l 64 zero:i32:64 i32=3
err_has "larger than the 33 work-items"
check 0 $kiln run larger.cl -b cpu -g 64 -p 0:i32:3 zero:i32:64 i32=3 # groups that the driver chooses fit
check 1 $kiln run huge.cl -b cpu -g 4 -l 1 zero:i32:4 i32=3
err_has " bytes of private memory across barriers for each of 1 work-items, 381.5 MiB together; at most 256 MiB"
check 1 $kiln run larger.cl -b interp -g 1024 -l 1024 zero:i32:1024 i32=3
err_has "bytes of private memory for each of 1024 work-items that meet at barriers"
err_has "at most 1024 MiB are possible, which is enough for 134"
# Merged groups keep more together: they are not made where that is too much.
sed 's/get_local_id(0)/get_local_id(1)/; s/o\[get_global_id(0)\]/o[get_global_id(1) * get_global_size(0) + get_global_id(0)]/' large.cl >rows.cl
check 1 $kiln run rows.cl -b cpu --options --kiln-shape=merged -g 256,64 -l 1,64 zero:i32:16384 i32=3
err_has "bytes of private memory across barriers for each of "
check 0 $kiln run rows.cl -b cpu -g 256,64 -l 1,64 --repeat 3 -p 0:i32:2 zero:i32:16384 i32=3
out_is "0: 3 3"
finish 10
