# A file that does not end is read up to the largest source there may be, and refused.
. "$2/lib.sh"
echo 'kernel void k(global char *o) { o[0] = 1; }' >k.cl
mkfifo pipe
cat /dev/zero >pipe 2>/dev/null &
check 1 $kiln compile pipe -b interp
err_has "cannot read 'pipe': it has more than 1 GiB"
check 1 $kiln run k.cl -b interp -g 1 buf:/dev/zero
err_has "cannot read '/dev/zero': it has more than 1 GiB"
truncate -s 3G large.cl # a hole: takes no room
check 1 $kiln cache explain large.cl
err_has "cannot read 'large.cl': it has more than 1 GiB"
finish 3
