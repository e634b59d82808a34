# Schedules as text: what --emit plan prints of a kernel is what build options set, and what variants have.
#   schedule.sh KILN FOLDER
. "$2/lib.sh"
"$kiln" backends | grep -q '^cpu .* available ' || exit 77
cat >sum.cl <<'END'
kernel void sum(global int *a) {
  local int t[64];
  int l = get_local_id(0);
  t[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[l] + t[l ^ 1];
}
END
compile="$kiln compile sum.cl -b cpu -a x86-64-v3 --emit plan -o -"
if ! $compile >plan.txt 2>err; then
  grep -q "is not installed" err && exit 77 # built without LLVM
fi
check 0 grep -c "^  schedule: shape=rows lanes=16 registers=2 rows=whole ids=32\$" plan.txt
check 0 grep -c "^  needs shape=packed ids=64: large-ids, several-planes or several-rows\$" plan.txt
check 0 grep -c "^  replaces by lanes=4: rows-to-4, multiples-of-4, not ragged-rows\$" plan.txt
check 0 grep -c "^  needs rows=any: ragged-rows\$" plan.txt

# Each rule's schedule is that of the code that its options make.
rules=0
grep '^  [a-z ]* [a-z]*=.*: ' plan.txt | grep -v schedule: >rules.txt
while IFS= read -r rule; do
  rules=$((rules + 1))
  words=$(echo "${rule%%:*}" | tr ' ' '\n' | grep =)
  check 0 $compile --options "$(printf ' --kiln-%s' $words)"
  echo "$out" | sed -n 's/^  schedule://p' >schedule.txt
  for word in $words; do
    check 0 grep -c " $word\\( \\|\$\\)" schedule.txt
  done
done <rules.txt
[ "$rules" -ge 8 ] || complain "the plan has only $rules rules"

# Other kernels have other rules: those of a flat one, along both dimensions, and in full groups only.
cat >flat.cl <<'END'
kernel void rows(global float *a) { a[get_global_id(1) * get_global_size(0) + get_global_id(0)] *= 2; }
kernel void columns(global float *a) { a[get_global_id(0) * get_global_size(1) + get_global_id(1)] *= 2; }
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void full(global float *a) {
  a[get_group_id(0) * get_group_id(1)] = get_local_id(0);
}
END
check 0 $kiln compile flat.cl -b cpu -a x86-64-v3 --emit plan -o -
out_has "  gains by shape=flattened: many-items, short-rows, not one-row"
out_has "  prefers shape=rows rows=any: narrow"
out_has "  needs rows=any: partial-groups"

# A kernel that is compiled with all of its schedule is the same code.
cases=$dir/../exec
while read -r file shape; do
  check 0 $kiln compile "$cases/$file" -b cpu -a x86-64-v3 --emit plan -o -
  out_has "  schedule: $shape "
  options=$(echo "$out" | sed -n 's/^  schedule://p' | sed 's/ / --kiln-/g')
  check 0 $kiln compile "$cases/$file" -b cpu -a x86-64-v3 --emit ll -o as_it_is.ll
  check 0 $kiln compile "$cases/$file" -b cpu -a x86-64-v3 --emit ll -o asked.ll --options "$options"
  check 0 cmp as_it_is.ll asked.ll
done <<'END'
apps/black_scholes.cl shape=rows lanes=32 registers=4
apps/sgemm_tiled.cl shape=blocked lanes=16 registers=2
apps/sha512_pieces.cl shape=rows lanes=4 registers=1
apps/spmv_csr.cl shape=rows lanes=1 registers=1
END
# Another number of lanes in as many registers as they take, of kernels that can have it.
check 0 $compile --options "--kiln-lanes=32 --kiln-registers=4"
out_has "sum: lanes 32, "
check 2 $compile --options "--kiln-lanes=32 --kiln-registers=2"
err_has "kernel 'sum' cannot have lanes=32 registers=2: it has lanes=32 registers=4 (as the options ask)"
check 2 $compile --options "--kiln-registers=2"
err_has "the option registers of the cpu backend is at most 64, and goes with lanes: 2 and lanes=0"
echo 'kernel void says(global int *a) { printf("%d", a[get_global_id(0)]); }' >says.cl
check 2 $kiln compile says.cl -b cpu -a x86-64-v3 --emit plan -o - --options "--kiln-lanes=8 --kiln-registers=1"
err_has "it has lanes=1 registers=1 (the kernel prints, and the lines of a work-item stay together)"
finish 50
