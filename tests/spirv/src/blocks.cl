// run: -k blocks -g 64 -l 64 -p 1:u32 -p 2:u16 -p 3:u8 -p 4:u64 -p 5:u32 iota:u32:256 zero:u32:256 iota:u16:128 iota:u8:64 iota:u64:128 zero:u32:64
// Blocks that the work-items of a sub-group read and write together (SPV_INTEL_subgroups).
#ifdef __clang__
#define OVER __attribute__((overloadable, convergent))
uint4 OVER intel_sub_group_block_read4(const global uint *p);
void OVER intel_sub_group_block_write4(global uint *p, uint4 v);
uint OVER intel_sub_group_block_read(const local uint *p);
void OVER intel_sub_group_block_write(local uint *p, uint v);
ushort2 OVER intel_sub_group_block_read_us2(const global ushort *p);
void OVER intel_sub_group_block_write_us2(global ushort *p, ushort2 v);
uchar OVER intel_sub_group_block_read_uc(const global uchar *p);
void OVER intel_sub_group_block_write_uc(global uchar *p, uchar v);
ulong2 OVER intel_sub_group_block_read_ul2(const global ulong *p);
void OVER intel_sub_group_block_write_ul2(global ulong *p, ulong2 v);
#endif

kernel void blocks(global const uint *words, global uint *out, global ushort *shorts, global uchar *bytes,
                   global ulong *longs, global uint *through_local) {
  local uint shared[64];
  uint size = get_max_sub_group_size(), first = get_sub_group_id() * size;
  uint4 v = intel_sub_group_block_read4(words + 4 * first);
  intel_sub_group_block_write4(out + 4 * first, v * 3 + v.wzyx);
  ushort2 s = intel_sub_group_block_read_us2(shorts + 2 * first);
  intel_sub_group_block_write_us2(shorts + 2 * first, s.yx + (ushort)1000);
  uchar b = intel_sub_group_block_read_uc(bytes + first);
  intel_sub_group_block_write_uc(bytes + first, b ^ 85);
  ulong2 l = intel_sub_group_block_read_ul2(longs + 2 * first);
  intel_sub_group_block_write_ul2(longs + 2 * first, l * 1000000007);
  intel_sub_group_block_write(shared + first, v.x + get_sub_group_local_id());
  through_local[get_local_id(0)] = intel_sub_group_block_read(shared + first);
}
