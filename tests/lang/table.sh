#!/bin/sh
# Every test that the table of conformance in docs/language.md names is there, and that page names every warning:
# table.sh SOURCE_FOLDER
cd "$1" || exit 2
rows=$(sed -n '/^| section | feature | tests/,/^$/p' docs/language.md | sed '1,2d')
[ "$(echo "$rows" | wc -l)" -ge 25 ] || { echo "docs/language.md: the table was not found"; exit 1; }
names=$(echo "$rows" | cut -d'|' -f4 | grep -o '`[^`]*`' | tr -d '`' | sort -u)
missing=0 count=0
for name in $(set -f; echo $names); do
  case $name in
  tests/*) set -- $name ;;
  *) set -- tests/exec/$name.cl tests/lang/$name.cl ;;
  esac
  count=$((count + 1)) found=
  for file; do
    [ -e "$file" ] && found=1
  done
  [ "$found" ] || { echo "docs/language.md names '$name': there is no such test"; missing=$((missing + 1)); }
done
for name in $(sed -n 's/^KILN_WARNING_NAME([A-Z_0-9]*, "\([^"]*\)".*/\1/p' jit/lang/lex/warnings.def); do
  count=$((count + 1))
  sed -n '/^## Warnings/,/^## /p' docs/language.md | grep -qF "\`$name\`" || { echo "docs/language.md does not name warning '$name'"; missing=$((missing + 1)); }
done
echo "$count names, $missing missing"
[ $missing -eq 0 ] && [ $count -ge 130 ]
