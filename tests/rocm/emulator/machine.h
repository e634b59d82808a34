// The machine: waves and their registers, decoded instructions, and the tables of operations.
#ifndef KILN_TESTS_ROCM_EMULATOR_MACHINE_H
#define KILN_TESTS_ROCM_EMULATOR_MACHINE_H

#include <stddef.h>

#include "tests/rocm/emulator/values.h"

enum { LANES = 64, SGPRS = 128, VGPRS = 256, MAX_OPERANDS = 6 };
// Places of special registers among the scalar ones. The lane mask of a wave and M0 are kept apart.
enum { FLAT_SCRATCH = 102, XNACK_MASK = 104, VCC = 106, TTMP = 108, M0 = 124, EXEC = 126 };
// The upper halves of flat addresses of local and private memory.
enum { SHARED_APERTURE = 0x2000, PRIVATE_APERTURE = 0x2100 };

struct wave;
struct instruction;

// ---- instructions

enum operand_kind {
  OPERAND_OFF, // "off": no register
  OPERAND_SGPR,
  OPERAND_VGPR,
  OPERAND_AGPR,
  OPERAND_INTEGER, // an inline constant
  OPERAND_LITERAL,
  OPERAND_FLOAT,   // an inline constant: the value as a float
  OPERAND_INV_TAU, // 1/(2π)
  OPERAND_SHARED_BASE,
  OPERAND_PRIVATE_BASE,
  OPERAND_SCC,
  OPERAND_VCCZ,
  OPERAND_EXECZ,
  OPERAND_NULL,
  OPERAND_HARDWARE, // a hardware register: reg is its number, value is offset | width << 8
};

struct operand {
  enum operand_kind kind;
  uint16_t reg;
  uint32_t value;
  bool negate, absolute, sign_extend;
  bool high; // the upper half of the register
};

enum dpp {
  DPP_NONE,
  DPP_QUAD_PERM,
  DPP_ROW_SHL,
  DPP_ROW_SHR,
  DPP_ROW_ROR,
  DPP_WAVE_SHL,
  DPP_WAVE_ROL,
  DPP_WAVE_SHR,
  DPP_WAVE_ROR,
  DPP_ROW_MIRROR,
  DPP_ROW_HALF_MIRROR,
  DPP_ROW_BCAST,
  DPP_ROW_SHARE,
  DPP_ROW_XMASK,
  DPP_8,
};
enum select { SELECT_BYTE_0, SELECT_WORD_0 = 4, SELECT_WORD_1, SELECT_DWORD };
enum unused { UNUSED_PAD, UNUSED_SEXT, UNUSED_PRESERVE };

struct modifiers {
  int32_t offset, offset0, offset1;
  int32_t op_sel, op_sel_hi, neg_lo, neg_hi; // bits by operand
  int32_t clamp, multiply, divide;
  int32_t dpp, dpp_argument, row_mask, bank_mask, bound_ctrl, fetch_inactive;
  uint8_t lanes[8]; // of quad_perm and dpp8
  int32_t sdwa, dst_sel, dst_unused, src0_sel, src1_sel;
  int32_t returns; // an atomic gives the old value
  int32_t offen;
};

enum space { SPACE_GLOBAL, SPACE_FLAT, SPACE_SCRATCH, SPACE_BUFFER, SPACE_NONE };

// A row of one of the tables begins with this.
struct operation {
  const char *name; // as in gfx9; names.def has the later ones
  void (*run)(struct wave *wave, const struct instruction *in);
};

struct instruction {
  const struct operation *operation;
  uint32_t bytes;
  enum space space;
  struct operand operands[MAX_OPERANDS];
  uint32_t operand_count;
  struct modifiers mods;
  struct instruction *second; // of a VOPD pair: both read before either writes
  char *text;
};

// decode.c. A disassembler for one processor and wave size, and the names of all operations.
struct decoder;
struct decoder *decoder_create(const char *processor, unsigned wave_size);
void decoder_free(struct decoder *decoder);
// The instruction at code, or NULL and why.
struct instruction *decode(struct decoder *decoder, const void *code, size_t size, char *why, size_t why_size);
// The same from assembly text, as LLVM prints it.
struct instruction *decode_text(struct decoder *decoder, const char *text, char *why, size_t why_size);
void instruction_free(struct instruction *in);

// The tables; each is closed by a row without a name.
struct table {
  const char *rows; // struct operation first
  size_t row_size;
};
extern const struct table vector_table, scalar_table, compare_table, control_table, memory_table, lds_table,
    lanes_table;
void run_nothing(struct wave *wave, const struct instruction *in); // rows with it have no operands that matter

// ---- waves

enum wave_state { WAVE_RUNS, WAVE_AT_BARRIER, WAVE_ENDED, WAVE_FAILED };

