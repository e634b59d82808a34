// Library functions in the kernel language: mathematical functions that other targets call from a library, for targets
// without one (kiln_caps.hardware_math). T is a scalar; vectors call them element by element. math.cl says how sections
// work. Polynomials are interpolations at Chebyshev nodes.

//@ trig_large_f
__attribute__((noinline)) T __kiln_trig_large(T x, I quarter) {
  // as trig_large_d in double.cl, in words of 32 bits
  constant uint table[9] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                            0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
  uint bits = as_uint(x), m = (bits << 8) | 0x80000000u, e = (bits >> 23) & 255u;
  if (e == 255u)
    return x - x;
  e = max(e, 127u) - 127u;
  uint i = e >> 5, n = e & 31u;
  uint t0 = table[i], t1 = table[i + 1u], t2 = table[i + 2u], t3 = table[i + 3u];
  uint a = (t0 << n) | ((t1 >> 1) >> (31u - n));
  uint b = (t1 << n) | ((t2 >> 1) >> (31u - n));
  uint c = (t2 << n) | ((t3 >> 1) >> (31u - n));
  uint last = m * b, low = last + mul_hi(m, c);
  uint next = mul_hi(m, b) + (low < last ? 1u : 0u), first = m * a, high = first + next;
  uint whole = mul_hi(m, a) + (high < first ? 1u : 0u);
  int q = (int)((whole << 1) | (high >> 31));
  high = (high << 1) | (low >> 31);
  low = low << 1;
  uint up = high >> 31;
  q += (int)up;
  uint size = up ? (low ? ~high : 0u - high) : high;
  low = up ? 0u - low : low;
  uint zeros = clz(size);
  uint top = zeros > 31u ? low : (size << zeros) | ((low >> 1) >> (31u - zeros));
  T h = (T)(top & 0xffffff00u), l = (T)(top & 0xffu);
  T r = __kiln_fused(h, 0x1.921fb6p+0f, __kiln_fused(h, -0x1.777a5cp-25f, l * 0x1.921fb6p+0f));
  r = r * as_float((95u - zeros) << 23);
  r = as_float(as_uint(r) ^ (up << 31) ^ (bits & 0x80000000u));
  q = bits >> 31 ? quarter - q : quarter + q;
  return __kiln_sin_poly(r, q);
}

//@ sin_large
T sin_large(T x) { return __kiln_trig_large(x, 0); }

//@ cos_large
T cos_large(T x) { return __kiln_trig_large(x, 1); }

//@ tan_large
T tan_large(T x) { return __kiln_trig_large(x, 0) / __kiln_trig_large(x, 1); }

//@ fmod_digits
T fmod_digits(T x, T y) {
  // whole numbers: digits of x follow those of the remainder, as many at a time as there is room for
  int digits = sizeof(T) == 4 ? 23 : 52, room = sizeof(T) == 4 ? 8 : 11;
  U hidden = (U)1 << digits, infinity = ((U)1 << (room + digits)) - hidden;
  U a = (U)__kiln_bits(fabs(x)), b = (U)__kiln_bits(fabs(y));
  T none = x * y;
  if (b == (U)0 || a >= infinity || b > infinity)
    return none / none;
  if (a < b)
    return x;
  int ea = (int)(a >> digits), eb = (int)(b >> digits);
  U m = (a & (hidden - (U)1)) | (ea ? hidden : (U)0), n = (b & (hidden - (U)1)) | (eb ? hidden : (U)0);
  eb = max(eb, 1);
  U r = m % n;
  for (int left = max(ea, 1) - eb; left > 0 && r != (U)0; left -= room)
    r = (r << min(left, room)) % n;
  int shift = (int)clz(r) - room, e = eb - shift;
  U normal = ((r << shift) & (hidden - (U)1)) | ((U)e << digits);
  U result = r == (U)0 ? r : e > 0 ? normal : r << (eb - 1);
  return copysign(__kiln_float((B)result), x);
}

