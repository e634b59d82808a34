# make install: headers, libkiln, the command, the code generation module (backends/llvm installs itself), and what
# CMake users (find_package(kiln), kiln::kiln) and pkg-config users need.
include(CMakePackageConfigHelpers)

install(TARGETS kiln EXPORT kiln-targets)
install(TARGETS kiln_command)
install(DIRECTORY include/kiln ${CMAKE_BINARY_DIR}/include/kiln TYPE INCLUDE)

# For backends that are built against the installed tree: where they go, and which ABI the headers have.
set(BACKEND_DIR ${CMAKE_INSTALL_LIBDIR}/kiln/backends)
file(STRINGS include/kiln/backend.h BACKEND_ABI REGEX "^#define KILN_BACKEND_ABI ")
string(REGEX REPLACE "[^0-9]+" "" BACKEND_ABI "${BACKEND_ABI}")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kiln)
install(EXPORT kiln-targets NAMESPACE kiln:: DESTINATION ${package_folder})
configure_package_config_file(cmake/kiln-config.cmake.in ${CMAKE_BINARY_DIR}/kiln-config.cmake
                              INSTALL_DESTINATION ${package_folder} PATH_VARS BACKEND_DIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kiln-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kiln-config.cmake ${CMAKE_BINARY_DIR}/kiln-config-version.cmake
        DESTINATION ${package_folder})

# Relative to the file itself, so that an installed tree may be moved and DESTDIR works.
file(RELATIVE_PATH PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/kiln.pc.in ${CMAKE_BINARY_DIR}/kiln.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kiln.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
