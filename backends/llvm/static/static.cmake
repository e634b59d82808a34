# LLVM inside of kiln-llvm.so, for packages that bring all they need (scripts/wheel.py): the targets that Kiln generates
# code for, and nothing of LLVM or libstdc++ that other libraries of the process could see.
set(kiln_targets X86 AMDGPU AArch64)
execute_process(COMMAND ${LLVM_CONFIG} --link-static --libs ${kiln_targets} passes lto option debuginfodwarf
                OUTPUT_VARIABLE archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(archives)
list(FILTER archives EXCLUDE REGEX Polly) # not in Debian's llvm-19-dev; unused.cpp answers for it

# unused.cpp has the initialisers of the other targets, which lld refers to.
execute_process(COMMAND ${LLVM_CONFIG} --targets-built OUTPUT_VARIABLE built OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(built)
list(REMOVE_ITEM built ${kiln_targets})
list(TRANSFORM built REPLACE "(.+)" "UNUSED_TARGET(\\1)")
list(JOIN built "\n" built)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/unused_targets.def CONTENT "${built}\n")

target_sources(kiln-llvm PRIVATE static/unused.cpp)
target_include_directories(kiln-llvm PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_link_directories(kiln-llvm PRIVATE ${llvm_lib})
target_link_libraries(kiln-llvm PRIVATE -Wl,--start-group ${archives} -Wl,--end-group -Wl,-Bstatic -lz -lzstd
                                        -Wl,-Bdynamic pthread dl m)
target_link_options(kiln-llvm PRIVATE -static-libstdc++ -static-libgcc)
