// What the verbs of the kiln command share.
#ifndef KILN_TOOL_H
#define KILN_TOOL_H

#include <kiln/kiln.h>
#include <stdarg.h>
#include <stdio.h>

enum tool_exit {
  EXIT_FINE = 0,
  EXIT_DATA = 1,        // the kernel or the data is wrong
  EXIT_USAGE = 2,       // the command line is wrong
  EXIT_ENVIRONMENT = 3, // no device, no library, no room
};

struct verb { // a row of verbs.def
  const char *name, *arguments, *summary, *help;
  enum { VERB_PLAIN, VERB_COMPILES } kind;
  int (*run)(int argc, char **argv);
};

#define VERB(name, arguments, summary, help, kind) int name##_main(int argc, char **argv);
#include "tools/kiln/verbs.def"

// The verb that argv[0] names.
const struct verb *this_verb(char **argv);
// For -h: prints the help of the verb, returns EXIT_FINE.
int print_help(const struct verb *verb);
// For an option that getopt_long refused with opterr = 0, of this table; or any other wrong usage.
struct option;
int bad_option(char **argv, const struct option *options);
__attribute__((format(printf, 2, 3))) int usage_error(char **argv, const char *format, ...);
// Prints "kiln: …" to standard error, returns code.
__attribute__((format(printf, 2, 3))) int fail(int code, const char *format, ...);
// Prints kiln_last_error() and returns the exit status that fits.
int fail_status(enum kiln_status status);

// Print what people read, wherever it is from: lines and tabs stay, other control characters are shown as \xHH. Numbers
// are written in the C locale.
__attribute__((format(printf, 2, 3))) void say(FILE *to, const char *format, ...);
__attribute__((format(printf, 2, 0))) void say_v(FILE *to, const char *format, va_list args);
void say_text(FILE *to, const char *text, size_t size);

// Numbers with fractions are read and written in the C locale: these are strtod, strtof and snprintf for them.
double read_double(const char *text, char **end);
float read_float(const char *text, char **end);
__attribute__((format(printf, 3, 4))) void format_number(char *out, size_t size, const char *format, ...);

// ---- options that choose backend and compile options ---------------------------------------------------------------

struct common {
  const char *backend, *arch;
  const char *faults; // struct kiln_context_desc's
  char *options;      // build options, put together from -D, -I and --options
  bool json, verbose;
};
#define COMMON_SHORT "b:a:D:I:vh"
#define COMMON_LONG                                                                                                    \
  {"backend", required_argument, NULL, 'b'}, {"arch", required_argument, NULL, 'a'},                                   \
      {"options", required_argument, NULL, 'O'}, {"spec", required_argument, NULL, 'C'},                               \
      {"json", no_argument, NULL, 'J'}, {"help", no_argument, NULL, 'h'}, {                                            \
    "verbose", no_argument, NULL, 'v'                                                                                  \
  }
// Takes one option. Returns false for one that is not common.
bool common_option(struct common *common, int option, const char *value);
void common_free(struct common *common);

// A kiln_log_fn that writes to standard error.
void log_to_stderr(void *user, enum kiln_log_level level, const char *message);
// Opens a context: messages go to standard error with -v; errors are told. print NULL: standard output.
int open_context(const struct common *common, kiln_print_fn *print, void *print_user, struct kiln_context **out);
// What a file holds, by the end of its name, and of SPIR-V by its first bytes.
enum kiln_source_kind source_kind(const char *file, const char *data, size_t size);
// What a program is made of: the file, and what is beside it. To be freed in either case; errors are told.
struct program_text {
  struct kiln_program_desc desc;
  char *source, *data; // what desc points to
};
int read_program(struct kiln_context *ctx, const struct common *common, const char *file, struct program_text *out);
void program_text_free(struct program_text *text);
// Tells the error of a compile, or its warnings (NULL: none). Returns the exit status.
int end_compile(enum kiln_status status, const char *log);
// Reads a file and makes a program of it; errors are told.
int open_program(struct kiln_context *ctx, const struct common *common, const char *file, struct kiln_program **out);

// ---- files ---------------------------------------------------------------------------------------------------------

// Both tell the error. Standard input and output as "-". Of what need not end, and of sources, at most READ_LIMIT bytes
// are read: more is an error.
enum { READ_LIMIT = 1 << 30 }; // no source may be larger
enum file_use { FILE_TEXT, FILE_DATA };
int read_whole_file(const char *path, enum file_use use, char **out, size_t *out_size);
int write_whole_file(const char *path, const void *data, size_t size);
// Ends a verb that printed: EXIT_FINE, or an error when standard output could not be written.
int finish_output(void);

// ---- verbs that take long -------------------------------------------------------------------------------------------

// Lets SIGINT and SIGTERM end a verb where what it has done is kept: it asks for them.
bool was_interrupted(void);
void catch_interrupts(void);
int fail_interrupted(void);
enum { BAR = 30 };
// A bar that shows how much is done; out has BAR + 1 bytes.
void print_bar(char *out, uint64_t done, uint64_t total);

#endif
