// A chain of eleven unrolled hash functions and ciphers on 64 bytes, the size and style of a miner's kernel.
// run: -g 19 -p 1:u32 iota:u32:16 zero:u32:304
// skip: opencl PoCL 3.1 takes more than six minutes to compile it
// expect: 1: 3747581842 1037598367 4023948583 337879554 1759302351 1878325882 4161429111 417189987 3286629033 1908103239 2613558347 128694572 4062570274 1009449911 187454482 1071284987 3152238906 293768446 2281833954 3020856800 2497937008 1628239838 3774357695 3367597490 1369253284 2679384923 1637410690 3047528493 50157936 754768985 4101405319 2913360321 1255378719 3063740307 2496986123 157460610 968447457 267834566 198078208 1793901053 506228793 440310390 3821549663 3283998779 2845373387 965953867 2076702707 2013915458 57395585 846122863 2738348159 2800767737 1441855145 3308368721 677757614 1581499642 2785674829 4269772916 2264899699 2036004820 2446163654 1692782872 1487361596 2832152123 2973975956 2127190509 3783922466 4025520039 1779780070 453519632 2764844460 3187252439 2403084422 2319765036 1563917192 2238509439 1265344252 1706381423 3116008266 1069523572 4914818 2004281537 2139142211 2822658585 2136172062 2851144157 2670872497 1895796790 3725287691 2556955454 655698102 2636835259 3409760761 1165920793 3081341942 2238776021 4040859131 2901002536 470536568 1302425428 3521523748 379336054 235770600 2732027706 1611868493 2960094942 1361048868 1581388038 2718689984 1288084921 1889904351 4068561378 1526884855 4251634346 1443004167 997926522 2194008221 3906051900 2274804006 771039803 485431833 3364154031 2594445098 1265061526 2539069322 2718370847 1203935821 665982104 1477684045 721694261 3670676956 1753291775 3779129986 1052735724 2711621081 1645799365 2848498758 3151005658 1950132094 2372995338 1566619134 3801905742 3868704314 3873520404 2689424994 2534752254 3616039941 2635520996 2292108672 1308249148 1358931096 2896440641 2493378982 1869680416 2769300263 3574097953 190481243 3398409316 3975034077 736937428 1330681299 989588162 3281631600 3124885463 4090985780 655444911 3459212520 1484687961 3581845703 3917095233 572515594 2611866932 3786491779 184188373 5847844 2706584777 196269030 3201706003 1039901706 3231196977 2444190942 3301758595 2702943879 634891211 591606178 3586537436 2880311516 1792975137 498471170 445882747 2516040530 2673509153 4132455842 3208315172 3424078296 3871442491 3528748765 2494436706 3956880805 33927559 1934240366 311034194 2122575011 4269630361 2433505851 737315867 852891888 3142780586 2544880416 2799173494 3991776856 1875456435 1949260656 3100949899 2387854403 648659837 1075720174 4273038089 1316567733 3511627583 896184021 2688897699 3379805039 2134862312 734041546 3741143576 1649175695 3799311256 64777233 3241626944 3409813066 189314499 1103494764 751522313 1783162234 3245356991 1099248316 4165787535 2751733859 967475541 4021781011 3792319798 2391365691 2276564175 3866659757 1538215536 2486888455 1331344142 182969454 3449543128 2896125325 3497202261 401067581 2084030752 1514051729 226266481 1302501860 4249239423 2431059276 2681571952 49570859 4254224483 485074791 3472829890 1782339318 977573081 1014273571 1960521120 707277526 1030965312 325075268 319985116 2241273464 3204683533 4156447011 896634493 1126997835 127355857 2958167563 658141774 1770753802 337761153 2899888644 3069905649 3569973962 3227024526 362899515 1764708065 401072762 4138782898 1262958043 3262776770 2048296634 2575598210 2145831562 760054222 3381952773 2616412473 421569865 2822402183 3615548185 2112820031 3802456162 415883987
#define ROTL32(x, n) rotate((uint)(x), (uint)(n))
#define ROTR32(x, n) rotate((uint)(x), (uint)(32 - (n)))
#define ROTL64(x, n) rotate((ulong)(x), (ulong)(n))
#define ROTR64(x, n) rotate((ulong)(x), (ulong)(64 - (n)))
#define CH(x, y, z) bitselect((z), (y), (x))
#define MAJ(x, y, z) bitselect((x), (y), (x) ^ (z))
#define SWAP32(x) ((ROTL32((x), 8) & 0x00ff00ffU) | (ROTL32((x), 24) & 0xff00ff00U))
#define SWAP64(x) as_ulong(as_uchar8((ulong)(x)).s76543210)
#define PAIR(low, high) (((ulong)(high) << 32) | (low))
#define LOW(x) ((uint)(x))
#define HIGH(x) ((uint)((x) >> 32))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

// ---- MD5
#define MD5_F(x, y, z) CH(x, y, z)
#define MD5_G(x, y, z) CH(z, x, y)
#define MD5_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))
#define MD5_STEP(f, a, b, c, d, x, t, s) \
  do { \
    a += CAT(MD5_, f)(b, c, d) + (x) + (t); \
    a = ROTL32(a, s) + b; \
  } while (0)

static void md5_64(uint *s) {
  uint a = 0x67452301U, b = 0xefcdab89U, c = 0x98badcfeU, d = 0x10325476U;
  {
    uint a0 = a, b0 = b, c0 = c, d0 = d;
    MD5_STEP(F, a, b, c, d, s[0], 0xd76aa478U, 7);
    MD5_STEP(F, d, a, b, c, s[1], 0xe8c7b756U, 12);
    MD5_STEP(F, c, d, a, b, s[2], 0x242070dbU, 17);
    MD5_STEP(F, b, c, d, a, s[3], 0xc1bdceeeU, 22);
    MD5_STEP(F, a, b, c, d, s[4], 0xf57c0fafU, 7);
    MD5_STEP(F, d, a, b, c, s[5], 0x4787c62aU, 12);
    MD5_STEP(F, c, d, a, b, s[6], 0xa8304613U, 17);
    MD5_STEP(F, b, c, d, a, s[7], 0xfd469501U, 22);
    MD5_STEP(F, a, b, c, d, s[8], 0x698098d8U, 7);
    MD5_STEP(F, d, a, b, c, s[9], 0x8b44f7afU, 12);
    MD5_STEP(F, c, d, a, b, s[10], 0xffff5bb1U, 17);
    MD5_STEP(F, b, c, d, a, s[11], 0x895cd7beU, 22);
    MD5_STEP(F, a, b, c, d, s[12], 0x6b901122U, 7);
    MD5_STEP(F, d, a, b, c, s[13], 0xfd987193U, 12);
    MD5_STEP(F, c, d, a, b, s[14], 0xa679438eU, 17);
    MD5_STEP(F, b, c, d, a, s[15], 0x49b40821U, 22);
    MD5_STEP(G, a, b, c, d, s[1], 0xf61e2562U, 5);
    MD5_STEP(G, d, a, b, c, s[6], 0xc040b340U, 9);
    MD5_STEP(G, c, d, a, b, s[11], 0x265e5a51U, 14);
    MD5_STEP(G, b, c, d, a, s[0], 0xe9b6c7aaU, 20);
    MD5_STEP(G, a, b, c, d, s[5], 0xd62f105dU, 5);
    MD5_STEP(G, d, a, b, c, s[10], 0x02441453U, 9);
    MD5_STEP(G, c, d, a, b, s[15], 0xd8a1e681U, 14);
    MD5_STEP(G, b, c, d, a, s[4], 0xe7d3fbc8U, 20);
    MD5_STEP(G, a, b, c, d, s[9], 0x21e1cde6U, 5);
    MD5_STEP(G, d, a, b, c, s[14], 0xc33707d6U, 9);
    MD5_STEP(G, c, d, a, b, s[3], 0xf4d50d87U, 14);
    MD5_STEP(G, b, c, d, a, s[8], 0x455a14edU, 20);
    MD5_STEP(G, a, b, c, d, s[13], 0xa9e3e905U, 5);
    MD5_STEP(G, d, a, b, c, s[2], 0xfcefa3f8U, 9);
    MD5_STEP(G, c, d, a, b, s[7], 0x676f02d9U, 14);
    MD5_STEP(G, b, c, d, a, s[12], 0x8d2a4c8aU, 20);
    MD5_STEP(H, a, b, c, d, s[5], 0xfffa3942U, 4);
    MD5_STEP(H, d, a, b, c, s[8], 0x8771f681U, 11);
    MD5_STEP(H, c, d, a, b, s[11], 0x6d9d6122U, 16);
    MD5_STEP(H, b, c, d, a, s[14], 0xfde5380cU, 23);
    MD5_STEP(H, a, b, c, d, s[1], 0xa4beea44U, 4);
    MD5_STEP(H, d, a, b, c, s[4], 0x4bdecfa9U, 11);
    MD5_STEP(H, c, d, a, b, s[7], 0xf6bb4b60U, 16);
    MD5_STEP(H, b, c, d, a, s[10], 0xbebfbc70U, 23);
    MD5_STEP(H, a, b, c, d, s[13], 0x289b7ec6U, 4);
    MD5_STEP(H, d, a, b, c, s[0], 0xeaa127faU, 11);
    MD5_STEP(H, c, d, a, b, s[3], 0xd4ef3085U, 16);
    MD5_STEP(H, b, c, d, a, s[6], 0x04881d05U, 23);
    MD5_STEP(H, a, b, c, d, s[9], 0xd9d4d039U, 4);
    MD5_STEP(H, d, a, b, c, s[12], 0xe6db99e5U, 11);
    MD5_STEP(H, c, d, a, b, s[15], 0x1fa27cf8U, 16);
    MD5_STEP(H, b, c, d, a, s[2], 0xc4ac5665U, 23);
    MD5_STEP(I, a, b, c, d, s[0], 0xf4292244U, 6);
    MD5_STEP(I, d, a, b, c, s[7], 0x432aff97U, 10);
    MD5_STEP(I, c, d, a, b, s[14], 0xab9423a7U, 15);
    MD5_STEP(I, b, c, d, a, s[5], 0xfc93a039U, 21);
    MD5_STEP(I, a, b, c, d, s[12], 0x655b59c3U, 6);
    MD5_STEP(I, d, a, b, c, s[3], 0x8f0ccc92U, 10);
    MD5_STEP(I, c, d, a, b, s[10], 0xffeff47dU, 15);
    MD5_STEP(I, b, c, d, a, s[1], 0x85845dd1U, 21);
    MD5_STEP(I, a, b, c, d, s[8], 0x6fa87e4fU, 6);
    MD5_STEP(I, d, a, b, c, s[15], 0xfe2ce6e0U, 10);
    MD5_STEP(I, c, d, a, b, s[6], 0xa3014314U, 15);
    MD5_STEP(I, b, c, d, a, s[13], 0x4e0811a1U, 21);
    MD5_STEP(I, a, b, c, d, s[4], 0xf7537e82U, 6);
    MD5_STEP(I, d, a, b, c, s[11], 0xbd3af235U, 10);
    MD5_STEP(I, c, d, a, b, s[2], 0x2ad7d2bbU, 15);
    MD5_STEP(I, b, c, d, a, s[9], 0xeb86d391U, 21);
    a += a0, b += b0, c += c0, d += d0;
  }
  {
    uint a0 = a, b0 = b, c0 = c, d0 = d;
    MD5_STEP(F, a, b, c, d, 0x80U, 0xd76aa478U, 7);
    MD5_STEP(F, d, a, b, c, 0U, 0xe8c7b756U, 12);
    MD5_STEP(F, c, d, a, b, 0U, 0x242070dbU, 17);
    MD5_STEP(F, b, c, d, a, 0U, 0xc1bdceeeU, 22);
    MD5_STEP(F, a, b, c, d, 0U, 0xf57c0fafU, 7);
    MD5_STEP(F, d, a, b, c, 0U, 0x4787c62aU, 12);
    MD5_STEP(F, c, d, a, b, 0U, 0xa8304613U, 17);
    MD5_STEP(F, b, c, d, a, 0U, 0xfd469501U, 22);
    MD5_STEP(F, a, b, c, d, 0U, 0x698098d8U, 7);
    MD5_STEP(F, d, a, b, c, 0U, 0x8b44f7afU, 12);
    MD5_STEP(F, c, d, a, b, 0U, 0xffff5bb1U, 17);
    MD5_STEP(F, b, c, d, a, 0U, 0x895cd7beU, 22);
    MD5_STEP(F, a, b, c, d, 0U, 0x6b901122U, 7);
    MD5_STEP(F, d, a, b, c, 0U, 0xfd987193U, 12);
    MD5_STEP(F, c, d, a, b, 512U, 0xa679438eU, 17);
    MD5_STEP(F, b, c, d, a, 0U, 0x49b40821U, 22);
    MD5_STEP(G, a, b, c, d, 0U, 0xf61e2562U, 5);
    MD5_STEP(G, d, a, b, c, 0U, 0xc040b340U, 9);
    MD5_STEP(G, c, d, a, b, 0U, 0x265e5a51U, 14);
    MD5_STEP(G, b, c, d, a, 0x80U, 0xe9b6c7aaU, 20);
    MD5_STEP(G, a, b, c, d, 0U, 0xd62f105dU, 5);
    MD5_STEP(G, d, a, b, c, 0U, 0x02441453U, 9);
    MD5_STEP(G, c, d, a, b, 0U, 0xd8a1e681U, 14);
    MD5_STEP(G, b, c, d, a, 0U, 0xe7d3fbc8U, 20);
    MD5_STEP(G, a, b, c, d, 0U, 0x21e1cde6U, 5);
    MD5_STEP(G, d, a, b, c, 512U, 0xc33707d6U, 9);
    MD5_STEP(G, c, d, a, b, 0U, 0xf4d50d87U, 14);
    MD5_STEP(G, b, c, d, a, 0U, 0x455a14edU, 20);
    MD5_STEP(G, a, b, c, d, 0U, 0xa9e3e905U, 5);
    MD5_STEP(G, d, a, b, c, 0U, 0xfcefa3f8U, 9);
    MD5_STEP(G, c, d, a, b, 0U, 0x676f02d9U, 14);
    MD5_STEP(G, b, c, d, a, 0U, 0x8d2a4c8aU, 20);
    MD5_STEP(H, a, b, c, d, 0U, 0xfffa3942U, 4);
    MD5_STEP(H, d, a, b, c, 0U, 0x8771f681U, 11);
    MD5_STEP(H, c, d, a, b, 0U, 0x6d9d6122U, 16);
    MD5_STEP(H, b, c, d, a, 512U, 0xfde5380cU, 23);
    MD5_STEP(H, a, b, c, d, 0U, 0xa4beea44U, 4);
    MD5_STEP(H, d, a, b, c, 0U, 0x4bdecfa9U, 11);
    MD5_STEP(H, c, d, a, b, 0U, 0xf6bb4b60U, 16);
    MD5_STEP(H, b, c, d, a, 0U, 0xbebfbc70U, 23);
    MD5_STEP(H, a, b, c, d, 0U, 0x289b7ec6U, 4);
    MD5_STEP(H, d, a, b, c, 0x80U, 0xeaa127faU, 11);
    MD5_STEP(H, c, d, a, b, 0U, 0xd4ef3085U, 16);
    MD5_STEP(H, b, c, d, a, 0U, 0x04881d05U, 23);
    MD5_STEP(H, a, b, c, d, 0U, 0xd9d4d039U, 4);
    MD5_STEP(H, d, a, b, c, 0U, 0xe6db99e5U, 11);
    MD5_STEP(H, c, d, a, b, 0U, 0x1fa27cf8U, 16);
    MD5_STEP(H, b, c, d, a, 0U, 0xc4ac5665U, 23);
    MD5_STEP(I, a, b, c, d, 0x80U, 0xf4292244U, 6);
    MD5_STEP(I, d, a, b, c, 0U, 0x432aff97U, 10);
    MD5_STEP(I, c, d, a, b, 512U, 0xab9423a7U, 15);
    MD5_STEP(I, b, c, d, a, 0U, 0xfc93a039U, 21);
    MD5_STEP(I, a, b, c, d, 0U, 0x655b59c3U, 6);
    MD5_STEP(I, d, a, b, c, 0U, 0x8f0ccc92U, 10);
    MD5_STEP(I, c, d, a, b, 0U, 0xffeff47dU, 15);
    MD5_STEP(I, b, c, d, a, 0U, 0x85845dd1U, 21);
    MD5_STEP(I, a, b, c, d, 0U, 0x6fa87e4fU, 6);
    MD5_STEP(I, d, a, b, c, 0U, 0xfe2ce6e0U, 10);
    MD5_STEP(I, c, d, a, b, 0U, 0xa3014314U, 15);
    MD5_STEP(I, b, c, d, a, 0U, 0x4e0811a1U, 21);
    MD5_STEP(I, a, b, c, d, 0U, 0xf7537e82U, 6);
    MD5_STEP(I, d, a, b, c, 0U, 0xbd3af235U, 10);
    MD5_STEP(I, c, d, a, b, 0U, 0x2ad7d2bbU, 15);
    MD5_STEP(I, b, c, d, a, 0U, 0xeb86d391U, 21);
    a += a0, b += b0, c += c0, d += d0;
  }
  s[0] = a, s[1] = b, s[2] = c, s[3] = d;
}

// ---- RIPEMD-160
#define RMD_F1(x, y, z) ((x) ^ (y) ^ (z))
#define RMD_F2(x, y, z) CH(x, y, z)
#define RMD_F3(x, y, z) (((x) | ~(y)) ^ (z))
#define RMD_F4(x, y, z) CH(z, x, y)
#define RMD_F5(x, y, z) ((x) ^ ((y) | ~(z)))
#define RMD_STEP(n, a, b, c, d, e, x, k, s) \
  do { \
    a += CAT(RMD_F, n)(b, c, d) + (x) + (k); \
    a = ROTL32(a, s) + e; \
    c = ROTL32(c, 10); \
  } while (0)

