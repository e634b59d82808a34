// What each kernel computes, in plain C: the check of its results.
#include "bench/kernels.h"

#include <math.h>
#include <string.h>

#define BENCH(NAME, ...) bench_plain_fn bench_plain_##NAME;
#define REFERENCE(NAME, ...) bench_plain_fn bench_plain_##NAME;
#include "bench/kernels.def"

static const float *in_f(void *arg) { return arg; }
static const int *in_i(void *arg) { return arg; }
static const uint8_t *in_c(void *arg) { return arg; }
static int scalar(void *arg) { return *(int *)arg; }

void bench_plain_saxpy(void *const *a) {
  float *y = a[2];
  for (int i = 0; i < 4194304; i++)
    y[i] = *in_f(a[0]) * in_f(a[1])[i] + y[i];
}

void bench_plain_nbody(void *const *a) {
  const float *body = a[0];
  float *out = a[1];
  int n = scalar(a[2]);
  for (int i = 0; i < n; i++) {
    float sum[3] = {0};
    for (int j = 0; j < n; j++) {
      float d[3], r2 = 0.01f;
      for (int k = 0; k < 3; k++) {
        d[k] = body[j * 4 + k] - body[i * 4 + k];
        r2 += d[k] * d[k];
      }
      float r = 1 / sqrtf(r2), s = body[j * 4 + 3] * r * r * r;
      for (int k = 0; k < 3; k++)
        sum[k] += d[k] * s;
    }
    memcpy(out + i * 4, sum, sizeof sum);
  }
}

void bench_plain_sgemm(void *const *a) {
  int n = scalar(a[3]);
  float *c = a[2];
  for (int row = 0; row < n; row++)
    for (int k = 0; k < n; k++)
      for (int col = 0; col < n; col++)
        c[row * n + col] += in_f(a[0])[row * n + k] * in_f(a[1])[k * n + col];
}

void bench_plain_sgemm_tiled(void *const *a) { bench_plain_sgemm(a); }

void bench_plain_reduce(void *const *a) {
  for (int g = 0; g < 16384; g++) {
    double sum = 0;
    for (int i = 0; i < 256; i++)
      sum += in_f(a[0])[g * 256 + i];
    ((float *)a[1])[g] = (float)sum;
  }
}

void bench_plain_scan(void *const *a) {
  int *out = a[1];
  for (int i = 0; i < 1048576; i++)
    out[i] = in_i(a[0])[i] + (i % 256 ? out[i - 1] : 0);
}

void bench_plain_transpose(void *const *a) {
  int n = scalar(a[2]);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      ((float *)a[1])[x * n + y] = in_f(a[0])[y * n + x];
}

void bench_plain_stencil(void *const *a) {
  const float *in = a[0];
  float *out = a[1];
  int n = scalar(a[2]);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      int i = y * n + x;
      bool border = x == 0 || y == 0 || x == n - 1 || y == n - 1;
      out[i] = border ? in[i] : 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
    }
}

static int clamped(int x, int n) { return x < 0 ? 0 : x >= n ? n - 1 : x; }

void bench_plain_convolve(void *const *a) {
  static const int row[] = {1, 4, 6, 4, 1};
  int n = scalar(a[2]);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      int sum = 128;
      for (int k = 0; k < 25; k++)
        sum += row[k / 5] * row[k % 5] * in_c(a[0])[clamped(y + k / 5 - 2, n) * n + clamped(x + k % 5 - 2, n)];
      ((uint8_t *)a[1])[y * n + x] = (uint8_t)(sum >> 8);
    }
}

void bench_plain_histogram(void *const *a) {
  for (int i = 0; i < 4194304; i++)
    ((int *)a[1])[in_c(a[0])[i]]++;
}

void bench_plain_spmv(void *const *a) {
  for (int r = 0; r < 131072; r++) {
    float sum = 0;
    for (int j = in_i(a[0])[r]; j < in_i(a[0])[r + 1]; j++)
      sum += in_f(a[2])[j] * in_f(a[3])[in_i(a[1])[j]];
    ((float *)a[4])[r] = sum;
  }
}

void bench_plain_matvec(void *const *a) {
  int n = scalar(a[3]);
  for (int row = 0; row < 4096; row++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += in_f(a[0])[row * n + k] * in_f(a[1])[k];
    ((float *)a[2])[row] = sum;
  }
}

void bench_plain_mandelbrot(void *const *a) {
  int width = scalar(a[1]), height = scalar(a[2]), limit = scalar(a[3]);
  for (int py = 0; py < height; py++)
    for (int px = 0; px < width; px++) {
      float cx = (float)px * 3.0f / (float)width - 2.0f, cy = (float)py * 2.0f / (float)height - 1.0f, x = 0, y = 0;
      int n = 0;
      for (; n < limit && x * x + y * y <= 4.0f; n++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
      }
      ((int *)a[0])[py * width + px] = n;
    }
}

void bench_plain_collatz(void *const *a) {
  for (uint32_t i = 0; i < 524288; i++) {
    int steps = 0;
    for (uint32_t x = i + 1; x != 1; steps++)
      x = x & 1 ? 3 * x + 1 : x >> 1;
    ((int *)a[0])[i] = steps;
  }
}

static double cnd(double d) { return 0.5 * erfc(-d * 0.7071067811865476); }

