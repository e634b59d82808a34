// Hand-written SIMD versions of some kernels, the line that is hard to pass: GCC's vector extensions. This file is
// compiled for the machine and for each target that a run may ask for, so that both sides have the same registers.
#include "bench/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifdef __AVX512F__
enum { LANES = 16 };
#elif defined __AVX__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
// Registers per value in loops that are one chain of operations.
enum { CHAINS = 4, WIDE = CHAINS * LANES };

typedef float vf __attribute__((vector_size(LANES * 4), aligned(4)));
typedef int32_t vi __attribute__((vector_size(LANES * 4), aligned(4)));
typedef uint32_t vu __attribute__((vector_size(LANES * 4), aligned(4)));

static vi ramp(int begin) {
  vi x;
  for (int i = 0; i < LANES; i++)
    x[i] = begin + i;
  return x;
}

static bool any(vi mask) {
  int32_t bits = 0;
  for (int i = 0; i < LANES; i++)
    bits |= mask[i];
  return bits != 0;
}

static vf root(vf x) {
  for (int i = 0; i < LANES; i++)
    x[i] = sqrtf(x[i]);
  return x;
}

// The part of count, in steps of step.
static size_t begin_of(size_t count, size_t step, size_t part, size_t parts) {
  return count / step * part / parts * step;
}
#define FOR_PART(i, count, step)                                                                                       \
  for (size_t i = begin_of(count, step, part, parts), end_##i = begin_of(count, step, part + 1, parts); i < end_##i;   \
       i += (step))

static void saxpy(void *const *a, size_t part, size_t parts) {
  const float s = *(float *)a[0], *x = a[1];
  float *y = a[2];
  FOR_PART(i, 4194304, LANES)
  *(vf *)(y + i) += s * *(const vf *)(x + i);
}

static void nbody(void *const *a, size_t part, size_t parts) {
  const float *body = a[0];
  float *out = a[1];
  int n = *(int *)a[2];
  FOR_PART(i, 4096, LANES) {
    float lanes[3][LANES];
    vf p[3], sum[3] = {{0}};
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < LANES; l++)
        lanes[k][l] = body[(i + (size_t)l) * 4 + (size_t)k];
    memcpy(p, lanes, sizeof p);
    for (int j = 0; j < n; j++) {
      const float *other = body + j * 4;
      vf dx = other[0] - p[0], dy = other[1] - p[1], dz = other[2] - p[2];
      vf r = 1 / root(dx * dx + dy * dy + dz * dz + 0.01f), s = other[3] * r * r * r;
      sum[0] += dx * s, sum[1] += dy * s, sum[2] += dz * s;
    }
    for (int l = 0; l < LANES; l++)
      for (int k = 0; k < 3; k++)
        out[(i + (size_t)l) * 4 + (size_t)k] = sum[k][l];
  }
}

static float tree(vf x) {
  typedef float four __attribute__((vector_size(16)));
  four parts[LANES / 4];
  memcpy(parts, &x, sizeof x);
  for (int step = LANES / 8; step >= 1; step /= 2)
    for (int i = 0; i < step; i++)
      parts[i] += parts[i + step];
  return parts[0][0] + parts[0][2] + (parts[0][1] + parts[0][3]);
}

// The tree of the kernel in an array, a vector per step of the loop; the last four steps are within one vector.
static void reduce(void *const *a, size_t part, size_t parts) {
  for (size_t g = 16384 * part / parts; g < 16384 * (part + 1) / parts; g++) {
    float t[256] __attribute__((aligned(64)));
    memcpy(t, (float *)a[0] + g * 256, sizeof t);
    for (int step = 128; step >= LANES; step /= 2)
      for (int i = 0; i < step; i += LANES)
        *(vf *)(t + i) += *(const vf *)(t + i + step);
    ((float *)a[1])[g] = tree(*(const vf *)t);
  }
}

