// 64 cells in a word, in private arrays, until nothing changes.
// run: -g 5 -p 1:u64 rand:u64:20:1 zero:u64:20 u32=110 i32=6
// expect: 1: 3855600048175711976 1065380134057331088 13704696588144966685 2052754253635161198 8098250180062025791 5547066918331009511 11169026004677060326 8194575638599557622 6373046884137908790 17042696015249272863 9736210087929519844 17933557465797213839 18151518874816339071 14360995820373769718 10042745743163138911 4480110607478653427 15857035188584839894 13761539956976626816 7961243562273911358 17021356688376913146
kernel void ca(global const ulong4 *in, global ulong4 *out, uint rule, int steps) {
  ulong c[4], n[4];
  vstore4(in[get_global_id(0)], 0, c);
  for (int s = 0; s < steps + (int)(get_global_id(0) % 3); s++) {
    for (int i = 0; i < 4; i++) {
      ulong l = c[i] << 1 | c[(i + 3) & 3] >> 63, r = c[i] >> 1 | c[(i + 1) & 3] << 63, x = 0;
      for (int b = 0; b < 8; b++)
        if (rule >> b & 1)
          x |= (b & 4 ? l : ~l) & (b & 2 ? c[i] : ~c[i]) & (b & 1 ? r : ~r);
      n[i] = x;
    }
    if (n[0] == c[0] && n[3] == c[3])
      break;
    for (int i = 0; i < 4; i++)
      c[i] = n[i];
  }
  out[get_global_id(0)] = vload4(0, c);
}
