// The kiln command: a table of verbs, and help.
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "tool.h"

static const struct verb verb_table[] = {
    {"run", "FILE -g GX[,GY[,GZ]] [OPTION]... ARG...", "run a kernel on given arguments",
     "  -k KERNEL               kernel to run; may be left out when there is one\n"
     "  -g GX[,GY[,GZ]]         work-items\n"
     "  -l LX[,LY[,LZ]]         work-items per group (default: the kernel's or the device's choice)\n"
     "  --offset X[,Y[,Z]]      added to the global ids\n"
     "  --repeat N              launch N times\n"
     "  --deadline SECONDS      stop a launch that runs longer; exit status 1\n"
     "  --time                  print compile_ms, load_ms, cache, launch_us\n"
     "  -o IDX:FILE             write the buffer of argument IDX to FILE afterwards\n"
     "  -p IDX:TYPE[:N]         print the first N elements (default: all) of the buffer of argument IDX\n"
     "One ARG per kernel argument:\n"
     "  buf:FILE                buffer with the bytes of FILE\n"
     "  zero:TYPE:N  iota:TYPE:N  fill:TYPE:N:V  list:TYPE:v,v,...  rand:TYPE:N[:SEED[:LO:HI]]\n"
     "  same:IDX                the buffer of argument IDX again\n"
     "  null                    null pointer\n"
     "  local:BYTES             local memory\n"
     "  TYPE=V[,V...]           scalar, or vector with that many components\n"
     "  bytes:HEX               any argument passed by value\n"
     "TYPE: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64\n",
     run_main},
    {"compile", "FILE [OPTION]...", "compile a kernel and write a stage of it",
     "  --emit STAGE            ir, plan, ll, s, o, cl, dis where the backend has them; bin (default): the final "
     "artifact\n"
     "  -o OUT                  file to write; -: standard output (default: standard output for text, else the name\n"
     "                          of FILE with the stage's extension in the current folder)\n"
     "  -k KERNEL               kernel that --stats is about (default: all)\n"
     "  --stats                 print arguments, resource use and, on cpu, the plan of each kernel\n",
     compile_main},
    {"backends", "[--all]", "list the backends", "  --all                   debug and experimental ones too\n",
     backends_main},
    {"devices", "[-b BACKEND] [--all]", "list the devices of every backend that is here",
     "  --all                   those of debug and experimental backends too\n", devices_main},
    {"targets", "-b BACKEND", "list the archs that a backend accepts", "", targets_main},
    {"env", "", "list the environment variables, their values and meanings", "", env_main},
    {"cache", "VERB [OPTION]... [ARGUMENT]", "look into the kernel cache, tidy it, export and import",
     "Verbs:\n"
     "  list                    every entry: key, size, last use, target, kernels\n"
     "  show KEY                all of an entry; the beginning of its key is enough\n"
     "  stat                    number and size of entries\n"
     "  verify                  read and check every file; --remove sets the damaged ones aside\n"
     "  prune                   remove what was not used for longest, down to the limit of COMPILE_CACHE_MAX_SIZE\n"
     "  clear                   remove everything\n"
     "  explain FILE            field by field, why a program is not found (takes -b, -a, -D, -I, --options)\n"
     "  export BUNDLE           write the entries (of backend -b and arch -a alone) to one file\n"
     "  import BUNDLE           check the entries of a bundle and add them\n"
     "  push [REMOTE]           send what a server lacks (default: the first of COMPILE_CACHE_REMOTE)\n"
     "  pull [REMOTE]           fetch what the server has\n"
     "  key FILE                make a key for COMPILE_CACHE_KEY; FILE.pub is for those who only read\n"
     "  stats                   what all processes counted of servers: hits, errors, bytes, times\n"
     "Options:\n"
     "  -d, --dir PLACE         cache folder or bundle (default: the folder that programs use)\n"
     "  --layers                list, verify: the layers of COMPILE_CACHE_PATH, too\n"
     "  --max-size SIZE         prune: limit, in bytes or with the suffix K, M, G or T\n"
     "  --older-than AGE        prune: what was not used for so long: 30d, 12h, 45m\n"
     "  --shared                key: one secret for all instead of a key pair\n"
     "  --prometheus FILE       stats: write them for the text file collector of Prometheus' node exporter\n",
     cache_main},
    {"warm", "MANIFEST... [-b B[,B]] [-a A[,A]] [-j N] [--export BUNDLE]", "fill the kernel cache ahead of time",
     "  -b, --backend B[,B]     backends to compile for (default: those of the recorded requests)\n"
     "  -a, --arch A[,A]        archs; with several backends each goes to those that know it\n"
     "  -j, --jobs N            programs compiled at the same time (default: one per CPU)\n"
     "  --export BUNDLE         write what was warmed to one file as well\n"
     "A manifest is what COMPILE_RECORD=FILE wrote in a real run. What is in the cache is not compiled again, so that\n"
     "an interrupted run can be repeated. Exit status 1: some programs failed.\n",
     warm_main},
    {"conformance", "-b BACKEND [-a ARCH]", "check whether a backend keeps to its contract",
     "  -b, --backend BACKEND   backend, built in or a plugin\n"
     "  -a, --arch ARCH         target (default: this machine's)\n"
     "Prints a table of what passed, failed and was skipped; what failed or was skipped, and why, goes to standard\n"
     "error. Exit status 1: something failed.\n",
     conformance_main},
    {"bench", "[OPTION]...", "measure a set of kernels, starts, compiles and launches",
     "  -b, --backend BACKEND   for the kernels (default: COMPILE_BACKEND, else cpu)\n"
     "  -a, --arch ARCH         target (default: COMPILE_ARCH, else this machine's)\n"
     "  -k, --kernels NAME      only kernels whose name contains NAME, and nothing else ('': all)\n"
     "  -s, --starts            only starts, compiles and launches\n"
     "  -n, --runs N            runs of each kernel (default: 31)\n"
     "  -t, --threads N         threads of every side (default: all processors)\n"
     "  --chart FILE            draw the speed-ups as SVG\n"
     "Each figure stands beside that of the OpenCL platform, where one is installed. Exit status 1: a result is "
     "wrong.\n",
     bench_main},
    {NULL, NULL, NULL, NULL, NULL},
};