// The steps go down through the group, so that each adds what the step before left; a register of zeros stands before
// it.
static void scan(void *const *a, size_t part, size_t parts) {
  for (size_t g = 4096 * part / parts; g < 4096 * (part + 1) / parts; g++) {
    int32_t t[LANES + 256] __attribute__((aligned(64))) = {0}, *sum = t + LANES;
    memcpy(sum, (int32_t *)a[0] + g * 256, 256 * sizeof *sum);
    for (int step = 1; step < 256; step *= 2)
      for (int i = 256 - LANES; i >= step - step % LANES; i -= LANES)
        *(vi *)(sum + i) += *(const vi *)(sum + i - step);
    memcpy((int32_t *)a[1] + g * 256, sum, 256 * sizeof *sum);
  }
}

static void transpose(void *const *a, size_t part, size_t parts) {
  size_t n = (size_t) * (int *)a[2], tiles = n / LANES;
  for (size_t gy = tiles * part / parts; gy < tiles * (part + 1) / parts; gy++)
    for (size_t gx = 0; gx < tiles; gx++) {
      float t[LANES][LANES + 1];
      for (size_t y = 0; y < LANES; y++)
        memcpy(t[y], (float *)a[0] + (gy * LANES + y) * n + gx * LANES, LANES * sizeof(float));
      for (size_t y = 0; y < LANES; y++) {
        vf row;
        for (int x = 0; x < LANES; x++)
          row[x] = t[x][y];
        *(vf *)((float *)a[1] + (gx * LANES + y) * n + gy * LANES) = row;
      }
    }
}

static void histogram(void *const *a, size_t part, size_t parts) {
  uint32_t *bins = a[1];
  for (size_t g = 256 * part / parts; g < 256 * (part + 1) / parts; g++) {
    const uint8_t *in = (uint8_t *)a[0] + g * 16384;
    uint32_t t[256] = {0};
    for (int i = 0; i < 16384; i++)
      t[in[i]]++;
    for (int i = 0; i < 256; i++)
      __atomic_fetch_add(&bins[i], t[i], __ATOMIC_RELAXED);
  }
}

static void stencil(void *const *a, size_t part, size_t parts) {
  size_t n = (size_t) * (int *)a[2];
  for (size_t y = n * part / parts; y < n * (part + 1) / parts; y++) {
    const float *in = (float *)a[0] + y * n;
    float *out = (float *)a[1] + y * n;
    if (y == 0 || y == n - 1) {
      memcpy(out, in, n * sizeof *out);
      continue;
    }
    for (size_t x = 1; x + 1 < n; x++)
      out[x] = 0.5f * in[x] + 0.125f * (in[x - 1] + in[x + 1] + *(in + x - n) + in[x + n]);
    out[0] = in[0];
    out[n - 1] = in[n - 1];
  }
}

static void mandelbrot(void *const *a, size_t part, size_t parts) {
  int width = *(int *)a[1], height = *(int *)a[2], limit = *(int *)a[3];
  for (int py = (int)part; py < height; py += (int)parts)
    for (int px = 0; px < width; px += WIDE) {
      vf cx[CHAINS], x[CHAINS], y[CHAINS];
      vi n[CHAINS], on[CHAINS], some;
      float cy = (float)py * 2.0f / (float)height - 1.0f;
      for (int k = 0; k < CHAINS; k++) {
        cx[k] = __builtin_convertvector(ramp(px + k * LANES), vf) * 3.0f / (float)width - 2.0f;
        x[k] = y[k] = (vf){0};
        n[k] = (vi){0}, on[k] = n[k] == 0;
      }
      for (int i = 0; i < limit; i++) {
        some = (vi){0};
        for (int k = 0; k < CHAINS; k++)
          some |= on[k] &= x[k] * x[k] + y[k] * y[k] <= 4.0f;
        if (!any(some))
          break;
        for (int k = 0; k < CHAINS; k++) {
          vf t = x[k] * x[k] - y[k] * y[k] + cx[k];
          y[k] = 2 * x[k] * y[k] + cy;
          x[k] = t;
          n[k] -= on[k];
        }
      }
      memcpy((int *)a[0] + py * width + px, n, sizeof n);
    }
}