void bench_plain_black_scholes(void *const *a) {
  for (int i = 0; i < 524288; i++) {
    double s = in_f(a[0])[i], x = in_f(a[1])[i], t = in_f(a[2])[i], r = 0.02f, v = 0.3f;
    double q = sqrt(t), d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * q), d2 = d1 - v * q, e = x * exp(-r * t);
    ((float *)a[3])[i] = (float)(s * cnd(d1) - e * cnd(d2));
    ((float *)a[4])[i] = (float)(e * cnd(-d2) - s * cnd(-d1));
  }
}

void bench_plain_bitonic(void *const *a) {
  int *out = a[1];
  for (int g = 0; g < 1024; g++)
    for (int i = 0; i < 256; i++) { // insertion
      int value = in_i(a[0])[g * 256 + i], at = g * 256 + i;
      for (; at > g * 256 && out[at - 1] > value; at--)
        out[at] = out[at - 1];
      out[at] = value;
    }
}

static uint32_t ror(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

void bench_plain_sha256(void *const *a) {
  // The constants are the first bits of the cube roots of the first 64 primes.
  uint32_t k[64];
  for (unsigned count = 0, p = 2; count < 64; p++) {
    bool prime = true;
    for (unsigned q = 2; q * q <= p; q++)
      prime &= p % q != 0;
    long double root = cbrtl((long double)p);
    if (prime)
      k[count++] = (uint32_t)((root - floorl(root)) * 4294967296.0L);
  }
  static const uint32_t start[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (uint32_t id = 0; id < 131072; id++) {
    uint32_t w[64] = {id, 0x80000000}, s[8];
    w[15] = 32;
    for (int i = 16; i < 64; i++)
      w[i] = w[i - 16] + (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
             (ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, start, sizeof s);
    for (int i = 0; i < 64; i++) {
      uint32_t t1 =
          s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
      uint32_t t2 = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      memmove(s + 1, s, 7 * sizeof *s);
      s[4] += t1;
      s[0] = t1 + t2;
    }
    ((uint32_t *)a[0])[id] = s[0] + start[0];
  }
}

void bench_plain_hash(void *const *a) {
  for (int i = 0; i < 1048576; i++) {
    uint32_t x = (uint32_t)in_i(a[0])[i];
    for (uint32_t r = 0; r < 64; r++) {
      x += r;
      x = (x ^ x >> 16) * 0x85ebca6b;
      x = (x ^ x >> 13) * 0xc2b2ae35;
      x ^= x >> 16;
    }
    ((uint32_t *)a[1])[i] = x;
  }
}

void bench_plain_fft(void *const *a) { // by the definition
  const float *roots = a[2];
  for (int g = 0; g < 1024; g++)
    for (int k = 0; k < 256; k++) {
      const float *in = in_f(a[0]) + g * 512;
      double re = 0, im = 0;
      for (int n = 0; n < 256; n++) {
        const float *w = roots + 2 * (k * n % 256);
        re += in[2 * n] * w[0] - in[2 * n + 1] * w[1];
        im += in[2 * n] * w[1] + in[2 * n + 1] * w[0];
      }
      ((float *)a[1])[g * 512 + 2 * k] = (float)re;
      ((float *)a[1])[g * 512 + 2 * k + 1] = (float)im;
    }
}

void bench_plain_align(void *const *a) {
  for (int g = 0; g < 1024; g++) {
    int h[65][65] = {{0}}, best = 0;
    for (int i = 1; i <= 64; i++)
      for (int j = 1; j <= 64; j++) {
        int s = h[i - 1][j - 1] + (in_c(a[0])[g * 64 + i - 1] == in_c(a[1])[g * 64 + j - 1] ? 2 : -1);
        s = s > h[i - 1][j] - 1 ? s : h[i - 1][j] - 1;
        s = s > h[i][j - 1] - 1 ? s : h[i][j - 1] - 1;
        h[i][j] = s > 0 ? s : 0;
        best = h[i][j] > best ? h[i][j] : best;
      }
    ((int *)a[2])[g] = best;
  }
}

void bench_plain_trace(void *const *a) {
  const float *spheres = a[0];
  int count = scalar(a[1]), width = scalar(a[3]), height = scalar(a[4]);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float d[] = {((float)x + 0.5f - (float)width * 0.5f) / (float)height,
                   ((float)y + 0.5f - (float)height * 0.5f) / (float)height, 1};
      float length = sqrtf(d[0] * d[0] + d[1] * d[1] + 1), nearest = 1e30f;
      int hit = -1;
      for (int i = 0; i < count; i++) {
        const float *s = spheres + 4 * i;
        float b = (s[0] * d[0] + s[1] * d[1] + s[2] * d[2]) / length;
        float q = b * b - (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - s[3] * s[3]), t = b - sqrtf(q > 0 ? q : 0);
        if (q >= 0 && t > 0 && t < nearest) {
          nearest = t;
          hit = i;
        }
      }
      ((float *)a[2])[y * width + x] = hit < 0 ? 0 : (float)hit + 1 / (1 + nearest);
    }
}

void bench_plain_kmeans(void *const *a) {
  int n = scalar(a[3]), count = scalar(a[4]);
  for (int i = 0; i < n; i++) {
    float least = 1e30f;
    for (int c = 0; c < count; c++) {
      float sum = 0;
      for (int k = 0; k < 8; k++) {
        float d = in_f(a[0])[k * n + i] - in_f(a[1])[c * 8 + k];
        sum += d * d;
      }
      if (sum < least) {
        least = sum;
        ((int *)a[2])[i] = c;
      }
    }
  }
}
