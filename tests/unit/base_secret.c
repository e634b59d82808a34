// Passwords in URLs are not shown.
#include "base/secret.h"

#include <criterion/criterion.h>

Test(secret, passwords_are_hidden) {
  static const struct {
    const char *text, *shown;
  } cases[] = {
      {"", ""},
      {"redis://host", "redis://host"},
      {"redis://host:6379/2", "redis://host:6379/2"},
      {"http://[::1]:80/a", "http://[::1]:80/a"},
      {"redis://user:pass@host", "redis://***@host"},
      {"rediss://:pass@host:1/2|ca=/a", "rediss://***@host:1/2|ca=/a"},
      {"https://token@host/x", "https://***@host/x"},
      {"redis://u:p@ss@host", "redis://***@host"},      // a password may hold '@',
      {"redis://u:a/b@host/1", "redis://***@host/1"},   // or '/',
      {"redis://u:p w@host", "redis://u:*** ***@host"}, // or what separates places: a wrong list
      {"redis://u:p|w@host", "redis://u:***|***@host"},
      {"redis://u:pass", "redis://u:***"}, // no host
      {"redis://:pass/1", "redis://:***"},
      {"u:pass@host", "***@host"},
      {"redis://a:b@c  http://d:e@f|ro\thttp://g", "redis://***@c  http://***@f|ro\thttp://g"},
      {"unix:/run/redis.sock", "unix:/run/redis.sock"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_strbuf out = {0};
    kiln_strbuf_puts(&out, "");
    kiln_strbuf_hidden(&out, cases[i].text);
    cr_expect_str_eq(out.data, cases[i].shown);
    kiln_strbuf_free(&out);
  }
}
