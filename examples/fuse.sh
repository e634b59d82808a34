#!/bin/sh
# The expression fuser gives the same on every backend that is here: on the command line of
#   fuse.sh FUSE KILN BACKEND CSV
set -eu
fuse=$1 kiln=$2 csv=$4
export COMPILE_BACKEND="$3" COMPILE_CACHE=off
"$kiln" backends --all | grep -q "^$3 .* available " || exit 77

# expect TEXT ARGUMENT...
expect() {
  want=$1
  shift
  got=$("$fuse" "$csv" "$@" 2>&1) || true
  case $got in
  *"$want"*) ;;
  *) echo "$*: '$got' lacks '$want'" >&2 && exit 1 ;;
  esac
}
expect '1053459.617 of 801 rows' 'price * quantity * (1 - discount)' --where 'quantity >= 10' --sum
expect '3.579466422 of 203 rows' 'sqrt(price) + max(quantity, 3) / pow(2, discount)' \
  --where 'quantity < 5 || price > 90 && !(discount == 0)' --min
expect '56.2956375 of 203 rows' 'sqrt(price) + max(quantity, 3) / pow(2, discount)' \
  --where 'quantity < 5 || price > 90 && !(discount == 0)' --max
expect '203 of 203 rows' 1 --where 'quantity < 5 || price > 90 && !(discount == 0)' --count
expect '7 of 1000 rows' '1 + 2 * 3' --mean
expect 'kernel @fused(' 'price' --ir
expect 'there is no column of this name' 'cost'
expect "')' is missing" '(price'
expect 'there is no function of this name' 'f(price)'
expect 'an operator is missing' 'price price'
