// The results of the kernel set as a table, as JSON and as a chart.
#include "bench/kernels.h"

#include <math.h>

// Of the speed-ups over the peer.
double bench_geometric_mean(const struct bench_result *results, unsigned count) {
  double sum = 0;
  unsigned used = 0;
  for (unsigned i = 0; i < count; i++)
    if (results[i].ok && results[i].kiln > 0 && results[i].peer > 0) {
      sum += log(results[i].peer / results[i].kiln);
      used++;
    }
  return used ? exp(sum / used) : 0;
}

static const char *ratio(char out[16], double numerator, double denominator) {
  if (numerator > 0 && denominator > 0)
    snprintf(out, 16, "%.2fx", numerator / denominator);
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
    printf("%-15s %10.3f %7.0f%% %10.3f %9s %10.3f %9s%s\n", r->bench->name, r->kiln, r->spread * 100, r->peer,
           ratio(speed, r->peer, r->kiln), r->reference, ratio(hand, r->reference, r->kiln), r->ok ? "" : "  WRONG");
  }
  printf("%-15s %10s %8s %10s %8.2fx\n", "geometric mean", "", "", "", bench_geometric_mean(results, count));
  printf("OpenCL: %s; of it: share of the hand-written version's speed\n", peer ? peer : "no platform");
}

void bench_print_json(const struct bench_result *results, unsigned count, const char *backend) {
  printf("\"kernels\": [");
  for (unsigned i = 0; i < count; i++) {
    const struct bench_result *r = &results[i];
    printf("%s\n  {\"name\": \"%s\", \"backend\": \"%s\", \"unit\": \"ms\", \"value\": %.4f, \"best\": %.4f, "
           "\"spread\": %.3f",
           i ? "," : "", r->bench->name, backend, r->kiln, r->kiln_best, r->spread);
    if (r->kiln > 0 && r->peer > 0)
      printf(", \"vs_pocl\": %.3f, \"vs_pocl_best\": %.3f", r->peer / r->kiln, r->peer_best / r->kiln_best);
    if (r->kiln > 0 && r->reference > 0)
      printf(", \"vs_reference\": %.3f, \"vs_reference_best\": %.3f", r->reference / r->kiln,
             r->reference_best / r->kiln_best);
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
          height, height, bench_geometric_mean(results, count));
  for (int tick = -2; tick <= 8; tick += 2) {
    double x = 130 + bar(exp2(tick));
    fprintf(file, "<path d=\"M%g 32V%u\" stroke=\"%s\"/><text x=\"%g\" y=\"%u\" text-anchor=\"middle\">%g</text>\n", x,
            height - 28, tick ? "#ddd" : "#888", x, height - 12, exp2(tick));
  }
  for (unsigned i = 0; i < count; i++) {
    const struct bench_result *r = &results[i];
    double y = 36 + 24 * i, x = r->kiln > 0 && r->peer > 0 ? bar(r->peer / r->kiln) : bar(1), one = bar(1);
    fprintf(file, "<text x=\"122\" y=\"%g\" text-anchor=\"end\">%s</text>", y + 14, r->bench->name);
    fprintf(file, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"18\" fill=\"%s\"/>", 130 + fmin(x, one), y,
            fabs(x - one),
            !r->ok    ? "#c00"
            : x < one ? "#d95f0e"
                      : "#3182bd");
    if (r->kiln > 0 && r->peer > 0)
      fprintf(file, "<text x=\"%g\" y=\"%g\">%.2f</text>", 136 + fmax(x, one), y + 14, r->peer / r->kiln);
    if (r->kiln > 0 && r->reference > 0)
      fprintf(file, "<circle cx=\"%g\" cy=\"%g\" r=\"4\" fill=\"#222\"/>", 130 + bar(r->reference / r->kiln), y + 9);
    fputc('\n', file);
  }
  fputs("</svg>\n", file);
  bool ok = !ferror(file);
  return fclose(file) == 0 && ok;
}
