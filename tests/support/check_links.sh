#!/bin/sh
# Every relative link in a page, code apart, leads to a file, and to a heading of it where the link names one; every
# file that the guide for developers and its picture name is there.
#   check_links.sh SOURCE_FOLDER
cd "$1" || exit 2
pages=$(git ls-files '*.md' 2>/dev/null)
[ "$pages" ] || pages=$(find . -path ./build -prune -o -name '*.md' -print)

# The anchors of a page: its headings in lower case, without punctuation, with '-' for blanks.
anchors() {
  sed -nE 's/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g; s/[^[:alnum:] _-]//g; s/ /-/g'
}

count=0 bad=0
for page in $pages; do
  for link in $(sed '/^```/,/^```/d; s/`[^`]*`//g' "$page" | grep -o '](\([^) ]*\))' | sed 's/^](//; s/)$//'); do
    case $link in *://*) continue ;; esac
    count=$((count + 1))
    file=${link%%#*} anchor=
    case $link in *'#'*) anchor=${link#*#} ;; esac
    target=$page
    [ "$file" ] && target=$(dirname "$page")/$file
    if [ ! -e "$target" ]; then
      echo "$page: $link: there is no such file"
      bad=$((bad + 1))
    elif [ "$anchor" ] && ! anchors "$target" | grep -qxF -- "$anchor"; then
      echo "$page: $link: there is no such heading"
      bad=$((bad + 1))
    fi
  done
done
# Names with capitals, "*" or "…" stand for any file; those without a folder belong to the row's.
paths=0
for path in $(sed -n 's/.*class="file[^>]*>\([^<]*\)<.*/\1/p' docs/kernel-road.svg | tr -d ,) \
  $(grep -o '`[a-z]*/[a-z0-9_./-]*`' docs/hacking.md | tr -d '`'); do
  paths=$((paths + 1))
  for place in . include tests docs jit jit/lang backends backends/llvm; do
    [ ! -e "$place/$path" ] || continue 2
  done
  case $path in build/* | kiln/op_cases.h) continue ;; esac # made by the build
  echo "docs/hacking.md or kernel-road.svg: $path: there is no such file"
  bad=$((bad + 1))
done
echo "$count links, $paths paths, $bad wrong"
[ $bad -eq 0 ] && [ $count -ge 60 ] && [ $paths -ge 60 ]
