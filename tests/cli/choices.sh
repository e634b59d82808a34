# --kiln-no: each way of compiling that may be left out is there without it, and not there with it.
#   choices.sh KILN FOLDER
. "$2/lib.sh"
cases=$dir/../exec
words=0
while read -r word file; do
  words=$((words + 1))
  check 0 $kiln compile "$cases/$file" -b cpu -a x86-64-v4 --emit plan -o -
  case $out in
    *", $word "*) ;;
    *) complain "$word is not chosen" ;;
  esac
  check 0 $kiln compile "$cases/$file" -b cpu -a x86-64-v4 --emit plan -o - --options "--kiln-no=$word"
  case $out in
    *", $word "*) complain "$word is still chosen" ;;
  esac
done <<'LIST'
at-edge vectorisation/at_edge.cl
checked vectorisation/checked.cl
strided vectorisation/constant_tables.cl
transposed vectorisation/reduced_copy_reads_padding.cl
permuted vectorisation/constant_tables.cl
non-temporal apps/softmax.cl
grouped vectorisation/known_distances.cl
uniform-loop vectorisation/full_rounds.cl
register-blocked vectorisation/register_blocking.cl
grid-stride vectorisation/grid_stride.cl
remainder-loop vectorisation/scalar_replacement.cl
unit-version vectorisation/unit_versions.cl
small-masks vectorisation/small_masks.cl
memory-order vectorisation/memory_order.cl
group-guard barriers/group_guards.cl
LIST
[ "$words" = "$(grep -Ec '^KILN_(WAY|REMARK)\(.*, true\)' "$dir/../../backends/common/choices.def")" ] ||
  complain "choices.def has others"
check 2 $kiln compile "$cases/apps/softmax.cl" -b cpu --emit plan -o - --options --kiln-no=strided,gathered
err_has "'gathered' is none that can be left out"
finish 31
