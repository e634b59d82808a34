# Races between work-items, as the interpreter finds them.
. "$2/lib.sh"
export COMPILE_BACKEND=interp COMPILE_CACHE=off COMPILE_NUM_THREADS=1
head='#define ID get_global_id(0)
#define LID get_local_id(0)
'
# case STATUS TEXT BODY: a kernel of 8 work-items in groups of 4 over 8 integers, 4 of them local. TEXT: "" or part of the message.
case_() {
  printf '%skernel void k(global int *y, local int *t, volatile global int *v) {\n%s\n}\n' "$head" "$3" >case.cl
  check "$1" $kiln run case.cl -g 8 -l 4 zero:i32:8 local:16 zero:i32:8
  if [ -n "$2" ]; then err_has "$2"; else err_empty; fi
}
bar='barrier(CLK_LOCAL_MEM_FENCE);'

case_ 0 "" "y[ID] = 1;"
case_ 1 "case.cl:4:6: work-item (1, 0, 0) writes a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written at case.cl:4:6: a race, for nothing orders the two" "y[0] = ID + 1;"
case_ 1 "work-item (4, 0, 0) writes a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written at case.cl:4:20: a race" "if (LID == 0) y[0] = ID + 1;"
case_ 1 "reads a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written at case.cl:4:19: a race" "if (ID == 0) y[0] = 5; else y[ID] = y[0];"
case_ 1 "writes a byte at offset 28 of argument 'y', which work-item (0, 0, 0) has read at case.cl:4:49: a race" "if (ID == 7) y[7] = 5; else if (ID == 0) y[0] = y[7];"
case_ 1 "writes a byte at offset 28 of argument 'y', which work-item (0, 0, 0) has read at case.cl:4:37: a race" "if (ID == 7) y[7] = 5; else y[ID] = y[7];"
case_ 0 "" "y[0] = 3;" # whoever is last, it is 3
case_ 0 "" "if (LID) y[0] = 0;"
case_ 1 "a race" "y[0] = 1; y[0] = 2;"
case_ 1 "a race" "y[0] = ID ? 2 : 1; y[0] = 2;"
case_ 1 "a race" "y[0] = 3; y[1 + ID % 7] = y[0];"
# What memory held before makes no difference.
case_ 1 "case.cl:4:6: work-item (1, 0, 0) writes a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written" "y[0] = ID == 1;"
case_ 1 "work-item (5, 0, 0) writes a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written" "if (LID <= ID / 4) y[0] = ID == 5;"
case_ 1 "work-item (1, 0, 0) reads a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written" "if (ID == 0) y[0] = 0; else y[ID] = y[0];"
case_ 1 "writes a byte at offset 28 of argument 'y', which work-item (0, 0, 0) has read" "if (ID == 7) y[7] = 0; else y[ID] = y[7];"
case_ 1 "a race" "*(global int4 *)(y + ID / 4 * 4) = (int4)(0, 0, LID == 3, 0);"
case_ 1 "a race" "struct { int a[3]; } s = {{0, 0, ID == 6}}; *(global typeof(s) *)y = s;"
case_ 0 "" "struct { int a[3]; } s = {{0, 0, 6}}; *(global typeof(s) *)y = s;"
case_ 1 "a race" "atomic_xchg(y, 0); y[0] = 0;"
case_ 0 "" "y[ID ^ 1] = y[ID ^ 1] + 1;"

# Local memory, with barriers and without.
case_ 0 "" "t[LID] = ID; $bar y[ID] = t[3 - LID];"
case_ 1 "of argument 't', which work-item (0, 0, 0) has written at case.cl:4:8: a race" "t[LID] = ID + 1; y[ID] = t[0];"
case_ 1 "writes a byte at offset 4 of argument 't', which work-item (0, 0, 0) has read at case.cl:4:56: a race" \
  "t[LID] = ID + 1; $bar int x = t[(LID + 1) % 4]; t[LID] = x + 9; $bar y[ID] = t[LID];"