static void collatz(void *const *a, size_t part, size_t parts) {
  FOR_PART(i, 524288, WIDE) {
    vu x[CHAINS];
    vi steps[CHAINS], on[CHAINS], some;
    for (int k = 0; k < CHAINS; k++) {
      x[k] = (vu)ramp((int)i + 1 + k * LANES);
      steps[k] = (vi){0};
    }
    for (;;) {
      some = (vi){0};
      for (int k = 0; k < CHAINS; k++)
        some |= on[k] = x[k] != 1;
      if (!any(some))
        break;
      for (int k = 0; k < CHAINS; k++) {
        vi odd = (x[k] & 1) != 0;
        vu next = ((vu)odd & (3 * x[k] + 1)) | (~(vu)odd & x[k] >> 1);
        x[k] = ((vu)on[k] & next) | (~(vu)on[k] & x[k]);
        steps[k] -= on[k];
      }
    }
    memcpy((int *)a[0] + i, steps, sizeof steps);
  }
}

static vu ror(vu x, unsigned n) { return x >> n | x << (32 - n); }

static const uint32_t sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void sha256(void *const *args, size_t part, size_t parts) {
  static const uint32_t start[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  FOR_PART(first, 131072, LANES) {
    vu w[16] = {(vu)ramp((int)first), 0x80000000 + (vu){0}};
    w[15] += 32;
    vu s[8];
    for (int i = 0; i < 8; i++)
      s[i] = start[i] + (vu){0};
    vu a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#ifdef __clang__
#pragma unroll
#else
#pragma GCC unroll 64
#endif
    for (int i = 0; i < 64; i++) {
      if (i >= 16) {
        vu x = w[(i + 1) & 15], y = w[(i + 14) & 15];
        w[i & 15] += (ror(x, 7) ^ ror(x, 18) ^ x >> 3) + w[(i + 9) & 15] + (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
      }
      vu t1 = h + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[i] + w[i & 15];
      vu t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    *(vu *)((uint32_t *)args[0] + first) = a + start[0];
  }
}

static void hash(void *const *a, size_t part, size_t parts) {
  FOR_PART(i, 1048576, WIDE) {
    vu x[CHAINS];
    memcpy(x, (uint32_t *)a[0] + i, sizeof x);
    for (uint32_t r = 0; r < 64; r++)
      for (int k = 0; k < CHAINS; k++) {
        x[k] += r;
        x[k] = (x[k] ^ x[k] >> 16) * 0x85ebca6b;
        x[k] = (x[k] ^ x[k] >> 13) * 0xc2b2ae35;
        x[k] ^= x[k] >> 16;
      }
    memcpy((uint32_t *)a[1] + i, x, sizeof x);
  }
}

static vf choose(vi mask, vf x, vf y) { return (vf)(((vi)x & mask) | ((vi)y & ~mask)); }

// e to the power of x, for results that are normal numbers; 0 below.
static vf exponential(vf x) {
  x = choose(x < -87.0f, -87.0f + (vf){0}, x);
  vi whole = __builtin_convertvector(x * 1.442695f + choose(x < 0, -0.5f + (vf){0}, 0.5f + (vf){0}), vi);
  vf n = __builtin_convertvector(whole, vf);
  vf r = x - n * 0.69314575f - n * 1.4286068e-06f;
  vf p = 0.0013787479f * r + 0.0083693825f;
  p = p * r + 0.041668925f;
  p = p * r + 0.16666515f;
  p = p * r + 0.4999999f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return p * (vf)((whole << 23) + 0x3f800000);
}

// Of positive normal numbers.
static vf logarithm(vf x) {
  vi i = (vi)x - 0x3f2aaaab, e = i >> 23;
  vf f = (vf)((i & 0x7fffff) + 0x3f2aaaab) - 1.0f;
  vf p = -0.1289304f * f + 0.13986915f;
  p = p * f - 0.12183972f;
  p = p * f + 0.14005305f;
  p = p * f - 0.16680506f;
  p = p * f + 0.20010446f;
  p = p * f - 0.24999797f;
  p = p * f + 0.33333215f;
  p = p * f - 0.5f;
  return __builtin_convertvector(e, vf) * 0.6931472f + (p * (f * f) + f);
}

// The share of the normal distribution below d, and above.
static vf below(vf d, vf *above) {
  vf size = (vf)((vi)d & 0x7fffffff), k = 1 / (1 + 0.2316419f * size);
  vf poly = 0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)));
  vf c = 0.39894228f * exponential(-0.5f * d * d) * k * poly;
  *above = choose(d > 0, c, 1 - c);
  return choose(d > 0, 1 - c, c);
}

