# kiln/op_cases.h in the build folder: the operations of each family of ops.def as labels of a switch. The preprocessor
# cannot make a macro from the rows of a table, and a second list by hand would have to be kept like the first.
set(table ${CMAKE_SOURCE_DIR}/include/kiln/ops.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(STRINGS ${table} rows REGEX "^KILN_OP\\(")
set(families)
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^KILN_OP\\(([A-Z0-9_]+), .*, ([A-Z_]+)\\)( *//.*)?$")
    message(FATAL_ERROR "ops.def: not a row of an operation: ${row}")
  endif()
  list(APPEND families ${CMAKE_MATCH_2})
  list(APPEND ops_${CMAKE_MATCH_2} "case KILN_OP_${CMAKE_MATCH_1}")
endforeach()
list(REMOVE_DUPLICATES families)
set(macros)
foreach(family IN LISTS families)
  list(JOIN ops_${family} ": \\\n  " labels)
  string(APPEND macros "\n#define KILN_CASES_${family} \\\n  ${labels}:\n")
  list(TRANSFORM families PREPEND "KILN_CASES_" OUTPUT_VARIABLE others)
  list(REMOVE_ITEM others KILN_CASES_${family})
  list(JOIN others " \\\n  " others)
  string(APPEND macros "#define KILN_CASES_BUT_${family} \\\n  ${others} \\\n  case KILN_OP_COUNT:\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/kiln/op_cases.h @ONLY CONTENT
"// Made from ops.def by cmake/op_cases.cmake: the operations of each family as labels of a switch, and those
// that are not of the family (KILN_CASES_BUT_FLOW) for a switch that handles one.
#ifndef KILN_OP_CASES_H
#define KILN_OP_CASES_H

#include \"kiln/ir.h\"
@macros@
#endif
")
