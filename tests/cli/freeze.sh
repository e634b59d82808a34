# scripts/freeze.py: programs of the tree and of a folder, each with the options of its runs; what differs is named.
. "$2/lib.sh"
command -v python3 >/dev/null || exit 77
freeze="python3 $dir/../../scripts/freeze.py --build ${kiln%/*} --archs x86-64-v3 --only saxpy"
mkdir others
cat >others/saxpys.cl <<'EOT'
// run: -g 4 -D N=2 -p zero:i32:4
// run: -g 8 -DN=3 --options -cl-opt-disable -p zero:i32:8
// run: -g 9 -D N=2 -p zero:i32:9
kernel void k(global int *p) { p[get_global_id(0)] *= N; }
EOT
echo 'kernel void k( {' >others/saxpy_broken.cl
check 0 $freeze save before others
out_has "programs, "
check 0 grep -q vpaddd before/x86-64-v3/saxpys.cl+-DN=2.s
check 0 grep -q "exit status 1" before/x86-64-v3/saxpy_broken.cl.s
check 0 ls before/x86-64-v3/bench/kernels/saxpy.cl+--kiln-shape=flattened.s
check 0 $freeze save again others
check 0 $freeze compare before again
out_has "0 of "
sed -i 's/N=3/N=5/' others/saxpys.cl
rm others/saxpy_broken.cl
check 0 $freeze save after others
check 1 $freeze compare before after
out_has "x86-64-v3/saxpy_broken.cl.s: 0 -> none instructions"
out_has "x86-64-v3/saxpys.cl+-DN=3_-cl-opt-disable.s: "
out_has "x86-64-v3/saxpys.cl+-DN=5_-cl-opt-disable.s: none -> "
out_has "3 of "
sed -i 's/\*=/-=/' others/saxpys.cl
check 0 $freeze save last others
check 1 $freeze compare after last
out_has "x86-64-v3/saxpys.cl+-DN=2.s: "
out_has "2 of "
finish 10