// What the waves of a group share.
struct group {
  unsigned generation; // 9 to 12
  char *lds;
  uint32_t lds_bytes, scratch_bytes; // scratch: of one lane
  // Whether the device may access the bytes.
  bool (*reaches)(void *user, uint64_t address, uint64_t size);
  void *user;
  char error[512]; // the first one
};

struct wave {
  struct group *group;
  uint32_t sgpr[SGPRS];
  uint32_t (*vgpr)[LANES], (*agpr)[LANES];
  uint64_t exec;
  uint64_t pc; // of the next instruction
  uint64_t clock;
  uint32_t m0, mode;
  uint32_t size; // 32 or 64
  bool scc;
  enum wave_state state;
  char *scratch; // scratch_bytes for each lane
  struct {       // s_set_gpr_idx_on
    bool on;
    uint32_t index, mode;
  } indexing;
};

enum { INDEXES_DESTINATION = 8 }; // a bit of indexing.mode; those below are of the sources

// Ends the wave with a message.
void wave_fail(struct wave *wave, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool is_active(const struct wave *wave, uint32_t lane) { return wave->exec >> lane & 1; }
static inline uint32_t first_active(const struct wave *wave) {
  return wave->exec ? (uint32_t)__builtin_ctzll(wave->exec) : 0;
}

// ---- operands.c

uint32_t read_sgpr(const struct wave *wave, uint32_t reg);
void write_sgpr(struct wave *wave, uint32_t reg, uint32_t value);
// A scalar operand of 32 or 64 bits.
uint64_t read_scalar(const struct wave *wave, const struct operand *operand, enum type type);
void write_scalar(struct wave *wave, const struct operand *operand, unsigned bits, uint64_t value);
// A bit for each lane: a register or a pair of them, by the size of the wave.
uint64_t read_mask(const struct wave *wave, const struct operand *operand);
void write_mask(struct wave *wave, const struct operand *operand, uint64_t mask);
uint64_t read_vcc(const struct wave *wave);
void write_exec(struct wave *wave, uint64_t mask);
// The register that holds the operand's word for each lane. It fails for others than vector registers.
uint32_t *vector_register(struct wave *wave, const struct operand *operand, uint32_t word);
// The bits of an operand in a lane, before modifiers.
uint64_t read_raw(const struct wave *wave, const struct operand *operand, enum type type, uint32_t lane,
                  uint32_t index);
// Source number source (operand number operand) of a vector operation in a lane, with its modifiers. False: DPP says
// that the lane is not written.
bool read_source(struct wave *wave, const struct instruction *in, uint32_t operand, uint32_t source, enum type type,
                 uint32_t lane, uint64_t *value);
// Applies output modifiers.
uint64_t finish(const struct wave *wave, const struct instruction *in, enum type type, uint64_t value);
// Stores a finished value.
void write_lane(struct wave *wave, const struct instruction *in, enum type type, uint32_t sources, uint32_t lane,
                uint64_t value);

// ---- memory.c

// The bytes at an address of global memory, if the device can reach them; NULL: the wave has failed.
void *global_memory(struct wave *wave, uint64_t address, uint64_t size);
// The same of local memory.
void *local_memory(struct wave *wave, uint64_t address, uint64_t size);
enum atomic {
  ATOMIC_ADD,
  ATOMIC_SUB,
  ATOMIC_SMIN,
  ATOMIC_UMIN,
  ATOMIC_SMAX,
  ATOMIC_UMAX,
  ATOMIC_AND,
  ATOMIC_OR,
  ATOMIC_XOR,
  ATOMIC_INC,
  ATOMIC_DEC,
  ATOMIC_SWAP,
  ATOMIC_CMPSWAP,
  ATOMIC_ADD_F32,
  ATOMIC_ADD_F64,
  ATOMIC_MIN_F32,
  ATOMIC_MIN_F64,
  ATOMIC_MAX_F32,
  ATOMIC_MAX_F64,
  ATOMIC_PK_ADD_F16,
};
// The new value.
uint64_t atomic_result(enum atomic atomic, uint64_t old, uint64_t value, uint64_t compare, uint32_t bytes);
// How a value narrower than a register is kept in it.
enum part { PART_WHOLE, PART_SIGNED = 1, PART_LOW = 2, PART_HIGH = 4 };
void load_lane(struct wave *wave, const struct operand *destination, uint32_t lane, const void *from, uint32_t bytes,
               uint32_t part);
void store_lane(struct wave *wave, const struct operand *source, uint32_t lane, void *to, uint32_t bytes,
                uint32_t part);
// An atomic operation on aligned memory.
void atomic_lane(struct wave *wave, enum atomic atomic, void *memory, uint32_t lane, const struct operand *value,
                 uint64_t compare, const struct operand *old, uint32_t bytes);
uint64_t vector_words(struct wave *wave, const struct operand *operand, uint32_t first, uint32_t lane, uint32_t bytes);

#endif
