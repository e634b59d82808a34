// Numbers and letters of the C locale. tests/locale has hosts that have chosen others.
#include "base/c_locale.h"

#include <criterion/criterion.h>
#include <string.h>

Test(c_locale, numbers) {
  char text[32], *end;
  cr_expect_eq(kiln_strtod("1.5x", &end), 1.5);
  cr_expect_str_eq(end, "x");
  cr_expect_eq(kiln_strtof("-1e-45", &end), -0x1p-149f);
  cr_expect_str_eq(end, "");
  cr_expect_eq(kiln_strtod("1,5", &end), 1);
  cr_expect_str_eq(end, ",5");
  cr_expect_eq(kiln_snprintf(text, sizeof text, "%.2f %g", 0.125, 1e30), 10);
  cr_expect_str_eq(text, "0.12 1e+30");
  cr_expect_eq(kiln_snprintf(text, 3, "%d", 12345), 5);
  cr_expect_str_eq(text, "12");
}

Test(c_locale, letters) {
  for (int c = -128; c < 128; c++) {
    bool ascii = c > 0;
    cr_expect_eq(kiln_is_digit((char)c), ascii && strchr("0123456789", c), "%d", c);
    cr_expect_eq(kiln_is_hex_digit((char)c), ascii && strchr("0123456789abcdefABCDEF", c), "%d", c);
    cr_expect_eq(kiln_is_letter((char)c), ascii && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", c),
                 "%d", c);
    cr_expect_eq(kiln_is_printable((char)c), c >= 32 && c < 127, "%d", c);
  }
  cr_expect(kiln_lower('I') == 'i' && kiln_lower('i') == 'i' && kiln_lower('1') == '1' && kiln_lower('[') == '[');
}

Test(c_locale, but_for_case) {
  cr_expect(kiln_same_but_for_case("GiB", "gIb") && kiln_same_but_for_case("", ""));
  cr_expect(!kiln_same_but_for_case("GiB", "Gi") && !kiln_same_but_for_case("", "a") &&
            !kiln_same_but_for_case("a", ""));
  cr_expect(kiln_holds_but_for_case("Portable Computing", "COMP") && kiln_holds_but_for_case("aab", "AB"));
  cr_expect(kiln_holds_but_for_case("x", "") && kiln_holds_but_for_case("", "") &&
            !kiln_holds_but_for_case("ab", "abc"));
  cr_expect(!kiln_holds_but_for_case("", "a"));
}