static void ripemd160_64(uint *s) {
  uint h0 = 0x67452301U, h1 = 0xefcdab89U, h2 = 0x98badcfeU, h3 = 0x10325476U, h4 = 0xc3d2e1f0U;
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, aa = h0, bb = h1, cc = h2, dd = h3, ee = h4, t;
    RMD_STEP(1, a, b, c, d, e, s[0], 0x00000000U, 11);
    RMD_STEP(1, e, a, b, c, d, s[1], 0x00000000U, 14);
    RMD_STEP(1, d, e, a, b, c, s[2], 0x00000000U, 15);
    RMD_STEP(1, c, d, e, a, b, s[3], 0x00000000U, 12);
    RMD_STEP(1, b, c, d, e, a, s[4], 0x00000000U, 5);
    RMD_STEP(1, a, b, c, d, e, s[5], 0x00000000U, 8);
    RMD_STEP(1, e, a, b, c, d, s[6], 0x00000000U, 7);
    RMD_STEP(1, d, e, a, b, c, s[7], 0x00000000U, 9);
    RMD_STEP(1, c, d, e, a, b, s[8], 0x00000000U, 11);
    RMD_STEP(1, b, c, d, e, a, s[9], 0x00000000U, 13);
    RMD_STEP(1, a, b, c, d, e, s[10], 0x00000000U, 14);
    RMD_STEP(1, e, a, b, c, d, s[11], 0x00000000U, 15);
    RMD_STEP(1, d, e, a, b, c, s[12], 0x00000000U, 6);
    RMD_STEP(1, c, d, e, a, b, s[13], 0x00000000U, 7);
    RMD_STEP(1, b, c, d, e, a, s[14], 0x00000000U, 9);
    RMD_STEP(1, a, b, c, d, e, s[15], 0x00000000U, 8);
    RMD_STEP(2, e, a, b, c, d, s[7], 0x5a827999U, 7);
    RMD_STEP(2, d, e, a, b, c, s[4], 0x5a827999U, 6);
    RMD_STEP(2, c, d, e, a, b, s[13], 0x5a827999U, 8);
    RMD_STEP(2, b, c, d, e, a, s[1], 0x5a827999U, 13);
    RMD_STEP(2, a, b, c, d, e, s[10], 0x5a827999U, 11);
    RMD_STEP(2, e, a, b, c, d, s[6], 0x5a827999U, 9);
    RMD_STEP(2, d, e, a, b, c, s[15], 0x5a827999U, 7);
    RMD_STEP(2, c, d, e, a, b, s[3], 0x5a827999U, 15);
    RMD_STEP(2, b, c, d, e, a, s[12], 0x5a827999U, 7);
    RMD_STEP(2, a, b, c, d, e, s[0], 0x5a827999U, 12);
    RMD_STEP(2, e, a, b, c, d, s[9], 0x5a827999U, 15);
    RMD_STEP(2, d, e, a, b, c, s[5], 0x5a827999U, 9);
    RMD_STEP(2, c, d, e, a, b, s[2], 0x5a827999U, 11);
    RMD_STEP(2, b, c, d, e, a, s[14], 0x5a827999U, 7);
    RMD_STEP(2, a, b, c, d, e, s[11], 0x5a827999U, 13);
    RMD_STEP(2, e, a, b, c, d, s[8], 0x5a827999U, 12);
    RMD_STEP(3, d, e, a, b, c, s[3], 0x6ed9eba1U, 11);
    RMD_STEP(3, c, d, e, a, b, s[10], 0x6ed9eba1U, 13);
    RMD_STEP(3, b, c, d, e, a, s[14], 0x6ed9eba1U, 6);
    RMD_STEP(3, a, b, c, d, e, s[4], 0x6ed9eba1U, 7);
    RMD_STEP(3, e, a, b, c, d, s[9], 0x6ed9eba1U, 14);
    RMD_STEP(3, d, e, a, b, c, s[15], 0x6ed9eba1U, 9);
    RMD_STEP(3, c, d, e, a, b, s[8], 0x6ed9eba1U, 13);
    RMD_STEP(3, b, c, d, e, a, s[1], 0x6ed9eba1U, 15);
    RMD_STEP(3, a, b, c, d, e, s[2], 0x6ed9eba1U, 14);
    RMD_STEP(3, e, a, b, c, d, s[7], 0x6ed9eba1U, 8);
    RMD_STEP(3, d, e, a, b, c, s[0], 0x6ed9eba1U, 13);
    RMD_STEP(3, c, d, e, a, b, s[6], 0x6ed9eba1U, 6);
    RMD_STEP(3, b, c, d, e, a, s[13], 0x6ed9eba1U, 5);
    RMD_STEP(3, a, b, c, d, e, s[11], 0x6ed9eba1U, 12);
    RMD_STEP(3, e, a, b, c, d, s[5], 0x6ed9eba1U, 7);
    RMD_STEP(3, d, e, a, b, c, s[12], 0x6ed9eba1U, 5);
    RMD_STEP(4, c, d, e, a, b, s[1], 0x8f1bbcdcU, 11);
    RMD_STEP(4, b, c, d, e, a, s[9], 0x8f1bbcdcU, 12);
    RMD_STEP(4, a, b, c, d, e, s[11], 0x8f1bbcdcU, 14);
    RMD_STEP(4, e, a, b, c, d, s[10], 0x8f1bbcdcU, 15);
    RMD_STEP(4, d, e, a, b, c, s[0], 0x8f1bbcdcU, 14);
    RMD_STEP(4, c, d, e, a, b, s[8], 0x8f1bbcdcU, 15);
    RMD_STEP(4, b, c, d, e, a, s[12], 0x8f1bbcdcU, 9);
    RMD_STEP(4, a, b, c, d, e, s[4], 0x8f1bbcdcU, 8);
    RMD_STEP(4, e, a, b, c, d, s[13], 0x8f1bbcdcU, 9);
    RMD_STEP(4, d, e, a, b, c, s[3], 0x8f1bbcdcU, 14);
    RMD_STEP(4, c, d, e, a, b, s[7], 0x8f1bbcdcU, 5);
    RMD_STEP(4, b, c, d, e, a, s[15], 0x8f1bbcdcU, 6);
    RMD_STEP(4, a, b, c, d, e, s[14], 0x8f1bbcdcU, 8);
    RMD_STEP(4, e, a, b, c, d, s[5], 0x8f1bbcdcU, 6);
    RMD_STEP(4, d, e, a, b, c, s[6], 0x8f1bbcdcU, 5);
    RMD_STEP(4, c, d, e, a, b, s[2], 0x8f1bbcdcU, 12);
    RMD_STEP(5, b, c, d, e, a, s[4], 0xa953fd4eU, 9);
    RMD_STEP(5, a, b, c, d, e, s[0], 0xa953fd4eU, 15);
    RMD_STEP(5, e, a, b, c, d, s[5], 0xa953fd4eU, 5);
    RMD_STEP(5, d, e, a, b, c, s[9], 0xa953fd4eU, 11);
    RMD_STEP(5, c, d, e, a, b, s[7], 0xa953fd4eU, 6);
    RMD_STEP(5, b, c, d, e, a, s[12], 0xa953fd4eU, 8);
    RMD_STEP(5, a, b, c, d, e, s[2], 0xa953fd4eU, 13);
    RMD_STEP(5, e, a, b, c, d, s[10], 0xa953fd4eU, 12);
    RMD_STEP(5, d, e, a, b, c, s[14], 0xa953fd4eU, 5);
    RMD_STEP(5, c, d, e, a, b, s[1], 0xa953fd4eU, 12);
    RMD_STEP(5, b, c, d, e, a, s[3], 0xa953fd4eU, 13);
    RMD_STEP(5, a, b, c, d, e, s[8], 0xa953fd4eU, 14);
    RMD_STEP(5, e, a, b, c, d, s[11], 0xa953fd4eU, 11);
    RMD_STEP(5, d, e, a, b, c, s[6], 0xa953fd4eU, 8);
    RMD_STEP(5, c, d, e, a, b, s[15], 0xa953fd4eU, 5);
    RMD_STEP(5, b, c, d, e, a, s[13], 0xa953fd4eU, 6);
    RMD_STEP(5, aa, bb, cc, dd, ee, s[5], 0x50a28be6U, 8);
    RMD_STEP(5, ee, aa, bb, cc, dd, s[14], 0x50a28be6U, 9);
    RMD_STEP(5, dd, ee, aa, bb, cc, s[7], 0x50a28be6U, 9);
    RMD_STEP(5, cc, dd, ee, aa, bb, s[0], 0x50a28be6U, 11);
    RMD_STEP(5, bb, cc, dd, ee, aa, s[9], 0x50a28be6U, 13);
    RMD_STEP(5, aa, bb, cc, dd, ee, s[2], 0x50a28be6U, 15);
    RMD_STEP(5, ee, aa, bb, cc, dd, s[11], 0x50a28be6U, 15);
    RMD_STEP(5, dd, ee, aa, bb, cc, s[4], 0x50a28be6U, 5);
    RMD_STEP(5, cc, dd, ee, aa, bb, s[13], 0x50a28be6U, 7);
    RMD_STEP(5, bb, cc, dd, ee, aa, s[6], 0x50a28be6U, 7);
    RMD_STEP(5, aa, bb, cc, dd, ee, s[15], 0x50a28be6U, 8);
    RMD_STEP(5, ee, aa, bb, cc, dd, s[8], 0x50a28be6U, 11);
    RMD_STEP(5, dd, ee, aa, bb, cc, s[1], 0x50a28be6U, 14);
    RMD_STEP(5, cc, dd, ee, aa, bb, s[10], 0x50a28be6U, 14);
    RMD_STEP(5, bb, cc, dd, ee, aa, s[3], 0x50a28be6U, 12);
    RMD_STEP(5, aa, bb, cc, dd, ee, s[12], 0x50a28be6U, 6);
    RMD_STEP(4, ee, aa, bb, cc, dd, s[6], 0x5c4dd124U, 9);
    RMD_STEP(4, dd, ee, aa, bb, cc, s[11], 0x5c4dd124U, 13);
    RMD_STEP(4, cc, dd, ee, aa, bb, s[3], 0x5c4dd124U, 15);
    RMD_STEP(4, bb, cc, dd, ee, aa, s[7], 0x5c4dd124U, 7);
    RMD_STEP(4, aa, bb, cc, dd, ee, s[0], 0x5c4dd124U, 12);
    RMD_STEP(4, ee, aa, bb, cc, dd, s[13], 0x5c4dd124U, 8);
    RMD_STEP(4, dd, ee, aa, bb, cc, s[5], 0x5c4dd124U, 9);
    RMD_STEP(4, cc, dd, ee, aa, bb, s[10], 0x5c4dd124U, 11);
    RMD_STEP(4, bb, cc, dd, ee, aa, s[14], 0x5c4dd124U, 7);
    RMD_STEP(4, aa, bb, cc, dd, ee, s[15], 0x5c4dd124U, 7);
    RMD_STEP(4, ee, aa, bb, cc, dd, s[8], 0x5c4dd124U, 12);
    RMD_STEP(4, dd, ee, aa, bb, cc, s[12], 0x5c4dd124U, 7);
    RMD_STEP(4, cc, dd, ee, aa, bb, s[4], 0x5c4dd124U, 6);
    RMD_STEP(4, bb, cc, dd, ee, aa, s[9], 0x5c4dd124U, 15);
    RMD_STEP(4, aa, bb, cc, dd, ee, s[1], 0x5c4dd124U, 13);
    RMD_STEP(4, ee, aa, bb, cc, dd, s[2], 0x5c4dd124U, 11);
    RMD_STEP(3, dd, ee, aa, bb, cc, s[15], 0x6d703ef3U, 9);
    RMD_STEP(3, cc, dd, ee, aa, bb, s[5], 0x6d703ef3U, 7);
    RMD_STEP(3, bb, cc, dd, ee, aa, s[1], 0x6d703ef3U, 15);
    RMD_STEP(3, aa, bb, cc, dd, ee, s[3], 0x6d703ef3U, 11);
    RMD_STEP(3, ee, aa, bb, cc, dd, s[7], 0x6d703ef3U, 8);
    RMD_STEP(3, dd, ee, aa, bb, cc, s[14], 0x6d703ef3U, 6);
    RMD_STEP(3, cc, dd, ee, aa, bb, s[6], 0x6d703ef3U, 6);
    RMD_STEP(3, bb, cc, dd, ee, aa, s[9], 0x6d703ef3U, 14);
    RMD_STEP(3, aa, bb, cc, dd, ee, s[11], 0x6d703ef3U, 12);
    RMD_STEP(3, ee, aa, bb, cc, dd, s[8], 0x6d703ef3U, 13);
    RMD_STEP(3, dd, ee, aa, bb, cc, s[12], 0x6d703ef3U, 5);
    RMD_STEP(3, cc, dd, ee, aa, bb, s[2], 0x6d703ef3U, 14);
    RMD_STEP(3, bb, cc, dd, ee, aa, s[10], 0x6d703ef3U, 13);
    RMD_STEP(3, aa, bb, cc, dd, ee, s[0], 0x6d703ef3U, 13);
    RMD_STEP(3, ee, aa, bb, cc, dd, s[4], 0x6d703ef3U, 7);
    RMD_STEP(3, dd, ee, aa, bb, cc, s[13], 0x6d703ef3U, 5);
    RMD_STEP(2, cc, dd, ee, aa, bb, s[8], 0x7a6d76e9U, 15);
    RMD_STEP(2, bb, cc, dd, ee, aa, s[6], 0x7a6d76e9U, 5);
    RMD_STEP(2, aa, bb, cc, dd, ee, s[4], 0x7a6d76e9U, 8);
    RMD_STEP(2, ee, aa, bb, cc, dd, s[1], 0x7a6d76e9U, 11);
    RMD_STEP(2, dd, ee, aa, bb, cc, s[3], 0x7a6d76e9U, 14);
    RMD_STEP(2, cc, dd, ee, aa, bb, s[11], 0x7a6d76e9U, 14);
    RMD_STEP(2, bb, cc, dd, ee, aa, s[15], 0x7a6d76e9U, 6);
    RMD_STEP(2, aa, bb, cc, dd, ee, s[0], 0x7a6d76e9U, 14);
    RMD_STEP(2, ee, aa, bb, cc, dd, s[5], 0x7a6d76e9U, 6);
    RMD_STEP(2, dd, ee, aa, bb, cc, s[12], 0x7a6d76e9U, 9);
    RMD_STEP(2, cc, dd, ee, aa, bb, s[2], 0x7a6d76e9U, 12);
    RMD_STEP(2, bb, cc, dd, ee, aa, s[13], 0x7a6d76e9U, 9);
    RMD_STEP(2, aa, bb, cc, dd, ee, s[9], 0x7a6d76e9U, 12);
    RMD_STEP(2, ee, aa, bb, cc, dd, s[7], 0x7a6d76e9U, 5);
    RMD_STEP(2, dd, ee, aa, bb, cc, s[10], 0x7a6d76e9U, 15);
    RMD_STEP(2, cc, dd, ee, aa, bb, s[14], 0x7a6d76e9U, 8);
    RMD_STEP(1, bb, cc, dd, ee, aa, s[12], 0x00000000U, 8);
    RMD_STEP(1, aa, bb, cc, dd, ee, s[15], 0x00000000U, 5);
    RMD_STEP(1, ee, aa, bb, cc, dd, s[10], 0x00000000U, 12);
    RMD_STEP(1, dd, ee, aa, bb, cc, s[4], 0x00000000U, 9);
    RMD_STEP(1, cc, dd, ee, aa, bb, s[1], 0x00000000U, 12);
    RMD_STEP(1, bb, cc, dd, ee, aa, s[5], 0x00000000U, 5);
    RMD_STEP(1, aa, bb, cc, dd, ee, s[8], 0x00000000U, 14);
    RMD_STEP(1, ee, aa, bb, cc, dd, s[7], 0x00000000U, 6);
    RMD_STEP(1, dd, ee, aa, bb, cc, s[6], 0x00000000U, 8);
    RMD_STEP(1, cc, dd, ee, aa, bb, s[2], 0x00000000U, 13);
    RMD_STEP(1, bb, cc, dd, ee, aa, s[13], 0x00000000U, 6);
    RMD_STEP(1, aa, bb, cc, dd, ee, s[14], 0x00000000U, 5);
    RMD_STEP(1, ee, aa, bb, cc, dd, s[0], 0x00000000U, 15);
    RMD_STEP(1, dd, ee, aa, bb, cc, s[3], 0x00000000U, 13);
    RMD_STEP(1, cc, dd, ee, aa, bb, s[9], 0x00000000U, 11);
    RMD_STEP(1, bb, cc, dd, ee, aa, s[11], 0x00000000U, 11);
    t = h1 + c + dd;
    h1 = h2 + d + ee;
    h2 = h3 + e + aa;
    h3 = h4 + a + bb;
    h4 = h0 + b + cc;
    h0 = t;
  }
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, aa = h0, bb = h1, cc = h2, dd = h3, ee = h4, t;
    RMD_STEP(1, a, b, c, d, e, 0x80U, 0x00000000U, 11);
    RMD_STEP(1, e, a, b, c, d, 0U, 0x00000000U, 14);
    RMD_STEP(1, d, e, a, b, c, 0U, 0x00000000U, 15);
    RMD_STEP(1, c, d, e, a, b, 0U, 0x00000000U, 12);
    RMD_STEP(1, b, c, d, e, a, 0U, 0x00000000U, 5);
    RMD_STEP(1, a, b, c, d, e, 0U, 0x00000000U, 8);
    RMD_STEP(1, e, a, b, c, d, 0U, 0x00000000U, 7);
    RMD_STEP(1, d, e, a, b, c, 0U, 0x00000000U, 9);
    RMD_STEP(1, c, d, e, a, b, 0U, 0x00000000U, 11);
    RMD_STEP(1, b, c, d, e, a, 0U, 0x00000000U, 13);
    RMD_STEP(1, a, b, c, d, e, 0U, 0x00000000U, 14);
    RMD_STEP(1, e, a, b, c, d, 0U, 0x00000000U, 15);
    RMD_STEP(1, d, e, a, b, c, 0U, 0x00000000U, 6);
    RMD_STEP(1, c, d, e, a, b, 0U, 0x00000000U, 7);
    RMD_STEP(1, b, c, d, e, a, 512U, 0x00000000U, 9);
    RMD_STEP(1, a, b, c, d, e, 0U, 0x00000000U, 8);
    RMD_STEP(2, e, a, b, c, d, 0U, 0x5a827999U, 7);
    RMD_STEP(2, d, e, a, b, c, 0U, 0x5a827999U, 6);
    RMD_STEP(2, c, d, e, a, b, 0U, 0x5a827999U, 8);
    RMD_STEP(2, b, c, d, e, a, 0U, 0x5a827999U, 13);
    RMD_STEP(2, a, b, c, d, e, 0U, 0x5a827999U, 11);
    RMD_STEP(2, e, a, b, c, d, 0U, 0x5a827999U, 9);
    RMD_STEP(2, d, e, a, b, c, 0U, 0x5a827999U, 7);
    RMD_STEP(2, c, d, e, a, b, 0U, 0x5a827999U, 15);
    RMD_STEP(2, b, c, d, e, a, 0U, 0x5a827999U, 7);
    RMD_STEP(2, a, b, c, d, e, 0x80U, 0x5a827999U, 12);
    RMD_STEP(2, e, a, b, c, d, 0U, 0x5a827999U, 15);
    RMD_STEP(2, d, e, a, b, c, 0U, 0x5a827999U, 9);
    RMD_STEP(2, c, d, e, a, b, 0U, 0x5a827999U, 11);
    RMD_STEP(2, b, c, d, e, a, 512U, 0x5a827999U, 7);
    RMD_STEP(2, a, b, c, d, e, 0U, 0x5a827999U, 13);
    RMD_STEP(2, e, a, b, c, d, 0U, 0x5a827999U, 12);
    RMD_STEP(3, d, e, a, b, c, 0U, 0x6ed9eba1U, 11);
    RMD_STEP(3, c, d, e, a, b, 0U, 0x6ed9eba1U, 13);
    RMD_STEP(3, b, c, d, e, a, 512U, 0x6ed9eba1U, 6);
    RMD_STEP(3, a, b, c, d, e, 0U, 0x6ed9eba1U, 7);
    RMD_STEP(3, e, a, b, c, d, 0U, 0x6ed9eba1U, 14);
    RMD_STEP(3, d, e, a, b, c, 0U, 0x6ed9eba1U, 9);
    RMD_STEP(3, c, d, e, a, b, 0U, 0x6ed9eba1U, 13);
    RMD_STEP(3, b, c, d, e, a, 0U, 0x6ed9eba1U, 15);
    RMD_STEP(3, a, b, c, d, e, 0U, 0x6ed9eba1U, 14);
    RMD_STEP(3, e, a, b, c, d, 0U, 0x6ed9eba1U, 8);
    RMD_STEP(3, d, e, a, b, c, 0x80U, 0x6ed9eba1U, 13);
    RMD_STEP(3, c, d, e, a, b, 0U, 0x6ed9eba1U, 6);
    RMD_STEP(3, b, c, d, e, a, 0U, 0x6ed9eba1U, 5);
    RMD_STEP(3, a, b, c, d, e, 0U, 0x6ed9eba1U, 12);
    RMD_STEP(3, e, a, b, c, d, 0U, 0x6ed9eba1U, 7);
    RMD_STEP(3, d, e, a, b, c, 0U, 0x6ed9eba1U, 5);
    RMD_STEP(4, c, d, e, a, b, 0U, 0x8f1bbcdcU, 11);
    RMD_STEP(4, b, c, d, e, a, 0U, 0x8f1bbcdcU, 12);
    RMD_STEP(4, a, b, c, d, e, 0U, 0x8f1bbcdcU, 14);
    RMD_STEP(4, e, a, b, c, d, 0U, 0x8f1bbcdcU, 15);
    RMD_STEP(4, d, e, a, b, c, 0x80U, 0x8f1bbcdcU, 14);
    RMD_STEP(4, c, d, e, a, b, 0U, 0x8f1bbcdcU, 15);
    RMD_STEP(4, b, c, d, e, a, 0U, 0x8f1bbcdcU, 9);
    RMD_STEP(4, a, b, c, d, e, 0U, 0x8f1bbcdcU, 8);
    RMD_STEP(4, e, a, b, c, d, 0U, 0x8f1bbcdcU, 9);
    RMD_STEP(4, d, e, a, b, c, 0U, 0x8f1bbcdcU, 14);
    RMD_STEP(4, c, d, e, a, b, 0U, 0x8f1bbcdcU, 5);
    RMD_STEP(4, b, c, d, e, a, 0U, 0x8f1bbcdcU, 6);
    RMD_STEP(4, a, b, c, d, e, 512U, 0x8f1bbcdcU, 8);
    RMD_STEP(4, e, a, b, c, d, 0U, 0x8f1bbcdcU, 6);
    RMD_STEP(4, d, e, a, b, c, 0U, 0x8f1bbcdcU, 5);
    RMD_STEP(4, c, d, e, a, b, 0U, 0x8f1bbcdcU, 12);
    RMD_STEP(5, b, c, d, e, a, 0U, 0xa953fd4eU, 9);
    RMD_STEP(5, a, b, c, d, e, 0x80U, 0xa953fd4eU, 15);
    RMD_STEP(5, e, a, b, c, d, 0U, 0xa953fd4eU, 5);
    RMD_STEP(5, d, e, a, b, c, 0U, 0xa953fd4eU, 11);
    RMD_STEP(5, c, d, e, a, b, 0U, 0xa953fd4eU, 6);
    RMD_STEP(5, b, c, d, e, a, 0U, 0xa953fd4eU, 8);
    RMD_STEP(5, a, b, c, d, e, 0U, 0xa953fd4eU, 13);
    RMD_STEP(5, e, a, b, c, d, 0U, 0xa953fd4eU, 12);
    RMD_STEP(5, d, e, a, b, c, 512U, 0xa953fd4eU, 5);
    RMD_STEP(5, c, d, e, a, b, 0U, 0xa953fd4eU, 12);
    RMD_STEP(5, b, c, d, e, a, 0U, 0xa953fd4eU, 13);
    RMD_STEP(5, a, b, c, d, e, 0U, 0xa953fd4eU, 14);
    RMD_STEP(5, e, a, b, c, d, 0U, 0xa953fd4eU, 11);
    RMD_STEP(5, d, e, a, b, c, 0U, 0xa953fd4eU, 8);
    RMD_STEP(5, c, d, e, a, b, 0U, 0xa953fd4eU, 5);
    RMD_STEP(5, b, c, d, e, a, 0U, 0xa953fd4eU, 6);
    RMD_STEP(5, aa, bb, cc, dd, ee, 0U, 0x50a28be6U, 8);
    RMD_STEP(5, ee, aa, bb, cc, dd, 512U, 0x50a28be6U, 9);
    RMD_STEP(5, dd, ee, aa, bb, cc, 0U, 0x50a28be6U, 9);
    RMD_STEP(5, cc, dd, ee, aa, bb, 0x80U, 0x50a28be6U, 11);
    RMD_STEP(5, bb, cc, dd, ee, aa, 0U, 0x50a28be6U, 13);
    RMD_STEP(5, aa, bb, cc, dd, ee, 0U, 0x50a28be6U, 15);
    RMD_STEP(5, ee, aa, bb, cc, dd, 0U, 0x50a28be6U, 15);
    RMD_STEP(5, dd, ee, aa, bb, cc, 0U, 0x50a28be6U, 5);
    RMD_STEP(5, cc, dd, ee, aa, bb, 0U, 0x50a28be6U, 7);
    RMD_STEP(5, bb, cc, dd, ee, aa, 0U, 0x50a28be6U, 7);
    RMD_STEP(5, aa, bb, cc, dd, ee, 0U, 0x50a28be6U, 8);
    RMD_STEP(5, ee, aa, bb, cc, dd, 0U, 0x50a28be6U, 11);
    RMD_STEP(5, dd, ee, aa, bb, cc, 0U, 0x50a28be6U, 14);
    RMD_STEP(5, cc, dd, ee, aa, bb, 0U, 0x50a28be6U, 14);
    RMD_STEP(5, bb, cc, dd, ee, aa, 0U, 0x50a28be6U, 12);
    RMD_STEP(5, aa, bb, cc, dd, ee, 0U, 0x50a28be6U, 6);
    RMD_STEP(4, ee, aa, bb, cc, dd, 0U, 0x5c4dd124U, 9);
    RMD_STEP(4, dd, ee, aa, bb, cc, 0U, 0x5c4dd124U, 13);
    RMD_STEP(4, cc, dd, ee, aa, bb, 0U, 0x5c4dd124U, 15);
    RMD_STEP(4, bb, cc, dd, ee, aa, 0U, 0x5c4dd124U, 7);
    RMD_STEP(4, aa, bb, cc, dd, ee, 0x80U, 0x5c4dd124U, 12);
    RMD_STEP(4, ee, aa, bb, cc, dd, 0U, 0x5c4dd124U, 8);
    RMD_STEP(4, dd, ee, aa, bb, cc, 0U, 0x5c4dd124U, 9);
    RMD_STEP(4, cc, dd, ee, aa, bb, 0U, 0x5c4dd124U, 11);
    RMD_STEP(4, bb, cc, dd, ee, aa, 512U, 0x5c4dd124U, 7);
    RMD_STEP(4, aa, bb, cc, dd, ee, 0U, 0x5c4dd124U, 7);
    RMD_STEP(4, ee, aa, bb, cc, dd, 0U, 0x5c4dd124U, 12);
    RMD_STEP(4, dd, ee, aa, bb, cc, 0U, 0x5c4dd124U, 7);
    RMD_STEP(4, cc, dd, ee, aa, bb, 0U, 0x5c4dd124U, 6);
    RMD_STEP(4, bb, cc, dd, ee, aa, 0U, 0x5c4dd124U, 15);
    RMD_STEP(4, aa, bb, cc, dd, ee, 0U, 0x5c4dd124U, 13);
    RMD_STEP(4, ee, aa, bb, cc, dd, 0U, 0x5c4dd124U, 11);
    RMD_STEP(3, dd, ee, aa, bb, cc, 0U, 0x6d703ef3U, 9);
    RMD_STEP(3, cc, dd, ee, aa, bb, 0U, 0x6d703ef3U, 7);
    RMD_STEP(3, bb, cc, dd, ee, aa, 0U, 0x6d703ef3U, 15);
    RMD_STEP(3, aa, bb, cc, dd, ee, 0U, 0x6d703ef3U, 11);
    RMD_STEP(3, ee, aa, bb, cc, dd, 0U, 0x6d703ef3U, 8);
    RMD_STEP(3, dd, ee, aa, bb, cc, 512U, 0x6d703ef3U, 6);
    RMD_STEP(3, cc, dd, ee, aa, bb, 0U, 0x6d703ef3U, 6);
    RMD_STEP(3, bb, cc, dd, ee, aa, 0U, 0x6d703ef3U, 14);
    RMD_STEP(3, aa, bb, cc, dd, ee, 0U, 0x6d703ef3U, 12);
    RMD_STEP(3, ee, aa, bb, cc, dd, 0U, 0x6d703ef3U, 13);
    RMD_STEP(3, dd, ee, aa, bb, cc, 0U, 0x6d703ef3U, 5);
    RMD_STEP(3, cc, dd, ee, aa, bb, 0U, 0x6d703ef3U, 14);
    RMD_STEP(3, bb, cc, dd, ee, aa, 0U, 0x6d703ef3U, 13);
    RMD_STEP(3, aa, bb, cc, dd, ee, 0x80U, 0x6d703ef3U, 13);
    RMD_STEP(3, ee, aa, bb, cc, dd, 0U, 0x6d703ef3U, 7);
    RMD_STEP(3, dd, ee, aa, bb, cc, 0U, 0x6d703ef3U, 5);
    RMD_STEP(2, cc, dd, ee, aa, bb, 0U, 0x7a6d76e9U, 15);
    RMD_STEP(2, bb, cc, dd, ee, aa, 0U, 0x7a6d76e9U, 5);
    RMD_STEP(2, aa, bb, cc, dd, ee, 0U, 0x7a6d76e9U, 8);
    RMD_STEP(2, ee, aa, bb, cc, dd, 0U, 0x7a6d76e9U, 11);
    RMD_STEP(2, dd, ee, aa, bb, cc, 0U, 0x7a6d76e9U, 14);
    RMD_STEP(2, cc, dd, ee, aa, bb, 0U, 0x7a6d76e9U, 14);
    RMD_STEP(2, bb, cc, dd, ee, aa, 0U, 0x7a6d76e9U, 6);
    RMD_STEP(2, aa, bb, cc, dd, ee, 0x80U, 0x7a6d76e9U, 14);
    RMD_STEP(2, ee, aa, bb, cc, dd, 0U, 0x7a6d76e9U, 6);
    RMD_STEP(2, dd, ee, aa, bb, cc, 0U, 0x7a6d76e9U, 9);
    RMD_STEP(2, cc, dd, ee, aa, bb, 0U, 0x7a6d76e9U, 12);
    RMD_STEP(2, bb, cc, dd, ee, aa, 0U, 0x7a6d76e9U, 9);
    RMD_STEP(2, aa, bb, cc, dd, ee, 0U, 0x7a6d76e9U, 12);
    RMD_STEP(2, ee, aa, bb, cc, dd, 0U, 0x7a6d76e9U, 5);
    RMD_STEP(2, dd, ee, aa, bb, cc, 0U, 0x7a6d76e9U, 15);
    RMD_STEP(2, cc, dd, ee, aa, bb, 512U, 0x7a6d76e9U, 8);
    RMD_STEP(1, bb, cc, dd, ee, aa, 0U, 0x00000000U, 8);
    RMD_STEP(1, aa, bb, cc, dd, ee, 0U, 0x00000000U, 5);
    RMD_STEP(1, ee, aa, bb, cc, dd, 0U, 0x00000000U, 12);
    RMD_STEP(1, dd, ee, aa, bb, cc, 0U, 0x00000000U, 9);
    RMD_STEP(1, cc, dd, ee, aa, bb, 0U, 0x00000000U, 12);
    RMD_STEP(1, bb, cc, dd, ee, aa, 0U, 0x00000000U, 5);
    RMD_STEP(1, aa, bb, cc, dd, ee, 0U, 0x00000000U, 14);
    RMD_STEP(1, ee, aa, bb, cc, dd, 0U, 0x00000000U, 6);
    RMD_STEP(1, dd, ee, aa, bb, cc, 0U, 0x00000000U, 8);
    RMD_STEP(1, cc, dd, ee, aa, bb, 0U, 0x00000000U, 13);
    RMD_STEP(1, bb, cc, dd, ee, aa, 0U, 0x00000000U, 6);
    RMD_STEP(1, aa, bb, cc, dd, ee, 512U, 0x00000000U, 5);
    RMD_STEP(1, ee, aa, bb, cc, dd, 0x80U, 0x00000000U, 15);
    RMD_STEP(1, dd, ee, aa, bb, cc, 0U, 0x00000000U, 13);
    RMD_STEP(1, cc, dd, ee, aa, bb, 0U, 0x00000000U, 11);
    RMD_STEP(1, bb, cc, dd, ee, aa, 0U, 0x00000000U, 11);
    t = h1 + c + dd;
    h1 = h2 + d + ee;
    h2 = h3 + e + aa;
    h3 = h4 + a + bb;
    h4 = h0 + b + cc;
    h0 = t;
  }
  s[0] = h0, s[1] = h1, s[2] = h2, s[3] = h3, s[4] = h4;
}