//@ remainder_half
T remainder_half(T x, T y) {
  // of twice y; what is left is at most three halves too much
  T b = fabs(y), twice = b + b, r = isinf(twice) ? fabs(x) : fmod(fabs(x), twice);
  if (isinf(b))
    return isinf(x) ? x - x : x;
  if (isinf(twice) && isinf(x))
    return x - x;
  T over = r - (b - r); // exact where it is near 0
  bool more = over > (T)0;
  r = more ? r - b : r;
  r = more && r - (b - r) >= (T)0 ? r - b : r;
  return r == (T)0 ? copysign((T)0, x) : x < (T)0 ? -r : r;
}

//@ nextafter_bits
T nextafter_bits(T x, T y) {
  B bits = __kiln_bits(x), one = (B)1;
  B step = (B)((x < y) == (x > (T)0) ? bits + one : bits - one);
  T least = copysign(__kiln_float(one), y);
  return isnan(x) || isnan(y) ? x + y : x == y ? y : x == (T)0 ? least : __kiln_float(step);
}

//@ logb_bits
T logb_bits(T x) {
  int digits = sizeof(T) == 4 ? 23 : 52, room = sizeof(T) == 4 ? 8 : 11;
  T a = fabs(x), infinity = (T)(1 / 0.0f);
  U bits = (U)__kiln_bits(a);
  int e = (int)(bits >> digits), least = 2 - (1 << (room - 1));
  int found = e ? e + least - 1 : least + room - (int)clz(bits);
  return a == (T)0 ? -infinity : a < infinity ? (T)found : a;
}

//@ gamma_d
T gamma_d(T x) {
  T a = fabs(x), infinity = (T)(1 / 0.0f), first, second = 1.0;
  if (isnan(x) || (x < 0.0 && floor(x) == x))
    return infinity - infinity;
  if (a < 0x1p-54)
    return 1.0 / x;
  if (x > 172.0)
    return infinity;
  if (a > 185.0)
    return copysign(0.0, fmod(floor(x), 2.0) == 0.0 ? 1.0 : -1.0);
  if (a > 10.0) { // Stirling's series; the power in two factors, since it may overflow alone
    T r = 1.0 / a, q = r * r;
    T p = fma(q, 0x1.a41a41a41a41ap-8, -0x1.f6ab0d9993c7dp-10);
    p = fma(p, q, 0x1.b951e2b18ff23p-11);
    p = fma(p, q, -0x1.3813813813814p-11);
    p = fma(p, q, 0x1.a01a01a01a01ap-11);
    p = fma(p, q, -0x1.6c16c16c16c17p-9);
    p = fma(p, q, 0x1.5555555555555p-4);
    second = pow(a, (a - 0.5) * 0.5);
    first = second * exp(-a) * 0x1.40d931ff62706p+1 * exp(p * r);
  } else {
    T product = 1.0, divisor = 1.0;
    for (; a > 2.0; product *= a)
      a -= 1.0;
    if (a < 1.0) {
      divisor = a;
      a += 1.0;
    }
    T t = a + a - 3.0;
    T p = fma(t, -0x1.09546451e99c8p-33, 0x1.8dfdff69832dap-32);
    p = fma(p, t, -0x1.d04ef72b50b52p-32);
    p = fma(p, t, 0x1.5c3859742eb2bp-30);
    p = fma(p, t, -0x1.71759e5b83295p-28);
    p = fma(p, t, 0x1.15139c02edd48p-26);
    p = fma(p, t, -0x1.8d6653728eceap-25);
    p = fma(p, t, 0x1.29fe79163794cp-23);
    p = fma(p, t, -0x1.c0bdf0153ac91p-22);
    p = fma(p, t, 0x1.50637fe2d2087p-20);
    p = fma(p, t, -0x1.f7fb20be2bce9p-19);
    p = fma(p, t, 0x1.7990f5370f825p-17);
    p = fma(p, t, -0x1.1a2c2dab649e5p-15);
    p = fma(p, t, 0x1.a752ccf6d9af4p-14);
    p = fma(p, t, -0x1.374fd5bbb581fp-12);
    p = fma(p, t, 0x1.e022b72a04033p-11);
    p = fma(p, t, -0x1.3d88cfe528c43p-9);
    p = fma(p, t, 0x1.283bd37505389p-7);
    p = fma(p, t, -0x1.b77ac1ca2e82ap-7);
    p = fma(p, t, 0x1.a8c4dba620c08p-4);
    p = fma(p, t, 0x1.08ea88ee561b0p-6);
    p = fma(p, t, 0x1.c5bf891b4ef6bp-1);
    first = p * product / divisor;
  }
  if (x > 0.0)
    return first * second;
  T b = fabs(x); // by the product of the functions of b and -b
  return -(0x1.921fb54442d18p+1 / (b * sinpi(b)) / first) / second;
}

