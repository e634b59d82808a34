# kiln cache.
. "$2/lib.sh"
check 3 $kiln cache stat
err_has "not available in this version"
finish 1
