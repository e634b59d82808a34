# Stages that are dumped, edited, and gone on from: COMPILE_OVERRIDE_DIR, and stages as the command's FILE.
. "$2/lib.sh"
cat >add.cl <<'END'
kernel void add(global int *y) {
  size_t i = get_global_id(0);
  y[i] += 1234567;
}
END
edited="0: 7654322 7654323"

# try BACKEND STAGE: dumps, edits that one stage, runs with it in place.
try() {
  rm -rf dump put
  check 0 env COMPILE_DUMP_DIR=dump $kiln run add.cl -b "$1" -g 2 -p 0:i32 list:i32:1,2
  out_is "0: 1234568 1234569"
  mkdir put
  cp dump/add-"$1"-*."$2" put/
  sed -i 's/1234567/7654321/g; s/12d687/74cbb1/g' put/*
  check 0 env COMPILE_OVERRIDE_DIR=put $kiln run add.cl -b "$1" -g 2 -p 0:i32 list:i32:1,2
  out_is "$edited"
  # That is an entry of its own: without the folder the kernel is what it was, and with it found again.
  check 0 $kiln run add.cl -b "$1" -g 2 -p 0:i32 list:i32:1,2
  out_is "0: 1234568 1234569"
  check 0 env COMPILE_OVERRIDE_DIR=put $kiln run add.cl -b "$1" -g 2 -p 0:i32 --time list:i32:1,2
  out_has "cache hit"
  out_has "$edited"
}

try interp kir
# Nobody put anything for these there.
check 0 env COMPILE_OVERRIDE_DIR=put $kiln run "$dir/kernels.cl" -k hello -b interp -g 1 i32=7
out_is "hello 7"
check 0 env COMPILE_OVERRIDE_DIR=nowhere $kiln run add.cl -b interp -g 1 -p 0:i32 list:i32:1
out_is "0: 1234568"
# What is there must be right.
for f in put/*; do echo nonsense >"$f"; done
check 1 env COMPILE_OVERRIDE_DIR=put $kiln run add.cl -b interp -g 1 list:i32:1
err_has "error: "
for f in put/*; do rm "$f"; mkdir "$f"; done
check 2 env COMPILE_OVERRIDE_DIR=put $kiln run add.cl -b interp -g 1 list:i32:1
err_has "cannot be read: Is a directory"
check 2 $kiln compile add.ll -b interp
err_has "backend 'interp' cannot start from stage 'll'"
done=9

if "$kiln" compile add.cl -b cpu --stats >/dev/null 2>err; then
  try cpu kir
  try cpu s
  try cpu ll
  stem=$(basename put/*.ll .ll)
  cp put/"$stem".ll .
  check 1 $kiln run "$stem".ll -b cpu -g 2 -p 0:i32 list:i32:1,2
  err_has "its kernels and arguments are read from '$stem.kir', which is not there"
  cp dump/"$stem".kir .
  check 0 $kiln run "$stem".ll -b cpu -g 2 -p 0:i32 list:i32:1,2
  out_is "$edited"
  check 0 $kiln compile "$stem".ll -b cpu --emit ll
  sed 's/ *;.*//' stdout >again # LLVM lists predecessors in another order
  sed 's/ *;.*//' "$stem".ll >given
  check 0 cmp again given
  check 0 $kiln compile "$stem".ll -b cpu --emit s
  out_has 7654321
  check 0 env COMPILE_RECORD=manifest $kiln run "$stem".ll -v -b cpu -g 2 list:i32:1,2
  err_has "is not recorded"
  sed 's/@add/@other/g' put/"$stem".ll >"$stem".ll
  check 1 $kiln compile "$stem".ll -b cpu
  err_has "the LLVM IR has no function 'add"
  sed 's/^target triple = .*/target triple = "aarch64-unknown-linux-gnu"/' put/"$stem".ll >"$stem".ll
  check 1 $kiln compile "$stem".ll -b cpu
  err_has "the LLVM IR is for the target 'aarch64-unknown-linux-gnu'"
  echo nonsense >"$stem".ll
  check 1 $kiln compile "$stem".ll -b cpu
  err_has "LLVM: "
  echo nonsense >"$stem".s
  check 1 $kiln compile "$stem".s -b cpu
  err_has "LLVM: "
  # What the functions of assembly need of the stack stands in it, and adds up along calls.
  frames() { sed '/# kiln frame/d' dump/"$stem".s >"$stem".s && printf '# kiln frame %s\n' "$@" >>"$stem".s; }
  one="--options --kiln-lanes=1"
  frames "add.kernel 300 100 f g sinf" "f 9000 5000 g" "g 4000 2000"
  check 0 $kiln compile "$stem".s -b cpu $one --stats
  out_has "private bytes: 7100"
  frames "add.kernel 300 0 f" "f 300000000 0"
  check 1 $kiln run "$stem".s -b cpu $one -g 2 list:i32:1,2
  err_has "needs 286.1 MiB of stack for the private variables of 1 work-item; at most 256 MiB are possible"
  frames "add.kernel 300 0 f" "f 300 0 g" "g 300 0 f"
  check 1 $kiln run "$stem".s -b cpu $one -g 2 list:i32:1,2
  err_has "needs more than 4096.0 MiB of stack"
  frames "f 300 0"
  check 1 $kiln compile "$stem".s -b cpu $one
  err_has "the code does not say what stack kernel 'add' needs"
  cp dump/"$stem".o put/"$stem".o
  check 2 env COMPILE_OVERRIDE_DIR=put $kiln run add.cl -b cpu -g 2 list:i32:1,2
  err_has "$stem.o: backend 'cpu' cannot start from stage 'o'; it can from: ir, ll, s"
  rm -rf dump
  check 0 env COMPILE_DUMP_DIR=dump $kiln compile add.cl -b rocm -a gfx942 --stats
  stem=dump/$(basename dump/*.ll .ll)
  sed -i 's/1234567/7654321/' "$stem".ll
  check 0 $kiln compile "$stem".ll -b rocm -a gfx942 --emit s
  out_has 0x74cbb1
  check 0 $kiln compile "$stem".ll -b rocm -a gfx942 -o add.hsaco
  check 0 test -s add.hsaco
  done=$((done + 31))
elif ! grep -q "is not installed" err; then
  cat err
  exit 1
fi

if "$kiln" devices -b opencl 2>/dev/null | grep -q . && "$kiln" run add.cl -b opencl -g 1 list:i32:1 2>/dev/null; then
  try opencl cl
  done=$((done + 4))
fi
finish $done
