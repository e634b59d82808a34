# libkiln: everything but LLVM, which is a module of its own (backends/llvm) that is loaded on the first cache miss.
set(kiln_parts kiln_base kiln_cache kiln_jit kiln_backends)

# The shared library that programs link.
add_library(kiln SHARED cmake/empty.c)
target_link_libraries(kiln PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${kiln_parts}> m pthread dl)
target_include_directories(kiln INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(kiln PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_options(kiln PRIVATE -Wl,-z,defs -Wl,--build-id=sha1)
if(KILN_SANITIZE)
  set_property(TARGET kiln PROPERTY LINK_OPTIONS -Wl,--build-id=sha1 -fsanitize=${KILN_SANITIZE})
endif()
add_library(kiln::kiln ALIAS kiln)

# The same as a static library with nothing hidden, for the unit tests of internal functions.
add_library(kiln_internal INTERFACE)
target_link_libraries(kiln_internal INTERFACE $<LINK_GROUP:RESCAN,${kiln_parts}> m pthread dl)
