// What each kernel with images computes, in plain C: the check of its results, and a side of the measurement, compiled
// for this machine.
#include "bench/kernels.h"

#include <math.h>
#include <string.h>

#define IMAGES(NAME, ...) bench_plain_fn bench_plain_##NAME;
#include "bench/images.def"

enum { WIDTH = 1024, HEIGHT = 512 };

static int clamped(int x, int n) { return x < 0 ? 0 : x >= n ? n - 1 : x; }

static uint8_t byte(float x) {
  x = x * 255 + 0.5f;
  return (uint8_t)(int)(x < 0 ? 0 : x > 255 ? 255 : x);
}

void bench_plain_box5(void *const *a) {
  const uint8_t *restrict in = a[0];
  uint8_t *restrict out = a[1];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float sum[4] = {0};
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
          for (int c = 0; c < 4; c++)
            sum[c] += in[(clamped(y + dy, HEIGHT) * WIDTH + clamped(x + dx, WIDTH)) * 4 + c] * (1 / 255.0f);
      for (int c = 0; c < 4; c++)
        out[(y * WIDTH + x) * 4 + c] = byte(sum[c] * (1 / 25.0f));
    }
}

void bench_plain_unsharp(void *const *a) {
  const uint8_t *restrict in = a[0];
  uint8_t *restrict out = a[1];
  const float *restrict weights = a[2], amount = *(float *)a[5];
  int columns = *(int *)a[3], rows = *(int *)a[4];
  for (int y = 0; y < HEIGHT; y++) {
    float sum[WIDTH] = {0};
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < columns; i++) {
        const uint8_t *line = in + clamped(y + j - rows / 2, HEIGHT) * WIDTH;
        float weight = weights[j * columns + i] * (1 / 255.0f);
        int from = i - columns / 2, first = from < 0 ? -from : 0, last = from > 0 ? WIDTH - from : WIDTH;
        for (int x = 0; x < first; x++)
          sum[x] += weight * line[0];
        for (int x = first; x < last; x++)
          sum[x] += weight * line[x + from];
        for (int x = last; x < WIDTH; x++)
          sum[x] += weight * line[WIDTH - 1];
      }
    for (int x = 0; x < WIDTH; x++) {
      float here = in[y * WIDTH + x] * (1 / 255.0f);
      out[y * WIDTH + x] = byte(here + (here - sum[x]) * amount);
    }
  }
}

void bench_plain_bilateral(void *const *a) {
  const float *restrict in = a[0], strictness = *(float *)a[2];
  float *restrict out = a[1];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const float *centre = in + (y * WIDTH + x) * 4;
      float sum[3] = {0}, weights = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          const float *p = in + (clamped(y + dy, HEIGHT) * WIDTH + clamped(x + dx, WIDTH)) * 4;
          float square = 0;
          for (int c = 0; c < 3; c++)
            square += (p[c] - centre[c]) * (p[c] - centre[c]);
          float weight = expf(-0.25f * (float)(dx * dx + dy * dy) - strictness * square);
          for (int c = 0; c < 3; c++)
            sum[c] += weight * p[c];
          weights += weight;
        }
      for (int c = 0; c < 4; c++)
        out[(y * WIDTH + x) * 4 + c] = c < 3 ? sum[c] / weights : 1;
    }
}

void bench_plain_conv1x1(void *const *a) {
  enum { LINES = 64 };
  const bench_half *restrict in = a[0], *restrict weights = a[1];
  bench_half *restrict out = a[2];
  int width = *(int *)a[3], blocks = *(int *)a[4], row = width * blocks * 4;
  for (int y = 0; y < LINES; y++)
    for (int block = 0; block < blocks; block++)
      for (int x = 0; x < width; x++) {
        float sum[4] = {0};
        for (int b = 0; b < blocks; b++)
          for (int k = 0; k < 4; k++)
            for (int c = 0; c < 4; c++)
              sum[c] += (float)in[y * row + (b * width + x) * 4 + k] *
                        (float)weights[block * blocks * 16 + (b * 4 + k) * 4 + c];
        for (int c = 0; c < 4; c++)
          out[y * row + (block * width + x) * 4 + c] = (bench_half)sum[c];
      }
}

static void interpolate(const uint8_t *in, int width, int height, float u, float v, uint8_t *out) {
  float left = floorf(u - 0.5f), above = floorf(v - 0.5f), a = u - 0.5f - left, b = v - 0.5f - above;
  int x0 = clamped((int)left, width), x1 = clamped((int)left + 1, width);
  int y0 = clamped((int)above, height), y1 = clamped((int)above + 1, height);
  for (int c = 0; c < 4; c++) {
    float upper = in[(y0 * width + x0) * 4 + c] * (1 - a) + in[(y0 * width + x1) * 4 + c] * a;
    float lower = in[(y1 * width + x0) * 4 + c] * (1 - a) + in[(y1 * width + x1) * 4 + c] * a;
    out[c] = byte((upper * (1 - b) + lower * b) * (1 / 255.0f));
  }
}

