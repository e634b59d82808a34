// Scalar operations: the rows of scalar.def, and control flow, modes and counters.
#include <math.h>

#include "tests/rocm/emulator/machine.h"

struct scalar_operation {
  struct operation base;
  // Of the sources and the old value of the destination: the new one.
  uint64_t (*compute)(struct wave *wave, const uint64_t source[3], uint64_t old);
  enum type to, from[3];
  uint32_t sources;
  bool has_result;
};

// Bits in groups of four: all where one is set.
static uint64_t whole_quads(uint64_t mask) {
  uint64_t result = 0;
  for (int i = 0; i < 64; i += 4)
    result |= mask >> i & 15 ? UINT64_C(15) << i : 0;
  return result;
}

// ---- the functions of the rows

// read: declarations of the sources.
#define SCALAR(name, to, read, value, new_scc)                                                                         \
  static uint64_t scalar_##name(struct wave *wave, const uint64_t source[3], uint64_t old_bits) {                      \
    bool scc = wave->scc;                                                                                              \
    read;                                                                                                              \
    to old = get_##to(old_bits), d = (to)(value);                                                                      \
    (void)scc, (void)old;                                                                                              \
    wave->scc = new_scc;                                                                                               \
    return put_##to(d);                                                                                                \
  }
#define S1(name, to, t0, value, new_scc) SCALAR(name, to, t0 a = get_##t0(source[0]), value, new_scc)
#define S2(name, to, t0, t1, value, new_scc)                                                                           \
  SCALAR(name, to, t0 a = get_##t0(source[0]); t1 b = get_##t1(source[1]), value, new_scc)
#define S3(name, to, t0, t1, t2, value, new_scc)                                                                       \
  SCALAR(name, to, t0 a = get_##t0(source[0]); t1 b = get_##t1(source[1]); t2 c = get_##t2(source[2]), value, new_scc)
#define TEST2(name, t0, t1, new_scc) S2(name, U32, t0, t1, 0, new_scc)
#define READ_MASKS(to) to a = get_##to(source[0]), x = (to)wave->exec
#define SAVEEXEC(name, to, mask) SCALAR(name, to, READ_MASKS(to), (write_exec(wave, (to)(mask)), x), wave->exec != 0)
#define WREXEC(name, to, mask) SCALAR(name, to, READ_MASKS(to), (write_exec(wave, (to)(mask)), wave->exec), d != 0)
#include "tests/rocm/emulator/scalar.def"

static void run_scalar(struct wave *wave, const struct instruction *in) {
  const struct scalar_operation *op = (const struct scalar_operation *)in->operation;
  uint64_t source[3] = {0}, old = 0;
  if (op->has_result && in->operands[0].kind == OPERAND_SGPR)
    old = read_scalar(wave, &in->operands[0], op->to);
  for (uint32_t s = 0; s < op->sources; s++)
    source[s] = read_scalar(wave, &in->operands[s + op->has_result], op->from[s]);
  uint64_t result = op->compute(wave, source, old);
  if (op->has_result)
    write_scalar(wave, &in->operands[0], type_bits(op->to), result);
}

static const struct scalar_operation scalar_rows[] = {
#define S1(name, to, t0, value, new_scc) {{#name, run_scalar}, scalar_##name, T_##to, {T_##t0}, 1, true},
#define S2(name, to, t0, t1, value, new_scc) {{#name, run_scalar}, scalar_##name, T_##to, {T_##t0, T_##t1}, 2, true},
#define S3(name, to, t0, t1, t2, value, new_scc)                                                                       \
  {{#name, run_scalar}, scalar_##name, T_##to, {T_##t0, T_##t1, T_##t2}, 3, true},
#define TEST2(name, t0, t1, new_scc) {{#name, run_scalar}, scalar_##name, T_U32, {T_##t0, T_##t1}, 2, false},
#define SAVEEXEC(name, to, mask) S1(name, to, to, 0, 0)
#define WREXEC(name, to, mask) S1(name, to, to, 0, 0)
#include "tests/rocm/emulator/scalar.def"
    {{NULL, NULL}}};
const struct table scalar_table = {(const char *)scalar_rows, sizeof *scalar_rows};

// ---- control

static void jump(struct wave *wave, const struct instruction *in, uint32_t operand) {
  int64_t words = (int16_t)in->operands[operand].value;
  wave->pc += (uint64_t)(4 * words); // pc is already behind this instruction
}

static void run_branch(struct wave *wave, const struct instruction *in) { jump(wave, in, 0); }
static void run_branch_scc0(struct wave *wave, const struct instruction *in) {
  if (!wave->scc)
    jump(wave, in, 0);
}
static void run_branch_scc1(struct wave *wave, const struct instruction *in) {
  if (wave->scc)
    jump(wave, in, 0);
}
static void run_branch_vccz(struct wave *wave, const struct instruction *in) {
  if (!read_vcc(wave))
    jump(wave, in, 0);
}
static void run_branch_vccnz(struct wave *wave, const struct instruction *in) {
  if (read_vcc(wave))
    jump(wave, in, 0);
}
static void run_branch_execz(struct wave *wave, const struct instruction *in) {
  if (!wave->exec)
    jump(wave, in, 0);
}
static void run_branch_execnz(struct wave *wave, const struct instruction *in) {
  if (wave->exec)
    jump(wave, in, 0);
}
static void run_getpc(struct wave *wave, const struct instruction *in) {
  write_scalar(wave, &in->operands[0], 64, wave->pc);
}
static void run_setpc(struct wave *wave, const struct instruction *in) {
  wave->pc = read_scalar(wave, &in->operands[0], T_U64);
}
static void run_swappc(struct wave *wave, const struct instruction *in) {
  uint64_t target = read_scalar(wave, &in->operands[1], T_U64);
  write_scalar(wave, &in->operands[0], 64, wave->pc);
  wave->pc = target;
}
static void run_call(struct wave *wave, const struct instruction *in) {
  write_scalar(wave, &in->operands[0], 64, wave->pc);
  jump(wave, in, 1);
}
static void run_end(struct wave *wave, const struct instruction *in) {
  (void)in;
  wave->state = WAVE_ENDED;
}
static void run_barrier(struct wave *wave, const struct instruction *in) {
  (void)in;
  wave->state = WAVE_AT_BARRIER;
}
static void run_trap(struct wave *wave, const struct instruction *in) {
  wave_fail(wave, "trap %u", in->operands[0].value);
}

// ---- modes and counters

enum { REGISTER_MODE = 1, REGISTER_SH_MEM_BASES = 15, REGISTER_FLAT_SCR_LO = 20, REGISTER_FLAT_SCR_HI = 21 };

static void check_mode(struct wave *wave) {
  if (wave->mode & 15)
    wave_fail(wave, "rounding modes other than to nearest are not modelled");
}

static void run_setreg(struct wave *wave, const struct instruction *in) {
  const struct operand *reg = &in->operands[0];
  uint32_t offset = reg->value & 255, width = reg->value >> 8, mask = (uint32_t)bit_field(UINT32_MAX, 0, width);
  uint32_t value = (uint32_t)read_scalar(wave, &in->operands[1], T_U32);
  if (reg->reg == REGISTER_MODE)
    wave->mode = (wave->mode & ~(mask << offset)) | (value & mask) << offset;
  else if (reg->reg != REGISTER_FLAT_SCR_LO && reg->reg != REGISTER_FLAT_SCR_HI) // scratch needs no address here
    wave_fail(wave, "writing hardware register %u is not modelled", reg->reg);
  check_mode(wave);
}

static void run_getreg(struct wave *wave, const struct instruction *in) {
  const struct operand *reg = &in->operands[1];
  uint32_t value = 0;
  if (reg->reg == REGISTER_MODE)
    value = wave->mode;
  else if (reg->reg == REGISTER_SH_MEM_BASES)
    value = SHARED_APERTURE << 16 | PRIVATE_APERTURE;
  else
    wave_fail(wave, "reading hardware register %u is not modelled", reg->reg);
  write_scalar(wave, &in->operands[0], 32, bit_field(value, reg->value & 255, reg->value >> 8));
}

static void run_denorm_mode(struct wave *wave, const struct instruction *in) {
  wave->mode = (wave->mode & ~0xf0u) | (in->operands[0].value & 15) << 4;
}
static void run_round_mode(struct wave *wave, const struct instruction *in) {
  wave->mode = (wave->mode & ~15u) | (in->operands[0].value & 15);
  check_mode(wave);
}

static void run_time(struct wave *wave, const struct instruction *in) {
  write_scalar(wave, &in->operands[0], 64, wave->clock += 100);
}

static void run_index_on(struct wave *wave, const struct instruction *in) {
  wave->indexing.on = true;
  wave->indexing.index = read_scalar(wave, &in->operands[0], T_U32) & 255;
  wave->indexing.mode = in->operands[1].value;
  wave->m0 = (wave->m0 & ~0xf0ffu) | wave->indexing.index | wave->indexing.mode << 12;
}
static void run_index_off(struct wave *wave, const struct instruction *in) {
  (void)in;
  wave->indexing.on = false;
}
static void run_index(struct wave *wave, const struct instruction *in) {
  wave->indexing.index = read_scalar(wave, &in->operands[0], T_U32) & 255;
}

static void run_movrels(struct wave *wave, const struct instruction *in) {
  uint32_t reg = in->operands[1].reg + wave->m0;
  if (reg >= VCC)
    wave_fail(wave, "s_movrels_b32 of register %u", reg);
  else
    write_scalar(wave, &in->operands[0], 32, read_sgpr(wave, reg));
}
static void run_movreld(struct wave *wave, const struct instruction *in) {
  uint32_t reg = in->operands[0].reg + wave->m0;
  if (reg >= VCC)
    wave_fail(wave, "s_movreld_b32 of register %u", reg);
  else
    write_sgpr(wave, reg, (uint32_t)read_scalar(wave, &in->operands[1], T_U32));
}

static const struct operation control_rows[] = {
    {"s_branch", run_branch},
    {"s_cbranch_scc0", run_branch_scc0},
    {"s_cbranch_scc1", run_branch_scc1},
    {"s_cbranch_vccz", run_branch_vccz},
    {"s_cbranch_vccnz", run_branch_vccnz},
    {"s_cbranch_execz", run_branch_execz},
    {"s_cbranch_execnz", run_branch_execnz},
    {"s_getpc_b64", run_getpc},
    {"s_setpc_b64", run_setpc},
    {"s_swappc_b64", run_swappc},
    {"s_call_b64", run_call},
    {"s_endpgm", run_end},
    {"s_barrier", run_barrier},
    {"s_trap", run_trap},
    {"s_setreg_b32", run_setreg},
    {"s_getreg_b32", run_getreg},
    {"s_denorm_mode", run_denorm_mode},
    {"s_round_mode", run_round_mode},
    {"s_memtime", run_time},
    {"s_memrealtime", run_time},
    {"s_set_gpr_idx_on", run_index_on},
    {"s_set_gpr_idx_off", run_index_off},
    {"s_set_gpr_idx_idx", run_index},
    {"s_movrels_b32", run_movrels},
    {"s_movreld_b32", run_movreld},
// Waits, hints, caches: each instruction is complete before the next one here. s_barrier_signal is told by the wait
// that follows it.
#define NOTHING(name) {#name, run_nothing},
    NOTHING(s_nop) NOTHING(s_waitcnt) NOTHING(s_waitcnt_depctr) NOTHING(s_waitcnt_vscnt) NOTHING(s_waitcnt_vmcnt)
        NOTHING(s_waitcnt_lgkmcnt) NOTHING(s_waitcnt_expcnt) NOTHING(s_wait_loadcnt) NOTHING(s_wait_storecnt)
            NOTHING(s_wait_dscnt) NOTHING(s_wait_kmcnt) NOTHING(s_wait_samplecnt) NOTHING(s_wait_bvhcnt)
                NOTHING(s_wait_expcnt) NOTHING(s_wait_alu) NOTHING(s_wait_idle) NOTHING(s_wait_loadcnt_dscnt)
                    NOTHING(s_wait_storecnt_dscnt) NOTHING(s_delay_alu) NOTHING(s_clause) NOTHING(s_code_end)
                        NOTHING(s_setprio) NOTHING(s_sleep) NOTHING(s_icache_inv) NOTHING(s_dcache_inv)
                            NOTHING(s_dcache_wb) NOTHING(s_gl1_inv) NOTHING(s_barrier_signal) NOTHING(s_sendmsg)
                                NOTHING(s_inst_prefetch) NOTHING(s_set_inst_prefetch_distance) NOTHING(s_prefetch_inst)
                                    NOTHING(s_prefetch_inst_pc_rel) NOTHING(s_prefetch_data) NOTHING(s_version)
                                        NOTHING(s_ttracedata) NOTHING(buffer_gl0_inv) NOTHING(buffer_gl1_inv)
                                            NOTHING(buffer_wbl2) NOTHING(buffer_inv) NOTHING(buffer_invl2)
                                                NOTHING(buffer_wbinvl1) NOTHING(buffer_wbinvl1_vol) NOTHING(global_wb)
                                                    NOTHING(global_inv) NOTHING(global_wbinv) NOTHING(v_nop)
#undef NOTHING
                                                        {NULL, NULL}};
const struct table control_table = {(const char *)control_rows, sizeof *control_rows};
