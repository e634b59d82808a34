// #include: where is looked, what is recorded, guards.
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/pp_support.h"

#define NOWHERE KILN_BUILD_DIR "/no-such-folder"

static char root[64];

static void put(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file, "%s", path);
  fputs(text, file);
  fclose(file);
}

static void setup(void) {
  snprintf(root, sizeof root, "/tmp/kiln-pp-XXXXXX");
  cr_assert_not_null(mkdtemp(root));
  char path[128];
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", root, i == 0 ? "sub" : "inc");
    cr_assert_eq(mkdir(path, 0700), 0);
  }
  put("beside.h", "beside\n");
  put("sub/inner.h", "inner\n#include \"next.h\"\n");
  put("sub/next.h", "next\n");
  put("inc/both.h", "inc_both\n");
  put("both.h", "main_both\n");
  put("guard.h", "#ifndef G\n#define G\nguarded\n#endif\n");
  put("once.h", "#pragma once\nonce\n");
  put("else.h", "#ifndef E\n#define E\nfirst\n#else\nagain\n#endif\n");
  put("open.h", "#if 1\nopen\n");
}

static void teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  cr_expect_eq(system(command), 0);
}

TestSuite(pp_include, .init = setup, .fini = teardown);

static void run_main(struct pp_run *run, const char *text) {
  static char name[128];
  snprintf(name, sizeof name, "%s/main.cl", root);
  run->name = name;
  pp_run(run, text, strlen(text));
}

static void expect_include(const struct pp_run *run, uint32_t index, char mark, const char *name) {
  char want[128];
  snprintf(want, sizeof want, "%c%s%s%s", mark, mark == '=' ? "" : root, mark == '=' ? "" : "/", name);
  cr_expect_lt(index, run->include_count, "%s", want);
  if (index < run->include_count)
    cr_expect_str_eq(run->includes[index], want);
}

Test(pp_include, search_order) {
  char dir[80];
  snprintf(dir, sizeof dir, "%s/inc", root);
  const char *dirs[] = {NOWHERE, dir};
  struct pp_run run = {.config = {.include_dirs = dirs, .include_dir_count = 2}};
  run_main(&run, "#include \"beside.h\"\n#include \"both.h\"\n#include <both.h>\n#include \"sub/inner.h\"\n"
                 "#include \"beside.h\"\n#define H <both.h>\n#include H\n#define S \"beside.h\"\n#include S\n");
  cr_expect_str_eq(pp_text(&run.tokens), "beside main_both inc_both inner next beside inc_both beside");
  cr_expect_str_eq(pp_text(&run.log), "");
  cr_expect_eq(run.include_count, 6, "%u", run.include_count);
  expect_include(&run, 0, '+', "beside.h");
  expect_include(&run, 1, '+', "both.h");
  cr_expect_str_eq(run.includes[2], "-" NOWHERE "/both.h");
  expect_include(&run, 3, '+', "inc/both.h");
  expect_include(&run, 4, '+', "sub/inner.h");
  expect_include(&run, 5, '+', "sub/next.h");
  pp_done(&run);
}

Test(pp_include, include_next_goes_on_behind) {
  char path[3][80];
  for (int i = 0; i < 3; i++) {
    snprintf(path[i], sizeof path[i], "%s/dir%d", root, i);
    cr_assert_eq(mkdir(path[i], 0700), 0);
  }
  put("dir0/wrap.h", "a\n#include_next <wrap.h>\n");
  put("dir1/wrap.h", "b\n#include_next \"wrap.h\"\n");
  put("dir2/wrap.h", "c\n");
  put("dir2/last.h", "d\n#include_next <none.h>\n");
  const char *dirs[] = {path[0], path[1], NOWHERE, path[2]};
  struct pp_run run = {.config = {.include_dirs = dirs, .include_dir_count = 4}};
  run_main(&run, "#include <wrap.h>\n#include_next <wrap.h>\n#include <last.h>\n");
  cr_expect_str_eq(pp_text(&run.tokens), "a b c a b c d");
  const char *log = pp_text(&run.log);
  cr_expect(strstr(log, "'none.h' file not found"), "%s", log);
  cr_expect(strstr(log, "#include_next in primary source file; will search from start of include path"), "%s", log);
  pp_done(&run);
}

