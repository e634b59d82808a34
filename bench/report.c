// The results of the kernel set as a table, as JSON and as a chart.
#include "bench/kernels.h"

#include <math.h>

double bench_geometric_mean(const struct bench_result *results, unsigned count, enum bench_side side,
                            enum bench_side other, bool by_hand) {
  double sum = 0;
  unsigned used = 0;
  for (unsigned i = 0; i < count; i++) {
    const double *ms = results[i].ms;
    if (results[i].ok && ms[side] > 0 && ms[other] > 0 && (!by_hand || ms[BENCH_HAND] > 0)) {
      sum += log(ms[other] / ms[side]);
      used++;
    }
  }
  return used ? exp(sum / used) : 0;
}

// By how much kiln is faster than the other side; 0: not measured.
static double speed_up(const double ms[BENCH_SIDES], enum bench_side other) {
  return ms[BENCH_KILN] > 0 ? ms[other] / ms[BENCH_KILN] : 0;
}

static const char *ratio(char out[16], double value) {
  if (value > 0)
    snprintf(out, 16, "%.2fx", value);
  else
    snprintf(out, 16, "-");
  return out;
}

void bench_print_table(const struct bench_result *results, unsigned count, const char *peer) {
  char speed[16], hand[16];
  printf("%-15s %10s %8s %10s %9s %10s %9s\n", "kernel, ms", "kiln", "spread", "OpenCL", "speed-up", "by hand",
         "of it");
  for (unsigned i = 0; i < count; i++) {
    const struct bench_result *r = &results[i];
    printf("%-15s %10.3f %7.0f%% %10.3f %9s %10.3f %9s%s\n", r->bench->name, r->ms[BENCH_KILN], r->spread * 100,
           r->ms[BENCH_PEER], ratio(speed, speed_up(r->ms, BENCH_PEER)), r->ms[BENCH_HAND],
           ratio(hand, speed_up(r->ms, BENCH_HAND)), r->ok ? "" : "  WRONG");
  }
  printf("%-15s %10s %8s %10s %9s %10s %9s\n", "geometric mean", "", "", "",
         ratio(speed, bench_geometric_mean(results, count, BENCH_KILN, BENCH_PEER, false)), "",
         ratio(hand, bench_geometric_mean(results, count, BENCH_KILN, BENCH_HAND, true)));
  printf("%-15s %10s %8s %10s %9s %10s\n", "if by hand, too", "", "", "",
         ratio(speed, bench_geometric_mean(results, count, BENCH_KILN, BENCH_PEER, true)),
         ratio(hand, bench_geometric_mean(results, count, BENCH_HAND, BENCH_PEER, true)));
  printf(
      "OpenCL: %s; of it: share of the hand-written version's speed; last row: the mean of the kernels that are also "
      "written by hand, Kiln's and the hand-written versions' over OpenCL\n",
      peer ? peer : "no platform");
}

static double pixels(const struct bench *bench) { return (double)bench->global[0] * (double)bench->global[1]; }

// How long kiln takes beside the other side; 0: not measured.
static double share(const double ms[BENCH_SIDES], enum bench_side other) {
  return ms[other] > 0 ? ms[BENCH_KILN] / ms[other] : 0;
}

void bench_print_images(const struct bench_result *results, unsigned count, const char *peer) {
  static const enum bench_side sides[] = {BENCH_KILN, BENCH_BUFFERS, BENCH_HAND, BENCH_PEER};
  char buffers[16], c[16], opencl[16], starts[16];
  printf("%-12s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "kernel, ns", "images", "buffers", "C", "OpenCL",
         "/ buffers", "/ C", "OpenCL /", "start, ms", "buffers", "/ buffers");
  for (unsigned i = 0; i < count; i++) {
    const struct bench_result *r = &results[i];
    printf("%-12s", r->bench->name);
    for (unsigned k = 0; k < sizeof sides / sizeof *sides; k++)
      printf(" %9.2f", r->best[sides[k]] * 1e6 / pixels(r->bench));
    printf(" %9s %9s %9s %9.1f %9.1f %9s%s\n", ratio(buffers, share(r->best, BENCH_BUFFERS)),
           ratio(c, share(r->best, BENCH_HAND)), ratio(opencl, speed_up(r->best, BENCH_PEER)), r->start[BENCH_KILN],
           r->start[BENCH_BUFFERS], ratio(starts, share(r->start, BENCH_BUFFERS)), r->ok ? "" : "  WRONG");
  }
  printf("%-12s %39s %9s %9s %9s\n", "mean", "",
         ratio(buffers, bench_geometric_mean(results, count, BENCH_BUFFERS, BENCH_KILN, false)),
         ratio(c, bench_geometric_mean(results, count, BENCH_HAND, BENCH_KILN, false)),
         ratio(opencl, bench_geometric_mean(results, count, BENCH_KILN, BENCH_PEER, false)));
  printf("ns a work-item, the fastest run; start: build and first launch; mean: geometric, of medians; OpenCL: %s\n",
         peer ? peer : "no platform");
}