//@ gamma_f
T gamma_f(T x) { return (T)tgamma((double)x); }

//@ lgamma_d
T lgamma_d(T x) {
  T a = fabs(x), infinity = (T)(1 / 0.0f), product = 1.0;
  if (isnan(x))
    return x;
  if (isinf(x) || (x <= 0.0 && floor(x) == x))
    return infinity;
  if (a < 0x1p-60)
    return -log(a);
  if (x > 0.5 && x < 3.0) { // near its zeros at 1 and 2: (x - 1)(x - 2) times a polynomial between them
    T y = x < 1.0 ? x + 1.0 : x > 2.0 ? x - 1.0 : x, t = y + y - 3.0;
    T p = fma(t, 0x1.8ca55ab6b8718p-37, -0x1.36d84fee907ffp-35);
    p = fma(p, t, 0x1.c7d009a4fae3ap-35);
    p = fma(p, t, -0x1.6880fac68f031p-33);
    p = fma(p, t, 0x1.672b94917149fp-31);
    p = fma(p, t, -0x1.1cf3272629995p-29);
    p = fma(p, t, 0x1.ba26ce28a34b0p-28);
    p = fma(p, t, -0x1.61854b057e6e9p-26);
    p = fma(p, t, 0x1.1c7b46046a59cp-24);
    p = fma(p, t, -0x1.cb502b140a127p-23);
    p = fma(p, t, 0x1.750aa27fe4301p-21);
    p = fma(p, t, -0x1.313e5323120b7p-19);
    p = fma(p, t, 0x1.f814b951d538bp-18);
    p = fma(p, t, -0x1.a5035375acabep-16);
    p = fma(p, t, 0x1.64f0664fb6518p-14);
    p = fma(p, t, -0x1.34dbda128eee5p-12);
    p = fma(p, t, 0x1.133423527ae27p-10);
    p = fma(p, t, -0x1.007aa83cef9abp-8);
    p = fma(p, t, 0x1.01af62a2929e1p-6);
    p = fma(p, t, -0x1.2aed059bd6085p-4);
    p = fma(p, t, 0x1.eeb95b094c191p-2);
    T rest = x < 1.0 ? -log(x) : x > 2.0 ? log(y) : 0.0;
    T zeros = x < 1.0 ? x * (x - 1.0) : (y - 1.0) * (y - 2.0); // exact factors
    return fma(zeros, p, rest);
  }
  T z = a;
  for (; z < 10.0; z += 1.0)
    product *= z;
  T r = 1.0 / z, q = r * r;
  T p = fma(q, 0x1.a41a41a41a41ap-8, -0x1.f6ab0d9993c7dp-10);
  p = fma(p, q, 0x1.b951e2b18ff23p-11);
  p = fma(p, q, -0x1.3813813813814p-11);
  p = fma(p, q, 0x1.a01a01a01a01ap-11);
  p = fma(p, q, -0x1.6c16c16c16c17p-9);
  p = fma(p, q, 0x1.5555555555555p-4);
  T l = log(z), value = z * (l - 1.0) + (0x1.d67f1c864beb5p-1 - 0.5 * l + p * r) - log(product);
  return x > 0.0 ? value : log(0x1.921fb54442d18p+1 / (a * fabs(sinpi(a)))) - value;
}

//@ lgamma_f
T lgamma_f(T x) { return (T)lgamma((double)x); }