Test(pp_include, memory_first) {
  const struct kiln_pp_header headers[] = {
      {"beside.h", "memory junk", 6}, {"lib/a.h", "#include \"b.h\"\n", 15}, {"lib/b.h", "b", 1}};
  struct pp_run run = {.config = {.headers = headers, .header_count = 3}};
  run_main(&run, "#include \"beside.h\"\n#include <beside.h>\n#include <lib/a.h>\n");
  cr_expect_str_eq(pp_text(&run.tokens), "memory memory b");
  cr_expect_eq(run.include_count, 3);
  expect_include(&run, 0, '=', "beside.h");
  expect_include(&run, 1, '=', "lib/a.h");
  expect_include(&run, 2, '=', "lib/b.h");
  pp_done(&run);
}

Test(pp_include, guards) {
  struct pp_run run = {0};
  run_main(&run, "#include \"guard.h\"\n#include \"guard.h\"\n#undef G\n#include \"guard.h\"\n"
                 "#include \"once.h\"\n#include \"once.h\"\n#include \"else.h\"\n#include \"else.h\"\n");
  cr_expect_str_eq(pp_text(&run.tokens), "guarded guarded once first again");
  cr_expect_str_eq(pp_text(&run.log), "");
  cr_expect_eq(run.include_count, 3);
  pp_done(&run);
}

Test(pp_include, has_include_is_recorded) {
  struct pp_run run = {0};
  run_main(&run, "#if __has_include(\"none.h\") || !__has_include(\"beside.h\")\nno\n#else\nyes\n#endif\n");
  cr_expect_str_eq(pp_text(&run.tokens), "yes");
  cr_expect_eq(run.include_count, 2);
  expect_include(&run, 0, '-', "none.h");
  expect_include(&run, 1, '+', "beside.h");
  pp_done(&run);
}

Test(pp_include, nested_names) {
  struct pp_run run = {0};
  run_main(&run, "#define INC \"open.h\"\n#include INC\nx __INCLUDE_LEVEL__");
  cr_expect_str_eq(pp_text(&run.tokens), "open x 0");
  cr_expect_not_null(strstr(pp_text(&run.log), "main.cl:2:\n"), "%s", pp_text(&run.log));
  cr_expect_not_null(strstr(pp_text(&run.log), "open.h:1:2: error: unterminated conditional directive"), "%s",
                     pp_text(&run.log));
  pp_done(&run);
}

Test(pp_include, unreadable) {
  struct pp_run run = {0};
  run_main(&run, "#include \"sub\"\n");
  cr_expect_not_null(strstr(pp_text(&run.log), "'sub' file cannot be read"), "%s", pp_text(&run.log));
  cr_expect_not_null(strstr(pp_text(&run.log), "Is a directory"), "%s", pp_text(&run.log));
  pp_done(&run);
}

Test(pp_include, source_without_a_file_has_no_folder) {
  struct pp_run run = {.name = "<source>"};
  pp_run(&run, "#include \"beside.h\"\n", 20);
  cr_expect_eq(run.errors, 1);
  cr_expect_eq(run.include_count, 0);
  pp_done(&run);
}

Test(pp_include, depth) {
  put("self.h", "#include \"self.h\"\n");
  put("twice.h", "#if __INCLUDE_LEVEL__ < 60\n#include \"twice.h\"\n#include \"twice.h\"\n#endif\n");
  struct pp_run run = {0}, twice = {0};
  run_main(&run, "#include \"self.h\"\nx");
  cr_expect_eq(run.errors, 1);
  cr_expect_not_null(strstr(pp_text(&run.log), "error: #include is nested more than 64 deep"), "%s", pp_text(&run.log));
  run_main(&twice, "#include \"twice.h\"\n");
  cr_expect_eq(twice.errors, 1);
  cr_expect_not_null(strstr(pp_text(&twice.log), "error: more than 65536 files are included"), "%s",
                     pp_text(&twice.log));
  pp_done(&run);
  pp_done(&twice);
}