// ---- SHA-1
#define SHA1_F1(b, c, d) CH(b, c, d)
#define SHA1_F2(b, c, d) ((b) ^ (c) ^ (d))
#define SHA1_F3(b, c, d) MAJ(b, c, d)
#define SHA1_F4(b, c, d) ((b) ^ (c) ^ (d))
#define SHA1_K1 0x5a827999U
#define SHA1_K2 0x6ed9eba1U
#define SHA1_K3 0x8f1bbcdcU
#define SHA1_K4 0xca62c1d6U
#define SHA1_STEP(n, a, b, c, d, e, x) \
  do { \
    e += ROTL32(a, 5) + CAT(SHA1_F, n)(b, c, d) + CAT(SHA1_K, n) + (x); \
    b = ROTL32(b, 30); \
  } while (0)
#define SHA1_MIX(w, i) w[(i) & 15] = ROTL32(w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i) & 15], 1)

static void sha1_64(uint *s) {
  uint h0 = 0x67452301U, h1 = 0xefcdab89U, h2 = 0x98badcfeU, h3 = 0x10325476U, h4 = 0xc3d2e1f0U;
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, w[16];
    w[0] = SWAP32(s[0]);
    w[1] = SWAP32(s[1]);
    w[2] = SWAP32(s[2]);
    w[3] = SWAP32(s[3]);
    w[4] = SWAP32(s[4]);
    w[5] = SWAP32(s[5]);
    w[6] = SWAP32(s[6]);
    w[7] = SWAP32(s[7]);
    w[8] = SWAP32(s[8]);
    w[9] = SWAP32(s[9]);
    w[10] = SWAP32(s[10]);
    w[11] = SWAP32(s[11]);
    w[12] = SWAP32(s[12]);
    w[13] = SWAP32(s[13]);
    w[14] = SWAP32(s[14]);
    w[15] = SWAP32(s[15]);
    SHA1_STEP(1, a, b, c, d, e, w[0]);
    SHA1_STEP(1, e, a, b, c, d, w[1]);
    SHA1_STEP(1, d, e, a, b, c, w[2]);
    SHA1_STEP(1, c, d, e, a, b, w[3]);
    SHA1_STEP(1, b, c, d, e, a, w[4]);
    SHA1_STEP(1, a, b, c, d, e, w[5]);
    SHA1_STEP(1, e, a, b, c, d, w[6]);
    SHA1_STEP(1, d, e, a, b, c, w[7]);
    SHA1_STEP(1, c, d, e, a, b, w[8]);
    SHA1_STEP(1, b, c, d, e, a, w[9]);
    SHA1_STEP(1, a, b, c, d, e, w[10]);
    SHA1_STEP(1, e, a, b, c, d, w[11]);
    SHA1_STEP(1, d, e, a, b, c, w[12]);
    SHA1_STEP(1, c, d, e, a, b, w[13]);
    SHA1_STEP(1, b, c, d, e, a, w[14]);
    SHA1_STEP(1, a, b, c, d, e, w[15]);
    SHA1_MIX(w, 16);
    SHA1_STEP(1, e, a, b, c, d, w[0]);
    SHA1_MIX(w, 17);
    SHA1_STEP(1, d, e, a, b, c, w[1]);
    SHA1_MIX(w, 18);
    SHA1_STEP(1, c, d, e, a, b, w[2]);
    SHA1_MIX(w, 19);
    SHA1_STEP(1, b, c, d, e, a, w[3]);
    SHA1_MIX(w, 20);
    SHA1_STEP(2, a, b, c, d, e, w[4]);
    SHA1_MIX(w, 21);
    SHA1_STEP(2, e, a, b, c, d, w[5]);
    SHA1_MIX(w, 22);
    SHA1_STEP(2, d, e, a, b, c, w[6]);
    SHA1_MIX(w, 23);
    SHA1_STEP(2, c, d, e, a, b, w[7]);
    SHA1_MIX(w, 24);
    SHA1_STEP(2, b, c, d, e, a, w[8]);
    SHA1_MIX(w, 25);
    SHA1_STEP(2, a, b, c, d, e, w[9]);
    SHA1_MIX(w, 26);
    SHA1_STEP(2, e, a, b, c, d, w[10]);
    SHA1_MIX(w, 27);
    SHA1_STEP(2, d, e, a, b, c, w[11]);
    SHA1_MIX(w, 28);
    SHA1_STEP(2, c, d, e, a, b, w[12]);
    SHA1_MIX(w, 29);
    SHA1_STEP(2, b, c, d, e, a, w[13]);
    SHA1_MIX(w, 30);
    SHA1_STEP(2, a, b, c, d, e, w[14]);
    SHA1_MIX(w, 31);
    SHA1_STEP(2, e, a, b, c, d, w[15]);
    SHA1_MIX(w, 32);
    SHA1_STEP(2, d, e, a, b, c, w[0]);
    SHA1_MIX(w, 33);
    SHA1_STEP(2, c, d, e, a, b, w[1]);
    SHA1_MIX(w, 34);
    SHA1_STEP(2, b, c, d, e, a, w[2]);
    SHA1_MIX(w, 35);
    SHA1_STEP(2, a, b, c, d, e, w[3]);
    SHA1_MIX(w, 36);
    SHA1_STEP(2, e, a, b, c, d, w[4]);
    SHA1_MIX(w, 37);
    SHA1_STEP(2, d, e, a, b, c, w[5]);
    SHA1_MIX(w, 38);
    SHA1_STEP(2, c, d, e, a, b, w[6]);
    SHA1_MIX(w, 39);
    SHA1_STEP(2, b, c, d, e, a, w[7]);
    SHA1_MIX(w, 40);
    SHA1_STEP(3, a, b, c, d, e, w[8]);
    SHA1_MIX(w, 41);
    SHA1_STEP(3, e, a, b, c, d, w[9]);
    SHA1_MIX(w, 42);
    SHA1_STEP(3, d, e, a, b, c, w[10]);
    SHA1_MIX(w, 43);
    SHA1_STEP(3, c, d, e, a, b, w[11]);
    SHA1_MIX(w, 44);
    SHA1_STEP(3, b, c, d, e, a, w[12]);
    SHA1_MIX(w, 45);
    SHA1_STEP(3, a, b, c, d, e, w[13]);
    SHA1_MIX(w, 46);
    SHA1_STEP(3, e, a, b, c, d, w[14]);
    SHA1_MIX(w, 47);
    SHA1_STEP(3, d, e, a, b, c, w[15]);
    SHA1_MIX(w, 48);
    SHA1_STEP(3, c, d, e, a, b, w[0]);
    SHA1_MIX(w, 49);
    SHA1_STEP(3, b, c, d, e, a, w[1]);
    SHA1_MIX(w, 50);
    SHA1_STEP(3, a, b, c, d, e, w[2]);
    SHA1_MIX(w, 51);
    SHA1_STEP(3, e, a, b, c, d, w[3]);
    SHA1_MIX(w, 52);
    SHA1_STEP(3, d, e, a, b, c, w[4]);
    SHA1_MIX(w, 53);
    SHA1_STEP(3, c, d, e, a, b, w[5]);
    SHA1_MIX(w, 54);
    SHA1_STEP(3, b, c, d, e, a, w[6]);
    SHA1_MIX(w, 55);
    SHA1_STEP(3, a, b, c, d, e, w[7]);
    SHA1_MIX(w, 56);
    SHA1_STEP(3, e, a, b, c, d, w[8]);
    SHA1_MIX(w, 57);
    SHA1_STEP(3, d, e, a, b, c, w[9]);
    SHA1_MIX(w, 58);
    SHA1_STEP(3, c, d, e, a, b, w[10]);
    SHA1_MIX(w, 59);
    SHA1_STEP(3, b, c, d, e, a, w[11]);
    SHA1_MIX(w, 60);
    SHA1_STEP(4, a, b, c, d, e, w[12]);
    SHA1_MIX(w, 61);
    SHA1_STEP(4, e, a, b, c, d, w[13]);
    SHA1_MIX(w, 62);
    SHA1_STEP(4, d, e, a, b, c, w[14]);
    SHA1_MIX(w, 63);
    SHA1_STEP(4, c, d, e, a, b, w[15]);
    SHA1_MIX(w, 64);
    SHA1_STEP(4, b, c, d, e, a, w[0]);
    SHA1_MIX(w, 65);
    SHA1_STEP(4, a, b, c, d, e, w[1]);
    SHA1_MIX(w, 66);
    SHA1_STEP(4, e, a, b, c, d, w[2]);
    SHA1_MIX(w, 67);
    SHA1_STEP(4, d, e, a, b, c, w[3]);
    SHA1_MIX(w, 68);
    SHA1_STEP(4, c, d, e, a, b, w[4]);
    SHA1_MIX(w, 69);
    SHA1_STEP(4, b, c, d, e, a, w[5]);
    SHA1_MIX(w, 70);
    SHA1_STEP(4, a, b, c, d, e, w[6]);
    SHA1_MIX(w, 71);
    SHA1_STEP(4, e, a, b, c, d, w[7]);
    SHA1_MIX(w, 72);
    SHA1_STEP(4, d, e, a, b, c, w[8]);
    SHA1_MIX(w, 73);
    SHA1_STEP(4, c, d, e, a, b, w[9]);
    SHA1_MIX(w, 74);
    SHA1_STEP(4, b, c, d, e, a, w[10]);
    SHA1_MIX(w, 75);
    SHA1_STEP(4, a, b, c, d, e, w[11]);
    SHA1_MIX(w, 76);
    SHA1_STEP(4, e, a, b, c, d, w[12]);
    SHA1_MIX(w, 77);
    SHA1_STEP(4, d, e, a, b, c, w[13]);
    SHA1_MIX(w, 78);
    SHA1_STEP(4, c, d, e, a, b, w[14]);
    SHA1_MIX(w, 79);
    SHA1_STEP(4, b, c, d, e, a, w[15]);
    h0 += a, h1 += b, h2 += c, h3 += d, h4 += e;
  }
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, w[16];
    w[0] = 0x80000000U;
    w[1] = 0U;
    w[2] = 0U;
    w[3] = 0U;
    w[4] = 0U;
    w[5] = 0U;
    w[6] = 0U;
    w[7] = 0U;
    w[8] = 0U;
    w[9] = 0U;
    w[10] = 0U;
    w[11] = 0U;
    w[12] = 0U;
    w[13] = 0U;
    w[14] = 0U;
    w[15] = 512U;
    SHA1_STEP(1, a, b, c, d, e, w[0]);
    SHA1_STEP(1, e, a, b, c, d, w[1]);
    SHA1_STEP(1, d, e, a, b, c, w[2]);
    SHA1_STEP(1, c, d, e, a, b, w[3]);
    SHA1_STEP(1, b, c, d, e, a, w[4]);
    SHA1_STEP(1, a, b, c, d, e, w[5]);
    SHA1_STEP(1, e, a, b, c, d, w[6]);
    SHA1_STEP(1, d, e, a, b, c, w[7]);
    SHA1_STEP(1, c, d, e, a, b, w[8]);
    SHA1_STEP(1, b, c, d, e, a, w[9]);
    SHA1_STEP(1, a, b, c, d, e, w[10]);
    SHA1_STEP(1, e, a, b, c, d, w[11]);
    SHA1_STEP(1, d, e, a, b, c, w[12]);
    SHA1_STEP(1, c, d, e, a, b, w[13]);
    SHA1_STEP(1, b, c, d, e, a, w[14]);
    SHA1_STEP(1, a, b, c, d, e, w[15]);
    SHA1_MIX(w, 16);
    SHA1_STEP(1, e, a, b, c, d, w[0]);
    SHA1_MIX(w, 17);
    SHA1_STEP(1, d, e, a, b, c, w[1]);
    SHA1_MIX(w, 18);
    SHA1_STEP(1, c, d, e, a, b, w[2]);
    SHA1_MIX(w, 19);
    SHA1_STEP(1, b, c, d, e, a, w[3]);
    SHA1_MIX(w, 20);
    SHA1_STEP(2, a, b, c, d, e, w[4]);
    SHA1_MIX(w, 21);
    SHA1_STEP(2, e, a, b, c, d, w[5]);
    SHA1_MIX(w, 22);
    SHA1_STEP(2, d, e, a, b, c, w[6]);
    SHA1_MIX(w, 23);
    SHA1_STEP(2, c, d, e, a, b, w[7]);
    SHA1_MIX(w, 24);
    SHA1_STEP(2, b, c, d, e, a, w[8]);
    SHA1_MIX(w, 25);
    SHA1_STEP(2, a, b, c, d, e, w[9]);
    SHA1_MIX(w, 26);
    SHA1_STEP(2, e, a, b, c, d, w[10]);
    SHA1_MIX(w, 27);
    SHA1_STEP(2, d, e, a, b, c, w[11]);
    SHA1_MIX(w, 28);
    SHA1_STEP(2, c, d, e, a, b, w[12]);
    SHA1_MIX(w, 29);
    SHA1_STEP(2, b, c, d, e, a, w[13]);
    SHA1_MIX(w, 30);
    SHA1_STEP(2, a, b, c, d, e, w[14]);
    SHA1_MIX(w, 31);
    SHA1_STEP(2, e, a, b, c, d, w[15]);
    SHA1_MIX(w, 32);
    SHA1_STEP(2, d, e, a, b, c, w[0]);
    SHA1_MIX(w, 33);
    SHA1_STEP(2, c, d, e, a, b, w[1]);
    SHA1_MIX(w, 34);
    SHA1_STEP(2, b, c, d, e, a, w[2]);
    SHA1_MIX(w, 35);
    SHA1_STEP(2, a, b, c, d, e, w[3]);
    SHA1_MIX(w, 36);
    SHA1_STEP(2, e, a, b, c, d, w[4]);
    SHA1_MIX(w, 37);
    SHA1_STEP(2, d, e, a, b, c, w[5]);
    SHA1_MIX(w, 38);
    SHA1_STEP(2, c, d, e, a, b, w[6]);
    SHA1_MIX(w, 39);
    SHA1_STEP(2, b, c, d, e, a, w[7]);
    SHA1_MIX(w, 40);
    SHA1_STEP(3, a, b, c, d, e, w[8]);
    SHA1_MIX(w, 41);
    SHA1_STEP(3, e, a, b, c, d, w[9]);
    SHA1_MIX(w, 42);
    SHA1_STEP(3, d, e, a, b, c, w[10]);
    SHA1_MIX(w, 43);
    SHA1_STEP(3, c, d, e, a, b, w[11]);
    SHA1_MIX(w, 44);
    SHA1_STEP(3, b, c, d, e, a, w[12]);
    SHA1_MIX(w, 45);
    SHA1_STEP(3, a, b, c, d, e, w[13]);
    SHA1_MIX(w, 46);
    SHA1_STEP(3, e, a, b, c, d, w[14]);
    SHA1_MIX(w, 47);
    SHA1_STEP(3, d, e, a, b, c, w[15]);
    SHA1_MIX(w, 48);
    SHA1_STEP(3, c, d, e, a, b, w[0]);
    SHA1_MIX(w, 49);
    SHA1_STEP(3, b, c, d, e, a, w[1]);
    SHA1_MIX(w, 50);
    SHA1_STEP(3, a, b, c, d, e, w[2]);
    SHA1_MIX(w, 51);
    SHA1_STEP(3, e, a, b, c, d, w[3]);
    SHA1_MIX(w, 52);
    SHA1_STEP(3, d, e, a, b, c, w[4]);
    SHA1_MIX(w, 53);
    SHA1_STEP(3, c, d, e, a, b, w[5]);
    SHA1_MIX(w, 54);
    SHA1_STEP(3, b, c, d, e, a, w[6]);
    SHA1_MIX(w, 55);
    SHA1_STEP(3, a, b, c, d, e, w[7]);
    SHA1_MIX(w, 56);
    SHA1_STEP(3, e, a, b, c, d, w[8]);
    SHA1_MIX(w, 57);
    SHA1_STEP(3, d, e, a, b, c, w[9]);
    SHA1_MIX(w, 58);
    SHA1_STEP(3, c, d, e, a, b, w[10]);
    SHA1_MIX(w, 59);
    SHA1_STEP(3, b, c, d, e, a, w[11]);
    SHA1_MIX(w, 60);
    SHA1_STEP(4, a, b, c, d, e, w[12]);
    SHA1_MIX(w, 61);
    SHA1_STEP(4, e, a, b, c, d, w[13]);
    SHA1_MIX(w, 62);
    SHA1_STEP(4, d, e, a, b, c, w[14]);
    SHA1_MIX(w, 63);
    SHA1_STEP(4, c, d, e, a, b, w[15]);
    SHA1_MIX(w, 64);
    SHA1_STEP(4, b, c, d, e, a, w[0]);
    SHA1_MIX(w, 65);
    SHA1_STEP(4, a, b, c, d, e, w[1]);
    SHA1_MIX(w, 66);
    SHA1_STEP(4, e, a, b, c, d, w[2]);
    SHA1_MIX(w, 67);
    SHA1_STEP(4, d, e, a, b, c, w[3]);
    SHA1_MIX(w, 68);
    SHA1_STEP(4, c, d, e, a, b, w[4]);
    SHA1_MIX(w, 69);
    SHA1_STEP(4, b, c, d, e, a, w[5]);
    SHA1_MIX(w, 70);
    SHA1_STEP(4, a, b, c, d, e, w[6]);
    SHA1_MIX(w, 71);
    SHA1_STEP(4, e, a, b, c, d, w[7]);
    SHA1_MIX(w, 72);
    SHA1_STEP(4, d, e, a, b, c, w[8]);
    SHA1_MIX(w, 73);
    SHA1_STEP(4, c, d, e, a, b, w[9]);
    SHA1_MIX(w, 74);
    SHA1_STEP(4, b, c, d, e, a, w[10]);
    SHA1_MIX(w, 75);
    SHA1_STEP(4, a, b, c, d, e, w[11]);
    SHA1_MIX(w, 76);
    SHA1_STEP(4, e, a, b, c, d, w[12]);
    SHA1_MIX(w, 77);
    SHA1_STEP(4, d, e, a, b, c, w[13]);
    SHA1_MIX(w, 78);
    SHA1_STEP(4, c, d, e, a, b, w[14]);
    SHA1_MIX(w, 79);
    SHA1_STEP(4, b, c, d, e, a, w[15]);
    h0 += a, h1 += b, h2 += c, h3 += d, h4 += e;
  }
  s[0] = SWAP32(h0);
  s[1] = SWAP32(h1);
  s[2] = SWAP32(h2);
  s[3] = SWAP32(h3);
  s[4] = SWAP32(h4);
}