static void black_scholes(void *const *a, size_t part, size_t parts) {
  const float *s = a[0], *x = a[1], *t = a[2], r = 0.02f, v = 0.3f;
  FOR_PART(i, 524288, LANES) {
    vf spot = *(const vf *)(s + i), strike = *(const vf *)(x + i), years = *(const vf *)(t + i);
    vf q = root(years), d1 = (logarithm(spot / strike) + (r + 0.5f * v * v) * years) / (v * q), d2 = d1 - v * q;
    vf e = strike * exponential(-r * years), above1, above2, below1 = below(d1, &above1), below2 = below(d2, &above2);
    *(vf *)((float *)a[3] + i) = spot * below1 - e * below2;
    *(vf *)((float *)a[4] + i) = e * above2 - spot * above1;
  }
}

static const int taps[5] = {1, 4, 6, 4, 1};

static int inside(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

static uint8_t convolve_one(const uint8_t *in, int n, int x, int y) {
  int sum = 128;
  for (int k = 0; k < 25; k++)
    sum += taps[k / 5] * taps[k % 5] * in[inside(y + k / 5 - 2, n) * n + inside(x + k % 5 - 2, n)];
  return (uint8_t)(sum >> 8);
}

static void convolve(void *const *a, size_t part, size_t parts) {
  int n = *(int *)a[2];
  for (int y = (int)((size_t)n * part / parts); y < (int)((size_t)n * (part + 1) / parts); y++) {
    const uint8_t *rows[5];
    uint8_t *restrict out = (uint8_t *)a[1] + y * n;
    for (int k = 0; k < 5; k++)
      rows[k] = (const uint8_t *)a[0] + inside(y + k - 2, n) * n;
    for (int x = 2; x < n - 2; x++) {
      int sum = 128;
#pragma GCC unroll 5
      for (int dy = 0; dy < 5; dy++)
#pragma GCC unroll 5
        for (int dx = 0; dx < 5; dx++)
          sum += taps[dy] * taps[dx] * rows[dy][x + dx - 2];
      out[x] = (uint8_t)(sum >> 8);
    }
    for (int x = 0; x < 2; x++) {
      out[x] = convolve_one(a[0], n, x, y);
      out[n - 1 - x] = convolve_one(a[0], n, n - 1 - x, y);
    }
  }
}

static void kmeans(void *const *a, size_t part, size_t parts) {
  const float *point = a[0], *centre = a[1];
  size_t n = (size_t) * (int *)a[3];
  int count = *(int *)a[4];
  FOR_PART(i, n, LANES) {
    vf least = 1e30f + (vf){0}, p[8];
    vi best = {0};
    for (size_t k = 0; k < 8; k++)
      p[k] = *(const vf *)(point + k * n + i);
    for (int c = 0; c < count; c++) {
      vf sum = {0};
      for (int k = 0; k < 8; k++)
        sum += (p[k] - centre[c * 8 + k]) * (p[k] - centre[c * 8 + k]);
      vi closer = sum < least;
      least = (vf)(((vi)sum & closer) | ((vi)least & ~closer));
      best = (c & closer) | (best & ~closer);
    }
    *(vi *)((int *)a[2] + i) = best;
  }
}

const struct bench_reference BENCH_REFERENCES[] = {
#define BENCH(NAME, ...)
#define REFERENCE(NAME, ...) {#NAME, NAME},
#include "bench/kernels.def"
    {NULL, NULL}};
