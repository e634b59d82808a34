#!/bin/sh
# The dependency rule for functions and variables: no object uses a symbol of a folder above its own (layers.txt). In
# the folders of $ordered no object uses a symbol of an object that uses it, directly or through others.
#   check_symbols.sh BUILD_FOLDER LAYERS FILE     FILE: paths of the objects, one per line
set -eu
build=$1 layers=$2 objects=$3
ordered="jit/facts backends/llvm/plan backends/llvm/arrange backends/llvm/spmd"
xargs nm -A <"$objects" | awk -v build="$build/" -v layers="$layers" '
  BEGIN {
    while ((getline line < layers) > 0)
      if (line !~ /^#/)
        order[line] = ++count
  }
  {
    file = $0; sub(/:[^:]*$/, "", file); type = $(NF - 1); symbol = $NF
    folder = substr(file, length(build) + 1)
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", folder)
    gsub(/\/\.\//, "/", folder)
    sub(/\/[^\/]*$/, "", folder)
    if (!(folder in order) && !(folder in unknown)) {
      print folder ": is not in layers.txt"
      unknown[folder] = failed = 1
    }
    if (type == "U") { uses[file, symbol] = folder; next }
    if (type ~ /[TDBRVWGS]/) home[symbol] = folder
  }
  END {
    # The list of built-in backends is data that jit declares and the top of the tree defines.
    delete home["kiln_builtin_backends"]
    for (key in uses) {
      split(key, part, SUBSEP)
      if (part[2] in home && order[home[part[2]]] > order[uses[key]]) {
        print part[1] ": uses " part[2] " of " home[part[2]]
        failed = 1
      }
    }
    checked = length(uses)
    if (checked < 1000) { print "only " checked " uses of symbols were seen"; failed = 1 }
    exit failed
  }'

# "FROM TO" for each object of the folder that uses a symbol of another one there; tsort finds circles. A build without
# LLVM has no objects of its folders.
for folder in $ordered; do
  here=$(awk -v end="/$folder/[^/]*$" '
    { path = $0; sub(/CMakeFiles\/[^\/]*\.dir\//, "", path); gsub(/\/\.\//, "/", path) }
    path ~ end' "$objects")
  printf '%s\n' "$here" | xargs -r nm -A | awk '
    { file = $0; sub(/:[^:]*$/, "", file); sub(/.*\//, "", file) }
    $(NF - 1) == "U" { uses[file, $NF]; next }
    $(NF - 1) ~ /[TDBRV]/ { home[$NF] = file }
    END {
      for (key in uses) {
        split(key, part, SUBSEP)
        if (part[2] in home) print part[1], home[part[2]]
      }
    }' | tsort >/dev/null || { echo "$folder: the files above use each other in a circle"; exit 1; }
done