// ---- SHA-256
#define SHA256_S0(x) (ROTR32(x, 2) ^ ROTR32(x, 13) ^ ROTR32(x, 22))
#define SHA256_S1(x) (ROTR32(x, 6) ^ ROTR32(x, 11) ^ ROTR32(x, 25))
#define SHA256_s0(x) (ROTR32(x, 7) ^ ROTR32(x, 18) ^ ((x) >> 3))
#define SHA256_s1(x) (ROTR32(x, 17) ^ ROTR32(x, 19) ^ ((x) >> 10))
#define SHA256_MIX(w, i) w[(i) & 15] += SHA256_s1(w[((i) + 14) & 15]) + w[((i) + 9) & 15] + SHA256_s0(w[((i) + 1) & 15])
#define SHA256_STEP(a, b, c, d, e, f, g, h, x, k) \
  do { \
    h += SHA256_S1(e) + CH(e, f, g) + (x) + (k); \
    d += h; \
    h += SHA256_S0(a) + MAJ(a, b, c); \
  } while (0)

static void sha256_64(uint *s) {
  uint h0 = 0x6a09e667U, h1 = 0xbb67ae85U, h2 = 0x3c6ef372U, h3 = 0xa54ff53aU, h4 = 0x510e527fU, h5 = 0x9b05688cU, h6 = 0x1f83d9abU, h7 = 0x5be0cd19U;
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7, w[16];
    w[0] = SWAP32(s[0]);
    w[1] = SWAP32(s[1]);
    w[2] = SWAP32(s[2]);
    w[3] = SWAP32(s[3]);
    w[4] = SWAP32(s[4]);
    w[5] = SWAP32(s[5]);
    w[6] = SWAP32(s[6]);
    w[7] = SWAP32(s[7]);
    w[8] = SWAP32(s[8]);
    w[9] = SWAP32(s[9]);
    w[10] = SWAP32(s[10]);
    w[11] = SWAP32(s[11]);
    w[12] = SWAP32(s[12]);
    w[13] = SWAP32(s[13]);
    w[14] = SWAP32(s[14]);
    w[15] = SWAP32(s[15]);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0x428a2f98U);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0x71374491U);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0xb5c0fbcfU);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0xe9b5dba5U);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x3956c25bU);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x59f111f1U);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x923f82a4U);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0xab1c5ed5U);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0xd807aa98U);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0x12835b01U);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0x243185beU);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0x550c7dc3U);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0x72be5d74U);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0x80deb1feU);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0x9bdc06a7U);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0xc19bf174U);
    SHA256_MIX(w, 16);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0xe49b69c1U);
    SHA256_MIX(w, 17);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0xefbe4786U);
    SHA256_MIX(w, 18);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0x0fc19dc6U);
    SHA256_MIX(w, 19);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0x240ca1ccU);
    SHA256_MIX(w, 20);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x2de92c6fU);
    SHA256_MIX(w, 21);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x4a7484aaU);
    SHA256_MIX(w, 22);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x5cb0a9dcU);
    SHA256_MIX(w, 23);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0x76f988daU);
    SHA256_MIX(w, 24);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0x983e5152U);
    SHA256_MIX(w, 25);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0xa831c66dU);
    SHA256_MIX(w, 26);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0xb00327c8U);
    SHA256_MIX(w, 27);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0xbf597fc7U);
    SHA256_MIX(w, 28);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0xc6e00bf3U);
    SHA256_MIX(w, 29);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0xd5a79147U);
    SHA256_MIX(w, 30);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0x06ca6351U);
    SHA256_MIX(w, 31);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0x14292967U);
    SHA256_MIX(w, 32);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0x27b70a85U);
    SHA256_MIX(w, 33);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0x2e1b2138U);
    SHA256_MIX(w, 34);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0x4d2c6dfcU);
    SHA256_MIX(w, 35);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0x53380d13U);
    SHA256_MIX(w, 36);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x650a7354U);
    SHA256_MIX(w, 37);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x766a0abbU);
    SHA256_MIX(w, 38);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x81c2c92eU);
    SHA256_MIX(w, 39);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0x92722c85U);
    SHA256_MIX(w, 40);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0xa2bfe8a1U);
    SHA256_MIX(w, 41);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0xa81a664bU);
    SHA256_MIX(w, 42);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0xc24b8b70U);
    SHA256_MIX(w, 43);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0xc76c51a3U);
    SHA256_MIX(w, 44);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0xd192e819U);
    SHA256_MIX(w, 45);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0xd6990624U);
    SHA256_MIX(w, 46);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0xf40e3585U);
    SHA256_MIX(w, 47);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0x106aa070U);
    SHA256_MIX(w, 48);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0x19a4c116U);
    SHA256_MIX(w, 49);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0x1e376c08U);
    SHA256_MIX(w, 50);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0x2748774cU);
    SHA256_MIX(w, 51);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0x34b0bcb5U);
    SHA256_MIX(w, 52);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x391c0cb3U);
    SHA256_MIX(w, 53);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x4ed8aa4aU);
    SHA256_MIX(w, 54);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x5b9cca4fU);
    SHA256_MIX(w, 55);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0x682e6ff3U);
    SHA256_MIX(w, 56);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0x748f82eeU);
    SHA256_MIX(w, 57);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0x78a5636fU);
    SHA256_MIX(w, 58);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0x84c87814U);
    SHA256_MIX(w, 59);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0x8cc70208U);
    SHA256_MIX(w, 60);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0x90befffaU);
    SHA256_MIX(w, 61);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0xa4506cebU);
    SHA256_MIX(w, 62);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0xbef9a3f7U);
    SHA256_MIX(w, 63);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0xc67178f2U);
    h0 += a, h1 += b, h2 += c, h3 += d, h4 += e, h5 += f, h6 += g, h7 += h;
  }
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7, w[16];
    w[0] = 0x80000000U;
    w[1] = 0U;
    w[2] = 0U;
    w[3] = 0U;
    w[4] = 0U;
    w[5] = 0U;
    w[6] = 0U;
    w[7] = 0U;
    w[8] = 0U;
    w[9] = 0U;
    w[10] = 0U;
    w[11] = 0U;
    w[12] = 0U;
    w[13] = 0U;
    w[14] = 0U;
    w[15] = 512U;
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0x428a2f98U);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0x71374491U);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0xb5c0fbcfU);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0xe9b5dba5U);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x3956c25bU);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x59f111f1U);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x923f82a4U);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0xab1c5ed5U);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0xd807aa98U);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0x12835b01U);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0x243185beU);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0x550c7dc3U);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0x72be5d74U);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0x80deb1feU);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0x9bdc06a7U);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0xc19bf174U);
    SHA256_MIX(w, 16);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0xe49b69c1U);
    SHA256_MIX(w, 17);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0xefbe4786U);
    SHA256_MIX(w, 18);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0x0fc19dc6U);
    SHA256_MIX(w, 19);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0x240ca1ccU);
    SHA256_MIX(w, 20);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x2de92c6fU);
    SHA256_MIX(w, 21);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x4a7484aaU);
    SHA256_MIX(w, 22);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x5cb0a9dcU);
    SHA256_MIX(w, 23);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0x76f988daU);
    SHA256_MIX(w, 24);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0x983e5152U);
    SHA256_MIX(w, 25);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0xa831c66dU);
    SHA256_MIX(w, 26);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0xb00327c8U);
    SHA256_MIX(w, 27);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0xbf597fc7U);
    SHA256_MIX(w, 28);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0xc6e00bf3U);
    SHA256_MIX(w, 29);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0xd5a79147U);
    SHA256_MIX(w, 30);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0x06ca6351U);
    SHA256_MIX(w, 31);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0x14292967U);
    SHA256_MIX(w, 32);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0x27b70a85U);
    SHA256_MIX(w, 33);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0x2e1b2138U);
    SHA256_MIX(w, 34);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0x4d2c6dfcU);
    SHA256_MIX(w, 35);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0x53380d13U);
    SHA256_MIX(w, 36);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x650a7354U);
    SHA256_MIX(w, 37);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x766a0abbU);
    SHA256_MIX(w, 38);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x81c2c92eU);
    SHA256_MIX(w, 39);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0x92722c85U);
    SHA256_MIX(w, 40);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0xa2bfe8a1U);
    SHA256_MIX(w, 41);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0xa81a664bU);
    SHA256_MIX(w, 42);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0xc24b8b70U);
    SHA256_MIX(w, 43);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0xc76c51a3U);
    SHA256_MIX(w, 44);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0xd192e819U);
    SHA256_MIX(w, 45);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0xd6990624U);
    SHA256_MIX(w, 46);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0xf40e3585U);
    SHA256_MIX(w, 47);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0x106aa070U);
    SHA256_MIX(w, 48);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[0], 0x19a4c116U);
    SHA256_MIX(w, 49);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[1], 0x1e376c08U);
    SHA256_MIX(w, 50);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[2], 0x2748774cU);
    SHA256_MIX(w, 51);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[3], 0x34b0bcb5U);
    SHA256_MIX(w, 52);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[4], 0x391c0cb3U);
    SHA256_MIX(w, 53);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[5], 0x4ed8aa4aU);
    SHA256_MIX(w, 54);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[6], 0x5b9cca4fU);
    SHA256_MIX(w, 55);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[7], 0x682e6ff3U);
    SHA256_MIX(w, 56);
    SHA256_STEP(a, b, c, d, e, f, g, h, w[8], 0x748f82eeU);
    SHA256_MIX(w, 57);
    SHA256_STEP(h, a, b, c, d, e, f, g, w[9], 0x78a5636fU);
    SHA256_MIX(w, 58);
    SHA256_STEP(g, h, a, b, c, d, e, f, w[10], 0x84c87814U);
    SHA256_MIX(w, 59);
    SHA256_STEP(f, g, h, a, b, c, d, e, w[11], 0x8cc70208U);
    SHA256_MIX(w, 60);
    SHA256_STEP(e, f, g, h, a, b, c, d, w[12], 0x90befffaU);
    SHA256_MIX(w, 61);
    SHA256_STEP(d, e, f, g, h, a, b, c, w[13], 0xa4506cebU);
    SHA256_MIX(w, 62);
    SHA256_STEP(c, d, e, f, g, h, a, b, w[14], 0xbef9a3f7U);
    SHA256_MIX(w, 63);
    SHA256_STEP(b, c, d, e, f, g, h, a, w[15], 0xc67178f2U);
    h0 += a, h1 += b, h2 += c, h3 += d, h4 += e, h5 += f, h6 += g, h7 += h;
  }
  s[0] = SWAP32(h0);
  s[1] = SWAP32(h1);
  s[2] = SWAP32(h2);
  s[3] = SWAP32(h3);
  s[4] = SWAP32(h4);
  s[5] = SWAP32(h5);
  s[6] = SWAP32(h6);
  s[7] = SWAP32(h7);
}

// ---- SM3
#define SM3_P0(x) ((x) ^ ROTL32(x, 9) ^ ROTL32(x, 17))
#define SM3_P1(x) ((x) ^ ROTL32(x, 15) ^ ROTL32(x, 23))
#define SM3_FF1(x, y, z) ((x) ^ (y) ^ (z))
#define SM3_FF2(x, y, z) MAJ(x, y, z)
#define SM3_GG1(x, y, z) ((x) ^ (y) ^ (z))
#define SM3_GG2(x, y, z) CH(x, y, z)
#define SM3_MIX(w, i) \
  w[i] = SM3_P1(w[(i) - 16] ^ w[(i) - 9] ^ ROTL32(w[(i) - 3], 15)) ^ ROTL32(w[(i) - 13], 7) ^ w[(i) - 6]
#define SM3_STEP(n, a, b, c, d, e, f, g, h, i, k) \
  do { \
    uint s1 = ROTL32(ROTL32(a, 12) + e + (k), 7), s2 = s1 ^ ROTL32(a, 12); \
    d += CAT(SM3_FF, n)(a, b, c) + s2 + (w[i] ^ w[(i) + 4]); \
    h += CAT(SM3_GG, n)(e, f, g) + s1 + w[i]; \
    b = ROTL32(b, 9); \
    f = ROTL32(f, 19); \
    h = SM3_P0(h); \
  } while (0)

static void sm3_64(uint *s) {
  uint h0 = 0x7380166fU, h1 = 0x4914b2b9U, h2 = 0x172442d7U, h3 = 0xda8a0600U, h4 = 0xa96f30bcU, h5 = 0x163138aaU, h6 = 0xe38dee4dU, h7 = 0xb0fb0e4eU;
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7, w[68];
    w[0] = SWAP32(s[0]);
    w[1] = SWAP32(s[1]);
    w[2] = SWAP32(s[2]);
    w[3] = SWAP32(s[3]);
    w[4] = SWAP32(s[4]);
    w[5] = SWAP32(s[5]);
    w[6] = SWAP32(s[6]);
    w[7] = SWAP32(s[7]);
    w[8] = SWAP32(s[8]);
    w[9] = SWAP32(s[9]);
    w[10] = SWAP32(s[10]);
    w[11] = SWAP32(s[11]);
    w[12] = SWAP32(s[12]);
    w[13] = SWAP32(s[13]);
    w[14] = SWAP32(s[14]);
    w[15] = SWAP32(s[15]);
    SM3_MIX(w, 16);
    SM3_MIX(w, 17);
    SM3_MIX(w, 18);
    SM3_MIX(w, 19);
    SM3_MIX(w, 20);
    SM3_MIX(w, 21);
    SM3_MIX(w, 22);
    SM3_MIX(w, 23);
    SM3_MIX(w, 24);
    SM3_MIX(w, 25);
    SM3_MIX(w, 26);
    SM3_MIX(w, 27);
    SM3_MIX(w, 28);
    SM3_MIX(w, 29);
    SM3_MIX(w, 30);
    SM3_MIX(w, 31);
    SM3_MIX(w, 32);
    SM3_MIX(w, 33);
    SM3_MIX(w, 34);
    SM3_MIX(w, 35);
    SM3_MIX(w, 36);
    SM3_MIX(w, 37);
    SM3_MIX(w, 38);
    SM3_MIX(w, 39);
    SM3_MIX(w, 40);
    SM3_MIX(w, 41);
    SM3_MIX(w, 42);
    SM3_MIX(w, 43);
    SM3_MIX(w, 44);
    SM3_MIX(w, 45);
    SM3_MIX(w, 46);
    SM3_MIX(w, 47);
    SM3_MIX(w, 48);
    SM3_MIX(w, 49);
    SM3_MIX(w, 50);
    SM3_MIX(w, 51);
    SM3_MIX(w, 52);
    SM3_MIX(w, 53);
    SM3_MIX(w, 54);
    SM3_MIX(w, 55);
    SM3_MIX(w, 56);
    SM3_MIX(w, 57);
    SM3_MIX(w, 58);
    SM3_MIX(w, 59);
    SM3_MIX(w, 60);
    SM3_MIX(w, 61);
    SM3_MIX(w, 62);
    SM3_MIX(w, 63);
    SM3_MIX(w, 64);
    SM3_MIX(w, 65);
    SM3_MIX(w, 66);
    SM3_MIX(w, 67);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 0, 0x79cc4519U);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 1, 0xf3988a32U);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 2, 0xe7311465U);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 3, 0xce6228cbU);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 4, 0x9cc45197U);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 5, 0x3988a32fU);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 6, 0x7311465eU);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 7, 0xe6228cbcU);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 8, 0xcc451979U);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 9, 0x988a32f3U);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 10, 0x311465e7U);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 11, 0x6228cbceU);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 12, 0xc451979cU);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 13, 0x88a32f39U);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 14, 0x11465e73U);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 15, 0x228cbce6U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 16, 0x9d8a7a87U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 17, 0x3b14f50fU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 18, 0x7629ea1eU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 19, 0xec53d43cU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 20, 0xd8a7a879U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 21, 0xb14f50f3U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 22, 0x629ea1e7U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 23, 0xc53d43ceU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 24, 0x8a7a879dU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 25, 0x14f50f3bU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 26, 0x29ea1e76U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 27, 0x53d43cecU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 28, 0xa7a879d8U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 29, 0x4f50f3b1U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 30, 0x9ea1e762U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 31, 0x3d43cec5U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 32, 0x7a879d8aU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 33, 0xf50f3b14U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 34, 0xea1e7629U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 35, 0xd43cec53U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 36, 0xa879d8a7U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 37, 0x50f3b14fU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 38, 0xa1e7629eU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 39, 0x43cec53dU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 40, 0x879d8a7aU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 41, 0x0f3b14f5U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 42, 0x1e7629eaU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 43, 0x3cec53d4U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 44, 0x79d8a7a8U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 45, 0xf3b14f50U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 46, 0xe7629ea1U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 47, 0xcec53d43U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 48, 0x9d8a7a87U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 49, 0x3b14f50fU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 50, 0x7629ea1eU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 51, 0xec53d43cU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 52, 0xd8a7a879U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 53, 0xb14f50f3U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 54, 0x629ea1e7U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 55, 0xc53d43ceU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 56, 0x8a7a879dU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 57, 0x14f50f3bU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 58, 0x29ea1e76U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 59, 0x53d43cecU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 60, 0xa7a879d8U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 61, 0x4f50f3b1U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 62, 0x9ea1e762U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 63, 0x3d43cec5U);
    h0 ^= a, h1 ^= b, h2 ^= c, h3 ^= d, h4 ^= e, h5 ^= f, h6 ^= g, h7 ^= h;
  }
  {
    uint a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7, w[68];
    w[0] = 0x80000000U;
    w[1] = 0U;
    w[2] = 0U;
    w[3] = 0U;
    w[4] = 0U;
    w[5] = 0U;
    w[6] = 0U;
    w[7] = 0U;
    w[8] = 0U;
    w[9] = 0U;
    w[10] = 0U;
    w[11] = 0U;
    w[12] = 0U;
    w[13] = 0U;
    w[14] = 0U;
    w[15] = 512U;
    SM3_MIX(w, 16);
    SM3_MIX(w, 17);
    SM3_MIX(w, 18);
    SM3_MIX(w, 19);
    SM3_MIX(w, 20);
    SM3_MIX(w, 21);
    SM3_MIX(w, 22);
    SM3_MIX(w, 23);
    SM3_MIX(w, 24);
    SM3_MIX(w, 25);
    SM3_MIX(w, 26);
    SM3_MIX(w, 27);
    SM3_MIX(w, 28);
    SM3_MIX(w, 29);
    SM3_MIX(w, 30);
    SM3_MIX(w, 31);
    SM3_MIX(w, 32);
    SM3_MIX(w, 33);
    SM3_MIX(w, 34);
    SM3_MIX(w, 35);
    SM3_MIX(w, 36);
    SM3_MIX(w, 37);
    SM3_MIX(w, 38);
    SM3_MIX(w, 39);
    SM3_MIX(w, 40);
    SM3_MIX(w, 41);
    SM3_MIX(w, 42);
    SM3_MIX(w, 43);
    SM3_MIX(w, 44);
    SM3_MIX(w, 45);
    SM3_MIX(w, 46);
    SM3_MIX(w, 47);
    SM3_MIX(w, 48);
    SM3_MIX(w, 49);
    SM3_MIX(w, 50);
    SM3_MIX(w, 51);
    SM3_MIX(w, 52);
    SM3_MIX(w, 53);
    SM3_MIX(w, 54);
    SM3_MIX(w, 55);
    SM3_MIX(w, 56);
    SM3_MIX(w, 57);
    SM3_MIX(w, 58);
    SM3_MIX(w, 59);
    SM3_MIX(w, 60);
    SM3_MIX(w, 61);
    SM3_MIX(w, 62);
    SM3_MIX(w, 63);
    SM3_MIX(w, 64);
    SM3_MIX(w, 65);
    SM3_MIX(w, 66);
    SM3_MIX(w, 67);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 0, 0x79cc4519U);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 1, 0xf3988a32U);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 2, 0xe7311465U);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 3, 0xce6228cbU);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 4, 0x9cc45197U);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 5, 0x3988a32fU);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 6, 0x7311465eU);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 7, 0xe6228cbcU);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 8, 0xcc451979U);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 9, 0x988a32f3U);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 10, 0x311465e7U);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 11, 0x6228cbceU);
    SM3_STEP(1, a, b, c, d, e, f, g, h, 12, 0xc451979cU);
    SM3_STEP(1, d, a, b, c, h, e, f, g, 13, 0x88a32f39U);
    SM3_STEP(1, c, d, a, b, g, h, e, f, 14, 0x11465e73U);
    SM3_STEP(1, b, c, d, a, f, g, h, e, 15, 0x228cbce6U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 16, 0x9d8a7a87U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 17, 0x3b14f50fU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 18, 0x7629ea1eU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 19, 0xec53d43cU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 20, 0xd8a7a879U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 21, 0xb14f50f3U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 22, 0x629ea1e7U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 23, 0xc53d43ceU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 24, 0x8a7a879dU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 25, 0x14f50f3bU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 26, 0x29ea1e76U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 27, 0x53d43cecU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 28, 0xa7a879d8U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 29, 0x4f50f3b1U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 30, 0x9ea1e762U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 31, 0x3d43cec5U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 32, 0x7a879d8aU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 33, 0xf50f3b14U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 34, 0xea1e7629U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 35, 0xd43cec53U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 36, 0xa879d8a7U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 37, 0x50f3b14fU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 38, 0xa1e7629eU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 39, 0x43cec53dU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 40, 0x879d8a7aU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 41, 0x0f3b14f5U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 42, 0x1e7629eaU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 43, 0x3cec53d4U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 44, 0x79d8a7a8U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 45, 0xf3b14f50U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 46, 0xe7629ea1U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 47, 0xcec53d43U);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 48, 0x9d8a7a87U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 49, 0x3b14f50fU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 50, 0x7629ea1eU);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 51, 0xec53d43cU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 52, 0xd8a7a879U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 53, 0xb14f50f3U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 54, 0x629ea1e7U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 55, 0xc53d43ceU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 56, 0x8a7a879dU);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 57, 0x14f50f3bU);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 58, 0x29ea1e76U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 59, 0x53d43cecU);
    SM3_STEP(2, a, b, c, d, e, f, g, h, 60, 0xa7a879d8U);
    SM3_STEP(2, d, a, b, c, h, e, f, g, 61, 0x4f50f3b1U);
    SM3_STEP(2, c, d, a, b, g, h, e, f, 62, 0x9ea1e762U);
    SM3_STEP(2, b, c, d, a, f, g, h, e, 63, 0x3d43cec5U);
    h0 ^= a, h1 ^= b, h2 ^= c, h3 ^= d, h4 ^= e, h5 ^= f, h6 ^= g, h7 ^= h;
  }
  s[0] = SWAP32(h0);
  s[1] = SWAP32(h1);
  s[2] = SWAP32(h2);
  s[3] = SWAP32(h3);
  s[4] = SWAP32(h4);
  s[5] = SWAP32(h5);
  s[6] = SWAP32(h6);
  s[7] = SWAP32(h7);
}

// ---- BLAKE2s and BLAKE2b
#define BLAKE2_MIX(rotr, r0, r1, r2, r3, a, b, c, d, x, y) \
  do { \
    v##a += v##b + (x); \
    v##d = rotr(v##d ^ v##a, r0); \
    v##c += v##d; \
    v##b = rotr(v##b ^ v##c, r1); \
    v##a += v##b + (y); \
    v##d = rotr(v##d ^ v##a, r2); \
    v##c += v##d; \
    v##b = rotr(v##b ^ v##c, r3); \
  } while (0)
#define BLAKE2S_MIX(...) BLAKE2_MIX(ROTR32, 16, 12, 8, 7, __VA_ARGS__)
#define BLAKE2B_MIX(...) BLAKE2_MIX(ROTR64, 32, 24, 16, 63, __VA_ARGS__)