case_ 0 "" "t[LID] = ID + 1; $bar int x = t[(LID + 1) % 4]; $bar t[LID] = x + 9; $bar y[ID] = t[LID];"
case_ 0 "" "for (int s = 2; s; s /= 2) { if (LID < s) t[LID] = s + LID; $bar } y[ID] = t[0];"
# A barrier that is missing: what has not been written yet when it is read is the work of a race, and told as one.
read="which work-item (0, 0, 0) has read at case.cl:4"
case_ 1 "case.cl:4:8: work-item (2, 0, 0) writes a byte at offset 8 of argument 't', $read:48: a race" \
  "t[LID] = ID + 1; if (LID < 2) y[ID] = t[LID] + t[LID + 2];"
case_ 1 "work-item (2, 0, 0) writes a byte at offset 8 of argument 't', which work-item (1, 0, 0) has read at case.cl:4:22" \
  "t[LID] = ID + 1; if (t[3 - LID] > 2) y[ID] = 1;"
case_ 1 "(2, 0, 0) writes a byte at offset 8 of argument 't', which work-item (1, 0, 0) has read at case.cl:4:20" "t[LID] = ID + 1; y[t[3 - LID] & 7] = 1; $bar y[0] = 0;"
case_ 1 "writes a byte at offset 8 of argument 't', $read:49: a race" \
  "t[LID] = ID + 1; if (LID < 2) t[LID] = t[LID] + t[LID + 2]; $bar if (LID == 0) y[ID] = t[0] + t[1];"
case_ 1 "work-item (1, 0, 0) writes a byte at offset 4 of argument 't', which work-item (0, 0, 0) has read at" \
  "t[LID] = ID + 1; $bar for (int s = 2; s; s /= 2) { if (LID < s) t[LID] += t[LID + s]; } $bar y[ID] = t[0];"
case_ 1 "(2, 0, 0) writes a byte at offset 8 of argument 't', which work-item (1, 0, 0) has read" "t[LID] = 0; y[ID] = t[3 - LID];"
case_ 1 "(2, 0, 0) writes a byte at offset 8 of argument 't', which work-item (1, 0, 0) has read" \
  "t[LID] = 0; if (t[3 - LID]) y[ID] = 1; $bar y[ID] = t[LID];"
case_ 1 "(2, 0, 0) writes a byte at offset 8 of argument 't', which work-item (1, 0, 0) has read" \
  "t[LID] = 0; atomic_cmpxchg(&t[3 - LID], 7, 1);"
case_ 1 "case.cl:4:25: work-item (0, 0, 0) branches on a value that was never initialised" "if (LID == 3) t[0] = 1; if (t[1]) y[ID] = 1;"
# Another fault of a work-item behind does not hide the first.
case_ 1 "work-item (0, 0, 0) branches on a value that was never initialised" "if (LID == 3) y[99] = 1; if (t[1]) y[ID] = 1;"
# A barrier orders one group only.
case_ 1 "work-item (4, 0, 0) reads a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written" \
  "if (ID == 0) y[0] = 5; barrier(CLK_GLOBAL_MEM_FENCE); if (ID) y[ID] = y[0];"
case_ 0 "" "y[ID] = 5; barrier(CLK_GLOBAL_MEM_FENCE); t[LID] = y[ID ^ 1];"

# Atomics do not race with each other, but with plain accesses.
case_ 0 "" "atomic_inc(y);"
case_ 1 "a race" "atomic_inc(y); y[1 + ID % 7] = y[0];"
case_ 1 "work-item (1, 0, 0) does an atomic operation on a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written" \
  "if (ID == 0) y[0] = 5; else atomic_inc(y);"
# What was not atomic stays so when the same work-item adds an atomic access, and earlier work-items are not forgotten.
case_ 1 "does an atomic operation on a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written" \
  "if (ID == 0) y[0] = 5; atomic_inc(y);"
case_ 1 "does an atomic operation on a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has read" \
  "if (ID == 0) y[1] = y[0] + atomic_or(y, 0); atomic_inc(y);"