void bench_print_json(const struct bench_result *results, unsigned count, const char *backend) {
  static const char *const others[BENCH_SIDES] = {[BENCH_PEER] = "pocl", [BENCH_HAND] = "reference"};
  printf("\"kernels\": [");
  for (unsigned i = 0; i < count; i++) {
    const struct bench_result *r = &results[i];
    printf("%s\n  {\"name\": \"%s\", \"backend\": \"%s\", \"unit\": \"ms\", \"value\": %.4f, \"best\": %.4f, "
           "\"spread\": %.3f",
           i ? "," : "", r->bench->name, backend, r->ms[BENCH_KILN], r->best[BENCH_KILN], r->spread);
    for (int other = BENCH_PEER; other < BENCH_SIDES; other++)
      if (speed_up(r->ms, other) > 0)
        printf(", \"vs_%s\": %.3f, \"vs_%s_best\": %.3f", others[other], speed_up(r->ms, other), others[other],
               speed_up(r->best, other));
    printf(", \"ok\": %s}", r->ok ? "true" : "false");
  }
  printf("\n]");
}

// Speed-ups on a logarithmic scale from 1/4 to 256.
static double bar(double speed) { return 60 * (log2(fmin(fmax(speed, 0.25), 256)) + 2); }

bool bench_write_chart(const struct bench_result *results, unsigned count, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  unsigned height = 24 * count + 70;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%u\" font-family=\"sans-serif\" "
          "font-size=\"13\">\n<rect width=\"800\" height=\"%u\" fill=\"white\"/>\n"
          "<text x=\"130\" y=\"20\">speed-up over PoCL (dot: over the hand-written version), geometric mean "
          "%.1f</text>\n",
          height, height, bench_geometric_mean(results, count, BENCH_KILN, BENCH_PEER, false));
  for (int tick = -2; tick <= 8; tick += 2) {
    double x = 130 + bar(exp2(tick));
    fprintf(file, "<path d=\"M%g 32V%u\" stroke=\"%s\"/><text x=\"%g\" y=\"%u\" text-anchor=\"middle\">%g</text>\n", x,
            height - 28, tick ? "#ddd" : "#888", x, height - 12, exp2(tick));
  }
  for (unsigned i = 0; i < count; i++) {
    const struct bench_result *r = &results[i];
    double speed = speed_up(r->ms, BENCH_PEER), hand = speed_up(r->ms, BENCH_HAND);
    double y = 36 + 24 * i, one = bar(1), x = speed > 0 ? bar(speed) : one;
    fprintf(file, "<text x=\"122\" y=\"%g\" text-anchor=\"end\">%s</text>", y + 14, r->bench->name);
    fprintf(file, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"18\" fill=\"%s\"/>", 130 + fmin(x, one), y,
            fabs(x - one),
            !r->ok    ? "#c00"
            : x < one ? "#d95f0e"
                      : "#3182bd");
    if (speed > 0)
      fprintf(file, "<text x=\"%g\" y=\"%g\">%.2f</text>", 136 + fmax(x, one), y + 14, speed);
    if (hand > 0)
      fprintf(file, "<circle cx=\"%g\" cy=\"%g\" r=\"4\" fill=\"#222\"/>", 130 + bar(hand), y + 9);
    fputc('\n', file);
  }
  fputs("</svg>\n", file);
  bool ok = !ferror(file);
  return fclose(file) == 0 && ok;
}