static void blake2s_64(uint *s) {
  uint v0 = 0x6b08e647U;
  uint v1 = 0xbb67ae85U;
  uint v2 = 0x3c6ef372U;
  uint v3 = 0xa54ff53aU;
  uint v4 = 0x510e527fU;
  uint v5 = 0x9b05688cU;
  uint v6 = 0x1f83d9abU;
  uint v7 = 0x5be0cd19U;
  uint v8 = 0x6a09e667U;
  uint v9 = 0xbb67ae85U;
  uint v10 = 0x3c6ef372U;
  uint v11 = 0xa54ff53aU;
  uint v12 = 0x510e523fU;
  uint v13 = 0x9b05688cU;
  uint v14 = 0xe07c2654U;
  uint v15 = 0x5be0cd19U;
  uint m0 = s[0];
  uint m1 = s[1];
  uint m2 = s[2];
  uint m3 = s[3];
  uint m4 = s[4];
  uint m5 = s[5];
  uint m6 = s[6];
  uint m7 = s[7];
  uint m8 = s[8];
  uint m9 = s[9];
  uint m10 = s[10];
  uint m11 = s[11];
  uint m12 = s[12];
  uint m13 = s[13];
  uint m14 = s[14];
  uint m15 = s[15];
  BLAKE2S_MIX(0, 4, 8, 12, m0, m1);
  BLAKE2S_MIX(1, 5, 9, 13, m2, m3);
  BLAKE2S_MIX(2, 6, 10, 14, m4, m5);
  BLAKE2S_MIX(3, 7, 11, 15, m6, m7);
  BLAKE2S_MIX(0, 5, 10, 15, m8, m9);
  BLAKE2S_MIX(1, 6, 11, 12, m10, m11);
  BLAKE2S_MIX(2, 7, 8, 13, m12, m13);
  BLAKE2S_MIX(3, 4, 9, 14, m14, m15);
  BLAKE2S_MIX(0, 4, 8, 12, m14, m10);
  BLAKE2S_MIX(1, 5, 9, 13, m4, m8);
  BLAKE2S_MIX(2, 6, 10, 14, m9, m15);
  BLAKE2S_MIX(3, 7, 11, 15, m13, m6);
  BLAKE2S_MIX(0, 5, 10, 15, m1, m12);
  BLAKE2S_MIX(1, 6, 11, 12, m0, m2);
  BLAKE2S_MIX(2, 7, 8, 13, m11, m7);
  BLAKE2S_MIX(3, 4, 9, 14, m5, m3);
  BLAKE2S_MIX(0, 4, 8, 12, m11, m8);
  BLAKE2S_MIX(1, 5, 9, 13, m12, m0);
  BLAKE2S_MIX(2, 6, 10, 14, m5, m2);
  BLAKE2S_MIX(3, 7, 11, 15, m15, m13);
  BLAKE2S_MIX(0, 5, 10, 15, m10, m14);
  BLAKE2S_MIX(1, 6, 11, 12, m3, m6);
  BLAKE2S_MIX(2, 7, 8, 13, m7, m1);
  BLAKE2S_MIX(3, 4, 9, 14, m9, m4);
  BLAKE2S_MIX(0, 4, 8, 12, m7, m9);
  BLAKE2S_MIX(1, 5, 9, 13, m3, m1);
  BLAKE2S_MIX(2, 6, 10, 14, m13, m12);
  BLAKE2S_MIX(3, 7, 11, 15, m11, m14);
  BLAKE2S_MIX(0, 5, 10, 15, m2, m6);
  BLAKE2S_MIX(1, 6, 11, 12, m5, m10);
  BLAKE2S_MIX(2, 7, 8, 13, m4, m0);
  BLAKE2S_MIX(3, 4, 9, 14, m15, m8);
  BLAKE2S_MIX(0, 4, 8, 12, m9, m0);
  BLAKE2S_MIX(1, 5, 9, 13, m5, m7);
  BLAKE2S_MIX(2, 6, 10, 14, m2, m4);
  BLAKE2S_MIX(3, 7, 11, 15, m10, m15);
  BLAKE2S_MIX(0, 5, 10, 15, m14, m1);
  BLAKE2S_MIX(1, 6, 11, 12, m11, m12);
  BLAKE2S_MIX(2, 7, 8, 13, m6, m8);
  BLAKE2S_MIX(3, 4, 9, 14, m3, m13);
  BLAKE2S_MIX(0, 4, 8, 12, m2, m12);
  BLAKE2S_MIX(1, 5, 9, 13, m6, m10);
  BLAKE2S_MIX(2, 6, 10, 14, m0, m11);
  BLAKE2S_MIX(3, 7, 11, 15, m8, m3);
  BLAKE2S_MIX(0, 5, 10, 15, m4, m13);
  BLAKE2S_MIX(1, 6, 11, 12, m7, m5);
  BLAKE2S_MIX(2, 7, 8, 13, m15, m14);
  BLAKE2S_MIX(3, 4, 9, 14, m1, m9);
  BLAKE2S_MIX(0, 4, 8, 12, m12, m5);
  BLAKE2S_MIX(1, 5, 9, 13, m1, m15);
  BLAKE2S_MIX(2, 6, 10, 14, m14, m13);
  BLAKE2S_MIX(3, 7, 11, 15, m4, m10);
  BLAKE2S_MIX(0, 5, 10, 15, m0, m7);
  BLAKE2S_MIX(1, 6, 11, 12, m6, m3);
  BLAKE2S_MIX(2, 7, 8, 13, m9, m2);
  BLAKE2S_MIX(3, 4, 9, 14, m8, m11);
  BLAKE2S_MIX(0, 4, 8, 12, m13, m11);
  BLAKE2S_MIX(1, 5, 9, 13, m7, m14);
  BLAKE2S_MIX(2, 6, 10, 14, m12, m1);
  BLAKE2S_MIX(3, 7, 11, 15, m3, m9);
  BLAKE2S_MIX(0, 5, 10, 15, m5, m0);
  BLAKE2S_MIX(1, 6, 11, 12, m15, m4);
  BLAKE2S_MIX(2, 7, 8, 13, m8, m6);
  BLAKE2S_MIX(3, 4, 9, 14, m2, m10);
  BLAKE2S_MIX(0, 4, 8, 12, m6, m15);
  BLAKE2S_MIX(1, 5, 9, 13, m14, m9);
  BLAKE2S_MIX(2, 6, 10, 14, m11, m3);
  BLAKE2S_MIX(3, 7, 11, 15, m0, m8);
  BLAKE2S_MIX(0, 5, 10, 15, m12, m2);
  BLAKE2S_MIX(1, 6, 11, 12, m13, m7);
  BLAKE2S_MIX(2, 7, 8, 13, m1, m4);
  BLAKE2S_MIX(3, 4, 9, 14, m10, m5);
  BLAKE2S_MIX(0, 4, 8, 12, m10, m2);
  BLAKE2S_MIX(1, 5, 9, 13, m8, m4);
  BLAKE2S_MIX(2, 6, 10, 14, m7, m6);
  BLAKE2S_MIX(3, 7, 11, 15, m1, m5);
  BLAKE2S_MIX(0, 5, 10, 15, m15, m11);
  BLAKE2S_MIX(1, 6, 11, 12, m9, m14);
  BLAKE2S_MIX(2, 7, 8, 13, m3, m12);
  BLAKE2S_MIX(3, 4, 9, 14, m13, m0);
  v0 = 0x6b08e647U ^ v0 ^ v8;
  v1 = 0xbb67ae85U ^ v1 ^ v9;
  v2 = 0x3c6ef372U ^ v2 ^ v10;
  v3 = 0xa54ff53aU ^ v3 ^ v11;
  v4 = 0x510e527fU ^ v4 ^ v12;
  v5 = 0x9b05688cU ^ v5 ^ v13;
  v6 = 0x1f83d9abU ^ v6 ^ v14;
  v7 = 0x5be0cd19U ^ v7 ^ v15;
  s[0] = v0;
  s[1] = v1;
  s[2] = v2;
  s[3] = v3;
  s[4] = v4;
  s[5] = v5;
  s[6] = v6;
  s[7] = v7;
}

static void blake2b_64(uint *s) {
  ulong v0 = 0x6a09e667f2bdc948UL;
  ulong v1 = 0xbb67ae8584caa73bUL;
  ulong v2 = 0x3c6ef372fe94f82bUL;
  ulong v3 = 0xa54ff53a5f1d36f1UL;
  ulong v4 = 0x510e527fade682d1UL;
  ulong v5 = 0x9b05688c2b3e6c1fUL;
  ulong v6 = 0x1f83d9abfb41bd6bUL;
  ulong v7 = 0x5be0cd19137e2179UL;
  ulong v8 = 0x6a09e667f3bcc908UL;
  ulong v9 = 0xbb67ae8584caa73bUL;
  ulong v10 = 0x3c6ef372fe94f82bUL;
  ulong v11 = 0xa54ff53a5f1d36f1UL;
  ulong v12 = 0x510e527fade68291UL;
  ulong v13 = 0x9b05688c2b3e6c1fUL;
  ulong v14 = 0xe07c265404be4294UL;
  ulong v15 = 0x5be0cd19137e2179UL;
  ulong m0 = PAIR(s[0], s[1]);
  ulong m1 = PAIR(s[2], s[3]);
  ulong m2 = PAIR(s[4], s[5]);
  ulong m3 = PAIR(s[6], s[7]);
  ulong m4 = PAIR(s[8], s[9]);
  ulong m5 = PAIR(s[10], s[11]);
  ulong m6 = PAIR(s[12], s[13]);
  ulong m7 = PAIR(s[14], s[15]);
  ulong m8 = 0UL;
  ulong m9 = 0UL;
  ulong m10 = 0UL;
  ulong m11 = 0UL;
  ulong m12 = 0UL;
  ulong m13 = 0UL;
  ulong m14 = 0UL;
  ulong m15 = 0UL;
  BLAKE2B_MIX(0, 4, 8, 12, m0, m1);
  BLAKE2B_MIX(1, 5, 9, 13, m2, m3);
  BLAKE2B_MIX(2, 6, 10, 14, m4, m5);
  BLAKE2B_MIX(3, 7, 11, 15, m6, m7);
  BLAKE2B_MIX(0, 5, 10, 15, m8, m9);
  BLAKE2B_MIX(1, 6, 11, 12, m10, m11);
  BLAKE2B_MIX(2, 7, 8, 13, m12, m13);
  BLAKE2B_MIX(3, 4, 9, 14, m14, m15);
  BLAKE2B_MIX(0, 4, 8, 12, m14, m10);
  BLAKE2B_MIX(1, 5, 9, 13, m4, m8);
  BLAKE2B_MIX(2, 6, 10, 14, m9, m15);
  BLAKE2B_MIX(3, 7, 11, 15, m13, m6);
  BLAKE2B_MIX(0, 5, 10, 15, m1, m12);
  BLAKE2B_MIX(1, 6, 11, 12, m0, m2);
  BLAKE2B_MIX(2, 7, 8, 13, m11, m7);
  BLAKE2B_MIX(3, 4, 9, 14, m5, m3);
  BLAKE2B_MIX(0, 4, 8, 12, m11, m8);
  BLAKE2B_MIX(1, 5, 9, 13, m12, m0);
  BLAKE2B_MIX(2, 6, 10, 14, m5, m2);
  BLAKE2B_MIX(3, 7, 11, 15, m15, m13);
  BLAKE2B_MIX(0, 5, 10, 15, m10, m14);
  BLAKE2B_MIX(1, 6, 11, 12, m3, m6);
  BLAKE2B_MIX(2, 7, 8, 13, m7, m1);
  BLAKE2B_MIX(3, 4, 9, 14, m9, m4);
  BLAKE2B_MIX(0, 4, 8, 12, m7, m9);
  BLAKE2B_MIX(1, 5, 9, 13, m3, m1);
  BLAKE2B_MIX(2, 6, 10, 14, m13, m12);
  BLAKE2B_MIX(3, 7, 11, 15, m11, m14);
  BLAKE2B_MIX(0, 5, 10, 15, m2, m6);
  BLAKE2B_MIX(1, 6, 11, 12, m5, m10);
  BLAKE2B_MIX(2, 7, 8, 13, m4, m0);
  BLAKE2B_MIX(3, 4, 9, 14, m15, m8);
  BLAKE2B_MIX(0, 4, 8, 12, m9, m0);
  BLAKE2B_MIX(1, 5, 9, 13, m5, m7);
  BLAKE2B_MIX(2, 6, 10, 14, m2, m4);
  BLAKE2B_MIX(3, 7, 11, 15, m10, m15);
  BLAKE2B_MIX(0, 5, 10, 15, m14, m1);
  BLAKE2B_MIX(1, 6, 11, 12, m11, m12);
  BLAKE2B_MIX(2, 7, 8, 13, m6, m8);
  BLAKE2B_MIX(3, 4, 9, 14, m3, m13);
  BLAKE2B_MIX(0, 4, 8, 12, m2, m12);
  BLAKE2B_MIX(1, 5, 9, 13, m6, m10);
  BLAKE2B_MIX(2, 6, 10, 14, m0, m11);
  BLAKE2B_MIX(3, 7, 11, 15, m8, m3);
  BLAKE2B_MIX(0, 5, 10, 15, m4, m13);
  BLAKE2B_MIX(1, 6, 11, 12, m7, m5);
  BLAKE2B_MIX(2, 7, 8, 13, m15, m14);
  BLAKE2B_MIX(3, 4, 9, 14, m1, m9);
  BLAKE2B_MIX(0, 4, 8, 12, m12, m5);
  BLAKE2B_MIX(1, 5, 9, 13, m1, m15);
  BLAKE2B_MIX(2, 6, 10, 14, m14, m13);
  BLAKE2B_MIX(3, 7, 11, 15, m4, m10);
  BLAKE2B_MIX(0, 5, 10, 15, m0, m7);
  BLAKE2B_MIX(1, 6, 11, 12, m6, m3);
  BLAKE2B_MIX(2, 7, 8, 13, m9, m2);
  BLAKE2B_MIX(3, 4, 9, 14, m8, m11);
  BLAKE2B_MIX(0, 4, 8, 12, m13, m11);
  BLAKE2B_MIX(1, 5, 9, 13, m7, m14);
  BLAKE2B_MIX(2, 6, 10, 14, m12, m1);
  BLAKE2B_MIX(3, 7, 11, 15, m3, m9);
  BLAKE2B_MIX(0, 5, 10, 15, m5, m0);
  BLAKE2B_MIX(1, 6, 11, 12, m15, m4);
  BLAKE2B_MIX(2, 7, 8, 13, m8, m6);
  BLAKE2B_MIX(3, 4, 9, 14, m2, m10);
  BLAKE2B_MIX(0, 4, 8, 12, m6, m15);
  BLAKE2B_MIX(1, 5, 9, 13, m14, m9);
  BLAKE2B_MIX(2, 6, 10, 14, m11, m3);
  BLAKE2B_MIX(3, 7, 11, 15, m0, m8);
  BLAKE2B_MIX(0, 5, 10, 15, m12, m2);
  BLAKE2B_MIX(1, 6, 11, 12, m13, m7);
  BLAKE2B_MIX(2, 7, 8, 13, m1, m4);
  BLAKE2B_MIX(3, 4, 9, 14, m10, m5);
  BLAKE2B_MIX(0, 4, 8, 12, m10, m2);
  BLAKE2B_MIX(1, 5, 9, 13, m8, m4);
  BLAKE2B_MIX(2, 6, 10, 14, m7, m6);
  BLAKE2B_MIX(3, 7, 11, 15, m1, m5);
  BLAKE2B_MIX(0, 5, 10, 15, m15, m11);
  BLAKE2B_MIX(1, 6, 11, 12, m9, m14);
  BLAKE2B_MIX(2, 7, 8, 13, m3, m12);
  BLAKE2B_MIX(3, 4, 9, 14, m13, m0);
  BLAKE2B_MIX(0, 4, 8, 12, m0, m1);
  BLAKE2B_MIX(1, 5, 9, 13, m2, m3);
  BLAKE2B_MIX(2, 6, 10, 14, m4, m5);
  BLAKE2B_MIX(3, 7, 11, 15, m6, m7);
  BLAKE2B_MIX(0, 5, 10, 15, m8, m9);
  BLAKE2B_MIX(1, 6, 11, 12, m10, m11);
  BLAKE2B_MIX(2, 7, 8, 13, m12, m13);
  BLAKE2B_MIX(3, 4, 9, 14, m14, m15);
  BLAKE2B_MIX(0, 4, 8, 12, m14, m10);
  BLAKE2B_MIX(1, 5, 9, 13, m4, m8);
  BLAKE2B_MIX(2, 6, 10, 14, m9, m15);
  BLAKE2B_MIX(3, 7, 11, 15, m13, m6);
  BLAKE2B_MIX(0, 5, 10, 15, m1, m12);
  BLAKE2B_MIX(1, 6, 11, 12, m0, m2);
  BLAKE2B_MIX(2, 7, 8, 13, m11, m7);
  BLAKE2B_MIX(3, 4, 9, 14, m5, m3);
  v0 = 0x6a09e667f2bdc948UL ^ v0 ^ v8;
  v1 = 0xbb67ae8584caa73bUL ^ v1 ^ v9;
  v2 = 0x3c6ef372fe94f82bUL ^ v2 ^ v10;
  v3 = 0xa54ff53a5f1d36f1UL ^ v3 ^ v11;
  v4 = 0x510e527fade682d1UL ^ v4 ^ v12;
  v5 = 0x9b05688c2b3e6c1fUL ^ v5 ^ v13;
  v6 = 0x1f83d9abfb41bd6bUL ^ v6 ^ v14;
  v7 = 0x5be0cd19137e2179UL ^ v7 ^ v15;
  s[0] = LOW(v0);
  s[1] = HIGH(v0);
  s[2] = LOW(v1);
  s[3] = HIGH(v1);
  s[4] = LOW(v2);
  s[5] = HIGH(v2);
  s[6] = LOW(v3);
  s[7] = HIGH(v3);
  s[8] = LOW(v4);
  s[9] = HIGH(v4);
  s[10] = LOW(v5);
  s[11] = HIGH(v5);
  s[12] = LOW(v6);
  s[13] = HIGH(v6);
  s[14] = LOW(v7);
  s[15] = HIGH(v7);
}

// ---- SHA-512
#define SHA512_S0(x) (ROTR64(x, 28) ^ ROTR64(x, 34) ^ ROTR64(x, 39))
#define SHA512_S1(x) (ROTR64(x, 14) ^ ROTR64(x, 18) ^ ROTR64(x, 41))
#define SHA512_s0(x) (ROTR64(x, 1) ^ ROTR64(x, 8) ^ ((x) >> 7))
#define SHA512_s1(x) (ROTR64(x, 19) ^ ROTR64(x, 61) ^ ((x) >> 6))
#define SHA512_MIX(w, i) w[(i) & 15] += SHA512_s1(w[((i) + 14) & 15]) + w[((i) + 9) & 15] + SHA512_s0(w[((i) + 1) & 15])
#define SHA512_STEP(a, b, c, d, e, f, g, h, x, k) \
  do { \
    h += SHA512_S1(e) + CH(e, f, g) + (x) + (k); \
    d += h; \
    h += SHA512_S0(a) + MAJ(a, b, c); \
  } while (0)

