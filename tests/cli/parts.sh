# A program that is compiled in several parts on the cpu backend: the same bytes whoever compiles it, its stages, and
# errors in one of the parts.
. "$2/lib.sh"
cp "$dir/../exec/language/program_in_parts.cl" large.cl
options="-b cpu --options -cl-std=CL2.0"
if ! "$kiln" compile large.cl $options --stats >/dev/null 2>err; then
  grep -q "is not installed" err && exit 77 # built without LLVM
fi
export COMPILE_CACHE=off

# The number of threads, a listener and the helper process change nothing.
check 0 env COMPILE_NUM_THREADS=1 $kiln compile large.cl $options -o one.so
for settings in COMPILE_NUM_THREADS=2 COMPILE_NUM_THREADS=16 COMPILE_NUM_THREADS=0 COMPILE_DUMP_DIR=dump COMPILE_ISOLATE=1 \
  "COMPILE_ISOLATE=1 COMPILE_NUM_THREADS=1"; do
  check 0 env $settings $kiln compile large.cl $options -o other.so
  check 0 cmp one.so other.so
done

# Texts of stages have a line in front of each part; the object is one.
stem=$(basename dump/*.ll .ll)
parts=$(grep -c '^; kiln part [0-9]* of ' "dump/$stem.ll")
check 0 test "$parts" -gt 2
check 0 test "$(grep -c '^# kiln part ' "dump/$stem.s")" = "$parts"
check 0 $kiln compile large.cl $options --emit ll
out_has "; kiln part 1 of $parts"
check 0 $kiln compile large.cl $options --emit o -o large.o
check 0 cmp large.o "dump/$stem.o"

# From a stage on: as it was, and edited in one part.
run="$kiln run large.cl $options -k counts -g 4 -p 0:i32 zero:i32:4"
mkdir put
cp "dump/$stem.ll" put/
check 0 env COMPILE_OVERRIDE_DIR=put COMPILE_NUM_THREADS=2 $kiln compile large.cl $options -o other.so
check 0 cmp one.so other.so
rm put/*
cp "dump/$stem.s" put/
check 0 env COMPILE_OVERRIDE_DIR=put COMPILE_NUM_THREADS=2 $run
out_is "0: 2 3 5 7"
rm put/*
sed '/^@primes/s/\\02\\00\\00\\00\\03/\\04\\00\\00\\00\\03/' "dump/$stem.ll" >"put/$stem.ll"
check 0 env COMPILE_OVERRIDE_DIR=put $run
out_is "0: 4 3 5 7"

# What is wrong in one part is told, and that of the first part whatever is faster.
for threads in 1 2; do
  sed 's/@mixes.kernel/@mixed.kernel/; s/@sums.kernel/@summed.kernel/' "dump/$stem.ll" >"put/$stem.ll"
  check 1 env COMPILE_OVERRIDE_DIR=put COMPILE_NUM_THREADS=$threads $run
  err_has "the LLVM IR has no function 'mixes.kernel'"
  sed "/^; kiln part $parts of/a nonsense" "dump/$stem.ll" >"put/$stem.ll"
  check 1 env COMPILE_OVERRIDE_DIR=put COMPILE_NUM_THREADS=$threads $run
  err_has "LLVM: "
  sed "/^; kiln part $parts of/d" "dump/$stem.ll" >"put/$stem.ll"
  check 1 env COMPILE_OVERRIDE_DIR=put COMPILE_NUM_THREADS=$threads $run
  err_has "the LLVM IR is that of a program in $((parts - 1)) parts, and this one is compiled in $parts"
done
rm put/*
sed 's/call\(.*\)mix\.fn/call\1mixed.fn/' "dump/$stem.s" >"put/$stem.s"
check 3 env COMPILE_OVERRIDE_DIR=put $run
err_has "the generated code calls 'mixed.fn', which no library provides"

# With -g it is one part, since the description of its types is one.
check 0 $kiln compile large.cl -b cpu --options "-cl-std=CL2.0 -g" --emit ll
out_lacks "kiln part"
finish 30
