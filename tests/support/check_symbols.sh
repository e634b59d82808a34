#!/bin/sh
# The dependency rule for functions and variables: no object uses a symbol of a folder above its own (layers.txt).
#   check_symbols.sh BUILD_FOLDER LAYERS FILE     FILE: paths of the objects, one per line
set -eu
build=$1 layers=$2 objects=$3
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
    if (!(folder in order) && !(folder in unknown)) { print folder ": is not in layers.txt"; unknown[folder] = failed = 1 }
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