static void sha512_128(uint *s) {
  ulong h0 = 0x6a09e667f3bcc908UL, h1 = 0xbb67ae8584caa73bUL, h2 = 0x3c6ef372fe94f82bUL, h3 = 0xa54ff53a5f1d36f1UL, h4 = 0x510e527fade682d1UL, h5 = 0x9b05688c2b3e6c1fUL, h6 = 0x1f83d9abfb41bd6bUL, h7 = 0x5be0cd19137e2179UL;
  {
    ulong a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7, w[16];
    w[0] = SWAP64(PAIR(s[0], s[1]));
    w[1] = SWAP64(PAIR(s[2], s[3]));
    w[2] = SWAP64(PAIR(s[4], s[5]));
    w[3] = SWAP64(PAIR(s[6], s[7]));
    w[4] = SWAP64(PAIR(s[8], s[9]));
    w[5] = SWAP64(PAIR(s[10], s[11]));
    w[6] = SWAP64(PAIR(s[12], s[13]));
    w[7] = SWAP64(PAIR(s[14], s[15]));
    w[8] = SWAP64(PAIR(s[0], s[1]));
    w[9] = SWAP64(PAIR(s[2], s[3]));
    w[10] = SWAP64(PAIR(s[4], s[5]));
    w[11] = SWAP64(PAIR(s[6], s[7]));
    w[12] = SWAP64(PAIR(s[8], s[9]));
    w[13] = SWAP64(PAIR(s[10], s[11]));
    w[14] = SWAP64(PAIR(s[12], s[13]));
    w[15] = SWAP64(PAIR(s[14], s[15]));
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0x428a2f98d728ae22UL);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0x7137449123ef65cdUL);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0xb5c0fbcfec4d3b2fUL);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0xe9b5dba58189dbbcUL);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x3956c25bf348b538UL);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x59f111f1b605d019UL);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x923f82a4af194f9bUL);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0xab1c5ed5da6d8118UL);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0xd807aa98a3030242UL);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0x12835b0145706fbeUL);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0x243185be4ee4b28cUL);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0x550c7dc3d5ffb4e2UL);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0x72be5d74f27b896fUL);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0x80deb1fe3b1696b1UL);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0x9bdc06a725c71235UL);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0xc19bf174cf692694UL);
    SHA512_MIX(w, 16);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0xe49b69c19ef14ad2UL);
    SHA512_MIX(w, 17);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0xefbe4786384f25e3UL);
    SHA512_MIX(w, 18);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0x0fc19dc68b8cd5b5UL);
    SHA512_MIX(w, 19);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0x240ca1cc77ac9c65UL);
    SHA512_MIX(w, 20);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x2de92c6f592b0275UL);
    SHA512_MIX(w, 21);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x4a7484aa6ea6e483UL);
    SHA512_MIX(w, 22);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x5cb0a9dcbd41fbd4UL);
    SHA512_MIX(w, 23);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x76f988da831153b5UL);
    SHA512_MIX(w, 24);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0x983e5152ee66dfabUL);
    SHA512_MIX(w, 25);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0xa831c66d2db43210UL);
    SHA512_MIX(w, 26);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0xb00327c898fb213fUL);
    SHA512_MIX(w, 27);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0xbf597fc7beef0ee4UL);
    SHA512_MIX(w, 28);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0xc6e00bf33da88fc2UL);
    SHA512_MIX(w, 29);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0xd5a79147930aa725UL);
    SHA512_MIX(w, 30);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0x06ca6351e003826fUL);
    SHA512_MIX(w, 31);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0x142929670a0e6e70UL);
    SHA512_MIX(w, 32);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0x27b70a8546d22ffcUL);
    SHA512_MIX(w, 33);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0x2e1b21385c26c926UL);
    SHA512_MIX(w, 34);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0x4d2c6dfc5ac42aedUL);
    SHA512_MIX(w, 35);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0x53380d139d95b3dfUL);
    SHA512_MIX(w, 36);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x650a73548baf63deUL);
    SHA512_MIX(w, 37);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x766a0abb3c77b2a8UL);
    SHA512_MIX(w, 38);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x81c2c92e47edaee6UL);
    SHA512_MIX(w, 39);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x92722c851482353bUL);
    SHA512_MIX(w, 40);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0xa2bfe8a14cf10364UL);
    SHA512_MIX(w, 41);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0xa81a664bbc423001UL);
    SHA512_MIX(w, 42);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0xc24b8b70d0f89791UL);
    SHA512_MIX(w, 43);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0xc76c51a30654be30UL);
    SHA512_MIX(w, 44);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0xd192e819d6ef5218UL);
    SHA512_MIX(w, 45);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0xd69906245565a910UL);
    SHA512_MIX(w, 46);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0xf40e35855771202aUL);
    SHA512_MIX(w, 47);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0x106aa07032bbd1b8UL);
    SHA512_MIX(w, 48);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0x19a4c116b8d2d0c8UL);
    SHA512_MIX(w, 49);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0x1e376c085141ab53UL);
    SHA512_MIX(w, 50);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0x2748774cdf8eeb99UL);
    SHA512_MIX(w, 51);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0x34b0bcb5e19b48a8UL);
    SHA512_MIX(w, 52);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x391c0cb3c5c95a63UL);
    SHA512_MIX(w, 53);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x4ed8aa4ae3418acbUL);
    SHA512_MIX(w, 54);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x5b9cca4f7763e373UL);
    SHA512_MIX(w, 55);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x682e6ff3d6b2b8a3UL);
    SHA512_MIX(w, 56);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0x748f82ee5defb2fcUL);
    SHA512_MIX(w, 57);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0x78a5636f43172f60UL);
    SHA512_MIX(w, 58);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0x84c87814a1f0ab72UL);
    SHA512_MIX(w, 59);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0x8cc702081a6439ecUL);
    SHA512_MIX(w, 60);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0x90befffa23631e28UL);
    SHA512_MIX(w, 61);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0xa4506cebde82bde9UL);
    SHA512_MIX(w, 62);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0xbef9a3f7b2c67915UL);
    SHA512_MIX(w, 63);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0xc67178f2e372532bUL);
    SHA512_MIX(w, 64);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0xca273eceea26619cUL);
    SHA512_MIX(w, 65);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0xd186b8c721c0c207UL);
    SHA512_MIX(w, 66);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0xeada7dd6cde0eb1eUL);
    SHA512_MIX(w, 67);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0xf57d4f7fee6ed178UL);
    SHA512_MIX(w, 68);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x06f067aa72176fbaUL);
    SHA512_MIX(w, 69);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x0a637dc5a2c898a6UL);
    SHA512_MIX(w, 70);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x113f9804bef90daeUL);
    SHA512_MIX(w, 71);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x1b710b35131c471bUL);
    SHA512_MIX(w, 72);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0x28db77f523047d84UL);
    SHA512_MIX(w, 73);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0x32caab7b40c72493UL);
    SHA512_MIX(w, 74);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0x3c9ebe0a15c9bebcUL);
    SHA512_MIX(w, 75);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0x431d67c49c100d4cUL);
    SHA512_MIX(w, 76);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0x4cc5d4becb3e42b6UL);
    SHA512_MIX(w, 77);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0x597f299cfc657e2aUL);
    SHA512_MIX(w, 78);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0x5fcb6fab3ad6faecUL);
    SHA512_MIX(w, 79);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0x6c44198c4a475817UL);
    h0 += a, h1 += b, h2 += c, h3 += d, h4 += e, h5 += f, h6 += g, h7 += h;
  }
  {
    ulong a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7, w[16];
    w[0] = 0x8000000000000000UL;
    w[1] = 0UL;
    w[2] = 0UL;
    w[3] = 0UL;
    w[4] = 0UL;
    w[5] = 0UL;
    w[6] = 0UL;
    w[7] = 0UL;
    w[8] = 0UL;
    w[9] = 0UL;
    w[10] = 0UL;
    w[11] = 0UL;
    w[12] = 0UL;
    w[13] = 0UL;
    w[14] = 0UL;
    w[15] = 1024UL;
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0x428a2f98d728ae22UL);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0x7137449123ef65cdUL);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0xb5c0fbcfec4d3b2fUL);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0xe9b5dba58189dbbcUL);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x3956c25bf348b538UL);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x59f111f1b605d019UL);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x923f82a4af194f9bUL);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0xab1c5ed5da6d8118UL);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0xd807aa98a3030242UL);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0x12835b0145706fbeUL);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0x243185be4ee4b28cUL);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0x550c7dc3d5ffb4e2UL);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0x72be5d74f27b896fUL);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0x80deb1fe3b1696b1UL);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0x9bdc06a725c71235UL);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0xc19bf174cf692694UL);
    SHA512_MIX(w, 16);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0xe49b69c19ef14ad2UL);
    SHA512_MIX(w, 17);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0xefbe4786384f25e3UL);
    SHA512_MIX(w, 18);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0x0fc19dc68b8cd5b5UL);
    SHA512_MIX(w, 19);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0x240ca1cc77ac9c65UL);
    SHA512_MIX(w, 20);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x2de92c6f592b0275UL);
    SHA512_MIX(w, 21);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x4a7484aa6ea6e483UL);
    SHA512_MIX(w, 22);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x5cb0a9dcbd41fbd4UL);
    SHA512_MIX(w, 23);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x76f988da831153b5UL);
    SHA512_MIX(w, 24);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0x983e5152ee66dfabUL);
    SHA512_MIX(w, 25);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0xa831c66d2db43210UL);
    SHA512_MIX(w, 26);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0xb00327c898fb213fUL);
    SHA512_MIX(w, 27);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0xbf597fc7beef0ee4UL);
    SHA512_MIX(w, 28);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0xc6e00bf33da88fc2UL);
    SHA512_MIX(w, 29);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0xd5a79147930aa725UL);
    SHA512_MIX(w, 30);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0x06ca6351e003826fUL);
    SHA512_MIX(w, 31);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0x142929670a0e6e70UL);
    SHA512_MIX(w, 32);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0x27b70a8546d22ffcUL);
    SHA512_MIX(w, 33);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0x2e1b21385c26c926UL);
    SHA512_MIX(w, 34);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0x4d2c6dfc5ac42aedUL);
    SHA512_MIX(w, 35);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0x53380d139d95b3dfUL);
    SHA512_MIX(w, 36);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x650a73548baf63deUL);
    SHA512_MIX(w, 37);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x766a0abb3c77b2a8UL);
    SHA512_MIX(w, 38);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x81c2c92e47edaee6UL);
    SHA512_MIX(w, 39);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x92722c851482353bUL);
    SHA512_MIX(w, 40);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0xa2bfe8a14cf10364UL);
    SHA512_MIX(w, 41);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0xa81a664bbc423001UL);
    SHA512_MIX(w, 42);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0xc24b8b70d0f89791UL);
    SHA512_MIX(w, 43);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0xc76c51a30654be30UL);
    SHA512_MIX(w, 44);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0xd192e819d6ef5218UL);
    SHA512_MIX(w, 45);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0xd69906245565a910UL);
    SHA512_MIX(w, 46);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0xf40e35855771202aUL);
    SHA512_MIX(w, 47);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0x106aa07032bbd1b8UL);
    SHA512_MIX(w, 48);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0x19a4c116b8d2d0c8UL);
    SHA512_MIX(w, 49);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0x1e376c085141ab53UL);
    SHA512_MIX(w, 50);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0x2748774cdf8eeb99UL);
    SHA512_MIX(w, 51);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0x34b0bcb5e19b48a8UL);
    SHA512_MIX(w, 52);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x391c0cb3c5c95a63UL);
    SHA512_MIX(w, 53);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x4ed8aa4ae3418acbUL);
    SHA512_MIX(w, 54);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x5b9cca4f7763e373UL);
    SHA512_MIX(w, 55);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x682e6ff3d6b2b8a3UL);
    SHA512_MIX(w, 56);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0x748f82ee5defb2fcUL);
    SHA512_MIX(w, 57);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0x78a5636f43172f60UL);
    SHA512_MIX(w, 58);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0x84c87814a1f0ab72UL);
    SHA512_MIX(w, 59);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0x8cc702081a6439ecUL);
    SHA512_MIX(w, 60);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0x90befffa23631e28UL);
    SHA512_MIX(w, 61);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0xa4506cebde82bde9UL);
    SHA512_MIX(w, 62);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0xbef9a3f7b2c67915UL);
    SHA512_MIX(w, 63);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0xc67178f2e372532bUL);
    SHA512_MIX(w, 64);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[0], 0xca273eceea26619cUL);
    SHA512_MIX(w, 65);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[1], 0xd186b8c721c0c207UL);
    SHA512_MIX(w, 66);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[2], 0xeada7dd6cde0eb1eUL);
    SHA512_MIX(w, 67);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[3], 0xf57d4f7fee6ed178UL);
    SHA512_MIX(w, 68);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[4], 0x06f067aa72176fbaUL);
    SHA512_MIX(w, 69);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[5], 0x0a637dc5a2c898a6UL);
    SHA512_MIX(w, 70);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[6], 0x113f9804bef90daeUL);
    SHA512_MIX(w, 71);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[7], 0x1b710b35131c471bUL);
    SHA512_MIX(w, 72);
    SHA512_STEP(a, b, c, d, e, f, g, h, w[8], 0x28db77f523047d84UL);
    SHA512_MIX(w, 73);
    SHA512_STEP(h, a, b, c, d, e, f, g, w[9], 0x32caab7b40c72493UL);
    SHA512_MIX(w, 74);
    SHA512_STEP(g, h, a, b, c, d, e, f, w[10], 0x3c9ebe0a15c9bebcUL);
    SHA512_MIX(w, 75);
    SHA512_STEP(f, g, h, a, b, c, d, e, w[11], 0x431d67c49c100d4cUL);
    SHA512_MIX(w, 76);
    SHA512_STEP(e, f, g, h, a, b, c, d, w[12], 0x4cc5d4becb3e42b6UL);
    SHA512_MIX(w, 77);
    SHA512_STEP(d, e, f, g, h, a, b, c, w[13], 0x597f299cfc657e2aUL);
    SHA512_MIX(w, 78);
    SHA512_STEP(c, d, e, f, g, h, a, b, w[14], 0x5fcb6fab3ad6faecUL);
    SHA512_MIX(w, 79);
    SHA512_STEP(b, c, d, e, f, g, h, a, w[15], 0x6c44198c4a475817UL);
    h0 += a, h1 += b, h2 += c, h3 += d, h4 += e, h5 += f, h6 += g, h7 += h;
  }
  h0 = SWAP64(h0);
  s[0] = LOW(h0);
  s[1] = HIGH(h0);
  h1 = SWAP64(h1);
  s[2] = LOW(h1);
  s[3] = HIGH(h1);
  h2 = SWAP64(h2);
  s[4] = LOW(h2);
  s[5] = HIGH(h2);
  h3 = SWAP64(h3);
  s[6] = LOW(h3);
  s[7] = HIGH(h3);
  h4 = SWAP64(h4);
  s[8] = LOW(h4);
  s[9] = HIGH(h4);
  h5 = SWAP64(h5);
  s[10] = LOW(h5);
  s[11] = HIGH(h5);
  h6 = SWAP64(h6);
  s[12] = LOW(h6);
  s[13] = HIGH(h6);
  h7 = SWAP64(h7);
  s[14] = LOW(h7);
  s[15] = HIGH(h7);
}

// ---- SHA3-512
#define KECCAK_THETA(x, left, right) d##x = c##left ^ ROTL64(c##right, 1)
#define KECCAK_COLUMN(x) c##x = a##x##0 ^ a##x##1 ^ a##x##2 ^ a##x##3 ^ a##x##4
#define KECCAK_RHO_PI(to, x, y, n) b##to = n ? ROTL64(a##x##y ^ d##x, n) : a##x##y ^ d##x
#define KECCAK_CHI(x, y, x1, x2) a##x##y = b##x##y ^ (~b##x1##y & b##x2##y)

static void sha3_512_64(uint *s) {
  ulong a00 = PAIR(s[0], s[1]), b00;
  ulong a10 = PAIR(s[2], s[3]), b10;
  ulong a20 = PAIR(s[4], s[5]), b20;
  ulong a30 = PAIR(s[6], s[7]), b30;
  ulong a40 = PAIR(s[8], s[9]), b40;
  ulong a01 = PAIR(s[10], s[11]), b01;
  ulong a11 = PAIR(s[12], s[13]), b11;
  ulong a21 = PAIR(s[14], s[15]), b21;
  ulong a31 = 0x8000000000000006UL, b31;
  ulong a41 = 0UL, b41;
  ulong a02 = 0UL, b02;
  ulong a12 = 0UL, b12;
  ulong a22 = 0UL, b22;
  ulong a32 = 0UL, b32;
  ulong a42 = 0UL, b42;
  ulong a03 = 0UL, b03;
  ulong a13 = 0UL, b13;
  ulong a23 = 0UL, b23;
  ulong a33 = 0UL, b33;
  ulong a43 = 0UL, b43;
  ulong a04 = 0UL, b04;
  ulong a14 = 0UL, b14;
  ulong a24 = 0UL, b24;
  ulong a34 = 0UL, b34;
  ulong a44 = 0UL, b44;
  ulong c0, c1, c2, c3, c4, d0, d1, d2, d3, d4;
  // round 0
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x0000000000000001UL;
  // round 1
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x0000000000008082UL;
  // round 2
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x800000000000808aUL;
  // round 3
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000080008000UL;
  // round 4
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x000000000000808bUL;
  // round 5
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x0000000080000001UL;
  // round 6
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000080008081UL;
  // round 7
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000000008009UL;
  // round 8
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x000000000000008aUL;
  // round 9
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x0000000000000088UL;
  // round 10
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x0000000080008009UL;
  // round 11
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x000000008000000aUL;
  // round 12
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x000000008000808bUL;
  // round 13
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x800000000000008bUL;
  // round 14
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000000008089UL;
  // round 15
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000000008003UL;
  // round 16
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000000008002UL;
  // round 17
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000000000080UL;
  // round 18
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x000000000000800aUL;
  // round 19
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x800000008000000aUL;
  // round 20
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000080008081UL;
  // round 21
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000000008080UL;
  // round 22
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x0000000080000001UL;
  // round 23
  KECCAK_COLUMN(0);
  KECCAK_COLUMN(1);
  KECCAK_COLUMN(2);
  KECCAK_COLUMN(3);
  KECCAK_COLUMN(4);
  KECCAK_THETA(0, 4, 1);
  KECCAK_THETA(1, 0, 2);
  KECCAK_THETA(2, 1, 3);
  KECCAK_THETA(3, 2, 4);
  KECCAK_THETA(4, 3, 0);
  KECCAK_RHO_PI(00, 0, 0, 0);
  KECCAK_RHO_PI(13, 0, 1, 36);
  KECCAK_RHO_PI(21, 0, 2, 3);
  KECCAK_RHO_PI(34, 0, 3, 41);
  KECCAK_RHO_PI(42, 0, 4, 18);
  KECCAK_RHO_PI(02, 1, 0, 1);
  KECCAK_RHO_PI(10, 1, 1, 44);
  KECCAK_RHO_PI(23, 1, 2, 10);
  KECCAK_RHO_PI(31, 1, 3, 45);
  KECCAK_RHO_PI(44, 1, 4, 2);
  KECCAK_RHO_PI(04, 2, 0, 62);
  KECCAK_RHO_PI(12, 2, 1, 6);
  KECCAK_RHO_PI(20, 2, 2, 43);
  KECCAK_RHO_PI(33, 2, 3, 15);
  KECCAK_RHO_PI(41, 2, 4, 61);
  KECCAK_RHO_PI(01, 3, 0, 28);
  KECCAK_RHO_PI(14, 3, 1, 55);
  KECCAK_RHO_PI(22, 3, 2, 25);
  KECCAK_RHO_PI(30, 3, 3, 21);
  KECCAK_RHO_PI(43, 3, 4, 56);
  KECCAK_RHO_PI(03, 4, 0, 27);
  KECCAK_RHO_PI(11, 4, 1, 20);
  KECCAK_RHO_PI(24, 4, 2, 39);
  KECCAK_RHO_PI(32, 4, 3, 8);
  KECCAK_RHO_PI(40, 4, 4, 14);
  KECCAK_CHI(0, 0, 1, 2);
  KECCAK_CHI(1, 0, 2, 3);
  KECCAK_CHI(2, 0, 3, 4);
  KECCAK_CHI(3, 0, 4, 0);
  KECCAK_CHI(4, 0, 0, 1);
  KECCAK_CHI(0, 1, 1, 2);
  KECCAK_CHI(1, 1, 2, 3);
  KECCAK_CHI(2, 1, 3, 4);
  KECCAK_CHI(3, 1, 4, 0);
  KECCAK_CHI(4, 1, 0, 1);
  KECCAK_CHI(0, 2, 1, 2);
  KECCAK_CHI(1, 2, 2, 3);
  KECCAK_CHI(2, 2, 3, 4);
  KECCAK_CHI(3, 2, 4, 0);
  KECCAK_CHI(4, 2, 0, 1);
  KECCAK_CHI(0, 3, 1, 2);
  KECCAK_CHI(1, 3, 2, 3);
  KECCAK_CHI(2, 3, 3, 4);
  KECCAK_CHI(3, 3, 4, 0);
  KECCAK_CHI(4, 3, 0, 1);
  KECCAK_CHI(0, 4, 1, 2);
  KECCAK_CHI(1, 4, 2, 3);
  KECCAK_CHI(2, 4, 3, 4);
  KECCAK_CHI(3, 4, 4, 0);
  KECCAK_CHI(4, 4, 0, 1);
  a00 ^= 0x8000000080008008UL;
  s[0] = LOW(a00);
  s[1] = HIGH(a00);
  s[2] = LOW(a10);
  s[3] = HIGH(a10);
  s[4] = LOW(a20);
  s[5] = HIGH(a20);
  s[6] = LOW(a30);
  s[7] = HIGH(a30);
  s[8] = LOW(a40);
  s[9] = HIGH(a40);
  s[10] = LOW(a01);
  s[11] = HIGH(a01);
  s[12] = LOW(a11);
  s[13] = HIGH(a11);
  s[14] = LOW(a21);
  s[15] = HIGH(a21);
}

// ---- ChaCha20 key stream, the key being the first half of the state
#define CHACHA_QUARTER(a, b, c, d) \
  do { \
    x##a += x##b, x##d = ROTL32(x##d ^ x##a, 16); \
    x##c += x##d, x##b = ROTL32(x##b ^ x##c, 12); \
    x##a += x##b, x##d = ROTL32(x##d ^ x##a, 8); \
    x##c += x##d, x##b = ROTL32(x##b ^ x##c, 7); \
  } while (0)

static void chacha20_xor(uint *s) {
  uint x0 = 0x61707865U, y0 = x0;
  uint x1 = 0x3320646eU, y1 = x1;
  uint x2 = 0x79622d32U, y2 = x2;
  uint x3 = 0x6b206574U, y3 = x3;
  uint x4 = s[0], y4 = x4;
  uint x5 = s[1], y5 = x5;
  uint x6 = s[2], y6 = x6;
  uint x7 = s[3], y7 = x7;
  uint x8 = s[4], y8 = x8;
  uint x9 = s[5], y9 = x9;
  uint x10 = s[6], y10 = x10;
  uint x11 = s[7], y11 = x11;
  uint x12 = 1U, y12 = x12;
  uint x13 = 0U, y13 = x13;
  uint x14 = 0x01020304U, y14 = x14;
  uint x15 = 0x05060708U, y15 = x15;
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  CHACHA_QUARTER(0, 4, 8, 12);
  CHACHA_QUARTER(1, 5, 9, 13);
  CHACHA_QUARTER(2, 6, 10, 14);
  CHACHA_QUARTER(3, 7, 11, 15);
  CHACHA_QUARTER(0, 5, 10, 15);
  CHACHA_QUARTER(1, 6, 11, 12);
  CHACHA_QUARTER(2, 7, 8, 13);
  CHACHA_QUARTER(3, 4, 9, 14);
  s[0] ^= x0 + y0;
  s[1] ^= x1 + y1;
  s[2] ^= x2 + y2;
  s[3] ^= x3 + y3;
  s[4] ^= x4 + y4;
  s[5] ^= x5 + y5;
  s[6] ^= x6 + y6;
  s[7] ^= x7 + y7;
  s[8] ^= x8 + y8;
  s[9] ^= x9 + y9;
  s[10] ^= x10 + y10;
  s[11] ^= x11 + y11;
  s[12] ^= x12 + y12;
  s[13] ^= x13 + y13;
  s[14] ^= x14 + y14;
  s[15] ^= x15 + y15;
}

