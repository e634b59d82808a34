# What holds for every test.
enable_testing()

# How many seconds a test may take that does not say so itself: one that hangs fails soon. All quick tests have this
# limit (tests/support/check_limits.py looks at that), those with the label slow have limits of their own. It is several
# times as long as any quick test takes on two processors that others use as well; a test that comes near is cut in
# parts.
set(KILN_TEST_LIMIT 120)
if(KILN_SANITIZE)
  set(KILN_TEST_LIMIT 600)
endif()
file(WRITE ${CMAKE_BINARY_DIR}/DartConfiguration.tcl "TimeOut: ${KILN_TEST_LIMIT}\n") # which ctest reads

# Tests see no variable of Kiln's that is set where they are run, and no cache but one in the build folder. ctest reads
# the file, and the tests have its environment.
file(STRINGS ${CMAKE_SOURCE_DIR}/jit/env.def variables REGEX "^KILN_ENV\\(")
set(environment "set(ENV{XDG_CACHE_HOME} \"${CMAKE_BINARY_DIR}/tests/cache-home\")\n")
foreach(variable IN LISTS variables)
  if(variable MATCHES "\"(COMPILE_[A-Z_]+)\"")
    string(APPEND environment "unset(ENV{${CMAKE_MATCH_1}})\n")
  endif()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/test_environment.cmake "${environment}")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/test_environment.cmake)
