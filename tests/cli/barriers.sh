# Barriers that not all work-items of a group reach, as the interpreter finds them.
. "$2/lib.sh"
export COMPILE_BACKEND=interp COMPILE_CACHE=off COMPILE_NUM_THREADS=1
head='#define LID (int)get_local_id(0)
#define B barrier(CLK_LOCAL_MEM_FENCE)
'
# case STATUS TEXT BODY [OPTION...]: a kernel of 8 work-items in groups of 4. TEXT: "" or part of the message.
case_() {
  status=$1 text=$2
  printf '%s%s\nkernel void k(global int *y, local int *t, int n) {\n%s\n}\n' "$head" "$helpers" "$3" >case.cl
  shift 3
  check "$status" $kiln run case.cl "$@" -g 8 -l 4 zero:i32:8 local:16 i32=3
  if [ -n "$text" ]; then err_has "$text"; else err_empty; fi
}
helpers='void wait(int c) { if (c) return; B; }'
strict='--options --kiln-strict-barriers=1'
at='case.cl:5:'
ids='(0, 0, 0) waits at this barrier, which work-item (2, 0, 0) of its group'

# Skipped by a branch.
case_ 1 "${at}16: work-item $ids skipped at ${at}1 and has ended" "if (LID < 2) { B; }"
case_ 1 "${at}16: work-item $ids skipped at ${at}1 and has ended" "if (LID < 2) { B; } y[LID] = 1;"
case_ 1 "${at}16: work-item $ids skipped at ${at}1 and has ended" "if (LID < 2) { B; } else return;"
case_ 1 "${at}31: work-item (2, 0, 0) waits at this barrier, which work-item (0, 0, 0) of its group skipped" \
  "if (LID < 2) y[LID] = 1; else B;"
case_ 1 "which work-item (2, 0, 0) of its group skipped at" "switch (LID) { case 0: case 1: B; break; case 2: y[2] = 1; }"
case_ 1 "skipped at" "wait(LID > 1); y[get_global_id(0)] = 1;"
# The reduction whose barrier is inside of the branch: who is out of it does nothing more.
case_ 1 "${at}54: work-item $ids skipped at ${at}39 and has ended" \
  "t[LID] = LID; B; for (; n > 1; n--) { if (LID < 2) { B; t[LID] += n; } }"
# Skipped by leaving a loop before the others.
case_ 1 "work-item (1, 0, 0) waits at this barrier, which work-item (0, 0, 0) of its group skipped at" \
  "for (int i = 0; i < LID; i++) B;"
case_ 1 "skipped at" "for (int i = 0; i < n; i++) { if (i == LID) break; B; } y[get_global_id(0)] = 1;"
case_ 1 "skipped at" "for (int i = 0; i < n; i++) { if (i == LID) continue; B; }"
# Returned, but after it had skipped the barrier.
case_ 1 "$ids skipped at ${at}1 and has ended" "if (LID < 2) { B; } if (LID) return; B; y[0] = 1;"
case_ 1 "work-item (3, 0, 0) of its group skipped at ${at}31 and has ended" "for (int i = 0; i < n; i++) { if (i == LID) B; if (i == 2) return; }"
# At another barrier.
case_ 1 "work-item (2, 0, 0) waits at this barrier, while work-item (0, 0, 0) of its group waits at the one at ${at}16" \
  "if (LID < 2) { B; } else { B; }"

# All reach it, or have returned before.
for body in "B; y[get_global_id(0)] = 1;" \
  "if (LID > 1) return; B; y[get_global_id(0)] = 1;" \
  "if (LID > 1) { y[get_global_id(0)] = 1; return; } B;" \
  "if (LID > 1) goto end; B; y[get_global_id(0)] = 1; end:;" \
  "wait(LID > 1);" \
  "for (int i = 0; i < n; i++) { if (i == LID) return; B; }" \
  "for (int i = 0; i < n; i++) { B; if (i == LID) return; t[LID] = i; }" \
  "for (int i = 0; i < n; i++) { if (i & 1) { B; } if (i == LID) return; if (n > 2) { B; } }" \
  "for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) { if (k == 2) break; if (i * 2 + k == LID) return; B; }" \
  "if (n == 4) { B; } if (LID == 2) return; if (n == 3) { B; } y[get_global_id(0)] = 1;"; do
  case_ 0 "" "$body"
done
# OpenCL C has no such rule for those that have returned.
case_ 0 "" "B; y[get_global_id(0)] = 1;" $strict
case_ 1 "${at}22: work-item $ids does not reach: it returned at ${at}14" "if (LID > 1) return; B; y[get_global_id(0)] = 1;" $strict
finish 25