// ---- AES-256, the key being the first half of the state
constant uint aes_t0[256] = {
  0xa56363c6U,
  0x847c7cf8U,
  0x997777eeU,
  0x8d7b7bf6U,
  0x0df2f2ffU,
  0xbd6b6bd6U,
  0xb16f6fdeU,
  0x54c5c591U,
  0x50303060U,
  0x03010102U,
  0xa96767ceU,
  0x7d2b2b56U,
  0x19fefee7U,
  0x62d7d7b5U,
  0xe6abab4dU,
  0x9a7676ecU,
  0x45caca8fU,
  0x9d82821fU,
  0x40c9c989U,
  0x877d7dfaU,
  0x15fafaefU,
  0xeb5959b2U,
  0xc947478eU,
  0x0bf0f0fbU,
  0xecadad41U,
  0x67d4d4b3U,
  0xfda2a25fU,
  0xeaafaf45U,
  0xbf9c9c23U,
  0xf7a4a453U,
  0x967272e4U,
  0x5bc0c09bU,
  0xc2b7b775U,
  0x1cfdfde1U,
  0xae93933dU,
  0x6a26264cU,
  0x5a36366cU,
  0x413f3f7eU,
  0x02f7f7f5U,
  0x4fcccc83U,
  0x5c343468U,
  0xf4a5a551U,
  0x34e5e5d1U,
  0x08f1f1f9U,
  0x937171e2U,
  0x73d8d8abU,
  0x53313162U,
  0x3f15152aU,
  0x0c040408U,
  0x52c7c795U,
  0x65232346U,
  0x5ec3c39dU,
  0x28181830U,
  0xa1969637U,
  0x0f05050aU,
  0xb59a9a2fU,
  0x0907070eU,
  0x36121224U,
  0x9b80801bU,
  0x3de2e2dfU,
  0x26ebebcdU,
  0x6927274eU,
  0xcdb2b27fU,
  0x9f7575eaU,
  0x1b090912U,
  0x9e83831dU,
  0x742c2c58U,
  0x2e1a1a34U,
  0x2d1b1b36U,
  0xb26e6edcU,
  0xee5a5ab4U,
  0xfba0a05bU,
  0xf65252a4U,
  0x4d3b3b76U,
  0x61d6d6b7U,
  0xceb3b37dU,
  0x7b292952U,
  0x3ee3e3ddU,
  0x712f2f5eU,
  0x97848413U,
  0xf55353a6U,
  0x68d1d1b9U,
  0x00000000U,
  0x2cededc1U,
  0x60202040U,
  0x1ffcfce3U,
  0xc8b1b179U,
  0xed5b5bb6U,
  0xbe6a6ad4U,
  0x46cbcb8dU,
  0xd9bebe67U,
  0x4b393972U,
  0xde4a4a94U,
  0xd44c4c98U,
  0xe85858b0U,
  0x4acfcf85U,
  0x6bd0d0bbU,
  0x2aefefc5U,
  0xe5aaaa4fU,
  0x16fbfbedU,
  0xc5434386U,
  0xd74d4d9aU,
  0x55333366U,
  0x94858511U,
  0xcf45458aU,
  0x10f9f9e9U,
  0x06020204U,
  0x817f7ffeU,
  0xf05050a0U,
  0x443c3c78U,
  0xba9f9f25U,
  0xe3a8a84bU,
  0xf35151a2U,
  0xfea3a35dU,
  0xc0404080U,
  0x8a8f8f05U,
  0xad92923fU,
  0xbc9d9d21U,
  0x48383870U,
  0x04f5f5f1U,
  0xdfbcbc63U,
  0xc1b6b677U,
  0x75dadaafU,
  0x63212142U,
  0x30101020U,
  0x1affffe5U,
  0x0ef3f3fdU,
  0x6dd2d2bfU,
  0x4ccdcd81U,
  0x140c0c18U,
  0x35131326U,
  0x2fececc3U,
  0xe15f5fbeU,
  0xa2979735U,
  0xcc444488U,
  0x3917172eU,
  0x57c4c493U,
  0xf2a7a755U,
  0x827e7efcU,
  0x473d3d7aU,
  0xac6464c8U,
  0xe75d5dbaU,
  0x2b191932U,
  0x957373e6U,
  0xa06060c0U,
  0x98818119U,
  0xd14f4f9eU,
  0x7fdcdca3U,
  0x66222244U,
  0x7e2a2a54U,
  0xab90903bU,
  0x8388880bU,
  0xca46468cU,
  0x29eeeec7U,
  0xd3b8b86bU,
  0x3c141428U,
  0x79dedea7U,
  0xe25e5ebcU,
  0x1d0b0b16U,
  0x76dbdbadU,
  0x3be0e0dbU,
  0x56323264U,
  0x4e3a3a74U,
  0x1e0a0a14U,
  0xdb494992U,
  0x0a06060cU,
  0x6c242448U,
  0xe45c5cb8U,
  0x5dc2c29fU,
  0x6ed3d3bdU,
  0xefacac43U,
  0xa66262c4U,
  0xa8919139U,
  0xa4959531U,
  0x37e4e4d3U,
  0x8b7979f2U,
  0x32e7e7d5U,
  0x43c8c88bU,
  0x5937376eU,
  0xb76d6ddaU,
  0x8c8d8d01U,
  0x64d5d5b1U,
  0xd24e4e9cU,
  0xe0a9a949U,
  0xb46c6cd8U,
  0xfa5656acU,
  0x07f4f4f3U,
  0x25eaeacfU,
  0xaf6565caU,
  0x8e7a7af4U,
  0xe9aeae47U,
  0x18080810U,
  0xd5baba6fU,
  0x887878f0U,
  0x6f25254aU,
  0x722e2e5cU,
  0x241c1c38U,
  0xf1a6a657U,
  0xc7b4b473U,
  0x51c6c697U,
  0x23e8e8cbU,
  0x7cdddda1U,
  0x9c7474e8U,
  0x211f1f3eU,
  0xdd4b4b96U,
  0xdcbdbd61U,
  0x868b8b0dU,
  0x858a8a0fU,
  0x907070e0U,
  0x423e3e7cU,
  0xc4b5b571U,
  0xaa6666ccU,
  0xd8484890U,
  0x05030306U,
  0x01f6f6f7U,
  0x120e0e1cU,
  0xa36161c2U,
  0x5f35356aU,
  0xf95757aeU,
  0xd0b9b969U,
  0x91868617U,
  0x58c1c199U,
  0x271d1d3aU,
  0xb99e9e27U,
  0x38e1e1d9U,
  0x13f8f8ebU,
  0xb398982bU,
  0x33111122U,
  0xbb6969d2U,
  0x70d9d9a9U,
  0x898e8e07U,
  0xa7949433U,
  0xb69b9b2dU,
  0x221e1e3cU,
  0x92878715U,
  0x20e9e9c9U,
  0x49cece87U,
  0xff5555aaU,
  0x78282850U,
  0x7adfdfa5U,
  0x8f8c8c03U,
  0xf8a1a159U,
  0x80898909U,
  0x170d0d1aU,
  0xdabfbf65U,
  0x31e6e6d7U,
  0xc6424284U,
  0xb86868d0U,
  0xc3414182U,
  0xb0999929U,
  0x772d2d5aU,
  0x110f0f1eU,
  0xcbb0b07bU,
  0xfc5454a8U,
  0xd6bbbb6dU,
  0x3a16162cU,
};
constant uint aes_t1[256] = {
  0x6363c6a5U,
  0x7c7cf884U,
  0x7777ee99U,
  0x7b7bf68dU,
  0xf2f2ff0dU,
  0x6b6bd6bdU,
  0x6f6fdeb1U,
  0xc5c59154U,
  0x30306050U,
  0x01010203U,
  0x6767cea9U,
  0x2b2b567dU,
  0xfefee719U,
  0xd7d7b562U,
  0xabab4de6U,
  0x7676ec9aU,
  0xcaca8f45U,
  0x82821f9dU,
  0xc9c98940U,
  0x7d7dfa87U,
  0xfafaef15U,
  0x5959b2ebU,
  0x47478ec9U,
  0xf0f0fb0bU,
  0xadad41ecU,
  0xd4d4b367U,
  0xa2a25ffdU,
  0xafaf45eaU,
  0x9c9c23bfU,
  0xa4a453f7U,
  0x7272e496U,
  0xc0c09b5bU,
  0xb7b775c2U,
  0xfdfde11cU,
  0x93933daeU,
  0x26264c6aU,
  0x36366c5aU,
  0x3f3f7e41U,
  0xf7f7f502U,
  0xcccc834fU,
  0x3434685cU,
  0xa5a551f4U,
  0xe5e5d134U,
  0xf1f1f908U,
  0x7171e293U,
  0xd8d8ab73U,
  0x31316253U,
  0x15152a3fU,
  0x0404080cU,
  0xc7c79552U,
  0x23234665U,
  0xc3c39d5eU,
  0x18183028U,
  0x969637a1U,
  0x05050a0fU,
  0x9a9a2fb5U,
  0x07070e09U,
  0x12122436U,
  0x80801b9bU,
  0xe2e2df3dU,
  0xebebcd26U,
  0x27274e69U,
  0xb2b27fcdU,
  0x7575ea9fU,
  0x0909121bU,
  0x83831d9eU,
  0x2c2c5874U,
  0x1a1a342eU,
  0x1b1b362dU,
  0x6e6edcb2U,
  0x5a5ab4eeU,
  0xa0a05bfbU,
  0x5252a4f6U,
  0x3b3b764dU,
  0xd6d6b761U,
  0xb3b37dceU,
  0x2929527bU,
  0xe3e3dd3eU,
  0x2f2f5e71U,
  0x84841397U,
  0x5353a6f5U,
  0xd1d1b968U,
  0x00000000U,
  0xededc12cU,
  0x20204060U,
  0xfcfce31fU,
  0xb1b179c8U,
  0x5b5bb6edU,
  0x6a6ad4beU,
  0xcbcb8d46U,
  0xbebe67d9U,
  0x3939724bU,
  0x4a4a94deU,
  0x4c4c98d4U,
  0x5858b0e8U,
  0xcfcf854aU,
  0xd0d0bb6bU,
  0xefefc52aU,
  0xaaaa4fe5U,
  0xfbfbed16U,
  0x434386c5U,
  0x4d4d9ad7U,
  0x33336655U,
  0x85851194U,
  0x45458acfU,
  0xf9f9e910U,
  0x02020406U,
  0x7f7ffe81U,
  0x5050a0f0U,
  0x3c3c7844U,
  0x9f9f25baU,
  0xa8a84be3U,
  0x5151a2f3U,
  0xa3a35dfeU,
  0x404080c0U,
  0x8f8f058aU,
  0x92923fadU,
  0x9d9d21bcU,
  0x38387048U,
  0xf5f5f104U,
  0xbcbc63dfU,
  0xb6b677c1U,
  0xdadaaf75U,
  0x21214263U,
  0x10102030U,
  0xffffe51aU,
  0xf3f3fd0eU,
  0xd2d2bf6dU,
  0xcdcd814cU,
  0x0c0c1814U,
  0x13132635U,
  0xececc32fU,
  0x5f5fbee1U,
  0x979735a2U,
  0x444488ccU,
  0x17172e39U,
  0xc4c49357U,
  0xa7a755f2U,
  0x7e7efc82U,
  0x3d3d7a47U,
  0x6464c8acU,
  0x5d5dbae7U,
  0x1919322bU,
  0x7373e695U,
  0x6060c0a0U,
  0x81811998U,
  0x4f4f9ed1U,
  0xdcdca37fU,
  0x22224466U,
  0x2a2a547eU,
  0x90903babU,
  0x88880b83U,
  0x46468ccaU,
  0xeeeec729U,
  0xb8b86bd3U,
  0x1414283cU,
  0xdedea779U,
  0x5e5ebce2U,
  0x0b0b161dU,
  0xdbdbad76U,
  0xe0e0db3bU,
  0x32326456U,
  0x3a3a744eU,
  0x0a0a141eU,
  0x494992dbU,
  0x06060c0aU,
  0x2424486cU,
  0x5c5cb8e4U,
  0xc2c29f5dU,
  0xd3d3bd6eU,
  0xacac43efU,
  0x6262c4a6U,
  0x919139a8U,
  0x959531a4U,
  0xe4e4d337U,
  0x7979f28bU,
  0xe7e7d532U,
  0xc8c88b43U,
  0x37376e59U,
  0x6d6ddab7U,
  0x8d8d018cU,
  0xd5d5b164U,
  0x4e4e9cd2U,
  0xa9a949e0U,
  0x6c6cd8b4U,
  0x5656acfaU,
  0xf4f4f307U,
  0xeaeacf25U,
  0x6565caafU,
  0x7a7af48eU,
  0xaeae47e9U,
  0x08081018U,
  0xbaba6fd5U,
  0x7878f088U,
  0x25254a6fU,
  0x2e2e5c72U,
  0x1c1c3824U,
  0xa6a657f1U,
  0xb4b473c7U,
  0xc6c69751U,
  0xe8e8cb23U,
  0xdddda17cU,
  0x7474e89cU,
  0x1f1f3e21U,
  0x4b4b96ddU,
  0xbdbd61dcU,
  0x8b8b0d86U,
  0x8a8a0f85U,
  0x7070e090U,
  0x3e3e7c42U,
  0xb5b571c4U,
  0x6666ccaaU,
  0x484890d8U,
  0x03030605U,
  0xf6f6f701U,
  0x0e0e1c12U,
  0x6161c2a3U,
  0x35356a5fU,
  0x5757aef9U,
  0xb9b969d0U,
  0x86861791U,
  0xc1c19958U,
  0x1d1d3a27U,
  0x9e9e27b9U,
  0xe1e1d938U,
  0xf8f8eb13U,
  0x98982bb3U,
  0x11112233U,
  0x6969d2bbU,
  0xd9d9a970U,
  0x8e8e0789U,
  0x949433a7U,
  0x9b9b2db6U,
  0x1e1e3c22U,
  0x87871592U,
  0xe9e9c920U,
  0xcece8749U,
  0x5555aaffU,
  0x28285078U,
  0xdfdfa57aU,
  0x8c8c038fU,
  0xa1a159f8U,
  0x89890980U,
  0x0d0d1a17U,
  0xbfbf65daU,
  0xe6e6d731U,
  0x424284c6U,
  0x6868d0b8U,
  0x414182c3U,
  0x999929b0U,
  0x2d2d5a77U,
  0x0f0f1e11U,
  0xb0b07bcbU,
  0x5454a8fcU,
  0xbbbb6dd6U,
  0x16162c3aU,
};
constant uint aes_t2[256] = {
  0x63c6a563U,
  0x7cf8847cU,
  0x77ee9977U,
  0x7bf68d7bU,
  0xf2ff0df2U,
  0x6bd6bd6bU,
  0x6fdeb16fU,
  0xc59154c5U,
  0x30605030U,
  0x01020301U,
  0x67cea967U,
  0x2b567d2bU,
  0xfee719feU,
  0xd7b562d7U,
  0xab4de6abU,
  0x76ec9a76U,
  0xca8f45caU,
  0x821f9d82U,
  0xc98940c9U,
  0x7dfa877dU,
  0xfaef15faU,
  0x59b2eb59U,
  0x478ec947U,
  0xf0fb0bf0U,
  0xad41ecadU,
  0xd4b367d4U,
  0xa25ffda2U,
  0xaf45eaafU,
  0x9c23bf9cU,
  0xa453f7a4U,
  0x72e49672U,
  0xc09b5bc0U,
  0xb775c2b7U,
  0xfde11cfdU,
  0x933dae93U,
  0x264c6a26U,
  0x366c5a36U,
  0x3f7e413fU,
  0xf7f502f7U,
  0xcc834fccU,
  0x34685c34U,
  0xa551f4a5U,
  0xe5d134e5U,
  0xf1f908f1U,
  0x71e29371U,
  0xd8ab73d8U,
  0x31625331U,
  0x152a3f15U,
  0x04080c04U,
  0xc79552c7U,
  0x23466523U,
  0xc39d5ec3U,
  0x18302818U,
  0x9637a196U,
  0x050a0f05U,
  0x9a2fb59aU,
  0x070e0907U,
  0x12243612U,
  0x801b9b80U,
  0xe2df3de2U,
  0xebcd26ebU,
  0x274e6927U,
  0xb27fcdb2U,
  0x75ea9f75U,
  0x09121b09U,
  0x831d9e83U,
  0x2c58742cU,
  0x1a342e1aU,
  0x1b362d1bU,
  0x6edcb26eU,
  0x5ab4ee5aU,
  0xa05bfba0U,
  0x52a4f652U,
  0x3b764d3bU,
  0xd6b761d6U,
  0xb37dceb3U,
  0x29527b29U,
  0xe3dd3ee3U,
  0x2f5e712fU,
  0x84139784U,
  0x53a6f553U,
  0xd1b968d1U,
  0x00000000U,
  0xedc12cedU,
  0x20406020U,
  0xfce31ffcU,
  0xb179c8b1U,
  0x5bb6ed5bU,
  0x6ad4be6aU,
  0xcb8d46cbU,
  0xbe67d9beU,
  0x39724b39U,
  0x4a94de4aU,
  0x4c98d44cU,
  0x58b0e858U,
  0xcf854acfU,
  0xd0bb6bd0U,
  0xefc52aefU,
  0xaa4fe5aaU,
  0xfbed16fbU,
  0x4386c543U,
  0x4d9ad74dU,
  0x33665533U,
  0x85119485U,
  0x458acf45U,
  0xf9e910f9U,
  0x02040602U,
  0x7ffe817fU,
  0x50a0f050U,
  0x3c78443cU,
  0x9f25ba9fU,
  0xa84be3a8U,
  0x51a2f351U,
  0xa35dfea3U,
  0x4080c040U,
  0x8f058a8fU,
  0x923fad92U,
  0x9d21bc9dU,
  0x38704838U,
  0xf5f104f5U,
  0xbc63dfbcU,
  0xb677c1b6U,
  0xdaaf75daU,
  0x21426321U,
  0x10203010U,
  0xffe51affU,
  0xf3fd0ef3U,
  0xd2bf6dd2U,
  0xcd814ccdU,
  0x0c18140cU,
  0x13263513U,
  0xecc32fecU,
  0x5fbee15fU,
  0x9735a297U,
  0x4488cc44U,
  0x172e3917U,
  0xc49357c4U,
  0xa755f2a7U,
  0x7efc827eU,
  0x3d7a473dU,
  0x64c8ac64U,
  0x5dbae75dU,
  0x19322b19U,
  0x73e69573U,
  0x60c0a060U,
  0x81199881U,
  0x4f9ed14fU,
  0xdca37fdcU,
  0x22446622U,
  0x2a547e2aU,
  0x903bab90U,
  0x880b8388U,
  0x468cca46U,
  0xeec729eeU,
  0xb86bd3b8U,
  0x14283c14U,
  0xdea779deU,
  0x5ebce25eU,
  0x0b161d0bU,
  0xdbad76dbU,
  0xe0db3be0U,
  0x32645632U,
  0x3a744e3aU,
  0x0a141e0aU,
  0x4992db49U,
  0x060c0a06U,
  0x24486c24U,
  0x5cb8e45cU,
  0xc29f5dc2U,
  0xd3bd6ed3U,
  0xac43efacU,
  0x62c4a662U,
  0x9139a891U,
  0x9531a495U,
  0xe4d337e4U,
  0x79f28b79U,
  0xe7d532e7U,
  0xc88b43c8U,
  0x376e5937U,
  0x6ddab76dU,
  0x8d018c8dU,
  0xd5b164d5U,
  0x4e9cd24eU,
  0xa949e0a9U,
  0x6cd8b46cU,
  0x56acfa56U,
  0xf4f307f4U,
  0xeacf25eaU,
  0x65caaf65U,
  0x7af48e7aU,
  0xae47e9aeU,
  0x08101808U,
  0xba6fd5baU,
  0x78f08878U,
  0x254a6f25U,
  0x2e5c722eU,
  0x1c38241cU,
  0xa657f1a6U,
  0xb473c7b4U,
  0xc69751c6U,
  0xe8cb23e8U,
  0xdda17cddU,
  0x74e89c74U,
  0x1f3e211fU,
  0x4b96dd4bU,
  0xbd61dcbdU,
  0x8b0d868bU,
  0x8a0f858aU,
  0x70e09070U,
  0x3e7c423eU,
  0xb571c4b5U,
  0x66ccaa66U,
  0x4890d848U,
  0x03060503U,
  0xf6f701f6U,
  0x0e1c120eU,
  0x61c2a361U,
  0x356a5f35U,
  0x57aef957U,
  0xb969d0b9U,
  0x86179186U,
  0xc19958c1U,
  0x1d3a271dU,
  0x9e27b99eU,
  0xe1d938e1U,
  0xf8eb13f8U,
  0x982bb398U,
  0x11223311U,
  0x69d2bb69U,
  0xd9a970d9U,
  0x8e07898eU,
  0x9433a794U,
  0x9b2db69bU,
  0x1e3c221eU,
  0x87159287U,
  0xe9c920e9U,
  0xce8749ceU,
  0x55aaff55U,
  0x28507828U,
  0xdfa57adfU,
  0x8c038f8cU,
  0xa159f8a1U,
  0x89098089U,
  0x0d1a170dU,
  0xbf65dabfU,
  0xe6d731e6U,
  0x4284c642U,
  0x68d0b868U,
  0x4182c341U,
  0x9929b099U,
  0x2d5a772dU,
  0x0f1e110fU,
  0xb07bcbb0U,
  0x54a8fc54U,
  0xbb6dd6bbU,
  0x162c3a16U,
};
constant uint aes_t3[256] = {
  0xc6a56363U,
  0xf8847c7cU,
  0xee997777U,
  0xf68d7b7bU,
  0xff0df2f2U,
  0xd6bd6b6bU,
  0xdeb16f6fU,
  0x9154c5c5U,
  0x60503030U,
  0x02030101U,
  0xcea96767U,
  0x567d2b2bU,
  0xe719fefeU,
  0xb562d7d7U,
  0x4de6ababU,
  0xec9a7676U,
  0x8f45cacaU,
  0x1f9d8282U,
  0x8940c9c9U,
  0xfa877d7dU,
  0xef15fafaU,
  0xb2eb5959U,
  0x8ec94747U,
  0xfb0bf0f0U,
  0x41ecadadU,
  0xb367d4d4U,
  0x5ffda2a2U,
  0x45eaafafU,
  0x23bf9c9cU,
  0x53f7a4a4U,
  0xe4967272U,
  0x9b5bc0c0U,
  0x75c2b7b7U,
  0xe11cfdfdU,
  0x3dae9393U,
  0x4c6a2626U,
  0x6c5a3636U,
  0x7e413f3fU,
  0xf502f7f7U,
  0x834fccccU,
  0x685c3434U,
  0x51f4a5a5U,
  0xd134e5e5U,
  0xf908f1f1U,
  0xe2937171U,
  0xab73d8d8U,
  0x62533131U,
  0x2a3f1515U,
  0x080c0404U,
  0x9552c7c7U,
  0x46652323U,
  0x9d5ec3c3U,
  0x30281818U,
  0x37a19696U,
  0x0a0f0505U,
  0x2fb59a9aU,
  0x0e090707U,
  0x24361212U,
  0x1b9b8080U,
  0xdf3de2e2U,
  0xcd26ebebU,
  0x4e692727U,
  0x7fcdb2b2U,
  0xea9f7575U,
  0x121b0909U,
  0x1d9e8383U,
  0x58742c2cU,
  0x342e1a1aU,
  0x362d1b1bU,
  0xdcb26e6eU,
  0xb4ee5a5aU,
  0x5bfba0a0U,
  0xa4f65252U,
  0x764d3b3bU,
  0xb761d6d6U,
  0x7dceb3b3U,
  0x527b2929U,
  0xdd3ee3e3U,
  0x5e712f2fU,
  0x13978484U,
  0xa6f55353U,
  0xb968d1d1U,
  0x00000000U,
  0xc12cededU,
  0x40602020U,
  0xe31ffcfcU,
  0x79c8b1b1U,
  0xb6ed5b5bU,
  0xd4be6a6aU,
  0x8d46cbcbU,
  0x67d9bebeU,
  0x724b3939U,
  0x94de4a4aU,
  0x98d44c4cU,
  0xb0e85858U,
  0x854acfcfU,
  0xbb6bd0d0U,
  0xc52aefefU,
  0x4fe5aaaaU,
  0xed16fbfbU,
  0x86c54343U,
  0x9ad74d4dU,
  0x66553333U,
  0x11948585U,
  0x8acf4545U,
  0xe910f9f9U,
  0x04060202U,
  0xfe817f7fU,
  0xa0f05050U,
  0x78443c3cU,
  0x25ba9f9fU,
  0x4be3a8a8U,
  0xa2f35151U,
  0x5dfea3a3U,
  0x80c04040U,
  0x058a8f8fU,
  0x3fad9292U,
  0x21bc9d9dU,
  0x70483838U,
  0xf104f5f5U,
  0x63dfbcbcU,
  0x77c1b6b6U,
  0xaf75dadaU,
  0x42632121U,
  0x20301010U,
  0xe51affffU,
  0xfd0ef3f3U,
  0xbf6dd2d2U,
  0x814ccdcdU,
  0x18140c0cU,
  0x26351313U,
  0xc32fececU,
  0xbee15f5fU,
  0x35a29797U,
  0x88cc4444U,
  0x2e391717U,
  0x9357c4c4U,
  0x55f2a7a7U,
  0xfc827e7eU,
  0x7a473d3dU,
  0xc8ac6464U,
  0xbae75d5dU,
  0x322b1919U,
  0xe6957373U,
  0xc0a06060U,
  0x19988181U,
  0x9ed14f4fU,
  0xa37fdcdcU,
  0x44662222U,
  0x547e2a2aU,
  0x3bab9090U,
  0x0b838888U,
  0x8cca4646U,
  0xc729eeeeU,
  0x6bd3b8b8U,
  0x283c1414U,
  0xa779dedeU,
  0xbce25e5eU,
  0x161d0b0bU,
  0xad76dbdbU,
  0xdb3be0e0U,
  0x64563232U,
  0x744e3a3aU,
  0x141e0a0aU,
  0x92db4949U,
  0x0c0a0606U,
  0x486c2424U,
  0xb8e45c5cU,
  0x9f5dc2c2U,
  0xbd6ed3d3U,
  0x43efacacU,
  0xc4a66262U,
  0x39a89191U,
  0x31a49595U,
  0xd337e4e4U,
  0xf28b7979U,
  0xd532e7e7U,
  0x8b43c8c8U,
  0x6e593737U,
  0xdab76d6dU,
  0x018c8d8dU,
  0xb164d5d5U,
  0x9cd24e4eU,
  0x49e0a9a9U,
  0xd8b46c6cU,
  0xacfa5656U,
  0xf307f4f4U,
  0xcf25eaeaU,
  0xcaaf6565U,
  0xf48e7a7aU,
  0x47e9aeaeU,
  0x10180808U,
  0x6fd5babaU,
  0xf0887878U,
  0x4a6f2525U,
  0x5c722e2eU,
  0x38241c1cU,
  0x57f1a6a6U,
  0x73c7b4b4U,
  0x9751c6c6U,
  0xcb23e8e8U,
  0xa17cddddU,
  0xe89c7474U,
  0x3e211f1fU,
  0x96dd4b4bU,
  0x61dcbdbdU,
  0x0d868b8bU,
  0x0f858a8aU,
  0xe0907070U,
  0x7c423e3eU,
  0x71c4b5b5U,
  0xccaa6666U,
  0x90d84848U,
  0x06050303U,
  0xf701f6f6U,
  0x1c120e0eU,
  0xc2a36161U,
  0x6a5f3535U,
  0xaef95757U,
  0x69d0b9b9U,
  0x17918686U,
  0x9958c1c1U,
  0x3a271d1dU,
  0x27b99e9eU,
  0xd938e1e1U,
  0xeb13f8f8U,
  0x2bb39898U,
  0x22331111U,
  0xd2bb6969U,
  0xa970d9d9U,
  0x07898e8eU,
  0x33a79494U,
  0x2db69b9bU,
  0x3c221e1eU,
  0x15928787U,
  0xc920e9e9U,
  0x8749ceceU,
  0xaaff5555U,
  0x50782828U,
  0xa57adfdfU,
  0x038f8c8cU,
  0x59f8a1a1U,
  0x09808989U,
  0x1a170d0dU,
  0x65dabfbfU,
  0xd731e6e6U,
  0x84c64242U,
  0xd0b86868U,
  0x82c34141U,
  0x29b09999U,
  0x5a772d2dU,
  0x1e110f0fU,
  0x7bcbb0b0U,
  0xa8fc5454U,
  0x6dd6bbbbU,
  0x2c3a1616U,
};
#define BYTE(x, n) (((x) >> (8 * (n))) & 0xffU)
#define AES_S(x, n) (BYTE(aes_t0[BYTE(x, n)], 1) << (8 * (n)))
#define AES_SUB(x, n0, n1, n2, n3) ((BYTE(aes_t0[BYTE(x, n0)], 1)) | (BYTE(aes_t0[BYTE(x, n1)], 1) << 8) | \
                                    (BYTE(aes_t0[BYTE(x, n2)], 1) << 16) | (BYTE(aes_t0[BYTE(x, n3)], 1) << 24))