static const char common_help[] =
    "  -b, --backend BACKEND   backend (default: COMPILE_BACKEND, else the first available)\n"
    "  -a, --arch ARCH         target (default: COMPILE_ARCH, else this machine's)\n"
    "  -D NAME[=V], -I DIR     macro and include folder of the kernel\n"
    "  --options \"...\"         further build options\n";

int fail(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("kiln: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

int usage_error(char **argv, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "kiln %s: ", argv[0]);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\nTry 'kiln %s --help'.\n", argv[0]);
  va_end(args);
  return EXIT_USAGE;
}

int print_help(const struct verb *verb) {
  bool compiles = verb->run == run_main || verb->run == compile_main;
  printf("usage: kiln %s %s\n\nkiln %s: %s\n\n%s%s", verb->name, verb->arguments, verb->name, verb->summary, verb->help,
         compiles ? common_help : "");
  puts("  --json                  print JSON\n"
       "  -v, --verbose           messages of the library on standard error\n"
       "  -h, --help              this text");
  return finish_output();
}

const struct verb *this_verb(char **argv) {
  const struct verb *verb = verb_table;
  while (verb->name && strcmp(verb->name, argv[0]) != 0)
    verb++;
  return verb->name ? verb : NULL;
}

int finish_output(void) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_FINE;
  return fail(EXIT_ENVIRONMENT, "standard output cannot be written: %s", strerror(errno));
}

static void print_verbs(FILE *to) {
  fputs("usage: kiln VERB [OPTION]... [ARGUMENT]...\n\n", to);
  for (const struct verb *verb = verb_table; verb->name; verb++)
    fprintf(to, "  %-12s %s\n", verb->name, verb->summary);
  fputs("\n'kiln VERB --help' tells more. Exit status: 0 fine, 1 the kernel or the data is wrong,\n"
        "2 wrong usage, 3 the environment (no device, no library).\n",
        to);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_verbs(stderr);
    return EXIT_USAGE;
  }
  const char *name = argv[1];
  bool help = strcmp(name, "help") == 0;
  if (strcmp(name, "--version") == 0) {
    printf("kiln %s\n", kiln_version());
    return finish_output();
  }
  if ((help && argc == 2) || strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
    print_verbs(stdout);
    return finish_output();
  }
  argv += help ? 2 : 1;
  argc -= help ? 2 : 1;
  const struct verb *verb = this_verb(argv);
  if (!verb) {
    fail(EXIT_USAGE, "there is no verb '%s'", argv[0]);
    print_verbs(stderr);
    return EXIT_USAGE;
  }
  return help ? print_help(verb) : verb->run(argc, argv);
}