//@ erf_d
T erf_d(T x) {
  T a = fabs(x);
  if (!(a < 1.0))
    return copysign(1.0 - erfc(a), x);
  T t = fma(x * x, 2.0, -1.0);
  T p = fma(t, 0x1.05ffd737fb32ep-46, -0x1.acbabce2865e7p-42);
  p = fma(p, t, 0x1.428e938efe043p-37);
  p = fma(p, t, -0x1.bf8d2c72b9b8cp-33);
  p = fma(p, t, 0x1.1ad5edf90dd80p-28);
  p = fma(p, t, -0x1.429e93e668f24p-24);
  p = fma(p, t, 0x1.486638bc9befep-20);
  p = fma(p, t, -0x1.263991b802ee6p-16);
  p = fma(p, t, 0x1.c82aa249df460p-13);
  p = fma(p, t, -0x1.2b902b7b2f28ep-9);
  p = fma(p, t, 0x1.454368017b042p-6);
  p = fma(p, t, -0x1.1fd16292151fdp-3);
  p = fma(p, t, 0x1.ee51eb23cb7eap-1);
  return x * p;
}

//@ erfc_d
T erfc_d(T x) {
  if (fabs(x) < 0.75) { // erf, in its own words: the two call each other
    T t = fma(x * x, 2.0, -1.0);
    T p = fma(t, 0x1.05ffd737fb32ep-46, -0x1.acbabce2865e7p-42);
    p = fma(p, t, 0x1.428e938efe043p-37);
    p = fma(p, t, -0x1.bf8d2c72b9b8cp-33);
    p = fma(p, t, 0x1.1ad5edf90dd80p-28);
    p = fma(p, t, -0x1.429e93e668f24p-24);
    p = fma(p, t, 0x1.486638bc9befep-20);
    p = fma(p, t, -0x1.263991b802ee6p-16);
    p = fma(p, t, 0x1.c82aa249df460p-13);
    p = fma(p, t, -0x1.2b902b7b2f28ep-9);
    p = fma(p, t, 0x1.454368017b042p-6);
    p = fma(p, t, -0x1.1fd16292151fdp-3);
    p = fma(p, t, 0x1.ee51eb23cb7eap-1);
    return fma(-x, p, 1.0);
  }
  T a = min(fabs(x), 28.0), h = a * a, l = fma(a, a, -h);
  T q = (a - 3.75) / (a + 3.75); // exp(x^2) erfc(x) (1 + 2x) is a polynomial of this
  T p = fma(q, 0x1.73bad5f9b293fp-26, 0x1.19d73da0fd8b1p-26);
  p = fma(p, q, -0x1.f689e2af04669p-23);
  p = fma(p, q, -0x1.bbb770965c33ap-25);
  p = fma(p, q, 0x1.d0f3808bc0cb0p-20);
  p = fma(p, q, -0x1.05fe02545bd61p-20);
  p = fma(p, q, -0x1.7fafec11afb92p-17);
  p = fma(p, q, 0x1.778e25357e174p-16);
  p = fma(p, q, 0x1.b13d86e7a68e6p-15);
  p = fma(p, q, -0x1.303fa9a830095p-12);
  p = fma(p, q, 0x1.33fb4e5152c8cp-12);
  p = fma(p, q, 0x1.cc3a0e82d7f56p-10);
  p = fma(p, q, -0x1.3f603c5bf3b67p-7);
  p = fma(p, q, 0x1.d0b0037d4cba9p-6);
  p = fma(p, q, -0x1.e0d0fa6d4cddap-5);
  p = fma(p, q, 0x1.7a14188a9b5a9p-4);
  p = fma(p, q, -0x1.bda9309a2bc0cp-4);
  p = fma(p, q, 0x1.510169d09674cp-4);
  p = fma(p, q, 0x1.d5f294815b413p-9);
  p = fma(p, q, -0x1.1f367683f89a6p-3);
  p = fma(p, q, 0x1.3ccda0b5d5dc2p+0);
  T e = exp(-h);
  T tail = fma(-l, e, e) * p / (a + a + 1.0);
  tail = isnan(x) ? x : tail;
  return x < 0.0 ? 2.0 - tail : tail;
}