#define AES_KEY_ROT(i, rcon) k[i] = k[(i) - 8] ^ AES_SUB(k[(i) - 1], 1, 2, 3, 0) ^ (rcon)
#define AES_KEY_SUB(i) k[i] = k[(i) - 8] ^ AES_SUB(k[(i) - 1], 0, 1, 2, 3)
#define AES_KEY(i) k[i] = k[(i) - 8] ^ k[(i) - 1]
#define AES_COLUMN(to, from, a, b, c, d, i) \
  to##a = aes_t0[BYTE(from##a, 0)] ^ aes_t1[BYTE(from##b, 1)] ^ aes_t2[BYTE(from##c, 2)] ^ aes_t3[BYTE(from##d, 3)] ^ k[i]
#define AES_LAST(n, from, a, b, c, d, i) \
  s[n] = (AES_S(from##a, 0) ^ AES_S(from##b, 1) ^ AES_S(from##c, 2) ^ AES_S(from##d, 3)) ^ k[i]

static void aes256_ecb(uint *s) {
  uint k[60];
  k[0] = s[0];
  k[1] = s[1];
  k[2] = s[2];
  k[3] = s[3];
  k[4] = s[4];
  k[5] = s[5];
  k[6] = s[6];
  k[7] = s[7];
  AES_KEY_ROT(8, 0x01U);
  AES_KEY(9);
  AES_KEY(10);
  AES_KEY(11);
  AES_KEY_SUB(12);
  AES_KEY(13);
  AES_KEY(14);
  AES_KEY(15);
  AES_KEY_ROT(16, 0x02U);
  AES_KEY(17);
  AES_KEY(18);
  AES_KEY(19);
  AES_KEY_SUB(20);
  AES_KEY(21);
  AES_KEY(22);
  AES_KEY(23);
  AES_KEY_ROT(24, 0x04U);
  AES_KEY(25);
  AES_KEY(26);
  AES_KEY(27);
  AES_KEY_SUB(28);
  AES_KEY(29);
  AES_KEY(30);
  AES_KEY(31);
  AES_KEY_ROT(32, 0x08U);
  AES_KEY(33);
  AES_KEY(34);
  AES_KEY(35);
  AES_KEY_SUB(36);
  AES_KEY(37);
  AES_KEY(38);
  AES_KEY(39);
  AES_KEY_ROT(40, 0x10U);
  AES_KEY(41);
  AES_KEY(42);
  AES_KEY(43);
  AES_KEY_SUB(44);
  AES_KEY(45);
  AES_KEY(46);
  AES_KEY(47);
  AES_KEY_ROT(48, 0x20U);
  AES_KEY(49);
  AES_KEY(50);
  AES_KEY(51);
  AES_KEY_SUB(52);
  AES_KEY(53);
  AES_KEY(54);
  AES_KEY(55);
  AES_KEY_ROT(56, 0x40U);
  AES_KEY(57);
  AES_KEY(58);
  AES_KEY(59);
  {
    uint p0 = s[0] ^ k[0], q0;
    uint p1 = s[1] ^ k[1], q1;
    uint p2 = s[2] ^ k[2], q2;
    uint p3 = s[3] ^ k[3], q3;
    AES_COLUMN(q, p, 0, 1, 2, 3, 4);
    AES_COLUMN(q, p, 1, 2, 3, 0, 5);
    AES_COLUMN(q, p, 2, 3, 0, 1, 6);
    AES_COLUMN(q, p, 3, 0, 1, 2, 7);
    AES_COLUMN(p, q, 0, 1, 2, 3, 8);
    AES_COLUMN(p, q, 1, 2, 3, 0, 9);
    AES_COLUMN(p, q, 2, 3, 0, 1, 10);
    AES_COLUMN(p, q, 3, 0, 1, 2, 11);
    AES_COLUMN(q, p, 0, 1, 2, 3, 12);
    AES_COLUMN(q, p, 1, 2, 3, 0, 13);
    AES_COLUMN(q, p, 2, 3, 0, 1, 14);
    AES_COLUMN(q, p, 3, 0, 1, 2, 15);
    AES_COLUMN(p, q, 0, 1, 2, 3, 16);
    AES_COLUMN(p, q, 1, 2, 3, 0, 17);
    AES_COLUMN(p, q, 2, 3, 0, 1, 18);
    AES_COLUMN(p, q, 3, 0, 1, 2, 19);
    AES_COLUMN(q, p, 0, 1, 2, 3, 20);
    AES_COLUMN(q, p, 1, 2, 3, 0, 21);
    AES_COLUMN(q, p, 2, 3, 0, 1, 22);
    AES_COLUMN(q, p, 3, 0, 1, 2, 23);
    AES_COLUMN(p, q, 0, 1, 2, 3, 24);
    AES_COLUMN(p, q, 1, 2, 3, 0, 25);
    AES_COLUMN(p, q, 2, 3, 0, 1, 26);
    AES_COLUMN(p, q, 3, 0, 1, 2, 27);
    AES_COLUMN(q, p, 0, 1, 2, 3, 28);
    AES_COLUMN(q, p, 1, 2, 3, 0, 29);
    AES_COLUMN(q, p, 2, 3, 0, 1, 30);
    AES_COLUMN(q, p, 3, 0, 1, 2, 31);
    AES_COLUMN(p, q, 0, 1, 2, 3, 32);
    AES_COLUMN(p, q, 1, 2, 3, 0, 33);
    AES_COLUMN(p, q, 2, 3, 0, 1, 34);
    AES_COLUMN(p, q, 3, 0, 1, 2, 35);
    AES_COLUMN(q, p, 0, 1, 2, 3, 36);
    AES_COLUMN(q, p, 1, 2, 3, 0, 37);
    AES_COLUMN(q, p, 2, 3, 0, 1, 38);
    AES_COLUMN(q, p, 3, 0, 1, 2, 39);
    AES_COLUMN(p, q, 0, 1, 2, 3, 40);
    AES_COLUMN(p, q, 1, 2, 3, 0, 41);
    AES_COLUMN(p, q, 2, 3, 0, 1, 42);
    AES_COLUMN(p, q, 3, 0, 1, 2, 43);
    AES_COLUMN(q, p, 0, 1, 2, 3, 44);
    AES_COLUMN(q, p, 1, 2, 3, 0, 45);
    AES_COLUMN(q, p, 2, 3, 0, 1, 46);
    AES_COLUMN(q, p, 3, 0, 1, 2, 47);
    AES_COLUMN(p, q, 0, 1, 2, 3, 48);
    AES_COLUMN(p, q, 1, 2, 3, 0, 49);
    AES_COLUMN(p, q, 2, 3, 0, 1, 50);
    AES_COLUMN(p, q, 3, 0, 1, 2, 51);
    AES_COLUMN(q, p, 0, 1, 2, 3, 52);
    AES_COLUMN(q, p, 1, 2, 3, 0, 53);
    AES_COLUMN(q, p, 2, 3, 0, 1, 54);
    AES_COLUMN(q, p, 3, 0, 1, 2, 55);
    AES_LAST(0, q, 0, 1, 2, 3, 56);
    AES_LAST(1, q, 1, 2, 3, 0, 57);
    AES_LAST(2, q, 2, 3, 0, 1, 58);
    AES_LAST(3, q, 3, 0, 1, 2, 59);
  }
  {
    uint p0 = s[4] ^ k[0], q0;
    uint p1 = s[5] ^ k[1], q1;
    uint p2 = s[6] ^ k[2], q2;
    uint p3 = s[7] ^ k[3], q3;
    AES_COLUMN(q, p, 0, 1, 2, 3, 4);
    AES_COLUMN(q, p, 1, 2, 3, 0, 5);
    AES_COLUMN(q, p, 2, 3, 0, 1, 6);
    AES_COLUMN(q, p, 3, 0, 1, 2, 7);
    AES_COLUMN(p, q, 0, 1, 2, 3, 8);
    AES_COLUMN(p, q, 1, 2, 3, 0, 9);
    AES_COLUMN(p, q, 2, 3, 0, 1, 10);
    AES_COLUMN(p, q, 3, 0, 1, 2, 11);
    AES_COLUMN(q, p, 0, 1, 2, 3, 12);
    AES_COLUMN(q, p, 1, 2, 3, 0, 13);
    AES_COLUMN(q, p, 2, 3, 0, 1, 14);
    AES_COLUMN(q, p, 3, 0, 1, 2, 15);
    AES_COLUMN(p, q, 0, 1, 2, 3, 16);
    AES_COLUMN(p, q, 1, 2, 3, 0, 17);
    AES_COLUMN(p, q, 2, 3, 0, 1, 18);
    AES_COLUMN(p, q, 3, 0, 1, 2, 19);
    AES_COLUMN(q, p, 0, 1, 2, 3, 20);
    AES_COLUMN(q, p, 1, 2, 3, 0, 21);
    AES_COLUMN(q, p, 2, 3, 0, 1, 22);
    AES_COLUMN(q, p, 3, 0, 1, 2, 23);
    AES_COLUMN(p, q, 0, 1, 2, 3, 24);
    AES_COLUMN(p, q, 1, 2, 3, 0, 25);
    AES_COLUMN(p, q, 2, 3, 0, 1, 26);
    AES_COLUMN(p, q, 3, 0, 1, 2, 27);
    AES_COLUMN(q, p, 0, 1, 2, 3, 28);
    AES_COLUMN(q, p, 1, 2, 3, 0, 29);
    AES_COLUMN(q, p, 2, 3, 0, 1, 30);
    AES_COLUMN(q, p, 3, 0, 1, 2, 31);
    AES_COLUMN(p, q, 0, 1, 2, 3, 32);
    AES_COLUMN(p, q, 1, 2, 3, 0, 33);
    AES_COLUMN(p, q, 2, 3, 0, 1, 34);
    AES_COLUMN(p, q, 3, 0, 1, 2, 35);
    AES_COLUMN(q, p, 0, 1, 2, 3, 36);
    AES_COLUMN(q, p, 1, 2, 3, 0, 37);
    AES_COLUMN(q, p, 2, 3, 0, 1, 38);
    AES_COLUMN(q, p, 3, 0, 1, 2, 39);
    AES_COLUMN(p, q, 0, 1, 2, 3, 40);
    AES_COLUMN(p, q, 1, 2, 3, 0, 41);
    AES_COLUMN(p, q, 2, 3, 0, 1, 42);
    AES_COLUMN(p, q, 3, 0, 1, 2, 43);
    AES_COLUMN(q, p, 0, 1, 2, 3, 44);
    AES_COLUMN(q, p, 1, 2, 3, 0, 45);
    AES_COLUMN(q, p, 2, 3, 0, 1, 46);
    AES_COLUMN(q, p, 3, 0, 1, 2, 47);
    AES_COLUMN(p, q, 0, 1, 2, 3, 48);
    AES_COLUMN(p, q, 1, 2, 3, 0, 49);
    AES_COLUMN(p, q, 2, 3, 0, 1, 50);
    AES_COLUMN(p, q, 3, 0, 1, 2, 51);
    AES_COLUMN(q, p, 0, 1, 2, 3, 52);
    AES_COLUMN(q, p, 1, 2, 3, 0, 53);
    AES_COLUMN(q, p, 2, 3, 0, 1, 54);
    AES_COLUMN(q, p, 3, 0, 1, 2, 55);
    AES_LAST(4, q, 0, 1, 2, 3, 56);
    AES_LAST(5, q, 1, 2, 3, 0, 57);
    AES_LAST(6, q, 2, 3, 0, 1, 58);
    AES_LAST(7, q, 3, 0, 1, 2, 59);
  }
  {
    uint p0 = s[8] ^ k[0], q0;
    uint p1 = s[9] ^ k[1], q1;
    uint p2 = s[10] ^ k[2], q2;
    uint p3 = s[11] ^ k[3], q3;
    AES_COLUMN(q, p, 0, 1, 2, 3, 4);
    AES_COLUMN(q, p, 1, 2, 3, 0, 5);
    AES_COLUMN(q, p, 2, 3, 0, 1, 6);
    AES_COLUMN(q, p, 3, 0, 1, 2, 7);
    AES_COLUMN(p, q, 0, 1, 2, 3, 8);
    AES_COLUMN(p, q, 1, 2, 3, 0, 9);
    AES_COLUMN(p, q, 2, 3, 0, 1, 10);
    AES_COLUMN(p, q, 3, 0, 1, 2, 11);
    AES_COLUMN(q, p, 0, 1, 2, 3, 12);
    AES_COLUMN(q, p, 1, 2, 3, 0, 13);
    AES_COLUMN(q, p, 2, 3, 0, 1, 14);
    AES_COLUMN(q, p, 3, 0, 1, 2, 15);
    AES_COLUMN(p, q, 0, 1, 2, 3, 16);
    AES_COLUMN(p, q, 1, 2, 3, 0, 17);
    AES_COLUMN(p, q, 2, 3, 0, 1, 18);
    AES_COLUMN(p, q, 3, 0, 1, 2, 19);
    AES_COLUMN(q, p, 0, 1, 2, 3, 20);
    AES_COLUMN(q, p, 1, 2, 3, 0, 21);
    AES_COLUMN(q, p, 2, 3, 0, 1, 22);
    AES_COLUMN(q, p, 3, 0, 1, 2, 23);
    AES_COLUMN(p, q, 0, 1, 2, 3, 24);
    AES_COLUMN(p, q, 1, 2, 3, 0, 25);
    AES_COLUMN(p, q, 2, 3, 0, 1, 26);
    AES_COLUMN(p, q, 3, 0, 1, 2, 27);
    AES_COLUMN(q, p, 0, 1, 2, 3, 28);
    AES_COLUMN(q, p, 1, 2, 3, 0, 29);
    AES_COLUMN(q, p, 2, 3, 0, 1, 30);
    AES_COLUMN(q, p, 3, 0, 1, 2, 31);
    AES_COLUMN(p, q, 0, 1, 2, 3, 32);
    AES_COLUMN(p, q, 1, 2, 3, 0, 33);
    AES_COLUMN(p, q, 2, 3, 0, 1, 34);
    AES_COLUMN(p, q, 3, 0, 1, 2, 35);
    AES_COLUMN(q, p, 0, 1, 2, 3, 36);
    AES_COLUMN(q, p, 1, 2, 3, 0, 37);
    AES_COLUMN(q, p, 2, 3, 0, 1, 38);
    AES_COLUMN(q, p, 3, 0, 1, 2, 39);
    AES_COLUMN(p, q, 0, 1, 2, 3, 40);
    AES_COLUMN(p, q, 1, 2, 3, 0, 41);
    AES_COLUMN(p, q, 2, 3, 0, 1, 42);
    AES_COLUMN(p, q, 3, 0, 1, 2, 43);
    AES_COLUMN(q, p, 0, 1, 2, 3, 44);
    AES_COLUMN(q, p, 1, 2, 3, 0, 45);
    AES_COLUMN(q, p, 2, 3, 0, 1, 46);
    AES_COLUMN(q, p, 3, 0, 1, 2, 47);
    AES_COLUMN(p, q, 0, 1, 2, 3, 48);
    AES_COLUMN(p, q, 1, 2, 3, 0, 49);
    AES_COLUMN(p, q, 2, 3, 0, 1, 50);
    AES_COLUMN(p, q, 3, 0, 1, 2, 51);
    AES_COLUMN(q, p, 0, 1, 2, 3, 52);
    AES_COLUMN(q, p, 1, 2, 3, 0, 53);
    AES_COLUMN(q, p, 2, 3, 0, 1, 54);
    AES_COLUMN(q, p, 3, 0, 1, 2, 55);
    AES_LAST(8, q, 0, 1, 2, 3, 56);
    AES_LAST(9, q, 1, 2, 3, 0, 57);
    AES_LAST(10, q, 2, 3, 0, 1, 58);
    AES_LAST(11, q, 3, 0, 1, 2, 59);
  }
  {
    uint p0 = s[12] ^ k[0], q0;
    uint p1 = s[13] ^ k[1], q1;
    uint p2 = s[14] ^ k[2], q2;
    uint p3 = s[15] ^ k[3], q3;
    AES_COLUMN(q, p, 0, 1, 2, 3, 4);
    AES_COLUMN(q, p, 1, 2, 3, 0, 5);
    AES_COLUMN(q, p, 2, 3, 0, 1, 6);
    AES_COLUMN(q, p, 3, 0, 1, 2, 7);
    AES_COLUMN(p, q, 0, 1, 2, 3, 8);
    AES_COLUMN(p, q, 1, 2, 3, 0, 9);
    AES_COLUMN(p, q, 2, 3, 0, 1, 10);
    AES_COLUMN(p, q, 3, 0, 1, 2, 11);
    AES_COLUMN(q, p, 0, 1, 2, 3, 12);
    AES_COLUMN(q, p, 1, 2, 3, 0, 13);
    AES_COLUMN(q, p, 2, 3, 0, 1, 14);
    AES_COLUMN(q, p, 3, 0, 1, 2, 15);
    AES_COLUMN(p, q, 0, 1, 2, 3, 16);
    AES_COLUMN(p, q, 1, 2, 3, 0, 17);
    AES_COLUMN(p, q, 2, 3, 0, 1, 18);
    AES_COLUMN(p, q, 3, 0, 1, 2, 19);
    AES_COLUMN(q, p, 0, 1, 2, 3, 20);
    AES_COLUMN(q, p, 1, 2, 3, 0, 21);
    AES_COLUMN(q, p, 2, 3, 0, 1, 22);
    AES_COLUMN(q, p, 3, 0, 1, 2, 23);
    AES_COLUMN(p, q, 0, 1, 2, 3, 24);
    AES_COLUMN(p, q, 1, 2, 3, 0, 25);
    AES_COLUMN(p, q, 2, 3, 0, 1, 26);
    AES_COLUMN(p, q, 3, 0, 1, 2, 27);
    AES_COLUMN(q, p, 0, 1, 2, 3, 28);
    AES_COLUMN(q, p, 1, 2, 3, 0, 29);
    AES_COLUMN(q, p, 2, 3, 0, 1, 30);
    AES_COLUMN(q, p, 3, 0, 1, 2, 31);
    AES_COLUMN(p, q, 0, 1, 2, 3, 32);
    AES_COLUMN(p, q, 1, 2, 3, 0, 33);
    AES_COLUMN(p, q, 2, 3, 0, 1, 34);
    AES_COLUMN(p, q, 3, 0, 1, 2, 35);
    AES_COLUMN(q, p, 0, 1, 2, 3, 36);
    AES_COLUMN(q, p, 1, 2, 3, 0, 37);
    AES_COLUMN(q, p, 2, 3, 0, 1, 38);
    AES_COLUMN(q, p, 3, 0, 1, 2, 39);
    AES_COLUMN(p, q, 0, 1, 2, 3, 40);
    AES_COLUMN(p, q, 1, 2, 3, 0, 41);
    AES_COLUMN(p, q, 2, 3, 0, 1, 42);
    AES_COLUMN(p, q, 3, 0, 1, 2, 43);
    AES_COLUMN(q, p, 0, 1, 2, 3, 44);
    AES_COLUMN(q, p, 1, 2, 3, 0, 45);
    AES_COLUMN(q, p, 2, 3, 0, 1, 46);
    AES_COLUMN(q, p, 3, 0, 1, 2, 47);
    AES_COLUMN(p, q, 0, 1, 2, 3, 48);
    AES_COLUMN(p, q, 1, 2, 3, 0, 49);
    AES_COLUMN(p, q, 2, 3, 0, 1, 50);
    AES_COLUMN(p, q, 3, 0, 1, 2, 51);
    AES_COLUMN(q, p, 0, 1, 2, 3, 52);
    AES_COLUMN(q, p, 1, 2, 3, 0, 53);
    AES_COLUMN(q, p, 2, 3, 0, 1, 54);
    AES_COLUMN(q, p, 3, 0, 1, 2, 55);
    AES_LAST(12, q, 0, 1, 2, 3, 56);
    AES_LAST(13, q, 1, 2, 3, 0, 57);
    AES_LAST(14, q, 2, 3, 0, 1, 58);
    AES_LAST(15, q, 3, 0, 1, 2, 59);
  }
}

kernel void chain(global const uint *in, global uint *out) {
  uint s[16], id = get_global_id(0);
  for (uint i = 0; i < 16; i++)
    s[i] = in[i] + id * 0x01010101U;
  md5_64(s);
  ripemd160_64(s);
  sha1_64(s);
  sha256_64(s);
  sm3_64(s);
  blake2s_64(s);
  blake2b_64(s);
  sha512_128(s);
  sha3_512_64(s);
  chacha20_xor(s);
  aes256_ecb(s);
  vstore16((uint16)(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15]), id,
           out);
}