void bench_plain_resize(void *const *a) {
  enum { FROM_WIDTH = 1500, FROM_HEIGHT = 720 };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      interpolate(a[0], FROM_WIDTH, FROM_HEIGHT, ((float)x + 0.5f) / WIDTH * FROM_WIDTH,
                  ((float)y + 0.5f) / HEIGHT * FROM_HEIGHT, (uint8_t *)a[1] + (y * WIDTH + x) * 4);
}

void bench_plain_remap(void *const *a) {
  const float *places = a[1];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const float *place = places + (y * WIDTH + x) * 2;
      interpolate(a[0], WIDTH, HEIGHT, place[0], place[1], (uint8_t *)a[2] + (y * WIDTH + x) * 4);
    }
}

void bench_plain_gemv(void *const *a) {
  enum { COLUMNS = 2048 };
  const uint32_t *restrict matrix = a[0];
  const float *restrict vector = a[1], *restrict scales = a[2];
  float *restrict out = a[3];
  int rows = *(int *)a[4];
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int k = 0; k < COLUMNS / 32; k++) {
      float part = 0;
      for (int i = 0; i < 32; i++) {
        uint32_t bits = matrix[(k * 4 + i / 8) * rows + row];
        part += (float)((int)(bits >> i % 8 * 4 & 15) - 8) * vector[k * 32 + i];
      }
      sum += part * scales[k * rows + row];
    }
    out[row] = sum;
  }
}

void bench_plain_demosaic(void *const *a) {
  const uint16_t *restrict in = a[0];
  float *restrict out = a[1];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float at[3][3];
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
          at[j][i] = in[clamped(y + j - 1, HEIGHT) * WIDTH + clamped(x + i - 1, WIDTH)] * (1 / 65535.0f);
      float row = (at[1][0] + at[1][2]) * 0.5f, column = (at[0][1] + at[2][1]) * 0.5f, cross = (row + column) * 0.5f;
      float corners = (at[0][0] + at[0][2] + at[2][0] + at[2][2]) * 0.25f;
      bool odd = y & 1, green = (x ^ y) & 1;
      float *pixel = out + (y * WIDTH + x) * 4;
      pixel[0] = green ? (odd ? column : row) : (odd ? corners : at[1][1]);
      pixel[1] = green ? at[1][1] : cross;
      pixel[2] = green ? (odd ? row : column) : (odd ? at[1][1] : corners);
      pixel[3] = 1;
    }
}

void bench_plain_lut3d(void *const *a) {
  enum { SIZE = 33 };
  const uint8_t *restrict in = a[0];
  const float *restrict table = a[1];
  uint8_t *restrict out = a[2];
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    int low[3], high[3];
    float share[3];
    for (int c = 0; c < 3; c++) {
      float at = in[i * 4 + c] * (1 / 255.0f) * (SIZE - 1);
      low[c] = (int)at;
      share[c] = at - (float)low[c];
      high[c] = clamped(low[c] + 1, SIZE);
    }
    for (int c = 0; c < 4; c++) {
      float sum = 0;
      for (int corner = 0; corner < 8; corner++) {
        int x = corner & 1 ? high[0] : low[0], y = corner & 2 ? high[1] : low[1], z = corner & 4 ? high[2] : low[2];
        sum += table[((z * SIZE + y) * SIZE + x) * 4 + c] * (corner & 1 ? share[0] : 1 - share[0]) *
               (corner & 2 ? share[1] : 1 - share[1]) * (corner & 4 ? share[2] : 1 - share[2]);
      }
      out[i * 4 + c] = byte(sum);
    }
  }
}

void bench_plain_blur(void *const *a) {
  const bench_half *restrict in = a[0];
  bench_half *restrict out = a[1];
  const float *restrict weights = a[2];
  for (int y = 0; y < HEIGHT; y++)
    for (int i = 0; i < WIDTH * 4; i++) {
      float sum = 0;
      for (int k = 0; k < 9; k++)
        sum += weights[k] * (float)in[clamped(y + k - 4, HEIGHT) * WIDTH * 4 + i];
      out[y * WIDTH * 4 + i] = (bench_half)sum;
    }
}

void bench_plain_turn(void *const *a) {
  enum { TILE = 16 };
  const float *restrict in = a[0];
  float *restrict out = a[1];
  for (int y = 0; y < WIDTH; y += TILE)
    for (int x = 0; x < HEIGHT; x += TILE)
      for (int j = y; j < y + TILE; j++)
        for (int i = x; i < x + TILE; i++)
          out[j * HEIGHT + i] = in[i * WIDTH + WIDTH - 1 - j];
}

void bench_plain_nv12(void *const *a) {
  const uint8_t *restrict luma = a[0], *restrict chroma = a[1];
  uint8_t *restrict out = a[2];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const uint8_t *c = chroma + y / 2 * WIDTH + x / 2 * 2;
      float l = (luma[y * WIDTH + x] * (1 / 255.0f) - 16 / 255.0f) * 1.1644f;
      float u = c[0] * (1 / 255.0f) - 128 / 255.0f, v = c[1] * (1 / 255.0f) - 128 / 255.0f;
      uint8_t *pixel = out + (y * WIDTH + x) * 4;
      pixel[0] = byte(l + 1.7927f * v);
      pixel[1] = byte(l - 0.2132f * u - 0.5329f * v);
      pixel[2] = byte(l + 2.1124f * u);
      pixel[3] = 255;
    }
}
