// Library functions in the kernel language: common, integer and geometric functions. math.cl says how sections work.

//@ max_scalar
T max(T x, S y) { return max(x, (T)y); }

//@ min_scalar
T min(T x, S y) { return min(x, (T)y); }

//@ clamp
T clamp(T x, T low, T high) { return min(max(x, low), high); }

//@ clamp_scalar
T clamp(T x, S low, S high) { return min(max(x, (T)low), (T)high); }

//@ degrees
T degrees(T x) { return x * (S)57.295779513082320876798; }

//@ radians
T radians(T x) { return x * (S)0.017453292519943295769237; }

//@ mix
T mix(T x, T y, T a) { return x + (y - x) * a; }

//@ mix_scalar
T mix(T x, T y, S a) { return x + (y - x) * a; }

//@ step
T step(T edge, T x) { return x < edge ? (T)0 : (T)1; }

//@ step_scalar
T step(S edge, T x) { return x < (T)edge ? (T)0 : (T)1; }

//@ smoothstep
T smoothstep(T low, T high, T x) {
  T t = clamp((x - low) / (high - low), (T)0, (T)1);
  return t * t * ((S)3 - (S)2 * t);
}

//@ smoothstep_scalar
T smoothstep(S low, S high, T x) {
  T t = clamp((x - (T)low) / (T)(high - low), (T)0, (T)1);
  return t * t * ((S)3 - (S)2 * t);
}

//@ sign
T sign(T x) {
  T one = copysign((T)1, x);
  T r = x == (S)0 ? x : one;
  return isnan(x) ? (T)0 : r;
}

//@ hadd
T hadd(T x, T y) { return (x >> (T)1) + (y >> (T)1) + (x & y & (T)1); }

//@ rhadd
T rhadd(T x, T y) { return (x >> (T)1) + (y >> (T)1) + ((x | y) & (T)1); }

//@ mad_hi
T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }

//@ mad24
T mad24(T x, T y, T z) { return mul24(x, y) + z; }

//@ mad_sat_signed
T mad_sat(T a, T b, T c) {
  // the exact sum in two words
  T high = mul_hi(a, b);
  U low = __kiln_unsigned(a) * __kiln_unsigned(b);
  U sum = low + __kiln_unsigned(c);
  T carry = sum < low ? (T)1 : (T)0;
  T last = (T)(sizeof(S) * 8 - 1);
  high = high + (c >> last) + carry;
  U all = ~(U)0;
  U half_of_all = all >> (U)1;
  T most = __kiln_signed(half_of_all), r = __kiln_signed(sum);
  T least = -most - (T)1;
  T limit = high < (T)0 ? least : most;
  return high == (r >> last) ? r : limit;
}

//@ mad_sat_unsigned
T mad_sat(T a, T b, T c) {
  T high = mul_hi(a, b), low = a * b;
  T sum = low + c, all = ~(T)0;
  return high != (T)0 || sum < low ? all : sum;
}

//@ cross3
T cross(T a, T b) { return (T)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

//@ cross4
T cross(T a, T b) { return (T)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, (S)0); }

//@ length
S length(T p) {
  S square = dot(p, p);
  if (square < (S)(sizeof(S) == 4 ? 0x1p-100 : 0x1p-960)) {
    p = p * (S)(sizeof(S) == 4 ? 0x1p86 : 0x1p563);
    return sqrt(dot(p, p)) * (S)(sizeof(S) == 4 ? 0x1p-86 : 0x1p-563);
  }
  if (isinf(square)) {
    p = p * (S)(sizeof(S) == 4 ? 0x1p-66 : 0x1p-520);
    return sqrt(dot(p, p)) * (S)(sizeof(S) == 4 ? 0x1p66 : 0x1p520);
  }
  return sqrt(square);
}

//@ length_half
S length(T p) { return __kiln_half(length(__kiln_single(p))); }

//@ distance
S distance(T p, T q) { return length(p - q); }

//@ normalize
T normalize(T p) {
  S square = dot(p, p);
  if (square < (S)(sizeof(S) == 4 ? 0x1p-100 : 0x1p-960)) {
    T scaled = p * (S)(sizeof(S) == 4 ? 0x1p86 : 0x1p563);
    square = dot(scaled, scaled);
    if (square == (S)0)
      return p;
    p = scaled;
  } else if (isinf(square)) {
    const S down = (S)(sizeof(S) == 4 ? 0x1p-66 : 0x1p-520);
    T scaled = p * down;
    square = dot(scaled, scaled);
    if (!isinf(square))
      return p * rsqrt(square) * down; // scaled, small elements may have lost bits
    T infinite = isinf(p) ? (T)1 : (T)0;
    p = copysign(infinite, p);
    square = dot(p, p);
  }
  return p * rsqrt(square);
}

//@ normalize_half
T normalize(T p) { return __kiln_half(normalize(__kiln_single(p))); }

//@ normalize_scalar
T normalize(T p) { return p == (T)0 || isnan(p) ? p : copysign((T)1, p); }

//@ fast_length
S fast_length(T p) { return half_sqrt(dot(p, p)); }

//@ fast_distance
S fast_distance(T p, T q) {
  T d = p - q;
  return half_sqrt(dot(d, d));
}

//@ fast_normalize
T fast_normalize(T p) {
  S square = dot(p, p);
  return square == (S)0 ? p : p * half_rsqrt(square);
}

//@ fast_length_half
S fast_length(T p) { return length(p); }

//@ fast_distance_half
S fast_distance(T p, T q) { return distance(p, q); }

//@ fast_normalize_half
T fast_normalize(T p) { return normalize(p); }