case_ 1 "reads a byte at offset 0 of argument 'y', which work-item (0, 0, 0) has written at case.cl:4:1" \
  "atomic_inc(y); if (ID == 7) y[1] = y[0];"
case_ 0 "" "if (LID == 0) t[0] = 0; $bar atomic_inc(t); $bar y[ID] = t[0];"
# An exchange whose comparison fails only reads.
case_ 0 "" "if (LID == 0) t[0] = 0; $bar if (atomic_cmpxchg(t, 0, 1) == 0) y[ID] = t[0];"
case_ 1 "a race" "if (LID == 0) t[0] = 0; $bar atomic_cmpxchg(t, 0, 1); if (LID == 3) y[ID] = t[0];"
case_ 0 "" "v[0] = ID; y[ID] = v[0];"
case_ 0 "" "y[0] = ID; mem_fence(CLK_GLOBAL_MEM_FENCE);"

# Groups on several threads: what is found, and told, depends neither on which of two came first nor on when.
export COMPILE_NUM_THREADS=4
threads_() { # as case_, on buffers that 64 groups of 4 can use; -g GLOBAL first
  printf '%skernel void k(global int *y, global int *z) {\n%s\n}\n' "$head" "$4" >case.cl
  for run in 1 2 3 4 5 6 7 8; do
    check "$2" $kiln run case.cl -g "$1" -l 4 zero:i32:256 zero:i32:256
    if [ -n "$3" ]; then err_has "$3"; else err_empty; fi
  done
}
slow='for (int i = 0; i < 3000; i++) z[ID] += i;'
first="which work-item (0, 0, 0) has"
threads_ 8 1 "work-item (4, 0, 0) writes a byte at offset 0 of argument 'y', $first written at" "if (LID == 0) y[0] = ID + 1;"
threads_ 8 1 "work-item (4, 0, 0) writes a byte at offset 0 of argument 'y', $first written at" "if (ID < 4) $slow if (LID == 0) y[0] = ID + 1;"
threads_ 8 1 "work-item (4, 0, 0) reads a byte at offset 0 of argument 'y', $first written at" "if (ID == 0) { $slow y[0] = 5; } if (ID == 4) y[4] = y[0];"
threads_ 8 1 "work-item (4, 0, 0) writes a byte at offset 0 of argument 'y', $first read at" "if (ID == 4) { y[0] = 5; } if (ID == 0) { $slow y[4] = y[0]; }"
threads_ 256 1 "work-item (252, 0, 0) writes a byte at offset 0 of argument 'y', $first written" "if (ID == 0 || ID == 252) y[0] = ID;"
threads_ 256 1 "a race" "if (LID == 0) y[ID / 128] = ID > 200;"
threads_ 256 0 "" "y[0] = 3; z[ID] = 3;"
threads_ 256 0 "" "atomic_inc(y); if (atomic_cmpxchg(y + 1, 0, 1) == 0) z[0] = y[1];"
threads_ 8 1 "work-item (1, 0, 0) reads 4 bytes at offset" "if (ID < 4) $slow if (LID == 0) y[0] = ID + 1; if (ID == 1) z[0] = y[1 << 20];"
export COMPILE_NUM_THREADS=1

# The same buffer twice, and not looking for races at all.
check 1 $kiln run case.cl -D N --options "-D mem_fence(x)=" -g 8 -l 4 zero:i32:8 local:16 zero:i32:8
printf 'kernel void k(global int *x, global int *y) { y[get_global_id(0)] = x[0] + 1; }' >case.cl
check 1 $kiln run case.cl -g 2 zero:i32:2 same:0
err_has "a race"
check 0 $kiln run case.cl --options --kiln-races=0 -g 2 zero:i32:2 same:0
err_empty

# Stores of equal values, by an option.
printf 'kernel void k(global int *x) { *x = 3; }' >case.cl
check 0 $kiln run case.cl -g 2 zero:i32:1
check 1 $kiln run case.cl --options --kiln-equal-stores=1 -g 2 zero:i32:1
err_has "work-item (1, 0, 0) writes a byte at offset 0 of argument 'x', which work-item (0, 0, 0) has written"
finish 125
