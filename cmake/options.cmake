# Language level, warnings and switches that hold for the whole tree.
option(KILN_WERROR "Treat warnings as errors" ON)
option(KILN_LLVM "Build the LLVM code generation module (cpu and rocm backends)" ON)
option(KILN_LLVM_STATIC "Link LLVM into that module, with the targets that Kiln uses" OFF)
option(KILN_TESTS "Build tests, benchmarks and examples" ON)
set(KILN_SANITIZE "" CACHE STRING "Sanitizers, as after -fsanitize=: address,undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

add_compile_definitions(_GNU_SOURCE)
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR KILN_SANITIZE)
  add_compile_definitions(KILN_DEBUG=1) # verify the IR after every pass
endif()
add_compile_options(-Wall -Wextra $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
                    -Wno-missing-field-initializers -fno-math-errno -ffp-contract=off)
if(KILN_WERROR)
  add_compile_options(-Werror)
endif()
if(KILN_SANITIZE MATCHES address)
  add_compile_definitions(KILN_ASAN=1)
elseif(KILN_SANITIZE MATCHES thread)
  add_compile_definitions(KILN_TSAN=1)
endif()
if(KILN_SANITIZE)
  add_compile_definitions(KILN_SANITIZED=1)
  add_compile_options(-fsanitize=${KILN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${KILN_SANITIZE})
endif()

# The whole tree includes its own headers from the root ("base/arena.h") and the public ones as "kiln/kiln.h".
# Which folder may include which is checked by tests/support/check-layers.sh.
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
include(cmake/op_cases.cmake)
