# Lists what the binary interface of a header consists of, one line each, tab-separated:
#   member  struct NAME  N  TEXT     enum    enum NAME  N  TEXT
#   op      ops          N  TEXT     define  NAME  0  VALUE      function  NAME  0  PROTOTYPE
# Reads headers of Kiln's style after the comments are gone; N counts from 0.

function squeeze(text) {
  gsub(/[ \t\n]+/, " ", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  return text
}

# Splits body at separators outside of braces and parentheses.
function list(kind, name, body, separator, n, depth, i, c, part) {
  for (i = 1; i <= length(body); i++) {
    c = substr(body, i, 1)
    if (c == "{" || c == "(")
      depth++
    if (c == "}" || c == ")")
      depth--
    if (c != separator || depth)
      part = part c
    if ((c == separator && !depth) || i == length(body)) {
      part = squeeze(part)
      if (part != "" && part !~ /_COUNT$/) # the end of an enumeration moves
        printf "%s\t%s\t%d\t%s\n", kind, name, n++, part
      part = ""
    }
  }
}

{ sub(/\/\/.*/, "") }
/^#define KILN_[A-Z_]+ [^ ]/ { printf "define\t%s\t0\t%s\n", $2, squeeze(substr($0, index($0, $2) + length($2))) }
/^KILN_OP\(/ { # but for the family: that is for source text alone
  split($0, column, /, *|\)/)
  printf "op\tops\t%d\t%s, %s, %s, %s, %s\n", ops++, column[1], column[2], column[3], column[4], column[5]
}
/^#/ || /^extern "C"/ || (/^}$/ && !depth) { next }
{
  text = text $0 "\n"
  open = gsub(/[{]/, "{", $0)
  close_ = gsub(/[}]/, "}", $0)
  depth += open - close_
  if (depth || $0 !~ /[;}][ \t]*$/)
    next
  statement = squeeze(text)
  text = ""
  if (match(statement, /^(struct|enum) [a-z_0-9]+ [{]/)) {
    head = substr(statement, 1, RLENGTH - 2)
    body = substr(statement, RLENGTH + 1)
    sub(/[}] *;$/, "", body)
    if (head ~ /^struct/)
      list("member", head, body, ";")
    else
      list("enum", head, body, ",")
  } else if (statement ~ /^KILN_API [^{]*\(/ ) {
    name = statement
    sub(/ *\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    printf "function\t%s\t0\t%s\n", name, statement
  }
}
